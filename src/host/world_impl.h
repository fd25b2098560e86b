// SPDX-License-Identifier: MIT
// What is behind talus::World: ids, a mirror of the models, queued edits, and the simulation that they go to.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include <talus/world.h>

#include "body_row.h"
#include "edit_queue.h"
#include "joint_row.h"
#include "materials.h"
#include "simulation.h"
#include "slots.h"
#include "snapshot.h"
#include "validate.h"

namespace talus {

struct World::Impl {
  WorldDef def;
  Slots slots;
  std::vector<BodyMirror> mirrors;  // of each slot, as it will be with all queued edits
  std::set<std::uint64_t> ignored;  // smaller row << 32 | larger row
  Index kinematic_count = 0;        // bodies
  Index bouncing_count = 0;         // bodies, and limits of joints, with restitution
  Materials materials;
  bool planes_changed = false;  // since they were sent to the simulation
  bool ignored_changed = false;

  Slots joint_slots;
  std::vector<JointMirror> joint_mirrors;        // of each slot
  Index breakable_count = 0;                     // joints that may break
  bool bounded_joints = false;                   // StepShape::bounded_joints
  std::set<std::pair<Index, Index>> joints_of;   // row of a body, row of a joint
  std::map<std::uint64_t, Index> coupled_pairs;  // as `ignored`: how many joints keep the pair from colliding
  bool joints_changed = false;                   // since the simulation got a plan for them

  EditQueue edits;
  std::unique_ptr<Simulation> sim;
  StepReport report;    // of the last step known of
  StepSummary summary;  // of the steps since it was cleared

  /// The row of a body, or Error if the id names none.
  Index row_of(const Where& where, BodyId body, const char* field = "") const;
  BodyMirror& mirror(Index row) { return mirrors[static_cast<std::size_t>(row)]; }
  bool is_dynamic(Index row) { return mirror(row).model.motion == std::uint8_t(Motion::dynamic); }

  /// Waits for queued steps.
  void settle();
  /// Waits for queued steps and brings all queued edits to the simulation.
  void flush();
  void send_lists();
  /// Puts a body in the row, or with zeros takes it out; keeps the lists of planes and of bouncing bodies.
  void replace_body(Index row, const BodyMirror& mirror, const BodyStateRow& state);
  void forget_ignored_pairs(Index row);
  void set_model(Index row);
  /// Throws Error if the id names none.
  void require_material(const Where& where, const char* field, MaterialId id) const;
  /// The definition, with the values of the material that it names.
  BodyDef resolved(const Where& where, const BodyDef& body) const;
  void change_material(Index row, const Material& material, MaterialId id);
  /// With all that fell asleep together with it. For edits that do not go through the queue.
  void wake_row(Index row) {
    if (def.sleep.enabled) edits.wake(row);
  }

  /// The row of a joint, or Error if the id names none.
  Index row_of(const Where& where, JointId joint) const;
  void wake_joint(const JointModelRow& model);
  JointMirror& joint_mirror(Index row) { return joint_mirrors[static_cast<std::size_t>(row)]; }
  /// `state`: where the bodies are, or null if that does not matter.
  JointSide side_of(const Where& where, const char* field, BodyId body, const BodyState* state);
  JointMirror checked_joint(const Where& where, const JointDef& joint, const BodyState* state);
  /// One or many: `where` gives the place of each. All are good, or none is added.
  std::vector<JointId> add_joints(const Where& where, std::span<const JointDef> defs);
  /// Keeps the lists of who is coupled to whom; +1 or -1.
  void count_joint(Index row, const JointModelRow& model, bool collide, Index change);
  /// Rows in ascending order.
  void remove_joints(std::span<const Index> rows);
  void remove_joints_of(std::span<const BodyId> bodies);
  /// The mirror, with what the caller's kernels may have written since.
  JointMirror& fresh_joint(Index row);
  void send_joint_plan();
  int kind_count() const { return static_cast<int>(sim->joints().kinds().size()); }

  Snapshot capture();
  void adopt(Snapshot snapshot);
};

/// Names a pair of rows in lists of pairs.
inline std::uint64_t pair_key(Index a, Index b) {
  return (std::uint64_t(std::min(a, b)) << 32) | std::uint64_t(std::max(a, b));
}

/// Edits kept on the host before they are sent: bounds the memory that adding a million bodies takes.
constexpr Index kMaxQueuedEdits = 1 << 14;

}  // namespace talus
