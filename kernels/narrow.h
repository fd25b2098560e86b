// SPDX-License-Identifier: MIT
// Narrow phase: manifolds of near pairs, taken over from the last step where the pair barely moved, else made anew and
// matched point by point with the last one.
#pragma once
#include "body_records.h"
#include "broad_columns.h"
#include "contact_columns.h"
#include "counters.h"
#include "growth.h"
#include "lanes.h"
#include "lengths.h"
#include "math/atomic.h"
#include "math/vec3.h"
#include "meetings.h"
#include "pair_motion.h"
#include "reach.h"
#include "shapes/collide.h"
#include "shapes/extent.h"
#include "step_params.h"

namespace talus::inline TALUS_ISA {

constexpr std::uint32_t kRecycledBatch = 15;  // batch key of pairs that need no collision test; above all classes
constexpr float kRecycleSine = 0.00873f;      // sine of half the turn (1 degree) beyond which a manifold is remade
constexpr float kShortShift = 0.01f;          // [radius of the smaller one] in a step: a way that is none
constexpr float kFleetingWay = 1e-4f;         // [radius of A] a fleeting manifold is remade if its pair goes further
constexpr float kMatchFraction = 0.04f;       // [radius of A] points nearer than this are the same one; 2 cm at 0.5 m

/// A way to part bodies whose centres are at one place: each gets an offset of its own, by its row, so that many of
/// them part in all directions, and every two of them the way that fits all others.
TALUS_HD inline Vec3 offset_of_row(Index row) {
  float offset[3];
  std::uint32_t bits = std::uint32_t(row);
  for (float& component : offset) {
    bits = (bits + 0x9e3779b9u) * 0x85ebca6bu;  // any mixing of bits serves
    bits = (bits ^ bits >> 15) * 0xc2b2ae35u;
    bits ^= bits >> 13;
    component = float(bits >> 8) * 0x1p-23f - 1.0f;
  }
  return {offset[0], offset[1], offset[2]};
}
constexpr float kSamePlace = 1e-4f;    // [1] of the smaller size: centres nearer than this are at one place
constexpr float kOffsetPart = 0.004f;  // [1] of the same: what one of two is moved by at most. Twenty times the margin
                                       // by which one axis of a box is preferred to another
/// [m] From A to B, or what stands for it if they are at one place. `size`: [m] of the smaller of the two.
TALUS_HD inline Vec3 apart(Vec3 between, float size, Index a, Index b) {
  const float near = kSamePlace * size;
  if (!(length_squared(between) < near * near)) return between;
  return between + (kOffsetPart * size) * (offset_of_row(b) - offset_of_row(a));
}

/// How many units the record of each pair takes: a scan makes places of them. One element is one pair.
struct SizeRecords {
  Column<std::uint8_t> shape;  // of each row
  PairList pairs;
  Column<Index> place;  // out

  TALUS_HD void operator()(Index pair) const {
    place[pair] = record_units(ShapeType(shape[pairs.owner[pair]]), ShapeType(shape[pairs.partner[pair]]));
  }
};

/// Whether there is room for all records. One element.
struct CheckRecords {
  SizeRecords sizes;  // place: scanned
  CheckGrowth check;
  Counters* counters;

  TALUS_HD void operator()(Index) const {
    const Index last = counters->pairs - 1;
    if (last < 0) return;
    const ShapeType a = ShapeType(sizes.shape[sizes.pairs.owner[last]]);
    const ShapeType b = ShapeType(sizes.shape[sizes.pairs.partner[last]]);
    counters->record_units = sizes.place[last] + record_units(a, b);
    check(0);
  }
};

/// Takes manifolds over while their pair moved less than a hundredth of its size since they were made: only the
/// separations are new. Box3D's idea; beyond the time it saves, it keeps tall columns from buckling. Where a body leans
/// by an angle, the load that it passes on gets an arm of that angle times its height, which rigid bodies withstand and
/// soft contacts do not: columns of more than (w^2 d / g)^(1/3) bodies of height d fall (21 of 1 m at 49 Hz; methods:
/// parallel engine, 4.2). So anchors and normal stay as they were in the world, not in the bodies, for a turn so small
/// that it means nothing else. Spheres and capsules roll, which such anchors brake: their manifolds are always made
/// anew.
struct RecyclePairs {
  // model
  BodyModel model;
  // scratch in
  Column<BodyPose> pose;
  PairList pairs;
  // state in
  ContactCache last;
  // out: one pair a lane
  ContactRecords contacts;
  Column<std::uint32_t> batch_key;
  Column<std::uint32_t> batch_pair;
  Column<Index> last_row;
  Column<Index> contact_index;
  // parameters
  const Counters* counters;
  const StepParams* params;
  // state in
  Vec3Column linear_velocity;

  /// A pack of pairs, with their contacts of the step before.
  template <int kWidth>
  struct Pairs {
    std::uint32_t pair[kWidth];                       // beyond the last one: the last one again
    std::uint32_t a[kWidth], b[kWidth], old[kWidth];  // old: row in the last cache, or 0
    Index last_row[kWidth];                           // the same, or -1
    float has_past[kWidth];                           // 1: there is one of two points or more
    float limit[kWidth];                              // [m] how far B may have moved
  };

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    constexpr int kWidth = LaneCount<Real>::value;
    Pairs<kWidth> p;
    const int size = min_of(kWidth, counters->pairs - lane);
    for (int i = 0; i < kWidth; ++i) {
      const Index pair = lane + min_of(i, size - 1), a = pairs.owner[pair], b = pairs.partner[pair];
      const Index row = find_last_row(last, counters->cached_rows, a, b);
      p.pair[i] = std::uint32_t(pair);
      p.a[i] = std::uint32_t(a);
      p.b[i] = std::uint32_t(b);
      p.last_row[i] = row;
      p.old[i] = std::uint32_t(max_of(row, 0));
      p.has_past[i] = i < size && row >= 0 && may_last(last.contacts[row], a, b) ? 1.0f : 0.0f;
      p.limit[i] = params->recycle_fraction * model.radius[a];
    }
    const Mask<Real> has_past = load_lanes(p.has_past, Real{}) > Real(0.0f);
    const unsigned kept = any_together(has_past) ? recycle<Real>(p, has_past) : 0u;
    for (int i = 0; i < size; ++i) {
      const Index pair = lane + i;
      const bool is_kept = (kept >> i & 1u) != 0;
      if (!is_kept) contacts[pair].count = 0.0f;
      last_row[pair] = p.last_row[i];
      contact_index[pair] = is_kept ? 1 : 0;
      batch_pair[pair] = std::uint32_t(pair);
      batch_key[pair] =
          is_kept
              ? kRecycledBatch
              : std::uint32_t(pair_class(ShapeType(model.shape[Index(p.a[i])]), ShapeType(model.shape[Index(p.b[i])])));
    }
  }

 private:
  /// Whether there are two points or more, at features that still count if the pair moves on as it does.
  TALUS_INLINE bool may_last(const CachedContact& contact, Index a, Index b) const {
    if (!(contact.count >= 2.0f) || is_capsule(a) || is_capsule(b)) return false;
    if ((contact.point[0].feature & kFleeting) == 0u) return true;
    return params->dt * length(linear_velocity[b] - linear_velocity[a]) <= kFleetingWay * model.radius[a];
  }

  TALUS_INLINE bool is_capsule(Index row) const { return ShapeType(model.shape[row]) == ShapeType::capsule; }

  /// Writes the contacts of the lanes whose bit it returns.
  template <class Real, int kWidth>
  TALUS_INLINE unsigned recycle(const Pairs<kWidth>& p, Mask<Real> has_past) const {
    const float* poses = reinterpret_cast<const float*>(pose.data);
    Real pose_a[8], pose_b[8], header[8], made[8];
    gather_together(poses, p.a, pose_a);
    gather_together(poses, p.b, pose_b);
    gather_unit_together(last.contacts, p.old, kHeaderUnit, header);
    gather_unit_together(last.contacts, p.old, kMadeUnit, made);
    const Vec3Of<Real> between{pose_b[0] - pose_a[0], pose_b[1] - pose_a[1], pose_b[2] - pose_a[2]};
    const Vec3Of<Real> moved = between - Vec3Of<Real>{header[4], header[5], header[6]};
    const QuatOf<Real> turn_a = turn_since<Real>(made, pose_a), turn_b = turn_since<Real>(made + 4, pose_b);
    const Real limit = load_lanes(p.limit, Real{}), sine(kRecycleSine);
    const Mask<Real> kept = has_past && length_squared(moved) < limit * limit && sine_squared(turn_a) < sine * sine &&
                            sine_squared(turn_b) < sine * sine;
    if (!any_together(kept)) return 0;

    const Vec3Of<Real> normal{header[0], header[1], header[2]};
    Real impulses[8];
    gather_unit_together(last.contacts, p.old, kImpulseUnit, impulses);
    scatter_unit_together(contacts, p.pair, kHeaderUnit, header, kept);
    scatter_unit_together(contacts, p.pair, kImpulseUnit, impulses, kept);
    scatter_unit_together(contacts, p.pair, kMadeUnit, made, kept);
    for (int i = 0; i < kMaxPoints; ++i) {
      Real point[8];
      gather_unit_together(last.contacts, p.old, kPointUnit + i, point);
      const Vec3Of<Real> on_a{point[1], point[2], point[3]}, on_b{point[4], point[5], point[6]};
      point[0] = dot(normal, between + rotate(turn_b, on_b) - rotate(turn_a, on_a));
      scatter_unit_together(contacts, p.pair, kPointUnit + i, point, kept);
    }
    return lane_bits(kept);
  }

  /// World frame, from the orientation in `made` to the one of a pose.
  template <class Real>
  TALUS_INLINE static QuatOf<Real> turn_since(const Real made[4], const Real pose[8]) {
    return QuatOf<Real>{pose[4], pose[5], pose[6], pose[7]} *
           conjugate(QuatOf<Real>{made[0], made[1], made[2], made[3]});
  }
  /// Of half the turn.
  template <class Real>
  TALUS_INLINE static Real sine_squared(QuatOf<Real> turn) {
    return turn.x * turn.x + turn.y * turn.y + turn.z * turn.z;
  }
};

/// The fifteen axes of pairs of boxes. A lane is an element of the batches; those of other shapes get no axes.
struct FindBoxAxes {
  // scratch in
  Column<BodyPose> pose;
  Column<ShapeRecord> shape;
  PairList pairs;
  Column<std::uint32_t> batch_key;  // sorted
  Column<std::uint32_t> batch_pair;
  const Counters* counters;
  // out
  Column<BoxAxes> box_axes;

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    constexpr int kWidth = LaneCount<Real>::value;
    const Index last = counters->pairs - 1;
    if (lane > last || batch_key[lane] > kPairBoxBox || batch_key[min_of(lane + kWidth - 1, last)] < kPairBoxBox)
      return;
    std::uint32_t a[kWidth], b[kWidth];
    for (int i = 0; i < kWidth; ++i) {
      const Index pair = Index(batch_pair[min_of(lane + i, last)]);
      a[i] = std::uint32_t(pairs.owner[pair]);
      b[i] = std::uint32_t(pairs.partner[pair]);
    }
    Real pose_a[8], pose_b[8], shape_a[8], shape_b[8];
    gather_records(&pose.data->position.x, a, pose_a);
    gather_records(&pose.data->position.x, b, pose_b);
    gather_records(&shape.data->core.x, a, shape_a);
    gather_records(&shape.data->core.x, b, shape_b);
    const Vec3Of<Real> half_a{shape_a[0], shape_a[1], shape_a[2]}, half_b{shape_b[0], shape_b[1], shape_b[2]};
    Vec3Of<Real> between{pose_b[0] - pose_a[0], pose_b[1] - pose_a[1], pose_b[2] - pose_a[2]};
    const Real size = min_of(smallest_of(half_a), smallest_of(half_b)), near = Real(kSamePlace) * size;
    if (any_of(length_squared(between) < near * near)) between = all_apart(between, size, a, b);
    const BoxPairOf<Real> boxes = box_pair<Real>(half_a, {pose_a[4], pose_a[5], pose_a[6], pose_a[7]}, half_b,
                                                 {pose_b[4], pose_b[5], pose_b[6], pose_b[7]}, between);
    const Real margin = axis_margins(half_a, half_b).axis;
    const BestAxisOf<Real> face = best_face_axis(boxes, margin), edge = best_edge_axis(boxes, margin);
    float values[4][kWidth];
    store_lanes(values[0], face.separation);
    store_lanes(values[1], face.index + select(touch_at_rims(boxes, face, edge), Real(kAtRims), Real(0.0f)));
    store_lanes(values[2], edge.separation);
    store_lanes(values[3], edge.index);
    for (int i = 0; i < kWidth; ++i) box_axes[lane + i] = {values[0][i], values[1][i], values[2][i], values[3][i]};
  }

  /// Whether two axes that are not the same one part the two boxes or all but do: see bear_box_on_box.
  template <class Real>
  TALUS_INLINE static Mask<Real> touch_at_rims(const BoxPairOf<Real>& boxes, const BestAxisOf<Real>& face,
                                               const BestAxisOf<Real>& edge) {
    const Real zero(0.0f), one(1.0f), same(kSameWay);
    const Real least = Real(-2.0f * kMostOverlap) * min_of(smallest_of(boxes.half_a), smallest_of(boxes.half_b));
    const auto parts = [&](Real gap) { return select(gap > least, one, zero); };
    const auto parting = [&](Vec3Of<Real> gaps) { return Vec3Of<Real>{parts(gaps.x), parts(gaps.y), parts(gaps.z)}; };
    const auto same_way = [&](Vec3Of<Real> cosines) {
      const auto is_same = [&](Real cosine) { return select(abs_of(cosine) > same, one, zero); };
      return Vec3Of<Real>{is_same(cosines.x), is_same(cosines.y), is_same(cosines.z)};
    };
    const Vec3Of<Real> of_a = parting(face_separations_a(boxes)), of_b = parting(face_separations_b(boxes));
    const Real count_a = of_a.x + of_a.y + of_a.z, count_b = of_b.x + of_b.y + of_b.z;
    const Real in_common = of_a.x * dot(same_way(boxes.cosine.row0), of_b) +
                           of_a.y * dot(same_way(boxes.cosine.row1), of_b) +
                           of_a.z * dot(same_way(boxes.cosine.row2), of_b);
    return count_a + count_b - in_common > one || (edge.separation > face.separation && face.separation > least);
  }

  /// apart() for a pack.
  template <class Real, int kWidth>
  TALUS_INLINE static Vec3Of<Real> all_apart(Vec3Of<Real> between, Real size, const std::uint32_t (&a)[kWidth],
                                             const std::uint32_t (&b)[kWidth]) {
    float x[kWidth], y[kWidth], z[kWidth], sizes[kWidth];
    store_lanes(x, between.x);
    store_lanes(y, between.y);
    store_lanes(z, between.z);
    store_lanes(sizes, size);
    for (int i = 0; i < kWidth; ++i) {
      const Vec3 parted = apart({x[i], y[i], z[i]}, sizes[i], Index(a[i]), Index(b[i]));
      x[i] = parted.x;
      y[i] = parted.y;
      z[i] = parted.z;
    }
    return {load_lanes(x, Real{}), load_lanes(y, Real{}), load_lanes(z, Real{})};
  }
};

/// Makes the manifolds of pairs that were not recycled and gives their points the impulses of last step's points.
struct CollidePairs {
  static constexpr bool kManyRegisters = true;  // on a GPU: the features of boxes, and which of them bear
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
  Column<BoxAxes> box_axes;
  Column<Index> last_row;
  // out: contacts of pairs, each written by one element
  ContactRecords contacts;
  Column<Index> contact_index;
  // parameters
  const StepParams* params;
  // inputs
  BodyInputs inputs;
  MaterialTable materials;
  Counters* counters;  // meeting_rows, meeting_pairs: out

  /// Two calls on a CPU, so that what is recycled costs next to nothing.
  TALUS_HD void operator()(Index element) const {
    const std::uint32_t batch = batch_key[element];
    if (batch == kRecycledBatch) return;
    if (batch == kPairSphereSphere) {
      collide_spheres(Index(batch_pair[element]));
    } else {
      collide_shapes(element, batch);
    }
  }

  TALUS_HD void collide_shapes(Index element, std::uint32_t batch) const {
    const Index pair = Index(batch_pair[element]);
    const Index a = pairs.owner[pair], b = pairs.partner[pair];
    const BodyPose pa = pose[a], pb = pose[b];
    const ShapeType type_a = ShapeType(model.shape[a]), type_b = ShapeType(model.shape[b]);
    const BoxAxes axes = batch == kPairBoxBox ? box_axes[element] : BoxAxes{};
    const PlacedShape shape_a{model.shape_size[a], pa.position, pa.orientation};
    PlacedShape shape_b{model.shape_size[b], pb.position, pb.orientation};
    const Vec3 between = pb.position - pa.position;
    const float size = min_of(min_half_thickness(type_a, shape_a.size), min_half_thickness(type_b, shape_b.size));
    const bool bounded = type_a != ShapeType::plane && type_b != ShapeType::plane;
    if (bounded && length_squared(between) < kSamePlace * kSamePlace * size * size) {
      shape_b.position = pa.position + apart(between, size, a, b);
    }
    const float near = reach(a, b, pa, pb);
    const Bearer bearer = model.inv_mass[b] == 0.0f ? Bearer::b : model.inv_mass[a] == 0.0f ? Bearer::a : Bearer::none;
    const Manifold m = collide(type_a, shape_a, type_b, shape_b, axes, near, bearer);
    if (m.count == 0) return;
    const bool round_on_box = batch == kPairSphereBox || batch == kPairBoxCapsule;
    const Quat box = type_a == ShapeType::box ? pa.orientation : pb.orientation;
    const bool at_rims = batch == kPairBoxBox ? axes.at_rims() : round_on_box && !is_face_normal(box, m.normal);
    if (at_rims) {
      write_if_any(pair, a, bear_pair(a, b, m, near), true);
    } else {
      write_if_any(pair, a, m, false);
    }
    if (batch == kPairBoxCapsule && contact_index[pair] != 0) share_line(pair, type_a == ShapeType::capsule);
  }

  /// at_rims: the nearest features are not the inside of a face.
  TALUS_HD void write_if_any(Index pair, Index a, const Manifold& m, bool at_rims) const {
    const Index b = pairs.partner[pair];
    if (m.count == 0) return;
    const bool is_between_axes = m.fleeting && !m.borne;  // they touch along several, and may leave one for another
    const bool looks_ahead = is_between_axes || motions().turns_aside(a, b, m);
    const Manifold met = looks_ahead ? look_ahead(a, b, m) : m;
    if (met.count == 0) return;
    write(pair, a, met);
    if (at_rims && (looks_ahead || m.borne) && may_be_prevented(a, b)) {  // the same by whom ever
      atomic_store(&counters->meeting_rows, counters->rows);
      atomic_store(&counters->meeting_pairs, counters->pairs);
    }
  }
  /// Whether what one of two meets before may keep it from the other.
  TALUS_HD bool may_be_prevented(Index a, Index b) const {
    const bool plane = ShapeType(model.shape[a]) == ShapeType::plane || ShapeType(model.shape[b]) == ShapeType::plane;
    return !plane && turned_aside(model, a, b) >= 0;
  }
  TALUS_INLINE FindMotion motions() const {
    return {model, linear_velocity, angular_velocity, inputs, params, materials};
  }
  /// A call, as below. Nothing passes by a plane, whose normal is the same everywhere.
  TALUS_SELDOM Manifold look_ahead(Index a, Index b, const Manifold& m) const {
    const ShapeType type_a = ShapeType(model.shape[a]), type_b = ShapeType(model.shape[b]);
    if (type_a == ShapeType::plane || type_b == ShapeType::plane) return m;
    const BodyPose pa = pose[a], pb = pose[b];
    const PlacedShape shape_a{model.shape_size[a], pa.position, pa.orientation};
    const PlacedShape shape_b{model.shape_size[b], pb.position, pb.orientation};
    return motions().look_ahead(a, b, type_a, shape_a, type_b, shape_b, m);
  }
  /// A call that reads all it needs again: what finds the nearest features has the registers of a GPU.
  TALUS_SELDOM Manifold bear_pair(Index a, Index b, const Manifold& nearest, float near) const {
    const ShapeType type_a = ShapeType(model.shape[a]), type_b = ShapeType(model.shape[b]);
    const BodyPose pa = pose[a], pb = pose[b];
    const PlacedShape shape_a{model.shape_size[a], pa.position, pa.orientation};
    const PlacedShape shape_b{model.shape_size[b], pb.position, pb.orientation};
    return bear(type_a, shape_a, type_b, shape_b, nearest, near,
                [&] { return motions().of(a, b, type_a, shape_a, type_b, shape_b); });
  }

  /// The ends of a line of contact move along the capsule as it rolls off one box and onto another: the impulses of the
  /// step before keep their sum and, as far as the line reaches, their centre. Impulses that went along with the ends
  /// would tilt it.
  TALUS_HD void share_line(Index pair, bool capsule_is_a) const {
    const CachedContact* old = old_contact(pair);
    if (old == nullptr || old->count > 2.0f) return;
    CachedContact& contact = contacts[pair];
    const auto on_capsule = [&](const CachedPoint& point) { return capsule_is_a ? point.on_a : point.on_b; };
    const bool was_line = old->count > 1.0f;
    const float sum = old->impulse[0] + (was_line ? old->impulse[1] : 0.0f);
    if (!(contact.count > 1.0f)) {
      contact.impulse[0] = sum;
      return;
    }
    const Vec3 first = on_capsule(contact.point[0]), line = on_capsule(contact.point[1]) - first;
    const float inverse = 1.0f / max_of(length_squared(line), 1e-30f);
    const float at_first = inverse * dot(on_capsule(old->point[0]) - first, line);
    const float at_second = was_line ? inverse * dot(on_capsule(old->point[1]) - first, line) : 0.0f;
    const float second =
        clamp_to(at_first * old->impulse[0] + at_second * (was_line ? old->impulse[1] : 0.0f), 0.0f, sum);
    contact.impulse[0] = sum - second;
    contact.impulse[1] = second;
  }

  /// The short way, for the many: one point, the same as in the step before.
  TALUS_HD void collide_spheres(Index pair) const {
    const Index a = pairs.owner[pair], b = pairs.partner[pair];
    const BodyPose pa = pose[a], pb = pose[b];
    const float radius_a = model.shape_size.x[a], radius_b = model.shape_size.x[b];
    const Vec3 between = apart(pb.position - pa.position, min_of(radius_a, radius_b), a, b);
    float separation = length(between) - (radius_a + radius_b);
    // What is within the speculative distance is within any reach.
    const float touching = speculative_of(min_of(radius_a, radius_b), *params);
    if (!(separation <= touching || separation <= reach(a, b, pa, pb))) return;
    Vec3 normal = normalized_or(between, {0.0f, 1.0f, 0.0f});
    if (motions().turns_aside(a, b, normal, separation)) {
      if (spheres_pass_by(a, b, normal, separation)) return;
      normal = motions().line_of_impact(a, b, between, radius_a + radius_b);
      separation = dot(normal, between) - (radius_a + radius_b);
    }
    contact_index[pair] = 1;
    CachedContact& contact = contacts[pair];
    const CachedContact* old = old_contact(pair);
    contact.normal = normal;
    contact.count = 1.0f;
    carry_over(contact, old);
    contact.impulse[0] = old != nullptr ? old->impulse[0] : 0.0f;
    contact.point[0] = {separation, radius_a * contact.normal, -radius_b * contact.normal, 0u};
  }

  TALUS_SELDOM bool spheres_pass_by(Index a, Index b, Vec3 normal, float separation) const {
    const float radius_a = model.shape_size.x[a], radius_b = model.shape_size.x[b];
    const FindMotion motion = motions();
    const Vec3 fall = motion.acceleration(b) - motion.acceleration(a);
    if (fall.x == 0.0f && fall.y == 0.0f && fall.z == 0.0f) {
      return motion.spheres_pass_by(a, b, pose[a].position, pose[b].position, radius_a, radius_b);
    }
    return look_ahead(a, b, one_point(normal, radius_a * normal, -radius_b * normal, separation)).count == 0;
  }

  /// [m] How near is near: what the two can close within the step, plus the speculative distance. Something else may
  /// hold one of them, so that only the other one gains speed.
  TALUS_HD float reach(Index a, Index b, const BodyPose& pa, const BodyPose& pb) const {
    const Vec3 gain_a = speed_gain(a), gain_b = speed_gain(b), apart = gain_b - gain_a;
    const float gain =
        square_root(max_of(length_squared(apart), max_of(length_squared(gain_a), length_squared(gain_b))));
    const float closing = length(linear_velocity[b] - linear_velocity[a]) + gain + tip_speed(a, pa) + tip_speed(b, pb);
    const float touching = speculative_of(smaller_radius(model.radius[a], model.radius[b]), *params);
    return min_of(touching + params->dt * closing, pa.reach + pb.reach);
  }
  /// [m/s] From gravity and force, in the whole step.
  TALUS_HD Vec3 speed_gain(Index row) const {
    const float inv_mass = model.inv_mass[row], weight = inv_mass > 0.0f ? model.gravity_scale[row] : 0.0f;
    return params->dt * (weight * params->gravity + inv_mass * inputs.force[row]);
  }
  /// [m/s] Of the outermost point by turning, at the end of the step.
  TALUS_HD float tip_speed(Index row, const BodyPose& at) const {
    float speed = length(angular_velocity[row]);
    const Vec3 torque = inputs.torque[row];
    if (torque.x != 0.0f || torque.y != 0.0f || torque.z != 0.0f) {
      speed += length(spin_gain(at.orientation, model.inv_inertia[row], torque, params->dt));
    }
    return speed * model.radius[row];
  }

  TALUS_HD void write(Index pair, Index a, const Manifold& m) const {
    const BodyPose pa = pose[a], pb = pose[pairs.partner[pair]];
    contact_index[pair] = 1;
    CachedContact& contact = contacts[pair];
    const CachedContact* old = old_contact(pair);
    contact.normal = m.normal;
    contact.count = float(m.count);
    carry_over(contact, old);
    if (m.count > 1) {
      contact.made_between = pb.position - pa.position;
      contact.made_a = pa.orientation;
      contact.made_b = pb.orientation;
    }
    const float near = kMatchFraction * model.radius[a];
    Quat turn{0.0f, 0.0f, 0.0f, 1.0f};
    if (old != nullptr && old->count > 1.0f) turn = pa.orientation * conjugate(old->made_a);
    std::uint32_t used = 0;
    for (int i = 0; i < m.count; ++i) {
      const ManifoldPoint& made = m.points[i];
      const int match = old != nullptr ? matching_point(*old, turn, made, near * near, used) : -1;
      if (match >= 0) used |= 1u << match;
      contact.impulse[i] = match >= 0 ? old->impulse[match] : 0.0f;
      contact.point[i] = {made.separation, made.on_a, made.on_b,
                          made.feature | (i == 0 && m.fleeting ? kFleeting : 0u)};
    }
  }

  /// The pair's contact in the step before, or null.
  TALUS_HD const CachedContact* old_contact(Index pair) const {
    const Index row = last_row[pair];
    return row >= 0 && last.contacts[row].count > 0.0f ? &last.contacts[row] : nullptr;
  }
  TALUS_HD static void carry_over(CachedContact& contact, const CachedContact* old) {
    contact.color = old != nullptr ? old->color : kNoColor;
    contact.friction = old != nullptr ? old->friction : Vec3{0.0f, 0.0f, 0.0f};
    contact.twist = old != nullptr ? old->twist : 0.0f;
  }

  /// The old point with the same feature; failing that the nearest one, since clipping of coplanar faces flickers
  /// (methods: parallel engine, 8.1: ids alone find 86-93 % in a pyramid, with distance 100 %).
  /// `turn`: of A since the old ones were made.
  TALUS_HD static int matching_point(const CachedContact& old, Quat turn, const ManifoldPoint& made, float near_squared,
                                     std::uint32_t used) {
    int nearest = -1;
    float least = near_squared;
    for (int j = 0; j < int(old.count); ++j) {
      if ((used >> j) & 1u) continue;
      if ((old.point[j].feature & ~kFleeting) == made.feature) return j;
      const float d = length_squared(rotate(turn, old.point[j].on_a) - made.on_a);
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
  ContactRecords contacts;
  Column<Index> contact_index;
  // out
  Column<Index> contact_pair;   // element contact_index[pair]
  Column<std::uint32_t> color;  // last step's, or kNoColor
  Counters* counters;           // contacts: written by the last pair
  std::uint32_t first_color;    // kNoColor, or the overflow color if the solver is Jacobi's

  TALUS_HD void operator()(Index pair) const {
    const bool touching = contacts[pair].count > 0.0f;
    const Index contact = contact_index[pair];
    if (pair == counters->pairs - 1) counters->contacts = contact + (touching ? 1 : 0);
    if (!touching || contact >= contact_pair.size) return;
    contact_pair[contact] = pair;
    color[contact] = first_color == kNoColor ? contacts[pair].color : first_color;
  }
};

/// Sums points and recycled manifolds for the report: an element is a run of pairs, so that few atomics meet.
struct CountPoints {
  static constexpr Index kRun = 256;
  ContactRecords contacts;
  Column<std::uint32_t> batch_key;  // sorted by key, or by pair: any order of all pairs
  Counters* counters;

  TALUS_HD void operator()(Index run) const {
    const Index begin = run * kRun;
    if (begin >= counters->pairs) return;
    const Index end = min_of(begin + kRun, counters->pairs);
    Index points = 0, recycled = 0;
    for (Index pair = begin; pair < end; ++pair) {
      points += Index(contacts[pair].count);
      recycled += batch_key[pair] == kRecycledBatch ? 1 : 0;
    }
    if (points > 0) atomic_add(&counters->points, points);
    if (recycled > 0) atomic_add(&counters->recycled, recycled);
  }
};

}  // namespace talus::inline TALUS_ISA
