// SPDX-License-Identifier: MIT
// Bodies that come and go while the world runs, and steps that are queued instead of awaited.
#include <algorithm>
#include <vector>

#include "analytic/rig.h"

namespace talus::test {
namespace {

class Edits : public BackendTest {};
TALUS_INSTANTIATE_ON_BACKENDS(Edits);

BodyDef random_body(Random& random) {
  BodyDef d;
  d.shape = random.shape(random.between(0.15f, 0.4f));
  d.position = random.in_box(1.5f);
  d.position.y = 2.0f + random.between(0.0f, 2.0f);
  d.orientation = random.rotation();
  d.linear_velocity = random.in_box(2.0f);
  return d;
}

/// One random change of the scene; the same calls for the same seed.
void change(World& world, std::vector<BodyId>& ids, Random& random) {
  switch (random.below(4)) {
    case 0:
      for (int i = random.below(4); i > 0; --i) ids.push_back(world.add_body(random_body(random)));
      break;
    case 1:
      for (int i = random.below(3); i > 0 && !ids.empty(); --i) {
        const std::size_t victim = std::size_t(random.below(int(ids.size())));
        world.remove_body(ids[victim]);
        ids.erase(ids.begin() + std::ptrdiff_t(victim));
      }
      break;
    case 2:
      if (!ids.empty()) world.apply_impulse(ids[std::size_t(random.below(int(ids.size())))], random.in_box(50.0f));
      break;
    default:
      if (!ids.empty()) {
        world.set_pose(ids[std::size_t(random.below(int(ids.size())))],
                       {random_body(random).position, random.rotation()});
      }
  }
}

TEST_P(Edits, RandomComingAndGoingKeepsTheWorldSane) {
  for (std::uint32_t seed = 1; seed <= std::uint32_t(cpu_or_cuda(20, 1)); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    World world(def());
    const BodyId floor = world.add_body({.shape = plane({0.0f, 1.0f, 0.0f})});
    std::vector<BodyId> ids;
    for (int i = 0; i < 15; ++i) ids.push_back(world.add_body(random_body(random)));
    for (int step = 0; step < cpu_or_cuda(120, 20); ++step) {
      change(world, ids, random);
      const StepReport report = world.step(kStep);
      ASSERT_TRUE(report) << report.message();
      ASSERT_EQ(report.body_count, Index(ids.size()) + 1);
    }
    ASSERT_EQ(world.body_count(), Index(ids.size()) + 1);
    ASSERT_TRUE(world.contains(floor));
    for (const BodyId id : ids) {
      ASSERT_TRUE(world.contains(id));
      ASSERT_GT(world.position(id).y, -0.5f);
    }
  }
}

TEST_P(Edits, QueuedStepsEqualAwaitedOnes) {
  constexpr std::uint32_t seed = 5;
  std::uint64_t hashes[2];
  for (const bool async : {false, true}) {
    Random random(seed);
    World world(def());
    world.add_body({.shape = plane({0.0f, 1.0f, 0.0f})});
    std::vector<BodyId> ids;
    for (int i = 0; i < 15; ++i) ids.push_back(world.add_body(random_body(random)));
    for (int step = 0; step < cpu_or_cuda(90, 24); ++step) {
      if (step % 5 == 0) change(world, ids, random);
      if (async) {
        world.step_async(kStep);
      } else {
        world.step(kStep);
      }
    }
    EXPECT_EQ(world.last_report().step, std::uint64_t(cpu_or_cuda(90, 24)));
    hashes[async ? 1 : 0] = world.state_hash();
  }
  EXPECT_EQ(hashes[0], hashes[1]) << "seed " << seed;
}

TEST_P(Edits, StepNEqualsSteps) {
  Random random(3);
  std::vector<BodyDef> defs{{.shape = plane({0.0f, 1.0f, 0.0f})}};
  for (int i = 0; i < 12; ++i) defs.push_back(random_body(random));
  World a(def()), b(def());
  a.add_bodies(defs);
  b.add_bodies(defs);
  a.step_n(40, kStep);
  for (int i = 0; i < 40; ++i) b.step(kStep);
  EXPECT_EQ(a.state_hash(), b.state_hash());
  EXPECT_EQ(a.step_number(), 40u);
}

TEST_P(Edits, ARemovedSupportLetsItsLoadFall) {
  World world(def());
  world.add_body({.shape = plane({0.0f, 1.0f, 0.0f})});
  const BodyId support = world.add_body({.shape = box({0.5f, 0.5f, 0.5f}), .position = {0.0f, 0.5f, 0.0f}});
  const BodyId load = world.add_body({.shape = box({0.5f, 0.5f, 0.5f}), .position = {0.0f, 1.5f, 0.0f}});
  world.step_n(30, kStep);
  EXPECT_NEAR(world.position(load).y, 1.5, 0.01);
  world.remove_body(support);
  world.step_n(6, kStep);
  EXPECT_NEAR(world.position(load).y, 1.5 - distance_of_scheme(kGravity, 6, 4), 0.01);
  world.step_n(60, kStep);
  EXPECT_NEAR(world.position(load).y, 0.5, 0.01);
}

TEST_P(Edits, ANewBodyInAnOldSlotInheritsNoImpulse) {
  World world(def());
  world.add_body({.shape = plane({0.0f, 1.0f, 0.0f})});
  const BodyDef heavy{.shape = box({0.5f, 0.5f, 0.5f}), .density = 20000.0f, .position = {0.0f, 0.5f, 0.0f}};
  BodyDef light = heavy;
  light.density = 1.0f;
  const BodyId old = world.add_body(heavy);
  world.step_n(30, kStep);
  world.remove_body(old);
  const BodyId fresh = world.add_body(light);
  ASSERT_EQ(fresh.slot, old.slot);
  double top = 0;
  for (int step = 0; step < 30; ++step) {
    world.step(kStep);
    top = std::max(top, double(world.position(fresh).y));
  }
  EXPECT_LT(top, 0.501);
}

}  // namespace
}  // namespace talus::test
