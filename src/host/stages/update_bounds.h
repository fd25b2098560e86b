// SPDX-License-Identifier: MIT
// Stage 1: loop bounds of the step; where bodies are and how far they may get in it.
#pragma once
#include "bounds.h"
#include "exec.h"
#include "growth.h"
#include "sleep.h"
#include "step_views.h"

namespace talus::inline TALUS_ISA {

TALUS_INLINE UpdateBounds update_bounds_of(const StepViews& v) {
  return {
      v.model,  v.state,   v.inputs, v.broad.rows.pose, v.broad.rows.bounds, v.broad.rows.shape, v.broad.kept_bounds,
      v.params, v.counters};
}

/// Zeroes what the step counts. In a step that waits for a larger buffer all loop bounds stay zero.
struct UpdateBoundsTask {
  TaskViews v;

  template <class Team>
  TALUS_HD void operator()(Team& team) const {
    const Count one{nullptr, 1};
    team.for_each("begin_step", one, BeginStep{v.counters, v.shape.rows, v.joints.count, v.joints.plan, v.shape.sleep});
    if (v.shape.sleep) list_blocks(team);
    team.for_each_lane("update_bounds", body_lanes(v), on_bodies(v, update_bounds_of(v)));
  }

  /// Blocks with something awake in them, or near it.
  template <class Team>
  TALUS_INLINE void list_blocks(Team& team) const {
    const Index blocks = (v.shape.rows + kLanes) / kLanes;
    if (v.shape.plane_count > 0) {
      team.for_each("look_at_planes", Count{nullptr, 1},
                    LookAtPlanes{{v.model, v.state}, v.planes, v.shape.plane_count, v.counters});
    }
    if (v.joints.count > 0) {
      team.for_each("touch_joints", Count{nullptr, v.joints.count},
                    TouchJoints{{v.model, v.state}, v.joints.model, v.sleep.blocks.near});
    }
    team.for_each("list_blocks", Count{&v.counters->block_runs, (blocks + kBlockRun - 1) / kBlockRun},
                  ListBlocks{v.model, v.state, v.sleep.blocks, v.counters});
  }
};

template <class Exec>
void update_bounds(Exec& exec, const StepViews& v) {
  exec.begin_stage(Stage::update_bounds);
  exec.together("update_bounds", UpdateBoundsTask{v});
}

}  // namespace talus::inline TALUS_ISA
