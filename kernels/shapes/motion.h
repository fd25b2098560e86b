// SPDX-License-Identifier: MIT
// How two bodies move against each other in a step, as far as a pair of them can know.
#pragma once
#include <talus/defs.h>

#include "math/vec3.h"
#include "shapes/manifold.h"

namespace talus::inline TALUS_ISA {

/// B against A, world axes, if nothing touches them.
struct PairMotion {
  Vec3 between;         // [m] from A to B at the start
  Vec3 velocity;        // [m/s]
  Vec3 acceleration;    // [m/s^2]
  Vec3 spin_a, spin_b;  // [rad/s]
  float arm_a, arm_b;   // [m] how far from the axis of the spin their points are at most, as far as turning moves them
  float dt;             // [s] as far ahead as solvers look: the step, and a sub-step more
  float early;          // [s] length of sub-steps that add what a whole one gains of speed before they move
  float flat;           // [m] overlap of two boxes along an axis up to which the axis still parts them
  float round;          // [m] the same if one of them is round
  float slow;           // [m/s] speed that is as good as none
  float small_drop;     // [m] a fall that decides about nothing
};

/// [m] How far from the axis of the spin a shape reaches, of what a turn about it moves.
TALUS_INLINE float spin_arm(ShapeType type, const PlacedShape& shape, Vec3 spin) {
  if (type == ShapeType::box) return length(shape.size);
  if (type != ShapeType::capsule) return 0.0f;
  const Vec3 along = rotate(shape.orientation, Vec3{0.0f, 1.0f, 0.0f});
  return shape.size.y * (length(cross(along, spin)) / max_of(length(spin), 1e-20f));
}

/// [m/s] How fast a gap along a unit direction from A to B may close, without acceleration.
TALUS_INLINE float closing_speed(const PairMotion& m, Vec3 n) {
  return length(cross(n, m.spin_a)) * m.arm_a + length(cross(n, m.spin_b)) * m.arm_b - dot(n, m.velocity);
}

/// [s] For how long the overlap along a unit direction from A to B stays below a tolerance [m], without acceleration:
/// what stands on something is accelerated by nothing. Negative: it is beyond it now. Of axes that close at less than a
/// hundred-thousandth of the size in a step the wider gap lasts longer.
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
  result.between = -m.between;
  result.velocity = -m.velocity;
  result.acceleration = -m.acceleration;
  result.spin_a = m.spin_b;
  result.spin_b = m.spin_a;
  result.arm_a = m.arm_b;
  result.arm_b = m.arm_a;
  return result;
}

}  // namespace talus::inline TALUS_ISA
