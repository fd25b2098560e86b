// SPDX-License-Identifier: MIT
// Pairs. The owner of a pair, A, is the smaller body, by bounding radius and then by row: many bodies may touch one
// large one, but few larger ones fit around a small one, so an owner's list of partners stays short. Radii are
// constant, hence a pair has the same owner, and its contact the same place in the order, from step to step.
#pragma once
#include <talus/types.h>

#include "columns.h"

namespace talus {

/// Partners of each owner, in ascending order: those of row a are partner[begin[a] .. begin[a + 1]).
struct PairList {
  Column<Index> begin;    // rows + 1
  Column<Index> owner;    // of each pair
  Column<Index> partner;  // of each pair
  bool operator==(const PairList&) const = default;
};

}  // namespace talus

namespace talus::inline TALUS_ISA {

/// True if row x owns its pair with row y. Planes never own.
TALUS_INLINE bool owns_pair(const BodyModel& model, Index x, Index y) {
  const bool plane_x = model.shape[x] == std::uint8_t(ShapeType::plane);
  const bool plane_y = model.shape[y] == std::uint8_t(ShapeType::plane);
  if (plane_x != plane_y) return plane_y;
  const float rx = model.radius[x], ry = model.radius[y];
  return rx < ry || (rx == ry && x < y);
}

}  // namespace talus::inline TALUS_ISA
