// SPDX-License-Identifier: MIT
// From the settings of a world to what a step is given: numbers for the kernels, facts for the sequence of verbs.
#pragma once
#include <talus/defs.h>

#include "step_params.h"
#include "step_views.h"

namespace talus {

/// A spring and damper of a frequency [Hz] and a damping ratio [1], over a sub-step of h [s].
Softness make_softness(float hertz, float damping_ratio, float h);

/// Contacts are rows of points, solved over the whole step.
inline bool has_rigid_rows(const SolverSettings& settings) {
  return settings.solver == Solver::rigid || settings.solver == Solver::shock;
}

/// Sub-steps that a step has.
inline int substeps_of(const SolverSettings& settings) {
  return has_rigid_rows(settings) ? 1 : settings.substeps;
}

/// Numbers of a step of dt [s].
/// last_dt: [s] of the step before; 0: there was none.
StepParams make_step_params(const WorldDef& def, float dt, float last_dt = 0.0f);

/// Those facts of a step that come from the settings; rows, planes and restitution are left for the scene to fill in.
StepShape make_step_shape(const WorldDef& def);

}  // namespace talus
