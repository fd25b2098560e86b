// SPDX-License-Identifier: MIT
// The joints' part of a step: begun before the first sub-step, followed after each, swept before the contacts.
#pragma once
#include "custom_rows.h"
#include "exec.h"
#include "joint_begin.h"
#include "joint_finish.h"
#include "joint_solve.h"
#include "step_views.h"
#include "tension.h"
#include "tree.h"
#include "tree_limits.h"
#include "tree_loops.h"
#include "tree_update.h"

namespace talus::inline TALUS_ISA {

constexpr int kLimitRounds = 3;  // solves of a tree in a sweep, the later ones where limits changed. With 2
                                 // knees of 1,000 dolls on stairs are overshot by 6.5 degrees, with 3 or 6 by 0.8

/// Passes over joints. Nothing is enqueued for what the world does not have.
struct JointPasses {
  const StepViews& v;  // of the task: with a copy ptxas spills registers of UpdateTreeLane

  TALUS_INLINE bool trees() const { return v.joints.plan.batches.size > 0; }
  TALUS_INLINE bool colors() const { return v.joints.plan.color_lanes.size > 0; }
  TALUS_INLINE bool custom() const { return v.joints.custom.used != 0; }
  TALUS_INLINE Column<const CustomRow> custom_rows() const {
    return {v.joints.custom.rows.data, v.joints.custom.rows.size};
  }
  TALUS_INLINE Count batches() const { return {&v.counters->tree_batches, v.joints.plan.batches.size}; }
  TALUS_INLINE LaneRange tree_lanes() const {
    return {&v.counters->first_lane, &v.counters->tree_lanes, v.joints.tree.size};
  }
  TALUS_INLINE LaneRange tree_bodies() const {
    return {&v.counters->first_lane, &v.counters->first_loop_lane, v.joints.tree.size};
  }
  TALUS_INLINE bool loops() const { return v.joints.plan.first_loop_lane < v.joints.tree.size; }
  TALUS_INLINE LaneRange loop_lanes() const {
    return {&v.counters->first_loop_lane, &v.counters->tree_lanes, v.joints.tree.size};
  }
  TALUS_INLINE LaneRange joint_lanes() const {
    return {&v.counters->first_lane, &v.counters->joint_lanes, v.joints.rows.size};
  }

  /// What holds through the step. Bodies under tension get more inertia: contacts are prepared after this.
  template <class Team>
  TALUS_INLINE void begin(Team& team) const {
    const JointViews& j = v.joints;
    const JointSource source{j.model, j.state, v.state.position, v.shape.rows};
    if (trees()) {
      team.for_each("MakeTreeLane", {&v.counters->new_tree_lanes, j.tree.size},
                    MakeTreeLane{source, j.plan.tree_lanes, j.plan.first_loop_lane, j.tree, j.bodies});
      if (v.shape.sleep) {
        team.for_each("RestTreeBlock", {&v.counters->tree_blocks, j.tree.size / kLanes},
                      RestTreeBlock{source, j.plan.tree_lanes, v.state.asleep, j.tree});
      }
      team.for_each("BeginTreeLane", {&v.counters->tree_lanes, j.tree.size},
                    BeginTreeLane{source, j.plan.first_loop_lane, j.tree, v.solve.rows.free_velocity});
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
    if (trees()) {
      const HangTension hang{j.plan.batches, v.solve.rows, v.params, j.tree, j.bodies.tension};
      team.for_each_batch("HangTension", batches(), hang);
      if (loops()) team.for_each_lane("HangTension", loop_lanes(), hang);
      team.for_each_lane("StiffenBodies", tree_bodies(), StiffenBodies{j.tree, v.solve.rows, j.bodies.tension});
    }
  }

  /// Rows where the bodies are now, after so many sub-steps.
  template <class Team>
  TALUS_INLINE void follow(Team& team, int substeps) const {
    const JointViews& j = v.joints;
    const bool first = substeps == 0;
    if (trees()) {
      team.for_each_lane("UpdateTreeLane", tree_lanes(), UpdateTreeLane{v.solve.rows, v.params, first, j.tree});
      if (v.shape.bounded_joints) press_limits(team, PressTime::substep_begins);
      team.for_each_batch("FactorTrees", batches(), FactorTrees{j.plan.batches, v.solve.rows, j.tree, j.bodies, first});
    }
    if (loops()) {
      team.for_each_batch("MeasureMobility", batches(),
                          MeasureMobility{j.plan.batches, v.solve.rows, j.tree, j.bodies});
      team.for_each_lane("FactorLoops", loop_lanes(), FactorLoops{v.solve.rows, j.bodies.mobility.data, j.tree});
    }
    if (custom()) {
      team.for_each("FollowCustomLane", {&v.counters->joint_lanes, j.rows.size},
                    FollowCustomLane{v.solve.rows, custom_rows(), float(substeps) / float(v.shape.substeps), j.rows});
    }
    if (colors()) {
      team.for_each_lane("UpdateJointLane", joint_lanes(), UpdateJointLane{v.solve.rows, v.params, first, j.rows});
    }
  }

  /// The locked axes of colored joints, color after color, then the trees exactly, twice where other limits are pressed
  /// on now, then drives, friction and the limits that trees do not hold. In this order what a sweep leaves undone
  /// stays with the joints that close loops, which are soft. With trees first they get it, and correct it within a
  /// sub-step: a grid of joints that is pushed at 0.01 m/s then gains energy until its bodies turn at 20 rad/s. With
  /// friction before the trees 100 dolls on stairs keep moving for minutes, since the trees undo it.
  template <Sweep kSweep, class Team>
  TALUS_INLINE void sweep(Team& team, bool first) const {
    const JointViews& j = v.joints;
    const SolveRowScratch& rows = v.solve.rows;
    const auto sweep_colors = [&](bool locks) {
      const SolveJoints<kSweep> kernel{
          j.rows, rows.velocity.data, rows.free_velocity.data, &v.counters->lanes, v.params, first, locks};
      for (Index color = 0; color + 1 < j.plan.color_begin.size; ++color) {
        team.for_each_lane("SolveJoints", {&j.live_begin.data[color], &j.live_begin.data[color + 1], j.rows.size},
                           kernel);
      }
    };
    sweep_colors(true);
    if (kSweep == Sweep::warm_start) return;
    constexpr bool kBiased = kSweep == Sweep::biased;
    SolveTrees<kBiased> solve_trees{
        j.plan.batches, j.tree, rows.velocity.data, rows.free_velocity.data, &v.counters->lanes, j.bodies, false};
    // One copy of the code, which is long. Where there are loops limits are looked at once a sub-step.
    const int rounds = kSweep != Sweep::bounce && v.shape.bounded_joints ? kLimitRounds : 1;
    for (int solves = !trees() ? 0 : loops() ? 2 : rounds, i = 0; i < solves; ++i) {
      if (i > 0 && loops()) {
        team.for_each_lane("CloseLoops", loop_lanes(), CloseLoops<kBiased>{solve_trees});
      } else if (kSweep != Sweep::bounce && i > 0) {
        press_limits(team, kBiased ? PressTime::biased : PressTime::relaxing);
        team.for_each_batch("FactorTrees", batches(),
                            FactorTrees{j.plan.batches, v.solve.rows, j.tree, j.bodies, false});
        solve_trees.again = true;
      }
      team.for_each_batch("SolveTrees", batches(), solve_trees);
    }
    if (v.shape.bounded_joints) sweep_colors(false);
  }

  /// What was solved becomes state.
  template <class Team>
  TALUS_INLINE void finish(Team& team) const {
    const JointViews& j = v.joints;
    const JointReport report{j.state, v.solve.rows, v.params};
    if (trees()) team.for_each_lane("FinishTreeLane", tree_lanes(), FinishTreeLane{report, j.tree});
    if (colors()) {
      team.for_each_lane("FinishJointLane", joint_lanes(), FinishJointLane{report, j.plan.color_lanes, j.rows});
    }
    if (custom()) {
      team.for_each("FinishCustomLane", {&v.counters->joint_lanes, j.rows.size},
                    FinishCustomLane{j.state, v.solve.rows, v.params, custom_rows(), j.rows});
    }
    if (trees() && v.shape.bounded_joints) {
      team.for_each("KeepPressedLimits", {&v.counters->tree_lanes, j.tree.size},
                    KeepPressedLimits{j.state, j.tree, v.shape.substeps});
    }
    if (v.shape.breakable) {
      team.for_each("BreakJoint", {&v.counters->joints, j.count}, BreakJoint{j.model, j.state, v.counters});
    }
  }

 private:
  template <class Team>
  TALUS_INLINE void press_limits(Team& team, PressTime time) const {
    team.for_each_lane("PressLimits", tree_lanes(),
                       PressLimits{v.solve.rows.velocity.data, v.params, time, v.joints.tree});
  }
};

struct BeginJointsTask {
  TaskViews v;
  template <class Team>
  TALUS_INLINE void operator()(Team& team) const {
    JointPasses{v}.begin(team);
  }
};

/// Before a step is solved: the rows of joints of the caller's kinds, a kind at a time. Reads State, writes scratch.
template <class Exec>
TALUS_INLINE void make_custom_rows(Exec& exec, const StepViews& v) {
  const JointViews& j = v.joints;
  const CustomJoints& custom = j.custom;
  for (int kind = 1; kind < kMaxJointKinds; ++kind) {
    if ((custom.used >> kind & 1) == 0) continue;
    JointRowTable t;
    t.count = j.count;
    t.kind = custom_kind(kind);
    t.kinds = {j.model.kind.data, j.model.kind.size};
    t.body_a = {j.model.body_a.data, j.model.body_a.size};
    t.body_b = {j.model.body_b.data, j.model.body_b.size};
    t.anchor_a = j.model.anchor_a;
    t.anchor_b = j.model.anchor_b;
    t.frame_a = j.model.frame_a;
    t.frame_b = j.model.frame_b;
    t.last_linear = j.state.position_linear;
    t.last_angular = j.state.position_angular;
    t.parameters = custom.parameters;
    t.position = v.state.position;
    t.linear_velocity = v.state.linear_velocity;
    t.angular_velocity = v.state.angular_velocity;
    t.orientation = v.state.orientation;
    t.dt = &v.params->dt;
    t.rows = custom.rows;
    exec.make_rows("make_rows", custom.kinds[kind], t);
  }
}

}  // namespace talus::inline TALUS_ISA
