// SPDX-License-Identifier: MIT
// The tables of joints. The six axes of a joint are two vectors wherever they are stored: x, y, z and twist, swing_y,
// swing_z.
#pragma once
#include <talus/custom_joint.h>
#include <talus/joint.h>

#include "columns.h"
#include "lane_blocks.h"

//  type           name              unit       meaning, frame, invariant
#define TALUS_JOINT_MODEL(X)                                                                               \
  X(std::uint8_t, alive, "1", "1: the row holds a joint; all other columns of a dead row are 0")           \
  X(std::uint8_t, kind, "1", "0: six axes; kRadial: JointDef::radial; else custom_kind of JointDef::kind") \
  X(std::uint32_t, axes, "1", "mode and drive of each axis: axis_mode, axis_drive")                        \
  X(Index, body_a, "1", "row of body a, or -1: the world")                                                 \
  X(Index, body_b, "1", "row of body b, or -1: the world")                                                 \
  X(Vec3, anchor_a, "m", "origin of frame a, in a")                                                        \
  X(Quat, frame_a, "1", "frame a to a")                                                                    \
  X(Vec3, anchor_b, "m", "origin of frame b, in b")                                                        \
  X(Quat, frame_b, "1", "frame b to b")                                                                    \
  X(Vec3, lower_linear, "m", "limits; -1e30 where there is none")                                          \
  X(Vec3, lower_angular, "rad", "")                                                                        \
  X(Vec3, upper_linear, "m", "limits; 1e30 where there is none")                                           \
  X(Vec3, upper_angular, "rad", "")                                                                        \
  X(Vec3, target_linear, "m", "of drives")                                                                 \
  X(Vec3, target_angular, "rad", "")                                                                       \
  X(Vec3, target_linear_velocity, "m/s", "")                                                               \
  X(Vec3, target_angular_velocity, "rad/s", "")                                                            \
  X(Vec3, stiffness_linear, "N/m, Hz", "AxisDef::stiffness")                                               \
  X(Vec3, stiffness_angular, "N m/rad, Hz", "")                                                            \
  X(Vec3, damping_linear, "N s/m, 1", "AxisDef::damping")                                                  \
  X(Vec3, damping_angular, "N m s/rad, 1", "")                                                             \
  X(Vec3, max_force, "N", "of drives, at most 1e30")                                                       \
  X(Vec3, max_torque, "N m", "")                                                                           \
  X(Vec3, friction_force, "N", "")                                                                         \
  X(Vec3, friction_torque, "N m", "")                                                                      \
  X(float, limit_hertz, "Hz", "0: rigid")                                                                  \
  X(float, limit_damping_ratio, "1", "")                                                                   \
  X(float, limit_restitution, "1", "")                                                                     \
  X(float, break_force, "N", "at most 1e30")                                                               \
  X(float, break_torque, "N m", "")

#define TALUS_JOINT_STATE(X)                                                                                   \
  X(std::uint8_t, broken, "1", "1: holds nothing any more; 2: since the end of this step")                     \
  X(Vec3, position_linear, "m", "coordinates at the end of the step, if WorldDef::joint_readings")             \
  X(Vec3, position_angular, "rad", "the same; twist is always kept, and counts turns")                         \
  X(Vec3, velocity_linear, "m/s", "rates, if WorldDef::joint_readings")                                        \
  X(Vec3, velocity_angular, "rad/s", "")                                                                       \
  X(Vec3, force, "N", "on b, world frame, mean over the step")                                                 \
  X(Vec3, torque, "N m", "on b about its anchor")                                                              \
  X(Vec3, lock_linear, "N s", "impulses of a sub-step, on b along the axes: of locked axes, unless in a tree") \
  X(Vec3, lock_angular, "N m s", "")                                                                           \
  X(Vec3, drive_linear, "N s", "of drives")                                                                    \
  X(Vec3, drive_angular, "N m s", "")                                                                          \
  X(Vec3, friction_linear, "N s", "of dry friction")                                                           \
  X(Vec3, friction_angular, "N m s", "")                                                                       \
  X(Vec3, limit_linear, "N s", "of limits: > 0 at the lower one, < 0 at the upper")                            \
  X(Vec3, limit_angular, "N m s", "")

namespace talus {

TALUS_DEFINE_VIEW(JointModel, TALUS_JOINT_MODEL)
TALUS_DEFINE_VIEW(JointState, TALUS_JOINT_STATE)

struct JointModelRow {
  TALUS_JOINT_MODEL(TALUS_DECLARE_VALUE)
};
struct JointStateRow {
  TALUS_JOINT_STATE(TALUS_DECLARE_VALUE)
};

// ---- JointModel::kind -----------------------------------------------------------------------------------------------

constexpr std::uint8_t kRadial = 1;
constexpr int kGearKind = 1;        // JointDef::kind of gear_joint(); kinds of the caller's come after it
constexpr int kMaxJointKinds = 64;  // 0 among them
constexpr std::uint8_t custom_kind(int kind) {
  return std::uint8_t(kind + kRadial);
}
constexpr bool is_custom(std::uint8_t kind) {
  return kind > kRadial;
}

// joint_row::kind
constexpr float kRadialLane = 1.0f;  // the x axis is the distance
constexpr float kCustomLane = 2.0f;  // FollowCustomLane makes the rows

constexpr float kNoLimit = 1e30f;  // stands for infinity in the tables, so that products stay finite

// ---- numbers of the rows -------------------------------------------------------------------------------------------

constexpr float kErrorPart = 0.6f;      // [1] of an error, removed by trees in a sub-step; with 1 a toe chatters
constexpr float kMostJointPush = 3.0f;  // [m/s, rad/s] at which an error of a joint is removed at most
/// [rad/s] The same for turning axes in trees: with 3 forearms of 1,000 dolls on stairs turn by 3.6 degrees about axes
/// that are locked, with 20 by 2.6.
constexpr float kMostTreeTurn = 20.0f;
/// Locked rows of the caller's may say the same thing twice: their matrix is kept from being singular.
constexpr float kCustomGive = 1.00002f;

// ---- JointModel::axes -----------------------------------------------------------------------------------------------

constexpr int kAxisBits = 4;  // of each axis: mode, then drive
/// The bits of one axis, in their place.
constexpr std::uint32_t axis_bits(int axis, AxisMode mode, Drive drive) {
  return (std::uint32_t(mode) | std::uint32_t(drive) << 2) << (kAxisBits * axis);
}
constexpr AxisMode axis_mode(std::uint32_t axes, int axis) {
  return AxisMode((axes >> (kAxisBits * axis)) & 3u);
}
constexpr Drive axis_drive(std::uint32_t axes, int axis) {
  return Drive((axes >> (kAxisBits * axis + 2)) & 3u);
}
/// The swing that is locked while the other one is not, or 0: its angle jumps where the other passes a right angle, so
/// that its sine is held instead.
constexpr int lone_swing(std::uint32_t axes) {
  const bool y = axis_mode(axes, int(Axis::swing_y)) == AxisMode::locked;
  const bool z = axis_mode(axes, int(Axis::swing_z)) == AxisMode::locked;
  return y == z ? 0 : y ? int(Axis::swing_y) : int(Axis::swing_z);
}

// ---- the plan: in which order joints are solved; made by the host whenever joints come or go ------------------------

/// A lane of the tree solver: a body and the joint by which it hangs on its parent. Lanes of a batch lie in whole
/// blocks, children before parents, and no two lanes of a block have the same parent.
struct TreeLane {
  Index joint;       // -1: none, the root of a tree that hangs on nothing
  Index child;       // body row, or -1: padding
  Index parent;      // body row, or -1: none that moves by forces
  Index child_is_a;  // 1: the child is body a of the joint
  float load;        // [kg] of the child and all that hangs on it
  float heaviest;    // [kg] of these bodies
};
/// Blocks of lanes that one warp or thread works on, one after another.
struct TreeBatch {
  Index first_block, last_block;  // the last one is not of the batch
  Index ball_only;                // 1: all joints lock the three linear axes and no other
  Index looped;                   // 1: some tree is closed to a loop
  Index chains;                   // 1: ball_only, not looped, and a lane's parent is the child of the same lane in the
                                  // next block, or does not move and the block is the last one
  Index width;                    // lanes of a block from here on are padding in all of them
};
/// A lane of the colored joints. Within a color no dynamic body appears twice.
struct ColorLane {
  Index joint;    // -1: padding
  Index in_tree;  // 1: a lane of the trees has its locked axes; else they are solved here
  Index turns;    // 1: in_tree, and an axis that is locked or limited is a turning one
};

struct JointPlan {
  Column<const TreeLane> tree_lanes;  // of all batches, then those of joints that close the only loop of their trees
  Index first_loop_lane = 0;          // of the latter
  Column<const TreeBatch> batches;
  Column<const ColorLane> color_lanes;  // joints that have more than locked axes, or are in no tree; by color
  Column<const Index> color_begin;      // first lane of each color and the end of the last, multiples of kLanes
  Column<const float> body_flags;       // of the first body rows: see MarkJoined; others have no joints
  bool operator==(const JointPlan&) const = default;
};

// ---- scratch of the solver: a lane for each lane of the plan --------------------------------------------------------

/// Of the tree solver. Rows are turned such that they are child against parent: for row i,
/// direction_i . (v_child - v_parent) + lever_child_i . w_child - lever_parent_i . w_parent. Turning rows have no
/// direction. Rows of axes that are neither locked nor limited are zero, and so is what `mass` has for rows that are
/// not locked.
namespace tree_row {
enum Field : int {
  child,                    // body row; the null body in padding
  parent,                   // body row; the null body if it does not move
  joint,                    // row of the joint, or ~0
  rests,                    // 1: nothing is awake in any lane of the block, which is left out
  sign,                     // -1: the child is body a, else 1
  turns,                    // 1: the joint locks or limits a turning axis; else its turning rows stay 0
  lone,                     // lone_swing()
  limits,                   // 1: some axis has a limit that the tree holds, see tree_holds_limits()
  locked,                   // 1 for each axis that is, else 0; also for limits that are pressed on
  pressed = locked + 6,     // 1 for each axis that is held at its lower limit, -1 at its upper, else 0
  lower = pressed + 6,      // [m, rad] of the limits that the tree holds; -kNoLimit: none
  upper = lower + 6,        // kNoLimit: none
  offset = upper + 6,       // [m] from A's centre to B's at the start of the step
  anchor_a = offset + 3,    // [m] JointModel::anchor_a, ...
  anchor_b = anchor_a + 3,  //
  frame_a = anchor_b + 3,   //
  frame_b = frame_a + 4,    //
  force = frame_b + 4,      // [N] that the joint had on b in the step before, world frame
  load = force + 3,         // [kg] TreeLane::load
  heaviest,                 // [kg] TreeLane::heaviest
  position,                 // [m, rad] now, of the axes of joints with limits; twist of all that hold a turning axis
  wanted = position + 6,    // [m/s, rad/s] of each row, by a biased solve
  direction = wanted + 6,   // of the three linear rows; the world's axes if they alone are locked
  lever_child = direction + 9,  // of all six rows; scaled axes, see solve_columns.h
  lever_parent = lever_child + 18,
  own_mass = lever_parent + 18,  // [kg] of the child by itself; 0: it does not move by forces
  own_inertia,                   // of the child by itself, in scaled axes: 3x3, symmetric
  turned = own_inertia + 6,  // 1: the child turned so far in this step that what follows must be made anew, or other
                             // limits are pressed on
  response = turned + 1,     // inverse inertia of the child with all that hangs on it, as in TreeInertia
  mass = response + 21,      // inverse of the rows' 6x6 matrix, laid out the same way
  impulse = mass + 21,       // [N s, N m s] of each row, summed over the step
  before = impulse + 6,      // the same when the sub-step began, of limits
  back = before + 6,         // [N s, N m s] that the next solve takes back along each row, see PressLimits
  hung = back + 6,           // [N s, N m s] by a solve on its way up: on the child, by all that hangs on it
  missing = hung + 6,        // [m/s, rad/s] speeds along the rows are short of, with a parent at rest
  kFields = missing + 6,
};
}  // namespace tree_row
using TreeRows = LaneBlocks<tree_row::kFields>;

/// Of the colored joints: rows for all six axes. Lanes of joints that hold nothing have neither locks nor forces.
namespace joint_row {
enum Field : int {
  body_a,                   // the null body in padding and for the world
  body_b,                   //
  joint,                    // row of the joint, or ~0
  uses,                     // what some lane of the block has: see joint_uses
  rests,                    // 1: nothing is awake in any lane of the block, which is left out
  locked,                   // 1 for each axis that is locked here, else 0
  driven = locked + 6,      // talus::Drive of each axis
  kind = driven + 6,        // 0: six axes; kRadialLane, kCustomLane
  lone,                     // lone_swing()
  offset,                   // [m] from A's centre to B's at the start of the step
  anchor_a = offset + 3,    //
  anchor_b = anchor_a + 3,  //
  frame_a = anchor_b + 3,   //
  frame_b = frame_a + 4,    //
  position = frame_b + 4,   // [m, rad] of each axis, now
  before = position + 6,    // the same when the sub-step began
  direction = before + 6,   // of the three linear axes; of kBallsOnly: [N s] impulse, world frame, at the end
  lever_a = direction + 9,  // of all six; scaled axes
  lever_b = lever_a + 18,   //
  turned = lever_b + 18,    // of kBallsOnly: 1: `give` is not that of the start of the step, which is the unit matrix
  give_a,                   // inverse inertia of A in scaled axes, now: 3x3, symmetric
  give_b = give_a + 6,      //
  lock_mass = give_b + 6,   // inverse of the 6x6 matrix of the locked rows
  axis_mass = lock_mass + 21,        // [kg, kg m2] effective mass of each axis by itself
  lower = axis_mass + 6,             // [m, rad] -kNoLimit: none
  upper = lower + 6,                 //
  target = upper + 6,                // [m, rad]
  target_speed = target + 6,         // [m/s, rad/s]
  stiffness = target_speed + 6,      // AxisDef::stiffness, ...
  damping = stiffness + 6,           //
  drive_rate = damping + 6,          // [1/s] part of the distance from the target removed a second
  drive_softness = drive_rate + 6,   // [1/kg, 1/kg/m2] speed that the drive gives way for an impulse (S3-68)
  drive_most = drive_softness + 6,   // [N s, N m s] in a sub-step
  friction_most = drive_most + 6,    // [N s, N m s] in a sub-step
  limit_hertz = friction_most + 6,   //
  limit_damping_ratio,               //
  limit_restitution,                 //
  approach,                          // [m/s, rad/s] rates when the step began
  peak = approach + 6,               // [N s, N m s] largest limit impulse of the step
  lock_impulse = peak + 6,           // [N s, N m s] on b, of this sub-step, ...
  drive_impulse = lock_impulse + 6,  //
  friction_impulse = drive_impulse + 6,
  limit_impulse = friction_impulse + 6,  // > 0 at the lower limit, < 0 at the upper
  sum = limit_impulse + 6,               // of all four, over the step
  kFields = sum + 6,
};
}  // namespace joint_row
using JointRows = LaneBlocks<joint_row::kFields>;

/// Bits of joint_row::uses.
namespace joint_uses {
constexpr std::uint32_t lock(int axis) {
  return 1u << axis;
}
constexpr std::uint32_t drive(int axis) {
  return 1u << (6 + axis);
}
constexpr std::uint32_t friction(int axis) {
  return 1u << (12 + axis);
}
constexpr std::uint32_t limit(int axis) {
  return 1u << (18 + axis);
}
constexpr std::uint32_t kTurns = 0x38 | 0x38 << 6 | 0x38 << 12 | 0x38 << 18;  // anything along a turning axis
constexpr std::uint32_t kLocks = 0x3f, kTurnLocks = 0x38, kDrives = 0x3f << 6, kFrictions = 0x3f << 12,
                        kLimits = 0x3f << 18;
/// All joints of the block hold a point and nothing else; their linear axes are the world's.
constexpr std::uint32_t kBallsOnly = 1u << 31;
/// Some joint of the block is of a kind of the caller's.
constexpr std::uint32_t kCustom = 1u << 29;
/// Anything at all along an axis.
constexpr std::uint32_t any(int axis) {
  return lock(axis) | drive(axis) | friction(axis) | limit(axis);
}
}  // namespace joint_uses

/// What hangs on a body, on its way up the tree: an impulse. 32 bytes; zero between solves.
struct alignas(32) TreePush {
  Vec3 linear;
  float unused;
  Vec3 angular;  // scaled axes
  float unused_too;
};
/// What tension adds to the inertia of a body, see HangTension. 32 bytes.
struct alignas(32) BodyTension {
  Vec3 inertia;  // [kg m2] about its own axes; zero between steps
  float unused[5];
};
/// Inertia of what hangs on a body, as a symmetric 6x6 matrix: three of xx xy xz yy yz zz, the coupling row by row. 96
/// bytes.
struct alignas(32) TreeInertia {
  float value[24];
};

}  // namespace talus

#define TALUS_JOINT_BODY_SCRATCH(X)                                                     \
  X(TreePush, push, "", "zero between solves")                                          \
  X(BodyTension, tension, "", "")                                                       \
  X(TreeInertia, inertia, "", "of all that hangs on the body; zero between factorings") \
  X(TreeInertia, mobility, "", "inverse inertia of the body as its whole tree makes it; of trees in loops")

namespace talus {

TALUS_DEFINE_VIEW(JointBodyScratch, TALUS_JOINT_BODY_SCRATCH)

/// Whether the limits of a joint in a tree are held by the tree: an exact solve with the locked axes, where sweeps
/// would have to pass loads on from body to body. Limits that bounce or give way are left to the sweeps.
TALUS_INLINE bool tree_holds_limits(const JointModel& m, Index joint) {
  return m.limit_restitution[joint] == 0.0f && m.limit_hertz[joint] == 0.0f;
}

/// Joints of kinds of the caller's; empty if there are none.
struct CustomJoints {
  std::uint64_t used = 0;                    // bit k: some joint is of JointDef::kind k
  const JointKind* kinds = nullptr;          // by JointDef::kind; in the host's memory. More may come, none changes
  Column<const JointParameters> parameters;  // of each row of a joint
  Column<CustomRow> rows;                    // 12 for each row of a joint
  bool operator==(const CustomJoints&) const = default;
};

/// All that a step knows of joints.
struct JointViews {
  Index count = 0;  // rows of joints in use
  JointModel model;
  JointState state;
  JointPlan plan;
  TreeRows tree;             // as many lanes as plan.tree_lanes
  JointRows rows;            // as many lanes as plan.color_lanes
  Column<Index> live_begin;  // plan.color_begin in a step that happens, else zeros
  JointBodyScratch bodies;   // capacity as SolveRowScratch
  CustomJoints custom;
  bool operator==(const JointViews&) const = default;
};

}  // namespace talus
