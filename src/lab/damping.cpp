// SPDX-License-Identifier: MIT
#include "damping.h"

#include <talus/status.h>

#include <cmath>
#include <ostream>
#include <string>

#include "plot.h"
#include "text.h"

namespace talus::lab {
namespace {

/// Whether a row pushes one body alone, and one way.
bool supports(const Problem& problem, Index row) {
  if (problem.is_friction(row) || problem.lower[row] != 0.0) return false;
  SparseMatrix::InnerIterator entry(problem.jacobian, row);
  if (!entry) return false;
  const Index body = Index(entry.col()) / kDofs;
  for (; entry; ++entry) {
    if (Index(entry.col()) / kDofs != body) return false;
  }
  return true;
}

}  // namespace

std::vector<DampedRun> damped_runs(const Problem& problem, std::span<const double> gammas,
                                   const SolverOptions& options) {
  std::vector<DampedRun> runs;
  for (const double gamma : gammas) {
    if (!(gamma >= 0.0) || !std::isfinite(gamma)) throw Error("lab: gamma is " + std::to_string(gamma));
    Problem damped = problem;
    damped.softness.array() += gamma;
    SolverOptions sweeps{
        .friction = options.friction, .max_sweeps = options.max_sweeps, .tolerance = 0.0, .order = options.order};
    sweeps.measure = [&](const Problem&, const Vector& x) { return box_merit(problem, x); };
    const Solution solution = solve("pgs", damped, sweeps);
    DampedRun run{.gamma = gamma, .merits = solution.history};
    for (Index row = 0; row < problem.row_count(); ++row) {
      if (supports(problem, row)) run.support += solution.x[row];
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

void report_damping(std::ostream& out, const Problem& problem, std::span<const double> gammas,
                    const SolverOptions& options, const std::filesystem::path& plots) {
  const std::vector<DampedRun> runs = damped_runs(problem, gammas, options);
  out << "\nprojected Gauss-Seidel with gamma on the diagonal, merit without it after sweeps\n";
  print(out, "%-12s", "gamma [1/kg]");
  for (Index sweeps = 1; sweeps <= options.max_sweeps; sweeps *= 10) print(out, " %11d", sweeps);
  print(out, " %14s\n", "support [N s]");
  Plot plot{.title = "Gauss-Seidel with gamma on the diagonal",
            .x_label = "sweeps",
            .y_label = "merit without gamma",
            .log_x = true,
            .log_y = true};
  for (const DampedRun& run : runs) {
    print(out, "%-12.1e", run.gamma);
    for (std::size_t sweeps = 1; sweeps <= std::size_t(options.max_sweeps); sweeps *= 10) {
      print(out, " %11.2e", sweeps <= run.merits.size() ? run.merits[sweeps - 1] : run.merits.back());
    }
    print(out, " %14.6g\n", run.support);
    PlotSeries series{.name = formatted("%.1e", run.gamma)};
    for (std::size_t sweep = 0; sweep < run.merits.size(); ++sweep) {
      series.x.push_back(double(sweep + 1));
      series.y.push_back(run.merits[sweep]);
    }
    plot.series.push_back(std::move(series));
  }
  if (plots.empty()) return;
  std::filesystem::path file = plots;
  file += "_gamma.svg";
  write_svg(file, plot);
}

}  // namespace talus::lab
