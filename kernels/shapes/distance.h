// SPDX-License-Identifier: MIT
// A cheap test that spares most pairs of the broad phase the full collision test.
#pragma once
#include <talus/defs.h>

#include "math/vec3.h"
#include "shapes/append.h"
#include "shapes/box_box.h"
#include "shapes/extent.h"
#include "shapes/manifold.h"

namespace talus::inline TALUS_ISA {

/// [m] A lower bound of the distance between two shapes, negative where it says nothing. Exact for spheres, and for
/// planes against anything; boxes against boxes along their six face axes; else bounding balls.
TALUS_HD inline float separation_bound(ShapeType type_a, const PlacedShape& a, ShapeType type_b, const PlacedShape& b) {
  const bool swap = type_a > type_b;
  const ShapeType first_type = swap ? type_b : type_a, second_type = swap ? type_a : type_b;
  const PlacedShape first = swap ? b : a, second = swap ? a : b;
  const Vec3 d = second.position - first.position;
  if (second_type == ShapeType::plane) {
    if (first_type == ShapeType::plane) return kUnbounded;
    const Vec3 up = plane_normal(second);
    return -dot(d, up) - half_width(first_type, first.size, first.orientation, up);
  }
  if (first_type == ShapeType::box && second_type == ShapeType::box) {
    const BoxPair p = box_pair(first, second);
    const Vec3 s = max_of(face_separations_a(p), face_separations_b(p));
    return max_of(s.x, max_of(s.y, s.z));
  }
  if (first_type == ShapeType::box || second_type == ShapeType::box) {
    const bool box_first = first_type == ShapeType::box;
    const PlacedShape box = box_first ? first : second;
    const Vec3 centre = rotate_back(box.orientation, box_first ? d : -d);
    const float radius =
        box_first ? bounding_radius(second_type, second.size) : bounding_radius(first_type, first.size);
    return length(centre - clamp_each(centre, box.size)) - radius;
  }
  return length(d) - (bounding_radius(first_type, first.size) + bounding_radius(second_type, second.size));
}

/// True only if the shapes are further apart than `reach` [m]: collide() would find nothing. May be false for shapes
/// that are. Two planes are always further apart.
TALUS_HD inline bool further_apart_than(ShapeType type_a, const PlacedShape& a, ShapeType type_b, const PlacedShape& b,
                                        float reach) {
  const Vec3 way = abs_of(b.position - a.position);
  const float round_off = 2e-6f * (way.x + way.y + way.z + abs_of(reach));  // [m] of both tests
  return separation_bound(type_a, a, type_b, b) > reach + round_off;
}

}  // namespace talus::inline TALUS_ISA
