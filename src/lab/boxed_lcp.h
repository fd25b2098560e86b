// SPDX-License-Identifier: MIT
// Linear complementarity with fixed bounds, dense: w = a x + b, lower <= x <= upper (S1-22, S3-37). Friction with box
// bounds is solved by solving this with bounds of the last answer until they stay (S1-23).
#pragma once
#include "solver.h"

namespace talus::lab {

struct BoxedLcp {
  Matrix a;
  Vector b, lower, upper;

  Vector w(const Vector& x) const { return a * x + b; }
};

struct BoxedSolution {
  Vector x;
  bool solved = false;
  Index steps = 0;
};

BoxedSolution dantzig(const BoxedLcp& lcp, Index max_pivots);
BoxedSolution block_pivoting(const BoxedLcp& lcp, Index max_pivots);
BoxedSolution interior_point(const BoxedLcp& lcp, Index max_steps);

/// Solves a x = rhs for a positive semi-definite a. Redundant contacts make it singular (S3-69, S1-56): it is factored
/// with a little compliance, which two corrections with the true matrix take out of a x again.
Matrix solve_semidefinite(const Matrix& a, const Matrix& rhs);

using BoxedMethod = BoxedSolution (*)(const BoxedLcp& lcp, Index max_steps);
Solution solve_boxed(const Problem& problem, const SolverOptions& options, BoxedMethod method);

/// Index sets of a guess: free rows solve a w = 0, the others stay at a bound (S1-53).
enum class RowState : std::int8_t { at_lower, free, at_upper };
Vector solve_states(const BoxedLcp& lcp, const std::vector<RowState>& states);

}  // namespace talus::lab
