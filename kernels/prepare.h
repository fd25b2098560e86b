// SPDX-License-Identifier: MIT
// From manifolds and masses to the solver's rows, and from state columns to the solver's body records.
#pragma once
#include "columns.h"
#include "contact_columns.h"
#include "material.h"
#include "math/vec3.h"
#include "solve_columns.h"
#include "step_params.h"

namespace talus::inline TALUS_ISA {

/// Body records at the start of the step. Elements: all rows of the scratch table, also those after the last body: the
/// first of them is the null body of padding lanes.
struct PrepareBodies {
  // model and state
  BodyModel model;
  BodyState state;
  // out: element is one row
  SolveRowScratch rows;
  const Counters* counters;

  TALUS_HD void operator()(Index body) const {
    const bool alive = body < counters->rows && model.alive[body] != 0;
    const bool moves = alive && state.frozen[body] == 0 && model.motion[body] != std::uint8_t(Motion::fixed);
    const Vec3 zero{0.0f, 0.0f, 0.0f};
    const float inv_mass = moves ? model.inv_mass[body] : 0.0f;
    const Vec3 linear = moves ? state.linear_velocity[body] + zero : zero;  // never -0: see IntegrateVelocities
    const Vec3 angular = moves ? state.angular_velocity[body] + zero : zero;
    rows.velocity[body] = {linear, inv_mass, angular, 0.0f};
    const bool touched = rows.color_mask[body] != 0 || rows.split_count[body] != 0;
    rows.free_velocity[body] = {linear, inv_mass, angular, touched ? 1.0f : 0.0f};
    rows.displacement[body] = {zero, 0.0f, kIdentity};
    rows.inertia[body] =
        inv_mass > 0.0f ? world_inertia(state.orientation[body], model.inv_inertia[body]) : BodyInertia{};
    for (int i = 0; i < 6; ++i) rows.split_sums[body].change[i] = 0;
  }

  /// R diag(d) R^T
  TALUS_HD static BodyInertia world_inertia(Quat q, Vec3 d) {
    const Mat3 r = matrix_of(q);
    const Vec3 x = scale(r.row0, d), y = scale(r.row1, d), z = scale(r.row2, d);
    return {{dot(x, r.row0), dot(y, r.row1), dot(z, r.row2), dot(x, r.row1), dot(x, r.row2), dot(y, r.row2)}, {}};
  }
};

TALUS_INLINE Vec3 operator*(const BodyInertia& i, Vec3 v) {
  return {i.m[0] * v.x + i.m[3] * v.y + i.m[4] * v.z, i.m[3] * v.x + i.m[1] * v.y + i.m[5] * v.z,
          i.m[4] * v.x + i.m[5] * v.y + i.m[2] * v.z};
}

/// One element is one lane: a contact, or padding at the end of a color.
struct PrepareContacts {
  // model
  BodyModel model;
  QuatColumn orientation;
  // scratch in
  PairList pairs;
  CacheRows cache_rows;
  SolveRowScratch bodies;
  Column<Index> contact_pair;
  Column<std::uint32_t> sort_contact;
  const Counters* counters;
  const StepParams* params;
  Index null_body;
  // out
  SolverRows lanes;

  TALUS_HD void operator()(Index lane) const {
    int color = 0;
    Index before = 0;  // contacts of earlier colors
    while (lane >= counters->color_begin[color + 1]) before += counters->color_size[color++];
    const Index place = lane - counters->color_begin[color];
    if (place >= counters->color_size[color]) {
      for (int field = 0; field < row::kFields; ++field) lanes.set(field, lane, 0u);
      lanes.set(row::body_a, lane, std::uint32_t(null_body));
      lanes.set(row::body_b, lane, std::uint32_t(null_body));
      return;
    }
    const Index pair = contact_pair[Index(sort_contact[before + place])];
    prepare(lane, pair, color == kOverflowColor);
  }

  TALUS_HD void prepare(Index lane, Index pair, bool split) const {
    const Index a = pairs.owner[pair], b = pairs.partner[pair];
    const BodyVelocity va = bodies.velocity[a], vb = bodies.velocity[b];
    BodyInertia ia = bodies.inertia[a], ib = bodies.inertia[b];
    float ma = va.inv_mass, mb = vb.inv_mass;
    const bool ground = ma == 0.0f || mb == 0.0f;
    if (split) {
      // A body in n overflow contacts lends each of them 1/n of its mass (methods: parallel engine, 3.4).
      const float na = float(bodies.split_count[a]), nb = float(bodies.split_count[b]);
      ma = na * ma;
      mb = nb * mb;
      for (float& m : ia.m) m = na * m;
      for (float& m : ib.m) m = nb * m;
    }
    const Vec3 normal = cache_rows.vector(cache::normal, pair);
    const int count = int(cache_rows.word(cache::count, pair));
    lanes.set(row::body_a, lane, std::uint32_t(a));
    lanes.set(row::body_b, lane, std::uint32_t(b));
    lanes.set(row::pair, lane, std::uint32_t(pair));
    lanes.set(row::count, lane, float(count));
    lanes.set(row::ground, lane, ground ? 1.0f : 0.0f);
    lanes.set(row::normal, lane, normal);
    lanes.set(row::inv_mass_a, lane, ma);
    lanes.set(row::inv_mass_b, lane, mb);
    for (int i = 0; i < 6; ++i) {
      lanes.set(row::inertia_a + i, lane, ia.m[i]);
      lanes.set(row::inertia_b + i, lane, ib.m[i]);
    }
    const std::uint8_t rules_a = model.combine[a], rules_b = model.combine[b];
    lanes.set(row::friction, lane,
              combine(friction_rule(rules_a), friction_rule(rules_b), model.friction[a], model.friction[b]));
    lanes.set(
        row::restitution, lane,
        combine(restitution_rule(rules_a), restitution_rule(rules_b), model.restitution[a], model.restitution[b]));

    lanes.set(row::round_a, lane, roundness(a));
    lanes.set(row::round_b, lane, roundness(b));

    const Quat qa = orientation[a], qb = orientation[b];
    Vec3 center_a{0.0f, 0.0f, 0.0f}, center_b{0.0f, 0.0f, 0.0f};
    float weights = 0.0f, middle_separation = 0.0f, points_give = 0.0f;
    for (int i = 0; i < kMaxPoints; ++i) {
      if (i >= count) {
        for (int field = 0; field < row::kPointFields; ++field) lanes.set(row::at(i, field), lane, 0u);
        continue;
      }
      const Vec3 arm_a = rotate(qa, cache_rows.vector(cache::at(i, cache::local_a), pair));
      const Vec3 arm_b = rotate(qb, cache_rows.vector(cache::at(i, cache::local_b), pair));
      const float separation = cache_rows.number(cache::at(i, cache::separation), pair);
      const Vec3 turn_a = cross(arm_a, normal), turn_b = cross(arm_b, normal);
      const float k = ma + mb + dot(turn_a, ia * turn_a) + dot(turn_b, ib * turn_b);
      const Vec3 relative = vb.linear + cross(vb.angular, arm_b) - va.linear - cross(va.angular, arm_a);
      lanes.set(row::at(i, row::arm_a), lane, arm_a);
      lanes.set(row::at(i, row::arm_b), lane, arm_b);
      lanes.set(row::at(i, row::separation), lane, separation);
      lanes.set(row::at(i, row::mass), lane, 1.0f / k);
      const float impulse = params->warm_start != 0 ? cache_rows.number(cache::at(i, cache::impulse), pair) : 0.0f;
      lanes.set(row::at(i, row::impulse), lane, impulse);
      lanes.set(row::at(i, row::approach), lane, dot(normal, relative));
      lanes.set(row::at(i, row::peak), lane, 0.0f);
      // Friction acts where the surfaces touch: points that are still apart count less.
      const float weight = max_of(1e-3f, 1.0f - max_of(separation, 0.0f) / params->speculative_distance);
      center_a = center_a + weight * arm_a;
      center_b = center_b + weight * arm_b;
      middle_separation += weight * separation;
      weights += weight;
      points_give += k;
    }
    const float share = 1.0f / weights;
    lanes.set(row::middle_separation, lane, share * middle_separation);
    lanes.set(row::points_give, lane, points_give / float(count));
    prepare_friction(lane, pair, count, normal, share * center_a, share * center_b, ma, mb, ia, ib);
  }

  TALUS_HD float roundness(Index body) const {
    const std::uint8_t shape = model.shape[body];
    const bool round = shape == std::uint8_t(ShapeType::sphere) || shape == std::uint8_t(ShapeType::capsule);
    return round ? model.shape_size.x[body] : 0.0f;
  }

  TALUS_HD void prepare_friction(Index lane, Index pair, int count, Vec3 normal, Vec3 at_a, Vec3 at_b, float ma,
                                 float mb, const BodyInertia& ia, const BodyInertia& ib) const {
    const Vec3 t1 = tangent_of(normal), t2 = cross(normal, t1);
    const Vec3 a1 = cross(at_a, t1), a2 = cross(at_a, t2), b1 = cross(at_b, t1), b2 = cross(at_b, t2);
    const float k11 = ma + mb + dot(a1, ia * a1) + dot(b1, ib * b1);
    const float k22 = ma + mb + dot(a2, ia * a2) + dot(b2, ib * b2);
    const float k12 = dot(a1, ia * a2) + dot(b1, ib * b2);
    const float det = 1.0f / (k11 * k22 - k12 * k12);
    float arm = 0.0f;
    for (int i = 0; i < count; ++i) arm += length(lanes.vector(row::at(i, row::arm_a), lane) - at_a);
    const Vec3 an = cross(at_a, normal), bn = cross(at_b, normal);
    lanes.set(row::middle_give, lane, ma + mb + dot(an, ia * an) + dot(bn, ib * bn));
    const Vec3 carried = cache_rows.vector(cache::friction, pair);
    const bool warm = params->warm_start != 0;
    lanes.set(row::tangent, lane, t1);
    lanes.set(row::friction_a, lane, at_a);
    lanes.set(row::friction_b, lane, at_b);
    lanes.set(row::friction_mass, lane, Vec3{det * k22, det * k11, -det * k12});
    lanes.set(row::twist_mass, lane, 1.0f / (dot(normal, ia * normal) + dot(normal, ib * normal)));
    lanes.set(row::twist_arm, lane, arm / float(count));
    lanes.set(row::friction_impulse, lane, warm ? dot(carried, t1) : 0.0f);
    lanes.set(row::friction_impulse + 1, lane, warm ? dot(carried, t2) : 0.0f);
    lanes.set(row::twist_impulse, lane, warm ? cache_rows.number(cache::twist, pair) : 0.0f);
  }
};

}  // namespace talus::inline TALUS_ISA
