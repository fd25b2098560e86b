// SPDX-License-Identifier: MIT
// Block principal pivoting (S1-56): all rows that break their law change sets at once. It may cycle, so where the count
// of such rows stops falling, single rows of the lowest index change until it falls again (S1-55).
#include "boxed_lcp.h"

namespace talus::lab {
namespace {

constexpr Index kPatience = 3;  // block steps without a fall before single pivots; 0 is the slow, safe method

/// The set a row belongs in, given where it is and what came of it (S1-56; feasible signs as E23). Ties stay: they are
/// no reason to pivot.
RowState next_state(const BoxedLcp& lcp, Index row, RowState state, double x, double w, double slack) {
  if (lcp.lower[row] == lcp.upper[row]) return state;
  if (state == RowState::free) {
    if (x < lcp.lower[row] - slack) return RowState::at_lower;
    if (x > lcp.upper[row] + slack) return RowState::at_upper;
  }
  const bool leaves_lower = state == RowState::at_lower && w < -slack;
  const bool leaves_upper = state == RowState::at_upper && w > slack;
  return leaves_lower || leaves_upper ? RowState::free : state;
}

}  // namespace

BoxedSolution block_pivoting(const BoxedLcp& lcp, Index max_pivots) {
  std::vector<RowState> states(std::size_t(lcp.b.size()), RowState::free);
  for (Index row = 0; row < Index(lcp.b.size()); ++row) {
    if (lcp.lower[row] == lcp.upper[row]) states[std::size_t(row)] = RowState::at_lower;
  }
  std::size_t fewest = states.size() + 1;
  Index patience = kPatience;
  for (Index step = 0; step < max_pivots; ++step) {
    Vector x = solve_states(lcp, states);
    const Vector w = lcp.w(x);
    const double slack = 1e-13 * (1.0 + x.lpNorm<Eigen::Infinity>());
    std::vector<std::pair<Index, RowState>> moves;
    for (Index row = 0; row < Index(x.size()); ++row) {
      const RowState next = next_state(lcp, row, states[std::size_t(row)], x[row], w[row], slack);
      if (next != states[std::size_t(row)]) moves.emplace_back(row, next);
    }
    if (moves.empty()) return {std::move(x), true, step};

    if (moves.size() < fewest) {
      fewest = moves.size();
      patience = kPatience;
    } else if (patience > 0) {
      --patience;
    }
    if (patience == 0) moves.resize(1);
    for (const auto& [row, state] : moves) states[std::size_t(row)] = state;
  }
  return {solve_states(lcp, states), false, max_pivots};
}

}  // namespace talus::lab
