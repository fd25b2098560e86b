// SPDX-License-Identifier: MIT
// Owner of the scratch in kernels/broad_columns.h and kernels/solve_columns.h: one block, which the tables of the broad
// and narrow phase share with those of the solver. Two parts are elsewhere: the boxes and candidates that the broad
// phase keeps from step to step are in KeptBoxes, and the solver's records of bodies lie where the contacts of the step
// before were (simulation.h).
#pragma once
#include "broad_columns.h"
#include "shared_layout.h"
#include "solve_columns.h"
#include "table.h"

namespace talus {

/// Rows that the scratch of a step has room for.
struct ScratchRoom {
  Index rows = 0;         // of bodies and the null body, in whole blocks: kernels on packs work on these
  Index entries = 0;      // of the broad phase
  Index pairs = 0;        // near pairs
  Index contacts = 0;     // pairs with points
  bool surfaces = false;  // with SurfaceRows
  bool operator==(const ScratchRoom&) const = default;
};

// When each table is alive.
constexpr Lifetime kGridLife{Stage::update_bounds, Stage::finish_step};
constexpr Lifetime kBroadRowsLife{Stage::update_bounds, Stage::collide_pairs};
constexpr Lifetime kEntriesLife{Stage::find_pairs, Stage::find_pairs};
constexpr Lifetime kFoundLife{Stage::find_pairs, Stage::find_pairs};
constexpr Lifetime kPairsLife{Stage::collide_pairs, Stage::collide_pairs};
constexpr Lifetime kContactsLife{Stage::collide_pairs, Stage::prepare_contacts};
constexpr Lifetime kColorRowsLife{Stage::color_contacts, Stage::color_contacts};
constexpr Lifetime kColorContactsLife{Stage::collide_pairs, Stage::color_contacts};
constexpr Lifetime kSolveRowsLife{Stage::color_contacts, Stage::finish_step};  // elsewhere, see above
constexpr Lifetime kLanesLife{Stage::prepare_contacts, Stage::finish_step};

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

 private:
  /// The bytes of the block. With null that is all.
  std::size_t lay_out_tables(const ScratchRoom& room, unsigned char* base) {
    TALUS_ASSERT(room.rows % kLanes == 0);
    SharedLayout layout;
    const auto put = [&](auto& view, Index rows, Lifetime life) {
      const std::size_t at = layout.place(lay_out(view, rows, nullptr), life);
      if (base != nullptr) lay_out(view, rows, base + at);
    };
    const Index lanes = (room.contacts + kLanes - 1) / kLanes * kLanes + kColorCount * kLanes;
    const std::size_t lane_bytes = sizeof(std::uint32_t) * row::kFields * static_cast<std::size_t>(lanes);
    const std::size_t lanes_at = layout.place(lane_bytes, kLanesLife);
    solve_.lanes = {reinterpret_cast<std::uint32_t*>(base + lanes_at), lanes};
    if (room.surfaces) {
      const std::size_t at = layout.place(sizeof(std::uint32_t) * surface::kFields * std::size_t(lanes), kLanesLife);
      solve_.surfaces = {reinterpret_cast<std::uint32_t*>(base + at), lanes};
    }
    solve_.contact_capacity = room.contacts;
    put(solve_.contacts, room.contacts, kContactsLife);
    put(solve_.color_contacts, room.contacts, kColorContactsLife);
    put(solve_.color_rows, room.rows, kColorRowsLife);
    put(broad_.rows, room.rows + 1, kBroadRowsLife);
    put(broad_.entries, room.entries + kSweepWidth, kEntriesLife);
    put(broad_.found, room.pairs + kShortList, kFoundLife);
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
