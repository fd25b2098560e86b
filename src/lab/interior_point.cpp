// SPDX-License-Identifier: MIT
// Primal-dual interior point with Mehrotra's corrector for bounded rows. Its sets give the last step exactly: without
// it rows with x and w both near zero stop at the square root of what was asked.
#include <cmath>

#include "boxed_lcp.h"

namespace talus::lab {
namespace {

/// Distances to one side of the bounds and their multipliers; rows without that bound have multiplier 0, distance 1.
/// Distances are carried along: differences of x and its bound would round to zero near the end.
struct Side {
  Eigen::ArrayXd gap, dual, present;
  double sign;  // of x in the gap

  Side(const Vector& bound, const Vector& x, double side_sign)
      : gap(Eigen::ArrayXd::Ones(x.size())), dual(Eigen::ArrayXd::Zero(x.size())), present(dual), sign(side_sign) {
    for (Eigen::Index i = 0; i < bound.size(); ++i) {
      if (!std::isfinite(bound[i])) continue;
      present[i] = dual[i] = 1.0;
      gap[i] = sign * (x[i] - bound[i]);
    }
  }
  void move(double length, const Vector& dx, const Eigen::ArrayXd& ddual) {
    gap += length * sign * present * dx.array();
    dual += length * ddual;
  }
  /// Change of the dual that makes (gap + sign dx)(dual + ddual) + correction = target, to first order.
  Eigen::ArrayXd dual_step(const Vector& dx, double target, const Eigen::ArrayXd& correction) const {
    return present * ((target - correction - sign * dual * dx.array()) / gap - dual);
  }
  /// Largest part of the step that keeps all gaps and duals positive.
  double room(const Vector& dx, const Eigen::ArrayXd& ddual) const {
    double most = 1.0;
    for (Eigen::Index i = 0; i < gap.size(); ++i) {
      if (present[i] == 0.0) continue;
      if (sign * dx[i] < 0.0) most = std::min(most, -gap[i] / (sign * dx[i]));
      if (ddual[i] < 0.0) most = std::min(most, -dual[i] / ddual[i]);
    }
    return most;
  }
};

/// Strictly between the bounds, near zero where that is possible.
Vector inner_point(const Vector& lower, const Vector& upper) {
  Vector x = Vector::Zero(lower.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    if (std::isfinite(lower[i]))
      x[i] = std::isfinite(upper[i]) ? 0.5 * (lower[i] + upper[i]) : std::max(0.0, lower[i]) + 1.0;
    if (!std::isfinite(lower[i]) && std::isfinite(upper[i])) x[i] = std::min(0.0, upper[i]) - 1.0;
  }
  return x;
}

class InteriorPoint {
 public:
  explicit InteriorPoint(const BoxedLcp& lcp)
      : lcp_(lcp), x_(inner_point(lcp.lower, lcp.upper)), below_(lcp.lower, x_, 1.0), above_(lcp.upper, x_, -1.0) {}

  BoxedSolution run(Index max_steps) {
    for (Index step = 1; step <= max_steps; ++step) {
      advance();
      const double floor = 1e-13 * (1.0 + lcp_.b.lpNorm<Eigen::Infinity>());
      if (complementarity() < floor) return {rounded(), true, step};
    }
    return {x_, false, max_steps};
  }

 private:
  Vector dual_residual() const { return lcp_.w(x_) - (below_.dual - above_.dual).matrix(); }
  double complementarity() const {
    const double pairs = below_.present.sum() + above_.present.sum();
    const double sum =
        (below_.present * below_.gap * below_.dual).sum() + (above_.present * above_.gap * above_.dual).sum();
    return pairs == 0.0 ? 0.0 : sum / pairs;
  }

  struct Step {
    Vector dx;
    Eigen::ArrayXd below, above;
  };
  Step solve(const Eigen::LDLT<Matrix>& factor, double target, const Eigen::ArrayXd& fix_below,
             const Eigen::ArrayXd& fix_above) const {
    const Eigen::ArrayXd pull = below_.present * ((target - fix_below) / below_.gap - below_.dual) -
                                above_.present * ((target - fix_above) / above_.gap - above_.dual);
    Step step;
    step.dx = factor.solve(Vector(pull.matrix() - dual_residual()));
    step.below = below_.dual_step(step.dx, target, fix_below);
    step.above = above_.dual_step(step.dx, target, fix_above);
    return step;
  }
  double room(const Step& step) const {
    return std::min(below_.room(step.dx, step.below), above_.room(step.dx, step.above));
  }

  void advance() {
    Matrix system = lcp_.a;
    system.diagonal().array() += below_.dual / below_.gap + above_.dual / above_.gap;
    const Eigen::LDLT<Matrix> factor(system);
    const Eigen::ArrayXd zero = Eigen::ArrayXd::Zero(x_.size());
    const Step predictor = solve(factor, 0.0, zero, zero);
    const double left = 1.0 - room(predictor);
    const double target = left * left * left * complementarity();
    const Step step =
        solve(factor, target, predictor.dx.array() * predictor.below, -predictor.dx.array() * predictor.above);
    const double length = std::min(1.0, 0.995 * room(step));
    x_ += length * step.dx;
    below_.move(length, step.dx, step.below);
    above_.move(length, step.dx, step.above);
  }

  /// The answer of the sets that the duals point to, if it is the better one.
  Vector rounded() const {
    std::vector<RowState> states(std::size_t(x_.size()), RowState::free);
    for (Eigen::Index i = 0; i < x_.size(); ++i) {
      if (below_.present[i] * below_.dual[i] > below_.gap[i]) states[std::size_t(i)] = RowState::at_lower;
      if (above_.present[i] * above_.dual[i] > above_.gap[i]) states[std::size_t(i)] = RowState::at_upper;
    }
    Vector candidate = solve_states(lcp_, states);
    return error(candidate) < error(x_) ? candidate : x_;
  }
  double error(const Vector& x) const {
    return (x - (x - lcp_.w(x)).cwiseMax(lcp_.lower).cwiseMin(lcp_.upper)).lpNorm<Eigen::Infinity>();
  }

  const BoxedLcp& lcp_;
  Vector x_;
  Side below_, above_;
};

}  // namespace

BoxedSolution interior_point(const BoxedLcp& lcp, Index max_steps) {
  // Rows that cannot move have no inside; the others are solved with them in place.
  std::vector<Index> open;
  Vector x = lcp.lower;
  for (Index row = 0; row < Index(x.size()); ++row) {
    if (lcp.lower[row] == lcp.upper[row]) continue;
    open.push_back(row);
    x[row] = 0.0;
  }
  if (open.empty()) return {std::move(x), true, 0};
  const BoxedLcp inner{lcp.a(open, open), lcp.w(x)(open), lcp.lower(open), lcp.upper(open)};
  BoxedSolution answer = InteriorPoint(inner).run(max_steps);
  x(open) = answer.x;
  answer.x = std::move(x);
  return answer;
}

}  // namespace talus::lab
