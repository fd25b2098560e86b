// SPDX-License-Identifier: MIT
#include "iterate.h"

#include <limits>

namespace talus::lab {
namespace {

void conclude(const Problem& problem, const SolverOptions& options, Solution& solution) {
  solution.velocity = velocity(problem, solution.x);
  solution.residual = natural_residual(problem, solution.x, options.friction);
}

/// Of a sweep that left x where it is now.
Outcome judge(const SolverOptions& options, StepResult result, double measure, double change) {
  if (measure <= options.tolerance) return Outcome::converged;
  if (result == StepResult::stuck) return Outcome::failed;
  if (!std::isfinite(measure)) return Outcome::diverged;
  const bool still = result == StepResult::moved && options.step_tolerance > 0.0 && change <= options.step_tolerance;
  return still ? Outcome::stagnated : Outcome::sweep_limit;
}

}  // namespace

Vector start_of(const Problem& problem, const SolverOptions& options) {
  return options.start.size() == 0 ? Vector::Zero(problem.row_count()) : options.start;
}

double measure_of(const Problem& problem, const SolverOptions& options, const Vector& x) {
  if (!x.allFinite()) return std::numeric_limits<double>::quiet_NaN();  // norms of Eigen may pass over a NaN
  return options.measure ? options.measure(problem, x) : natural_residual(problem, x, options.friction);
}

Solution iterate(const Problem& problem, const SolverOptions& options, const SweepStep& step) {
  Solution solution;
  solution.x = start_of(problem, options);
  solution.outcome = Outcome::sweep_limit;
  Vector before;
  while (solution.outcome == Outcome::sweep_limit && solution.sweeps < options.max_sweeps) {
    before = solution.x;
    const Stopwatch watch;
    const StepResult result = step(solution.x);
    solution.sweep_seconds.push_back(watch.seconds());
    solution.history.push_back(measure_of(problem, options, solution.x));
    ++solution.sweeps;
    const double change = problem.row_count() == 0 ? 0.0 : (solution.x - before).lpNorm<Eigen::Infinity>();
    solution.outcome = judge(options, result, solution.history.back(), change);
  }
  conclude(problem, options, solution);
  return solution;
}

Solution finish(const Problem& problem, const SolverOptions& options, Vector x, Outcome outcome, Index steps,
                const Stopwatch& watch) {
  Solution solution;
  solution.sweep_seconds.push_back(watch.seconds());
  solution.x = std::move(x);
  solution.sweeps = steps;
  const double measure = measure_of(problem, options, solution.x);
  solution.history.push_back(measure);
  solution.outcome = outcome;
  if (!std::isfinite(measure)) {
    solution.outcome = Outcome::diverged;
  } else if (outcome == Outcome::converged && measure > options.tolerance) {
    solution.outcome = Outcome::stagnated;
  }
  conclude(problem, options, solution);
  return solution;
}

}  // namespace talus::lab
