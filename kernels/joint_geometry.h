// SPDX-License-Identifier: MIT
// Where the two frames of a joint are, and how the six coordinates between them change when the bodies move: the
// Jacobian rows of S3 section 3.15 (errata E7), for every kind of joint the same. Linear axes are those of frame a, and
// forces act at the origin of frame b on both bodies: rows are exact derivatives, and no torque is left over.
#pragma once
#include "joint_columns.h"
#include "lanes.h"
#include "math/angle.h"
#include "math/matrix.h"
#include "solve_columns.h"

namespace talus::inline TALUS_ISA {

/// A body in the middle of a step.
template <class Real>
struct JointBody {
  QuatOf<Real> start;  // orientation when the step began
  QuatOf<Real> turn;   // own axes: orientation now = start * turn
  Vec3Of<Real> shift;  // [m] since the step began
  Vec3Of<Real> scale;  // BodyFrame::scale
  Real inv_mass;       // [1/kg] 0: does not move by forces
  TALUS_INLINE QuatOf<Real> orientation() const { return start * turn; }
  /// A world axis to turn about, as a lever in scaled axes (solve_columns.h).
  TALUS_INLINE Vec3Of<Real> lever(Vec3Of<Real> axis) const { return talus::scale(scale, rotate_back(start, axis)); }
  /// Inverse inertia in scaled axes: they stay where they were when the step began, and the body has turned since. It
  /// is R R^T with R = S^-1 T S, T the turn and S the scale.
  TALUS_INLINE Sym3Of<Real> give() const {
    const Vec3Of<Real> inverse{Real(1.0f) / scale.x, Real(1.0f) / scale.y, Real(1.0f) / scale.z};
    const Sym3Of<Real> g = turned_square(inverse, scale);
    const Mask<Real> moves = inv_mass > Real(0.0f);
    const Real zero(0.0f);
    return {select(moves, g.xx, zero), select(moves, g.xy, zero), select(moves, g.xz, zero),
            select(moves, g.yy, zero), select(moves, g.yz, zero), select(moves, g.zz, zero)};
  }
  /// Inertia in scaled axes: the inverse of the above.
  TALUS_INLINE Sym3Of<Real> inertia() const {
    const Vec3Of<Real> inverse{Real(1.0f) / scale.x, Real(1.0f) / scale.y, Real(1.0f) / scale.z};
    return turned_square(scale, inverse);
  }

 private:
  /// R R^T with R_ij = left_i T_ij right_j, left_i right_i = 1. Exactly 1 while the body has not turned.
  TALUS_INLINE Sym3Of<Real> turned_square(Vec3Of<Real> left, Vec3Of<Real> right) const {
    const Mat3Of<Real> t = matrix_of(turn);
    const Mat3Of<Real> r{{t.row0.x, left.x * t.row0.y * right.y, left.x * t.row0.z * right.z},
                         {left.y * t.row1.x * right.x, t.row1.y, left.y * t.row1.z * right.z},
                         {left.z * t.row2.x * right.x, left.z * t.row2.y * right.y, t.row2.z}};
    return {dot(r.row0, r.row0), dot(r.row0, r.row1), dot(r.row0, r.row2),
            dot(r.row1, r.row1), dot(r.row1, r.row2), dot(r.row2, r.row2)};
  }
};

template <class Real>
TALUS_INLINE JointBody<Real> joint_body(const SolveRowScratch& rows, const std::uint32_t* index) {
  Real frame[8], gone[8];
  gather_together(&rows.frame.data->orientation.x, index, frame);
  gather_together(&rows.displacement.data->shift.x, index, gone);
  return {{frame[0], frame[1], frame[2], frame[3]},
          {gone[4], gone[5], gone[6], gone[7]},
          {gone[0], gone[1], gone[2]},
          {frame[4], frame[5], frame[6]},
          frame[7]};
}

/// Where a joint sits in its bodies.
template <class Real>
struct JointFrames {
  Vec3Of<Real> offset;  // [m] from the centre of a to that of b when the step began
  Vec3Of<Real> anchor_a, anchor_b;
  QuatOf<Real> frame_a, frame_b;
};

/// Where the origins of the frames are.
template <class Real>
struct JointArms {
  Vec3Of<Real> apart;  // [m] from the origin of frame a to that of frame b
  Vec3Of<Real> a, b;   // [m] from the centres to the origin of frame b, where forces act
};
template <class Real>
TALUS_INLINE JointArms<Real> joint_arms(const JointFrames<Real>& at, const JointBody<Real>& a,
                                        const JointBody<Real>& b) {
  const Vec3Of<Real> to_a = rotate(a.orientation(), at.anchor_a), to_b = rotate(b.orientation(), at.anchor_b);
  const Vec3Of<Real> from_a = (at.offset + (b.shift - a.shift)) + to_b;
  return {from_a - to_a, from_a, to_b};
}

/// The linear coordinates now and, for each, what changes it: for axis i,
/// direction_i . (v_b - v_a) + (arm_b x direction_i) . w_b - (arm_a x direction_i) . w_a, in the world.
template <class Real>
struct LinearAxes {
  Vec3Of<Real> position;  // [m]
  Vec3Of<Real> direction[3];
};
template <class Real>
TALUS_INLINE LinearAxes<Real> linear_axes(const JointFrames<Real>& at, const JointBody<Real>& a,
                                          const JointArms<Real>& arms, Mask<Real> radial) {
  const Real one(1.0f), least(1e-6f);
  LinearAxes<Real> g;
  const Mat3Of<Real> axes = matrix_of(a.orientation() * at.frame_a);
  for (int i = 0; i < 3; ++i) g.direction[i] = column_of(axes, i);
  const Real distance = length(arms.apart);
  g.position = {select(radial, distance, dot(g.direction[0], arms.apart)), dot(g.direction[1], arms.apart),
                dot(g.direction[2], arms.apart)};
  const Vec3Of<Real> along = (one / max_of(distance, least)) * arms.apart;
  g.direction[0] = select<Real>(radial && distance > least, along, g.direction[0]);
  return g;
}

/// The turning coordinates now and, for each, what changes it: turn_i . (w_b - w_a). The swings are the shortest turn
/// that takes frame a's x axis to frame b's, as angle times axis, which lies in a's y z plane; twist is what is left of
/// the rotation. All are good up to half a turn of the x axis. `lone`: lone_swing(). Its coordinate is the sine of the
/// angle out of its plane, as of a universal joint (S3-90); that of the other swing the angle within it, all round.
/// some_lone: there is one in some lane.
template <class Real>
struct TurningAxes {
  Vec3Of<Real> position;  // [rad] twist, swing_y, swing_z
  Vec3Of<Real> turn[3];
};
template <class Real>
TALUS_INLINE TurningAxes<Real> turning_axes(const JointFrames<Real>& at, const JointBody<Real>& a,
                                            const JointBody<Real>& b, Real lone, bool some_lone) {
  const Real zero(0.0f), one(1.0f), least(1e-6f);
  TurningAxes<Real> g;
  const QuatOf<Real> q_a = a.orientation() * at.frame_a, q_b = b.orientation() * at.frame_b;
  const Mat3Of<Real> axes = matrix_of(q_a);
  const Vec3Of<Real> x = column_of(axes, 0), y = column_of(axes, 1), z = column_of(axes, 2);
  const Vec3Of<Real> x_b = column_of(matrix_of(q_b), 0);
  const Real cx = dot(x, x_b), cy = dot(y, x_b), cz = dot(z, x_b);
  const QuatOf<Real> between = conjugate(q_a) * q_b;
  const Mask<Real> flipped = between.w < zero;
  const Real sine = select(flipped, -between.x, between.x), cosine = select(flipped, -between.w, between.w);
  g.position.x = Real(2.0f) * arc_tangent(sine, cosine);
  g.turn[0] = (one / max_of(one + cx, Real(0.05f))) * (x + x_b);

  // With s, c the sine and cosine of the angle q: swings are k (-cz, cy), k = q / s, and dk/dq = s m.
  const Real s2 = cy * cy + cz * cz, s = square_root(s2), angle = arc_tangent(s, cx);
  const Mask<Real> small = s2 < Real(0.01f) && cx > zero;
  const Real k = select(small, one + s2 * (Real(1.0f / 6.0f) + Real(0.075f) * s2), angle / max_of(s, least));
  const Real m = select(small, Real(1.0f / 3.0f) + Real(2.0f / 15.0f) * s2, (one - k * cx) / max_of(s2, least));
  g.position.y = -(k * cz);
  g.position.z = k * cy;
  g.turn[1] = (k * cx + m * cz * cz) * y - (k * cy) * x - (m * cy * cz) * z;
  g.turn[2] = (k * cx + m * cy * cy) * z - (k * cz) * x - (m * cy * cz) * y;

  if (!some_lone) return g;
  const Mask<Real> lone_y = lone == Real(float(Axis::swing_y)), lone_z = lone == Real(float(Axis::swing_z));
  const Real in_z = one / max_of(cx * cx + cy * cy, least), in_y = one / max_of(cx * cx + cz * cz, least);
  const Vec3Of<Real> within_y = y - (in_y * cy) * (cx * x + cz * z), within_z = z - (in_z * cz) * (cx * x + cy * y);
  g.turn[1] = select<Real>(lone_y, cross(z, x_b), select<Real>(lone_z, within_y, g.turn[1]));
  g.turn[2] = select<Real>(lone_z, cross(x_b, y), select<Real>(lone_y, within_z, g.turn[2]));
  g.position.y = select(lone_y, -cz, select(lone_z, arc_tangent(-cz, cx), g.position.y));
  g.position.z = select(lone_z, cy, select(lone_y, arc_tangent(cy, cx), g.position.z));
  return g;
}

/// A twist that goes on from the last one, over any number of turns.
template <class Real>
TALUS_INLINE Real unwrapped(Real angle, Real last) {
  return angle + Real(2.0f * kPi) * nearest_whole(Real(0.5f / kPi) * (last - angle));
}

}  // namespace talus::inline TALUS_ISA
