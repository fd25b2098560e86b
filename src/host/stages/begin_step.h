// SPDX-License-Identifier: MIT
// Stage 0: loop bounds and report of the step.
#pragma once
#include "exec.h"
#include "growth.h"
#include "step_views.h"

namespace talus {

/// Zeroes what the step counts. In a step that waits for a larger buffer all loop bounds stay zero.
template <class Exec>
void begin_step(Exec& exec, const StepViews& v) {
  exec.begin_stage(Stage::update_bounds);
  exec.for_each("begin_step", Count{nullptr, 1}, BeginStep{v.counters, v.shape.rows});
}

}  // namespace talus
