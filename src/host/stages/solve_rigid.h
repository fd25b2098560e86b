// SPDX-License-Identifier: MIT
// Stage solve_contacts with Solver::rigid: the velocity-level contact problem of the whole step, swept until it is
// solved well enough. When that is, is found out where the sweeps run: the loops of the sweeps that are left then have
// no elements.
#pragma once
#include "exec.h"
#include "integrate.h"
#include "rigid_push.h"
#include "rigid_solve.h"
#include "solve_joints.h"
#include "step_views.h"

namespace talus::inline TALUS_ISA {

/// Passes over the rows of contacts. kSurfaces: with RigidSurfaceRows.
template <bool kSurfaces>
struct RigidPasses {
  TaskViews v;

  TALUS_INLINE bool prox() const { return v.shape.rigid.point == PointSolver::prox; }
  /// Sweeps may be taken back, or gone on from.
  TALUS_INLINE bool remembers() const { return v.shape.rigid.nncg || prox(); }
  TALUS_INLINE LaneRange all_lanes() const { return {&v.counters->first_lane, &v.counters->lanes, v.rigid.rows.size}; }

  /// `contacts` on all lanes, color after color; `begin` are the colors' first lanes, or zeros.
  template <class Contacts, class Team>
  TALUS_INLINE void sweep(Team& team, const char* name, const Contacts& contacts, const Column<BodyVelocity>& velocity,
                          const Index* begin, const Index* split_rows, bool backward) const {
    const SolveRowScratch& rows = v.solve.rows;
    const auto sweep_split = [&] {
      team.for_each_lane(name, {&begin[kOverflowColor], &begin[kOverflowColor + 1], v.rigid.rows.size},
                         SplitContacts<Contacts>{contacts, {velocity.data}, rows.split_sums, rows.split_count});
      team.for_each("ApplySplit", {split_rows, body_rows(v).capacity},
                    on_bodies(v, ApplySplit{velocity, rows.split_sums, rows.split_count}));
    };
    if (backward) sweep_split();
    if (!v.shape.jacobi) {
      for (int i = 0; i < kPalette; ++i) {
        const int color = backward ? kPalette - 1 - i : i;
        team.for_each_lane(name, {&begin[color], &begin[color + 1], v.rigid.rows.size},
                           OnContacts<Contacts>{contacts, {velocity.data}});
      }
    }
    if (!backward) sweep_split();
  }

  template <class Team>
  TALUS_INLINE void begin(Team& team) const {
    const RigidScratch& r = v.rigid;
    team.for_each("BeginRigid", {nullptr, 1},
                  BeginRigid{v.counters, v.params, r.state, r.open, v.shape.rigid.sweeps, v.shape.sleep});
    team.for_each("ClearOpen", {nullptr, r.open.size - 1}, ClearOpen{r.open});
  }
  template <class Team>
  TALUS_INLINE void warm_start(Team& team) const {
    const RigidScratch& r = v.rigid;
    sweep(team, "WarmStartRigid", WarmStartRigid<kSurfaces>{r.rows, r.surfaces}, v.solve.rows.velocity,
          v.counters->color_begin, &v.counters->split_rows, false);
  }

  /// One sweep, and what follows from it.
  template <class Team>
  TALUS_INLINE void solve(Team& team, int number) const {
    const RigidScratch& r = v.rigid;
    const RigidShape& shape = v.shape.rigid;
    const Column<BodyVelocity>& velocity = v.solve.rows.velocity;
    const std::uint32_t part = shape.stagger == 0                ? kAllRows
                               : number / shape.stagger % 2 == 0 ? kNormalRows
                                                                 : kFrictionRows;
    const bool backward = shape.order == SweepOrder::symmetric && number % 2 != 0, last = number + 1 == shape.sweeps;
    const LaneRange body_lanes{&v.counters->first_lane, &r.state->body_lanes, talus::body_lanes(v).capacity};
    if (remembers()) {
      team.for_each_lane(
          "RememberVelocities", body_lanes,
          on_bodies(v, RememberVelocities{velocity.data, r.bodies.start.data, r.bodies.direction.data, number == 0}));
    }
    sweep(team, "SweepRigid",
          SweepRigid<kSurfaces>{r.rows, r.surfaces, v.params, r.state, shape.point, part, backward, remembers(),
                                v.shape.shock.on, v.shape.restitution},
          velocity, r.state->sweep_begin, &r.state->split_rows, backward);
    if (!shape.judged && !remembers()) return;
    if (shape.judged || prox()) {
      team.for_each_lane("MeasureRigid", {&v.counters->first_lane, &r.state->lanes, r.rows.size},
                         MeasureRigid<kSurfaces>{r.rows, r.surfaces, velocity.data, v.params, prox()});
    }
    team.for_each("ReduceRigid", {&r.state->blocks, r.rows.size / kLanes},
                  ReduceRigid{r.rows, r.block_sum, r.state, shape.judged});
    team.for_each("SumRuns", {&r.state->runs, r.run_sum.size}, SumRuns{r.block_sum, r.state, r.run_sum});
    team.for_each("JudgeRigid", {&r.open.data[number], 1},
                  JudgeRigid{v.counters, v.params, r.state, r.run_sum, r.open, r.history, number, shape.stagnation,
                             shape.judged, shape.nncg, prox(), last});
    if (!remembers() || last) return;
    team.for_each_lane("AdvanceImpulses", {&v.counters->first_lane, &r.state->advance_lanes, r.rows.size},
                       AdvanceImpulses<kSurfaces>{r.rows, r.surfaces, r.state, shape.nncg});
    team.for_each_lane(
        "AdvanceVelocities", {&v.counters->first_lane, &r.state->advance_body_lanes, talus::body_lanes(v).capacity},
        on_bodies(v,
                  AdvanceVelocities{r.state, r.bodies.start.data, r.bodies.direction.data, velocity.data, shape.nncg}));
  }

  /// For the report, of sweeps that nobody judged.
  template <class Team>
  TALUS_INLINE void measure(Team& team) const {
    const RigidScratch& r = v.rigid;
    if (!v.shape.residual || v.shape.rigid.judged) return;
    team.for_each_lane("MeasureRigid", all_lanes(),
                       MeasureRigid<kSurfaces>{r.rows, r.surfaces, v.solve.rows.velocity.data, v.params, false});
    team.for_each("ReduceRigid", {&r.state->blocks, r.rows.size / kLanes},
                  ReduceRigid{r.rows, r.block_sum, r.state, true});
    team.for_each("ReportRigid", {nullptr, 1}, ReportRigid{v.counters, r.state});
  }

  /// How far bodies get in this step, if not by their velocities alone.
  template <class Team>
  TALUS_INLINE void push(Team& team) const {
    const bool moved = v.shape.rigid.push == RigidPush::projection;
    team.for_each_lane("BeginPush", body_lanes(v),
                       on_bodies(v, BeginPush{v.solve.rows.velocity.data, v.rigid.bodies.push.data, v.params, moved}));
    push_sweeps(team);
  }
  template <class Team>
  TALUS_INLINE void push_sweeps(Team& team) const {
    const RigidScratch& r = v.rigid;
    const bool moved = v.shape.rigid.push == RigidPush::projection;
    for (int i = 0; i < v.shape.rigid.push_sweeps; ++i) {
      sweep(team, "PushRigid", PushRigid{r.rows, v.params, moved, false}, r.bodies.push, v.counters->color_begin,
            &v.counters->split_rows, false);
    }
    team.for_each_lane(
        "EndPush", body_lanes(v),
        on_bodies(v, EndPush{v.solve.rows.velocity.data, r.bodies.push.data, v.solve.rows.move.data, v.params, moved}));
  }

  /// Impulses to the cache, and to events.
  template <class Team>
  TALUS_INLINE void finish(Team& team) const {
    if constexpr (kSurfaces) {
      team.for_each("ClearRolling", {&v.counters->pairs, v.next.pairs.owner.size}, ClearRolling{v.next.rolling});
    }
    team.for_each_lane("StoreRigid", all_lanes(),
                       StoreRigid<kSurfaces>{v.rigid.rows, v.next.contacts, v.rigid.surfaces, v.next.rolling});
    if (!v.shape.events) return;
    team.for_each("SumRigidLoads", {&v.counters->lanes, v.rigid.rows.size}, SumRigidLoads{v.rigid.rows, v.events.next});
  }
};

/// kJoints: the world has joints, see SolveContactsTask.
template <bool kJoints, bool kSurfaces>
struct SolveRigidTask {
  static constexpr bool kManyRegisters = true;
  TaskViews v;

  template <class Team>
  TALUS_INLINE void operator()(Team& team) const {
    const SolveRowScratch& rows = v.solve.rows;
    const RigidPasses<kSurfaces> contacts{v};
    const LaneRange bodies = body_lanes(v);
    if constexpr (kJoints) JointPasses{v}.follow(team, 0);
    team.for_each_lane("IntegrateVelocities", bodies,
                       on_bodies(v, IntegrateVelocities{v.model, v.inputs, rows.velocity.data, rows.free_velocity.data,
                                                        rows.frame.data, v.params, &v.counters->lanes}));
    if (v.shape.rigid.keep) {
      team.for_each_lane("KeepBodies", bodies,
                         on_bodies(v, KeepBodies{rows.velocity.data, rows.frame.data, v.rigid.bodies.free.data,
                                                 v.rigid.bodies.frame.data}));
    }
    if constexpr (kJoints) JointPasses{v}.template sweep<Sweep::warm_start>(team, true);
    contacts.begin(team);
    contacts.warm_start(team);
    for (int i = 0; i < v.shape.rigid.sweeps; ++i) {
      if constexpr (kJoints) {
        JointPasses{v}.template sweep<Sweep::biased>(team, true);
      }
      contacts.solve(team, i);
      if constexpr (kJoints) {
        if (v.shape.rigid.judged) {
          team.for_each("EndJoints", {&v.rigid.open.data[i], 1},
                        EndJoints{v.joints.live_begin, v.rigid.open, Index(i), v.counters});
        }
      }
    }
    contacts.measure(team);
    if (v.shape.rigid.keep) {
      team.for_each_lane("KeepBodies", bodies,
                         on_bodies(v, KeepBodies{rows.velocity.data, nullptr, v.rigid.bodies.solved.data, nullptr}));
    }
    if (v.shape.rigid.push != RigidPush::none) contacts.push(team);
    team.for_each_lane(
        "IntegratePositions", bodies,
        on_bodies(v, IntegratePositions<true>{v.model, v.inputs, rows.velocity.data, rows.free_velocity.data,
                                              rows.frame.data, rows.displacement.data, rows.move.data, v.params,
                                              v.shape.rigid.push != RigidPush::none}));
    if constexpr (kJoints) JointPasses{v}.finish(team);
    contacts.finish(team);
  }
};

template <class Exec>
void solve_rigid(Exec& exec, const StepViews& v) {
  const bool joints = v.joints.count > 0, surfaces = v.shape.surfaces;
  if (joints && surfaces) {
    exec.together("solve_rigid", SolveRigidTask<true, true>{v});
  } else if (joints) {
    exec.together("solve_rigid", SolveRigidTask<true, false>{v});
  } else if (surfaces) {
    exec.together("solve_rigid", SolveRigidTask<false, true>{v});
  } else {
    exec.together("solve_rigid", SolveRigidTask<false, false>{v});
  }
}

}  // namespace talus::inline TALUS_ISA
