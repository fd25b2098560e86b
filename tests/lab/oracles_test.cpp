// SPDX-License-Identifier: MIT
// Solvers that share no idea, on the same random problems: their velocities agree, and each answer solves its problem.
#include <gtest/gtest.h>

#include <cstdio>

#include "lab/solver.h"
#include "lab_problems.h"

namespace talus::lab {
namespace {

using test::Random;

constexpr unsigned kProblems = 300;
constexpr double kResidual = 1e-10;

struct Family {
  const char* name;
  FrictionModel friction;
  Problem (*make)(Random& random);
};

Problem friction_problem(Random& random) {
  ContactProblem step = test::random_bodies(random, 3);
  test::add_contacts(random, 1 + random.below(4), 0.5, true, step);
  return make_problem(step);
}

Problem normal_problem(Random& random) {
  ContactProblem step = test::random_bodies(random, 2 + random.below(2));
  test::add_contacts(random, 1 + random.below(8), 0.0, false, step);
  return make_problem(step);
}

Problem boxed_problem(Random& random) {
  ContactProblem step = test::random_bodies(random, 2 + random.below(2));
  test::add_contacts(random, 1 + random.below(8), 0.0, false, step);
  test::randomize_bounds(random, step);
  return make_problem(step);
}

const Family kFamilies[] = {
    {"normal", {}, normal_problem},
    {"boxed", {}, boxed_problem},
    {"box_friction", {.law = FrictionLaw::box}, friction_problem},
    {"polyhedral4", {.law = FrictionLaw::polyhedral, .sides = 4}, friction_problem},
    {"polyhedral8", {.law = FrictionLaw::polyhedral, .sides = 8}, friction_problem},
    {"cone", {.law = FrictionLaw::cone}, friction_problem},
    {"convex_cone", {.law = FrictionLaw::convex_cone}, friction_problem},
};

struct Tally {
  Index solved = 0;
  double residual = 0.0;
  double difference = 0.0;
  double seconds = 0.0;
  double sweeps = 0.0;
};

class Oracles : public testing::TestWithParam<Family> {};

TEST_P(Oracles, Probe) {
  const Family& family = GetParam();
  std::vector<Tally> tallies(solvers().size());
  for (unsigned seed = 0; seed < kProblems; ++seed) {
    Random random(seed);
    const Problem problem = family.make(random);
    const ProblemClass problem_class = classify(problem, family.friction);
    Vector reference;
    for (std::size_t i = 0; i < solvers().size(); ++i) {
      const SolverInfo& solver = solvers()[i];
      if (!solver.solves(problem_class)) continue;
      if (std::string(solver.name) == "enumeration" && problem.row_count() > 4) continue;
      SolverOptions options{.friction = family.friction, .max_sweeps = 20000, .tolerance = 1e-11};
      if (std::string(solver.name) == "jacobi") options.relaxation = 0.3;
      const Solution s = solve(solver.name, problem, options);
      Tally& t = tallies[i];
      t.seconds += s.total_seconds();
      t.sweeps += s.sweeps;
      if (s.residual <= kResidual) {
        ++t.solved;
        t.residual = std::max(t.residual, s.residual);
        if (reference.size() == 0) reference = s.velocity;
        const double d = (reference - s.velocity).lpNorm<Eigen::Infinity>();
        if (d > 1e-6) std::printf("  seed %u %s differs %.3g\n", seed, solver.name, d);
        t.difference = std::max(t.difference, d);
      } else {
        std::printf("  seed %u %s: %s %.3g after %d\n", seed, solver.name, outcome_name(s.outcome), s.residual, s.sweeps);
      }
    }
  }
  for (std::size_t i = 0; i < solvers().size(); ++i) {
    std::printf("%-18s solved %3d residual %.2e difference %.2e  %.3f s  %.1f sweeps\n", solvers()[i].name,
                tallies[i].solved, tallies[i].residual, tallies[i].difference, tallies[i].seconds,
                tallies[i].sweeps / kProblems);
  }
}

INSTANTIATE_TEST_SUITE_P(Families, Oracles, testing::ValuesIn(kFamilies),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace talus::lab
