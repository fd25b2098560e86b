// SPDX-License-Identifier: MIT
// The tables of a world in the backend's memory, the queue of its steps, and their growth.
//
// A step is queued without waiting. When the host next looks (confirm), it finds the counters of every queued step. If
// one of them met a buffer too small, that step and all after it did nothing: the host enlarges the buffer and queues
// them again, with the edits between them. The result has the bits of a world that was large from the start.
#pragma once
#include <list>
#include <memory>
#include <span>
#include <vector>

#include <talus/world.h>

#include "backend.h"
#include "edit_queue.h"
#include "joint_tables.h"
#include "scratch.h"
#include "table.h"

namespace talus {

/// All that a step is given beside the tables.
struct StepInput {
  StepParams params;
  StepShape shape;   // rows and plane_count are filled in by Simulation
  EditLayers edits;  // go in before the step; no body is added or removed by them
  Index body_count = 0;
  Index joint_count = 0;
};

/// Over several steps.
struct StepSummary {
  StepStatus status = StepStatus::ok;  // union
  Index first_bad_row = -1;            // of the first step that froze a body
};

/// The contacts of the last step in plain memory.
struct ContactImage {
  Index pair_count = 0;
  std::vector<Index> begin, owner, partner;  // as PairList; begin has rows + 1
  std::vector<CachedContact> contacts;       // of each pair; zeros where they mean nothing
  std::vector<RollingImpulse> rolling;       // of each pair, or empty: all zero
};

/// Zeros for what means nothing in a contact: see CachedContact.
void clear_leftovers(CachedContact& contact);

/// What the rigid solvers leave of a step, in plain memory.
struct RigidImage {
  std::vector<std::uint32_t> words, tree_words, joint_words;  // of what follows
  RigidRows rows;
  TreeRows tree;
  Index first_loop_lane = 0;  // of `tree`
  JointRows joints;
  std::vector<BodyVelocity> free, solved;  // of each body row and of the null body
  std::vector<BodyFrame> frame;
  StepParams params{};

  Index null_body() const { return static_cast<Index>(frame.size()) - 1; }
};

class Simulation {
 public:
  using ModelCopy = Table<BodyModel>::HostCopy;
  using StateCopy = Table<BodyState>::HostCopy;
  using InputsCopy = Table<BodyInputs>::HostCopy;

  Simulation(std::shared_ptr<StepBackend> backend, const WorldDef& def);

  const std::shared_ptr<StepBackend>& backend() const { return backend_; }

  // ---- the queue ---------------------------------------------------------------------------------------------------
  /// Steps queued so far, confirmed or not.
  std::uint64_t step_number() const { return confirmed_ + queue_.size(); }
  bool queue_full() const { return queue_.size() >= static_cast<std::size_t>(kMaxQueuedSteps); }
  bool queue_empty() const { return queue_.empty(); }
  /// All memory that a step of this shape takes, with these edits before it. May fail, and changes nothing that can be
  /// seen, but that contact problem and residuals of the last step may be gone.
  void make_step_room(const StepShape& shape, const EditLayers& edits);
  /// Queues a step; there must be room for it. Not while the queue is full.
  void enqueue(StepInput input);
  /// Waits for all queued steps, redoes what met a buffer too small, tells of the last one, and adds all of them to a
  /// summary. first_bad_body has its slot only. If there is no memory to grow into, the steps that
  /// are missing are dropped, and Error is thrown.
  void confirm(StepReport& last, StepSummary& all);

  // ---- between steps: the queue must be empty ----------------------------------------------------------------------
  Index rows() const { return rows_; }
  /// Makes room for that many rows.
  void reserve_rows(Index rows);
  /// Takes more rows into use; there must be room.
  void set_rows(Index rows);
  void set_planes(std::span<const Index> rows);
  void set_ignored_pairs(std::span<const std::uint64_t> pairs);
  /// As in MaterialTable.
  void set_materials(std::span<const SurfaceRecord> surfaces, std::span<const MaterialPairRecord> pairs);
  /// All of them or, without memory, none.
  void apply(const EditLayers& edits);
  /// Room for apply() of layers of that many edits, which then does not fail.
  void make_edit_room(std::size_t edits);

  // ---- joints, between steps: the queue must be empty --------------------------------------------------------------
  /// Makes room for that many rows of joints.
  void reserve_joint_rows(Index rows);
  /// Takes more rows into use; there must be room.
  void set_joint_rows(Index rows);
  /// Rows `begin`.. of these become rows from `first` on, which are in use. Takes no memory.
  void write_joints(Index first, const JointTables::Beginners& joints, Index begin, Index count);
  void write_joint_model(Index row, const JointModelRow& model);
  void write_joint_targets(Index row, Axis axis, float position, float velocity);
  void clear_joint_impulses(Index row, Axis axis);
  /// Steps from now on solve the joints that are in it, in its order.
  void set_joint_plan(const JointPlanTables& plan);
  /// State of all joints; on the CPU the table itself. Valid until the next step or edit.
  const JointState& joint_state_on_host();
  JointModelRow joint_model_row(Index row) const;
  JointStateRow joint_state_row(Index row) const;
  JointTables::ModelCopy joint_model_copy() const { return joints_.model_copy(memory_, 0, joints_.rows()); }
  JointTables::StateCopy joint_state_copy() const { return joints_.state_copy(memory_, 0, joints_.rows()); }
  /// Takes over saved joints; there must be none.
  void adopt_joints(const JointTables::ModelCopy& model, const JointTables::StateCopy& state, Index rows);
  const JointTables& joints() const { return joints_; }
  /// Gives the number of the kind.
  int add_joint_kind(const JointKind& kind);
  void set_joint_kinds(std::vector<JointKind> kinds) { joints_.kinds() = std::move(kinds); }

  // ---- as plain memory: the queue must be empty --------------------------------------------------------------------
  /// State of all rows; on the CPU the table itself. Valid until the next step or edit.
  const BodyState& state_on_host();
  BodyStateRow state_row(Index row);
  /// The caller may change state behind our back from now on.
  void expose() { exposed_ = true; }
  bool exposed() const { return exposed_; }
  ContactImage contacts() const;
  /// Of the last step, if RigidShape::keep was set. Empty if there was none. Throws Error if joints came or went since.
  RigidImage rigid_image() const;
  /// Residuals after the sweeps of the last step.
  std::vector<float> residual_history() const;
  ModelCopy model_copy() const { return model_.download(memory_, rows_); }
  StateCopy state_copy() const { return state_.download(memory_, rows_); }
  InputsCopy inputs_copy() const { return inputs_.download(memory_, rows_); }
  /// Takes over a whole saved scene; rows as in the copies.
  void adopt(const ModelCopy& model, const StateCopy& state, const InputsCopy& inputs, const ContactImage& contacts,
             Index rows, std::uint64_t step_number);

  const BodyModel& model_view() const { return model_.view(); }
  const BodyState& state_view() const { return state_.view(); }
  /// Of the last step, in the backend's memory.
  Column<const EventRecord> events() const { return {event_records_.column().data, event_records_.size()}; }
  const Index* event_count() const { return &counters_.column().data->events; }
  /// The same in plain memory.
  std::vector<EventRecord> events_copy() const;
  float* instance_transforms() const { return instance_transforms_.column().data; }
  /// [byte] Of the backend's memory held by tables.
  std::size_t bytes() const;

 private:
  /// The contacts of a step. From color_contacts of the next step on, which cannot fail any more by then and has made
  /// its own, the records are free: the solver's records of bodies lie there.
  struct CacheTables {
    Array<Index> begin, owner, partner, place;
    Block records;
    Array<RollingImpulse> rolling;  // a row for each pair, with StepShape::surfaces
    Table<PairEvents> events;       // a row for each pair, with events only
    ContactCache view() const {
      const Index units = static_cast<Index>(records.bytes() / sizeof(ContactUnit)) - kRecordUnits;
      return {{begin.column(), owner.column(), partner.column()},
              {static_cast<ContactUnit*>(records.data()), units, place.column()},
              rolling.column()};
    }
    std::size_t bytes() const {
      return begin.bytes() + owner.bytes() + partner.bytes() + place.bytes() + records.bytes() + events.bytes() +
             rolling.bytes();
    }
  };

  /// Step n writes the cache n mod 2 and reads the other one.
  CacheTables& cache_of(std::uint64_t step) { return caches_[step & 1]; }
  const CacheTables& cache_of(std::uint64_t step) const { return caches_[step & 1]; }
  StepViews views(const StepShape& shape, std::uint64_t step) const;
  void make_edit_room(const EditLayers& edits);
  /// There must be room.
  void send_edits(const EditLayers& edits, std::uint64_t step);
  void send_step(const StepInput& input, std::uint64_t step);
  StepReport report_of(const Counters& counters, const StepInput& input, std::uint64_t step) const;
  void grow(const Counters& counters, StepStatus& status);
  void clear_growth();
  void resize_pair_lists(Index pairs);
  void resize_records(Index units, Index rows);
  void resize_candidates(Index candidates);
  void forget_candidates();
  void forget_joint_lanes();
  void make_scratch();
  void make_surface_room();
  void make_event_room();
  void adopt_touching(const ContactImage& contacts);

  std::shared_ptr<StepBackend> backend_;
  Memory& memory_;
  Index reserve_pairs_, reserve_contacts_;
  bool with_instance_transforms_;
  bool with_sleep_;
  bool with_events_;
  float wake_rim_;  // [1] EditViews::wake_rim

  Table<BodyModel> model_;
  Table<BodyState> state_;
  Table<BodyInputs> inputs_;
  JointTables joints_;
  CacheTables caches_[2];
  KeptBoxes kept_;
  Scratch scratch_;
  Array<Counters> counters_;
  Array<StepParams> params_;
  Array<std::uint64_t> ignored_pairs_;
  Array<Index> planes_;
  Array<SurfaceRecord> surfaces_;
  Array<MaterialPairRecord> material_pairs_;
  Array<BodyEdit> edits_;
  Array<std::uint8_t> replaced_;
  Array<float> instance_transforms_;
  Table<SleepRows> sleep_rows_;
  Table<SleepBlocks> sleep_blocks_;
  Array<Bounds> disturbed_;
  Array<Index> event_place_;
  Array<EventRecord> event_records_;

  Index rows_ = 0, row_capacity_ = 0;
  ScratchRoom room_;  // that the next step is given; rows: see make_scratch
  Index plane_count_ = 0, ignored_count_ = 0, surface_count_ = 0, material_pair_count_ = 0;
  bool with_rolling_ = false;  // the last step that was queued left what it resisted rolling with

  std::list<StepInput> queue_;   // steps not yet confirmed
  std::list<StepInput> spare_;   // places for more
  std::uint64_t confirmed_ = 0;  // steps confirmed
  Index last_rows_ = 0;          // of the last confirmed step
  Index last_pair_count_ = 0;
  Index last_units_ = 0;  // of its contact records
  Index last_lanes_ = 0;  // of the rows of its contacts
  Index last_sweeps_ = 0;
  bool rigid_kept_ = false;            // the scratch has what rigid_image() reads
  bool joints_changed_since_ = false;  // the lanes of joints are not those of the last step
  StepParams sent_params_{};
  bool params_sent_ = false;

  StateCopy state_copy_{};
  bool state_copied_ = false;
  JointTables::StateCopy joint_state_copy_{};
  bool exposed_ = false;
};

}  // namespace talus
