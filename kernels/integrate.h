// SPDX-License-Identifier: MIT
// Motion of bodies over one sub-step, a pack of bodies at a time: velocities from forces, and positions from
// velocities.
#pragma once
#include "columns.h"
#include "free_turn.h"
#include "lanes.h"
#include "math/bits.h"
#include "math/vec3.h"
#include "solve_columns.h"
#include "step_params.h"

namespace talus::inline TALUS_ISA {

constexpr float kMaxSpeed = 1e6f;          // [m/s, rad/s] beyond it a body is frozen: products of two still are finite
constexpr float kMaxPosition = 1e8f;       // [m]
constexpr float kSlowTurn = 0.125f;        // [rad] in a sub-step; what turns further goes the way of free_turn.h
constexpr float kSlowSlenderTurn = 0.02f;  // [rad] the same for bodies with very different moments of inertia
constexpr float kStaysBehind = 0.1f;       // [rad] times the root of the moments' ratio: scaled axes, behind their body
constexpr float kSlenderRatio = 1000.0f;   // [1] of moments of inertia: two of the three are the same
constexpr float kMaxHalfTurn =
    0.78539816f;  // [rad] half the rotation of a sub-step; beyond it the series of round_turn fail

/// v' = (v + h a) / (1 + h c), and the warm start of the next sub-step: within a step the contact rows are fixed, so
/// the impulses of the sub-step that ended changed the velocity by v - v_free, and will do so again (methods: parallel
/// engine, 4.3). Angular velocities are in scaled axes (solve_columns.h). One body a lane. Velocities are never -0:
/// points that a lane does not have add +0 to them in a pack and nothing in a thread, which must be the same.
struct IntegrateVelocities {
  // model
  BodyModel model;
  // inputs
  BodyInputs inputs;
  // scratch in/out: rows of this lane
  BodyVelocity* velocity;
  BodyVelocity* free_velocity;
  const BodyFrame* frame;
  const StepParams* params;
  const Index* contact_lanes;  // if there is none, joints leave the free velocity behind

  template <class Real>
  TALUS_INLINE void solve(Index row) const {
    Real now[8], free[8], axes[8];
    load_together(&velocity[0].linear.x, row, now);
    load_together(&free_velocity[0].linear.x, row, free);
    load_together(&frame[0].orientation.x, row, axes);
    const Real h(params->h), one(1.0f), zero(0.0f), inv_mass = now[3];
    const Real touching(*contact_lanes > 0 ? 1.0f : 0.0f);
    const Mask<Real> moves = inv_mass > zero;
    // With more inertia than mass (squeeze.h) a body has its weight still.
    const Real share = inv_mass / load<Real>(model.inv_mass.data, row);
    const Real weight = select(moves, share * load<Real>(model.gravity_scale.data, row), zero);
    const Vec3Of<Real> force = load<Real>(inputs.force, row), torque = load<Real>(inputs.torque, row);
    const Vec3Of<Real> gravity{Real(params->gravity.x), Real(params->gravity.y), Real(params->gravity.z)};
    const Vec3Of<Real> v{now[0], now[1], now[2]}, w{now[4], now[5], now[6]};
    const Vec3Of<Real> pushed = touching * (v - Vec3Of<Real>{free[0], free[1], free[2]});
    const Vec3Of<Real> twisted = touching * (w - Vec3Of<Real>{free[4], free[5], free[6]});
    const Vec3Of<Real> per_axis{axes[4], axes[5], axes[6]};
    const Vec3Of<Real> torque_on_axes = rotate_back({axes[0], axes[1], axes[2], axes[3]}, torque);
    const Vec3Of<Real> still{zero, zero, zero};
    const Vec3Of<Real> spin = select<Real>(moves, scale(per_axis, torque_on_axes), still);
    const Real keep_linear = select(moves, one / (one + h * load<Real>(model.linear_damping.data, row)), one);
    const Real keep_angular = select(moves, one / (one + h * load<Real>(model.angular_damping.data, row)), one);
    const Vec3Of<Real> plus_zero{zero, zero, zero};
    Vec3Of<Real> v_free = keep_linear * (v + h * (weight * gravity + inv_mass * force)) + plus_zero;
    Vec3Of<Real> w_free = keep_angular * (w + h * spin) + plus_zero;
    Vec3Of<Real> v_next = v_free + pushed, w_next = w_free + twisted;
    const Real limit(kMaxSpeed);
    const Mask<Real> tame = largest(v_next) < limit && largest(scale(per_axis, w_next)) < limit &&
                            largest(v_free) < limit && largest(scale(per_axis, w_free)) < limit;
    v_free = select<Real>(tame, v_free, still);
    w_free = select<Real>(tame, w_free, still);
    v_next = select<Real>(tame, v_next, still);
    w_next = select<Real>(tame, w_next, still);
    write(v_next, w_next, select(tame, now[7], one), now);
    write(v_free, w_free, free[7], free);
    store_together(&velocity[0].linear.x, row, now);
    store_together(&free_velocity[0].linear.x, row, free);
  }

  /// False for NaN when compared with <.
  template <class Real>
  TALUS_INLINE static Real largest(Vec3Of<Real> v) {
    return abs_of(v.x) + abs_of(v.y) + abs_of(v.z);
  }
  template <class Real>
  TALUS_INLINE static void write(Vec3Of<Real> v, Vec3Of<Real> w, Real flag, Real record[8]) {
    record[0] = v.x;
    record[1] = v.y;
    record[2] = v.z;
    record[4] = w.x;
    record[5] = w.y;
    record[6] = w.z;
    record[7] = flag;
  }
};

/// Rotations and velocities of the lanes of a pack, to be changed one by one.
template <class Real>
class LaneTurns {
 public:
  TALUS_INLINE LaneTurns(QuatOf<Real> q, Vec3Of<Real> w) {
    const Real all[7] = {q.x, q.y, q.z, q.w, w.x, w.y, w.z};
    for (int i = 0; i < 7; ++i) store_lanes(numbers_[i], all[i]);
  }
  TALUS_INLINE void set(int lane, Quat q, Vec3 w) {
    const float all[7] = {q.x, q.y, q.z, q.w, w.x, w.y, w.z};
    for (int i = 0; i < 7; ++i) numbers_[i][lane] = all[i];
  }
  TALUS_INLINE void get(QuatOf<Real>& q, Vec3Of<Real>& w) const {
    Real all[7];
    for (int i = 0; i < 7; ++i) all[i] = load_lanes(numbers_[i], Real{});
    q = {all[0], all[1], all[2], all[3]};
    w = {all[4], all[5], all[6]};
  }

 private:
  float numbers_[7][LaneCount<Real>::value];
};

/// The turn of a free rigid body over h that is short, below kSlowTurn.
///
/// It keeps energy and angular momentum: with M the angular momentum in body axes halfway through, the implicit
/// mid-point rule m' = m + 2 a M x w, M = I w = (m + m') / 2, conserves both quadratic invariants for any a, and is the
/// rotation of m by the inverse of the quaternion (a w + b M, 1), whatever b is. Turning the body by that quaternion
/// leaves the angular momentum in world axes as it was. a and b from energy and momentum make the rule one of fourth
/// order (Hairer, Vilmart 2006, Preprocessed discrete Moser-Veselov algorithm, 2.2). The equation for w is solved by
/// Newton's method from the velocity at the start.
template <class Real>
struct SlowTurn {
  QuatOf<Real> turn;
  Vec3Of<Real> gained;  // [rad/s] own axes: the velocity at the end, in own axes then, less that at the start
  Real ratio;           // [1] of the largest moment to the least
  Mask<Real> slender;   // moments so different that a and b would be differences of large numbers: left as they are
  Vec3Of<Real> swing;   // [rad/s] own axes: of axes that follow a rod and do not turn about it

  static constexpr int kNewtonIterations = 2;  // a third changes the energy by 1e-9 of it at kSlowTurn

  TALUS_INLINE SlowTurn(Vec3Of<Real> w0, Vec3Of<Real> inverse, Real h) {
    const Real zero(0.0f), one(1.0f), half(0.5f);
    // Moments are counted in the least of them.
    const Real most_inverse = max_of(inverse.x, max_of(inverse.y, inverse.z)), least = one / most_inverse;
    const Vec3Of<Real> i{most_inverse / inverse.x, most_inverse / inverse.y, most_inverse / inverse.z};
    const Vec3Of<Real> g = least * inverse;
    ratio = max_of(i.x, max_of(i.y, i.z));
    slender = ratio > Real(kSlenderRatio);
    const Vec3Of<Real> gyro{(i.y - i.z) * g.x, (i.z - i.x) * g.y, (i.x - i.y) * g.z}, m0 = scale(i, w0);
    swing = (one / ratio) * m0;
    const Real energy = half * dot(w0, m0), sphere = half * dot(m0, m0);
    const Real sum = g.x + g.y + g.z, pairs = g.x * g.y + g.y * g.z + g.z * g.x, all = g.x * g.y * g.z;
    const Real third(1.0f / 3), sixth(1.0f / 6), part = select(slender, zero, h * h);
    const Real along_w = one + part * (sixth * pairs * sphere - third * sum * energy);
    const Real along_m = part * (sixth * pairs * energy - third * all * sphere);

    Vec3Of<Real> half_gain{zero, zero, zero}, e{zero, zero, zero};  // w - w0; tangent of half the turn
    for (int iteration = 0; iteration < kNewtonIterations; ++iteration) {
      const Vec3Of<Real> w = w0 + half_gain;
      const Real a = half * h * (one + dot(e, e));
      e = a * (along_w * w + along_m * scale(i, w));
      const Vec3Of<Real> k = (half * h * (one + dot(e, e)) * along_w) * gyro;
      const Vec3Of<Real> f = half_gain - Vec3Of<Real>{k.x * w.y * w.z, k.y * w.z * w.x, k.z * w.x * w.y};
      // Rows of the Jacobian; k is held.
      const Vec3Of<Real> r0{one, -k.x * w.z, -k.x * w.y};
      const Vec3Of<Real> r1{-k.y * w.z, one, -k.y * w.x};
      const Vec3Of<Real> r2{-k.z * w.y, -k.z * w.x, one};
      const Vec3Of<Real> c0 = cross(r1, r2), c1 = cross(r2, r0), c2 = cross(r0, r1);
      const Real det = one / dot(r0, c0);
      half_gain = half_gain - det * (f.x * c0 + f.y * c1 + f.z * c2);
    }
    gained = half_gain + half_gain;
    const Vec3Of<Real> w = w0 + half_gain;
    e = (half * h * (one + dot(e, e))) * (along_w * w + along_m * scale(i, w));
    const Real n = one / square_root(one + dot(e, e));
    turn = {n * e.x, n * e.y, n * e.z, n};
  }
};

/// Whether the two larger moments of inertia are the same.
template <class Real>
TALUS_INLINE Mask<Real> has_round_section(Vec3Of<Real> inverse) {
  const Real low = min_of(inverse.x, min_of(inverse.y, inverse.z));
  const Mask<Real> x = inverse.x == low, y = inverse.y == low, z = inverse.z == low;
  return (x && y) || (y && z) || (z && x);
}
template <class Real>
TALUS_INLINE Mask<Real> is_same(QuatOf<Real> a, QuatOf<Real> b) {
  return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}

/// x' = x + h v', and the turn of a free rigid body over h. One body a lane. kFarNow: bodies that turn far do so in
/// this sub-step, as joints need it. Else it is left to TurnFar, which has registers for it on a GPU: rows of contacts
/// are those of the start of the step in any case. And scaled axes follow their body then, see follow().
template <bool kFarNow>
struct IntegratePositions {
  // model
  BodyModel model;
  // inputs, for the mid-point rule of free flight
  BodyInputs inputs;
  // scratch in/out: rows of this lane
  BodyVelocity* velocity;
  BodyVelocity* free_velocity;
  BodyFrame* frame;
  BodyDisplacement* displacement;
  BodyMove* move;
  const StepParams* params;
  bool projected;  // `move` holds h v and what ProjectContacts added to it

  template <class Real>
  TALUS_INLINE void solve(Index row) const {
    Real now[8], free[8], axes[8], gone[8];
    load_together(&velocity[0].linear.x, row, now);
    load_together(&free_velocity[0].linear.x, row, free);
    load_together(&frame[0].orientation.x, row, axes);
    load_together(&displacement[0].shift.x, row, gone);
    const Real h(params->h), one(1.0f), zero(0.0f), half(0.5f), inv_mass = now[3];
    const Vec3Of<Real> v{now[0], now[1], now[2]}, w{now[4], now[5], now[6]}, per_axis{axes[4], axes[5], axes[6]};
    Vec3Of<Real> shift_now = h * v, push{zero, zero, zero};  // push: turn that the projection adds, own axes
    if (projected) {
      Real moved[8];
      load_together(&move[0].shift.x, row, moved);
      if (any_together(free[7] > one)) limit_move(row, free[7], h, now, moved);
      shift_now = {moved[0], moved[1], moved[2]};
      push = scale(per_axis, Vec3Of<Real>{moved[4], moved[5], moved[6]} - h * w);
    } else {
      const Vec3Of<Real> turn_now = h * w;
      Real moved[8] = {shift_now.x, shift_now.y, shift_now.z, zero, turn_now.x, turn_now.y, turn_now.z, zero};
      store_together(&move[0].shift.x, row, moved);
    }
    Vec3Of<Real> shift = Vec3Of<Real>{gone[0], gone[1], gone[2]} + shift_now;
    if (params->moreau != 0) shift = shift - mid_point(row, h, inv_mass, free[7]);

    const Vec3Of<Real> inverse = load<Real>(model.inv_inertia, row);
    const Mask<Real> round = inverse.x == inverse.y && inverse.y == inverse.z;
    const QuatOf<Real> q{gone[4], gone[5], gone[6], gone[7]};  // own axes at the start -> own axes now
    const Vec3Of<Real> body_w = rotate_back(q, scale(per_axis, w));
    const Mask<Real> tumbles = !round;
    const Real way = h * length(body_w);
    QuatOf<Real> turn = round_turn(h, way, body_w);
    Vec3Of<Real> w_next = w;
    Real ratio = zero;                     // [1] of the largest moment of inertia to the least; 0 without contacts
    const Real most(2.0f * kMaxHalfTurn);  // [rad]
    Mask<Real> far = way > most, rod = one < zero;  // far: goes the way of free_turn.h
    if (any_of(tumbles)) {
      const SlowTurn<Real> free_turn(body_w, select<Real>(tumbles, inverse, Vec3Of<Real>{one, one, one}), h);
      turn = select<Real>(tumbles, free_turn.turn, turn);
      // In differences, which are small: 4,800 sub-steps would otherwise lose 1e-3 of the momentum to rounding.
      const Vec3Of<Real> change = rotate(q, turned(turn, body_w) + rotate(turn, free_turn.gained));
      w_next = select<Real>(tumbles, w + over(change, per_axis), w);
      ratio = select(tumbles && free[7] > zero, free_turn.ratio, zero);
      far = way > select(tumbles, select(free_turn.slender, Real(kSlowSlenderTurn), Real(kSlowTurn)), most);
      if constexpr (!kFarNow) {
        const Mask<Real> is_rod = far && ratio > zero && (free_turn.slender || has_round_section(inverse));
        if (any_of(is_rod)) {
          // A rod swings here, about its momentum. What it turns about its axis besides is left to TurnFar if it is
          // long, and its axes follow.
          const Vec3Of<Real> besides = body_w - free_turn.swing;
          const Real way_swung = h * length(free_turn.swing), way_besides = h * length(besides);
          const Mask<Real> swings = is_rod && way_swung < most;
          const Mask<Real> rolls = swings && !(ratio > Real(kLongRatio)) && way_besides < most;
          const QuatOf<Real> swing = round_turn(h, way_swung, free_turn.swing);
          rod = swings && !rolls;
          turn = select<Real>(swings, swing, turn);
          turn = select<Real>(rolls, swing * round_turn(h, way_besides, besides), turn);
          w_next = select<Real>(rolls, w + over(rotate(q, turned(swing, besides)), per_axis), w_next);
          gone[3] = gone[3] + select(rod, h, zero);
          far = far && !swings;
        }
      }
    }
    QuatOf<Real> next = normalized(q * turn);
    if constexpr (kFarNow) {
      if (any_of(far)) turn_far(row, lane_bits(far), tumbles, next, w_next);
    } else {
      next = select<Real>(far, q, next);
      w_next = select<Real>(far, w, w_next);
      gone[3] = gone[3] + select(far, h, zero);
    }
    if (projected) {
      // The velocity goes with the body, and so does the energy: a rod's spin about its axis would otherwise be one
      // across, with more of it.
      const QuatOf<Real> pushed = normalized(QuatOf<Real>{half * push.x, half * push.y, half * push.z, one});
      const Vec3Of<Real> change = turned(pushed, scale(per_axis, w_next));
      w_next = select<Real>(tumbles, w_next + over(change, per_axis), w_next);
      next = normalized(pushed * next);
    }
    if constexpr (!kFarNow) {
      const Real turned_by = Real(4.0f) * (next.x * next.x + next.y * next.y + next.z * next.z);
      const Mask<Real> leans =
          rod || (ratio > Real(kLongRatio) && ratio * turned_by > Real(kStaysBehind * kStaysBehind));
      if (any_together(leans)) follow(row, leans, rod, inverse, axes, w, next, w_next);
    }

    gone[0] = shift.x;
    gone[1] = shift.y;
    gone[2] = shift.z;
    gone[4] = next.x;
    gone[5] = next.y;
    gone[6] = next.z;
    gone[7] = next.w;
    store_together(&displacement[0].shift.x, row, gone);
    if (any_together(tumbles)) {
      // The turn changes the velocity without any impulse: the free velocity follows.
      const Vec3Of<Real> was_free{free[4], free[5], free[6]};
      const Vec3Of<Real> w_free = select<Real>(tumbles, w_next - (w - was_free), was_free);
      IntegrateVelocities::write(v, w_next, now[7], now);
      IntegrateVelocities::write(Vec3Of<Real>{free[0], free[1], free[2]}, w_free, free[7], free);
      store_together(&velocity[0].linear.x, row, now);
      store_together(&free_velocity[0].linear.x, row, free);
    }
  }

  /// Cuts what contacts add to the way of a body, if deep ones have moved it (deep.h), to what is left of
  /// max_push_speed. now: its velocity; moved: its way, in/out.
  template <class Real>
  TALUS_INLINE void limit_move(Index row, Real flag, Real h, const Real now[8], Real moved[8]) const {
    const Real one(1.0f);
    const Vec3Of<Real> added{moved[0] - h * now[0], moved[1] - h * now[1], moved[2] - h * now[2]};
    const Real size = length(added), most = (Real(2.0f) - flag) * Real(params->max_push_speed) * h;
    const Mask<Real> far = flag > one && size > most;
    const Real part = most / select(far, size, one);
    for (const int i : {0, 1, 2, 4, 5, 6}) {
      moved[i] = select(far, h * now[i] + part * (moved[i] - h * now[i]), moved[i]);
    }
    store_together(&move[0].shift.x, row, moved);
  }

  /// For the lanes that turn far, one after another, from the records in memory.
  template <class Real>
  TALUS_INLINE void turn_far(Index row, unsigned lanes_of_rows, Mask<Real> tumbles, QuatOf<Real>& next,
                             Vec3Of<Real>& w_next) const {
    LaneTurns<Real> lanes(next, w_next);
    const unsigned tumbling = lane_bits(tumbles);
    for (; lanes_of_rows != 0; lanes_of_rows &= lanes_of_rows - 1u) {
      const int lane = lowest_bit(lanes_of_rows);
      const Index body = row + lane;
      Quat turn = displacement[body].turn;
      Vec3 spin = velocity[body].angular;
      const bool round = ((tumbling >> lane) & 1u) == 0;
      const Vec3 inverse = round ? Vec3{1.0f, 1.0f, 1.0f} : model.inv_inertia[body];
      turn_free_body(params->h, inverse, frame[body].scale, turn, spin);
      lanes.set(lane, turn, round ? velocity[body].angular : spin);
    }
    lanes.get(next, w_next);
  }

  /// Scaled axes follow their bodies, in the lanes that lean.
  ///
  /// The rows of a step are made once. A needle that friction spins about its axis has a velocity along it that is
  /// larger than all else by the ratio of its length to its width; in axes that stayed behind by a small angle that is
  /// a velocity across, with an energy that is larger by the moments' ratio times the angle squared. In axes that
  /// follow, levers and inertia agree in every sub-step, so that no impulse makes energy. They follow the axis whose
  /// moment of inertia differs most from the others. What turns about it stays in `next`: those two moments are nearly
  /// the same, and points where round bodies touch do not go round with them. Axes of a rod take up all of `next`, and
  /// its velocity in them stays as it is.
  template <class Real>
  TALUS_INLINE void follow(Index row, Mask<Real> leans, Mask<Real> rod, Vec3Of<Real> inverse, Real axes[8],
                           Vec3Of<Real> w, QuatOf<Real>& next, Vec3Of<Real>& w_next) const {
    const Real zero(0.0f), one(1.0f);
    const Real high = max_of(inverse.x, max_of(inverse.y, inverse.z));
    const Real low = min_of(inverse.x, min_of(inverse.y, inverse.z));
    const Real middle = max_of(min_of(inverse.x, inverse.y), min_of(max_of(inverse.x, inverse.y), inverse.z));
    const Real odd = select(middle / low < high / middle, high, low);
    const Mask<Real> x = inverse.x == odd, y = !x && inverse.y == odd, z = !x && !y;
    const QuatOf<Real> about{select(x, next.x, zero), select(y, next.y, zero), select(z, next.z, zero), next.w};
    const Real size = about.x * about.x + about.y * about.y + about.z * about.z + about.w * about.w;
    const Mask<Real> follows = leans && (rod || size > Real(1e-6f));  // turned over, any half turn would do
    const QuatOf<Real> none{zero, zero, zero, one};
    const QuatOf<Real> twist = select<Real>(follows && !rod, normalized(about), none);
    const QuatOf<Real> swing =
        select<Real>(follows, next * QuatOf<Real>{zero - twist.x, zero - twist.y, zero - twist.z, twist.w}, none);
    const Vec3Of<Real> per_axis{axes[4], axes[5], axes[6]};
    const QuatOf<Real> back{zero - swing.x, zero - swing.y, zero - swing.z, swing.w};
    const Vec3Of<Real> change = turned(back, scale(per_axis, w_next));
    w_next = select<Real>(rod, w, select<Real>(follows, w_next + over(change, per_axis), w_next));
    next = select<Real>(follows, twist, next);
    const QuatOf<Real> was{axes[0], axes[1], axes[2], axes[3]};
    const QuatOf<Real> now = select<Real>(follows, normalized(was * swing), was);
    axes[0] = now.x;
    axes[1] = now.y;
    axes[2] = now.z;
    axes[3] = now.w;
    store_together(&frame[0].orientation.x, row, axes);
  }

  /// [m] h^2 a / 2 for bodies without contacts: h v' less this is h (v + v') / 2, Moreau's mid-point (S1-08).
  template <class Real>
  TALUS_INLINE Vec3Of<Real> mid_point(Index row, Real h, Real inv_mass, Real touched) const {
    const Real part = select(inv_mass > Real(0.0f), select(touched > Real(0.0f), Real(0.0f), Real(0.5f)), Real(0.0f));
    const Real weight = load<Real>(model.gravity_scale.data, row);
    const Vec3Of<Real> gravity{Real(params->gravity.x), Real(params->gravity.y), Real(params->gravity.z)};
    return (part * h * h) * (weight * gravity + inv_mass * load<Real>(inputs.force, row));
  }

  /// By `way` = h |w| about w: sin(x) / x and cos(x) for half of it, as series.
  template <class Real>
  TALUS_INLINE static QuatOf<Real> round_turn(Real h, Real way, Vec3Of<Real> w) {
    const Real x = min_of(Real(0.5f) * way, Real(kMaxHalfTurn));
    const Real u = x * x;
    const Real sinc =
        Real(1.0f) +
        u * (Real(-1.6666667e-1f) + u * (Real(8.3333333e-3f) + u * (Real(-1.9841270e-4f) + u * Real(2.7557319e-6f))));
    const Real cosine =
        Real(1.0f) +
        u * (Real(-0.5f) + u * (Real(4.1666667e-2f) + u * (Real(-1.3888889e-3f) + u * Real(2.4801587e-5f))));
    const Vec3Of<Real> axis = (Real(0.5f) * h * sinc) * w;
    return {axis.x, axis.y, axis.z, cosine};
  }
};

}  // namespace talus::inline TALUS_ISA
