// SPDX-License-Identifier: MIT
// broad_phase_curve [--csv] [LARGEST]: time of update_bounds and find_pairs a body, for 10,000 to LARGEST (1,000,000)
// bodies of constant density. A broad phase of order n log n keeps the last column constant. Every size is stepped
// until its buffers have grown; the median of the steps after that counts. One body jumps before each step, so that
// none of them lives on candidates found earlier.
#include <talus/talus.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <system_error>
#include <vector>

#include "scenes/scene.h"

namespace {

constexpr int kWarmUpSteps = 3, kMeasuredSteps = 11;

struct Point {
  int bodies = 0;
  int pairs = 0;
  double ms = 0;  // [ms] of both stages, median
};

double stage_ms(const talus::StepReport& report, talus::Stage stage) {
  return double(report.stage_ms[static_cast<std::size_t>(stage)]);
}

Point measure(int bodies) {
  talus::WorldDef def;
  def.backend = talus::Backend::cpu;  // the one that reports times of stages
  talus::scenes::RunningScene cloud(talus::scenes::make_scene("cloud_" + std::to_string(bodies)), def);
  for (int step = 0; step < kWarmUpSteps; ++step) cloud.step();
  std::array<double, kMeasuredSteps> times{};
  Point point;
  point.bodies = bodies;
  float jump = 2.0f;  // [m] more than any body moves in a step, and into the cloud
  for (double& time : times) {
    const talus::BodyId jumper = cloud.bodies().front();
    talus::Transform pose = cloud.world().motion(jumper).pose;
    pose.position.x += jump;
    cloud.world().set_pose(jumper, pose);
    jump = -jump;
    const talus::StepReport report = cloud.step();
    if (!report) throw talus::Error(report.message());
    time = stage_ms(report, talus::Stage::update_bounds) + stage_ms(report, talus::Stage::find_pairs);
    point.pairs = report.pair_count;
  }
  std::nth_element(times.begin(), times.begin() + kMeasuredSteps / 2, times.end());
  point.ms = times[kMeasuredSteps / 2];
  return point;
}

// [ns] a body, and a body and doubling: n log2 n is the yardstick.
double per_body(const Point& p) {
  return 1e6 * p.ms / p.bodies;
}
double per_n_log_n(const Point& p) {
  return per_body(p) / std::log2(double(p.bodies));
}

int run(int largest, bool csv) {
  std::puts(csv ? "bodies,pairs,ms,ns_per_body,ratio_to_n_log_n"
                : "   bodies     pairs         ms  ns/body  ratio to n log n (first = 1)");
  double first = 0;
  for (const int bodies : {10'000, 20'000, 50'000, 100'000, 200'000, 500'000, 1'000'000}) {
    if (bodies > largest) break;
    const Point point = measure(bodies);
    if (first == 0) first = per_n_log_n(point);
    std::printf(csv ? "%d,%d,%.4f,%.2f,%.3f\n" : "%9d %9d %10.3f %8.1f  %.2f\n", point.bodies, point.pairs, point.ms,
                per_body(point), per_n_log_n(point) / first);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  bool csv = false;
  int largest = 1'000'000;
  for (int i = 1; i < argc; ++i) {
    const char* end = argv[i] + std::strlen(argv[i]);
    if (std::strcmp(argv[i], "--csv") == 0) {
      csv = true;
    } else if (const auto parsed = std::from_chars(argv[i], end, largest);
               parsed.ec != std::errc() || parsed.ptr != end || largest < 10'000) {
      std::fprintf(stderr, "broad_phase_curve: \"%s\" is neither --csv nor a number from 10000\n", argv[i]);
      return 2;
    }
  }
  try {
    return run(largest, csv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "broad_phase_curve: %s\n", error.what());
    return 1;
  }
}
