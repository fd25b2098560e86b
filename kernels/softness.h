// SPDX-License-Identifier: MIT
// Contacts and joints as springs and dampers, over one sub-step.
#pragma once
#include "math/scalar.h"
#include "step_params.h"

namespace talus::inline TALUS_ISA {

/// Softness, of a lane.
template <class Real>
struct LaneSoftness {
  Real bias_rate, mass_scale, impulse_scale;
};

/// Implicit integration of a damped spring, written as a rigid constraint with a rate, a mass factor and a leak of the
/// accumulated impulse: with w = 2 pi hertz and a = 2 zeta + h w these are w / a, h w a / (1 + h w a), 1 / (1 + h w a).
template <class Real>
TALUS_INLINE LaneSoftness<Real> softness_of(Real hertz, Real damping_ratio, Real h) {
  const Real omega = Real(2.0f * kPi) * hertz;
  const Real a = Real(2.0f) * damping_ratio + h * omega;
  const Real b = h * omega * a;
  const Real c = Real(1.0f) / (Real(1.0f) + b);
  return {omega / a, b * c, c};
}

/// [s] Depth of a contact that bears an impulse a sub-step, over that impulse and its give: at rest its push, bias_rate
/// depth, is what the impulse gives way by, impulse_scale / mass_scale give impulse.
template <class Soft>
TALUS_INLINE auto load_time_of(const Soft& soft) {
  return soft.impulse_scale / (soft.mass_scale * soft.bias_rate);
}

/// Softness of a contact whose material has a stiffness of its own. Touching ground is twice as stiff.
template <class Real>
TALUS_INLINE LaneSoftness<Real> contact_softness(const StepParams& params, Real hertz, Mask<Real> on_ground) {
  const Real limited = min_of(hertz, Real(params.max_contact_hertz));
  return softness_of(select(on_ground, Real(2.0f) * limited, limited), Real(params.contact_damping_ratio),
                     Real(params.h));
}

}  // namespace talus::inline TALUS_ISA
