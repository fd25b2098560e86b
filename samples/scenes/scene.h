// SPDX-License-Identifier: MIT
// Scenes by name: what samples, tests, bench and the command line simulate. A scene is a value; RunningScene puts one
// into a world. The piles, pyramids, stacks and the grid of joints equal, number by number, those that other engines
// were measured with (bench/README.md), so that results can be compared.
#pragma once
#include <talus/talus.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vec.h"

namespace talus::scenes {

/// A side of the container, for measurements: bodies belong where dot(normal, x) >= offset.
struct Boundary {
  Vecd normal;
  double offset;  ///< [m]
};

/// Called before each step with the world, the ids of Scene::bodies, the number of the step from 0, and its length.
using StepHook = std::function<void(World& world, std::span<const BodyId> bodies, std::uint64_t step, float dt)>;

struct Scene {
  std::string name;
  Vec3 gravity{0.0f, -9.81f, 0.0f};     ///< [m/s^2]
  float dt = 1.0f / 60.0f;              ///< [s] the step the scene is meant for
  std::vector<BodyDef> bodies;          ///< counted, measured and coloured; in a new world body i has slot i
  std::vector<AssemblyJoint> joints;    ///< between `bodies`, by their indices
  std::vector<BodyDef> statics;         ///< floor and walls; measured by `boundaries` instead
  std::vector<Boundary> boundaries;     ///< inner sides of the statics; may be empty
  bool stack = false;                   ///< nothing should move: drift and sag mean something
  bool contacts = true;                 ///< bodies are meant to touch: penetration means something
  Vec3 view_from{0.55f, 0.40f, 0.75f};  ///< direction from the scene to a camera that shows it well
  StepHook before_step;                 ///< may be empty
};

/// One line of the list of scenes.
struct SceneInfo {
  const char* pattern;  ///< "box_pile_N"
  const char* example;  ///< "box_pile_1000", a size that runs in seconds
  const char* text;     ///< what happens in it
};
/// Every family of scenes, in the order of `talus scenes`.
std::span<const SceneInfo> scene_list();

/// The scene of a name such as "box_pile_1000". Throws Error if no family has the name or the size is out of range.
Scene make_scene(std::string_view name);

/// The numbers of the jitter: a linear congruential generator, 24 bits, uniform in [-1, 1).
class Jitter {
 public:
  double next() {
    state_ = state_ * 1664525u + 1013904223u;
    return (state_ >> 8u) / 8388608.0 - 1.0;
  }

 private:
  std::uint32_t state_ = 12345;
};

/// A world with a scene in it.
class RunningScene {
 public:
  /// `def` chooses backend, threads, solver and reserves; gravity comes from the scene.
  /// Bodies stay awake unless `sleep` says otherwise, whatever def does: scenes show what moves.
  RunningScene(Scene scene, const WorldDef& def, bool sleep = false);

  /// One step of scene().dt, after the scene's hook.
  StepReport step();
  /// Motions of scene().bodies, in their order.
  std::vector<BodyMotion> motions();

  const Scene& scene() const { return scene_; }
  World& world() { return world_; }
  std::span<const BodyId> bodies() const { return parts_.bodies; }   ///< ids of scene().bodies
  std::span<const JointId> joints() const { return parts_.joints; }  ///< ids of scene().joints
  std::span<const BodyId> statics() const { return statics_; }       ///< ids of scene().statics

 private:
  Scene scene_;
  World world_;
  AssemblyIds parts_;
  std::vector<BodyId> statics_;
  std::uint64_t step_ = 0;
};

}  // namespace talus::scenes
