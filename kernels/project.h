// SPDX-License-Identifier: MIT
// Position projection: moves bodies out of penetration without touching their velocities (non-linear Gauss-Seidel over
// the colors). Used when Stabilization::projection is chosen; velocities are then solved without bias.
#pragma once
#include "lengths.h"
#include "solve.h"

namespace talus::inline TALUS_ISA {

constexpr float kProjectPart = 0.2f;   // [1] part of a penetration that a point removes in a sweep,
constexpr float kProjectSum = 0.6f;    // [1] and that all points of a contact do; 1 overshoots in stacks
constexpr float kProjectMost = 0.02f;  // [1] of the size: a sweep moves a contact by at most this

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

/// One sweep over the contacts of a color; lanes own their dynamic bodies as in SolveContacts.
struct ProjectContacts {
  SolverRows rows;
  const BodyVelocity* velocity;  // for the inverse mass
  BodyMove* move;

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    const std::uint32_t* index_a = rows.at(row::body_a, lane);
    const std::uint32_t* index_b = rows.at(row::body_b, lane);
    Real a[8], b[8];
    BodyPair<Real> bodies = load_moves(index_a, index_b, a, b);
    project(lane, bodies);
    SolveContacts<Sweep::biased, false>::store_record(bodies.a, a);
    SolveContacts<Sweep::biased, false>::store_record(bodies.b, b);
    scatter_together(&move->shift.x, index_a, a, bodies.inv_mass_a > Real(0.0f));
    scatter_together(&move->shift.x, index_b, b, bodies.inv_mass_b > Real(0.0f));
  }

  /// The two bodies, with displacements for velocities. a, b: their records of moves.
  template <class Real>
  TALUS_INLINE BodyPair<Real> load_moves(const std::uint32_t* index_a, const std::uint32_t* index_b, Real a[8],
                                         Real b[8]) const {
    gather_together(&velocity->linear.x, index_a, a);
    gather_together(&velocity->linear.x, index_b, b);
    BodyPair<Real> bodies = SolveContacts<Sweep::biased, false>::pair_of(a, b);
    gather_together(&move->shift.x, index_a, a);
    gather_together(&move->shift.x, index_b, b);
    bodies.a = {{a[0], a[1], a[2]}, {a[4], a[5], a[6]}};
    bodies.b = {{b[0], b[1], b[2]}, {b[4], b[5], b[6]}};
    return bodies;
  }

  template <class Real>
  TALUS_INLINE void project(Index lane, BodyPair<Real>& bodies) const {
    const SolveContacts<Sweep::biased, false> contacts{rows, nullptr, nullptr, nullptr, false};
    const Vec3Of<Real> normal = load_vector<Real>(rows, row::normal, lane);
    const Real count = load<Real>(rows, row::count, lane), zero(0.0f);
    const Real size = load<Real>(rows, row::size, lane), slop = Real(kProjectSlop) * size,
               most = Real(kProjectMost) * size;
    // All points from the same positions: one after another, the first would have most to do, and towers would lean.
    const Real part = min_of(Real(kProjectSum) / max_of(count, Real(1.0f)), Real(kProjectPart));
    const BodyPair<Real> before = bodies;
    for (int i = 0; i < kMaxPoints && any_of(Real(float(i)) < count); ++i) {
      const Levers<Real> levers = contacts.template point_levers<Real>(i, lane);
      const Real separation = load<Real>(rows, row::at(i, row::separation), lane) + before.speed(normal, levers);
      const Real wanted = clamp_to(part * (separation + slop), -most, zero);
      bodies.apply(-load<Real>(rows, row::at(i, row::mass), lane) * wanted, normal, levers);
    }
  }
};

/// The overflow color, as SolveSplit: every contact moves its share of the bodies' mass, and the sums are added by
/// ApplySplitMoves. The rows have the effective masses of such shares.
struct ProjectSplit {
  ProjectContacts contacts;
  Column<SplitSums> sums;
  Column<Index> split_count;

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    for (int i = 0; i < LaneCount<Real>::value; ++i) solve_lane(lane + i);
  }

  TALUS_HD void solve_lane(Index lane) const {
    const std::uint32_t *index_a = contacts.rows.at(row::body_a, lane), *index_b = contacts.rows.at(row::body_b, lane);
    const SolveSplit<Sweep::biased, false> split{{contacts.rows, nullptr, nullptr, nullptr, false}, sums, split_count};
    float a[8], b[8];
    BodyPair<float> bodies = contacts.load_moves(index_a, index_b, a, b);
    split.lend(bodies.inv_mass_a, bodies.turns_a, Index(*index_a));
    split.lend(bodies.inv_mass_b, bodies.turns_b, Index(*index_b));
    contacts.project(lane, bodies);
    split.add(Index(*index_a), bodies.inv_mass_a, a, bodies.a);
    split.add(Index(*index_b), bodies.inv_mass_b, b, bodies.b);
  }
};

/// One element is one body.
struct ApplySplitMoves {
  Column<BodyMove> move;
  Column<SplitSums> sums;
  Column<Index> split_count;

  TALUS_HD void operator()(Index body) const {
    if (split_count[body] == 0) return;
    float change[6];
    take_split(sums[body], change);
    move[body].shift = move[body].shift + Vec3{change[0], change[1], change[2]};
    move[body].turn = move[body].turn + Vec3{change[3], change[4], change[5]};
  }
};

}  // namespace talus::inline TALUS_ISA
