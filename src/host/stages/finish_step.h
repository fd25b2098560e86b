// SPDX-License-Identifier: MIT
// Stage finish_step: what was solved -> state, contact cache, report. The only stage that writes state.
#pragma once
#include "exec.h"
#include "finish.h"
#include "step_views.h"

namespace talus {

template <class Exec>
void finish_step(Exec& exec, const StepViews& v) {
  exec.begin_stage(Stage::finish_step);
  const SolveRowScratch& rows = v.solve.rows;
  const Count bodies{&v.counters->rows, v.shape.rows};
  const Count lanes{&v.counters->lanes, v.solve.lanes.size};
  if (v.shape.residual) {
    exec.for_each("MeasureResidual", lanes,
                  MeasureResidual{{v.solve.lanes, rows.velocity.data, nullptr, v.params, false}, v.counters});
  }
  exec.for_each("StoreImpulses", lanes, StoreImpulses{v.solve.lanes, v.next.contacts, v.params});
  exec.for_each_lane(
      "FinishBodies", {&v.counters->first_lane, &v.counters->row_lanes, rows.velocity.size},
      FinishBodies{v.model, rows.velocity, rows.frame, rows.displacement, v.state, v.inputs, v.counters});
  if (v.shape.instance_transforms) {
    exec.for_each("FillInstanceTransforms", bodies, FillInstanceTransforms{v.model, v.state, v.instance_transforms});
  }
  exec.for_each("EndStep", {nullptr, 1}, EndStep{v.counters});
}

}  // namespace talus
