// SPDX-License-Identifier: MIT
// In which order joints are solved: trees of locked joints, which a direct solver takes, and colors of all that is left
// to sweeps. Made by the host whenever joints come, go or change what they hold. A pure function of the joints: equal
// worlds have equal plans, and a snapshot need not keep one.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "joint_columns.h"

namespace talus {

/// What a plan needs to know of a joint.
struct PlanJoint {
  Index row;
  Index body_a, body_b;  // rows, or -1: the world
  std::uint32_t axes;    // JointModel::axes
  std::uint8_t kind;     // JointModel::kind
  bool rubs;             // has dry friction
};
PlanJoint plan_joint(Index row, const JointModelRow& model);

/// JointPlan in plain memory.
struct JointPlanTables {
  std::vector<TreeLane> tree_lanes;
  Index first_loop_lane = 0;
  std::vector<TreeBatch> batches;
  std::vector<ColorLane> color_lanes;
  std::vector<Index> color_begin{0};
  std::vector<float> body_flags;            // JointPlan::body_flags
  bool bounded = false;                     // some colored joint has a limit, a drive or friction
  std::uint64_t kinds = 0;                  // CustomJoints::used
  std::vector<JointParameters> parameters;  // of each row, if there are such kinds; the caller's to fill
  bool empty() const { return tree_lanes.empty() && color_lanes.empty(); }
};

/// Trees form a spanning forest of the dynamic bodies, over joints with a locked axis of the usual kind. It is found
/// breadth first, from what hangs on a body that does not move, and then from the heaviest body of what hangs on
/// nothing. A joint that closes the only loop of two trees, or of one with what does not move, gets a lane behind those
/// of the trees. Other locked joints that close loops are colored.
///   joints  in the order of their rows
///   mass    [kg] of each body row; 0: the body does not move
/// Cost: O(n log n).
JointPlanTables make_joint_plan(std::span<const PlanJoint> joints, std::span<const float> mass);

}  // namespace talus
