// SPDX-License-Identifier: MIT
// tumbler: 300 bodies in a drum that turns for 10 s. The drum is made of kinematic boxes; the scene's hook gives each
// of them, before every step, the velocity that leads it along its circle. Prints how the load is lifted; returns 1 if
// a body got out, a box left its circle, or nothing was lifted.
#include <talus/talus.h>

#include <cmath>
#include <cstdio>
#include <vector>

#include "scenes/scene.h"

int main() {
  namespace scenes = talus::scenes;
  constexpr std::size_t kLoad = 300;  // the bodies after these are the drum
  scenes::RunningScene tumbler(scenes::make_scene("tumbler_300"), talus::WorldDef{});
  const auto from_axis = [](talus::Vec3 p) { return std::hypot(double(p.x), double(p.y)); };
  const double circle = from_axis(tumbler.scene().bodies[kLoad].position);  // of the middles of the boxes

  bool inside = true, round = true;
  double lift = 0;  // [m] how far the load's centre is carried to the side
  for (int second = 1; second <= 10; ++second) {
    for (int step = 0; step < 60; ++step) tumbler.step();
    const std::vector<talus::BodyMotion> motions = tumbler.motions();
    double x = 0, y = 0;
    for (std::size_t i = 0; i < motions.size(); ++i) {
      const talus::Vec3 p = motions[i].pose.position;
      if (i < kLoad) {
        inside = inside && from_axis(p) < circle;
        x += double(p.x) / kLoad;
        y += double(p.y) / kLoad;
      } else {
        round = round && std::abs(from_axis(p) - circle) < 1e-3;
      }
    }
    lift = x;
    std::printf("%2d s  the load's centre is at x = %5.2f m, y = %5.2f m\n", second, x, y);
  }
  return inside && round && lift > 0.1 ? 0 : 1;
}
