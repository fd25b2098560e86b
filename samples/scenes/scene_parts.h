// SPDX-License-Identifier: MIT
// What scenes are put together from.
#pragma once
#include <cmath>
#include <numbers>

#include "scene.h"

namespace talus::scenes {

constexpr double kPi = std::numbers::pi;

inline BodyDef body_at(ShapeDef shape, Vecd position) {
  BodyDef def;
  def.shape = shape;
  def.position = to_vec3(position);
  return def;
}
inline BodyDef static_box(Vecd centre, Vecd half_extents) {
  BodyDef def = body_at(box(to_vec3(half_extents)), centre);
  def.motion = Motion::fixed;
  return def;
}
inline Quat turn_about(Vecd unit_axis, double angle) {
  const double s = std::sin(angle / 2);
  return {float(s * unit_axis.x), float(s * unit_axis.y), float(s * unit_axis.z), float(std::cos(angle / 2))};
}

// A floor of 200 m x 200 m with its top at y = 0.
inline void add_ground(Scene& scene) {
  scene.statics.push_back(static_box({0, -1, 0}, {100, 1, 100}));
  scene.boundaries.push_back({{0, 1, 0}, 0});
}
// An unlimited floor at y = 0.
inline void add_ground_plane(Scene& scene) {
  scene.statics.push_back(body_at(plane({0.0f, 1.0f, 0.0f}), {0, 0, 0}));
  scene.boundaries.push_back({{0, 1, 0}, 0});
}

// Uniform over all rotations, by rejection.
inline Quat random_rotation(Jitter& jitter) {
  double x = 0, y = 0, z = 0, w = 0, r2 = 0;
  do {
    x = jitter.next();
    y = jitter.next();
    z = jitter.next();
    w = jitter.next();
    r2 = x * x + y * y + z * z + w * w;
  } while (r2 > 1 || r2 < 0.01);
  const double k = 1 / std::sqrt(r2);
  return {float(x * k), float(y * k), float(z * k), float(w * k)};
}
inline Vecd random_vec(Jitter& jitter, double size) {
  const double x = jitter.next(), y = jitter.next(), z = jitter.next();
  return size * Vecd{x, y, z};
}

}  // namespace talus::scenes
