// SPDX-License-Identifier: MIT
// Velocity-based shock propagation (Erleben 2007, section 4; S2-19..23): after sweeps over all contacts, layer after
// layer from the ground up is solved with the bodies below held.
//
// With which velocity a held body moves, the paper does not say. Here it is the one that the body will end the step
// with, as far as two others agree with it: the motion g that all contacts together gave it, and that of the ground it
// stands on, s. With u its velocity after its own layer,
//   held = s + k (u - s),   k = <u - s, g - s> / <u - s, u - s>, between 0 and 1,
// in the product of kinetic energy, and less kQuiet. Held at rest, what rests on a lift would sink into it, a see-saw
// never tip, and a ball that hits a wall stop dead. With u itself each layer passes on what the one below has too much,
// and so do the levers of its bodies: a tower of 40 rings blows up at rest. The energy of held - s is at most that of
// g - s, and g has no more than the impacts brought: nothing can grow from layer to layer (docs/solvers.md has the
// table).
//
// Departs from the paper in what impulses a layer starts from. The paper has none, and layers that know nothing of the
// impulses before them: there all forces but a hundredth have to be left to the layers, for what the first sweeps have
// borne gives no friction in these, and bodies feel a hundredth of what rests on them. Here impulses go on from one to
// the other, and a layer starts from those of the step before. Sweeps over all contacts do not: they may be far from
// the answer, with a heavy body on light ones, and what layers have put right would drive them apart.
#pragma once
#include "heights.h"
#include "prepare.h"
#include "rigid_push.h"

namespace talus::inline TALUS_ISA {

constexpr float kQuiet = 0.01f;  // [1] of the speed that the shared part of gravity gives in a step: so much of its
                                 // motion the next layer does not follow. With 0 what a layer leaves unsolved climbs,
                                 // and a tower of 160 rings shifts by 10 mm in 4 s; with 0.05 a see-saw tips by a
                                 // tenth too slowly
constexpr float kSettled =
    2e-3f;  // [1] of its radius: correction of a body that the next layer does not follow in
            // the same step. With 0 rounding errors climb a tower of 40 rings and shift it by 9 cm in 2.4 s

constexpr float kStartGap = 0.5f;  // [1] of the smaller body's radius: what is further apart bears nothing, unless it
                                   // will touch

/// Forces of the part of the step that all contacts get: from the velocities before and after all of them. One body a
/// lane.
struct ShareForces {
  const BodyVelocity* start;
  BodyVelocity* velocity;  // in: with all forces
  const StepParams* params;

  template <class Real>
  TALUS_INLINE void solve(Index row) const {
    Real now[8], before[8];
    load_together(&velocity[0].linear.x, row, now);
    load_together(&start[0].linear.x, row, before);
    const Real part(params->shock_weight);
    for (const int i : {0, 1, 2, 4, 5, 6}) now[i] = before[i] + part * (now[i] - before[i]);
    store_together(&velocity[0].linear.x, row, now);
  }
};

/// The other part, and what a body is held with: for what does not move, its velocity. One body a lane.
struct BeginLayers {
  const BodyVelocity* start;
  const BodyVelocity* free;  // with all forces
  Column<Index> height;
  Column<float> radius;
  Index rows;
  BodyVelocity* velocity;  // in/out
  BodyVelocity* global;    // out: by all contacts together
  BodyVelocity* held;      // out; the last of the eight: [m] see kSettled
  const StepParams* params;

  template <class Real>
  TALUS_INLINE void solve(Index row) const {
    constexpr int kWidth = LaneCount<Real>::value;
    Real now[8], before[8], after[8], hold[8];
    load_together(&velocity[0].linear.x, row, now);
    load_together(&start[0].linear.x, row, before);
    load_together(&free[0].linear.x, row, after);
    store_together(&global[0].linear.x, row, now);
    float heights[kWidth];
    for (int i = 0; i < kWidth; ++i) heights[i] = row + i < rows ? float(height.data[row + i]) : 0.0f;
    for (int i = 0; i < 8; ++i) hold[i] = now[i];
    hold[3] = load_lanes(heights, Real{});
    hold[7] = Real(kSettled) * load<Real>(radius.data, row);
    store_together(&held[0].linear.x, row, hold);
    const Real part(1.0f - params->shock_weight), zero(0.0f);
    for (const int i : {0, 1, 2, 4, 5, 6}) now[i] = now[i] + part * (after[i] - before[i]) + zero;
    store_together(&velocity[0].linear.x, row, now);
  }
};

/// How the bodies of a height carry the next layers. One element is a body row.
struct HoldBodies {
  Column<Index> ground;
  BodyState state;
  const BodyVelocity* velocity;
  const BodyVelocity* global;
  const BodyFrame* frame;
  const StepParams* params;
  BodyVelocity* held;  // out

  TALUS_HD void operator()(Index row) const {
    if (ground[row] == row) return;
    const BodyVelocity now = velocity[row], all = global[row];
    const Velocity<float> still = ground_motion(row);
    const Vec3 v = now.linear - still.linear, w = now.angular - still.angular;
    const Vec3 gv = all.linear - still.linear, gw = all.angular - still.angular;
    // Angular velocities in scaled axes are roots of energies: the product needs no inertia.
    const float size = dot(v, v) + now.inv_mass * dot(w, w), agreed = dot(v, gv) + now.inv_mass * dot(w, gw);
    const float agrees = agreed > 0.0f ? min_of(agreed / max_of(size, 1e-30f), 1.0f) : 0.0f;
    const float quiet = kQuiet * params->shock_weight * params->dt * length(params->gravity);
    const float part = agrees * max_of(1.0f - quiet / max_of(square_root(size), 1e-30f), 0.0f);
    held[row].linear = still.linear + part * v;
    held[row].angular = still.angular + part * w;
  }

 private:
  /// Of the body, if it were fixed to the ground that it stands on; in scaled axes.
  TALUS_HD Velocity<float> ground_motion(Index row) const {
    const Index base = ground[row];
    const BodyVelocity below = velocity[base];
    const Vec3 spin = rotate(frame[base].orientation, below.angular);  // not dynamic: its own axes, not scaled
    const Vec3 arm = state.position[row] - state.position[base];
    return {below.linear + cross(spin, arm), scaled_spin<float>(frame[row].orientation, frame[row].scale, spin)};
  }
};

/// Bodies of a layer: those of its upper height as they are, those below held. What a contact of another layer gets
/// does not move, so that the blocks at the ends of a layer can be shared.
template <bool kPush>
struct LayerBodies {
  static constexpr bool kSparse = true;
  BodyVelocity* velocity;  // kPush: displacements
  const BodyVelocity* held;
  Index layer;

  template <class Real>
  TALUS_INLINE void load(const std::uint32_t* a, const std::uint32_t* b, Real record_a[8], Real record_b[8]) const {
    Real held_a[8], held_b[8];
    gather_together(&velocity->linear.x, a, record_a);
    gather_together(&velocity->linear.x, b, record_b);
    gather_together(&held->linear.x, a, held_a);
    gather_together(&held->linear.x, b, held_b);
    const Real ha = held_a[3], hb = held_b[3], upper(float(layer + 1));
    const Mask<Real> inside = max_of(ha, hb) == upper;
    hold(inside && ha == upper, held_a, record_a);
    hold(inside && hb == upper, held_b, record_b);
  }

 private:
  template <class Real>
  TALUS_INLINE static void hold(Mask<Real> moves, Real lower[8], Real record[8]) {
    if constexpr (kPush) settle(record, lower);
    for (const int i : {0, 1, 2, 4, 5, 6}) record[i] = select(moves, record[i], lower[i]);
    record[3] = select(moves, record[3], Real(0.0f));
  }
  /// Of how far a body was pushed the next layer takes the shift, without the last of it, and not the turn, whose lever
  /// would grow from layer to layer.
  template <class Real>
  TALUS_INLINE static void settle(const Real push[8], Real lower[8]) {
    const Real size = length(Vec3Of<Real>{push[0], push[1], push[2]}), zero(0.0f), settled = lower[7];
    const Real part = select(size > settled, (size - settled) / max_of(size, settled), zero);
    for (int i = 0; i < 3; ++i) lower[i] = part * push[i];
    lower[4] = lower[5] = lower[6] = zero;
  }
};

/// Impulses of the step before are put aside, for WarmStartLayer: sweeps over all contacts begin with none. One lane.
template <bool kSurfaces>
struct SetImpulsesAside {
  RigidRows rows;
  RigidSurfaceRows surfaces;

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    const Real count = load<Real>(rows, rigid_row::count, lane), zero(0.0f);
    for (int i = 0; i < kMaxPoints && any_of(Real(float(i)) < count); ++i) {
      for (int r = 0; r < 3; ++r) {
        const int field = rigid_row::at(i, rigid_row::impulse) + r;
        store(rows, rigid_row::at(i, rigid_row::start) + r, lane, load<Real>(rows, field, lane));
        store(rows, field, lane, zero);
      }
    }
    if constexpr (kSurfaces) {
      for (int r = 0; r < 3; ++r) {
        const int field = rigid_surface::turn_impulse + r;
        store(surfaces, rigid_surface::turn_start + r, lane, load<Real>(surfaces, field, lane));
        store(surfaces, field, lane, zero);
      }
    }
  }
};
/// Points of a layer that bore something in the step before, and may bear it now, go on from that, others from what all
/// contacts together gave them. The impulse of an impact is no load: what has bounced off is apart by now.
template <bool kSurfaces>
struct WarmStartLayer {
  RigidRows rows;             // in/out: the lane's own
  RigidSurfaceRows surfaces;  // the same

  template <class Real>
  TALUS_INLINE void solve_contact(Index lane, BodyPair<Real>& bodies) const {
    const RigidFrame<Real> frame = load_rigid_frame<kSurfaces, Real>(rows, surfaces, lane);
    const Real zero(0.0f), near = Real(kStartGap) * load<Real>(rows, rigid_row::radius, lane);
    const Mask<Real> moves = bodies.inv_mass_a + bodies.inv_mass_b > zero;
    Real bearing = zero;  // points
    for (int i = 0; i < kMaxPoints; ++i) {
      if (!any_of(Real(float(i)) < frame.count)) break;
      const PointLevers<Real> levers = load_point_levers<Real>(rows, i, lane);
      const int impulse = rigid_row::at(i, rigid_row::impulse), start = rigid_row::at(i, rigid_row::start);
      const Mask<Real> bears = load<Real>(rows, rigid_row::at(i, rigid_row::separation), lane) < near ||
                               load<Real>(rows, impulse, lane) > zero;
      const Mask<Real> bore = moves && bears && Real(float(i)) < frame.count && load<Real>(rows, start, lane) > zero;
      bearing = bearing + select(bore, Real(1.0f), zero);
      for (int r = 0; r < 3; ++r) {
        const Real before = load<Real>(rows, impulse + r, lane);
        const Real next = select(bore, load<Real>(rows, start + r, lane), before);
        bodies.apply(next - before, frame.axis[r], levers.row[r]);
        store(rows, impulse + r, lane, next);
      }
    }
    if constexpr (kSurfaces) warm_start_turning(lane, bodies, moves && bearing > zero);
  }

 private:
  template <class Real>
  TALUS_INLINE void warm_start_turning(Index lane, BodyPair<Real>& bodies, Mask<Real> moves) const {
    const Mask<Real> has = moves && resists_turning<Real>(surfaces, lane);
    if (!any_of(has)) return;
    const Vec3Of<Real> before = load_vector<Real>(surfaces, rigid_surface::turn_impulse, lane);
    const Vec3Of<Real> start = load_vector<Real>(surfaces, rigid_surface::turn_start, lane);
    const Mask<Real> bore = has && dot(start, start) > Real(0.0f);
    const Vec3Of<Real> next = select<Real>(bore, start, before);
    turn_bodies(TurnRows<Real>(surfaces, lane, bodies), next - before, bore, bodies);
    store(surfaces, rigid_surface::turn_impulse, lane, next.x);
    store(surfaces, rigid_surface::turn_impulse + 1, lane, next.y);
    store(surfaces, rigid_surface::turn_impulse + 2, lane, next.z);
  }
};

/// Corrections of the layers are done: those of all contacts begin with none. One lane.
struct ClearPush {
  RigidRows rows;

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    const Real count = load<Real>(rows, rigid_row::count, lane);
    for (int i = 0; i < kMaxPoints && any_of(Real(float(i)) < count); ++i) {
      store(rows, rigid_row::at(i, rigid_row::push), lane, Real(0.0f));
    }
  }
};

/// Displacements of the step before the last correction: by velocities, and what the layers' corrections added. One
/// body a lane.
struct AddMoves {
  const BodyVelocity* velocity;
  BodyVelocity* push;  // in/out
  const StepParams* params;

  template <class Real>
  TALUS_INLINE void solve(Index row) const {
    Real now[8], pushed[8];
    load_together(&velocity[0].linear.x, row, now);
    load_together(&push[0].linear.x, row, pushed);
    const Real h(params->h);
    for (const int i : {0, 1, 2, 4, 5, 6}) pushed[i] = pushed[i] + h * now[i];
    store_together(&push[0].linear.x, row, pushed);
  }
};

}  // namespace talus::inline TALUS_ISA
