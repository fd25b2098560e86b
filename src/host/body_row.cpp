// SPDX-License-Identifier: MIT
#include "body_row.h"

#include "exec_cpu.h"
#include "material.h"
#include "math/vec3.h"
#include "shapes/extent.h"
#include "shapes/mass.h"

namespace talus {

namespace {

constexpr float kInertiaTolerance = 1.01f;  // [1] a moment may exceed the sum of the other two by this factor

// Both the value and its inverse are ordinary numbers.
bool invertible(float x) {
  return x > 0.0f && is_finite(x) && is_finite(1.0f / x) && 1.0f / x > 0.0f;
}

bool is_zero(Vec3 v) {
  return v.x == 0.0f && v.y == 0.0f && v.z == 0.0f;
}

// Components of the size that mean nothing become zero.
Vec3 used_part(const ShapeDef& shape) {
  const bool use_y = shape.type != ShapeType::sphere, use_z = use_y && shape.type != ShapeType::capsule;
  return {shape.size.x, use_y ? shape.size.y : 0.0f, use_z ? shape.size.z : 0.0f};
}

void set_mass(const Where& where, const BodyDef& def, BodyMirror& body) {
  body.mass = def.mass ? *def.mass : def.density * shape_volume(def.shape.type, body.model.shape_size);
  if (!invertible(body.mass)) {
    if (def.mass) reject(where, ".mass", body.mass, "must be finite and > 0, and so must its inverse");
    reject(where, ".density", def.density, "gives a mass that is not finite and > 0");
  }
  body.inertia = def.inertia ? *def.inertia : shape_inertia(def.shape.type, body.model.shape_size, body.mass);
  const Vec3 i = body.inertia;
  static constexpr const char* kFields[] = {".inertia.x", ".inertia.y", ".inertia.z"};
  for (int axis = 0; axis < 3; ++axis) {
    if (invertible(component(i, axis))) continue;
    reject(where, kFields[axis], component(i, axis),
           def.inertia ? "a moment of inertia must be finite and > 0, and so must its inverse"
                       : "the shape is too small or too large for its mass");
  }
  for (int axis = 0; axis < 3; ++axis) {
    const float moment = component(i, axis);
    if (moment <= kInertiaTolerance * (i.x + i.y + i.z - moment)) continue;
    reject(where, kFields[axis], moment, "more than the other two moments together: no body is like this");
  }
  body.model.inv_mass = 1.0f / body.mass;
  body.model.inv_inertia = {1.0f / i.x, 1.0f / i.y, 1.0f / i.z};
}

void set_motion(const Where& where, const BodyDef& def, BodyModelRow& model) {
  const bool is_plane = def.shape.type == ShapeType::plane;
  const Motion motion = def.motion.value_or(is_plane ? Motion::fixed : Motion::dynamic);
  if (motion > Motion::dynamic) reject(where, ".motion", std::to_string(unsigned(motion)), "no such motion");
  if (is_plane && motion == Motion::dynamic) reject(where, ".motion", "dynamic", "a plane cannot be dynamic");
  model.motion = std::uint8_t(motion);
}

}  // namespace

void set_material(BodyMirror& mirror, const Material& material, MaterialId id) {
  mirror.material = material;
  mirror.material_id = id;
  mirror.model.combine = packed_rules(material.friction_combine, material.restitution_combine);
  mirror.model.friction = material.friction;
  mirror.model.restitution = material.restitution;
}

NewBody make_body(const Where& where, const BodyDef& def) {
  const FloatEnvironment environment;
  NewBody body{};
  BodyModelRow& model = body.mirror.model;
  BodyStateRow& state = body.state;

  validate_shape(where, def.shape);
  set_motion(where, def, model);
  require_positive(where, ".density", def.density);
  if (def.mass) require_positive(where, ".mass", *def.mass);
  if (def.inertia) require_finite(where, ".inertia", *def.inertia);
  require_finite(where, ".position", def.position);
  require_finite(where, ".linear_velocity", def.linear_velocity);
  require_finite(where, ".angular_velocity", def.angular_velocity);
  const Material material = checked_material(where, ".material", def.material);
  require_finite(where, ".gravity_scale", def.gravity_scale);
  require_at_least_zero(where, ".linear_damping", def.linear_damping);
  require_at_least_zero(where, ".angular_damping", def.angular_damping);
  if (model.motion == std::uint8_t(Motion::fixed) && !(is_zero(def.linear_velocity) && is_zero(def.angular_velocity))) {
    reject(where, ".motion", "fixed", "a body with a velocity must be kinematic or dynamic");
  }

  model.alive = 1;
  model.shape = std::uint8_t(def.shape.type);
  model.shape_size = used_part(def.shape);
  if (def.shape.type == ShapeType::plane) {
    model.shape_size = checked_direction(where, ".shape.size", def.shape.size);
  } else {
    model.radius = bounding_radius(def.shape.type, model.shape_size);
    require_positive(where, ".shape.size", model.radius, "the radius of the shape must be finite");
  }
  if (model.motion == std::uint8_t(Motion::dynamic)) set_mass(where, def, body.mirror);
  set_material(body.mirror, material, def.material_id);
  model.group = def.filter.group;
  model.mask = def.filter.mask;
  model.gravity_scale = def.gravity_scale;
  model.linear_damping = def.linear_damping;
  model.angular_damping = def.angular_damping;
  model.flags = def.can_sleep ? 0u : kNeverSleeps;

  state.position = def.position;
  state.orientation = checked_orientation(where, ".orientation", def.orientation);
  state.linear_velocity = def.linear_velocity;
  state.angular_velocity = def.angular_velocity;
  return body;
}

BodyDef definition_of(const BodyMirror& mirror, const BodyStateRow& state) {
  const BodyModelRow& model = mirror.model;
  BodyDef def;
  def.shape = {ShapeType(model.shape), model.shape_size};
  def.motion = Motion(model.motion);
  if (def.motion == Motion::dynamic) {
    def.mass = mirror.mass;
    def.inertia = mirror.inertia;
  }
  def.position = state.position;
  def.orientation = state.orientation;
  def.linear_velocity = state.linear_velocity;
  def.angular_velocity = state.angular_velocity;
  def.material = mirror.material;
  def.material_id = mirror.material_id;
  def.filter = {model.group, model.mask};
  def.gravity_scale = model.gravity_scale;
  def.linear_damping = model.linear_damping;
  def.angular_damping = model.angular_damping;
  def.can_sleep = (model.flags & kNeverSleeps) == 0;
  return def;
}

}  // namespace talus
