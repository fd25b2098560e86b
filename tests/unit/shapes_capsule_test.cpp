// SPDX-License-Identifier: MIT
// Capsules against boxes, capsules and planes: cases with exact numbers. Random poses are in shapes_pairs_test.cpp.
#include <gtest/gtest.h>

#include "shapes/box_capsule.h"
#include "shapes/capsule.h"
#include "support/shape_oracles.h"

namespace talus {
namespace {

using oracle::RandomShapes;

const Quat kAlongX{0, 0, 0.70710678f, 0.70710678f};  // the capsule's y axis points to -x
const Quat kAlongZ{0.70710678f, 0, 0, 0.70710678f};  // to +z

PlacedShape capsule(float radius, float half_length, Vec3 position, Quat orientation = kIdentity) {
  return {{radius, half_length, 0}, position, orientation};
}
PlacedShape box(Vec3 half, Vec3 position = {0, 0, 0}, Quat orientation = kIdentity) {
  return {half, position, orientation};
}
void expect_near(Vec3 found, Vec3 expected, float tolerance = 2e-6f) {
  EXPECT_NEAR(found.x, expected.x, tolerance);
  EXPECT_NEAR(found.y, expected.y, tolerance);
  EXPECT_NEAR(found.z, expected.z, tolerance);
}

// ---- capsule and plane ---------------------------------------------------------------------------------------------

TEST(CapsulePlane, LyingCapsuleHasTwoPoints) {
  const PlacedShape ground{{0, 1, 0}, {0, 0, 0}, kIdentity};
  const Manifold m = collide_capsule_plane(capsule(0.5f, 1, {7, 0.375f, 0}, kAlongX), ground, 0.0f);
  ASSERT_EQ(m.count, 2);
  expect_near(m.normal, {0, -1, 0});
  expect_near(m.points[0].on_a, {1, -0.5f, 0});  // the -y end
  expect_near(m.points[1].on_a, {-1, -0.5f, 0});
  expect_near(m.points[0].on_b, {8, 0, 0});
  EXPECT_NEAR(m.points[0].separation, -0.125f, 1e-6f);
  EXPECT_NEAR(m.points[1].separation, -0.125f, 1e-6f);
  EXPECT_EQ(m.points[0].feature, 0u);
  EXPECT_EQ(m.points[1].feature, 1u);
}

TEST(CapsulePlane, StandingOrShortCapsuleHasOnePoint) {
  const PlacedShape ground{{0, 1, 0}, {0, 0, 0}, kIdentity};
  for (const Quat up : {kIdentity, Quat{1, 0, 0, 0}}) {  // either end down
    const Manifold m = collide_capsule_plane(capsule(0.5f, 1, {0, 1.25f, 0}, up), ground, 5.0f);
    ASSERT_EQ(m.count, 1);
    expect_near(m.points[0].on_a, {0, -1.5f, 0});
    EXPECT_NEAR(m.points[0].separation, -0.25f, 1e-6f);
  }
  EXPECT_EQ(collide_capsule_plane(capsule(0.5f, 0, {0, 0.5f, 0}, kAlongX), ground, 0.01f).count, 1);
}

TEST(CapsulePlane, InclinedCapsuleKeepsTheNameOfItsLowerEnd) {
  const PlacedShape ground{{0, 1, 0}, {0, 0, 0}, kIdentity};
  const Quat raised{0, 0, 0.64944805f, 0.76040597f};  // 81 degrees about z: the +y end is higher
  const Manifold m = collide_capsule_plane(capsule(0.5f, 1, {0, 0.65f, 0}, raised), ground, 0.05f);
  ASSERT_EQ(m.count, 1);
  EXPECT_EQ(m.points[0].feature, 0u);
  EXPECT_NEAR(m.points[0].separation, 0.65f - 0.15643447f - 0.5f, 1e-5f);
}

// ---- capsule and capsule -------------------------------------------------------------------------------------------

TEST(CapsuleCapsule, CrossingCapsulesHaveOnePoint) {
  const Manifold m = collide_capsule_capsule(capsule(0.5f, 2, {0, 0, 0}, kAlongX),
                                             capsule(0.25f, 2, {0.5f, 0.625f, 1}, kAlongZ), 0.0f);
  ASSERT_EQ(m.count, 1);
  expect_near(m.normal, {0, 1, 0});
  EXPECT_NEAR(m.points[0].separation, -0.125f, 1e-6f);
  expect_near(m.points[0].on_a, {0.5f, 0.5f, 0});
  expect_near(m.points[0].on_b, {0, -0.25f, -1});
}

TEST(CapsuleCapsule, ParallelCapsulesTouchAlongTheirOverlap) {
  const Manifold m =
      collide_capsule_capsule(capsule(0.5f, 1, {0, 0, 0}), capsule(0.5f, 1, {0.875f, 0.5f, 0}, Quat{1, 0, 0, 0}), 0.0f);
  ASSERT_EQ(m.count, 2);
  expect_near(m.normal, {1, 0, 0});
  expect_near(m.points[0].on_a, {0.5f, -0.5f, 0});
  expect_near(m.points[1].on_a, {0.5f, 1, 0});
  expect_near(m.points[0].on_b, {-0.5f, -1, 0});
  expect_near(m.points[1].on_b, {-0.5f, 0.5f, 0});
  EXPECT_NEAR(m.points[0].separation, -0.125f, 1e-6f);
  EXPECT_NEAR(m.points[1].separation, -0.125f, 1e-6f);
}

TEST(CapsuleCapsule, EndToEndHasOnePointAlongTheAxis) {
  const Manifold m = collide_capsule_capsule(capsule(0.5f, 1, {0, 0, 0}), capsule(0.25f, 1, {0, 2.875f, 0}), 0.2f);
  ASSERT_EQ(m.count, 1);
  expect_near(m.normal, {0, 1, 0});
  EXPECT_NEAR(m.points[0].separation, 0.125f, 1e-6f);
  expect_near(m.points[0].on_a, {0, 1.5f, 0});
}

TEST(CapsuleCapsule, MeetingSegmentsPartAcrossBoth) {
  const Manifold crossed =
      collide_capsule_capsule(capsule(0.5f, 1, {0, 0, 0}), capsule(0.25f, 1, {0, 0.5f, 0}, kAlongX), 0.0f);
  ASSERT_EQ(crossed.count, 1);
  EXPECT_NEAR(abs_of(crossed.normal.z), 1.0f, 1e-6f);
  EXPECT_NEAR(crossed.points[0].separation, -0.75f, 1e-6f);
  const Manifold same = collide_capsule_capsule(capsule(0.5f, 1, {0, 0, 0}), capsule(0.5f, 1, {0, 0, 0}), 0.0f);
  ASSERT_EQ(same.count, 2);
  EXPECT_NEAR(same.normal.y, 0.0f, 1e-6f);
  EXPECT_NEAR(same.points[0].separation, -1.0f, 1e-6f);
  const Manifold dots = collide_capsule_capsule(capsule(1, 0, {0, 0, 0}), capsule(1, 0, {0, 0, 1.5f}, kAlongX), 0.0f);
  ASSERT_EQ(dots.count, 1);
  expect_near(dots.normal, {0, 0, 1});
  EXPECT_NEAR(dots.points[0].separation, -0.5f, 1e-6f);
}

TEST(CapsuleCapsule, NearlyParallelStaysALineUnderPerturbation) {
  RandomShapes random(31);
  for (int trial = 0; trial < 500; ++trial) {
    const PlacedShape a = capsule(0.2f, 0.5f, random.vector(1e-4f), random.tilt(1e-4f));
    const PlacedShape b = capsule(0.2f, 0.5f, Vec3{0.39f, 0.2f, 0} + random.vector(1e-4f), random.tilt(1e-4f));
    const Manifold m = collide_capsule_capsule(a, b, 0.02f);
    ASSERT_EQ(m.count, 2);
    EXPECT_EQ(m.points[0].feature, 0u);
    EXPECT_EQ(m.points[1].feature, 1u);
    EXPECT_NEAR(m.points[1].on_a.y - m.points[0].on_a.y, 0.8f, 1e-3f);
  }
}

TEST(CapsuleCapsule, LongCapsulesCrossingAtFourDegreesTouchAtOnePoint) {
  const Quat turn{0.034899497f, 0, 0, 0.99939083f};  // about x
  const Manifold m = collide_capsule_capsule(capsule(0.1f, 1, {0, 0, 0}), capsule(0.1f, 1, {0.19f, 0, 0}, turn), 0.02f);
  ASSERT_EQ(m.count, 1);
  expect_near(m.normal, {1, 0, 0});
  EXPECT_NEAR(m.points[0].separation, -0.01f, 1e-6f);
  expect_near(m.points[0].on_a, {0.1f, 0, 0}, 1e-5f);
}

// ---- box and capsule -----------------------------------------------------------------------------------------------

TEST(BoxCapsule, LyingOnAFaceHasTwoPoints) {
  const Manifold m = collide_box_capsule(box({2, 0.5f, 2}), capsule(0.25f, 1, {0.5f, 0.6875f, 0}, kAlongX), 0.0f);
  ASSERT_EQ(m.count, 2);
  expect_near(m.normal, {0, 1, 0});
  expect_near(m.points[0].on_a, {1.5f, 0.5f, 0});
  expect_near(m.points[1].on_a, {-0.5f, 0.5f, 0});
  expect_near(m.points[0].on_b, {1, -0.25f, 0});
  EXPECT_NEAR(m.points[0].separation, -0.0625f, 1e-6f);
  EXPECT_NEAR(m.points[1].separation, -0.0625f, 1e-6f);
}

TEST(BoxCapsule, HangingOverTheRimIsHeldAtTheRim) {
  for (const float tilt : {-1e-3f, 0.0f, 1e-3f}) {  // rocking does not change the two points
    const Quat turn = normalized(Quat{0, 0, 0.70710678f + tilt, 0.70710678f - tilt});
    const Manifold m = collide_box_capsule(box({1, 0.5f, 1}), capsule(0.25f, 1, {0.5f, 0.74f, 0}, turn), 0.02f);
    ASSERT_EQ(m.count, 2) << tilt;
    expect_near(m.normal, {0, 1, 0});
    EXPECT_NEAR(m.points[0].on_a.x, 1.0f, 2e-4f);
    EXPECT_NEAR(m.points[1].on_a.x, -0.5f, 2e-3f);
  }
}

TEST(BoxCapsule, AlongAnEdgeHasTwoPoints) {
  // Above the edge at (1, 1, z), at 45 degrees, 0.2 away.
  const float offset = 1.0f + 0.2f * 0.70710678f;
  const Manifold m = collide_box_capsule(box({1, 1, 1}), capsule(0.25f, 2, {offset, offset, 0.5f}, kAlongZ), 0.0f);
  ASSERT_EQ(m.count, 2);
  expect_near(m.normal, {0.70710678f, 0.70710678f, 0}, 1e-5f);
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(m.points[i].separation, -0.05f, 1e-5f);
    expect_near(m.points[i].on_a, {1, 1, i == 0 ? -1.0f : 1.0f}, 1e-5f);
  }
}

TEST(BoxCapsule, StandingOnAFaceAndPokingACorner) {
  const Manifold standing = collide_box_capsule(box({1, 1, 1}), capsule(0.25f, 1, {0.5f, 2.2f, 0.25f}), 0.0f);
  ASSERT_EQ(standing.count, 1);
  expect_near(standing.normal, {0, 1, 0});
  EXPECT_NEAR(standing.points[0].separation, -0.05f, 1e-6f);
  const float third = 0.57735027f, at = 1.0f + 0.2f * third;
  const Manifold corner = collide_box_capsule(box({1, 1, 1}), capsule(0.25f, 0, {at, at, at}), 0.0f);
  ASSERT_EQ(corner.count, 1);
  expect_near(corner.normal, {third, third, third}, 1e-5f);
  EXPECT_NEAR(corner.points[0].separation, -0.05f, 1e-6f);
  expect_near(corner.points[0].on_a, {1, 1, 1}, 1e-5f);
}

TEST(BoxCapsule, CrossingAnEdgeHasOnePoint) {
  // Segment across the edge x = y = 1, along (1, -1, 0), 0.1 outside of it.
  const float at = 1.0f + 0.1f * 0.70710678f;
  const Quat turn{0, 0, 0.38268343f, 0.92387953f};
  const Manifold m = collide_box_capsule(box({1, 1, 1}), capsule(0.125f, 1, {at, at, 0.25f}, turn), 0.0f);
  EXPECT_EQ(m.count, 1);
  expect_near(m.normal, {0.70710678f, 0.70710678f, 0}, 1e-5f);
  EXPECT_NEAR(m.points[0].separation, -0.025f, 1e-5f);
  expect_near(m.points[0].on_a, {1, 1, 0.25f}, 1e-5f);
}

TEST(BoxCapsule, SegmentThroughTheBoxLeavesTheShortestWay) {
  const Manifold face = collide_box_capsule(box({1, 1, 1}), capsule(0.25f, 0.5f, {0, 0.75f, 0}, kAlongX), 0.0f);
  ASSERT_EQ(face.count, 2);
  expect_near(face.normal, {0, 1, 0});
  EXPECT_NEAR(face.points[0].separation, -0.5f, 1e-6f);
  // Just inside the edge, along (1, -1, 0): the edge axis is shorter than any face.
  const float at = 1.0f - 0.1f * 0.70710678f;
  const Quat turn{0, 0, 0.38268343f, 0.92387953f};
  const Manifold edge = collide_box_capsule(box({1, 1, 1}), capsule(0.125f, 1, {at, at, 0.25f}, turn), 0.0f);
  ASSERT_EQ(edge.count, 1);
  expect_near(edge.normal, {0.70710678f, 0.70710678f, 0}, 1e-5f);
  EXPECT_NEAR(edge.points[0].separation, -0.225f, 1e-5f);
}

TEST(BoxCapsule, ClosestParameterAgreesWithTrying) {
  RandomShapes random(32);
  for (int trial = 0; trial < 300; ++trial) {
    const PlacedShape s = random.shape(ShapeType::box, 0.0f), k = random.shape(ShapeType::capsule, 2.0f);
    const CapsuleAtBox c{s.size, k.position, capsule_axis(k), k.size.y, k.size.x};
    const auto distance = [&](float t) {
      const Vec3 p = c.centre + t * c.axis;
      return length(p - clamp_each(p, c.half));
    };
    float best = 1e30f;
    for (int i = 0; i <= 2000; ++i) best = min_of(distance(c.length * (float(i) / 1000.0f - 1.0f)), best);
    const float t = closest_to_box(c);
    ASSERT_LE(abs_of(t), c.length);
    ASSERT_LT(distance(t), best + 1e-6f) << "trial " << trial;
  }
}

}  // namespace
}  // namespace talus
