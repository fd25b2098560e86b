// SPDX-License-Identifier: MIT
// Shapes on their ways are stopped before they get deep into each other, and only then.
#include "shapes/advance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/shape_oracles.h"

namespace talus {
namespace {

using oracle::RandomShapes;

/// Two shapes that fly past each other or into each other, turning by up to a whole turn.
struct Flight {
  ShapeType type_a, type_b;
  PlacedShape a, b;
  Vec3 shift_a, shift_b;  // [m]
  Turn turn_a, turn_b;
  float thin;  // [m]
};
Flight random_flight(RandomShapes& shapes) {
  const auto type = [&](int last) { return ShapeType(std::uniform_int_distribution<int>(0, last)(shapes.random)); };
  const auto turn = [&] { return Turn{shapes.unit_vector(), std::max(shapes.uniform(-3.0f, 2.0f * kPi), 0.0f)}; };
  Flight f;
  f.type_a = type(2);
  f.type_b = type(3);
  f.a = shapes.shape(f.type_a, 0.0f);
  f.b = shapes.shape(f.type_b, 4.0f);
  const Vec3 towards = f.b.position - f.a.position + shapes.vector(1.5f);
  f.shift_a = shapes.uniform(0.0f, 3.0f) * towards;
  f.shift_b = shapes.vector(1.0f);
  f.turn_a = turn();
  f.turn_b = turn();
  if (f.type_b == ShapeType::plane) f.turn_b.angle = 0.0f;
  f.thin = 2.0f * std::min(min_half_thickness(f.type_a, f.a.size), min_half_thickness(f.type_b, f.b.size));
  return f;
}
/// A turn in double precision.
Quat turned_by(const Turn& turn, double part) {
  const double half = 0.5 * part * double(turn.angle), sine = std::sin(half);
  return {float(sine * double(turn.axis.x)), float(sine * double(turn.axis.y)), float(sine * double(turn.axis.z)),
          float(std::cos(half))};
}
/// [m] At a part of the way.
double separation_at(const Flight& f, double part) {
  PlacedShape a = f.a, b = f.b;
  a.position = a.position + float(part) * f.shift_a;
  b.position = b.position + float(part) * f.shift_b;
  a.orientation = a.orientation * turned_by(f.turn_a, part);
  b.orientation = b.orientation * turned_by(f.turn_b, part);
  return oracle::separation(oracle::solid(f.type_a, a), oracle::solid(f.type_b, b));
}
/// [m] The least one from the start to a part of the way.
double least_separation(const Flight& f, double part, int times) {
  double least = 1e30;
  for (int i = 0; i <= times; ++i) least = std::min(least, separation_at(f, part * i / times));
  return least;
}
float stop_of(const Flight& f) {
  const ShapePath a = shape_path(f.type_a, f.a.size, f.a.orientation, f.shift_a, {f.turn_a, kNoTurn});
  const ShapePath b = shape_path(f.type_b, f.b.size, f.b.orientation, f.shift_b, {f.turn_b, kNoTurn});
  return first_stop(a, b, f.b.position - f.a.position, f.thin, f.thin, true);
}

TEST(Advance, WhatIsStoppedIsApartAndWouldHaveTouched) {
  RandomShapes shapes(1);
  int stopped = 0;
  for (int i = 0; i < 100; ++i) {
    const Flight f = random_flight(shapes);
    if (!(separation_at(f, 0.0) > 0.05 * double(f.thin))) continue;
    const float stop = stop_of(f);
    if (!(stop < 1.0f)) continue;
    ++stopped;
    EXPECT_GT(least_separation(f, double(stop), 40), -double(kMostDepth * f.thin)) << "flight " << i;
    EXPECT_GT(separation_at(f, double(stop)), 0.5 * double(kStopGap * f.thin)) << "flight " << i;
    EXPECT_LT(least_separation(f, 1.0, 200), 0.0) << "flight " << i;
  }
  EXPECT_GT(stopped, 20);
}

TEST(Advance, WhatIsNotStoppedDoesNotGetDeep) {
  RandomShapes shapes(2);
  int passed = 0;
  for (int i = 0; i < 100; ++i) {
    const Flight f = random_flight(shapes);
    if (!(separation_at(f, 0.0) > 0.05 * double(f.thin)) || stop_of(f) < 1.0f) continue;
    ++passed;
    EXPECT_GT(least_separation(f, 1.0, 100), -1.01 * double(kMostDepth * f.thin)) << "flight " << i;
  }
  EXPECT_GT(passed, 20);
}

TEST(Advance, WhatIsDeepAlreadyGetsNoDeeper) {
  RandomShapes shapes(3);
  int stopped = 0;
  for (int i = 0; i < 400; ++i) {
    const Flight f = random_flight(shapes);
    const double start = separation_at(f, 0.0), stop = double(stop_of(f));
    if (!(start < -0.2 * double(f.thin)) || !(stop < 1.0)) continue;
    ++stopped;
    EXPECT_GT(separation_at(f, stop), start - 0.01 * double(f.thin)) << "flight " << i;
  }
  EXPECT_GT(stopped, 10);
}

TEST(Advance, TurnsGoTheWayThatTheSpinSays) {
  const Vec3 axis{0.0f, 0.6f, 0.8f};
  for (const float angle : {0.1f, 1.0f, 3.0f, 4.0f, 6.0f}) {
    const Turn turn = turn_of(turned_by({axis, angle}, 1.0), angle * axis);
    EXPECT_NEAR(turn.angle, angle, 2e-6f);
    EXPECT_NEAR(dot(turn.axis, axis), 1.0f, 1e-6f) << angle;
    const Quat half = part_of(turn, 0.5f), wanted = turned_by({axis, angle}, 0.5);
    EXPECT_NEAR(half.x * wanted.x + half.y * wanted.y + half.z * wanted.z + half.w * wanted.w, 1.0f, 1e-5f) << angle;
  }
  // A body that hardly spins went the shorter way.
  const Turn back = turn_of(turned_by({axis, 0.1f}, 1.0), -0.5f * axis);
  EXPECT_NEAR(back.angle, 0.1f, 1e-6f);
}

}  // namespace
}  // namespace talus
