// SPDX-License-Identifier: MIT
// What finish_step begins with: displacements -> shorter ones, where a body would pass into or through another one. In
// worlds without fast bodies only the first loop has elements.
#pragma once
#include "exec.h"
#include "guard.h"
#include "step_views.h"

namespace talus::inline TALUS_ISA {

/// A task of its own: on a GPU it needs all registers.
struct StopFastBodiesTask {
  static constexpr bool kManyRegisters = true;
  StepViews v;

  template <class Team>
  TALUS_HD void operator()(Team& team) const {
    const SolveRowScratch& solved = v.solve.rows;
    const GuardRows& rows = v.guard.rows;
    const BodyPaths bodies{v.model, v.state, v.inputs, solved.velocity, solved.frame, solved.displacement, v.params};
    const Count fast_bodies{&v.counters->fast_bodies, v.shape.rows};
    team.for_each_lane("FindFastBodies", body_lanes(v),
                       on_bodies(v, FindFastBodies{v.model, v.state.angular_velocity, v.state.orientation, solved.frame,
                                                   solved.displacement, v.params, rows.fast, v.counters}));
    team.for_each("TurnFar", fast_bodies,
                  TurnFar{v.model, v.state.orientation, rows.fast, solved.frame, solved.velocity, solved.displacement});
    team.for_each("BeginStops", {&v.counters->guard_rows, v.shape.rows}, BeginStops{rows});
    if (v.joints.count > 0) {
      team.for_each("FindJointed", {&v.counters->guard_joints, v.joints.count},
                    FindJointed{bodies, v.joints.model, rows});
    }
    team.for_each("FindBeyond", fast_bodies, FindBeyond{bodies, solved.free_velocity, rows, v.counters});
    seek_met(team, bodies);
    find_pairs(team, bodies);
    team.for_each("BeginDrive", {&v.counters->any_driver, 1}, BeginDrive{v.counters});
    team.repeat(&v.counters->drive_turns, DriveTurn<Team>{*this, team, bodies});
    for (int round = 0; round < kStopRounds; ++round) {
      const Index* size = round == 0 ? &v.counters->fast_pairs : &v.counters->stop_pairs[round];
      team.for_each("StopPairs", {size, v.guard.fast.a.size}, StopPairs{bodies, v.guard.fast, rows, v.counters, round});
      team.for_each("EndRound", {&v.counters->stop_rows[round], v.shape.rows},
                    EndRound{bodies, rows, v.counters, round});
      if (round < kMeetRounds) seek_met_by_company(team, bodies, round);
    }
    team.for_each("FindCarriers", {&v.counters->stop_pairs[1], v.guard.fast.a.size},
                  FindCarriers{bodies, v.guard.fast, rows});
    team.for_each("CutMotion", {&v.counters->stop_rows[0], v.shape.rows}, CutMotion{bodies, rows, v.counters});
  }

 private:
  /// A lambda would not be inlined.
  template <class Team>
  struct DriveTurn {
    const StopFastBodiesTask& task;
    Team& team;
    const BodyPaths& bodies;
    TALUS_INLINE void operator()(Index) const {
      const StepViews& v = task.v;
      const GuardRows& rows = v.guard.rows;
      team.for_each("DrivePairs", {&v.counters->drive_pairs, v.guard.fast.a.size},
                    DrivePairs{bodies, v.guard.fast, rows, v.counters});
      team.for_each("EndDrive", {&v.counters->drive_rows, v.shape.rows}, EndDrive{bodies, rows, v.counters});
      task.seek_met_by_company(team, bodies, 0);
      team.for_each("EndTurn", {&v.counters->any_driver, 1}, EndTurn{v.counters});
    }
  };
  template <class Team>
  TALUS_INLINE void seek_met(Team& team, const BodyPaths& bodies) const {
    const GuardRows& rows = v.guard.rows;
    team.for_each("SeekMet", {&v.counters->beyond_rows, v.shape.rows},
                  SeekMet<false>{bodies, v.next.pairs, v.ignored_pairs, rows, v.guard.fast, v.counters});
    team.for_each("EndSeek", {&v.counters->any_beyond, 1}, EndSeek{v.counters});
    team.for_each("LimitMotion", {&v.counters->limited, v.shape.rows}, LimitMotion{bodies, rows, v.counters});
  }
  template <class Team>
  TALUS_INLINE void seek_met_by_company(Team& team, const BodyPaths& bodies, int round) const {
    const GuardRows& rows = v.guard.rows;
    const Count body_rows{&v.counters->company_rows, v.shape.rows};
    team.for_each("ListCompany", body_rows, ListCompany{bodies, rows, v.counters});
    team.for_each("SeekMet", body_rows,
                  SeekMet<true>{bodies, v.next.pairs, v.ignored_pairs, rows, v.guard.fast, v.counters});
    team.for_each("EndCompany", {&v.counters->any_company, 1}, EndCompany{v.counters, round});
    team.for_each("PartCompany", {&v.counters->parted_rows, v.shape.rows}, PartCompany{rows});
  }
  template <class Team>
  TALUS_INLINE void find_pairs(Team& team, const BodyPaths& bodies) const {
    const GuardRows& rows = v.guard.rows;
    const GuardPairs& fast = v.guard.fast;
    team.for_each("FindFastPairs", {&v.counters->guard_pairs, v.next.pairs.owner.size},
                  FindFastPairs{bodies, v.next.pairs, v.next.contacts, rows, fast, v.counters});
    team.for_each("FindSlides", {&v.counters->fast_pairs, fast.a.size}, FindSlides{{bodies}, fast, rows});
    team.for_each("SlideBodies", {&v.counters->fast_bodies, v.shape.rows}, SlideBodies{{bodies}, rows, v.counters});
  }
};

}  // namespace talus::inline TALUS_ISA
