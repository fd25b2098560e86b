// SPDX-License-Identifier: MIT
// Solver settings by name, for the command line and the benchmarks.
#pragma once
#include <talus/defs.h>

#include <span>
#include <string_view>

namespace talus::scenes {

struct SolverPreset {
  const char* name;
  const char* text;
  SolverSettings settings;
};
/// The first one is the default.
std::span<const SolverPreset> solver_presets();
/// Null if no preset has the name.
const SolverPreset* find_solver_preset(std::string_view name);

}  // namespace talus::scenes
