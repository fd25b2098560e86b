// SPDX-License-Identifier: MIT
// Tilts of two bodies that touch in four points. A point by itself moves a tall and narrow body mostly as a whole: it
// would take hundreds of sweeps to turn it. Then loads are not where they should be, and what sweeps were to take out
// of the velocities stays in them: a pole of 1:30 that slides rocks for ever, and leaves its line by 3 degrees. So
// sweeps over the points of such contacts are followed by steps along three more directions of the same problem: load
// goes from two points to the other two.
#pragma once
#include "math/scalar.h"
#include "math/vec3.h"

namespace talus::inline TALUS_ISA {

/// [1] Part of a tilt that a sweep over the points removes, below which solve_tilts does it: boxes more than 6 times as
/// high as they are thick.
constexpr float kSlim = 0.25f;

/// Whether a contact has four points and a tilt that is slow. points_give: [1/kg] sum of the points' inverse effective
/// masses, mass: of the bodies' inverse masses, middle_turns: what a push in the middle turns. lever_a, lever_b: of the
/// point with a number; give_a, give_b: what a unit impulse along a lever changes of the speed along it.
template <class Real, class LeverA, class LeverB, class GiveA, class GiveB>
TALUS_INLINE Mask<Real> has_slow_tilt(Real count, Real points_give, Real mass, Real middle_turns, const LeverA& lever_a,
                                      const LeverB& lever_b, const GiveA& give_a, const GiveB& give_b) {
  const Real four(4.0f);
  const Vec3Of<Real> a01 = lever_a(0) - lever_a(1), a23 = lever_a(2) - lever_a(3);
  const Vec3Of<Real> b01 = lever_b(0) - lever_b(1), b23 = lever_b(2) - lever_b(3);
  const Real tilt1 = give_a(a01 + a23) + give_b(b01 + b23), tilt2 = give_a(a01 - a23) + give_b(b01 - b23);
  // The three directions and the push in the middle are orthogonal: their squares add up to those of the levers.
  const Real tilt3 = four * (points_give - four * mass) - Real(16.0f) * middle_turns - (tilt1 + tilt2);
  // Of four points in a plane one direction turns nothing: the second one counts.
  const Real second = max_of(min_of(tilt1, tilt2), min_of(max_of(tilt1, tilt2), tilt3));
  return count == four && second < Real(kSlim) * points_give;
}

/// The three steps. `contact` has of the point with a number: levers(), impulse(), softness() [1/kg], and bias(): the
/// speed [m/s] that it is to have less, without the softness; set_impulse() stores. slim: the lanes that have a slow
/// tilt. No point ends with a pull.
template <class Real, class Bodies, class Contact>
TALUS_INLINE void solve_tilts(Bodies& bodies, Mask<Real> slim, const Contact& contact) {
  constexpr float kWarp = 1e-5f;  // [1] of all levers: the direction that turns nothing has rounding errors
  const Real zero(0.0f);
  for (int other = 1; other < 4; ++other) {  // the point that is on the side of the first one
    auto tilt = contact.levers(0);
    Real error = zero, softness = zero, squares = zero, least[2] = {Real(1e30f), Real(1e30f)};
    for (int i = 0; i < 4; ++i) {
      const int side = i == 0 || i == other ? 0 : 1;
      const Real sign(side == 0 ? 1.0f : -1.0f), impulse = contact.impulse(i), soft = contact.softness(i);
      const auto levers = contact.levers(i);
      if (i > 0) {
        tilt.a = tilt.a + sign * levers.a;
        tilt.b = tilt.b + sign * levers.b;
      }
      squares = squares + bodies.turns_a * dot(levers.a, levers.a) + bodies.turns_b * dot(levers.b, levers.b);
      error = error + sign * (contact.bias(i) + soft * impulse);
      softness = softness + soft;
      least[side] = min_of(least[side], impulse);
    }
    const Real turns = bodies.turns_a * dot(tilt.a, tilt.a) + bodies.turns_b * dot(tilt.b, tilt.b);
    // Points in a parallelogram have a direction that turns nothing: there a point without any impulse, which would
    // keep load from going where it has to, gets as much as the least one of the other side keeps.
    const Mask<Real> warps = !(turns > Real(kWarp) * squares);
    const Mask<Real> blocked = squares > zero && softness == zero && min_of(least[0], least[1]) == zero;
    const Mask<Real> solves = slim && (!warps || blocked);
    const Real give = select(warps, Real(1.0f), turns + softness);
    const Real wanted = select(warps, Real(0.5f) * (least[1] - least[0]), -(error + bodies.turn_speed(tilt)) / give);
    const Real more = select(solves, clamp_to(wanted, -least[0], least[1]), zero);
    // Lanes that have no such tilt keep every bit, a negative zero too: one by one they would not be here.
    const Vec3Of<Real> before_a = bodies.a.angular, before_b = bodies.b.angular;
    bodies.turn(more, tilt);
    bodies.a.angular = select<Real>(solves, bodies.a.angular, before_a);
    bodies.b.angular = select<Real>(solves, bodies.b.angular, before_b);
    for (int i = 0; i < 4; ++i) {
      const Real impulse = contact.impulse(i);
      // max_of: a point that gives all it has may miss zero by a rounding error.
      const Real next = max_of(impulse + (i == 0 || i == other ? more : -more), zero);
      contact.set_impulse(i, select(solves, next, impulse));
    }
  }
}

}  // namespace talus::inline TALUS_ISA
