// SPDX-License-Identifier: MIT
// Volume and inertia of homogeneous shapes.
#pragma once
#include <talus/defs.h>

#include "math/vec3.h"

namespace talus::inline TALUS_ISA {

/// [m^3] Zero for planes.
TALUS_HD inline float shape_volume(ShapeType type, Vec3 size) {
  const float ball = 4.0f / 3.0f * kPi * size.x * size.x * size.x;
  switch (type) {
    case ShapeType::sphere:
      return ball;
    case ShapeType::box:
      return 8.0f * size.x * size.y * size.z;
    case ShapeType::capsule:
      return ball + 2.0f * kPi * size.x * size.x * size.y;
    default:
      return 0.0f;
  }
}

/// [kg m^2] Principal moments about the body's axes through its centre. Zero for planes.
TALUS_HD inline Vec3 shape_inertia(ShapeType type, Vec3 size, float mass) {
  const float radius_squared = size.x * size.x;
  switch (type) {
    case ShapeType::sphere: {
      const float moment = 0.4f * mass * radius_squared;
      return {moment, moment, moment};
    }
    case ShapeType::box: {
      const Vec3 square = scale(size, size);
      return (mass / 3.0f) * Vec3{square.y + square.z, square.x + square.z, square.x + square.y};
    }
    case ShapeType::capsule: {
      // A cylinder of half length l and two half balls with their flat sides at distance l from the centre:
      // the centre of mass of a half ball is 3/8 r beyond its flat side.
      const float l = size.y, share = 2.0f * l / (2.0f * l + 4.0f / 3.0f * size.x);
      const float cylinder = mass * share, ball = mass - cylinder;
      const float along = cylinder * 0.5f * radius_squared + ball * 0.4f * radius_squared;
      const float across = cylinder * (0.25f * radius_squared + l * l / 3.0f) +
                           ball * (0.4f * radius_squared + l * l + 0.75f * l * size.x);
      return {across, along, across};
    }
    default:
      return {0.0f, 0.0f, 0.0f};
  }
}

}  // namespace talus::inline TALUS_ISA
