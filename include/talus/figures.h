// SPDX-License-Identifier: MIT
// Figures and vehicles: bodies and joints that belong together, made from a short description. Built on World alone, so
// each is also an example of what joints can do. In a figure's or a vehicle's own frame y is up, z forward and x left;
// the origin is on the ground, between the feet or under the middle of the chassis.
#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <talus/defs.h>
#include <talus/joint.h>
#include <talus/types.h>

namespace talus {

class World;

constexpr float radians(float degrees) {
  return degrees * 0.017453292519943295f;
}

// ---- parts before they are in a world ------------------------------------------------------------------------------

/// A joint between two bodies of an assembly.
struct AssemblyJoint {
  int a = -1;      ///< index of a body; -1: the world
  int b = -1;      ///< same
  JointDef def{};  ///< its own a and b are filled in when it is added
};
/// Bodies and joints as plain data.
struct Assembly {
  std::vector<BodyDef> bodies;
  std::vector<AssemblyJoint> joints;
};
struct AssemblyIds {
  std::vector<BodyId> bodies;
  std::vector<JointId> joints;
};
/// Adds all of it or, if one part is bad, nothing.
AssemblyIds add_assembly(World& world, std::span<const BodyDef> bodies, std::span<const AssemblyJoint> joints);
inline AssemblyIds add_assembly(World& world, const Assembly& assembly) {
  return add_assembly(world, assembly.bodies, assembly.joints);
}

// ---- figures (S3-99, S3-100) ---------------------------------------------------------------------------------------

/// How far an axis turns. Zero: not at all; -kUnlimited to kUnlimited: freely.
struct AxisRange {
  float lower = 0.0f;  ///< [rad]
  float upper = 0.0f;  ///< [rad] >= lower
};

/// A rigid part of a figure and the joint by which it hangs on its parent. Pose and joint are given in the figure's
/// frame, in the reference pose. Set `reference` such that zero is in the middle of wide ranges: swings end at half a
/// turn.
struct Segment {
  std::string name;         ///< unique, not empty
  int parent = -1;          ///< index of an earlier segment; -1 for the first one, the root, alone
  ShapeDef shape{};         ///< sphere, box or capsule
  float mass = 0.0f;        ///< [kg]; 0: density times volume
  float density = 1000.0f;  ///< [kg/m^3]
  /// [1] > 0: factor on the shape's moments of inertia. Light ends that bear weight need more than they have, or a step
  /// leaves their limits behind.
  float inertia_scale = 1.0f;
  Transform pose{};                  ///< [m] of the body
  Transform joint{};                 ///< [m] of the joint; its x axis is that of the twist. Not used by the root
  Vec3 reference{0.0f, 0.0f, 0.0f};  ///< [rad] twist, swing_y and swing_z of the reference pose
  AxisRange twist{};                 ///< [rad] of Axis::twist
  AxisRange swing_y{};               ///< [rad] of Axis::swing_y
  AxisRange swing_z{};               ///< [rad] of Axis::swing_z
  Vec3 comfort{0.0f, 0.0f, 0.0f};    ///< [rad] twist, swing_y and swing_z of the comfort pose; within the ranges
  float strength = 0.0f;             ///< [N m] with which the joint holds the comfort pose at most, >= 0
};

/// A tree of segments, parents before children.
struct Skeleton {
  std::vector<Segment> segments;
  Material material{};
  float full_angle = 0.5f;  ///< [rad] > 0: a joint this far from its pose pulls with all its strength, nearer with less
  float damping_time = 0.1f;     ///< [s] >= 0: its damping is its stiffness times this
  float friction_share = 0.02f;  ///< [1] >= 0: dry friction as part of the strength; keeps a limp doll quiet
};

/// 18 segments: pelvis, abdomen, chest, head; with _left and _right: thigh, shin, foot, toes, upper_arm, forearm, hand.
/// 75 kg at 1.8 m; masses grow with the cube of the height. Knees, elbows and toes are hinges.
Skeleton human_skeleton(float height = 1.8f);

/// Bodies and joints of a figure in its comfort pose: body i is segment i, joint i - 1 the one to its parent. `place`
/// is where the figure's frame goes. Strength is a factor on that of the segments; at 0 joints have limits and friction
/// only. Neighbours do not collide, other segments do. A bad skeleton throws Error, which names the segment.
Assembly figure_assembly(const Skeleton& skeleton, const Transform& place, float strength = 0.0f);

/// A figure in a world.
struct Figure {
  Skeleton skeleton;
  std::vector<BodyId> bodies;   ///< by segment
  std::vector<JointId> joints;  ///< by segment, to its parent; the root's names no joint

  /// Index of the segment of a name; Error if there is none.
  std::size_t segment(std::string_view name) const;
  BodyId body(std::string_view name) const { return bodies[segment(name)]; }
  JointId joint(std::string_view name) const { return joints[segment(name)]; }
  /// How strongly the pose is held from now on, >= 0; 0 lets go: limits and friction remain (S3-105, S3-108). Angles
  /// set before return to those of the comfort pose.
  void set_strength(World& world, float strength) const;
  /// [rad] twist, swing_y and swing_z that the segment's joint turns to, within its strength (S3-102).
  void set_angles(World& world, std::string_view name, Vec3 angles) const;
};
Figure add_figure(World& world, const Skeleton& skeleton, const Transform& place, float strength = 0.0f);

// ---- vehicles (S3-113) ---------------------------------------------------------------------------------------------

/// A box on two wheels behind a vehicle, with the vehicle's wheels and suspension.
struct TrailerDef {
  Vec3 half_extents{0.6f, 0.3f, 1.0f};  ///< [m]
  float mass = 300.0f;                  ///< [kg] > 0
  float shaft = 0.6f;                   ///< [m] > 0: from the chassis to the hitch, and from there to the box
};

/// A box on four wheels. Wheels are spheres: they roll exactly, with one point on the ground. One joint holds a wheel:
/// Axis::y is the suspension, Axis::swing_y steering, Axis::twist the spin.
struct VehicleDef {
  Vec3 half_extents{0.5f, 0.3f, 2.0f};    ///< [m] of the chassis
  float mass = 1200.0f;                   ///< [kg] > 0, without wheels
  float height = 0.35f;                   ///< [m] of the chassis' centre above those of the wheels
  float track = 1.6f;                     ///< [m] > 0: between left and right wheels
  float wheelbase = 2.6f;                 ///< [m] > 0: between front and rear wheels
  float wheel_radius = 0.35f;             ///< [m] > 0
  float wheel_mass = 20.0f;               ///< [kg] > 0
  float wheel_friction = 1.0f;            ///< [1] >= 0
  float suspension_hertz = 1.5f;          ///< [Hz] > 0, of the chassis on its springs
  float suspension_damping_ratio = 0.5f;  ///< [1] >= 0
  float suspension_travel = 0.15f;        ///< [m] > 0: up and down from the height at rest
  float gravity = 9.81f;                  ///< [m/s^2] >= 0 for which the springs are loaded
  bool front_drive = false;
  bool rear_drive = true;
  float drive_torque = 500.0f;          ///< [N m] >= 0 of each driven wheel
  float drive_speed = 0.0f;             ///< [m/s] wanted at first, forward
  float max_steering = radians(35.0f);  ///< [rad] > 0, less than a right angle
  float steering_hertz = 10.0f;         ///< [Hz] > 0
  float steering_torque = 2000.0f;      ///< [N m] >= 0
  bool trailer = false;
  TrailerDef trailer_def{};
};

/// Body 0 is the chassis, 1 to 4 are the wheels: front left, front right, rear left, rear right; with a trailer 5 is
/// its box, 6 and 7 are its wheels. Joints 0 to 3 hold the wheels, 4 is the hitch, 5 and 6 hold the trailer's wheels.
Assembly vehicle_assembly(const VehicleDef& def, const Transform& place);

/// A vehicle in a world.
struct Vehicle {
  VehicleDef def;
  BodyId chassis;
  std::array<BodyId, 4> wheels;         ///< front left, front right, rear left, rear right
  std::array<JointId, 4> wheel_joints;  ///< in that order
  BodyId trailer;                       ///< no body without one
  std::array<BodyId, 2> trailer_wheels;
  JointId hitch;

  /// [m/s] that the driven wheels turn for from now on, within their torque; 0 brakes, < 0 is backward.
  void set_drive(World& world, float speed) const;
  /// [rad] > 0 to the left, at most max_steering. The inner wheel turns more: all wheels roll about one point.
  void set_steering(World& world, float angle) const;
};
Vehicle add_vehicle(World& world, const VehicleDef& def, const Transform& place);

}  // namespace talus
