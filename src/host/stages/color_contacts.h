// SPDX-License-Identifier: MIT
// Stage color_contacts: contacts, body graph -> colors, and contacts in the order of colors.
#pragma once
#include "color.h"
#include "exec.h"
#include "step_views.h"

namespace talus::inline TALUS_ISA {

/// Colors of all contacts and the keys to sort them by, by all members of a team (exec.h).
struct ColorContactsTask {
  StepViews v;

  template <class Team>
  TALUS_HD void operator()(Team& team) const {
    const SolveContactScratch& s = v.solve.contacts;
    const Count contacts{&v.counters->contacts, v.solve.contact_capacity};
    const ColorGraph graph{v.next.pairs,
                           v.model.inv_mass,
                           v.solve.rows.color_mask,
                           v.solve.color_rows.bids,
                           s.pair,
                           v.solve.color_contacts.color};
    team.for_each("ClearColors", body_rows(v), on_bodies(v, ClearColors{v.solve.rows, v.solve.color_rows.bids}));
    if (!v.shape.jacobi) {
      team.for_each("KeepColors", contacts, KeepColors{graph});
      for (std::uint32_t round = 0; round < kColorRounds; ++round) {
        team.for_each("BidForColor", contacts, BidForColor{graph, round});
        team.for_each("TakeColor", contacts, TakeColor{graph, round});
        team.for_each("MarkColors", contacts, MarkColors{graph});
      }
    }
    team.for_each(
        "CloseColors", contacts,
        CloseColors{graph, v.solve.rows.split_count, v.next.contacts, v.solve.color_contacts.sort_key, s.sort_contact});
  }
};

/// Where each color begins among the sorted contacts, and in lanes.
struct ShapeLanesTask {
  StepViews v;

  template <class Team>
  TALUS_HD void operator()(Team& team) const {
    team.for_each("FindColorBegins", {&v.counters->contacts, v.solve.contact_capacity},
                  FindColorBegins{v.solve.color_contacts.sort_key, v.counters});
    team.for_each("ShapeLanes", {nullptr, 1}, ShapeLanes{v.counters});
  }
};

template <class Exec>
void color_contacts(Exec& exec, const StepViews& v) {
  exec.begin_stage(Stage::color_contacts);
  const ColorContactScratch& s = v.solve.color_contacts;
  exec.together("color_contacts", ColorContactsTask{v});
  exec.sort_by_key("sort contacts by color", {s.sort_key, v.solve.contacts.sort_contact, s.spare_key, s.spare_contact},
                   {&v.counters->contacts, v.solve.contact_capacity}, kSortKeyBits);
  exec.together("shape_lanes", ShapeLanesTask{v});
}

}  // namespace talus::inline TALUS_ISA
