// SPDX-License-Identifier: MIT
// Events: contacts that begin, end and hit, once each; sleep; and that none is lost or told twice.
#include <gtest/gtest.h>
#include <talus/talus.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "support/backends.h"
#include "support/scene.h"

namespace talus::test {
namespace {

class Events : public OnBackend {
 protected:
  static WorldDef telling(bool sleep = false) {
    WorldDef d = def();
    d.events.enabled = true;
    d.sleep.enabled = sleep;
    return d;
  }
  static int count(const std::vector<Event>& events, EventType type) {
    return int(std::count_if(events.begin(), events.end(), [&](const Event& e) { return e.type == type; }));
  }
};
TALUS_INSTANTIATE_ON_BACKENDS(Events);

TEST_P(Events, ABouncingBallBeginsAndEndsOncePerBounce) {
  Scene scene(telling());
  const BodyId ground = scene.ground();
  BodyDef def = Scene::body(sphere(0.5f), {0.0f, 2.0f, 0.0f}, 2.0f);
  def.material.restitution = 0.8f;
  const BodyId ball = scene.add(def);
  int begins = 0, ends = 0, bounces = 0;
  float impulse = 0.0f, change = 0.0f;  // [N s] of all hits, and of the ball
  for (int step = 0; step < 120; ++step) {
    const float before = scene.velocity(ball).y;
    scene.run(1);
    const float after = scene.velocity(ball).y;
    if (before < 0.0f && after > 0.0f) ++bounces;
    for (const Event& e : scene.world.read_events()) {
      begins += e.type == EventType::contact_begin ? 1 : 0;
      ends += e.type == EventType::contact_end ? 1 : 0;
      EXPECT_TRUE(e.a == ball && e.b == ground);
      EXPECT_EQ(begins - ends, e.type == EventType::contact_end ? 0 : 1);
      if (e.type != EventType::contact_hit) continue;
      EXPECT_NEAR(e.speed, -before, 1e-4f);
      EXPECT_NEAR(e.normal.y, -1.0f, 1e-6f);
      impulse += e.impulse;
      change += 2.0f * (after - before + 9.81f * kStep);
    }
  }
  EXPECT_GE(bounces, 2);
  EXPECT_EQ(begins, bounces);
  EXPECT_EQ(ends, bounces);
  EXPECT_GT(impulse, 10.0f);
  EXPECT_NEAR(impulse, change, 0.01f * change);
}

TEST_P(Events, AHitOfTwoBallsTellsItsImpulse) {
  WorldDef d = telling();
  d.gravity = {0.0f, 0.0f, 0.0f};
  Scene scene(d);
  const BodyId a = scene.sphere({-2.0f, 0.0f, 0.0f}, 0.5f, 1.0f), b = scene.sphere({2.0f, 0.1f, 0.0f}, 0.4f, 3.0f);
  scene.world.set_velocity(a, {5.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f});
  float impulse = 0.0f;
  for (int step = 0; step < 90; ++step) {
    scene.run(1);
    for (const Event& e : scene.world.read_events()) impulse += e.type == EventType::contact_hit ? e.impulse : 0.0f;
  }
  const Vec3 v = scene.velocity(b);  // friction turns the balls a little; along the normal it is the impulse
  EXPECT_GT(v.x, 1.0f);
  EXPECT_NEAR(impulse, 3.0f * std::hypot(v.x, v.y), 0.02f * impulse);
}

TEST_P(Events, BeginsAndEndsAgreeWithTheContactsThatTouch) {
  WorldDef d = telling();
  d.contact_reports = true;
  d.reserve_pairs = d.reserve_contacts = 1;  // the buffers grow on the way
  World world(d);
  world.add_bodies(pile(cpu_or_cuda(75, 25)));
  std::set<std::pair<BodyId, BodyId>> touching;
  int told = 0;
  for (int step = 0; step < cpu_or_cuda(120, 40); ++step) {
    world.step(kStep);
    for (const Event& e : world.read_events()) {
      ++told;
      const bool begins = e.type == EventType::contact_begin, ends = e.type == EventType::contact_end;
      EXPECT_TRUE(!begins || touching.insert({e.a, e.b}).second) << step;
      EXPECT_TRUE(!ends || touching.erase({e.a, e.b}) == 1) << step;
    }
    for (const ContactReport& contact : world.read_contacts()) {
      bool pushes = false;
      for (int i = 0; i < contact.point_count; ++i) {
        pushes = pushes || contact.points[i].normal_impulse > 0.0f || contact.points[i].separation <= 0.0f;
      }
      EXPECT_TRUE(!pushes || touching.contains({contact.a, contact.b})) << step;
    }
  }
  EXPECT_GT(told, 20);
}

TEST_P(Events, SleepIsToldAndEndsNoContact) {
  Scene scene(telling(true));
  scene.ground();
  const BodyId low = scene.box({0.0f, 0.5f, 0.0f}), high = scene.box({0.0f, 1.5f, 0.0f});
  std::vector<Event> all;
  const auto run = [&](int steps) {
    all.clear();
    for (int step = 0; step < steps; ++step) {
      scene.run(1);
      const std::vector<Event> events = scene.world.read_events();
      all.insert(all.end(), events.begin(), events.end());
    }
  };
  run(70);
  ASSERT_FALSE(scene.world.is_awake(low));
  EXPECT_EQ(count(all, EventType::contact_begin), 2);
  EXPECT_EQ(count(all, EventType::fell_asleep), 2);
  EXPECT_EQ(all.size(), 4u);
  scene.world.wake(high);
  run(70);
  EXPECT_EQ(count(all, EventType::woke_up), 2);
  EXPECT_EQ(count(all, EventType::fell_asleep), 2);
  EXPECT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].a, low);
  EXPECT_EQ(all[0].b, BodyId{});
}

TEST_P(Events, AreRefusedIfNobodyAskedForThem) {
  Scene scene(def());
  EXPECT_NE(error_of([&] { scene.world.read_events(); }).find("WorldDef::events"), std::string::npos);
}

TEST_P(Events, AJointThatBreaksIsToldOnce) {
  Scene scene(telling());
  const BodyId held = scene.add(Scene::body(sphere(0.2f), {0.0f, 5.0f, 0.0f}, 2.0f));
  const BodyId other = scene.add(Scene::body(sphere(0.2f), {2.0f, 5.0f, 0.0f}, 2.0f));
  JointDef joint = ball_joint(kWorld, held, {0.0f, 5.0f, 0.0f});
  joint.break_force = 30.0f;  // [N] more than 19.6
  const JointId weak = scene.world.add_joint(joint);
  scene.world.add_joint(ball_joint(kWorld, other, {2.0f, 5.0f, 0.0f}));
  std::vector<Event> events;
  for (int step = 0; step < 30; ++step) {
    if (step == 10) scene.world.apply_force(held, {0.0f, -40.0f, 0.0f});
    scene.run(1);
    for (const Event& e : scene.world.read_events()) {
      EXPECT_EQ(step, 10);
      events.push_back(e);
    }
  }
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].type, EventType::joint_broke);
  EXPECT_EQ(events[0].joint, weak);
  EXPECT_TRUE(events[0].a == kWorld && events[0].b == held);
  EXPECT_NEAR(events[0].impulse, 59.62f * kStep, 0.01f * 59.62f * kStep);
}

}  // namespace
}  // namespace talus::test
