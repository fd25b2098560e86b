// SPDX-License-Identifier: MIT
// Edits on their way to the backend. What is done to one body since the last step is folded into one record, so that
// records are independent. Where folding would change the meaning (a pose or a velocity that is set once more, a pose
// after an impulse that depends on it) the body gets another record, in another layer: layers are applied one after
// another.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include <talus/types.h>

#include "edit.h"

namespace talus {

using EditLayers = std::vector<std::vector<BodyEdit>>;

class EditQueue {
 public:
  bool empty() const { return size_ == 0; }
  Index size() const { return size_; }
  /// True if a body was added or removed.
  bool structural() const { return structural_; }

  /// Room for one more record of each of the rows: the next edit of each does not fail. One call for all rows of an
  /// operation; no more than `most` records are ever in the queue.
  void make_room(std::span<const Index> rows, std::size_t most);

  /// A new body in the row or, with zeros, none. What was queued for the row before is void.
  void replace(Index row, const BodyModelRow& model, const BodyStateRow& state);
  void set_model(Index row, const BodyModelRow& model);
  void set_pose(Index row, Vec3 position, Quat orientation);
  void set_velocity(Index row, Vec3 linear, Vec3 angular);
  void add_force(Index row, Vec3 force, Vec3 torque);
  void add_force_at(Index row, Vec3 force, Vec3 point);
  void add_impulse(Index row, Vec3 impulse, Vec3 angular_impulse);
  void add_impulse_at(Index row, Vec3 impulse, Vec3 point);
  void wake(Index row);
  void put_to_sleep(Index row);
  /// All bodies of a world that has some.
  void wake_all();

  const EditLayers& layers() const { return layers_; }
  /// Keeps its memory.
  void clear();
  /// Gives all layers and is empty after.
  EditLayers take();

 private:
  struct Place {
    std::int32_t layer = -1;
    std::int32_t index = 0;
  };
  /// The layer in which record() has to make a record for the row, or -1: there is one that serves.
  std::ptrdiff_t new_layer_of(Index row) const;
  BodyEdit& record(Index row);
  BodyEdit& record_on_top(Index row);
  void forget_places();

  EditLayers layers_;
  std::vector<Place> place_;  // of each row's last record
  Index size_ = 0;
  bool structural_ = false;
};

}  // namespace talus
