// SPDX-License-Identifier: MIT
// What scene-level tests share beyond support/: solver settings, numbers in double precision, seeded randomness.
#pragma once
#include <gtest/gtest.h>
#include <talus/talus.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>

#include "scenes/metrics.h"
#include "scenes/scene.h"
#include "support/backends.h"

namespace talus::test {

using scenes::cross;
using scenes::dot;
using scenes::length;
using scenes::Vecd;

constexpr float kStep = 1.0f / 60.0f;           // [s]
constexpr double kGravity = 9.81;               // [m/s^2]
constexpr double kPi = 3.14159265358979323846;  // [rad]
constexpr double kDegree = kPi / 180;           // [rad]

inline Vecd vec(Vec3 v) {
  return scenes::vec<double>(v);
}

/// A test that takes a backend, with solver settings of its own.
class BackendTest : public test::OnBackend {
 protected:
  static WorldDef def(const SolverSettings& solver = {}) {
    WorldDef d = OnBackend::def();
    d.solver = solver;
    return d;
  }
  static WorldDef weightless(const SolverSettings& solver = {}) {
    WorldDef d = OnBackend::weightless();
    d.solver = solver;
    return d;
  }
};

/// For scenes that would take an emulated device hours.
#define TALUS_INSTANTIATE_ON_CPU(Suite) \
  INSTANTIATE_TEST_SUITE_P(, Suite, ::testing::Values(::talus::Backend::cpu), ::talus::test::backend_of)

/// Numbers of a seed, the same with every standard library.
class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  float between(float low, float high) { return low + (high - low) * (float(engine_() >> 8) * 0x1p-24f); }
  int below(int count) { return int(engine_() % std::uint32_t(count)); }
  Vec3 in_box(float half) {
    const float x = between(-half, half), y = between(-half, half), z = between(-half, half);
    return {x, y, z};
  }
  Vec3 direction() {
    for (;;) {
      const Vec3 v = in_box(1.0f);
      const double l = length(vec(v));
      if (l > 0.1 && l <= 1.0) return scenes::to_vec3((1 / l) * vec(v));
    }
  }
  Quat rotation() {
    const Vec3 axis = direction();
    const float half = between(0.0f, 3.1415f), s = std::sin(half);
    return {s * axis.x, s * axis.y, s * axis.z, std::cos(half)};
  }
  /// Sphere, box or capsule that fits into a ball of the radius and fills at least half of its diameter.
  ShapeDef shape(float radius) {
    const float a = radius * between(0.3f, 0.57f), b = radius * between(0.3f, 0.57f), c = radius * between(0.3f, 0.57f);
    switch (below(3)) {
      case 0:
        return sphere(radius);
      case 1:
        return box({a, b, c});
      default:
        return capsule(a, radius - a);
    }
  }

 private:
  std::mt19937 engine_;
};

/// Turn by an angle [rad] about a unit axis.
inline Quat turn(Vec3 axis, double angle) {
  const double s = std::sin(angle / 2);
  const Vecd v = s * vec(axis);
  return {float(v.x), float(v.y), float(v.z), float(std::cos(angle / 2))};
}
/// Where the body's y axis points.
inline Vecd up_axis(const Transform& pose) {
  return scenes::rotate(scenes::rotation<double>(pose.orientation), Vecd{0, 1, 0});
}

/// Semi-implicit Euler with a constant acceleration and N = steps x substeps: what is covered from rest is a h^2 N
/// (N+1)/2.
inline double distance_of_scheme(double acceleration, int steps, int substeps, double dt = 1.0 / 60.0) {
  const double h = dt / substeps, n = double(steps) * substeps;
  return acceleration * h * h * n * (n + 1) / 2;
}

}  // namespace talus::test
