// SPDX-License-Identifier: MIT
// World::mechanics(): energy and momentum in closed form, and what free motion conserves.
#include <gtest/gtest.h>
#include <talus/talus.h>

#include <algorithm>
#include <cmath>

#include "support/backends.h"
#include "support/scene.h"

namespace talus::test {
namespace {

class WorldMechanicsTest : public OnBackend {};
TALUS_INSTANTIATE_ON_BACKENDS(WorldMechanicsTest);

TEST_P(WorldMechanicsTest, OneBodyInClosedForm) {
  WorldDef d = def();
  d.gravity = {0, -10, 0};
  Scene s(d);
  BodyDef body = Scene::body(box({1, 1, 1}), {1, 2, 3}, 2.0f);
  body.inertia = Vec3{2, 4, 5};
  body.linear_velocity = {3, 0, 4};
  body.angular_velocity = {1, 2, 0};
  body.gravity_scale = 0.5f;
  s.add(body);
  const Mechanics m = s.world.mechanics();
  EXPECT_DOUBLE_EQ(m.kinetic_energy, 0.5 * 2 * 25 + 0.5 * (2 * 1 + 4 * 4));
  EXPECT_DOUBLE_EQ(m.potential_energy, 0.5 * 2 * 10 * 2);
  EXPECT_DOUBLE_EQ(m.momentum[0], 6);
  EXPECT_DOUBLE_EQ(m.momentum[1], 0);
  EXPECT_DOUBLE_EQ(m.momentum[2], 8);
  EXPECT_DOUBLE_EQ(m.angular_momentum[0], 2 * 8 - 3 * 0 + 2);  // x x p + I w
  EXPECT_DOUBLE_EQ(m.angular_momentum[1], 3 * 6 - 1 * 8 + 8);
  EXPECT_DOUBLE_EQ(m.angular_momentum[2], 1 * 0 - 2 * 6 + 0);
}

TEST_P(WorldMechanicsTest, SpinUsesTheBodysAxes) {
  Scene s(weightless());
  BodyDef body = Scene::body(box({1, 1, 1}), {0, 0, 0}, 1.0f);
  body.inertia = Vec3{2, 3, 4};
  body.orientation = {0, 0, std::sqrt(0.5f), std::sqrt(0.5f)};  // body x is world y
  body.angular_velocity = {0, 1, 0};
  s.add(body);
  const Mechanics m = s.world.mechanics();
  EXPECT_NEAR(m.kinetic_energy, 0.5 * 2, 1e-6);
  EXPECT_NEAR(m.angular_momentum[1], 2, 1e-6);
  EXPECT_NEAR(m.angular_momentum[0], 0, 1e-6);
}

TEST_P(WorldMechanicsTest, OnlyDynamicBodiesCount) {
  Scene s(def());
  s.ground();
  BodyDef moving = Scene::body(sphere(1), {0, 5, 0}, 1.0f);
  moving.motion = Motion::kinematic;
  moving.linear_velocity = {1, 2, 3};
  s.add(moving);
  s.world.remove_body(s.sphere({0, 9, 0}));
  const Mechanics m = s.world.mechanics();
  EXPECT_EQ(m.kinetic_energy, 0);
  EXPECT_EQ(m.potential_energy, 0);
  EXPECT_EQ(m.momentum[0], 0);
}

TEST_P(WorldMechanicsTest, MassComesFromDensityAndShape) {
  Scene s(weightless());
  const auto energy_of = [&](const ShapeDef& shape, Vec3 linear, Vec3 angular) {
    BodyDef d;
    d.shape = shape;
    d.density = 100;
    d.linear_velocity = linear;
    d.angular_velocity = angular;
    const BodyId id = s.add(d);
    const double energy = s.world.mechanics().kinetic_energy;
    s.world.remove_body(id);
    return energy;
  };
  const double pi = std::acos(-1.0);
  const double ball = 100 * 4.0 / 3 * pi * 0.125, brick = 100 * 8.0 * 0.5 * 1 * 2;
  EXPECT_NEAR(energy_of(sphere(0.5f), {2, 0, 0}, {0, 0, 0}), 2 * ball, 1e-4);
  EXPECT_NEAR(energy_of(sphere(0.5f), {0, 0, 0}, {0, 2, 0}), 2 * 0.4 * ball * 0.25, 1e-4);
  EXPECT_NEAR(energy_of(box({0.5f, 1, 2}), {0, 2, 0}, {0, 0, 0}), 2 * brick, 1e-2);
  EXPECT_NEAR(energy_of(box({0.5f, 1, 2}), {0, 0, 0}, {2, 0, 0}), 2 * brick * (1 + 4) / 3, 1e-2);
  EXPECT_NEAR(energy_of(capsule(0.5f, 1), {0, 0, 2}, {0, 0, 0}), 2 * (ball + 100 * pi * 0.25 * 2), 1e-2);
}

// From many starts, each a little different: what rounding does to one of them says nothing.
TEST_P(WorldMechanicsTest, CollisionsKeepMomentum) {
  double worst = 0, worst_angular = 0;
  for (int start = 0; start < cpu_or_cuda(40, 2); ++start) {
    const float shift = 1e-3f * float(start);
    Scene s(weightless());
    BodyDef d = Scene::body(box({0.5f, 0.5f, 0.5f}), {-1.5f, 0.2f + shift, 0.1f - 0.5f * shift}, 2.0f);
    d.linear_velocity = {3, 0, 0};
    s.add(d);
    s.add(Scene::body(sphere(0.5f), {0.3f, 0, 0}, 1.0f));
    s.add(Scene::body(capsule(0.3f, 0.5f), {1.5f, 0.3f, 0}, 1.5f));
    const Mechanics before = s.world.mechanics();
    const StepReport report = s.run(60);
    const Mechanics after = s.world.mechanics();
    EXPECT_TRUE(report);
    EXPECT_LT(after.kinetic_energy, before.kinetic_energy) << "they did collide";
    for (int axis = 0; axis < 3; ++axis) {
      worst = std::max(worst, std::abs(after.momentum[axis] - before.momentum[axis]));
      worst_angular = std::max(worst_angular, std::abs(after.angular_momentum[axis] - before.angular_momentum[axis]));
    }
  }
  EXPECT_LT(worst, 7e-5);          // [kg m/s] of 6; measured: 2.5e-5
  EXPECT_LT(worst_angular, 6e-3);  // [kg m^2/s] 2e-3
}

}  // namespace
}  // namespace talus::test
