// SPDX-License-Identifier: MIT
// Position projection: moves bodies out of penetration without touching their velocities (non-linear Gauss-Seidel over
// the colors). Used when Stabilization::projection is chosen; velocities are then solved without bias.
#pragma once
#include "solve.h"

namespace talus::inline TALUS_ISA {

constexpr float kProjectPart = 0.2f;     // [1] part of a penetration removed by a sweep; 1 overshoots in stacks
constexpr float kProjectSlop = 0.0005f;  // [m] penetration left in place, so that resting contacts stay contacts
constexpr float kProjectMost = 0.02f;    // [m] a sweep moves a contact by at most this

/// One sweep over the contacts of a color; lanes own their dynamic bodies as in SolveContacts.
struct ProjectContacts {
  SolverRows rows;
  BodyDisplacement* displacement;

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    const std::uint32_t* index_a = rows.at(row::body_a, lane);
    const std::uint32_t* index_b = rows.at(row::body_b, lane);
    Real a[8], b[8];
    gather_records(&displacement->shift.x, index_a, a);
    gather_records(&displacement->shift.x, index_b, b);
    const SolveContacts<Sweep::biased> contacts{rows, nullptr, nullptr, nullptr};
    const Inertia<Real> inertia_a = contacts.template load_inertia<Real>(row::inertia_a, lane);
    const Inertia<Real> inertia_b = contacts.template load_inertia<Real>(row::inertia_b, lane);
    const Real inv_mass_a = load<Real>(rows, row::inv_mass_a, lane),
               inv_mass_b = load<Real>(rows, row::inv_mass_b, lane);
    const Vec3Of<Real> normal = load_vector<Real>(rows, row::normal, lane);
    const Vec3Of<Real> round_a = load<Real>(rows, row::round_a, lane) * normal;
    const Vec3Of<Real> round_b = load<Real>(rows, row::round_b, lane) * normal;
    const Real count = load<Real>(rows, row::count, lane), zero(0.0f);
    for (int i = 0; i < kMaxPoints && any_of(Real(float(i)) < count); ++i) {
      const Vec3Of<Real> arm_a = load_vector<Real>(rows, row::at(i, row::arm_a), lane);
      const Vec3Of<Real> arm_b = load_vector<Real>(rows, row::at(i, row::arm_b), lane);
      const Displaced<Real> displaced{
          normal, {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, {a[4], a[5], a[6], a[7]}, {b[4], b[5], b[6], b[7]}, round_a,
          round_b};
      const Real separation =
          load<Real>(rows, row::at(i, row::separation), lane) + displaced.separation_change(arm_a, arm_b);
      const Real wanted = clamp_to(Real(kProjectPart) * (separation + Real(kProjectSlop)), Real(-kProjectMost), zero);
      const Vec3Of<Real> push = (-load<Real>(rows, row::at(i, row::mass), lane) * wanted) * normal;
      const Mask<Real> pushed = Real(float(i)) < count && wanted < zero;
      move(a, pushed, -inv_mass_a * push, -(inertia_a * cross(arm_a, push)));
      move(b, pushed, inv_mass_b * push, inertia_b * cross(arm_b, push));
    }
    scatter_records(&displacement->shift.x, index_a, a, inv_mass_a > zero);
    scatter_records(&displacement->shift.x, index_b, b, inv_mass_b > zero);
  }

  template <class Real>
  TALUS_INLINE static void move(Real record[8], Mask<Real> pushed, Vec3Of<Real> shift, Vec3Of<Real> turn) {
    record[0] = record[0] + shift.x;
    record[1] = record[1] + shift.y;
    record[2] = record[2] + shift.z;
    const Real half(0.5f);
    const QuatOf<Real> q{record[4], record[5], record[6], record[7]};
    const QuatOf<Real> small{half * turn.x, half * turn.y, half * turn.z, Real(1.0f)};
    const QuatOf<Real> next = normalized(small * q);
    record[4] = select(pushed, next.x, q.x);  // not normalised once more where nothing moves: packs have such lanes
    record[5] = select(pushed, next.y, q.y);
    record[6] = select(pushed, next.z, q.z);
    record[7] = select(pushed, next.w, q.w);
  }
};

}  // namespace talus::inline TALUS_ISA
