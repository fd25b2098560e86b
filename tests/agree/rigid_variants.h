// SPDX-License-Identifier: MIT
// Settings that go through every path of the rigid contact solvers and of shock propagation.
#pragma once
#include <talus/talus.h>

#include <vector>

namespace talus::test {

struct RigidVariant {
  const char* name;
  SolverSettings solver;
};

/// Every way to sweep, to stop and to stabilise, each at least once.
inline std::vector<RigidVariant> rigid_variants() {
  const auto make = [](const char* name, const RigidSettings& rigid, Stabilization by = Stabilization::baumgarte,
                       FrictionModel friction = FrictionModel::cone) {
    RigidVariant v{name, {}};
    v.solver.solver = Solver::rigid;
    v.solver.rigid = rigid;
    v.solver.stabilization = by;
    v.solver.friction = friction;
    v.solver.report_residual = true;
    return v;
  };
  std::vector<RigidVariant> all{
      make("rigid_gauss_seidel", {.sweeps = 12}),
      make("rigid_symmetric", {.order = SweepOrder::symmetric, .sweeps = 12}, Stabilization::soft),
      make("rigid_relaxed", {.relaxation = 1.3f, .sweeps = 12}, Stabilization::split_impulse, FrictionModel::box),
      make("rigid_jacobi", {.order = SweepOrder::jacobi, .sweeps = 12}, Stabilization::projection),
      make("rigid_block", {.point = PointSolver::block, .sweeps = 12, .force_mixing = 1e-4f}),
      make("rigid_prox", {.point = PointSolver::prox, .sweeps = 20, .tolerance = 1e-3f}),
      make("rigid_prox_jacobi", {.point = PointSolver::prox, .order = SweepOrder::jacobi, .sweeps = 12}),
      make("rigid_nncg", {.nncg = true, .sweeps = 40, .tolerance = 2e-3f, .residual_history = true},
           Stabilization::split_impulse),
      make("rigid_nncg_block_jacobi",
           {.point = PointSolver::block, .order = SweepOrder::jacobi, .nncg = true, .sweeps = 12}),
      make("rigid_nncg_prox", {.point = PointSolver::prox, .nncg = true, .sweeps = 12}),
      make("rigid_staggered", {.stagger = 3, .sweeps = 12, .stagnation = 6}),
  };
  all[1].solver.warm_start = false;
  return all;
}

/// The same and shock propagation, which sweeps over the same rows.
inline std::vector<RigidVariant> rigid_and_shock_variants() {
  std::vector<RigidVariant> all = rigid_variants();
  RigidVariant shock{"shock", {.solver = Solver::shock, .report_residual = true}}, mixed = shock;
  mixed.name = "shock_weighted";
  mixed.solver.friction = FrictionModel::box;
  mixed.solver.shock = {.weight = 0.3f, .sweeps = 4, .correction_sweeps = 2, .least_slope = 0.0f};
  all.insert(all.end(), {shock, mixed});
  return all;
}

}  // namespace talus::test
