// SPDX-License-Identifier: MIT
// What a collision test may know of how two shapes move. A contact made ahead is a half space, and half spaces forbid
// free space beside corners; two convex shapes keep apart as long as any one axis parts them (D. Flickinger,
// J. Williams, J. Trinkle 2013, "What's wrong with collision detection in multibody dynamics simulation?", section
// II-E: the largest of the gaps counts). So where the nearest features would stop a body that slides over a face, the
// face bears it, and nothing else of that shape touches it.
#pragma once
#include <talus/defs.h>

#include "math/vec3.h"
#include "shapes/manifold.h"

namespace talus::inline TALUS_ISA {

/// Which of two boxes surely bears the other: it stands still. Of faces that lie on each other its own one counts.
enum class Bearer { none, a, b };

// How deep two shapes may overlap along an axis that parts them otherwise, in parts of the thinner one's thickness.
// What stands is sunk in by a little, and pieces of a floor differ by as little. Steps lower than that are climbed, not
// hit.
constexpr float kOverlap = 0.01f;
constexpr float kMostSunk = 0.1f;                     // of the same thickness
constexpr float kMostOverlap = kOverlap + kMostSunk;  // of the same thickness: PairMotion::overlap is at most that

/// B against A at the start of a step, world axes.
struct PairMotion {
  Vec3 velocity;        // [m/s]
  Vec3 spin_a, spin_b;  // [rad/s]
  float dt;             // [s] as far ahead as solvers look: the step, and a sub-step more
  float overlap;        // [m] along an axis, up to which the axis still parts them
  float sunk;           // [m] by which what stands is sunk in, at most
  float slow;           // [m/s] speed that is as good as none
  Vec3 down;            // unit: where gravity pulls; 0: nowhere
  bool has_bearer;      // one of them stands, and the other one moves over it
  bool b_bears;         // B is that one
};
/// The same motion seen from the other side.
TALUS_INLINE PairMotion swapped(const PairMotion& m) {
  PairMotion result = m;
  result.velocity = -m.velocity;
  result.spin_a = m.spin_b;
  result.spin_b = m.spin_a;
  result.b_bears = !m.b_bears;
  return result;
}

constexpr float kFaceNormal = 0.999999f;  // cosine: a direction that is as near to an axis of a box is that axis

/// Whether a unit direction is the normal of a face of a box: what touches it there touches no rim.
TALUS_INLINE bool is_face_normal(Quat box, Vec3 direction) {
  const Vec3 n = abs_of(rotate_back(box, direction));
  return max_of(n.x, max_of(n.y, n.z)) > kFaceNormal;
}

/// [m/s] How fast turning moves the fastest point of a shape along a unit direction. `core`: half extents of the box
/// that a ball is swept over to make the shape; turning does not move the ball.
TALUS_INLINE float turning_speed(Vec3 core, Quat orientation, Vec3 spin, Vec3 direction) {
  return dot(abs_of(rotate_back(orientation, cross(direction, spin))), core);
}

/// How a gap along a unit direction from A to B changes.
struct GapRate {
  float along;    // [m/s] by moving
  float turning;  // [m/s] by turning, at most
};
TALUS_INLINE GapRate gap_rate(const PairMotion& m, Vec3 n, Vec3 core_a, Quat orientation_a, Vec3 core_b,
                              Quat orientation_b) {
  return {dot(n, m.velocity),
          turning_speed(core_a, orientation_a, m.spin_a, n) + turning_speed(core_b, orientation_b, m.spin_b, n)};
}

/// [s] How well a face bears: 0 unless the two touch along its normal, and do so throughout the step; more the nearer
/// they are to touching and the less they move along the normal.
TALUS_INLINE float bearing_time(const PairMotion& m, GapRate rate, float gap) {
  const bool touches = abs_of(gap) <= m.overlap && gap + m.overlap >= m.dt * (rate.turning - rate.along);
  return touches ? (m.overlap - abs_of(gap)) / max_of(rate.turning + abs_of(rate.along), m.slow) : 0.0f;
}

constexpr float kBearsBetter = 4.0f;  // [1] times as long as the nearest features: at rest these stay
// [1] The same, of a face on which the other one lies with a face of its own, against features that stand upright: what
// is put down on a floor with its front at a seam is not held back by the side of the next piece of that floor.
constexpr float kLiesBetter = 0.25f;
constexpr float kLevel = 0.7f;  // cosine between gravity and the normal of a face on which something lies

/// [m] Of a manifold with points.
TALUS_INLINE float least_gap(const Manifold& m) {
  float gap = m.points[0].separation;
  for (int i = 1; i < kMaxPoints; ++i) gap = i < m.count ? min_of(m.points[i].separation, gap) : gap;
  return gap;
}
/// [m] How deep something round may be in a face that bears it: deeper, it stands between the rims of faces.
TALUS_INLINE float round_depth(const PairMotion& m, float radius) {
  return 2.0f * m.sunk + 1e-4f * radius;
}
constexpr float kWidestRim = 0.6f;  // [1] of the radius: what is sunk in by a fifth of it touches rims as far away
/// [m] How far beyond the rim of a face the lowest point of something round still counts as above it: beside the rim it
/// would sink by that depth.
TALUS_INLINE float rim_width(const PairMotion& m, float radius) {
  return min_of(square_root(2.0f * radius * round_depth(m, radius)), kWidestRim * radius);
}

/// Of the contact of the nearest features and that of a face which bears, which may be empty: two that are apart have
/// no other contact than the face; two that overlap have that of the nearest features where the face has none.
TALUS_INLINE Manifold borne(const Manifold& nearest, const Manifold& on_face) {
  const bool on_a_face = on_face.count > 0 || least_gap(nearest) > 0.0f;
  Manifold manifold = on_a_face ? on_face : nearest;
  manifold.fleeting = true;
  manifold.borne = on_a_face;
  return manifold;
}

}  // namespace talus::inline TALUS_ISA
