// SPDX-License-Identifier: MIT
// What is behind talus::World: ids, a mirror of the models, queued edits, and the simulation that they go to.
#pragma once
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include <talus/world.h>

#include "body_row.h"
#include "edit_queue.h"
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
  Index bouncing_count = 0;         // bodies with restitution
  bool planes_changed = false;      // since they were sent to the simulation
  bool ignored_changed = false;
  EditQueue edits;
  std::unique_ptr<Simulation> sim;
  StepReport report;    // of the last step known of
  StepSummary summary;  // of the steps since it was cleared

  /// The row of a body, or Error if the id names none.
  Index row_of(const Where& where, BodyId body) const;
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
  /// With all that fell asleep together with it. For edits that do not go through the queue.
  void wake_row(Index row) {
    if (def.sleep.enabled) edits.wake(row);
  }

  Snapshot capture();
  void adopt(Snapshot snapshot);
};

/// Edits kept on the host before they are sent: bounds the memory that adding a million bodies takes.
constexpr Index kMaxQueuedEdits = 1 << 14;

}  // namespace talus
