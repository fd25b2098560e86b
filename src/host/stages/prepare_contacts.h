// SPDX-License-Identifier: MIT
// Stage prepare_contacts: manifolds, masses, state -> solver rows and body records.
#pragma once
#include "bounce.h"
#include "exec.h"
#include "find_loads.h"
#include "prepare.h"
#include "report_events.h"
#include "rigid_rows.h"
#include "solve_joints.h"
#include "step_views.h"

namespace talus {

template <bool kSurfaces>
PrepareContacts<kSurfaces> contacts_of(const StepViews& v) {
  return {v.model,
          v.next.pairs,
          v.next.contacts,
          v.solve.rows,
          v.solve.contacts.pair,
          v.solve.contacts.sort_contact,
          v.counters,
          v.params,
          v.shape.rows,
          v.shape.restitution,
          v.shape.carriers,
          v.shape.squeeze,
          v.materials,
          v.last,
          v.solve.surfaces,
          v.solve.lanes};
}
template <bool kSurfaces, class Exec>
void prepare_lanes(Exec& exec, const StepViews& v) {
  exec.for_each_lane("PrepareContacts", {&v.counters->first_lane, &v.counters->lanes, v.solve.lanes.size},
                     contacts_of<kSurfaces>(v));
}

template <bool kSurfaces, class Exec>
void prepare_rigid(Exec& exec, const StepViews& v) {
  const bool joints = kSurfaces && v.joints.count > 0;
  if (joints) {
    exec.for_each("BeginBounceGroups", {&v.counters->row_ends, v.shape.rows + 1}, BeginBounceGroups{v.solve.rows});
    exec.for_each("MarkJointedBodies", {&v.counters->joints, v.joints.count},
                  MarkJointedBodies{v.solve.rows, v.joints.model, v.joints.state});
  }
  exec.for_each_lane(
      "PrepareRigid", {&v.counters->first_lane, &v.counters->lanes, v.rigid.rows.size},
      PrepareRigid<kSurfaces>{contacts_of<kSurfaces>(v), v.state, v.inputs, joints, v.rigid.rows, v.rigid.surfaces});
}

template <class Exec>
void prepare_contacts(Exec& exec, const StepViews& v) {
  exec.begin_stage(Stage::prepare_contacts);
  find_loads(exec, v);
  const bool speeds_up = v.shape.carriers && !v.shape.rigid.on && v.shape.substeps > 1;
  exec.for_each_lane(
      "PrepareBodies", body_lanes(v),
      on_bodies(
          v, PrepareBodies{v.model, v.state, v.solve.rows, v.inputs, v.solve.color_rows.bids, v.params, v.shape.squeeze,
                           v.shape.rigid.on, speeds_up ? 1.0f / float(v.shape.substeps) : 0.0f, &v.counters->lanes}));
  if (v.joints.count > 0) exec.together("begin_joints", BeginJointsTask{v});
  if (v.shape.rigid.on && v.shape.surfaces) {
    prepare_rigid<true>(exec, v);
  } else if (v.shape.rigid.on) {
    prepare_rigid<false>(exec, v);
  } else if (v.shape.surfaces) {
    prepare_lanes<true>(exec, v);
  } else {
    prepare_lanes<false>(exec, v);
  }
  make_custom_rows(exec, v);
  begin_events(exec, v);
}

}  // namespace talus
