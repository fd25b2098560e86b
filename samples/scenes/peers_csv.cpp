// SPDX-License-Identifier: MIT
#include "peers_csv.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

namespace talus::scenes {
namespace {

double mean_from(const std::vector<double>& values, std::size_t first) {
  if (first >= values.size()) return 0.0;
  const double sum = std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(first), values.end(), 0.0);
  return sum / double(values.size() - first);
}

}  // namespace

std::size_t first_late_step(std::size_t step_count) {
  return step_count >= 300 ? 200 : step_count * 2 / 3;
}

std::string_view csv_header() {
  return "engine,config,scene,bodies,threads,steps,ms_late,ms_all,ms_max,contacts,touching_pairs,pen_max,pen_mean,"
         "pen_p99,ke_per_body,vmax,drift_max,drift_mean,sag_max,jerr_max,jerr_mean,escaped,nan,height,cpu_late,cpu_all";
}

std::string csv_line(std::string_view config, const Scene& scene, int threads, const StepTimes& times, long contacts,
                     const Metrics& m) {
  const std::size_t steps = times.wall_ms.size(), late = first_late_step(steps);
  const double slowest = steps == 0 ? 0.0 : *std::max_element(times.wall_ms.begin(), times.wall_ms.end());
  char numbers[512];
  std::snprintf(numbers, sizeof numbers,
                "%zu,%d,%zu,%.4f,%.4f,%.3f,%ld,%ld,%.5f,%.6f,%.5f,%.6g,%.5f,%.5f,%.6f,%.5f,%.5f,%.6f,%ld,%ld,%.3f,"
                "%.4f,%.4f",
                scene.bodies.size(), threads, steps, mean_from(times.wall_ms, late), mean_from(times.wall_ms, 0),
                slowest, contacts, m.touching, m.pen_max, m.pen_mean, m.pen_p99, m.ke_per_body, m.vmax, m.drift_max,
                m.drift_mean, m.sag_max, m.joint_max, m.joint_mean, m.escaped, m.not_finite, m.height,
                mean_from(times.cpu_ms, late), mean_from(times.cpu_ms, 0));
  return "talus," + std::string(config) + "," + scene.name + "," + numbers;
}

}  // namespace talus::scenes
