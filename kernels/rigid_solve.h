// SPDX-License-Identifier: MIT
// Sweeps of the rigid contact solvers: the velocity-level NCP of a whole step, with a normal and two tangents at each
// point (S1-18, S1-60..67, S1-78..82; S2-05, S2-08, S2-09). What a contact does to its two bodies is solve_contact();
// it takes them with any masses, so that a body may be split between contacts (SplitContacts) or held (a layer of shock
// propagation). OnContacts and SplitContacts bring bodies to contacts and back.
#pragma once
#include "math/atomic.h"
#include "rigid_rows.h"

namespace talus::inline TALUS_ISA {

/// Rows that a sweep solves.
constexpr std::uint32_t kNormalRows = 1, kFrictionRows = 2, kAllRows = 3;

/// The three rows of a point as its two bodies feel them: K = J M^-1 J^T, with the masses that the bodies come with.
template <class Real>
struct PointGive {
  Real nn, n1, n2, k11, k12, k22;
};
template <class Real>
TALUS_INLINE PointGive<Real> point_give(const BodyPair<Real>& bodies, const PointLevers<Real>& levers) {
  const auto give = [&](int r, int s) {
    return bodies.turns_a * dot(levers.row[r].a, levers.row[s].a) +
           bodies.turns_b * dot(levers.row[r].b, levers.row[s].b);
  };
  const Real mass = bodies.inv_mass_a + bodies.inv_mass_b;
  return {mass + give(0, 0), give(0, 1), give(0, 2), mass + give(1, 1), give(1, 2), mass + give(2, 2)};
}

/// [kg] The largest step of friction that is safe in every direction: one over a bound of the larger eigenvalue of
/// K_FF. The same for both tangents: friction that is projected onto a circle after steps of its own along each, or by
/// K_FF^-1, as the course has it for proximal points (S1-82), ends where it does not oppose the slip.
template <class Real>
TALUS_INLINE Real friction_step(const PointGive<Real>& give) {
  return inverse_or_zero(max_of(give.k11, give.k22) + abs_of(give.k12));
}

/// [kg] Steps of the two tangents, each by its own mass. Both start from the same velocities: where one tangent moves
/// what the other one feels, as friction of a needle does that turns it about its axis, they would step twice as far as
/// there is to go, and further from sweep to sweep.
template <class Real>
struct TangentSteps {
  Real first, second;
  TALUS_INLINE explicit TangentSteps(const PointGive<Real>& give) {
    constexpr float kApart = 0.25f;  // [1] square of the cosine between the tangents below which they are left alone
    const Real one(1.0f), shared = give.k12 * give.k12, product = give.k11 * give.k22;
    const Real cosine = square_root(shared * inverse_or_zero(product));
    const Real part = select(shared > Real(kApart) * product, one / (one + cosine), one);
    first = part * inverse_or_zero(give.k11);
    second = part * inverse_or_zero(give.k22);
  }
};

/// What a contact has in common for its points.
template <class Real>
struct RigidFrame {
  Vec3Of<Real> axis[3];  // normal, tangents
  Real count;
  RigidFriction<Real> friction;
};
template <bool kSurfaces, class Real>
TALUS_INLINE RigidFrame<Real> load_rigid_frame(const RigidRows& rows, const RigidSurfaceRows& surfaces, Index lane) {
  RigidFrame<Real> f;
  f.axis[0] = load_vector<Real>(rows, rigid_row::normal, lane);
  f.axis[1] = load_vector<Real>(rows, rigid_row::tangent, lane);
  f.axis[2] = cross(f.axis[0], f.axis[1]);
  f.count = load<Real>(rows, rigid_row::count, lane);
  f.friction = load_friction<kSurfaces, Real>(rows, surfaces, lane);
  return f;
}

/// Applies the impulses that rows start with. kSurfaces, here and below: with RigidSurfaceRows.
template <bool kSurfaces>
struct WarmStartRigid {
  RigidRows rows;
  RigidSurfaceRows surfaces;

  template <class Real>
  TALUS_INLINE void solve_contact(Index lane, BodyPair<Real>& bodies) const {
    const RigidFrame<Real> frame = load_rigid_frame<kSurfaces, Real>(rows, surfaces, lane);
    for (int i = 0; i < kMaxPoints; ++i) {
      if (!any_of(Real(float(i)) < frame.count)) break;
      const PointLevers<Real> levers = load_point_levers<Real>(rows, i, lane);
      for (int r = 0; r < 3; ++r) {
        bodies.apply(load<Real>(rows, rigid_row::at(i, rigid_row::impulse) + r, lane), frame.axis[r], levers.row[r]);
      }
    }
    if constexpr (kSurfaces) warm_start_turning(surfaces, lane, bodies);
  }
};

/// The normal rows of a contact, for solve_tilts.
template <class Real>
struct TiltPoints {
  const RigidRows& rows;
  Index lane;
  TALUS_INLINE Real number(int i, int field) const { return load<Real>(rows, rigid_row::at(i, field), lane); }
  TALUS_INLINE Levers<Real> levers(int i) const {
    return {load_vector<Real>(rows, rigid_row::at(i, rigid_row::lever_a), lane),
            load_vector<Real>(rows, rigid_row::at(i, rigid_row::lever_b), lane)};
  }
  TALUS_INLINE Real impulse(int i) const { return number(i, rigid_row::impulse); }
  TALUS_INLINE Real softness(int i) const { return number(i, rigid_row::softness); }
  TALUS_INLINE Real bias(int i) const { return number(i, rigid_row::bias); }
  TALUS_INLINE void set_impulse(int i, Real impulse) const {
    store(rows, rigid_row::at(i, rigid_row::impulse), lane, impulse);
  }
};

/// One sweep: every point of a contact in turn, with the newest velocities.
template <bool kSurfaces>
struct SweepRigid {
  RigidRows rows;             // in/out: the lane's own
  RigidSurfaceRows surfaces;  // the same
  const StepParams* params;
  const RigidState* state;
  PointSolver point;
  std::uint32_t part;  // kNormalRows, ...
  bool backward;
  bool remember;      // rigid_row::start and rigid_row::update
  bool sticks_first;  // PointSolver::rows: tangents have steps of their own where that leaves the point sticking
  bool restitution;   // some body bounces

  template <class Real>
  TALUS_INLINE void solve_contact(Index lane, BodyPair<Real>& bodies) const {
    const RigidFrame<Real> frame = load_rigid_frame<kSurfaces, Real>(rows, surfaces, lane);
    Real update(0.0f);
    for (int k = 0; k < kMaxPoints; ++k) {
      const int i = backward ? kMaxPoints - 1 - k : k;
      if (!any_of(Real(float(i)) < frame.count)) continue;
      update = update + solve_point(lane, i, bodies, frame);
    }
    if constexpr (kSurfaces) update = update + solve_turning(lane, bodies, frame.count);
    if (remember) store(rows, rigid_row::update, lane, update);
    if ((part & kNormalRows) == 0) return;
    const Mask<Real> slim = load<Real>(rows, rigid_row::slim, lane) > Real(0.0f);
    if (any_of(slim)) solve_tilts<Real>(bodies, slim, TiltPoints<Real>{rows, lane});
  }

 private:
  /// [J] Sum of impulse change^2 / effective mass.
  template <class Real>
  TALUS_INLINE Real solve_point(Index lane, int i, BodyPair<Real>& bodies, const RigidFrame<Real>& frame) const {
    const int field = rigid_row::at(i, rigid_row::impulse);
    const PointLevers<Real> levers = load_point_levers<Real>(rows, i, lane);
    const Vec3Of<Real> before = load_vector<Real>(rows, field, lane);
    PointGive<Real> give = point_give(bodies, levers);
    // A contact whose bodies are both held, or a lane without this point, stays as it is.
    const Mask<Real> moves = Real(float(i)) < frame.count && give.nn > Real(0.0f);
    const Real softness = load<Real>(rows, rigid_row::at(i, rigid_row::softness), lane);
    Real bias = load<Real>(rows, rigid_row::at(i, rigid_row::bias), lane);
    Mask<Real> bounces = Real(1.0f) < Real(0.0f);
    if constexpr (kSurfaces) {
      if (restitution) {
        bounces = moves && load<Real>(surfaces, rigid_surface::at(i, rigid_surface::bounce), lane) < Real(0.0f);
      }
      if (any_of(bounces)) {
        const Real within = bounce_bias(surfaces, lane, i, bodies, frame.axis, levers.row, give.nn, Real(params->h));
        bias = select(bounces, within, bias);
        store(rows, rigid_row::at(i, rigid_row::bias), lane, bias);
      }
    }
    const Real rest = bias + softness * before.x;
    give.nn = give.nn + softness;
    Vec3Of<Real> next;
    if (point == PointSolver::rows) {
      next = solve_rows(bodies, levers, frame, give, rest, before, moves);
    } else {
      [[maybe_unused]] BodyPair<Real> by_rows = bodies;
      const Vec3Of<Real> speed = speeds(bodies, levers, frame, rest);
      next = point == PointSolver::block ? solve_block(frame, give, speed, before)
                                         : solve_prox(frame, give, speed, before);
      next = select<Real>(moves, next, before);
      bodies.apply(next.x - before.x, frame.axis[0], levers.row[0]);
      bodies.apply(next.y - before.y, frame.axis[1], levers.row[1]);
      bodies.apply(next.z - before.z, frame.axis[2], levers.row[2]);
      if constexpr (kSurfaces) {
        if (any_of(bounces)) {  // whose energy is counted for the normal alone, and not for what friction does with it
          next = select<Real>(bounces, solve_rows(by_rows, levers, frame, give, rest, before, moves), next);
          bodies.a = select_motion(bounces, by_rows.a, bodies.a);
          bodies.b = select_motion(bounces, by_rows.b, bodies.b);
        }
      }
    }
    put(field, lane, next);
    if (!remember) return Real(0.0f);
    put(rigid_row::at(i, rigid_row::start), lane, before);
    const Vec3Of<Real> change = next - before;
    return give.nn * change.x * change.x + (give.k11 * change.y * change.y + give.k22 * change.z * change.z);
  }

  template <class Real>
  TALUS_INLINE static Velocity<Real> select_motion(Mask<Real> condition, const Velocity<Real>& yes,
                                                   const Velocity<Real>& no) {
    return {select<Real>(condition, yes.linear, no.linear), select<Real>(condition, yes.angular, no.angular)};
  }
  template <class Real>
  TALUS_INLINE void put(int field, Index lane, Vec3Of<Real> value) const {
    store(rows, field, lane, value.x);
    store(rows, field + 1, lane, value.y);
    store(rows, field + 2, lane, value.z);
  }
  template <class Real>
  TALUS_INLINE static Vec3Of<Real> speeds(const BodyPair<Real>& bodies, const PointLevers<Real>& levers,
                                          const RigidFrame<Real>& frame, Real rest) {
    return {bodies.speed(frame.axis[0], levers.row[0]) + rest, bodies.speed(frame.axis[1], levers.row[1]),
            bodies.speed(frame.axis[2], levers.row[2])};
  }

  /// Rows against turning, of the whole contact: within what its points bear by now. [J] as solve_point.
  template <class Real>
  TALUS_INLINE Real solve_turning(Index lane, BodyPair<Real>& bodies, Real count) const {
    const Real zero(0.0f);
    const Mask<Real> has = resists_turning<Real>(surfaces, lane);
    if ((part & kFrictionRows) == 0 || !any_of(has)) return zero;
    const TurnRows<Real> turns(surfaces, lane, bodies);
    const Mask<Real> moves = has && turns.nn + turns.rolling_give() > zero;
    const Real load_sum = load_on(rows, lane, count);
    const Real factor(point == PointSolver::prox ? state->factor : params->rigid_relaxation);
    const Vec3Of<Real> before = load_vector<Real>(surfaces, rigid_surface::turn_impulse, lane);
    const Vec3Of<Real> next =
        turns.step(before, turns.speeds(bodies), factor, load_sum * load<Real>(surfaces, rigid_surface::torsion, lane),
                   load_sum * load<Real>(surfaces, rigid_surface::rolling, lane));
    const Vec3Of<Real> change = next - before;
    turn_bodies(turns, change, moves, bodies);
    for (int r = 0; r < 3; ++r) {
      const Real was = r == 0   ? before.x
                       : r == 1 ? before.y
                                : before.z,
                 is = r == 0   ? next.x
                      : r == 1 ? next.y
                               : next.z;
      store(surfaces, rigid_surface::turn_impulse + r, lane, select(moves, is, was));
      if (remember) store(surfaces, rigid_surface::turn_start + r, lane, was);
    }
    const Real done =
        turns.nn * change.x * change.x + (turns.k11 * change.y * change.y + turns.k22 * change.z * change.z);
    return select(moves, done, zero);
  }

  /// Projected Gauss-Seidel, over-relaxed if asked for: the normal, then friction within what the normal allows. The
  /// two tangents start from the same velocities, since a circle binds them together; a box lets each have its own
  /// mass.
  template <class Real>
  TALUS_INLINE Vec3Of<Real> solve_rows(BodyPair<Real>& bodies, const PointLevers<Real>& levers,
                                       const RigidFrame<Real>& frame, const PointGive<Real>& give, Real rest,
                                       Vec3Of<Real> before, Mask<Real> moves) const {
    const Real factor(params->rigid_relaxation);
    Vec3Of<Real> next = before;
    if ((part & kNormalRows) != 0) {
      const Real speed = bodies.speed(frame.axis[0], levers.row[0]) + rest;
      next.x = select(moves, max_of(before.x - factor * speed * inverse_or_zero(give.nn), Real(0.0f)), before.x);
      bodies.apply(next.x - before.x, frame.axis[0], levers.row[0]);
    }
    if ((part & kFrictionRows) != 0) {
      const Real s1 = bodies.speed(frame.axis[1], levers.row[1]), s2 = bodies.speed(frame.axis[2], levers.row[2]);
      Real r1, r2;
      if (params->box_friction != 0) {
        const TangentSteps<Real> own(give);
        r1 = own.first;
        r2 = own.second;
      } else {
        r1 = r2 = friction_step(give);
      }
      Real f1 = before.y, f2 = before.z;
      step_friction<kSurfaces>(*params, frame.friction, next.x, factor * s1 * r1, factor * s2 * r2, f1, f2);
      if (sticks_first && params->box_friction == 0) {
        // What sticks at the end has no slip that friction could fail to oppose, and gets there sooner.
        const TangentSteps<Real> own(give);
        const Real g1 = before.y - factor * s1 * own.first, g2 = before.z - factor * s2 * own.second;
        const Mask<Real> sticks = allows_friction<kSurfaces>(*params, frame.friction, next.x, g1, g2);
        f1 = select(sticks, g1, f1);
        f2 = select(sticks, g2, f2);
      }
      next.y = select(moves, f1, before.y);
      next.z = select(moves, f2, before.z);
      bodies.apply(next.y - before.y, frame.axis[1], levers.row[1]);
      bodies.apply(next.z - before.z, frame.axis[2], levers.row[2]);
    }
    return next;
  }

  /// Proximal point: all rows from the same speeds, with one factor for the normal and one for friction (S1-79, S1-80,
  /// S1-82).
  template <class Real>
  TALUS_INLINE Vec3Of<Real> solve_prox(const RigidFrame<Real>& frame, const PointGive<Real>& give, Vec3Of<Real> speed,
                                       Vec3Of<Real> before) const {
    const Real factor(state->factor);
    Vec3Of<Real> next = before;
    if ((part & kNormalRows) != 0) {
      next.x = max_of(before.x - factor * speed.x * inverse_or_zero(give.nn), Real(0.0f));
    }
    if ((part & kFrictionRows) != 0) {
      const Real step = factor * friction_step(give);
      step_friction<kSurfaces>(*params, frame.friction, next.x, step * speed.y, step * speed.z, next.y, next.z);
    }
    return next;
  }

  /// The point by itself: K x + b = w with the contact law (S1-66). It separates if b pulls apart; it sticks if the
  /// impulse that stops it is allowed; else it slips, which is found by projected steps that alternate between the
  /// normal and friction.
  template <class Real>
  TALUS_INLINE Vec3Of<Real> solve_block(const RigidFrame<Real>& frame, const PointGive<Real>& k, Vec3Of<Real> speed,
                                        Vec3Of<Real> before) const {
    constexpr int kSlipSteps = 12;  // of 4 the answer may be off by 5 %, which the next sweep makes good
    const Real zero(0.0f);
    const Vec3Of<Real> b{speed.x - (k.nn * before.x + k.n1 * before.y + k.n2 * before.z),
                         speed.y - (k.n1 * before.x + k.k11 * before.y + k.k12 * before.z),
                         speed.z - (k.n2 * before.x + k.k12 * before.y + k.k22 * before.z)};
    // By the adjugate.
    const Real c00 = k.k11 * k.k22 - k.k12 * k.k12, c01 = k.n2 * k.k12 - k.n1 * k.k22,
               c02 = k.n1 * k.k12 - k.n2 * k.k11;
    const Real c11 = k.nn * k.k22 - k.n2 * k.n2, c12 = k.n1 * k.n2 - k.nn * k.k12, c22 = k.nn * k.k11 - k.n1 * k.n1;
    const Real scale = -inverse_or_zero(k.nn * c00 + k.n1 * c01 + k.n2 * c02);
    const Vec3Of<Real> stick{scale * (c00 * b.x + c01 * b.y + c02 * b.z), scale * (c01 * b.x + c11 * b.y + c12 * b.z),
                             scale * (c02 * b.x + c12 * b.y + c22 * b.z)};
    const Mask<Real> sticks =
        zero <= stick.x && allows_friction<kSurfaces>(*params, frame.friction, stick.x, stick.y, stick.z);

    const Real step = friction_step(k), per_nn = inverse_or_zero(k.nn);
    Vec3Of<Real> slip = before;
    for (int i = 0; i < kSlipSteps; ++i) {
      slip.x = max_of(-(b.x + k.n1 * slip.y + k.n2 * slip.z) * per_nn, zero);
      const Real s1 = b.y + k.n1 * slip.x + k.k11 * slip.y + k.k12 * slip.z;
      const Real s2 = b.z + k.n2 * slip.x + k.k12 * slip.y + k.k22 * slip.z;
      step_friction<kSurfaces>(*params, frame.friction, slip.x, step * s1, step * s2, slip.y, slip.z);
    }
    // Where friction is strong beside the lever that it has on the normal, these steps may run away: what would gain
    // energy is left to rows.
    const Vec3Of<Real> more = slip - before;
    const Vec3Of<Real> gives{k.nn * more.x + k.n1 * more.y + k.n2 * more.z,
                             k.n1 * more.x + k.k11 * more.y + k.k12 * more.z,
                             k.n2 * more.x + k.k12 * more.y + k.k22 * more.z};
    const Mask<Real> gains = !(dot(speed + Real(0.5f) * gives, more) <= zero);
    Vec3Of<Real> row = before;
    row.x = max_of(before.x - speed.x * per_nn, zero);
    const Real pushed = row.x - before.x;
    step_friction<kSurfaces>(*params, frame.friction, row.x, step * (speed.y + k.n1 * pushed),
                             step * (speed.z + k.n2 * pushed), row.y, row.z);
    slip = select<Real>(gains, row, slip);
    const Vec3Of<Real> none{zero, zero, zero};
    return select<Real>(zero <= b.x, none, select<Real>(sticks, stick, slip));
  }
};

/// Bodies as they are.
template <class Record>
struct PlainBodies {
  static constexpr bool kSparse = false;  // true: often nothing moves in a whole pack
  Record* velocity;

  template <class Real>
  TALUS_INLINE void load(const std::uint32_t* a, const std::uint32_t* b, Real record_a[8], Real record_b[8]) const {
    gather_together(&velocity->linear.x, a, record_a);
    gather_together(&velocity->linear.x, b, record_b);
  }
};

/// The two bodies of a contact, and where they are kept. `Bodies` says with which masses and velocities they come.
template <class Real>
struct ContactBodies {
  RowIndices<Real> index_a, index_b;
  Real record_a[8], record_b[8];

  template <class Bodies>
  TALUS_INLINE ContactBodies(const RigidRows& rows, const Bodies& from, Index lane)
      : index_a(rows, rigid_row::body_a, lane), index_b(rows, rigid_row::body_b, lane) {
    from.load(index_a.data(), index_b.data(), record_a, record_b);
  }
  TALUS_INLINE BodyPair<Real> pair() const { return SolveContacts<Sweep::relax, false>::pair_of(record_a, record_b); }
};
/// Whether one of them moves, in any lane.
template <class Real>
TALUS_INLINE bool any_moves(const BodyPair<Real>& bodies) {
  return any_together(bodies.inv_mass_a + bodies.inv_mass_b > Real(0.0f));
}

/// Contacts of a color on their bodies: within a color a dynamic body belongs to one lane, which may write it.
template <class Contacts, class Bodies = PlainBodies<BodyVelocity>>
struct OnContacts {
  Contacts contacts;
  Bodies from;

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    using Records = SolveContacts<Sweep::relax, false>;
    ContactBodies<Real> of(contacts.rows, from, lane);
    BodyPair<Real> bodies = of.pair();
    if (Bodies::kSparse && !any_moves(bodies)) return;
    contacts.solve_contact(lane, bodies);
    Records::store_record(bodies.a, of.record_a);
    Records::store_record(bodies.b, of.record_b);
    BodyVelocity* to = from.velocity;
    scatter_together(&to->linear.x, of.index_a.data(), of.record_a, bodies.inv_mass_a > Real(0.0f));
    scatter_together(&to->linear.x, of.index_b.data(), of.record_b, bodies.inv_mass_b > Real(0.0f));
  }
};

/// Contacts of the overflow color: a body in n of them lends each 1/n of its mass, and what they change is summed as
/// integers (methods: parallel engine, 3.4). ApplySplit adds the sums to the velocities.
template <class Contacts, class Bodies = PlainBodies<BodyVelocity>>
struct SplitContacts {
  Contacts contacts;
  Bodies from;
  Column<SplitSums> sums;
  Column<Index> split_count;

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    const ContactBodies<Real> of(contacts.rows, from, lane);
    BodyPair<Real> bodies = of.pair();
    if (Bodies::kSparse && !any_moves(bodies)) return;
    const Real shares_a = shares_of<Real>(of.index_a.data()), shares_b = shares_of<Real>(of.index_b.data());
    bodies.inv_mass_a = shares_a * bodies.inv_mass_a;
    bodies.turns_a = shares_a * bodies.turns_a;
    bodies.inv_mass_b = shares_b * bodies.inv_mass_b;
    bodies.turns_b = shares_b * bodies.turns_b;
    contacts.solve_contact(lane, bodies);
    add(of.index_a.data(), of.record_a, bodies.a, shares_a, bodies.inv_mass_a);
    add(of.index_b.data(), of.record_b, bodies.b, shares_b, bodies.inv_mass_b);
  }

 private:
  template <class Real>
  TALUS_INLINE Real shares_of(const std::uint32_t* body) const {
    float shares[LaneCount<Real>::value];
    for (int i = 0; i < LaneCount<Real>::value; ++i) shares[i] = float(split_count[Index(body[i])]);
    return load_lanes(shares, Real{});
  }
  template <class Real>
  TALUS_INLINE void add(const std::uint32_t* body, const Real before[8], const Velocity<Real>& after, Real shares,
                        Real inv_mass) const {
    constexpr int kWidth = LaneCount<Real>::value;
    const Real most(1e9f), unit(1.0f / kSplitUnit), share = inverse_or_zero(shares);
    const Real change[6] = {after.linear.x - before[0],  after.linear.y - before[1],  after.linear.z - before[2],
                            after.angular.x - before[4], after.angular.y - before[5], after.angular.z - before[6]};
    float units[6][kWidth], moves[kWidth];
    for (int i = 0; i < 6; ++i) store_lanes(units[i], clamp_to(share * change[i], -most, most) * unit);
    store_lanes(moves, inv_mass);
    for (int k = 0; k < kWidth; ++k) {
      if (!(moves[k] > 0.0f)) continue;
      for (int i = 0; i < 6; ++i) atomic_add(&sums[Index(body[k])].change[i], std::int64_t(units[i][k]));
    }
  }
};

// ---- how far from the answer ----------------------------------------------------------------------------------------

/// How far velocities and impulses of a contact are from the contact law, as the natural map of each point scaled to
/// speeds (S1-84): |min(K_nn x_n, w_n)|, and k |x_t - project(x_t - w_t / k)| with k the larger of K_11 and K_22. Zero
/// where, and only where, the law holds. With whole masses. One lane.
template <bool kSurfaces>
struct MeasureRigid {
  RigidRows rows;  // residual_ and stress: out
  RigidSurfaceRows surfaces;
  const BodyVelocity* velocity;
  const StepParams* params;
  bool energy;  // also rigid_row::update: what is left to do, instead of what was done

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    const BodyPair<Real> bodies = ContactBodies<Real>(rows, PlainBodies<const BodyVelocity>{velocity}, lane).pair();
    const RigidFrame<Real> frame = load_rigid_frame<kSurfaces, Real>(rows, surfaces, lane);
    const Real zero(0.0f);
    Real worst_normal = zero, worst_friction = zero, approach = zero, stress = zero, left = zero;
    for (int i = 0; i < kMaxPoints; ++i) {
      const Mask<Real> has = Real(float(i)) < frame.count;
      if (!any_of(has)) break;
      const PointLevers<Real> levers = load_point_levers<Real>(rows, i, lane);
      const Vec3Of<Real> x = load_vector<Real>(rows, rigid_row::at(i, rigid_row::impulse), lane);
      const Real softness = load<Real>(rows, rigid_row::at(i, rigid_row::softness), lane);
      const PointGive<Real> give = point_give(bodies, levers);
      const Real bias = load<Real>(rows, rigid_row::at(i, rigid_row::bias), lane);
      const Real w = bodies.speed(frame.axis[0], levers.row[0]) + bias + softness * x.x;
      const Real load_speed = (give.nn + softness) * x.x;
      const Real s1 = bodies.speed(frame.axis[1], levers.row[1]), s2 = bodies.speed(frame.axis[2], levers.row[2]);
      const Real k = max_of(give.k11, give.k22), per_k = inverse_or_zero(k);
      Real f1 = x.y, f2 = x.z;
      step_friction<kSurfaces>(*params, frame.friction, x.x, per_k * s1, per_k * s2, f1, f2);
      const Real d1 = x.y - f1, d2 = x.z - f2, off = k * square_root(d1 * d1 + d2 * d2);
      const Real miss = abs_of(min_of(load_speed, w));
      left = left + select(has, miss * miss * inverse_or_zero(give.nn + softness) + off * off * per_k, zero);
      worst_normal = max_of(worst_normal, select(has, miss, zero));
      worst_friction = max_of(worst_friction, select(has, off, zero));
      approach = max_of(approach, select(has, max_of(-w, zero), zero));
      stress = max_of(stress, select(has, load_speed, zero));
    }
    if constexpr (kSurfaces) {
      const Mask<Real> turns = resists_turning<Real>(surfaces, lane);
      if (any_of(turns))
        worst_friction = max_of(worst_friction, select(turns, turning(lane, bodies, frame.count), zero));
    }
    store(rows, rigid_row::residual_normal, lane, worst_normal);
    store(rows, rigid_row::residual_friction, lane, worst_friction);
    store(rows, rigid_row::residual_approach, lane, approach);
    store(rows, rigid_row::stress, lane, stress);
    if (energy) store(rows, rigid_row::update, lane, left);
  }

 private:
  /// [m/s] Of the rows against turning, with the arm that a unit of load has.
  template <class Real>
  TALUS_INLINE Real turning(Index lane, const BodyPair<Real>& bodies, Real count) const {
    const TurnRows<Real> turns(surfaces, lane, bodies);
    const Real torsion = load<Real>(surfaces, rigid_surface::torsion, lane);
    const Real rolling = load<Real>(surfaces, rigid_surface::rolling, lane), load_sum = load_on(rows, lane, count);
    const Vec3Of<Real> x = load_vector<Real>(surfaces, rigid_surface::turn_impulse, lane);
    const Vec3Of<Real> off =
        x - turns.step(x, turns.speeds(bodies), Real(1.0f), load_sum * torsion, load_sum * rolling);
    return max_of(torsion * turns.nn * abs_of(off.x),
                  rolling * turns.rolling_give() * square_root(off.y * off.y + off.z * off.z));
  }
};

/// Sums and maxima over the lanes of a block, in their order. One element is a block; sums are written where they are
/// read in the order of blocks, so that they do not depend on who is faster.
struct ReduceRigid {
  RigidRows rows;
  Column<float> block_sum;
  RigidState* state;
  bool residuals;

  TALUS_HD void operator()(Index block) const {
    float sum = 0.0f, normal = 0.0f, friction = 0.0f, approach = 0.0f, stress = 0.0f;
    for (Index lane = block * kLanes; lane < (block + 1) * kLanes; ++lane) {
      sum = sum + rows.number(rigid_row::update, lane);
      if (!residuals) continue;
      normal = max_of(normal, rows.number(rigid_row::residual_normal, lane));
      friction = max_of(friction, rows.number(rigid_row::residual_friction, lane));
      approach = max_of(approach, rows.number(rigid_row::residual_approach, lane));
      stress = max_of(stress, rows.number(rigid_row::stress, lane));
    }
    block_sum[block] = sum;
    if (!residuals) return;
    atomic_max(&state->residual_normal, std::bit_cast<std::uint32_t>(normal));
    atomic_max(&state->residual_friction, std::bit_cast<std::uint32_t>(friction));
    atomic_max(&state->residual_approach, std::bit_cast<std::uint32_t>(approach));
    atomic_max(&state->stress, std::bit_cast<std::uint32_t>(stress));
  }
};
/// One element is a run of blocks.
struct SumRuns {
  Column<float> block_sum;
  const RigidState* state;
  Column<float> run_sum;  // out
  TALUS_HD void operator()(Index run) const {
    float sum = 0.0f;
    for (Index block = run * kSumRun; block < min_of((run + 1) * kSumRun, state->blocks); ++block) {
      sum = sum + block_sum[block];
    }
    run_sum[run] = sum;
  }
};

/// One element: what was measured is reported.
struct ReportRigid {
  Counters* counters;
  const RigidState* state;
  TALUS_HD void operator()(Index) const {
    counters->residual_complementarity = state->residual_normal;
    counters->residual_friction = state->residual_friction;
    counters->residual_approach = state->residual_approach;
  }
};

// ---- from sweep to sweep --------------------------------------------------------------------------------------------

/// One element, before the first sweep.
struct BeginRigid {
  Counters* counters;
  const StepParams* params;
  RigidState* state;
  Column<Index> open;
  Index sweeps;
  bool sleep;

  TALUS_HD void operator()(Index) const {
    RigidState s{};
    for (int c = 0; c <= kColorCount; ++c) s.sweep_begin[c] = counters->color_begin[c];
    s.lanes = counters->lanes;
    s.blocks = s.lanes / kLanes;
    s.runs = (s.blocks + kSumRun - 1) / kSumRun;
    s.body_lanes = sleep ? counters->active_lanes : counters->row_lanes;
    s.split_rows = counters->split_rows;
    s.best = 3e38f;
    s.factor = params->rigid_relaxation;
    *state = s;
    open[0] = s.lanes > 0 ? 1 : 0;
    counters->sweeps = s.lanes > 0 ? sweeps : 0;
  }
};
/// All but the first are judged only if the one before says so. One element is a sweep.
struct ClearOpen {
  Column<Index> open;
  TALUS_HD void operator()(Index sweep) const { open[sweep + 1] = 0; }
};

/// One element, after a sweep: whether it was the last, whether it stays, and how to go on from it.
///
/// Nonlinear conjugate gradients (S1-72): with g the change of impulses by the sweep, beta = |g|^2 / |g before|^2; the
/// direction begins anew if that exceeds 1. |g|^2 is weighted with the inverse effective masses, which makes it an
/// energy: heavy bodies would outweigh all others.
///
/// Proximal points (S1-82): a sweep that leaves as much to do as the one before, or more, is taken back, and the
/// r-factor cut. "Or more" alone, as printed, lets two states alternate for ever (course notes, E25). What is left is
/// measured where the sweep ends, not by the change of impulses, of which a cut would be progress by itself (E26).
struct JudgeRigid {
  Counters* counters;
  const StepParams* params;
  RigidState* state;
  Column<float> run_sum;
  Column<Index> open;
  Column<float> history;  // empty: not asked for
  Index sweep;
  int stagnation;
  bool judged, nncg, prox, last;

  static constexpr float kCut = 0.7f;           // [1] of the r-factor
  static constexpr float kGrow = 1.05f;         // [1] the way back, with each sweep that stays
  static constexpr float kLeastFactor = 0.05f;  // [1] below which no sweep is taken back
  static constexpr float kProgress = 0.99f;     // [1] a residual that fell less did not fall
  static constexpr float kRounding = 4.8e-7f;   // [1] of the stress: no tolerance below it can be met (S1-84)

  TALUS_HD void operator()(Index) const {
    RigidState& s = *state;
    bool stop = false;
    if (judged) stop = is_over(s);
    if (nncg || prox) decide(s, stop || last);
    open[sweep + 1] = stop ? 0 : 1;
    if (stop) close(s);
  }

 private:
  TALUS_HD bool is_over(RigidState& s) const {
    counters->residual_complementarity = s.residual_normal;
    counters->residual_friction = s.residual_friction;
    counters->residual_approach = s.residual_approach;
    const float residual = std::bit_cast<float>(max_of_bits(s.residual_normal, s.residual_friction));
    const float floor = kRounding * std::bit_cast<float>(s.stress);
    s.residual_normal = s.residual_friction = s.residual_approach = s.stress = 0;
    if (history.size > 0) history[sweep] = residual;
    counters->sweeps = sweep + 1;
    if (residual < kProgress * s.best) {
      s.best = residual;
      s.best_sweep = sweep;
    }
    if (params->rigid_tolerance > 0.0f && residual <= max_of(params->rigid_tolerance, floor)) {
      counters->sweeps_end = std::uint32_t(SweepEnd::tolerance);
      return true;
    }
    if (stagnation > 0 && sweep - s.best_sweep >= stagnation) {
      counters->sweeps_end = std::uint32_t(SweepEnd::stagnation);
      return true;
    }
    return false;
  }

  TALUS_HD void decide(RigidState& s, bool ends) const {
    s.kept = 1;
    s.restarts = 0;
    s.beta = 0.0f;
    s.advance_lanes = s.advance_body_lanes = 0;
    if (ends) return;
    float energy = 0.0f;
    for (Index run = 0; run < s.runs; ++run) energy = energy + run_sum[run];
    const float before = s.energy;
    if (prox) {
      const bool worse = sweep > 0 && energy >= before && energy > 0.0f && s.factor > kLeastFactor;
      s.kept = worse ? 0 : 1;
      s.factor = worse ? kCut * s.factor : min_of(kGrow * s.factor, params->rigid_relaxation);
    }
    if (s.kept != 0) s.energy = energy;
    if (nncg && s.kept != 0 && sweep > 0 && before > 0.0f) {
      const float beta = energy / before;
      s.restarts = beta > 1.0f ? 1 : 0;
      s.beta = beta > 1.0f ? 0.0f : beta;
    }
    if (nncg || s.kept == 0) {
      s.advance_lanes = s.lanes;
      s.advance_body_lanes = s.body_lanes;
    }
  }

  TALUS_HD static void close(RigidState& s) {
    for (Index& begin : s.sweep_begin) begin = 0;
    s.lanes = s.blocks = s.runs = s.body_lanes = s.split_rows = 0;
  }
  TALUS_HD static std::uint32_t max_of_bits(std::uint32_t a, std::uint32_t b) { return a > b ? a : b; }
};

/// Impulses after a sweep: on along the direction, or back to where they were. One lane.
template <bool kSurfaces>
struct AdvanceImpulses {
  RigidRows rows;
  RigidSurfaceRows surfaces;
  const RigidState* state;
  bool nncg;

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    const Real count = load<Real>(rows, rigid_row::count, lane);
    for (int i = 0; i < kMaxPoints; ++i) {
      if (!any_of(Real(float(i)) < count)) break;
      for (int r = 0; r < 3; ++r) {
        const int now = rigid_row::at(i, rigid_row::impulse) + r;
        const Real start = load<Real>(rows, rigid_row::at(i, rigid_row::start) + r, lane);
        advance<Real>(rows, now, rigid_row::at(i, rigid_row::direction) + r, start, lane);
      }
    }
    if constexpr (kSurfaces) {
      if (!any_of(resists_turning<Real>(surfaces, lane))) return;
      for (int r = 0; r < 3; ++r) {
        const Real start = load<Real>(surfaces, rigid_surface::turn_start + r, lane);
        advance<Real>(surfaces, rigid_surface::turn_impulse + r, rigid_surface::turn_direction + r, start, lane);
      }
    }
  }

 private:
  template <class Real, class Table>
  TALUS_INLINE void advance(const Table& table, int field, int direction_field, Real start, Index lane) const {
    const Real swept = load<Real>(table, field, lane), zero(0.0f), beta(state->beta);
    const bool kept = state->kept != 0;
    const Real from = kept ? swept : start;
    if (!nncg) {
      store(table, field, lane, from);
      return;
    }
    const Real along = beta * load<Real>(table, direction_field, lane);
    store(table, field, lane, from + along);
    store(table, direction_field, lane, kept && state->restarts == 0 ? along + (swept - start) : zero);
  }
};
/// The same of velocities, which impulses change linearly. One body a lane.
struct AdvanceVelocities {
  const RigidState* state;
  const BodyVelocity* start;
  BodyVelocity* direction;
  BodyVelocity* velocity;
  bool nncg;

  template <class Real>
  TALUS_INLINE void solve(Index row) const {
    Real now[8], before[8], along[8];
    load_together(&velocity[0].linear.x, row, now);
    load_together(&start[0].linear.x, row, before);
    load_together(&direction[0].linear.x, row, along);
    const Real zero(0.0f), beta(state->beta);
    const bool kept = state->kept != 0;
    for (const int i : {0, 1, 2, 4, 5, 6}) {
      const Real change = now[i] - before[i], step = nncg ? beta * along[i] : zero;
      now[i] = (kept ? now[i] : before[i]) + step;
      along[i] = kept && state->restarts == 0 ? step + change : zero;
    }
    store_together(&velocity[0].linear.x, row, now);
    if (nncg) store_together(&direction[0].linear.x, row, along);
  }
};
/// Velocities before a sweep. One body a lane.
struct RememberVelocities {
  const BodyVelocity* velocity;
  BodyVelocity* start;
  BodyVelocity* direction;
  bool first;

  template <class Real>
  TALUS_INLINE void solve(Index row) const {
    Real now[8];
    load_together(&velocity[0].linear.x, row, now);
    store_together(&start[0].linear.x, row, now);
    if (!first) return;
    for (Real& component : now) component = Real(0.0f);
    store_together(&direction[0].linear.x, row, now);
  }
};

/// For contact problems: velocities, and frames if there is a place for them. One body a lane.
struct KeepBodies {
  const BodyVelocity* velocity;
  const BodyFrame* frame;
  BodyVelocity* kept_velocity;
  BodyFrame* kept_frame;

  template <class Real>
  TALUS_INLINE void solve(Index row) const {
    Real record[8];
    load_together(&velocity[0].linear.x, row, record);
    store_together(&kept_velocity[0].linear.x, row, record);
    if (kept_frame == nullptr) return;
    load_together(&frame[0].orientation.x, row, record);
    store_together(&kept_frame[0].orientation.x, row, record);
  }
};

/// One element: joints are not swept any more once contacts are not.
struct EndJoints {
  Column<Index> live_begin;
  Column<Index> open;
  Index sweep;
  Counters* counters;
  TALUS_HD void operator()(Index) const {
    if (open[sweep + 1] != 0) return;
    for (Index color = 0; color < live_begin.size; ++color) live_begin[color] = 0;
    counters->tree_batches = 0;
  }
};

}  // namespace talus::inline TALUS_ISA
