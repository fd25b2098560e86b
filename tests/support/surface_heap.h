// SPDX-License-Identifier: MIT
// A heap of bodies of all kinds of materials: for comparisons between machines, not for looks.
#pragma once
#include <talus/talus.h>

#include <vector>

namespace talus::test {

inline Material any_material(int i) {
  Material m{.friction = 0.3f + 0.1f * static_cast<float>(i % 5), .restitution = i % 6 == 0 ? 0.6f : 0.0f};
  if (i % 2 == 1) m.dynamic_friction = 0.6f * m.friction;
  if (i % 3 == 0) {
    m.grain = i % 4 == 0 ? Vec3{1, 0, 0} : Vec3{0, 0.6f, 0.8f};
    m.friction_along = 0.1f;
    m.friction_across = 0.9f;
    if (i % 2 == 0) m.friction_against = 0.5f;
  } else if (i % 4 == 1) {
    m.grain = {0.8f, 0.0f, 0.6f};
    m.friction_tensor = FrictionTensor{1.4f, 0.6f, 0.3f};
  }
  if (i % 4 == 2) m.torsional_friction = 0.02f;
  if (i % 5 != 1) m.rolling_friction = 0.01f * static_cast<float>(1 + i % 3);
  return m;
}

/// On a floor with a grain; the first body is the floor.
inline std::vector<BodyDef> surface_heap(int count) {
  std::vector<BodyDef> bodies{{.shape = plane({0.0f, 1.0f, 0.0f}), .material = any_material(3)}};
  bodies.push_back({.shape = box({0.3f, 0.3f, 0.3f}),
                    .motion = Motion::kinematic,
                    .position = {-0.8f, 0.3f, 0.5f},
                    .linear_velocity = {0.5f, 0.0f, 0.0f},
                    .angular_velocity = {0.0f, 1.0f, 0.0f},
                    .material = any_material(6)});
  for (int i = 0; i < count; ++i) {
    const float size = 0.15f + 0.02f * static_cast<float>(i % 5);
    BodyDef body;
    body.shape = i % 3 == 0 ? sphere(size) : i % 3 == 1 ? box({size, 0.8f * size, 0.9f * size}) : capsule(size, size);
    body.position = {0.45f * static_cast<float>(i % 4) + 0.01f * static_cast<float>(i % 7),
                     0.3f + 0.5f * static_cast<float>(i / 16), 0.45f * static_cast<float>(i / 4 % 4)};
    body.linear_velocity = {static_cast<float>(i % 3) - 1.0f, -2.0f, 0.5f};
    body.angular_velocity = {static_cast<float>(i % 3) - 1.0f, 0.5f, 0.25f * static_cast<float>(i % 5)};
    body.material = any_material(i);
    bodies.push_back(body);
  }
  return bodies;
}

/// The same with named materials for every other body, and pairs of them.
inline void add_surface_heap(World& world, int count) {
  std::vector<MaterialId> ids;
  for (int i = 0; i < 4; ++i) ids.push_back(world.add_material(any_material(5 * i + 1)));
  world.set_material_pair(ids[0], ids[1], {.friction = 0.05f, .rolling_friction = 0.03f});
  world.set_material_pair(ids[2], ids[2], {.dynamic_friction = 0.1f, .restitution = 0.4f});
  std::vector<BodyDef> bodies = surface_heap(count);
  for (std::size_t i = 0; i < bodies.size(); i += 2) bodies[i].material_id = ids[i / 2 % ids.size()];
  world.add_bodies(bodies);
}

}  // namespace talus::test
