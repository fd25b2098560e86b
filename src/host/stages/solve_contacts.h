// SPDX-License-Identifier: MIT
// Stage solve_contacts: rows, colors, forces -> velocities, displacements, impulses. Many small sub-steps with few
// sweeps each hold what one step with as many sweeps drops (methods: parallel engine, 4.1).
#pragma once
#include "bounce.h"
#include "exec.h"
#include "integrate.h"
#include "limit_gains.h"
#include "project.h"
#include "push_deep.h"
#include "report_events.h"
#include "solve.h"
#include "solve_joints.h"
#include "solve_rigid.h"
#include "solve_shock.h"
#include "step_views.h"

namespace talus::inline TALUS_ISA {

constexpr int kLeastRelaxSweeps = 6;  // a step, if it has any; what sub-steps do not make up is done in the first. With
                                      // 4 a pyramid of 40 creeps by 19 cm in 30 s and goes on, with 6 by 1.1 cm
constexpr int kLeastBoundedSweeps = 2;  // relaxing ones a sub-step, where joints have limits, drives or friction: with
                                        // 1 dolls in a pile tremble at 0.1 m/s for ever
constexpr int kProjectSweeps = 2;       // per sub-step

TALUS_INLINE LaneRange lanes_of(const StepViews& v, int color) {
  return {&v.counters->color_begin[color], &v.counters->color_begin[color + 1], v.solve.lanes.size,
          &v.counters->color_size[color]};
}

/// One sweep: color after color, then the overflow color by mass splitting.
template <Sweep kSweep, bool kMoved, bool kSurfaces, class Team>
TALUS_INLINE void sweep_colors(Team& team, const StepViews& v, bool first = true, float carry = 0.0f) {
  const SolveRowScratch& rows = v.solve.rows;
  const SolveContacts<kSweep, kMoved, kSurfaces> kernel{v.solve.lanes,           rows.velocity.data,
                                                        rows.move.data,          v.params,
                                                        v.shape.restitution,     first,
                                                        rows.free_velocity.data, rows.frame.data,
                                                        rows.displacement.data,  v.solve.surfaces,
                                                        v.shape.poisson,         carry};
  if (!v.shape.jacobi) {
    for (int color = 0; color < kPalette; ++color) team.for_each_lane("SolveContacts", lanes_of(v, color), kernel);
  }
  team.for_each_lane("SolveSplit", lanes_of(v, kOverflowColor),
                     SolveSplit<kSweep, kMoved, kSurfaces>{kernel, rows.split_sums, rows.split_count});
  team.for_each("ApplySplit", {&v.counters->split_rows, body_rows(v).capacity},
                on_bodies(v, ApplySplit{rows.velocity, rows.split_sums, rows.split_count}));
}

/// `moved`: this is the first sweep since bodies moved; `first`: of its kind in the sub-step. carry: SolveContacts.
template <Sweep kSweep, bool kSurfaces = false, class Team>
TALUS_INLINE void sweep_contacts(Team& team, const StepViews& v, bool moved, bool first = true, float carry = 0.0f) {
  if (moved) {
    sweep_colors<kSweep, true, kSurfaces>(team, v, first, carry);
  } else {
    sweep_colors<kSweep, false, kSurfaces>(team, v, first, carry);
  }
}

/// At the end of a sub-step: impacts of the overflow color.
template <bool kSurfaces, class Team>
TALUS_INLINE void settle_split(Team& team, const StepViews& v) {
  const SolveRowScratch& rows = v.solve.rows;
  const SolveContacts<Sweep::relax, false, kSurfaces> contacts{
      v.solve.lanes, rows.velocity.data, rows.move.data, v.params, v.shape.restitution, true, rows.free_velocity.data};
  team.for_each_lane("SettleSplit", lanes_of(v, kOverflowColor),
                     SettleSplit<kSurfaces>{{contacts, rows.split_sums, rows.split_count}});
  team.for_each("ApplySplit", {&v.counters->split_rows, body_rows(v).capacity},
                on_bodies(v, ApplySplit{rows.free_velocity, rows.split_sums, rows.split_count}));
}

/// Poisson's law: at the end of a sub-step.
template <class Team>
TALUS_INLINE void sum_compression(Team& team, const StepViews& v) {
  if (!v.shape.poisson || !v.shape.restitution) return;
  team.for_each("SumCompression", {&v.counters->lanes, v.solve.lanes.size},
                SumCompression{v.solve.lanes, v.solve.surfaces});
}

/// Before positions move: how far they will, corrected color after color, then by mass splitting.
template <class Team>
TALUS_INLINE void project_contacts(Team& team, const StepViews& v, const LaneRange& bodies) {
  const SolveRowScratch& rows = v.solve.rows;
  team.for_each_lane("PredictMoves", bodies, on_bodies(v, PredictMoves{rows.velocity.data, rows.move.data, v.params}));
  const ProjectContacts kernel{v.solve.lanes, rows.velocity.data, rows.move.data};
  for (int sweep = 0; sweep < kProjectSweeps; ++sweep) {
    if (!v.shape.jacobi) {
      for (int color = 0; color < kPalette; ++color) team.for_each_lane("ProjectContacts", lanes_of(v, color), kernel);
    }
    team.for_each_lane("ProjectSplit", lanes_of(v, kOverflowColor),
                       ProjectSplit{kernel, rows.split_sums, rows.split_count});
    team.for_each("ApplySplitMoves", {&v.counters->split_rows, body_rows(v).capacity},
                  on_bodies(v, ApplySplitMoves{rows.move, rows.split_sums, rows.split_count}));
  }
}

TALUS_INLINE int relax_sweeps(const StepShape& shape, int substep) {
  if (shape.bounded_joints && shape.relax_iterations > 0) return max_of(shape.relax_iterations, kLeastBoundedSweeps);
  const int missing = kLeastRelaxSweeps - shape.substeps * shape.relax_iterations;
  const bool more = substep == 0 && shape.relax_iterations > 0 && missing > 0;
  return shape.relax_iterations + (more ? missing : 0);
}

/// Who takes part in bounce sweeps.
template <class Team>
TALUS_INLINE void find_bounces(Team& team, const StepViews& v) {
  const Counters& c = *v.counters;
  const Index lanes = v.solve.lanes.size;
  const Bounces bounces{v.solve.lanes, v.params, v.joints.model, v.joints.state, v.counters};
  const BounceGroups groups{v.solve.rows, v.model, v.state};
  team.for_each("FindBounces", {&c.lanes, lanes}, FindBounces{bounces});
  team.for_each("FindBouncingLimits", {&c.joints, v.joints.count}, FindBouncingLimits{bounces});
  team.for_each("BeginBounceGroups", {&c.bounce_rows, v.shape.rows + 1}, BeginBounceGroups{v.solve.rows});
  team.for_each("LinkBounces", {&c.bounce_lanes, lanes}, LinkBounces{groups, v.solve.lanes});
  team.for_each("LinkBouncingJoints", {&c.bounce_joints, v.joints.count}, LinkBouncingJoints{groups, bounces});
  team.for_each("MarkBounces", {&c.bounce_lanes, lanes}, MarkBounces{groups, bounces});
  team.for_each("MarkBouncingJoints", {&c.bounce_joints, v.joints.count}, MarkBouncingJoints{groups, bounces});
  team.for_each("LeaveOutOfBounces", {&c.lanes, lanes}, LeaveOutOfBounces{groups, v.solve.lanes, v.counters});
}

/// One bounce sweep: a turn of team.repeat, see PushDeepTurn.
template <bool kJoints, bool kSurfaces, class Team>
struct BounceTurn {
  const StepViews& v;
  Team& team;
  bool moved;  // since the last sweep

  TALUS_INLINE void operator()(Index turn) const {
    if constexpr (kJoints) JointPasses{v}.template sweep<Sweep::bounce>(team, false);
    sweep_contacts<Sweep::bounce, kSurfaces>(team, v, moved && turn == 0, true, v.shape.carry_at(v.shape.substeps - 1));
  }
};

/// kJoints: the world has joints. kSurfaces: contacts have SurfaceRows. Kernels of their own, since these need more
/// registers than plain contacts do.
template <bool kJoints, bool kSurfaces>
struct SolveContactsTask {
  static constexpr bool kManyRegisters = true;  // on a GPU: with 128 the plain one spills 64 bytes
  TaskViews v;

  template <class Team>
  TALUS_INLINE void operator()(Team& team) const {
    const SolveRowScratch& rows = v.solve.rows;
    const LaneRange bodies = body_lanes(v);
    for (int substep = 0;; ++substep) {
      if constexpr (kJoints) JointPasses{v}.follow(team, substep);
      if (substep > 0) relax(team, substep - 1);
      if (substep == v.shape.substeps) break;
      const bool first = substep == 0;
      bool moved = !first && relax_sweeps(v.shape, substep - 1) == 0;  // since the last sweep
      team.for_each_lane(
          "IntegrateVelocities", bodies,
          on_bodies(v, IntegrateVelocities{v.model, v.inputs, rows.velocity.data, rows.free_velocity.data,
                                           rows.frame.data, v.params, &v.counters->lanes}));
      if constexpr (kJoints) JointPasses{v}.template sweep<Sweep::warm_start>(team, first);
      if (first) sweep_colors<Sweep::warm_start, false, kSurfaces>(team, v);
      for (int i = 0; i < v.shape.iterations; ++i, moved = false) {
        if constexpr (kJoints) {
          // Limits and loops pass on what contacts press them with. In one run of 16 dolls on stairs limits were
          // overshot by 0.4 rad without a second round, and by 0.04 rad with it; joints of a bridge under load opened
          // by 9 mm, and by 0.14 mm.
          const int rounds = v.shape.bounded_joints || JointPasses{v}.loops() ? 2 : 1;
          for (int round = 0; round < rounds; ++round) {
            JointPasses{v}.template sweep<Sweep::biased>(team, first);
            if (round == 0) sweep_contacts<Sweep::biased, kSurfaces>(team, v, moved, i == 0);
          }
        } else {
          sweep_contacts<Sweep::biased, kSurfaces>(team, v, moved, i == 0);
        }
      }
      if (v.shape.projection) project_contacts(team, v, bodies);
      team.for_each_lane(
          "IntegratePositions", bodies,
          on_bodies(v, IntegratePositions<kJoints>{v.model, v.inputs, rows.velocity.data, rows.free_velocity.data,
                                                   rows.frame.data, rows.displacement.data, rows.move.data, v.params,
                                                   v.shape.projection}));
    }
  }

 private:
  /// The second half of a sub-step: takes the push out of the velocities again, and rubs.
  template <class Team>
  TALUS_INLINE void relax(Team& team, int substep) const {
    const bool first = substep == 0;
    bool moved = true;  // since the last sweep
    for (int i = 0; i < relax_sweeps(v.shape, substep); ++i, moved = false) {
      if constexpr (kJoints) {
        // Of the sweeps that are more than asked for, which are the contacts', joints need none.
        if (i < v.shape.relax_iterations || v.shape.bounded_joints)
          JointPasses{v}.template sweep<Sweep::relax>(team, first);
      }
      sweep_contacts<Sweep::relax, kSurfaces>(team, v, moved, true, v.shape.carry_at(substep));
    }
    settle_split<kSurfaces>(team, v);
    if constexpr (kSurfaces) sum_compression(team, v);
    if (substep + 1 < v.shape.substeps) sum_loads(team, v, false);
  }
};

/// After the last sub-step: bounce sweeps, reactions and loads, gains of energy. kBounce: something may bounce. On a
/// GPU a kernel of its own: the one before has no register left.
template <bool kJoints, bool kSurfaces, bool kBounce>
struct FinishContactsTask {
  static constexpr bool kManyRegisters = kJoints || kBounce;
  TaskViews v;

  template <class Team>
  TALUS_INLINE void operator()(Team& team) const {
    if constexpr (kBounce) bounce(team);
    if constexpr (kJoints) JointPasses{v}.finish(team);
    sum_loads(team, v, true);
    limit_gains(team, v);
  }

 private:
  template <class Team>
  TALUS_INLINE void bounce(Team& team) const {
    find_bounces(team, v);
    team.for_each("BeginBounce", {&v.counters->bounce_lanes, v.solve.lanes.size},
                  BeginBounce<kSurfaces>{v.solve.lanes, v.model, v.state, v.inputs, v.solve.rows, v.counters, v.params,
                                         v.solve.surfaces, v.shape.poisson});
    team.for_each("KeepBeforeBounce", {&v.counters->bounce_rows, v.shape.rows + 1}, KeepBeforeBounce{v.solve.rows});
    const bool moved = relax_sweeps(v.shape, v.shape.substeps - 1) == 0;  // since the last sweep
    team.repeat(&v.counters->bounce_turns, BounceTurn<kJoints, kSurfaces, Team>{v, team, moved});
  }
};

template <bool kJoints, bool kSurfaces, class Exec>
void solve_with(Exec& exec, const StepViews& v) {
  exec.together("solve_contacts", SolveContactsTask<kJoints, kSurfaces>{v});
  if (v.shape.restitution) {
    exec.together("finish_contacts", FinishContactsTask<kJoints, kSurfaces, true>{v});
  } else {
    exec.together("finish_contacts", FinishContactsTask<kJoints, false, false>{v});
  }
}

/// All sub-steps and their sweeps in one task: most of its loops are shorter than a launch.
template <class Exec>
void solve_contacts(Exec& exec, const StepViews& v) {
  exec.begin_stage(Stage::solve_contacts);
  const bool joints = v.joints.count > 0;
  push_deep(exec, v);
  if (v.shape.shock.on) {
    solve_shock(exec, v);
    exec.together("limit_gains", LimitGainsTask{v});
  } else if (v.shape.rigid.on) {
    solve_rigid(exec, v);
    exec.together("limit_gains", LimitGainsTask{v});
  } else if (joints && v.shape.surfaces) {
    solve_with<true, true>(exec, v);
  } else if (joints) {
    solve_with<true, false>(exec, v);
  } else if (v.shape.surfaces) {
    solve_with<false, true>(exec, v);
  } else {
    solve_with<false, false>(exec, v);
  }
}

}  // namespace talus::inline TALUS_ISA
