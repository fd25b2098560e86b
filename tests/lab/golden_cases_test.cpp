// SPDX-License-Identifier: MIT
// Problems with known answers: those worked out in the notes on methods, by their ids.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numbers>
#include <numeric>

#include "lab/analysis.h"
#include "lab/complementarity.h"
#include "lab/damping.h"
#include "lab/solver.h"
#include "lab/sweep.h"
#include "lab_problems.h"

namespace talus::lab {
namespace {

using test::kInfinity;

Vector vector(std::initializer_list<double> values) {
  Vector v(Index(values.size()));
  std::copy(values.begin(), values.end(), v.begin());
  return v;
}

void expect_near(const Vector& found, const Vector& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_LE((found - expected).lpNorm<Eigen::Infinity>(), tolerance)
      << "found " << found.transpose() << "\nexpected " << expected.transpose();
}

constexpr const char* kBoxedSolvers[] = {"dantzig",    "block_pivoting", "lemke", "enumeration", "interior_point",
                                         "newton_min", "newton_fb",      "apgd",  "pgs",         "nncg"};

TEST(Golden, BoundedRowsOfTheDantzigCase) {  // S3, 3.10
  Matrix a(4, 4);
  a << 4, 1, 0, 1, 1, 3, 1, 0, 0, 1, 5, 2, 1, 0, 2, 6;
  const Problem problem =
      make_problem(a, vector({-4, 2, -10, 3}), vector({-kInfinity, 0, -1, -2}), vector({kInfinity, kInfinity, 1.5, 2}));
  for (const char* name : kBoxedSolvers) {
    SCOPED_TRACE(name);
    const Solution solution = solve(name, problem, {.tolerance = 1e-12});
    expect_near(solution.x, vector({30.0 / 23.0, 0.0, 1.5, -28.0 / 23.0}), 1e-11);
    expect_near(row_velocity(problem, solution.x), vector({0.0, 4.80435, -4.93478, 0.0}), 5e-6);
  }
}

struct SmallLcp {
  std::initializer_list<double> b;
  double lower, upper;
  std::initializer_list<double> x;
};

TEST(Golden, TwoByTwoProblems) {  // S0-61, S1-53
  Matrix a(2, 2);
  a << 2, 1, 1, 2;
  for (const SmallLcp& c : {SmallLcp{{-5, -6}, 0, kInfinity, {4.0 / 3.0, 7.0 / 3.0}},
                            SmallLcp{{-5, 6}, 0, kInfinity, {2.5, 0}}, SmallLcp{{-5, 1}, 0, kInfinity, {2.5, 0}}}) {
    const Problem problem = make_problem(a, vector(c.b), Vector::Constant(2, c.lower), Vector::Constant(2, c.upper));
    for (const char* name : kBoxedSolvers) {
      SCOPED_TRACE(name);
      expect_near(solve(name, problem, {.tolerance = 1e-12}).x, vector(c.x), 1e-11);
    }
  }
  const Problem diagonal =
      make_problem(2.0 * Matrix::Identity(2, 2), vector({-5, 1}), Vector::Constant(2, -1.0), Vector::Constant(2, 1.0));
  for (const char* name : kBoxedSolvers) {  // S1-64
    SCOPED_TRACE(name);
    expect_near(solve(name, diagonal, {.tolerance = 1e-12}).x, vector({1.0, -0.5}), 1e-11);
  }
}

TEST(Golden, FixedPointsOfSplittingsAreSolutions) {  // S0, E10: the printed splittings end elsewhere
  Matrix a(3, 3);
  a << 4, 1, -1, 1, 5, 2, -1, 2, 6;
  const Problem problem = make_problem(a, vector({-3, 2, -7}), Vector::Zero(3), Vector::Constant(3, kInfinity));
  for (const char* name : {"jacobi", "jacobi_split", "pgs", "psor", "prox_gs", "nncg_jacobi"}) {
    SCOPED_TRACE(name);
    const double relaxation = std::string_view(name) == "psor" ? 1.5 : 1.0;
    expect_near(solve(name, problem, {.tolerance = 1e-12, .relaxation = relaxation}).x, vector({1.08696, 0.0, 1.34783}),
                5e-6);
  }
}

// R1 ----------------------------------------------------------------------------------------------------------------

struct StackCase {
  const char* solver;
  Index count;
  double top_mass;
  double relaxation;
  double sweeps;
  double tolerance;
};

class Stack1d : public testing::TestWithParam<StackCase> {};

TEST_P(Stack1d, TakesTheSweepsOfTheTable) {
  const StackCase& c = GetParam();
  const Vector answer = test::stack_1d_answer(c.count, c.top_mass);
  SolverOptions options{.max_sweeps = 300000, .tolerance = 1e-6, .relaxation = c.relaxation};
  options.measure = [&](const Problem&, const Vector& x) {
    return (x - answer).lpNorm<Eigen::Infinity>() / answer.maxCoeff();
  };
  const Solution solution = solve(c.solver, make_problem(test::stack_1d(c.count, c.top_mass)), options);
  EXPECT_EQ(solution.outcome, Outcome::converged);
  EXPECT_NEAR(solution.sweeps, c.sweeps, c.tolerance * c.sweeps) << c.solver << " " << c.count << " " << c.top_mass;
}

INSTANTIATE_TEST_SUITE_P(R1, Stack1d,
                         testing::Values(StackCase{"jacobi", 10, 1, 1.0, 1099, 0.02},        //
                                         StackCase{"pgs", 10, 1, 1.0, 550, 0.02},            //
                                         StackCase{"pgs_symmetric", 10, 1, 1.0, 311, 0.02},  //
                                         StackCase{"psor", 10, 1, 1.3, 292, 0.02},           //
                                         StackCase{"psor", 10, 1, 1.8, 63, 0.02},            //
                                         StackCase{"nncg", 10, 1, 1.0, 85, 0.02},            //
                                         StackCase{"nncg", 5, 1, 1.0, 37, 0.02},             //
                                         StackCase{"nncg", 20, 1, 1.0, 184, 0.02},           //
                                         StackCase{"pgs", 5, 100, 1.0, 5598, 0.02},          //
                                         StackCase{"nncg", 10, 100, 1.0, 451, 0.05},         //
                                         StackCase{"pgs", 10, 1000, 1.0, 124689, 0.05},      //
                                         StackCase{"psor", 10, 1000, 1.8, 13826, 0.05},      //
                                         StackCase{"nncg", 10, 1000, 1.0, 1768, 0.05}));

TEST(Stack1dOrder, RedBlackTakesTheSweepsOfSequential) {
  for (const char* name : {"pgs", "psor"}) {
    const Problem problem = make_problem(test::stack_1d(10, 1.0));
    const Vector answer = test::stack_1d_answer(10, 1.0);
    SolverOptions options{.tolerance = 1e-6};
    options.measure = [&](const Problem&, const Vector& x) {
      return (x - answer).lpNorm<Eigen::Infinity>() / answer.maxCoeff();
    };
    const Index sequential = solve(name, problem, options).sweeps;
    options.order = color_order(problem);
    EXPECT_THAT(options.order, testing::ElementsAre(0, 2, 4, 6, 8, 1, 3, 5, 7, 9));
    EXPECT_EQ(solve(name, problem, options).sweeps, sequential) << name;
  }
}

TEST(Stack1dOrder, RatesAreThoseOfTheChain) {  // cos(pi / (2 N)), and its square for Gauss-Seidel
  const Spectrum s = spectrum(make_problem(test::stack_1d(10, 1.0)));
  const double jacobi = std::cos(std::numbers::pi / 20.0);
  EXPECT_NEAR(s.gs_rate, jacobi * jacobi, 1e-12);
  EXPECT_NEAR(2.0 / s.jacobi_limit, 1.0 + jacobi, 1e-12);
  EXPECT_EQ(s.null_space, 0);
}

// R2 ----------------------------------------------------------------------------------------------------------------

Index sweeps_of(const Problem& problem, std::vector<Index> order, double tolerance) {
  return solve("pgs", problem, {.max_sweeps = 100, .tolerance = tolerance, .order = std::move(order)}).sweeps;
}

TEST(TwoBoxes, SweepsOverAllOrders) {  // S1, 4f: 40320 orders
  const Problem problem = make_problem(test::cube_stack(2));
  std::vector<Index> order(8);
  std::iota(order.begin(), order.end(), 0);
  EXPECT_EQ(sweeps_of(problem, order, 1e-4), 13);
  EXPECT_EQ(sweeps_of(problem, order, 1e-6), 20);
  std::vector<Index> sweeps;
  do {
    sweeps.push_back(sweeps_of(problem, order, 1e-4));
  } while (std::next_permutation(order.begin(), order.end()));
  std::sort(sweeps.begin(), sweeps.end());
  ASSERT_EQ(sweeps.size(), 40320u);
  EXPECT_EQ(sweeps.front(), 10);
  EXPECT_EQ(sweeps[sweeps.size() / 2], 13);
  EXPECT_EQ(sweeps.back(), 21);
}

TEST(TwoBoxes, SumsOfImpulsesAreExact) {  // A has rank 6: single impulses may differ, sums may not
  const Problem problem = make_problem(test::cube_stack(2));
  for (const SolverInfo& solver : solvers()) {
    if (!solver.solves(ProblemClass::normal_lcp)) continue;
    SolverOptions options{.tolerance = 1e-11};
    if (std::string_view(solver.name) == "jacobi") options.relaxation = 0.7;
    const Solution solution = solve(solver.name, problem, options);
    EXPECT_EQ(solution.outcome, Outcome::converged) << solver.name;
    EXPECT_NEAR(solution.x.head(4).sum(), 0.327, 1e-9) << solver.name;
    EXPECT_NEAR(solution.x.tail(4).sum(), 0.1635, 1e-9) << solver.name;
  }
}

TEST(CubeStack, PivotingCopesWithRedundantContacts) {  // S3-40: never hangs; ten cubes have a null space of 10 and 60
  for (double friction : {0.0, 0.5}) {
    for (Index height : {3, 10, 16}) {
      const Problem problem = make_problem(test::cube_stack(height, friction));
      for (const char* name : {"dantzig", "block_pivoting", "interior_point"}) {
        const Solution solution = solve(name, problem, {.friction = {.law = FrictionLaw::box}, .max_sweeps = 1000});
        EXPECT_EQ(solution.outcome, Outcome::converged) << name << ", " << height << " cubes, friction " << friction;
        EXPECT_NEAR(solution.velocity.lpNorm<Eigen::Infinity>(), 0.0, 1e-10) << name;
      }
    }
  }
}

TEST(TwoBoxes, RowsOfTheMatrix) {
  const Matrix a = delassus(make_problem(test::cube_stack(2)));
  expect_near(a.row(0).transpose(), vector({4, 1, -2, 1, -4, -1, 2, -1}), 1e-12);
  expect_near(a.row(4).transpose(), vector({-4, -1, 2, -1, 8, 2, -4, 2}), 1e-12);
}

TEST(TwoBoxes, JacobiDivergesAboveItsLimit) {
  const Problem problem = make_problem(test::cube_stack(2));
  const Spectrum s = spectrum(problem);
  EXPECT_NEAR(s.eigenvalues[7], 15.7082, 1e-4);
  EXPECT_NEAR(2.0 / s.jacobi_limit, 2.5607, 1e-4);
  EXPECT_EQ(s.null_space, 2);
  SolverOptions options{.tolerance = 1e-8, .relaxation = 0.77};
  options.start = vector({0.1, 0.2, 0.0, 0.0, 0.3, 0.0, 0.1, 0.0});  // not symmetric, as the mode that grows is not
  EXPECT_EQ(solve("jacobi", problem, options).outcome, Outcome::converged);
  options.relaxation = 0.8;
  EXPECT_NE(solve("jacobi", problem, options).outcome, Outcome::converged);
}

TEST(CubeStack, UnitEigenvaluesOfGaussSeidelCountTheNullSpace) {  // S2-13
  for (Index height : {1, 2, 4, 6}) {
    for (double friction : {0.0, 0.5}) {
      const Spectrum s = spectrum(make_problem(test::cube_stack(height, friction)));
      EXPECT_GT(s.null_space, 0);
      EXPECT_EQ(s.gs_unit_count(), s.null_space) << height << " cubes, friction " << friction;
      EXPECT_LT(s.gs_rate, 1.0);
    }
  }
}

TEST(CubeStack, FourCornersOfOneCube) {  // S3, 3.11
  const Problem problem = make_problem(test::cube_stack(1));
  expect_near(spectrum(problem).eigenvalues, vector({0, 4, 6, 6}), 1e-12);
  const Vector x = solve("pgs", problem, {.tolerance = 1e-12}).x / 0.1635;
  expect_near(x, vector({0.3125, 0.1875, 0.3125, 0.1875}), 1e-9);
  const Vector symmetric = solve("jacobi", problem, {.max_sweeps = 1}).x / 0.1635;
  expect_near(symmetric, Vector::Constant(4, 0.25), 1e-12);
}

// friction ----------------------------------------------------------------------------------------------------------

/// A point of 1 kg on the ground, sliding at the given angle; one step of 1/60 s.
Problem sliding_point(double angle, double friction) {
  ContactProblem step;
  ContactProblem::Body body;
  body.inv_mass = 1.0;
  body.free_velocity = {std::cos(angle), -9.81 / 60.0, std::sin(angle), 0.0, 0.0, 0.0};
  step.bodies.push_back(body);
  for (const test::Double3& axis : {test::Double3{0, 1, 0}, test::Double3{1, 0, 0}, test::Double3{0, 0, 1}}) {
    ContactProblem::Row row = test::contact_row(-1, {}, 0, {}, axis);
    row.normal = step.rows.empty() ? -1 : 0;
    row.friction = friction;
    step.rows.push_back(row);
  }
  return make_problem(step);
}

struct FrictionCase {
  FrictionModel model;
  double x, z;  // impulses
};

TEST(Friction, OneStepOfASlidingPoint) {  // S0-14, S0-15, S1-22
  const double angle = std::numbers::pi / 6.0;
  const Problem problem = sliding_point(angle, 0.5);
  const FrictionCase cases[] = {
      {{.law = FrictionLaw::cone}, -0.08175 * std::cos(angle), -0.08175 * 0.5},
      {{.law = FrictionLaw::polyhedral, .sides = 4}, -0.08175, 0.0},
      {{.law = FrictionLaw::polyhedral, .sides = 8}, -0.057806, -0.057806},
      {{.law = FrictionLaw::box}, -0.08175, -0.08175},
  };
  for (const FrictionCase& c : cases) {
    for (const SolverInfo& solver : solvers()) {
      if (!solver.solves(classify(problem, c.model))) continue;
      const Solution solution = solve(solver.name, problem, {.friction = c.model});
      EXPECT_NEAR(solution.x[0], 0.1635, 1e-9) << solver.name;
      EXPECT_NEAR(solution.x[1], c.x, 1e-6) << solver.name;
      EXPECT_NEAR(solution.x[2], c.z, 1e-6) << solver.name;
    }
  }
}

TEST(Friction, TheConvexLawLiftsWhatSlides) {  // S1-24: v_n = mu |v_t|
  const Problem problem = sliding_point(0.3, 0.5);
  for (const char* name : {"apgd", "pgs", "newton_min", "newton_fb", "prox_jacobi"}) {
    const Solution solution = solve(name, problem, {.friction = {.law = FrictionLaw::convex_cone}});
    const double slide = std::hypot(solution.velocity[0], solution.velocity[2]);
    EXPECT_GT(slide, 0.5);
    EXPECT_NEAR(solution.velocity[1], 0.5 * slide, 1e-9) << name;
  }
}

TEST(Friction, AStackWithTangentsStands) {  // redundant in all directions: velocities are still unique
  const Problem problem = make_problem(test::cube_stack(4, 0.5));
  for (FrictionLaw law : {FrictionLaw::box, FrictionLaw::polyhedral, FrictionLaw::cone, FrictionLaw::convex_cone}) {
    for (const SolverInfo& solver : solvers()) {
      SolverOptions options{.friction = {.law = law}};
      if (std::string_view(solver.name) == "jacobi") options.relaxation = 0.2;
      const bool wanted =
          solver.solves(classify(problem, options.friction)) && std::string_view(solver.name) != "enumeration";
      if (!wanted) continue;
      const Solution solution = solve(solver.name, problem, options);
      EXPECT_EQ(solution.outcome, Outcome::converged) << solver.name << ", law " << int(law);
      EXPECT_LE(solution.velocity.lpNorm<Eigen::Infinity>(), 1e-8) << solver.name << ", law " << int(law);
    }
  }
}

// projections -------------------------------------------------------------------------------------------------------

TEST(Projection, Ellipsoid) {  // S1-83, S1-115
  expect_near(project_ellipsoid(vector({2, 1, 0.5}), vector({3, 2, 1})), vector({1.708406, 0.497007, 0.076357}), 5e-7);
  expect_near(project_ellipsoid(vector({2, 1}), vector({3, 2})), vector({1.725411, 0.505706}), 5e-7);
  const Vector inside = vector({0.5, 0.5, 0.1});
  expect_near(project_ellipsoid(vector({2, 1, 0.5}), inside), inside, 0.0);
}

TEST(Projection, IsTheClosestPointOfItsSet) {
  test::Random random(5);
  const FrictionSet sets[] = {BoxSet{}, PolygonSet{4}, PolygonSet{8}, DiskSet{}};
  for (int i = 0; i < 2000; ++i) {
    const Eigen::Vector2d z(random.uniform(-2, 2), random.uniform(-2, 2));
    for (const FrictionSet& set : sets) {
      const auto project = [&](const Eigen::Vector2d& p) {
        return Eigen::Vector2d(std::visit([&](const auto& s) { return s.project(p, 0.7).point; }, set));
      };
      const Eigen::Vector2d point = project(z);
      EXPECT_LE((project(point) - point).norm(), 1e-15);
      const Eigen::Vector2d other = project({random.uniform(-2, 2), random.uniform(-2, 2)});
      EXPECT_LE((z - point).dot(other - point), 1e-14);  // no point of the set lies ahead
    }
    const Eigen::Vector3d z3(random.uniform(-2, 2), z[0], z[1]);
    const Eigen::Vector3d point = project_cone(z3, 0.6).point;
    EXPECT_NEAR((z3 - point).dot(point), 0.0, 1e-14);
    EXPECT_LE(point.tail<2>().norm(), 0.6 * point[0] + 1e-14);
    EXPECT_LE(0.6 * (z3 - point).tail<2>().norm(), point[0] - z3[0] + 1e-14);  // the rest is in the polar cone
  }
}

TEST(Projection, SlopesAreThoseOfDifferences) {
  test::Random random(6);
  const double h = 1e-6;
  const FrictionSet sets[] = {BoxSet{}, PolygonSet{6}, DiskSet{}};
  for (int i = 0; i < 200; ++i) {
    const Eigen::Vector2d z(random.uniform(-2, 2), random.uniform(-2, 2));
    const Eigen::Vector2d d(random.uniform(-1, 1), random.uniform(-1, 1));
    for (const FrictionSet& set : sets) {
      const auto at = [&](double t) {
        return std::visit([&](const auto& s) { return s.project(z + t * d, 0.7 + 0.3 * t); }, set);
      };
      const Eigen::Vector2d difference = (at(h).point - at(-h).point) / (2.0 * h);
      EXPECT_LE((at(0).by_z * d + 0.3 * at(0).by_radius - difference).norm(), 1e-4);
    }
    const Eigen::Vector3d z3(random.uniform(-2, 2), z[0], z[1]);
    const Eigen::Vector3d d3(random.uniform(-1, 1), d[0], d[1]);
    const Eigen::Vector3d difference =
        (project_cone(z3 + h * d3, 0.6).point - project_cone(z3 - h * d3, 0.6).point) / (2.0 * h);
    EXPECT_LE((project_cone(z3, 0.6).by_z * d3 - difference).norm(), 1e-4);
  }
}

/// S1, 4d: tangents in a disk of radius 1, whose normal impulse is fixed at 1 and coupled to nothing.
Problem disk_problem() {
  Matrix a = Matrix::Identity(3, 3);
  a.bottomRightCorner(2, 2) << 2, 1, 1, 2;
  Problem parts = make_problem(a, vector({0, -1, 1}), vector({1, 0, 0}), vector({1, kInfinity, kInfinity}));
  parts.normal = {-1, 0, 0};
  parts.friction = vector({0, 1, 1});
  return make_problem(std::move(parts));
}

/// Sweeps until x changes by less than 1e-10.
Index sweeps_of_r(double r, const Problem& problem) {
  SolverOptions options{.max_sweeps = 1000, .tolerance = 0.0, .step_tolerance = 1e-10, .r_factor = r};
  options.start = vector({1, 0, 1});
  const Solution solution = solve("prox_jacobi", problem, options);
  EXPECT_EQ(solution.outcome, Outcome::stagnated);
  expect_near(solution.x, vector({1.0, std::sqrt(0.5), -std::sqrt(0.5)}), 1e-8);
  return solution.sweeps;
}

TEST(Prox, AdaptiveStepsSettleFromAnyStart) {  // r = 1 goes to and fro for ever with the printed test (E25)
  const Problem problem = disk_problem();
  for (const auto& [r, sweeps] : {std::pair{1.0, 30}, {2.0, 82}, {5.0, 29}}) {
    EXPECT_NEAR(sweeps_of_r(r, problem), sweeps, 0) << "r " << r;
  }
  for (const auto& [r, sweeps] : {std::pair{0.05, 117}, {0.1, 56}, {0.25, 17}, {0.4, 15}, {0.5, 28}}) {
    EXPECT_NEAR(sweeps_of_r(r, problem), sweeps, 0) << "r " << r;
  }
}

// functions of Newton's methods -------------------------------------------------------------------------------------

TEST(Complementarity, FischerBurmeister) {  // S1-74, S0-75 with the other sign
  const FischerBurmeister psi = fischer_burmeister(3.0, 4.0);
  EXPECT_DOUBLE_EQ(psi.value, 2.0);
  EXPECT_DOUBLE_EQ(psi.by_a, 0.4);
  EXPECT_NEAR(psi.by_b, 0.2, 1e-15);
  EXPECT_EQ(fischer_burmeister(1.0, 0.0).value, 0.0);
  EXPECT_EQ(fischer_burmeister(0.0, 0.0).value, 0.0);
  EXPECT_EQ(fischer_burmeister(0.0, 0.0).by_a, 0.0);
  EXPECT_EQ(fischer_burmeister(0.0, 0.0).by_b, 1.0);
}

TEST(Complementarity, ScaledMinMapNeedsOneStep) {  // S1-77: c(x) = x / 4 - 1 / 8
  const Problem problem =
      make_problem(Matrix::Constant(1, 1, 0.25), vector({-0.125}), Vector::Zero(1), vector({kInfinity}));
  for (double start : {-3.0, 0.0, 0.1, 7.0}) {
    const Solution solution = solve("newton_min", problem, {.start = vector({start})});
    EXPECT_EQ(solution.sweeps, 1) << start;
    EXPECT_NEAR(solution.x[0], 0.5, 1e-15);
  }
}

TEST(Complementarity, ConeFunctionVanishesAtComplementaryPairs) {
  const Eigen::Vector3d rim(1.0, 0.6, 0.8);
  const Eigen::Vector3d opposite(2.0, -1.2, -1.6);
  EXPECT_LE(cone_fischer_burmeister(rim, opposite).value.norm(), 1e-7);
  EXPECT_LE(cone_fischer_burmeister({3.0, 1.0, 1.0}, Eigen::Vector3d::Zero()).value.norm(), 1e-14);
  EXPECT_GE(cone_fischer_burmeister(rim, rim).value.norm(), 0.1);
}

TEST(Newton, EndsQuadratically) {  // S1-76: digits double until rounding
  test::Random random(11);
  ContactProblem step = test::random_bodies(random, 3);
  test::add_contacts(random, 5, 0.5, true, step);
  const Problem problem = make_problem(step);
  for (const char* name : {"newton_min", "newton_fb"}) {
    const Solution solution = solve(name, problem, {.tolerance = 1e-13});
    ASSERT_GE(solution.history.size(), 3u) << name;
    EXPECT_LE(solution.sweeps, 20) << name;
    const double before = solution.history[solution.history.size() - 2];
    EXPECT_LE(solution.history.back(), std::max(1e-13, 100.0 * before * before)) << name;
  }
}

/// A row with a rate and a softness is a spring and a damper, integrated implicitly (S3-68).
TEST(Softness, IsTheImplicitSpring) {
  test::Random random(5);
  for (int i = 0; i < 100; ++i) {
    const double mass = random.uniform(0.1, 10.0), k = random.uniform(0.0, 1e4), c = random.uniform(0.1, 100.0);
    const double h = random.uniform(1e-3, 0.1), place = random.uniform(-1.0, 1.0), speed = random.uniform(-1.0, 1.0);
    ContactProblem step;
    step.bodies.push_back({.inv_mass = 1.0 / mass, .free_velocity = {speed}});
    ContactProblem::Row row = test::contact_row(-1, {}, 0, {}, {1.0, 0.0, 0.0});
    row.lower = -kInfinity;
    row.bias = k / (h * k + c) * place;
    row.softness = 1.0 / (h * (h * k + c));
    step.rows.push_back(row);
    const double implicit = (mass * speed - h * k * place) / (mass + h * c + h * h * k);
    for (const char* name : {"dantzig", "newton_fb", "pgs", "interior_point", "apgd"}) {
      const Solution solution = solve(name, make_problem(step), {.tolerance = 1e-13});
      EXPECT_NEAR(solution.velocity[0], implicit, 1e-12) << name;
    }
  }
}

/// On every row the same, it moves all eigenvalues by itself, and nothing is redundant any more (S2-13, S2-15).
TEST(Softness, MovesTheSpectrum) {
  Problem problem = make_problem(test::cube_stack(3));
  const Spectrum rigid = spectrum(problem);
  ASSERT_GT(rigid.null_space, 0);
  problem.softness.setConstant(0.25);
  const Spectrum soft = spectrum(problem);
  expect_near(soft.eigenvalues, rigid.eigenvalues.array() + 0.25, 1e-12);
  EXPECT_EQ(soft.null_space, 0);
  EXPECT_EQ(soft.gs_unit_count(), 0);
  EXPECT_LT(soft.gs_rate, 1.0);
}

struct DampingCase {
  double gamma;
  double merits[5];  // after 1, 10, 100, 1000, 10000 sweeps
  double support;    // [N s]
};

/// S2, table 3.2: a little gamma is a large part of the answer. The order of points and of the tangents is not in the
/// table; it matters at first.
TEST(Softness, WeakensTheColumnAsInTheTable) {
  const DampingCase cases[] = {{0.0, {8.9e-3, 2.7e-3, 8.1e-4, 1.2e-6, 1.4e-9}, 2452.5},
                               {1e-6, {8.9e-3, 2.7e-3, 8.1e-4, 9.8e-6, 5.7e-6}, 2325.0},
                               {1e-5, {8.9e-3, 2.7e-3, 8.3e-4, 2.4e-4, 2.5e-4}, 1629.0},
                               {1e-4, {9.0e-3, 2.8e-3, 1.5e-3, 1.5e-3, 1.5e-3}, 573.0}};
  const Problem problem = make_problem(test::heavy_column(25));
  ASSERT_EQ(problem.row_count(), 300);
  for (const DampingCase& c : cases) {
    SCOPED_TRACE(c.gamma);
    const SolverOptions options{.friction = {.law = FrictionLaw::box}, .max_sweeps = 10000};
    const DampedRun run = damped_runs(problem, std::array{c.gamma}, options).at(0);
    ASSERT_EQ(run.merits.size(), 10000u);
    std::size_t sweeps = 1;
    for (const double merit : c.merits) {
      EXPECT_NEAR(run.merits[sweeps - 1] / merit, 1.0, 0.15) << sweeps << " sweeps";
      sweeps *= 10;
    }
    EXPECT_NEAR(run.support / c.support, 1.0, 2e-3);
  }
}

TEST(LocalCone, SolvesOneContact) {
  test::Random random(7);
  for (int i = 0; i < 500; ++i) {
    ContactProblem step = test::random_bodies(random, 1);
    test::add_contacts(random, 1, 1.5, true, step);
    const Problem problem = make_problem(step);
    const Matrix a = delassus(problem);
    const Vector x = solve_local_cone(a, problem.b, problem.disks[0].friction);
    EXPECT_LE(natural_residual(problem, x, {}), 1e-12);
  }
}

}  // namespace
}  // namespace talus::lab
