// SPDX-License-Identifier: MIT
// The two contact tables, both in lane blocks: the contact cache (State: a row for each near pair, with its manifold
// and impulses, kept for the next step) and the solver's rows (Scratch: a row for each contact, in color order).
#pragma once
#include "lane_blocks.h"
#include "pairs.h"
#include "shapes/manifold.h"

namespace talus {

/// Field numbers of the contact cache. Words beyond the point count of a row, and all but a, b and count of a row
/// without points, are left over from earlier steps: they mean nothing and belong to no hash.
namespace cache {
enum Field : int {
  body_a,                 // row of A, the pair's owner: the smaller body, see pair_owner()
  body_b,                 // row of B
  count,                  // points, 0..4
  color,                  // of the contact graph, kOverflowColor or kNoColor
  normal,                 // from A to B, world frame
  friction = normal + 3,  // [N s] on B, world frame: carried as a vector, since the tangents may jump
  twist = friction + 3,   // [N m s] on B about the normal
  reference_position,     // [m] of B seen from A, frame of A, when the manifold was made: see recycling
  reference_rotation = reference_position + 3,  // of B seen from A, when the manifold was made
  reference_normal = reference_rotation + 4,    // frame of A
  point = reference_normal + 3,                 // kMaxPoints times the fields below
};
enum PointField : int {
  feature,
  impulse,     // [N s] normal impulse of the last step, >= 0
  separation,  // [m] at the start of the step
  local_a,     // [m] on the surface of A, frame of A
  local_b = local_a + 3,
  kPointFields = local_b + 3,
};
constexpr int kFields = point + kMaxPoints * kPointFields;
constexpr int at(int index, int field) {
  return point + index * kPointFields + field;
}
constexpr std::uint32_t kNoColor = 0xffu;
}  // namespace cache

using CacheRows = LaneBlocks<cache::kFields>;

/// The pairs of one step with their manifolds, row for row.
struct ContactCache {
  PairList pairs;
  CacheRows rows;
  bool operator==(const ContactCache&) const = default;
};

}  // namespace talus
