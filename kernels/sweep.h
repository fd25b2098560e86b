// SPDX-License-Identifier: MIT
// The sweep of the broad phase, over entries sorted by cell and by the minimum of their box along the sweep axis: each
// entry looks at those behind it until they begin after its own end. One integer comparison ends both the interval and
// the cell. A pair that shares several cells is taken where one of the two has its first cell, along both axes: in
// exactly one place, so nothing needs to be made unique. Pairs come in any order and are sorted by owner and partner.
#pragma once
#include "counters.h"
#include "grid.h"
#include "growth.h"
#include "islands.h"
#include "lanes.h"
#include "math/atomic.h"
#include "math/bits.h"
#include "math/prefetch.h"
#include "pairs.h"
#include "step_params.h"

namespace talus::inline TALUS_ISA {

constexpr float kPairRoundOff = 2e-6f;  // [1] of distance and size; what is nearer than this to the limit stays a pair

/// Components along the sweep axis and the grid's axes u and v, as ChooseAxes numbers them.
TALUS_INLINE Vec3 in_sweep_order(Vec3 v, int sweep_axis) {
  return {component(v, sweep_axis), sweep_axis == 0 ? v.y : v.x, sweep_axis == 2 ? v.y : v.z};
}

/// Boxes in sorted order, so that the sweep reads memory front to back.
struct GatherEntries {
  Column<Bounds> bounds;
  const GridState* grid;
  BroadEntries entries;  // key, value: in; boxes and, in spare_key, end of the box: out, one entry an element

  TALUS_HD void operator()(Index entry) const {
    const Index row = Index(entries.value[entry] & kEntryRow);
    const Bounds& b = bounds[row];
    const Vec3 low = in_sweep_order(b.min, grid->sweep_axis), high = in_sweep_order(b.max, grid->sweep_axis);
    entries.min_s[entry] = low.x;
    entries.max_s[entry] = high.x;
    entries.min_u[entry] = low.y;
    entries.max_u[entry] = high.y;
    entries.min_v[entry] = low.z;
    entries.max_v[entry] = high.z;
    const int bits = grid->code_bits;
    entries.spare_key[entry] = entries.key[entry] >> bits << bits | sweep_code(*grid, high.x);
  }
};

/// First of the sorted keys in [begin, end) that is not below `key`.
TALUS_INLINE Index first_not_below(Column<std::uint32_t> keys, Index begin, Index end, std::uint32_t key) {
  while (begin < end) {
    const Index middle = begin + (end - begin) / 2;
    if (keys[middle] < key) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

/// Where the entries of each level begin, and keys behind the last entry that end every scan. Elements: kSweepWidth.
struct FindLevels {
  Column<std::uint32_t> key;
  const Counters* counters;
  GridState* grid;
  Index run;

  TALUS_HD void operator()(Index i) const {
    const Index entries = counters->entries;
    key[entries + i] = 0xffffffffu;  // above all keys: the last cell number is not in use
    if (i == 0) grid->sweep_runs = entries / run + (entries % run != 0 ? 1 : 0);
    if (i > kGridLevels) return;
    const bool past = i == kGridLevels;
    grid->level_begin[i] =
        past ? entries : first_not_below(key, 0, entries, std::uint32_t(grid->cell_begin[i]) << grid->code_bits);
    if (!past && grid->sweep_extent[i] != 0) atomic_or(&grid->levels, 1u << i);
  }
};
static_assert(kSweepWidth == 32 && kSweepWidth > kGridLevels);

/// True if the pair is in a list of (smaller row << 32 | larger row), ascending.
TALUS_INLINE bool is_listed(Column<const std::uint64_t> list, Index x, Index y) {
  const std::uint64_t key = std::uint64_t(min_of(x, y)) << 32 | std::uint64_t(max_of(x, y));
  Index begin = 0, end = list.size;
  while (begin < end) {
    const Index middle = begin + (end - begin) / 2;
    if (list[middle] < key) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin < list.size && list[begin] == key;
}

/// The list of near boxes, appended to in any order. Counts go on when it is full: they say how much room is needed.
struct CandidateSink {
  Candidates list;
  Index capacity;
  Index* count;

  /// The lower row first, so that what becomes of a pair depends on the two bodies alone.
  TALUS_INLINE void put(Index to, Index x, Index y) const {
    if (to < 0 || to >= capacity) return;
    list.first[to] = min_of(x, y);
    list.second[to] = max_of(x, y);
  }
};

/// Candidates that one element found, put down together: one atomic for many.
struct CandidateBuffer {
  static constexpr int kRoom = 64;
  Index first[kRoom], second[kRoom];
  int size = 0;

  TALUS_INLINE void add(const CandidateSink& sink, Index x, Index y) {
    first[size] = x;
    second[size] = y;
    if (++size == kRoom) flush(sink);
  }
  TALUS_HD void flush(const CandidateSink& sink) {
    if (size == 0) return;
    const Index begin = atomic_add(sink.count, size);
    const Index room = begin < 0 ? 0 : min_of(size, sink.capacity - begin);
    Index *to_first = sink.list.first.data + begin, *to_second = sink.list.second.data + begin;
    for (Index i = 0; i < room; ++i) {  // as CandidateSink::put
      to_first[i] = min_of(first[i], second[i]);
      to_second[i] = max_of(first[i], second[i]);
    }
    size = 0;
  }
};

/// Pairs of bodies with planes, which are in no cell. One element is one row.
struct MeetPlanes {
  Column<BodyPose> pose;
  Column<ShapeRecord> shape;
  BodyModel model;
  Vec3Column angular_velocity;
  Column<const Index> planes;
  Index plane_count;
  const StepParams* params;
  CandidateSink sink;  // out

  TALUS_HD void operator()(Index row) const {
    const std::uint32_t moves = shape[row].moves;
    if ((moves & (kPushed | kAsleep)) == 0) return;
    for (Index i = 0; i < plane_count; ++i) {
      if ((moves & kPushed) == 0 && (shape[planes[i]].moves & kStirs) == 0) continue;
      if (!is_near(pose[row], shape[row], planes[i])) continue;
      sink.put(atomic_add(sink.count, 1), row, planes[i]);
    }
  }

  TALUS_HD bool is_near(const BodyPose& body_pose, const ShapeRecord& body, Index plane) const {
    const BodyPose& plane_pose = pose[plane];
    const Vec3 way = body_pose.position - plane_pose.position;
    const Vec3 up = rotate(plane_pose.orientation, model.shape_size[plane]);
    const float half_width = dot(abs_of(rotate_back(body_pose.orientation, up)), body.core) + body.rounding;
    const bool turns = Motion(model.motion[plane]) == Motion::kinematic;
    const float swing = turns ? params->dt * length(angular_velocity[plane]) * length(way) : 0.0f;
    const float round_off = kPairRoundOff * (abs_of(way.x) + abs_of(way.y) + abs_of(way.z) + body.radius);
    return !(dot(way, up) - half_width > body_pose.reach + plane_pose.reach + swing + round_off);
  }
};

/// Candidates of each entry among those behind it, and of each body among larger ones on higher levels. One element is
/// a run of entries. The first block of all of them is tested before the hits of any are looked at: how many there are
/// is hard to predict, and tests that wait for a wrong guess were two thirds of the time.
template <Index kRun>
struct SweepEntries {
  Column<Bounds> bounds;
  BroadEntries entries;  // sorted
  const GridState* grid;
  const Counters* counters;
  CandidateSink sink;  // out

  /// The body that looks around.
  struct Seeker {
    float min_s, max_s, min_u, max_u, min_v, max_v;
    std::uint32_t refuses;  // bits of an entry's value, kEntryMoves inverted, that make no pair
  };

  TALUS_HD void operator()(Index run) const {
    const Index begin = run * kRun, size = min_of(kRun, counters->entries - begin);
    std::uint32_t hits[kRun];
    for (Index i = 0; i < size; ++i) {
      hits[i] = meet_block(seeker_of(begin + i), begin + i + 1, entries.spare_key[begin + i]);
    }
    CandidateBuffer buffer;
    for (Index i = 0; i < size; ++i) {
      const Index entry = begin + i;
      const std::uint32_t value = entries.value[entry];
      const Index row = Index(value & kEntryRow);
      list(row, entry + 1, hits[i], buffer);
      const std::uint32_t end_key = entries.spare_key[entry];
      if (entries.key[entry + kSweepWidth] <= end_key) {
        scan(seeker_of(entry), row, entry + 1 + kSweepWidth, end_key, buffer);
      }
      if ((value & kEntryOffset) == 0 && grid->levels > 1u) look_up(entry, row, end_key, buffer);
    }
    buffer.flush(sink);
  }

  /// Of two entries in a cell, one must be in its first cell along u and one along v; and one must move.
  TALUS_INLINE Seeker seeker_of(Index entry) const {
    const std::uint32_t value = entries.value[entry];
    return {entries.min_s[entry],
            entries.max_s[entry],
            entries.min_u[entry],
            entries.max_u[entry],
            entries.min_v[entry],
            entries.max_v[entry],
            (value & kEntryOffset) | (~value & kEntryMoves)};
  }

  /// Bit k: entry first + k has a key of at most `end_key` and makes a pair. The compiler makes packs of the loop.
  TALUS_INLINE std::uint32_t meet_block(const Seeker& s, Index first, std::uint32_t end_key) const {
    const std::uint32_t* key = entries.key.data + first;
    const std::uint32_t* value = entries.value.data + first;
    const float *min_s = entries.min_s.data + first, *max_s = entries.max_s.data + first;
    const float *min_u = entries.min_u.data + first, *max_u = entries.max_u.data + first;
    const float *min_v = entries.min_v.data + first, *max_v = entries.max_v.data + first;
    std::uint32_t hits = 0;
    for (Index k = 0; k < kSweepWidth; ++k) {
      const bool hit = (key[k] <= end_key) & (min_s[k] <= s.max_s) & (max_s[k] >= s.min_s) & (min_u[k] <= s.max_u) &
                       (max_u[k] >= s.min_u) & (min_v[k] <= s.max_v) & (max_v[k] >= s.min_v) &
                       (((value[k] ^ kEntryMoves) & s.refuses) == 0);
      hits |= hit ? 1u << k : 0u;
    }
    return hits;
  }

  /// Puts the hits of a block down: at once if an element is one entry, as on a GPU, whose local memory is slow.
  TALUS_INLINE void list(Index row, Index first, std::uint32_t hits, CandidateBuffer& buffer) const {
    if constexpr (kRun == 1) {
      if (hits == 0) return;
      Index to = atomic_add(sink.count, bit_count(hits));
      for (; hits != 0; hits &= hits - 1u, ++to) {
        sink.put(to, row, Index(entries.value[first + lowest_bit(hits)] & kEntryRow));
      }
    } else {
      for (; hits != 0; hits &= hits - 1u) {
        buffer.add(sink, row, Index(entries.value[first + lowest_bit(hits)] & kEntryRow));
      }
    }
  }

  TALUS_HD void scan(const Seeker& seeker, Index row, Index first, std::uint32_t end_key,
                     CandidateBuffer& buffer) const {
    for (;; first += kSweepWidth) {
      list(row, first, meet_block(seeker, first, end_key), buffer);
      if (entries.key[first + kSweepWidth - 1] > end_key) return;
    }
  }

  TALUS_HD void look_up(Index entry, Index row, std::uint32_t end_key, CandidateBuffer& buffer) const {
    const GridState& g = *grid;
    int own = 0;
    while (entry >= g.level_begin[own + 1]) ++own;
    Seeker seeker = seeker_of(entry);
    for (std::uint32_t levels = g.levels >> (own + 1); levels != 0; levels &= levels - 1u) {
      const int level = own + 1 + lowest_bit(levels);
      const Index begin = g.level_begin[level], end = g.level_begin[level + 1];
      if (end - begin <= kSweepWidth) {  // the walls of a world: all at once, each by the entry of its first cell
        seeker.refuses = (seeker.refuses & kEntryMoves) | kEntryOffset;
        list(row, begin, meet_block(seeker, begin, entries.key[end - 1]), buffer);
      } else {
        look_up_cells(level, seeker, row, end_key, buffer);
      }
    }
  }

  TALUS_HD void look_up_cells(int level, Seeker seeker, Index row, std::uint32_t end_key,
                              CandidateBuffer& buffer) const {
    const GridState& g = *grid;
    const Placement p = place_box(g, bounds[row]);
    const std::uint32_t end_code = end_key & ((1u << g.code_bits) - 1u);
    const float reach = std::bit_cast<float>(g.sweep_extent[level]);
    const std::uint32_t begin_code = sweep_code(g, seeker.min_s - reach);
    const int span_u = span_on(p.low_u, p.high_u, g.bits_u[level], level);
    const int span_v = span_on(p.low_v, p.high_v, g.bits_v[level], level);
    for (int du = 0; du <= span_u; ++du) {
      for (int dv = 0; dv <= span_v; ++dv) {
        const std::uint32_t cell = cell_number(g, level, (p.low_u >> (2 * level)) + du, (p.low_v >> (2 * level)) + dv)
                                   << g.code_bits;
        const Index first =
            first_not_below(entries.key, g.level_begin[level], g.level_begin[level + 1], cell | begin_code);
        seeker.refuses = (seeker.refuses & kEntryMoves) | std::uint32_t(du | dv << 1) << kEntryOffsetShift;
        scan(seeker, row, first, cell | end_code, buffer);
      }
    }
  }
};

/// After the search, or in its place. One element.
struct KeepCandidates {
  Counters* counters;
  GridState* grid;

  TALUS_HD void operator()(Index) const {
    Counters& c = *counters;
    if (c.search_rows > 0) {
      c.kept_rows = c.rows;
      c.kept_candidates = grid->candidates;
    } else {
      grid->candidates = c.must_grow != 0 ? 0 : c.kept_candidates;
    }
  }
};

/// Whether the candidates fit, and how many runs they are. One element.
struct CheckCandidates {
  CheckGrowth check;
  GridState* grid;
  Index run;
  bool looks_at_islands;  // bodies may sleep

  TALUS_HD void operator()(Index) const {
    check(0);
    grid->candidate_runs = grid->candidates / run + (grid->candidates % run != 0 ? 1 : 0);
    const Counters& c = *check.counters;
    grid->near_candidates = c.search_blocks > 0 && c.resting_blocks > 0 ? grid->candidates : 0;
    grid->wake_candidates = c.asleep > 0 || (looks_at_islands && islands_are_due(c)) ? grid->candidates : 0;
  }
};

/// Body B seen from body A.
template <class Real>
struct SeenFrom {
  Vec3Of<Real> way;   // [m] to its centre
  Mat3Of<Real> axes;  // columns: its axes
  Real distance;      // [m]
  Real reach;         // [m] of both
};
/// From the fields of two BodyPoses.
template <class Real>
TALUS_INLINE SeenFrom<Real> seen_from(const Real a[8], const Real b[8]) {
  const QuatOf<Real> to_a = conjugate(QuatOf<Real>{a[4], a[5], a[6], a[7]});
  const Vec3Of<Real> way{b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  return {rotate(to_a, way), matrix_of(to_a * QuatOf<Real>{b[4], b[5], b[6], b[7]}), length(way), a[3] + b[3]};
}

/// Lanes in which two rounded boxes, given by the fields of their ShapeRecords, are further apart than they may reach.
/// Separating axes: the three of each, and the line between the centres, which is the one for two balls. Conservative:
/// leaves out some that are.
template <class Real>
TALUS_INLINE unsigned far_lanes(const SeenFrom<Real>& seen, const Real shape_a[8], const Real shape_b[8]) {
  using Vector = Vec3Of<Real>;
  const auto magnitude = [](Vector v) { return max_of(v, -v); };
  const Vector core_a{shape_a[0], shape_a[1], shape_a[2]}, core_b{shape_b[0], shape_b[1], shape_b[2]};
  const Vector way_a = magnitude(seen.way), way_b = magnitude(transposed_times(seen.axes, seen.way));
  const Mat3Of<Real> cosine{magnitude(seen.axes.row0), magnitude(seen.axes.row1), magnitude(seen.axes.row2)};
  const Vector apart_a = way_a - (core_a + cosine * core_b);
  const Vector apart_b = way_b - (core_b + transposed_times(cosine, core_a));
  const Vector apart = max_of(apart_a, apart_b);
  const Real far = max_of(apart.x, max_of(apart.y, apart.z));
  const Real round_off = Real(kPairRoundOff) * (seen.distance + (shape_a[4] + shape_b[4]));
  const Real limit = seen.reach + (shape_a[3] + shape_b[3]) + round_off;
  const Real between = seen.distance * seen.distance - (dot(way_a, core_a) + dot(way_b, core_b));  // times the distance
  return lane_bits(far > limit) | lane_bits(between > limit * seen.distance);
}

/// Which candidates are near as shapes, not only as boxes along the axes of the world: 4 of 12 in a pile. One element
/// is a run of candidates, tested lane by lane or pack by pack.
template <class Real, Index kRun>
struct TestCandidates {
  Column<BodyPose> pose;
  Column<Bounds> bounds;
  Column<ShapeRecord> shape;
  Column<const std::uint64_t> ignored;
  Candidates candidates;
  const GridState* grid;
  // out
  FoundPairs found;
  Column<Index> pair_count;  // of each owner
  Counters* counters;        // pairs: goes on counting when the list is full
  Index capacity;

  static constexpr Index kWidth = LaneCount<Real>::value;
  static_assert(kRun % kWidth == 0 && kLanes % kWidth == 0);
  static constexpr Index kCachedBoxes = 4096;  // 128 KiB: they stay in the second level of caches

  /// Rows of pairs that are still in question.
  struct Pairs {
    std::uint32_t a[kRun], b[kRun];
    Index size = 0;

    /// Appends a pack but for the lanes whose bit is set. No branch: nobody could predict it.
    TALUS_INLINE void add(const std::uint32_t* from_a, const std::uint32_t* from_b, unsigned without) {
      const unsigned kept = ~without & ((1u << kWidth) - 1u);
      move_to_front(from_a, a + size, kept, Real{});
      move_to_front(from_b, b + size, kept, Real{});
      size += bit_count(kept);
    }
  };

  TALUS_HD void operator()(Index run) const {
    Pairs pairs = overlapping_pairs(run * kRun, min_of(kRun, grid->candidates - run * kRun));
    const Index in_question = pairs.size;
    pairs.size = 0;  // what is near goes to the front
    for (Index lane = 0; lane < in_question; lane += kWidth) {
      const std::uint32_t *a = pairs.a + lane, *b = pairs.b + lane;
      pairs.add(a, b, far_lanes_of(a, b) | lanes_beyond(in_question - lane));
    }
    Index owner[kRun], partner[kRun];
    const Index found_size = drop_refused(pairs, owner, partner);
    if (found_size == 0) return;
    const Index first = atomic_add(&counters->pairs, found_size);
    const Index room = first < 0 ? 0 : min_of(found_size, capacity - first);
    for (Index i = 0; i < found_size; ++i) {
      const Index place = atomic_add(&pair_count[owner[i]], 1);
      if (i >= room) continue;
      found.owner[first + i] = owner[i];
      found.partner[first + i] = partner[i];
      found.place[first + i] = place;
    }
  }

  /// By filters and by the list of ignored pairs; and tells owner from partner.
  TALUS_HD Index drop_refused(const Pairs& pairs, Index* owner, Index* partner) const {
    Index kept = 0;
    for (Index i = 0; i < pairs.size; ++i) {
      const Index x = Index(pairs.a[i]), y = Index(pairs.b[i]);
      const ShapeRecord &a = shape[x], &b = shape[y];
      const bool refused =
          ((a.group & b.mask) == 0) | ((b.group & a.mask) == 0) | (((a.moves | b.moves) & kPushed) == 0);
      if (refused || (ignored.size != 0 && is_listed(ignored, x, y))) continue;
      const bool y_owns = (b.radius < a.radius) | ((b.radius == a.radius) & (y < x));  // see owns_pair
      const Index swap = (x ^ y) & -Index(y_owns);  // written so that no compiler makes a branch of it
      owner[kept] = x ^ swap;
      partner[kept] = y ^ swap;
      ++kept;
    }
    return kept;
  }

  /// Lanes of a pack that are not among the first `size`.
  TALUS_INLINE static unsigned lanes_beyond(Index size) { return size < kWidth ? ~0u << size : 0u; }

  /// Candidates whose boxes overlap now: they were found for larger ones.
  TALUS_HD Pairs overlapping_pairs(Index begin, Index size) const {
    Pairs pairs;
    const std::uint32_t* a = reinterpret_cast<const std::uint32_t*>(candidates.first.data) + begin;
    const std::uint32_t* b = reinterpret_cast<const std::uint32_t*>(candidates.second.data) + begin;
    const float* boxes = reinterpret_cast<const float*>(bounds.data);
    const bool is_large = bounds.size > kCachedBoxes;
    for (Index lane = 0; lane < size; lane += kWidth, a += kWidth, b += kWidth) {
      for (Index i = 0; i < kWidth && is_large; ++i) {  // what the next pack needs
        prefetch(bounds.data + a[kWidth + i]);
        prefetch(bounds.data + b[kWidth + i]);
      }
      Real box_a[8], box_b[8];
      gather_records(boxes, a, box_a);
      gather_records(boxes, b, box_b);
      const Mask<Real> overlap = box_a[0] <= box_b[4] && box_b[0] <= box_a[4] && box_a[1] <= box_b[5] &&
                                 box_b[1] <= box_a[5] && box_a[2] <= box_b[6] && box_b[2] <= box_a[6];
      pairs.add(a, b, lane_bits(!overlap) | lanes_beyond(size - lane));
    }
    for (Index i = pairs.size; i % kWidth != 0; ++i) pairs.a[i] = pairs.b[i] = 0;  // some row, to fill the last pack
    return pairs;
  }

  TALUS_INLINE unsigned far_lanes_of(const std::uint32_t* a, const std::uint32_t* b) const {
    const float* poses = reinterpret_cast<const float*>(pose.data);
    const float* shapes = reinterpret_cast<const float*>(shape.data);
    Real pose_a[8], pose_b[8];
    gather_records(poses, a, pose_a);
    gather_records(poses, b, pose_b);
    const SeenFrom<Real> seen = seen_from(pose_a, pose_b);
    Real shape_a[8], shape_b[8];
    gather_records(shapes, a, shape_a);
    gather_records(shapes, b, shape_b);
    return far_lanes(seen, shape_a, shape_b);
  }
};

/// Pairs to their owners' lists, after the counts were scanned. One element is one pair.
struct PlacePairs {
  FoundPairs found;     // listed: out, every element once
  Column<Index> begin;  // of each owner's list
  Counters* counters;   // pair_lanes: out

  TALUS_HD void operator()(Index pair) const {
    if (pair == 0) counters->pair_lanes = (counters->pairs + kLanes - 1) / kLanes * kLanes;
    found.listed[begin[found.owner[pair]] + found.place[pair]] = found.partner[pair];
  }
};

/// Partners of each owner in ascending order. One element is one owner.
struct SortPartners {
  Column<Index> listed;
  PairList pairs;  // begin: in; owner, partner: out, the owner's part

  TALUS_HD void operator()(Index row) const {
    const Index begin = pairs.begin[row], size = pairs.begin[row + 1] - begin;
    if (size <= kShortList) {
      sort_short(begin, size);
    } else {
      Index* list = pairs.partner.data + begin;
      for (Index i = 0; i < size; ++i) list[i] = listed[begin + i];
      if (size <= kMiddleList) {
        sort_middle(list, size);
      } else {
        sort_long(list, size);
      }
    }
    for (Index i = 0; i < size; ++i) pairs.owner[begin + i] = row;
  }

  static constexpr Index kMiddleList = 32;

  /// Each partner's rank is the number of smaller ones. More comparisons than other sorts, but none to be guessed.
  TALUS_HD void sort_short(Index begin, Index size) const {
    Index partner[kShortList];
    for (Index i = 0; i < kShortList; ++i) partner[i] = listed[begin + i];
    for (Index i = 0; i < kShortList; ++i) partner[i] = i < size ? partner[i] : INT32_MAX;
    for (Index i = 0; i < size; ++i) {
      Index rank = 0;
      for (Index j = 0; j < kShortList; ++j) rank += partner[j] < partner[i] ? 1 : 0;
      pairs.partner[begin + rank] = partner[i];
    }
  }

  TALUS_HD static void sort_middle(Index* list, Index size) {
    for (Index i = 1; i < size; ++i) {
      const Index partner = list[i];
      Index j = i;
      for (; j > 0 && list[j - 1] > partner; --j) list[j] = list[j - 1];
      list[j] = partner;
    }
  }

  /// Heap sort: no worst case, no memory.
  TALUS_HD static void sort_long(Index* list, Index size) {
    for (Index root = size / 2; root-- > 0;) sift_down(list, root, size);
    for (Index end = size; end-- > 1;) {
      const Index largest = list[0];
      list[0] = list[end];
      list[end] = largest;
      sift_down(list, 0, end);
    }
  }
  TALUS_HD static void sift_down(Index* list, Index root, Index size) {
    const Index partner = list[root];
    for (Index child = 2 * root + 1; child < size; child = 2 * root + 1) {
      if (child + 1 < size && list[child + 1] > list[child]) ++child;
      if (list[child] <= partner) break;
      list[root] = list[child];
      root = child;
    }
    list[root] = partner;
  }
};

}  // namespace talus::inline TALUS_ISA
