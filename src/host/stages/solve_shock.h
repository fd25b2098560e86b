// SPDX-License-Identifier: MIT
// Stage solve_contacts with Solver::shock: velocity-based shock propagation (kernels/shock.h). How many layers there
// are is known where they are solved.
#pragma once
#include "exec.h"
#include "integrate.h"
#include "shock.h"
#include "solve_rigid.h"
#include "step_views.h"

namespace talus::inline TALUS_ISA {

/// Passes over one layer. kSurfaces: with RigidSurfaceRows.
template <bool kSurfaces>
struct LayerPasses {
  TaskViews v;
  Index layer;

  /// `contacts` on the lanes of the layer, color after color; `bodies` have what they change.
  template <class Contacts, class Bodies, class Team>
  TALUS_INLINE void sweep(Team& team, const char* name, const Contacts& contacts, const Bodies& bodies) const {
    const SolveRowScratch& rows = v.solve.rows;
    for (int color = 0; color < kPalette; ++color) {
      team.for_each_lane(name, lanes(color), OnContacts<Contacts, Bodies>{contacts, bodies});
    }
    team.for_each_lane(name, lanes(kOverflowColor),
                       SplitContacts<Contacts, Bodies>{contacts, bodies, rows.split_sums, rows.split_count});
    team.for_each("ApplySplit", {&v.shock.layers.split_bodies.data[layer], v.shape.rows},
                  on_moving(ApplySplit{{bodies.velocity, rows.velocity.size}, rows.split_sums, rows.split_count}));
  }

  template <class Team>
  TALUS_INLINE void solve(Team& team) const {
    const RigidScratch& r = v.rigid;
    const SolveRowScratch& rows = v.solve.rows;
    BodyVelocity* held = v.shock.bodies.held.data;
    const SweepRigid<kSurfaces> contacts{r.rows,   r.surfaces, v.params, r.state, PointSolver::rows,
                                         kAllRows, false,      false,    true,    v.shape.restitution};
    sweep(team, "WarmStartLayer", WarmStartLayer<kSurfaces>{r.rows, r.surfaces},
          LayerBodies<false>{rows.velocity.data, held, layer});
    for (int i = 0; i < v.shape.shock.sweeps; ++i) {
      sweep(team, "SweepLayer", contacts, LayerBodies<false>{rows.velocity.data, held, layer});
    }
    for (int i = 0; i < v.shape.shock.correction_sweeps; ++i) {
      sweep(team, "PushLayer", PushRigid{r.rows, v.params, false, true},
            LayerBodies<true>{r.bodies.push.data, held, layer});
    }
    team.for_each("HoldBodies", {&v.shock.by_height.count.data[layer + 1], v.shape.rows},
                  on_moving(HoldBodies{v.shock.bodies.ground, v.state, rows.velocity.data, r.bodies.direction.data,
                                       rows.frame.data, v.params, held}));
  }

 private:
  /// A kernel over body rows, on those that move in this layer.
  template <class Kernel>
  TALUS_INLINE OnHeight<Kernel> on_moving(const Kernel& kernel) const {
    return {v.shock.by_height, layer + 1, kernel};
  }
  TALUS_INLINE LaneRange lanes(int color) const {
    const LayerLanes& of = v.shock.layers;
    return {&of.begin.data[of.at(color, layer)], &of.end.data[of.at(color, layer)], v.rigid.rows.size};
  }
};

/// A lambda would not be inlined, and be given a copy of the views.
template <bool kSurfaces, class Team>
struct SolveLayer {
  const StepViews& v;
  Team& team;
  TALUS_INLINE void operator()(Index layer) const { LayerPasses<kSurfaces>{v, layer}.solve(team); }
};

/// kJoints: the world has joints. They are solved with all contacts, and after the layers, which know nothing of them.
template <bool kJoints, bool kSurfaces>
struct SolveShockTask {
  static constexpr bool kManyRegisters = true;
  TaskViews v;

  template <class Team>
  TALUS_INLINE void operator()(Team& team) const {
    const RigidScratch& r = v.rigid;
    const SolveRowScratch& rows = v.solve.rows;
    const RigidPasses<kSurfaces> contacts{v};
    const LaneRange bodies = body_lanes(v);
    BodyVelocity *velocity = rows.velocity.data, *start = r.bodies.start.data;
    if constexpr (kJoints) JointPasses{v}.follow(team, 0);
    team.for_each_lane("RememberVelocities", bodies, on_bodies(v, RememberVelocities{velocity, start, nullptr, false}));
    team.for_each_lane("IntegrateVelocities", bodies,
                       on_bodies(v, IntegrateVelocities{v.model, v.inputs, velocity, rows.free_velocity.data,
                                                        rows.frame.data, v.params, &v.counters->lanes}));
    team.for_each_lane("ShareForces", bodies, on_bodies(v, ShareForces{start, velocity, v.params}));
    if constexpr (kJoints) JointPasses{v}.template sweep<Sweep::warm_start>(team, true);
    contacts.begin(team);
    team.for_each_lane("SetImpulsesAside", contacts.all_lanes(), SetImpulsesAside<kSurfaces>{r.rows, r.surfaces});
    for (int round = 0; round < (kJoints ? 2 : 1); ++round) {  // one copy of the joints' sweep, which is long
      if (round == 1) solve_layers(team);
      for (int i = 0; i < v.shape.shock.sweeps; ++i) {
        if constexpr (kJoints) JointPasses{v}.template sweep<Sweep::biased>(team, true);
        if (round == 0) contacts.solve(team, i);
      }
    }
    if constexpr (!kJoints) solve_layers(team);

    team.for_each_lane("ClearPush", contacts.all_lanes(), ClearPush{r.rows});
    team.for_each_lane("AddMoves", bodies, on_bodies(v, AddMoves{velocity, r.bodies.push.data, v.params}));
    contacts.push_sweeps(team);
    team.for_each_lane(
        "IntegratePositions", bodies,
        on_bodies(v, IntegratePositions<true>{v.model, v.inputs, velocity, rows.free_velocity.data, rows.frame.data,
                                              rows.displacement.data, rows.move.data, v.params, true}));
    if constexpr (kJoints) JointPasses{v}.finish(team);
    contacts.finish(team);
  }

 private:
  /// From what all contacts together have left.
  template <class Team>
  TALUS_INLINE void solve_layers(Team& team) const {
    const RigidScratch& r = v.rigid;
    const SolveRowScratch& rows = v.solve.rows;
    const LaneRange bodies = body_lanes(v);
    BodyVelocity *velocity = rows.velocity.data, *start = r.bodies.start.data, *global = r.bodies.direction.data;
    RigidPasses<kSurfaces>{v}.measure(team);
    team.for_each_lane("BeginLayers", bodies,
                       on_bodies(v, BeginLayers{start, rows.free_velocity.data, v.shock.bodies.height, v.model.radius,
                                                v.shape.rows, velocity, global, v.shock.bodies.held.data, v.params}));
    team.for_each_lane("BeginPush", bodies, on_bodies(v, BeginPush{velocity, r.bodies.push.data, v.params, false}));
    team.repeat(&v.counters->layers, SolveLayer<kSurfaces, Team>{v, team});
  }
};

template <class Exec>
void solve_shock(Exec& exec, const StepViews& v) {
  const bool joints = v.joints.count > 0, surfaces = v.shape.surfaces;
  if (joints && surfaces) {
    exec.together("solve_shock", SolveShockTask<true, true>{v});
  } else if (joints) {
    exec.together("solve_shock", SolveShockTask<true, false>{v});
  } else if (surfaces) {
    exec.together("solve_shock", SolveShockTask<false, true>{v});
  } else {
    exec.together("solve_shock", SolveShockTask<false, false>{v});
  }
}

}  // namespace talus::inline TALUS_ISA
