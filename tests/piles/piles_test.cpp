// SPDX-License-Identifier: MIT
// Large piles after ten seconds: at rest, and with little penetration by geometry alone.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "analytic/rig.h"

namespace talus::test {
namespace {

void expect_settled(const char* name) {
  scenes::RunningScene running(scenes::make_scene(name), WorldDef{.backend = Backend::cpu});
  for (int step = 0; step < 600; ++step) ASSERT_TRUE(running.step());
  const scenes::Metrics m = scenes::measure(running.scene(), running.motions());
  std::printf("%s: %.3f J a body, penetration %.2f mm mean, %.1f mm largest, fastest %.2f m/s\n", name, m.ke_per_body,
              1e3 * m.pen_mean, 1e3 * m.pen_max, m.vmax);
  EXPECT_EQ(m.not_finite, 0);
  EXPECT_EQ(m.escaped, 0);
  EXPECT_LT(m.ke_per_body, 0.5);
  EXPECT_LT(m.pen_mean, 0.004);  // 0.4 % of a body's size
  EXPECT_LT(m.pen_max, 0.040);
}

TEST(Piles, BoxesSettle) {
  expect_settled("box_pile_8000");
}
TEST(Piles, SpheresSettle) {
  expect_settled("sphere_pile_8000");
}

TEST(Piles, BallsRollDownTheInclinePastTheLetters) {
  scenes::RunningScene running(scenes::make_scene("incline_1000"), WorldDef{.backend = Backend::cpu});
  const auto energy = [&] {
    const Mechanics m = running.world().mechanics();
    return m.kinetic_energy + m.potential_energy;
  };
  const double start = energy();
  double height = 0, gained = 0;
  for (const BodyDef& body : running.scene().bodies) height += double(body.position.y);
  for (int step = 0; step < 400; ++step) {
    ASSERT_TRUE(running.step());
    gained = std::max(gained, energy() - start);
  }
  double fallen = height;
  for (const BodyMotion& motion : running.motions()) fallen -= double(motion.pose.position.y);
  const scenes::Metrics m = scenes::measure(running.scene(), running.motions());
  const double lost = fallen / double(running.scene().bodies.size());  // [m] of height, in the mean
  std::printf("incline_1000: penetration %.2f mm largest, fastest %.2f m/s, %.2f m lower, %.3g J gained\n",
              1e3 * m.pen_max, m.vmax, lost, gained);
  EXPECT_EQ(m.escaped, 0);
  EXPECT_LT(m.pen_max, 0.012);                // measured: 4.1 mm
  EXPECT_LT(m.vmax, 16.0);                    // 7.5
  EXPECT_GT(lost, 3.0);                       // 3.5: letters hold nobody up
  EXPECT_LT(gained, 1e-5 * std::abs(start));  // nothing
}

}  // namespace
}  // namespace talus::test
