// SPDX-License-Identifier: MIT
#include "joint_tables.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include <talus/status.h>

namespace talus {

namespace {

constexpr Index kMinJointRows = 64;  // rows made in advance at least

// Planes of a pair of columns by the number of an axis.
float* plane_of(const Vec3Column& linear, const Vec3Column& angular, Axis axis) {
  float* const planes[] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
  return planes[std::size_t(axis)];
}

// An array with this content, and room for more.
template <class T>
void fill_array(Memory& memory, Array<T>& array, std::span<const T> values, const char* what) {
  const Index size = static_cast<Index>(values.size());
  if (size > array.size()) array.reset(memory, size + size / 8, what);
  if (size > 0) memory.upload(array.column().data, values.data(), values.size_bytes());
}

// Zeros.
void clear_array(Memory& memory, Array<std::uint32_t>& array, std::size_t words, const char* what) {
  if (words > static_cast<std::size_t>(array.size())) {
    if (words > INT32_MAX) throw Error("step: too many joints, " + std::to_string(words) + " words for their rows");
    array.reset(memory, static_cast<Index>(words), what);
  } else if (words > 0) {
    memory.fill(array.column().data, 0, words * sizeof(std::uint32_t));
  }
}

}  // namespace

JointModelRow joint_model_row(const JointModel& view, Index row) {
  JointModelRow values{};
#define TALUS_READ_COLUMN(type_, name, unit, meaning) values.name = view.name[row];
  TALUS_JOINT_MODEL(TALUS_READ_COLUMN)
#undef TALUS_READ_COLUMN
  return values;
}

JointStateRow joint_state_row(const JointState& view, Index row) {
  JointStateRow values{};
#define TALUS_READ_COLUMN(type_, name, unit, meaning) values.name = view.name[row];
  TALUS_JOINT_STATE(TALUS_READ_COLUMN)
#undef TALUS_READ_COLUMN
  return values;
}

namespace {

template <class T>
void put(const Column<T>& column, Index row, T value) {
  column[row] = value;
}
void put(const Vec3Column& column, Index row, Vec3 value) {
  column.set(row, value);
}
void put(const QuatColumn& column, Index row, Quat value) {
  column.set(row, value);
}

void put_row(const JointModel& view, Index row, const JointModelRow& values) {
#define TALUS_WRITE_COLUMN(type_, name, unit, meaning) put(view.name, row, values.name);
  TALUS_JOINT_MODEL(TALUS_WRITE_COLUMN)
#undef TALUS_WRITE_COLUMN
}

JointTables::ModelCopy copy_of(std::span<const JointModelRow> rows) {
  JointTables::ModelCopy host = Table<JointModel>::host_copy(static_cast<Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) put_row(host.view, static_cast<Index>(i), rows[i]);
  return host;
}

}  // namespace

void JointTables::reserve(Memory& memory, Index rows, Index body_capacity) {
  if (rows > state_.capacity()) {
    const Index capacity = std::max({rows, state_.capacity() + state_.capacity() / 8, kMinJointRows});
    model_.resize(memory, capacity, rows_, "joint models");
    state_.resize(memory, capacity, rows_, "joint states");  // last: its capacity is what counts
  }
  if (rows > 0 && bodies_.capacity() != body_capacity) resize_bodies(memory, body_capacity);
}

void JointTables::set_rows(Index rows) {
  TALUS_ASSERT(rows <= state_.capacity());
  rows_ = std::max(rows_, rows);
}

void JointTables::resize_bodies(Memory& memory, Index body_capacity) {
  bodies_.resize(memory, body_capacity, 0, "what hangs on bodies");
}

JointTables::Beginners JointTables::beginners(std::span<const JointModelRow> models) {
  return {copy_of(models), Table<JointState>::host_copy(static_cast<Index>(models.size()))};
}

JointTables::Beginners JointTables::nobody(std::size_t count) {
  return {Table<JointModel>::host_copy(static_cast<Index>(count)),
          Table<JointState>::host_copy(static_cast<Index>(count))};
}

void JointTables::write(Memory& memory, Index first, const Beginners& rows, Index begin, Index count) {
  TALUS_ASSERT(first + count <= rows_);
  model_.upload(memory, rows.model, count, first, begin);
  state_.upload(memory, rows.state, count, first, begin);
}

void JointTables::write_model(Memory& memory, Index row, const JointModelRow& model) {
  model_.upload(memory, copy_of({&model, 1}), 1, row);
}

void JointTables::write_targets(Memory& memory, Index row, Axis axis, float position, float velocity) {
  const JointModel& m = model_.view();
  memory.upload(plane_of(m.target_linear, m.target_angular, axis) + row, &position, sizeof(float));
  memory.upload(plane_of(m.target_linear_velocity, m.target_angular_velocity, axis) + row, &velocity, sizeof(float));
}

void JointTables::clear_impulses(Memory& memory, Index row, Axis axis) {
  const JointState& s = state_.view();
  for (float* plane :
       {plane_of(s.lock_linear, s.lock_angular, axis), plane_of(s.drive_linear, s.drive_angular, axis),
        plane_of(s.friction_linear, s.friction_angular, axis), plane_of(s.limit_linear, s.limit_angular, axis)}) {
    memory.fill(plane + row, 0, sizeof(float));
  }
}

void JointTables::set_plan(Memory& memory, const JointPlanTables& plan) {
  tree_lane_count_ = batch_count_ = color_lane_count_ = color_end_count_ = 0;  // if memory runs out there is no plan
  fill_array(memory, tree_lanes_, std::span(plan.tree_lanes), "lanes of joint trees");
  fill_array(memory, batches_, std::span(plan.batches), "batches of joint trees");
  fill_array(memory, color_lanes_, std::span(plan.color_lanes), "lanes of colored joints");
  fill_array(memory, color_begin_, std::span(plan.color_begin), "colors of joints");
  fill_array(memory, body_flags_, std::span(plan.body_flags), "bodies with joints");
  if (color_begin_.size() > live_begin_.size()) live_begin_.reset(memory, color_begin_.size(), "colors of joints");
  used_kinds_ = 0;
  if (plan.kinds != 0) {
    const Index made = 2 * kAxisCount * static_cast<Index>(plan.parameters.size());
    fill_array(memory, parameters_, std::span(plan.parameters), "parameters of joints");
    if (made > custom_rows_.size()) custom_rows_.reset(memory, made, "rows of joints of the caller's kinds");
  }
  clear_array(memory, tree_words_, plan.tree_lanes.size() * TreeRows::kFields, "rows of joint trees");
  clear_array(memory, row_words_, plan.color_lanes.size() * JointRows::kFields, "rows of colored joints");
  tree_lane_count_ = static_cast<Index>(plan.tree_lanes.size());
  batch_count_ = static_cast<Index>(plan.batches.size());
  color_lane_count_ = static_cast<Index>(plan.color_lanes.size());
  color_end_count_ = static_cast<Index>(plan.color_begin.size());
  first_loop_lane_ = plan.first_loop_lane;
  body_flag_count_ = static_cast<Index>(plan.body_flags.size());
  used_kinds_ = plan.kinds;
}

void JointTables::adopt(Memory& memory, const ModelCopy& model, const StateCopy& state, Index rows) {
  TALUS_ASSERT(rows_ == 0 && rows <= state_.capacity());
  model_.upload(memory, model, rows);
  state_.upload(memory, state, rows);
  rows_ = rows;
}

JointViews JointTables::views() const {
  JointViews v;
  if (tree_lane_count_ == 0 && color_lane_count_ == 0) return v;
  v.count = rows_;
  v.model = model_.view();
  v.state = state_.view();
  v.plan.tree_lanes = {tree_lanes_.column().data, tree_lane_count_};
  v.plan.first_loop_lane = first_loop_lane_;
  v.plan.batches = {batches_.column().data, batch_count_};
  v.plan.color_lanes = {color_lanes_.column().data, color_lane_count_};
  v.plan.color_begin = {color_begin_.column().data, color_end_count_};
  v.plan.body_flags = {body_flags_.column().data, body_flag_count_};
  v.tree = {tree_words_.column().data, tree_lane_count_};
  v.rows = {row_words_.column().data, color_lane_count_};
  v.live_begin = {live_begin_.column().data, color_end_count_};
  v.bodies = bodies_.view();
  if (used_kinds_ != 0) {
    v.custom = {used_kinds_, kinds_.data(), {parameters_.column().data, parameters_.size()}, custom_rows_.column()};
  }
  return v;
}

std::size_t JointTables::bytes() const {
  return model_.bytes() + state_.bytes() + bodies_.bytes() + tree_lanes_.bytes() + batches_.bytes() +
         color_lanes_.bytes() + color_begin_.bytes() + live_begin_.bytes() + body_flags_.bytes() + tree_words_.bytes() +
         row_words_.bytes() + parameters_.bytes() + custom_rows_.bytes();
}

}  // namespace talus
