// SPDX-License-Identifier: MIT
// Stage 1: loop bounds of the step; where bodies are and how far they may get in it.
#pragma once
#include "bounds.h"
#include "exec.h"
#include "growth.h"
#include "step_views.h"

namespace talus::inline TALUS_ISA {

/// Zeroes what the step counts. In a step that waits for a larger buffer all loop bounds stay zero.
struct UpdateBoundsTask {
  StepViews v;

  template <class Team>
  TALUS_HD void operator()(Team& team) const {
    team.for_each("begin_step", Count{nullptr, 1}, BeginStep{v.counters, v.shape.rows, v.joints.count, v.joints.plan});
    team.for_each_lane("update_bounds",
                       LaneRange{&v.counters->first_lane, &v.counters->row_lanes, v.broad.rows.pose.size},
                       UpdateBounds{v.model, v.state, v.inputs.force, v.broad.rows.pose, v.broad.rows.bounds,
                                    v.broad.rows.shape, v.broad.kept_bounds, v.params, v.counters});
  }
};

template <class Exec>
void update_bounds(Exec& exec, const StepViews& v) {
  exec.begin_stage(Stage::update_bounds);
  exec.together("update_bounds", UpdateBoundsTask{v});
}

}  // namespace talus::inline TALUS_ISA
