// SPDX-License-Identifier: MIT
// Owner of the scratch in kernels/solve_columns.h.
#pragma once
#include "solve_columns.h"
#include "table.h"

namespace talus {

struct SolveTables {
  Table<SolveRowScratch> rows;
  Table<SolvePairScratch> pairs;
  Table<SolveContactScratch> contacts;
  BlockTable<row::kFields> lanes;

  /// Body kernels work on whole blocks of rows.
  void resize_rows(Memory& memory, Index count) {
    TALUS_ASSERT(count % kLanes == 0);
    rows.resize(memory, count, 0, "solver rows of bodies");
  }
  void resize_pairs(Memory& memory, Index count) {
    pairs.resize(memory, (count + kLanes) / kLanes * kLanes, 0, "solver scratch of pairs");
  }
  void resize_contacts(Memory& memory, Index count) {
    lanes.reset(memory, count + kColorCount * kLanes, "solver rows");
    contacts.resize(memory, count, 0, "solver scratch of contacts");  // last: its capacity is what a step is held to
  }
  SolveScratch view() const { return {rows.view(), pairs.view(), contacts.view(), lanes.view(), contacts.capacity()}; }
  std::size_t bytes() const { return rows.bytes() + pairs.bytes() + contacts.bytes() + lanes.bytes(); }
};

}  // namespace talus
