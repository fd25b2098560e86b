// SPDX-License-Identifier: MIT
// The solvers that sweep, and what accelerates or guards sweeps.
#include "boxed_lcp.h"
#include "iterate.h"
#include "methods.h"
#include "sweep.h"

namespace talus::lab {
namespace {

SweepPlan plan_of(const SolverOptions& options) {
  return {.friction = options.friction, .order = options.order};
}

SweepPlan jacobi_plan(const SolverOptions& options) {
  SweepPlan plan = plan_of(options);
  plan.jacobi = true;
  return plan;
}
SweepPlan split_plan(const SolverOptions& options) {
  SweepPlan plan = jacobi_plan(options);
  plan.split_mass = true;
  return plan;
}
SweepPlan blocked_plan(const SolverOptions& options) {
  SweepPlan plan = plan_of(options);
  plan.local_solve = true;
  return plan;
}

Solution repeat(const Problem& problem, const SolverOptions& options, const SweepPlan& plan) {
  const std::unique_ptr<Sweep> sweep = make_sweep(problem, plan);
  return iterate(problem, options, [&](Vector& x) {
    sweep->forward(x);
    return StepResult::moved;
  });
}

/// Fletcher-Reeves on the steps of a sweep, begun anew where they grow (S1-72). x may leave its bounds by the part
/// added to a sweep; the residual counts that.
class ConjugateSteps {
 public:
  explicit ConjugateSteps(std::unique_ptr<Sweep> sweep) : sweep_(std::move(sweep)) {}

  StepResult operator()(Vector& x) {
    const Vector before = x;
    sweep_->forward(x);
    const Vector step = x - before;  // minus the gradient
    const double square = step.squaredNorm();
    const double beta = last_square_ > 0.0 ? square / last_square_ : 2.0;
    last_square_ = square;
    if (direction_.size() == 0) {
      direction_ = step;
    } else if (beta > 1.0) {
      direction_.setZero();
    } else {
      x += beta * direction_;
      direction_ = beta * direction_ + step;
    }
    return StepResult::moved;
  }

 private:
  std::unique_ptr<Sweep> sweep_;
  Vector direction_;
  double last_square_ = 0.0;
};

Solution repeat_conjugate(const Problem& problem, const SolverOptions& options, const SweepPlan& plan) {
  ConjugateSteps steps(make_sweep(problem, plan));
  return iterate(problem, options, std::ref(steps));
}

/// Takes a sweep back and shortens all steps where x moved no less than in the sweep before (S1-82). "No less": with
/// "more" the text's own example goes to and fro for ever (E25). Steps that are sure to be short enough are kept: moves
/// may grow for a while on the right way, and each time the rule would shorten steps, down to nothing.
class GuardedSteps {
 public:
  GuardedSteps(const Problem& problem, std::unique_ptr<Sweep> sweep, double shorten)
      : sweep_(std::move(sweep)), shorten_(shorten), safe_scale_(sweep_->safe_scale(problem)) {}

  StepResult operator()(Vector& x) {
    const Vector before = x;
    sweep_->forward(x);
    const double moved = x.size() == 0 ? 0.0 : (x - before).lpNorm<Eigen::Infinity>();
    const double shorter = shorten_ * sweep_->r_scale;
    if (moved < last_moved_ || shorter < safe_scale_) {
      last_moved_ = moved;
      return StepResult::moved;
    }
    x = before;
    sweep_->r_scale = shorter;
    return StepResult::rejected;
  }

 private:
  std::unique_ptr<Sweep> sweep_;
  double shorten_;
  double safe_scale_;
  double last_moved_ = std::numeric_limits<double>::infinity();
};

Solution repeat_guarded(const Problem& problem, const SolverOptions& options, SweepPlan plan) {
  plan.r_factor = options.r_factor;
  const double shorten = options.r_factor > 0.0 ? 0.5 : 0.9;  // of one r for all, of an r for each (S1-82)
  GuardedSteps steps(problem, make_sweep(problem, plan), shorten);
  return iterate(problem, options, std::ref(steps));
}

/// Normals and all rows with bounds of their own exactly, friction held; then friction, the others held (S1-70, S0-72).
class StaggeredSteps {
 public:
  StaggeredSteps(const Problem& problem, const SolverOptions& options)
      : max_pivots_(options.max_sweeps), friction_tolerance_(0.01 * options.tolerance) {
    const Matrix a = delassus(problem);
    std::vector<Index> tangents;
    for (Index row = 0; row < problem.row_count(); ++row)
      (problem.is_friction(row) ? tangents : normals_).push_back(row);
    tangents_ = std::move(tangents);
    normal_lcp_ = {a(normals_, normals_), problem.b(normals_), problem.lower(normals_), problem.upper(normals_)};
    normal_b_ = normal_lcp_.b;
    coupling_ = a(normals_, tangents_);
    SweepPlan plan = plan_of(options);
    plan.units = UnitChoice::friction_only;
    friction_ = make_sweep(problem, plan);
  }

  StepResult operator()(Vector& x) {
    normal_lcp_.b = normal_b_ + coupling_ * x(tangents_);
    const BoxedSolution normals = block_pivoting(normal_lcp_, max_pivots_);
    if (!normals.solved) return StepResult::stuck;
    x(normals_) = normals.x;
    constexpr Index kFrictionSweeps = 1000;  // an end for friction that does not settle
    for (Index sweep = 0; sweep < kFrictionSweeps; ++sweep) {
      const Vector before = x;
      friction_->forward(x);
      if ((x - before).lpNorm<Eigen::Infinity>() <= friction_tolerance_) break;
    }
    return StepResult::moved;
  }

 private:
  Index max_pivots_;
  double friction_tolerance_;
  std::vector<Index> normals_, tangents_;
  BoxedLcp normal_lcp_;
  Vector normal_b_;
  Matrix coupling_;
  std::unique_ptr<Sweep> friction_;
};

}  // namespace

Solution solve_pgs(const Problem& problem, const SolverOptions& options) {
  return repeat(problem, options, plan_of(options));
}

Solution solve_pgs_symmetric(const Problem& problem, const SolverOptions& options) {
  const std::unique_ptr<Sweep> sweep = make_sweep(problem, plan_of(options));
  return iterate(problem, options, [&](Vector& x) {
    sweep->forward(x);
    sweep->backward(x);
    return StepResult::moved;
  });
}

Solution solve_psor(const Problem& problem, const SolverOptions& options) {
  SweepPlan plan = plan_of(options);
  plan.relaxation = options.relaxation;
  return repeat(problem, options, plan);
}

Solution solve_jacobi(const Problem& problem, const SolverOptions& options) {
  SweepPlan plan = jacobi_plan(options);
  plan.relaxation = options.relaxation;
  return repeat(problem, options, plan);
}

Solution solve_jacobi_split(const Problem& problem, const SolverOptions& options) {
  return repeat(problem, options, split_plan(options));
}

Solution solve_blocked_gs(const Problem& problem, const SolverOptions& options) {
  return repeat(problem, options, blocked_plan(options));
}

Solution solve_prox_gs(const Problem& problem, const SolverOptions& options) {
  return repeat_guarded(problem, options, plan_of(options));
}

Solution solve_prox_jacobi(const Problem& problem, const SolverOptions& options) {
  return repeat_guarded(problem, options, jacobi_plan(options));
}

Solution solve_nncg(const Problem& problem, const SolverOptions& options) {
  return repeat_conjugate(problem, options, plan_of(options));
}

Solution solve_nncg_jacobi(const Problem& problem, const SolverOptions& options) {
  return repeat_conjugate(problem, options, split_plan(options));
}

Solution solve_nncg_blocked(const Problem& problem, const SolverOptions& options) {
  return repeat_conjugate(problem, options, blocked_plan(options));
}

Solution solve_staggered(const Problem& problem, const SolverOptions& options) {
  StaggeredSteps steps(problem, options);
  return iterate(problem, options, std::ref(steps));
}

}  // namespace talus::lab
