// SPDX-License-Identifier: MIT
// Large piles after ten seconds: at rest, and with little penetration by geometry alone.
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

}  // namespace
}  // namespace talus::test
