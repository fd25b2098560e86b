// SPDX-License-Identifier: MIT
// Stage 2: which bodies are near each other. Multi-level gridded sort-and-sweep: kernels/grid.h, kernels/sweep.h.
#pragma once
#include "exec.h"
#include "growth.h"
#include "step_views.h"
#include "sweep.h"

namespace talus {

/// How an executor likes kernels whose elements meet at a shared counter: with `kRun` elements in one, in packs `Real`.
/// One by one, unless it says otherwise.
template <class Exec>
struct Lanes {
  using Real = float;
  static constexpr Index kRun = 1;
};
template <class Exec>
requires requires {
  Exec::kRun;
}
struct Lanes<Exec> {
  using Real = typename Exec::Lane;
  static constexpr Index kRun = Exec::kRun;
};

/// Fills v.next.pairs with all pairs of near bodies, each once, sorted by owner and partner.
/// Cost: one radix sort of at most four 32-bit keys a body (2.1 in a pile), about 40 box tests a body in a pile.
/// Worst case: all boxes overlap, and so do all pairs.
template <class Exec>
void find_pairs(Exec& exec, const StepViews& v) {
  exec.begin_stage(Stage::find_pairs);
  const BroadRows& rows = v.broad.rows;
  const BroadEntries& entries = v.broad.entries;
  GridState* grid = v.broad.grid;
  Counters* counters = v.counters;
  const Index row_count = v.shape.rows;
  constexpr Index run = Lanes<Exec>::kRun;
  const Count one{nullptr, 1}, each_row{&counters->rows, row_count}, rows_and_end{&counters->row_ends, row_count + 1};

  // The grid.
  const Index clear_count = row_count + 1 > kGridWords ? row_count + 1 : kGridWords;
  exec.for_each(
      "clear_broad", Count{nullptr, clear_count},
      ClearBroad{reinterpret_cast<std::uint32_t*>(grid), rows.entry_begin, v.next.pairs.begin, counters, row_count});
  exec.for_each("measure_world", Count{nullptr, (row_count + kRun - 1) / kRun},
                MeasureWorld{rows.bounds, counters, grid});
  exec.for_each("choose_axes", one, ChooseAxes{grid});
  const Index samples = row_count < kMaxSamples ? row_count : kMaxSamples;
  exec.for_each("sample_bodies", Count{nullptr, samples}, SampleBodies{rows.bounds, counters, grid, samples});
  exec.for_each("choose_cells", one, ChooseCells{counters, grid});

  // Entries, sorted by cell and minimum.
  exec.for_each("count_entries", each_row,
                CountEntries{rows.bounds, grid, rows.first_key, rows.step_u, rows.step_v, rows.entry_begin});
  exec.exclusive_scan("scan_entries", rows.entry_begin, rows_and_end);
  exec.for_each("check_entries", one,
                CheckGrowth{counters, rows.entry_begin.data + row_count, &counters->entries, v.broad.entry_capacity,
                            Growth::entries});
  exec.for_each(
      "emit_entries", each_row,
      EmitEntries{rows.shape, rows.first_key, rows.step_u, rows.step_v, rows.entry_begin, entries.key, entries.value});
  const Count each_entry{&counters->entries, v.broad.entry_capacity};
  exec.sort_by_key("sort_entries", SortColumns{entries.key, entries.value, entries.spare_key, entries.spare_value},
                   each_entry, 32);
  exec.for_each("gather_entries", each_entry, GatherEntries{rows.bounds, grid, entries});
  exec.for_each("find_levels", Count{nullptr, kSweepWidth}, FindLevels{entries.key, counters, grid, run});

  // Candidates: pairs of boxes that overlap, in any order.
  const Index pair_capacity =
      v.broad.pair_capacity < v.next.pairs.partner.size ? v.broad.pair_capacity : v.next.pairs.partner.size;
  const Candidates& candidates = v.broad.candidates;
  const CandidateSink sink{candidates, kCandidatesPerPair * pair_capacity, &grid->candidates};
  if (v.shape.plane_count > 0) {
    exec.for_each("meet_planes", each_row,
                  MeetPlanes{rows.pose, rows.shape, v.model, v.state.angular_velocity, v.planes, v.shape.plane_count,
                             v.params, sink});
  }
  exec.for_each("sweep_entries", Count{&grid->sweep_runs, (v.broad.entry_capacity + run - 1) / run},
                SweepEntries<run>{rows.bounds, entries, grid, counters, sink});
  exec.for_each("check_candidates", one,
                CheckCandidates{
                    {counters, &grid->candidates, &grid->candidates, pair_capacity, Growth::pairs, kCandidatesPerPair},
                    grid,
                    run});

  // Pairs: shapes that are near, in any order.
  using Real = typename Lanes<Exec>::Real;
  exec.for_each("test_candidates", Count{&grid->candidate_runs, (sink.capacity + run - 1) / run},
                TestCandidates<Real, run>{rows.pose, rows.shape, v.ignored_pairs, candidates, grid, v.broad.found,
                                          v.next.pairs.begin, counters, pair_capacity});
  exec.for_each("check_pairs", one,
                CheckGrowth{counters, &counters->pairs, &counters->pairs, pair_capacity, Growth::pairs});

  // The same by owner and partner.
  exec.exclusive_scan("scan_pairs", v.next.pairs.begin, rows_and_end);
  exec.for_each("place_pairs", Count{&counters->pairs, pair_capacity}, PlacePairs{v.broad.found, v.next.pairs.begin});
  exec.for_each("sort_partners", each_row, SortPartners{v.broad.found.listed, v.next.pairs});
}

}  // namespace talus
