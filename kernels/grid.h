// SPDX-License-Identifier: MIT
// The grid of the broad phase. Two axes of the world are cut into square cells, on several levels with cells four times
// as wide from one to the next; along the third one, the sweep axis, boxes are sorted within each cell. A body goes to
// the lowest level on which it covers at most two cells along each axis, so it has at most four entries, whatever the
// scene. Follows methods: parallel engine, 2.2, which see for what was compared; departs from it in three places:
//  - The grid wraps around: cell numbers are taken modulo a power of two, so the size of the world does not matter to
//    the size of a cell. A body far away, or a line along the diagonal, costs some aliasing instead of coarse cells.
//  - Codes along the sweep axis are dense where bodies are (a histogram of 64 bins), so a body far away takes none.
//  - The sweep axis is the one along which the centres of bodies range furthest; with the above, their variance (one
//    more pass) was of no further use.
#pragma once
#include <bit>

#include "broad_columns.h"
#include "counters.h"
#include "lane_blocks.h"
#include "math/atomic.h"
#include "math/vec3.h"

namespace talus::inline TALUS_ISA {

constexpr Index kRun = 32;                // rows that one element reduces before it touches shared words
constexpr float kFar = 1e18f;             // [m] beyond this all places are one
constexpr float kMaxCell = 268435456.0f;  // 2^28: cells on either side of the origin
constexpr float kCellPerExtent = 2.5f;  // cell of level 0 over the median extent of boxes; 2 and 3 are slower in piles
constexpr float kCodesPerExtent = 16.0f;  // codes along the median extent, where there are bits for it
constexpr int kMaxLevelBits = 22;         // cells of one level: 2^bits at most
constexpr int kMaxCodeBits = 23;          // codes are exact floats

// Bits of an entry's value.
constexpr std::uint32_t kEntryRow = (1u << 28) - 1u;
constexpr int kEntryOffsetShift = 28;  // bit 0: second cell along u, bit 1: second cell along v
constexpr std::uint32_t kEntryOffset = 3u << kEntryOffsetShift;
constexpr std::uint32_t kEntryMoves = 1u << 31;  // dynamic and not frozen

/// Unsigned image of a float that keeps its order.
TALUS_INLINE std::uint32_t ordered_bits(float x) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x + 0.0f);
  return (bits >> 31) != 0 ? ~bits : bits | 0x80000000u;
}
TALUS_INLINE float ordered_float(std::uint32_t image) {
  return std::bit_cast<float>((image >> 31) != 0 ? image & 0x7fffffffu : ~image);
}
/// Centre of a box along an axis.
TALUS_INLINE float center_of(const Bounds& b, int axis) {
  return clamp_to(0.5f * component(b.min, axis) + 0.5f * component(b.max, axis), -kFar, kFar);
}
TALUS_INLINE float extent_of(const Bounds& b, int axis) {
  return clamp_to(component(b.max, axis) - component(b.min, axis), 0.0f, kFar);
}
/// Smallest b with 2^b >= x, at most 30.
TALUS_INLINE int bits_for(float x) {
  int bits = 0;
  for (float power = 1.0f; power < x && bits < 30; power *= 2.0f) ++bits;
  return bits;
}
/// Spreads numbers, so that samples hit no pattern of the rows.
TALUS_INLINE std::uint32_t scramble(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

// ---- choosing the grid ---------------------------------------------------------------------------------------------

/// Whether the candidates found for the kept boxes still serve. One element.
struct BeginSearch {
  Counters* counters;

  TALUS_HD void operator()(Index) const {
    Counters& c = *counters;
    if (c.must_grow != 0 || (c.kept_rows == c.rows && c.left_bounds == 0)) return;
    c.search_rows = c.rows;
    c.search_lanes = c.row_lanes;
    c.search_row_ends = c.row_ends;
    c.search_blocks = c.block_runs > 0 ? c.row_lanes / kLanes : 0;
    c.kept_rows = 0;
  }
};

/// Zeroes the grid's words and the counts of rows. Elements: the longer of the two, in runs.
template <Index kRunLength>
struct ClearBroad {
  std::uint32_t* grid;
  Column<Index> entry_begin;  // rows + 1
  Column<Index> pair_begin;   // rows + 1; a step that must not happen leaves it, since the step to be redone reads it
  const Counters* counters;
  Index rows;

  TALUS_HD void operator()(Index run) const {
    const Index begin = run * kRunLength, end = begin + kRunLength;
    for (Index i = begin; i < min_of(end, kGridWords); ++i) grid[i] = 0;
    for (Index i = begin; i < min_of(end, rows + 1); ++i) entry_begin[i] = 0;
    for (Index i = begin; i < min_of(end, counters->row_ends); ++i) pair_begin[i] = 0;
  }
};

/// Where the bodies are and the largest of them. One element is a run of rows.
struct MeasureWorld {
  Column<Bounds> bounds;
  const Counters* counters;
  GridState* grid;

  TALUS_HD void operator()(Index run) const {
    Vec3 low{kFar, kFar, kFar}, high{-kFar, -kFar, -kFar};
    float largest = -1.0f;
    const Index end = min_of((run + 1) * kRun, counters->search_rows);
    for (Index row = run * kRun; row < end; ++row) {
      const Bounds& b = bounds[row];
      if (b.listed == 0.0f) continue;
      const Vec3 center = 0.5f * b.min + 0.5f * b.max, extent = b.max - b.min;
      low = min_of(low, center);
      high = max_of(high, center);
      largest = max_of(largest, max_of(extent.x, max_of(extent.y, extent.z)));
    }
    if (largest < 0.0f) return;
    for (int axis = 0; axis < 3; ++axis) {
      atomic_max(&grid->center_low[axis], ~ordered_bits(clamp_to(component(low, axis), -kFar, kFar)));
      atomic_max(&grid->center_high[axis], ordered_bits(clamp_to(component(high, axis), -kFar, kFar)));
    }
    atomic_max(&grid->largest_extent, std::bit_cast<std::uint32_t>(min_of(largest, kFar)));
  }
};

/// Sweep axis: along which the centres range furthest. One element.
struct ChooseAxes {
  GridState* grid;

  TALUS_HD void operator()(Index) const {
    GridState& g = *grid;
    if (g.center_high[0] == 0) return;  // no body: all stays zero
    float low[3], range[3];
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = ordered_float(~g.center_low[axis]);
      range[axis] = ordered_float(g.center_high[axis]) - low[axis];
    }
    const int s = range[1] > range[0] ? (range[2] > range[1] ? 2 : 1) : (range[2] > range[0] ? 2 : 0);
    const int u = s == 0 ? 1 : 0, v = s == 2 ? 1 : 2;
    g.sweep_axis = s;
    g.axis_u = u;
    g.axis_v = v;
    g.origin_s = low[s];
    g.origin_u = low[u];
    g.origin_v = low[v];
    g.range_s = range[s];
    g.range_u = range[u];
    g.range_v = range[v];
    g.bins_per_meter = float(kSweepBins) / max_of(range[s], 1e-6f);
  }
};

/// Histograms of extents and positions over at most kMaxSamples rows. Integer sums: any order gives the same.
struct SampleBodies {
  Column<Bounds> bounds;
  const Counters* counters;
  GridState* grid;
  Index samples;

  TALUS_HD void operator()(Index sample) const {
    const Index rows = counters->search_rows;
    if (rows == 0) return;
    const std::int64_t first = std::int64_t(sample) * rows / samples;
    const std::int64_t last = std::int64_t(sample + 1) * rows / samples;
    const Index row = Index(first + scramble(std::uint32_t(sample)) % std::uint32_t(max_of(Index(last - first), 1)));
    const Bounds& b = bounds[row];
    if (b.listed == 0.0f) return;
    const float extent = max_of(extent_of(b, grid->axis_u), extent_of(b, grid->axis_v));
    const std::uint32_t below = (grid->largest_extent - std::bit_cast<std::uint32_t>(extent)) >> 21;
    const float place = (center_of(b, grid->sweep_axis) - grid->origin_s) * grid->bins_per_meter;
    atomic_add(&grid->extent_bins[min_of(int(below), kExtentBins - 1)], 1);
    atomic_add(&grid->sweep_bins[int(clamp_to(place, 0.0f, float(kSweepBins - 1)))], 1);
  }
};

/// Cells of all levels, and codes. One element.
struct ChooseCells {
  const Counters* counters;
  GridState* grid;

  TALUS_HD void operator()(Index) const {
    GridState& g = *grid;
    if (g.center_high[0] == 0) return;
    Index samples = 0;
    for (int bin = 0; bin < kExtentBins; ++bin) samples += g.extent_bins[bin];
    Index seen = 0;
    int median_bin = 0;
    while (median_bin < kExtentBins - 1) {
      seen += g.extent_bins[median_bin];
      if (2 * seen >= samples) break;
      ++median_bin;
    }
    const float median = max_of(edge_of(median_bin), 1e-12f);
    const float cell = kCellPerExtent * median;
    g.inv_cell = 1.0f / cell;
    choose_levels(cell, float(counters->search_rows) / float(max_of(samples, 1)));
    choose_codes(median, samples);
  }

  /// Upper edge of a bin of extents.
  TALUS_HD float edge_of(int bin) const {
    const std::uint32_t below = std::uint32_t(bin) << 21;
    return grid->largest_extent > below ? std::bit_cast<float>(grid->largest_extent - below) : 0.0f;
  }

  TALUS_HD void choose_levels(float cell, float bodies_per_sample) const {
    GridState& g = *grid;
    Index cells = 0;
    int bin = kExtentBins - 1;  // the smallest bodies
    for (int level = 0; level < kGridLevels; ++level) {
      Index sampled = 1;  // what no sample hit may still be there
      for (; bin >= 0 && (edge_of(bin) <= cell || level == kGridLevels - 1); --bin) sampled += g.extent_bins[bin];
      const int budget = clamp_bits(bits_for(2.0f * bodies_per_sample * float(sampled)), 4, kMaxLevelBits);
      int u = wanted_bits(g.range_u / cell), v = wanted_bits(g.range_v / cell);
      while (u + v > budget && (u > 2 || v > 2)) {
        if (u >= v) {
          --u;
        } else {
          --v;
        }
      }
      const bool last = level == kGridLevels - 1;
      g.bits_u[level] = last ? 0 : u;
      g.bits_v[level] = last ? 0 : v;
      g.cell_begin[level] = cells;
      cells += Index(1) << (g.bits_u[level] + g.bits_v[level]);
      cell *= 4.0f;
    }
    g.cell_begin[kGridLevels] = cells;
  }

  /// Four cells at least, so that cells next to each other, and next to those, differ when wrapped; none below two.
  TALUS_HD static int wanted_bits(float cells) { return cells < 2.0f ? 0 : clamp_bits(bits_for(cells + 1.0f), 2, 30); }
  TALUS_HD static int clamp_bits(int bits, int low, int high) { return max_of(low, min_of(bits, high)); }

  /// Half of the codes are spread evenly over the world, half over the bodies. Keys use whole digits of the sort.
  TALUS_HD void choose_codes(float median, Index samples) const {
    GridState& g = *grid;
    const int cell_bits = bits_for(float(g.cell_begin[kGridLevels] + 1));  // the last number stays unused
    const int wanted = clamp_bits(bits_for(kCodesPerExtent * g.range_s / median), 4, kMaxCodeBits);
    const int key_bits = min_of((cell_bits + wanted + 7) / 8 * 8, 32);
    g.code_bits = min_of(key_bits - cell_bits, kMaxCodeBits);
    const float codes = float(1u << g.code_bits);
    Index seen = 0;
    for (int bin = 0; bin <= kSweepBins; ++bin) {
      const float even = float(bin) / float(kSweepBins), dense = float(seen) / float(max_of(samples, 1));
      g.code_begin[bin] = float(Index(codes * (0.5f * (even + dense))));
      if (bin < kSweepBins) seen += g.sweep_bins[bin];
    }
  }
};

// ---- placing bodies in it ------------------------------------------------------------------------------------------

/// Cell of level 0 along one axis; a monotone function of x. On level l it is this shifted right by 2 l.
TALUS_INLINE std::int32_t cell_index(float x, float origin, float inv_cell) {
  const float t = clamp_to((x - origin) * inv_cell, -kMaxCell, kMaxCell);
  const std::int32_t i = std::int32_t(t);
  return i - (float(i) > t ? 1 : 0);
}

/// Code of a place along the sweep axis; a monotone function of x, so that no overlap is lost by coding.
TALUS_INLINE std::uint32_t sweep_code(const GridState& g, float x) {
  const float t = clamp_to((x - g.origin_s) * g.bins_per_meter, 0.0f, float(kSweepBins) - 1e-5f);
  const int bin = int(t);
  const float begin = g.code_begin[bin], width = g.code_begin[bin + 1] - begin;
  const float code = begin + (t - float(bin)) * width;
  return std::uint32_t(min_of(code, float((1u << g.code_bits) - 1u)));
}

/// Cells that a box covers, on the lowest level where it covers at most two along each axis.
struct Placement {
  std::int32_t low_u, high_u, low_v, high_v;  // level 0
  int level;
  int span_u, span_v;  // 0 or 1: covers a second cell on its level
};

TALUS_INLINE int span_on(std::int32_t low, std::int32_t high, int bits, int level) {
  return bits == 0 ? 0 : (high >> (2 * level)) - (low >> (2 * level));
}

TALUS_INLINE Placement place_box(const GridState& g, const Bounds& b) {
  Placement p;
  p.low_u = cell_index(component(b.min, g.axis_u), g.origin_u, g.inv_cell);
  p.high_u = cell_index(component(b.max, g.axis_u), g.origin_u, g.inv_cell);
  p.low_v = cell_index(component(b.min, g.axis_v), g.origin_v, g.inv_cell);
  p.high_v = cell_index(component(b.max, g.axis_v), g.origin_v, g.inv_cell);
  p.level = 0;
  for (;; ++p.level) {
    p.span_u = span_on(p.low_u, p.high_u, g.bits_u[p.level], p.level);
    p.span_v = span_on(p.low_v, p.high_v, g.bits_v[p.level], p.level);
    if ((p.span_u <= 1 && p.span_v <= 1) || p.level == kGridLevels - 1) return p;
  }
}

/// Number of a cell over all levels; u and v count cells of that level.
TALUS_INLINE std::uint32_t cell_number(const GridState& g, int level, std::int32_t u, std::int32_t v) {
  const std::uint32_t wrapped_u = std::uint32_t(u) & ((1u << g.bits_u[level]) - 1u);
  const std::uint32_t wrapped_v = std::uint32_t(v) & ((1u << g.bits_v[level]) - 1u);
  return std::uint32_t(g.cell_begin[level]) + (wrapped_u << g.bits_v[level] | wrapped_v);
}

/// How many entries each row has, with which keys, and what is on each level.
struct CountEntries {
  Column<Bounds> bounds;
  GridState* grid;
  // out: one row an element
  Column<std::uint32_t> first_key;
  Column<std::uint32_t> step_u;
  Column<std::uint32_t> step_v;
  Column<Index> entry_begin;

  TALUS_HD void operator()(Index row) const {
    const Bounds& b = bounds[row];
    if (b.listed == 0.0f) return;
    const GridState& g = *grid;
    const Placement p = place_box(g, b);
    const std::int32_t u = p.low_u >> (2 * p.level), v = p.low_v >> (2 * p.level);
    const std::uint32_t cell = cell_number(g, p.level, u, v);
    const std::uint32_t next_u = cell_number(g, p.level, u + p.span_u, v),
                        next_v = cell_number(g, p.level, u, v + p.span_v);
    first_key[row] = cell << g.code_bits | sweep_code(g, component(b.min, g.sweep_axis));
    step_u[row] = (next_u - cell) << g.code_bits;
    step_v[row] = (next_v - cell) << g.code_bits;
    entry_begin[row] = (p.span_u + 1) * (p.span_v + 1);
    // Slightly more than the extent, since the difference may have been rounded down.
    const float extent = max_of(1.000001f * extent_of(b, g.sweep_axis), 1e-30f);
    atomic_max(&grid->sweep_extent[p.level], std::bit_cast<std::uint32_t>(extent));
  }
};

/// Entries of each row, in row order.
struct EmitEntries {
  Column<ShapeRecord> shape;
  Column<std::uint32_t> first_key;
  Column<std::uint32_t> step_u;
  Column<std::uint32_t> step_v;
  Column<Index> entry_begin;
  // out: elements entry_begin[row] .. entry_begin[row + 1]
  Column<std::uint32_t> key;
  Column<std::uint32_t> value;

  TALUS_HD void operator()(Index row) const {
    const Index first = entry_begin[row], end = entry_begin[row + 1];
    if (end == first) return;
    TALUS_ASSERT(std::uint32_t(row) <= kEntryRow && end - first <= kEntriesPerBody);
    const std::uint32_t body = std::uint32_t(row) | ((shape[row].moves & kMoves) != 0 ? kEntryMoves : 0u);
    const std::uint32_t first_cell = first_key[row], u = step_u[row], v = step_v[row];
    // All four are written, those that are not there over the first: cheaper than branches that nobody could predict.
    const Index after_u = u != 0 ? 1 : 0, after_v = v != 0 ? after_u + 1 : 0;
    put(first + (u != 0 && v != 0 ? 3 : 0), first_cell + u + v, body | 3u << kEntryOffsetShift);
    put(first + after_v, first_cell + v, body | 2u << kEntryOffsetShift);
    put(first + after_u, first_cell + u, body | 1u << kEntryOffsetShift);
    put(first, first_cell, body);
  }
  TALUS_INLINE void put(Index entry, std::uint32_t entry_key, std::uint32_t entry_value) const {
    key[entry] = entry_key;
    value[entry] = entry_value;
  }
};
static_assert(kEntriesPerBody == 4);

}  // namespace talus::inline TALUS_ISA
