// SPDX-License-Identifier: MIT
// Stage color_contacts: contacts, body graph -> colors, and contacts in the order of colors.
#pragma once
#include "color.h"
#include "exec.h"
#include "heights.h"
#include "step_views.h"

namespace talus::inline TALUS_ISA {

/// Colors of all contacts and the keys to sort them by, by all members of a team (exec.h).
struct ColorContactsTask {
  TaskViews v;

  template <class Team>
  TALUS_HD void operator()(Team& team) const {
    const SolveContactScratch& s = v.solve.contacts;
    const Count contacts{&v.counters->contacts, v.solve.contact_capacity};
    const ColorGraph graph{v.next.pairs,
                           v.model.inv_mass,
                           v.solve.rows.color_mask,
                           v.solve.color_rows.bids,
                           s.pair,
                           v.solve.color_contacts.color,
                           v.solve.color_contacts.spare_contact,  // before the sort that it is for
                           v.counters};
    const Count open{&v.counters->open_contacts, v.solve.contact_capacity};
    team.for_each("ClearColors", body_rows(v), on_bodies(v, ClearColors{v.solve.rows, v.solve.color_rows.bids}));
    if (!v.shape.jacobi) {
      team.for_each("KeepColors", contacts, KeepColors{graph});
      for (std::uint32_t round = 0; round < kColorRounds; ++round) {
        team.for_each("BidForColor", open, BidForColor{graph, round});
        team.for_each("TakeColor", open, TakeColor{graph, round});
        team.for_each("MarkColors", open, MarkColors{graph});
      }
    }
    team.for_each(
        "CloseColors", contacts,
        CloseColors{graph, v.solve.rows.split_count, v.next.contacts, v.solve.color_contacts.sort_key, s.sort_contact});
  }
};

/// Stack heights, and the layers that contacts belong to, by all members of a team.
struct FindLayersTask {
  TaskViews v;

  template <class Team>
  TALUS_HD void operator()(Team& team) const {
    const ShockScratch& shock = v.shock;
    const Column<Index>& pair = v.solve.contacts.pair;
    const Count contacts{&v.counters->contacts, v.solve.contact_capacity};
    const HeightSearch search{shock.bodies, shock.by_height, v.counters};
    team.for_each("BeginHeights", {nullptr, 1}, BeginHeights{v.counters, shock.by_height});
    team.for_each("ClearHeights", body_rows(v),
                  on_bodies(v, ClearHeights{v.model, v.state, shock.bodies, shock.rest_rows}));
    team.for_each("FindRests", contacts,
                  FindRests{v.model, v.state, v.next.pairs, v.next.contacts, pair, v.params, search, shock.rest_rows,
                            shock.rest_contacts});
    team.repeat(&v.counters->heights, [&](Index below) {
      const Index height = below + 1;
      team.for_each("ClimbHeights", {&shock.by_height.count.data[height], v.shape.rows},
                    ClimbHeights{v.next.pairs, pair, shock.rest_rows, shock.rest_contacts, search, height});
    });
    team.for_each("CountLayers", {nullptr, 1}, CountLayers{v.counters});
    team.for_each("CloseHeights", body_rows(v), on_bodies(v, CloseHeights{shock.bodies, shock.by_height, v.counters}));
    team.for_each("KeyLayers", contacts,
                  KeyLayers{v.next.pairs, pair, shock.bodies.height, v.solve.color_contacts.sort_key, kCountBits});
  }
};

/// Where each color begins among the sorted contacts, and in lanes.
struct ShapeLanesTask {
  TaskViews v;

  template <class Team>
  TALUS_HD void operator()(Team& team) const {
    const Count contacts{&v.counters->contacts, v.solve.contact_capacity};
    const Column<std::uint32_t>& key = v.solve.color_contacts.sort_key;
    const LayerLanes& layers = v.shock.layers;
    team.for_each("FindColorBegins", contacts,
                  FindColorBegins{key, v.counters, v.shape.shock.on ? kLayerBits + kCountBits : kCountBits});
    team.for_each("ShapeLanes", {nullptr, 1}, ShapeLanes{v.counters});
    if (!v.shape.shock.on) return;
    team.for_each("ClearLayers", {&v.counters->layers, layers.layer_capacity}, ClearLayers{layers});
    team.for_each("FindLayers", contacts, FindLayers{key, v.counters, v.shock.by_height, layers, kCountBits});
  }
};

template <class Exec>
void color_contacts(Exec& exec, const StepViews& v) {
  exec.begin_stage(Stage::color_contacts);
  const ColorContactScratch& s = v.solve.color_contacts;
  exec.together("color_contacts", ColorContactsTask{v});
  if (v.shape.shock.on) exec.together("find_layers", FindLayersTask{v});
  exec.sort_by_key("sort contacts by color", {s.sort_key, v.solve.contacts.sort_contact, s.spare_key, s.spare_contact},
                   {&v.counters->contacts, v.solve.contact_capacity},
                   v.shape.shock.on ? kSortKeyBits + kLayerBits : kSortKeyBits);
  exec.together("shape_lanes", ShapeLanesTask{v});
}

}  // namespace talus::inline TALUS_ISA
