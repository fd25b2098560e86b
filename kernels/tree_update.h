// SPDX-License-Identifier: MIT
// Rows of trees of joints where their bodies are now.
#pragma once
#include "joint_columns.h"
#include "joint_geometry.h"
#include "step_params.h"
#include "tree_lanes.h"

namespace talus::inline TALUS_ISA {

/// The coordinates of locked and limited axes where the bodies are now and, if they turned since the step began, the
/// rows and the inertia of the child by itself. One lane of the trees.
struct UpdateTreeLane {
  static constexpr bool kIsLong = true;  // a call on a GPU
  SolveRowScratch bodies;
  const StepParams* params;
  bool first;  // of the step
  // in/out: the lane's own
  TreeRows rows;

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    if (rows.word(tree_row::rests, lane) != 0) return;
    prefetch_fields(rows, tree_row::child, tree_row::locked + 6, lane);
    prefetch_fields(rows, tree_row::offset, 9, lane);
    prefetch_fields(rows, tree_row::wanted, 3, lane);
    const TreeBodies<Real> pair(bodies, rows, lane);
    const JointBody<Real>&child = pair.child, &parent = pair.parent;
    const Real zero(0.0f), one(1.0f), sign = pair.sign;
    const Mask<Real> moves = child.inv_mass > zero;
    if (first) store(rows, tree_row::own_mass, lane, select(moves, one / max_of(child.inv_mass, Real(1e-30f)), zero));
    if (!any_together(moves)) return;  // BeginTreeLane has said what hangs on them: nothing
    const Mask<Real> some_turns = load<Real>(rows, tree_row::turns, lane) > zero;
    const bool turning = any_together(some_turns);
    const Mask<Real> some_limits = load<Real>(rows, tree_row::limits, lane) > zero;
    const bool limits = any_together(some_limits);
    Real locked[kAxisCount], used[kAxisCount];
    for (int i = 0; i < kAxisCount; ++i) {
      locked[i] = i < 3 || turning ? select(moves, load<Real>(rows, tree_row::locked + i, lane), zero) : zero;
      used[i] = locked[i];
      if (!limits) continue;
      const Mask<Real> limited = load<Real>(rows, tree_row::lower + i, lane) > Real(-kNoLimit) ||
                                 load<Real>(rows, tree_row::upper + i, lane) < Real(kNoLimit);
      used[i] = select(limited && moves, one, locked[i]);
    }
    // Where the three points alone are held their axes do not matter, and the world's are the simplest.
    const Mask<Real> ball = locked[0] + locked[1] + locked[2] == Real(3.0f) && !some_turns && !some_limits;
    const bool framed = any_together(!ball && moves);
    const JointFrames<Real> at = load_frames<Real>(rows, tree_row::offset, lane, framed || turning);
    const JointArms<Real> arms = pair.arms(at);
    LinearAxes<Real> linear;
    TurningAxes<Real> turns;
    if (framed) linear = linear_axes<Real>(at, pair.a(), arms, zero > one);
    if (turning) {
      const Real lone = load<Real>(rows, tree_row::lone, lane);
      turns = turning_axes(at, pair.a(), pair.b(), lone, any_together(lone > zero));
    }
    const auto place = [&](int axis, Real position) {
      if (limits || axis == 3) store(rows, tree_row::position + axis, lane, position);
      const Real speed = Real(-kErrorPart * params->inv_h) * (locked[axis] * position),
                 most(axis < 3 ? kMostJointPush : kMostTreeTurn);
      store(rows, tree_row::wanted + axis, lane, clamp_to(speed, -most, most));  // of limits PressLimits knows better
    };
    for (int i = 0; i < 3; ++i) {
      const Real apart = sign * component(arms.apart, i);
      place(i, framed ? select(ball, apart, component(linear.position, i)) : apart);
      if (!turning) continue;
      const Real angle = component(turns.position, i);
      place(3 + i, i == 0 ? unwrapped(angle, load<Real>(rows, tree_row::position + 3, lane)) : angle);
    }
    const Mask<Real> turned = (has_turned(child) || has_turned(parent)) && moves;
    store(rows, tree_row::turned, lane, select(turned, one, zero));
    if (!first && !any_together(turned)) return;

    const bool all = first || !any_together(!turned && moves);
    const auto renew = [&](int field, Vec3Of<Real> value) {
      store(rows, field, lane, all ? value : select<Real>(turned, value, load_vector<Real>(rows, field, lane)));
    };
    const Mat3Of<Real> axes_child = matrix_of(child.start), axes_parent = matrix_of(parent.start);
    const auto set_levers = [&](int field, const Mat3Of<Real>& levers) {
      const auto set = [&](int i, Vec3Of<Real> of_ball) {
        if (!framed) return renew(field + 3 * i, of_ball);
        const Vec3Of<Real> along = (used[i] * sign) * linear.direction[i];
        renew(field + 3 * i, select<Real>(ball, of_ball, transposed_times(levers, along)));
      };
      set(0, levers.row0);
      set(1, levers.row1);
      set(2, levers.row2);
    };
    set_levers(tree_row::lever_child, point_levers(child, axes_child, pair.arm_of_child(arms)));
    set_levers(tree_row::lever_parent, point_levers(parent, axes_parent, pair.arm_of_parent(arms)));
    for (int i = 0; i < 3 && (framed || first); ++i) {
      const Vec3Of<Real> unit{Real(i == 0 ? 1.0f : 0.0f), Real(i == 1 ? 1.0f : 0.0f), Real(i == 2 ? 1.0f : 0.0f)};
      const Vec3Of<Real> of_ball = used[i] * unit;
      renew(tree_row::direction + 3 * i,
            framed ? select<Real>(ball, of_ball, (used[i] * sign) * linear.direction[i]) : of_ball);
    }
    if (turning) {
      for (int i = 0; i < 3; ++i) {
        const Vec3Of<Real> about = (used[3 + i] * sign) * turns.turn[i];
        renew(tree_row::lever_child + 9 + 3 * i, scale(child.scale, transposed_times(axes_child, about)));
        renew(tree_row::lever_parent + 9 + 3 * i, scale(parent.scale, transposed_times(axes_parent, about)));
      }
    }
    const Sym3Of<Real> inertia = child.inertia();
    renew(tree_row::own_inertia, {inertia.xx, inertia.xy, inertia.xz});
    renew(tree_row::own_inertia + 3, {inertia.yy, inertia.yz, inertia.zz});
  }
};

}  // namespace talus::inline TALUS_ISA
