// SPDX-License-Identifier: MIT
// The step compiled for one instruction set. cpu_step.cpp is compiled once for each, with TALUS_ISA naming it; the
// program picks one when it starts to work (backend_cpu.cpp). All give the same bits.
#pragma once
#include "exec_cpu.h"
#include "stages/apply_edits.h"
#include "step_views.h"

namespace talus {

struct CpuStep {
  const char* name;  // as in TALUS_SIMD
  int lanes;         // floats a pack holds
  /// An executor of this instruction set; it lives as long as its threads may be used, and is freed by destroy().
  void* (*create)(const CpuThreads& threads);
  void (*destroy)(void* exec);
  /// Both write the wall time of each stage they ran, in [ms], to stage_ms[kStageCount]; others are left as they are.
  void (*apply_edits)(void* exec, const EditViews& edits, const StepViews& views, float* stage_ms);
  void (*run)(void* exec, const StepViews& views, float* stage_ms);
};

// Those that the build has: TALUS_HAS_SCALAR and so on.
const CpuStep& cpu_step_scalar();
const CpuStep& cpu_step_baseline();
const CpuStep& cpu_step_avx2();
const CpuStep& cpu_step_avx512();

}  // namespace talus
