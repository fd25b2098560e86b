// SPDX-License-Identifier: MIT
// Edits: what the host queued for one body since the last step, folded into one record, so that records are
// independent.
#pragma once
#include "columns.h"
#include "math/vec3.h"

namespace talus {

/// One body's queued changes. Values replace columns where their bit is set; impulses and forces are added after that.
struct BodyEdit {
  enum Bit : std::uint32_t {
    set_all = 1u << 0,    // a new body, or an empty row (model.alive == 0)
    set_model = 1u << 1,  // material, filter, gravity scale, damping
    set_pose = 1u << 2,
    set_velocity = 1u << 3,
    add_impulse = 1u << 4,
    add_force = 1u << 5,
    wake = 1u << 6,      // as all others above do, and nothing else
    sleep = 1u << 7,     // after all others
    wake_all = 1u << 8,  // every body of the world, whatever the row
  };
  Index row;
  std::uint32_t bits;
  BodyModelRow model;
  BodyStateRow state;
  Vec3 impulse;          // [N s] sum of all
  Vec3 angular_impulse;  // [N m s] pure ones, and moments about impulse_point of those that act at points
  Vec3 point_impulse;    // [N s] sum of those that act at points
  Vec3 impulse_point;    // [m] world; where the first of them acts: moments about it lose no digits far from the origin
  Vec3 force;            // [N] the same four for forces
  Vec3 torque;           // [N m]
  Vec3 point_force;      // [N]
  Vec3 force_point;      // [m]
};

}  // namespace talus
