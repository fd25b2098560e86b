// SPDX-License-Identifier: MIT
// Joints whose rows a functor of the caller's makes (talus/custom_joint.h), in the lanes of the colored joints. The
// functor has made them for the start of the step and for its expected end; here they are followed in between.
// Rows that stay as they were at the start would do for slow motion alone: a bar of 1 m that swings from one end loses
// 10 % of its energy in 2 s at 60 Hz, and is 58 mm from where the usual ball joint has it; this way 0.3 % and 0.5 mm.
#pragma once
#include "joint_columns.h"
#include "joint_geometry.h"
#include "solve_columns.h"
#include "step_params.h"

namespace talus::inline TALUS_ISA {

/// [rad] A rotation as axis times angle, |angle| <= pi.
TALUS_INLINE Vec3 rotation_vector(Quat q) {
  const Vec3 part{q.x, q.y, q.z};
  const float sine = length(part), sign = q.w < 0.0f ? -1.0f : 1.0f;
  const float angle = 2.0f * arc_tangent(sine, sign * q.w);
  return (sine > 1e-6f ? sign * (angle / sine) : 2.0f * sign) * part;
}

/// The bodies of a joint, and how far they have gone since the step began.
struct CustomMoves {
  JointBody<float> a, b;
  Vec3 apart;           // [m] shift of b against a
  Vec3 turn_a, turn_b;  // [rad] world frame

  /// The lane must have bodies; joint_body() is for whole warps.
  TALUS_INLINE static CustomMoves of(const SolveRowScratch& bodies, const JointRows& rows, Index lane) {
    const JointBody<float> a = body(bodies, Index(rows.word(joint_row::body_a, lane)));
    const JointBody<float> b = body(bodies, Index(rows.word(joint_row::body_b, lane)));
    return {a, b, b.shift - a.shift, rotate(a.start, rotation_vector(a.turn)),
            rotate(b.start, rotation_vector(b.turn))};
  }

 private:
  TALUS_INLINE static JointBody<float> body(const SolveRowScratch& bodies, Index row) {
    const BodyFrame frame = bodies.frame[row];
    const BodyDisplacement gone = bodies.displacement[row];
    return {frame.orientation, gone.turn, gone.shift, frame.scale, frame.inv_mass};
  }
};

/// A row in the course of a step: `part` of it, 0..1, is done. Trapezoids under the rates give the coordinate.
TALUS_INLINE CustomRow row_at(const CustomRow& start, const CustomRow& end, float part, const CustomMoves& m) {
  CustomRow now;
  now.direction = start.direction + part * (end.direction - start.direction);
  now.turn_a = start.turn_a + part * (end.turn_a - start.turn_a);
  now.turn_b = start.turn_b + part * (end.turn_b - start.turn_b);
  now.error =
      start.error + 0.5f * (dot(start.direction + now.direction, m.apart) +
                            (dot(start.turn_b + now.turn_b, m.turn_b) - dot(start.turn_a + now.turn_a, m.turn_a)));
  return now;
}

/// Rows where the bodies are now, for UpdateJointLane. One element is a lane of the colored joints.
struct FollowCustomLane {
  SolveRowScratch bodies;
  Column<const CustomRow> made;
  float part;  // of the step that is done
  // in/out: the lane's own
  JointRows rows;

  TALUS_HD void operator()(Index lane) const {
    if (rows.word(joint_row::rests, lane) != 0 || rows.number(joint_row::kind, lane) != kCustomLane) return;
    const std::uint32_t joint = rows.word(joint_row::joint, lane);
    const CustomMoves moves = CustomMoves::of(bodies, rows, lane);
    for (int i = 0; i < kAxisCount; ++i) {
      CustomRow row;
      if (joint != ~0u) {  // else the joint sleeps among others that do not
        const Index first = 2 * kAxisCount * Index(joint) + i;
        row = row_at(made[first], made[first + kAxisCount], part, moves);
      }
      const float last = rows.number(joint_row::position + i, lane);
      rows.set(joint_row::before + i, lane, part == 0.0f ? row.error : last);
      rows.set(joint_row::position + i, lane, row.error);
      if (i < 3) rows.set(joint_row::direction + 3 * i, lane, row.direction);
      rows.set(joint_row::lever_a + 3 * i, lane, moves.a.lever(row.turn_a));
      rows.set(joint_row::lever_b + 3 * i, lane, moves.b.lever(row.turn_b));
    }
  }
};

/// After FinishJointLane, which knows the usual axes: coordinates, rates and reactions of the rows. One element is a
/// lane of the colored joints.
struct FinishCustomLane {
  JointState state;
  SolveRowScratch bodies;
  const StepParams* params;
  Column<const CustomRow> made;
  JointRows rows;

  TALUS_HD void operator()(Index lane) const {
    const std::uint32_t word = rows.word(joint_row::joint, lane);
    if (word == ~0u || rows.word(joint_row::rests, lane) != 0) return;
    if (rows.number(joint_row::kind, lane) != kCustomLane) return;
    const Index joint = Index(word);
    const CustomMoves moves = CustomMoves::of(bodies, rows, lane);
    const BodyVelocity a = bodies.velocity[Index(rows.word(joint_row::body_a, lane))];
    const BodyVelocity b = bodies.velocity[Index(rows.word(joint_row::body_b, lane))];
    const std::uint32_t uses = rows.word(joint_row::uses, lane);
    float position[kAxisCount], rate[kAxisCount];
    Vec3 force{0.0f, 0.0f, 0.0f}, torque{0.0f, 0.0f, 0.0f};
    for (int i = 0; i < kAxisCount; ++i) {
      const Index first = 2 * kAxisCount * joint + i;
      const CustomRow row = row_at(made[first], made[first + kAxisCount], 1.0f, moves);
      position[i] = row.error;
      rate[i] = dot(row.direction, b.linear - a.linear) +
                (dot(moves.b.lever(row.turn_b), b.angular) - dot(moves.a.lever(row.turn_a), a.angular));
      if ((uses & joint_uses::any(i)) == 0) continue;
      const auto number = [&](int field) { return rows.number(field + i, lane); };
      const float last = (number(joint_row::lock_impulse) + number(joint_row::drive_impulse)) +
                         (number(joint_row::friction_impulse) + number(joint_row::limit_impulse));
      const float mean = (number(joint_row::sum) + last) / params->dt;
      force = force + mean * row.direction;
      torque = torque + mean * row.turn_b;
    }
    state.position_linear.set(joint, {position[0], position[1], position[2]});
    state.position_angular.set(joint, {position[3], position[4], position[5]});
    state.velocity_linear.set(joint, {rate[0], rate[1], rate[2]});
    state.velocity_angular.set(joint, {rate[3], rate[4], rate[5]});
    const Vec3 arm = rotate(moves.b.orientation(), rows.vector(joint_row::anchor_b, lane));
    state.force.set(joint, force);
    state.torque.set(joint, torque - cross(arm, force));
  }
};

}  // namespace talus::inline TALUS_ISA
