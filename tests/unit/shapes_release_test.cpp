// SPDX-License-Identifier: MIT
// Pairs that are released do not touch, and pairs that keep apart are released.
#include "shapes/release.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/shape_oracles.h"

namespace talus {
namespace {

using oracle::RandomShapes;

/// Two shapes that fly past each other or into each other, turning and falling.
struct Flight {
  ShapeType type_a, type_b;
  PlacedShape a, b;
  PairFlight motion;
};
Flight random_flight(RandomShapes& shapes) {
  const auto type = [&] { return ShapeType(std::uniform_int_distribution<int>(0, 2)(shapes.random)); };
  Flight f;
  f.type_a = type();
  f.type_b = type();
  f.a = shapes.shape(f.type_a, 0.0f);
  f.b = shapes.shape(f.type_b, 4.0f);
  PairFlight& m = f.motion;
  m.a = traveller_of(f.type_a, f.a, shapes.vector(shapes.uniform(0.0f, 30.0f)));
  m.b = traveller_of(f.type_b, f.b, shapes.vector(shapes.uniform(0.0f, 30.0f)));
  m.between = f.b.position;
  m.dt = 1.0f / 60;
  m.early = m.dt / 4;
  const Vec3 towards = shapes.vector(1.5f) - f.b.position;
  m.velocity = (shapes.uniform(0.0f, 8.0f) / m.dt / std::max(length(towards), 0.1f)) * towards;
  m.acceleration = shapes.vector(shapes.uniform(0.0f, 100.0f));
  return f;
}
/// [m] The least distance on the way, at many times.
double least_distance(const Flight& f, int times) {
  double least = 1e30;
  for (int i = 0; i <= times; ++i) {
    const float t = f.motion.dt * float(i) / float(times);
    const auto at = [&](PlacedShape shape, Vec3 spin, Vec3 moved) {
      shape.orientation = turn_after(spin, t) * shape.orientation;
      shape.position = shape.position + moved;
      return shape;
    };
    const Vec3 way = t * (f.motion.velocity + (0.5f * (t + f.motion.early)) * f.motion.acceleration);
    const PlacedShape a = at(f.a, f.motion.a.spin, {0.0f, 0.0f, 0.0f}), b = at(f.b, f.motion.b.spin, way);
    least = std::min(least, oracle::separation(oracle::solid(f.type_a, a), oracle::solid(f.type_b, b)));
  }
  return least;
}

TEST(Release, WhatTouchesIsNeverReleased) {
  RandomShapes shapes(1);
  int released = 0;
  for (int i = 0; i < 150; ++i) {
    const Flight f = random_flight(shapes);
    if (!stays_apart(f.motion, 1e-3f)) continue;
    ++released;
    EXPECT_GT(least_distance(f, 30), 0.0) << "flight " << i;
  }
  EXPECT_GT(released, 40);
}

TEST(Release, WhatKeepsApartIsReleased) {
  RandomShapes shapes(2);
  int apart = 0, kept = 0;
  for (int i = 0; i < 150; ++i) {
    const Flight f = random_flight(shapes);
    if (stays_apart(f.motion, 1e-3f)) continue;
    // Axes of boxes may part by less than the distance: 2 cm to be sure.
    ++kept;
    if (least_distance(f, 60) > 0.02) ++apart;
  }
  EXPECT_GT(kept, 40);
  EXPECT_EQ(apart, 0) << "of " << kept;
}

TEST(Release, TurnAfterIsExact) {
  for (const float angle : {0.01f, 0.5f, 1.5f, 3.0f, 10.0f}) {
    const Quat turn = turn_after({0.0f, angle, 0.0f}, 1.0f);
    EXPECT_NEAR(turn.y, std::sin(0.5f * angle), 4e-6f);
    EXPECT_NEAR(turn.w, std::cos(0.5f * angle), 4e-6f);
  }
}

}  // namespace
}  // namespace talus
