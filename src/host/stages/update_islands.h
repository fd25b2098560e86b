// SPDX-License-Identifier: MIT
// Stage update_islands: velocities, contacts, joints -> islands; what falls asleep, and what wakes. Writes the State
// columns `quiet`, `island` and `asleep`, and the velocities of what falls asleep.
#pragma once
#include "exec.h"
#include "islands.h"
#include "sleep.h"
#include "step_views.h"

namespace talus::inline TALUS_ISA {

/// One element: loop bounds of the stage. All stay zero in a step that must not happen.
struct BeginUpdateIslands {
  Counters* counters;
  Index joints;

  TALUS_HD void operator()(Index) const {
    Counters& c = *counters;
    if (c.must_grow != 0) return;
    c.sleep_clock = (c.sleep_clock + 1) % kIslandPeriod;
    if (c.sleep_clock == 0) {
      c.island_lanes = c.active_lanes;
      c.island_pairs = c.pairs;
      c.island_joints = joints;
      c.islands = 0;
    }
    c.stirred_joints = c.asleep > 0 ? joints : 0;
  }
};

/// One element.
struct EndUpdateIslands {
  Counters* counters;

  TALUS_HD void operator()(Index) const {
    Counters& c = *counters;
    if (c.must_grow != 0) return;
    c.asleep += c.fell_asleep - c.woke_up;
    if (c.fell_asleep > 0) c.kept_rows = 0;  // candidates that sleep are dropped by a new search
  }
};

/// Wakes the bodies of all islands that are marked.
template <class Team>
TALUS_INLINE void wake_marked(Team& team, const StepViews& v) {
  const Count one{nullptr, 1}, rows{&v.counters->wake_rows, v.shape.rows};
  const Column<std::uint32_t>& wake = v.sleep.rows.wake;
  team.for_each("begin_wakes", one, BeginWakes{v.counters, v.shape.rows});
  team.for_each("wake_rows", rows, WakeRows{v.state, v.sleep.rows, v.counters});
  team.for_each("clear_wakes", rows, ClearWakes{wake});
  team.for_each("end_wakes", one, EndWakes{v.counters});
}

struct UpdateIslandsTask {
  TaskViews v;

  template <class Team>
  TALUS_HD void operator()(Team& team) const {
    Counters* counters = v.counters;
    const Count one{nullptr, 1}, lanes{&counters->island_lanes, body_rows(v).capacity};
    const BodyKind kind{v.model, v.state};
    const LinkBodies link{kind, v.sleep.rows};
    team.for_each("begin_update", one, BeginUpdateIslands{counters, v.joints.count});
    team.for_each_lane("count_quiet", body_lanes(v), on_bodies(v, CountQuiet{v.model, v.state, v.params, counters}));
    team.for_each("begin_islands", lanes, on_bodies(v, BeginIslands{kind, v.sleep.rows, v.params}));
    team.for_each("link_contacts", {&counters->island_pairs, v.next.pairs.owner.size},
                  LinkContacts{link, v.next.pairs, v.next.contacts});
    if (v.joints.count > 0) {
      team.for_each("link_joints", {&counters->island_joints, v.joints.count},
                    LinkJoints{link, v.joints.model, v.joints.state});
    }
    team.for_each("gather_moods", lanes, on_bodies(v, GatherMoods{kind, v.sleep.rows, v.params, counters}));
    team.for_each("fall_asleep", lanes, on_bodies(v, FallAsleep{kind, v.sleep.rows, counters}));
    if (v.joints.count > 0) {
      team.for_each("wake_joints", {&counters->stirred_joints, v.joints.count},
                    WakeJoints{kind, v.joints.model, v.joints.state, {v.state, v.sleep.rows.wake, counters}});
    }
    team.for_each("forget_touched", body_rows(v), on_bodies(v, ForgetTouched{v.sleep.blocks.near}));
    wake_marked(team, v);
    team.for_each("end_update", one, EndUpdateIslands{counters});
  }
};

/// Nothing, unless bodies may sleep.
template <class Exec>
void update_islands(Exec& exec, const StepViews& v) {
  if (!v.shape.sleep) return;
  exec.begin_stage(Stage::update_islands);
  exec.together("update_islands", UpdateIslandsTask{v});
}

}  // namespace talus::inline TALUS_ISA
