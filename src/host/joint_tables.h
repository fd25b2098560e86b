// SPDX-License-Identifier: MIT
// Owner of the tables in kernels/joint_columns.h. A world without joints has no memory here.
#pragma once
#include <span>

#include "joint_plan.h"
#include "table.h"

namespace talus {

class JointTables {
 public:
  using ModelCopy = Table<JointModel>::HostCopy;
  using StateCopy = Table<JointState>::HostCopy;

  Index rows() const { return rows_; }
  const JointModel& model() const { return model_.view(); }
  const JointState& state() const { return state_.view(); }

  /// Makes room for that many joints. `body_capacity`: see resize_bodies.
  void reserve(Memory& memory, Index rows, Index body_capacity);
  /// Takes more rows into use; there must be room.
  void set_rows(Index rows);
  /// Body rows that the solver has room for. Nothing is kept: between steps there is nothing.
  void resize_bodies(Memory& memory, Index body_capacity);

  /// Joints as they begin, in plain memory.
  struct Beginners {
    ModelCopy model{};
    StateCopy state{};
  };
  static Beginners beginners(std::span<const JointModelRow> models);
  /// As many zeros: rows without a joint.
  static Beginners nobody(std::size_t count);
  /// Rows `begin`.. of these become rows `first`.. of the tables. Takes no memory.
  void write(Memory& memory, Index first, const Beginners& rows, Index begin, Index count);
  void write_model(Memory& memory, Index row, const JointModelRow& model);
  void write_targets(Memory& memory, Index row, Axis axis, float position, float velocity);
  /// Forgets the impulses of an axis: the next step does not start from them.
  void clear_impulses(Memory& memory, Index row, Axis axis);
  void set_plan(Memory& memory, const JointPlanTables& plan);
  /// By JointDef::kind; 0 is none of them.
  std::vector<JointKind>& kinds() { return kinds_; }
  const std::vector<JointKind>& kinds() const { return kinds_; }

  ModelCopy model_copy(Memory& memory, Index first, Index count) const { return model_.download(memory, count, first); }
  StateCopy state_copy(Memory& memory, Index first, Index count) const { return state_.download(memory, count, first); }
  /// All rows, as saved; there must be room.
  void adopt(Memory& memory, const ModelCopy& model, const StateCopy& state, Index rows);

  /// Empty if the plan is.
  JointViews views() const;
  std::size_t bytes() const;

 private:
  Table<JointModel> model_;
  Table<JointState> state_;
  Table<JointBodyScratch> bodies_;
  Array<TreeLane> tree_lanes_;
  Array<TreeBatch> batches_;
  Array<ColorLane> color_lanes_;
  Array<Index> color_begin_, live_begin_;
  Array<float> body_flags_;
  Array<std::uint32_t> tree_words_, row_words_;
  std::vector<JointKind> kinds_{JointKind{}};
  std::uint64_t used_kinds_ = 0;  // of the plan
  Array<JointParameters> parameters_;
  Array<CustomRow> custom_rows_;
  Index rows_ = 0;
  Index tree_lane_count_ = 0, batch_count_ = 0, color_lane_count_ = 0, color_end_count_ = 0;  // of the plan
  Index first_loop_lane_ = 0, body_flag_count_ = 0;
};

/// A row of a table, from a view of plain memory.
JointModelRow joint_model_row(const JointModel& view, Index row);
JointStateRow joint_state_row(const JointState& view, Index row);

}  // namespace talus
