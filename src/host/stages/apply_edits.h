// SPDX-License-Identifier: MIT
// Stage apply_edits: what the host queued goes into the tables of bodies, before the next step or read.
#pragma once
#include "apply_edit.h"
#include "exec.h"
#include "sleep.h"
#include "step_views.h"
#include "update_islands.h"

namespace talus {

/// Queued edits, in the backend's memory. No row comes twice.
struct EditViews {
  Column<const BodyEdit> edits;
  bool sleep = false;             // bodies may sleep
  float wake_rim = 0.0f;          // [1] WakeDisturbed::rim; with sleep
  bool ends_contacts = false;     // some have BodyEdit::set_all: the bodies of those rows keep no contact
  Index last_pair_count = 0;      // of StepViews::last; with ends_contacts
  Column<std::uint8_t> replaced;  // a mark for each row, all 0 before and after; with ends_contacts
};

}  // namespace talus

namespace talus::inline TALUS_ISA {

/// What wakes by the edits, before they go in.
struct WakeEditedTask {
  Column<const BodyEdit> edits;
  float rim;
  TaskViews v;

  template <class Team>
  TALUS_HD void operator()(Team& team) const {
    const WakeMarks marks{v.state, v.sleep.rows.wake, v.counters};
    const Count one{nullptr, 1};
    team.for_each("note_edits", {nullptr, edits.size},
                  NoteEdits{edits, v.model, marks, v.sleep.blocks, v.sleep.disturbed});
    team.for_each("begin_disturbed", one, BeginDisturbed{v.counters, v.shape.rows});
    team.for_each("wake_disturbed", {&v.counters->disturbed_rows, v.shape.rows},
                  WakeDisturbed{v.model, marks, v.sleep.disturbed, rim});
    team.for_each("end_disturbed", one, EndDisturbed{v.counters});
    wake_marked(team, v);
  }
};

template <class Exec>
void apply_edits(Exec& exec, const EditViews& e, const StepViews& v) {
  exec.begin_stage(Stage::apply_commands);
  const Count edits{nullptr, e.edits.size};
  if (e.sleep) exec.together("wake_edited", WakeEditedTask{e.edits, e.wake_rim, v});
  exec.for_each("apply_edit", edits, ApplyEdit{e.edits, v.counters, v.model, v.state, v.inputs});
  if (e.ends_contacts && e.last_pair_count > 0) {
    exec.for_each("mark_replaced", edits, MarkReplaced{e.edits, e.replaced, 1});
    exec.for_each(
        "end_contact", Count{nullptr, e.last_pair_count},
        EndContact{
            v.last.pairs, {e.replaced.data, e.replaced.size}, v.last.contacts, v.events.last.touching, v.last.rolling});
    exec.for_each("unmark_replaced", edits, MarkReplaced{e.edits, e.replaced, 0});
  }
}

}  // namespace talus::inline TALUS_ISA
