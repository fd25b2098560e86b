// SPDX-License-Identifier: MIT
// Every joint by itself: what it holds, what it leaves free, and the reaction it is read with, against statics.
#include <algorithm>
#include <vector>

#include "analytic/joint_rig.h"

namespace talus::test {
namespace {

class Joints : public JointTest {};
TALUS_INSTANTIATE_ON_BACKENDS(Joints);
class JointsAtLength : public JointTest {};  // seconds of simulated time
TALUS_INSTANTIATE_ON_CPU(JointsAtLength);

struct Kind {
  const char* name;
  JointDef def;
};
/// One of each, with its frame at a point; axes askew.
std::vector<Kind> kinds(BodyId a, BodyId b, Vec3 point) {
  JointDef mixed = ball_joint(a, b, point);
  mixed.axis(Axis::x) = limited(-0.05f, 0.1f);
  mixed.axis(Axis::z) = spring(200, 5);
  mixed.axis(Axis::twist) = friction(0.3f);
  mixed.axis(Axis::swing_y) = limited(-0.4f, 0.4f);
  mixed.axis(Axis::swing_z) = locked();
  JointDef rod =
      distance_joint(a, b, {point.x - 0.3f, point.y, point.z}, {point.x + 0.2f, point.y, point.z}, 0.5f, 0.5f);
  return {{"ball", ball_joint(a, b, point)},
          {"hinge", hinge_joint(a, b, point, {1, 2, 3})},
          {"universal", universal_joint(a, b, point, {1, 2, 0}, {-2, 1, 0})},
          {"slider", slider_joint(a, b, point, {3, 1, 1})},
          {"cylindrical", cylindrical_joint(a, b, point, {3, 1, -1})},
          {"weld", weld_joint(a, b, point)},
          {"rod", rod},
          {"motor", motor_joint(a, b, point, 4, 500, 50)},
          {"mixed", mixed}};
}

// Thrown about without gravity: what is locked stays, and the pair as a whole goes on as nothing had happened.
TEST_P(Joints, HoldTheirAxesAndKeepMomentumWhenThrown) {
  for (std::size_t kind = 0; kind < kinds({}, {}, {}).size(); ++kind) {
    World world(weightless());
    BodyDef def_a = brick({-0.5f, 0, 0}, 3), def_b = brick({0.5f, 0.1f, 0}, 1);
    def_a.linear_velocity = {0.3f, -0.2f, 0.5f};
    def_b.angular_velocity = {1, 2, -1.5f};
    const BodyId a = world.add_body(def_a), b = world.add_body(def_b);
    const Kind k = kinds(a, b, {0, 0.05f, 0})[kind];
    const JointId joint = world.add_joint(k.def);
    const Mechanics start = world.mechanics();
    double worst = 0, reading = 0;
    for (int step = 0; step < cpu_or_cuda(240, 30); ++step) {
      world.step(kStep);
      worst = std::max(worst, lock_error(world, joint));
      const std::array<double, kAxisCount> c = coordinates(world, joint);
      const JointReading r = world.reading(joint);
      if (k.def.radial) worst = std::max(worst, std::fabs(c[0] - 0.5));
      for (std::size_t i = 0; i < c.size(); ++i) {
        const double miss = r.position[i] - c[i];
        reading = std::max(reading, std::fabs(i < 3 ? miss : std::remainder(miss, 2 * kPi)));
      }
    }
    const Mechanics end = world.mechanics();
    double linear = 0, angular = 0;
    for (int i = 0; i < 3; ++i) {
      linear = std::max(linear, std::fabs(end.momentum[i] - start.momentum[i]));
      angular = std::max(angular, std::fabs(end.angular_momentum[i] - start.angular_momentum[i]));
    }
    note(std::string(k.name) + ".error", worst);
    note(std::string(k.name) + ".reading", reading);
    note(std::string(k.name) + ".momentum", linear);
    note(std::string(k.name) + ".angular_momentum", angular);
    EXPECT_LT(worst, 1e-3) << k.name;
    EXPECT_LT(reading, 1e-4) << k.name;
    EXPECT_LT(linear, 2e-5) << k.name;   // [kg m/s] of 1.8
    EXPECT_LT(angular, 2e-5) << k.name;  // [kg m^2/s] of 0.8
  }
}

// ---- statics ----------------------------------------------------------------------------------------------------

TEST_P(Joints, HangingMassPullsWithItsWeight) {
  for (std::size_t kind = 0; kind < kinds({}, {}, {}).size(); ++kind) {
    if (kind == 3 || kind == 4 || kind == 6) continue;  // slide; the rod is below
    World world(def());
    const BodyId body = world.add_body(brick({0, -0.4f, 0}, 2));
    const Kind k = kinds(kWorld, body, {0, 0, 0})[kind];
    const JointId joint = world.add_joint(k.def);
    world.step_n(cpu_or_cuda(180, 90), kStep);
    const JointReading r = world.reading(joint);
    note(k.name, r.force.y);
    EXPECT_NEAR(r.force.y, 2 * kGravity, 0.01 * 2 * kGravity) << k.name;
    EXPECT_NEAR(r.force.x, 0, 0.2) << k.name;
    EXPECT_NEAR(r.force.z, 0, 0.2) << k.name;
    EXPECT_LT(length(vec(r.torque)), 0.08) << k.name;  // 1 % of m g 0.4 m
  }
}

// The reaction is what b feels: if b is the world, it is pulled down.
TEST_P(Joints, ReactionIsOnB) {
  World world(def());
  const BodyId body = world.add_body(brick({0, -0.4f, 0}, 2));
  const JointId joint = world.add_joint(ball_joint(body, kWorld, {0, 0, 0}));
  world.step_n(30, kStep);
  EXPECT_NEAR(world.reading(joint).force.y, -2 * kGravity, 0.01 * 2 * kGravity);
}

TEST_P(Joints, CantileverBearsWeightAndMoment) {
  for (const bool turned : {false, true}) {  // the world as a, the world as b
    World world(def());
    const BodyId body = world.add_body(brick({0.8f, 0, 0}, 2));
    const JointDef weld = turned ? weld_joint(body, kWorld, {0, 0, 0}) : weld_joint(kWorld, body, {0, 0, 0});
    const JointId joint = world.add_joint(weld);
    world.step_n(cpu_or_cuda(120, 60), kStep);
    const JointReading r = world.reading(joint);
    const double side = turned ? -1 : 1, weight = 2 * kGravity;
    note(turned ? "turned.force" : "force", r.force.y);
    note(turned ? "turned.torque" : "torque", r.torque.z);
    EXPECT_NEAR(r.force.y, side * weight, 0.01 * weight);
    EXPECT_NEAR(r.torque.z, side * weight * 0.8, 0.01 * weight * 0.8);
    EXPECT_NEAR(r.torque.x, 0, 0.01 * weight * 0.8);
    EXPECT_NEAR(r.torque.y, 0, 0.01 * weight * 0.8);
    EXPECT_LT(lock_error(world, joint), 1e-4);
  }
}

// Of two welded in a row the first bears both, a metre and two away.
TEST_P(Joints, WeldedRowBearsTheSumOfItsMoments) {
  World world(def());
  const BodyId first = world.add_body(brick({1, 0, 0}, 2)), second = world.add_body(brick({2, 0, 0}, 3));
  const JointId root = world.add_joint(weld_joint(kWorld, first, {0, 0, 0}));
  const JointId middle = world.add_joint(weld_joint(first, second, {1.5f, 0, 0}));
  world.step_n(cpu_or_cuda(120, 60), kStep);
  const double moment = (2 * 1 + 3 * 2) * kGravity, outer = 3 * 0.5 * kGravity;
  note("root", world.reading(root).torque.z);
  note("middle", world.reading(middle).torque.z);
  EXPECT_NEAR(world.reading(root).force.y, 5 * kGravity, 0.01 * 5 * kGravity);
  EXPECT_NEAR(world.reading(root).torque.z, moment, 0.01 * moment);
  EXPECT_NEAR(world.reading(middle).torque.z, outer, 0.01 * outer);
}

// A door on a vertical hinge.
TEST_P(Joints, HingeBearsTheMomentAcrossItsAxis) {
  World world(def());
  const BodyId door = world.add_body(brick({0.8f, 0, 0}, 2));
  const JointId joint = world.add_joint(hinge_joint(kWorld, door, {0, 0, 0}, {0, 1, 0}));
  world.step_n(cpu_or_cuda(120, 60), kStep);
  const JointReading r = world.reading(joint);
  note("torque", r.torque.z);
  EXPECT_NEAR(r.torque.z, 2 * kGravity * 0.8, 0.01 * 2 * kGravity * 0.8);
  EXPECT_NEAR(r.torque.y, 0, 1e-3);
  EXPECT_NEAR(along(r, Axis::twist), 0, 1e-3);
}

TEST_P(Joints, RodPullsAndPushesWithTheWeight) {
  for (const double below : {1.0, -1.0}) {  // hanging; standing on it, upright on a slider
    World world(def());
    const BodyId body = world.add_body(wheel({0, float(-below), 0}, 2, 1));
    const JointId rod = world.add_joint(distance_joint(kWorld, body, {0, 0, 0}, {0, float(-below), 0}, 1, 1));
    if (below < 0) world.add_joint(slider_joint(kWorld, body, {0, 1, 0}, {0, 1, 0}));
    world.step_n(cpu_or_cuda(120, 60), kStep);
    const JointReading r = world.reading(rod);
    note(below > 0 ? "hanging" : "standing", r.force.y);
    EXPECT_NEAR(r.force.y, 2 * kGravity, 0.01 * 2 * kGravity);
    EXPECT_NEAR(along(r, Axis::x), 1, 1e-4);
  }
}

// A rope is slack within its length and taut beyond it.
TEST_P(Joints, RopeIsSlackUntilItIsTaut) {
  World world(def());
  const BodyId body = world.add_body(wheel({0, -0.5f, 0}, 2, 1));
  const JointId rope = world.add_joint(distance_joint(kWorld, body, {0, 0, 0}, {0, -0.5f, 0}, 0, 1));
  world.step_n(12, kStep);
  EXPECT_NEAR(world.position(body).y, -0.5 - distance_of_scheme(kGravity, 12, kSubsteps), 1e-5);
  EXPECT_EQ(world.reading(rope).force.y, 0);
  world.step_n(cpu_or_cuda(120, 60), kStep);
  note("force", world.reading(rope).force.y);
  note("length", along(world.reading(rope), Axis::x));
  EXPECT_NEAR(world.reading(rope).force.y, 2 * kGravity, 0.01 * 2 * kGravity);
  EXPECT_NEAR(along(world.reading(rope), Axis::x), 1, 1e-3);
}

// ---- free directions --------------------------------------------------------------------------------------------

// About a principal axis, and with the centre of mass half a metre off the axis.
TEST_P(JointsAtLength, HingeTurnsWithoutLoss) {
  for (const float off : {0.0f, 0.5f}) {
    World world(weightless());
    BodyDef def = brick({off, 0, 0});
    def.angular_velocity = {0, 5, 0};
    def.linear_velocity = {0, 0, -5 * off};
    const BodyId body = world.add_body(def);
    const JointId joint = world.add_joint(hinge_joint(kWorld, body, {0, 0, 0}, {0, 1, 0}));
    world.step_n(600, kStep);
    const double speed = world.angular_velocity(body).y;
    note(off > 0 ? "off_axis" : "on_axis", speed / 5 - 1);
    EXPECT_NEAR(speed, 5, 5e-3);
    EXPECT_NEAR(along(world.reading(joint), Axis::twist), 50, 0.05) << "turns are counted";
    EXPECT_NEAR(rate(world.reading(joint), Axis::twist), speed, 1e-4);
    EXPECT_LT(lock_error(world, joint), 2e-4);  // (h w)^2 / 2 of the arm, by which a chord misses its arc, is 1.1e-4 m
  }
}

// Friction about a ball joint, which is swept, beside its locked axes, which are in a tree: the torque is of one step.
TEST_P(JointsAtLength, TorqueOfSweptAxesDoesNotAddUp) {
  World world(weightless());
  BodyDef def = brick({0, 0, 0});
  def.angular_velocity = {0, 20, 0};
  const BodyId body = world.add_body(def);
  JointDef ball = ball_joint(kWorld, body, {0, 0, 0});
  for (const Axis axis : {Axis::twist, Axis::swing_y, Axis::swing_z}) ball.axis(axis) = friction(0.01f);
  const JointId joint = world.add_joint(ball);
  for (int step = 0; step < 60; ++step) {
    world.step(kStep);
    EXPECT_NEAR(length(vec(world.reading(joint).torque)), 0.01, 1e-5) << step;  // measured: below 1e-6
  }
}

// By joints in a tree and by those that close loops, of which two are more than trees take.
TEST_P(JointsAtLength, TurnsAreCountedInLoops) {
  World world(weightless());
  BodyDef def = brick({0, 0, 0});
  def.angular_velocity = {0, 5, 0};
  const BodyId body = world.add_body(def);
  std::vector<JointId> joints;
  for (int i = 0; i < 3; ++i) joints.push_back(world.add_joint(hinge_joint(kWorld, body, {0, 0, 0}, {0, 1, 0})));
  world.step_n(240, kStep);
  for (const JointId joint : joints) EXPECT_NEAR(along(world.reading(joint), Axis::twist), 20, 0.05);
}

// Uneven body turning about a fixed point: energy and angular momentum about the point stay.
TEST_P(JointsAtLength, BallTurnsWithoutLoss) {
  World world(weightless());
  BodyDef def = brick({0.5f, 0, 0});
  def.angular_velocity = {2, 0, 3};
  def.linear_velocity = {0, 1.5f, 0};
  world.add_body(def);
  const JointId joint = world.add_joint(ball_joint(kWorld, world.bodies()[0], {0, 0, 0}));
  const Mechanics start = world.mechanics();
  world.step_n(600, kStep);
  const Mechanics end = world.mechanics();
  const Vecd before{start.angular_momentum[0], start.angular_momentum[1], start.angular_momentum[2]};
  const Vecd after{end.angular_momentum[0], end.angular_momentum[1], end.angular_momentum[2]};
  note("energy", end.kinetic_energy / start.kinetic_energy - 1);
  note("angular_momentum", length(after - before) / length(before));
  EXPECT_NEAR(end.kinetic_energy, start.kinetic_energy, 5e-3 * start.kinetic_energy);
  EXPECT_LT(length(after - before), 5e-3 * length(before));
  EXPECT_LT(lock_error(world, joint), 1e-4);
}

// Down a slope, with the joint at a corner: g cos(theta) along the axis and nothing else.
TEST_P(Joints, SliderAndCylinderFallAlongTheirAxis) {
  for (const double theta : {0.0, 30.0, 60.0, 85.0}) {
    for (const bool cylinder : {false, true}) {
      World world(def());
      BodyDef body_def = brick({0, 0, 0});
      const Vec3 axis{float(std::sin(theta * kDegree)), float(-std::cos(theta * kDegree)), 0};
      if (cylinder) body_def = wheel({0, 0, 0}, 2, 0.2f);
      if (cylinder) body_def.angular_velocity = scenes::to_vec3(7.0 * vec(axis));
      const BodyId body = world.add_body(body_def);
      const Vec3 at = cylinder ? Vec3{0, 0, 0} : Vec3{0.1f, 0.2f, 0.3f};
      const JointId joint =
          world.add_joint(cylinder ? cylindrical_joint(kWorld, body, at, axis) : slider_joint(kWorld, body, at, axis));
      world.step_n(60, kStep);
      const double fall = distance_of_scheme(kGravity * std::cos(theta * kDegree), 60, kSubsteps);
      const JointReading r = world.reading(joint);
      note(std::string(cylinder ? "cylinder" : "slider") + std::to_string(int(theta)), along(r, Axis::x) / fall);
      EXPECT_NEAR(along(r, Axis::x), fall, 1e-4 * fall + 1e-5) << theta;
      EXPECT_LT(lock_error(world, joint), 1e-4) << theta;
      EXPECT_NEAR(rate(r, Axis::twist), cylinder ? 7 : 0, 1e-3);
      const double pressed = 2 * kGravity * std::sin(theta * kDegree);  // across the slope
      EXPECT_NEAR(length(vec(r.force)), pressed, 0.01 * 2 * kGravity) << theta;
    }
  }
}

// A spin about either arm of a universal joint goes on; one about neither is stopped.
TEST_P(Joints, UniversalTurnsAboutItsTwoArms) {
  for (const Axis axis : {Axis::twist, Axis::swing_y}) {
    World world(weightless());
    BodyDef body_def = wheel({0, 0, 0}, 2, 0.5f);
    body_def.angular_velocity = axis == Axis::swing_y ? Vec3{1, 0, 0} : Vec3{0, 0, 1};  // arm a, arm b
    const BodyId body = world.add_body(body_def);
    const JointId joint = world.add_joint(universal_joint(kWorld, body, {0, 0, 0}, {1, 0, 0}, {0, 0, 1}));
    world.step_n(60, kStep);
    EXPECT_NEAR(rate(world.reading(joint), axis), 1, 1e-4);
    EXPECT_NEAR(along(world.reading(joint), axis), 1, 1e-4);
    EXPECT_LT(lock_error(world, joint), 1e-4);
  }
  World world(weightless());
  BodyDef body_def = wheel({0, 0, 0}, 2, 0.5f);
  body_def.angular_velocity = {0, 1, 0};
  const BodyId body = world.add_body(body_def);
  world.add_joint(universal_joint(kWorld, body, {0, 0, 0}, {1, 0, 0}, {0, 0, 1}));
  world.step_n(2, kStep);
  EXPECT_LT(length(vec(world.angular_velocity(body))), 1e-5);
}

// Over the right angle, where the angles of both swings jump, and round.
TEST_P(JointsAtLength, UniversalTurnsAllTheWayRound) {
  for (const bool about_a : {true, false}) {
    World world(weightless());
    BodyDef body_def = wheel({0, 0, 0}, 2, 0.5f);
    body_def.angular_velocity = about_a ? Vec3{2, 0, 0} : Vec3{0, 0, 2};
    const BodyId body = world.add_body(body_def);
    const JointId joint = world.add_joint(universal_joint(kWorld, body, {0, 0, 0}, {1, 0, 0}, {0, 0, 1}));
    double worst = 0;
    for (int step = 0; step < 600; ++step) {
      world.step(kStep);
      worst = std::max(worst, lock_error(world, joint));
    }
    const Vec3 w = world.angular_velocity(body);
    note(about_a ? "about_a" : "about_b", length(vec(w)));
    EXPECT_LT(length(vec(w) - vec(body_def.angular_velocity)), 2e-3);
    EXPECT_LT(worst, 1e-4);
  }
}

// Each axis of one joint by itself: limited, locked, free, friction, sprung.
TEST_P(Joints, SixAxesHaveSixModes) {
  World world(weightless());
  BodyDef body_def = wheel({0, 0, 0}, 1, 0.1f);
  body_def.linear_velocity = {1, 1, 1};
  body_def.angular_velocity = {2, 0, 0};
  const BodyId body = world.add_body(body_def);
  JointDef d;
  d.b = body;
  d.axis(Axis::x) = limited(-0.1f, 0.3f);
  d.axis(Axis::y) = locked();
  d.axis(Axis::twist) = friction(0.05f);  // 0.5 rad/s^2
  d.axis(Axis::swing_y) = locked();
  d.axis(Axis::swing_z) = limited(-0.1f, 0.1f);
  const JointId joint = world.add_joint(d);
  world.step_n(60, kStep);
  const JointReading r = world.reading(joint);
  EXPECT_NEAR(along(r, Axis::x), 0.3, 1e-3);
  EXPECT_NEAR(along(r, Axis::y), 0, 1e-4);
  EXPECT_NEAR(along(r, Axis::z), 1, 1e-4);
  EXPECT_NEAR(rate(r, Axis::twist), 1.5, 0.005);
  EXPECT_NEAR(along(r, Axis::swing_y), 0, 1e-4);
  EXPECT_NEAR(along(r, Axis::swing_z), 0, 1e-3);
}

// A motor joint holds its body where the targets say, against its weight.
TEST_P(JointsAtLength, MotorJointGoesWhereItsTargetsAre) {
  World world(def());
  const BodyId body = world.add_body(brick({0, 0, 0}));
  const JointId joint = world.add_joint(motor_joint(kWorld, body, {0, 0, 0}, 5, 1000, 1000));
  world.set_targets(joint, Axis::x, 0.5f, 0);
  world.set_targets(joint, Axis::z, -0.25f, 0);
  world.set_targets(joint, Axis::twist, 0.7f, 0);
  world.step_n(180, kStep);
  const JointReading r = world.reading(joint);
  const double omega = 2 * kPi * 5, sag = kGravity / (omega * omega);
  note("sag", along(r, Axis::y) / -sag);
  EXPECT_NEAR(along(r, Axis::x), 0.5, 1e-4);
  EXPECT_NEAR(along(r, Axis::y), -sag, 0.01 * sag);
  EXPECT_NEAR(along(r, Axis::z), -0.25, 1e-4);
  EXPECT_NEAR(along(r, Axis::twist), 0.7, 1e-3);
  EXPECT_NEAR(r.force.y, 2 * kGravity, 0.01 * 2 * kGravity);
}

// ---- what joints hang on ----------------------------------------------------------------------------------------

TEST_P(JointsAtLength, GondolaFollowsAKinematicWheel) {
  World world(def());
  BodyDef arm{.shape = box({1, 0.05f, 0.05f}), .motion = Motion::kinematic, .angular_velocity = {0, 0, 1}};
  const BodyId wheel_id = world.add_body(arm);
  const BodyId gondola = world.add_body(brick({1, -0.4f, 0}));
  const JointId joint = world.add_joint(hinge_joint(wheel_id, gondola, {1, 0, 0}, {0, 0, 1}));
  double worst = 0;
  for (int step = 1; step <= 600; ++step) {
    world.step(kStep);
    const Frame hook = frame_in_world(world, gondola, world.definition(joint).frame_b);
    const double angle = step / 60.0;
    worst = std::max(worst, length(hook.origin - Vecd{std::cos(angle), std::sin(angle), 0}));
  }
  note("error", worst);
  EXPECT_LT(worst, 1e-3);
  EXPECT_LT(lock_error(world, joint), 1e-3);
}

TEST_P(Joints, WeldedToAMovingKinematicBodyGoesWithIt) {
  World world(weightless());
  BodyDef carrier{.shape = sphere(0.2f), .motion = Motion::kinematic};
  carrier.linear_velocity = {1, 0, 0};
  carrier.angular_velocity = {0, 2, 0};
  const BodyId a = world.add_body(carrier), b = world.add_body(brick({0, 0, 0.5f}));
  const JointId joint = world.add_joint(weld_joint(b, a, {0, 0, 0.2f}));
  world.step_n(60, kStep);
  EXPECT_LT(lock_error(world, joint), 1e-4);
  EXPECT_NEAR(world.angular_velocity(b).y, 2, 1e-3);
  EXPECT_NEAR(world.position(b).x, 1 + 0.5 * std::sin(2.0), 1e-3);
  EXPECT_NEAR(world.position(b).z, 0.5 * std::cos(2.0), 1e-3);
}

// ---- figures ----------------------------------------------------------------------------------------------------

// A uniform rod of 1 m about its end: T = 2 pi sqrt(2 L / (3 g)) = 1.638 s.
TEST_P(JointsAtLength, RodPendulumHasItsPeriod) {
  World world(def());
  BodyDef rod{.shape = box({0.5f, 0.01f, 0.01f}), .mass = 1.0f, .inertia = Vec3{1e-4f, 1.0f / 12, 1.0f / 12}};
  const double start = 0.05;  // [rad] from the vertical
  rod.position = {float(0.5 * std::sin(start)), float(-0.5 * std::cos(start)), 0};
  rod.orientation = turn({0, 0, 1}, start - kPi / 2);
  const BodyId body = world.add_body(rod);
  const JointId joint = world.add_joint(hinge_joint(kWorld, body, {0, 0, 0}, {0, 0, 1}));
  double last = -start, first = 0, crossing = 0;
  int crossings = 0;
  for (int step = 1; step <= 600; ++step) {
    world.step(kStep);
    const double angle = -start - along(world.reading(joint), Axis::twist);
    if (last < 0 && angle >= 0) {
      crossing = (step - angle / (angle - last)) / 60.0;
      if (crossings++ == 0) first = crossing;
    }
    last = angle;
  }
  ASSERT_GE(crossings, 3);
  const double period = (crossing - first) / (crossings - 1), exact = 2 * kPi * std::sqrt(2 / (3 * kGravity));
  note("period", period);
  EXPECT_NEAR(period, exact, 0.01 * exact);
}

// Two shafts at 30 degrees: the driven one runs at between cos 30 and 1 / cos 30 of the other's speed.
TEST_P(JointsAtLength, UniversalJointSwingsTheSpeed) {
  World world(weightless());
  const Vec3 out{float(std::cos(30 * kDegree)), float(std::sin(30 * kDegree)), 0};
  const BodyId a = world.add_body(wheel({-1, 0, 0}, 1, 0.1f));
  const BodyId b = world.add_body(wheel(out, 1, 0.1f));
  JointDef driven = hinge_joint(kWorld, a, {-1, 0, 0}, {1, 0, 0});
  const AxisDef drive = motor(3);
  driven.axis(Axis::twist) = drive;
  world.add_joint(driven);
  const JointId shaft = world.add_joint(hinge_joint(kWorld, b, out, out));
  // Arm a across both shafts, arm b across the second one and arm a.
  world.add_joint(universal_joint(a, b, {0, 0, 0}, {0, 0, 1}, {-out.y, out.x, 0}));
  world.step_n(60, kStep);
  double least = 10, most = 0;
  for (int step = 0; step < 600; ++step) {
    world.step(kStep);
    const double ratio = std::fabs(rate(world.reading(shaft), Axis::twist)) / length(vec(world.angular_velocity(a)));
    least = std::min(least, ratio);
    most = std::max(most, ratio);
  }
  note("least", least);
  note("most", most);
  EXPECT_NEAR(least, std::cos(30 * kDegree), 0.01 * 0.866);
  EXPECT_NEAR(most, 1 / std::cos(30 * kDegree), 0.01 * 1.1547);
}

}  // namespace
}  // namespace talus::test
