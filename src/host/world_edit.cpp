// SPDX-License-Identifier: MIT
// Edits of a world: checked here, folded in edit_queue.cpp, and sent before the next step or read.
#include <talus/world.h>

#include <array>
#include <string>
#include <vector>

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

// ---- materials -----------------------------------------------------------------------------------------------------

void World::Impl::require_material(const Where& where, const char* field, MaterialId id) const {
  if (materials.contains(id)) return;
  reject(where, field, "{number " + std::to_string(id.number) + "}", "names no material of this world");
}

Material World::Impl::checked(const Where& where, const Material& material) const {
  require_stiffness(where, ".contact_hertz", material.contact_hertz, def.solver);
  return checked_material(where, "", material);
}

BodyDef World::Impl::resolved(const Where& where, const BodyDef& body) const {
  BodyDef whole = body;
  require_stiffness(where, ".material.contact_hertz", body.material.contact_hertz, def.solver);
  if (body.material_id == MaterialId{}) return whole;
  require_material(where, ".material_id", body.material_id);
  whole.material = materials.material(body.material_id);
  return whole;
}

std::vector<Index> World::Impl::rows_of_material(MaterialId a, MaterialId b) {
  std::vector<Index> rows;
  for (Index row = 0; row < slots.size(); ++row) {
    const BodyMirror& body = mirror(row);
    if (body.model.alive != 0 && (body.material_id == a || body.material_id == b)) rows.push_back(row);
  }
  return rows;
}

void World::Impl::change_material(Index row, const Material& material, MaterialId id) {
  const std::uint32_t number = materials.take(material, id);  // may fail, unless there is an id
  BodyMirror& body = mirror(row);
  bouncing_count += (material.restitution > 0.0f ? 1 : 0) - (body.model.restitution > 0.0f ? 1 : 0);
  talus::set_material(body, material, id);
  const std::uint32_t before = body.model.flags >> kMaterialShift;
  body.model.flags = (body.model.flags & ((1u << kMaterialShift) - 1)) | (number << kMaterialShift);
  materials.release(before);
  set_model(row);
}

void World::set_material(BodyId body, const Material& material) {
  const Index row = impl_->row_of({"set_material", "body"}, body);
  const Material checked = impl_->checked({"set_material", "material"}, material);
  impl_->make_edit_room({&row, 1});
  impl_->change_material(row, checked, {});
}

void World::assign_material(BodyId body, MaterialId material) {
  const Index row = impl_->row_of({"assign_material", "body"}, body);
  impl_->require_material({"assign_material", "material"}, "", material);
  impl_->make_edit_room({&row, 1});
  impl_->change_material(row, impl_->materials.material(material), material);
}

MaterialId World::add_material(const Material& material) {
  return impl_->materials.add(impl_->checked({"add_material", "material"}, material));
}

void World::set_material(MaterialId id, const Material& material) {
  Impl& w = *impl_;
  w.require_material({"set_material", "id"}, "", id);
  const Material checked = w.checked({"set_material", "material"}, material);
  for (const auto& [key, pair] : w.materials.pairs()) {
    if (key.first != id.number && key.second != id.number) continue;
    const auto side = [&](std::uint32_t number) {
      return number == id.number ? checked : w.materials.material({number});
    };
    const Where where{"set_material", "pair of material",
                      static_cast<std::ptrdiff_t>(key.first == id.number ? key.second : key.first)};
    validate_material_pair(where, pair, Materials::pair_friction(side(key.first), side(key.second)));
  }
  const std::vector<Index> rows = w.rows_of_material(id, id);
  w.make_edit_room(rows);  // the last thing that may fail
  w.materials.set(id, checked);
  for (const Index row : rows) w.change_material(row, checked, id);
}

Material World::material(MaterialId id) const {
  impl_->require_material({"material", "id"}, "", id);
  return impl_->materials.material(id);
}

void World::set_material_pair(MaterialId a, MaterialId b, const MaterialPair& pair) {
  Impl& w = *impl_;
  w.require_material({"set_material_pair", "a"}, "", a);
  w.require_material({"set_material_pair", "b"}, "", b);
  const Where where{"set_material_pair", "pair"};
  validate_material_pair(where, pair, Materials::pair_friction(w.materials.material(a), w.materials.material(b)));
  require_stiffness(where, ".contact_hertz", pair.contact_hertz, w.def.solver);
  const std::vector<Index> rows = w.rows_of_material(a, b);
  w.make_edit_room(rows);
  w.materials.set_pair(a, b, pair);  // the last thing that may fail
  for (const Index row : rows) w.wake_row(row);
}

MaterialPair World::material_pair(MaterialId a, MaterialId b) const {
  impl_->require_material({"material_pair", "a"}, "", a);
  impl_->require_material({"material_pair", "b"}, "", b);
  return impl_->materials.pair(a, b);
}

// ---- other edits ---------------------------------------------------------------------------------------------------

void World::set_filter(BodyId body, const Filter& filter) {
  const Index row = impl_->row_of({"set_filter", "body"}, body);
  impl_->make_edit_room({&row, 1});
  impl_->mirror(row).model.group = filter.group;
  impl_->mirror(row).model.mask = filter.mask;
  impl_->set_model(row);
}

void World::set_gravity_scale(BodyId body, float scale) {
  const Index row = impl_->row_of({"set_gravity_scale", "body"}, body);
  require_finite({"set_gravity_scale", "scale"}, "", scale);
  impl_->make_edit_room({&row, 1});
  impl_->mirror(row).model.gravity_scale = scale;
  impl_->set_model(row);
}

void World::set_damping(BodyId body, float linear, float angular) {
  const Index row = impl_->row_of({"set_damping", "body"}, body);
  require_at_least_zero({"set_damping", "linear"}, "", linear);
  require_at_least_zero({"set_damping", "angular"}, "", angular);
  impl_->make_edit_room({&row, 1});
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
  w.make_edit_room(std::array{row_a, row_b});
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
  w.make_edit_room(std::array{row_a, row_b});
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
