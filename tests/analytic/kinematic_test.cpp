// SPDX-License-Identifier: MIT
// Kinematic bodies: they carry, lift, turn and push, and nothing moves them.
#include "analytic/rig.h"

namespace talus::test {
namespace {

class Kinematic : public BackendTest {};
TALUS_INSTANTIATE_ON_BACKENDS(Kinematic);

BodyDef platform(Vec3 linear, Vec3 angular = {0.0f, 0.0f, 0.0f}) {
  return {.shape = box({5.0f, 0.5f, 5.0f}),
          .motion = Motion::kinematic,
          .position = {0.0f, -0.5f, 0.0f},
          .linear_velocity = linear,
          .angular_velocity = angular};
}

TEST_P(Kinematic, ConveyorCarriesABoxAfterItsSlip) {
  World world(def());
  const BodyId belt = world.add_body(platform({1.0f, 0.0f, 0.0f}));
  const BodyId load = world.add_body({.shape = box({0.5f, 0.25f, 0.5f}), .position = {0.0f, 0.25f, 0.0f}});
  world.step_n(60, kStep);
  EXPECT_NEAR(world.linear_velocity(load).x, 1.0, 1e-3);
  EXPECT_NEAR(world.position(belt).x, 1.0, 1e-4);
  const double slip = 1.0 / (2 * 0.5 * kGravity);  // v^2 / (2 mu g), less about half a sub-step's way
  EXPECT_NEAR(double(world.position(belt).x - world.position(load).x), slip, 0.004);
  EXPECT_NEAR(world.position(load).y, 0.25, 1e-3);
}

TEST_P(Kinematic, LiftTakesABoxUpAndDown) {
  World world(def());
  const BodyId lift = world.add_body(platform({0.0f, 1.0f, 0.0f}));
  const BodyId load = world.add_body({.shape = box({0.5f, 0.5f, 0.5f}), .position = {0.0f, 0.5f, 0.0f}});
  world.step_n(30, kStep);
  EXPECT_NEAR(world.position(load).y - world.position(lift).y, 1.0, 5e-3);
  EXPECT_NEAR(world.linear_velocity(load).y, 1.0, 0.02);
  world.set_velocity(lift, {0.0f, -1.0f, 0.0f}, {0.0f, 0.0f, 0.0f});
  world.step_n(60, kStep);
  EXPECT_NEAR(world.position(load).y - world.position(lift).y, 1.0, 5e-3);
  EXPECT_NEAR(world.position(lift).y, -1.0, 1e-4);
}

TEST_P(Kinematic, TurntableCarriesABoxInACircle) {
  World world(def());
  world.add_body(platform({0.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}));
  const BodyId load = world.add_body({.shape = box({0.3f, 0.2f, 0.3f}),
                                      .position = {2.0f, 0.2f, 0.0f},
                                      .linear_velocity = {0.0f, 0.0f, -2.0f},
                                      .angular_velocity = {0.0f, 1.0f, 0.0f}});
  const int steps = cpu_or_cuda(180, 30);
  world.step_n(steps, kStep);
  const Vecd p = vec(world.position(load));
  // Each step leaves the circle along its tangent: the radius grows by r w^2 dt t / 2 = 0.05 m in 3 s.
  EXPECT_NEAR(std::hypot(p.x, p.z), 2.0, 0.06);
  EXPECT_NEAR(std::remainder(std::atan2(-p.z, p.x) - steps / 60.0, 2 * kPi), 0.0, 0.02);
  EXPECT_NEAR(world.angular_velocity(load).y, 1.0, 0.02);
}

TEST_P(Kinematic, PusherPushesAndIsNotSlowedDown) {
  World world(def());
  world.add_body({.shape = plane({0.0f, 1.0f, 0.0f})});
  const BodyId pusher = world.add_body({.shape = box({0.5f, 0.5f, 0.5f}),
                                        .motion = Motion::kinematic,
                                        .position = {0.0f, 0.55f, 0.0f},
                                        .linear_velocity = {1.0f, 0.0f, 0.0f}});
  const BodyId load =
      world.add_body({.shape = box({0.5f, 0.5f, 0.5f}), .mass = 1000.0f, .position = {1.2f, 0.5f, 0.0f}});
  world.step_n(cpu_or_cuda(120, 40), kStep);
  EXPECT_NEAR(world.position(pusher).x, cpu_or_cuda(120, 40) / 60.0, 1e-4);
  EXPECT_EQ(world.linear_velocity(pusher).x, 1.0f);
  EXPECT_NEAR(world.linear_velocity(load).x, 1.0, 0.02);
  EXPECT_GT(world.position(load).x - world.position(pusher).x, 1.0 - 0.01);
  EXPECT_NEAR(world.position(load).y, 0.5, 0.01);
}

TEST_P(Kinematic, TwoPassThroughEachOtherAndThroughFixedBodies) {
  World world(def());
  world.add_body({.shape = box({0.5f, 0.5f, 0.5f}), .motion = Motion::fixed});
  const BodyId a = world.add_body(platform({1.0f, 0.0f, 0.0f})), b = world.add_body(platform({0.0f, 1.0f, 0.0f}));
  const StepReport report = world.step_n(10, kStep);
  EXPECT_EQ(report.contact_count, 0);
  EXPECT_NEAR(world.position(a).x, 1.0 / 6, 1e-5);
  EXPECT_NEAR(world.position(b).y, -0.5 + 1.0 / 6, 1e-5);
}

}  // namespace
}  // namespace talus::test
