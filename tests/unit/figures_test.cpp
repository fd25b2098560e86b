// SPDX-License-Identifier: MIT
// Skeletons and vehicles before they move: their parts, what holds them together, and what a wrong description says.
#include <talus/figures.h>

#include <gtest/gtest.h>
#include <talus/world.h>

#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "scenes/metrics.h"
#include "support/scene.h"

namespace talus {
namespace {

const Transform kSomewhere{{3.0f, 1.0f, -2.0f}, {0.5f, -0.5f, 0.5f, 0.5f}};

float total_mass(const Skeleton& skeleton) {
  float sum = 0;
  for (const Segment& segment : skeleton.segments) sum += segment.mass;
  return sum;
}
scenes::Scene scene_of(const Assembly& assembly) {
  scenes::Scene scene;
  scene.bodies = assembly.bodies;
  scene.joints = assembly.joints;
  return scene;
}
scenes::Metrics measure(const Assembly& assembly) {
  std::vector<BodyMotion> motions;
  for (const BodyDef& def : assembly.bodies) motions.push_back({{def.position, def.orientation}, {}, {}});
  return scenes::measure(scene_of(assembly), motions);
}
void expect_error(const std::function<void()>& call, const std::string& part) {
  EXPECT_NE(test::error_of(call).find(part), std::string::npos) << test::error_of(call);
}

TEST(Human, HasEighteenSegmentsOfTheirNames) {
  const Skeleton human = human_skeleton();
  std::set<std::string> names;
  for (const Segment& segment : human.segments) names.insert(segment.name);
  EXPECT_EQ(names.size(), 18u);
  for (const char* part : {"thigh", "shin", "foot", "toes", "upper_arm", "forearm", "hand"}) {
    EXPECT_EQ(names.count(std::string(part) + "_left"), 1u) << part;
    EXPECT_EQ(names.count(std::string(part) + "_right"), 1u) << part;
  }
  for (const char* part : {"pelvis", "abdomen", "chest", "head"}) EXPECT_EQ(names.count(part), 1u) << part;
}

TEST(Human, WeighsWhatItsHeightSays) {
  EXPECT_NEAR(total_mass(human_skeleton()), 75.0f, 0.5f);
  EXPECT_NEAR(total_mass(human_skeleton(0.9f)), 75.0f / 8, 0.1f);
  for (const Segment& segment : human_skeleton().segments) EXPECT_GT(segment.mass, 0.1f) << segment.name;
}

TEST(Human, StandsOnTheGroundAndIsAsTallAsAsked) {
  for (const float height : {1.2f, 1.8f}) {
    float top = 0, bottom = 1;
    for (const Segment& segment : human_skeleton(height).segments) {
      const scenes::Solid solid = scenes::solid(segment.shape, segment.pose);
      const float y = segment.pose.position.y;
      top = std::max(top, y - float(scenes::boundary_gap(solid, {{0, 1, 0}, double(y)})));
      bottom = std::min(bottom, float(scenes::boundary_gap(solid, {{0, 1, 0}, 0})));
    }
    EXPECT_NEAR(bottom, 0.0f, 1e-5f);
    EXPECT_NEAR(top, height, 1e-5f);
  }
}

TEST(Human, IsATreeWithOrderedRangesAroundTheComfortPose) {
  const Skeleton human = human_skeleton();
  for (std::size_t i = 0; i < human.segments.size(); ++i) {
    const Segment& segment = human.segments[i];
    EXPECT_EQ(segment.parent < 0, i == 0) << segment.name;
    EXPECT_LT(segment.parent, static_cast<int>(i)) << segment.name;
    for (const AxisRange range : {segment.twist, segment.swing_y, segment.swing_z}) {
      EXPECT_LE(range.lower, 0.0f) << segment.name;
      EXPECT_GE(range.upper, 0.0f) << segment.name;
    }
    for (const AxisRange swing : {segment.swing_y, segment.swing_z}) {
      EXPECT_GE(swing.lower, radians(-75)) << segment.name;  // both together are far from half a turn
      EXPECT_LE(swing.upper, radians(75)) << segment.name;
    }
    if (i > 0) {
      EXPECT_GT(segment.strength, 0.0f) << segment.name;
    }
  }
}

TEST(Human, KneesElbowsAndToesAreHingesThatBendOneWay) {
  for (const Segment& segment : human_skeleton().segments) {
    const bool knee_or_elbow = segment.name.starts_with("shin") || segment.name.starts_with("forearm");
    if (!knee_or_elbow && !segment.name.starts_with("toes")) continue;
    for (const AxisRange swing : {segment.swing_y, segment.swing_z}) {
      EXPECT_EQ(swing.lower, 0.0f) << segment.name;
      EXPECT_EQ(swing.upper, 0.0f) << segment.name;
    }
    if (knee_or_elbow) {
      EXPECT_EQ(segment.twist.lower, 0.0f) << segment.name;
      EXPECT_GT(segment.twist.upper, 2.0f) << segment.name;
    }
  }
}

TEST(Human, IsTheSameInAMirror) {
  const Skeleton human = human_skeleton();
  const Figure figure{human, {}, {}};
  const Assembly parts = figure_assembly(human, {});
  for (const char* part : {"thigh", "shin", "foot", "toes", "upper_arm", "forearm", "hand"}) {
    const Vec3 left = parts.bodies[figure.segment(std::string(part) + "_left")].position;
    const Vec3 right = parts.bodies[figure.segment(std::string(part) + "_right")].position;
    EXPECT_NEAR(left.x, -right.x, 1e-5f) << part;
    EXPECT_NEAR(left.y, right.y, 1e-5f) << part;
    EXPECT_NEAR(left.z, right.z, 1e-5f) << part;
    EXPECT_GT(left.x, 0.05f) << part;
  }
}

TEST(Human, BendsKneesBackwardAndElbowsForward) {
  Skeleton human = human_skeleton();
  const Figure names{human, {}, {}};
  for (Segment& segment : human.segments) segment.comfort = segment.reference;
  human.segments[names.segment("shin_left")].comfort = {radians(90), 0, 0};
  human.segments[names.segment("forearm_left")].comfort = {radians(90), 0, 0};
  human.segments[names.segment("thigh_right")].comfort = {0, radians(45), 0};
  human.segments[names.segment("head")].comfort = {0, radians(30), 0};
  const Assembly parts = figure_assembly(human, {});
  const auto at = [&](const char* name) { return parts.bodies[names.segment(name)].position; };
  EXPECT_NEAR(at("shin_left").z, -0.2f, 1e-4f);
  EXPECT_NEAR(at("shin_left").y, 0.48f, 1e-4f);
  EXPECT_NEAR(at("forearm_left").z, 0.13f, 1e-4f);
  EXPECT_NEAR(at("thigh_right").z, 0.22f, 1e-4f);
  EXPECT_NEAR(at("upper_arm_left").x, 0.215f, 1e-4f);
  EXPECT_NEAR(at("upper_arm_left").y, 1.25f, 1e-4f);
  EXPECT_GT(at("head").z, 0.05f);
}

TEST(Figure, HoldsTogetherAndHasNoSegmentsInEachOther) {
  for (const Transform& place : {Transform{}, kSomewhere, Transform{{50.0f, 20.0f, 30.0f}, kIdentity}}) {
    const Assembly parts = figure_assembly(human_skeleton(), place);
    ASSERT_EQ(parts.bodies.size(), 18u);
    ASSERT_EQ(parts.joints.size(), 17u);
    const scenes::Metrics metrics = measure(parts);
    EXPECT_LT(metrics.joint_max, 1e-6);
    EXPECT_LT(metrics.pen_max, 1e-3);  // neighbours left out
  }
}

TEST(Figure, StartsAtTheAnglesOfItsComfortPose) {
  Skeleton human = human_skeleton();
  const Figure names{human, {}, {}};
  human.segments[names.segment("thigh_left")].comfort = {0.3f, -0.4f, -0.2f};  // to the outside
  human.segments[names.segment("upper_arm_right")].comfort = {-0.5f, 0.6f, 0.7f};
  World world(WorldDef{.gravity = {0, 0, 0}, .backend = Backend::cpu, .threads = 1});
  const Figure figure = add_figure(world, human, kSomewhere);
  world.step(1.0f / 60);
  for (std::size_t i = 1; i < human.segments.size(); ++i) {
    const JointReading reading = world.reading(figure.joints[i]);
    const Segment& segment = human.segments[i];
    EXPECT_NEAR(reading.position[3], segment.comfort.x, 1e-4f) << segment.name;
    EXPECT_NEAR(reading.position[4], segment.comfort.y, 1e-4f) << segment.name;
    EXPECT_NEAR(reading.position[5], segment.comfort.z, 1e-4f) << segment.name;
  }
}

TEST(Figure, TakesDensityAndScaledMomentsOfItsSegments) {
  Skeleton skeleton;
  skeleton.segments.push_back({.name = "ball", .shape = sphere(0.5f), .density = 6, .inertia_scale = 3});
  const BodyDef body = figure_assembly(skeleton, {}).bodies[0];
  EXPECT_NEAR(*body.mass, 3.14159f, 1e-4f);
  EXPECT_NEAR(body.inertia->y, 3 * 0.1f * 3.14159f, 1e-4f);
}

TEST(Figure, LimpJointsHaveNoDriveAndStrongOnesASpring) {
  const Skeleton human = human_skeleton();
  const std::size_t head = Figure{human, {}, {}}.segment("head");
  const AxisDef limp = figure_assembly(human, {}).joints[head - 1].def.axis(Axis::twist);
  EXPECT_EQ(limp.drive, Drive::none);
  EXPECT_EQ(limp.mode, AxisMode::limited);
  EXPECT_GT(limp.friction, 0.0f);
  const AxisDef held = figure_assembly(human, {}, 0.5f).joints[head - 1].def.axis(Axis::twist);
  EXPECT_EQ(held.drive, Drive::spring);
  EXPECT_FLOAT_EQ(held.max_force, 0.5f * human.segments[head].strength);
  EXPECT_FLOAT_EQ(held.stiffness * human.full_angle, held.max_force);
  EXPECT_FLOAT_EQ(held.lower, radians(-60));
}

TEST(Figure, IsAddedWhereAskedAndIsFoundByName) {
  World world(WorldDef{.backend = Backend::cpu, .threads = 1});
  const Figure figure = add_figure(world, human_skeleton(), {{0, 5, 0}, kIdentity}, 0.5f);
  EXPECT_EQ(world.body_count(), 18);
  EXPECT_EQ(world.joint_count(), 17);
  EXPECT_NEAR(world.position(figure.body("pelvis")).y, 5.97f, 1e-5f);
  EXPECT_TRUE(world.contains(figure.joint("hand_right")));
  EXPECT_EQ(world.definition(figure.joint("head")).a, figure.body("chest"));
  EXPECT_EQ(world.definition(figure.joint("head")).b, figure.body("head"));
  figure.set_angles(world, "head", {radians(30), 0, 0});
  EXPECT_FLOAT_EQ(world.definition(figure.joint("head")).axis(Axis::twist).target_position, radians(30));
  figure.set_strength(world, 0);
  EXPECT_EQ(world.definition(figure.joint("head")).axis(Axis::twist).drive, Drive::none);
  expect_error([&] { figure.body("tail"); }, "\"tail\"");
  expect_error([&] { figure.set_angles(world, "head", {radians(90), 0, 0}); }, "\"head\"");
  expect_error([&] { figure.set_angles(world, "pelvis", {0, 0, 0}); }, "\"pelvis\" is the root");
  expect_error([&] { figure.set_strength(world, -1); }, "strength");
}

TEST(Figure, ABadSkeletonIsNamedAndLeavesTheWorldEmpty) {
  World world(WorldDef{.backend = Backend::cpu, .threads = 1});
  const auto expect_bad = [&](const std::function<void(Skeleton&)>& spoil, const std::string& part) {
    Skeleton skeleton = human_skeleton();
    spoil(skeleton);
    expect_error([&] { add_figure(world, skeleton, {}); }, part);
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  expect_bad([](Skeleton& s) { s.segments.clear(); }, "no segments");
  expect_bad([](Skeleton& s) { s.segments[2].name = ""; }, "segments[2] has no name");
  expect_bad([](Skeleton& s) { s.segments[2].name = "pelvis"; }, "\"pelvis\": comes twice");
  expect_bad([](Skeleton& s) { s.segments[0].parent = 1; }, "\"pelvis\".parent = 1");
  expect_bad([](Skeleton& s) { s.segments[2].parent = 2; }, "\"chest\".parent = 2");
  expect_bad([](Skeleton& s) { s.segments[2].parent = -1; }, "\"chest\".parent = -1");
  expect_bad([](Skeleton& s) { s.segments[3].shape = plane({0, 1, 0}); }, "\"head\"");
  expect_bad([](Skeleton& s) { s.segments[3].shape = sphere(-1); }, "\"head\"");
  expect_bad([&](Skeleton& s) { s.segments[3].mass = nan; }, "\"head\".mass");
  expect_bad([&](Skeleton& s) { s.segments[3].joint.position.x = nan; }, "\"head\".joint.position");
  expect_bad([](Skeleton& s) { s.segments[3].inertia_scale = 0; }, "\"head\".inertia_scale");
  expect_bad([](Skeleton& s) { s.segments[3].strength = -1; }, "\"head\".strength");
  expect_bad([](Skeleton& s) { s.segments[3].twist = {1, -1}; }, "\"head\": twist.lower = 1");
  expect_bad([](Skeleton& s) { s.segments[3].swing_z = {0.5f, 0.5f}; }, "\"head\": swing_z = 0.5");
  expect_bad([](Skeleton& s) { s.segments[3].comfort = {2, 0, 0}; }, "\"head\": comfort.twist = 2");
  expect_bad([](Skeleton& s) { s.segments[3].reference = {0, 1.6f, 0}; }, "\"head\".reference");
  expect_bad([](Skeleton& s) { s.full_angle = 0; }, "full_angle");
  expect_error([&] { add_figure(world, human_skeleton(), {}, -1); }, "strength");
  expect_error([&] { add_figure(world, human_skeleton(), {{nan, 0, 0}, kIdentity}); }, "place");
  expect_error([] { human_skeleton(0); }, "height");
  EXPECT_EQ(world.body_count(), 0);
}

TEST(Assembly, WithABadJointAddsNothing) {
  World world(WorldDef{.backend = Backend::cpu, .threads = 1});
  Assembly parts = figure_assembly(human_skeleton(), {});
  parts.joints[4].b = 18;
  expect_error([&] { add_assembly(world, parts); }, "joints[4].b = 18");
  parts.joints[4].b = 5;
  parts.joints[4].def.axis(Axis::twist).friction = -1;
  expect_error([&] { add_assembly(world, parts); }, "friction");
  EXPECT_EQ(world.body_count(), 0);
  EXPECT_EQ(world.joint_count(), 0);
}

TEST(Vehicle, HasFourWheelsOnTheGroundAndSpringsLoadedForItsWeight) {
  const VehicleDef def;
  const Assembly parts = vehicle_assembly(def, {});
  ASSERT_EQ(parts.bodies.size(), 5u);
  ASSERT_EQ(parts.joints.size(), 4u);
  float load = 0;
  for (std::size_t wheel = 0; wheel < 4; ++wheel) {
    EXPECT_FLOAT_EQ(parts.bodies[1 + wheel].position.y, def.wheel_radius);
    const AxisDef& spring = parts.joints[wheel].def.axis(Axis::y);
    load -= spring.stiffness * spring.target_position;
    EXPECT_EQ(parts.joints[wheel].def.axis(Axis::twist).drive, wheel < 2 ? Drive::none : Drive::velocity);
    EXPECT_EQ(parts.joints[wheel].def.axis(Axis::swing_y).mode, wheel < 2 ? AxisMode::limited : AxisMode::locked);
  }
  EXPECT_NEAR(load, 1200 * 9.81f, 0.1f);
  EXPECT_GT(parts.bodies[1].position.x, 0.0f);  // front left
  EXPECT_GT(parts.bodies[1].position.z, 0.0f);
}

TEST(Vehicle, HoldsTogetherWithItsTrailer) {
  VehicleDef def;
  def.trailer = true;
  for (const Transform& place : {Transform{}, kSomewhere}) {
    const Assembly parts = vehicle_assembly(def, place);
    ASSERT_EQ(parts.bodies.size(), 8u);
    ASSERT_EQ(parts.joints.size(), 7u);
    const scenes::Metrics metrics = measure(parts);
    EXPECT_LT(metrics.joint_max, 1e-6);
    EXPECT_LT(metrics.pen_max, 1e-6);
  }
}

TEST(Vehicle, SteersSuchThatAllWheelsRollAboutOnePoint) {
  World world(WorldDef{.backend = Backend::cpu, .threads = 1});
  VehicleDef def;
  def.front_drive = true;
  const Vehicle car = add_vehicle(world, def, {});
  car.set_steering(world, radians(20));
  const auto angle = [&](std::size_t wheel) {
    return double(world.definition(car.wheel_joints[wheel]).axis(Axis::swing_y).target_position);
  };
  const double turn = def.wheelbase / std::tan(radians(20.0f));  // [m] from the middle to the centre of the turn
  EXPECT_NEAR(angle(0), std::atan(def.wheelbase / (turn - def.track / 2)), 1e-5);
  EXPECT_NEAR(angle(1), std::atan(def.wheelbase / (turn + def.track / 2)), 1e-5);
  car.set_drive(world, 7);
  for (const JointId wheel : car.wheel_joints) {
    EXPECT_FLOAT_EQ(world.definition(wheel).axis(Axis::twist).target_velocity, 7 / def.wheel_radius);
  }
  EXPECT_FALSE(world.contains(car.trailer));
}

TEST(Vehicle, ABadNumberIsNamed) {
  const auto expect_bad = [](const std::function<void(VehicleDef&)>& spoil, const std::string& part) {
    VehicleDef def;
    def.trailer = true;
    spoil(def);
    expect_error([&] { vehicle_assembly(def, {}); }, part);
  };
  expect_bad([](VehicleDef& d) { d.mass = 0; }, "mass");
  expect_bad([](VehicleDef& d) { d.wheel_radius = -1; }, "wheel_radius");
  expect_bad([](VehicleDef& d) { d.suspension_hertz = 0; }, "suspension_hertz");
  expect_bad([](VehicleDef& d) { d.max_steering = 2; }, "max_steering");
  expect_bad([](VehicleDef& d) { d.trailer_def.mass = -1; }, "trailer_def.mass");
  World world(WorldDef{.backend = Backend::cpu, .threads = 1});
  const Vehicle car = add_vehicle(world, {}, {});
  expect_error([&] { car.set_steering(world, 1); }, "angle");
  expect_error([&] { car.set_drive(world, std::numeric_limits<float>::infinity()); }, "speed");
}

}  // namespace
}  // namespace talus
