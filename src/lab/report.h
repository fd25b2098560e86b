// SPDX-License-Identifier: MIT
// What `talus lab` prints and draws: many solvers on one problem.
#pragma once
#include <filesystem>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "solver.h"

namespace talus::lab {

struct ReportOptions {
  SolverOptions solver;
  bool by_merit = false;  ///< tolerance and curves are of box_merit, as in S2, else of the natural residual
  /// Beginning of the names of pictures: <plots>_sweeps.svg (residual or merit by sweep), _time.svg (by
  /// seconds), and for small
  /// problems _eigenvalues.svg (of A) and _gauss_seidel.svg (of the iteration). Empty: none.
  std::filesystem::path plots;
};

/// All that report() may draw.
std::vector<std::filesystem::path> picture_files(const std::filesystem::path& plots);

struct ReportEntry {
  std::string solver;
  Solution solution;
  double merit = 0.0;  ///< box_merit: 1/2 |natural map|^2 with friction bounds, under any law (S2-12)
};

/// Solves with each of the named solvers and prints a line for each: solver, outcome, sweeps, time, residual, merit;
/// then the same of the impulses that came with the problem, size, condition and null space. No names: all that solve
/// problems of this class. A solver of another class or one that refuses the problem has a line that says so. Throws
/// Error for an unknown name, before anything is solved.
std::vector<ReportEntry> report(std::ostream& out, const Problem& problem, std::span<const std::string> names,
                                const ReportOptions& options);

}  // namespace talus::lab
