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
  Vec3 min;             // [m]
  std::uint32_t group;  // Filter::group, so that the sweep's test needs no other record
  Vec3 max;             // [m]
  std::uint32_t mask;   // Filter::mask; 0 also for dead rows and planes: they meet nothing in the sweep
};

}  // namespace talus
