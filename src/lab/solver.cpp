// SPDX-License-Identifier: MIT
#include "solver.h"

#include <talus/status.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "iterate.h"
#include "methods.h"

namespace talus::lab {
namespace {

constexpr std::uint8_t bits(std::initializer_list<ProblemClass> classes) {
  std::uint8_t sum = 0;
  for (ProblemClass one : classes) sum = std::uint8_t(sum | std::uint8_t(one));
  return sum;
}

using enum ProblemClass;
constexpr std::uint8_t kLinear = bits({normal_lcp, boxed_lcp});
constexpr std::uint8_t kLinearAndBox = bits({normal_lcp, boxed_lcp, box_friction});
constexpr std::uint8_t kLinearAndPolyhedral = bits({normal_lcp, boxed_lcp, polyhedral});
constexpr std::uint8_t kSets = bits({normal_lcp, boxed_lcp, box_friction, polyhedral, cone});
constexpr std::uint8_t kAll = bits({normal_lcp, boxed_lcp, box_friction, polyhedral, cone, convex_cone});
constexpr std::uint8_t kConvex = bits({normal_lcp, boxed_lcp, convex_cone});
constexpr std::uint8_t kCone = bits({normal_lcp, boxed_lcp, cone});

constexpr SolverInfo kSolvers[] = {
    {"dantzig", "Dantzig pivoting, rows admitted one by one", kLinearAndBox, true, solve_dantzig},
    {"block_pivoting", "block principal pivoting, guarded against cycles", kLinearAndBox, true, solve_block_pivoting},
    {"lemke", "Lemke pivoting of the LCP with friction polygons", kLinearAndPolyhedral, true, solve_lemke},
    {"enumeration", "all sets of positive variables, up to 16", kLinearAndPolyhedral, true, solve_enumeration},
    {"interior_point", "primal-dual interior point", kLinearAndBox, true, solve_interior_point},
    {"newton_min", "non-smooth Newton on the min map and its projections", kAll, true, solve_newton_min},
    {"newton_fb", "non-smooth Newton on Fischer-Burmeister functions", kAll, true, solve_newton_fb},
    {"apgd", "accelerated projected gradients with restart", kConvex, false, solve_apgd},
    {"cone_fixed_point", "Coulomb's cone by repeated convex ones", bits({cone}), false, solve_cone_fixed_point},
    {"pgs", "projected Gauss-Seidel", kAll, false, solve_pgs},
    {"pgs_symmetric", "projected Gauss-Seidel, forth and back", kAll, false, solve_pgs_symmetric},
    {"psor", "projected Gauss-Seidel with over-relaxation", kAll, false, solve_psor},
    {"jacobi", "projected Jacobi with relaxation", kAll, false, solve_jacobi},
    {"jacobi_split", "projected Jacobi with split masses", kAll, false, solve_jacobi_split},
    {"blocked_gs", "Gauss-Seidel over contacts, each solved exactly", kCone, false, solve_blocked_gs},
    {"prox_gs", "proximal Gauss-Seidel with adaptive r", kAll, false, solve_prox_gs},
    {"prox_jacobi", "proximal Jacobi with adaptive r", kAll, false, solve_prox_jacobi},
    {"nncg", "non-linear conjugate gradients around pgs", kAll, false, solve_nncg},
    {"nncg_jacobi", "non-linear conjugate gradients around jacobi_split", kAll, false, solve_nncg_jacobi},
    {"nncg_blocked", "non-linear conjugate gradients around blocked_gs", kCone, false, solve_nncg_blocked},
    {"staggered", "normals exactly, then friction, in turns", kSets, false, solve_staggered},
};

void check_options(const Problem& problem, const SolverOptions& options) {
  const auto refuse = [](const std::string& what) { throw Error("lab solver options: " + what); };
  if (options.max_sweeps < 1) refuse("max_sweeps is " + std::to_string(options.max_sweeps) + ", less than 1");
  if (!(options.relaxation > 0.0 && options.relaxation < 2.0)) {
    refuse("relaxation is " + std::to_string(options.relaxation) + ", not between 0 and 2");
  }
  if (!(options.tolerance >= 0.0 && options.step_tolerance >= 0.0 && options.r_factor >= 0.0)) {
    refuse("tolerances and r_factor are not negative");
  }
  if (options.start.size() != 0 && (options.start.size() != problem.row_count() || !options.start.allFinite())) {
    refuse("start has " + std::to_string(options.start.size()) + " numbers for " + std::to_string(problem.row_count()) +
           " rows, or one that is not finite");
  }
  if (options.order.empty()) return;
  std::vector<Index> rows = options.order;
  std::sort(rows.begin(), rows.end());
  std::vector<Index> all(std::size_t(problem.row_count()));
  std::iota(all.begin(), all.end(), 0);
  if (rows != all) refuse("order does not name every row once");
}

}  // namespace

ProblemClass classify(const Problem& problem, const FrictionModel& model) {
  if (problem.disks.empty()) {
    const bool normals = (problem.lower.array() == 0.0).all() &&
                         (problem.upper.array() == std::numeric_limits<double>::infinity()).all();
    return normals ? normal_lcp : boxed_lcp;
  }
  switch (model.law) {
    case FrictionLaw::box:
      return box_friction;
    case FrictionLaw::polyhedral:
      return polyhedral;
    case FrictionLaw::cone:
      return cone;
    case FrictionLaw::convex_cone:
      break;
  }
  return convex_cone;
}

const char* class_name(ProblemClass problem_class) {
  switch (problem_class) {
    case normal_lcp:
      return "LCP of normals";
    case boxed_lcp:
      return "LCP with fixed bounds";
    case box_friction:
      return "box friction";
    case polyhedral:
      return "polyhedral friction";
    case cone:
      return "friction cone";
    case convex_cone:
      break;
  }
  return "convex friction cone";
}

const char* outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::converged:
      return "converged";
    case Outcome::sweep_limit:
      return "sweep limit";
    case Outcome::stagnated:
      return "stagnated";
    case Outcome::diverged:
      return "diverged";
    case Outcome::failed:
      break;
  }
  return "failed";
}

double Solution::total_seconds() const {
  return std::accumulate(sweep_seconds.begin(), sweep_seconds.end(), 0.0);
}

std::span<const SolverInfo> solvers() {
  return kSolvers;
}

const SolverInfo& find_solver(std::string_view name) {
  std::string known;
  for (const SolverInfo& solver : kSolvers) {
    if (name == solver.name) return solver;
    known += std::string(known.empty() ? "" : ", ") + solver.name;
  }
  throw Error("lab: no solver \"" + std::string(name) + "\"; there are " + known);
}

Solution solve(std::string_view name, const Problem& problem, const SolverOptions& options) {
  const SolverInfo& solver = find_solver(name);
  const ProblemClass problem_class = classify(problem, options.friction);
  if (!solver.solves(problem_class)) {
    throw Error("lab: " + std::string(name) + " does not solve problems of class " + class_name(problem_class));
  }
  check_options(problem, options);
  if (problem.row_count() == 0) return finish(problem, options, Vector(), Outcome::converged, 0, Stopwatch());
  return solver.run(problem, options);
}

}  // namespace talus::lab
