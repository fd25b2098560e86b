// SPDX-License-Identifier: MIT
// The sweep of the broad phase, over entries sorted by cell and by the minimum of their box along the sweep axis: each
// entry looks at those behind it until they begin after its own end. One integer comparison ends both the interval and
// the cell. A pair that shares several cells is taken where one of the two has its first cell, along both axes: in
// exactly one place, so nothing needs to be made unique. Pairs come in any order and are sorted by owner and partner.
#pragma once
#include "counters.h"
#include "grid.h"
#include "growth.h"
#include "lanes.h"
#include "math/atomic.h"
#include "math/bits.h"
#include "pairs.h"
#include "step_params.h"

namespace talus::inline TALUS_ISA {

constexpr float kPairRoundOff = 2e-6f;  // [1] of distance and size; what is nearer than this to the limit stays a pair

/// Boxes in sorted order, so that the sweep reads memory front to back.
struct GatherEntries {
  Column<Bounds> bounds;
  const GridState* grid;
  BroadEntries entries;  // value: in; boxes: out, one entry an element

  TALUS_HD void operator()(Index entry) const {
    const Index row = Index(entries.value[entry] & kEntryRow);
    const Bounds& b = bounds[row];
    const int s = grid->sweep_axis, u = grid->axis_u, v = grid->axis_v;
    entries.min_s[entry] = component(b.min, s);
    entries.max_s[entry] = component(b.max, s);
    entries.min_u[entry] = component(b.min, u);
    entries.max_u[entry] = component(b.max, u);
    entries.min_v[entry] = component(b.min, v);
    entries.max_v[entry] = component(b.max, v);
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
    for (Index i = 0; i < room; ++i) {
      sink.list.first[begin + i] = first[i];
      sink.list.second[begin + i] = second[i];
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
    if (shape[row].moves == 0) return;
    for (Index i = 0; i < plane_count; ++i) {
      if (!is_near(pose[row], shape[row], planes[i])) continue;
      const Index to = atomic_add(sink.count, 1);
      if (to < 0 || to >= sink.capacity) continue;
      sink.list.first[to] = row;
      sink.list.second[to] = planes[i];
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
/// a run of entries.
struct SweepEntries {
  Column<Bounds> bounds;
  BroadEntries entries;  // sorted
  const GridState* grid;
  const Counters* counters;
  Index run;
  CandidateSink sink;  // out

  /// The body that looks around.
  struct Seeker {
    Index row;
    std::uint32_t refuses;  // bits of an entry's value, kEntryMoves inverted, that make no pair; see refused_bits
    float min_s, max_s, min_u, max_u, min_v, max_v;
  };

  TALUS_HD void operator()(Index element) const {
    const GridState& g = *grid;
    CandidateBuffer buffer;
    const Index end = min_of((element + 1) * run, counters->entries);
    for (Index entry = element * run; entry < end; ++entry) {
      const std::uint32_t value = entries.value[entry];
      Seeker seeker;
      seeker.row = Index(value & kEntryRow);
      seeker.refuses = refused_bits(value);
      seeker.min_s = entries.min_s[entry];
      seeker.max_s = entries.max_s[entry];
      seeker.min_u = entries.min_u[entry];
      seeker.max_u = entries.max_u[entry];
      seeker.min_v = entries.min_v[entry];
      seeker.max_v = entries.max_v[entry];
      const std::uint32_t end_code = sweep_code(g, seeker.max_s);
      const std::uint32_t cell = entries.key[entry] >> g.code_bits;
      scan(seeker, entry + 1, cell << g.code_bits | end_code, buffer);
      if ((value & kEntryOffset) == 0 && g.levels > 1u) look_up(seeker, end_code, buffer);
    }
    buffer.flush(sink);
  }

  /// Of two entries in a cell, one must be in its first cell along u and one along v; and one must move.
  TALUS_HD static std::uint32_t refused_bits(std::uint32_t value) {
    return (value & kEntryOffset) | (~value & kEntryMoves);
  }

  /// Meets all entries from `first` on whose key is at most `end_key`. The compiler makes packs of the inner loop.
  TALUS_HD void scan(const Seeker& seeker, Index first, std::uint32_t end_key, CandidateBuffer& buffer) const {
    const Seeker s = seeker;
    for (;; first += kSweepWidth) {
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
      for (; hits != 0; hits &= hits - 1u) buffer.add(sink, s.row, Index(value[lowest_bit(hits)] & kEntryRow));
      if (key[kSweepWidth - 1] > end_key) return;
    }
  }

  TALUS_HD void look_up(Seeker& seeker, std::uint32_t end_code, CandidateBuffer& buffer) const {
    const GridState& g = *grid;
    const Placement p = place_box(g, bounds[seeker.row]);
    for (std::uint32_t levels = g.levels >> (p.level + 1); levels != 0; levels &= levels - 1u) {
      const int level = p.level + 1 + lowest_bit(levels);
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
          scan(seeker, first, cell | end_code, buffer);
        }
      }
    }
  }
};

/// Whether the candidates fit, and how many runs they are. One element.
struct CheckCandidates {
  CheckGrowth check;
  GridState* grid;
  Index run;

  TALUS_HD void operator()(Index) const {
    check(0);
    grid->candidate_runs = grid->candidates / run + (grid->candidates % run != 0 ? 1 : 0);
  }
};

/// True for lanes in which two rounded boxes, given by the fields of their BodyPose and ShapeRecord, are further apart
/// than they may reach. Separating axes: the three of each, and the line between the centres, which is the one for two
/// balls. Conservative: also false for some that are.
template <class Real>
TALUS_INLINE unsigned far_lanes(const Real pose_a[8], const Real shape_a[8], const Real pose_b[8],
                                const Real shape_b[8]) {
  using Vector = Vec3Of<Real>;
  const QuatOf<Real> from_a = conjugate(QuatOf<Real>{pose_a[4], pose_a[5], pose_a[6], pose_a[7]});
  const QuatOf<Real> b{pose_b[4], pose_b[5], pose_b[6], pose_b[7]};
  const Vector core_a{shape_a[0], shape_a[1], shape_a[2]}, core_b{shape_b[0], shape_b[1], shape_b[2]};
  const Vector d{pose_b[0] - pose_a[0], pose_b[1] - pose_a[1], pose_b[2] - pose_a[2]};
  const Vector d_a = rotate(from_a, d);
  const Mat3Of<Real> turn = matrix_of(from_a * b);  // axes of B seen from A
  const Vector d_b = abs_of(transposed_times(turn, d_a));
  const Mat3Of<Real> cosine{abs_of(turn.row0), abs_of(turn.row1), abs_of(turn.row2)};
  const Vector apart_a = abs_of(d_a) - (core_a + cosine * core_b);
  const Vector apart_b = d_b - (core_b + transposed_times(cosine, core_a));
  const Vector apart = max_of(apart_a, apart_b);
  const Real far = max_of(apart.x, max_of(apart.y, apart.z));
  const Real distance_squared = length_squared(d), distance = square_root(distance_squared);
  const Real round_off = Real(kPairRoundOff) * (distance + (shape_a[4] + shape_b[4]));
  const Real limit = (pose_a[3] + pose_b[3]) + (shape_a[3] + shape_b[3]) + round_off;
  const Real between = distance_squared - (dot(abs_of(d_a), core_a) + dot(d_b, core_b));  // times the distance
  return lane_bits(far > limit) | lane_bits(between > limit * distance);
}

/// Which candidates are near as shapes, not only as boxes along the axes of the world: 4 of 12 in a pile. One element
/// is a run of candidates, tested lane by lane or pack by pack.
template <class Real, Index kRun>
struct TestCandidates {
  Column<BodyPose> pose;
  Column<ShapeRecord> shape;
  Column<const std::uint64_t> ignored;
  Candidates candidates;
  const GridState* grid;
  // out
  FoundPairs found;
  Column<Index> pair_count;  // of each owner
  Counters* counters;        // pairs: goes on counting when the list is full
  Index capacity;

  TALUS_HD void operator()(Index run) const {
    constexpr Index kWidth = LaneCount<Real>::value;
    static_assert(kRun % kWidth == 0 && kLanes % kWidth == 0);
    const Index end = min_of((run + 1) * kRun, grid->candidates);
    Index owner[kRun], partner[kRun];
    Index size = 0;
    for (Index lane = run * kRun; lane < end; lane += kWidth) {
      const unsigned far = test(lane);
      for (Index i = 0; i < kWidth; ++i) {  // no branch: nobody could predict it
        owner[size] = candidates.first.data[lane + i];
        partner[size] = candidates.second.data[lane + i];
        size += (far >> i & 1u) == 0 && lane + i < end ? 1 : 0;
      }
    }
    size = drop_refused(owner, partner, size);
    if (size == 0) return;
    const Index begin = atomic_add(&counters->pairs, size);
    const Index room = begin < 0 ? 0 : min_of(size, capacity - begin);
    for (Index i = 0; i < size; ++i) {
      const Index place = atomic_add(&pair_count[owner[i]], 1);
      if (i >= room) continue;
      found.owner[begin + i] = owner[i];
      found.partner[begin + i] = partner[i];
      found.place[begin + i] = place;
    }
  }

  /// By filters and by the list of ignored pairs; and tells owner from partner.
  TALUS_HD Index drop_refused(Index* owner, Index* partner, Index size) const {
    Index kept = 0;
    for (Index i = 0; i < size; ++i) {
      const Index x = owner[i], y = partner[i];
      const ShapeRecord &a = shape[x], &b = shape[y];
      if ((a.group & b.mask) == 0 || (b.group & a.mask) == 0) continue;
      if (ignored.size != 0 && is_listed(ignored, x, y)) continue;
      const bool swap = (b.radius < a.radius) | ((b.radius == a.radius) & (y < x));  // see owns_pair
      owner[kept] = swap ? y : x;
      partner[kept] = swap ? x : y;
      ++kept;
    }
    return kept;
  }

  TALUS_INLINE unsigned test(Index lane) const {
    const std::uint32_t* a = reinterpret_cast<const std::uint32_t*>(candidates.first.data) + lane;
    const std::uint32_t* b = reinterpret_cast<const std::uint32_t*>(candidates.second.data) + lane;
    const float* poses = reinterpret_cast<const float*>(pose.data);
    const float* shapes = reinterpret_cast<const float*>(shape.data);
    Real pose_a[8], pose_b[8], shape_a[8], shape_b[8];
    gather_records(poses, a, pose_a);
    gather_records(poses, b, pose_b);
    gather_records(shapes, a, shape_a);
    gather_records(shapes, b, shape_b);
    return far_lanes(pose_a, shape_a, pose_b, shape_b);
  }
};

/// Pairs to their owners' lists, after the counts were scanned. One element is one pair.
struct PlacePairs {
  FoundPairs found;
  PairList pairs;  // begin: in; partner: out, every element once

  TALUS_HD void operator()(Index pair) const {
    pairs.partner[pairs.begin[found.owner[pair]] + found.place[pair]] = found.partner[pair];
  }
};

/// Partners of each owner in ascending order. One element is one owner.
struct SortPartners {
  PairList pairs;

  TALUS_HD void operator()(Index row) const {
    const Index begin = pairs.begin[row], size = pairs.begin[row + 1] - begin;
    if (size <= kShort && begin + kShort <= pairs.partner.size) {
      sort_short(begin, size, row);
      return;
    }
    sort_long(pairs.partner.data + begin, size);
    for (Index i = 0; i < size; ++i) pairs.owner[begin + i] = row;
  }

  static constexpr Index kShort = 8;

  /// Each partner's rank is the number of smaller ones. More comparisons than other sorts, but none to be guessed.
  TALUS_HD void sort_short(Index begin, Index size, Index row) const {
    const Index* list = pairs.partner.data + begin;
    Index partner[kShort], rank[kShort], sorted[kShort + 1];
    for (Index i = 0; i < kShort; ++i) partner[i] = i < size ? list[i] : INT32_MAX;
    for (Index i = 0; i < kShort; ++i) rank[i] = 0;
    for (Index j = 0; j < kShort; ++j) {
      for (Index i = 0; i < kShort; ++i) rank[i] += partner[j] < partner[i] ? 1 : 0;
    }
    for (Index i = 0; i < kShort; ++i) sorted[rank[i]] = partner[i];
    for (Index i = 0; i < size; ++i) {
      pairs.partner[begin + i] = sorted[i];
      pairs.owner[begin + i] = row;
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
