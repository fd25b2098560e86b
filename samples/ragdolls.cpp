// SPDX-License-Identifier: MIT
// ragdolls: three figures fall down five stairs: a limp one, one that holds its pose a little, and a stiff one. Prints
// how they come to rest; returns 1 if one does not, or if a joint is far beyond its limits.
#include <talus/talus.h>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace {

// [rad] How far the joints of a figure are beyond their limits, at most.
float beyond_limits(talus::World& world, const talus::Figure& figure) {
  float most = 0;
  for (std::size_t i = 1; i < figure.joints.size(); ++i) {
    const talus::JointReading reading = world.reading(figure.joints[i]);
    const talus::Segment& segment = figure.skeleton.segments[i];
    const auto check = [&](talus::Axis axis, talus::AxisRange range) {
      const float angle = reading.position[static_cast<std::size_t>(axis)];
      most = std::max({most, range.lower - angle, angle - range.upper});
    };
    check(talus::Axis::twist, segment.twist);
    check(talus::Axis::swing_y, segment.swing_y);
    check(talus::Axis::swing_z, segment.swing_z);
  }
  return most;
}

}  // namespace

int main() {
  talus::World world;
  world.add_body({.shape = talus::plane({0, 1, 0})});
  for (int stair = 0; stair < 5; ++stair) {
    const float height = 0.2f * float(5 - stair);
    world.add_body({.shape = talus::box({4, height / 2, 0.2f}),
                    .motion = talus::Motion::fixed,
                    .position = {0, height / 2, 0.4f * float(stair)}});
  }
  const talus::Skeleton human = talus::human_skeleton();
  std::vector<talus::Figure> figures;
  for (const float strength : {0.0f, 0.1f, 1.0f}) {
    const float x = 2 * float(figures.size()) - 2;
    figures.push_back(add_figure(world, human, {{x, 1.3f, 0}, talus::kIdentity}, strength));
    const talus::BodyId chest = figures.back().body("chest");
    world.apply_impulse(chest, {0, 0, 60});  // [N s] a push down the stairs
  }

  for (int second = 1; second <= 6; ++second) {
    for (int step = 0; step < 60; ++step) world.step(1.0f / 60);
    std::printf("%d s  heads at", second);
    for (const talus::Figure& figure : figures) {
      const talus::Vec3 head = world.position(figure.body("head"));
      std::printf("  y = %.2f m, z = %5.2f m", double(head.y), double(head.z));
    }
    std::printf("\n");
  }
  float worst = 0;
  for (const talus::Figure& figure : figures) worst = std::max(worst, beyond_limits(world, figure));
  const double energy = world.mechanics().kinetic_energy / double(figures.size());
  std::printf("kinetic energy %.2g J a figure, joints at most %.3f rad beyond their limits\n", energy, double(worst));
  return energy < 1 && worst < 0.2f ? 0 : 1;
}
