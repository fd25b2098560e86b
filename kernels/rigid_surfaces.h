// SPDX-License-Identifier: MIT
// What the rigid solvers do of a material beyond one coefficient: friction that depends on the direction, rows against
// spinning and rolling, and the energy that an impact may leave. A contact without any of it is solved to the same bits
// whether the world has such materials or not.
#pragma once
#include "friction.h"
#include "pair_energy.h"
#include "rigid_columns.h"
#include "solve.h"

namespace talus::inline TALUS_ISA {

/// 1 / x, or 0 for rows that nothing can move.
template <class Real>
TALUS_INLINE Real inverse_or_zero(Real x) {
  return select(x > Real(0.0f), Real(1.0f) / max_of(x, Real(1e-30f)), Real(0.0f));
}

/// The friction law of the rigid solvers: brings the impulse of a point to the nearest one that the limit allows.
template <class Real>
TALUS_INLINE void project_friction(const StepParams& params, Real limit, Real& f1, Real& f2) {
  if (params.polygon.sides > 0) {
    project_on_polygon(params.polygon, limit, f1, f2);
  } else {
    limit_friction(params.box_friction != 0, limit, f1, f2);
  }
}

/// Coefficients of a contact. The last four: with kSurfaces, where `special` is 1.
template <class Real>
struct RigidFriction {
  Real friction, special;
  Real forward, backward, across, tensor;  // as in RigidSurfaceRows
};
template <bool kSurfaces, class Real>
TALUS_INLINE RigidFriction<Real> load_friction(const RigidRows& rows, const RigidSurfaceRows& surfaces, Index lane) {
  const Real zero(0.0f);
  RigidFriction<Real> law{load<Real>(rows, rigid_row::friction, lane), zero, zero, zero, zero, zero};
  if constexpr (kSurfaces) {
    law.special = load<Real>(rows, rigid_row::special, lane);
    law.forward = load<Real>(surfaces, rigid_surface::forward, lane);
    law.backward = load<Real>(surfaces, rigid_surface::backward, lane);
    law.across = load<Real>(surfaces, rigid_surface::across, lane);
    law.tensor = load<Real>(surfaces, rigid_surface::tensor, lane);
  }
  return law;
}

/// The impulse of a point that is allowed under a load and nearest to (f1, f2).
template <bool kSurfaces, class Real>
TALUS_INLINE void nearest_friction(const StepParams& params, const RigidFriction<Real>& law, Real load, Real& f1,
                                   Real& f2) {
  Real plain1 = f1, plain2 = f2;
  project_friction(params, law.friction * load, plain1, plain2);
  if constexpr (kSurfaces) {
    const Mask<Real> special = law.special > Real(0.0f);
    if (any_of(special)) {
      project_friction(params, law.forward * load, law.backward * load, law.across * load, f1, f2);
      plain1 = select(special, f1, plain1);
      plain2 = select(special, f2, plain2);
    }
  }
  f1 = plain1;
  f2 = plain2;
}

/// Friction after a step against the slip, as the nearest impulse that is allowed. Friction tensors take the step, and
/// the nearest one, where friction is the same in all directions (project_by_tensor).
template <bool kSurfaces, class Real>
TALUS_INLINE void step_friction(const StepParams& params, const RigidFriction<Real>& law, Real load, Real step1,
                                Real step2, Real& f1, Real& f2) {
  const Real before1 = f1, before2 = f2;
  f1 = before1 - step1;
  f2 = before2 - step2;
  nearest_friction<kSurfaces>(params, law, load, f1, f2);
  if constexpr (kSurfaces) {
    const Mask<Real> tensor = law.tensor > Real(0.0f);
    if (!any_of(tensor)) return;
    const Real part = Real(1.0f) / max_of(max_of(law.forward, law.across), Real(1e-30f));
    Real by1 = before1, by2 = before2;
    project_by_tensor(load, law.forward, law.across, part * step1, part * step2, by1, by2);
    f1 = select(tensor, by1, f1);
    f2 = select(tensor, by2, f2);
  }
}

/// Whether an impulse is allowed.
template <bool kSurfaces, class Real>
TALUS_INLINE Mask<Real> allows_friction(const StepParams& params, const RigidFriction<Real>& law, Real load, Real f1,
                                        Real f2) {
  const Real limit = law.friction * load;
  const Mask<Real> in_circle = f1 * f1 + f2 * f2 <= limit * limit;
  const bool circle = params.polygon.sides == 0 && params.box_friction == 0;
  if (circle && !(kSurfaces && any_of(law.special > Real(0.0f)))) return in_circle;
  Real n1 = f1, n2 = f2;
  nearest_friction<kSurfaces>(params, law, load, n1, n2);
  const Mask<Real> same = n1 == f1 && n2 == f2;
  const Mask<Real> by_circle = circle ? !(law.special > Real(0.0f)) : Real(1.0f) < Real(0.0f);
  return (by_circle && in_circle) || (!by_circle && same);
}

/// Rows of a contact against turning: about the normal and both tangents.
template <class Real>
struct TurnRows {
  Levers<Real> about[3];
  Real nn, k11, k12, k22;  // [1/(kg m^2)] what a unit of impulse changes

  TALUS_INLINE TurnRows(const RigidSurfaceRows& surfaces, Index lane, const BodyPair<Real>& bodies) {
    for (int r = 0; r < 3; ++r) {
      about[r] = {load_vector<Real>(surfaces, rigid_surface::turn_a + 3 * r, lane),
                  load_vector<Real>(surfaces, rigid_surface::turn_b + 3 * r, lane)};
    }
    const auto give = [&](int r, int s) {
      return bodies.turns_a * dot(about[r].a, about[s].a) + bodies.turns_b * dot(about[r].b, about[s].b);
    };
    nn = give(0, 0);
    k11 = give(1, 1);
    k12 = give(1, 2);
    k22 = give(2, 2);
  }
  TALUS_INLINE Real rolling_give() const { return max_of(k11, k22) + abs_of(k12); }

  /// Impulses after a step against the turning, within what the load allows.
  TALUS_INLINE Vec3Of<Real> step(Vec3Of<Real> before, Vec3Of<Real> speed, Real factor, Real torsion,
                                 Real rolling) const {
    const Real roll_step = factor * inverse_or_zero(rolling_give());
    Vec3Of<Real> next{clamp_to(before.x - factor * speed.x * inverse_or_zero(nn), -torsion, torsion),
                      before.y - roll_step * speed.y, before.z - roll_step * speed.z};
    project_on_circle(rolling, next.y, next.z);
    return next;
  }
  TALUS_INLINE Vec3Of<Real> speeds(const BodyPair<Real>& bodies) const {
    return {bodies.turn_speed(about[0]), bodies.turn_speed(about[1]), bodies.turn_speed(about[2])};
  }
  TALUS_INLINE void apply(BodyPair<Real>& bodies, Vec3Of<Real> impulse) const {
    bodies.turn(impulse.x, about[0]);
    bodies.turn(impulse.y, about[1]);
    bodies.turn(impulse.z, about[2]);
  }
};

/// Lanes with rows against turning.
template <class Real>
TALUS_INLINE Mask<Real> resists_turning(const RigidSurfaceRows& surfaces, Index lane) {
  return load<Real>(surfaces, rigid_surface::torsion, lane) + load<Real>(surfaces, rigid_surface::rolling, lane) >
         Real(0.0f);
}

/// Turns bodies by impulses of these rows, in the lanes that have any: the others keep every bit.
template <class Real>
TALUS_INLINE void turn_bodies(const TurnRows<Real>& turns, Vec3Of<Real> impulse, Mask<Real> has,
                              BodyPair<Real>& bodies) {
  BodyPair<Real> turned = bodies;
  turns.apply(turned, impulse);
  bodies.a.angular = select<Real>(has, turned.a.angular, bodies.a.angular);
  bodies.b.angular = select<Real>(has, turned.b.angular, bodies.b.angular);
}
/// The same of all impulses that are stored.
template <class Real>
TALUS_INLINE void warm_start_turning(const RigidSurfaceRows& surfaces, Index lane, BodyPair<Real>& bodies) {
  const Mask<Real> has = resists_turning<Real>(surfaces, lane);
  if (!any_of(has)) return;
  const TurnRows<Real> turns(surfaces, lane, bodies);
  turn_bodies(turns, load_vector<Real>(surfaces, rigid_surface::turn_impulse, lane), has, bodies);
}

/// [N s] Sum of the normal impulses of a contact.
template <class Real>
TALUS_INLINE Real load_on(const RigidRows& rows, Index lane, Real count) {
  Real sum(0.0f);
  for (int i = 0; i < kMaxPoints; ++i) {
    const Mask<Real> has = Real(float(i)) < count;
    if (!any_of(has)) break;
    sum = sum + select(has, load<Real>(rows, rigid_row::at(i, rigid_row::impulse), lane), Real(0.0f));
  }
  return sum;
}

/// [m/s] Velocity of B against A as their energy has it: of the centre of a body that moves, of the surface of one that
/// does not. `axes` and `levers`: normal and tangents at a point.
template <class Real>
TALUS_INLINE Vec3Of<Real> way_between(const Vec3Of<Real> axes[3], const Levers<Real> levers[3], Vec3Of<Real> v_a,
                                      Vec3Of<Real> w_a, Vec3Of<Real> v_b, Vec3Of<Real> w_b, Real inv_mass_a,
                                      Real inv_mass_b) {
  const Real zero(0.0f);
  const Vec3Of<Real> none{zero, zero, zero};
  Vec3Of<Real> carried_a = none, carried_b = none;
  for (int r = 0; r < 3; ++r) {
    carried_a = carried_a + dot(levers[r].a, w_a) * axes[r];
    carried_b = carried_b + dot(levers[r].b, w_b) * axes[r];
  }
  return (v_b + select<Real>(inv_mass_b > zero, none, carried_b)) -
         (v_a + select<Real>(inv_mass_a > zero, none, carried_a));
}

/// [m/s] The bias of a point that bounces: what restitution asks for, as far as the two bodies then have no more energy
/// than before the step, with what outer forces give them on their way. Laws of restitution together with friction may
/// ask for more. The same bound as in SolveContacts::energy_lost, from the velocities of this moment: sweeps end where
/// they keep it.
template <class Real>
TALUS_INLINE Real bounce_bias(const RigidSurfaceRows& surfaces, Index lane, int point, const BodyPair<Real>& bodies,
                              const Vec3Of<Real> axes[3], const Levers<Real> levers[3], Real give, Real h) {
  constexpr float kRounding = 1.00001f;  // [1] so that elastic impacts are not slowed by the last bit
  const Real zero(0.0f), one(1.0f), half(0.5f), tiny(1e-30f);
  const Real wanted = load<Real>(surfaces, rigid_surface::at(point, rigid_surface::bounce), lane);
  const Real resting = load<Real>(surfaces, rigid_surface::at(point, rigid_surface::resting), lane);
  const Real lighter = one / max_of(bodies.inv_mass_a + bodies.inv_mass_b, tiny);
  const Vec3Of<Real> way = way_between(axes, levers, bodies.a.linear, bodies.a.angular, bodies.b.linear,
                                       bodies.b.angular, bodies.inv_mass_a, bodies.inv_mass_b);
  const auto energy = [&](Real way_square, Real spin_a, Real spin_b) {
    return half * (lighter * way_square + select(bodies.turns_a > zero, spin_a / max_of(bodies.turns_a, one), zero) +
                   select(bodies.turns_b > zero, spin_b / max_of(bodies.turns_b, one), zero));
  };
  const Real before =
      energy(load<Real>(surfaces, rigid_surface::at(point, rigid_surface::way_square), lane),
             load<Real>(surfaces, rigid_surface::spin_a, lane), load<Real>(surfaces, rigid_surface::spin_b, lane));
  const Real now = energy(length_squared(way), length_squared(bodies.a.angular), length_squared(bodies.b.angular));
  const Real work = lighter * h * dot(load_vector<Real>(surfaces, rigid_surface::push, lane), way);
  const Real budget = max_of(Real(kRounding) * before + work, zero) - now;
  // From speed to `fastest` the energy grows by the whole budget: (fastest^2 - speed^2) / (2 give).
  const Real speed = bodies.speed(axes[0], levers[0]);
  const Real fastest = square_root(max_of(speed * speed + Real(2.0f) * budget * give, zero));
  return select(wanted < zero, min_of(max_of(wanted, -fastest), resting), resting);
}

}  // namespace talus::inline TALUS_ISA
