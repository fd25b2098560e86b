// SPDX-License-Identifier: MIT
// Steps of scenes that have settled, with the time of each stage as a counter, and the collision tests by themselves.
// Names are dotted: box_pile_1000.step, collide.box_box. Options are those of Google Benchmark, e.g.
// --benchmark_filter=collide --benchmark_repetitions=5.
#include <benchmark/benchmark.h>
#include <talus/talus.h>

#include <array>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "scenes/scene.h"
#include "shapes/collide.h"

namespace {

using talus::PlacedShape;

constexpr int kSettlingSteps = 200;

// Google Benchmark calls a function several times to find out how often to repeat it: settle a scene only once.
talus::scenes::RunningScene& settled(const std::string& name) {
  static std::map<std::string, std::unique_ptr<talus::scenes::RunningScene>> running;
  std::unique_ptr<talus::scenes::RunningScene>& entry = running[name];
  if (entry == nullptr) {
    entry = std::make_unique<talus::scenes::RunningScene>(talus::scenes::make_scene(name), talus::WorldDef{});
    for (int step = 0; step < kSettlingSteps; ++step) entry->step();
  }
  return *entry;
}

void bench_step(benchmark::State& state, const std::string& scene) {
  talus::scenes::RunningScene& running = settled(scene);
  std::array<double, talus::kStageCount> stage_ms{};
  talus::StepReport report;
  for (auto iteration : state) {
    (void)iteration;
    report = running.step();
    for (std::size_t stage = 0; stage < stage_ms.size(); ++stage) stage_ms[stage] += double(report.stage_ms[stage]);
  }
  if (!report) state.SkipWithError(report.message().c_str());
  for (int stage = 0; stage < talus::kStageCount; ++stage) {
    const std::string name = std::string(talus::stage_name(static_cast<talus::Stage>(stage))) + "_ms";
    state.counters[name] =
        benchmark::Counter(stage_ms[static_cast<std::size_t>(stage)], benchmark::Counter::kAvgIterations);
  }
  state.counters["contacts"] = report.contact_count;
  state.counters["colors"] = report.color_count;
}

struct PlacedPair {
  PlacedShape a, b;
};

// Pairs about as near to each other as in a pile: some touch, some do not.
std::vector<PlacedPair> random_pairs(const talus::ShapeDef& a, const talus::ShapeDef& b, std::size_t count) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::uniform_real_distribution<float> distance(0.7f, 1.2f);
  const auto rotation = [&] {
    return talus::normalized(talus::Quat{normal(random), normal(random), normal(random), normal(random)});
  };
  std::vector<PlacedPair> pairs(count);
  for (PlacedPair& pair : pairs) {
    const talus::Vec3 direction{normal(random), normal(random), normal(random)};
    const talus::Vec3 place = distance(random) * talus::normalized_or(direction, {0.0f, 1.0f, 0.0f});
    pair = {{a.size, {0.0f, 0.0f, 0.0f}, rotation()}, {b.size, place, rotation()}};
  }
  return pairs;
}

void bench_collide(benchmark::State& state, const talus::ShapeDef& a, const talus::ShapeDef& b) {
  constexpr float kReach = 0.02f;  // [m] the solver's default
  const std::vector<PlacedPair> pairs = random_pairs(a, b, 1024);
  std::size_t next = 0, points = 0;
  for (auto iteration : state) {
    (void)iteration;
    const PlacedPair& pair = pairs[next++ % pairs.size()];
    const talus::Manifold manifold = talus::collide(a.type, pair.a, b.type, pair.b, kReach);
    points += static_cast<std::size_t>(manifold.count);
    benchmark::DoNotOptimize(manifold);
  }
  state.counters["points"] = benchmark::Counter(double(points), benchmark::Counter::kAvgIterations);
}

talus::ShapeDef shape_of(const std::string& name) {
  if (name == "sphere") return talus::sphere(0.5f);
  if (name == "box") return talus::box({0.5f, 0.5f, 0.5f});
  return talus::capsule(0.3f, 0.4f);
}

#define TALUS_BENCH_STEP(scene) \
  BENCHMARK_CAPTURE(bench_step, scene, #scene)->Name(#scene ".step")->Unit(benchmark::kMillisecond)->UseRealTime()
#define TALUS_BENCH_COLLIDE(a, b) \
  BENCHMARK_CAPTURE(bench_collide, a##_##b, shape_of(#a), shape_of(#b))->Name("collide." #a "_" #b)

TALUS_BENCH_STEP(sphere_pile_1000);
TALUS_BENCH_STEP(box_pile_1000);
TALUS_BENCH_STEP(box_tumble_1000);
TALUS_BENCH_STEP(mixed_pile_8000);
TALUS_BENCH_STEP(pyramid3d_20);
TALUS_BENCH_STEP(stacks_100x20);
TALUS_BENCH_STEP(tumbler_1000);
TALUS_BENCH_COLLIDE(sphere, sphere);
TALUS_BENCH_COLLIDE(sphere, box);
TALUS_BENCH_COLLIDE(sphere, capsule);
TALUS_BENCH_COLLIDE(box, box);
TALUS_BENCH_COLLIDE(box, capsule);
TALUS_BENCH_COLLIDE(capsule, capsule);

}  // namespace

BENCHMARK_MAIN();
