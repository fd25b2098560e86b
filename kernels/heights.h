// SPDX-License-Identifier: MIT
// Stack heights and layers (Erleben 2007, section 4; S2-17, S2-18). What does not move has height 0, and what rests on
// height h has h + 1, by the shortest way; layer h is the contacts in which bodies of height h + 1 are the higher ones.
// Breadth-first search, height after height: a round goes over the bodies that the round before has reached and what
// rests on them. Several may reach a body in the same round; they find the same height, so nothing depends on who is
// first, but the order in which bodies of a height are listed.
//
// Departs from the paper in one place: only contacts that bear count. The paper counts all, and a pile between walls
// then hangs from them, sideways: what touches a wall has height 1 and is held by next to nothing. 3,000 bodies in a
// silo sink into each other by 0.8 m, and by 5 mm as it is here.
// Cost: linear in bodies and contacts. A round takes as long as the body with most resting on it, of those that move.
#pragma once
#include "columns.h"
#include "contact_columns.h"
#include "counters.h"
#include "lengths.h"
#include "math/atomic.h"
#include "math/vec3.h"
#include "shock_columns.h"
#include "step_params.h"

namespace talus::inline TALUS_ISA {

constexpr float kTouchReach = 0.02f;  // [1] of the smaller body's radius: what will be nearer at the end of the step
                                      // touches; more joins what is apart, less lets a roof that lands find nothing
                                      // below it for a step

/// Layer of a contact between two heights: the one in which its higher body moves, or both. -1 if both are zero.
TALUS_INLINE Index layer_of(Index height_a, Index height_b) {
  return max_of(height_a, height_b) - 1;
}

/// One element, before all others.
struct BeginHeights {
  Counters* counters;
  BodiesByHeight by_height;
  TALUS_HD void operator()(Index) const {
    counters->heights = 0;
    by_height.begin[1] = by_height.count[1] = by_height.count[2] = 0;
  }
};
/// One element is a body row.
struct ClearHeights {
  BodyModel model;
  BodyState state;
  ShockBodyScratch bodies;  // out
  RestRows rests;           // out

  TALUS_HD void operator()(Index row) const {
    const bool moves = model.inv_mass[row] > 0.0f && state.frozen[row] == 0 && state.asleep[row] == 0;
    bodies.height[row] = moves ? kNoHeight : 0;
    bodies.ground[row] = moves ? 0x7fffffff : row;
    rests.first[row] = kNoRest;
  }
};

/// What rounds of the search have found.
struct HeightSearch {
  ShockBodyScratch bodies;
  BodiesByHeight by_height;
  Counters* counters;

  /// A body rests on `lower`, whose height the rounds before have found. `listed` is where those of its height begin.
  TALUS_HD void reach(Index lower, Index upper, Index height, Index listed) const {
    const Index before = atomic_compare_exchange(&bodies.height[upper], kNoHeight, height);
    if (before != kNoHeight && before != height) return;
    atomic_min(&bodies.ground[upper], bodies.ground[lower]);
    if (before == height) return;
    by_height.row[listed + atomic_add(&by_height.count[height], 1)] = upper;
    atomic_store(&counters->heights, height);
  }
};

/// Who bears whom: what rests on the ground has its height at once, the rest is listed. One element is a contact; it
/// puts itself into the lists of its bodies.
struct FindRests {
  // model and state
  BodyModel model;
  BodyState state;
  // scratch in
  PairList pairs;
  ContactRecords contacts;
  Column<Index> contact_pair;
  const StepParams* params;
  // out
  HeightSearch search;
  RestRows rows;
  RestContacts rests;

  TALUS_HD void operator()(Index contact) const {
    const Index pair = contact_pair[contact], a = pairs.owner[pair], b = pairs.partner[pair];
    const CachedContact& c = contacts[pair];
    float gap = c.point[0].separation;
    for (int i = 1; i < int(c.count); ++i) gap = min_of(gap, c.point[i].separation);
    const float reach = kTouchReach * smaller_radius(model.radius[a], model.radius[b]);
    const bool touches = gap + params->dt * min_of(dot(c.normal, velocity(b) - velocity(a)), 0.0f) < reach;
    if (!touches) return;
    const float lift = -dot(c.normal, params->gravity);
    const float least = params->shock_slope * length(params->gravity);  // without gravity all contacts bear both ways
    if (lift >= least) bear(contact, a, b, rests.next_of_a);
    if (lift <= -least) bear(contact, b, a, rests.next_of_b);
  }

 private:
  TALUS_HD Vec3 velocity(Index body) const {
    if (Motion(model.motion[body]) == Motion::fixed) return {0.0f, 0.0f, 0.0f};
    return state.linear_velocity[body];
  }
  TALUS_HD void bear(Index contact, Index lower, Index upper, const Column<Index>& next) const {
    if (atomic_load(&search.bodies.height[lower]) == 0) {  // since ClearHeights, and for good
      search.reach(lower, upper, 1, 0);
    } else {
      next[contact] = atomic_exchange(&rows.first[lower], contact);
    }
  }
};

/// What rests on the bodies of one height. One element is such a body.
struct ClimbHeights {
  PairList pairs;
  Column<Index> contact_pair;
  RestRows rows;
  RestContacts rests;
  HeightSearch search;  // in/out
  Index height;

  TALUS_HD void operator()(Index i) const {
    const BodiesByHeight& list = search.by_height;
    const Index begin = list.begin[height], listed = begin + list.count[height], lower = list.row[begin + i];
    if (i == 0) {
      list.begin[height + 1] = listed;
      list.count[height + 2] = 0;
    }
    for (Index contact = rows.first[lower]; contact != kNoRest;) {
      const Index a = pairs.owner[contact_pair[contact]], b = pairs.partner[contact_pair[contact]];
      search.reach(lower, a == lower ? b : a, height + 1, listed);
      contact = (a == lower ? rests.next_of_a : rests.next_of_b)[contact];
    }
  }
};

/// One element, after the last round.
struct CountLayers {
  Counters* counters;
  TALUS_HD void operator()(Index) const { counters->layers = max_of(counters->heights, 1); }
};
/// Bodies that rest on nothing are in the last layer. One element is a body row.
struct CloseHeights {
  ShockBodyScratch bodies;   // in/out
  BodiesByHeight by_height;  // in/out
  const Counters* counters;
  TALUS_HD void operator()(Index row) const {
    if (bodies.height[row] != kNoHeight) return;
    const Index last = counters->layers;
    bodies.height[row] = last;
    bodies.ground[row] = row;
    by_height.row[by_height.begin[last] + atomic_add(&by_height.count[last], 1)] = row;
  }
};

/// A kernel over body rows, on those of one height. One element is one of these.
template <class Kernel>
struct OnHeight {
  BodiesByHeight by_height;
  Index height;
  Kernel kernel;
  TALUS_HD void operator()(Index i) const { kernel(by_height.row[by_height.begin[height] + i]); }
};

// ---- contacts by color, then by layer -------------------------------------------------------------------------------

constexpr int kLayerBits = 26;  // of a sort key, between the color and the points

/// Puts the layer into the sort key of a contact, which CloseColors has made. One element is a contact.
struct KeyLayers {
  PairList pairs;
  Column<Index> contact_pair;
  Column<Index> height;
  Column<std::uint32_t> sort_key;  // in/out
  int count_bits;

  TALUS_HD void operator()(Index contact) const {
    const Index pair = contact_pair[contact];
    const Index layer = max_of(layer_of(height[pairs.owner[pair]], height[pairs.partner[pair]]), 0);
    const std::uint32_t key = sort_key[contact], color = key >> count_bits, points = key & ((1u << count_bits) - 1u);
    sort_key[contact] = (color << kLayerBits | std::uint32_t(layer)) << count_bits | points;
  }
};

/// One element is a layer.
struct ClearLayers {
  LayerLanes layers;  // out
  TALUS_HD void operator()(Index layer) const {
    for (int color = 0; color < kColorCount; ++color) {
      layers.begin[layers.at(color, layer)] = layers.end[layers.at(color, layer)] = 0;
    }
    layers.split_bodies[layer] = 0;
  }
};
/// The first and the last contact of a layer within a color say where its lanes are. One element is a sorted contact.
struct FindLayers {
  Column<std::uint32_t> sort_key;
  const Counters* counters;
  BodiesByHeight by_height;
  LayerLanes layers;  // out
  int count_bits;

  TALUS_HD void operator()(Index i) const {
    const std::uint32_t key = sort_key[i] >> count_bits;
    const bool first = i == 0 || sort_key[i - 1] >> count_bits != key;
    const bool last = i + 1 == counters->contacts || sort_key[i + 1] >> count_bits != key;
    if (!first && !last) return;
    const int color = int(key >> kLayerBits);
    Index before = 0;  // contacts of earlier colors
    for (int c = 0; c < color; ++c) before += counters->color_size[c];
    const Index lane = counters->color_begin[color] + (i - before), block = lane / kLanes * kLanes;
    const Index layer = Index(key & ((1u << kLayerBits) - 1u)), at = layers.at(color, layer);
    if (first) layers.begin[at] = block;
    if (first && color == kOverflowColor) layers.split_bodies[layer] = by_height.count[layer + 1];
    if (last) layers.end[at] = block + kLanes;
  }
};

}  // namespace talus::inline TALUS_ISA
