// SPDX-License-Identifier: MIT
// Stage 2: which bodies are near each other. Multi-level gridded sort-and-sweep: kernels/grid.h, kernels/sweep.h.
#pragma once
#include "exec.h"
#include "growth.h"
#include "step_views.h"
#include "sweep.h"

namespace talus {

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
  const Count one{nullptr, 1}, each_row{&counters->rows, row_count}, rows_and_end{nullptr, row_count + 1};

  // The grid.
  const Index clear_count = row_count + 1 > kGridWords ? row_count + 1 : kGridWords;
  exec.for_each("clear_broad", Count{nullptr, clear_count},
                ClearBroad{reinterpret_cast<std::uint32_t*>(grid), rows.entry_begin, v.next.pairs.begin, row_count});
  exec.for_each("measure_world", Count{nullptr, (row_count + kRun - 1) / kRun},
                MeasureWorld{rows.bounds, counters, grid});
  exec.for_each("choose_axes", one, ChooseAxes{grid});
  const Index samples = row_count < kMaxSamples ? row_count : kMaxSamples;
  exec.for_each("sample_bodies", Count{nullptr, samples}, SampleBodies{rows.bounds, counters, grid, samples});
  exec.for_each("choose_cells", one, ChooseCells{counters, grid});

  // Entries, sorted by cell and minimum.
  exec.for_each("count_entries", each_row, CountEntries{rows.bounds, grid, rows.entry_begin});
  exec.exclusive_scan("scan_entries", rows.entry_begin, rows_and_end);
  exec.for_each("check_entries", one,
                CheckGrowth{counters, rows.entry_begin.data + row_count, &counters->entries, v.broad.entry_capacity,
                            Growth::entries});
  exec.for_each("emit_entries", each_row,
                EmitEntries{rows.bounds, rows.shape, grid, rows.entry_begin, entries.key, entries.value});
  const Count each_entry{&counters->entries, v.broad.entry_capacity};
  exec.sort_by_key("sort_entries", SortColumns{entries.key, entries.value, entries.spare_key, entries.spare_value},
                   each_entry, 32);
  exec.for_each("gather_entries", each_entry, GatherEntries{rows.bounds, rows.shape, grid, entries});
  exec.for_each("find_levels", Count{nullptr, kGridLevels + 1}, FindLevels{entries.key, counters, grid});

  // Candidates, in any order: bodies that are near planes, then pairs of boxes that overlap.
  const Candidates& candidates = v.broad.candidates;
  const Index pair_capacity =
      v.broad.pair_capacity < v.next.pairs.partner.size ? v.broad.pair_capacity : v.next.pairs.partner.size;
  const Index candidate_capacity = kCandidatesPerPair * pair_capacity;
  if (v.shape.plane_count > 0) {
    exec.for_each("meet_planes", each_row,
                  MeetPlanes{rows.pose, rows.shape, v.model, v.state.angular_velocity, v.planes, v.shape.plane_count,
                             v.ignored_pairs, v.params, v.next.pairs.begin, candidates, candidate_capacity, grid});
  }
  exec.for_each("sweep_entries", each_entry,
                SweepEntries{rows.bounds, entries, v.ignored_pairs, counters, candidates, candidate_capacity, grid});
  exec.for_each(
      "check_candidates", one,
      CheckCandidates{
          {counters, &grid->candidates, &grid->candidates, pair_capacity, Growth::pairs, kCandidatesPerPair}, grid});

  // Pairs: candidates that are near as shapes, by owner and partner.
  exec.for_each_lane("test_candidates", LaneRange{&counters->first_lane, &grid->candidate_lanes, candidates.owner.size},
                     TestCandidates{rows.pose, rows.shape, grid, v.next.pairs.begin, candidates});
  exec.exclusive_scan("scan_pairs", v.next.pairs.begin, rows_and_end);
  exec.for_each(
      "check_pairs", one,
      CheckGrowth{counters, v.next.pairs.begin.data + row_count, &counters->pairs, pair_capacity, Growth::pairs});
  exec.for_each("place_pairs", Count{&grid->candidates, candidate_capacity},
                PlacePairs{candidates, counters, v.next.pairs});
  exec.for_each("sort_partners", each_row, SortPartners{v.next.pairs});
}

}  // namespace talus
