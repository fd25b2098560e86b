// SPDX-License-Identifier: MIT
// How far a body may get within a step: what its box, its pairs and its contacts are found for.
#pragma once
#include "columns.h"
#include "lanes.h"
#include "lengths.h"
#include "math/vec3.h"
#include "step_params.h"

namespace talus::inline TALUS_ISA {

/// Of one body, or of a pack. Damping, which only brakes, is left out.
template <class Real>
struct StepReach {
  Mask<Real> alive, moves, still;  // moves: pushed by forces and contacts; still: by nothing, and not on its way
  Mask<Real> asleep, is_plane, is_box, boxed;
  QuatOf<Real> orientation;
  Vec3Of<Real> core;          // [m] the shape as a rounded box, see ShapeRecord
  Real rounding;              // [m]
  Real radius;                // [m]
  Vec3Of<Real> before, spin;  // [m/s, rad/s] at the start
  Vec3Of<Real> low, high;     // [m] corners of the box of its ways, for the centre; zero is inside
  Real way;                   // [m] the longest of them
  Real touching;              // [m] at which contacts of a dynamic body are made
  Real rim;                   // [m] the same plus what turning may add
};

/// [rad/s] What a torque adds to the angular velocity in a time, in own axes.
template <class Real>
TALUS_INLINE Vec3Of<Real> spin_gain(QuatOf<Real> orientation, Vec3Of<Real> inv_inertia, Vec3Of<Real> torque,
                                    Real time) {
  return time * scale(inv_inertia, rotate_back(orientation, torque));
}

/// [m] How much further a shape may reach after a turn [rad]. Its outermost point in some direction is at least as far
/// out as the ball inside and within the ball around it: hence its lever arm, and the limit for any turn.
template <class Real>
TALUS_INLINE Real swing_of(const StepReach<Real>& r, Real turn) {
  const Real zero(0.0f), thickness = select(r.is_box, min_of(r.core.x, min_of(r.core.y, r.core.z)), r.rounding);
  const Real limit = max_of(r.radius - thickness, zero);
  const Real arm = select(r.is_box, square_root(limit * (r.radius + thickness)), limit);
  return select(r.boxed, min_of(turn * arm, limit), zero);
}

template <class Real>
TALUS_INLINE StepReach<Real> step_reach(const BodyModel& model, const BodyState& state, const BodyInputs& inputs,
                                        const StepParams& p, Index row) {
  const Real zero(0.0f), one(1.0f), dt(p.dt);
  const Vec3Of<Real> none{zero, zero, zero};
  const QuatOf<Real> upright{zero, zero, zero, one};
  StepReach<Real> r;
  const Real type = load_bytes<Real>(model.shape, row), motion = load_bytes<Real>(model.motion, row);
  r.alive = load_bytes<Real>(model.alive, row) > zero;
  r.asleep = load_bytes<Real>(state.asleep, row) > zero;
  const Mask<Real> held = load_bytes<Real>(state.frozen, row) > zero || r.asleep;
  r.moves = r.alive && motion == Real(float(Motion::dynamic)) && !held;
  r.still = !r.alive || motion == Real(float(Motion::fixed)) || held;
  r.is_plane = type == Real(float(ShapeType::plane));
  r.is_box = type == Real(float(ShapeType::box));
  r.boxed = r.alive && !r.is_plane;
  r.orientation = select<Real>(r.alive, load<Real>(state.orientation, row), upright);
  const Vec3Of<Real> size = load<Real>(model.shape_size, row);
  const Mask<Real> long_y = r.is_box || type == Real(float(ShapeType::capsule));
  r.core = {select(r.is_box, size.x, zero), select(long_y, size.y, zero), select(r.is_box, size.z, zero)};
  r.rounding = select(r.is_box || r.is_plane, zero, size.x);
  r.radius = load<Real>(model.radius.data, row);

  // Velocity at the start, and once gravity and force have acted for the whole step.
  r.before = select<Real>(r.still, none, load<Real>(state.linear_velocity, row));
  const Vec3Of<Real> gravity{Real(p.gravity.x), Real(p.gravity.y), Real(p.gravity.z)};
  const Vec3Of<Real> gain = dt * (load<Real>(model.gravity_scale.data, row) * gravity +
                                  load<Real>(model.inv_mass.data, row) * load<Real>(inputs.force, row));
  const Vec3Of<Real> after = select<Real>(r.moves, r.before + gain, r.before);
  const Vec3Of<Real> way_before = dt * r.before, way_after = dt * after;
  r.low = min_of(none, min_of(way_before, way_after));
  r.high = max_of(none, max_of(way_before, way_after));
  r.way = max_of(length(way_before), length(way_after));
  r.spin = load<Real>(state.angular_velocity, row);
  const Vec3Of<Real> torque = load<Real>(inputs.torque, row);
  Real turn = select(r.still, zero, dt * length(r.spin));
  if (any_of(!(torque.x == zero && torque.y == zero && torque.z == zero))) {
    const Vec3Of<Real> twist = spin_gain(r.orientation, load<Real>(model.inv_inertia, row), torque, dt);
    turn = turn + select(r.moves, dt * length(twist), zero);
  }
  r.touching = select(motion == Real(float(Motion::dynamic)), speculative_of(r.radius, p), zero);
  r.rim = r.touching + swing_of(r, turn);
  return r;
}

}  // namespace talus::inline TALUS_ISA
