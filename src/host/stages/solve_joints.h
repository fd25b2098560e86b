// SPDX-License-Identifier: MIT
// The joints' part of a step: begun before the first sub-step, followed after each, swept before the contacts.
#pragma once
#include "exec.h"
#include "joint_begin.h"
#include "joint_finish.h"
#include "joint_solve.h"
#include "step_views.h"
#include "tree.h"

namespace talus::inline TALUS_ISA {

/// Loops over joints. Nothing is enqueued for what the world does not have.
struct JointLoops {
  StepViews v;

  TALUS_INLINE bool trees() const { return v.joints.plan.batches.size > 0; }
  TALUS_INLINE bool colors() const { return v.joints.plan.color_lanes.size > 0; }
  TALUS_INLINE Count batches() const { return {&v.counters->tree_batches, v.joints.plan.batches.size}; }
  TALUS_INLINE LaneRange tree_lanes() const {
    return {&v.counters->first_lane, &v.counters->tree_lanes, v.joints.tree.size};
  }
  TALUS_INLINE LaneRange joint_lanes() const {
    return {&v.counters->first_lane, &v.counters->joint_lanes, v.joints.rows.size};
  }

  /// What holds through the step.
  template <class Team>
  TALUS_INLINE void begin(Team& team) const {
    const JointViews& j = v.joints;
    const JointSource source{j.model, j.state, v.state.position, v.shape.rows};
    if (trees()) {
      team.for_each("MakeTreeLane", {&v.counters->new_tree_lanes, j.tree.size},
                    MakeTreeLane{source, j.plan.tree_lanes, j.tree, j.bodies});
      if (v.shape.sleep) {
        team.for_each("RestTreeBlock", {&v.counters->tree_blocks, j.tree.size / kLanes},
                      RestTreeBlock{source, j.plan.tree_lanes, v.state.asleep, j.tree});
      }
      team.for_each("BeginTreeLane", {&v.counters->tree_lanes, j.tree.size},
                    BeginTreeLane{source, j.tree, v.solve.rows.free_velocity});
    }
    if (colors()) {
      team.for_each("OpenColors", {nullptr, j.plan.color_begin.size},
                    OpenColors{j.plan.color_begin, j.live_begin, v.counters});
      team.for_each("MakeJointBlock", {&v.counters->new_joint_blocks, j.rows.size / kLanes},
                    MakeJointBlock{source, j.plan.color_lanes, j.rows});
      if (v.shape.sleep) {
        team.for_each("RestJointBlock", {&v.counters->joint_blocks, j.rows.size / kLanes},
                      RestJointBlock{source, j.plan.color_lanes, v.model.inv_mass, v.state.asleep, j.rows});
      }
      team.for_each("BeginJointLane", {&v.counters->joint_lanes, j.rows.size},
                    BeginJointLane{source, j.plan.color_lanes, v.params, j.rows});
    }
    team.for_each("KeepJointLanes", {nullptr, 1}, KeepJointLanes{v.counters});
    follow(team, true);
  }

  /// Rows where the bodies are now.
  template <class Team>
  TALUS_INLINE void follow(Team& team, bool first) const {
    const JointViews& j = v.joints;
    if (trees()) {
      team.for_each_lane("UpdateTreeLane", tree_lanes(), UpdateTreeLane{v.solve.rows, v.params, first, j.tree});
      team.for_each_batch("FactorTrees", batches(), FactorTrees{j.plan.batches, v.solve.rows, j.tree, j.bodies, first});
      if (j.plan.lone_loops) {
        team.for_each_batch("MeasureMobility", batches(),
                            MeasureMobility{j.plan.batches, j.tree, j.bodies, v.solve.rows});
      }
    }
    if (colors()) {
      team.for_each_lane("UpdateJointLane", joint_lanes(),
                         UpdateJointLane{v.solve.rows, j.bodies.mobility.data, v.params, first, j.rows});
    }
  }

  /// The locked axes of colored joints, color after color, then the trees exactly, then drives, friction and limits,
  /// which have the last word. In this order what a sweep leaves undone stays with
  /// loops, which are soft. The other way round trees get it, which correct it within a sub-step: a grid of joints that
  /// is pushed at 0.01 m/s then gains energy until its bodies turn at 20 rad/s.
  template <Sweep kSweep, class Team>
  TALUS_INLINE void sweep(Team& team, bool first) const {
    const JointViews& j = v.joints;
    const SolveRowScratch& rows = v.solve.rows;
    const auto sweep_colors = [&](bool locks) {
      const SolveJoints<kSweep> kernel{j.rows, rows.velocity.data, rows.free_velocity.data, v.params, first, locks};
      for (Index color = 0; color + 1 < j.plan.color_begin.size; ++color) {
        team.for_each_lane("SolveJoints", {&j.live_begin.data[color], &j.live_begin.data[color + 1], j.rows.size},
                           kernel);
      }
    };
    sweep_colors(true);
    if (kSweep == Sweep::warm_start) return;
    if (trees()) {
      team.for_each_batch("SolveTrees", batches(),
                          SolveTrees<kSweep == Sweep::biased>{j.plan.batches, j.tree, rows.velocity.data,
                                                              rows.free_velocity.data, j.bodies, v.params});
    }
    if (v.shape.bounded_joints) sweep_colors(false);
  }

  /// What was solved becomes state.
  template <class Team>
  TALUS_INLINE void finish(Team& team) const {
    const JointViews& j = v.joints;
    const JointReport report{j.state, v.solve.rows, v.params};
    const bool readings = v.shape.joint_readings;
    if (trees()) team.for_each_lane("FinishTreeLane", tree_lanes(), FinishTreeLane{report, j.tree, readings});
    if (colors()) {
      team.for_each_lane("FinishJointLane", joint_lanes(),
                         FinishJointLane{report, j.plan.color_lanes, j.rows, readings});
    }
    if (trees() && colors()) {
      team.for_each("KeepPressedLimits", {&v.counters->tree_lanes, j.tree.size},
                    KeepPressedLimits{j.state, j.tree, v.shape.substeps});
    }
    if (v.shape.breakable) {
      team.for_each("BreakJoint", {&v.counters->joints, j.count}, BreakJoint{j.model, j.state, v.counters});
    }
  }
};

}  // namespace talus::inline TALUS_ISA
