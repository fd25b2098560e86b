// SPDX-License-Identifier: MIT
// What becomes of bodies inside each other, what is told of them, and what they do to all others: nothing.
#include <cstring>
#include <vector>

#include "analytic/rig.h"

namespace talus::test {
namespace {

class Overlap : public BackendTest {};

BodyDef unit_box(Vec3 at, float mass = 1.0f) {
  return {.shape = box({0.5f, 0.5f, 0.5f}), .mass = mass, .position = at};
}
void add_floor(World& world) {
  world.add_body({.shape = plane({0.0f, 1.0f, 0.0f})});
}

TEST_P(Overlap, IsToldFromHalfOfTheThinnerBodyOn) {
  for (const float depth : {0.0f, 0.1f, 0.45f, 0.55f, 0.95f}) {
    World world(def());
    world.add_body(unit_box({0.0f, 0.0f, 0.0f}));
    world.add_body(unit_box({1.0f - depth, 0.0f, 0.0f}));
    EXPECT_EQ(has(world.step(kStep).status, StepStatus::deep_penetration), depth > 0.5f) << depth;
    for (int step = 0; step < 60; ++step) world.step(kStep);
    EXPECT_EQ(world.step(kStep).status, StepStatus::ok) << depth << ": " << world.last_report().message();
  }
}

/// A tower, and what the caller adds elsewhere.
template <class Add>
std::vector<BodyMotion> tower_after(const WorldDef& def, const Add& add) {
  World world(def);
  add_floor(world);
  std::vector<BodyId> tower;
  for (int i = 0; i < 5; ++i) tower.push_back(world.add_body(unit_box({0.02f * float(i), 0.5f + float(i), 0.0f})));
  add(world);
  for (int step = 0; step < 60; ++step) world.step(kStep);
  std::vector<BodyMotion> motions(tower.size());
  world.read_motions(tower, motions);
  return motions;
}

TEST_P(Overlap, OfOtherBodiesChangesNoBit) {
  const WorldDef settings = def();
  const std::vector<BodyMotion> alone = tower_after(settings, [](World&) {});
  const std::vector<BodyMotion> beside_deep = tower_after(settings, [](World& world) {
    for (int i = 0; i < 8; ++i) world.add_body(unit_box({50.0f, 0.1f * float(i), 0.0f}));
  });
  EXPECT_EQ(std::memcmp(alone.data(), beside_deep.data(), alone.size() * sizeof(BodyMotion)), 0);
}

// By velocities 1,000 of them left at 162 m/s.
TEST_P(Overlap, OfManySpheresAtOnePlaceEndsSlowly) {
  World world(weightless());
  const float limit = world.def().solver.max_push_speed;
  const std::vector<BodyId> ids =
      world.add_bodies(std::vector<BodyDef>(std::size_t(cpu_or_cuda(300, 20)), BodyDef{.shape = sphere(0.1f)}));
  std::vector<BodyMotion> before(ids.size()), after(ids.size());
  world.read_motions(ids, before);
  for (int step = 0; step < 20; ++step, before = after) {
    ASSERT_TRUE(world.step(kStep));
    world.read_motions(ids, after);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const double way = length(vec(after[i].pose.position) - vec(before[i].pose.position));
      ASSERT_LT(way, 1.1 * limit * kStep) << "step " << step;
      ASSERT_LT(length(vec(after[i].linear_velocity)), limit) << "step " << step;
    }
  }
}

TALUS_INSTANTIATE_ON_BACKENDS(Overlap);

}  // namespace
}  // namespace talus::test
