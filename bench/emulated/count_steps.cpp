// SPDX-License-Identifier: MIT
// count_steps <scene> <steps before> <steps counted> <folder> [<iterations> <relax iterations>]: counts steps of a
// scene on the CUDA backend under the emulator of the tests, each into <folder>/<step>.json. The steps before run on
// the CPU backend, which has the same bits and takes seconds where the emulator takes many minutes; the CUDA world
// resumes from a snapshot. Prints facts of the scene as JSON. Use count.py.
#include <talus/talus.h>

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <sstream>
#include <string>

#include "scenes/scene.h"

namespace {

// On CUDA, not counted: the first step may grow buffers and captures the graph, the second one is as all that follow.
constexpr int kWarmSteps = 2;

void snapshot_after(const char* scene, int steps, talus::WorldDef def, std::ostream& out) {
  def.backend = talus::Backend::cpu;
  talus::scenes::RunningScene running(talus::scenes::make_scene(scene), def);
  for (int i = 0; i < steps; ++i) running.step();
  running.world().save(out);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace talus;
  if (argc != 5 && argc != 7) {
    std::fputs("usage: count_steps <scene> <steps before> <steps counted> <folder> [<iterations> <relax iterations>]\n",
               stderr);
    return 2;
  }
  const auto reset = reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, "cudaemuProfileReset"));
  const auto write = reinterpret_cast<void (*)(const char*)>(dlsym(RTLD_DEFAULT, "cudaemuProfileWrite"));
  if (reset == nullptr || write == nullptr) {
    std::fputs("count_steps: not under the emulator; LD_LIBRARY_PATH must name the directory of its libcudart.so.13\n",
               stderr);
    return 1;
  }
  try {
    const int before = std::atoi(argv[2]), counted = std::atoi(argv[3]);
    WorldDef def;
    if (argc == 7) {
      def.solver.iterations = std::atoi(argv[5]);
      def.solver.relax_iterations = std::atoi(argv[6]);
    }
    std::stringstream snapshot;  // holds the solver's settings, too
    snapshot_after(argv[1], before > kWarmSteps ? before - kWarmSteps : 0, def, snapshot);
    def.backend = Backend::cuda;
    World world(def);
    world.restore(snapshot);
    const float dt = scenes::make_scene(argv[1]).dt;
    for (int i = 0; i < kWarmSteps; ++i) world.step(dt);
    for (int i = 0; i < counted; ++i) {
      reset();
      world.step_async(dt);
      write((std::string(argv[4]) + '/' + std::to_string(i) + ".json").c_str());
    }
    const StepReport& report = world.last_report();
    const SolverSettings& solver = world.def().solver;
    std::printf(
        "{\"bodies\": %d, \"pairs\": %d, \"contacts\": %d, \"points\": %d, \"recycled\": %d, \"colors\": %d, "
        "\"overflow\": %d, \"substeps\": %d, \"iterations\": %d, \"relax_iterations\": %d}\n",
        report.body_count, report.pair_count, report.contact_count, report.point_count, report.recycled_count,
        report.color_count, report.overflow_count, solver.substeps, solver.iterations, solver.relax_iterations);
    return report ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "count_steps: %s\n", error.what());
    return 1;
  }
}
