// SPDX-License-Identifier: MIT
// Tables of sleep and islands, beside the State columns `quiet`, `island` and `asleep`. All but `wake` and `near` are
// derived in each step.
#pragma once
#include <cstdint>

#include "body_records.h"
#include "columns.h"
#include "lane_blocks.h"

//  type           name         unit  meaning
#define TALUS_SLEEP_ROWS(X)                                                                                     \
  X(Index, parent, "1", "union-find: a lower row of the same island; its own row: it is the lowest")            \
  X(std::uint32_t, mood, "1", "kRestless, kHeld, kIslandRestless")                                              \
  X(std::uint32_t, change, "1", "kFellAsleep, kWokeUp: since the last events were told; kept with events only") \
  X(std::uint32_t, wake, "1",                                                                                   \
    "kWake, kWakeFresh for the island that has this row as its label; kExpects; zero between steps")

#define TALUS_SLEEP_BLOCKS(X)                                              \
  X(Index, active, "1", "the listed blocks of 32 body rows, in any order") \
  X(std::uint32_t, listed, "1", "1: the block is in the list")             \
  X(std::uint32_t, near, "1", "kNearAwake, kTouched: why a block is listed in which nothing is awake")

namespace talus {

constexpr Index kBoxesPerEdit = 2;  // where a body was, and where it gets

TALUS_DEFINE_VIEW(SleepRows, TALUS_SLEEP_ROWS)
TALUS_DEFINE_VIEW(SleepBlocks, TALUS_SLEEP_BLOCKS)

/// Empty where bodies do not sleep.
struct SleepViews {
  SleepRows rows;            // capacity as the tables of bodies
  SleepBlocks blocks;        // a row for each block of body rows
  Column<Bounds> disturbed;  // boxes around which edits wake what sleeps; room for kBoxesPerEdit of all edits
  bool operator==(const SleepViews&) const = default;
};

}  // namespace talus

namespace talus::inline TALUS_ISA {

/// A kernel over body rows, on the listed blocks only; on all rows where there is no list.
template <class Kernel>
struct OnBlocks {
  const Index* blocks;  // SleepBlocks::active, or null
  Index rows;           // body rows
  Kernel kernel;

  TALUS_INLINE Index row_of(Index lane) const {
    return blocks == nullptr ? lane : blocks[lane / kLanes] * kLanes + lane % kLanes;
  }
  /// Lanes: with the rows after the last body.
  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    kernel.template solve<Real>(row_of(lane));
  }
  /// Elements: without them.
  TALUS_INLINE void operator()(Index lane) const {
    const Index row = row_of(lane);
    if (row < rows) kernel(row);
  }
};

}  // namespace talus::inline TALUS_ISA
