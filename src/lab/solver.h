// SPDX-License-Identifier: MIT
// All solvers of the laboratory behind one call, found by name.
#pragma once
#include "residual.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace talus::lab {

/// What kind of problem a solver is asked for; SolverInfo::classes has the bits of those it solves.
enum class ProblemClass : std::uint8_t {
  normal_lcp = 1u << 0,    ///< no friction, x >= 0
  boxed_lcp = 1u << 1,     ///< no friction, fixed bounds of any kind
  box_friction = 1u << 2,  ///< FrictionLaw of the same name, from here on; with fixed bounds on other rows
  polyhedral = 1u << 3,
  cone = 1u << 4,
  convex_cone = 1u << 5,
};
ProblemClass classify(const Problem& problem, const FrictionModel& model);
const char* class_name(ProblemClass problem_class);

enum class Outcome : std::uint8_t {
  converged,
  sweep_limit,
  stagnated,  ///< x no longer changes, and is no solution
  diverged,   ///< left the finite range
  failed,     ///< no step is left: a ray, a cycle, a line search without descent, too many pivots
};
const char* outcome_name(Outcome outcome);

struct SolverOptions {
  FrictionModel friction;
  Index max_sweeps = 10000;     ///< sweeps, pivots or iterations: what the solver counts
  double tolerance = 1e-10;     ///< of `measure`; the end is `converged` below it
  double step_tolerance = 0.0;  ///< [N s] the end is `stagnated` where no x changes more; 0: never
  double relaxation = 1.0;      ///< of psor, and of jacobi; in (0, 2)
  double r_factor = 0.0;        ///< of prox_*: one r for all rows to start with [kg]; 0: 1 / A_ii of each
  std::vector<Index> order;     ///< rows as sweeps visit them, e.g. color_order; empty: as they come
  Vector start;                 ///< x to begin with; empty: zero
  /// What tolerance and history are of; the natural residual if empty.
  std::function<double(const Problem& problem, const Vector& x)> measure;
};

struct Solution {
  Vector x;         ///< [N s, N m s]
  Vector velocity;  ///< u [m/s, rad/s]
  Outcome outcome = Outcome::failed;
  Index sweeps = 0;
  double residual = 0.0;              ///< natural residual under the law asked for
  std::vector<double> history;        ///< measure after each sweep; direct solvers leave it at one value
  std::vector<double> sweep_seconds;  ///< of each entry of history, without the time to measure
  double total_seconds() const;
};

struct SolverInfo {
  const char* name;
  const char* summary;
  std::uint8_t classes;  ///< bits of ProblemClass
  bool direct;           ///< exact after finitely many steps, or with a quadratic end; needs the dense A
  Solution (*run)(const Problem&, const SolverOptions&);

  bool solves(ProblemClass problem_class) const { return (classes & std::uint8_t(problem_class)) != 0; }
};

std::span<const SolverInfo> solvers();
/// Throws Error that lists the names if there is none of this one.
const SolverInfo& find_solver(std::string_view name);
/// Throws Error if the solver is not for this class of problems, or an option is out of its range.
Solution solve(std::string_view name, const Problem& problem, const SolverOptions& options = {});

}  // namespace talus::lab
