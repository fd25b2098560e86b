// SPDX-License-Identifier: MIT
// What it does to Gauss-Seidel sweeps, and to their answer, when every row is made to yield: A + gamma 1 in place of A
// (S2-15).
#pragma once
#include <filesystem>
#include <iosfwd>
#include <span>

#include "solver.h"

namespace talus::lab {

struct DampedRun {
  double gamma = 0.0;          ///< [1/kg] more softness of every row
  std::vector<double> merits;  ///< box_merit of the problem as it is, without gamma, after each sweep
  double support = 0.0;        ///< [N s] at the end: normal impulses between a body and what does not move
};

/// Projected Gauss-Seidel from zero with the law, order and number of sweeps of the options, once for each gamma >= 0.
std::vector<DampedRun> damped_runs(const Problem& problem, std::span<const double> gammas,
                                   const SolverOptions& options);

/// Prints a line for each gamma: the merit after 1, 10, 100, ... sweeps, and the support. Draws <plots>_gamma.svg, the
/// merit by sweeps, unless `plots` is empty.
void report_damping(std::ostream& out, const Problem& problem, std::span<const double> gammas,
                    const SolverOptions& options, const std::filesystem::path& plots);

}  // namespace talus::lab
