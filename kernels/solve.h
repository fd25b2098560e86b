// SPDX-License-Identifier: MIT
// The contact solve: projected Gauss-Seidel within a manifold and from color to color, mass-split Jacobi for the
// overflow color. Templates over Real: a lane is a contact, a CUDA thread has one, a SIMD pack as many as it is wide.
//
// Normal rows are soft constraints (S1-26/27), biased in the first sweep of a sub-step and free of bias in the relaxing
// one after positions moved, so that the push that removes penetration leaves no velocity behind. Friction acts once a
// manifold, in the relaxing sweep: a force in the tangent plane and a twist about the normal.
#pragma once
#include "contact_columns.h"
#include "friction.h"
#include "lanes.h"
#include "line_friction.h"
#include "math/atomic.h"
#include "math/bits.h"
#include "pair_energy.h"
#include "softness.h"
#include "solve_columns.h"
#include "step_params.h"
#include "tilts.h"

namespace talus::inline TALUS_ISA {

/// Which sweep.
enum class Sweep : std::uint32_t {
  warm_start,  // applies the impulses carried over from the last step
  biased,      // removes penetration
  relax,       // takes the bias out of the velocities, and applies friction
  bounce,      // restitution, after the last sub-step
};

constexpr float kTouching = 1e-4f;  // [1] of the distance of points from their middle: a gap that is none
constexpr float kSplitUnit = 1.0f / 4294967296.0f;  // [m/s, rad/s] 2^-32: resolution of the split sums

template <class Real>
struct Velocity {
  Vec3Of<Real> linear, angular;  // angular: scaled axes, see solve_columns.h
};

/// One direction at one point, as the two bodies feel it when they turn: levers in scaled axes.
template <class Real>
struct Levers {
  Vec3Of<Real> a, b;
};

/// The two bodies of a contact, in registers.
template <class Real>
struct BodyPair {
  Velocity<Real> a, b;
  Real inv_mass_a, inv_mass_b;
  Real rub_a, rub_b;      // [1/kg] for friction: more than the others where what is squeezed slides (squeeze.h)
  Real turns_a, turns_b;  // 1: contacts turn the body, 0: they do not; times the contacts that share it, if split

  /// Speed by turning alone, of B against A.
  TALUS_INLINE Real turn_speed(const Levers<Real>& levers) const {
    return dot(levers.b, b.angular) - dot(levers.a, a.angular);
  }
  /// Speed of B against A along a direction at a point.
  TALUS_INLINE Real speed(Vec3Of<Real> direction, const Levers<Real>& levers) const {
    return dot(direction, b.linear - a.linear) + turn_speed(levers);
  }
  TALUS_INLINE void push(Vec3Of<Real> impulse) {
    a.linear = a.linear - inv_mass_a * impulse;
    b.linear = b.linear + inv_mass_b * impulse;
  }
  TALUS_INLINE void rub(Vec3Of<Real> impulse) {
    a.linear = a.linear - rub_a * impulse;
    b.linear = b.linear + rub_b * impulse;
  }
  TALUS_INLINE void turn(Real impulse, const Levers<Real>& levers) {
    a.angular = a.angular - (turns_a * impulse) * levers.a;
    b.angular = b.angular + (turns_b * impulse) * levers.b;
  }
  /// Impulse on B along a direction at a point, and its opposite on A.
  TALUS_INLINE void apply(Real impulse, Vec3Of<Real> direction, const Levers<Real>& levers) {
    push(impulse * direction);
    turn(impulse, levers);
  }
  /// The same by friction.
  TALUS_INLINE void apply_rub(Real impulse, Vec3Of<Real> direction, const Levers<Real>& levers) {
    rub(impulse * direction);
    turn(impulse, levers);
  }
};

/// One sweep over the contacts of a lane range. Within a color a dynamic body belongs to one lane, which may write it.
/// kMoved: the first sweep since bodies moved. kSurfaces: contacts have SurfaceRows.
template <Sweep kSweep, bool kMoved, bool kSurfaces = false>
struct SolveContacts {
  static constexpr bool kServesOne = true;  // small worlds have colors of one contact
  SolverRows rows;
  BodyVelocity* velocity;
  const BodyMove* moved;  // since the last sweep; read if kMoved
  const StepParams* params;
  bool restitution;   // some body bounces
  bool first = true;  // biased: the first sweep of a sub-step
  BodyVelocity* free_velocity = nullptr;
  // how far bodies turned since the step began; read in bounce sweeps
  const BodyFrame* frame = nullptr;
  const BodyDisplacement* displacement = nullptr;
  // with kSurfaces
  SurfaceRows surfaces{};
  bool poisson = false;  // RestitutionModel::poisson
  float carry = 0.0f;    // [1] of row::carry, at this time of the step; 0: the world has no kinematic bodies

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    if constexpr (kSweep == Sweep::bounce) {
      if (LaneCount<Real>::value > 1 && !any_of(takes_part<Real>(lane))) return;
    }
    const RowIndices<Real> index_a(rows, row::body_a, lane), index_b(rows, row::body_b, lane);
    Real record_a[8], record_b[8];
    gather_together(&velocity->linear.x, index_a.data(), record_a);
    gather_together(&velocity->linear.x, index_b.data(), record_b);
    BodyPair<Real> bodies = pair_of(record_a, record_b);
    const Seldom<Real> left = solve_manifold(lane, index_a, index_b, bodies, params->contact, params->ground);
    store_record(bodies.a, record_a);
    store_record(bodies.b, record_b);
    Mask<Real> moves_a = bodies.inv_mass_a > Real(0.0f), moves_b = bodies.inv_mass_b > Real(0.0f);
    if constexpr (kSweep == Sweep::bounce) {
      moves_a = moves_a && takes_part<Real>(lane);
      moves_b = moves_b && takes_part<Real>(lane);
    }
    scatter_together(&velocity->linear.x, index_a.data(), record_a, moves_a);
    scatter_together(&velocity->linear.x, index_b.data(), record_b, moves_b);
    if constexpr (kSweep == Sweep::relax || kSweep == Sweep::bounce) {
      see_together();
      if (any_of(left.rub)) rub_lines<Real>(*this, lane, left.rub);
    }
    if constexpr (kSweep == Sweep::relax) {
      if (any_of(is_slim<Real>(lane))) level_slim<Real>(*this, lane);
      if (any_of(left.hit)) settle_impacts(*this, lane, lane_bits(left.hit));
      if (carry > 0.0f) hold_carried<Real>(unmoved(), lane);
    }
  }
  /// In bounce sweeps, see bounce.h. All take part in the others.
  template <class Real>
  TALUS_INLINE Mask<Real> takes_part(Index lane) const {
    return Real(0.0f) <= load<Real>(rows, row::energy, lane);
  }
  /// Of the lanes that take part.
  template <class Real, class Rows>
  TALUS_INLINE void put(const Rows& table, int field, Index lane, Real value) const {
    if constexpr (kSweep == Sweep::bounce) {
      value = select(takes_part<Real>(lane), value, load<Real>(table, field, lane));
    }
    store(table, field, lane, value);
  }
  /// Lanes with something that few contacts need, and that the loop has no registers for.
  template <class Real>
  struct Seldom {
    Mask<Real> rub;  // friction of two points
    Mask<Real> hit;  // the load grew so much that it was an impact
  };

  /// How far the bodies of a contact got since the last sweep. Means nothing if they stayed where they were.
  template <class Real>
  struct Moves {
    Real shift;         // [m] of the centre of B against that of A, along the normal
    Levers<Real> turn;  // scaled axes
  };
  template <class Real>
  TALUS_INLINE Moves<Real> moves_of(const RowIndices<Real>& index_a, const RowIndices<Real>& index_b,
                                    Vec3Of<Real> normal) const {
    if constexpr (!kMoved) return {};
    Real a[8], b[8];
    gather_together(&moved->shift.x, index_a.data(), a);
    gather_together(&moved->shift.x, index_b.data(), b);
    return {dot(normal, Vec3Of<Real>{b[0] - a[0], b[1] - a[1], b[2] - a[2]}), {{a[4], a[5], a[6]}, {b[4], b[5], b[6]}}};
  }

  template <class Real>
  TALUS_INLINE static BodyPair<Real> pair_of(const Real record_a[8], const Real record_b[8]) {
    BodyPair<Real> p;
    p.a = {{record_a[0], record_a[1], record_a[2]}, {record_a[4], record_a[5], record_a[6]}};
    p.b = {{record_b[0], record_b[1], record_b[2]}, {record_b[4], record_b[5], record_b[6]}};
    p.inv_mass_a = record_a[3];
    p.inv_mass_b = record_b[3];
    p.rub_a = record_a[3] * (Real(1.0f) - record_a[7]);
    p.rub_b = record_b[3] * (Real(1.0f) - record_b[7]);
    p.turns_a = select(record_a[3] > Real(0.0f), Real(1.0f), Real(0.0f));
    p.turns_b = select(record_b[3] > Real(0.0f), Real(1.0f), Real(0.0f));
    return p;
  }
  template <class Real>
  TALUS_INLINE static void store_record(const Velocity<Real>& v, Real record[8]) {
    record[0] = v.linear.x;
    record[1] = v.linear.y;
    record[2] = v.linear.z;
    record[4] = v.angular.x;
    record[5] = v.angular.y;
    record[6] = v.angular.z;
  }
  template <class Real>
  TALUS_INLINE Levers<Real> load_levers(int field_a, int field_b, Index lane) const {
    return {load_vector<Real>(rows, field_a, lane), load_vector<Real>(rows, field_b, lane)};
  }
  template <class Real>
  TALUS_INLINE Levers<Real> point_levers(int point, Index lane) const {
    return load_levers<Real>(row::at(point, row::lever_a), row::at(point, row::lever_b), lane);
  }

  /// Whether any lane has a point: contacts of a color are sorted by their number of points, the most come first.
  template <class Real>
  TALUS_INLINE static bool is_reached(int point, Real count) {
    return float(point) < first_lane(count);
  }

  /// All rows of one manifold, but what is seldom.
  template <class Real>
  TALUS_INLINE Seldom<Real> solve_manifold(Index lane, const RowIndices<Real>& index_a, const RowIndices<Real>& index_b,
                                           BodyPair<Real>& bodies, const Softness& contact,
                                           const Softness& ground) const {
    const Vec3Of<Real> normal = load_vector<Real>(rows, row::normal, lane);
    const Real count = load<Real>(rows, row::count, lane);
    const Mask<Real> none = Real(1.0f) < Real(0.0f);
    Seldom<Real> left{none, none};
    Real impulse[kMaxPoints];
    TALUS_UNROLL
    for (int i = 0; i < kMaxPoints; ++i) {
      impulse[i] = is_reached(i, count) ? load<Real>(rows, row::at(i, row::impulse), lane) : Real(0.0f);
    }
    if constexpr (kSweep == Sweep::warm_start) {
      warm_start(lane, bodies, normal, count, impulse);
    } else {
      const Real load_before = impulse[0] + impulse[1] + impulse[2] + impulse[3];
      if (kSweep == Sweep::biased && first) store(rows, row::load, lane, load_before);
      if constexpr (kSweep == Sweep::bounce) {
        left.rub = solve_friction(lane, bodies, normal, load_before) && takes_part<Real>(lane);
      }
      const Moves<Real> moves = moves_of(index_a, index_b, normal);
      [[maybe_unused]] Real budget(0.0f);  // [J] that bouncing may add; negative: that it has added too much
      if constexpr (kSweep == Sweep::bounce) budget = energy_lost(lane, index_a, index_b, bodies, normal);
      const Real change = solve_normals(lane, bodies, moves, normal, count, impulse, contact, ground, budget);
      if constexpr (kSweep == Sweep::relax) {
        // After the normals: the load is what bears the bodies now, and the slip has no push in it.
        left.rub = solve_friction(lane, bodies, normal, max_of(load_before + change, Real(0.0f)));
        left.hit = change * load<Real>(rows, row::middle_give, lane) > Real(params->impact_speed);
      }
    }
    return left;
  }

  template <class Real>
  TALUS_INLINE Mask<Real> is_slim(Index lane) const {
    return load<Real>(rows, row::slim, lane) > Real(0.0f);
  }
  /// Apart from the loop, which has no registers for it, and by threads that are not together.
  template <class Real>
  TALUS_SELDOM static void level_slim(SolveContacts kernel, Index lane) {
    const RowIndices<Real> index_a(kernel.rows, row::body_a, lane), index_b(kernel.rows, row::body_b, lane);
    Real record_a[8], record_b[8];
    gather_records(&kernel.velocity->linear.x, index_a.data(), record_a);
    gather_records(&kernel.velocity->linear.x, index_b.data(), record_b);
    BodyPair<Real> bodies = pair_of(record_a, record_b);
    const Mask<Real> slim = kernel.template is_slim<Real>(lane);
    kernel.level_and_rub(lane, bodies, slim);
    store_record(bodies.a, record_a);
    store_record(bodies.b, record_b);
    scatter_records(&kernel.velocity->linear.x, index_a.data(), record_a, slim && bodies.inv_mass_a > Real(0.0f));
    scatter_records(&kernel.velocity->linear.x, index_b.data(), record_b, slim && bodies.inv_mass_b > Real(0.0f));
  }
  /// Then friction again: it came before the tilts, with a slip that a tall body has by turning.
  template <class Real>
  TALUS_INLINE void level_and_rub(Index lane, BodyPair<Real>& bodies, Mask<Real> slim) const {
    solve_tilts<Real>(bodies, slim, TiltPoints<Real>{*this, lane});
    Real load_sum(0.0f);
    for (int i = 0; i < kMaxPoints; ++i) load_sum = load_sum + load<Real>(rows, row::at(i, row::impulse), lane);
    const Real limit = load<Real>(rows, row::friction, lane) * load_sum;
    solve_plane(lane, bodies, load_vector<Real>(rows, row::normal, lane), limit, load_sum, !slim);
  }
  /// The same for friction of two points.
  template <class Real>
  TALUS_SELDOM static void rub_lines(SolveContacts kernel, Index lane, Mask<Real> rub) {
    const RowIndices<Real> index_a(kernel.rows, row::body_a, lane), index_b(kernel.rows, row::body_b, lane);
    Real record_a[8], record_b[8];
    gather_records(&kernel.velocity->linear.x, index_a.data(), record_a);
    gather_records(&kernel.velocity->linear.x, index_b.data(), record_b);
    BodyPair<Real> bodies = pair_of(record_a, record_b);
    kernel.rub_line(lane, bodies, rub);
    store_record(bodies.a, record_a);
    store_record(bodies.b, record_b);
    scatter_records(&kernel.velocity->linear.x, index_a.data(), record_a, rub && bodies.inv_mass_a > Real(0.0f));
    scatter_records(&kernel.velocity->linear.x, index_b.data(), record_b, rub && bodies.inv_mass_b > Real(0.0f));
  }
  /// The points of a contact in a relaxing sweep, for solve_tilts.
  template <class Real>
  struct TiltPoints {
    const SolveContacts& contacts;
    Index lane;
    TALUS_INLINE Levers<Real> levers(int i) const { return contacts.point_levers<Real>(i, lane); }
    TALUS_INLINE Real impulse(int i) const { return load<Real>(contacts.rows, row::at(i, row::impulse), lane); }
    TALUS_INLINE Real softness(int) const { return Real(0.0f); }
    TALUS_INLINE Real bias(int i) const {
      return contacts.bias_of(load<Real>(contacts.rows, row::at(i, row::separation), lane), LaneSoftness<Real>{});
    }
    TALUS_INLINE void set_impulse(int i, Real impulse) const { contacts.store_impulse(i, lane, impulse); }
  };

  /// Whether one of two bodies is kinematic and moves.
  template <class Real>
  TALUS_INLINE static Mask<Real> is_carried(const BodyPair<Real>& bodies) {
    const Real zero(0.0f);
    const auto moves = [&](const Velocity<Real>& v) {
      return dot(v.linear, v.linear) + dot(v.angular, v.angular) > zero;
    };
    return (!(bodies.inv_mass_a > zero) && moves(bodies.a)) || (!(bodies.inv_mass_b > zero) && moves(bodies.b));
  }
  TALUS_INLINE SolveContacts<kSweep, false, kSurfaces> unmoved() const {
    return {rows,          velocity, moved,        params,   restitution, first,
            free_velocity, frame,    displacement, surfaces, poisson,     carry};
  }
  /// The normals and friction of what is carried once more. Friction takes a body for one that is free to turn, and
  /// gives it a part of the carrier's velocity; what is left after a sub-step goes on in the next one, and after each
  /// change of the carrier's velocity the body was ahead of it, by up to 0.7 of a sub-step's way. By single threads.
  template <class Real>
  TALUS_SELDOM static void hold_carried(SolveContacts<kSweep, false, kSurfaces> kernel, Index lane) {
    const RowIndices<Real> index_a(kernel.rows, row::body_a, lane), index_b(kernel.rows, row::body_b, lane);
    Real record_a[8], record_b[8];
    gather_records(&kernel.velocity->linear.x, index_a.data(), record_a);
    gather_records(&kernel.velocity->linear.x, index_b.data(), record_b);
    unsigned lanes = lane_bits(is_carried(pair_of(record_a, record_b)));
    for (; lanes != 0; lanes &= lanes - 1u) kernel.hold_one(lane + lowest_bit(lanes));
  }
  TALUS_HD void hold_one(Index lane) const {
    const std::uint32_t a = rows.word(row::body_a, lane), b = rows.word(row::body_b, lane);
    float record_a[8], record_b[8];
    load_record(&velocity->linear.x, a, record_a);
    load_record(&velocity->linear.x, b, record_b);
    BodyPair<float> bodies = pair_of(record_a, record_b);
    solve_once(lane, bodies, params->contact, params->ground);
    write_one(velocity, a, b, bodies, record_a, record_b);
  }
  TALUS_HD void solve_once(Index lane, BodyPair<float>& bodies, const Softness& contact, const Softness& ground) const {
    const RowIndices<float> index_a(rows, row::body_a, lane), index_b(rows, row::body_b, lane);
    const Seldom<float> left = solve_manifold(lane, index_a, index_b, bodies, contact, ground);
    if (left.rub) rub_line(lane, bodies, true);
  }

  /// An impact comes in a relaxing sweep, with the gap closed by the move, and happens once. A sub-step starts from the
  /// impulses of the one before, which is right for a load; those of an impact would push bodies apart that have
  /// stopped, and drag them with its friction, until sweeps have taken that back. So what is more than the sub-step
  /// started with becomes part of the free velocities, and leaves the rows. The kernel is given by value: a pointer to
  /// it would take it out of the registers of the loop.
  TALUS_SELDOM static void settle_impacts(SolveContacts kernel, Index lane, unsigned lanes_hit) {
    for (; lanes_hit != 0; lanes_hit &= lanes_hit - 1u) kernel.settle_impact(lane + lowest_bit(lanes_hit));
  }
  /// By one thread: the others of its warp are elsewhere.
  TALUS_HD void settle_impact(Index lane) const {
    const std::uint32_t a = rows.word(row::body_a, lane), b = rows.word(row::body_b, lane);
    const Vec3 normal = rows.vector(row::normal, lane);
    const float load_now = sum_of(row::impulse, lane);
    float record_a[8], record_b[8];
    load_record(&velocity->linear.x, a, record_a);
    load_record(&velocity->linear.x, b, record_b);
    BodyPair<float> bodies = pair_of(record_a, record_b);
    if (solve_friction(lane, bodies, normal, load_now)) rub_line(lane, bodies, true);
    write_one(velocity, a, b, bodies, record_a, record_b);

    // Once a step. What is squeezed between heavy bodies is hit in one sub-step after another: it needs what it has.
    if (sum_of(row::impact, lane) > 0.0f) return;
    const float kept = min_of(rows.number(row::load, lane) / load_now, 1.0f);
    load_record(&free_velocity->linear.x, a, record_a);
    load_record(&free_velocity->linear.x, b, record_b);
    const float rub_a = bodies.rub_a, rub_b = bodies.rub_b;
    bodies = pair_of(record_a, record_b);
    bodies.rub_a = rub_a;  // flags of free velocities tell other things
    bodies.rub_b = rub_b;
    leave_rows(lane, bodies, kept);
    write_one(free_velocity, a, b, bodies, record_a, record_b);
  }
  /// What is more than a part of the impulses becomes part of the free velocities of `bodies`.
  TALUS_HD void leave_rows(Index lane, BodyPair<float>& bodies, float kept) const {
    const Vec3 normal = rows.vector(row::normal, lane);
    apply_friction(lane, bodies, normal, 1.0f - kept);
    for (const int field : {int(row::friction_impulse), row::friction_impulse + 1, int(row::twist_impulse)}) {
      rows.set(field, lane, kept * rows.number(field, lane));
    }
    for (int i = 0; i < int(rows.number(row::count, lane)); ++i) {
      const float impulse = rows.number(row::at(i, row::impulse), lane), gone = (1.0f - kept) * impulse;
      bodies.apply(gone, normal, point_levers<float>(i, lane));
      rows.set(row::at(i, row::impact), lane, rows.number(row::at(i, row::impact), lane) + gone);
      rows.set(row::at(i, row::impulse), lane, kept * impulse);
    }
  }
  TALUS_HD static void write_one(BodyVelocity* to, std::uint32_t a, std::uint32_t b, const BodyPair<float>& bodies,
                                 float record_a[8], float record_b[8]) {
    store_record(bodies.a, record_a);
    store_record(bodies.b, record_b);
    talus::store_record(&to->linear.x, a, record_a, bodies.inv_mass_a > 0.0f);
    talus::store_record(&to->linear.x, b, record_b, bodies.inv_mass_b > 0.0f);
  }
  /// Of a field of all points of one lane.
  TALUS_HD float sum_of(int field, Index lane) const {
    float sum = 0.0f;
    for (int i = 0; i < int(rows.number(row::count, lane)); ++i) sum = sum + rows.number(row::at(i, field), lane);
    return sum;
  }

  template <class Real>
  TALUS_INLINE void warm_start(Index lane, BodyPair<Real>& bodies, Vec3Of<Real> normal, Real count,
                               const Real impulse[kMaxPoints]) const {
    TALUS_UNROLL
    for (int i = 0; i < kMaxPoints; ++i) {
      if (!is_reached(i, count)) break;
      bodies.apply(impulse[i], normal, point_levers<Real>(i, lane));
    }
    apply_friction(lane, bodies, normal, Real(1.0f));
    if constexpr (kSurfaces) {
      bodies.turn(load<Real>(surfaces, surface::roll_impulse, lane), roll_levers<Real>(surface::roll_a1, lane));
      bodies.turn(load<Real>(surfaces, surface::roll_impulse + 1, lane), roll_levers<Real>(surface::roll_a2, lane));
    }
  }

  /// A part of the friction impulses so far, on the bodies.
  template <class Real>
  TALUS_INLINE void apply_friction(Index lane, BodyPair<Real>& bodies, Vec3Of<Real> normal, Real part) const {
    const Vec3Of<Real> t1 = load_vector<Real>(rows, row::tangent, lane), t2 = cross(normal, t1);
    bodies.apply_rub(part * load<Real>(rows, row::friction_impulse, lane), t1,
                     load_levers<Real>(row::friction_a1, row::friction_b1, lane));
    bodies.apply_rub(part * load<Real>(rows, row::friction_impulse + 1, lane), t2,
                     load_levers<Real>(row::friction_a2, row::friction_b2, lane));
    bodies.turn(part * load<Real>(rows, row::twist_impulse, lane), load_levers<Real>(row::twist_a, row::twist_b, lane));
  }

  /// Separation now, at a point or in the middle, for the lanes that have such. It follows the bodies if they moved, to
  /// first order: a ball that spins, whose lever is zero, stays where it is.
  template <class Real>
  TALUS_INLINE Real separation_of(int field, Index lane, const Moves<Real>& moves, const Levers<Real>& levers,
                                  Mask<Real> has) const {
    const Real before = load<Real>(rows, field, lane);
    if constexpr (!kMoved) return before;
    const Real now = before + (moves.shift + (dot(levers.b, moves.turn.b) - dot(levers.a, moves.turn.a)));
    put(rows, field, lane, select(has, now, before));
    return now;
  }

  /// All points share the normal: they add to one impulse along it, and to one closing speed of the centres.
  template <class Real>
  struct AlongNormal {
    Real speed;    // [m/s] of the centre of B against that of A
    Real impulse;  // [N s] so far in this sweep
    Real give;     // [1/kg] sum of the inverse masses
    TALUS_INLINE void add(Real more) {
      speed = speed + give * more;
      impulse = impulse + more;
    }
  };

  /// [m/s] Speed that a point is to have less. Apart: the gap may close within the sub-step but not beyond. Touching:
  /// soft push, none when relaxing.
  template <class Real>
  TALUS_INLINE Real bias_of(Real separation, const LaneSoftness<Real>& soft) const {
    const Real closing = Real(params->inv_h) * separation, zero(0.0f);
    if constexpr (kSweep == Sweep::biased) {
      return select(separation > zero, closing, max_of(soft.bias_rate * separation, Real(-params->max_push_speed)));
    } else {
      return select(separation > zero, closing, zero);
    }
  }

  /// Returns the sum of all changes of impulses.
  template <class Real>
  TALUS_INLINE Real solve_normals(Index lane, BodyPair<Real>& bodies, const Moves<Real>& moves, Vec3Of<Real> normal,
                                  Real count, Real impulse[kMaxPoints], const Softness& contact, const Softness& ground,
                                  Real budget) const {
    const Real zero(0.0f), one(1.0f);
    AlongNormal<Real> along{dot(normal, bodies.b.linear - bodies.a.linear), zero,
                            bodies.inv_mass_a + bodies.inv_mass_b};
    const Mask<Real> on_ground = !(bodies.turns_a > zero && bodies.turns_b > zero);
    // Touching ground is stiffer.
    LaneSoftness<Real> soft{select(on_ground, Real(ground.bias_rate), Real(contact.bias_rate)),
                            select(on_ground, Real(ground.mass_scale), Real(contact.mass_scale)),
                            select(on_ground, Real(ground.impulse_scale), Real(contact.impulse_scale))};
    if constexpr (kSurfaces && kSweep == Sweep::biased) {
      const Vec3Of<Real> own = load_vector<Real>(surfaces, surface::softness, lane);
      const Mask<Real> has = own.x > zero;
      soft = {select(has, own.x, soft.bias_rate), select(has, own.y, soft.mass_scale),
              select(has, own.z, soft.impulse_scale)};
    }
    // [1/kg] How much each point gives, the same for all of them: by the mass that each one feels, a load on the middle
    // of points with different masses would be a load on none of them, and a brick across another one would tilt.
    // touch [m]: points that rounding parts are soft as the others are.
    Real soft_give = zero, touch = zero;
    if constexpr (kSweep == Sweep::biased) {
      soft_give = soft.impulse_scale / soft.mass_scale * load<Real>(rows, row::points_give, lane);
      touch = select(one < count, Real(kTouching) * load<Real>(rows, row::twist_arm, lane), zero);
    }
    if constexpr (kSweep == Sweep::biased || kSweep == Sweep::relax) {
      if (is_reached(1, count)) solve_middle(lane, bodies, moves, along, count, impulse, soft, soft_give, touch);
    }
    TALUS_UNROLL
    for (int i = 0; i < kMaxPoints; ++i) {
      if (!is_reached(i, count)) break;
      const Levers<Real> levers = point_levers<Real>(i, lane);
      const Real separation = separation_of(row::at(i, row::separation), lane, moves, levers, Real(float(i)) < count);
      const Real speed = along.speed + bodies.turn_speed(levers);
      Real bias = bias_of(separation, soft), mass_scale = one, give = zero;
      if constexpr (kSweep == Sweep::biased) {
        mass_scale = select(separation > touch, one, soft.mass_scale);
        give = select(separation > touch, zero, soft_give);
      }
      const Real mass = load<Real>(rows, row::at(i, row::mass), lane);
      [[maybe_unused]] Real least = zero;
      if constexpr (kSweep == Sweep::bounce) {
        const Real approach = load<Real>(rows, row::at(i, row::approach), lane);
        const Real peak = load<Real>(rows, row::at(i, row::peak), lane);
        const Mask<Real> bounces = approach < Real(-params->restitution_threshold) && peak > zero;
        // From speed to `fastest` the energy grows by the whole budget: m (fastest^2 - speed^2) / 2.
        const Real square = speed * speed + Real(2.0f) * budget / max_of(mass, Real(1e-30f));
        const Real fastest = square_root(max_of(square, zero));
        if (kSurfaces && poisson) {
          const Real parts = load<Real>(surfaces, surface::compression + i, lane);
          least = select(bounces, min_of(parts, impulse[i] + mass * (fastest - speed)), zero);
        } else {
          const Real e = load<Real>(rows, row::restitution, lane);
          bias = select(bounces, max_of(e * approach, -fastest), bias);
        }
      }
      const Real wanted = impulse[i] - mass * mass_scale * (speed + bias + give * impulse[i]);
      Real next = max_of(wanted, zero);
      if constexpr (kSweep == Sweep::bounce) {
        next = max_of(next, least);
        const Real more = next - impulse[i];
        budget = budget - more * (speed + Real(0.5f) * more / max_of(mass, Real(1e-30f)));
      }
      along.add(next - impulse[i]);
      bodies.turn(next - impulse[i], levers);
      store_impulse(i, lane, next);
    }
    bodies.push(along.impulse * normal);
    return along.impulse;
  }

  /// [J] What the two bodies had more before this step's impact. Restitution gives back no more than this, whatever the
  /// law asks for: with friction, laws of speeds and of impulses may both gain energy (S0-22).
  template <class Real>
  TALUS_INLINE Real energy_lost(Index lane, const RowIndices<Real>& index_a, const RowIndices<Real>& index_b,
                                const BodyPair<Real>& bodies, Vec3Of<Real> normal) const {
    constexpr float kRounding = 1.00001f;  // [1] so that elastic impacts are not slowed by the last bit
    const Vec3Of<Real> t1 = load_vector<Real>(rows, row::tangent, lane);
    const Levers<Real> middle = load_levers<Real>(row::middle_a, row::middle_b, lane);
    const Levers<Real> levers1 = load_levers<Real>(row::friction_a1, row::friction_b1, lane);
    const Levers<Real> levers2 = load_levers<Real>(row::friction_a2, row::friction_b2, lane);
    const ContactFrame<Real> axes{normal,    t1,       cross(normal, t1), middle.a, levers1.a,
                                  levers2.a, middle.b, levers1.b,         levers2.b};
    const Vec3Of<Real> spin_a = spin_now(index_a, bodies.a.angular), spin_b = spin_now(index_b, bodies.b.angular);
    const Real now =
        pair_energy(axes, bodies.a.linear, select<Real>(bodies.turns_a > Real(0.0f), spin_a, bodies.a.angular),
                    bodies.b.linear, select<Real>(bodies.turns_b > Real(0.0f), spin_b, bodies.b.angular),
                    bodies.inv_mass_a, bodies.turns_a, bodies.inv_mass_b, bodies.turns_b);
    return Real(kRounding) * load<Real>(rows, row::energy, lane) - now;
  }
  /// An angular velocity in the scaled axes that the body has by now, whose squared length is its energy.
  template <class Real>
  TALUS_INLINE Vec3Of<Real> spin_now(const RowIndices<Real>& index, Vec3Of<Real> w) const {
    Real axes[8], gone[8];
    gather_together(&frame->orientation.x, index.data(), axes);
    gather_together(&displacement->shift.x, index.data(), gone);
    const Vec3Of<Real> per_axis{axes[4], axes[5], axes[6]};
    const Vec3Of<Real> own = rotate_back(QuatOf<Real>{gone[4], gone[5], gone[6], gone[7]}, scale(per_axis, w));
    return {own.x / per_axis.x, own.y / per_axis.y, own.z / per_axis.z};
  }

  /// The same impulse more on every point, such that their mean is satisfied, before each gets its own. Gauss-Seidel
  /// alone favours the points that come first: a box set down flat would tilt, and towers would lean (20 high: 0.2 m in
  /// 5 s). Only where all points carry load, or none does yet.
  template <class Real>
  TALUS_INLINE void solve_middle(Index lane, BodyPair<Real>& bodies, const Moves<Real>& moves, AlongNormal<Real>& along,
                                 Real count, Real impulse[kMaxPoints], const LaneSoftness<Real>& soft, Real soft_give,
                                 Real touch) const {
    const Real zero(0.0f), one(1.0f);
    Real least(1e30f), most = zero, sum = zero;
    TALUS_UNROLL
    for (int i = 0; i < kMaxPoints; ++i) {
      least = select(Real(float(i)) < count, min_of(impulse[i], least), least);
      most = max_of(impulse[i], most);
      sum = sum + impulse[i];
    }
    const Levers<Real> levers = load_levers<Real>(row::middle_a, row::middle_b, lane);
    const Real separation = separation_of(row::middle_separation, lane, moves, levers, one < count);
    const Real speed = along.speed + bodies.turn_speed(levers);
    Real give = zero;
    if constexpr (kSweep == Sweep::biased) give = select(separation > touch, zero, soft_give / count);
    const Real rigid = load<Real>(rows, row::middle_give, lane);
    const Real wanted = -(speed + bias_of(separation, soft) + give * sum) / (rigid + give) / count;
    const Mask<Real> even = one < count && (least > zero || most == zero);
    const Real more = select(even, max_of(wanted, -least), zero);
    TALUS_UNROLL
    for (int i = 0; i < kMaxPoints; ++i) impulse[i] = impulse[i] + select(Real(float(i)) < count, more, zero);
    along.add(more * count);
    bodies.turn(more * count, levers);
  }

  template <class Real>
  TALUS_INLINE void store_impulse(int point, Index lane, Real impulse) const {
    put(rows, row::at(point, row::impulse), lane, impulse);
    if (kSweep == Sweep::bounce || !restitution) return;
    const Real peak = load<Real>(rows, row::at(point, row::peak), lane);
    store(rows, row::at(point, row::peak), lane, max_of(impulse, peak));
  }

  /// Coulomb friction of the whole manifold: the twist, rolling, then the tangent plane. Leaves out the twist and the
  /// plane of the lanes that it returns: those are for rub_line.
  template <class Real>
  TALUS_INLINE Mask<Real> solve_friction(Index lane, BodyPair<Real>& bodies, Vec3Of<Real> normal, Real load_sum) const {
    const Mask<Real> rub = slips_along_line(lane, bodies, normal);
    const Real limit = load<Real>(rows, row::friction, lane) * load_sum;
    Real twist_limit = limit * load<Real>(rows, row::twist_arm, lane);
    if constexpr (kSurfaces) twist_limit = twist_limit + load_sum * load<Real>(surfaces, surface::torsion, lane);
    solve_twist(lane, bodies, twist_limit, rub);
    if constexpr (kSurfaces) {
      const Real rolling = load<Real>(surfaces, surface::rolling, lane);
      if (any_of(rolling > Real(0.0f))) solve_rolling(lane, bodies, rolling, load_sum);
    }
    solve_plane(lane, bodies, normal, limit, load_sum, rub);
    return rub;
  }

  /// [m/s] Speeds along the tangents; less those of what carries the body.
  template <class Real>
  TALUS_INLINE void slip_of(Index lane, const BodyPair<Real>& bodies, Vec3Of<Real> t1, Vec3Of<Real> t2,
                            const Levers<Real>& levers1, const Levers<Real>& levers2, Real& s1, Real& s2) const {
    s1 = bodies.speed(t1, levers1);
    s2 = bodies.speed(t2, levers2);
    if (carry > 0.0f) {
      s1 = s1 + Real(carry) * load<Real>(rows, row::carry, lane);
      s2 = s2 + Real(carry) * load<Real>(rows, row::carry + 1, lane);
    }
  }

  /// [N s] That two points may give.
  template <class Real>
  TALUS_INLINE void line_limits(Index lane, Real limit[2]) const {
    const Real friction = load<Real>(rows, row::friction, lane);
    for (int i = 0; i < 2; ++i) limit[i] = friction * load<Real>(rows, row::at(i, row::impulse), lane);
  }
  template <class Real>
  TALUS_INLINE LineImpulse<Real> line_impulse(Index lane) const {
    return {load<Real>(rows, row::friction_impulse, lane), load<Real>(rows, row::friction_impulse + 1, lane),
            load<Real>(rows, row::twist_impulse, lane)};
  }
  /// Lanes of two points that cannot give what would hold.
  template <class Real>
  TALUS_INLINE Mask<Real> slips_along_line(Index lane, const BodyPair<Real>& bodies, Vec3Of<Real> normal) const {
    const Mask<Real> line = load<Real>(rows, row::line, lane) > Real(0.0f);
    if (!any_of(line)) return line;
    const Vec3Of<Real> t1 = load_vector<Real>(rows, row::tangent, lane), t2 = cross(normal, t1);
    const Vec3Of<Real> inverse = load_vector<Real>(rows, row::friction_mass, lane);
    Real s1, s2;
    slip_of(lane, bodies, t1, t2, load_levers<Real>(row::friction_a1, row::friction_b1, lane),
            load_levers<Real>(row::friction_a2, row::friction_b2, lane), s1, s2);
    const Real spin = bodies.turn_speed(load_levers<Real>(row::twist_a, row::twist_b, lane));
    const LineImpulse<Real> f = line_impulse<Real>(lane);
    const LineImpulse<Real> held{f.along - (inverse.x * s1 + inverse.z * s2),
                                 f.across - (inverse.z * s1 + inverse.y * s2),
                                 f.twist - load<Real>(rows, row::twist_mass, lane) * spin};
    Real limit[2];
    line_limits(lane, limit);
    const Real arm = select(line, load<Real>(rows, row::twist_arm, lane), Real(1.0f));
    return line && !line_holds(held, arm, limit);
  }
  template <class Real>
  TALUS_INLINE void rub_line(Index lane, BodyPair<Real>& bodies, Mask<Real> rub) const {
    Real residual;
    const LineImpulse<Real> before = line_impulse<Real>(lane), after = rubbed_line(lane, bodies, rub, residual);
    store(rows, row::friction_impulse, lane, select(rub, after.along, before.along));
    store(rows, row::friction_impulse + 1, lane, select(rub, after.across, before.across));
    store(rows, row::twist_impulse, lane, select(rub, after.twist, before.twist));
  }
  /// Both points of a line in turn: against the slip of each, by a rate of its own. residual: [m/s] by how much they
  /// were off.
  template <class Real>
  TALUS_INLINE LineImpulse<Real> rubbed_line(Index lane, BodyPair<Real>& bodies, Mask<Real> rub, Real& residual) const {
    const Real zero(0.0f), one(1.0f);
    const Vec3Of<Real> normal = load_vector<Real>(rows, row::normal, lane);
    const Vec3Of<Real> t1 = load_vector<Real>(rows, row::tangent, lane), t2 = cross(normal, t1);
    const Levers<Real> along = load_levers<Real>(row::friction_a1, row::friction_b1, lane);
    const Levers<Real> middle = load_levers<Real>(row::friction_a2, row::friction_b2, lane);
    const Levers<Real> about_normal = load_levers<Real>(row::twist_a, row::twist_b, lane);
    const Real arm = select(rub, load<Real>(rows, row::twist_arm, lane), one);
    const auto give = [&](const Levers<Real>& l1, const Levers<Real>& l2) {
      return bodies.turns_a * dot(l1.a, l2.a) + bodies.turns_b * dot(l1.b, l2.b);
    };
    const Real mass = bodies.rub_a + bodies.rub_b, k11 = mass + give(along, along);
    Real limit[2];
    line_limits(lane, limit);
    LinePoints<Real> points = points_of_line(line_impulse<Real>(lane), arm, limit);
    residual = zero;
    for (int i = 0; i < 2; ++i) {
      const Real at = i == 0 ? -arm : arm;
      const Levers<Real> across{middle.a + at * about_normal.a, middle.b + at * about_normal.b};
      const Real rate = one / larger_eigenvalue(k11, mass + give(across, across), give(along, across));
      Real s1, s2;
      slip_of(lane, bodies, t1, t2, along, across, s1, s2);
      Real n1 = points.along[i] - rate * s1, n2 = points.across[i] - rate * s2;
      project_on_circle(limit[i], n1, n2);
      const Real more1 = select(rub, n1 - points.along[i], zero), more2 = select(rub, n2 - points.across[i], zero);
      bodies.rub(more1 * t1 + more2 * t2);
      bodies.turn(more1, along);
      bodies.turn(more2, across);
      residual = max_of(residual, square_root(more1 * more1 + more2 * more2) / rate);
      points.along[i] = n1;
      points.across[i] = n2;
    }
    return points.together(arm);
  }

  /// What holds is solved exactly. What slips goes along the slip by the same rate for both tangents and then to the
  /// nearest impulse that is allowed: f = nearest(f - rate s). So friction ends where it dissipates most for this slip
  /// (S1-118, S1-80): on a circle straight against it, whatever the masses along the two tangents are.
  template <class Real>
  TALUS_INLINE void solve_plane(Index lane, BodyPair<Real>& bodies, Vec3Of<Real> normal, Real limit, Real load_sum,
                                Mask<Real> left_out) const {
    const Vec3Of<Real> t1 = load_vector<Real>(rows, row::tangent, lane), t2 = cross(normal, t1);
    const Levers<Real> levers1 = load_levers<Real>(row::friction_a1, row::friction_b1, lane);
    const Levers<Real> levers2 = load_levers<Real>(row::friction_a2, row::friction_b2, lane);
    const Vec3Of<Real> inverse = load_vector<Real>(rows, row::friction_mass, lane);
    Real s1, s2;
    slip_of(lane, bodies, t1, t2, levers1, levers2, s1, s2);
    const Real f1 = load<Real>(rows, row::friction_impulse, lane);
    const Real f2 = load<Real>(rows, row::friction_impulse + 1, lane);
    Real n1 = f1 - (inverse.x * s1 + inverse.z * s2), n2 = f2 - (inverse.z * s1 + inverse.y * s2);
    const Mask<Real> slips = !is_allowed(lane, limit, load_sum, n1, n2);
    if (any_of(slips)) {
      const Real rate = load<Real>(rows, row::friction_rate, lane);
      Real slip1 = f1, slip2 = f2;
      step_and_project(lane, limit, load_sum, rate * s1, rate * s2, slip1, slip2);
      n1 = select(slips, slip1, n1);
      n2 = select(slips, slip2, n2);
    }
    n1 = select(left_out, f1, n1);
    n2 = select(left_out, f2, n2);
    bodies.rub((n1 - f1) * t1 + (n2 - f2) * t2);
    bodies.turn(n1 - f1, levers1);
    bodies.turn(n2 - f2, levers2);
    put(rows, row::friction_impulse, lane, n1);
    put(rows, row::friction_impulse + 1, lane, n2);
  }

  /// Whether an impulse in the tangent plane is within what friction allows.
  template <class Real>
  TALUS_INLINE Mask<Real> is_allowed(Index lane, Real limit, Real load_sum, Real f1, Real f2) const {
    Mask<Real> allowed = f1 * f1 + f2 * f2 <= limit * limit;
    if constexpr (kSurfaces) {
      const Mask<Real> plain = is_plain<Real>(lane);
      if (any_of(!plain)) {
        Real n1 = f1, n2 = f2;
        project_on_surface(lane, load_sum, n1, n2);
        allowed = (plain && allowed) || (!plain && n1 == f1 && n2 == f2);
      }
    }
    return allowed;
  }

  /// The nearest impulse that friction allows.
  template <class Real>
  TALUS_INLINE void project(Index lane, Real limit, Real load_sum, Real& f1, Real& f2) const {
    Real n1 = f1, n2 = f2;
    project_on_circle(limit, n1, n2);
    if constexpr (kSurfaces) {
      const Mask<Real> plain = is_plain<Real>(lane);
      if (any_of(!plain)) {
        project_on_surface(lane, load_sum, f1, f2);
        n1 = select(plain, n1, f1);
        n2 = select(plain, n2, f2);
      }
    }
    f1 = n1;
    f2 = n2;
  }
  /// f - step, brought to the nearest impulse that friction allows; with a tensor, to the one that it asks for.
  template <class Real>
  TALUS_INLINE void step_and_project(Index lane, Real limit, Real load_sum, Real step1, Real step2, Real& f1,
                                     Real& f2) const {
    [[maybe_unused]] const Real before1 = f1, before2 = f2;
    f1 = f1 - step1;
    f2 = f2 - step2;
    project(lane, limit, load_sum, f1, f2);
    if constexpr (kSurfaces) {
      const Mask<Real> tensor = load<Real>(surfaces, surface::tensor, lane) > Real(0.0f);
      if (any_of(tensor)) {
        const Real forward = load<Real>(surfaces, surface::forward, lane);
        const Real across = load<Real>(surfaces, surface::across, lane);
        const Real part = Real(1.0f) / max_of(max_of(forward, across), Real(1e-30f));
        Real by1 = before1, by2 = before2;
        project_by_tensor(load_sum, forward, across, part * step1, part * step2, by1, by2);
        f1 = select(tensor, by1, f1);
        f2 = select(tensor, by2, f2);
      }
    }
  }

  template <class Real>
  TALUS_INLINE void solve_twist(Index lane, BodyPair<Real>& bodies, Real limit, Mask<Real> left_out) const {
    const Levers<Real> about_normal = load_levers<Real>(row::twist_a, row::twist_b, lane);
    const Real twist = load<Real>(rows, row::twist_impulse, lane);
    const Real aim = twist - load<Real>(rows, row::twist_mass, lane) * bodies.turn_speed(about_normal);
    const Real next = select(left_out, twist, clamp_to(aim, -limit, limit));
    bodies.turn(next - twist, about_normal);
    put(rows, row::twist_impulse, lane, next);
  }

  // ---- with kSurfaces ----------------------------------------------------------------------------------------------

  template <class Real>
  TALUS_INLINE Levers<Real> roll_levers(int field_a, Index lane) const {
    constexpr int kToB = surface::roll_b1 - surface::roll_a1;
    return {load_vector<Real>(surfaces, field_a, lane), load_vector<Real>(surfaces, field_a + kToB, lane)};
  }

  /// The same friction in all directions, as without SurfaceRows: such contacts are solved to the same bits here, so
  /// that a material elsewhere in the world changes nothing of them.
  template <class Real>
  TALUS_INLINE Mask<Real> is_plain(Index lane) const {
    const Real forward = load<Real>(surfaces, surface::forward, lane);
    const bool circle = params->polygon.sides == 0 && params->box_friction == 0;
    return forward == load<Real>(surfaces, surface::backward, lane) &&
           forward == load<Real>(surfaces, surface::across, lane) &&
           load<Real>(surfaces, surface::tensor, lane) == Real(circle ? 0.0f : 2.0f);
  }
  template <class Real>
  TALUS_INLINE void project_on_surface(Index lane, Real load_sum, Real& f1, Real& f2) const {
    const Real forward = load<Real>(surfaces, surface::forward, lane);
    const Real backward = load<Real>(surfaces, surface::backward, lane);
    const Real across = load<Real>(surfaces, surface::across, lane);
    project_friction(*params, forward * load_sum, backward * load_sum, across * load_sum, f1, f2);
  }

  /// Lanes without rolling friction keep their bits, whatever others of their pack have.
  template <class Real>
  TALUS_INLINE void solve_rolling(Index lane, BodyPair<Real>& bodies, Real rolling, Real load_sum) const {
    const Mask<Real> has = rolling > Real(0.0f);
    const Real limit = rolling * load_sum;
    const Vec3Of<Real> spin_a = bodies.a.angular, spin_b = bodies.b.angular;
    const Levers<Real> levers1 = roll_levers<Real>(surface::roll_a1, lane);
    const Levers<Real> levers2 = roll_levers<Real>(surface::roll_a2, lane);
    const Vec3Of<Real> inverse = load_vector<Real>(surfaces, surface::roll_mass, lane);
    const Real s1 = bodies.turn_speed(levers1), s2 = bodies.turn_speed(levers2);
    const Real f1 = load<Real>(surfaces, surface::roll_impulse, lane);
    const Real f2 = load<Real>(surfaces, surface::roll_impulse + 1, lane);
    Real n1 = f1 - (inverse.x * s1 + inverse.z * s2), n2 = f2 - (inverse.z * s1 + inverse.y * s2);
    const Mask<Real> rolls = n1 * n1 + n2 * n2 > limit * limit;
    if (any_of(rolls)) {  // straight against the turn, as in solve_plane
      const Real rate = load<Real>(surfaces, surface::roll_rate, lane);
      Real roll1 = f1 - rate * s1, roll2 = f2 - rate * s2;
      project_on_circle(limit, roll1, roll2);
      n1 = select(rolls, roll1, n1);
      n2 = select(rolls, roll2, n2);
    }
    bodies.turn(n1 - f1, levers1);
    bodies.turn(n2 - f2, levers2);
    bodies.a.angular = select<Real>(has, bodies.a.angular, spin_a);
    bodies.b.angular = select<Real>(has, bodies.b.angular, spin_b);
    put(surfaces, surface::roll_impulse, lane, select(has, n1, f1));
    put(surfaces, surface::roll_impulse + 1, lane, select(has, n2, f2));
  }
};

/// After each sub-step, for Poisson's law. One element is one lane; points that are not there have zeros.
struct SumCompression {
  SolverRows rows;
  SurfaceRows surfaces;  // compression: in/out

  TALUS_HD void operator()(Index lane) const {
    const int count = int(rows.number(row::count, lane));
    for (int i = 0; i < count; ++i) {
      const float before = surfaces.number(surface::compression + i, lane);
      surfaces.set(surface::compression + i, lane, before + rows.number(row::at(i, row::impulse), lane));
    }
  }
};

/// Between the last sub-step and the bounce sweeps. One element is one lane.
///
/// Energy: what outer forces did to the two bodies on the way of this step is theirs, too; what they took is not given
/// back. A body that rises while one of its corners is stopped would otherwise leave with all its speed, and higher.
///
/// Poisson's law (S0-21): what stopped a point, times the restitution, is what parts it at least. What of it only bore
/// the outer forces of the step is not counted, so that a single contact without friction bounces as by Newton's law.
template <bool kSurfaces>
struct BeginBounce {
  SolverRows rows;  // energy in: of the step's start; out: that bouncing may not exceed
  BodyModel model;
  BodyState state;
  BodyInputs inputs;
  SolveRowScratch bodies;
  const Counters* counters;
  const StepParams* params;
  // with kSurfaces
  SurfaceRows surfaces{};  // compression in: what stopped the point; out: its impulse at the end, at least
  bool poisson = false;

  TALUS_HD void operator()(Index lane) const {
    const int count = int(rows.number(row::count, lane));
    if (count == 0 || rows.number(row::energy, lane) < 0.0f) return;
    const Index a = Index(rows.word(row::body_a, lane)), b = Index(rows.word(row::body_b, lane));
    const bool split = lane >= counters->color_begin[kOverflowColor];
    const float share_a = split ? float(bodies.split_count[a]) : 1.0f;
    const float share_b = split ? float(bodies.split_count[b]) : 1.0f;
    const float inv_mass_a = bodies.velocity[a].inv_mass, inv_mass_b = bodies.velocity[b].inv_mass;
    const Vec3 push =
        outer_push(model, inputs, *params, b, inv_mass_b) - outer_push(model, inputs, *params, a, inv_mass_a);
    const float lighter = 1.0f / max_of(share_a * inv_mass_a + share_b * inv_mass_b, 1e-30f);
    const float work = lighter * dot(push, way_of(b, lane, row::middle_b) - way_of(a, lane, row::middle_a)) +
                       work_of_torque(a, inv_mass_a) / max_of(share_a, 1.0f) +
                       work_of_torque(b, inv_mass_b) / max_of(share_b, 1.0f);
    rows.set(row::energy, lane, max_of(rows.number(row::energy, lane) + work, 0.0f));
    float load = 0.0f;
    for (int i = 0; i < count; ++i) load = load + rows.number(row::at(i, row::impulse), lane);
    rows.set(row::load, lane, load);
    if constexpr (kSurfaces) {
      if (poisson) begin_parting(lane, count, push);
    }
  }

  /// [m] Of the body in this step; of one that is not dynamic, of its surface, to first order. See pair_energy.
  TALUS_HD Vec3 way_of(Index body, Index lane, int middle) const {
    const BodyVelocity& v = bodies.velocity[body];
    const Vec3 way = bodies.displacement[body].shift;
    if (v.inv_mass > 0.0f) return way;
    const int to_b = middle == row::middle_a ? 0 : 3;
    const Vec3 normal = rows.vector(row::normal, lane), t1 = rows.vector(row::tangent, lane);
    const float along = dot(rows.vector(middle, lane), v.angular);
    const float along1 = dot(rows.vector(row::friction_a1 + to_b, lane), v.angular);
    const float along2 = dot(rows.vector(row::friction_a2 + to_b, lane), v.angular);
    return way + params->dt * (along * normal + along1 * t1 + along2 * cross(normal, t1));
  }
  /// [J]
  TALUS_HD float work_of_torque(Index body, float inv_mass) const {
    if (!(inv_mass > 0.0f)) return 0.0f;
    const Quat begin = state.orientation[body];
    const Vec3 torque = rotate_back(begin, inputs.torque[body]);
    const Vec3 spin = rotate_back(begin, state.angular_velocity[body]);
    return turn_work(torque, bodies.displacement[body].turn,
                     free_turn(spin, torque, model.inv_inertia[body], params->dt));
  }

  /// push: [m/s^2] of B against A by outer forces. A point that was still apart when it was last swept may have been
  /// stopped in part: what it still closes with is stopped here, else it would bounce in two steps, by the part of
  /// each.
  TALUS_HD void begin_parting(Index lane, int count, Vec3 push) const {
    const Vec3 normal = rows.vector(row::normal, lane);
    const BodyVelocity& a = bodies.velocity[Index(rows.word(row::body_a, lane))];
    const BodyVelocity& b = bodies.velocity[Index(rows.word(row::body_b, lane))];
    const float outer = max_of(-params->dt * dot(normal, push), 0.0f);  // [m/s] closing
    for (int i = 0; i < count; ++i) {
      const float closing = max_of(-rows.number(row::at(i, row::approach), lane), 0.0f);
      const float part = closing / max_of(closing + outer, 1e-30f);
      const float speed = dot(normal, b.linear - a.linear) +
                          dot(rows.vector(row::at(i, row::lever_b), lane), b.angular) -
                          dot(rows.vector(row::at(i, row::lever_a), lane), a.angular);
      const float rest = rows.number(row::at(i, row::mass), lane) * max_of(-speed, 0.0f);
      const float compression =
          surfaces.number(surface::compression + i, lane) + rows.number(row::at(i, row::impact), lane) + rest;
      const float parts = rest + rows.number(row::restitution, lane) * part * compression;
      surfaces.set(surface::compression + i, lane, rows.number(row::at(i, row::impulse), lane) + parts);
    }
  }
};

/// The overflow color: every contact solves from the same velocities with its share of the bodies' mass; changes are
/// summed as integers and added by ApplySplit. Lane by lane: such contacts are few. Padding lanes have bodies that do
/// not move.
template <Sweep kSweep, bool kMoved, bool kSurfaces = false>
struct SolveSplit {
  SolveContacts<kSweep, kMoved, kSurfaces> contacts;
  Column<SplitSums> sums;
  Column<Index> split_count;

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    for (int i = 0; i < LaneCount<Real>::value; ++i) solve_lane(lane + i);
  }

  TALUS_HD void solve_lane(Index lane) const {
    const RowIndices<float> index_a(contacts.rows, row::body_a, lane), index_b(contacts.rows, row::body_b, lane);
    float record_a[8], record_b[8];
    gather_together(&contacts.velocity->linear.x, index_a.data(), record_a);
    gather_together(&contacts.velocity->linear.x, index_b.data(), record_b);
    BodyPair<float> bodies = contacts.pair_of(record_a, record_b);
    lend_both(bodies, Index(*index_a.data()), Index(*index_b.data()));
    const auto left =
        contacts.solve_manifold(lane, index_a, index_b, bodies, contacts.params->split, contacts.params->split);
    if (left.rub) contacts.rub_line(lane, bodies, true);
    if (kSweep == Sweep::relax && contacts.template is_slim<float>(lane)) {
      contacts.template level_and_rub<float>(lane, bodies, true);
    }
    if (kSweep == Sweep::relax && contacts.carry > 0.0f && contacts.is_carried(bodies)) {
      contacts.unmoved().solve_once(lane, bodies, contacts.params->split, contacts.params->split);
    }
    if (kSweep == Sweep::bounce && !contacts.template takes_part<float>(lane)) return;
    add(Index(*index_a.data()), bodies.inv_mass_a, record_a, bodies.a);
    add(Index(*index_b.data()), bodies.inv_mass_b, record_b, bodies.b);
  }

  /// A body in n overflow contacts lends each of them 1/n of its mass (methods: parallel engine, 3.4).
  TALUS_HD void lend_both(BodyPair<float>& bodies, Index a, Index b) const {
    lend(bodies.inv_mass_a, bodies.turns_a, a);
    lend(bodies.inv_mass_b, bodies.turns_b, b);
    bodies.rub_a = float(split_count[a]) * bodies.rub_a;
    bodies.rub_b = float(split_count[b]) * bodies.rub_b;
  }
  TALUS_HD void lend(float& inv_mass, float& turns, Index body) const {
    const float n = float(split_count[body]);
    inv_mass = n * inv_mass;
    turns = n * turns;
  }
  TALUS_HD void add(Index body, float inv_mass, const float before[8], const Velocity<float>& after) const {
    if (!(inv_mass > 0.0f)) return;
    const float share = 1.0f / float(split_count[body]);
    const float change[6] = {after.linear.x - before[0],  after.linear.y - before[1],  after.linear.z - before[2],
                             after.angular.x - before[4], after.angular.y - before[5], after.angular.z - before[6]};
    for (int i = 0; i < 6; ++i) {
      const float units = clamp_to(share * change[i], -1e9f, 1e9f) * (1.0f / kSplitUnit);
      atomic_add(&sums[body].change[i], std::int64_t(units));
    }
  }
};

/// After the sweeps of a sub-step: impacts of the overflow color leave the rows as others do (see settle_impact), here
/// all at once, since several lanes share a body and its free velocity. A body is stopped by a part in each sweep here,
/// the smaller the more contacts it has, idle ones too, and pushed back as slowly: a bullet that had an impulse again
/// in the next sub-step left the block that had stopped it with a fifth of its speed.
template <bool kSurfaces>
struct SettleSplit {
  SolveSplit<Sweep::relax, false, kSurfaces> split;

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    for (int i = 0; i < LaneCount<Real>::value; ++i) settle(lane + i);
  }

  TALUS_HD void settle(Index lane) const {
    const auto& contacts = split.contacts;
    const SolverRows& rows = contacts.rows;
    if (rows.number(row::count, lane) == 0.0f) return;  // padding
    const float before = rows.number(row::load, lane), now = contacts.sum_of(row::impulse, lane);
    const float most = (now - before) * rows.number(row::middle_give, lane);  // [m/s] stopped, if shares stopped it
    if (!(most > 0.0f)) return;
    // What is left of an impact is stopped in the sub-steps that follow.
    const float least = contacts.sum_of(row::impact, lane) > 0.0f ? 0.0f : contacts.params->impact_speed;
    if (!(most > least)) return;
    const std::uint32_t a = rows.word(row::body_a, lane), b = rows.word(row::body_b, lane);
    float record_a[8], record_b[8];
    load_record(&contacts.velocity->linear.x, a, record_a);
    load_record(&contacts.velocity->linear.x, b, record_b);
    BodyPair<float> bodies = contacts.pair_of(record_a, record_b);
    const float shares = float(max_of(bodies.turns_a > 0.0f ? split.split_count[Index(a)] : 1,
                                      bodies.turns_b > 0.0f ? split.split_count[Index(b)] : 1));
    if (!(most / shares > least)) return;
    split.lend_both(bodies, Index(a), Index(b));
    load_record(&contacts.free_velocity->linear.x, a, record_a);
    load_record(&contacts.free_velocity->linear.x, b, record_b);
    const BodyPair<float> free = contacts.pair_of(record_a, record_b);
    bodies.a = free.a;  // flags of free velocities tell other things
    bodies.b = free.b;
    contacts.leave_rows(lane, bodies, before / now);
    split.add(Index(a), bodies.inv_mass_a, record_a, bodies.a);
    split.add(Index(b), bodies.inv_mass_b, record_b, bodies.b);
  }
};

/// What split contacts have summed, which begins anew.
TALUS_INLINE void take_split(SplitSums& sums, float change[6]) {
  for (int i = 0; i < 6; ++i) {
    change[i] = float(sums.change[i]) * kSplitUnit;
    sums.change[i] = 0;
  }
}

/// Before contacts store theirs. One element is one pair.
struct ClearRolling {
  Column<RollingImpulse> rolling;
  TALUS_HD void operator()(Index pair) const { rolling[pair] = {{0.0f, 0.0f, 0.0f}, 0.0f}; }
};

/// Adds the sums of the split contacts to the velocities. One element is one body.
struct ApplySplit {
  Column<BodyVelocity> velocity;
  Column<SplitSums> sums;
  Column<Index> split_count;

  TALUS_HD void operator()(Index body) const {
    if (split_count[body] == 0) return;
    BodyVelocity v = velocity[body];
    float change[6];
    take_split(sums[body], change);
    v.linear = v.linear + Vec3{change[0], change[1], change[2]};
    v.angular = v.angular + Vec3{change[3], change[4], change[5]};
    velocity[body] = v;
  }
};

}  // namespace talus::inline TALUS_ISA
