// SPDX-License-Identifier: MIT
// Stage 2: which bodies are near each other. Multi-level gridded sort-and-sweep: kernels/grid.h, kernels/sweep.h.
#pragma once
#include "bounds.h"
#include "exec.h"
#include "growth.h"
#include "sleep.h"
#include "step_views.h"
#include "sweep.h"
#include "update_bounds.h"

namespace talus::inline TALUS_ISA {

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

/// If candidates are due: the boxes to find them for, the grid, and how many entries each row has in it.
struct ChooseGridTask {
  TaskViews v;

  template <class Team>
  TALUS_HD void operator()(Team& team) const {
    const BroadRows& rows = v.broad.rows;
    GridState* grid = v.broad.grid;
    const Index row_count = v.shape.rows;
    const Count one{nullptr, 1};
    team.for_each("begin_search", one, BeginSearch{v.counters});
    const LaneRange search{&v.counters->first_lane, &v.counters->search_lanes, rows.bounds.size,
                           &v.counters->search_row_ends};
    if (v.shape.sleep) {
      team.for_each_lane("update_resting", search,
                         OffBlocks<UpdateBounds>{v.sleep.blocks.listed.data, update_bounds_of(v)});
      team.for_each("forget_near", Count{&v.counters->search_blocks, (row_count + kLanes) / kLanes},
                    ForgetNear{v.sleep.blocks.near});
    }
    team.for_each_lane("keep_bounds", search,
                       KeepBounds{v.model, v.state.linear_velocity, rows.bounds, rows.pose, v.broad.kept_bounds,
                                  v.params, v.counters});
    constexpr Index run = Lanes<Team>::kRun;
    const Index longer = row_count + 1 > kGridWords ? row_count + 1 : kGridWords;
    team.for_each("clear_broad", Count{nullptr, (longer + run - 1) / run},
                  ClearBroad<run>{reinterpret_cast<std::uint32_t*>(grid), rows.entry_begin, v.next.pairs.begin,
                                  v.counters, row_count});
    team.for_each("measure_world", Count{nullptr, (row_count + kRun - 1) / kRun},
                  MeasureWorld{v.broad.kept_bounds, v.counters, grid});
    team.for_each("choose_axes", one, ChooseAxes{grid});
    const Index samples = row_count < kMaxSamples ? row_count : kMaxSamples;
    team.for_each("sample_bodies", Count{nullptr, samples},
                  SampleBodies{v.broad.kept_bounds, v.counters, grid, samples});
    team.for_each("choose_cells", one, ChooseCells{v.counters, grid});
    team.for_each("count_entries", Count{&v.counters->search_rows, row_count},
                  CountEntries{v.broad.kept_bounds, grid, rows.first_key, rows.step_u, rows.step_v, rows.entry_begin});
  }
};

/// Entries of each row, if there is room for them.
struct EmitEntriesTask {
  TaskViews v;

  template <class Team>
  TALUS_HD void operator()(Team& team) const {
    const BroadRows& rows = v.broad.rows;
    team.for_each("check_entries", Count{nullptr, 1},
                  CheckGrowth{v.counters, rows.entry_begin.data + v.shape.rows, &v.counters->entries,
                              v.broad.entry_capacity, Growth::entries});
    team.for_each("emit_entries", Count{&v.counters->search_rows, v.shape.rows},
                  EmitEntries{rows.shape, rows.first_key, rows.step_u, rows.step_v, rows.entry_begin,
                              v.broad.entries.key, v.broad.entries.value});
  }
};

/// Candidates, which are pairs of kept boxes that overlap, then pairs of shapes that are near; both in any order.
struct TestPairsTask {
  TaskViews v;
  Index pair_capacity;

  template <class Team>
  TALUS_HD void operator()(Team& team) const {
    using Real = typename Lanes<Team>::Real;
    constexpr Index run = Lanes<Team>::kRun;
    const BroadRows& rows = v.broad.rows;
    const BroadEntries& entries = v.broad.entries;
    const Candidates& candidates = v.broad.candidates;
    GridState* grid = v.broad.grid;
    Counters* counters = v.counters;
    const Count one{nullptr, 1};
    const CandidateSink sink{candidates, v.broad.candidate_capacity, &grid->candidates};

    team.for_each("gather_entries", Count{&counters->entries, v.broad.entry_capacity},
                  GatherEntries{v.broad.kept_bounds, grid, entries});
    team.for_each("find_levels", Count{nullptr, kSweepWidth}, FindLevels{entries.key, counters, grid, run});
    team.for_each("sweep_entries", Count{&grid->sweep_runs, (v.broad.entry_capacity + run - 1) / run},
                  SweepEntries<run>{v.broad.kept_bounds, entries, grid, counters, sink});
    team.for_each("keep_candidates", one, KeepCandidates{counters, grid});
    if (v.shape.plane_count > 0) {
      team.for_each("meet_planes", body_rows(v),
                    on_bodies(v, MeetPlanes{rows.pose, rows.shape, v.model, v.state.angular_velocity, v.planes,
                                            v.shape.plane_count, v.params, sink}));
    }
    team.for_each("check_candidates", one,
                  CheckCandidates{{counters, &grid->candidates, &grid->candidates, sink.capacity, Growth::candidates},
                                  grid,
                                  run,
                                  v.shape.sleep});
    if (v.shape.sleep) look_for_sleepers(team);
    team.for_each("test_candidates", Count{&grid->candidate_runs, (sink.capacity + run - 1) / run},
                  TestCandidates<Real, run>{rows.pose, rows.bounds, rows.shape, v.ignored_pairs, candidates, grid,
                                            v.broad.found, v.next.pairs.begin, counters, pair_capacity});
    team.for_each("check_pairs", one,
                  CheckGrowth{counters, &counters->pairs, &counters->pairs, pair_capacity, Growth::pairs});
  }

  /// Lists the blocks of new candidates, and marks what wakes at the end of the step.
  template <class Team>
  TALUS_INLINE void look_for_sleepers(Team& team) const {
    const BroadRows& rows = v.broad.rows;
    team.for_each("mark_near", Count{&v.broad.grid->near_candidates, v.broad.candidate_capacity},
                  MarkNear{v.broad.candidates, v.sleep.blocks.near});
    team.for_each("list_near", Count{&v.counters->search_blocks, (v.shape.rows + kLanes) / kLanes},
                  ListNear{v.sleep.blocks, v.counters});
    team.for_each("wake_neighbors", Count{&v.broad.grid->wake_candidates, v.broad.candidate_capacity},
                  WakeNeighbors{rows.pose,
                                rows.bounds,
                                rows.shape,
                                v.ignored_pairs,
                                v.broad.candidates,
                                {v.state, v.sleep.rows.wake, v.counters},
                                v.params});
  }
};

/// The same pairs by owner and partner.
struct SortPairsTask {
  TaskViews v;
  Index pair_capacity;

  template <class Team>
  TALUS_HD void operator()(Team& team) const {
    team.for_each("place_pairs", Count{&v.counters->pairs, pair_capacity},
                  PlacePairs{v.broad.found, v.next.pairs.begin, v.counters});
    team.for_each("sort_partners", body_rows(v), on_bodies(v, SortPartners{v.broad.found.listed, v.next.pairs}));
  }
};

/// Fills v.next.pairs with all pairs of near bodies, each once, sorted by owner and partner.
/// Candidates are found for boxes somewhat larger than needed and serve until a body leaves its own: while nothing gets
/// far, a step only tests them. A search costs one radix sort of at most four 32-bit keys a body (2.1 in a pile) and
/// about 40 box tests a body in a pile.
/// Worst case: all boxes overlap, and so do all pairs.
template <class Exec>
void find_pairs(Exec& exec, const StepViews& v) {
  exec.begin_stage(Stage::find_pairs);
  const BroadEntries& entries = v.broad.entries;
  const Count rows_and_end{&v.counters->row_ends, v.shape.rows + 1};
  const Index pair_capacity =
      v.broad.pair_capacity < v.next.pairs.partner.size ? v.broad.pair_capacity : v.next.pairs.partner.size;

  exec.together("choose_grid", ChooseGridTask{v});
  exec.exclusive_scan("scan_entries", v.broad.rows.entry_begin, Count{&v.counters->search_row_ends, v.shape.rows + 1});
  exec.together("emit_entries", EmitEntriesTask{v});
  exec.sort_by_key("sort_entries", SortColumns{entries.key, entries.value, entries.spare_key, entries.spare_value},
                   Count{&v.counters->entries, v.broad.entry_capacity}, 32);
  exec.together("test_pairs", TestPairsTask{v, pair_capacity});
  exec.exclusive_scan("scan_pairs", v.next.pairs.begin, rows_and_end);
  exec.together("sort_pairs", SortPairsTask{v, pair_capacity});
}

}  // namespace talus::inline TALUS_ISA
