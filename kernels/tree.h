// SPDX-License-Identifier: MIT
// Trees of joints, solved exactly in linear time (S3-78; method notes 3.17): children are folded into their parents
// from the leaves up, and impulses are found from the root down. Long chains and large mass ratios, over which sweeps
// would need thousands of rounds, cost no more than others. A batch of trees is worked on by one warp or thread, block
// after block; see TreeLane.
//
// With J_c, J_p the rows' parts of child and parent, D_c the inertia of the child with all that hangs on it:
//   up:    E = (J_c D_c^-1 J_c^T)^-1,  D_p += J_p^T E J_p,  x_p += J_p^T E (k - J_c (v_c + D_c^-1 x_c) - J_p v_p)
//   down:  impulse = E (k - J_c (v_c + D_c^-1 x_c) - J_p v_p'),  v_c' = v_c + D_c^-1 (x_c + J_c^T impulse)
// The signs are those of the notes, not of the printed text (errata E6).
#pragma once
#include "joint_columns.h"
#include "joint_geometry.h"
#include "solve.h"
#include "step_params.h"

namespace talus::inline TALUS_ISA {

constexpr float kLeaves = 0.5f;       // [m/s, rad/s] at which an axis leaves a limit that it was pressed to
constexpr float kAtLimit = 1e-3f;     // [m, rad] from its limit an axis is at it
constexpr float kFollowTurn = 1e-4f;  // [rad] in a step; rows of bodies that turn less stay as they were made
constexpr float kImmobile = 1e-3f;    // [1] of what a free body gives way, below which a row of a loop is redundant

// ---- fields of lanes ------------------------------------------------------------------------------------------------

template <class Real, int Fields>
TALUS_INLINE Mat3Of<Real> load_matrix(const LaneBlocks<Fields>& rows, int field, Index lane) {
  return {load_vector<Real>(rows, field, lane), load_vector<Real>(rows, field + 3, lane),
          load_vector<Real>(rows, field + 6, lane)};
}
template <class Real, int Fields>
TALUS_INLINE Sym3Of<Real> load_sym3(const LaneBlocks<Fields>& rows, int field, Index lane) {
  const Vec3Of<Real> u = load_vector<Real>(rows, field, lane), v = load_vector<Real>(rows, field + 3, lane);
  return {u.x, u.y, u.z, v.x, v.y, v.z};
}
template <class Real, int Fields>
TALUS_INLINE Sym6Of<Real> load_sym6(const LaneBlocks<Fields>& rows, int field, Index lane) {
  return {load_sym3<Real>(rows, field, lane), load_matrix<Real>(rows, field + 6, lane),
          load_sym3<Real>(rows, field + 15, lane)};
}
template <class Real, int Fields>
TALUS_INLINE QuatOf<Real> load_quat(const LaneBlocks<Fields>& rows, int field, Index lane) {
  return {load<Real>(rows, field, lane), load<Real>(rows, field + 1, lane), load<Real>(rows, field + 2, lane),
          load<Real>(rows, field + 3, lane)};
}
template <class Real, int Fields>
TALUS_INLINE void store(const LaneBlocks<Fields>& rows, int field, Index lane, Vec3Of<Real> v) {
  store(rows, field, lane, v.x);
  store(rows, field + 1, lane, v.y);
  store(rows, field + 2, lane, v.z);
}
template <class Real, int Fields>
TALUS_INLINE void store(const LaneBlocks<Fields>& rows, int field, Index lane, const Mat3Of<Real>& m) {
  store(rows, field, lane, m.row0);
  store(rows, field + 3, lane, m.row1);
  store(rows, field + 6, lane, m.row2);
}
template <class Real, int Fields>
TALUS_INLINE void store(const LaneBlocks<Fields>& rows, int field, Index lane, const Sym3Of<Real>& s) {
  store(rows, field, lane, Vec3Of<Real>{s.xx, s.xy, s.xz});
  store(rows, field + 3, lane, Vec3Of<Real>{s.yy, s.yz, s.zz});
}
template <class Real, int Fields>
TALUS_INLINE void store(const LaneBlocks<Fields>& rows, int field, Index lane, const Sym6Of<Real>& s) {
  store(rows, field, lane, s.a);
  store(rows, field + 6, lane, s.b);
  store(rows, field + 15, lane, s.c);
}
/// `axes`: with the orientations of the frames, which a point that is held has no use for.
template <class Real, class Rows>
TALUS_INLINE JointFrames<Real> load_frames(const Rows& rows, int field, Index lane, bool axes = true) {
  JointFrames<Real> at{load_vector<Real>(rows, field, lane),
                       load_vector<Real>(rows, field + 3, lane),
                       load_vector<Real>(rows, field + 6, lane),
                       {},
                       {}};
  if (axes) {
    at.frame_a = load_quat<Real>(rows, field + 9, lane);
    at.frame_b = load_quat<Real>(rows, field + 13, lane);
  }
  return at;
}

template <class Real>
TALUS_INLINE JointBody<Real> chosen(Mask<Real> first, const JointBody<Real>& yes, const JointBody<Real>& no) {
  return {select<Real>(first, yes.start, no.start), select<Real>(first, yes.turn, no.turn),
          select<Real>(first, yes.shift, no.shift), select<Real>(first, yes.scale, no.scale),
          select(first, yes.inv_mass, no.inv_mass)};
}

/// Whether a body has turned so far in this step that rows must follow.
template <class Real>
TALUS_INLINE Mask<Real> has_turned(const JointBody<Real>& body) {
  const Vec3Of<Real> half{body.turn.x, body.turn.y, body.turn.z};
  return dot(half, half) > Real(0.25f * kFollowTurn * kFollowTurn);
}

/// The rows of a joint, or the part of one body in them: three that push, with levers, and three that turn.
template <class Real>
struct JointLevers {
  Mat3Of<Real> push, turn;
};
/// Speeds along the rows by turning.
template <class Real>
TALUS_INLINE Vec6Of<Real> operator*(const JointLevers<Real>& levers, Vec3Of<Real> angular) {
  return {levers.push * angular, levers.turn * angular};
}
template <class Real>
TALUS_INLINE Vec3Of<Real> transposed_times(const JointLevers<Real>& levers, const Vec6Of<Real>& impulse) {
  return transposed_times(levers.push, impulse.a) + transposed_times(levers.turn, impulse.b);
}

/// The rows' matrix for a body that answers to impulses as `response`.
template <class Real>
TALUS_INLINE Sym6Of<Real> give_along(const Mat3Of<Real>& direction, const JointLevers<Real>& levers,
                                     const Sym6Of<Real>& response) {
  const Mat3Of<Real> linear = direction * response.a + times_transposed(levers.push, response.b);
  const Mat3Of<Real> angular = direction * response.b + levers.push * response.c;
  return {upper_half(times_transposed(linear, direction) + times_transposed(angular, levers.push)),
          times_transposed(angular, levers.turn), upper_half(times_transposed(levers.turn * response.c, levers.turn))};
}

/// TreeInertia of bodies.
template <class Real>
TALUS_INLINE void gather_inertia(const TreeInertia* records, const std::uint32_t* body, Real out[24]) {
  for (int unit = 0; unit < 3; ++unit) {
    std::uint32_t at[LaneCount<Real>::value];
    for (int i = 0; i < LaneCount<Real>::value; ++i) at[i] = 3 * body[i] + std::uint32_t(unit);
    gather_together(records->value, at, out + 8 * unit);
  }
}
template <class Real>
TALUS_INLINE void scatter_inertia(TreeInertia* records, const std::uint32_t* body, const Real in[24],
                                  Mask<Real> wanted) {
  for (int unit = 0; unit < 3; ++unit) {
    std::uint32_t at[LaneCount<Real>::value];
    for (int i = 0; i < LaneCount<Real>::value; ++i) at[i] = 3 * body[i] + std::uint32_t(unit);
    scatter_together(records->value, at, in + 8 * unit, wanted);
  }
}
template <class Real>
TALUS_INLINE Sym6Of<Real> inertia_of(const Real v[24]) {
  return {{v[0], v[1], v[2], v[3], v[4], v[5]},
          {{v[6], v[7], v[8]}, {v[9], v[10], v[11]}, {v[12], v[13], v[14]}},
          {v[15], v[16], v[17], v[18], v[19], v[20]}};
}

/// The coordinates of locked and limited axes where the bodies are now and, if they turned since the step began, the
/// rows and the inertia of the child by itself. One lane of the trees.
struct UpdateTreeLane {
  SolveRowScratch bodies;
  const StepParams* params;
  bool first;  // of the step
  // in/out: the lane's own
  TreeRows rows;

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    if (rows.word(tree_row::rests, lane) != 0) return;
    const RowIndices<Real> child_index(rows, tree_row::child, lane), parent_index(rows, tree_row::parent, lane);
    const JointBody<Real> child = joint_body<Real>(bodies, child_index.data());
    const JointBody<Real> parent = joint_body<Real>(bodies, parent_index.data());
    const Real zero(0.0f), one(1.0f), sign = load<Real>(rows, tree_row::sign, lane);
    const Mask<Real> child_is_a = sign < zero;
    const Mask<Real> moves = child.inv_mass > zero;
    const JointBody<Real> a = chosen(child_is_a, child, parent), b = chosen(child_is_a, parent, child);
    const Mask<Real> some_turns = load<Real>(rows, tree_row::turns, lane) > zero;
    const bool turning = any_together(some_turns);
    const bool limits = any_together(load<Real>(rows, tree_row::limits, lane) > zero);
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
    const Mask<Real> ball = locked[0] + locked[1] + locked[2] == Real(3.0f) && !some_turns;
    const bool framed = any_together(!ball && moves);
    const JointFrames<Real> at = load_frames<Real>(rows, tree_row::offset, lane, framed || turning);
    const JointArms<Real> arms = joint_arms(at, a, b);
    LinearAxes<Real> linear;
    TurningAxes<Real> turns;
    if (framed) linear = linear_axes<Real>(at, a, arms, zero > one);
    if (turning) turns = turning_axes(at, a, b, load<Real>(rows, tree_row::lone, lane));
    const Vec3Of<Real> arm_child = select<Real>(child_is_a, arms.a, arms.b);
    const Vec3Of<Real> arm_parent = select<Real>(child_is_a, arms.b, arms.a);
    const auto place = [&](int axis, Real position) {
      if (limits) store(rows, tree_row::position + axis, lane, used[axis] * position);
      const Real speed = Real(-kErrorPart * params->inv_h) * (locked[axis] * position), most(kMostJointPush);
      store(rows, tree_row::wanted + axis, lane, clamp_to(speed, -most, most));  // of limits PressLimits knows better
    };
    for (int i = 0; i < 3; ++i) {
      const Real apart = sign * component(arms.apart, i);
      place(i, framed ? select(ball, apart, component(linear.position, i)) : apart);
      if (!turning) continue;
      const Real angle = component(turns.position, i);
      place(3 + i, i == 0 ? unwrapped(angle, load<Real>(rows, tree_row::position + 3, lane)) : angle);
    }
    const Mask<Real> turned = has_turned(child) || has_turned(parent);
    store(rows, tree_row::turned, lane, select(turned && moves, one, zero));
    if (!first && !any_together(turned)) return;

    const auto renew = [&](int field, Vec3Of<Real> value) {
      store(rows, field, lane, first ? value : select<Real>(turned, value, load_vector<Real>(rows, field, lane)));
    };
    const Mat3Of<Real> axes_child = matrix_of(child.start), axes_parent = matrix_of(parent.start);
    for (int i = 0; i < 3; ++i) {
      const Vec3Of<Real> unit{Real(i == 0 ? 1.0f : 0.0f), Real(i == 1 ? 1.0f : 0.0f), Real(i == 2 ? 1.0f : 0.0f)};
      const Vec3Of<Real> along = used[i] * (framed ? select<Real>(ball, unit, sign * linear.direction[i]) : unit);
      renew(tree_row::direction + 3 * i, along);
      renew(tree_row::lever_child + 3 * i, scale(child.scale, transposed_times(axes_child, cross(arm_child, along))));
      renew(tree_row::lever_parent + 3 * i,
            scale(parent.scale, transposed_times(axes_parent, cross(arm_parent, along))));
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
    store(rows, tree_row::own_mass, lane, select(moves, one / max_of(child.inv_mass, Real(1e-30f)), one));
  }
};

/// When PressLimits looks at limits.
enum class PressTime : std::uint8_t {
  substep_begins,  // bodies have moved; what happened before is done
  biased,          // velocities have changed, by contacts or by a solve
  relaxing,        // the same, after bodies moved: they do so again in the next sub-step only
};

/// Which limits of the trees hold as if they were locked: an active set, changed by what the last solve and the
/// contacts left. An axis that would pass its limit within the sub-step is held there, such that it arrives when the
/// sub-step ends; one that its limit had to pull is let go, and gets its impulse back in the next solve. One lane of
/// the trees.
struct PressLimits {
  const BodyVelocity* velocity;
  const StepParams* params;
  PressTime time;
  // in/out: the lane's own
  TreeRows rows;

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    if (rows.word(tree_row::rests, lane) != 0) return;
    const Real zero(0.0f), one(1.0f);
    if (!any_together(load<Real>(rows, tree_row::limits, lane) > zero)) {
      if (time != PressTime::substep_begins) store(rows, tree_row::turned, lane, zero);
      return;
    }
    const RowIndices<Real> child_index(rows, tree_row::child, lane), parent_index(rows, tree_row::parent, lane);
    Real child[8], parent[8];
    gather_together(&velocity->linear.x, child_index.data(), child);
    gather_together(&velocity->linear.x, parent_index.data(), parent);
    const Vec3Of<Real> apart{child[0] - parent[0], child[1] - parent[1], child[2] - parent[2]};
    const Vec3Of<Real> w_c{child[4], child[5], child[6]}, w_p{parent[4], parent[5], parent[6]};
    Real changed = zero;
    for (int i = 0; i < kAxisCount; ++i) {
      const Real lower = load<Real>(rows, tree_row::lower + i, lane);
      const Real upper = load<Real>(rows, tree_row::upper + i, lane);
      const Mask<Real> limited = lower > Real(-kNoLimit) || upper < Real(kNoLimit);
      if (!any_of(limited)) continue;
      Real rate = dot(load_vector<Real>(rows, tree_row::lever_child + 3 * i, lane), w_c) -
                  dot(load_vector<Real>(rows, tree_row::lever_parent + 3 * i, lane), w_p);
      if (i < 3) rate = rate + dot(load_vector<Real>(rows, tree_row::direction + 3 * i, lane), apart);
      const Real position = load<Real>(rows, tree_row::position + i, lane);
      const Real was = load<Real>(rows, tree_row::pressed + i, lane);
      const Real side = press(lane, i, rate, was, position - lower, upper - position);
      const Real is = select(child[3] > zero && limited, side, zero);
      changed = select(is == was, changed, one);
      store(rows, tree_row::pressed + i, lane, is);
      const Real locked = load<Real>(rows, tree_row::locked + i, lane);
      store(rows, tree_row::locked + i, lane, select(limited, abs_of(is), locked));
      const Real wanted = load<Real>(rows, tree_row::wanted + i, lane);
      store(rows, tree_row::wanted + i, lane,
            select(limited, arrival(is, select(is > zero, position - lower, upper - position)), wanted));
    }
    if (time == PressTime::substep_begins) changed = max_of(changed, load<Real>(rows, tree_row::turned, lane));
    store(rows, tree_row::turned, lane, changed);
  }

 private:
  /// Where the axis is held from now on: 1 at its lower limit, -1 at its upper, 0 not at all.
  template <class Real>
  TALUS_INLINE Real press(Index lane, int axis, Real rate, Real was, Real above, Real below) const {
    const Real zero(0.0f), one(1.0f), impulse = load<Real>(rows, tree_row::impulse + axis, lane);
    const Real since = impulse - load<Real>(rows, tree_row::before + axis, lane);
    const bool begins = time == PressTime::substep_begins;
    const Mask<Real> rigid = above + below <= zero;
    const Mask<Real> pulls = was * since < zero && !rigid, leaves = was * rate > Real(kLeaves) && !rigid;
    const Mask<Real> goes = begins ? pulls || leaves : pulls;
    if (begins) {
      store(rows, tree_row::before + axis, lane, impulse);
    } else {
      store(rows, tree_row::back + axis, lane, select(goes, -since, zero));
    }
    const Real ahead = Real(params->h) * rate, near(time == PressTime::relaxing ? kAtLimit : kNoLimit);
    const Mask<Real> meets_lower = above + ahead < zero && above < near;
    const Mask<Real> meets_upper = below - ahead < zero && below < near;
    const Real met = select(meets_lower || rigid, one, select(meets_upper, -one, zero));
    return select(was == zero, met, select(goes, zero, was));
  }
  /// [m/s, rad/s] at which an axis reaches its limit when the sub-step ends, or comes back from beyond it.
  template <class Real>
  TALUS_INLINE Real arrival(Real side, Real gap) const {
    const Real zero(0.0f), back = min_of(Real(-kErrorPart * params->inv_h) * gap, Real(kMostJointPush));
    return side * select(gap > zero, Real(-params->inv_h) * gap, back);
  }
};

TALUS_INLINE bool rests(const TreeRows& rows, Index block) {
  return rows.word(tree_row::rests, block * kLanes) != 0;
}
/// Whether some lane of a batch has rows or limits that its factors do not know.
template <class Real>
TALUS_INLINE bool any_turned(const TreeRows& rows, const TreeBatch& b) {
  bool turned = false;
  for (Index block = b.first_block; block < b.last_block; ++block) {
    if (rests(rows, block)) continue;
    for_lanes_of<Real>(block, [&](Index lane) {
      turned = turned || any_together(load<Real>(rows, tree_row::turned, lane) > Real(0.0f));
    });
  }
  return turned;
}

/// From the leaves up: D_c^-1 and E of every lane. One batch.
struct FactorTrees {
  Column<const TreeBatch> batches;
  SolveRowScratch bodies;
  // in/out: the batch's own
  TreeRows rows;
  JointBodyScratch hanging;
  bool first;  // of the step

  template <class Real>
  TALUS_INLINE void run(Index batch) const {
    const TreeBatch b = batches[batch];
    if (!first && !any_turned<Real>(rows, b)) return;
    for (Index block = b.first_block; block < b.last_block; ++block) {
      if (rests(rows, block)) continue;
      if (b.ball_only != 0) {
        for_lanes_of<Real>(block, [&](Index lane) { factor<Real, true>(lane); });
      } else {
        for_lanes_of<Real>(block, [&](Index lane) { factor<Real, false>(lane); });
      }
    }
  }

 private:
  template <class Real, bool kBallOnly>
  TALUS_INLINE void factor(Index lane) const {
    const Real zero(0.0f), one(1.0f);
    const RowIndices<Real> child(rows, tree_row::child, lane), parent(rows, tree_row::parent, lane);
    Real frame_child[8], frame_parent[8];
    gather_together(&bodies.frame.data->orientation.x, child.data(), frame_child);
    gather_together(&bodies.frame.data->orientation.x, parent.data(), frame_parent);
    const Mask<Real> moves = frame_child[7] > zero, parent_moves = frame_parent[7] > zero;

    Sym6Of<Real> inertia = take<Real>(child.data(), moves);
    const Real mass = load<Real>(rows, tree_row::own_mass, lane);
    inertia.a = {inertia.a.xx + mass, inertia.a.xy, inertia.a.xz,
                 inertia.a.yy + mass, inertia.a.yz, inertia.a.zz + mass};
    inertia.c = inertia.c + load_sym3<Real>(rows, tree_row::own_inertia, lane);
    Sym6Of<Real> response = inverse(inertia);
    const Real part = select(moves, one, zero);
    response = {scaled(part, response.a), scaled(part, response.b), scaled(part, response.c)};
    store(rows, tree_row::response, lane, response);

    const Mat3Of<Real> push_child = load_matrix<Real>(rows, tree_row::lever_child, lane);
    const Mat3Of<Real> push_parent = load_matrix<Real>(rows, tree_row::lever_parent, lane);
    if constexpr (kBallOnly) {
      const Mat3Of<Real> along = response.b + push_child * response.c;  // J D^-1, angular part
      const Mat3Of<Real> give =
          whole(response.a) + times_transposed(push_child, response.b) + times_transposed(along, push_child);
      const Real held = load<Real>(rows, tree_row::locked, lane) * part;
      const Sym3Of<Real> mass_of_rows =
          scaled(held, inverse(of_rows(upper_half(give), Vec3Of<Real>{held, held, held})));
      store(rows, tree_row::mass, lane, mass_of_rows);
      const Mat3Of<Real> coupling = mass_of_rows * push_parent;
      add<Real>(parent.data(), parent_moves,
                {mass_of_rows, coupling, upper_half(transposed_times(push_parent, coupling))});
    } else {
      const Mat3Of<Real> turn_child = load_matrix<Real>(rows, tree_row::lever_child + 9, lane);
      const Mat3Of<Real> turn_parent = load_matrix<Real>(rows, tree_row::lever_parent + 9, lane);
      const Mat3Of<Real> direction = load_matrix<Real>(rows, tree_row::direction, lane);
      const auto held_at = [&](int axis) { return part * load_vector<Real>(rows, tree_row::locked + axis, lane); };
      const Sym6Of<Real> give = give_along(direction, {push_child, turn_child}, response);
      const auto held_rows = [&] {
        const Vec3Of<Real> held = held_at(0), held_turns = held_at(3);
        return Sym6Of<Real>{of_rows(give.a, held),
                            {held.x * scale(held_turns, give.b.row0), held.y * scale(held_turns, give.b.row1),
                             held.z * scale(held_turns, give.b.row2)},
                            of_rows(give.c, held_turns)};
      };
      Sym6Of<Real> m = inverse(held_rows());
      const Vec3Of<Real> held = held_at(0), held_turns = held_at(3);  // again: registers are short in between
      m.a = {held.x * m.a.xx, m.a.xy, m.a.xz, held.y * m.a.yy, m.a.yz, held.z * m.a.zz};
      m.c = {held_turns.x * m.c.xx, m.c.xy, m.c.xz, held_turns.y * m.c.yy, m.c.yz, held_turns.z * m.c.zz};
      store(rows, tree_row::mass, lane, m);
      const Mat3Of<Real> pushed = m.a * push_parent + m.b * turn_parent;
      const Mat3Of<Real> turned = transposed_times(m.b, push_parent) + m.c * turn_parent;
      add<Real>(parent.data(), parent_moves,
                {upper_half(transposed_times(direction, m.a * direction)), transposed_times(direction, pushed),
                 upper_half(transposed_times(push_parent, pushed) + transposed_times(turn_parent, turned))});
    }
  }

  /// Of the rows that are held; the others have 1 on the diagonal and 0 beside it.
  template <class Real>
  TALUS_INLINE static Sym3Of<Real> of_rows(const Sym3Of<Real>& s, Vec3Of<Real> held) {
    const Real zero(0.0f), one(1.0f);
    return {select(held.x > zero, s.xx, one), held.x * held.y * s.xy, held.x * held.z * s.xz,
            select(held.y > zero, s.yy, one), held.y * held.z * s.yz, select(held.z > zero, s.zz, one)};
  }
  template <class Real>
  TALUS_INLINE static Sym3Of<Real> scaled(Real f, const Sym3Of<Real>& s) {
    return {f * s.xx, f * s.xy, f * s.xz, f * s.yy, f * s.yz, f * s.zz};
  }
  template <class Real>
  TALUS_INLINE static Mat3Of<Real> scaled(Real f, const Mat3Of<Real>& m) {
    return {f * m.row0, f * m.row1, f * m.row2};
  }

  /// What hangs on the child; zero from now on, for the next time.
  template <class Real>
  TALUS_INLINE Sym6Of<Real> take(const std::uint32_t* body, Mask<Real> wanted) const {
    Real v[24], none[24];
    gather_inertia(hanging.inertia.data, body, v);
    for (Real& value : none) value = Real(0.0f);
    scatter_inertia(hanging.inertia.data, body, none, wanted);
    return inertia_of(v);
  }
  /// Hangs more on the parent. No other lane of the block has the same.
  template <class Real>
  TALUS_INLINE void add(const std::uint32_t* body, Mask<Real> wanted, const Sym6Of<Real>& s) const {
    Real v[24];
    gather_inertia(hanging.inertia.data, body, v);
    const Real more[21] = {s.a.xx,     s.a.xy,     s.a.xz,     s.a.yy,     s.a.yz,     s.a.zz,     s.b.row0.x,
                           s.b.row0.y, s.b.row0.z, s.b.row1.x, s.b.row1.y, s.b.row1.z, s.b.row2.x, s.b.row2.y,
                           s.b.row2.z, s.c.xx,     s.c.xy,     s.c.xz,     s.c.yy,     s.c.yz,     s.c.zz};
    for (int i = 0; i < 21; ++i) v[i] = v[i] + more[i];
    scatter_inertia(hanging.inertia.data, body, v, wanted);
  }
};

/// From the root down: how each body answers to an impulse, with all joints of its tree. One batch.
struct MeasureMobility {
  Column<const TreeBatch> batches;
  SolveRowScratch bodies;
  TreeRows rows;
  JointBodyScratch hanging;  // mobility: out, of the batch's own

  template <class Real>
  TALUS_INLINE void run(Index batch) const {
    const TreeBatch b = batches[batch];
    if (b.looped == 0) return;
    for (Index block = b.last_block - 1; block >= b.first_block; --block) {
      if (!rests(rows, block)) for_lanes_of<Real>(block, [&](Index lane) { measure<Real>(lane, b.ball_only != 0); });
    }
  }

 private:
  /// The answers to a unit impulse along each of the six directions in turn.
  template <class Real>
  TALUS_INLINE void measure(Index lane, bool ball_only) const {
    const Real zero(0.0f);
    const RowIndices<Real> child(rows, tree_row::child, lane), parent(rows, tree_row::parent, lane);
    Real frame_child[8], frame_parent[8], v[24];
    gather_together(&bodies.frame.data->orientation.x, child.data(), frame_child);
    gather_together(&bodies.frame.data->orientation.x, parent.data(), frame_parent);
    gather_inertia(hanging.mobility.data, parent.data(), v);
    for (Real& value : v) value = select(frame_parent[7] > zero, value, zero);
    const Sym6Of<Real> of_parent = inertia_of(v);
    for (Real& value : v) value = zero;
    TALUS_UNROLL
    for (int k = 0; k < 6; ++k) {
      const auto unit = [&](int i) { return Real(i == k ? 1.0f : 0.0f); };
      const Vec6Of<Real> answer =
          answer_to<Real>(lane, ball_only, of_parent, {{unit(0), unit(1), unit(2)}, {unit(3), unit(4), unit(5)}});
      const Real column[6] = {answer.a.x, answer.a.y, answer.a.z, answer.b.x, answer.b.y, answer.b.z};
      // As TreeInertia is laid out: xx xy xz yy yz zz, then the coupling row by row, then the turning part.
      TALUS_UNROLL
      for (int i = 0; i < 6; ++i) {
        if (k < 3 && i < 3 && i <= k) v[i == 0 ? k : i == 1 ? k + 2 : 5] = column[i];
        if (k >= 3 && i < 3) v[6 + 3 * i + (k - 3)] = column[i];
        if (k >= 3 && i >= 3 && i <= k) v[15 + (i == 3 ? k - 3 : i == 4 ? k - 1 : 5)] = column[i];
      }
    }
    scatter_inertia(hanging.mobility.data, child.data(), v, frame_child[7] > zero);
  }

  template <class Real>
  TALUS_INLINE Vec6Of<Real> answer_to(Index lane, bool ball_only, const Sym6Of<Real>& of_parent,
                                      const Vec6Of<Real>& push) const {
    const Sym6Of<Real> response = load_sym6<Real>(rows, tree_row::response, lane);
    const Mat3Of<Real> direction = load_matrix<Real>(rows, tree_row::direction, lane);
    const JointLevers<Real> c{load_matrix<Real>(rows, tree_row::lever_child, lane),
                              load_matrix<Real>(rows, tree_row::lever_child + 9, lane)};
    const JointLevers<Real> p{load_matrix<Real>(rows, tree_row::lever_parent, lane),
                              load_matrix<Real>(rows, tree_row::lever_parent + 9, lane)};
    const auto impulse_for = [&](const Vec6Of<Real>& speed) {
      if (ball_only) return Vec6Of<Real>{load_sym3<Real>(rows, tree_row::mass, lane) * speed.a, {}};
      return load_sym6<Real>(rows, tree_row::mass, lane) * speed;
    };
    const Vec6Of<Real> follows = response * push, turn = c * follows.b;
    const Vec6Of<Real> speed{direction * follows.a + turn.a, turn.b}, held = impulse_for(speed);
    const Vec6Of<Real> moved = of_parent * Vec6Of<Real>{transposed_times(direction, held.a), transposed_times(p, held)};
    const Vec6Of<Real> turn_p = p * moved.b;
    const Vec6Of<Real> impulse = impulse_for({(direction * moved.a + turn_p.a) - speed.a, turn_p.b - speed.b});
    const Vec6Of<Real> more =
        response * Vec6Of<Real>{transposed_times(direction, impulse.a), transposed_times(c, impulse)};
    return {follows.a + more.a, follows.b + more.b};
  }
};

/// The inverse of the rows' matrix of a joint that closes a loop, with its bodies as mobile as their trees leave them.
/// Rows along which they are not, since the trees hold them already, get no impulse. One lane.
struct FactorLoops {
  SolveRowScratch bodies;
  const TreeInertia* mobility;
  // in/out: the lane's own
  TreeRows rows;

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    if (rows.word(tree_row::rests, lane) != 0) return;
    const RowIndices<Real> child(rows, tree_row::child, lane), parent(rows, tree_row::parent, lane);
    const Vec3Of<Real> held = load_vector<Real>(rows, tree_row::locked, lane);
    const Mat3Of<Real> direction = of_held(load_matrix<Real>(rows, tree_row::direction, lane), held);
    Real k[kAxisCount][kAxisCount], bare[kAxisCount];
    for (int i = 0; i < kAxisCount; ++i) {
      bare[i] = Real(0.0f);
      for (int j = 0; j < kAxisCount; ++j) k[i][j] = Real(0.0f);
    }
    add(child.data(), tree_row::lever_child, lane, direction, k, bare);
    add(parent.data(), tree_row::lever_parent, lane, direction, k, bare);
    invert(k, bare);
    const auto sym3 = [&](int i) {
      return Sym3Of<Real>{k[i][i], k[i][i + 1], k[i][i + 2], k[i + 1][i + 1], k[i + 1][i + 2], k[i + 2][i + 2]};
    };
    store(
        rows, tree_row::mass, lane,
        Sym6Of<Real>{
            sym3(0), {{k[0][3], k[0][4], k[0][5]}, {k[1][3], k[1][4], k[1][5]}, {k[2][3], k[2][4], k[2][5]}}, sym3(3)});
  }

 private:
  /// What one body gives way. bare: the same on the diagonal, if nothing held the body.
  template <class Real>
  TALUS_INLINE void add(const std::uint32_t* body, int field, Index lane, const Mat3Of<Real>& direction,
                        Real k[kAxisCount][kAxisCount], Real bare[kAxisCount]) const {
    const Real zero(0.0f);
    Real frame[8], v[24];
    gather_together(&bodies.frame.data->orientation.x, body, frame);
    gather_inertia(mobility, body, v);
    for (Real& value : v) value = select(frame[7] > zero, value, zero);
    const JointLevers<Real> levers{
        of_held(load_matrix<Real>(rows, field, lane), load_vector<Real>(rows, tree_row::locked, lane)),
        of_held(load_matrix<Real>(rows, field + 9, lane), load_vector<Real>(rows, tree_row::locked + 3, lane))};
    const Sym6Of<Real> give = give_along(direction, levers, inertia_of(v));
    const Vec3Of<Real> a[3] = {
        {give.a.xx, give.a.xy, give.a.xz}, {give.a.xy, give.a.yy, give.a.yz}, {give.a.xz, give.a.yz, give.a.zz}};
    const Vec3Of<Real> c[3] = {
        {give.c.xx, give.c.xy, give.c.xz}, {give.c.xy, give.c.yy, give.c.yz}, {give.c.xz, give.c.yz, give.c.zz}};
    const Vec3Of<Real> b[3] = {give.b.row0, give.b.row1, give.b.row2};
    const Vec3Of<Real> along[3] = {direction.row0, direction.row1, direction.row2};
    const Vec3Of<Real> push[3] = {levers.push.row0, levers.push.row1, levers.push.row2};
    const Vec3Of<Real> turn[3] = {levers.turn.row0, levers.turn.row1, levers.turn.row2};
    const Real turns = select(frame[7] > zero, Real(1.0f), zero);
    TALUS_UNROLL
    for (int i = 0; i < 3; ++i) {
      bare[i] = bare[i] + frame[7] * dot(along[i], along[i]) + turns * dot(push[i], push[i]);
      bare[3 + i] = bare[3 + i] + turns * dot(turn[i], turn[i]);
      TALUS_UNROLL
      for (int j = 0; j < 3; ++j) {
        k[i][j] = k[i][j] + component(a[i], j);
        k[i][3 + j] = k[i][3 + j] + component(b[i], j);
        k[3 + j][i] = k[3 + j][i] + component(b[i], j);
        k[3 + i][3 + j] = k[3 + i][3 + j] + component(c[i], j);
      }
    }
  }

  template <class Real>
  TALUS_INLINE static Mat3Of<Real> of_held(const Mat3Of<Real>& rows, Vec3Of<Real> held) {
    return {held.x * rows.row0, held.y * rows.row1, held.z * rows.row2};
  }

  /// Gauss-Jordan in place. Rows whose pivot is next to nothing become zero, in the inverse too.
  template <class Real>
  TALUS_INLINE static void invert(Real k[kAxisCount][kAxisCount], const Real bare[kAxisCount]) {
    const Real zero(0.0f), one(1.0f);
    TALUS_UNROLL
    for (int pivot = 0; pivot < kAxisCount; ++pivot) {
      const Mask<Real> keep = k[pivot][pivot] > Real(kImmobile) * bare[pivot];
      const Real inverse = select(keep, one / select(keep, k[pivot][pivot], one), zero);
      k[pivot][pivot] = one;
      TALUS_UNROLL
      for (int j = 0; j < kAxisCount; ++j) k[pivot][j] = inverse * k[pivot][j];
      TALUS_UNROLL
      for (int i = 0; i < kAxisCount; ++i) {
        if (i == pivot) continue;
        const Real factor = select(keep, k[i][pivot], zero);
        k[i][pivot] = zero;
        TALUS_UNROLL
        for (int j = 0; j < kAxisCount; ++j) k[i][j] = k[i][j] - factor * k[pivot][j];
      }
    }
  }
};

/// One exact solve of all rows of the trees, for the velocities as they are. kBiased: such that errors are gone when
/// the sub-step has passed; else such that nothing moves along the rows. Together the two are the constrained mid-point
/// rule RATTLE, which neither gains nor loses energy. One batch.
template <bool kBiased>
struct SolveTrees {
  Column<const TreeBatch> batches;
  TreeRows rows;
  BodyVelocity* velocity;
  BodyVelocity* free_velocity;  // follows: what joints push is not the contacts' doing, see IntegrateVelocities
  JointBodyScratch hanging;
  bool again;  // where limits have changed, and take back what they pulled; else everywhere

  template <class Real>
  TALUS_INLINE void run(Index batch) const {
    const TreeBatch b = batches[batch];
    if (again && !any_turned<Real>(rows, b)) return;
    if (b.ball_only != 0) {
      solve<Real, true>(b);
    } else {
      solve<Real, false>(b);
    }
  }

  /// A joint of a loop pushes at its two bodies, each of which hangs in a tree.
  template <class Real>
  TALUS_INLINE void close(Index lane) const {
    const RowIndices<Real> child(rows, tree_row::child, lane), parent(rows, tree_row::parent, lane);
    const Found<Real> f = find<Real, false>(lane, {}, child, parent);
    push_at(child, f.child, linear_part<Real, false>(lane, f.impulse.a),
            angular_part<Real, false>(f.child_levers, f.impulse));
    push_at(parent, f.parent, -linear_part<Real, false>(lane, f.impulse.a),
            -angular_part<Real, false>(f.parent_levers, f.impulse));
    store(rows, tree_row::impulse, lane, load_vector<Real>(rows, tree_row::impulse, lane) + f.impulse.a);
    store(rows, tree_row::impulse + 3, lane, load_vector<Real>(rows, tree_row::impulse + 3, lane) + f.impulse.b);
  }

 private:
  template <class Real, bool kBallOnly>
  TALUS_INLINE void solve(const TreeBatch& b) const {
    for (Index block = b.first_block; block < b.last_block; ++block) {
      if (!rests(rows, block)) for_lanes_of<Real>(block, [&](Index lane) { up<Real, kBallOnly>(lane); });
    }
    for (Index block = b.last_block - 1; block >= b.first_block; --block) {
      if (!rests(rows, block)) for_lanes_of<Real>(block, [&](Index lane) { down<Real, kBallOnly>(lane); });
    }
  }

  template <class Real>
  struct Body {
    Vec3Of<Real> linear, angular;
    Real inv_mass, flag;
  };
  template <class Real>
  TALUS_INLINE static Body<Real> body_of(const float* base, const std::uint32_t* index) {
    Real r[8];
    gather_together(base, index, r);
    return {{r[0], r[1], r[2]}, {r[4], r[5], r[6]}, r[3], r[7]};
  }
  template <class Real>
  TALUS_INLINE static void put(float* base, const std::uint32_t* index, const Body<Real>& body, Mask<Real> wanted) {
    const Real r[8] = {body.linear.x,  body.linear.y,  body.linear.z,  body.inv_mass,
                       body.angular.x, body.angular.y, body.angular.z, body.flag};
    scatter_together(base, index, r, wanted);
  }
  template <class Real, bool kBallOnly>
  TALUS_INLINE JointLevers<Real> levers(int field, Index lane) const {
    JointLevers<Real> l;
    l.push = load_matrix<Real>(rows, field, lane);
    if constexpr (!kBallOnly) l.turn = load_matrix<Real>(rows, field + 9, lane);
    return l;
  }

  /// Impulses along the rows that make their speeds what they should be, if the child answered as D_c^-1.
  template <class Real, bool kBallOnly>
  TALUS_INLINE Vec6Of<Real> impulse_of(Index lane, Vec3Of<Real> linear, const Vec6Of<Real>& turning) const {
    Vec6Of<Real> left;
    left.a = wanted<Real>(tree_row::wanted, lane);
    if constexpr (kBallOnly) {
      left.a = left.a - (linear + turning.a);
      return {load_sym3<Real>(rows, tree_row::mass, lane) * left.a, {}};
    } else {
      left.a = left.a - (load_matrix<Real>(rows, tree_row::direction, lane) * linear + turning.a);
      left.b = wanted<Real>(tree_row::wanted + 3, lane) - turning.b;
      return load_sym6<Real>(rows, tree_row::mass, lane) * left;
    }
  }
  /// [m/s, rad/s]
  template <class Real>
  TALUS_INLINE Vec3Of<Real> wanted(int field, Index lane) const {
    if constexpr (!kBiased) return {Real(0.0f), Real(0.0f), Real(0.0f)};
    return load_vector<Real>(rows, field, lane);
  }
  template <class Real, bool kBallOnly>
  TALUS_INLINE Vec3Of<Real> linear_part(Index lane, Vec3Of<Real> impulse) const {
    if constexpr (kBallOnly) {
      return impulse;
    } else {
      return transposed_times(load_matrix<Real>(rows, tree_row::direction, lane), impulse);
    }
  }
  template <class Real, bool kBallOnly>
  TALUS_INLINE static Vec3Of<Real> angular_part(const JointLevers<Real>& l, const Vec6Of<Real>& impulse) {
    if constexpr (kBallOnly) {
      return transposed_times(l.push, impulse.a);
    } else {
      return transposed_times(l, impulse);
    }
  }
  template <class Real, bool kBallOnly>
  TALUS_INLINE static Vec6Of<Real> turning(const JointLevers<Real>& l, Vec3Of<Real> angular) {
    if constexpr (kBallOnly) {
      return {l.push * angular, {}};
    } else {
      return l * angular;
    }
  }

  /// A lane before its impulse is applied.
  template <class Real>
  struct Found {
    Body<Real> child, parent;
    JointLevers<Real> child_levers, parent_levers;
    Vec6Of<Real> follows;  // change of the child's velocity by what hangs on it, and by what limits take back
    Vec6Of<Real> impulse;
  };
  /// What limits take back.
  template <class Real>
  TALUS_INLINE Vec6Of<Real> taken_back(Index lane) const {
    return {load_vector<Real>(rows, tree_row::back, lane), load_vector<Real>(rows, tree_row::back + 3, lane)};
  }
  /// With what limits take back. Read again, not kept: registers are short.
  template <class Real, bool kBallOnly>
  TALUS_INLINE Vec6Of<Real> with_taken_back(Index lane, const Vec6Of<Real>& impulse) const {
    if (kBallOnly || !again) return impulse;
    const Vec6Of<Real> back = taken_back<Real>(lane);
    return {impulse.a + back.a, impulse.b + back.b};
  }
  template <class Real, bool kBallOnly>
  TALUS_INLINE Found<Real> find(Index lane, const Sym6Of<Real>& response, const RowIndices<Real>& child,
                                const RowIndices<Real>& parent) const {
    Found<Real> f;
    f.child = body_of<Real>(&velocity->linear.x, child.data());
    f.parent = body_of<Real>(&velocity->linear.x, parent.data());
    Body<Real> x = body_of<Real>(&hanging.push.data->linear.x, child.data());
    f.child_levers = levers<Real, kBallOnly>(tree_row::lever_child, lane);
    if (!kBallOnly && again) {
      const Vec6Of<Real> back = taken_back<Real>(lane);
      x.linear = x.linear + linear_part<Real, kBallOnly>(lane, back.a);
      x.angular = x.angular + angular_part<Real, kBallOnly>(f.child_levers, back);
    }
    f.follows = response * Vec6Of<Real>{x.linear, x.angular};
    f.parent_levers = levers<Real, kBallOnly>(tree_row::lever_parent, lane);
    const Vec6Of<Real> turn_c = turning<Real, kBallOnly>(f.child_levers, f.child.angular + f.follows.b);
    const Vec6Of<Real> turn_p = turning<Real, kBallOnly>(f.parent_levers, f.parent.angular);
    Vec6Of<Real> turns{turn_c.a - turn_p.a, {}};
    if constexpr (!kBallOnly) turns.b = turn_c.b - turn_p.b;
    f.impulse = impulse_of<Real, kBallOnly>(lane, (f.child.linear + f.follows.a) - f.parent.linear, turns);
    return f;
  }

  /// Hangs an impulse more on a body.
  template <class Real>
  TALUS_INLINE void push_at(const RowIndices<Real>& body, const Body<Real>& moves, Vec3Of<Real> linear,
                            Vec3Of<Real> angular) const {
    Body<Real> carried = body_of<Real>(&hanging.push.data->linear.x, body.data());
    carried.linear = carried.linear + linear;
    carried.angular = carried.angular + angular;
    put(&hanging.push.data->linear.x, body.data(), carried, moves.inv_mass > Real(0.0f));
  }

  template <class Real, bool kBallOnly>
  TALUS_INLINE void up(Index lane) const {
    const RowIndices<Real> child(rows, tree_row::child, lane), parent(rows, tree_row::parent, lane);
    const Sym6Of<Real> response = load_sym6<Real>(rows, tree_row::response, lane);
    const Found<Real> f = find<Real, kBallOnly>(lane, response, child, parent);
    const Vec6Of<Real> sum = with_taken_back<Real, kBallOnly>(lane, f.impulse);
    push_at(parent, f.parent, -linear_part<Real, kBallOnly>(lane, sum.a),
            -angular_part<Real, kBallOnly>(f.parent_levers, sum));
  }

  template <class Real, bool kBallOnly>
  TALUS_INLINE void down(Index lane) const {
    const Real zero(0.0f);
    const RowIndices<Real> child(rows, tree_row::child, lane), parent(rows, tree_row::parent, lane);
    const Sym6Of<Real> response = load_sym6<Real>(rows, tree_row::response, lane);
    const Found<Real> f = find<Real, kBallOnly>(lane, response, child, parent);
    const Vec6Of<Real> more = response * Vec6Of<Real>{linear_part<Real, kBallOnly>(lane, f.impulse.a),
                                                      angular_part<Real, kBallOnly>(f.child_levers, f.impulse)};
    const Vec3Of<Real> linear = f.follows.a + more.a, angular = f.follows.b + more.b;
    const Mask<Real> moves = f.child.inv_mass > zero;
    const auto change = [&](BodyVelocity* records, Body<Real> body) {
      body.linear = body.linear + linear;
      body.angular = body.angular + angular;
      put(&records->linear.x, child.data(), body, moves);
    };
    change(velocity, f.child);
    change(free_velocity, body_of<Real>(&free_velocity->linear.x, child.data()));
    const Vec3Of<Real> none{zero, zero, zero};
    put(&hanging.push.data->linear.x, child.data(), Body<Real>{none, none, zero, zero}, moves);
    const Vec6Of<Real> sum = with_taken_back<Real, kBallOnly>(lane, f.impulse);
    store(rows, tree_row::impulse, lane, load_vector<Real>(rows, tree_row::impulse, lane) + sum.a);
    if constexpr (!kBallOnly) {
      store(rows, tree_row::impulse + 3, lane, load_vector<Real>(rows, tree_row::impulse + 3, lane) + sum.b);
    }
  }
};

/// Between two solves of the trees: the impulse of a joint that closes a loop, such that the second solve closes it.
/// One lane; a tree is in one loop at most.
template <bool kBiased>
struct CloseLoops {
  SolveTrees<kBiased> trees;

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    if (trees.rows.word(tree_row::rests, lane) == 0) trees.template close<Real>(lane);
  }
};

}  // namespace talus::inline TALUS_ISA
