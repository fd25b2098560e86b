// SPDX-License-Identifier: MIT
// Coulomb friction: the slope at the friction angle, the stopping distance in all directions, the sphere that starts to
// roll. Closed forms are those of the scheme: sums over sub-steps, not integrals.
#include "analytic/rig.h"
#include "analytic/slope.h"

namespace talus::test {
namespace {

class Friction : public BackendTest {};
TALUS_INSTANTIATE_ON_BACKENDS(Friction);

TEST_P(Friction, BoxHoldsJustBelowTheFrictionAngle) {
  for (const Ground ground : {Ground::plane, Ground::box}) {
    Slope slope(def(), ground, 26.5 * kDegree);
    slope.world.step_n(cpu_or_cuda(120, 20), kStep);
    EXPECT_LT(length(slope.moved()), 1e-3);
  }
}

TEST_P(Friction, BoxSlidesAboveTheFrictionAngleAsTheSchemeSays) {
  const double angle = 30 * kDegree, a = kGravity * (std::sin(angle) - 0.5 * std::cos(angle));
  EXPECT_NEAR(distance_of_scheme(a, 60, 1), 0.334, 5e-4);
  for (const int substeps : {1, 4}) {
    for (const Ground ground : {Ground::plane, Ground::box}) {
      SCOPED_TRACE("substeps " + std::to_string(substeps) + (ground == Ground::plane ? ", plane" : ", box"));
      Slope slope(def({.substeps = substeps}), ground, angle);
      slope.world.step_n(60, kStep);
      const double expected = distance_of_scheme(a, 60, substeps);
      EXPECT_NEAR(dot(slope.moved(), slope.downhill), expected, 0.01 * expected);
      EXPECT_NEAR(slope.moved().z, 0.0, 1e-3);
    }
  }
}

/// [m] Way that a box with 3 m/s and friction 0.5 makes on a plane, and how far it turned off its direction.
struct Stop {
  double distance, sideways, speed;
};
Stop stop_distance(const WorldDef& def, double direction) {
  World world(def);
  world.add_body({.shape = plane({0.0f, 1.0f, 0.0f})});
  const Vecd along{std::cos(direction), 0, std::sin(direction)};
  const BodyId id = world.add_body({.shape = box({0.5f, 0.25f, 0.5f}),
                                    .position = {0.0f, 0.25f, 0.0f},
                                    .linear_velocity = scenes::to_vec3(3.0 * along)});
  world.step_n(60, kStep);
  const Vecd p = vec(world.position(id));
  return {dot(p, along), dot(p, Vecd{-along.z, 0, along.x}), length(vec(world.linear_velocity(id)))};
}

TEST_P(Friction, ConeStopsABoxAtTheSameDistanceInEveryDirection) {
  for (int i = 0; i < cpu_or_cuda(8, 2); ++i) {
    SCOPED_TRACE("direction " + std::to_string(i * 45) + " degrees");
    const Stop stop = stop_distance(def(), i * 45 * kDegree);
    EXPECT_NEAR(stop.distance, 0.917, 0.00917);
    EXPECT_NEAR(stop.sideways, 0.0, 2e-3);
    EXPECT_LT(stop.speed, 1e-3);
  }
}

TEST_P(Friction, BoxModelIsStrongerOnTheDiagonalOfItsTangents) {
  const WorldDef box_model = def({.friction = FrictionModel::box});
  // v^2 / (2 a), less half a sub-step's way: the second sub-step starts with the friction of the first, and its own.
  EXPECT_NEAR(stop_distance(box_model, 45 * kDegree).distance, 0.6425, 0.001);
  EXPECT_NEAR(stop_distance(box_model, 0.0).distance, 0.9112, 0.001);
  EXPECT_NEAR(stop_distance(box_model, 90 * kDegree).distance, 0.9112, 0.001);
}

TEST_P(Friction, NoneLetsABoxSlideOn) {
  World world(def());
  world.add_body({.shape = plane({0.0f, 1.0f, 0.0f}), .material = {.friction = 0.0f}});
  const BodyId id = world.add_body(
      {.shape = box({0.5f, 0.25f, 0.5f}), .position = {0.0f, 0.25f, 0.0f}, .linear_velocity = {3.0f, 0.0f, 0.0f}});
  world.step_n(60, kStep);
  EXPECT_NEAR(world.linear_velocity(id).x, 3.0, 1e-5);
  EXPECT_NEAR(world.position(id).x, 3.0, 1e-4);
}

TEST_P(Friction, SlidingSphereEndsRollingAtFiveSeventhsOfItsSpeed) {
  for (const double direction : {0.0, 30.0, 225.0}) {
    SCOPED_TRACE("direction " + std::to_string(direction));
    World world(def());
    world.add_body({.shape = plane({0.0f, 1.0f, 0.0f})});
    const Vecd along{std::cos(direction * kDegree), 0, std::sin(direction * kDegree)};
    const BodyId ball = world.add_body(
        {.shape = sphere(0.5f), .position = {0.0f, 0.5f, 0.0f}, .linear_velocity = scenes::to_vec3(4.0 * along)});
    world.step_n(60, kStep);  // sliding ends after 2 v / (7 mu g) = 0.23 s
    const Vecd v = vec(world.linear_velocity(ball)), w = vec(world.angular_velocity(ball));
    EXPECT_NEAR(dot(v, along), 4.0 * 5 / 7, 0.005 * 4.0 * 5 / 7);
    const Vecd slip = v + cross(w, Vecd{0, -0.5, 0});  // where it touches
    EXPECT_LT(std::hypot(slip.x, slip.z), 1e-2);
  }
}

TEST_P(Friction, TwistStopsASpinningBox) {
  World world(def());
  world.add_body({.shape = plane({0.0f, 1.0f, 0.0f})});
  const BodyId id = world.add_body(
      {.shape = box({0.5f, 0.1f, 0.5f}), .position = {0.0f, 0.1f, 0.0f}, .angular_velocity = {0.0f, 2.0f, 0.0f}});
  world.step_n(60, kStep);
  EXPECT_NEAR(world.angular_velocity(id).y, 0.0, 1e-3);
  EXPECT_LT(length(vec(world.position(id)) - Vecd{0, 0.1, 0}), 1e-3);
}

// Hertz: two round bodies touch in a circle of radius sqrt(R depth), whose friction has the arm 3 pi / 16 of it.
TEST_P(Friction, TwistSlowsASpinningBallByTheSizeOfItsCircle) {
  World world(def());
  world.add_body({.shape = plane({0.0f, 1.0f, 0.0f})});
  const double radius = 0.5;
  const BodyId ball = world.add_body({.shape = sphere(0.5f), .position = {0.0f, 0.5f, 0.0f}});
  world.step_n(30, kStep);
  const double depth = radius - double(world.position(ball).y);
  ASSERT_GT(depth, 1e-5);
  world.set_velocity(ball, {}, {0.0f, 2.0f, 0.0f});
  world.step_n(60, kStep);
  const double arm = 3 * kPi / 16 * std::sqrt(radius * depth);
  const double slower = 0.5 * kGravity * arm / (0.4 * radius * radius);  // [rad/s] in a second
  EXPECT_NEAR(double(world.angular_velocity(ball).y), 2 - slower, 0.02 * slower);
  EXPECT_LT(length(vec(world.position(ball)) - Vecd{0, radius - depth, 0}), 1e-4);
}

}  // namespace
}  // namespace talus::test
