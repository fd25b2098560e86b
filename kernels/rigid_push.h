// SPDX-License-Identifier: MIT
// Penetration in the rigid contact solvers, where it is no business of the velocities: displacements d = M^-1 J_n^T x
// with x >= 0 and no friction. Split impulses remove a part of the penetration that the step began with; projection
// removes what would be left when bodies have moved (S1-29, S2-20). Velocities stay as they are.
#pragma once
#include "rigid_solve.h"

namespace talus::inline TALUS_ISA {

constexpr float kMostPush = 0.1f;  // [1] of the smaller body's radius: a contact at most, in a step

/// Displacements to begin with: none, or those of the velocities. One body a lane.
struct BeginPush {
  const BodyVelocity* velocity;
  BodyVelocity* push;
  const StepParams* params;
  bool moved;

  template <class Real>
  TALUS_INLINE void solve(Index row) const {
    Real record[8];
    load_together(&velocity[0].linear.x, row, record);
    const Real h(moved ? params->h : 0.0f), zero(0.0f);
    for (const int i : {0, 1, 2, 4, 5, 6}) record[i] = h * record[i] + zero;
    store_together(&push[0].linear.x, row, record);
  }
};
/// To what IntegratePositions takes for the displacement of the step. One body a lane.
struct EndPush {
  const BodyVelocity* velocity;
  const BodyVelocity* push;
  BodyMove* move;
  const StepParams* params;
  bool moved;

  template <class Real>
  TALUS_INLINE void solve(Index row) const {
    Real now[8], pushed[8];
    load_together(&velocity[0].linear.x, row, now);
    load_together(&push[0].linear.x, row, pushed);
    const Real h(moved ? 0.0f : params->h);
    for (const int i : {0, 1, 2, 4, 5, 6}) pushed[i] = pushed[i] + h * now[i];
    pushed[3] = pushed[7] = Real(0.0f);
    store_together(&move[0].shift.x, row, pushed);
  }
};

/// One sweep over the normals. `bodies` hold displacements.
struct PushRigid {
  RigidRows rows;  // in/out: the lane's own
  const StepParams* params;
  bool moved;
  bool whole;  // all of what there was when the step began, at once

  template <class Real>
  TALUS_INLINE void solve_contact(Index lane, BodyPair<Real>& bodies) const {
    const Vec3Of<Real> normal = load_vector<Real>(rows, rigid_row::normal, lane);
    const Real count = load<Real>(rows, rigid_row::count, lane), zero(0.0f);
    const Real radius = load<Real>(rows, rigid_row::radius, lane), slop = Real(params->slop) * radius;
    for (int i = 0; i < kMaxPoints; ++i) {
      if (!any_of(Real(float(i)) < count)) break;
      const Levers<Real> levers{load_vector<Real>(rows, rigid_row::at(i, rigid_row::lever_a), lane),
                                load_vector<Real>(rows, rigid_row::at(i, rigid_row::lever_b), lane)};
      const Real give = bodies.inv_mass_a + bodies.inv_mass_b + bodies.turns_a * dot(levers.a, levers.a) +
                        bodies.turns_b * dot(levers.b, levers.b);
      const Mask<Real> moves = Real(float(i)) < count && give > zero;
      const Real gap = load<Real>(rows, rigid_row::at(i, rigid_row::separation), lane) + slop;
      const Real rest = whole   ? gap
                        : moved ? max_of(gap, Real(-kMostPush) * radius)
                                : max_of(Real(params->rigid_split_part) * min_of(gap, zero),
                                         Real(-params->max_push_speed * params->h));
      const Real before = load<Real>(rows, rigid_row::at(i, rigid_row::push), lane);
      const Real wanted = before - (rest + bodies.speed(normal, levers)) * inverse_or_zero(give);
      const Real next = select(moves, max_of(wanted, zero), before);
      bodies.apply(next - before, normal, levers);
      store(rows, rigid_row::at(i, rigid_row::push), lane, next);
    }
  }
};

}  // namespace talus::inline TALUS_ISA
