// SPDX-License-Identifier: MIT
// The methods behind the names of solver.cpp.
#pragma once
#include "solver.h"

namespace talus::lab {

// pivoting and enumeration
Solution solve_dantzig(const Problem& problem, const SolverOptions& options);
Solution solve_block_pivoting(const Problem& problem, const SolverOptions& options);
Solution solve_lemke(const Problem& problem, const SolverOptions& options);
Solution solve_enumeration(const Problem& problem, const SolverOptions& options);
// Newton and gradients
Solution solve_interior_point(const Problem& problem, const SolverOptions& options);
Solution solve_newton_min(const Problem& problem, const SolverOptions& options);
Solution solve_newton_fb(const Problem& problem, const SolverOptions& options);
Solution solve_apgd(const Problem& problem, const SolverOptions& options);
Solution solve_cone_fixed_point(const Problem& problem, const SolverOptions& options);
// sweeps
Solution solve_pgs(const Problem& problem, const SolverOptions& options);
Solution solve_pgs_symmetric(const Problem& problem, const SolverOptions& options);
Solution solve_psor(const Problem& problem, const SolverOptions& options);
Solution solve_jacobi(const Problem& problem, const SolverOptions& options);
Solution solve_jacobi_split(const Problem& problem, const SolverOptions& options);
Solution solve_blocked_gs(const Problem& problem, const SolverOptions& options);
Solution solve_prox_gs(const Problem& problem, const SolverOptions& options);
Solution solve_prox_jacobi(const Problem& problem, const SolverOptions& options);
Solution solve_nncg(const Problem& problem, const SolverOptions& options);
Solution solve_nncg_jacobi(const Problem& problem, const SolverOptions& options);
Solution solve_nncg_blocked(const Problem& problem, const SolverOptions& options);
Solution solve_staggered(const Problem& problem, const SolverOptions& options);

}  // namespace talus::lab
