// SPDX-License-Identifier: MIT
// Start of a step with joints: what stays as it is through the step goes from the tables of joints to the lanes.
#pragma once
#include "columns.h"
#include "counters.h"
#include "joint_columns.h"
#include "math/vec3.h"
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
  TALUS_HD bool holds(Index joint) const { return joint >= 0 && model.alive[joint] != 0 && state.broken[joint] == 0; }
  /// One of six values that two columns hold.
  TALUS_HD static float axis(const Vec3Column& linear, const Vec3Column& angular, Index joint, int which) {
    return which < 3 ? component(linear[joint], which) : component(angular[joint], which - 3);
  }
  /// From the centre of a to that of b.
  TALUS_HD Vec3 offset(Index joint) const { return center(model.body_b[joint]) - center(model.body_a[joint]); }
  /// From `field` on: anchors and frames, in the order that both kinds of lanes have them in.
  template <class Rows>
  TALUS_HD void set_frames(const Rows& rows, int field, Index lane, Index joint, bool holds) const {
    const Vec3 none{0.0f, 0.0f, 0.0f};
    rows.set(field, lane, holds ? model.anchor_a[joint] : none);
    rows.set(field + 3, lane, holds ? model.anchor_b[joint] : none);
    set_quat(rows, field + 6, lane, holds ? model.frame_a[joint] : kIdentity);
    set_quat(rows, field + 10, lane, holds ? model.frame_b[joint] : kIdentity);
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

/// What a lane of the trees does not change from step to step. One element is a lane.
struct MakeTreeLane {
  JointSource from;
  Column<const TreeLane> lanes;
  Index first_loop_lane;  // from here on lanes share their bodies with those of trees
  // out: the lane's own
  TreeRows rows;
  JointBodyScratch bodies;

  TALUS_HD void operator()(Index lane) const {
    const TreeLane from_lane = lanes[lane];
    const Index joint = from_lane.joint;
    const bool holds = from.holds(joint), child_is_a = from_lane.child_is_a != 0;
    const Index other = joint < 0 ? -1 : child_is_a ? from.model.body_b[joint] : from.model.body_a[joint];
    bool turns = false, limits = false;
    for (int axis = 0; axis < kAxisCount; ++axis) {
      const AxisMode mode = joint < 0 ? AxisMode::free : axis_mode(from.model.axes[joint], axis);
      turns = turns || (mode != AxisMode::free && axis >= 3);
      limits = limits || mode == AxisMode::limited;
      rows.set(tree_row::locked + axis, lane, mode == AxisMode::locked && holds ? 1.0f : 0.0f);
      rows.set(tree_row::pressed + axis, lane, 0.0f);
      rows.set(tree_row::lower + axis, lane, -kNoLimit);
      rows.set(tree_row::upper + axis, lane, kNoLimit);
      rows.set(tree_row::position + axis, lane, 0.0f);
      rows.set(tree_row::wanted + axis, lane, 0.0f);
      rows.set(tree_row::back + axis, lane, 0.0f);
    }
    rows.set(tree_row::child, lane, std::uint32_t(from.body(from_lane.child)));
    rows.set(tree_row::parent, lane, std::uint32_t(from.body(other)));
    rows.set(tree_row::joint, lane, std::uint32_t(joint));
    rows.set(tree_row::rests, lane, 0u);
    rows.set(tree_row::sign, lane, child_is_a ? -1.0f : 1.0f);
    rows.set(tree_row::turns, lane, turns ? 1.0f : 0.0f);
    rows.set(tree_row::limits, lane, limits && holds && tree_holds_limits(from.model, joint) ? 1.0f : 0.0f);
    rows.set(tree_row::lone, lane, joint < 0 ? 0.0f : float(lone_swing(from.model.axes[joint])));
    rows.set(tree_row::load, lane, from_lane.load);
    rows.set(tree_row::heaviest, lane, from_lane.heaviest);
    from.set_frames(rows, tree_row::anchor_a, lane, joint, holds);
    if (joint >= 0 && !turns) from.state.torque.set(joint, {0.0f, 0.0f, 0.0f});  // and stays so
    if (from_lane.child < 0 || lane >= first_loop_lane) return;
    bodies.push[from_lane.child] = {};
    bodies.tension[from_lane.child] = {};
    bodies.inertia[from_lane.child] = {};
  }
};

/// Where bodies may sleep: lanes at rest lose their bodies and their joint for this step, since the records of bodies
/// that sleep are not made. One element is a block.
struct RestTreeBlock {
  JointSource from;
  Column<const TreeLane> lanes;
  Column<std::uint8_t> asleep;  // of each body
  // out: the block's own
  TreeRows rows;

  TALUS_HD void operator()(Index block) const {
    bool rests = true;
    for (Index lane = block * kLanes; lane < (block + 1) * kLanes; ++lane) {
      const TreeLane& l = lanes[lane];
      const bool awake = (l.child >= 0 && asleep[l.child] == 0) || (l.parent >= 0 && asleep[l.parent] == 0);
      const Index other = l.joint < 0         ? -1
                          : l.child_is_a != 0 ? from.model.body_b[l.joint]
                                              : from.model.body_a[l.joint];
      rows.set(tree_row::child, lane, std::uint32_t(from.body(awake ? l.child : -1)));
      rows.set(tree_row::parent, lane, std::uint32_t(from.body(awake ? other : -1)));
      rows.set(tree_row::joint, lane, std::uint32_t(awake ? l.joint : -1));
      rests = rests && !awake;
    }
    for (Index lane = block * kLanes; lane < (block + 1) * kLanes; ++lane) {
      rows.set(tree_row::rests, lane, rests ? 1u : 0u);
    }
  }
};
/// The same for colored joints.
struct RestJointBlock {
  JointSource from;
  Column<const ColorLane> lanes;
  Column<float> inv_mass;       // of each body
  Column<std::uint8_t> asleep;  // of each body
  // out: the block's own
  JointRows rows;

  TALUS_HD void operator()(Index block) const {
    const auto is_awake = [&](Index body) { return body >= 0 && inv_mass[body] > 0.0f && asleep[body] == 0; };
    bool rests = true;
    for (Index lane = block * kLanes; lane < (block + 1) * kLanes; ++lane) {
      const Index joint = from.holds(lanes[lane].joint) ? lanes[lane].joint : -1;
      const Index a = joint < 0 ? -1 : from.model.body_a[joint], b = joint < 0 ? -1 : from.model.body_b[joint];
      const bool awake = is_awake(a) || is_awake(b);
      rows.set(joint_row::body_a, lane, std::uint32_t(from.body(awake ? a : -1)));
      rows.set(joint_row::body_b, lane, std::uint32_t(from.body(awake ? b : -1)));
      rows.set(joint_row::joint, lane, std::uint32_t(awake ? joint : -1));
      rests = rests && !awake;
    }
    for (Index lane = block * kLanes; lane < (block + 1) * kLanes; ++lane) {
      rows.set(joint_row::rests, lane, rests ? 1u : 0u);
    }
  }
};

/// What a step starts from. One element is a lane of the trees. Its child hangs on joints: the mid-point rule of free
/// flight is not for it.
struct BeginTreeLane {
  JointSource from;
  Index first_loop_lane;
  // in/out: the lane's own
  TreeRows rows;
  Column<BodyVelocity> free_velocity;

  TALUS_HD void operator()(Index lane) const {
    if (rows.word(tree_row::rests, lane) != 0) return;
    const Index joint = Index(rows.word(tree_row::joint, lane)), child = Index(rows.word(tree_row::child, lane));
    if (child == from.null_body) {  // padding, or asleep
      hang_nothing(lane);
      return;
    }
    const bool holds = from.holds(joint);
    const Vec3 apart = center(child) - center(Index(rows.word(tree_row::parent, lane)));
    rows.set(tree_row::offset, lane, rows.number(tree_row::sign, lane) < 0.0f ? -apart : apart);
    rows.set(tree_row::force, lane, holds ? from.state.force[joint] : Vec3{0.0f, 0.0f, 0.0f});
    for (int axis = 0; axis < kAxisCount; ++axis) rows.set(tree_row::impulse + axis, lane, 0.0f);
    if (rows.number(tree_row::limits, lane) > 0.0f) {
      for (int axis = 0; axis < kAxisCount; ++axis) {
        if (axis_mode(from.model.axes[joint], axis) == AxisMode::limited) begin_limit(lane, joint, axis);
      }
    }
    if (rows.number(tree_row::turns, lane) > 0.0f) {
      rows.set(tree_row::position + 3, lane, holds ? from.state.position_angular.x[joint] : 0.0f);
    }
    if (lane < first_loop_lane) free_velocity[child].flag = 1.0f;
  }

 private:
  TALUS_HD Vec3 center(Index body) const { return from.center(body == from.null_body ? -1 : body); }
  /// A chain that is shorter than others of its batch has lanes before its leaf: what these hang on it is nothing, and
  /// not what happens to be in memory.
  TALUS_HD void hang_nothing(Index lane) const {
    const Vec3 none{0.0f, 0.0f, 0.0f};
    for (int i = 0; i < 3; ++i) {
      rows.set(tree_row::lever_child + 3 * i, lane, none);
      rows.set(tree_row::lever_parent + 3 * i, lane, none);
      rows.set(tree_row::wanted + i, lane, 0.0f);
    }
    rows.set(tree_row::own_inertia, lane, {1.0f, 0.0f, 0.0f});
    rows.set(tree_row::own_inertia + 3, lane, {1.0f, 0.0f, 1.0f});
  }
  TALUS_HD void begin_limit(Index lane, Index joint, int axis) const {
    const JointModel& m = from.model;
    const JointState& s = from.state;
    const float impulse = JointSource::axis(s.limit_linear, s.limit_angular, joint, axis);
    rows.set(tree_row::lower + axis, lane, JointSource::axis(m.lower_linear, m.lower_angular, joint, axis));
    rows.set(tree_row::upper + axis, lane, JointSource::axis(m.upper_linear, m.upper_angular, joint, axis));
    rows.set(tree_row::pressed + axis, lane, impulse > 0.0f ? 1.0f : impulse < 0.0f ? -1.0f : 0.0f);
    rows.set(tree_row::locked + axis, lane, impulse != 0.0f ? 1.0f : 0.0f);
  }
};

/// What colored joints do not change from step to step, and what some lane of a block uses. One element is a block.
struct MakeJointBlock {
  JointSource from;
  Column<const ColorLane> lanes;
  // out: the block's own
  JointRows rows;

  TALUS_HD void operator()(Index block) const {
    std::uint32_t uses = 0;
    bool balls = true;
    for (Index lane = block * kLanes; lane < (block + 1) * kLanes; ++lane) {
      const std::uint32_t own = make_lane(lane);
      uses |= own;
      balls = balls && (own == 0 || own == 7u);
    }
    if (balls) uses |= joint_uses::kBallsOnly;
    for (Index lane = block * kLanes; lane < (block + 1) * kLanes; ++lane) {
      rows.set(joint_row::uses, lane, uses);
      const Index joint = lanes[lane].joint;
      if (!balls || joint < 0 || lanes[lane].in_tree != 0) continue;
      from.state.lock_angular.set(joint, {0.0f, 0.0f, 0.0f});  // and stays so
      from.state.torque.set(joint, {0.0f, 0.0f, 0.0f});
    }
  }

 private:
  TALUS_HD std::uint32_t make_lane(Index lane) const {
    const JointModel& m = from.model;
    const Index joint = lanes[lane].joint;
    const bool holds = from.holds(joint);
    rows.set(joint_row::joint, lane, std::uint32_t(joint));
    rows.set(joint_row::rests, lane, 0u);
    rows.set(joint_row::body_a, lane, std::uint32_t(from.body(holds ? m.body_a[joint] : -1)));
    rows.set(joint_row::body_b, lane, std::uint32_t(from.body(holds ? m.body_b[joint] : -1)));
    from.set_frames(rows, joint_row::anchor_a, lane, joint, holds);
    const std::uint8_t kind = holds ? m.kind[joint] : std::uint8_t(0);
    rows.set(joint_row::kind, lane, is_custom(kind) ? kCustomLane : kind == kRadial ? kRadialLane : 0.0f);
    rows.set(joint_row::lone, lane, holds ? float(lone_swing(m.axes[joint])) : 0.0f);
    rows.set(joint_row::limit_hertz, lane, holds ? m.limit_hertz[joint] : 0.0f);
    rows.set(joint_row::limit_damping_ratio, lane, holds ? m.limit_damping_ratio[joint] : 0.0f);
    rows.set(joint_row::limit_restitution, lane, holds ? m.limit_restitution[joint] : 0.0f);
    std::uint32_t uses = is_custom(kind) ? joint_uses::kCustom : 0u;
    for (int axis = 0; axis < kAxisCount; ++axis) {
      const AxisMode mode = holds ? axis_mode(m.axes[joint], axis) : AxisMode::free;
      const Drive drive = holds ? axis_drive(m.axes[joint], axis) : Drive::none;
      const bool in_tree = lanes[lane].in_tree != 0, locked = mode == AxisMode::locked && !in_tree;
      const bool limited = mode == AxisMode::limited && !(in_tree && tree_holds_limits(m, joint));
      const float friction = holds ? from.axis(m.friction_force, m.friction_torque, joint, axis) : 0.0f;
      if (locked) uses |= joint_uses::lock(axis);
      if (drive != Drive::none) uses |= joint_uses::drive(axis);
      if (friction > 0.0f) uses |= joint_uses::friction(axis);
      if (limited) uses |= joint_uses::limit(axis);
      rows.set(joint_row::locked + axis, lane, locked ? 1.0f : 0.0f);
      rows.set(joint_row::driven + axis, lane, float(drive));
    }
    return uses;
  }
};

/// What a step starts from, for the axes that some lane of the block uses. One element is a lane of the colored joints.
struct BeginJointLane {
  JointSource from;
  Column<const ColorLane> lanes;
  const StepParams* params;
  // in/out: the lane's own
  JointRows rows;

  TALUS_HD void operator()(Index lane) const {
    if (rows.word(joint_row::rests, lane) != 0) return;
    const JointModel& m = from.model;
    const JointState& s = from.state;
    const Index joint = Index(rows.word(joint_row::joint, lane));
    const bool holds = from.holds(joint);
    const std::uint32_t uses = rows.word(joint_row::uses, lane);
    const float h = params->h, warm = holds ? params->warm_start : 0.0f;
    rows.set(joint_row::offset, lane, holds ? from.offset(joint) : Vec3{0.0f, 0.0f, 0.0f});
    if (uses & joint_uses::kTurns) {
      rows.set(joint_row::position + 3, lane, holds ? s.position_angular.x[joint] : 0.0f);
    }
    for (int axis = 0; axis < kAxisCount; ++axis) {
      if ((uses & joint_uses::any(axis)) == 0) continue;
      const auto put = [&](int field, float factor, const Vec3Column& linear, const Vec3Column& angular) {
        rows.set(field + axis, lane, holds ? factor * from.axis(linear, angular, joint, axis) : 0.0f);
      };
      const bool locked = rows.number(joint_row::locked + axis, lane) > 0.0f;
      const bool driven = rows.number(joint_row::driven + axis, lane) > 0.0f;
      put(joint_row::lock_impulse, locked ? warm : 0.0f, s.lock_linear, s.lock_angular);
      rows.set(joint_row::sum + axis, lane, 0.0f);
      if (uses & joint_uses::kBallsOnly) continue;
      put(joint_row::drive_impulse, warm, s.drive_linear, s.drive_angular);
      put(joint_row::friction_impulse, warm, s.friction_linear, s.friction_angular);
      const bool limited = holds && axis_mode(m.axes[joint], axis) == AxisMode::limited &&
                           !(lanes[lane].in_tree != 0 && tree_holds_limits(m, joint));
      put(joint_row::limit_impulse, limited ? warm : 0.0f, s.limit_linear, s.limit_angular);
      if (uses & joint_uses::drive(axis)) {
        put(joint_row::target, 1.0f, m.target_linear, m.target_angular);
        put(joint_row::target_speed, 1.0f, m.target_linear_velocity, m.target_angular_velocity);
        put(joint_row::stiffness, 1.0f, m.stiffness_linear, m.stiffness_angular);
        put(joint_row::damping, 1.0f, m.damping_linear, m.damping_angular);
        put(joint_row::drive_most, driven ? h : 0.0f, m.max_force, m.max_torque);
      }
      if (uses & joint_uses::friction(axis)) put(joint_row::friction_most, h, m.friction_force, m.friction_torque);
      if (uses & joint_uses::limit(axis)) {
        rows.set(joint_row::peak + axis, lane, 0.0f);
        rows.set(joint_row::lower + axis, lane,
                 limited ? from.axis(m.lower_linear, m.lower_angular, joint, axis) : -kNoLimit);
        rows.set(joint_row::upper + axis, lane,
                 limited ? from.axis(m.upper_linear, m.upper_angular, joint, axis) : kNoLimit);
      }
    }
  }
};

/// One element: the constants of the lanes are up to date, if the step happens.
struct KeepJointLanes {
  Counters* counters;
  TALUS_HD void operator()(Index) const {
    if (counters->rows > 0) counters->joints_begun = 1;
  }
};

}  // namespace talus::inline TALUS_ISA
