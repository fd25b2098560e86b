// SPDX-License-Identifier: MIT
#include "presets.h"

#include <algorithm>
#include <array>

namespace talus::scenes {
namespace {

constexpr std::array kPresets{
    SolverPreset{"pgs", "projected Gauss-Seidel, the library's defaults", SolverSettings{}},
    SolverPreset{"jacobi", "projected Jacobi, twice the sweeps",
                 SolverSettings{.solver = Solver::jacobi, .iterations = 2, .relax_iterations = 2}},
    SolverPreset{"stiff", "8 sub-steps, contacts of 60 Hz: less penetration, more time",
                 SolverSettings{.substeps = 8, .contact_hertz = 60.0f}},
    SolverPreset{"projection", "rigid contacts, positions projected out of penetration",
                 SolverSettings{.stabilization = Stabilization::projection}},
    SolverPreset{"rigid", "rigid contacts over the whole step, projected Gauss-Seidel, 30 sweeps",
                 SolverSettings{.solver = Solver::rigid, .stabilization = Stabilization::split_impulse}},
    SolverPreset{"nncg", "the same with nonlinear conjugate gradients, for stacks and mass ratios",
                 SolverSettings{.solver = Solver::rigid,
                                .stabilization = Stabilization::split_impulse,
                                .rigid = {.nncg = true, .sweeps = 100, .tolerance = 1e-4f}}},
    SolverPreset{"shock", "shock propagation: layer after layer from the ground up",
                 SolverSettings{.solver = Solver::shock}},
};

}  // namespace

std::span<const SolverPreset> solver_presets() {
  return kPresets;
}

const SolverPreset* find_solver_preset(std::string_view name) {
  const auto* const found =
      std::find_if(kPresets.begin(), kPresets.end(), [&](const SolverPreset& preset) { return preset.name == name; });
  return found == kPresets.end() ? nullptr : found;
}

}  // namespace talus::scenes
