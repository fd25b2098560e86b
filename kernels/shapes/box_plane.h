// SPDX-License-Identifier: MIT
// Box against plane: the corners of the face that looks most towards the plane. The deepest corner and the deepest edge
// always belong to that face, so four candidates do. S1-38; four points of a resting box: S0-100 (STAR 6.2).
#pragma once
#include "math/vec3.h"
#include "shapes/append.h"
#include "shapes/manifold.h"

namespace talus::inline TALUS_ISA {

/// Feature: the corner, bit i set if it is on the positive side of axis i.
TALUS_HD inline Manifold collide_box_plane(const PlacedShape& a, const PlacedShape& b, float reach) {
  const Mat3 axes = matrix_of(a.orientation);
  const Vec3 d = b.position - a.position;
  Manifold manifold{};
  manifold.normal = -plane_normal(b);
  const Vec3 n = transposed_times(axes, manifold.normal);  // in the frame of the box, into the plane
  const float height = dot(d, manifold.normal);            // of the centre
  const Vec3 size = abs_of(n);
  int face = size.y > size.x ? 1 : 0;
  face = size.z > component(size, face) ? 2 : face;
  const Vec3 towards{sign_of(n.x), sign_of(n.y), sign_of(n.z)};
  for (int i = 0; i < 4; ++i) {
    // Across the face each of the two other axes takes both signs.
    const float first = (i & 1) != 0 ? 1.0f : -1.0f, second = (i & 2) != 0 ? 1.0f : -1.0f;
    const Vec3 sign{face == 0 ? towards.x : first, face == 1 ? towards.y : (face == 0 ? first : second),
                    face == 2 ? towards.z : second};
    const Vec3 corner = scale(sign, a.size);
    const float separation = height - dot(n, corner);
    const std::uint32_t feature = (sign.x > 0.0f ? 1u : 0u) | (sign.y > 0.0f ? 2u : 0u) | (sign.z > 0.0f ? 4u : 0u);
    const Vec3 on_a = axes * corner;
    const ManifoldPoint point{on_a, (on_a - d) + separation * manifold.normal, separation, feature};
    if (separation <= reach) append(manifold, point);
  }
  return manifold;
}

}  // namespace talus::inline TALUS_ISA
