// SPDX-License-Identifier: MIT
// Angles, with the same bits on every machine: the functions of the standard library differ between them.
#pragma once
#include "math/scalar.h"

namespace talus::inline TALUS_ISA {

/// [rad] Angle of the point (x, y) from the x axis, -pi..pi, within 3e-7; 0 for the origin.
template <class Real>
TALUS_INLINE Real arc_tangent(Real y, Real x) {
  const Real zero(0.0f), one(1.0f), ax = abs_of(x), ay = abs_of(y);
  const Real small = min_of(ax, ay), large = max_of(ax, ay);
  const Real t = small / max_of(large, Real(1e-30f));  // 0..1
  // Beyond tan(pi/8) by atan(t) = pi/4 + atan((t - 1) / (t + 1)): the polynomial (Cephes) is good to 0.42.
  const Mask<Real> beyond = t > Real(0.41421356f);
  const Real u = select(beyond, (t - one) / (t + one), t), z = u * u;
  const Real part = (((Real(8.05374449538e-2f) * z - Real(1.38776856032e-1f)) * z + Real(1.99777106478e-1f)) * z -
                     Real(3.33329491539e-1f)) *
                        z * u +
                    u;
  Real angle = select(beyond, Real(0.25f * kPi), zero) + part;
  angle = select(ay > ax, Real(0.5f * kPi) - angle, angle);
  angle = select(x < zero, Real(kPi) - angle, angle);
  return select(y < zero, -angle, angle);
}

/// The whole number nearest to x, for |x| < 2^22.
template <class Real>
TALUS_INLINE Real nearest_whole(Real x) {
  const Real shift(12582912.0f);  // 1.5 * 2^23: what is added to it is rounded to a whole number
  return (x + shift) - shift;
}

}  // namespace talus::inline TALUS_ISA
