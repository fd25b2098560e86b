// SPDX-License-Identifier: MIT
// Joints: what couples two bodies. Every joint is made of the same six axes between a frame in body a and a frame in
// body b; each axis is free, limited or locked, and may have a drive and dry friction. Hinge, slider and the others
// below are choices of axes.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include <talus/types.h>

namespace talus {

constexpr float kUnlimited = std::numeric_limits<float>::infinity();

/// Stands for the world where a joint asks for a body.
constexpr BodyId kWorld{};

/// Coordinates of frame b against frame a. At zero the two frames are the same.
enum class Axis : std::uint8_t {
  x,        ///< [m] of frame b's origin along the x axis of frame a; with JointDef::radial: distance of the two origins
  y,        ///< [m]
  z,        ///< [m]
  twist,    ///< [rad] turn about the x axis. Counts turns while the swings are locked
  swing_y,  ///< [rad] part about the y axis of frame a of the shortest turn that takes its x axis to frame b's, which
            ///< is (swing_y, swing_z) as angle times axis: good up to half a turn
  swing_z,  ///< [rad] same about the z axis of frame a. Of a swing that is locked by itself its sine is read, and held;
            ///< the other one is then the angle in its plane, within -pi..pi
};
constexpr int kAxisCount = 6;

/// What a joint of a kind of one's own is told, and means by itself (custom_joint.h).
constexpr int kJointParameters = 8;

enum class AxisMode : std::uint8_t {
  free,
  limited,  ///< within AxisDef::lower..upper
  locked,   ///< held at zero
};

/// What pushes along an axis, within AxisDef::max_force. With x the coordinate, v its rate, t the targets:
enum class Drive : std::uint8_t {
  none,
  velocity,  ///< holds v at target_velocity, rigidly (S3-95)
  spring,    ///< force = stiffness (t - x) + damping (target_velocity - v), integrated implicitly (S3-68)
  servo,  ///< the same, with stiffness and damping given as hertz and damping_ratio for the mass that it moves (S3-94)
};

/// One axis of a joint. Forces are torques on the turning axes: [N] or [N m].
struct AxisDef {
  AxisMode mode = AxisMode::free;
  float lower = 0.0f;  ///< [m, rad] with limited; lower <= upper
  float upper = 0.0f;  ///< [m, rad]
  Drive drive = Drive::none;
  float target_position = 0.0f;  ///< [m, rad] of spring and servo
  float target_velocity = 0.0f;  ///< [m/s, rad/s]
  float stiffness = 0.0f;        ///< spring: [N/m, N m/rad] >= 0; servo: [Hz] > 0
  float damping = 0.0f;          ///< spring: [N s/m, N m s/rad] >= 0; servo: [1] damping ratio >= 0
  float max_force = kUnlimited;  ///< [N, N m] that the drive has at most, >= 0
  float friction = 0.0f;         ///< [N, N m] dry friction, >= 0
};

/// A joint. The frames are given either as one frame in the world, from which those in the bodies follow, or each in
/// its body.
struct JointDef {
  BodyId a = kWorld;  ///< kWorld: fixed to the world
  BodyId b = kWorld;
  bool frames_in_bodies = false;  ///< false: `frame` counts; true: frame_a and frame_b
  Transform frame{};              ///< [m] of the joint in the world, as the bodies stand when the joint is made
  std::optional<Vec3> point_b{};  ///< [m] with `frame`: origin of frame b in the world; empty: that of `frame`
  Transform frame_a{};            ///< [m] in a; in the world if a is kWorld
  Transform frame_b{};            ///< [m] in b
  std::array<AxisDef, kAxisCount> axes{};
  bool radial = false;  ///< Axis::x is the distance of the origins; y and z must be free
  int kind = 0;         ///< 0: the axes above; else what World::add_joint_kind() gave: axes are its rows
  std::array<float, kJointParameters> parameters{};  ///< of the kind; finite
  bool collide = false;                              ///< the two bodies collide with each other
  float limit_hertz = 0.0f;                          ///< [Hz] stiffness of the limits; 0: rigid
  float limit_damping_ratio = 1.0f;                  ///< [1] with limit_hertz
  float limit_restitution = 0.0f;                    ///< [1] with which limits bounce, 0..1
  float break_force = kUnlimited;   ///< [N] > 0: the joint breaks in the step in which its reaction is larger
  float break_torque = kUnlimited;  ///< [N m] > 0

  AxisDef& axis(Axis which) { return axes[static_cast<std::size_t>(which)]; }
  const AxisDef& axis(Axis which) const { return axes[static_cast<std::size_t>(which)]; }
};

/// Names a joint for as long as it lives, as BodyId does a body.
struct JointId {
  std::uint32_t slot = 0xffffffffu;
  std::uint32_t generation = 0;
  auto operator<=>(const JointId&) const = default;
};

// ---- the usual joints, made at a place in the world -----------------------------------------------------------------

/// Frame at a point whose x axis is along a direction, which need not have unit length; the others are any.
Transform frame_along(Vec3 point, Vec3 x_axis);

/// The points stay together (S3-88).
JointDef ball_joint(BodyId a, BodyId b, Vec3 point);
/// Turns about an axis: Axis::twist is its angle (S3-89).
JointDef hinge_joint(BodyId a, BodyId b, Vec3 point, Vec3 axis);
/// Two arms that cross at right angles: the first is fixed in a, the second in b (S3-90). b turns about the first by
/// Axis::swing_y and about the second by Axis::twist.
JointDef universal_joint(BodyId a, BodyId b, Vec3 point, Vec3 arm_a, Vec3 arm_b);
/// Slides along an axis without turning: Axis::x is how far (S3-91).
JointDef slider_joint(BodyId a, BodyId b, Vec3 point, Vec3 axis);
/// Slides along an axis and turns about it.
JointDef cylindrical_joint(BodyId a, BodyId b, Vec3 point, Vec3 axis);
/// Nothing moves.
JointDef weld_joint(BodyId a, BodyId b, Vec3 point);
/// The distance of two points, one in each body, stays within limits: a rod if they are equal, a rope if the lower one
/// is zero. For a spring set the drive of Axis::x (S3-92).
JointDef distance_joint(BodyId a, BodyId b, Vec3 point_a, Vec3 point_b, float shortest, float longest);
/// All axes have a servo toward frame b = frame a, within a force and a torque (S3-98). Set the targets to move it.
JointDef motor_joint(BodyId a, BodyId b, Vec3 point, float hertz, float max_force, float max_torque);
/// Drags a point of a body toward a point of the world, with a bounded force (S3-114). Its targets x, y and z are from
/// where the point is now.
JointDef drag_joint(BodyId body, Vec3 point, float hertz, float max_force);
/// Wheels that mesh (S3-86): b turns about its axis by -ratio times what a turns about its own, over any number of
/// turns. Ratio is that of the radii or teeth, a's to b's; it is negative where both turn the same way. The axes are in
/// the world and stay where they are: hinges to bodies that do not turn hold them. Neither body may be the world.
/// Axis::twist is what is missing, [rad], swing_y the angle of a and swing_z that of b since the joint was made.
JointDef gear_joint(BodyId a, Vec3 axis_a, BodyId b, Vec3 axis_b, float ratio);

// ---- what can be read -----------------------------------------------------------------------------------------------

/// A joint after a step. The reaction is what b feels from the joint, as a mean over the step.
struct JointReading {
  std::array<float, kAxisCount> position;  ///< [m, rad] of each axis
  std::array<float, kAxisCount> velocity;  ///< [m/s, rad/s]
  Vec3 force;                              ///< [N] on b, world frame
  Vec3 torque;                             ///< [N m] on b about its anchor, world frame
  bool broken;
};

}  // namespace talus
