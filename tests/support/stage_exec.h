// SPDX-License-Identifier: MIT
// Between the stages of a step: an executor that tells when one ends, and poison for the scratch that is not alive.
#pragma once
#include <functional>
#include <optional>

#include "memory.h"
#include "scratch.h"
#include "step_views.h"
#include "table.h"

namespace talus::test {

/// An executor that tells when all verbs of a stage have been enqueued.
template <class Base>
class StageExec : public Base {
 public:
  using Base::Base;
  std::function<void(Stage)> on_end;

  void begin_stage(Stage stage) {
    end_stage();
    Base::begin_stage(stage);
    stage_ = stage;
  }
  void end_stage() {
    if (stage_ && on_end) on_end(*stage_);
    stage_.reset();
  }

 private:
  std::optional<Stage> stage_;
};

namespace detail {

struct Filler {
  Memory& memory;
  unsigned char byte;

  template <class T>
  void plane(T* data, std::size_t size) const {
    if (data != nullptr && size > 0) memory.fill(data, byte, sizeof(T) * size);
  }
  template <class T>
  void column(const Column<T>& column) const {
    plane(column.data, static_cast<std::size_t>(column.size));
  }
  template <int Fields>
  void column(const LaneBlocks<Fields>& blocks) const {
    plane(blocks.words, static_cast<std::size_t>(blocks.size) * Fields);
  }
  template <class View>
  void table(View view) const {
    view.visit_columns([&](const char*, auto& column) {
      visit_planes(column, [&](auto*& data) { plane(data, static_cast<std::size_t>(column.size)); });
    });
  }
};

}  // namespace detail

/// After a stage: fills with ones, so that floats are NaN, what ends with it and what begins with the next one, which
/// must write it before it reads it. Before the first, the stage `apply_commands`, that is also what the step writes of
/// State, and what the broad phase keeps; candidates are read a little beyond their end, as indices whose result is not
/// used: they get zeros.
inline void poison_after(Stage stage, const StepViews& v, Memory& memory) {
  const detail::Filler ones{memory, 0xff}, zeros{memory, 0};
  const auto& [broad_rows, entries, found, kept_bounds, candidates, grid, entry_capacity, pair_capacity,
               candidate_capacity] = v.broad;
  const auto& [solve_rows, meetings, pairs, contacts, color_rows, color_contacts, lanes, surfaces, contact_capacity] =
      v.solve;
  const auto& [rigid_rows, rigid_surfaces, rigid_bodies, block_sum, run_sum, open, history, rigid_state] = v.rigid;
  const auto& [shock_bodies, by_height, layers, rest_rows, rest_contacts] = v.shock;
  const auto& [next_pairs, next_contacts, rolling] = v.next;
  const auto& [begin, owner, partner] = next_pairs;
  const auto& [units, unit_count, place] = next_contacts;
  Counters counters;
  memory.download(&counters, v.counters, sizeof counters);
  if (counters.must_grow != 0) return;  // the step does not go on, and what it has read must serve once more
  const Stage next = Stage(int(stage) + 1);
  const auto dead = [&](Lifetime life) { return life.last == stage || life.first == next; };
  if (dead(kBroadRowsLife)) ones.table(broad_rows);
  if (dead(kEntriesLife)) ones.table(entries);
  if (dead(kFoundLife)) ones.table(found);
  if (dead(kPairsLife)) ones.table(pairs);
  if (dead(kPairsLife)) ones.table(meetings);
  if (dead(kContactsLife)) ones.table(contacts);
  if (dead(kColorRowsLife)) ones.table(color_rows);
  if (dead(kColorContactsLife)) ones.table(color_contacts);
  if (dead(kSolveRowsLife)) ones.table(solve_rows);
  if (dead(kLanesLife)) ones.column(lanes);
  if (dead(kRigidRowsLife)) {
    ones.column(rigid_rows);
    ones.column(rigid_surfaces);
  }
  if (dead(kRigidLife)) {
    ones.table(rigid_bodies);
    ones.column(block_sum);
    ones.column(run_sum);
    ones.column(open);
    ones.column(history);
    ones.plane(rigid_state, rigid_state == nullptr ? 0 : 1);
  }
  if (dead(kShockLife)) {
    ones.table(shock_bodies);
    ones.column(layers.begin);
    ones.column(layers.end);
    ones.column(layers.split_bodies);
    ones.column(by_height.row);
    ones.column(by_height.begin);
    ones.column(by_height.count);
  }
  if (dead(kGuardLife)) {
    ones.table(v.guard.rows);
    ones.table(v.guard.fast);
  }
  if (dead(kRestsLife)) {
    ones.table(rest_rows);
    ones.table(rest_contacts);
  }
  if (dead(kLanesLife)) ones.column(surfaces);
  if (stage != Stage::apply_commands) return;
  ones.column(kept_bounds);
  zeros.table(candidates);
  ones.column(begin);
  ones.column(owner);
  ones.column(partner);
  ones.column(place);
  ones.column(rolling);
  ones.plane(units, static_cast<std::size_t>(unit_count));
}

}  // namespace talus::test
