// SPDX-License-Identifier: MIT
// Small steps that the collision tests share.
#pragma once
#include "math/vec3.h"
#include "shapes/manifold.h"

namespace talus::inline TALUS_ISA {

/// Adds a point. The slots are compared, not indexed, so that a manifold can live in registers.
TALUS_INLINE void append(Manifold& manifold, const ManifoldPoint& point) {
  for (int slot = 0; slot < kMaxPoints; ++slot) {
    if (slot == manifold.count) manifold.points[slot] = point;
  }
  ++manifold.count;
}

TALUS_INLINE Manifold one_point(Vec3 normal, Vec3 on_a, Vec3 on_b, float separation) {
  Manifold manifold{};
  manifold.normal = normal;
  manifold.count = 1;
  manifold.points[0] = {on_a, on_b, separation, 0u};
  return manifold;
}

/// The smallest component.
template <class Real>
TALUS_INLINE Real smallest_of(Vec3Of<Real> v) {
  return min_of(v.x, min_of(v.y, v.z));
}

/// Each component into -limit..limit.
TALUS_INLINE Vec3 clamp_each(Vec3 v, Vec3 limit) {
  return {clamp_to(v.x, -limit.x, limit.x), clamp_to(v.y, -limit.y, limit.y), clamp_to(v.z, -limit.z, limit.z)};
}

/// Unit vector along axis 0, 1 or 2, times a sign.
TALUS_INLINE Vec3 axis_vector(int axis, float sign) {
  return {axis == 0 ? sign : 0.0f, axis == 1 ? sign : 0.0f, axis == 2 ? sign : 0.0f};
}

/// Direction of a capsule's segment in the world: the body's y axis.
TALUS_INLINE Vec3 capsule_axis(const PlacedShape& capsule) {
  return rotate(capsule.orientation, Vec3{0.0f, 1.0f, 0.0f});
}

/// Normal of a plane in the world.
TALUS_INLINE Vec3 plane_normal(const PlacedShape& plane) {
  return rotate(plane.orientation, plane.size);
}

// [m] Side planes are moved out by this much before clipping, and what is found is moved back onto the face. So edges
// that lie on top of each other, as in every stack, are clear of the clip planes and their features do not flicker
// with round-off. 0 makes an aligned stack change its ids from step to step; 1 mm is seen in the lever arms.
TALUS_INLINE float clip_slop(float smallest_half_extent) {
  return min_of(1e-4f, 2e-3f * smallest_half_extent);
}

// [m] An edge axis must beat the best face axis by this much: 5 mm (parallel-engine 8.1), less for boxes below 10 cm,
// where 5 mm would hide every edge. 0 lets face contacts flip to one edge point; 5 cm lets crossing edges sink in.
template <class Real>
TALUS_INLINE Real edge_margin(Real smallest_half_extent) {
  return min_of(Real(5e-3f), Real(0.05f) * smallest_half_extent);
}

}  // namespace talus::inline TALUS_ISA
