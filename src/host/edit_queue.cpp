// SPDX-License-Identifier: MIT
#include "edit_queue.h"

#include <algorithm>
#include <utility>

#include "math/vec3.h"
#include "reserve.h"

namespace talus {

namespace {

constexpr Vec3 kZero{0.0f, 0.0f, 0.0f};

// What wakes on a body's way (NoteEdits in kernels/sleep.h) is decided by each of these, from what it was before: they
// are not folded, so that it makes no difference whether the world was looked at in between.
constexpr std::uint32_t kSetsMotion = BodyEdit::set_all | BodyEdit::set_pose | BodyEdit::set_velocity;

bool is_zero(Vec3 v) {
  return v.x == 0.0f && v.y == 0.0f && v.z == 0.0f;
}

// Sums forces (or impulses) that act at points, as one at the first point plus moments about that point. While their
// sum is zero the moments are a couple, the same about any point, so the point may be chosen anew.
void add_at(Vec3 force, Vec3 point, Vec3& sum, Vec3& sum_point, Vec3& moment) {
  if (is_zero(sum)) sum_point = point;
  moment = moment + cross(point - sum_point, force);
  sum = sum + force;
}

}  // namespace

BodyEdit& EditQueue::record_on_top(Index row) {
  Place& place = place_[static_cast<std::size_t>(row)];
  const std::size_t layer = static_cast<std::size_t>(place.layer) + 1;
  if (layer == layers_.size()) layers_.emplace_back();
  layers_[layer].push_back(BodyEdit{});
  ++place.layer;
  place.index = static_cast<std::int32_t>(layers_[layer].size() - 1);
  ++size_;
  BodyEdit& edit = layers_[layer].back();
  edit.row = row;
  return edit;
}

std::ptrdiff_t EditQueue::new_layer_of(Index row) const {
  const Place place = place_[static_cast<std::size_t>(row)];
  if (place.layer < 0) return 0;
  const BodyEdit& last = layers_[static_cast<std::size_t>(place.layer)][static_cast<std::size_t>(place.index)];
  return (last.bits & BodyEdit::sleep) != 0 ? place.layer + 1 : -1;
}

BodyEdit& EditQueue::record(Index row) {
  if (static_cast<std::size_t>(row) >= place_.size()) place_.resize(static_cast<std::size_t>(row) + 1);
  if (new_layer_of(row) >= 0) return record_on_top(row);
  const Place place = place_[static_cast<std::size_t>(row)];
  return layers_[static_cast<std::size_t>(place.layer)][static_cast<std::size_t>(place.index)];
}

void EditQueue::make_room(std::span<const Index> rows, std::size_t most) {
  if (rows.empty()) return;
  const std::size_t end = static_cast<std::size_t>(*std::max_element(rows.begin(), rows.end())) + 1;
  if (end > place_.size()) place_.resize(end);
  std::vector<std::size_t> more(layers_.size() + 1);
  for (const Index row : rows) {
    const std::ptrdiff_t layer = new_layer_of(row);
    if (layer >= 0) ++more[static_cast<std::size_t>(layer)];
  }
  for (std::size_t layer = 0; layer < more.size(); ++layer) {
    if (more[layer] == 0) continue;
    if (layer == layers_.size()) layers_.emplace_back();
    reserve_for(layers_[layer], std::min(layers_[layer].size() + more[layer], most));
  }
}

void EditQueue::replace(Index row, const BodyModelRow& model, const BodyStateRow& state) {
  BodyEdit& edit = record(row);
  edit = BodyEdit{};
  edit.row = row;
  edit.bits = BodyEdit::set_all;
  edit.model = model;
  edit.state = state;
  structural_ = true;
}

void EditQueue::set_model(Index row, const BodyModelRow& model) {
  BodyEdit& edit = record(row);
  edit.bits |= BodyEdit::set_model;
  edit.model = model;
}

void EditQueue::set_pose(Index row, Vec3 position, Quat orientation) {
  BodyEdit* edit = &record(row);
  const bool depends_on_pose = (edit->bits & BodyEdit::add_impulse) != 0 || !is_zero(edit->point_force);
  if (depends_on_pose || (edit->bits & kSetsMotion) != 0) edit = &record_on_top(row);
  edit->bits |= BodyEdit::set_pose;
  edit->state.position = position;
  edit->state.orientation = orientation;
}

void EditQueue::set_velocity(Index row, Vec3 linear, Vec3 angular) {
  BodyEdit* edit = &record(row);
  if ((edit->bits & (kSetsMotion | BodyEdit::add_impulse)) != 0) edit = &record_on_top(row);
  edit->bits |= BodyEdit::set_velocity;
  edit->state.linear_velocity = linear;
  edit->state.angular_velocity = angular;
}

void EditQueue::add_force(Index row, Vec3 force, Vec3 torque) {
  BodyEdit& edit = record(row);
  edit.bits |= BodyEdit::add_force;
  edit.force = edit.force + force;
  edit.torque = edit.torque + torque;
}

void EditQueue::add_force_at(Index row, Vec3 force, Vec3 point) {
  BodyEdit& edit = record(row);
  edit.bits |= BodyEdit::add_force;
  add_at(force, point, edit.point_force, edit.force_point, edit.torque);
}

void EditQueue::add_impulse(Index row, Vec3 impulse, Vec3 angular_impulse) {
  BodyEdit& edit = record(row);
  edit.bits |= BodyEdit::add_impulse;
  edit.impulse = edit.impulse + impulse;
  edit.angular_impulse = edit.angular_impulse + angular_impulse;
}

void EditQueue::add_impulse_at(Index row, Vec3 impulse, Vec3 point) {
  BodyEdit& edit = record(row);
  edit.bits |= BodyEdit::add_impulse;
  add_at(impulse, point, edit.point_impulse, edit.impulse_point, edit.angular_impulse);
}

void EditQueue::wake(Index row) {
  record(row).bits |= BodyEdit::wake;
}

void EditQueue::put_to_sleep(Index row) {
  record(row).bits |= BodyEdit::sleep;
}

void EditQueue::wake_all() {
  record(0).bits |= BodyEdit::wake_all;
}

void EditQueue::forget_places() {
  for (const std::vector<BodyEdit>& layer : layers_) {
    for (const BodyEdit& edit : layer) place_[static_cast<std::size_t>(edit.row)] = Place{};
  }
  size_ = 0;
  structural_ = false;
}

void EditQueue::clear() {
  forget_places();
  for (std::vector<BodyEdit>& layer : layers_) layer.clear();
}

EditLayers EditQueue::take() {
  forget_places();
  return std::exchange(layers_, {});
}

}  // namespace talus
