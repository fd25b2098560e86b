// SPDX-License-Identifier: MIT
// The first part of stage solve_contacts: bodies that are deep inside each other are pushed apart (kernels/deep.h).
#pragma once
#include "deep.h"
#include "exec.h"
#include "project.h"
#include "step_views.h"

namespace talus::inline TALUS_ISA {

/// One push, in steps that need one: a turn of team.repeat. A lambda would not be inlined, and be given a copy of the
/// views.
template <class Fields, class Team>
struct PushDeepTurn {
  const StepViews& v;
  const typename Fields::Rows& rows;
  Team& team;

  TALUS_INLINE void operator()(Index) const {
    const SolveRowScratch& of = v.solve.rows;
    team.for_each_lane("BeginDeepPush", body_lanes(v), on_bodies(v, BeginDeepPush{of.move.data}));
    team.for_each("MarkJointed", {&v.counters->joints, v.joints.count},
                  MarkJointed{v.joints.model, v.joints.state, of.move.data});
    const PushDeep<Fields> kernel{rows, of.velocity.data, of.move.data, v.model.shape, v.model.shape_size, v.params};
    const PushDeepSplit<Fields> split{kernel, of.split_sums, of.split_count};
    const int sweeps = v.shape.jacobi ? kJacobiDeepSweeps : kDeepSweeps;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      if (!v.shape.jacobi) {
        for (int color = 0; color < kPalette; ++color) team.for_each_lane("PushDeep", lanes(color), kernel);
      }
      team.for_each_lane("PushDeep", lanes(kOverflowColor), split);
      team.for_each("ApplySplitMoves", {&v.counters->split_rows, body_rows(v).capacity},
                    on_bodies(v, ApplySplitMoves{of.move, of.split_sums, of.split_count}));
    }
    team.for_each("MoveDeep", body_rows(v),
                  on_bodies(v, MoveDeep{v.model.radius, v.model.gravity_scale, of.frame.data, v.params, of.move,
                                        of.velocity, of.free_velocity, of.displacement}));
    team.for_each_lane("SettleDeep", {&v.counters->first_lane, &v.counters->lanes, rows.size},
                       SettleDeep<Fields>{kernel, v.rigid.surfaces});
  }

 private:
  TALUS_INLINE LaneRange lanes(int color) const {
    return {&v.counters->color_begin[color], &v.counters->color_begin[color + 1], rows.size,
            &v.counters->color_size[color]};
  }
};

/// A task of its own: the solve has no registers to spare on a GPU.
template <class Fields>
struct PushDeepTask {
  static constexpr bool kManyRegisters = true;
  TaskViews v;

  template <class Team>
  TALUS_INLINE void operator()(Team& team) const {
    if constexpr (std::is_same_v<Fields, SoftRowFields>) {
      team.repeat(&v.counters->deep_turns, PushDeepTurn<Fields, Team>{v, v.solve.lanes, team});
    } else {
      team.repeat(&v.counters->deep_turns, PushDeepTurn<Fields, Team>{v, v.rigid.rows, team});
    }
  }
};

/// Before anything moves.
template <class Exec>
void push_deep(Exec& exec, const StepViews& v) {
  if (v.shape.rigid.on) {
    exec.together("push_deep", PushDeepTask<RigidRowFields>{v});
  } else {
    exec.together("push_deep", PushDeepTask<SoftRowFields>{v});
  }
}

}  // namespace talus::inline TALUS_ISA
