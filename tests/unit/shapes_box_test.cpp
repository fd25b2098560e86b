// SPDX-License-Identifier: MIT
// Boxes against boxes and planes: cases with exact numbers, feature ids, reduction. More random poses are in
// shapes_pairs_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "shapes/box_box.h"
#include "shapes/box_plane.h"
#include "support/shape_oracles.h"

namespace talus {
namespace {

using oracle::RandomShapes;

PlacedShape box(Vec3 half, Vec3 position = {0, 0, 0}, Quat orientation = kIdentity) {
  return {half, position, orientation};
}
Quat about(Vec3 axis, float degrees) {
  const double half = double(degrees) * 3.14159265358979 / 360;
  return {float(std::sin(half)) * axis.x, float(std::sin(half)) * axis.y, float(std::sin(half)) * axis.z,
          float(std::cos(half))};
}
void expect_near(Vec3 found, Vec3 expected, float tolerance = 2e-6f) {
  EXPECT_NEAR(found.x, expected.x, tolerance);
  EXPECT_NEAR(found.y, expected.y, tolerance);
  EXPECT_NEAR(found.z, expected.z, tolerance);
}
std::set<std::uint32_t> features(const Manifold& m) {
  std::set<std::uint32_t> result;
  for (int i = 0; i < m.count; ++i) result.insert(m.points[i].feature);
  return result;
}
/// Area of the convex hull of the points on A, seen along y.
double area_along_y(const Manifold& m) {
  std::vector<oracle::D3> p;
  for (int i = 0; i < m.count; ++i) p.push_back(oracle::wide(m.points[i].on_a));
  if (p.size() < 3) return 0;
  oracle::D3 middle{0, 0, 0};
  for (const auto& q : p) middle = middle + (1.0 / double(p.size())) * q;
  std::sort(p.begin(), p.end(), [&](const auto& q, const auto& r) {
    return std::atan2(q.z - middle.z, q.x - middle.x) < std::atan2(r.z - middle.z, r.x - middle.x);
  });
  double twice = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const auto& q = p[i];
    const auto& r = p[(i + 1) % p.size()];
    twice += q.x * r.z - q.z * r.x;
  }
  return 0.5 * twice;
}

// ---- faces ---------------------------------------------------------------------------------------------------------

TEST(BoxBox, StackedCubesTouchAtFourCorners) {  // S1-36
  const Manifold m = collide_box_box(box({0.5f, 0.5f, 0.5f}, {3, 0, 0}), box({0.5f, 0.5f, 0.5f}, {3, 0.99f, 0}), 0.0f);
  ASSERT_EQ(m.count, 4);
  expect_near(m.normal, {0, 1, 0});
  EXPECT_NEAR(area_along_y(m), 1.0, 1e-5);
  EXPECT_EQ(features(m).size(), 4u);
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(m.points[i].separation, -0.01f, 1e-6f);
    EXPECT_NEAR(abs_of(m.points[i].on_a.x), 0.5f, 1e-6f);
    EXPECT_EQ(m.points[i].on_a.y, 0.5f);
    EXPECT_NEAR(abs_of(m.points[i].on_a.z), 0.5f, 1e-6f);
    EXPECT_NEAR(m.points[i].on_b.y, -0.5f, 1e-6f);
  }
}

TEST(BoxBox, SmallBoxOnALargeOneInEitherOrder) {
  const PlacedShape ground = box({10, 1, 10}), small = box({0.1f, 0.2f, 0.3f}, {4, 1.205f, -3}, about({0, 1, 0}, 30));
  const Manifold m = collide_box_box(ground, small, 0.01f), w = collide_box_box(small, ground, 0.01f);
  ASSERT_EQ(m.count, 4);
  ASSERT_EQ(w.count, 4);
  expect_near(m.normal, {0, 1, 0});
  expect_near(w.normal, {0, -1, 0});
  EXPECT_NEAR(area_along_y(m), 0.24 * 0.5, 2e-4);
  EXPECT_NEAR(area_along_y(w), 0.24 * 0.5, 2e-4);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(m.points[i].separation, 0.005f, 2e-6f);
}

TEST(BoxBox, HalfOverlapAsInAWall) {
  const Manifold m = collide_box_box(box({0.5f, 0.25f, 0.5f}), box({0.5f, 0.25f, 0.5f}, {0.5f, 0.5f, 0}), 0.01f);
  ASSERT_EQ(m.count, 4);
  EXPECT_NEAR(area_along_y(m), 0.5, 1e-3);
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(m.points[i].separation, 0.0f, 1e-6f);
    EXPECT_GT(m.points[i].on_a.x, -1e-3f);
    EXPECT_LT(m.points[i].on_a.x, 0.5f + 1e-6f);
  }
}

TEST(BoxBox, OctagonIsReducedToFourPointsThatSpanIt) {
  const PlacedShape a = box({0.5f, 0.5f, 0.5f}), b = box({0.5f, 0.5f, 0.5f}, {0, 0.99f, 0}, about({0, 1, 0}, 45));
  const Manifold m = collide_box_box(a, b, 0.0f);
  ASSERT_EQ(m.count, 4);
  const double octagon = 2 * (std::sqrt(2.0) - 1);  // of width 1
  EXPECT_GT(area_along_y(m), 0.69 * octagon);       // a square of every other corner: 0.707
}

TEST(BoxBox, TiltedBoxTouchesWithItsLowerEdge) {
  const float angle = 10.0f, s = 0.17364818f, c = 0.98480775f;
  const float lowest = 0.5f * (s + c);
  const Manifold m =
      collide_box_box(box({5, 1, 5}), box({0.5f, 0.5f, 0.5f}, {0, 0.99f + lowest, 0}, about({0, 0, 1}, angle)), 0.02f);
  ASSERT_EQ(m.count, 2);
  expect_near(m.normal, {0, 1, 0});
  EXPECT_NEAR(m.points[0].separation, -0.01f, 1e-5f);
  EXPECT_NEAR(m.points[1].separation, -0.01f, 1e-5f);
  EXPECT_NEAR(abs_of(m.points[0].on_a.z - m.points[1].on_a.z), 1.0f, 1e-5f);
}

TEST(BoxBox, CornerIntoAFaceIsOnePoint) {
  const PlacedShape small = box({0.5f, 0.5f, 0.5f}, {0.25f, 1.0f + 0.8660254f - 0.02f, 0.1f},
                                normalized(about({1, 0, 0}, 35.26439f) * about({0, 0, 1}, 45)));
  const Manifold m = collide_box_box(box({5, 1, 5}), small, 0.0f);
  ASSERT_EQ(m.count, 1);
  expect_near(m.normal, {0, 1, 0});
  EXPECT_NEAR(m.points[0].separation, -0.02f, 1e-4f);
  expect_near(m.points[0].on_a, {0.25f, 1, 0.1f}, 2e-3f);
}

TEST(BoxBox, ConcentricBoxesLeaveAlongTheThinnestAxis) {
  const Manifold m = collide_box_box(box({1, 0.25f, 1}), box({1, 0.25f, 1}), 0.0f);
  ASSERT_EQ(m.count, 4);
  expect_near(m.normal, {0, 1, 0});
  EXPECT_NEAR(m.points[0].separation, -0.5f, 1e-6f);
}

// ---- edges ---------------------------------------------------------------------------------------------------------

/// Two bars turned by 45 degrees about their length, ridge on ridge, crossing at an angle.
TEST(BoxBox, CrossingEdgesTouchAtOnePoint) {  // S1-35
  for (const float size : {0.005f, 0.1f, 10.0f}) {
    for (const float angle : {90.0f, 40.0f, 15.0f}) {
      const float ridge = 1.41421356f * size, overlap = 0.02f * size;
      const PlacedShape a = box({4 * size, size, size}, {0, 0, 0}, about({1, 0, 0}, 45));
      const Quat turn = normalized(about({0, 1, 0}, angle) * about({1, 0, 0}, 45));
      const PlacedShape b = box({4 * size, size, size}, {0, 2 * ridge - overlap, 0.5f * size}, turn);
      const Manifold m = collide_box_box(a, b, 0.0f);
      ASSERT_EQ(m.count, 1) << size << " " << angle;
      expect_near(m.normal, {0, 1, 0}, 1e-5f);
      EXPECT_NEAR(m.points[0].separation / size, -0.02f, 1e-5f);
      EXPECT_NEAR(m.points[0].on_a.y / ridge, 1.0f, 1e-5f);
      EXPECT_NEAR(m.points[0].on_a.z / size, 0.0f, 1e-4f);
      EXPECT_NEAR(m.points[0].on_b.y / ridge, -1.0f, 1e-5f);
    }
  }
}

TEST(BoxBox, EdgesApartAreSeenWithinReach) {
  const float ridge = 1.41421356f;
  const PlacedShape a = box({4, 1, 1}, {0, 0, 0}, about({1, 0, 0}, 45));
  const PlacedShape b =
      box({4, 1, 1}, {0, 2 * ridge + 0.03f, 0}, normalized(about({0, 1, 0}, 90) * about({1, 0, 0}, 45)));
  EXPECT_EQ(collide_box_box(a, b, 0.029f).count, 0);
  const Manifold m = collide_box_box(a, b, 0.031f);
  ASSERT_EQ(m.count, 1);
  EXPECT_NEAR(m.points[0].separation, 0.03f, 1e-5f);
}

TEST(BoxBox, CornersApartAreSeenAlongTheWayBetweenThem) {
  // Neither faces the other: the nearest points are the corners, (0.03, 0.04, 0.12) apart: 0.13.
  const PlacedShape a = box({1, 1, 1}), b = box({0.5f, 0.5f, 0.5f}, {1.53f, 1.54f, 1.62f});
  EXPECT_EQ(collide_box_box(a, b, 0.125f).count, 0);
  const Manifold m = collide_box_box(a, b, 0.135f);
  ASSERT_EQ(m.count, 1);
  EXPECT_NEAR(m.points[0].separation, 0.13f, 1e-5f);
  expect_near(m.normal, {0.03f / 0.13f, 0.04f / 0.13f, 0.12f / 0.13f}, 1e-4f);
  expect_near(m.points[0].on_a, {1, 1, 1}, 1e-5f);
}

// ---- feature ids ---------------------------------------------------------------------------------------------------

TEST(BoxBox, AlignedStackKeepsItsFeaturesUnderPerturbation) {
  RandomShapes random(41);
  for (const float offset : {0.0f, 0.5f}) {
    const auto place = [&](float amount) {
      const PlacedShape a = box({0.5f, 0.5f, 0.5f}, random.vector(0.2f * amount), random.tilt(0.2f * amount));
      const PlacedShape b =
          box({0.5f, 0.5f, 0.5f}, Vec3{offset, 0.9995f, 0} + random.vector(0.2f * amount), random.tilt(0.2f * amount));
      return collide_box_box(a, b, 0.02f);
    };
    const Manifold still = place(0.0f);
    ASSERT_EQ(still.count, 4);
    for (int trial = 0; trial < 1000; ++trial) {
      const Manifold m = place(1e-4f);
      ASSERT_EQ(m.count, 4) << "trial " << trial;
      ASSERT_EQ(features(m), features(still)) << "trial " << trial;
    }
  }
}

TEST(BoxBox, TurnedStackKeepsItsFeaturesUnderPerturbation) {
  RandomShapes random(42);
  const auto place = [&](float angle, float amount) {
    const PlacedShape a = box({0.5f, 0.5f, 0.5f}, random.vector(amount), random.tilt(amount));
    const PlacedShape b = box({0.3f, 0.5f, 0.4f}, Vec3{0.31f, 0.9995f, 0.17f} + random.vector(amount),
                              normalized(random.tilt(amount) * about({0, 1, 0}, angle)));
    return collide_box_box(a, b, 0.02f);
  };
  for (const float angle : {5.0f, 17.0f, 33.0f, 70.0f}) {
    const Manifold still = place(angle, 0.0f);
    ASSERT_EQ(still.count, 4);
    int same = 0;
    for (int trial = 0; trial < 1000; ++trial) same += features(place(angle, 1e-4f)) == features(still);
    EXPECT_GT(same, 970) << angle;
  }
}

TEST(BoxBox, MostRandomContactsKeepTheirFeatures) {
  RandomShapes random(43);
  int kept = 0, all = 0;
  for (int trial = 0; trial < 5000; ++trial) {
    const PlacedShape a = random.shape(ShapeType::box), b = random.shape(ShapeType::box);
    PlacedShape moved = b;
    moved.position = b.position + random.vector(1e-4f);
    moved.orientation = normalized(random.tilt(1e-4f) * b.orientation);
    const Manifold m = collide_box_box(a, b, 0.02f), w = collide_box_box(a, moved, 0.02f);
    const auto after = features(w);
    for (const std::uint32_t feature : features(m)) {
      ++all;
      kept += after.count(feature) > 0;
    }
  }
  EXPECT_GT(all, 2000);
  EXPECT_GT(double(kept) / all, 0.98);
}

TEST(BoxBox, RestingCubeDoesNotFlipItsReference) {
  // Equal cubes: three face axes tie to round-off. The reference stays with the earlier one.
  RandomShapes random(44);
  for (int trial = 0; trial < 500; ++trial) {
    const PlacedShape b = box({0.5f, 0.5f, 0.5f}, Vec3{0.1f, 0.999f, 0.2f} + random.vector(2e-5f), random.tilt(2e-5f));
    const Manifold m = collide_box_box(box({0.5f, 0.5f, 0.5f}), b, 0.02f);
    ASSERT_EQ(m.count, 4);
    for (int i = 0; i < 4; ++i) ASSERT_EQ(m.points[i].feature & 15u, 3u) << "face +y of A";
  }
}

// ---- reduction -----------------------------------------------------------------------------------------------------

TEST(ReducePoints, KeepsTheDeepestAndMostOfTheArea) {
  RandomShapes random(45);
  for (int trial = 0; trial < 500; ++trial) {
    const PlacedShape a = box({1, 0.5f, 1});
    const PlacedShape b = box({random.uniform(0.4f, 1.2f), 0.5f, random.uniform(0.4f, 1.2f)},
                              {random.uniform(-0.5f, 0.5f), 0.98f, random.uniform(-0.5f, 0.5f)},
                              normalized(random.tilt(0.005f) * about({0, 1, 0}, random.uniform(0.0f, 90.0f))));
    const Manifold m = collide_box_box(a, b, 0.05f);
    // The overlap by sampling the upper face of A.
    double area = 0;
    const oracle::Solid solid = oracle::solid(ShapeType::box, b);
    for (int i = 0; i < 60; ++i)
      for (int k = 0; k < 60; ++k) {
        const oracle::D3 p{(2 * i + 1) / 60.0 - 1, 0.5, (2 * k + 1) / 60.0 - 1};
        area += oracle::signed_distance(solid, p) < 0 ? 4.0 / 3600 : 0;
      }
    ASSERT_GE(m.count, 3) << "trial " << trial;
    // A regular octagon keeps 71 % of its area in four corners; less is left where the deepest corner is a poor one.
    EXPECT_GT(area_along_y(m), 0.6 * area - 0.02) << "trial " << trial;
    EXPECT_LT(area_along_y(m), 1.02 * area + 0.03) << "trial " << trial;
    EXPECT_NEAR(double(oracle::deepest(m)), oracle::box_separation(oracle::solid(ShapeType::box, a), solid), 2.1e-4);
  }
}

// ---- box and plane -------------------------------------------------------------------------------------------------

TEST(BoxPlane, FlatBoxHasFourPointsNamedByTheirCorners) {  // S0-100
  const PlacedShape ground{{0, 1, 0}, {0, 0, 0}, kIdentity};
  const Manifold m = collide_box_plane(box({0.5f, 0.25f, 1}, {2, 0.24f, 3}), ground, 0.0f);
  ASSERT_EQ(m.count, 4);
  expect_near(m.normal, {0, -1, 0});
  EXPECT_EQ(features(m), (std::set<std::uint32_t>{0u, 1u, 4u, 5u}));
  EXPECT_NEAR(area_along_y(m), 2.0, 1e-5);
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(m.points[i].separation, -0.01f, 1e-6f);
    EXPECT_NEAR(m.points[i].on_b.y, 0.0f, 1e-6f);
  }
}

TEST(BoxPlane, EdgeAndCorner) {
  const PlacedShape ground{{0, 1, 0}, {0, 0, 0}, kIdentity};
  const Manifold edge = collide_box_plane(box({0.5f, 0.5f, 0.5f}, {0, 0.7f, 0}, about({0, 0, 1}, 45)), ground, 0.02f);
  ASSERT_EQ(edge.count, 2);
  EXPECT_NEAR(edge.points[0].separation, 0.7f - 0.70710678f, 1e-6f);
  EXPECT_NEAR(edge.points[1].separation, 0.7f - 0.70710678f, 1e-6f);
  const Quat on_corner = normalized(about({1, 0, 0}, 35.26439f) * about({0, 0, 1}, 45));
  const Manifold corner = collide_box_plane(box({0.5f, 0.5f, 0.5f}, {0, 0.85f, 0}, on_corner), ground, 0.02f);
  ASSERT_EQ(corner.count, 1);
  EXPECT_NEAR(corner.points[0].separation, 0.85f - 0.8660254f, 1e-5f);
}

}  // namespace
}  // namespace talus
