// SPDX-License-Identifier: MIT
// A box on a slope.
#pragma once
#include "analytic/rig.h"

namespace talus::test {

enum class Ground { plane, box };

/// A box on a slope that falls towards +x, friction 0.5.
struct Slope {
  World world;
  BodyId box_id;
  Vecd start, downhill;

  Slope(const WorldDef& def, Ground ground, double angle) : world(def) {
    const Vecd normal{std::sin(angle), std::cos(angle), 0};
    downhill = {std::cos(angle), -std::sin(angle), 0};
    const Quat q = turn({0.0f, 0.0f, 1.0f}, -angle);
    if (ground == Ground::plane) {
      world.add_body({.shape = plane(scenes::to_vec3(normal))});
    } else {
      world.add_body({.shape = box({10.0f, 1.0f, 10.0f}),
                      .motion = Motion::fixed,
                      .position = scenes::to_vec3(-1.0 * normal),
                      .orientation = q});
    }
    box_id = world.add_body(
        {.shape = box({0.5f, 0.25f, 0.5f}), .position = scenes::to_vec3(0.25 * normal), .orientation = q});
    start = vec(world.position(box_id));
  }
  Vecd moved() { return vec(world.position(box_id)) - start; }
};

}  // namespace talus::test
