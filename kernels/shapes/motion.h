// SPDX-License-Identifier: MIT
// How two bodies move against each other in a step, as far as a pair of them can know.
#pragma once
#include <talus/defs.h>

#include "math/vec3.h"
#include "shapes/manifold.h"

namespace talus::inline TALUS_ISA {

/// A shape that turns. A ball is a capsule without length.
struct Traveller {
  bool is_box;
  Vec3 core;         // [m] half extents of a box; {0, half length, 0} of a capsule
  float rounding;    // [m] radius of a capsule
  Quat orientation;  // body to world, at the start
  Vec3 spin;         // [rad/s] world axes
};
TALUS_INLINE Traveller traveller_of(ShapeType type, const PlacedShape& shape, Vec3 spin) {
  const bool is_box = type == ShapeType::box;
  const Vec3 core{is_box ? shape.size.x : 0.0f, type == ShapeType::sphere ? 0.0f : shape.size.y,
                  is_box ? shape.size.z : 0.0f};
  return {is_box, core, is_box ? 0.0f : shape.size.x, shape.orientation, spin};
}
/// [m/s] How fast turning moves the fastest point along a unit direction, at the start.
TALUS_INLINE float turning_speed(const Traveller& t, Vec3 direction) {
  return dot(abs_of(rotate_back(t.orientation, cross(direction, t.spin))), t.core);
}

/// B against A, world axes, if nothing touches them.
struct PairMotion {
  Traveller a, b;
  Vec3 between;       // [m] from A to B at the start
  Vec3 velocity;      // [m/s]
  Vec3 acceleration;  // [m/s^2]
  float dt;           // [s] as far ahead as solvers look: the step, and a sub-step more
  float early;        // [s] length of sub-steps that add what a whole one gains of speed before they move
  float flat;         // [m] overlap of two boxes along an axis up to which the axis still parts them
  float round;        // [m] the same if one of them is round
  float slow;         // [m/s] speed that is as good as none
  float small_drop;   // [m] a fall that decides about nothing
  float clearance;    // [m] two that keep further apart than this do not touch
  bool b_bears;       // B stands and A moves over it, not the other way round
};

/// [m/s] How fast a gap along a unit direction from A to B closes at the start.
TALUS_INLINE float closing_speed(const PairMotion& m, Vec3 n) {
  return turning_speed(m.a, n) + turning_speed(m.b, n) - dot(n, m.velocity);
}

/// [s] For how long the overlap along a unit direction from A to B stays below a tolerance [m], at the velocities of
/// the start: what stands on something is accelerated by nothing. Negative: it is beyond it now. Of axes that are slow
/// to close the one with the wider gap lasts longer.
TALUS_INLINE float time_open(const PairMotion& m, Vec3 n, float gap, float tolerance) {
  return (gap + tolerance) / max_of(closing_speed(m, n), m.slow);
}

/// Whether a pair is released that an axis parts in this way, although forces may close its gap: they act on nothing
/// that stands, and else they must be too weak to matter.
TALUS_INLINE bool is_released(const PairMotion& m, Vec3 n, float gap, float tolerance) {
  return gap <= tolerance || 0.5f * m.dt * m.dt * -dot(n, m.acceleration) <= m.small_drop;
}

/// The same motion seen from the other side.
TALUS_INLINE PairMotion swapped(const PairMotion& m) {
  PairMotion result = m;
  result.a = m.b;
  result.b = m.a;
  result.between = -m.between;
  result.velocity = -m.velocity;
  result.acceleration = -m.acceleration;
  result.b_bears = !m.b_bears;
  return result;
}

}  // namespace talus::inline TALUS_ISA
