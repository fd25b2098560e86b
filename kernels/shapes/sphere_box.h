// SPDX-License-Identifier: MIT
// Sphere against box: the centre is clamped into the box. S1-33 (course 2.1.2) with its errata: the normal from sphere
// to box is that of E13; a centre inside looks at all six faces (E14) and counts the radius (E15), so that the
// separation is continuous where the centre passes the surface.
#pragma once
#include "math/vec3.h"
#include "shapes/append.h"
#include "shapes/manifold.h"

namespace talus::inline TALUS_ISA {

/// A centre inside the box leaves through the nearest face, of equal ones through that of the lowest axis.
TALUS_HD inline Manifold collide_sphere_box(const PlacedShape& a, const PlacedShape& b, float reach) {
  const Mat3 axes = matrix_of(b.orientation);
  const float radius = a.size.x;
  const Vec3 centre = transposed_times(axes, a.position - b.position);  // of the sphere, in the frame of the box
  const Vec3 nearest = clamp_each(centre, b.size);
  const Vec3 to_box = nearest - centre;
  const float distance = length(to_box);
  if (!(distance - radius <= reach)) return Manifold{};
  // Closer than this to the surface the direction is mostly round-off, and the face below is as good.
  if (distance > 1e-4f * radius) {
    const Vec3 normal = axes * ((1.0f / distance) * to_box);
    return one_point(normal, radius * normal, axes * nearest, distance - radius);
  }
  const Vec3 depth = b.size - abs_of(centre);
  int face = depth.y < depth.x ? 1 : 0;
  face = depth.z < component(depth, face) ? 2 : face;
  const float side = sign_of(component(centre, face));
  const float inside = component(depth, face);
  const Vec3 normal = axes * axis_vector(face, -side);
  return one_point(normal, radius * normal, axes * (centre + axis_vector(face, side * inside)), -inside - radius);
}

}  // namespace talus::inline TALUS_ISA
