// SPDX-License-Identifier: MIT
#include "report.h"

#include <talus/status.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <ostream>

#include "analysis.h"
#include "plot.h"
#include "text.h"

namespace talus::lab {
namespace {

constexpr const char *kSweepsPicture = "_sweeps.svg", *kTimePicture = "_time.svg",
                     *kEigenvaluesPicture = "_eigenvalues.svg", *kGaussSeidelPicture = "_gauss_seidel.svg";

std::vector<std::string> chosen(std::span<const std::string> names, ProblemClass problem_class) {
  std::vector<std::string> found(names.begin(), names.end());
  for (const std::string& name : found) find_solver(name);
  if (!found.empty()) return found;
  for (const SolverInfo& solver : solvers()) {
    if (solver.solves(problem_class)) found.emplace_back(solver.name);
  }
  return found;
}

void print_entry(std::ostream& out, const ReportEntry& entry) {
  const Solution& s = entry.solution;
  const double milliseconds = 1e3 * s.total_seconds();
  print(out, "%-18s %-12s %8d %12.3f %12.3f %12.3e %12.3e\n", entry.solver.c_str(), outcome_name(s.outcome), s.sweeps,
        milliseconds, s.sweeps > 0 ? 1e3 * milliseconds / s.sweeps : 0.0, s.residual, entry.merit);
}

/// Methods that nobody asked for by name and that are not for this class of problems.
void print_left_out(std::ostream& out, ProblemClass problem_class) {
  std::string names;
  for (const SolverInfo& solver : solvers()) {
    if (!solver.solves(problem_class)) names += (names.empty() ? "" : ", ") + std::string(solver.name);
  }
  if (!names.empty()) print(out, "left out, not for %s: %s\n", class_name(problem_class), names.c_str());
}

/// What the world found, if the problem comes from one.
void print_given(std::ostream& out, const Problem& problem, const FrictionModel& friction) {
  if (problem.impulse.size() == 0 || problem.impulse.isZero(0.0)) return;
  print(out, "%-65s %12.3e %12.3e\n", "impulses that came with the problem",
        natural_residual(problem, problem.impulse, friction), box_merit(problem, problem.impulse));
}

void print_size(std::ostream& out, const Problem& problem, const std::optional<Spectrum>& spectrum) {
  print(out, "\n%d rows, %d of them friction, %d velocities\n", problem.row_count(),
        Index(std::count_if(problem.normal.begin(), problem.normal.end(), [](Index normal) { return normal >= 0; })),
        problem.dof_count());
  if (!spectrum) {
    print(out, "condition and null space: not computed above %d rows\n", kSpectrumRows);
    return;
  }
  print(out, "condition %.3e, null space %d, Gauss-Seidel rate %.6f, Jacobi diverges from relaxation %.3f on\n",
        spectrum->condition, spectrum->null_space, spectrum->gs_rate, spectrum->jacobi_limit);
}

std::filesystem::path plot_file(const std::filesystem::path& beginning, const char* name) {
  std::filesystem::path file = beginning;
  file += name;
  return file;
}

/// A method that diverges would squeeze all others into a line: it leaves the picture where it is this many times as
/// far off as after its first sweep.
constexpr double kLeaves = 10.0;

double shown(const std::vector<double>& history, std::size_t i) {
  const double ceiling = kLeaves * history.front();
  if (history[i] <= ceiling) return history[i];
  const bool first = i == 0 || history[i - 1] <= ceiling;
  return first ? ceiling : std::numeric_limits<double>::quiet_NaN();
}

/// Histories with the measure over the sum of `step(solution, i)`.
template <class Step>
Plot convergence_plot(const std::vector<ReportEntry>& entries, const char* measure, const char* title,
                      const char* x_label, Step step) {
  Plot plot{.title = title, .x_label = x_label, .y_label = measure, .log_x = true, .log_y = true};
  for (const ReportEntry& entry : entries) {
    PlotSeries series{.name = entry.solver, .points = entry.solution.history.size() == 1};
    double x = 0.0;
    for (std::size_t i = 0; i < entry.solution.history.size(); ++i) {
      x += step(entry.solution, i);
      series.x.push_back(x);
      series.y.push_back(shown(entry.solution.history, i));
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

void draw_histories(const std::filesystem::path& plots, const std::vector<ReportEntry>& entries, const char* measure) {
  write_svg(plot_file(plots, kSweepsPicture),
            convergence_plot(entries, measure, "Convergence by sweeps", "sweeps", [](const Solution& s, std::size_t) {
              return s.history.size() == 1 ? double(s.sweeps) : 1.0;
            }));
  write_svg(plot_file(plots, kTimePicture),
            convergence_plot(entries, measure, "Convergence by time", "time [s]",
                             [](const Solution& s, std::size_t i) { return s.sweep_seconds[i]; }));
}

void draw_spectrum(const std::filesystem::path& plots, const Spectrum& spectrum) {
  PlotSeries a{.name = "A", .points = true};
  for (Eigen::Index i = 0; i < spectrum.eigenvalues.size(); ++i) {
    a.x.push_back(double(i + 1));
    a.y.push_back(i < spectrum.null_space ? 0.0 : spectrum.eigenvalues[i]);  // rounding is no eigenvalue
  }
  write_svg(
      plot_file(plots, kEigenvaluesPicture),
      {.title = "Eigenvalues of A", .x_label = "number", .y_label = "eigenvalue [1/kg]", .log_y = true, .series = {a}});
  PlotSeries t{.name = "T", .points = true};
  for (const std::complex<double>& value : spectrum.gs) {
    t.x.push_back(value.real());
    t.y.push_back(value.imag());
  }
  write_svg(plot_file(plots, kGaussSeidelPicture), {.title = "Eigenvalues of the Gauss-Seidel iteration",
                                                    .x_label = "real part",
                                                    .y_label = "imaginary part",
                                                    .unit_circle = true,
                                                    .series = {t}});
}

}  // namespace

std::vector<std::filesystem::path> picture_files(const std::filesystem::path& plots) {
  std::vector<std::filesystem::path> files;
  for (const char* name : {kSweepsPicture, kTimePicture, kEigenvaluesPicture, kGaussSeidelPicture}) {
    files.push_back(plot_file(plots, name));
  }
  return files;
}

std::vector<ReportEntry> report(std::ostream& out, const Problem& problem, std::span<const std::string> names,
                                const ReportOptions& options) {
  const ProblemClass problem_class = classify(problem, options.solver.friction);
  const std::vector<std::string> solver_names = chosen(names, problem_class);
  const char* measure = options.by_merit ? "merit" : "residual";
  SolverOptions solver = options.solver;
  if (options.by_merit) solver.measure = box_merit;
  print(out, "%s, %s at most %.1e\n", class_name(problem_class), measure, solver.tolerance);
  print(out, "%-18s %-12s %8s %12s %12s %12s %12s\n", "solver", "outcome", "sweeps", "time [ms]", "sweep [us]",
        "residual", "merit");
  std::vector<ReportEntry> entries;
  for (const std::string& name : solver_names) {
    try {
      Solution solution = solve(name, problem, solver);
      const double merit = box_merit(problem, solution.x);
      entries.push_back({name, std::move(solution), merit});
      print_entry(out, entries.back());
    } catch (const Error& refusal) {
      out << name << ": " << refusal.what() << '\n';
    }
  }
  if (names.empty()) print_left_out(out, problem_class);
  print_given(out, problem, options.solver.friction);
  std::optional<Spectrum> small;
  if (problem.row_count() <= kSpectrumRows) small = spectrum(problem);
  print_size(out, problem, small);
  if (!options.plots.empty()) {
    draw_histories(options.plots, entries, measure);
    if (small) draw_spectrum(options.plots, *small);
  }
  return entries;
}

}  // namespace talus::lab
