// SPDX-License-Identifier: MIT
// Stack heights and layers (Erleben 2007, section 4; S2-17, S2-18). What does not move has height 0, and what rests on
// height h has h + 1, by the shortest way; layer h is the contacts between the two. Breadth-first search in rounds over
// all contacts: several may store the same height, so nothing depends on who is first.
//
// Departs from the paper in one place: only contacts that bear count. The paper counts all, and a pile between walls
// then hangs from them, sideways: what touches a wall has height 1 and is held by next to nothing. 3,000 bodies in a
// silo sink into each other by 0.8 m, and by 5 mm as it is here.
// Cost: a round for each layer over all contacts.
#pragma once
#include "columns.h"
#include "contact_columns.h"
#include "counters.h"
#include "math/atomic.h"
#include "math/vec3.h"
#include "shock_columns.h"
#include "step_params.h"

namespace talus::inline TALUS_ISA {

constexpr std::uint32_t kASupportsB = 1, kBSupportsA = 2;
constexpr float kTouchReach = 0.01f;  // [m] what will be nearer at the end of the step touches; more joins what is
                                      // apart, less lets a roof that lands find nothing below it for a step

/// Layer of a contact between two heights, -1 if both are zero. Between equal ones it belongs to the layer in which
/// both bodies move.
TALUS_INLINE Index layer_of(Index height_a, Index height_b) {
  return height_a == height_b ? height_a - 1 : min_of(height_a, height_b);
}

/// Which of its two bodies a contact bears. One element is a contact.
struct NoteSupports {
  // model and state
  BodyModel model;
  BodyState state;
  // scratch in
  PairList pairs;
  ContactRecords contacts;
  Column<Index> contact_pair;
  const StepParams* params;
  // out
  Column<std::uint32_t> supports;

  TALUS_HD void operator()(Index contact) const {
    const Index pair = contact_pair[contact];
    const CachedContact& c = contacts[pair];
    const Vec3 between = velocity(pairs.partner[pair]) - velocity(pairs.owner[pair]);
    float gap = c.point[0].separation;
    for (int i = 1; i < int(c.count); ++i) gap = min_of(gap, c.point[i].separation);
    const bool touches = gap + params->dt * min_of(dot(c.normal, between), 0.0f) < kTouchReach;
    const float lift = -dot(c.normal, params->gravity);
    const float least = params->shock_slope * length(params->gravity);  // without gravity all contacts bear both ways
    supports[contact] = !touches ? 0u : (lift >= least ? kASupportsB : 0u) | (lift <= -least ? kBSupportsA : 0u);
  }

 private:
  TALUS_HD Vec3 velocity(Index body) const {
    if (Motion(model.motion[body]) == Motion::fixed) return {0.0f, 0.0f, 0.0f};
    return state.linear_velocity[body];
  }
};

/// One element, before the first round.
struct BeginHeights {
  Counters* counters;
  TALUS_HD void operator()(Index) const { counters->height_rounds = 1; }
};
/// One element is a body row.
struct ClearHeights {
  BodyModel model;
  BodyState state;
  ShockBodyScratch bodies;  // out

  TALUS_HD void operator()(Index row) const {
    const bool moves = model.inv_mass[row] > 0.0f && state.frozen[row] == 0 && state.asleep[row] == 0;
    bodies.height[row] = moves ? kNoHeight : 0;
    bodies.ground[row] = moves ? 0x7fffffff : row;
  }
};

/// What rests on the bodies of one height. One element is a contact; it writes the height that every writer of the
/// round would, and asks for another round if it wrote any.
struct ClimbHeights {
  PairList pairs;
  Column<Index> contact_pair;
  Column<std::uint32_t> supports;
  ShockBodyScratch bodies;  // in/out
  Counters* counters;
  Index round;

  TALUS_HD void operator()(Index contact) const {
    const std::uint32_t ways = supports[contact];
    const Index a = pairs.owner[contact_pair[contact]], b = pairs.partner[contact_pair[contact]];
    if ((ways & kASupportsB) != 0) climb(a, b);
    if ((ways & kBSupportsA) != 0) climb(b, a);
  }

 private:
  TALUS_HD void climb(Index lower, Index upper) const {
    if (atomic_load(&bodies.height[lower]) != round) return;
    const Index now = atomic_load(&bodies.height[upper]);
    if (now != kNoHeight && now != round + 1) return;
    atomic_store(&bodies.height[upper], round + 1);
    atomic_min(&bodies.ground[upper], bodies.ground[lower]);  // of a height that earlier rounds have finished
    atomic_store(&counters->height_rounds, round + 2);
  }
};

/// Bodies that rest on nothing are in the last layer. One element is a body row.
struct CloseHeights {
  ShockBodyScratch bodies;  // in/out
  const Counters* counters;
  TALUS_HD void operator()(Index row) const {
    if (bodies.height[row] != kNoHeight) return;
    bodies.height[row] = max_of(counters->height_rounds - 1, 1);
    bodies.ground[row] = row;
  }
};
/// One element.
struct CountLayers {
  Counters* counters;
  TALUS_HD void operator()(Index) const { counters->layers = max_of(counters->height_rounds - 1, 1); }
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
  }
};
/// The first and the last contact of a layer within a color say where its lanes are. One element is a sorted contact.
struct FindLayers {
  Column<std::uint32_t> sort_key;
  const Counters* counters;
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
    const Index at = layers.at(color, Index(key & ((1u << kLayerBits) - 1u)));
    if (first) layers.begin[at] = block;
    if (last) layers.end[at] = block + kLanes;
  }
};

}  // namespace talus::inline TALUS_ISA
