// SPDX-License-Identifier: MIT
// What is behind talus::World: ids, a mirror of the models, queued edits, and the simulation that they go to.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <talus/world.h>

#include "body_row.h"
#include "edit_queue.h"
#include "joint_row.h"
#include "magnitudes.h"
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
  Magnitudes inverse_masses;        // [1/kg] of dynamic bodies
  Magnitudes thicknesses;           // [m] of all but planes
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
  float last_dt = 0.0f;  // [s] of the last step that was queued; 0: there was none
  StepReport report;     // of the last step known of
  StepSummary summary;   // of the steps since it was cleared

  /// The row of a body, or Error if the id names none.
  Index row_of(const Where& where, BodyId body, const char* field = "") const;
  BodyMirror& mirror(Index row) { return mirrors[static_cast<std::size_t>(row)]; }
  bool is_dynamic(Index row) { return mirror(row).model.motion == std::uint8_t(Motion::dynamic); }

  /// Waits for queued steps.
  void settle();
  /// Waits for queued steps and brings all queued edits to the simulation.
  void flush();
  void send_lists();
  void send_edits();
  /// Room for one more edit of each of the rows, which then does not fail. One call for all rows of an operation.
  void make_edit_room(std::span<const Index> rows);

  // Edits come in two parts, so that the world is as it was if memory runs out: the first one takes all memory that the
  // edit needs and may fail, the second one changes the world and cannot.

  /// Bodies that have a row, a mirror and a material, and are not in the world yet. Gives all of it back at its end,
  /// unless they were put in.
  struct NewBodies {
    Impl& world;
    std::vector<Index> rows;
    std::vector<BodyStateRow> states;
    std::size_t made = 0;  // of them have a mirror and a material

    explicit NewBodies(Impl& impl) : world(impl) {}
    ~NewBodies();
    NewBodies(const NewBodies&) = delete;
    NewBodies& operator=(const NewBodies&) = delete;
  };
  /// All are good, or Error. `where` names the call and, but for one body alone, the list.
  void prepare(NewBodies& bodies, const Where& where, std::span<const BodyDef> defs);
  void put_in(NewBodies& bodies, std::vector<BodyId>& ids);
  /// There must be room for an edit of the row.
  void take_out(Index row);
  void count_shapes(const BodyMirror& body, Index change);
  void count_sizes(const BodyModelRow& model, Index change);

  /// The same for joints: they have a row, and places in the lists of who is coupled to whom.
  struct NewJoints {
    Impl& world;
    std::vector<JointMirror> joints;
    std::vector<Index> rows;
    JointTables::Beginners tables;

    explicit NewJoints(Impl& impl) : world(impl) {}
    ~NewJoints();
    NewJoints(const NewJoints&) = delete;
    NewJoints& operator=(const NewJoints&) = delete;
  };
  /// `joints.joints` are checked. `edited`: rows of bodies that are edited as well.
  void prepare(NewJoints& joints, const char* call, std::span<const Index> edited);
  void put_in(NewJoints& joints, std::vector<JointId>& ids);

  void forget_ignored_pairs(Index row);
  void set_model(Index row);
  /// Throws Error if the id names none.
  void require_material(const Where& where, const char* field, MaterialId id) const;
  /// What a definition gives for a material. Throws Error.
  Material checked(const Where& where, const Material& material) const;
  /// The definition, with the values of the material that it names.
  BodyDef resolved(const Where& where, const BodyDef& body) const;
  /// Bodies of one of two materials.
  std::vector<Index> rows_of_material(MaterialId a, MaterialId b);
  /// There must be room for an edit of the row.
  void change_material(Index row, const Material& material, MaterialId id);
  /// With all that fell asleep together with it. For edits that do not go through the queue.
  void wake_row(Index row) {
    if (def.sleep.enabled) edits.wake(row);
  }

  /// The row of a joint, or Error if the id names none.
  Index row_of(const Where& where, JointId joint) const;
  void wake_joint(const JointModelRow& model);
  /// So that it does not fail.
  void make_wake_room(const JointModelRow& model);
  JointMirror& joint_mirror(Index row) { return joint_mirrors[static_cast<std::size_t>(row)]; }
  /// `state`: where the bodies are, or null if that does not matter.
  JointSide side_of(const Where& where, const char* field, BodyId body, const BodyState* state);
  /// The joint between two bodies that are there, or Error.
  JointMirror checked_joint(const Where& where, const JointDef& joint, const JointSide& a, const JointSide& b);
  /// One or many: `where` gives the place of each. All are good, or none is added.
  std::vector<JointId> add_joints(const Where& where, std::span<const JointDef> defs);
  /// Keeps the lists of who is coupled to whom; +1 or -1. Room for edits of its bodies must be there; of the lists, -1
  /// takes none.
  void count_joint(Index row, const JointModelRow& model, bool collide, Index change);
  /// Takes out joints, by rows in ascending order, and then bodies.
  void remove(std::span<const Index> joint_rows, std::span<const BodyId> bodies);
  /// Rows, in ascending order.
  std::vector<Index> joints_of_bodies(std::span<const BodyId> bodies) const;
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
