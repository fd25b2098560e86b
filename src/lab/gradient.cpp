// SPDX-License-Identifier: MIT
// Accelerated projected gradients for convex problems (S1-25): min 1/2 x.A x + x.b over bounds and cones, with the step
// found on the way and a restart where momentum points uphill. Coulomb's law follows by repetition.
#include <cmath>

#include "iterate.h"
#include "methods.h"

namespace talus::lab {
namespace {

class AcceleratedSteps {
 public:
  explicit AcceleratedSteps(const Problem& problem) : problem_(problem), contacts_(convex_contacts(problem)) {
    lower_ = problem.lower;
    upper_ = problem.upper;
    for (const ContactRows& contact : contacts_) {  // left to the cone
      for (Index row : contact.rows) lower_[row] = -(upper_[row] = std::numeric_limits<double>::infinity());
    }
  }

  StepResult operator()(Vector& x) {
    if (last_.size() == 0) ahead_ = last_ = x;
    const Vector gradient = row_velocity(problem_, ahead_);
    Vector next = projected(ahead_ - gradient / curvature_);
    while (too_long(next - ahead_)) {
      curvature_ *= 2.0;
      next = projected(ahead_ - gradient / curvature_);
    }
    const Vector step = next - last_;
    const double momentum = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * momentum_ * momentum_));
    if (gradient.dot(step) > 0.0) {
      momentum_ = 1.0;
      ahead_ = next;
    } else {
      ahead_ = next + (momentum_ - 1.0) / momentum * step;
      momentum_ = momentum;
    }
    curvature_ *= 0.97;  // steps may grow again; a smaller factor doubles it, with a product, more often
    x = last_ = next;
    return StepResult::moved;
  }

 private:
  Vector projected(const Vector& z) const {
    Vector x = z.cwiseMax(lower_).cwiseMin(upper_);
    for (const ContactRows& contact : contacts_)
      x(contact.rows) = project_cone(z(contact.rows), contact.friction).point;
    return x;
  }
  /// Whether the objective bends more along the step than assumed; written without differences of objectives, which end
  /// at 1e-8 of x.
  bool too_long(const Vector& step) const {
    return step.dot(row_velocity(problem_, step) - problem_.b) > curvature_ * step.squaredNorm() * (1.0 + 1e-12);
  }

  const Problem& problem_;
  std::vector<ContactRows> contacts_;
  Vector lower_, upper_;
  Vector last_, ahead_;
  double momentum_ = 1.0;
  double curvature_ = 1.0;  // of the objective [1/kg]
};

}  // namespace

Solution solve_apgd(const Problem& problem, const SolverOptions& options) {
  AcceleratedSteps steps(problem);
  return iterate(problem, options, std::ref(steps));
}

/// Coulomb's law is the convex one with w_n + friction |w_t| in place of w_n (de Saxce's change of variables: w_n = 0
/// while sliding means that the changed w lies on the dual cone). The added term is held, the convex problem solved,
/// and so on; it settles where friction is small, and the residual tells. Where the residual grows, the term changes by
/// less.
Solution solve_cone_fixed_point(const Problem& problem, const SolverOptions& options) {
  const std::vector<ContactRows> contacts = convex_contacts(problem);
  Problem convex = problem;
  SolverOptions inner = options;
  inner.friction.law = FrictionLaw::convex_cone;
  inner.tolerance = 0.1 * options.tolerance;
  inner.measure = nullptr;
  double weight = 1.0;
  double last_residual = std::numeric_limits<double>::infinity();
  return iterate(problem, options, [&](Vector& x) {
    const double residual = natural_residual(problem, x, options.friction);
    constexpr double kLeastWeight = 0.05;
    if (residual >= last_residual) weight = std::max(kLeastWeight, 0.7 * weight);
    last_residual = residual;
    const Vector w = row_velocity(problem, x);
    for (const ContactRows& contact : contacts) {
      const Index normal = contact.rows[0];
      const double slide = problem.b[normal] + contact.friction * w(contact.rows).tail<2>().norm();
      convex.b[normal] += weight * (slide - convex.b[normal]);
    }
    inner.start = x;
    const Solution answer = solve_apgd(convex, inner);
    x = answer.x;
    return answer.outcome == Outcome::converged ? StepResult::moved : StepResult::stuck;
  });
}

}  // namespace talus::lab
