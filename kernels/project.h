// SPDX-License-Identifier: MIT
// Position projection: moves bodies out of penetration without touching their velocities (non-linear Gauss-Seidel over
// the colors). Used when Stabilization::projection is chosen; velocities are then solved without bias.
#pragma once
#include "solve.h"

namespace talus::inline TALUS_ISA {

constexpr float kProjectPart = 0.2f;     // [1] part of a penetration removed by a sweep; 1 overshoots in stacks
constexpr float kProjectSlop = 0.0005f;  // [1] of the size: penetration left, so that resting contacts stay contacts
constexpr float kProjectMost = 0.02f;    // [1] of the size: a sweep moves a contact by at most this

/// Cuts what corrections add to the displacement of a body over a sub-step to what max_push_speed allows, less what
/// deep contacts have used up of it, and what takes back its way.
template <class Real>
TALUS_INLINE void limit_correction(const StepParams& params, const Real velocity[8], Real pushed, Real move[8]) {
  const Real h(params.h), one(1.0f);
  const Vec3Of<Real> way{h * velocity[0], h * velocity[1], h * velocity[2]};
  const Vec3Of<Real> added = Vec3Of<Real>{move[0], move[1], move[2]} - way;
  const Real size = length(added), most = (one - pushed) * Real(params.max_push_speed * params.h);
  if (!any_of(size > most)) return;
  const Real divisor = max_of(size, Real(1e-30f)), back = max_of(-dot(added, way) / divisor, Real(0.0f));
  const Mask<Real> far = size > most + back;
  const Real part = (most + back) / divisor;
  for (const int i : {0, 1, 2, 4, 5, 6}) {
    const Real by_velocity = h * velocity[i];
    move[i] = select(far, by_velocity + part * (move[i] - by_velocity), move[i]);
  }
}

/// How far bodies get in this sub-step, before contacts correct it. One body a lane.
struct PredictMoves {
  const BodyVelocity* velocity;
  BodyMove* move;
  const StepParams* params;

  template <class Real>
  TALUS_INLINE void solve(Index row) const {
    Real now[8];
    load_together(&velocity[0].linear.x, row, now);
    for (Real& component : now) component = Real(params->h) * component;
    now[3] = now[7] = Real(0.0f);
    store_together(&move[0].shift.x, row, now);
  }
};

/// The end of the corrections. One body a lane.
struct LimitMoves {
  const BodyVelocity* velocity;
  const BodyDisplacement* displacement;
  BodyMove* move;
  const StepParams* params;

  template <class Real>
  TALUS_INLINE void solve(Index row) const {
    Real now[8], gone[8], moved[8];
    load_together(&velocity[0].linear.x, row, now);
    load_together(&displacement[0].shift.x, row, gone);
    load_together(&move[0].shift.x, row, moved);
    limit_correction(*params, now, gone[3], moved);
    store_together(&move[0].shift.x, row, moved);
  }
};

/// One sweep over the contacts of a color; lanes own their dynamic bodies as in SolveContacts.
struct ProjectContacts {
  SolverRows rows;
  const BodyVelocity* velocity;  // for the inverse mass
  BodyMove* move;

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    const std::uint32_t* index_a = rows.at(row::body_a, lane);
    const std::uint32_t* index_b = rows.at(row::body_b, lane);
    const SolveContacts<Sweep::biased, false> contacts{rows, nullptr, nullptr, nullptr, false};
    Real a[8], b[8];
    gather_together(&velocity->linear.x, index_a, a);
    gather_together(&velocity->linear.x, index_b, b);
    BodyPair<Real> bodies = contacts.pair_of(a, b);
    gather_together(&move->shift.x, index_a, a);
    gather_together(&move->shift.x, index_b, b);
    bodies.a = {{a[0], a[1], a[2]}, {a[4], a[5], a[6]}};
    bodies.b = {{b[0], b[1], b[2]}, {b[4], b[5], b[6]}};
    const Vec3Of<Real> normal = load_vector<Real>(rows, row::normal, lane);
    const Real count = load<Real>(rows, row::count, lane), zero(0.0f);
    const Real size = load<Real>(rows, row::size, lane), slop = Real(kProjectSlop) * size,
               most = Real(kProjectMost) * size;
    for (int i = 0; i < kMaxPoints && any_of(Real(float(i)) < count); ++i) {
      const Levers<Real> levers = contacts.template point_levers<Real>(i, lane);
      const Real separation = load<Real>(rows, row::at(i, row::separation), lane) + bodies.speed(normal, levers);
      const Real wanted = clamp_to(Real(kProjectPart) * (separation + slop), -most, zero);
      bodies.apply(-load<Real>(rows, row::at(i, row::mass), lane) * wanted, normal, levers);
    }
    contacts.store_record(bodies.a, a);
    contacts.store_record(bodies.b, b);
    scatter_together(&move->shift.x, index_a, a, bodies.inv_mass_a > zero);
    scatter_together(&move->shift.x, index_b, b, bodies.inv_mass_b > zero);
  }
};

}  // namespace talus::inline TALUS_ISA
