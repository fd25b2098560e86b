// SPDX-License-Identifier: MIT
// Start of a step with joints: what stays as it is through the step goes from the tables of joints to the lanes.
#pragma once
#include "columns.h"
#include "counters.h"
#include "joint_columns.h"
#include "solve_columns.h"
#include "step_params.h"

namespace talus::inline TALUS_ISA {

/// What the kernels below share.
struct JointSource {
  JointModel model;
  JointState state;
  Vec3Column position;  // [m] of bodies
  Index null_body;

  TALUS_HD Index body(Index row) const { return row < 0 ? null_body : row; }
  TALUS_HD Vec3 center(Index row) const { return row < 0 ? Vec3{0.0f, 0.0f, 0.0f} : position[row]; }
  TALUS_HD bool holds(Index joint) const {
    return joint >= 0 && model.alive[joint] != 0 && state.broken[joint] == 0;
  }
  /// From `field` on: offset, anchors and frames, in the order that both kinds of lanes have them in.
  template <class Rows>
  TALUS_HD void set_frames(const Rows& rows, int field, Index lane, Index joint) const {
    rows.set(field, lane, center(model.body_b[joint]) - center(model.body_a[joint]));
    rows.set(field + 3, lane, model.anchor_a[joint]);
    rows.set(field + 6, lane, model.anchor_b[joint]);
    set_quat(rows, field + 9, lane, model.frame_a[joint]);
    set_quat(rows, field + 13, lane, model.frame_b[joint]);
  }
  template <class Rows>
  TALUS_HD static void set_no_frames(const Rows& rows, int field, Index lane) {
    for (int i = 0; i < 9; ++i) rows.set(field + i, lane, 0.0f);
    set_quat(rows, field + 9, lane, kIdentity);
    set_quat(rows, field + 13, lane, kIdentity);
  }

 private:
  template <class Rows>
  TALUS_HD static void set_quat(const Rows& rows, int field, Index lane, Quat q) {
    rows.set(field, lane, q.x);
    rows.set(field + 1, lane, q.y);
    rows.set(field + 2, lane, q.z);
    rows.set(field + 3, lane, q.w);
  }
};

/// One element is a color or the end of the last: loops over colors have no lanes in a step that must not happen.
struct OpenColors {
  Column<const Index> planned;
  Column<Index> live;  // out
  const Counters* counters;
  TALUS_HD void operator()(Index color) const { live[color] = counters->rows > 0 ? planned[color] : 0; }
};

/// One element is a lane of the trees. Its child hangs on joints: the mid-point rule of free flight is not for it.
struct BeginTreeLane {
  JointSource from;
  Column<const TreeLane> lanes;
  // out: the lane's own
  TreeRows rows;
  JointBodyScratch bodies;
  Column<BodyVelocity> free_velocity;

  TALUS_HD void operator()(Index lane) const {
    const TreeLane from_lane = lanes[lane];
    const Index joint = from_lane.joint;
    const bool holds = from.holds(joint);
    const bool child_is_a = from_lane.child_is_a != 0;
    const Index other = joint < 0 ? -1 : child_is_a ? from.model.body_b[joint] : from.model.body_a[joint];
    bool turns = false;
    for (int axis = 3; axis < kAxisCount; ++axis) {
      turns = turns || (joint >= 0 && axis_mode(from.model.axes[joint], axis) == AxisMode::locked);
    }
    rows.set(tree_row::child, lane, std::uint32_t(from.body(from_lane.child)));
    rows.set(tree_row::parent, lane, std::uint32_t(from.body(other)));
    rows.set(tree_row::joint, lane, std::uint32_t(joint));
    rows.set(tree_row::sign, lane, child_is_a ? -1.0f : 1.0f);
    rows.set(tree_row::turns, lane, turns ? 1.0f : 0.0f);
    for (int axis = 0; axis < kAxisCount; ++axis) {
      const bool locked = holds && axis_mode(from.model.axes[joint], axis) == AxisMode::locked;
      rows.set(tree_row::locked + axis, lane, locked ? 1.0f : 0.0f);
      rows.set(tree_row::impulse + axis, lane, 0.0f);
    }
    rows.set(tree_row::load, lane, from_lane.load);
    rows.set(tree_row::force, lane, holds ? from.state.force[joint] : Vec3{0.0f, 0.0f, 0.0f});
    if (holds) {
      from.set_frames(rows, tree_row::offset, lane, joint);
    } else {
      JointSource::set_no_frames(rows, tree_row::offset, lane);
    }
    if (from_lane.child < 0) return;
    bodies.push[from_lane.child] = {};
    bodies.inertia[from_lane.child] = {};
    free_velocity[from_lane.child].flag = 1.0f;
  }
};

/// One element is a block of colored joints: what its lanes use, and what they do not change within the step.
struct BeginJointBlock {
  JointSource from;
  Column<const ColorLane> lanes;
  const StepParams* params;
  // out: the block's own
  JointRows rows;

  TALUS_HD void operator()(Index block) const {
    std::uint32_t uses = 0;
    for (Index lane = block * kLanes; lane < (block + 1) * kLanes; ++lane) uses |= begin_lane(lane);
    for (Index lane = block * kLanes; lane < (block + 1) * kLanes; ++lane) rows.set(joint_row::uses, lane, uses);
  }

 private:
  TALUS_HD std::uint32_t begin_lane(Index lane) const {
    const Index joint = lanes[lane].joint;
    const bool holds = from.holds(joint);
    rows.set(joint_row::joint, lane, std::uint32_t(joint));
    rows.set(joint_row::body_a, lane, std::uint32_t(from.body(holds ? from.model.body_a[joint] : -1)));
    rows.set(joint_row::body_b, lane, std::uint32_t(from.body(holds ? from.model.body_b[joint] : -1)));
    if (!holds) {
      JointSource::set_no_frames(rows, joint_row::offset, lane);
      for (int field = joint_row::position; field < joint_row::kFields; ++field) rows.set(field, lane, 0.0f);
      for (int field = joint_row::locked; field < joint_row::offset; ++field) rows.set(field, lane, 0.0f);
      for (int axis = 0; axis < kAxisCount; ++axis) set_limits(lane, axis, -kNoLimit, kNoLimit);
      return 0;
    }
    const JointModel& m = from.model;
    const JointState& s = from.state;
    from.set_frames(rows, joint_row::offset, lane, joint);
    rows.set(joint_row::radial, lane, float(m.radial[joint]));
    rows.set(joint_row::limit_hertz, lane, m.limit_hertz[joint]);
    rows.set(joint_row::limit_damping_ratio, lane, m.limit_damping_ratio[joint]);
    rows.set(joint_row::limit_restitution, lane, m.limit_restitution[joint]);
    const float h = params->h, warm = params->warm_start != 0 ? 1.0f : 0.0f;
    std::uint32_t uses = 0;
    for (int axis = 0; axis < kAxisCount; ++axis) {
      const auto pick = [&](const Vec3Column& linear, const Vec3Column& angular) {
        return axis < 3 ? component(linear[joint], axis) : component(angular[joint], axis - 3);
      };
      const AxisMode mode = axis_mode(m.axes[joint], axis);
      const Drive drive = axis_drive(m.axes[joint], axis);
      const bool locked = mode == AxisMode::locked && lanes[lane].in_tree == 0, limited = mode == AxisMode::limited;
      const float friction = pick(m.friction_force, m.friction_torque);
      if (locked) uses |= joint_uses::lock(axis);
      if (drive != Drive::none) uses |= joint_uses::drive(axis);
      if (friction > 0.0f) uses |= joint_uses::friction(axis);
      if (limited) uses |= joint_uses::limit(axis);
      rows.set(joint_row::locked + axis, lane, locked ? 1.0f : 0.0f);
      rows.set(joint_row::driven + axis, lane, float(drive));
      set_limits(lane, axis, limited ? pick(m.lower_linear, m.lower_angular) : -kNoLimit,
                 limited ? pick(m.upper_linear, m.upper_angular) : kNoLimit);
      rows.set(joint_row::position + axis, lane, pick(s.position_linear, s.position_angular));
      rows.set(joint_row::target + axis, lane, pick(m.target_linear, m.target_angular));
      rows.set(joint_row::target_speed + axis, lane, pick(m.target_linear_velocity, m.target_angular_velocity));
      rows.set(joint_row::stiffness + axis, lane, pick(m.stiffness_linear, m.stiffness_angular));
      rows.set(joint_row::damping + axis, lane, pick(m.damping_linear, m.damping_angular));
      rows.set(joint_row::drive_most + axis, lane, drive != Drive::none ? h * pick(m.max_force, m.max_torque) : 0.0f);
      rows.set(joint_row::friction_most + axis, lane, h * friction);
      rows.set(joint_row::approach + axis, lane, 0.0f);
      rows.set(joint_row::peak + axis, lane, 0.0f);
      rows.set(joint_row::sum + axis, lane, 0.0f);
      rows.set(joint_row::lock_impulse + axis, lane, locked ? warm * pick(s.lock_linear, s.lock_angular) : 0.0f);
      rows.set(joint_row::drive_impulse + axis, lane, warm * pick(s.drive_linear, s.drive_angular));
      rows.set(joint_row::friction_impulse + axis, lane, warm * pick(s.friction_linear, s.friction_angular));
      rows.set(joint_row::limit_impulse + axis, lane, warm * pick(s.limit_linear, s.limit_angular));
    }
    return uses;
  }
  TALUS_HD void set_limits(Index lane, int axis, float lower, float upper) const {
    rows.set(joint_row::lower + axis, lane, lower);
    rows.set(joint_row::upper + axis, lane, upper);
  }
};

}  // namespace talus::inline TALUS_ISA
