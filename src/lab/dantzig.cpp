// SPDX-License-Identifier: MIT
// Dantzig's pivoting for bounded rows (S3-39, S3-40): rows enter one by one; each is driven to where its law holds, and
// those that entered before keep theirs, changing sets on the way. Signs as in S3's E3.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "boxed_lcp.h"

namespace talus::lab {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The first event on the way: row `row` goes to `state` after `scale` of the direction.
struct Event {
  double scale = kInfinity;
  Index row = -1;
  RowState state = RowState::free;
};

class Dantzig {
 public:
  Dantzig(const BoxedLcp& lcp, Index max_pivots)
      : lcp_(lcp),
        x_(Vector::Zero(lcp.b.size()).cwiseMax(lcp.lower).cwiseMin(lcp.upper)),
        w_(lcp.w(x_)),
        states_(std::size_t(x_.size()), RowState::at_lower),
        entered_(std::size_t(x_.size()), false),
        pivots_left_(max_pivots),
        zero_w_(1e-14 * (1.0 + lcp.b.lpNorm<Eigen::Infinity>())),
        zero_dw_(1e-9 * lcp.a.diagonal().maxCoeff()) {}

  BoxedSolution run() {
    std::vector<Index> rows(entered_.size());
    std::iota(rows.begin(), rows.end(), 0);
    // Rows without bounds never leave their set: they go first (S3-41).
    std::stable_partition(rows.begin(), rows.end(), [&](Index row) { return !bounded(row); });
    const Index budget = pivots_left_;
    const bool solved = std::all_of(rows.begin(), rows.end(), [&](Index row) { return admit(row); });
    // Once more from the sets alone: what pivots added up is gone.
    return {solved ? solve_states(lcp_, states_) : x_, solved, budget - pivots_left_};
  }

 private:
  bool bounded(Index row) const { return std::isfinite(lcp_.lower[row]) || std::isfinite(lcp_.upper[row]); }

  /// Whether the law of the row holds as it is, but for rounding.
  bool settles(Index row) {
    RowState& state = states_[std::size_t(row)];
    if (x_[row] == lcp_.lower[row] && (w_[row] >= -zero_w_ || lcp_.lower[row] == lcp_.upper[row])) {
      state = RowState::at_lower;
    } else if (x_[row] == lcp_.upper[row] && w_[row] <= zero_w_) {
      state = RowState::at_upper;
    } else if (std::abs(w_[row]) <= zero_w_) {
      state = RowState::free;
    } else {
      return false;
    }
    return true;
  }

  bool admit(Index row) {
    bool settled = settles(row);
    while (!settled) {
      if (pivots_left_-- <= 0) return false;
      const double sign = w_[row] > 0.0 ? -1.0 : 1.0;
      const Vector dx = direction(row, sign);
      const Vector dw = lcp_.a * dx;
      const Event event = first_event(row, sign, dx, dw);
      if (event.row < 0) return false;  // nothing stops it: infeasible
      x_ += event.scale * dx;
      w_ += event.scale * dw;
      transfer(event);
      settled = event.row == row;
    }
    entered_[std::size_t(row)] = true;
    return true;
  }

  Vector direction(Index row, double sign) const {
    std::vector<Index> free;
    for (Index other = 0; other < Index(x_.size()); ++other) {
      if (entered_[std::size_t(other)] && states_[std::size_t(other)] == RowState::free) free.push_back(other);
    }
    Vector dx = Vector::Zero(x_.size());
    dx[row] = sign;
    if (!free.empty()) {
      const Vector column = lcp_.a.col(row)(free);
      dx(free) = -sign * solve_semidefinite(lcp_.a(free, free), column);
    }
    return dx;
  }

  Event first_event(Index row, double sign, const Vector& dx, const Vector& dw) const {
    Event first;
    const auto offer = [&](double scale, Index who, RowState state) {
      scale = std::max(scale, 0.0);  // rounding may have put a row a little beyond its line
      if (scale < first.scale) first = {scale, who, state};
    };
    const auto offer_bound = [&](Index who) {
      if (dx[who] < 0.0) offer((lcp_.lower[who] - x_[who]) / dx[who], who, RowState::at_lower);
      if (dx[who] > 0.0) offer((lcp_.upper[who] - x_[who]) / dx[who], who, RowState::at_upper);
    };
    if (dw[row] * sign > zero_dw_) offer(-w_[row] / dw[row], row, RowState::free);
    offer_bound(row);
    for (Index other = 0; other < Index(x_.size()); ++other) {
      if (!entered_[std::size_t(other)] || lcp_.lower[other] == lcp_.upper[other]) continue;
      const RowState state = states_[std::size_t(other)];
      const bool leaves_lower = state == RowState::at_lower && dw[other] < -zero_dw_;
      const bool leaves_upper = state == RowState::at_upper && dw[other] > zero_dw_;
      if (state == RowState::free) offer_bound(other);
      if (leaves_lower || leaves_upper) offer(-w_[other] / dw[other], other, RowState::free);
    }
    return first;
  }

  /// Puts the row exactly on its line, so that later tests of it are of clean numbers (S3-40).
  void transfer(const Event& event) {
    states_[std::size_t(event.row)] = event.state;
    if (event.state == RowState::free) {
      w_[event.row] = 0.0;
    } else {
      x_[event.row] = event.state == RowState::at_lower ? lcp_.lower[event.row] : lcp_.upper[event.row];
    }
  }

  const BoxedLcp& lcp_;
  Vector x_, w_;
  std::vector<RowState> states_;
  std::vector<bool> entered_;  // rows whose law is kept
  Index pivots_left_;
  // Redundant rows follow the free ones: what they change by is rounding. Taken for more, they enter the free set, make
  // it singular, and go in and out for ever (a stack of ten cubes does).
  double zero_w_;   // [m/s]
  double zero_dw_;  // [1/kg] per impulse of the row that enters
};

}  // namespace

BoxedSolution dantzig(const BoxedLcp& lcp, Index max_pivots) {
  return Dantzig(lcp, max_pivots).run();
}

}  // namespace talus::lab
