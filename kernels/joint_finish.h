// SPDX-License-Identifier: MIT
// End of a step with joints: coordinates, reactions and the impulses for the next step's warm start become state.
#pragma once
#include "counters.h"
#include "joint_columns.h"
#include "joint_geometry.h"
#include "math/atomic.h"
#include "step_params.h"
#include "tree.h"

namespace talus::inline TALUS_ISA {

/// What the two kernels below share.
struct JointReport {
  JointState state;
  SolveRowScratch bodies;
  const StepParams* params;

  template <class Real>
  struct Reading {
    LinearAxes<Real> linear;
    TurningAxes<Real> turning;
    Real position[kAxisCount], rate[kAxisCount];
  };
  template <class Real>
  TALUS_INLINE Reading<Real> read(const JointFrames<Real>& at, const std::uint32_t* index_a,
                                  const std::uint32_t* index_b, Mask<Real> radial, Real lone, Real last_twist) const {
    const JointBody<Real> a = joint_body<Real>(bodies, index_a), b = joint_body<Real>(bodies, index_b);
    const JointArms<Real> arms = joint_arms(at, a, b);
    Reading<Real> r{linear_axes<Real>(at, a, arms, radial), turning_axes<Real>(at, a, b, lone), {}, {}};
    const LinearAxes<Real>& l = r.linear;
    const TurningAxes<Real>& t = r.turning;
    Real va[8], vb[8];
    gather_together(&bodies.velocity.data->linear.x, index_a, va);
    gather_together(&bodies.velocity.data->linear.x, index_b, vb);
    const Vec3Of<Real> apart{vb[0] - va[0], vb[1] - va[1], vb[2] - va[2]};
    const Vec3Of<Real> w_a{va[4], va[5], va[6]}, w_b{vb[4], vb[5], vb[6]};
    for (int i = 0; i < 3; ++i) {
      r.position[i] = component(l.position, i);
      r.position[3 + i] = component(t.position, i);
      const Vec3Of<Real> turn_a = cross(arms.a, l.direction[i]), turn_b = cross(arms.b, l.direction[i]);
      r.rate[i] = dot(l.direction[i], apart) + (dot(b.lever(turn_b), w_b) - dot(a.lever(turn_a), w_a));
      r.rate[3 + i] = dot(b.lever(t.turn[i]), w_b) - dot(a.lever(t.turn[i]), w_a);
    }
    r.position[3] = unwrapped(r.position[3], last_twist);
    return r;
  }
  /// Six values a lane to two columns. Lanes without a joint are left out.
  template <class Real>
  TALUS_INLINE static void scatter(const std::uint32_t* joint, const Real value[kAxisCount], const Vec3Column& linear,
                                   const Vec3Column& angular) {
    constexpr int kWidth = LaneCount<Real>::value;
    float plain[kAxisCount][kWidth];
    for (int i = 0; i < kAxisCount; ++i) store_lanes(plain[i], value[i]);
    for (int i = 0; i < kWidth; ++i) {
      if (joint[i] == ~0u) continue;
      linear.set(Index(joint[i]), {plain[0][i], plain[1][i], plain[2][i]});
      angular.set(Index(joint[i]), {plain[3][i], plain[4][i], plain[5][i]});
    }
  }
};

/// One lane of the trees.
struct FinishTreeLane {
  JointReport report;
  TreeRows rows;
  bool readings;  // all that can be read; else the force alone, which the next step starts from

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    if (rows.word(tree_row::rests, lane) != 0) return;
    constexpr int kWidth = LaneCount<Real>::value;
    const std::uint32_t* joint = rows.at(tree_row::joint, lane);
    const Real zero(0.0f), one(1.0f), sign = load<Real>(rows, tree_row::sign, lane);
    const Real per_time = sign / Real(report.params->dt);
    Vec3Of<Real> force{zero, zero, zero}, torque = force;
    for (int i = 0; i < 3; ++i) {
      force = force + load<Real>(rows, tree_row::impulse + i, lane) *
                          load_vector<Real>(rows, tree_row::direction + 3 * i, lane);
    }
    if (readings) {
      const RowIndices<Real> child(rows, tree_row::child, lane), parent(rows, tree_row::parent, lane);
      std::uint32_t a[kWidth], b[kWidth];
      float last[kWidth];
      for (int i = 0; i < kWidth; ++i) {
        const bool child_is_a = rows.number(tree_row::sign, lane + i) < 0.0f;
        a[i] = child_is_a ? child.data()[i] : parent.data()[i];
        b[i] = child_is_a ? parent.data()[i] : child.data()[i];
        last[i] = joint[i] == ~0u ? 0.0f : report.state.position_angular.x[joint[i]];
      }
      const JointReport::Reading<Real> r =
          report.read<Real>(load_frames<Real>(rows, tree_row::offset, lane), a, b, zero > one,
                            load<Real>(rows, tree_row::lone, lane), load_lanes(last, Real{}));
      JointReport::scatter(joint, r.position, report.state.position_linear, report.state.position_angular);
      JointReport::scatter(joint, r.rate, report.state.velocity_linear, report.state.velocity_angular);
      for (int i = 0; i < 3; ++i) {
        torque = torque + (sign * load<Real>(rows, tree_row::impulse + 3 + i, lane)) * r.turning.turn[i];
      }
    }
    const Real reaction[kAxisCount] = {per_time * force.x,  per_time * force.y,  per_time * force.z,
                                       per_time * torque.x, per_time * torque.y, per_time * torque.z};
    JointReport::scatter(joint, reaction, report.state.force, report.state.torque);
  }
};

/// One lane of the colored joints, after the trees: adds to what those wrote of the same joint.
struct FinishJointLane {
  JointReport report;
  Column<const ColorLane> lanes;
  JointRows rows;
  bool readings;  // all that can be read; else the impulses and angles alone, which the next step starts from

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    if (rows.word(joint_row::rests, lane) != 0) return;
    const std::uint32_t uses = rows.word(joint_row::uses, lane);
    const std::uint32_t* joint = rows.at(joint_row::joint, lane);
    if (uses & joint_uses::kBallsOnly) turn_back<Real>(lane);
    const JointState& s = report.state;
    const auto keep = [&](std::uint32_t axis_uses, int field, const Vec3Column& linear, const Vec3Column& angular) {
      if ((uses & axis_uses) == 0) return;
      Real value[kAxisCount];
      for (int i = 0; i < kAxisCount; ++i) value[i] = load<Real>(rows, field + i, lane);
      JointReport::scatter(joint, value, linear, angular);
    };
    keep(joint_uses::kLocks, joint_row::lock_impulse, s.lock_linear, s.lock_angular);
    keep(joint_uses::kDrives, joint_row::drive_impulse, s.drive_linear, s.drive_angular);
    keep(joint_uses::kFrictions, joint_row::friction_impulse, s.friction_linear, s.friction_angular);
    keep(joint_uses::kLimits, joint_row::limit_impulse, s.limit_linear, s.limit_angular);
    if (readings) {
      read<Real>(lane, joint);
    } else {
      keep(joint_uses::any(3), joint_row::position, s.position_linear, s.position_angular);
    }
  }

 private:
  /// Impulses are kept along the axes of frame a.
  template <class Real>
  TALUS_INLINE void turn_back(Index lane) const {
    const RowIndices<Real> index_a(rows, joint_row::body_a, lane);
    const JointBody<Real> a = joint_body<Real>(report.bodies, index_a.data());
    const QuatOf<Real> axes = a.orientation() * load_quat<Real>(rows, joint_row::frame_a, lane);
    const Vec3Of<Real> impulse = load_vector<Real>(rows, joint_row::lock_impulse, lane);
    const Vec3Of<Real> sum = load_vector<Real>(rows, joint_row::sum, lane);
    store(rows, joint_row::direction, lane, impulse);
    store(rows, joint_row::lock_impulse, lane, rotate_back(axes, impulse));
    store(rows, joint_row::sum, lane, rotate_back(axes, sum));
  }

  template <class Real>
  TALUS_INLINE void read(Index lane, const std::uint32_t* joint) const {
    constexpr int kWidth = LaneCount<Real>::value;
    const RowIndices<Real> index_a(rows, joint_row::body_a, lane), index_b(rows, joint_row::body_b, lane);
    const Real zero(0.0f), per_time = Real(1.0f) / Real(report.params->dt);
    const JointReport::Reading<Real> r =
        report.read<Real>(load_frames<Real>(rows, joint_row::offset, lane), index_a.data(), index_b.data(),
                          load<Real>(rows, joint_row::kind, lane) == Real(kRadialLane),
                          load<Real>(rows, joint_row::lone, lane), load<Real>(rows, joint_row::position + 3, lane));
    std::uint32_t read_here[kWidth];  // those of trees were read there
    for (int i = 0; i < kWidth; ++i) read_here[i] = lanes[lane + i].in_tree != 0 ? ~0u : joint[i];
    JointReport::scatter(read_here, r.position, report.state.position_linear, report.state.position_angular);
    JointReport::scatter(read_here, r.rate, report.state.velocity_linear, report.state.velocity_angular);
    Vec3Of<Real> force{zero, zero, zero}, torque = force;
    for (int i = 0; i < kAxisCount; ++i) {
      const Real last =
          (load<Real>(rows, joint_row::lock_impulse + i, lane) + load<Real>(rows, joint_row::drive_impulse + i, lane)) +
          (load<Real>(rows, joint_row::friction_impulse + i, lane) +
           load<Real>(rows, joint_row::limit_impulse + i, lane));
      const Real mean = per_time * (load<Real>(rows, joint_row::sum + i, lane) + last);
      if (i < 3) {
        force = force + mean * r.linear.direction[i];
      } else {
        torque = torque + mean * r.turning.turn[i - 3];
      }
    }
    float plain[kAxisCount][kWidth];
    const Real reaction[kAxisCount] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
    for (int i = 0; i < kAxisCount; ++i) store_lanes(plain[i], reaction[i]);
    for (int i = 0; i < kWidth; ++i) {
      if (joint[i] == ~0u) continue;
      const Index row = Index(joint[i]);
      Vec3 f{plain[0][i], plain[1][i], plain[2][i]}, t{plain[3][i], plain[4][i], plain[5][i]};
      if (lanes[lane + i].in_tree != 0) {
        f = f + report.state.force[row];
        t = t + report.state.torque[row];
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
  bool readings;  // else the turns that a twist has made are kept here

  TALUS_HD void operator()(Index lane) const {
    const std::uint32_t joint = rows.word(tree_row::joint, lane);
    if (joint == ~0u || rows.word(tree_row::rests, lane) != 0 || rows.number(tree_row::limits, lane) == 0.0f) return;
    if (!readings) state.position_angular.x[joint] = rows.number(tree_row::position + 3, lane);
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
