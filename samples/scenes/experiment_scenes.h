// SPDX-License-Identifier: MIT
// The scenes of the experiments on shock propagation (Erleben 2007), with steps of 0.01 s. make_scene() finds them by
// name. Sizes that the paper does not give are ours: bricks of 1 m x 0.5 m x 0.5 m, 2000 kg/m^3, friction 0.5.
#pragma once
#include "scene.h"

namespace talus::scenes {

Scene box_stack(int boxes);
Scene wall(int bricks);
Scene tower(int bricks);
/// `balls`: rounded to a cube.
Scene ball_grid(int balls);
Scene tower_roof(int bricks);
Scene silo(int count);
Scene incline(int balls);

/// When the ball is shot at the tower under its roof, as a number of steps.
constexpr int kCannonStep = 250;

}  // namespace talus::scenes
