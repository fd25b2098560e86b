// SPDX-License-Identifier: MIT
// A sphere against a sphere, a capsule and a plane: one point each, and all of them end in two round ends that meet.
#pragma once
#include "math/vec3.h"
#include "shapes/append.h"
#include "shapes/manifold.h"

namespace talus::inline TALUS_ISA {

/// Two balls around points of A and B. `at_a` and `at_b` are relative to the centres of A and B, `between` goes from
/// the ball of A to that of B, `otherwise` is the unit normal if they are concentric. S1-32 (course 2.1.1).
TALUS_INLINE Manifold collide_balls(Vec3 at_a, float radius_a, Vec3 at_b, float radius_b, Vec3 between, Vec3 otherwise,
                                    float reach) {
  const float distance = length(between);
  const float separation = distance - (radius_a + radius_b);
  if (!(separation <= reach)) return Manifold{};  // also if the distance is not finite
  const Vec3 normal = normalized_or(between, otherwise);
  return one_point(normal, at_a + radius_a * normal, at_b - radius_b * normal, separation);
}

/// Concentric spheres part along y.
TALUS_HD inline Manifold collide_sphere_sphere(const PlacedShape& a, const PlacedShape& b, float reach) {
  const Vec3 centre{0.0f, 0.0f, 0.0f};
  return collide_balls(centre, a.size.x, centre, b.size.x, b.position - a.position, {0.0f, 1.0f, 0.0f}, reach);
}

/// A sphere centred on the segment leaves across it.
TALUS_HD inline Manifold collide_sphere_capsule(const PlacedShape& a, const PlacedShape& b, float reach) {
  const Vec3 d = b.position - a.position;
  const Vec3 axis = capsule_axis(b);
  const Vec3 on_segment = clamp_to(-dot(d, axis), -b.size.y, b.size.y) * axis;
  return collide_balls({0.0f, 0.0f, 0.0f}, a.size.x, on_segment, b.size.x, d + on_segment, tangent_of(axis), reach);
}

TALUS_HD inline Manifold collide_sphere_plane(const PlacedShape& a, const PlacedShape& b, float reach) {
  const Vec3 d = b.position - a.position;
  const Vec3 normal = -plane_normal(b);
  const float height = dot(d, normal);  // of the centre
  const float separation = height - a.size.x;
  if (!(separation <= reach)) return Manifold{};
  return one_point(normal, a.size.x * normal, height * normal - d, separation);
}

}  // namespace talus::inline TALUS_ISA
