// SPDX-License-Identifier: MIT
// Things that stand, measured by geometry alone: stacks, a pyramid, a house of cards, a box at the edge; and dominoes,
// which must not.
#include "analytic/rig.h"

namespace talus::test {
namespace {

class Standing : public BackendTest {};
TALUS_INSTANTIATE_ON_CPU(Standing);
class Tipping : public BackendTest {};
TALUS_INSTANTIATE_ON_BACKENDS(Tipping);

scenes::Metrics after(const char* scene, int steps, const WorldDef& def) {
  scenes::RunningScene running(scenes::make_scene(scene), def);
  for (int step = 0; step < steps; ++step) running.step();
  return scenes::measure(running.scene(), running.motions());
}

TEST_P(Standing, StackOfTenStandsWithSmallPenetration) {
  const scenes::Metrics m = after("stack_10", 600, def());
  EXPECT_LT(m.pen_max, 0.005);  // 0.5 % of a box
  EXPECT_LT(m.drift_max, 0.001);
  EXPECT_NEAR(m.height, 9.5, 0.05);
  EXPECT_LT(m.vmax, 1e-3);
}

TEST_P(Standing, StackOfTenStandsWithProjection) {
  const scenes::Metrics m = after("stack_10", 600, def({.stabilization = Stabilization::projection}));
  EXPECT_LT(m.pen_max, 0.005);
  EXPECT_LT(m.drift_max, 0.001);
  EXPECT_NEAR(m.height, 9.5, 0.05);
}

// Contacts that share bodies are projected, too: soft ones of 3 Hz would let the lowest box sink by 28 cm.
TEST_P(Standing, ProjectionIsRigidBySplitting) {
  for (const Solver solver : {Solver::gauss_seidel, Solver::jacobi}) {
    const scenes::Metrics m = after(
        "stack_3", 600, def({.solver = solver, .stabilization = Stabilization::projection, .contact_hertz = 3.0f}));
    EXPECT_LT(m.pen_max, 0.001);
    EXPECT_LT(m.drift_max, 0.001);
    EXPECT_LT(m.vmax, 1e-3);
  }
}

TEST_P(Standing, TowerOfTwentyDoesNotBuckle) {
  const scenes::Metrics m = after("stack_20", 300, def());
  EXPECT_LT(m.drift_max, 0.002);
  EXPECT_NEAR(m.height, 19.5, 0.1);
}

// Rigid boxes stand however many they are, as long as each one's load is above its support. Soft ones buckle from 21
// on, if what they bear follows their lean.
TEST_P(Standing, CrookedTowersOfThirtyTwoDoNotBuckle) {
  for (const std::uint32_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    World world(def());
    world.add_body({.shape = plane({0.0f, 1.0f, 0.0f})});
    Vec3 at{};
    BodyId top;
    for (int i = 0; i < 32; ++i) {
      at = random.in_box(0.02f);
      at.y = 0.5f + float(i);
      top = world.add_body({.shape = box({0.5f, 0.5f, 0.5f}), .position = at});
    }
    world.step_n(900, kStep);
    const Vecd moved = vec(world.position(top)) - vec(at);
    EXPECT_LT(std::hypot(moved.x, moved.z), 0.1);
    EXPECT_GT(moved.y, -0.12);
  }
}

TEST_P(Standing, PyramidOfFortyStandsForHalfAMinute) {
  const scenes::Metrics m = after("pyramid2d_40", 1800, def());
  EXPECT_LT(m.drift_max, 0.055);  // measured: 0.034
  EXPECT_LT(m.sag_max, 0.08);     // 0.054
  EXPECT_LT(m.pen_max, 0.005);    // 0.0034
  EXPECT_LT(m.vmax, 0.0025);
}

TEST_P(Standing, HouseOfCardsStands) {
  const scenes::Metrics m = after("card_house_3", 600, def());
  EXPECT_LT(m.drift_max, 0.015);  // measured: 0.0049
  EXPECT_LT(m.sag_max, 0.015);    // 0.0052
  EXPECT_LT(m.pen_max, 0.005);    // 0.0016
  EXPECT_LT(m.vmax, 1e-4);        // 1.4e-6
}

TEST_P(Standing, DominoesFallToTheLast) {
  scenes::RunningScene running(scenes::make_scene("dominoes_200"), def());
  const auto standing = [&] {
    int count = 0;
    for (const BodyMotion& m : running.motions()) count += up_axis(m.pose).y > 0.8 ? 1 : 0;
    return count;
  };
  int steps = 0;
  for (; steps < 60 * 90; ++steps) {
    running.step();
    if (steps % 60 == 59 && standing() == 0) break;
  }
  EXPECT_EQ(standing(), 0) << "after " << (steps + 1) / 60 << " s";
  EXPECT_GT(steps, 300);  // one after another, not all at once
  EXPECT_EQ(scenes::measure(running.scene(), running.motions()).not_finite, 0);
}

/// [m] Height of a box of 1 m after 5 s whose centre is so far beyond the edge of its support.
double height_beyond_edge(const WorldDef& def, double beyond, int steps, bool wide) {
  World world(def);
  world.add_body(
      {.shape = box({1.0f, 0.5f, wide ? 2.0f : 0.5f}), .motion = Motion::fixed, .position = {-1.0f, -0.5f, 0.0f}});
  const BodyId id = world.add_body({.shape = box({0.5f, 0.5f, 0.5f}), .position = {float(beyond), 0.5f, 0.0f}});
  world.step_n(steps, kStep);
  return double(world.position(id).y);
}

TEST_P(Tipping, CentreInsideTheEdgeStaysAndOutsideFalls) {
  const int steps = cpu_or_cuda(300, 20);
  for (const bool wide : {false, true}) {
    EXPECT_NEAR(height_beyond_edge(def(), -0.005, steps, wide), 0.5, 0.01);
    if (on_cuda()) continue;  // the fall takes seconds
    EXPECT_LT(height_beyond_edge(def(), 0.005, steps, wide), 0.0);
  }
}

}  // namespace
}  // namespace talus::test
