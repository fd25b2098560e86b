// SPDX-License-Identifier: MIT
#include <talus/talus.h>

#include "commands.h"
#include "table.h"

namespace talus::cli {

scenes::Scene scene_of(const SimulationOptions& options) {
  try {
    scenes::Scene scene = scenes::make_scene(options.scene);
    if (options.dt) scene.dt = *options.dt;
    return scene;
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

WorldDef world_def_of(const SimulationOptions& options) {
  WorldDef def;
  def.backend = options.backend;
  def.threads = options.threads;
  def.solver = options.settings;
  return def;
}

std::string headline(const SimulationOptions& options, scenes::RunningScene& running) {
  const scenes::Scene& scene = running.scene();
  const std::string joints = scene.joints.empty() ? "" : std::to_string(scene.joints.size()) + " joints, ";
  return scene.name + ": " + std::to_string(scene.bodies.size()) + " bodies, " + joints +
         backend_name(running.world().backend()) + ", " + std::to_string(options.steps) + " steps of " +
         general(double(scene.dt), 3) + " s, solver " + options.config;
}

}  // namespace talus::cli
