// SPDX-License-Identifier: MIT
// Scenes with joints. make_scene() finds them by name.
#pragma once
#include "scene.h"

namespace talus::scenes {

Scene joint_grid(int side);
/// `weight`: mass of the body at the end, in links.
Scene chain(int links, int weight);
Scene bridge(int planks, int boxes);
Scene ragdolls(int count);
Scene vehicle_on_bumps();

}  // namespace talus::scenes
