// SPDX-License-Identifier: MIT
// Spheres against everything: cases with exact numbers. Random poses are in shapes_pairs_test.cpp.
#include <gtest/gtest.h>

#include "shapes/sphere.h"
#include "shapes/sphere_box.h"

namespace talus {
namespace {

PlacedShape ball(float radius, Vec3 position) {
  return {{radius, 0, 0}, position, kIdentity};
}
PlacedShape cube(float half, Vec3 position = {0, 0, 0}, Quat orientation = kIdentity) {
  return {{half, half, half}, position, orientation};
}
const Quat kQuarterAboutZ{0, 0, 0.70710678f, 0.70710678f};  // x becomes y

void expect_near(Vec3 found, Vec3 expected, float tolerance = 1e-6f) {
  EXPECT_NEAR(found.x, expected.x, tolerance);
  EXPECT_NEAR(found.y, expected.y, tolerance);
  EXPECT_NEAR(found.z, expected.z, tolerance);
}
void expect_one_point(const Manifold& m, Vec3 normal, float separation, Vec3 on_a, Vec3 on_b) {
  ASSERT_EQ(m.count, 1);
  expect_near(m.normal, normal);
  EXPECT_NEAR(m.points[0].separation, separation, 1e-6f);
  expect_near(m.points[0].on_a, on_a);
  expect_near(m.points[0].on_b, on_b);
}

// ---- sphere and sphere ---------------------------------------------------------------------------------------------

TEST(SphereSphere, OverlapAlongX) {  // S1-32
  const Manifold m = collide_sphere_sphere(ball(1, {0, 0, 0}), ball(1, {1.5f, 0, 0}), 0.0f);
  expect_one_point(m, {1, 0, 0}, -0.5f, {1, 0, 0}, {-1, 0, 0});
}

TEST(SphereSphere, ConcentricSpheresPartAlongY) {
  const Manifold m = collide_sphere_sphere(ball(1, {3, 2, 1}), ball(0.5f, {3, 2, 1}), 0.0f);
  expect_one_point(m, {0, 1, 0}, -1.5f, {0, 1, 0}, {0, -0.5f, 0});
}

TEST(SphereSphere, ReachDecides) {
  const PlacedShape a = ball(1, {0, 0, 0}), b = ball(1, {0, 2.25f, 0});
  EXPECT_EQ(collide_sphere_sphere(a, b, 0.2499f).count, 0);
  expect_one_point(collide_sphere_sphere(a, b, 0.25f), {0, 1, 0}, 0.25f, {0, 1, 0}, {0, -1, 0});
}

TEST(SphereSphere, FarFromTheOriginOnlyTheDifferenceCounts) {
  const Manifold m = collide_sphere_sphere(ball(1, {4096, 0, -4096}), ball(1, {4097.5f, 0, -4096}), 0.0f);
  expect_one_point(m, {1, 0, 0}, -0.5f, {1, 0, 0}, {-1, 0, 0});
}

// ---- sphere and box ------------------------------------------------------------------------------------------------

TEST(SphereBox, ShallowOnAFace) {  // S1-33 with E13: from sphere to box
  const Manifold m = collide_sphere_box(ball(0.5f, {1.4f, 0, 0}), cube(1), 0.0f);
  expect_one_point(m, {-1, 0, 0}, -0.1f, {-0.5f, 0, 0}, {1, 0, 0});
}

TEST(SphereBox, OnAnEdgeAndOnACorner) {
  expect_one_point(collide_sphere_box(ball(1, {1.3f, 1.4f, 0.2f}), cube(1), 0.0f), {-0.6f, -0.8f, 0}, -0.5f,
                   {-0.6f, -0.8f, 0}, {1, 1, 0.2f});
  const float third = 0.57735027f;
  expect_one_point(collide_sphere_box(ball(0.5f, {-1.1f, 1.1f, -1.1f}), cube(1), 0.0f), {third, -third, third},
                   0.1f / third - 0.5f, {0.5f * third, -0.5f * third, 0.5f * third}, {-1, 1, -1});
}

TEST(SphereBox, CentreInsideLeavesThroughTheNearestFaceOnEitherSide) {  // E14, E15
  const Manifold m = collide_sphere_box(ball(0.5f, {-0.8f, 0.1f, 0.2f}), cube(1), 0.0f);
  expect_one_point(m, {1, 0, 0}, -0.7f, {0.5f, 0, 0}, {-1, 0.1f, 0.2f});
}

TEST(SphereBox, TiesFallToTheLowestAxis) {
  expect_one_point(collide_sphere_box(ball(0.5f, {0, 0, 0}), cube(1), 0.0f), {-1, 0, 0}, -1.5f, {-0.5f, 0, 0},
                   {1, 0, 0});
  const Manifold m = collide_sphere_box(ball(0.5f, {0, -0.5f, 0.5f}), cube(1), 0.0f);
  expect_one_point(m, {0, 1, 0}, -1.0f, {0, 0.5f, 0}, {0, -1, 0.5f});
}

TEST(SphereBox, SeparationIsContinuousWhereTheCentrePassesTheSurface) {
  float last = -2.0f;
  for (int i = -200; i <= 200; ++i) {
    const float x = 1.0f + 1e-5f * float(i);
    const Manifold m = collide_sphere_box(ball(0.5f, {x, 0.3f, 0}), cube(1), 0.0f);
    ASSERT_EQ(m.count, 1);
    ASSERT_NEAR(m.points[0].separation, x - 1.5f, 1e-6f);
    ASSERT_GT(m.points[0].separation, last);
    ASSERT_LT(dot(m.normal, Vec3{1, 0, 0}), -0.9999f);
    last = m.points[0].separation;
  }
}

TEST(SphereBox, TurnedBox) {
  PlacedShape box = cube(1, {5, 0, 0}, kQuarterAboutZ);
  box.size = {2, 1, 1};  // now 2 along y
  expect_one_point(collide_sphere_box(ball(0.5f, {5, 2.25f, 0}), box, 0.0f), {0, -1, 0}, -0.25f, {0, -0.5f, 0},
                   {0, 2, 0});
  EXPECT_EQ(collide_sphere_box(ball(0.5f, {7, 0, 0}), box, 0.4f).count, 0);
}

// ---- sphere and capsule --------------------------------------------------------------------------------------------

TEST(SphereCapsule, BesideBeyondAndOnTheSegment) {
  const PlacedShape capsule{{0.5f, 1, 0}, {0, 0, 0}, kIdentity};
  expect_one_point(collide_sphere_capsule(ball(0.5f, {0.75f, 0.5f, 0}), capsule, 0.0f), {-1, 0, 0}, -0.25f,
                   {-0.5f, 0, 0}, {0.5f, 0.5f, 0});
  expect_one_point(collide_sphere_capsule(ball(0.5f, {0, -2.25f, 0}), capsule, 0.3f), {0, 1, 0}, 0.25f, {0, 0.5f, 0},
                   {0, -1.5f, 0});
  const Manifold m = collide_sphere_capsule(ball(0.5f, {0, 0.25f, 0}), capsule, 0.0f);
  ASSERT_EQ(m.count, 1);
  EXPECT_EQ(m.points[0].separation, -1.0f);
  EXPECT_EQ(m.normal.y, 0.0f) << "leaves across the segment";
  EXPECT_NEAR(length(m.normal), 1.0f, 1e-6f);
}

TEST(SphereCapsule, CapsuleWithoutLengthIsASphere) {
  const PlacedShape capsule{{1, 0, 0}, {1.5f, 0, 0}, kQuarterAboutZ};
  expect_one_point(collide_sphere_capsule(ball(1, {0, 0, 0}), capsule, 0.0f), {1, 0, 0}, -0.5f, {1, 0, 0}, {-1, 0, 0});
}

TEST(SphereCapsule, LyingCapsule) {
  const PlacedShape capsule{{0.25f, 2, 0}, {0, 0, 0}, kQuarterAboutZ};  // along x
  expect_one_point(collide_sphere_capsule(ball(0.5f, {-1.5f, 0.625f, 0}), capsule, 0.0f), {0, -1, 0}, -0.125f,
                   {0, -0.5f, 0}, {-1.5f, 0.25f, 0});
}

// ---- sphere and plane ----------------------------------------------------------------------------------------------

TEST(SpherePlane, AboveBelowAndOutOfReach) {
  const PlacedShape ground{{0, 1, 0}, {0, 0.5f, 0}, kIdentity};
  expect_one_point(collide_sphere_plane(ball(1, {3, 1.25f, -2}), ground, 0.0f), {0, -1, 0}, -0.25f, {0, -1, 0},
                   {3, 0, -2});
  expect_one_point(collide_sphere_plane(ball(1, {0, -9.5f, 0}), ground, 0.0f), {0, -1, 0}, -11.0f, {0, -1, 0},
                   {0, 0, 0});
  EXPECT_EQ(collide_sphere_plane(ball(1, {0, 1.75f, 0}), ground, 0.2f).count, 0);
  EXPECT_EQ(collide_sphere_plane(ball(1, {0, 1.75f, 0}), ground, 0.25f).count, 1);
}

TEST(SpherePlane, TurnedPlane) {
  const PlacedShape wall{{0, 1, 0}, {2, 0, 0}, kQuarterAboutZ};  // its normal is -x
  expect_one_point(collide_sphere_plane(ball(0.5f, {1.75f, 1, 0}), wall, 0.0f), {1, 0, 0}, -0.25f, {0.5f, 0, 0},
                   {0, 1, 0});
}

}  // namespace
}  // namespace talus
