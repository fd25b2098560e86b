// SPDX-License-Identifier: MIT
// Bodies that touch nothing, against the closed form of the scheme: gravity, force, torque, impulse, damping.
#include "analytic/rig.h"

namespace talus::test {
namespace {

class FreeMotion : public BackendTest {};
TALUS_INSTANTIATE_ON_BACKENDS(FreeMotion);

TEST_P(FreeMotion, FallMatchesTheClosedFormOfTheScheme) {
  for (const int substeps : {1, 4}) {
    SCOPED_TRACE("substeps " + std::to_string(substeps));
    World world(def({.substeps = substeps}));
    const BodyId ball = world.add_body({.shape = sphere(0.5f)});
    world.step_n(60, kStep);
    EXPECT_NEAR(world.position(ball).y, -distance_of_scheme(kGravity, 60, substeps), 1e-4);
    EXPECT_NEAR(world.linear_velocity(ball).y, -kGravity, 1e-4);
    EXPECT_EQ(world.position(ball).x, 0.0f);
    EXPECT_EQ(world.position(ball).z, 0.0f);
  }
  EXPECT_NEAR(distance_of_scheme(kGravity, 60, 1), 4.98675, 1e-9);
}

TEST_P(FreeMotion, MoreauFallIsExactWithAnyNumberOfSubsteps) {
  for (const int substeps : {1, 4, 7}) {
    SCOPED_TRACE("substeps " + std::to_string(substeps));
    World world(def({.integrator = Integrator::moreau, .substeps = substeps}));
    const BodyId ball = world.add_body({.shape = sphere(0.5f), .linear_velocity = {1.0f, 0.0f, 0.0f}});
    world.step_n(60, kStep);
    EXPECT_NEAR(world.position(ball).y, -4.905, 1e-4);
    EXPECT_NEAR(world.position(ball).x, 1.0, 1e-4);
  }
}

TEST_P(FreeMotion, GravityScaleMultipliesGravity) {
  World world(def());
  const BodyId floating = world.add_body({.position = {0.0f, 0.0f, 0.0f}, .gravity_scale = 0.0f});
  const BodyId rising = world.add_body({.position = {2.0f, 0.0f, 0.0f}, .gravity_scale = -0.5f});
  const BodyId heavy = world.add_body({.position = {4.0f, 0.0f, 0.0f}});
  world.set_gravity_scale(heavy, 2.0f);
  world.step_n(30, kStep);
  const double fall = distance_of_scheme(kGravity, 30, 4);
  EXPECT_EQ(world.position(floating).y, 0.0f);
  EXPECT_NEAR(world.position(rising).y, 0.5 * fall, 1e-4);
  EXPECT_NEAR(world.position(heavy).y, -2 * fall, 1e-4);
}

TEST_P(FreeMotion, GravityMayChangeBetweenSteps) {
  World world(def());
  const BodyId ball = world.add_body({});
  world.step_n(30, kStep);
  world.set_gravity({4.0f, 9.81f, 0.0f});
  world.step_n(30, kStep);
  EXPECT_NEAR(world.linear_velocity(ball).y, 0.0, 1e-4);
  EXPECT_NEAR(world.linear_velocity(ball).x, 2.0, 1e-4);
}

TEST_P(FreeMotion, DampingFollowsItsRecursion) {
  const double rate = 0.7, h = 1.0 / 240.0, keep = 1 / (1 + h * rate);
  const int n = 240;
  World world(weightless());
  const BodyId body = world.add_body({.linear_velocity = {3.0f, -2.0f, 1.0f},
                                      .angular_velocity = {0.0f, 4.0f, 0.0f},
                                      .linear_damping = 0.7f,
                                      .angular_damping = 0.35f});
  world.step_n(60, kStep);
  const BodyMotion m = world.motion(body);
  const double left = std::pow(keep, n), way = (1 - left) / rate;
  EXPECT_NEAR(m.linear_velocity.x, 3 * left, 1e-4);
  EXPECT_NEAR(m.linear_velocity.y, -2 * left, 1e-4);
  EXPECT_NEAR(m.pose.position.x, 3 * way, 1e-4);
  EXPECT_NEAR(m.pose.position.z, way, 1e-4);
  EXPECT_NEAR(m.angular_velocity.y, 4 * std::pow(1 / (1 + h * 0.35), n), 1e-4);
}

TEST_P(FreeMotion, DampedFallReachesItsTerminalVelocity) {
  World world(def());
  const BodyId ball = world.add_body({.linear_damping = 4.0f});
  world.step_n(240, kStep);
  EXPECT_NEAR(world.linear_velocity(ball).y, -kGravity / 4, 1e-4);
}

TEST_P(FreeMotion, ForceActsForOneStepOnly) {
  World world(weightless());
  const BodyId body = world.add_body({.shape = box({0.5f, 0.25f, 0.5f}), .mass = 4.0f});
  for (int i = 0; i < 60; ++i) {
    world.apply_force(body, {8.0f, 0.0f, 0.0f});
    world.apply_force(body, {0.0f, 0.0f, -4.0f});
    world.step(kStep);
  }
  EXPECT_NEAR(world.position(body).x, distance_of_scheme(2.0, 60, 4), 1e-4);
  EXPECT_NEAR(world.linear_velocity(body).x, 2.0, 1e-5);
  EXPECT_NEAR(world.linear_velocity(body).z, -1.0, 1e-5);
  world.step_n(60, kStep);
  EXPECT_NEAR(world.linear_velocity(body).x, 2.0, 1e-5);
  EXPECT_EQ(world.angular_velocity(body).y, 0.0f);
}

TEST_P(FreeMotion, TorqueSpinsABodyUp) {
  const BodyDef def{.shape = box({0.4f, 0.1f, 0.3f}), .mass = 6.0f};
  const double moment = 6.0 / 3 * (0.4 * 0.4 + 0.3 * 0.3), rate = 1.5 / moment;
  World world(weightless());
  const BodyId body = world.add_body(def);
  for (int i = 0; i < 60; ++i) {
    world.apply_torque(body, {0.0f, 1.5f, 0.0f});
    world.step(kStep);
  }
  EXPECT_NEAR(world.angular_velocity(body).y, rate, 1e-4 * rate);
  const Quat q = world.pose(body).orientation;
  EXPECT_NEAR(2 * std::atan2(double(q.y), double(q.w)), distance_of_scheme(rate, 60, 4), 1e-4);
  EXPECT_NEAR(length(vec(world.position(body))), 0.0, 1e-6);
}

TEST_P(FreeMotion, ForceAtAPointPushesAndTurns) {
  World world(weightless());
  const BodyId body = world.add_body({.shape = sphere(0.5f), .mass = 2.0f, .position = {10.0f, 0.0f, 0.0f}});
  world.apply_force_at(body, {0.0f, 0.0f, 30.0f}, {10.5f, 0.0f, 0.0f});
  world.step(kStep);
  const double moment = 0.4 * 2.0 * 0.25;
  EXPECT_NEAR(world.linear_velocity(body).z, 30.0 / 2.0 / 60.0, 1e-5);
  EXPECT_NEAR(world.angular_velocity(body).y, -0.5 * 30.0 / moment / 60.0, 1e-5);  // (0.5, 0, 0) x (0, 0, 30)
}

TEST_P(FreeMotion, ImpulsesChangeVelocityAtOnce) {
  World world(weightless());
  const BodyDef def{.shape = box({0.1f, 0.2f, 0.3f}), .mass = 3.0f, .orientation = turn({0.0f, 0.0f, 1.0f}, kPi / 2)};
  const BodyId body = world.add_body(def);
  world.apply_impulse(body, {6.0f, 0.0f, 0.0f});
  world.apply_angular_impulse(body, {0.0f, 0.5f, 0.0f});
  const BodyMotion m = world.motion(body);
  EXPECT_NEAR(m.linear_velocity.x, 2.0, 1e-6);
  EXPECT_NEAR(m.angular_velocity.y, 0.5 / (0.2 * 0.2 + 0.3 * 0.3), 1e-4);  // world y is the body's x axis
}

}  // namespace
}  // namespace talus::test
