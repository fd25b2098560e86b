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
  exec.for_each_lane("update_bounds",
                     LaneRange{&v.counters->first_lane, &v.counters->row_lanes, v.broad.rows.pose.size},
                     UpdateBounds{v.model, v.state, v.inputs.force, v.broad.rows.pose, v.broad.rows.bounds,
                                  v.broad.rows.shape, v.params});
}

}  // namespace talus
