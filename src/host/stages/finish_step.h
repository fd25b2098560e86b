// SPDX-License-Identifier: MIT
// Stage finish_step: what was solved -> state, contact cache, report. The only stage that writes state.
#pragma once
#include "exec.h"
#include "finish.h"
#include "joint_read.h"
#include "report_events.h"
#include "step_views.h"
#include "stop_fast_bodies.h"

namespace talus::inline TALUS_ISA {

struct FinishStepTask {
  static constexpr bool kManyRegisters = true;  // bodies that turn far need them
  TaskViews v;

  template <class Team>
  TALUS_HD void operator()(Team& team) const {
    const SolveRowScratch& rows = v.solve.rows;
    const Count lanes{&v.counters->lanes, v.solve.lanes.size};
    if (v.shape.residual && !v.shape.rigid.on) {
      if (v.shape.surfaces) {
        measure_residual<true>(team, lanes);
      } else {
        measure_residual<false>(team, lanes);
      }
    }
    const LaneRange contact_lanes{&v.counters->first_lane, &v.counters->lanes, v.solve.lanes.size};
    if (v.shape.rigid.on) {
      // The solver stored them.
    } else if (v.shape.surfaces) {
      team.for_each("ClearRolling", {&v.counters->pairs, v.next.pairs.owner.size}, ClearRolling{v.next.rolling});
      team.for_each_lane("StoreImpulses", contact_lanes,
                         StoreImpulses<true>{v.solve.lanes, v.next.contacts, v.params, v.shape.restitution,
                                             v.solve.surfaces, v.next.rolling});
    } else {
      team.for_each_lane("StoreImpulses", contact_lanes,
                         StoreImpulses<false>{v.solve.lanes, v.next.contacts, v.params, v.shape.restitution});
    }
    note_touching(team, v);
    team.for_each_lane("FinishBodies", body_lanes(v),
                       on_bodies(v, FinishBodies{v.model, rows.velocity, rows.frame, rows.displacement, v.state,
                                                 v.inputs, v.counters, v.shape.carriers}));
    if (v.shape.instance_transforms) {
      team.for_each("FillInstanceTransforms", body_rows(v),
                    on_bodies(v, FillInstanceTransforms{v.model, v.state, v.instance_transforms}));
    }
    if (v.shape.joint_readings && v.joints.count > 0) {
      team.for_each("ReadJoint", {&v.counters->joints, v.joints.count},
                    ReadJoint{v.joints.model, v.state, v.joints.state});
    }
    team.for_each("EndStep", {nullptr, 1}, EndStep{v.counters});
  }

 private:
  template <bool kSurfaces, class Team>
  TALUS_HD void measure_residual(Team& team, const Count& lanes) const {
    const SolveContacts<Sweep::relax, false, kSurfaces> contacts{.rows = v.solve.lanes,
                                                                 .velocity = v.solve.rows.velocity.data,
                                                                 .moved = nullptr,
                                                                 .params = v.params,
                                                                 .restitution = false,
                                                                 .surfaces = v.solve.surfaces,
                                                                 .carry = v.shape.carry_at(v.shape.substeps - 1)};
    team.for_each("MeasureResidual", lanes, MeasureResidual<kSurfaces>{contacts, v.counters});
  }
};

template <class Exec>
void finish_step(Exec& exec, const StepViews& v) {
  exec.begin_stage(Stage::finish_step);
  exec.together("stop_fast_bodies", StopFastBodiesTask{v});
  exec.together("finish_step", FinishStepTask{v});
}

}  // namespace talus::inline TALUS_ISA
