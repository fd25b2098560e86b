// SPDX-License-Identifier: MIT
// Scratch of stop_fast_bodies.
#pragma once
#include "columns.h"

namespace talus {

/// Bodies that met, and go on together.
struct Company {
  Vec3 way;    // [m] the mean of their shifts in a whole step, by mass
  float part;  // of the step: from then on. 1: of a body that met nobody
  Vec3 gain;   // [m/s] the same mean of what forces give them in a step
  float mass;  // [kg]; 0: a kinematic body drives them
};

}  // namespace talus

//  type           name      unit  meaning
#define TALUS_GUARD_ROWS(X)                                                                                           \
  X(Index, fast, "1", "a list: rows of bodies that may pass through the thinnest one of the world, in any order")     \
  X(Index, beyond, "1", "a list: those that went further than their pairs were found for")                            \
  X(std::uint32_t, is_fast, "1", "1: it is in the list")                                                              \
  X(std::uint32_t, squeezed, "1", "1: it is deep inside others that move")                                            \
  X(std::uint32_t, jointed, "1", "1: it has joints")                                                                  \
  X(Index, parent, "1", "union-find of bodies with joints between them, see islands.h: these stop together")          \
  X(std::uint64_t, slide, "",                                                                                         \
    "by how much it must slide along a wall, bits of a float >= 0, and below them its row, all inverted")             \
  X(Index, stop, "1", "part of the step that the body moves for, as the round found it: bits of a float 0..1")        \
  X(Index, next_stop, "1", "as it leaves it")                                                                         \
  X(std::uint64_t, meets, "", "whom of its company meets first: the round, when, the same bits, and the row")         \
  X(Index, lead, "1", "a row of its company, which has the stop of all and says more; the row itself, then it leads") \
  X(std::uint64_t, driven, "", "from when, the same bits, and below them the row of who drives it before itself")     \
  X(Company, company, "", "of a row that leads")                                                                      \
  X(std::uint64_t, carry, "", "from when, the same bits, and below them the row of who carries it then")

#define TALUS_GUARD_PAIRS(X)                                                                             \
  X(Index, a, "1", "a list: rows of the owners of pairs that may pass through each other, in any order") \
  X(Index, b, "1", "of their partners")

namespace talus {

TALUS_DEFINE_VIEW(GuardRows, TALUS_GUARD_ROWS)
TALUS_DEFINE_VIEW(GuardPairs, TALUS_GUARD_PAIRS)

constexpr Index kMostMet = 4096;  // such pairs that the broad phase did not find

struct GuardScratch {
  GuardRows rows;
  GuardPairs fast;
  bool operator==(const GuardScratch&) const = default;
};

}  // namespace talus
