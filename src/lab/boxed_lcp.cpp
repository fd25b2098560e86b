// SPDX-License-Identifier: MIT
#include "boxed_lcp.h"

#include "iterate.h"
#include "methods.h"

namespace talus::lab {
namespace {

void set_friction_bounds(const Problem& problem, const Vector& x, BoxedLcp& lcp) {
  for (const Disk& disk : problem.disks) {
    const double bound = disk.friction * std::max(0.0, x[disk.normal]);
    lcp.lower.segment(disk.first, disk.count).setConstant(-bound);
    lcp.upper.segment(disk.first, disk.count).setConstant(bound);
  }
}

}  // namespace

Matrix solve_semidefinite(const Matrix& a, const Matrix& rhs) {
  constexpr double kCompliance =
      1e-12;  // of the largest diagonal: above rounding, and small enough for two corrections
  Matrix compliant = a;
  compliant.diagonal().array() += kCompliance * a.diagonal().maxCoeff();
  const Eigen::LDLT<Matrix> factor(compliant);
  Matrix x = factor.solve(rhs);
  for (int correction = 0; correction < 2; ++correction) x += factor.solve(rhs - a * x);
  return x;
}

Vector solve_states(const BoxedLcp& lcp, const std::vector<RowState>& states) {
  Vector x = Vector::Zero(lcp.b.size());
  std::vector<Index> free;
  for (Index row = 0; row < Index(x.size()); ++row) {
    const RowState state = states[std::size_t(row)];
    if (state == RowState::free) {
      free.push_back(row);
    } else {
      x[row] = state == RowState::at_lower ? lcp.lower[row] : lcp.upper[row];
    }
  }
  if (free.empty()) return x;
  const Vector rhs = -lcp.w(x)(free);
  x(free) = solve_semidefinite(lcp.a(free, free), rhs);
  return x;
}

Solution solve_boxed(const Problem& problem, const SolverOptions& options, BoxedMethod method) {
  const Stopwatch watch;
  BoxedLcp lcp{delassus(problem), problem.b, problem.lower, problem.upper};
  set_friction_bounds(problem, start_of(problem, options), lcp);
  BoxedSolution answer;
  Index steps = 0;
  do {
    answer = method(lcp, options.max_sweeps - steps);
    steps += answer.steps + 1;
    set_friction_bounds(problem, answer.x, lcp);
    if (problem.disks.empty() || !answer.solved) break;
  } while (measure_of(problem, options, answer.x) > options.tolerance && steps < options.max_sweeps);
  const Outcome unsolved = steps < options.max_sweeps ? Outcome::failed : Outcome::sweep_limit;
  const Outcome outcome = answer.solved && steps < options.max_sweeps ? Outcome::converged : unsolved;
  return finish(problem, options, std::move(answer.x), outcome, steps, watch);
}

Solution solve_dantzig(const Problem& problem, const SolverOptions& options) {
  return solve_boxed(problem, options, dantzig);
}
Solution solve_block_pivoting(const Problem& problem, const SolverOptions& options) {
  return solve_boxed(problem, options, block_pivoting);
}
Solution solve_interior_point(const Problem& problem, const SolverOptions& options) {
  return solve_boxed(problem, options, interior_point);
}

}  // namespace talus::lab
