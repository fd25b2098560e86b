// SPDX-License-Identifier: MIT
// Pictures, tables, and what the registry of solvers accepts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "lab/damping.h"
#include "lab/plot.h"
#include "lab/report.h"
#include "lab_problems.h"
#include "talus/status.h"

namespace talus::lab {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// Whether tags close in the order they opened, attributes are quoted, and no bare & is left.
testing::AssertionResult well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < xml.size(); ++at) {
    if (xml[at] == '&' && xml.find(';', at) > at + 6) return testing::AssertionFailure() << "bare & at " << at;
    if (xml[at] == '>') return testing::AssertionFailure() << "bare > at " << at;
    if (xml[at] != '<') continue;
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) return testing::AssertionFailure() << "tag without end at " << at;
    const std::string tag = xml.substr(at + 1, end - at - 1);
    if (std::count(tag.begin(), tag.end(), '"') % 2 != 0 || tag.find('<') != std::string::npos) {
      return testing::AssertionFailure() << "quotes of <" << tag << ">";
    }
    const std::string name = tag.substr(tag[0] == '/' ? 1 : 0, tag.find_first_of(" />", 1) - (tag[0] == '/' ? 1 : 0));
    if (tag[0] == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return testing::AssertionFailure() << "</" << tag << "> alone";
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
    at = end;
  }
  if (!open.empty()) return testing::AssertionFailure() << "<" << open.back() << "> stays open";
  return testing::AssertionSuccess();
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(WellFormed, SeesWhatIsNot) {
  EXPECT_TRUE(well_formed("<a x=\"1\"><b/>text &amp; more</a>"));
  EXPECT_FALSE(well_formed("<a><b></a></b>"));
  EXPECT_FALSE(well_formed("<a>"));
  EXPECT_FALSE(well_formed("<a x=\"1></a>"));
  EXPECT_FALSE(well_formed("<a>this & that</a>"));
}

Plot sample_plot() {
  Plot plot{.title = "a < b & \"c\"", .x_label = "sweeps", .y_label = "residual", .log_x = true, .log_y = true};
  for (int curve = 0; curve < 10; ++curve) {
    PlotSeries series{.name = "curve " + std::to_string(curve)};
    for (int i = 0; i < 100; ++i) {
      series.x.push_back(i);  // 0 has no place on a logarithmic axis
      series.y.push_back(std::pow(0.9, i * (curve + 1)));
    }
    plot.series.push_back(series);
  }
  return plot;
}

TEST(Svg, IsWellFormedAndComplete) {
  const std::string svg = to_svg(sample_plot());
  EXPECT_TRUE(well_formed(svg));
  EXPECT_EQ(count(svg, "<path "), 10u);
  EXPECT_THAT(svg, HasSubstr("a &lt; b &amp; &quot;c&quot;"));
  EXPECT_THAT(svg, HasSubstr(">curve 9</text>"));
  EXPECT_THAT(svg, HasSubstr("stroke-dasharray=\"6 3\""));  // the eighth has the first one's color
  EXPECT_THAT(svg, HasSubstr("10<tspan dy=\"-6\" font-size=\"9\">-20</tspan>"));
  EXPECT_THAT(svg, testing::Not(HasSubstr("nan")));
  EXPECT_THAT(svg, testing::Not(HasSubstr("inf")));
}

TEST(Svg, PowersOfTenHaveNoMinusZero) {
  const std::string svg = to_svg({.log_y = true, .series = {{.name = "", .x = {1, 2}, .y = {0.5, 20}}}});
  EXPECT_THAT(svg, HasSubstr(">0</tspan>"));
  EXPECT_THAT(svg, testing::Not(HasSubstr(">-0</tspan>")));
}

TEST(Svg, DrawsWhatIsOddWithoutNumbersThatAreNone) {
  Plot plot = sample_plot();
  plot.series.resize(1);
  plot.series[0].y[50] = std::nan("");
  const std::string broken = to_svg(plot);
  EXPECT_TRUE(well_formed(broken));
  EXPECT_EQ(count(broken, "M"), 2u);  // two strokes of one path
  for (Plot odd : {Plot{}, Plot{.log_y = true, .series = {{.name = "zero", .x = {1, 2}, .y = {0, 0}}}},
                   Plot{.series = {{.name = "one point", .x = {3}, .y = {3}, .points = true}}},
                   Plot{.series = {{.name = "uneven", .x = {1, 2, 3}, .y = {1}}}}}) {
    const std::string svg = to_svg(odd);
    EXPECT_TRUE(well_formed(svg));
    EXPECT_THAT(svg, testing::Not(HasSubstr("nan")));
    EXPECT_THAT(svg, testing::Not(HasSubstr("inf")));
  }
  EXPECT_THROW(write_svg(fs::path(testing::TempDir()) / "no_such_folder" / "a.svg", plot), Error);
}

TEST(Svg, MarksLieWhereTheirNumbersAre) {  // frame: 78 to 660 by 44 to 422
  const std::string svg = to_svg({.series = {{.name = "", .x = {0, 10, 5}, .y = {0, 10, 5}, .points = true}}});
  EXPECT_THAT(svg, HasSubstr("cx=\"78.00\" cy=\"422.00\""));
  EXPECT_THAT(svg, HasSubstr("cx=\"660.00\" cy=\"44.00\""));
  EXPECT_THAT(svg, HasSubstr("cx=\"369.00\" cy=\"233.00\""));
}

TEST(Report, PrintsALineForEachSolverAndDraws) {
  const Problem problem = make_problem(test::cube_stack(3, 0.5));
  const fs::path plots = fs::path(testing::TempDir()) / "talus_lab_report";
  std::ostringstream out;
  ReportOptions options;
  options.solver.tolerance = 1e-8;
  options.plots = plots;
  const std::vector<std::string> names{"pgs", "nncg", "newton_min", "lemke"};
  const std::vector<ReportEntry> entries = report(out, problem, names, options);
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[1].solver, "nncg");
  EXPECT_EQ(entries[1].solution.outcome, Outcome::converged);
  EXPECT_EQ(entries[0].solution.history.size(), entries[0].solution.sweep_seconds.size());
  EXPECT_THAT(out.str(), HasSubstr("lemke: lab: lemke does not solve problems of class friction cone"));
  EXPECT_THAT(out.str(), HasSubstr("36 rows, 24 of them friction, 18 velocities"));
  EXPECT_THAT(out.str(), HasSubstr("null space 18"));
  for (const char* name : {"_sweeps.svg", "_time.svg", "_eigenvalues.svg", "_gauss_seidel.svg"}) {
    fs::path file = plots;
    file += name;
    std::ifstream in(file);
    std::ostringstream svg;
    svg << in.rdbuf();
    EXPECT_TRUE(well_formed(svg.str())) << name;
    EXPECT_GT(svg.str().size(), 1000u) << name;
    fs::remove(file);
  }
}

// Jacobi's sweeps with too large a relaxation diverge; they leave the picture, and the others stay readable.
TEST(Report, DrawsTheOthersBesideOneThatDiverges) {
  const Problem problem = make_problem(test::cube_stack(10, 0.5));
  const fs::path plots = fs::path(testing::TempDir()) / "talus_lab_diverges";
  std::ostringstream out;
  ReportOptions options;
  options.solver.max_sweeps = 300;
  options.solver.relaxation = 1.9;
  options.plots = plots;
  const std::vector<std::string> names{"pgs", "jacobi"};
  const std::vector<ReportEntry> entries = report(out, problem, names, options);
  ASSERT_GT(entries.at(1).solution.residual, 1e6 * entries.at(1).solution.history.front());
  fs::path file = plots;
  file += "_sweeps.svg";
  std::ifstream in(file);
  const std::string svg{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(count(svg, "<path "), 2u);
  for (int power = 4; power < 300; ++power) {
    EXPECT_EQ(count(svg, "<tspan dy=\"-6\" font-size=\"9\">" + std::to_string(power) + "</tspan>"), 0u) << power;
  }
}

TEST(Report, NamesTheMethodsThatAreNotForTheProblem) {
  std::ostringstream out;
  report(out, make_problem(test::cube_stack(2, 0.5)), {}, {});
  EXPECT_THAT(out.str(), HasSubstr("left out, not for friction cone: "));
  EXPECT_THAT(out.str(), HasSubstr("lemke"));
}

TEST(Report, EndsAtAMeritIfAsked) {
  Problem problem = make_problem(test::heavy_column(3));
  problem.impulse.setConstant(0.1);
  std::ostringstream out;
  ReportOptions options;
  options.solver.tolerance = 1e-9;
  options.by_merit = true;
  const std::vector<std::string> names{"pgs"};
  const ReportEntry entry = report(out, problem, names, options).at(0);
  EXPECT_EQ(entry.solution.outcome, Outcome::converged);
  EXPECT_EQ(entry.solution.history.back(), entry.merit);
  EXPECT_LE(entry.merit, 1e-9);
  EXPECT_GT(entry.solution.residual, 1e-9);
  EXPECT_THAT(out.str(), HasSubstr("friction cone, merit at most 1.0e-09\n"));
  EXPECT_THAT(out.str(), HasSubstr("impulses that came with the problem "));
}

TEST(Report, TellsWhatGammaDoes) {
  const Problem problem = make_problem(test::heavy_column(3));
  const fs::path plots = fs::path(testing::TempDir()) / "talus_lab_damping";
  std::ostringstream out;
  const std::vector<double> gammas{0.0, 1e-4};
  report_damping(out, problem, gammas, {.max_sweeps = 1000}, plots);
  EXPECT_THAT(out.str(),
              HasSubstr("gamma [1/kg]           1          10         100        1000  support [N s]\n0.0e+00 "));
  EXPECT_THAT(out.str(), HasSubstr("294.3\n1.0e-04 "));  // 3000 kg, 9.81 m/s2, 0.01 s
  const fs::path file = plots.string() + "_gamma.svg";
  std::ifstream in(file);
  std::ostringstream svg;
  svg << in.rdbuf();
  EXPECT_TRUE(well_formed(svg.str()));
  EXPECT_THAT(svg.str(), HasSubstr("1.0e-04"));
  fs::remove(file);
  EXPECT_THROW(damped_runs(problem, std::vector<double>{-1.0}, {}), Error);
}

TEST(Report, TakesAllThatFitWithoutNames) {
  std::ostringstream out;
  const auto entries = report(out, make_problem(test::cube_stack(1)), {}, {});
  EXPECT_EQ(entries.size(), std::size_t(std::count_if(solvers().begin(), solvers().end(), [](const SolverInfo& s) {
              return s.solves(ProblemClass::normal_lcp);
            })));
  const std::vector<std::string> unknown{"pgs", "gps"};
  EXPECT_THROW(report(out, make_problem(test::cube_stack(1)), unknown, {}), Error);
}

TEST(Registry, RefusesWhatItCannotDo) {
  const Problem problem = make_problem(test::cube_stack(1, 0.5));
  EXPECT_THROW(solve("gps", problem), Error);
  EXPECT_THROW(solve("dantzig", problem), Error);  // not a cone
  EXPECT_THROW(solve("pgs", problem, {.friction = {.law = FrictionLaw::polyhedral, .sides = 5}}), Error);
  EXPECT_THROW(solve("psor", problem, {.relaxation = 2.0}), Error);
  EXPECT_THROW(solve("pgs", problem, {.max_sweeps = 0}), Error);
  EXPECT_THROW(solve("pgs", problem, {.order = {0, 1}}), Error);
  EXPECT_THROW(solve("pgs", problem, {.start = Vector::Zero(3)}), Error);
}

TEST(Registry, SolvesNothingAndWhatCannotMove) {
  ContactProblem step = test::cube_stack(1);
  step.bodies[0].inv_mass = 0.0;
  step.bodies[0].inv_inertia = {};
  step.bodies[0].free_velocity = {0.0, 1.0, 0.0, 0.0, 0.0, 0.0};  // leaves
  const Problem fixed = make_problem(step);
  const Problem nothing = make_problem(ContactProblem{});
  for (const SolverInfo& solver : solvers()) {
    if (!solver.solves(ProblemClass::normal_lcp)) continue;
    EXPECT_EQ(solve(solver.name, nothing).outcome, Outcome::converged) << solver.name;
    const Solution solution = solve(solver.name, fixed);
    EXPECT_EQ(solution.outcome, Outcome::converged) << solver.name;
    EXPECT_EQ(solution.velocity, fixed.free_velocity) << solver.name;
  }
}

TEST(Registry, SaysWhyItStopped) {
  const Problem problem = make_problem(test::stack_1d(10, 1.0));
  const Solution limited = solve("pgs", problem, {.max_sweeps = 5});
  EXPECT_EQ(limited.outcome, Outcome::sweep_limit);
  EXPECT_EQ(limited.sweeps, 5);
  EXPECT_EQ(limited.history.size(), 5u);
  EXPECT_EQ(solve("pgs", problem, {.tolerance = 0.0, .step_tolerance = 1e-3}).outcome, Outcome::stagnated);
  ContactProblem crowd = test::stack_1d(1, 1.0);  // five times the same contact: jacobi goes to and fro
  crowd.rows.resize(5, crowd.rows[0]);
  for (ContactProblem::Row& row : crowd.rows) row.lower = -test::kInfinity;
  EXPECT_EQ(solve("jacobi", make_problem(crowd), {.tolerance = 1e-10}).outcome, Outcome::diverged);
}

}  // namespace
}  // namespace talus::lab
