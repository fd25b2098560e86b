// SPDX-License-Identifier: MIT
// Tables of events.
#pragma once
#include <talus/event.h>

#include "columns.h"

//  type           name         unit  meaning
#define TALUS_PAIR_EVENTS(X)                                                                            \
  X(std::uint8_t, touching, "1", "1: touches; 2: touches, as it did before it slept")                   \
  X(float, approach, "m/s", "speed at which the nearest points came at each other when the step began") \
  X(float, load, "N s", "normal impulse of all points over the step")

namespace talus {

TALUS_DEFINE_VIEW(PairEvents, TALUS_PAIR_EVENTS)

/// Empty unless events are asked for.
struct EventViews {
  PairEvents last, next;        // a row for each pair
  Column<Index> place;          // room for Counters::event_ends
  Column<EventRecord> records;  // room for all that can happen in a step
  bool operator==(const EventViews&) const = default;
};

}  // namespace talus
