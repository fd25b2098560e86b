// SPDX-License-Identifier: MIT
// Owner of the scratch in kernels/broad_columns.h, solve_columns.h and rigid_columns.h: one block, which the tables of
// the broad and narrow phase share with those of the solver. Two parts are elsewhere: the boxes and candidates that the
// broad phase keeps from step to step are in KeptBoxes, and the solver's records of bodies lie where the contacts of
// the step before were (simulation.h).
#pragma once
#include "broad_columns.h"
#include "guard_columns.h"
#include "rigid_columns.h"
#include "shared_layout.h"
#include "shock_columns.h"
#include "solve_columns.h"
#include "table.h"

namespace talus {

/// Rows that the scratch of a step has room for.
struct ScratchRoom {
  Index rows = 0;         // of bodies and the null body, in whole blocks: kernels on packs work on these
  Index entries = 0;      // of the broad phase
  Index pairs = 0;        // near pairs
  Index contacts = 0;     // pairs with points
  Index sweeps = 0;       // of the rigid solvers; 0: of the others
  bool history = false;   // a residual for each of these
  bool shock = false;     // layers of shock propagation
  bool surfaces = false;  // with SurfaceRows or RigidSurfaceRows
  bool operator==(const ScratchRoom&) const = default;
};

// When each table is alive.
constexpr Lifetime kGridLife{Stage::update_bounds, Stage::finish_step};
constexpr Lifetime kBroadRowsLife{Stage::update_bounds, Stage::collide_pairs};
constexpr Lifetime kEntriesLife{Stage::find_pairs, Stage::find_pairs};
constexpr Lifetime kFoundLife{Stage::find_pairs, Stage::find_pairs};
constexpr Lifetime kPairsLife{Stage::collide_pairs, Stage::collide_pairs};
constexpr Lifetime kContactsLife{Stage::collide_pairs, Stage::prepare_contacts};
constexpr Lifetime kColorRowsLife{Stage::color_contacts, Stage::prepare_contacts};  // squeeze.h
constexpr Lifetime kColorContactsLife{Stage::collide_pairs, Stage::color_contacts};
constexpr Lifetime kSolveRowsLife{Stage::color_contacts, Stage::finish_step};  // elsewhere, see above
constexpr Lifetime kLanesLife{Stage::prepare_contacts, Stage::finish_step};
constexpr Lifetime kRigidRowsLife{Stage::prepare_contacts, Stage::report_events};  // and until the next step begins
constexpr Lifetime kShockLife{Stage::color_contacts, Stage::finish_step};
constexpr Lifetime kGuardLife{Stage::finish_step, Stage::finish_step};
constexpr Lifetime kRestsLife{Stage::color_contacts, Stage::color_contacts};
constexpr Lifetime kRigidLife{Stage::solve_contacts, Stage::report_events};  // the same

class Scratch {
 public:
  const ScratchRoom& room() const { return room_; }
  std::size_t bytes() const { return block_.bytes(); }
  /// Content is lost, and the old block released before the new one is taken. Without memory there is no room at all.
  void resize(Memory& memory, const ScratchRoom& room) {
    *this = Scratch();
    block_ = Block(memory, lay_out_tables(room, nullptr), "scratch of the step");
    lay_out_tables(room, static_cast<unsigned char*>(block_.data()));
    room_ = room;
  }
  /// All but what is kept.
  const BroadScratch& broad() const { return broad_; }
  /// All but the records of bodies.
  const SolveScratch& solve() const { return solve_; }
  /// Empty, unless there is room for sweeps of the rigid solvers.
  const RigidScratch& rigid() const { return rigid_; }
  /// Empty, unless there is room for layers.
  const ShockScratch& shock() const { return shock_; }
  const GuardScratch& guard() const { return guard_; }

 private:
  /// The bytes of the block. With null that is all.
  std::size_t lay_out_tables(const ScratchRoom& room, unsigned char* base) {
    TALUS_ASSERT(room.rows % kLanes == 0);
    SharedLayout layout;
    const auto put = [&](auto& view, Index rows, Lifetime life) {
      const std::size_t at = layout.place(lay_out(view, rows, nullptr), life);
      if (base != nullptr) lay_out(view, rows, base + at);
    };
    const auto put_rows = [&](auto& rows, Index lanes, Lifetime life) {
      const std::size_t words = static_cast<std::size_t>(rows.kFields) * static_cast<std::size_t>(lanes);
      const std::size_t at = layout.place(sizeof(std::uint32_t) * words, life);
      rows = {reinterpret_cast<std::uint32_t*>(base + at), lanes};
    };
    const auto put_array = [&](auto& column, Index size, Lifetime life) {
      using T = std::remove_reference_t<decltype(*column.data)>;
      const std::size_t bytes = (sizeof(T) * static_cast<std::size_t>(size) + 255) / 256 * 256;
      column = {reinterpret_cast<T*>(base + layout.place(bytes, life)), size};
    };
    const Index lanes = (room.contacts + kLanes - 1) / kLanes * kLanes + kColorCount * kLanes;
    if (room.sweeps > 0) {
      put_rows(rigid_.rows, lanes, kRigidRowsLife);
      if (room.surfaces) put_rows(rigid_.surfaces, lanes, kRigidRowsLife);
      put(rigid_.bodies, room.rows, kRigidLife);
      put_array(rigid_.block_sum, lanes / kLanes, kRigidLife);
      put_array(rigid_.run_sum, lanes / kLanes / kSumRun + 1, kRigidLife);
      put_array(rigid_.open, room.sweeps + 1, kRigidLife);
      put_array(rigid_.history, room.history ? room.sweeps : 0, kRigidLife);
      Column<RigidState> state;
      put_array(state, 1, kRigidLife);
      rigid_.state = state.data;
    } else {
      put_rows(solve_.lanes, lanes, kLanesLife);
      if (room.surfaces) put_rows(solve_.surfaces, lanes, kLanesLife);
    }
    if (room.shock) {
      put(shock_.bodies, room.rows, kShockLife);
      put_array(shock_.by_height.row, room.rows, kShockLife);
      put_array(shock_.by_height.begin, room.rows + 2, kShockLife);  // a height has a body of its own
      put_array(shock_.by_height.count, room.rows + 2, kShockLife);
      put(shock_.rest_rows, room.rows, kRestsLife);
      put(shock_.rest_contacts, room.contacts, kRestsLife);
      shock_.layers.layer_capacity = room.rows;  // a layer has a body of its own
      put_array(shock_.layers.begin, kColorCount * room.rows, kShockLife);
      put_array(shock_.layers.end, kColorCount * room.rows, kShockLife);
      put_array(shock_.layers.split_bodies, room.rows, kShockLife);
    }
    solve_.contact_capacity = room.contacts;
    put(solve_.contacts, room.contacts, kContactsLife);
    put(solve_.color_contacts, room.contacts, kColorContactsLife);
    put(solve_.color_rows, room.rows, kColorRowsLife);
    put(broad_.rows, room.rows + 1, kBroadRowsLife);
    put(broad_.entries, room.entries + kSweepWidth, kEntriesLife);
    put(broad_.found, room.pairs + kShortList, kFoundLife);
    put(guard_.rows, room.rows, kGuardLife);
    put(guard_.fast, room.pairs + 2 * kMostMet, kGuardLife);
    put(solve_.meetings, room.rows, kPairsLife);
    put(solve_.pairs, (room.pairs + kLanes) / kLanes * kLanes, kPairsLife);
    broad_.grid = reinterpret_cast<GridState*>(base + layout.place(sizeof(GridState), kGridLife));
    broad_.entry_capacity = room.entries;
    broad_.pair_capacity = room.pairs;
    return layout.bytes();
  }

  Block block_;
  ScratchRoom room_;
  BroadScratch broad_;
  SolveScratch solve_;
  RigidScratch rigid_;
  ShockScratch shock_;
  GuardScratch guard_;
};

/// What the broad phase keeps while it serves; a step that finds it gone looks for it anew.
struct KeptBoxes {
  Table<KeptRows> rows;
  Table<Candidates> candidates;

  void resize_rows(Memory& memory, Index count) { rows.resize(memory, count, 0, "kept boxes of bodies"); }
  void resize_candidates(Memory& memory, Index count) {
    candidates.resize(memory, count + kReadAhead, 0, "near boxes");
  }
  Index candidate_capacity() const { return candidates.capacity() - kReadAhead; }
  void show(BroadScratch& broad) const {
    broad.kept_bounds = rows.view().bounds;
    broad.candidates = candidates.view();
    broad.candidate_capacity = candidate_capacity();
  }
  std::size_t bytes() const { return rows.bytes() + candidates.bytes(); }

 private:
  static constexpr Index kReadAhead = 2 * kLanes;  // packs read this far beyond the last candidate
};

}  // namespace talus
