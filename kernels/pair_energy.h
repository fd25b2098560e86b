// SPDX-License-Identifier: MIT
// The kinetic energy that an impact of two bodies can change. Laws of restitution together with friction may ask for
// more than there was (S0-22): solvers compare.
#pragma once
#include "columns.h"
#include "math/vec3.h"
#include "step_params.h"

namespace talus::inline TALUS_ISA {

/// Directions of a contact, and their levers at its middle in scaled axes.
template <class Real>
struct ContactFrame {
  Vec3Of<Real> normal, t1, t2;
  Vec3Of<Real> a_normal, a1, a2;
  Vec3Of<Real> b_normal, b1, b2;
};

/// [J] In the frame of their common centre of mass, which impulses between the two do not move; where one of them is
/// pushed by nothing, in the frame of its surface. Angular velocities are in scaled axes, where inertia is 1 / turns.
/// Bodies that are not dynamic have neither inverse mass nor turns.
template <class Real>
TALUS_INLINE Real pair_energy(const ContactFrame<Real>& frame, Vec3Of<Real> v_a, Vec3Of<Real> w_a, Vec3Of<Real> v_b,
                              Vec3Of<Real> w_b, Real inv_mass_a, Real turns_a, Real inv_mass_b, Real turns_b) {
  const Real zero(0.0f), one(1.0f), half(0.5f), tiny(1e-30f);
  const Vec3Of<Real> none{zero, zero, zero};
  const Mask<Real> moves_a = turns_a > zero, moves_b = turns_b > zero;
  const Vec3Of<Real> carried_a =
      dot(frame.a_normal, w_a) * frame.normal + dot(frame.a1, w_a) * frame.t1 + dot(frame.a2, w_a) * frame.t2;
  const Vec3Of<Real> carried_b =
      dot(frame.b_normal, w_b) * frame.normal + dot(frame.b1, w_b) * frame.t1 + dot(frame.b2, w_b) * frame.t2;
  const Vec3Of<Real> v =
      (v_b + select<Real>(moves_b, none, carried_b)) - (v_a + select<Real>(moves_a, none, carried_a));
  const Real spin_a = select(moves_a, length_squared(w_a) / max_of(turns_a, tiny), zero);
  const Real spin_b = select(moves_b, length_squared(w_b) / max_of(turns_b, tiny), zero);
  return half * (length_squared(v) * (one / max_of(inv_mass_a + inv_mass_b, tiny)) + spin_a + spin_b);
}

/// [m/s^2] Of a body by gravity and forces; none if it is not dynamic.
TALUS_INLINE Vec3 outer_push(const BodyModel& model, const BodyInputs& inputs, const StepParams& params, Index body,
                             float inv_mass) {
  if (!(inv_mass > 0.0f)) return {0.0f, 0.0f, 0.0f};
  return model.gravity_scale[body] * params.gravity + inv_mass * inputs.force[body];
}

constexpr float kShortTurn = 0.5f;  // [rad] of a step: up to there twice the sine of half a turn is the turn, to 1 %

/// [rad] By which a body would turn in a step if nothing touched it, to first order; its own axes, as all of these.
/// `spin`: at the start.
TALUS_INLINE Vec3 free_turn(Vec3 spin, Vec3 torque, Vec3 inv_inertia, float dt) {
  return dt * (spin + (0.5f * dt) * scale(inv_inertia, torque));
}
/// [J] Of an outer torque, on the turn that a body makes in a step. One that turns far is taken to turn as if nothing
/// touched it: what is left of several turns looks like a short one.
TALUS_INLINE float turn_work(Vec3 torque, Quat turn, Vec3 free_turn) {
  const bool is_short = length_squared(free_turn) < kShortTurn * kShortTurn;
  return dot(torque, is_short ? 2.0f * Vec3{turn.x, turn.y, turn.z} : free_turn);
}

}  // namespace talus::inline TALUS_ISA
