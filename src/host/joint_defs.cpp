// SPDX-License-Identifier: MIT
// The usual joints, as choices of axes.
#include <talus/joint.h>

#include "exec_cpu.h"
#include "joint_columns.h"
#include "math/vec3.h"
#include "validate.h"

namespace talus {

namespace {

constexpr float kShortest = 1e-12f;      // [1] a direction shorter than this is none
constexpr float kPerpendicular = 1e-3f;  // [1] cosine of the angle between two arms that cross at right angles

Vec3 unit(const char* call, const char* name, Vec3 direction) {
  require_finite({call, name}, "", direction);
  const float longest = max_of(max_of(abs_of(direction.x), abs_of(direction.y)), abs_of(direction.z));
  if (!(longest > kShortest)) reject({call, name}, "", "of length " + number_text(longest), "a direction has a length");
  const Vec3 scaled = (1.0f / longest) * direction;  // so that squares neither vanish nor overflow
  return (1.0f / length(scaled)) * scaled;
}

// The rotation whose matrix has these columns, which are unit and right-handed. Shepperd 1978: the largest component
// first, so that no division is by a small number.
Quat rotation_of(Vec3 x, Vec3 y, Vec3 z) {
  const float trace = x.x + y.y + z.z;
  if (trace > 0.0f) return normalized(Quat{y.z - z.y, z.x - x.z, x.y - y.x, 1.0f + trace});
  if (x.x >= y.y && x.x >= z.z) return normalized(Quat{1.0f + x.x - y.y - z.z, x.y + y.x, x.z + z.x, y.z - z.y});
  if (y.y >= z.z) return normalized(Quat{x.y + y.x, 1.0f - x.x + y.y - z.z, y.z + z.y, z.x - x.z});
  return normalized(Quat{x.z + z.x, y.z + z.y, 1.0f - x.x - y.y + z.z, x.y - y.x});
}

Transform frame_of(const char* call, const char* name, Vec3 point, Vec3 x_axis) {
  const FloatEnvironment environment;
  const Vec3 x = unit(call, name, x_axis), y = tangent_of(x);
  return {point, rotation_of(x, y, cross(x, y))};
}

JointDef joint_at(BodyId a, BodyId b, const Transform& frame) {
  JointDef def;
  def.a = a;
  def.b = b;
  def.frame = frame;
  return def;
}

template <class... Axes>
void lock(JointDef& def, Axes... axes) {
  ((def.axis(axes).mode = AxisMode::locked), ...);
}

void add_servo(AxisDef& axis, float hertz, float max_force) {
  axis.drive = Drive::servo;
  axis.stiffness = hertz;
  axis.damping = 1.0f;
  axis.max_force = max_force;
}

}  // namespace

Transform frame_along(Vec3 point, Vec3 x_axis) {
  return frame_of("frame_along", "x_axis", point, x_axis);
}

JointDef ball_joint(BodyId a, BodyId b, Vec3 point) {
  JointDef def = joint_at(a, b, {point, kIdentity});
  lock(def, Axis::x, Axis::y, Axis::z);
  return def;
}

JointDef hinge_joint(BodyId a, BodyId b, Vec3 point, Vec3 axis) {
  JointDef def = joint_at(a, b, frame_of("hinge_joint", "axis", point, axis));
  lock(def, Axis::x, Axis::y, Axis::z, Axis::swing_y, Axis::swing_z);
  return def;
}

JointDef universal_joint(BodyId a, BodyId b, Vec3 point, Vec3 arm_a, Vec3 arm_b) {
  const FloatEnvironment environment;
  const Vec3 along_a = unit("universal_joint", "arm_a", arm_a), x = unit("universal_joint", "arm_b", arm_b);
  const float cosine = dot(along_a, x);
  if (!(abs_of(cosine) <= kPerpendicular)) {
    throw Error("universal_joint: arm_a and arm_b cross at an angle whose cosine is " + number_text(cosine) +
                ", must be 0 within 1e-3");
  }
  const Vec3 across = cross(x, along_a), z = (1.0f / length(across)) * across;
  JointDef def = joint_at(a, b, {point, rotation_of(x, cross(z, x), z)});
  lock(def, Axis::x, Axis::y, Axis::z, Axis::swing_z);
  return def;
}

JointDef slider_joint(BodyId a, BodyId b, Vec3 point, Vec3 axis) {
  JointDef def = joint_at(a, b, frame_of("slider_joint", "axis", point, axis));
  lock(def, Axis::y, Axis::z, Axis::twist, Axis::swing_y, Axis::swing_z);
  return def;
}

JointDef cylindrical_joint(BodyId a, BodyId b, Vec3 point, Vec3 axis) {
  JointDef def = joint_at(a, b, frame_of("cylindrical_joint", "axis", point, axis));
  lock(def, Axis::y, Axis::z, Axis::swing_y, Axis::swing_z);
  return def;
}

JointDef weld_joint(BodyId a, BodyId b, Vec3 point) {
  JointDef def = joint_at(a, b, {point, kIdentity});
  lock(def, Axis::x, Axis::y, Axis::z, Axis::twist, Axis::swing_y, Axis::swing_z);
  return def;
}

JointDef distance_joint(BodyId a, BodyId b, Vec3 point_a, Vec3 point_b, float shortest, float longest) {
  JointDef def = joint_at(a, b, {point_a, kIdentity});
  def.point_b = point_b;
  def.radial = true;
  AxisDef& distance = def.axis(Axis::x);
  distance.mode = AxisMode::limited;
  distance.lower = shortest;
  distance.upper = longest;
  return def;
}

JointDef motor_joint(BodyId a, BodyId b, Vec3 point, float hertz, float max_force, float max_torque) {
  JointDef def = joint_at(a, b, {point, kIdentity});
  for (int axis = 0; axis < kAxisCount; ++axis) {
    add_servo(def.axes[std::size_t(axis)], hertz, axis < 3 ? max_force : max_torque);
  }
  return def;
}

JointDef gear_joint(BodyId a, Vec3 axis_a, BodyId b, Vec3 axis_b, float ratio) {
  const FloatEnvironment environment;
  const Vec3 u = unit("gear_joint", "axis_a", axis_a), v = unit("gear_joint", "axis_b", axis_b);
  require_finite({"gear_joint", "ratio"}, "", ratio);
  if (ratio == 0.0f) reject({"gear_joint", "ratio"}, "", ratio, "must not be 0");
  JointDef def = joint_at(a, b, {{0.0f, 0.0f, 0.0f}, kIdentity});
  def.kind = kGearKind;
  def.parameters = {ratio, u.x, u.y, u.z, v.x, v.y, v.z, 0.0f};
  lock(def, Axis::twist);
  return def;
}

JointDef drag_joint(BodyId body, Vec3 point, float hertz, float max_force) {
  JointDef def = joint_at(kWorld, body, {point, kIdentity});
  for (const Axis axis : {Axis::x, Axis::y, Axis::z}) add_servo(def.axis(axis), hertz, max_force);
  return def;
}

}  // namespace talus
