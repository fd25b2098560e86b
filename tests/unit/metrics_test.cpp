// SPDX-License-Identifier: MIT
// The measuring instrument itself: gaps, sums and CSV against numbers worked out by hand.
#include "scenes/metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "scenes/peers_csv.h"
#include "scenes/scene.h"

namespace talus::scenes {
namespace {

constexpr double kPi = std::numbers::pi;

Solid placed(ShapeDef shape, Vec3 position, Quat orientation = kIdentity) {
  return solid(shape, {position, orientation});
}
Quat turned_45_about_z() {
  return {0.0f, 0.0f, float(std::sin(kPi / 8)), float(std::cos(kPi / 8))};
}
Quat turned_90_about_x() {
  return {float(std::sin(kPi / 4)), 0.0f, 0.0f, float(std::cos(kPi / 4))};
}
void expect_gap(const Solid& a, const Solid& b, double expected) {
  EXPECT_NEAR(gap(a, b), expected, 1e-6);
  EXPECT_NEAR(gap(b, a), expected, 1e-6) << "the order of a pair does not matter";
}

TEST(Gap, SpheresOfDifferentSizes) {
  expect_gap(placed(sphere(0.5f), {0, 0, 0}), placed(sphere(0.25f), {0, 3, 4}), 5 - 0.75);
  expect_gap(placed(sphere(0.5f), {0, 0, 0}), placed(sphere(0.25f), {0, 0.5f, 0}), -0.25);
}

TEST(Gap, SphereToFaceEdgeCornerAndInsideOfABox) {
  const Solid block = placed(box({1.0f, 2.0f, 3.0f}), {10, 0, 0});
  expect_gap(block, placed(sphere(0.5f), {12, 0, 0}), 0.5);
  expect_gap(block, placed(sphere(0.5f), {14, 6, 0}), 5 - 0.5);
  expect_gap(block, placed(sphere(0.5f), {12, 4, 5}), 3 - 0.5);
  expect_gap(block, placed(sphere(0.5f), {10.75f, 0, 0}), -0.25 - 0.5);
}

TEST(Gap, BoxesFaceToFaceAndFaceToEdge) {
  const Solid block = placed(box({1.0f, 2.0f, 3.0f}), {0, 0, 0});
  expect_gap(block, placed(box({0.5f, 0.5f, 0.5f}), {1.75f, 0, 0}), 0.25);
  expect_gap(block, placed(box({0.5f, 0.5f, 0.5f}), {0, 2.25f, 0}), -0.25);
  expect_gap(block, placed(box({0.5f, 0.5f, 0.5f}), {3, 0, 0}, turned_45_about_z()), 2 - std::sqrt(0.5));
}

TEST(Gap, OfTwoBoxesIsLessThanTheDistanceOfTheirCorners) {
  const Solid a = placed(box({0.5f, 0.5f, 0.5f}), {0, 0, 0});
  const Solid b = placed(box({0.5f, 0.5f, 0.5f}), {2, 2, 2});
  expect_gap(a, b, 1.0);  // their distance is sqrt(3)
}

TEST(Gap, CapsulesAlongsideCrossedAndEndToEnd) {
  const ShapeDef rod = capsule(0.25f, 1.0f);
  expect_gap(placed(rod, {0, 0, 0}), placed(rod, {1, 0.5f, 0}), 1 - 0.5);
  expect_gap(placed(rod, {0, 0, 0}), placed(rod, {1, 0, 0}, turned_90_about_x()), 1 - 0.5);
  expect_gap(placed(rod, {0, 0, 0}), placed(rod, {0, 3, 0}), 1 - 0.5);
  expect_gap(placed(rod, {0, 0, 0}), placed(capsule(0.25f, 0.0f), {3, 5, 0}), 5 - 0.5);
}

TEST(Gap, CapsuleToSphereAndBox) {
  const Solid rod = placed(capsule(0.25f, 1.0f), {0, 0, 0});
  expect_gap(rod, placed(sphere(0.5f), {1, 0.9f, 0}), 0.25);
  expect_gap(rod, placed(sphere(0.5f), {3, 5, 0}), 5 - 0.75);
  expect_gap(rod, placed(box({0.5f, 4.0f, 0.5f}), {1, 0, 0}), 0.25);
  expect_gap(rod, placed(box({2.0f, 0.5f, 2.0f}), {0, 1.5f, 0}), -0.25);  // the end lies on the face
  expect_gap(rod, placed(box({1.0f, 1.0f, 1.0f}), {4, 6, 0}), 5 - 0.25);
}

TEST(Gap, ToABoundary) {
  const Boundary floor{{0, 1, 0}, 0.5};
  EXPECT_NEAR(boundary_gap(placed(sphere(0.5f), {7, 1.25f, 0}), floor), 0.25, 1e-6);
  EXPECT_NEAR(boundary_gap(placed(capsule(0.25f, 1.0f), {0, 2, 0}), floor), 0.25, 1e-6);
  EXPECT_NEAR(boundary_gap(placed(capsule(0.25f, 1.0f), {0, 2, 0}, turned_90_about_x()), floor), 1.25, 1e-6);
  EXPECT_NEAR(boundary_gap(placed(box({0.5f, 0.5f, 0.5f}), {0, 1, 0}, turned_45_about_z()), floor),
              0.5 - std::sqrt(0.5), 1e-6);
}

TEST(MassProperties, FollowShapeAndDensity) {
  EXPECT_NEAR(mass({.shape = sphere(0.5f), .density = 6}), kPi, 1e-12);
  EXPECT_NEAR(inertia({.shape = sphere(0.5f), .density = 6}).y, 0.1 * kPi, 1e-12);
  EXPECT_DOUBLE_EQ(mass({.shape = box({0.5f, 1.0f, 1.5f}), .density = 2}), 12);
  const Vecd block = inertia({.shape = box({0.5f, 1.0f, 1.5f}), .density = 2});
  EXPECT_DOUBLE_EQ(block.x, 13);
  EXPECT_DOUBLE_EQ(block.y, 10);
  EXPECT_DOUBLE_EQ(block.z, 5);
  EXPECT_NEAR(mass({.shape = capsule(1.0f, 1.5f), .density = 3}), 13 * kPi, 1e-12);
  EXPECT_DOUBLE_EQ(mass({.shape = sphere(0.5f), .mass = 4.0f}), 4);
}

TEST(MassProperties, ACapsuleWithoutLengthIsASphere) {
  const Vecd short_one = inertia({.shape = capsule(0.5f, 0.0f)}), ball = inertia({.shape = sphere(0.5f)});
  EXPECT_NEAR(short_one.x, ball.x, 1e-9);
  EXPECT_NEAR(short_one.y, ball.y, 1e-9);
}

struct Measured {
  Scene scene;
  std::vector<BodyMotion> motions;

  void add(ShapeDef shape, Vec3 position, Vec3 velocity = {0, 0, 0}, Vec3 spin = {0, 0, 0}) {
    BodyDef def;
    def.shape = shape;
    def.position = position;
    scene.bodies.push_back(def);
    motions.push_back({{position, kIdentity}, velocity, spin});
  }
  Metrics measure() const { return scenes::measure(scene, motions); }
};

TEST(Measure, FindsPenetrationOfPairsAndBoundaries) {
  Measured m;
  m.scene.boundaries = {{{0, 1, 0}, 0}};
  m.add(sphere(0.5f), {0, 0.49f, 0});   // 10 mm through the floor
  m.add(sphere(0.5f), {0, 1.46f, 0});   // 30 mm into the first
  m.add(sphere(0.5f), {5, 0.505f, 0});  // touches the floor with a gap
  m.add(sphere(0.5f), {9, 0.515f, 0});  // too far away from the floor to count
  const Metrics result = m.measure();
  EXPECT_EQ(result.touching, 3);
  EXPECT_NEAR(result.pen_max, 0.03, 1e-6);
  EXPECT_NEAR(result.pen_mean, 0.04 / 3, 1e-6);
  EXPECT_NEAR(result.pen_p99, result.pen_max, 1e-6);  // of three values the largest
  EXPECT_NEAR(result.height, 1.46, 1e-6);
}

TEST(Measure, FindsPairsOfBodiesOfVeryDifferentSize) {
  Measured m;
  for (int i = 0; i < 10; ++i) m.add(sphere(0.1f), {float(i) * 5 - 25, 1.09f, 0});
  m.add(box({30.0f, 1.0f, 1.0f}), {0, 0, 0});
  m.add(box({30.0f, 1.0f, 1.0f}), {0, 0, -1.98f});
  const Metrics result = m.measure();
  EXPECT_EQ(result.touching, 11);
  EXPECT_NEAR(result.pen_max, 0.02, 1e-6);
}

TEST(Measure, EqualsAllPairsOnARandomHeapOfMixedSizes) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> unit(-1.0f, 1.0f);
  Measured m;
  for (int i = 0; i < 400; ++i) {
    const float r = 0.35f + 0.25f * unit(random);
    const ShapeDef shapes[] = {sphere(r), box({r, 2 * r, 0.5f * r}), capsule(r, r)};
    m.add(shapes[i % 3], {4 * unit(random), 4 * unit(random), 4 * unit(random)});
    if (i % 2 == 0) m.motions.back().pose.orientation = turned_45_about_z();
  }
  m.add(box({4.0f, 0.1f, 4.0f}), {0, 0, 0});
  long touching = 0;
  double deepest = 0;
  for (std::size_t a = 0; a < m.motions.size(); ++a) {
    for (std::size_t b = a + 1; b < m.motions.size(); ++b) {
      const double distance =
          gap(solid(m.scene.bodies[a].shape, m.motions[a].pose), solid(m.scene.bodies[b].shape, m.motions[b].pose));
      if (distance < kTouching) ++touching;
      deepest = std::max(deepest, -distance);
    }
  }
  ASSERT_GT(touching, 300);
  EXPECT_EQ(m.measure().touching, touching);
  EXPECT_DOUBLE_EQ(m.measure().pen_max, deepest);
}

TEST(Measure, LeavesOutPairsThatCannotMove) {
  Measured m;
  m.add(box({1.0f, 1.0f, 1.0f}), {0, 0, 0});
  m.add(box({1.0f, 1.0f, 1.0f}), {1, 0, 0});
  for (BodyDef& def : m.scene.bodies) def.motion = Motion::kinematic;
  EXPECT_EQ(m.measure().touching, 0);
  m.scene.bodies[0].motion = Motion::dynamic;
  EXPECT_EQ(m.measure().touching, 1);
}

TEST(Measure, CountsEscapedAndLostBodiesAndMeasuresNeither) {
  Measured m;
  m.scene.boundaries = {{{0, 1, 0}, 0}};
  m.add(sphere(0.5f), {0, -0.01f, 0});
  m.add(sphere(0.5f), {0, 0.5f, 0});
  m.add(sphere(0.5f), {0, std::numeric_limits<float>::quiet_NaN(), 0});
  m.add(sphere(0.5f), {2e6f, 0.5f, 0});
  m.add(sphere(0.5f), {5, 5, 5}, {0, 0, std::numeric_limits<float>::infinity()});
  const Metrics result = m.measure();
  EXPECT_EQ(result.escaped, 1);
  EXPECT_EQ(result.not_finite, 3);
  EXPECT_EQ(result.touching, 1);  // the second body and the floor
}

TEST(Measure, SumsTheEnergyOfMovementAndSpin) {
  Measured m;
  m.add(box({0.5f, 1.0f, 1.5f}), {0, 0, 0}, {3, 0, 4}, {1, 2, 3});
  m.scene.bodies[0].density = 2;  // 12 kg; 13, 10 and 5 kg m^2
  m.add(sphere(0.5f), {9, 0, 0});
  const Metrics result = m.measure();
  EXPECT_NEAR(result.ke_per_body, 0.5 * (12 * 25 + 13 * 1 + 10 * 4 + 5 * 9) / 2, 1e-9);
  EXPECT_NEAR(result.vmax, 5, 1e-12);
}

TEST(Measure, TurnsTheSpinIntoTheBodysFrame) {
  Measured m;
  m.add(box({0.5f, 1.0f, 1.5f}), {0, 0, 0}, {0, 0, 0}, {0, 0, 2});
  m.scene.bodies[0].density = 2;
  m.motions[0].pose.orientation = turned_90_about_x();  // the body's y axis lies along z
  EXPECT_NEAR(m.measure().ke_per_body, 0.5 * 10 * 4, 1e-5);
}

TEST(Measure, ReportsDriftAndSagOfStacksOnly) {
  Measured m;
  m.add(sphere(0.5f), {0, 1, 0});
  m.add(sphere(0.5f), {5, 1, 0});
  m.motions[0].pose.position = {3, 0.75f, 4};
  m.scene.stack = true;
  EXPECT_NEAR(m.measure().drift_max, 5, 1e-6);
  EXPECT_NEAR(m.measure().drift_mean, 2.5, 1e-6);
  EXPECT_NEAR(m.measure().sag_max, 0.25, 1e-6);
  m.scene.stack = false;
  EXPECT_EQ(m.measure().drift_max, 0);
  EXPECT_EQ(m.measure().sag_max, 0);
}

TEST(Measure, FindsHowFarTheAnchorsOfAJointAreApart) {
  Measured m;
  m.add(sphere(0.5f), {0, 0, 0});
  m.add(sphere(0.5f), {2, 0, 0});
  m.scene.joints = {{0, 1, ball_joint({}, {}, {1, 0, 0})}, {-1, 1, ball_joint({}, {}, {2, 1, 0})}};
  EXPECT_EQ(m.measure().joint_max, 0);
  m.motions[1].pose.position = {2, 0.25f, 0};
  EXPECT_NEAR(m.measure().joint_max, 0.25, 1e-12);
  EXPECT_NEAR(m.measure().joint_mean, 0.25, 1e-12);
  m.motions[1].pose = {{2, 0, 0}, turned_90_about_x()};  // turns about the first anchor's arm; the second moves to z
  EXPECT_NEAR(m.measure().joint_max, std::sqrt(2.0), 1e-6);
  EXPECT_NEAR(m.measure().joint_mean, std::sqrt(0.5), 1e-6);
}

TEST(Measure, CountsOnlyWhatAJointDoesNotAllow) {
  Measured m;
  m.add(sphere(0.5f), {0, 0, 0});
  m.add(sphere(0.5f), {2, 0, 0});
  JointDef def;
  def.frames_in_bodies = true;
  def.frame_a = {{1, 0, 0}, turned_90_about_x()};  // its y axis lies along z
  def.frame_b = {{-1, 0, 0}, turned_90_about_x()};
  def.axis(Axis::x).mode = AxisMode::locked;
  def.axis(Axis::y).mode = AxisMode::limited;
  def.axis(Axis::y).lower = -0.1f;
  def.axis(Axis::y).upper = 0.1f;
  m.scene.joints = {{0, 1, def}};
  m.motions[1].pose.position = {2.03f, 7, 0.14f};  // free along y, 40 mm beyond the limit along z
  EXPECT_NEAR(m.measure().joint_max, 0.05, 1e-6);
  m.scene.joints[0].def = distance_joint({}, {}, {0, 0, 0}, {2, 0, 0}, 1, 3);
  EXPECT_NEAR(m.measure().joint_max, std::hypot(2.03, 7, 0.14) - 3, 1e-6);
  m.motions[1].pose.position = {0.25f, 0, 0};
  EXPECT_NEAR(m.measure().joint_max, 0.75, 1e-6);
}

TEST(Measure, LeavesOutPairsThatAJointKeepsFromColliding) {
  Measured m;
  m.add(sphere(0.5f), {0, 0, 0});
  m.add(sphere(0.5f), {0.9f, 0, 0});
  m.scene.joints = {{1, 0, ball_joint({}, {}, {0, 0, 0})}};
  EXPECT_EQ(m.measure().touching, 0);
  m.scene.joints[0].def.collide = true;
  EXPECT_EQ(m.measure().touching, 1);
}

TEST(Measure, TakesAnEmptyScene) {
  const Metrics result = Measured{}.measure();
  EXPECT_EQ(result.touching, 0);
  EXPECT_EQ(result.ke_per_body, 0);
}

TEST(PeersCsv, LateStepsAreTheThirdHundredOrTheLastThird) {
  EXPECT_EQ(first_late_step(300), 200u);
  EXPECT_EQ(first_late_step(1000), 200u);
  EXPECT_EQ(first_late_step(30), 20u);
  EXPECT_EQ(first_late_step(0), 0u);
}

TEST(PeersCsv, WritesTheColumnsOfTheHeader) {
  Measured m;
  m.scene.name = "two_bodies";
  m.add(sphere(0.5f), {0, 0, 0});
  m.add(sphere(0.5f), {0, 0.9375f, 0});
  const StepTimes times{{3, 1, 2}, {6, 2, 4}};
  const std::string line = csv_line("pgs", m.scene, 2, times, 17, m.measure());
  EXPECT_EQ(line,
            "talus,pgs,two_bodies,2,2,3,2.0000,2.0000,3.000,17,1,0.06250,0.062500,0.06250,0,0.00000,0.00000,0.000000,"
            "0.00000,0.00000,0.000000,0,0,0.938,4.0000,4.0000");
  EXPECT_EQ(std::count(line.begin(), line.end(), ','), std::count(csv_header().begin(), csv_header().end(), ','));
}

}  // namespace
}  // namespace talus::scenes
