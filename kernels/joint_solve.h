// SPDX-License-Identifier: MIT
// Joints that are solved by sweeps, color after color and before the contacts: limits, drives and friction of all
// joints, and the locked axes of those that close loops. The rows are bounded equalities (S3-31, S3-37): for each,
//   wanted = impulse - (speed - target + softness impulse) / (1 / mass + softness), clamped to its bounds.
#pragma once
#include "joint_columns.h"
#include "joint_geometry.h"
#include "solve.h"
#include "step_params.h"
#include "tree_lanes.h"

namespace talus::inline TALUS_ISA {

/// Rows where the bodies are now, with their effective masses. One lane of the colored joints.
struct UpdateJointLane {
  SolveRowScratch bodies;
  const StepParams* params;
  bool first;  // of the step: also the rates with which limits are approached
  // in/out: the lane's own
  JointRows rows;

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    if (rows.word(joint_row::rests, lane) != 0) return;
    const Real zero(0.0f), one(1.0f);
    const std::uint32_t uses = rows.word(joint_row::uses, lane);
    const RowIndices<Real> index_a(rows, joint_row::body_a, lane), index_b(rows, joint_row::body_b, lane);
    const JointBody<Real> a = joint_body<Real>(bodies, index_a.data()), b = joint_body<Real>(bodies, index_b.data());
    const bool balls = (uses & joint_uses::kBallsOnly) != 0;
    const JointFrames<Real> at = load_frames<Real>(rows, joint_row::offset, lane, first || !balls);
    if (balls) {
      prefetch_fields(rows, 0, 6, lane);
      prefetch_fields(rows, joint_row::offset, 9, lane);
      prefetch_fields(rows, joint_row::position, 3, lane);
      update_ball(lane, at, a, b);
      return;
    }
    const Sym3Of<Real> give_a = a.give(), give_b = b.give();
    store(rows, joint_row::give_a, lane, give_a);
    store(rows, joint_row::give_b, lane, give_b);
    Levers<Real> levers[kAxisCount] = {};
    const Real kind = load<Real>(rows, joint_row::kind, lane);
    const Mask<Real> radial = kind == Real(kRadialLane), custom = kind == Real(kCustomLane);
    const bool some_custom = (uses & joint_uses::kCustom) != 0;  // FollowCustomLane has made their rows
    const auto prepare_axis = [&](int i, Real position, Real give) {
      const Real last = load<Real>(rows, joint_row::position + i, lane);
      Real before = first ? position : last;
      if (some_custom) {
        position = select(custom, last, position);
        before = select(custom, load<Real>(rows, joint_row::before + i, lane), before);
        levers[i].a = select<Real>(custom, load_vector<Real>(rows, joint_row::lever_a + 3 * i, lane), levers[i].a);
        levers[i].b = select<Real>(custom, load_vector<Real>(rows, joint_row::lever_b + 3 * i, lane), levers[i].b);
      }
      store(rows, joint_row::position + i, lane, position);
      store(rows, joint_row::before + i, lane, before);
      store(rows, joint_row::lever_a + 3 * i, lane, levers[i].a);
      store(rows, joint_row::lever_b + 3 * i, lane, levers[i].b);
      const Real turning = dot(levers[i].a, give_a * levers[i].a) + dot(levers[i].b, give_b * levers[i].b);
      const Real mass = select(give + turning > zero, one / max_of(give + turning, Real(1e-30f)), zero);
      store(rows, joint_row::axis_mass + i, lane, mass);
      if (uses & joint_uses::drive(i)) prepare_drive(lane, i, mass);
    };
    const JointArms<Real> arms = joint_arms(at, a, b);
    LinearAxes<Real> g = linear_axes<Real>(at, a, arms, radial);
    const Real linear_give = a.inv_mass + b.inv_mass;
    for (int i = 0; i < 3; ++i) {
      if ((uses & joint_uses::any(i)) == 0) continue;
      levers[i] = {a.lever(cross(arms.a, g.direction[i])), b.lever(cross(arms.b, g.direction[i]))};
      Real give = linear_give;
      if (some_custom) {  // their directions have any length
        const Vec3Of<Real> direction = load_vector<Real>(rows, joint_row::direction + 3 * i, lane);
        give = select(custom, linear_give * dot(direction, direction), linear_give);
        g.direction[i] = select<Real>(custom, direction, g.direction[i]);
      }
      store(rows, joint_row::direction + 3 * i, lane, g.direction[i]);
      prepare_axis(i, component(g.position, i), give);
    }
    if (uses & joint_uses::kTurns) {
      const Real lone = load<Real>(rows, joint_row::lone, lane);
      const TurningAxes<Real> t = turning_axes(at, a, b, lone, any_together(lone > zero));
      const Real twist = unwrapped(t.position.x, load<Real>(rows, joint_row::position + 3, lane));
      if ((uses & joint_uses::any(3)) == 0) store(rows, joint_row::position + 3, lane, twist);
      for (int i = 3; i < kAxisCount; ++i) {
        if ((uses & joint_uses::any(i)) == 0) continue;
        levers[i] = {a.lever(t.turn[i - 3]), b.lever(t.turn[i - 3])};
        prepare_axis(i, i == 3 ? twist : component(t.position, i - 3), zero);
      }
    }
    if (uses & joint_uses::kLocks) {
      prepare_locks(lane, uses, g, levers, give_a, give_b, linear_give, select(custom, Real(kCustomGive), one));
    }
    if (first && (uses & joint_uses::kLimits) != 0) prepare_bounce(lane, uses, index_a, index_b, levers);
  }

 private:
  /// Three points that are held along the world's axes; rows as in UpdateTreeLane.
  template <class Real>
  TALUS_INLINE void update_ball(Index lane, const JointFrames<Real>& at, const JointBody<Real>& a,
                                const JointBody<Real>& b) const {
    const Real zero(0.0f), one(1.0f), locked = load<Real>(rows, joint_row::locked, lane);
    const JointArms<Real> arms = joint_arms(at, a, b);
    store(rows, joint_row::position, lane, locked * arms.apart);
    if (first) {  // impulses are kept along the axes of frame a
      const QuatOf<Real> axes = a.orientation() * at.frame_a;
      store(rows, joint_row::lock_impulse, lane, rotate(axes, load_vector<Real>(rows, joint_row::lock_impulse, lane)));
    }
    const Mask<Real> turned = has_turned(a) || has_turned(b);
    if (first) store(rows, joint_row::turned, lane, zero);
    if (!first && !any_together(turned)) return;
    store(rows, joint_row::turned, lane, select(turned, one, load<Real>(rows, joint_row::turned, lane)));
    const bool all = first || !any_together(!turned);
    const auto renew = [&](int field, Vec3Of<Real> value) {
      store(rows, field, lane, all ? value : select<Real>(turned, value, load_vector<Real>(rows, field, lane)));
    };
    const auto levers_of = [&](const JointBody<Real>& body, Vec3Of<Real> arm) {
      const Mat3Of<Real> l = point_levers(body, matrix_of(body.start), arm);
      return Mat3Of<Real>{locked * l.row0, locked * l.row1, locked * l.row2};
    };
    const Mat3Of<Real> levers_a = levers_of(a, arms.a), levers_b = levers_of(b, arms.b);
    const Sym3Of<Real> give_a = a.give(), give_b = b.give();
    const Sym3Of<Real> k =
        upper_half(times_transposed(levers_a * give_a, levers_a) + times_transposed(levers_b * give_b, levers_b));
    const Real give = a.inv_mass + b.inv_mass;
    const auto diagonal = [&](Real value) { return select(locked * give > zero, value + give, one); };
    const Sym3Of<Real> mass = inverse(Sym3Of<Real>{diagonal(k.xx), k.xy, k.xz, diagonal(k.yy), k.yz, diagonal(k.zz)});
    const auto renew_matrix = [&](int field, const Mat3Of<Real>& m) {
      renew(field, m.row0);
      renew(field + 3, m.row1);
      renew(field + 6, m.row2);
    };
    const auto renew_half = [&](int field, const Sym3Of<Real>& m) {
      renew(field, {m.xx, m.xy, m.xz});
      renew(field + 3, {m.yy, m.yz, m.zz});
    };
    renew_matrix(joint_row::lever_a, levers_a);
    renew_matrix(joint_row::lever_b, levers_b);
    renew_half(joint_row::give_a, give_a);
    renew_half(joint_row::give_b, give_b);
    renew_half(joint_row::lock_mass, mass);
  }

  /// The implicit spring of S3-68: rate = k / (h k + c), softness = 1 / (h (h k + c)).
  template <class Real>
  TALUS_INLINE void prepare_drive(Index lane, int axis, Real mass) const {
    const Real zero(0.0f), one(1.0f), h(params->h);
    const Real kind = load<Real>(rows, joint_row::driven + axis, lane);
    const Real given_k = load<Real>(rows, joint_row::stiffness + axis, lane);
    const Real given_c = load<Real>(rows, joint_row::damping + axis, lane);
    const Mask<Real> servo = kind == Real(float(Drive::servo)), soft = kind > Real(float(Drive::velocity));
    const Real omega = Real(2.0f * kPi) * given_k;
    const Real k = select(servo, mass * omega * omega, given_k);
    const Real c = select(servo, Real(2.0f) * mass * given_c * omega, given_c);
    const Real strength = max_of(h * k + c, Real(1e-20f));
    store(rows, joint_row::drive_rate + axis, lane, select(soft, k / strength, zero));
    store(rows, joint_row::drive_softness + axis, lane, select(soft, one / (h * strength), zero));
  }

  /// Inverse of the locked rows' matrix, with 1 on the diagonal for rows that are not there; those are zero. The
  /// others' are multiplied by `more`.
  template <class Real>
  TALUS_INLINE void prepare_locks(Index lane, std::uint32_t uses, const LinearAxes<Real>& g,
                                  const Levers<Real> levers[kAxisCount], const Sym3Of<Real>& give_a,
                                  const Sym3Of<Real>& give_b, Real linear_give, Real more) const {
    const Real zero(0.0f), one(1.0f);
    Real locked[kAxisCount];
    Vec3Of<Real> lever_a[kAxisCount], lever_b[kAxisCount];
    const Vec3Of<Real> none{zero, zero, zero};
    for (int i = 0; i < kAxisCount; ++i) {
      locked[i] = load<Real>(rows, joint_row::locked + i, lane);
      const bool used = (uses & joint_uses::lock(i)) != 0;
      lever_a[i] = used ? locked[i] * levers[i].a : none;
      lever_b[i] = used ? locked[i] * levers[i].b : none;
    }
    const auto entry = [&](int i, int j) {
      Real k = dot(lever_a[i], give_a * lever_a[j]) + dot(lever_b[i], give_b * lever_b[j]);
      if (i < 3 && j < 3) k = k + locked[i] * locked[j] * linear_give * dot(g.direction[i], g.direction[j]);
      return i == j ? select(locked[i] > zero && k > zero, more * k, one) : k;
    };
    Sym6Of<Real> k{{entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)},
                   {none, none, none},
                   {one, zero, zero, one, zero, one}};
    if (uses & joint_uses::kTurnLocks) {
      k.b = {{entry(0, 3), entry(0, 4), entry(0, 5)},
             {entry(1, 3), entry(1, 4), entry(1, 5)},
             {entry(2, 3), entry(2, 4), entry(2, 5)}};
      k.c = {entry(3, 3), entry(3, 4), entry(3, 5), entry(4, 4), entry(4, 5), entry(5, 5)};
    }
    store(rows, joint_row::lock_mass, lane, inverse(k));
  }

  template <class Real>
  TALUS_INLINE void prepare_bounce(Index lane, std::uint32_t uses, const RowIndices<Real>& index_a,
                                   const RowIndices<Real>& index_b, const Levers<Real> levers[kAxisCount]) const {
    Real a[8], b[8];
    gather_together(&bodies.velocity.data->linear.x, index_a.data(), a);
    gather_together(&bodies.velocity.data->linear.x, index_b.data(), b);
    const Vec3Of<Real> apart{b[0] - a[0], b[1] - a[1], b[2] - a[2]}, w_a{a[4], a[5], a[6]}, w_b{b[4], b[5], b[6]};
    for (int i = 0; i < kAxisCount; ++i) {
      if ((uses & joint_uses::limit(i)) == 0) continue;
      Real rate = dot(levers[i].b, w_b) - dot(levers[i].a, w_a);
      if (i < 3) rate = rate + dot(load_vector<Real>(rows, joint_row::direction + 3 * i, lane), apart);
      store(rows, joint_row::approach + i, lane, rate);
    }
  }
};

/// One sweep over the colored joints of a lane range. Within a color a dynamic body belongs to one lane, which may
/// write it. Sweep::warm_start begins a sub-step: it applies the impulses of the one before along the axes as they are
/// now.
template <Sweep kSweep>
struct SolveJoints {
  JointRows rows;
  BodyVelocity* velocity;
  BodyVelocity* free_velocity;  // follows, see SolveTrees
  const Index* contact_lanes;
  const StepParams* params;
  bool first;  // sub-step
  bool locks;  // locked axes; else drives, friction and limits. A warm start does all

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    if (rows.word(joint_row::rests, lane) != 0) return;
    const std::uint32_t uses = rows.word(joint_row::uses, lane);
    const std::uint32_t kinds = locks ? joint_uses::kLocks : ~joint_uses::kLocks & ~joint_uses::kBallsOnly;
    if (kSweep != Sweep::warm_start && (uses & kinds) == 0) return;
    const RowIndices<Real> index_a(rows, joint_row::body_a, lane), index_b(rows, joint_row::body_b, lane);
    Pair<Real> p;
    gather_together(&velocity->linear.x, index_a.data(), p.a);
    gather_together(&velocity->linear.x, index_b.data(), p.b);
    Real start_a[8], start_b[8];
    for (int i = 0; i < 8; ++i) {
      start_a[i] = p.a[i];
      start_b[i] = p.b[i];
    }
    const bool balls = (uses & joint_uses::kBallsOnly) != 0;
    const bool turned = may_have_turned<Real>(lane, balls);
    const Real zero(0.0f), one(1.0f);
    p.give_a = p.give_b = {one, zero, zero, one, zero, one};
    if (turned) {
      p.give_a = load_sym3<Real>(rows, joint_row::give_a, lane);
      p.give_b = load_sym3<Real>(rows, joint_row::give_b, lane);
    }
    if (balls) {
      prefetch_fields(rows, 0, 6, lane);
      prefetch_fields(rows, joint_row::position, 3, lane);
      prefetch_fields(rows, joint_row::lever_a, 9, lane);
      prefetch_fields(rows, joint_row::lever_b, 9, lane);
      prefetch_fields(rows, joint_row::turned, turned ? 13 : 1, lane);
      prefetch_fields(rows, joint_row::lock_mass, 6, lane);
      prefetch_fields(rows, joint_row::lock_impulse, 3, lane);
      solve_ball(lane, p);
    } else if constexpr (kSweep == Sweep::warm_start) {
      begin_substep(lane, uses, p);
    } else if (locks) {
      solve_locks(lane, uses, p);
    } else {
      TALUS_UNROLL
      for (int axis = 0; axis < kAxisCount; ++axis) {
        if ((uses & (joint_uses::drive(axis) | joint_uses::friction(axis) | joint_uses::limit(axis))) == 0) continue;
        solve_axis(lane, axis, uses, p);
      }
    }
    finish(index_a.data(), p.a, start_a);
    finish(index_b.data(), p.b, start_b);
  }

 private:
  /// The two bodies in registers, as BodyVelocity.
  template <class Real>
  struct Pair {
    Real a[8], b[8];
    Sym3Of<Real> give_a, give_b;

    TALUS_INLINE static Vec3Of<Real> linear(const Real r[8]) { return {r[0], r[1], r[2]}; }
    TALUS_INLINE static Vec3Of<Real> angular(const Real r[8]) { return {r[4], r[5], r[6]}; }
    TALUS_INLINE static void move(Real r[8], Vec3Of<Real> linear, Vec3Of<Real> angular) {
      r[0] = r[0] + linear.x;
      r[1] = r[1] + linear.y;
      r[2] = r[2] + linear.z;
      r[4] = r[4] + angular.x;
      r[5] = r[5] + angular.y;
      r[6] = r[6] + angular.z;
    }
    TALUS_INLINE Real speed(Vec3Of<Real> direction, const Levers<Real>& levers) const {
      return dot(direction, linear(b) - linear(a)) + (dot(levers.b, angular(b)) - dot(levers.a, angular(a)));
    }
    /// Impulses on b, their opposite on a: a push, and levers times impulses.
    TALUS_INLINE void apply(Vec3Of<Real> push, Vec3Of<Real> turn_a, Vec3Of<Real> turn_b) {
      move(a, -(a[3] * push), -(give_a * turn_a));
      move(b, b[3] * push, give_b * turn_b);
    }
  };

  /// Else the inverse inertia is the unit matrix. A GPU has no register left to ask.
  template <class Real>
  TALUS_INLINE bool may_have_turned([[maybe_unused]] Index lane, [[maybe_unused]] bool balls) const {
#if TALUS_ON_DEVICE
    return true;
#else
    return !balls || any_together(load<Real>(rows, joint_row::turned, lane) > Real(0.0f));
#endif
  }

  template <class Real>
  TALUS_INLINE void finish(const std::uint32_t* index, const Real now[8], const Real before[8]) const {
    const Mask<Real> moves = now[3] > Real(0.0f);
    scatter_together(&velocity->linear.x, index, now, moves);
    const bool begins = kSweep == Sweep::warm_start && first;
    if (!begins && *contact_lanes == 0) return;
    Real free[8];
    gather_together(&free_velocity->linear.x, index, free);
    for (int i = 0; i < 8; ++i) {
      if (i != 3 && i != 7) free[i] = free[i] + (now[i] - before[i]);
    }
    if (begins) free[7] = Real(1.0f);  // no mid-point rule of free flight for it
    scatter_together(&free_velocity->linear.x, index, free, moves);
  }

  template <class Real>
  TALUS_INLINE Vec3Of<Real> direction_of(int axis, Index lane) const {
    if (axis >= 3) return {Real(0.0f), Real(0.0f), Real(0.0f)};
    return load_vector<Real>(rows, joint_row::direction + 3 * axis, lane);
  }
  template <class Real>
  TALUS_INLINE Levers<Real> levers_of(int axis, Index lane) const {
    return {load_vector<Real>(rows, joint_row::lever_a + 3 * axis, lane),
            load_vector<Real>(rows, joint_row::lever_b + 3 * axis, lane)};
  }

  /// A block of joints that hold a point and nothing else.
  template <class Real>
  TALUS_INLINE void solve_ball(Index lane, Pair<Real>& p) const {
    const Mat3Of<Real> levers_a = load_matrix<Real>(rows, joint_row::lever_a, lane);
    const Mat3Of<Real> levers_b = load_matrix<Real>(rows, joint_row::lever_b, lane);
    const Vec3Of<Real> impulse = load_vector<Real>(rows, joint_row::lock_impulse, lane);
    Vec3Of<Real> more = impulse;
    if constexpr (kSweep == Sweep::warm_start) {
      if (!first) store(rows, joint_row::sum, lane, load_vector<Real>(rows, joint_row::sum, lane) + impulse);
    } else {
      const Real locked = load<Real>(rows, joint_row::locked, lane);
      Vec3Of<Real> speed = locked * (Pair<Real>::linear(p.b) - Pair<Real>::linear(p.a)) +
                           (levers_b * Pair<Real>::angular(p.b) - levers_a * Pair<Real>::angular(p.a));
      if constexpr (kSweep == Sweep::biased) {
        const Vec3Of<Real> error = load_vector<Real>(rows, joint_row::position, lane);
        const Real rate(params->joint.bias_rate), most(kMostJointPush);
        speed = speed + Vec3Of<Real>{clamp_to(rate * error.x, -most, most), clamp_to(rate * error.y, -most, most),
                                     clamp_to(rate * error.z, -most, most)};
      }
      more = -(load_sym3<Real>(rows, joint_row::lock_mass, lane) * speed);
      if constexpr (kSweep == Sweep::biased) {
        more = Real(params->joint.mass_scale) * more - Real(params->joint.impulse_scale) * impulse;
      }
      store(rows, joint_row::lock_impulse, lane, impulse + more);
    }
    p.apply(more, transposed_times(levers_a, more), transposed_times(levers_b, more));
  }

  template <class Real>
  TALUS_INLINE void begin_substep(Index lane, std::uint32_t uses, Pair<Real>& p) const {
    TALUS_UNROLL
    for (int axis = 0; axis < kAxisCount; ++axis) {
      if ((uses & joint_uses::any(axis)) == 0) continue;
      const Real impulse = (load<Real>(rows, joint_row::lock_impulse + axis, lane) +
                            load<Real>(rows, joint_row::drive_impulse + axis, lane)) +
                           (load<Real>(rows, joint_row::friction_impulse + axis, lane) +
                            load<Real>(rows, joint_row::limit_impulse + axis, lane));
      if (!first) {
        store(rows, joint_row::sum + axis, lane, load<Real>(rows, joint_row::sum + axis, lane) + impulse);
      }
      const Levers<Real> levers = levers_of<Real>(axis, lane);
      p.apply(impulse * direction_of<Real>(axis, lane), impulse * levers.a, impulse * levers.b);
    }
  }

  /// Drive, friction and limit of one axis, one after another: the limit has the last word, so that a motor that
  /// presses against it comes to rest there (S3-96).
  template <class Real>
  TALUS_INLINE void solve_axis(Index lane, int axis, std::uint32_t uses, Pair<Real>& p) const {
    const Vec3Of<Real> direction = direction_of<Real>(axis, lane);
    const Levers<Real> levers = levers_of<Real>(axis, lane);
    const Real mass = load<Real>(rows, joint_row::axis_mass + axis, lane), zero(0.0f), one(1.0f);
    const Real give = select(mass > zero, one / max_of(mass, Real(1e-30f)), one);  // of all rows of this axis
    Real speed = p.speed(direction, levers), change = zero;
    const auto push = [&](int field, Real wanted) {
      const Real more = select(mass > zero, wanted - load<Real>(rows, field, lane), zero);
      store(rows, field, lane, load<Real>(rows, field, lane) + more);
      speed = speed + give * more;
      change = change + more;
    };
    // Springs go from where the sub-step began: in the relaxing sweep, too.
    const Real position =
        load<Real>(rows, (kSweep == Sweep::biased ? joint_row::position : joint_row::before) + axis, lane);
    if (uses & joint_uses::drive(axis)) {
      const int field = joint_row::drive_impulse + axis;
      const Real most = load<Real>(rows, joint_row::drive_most + axis, lane);
      const Real softness = load<Real>(rows, joint_row::drive_softness + axis, lane);
      const Real impulse = load<Real>(rows, field, lane);
      const Real off = load<Real>(rows, joint_row::drive_rate + axis, lane) *
                       (position - load<Real>(rows, joint_row::target + axis, lane));
      const Real miss = (speed - load<Real>(rows, joint_row::target_speed + axis, lane)) + off + softness * impulse;
      push(field, clamp_to(impulse - miss / (give + softness), -most, most));
    }
    if (uses & joint_uses::friction(axis)) {
      const int field = joint_row::friction_impulse + axis;
      const Real most = load<Real>(rows, joint_row::friction_most + axis, lane);
      push(field, clamp_to(load<Real>(rows, field, lane) - mass * speed, -most, most));
    }
    if (uses & joint_uses::limit(axis)) push(joint_row::limit_impulse + axis, limited(lane, axis, speed, give));
    p.apply(change * direction, change * levers.a, change * levers.b);
  }

  /// The impulse that keeps an axis within its limits (S3-93): one-sided at the nearer of the two, or both ways if they
  /// are the same. As contacts do, a limit lets the gap close within the sub-step, and pushes out of itself only in the
  /// biased sweep, unless it is a spring.
  template <class Real>
  TALUS_INLINE Real limited(Index lane, int axis, Real speed, Real give) const {
    const Real zero(0.0f), one(1.0f), h(params->h);
    const Real lower = load<Real>(rows, joint_row::lower + axis, lane);
    const Real upper = load<Real>(rows, joint_row::upper + axis, lane);
    const Real hertz = load<Real>(rows, joint_row::limit_hertz, lane);
    const Mask<Real> spring = hertz > zero, rigid = upper <= lower;
    const Real now = load<Real>(rows, joint_row::position + axis, lane);
    const Real position =
        kSweep == Sweep::biased ? now : select(spring, load<Real>(rows, joint_row::before + axis, lane), now);
    const Mask<Real> at_lower = rigid || position - lower < upper - position;
    const Real side = select(at_lower, one, -one);
    const Real gap = select(at_lower, position - lower, upper - position);
    const Real closing = side * speed;
    const Real impulse = load<Real>(rows, joint_row::limit_impulse + axis, lane), pressed = side * impulse;

    const Real omega = Real(2.0f * kPi) * hertz, ratio = load<Real>(rows, joint_row::limit_damping_ratio, lane);
    const Real a = Real(2.0f) * ratio + h * omega, b = h * omega * a, leak = one / (one + b);
    const Real rate = select(spring, omega / max_of(a, Real(1e-20f)), Real(params->joint.bias_rate));
    const Mask<Real> apart = gap > zero && !rigid;
    Real bias, mass_scale, impulse_scale;
    if constexpr (kSweep == Sweep::biased) {
      bias = max_of(rate * gap, Real(-kMostJointPush));
      mass_scale = select(spring, b * leak, Real(params->joint.mass_scale));
      impulse_scale = select(spring, leak, Real(params->joint.impulse_scale));
    } else {
      bias = select(spring, rate * gap, zero);
      mass_scale = select(spring, b * leak, one);
      impulse_scale = select(spring, leak, zero);
    }
    bias = select(apart, Real(params->inv_h) * gap, bias);
    mass_scale = select(apart, one, mass_scale);
    impulse_scale = select(apart, zero, impulse_scale);
    if constexpr (kSweep == Sweep::bounce) {
      const Real approach = side * load<Real>(rows, joint_row::approach + axis, lane);
      const Mask<Real> bounces = approach < Real(-params->restitution_threshold) &&
                                 load<Real>(rows, joint_row::peak + axis, lane) > zero && !rigid;
      bias = select(bounces, load<Real>(rows, joint_row::limit_restitution, lane) * approach, bias);
    }
    const Real wanted = pressed - mass_scale * (closing + bias) / give - impulse_scale * pressed;
    const Real next = select(rigid, wanted, max_of(wanted, zero));
    if constexpr (kSweep != Sweep::bounce) {
      store(rows, joint_row::peak + axis, lane, max_of(next, load<Real>(rows, joint_row::peak + axis, lane)));
    }
    return side * next;
  }

  /// All locked axes at once.
  template <class Real>
  TALUS_INLINE void solve_locks(Index lane, std::uint32_t uses, Pair<Real>& p) const {
    const Real zero(0.0f);
    Real miss[kAxisCount], before[kAxisCount];
    TALUS_UNROLL
    for (int i = 0; i < kAxisCount; ++i) {
      miss[i] = before[i] = zero;
      if ((uses & joint_uses::lock(i)) == 0) continue;
      const Real locked = load<Real>(rows, joint_row::locked + i, lane);
      Real speed = p.speed(direction_of<Real>(i, lane), levers_of<Real>(i, lane));
      if constexpr (kSweep == Sweep::biased) {
        const Real error = Real(params->joint.bias_rate) * load<Real>(rows, joint_row::position + i, lane);
        speed = speed + clamp_to(error, Real(-kMostJointPush), Real(kMostJointPush));
      }
      miss[i] = locked * speed;
      before[i] = load<Real>(rows, joint_row::lock_impulse + i, lane);
    }
    const Sym6Of<Real> mass = load_sym6<Real>(rows, joint_row::lock_mass, lane);
    const Vec6Of<Real> found = mass * Vec6Of<Real>{{miss[0], miss[1], miss[2]}, {miss[3], miss[4], miss[5]}};
    const Real answer[kAxisCount] = {found.a.x, found.a.y, found.a.z, found.b.x, found.b.y, found.b.z};
    TALUS_UNROLL
    for (int i = 0; i < kAxisCount; ++i) {
      if ((uses & joint_uses::lock(i)) == 0) continue;
      Real more = -answer[i];
      if constexpr (kSweep == Sweep::biased) {
        more = Real(params->joint.mass_scale) * more - Real(params->joint.impulse_scale) * before[i];
      }
      store(rows, joint_row::lock_impulse + i, lane, before[i] + more);
      const Levers<Real> levers = levers_of<Real>(i, lane);
      p.apply(more * direction_of<Real>(i, lane), more * levers.a, more * levers.b);
    }
  }
};

}  // namespace talus::inline TALUS_ISA
