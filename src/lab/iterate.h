// SPDX-License-Identifier: MIT
// The loop around every method: count, time, measure, stop (S1-63, with differences of x as E21 asks).
#pragma once
#include "solver.h"

#include <chrono>

namespace talus::lab {

/// Seconds since it was made.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

enum class StepResult : std::uint8_t {
  moved,
  rejected,  ///< x is what it was: no sign of an end
  stuck,     ///< there is no step left
};
using SweepStep = std::function<StepResult(Vector& x)>;

Vector start_of(const Problem& problem, const SolverOptions& options);
double measure_of(const Problem& problem, const SolverOptions& options, const Vector& x);
Solution iterate(const Problem& problem, const SolverOptions& options, const SweepStep& step);

/// For solvers that do not sweep: residual, velocities and one entry of history. `outcome` converged stays only if the
/// measure agrees.
Solution finish(const Problem& problem, const SolverOptions& options, Vector x, Outcome outcome, Index steps,
                const Stopwatch& watch);

}  // namespace talus::lab
