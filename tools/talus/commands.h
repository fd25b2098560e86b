// SPDX-License-Identifier: MIT
// The commands of main.cpp. Each returns the program's exit code.
#pragma once
#include <string>

#include "options.h"
#include "scenes/scene.h"

namespace talus::cli {

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

int run(const RunOptions& options);
int bench(const BenchOptions& options);
int lab(const LabOptions& options);
int verify(const VerifyOptions& options);

/// The scene of the options, with their length of a step. Throws UsageError if there is no such scene.
scenes::Scene scene_of(const SimulationOptions& options);
/// Backend, threads and solver of the options.
WorldDef world_def_of(const SimulationOptions& options);
/// "box_pile_1000: 1000 bodies, cpu, 300 steps of 0.0167 s, solver pgs"
std::string headline(const SimulationOptions& options, scenes::RunningScene& running);

}  // namespace talus::cli
