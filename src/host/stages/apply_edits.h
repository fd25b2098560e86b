// SPDX-License-Identifier: MIT
// Stage apply_edits: what the host queued goes into the tables of bodies, before the next step or read.
#pragma once
#include "apply_edit.h"
#include "exec.h"
#include "step_views.h"

namespace talus {

/// Queued edits, in the backend's memory. No row comes twice.
struct EditViews {
  Column<const BodyEdit> edits;
  bool ends_contacts = false;     // some have BodyEdit::set_all: the bodies of those rows keep no contact
  Index last_pair_count = 0;      // of StepViews::last; with ends_contacts
  Column<std::uint8_t> replaced;  // a mark for each row, all 0 before and after; with ends_contacts
};

template <class Exec>
void apply_edits(Exec& exec, const EditViews& e, const StepViews& v) {
  exec.begin_stage(Stage::apply_commands);
  const Count edits{nullptr, e.edits.size};
  exec.for_each("apply_edit", edits, ApplyEdit{e.edits, v.counters, v.model, v.state, v.inputs});
  if (e.ends_contacts && e.last_pair_count > 0) {
    exec.for_each("mark_replaced", edits, MarkReplaced{e.edits, e.replaced, 1});
    exec.for_each("end_contact", Count{nullptr, e.last_pair_count},
                  EndContact{v.last.pairs, {e.replaced.data, e.replaced.size}, v.last.contacts});
    exec.for_each("unmark_replaced", edits, MarkReplaced{e.edits, e.replaced, 0});
  }
}

}  // namespace talus
