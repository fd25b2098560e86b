// SPDX-License-Identifier: MIT
// Owner of the scratch in kernels/broad_columns.h.
#pragma once
#include <string>

#include <talus/status.h>

#include "broad_columns.h"
#include "lane_blocks.h"
#include "table.h"

namespace talus {

struct BroadTables {
  Table<BroadRows> rows;
  Table<BroadEntries> entries;
  Table<Candidates> candidates;
  Table<FoundPairs> found;
  Array<std::uint32_t> grid;
  Index entry_capacity = 0;
  Index pair_capacity = 0;

  void resize_rows(Memory& memory, Index count) {
    rows.resize(memory, count + 1, 0, "broad phase rows of bodies");
    if (grid.size() == 0) grid.reset(memory, kGridWords, "grid of the broad phase");
  }
  /// Twice the number of bodies is enough for most scenes, kEntriesPerBody times for all.
  void resize_entries(Memory& memory, Index count) {
    entries.resize(memory, count + kSweepWidth, 0, "entries of the broad phase");
    entry_capacity = count;
  }
  void resize_pairs(Memory& memory, Index count) {
    if (count > INT32_MAX / kCandidatesPerPair - 2 * kLanes) throw Error("too many pairs: " + std::to_string(count));
    candidates.resize(memory, kCandidatesPerPair * count + 2 * kLanes, 0, "near boxes");
    found.resize(memory, count + kShortList, 0, "near pairs");
    pair_capacity = count;
  }
  BroadScratch view() const {
    return {rows.view(),
            entries.view(),
            candidates.view(),
            found.view(),
            reinterpret_cast<GridState*>(grid.column().data),
            entry_capacity,
            pair_capacity};
  }
  std::size_t bytes() const {
    return rows.bytes() + entries.bytes() + candidates.bytes() + found.bytes() + grid.bytes();
  }
};

}  // namespace talus
