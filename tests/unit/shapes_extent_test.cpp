// SPDX-License-Identifier: MIT
// Extent, volume and inertia of shapes, and the cheap distance test.
#include <gtest/gtest.h>

#include "shapes/distance.h"
#include "shapes/extent.h"
#include "shapes/mass.h"
#include "support/shape_oracles.h"

namespace talus {
namespace {

using oracle::RandomShapes;

TEST(ShapeExtent, AabbIsTight) {
  RandomShapes random(21);
  for (const ShapeType type : {ShapeType::sphere, ShapeType::box, ShapeType::capsule})
    for (int trial = 0; trial < 500; ++trial) {
      const PlacedShape s = random.shape(type);
      const oracle::Solid solid = oracle::solid(type, s);
      const Vec3 half = aabb_half_extent(type, s.size, s.orientation);
      const oracle::D3 directions[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
      for (int axis = 0; axis < 3; ++axis) {
        const oracle::D3 n = directions[axis];
        EXPECT_NEAR(double(component(half, axis)), oracle::support(solid, n) - dot(n, solid.centre), 1e-6);
      }
    }
}

TEST(ShapeExtent, AabbOfKnownShapes) {
  const Quat eighth_about_z{0, 0, 0.38268343f, 0.92387953f};
  const Vec3 box = aabb_half_extent(ShapeType::box, {1, 1, 2}, eighth_about_z);
  EXPECT_NEAR(box.x, 1.41421356f, 1e-6f);
  EXPECT_NEAR(box.y, 1.41421356f, 1e-6f);
  EXPECT_EQ(box.z, 2.0f);
  const Vec3 capsule = aabb_half_extent(ShapeType::capsule, {0.5f, 2, 0}, kIdentity);
  EXPECT_EQ(capsule.x, 0.5f);
  EXPECT_EQ(capsule.y, 2.5f);
  const Vec3 plane = aabb_half_extent(ShapeType::plane, {0, 1, 0}, kIdentity);
  EXPECT_EQ(plane.x + plane.y + plane.z, 0.0f);
}

TEST(ShapeExtent, RadiiBoundFromOutsideAndInside) {
  EXPECT_EQ(bounding_radius(ShapeType::sphere, {0.5f, 0, 0}), 0.5f);
  EXPECT_EQ(bounding_radius(ShapeType::box, {2, 3, 6}), 7.0f);
  EXPECT_EQ(bounding_radius(ShapeType::capsule, {0.5f, 2, 0}), 2.5f);
  EXPECT_EQ(min_half_thickness(ShapeType::sphere, {0.5f, 0, 0}), 0.5f);
  EXPECT_EQ(min_half_thickness(ShapeType::box, {2, 3, 0.25f}), 0.25f);
  EXPECT_EQ(min_half_thickness(ShapeType::capsule, {0.5f, 2, 0}), 0.5f);
  EXPECT_EQ(min_half_thickness(ShapeType::plane, {0, 1, 0}), 1e30f);
  EXPECT_EQ(bounding_radius(ShapeType::plane, {0, 1, 0}), 1e30f);
}

TEST(ShapeExtent, HalfWidthIsTheSupport) {
  RandomShapes random(22);
  for (const ShapeType type : {ShapeType::sphere, ShapeType::box, ShapeType::capsule})
    for (int trial = 0; trial < 500; ++trial) {
      const PlacedShape s = random.shape(type);
      const Vec3 n = random.unit_vector();
      const oracle::Solid solid = oracle::solid(type, s);
      const double expected = oracle::support(solid, oracle::wide(n)) - dot(oracle::wide(n), solid.centre);
      EXPECT_NEAR(double(half_width(type, s.size, s.orientation, n)), expected, 2e-6);
    }
}

TEST(ShapeMass, KnownValues) {
  EXPECT_NEAR(shape_volume(ShapeType::sphere, {1, 0, 0}), 4.1887902f, 1e-6f);
  EXPECT_EQ(shape_volume(ShapeType::box, {0.5f, 1, 2}), 8.0f);
  EXPECT_NEAR(shape_volume(ShapeType::capsule, {1, 1, 0}), 4.1887902f + 6.2831853f, 2e-6f);
  EXPECT_EQ(shape_volume(ShapeType::plane, {0, 1, 0}), 0.0f);
  const Vec3 ball = shape_inertia(ShapeType::sphere, {0.5f, 0, 0}, 10.0f);
  EXPECT_NEAR(ball.x, 1.0f, 1e-6f);
  EXPECT_EQ(ball.x, ball.z);
  const Vec3 cube = shape_inertia(ShapeType::box, {0.5f, 0.5f, 0.5f}, 6.0f);
  EXPECT_NEAR(cube.y, 1.0f, 1e-6f);  // m a^2 / 6
  const Vec3 dot_capsule = shape_inertia(ShapeType::capsule, {0.5f, 0, 0}, 10.0f);
  EXPECT_NEAR(dot_capsule.x, 1.0f, 1e-6f);  // a ball
  EXPECT_NEAR(dot_capsule.y, 1.0f, 1e-6f);
}

/// Volume and moments by summing small cubes.
TEST(ShapeMass, AgreesWithASumOverCells) {
  RandomShapes random(23);
  for (const ShapeType type : {ShapeType::sphere, ShapeType::box, ShapeType::capsule})
    for (int trial = 0; trial < 3; ++trial) {
      PlacedShape s = random.shape(type, 0.0f);
      s.orientation = kIdentity;
      const oracle::Solid solid = oracle::solid(type, s);
      const Vec3 half = aabb_half_extent(type, s.size, kIdentity);
      constexpr int kCells = 80;
      double count = 0, xx = 0, yy = 0, zz = 0;
      for (int i = 0; i < kCells; ++i)
        for (int j = 0; j < kCells; ++j)
          for (int k = 0; k < kCells; ++k) {
            const double x = double(half.x) * ((2 * i + 1.0) / kCells - 1);
            const double y = double(half.y) * ((2 * j + 1.0) / kCells - 1);
            const double z = double(half.z) * ((2 * k + 1.0) / kCells - 1);
            if (oracle::signed_distance(solid, {x, y, z}) > 0) continue;
            count += 1;
            xx += x * x;
            yy += y * y;
            zz += z * z;
          }
      const double cell = 8.0 * double(half.x) * double(half.y) * double(half.z) / (kCells * kCells * kCells);
      EXPECT_NEAR(double(shape_volume(type, s.size)) / (count * cell), 1.0, 3e-3);
      const Vec3 inertia = shape_inertia(type, s.size, 1.0f);
      EXPECT_NEAR(double(inertia.x) / ((yy + zz) / count), 1.0, 3e-3);
      EXPECT_NEAR(double(inertia.y) / ((xx + zz) / count), 1.0, 3e-3);
      EXPECT_NEAR(double(inertia.z) / ((xx + yy) / count), 1.0, 3e-3);
    }
}

TEST(FurtherApart, ExactForSpheresAndPlanes) {
  const PlacedShape a{{1, 0, 0}, {0, 0, 0}, kIdentity}, b{{0.5f, 0, 0}, {0, 2, 0}, kIdentity};
  EXPECT_TRUE(further_apart_than(ShapeType::sphere, a, ShapeType::sphere, b, 0.4999f));
  EXPECT_FALSE(further_apart_than(ShapeType::sphere, a, ShapeType::sphere, b, 0.5f));
  const PlacedShape ground{{0, 1, 0}, {0, -3, 0}, kIdentity};
  const PlacedShape box{{4, 0.5f, 4}, {0, 0, 0}, kIdentity};
  EXPECT_TRUE(further_apart_than(ShapeType::box, box, ShapeType::plane, ground, 2.4999f));
  EXPECT_FALSE(further_apart_than(ShapeType::plane, ground, ShapeType::box, box, 2.5f));
}

TEST(FurtherApart, SeesTheGapBetweenBoxesAndBesideThem) {
  const PlacedShape a{{4, 0.5f, 4}, {0, 0, 0}, kIdentity}, b{{4, 0.5f, 4}, {0, 1.25f, 0}, kIdentity};
  EXPECT_TRUE(further_apart_than(ShapeType::box, a, ShapeType::box, b, 0.2f));
  EXPECT_FALSE(further_apart_than(ShapeType::box, a, ShapeType::box, b, 0.26f));
  const PlacedShape ball{{0.5f, 0, 0}, {3, 1.25f, 3}, kIdentity};
  EXPECT_TRUE(further_apart_than(ShapeType::sphere, ball, ShapeType::box, a, 0.2f));
  EXPECT_FALSE(further_apart_than(ShapeType::sphere, ball, ShapeType::box, a, 0.26f));
}

}  // namespace
}  // namespace talus
