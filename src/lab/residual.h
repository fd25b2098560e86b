// SPDX-License-Identifier: MIT
// How far an answer is from solving a problem, and under which law of friction.
#pragma once
#include "friction_set.h"
#include "problem.h"

#include <array>

namespace talus::lab {

enum class FrictionLaw : std::uint8_t {
  box,         ///< each tangent bounded by friction * normal impulse (S1-22): what projected Gauss-Seidel engines solve
  polyhedral,  ///< a polygon inscribed in the circle (S1-21; Stewart and Trinkle, Anitescu and Potra)
  cone,        ///< Coulomb's (S1-18)
  convex_cone,  ///< its convex relaxation, in which sliding bodies rise (S1-24)
};

struct FrictionModel {
  FrictionLaw law = FrictionLaw::cone;
  int sides = 8;  ///< of the polygon: an even number from 4
};

/// The set of a pair of tangents. Not of convex_cone, which takes the normal along. Throws Error for a polygon that
/// has an odd number of sides or fewer than 4.
FrictionSet friction_set(const FrictionModel& model);

/// A normal row and its two tangents, as the convex cone and local solvers take them.
struct ContactRows {
  std::array<Index, 3> rows{};
  double friction = 0.0;
};
/// Throws Error unless every disk has two rows, a normal of its own and that normal the bounds [0, inf).
std::vector<ContactRows> convex_contacts(const Problem& problem);

/// x - P(x - w) row by row, with P the projection on what the rows may be, friction bounded by the x of its normal.
/// Zero exactly at solutions (S1-78); on rows with bounds it is H = min(x - lower, max(x - upper, w)) (S2-12, S1-73).
Vector natural_map(const Problem& problem, const Vector& x, const FrictionModel& model);
/// Largest component of the natural map: zero is a perfect answer. [N s and m/s, as they come]
double natural_residual(const Problem& problem, const Vector& x, const FrictionModel& model);
/// theta = 1/2 sum H^2 with friction bounds mu * x_n (S2-12).
double box_merit(const Problem& problem, const Vector& x);

}  // namespace talus::lab
