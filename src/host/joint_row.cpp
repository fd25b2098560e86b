// SPDX-License-Identifier: MIT
#include "joint_row.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "exec_cpu.h"
#include "math/vec3.h"

namespace talus {

namespace {

constexpr const char* kAxisNames[kAxisCount] = {"x", "y", "z", "twist", "swing_y", "swing_z"};

// The component that an axis has in a pair of columns.
float& part_of(Vec3& linear, Vec3& angular, Axis axis) {
  float* const parts[] = {&linear.x, &linear.y, &linear.z, &angular.x, &angular.y, &angular.z};
  return *parts[std::size_t(axis)];
}

// As the tables have it, and back.
float bounded(float value) {
  return std::clamp(value, -kNoLimit, kNoLimit);
}
float unbounded(float value) {
  return value >= kNoLimit ? kUnlimited : value <= -kNoLimit ? -kUnlimited : value;
}

bool is_nan(float value) {
  return !(value == value);
}

void check_numbers(const Where& where, const std::string& field, const AxisDef& def) {
  const auto finite = [&](const char* name, float value) {
    if (!is_finite(value)) require_finite(where, (field + name).c_str(), value);
  };
  const auto positive = [&](const char* name, float value) {
    if (!(is_finite(value) && value >= 0.0f)) require_at_least_zero(where, (field + name).c_str(), value);
  };
  finite(".target_position", def.target_position);
  finite(".target_velocity", def.target_velocity);
  positive(".stiffness", def.stiffness);
  positive(".damping", def.damping);
  positive(".friction", def.friction);
  if (!(def.max_force >= 0.0f)) reject(where, (field + ".max_force").c_str(), def.max_force, "must be >= 0");
}

void check_limits(const Where& where, const std::string& field, const AxisDef& def) {
  if (is_nan(def.lower) || def.lower >= kNoLimit) {
    reject(where, (field + ".lower").c_str(), def.lower, "must be a number below 1e30");
  }
  if (is_nan(def.upper) || def.upper <= -kNoLimit) {
    reject(where, (field + ".upper").c_str(), def.upper, "must be a number above -1e30");
  }
  if (def.lower > def.upper) {
    reject(where, (field + ".lower").c_str(), def.lower, ("must be <= upper = " + number_text(def.upper)).c_str());
  }
}

void check_axis(const Where& where, const std::string& field, Axis axis, bool radial, const AxisDef& def) {
  if (def.mode > AxisMode::locked) {
    reject(where, (field + ".mode").c_str(), std::to_string(unsigned(def.mode)), "no such mode");
  }
  if (def.drive > Drive::servo) {
    reject(where, (field + ".drive").c_str(), std::to_string(unsigned(def.drive)), "no such drive");
  }
  check_numbers(where, field, def);
  if (def.mode == AxisMode::limited) check_limits(where, field, def);
  if (def.drive == Drive::servo && !(def.stiffness > 0.0f)) {
    reject(where, (field + ".stiffness").c_str(), def.stiffness, "a servo needs a frequency > 0 Hz");
  }
  if (def.mode == AxisMode::locked && def.drive != Drive::none) {
    reject(where, (field + ".drive").c_str(), std::to_string(unsigned(def.drive)), "a locked axis cannot be driven");
  }
  if (def.mode == AxisMode::locked && def.friction > 0.0f) {
    reject(where, (field + ".friction").c_str(), def.friction, "a locked axis has none");
  }
  if (!radial) return;
  const bool idle = def.mode == AxisMode::free && def.drive == Drive::none && def.friction == 0.0f;
  if ((axis == Axis::y || axis == Axis::z) && !idle) {
    reject(where, (field + ".mode").c_str(), std::to_string(unsigned(def.mode)),
           "this axis of a radial joint must be free, without drive and friction");
  }
  if (axis == Axis::x && def.mode == AxisMode::locked) {
    reject(where, (field + ".mode").c_str(), "locked", "the distance of a radial joint cannot be zero: limit it");
  }
  if (axis == Axis::x && def.mode == AxisMode::limited && def.lower < 0.0f) {
    reject(where, (field + ".lower").c_str(), def.lower, "a distance must be >= 0");
  }
}

// Where a frame of the world is in a body.
void put_frame(const Transform& frame, const Transform& pose, Vec3& anchor, Quat& rotation) {
  anchor = rotate_back(pose.orientation, frame.position - pose.position);
  rotation = normalized(conjugate(pose.orientation) * frame.orientation);
}

void set_frames(const Where& where, const JointDef& def, const JointSide& a, const JointSide& b, JointModelRow& model) {
  if (def.frames_in_bodies) {
    require_finite(where, ".frame_a.position", def.frame_a.position);
    require_finite(where, ".frame_b.position", def.frame_b.position);
    if (def.point_b) reject(where, ".frames_in_bodies", "true", "point_b is for a frame in the world");
    model.anchor_a = def.frame_a.position;
    model.anchor_b = def.frame_b.position;
    model.frame_a = checked_orientation(where, ".frame_a.orientation", def.frame_a.orientation);
    model.frame_b = checked_orientation(where, ".frame_b.orientation", def.frame_b.orientation);
    return;
  }
  require_finite(where, ".frame.position", def.frame.position);
  if (def.point_b) require_finite(where, ".point_b", *def.point_b);
  Transform frame = def.frame;
  frame.orientation = checked_orientation(where, ".frame.orientation", def.frame.orientation);
  put_frame(frame, a.pose, model.anchor_a, model.frame_a);
  frame.position = def.point_b.value_or(frame.position);
  put_frame(frame, b.pose, model.anchor_b, model.frame_b);
  require_finite(where, ".frame.position", model.anchor_a);  // two far points may be too far from each other
  require_finite(where, ".frame.position", model.anchor_b);
}

void require_break_limit(const Where& where, const char* field, float value) {
  if (!(value > 0.0f)) reject(where, field, value, "must be > 0");
}

}  // namespace

void require_axis(const Where& where, Axis axis) {
  if (std::size_t(axis) >= std::size_t(kAxisCount)) {
    reject(where, "", std::to_string(unsigned(axis)), "no such axis");
  }
}

void put_axis(const Where& where, const std::string& field, JointModelRow& m, Axis axis, const AxisDef& def) {
  check_axis(where, field, axis, m.kind == kRadial, def);
  const int number = int(axis);
  const bool limited = def.mode == AxisMode::limited;
  m.axes = (m.axes & ~axis_bits(number, AxisMode(3), Drive(3))) | axis_bits(number, def.mode, def.drive);
  part_of(m.lower_linear, m.lower_angular, axis) = limited ? bounded(def.lower) : -kNoLimit;
  part_of(m.upper_linear, m.upper_angular, axis) = limited ? bounded(def.upper) : kNoLimit;
  set_targets_of(m, axis, def.target_position, def.target_velocity);
  part_of(m.stiffness_linear, m.stiffness_angular, axis) = def.stiffness;
  part_of(m.damping_linear, m.damping_angular, axis) = def.damping;
  part_of(m.max_force, m.max_torque, axis) = bounded(def.max_force);
  part_of(m.friction_force, m.friction_torque, axis) = def.friction;
}

void set_targets_of(JointModelRow& m, Axis axis, float position, float velocity) {
  part_of(m.target_linear, m.target_angular, axis) = position;
  part_of(m.target_linear_velocity, m.target_angular_velocity, axis) = velocity;
}

void require_some_axis(const Where& where, const char* field, const JointModelRow& m) {
  const Vec3 f = m.friction_force, t = m.friction_torque;
  if (m.axes != 0 || f.x > 0.0f || f.y > 0.0f || f.z > 0.0f || t.x > 0.0f || t.y > 0.0f || t.z > 0.0f) return;
  throw Error(where.text() + field +
              ": all axes are free, without drive and friction; such a joint would do nothing (a drive is switched off "
              "by max_force = 0)");
}

JointMirror make_joint(const Where& where, const JointDef& def, const JointSide& a, const JointSide& b, int kinds) {
  const FloatEnvironment environment;
  JointMirror joint{};
  JointModelRow& model = joint.model;
  model.alive = 1;
  if (def.kind < 0 || def.kind >= kinds) {
    reject(where, ".kind", std::to_string(def.kind), "no such kind: add_joint_kind() gives the number of one");
  }
  if (def.kind != 0 && def.radial) reject(where, ".radial", "true", "for a joint of the usual kind, 0");
  for (std::size_t i = 0; i < std::size_t(kJointParameters); ++i) {
    if (!is_finite(def.parameters[i])) {
      require_finite(where, (".parameters[" + std::to_string(i) + ']').c_str(), def.parameters[i]);
    }
    joint.parameters.value[i] = def.kind != 0 ? def.parameters[i] : 0.0f;
  }
  model.kind = def.kind != 0 ? custom_kind(def.kind) : def.radial ? kRadial : std::uint8_t(0);
  model.body_a = a.row;
  model.body_b = b.row;
  set_frames(where, def, a, b, model);
  for (int axis = 0; axis < kAxisCount; ++axis) {
    put_axis(where, std::string(".axes[") + kAxisNames[axis] + ']', model, Axis(axis), def.axes[std::size_t(axis)]);
  }
  require_some_axis(where, ".axes", model);
  require_at_least_zero(where, ".limit_hertz", def.limit_hertz);
  require_at_least_zero(where, ".limit_damping_ratio", def.limit_damping_ratio);
  require_range(where, ".limit_restitution", def.limit_restitution, 0.0f, 1.0f);
  require_break_limit(where, ".break_force", def.break_force);
  require_break_limit(where, ".break_torque", def.break_torque);
  model.limit_hertz = def.limit_hertz;
  model.limit_damping_ratio = def.limit_damping_ratio;
  model.limit_restitution = def.limit_restitution;
  model.break_force = bounded(def.break_force);
  model.break_torque = bounded(def.break_torque);
  joint.collide = def.collide ? 1 : 0;
  return joint;
}

JointDef definition_of(const JointMirror& mirror, BodyId a, BodyId b) {
  JointModelRow m = mirror.model;
  JointDef def;
  def.a = a;
  def.b = b;
  def.frames_in_bodies = true;
  def.frame_a = {m.anchor_a, m.frame_a};
  def.frame_b = {m.anchor_b, m.frame_b};
  for (int number = 0; number < kAxisCount; ++number) {
    const Axis axis = Axis(number);
    AxisDef& d = def.axis(axis);
    d.mode = axis_mode(m.axes, number);
    d.drive = axis_drive(m.axes, number);
    if (d.mode == AxisMode::limited) {
      d.lower = unbounded(part_of(m.lower_linear, m.lower_angular, axis));
      d.upper = unbounded(part_of(m.upper_linear, m.upper_angular, axis));
    }
    d.target_position = part_of(m.target_linear, m.target_angular, axis);
    d.target_velocity = part_of(m.target_linear_velocity, m.target_angular_velocity, axis);
    d.stiffness = part_of(m.stiffness_linear, m.stiffness_angular, axis);
    d.damping = part_of(m.damping_linear, m.damping_angular, axis);
    d.max_force = unbounded(part_of(m.max_force, m.max_torque, axis));
    d.friction = part_of(m.friction_force, m.friction_torque, axis);
  }
  def.radial = m.kind == kRadial;
  def.kind = is_custom(m.kind) ? m.kind - kRadial : 0;
  for (std::size_t i = 0; i < std::size_t(kJointParameters); ++i) def.parameters[i] = mirror.parameters.value[i];
  def.collide = mirror.collide != 0;
  def.limit_hertz = m.limit_hertz;
  def.limit_damping_ratio = m.limit_damping_ratio;
  def.limit_restitution = m.limit_restitution;
  def.break_force = unbounded(m.break_force);
  def.break_torque = unbounded(m.break_torque);
  return def;
}

bool same_rows(const JointModelRow& a, const JointModelRow& b) {
  bool same = true;
#define TALUS_COMPARE(type_, name, unit, meaning) same = same && std::memcmp(&a.name, &b.name, sizeof(type_)) == 0;
  TALUS_JOINT_MODEL(TALUS_COMPARE)  // NOLINT(bugprone-suspicious-memory-comparison): bits are compared
#undef TALUS_COMPARE
  return same;
}

}  // namespace talus
