// SPDX-License-Identifier: MIT
#include <talus/figures.h>
#include <talus/world.h>

#include <cmath>
#include <numbers>
#include <utility>

#include "pose.h"
#include "validate.h"

namespace talus {
namespace {

constexpr int kWheelCount = 4;
constexpr int kHitch = kWheelCount;            // index of the hitch among the joints
constexpr int kTrailerBody = 1 + kWheelCount;  // index of the trailer's box among the bodies
constexpr float kAxleBehind = 0.05f;           // [m] of a trailer's axle behind its middle, which loads the hitch
constexpr Quat kHitchAxes{0.0f, 0.70710678118655f, 0.0f, 0.70710678118655f};  // x backward, y up

bool is_front(int wheel) {
  return wheel < 2;
}
float side_of(int wheel) {
  return wheel % 2 == 0 ? 1.0f : -1.0f;  // 1: left
}

void check_vehicle(const VehicleDef& def) {
  const Where where{"vehicle", "def"};
  const auto box_size = [&](const char* field, Vec3 half) {
    require_positive(where, field, half.x);
    require_positive(where, field, half.y);
    require_positive(where, field, half.z);
  };
  box_size(".half_extents", def.half_extents);
  require_positive(where, ".mass", def.mass);
  require_finite(where, ".height", def.height);
  require_positive(where, ".track", def.track);
  require_positive(where, ".wheelbase", def.wheelbase);
  require_positive(where, ".wheel_radius", def.wheel_radius);
  require_positive(where, ".wheel_mass", def.wheel_mass);
  require_at_least_zero(where, ".wheel_friction", def.wheel_friction);
  require_positive(where, ".suspension_hertz", def.suspension_hertz);
  require_at_least_zero(where, ".suspension_damping_ratio", def.suspension_damping_ratio);
  require_positive(where, ".suspension_travel", def.suspension_travel);
  require_at_least_zero(where, ".gravity", def.gravity);
  require_at_least_zero(where, ".drive_torque", def.drive_torque);
  require_finite(where, ".drive_speed", def.drive_speed);
  require_positive(where, ".max_steering", def.max_steering);
  require_range(where, ".max_steering", def.max_steering, 0.0f, radians(80.0f));
  require_positive(where, ".steering_hertz", def.steering_hertz);
  require_at_least_zero(where, ".steering_torque", def.steering_torque);
  if (!def.trailer) return;
  box_size(".trailer_def.half_extents", def.trailer_def.half_extents);
  require_positive(where, ".trailer_def.mass", def.trailer_def.mass);
  require_positive(where, ".trailer_def.shaft", def.trailer_def.shaft);
}

// [rad] of a front wheel, such that its axle points to where the rear axle's line and the turn's centre are
// (Ackermann). `angle` is that of a wheel in the middle.
float wheel_angle(const VehicleDef& def, int wheel, float angle) {
  const double tangent = std::tan(double(angle));
  const double offset = double(side_of(wheel)) * double(def.track) / 2;  // [m] to the left of the middle
  return float(std::atan2(double(def.wheelbase) * tangent, double(def.wheelbase) - offset * tangent));
}

// Axes of a wheel's joint that carries part of a mass. Frames: x along the axle to the left, y up.
JointDef wheel_joint(const VehicleDef& def, float carried) {
  JointDef joint;
  for (const Axis axis : {Axis::x, Axis::z, Axis::swing_y, Axis::swing_z}) joint.axis(axis).mode = AxisMode::locked;
  const float rate = 2.0f * std::numbers::pi_v<float> * def.suspension_hertz;  // [rad/s]
  AxisDef& spring = joint.axis(Axis::y);
  spring.mode = AxisMode::limited;
  spring.lower = -def.suspension_travel;
  spring.upper = def.suspension_travel;
  spring.drive = Drive::spring;
  spring.stiffness = carried * rate * rate;
  spring.damping = 2.0f * def.suspension_damping_ratio * carried * rate;
  spring.target_position = -def.gravity / (rate * rate);  // carries its load at zero
  return joint;
}

// Bodies and joints of a vehicle, put together at a place.
class Builder {
 public:
  Builder(const VehicleDef& def, const Pose& place) : def_(def), place_(place) {}

  int add_body(ShapeDef shape, float mass, Vec3 position) {
    BodyDef body;
    body.shape = shape;
    body.mass = mass;
    const Transform pose = to_transform(place_ * to_pose({position, kIdentity}));
    body.position = pose.position;
    body.orientation = pose.orientation;
    assembly_.bodies.push_back(body);
    return static_cast<int>(assembly_.bodies.size()) - 1;
  }
  int add_wheel(Vec3 position) {
    const int wheel = add_body(sphere(def_.wheel_radius), def_.wheel_mass, position);
    assembly_.bodies.back().material.friction = def_.wheel_friction;
    return wheel;
  }
  // Joins two bodies at a place in the vehicle's frame, in which bodies stand unturned.
  void add_joint(JointDef joint, int a, int b, const Transform& frame) {
    const Transform pose_a = pose_of(a), pose_b = pose_of(b);
    const auto in_body = [&](const Transform& pose) { return inverse(to_pose(pose)) * place_ * to_pose(frame); };
    set_frames(joint, in_body(pose_a), in_body(pose_b), pose_a, pose_b);
    assembly_.joints.push_back({a, b, joint});
  }
  Assembly take() { return std::move(assembly_); }

 private:
  Transform pose_of(int index) const {
    const BodyDef& body = assembly_.bodies[static_cast<std::size_t>(index)];
    return {body.position, body.orientation};
  }

  const VehicleDef& def_;
  Pose place_;
  Assembly assembly_;
};

void add_trailer(Builder& build, const VehicleDef& def, int chassis) {
  const TrailerDef& trailer = def.trailer_def;
  const float axle_height = def.wheel_radius;
  const float hitch = -def.half_extents.z - trailer.shaft;
  const float middle = hitch - trailer.shaft - trailer.half_extents.z;
  const int body = build.add_body(box(trailer.half_extents), trailer.mass, {0.0f, axle_height + def.height, middle});
  std::array<int, 2> wheels{};
  std::array<Vec3, 2> places{};
  for (int side = 0; side < 2; ++side) {
    const auto i = static_cast<std::size_t>(side);
    places[i] = {side_of(side) * def.track / 2.0f, axle_height, middle - kAxleBehind};
    wheels[i] = build.add_wheel(places[i]);
  }
  // A ball joint; the limits keep the shaft from folding against the vehicle.
  JointDef ball;
  for (const Axis axis : {Axis::x, Axis::y, Axis::z}) ball.axis(axis).mode = AxisMode::locked;
  const auto limit = [&](Axis axis, float angle) {
    ball.axis(axis).mode = AxisMode::limited;
    ball.axis(axis).lower = -angle;
    ball.axis(axis).upper = angle;
  };
  limit(Axis::twist, radians(60.0f));
  limit(Axis::swing_y, radians(70.0f));
  limit(Axis::swing_z, radians(30.0f));
  build.add_joint(ball, chassis, body, {{0.0f, axle_height, hitch}, kHitchAxes});
  for (std::size_t i = 0; i < wheels.size(); ++i) {
    build.add_joint(wheel_joint(def, trailer.mass / 2.0f), body, wheels[i], {places[i], kIdentity});
  }
}

}  // namespace

Assembly vehicle_assembly(const VehicleDef& def, const Transform& place) {
  check_vehicle(def);
  const Where where{"vehicle", "place"};
  require_finite(where, ".position", place.position);
  Builder build(def, to_pose({place.position, checked_orientation(where, ".orientation", place.orientation)}));

  const int chassis = build.add_body(box(def.half_extents), def.mass, {0.0f, def.wheel_radius + def.height, 0.0f});
  std::array<int, kWheelCount> wheels{};
  std::array<Vec3, kWheelCount> places{};
  for (int wheel = 0; wheel < kWheelCount; ++wheel) {
    const auto i = static_cast<std::size_t>(wheel);
    const float along = is_front(wheel) ? def.wheelbase / 2.0f : -def.wheelbase / 2.0f;
    places[i] = {side_of(wheel) * def.track / 2.0f, def.wheel_radius, along};
    wheels[i] = build.add_wheel(places[i]);
  }
  for (int wheel = 0; wheel < kWheelCount; ++wheel) {
    const auto i = static_cast<std::size_t>(wheel);
    JointDef joint = wheel_joint(def, def.mass / float(kWheelCount));
    if (is_front(wheel)) {
      AxisDef& steering = joint.axis(Axis::swing_y);
      steering.mode = AxisMode::limited;
      steering.lower = wheel_angle(def, wheel, -def.max_steering);
      steering.upper = wheel_angle(def, wheel, def.max_steering);
      steering.drive = Drive::servo;
      steering.stiffness = def.steering_hertz;
      steering.damping = 1.0f;
      steering.max_force = def.steering_torque;
    }
    if (is_front(wheel) ? def.front_drive : def.rear_drive) {
      AxisDef& spin = joint.axis(Axis::twist);
      spin.drive = Drive::velocity;
      spin.target_velocity = def.drive_speed / def.wheel_radius;
      spin.max_force = def.drive_torque;
    }
    build.add_joint(joint, chassis, wheels[i], {places[i], kIdentity});
  }
  if (def.trailer) add_trailer(build, def, chassis);
  return build.take();
}

Vehicle add_vehicle(World& world, const VehicleDef& def, const Transform& place) {
  const AssemblyIds ids = add_assembly(world, vehicle_assembly(def, place));
  Vehicle vehicle{.def = def, .chassis = ids.bodies[0]};
  for (std::size_t wheel = 0; wheel < kWheelCount; ++wheel) {
    vehicle.wheels[wheel] = ids.bodies[1 + wheel];
    vehicle.wheel_joints[wheel] = ids.joints[wheel];
  }
  if (def.trailer) {
    vehicle.trailer = ids.bodies[kTrailerBody];
    vehicle.trailer_wheels = {ids.bodies[kTrailerBody + 1], ids.bodies[kTrailerBody + 2]};
    vehicle.hitch = ids.joints[kHitch];
  }
  return vehicle;
}

void Vehicle::set_drive(World& world, float speed) const {
  require_finite({"set_drive", "speed"}, "", speed);
  for (int wheel = 0; wheel < kWheelCount; ++wheel) {
    if (!(is_front(wheel) ? def.front_drive : def.rear_drive)) continue;
    world.set_targets(wheel_joints[static_cast<std::size_t>(wheel)], Axis::twist, 0.0f, speed / def.wheel_radius);
  }
}

void Vehicle::set_steering(World& world, float angle) const {
  require_range({"set_steering", "angle"}, "", angle, -def.max_steering, def.max_steering);
  for (int wheel = 0; wheel < 2; ++wheel) {
    world.set_targets(wheel_joints[static_cast<std::size_t>(wheel)], Axis::swing_y, wheel_angle(def, wheel, angle),
                      0.0f);
  }
}

}  // namespace talus
