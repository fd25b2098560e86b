// SPDX-License-Identifier: MIT
// Stage color_contacts: contacts, body graph -> colors, and contacts in the order of colors.
#pragma once
#include "color.h"
#include "exec.h"
#include "step_views.h"

namespace talus {

template <class Exec>
void color_contacts(Exec& exec, const StepViews& v) {
  exec.begin_stage(Stage::color_contacts);
  const SolveContactScratch& s = v.solve.contacts;
  const Count rows{&v.counters->rows, v.shape.rows};
  const Count contacts{&v.counters->contacts, v.solve.contact_capacity};
  const ColorGraph graph{v.next.pairs, v.model.inv_mass, v.solve.rows.color_mask, v.solve.rows.bids, s.pair, s.color};
  exec.for_each("ClearColors", rows, ClearColors{v.solve.rows});
  if (!v.shape.jacobi) {
    exec.for_each("KeepColors", contacts, KeepColors{graph});
    for (std::uint32_t round = 0; round < kColorRounds; ++round) {
      exec.for_each("BidForColor", contacts, BidForColor{graph, round});
      exec.for_each("TakeColor", contacts, TakeColor{graph, round});
      exec.for_each("MarkColors", contacts, MarkColors{graph});
    }
  }
  exec.for_each("CloseColors", contacts,
                CloseColors{graph, v.solve.rows.split_count, v.next.contacts, s.sort_key, s.sort_contact});
  exec.sort_by_key("sort contacts by color", {s.sort_key, s.sort_contact, s.spare_key, s.spare_contact}, contacts, 4);
  exec.for_each("FindColorBegins", contacts, FindColorBegins{s.sort_key, v.counters});
  exec.for_each("ShapeLanes", {nullptr, 1}, ShapeLanes{v.counters});
}

}  // namespace talus
