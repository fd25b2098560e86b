// SPDX-License-Identifier: MIT
// End of a step: what was solved becomes state, and is reported.
#pragma once
#include "columns.h"
#include "contact_columns.h"
#include "integrate.h"
#include "math/atomic.h"
#include "math/bits.h"
#include "math/vec3.h"
#include "prepare.h"
#include "solve.h"
#include "solve_columns.h"

namespace talus::inline TALUS_ISA {

constexpr float kSlowStep = 0.06f;  // [rad] half the turn of a step from which on rounding is kept small at a price

/// Positions and velocities of bodies. One that left the finite range stays where it was, frozen. Clears the inputs.
struct FinishBodies {
  // model
  BodyModel model;
  // scratch in
  Column<BodyVelocity> velocity;
  Column<BodyFrame> frame;
  Column<BodyDisplacement> displacement;
  // out: one row a lane
  BodyState state;
  BodyInputs inputs;
  Counters* counters;
  bool carriers;  // some body is kinematic

  template <class Real>
  TALUS_INLINE void solve(Index row) const {
    const Real zero(0.0f), limit(kMaxSpeed);
    const Vec3Of<Real> none{zero, zero, zero};
    store(inputs.force, row, none);
    store(inputs.torque, row, none);
    if (carriers) {
      store(inputs.linear_change, row, none);
      store(inputs.angular_change, row, none);
    }
    const Mask<Real> alive = load_bytes<Real>(model.alive, row) > zero;
    const Mask<Real> frozen = load_bytes<Real>(state.frozen, row) > zero;
    const Mask<Real> asleep = load_bytes<Real>(state.asleep, row) > zero;
    const Mask<Real> moves =
        alive && !frozen && !asleep && !(load_bytes<Real>(model.motion, row) == Real(float(Motion::fixed)));
    Real now[8], axes[8], gone[8];
    load_together(&velocity.data->linear.x, row, now);
    load_together(&frame.data->orientation.x, row, axes);
    load_together(&displacement.data->shift.x, row, gone);
    const Vec3Of<Real> x = load<Real>(state.position, row), v = load<Real>(state.linear_velocity, row);
    const Vec3Of<Real> w = load<Real>(state.angular_velocity, row), per_axis{axes[4], axes[5], axes[6]};
    const QuatOf<Real> q = load<Real>(state.orientation, row), start{axes[0], axes[1], axes[2], axes[3]};

    const Vec3Of<Real> x_next = x + Vec3Of<Real>{gone[0], gone[1], gone[2]};
    Vec3Of<Real> v_next{now[0], now[1], now[2]};
    QuatOf<Real> q_next = normalized(start * QuatOf<Real>{gone[4], gone[5], gone[6], gone[7]});
    // In differences: what no impulse changed keeps its bits.
    const Vec3Of<Real> change = Vec3Of<Real>{now[4], now[5], now[6]} - scaled_spin(start, per_axis, w);
    Vec3Of<Real> w_next = w + rotate(start, scale(per_axis, change));
    const Mask<Real> far = !is_same<Real>(start, q) || gone[3] > zero ||
                           gone[4] * gone[4] + gone[5] * gone[5] + gone[6] * gone[6] > Real(kSlowStep * kSlowStep);
    if (any_of(far && moves)) finish_far(row, lane_bits(far && moves), q_next, w_next);
    if (carriers) {  // kinematic bodies keep what they were given: see PrepareBodies::speed_up
      const Mask<Real> driven = !(now[3] > zero);
      v_next = select<Real>(driven, v, v_next);
      w_next = select<Real>(driven, w, w_next);
    }
    const Real speed = IntegrateVelocities::largest(v_next) + IntegrateVelocities::largest(w_next);
    const Mask<Real> good = !(now[7] > zero) && speed < limit &&
                            IntegrateVelocities::largest(x_next) < Real(kMaxPosition) &&
                            is_finite(q_next.x + q_next.y + q_next.z + q_next.w);
    store(state.position, row, select<Real>(moves && good, x_next, x));
    store(state.orientation, row, select<Real>(moves && good, q_next, q));
    store(state.linear_velocity, row, select<Real>(moves, select<Real>(good, v_next, none), v));
    store(state.angular_velocity, row, select<Real>(moves, select<Real>(good, w_next, none), w));
    const Mask<Real> bad = moves && !good;
    if (any_of(bad)) freeze(row, lane_bits(bad));
  }

  /// Where differences are large they are no help against rounding.
  template <class Real>
  TALUS_INLINE void finish_far(Index row, unsigned lanes_of_rows, QuatOf<Real>& q_next, Vec3Of<Real>& w_next) const {
    LaneTurns<Real> lanes(q_next, w_next);
    for (; lanes_of_rows != 0; lanes_of_rows &= lanes_of_rows - 1u) {
      const int lane = lowest_bit(lanes_of_rows);
      const Index body = row + lane;
      const Vec3 inverse = model.inv_inertia[body];
      const bool round = inverse.x == inverse.y && inverse.y == inverse.z;
      if (round && !(displacement[body].to_turn > 0.0f)) continue;
      const Quat begin = state.orientation[body];
      Quat q;
      Vec3 w = state.angular_velocity[body];
      const Vec3 before = scaled_spin(begin, frame[body].scale, w);
      finish_free_turn(frame[body], begin, before, displacement[body].turn, velocity[body].angular, q, w);
      lanes.set(lane, q, w);
    }
    lanes.get(q_next, w_next);
  }

  TALUS_HD void freeze(Index row, unsigned lanes_of_rows) const {
    for (; lanes_of_rows != 0; lanes_of_rows &= lanes_of_rows - 1u) {
      const Index body = row + lowest_bit(lanes_of_rows);
      state.frozen[body] = 1;
      atomic_min(&counters->first_bad_row, body);
    }
  }
};

/// Impulses for the next step's warm start. Padding lanes have no points. kSurfaces: contacts have SurfaceRows.
template <bool kSurfaces>
struct StoreImpulses {
  SolverRows rows;
  ContactRecords contacts;  // out: the lane's own
  const StepParams* params;
  bool restitution;  // some body bounces
  // with kSurfaces
  SurfaceRows surfaces{};
  Column<RollingImpulse> rolling{};  // out: the lane's own

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    const Real zero(0.0f), count = load<Real>(rows, row::count, lane);
    if (LaneCount<Real>::value > 1 && !any_of(zero < count)) return;  // a pack of padding
    Real impulse[kMaxPoints], load_sum = zero;
    TALUS_UNROLL
    for (int i = 0; i < kMaxPoints; ++i) {
      const Mask<Real> has = Real(float(i)) < count;
      impulse[i] = any_of(has) ? select(has, load<Real>(rows, row::at(i, row::impulse), lane), zero) : zero;
      load_sum = load_sum + impulse[i];
    }
    // The normal impulses may have fallen after friction was solved: what is carried on stays within its limit.
    const Real limit = load<Real>(rows, row::friction, lane) * load_sum;
    Real twist_limit = limit * load<Real>(rows, row::twist_arm, lane);
    if constexpr (kSurfaces) twist_limit = twist_limit + load_sum * load<Real>(surfaces, surface::torsion, lane);
    const Real twist = clamp_to(load<Real>(rows, row::twist_impulse, lane), -twist_limit, twist_limit);
    Real f1 = load<Real>(rows, row::friction_impulse, lane), f2 = load<Real>(rows, row::friction_impulse + 1, lane);
    const SolveContacts<Sweep::relax, false, kSurfaces> solved{.rows = rows,
                                                               .velocity = nullptr,
                                                               .moved = nullptr,
                                                               .params = params,
                                                               .restitution = false,
                                                               .surfaces = surfaces};
    solved.project(lane, limit, load_sum, f1, f2);
    const Vec3Of<Real> normal = load_vector<Real>(rows, row::normal, lane);
    const Vec3Of<Real> t1 = load_vector<Real>(rows, row::tangent, lane), t2 = cross(normal, t1);
    Real kept(1.0f);  // [1] what bodies bounced with is not carried on
    if (restitution) {
      const Real part = min_of(load<Real>(rows, row::load, lane) / max_of(load_sum, Real(1e-30f)), kept);
      kept = select(load<Real>(rows, row::energy, lane) < zero, kept, part);
    }
    const Vec3Of<Real> friction = kept * (f1 * t1 + f2 * t2);
    const Real unit[8] = {friction.x,        friction.y,        friction.z,        kept * twist,
                          kept * impulse[0], kept * impulse[1], kept * impulse[2], kept * impulse[3]};
    const RowIndices<Real> pairs(rows, row::pair, lane);
    scatter_unit_together(contacts, pairs.data(), kImpulseUnit, unit, zero < count);
    if constexpr (kSurfaces) store_rolling(lane, pairs, count, kept * load_sum, t1, t2);
  }

  template <class Real>
  TALUS_INLINE void store_rolling(Index lane, const RowIndices<Real>& pairs, Real count, Real load_sum, Vec3Of<Real> t1,
                                  Vec3Of<Real> t2) const {
    constexpr int kWidth = LaneCount<Real>::value;
    const Real zero(0.0f);
    Real r1 = load<Real>(surfaces, surface::roll_impulse, lane),
         r2 = load<Real>(surfaces, surface::roll_impulse + 1, lane);
    project_on_circle(load<Real>(surfaces, surface::rolling, lane) * load_sum, r1, r2);
    const Vec3Of<Real> torque = r1 * t1 + r2 * t2;
    float x[kWidth], y[kWidth], z[kWidth];
    store_lanes(x, torque.x + zero);
    store_lanes(y, torque.y + zero);
    store_lanes(z, torque.z + zero);
    const unsigned wanted = lane_bits(zero < count);
    for (int i = 0; i < kWidth; ++i) {
      if ((wanted >> i) & 1u) rolling[Index(pairs.data()[i])] = {{x[i], y[i], z[i]}, 0.0f};
    }
  }
};

/// How far velocities and impulses are from the contact law: for every point, min(impulse / mass, speed) would be zero,
/// and for every manifold k |f - project(f - slip / k)| with k the larger eigenvalue of its tangential matrix (S1-84,
/// the natural map, scaled to speeds). Floats >= 0 are ordered as their bits are, so an integer maximum serves.
template <bool kSurfaces>
struct MeasureResidual {
  SolveContacts<Sweep::relax, false, kSurfaces> contacts;
  Counters* counters;

  TALUS_HD void operator()(Index lane) const {
    const SolverRows& rows = contacts.rows;
    const int count = int(rows.number(row::count, lane));
    if (count == 0) return;
    float record_a[8], record_b[8];
    gather_records(&contacts.velocity->linear.x, rows.at(row::body_a, lane), record_a);
    gather_records(&contacts.velocity->linear.x, rows.at(row::body_b, lane), record_b);
    const BodyPair<float> bodies = contacts.pair_of(record_a, record_b);
    const Vec3 normal = rows.vector(row::normal, lane);
    for (int i = 0; i < count; ++i) {
      const float gap = max_of(rows.number(row::at(i, row::separation), lane), 0.0f);
      const float speed =
          bodies.speed(normal, contacts.template point_levers<float>(i, lane)) + contacts.params->inv_h * gap;
      const float push = rows.number(row::at(i, row::impulse), lane) / rows.number(row::at(i, row::mass), lane);
      atomic_max(&counters->residual_complementarity, std::bit_cast<std::uint32_t>(abs_of(min_of(push, speed))));
      atomic_max(&counters->residual_approach, std::bit_cast<std::uint32_t>(max_of(-speed, 0.0f)));
    }
    atomic_max(&counters->residual_friction, std::bit_cast<std::uint32_t>(friction_residual(lane, bodies, normal)));
  }

 private:
  TALUS_HD float friction_residual(Index lane, const BodyPair<float>& bodies, Vec3 normal) const {
    const SolverRows& rows = contacts.rows;
    if (rows.number(row::line, lane) > 0.0f) {
      BodyPair<float> tried = bodies;
      float residual = 0.0f;
      contacts.rubbed_line(lane, tried, true, residual);
      return residual;
    }
    const Vec3 t1 = rows.vector(row::tangent, lane), t2 = cross(normal, t1);
    const float rate = rows.number(row::friction_rate, lane), load = contacts.sum_of(row::impulse, lane);
    const float step1 =
        rate * bodies.speed(t1, contacts.template load_levers<float>(row::friction_a1, row::friction_b1, lane));
    const float step2 =
        rate * bodies.speed(t2, contacts.template load_levers<float>(row::friction_a2, row::friction_b2, lane));
    const float f1 = rows.number(row::friction_impulse, lane), f2 = rows.number(row::friction_impulse + 1, lane);
    float n1 = f1, n2 = f2;
    contacts.step_and_project(lane, rows.number(row::friction, lane) * load, load, step1, step2, n1, n2);
    return square_root((f1 - n1) * (f1 - n1) + (f2 - n2) * (f2 - n2)) / rate;
  }
};

/// Row-major 3x4 matrices for instanced rendering. One element is one row.
struct FillInstanceTransforms {
  BodyModel model;
  BodyState state;
  Column<float> out;  // 12 a row; zeros where there is no body

  TALUS_HD void operator()(Index body) const {
    const bool alive = model.alive[body] != 0;
    const Mat3 r = matrix_of(state.orientation[body]);
    const Vec3 p = state.position[body];
    const float m[12] = {r.row0.x, r.row0.y, r.row0.z, p.x,      r.row1.x, r.row1.y,
                         r.row1.z, p.y,      r.row2.x, r.row2.y, r.row2.z, p.z};
    for (int i = 0; i < 12; ++i) out[body * 12 + i] = alive ? m[i] : 0.0f;
  }
};

/// One element: the cache written by this step is the next one's past.
struct EndStep {
  Counters* counters;
  TALUS_HD void operator()(Index) const {
    if (counters->must_grow == 0) counters->cached_rows = counters->rows;
  }
};

}  // namespace talus::inline TALUS_ISA
