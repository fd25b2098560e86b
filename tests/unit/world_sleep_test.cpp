// SPDX-License-Identifier: MIT
// Sleep: what falls asleep, what does not, what wakes, and that it costs no bit of the result.
#include <gtest/gtest.h>
#include <talus/talus.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>
#include <vector>

#include "scenes/scene.h"
#include "support/backends.h"
#include "support/scene.h"

namespace talus::test {
namespace {

class Sleep : public OnBackend {
 protected:
  static WorldDef sleepy() {
    WorldDef d = def();
    d.sleep.enabled = true;
    return d;
  }
  /// Where a body sleeps after a tenth of a second on the emulator, which takes long for a step.
  static WorldDef soon_asleep() {
    WorldDef d = sleepy();
    if (on_cuda()) d.sleep.time = 0.1f;
    return d;
  }
  static int steps_to_rest() { return cpu_or_cuda(80, 32); }
  /// Boxes on top of each other.
  static std::vector<BodyId> stack(Scene& scene, int height, float x = 0.0f, float base = 0.0f) {
    std::vector<BodyId> boxes;
    for (int i = 0; i < height; ++i) boxes.push_back(scene.box({x, base + 0.5f + float(i), 0.0f}));
    return boxes;
  }
  static bool all_awake(Scene& scene, const std::vector<BodyId>& bodies, bool awake) {
    for (const BodyId body : bodies) {
      if (scene.world.is_awake(body) != awake) return false;
    }
    return true;
  }
  /// Steps until the body sleeps, or -1.
  static int steps_to_sleep(Scene& scene, BodyId body, int most) {
    for (int step = 1; step <= most; ++step) {
      scene.run(1);
      if (!scene.world.is_awake(body)) return step;
    }
    return -1;
  }
  static bool is_zero(Vec3 v) { return v.x == 0.0f && v.y == 0.0f && v.z == 0.0f; }
};
TALUS_INSTANTIATE_ON_BACKENDS(Sleep);

TEST_P(Sleep, ARestingStackSleepsAndNeverMovesAgain) {
  Scene scene(sleepy());
  scene.ground();
  const std::vector<BodyId> boxes = stack(scene, 3);
  const int step = steps_to_sleep(scene, boxes[0], 80);
  ASSERT_GT(step, 30);  // slow for half a second
  ASSERT_LE(step, 64);
  EXPECT_TRUE(all_awake(scene, boxes, false));
  EXPECT_TRUE(is_zero(scene.velocity(boxes[2])) && is_zero(scene.spin(boxes[2])));
  EXPECT_EQ(scene.world.last_report().awake_count, 1);  // the ground
  const Vec3 before = scene.position(boxes[2]);
  scene.run(10);
  const Vec3 after = scene.position(boxes[2]);
  EXPECT_TRUE(before.x == after.x && before.y == after.y && before.z == after.z);
  EXPECT_EQ(scene.world.last_report().pair_count, 0);
}

TEST_P(Sleep, NothingSleepsWhereItIsSwitchedOff) {
  Scene scene(def());
  scene.ground();
  const BodyId box = scene.box({0.0f, 0.5f, 0.0f});
  scene.run(100);
  EXPECT_TRUE(scene.world.is_awake(box));
  scene.world.put_to_sleep(box);
  scene.run(1);
  EXPECT_TRUE(scene.world.is_awake(box));
  EXPECT_EQ(scene.world.last_report().awake_count, 2);
}

TEST_P(Sleep, ABodyThatCannotSleepKeepsItsIslandAwake) {
  Scene scene(sleepy());
  scene.ground();
  std::vector<BodyId> boxes = stack(scene, 2);
  BodyDef guard = Scene::body(talus::box({0.5f, 0.5f, 0.5f}), {0.0f, 2.5f, 0.0f}, 1.0f);
  guard.can_sleep = false;
  boxes.push_back(scene.add(guard));
  const std::vector<BodyId> others = stack(scene, 2, 5.0f);
  scene.run(90);
  EXPECT_TRUE(all_awake(scene, boxes, true));
  EXPECT_TRUE(all_awake(scene, others, false));
  EXPECT_EQ(scene.world.last_report().island_count, 1);
  EXPECT_FALSE(scene.world.definition(boxes[2]).can_sleep);
}

TEST_P(Sleep, AHitWakesExactlyTheStackThatIsHit) {
  Scene scene(sleepy());
  scene.ground();
  std::vector<std::vector<BodyId>> stacks;
  for (int i = 0; i < 4; ++i) stacks.push_back(stack(scene, 3, 4.0f * float(i)));
  scene.run(80);
  for (const std::vector<BodyId>& boxes : stacks) ASSERT_TRUE(all_awake(scene, boxes, false));
  const Vec3 before = scene.position(stacks[1][1]);
  const BodyId ball = scene.sphere({4.0f, 1.5f, 3.0f}, 0.3f, 2.0f);
  scene.world.set_velocity(ball, {0.0f, 0.0f, -12.0f}, {0.0f, 0.0f, 0.0f});
  scene.run(25);
  EXPECT_TRUE(all_awake(scene, stacks[1], true));
  EXPECT_LT(scene.position(stacks[1][1]).z, before.z - 0.2f);
  for (const int i : {0, 2, 3}) EXPECT_TRUE(all_awake(scene, stacks[std::size_t(i)], false)) << i;
}

/// The sleeping body takes its part of the momentum: it was woken before the impact.
TEST_P(Sleep, AnImpactFindsTheMassOfASleeper) {
  WorldDef d = soon_asleep();
  d.gravity = {0.0f, 0.0f, 0.0f};
  for (const float speed : {1.0f, 7.3f, 30.0f, 61.0f}) {
    if (on_cuda() && speed < 5.0f) continue;  // long on its way
    Scene scene(d);
    const BodyId target = scene.sphere({0.0f, 0.0f, 0.0f}, 0.5f, 3.0f);
    scene.run(cpu_or_cuda(48, 16));
    ASSERT_FALSE(scene.world.is_awake(target));
    const BodyId ball = scene.sphere({-6.0f, 0.0f, 0.0f}, 0.5f, 1.0f);
    scene.world.set_velocity(ball, {speed, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f});
    scene.run(int(5.5f / speed / kStep) + 10);
    EXPECT_GT(scene.velocity(target).x, 0.1f * speed);
    EXPECT_NEAR(scene.velocity(ball).x + 3.0f * scene.velocity(target).x, speed, 1e-4f * speed) << speed;
  }
}

TEST_P(Sleep, AThrownBodyDoesNotSleepAtItsApex) {
  WorldDef d = sleepy();
  d.gravity = {0.0f, -0.05f, 0.0f};  // a second and more below the speed
  Scene scene(d);
  const BodyId ball = scene.sphere({0.0f, 10.0f, 0.0f});
  scene.world.set_velocity(ball, {0.0f, 0.06f, 0.0f}, {0.0f, 0.0f, 0.0f});
  for (int step = 0; step < 200; ++step) {
    scene.run(1);
    ASSERT_TRUE(scene.world.is_awake(ball)) << step;
  }
}

// 2 cm at 2 Hz: back where it was after half a second, and never slow for long.
TEST_P(Sleep, ABodyThatSwingsOnASpringDoesNotSleep) {
  WorldDef d = sleepy();
  d.gravity = {0.0f, 0.0f, 0.0f};
  Scene scene(d);
  const BodyId ball = scene.sphere({0.0f, 0.0f, 0.0f});
  JointDef spring = slider_joint(kWorld, ball, {0.0f, 0.0f, 0.0f}, {1.0f, 0.0f, 0.0f});
  spring.axis(Axis::x).drive = Drive::servo;
  spring.axis(Axis::x).stiffness = 2.0f;  // [Hz]
  scene.world.add_joint(spring);
  scene.world.set_velocity(ball, {0.25f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f});
  for (int step = 0; step < 90; ++step) {
    scene.run(1);
    ASSERT_TRUE(scene.world.is_awake(ball)) << step;
  }
}

TEST_P(Sleep, AFloatingBodyAtRestSleeps) {
  WorldDef d = sleepy();
  d.gravity = {0.0f, 0.0f, 0.0f};
  Scene scene(d);
  const BodyId ball = scene.sphere({0.0f, 0.0f, 0.0f});
  EXPECT_GT(steps_to_sleep(scene, ball, 50), 0);
}

TEST_P(Sleep, ABodyOnAMovingPlatformStaysAwake) {
  Scene scene(sleepy());
  BodyDef lift = Scene::body(talus::box({1.0f, 0.1f, 1.0f}), {0.0f, -0.1f, 0.0f}, 1.0f);
  lift.motion = Motion::kinematic;
  const BodyId platform = scene.add(lift);
  const BodyId box = scene.box({0.0f, 0.5f, 0.0f});
  scene.world.set_velocity(platform, {0.0f, 0.01f, 0.0f}, {0.0f, 0.0f, 0.0f});  // slower than what sleeps
  scene.run(100);
  EXPECT_TRUE(scene.world.is_awake(box));
  scene.world.set_velocity(platform, {0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f});
  EXPECT_GT(steps_to_sleep(scene, box, 60), 0);
  const float height = scene.position(box).y;
  scene.world.set_velocity(platform, {0.0f, 0.01f, 0.0f}, {0.0f, 0.0f, 0.0f});
  scene.run(60);
  EXPECT_TRUE(scene.world.is_awake(box));
  EXPECT_NEAR(scene.position(box).y, height + 0.01f, 2e-3f);
}

TEST_P(Sleep, ARollingBallSleepsOnlyWhenItHasStopped) {
  Scene scene(sleepy());
  scene.ground();
  const BodyId ball = scene.sphere({0.0f, 0.5f, 0.0f});
  scene.world.set_velocity(ball, {0.1f, 0.0f, 0.0f}, {0.0f, 0.0f, -0.2f});
  scene.run(100);
  EXPECT_TRUE(scene.world.is_awake(ball));
  EXPECT_GT(scene.position(ball).x, 0.15f);
}

TEST_P(Sleep, EditsWake) {
  Scene scene(soon_asleep());
  scene.ground();
  const std::vector<BodyId> boxes = stack(scene, 2), others = stack(scene, 2, 4.0f);
  World& world = scene.world;
  const auto sleep_again = [&] {
    scene.run(steps_to_rest());
    ASSERT_TRUE(all_awake(scene, boxes, false) && all_awake(scene, others, false));
  };
  const auto expect_woken = [&](const char* what) {
    EXPECT_TRUE(all_awake(scene, boxes, true)) << what;  // the whole island, at once
    EXPECT_TRUE(all_awake(scene, others, false)) << what;
    sleep_again();
  };
  const Vec3 none{0.0f, 0.0f, 0.0f};
  sleep_again();
  world.wake(boxes[1]);
  expect_woken("wake");
  world.set_pose(boxes[1], world.pose(boxes[1]));
  expect_woken("set_pose");
  world.set_velocity(boxes[1], none, none);
  expect_woken("set_velocity");
  world.set_material(boxes[0], {.friction = 0.9f});
  expect_woken("set_material");
  world.set_filter(boxes[0], {});
  expect_woken("set_filter");
  world.set_gravity_scale(boxes[0], 1.0f);
  expect_woken("set_gravity_scale");
  world.set_damping(boxes[0], 0.1f, 0.1f);
  expect_woken("set_damping");
  world.apply_force(boxes[1], {0.1f, 0.0f, 0.0f});
  expect_woken("apply_force");
  world.apply_torque(boxes[1], {0.1f, 0.0f, 0.0f});
  expect_woken("apply_torque");
  world.apply_impulse_at(boxes[1], {0.01f, 0.0f, 0.0f}, world.position(boxes[1]));
  expect_woken("apply_impulse_at");
  world.ignore_pair(boxes[0], boxes[1]);
  EXPECT_TRUE(all_awake(scene, boxes, true));
  world.collide_pair(boxes[0], boxes[1]);
  expect_woken("collide_pair");
  world.set_gravity({0.0f, -9.0f, 0.0f});
  EXPECT_TRUE(all_awake(scene, boxes, true) && all_awake(scene, others, true));
  sleep_again();
  world.set_gravity({0.0f, -9.0f, 0.0f});  // the same again
  EXPECT_TRUE(all_awake(scene, boxes, false));
}

TEST_P(Sleep, WhatStoodOnARemovedBodyFalls) {
  for (const bool fixed : {false, true}) {
    Scene scene(soon_asleep());
    scene.ground();
    const BodyId support =
        fixed ? scene.fixed_box({0.0f, 0.5f, 0.0f}, {0.5f, 0.5f, 0.5f}) : scene.box({0.0f, 0.5f, 0.0f});
    const std::vector<BodyId> boxes = stack(scene, 2, 0.0f, 1.0f), others = stack(scene, 2, 5.0f);
    scene.run(steps_to_rest());
    ASSERT_TRUE(all_awake(scene, boxes, false));
    scene.world.remove_body(support);
    EXPECT_TRUE(all_awake(scene, boxes, true));
    EXPECT_TRUE(all_awake(scene, others, false));
    scene.run(cpu_or_cuda(120, 72));
    EXPECT_LT(scene.position(boxes[1]).y, 1.6f);
    EXPECT_TRUE(all_awake(scene, boxes, false));
  }
}

TEST_P(Sleep, WhatStoodOnAMovedFixedBodyFalls) {
  Scene scene(soon_asleep());
  scene.ground();
  const BodyId support = scene.fixed_box({0.0f, 0.5f, 0.0f}, {0.5f, 0.5f, 0.5f});
  const BodyId box = scene.box({0.0f, 1.5f, 0.0f});
  scene.run(cpu_or_cuda(60, 32));
  ASSERT_FALSE(scene.world.is_awake(box));
  scene.world.set_pose(support, {{3.0f, 0.5f, 0.0f}, kIdentity});
  scene.run(60);
  EXPECT_NEAR(scene.position(box).y, 0.5f, 0.02f);
}

TEST_P(Sleep, ABodyPutToSleepStaysInTheAirUntilItIsMet) {
  Scene scene(sleepy());
  const BodyId low = scene.box({0.0f, 5.0f, 0.0f});
  scene.world.apply_force(low, {0.0f, 100.0f, 0.0f});
  scene.world.put_to_sleep(low);
  scene.run(30);
  EXPECT_FALSE(scene.world.is_awake(low));
  EXPECT_EQ(scene.position(low).y, 5.0f);
  const BodyId high = scene.box({0.0f, 7.0f, 0.0f});
  scene.run(40);
  EXPECT_TRUE(scene.world.is_awake(low) && scene.world.is_awake(high));
  EXPECT_LT(scene.position(low).y, 4.5f);
  scene.world.put_to_sleep(low);
  scene.world.set_velocity(low, {1.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f});  // the later call counts
  EXPECT_TRUE(scene.world.is_awake(low));
}

TEST_P(Sleep, ManyStacksInManyBlocksGoOnAsIfNobodySlept) {
  WorldDef d = sleepy();
  Scene scene(d);
  scene.ground();
  std::vector<std::vector<BodyId>> stacks;
  const int count = cpu_or_cuda(60, 24);
  for (int i = 0; i < count; ++i) stacks.push_back(stack(scene, 4, 3.0f * float(i)));
  scene.run(90);
  EXPECT_EQ(scene.world.last_report().awake_count, 1);
  // A ball rolls along the row and meets them one after another.
  const BodyId ball = scene.sphere({-2.0f, 0.4f, 0.0f}, 0.4f, 40.0f);
  scene.world.set_velocity(ball, {15.0f, 0.0f, 0.0f}, {0.0f, 0.0f, -37.5f});
  scene.run(30);
  EXPECT_TRUE(all_awake(scene, stacks[0], true));
  EXPECT_TRUE(all_awake(scene, stacks.back(), false));
  EXPECT_GT(scene.world.last_report().pair_count, 0);
}

TEST_P(Sleep, ASavedWorldSleepsOnAndWakesAlike) {
  Scene scene(sleepy());
  const BodyId floor = scene.fixed_box({0.0f, -0.5f, 0.0f}, {20.0f, 0.5f, 20.0f});
  const std::vector<BodyId> boxes = stack(scene, 3), others = stack(scene, 2, 4.0f);
  scene.run(77);
  ASSERT_TRUE(all_awake(scene, boxes, false));
  std::stringstream file;
  scene.world.save(file);
  Scene again(sleepy());
  again.world.restore(file);
  EXPECT_EQ(again.hash(), scene.hash());
  for (Scene* s : {&scene, &again}) {
    s->world.set_pose(floor, {{0.0f, -0.6f, 0.0f}, kIdentity});
    s->run(5);
  }
  EXPECT_TRUE(again.world.is_awake(boxes[0]));
  EXPECT_EQ(again.hash(), scene.hash());
  for (Scene* s : {&scene, &again}) s->run(80);
  EXPECT_FALSE(again.world.is_awake(boxes[0]));
  EXPECT_EQ(again.hash(), scene.hash());
}

TEST(SleepingPile, ABallWakesOneOfAThousandStacks) {
  scenes::RunningScene stacks(scenes::make_scene("stacks_1000x10"), WorldDef{.backend = Backend::cpu, .threads = 2},
                              true);
  for (int step = 0; step < 64; ++step) stacks.step();
  World& world = stacks.world();
  ASSERT_EQ(world.last_report().awake_count, 1);
  world.add_body(
      {.shape = sphere(0.4f), .mass = 300.0f, .position = {1.5f, 2.5f, 3.2f}, .linear_velocity = {0, 0, -9}});
  Index most = 0;
  for (int step = 0; step < 30; ++step) most = std::max(most, stacks.step().awake_count);
  EXPECT_EQ(most, 1 + 1 + 10);  // the ground, the ball and a stack
}

/// A pile in a box; on all numbers of threads with the same bits.
TEST(SleepingPile, SleepsWithinTwentySecondsAndStaysAsItIs) {
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 2, 3}) {
    scenes::RunningScene pile(scenes::make_scene("mixed_pile_200"),
                              WorldDef{.backend = Backend::cpu, .threads = threads}, true);
    const Index fixed = Index(pile.statics().size());
    int steps = 0;
    while (pile.step().awake_count > fixed && steps < 1200) ++steps;
    EXPECT_GT(steps, 60);
    EXPECT_LT(steps, 1200);
    hashes.push_back(pile.world().state_hash());
    const std::vector<BodyMotion> before = pile.motions();
    pile.world().step_n(50, kStep);
    const std::vector<BodyMotion> after = pile.motions();
    EXPECT_EQ(std::memcmp(before.data(), after.data(), before.size() * sizeof(BodyMotion)), 0);
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

// Joints that sleep share blocks of lanes with joints that do not, and with what happens to their limits.
TEST_P(Sleep, AJointThatSleptBesideABusyOneHolds) {
  Scene scene(sleepy());
  std::vector<BodyId> bars;
  for (int i = 0; i < 2; ++i) {  // beams that lie on the lower limit of a hinge at one end
    const float z = 3.0f * float(i);
    bars.push_back(scene.box({0.5f, 5.0f, z}, {0.5f, 0.1f, 0.1f}, 2.0f));
    JointDef hinge = hinge_joint(kWorld, bars.back(), {0.0f, 5.0f, z}, {0.0f, 0.0f, 1.0f});
    hinge.axis(Axis::twist) = {.mode = AxisMode::limited, .lower = 0.0f, .upper = 1.5f};
    scene.world.add_joint(hinge);
  }
  ASSERT_GT(steps_to_sleep(scene, bars[0], 120), 0);
  for (int kick = 0; kick < 3; ++kick) {  // leaves its limit, and falls back
    scene.world.apply_angular_impulse(bars[1], {0.0f, 0.0f, 3.0f});
    scene.run(1);
    EXPECT_GT(scene.spin(bars[1]).z, 0.5f);
    scene.run(89);
  }
  ASSERT_FALSE(scene.world.is_awake(bars[0]));
  scene.world.apply_impulse(bars[0], {0.0f, 1.0f, 0.0f});
  for (int step = 0; step < 60; ++step) {
    scene.run(1);
    const Vec3 p = scene.position(bars[0]);
    ASSERT_NEAR(std::hypot(p.x, p.y - 5.0f), 0.5f, 1e-3f) << "step " << step;
    ASSERT_GT(p.y, 4.99f) << "step " << step;
  }
}

// A world at rest passes its steps, unless the caller has pointers to its columns.
TEST_P(Sleep, PassedStepsLeaveEveryBitOfTheFutureAsItWas) {
  Scene passes(sleepy()), works(sleepy());
  (void)works.world.device_view();
  std::vector<std::vector<BodyId>> boxes;
  BodyId ground;
  for (Scene* scene : {&passes, &works}) {
    ground = scene->ground();
    boxes.push_back(stack(*scene, 4));
    scene->box({3.0f, 2.0f, 0.0f});
  }
  const auto run_both = [&](int steps, const char* after) {
    for (int step = 0; step < steps; ++step) {
      passes.run(1);
      works.run(1);
      const StepReport a = passes.world.last_report(), b = works.world.last_report();
      ASSERT_EQ(a.awake_count, b.awake_count) << after << ", step " << step;
      ASSERT_EQ(a.contact_count, b.contact_count) << after << ", step " << step;
      ASSERT_EQ(passes.world.state_hash(), works.world.state_hash()) << after << ", step " << step;
    }
    ASSERT_FALSE(passes.world.is_awake(boxes[0][0])) << after;
  };
  run_both(150, "the fall");
  for (std::size_t i = 0; i < 2; ++i) {
    World& world = i == 0 ? passes.world : works.world;
    world.apply_impulse(boxes[i][3], {1.0f, 3.0f, 0.2f});
  }
  run_both(150, "an impulse");
  for (Scene* scene : {&passes, &works}) scene->box({0.2f, 8.0f, 0.1f});
  run_both(200, "a new body");
  for (Scene* scene : {&passes, &works}) scene->world.remove_body(ground);
  for (int step = 0; step < 20; ++step) {
    passes.run(1);
    works.run(1);
  }
  EXPECT_EQ(passes.world.state_hash(), works.world.state_hash());
  EXPECT_TRUE(passes.world.is_awake(boxes[0][0]));
}

}  // namespace
}  // namespace talus::test
