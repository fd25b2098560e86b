// SPDX-License-Identifier: MIT
// End of a step with joints: twists, reactions and the impulses for the next step's warm start become state.
#pragma once
#include "counters.h"
#include "joint_columns.h"
#include "joint_geometry.h"
#include "math/atomic.h"
#include "step_params.h"
#include "tree_lanes.h"

namespace talus::inline TALUS_ISA {

/// What the two kernels below share.
struct JointReport {
  JointState state;
  SolveRowScratch bodies;
  const StepParams* params;

  /// Of a sum of turning rows, which have their levers in the scaled axes of a body.
  template <class Real>
  TALUS_INLINE Vec3Of<Real> torque(const std::uint32_t* body, Vec3Of<Real> sum_of_levers) const {
    Real frame[8];
    gather_together(&bodies.frame.data->orientation.x, body, frame);
    const Vec3Of<Real> about{sum_of_levers.x / frame[4], sum_of_levers.y / frame[5], sum_of_levers.z / frame[6]};
    return rotate(QuatOf<Real>{frame[0], frame[1], frame[2], frame[3]}, about);
  }
  /// To a column; lanes without a joint are left out.
  template <class Real>
  TALUS_INLINE static void scatter(const std::uint32_t* joint, Vec3Of<Real> value, const Vec3Column& column) {
    constexpr int kWidth = LaneCount<Real>::value;
    float x[kWidth], y[kWidth], z[kWidth];
    store_lanes(x, value.x);
    store_lanes(y, value.y);
    store_lanes(z, value.z);
    for (int i = 0; i < kWidth; ++i) {
      if (joint[i] != ~0u) column.set(Index(joint[i]), {x[i], y[i], z[i]});
    }
  }
  /// The twist, which goes on from step to step.
  template <class Real>
  TALUS_INLINE void keep_twist(const std::uint32_t* joint, Real twist, Mask<Real> wanted) const {
    constexpr int kWidth = LaneCount<Real>::value;
    const unsigned bits = lane_bits(wanted);
    float plain[kWidth];
    store_lanes(plain, twist);
    for (int i = 0; i < kWidth; ++i) {
      if (((bits >> i) & 1u) != 0 && joint[i] != ~0u) state.position_angular.x[joint[i]] = plain[i];
    }
  }
};

/// One lane of the trees.
struct FinishTreeLane {
  static constexpr bool kIsLong = true;  // a call on a GPU
  JointReport report;
  TreeRows rows;

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    if (rows.word(tree_row::rests, lane) != 0) return;
    prefetch_fields(rows, tree_row::joint, 4, lane);
    prefetch_fields(rows, tree_row::direction, 9, lane);
    prefetch_fields(rows, tree_row::impulse, 3, lane);
    const std::uint32_t* joint = rows.at(tree_row::joint, lane);
    const Real zero(0.0f), per_time = load<Real>(rows, tree_row::sign, lane) / Real(report.params->dt);
    Vec3Of<Real> force{zero, zero, zero}, levers = force;
    for (int i = 0; i < 3; ++i) {
      force = force + load<Real>(rows, tree_row::impulse + i, lane) *
                          load_vector<Real>(rows, tree_row::direction + 3 * i, lane);
    }
    JointReport::scatter(joint, per_time * force, report.state.force);
    const Mask<Real> turns = load<Real>(rows, tree_row::turns, lane) > zero;
    if (any_together(turns)) {  // else the torque is zero, see MakeTreeLane
      for (int i = 3; i < kAxisCount; ++i) {
        levers = levers + load<Real>(rows, tree_row::impulse + i, lane) *
                              load_vector<Real>(rows, tree_row::lever_child + 3 * i, lane);
      }
      const RowIndices<Real> child(rows, tree_row::child, lane);
      const Vec3Of<Real> none{zero, zero, zero};
      const Vec3Of<Real> torque = select<Real>(turns, per_time * report.torque(child.data(), levers), none);
      JointReport::scatter(joint, torque, report.state.torque);
      report.keep_twist(joint, load<Real>(rows, tree_row::position + 3, lane), turns);
    }
  }
};

/// One lane of the colored joints, after the trees: adds to what those wrote of the same joint.
struct FinishJointLane {
  static constexpr bool kIsLong = true;  // a call on a GPU
  JointReport report;
  Column<const ColorLane> lanes;
  JointRows rows;

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    if (rows.word(joint_row::rests, lane) != 0) return;
    const std::uint32_t uses = rows.word(joint_row::uses, lane);
    const std::uint32_t* joint = rows.at(joint_row::joint, lane);
    if (uses & joint_uses::kBallsOnly) {
      finish_ball<Real>(lane, joint);
      return;
    }
    const JointState& s = report.state;
    const auto keep = [&](std::uint32_t axis_uses, int field, const Vec3Column& linear, const Vec3Column& angular) {
      if ((uses & axis_uses) == 0) return;
      JointReport::scatter(joint, load_vector<Real>(rows, field, lane), linear);
      JointReport::scatter(joint, load_vector<Real>(rows, field + 3, lane), angular);
    };
    keep(joint_uses::kLocks, joint_row::lock_impulse, s.lock_linear, s.lock_angular);
    keep(joint_uses::kDrives, joint_row::drive_impulse, s.drive_linear, s.drive_angular);
    keep(joint_uses::kFrictions, joint_row::friction_impulse, s.friction_linear, s.friction_angular);
    keep(joint_uses::kLimits, joint_row::limit_impulse, s.limit_linear, s.limit_angular);
    if (uses & joint_uses::kTurns) {
      report.keep_twist(joint, load<Real>(rows, joint_row::position + 3, lane), every_lane(Real{}));
    }
    react<Real>(lane, uses, joint);
  }

 private:
  /// Impulses are kept along the axes of frame a.
  template <class Real>
  TALUS_INLINE void finish_ball(Index lane, const std::uint32_t* joint) const {
    const Real per_time = Real(1.0f) / Real(report.params->dt);
    const RowIndices<Real> index_a(rows, joint_row::body_a, lane);
    const JointBody<Real> a = joint_body<Real>(report.bodies, index_a.data());
    const QuatOf<Real> axes = a.orientation() * load_quat<Real>(rows, joint_row::frame_a, lane);
    const Vec3Of<Real> impulse = load_vector<Real>(rows, joint_row::lock_impulse, lane);
    const Vec3Of<Real> force = per_time * (load_vector<Real>(rows, joint_row::sum, lane) + impulse);
    const Vec3Of<Real> kept = rotate_back(axes, impulse);
    store(rows, joint_row::direction, lane, impulse);
    std::uint32_t here[LaneCount<Real>::value];  // a tree has all of the others
    for (int i = 0; i < LaneCount<Real>::value; ++i) here[i] = lanes[lane + i].in_tree != 0 ? ~0u : joint[i];
    JointReport::scatter(here, kept, report.state.lock_linear);  // what turns is zero, see MakeJointBlock
    JointReport::scatter(here, force, report.state.force);
  }

  template <class Real>
  TALUS_INLINE void react(Index lane, std::uint32_t uses, const std::uint32_t* joint) const {
    constexpr int kWidth = LaneCount<Real>::value;
    const RowIndices<Real> index_b(rows, joint_row::body_b, lane);
    const Real zero(0.0f), per_time = Real(1.0f) / Real(report.params->dt);
    Vec3Of<Real> force{zero, zero, zero}, levers = force;
    for (int i = 0; i < kAxisCount; ++i) {
      if ((uses & joint_uses::any(i)) == 0) continue;
      const Real last =
          (load<Real>(rows, joint_row::lock_impulse + i, lane) + load<Real>(rows, joint_row::drive_impulse + i, lane)) +
          (load<Real>(rows, joint_row::friction_impulse + i, lane) +
           load<Real>(rows, joint_row::limit_impulse + i, lane));
      const Real mean = per_time * (load<Real>(rows, joint_row::sum + i, lane) + last);
      if (i < 3) {
        force = force + mean * load_vector<Real>(rows, joint_row::direction + 3 * i, lane);
      } else {
        levers = levers + mean * load_vector<Real>(rows, joint_row::lever_b + 3 * i, lane);
      }
    }
    const Vec3Of<Real> torque = report.torque(index_b.data(), levers);
    float plain[kAxisCount][kWidth];
    const Real reaction[kAxisCount] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
    for (int i = 0; i < kAxisCount; ++i) store_lanes(plain[i], reaction[i]);
    for (int i = 0; i < kWidth; ++i) {
      if (joint[i] == ~0u) continue;
      const Index row = Index(joint[i]);
      Vec3 f{plain[0][i], plain[1][i], plain[2][i]}, t{plain[3][i], plain[4][i], plain[5][i]};
      if (lanes[lane + i].in_tree != 0) {
        f = f + report.state.force[row];
        if (lanes[lane + i].turns != 0) t = t + report.state.torque[row];
      }
      report.state.force.set(row, f);
      report.state.torque.set(row, t);
    }
  }
};

/// After both: limits that the tree held. Those that it had to pull at are free in the next step. One lane of the
/// trees.
struct KeepPressedLimits {
  JointState state;
  TreeRows rows;
  int substeps;

  TALUS_HD void operator()(Index lane) const {
    const std::uint32_t joint = rows.word(tree_row::joint, lane);
    if (joint == ~0u || rows.word(tree_row::rests, lane) != 0 || rows.number(tree_row::limits, lane) == 0.0f) return;
    for (int axis = 0; axis < kAxisCount; ++axis) {
      const float lower = rows.number(tree_row::lower + axis, lane), upper = rows.number(tree_row::upper + axis, lane);
      if (lower == -kNoLimit && upper == kNoLimit) continue;
      const Vec3Column& column = axis < 3 ? state.limit_linear : state.limit_angular;
      float* plane = axis % 3 == 0 ? column.x : axis % 3 == 1 ? column.y : column.z;
      const float impulse = rows.number(tree_row::impulse + axis, lane) / float(substeps);
      plane[joint] = rows.number(tree_row::pressed + axis, lane) * impulse > 0.0f ? impulse : 0.0f;
    }
  }
};

/// Breaks joints that felt more than they bear. One element is one joint.
struct BreakJoint {
  JointModel model;
  JointState state;
  Counters* counters;

  TALUS_HD void operator()(Index joint) const {
    if (model.alive[joint] == 0) return;
    if (state.broken[joint] != 0) {
      state.broken[joint] = 1;
      return;
    }
    if (length(state.force[joint]) <= model.break_force[joint] &&
        length(state.torque[joint]) <= model.break_torque[joint]) {
      return;
    }
    state.broken[joint] = 2;
    atomic_add(&counters->broken_joints, 1);
    atomic_min(&counters->joints_begun, 0);  // its lanes change
  }
};

}  // namespace talus::inline TALUS_ISA
