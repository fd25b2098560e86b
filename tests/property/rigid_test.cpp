// SPDX-License-Identifier: MIT
// The rigid contact solvers as solvers: what they claim of their answers, how fast they get there, and when they stop.
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "agree/rigid_variants.h"
#include "analytic/rig.h"
#include "support/contact_law.h"

namespace talus::test {
namespace {

class RigidSolvers : public BackendTest {
 protected:
  static WorldDef def_of(const SolverSettings& solver) {
    WorldDef d = BackendTest::def(solver);
    d.keep_contact_problem = true;
    return d;
  }
  static SolverSettings settings(const RigidSettings& rigid, bool warm = false) {
    SolverSettings s{.solver = Solver::rigid, .stabilization = Stabilization::baumgarte};
    s.warm_start = warm;
    s.report_residual = true;
    s.rigid = rigid;
    return s;
  }
};
TALUS_INSTANTIATE_ON_CPU(RigidSolvers);  // thousands of sweeps; tests of agreement compare the bits with CUDA

/// What is read from the backend's memory.
class RigidReadings : public RigidSolvers {};
TALUS_INSTANTIATE_ON_CPU(RigidReadings);

void add_stack(World& world, int boxes) {
  world.add_body({.shape = plane({0.0f, 1.0f, 0.0f})});
  for (int i = 0; i < boxes; ++i) {
    world.add_body({.shape = box({0.5f, 0.5f, 0.5f}), .position = {0.01f * float(i % 2), 0.5f + float(i), 0.0f}});
  }
}
/// A heap that has begun to settle: bodies of all shapes, some of them 20 times as heavy.
void add_heap(World& world, std::uint32_t seed, int count) {
  Random random(seed);
  world.add_body({.shape = plane({0.0f, 1.0f, 0.0f})});
  for (int i = 0; i < count; ++i) {
    const Vec3 jitter = random.in_box(0.1f);
    BodyDef body{
        .shape = random.shape(0.5f),
        .position = {0.8f * float(i % 3) + jitter.x, 0.5f + 0.8f * float(i / 9), 0.8f * float(i / 3 % 3) + jitter.z},
        .orientation = random.rotation()};
    body.density = i % 7 == 0 ? 2e4f : 1e3f;
    body.material.friction = random.between(0.0f, 1.0f);
    world.add_body(body);
  }
}
/// Residuals after the sweeps of the first step of a stack.
std::vector<float> history(WorldDef def, int boxes) {
  def.solver.rigid.residual_history = true;
  World world(def);
  add_stack(world, boxes);
  world.step(kStep);
  return world.residual_history();
}
/// Sweeps until the residual stays below a bound.
int sweeps_to(const std::vector<float>& history, float bound) {
  int sweeps = int(history.size());
  while (sweeps > 0 && history[std::size_t(sweeps) - 1] < bound) --sweeps;
  return sweeps + 1;
}

/// What a solver says of its answer holds in double precision, on 20 heaps.
TEST_P(RigidReadings, TheResidualClaimedIsTheOneInDoublePrecision) {
  const std::vector<RigidVariant> variants = rigid_variants();
  Index rows = 0;
  for (std::uint32_t seed = 0; seed < std::uint32_t(cpu_or_cuda(20, 3)); ++seed) {
    const RigidVariant& v = variants[seed % variants.size()];
    SCOPED_TRACE(std::string(v.name) + ", seed " + std::to_string(seed));
    World world(def_of(v.solver));
    add_heap(world, seed, 30);
    for (int step = 0; step < cpu_or_cuda(40, 8); ++step) {
      const StepReport report = world.step(kStep);
      const ContactProblem problem = world.contact_problem();
      const LawMiss miss = law_miss(problem, impulses(problem));
      ASSERT_EQ(problem.rows.size(), 3 * std::size_t(report.point_count));
      rows += Index(problem.rows.size());
      // Velocities and impulses are floats; each sweep rounds both.
      const double rounding = 1e-5 + 3e-6 * miss.stress;
      ASSERT_NEAR(double(report.residual.complementarity), miss.normal, rounding) << "step " << step;
      ASSERT_NEAR(double(report.residual.friction), miss.friction, rounding) << "step " << step;
    }
  }
  EXPECT_GT(rows, cpu_or_cuda(20000, 300));
}

/// The problem that comes out is the one that was solved: sweeps in double precision give it the same velocities.
TEST_P(RigidSolvers, TheProblemHasTheSameAnswerInDoublePrecision) {
  World world(def_of(settings({.nncg = true, .sweeps = 300})));
  add_heap(world, 3, 18);
  double largest = 0.0;
  for (int step = 0; step < 25; ++step) {
    world.step(kStep);
    const ContactProblem problem = world.contact_problem();
    const std::vector<Twist> here = velocities(problem, impulses(problem));
    const std::vector<double> oracle = solve_by_sweeps(problem, 3000);
    const std::vector<Twist> there = velocities(problem, oracle);
    for (std::size_t i = 0; i < here.size(); ++i) {
      for (std::size_t k = 0; k < 6; ++k) largest = std::max(largest, std::abs(here[i][k] - there[i][k]));
    }
  }
  EXPECT_LT(largest, 0.02);  // [m/s, rad/s] friction has more than one answer, which are near each other
}

TEST_P(RigidSolvers, ResidualsFallWithSweeps) {
  for (RigidVariant v : rigid_variants()) {
    SCOPED_TRACE(v.name);
    v.solver.rigid.sweeps = 100;
    v.solver.rigid.tolerance = 0.0f;
    v.solver.rigid.stagnation = 0;
    v.solver.warm_start = false;
    const std::vector<float> residuals = history(def(v.solver), 4);
    ASSERT_EQ(residuals.size(), 100u);
    EXPECT_LT(residuals[99], 0.05f * residuals[0]);
    EXPECT_LT(residuals[99], std::max(0.5f * residuals[30], 1e-3f));  // over-relaxed, friction has no rest
  }
}

TEST_P(RigidSolvers, ConjugateGradientsBeatGaussSeidelAndJacobiIsSlower) {
  const auto after = [&](const RigidSettings& rigid) { return history(def(settings(rigid)), 10); };
  const std::vector<float> sweeps = after({.sweeps = 400}), nncg = after({.nncg = true, .sweeps = 400});
  const std::vector<float> jacobi = after({.order = SweepOrder::jacobi, .sweeps = 400});
  for (const std::size_t n : {20u, 60u, 200u}) EXPECT_LT(nncg[n], sweeps[n]) << n;
  EXPECT_LT(nncg[60], 0.2f * sweeps[60]);
  EXPECT_GT(sweeps_to(jacobi, 0.01f), 1.3 * sweeps_to(sweeps, 0.01f));
  EXPECT_LT(sweeps_to(nncg, 0.01f), 0.5 * sweeps_to(sweeps, 0.01f));
}

/// Over-relaxation gains on a stack, where sweeps pass the load on from box to box (S1-61).
TEST_P(RigidSolvers, OverRelaxationGainsOnAStack) {
  const auto after = [&](float relaxation) {
    return sweeps_to(history(def(settings({.relaxation = relaxation, .sweeps = 400})), 6), 0.01f);
  };
  EXPECT_LT(after(1.4f), after(1.0f));
  EXPECT_LT(after(1.0f), after(0.6f));
}

TEST_P(RigidReadings, SweepsEndWhenTheResidualIsSmallEnough) {
  World world(def_of(settings({.nncg = true, .sweeps = 200, .tolerance = 1e-3f, .residual_history = true})));
  add_stack(world, 5);
  const StepReport report = world.step(kStep);
  const std::vector<float> residuals = world.residual_history();
  EXPECT_EQ(report.sweep_end, SweepEnd::tolerance);
  EXPECT_GT(report.sweep_count, 5);
  EXPECT_LT(report.sweep_count, 150);
  ASSERT_EQ(residuals.size(), std::size_t(report.sweep_count));
  EXPECT_LE(residuals.back(), 1e-3f);
  for (std::size_t i = 0; i + 1 < residuals.size(); ++i) EXPECT_GT(residuals[i], 1e-3f);
  EXPECT_FLOAT_EQ(std::max(report.residual.complementarity, report.residual.friction), residuals.back());
  const ContactProblem problem = world.contact_problem();
  EXPECT_LT(law_miss(problem, impulses(problem)).worst(), 1.1e-3);
}

TEST_P(RigidSolvers, SweepsEndWhenNothingIsGained) {
  World world(def(settings({.sweeps = 1000, .stagnation = 20})));
  add_stack(world, 1);
  const StepReport report = world.step(kStep);
  EXPECT_EQ(report.sweep_end, SweepEnd::stagnation);
  EXPECT_LT(report.sweep_count, 400);
  EXPECT_LT(report.residual.complementarity, 1e-4f);
}

TEST_P(RigidSolvers, SweepsEndAfterTheirNumber) {
  World world(def(settings({.sweeps = 7, .tolerance = 1e-9f})));
  add_stack(world, 5);
  StepReport report = world.step(kStep);
  EXPECT_EQ(report.sweep_end, SweepEnd::sweeps);
  EXPECT_EQ(report.sweep_count, 7);
  World empty(def(settings({.sweeps = 7, .tolerance = 1e-9f})));
  empty.add_body({});
  report = empty.step(kStep);
  EXPECT_EQ(report.sweep_count, 0);
  EXPECT_EQ(report.residual.complementarity, 0.0f);
}

/// A tolerance that floats cannot meet is met where rounding begins (S1-84).
TEST_P(RigidSolvers, AToleranceBelowRoundingIsMet) {
  World world(def(settings({.nncg = true, .sweeps = 1000, .tolerance = 1e-12f})));
  add_stack(world, 1);
  const StepReport report = world.step(kStep);
  EXPECT_EQ(report.sweep_end, SweepEnd::tolerance);
  EXPECT_LT(report.residual.complementarity, 1e-6f);
}

/// With impulses of the last step a pile at rest begins where it was.
TEST_P(RigidSolvers, WarmStartsBeginNearTheAnswer) {
  const auto sweeps_at_rest = [&](bool warm) {
    World world(def(settings({.nncg = true, .sweeps = 300, .tolerance = 1e-3f}, warm)));
    add_stack(world, 6);
    world.step_n(60, kStep);
    return world.last_report().sweep_count;
  };
  const Index cold = sweeps_at_rest(false), warm = sweeps_at_rest(true);
  EXPECT_LT(warm, cold / 4);
}

TEST_P(RigidSolvers, WhatIsSavedGoesOnTheSame) {
  for (const RigidVariant& v : rigid_variants()) {
    SCOPED_TRACE(v.name);
    World world(def(v.solver)), other(def());
    add_heap(world, 1, 12);
    world.step_n(15, kStep);
    std::stringstream file;
    world.save(file);
    other.restore(file);
    EXPECT_EQ(other.def().solver.rigid.sweeps, v.solver.rigid.sweeps);
    for (World* w : {&world, &other}) w->step_n(15, kStep);
    EXPECT_EQ(world.state_hash(), other.state_hash());
  }
}

/// Joints are in the problem, with what they did.
TEST_P(RigidSolvers, TheProblemOfJointedBodiesHoldsTheClaim) {
  World world(def_of(settings({.sweeps = 40}, true)));
  world.add_body({.shape = plane({0.0f, 1.0f, 0.0f})});
  std::vector<BodyId> links;
  for (int i = 0; i < 5; ++i) {
    links.push_back(
        world.add_body({.shape = capsule(0.2f, 0.3f), .position = {0.1f * float(i), 0.6f + 1.1f * float(i), 0}}));
    if (i > 0)
      world.add_joint(
          ball_joint(links[std::size_t(i) - 1], links.back(), {0.1f * float(i) - 0.05f, 1.1f * float(i), 0}));
  }
  Index rows = 0;
  for (int step = 0; step < 60; ++step) {
    const StepReport report = world.step(kStep);
    const ContactProblem problem = world.contact_problem();
    const LawMiss miss = law_miss(problem, impulses(problem));
    rows += Index(problem.rows.size());
    EXPECT_NEAR(double(report.residual.complementarity), miss.normal, 1e-5 + 3e-6 * miss.stress);
    EXPECT_NEAR(double(report.residual.friction), miss.friction, 1e-5 + 3e-6 * miss.stress);
  }
  EXPECT_GT(rows, 0);
}

}  // namespace
}  // namespace talus::test
