// SPDX-License-Identifier: MIT
// Sphere against box: the centre is clamped into the box. S1-33 (course 2.1.2) with its errata: the normal from sphere
// to box is that of E13; a centre inside looks at all six faces (E14) and counts the radius (E15), so that the
// separation is continuous where the centre passes the surface.
#pragma once
#include "math/vec3.h"
#include "shapes/append.h"
#include "shapes/manifold.h"
#include "shapes/motion.h"

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

/// With what is known of the motion: while the plane of a face parts the two throughout the step, or all but does, the
/// face bears the sphere where the centre is above it, and its rim does not count.
TALUS_HD inline Manifold collide_sphere_box(const PlacedShape& a, const PlacedShape& b, float reach,
                                            const PairMotion& motion) {
  const Mat3 axes = matrix_of(b.orientation);
  const float radius = a.size.x;
  const Vec3 centre = transposed_times(axes, a.position - b.position);
  const Vec3 gaps = abs_of(centre) - b.size - Vec3{radius, radius, radius};
  int face = -1;
  float longest = motion.dt;
  for (int i = 0; i < 3; ++i) {
    if (!(component(gaps, i) >= -motion.round)) continue;
    const Vec3 towards_box = -sign_of(component(centre, i)) * column_of(axes, i);
    const float time = time_open(motion, towards_box, component(gaps, i), motion.round);
    if (!(time >= longest)) continue;
    longest = time;
    face = i;
  }
  if (face < 0) return collide_sphere_box(a, b, reach);
  const float gap = component(gaps, face), side = sign_of(component(centre, face));
  const Vec3 beyond = abs_of(centre) - b.size;
  const float slop = clip_slop(smallest_of(b.size));
  const bool above =
      (face == 0 || beyond.x <= slop) && (face == 1 || beyond.y <= slop) && (face == 2 || beyond.z <= slop);
  const Vec3 normal = axes * axis_vector(face, -side);
  if (!above && !is_released(motion, normal, gap, motion.round)) return collide_sphere_box(a, b, reach);
  if (!above || !(gap <= reach)) return Manifold{};
  return one_point(normal, radius * normal, axes * (centre - axis_vector(face, side * (gap + radius))), gap);
}

}  // namespace talus::inline TALUS_ISA
