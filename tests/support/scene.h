// SPDX-License-Identifier: MIT
// A world with short words for what tests do all the time.
#pragma once
#include <talus/talus.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace talus::test {

constexpr float kStep = 1.0f / 60.0f;  // [s]

class Scene {
 public:
  explicit Scene(const WorldDef& def) : world(def) {}
  explicit Scene(Backend backend) : world(with(backend)) {}

  World world;

  BodyId add(const BodyDef& def) { return world.add_body(def); }
  BodyId ground(float height = 0.0f) {
    BodyDef def;
    def.shape = talus::plane({0.0f, 1.0f, 0.0f});
    def.position = {0.0f, height, 0.0f};
    return add(def);
  }
  BodyId sphere(Vec3 position, float radius = 0.5f, float mass = 1.0f) {
    return add(body(talus::sphere(radius), position, mass));
  }
  BodyId box(Vec3 position, Vec3 half_extents = {0.5f, 0.5f, 0.5f}, float mass = 1.0f) {
    return add(body(talus::box(half_extents), position, mass));
  }
  BodyId capsule(Vec3 position, float radius = 0.3f, float half_length = 0.4f, float mass = 1.0f) {
    return add(body(talus::capsule(radius, half_length), position, mass));
  }
  BodyId fixed_box(Vec3 position, Vec3 half_extents) {
    BodyDef def = body(talus::box(half_extents), position, 1.0f);
    def.motion = Motion::fixed;
    return add(def);
  }
  static BodyDef body(const ShapeDef& shape, Vec3 position, float mass) {
    BodyDef def;
    def.shape = shape;
    def.position = position;
    def.mass = mass;
    return def;
  }

  /// The report of the last step, with the status bits of all.
  StepReport run(int steps, float dt = kStep) { return world.step_n(steps, dt); }
  Vec3 position(BodyId id) { return world.position(id); }
  Vec3 velocity(BodyId id) { return world.linear_velocity(id); }
  Vec3 spin(BodyId id) { return world.angular_velocity(id); }
  std::uint64_t hash() { return world.state_hash(); }

 private:
  static WorldDef with(Backend backend) {
    WorldDef def;
    def.backend = backend;
    def.sleep.enabled = false;
    return def;
  }
};

/// Spheres, boxes and capsules in a column above the ground, a little askew: they fall, touch, roll and settle.
inline std::vector<BodyDef> pile(int count, int side = 5) {
  std::vector<BodyDef> defs;
  BodyDef ground;
  ground.shape = talus::plane({0.0f, 1.0f, 0.0f});
  defs.push_back(ground);
  for (int i = 0; i < count; ++i) {
    const int layer = i / (side * side), x = i % side, z = (i / side) % side;
    const ShapeDef shapes[] = {talus::sphere(0.45f), talus::box({0.4f, 0.35f, 0.45f}), talus::capsule(0.3f, 0.2f)};
    BodyDef def;
    def.shape = shapes[i % 3];
    def.mass = 1.0f + 0.25f * static_cast<float>(i % 4);
    def.position = {static_cast<float>(x) + 0.07f * static_cast<float>(layer % 3), 0.6f + static_cast<float>(layer),
                    static_cast<float>(z) - 0.05f * static_cast<float>(layer % 4)};
    const float half = 0.1f * static_cast<float>(i % 7);
    def.orientation = {std::sin(half), 0.0f, 0.0f, std::cos(half)};
    def.material.restitution = i % 5 == 0 ? 0.3f : 0.0f;
    defs.push_back(def);
  }
  return defs;
}

/// What the call says when it throws Error; empty if it does not.
template <class Call>
std::string error_of(Call&& call) {
  try {
    std::forward<Call>(call)();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace talus::test
