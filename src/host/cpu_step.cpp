// SPDX-License-Identifier: MIT
// Compiled once for each instruction set (cmake/TalusIsa.cmake). No function that other files share may be emitted
// here, or the linker might take the copy with wide instructions for all: hence no standard containers, and everything
// in the namespace of the instruction set.
#include "cpu_step.h"

#include "math/pack.h"
#include "pipeline.h"

#define TALUS_PASTE(a, b) a##b
#define TALUS_NAME(a, b) TALUS_PASTE(a, b)
#define TALUS_TEXT_OF(a) #a
#define TALUS_TEXT(a) TALUS_TEXT_OF(a)

namespace talus {

namespace {

using Exec = BasicCpuExec<NativePack>;

void* create(const CpuThreads& threads) {
  return new Exec(threads);
}
void destroy(void* exec) {
  delete static_cast<Exec*>(exec);
}

void take_times(Exec& exec, float* stage_ms) {
  exec.end();
  for (int stage = 0; stage < kStageCount; ++stage) {
    const float ms = exec.stage_ms()[std::size_t(stage)];
    if (ms > 0.0f) stage_ms[stage] = ms;
  }
}

void apply(void* exec, const EditViews& edits, const StepViews& views, float* stage_ms) {
  Exec& e = *static_cast<Exec*>(exec);
  e.reset_times();
  apply_edits(e, edits, views);
  take_times(e, stage_ms);
}

void run(void* exec, const StepViews& views, float* stage_ms) {
  Exec& e = *static_cast<Exec*>(exec);
  e.reset_times();
  run_step(e, views);
  take_times(e, stage_ms);
}

}  // namespace

const CpuStep& TALUS_NAME(cpu_step_, TALUS_ISA)() {
  static constexpr CpuStep step{TALUS_TEXT(TALUS_ISA), lane_count<NativePack>(), create, destroy, apply, run};
  return step;
}

}  // namespace talus
