// SPDX-License-Identifier: MIT
// Body data for kernels that reach bodies by index: one 32-byte sector a record instead of a sector a column.
#pragma once
#include <talus/types.h>

namespace talus {

/// Where a body is at the start of the step. 32 bytes.
struct alignas(32) BodyPose {
  Vec3 position;     // [m]
  float reach;       // [m] how much further than its shape the body may get within the step, see UpdateBounds
  Quat orientation;  // body to world
};

/// Axis-aligned box. 32 bytes.
struct alignas(32) Bounds {
  Vec3 min;      // [m]
  float moves;   // 1: ShapeRecord::moves has one of kMoves
  Vec3 max;      // [m]
  float listed;  // 1: takes part in the sweep; 0: a plane, a dead row, or its filter refuses everything
};

}  // namespace talus
