// SPDX-License-Identifier: MIT
// Stage stop_fast_bodies: displacements -> shorter ones, where a body would get further than its pairs were found for,
// or through another body. In worlds without fast bodies only the first loop has elements.
#pragma once
#include "exec.h"
#include "guard.h"
#include "step_views.h"

namespace talus::inline TALUS_ISA {

struct StopFastBodiesTask {
  static constexpr bool kManyRegisters = true;
  StepViews v;

  template <class Team>
  TALUS_HD void operator()(Team& team) const {
    team.for_each_lane("MeasureMotion", body_lanes(v),
                       on_bodies(v, MeasureMotion{v.model, v.state, v.inputs, motions(), v.solve.rows.free_velocity,
                                                  v.params, v.guard.rows, v.counters}));
    limit_motion(team);
    brake_gained(team);
    stop_pairs(team);
  }

  TALUS_INLINE BodyMotions motions() const {
    const SolveRowScratch& rows = v.solve.rows;
    return {v.model, rows.velocity, rows.frame, rows.displacement};
  }
  template <class Team>
  TALUS_INLINE void limit_motion(Team& team) const {
    const GuardRows& rows = v.guard.rows;
    const Count beyond{&v.counters->beyond, v.shape.rows};
    team.for_each("BeginPardon", beyond, BeginPardon{rows});
    team.for_each("PardonPushedOut", {&v.counters->beyond_pairs, v.next.pairs.owner.size},
                  PardonPushedOut{v.next.pairs, v.next.contacts, v.model.radius, rows.pardon});
    if (v.joints.count > 0) {
      team.for_each("PardonJointed", {&v.counters->beyond_joints, v.joints.count},
                    PardonJointed{v.joints.model, rows.pardon});
    }
    team.for_each(
        "SeekMet", {&v.counters->beyond_rows, v.shape.rows},
        SeekMet{v.model, v.state, v.solve.rows.displacement, v.next.pairs, v.ignored_pairs, rows, v.counters});
    team.for_each("LimitMotion", beyond,
                  LimitMotion{v.model, v.state, v.inputs, rows, motions(), v.params, v.counters});
  }

  template <class Team>
  TALUS_INLINE void brake_gained(Team& team) const {
    const GuardRows& rows = v.guard.rows;
    const Count gained{&v.counters->gained, v.shape.rows};
    const BodyEnergies energies{v.model, v.state, v.inputs, motions(), v.params};
    team.for_each("BeginGained", gained, BeginGained{rows});
    team.for_each("FindGivers", {&v.counters->gained_pairs, v.next.pairs.owner.size},
                  FindGivers{energies, v.next.pairs, v.next.contacts, rows.given});
    if (v.joints.count > 0) {
      team.for_each("PardonJointed", {&v.counters->gained_joints, v.joints.count},
                    PardonJointed{v.joints.model, rows.pardon});
    }
    team.for_each("BrakeGained", gained, BrakeGained{energies, rows, v.solve.rows.velocity});
  }

  template <class Team>
  TALUS_INLINE void stop_pairs(Team& team) const {
    const GuardRows& rows = v.guard.rows;
    const Index row_capacity = body_rows(v).capacity, pair_capacity = v.next.pairs.owner.size;
    const BodyPaths bodies{v.model, v.state, v.solve.rows.frame, v.solve.rows.displacement};
    const Count all{&v.counters->fast_rows, row_capacity};
    team.for_each("BeginStops", all, on_bodies(v, BeginStops{rows}));
    team.for_each("FindFastPairs", {&v.counters->fast_search, pair_capacity},
                  FindFastPairs{bodies, v.next.pairs, v.guard.fast.pair, v.counters});
    for (int round = 0; round < kStopRounds; ++round) {
      const Index* size = round == 0 ? &v.counters->fast_pairs : &v.counters->stop_pairs[round];
      team.for_each("StopPairs", {size, pair_capacity},
                    StopPairs{bodies, v.next.pairs, v.guard.fast.pair, rows, v.counters, round});
      team.for_each("EndRound", {&v.counters->stop_rows[round], row_capacity}, on_bodies(v, EndRound{rows}));
    }
    team.for_each("FindCarriers", {&v.counters->stop_pairs[1], pair_capacity},
                  FindCarriers{bodies, v.next.pairs, v.guard.fast.pair, rows});
    team.for_each("CutMotion", {&v.counters->stop_rows[0], row_capacity},
                  on_bodies(v, CutMotion{bodies, rows, motions(), v.counters}));
  }
};

template <class Exec>
void stop_fast_bodies(Exec& exec, const StepViews& v) {
  exec.begin_stage(Stage::stop_fast_bodies);
  exec.together("stop_fast_bodies", StopFastBodiesTask{v});
}

}  // namespace talus::inline TALUS_ISA
