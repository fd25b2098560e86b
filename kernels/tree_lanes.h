// SPDX-License-Identifier: MIT
// What the kernels over lanes of joints share: matrices in fields of lanes, levers, inertias of what hangs on bodies.
#pragma once
#include "joint_columns.h"
#include "joint_geometry.h"
#include "lanes.h"
#include "math/matrix.h"

namespace talus::inline TALUS_ISA {

constexpr float kFollowTurn = 1e-4f;  // [rad] in a step; rows of bodies that turn less stay as they were made

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
  JointFrames<Real> at;
  at.offset = load_vector<Real>(rows, field, lane);
  at.anchor_a = load_vector<Real>(rows, field + 3, lane);
  at.anchor_b = load_vector<Real>(rows, field + 6, lane);
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

/// The bodies of a lane of the trees.
template <class Real>
struct TreeBodies {
  RowIndices<Real> child_index, parent_index;
  JointBody<Real> child, parent;
  Real sign;  // tree_row::sign

  TALUS_INLINE TreeBodies(const SolveRowScratch& bodies, const TreeRows& rows, Index lane)
      : child_index(rows, tree_row::child, lane),
        parent_index(rows, tree_row::parent, lane),
        child(joint_body<Real>(bodies, child_index.data())),
        parent(joint_body<Real>(bodies, parent_index.data())),
        sign(load<Real>(rows, tree_row::sign, lane)) {}
  TALUS_INLINE Mask<Real> child_is_a() const { return sign < Real(0.0f); }
  TALUS_INLINE JointArms<Real> arms(const JointFrames<Real>& at) const { return joint_arms(at, a(), b()); }
  TALUS_INLINE JointBody<Real> a() const { return chosen(child_is_a(), child, parent); }
  TALUS_INLINE JointBody<Real> b() const { return chosen(child_is_a(), parent, child); }
  /// From the centres of the bodies to where forces act.
  TALUS_INLINE Vec3Of<Real> arm_of_child(const JointArms<Real>& arms) const {
    return select<Real>(child_is_a(), arms.a, arms.b);
  }
  TALUS_INLINE Vec3Of<Real> arm_of_parent(const JointArms<Real>& arms) const {
    return select<Real>(child_is_a(), arms.b, arms.a);
  }
};

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

/// The levers of pushes along the world's axes, at the end of an arm. axes: matrix_of(body.start).
template <class Real>
TALUS_INLINE Mat3Of<Real> point_levers(const JointBody<Real>& body, const Mat3Of<Real>& axes, Vec3Of<Real> arm) {
  return {scale(body.scale, arm.z * axes.row1 - arm.y * axes.row2),
          scale(body.scale, arm.x * axes.row2 - arm.z * axes.row0),
          scale(body.scale, arm.y * axes.row0 - arm.x * axes.row1)};
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

template <class Real>
TALUS_INLINE Sym6Of<Real> no_inertia() {
  const Real zero(0.0f);
  const Vec3Of<Real> none{zero, zero, zero};
  return {{zero, zero, zero, zero, zero, zero}, {none, none, none}, {zero, zero, zero, zero, zero, zero}};
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

TALUS_INLINE bool rests(const TreeRows& rows, Index block) {
  return rows.word(tree_row::rests, block * kLanes) != 0;
}
/// Whether some lane of a batch has rows or limits that its factors do not know.
template <class Real>
TALUS_INLINE bool any_turned(const TreeRows& rows, const TreeBatch& b) {
  bool turned = false;
  for (Index block = b.first_block; block < b.last_block; ++block) {
    if (rests(rows, block)) continue;
    for_lanes_of<Real>(block, b.width, [&](Index lane, int) {
      turned = turned || any_together(load<Real>(rows, tree_row::turned, lane) > Real(0.0f));
    });
  }
  return turned;
}

}  // namespace talus::inline TALUS_ISA
