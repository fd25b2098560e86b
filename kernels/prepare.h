// SPDX-License-Identifier: MIT
// From manifolds and masses to the solver's rows, and from state columns to the solver's body records.
#pragma once
#include "columns.h"
#include "contact_columns.h"
#include "lanes.h"
#include "material.h"
#include "math/vec3.h"
#include "solve_columns.h"
#include "step_params.h"

namespace talus::inline TALUS_ISA {

/// Arm of the friction against a twist, as a part of the radius of the circle that two round bodies touch in: 3 pi / 16
/// for Hertz' pressure, which falls to zero at the rim.
constexpr float kPatchArm = 0.58904862f;

/// Angular velocity in scaled axes, see solve_columns.h. Never -0: see IntegrateVelocities.
template <class Real>
TALUS_INLINE Vec3Of<Real> scaled_spin(QuatOf<Real> orientation, Vec3Of<Real> scale, Vec3Of<Real> angular_velocity) {
  const Vec3Of<Real> own = rotate_back(orientation, angular_velocity);
  const Real zero(0.0f);
  return {own.x / scale.x + zero, own.y / scale.y + zero, own.z / scale.z + zero};
}

/// Body records at the start of the step. One body a lane; rows after the last body are the null body of padding lanes.
struct PrepareBodies {
  // model and state
  BodyModel model;
  BodyState state;
  // out: one row a lane
  SolveRowScratch rows;

  template <class Real>
  TALUS_INLINE void solve(Index row) const {
    const Real zero(0.0f), one(1.0f);
    const Mask<Real> alive = load_bytes<Real>(model.alive, row) > zero;
    const Mask<Real> frozen = load_bytes<Real>(state.frozen, row) > zero;
    const Mask<Real> asleep = load_bytes<Real>(state.asleep, row) > zero;
    const Mask<Real> moves =
        alive && !frozen && !asleep && !(load_bytes<Real>(model.motion, row) == Real(float(Motion::fixed)));
    const Vec3Of<Real> none{zero, zero, zero}, unit{one, one, one};
    const Real inv_mass = select(moves, load<Real>(model.inv_mass.data, row), zero);
    const QuatOf<Real> upright{zero, zero, zero, one};
    const QuatOf<Real> q = select<Real>(alive, load<Real>(state.orientation, row), upright);
    const Vec3Of<Real> inverse = select<Real>(inv_mass > zero, load<Real>(model.inv_inertia, row), unit);
    const Vec3Of<Real> scale{square_root(inverse.x), square_root(inverse.y), square_root(inverse.z)};
    const Vec3Of<Real> v = select<Real>(moves, load<Real>(state.linear_velocity, row) + none, none);
    const Vec3Of<Real> spin = scaled_spin(q, scale, load<Real>(state.angular_velocity, row));
    const Vec3Of<Real> w = select<Real>(moves, spin, none);
    const Real velocity[8] = {v.x, v.y, v.z, inv_mass, w.x, w.y, w.z, zero};
    store_together(&rows.velocity.data->linear.x, row, velocity);
    const Real free_velocity[8] = {v.x, v.y, v.z, inv_mass, w.x, w.y, w.z, touched<Real>(row)};
    store_together(&rows.free_velocity.data->linear.x, row, free_velocity);
    const Real frame[8] = {q.x, q.y, q.z, q.w, scale.x, scale.y, scale.z, inv_mass};
    store_together(&rows.frame.data->orientation.x, row, frame);
    const Real displacement[8] = {zero, zero, zero, zero, zero, zero, zero, one};
    store_together(&rows.displacement.data->shift.x, row, displacement);
    for (int i = 0; i < LaneCount<Real>::value; ++i) {
      if (rows.split_count[row + i] == 0) continue;
      for (std::int64_t& change : rows.split_sums[row + i].change) change = 0;
    }
  }

  /// 1: the body has contacts.
  template <class Real>
  TALUS_INLINE Real touched(Index row) const {
    float values[LaneCount<Real>::value];
    for (int i = 0; i < LaneCount<Real>::value; ++i) {
      values[i] = rows.color_mask[row + i] != 0 || rows.split_count[row + i] != 0 ? 1.0f : 0.0f;
    }
    return load_lanes(values, Real{});
  }
};

/// One body of a contact, while its row is made.
template <class Real>
struct PreparedBody {
  QuatOf<Real> orientation;
  Vec3Of<Real> scale;
  Real inv_mass, turns;  // both times the number of contacts that share the body

  TALUS_INLINE Vec3Of<Real> own(Vec3Of<Real> direction) const { return rotate_back(orientation, direction); }
  /// Lever in scaled axes of a point along a direction, both in the body's own axes.
  TALUS_INLINE Vec3Of<Real> lever(Vec3Of<Real> at, Vec3Of<Real> direction) const {
    return talus::scale(scale, cross(at, direction));
  }
  /// What a unit impulse along one lever changes of the speed along the other, by turning.
  TALUS_INLINE Real give(Vec3Of<Real> lever1, Vec3Of<Real> lever2) const { return turns * dot(lever1, lever2); }
};

/// One lane is a contact, or padding at the end of a color. All lanes of a pack have the same color.
struct PrepareContacts {
  // model
  BodyModel model;
  // scratch in
  PairList pairs;
  ContactRecords contacts;
  SolveRowScratch bodies;
  Column<Index> contact_pair;
  Column<std::uint32_t> sort_contact;
  const Counters* counters;
  const StepParams* params;
  Index null_body;
  bool restitution;  // some body bounces
  // out: points that no lane of a pack has are left as they were
  SolverRows rows;

  /// Whose contact a lane is, for the lanes of a pack. Padding lanes copy the last contact of their color and are
  /// cleared when they are stored.
  template <int kWidth>
  struct Sources {
    std::uint32_t pair[kWidth], a[kWidth], b[kWidth];
    float there[kWidth], share_a[kWidth], share_b[kWidth], friction[kWidth], restitution[kWidth];
    float curvature[kWidth];  // [1/m] sum of the two surfaces' where they are round; 0: both are flat or sharp
  };

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    constexpr int kWidth = LaneCount<Real>::value;
    Sources<kWidth> from;
    find_sources(lane, from);
    const Real zero(0.0f), one(1.0f);
    const Mask<Real> there = load_lanes(from.there, Real{}) > zero;
    Real header[8], carried[8];
    gather_unit_together(contacts, from.pair, kHeaderUnit, header);
    gather_unit_together(contacts, from.pair, kImpulseUnit, carried);
    const PreparedBody<Real> a = body_of<Real>(from.a, from.share_a), b = body_of<Real>(from.b, from.share_b);
    const Vec3Of<Real> normal{header[0], header[1], header[2]};
    const Real count = select(there, header[3], zero), mass = a.inv_mass + b.inv_mass;
    const Vec3Of<Real> normal_a = a.own(normal), normal_b = b.own(normal);
    const Real warm(params->warm_start != 0 ? 1.0f : 0.0f);
    const auto put = [&](int field, Real value) { store(rows, field, lane, select(there, value, zero)); };
    const auto put_vector = [&](int field, Vec3Of<Real> value) {
      put(field, value.x);
      put(field + 1, value.y);
      put(field + 2, value.z);
    };

    Vec3Of<Real> center_a{zero, zero, zero}, center_b = center_a, local_a[kMaxPoints];
    Real depth = zero;  // [m] of the first point
    Real weights = zero, middle_separation = zero, points_give = zero;
    for (int i = 0; i < kMaxPoints && any_together(Real(float(i)) < count); ++i) {
      const Mask<Real> has = Real(float(i)) < count;
      Real point[8];
      gather_unit_together(contacts, from.pair, kPointUnit + i, point);
      const Real separation = point[0];
      local_a[i] = a.own({point[1], point[2], point[3]});
      const Vec3Of<Real> local_b = b.own({point[4], point[5], point[6]});
      const Vec3Of<Real> lever_a = a.lever(local_a[i], normal_a), lever_b = b.lever(local_b, normal_b);
      const Real k = mass + a.give(lever_a, lever_a) + b.give(lever_b, lever_b);
      const auto put_point = [&](int field, Real value) {
        store(rows, row::at(i, field), lane, select(has, value, zero));
      };
      put_point(row::lever_a, lever_a.x);
      put_point(row::lever_a + 1, lever_a.y);
      put_point(row::lever_a + 2, lever_a.z);
      put_point(row::lever_b, lever_b.x);
      put_point(row::lever_b + 1, lever_b.y);
      put_point(row::lever_b + 2, lever_b.z);
      put_point(row::separation, separation);
      put_point(row::mass, one / k);
      put_point(row::impulse, warm * carried[4 + i]);
      if (restitution) {
        put_point(row::approach, approach_speed<Real>(from, normal, lever_a, lever_b));
        put_point(row::peak, zero);
      }
      if (i == 0) depth = max_of(-separation, zero);
      // Friction acts where the surfaces touch: points that are still apart count less.
      const Real near = one - max_of(separation, zero) / Real(params->speculative_distance);
      const Real weight = select(has, max_of(Real(1e-3f), near), zero);
      center_a = center_a + weight * select<Real>(has, local_a[i], center_a);
      center_b = center_b + weight * select<Real>(has, local_b, center_b);
      middle_separation = middle_separation + weight * select(has, separation, zero);
      weights = weights + weight;
      points_give = points_give + select(has, k, zero);
    }
    const Real share = one / weights;
    const Vec3Of<Real> at_a = share * center_a, at_b = share * center_b;
    Real arm = zero;
    for (int i = 0; i < kMaxPoints && any_of(Real(float(i)) < count); ++i) {
      arm = arm + select(Real(float(i)) < count, length(local_a[i] - at_a), zero);
    }

    for (int i = 0; i < kWidth; ++i) {
      const bool used = from.there[i] > 0.0f;
      *rows.at(row::body_a, lane + i) = used ? from.a[i] : std::uint32_t(null_body);
      *rows.at(row::body_b, lane + i) = used ? from.b[i] : std::uint32_t(null_body);
      *rows.at(row::pair, lane + i) = used ? from.pair[i] : 0u;
    }
    put(row::count, count);
    put_vector(row::normal, normal);
    const Vec3Of<Real> middle_a = a.lever(at_a, normal_a), middle_b = b.lever(at_b, normal_b);
    put_vector(row::middle_a, middle_a);
    put_vector(row::middle_b, middle_b);
    put(row::middle_separation, share * middle_separation);
    put(row::middle_give, mass + a.give(middle_a, middle_a) + b.give(middle_b, middle_b));
    put(row::points_give, points_give / count);
    put(row::friction, load_lanes(from.friction, Real{}));
    put(row::restitution, load_lanes(from.restitution, Real{}));

    const Vec3Of<Real> t1 = tangent_of(normal), t2 = cross(normal, t1);
    const Vec3Of<Real> t1_a = a.own(t1), t1_b = b.own(t1), t2_a = cross(normal_a, t1_a), t2_b = cross(normal_b, t1_b);
    const Vec3Of<Real> a1 = a.lever(at_a, t1_a), b1 = b.lever(at_b, t1_b);
    const Vec3Of<Real> a2 = a.lever(at_a, t2_a), b2 = b.lever(at_b, t2_b);
    const Real k11 = mass + a.give(a1, a1) + b.give(b1, b1);
    const Real k22 = mass + a.give(a2, a2) + b.give(b2, b2);
    const Real k12 = a.give(a1, a2) + b.give(b1, b2);
    const Real inverse = one / (k11 * k22 - k12 * k12);
    put_vector(row::tangent, t1);
    put_vector(row::friction_a1, a1);
    put_vector(row::friction_b1, b1);
    put_vector(row::friction_a2, a2);
    put_vector(row::friction_b2, b2);
    put_vector(row::friction_mass, {inverse * k22, inverse * k11, -inverse * k12});
    const Vec3Of<Real> twist_a = scale(a.scale, normal_a), twist_b = scale(b.scale, normal_b);
    put_vector(row::twist_a, twist_a);
    put_vector(row::twist_b, twist_b);
    put(row::twist_mass, one / (a.give(twist_a, twist_a) + b.give(twist_b, twist_b)));
    // A single point of a round body stands for a circle: its radius is sqrt(depth / curvature) (Hertz). Without its
    // friction a ball that spins between two others would do so for ever.
    const Real curvature = load_lanes(from.curvature, Real{});
    const Real circle = square_root(select(curvature > zero, depth / max_of(curvature, Real(1e-6f)), zero));
    put(row::twist_arm, select(count > one, arm / count, Real(kPatchArm) * circle));
    const Vec3Of<Real> friction{carried[0], carried[1], carried[2]};
    put(row::friction_impulse, warm * dot(friction, t1));
    put(row::friction_impulse + 1, warm * dot(friction, t2));
    put(row::twist_impulse, warm * carried[3]);
  }

  TALUS_INLINE float curvature(Index body) const {
    const ShapeType type = ShapeType(model.shape[body]);
    const bool round = type == ShapeType::sphere || type == ShapeType::capsule;
    return round ? 1.0f / model.shape_size.x[body] : 0.0f;
  }

  template <int kWidth>
  TALUS_INLINE void find_sources(Index lane, Sources<kWidth>& from) const {
    int color = 0;
    Index before = 0;  // contacts of earlier colors
    while (lane >= counters->color_begin[color + 1]) before += counters->color_size[color++];
    const Index place = lane - counters->color_begin[color], size = counters->color_size[color];
    for (int i = 0; i < kWidth; ++i) {
      const Index contact = min_of(place + i, size - 1);
      const Index pair = contact_pair[Index(sort_contact[before + contact])];
      const Index a = pairs.owner[pair], b = pairs.partner[pair];
      from.pair[i] = std::uint32_t(pair);
      from.a[i] = std::uint32_t(a);
      from.b[i] = std::uint32_t(b);
      from.there[i] = place + i < size ? 1.0f : 0.0f;
      // A body in n overflow contacts lends each of them 1/n of its mass (methods: parallel engine, 3.4).
      from.share_a[i] = color == kOverflowColor ? float(bodies.split_count[a]) : 1.0f;
      from.share_b[i] = color == kOverflowColor ? float(bodies.split_count[b]) : 1.0f;
      from.curvature[i] = curvature(a) + curvature(b);
      const std::uint8_t rules_a = model.combine[a], rules_b = model.combine[b];
      from.friction[i] = combine(friction_rule(rules_a), friction_rule(rules_b), model.friction[a], model.friction[b]);
      from.restitution[i] = !restitution ? 0.0f
                                         : combine(restitution_rule(rules_a), restitution_rule(rules_b),
                                                   model.restitution[a], model.restitution[b]);
    }
  }

  template <class Real>
  TALUS_INLINE PreparedBody<Real> body_of(const std::uint32_t* body, const float* share) const {
    Real frame[8];
    gather_together(&bodies.frame.data->orientation.x, body, frame);
    const Real contacts_of = load_lanes(share, Real{}), zero(0.0f);
    return {{frame[0], frame[1], frame[2], frame[3]},
            {frame[4], frame[5], frame[6]},
            contacts_of * frame[7],
            select(frame[7] > zero, contacts_of, zero)};
  }

  template <class Real, int kWidth>
  TALUS_INLINE Real approach_speed(const Sources<kWidth>& from, Vec3Of<Real> normal, Vec3Of<Real> lever_a,
                                   Vec3Of<Real> lever_b) const {
    Real a[8], b[8];
    gather_together(&bodies.velocity.data->linear.x, from.a, a);
    gather_together(&bodies.velocity.data->linear.x, from.b, b);
    return dot(normal, Vec3Of<Real>{b[0] - a[0], b[1] - a[1], b[2] - a[2]}) +
           dot(lever_b, Vec3Of<Real>{b[4], b[5], b[6]}) - dot(lever_a, Vec3Of<Real>{a[4], a[5], a[6]});
  }
};

}  // namespace talus::inline TALUS_ISA
