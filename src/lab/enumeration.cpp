// SPDX-License-Identifier: MIT
// All subsets of positive variables, until one solves the problem (S0-61): a witness for tiny problems that shares no
// idea with the others.
#include <talus/status.h>

#include "iterate.h"
#include "lcp_form.h"
#include "methods.h"

namespace talus::lab {

Solution solve_enumeration(const Problem& problem, const SolverOptions& options) {
  constexpr Eigen::Index kMost = 16;  // variables: 65536 systems
  const Stopwatch watch;
  const LcpForm form = make_lcp_form(problem, options.friction);
  if (form.q.size() > kMost) {
    throw Error("lab enumeration: " + std::to_string(form.q.size()) + " variables, 16 at most");
  }
  Vector z;
  const Index subsets = Index(1) << form.q.size();
  for (Index subset = 0; subset < subsets; ++subset) {
    std::vector<Index> basic;
    for (Index i = 0; i < Index(form.q.size()); ++i) {
      if ((subset >> i & 1) != 0) basic.push_back(i);
    }
    if (solve_basis(form, basic, z) && lcp_residual(form, z) <= options.tolerance) {
      return finish(problem, options, form.x(z), Outcome::converged, subset + 1, watch);
    }
  }
  return finish(problem, options, form.x(Vector::Zero(form.q.size())), Outcome::failed, subsets, watch);
}

}  // namespace talus::lab
