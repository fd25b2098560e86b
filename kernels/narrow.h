// SPDX-License-Identifier: MIT
// Narrow phase: manifolds of near pairs, taken over from the last step where the pair barely moved, else made anew and
// matched point by point with the last one.
#pragma once
#include "body_records.h"
#include "contact_columns.h"
#include "counters.h"
#include "math/atomic.h"
#include "math/vec3.h"
#include "shapes/collide.h"
#include "step_params.h"

namespace talus::inline TALUS_ISA {

constexpr std::uint32_t kRecycledBatch = 15;  // batch key of pairs that need no collision test; above all classes
constexpr float kRecycleSine = 0.0872f;       // sine of half the turn (10 degrees) beyond which a manifold is remade
constexpr float kMatchFraction = 0.04f;       // [radius of A] points nearer than this are the same one; 2 cm at 0.5 m

/// Row of a pair in the last cache, or -1. An owner has few partners, in ascending order.
TALUS_INLINE Index find_last_row(const ContactCache& last, Index cached_rows, Index a, Index b) {
  if (a >= cached_rows) return -1;
  const Index end = last.pairs.begin[a + 1];
  for (Index row = last.pairs.begin[a]; row < end; ++row) {
    if (last.pairs.partner[row] == b) return row;
  }
  return -1;
}

/// Takes manifolds over while their pair moved less than a hundredth of its size since they were made: anchors stay,
/// only the separations are new. Box3D's idea; beyond the time it saves, it is what keeps tall towers of soft contacts
/// from buckling (methods: parallel engine, 8.3). Spheres have one point and roll: their manifolds are always made
/// anew.
struct RecyclePairs {
  // model
  BodyModel model;
  // scratch in
  Column<BodyPose> pose;
  PairList pairs;
  // state in
  ContactCache last;
  // out: element is one pair
  CacheRows rows;
  Column<std::uint32_t> batch_key;
  Column<std::uint32_t> batch_pair;
  Column<Index> last_row;
  Column<Index> contact_index;
  // parameters
  const Counters* counters;
  const StepParams* params;

  TALUS_HD void operator()(Index pair) const {
    const Index a = pairs.owner[pair], b = pairs.partner[pair];
    const Index old = find_last_row(last, counters->cached_rows, a, b);
    const bool kept = old >= 0 && recycle(pair, a, b, old);
    rows.set(cache::body_a, pair, std::uint32_t(a));
    rows.set(cache::body_b, pair, std::uint32_t(b));
    if (!kept) rows.set(cache::count, pair, 0u);
    last_row[pair] = old;
    contact_index[pair] = kept ? 1 : 0;
    batch_pair[pair] = std::uint32_t(pair);
    batch_key[pair] =
        kept ? kRecycledBatch : std::uint32_t(pair_class(ShapeType(model.shape[a]), ShapeType(model.shape[b])));
  }

  TALUS_HD bool recycle(Index pair, Index a, Index b, Index old) const {
    const int count = int(last.rows.word(cache::count, old));
    if (count < 2) return false;
    const BodyPose pa = pose[a], pb = pose[b];
    const Vec3 between = pb.position - pa.position;
    const Vec3 moved = rotate_back(pa.orientation, between) - last.rows.vector(cache::reference_position, old);
    const float limit = params->recycle_fraction * model.radius[a];
    if (!(length_squared(moved) < limit * limit)) return false;
    const Quat then{
        last.rows.number(cache::reference_rotation, old), last.rows.number(cache::reference_rotation + 1, old),
        last.rows.number(cache::reference_rotation + 2, old), last.rows.number(cache::reference_rotation + 3, old)};
    const Quat turned = conjugate(then) * (conjugate(pa.orientation) * pb.orientation);
    if (!(turned.x * turned.x + turned.y * turned.y + turned.z * turned.z < kRecycleSine * kRecycleSine)) return false;

    const Vec3 normal = rotate(pa.orientation, last.rows.vector(cache::reference_normal, old));
    for (int field = cache::count; field < cache::at(count, 0); ++field)
      rows.set(field, pair, last.rows.word(field, old));
    rows.set(cache::normal, pair, normal);
    for (int i = 0; i < count; ++i) {
      const Vec3 on_a = rotate(pa.orientation, last.rows.vector(cache::at(i, cache::local_a), old));
      const Vec3 on_b = rotate(pb.orientation, last.rows.vector(cache::at(i, cache::local_b), old));
      rows.set(cache::at(i, cache::separation), pair, dot(normal, between + on_b - on_a));
    }
    return true;
  }
};

/// Makes the manifolds of pairs that were not recycled and gives their points the impulses of last step's points.
struct CollidePairs {
  // model
  BodyModel model;
  // state in
  Vec3Column linear_velocity;
  Vec3Column angular_velocity;
  ContactCache last;
  // scratch in
  Column<BodyPose> pose;
  PairList pairs;
  Column<std::uint32_t> batch_key;  // sorted, so that neighbouring threads collide the same shapes
  Column<std::uint32_t> batch_pair;
  Column<Index> last_row;
  // out: rows of pairs, each written by one element
  CacheRows rows;
  Column<Index> contact_index;
  // parameters
  const StepParams* params;

  TALUS_HD void operator()(Index element) const {
    if (batch_key[element] == kRecycledBatch) return;
    const Index pair = Index(batch_pair[element]);
    const Index a = pairs.owner[pair], b = pairs.partner[pair];
    const BodyPose pa = pose[a], pb = pose[b];
    const ShapeType type_a = ShapeType(model.shape[a]), type_b = ShapeType(model.shape[b]);
    const Manifold m = collide(type_a, {model.shape_size[a], pa.position, pa.orientation}, type_b,
                               {model.shape_size[b], pb.position, pb.orientation}, reach(a, b, pa, pb));
    if (m.count == 0) return;
    contact_index[pair] = 1;
    write(pair, a, pa, pb, m);
  }

  /// [m] How near is near: what the two can close within the step, plus the speculative distance.
  TALUS_HD float reach(Index a, Index b, const BodyPose& pa, const BodyPose& pb) const {
    const float closing = length(linear_velocity[b] - linear_velocity[a]) +
                          length(angular_velocity[a]) * model.radius[a] +
                          length(angular_velocity[b]) * model.radius[b] + params->dt * length(params->gravity);
    return min_of(params->speculative_distance + params->dt * closing, pa.reach + pb.reach);
  }

  TALUS_HD void write(Index pair, Index a, const BodyPose& pa, const BodyPose& pb, const Manifold& m) const {
    const Index old = last_row[pair];
    const int old_count = old >= 0 ? int(last.rows.word(cache::count, old)) : 0;
    rows.set(cache::count, pair, std::uint32_t(m.count));
    rows.set(cache::color, pair, old_count > 0 ? last.rows.word(cache::color, old) : cache::kNoColor);
    rows.set(cache::normal, pair, m.normal);
    for (int field = cache::friction; field <= cache::twist; ++field) {
      rows.set(field, pair, old_count > 0 ? last.rows.number(field, old) : 0.0f);
    }
    const Quat turned = conjugate(pa.orientation) * pb.orientation;
    rows.set(cache::reference_position, pair, rotate_back(pa.orientation, pb.position - pa.position));
    rows.set(cache::reference_rotation, pair, Vec3{turned.x, turned.y, turned.z});
    rows.set(cache::reference_rotation + 3, pair, turned.w);
    rows.set(cache::reference_normal, pair, rotate_back(pa.orientation, m.normal));
    const float near = kMatchFraction * model.radius[a];
    std::uint32_t used = 0;
    for (int i = 0; i < m.count; ++i) {
      const Vec3 local_a = rotate_back(pa.orientation, m.points[i].on_a);
      const int match = matching_point(old, old_count, m.points[i].feature, local_a, near * near, used);
      if (match >= 0) used |= 1u << match;
      rows.set(cache::at(i, cache::feature), pair, m.points[i].feature);
      rows.set(cache::at(i, cache::impulse), pair,
               match >= 0 ? last.rows.number(cache::at(match, cache::impulse), old) : 0.0f);
      rows.set(cache::at(i, cache::separation), pair, m.points[i].separation);
      rows.set(cache::at(i, cache::local_a), pair, local_a);
      rows.set(cache::at(i, cache::local_b), pair, rotate_back(pb.orientation, m.points[i].on_b));
    }
  }

  /// The old point with the same feature; failing that the nearest one, since clipping of coplanar faces flickers
  /// (methods: parallel engine, 8.1: ids alone find 86-93 % in a pyramid, with distance 100 %).
  TALUS_HD int matching_point(Index old, int old_count, std::uint32_t feature, Vec3 local_a, float near_squared,
                              std::uint32_t used) const {
    int nearest = -1;
    float least = near_squared;
    for (int j = 0; j < old_count; ++j) {
      if ((used >> j) & 1u) continue;
      if (last.rows.word(cache::at(j, cache::feature), old) == feature) return j;
      const float d = length_squared(last.rows.vector(cache::at(j, cache::local_a), old) - local_a);
      if (d < least) {
        least = d;
        nearest = j;
      }
    }
    return nearest;
  }
};

/// Lists the pairs that have points, in pair order, after contact_index was scanned.
struct ListContacts {
  CacheRows rows;
  Column<Index> contact_index;
  // out
  Column<Index> contact_pair;   // element contact_index[pair]
  Column<std::uint32_t> color;  // last step's, or kNoColor
  Counters* counters;           // contacts: written by the last pair
  std::uint32_t first_color;    // kNoColor, or the overflow color if the solver is Jacobi's

  TALUS_HD void operator()(Index pair) const {
    const bool touching = rows.word(cache::count, pair) != 0;
    const Index contact = contact_index[pair];
    if (pair == counters->pairs - 1) counters->contacts = contact + (touching ? 1 : 0);
    if (!touching || contact >= contact_pair.size) return;
    contact_pair[contact] = pair;
    color[contact] = first_color == cache::kNoColor ? rows.word(cache::color, pair) : first_color;
  }
};

/// Sums points and recycled manifolds for the report: an element is a run of pairs, so that few atomics meet.
struct CountPoints {
  static constexpr Index kRun = 256;
  CacheRows rows;
  Column<std::uint32_t> batch_key;  // sorted by key, or by pair: any order of all pairs
  Counters* counters;

  TALUS_HD void operator()(Index run) const {
    const Index begin = run * kRun;
    if (begin >= counters->pairs) return;
    const Index end = min_of(begin + kRun, counters->pairs);
    Index points = 0, recycled = 0;
    for (Index pair = begin; pair < end; ++pair) {
      points += Index(rows.word(cache::count, pair));
      recycled += batch_key[pair] == kRecycledBatch ? 1 : 0;
    }
    if (points > 0) atomic_add(&counters->points, points);
    if (recycled > 0) atomic_add(&counters->recycled, recycled);
  }
};

}  // namespace talus::inline TALUS_ISA
