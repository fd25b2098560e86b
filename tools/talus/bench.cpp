// SPDX-License-Identifier: MIT
// talus bench: time of the late steps, a stage at a time, and the quality of what was computed in that time.
#include <talus/talus.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <numeric>
#include <optional>
#include <vector>

#include "commands.h"
#include "scenes/metrics.h"
#include "scenes/peers_csv.h"
#include "table.h"

namespace talus::cli {
namespace {

// [ms] of the process, all threads together.
double processor_ms() {
  return 1e3 * double(std::clock()) / double(CLOCKS_PER_SEC);
}

struct Measurement {
  scenes::StepTimes times;
  std::array<double, kStageCount> stage_ms{};  // [ms] mean of the late steps
  double late_ms = 0;                          // [ms] mean of the late steps
  StepReport report;                           // of the last step
  scenes::Metrics metrics;
  std::size_t joint_count = 0;
  std::string headline;
};

Measurement measure_once(const BenchOptions& options) {
  scenes::RunningScene running(scene_of(options), world_def_of(options), options.sleep);
  Measurement result;
  const auto steps = static_cast<std::size_t>(options.steps), first_late = scenes::first_late_step(steps);
  const auto late_count = double(steps - first_late);
  for (std::size_t step = 0; step < steps; ++step) {
    const double processor_start = processor_ms();
    const auto start = std::chrono::steady_clock::now();
    result.report = running.step();
    const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - start;
    result.times.wall_ms.push_back(wall.count());
    result.times.cpu_ms.push_back(processor_ms() - processor_start);
    if (!result.report) throw Error("step " + std::to_string(step + 1) + ": " + result.report.message());
    if (step < first_late) continue;
    result.late_ms += wall.count() / late_count;
    for (std::size_t stage = 0; stage < result.stage_ms.size(); ++stage) {
      result.stage_ms[stage] += double(result.report.stage_ms[stage]) / late_count;
    }
  }
  result.metrics = scenes::measure(running.scene(), running.motions());
  result.joint_count = running.scene().joints.size();
  result.headline = headline(options, running);
  return result;
}

void print_times(const Measurement& m) {
  Table table({"stage", "ms (late steps)", "share"});
  const double sum = std::accumulate(m.stage_ms.begin(), m.stage_ms.end(), 0.0);
  if (sum > 0) {
    for (int stage = 0; stage < kStageCount; ++stage) {
      const double ms = m.stage_ms[static_cast<std::size_t>(stage)];
      table.add({stage_name(static_cast<Stage>(stage)), fixed(ms, 4), fixed(100 * ms / sum, 1) + " %"});
    }
  }
  table.add({"step", fixed(m.late_ms, 4), ""});
  table.print(stdout);
}

void print_metrics(const Measurement& m) {
  Table table({"quality", "value"});
  table.add({"awake bodies", std::to_string(m.report.awake_count)});
  table.add({"contact points", std::to_string(m.report.point_count)});
  table.add({"colors", std::to_string(m.report.color_count)});
  table.add({"touching pairs", std::to_string(m.metrics.touching)});
  table.add({"penetration, max", fixed(1e3 * m.metrics.pen_max, 2) + " mm"});
  table.add({"penetration, mean", fixed(1e3 * m.metrics.pen_mean, 3) + " mm"});
  table.add({"penetration, 99 %", fixed(1e3 * m.metrics.pen_p99, 2) + " mm"});
  table.add({"kinetic energy per body", general(m.metrics.ke_per_body, 3) + " J"});
  table.add({"fastest body", general(m.metrics.vmax, 3) + " m/s"});
  table.add({"drift, max", fixed(m.metrics.drift_max, 4) + " m"});
  table.add({"sag, max", fixed(m.metrics.sag_max, 4) + " m"});
  if (m.joint_count > 0) {
    table.add({"joints", std::to_string(m.joint_count)});
    table.add({"joint error, max", fixed(1e3 * m.metrics.joint_max, 2) + " mm"});
    table.add({"joint error, mean", fixed(1e3 * m.metrics.joint_mean, 3) + " mm"});
  }
  table.add({"height", fixed(m.metrics.height, 3) + " m"});
  table.add({"escaped bodies", std::to_string(m.metrics.escaped)});
  table.print(stdout);
}

}  // namespace

int bench(const BenchOptions& options) {
  if (options.csv_header) std::printf("%s\n", std::string(scenes::csv_header()).c_str());
  if (options.scene.empty()) return kDone;
  std::optional<Measurement> best;
  for (int repeat = 0; repeat < options.repeat; ++repeat) {
    Measurement measurement = measure_once(options);
    if (!best || measurement.late_ms < best->late_ms) best = std::move(measurement);
  }
  if (best->metrics.not_finite > 0) throw Error("bodies were lost: the times mean nothing");
  if (options.csv) {
    const scenes::Scene scene = scene_of(options);
    const int threads = options.threads > 0 ? options.threads : system_info().hardware_threads;
    const std::string line =
        scenes::csv_line(options.config, scene, threads, best->times, best->report.point_count, best->metrics);
    std::printf("%s\n", line.c_str());
    return kDone;
  }
  std::printf("%s\n\n", best->headline.c_str());
  print_times(*best);
  std::printf("\n");
  print_metrics(*best);
  return kDone;
}

}  // namespace talus::cli
