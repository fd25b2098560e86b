// SPDX-License-Identifier: MIT
// All pairs tested one by one: what the broad phase must find.
#pragma once
#include <algorithm>
#include <vector>

#include "broad_scene.h"

namespace talus::testing {

inline bool boxes_overlap(const Bounds& a, const Bounds& b) {
  return a.min.x <= b.max.x && b.min.x <= a.max.x && a.min.y <= b.max.y && b.min.y <= a.max.y && a.min.z <= b.max.z &&
         b.min.z <= a.max.z;
}

/// Pairs of a scene whose bounds were updated, sorted by owner and partner.
inline std::vector<RowPair> all_near_pairs(BroadScene& scene) {
  const StepViews v = scene.views();
  const auto is_plane = [&](Index row) { return ShapeType(v.model.shape[row]) == ShapeType::plane; };
  const auto moves = [&](Index row) { return v.model.inv_mass[row] > 0.0f && v.state.frozen[row] == 0; };
  const auto placed = [&](Index row) {
    return PlacedShape{v.model.shape_size[row], v.state.position[row], v.state.orientation[row]};
  };
  std::vector<RowPair> list;
  for (Index x = 0; x < scene.rows(); ++x) {
    for (Index y = x + 1; y < scene.rows(); ++y) {
      if (v.model.alive[x] == 0 || v.model.alive[y] == 0 || (!moves(x) && !moves(y))) continue;
      if ((v.model.group[x] & v.model.mask[y]) == 0 || (v.model.group[y] & v.model.mask[x]) == 0) continue;
      if (!is_plane(x) && !is_plane(y) && !boxes_overlap(v.broad.rows.bounds[x], v.broad.rows.bounds[y])) continue;
      float reach = v.broad.rows.pose[x].reach + v.broad.rows.pose[y].reach;
      if (is_plane(x) || is_plane(y)) {
        const Index plane = is_plane(x) ? x : y;
        const float turn = v.params->dt * length(v.state.angular_velocity[plane]);
        const float distance = length(v.state.position[x] - v.state.position[y]);
        reach += Motion(v.model.motion[plane]) == Motion::kinematic ? turn * distance : 0.0f;
      }
      const ShapeType type_x = ShapeType(v.model.shape[x]), type_y = ShapeType(v.model.shape[y]);
      if (further_apart_than(type_x, placed(x), type_y, placed(y), reach)) continue;
      const std::uint64_t key = std::uint64_t(x) << 32 | std::uint64_t(y);
      if (std::binary_search(scene.ignored().begin(), scene.ignored().end(), key)) continue;
      list.push_back(owns_pair(v.model, x, y) ? RowPair(x, y) : RowPair(y, x));
    }
  }
  std::sort(list.begin(), list.end());
  return list;
}

}  // namespace talus::testing
