// SPDX-License-Identifier: MIT
// Edits of a world: checked here, folded in edit_queue.cpp, and sent before the next step or read.
#include <talus/world.h>

#include <string>

#include "exec_cpu.h"
#include "material.h"
#include "world_impl.h"

namespace talus {

void World::Impl::set_model(Index row) {
  edits.set_model(row, mirror(row).model);
}

void World::set_pose(BodyId body, const Transform& pose) {
  const Index row = impl_->row_of({"set_pose", "body"}, body);
  require_finite({"set_pose", "pose"}, ".position", pose.position);
  const FloatEnvironment environment;
  const Quat orientation = checked_orientation({"set_pose", "pose"}, ".orientation", pose.orientation);
  impl_->edits.set_pose(row, pose.position, orientation);
}

void World::set_velocity(BodyId body, Vec3 linear, Vec3 angular) {
  const Index row = impl_->row_of({"set_velocity", "body"}, body);
  require_finite({"set_velocity", "linear"}, "", linear);
  require_finite({"set_velocity", "angular"}, "", angular);
  const bool moves =
      linear.x != 0 || linear.y != 0 || linear.z != 0 || angular.x != 0 || angular.y != 0 || angular.z != 0;
  if (moves && impl_->mirror(row).model.motion == std::uint8_t(Motion::fixed)) {
    throw Error("set_velocity: body = {slot " + std::to_string(body.slot) + "} is fixed; a kinematic one can be moved");
  }
  impl_->edits.set_velocity(row, linear, angular);
}

void World::set_material(BodyId body, const Material& material) {
  const Index row = impl_->row_of({"set_material", "body"}, body);
  validate_material({"set_material", "material"}, "", material);
  BodyModelRow& model = impl_->mirror(row).model;
  impl_->bouncing_count += (material.restitution > 0.0f ? 1 : 0) - (model.restitution > 0.0f ? 1 : 0);
  model.friction = material.friction;
  model.restitution = material.restitution;
  model.combine = packed_rules(material.friction_combine, material.restitution_combine);
  impl_->set_model(row);
}

void World::set_filter(BodyId body, const Filter& filter) {
  const Index row = impl_->row_of({"set_filter", "body"}, body);
  impl_->mirror(row).model.group = filter.group;
  impl_->mirror(row).model.mask = filter.mask;
  impl_->set_model(row);
}

void World::set_gravity_scale(BodyId body, float scale) {
  const Index row = impl_->row_of({"set_gravity_scale", "body"}, body);
  require_finite({"set_gravity_scale", "scale"}, "", scale);
  impl_->mirror(row).model.gravity_scale = scale;
  impl_->set_model(row);
}

void World::set_damping(BodyId body, float linear, float angular) {
  const Index row = impl_->row_of({"set_damping", "body"}, body);
  require_at_least_zero({"set_damping", "linear"}, "", linear);
  require_at_least_zero({"set_damping", "angular"}, "", angular);
  impl_->mirror(row).model.linear_damping = linear;
  impl_->mirror(row).model.angular_damping = angular;
  impl_->set_model(row);
}

// Forces and impulses on a body that nothing pushes are checked and then forgotten.

void World::apply_force(BodyId body, Vec3 force) {
  const Index row = impl_->row_of({"apply_force", "body"}, body);
  require_finite({"apply_force", "force"}, "", force);
  const FloatEnvironment environment;
  if (impl_->is_dynamic(row)) impl_->edits.add_force(row, force, {0.0f, 0.0f, 0.0f});
}

void World::apply_force_at(BodyId body, Vec3 force, Vec3 point) {
  const Index row = impl_->row_of({"apply_force_at", "body"}, body);
  require_finite({"apply_force_at", "force"}, "", force);
  require_finite({"apply_force_at", "point"}, "", point);
  const FloatEnvironment environment;
  if (impl_->is_dynamic(row)) impl_->edits.add_force_at(row, force, point);
}

void World::apply_torque(BodyId body, Vec3 torque) {
  const Index row = impl_->row_of({"apply_torque", "body"}, body);
  require_finite({"apply_torque", "torque"}, "", torque);
  const FloatEnvironment environment;
  if (impl_->is_dynamic(row)) impl_->edits.add_force(row, {0.0f, 0.0f, 0.0f}, torque);
}

void World::apply_impulse(BodyId body, Vec3 impulse) {
  const Index row = impl_->row_of({"apply_impulse", "body"}, body);
  require_finite({"apply_impulse", "impulse"}, "", impulse);
  const FloatEnvironment environment;
  if (impl_->is_dynamic(row)) impl_->edits.add_impulse(row, impulse, {0.0f, 0.0f, 0.0f});
}

void World::apply_impulse_at(BodyId body, Vec3 impulse, Vec3 point) {
  const Index row = impl_->row_of({"apply_impulse_at", "body"}, body);
  require_finite({"apply_impulse_at", "impulse"}, "", impulse);
  require_finite({"apply_impulse_at", "point"}, "", point);
  const FloatEnvironment environment;
  if (impl_->is_dynamic(row)) impl_->edits.add_impulse_at(row, impulse, point);
}

void World::apply_angular_impulse(BodyId body, Vec3 impulse) {
  const Index row = impl_->row_of({"apply_angular_impulse", "body"}, body);
  require_finite({"apply_angular_impulse", "impulse"}, "", impulse);
  const FloatEnvironment environment;
  if (impl_->is_dynamic(row)) impl_->edits.add_impulse(row, {0.0f, 0.0f, 0.0f}, impulse);
}

void World::set_gravity(Vec3 gravity) {
  require_finite({"set_gravity", "gravity"}, "", gravity);
  const Vec3 before = impl_->def.gravity;
  const bool same = gravity.x == before.x && gravity.y == before.y && gravity.z == before.z;
  if (!same && impl_->def.sleep.enabled && impl_->slots.size() > 0) impl_->edits.wake_all();
  impl_->def.gravity = gravity;
}

void World::ignore_pair(BodyId a, BodyId b) {
  Impl& w = *impl_;
  const Index row_a = w.row_of({"ignore_pair", "a"}, a), row_b = w.row_of({"ignore_pair", "b"}, b);
  if (row_a == row_b) throw Error("ignore_pair: a and b are the same body, in slot " + std::to_string(row_a));
  if (!w.ignored.insert(pair_key(row_a, row_b)).second) return;
  ++w.mirror(row_a).ignored_pairs;
  ++w.mirror(row_b).ignored_pairs;
  w.ignored_changed = true;
  w.wake_row(row_a);
  w.wake_row(row_b);
}

void World::collide_pair(BodyId a, BodyId b) {
  Impl& w = *impl_;
  const Index row_a = w.row_of({"collide_pair", "a"}, a), row_b = w.row_of({"collide_pair", "b"}, b);
  if (row_a == row_b) throw Error("collide_pair: a and b are the same body, in slot " + std::to_string(row_a));
  if (w.ignored.erase(pair_key(row_a, row_b)) == 0) return;
  --w.mirror(row_a).ignored_pairs;
  --w.mirror(row_b).ignored_pairs;
  w.ignored_changed = true;
  w.wake_row(row_a);
  w.wake_row(row_b);
}

void World::wake(BodyId body) {
  impl_->wake_row(impl_->row_of({"wake", "body"}, body));
}

void World::put_to_sleep(BodyId body) {
  const Index row = impl_->row_of({"put_to_sleep", "body"}, body);
  if (impl_->def.sleep.enabled && impl_->is_dynamic(row)) impl_->edits.put_to_sleep(row);
}

void World::Impl::forget_ignored_pairs(Index row) {
  for (auto it = ignored.begin(); it != ignored.end();) {
    const Index a = static_cast<Index>(*it >> 32), b = static_cast<Index>(*it & 0xffffffffu);
    if (a != row && b != row) {
      ++it;
      continue;
    }
    --mirror(a).ignored_pairs;
    --mirror(b).ignored_pairs;
    it = ignored.erase(it);
  }
  ignored_changed = true;
}

}  // namespace talus
