// SPDX-License-Identifier: MIT
// Scratch of shock propagation: stack heights, and where the contacts of each layer lie among the solver's rows.
#pragma once
#include "columns.h"
#include "solve_columns.h"

//  type              name        unit   meaning
#define TALUS_SHOCK_BODY_SCRATCH(X)                                                               \
  X(Index, height, "1", "contacts down to what does not move, by the shortest way; kNoHeight")    \
  X(Index, ground, "1", "lowest row of those that such a way ends at; its own, if there is none") \
  X(BodyVelocity, held, "", "while it carries the next layer; inv_mass: the height")

#define TALUS_SHOCK_CONTACT_SCRATCH(X) X(std::uint32_t, supports, "1", "kASupportsB, kBSupportsA")

namespace talus {

TALUS_DEFINE_VIEW(ShockBodyScratch, TALUS_SHOCK_BODY_SCRATCH)
TALUS_DEFINE_VIEW(ShockContactScratch, TALUS_SHOCK_CONTACT_SCRATCH)

constexpr Index kNoHeight = -1;

/// Lanes of a layer within a color, in whole blocks: the first and the last may hold lanes of other layers, too.
struct LayerLanes {
  Column<Index> begin, end;  // of layer l and color c: c * layer_capacity + l
  Index layer_capacity = 0;
  bool operator==(const LayerLanes&) const = default;

  TALUS_INLINE Index at(int color, Index layer) const { return Index(color) * layer_capacity + layer; }
};

/// Empty, unless the world propagates shocks.
struct ShockScratch {
  ShockBodyScratch bodies;  // capacity: body rows + 1
  ShockContactScratch contacts;
  LayerLanes layers;
  bool operator==(const ShockScratch&) const = default;
};

}  // namespace talus
