// SPDX-License-Identifier: MIT
// Solvers that share no idea, on the same random problems: their velocities agree, and each answer solves its problem.
#include <gtest/gtest.h>

#include "lab/solver.h"
#include "lab_problems.h"

namespace talus::lab {
namespace {

using test::Random;

constexpr unsigned kProblems = 300;

struct Family {
  const char* name;
  FrictionModel friction;
  Problem (*make)(Random& random);
};

Problem friction_problem(Random& random) {
  ContactProblem step = test::random_bodies(random, 3);
  test::add_contacts(random, 1 + random.below(5), 0.5, true, step);
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

Problem soft_boxed_problem(Random& random) {
  ContactProblem step = test::random_bodies(random, 2 + random.below(2));
  test::add_contacts(random, 1 + random.below(8), 0.0, false, step);
  test::randomize_bounds(random, step);
  test::add_softness(random, step);
  return make_problem(step);
}

Problem soft_friction_problem(Random& random) {
  ContactProblem step = test::random_bodies(random, 3);
  test::add_contacts(random, 1 + random.below(5), 0.5, true, step);
  test::add_softness(random, step);
  return make_problem(step);
}

Problem jointed_problem(Random& random) {
  ContactProblem step = test::random_bodies(random, 4);
  test::add_contacts(random, 1 + random.below(4), 0.5, true, step);
  test::add_joint_rows(random, 1 + random.below(6), step);
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
    {"soft_boxed", {}, soft_boxed_problem},
    {"soft_box_friction", {.law = FrictionLaw::box}, soft_friction_problem},
    {"soft_polyhedral6", {.law = FrictionLaw::polyhedral, .sides = 6}, soft_friction_problem},
    {"soft_cone", {.law = FrictionLaw::cone}, soft_friction_problem},
    {"soft_convex_cone", {.law = FrictionLaw::convex_cone}, soft_friction_problem},
    {"jointed_box_friction", {.law = FrictionLaw::box}, jointed_problem},
    {"jointed_polyhedral8", {.law = FrictionLaw::polyhedral, .sides = 8}, jointed_problem},
    {"jointed_cone", {.law = FrictionLaw::cone}, jointed_problem},
};

bool has_name(const SolverInfo& solver, std::string_view name) {
  return solver.name == name;
}

class Oracles : public testing::TestWithParam<Family> {
 protected:
  SolverOptions options_for(const SolverInfo& solver) const {
    SolverOptions options{
        .friction = GetParam().friction, .max_sweeps = 100000, .tolerance = 1e-11};  // Jacobi takes 45000 of seed 228
    if (has_name(solver, "psor")) options.relaxation = 1.1;
    if (has_name(solver, "jacobi")) options.relaxation = 0.3;  // 1 diverges where bodies have several contacts
    return options;
  }
};

TEST_P(Oracles, AgreeInVelocities) {
  const Family& family = GetParam();
  for (unsigned seed = 0; seed < kProblems; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Problem problem = family.make(random);
    const ProblemClass problem_class = classify(problem, family.friction);
    Vector velocity;
    for (const SolverInfo& solver : solvers()) {
      if (!solver.solves(problem_class)) continue;
      if (has_name(solver, "enumeration") && problem.row_count() > 4) continue;
      const Solution solution = solve(solver.name, problem, options_for(solver));
      EXPECT_EQ(solution.outcome, Outcome::converged) << solver.name << ": " << outcome_name(solution.outcome);
      EXPECT_LE(solution.residual, 1e-10) << solver.name;
      if (velocity.size() == 0) velocity = solution.velocity;
      EXPECT_LE((solution.velocity - velocity).lpNorm<Eigen::Infinity>(), 1e-9) << solver.name;
    }
    EXPECT_GT(velocity.size(), 0);
  }
}

TEST_P(Oracles, DirectOnesAreExact) {
  const Family& family = GetParam();
  for (unsigned seed = 0; seed < kProblems; ++seed) {
    Random random(seed);
    const Problem problem = family.make(random);
    for (const char* name : {"dantzig", "block_pivoting", "lemke", "interior_point", "newton_min"}) {
      const SolverInfo& solver = find_solver(name);
      if (!solver.solves(classify(problem, family.friction))) continue;
      // With friction some end at a tolerance: Newton's, and those that repeat with the last bounds.
      const SolverOptions options{.friction = family.friction, .tolerance = problem.disks.empty() ? 1e-10 : 1e-13};
      EXPECT_LE(solve(name, problem, options).residual, 1e-13) << name << ", seed " << seed;
    }
  }
}

/// It is Newton's method that solves friction polygons, not the sweeps that stand in for it.
TEST(OraclesProperty, FischerBurmeisterOfPolygonsTakesFewSteps) {
  for (const int sides : {4, 8, 12}) {
    Index steps = 0;
    for (unsigned seed = 0; seed < kProblems; ++seed) {
      Random random(seed);
      const Problem problem = friction_problem(random);
      const Solution solution = solve(
          "newton_fb", problem, {.friction = {.law = FrictionLaw::polyhedral, .sides = sides}, .tolerance = 1e-13});
      EXPECT_EQ(solution.outcome, Outcome::converged) << "seed " << seed;
      steps += solution.sweeps;
    }
    EXPECT_LT(steps, 12 * Index(kProblems)) << sides;  // 8 each, with 12 sides 9
  }
}

/// Objectives are those of convex problems; a relaxed sweep never raises them (S0-68).
TEST(OraclesProperty, SweepsNeverRaiseTheObjective) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    Random random(seed);
    const Problem problem = normal_problem(random);
    for (double relaxation : {0.5, 1.0, 1.5, 1.9}) {
      double last = 0.0;  // of x = 0
      SolverOptions options{.max_sweeps = 30, .tolerance = 0.0, .relaxation = relaxation};
      options.measure = [&](const Problem& p, const Vector& x) {
        const double objective = quadratic_objective(p, x);
        EXPECT_LE(objective, last + 1e-14) << "seed " << seed << ", relaxation " << relaxation;
        last = objective;
        return 1.0;
      };
      solve("psor", problem, options);
    }
  }
}

/// Impulses of contacts take energy away; the convex law may too, but never adds it (S1-18, S1-24).
TEST(OraclesProperty, ContactsNeverAddEnergy) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    Random random(seed);
    Problem problem = friction_problem(random);
    problem.b = problem.jacobian * problem.free_velocity;  // without bias
    const double before = kinetic_energy(problem, problem.free_velocity);
    for (FrictionLaw law : {FrictionLaw::box, FrictionLaw::polyhedral, FrictionLaw::cone, FrictionLaw::convex_cone}) {
      const Solution solution = solve("pgs", problem, {.friction = {.law = law}, .tolerance = 1e-11});
      EXPECT_LE(kinetic_energy(problem, solution.velocity), before * (1.0 + 1e-12)) << "seed " << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Families, Oracles, testing::ValuesIn(kFamilies),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace talus::lab
