// SPDX-License-Identifier: MIT
// Stage report_events: contacts of this step and of the last one, joints -> events. What it needs to know of the solve
// is noted on the way: begin_events, sum_loads, note_touching. All of it nothing, unless events are asked for.
#pragma once
#include "events.h"
#include "exec.h"
#include "rigid_rows.h"
#include "step_views.h"

namespace talus::inline TALUS_ISA {

struct BeginEventsTask {
  TaskViews v;

  template <class Team>
  TALUS_HD void operator()(Team& team) const {
    team.for_each("ClearPairEvents", {&v.counters->pairs, v.next.pairs.owner.size}, ClearPairEvents{v.events.next});
    if (v.shape.rigid.on) {
      team.for_each("NoteRigidApproach", {&v.counters->lanes, v.rigid.rows.size},
                    NoteRigidApproach{v.rigid.rows, v.solve.rows.velocity.data, v.events.next});
      return;
    }
    team.for_each("NoteApproach", {&v.counters->lanes, v.solve.lanes.size},
                  NoteApproach{{v.solve.lanes, v.solve.rows.velocity.data, nullptr, v.params, false}, v.events.next});
  }
};

/// After prepare_contacts.
template <class Exec>
void begin_events(Exec& exec, const StepViews& v) {
  if (v.shape.events) exec.together("begin_events", BeginEventsTask{v});
}

/// After each sub-step.
template <class Team>
TALUS_INLINE void sum_loads(Team& team, const StepViews& v, bool last) {
  if (!v.shape.events) return;
  team.for_each("SumLoads", {&v.counters->lanes, v.solve.lanes.size}, SumLoads{v.solve.lanes, v.events.next, last});
}

/// In finish_step.
template <class Team>
TALUS_INLINE void note_touching(Team& team, const StepViews& v) {
  if (!v.shape.events) return;
  team.for_each("NoteTouching", {&v.counters->pairs, v.next.pairs.owner.size},
                NoteTouching{v.next.pairs, v.next.contacts, v.state.island, v.model.motion, v.events.next});
}

struct EndEventsTask {
  TaskViews v;
  WriteEvents write;

  template <class Team>
  TALUS_HD void operator()(Team& team) const {
    team.for_each("WriteEvents", {&v.counters->event_ends, v.events.place.size}, write);
    if (v.shape.sleep)
      team.for_each("ForgetChange", {&v.counters->rows, v.shape.rows}, ForgetChange{v.sleep.rows.change});
    team.for_each("EndEvents", {nullptr, 1}, EndEvents{v.counters});
  }
};

template <class Exec>
void report_events(Exec& exec, const StepViews& v) {
  if (!v.shape.events) return;
  exec.begin_stage(Stage::report_events);
  const Count ends{&v.counters->event_ends, v.events.place.size};
  const EventSource source{v.model,        v.state,  v.last,    v.next, v.events, v.sleep.rows.change,
                           v.joints.state, v.params, v.counters};
  exec.for_each("BeginEvents", {nullptr, 1}, BeginEvents{v.counters, v.shape.sleep, v.shape.breakable});
  exec.for_each("CountEvents", ends, CountEvents{source});
  exec.exclusive_scan("place events", v.events.place, ends);
  exec.together("report_events", EndEventsTask{v, {source, v.counters}});
}

}  // namespace talus::inline TALUS_ISA
