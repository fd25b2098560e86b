// SPDX-License-Identifier: MIT
// Primal-dual interior point with Mehrotra's corrector for bounded rows. Its sets give the last step exactly: without it
// rows with x and w both near zero stop at the square root of what was asked.
#include <cmath>

#include "boxed_lcp.h"

namespace talus::lab {
namespace {

/// Distances to one side of the bounds and their multipliers; rows without that bound have multiplier 0, distance 1.
struct Side {
  Eigen::ArrayXd gap, dual, present;
  double sign;  // of x in the gap

  Side(const Vector& bound, double side_sign) : present(bound.size()), sign(side_sign) {
    for (Eigen::Index i = 0; i < bound.size(); ++i) present[i] = std::isfinite(bound[i]) ? 1.0 : 0.0;
    dual = present;
  }
  void set_gap(const Vector& x, const Vector& bound) {
    gap = (present > 0.0).select(sign * (x - bound).array(), 1.0);
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

/// A point strictly between the bounds, near zero where that is one.
double inner_point(double lower, double upper) {
  if (std::isfinite(lower) && std::isfinite(upper)) return 0.5 * (lower + upper);
  if (std::isfinite(lower)) return std::max(0.0, lower) + 1.0;
  return std::isfinite(upper) ? std::min(0.0, upper) - 1.0 : 0.0;
}

class InteriorPoint {
 public:
  explicit InteriorPoint(const BoxedLcp& lcp) : lcp_(lcp), below_(lcp.lower, 1.0), above_(lcp.upper, -1.0) {
    x_.resize(lcp.b.size());
    for (Eigen::Index i = 0; i < x_.size(); ++i) x_[i] = inner_point(lcp.lower[i], lcp.upper[i]);
    refresh();
  }

  BoxedSolution run(Index max_steps) {
    for (Index step = 1; step <= max_steps; ++step) {
      advance();
      const double floor = 1e-13 * (1.0 + lcp_.b.lpNorm<Eigen::Infinity>());
      if (complementarity() < floor && dual_residual().lpNorm<Eigen::Infinity>() < floor) return {rounded(), true, step};
    }
    return {x_, false, max_steps};
  }

 private:
  void refresh() {
    below_.set_gap(x_, lcp_.lower);
    above_.set_gap(x_, lcp_.upper);
  }
  Vector dual_residual() const { return lcp_.w(x_) - (below_.dual - above_.dual).matrix(); }
  double complementarity() const {
    const double pairs = below_.present.sum() + above_.present.sum();
    const double sum = (below_.present * below_.gap * below_.dual).sum() + (above_.present * above_.gap * above_.dual).sum();
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
    const Step step = solve(factor, target, predictor.dx.array() * predictor.below,
                            -predictor.dx.array() * predictor.above);
    const double length = std::min(1.0, 0.995 * room(step));
    x_ += length * step.dx;
    below_.dual += length * step.below;
    above_.dual += length * step.above;
    refresh();
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
