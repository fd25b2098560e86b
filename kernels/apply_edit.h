// SPDX-License-Identifier: MIT
// Edits enter the tables: one element is one body's folded record, no body comes twice, so elements are independent.
#pragma once
#include "contact_columns.h"
#include "counters.h"
#include "edit.h"
#include "pairs.h"

namespace talus::inline TALUS_ISA {

/// Writes one row of a table from values; generated from the list of its columns.
#define TALUS_WRITE_COLUMN(type_, name, unit, meaning) write_cell(to.name, row, from.name);
template <class T>
TALUS_INLINE void write_cell(const Column<T>& column, Index row, T value) {
  column[row] = value;
}
TALUS_INLINE void write_cell(const Vec3Column& column, Index row, Vec3 value) {
  column.set(row, value);
}
TALUS_INLINE void write_cell(const QuatColumn& column, Index row, Quat value) {
  column.set(row, value);
}
TALUS_INLINE void write_row(const BodyModel& to, Index row,
                            const BodyModelRow& from){TALUS_BODY_MODEL(TALUS_WRITE_COLUMN)} TALUS_INLINE
    void write_row(const BodyState& to, Index row, const BodyStateRow& from) {
  TALUS_BODY_STATE(TALUS_WRITE_COLUMN)
}
#undef TALUS_WRITE_COLUMN

/// What the impulses of an edit add to the velocities of its body: J / m, I^-1 (L + (p - x) x J).
struct VelocityGain {
  Vec3 linear, angular;  // [m/s], [rad/s] world frame
};
TALUS_INLINE VelocityGain gain_of(const BodyEdit& e, Vec3 position, Quat orientation, float inv_mass,
                                  Vec3 inv_inertia) {
  const Vec3 moment = e.angular_impulse + cross(e.impulse_point - position, e.point_impulse);
  return {inv_mass * (e.impulse + e.point_impulse),
          rotate(orientation, scale(inv_inertia, rotate_back(orientation, moment)))};
}

/// Replaces what an edit sets, then adds its impulses and forces.
/// Does nothing while a buffer must grow: the host sends the edits again, before the step that they precede.
struct ApplyEdit {
  // inputs
  Column<const BodyEdit> edits;
  const Counters* counters;
  // model, state, inputs: the row of the edit is owned by the element
  BodyModel model;
  BodyState state;
  BodyInputs inputs;

  TALUS_HD void operator()(Index edit) const {
    if (counters->must_grow != 0) return;
    const BodyEdit& e = edits[edit];
    const Index row = e.row;
    if (e.bits & BodyEdit::set_all) {
      write_row(model, row, e.model);
      write_row(state, row, e.state);
      inputs.force.set(row, Vec3{0.0f, 0.0f, 0.0f});
      inputs.torque.set(row, Vec3{0.0f, 0.0f, 0.0f});
      inputs.linear_change.set(row, Vec3{0.0f, 0.0f, 0.0f});
      inputs.angular_change.set(row, Vec3{0.0f, 0.0f, 0.0f});
    }
    if (e.bits & BodyEdit::set_model) write_row(model, row, e.model);
    if (e.bits & BodyEdit::set_pose) {
      state.position.set(row, e.state.position);
      state.orientation.set(row, e.state.orientation);
    }
    if (e.bits & BodyEdit::set_velocity) {
      if (Motion(model.motion[row]) == Motion::kinematic) note_change(row, e);
      state.linear_velocity.set(row, e.state.linear_velocity);
      state.angular_velocity.set(row, e.state.angular_velocity);
    }
    if (e.bits & (BodyEdit::set_pose | BodyEdit::set_velocity)) state.frozen[row] = 0;  // a second chance
    if (e.bits & BodyEdit::add_impulse) push(row, e);
    if (e.bits & BodyEdit::add_force) {
      const Vec3 arm = e.force_point - state.position[row];
      inputs.force.set(row, inputs.force[row] + (e.force + e.point_force));
      inputs.torque.set(row, inputs.torque[row] + (e.torque + cross(arm, e.point_force)));
    }
    if ((e.bits & ~std::uint32_t(BodyEdit::sleep | BodyEdit::wake_all)) != 0) state.quiet[row] = 0.0f;
    if ((e.bits & BodyEdit::sleep) != 0) put_to_sleep(row);
  }

  TALUS_HD void note_change(Index row, const BodyEdit& e) const {
    const Vec3 linear = e.state.linear_velocity - state.linear_velocity[row];
    const Vec3 angular = e.state.angular_velocity - state.angular_velocity[row];
    inputs.linear_change.set(row, inputs.linear_change[row] + linear);
    inputs.angular_change.set(row, inputs.angular_change[row] + angular);
  }

  TALUS_HD void put_to_sleep(Index row) const {
    const bool can = model.alive[row] != 0 && Motion(model.motion[row]) == Motion::dynamic && state.frozen[row] == 0 &&
                     state.asleep[row] == 0 && (model.flags[row] & kNeverSleeps) == 0;
    if (!can) return;
    const Vec3 none{0.0f, 0.0f, 0.0f};
    state.linear_velocity.set(row, none);
    state.angular_velocity.set(row, none);
    inputs.force.set(row, none);
    inputs.torque.set(row, none);
    state.asleep[row] = 1;
    state.island[row] = row + 1;
  }

  TALUS_HD void push(Index row, const BodyEdit& e) const {
    const VelocityGain gain =
        gain_of(e, state.position[row], state.orientation[row], model.inv_mass[row], model.inv_inertia[row]);
    state.linear_velocity.set(row, state.linear_velocity[row] + gain.linear);
    state.angular_velocity.set(row, state.angular_velocity[row] + gain.angular);
  }
};

/// Marks the rows whose body is another one from now on. One element is one edit.
struct MarkReplaced {
  Column<const BodyEdit> edits;
  Column<std::uint8_t> replaced;  // out
  std::uint8_t mark;

  TALUS_HD void operator()(Index edit) const {
    if (edits[edit].bits & BodyEdit::set_all) replaced[edits[edit].row] = mark;
  }
};

/// Ends the contacts of replaced bodies, so that a newcomer inherits none. One element is one pair of the last step.
struct EndContact {
  PairList pairs;
  Column<const std::uint8_t> replaced;
  ContactRecords contacts;         // in/out: the pair's own
  Column<std::uint8_t> touching;   // of events, the same; may be empty
  Column<RollingImpulse> rolling;  // the same

  TALUS_HD void operator()(Index pair) const {
    if (replaced[pairs.owner[pair]] == 0 && replaced[pairs.partner[pair]] == 0) return;
    contacts[pair].count = 0.0f;
    if (touching.size > 0) touching[pair] = 0;
    if (rolling.size > 0) rolling[pair] = {{0.0f, 0.0f, 0.0f}, 0.0f};
  }
};

}  // namespace talus::inline TALUS_ISA
