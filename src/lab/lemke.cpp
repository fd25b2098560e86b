// SPDX-License-Identifier: MIT
// Lemke's method for the friction LCP (S0-63, S1-54): follows the ray of an artificial variable until it can leave.
// Ties of the ratio test are broken lexicographically, so that degenerate problems (every resting stack) do not cycle.
#include "iterate.h"
#include "lcp_form.h"
#include "methods.h"

namespace talus::lab {
namespace {

/// Variables: w 0..n-1, z n..2n-1, the artificial one 2n. Rows are w - m z - z0 = q, the columns of w stay the inverse
/// of the basis.
class LemkeTableau {
 public:
  explicit LemkeTableau(const LcpForm& form) : size_(Index(form.q.size())), table_(size_, 2 * size_ + 2) {
    table_ << Matrix::Identity(size_, size_), -form.m, -Vector::Ones(size_), form.q;
    for (Index row = 0; row < size_; ++row) basis_.push_back(row);
  }

  /// Index of pivots, or -1 if a ray ends the way.
  Index run(Index max_pivots) {
    if (size_ == 0 || table_.col(last()).minCoeff() >= 0.0) return 0;
    Index row = lexicographic_first();
    Index entering = artificial();
    for (Index pivots = 1; pivots <= max_pivots; ++pivots) {
      const Index leaving = basis_[std::size_t(row)];
      pivot(row, entering);
      if (leaving == artificial()) return pivots;
      entering = leaving < size_ ? leaving + size_ : leaving - size_;
      row = ratio_test(entering);
      if (row < 0) return -1;
    }
    return -1;
  }

  std::vector<Index> positive() const {
    std::vector<Index> z;
    for (Index variable : basis_) {
      if (variable >= size_ && variable != artificial()) z.push_back(variable - size_);
    }
    return z;
  }

 private:
  static constexpr double kZero = 1e-11;  // [1/kg] entries below are taken for rounding

  Index artificial() const { return 2 * size_; }
  Index last() const { return 2 * size_ + 1; }

  /// Row of the most negative q; with the artificial column all ones the lexicographic order is that of the rows.
  Index lexicographic_first() const {
    Index row = 0;
    for (Index other = 1; other < size_; ++other) {
      if (table_(other, last()) <= table_(row, last())) row = other;
    }
    return row;
  }

  bool before(Index a, Index b, Index entering) const {
    const double scale_a = 1.0 / table_(a, entering);
    const double scale_b = 1.0 / table_(b, entering);
    const double q = table_(a, last()) * scale_a - table_(b, last()) * scale_b;
    if (std::abs(q) > kZero) return q < 0.0;
    // The artificial variable leaves as soon as it may.
    if (basis_[std::size_t(a)] == artificial() || basis_[std::size_t(b)] == artificial()) {
      return basis_[std::size_t(a)] == artificial();
    }
    for (Index column = 0; column < size_; ++column) {
      const double difference = table_(a, column) * scale_a - table_(b, column) * scale_b;
      if (std::abs(difference) > kZero) return difference < 0.0;
    }
    return a < b;
  }

  Index ratio_test(Index entering) const {
    Index best = -1;
    for (Index row = 0; row < size_; ++row) {
      if (table_(row, entering) > kZero && (best < 0 || before(row, best, entering))) best = row;
    }
    return best;
  }

  void pivot(Index row, Index entering) {
    table_.row(row) /= double(table_(row, entering));
    for (Index other = 0; other < size_; ++other) {
      const double factor = table_(other, entering);
      if (other != row && factor != 0.0) table_.row(other) -= factor * table_.row(row);
    }
    basis_[std::size_t(row)] = entering;
  }

  Index size_;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> table_;
  std::vector<Index> basis_;
};

}  // namespace

Solution solve_lemke(const Problem& problem, const SolverOptions& options) {
  const Stopwatch watch;
  const LcpForm form = make_lcp_form(problem, options.friction);
  LemkeTableau tableau(form);
  const Index pivots = tableau.run(options.max_sweeps);
  Vector z;
  const bool solved = pivots >= 0 && solve_basis(form, tableau.positive(), z);
  if (!solved) z = Vector::Zero(form.q.size());
  return finish(problem, options, form.x(z), solved ? Outcome::converged : Outcome::failed, std::max(pivots, 0), watch);
}

}  // namespace talus::lab
