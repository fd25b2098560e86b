// SPDX-License-Identifier: MIT
// pile [FILE.png [N]]: 1000 spheres, boxes and capsules (or N) fall into a box. Prints once a second how the pile
// settles, and draws it at the end if a file is named; returns 1 if a body escaped or bodies stick deep in each other.
#include <talus/talus.h>

#include <cstdio>
#include <string>
#include <vector>

#include "scenes/metrics.h"
#include "scenes/png.h"
#include "scenes/render.h"
#include "scenes/scene.h"

int main(int argc, char** argv) {
  namespace scenes = talus::scenes;
  const std::string count = argc > 2 ? argv[2] : "1000";
  scenes::RunningScene pile(scenes::make_scene("mixed_pile_" + count), talus::WorldDef{});
  scenes::Metrics metrics;
  for (int second = 1; second <= 5; ++second) {
    talus::StepReport report;
    for (int step = 0; step < 60; ++step) report = pile.step();
    metrics = scenes::measure(pile.scene(), pile.motions());  // from shapes and poses alone
    std::printf("%d s  %5d contacts in %2d colors  penetration max %5.1f mm, mean %5.2f mm  %8.2f J per body\n", second,
                report.contact_count, report.color_count, 1e3 * metrics.pen_max, 1e3 * metrics.pen_mean,
                metrics.ke_per_body);
  }
  if (argc > 1) {
    const std::vector<scenes::RenderBody> bodies = scenes::render_bodies(pile);
    const scenes::Camera camera = scenes::frame_bodies(bodies, pile.scene().view_from, 960, 640);
    scenes::write_png(argv[1], scenes::render(bodies, camera, 2));
  }
  return metrics.escaped == 0 && metrics.not_finite == 0 && metrics.pen_max < 0.05 ? 0 : 1;
}
