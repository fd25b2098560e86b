// SPDX-License-Identifier: MIT
// Stage 1: where bodies are and how far they may get in this step.
#pragma once
#include "bounds.h"
#include "exec.h"
#include "step_views.h"

namespace talus {

template <class Exec>
void update_bounds(Exec& exec, const StepViews& v) {
  exec.begin_stage(Stage::update_bounds);
  exec.for_each("update_bounds", Count{&v.counters->rows, v.shape.rows},
                UpdateBounds{v.model, v.state, v.inputs.force, v.broad.rows.pose, v.broad.rows.bounds,
                             v.broad.rows.shape, v.params});
}

}  // namespace talus
