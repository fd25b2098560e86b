// SPDX-License-Identifier: MIT
// Closed forms with the rigid contact solvers: slope, impact, stopping distance, rest, momentum.
#include <utility>
#include <vector>

#include "agree/rigid_variants.h"
#include "analytic/rig.h"
#include "analytic/slope.h"

namespace talus::test {
namespace {

class Rigid : public BackendTest {
 protected:
  /// All ways of sweeping, with sweeps enough for a few bodies.
  static std::vector<RigidVariant> variants() {
    std::vector<RigidVariant> all = rigid_variants();
    for (RigidVariant& v : all) {
      v.solver.rigid.sweeps = 60;
      v.solver.rigid.tolerance = v.solver.rigid.tolerance > 0 ? 1e-5f : 0.0f;
      v.solver.rigid.stagnation = 0;
    }
    return all;
  }
};
TALUS_INSTANTIATE_ON_CPU(Rigid);  // thousands of sweeps; tests of agreement compare the bits with CUDA

TEST_P(Rigid, ABoxHoldsJustBelowTheFrictionAngle) {
  for (const RigidVariant& v : variants()) {
    SCOPED_TRACE(v.name);
    Slope slope(def(v.solver), Ground::plane, 26.5 * kDegree);
    slope.world.step_n(120, kStep);
    // Soft contacts sink, and downhill as they do.
    EXPECT_LT(length(slope.moved()), v.solver.stabilization == Stabilization::soft ? 0.02 : 1.5e-3);
  }
}

TEST_P(Rigid, ABoxSlidesAboveTheFrictionAngleAsTheSchemeSays) {
  const double angle = 30 * kDegree, a = kGravity * (std::sin(angle) - 0.5 * std::cos(angle));
  for (const RigidVariant& v : variants()) {
    SCOPED_TRACE(v.name);
    Slope slope(def(v.solver), Ground::box, angle);
    const int steps = 60;
    slope.world.step_n(steps, kStep);
    const double expected = distance_of_scheme(a, steps, 1);
    EXPECT_NEAR(dot(slope.moved(), slope.downhill), expected, 0.01 * expected);
    EXPECT_NEAR(slope.moved().z, 0.0, 1e-3);
  }
}

/// A cube that slides at 45 degrees to its tangents stops as far away as along them with a cone, and 1 / sqrt(2) of
/// that with a box (S1-22).
TEST_P(Rigid, FrictionIsACircleOrABox) {
  const auto distance = [&](FrictionModel friction, Vec3 velocity) {
    SolverSettings solver = variants()[0].solver;
    solver.friction = friction;
    World world(def(solver));
    world.add_body({.shape = plane({0.0f, 1.0f, 0.0f})});
    const BodyId id =
        world.add_body({.shape = box({0.5f, 0.1f, 0.5f}), .position = {0.0f, 0.1f, 0.0f}, .linear_velocity = velocity});
    world.step_n(60, kStep);
    EXPECT_LT(length(vec(world.linear_velocity(id))), 1e-3);
    return length(vec(world.position(id)));
  };
  const float half = 2.0f * std::sqrt(0.5f);
  const double along = distance(FrictionModel::cone, {2, 0, 0});
  EXPECT_NEAR(distance(FrictionModel::cone, {half, 0, half}), along, 0.01 * along);
  EXPECT_NEAR(distance(FrictionModel::box, {half, 0, half}), along / std::sqrt(2.0), 0.02 * along);
}

TEST_P(Rigid, ImpactsFollowNewtonsLaw) {
  for (const float e : {0.0f, 0.5f, 1.0f}) {
    World world(weightless(variants()[0].solver));
    BodyDef ball{.shape = sphere(0.5f), .mass = 1.0f, .position = {-1, 0, 0}, .linear_velocity = {3, 0, 0}};
    ball.material.restitution = e;
    const BodyId a = world.add_body(ball);
    ball.position = {1, 0, 0};
    ball.linear_velocity = {-1, 0, 0};
    const BodyId b = world.add_body(ball);
    world.step_n(40, kStep);
    EXPECT_NEAR(world.linear_velocity(a).x, 1.0f - 2.0f * e, 1e-4f) << e;
    EXPECT_NEAR(world.linear_velocity(b).x, 1.0f + 2.0f * e, 1e-4f) << e;
  }
}

/// Dropped from 1 m, half the speed is left, and a quarter of the height.
TEST_P(Rigid, ABallBouncesToAQuarterOfItsHeight) {
  World world(def(variants()[0].solver));
  world.add_body({.shape = plane({0.0f, 1.0f, 0.0f})});
  BodyDef ball{.shape = sphere(0.5f), .position = {0, 1.5f, 0}};
  ball.material.restitution = 0.5f;
  const BodyId id = world.add_body(ball);
  float speed = 0.0f;
  while ((speed = world.linear_velocity(id).y) <= 0.0f) ASSERT_LT((world.step(1.0f / 240), world.step_number()), 300u);
  const double height = double(world.position(id).y) - 0.5 + double(speed * speed) / (2 * kGravity);
  EXPECT_NEAR(height, 0.25, 0.02);
}

TEST_P(Rigid, ABoxRestsAndPenetrationGoes) {
  for (const Stabilization by :
       {Stabilization::soft, Stabilization::projection, Stabilization::baumgarte, Stabilization::split_impulse}) {
    SCOPED_TRACE(int(by));
    SolverSettings solver{.solver = Solver::rigid, .stabilization = by};
    World world(def(solver));
    world.add_body({.shape = plane({0.0f, 1.0f, 0.0f})});
    const BodyId id = world.add_body({.shape = box({0.5f, 0.5f, 0.5f}), .position = {0.0f, 0.46f, 0.0f}});  // 4 cm deep
    float fastest = 0.0f;
    for (int i = 0; i < 240; ++i) {
      world.step(kStep);
      fastest = std::max(fastest, world.linear_velocity(id).y);
    }
    const float left = by == Stabilization::soft ? 6e-3f : 1e-3f;
    EXPECT_NEAR(world.position(id).y, 0.5f, left);
    EXPECT_LT(length(vec(world.linear_velocity(id))), 1e-3);
    EXPECT_NEAR(world.position(id).x, 0.0f, 1e-4f);
    // What pushes bodies apart leaves no speed behind, if it is none of the velocities' business.
    const bool apart = by == Stabilization::projection || by == Stabilization::split_impulse;
    EXPECT_EQ(fastest < 1e-3f, apart) << fastest;
  }
}

TEST_P(Rigid, MomentumStaysInCollisionsOfMany) {
  for (const RigidVariant& v : variants()) {
    SCOPED_TRACE(v.name);
    World world(weightless(v.solver));
    Random random(7);
    for (int i = 0; i < 24; ++i) {
      // Apart: what starts inside each other is pushed, with the effect that is told of below.
      const Vec3 at{1.25f * float(i % 3), 1.25f * float(i / 3 % 3), 1.25f * float(i / 9)};
      const Vec3 jitter = random.in_box(0.1f);
      const Vec3 velocity{1.5f - 1.2f * at.x, 1.5f - 1.2f * at.y, 1.5f - 1.2f * at.z};
      world.add_body({.shape = random.shape(0.5f),
                      .position = {at.x + jitter.x, at.y + jitter.y, at.z + jitter.z},
                      .orientation = random.rotation(),
                      .linear_velocity = velocity});
    }
    const Mechanics before = world.mechanics();
    Index contacts = 0;
    for (int i = 0; i < 40; ++i) contacts = std::max(contacts, world.step(kStep).contact_count);
    const Mechanics after = world.mechanics();
    EXPECT_GT(contacts, 5);
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_NEAR(after.momentum[axis], before.momentum[axis], 0.2);  // of some 1e3 kg m/s that change hands
      // Bodies that are pushed apart move in time without moving: their momentum turns about another point.
      const bool pushed =
          v.solver.stabilization == Stabilization::split_impulse || v.solver.stabilization == Stabilization::projection;
      // So do, by less, others that meet within a step: impulses act where they meet, and the bodies go on from where
      // they were when the step began. 2.9 of 3,600 kg m^2/s were measured.
      EXPECT_NEAR(after.angular_momentum[axis], before.angular_momentum[axis], pushed ? 50.0 : 4.0);
    }
  }
}

/// A pendulum on a joint, knocked about by a ball: joints and contacts are swept in turn.
TEST_P(Rigid, JointsHoldWhileContactsPush) {
  for (const RigidVariant& v : variants()) {
    SCOPED_TRACE(v.name);
    World world(def(v.solver));
    BodyDef link{.shape = box({0.1f, 0.5f, 0.1f}), .mass = 1.0f, .position = {0, 2.5f, 0}};
    const BodyId hanging = world.add_body(link);
    world.add_joint(ball_joint(kWorld, hanging, {0, 3, 0}));
    world.add_body({.shape = sphere(0.3f), .mass = 2.0f, .position = {-1, 2.2f, 0}, .linear_velocity = {4, 0, 0}});
    for (int i = 0; i < 60; ++i) {
      world.step(kStep);
      const Transform pose = world.pose(hanging);
      const Vecd top = vec(pose.position) + 0.5 * up_axis(pose);
      EXPECT_LT(length(top - Vecd{0, 3, 0}), 0.02) << i;
    }
    EXPECT_GT(world.position(hanging).x, 0.01f);
  }
}

}  // namespace
}  // namespace talus::test
