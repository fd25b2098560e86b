// SPDX-License-Identifier: MIT
// All pairs tested one by one: what the broad phase must find.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "broad_scene.h"

namespace talus::testing {

inline bool boxes_overlap(const Bounds& a, const Bounds& b) {
  return a.min.x <= b.max.x && b.min.x <= a.max.x && a.min.y <= b.max.y && b.min.y <= a.max.y && a.min.z <= b.max.z &&
         b.min.z <= a.max.z;
}

/// The sweep's own test of two shapes, for one pair.
inline bool shapes_near(const BodyPose& pose_a, const ShapeRecord& shape_a, const BodyPose& pose_b,
                        const ShapeRecord& shape_b) {
  float a[8], b[8], core_a[8], core_b[8];
  std::memcpy(a, &pose_a, sizeof(a));
  std::memcpy(b, &pose_b, sizeof(b));
  std::memcpy(core_a, &shape_a, sizeof(core_a));
  std::memcpy(core_b, &shape_b, sizeof(core_b));
  return far_lanes(seen_from(a, b), core_a, core_b) == 0;
}

/// True if a body is as near to a plane as both may reach. Written in double, apart from the kernel.
inline bool near_plane(const StepViews& v, Index body, Index plane) {
  const BodyPose &a = v.broad.rows.pose[body], &b = v.broad.rows.pose[plane];
  const Vec3 up = rotate(b.orientation, v.model.shape_size[plane]);
  const float width = half_width(ShapeType(v.model.shape[body]), v.model.shape_size[body], a.orientation, up);
  const double dx = double(a.position.x) - double(b.position.x), dy = double(a.position.y) - double(b.position.y);
  const double dz = double(a.position.z) - double(b.position.z);
  const bool turns = Motion(v.model.motion[plane]) == Motion::kinematic;
  const double turn = turns ? double(v.params->dt) * double(length(v.state.angular_velocity[plane])) : 0.0;
  const double reach = double(a.reach) + double(b.reach) + turn * std::sqrt(dx * dx + dy * dy + dz * dz);
  return dx * double(up.x) + dy * double(up.y) + dz * double(up.z) - double(width) <= reach;
}

/// Pairs of a scene whose bounds were updated, sorted by owner and partner.
inline std::vector<RowPair> all_near_pairs(BroadScene& scene) {
  const StepViews v = scene.views();
  const auto is_plane = [&](Index row) { return ShapeType(v.model.shape[row]) == ShapeType::plane; };
  const auto moves = [&](Index row) { return v.model.inv_mass[row] > 0.0f && v.state.frozen[row] == 0; };
  const BroadRows& rows = v.broad.rows;
  std::vector<RowPair> list;
  for (Index x = 0; x < scene.rows(); ++x) {
    for (Index y = x + 1; y < scene.rows(); ++y) {
      if (v.model.alive[x] == 0 || v.model.alive[y] == 0 || (!moves(x) && !moves(y))) continue;
      if ((v.model.group[x] & v.model.mask[y]) == 0 || (v.model.group[y] & v.model.mask[x]) == 0) continue;
      if (is_plane(x) || is_plane(y)) {
        if (!near_plane(v, is_plane(x) ? y : x, is_plane(x) ? x : y)) continue;
      } else if (!boxes_overlap(rows.bounds[x], rows.bounds[y])) {
        continue;
      } else if (!shapes_near(rows.pose[x], rows.shape[x], rows.pose[y], rows.shape[y])) {
        continue;
      }
      const std::uint64_t key = std::uint64_t(x) << 32 | std::uint64_t(y);
      if (std::binary_search(scene.ignored().begin(), scene.ignored().end(), key)) continue;
      list.push_back(owns_pair(v.model, x, y) ? RowPair(x, y) : RowPair(y, x));
    }
  }
  std::sort(list.begin(), list.end());
  return list;
}

}  // namespace talus::testing
