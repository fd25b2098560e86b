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
  Column<ShapeRecord> shape;
  const GridState* grid;
  BroadEntries entries;  // value: in; boxes: out, one entry an element

  TALUS_HD void operator()(Index entry) const {
    const Index row = Index(entries.value[entry] & kEntryRow);
    const Bounds b = bounds[row];
    const int s = grid->sweep_axis, u = grid->axis_u, v = grid->axis_v;
    entries.min_s[entry] = component(b.min, s);
    entries.max_s[entry] = component(b.max, s);
    entries.min_u[entry] = component(b.min, u);
    entries.max_u[entry] = component(b.max, u);
    entries.min_v[entry] = component(b.min, v);
    entries.max_v[entry] = component(b.max, v);
    entries.group[entry] = b.group;
    entries.mask[entry] = b.mask;
    entries.radius[entry] = shape[row].radius;
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

/// Where the entries of each level begin. Elements: levels, and one more for the end.
struct FindLevels {
  Column<std::uint32_t> key;
  const Counters* counters;
  GridState* grid;

  TALUS_HD void operator()(Index level) const {
    const Index entries = counters->entries;
    const bool past = level == kGridLevels;
    grid->level_begin[level] =
        past ? entries : first_not_below(key, 0, entries, std::uint32_t(grid->cell_begin[level]) << grid->code_bits);
    if (!past && grid->sweep_extent[level] != 0) atomic_or(&grid->levels, 1u << level);
  }
};

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

/// Pairs of bodies with planes, which are in no cell. One element is one row. They are the first candidates, and their
/// test is exact.
struct MeetPlanes {
  Column<BodyPose> pose;
  Column<ShapeRecord> shape;
  BodyModel model;
  Vec3Column angular_velocity;
  Column<const Index> planes;
  Index plane_count;
  Column<const std::uint64_t> ignored;
  const StepParams* params;
  // out
  Column<Index> pair_count;  // of this row
  Candidates candidates;
  Index capacity;
  GridState* grid;  // candidates, plane_candidates

  TALUS_HD void operator()(Index row) const {
    const ShapeRecord body = shape[row];
    if (body.moves == 0) return;
    for (Index i = 0; i < plane_count; ++i) {
      const Index plane = planes[i];
      if (!is_near(pose[row], body, plane) || is_listed(ignored, row, plane)) continue;
      const Index to = atomic_add(&grid->candidates, 1);
      atomic_add(&grid->plane_candidates, 1);
      const Index place = pair_count[row]++;
      if (to < 0 || to >= capacity) continue;
      candidates.owner[to] = row;
      candidates.partner[to] = plane;
      candidates.place[to] = place;
    }
  }

  TALUS_HD bool is_near(const BodyPose& body_pose, const ShapeRecord& body, Index plane) const {
    if ((body.group & shape[plane].mask) == 0 || (shape[plane].group & body.mask) == 0) return false;
    const BodyPose plane_pose = pose[plane];
    const Vec3 way = body_pose.position - plane_pose.position;
    const Vec3 up = rotate(plane_pose.orientation, model.shape_size[plane]);
    const float half_width = dot(abs_of(rotate_back(body_pose.orientation, up)), body.core) + body.rounding;
    const bool turns = Motion(model.motion[plane]) == Motion::kinematic;
    const float swing = turns ? params->dt * length(angular_velocity[plane]) * length(way) : 0.0f;
    const float round_off = kPairRoundOff * (abs_of(way.x) + abs_of(way.y) + abs_of(way.z) + body.radius);
    return !(dot(way, up) - half_width > body_pose.reach + plane_pose.reach + swing + round_off);
  }
};

/// Candidates of each entry among those behind it, and of each body among larger ones on higher levels.
struct SweepEntries {
  Column<Bounds> bounds;
  BroadEntries entries;  // sorted
  Column<const std::uint64_t> ignored;
  const Counters* counters;
  // out
  Candidates candidates;
  Index capacity;   // counts go on when it is full: they say how much room is needed
  GridState* grid;  // candidates

  /// The body that looks around.
  struct Seeker {
    Index row;
    std::uint32_t refuses;  // bits of an entry's value, kEntryMoves inverted, that make no pair; see refused_bits
    std::uint32_t group, mask;
    float radius;
    float min_s, max_s, min_u, max_u, min_v, max_v;
  };

  /// What one element found, put down together: one atomic for many. Names partners, and whether they own the pair.
  struct Buffer {
    static constexpr int kRoom = 16;
    static constexpr std::uint32_t kOwns = 1u << 31;
    std::uint32_t partner[kRoom];
    int size = 0;
  };

  TALUS_HD void operator()(Index entry) const {
    const GridState& g = *grid;
    const std::uint32_t value = entries.value[entry];
    Seeker seeker;
    seeker.row = Index(value & kEntryRow);
    seeker.refuses = refused_bits(value);
    seeker.group = entries.group[entry];
    seeker.mask = entries.mask[entry];
    seeker.radius = entries.radius[entry];
    seeker.min_s = entries.min_s[entry];
    seeker.max_s = entries.max_s[entry];
    seeker.min_u = entries.min_u[entry];
    seeker.max_u = entries.max_u[entry];
    seeker.min_v = entries.min_v[entry];
    seeker.max_v = entries.max_v[entry];
    Buffer buffer;
    const std::uint32_t end_code = sweep_code(g, seeker.max_s);
    const std::uint32_t cell = entries.key[entry] >> g.code_bits;
    scan(seeker, entry + 1, cell << g.code_bits | end_code, buffer);
    if ((value & kEntryOffset) == 0 && g.levels > 1u) look_up(seeker, end_code, buffer);
    flush(seeker, buffer);
  }

  /// Of two entries in a cell, one must be in its first cell along u and one along v; and one must move.
  TALUS_HD static std::uint32_t refused_bits(std::uint32_t value) {
    return (value & kEntryOffset) | (~value & kEntryMoves);
  }

  TALUS_HD void scan(const Seeker& seeker, Index first, std::uint32_t end_key, Buffer& buffer) const {
    for (Index left = counters->entries - first;; first += kSweepWidth, left -= kSweepWidth) {
      std::uint32_t inside = 0, hits = 0;
      const std::uint32_t* key = entries.key.data + first;
      const float *min_s = entries.min_s.data + first, *max_s = entries.max_s.data + first;
      const float *min_u = entries.min_u.data + first, *max_u = entries.max_u.data + first;
      const float *min_v = entries.min_v.data + first, *max_v = entries.max_v.data + first;
      const std::uint32_t* value = entries.value.data + first;
      for (Index k = 0; k < kSweepWidth; ++k) {
        const bool hit = (min_s[k] <= seeker.max_s) & (max_s[k] >= seeker.min_s) & (min_u[k] <= seeker.max_u) &
                         (max_u[k] >= seeker.min_u) & (min_v[k] <= seeker.max_v) & (max_v[k] >= seeker.min_v) &
                         (((value[k] ^ kEntryMoves) & seeker.refuses) == 0);
        const bool ahead = (k < left) & (key[k] <= end_key);
        inside |= ahead ? 1u << k : 0u;
        hits |= hit ? 1u << k : 0u;
      }
      for (hits &= inside; hits != 0; hits &= hits - 1u) meet(seeker, first + lowest_bit(hits), buffer);
      if (inside != (1u << kSweepWidth) - 1u) return;
    }
  }

  TALUS_HD void meet(const Seeker& seeker, Index j, Buffer& buffer) const {
    const std::uint32_t other = entries.value[j];
    if ((seeker.group & entries.mask[j]) == 0 || (entries.group[j] & seeker.mask) == 0) return;
    const Index row = Index(other & kEntryRow);
    if (ignored.size != 0 && is_listed(ignored, seeker.row, row)) return;
    const float radius = entries.radius[j];
    const bool owned = radius < seeker.radius || (radius == seeker.radius && row < seeker.row);  // see owns_pair
    if (buffer.size == Buffer::kRoom) flush(seeker, buffer);
    buffer.partner[buffer.size++] = std::uint32_t(row) | (owned ? Buffer::kOwns : 0u);
  }

  TALUS_HD void flush(const Seeker& seeker, Buffer& buffer) const {
    if (buffer.size == 0) return;
    const Index first = atomic_add(&grid->candidates, buffer.size);
    for (int i = 0; i < buffer.size; ++i) {
      if (first < 0 || first >= capacity - i) break;
      const Index row = Index(buffer.partner[i] & ~Buffer::kOwns);
      const bool owned = (buffer.partner[i] & Buffer::kOwns) != 0;
      candidates.owner[first + i] = owned ? row : seeker.row;
      candidates.partner[first + i] = owned ? seeker.row : row;
    }
    buffer.size = 0;
  }

  TALUS_HD void look_up(Seeker& seeker, std::uint32_t end_code, Buffer& buffer) const {
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

/// Whether the candidates fit, and how many lanes they are. One element.
struct CheckCandidates {
  CheckGrowth check;
  GridState* grid;

  TALUS_HD void operator()(Index) const {
    check(0);
    grid->candidate_lanes = (grid->candidates + kLanes - 1) / kLanes * kLanes;
  }
};

/// Which candidates are near as shapes, not only as boxes along the axes of the world: 4 of 9 in a pile. Separating
/// axes of two rounded boxes: the three of each, and the line between the centres, which is the one for two balls.
/// Conservative: pairs further apart than their reach may stay, near ones always do.
struct TestCandidates {
  Column<BodyPose> pose;
  Column<ShapeRecord> shape;
  const GridState* grid;
  // out
  Column<Index> pair_count;  // of each owner
  Candidates candidates;     // owner, partner: in; place: out, one lane an element

  template <class Real>
  TALUS_HD void solve(Index lane) const {
    const unsigned near = near_lanes<Real>(lane);
    const Index begin = grid->plane_candidates, end = grid->candidates;
    for (Index i = 0; i < Index(LaneCount<Real>::value); ++i) {
      const Index candidate = lane + i;
      if (candidate < begin || candidate >= end) continue;
      const bool keep = (near >> i & 1u) != 0;
      candidates.place[candidate] = keep ? atomic_add(&pair_count[candidates.owner[candidate]], 1) : -1;
    }
  }

  template <class Real>
  TALUS_INLINE unsigned near_lanes(Index lane) const {
    using Vector = Vec3Of<Real>;
    const std::uint32_t* owner = reinterpret_cast<const std::uint32_t*>(candidates.owner.data) + lane;
    const std::uint32_t* partner = reinterpret_cast<const std::uint32_t*>(candidates.partner.data) + lane;
    const float* poses = reinterpret_cast<const float*>(pose.data);
    const float* shapes = reinterpret_cast<const float*>(shape.data);
    Real pa[8], pb[8], sa[8], sb[8];  // fields of BodyPose and ShapeRecord
    gather_records(poses, owner, pa);
    gather_records(poses, partner, pb);
    gather_records(shapes, owner, sa);
    gather_records(shapes, partner, sb);
    const Mat3Of<Real> axes_a = matrix_of(QuatOf<Real>{pa[4], pa[5], pa[6], pa[7]});
    const Mat3Of<Real> axes_b = matrix_of(QuatOf<Real>{pb[4], pb[5], pb[6], pb[7]});
    const Vector core_a{sa[0], sa[1], sa[2]}, core_b{sb[0], sb[1], sb[2]};
    const Vector d{pb[0] - pa[0], pb[1] - pa[1], pb[2] - pa[2]};
    const Vector d_a = abs_of(transposed_times(axes_a, d)), d_b = abs_of(transposed_times(axes_b, d));
    // |cosines| of the angles between axes: row i, column j is axis i of A times axis j of B.
    const Vector row_0 =
        abs_of(axes_a.row0.x * axes_b.row0 + axes_a.row1.x * axes_b.row1 + axes_a.row2.x * axes_b.row2);
    const Vector row_1 =
        abs_of(axes_a.row0.y * axes_b.row0 + axes_a.row1.y * axes_b.row1 + axes_a.row2.y * axes_b.row2);
    const Vector row_2 =
        abs_of(axes_a.row0.z * axes_b.row0 + axes_a.row1.z * axes_b.row1 + axes_a.row2.z * axes_b.row2);
    const Mat3Of<Real> cosine{row_0, row_1, row_2};
    const Vector apart_a = d_a - (core_a + cosine * core_b);
    const Vector apart_b = d_b - (core_b + transposed_times(cosine, core_a));
    const Vector apart = max_of(apart_a, apart_b);
    const Real far = max_of(apart.x, max_of(apart.y, apart.z));
    const Real round_off = Real(kPairRoundOff) * (abs_of(d.x) + abs_of(d.y) + abs_of(d.z) + (sa[4] + sb[4]));
    const Real limit = (pa[3] + pb[3]) + (sa[3] + sb[3]) + round_off;
    const Real distance_squared = length_squared(d);
    const Real between = distance_squared - (dot(d_a, core_a) + dot(d_b, core_b));  // times the distance
    return ~lane_bits(far > limit) & ~lane_bits(between > limit * square_root(distance_squared));
  }
};

/// Pairs to their owners' lists, after the counts were scanned. One element is one candidate.
struct PlacePairs {
  Candidates candidates;
  const Counters* counters;
  PairList pairs;  // begin: in; partner: out, every element once

  TALUS_HD void operator()(Index candidate) const {
    const Index place = candidates.place[candidate];
    if (place < 0 || counters->pairs == 0) return;
    pairs.partner[pairs.begin[candidates.owner[candidate]] + place] = candidates.partner[candidate];
  }
};

/// Partners of each owner in ascending order. One element is one owner.
struct SortPartners {
  PairList pairs;

  TALUS_HD void operator()(Index row) const {
    const Index begin = pairs.begin[row], size = pairs.begin[row + 1] - begin;
    Index* list = pairs.partner.data + begin;
    if (size <= 32) {
      sort_short(list, size);
    } else {
      sort_long(list, size);
    }
    for (Index i = 0; i < size; ++i) pairs.owner[begin + i] = row;
  }

  TALUS_HD static void sort_short(Index* list, Index size) {
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
