// SPDX-License-Identifier: MIT
// Scratch of the broad phase: what UpdateBounds and find_pairs leave behind and hand to each other.
#pragma once
#include <cstdint>

#include "body_records.h"
#include "columns.h"

namespace talus {

constexpr int kGridLevels = 12;   // each has cells four times as wide as the one below; the last one is a single cell
constexpr int kExtentBins = 128;  // quarters of an octave, from the largest extent down
constexpr int kSweepBins = 64;    // equal parts of the world along the sweep axis
constexpr Index kMaxSamples = 2048;   // bodies that the grid's cell and codes are chosen by
constexpr Index kEntriesPerBody = 4;  // at most: two cells along each of the grid's two axes
constexpr Index kShortList = 8;       // partners that are sorted at once; the list has room to read as many
constexpr Index kSweepWidth = 32;     // entries that a sweep tests at a time; entry columns have room for as many more

/// A shape as a box with rounded edges, and what else decides about pairs. A plane is a point with endless rounding: it
/// is near to everything, and has been tested before. 32 bytes.
struct alignas(32) ShapeRecord {
  Vec3 core;            // [m] half extents of the box
  float rounding;       // [m] radius of the ball that is swept over it
  float radius;         // [m] of the ball about the centre; planes: kUnbounded
  std::uint32_t group;  // Filter
  std::uint32_t mask;
  std::uint32_t moves;  // kPushed, kStirs, kAsleep
};
constexpr std::uint32_t kPushed = 1u;  // dynamic, awake and not frozen: a pair needs one of these
constexpr std::uint32_t kStirs = 2u;   // kinematic and on its way, where bodies sleep: wakes them
constexpr std::uint32_t kMoves = kPushed | kStirs;
constexpr std::uint32_t kAsleep = 4u;

/// Where the grid is and how it is cut, in the backend's memory. All words are zero at the start of find_pairs.
struct GridState {
  // Reductions over all bodies, on unsigned images of floats that keep their order.
  std::uint32_t center_low[3];   // complement of the smallest
  std::uint32_t center_high[3];  // largest
  std::uint32_t largest_extent;  // of any box along any axis
  // Over samples of the bodies.
  Index extent_bins[kExtentBins];  // by the larger extent along the grid's two axes
  Index sweep_bins[kSweepBins];    // by position along the sweep axis
  // Choices.
  std::int32_t sweep_axis, axis_u, axis_v;  // the other two axes carry the grid
  float origin_s, origin_u, origin_v;       // [m]
  float range_s, range_u, range_v;          // [m] of the bodies' centres
  float bins_per_meter;                     // along the sweep axis
  float inv_cell;                           // [1/m] of level 0
  std::int32_t code_bits;                   // low bits of a key: position along the sweep axis
  float code_begin[kSweepBins + 1];         // first code of each bin
  std::int32_t bits_u[kGridLevels];         // the grid wraps around after 2^bits cells; 0: not cut along this axis
  std::int32_t bits_v[kGridLevels];
  Index cell_begin[kGridLevels + 1];  // first cell number of each level
  // What is on each level.
  std::uint32_t sweep_extent[kGridLevels];  // bits of the largest extent along the sweep axis; 0: the level is empty
  std::uint32_t levels;                     // bit l: level l has entries
  Index level_begin[kGridLevels + 1];       // first entry of each level, in sorted order
  Index sweep_runs;                         // entries in runs, see find_pairs
  // Near pairs, before their shapes were looked at.
  Index candidates;
  Index candidate_runs;   // the same in runs
  Index near_candidates;  // the same if they are new and some block of bodies is at rest, else 0
  Index wake_candidates;  // the same if some body sleeps, or islands are looked at after this step, else 0
};
constexpr Index kGridWords = Index(sizeof(GridState) / sizeof(std::uint32_t));

}  // namespace talus

//  type           name         unit  meaning
#define TALUS_BROAD_ROWS(X)                                                                           \
  X(BodyPose, pose, "", "at the start of the step, with its reach")                                   \
  X(Bounds, bounds, "m", "box that holds the body throughout the step")                               \
  X(ShapeRecord, shape, "", "")                                                                       \
  X(std::uint32_t, first_key, "1", "key of the first entry")                                          \
  X(std::uint32_t, step_u, "1", "from it to the key of the next cell along u; 0: it covers one only") \
  X(std::uint32_t, step_v, "1", "same along v")                                                       \
  X(Index, entry_begin, "1", "first entry of the row; before the scan: how many it has")

#define TALUS_BROAD_ENTRIES(X)                                                               \
  X(std::uint32_t, key, "1", "cell, then code of the box's minimum along the sweep axis")    \
  X(std::uint32_t, value, "1", "row and bits of the entry: kernels/grid.h")                  \
  X(std::uint32_t, spare_key, "1", "in sorted order: key that the box's maximum would have") \
  X(std::uint32_t, spare_value, "1", "")                                                     \
  X(float, min_s, "m", "box of the entry's body, in sorted order: along the sweep axis")     \
  X(float, max_s, "m", "")                                                                   \
  X(float, min_u, "m", "and along the two axes of the grid")                                 \
  X(float, max_u, "m", "")                                                                   \
  X(float, min_v, "m", "")                                                                   \
  X(float, max_v, "m", "")

#define TALUS_KEPT_ROWS(X) X(Bounds, bounds, "m", "larger box, for which the candidates were found: see KeepBounds")

#define TALUS_CANDIDATES(X)                                       \
  X(Index, first, "1", "rows whose boxes are near, in any order") \
  X(Index, second, "1", "")

#define TALUS_FOUND_PAIRS(X)                                                \
  X(Index, owner, "1", "rows whose shapes are near, in any order of pairs") \
  X(Index, partner, "1", "")                                                \
  X(Index, place, "1", "in the owner's list, before that is sorted")        \
  X(Index, listed, "1", "partners of owner after owner, each one's in any order")

namespace talus {

TALUS_DEFINE_VIEW(BroadRows, TALUS_BROAD_ROWS)
TALUS_DEFINE_VIEW(BroadEntries, TALUS_BROAD_ENTRIES)
TALUS_DEFINE_VIEW(KeptRows, TALUS_KEPT_ROWS)
TALUS_DEFINE_VIEW(Candidates, TALUS_CANDIDATES)
TALUS_DEFINE_VIEW(FoundPairs, TALUS_FOUND_PAIRS)

struct BroadScratch {
  BroadRows rows;              // capacity: body rows + 1
  BroadEntries entries;        // capacity: entry_capacity + kSweepWidth
  FoundPairs found;            // capacity: pair_capacity + kShortList
  Column<Bounds> kept_bounds;  // of each row; kept from step to step, like the candidates
  Candidates candidates;       // capacity: candidate_capacity, and two blocks for packs that read ahead
  GridState* grid = nullptr;
  Index entry_capacity = 0;
  Index pair_capacity = 0;
  Index candidate_capacity = 0;
  bool operator==(const BroadScratch&) const = default;
};

}  // namespace talus
