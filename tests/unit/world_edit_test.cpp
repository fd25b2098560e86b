// SPDX-License-Identifier: MIT
// Edits: what each one does, and how several to the same body compose.
#include <gtest/gtest.h>
#include <talus/talus.h>

#include <cmath>
#include <vector>

#include "support/backends.h"
#include "support/scene.h"

namespace talus::test {
namespace {

constexpr float kHalf = 0.5f;  // [s] a step whose four sub-steps of 1/8 s are exact in binary
constexpr Vec3 kNone{0, 0, 0};

class WorldEditTest : public OnBackend {
 protected:
  /// Weightless body of 2 kg with moments 2, 4 and 5 kg m^2.
  static BodyDef top(Vec3 position = {0, 0, 0}) {
    BodyDef d = Scene::body(box({0.5f, 0.5f, 0.5f}), position, 2.0f);
    d.inertia = Vec3{2, 4, 5};
    return d;
  }
};
TALUS_INSTANTIATE_ON_BACKENDS(WorldEditTest);

void expect_near(Vec3 actual, Vec3 expected, float tolerance = 0.0f) {
  EXPECT_NEAR(actual.x, expected.x, tolerance);
  EXPECT_NEAR(actual.y, expected.y, tolerance);
  EXPECT_NEAR(actual.z, expected.z, tolerance);
}

// ---- forces --------------------------------------------------------------------------------------------------------

TEST_P(WorldEditTest, ForceOverOneStepIsMassTimesAcceleration) {
  Scene s(weightless());
  const BodyId b = s.add(top());
  s.world.apply_force(b, {3, 0, 0});
  s.world.apply_force(b, {1, -8, 0});  // they add up
  s.run(1, kHalf);
  expect_near(s.velocity(b), {1, -2, 0});  // F dt / m, exactly
  expect_near(s.spin(b), kNone);
  s.run(1, kHalf);
  expect_near(s.velocity(b), {1, -2, 0});  // for one step only
}

TEST_P(WorldEditTest, TorqueOverOneStepIsInertiaTimesAcceleration) {
  Scene s(weightless());
  BodyDef round = top();
  round.inertia = Vec3{4, 4, 4};
  const BodyId b = s.add(round);
  s.world.apply_torque(b, {0, 0, 6});
  s.world.apply_torque(b, {0, 0, 2});
  s.run(1, kHalf);
  expect_near(s.spin(b), {0, 0, 1});
  expect_near(s.velocity(b), kNone);
}

TEST_P(WorldEditTest, ForceAtAPointAlsoTurns) {
  Scene s(weightless());
  BodyDef round = top({100, 0, 0});
  round.inertia = Vec3{4, 4, 4};
  const BodyId b = s.add(round);
  s.world.apply_force_at(b, {0, 8, 0}, {101, 0, 0});
  s.world.apply_force_at(b, {0, 8, 0}, {101, 0, 0});
  s.run(1, kHalf);
  expect_near(s.velocity(b), {0, 4, 0});
  expect_near(s.spin(b), {0, 0, 2});
}

TEST_P(WorldEditTest, CoupleOfForcesOnlyTurns) {
  Scene s(weightless());
  BodyDef round = top({3, 4, 5});
  round.inertia = Vec3{4, 4, 4};
  const BodyId b = s.add(round);
  s.world.apply_force_at(b, {0, 8, 0}, {4, 4, 5});
  s.world.apply_force_at(b, {0, -8, 0}, {2, 4, 5});
  s.run(1, kHalf);
  expect_near(s.velocity(b), kNone);
  expect_near(s.spin(b), {0, 0, 2});
}

TEST_P(WorldEditTest, ForceActsWhereTheBodyWasWhenItWasApplied) {
  // Its moment is about the position at the call, wherever the body is put after it.
  Scene s(weightless());
  BodyDef round = top();
  round.inertia = Vec3{4, 4, 4};
  const BodyId b = s.add(round);
  s.world.apply_force_at(b, {0, 8, 0}, {1, 0, 0});
  s.world.set_pose(b, {{50, 0, 0}, kIdentity});
  s.world.apply_force_at(b, {0, 8, 0}, {51, 0, 0});
  s.run(1, kHalf);
  expect_near(s.velocity(b), {0, 4, 0});
  expect_near(s.spin(b), {0, 0, 2});
  EXPECT_EQ(s.position(b).x, 50.0f);
}

// ---- impulses ------------------------------------------------------------------------------------------------------

TEST_P(WorldEditTest, ImpulsesChangeVelocityAtOnce) {
  Scene s(weightless());
  const BodyId b = s.add(top());
  s.world.apply_impulse(b, {2, 0, 0});
  s.world.apply_impulse(b, {0, 4, 0});
  s.world.apply_angular_impulse(b, {2, 4, 10});
  expect_near(s.velocity(b), {1, 2, 0});
  expect_near(s.spin(b), {1, 1, 2});
}

TEST_P(WorldEditTest, ImpulseAtAPointTurnsAboutTheBodysAxes) {
  Scene s(weightless());
  BodyDef turned = top({10, 20, 30});
  turned.orientation = {0, 0, std::sqrt(0.5f), std::sqrt(0.5f)};  // body x is world y, body y is world -x
  const BodyId b = s.add(turned);
  s.world.apply_impulse_at(b, {0, 0, 4}, {10, 21, 30});  // moment (4, 0, 0), about body -y: 4 kg m^2
  expect_near(s.velocity(b), {0, 0, 2}, 1e-6f);
  expect_near(s.spin(b), {1, 0, 0}, 1e-6f);
  s.world.apply_impulse_at(b, {0, 0, 4}, {9, 20, 30});  // moment (0, 4, 0), about body x: 2 kg m^2
  expect_near(s.spin(b), {1, 2, 0}, 1e-6f);
}

TEST_P(WorldEditTest, ImpulsesFarFromTheOriginLoseNoDigits) {
  Scene s(weightless());
  BodyDef round = top({1e6f, 0, 0});
  round.inertia = Vec3{4, 4, 4};
  const BodyId b = s.add(round);
  for (int i = 0; i < 16; ++i) s.world.apply_impulse_at(b, {0, 0.1f, 0}, {1e6f + 0.5f, 0, 0});
  expect_near(s.spin(b), {0, 0, 16 * 0.1f * 0.5f / 4}, 1e-6f);
}

// ---- composition ---------------------------------------------------------------------------------------------------

TEST_P(WorldEditTest, VelocityAfterAnImpulseCancelsIt) {
  Scene s(weightless());
  const BodyId b = s.add(top());
  s.world.apply_impulse_at(b, {2, 0, 0}, {0, 1, 0});
  s.world.set_velocity(b, {0, 0, 5}, {0, 1, 0});
  expect_near(s.velocity(b), {0, 0, 5});
  expect_near(s.spin(b), {0, 1, 0});
}

TEST_P(WorldEditTest, ImpulseAfterAVelocityAddsToIt) {
  Scene s(weightless());
  const BodyId b = s.add(top());
  s.world.set_velocity(b, {0, 0, 5}, {0, 1, 0});
  s.world.apply_impulse(b, {2, 0, 0});
  expect_near(s.velocity(b), {1, 0, 5});
}

TEST_P(WorldEditTest, PoseAfterAnImpulseDoesNotChangeItsMoment) {
  Scene s(weightless());
  const BodyId b = s.add(top());
  s.world.apply_impulse_at(b, {0, 4, 0}, {1.25f, 0, 0});  // spin (0, 0, 1)
  s.world.set_pose(b, {{0, 7, 0}, {1, 0, 0, 0}});
  s.world.apply_impulse_at(b, {0, 0, 4}, {0, 7.5f, 0});  // moment (2, 0, 0) about body x
  s.world.set_pose(b, {{0, 8, 0}, kIdentity});
  expect_near(s.velocity(b), {0, 2, 2}, 1e-6f);
  expect_near(s.spin(b), {1, 0, 1}, 1e-6f);
  expect_near(s.position(b), {0, 8, 0});
}

TEST_P(WorldEditTest, EditsBeforeAReadEqualEditsBeforeTheStep) {
  // Sent in one piece or in many: the same bits.
  Scene folded(def()), single(def());
  for (Scene* s : {&folded, &single}) {
    const BodyId b = s->add(top());
    const auto look = [&] {
      if (s == &single) s->position(b);
    };
    s->world.set_velocity(b, {1, 2, 3}, {0.1f, 0.2f, 0.3f});
    look();
    s->world.set_pose(b, {{3, 2, 1}, {0, 1, 0, 0}});
    look();
    s->world.apply_impulse_at(b, {1, 1, 1}, {3, 3, 3});
    look();
    s->world.set_material(b, Material{0.7f, 0.1f});
    look();
    s->world.apply_force_at(b, {1, 2, 0}, {4, 4, 4});
    look();
    s->world.set_damping(b, 0.5f, 0.25f);
    look();
    s->world.set_gravity_scale(b, 0.5f);
    s->run(3);
  }
  EXPECT_EQ(folded.hash(), single.hash());
}

TEST_P(WorldEditTest, EditsOfANewBodyAndOfARemovedOne) {
  Scene s(weightless());
  const BodyId b = s.add(top());
  s.world.apply_impulse(b, {2, 0, 0});
  s.world.set_pose(b, {{0, 1, 0}, kIdentity});
  s.world.set_filter(b, Filter{2, 4});
  s.run(1, kHalf);
  expect_near(s.position(b), {0.5f, 1, 0});
  EXPECT_EQ(s.world.definition(b).filter.mask, 4u);
  s.world.apply_force(b, {100, 0, 0});
  s.world.remove_body(b);
  const BodyId next = s.add(top());
  EXPECT_EQ(next.slot, b.slot);
  s.run(1, kHalf);
  expect_near(s.velocity(next), kNone);  // the force was for the one before
}

// ---- properties ----------------------------------------------------------------------------------------------------

TEST_P(WorldEditTest, GravityItsScaleAndDamping) {
  WorldDef d = def();
  d.gravity = {0, -8, 0};
  Scene s(d);
  const BodyId plain = s.add(top({0, 0, 0})), light = s.add(top({5, 0, 0})), damped = s.add(top({10, 0, 0}));
  s.world.set_gravity_scale(light, 0.5f);
  s.world.set_damping(damped, 2.0f, 0.0f);
  s.run(1, kHalf);
  expect_near(s.velocity(plain), {0, -4, 0});
  expect_near(s.velocity(light), {0, -2, 0});
  float v = 0;  // v' = (v + h g) / (1 + h c), h = 1/8, four times
  for (int i = 0; i < 4; ++i) v = (v - 1.0f) / 1.25f;
  EXPECT_NEAR(s.velocity(damped).y, v, 1e-6f);
  s.world.set_gravity({8, 0, 0});
  EXPECT_EQ(s.world.def().gravity.x, 8.0f);
  s.run(1, kHalf);
  expect_near(s.velocity(plain), {4, -4, 0});
}

TEST_P(WorldEditTest, KinematicBodyMovesAsToldAndIsPushedByNothing) {
  Scene s(def());
  BodyDef d = Scene::body(box({2, 0.5f, 2}), {0, 0, 0}, 1.0f);
  d.motion = Motion::kinematic;
  d.linear_velocity = {0.5f, 0, 0};
  const BodyId platform = s.add(d);
  const BodyId rider = s.box({0, 0.99f, 0}, {0.5f, 0.5f, 0.5f}, 10.0f);
  s.world.apply_force(platform, {1e6f, 1e6f, 0});
  s.world.apply_torque(platform, {0, 1e6f, 0});
  s.world.apply_impulse(platform, {1e6f, 0, 0});
  s.world.apply_impulse_at(platform, {1e6f, 0, 0}, {0, 5, 0});
  s.run(60);
  expect_near(s.velocity(platform), {0.5f, 0, 0});
  expect_near(s.spin(platform), kNone);
  expect_near(s.position(platform), {0.5f, 0, 0}, 1e-4f);
  EXPECT_NEAR(s.velocity(rider).x, 0.5f, 0.02f) << "friction takes it along";
  s.world.set_velocity(platform, {0, 1, 0}, kNone);
  s.run(30);
  EXPECT_NEAR(s.position(platform).y, 0.5f, 1e-4f);
  EXPECT_NEAR(s.position(rider).y, s.position(platform).y + 1.0f, 0.05f) << "and lifts it";
}

TEST_P(WorldEditTest, FixedBodyStays) {
  Scene s(def());
  const BodyId wall = s.fixed_box({0, 0, 0}, {1, 1, 1});
  const BodyId ball = s.sphere({-3, 0, 0}, 0.5f, 1000.0f);
  s.world.set_gravity_scale(ball, 0.0f);
  s.world.set_velocity(ball, {20, 0, 0}, kNone);
  s.world.apply_force(wall, {1e9f, 0, 0});
  s.run(60);
  expect_near(s.position(wall), kNone);
  EXPECT_LT(s.position(ball).x, -1.4f);
  s.world.set_velocity(wall, kNone, kNone);
  s.world.set_pose(wall, {{0, 5, 0}, kIdentity});  // may be put elsewhere
  EXPECT_EQ(s.position(wall).y, 5.0f);
}

TEST_P(WorldEditTest, IgnoredPairsPassThroughEachOther) {
  Scene s(weightless());
  const BodyId wall = s.fixed_box({0, 0, 0}, {0.5f, 5, 5});
  const BodyId a = s.sphere({-2, 0, 0}), b = s.sphere({-2, 2, 0});
  s.world.ignore_pair(a, wall);
  s.world.ignore_pair(wall, a);  // again, the other way round
  for (const BodyId ball : {a, b}) s.world.set_velocity(ball, {4, 0, 0}, kNone);
  s.run(60);
  EXPECT_NEAR(s.position(a).x, 2.0f, 1e-3f);
  EXPECT_LT(s.position(b).x, 0.0f);
  s.world.collide_pair(wall, a);
  s.world.set_velocity(a, {-4, 0, 0}, kNone);
  s.run(60);
  EXPECT_GT(s.position(a).x, 0.9f);
}

TEST_P(WorldEditTest, IgnoredPairsEndWithTheirBody) {
  Scene s(weightless());
  const BodyId wall = s.fixed_box({0, 0, 0}, {0.5f, 5, 5});
  const BodyId other = s.sphere({-20, 3, 0});
  const BodyId a = s.sphere({-2, 0, 0});
  s.world.ignore_pair(a, wall);
  s.world.ignore_pair(other, wall);
  s.world.remove_body(a);
  const BodyId next = s.sphere({-2, 0, 0});
  ASSERT_EQ(next.slot, a.slot);
  s.world.set_velocity(next, {4, 0, 0}, kNone);
  s.world.set_velocity(other, {20, 0, 0}, kNone);
  s.run(90);
  EXPECT_LT(s.position(next).x, 0.0f) << "a stranger to the wall";
  EXPECT_GT(s.position(other).x, 5.0f) << "still ignored";
}

TEST_P(WorldEditTest, FiltersDecideWhoMeets) {
  const auto meets = [&](Filter on_ball, Filter on_wall) {
    Scene s(weightless());
    const BodyId wall = s.fixed_box({0, 0, 0}, {0.5f, 5, 5}), ball = s.sphere({-2, 0, 0});
    s.world.set_filter(wall, on_wall);
    s.world.set_filter(ball, on_ball);
    s.world.set_velocity(ball, {8, 0, 0}, kNone);
    s.run(30);
    return s.position(ball).x < 0.0f;
  };
  EXPECT_TRUE(meets({1, 1}, {1, 1}));
  EXPECT_TRUE(meets({1, 2}, {2, 1}));
  EXPECT_FALSE(meets({1, 2}, {1, 1})) << "the ball does not want the wall";
  EXPECT_FALSE(meets({1, 1}, {1, 2})) << "the wall does not want the ball";
  EXPECT_FALSE(meets({0, 0xffffffffu}, {1, 0xffffffffu})) << "of no group";
}

TEST_P(WorldEditTest, PlanesCanBeAddedMovedAndRemoved) {
  Scene s(def());
  const BodyId ball = s.sphere({0, 0.5f, 0});
  const BodyId ground = s.ground();
  s.run(30);
  EXPECT_NEAR(s.position(ball).y, 0.5f, 0.01f);
  s.world.set_pose(ground, {{0, -1, 0}, kIdentity});
  s.run(60);
  EXPECT_NEAR(s.position(ball).y, -0.5f, 0.01f);
  s.world.remove_body(ground);
  s.run(60);
  EXPECT_LT(s.position(ball).y, -3.0f);
}

TEST_P(WorldEditTest, MaterialChangesTakeEffect) {
  Scene s(def());
  s.ground();
  const BodyId box = s.box({0, 0.5f, 0});
  s.world.set_material(box, Material{0.0f});
  s.world.set_velocity(box, {2, 0, 0}, kNone);
  s.run(60);
  EXPECT_NEAR(s.velocity(box).x, 2.0f, 0.01f) << "ice";
  s.world.set_material(box, Material{1.0f});
  s.run(60);
  EXPECT_NEAR(s.velocity(box).x, 0.0f, 0.01f) << "rubber";
  s.world.set_pose(box, {{0, 3, 0}, kIdentity});
  s.world.set_material(box, Material{0.5f, 0.8f});
  s.world.set_velocity(box, kNone, kNone);
  float top = 0;
  bool fell = false;
  for (int i = 0; i < 90; ++i) {
    s.run(1);
    fell = fell || s.position(box).y < 0.7f;
    if (fell) top = std::max(top, s.position(box).y);
  }
  EXPECT_GT(top, 1.5f) << "bounces";
}

}  // namespace
}  // namespace talus::test
