// SPDX-License-Identifier: MIT
// Buffers that prove too small. A step finds out how much room it needs before it writes there. If there is less, it
// says so and sets all loop bounds to zero: the rest of the step, and every step queued behind it, does nothing, and
// the state stays as it was. The host enlarges the buffer and runs the step again.
#pragma once
#include "counters.h"
#include "joint_columns.h"
#include "lane_blocks.h"

namespace talus::inline TALUS_ISA {

/// All loop bounds to zero.
TALUS_INLINE void clear_loop_bounds(Counters& c) {
  c.search_rows = c.search_lanes = c.search_row_ends = 0;
  c.rows = c.row_lanes = c.row_ends = c.first_lane = c.entries = c.pairs = c.pair_lanes = c.record_units = c.contacts =
      c.open_contacts = c.lanes = c.split_rows = 0;
  c.tree_lanes = c.first_loop_lane = c.tree_blocks = c.tree_batches = c.joint_lanes = c.joint_blocks = c.joints =
      c.new_tree_lanes = c.new_joint_blocks = 0;
  c.active_lanes = c.block_runs = c.search_blocks = c.island_lanes = c.island_pairs = c.island_joints = 0;
  c.stirred_joints = c.wake_rows = c.event_joints = c.event_elements = c.event_ends = 0;
  c.fast_bodies = c.guard_rows = c.guard_pairs = c.guard_joints = c.beyond = c.beyond_rows = c.any_beyond = c.met =
      c.limited = c.fast_pairs = 0;
  c.in_company = c.company_rows = c.any_company = c.company_met = c.with_company = c.parted_rows = 0;
  for (Index& pairs : c.stop_pairs) pairs = 0;
  for (Index& rows : c.stop_rows) rows = 0;
  for (Index& begin : c.color_begin) begin = 0;
  for (Index& size : c.color_size) size = 0;
}

/// Sets a loop bound to the total that the step needs, or stops the step. One element.
struct CheckGrowth {
  Counters* counters;
  const Index* total;  // exact, also beyond the capacity
  Index* live;         // the loop bound; may be `total` itself
  Index capacity;      // rows of the buffer
  Growth what;

  TALUS_HD void operator()(Index) const {
    if (counters->must_grow != 0) {  // what `total` holds is of another step
      *live = 0;
      return;
    }
    const Index need = *total;
    if (need <= capacity) {
      *live = need;
      return;
    }
    *live = 0;
    counters->must_grow |= 1u << std::uint32_t(what);
    counters->need[int(what)] = need;
    clear_loop_bounds(*counters);
  }
};

/// First kernel of a step. One element.
struct BeginStep {
  Counters* counters;
  Index rows;         // host's numbers
  Index joints;       //
  JointPlan planned;  //
  bool sleep;

  TALUS_HD void operator()(Index) const {
    clear_loop_bounds(*counters);
    if (counters->must_grow == 0) {
      counters->rows = rows;
      counters->row_ends = rows + 1;
      counters->row_lanes = (rows + kLanes) / kLanes * kLanes;
      counters->joints = joints;
      counters->tree_lanes = planned.tree_lanes.size;
      counters->first_loop_lane = planned.first_loop_lane;
      counters->tree_blocks = planned.tree_lanes.size / kLanes;
      counters->tree_batches = planned.batches.size;
      counters->joint_lanes = planned.color_lanes.size;
      counters->joint_blocks = planned.color_lanes.size / kLanes;
      if (counters->joints_begun == 0) {
        counters->new_tree_lanes = counters->tree_lanes;
        counters->new_joint_blocks = counters->joint_blocks;
      }
      if (sleep) counters->block_runs = (counters->row_lanes / kLanes + kBlockRun - 1) / kBlockRun;
    }
    counters->left_bounds = 0;
    counters->meeting_rows = counters->meeting_pairs = 0;
    counters->deep_turns = 0;
    counters->load_turns = 1;
    counters->ground_turns = 0;
    counters->held_turns = 0;
    counters->motion_turns = 0;
    counters->squeezed = 0;
    counters->bounce_turns = counters->bounce_rows = counters->bounce_lanes = counters->bounce_joints = 0;
    counters->gain_rows = counters->gain_pairs = counters->gain_joints = 0;
    counters->merged = 0;
    counters->points = 0;
    counters->recycled = 0;
    counters->broken_joints = 0;
    counters->cut_bodies = 0;
    counters->first_bad_row = 0x7fffffff;
    counters->residual_complementarity = 0;
    counters->residual_approach = 0;
    counters->residual_friction = 0;
    counters->sweeps = 0;
    counters->sweeps_end = 0;
    counters->asleep = counters->fell_asleep = counters->woke_up = 0;
    counters->movers = sleep ? 0 : -1;
    counters->list_all = 0;
    counters->resting_blocks = 0;
  }
};

}  // namespace talus::inline TALUS_ISA
