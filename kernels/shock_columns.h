// SPDX-License-Identifier: MIT
// Scratch of shock propagation: stack heights, bodies in their order, and where the contacts of each layer lie among
// the solver's rows.
#pragma once
#include "columns.h"
#include "solve_columns.h"

//  type              name        unit   meaning
#define TALUS_SHOCK_BODY_SCRATCH(X)                                                               \
  X(Index, height, "1", "contacts down to what does not move, by the shortest way; kNoHeight")    \
  X(Index, ground, "1", "lowest row of those that such a way ends at; its own, if there is none") \
  X(BodyVelocity, held, "", "while it carries the next layer; inv_mass: the height")

// What rests on a body, as a list of contacts: in any order, of which nothing depends.
#define TALUS_REST_ROWS(X) X(Index, first, "1", "contact in which the body bears another one; kNoRest")
#define TALUS_REST_CONTACTS(X)                                      \
  X(Index, next_of_a, "1", "of those in which A bears, if it does") \
  X(Index, next_of_b, "1", "of those in which B bears, if it does")

namespace talus {

TALUS_DEFINE_VIEW(ShockBodyScratch, TALUS_SHOCK_BODY_SCRATCH)
TALUS_DEFINE_VIEW(RestRows, TALUS_REST_ROWS)
TALUS_DEFINE_VIEW(RestContacts, TALUS_REST_CONTACTS)

constexpr Index kNoHeight = -1, kNoRest = -1;

/// Bodies that move, height after height from 1 on; those of a height in any order, of which nothing depends.
struct BodiesByHeight {
  Column<Index> row;
  Column<Index> begin, count;  // of height h: where its bodies are in `row`
  bool operator==(const BodiesByHeight&) const = default;
};

/// Lanes of a layer within a color, in whole blocks: the first and the last may hold lanes of other layers, too.
struct LayerLanes {
  Column<Index> begin, end;    // of layer l and color c: c * layer_capacity + l
  Column<Index> split_bodies;  // of layer l: bodies that move in it, if the overflow color has contacts of it; else 0
  Index layer_capacity = 0;
  bool operator==(const LayerLanes&) const = default;

  TALUS_INLINE Index at(int color, Index layer) const { return Index(color) * layer_capacity + layer; }
};

/// Empty, unless the world propagates shocks.
struct ShockScratch {
  ShockBodyScratch bodies;  // capacity: body rows + 1
  BodiesByHeight by_height;
  LayerLanes layers;
  RestRows rest_rows;  // capacity: body rows + 1
  RestContacts rest_contacts;
  bool operator==(const ShockScratch&) const = default;
};

}  // namespace talus
