// SPDX-License-Identifier: MIT
// Figures and vehicles in motion: dolls come to rest within their limits, a car does what its numbers say.
#include <talus/figures.h>

#include <gtest/gtest.h>
#include <talus/world.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "scenes/metrics.h"
#include "scenes/scene.h"

namespace talus::test {
namespace {

constexpr float kStep = 1.0f / 60;

// [rad] How far the turning axes of a mode are beyond their limits, locked ones from zero, at most.
float beyond_limits(scenes::RunningScene& running, AxisMode mode) {
  std::vector<JointReading> readings(running.joints().size());
  running.world().read_joints(running.joints(), readings);
  float most = 0;
  for (std::size_t joint = 0; joint < readings.size(); ++joint) {
    for (const Axis axis : {Axis::twist, Axis::swing_y, Axis::swing_z}) {
      const AxisDef& def = running.scene().joints[joint].def.axis(axis);
      const float angle = readings[joint].position[static_cast<std::size_t>(axis)];
      if (def.mode != mode) continue;
      most = std::max({most, def.lower - angle, angle - def.upper});  // both are zero if it is locked
    }
  }
  return most;
}

TEST(Figures, FallDownStairsAndComeToRestWithinTheirLimits) {
  scenes::RunningScene running(scenes::make_scene("ragdolls_12"), WorldDef{.backend = Backend::cpu});
  for (int step = 0; step < 600; ++step) ASSERT_TRUE(running.step());
  const scenes::Metrics metrics = scenes::measure(running.scene(), running.motions());
  EXPECT_EQ(metrics.not_finite, 0);
  EXPECT_EQ(metrics.escaped, 0);
  EXPECT_LT(metrics.ke_per_body, 1e-4);  // [J] measured: 1e-8
  EXPECT_LT(metrics.vmax, 0.03);         // [m/s] 7e-4
  EXPECT_LT(metrics.pen_max, 0.02);      // [m] 6.2e-3
  EXPECT_LT(metrics.joint_max, 5e-5);    // [m] 1e-5
  EXPECT_LT(beyond_limits(running, AxisMode::limited), radians(1));
  EXPECT_LT(beyond_limits(running, AxisMode::locked), radians(1));
}

// The highest of 64 figures, four deep, fall by 2.7 m on the stair below them: at 7.3 m/s.
TEST(Figures, KeepTheirLimitsInAPileAndFallAsleep) {
  constexpr int kCount = 64;
  scenes::RunningScene running(scenes::make_scene("ragdolls_" + std::to_string(kCount)),
                               WorldDef{.backend = Backend::cpu}, true);
  const std::span<const BodyId> figures = running.bodies().first(kCount * human_skeleton().segments.size());
  float beyond = 0, bent = 0;
  double vmax = 0;
  std::ptrdiff_t awake = 1;
  int step = 0;
  for (; step < 3600 && awake > 0; ++step) {
    ASSERT_TRUE(running.step());
    beyond = std::max(beyond, beyond_limits(running, AxisMode::limited));
    bent = std::max(bent, beyond_limits(running, AxisMode::locked));
    for (const BodyMotion& m : running.motions()) {
      const Vec3 v = m.linear_velocity;
      vmax = std::max(vmax, std::sqrt(double(v.x) * v.x + double(v.y) * v.y + double(v.z) * v.z));
    }
    if (step % 60 != 59) continue;
    awake = std::count_if(figures.begin(), figures.end(), [&](BodyId body) { return running.world().is_awake(body); });
  }
  RecordProperty("beyond", std::to_string(beyond));
  RecordProperty("bent", std::to_string(bent));
  RecordProperty("vmax", std::to_string(vmax));
  RecordProperty("asleep_after", std::to_string(step / 60));
  EXPECT_EQ(awake, 0) << "after 60 s";
  EXPECT_LT(beyond, radians(3));
  EXPECT_LT(bent, radians(8));  // a forearm that spins through 0.3 rad in the sub-step in which it hits
  EXPECT_LT(vmax, 2 * std::sqrt(2 * 9.81 * 2.7));
}

TEST(Figures, TurnTheirJointsToTheAnglesAsked) {
  World world(WorldDef{.gravity = {0, 0, 0}, .backend = Backend::cpu});
  const Figure figure = add_figure(world, human_skeleton(), {}, 1.0f);
  figure.set_angles(world, "head", {radians(30), 0, 0});
  figure.set_angles(world, "shin_left", {radians(80), 0, 0});
  figure.set_angles(world, "upper_arm_right", {radians(10), radians(20), radians(30)});
  for (int step = 0; step < 240; ++step) world.step(kStep);
  const auto expect_angles = [&](const char* name, Vec3 angles) {
    const JointReading reading = world.reading(figure.joint(name));
    EXPECT_NEAR(reading.position[3], angles.x, radians(3)) << name;
    EXPECT_NEAR(reading.position[4], angles.y, radians(3)) << name;
    EXPECT_NEAR(reading.position[5], angles.z, radians(3)) << name;
  };
  expect_angles("head", {radians(30), 0, 0});
  expect_angles("shin_left", {radians(80), 0, 0});
  expect_angles("upper_arm_right", {radians(10), radians(20), radians(30)});
  expect_angles("shin_right", figure.skeleton.segments[figure.segment("shin_right")].comfort);
}

TEST(Figures, SagWhenTheirStrengthIsTakenAway) {
  World world(WorldDef{.backend = Backend::cpu});
  const Figure figure = add_figure(world, human_skeleton(), {{0, 3, 0}, kIdentity}, 1.0f);
  world.add_joint(weld_joint(kWorld, figure.body("pelvis"), world.position(figure.body("pelvis"))));
  figure.set_angles(world, "upper_arm_left", {0, radians(60), 0});
  for (int step = 0; step < 180; ++step) world.step(kStep);
  const float lifted = world.position(figure.body("hand_left")).y;
  figure.set_strength(world, 0);
  for (int step = 0; step < 300; ++step) world.step(kStep);
  EXPECT_LT(world.position(figure.body("hand_left")).y, lifted - 0.5f);
}

class Road {
 public:
  explicit Road(const VehicleDef& def) : world_(WorldDef{.backend = Backend::cpu}) {
    world_.add_body({.shape = plane({0, 1, 0})});
    car_ = add_vehicle(world_, def, {});
  }
  void drive(float seconds) {
    for (int step = 0; step < int(std::lround(60 * seconds)); ++step) world_.step(kStep);
  }
  World& world() { return world_; }
  const Vehicle& car() const { return car_; }
  BodyMotion chassis() { return world_.motion(car_.chassis); }
  // [m/s^2] mean over a time.
  float acceleration(float seconds) {
    const float before = chassis().linear_velocity.z;
    drive(seconds);
    return (chassis().linear_velocity.z - before) / seconds;
  }

 private:
  World world_;
  Vehicle car_;
};

TEST(Vehicles, StandOnTheirSpringsAtTheHeightGiven) {
  Road road({});
  road.drive(3);
  EXPECT_NEAR(road.chassis().pose.position.y, 0.70f, 2e-3f);
  for (const JointId wheel : road.car().wheel_joints) {
    EXPECT_NEAR(road.world().reading(wheel).position[1], 0.0f, 1e-3f);
  }
}

TEST(Vehicles, AccelerateByTheirTorque) {
  const VehicleDef def;
  Road road(def);
  road.drive(1);
  road.car().set_drive(road.world(), 50);
  road.drive(0.5f);
  // Wheels are spheres: each adds 2/5 of its mass by its spin.
  const float moved = def.mass + 4 * def.wheel_mass * 1.4f;
  EXPECT_NEAR(road.acceleration(1), 2 * def.drive_torque / def.wheel_radius / moved, 0.01f);
}

TEST(Vehicles, AccelerateByFrictionAtMost) {
  VehicleDef def;
  def.front_drive = true;
  def.drive_torque = 20'000;
  Road road(def);
  road.drive(1);
  road.car().set_drive(road.world(), 50);
  road.drive(0.25f);
  const float most = std::sqrt(def.wheel_friction * 0.5f) * 9.81f;  // with the ground's coefficient of 0.5
  const float reached = road.acceleration(0.5f);
  EXPECT_LT(reached, 1.01f * most);
  EXPECT_GT(reached, 0.9f * most);
}

TEST(Vehicles, ReachTheirSpeedAndStop) {
  Road road({});
  road.car().set_drive(road.world(), 6);
  road.drive(5);
  EXPECT_NEAR(road.chassis().linear_velocity.z, 6.0f, 0.05f);
  road.car().set_drive(road.world(), -3);
  road.drive(7);
  EXPECT_NEAR(road.chassis().linear_velocity.z, -3.0f, 0.05f);
  road.car().set_drive(road.world(), 0);
  road.drive(4);
  EXPECT_NEAR(road.chassis().linear_velocity.z, 0.0f, 0.01f);
}

TEST(Vehicles, SteerToTheSideAskedOnTheCircleOfTheirWheels) {
  for (const float side : {1.0f, -1.0f}) {
    const VehicleDef def;
    Road road(def);
    road.car().set_drive(road.world(), 3);
    road.drive(3);
    road.car().set_steering(road.world(), side * radians(15));
    road.drive(2);
    const BodyMotion motion = road.chassis();
    EXPECT_GT(side * motion.pose.position.x, 0.5f);
    const float speed = std::hypot(motion.linear_velocity.x, motion.linear_velocity.z);
    const float turn = std::hypot(def.wheelbase / std::tan(radians(15)), def.wheelbase / 2);  // [m]
    EXPECT_NEAR(side * speed / motion.angular_velocity.y, turn, 0.05f * turn);
  }
}

TEST(Vehicles, AreFollowedByTheirTrailer) {
  VehicleDef def;
  def.trailer = true;
  Road road(def);
  road.car().set_drive(road.world(), 5);
  road.drive(4);
  road.car().set_steering(road.world(), radians(12));
  road.drive(3);
  const JointReading hitch = road.world().reading(road.car().hitch);
  for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_NEAR(hitch.position[axis], 0.0f, 2e-3f);
  EXPECT_LT(hitch.position[4], -0.05f);  // the trailer points to the outside of a curve to the left
  EXPECT_GT(hitch.position[4], -0.6f);
  const Vec3 car = road.chassis().pose.position, trailer = road.world().position(road.car().trailer);
  const float apart = std::hypot(car.x - trailer.x, car.z - trailer.z);
  EXPECT_GT(apart, 3.5f);
  EXPECT_LT(apart, 4.3f);
}

TEST(Vehicles, DriveOverBumps) {
  scenes::RunningScene running(scenes::make_scene("vehicle"), WorldDef{.backend = Backend::cpu});
  for (int step = 0; step < 480; ++step) ASSERT_TRUE(running.step());
  const scenes::Metrics metrics = scenes::measure(running.scene(), running.motions());
  const Transform chassis = running.motions()[0].pose;
  const Quat q = chassis.orientation;
  EXPECT_GT(chassis.position.z, 8.0f);                // past the last bump
  EXPECT_GT(1 - 2 * (q.x * q.x + q.z * q.z), 0.98f);  // upright within 11 degrees
  EXPECT_LT(metrics.joint_max, 2e-3);
  EXPECT_EQ(metrics.escaped, 0);
}

// Boxes fall by up to 3 m on a rope bridge and weigh three times as much as it does.
TEST(HangingJoints, ABridgeHoldsWhatFallsOnIt) {
  scenes::RunningScene running(scenes::make_scene("bridge_100_200"), WorldDef{.backend = Backend::cpu}, false);
  double joint_max = 0, vmax = 0;
  for (int step = 0; step < 300; ++step) {
    ASSERT_TRUE(running.step());
    const scenes::Metrics metrics = scenes::measure(running.scene(), running.motions());
    joint_max = std::max(joint_max, double(metrics.joint_max));
    vmax = std::max(vmax, double(metrics.vmax));
  }
  RecordProperty("joint_max", std::to_string(joint_max));
  RecordProperty("vmax", std::to_string(vmax));
  EXPECT_LT(joint_max, 1e-3);
  EXPECT_LT(vmax, 15.0);
}

TEST(HangingJoints, CarryTheirLoadWithoutMoving) {
  for (const char* name : {"joint_grid_20", "chain_50_1000"}) {
    scenes::RunningScene running(scenes::make_scene(name), WorldDef{.backend = Backend::cpu});
    for (int step = 0; step < 300; ++step) ASSERT_TRUE(running.step());
    const scenes::Metrics metrics = scenes::measure(running.scene(), running.motions());
    EXPECT_LT(metrics.joint_max, 1e-4) << name;
    EXPECT_LT(metrics.sag_max, 1e-3) << name;
    EXPECT_LT(metrics.ke_per_body, 1e-6) << name;
  }
}

}  // namespace
}  // namespace talus::test
