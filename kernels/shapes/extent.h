// SPDX-License-Identifier: MIT
// How far shapes reach.
#pragma once
#include <talus/defs.h>

#include "math/vec3.h"

namespace talus::inline TALUS_ISA {

constexpr float kUnbounded = 1e30f;  // [m] extent of a half space

/// [m] Half the edges of the smallest box along the world axes around a shape. Zero for planes, which fit in none.
TALUS_HD inline Vec3 aabb_half_extent(ShapeType type, Vec3 size, Quat orientation) {
  const Mat3 axes = matrix_of(orientation);
  const Mat3 reach{abs_of(axes.row0), abs_of(axes.row1), abs_of(axes.row2)};
  const Vec3 radius{size.x, size.x, size.x};
  switch (type) {
    case ShapeType::sphere:
      return radius;
    case ShapeType::box:
      return reach * size;
    case ShapeType::capsule:
      return size.y * column_of(reach, 1) + radius;
    default:
      return {0.0f, 0.0f, 0.0f};
  }
}

/// [m] Half the width of a shape along a unit direction of the world. Zero for planes.
TALUS_HD inline float half_width(ShapeType type, Vec3 size, Quat orientation, Vec3 direction) {
  const Vec3 along = abs_of(rotate_back(orientation, direction));
  switch (type) {
    case ShapeType::sphere:
      return size.x;
    case ShapeType::box:
      return dot(along, size);
    case ShapeType::capsule:
      return size.y * along.y + size.x;
    default:
      return 0.0f;
  }
}

/// [m] Radius of the smallest ball around the centre; kUnbounded for planes.
TALUS_HD inline float bounding_radius(ShapeType type, Vec3 size) {
  switch (type) {
    case ShapeType::sphere:
      return size.x;
    case ShapeType::box:
      return length(size);
    case ShapeType::capsule:
      return size.x + size.y;
    default:
      return kUnbounded;
  }
}

/// [m] Radius of the largest ball inside; kUnbounded for planes.
TALUS_HD inline float min_half_thickness(ShapeType type, Vec3 size) {
  switch (type) {
    case ShapeType::sphere:
      return size.x;
    case ShapeType::box:
      return min_of(size.x, min_of(size.y, size.z));
    case ShapeType::capsule:
      return size.x;
    default:
      return kUnbounded;
  }
}

}  // namespace talus::inline TALUS_ISA
