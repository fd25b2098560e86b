// SPDX-License-Identifier: MIT
// One step on one page. Read this first: every stage is a verb below, with a file of its own in src/host/stages; its
// kernels are in kernels/. The same page runs on the CPU and on CUDA.
#pragma once
#include "stages/collide_pairs.h"
#include "stages/color_contacts.h"
#include "stages/find_pairs.h"
#include "stages/finish_step.h"
#include "stages/prepare_contacts.h"
#include "stages/report_events.h"
#include "stages/solve_contacts.h"
#include "stages/update_bounds.h"
#include "stages/update_islands.h"

namespace talus {

/// Enqueues one step. State is written in the last two stages alone, so a step that finds a buffer too small leaves the
/// world as it was: every loop bound becomes zero, the host enlarges the buffer and enqueues the same step again.
template <class Exec>
void run_step(Exec& exec, const StepViews& v) {  //      reads                          -> writes
  update_bounds(exec, v);                        //      pose, velocity, must_grow      -> loop bounds, fattened AABBs
  find_pairs(exec, v);                           //      AABBs                          -> sorted unique pairs
  collide_pairs(exec, v);                        //      pairs, pose, last cache        -> manifolds, warm start
  color_contacts(exec, v);                       //      body graph                     -> colors, lanes
  prepare_contacts(exec, v);                     //      manifolds, mass                -> solver rows, body records
  solve_contacts(exec, v);  //      rows, colors, forces, h        -> velocities, displacements, impulses
  finish_step(exec, v);     //      records, impulses              -> state, cache, report; stops what is fast
  update_islands(exec, v);  //      velocities, contacts, joints   -> who sleeps and who wakes
  report_events(exec, v);   //      contacts of the last two steps -> events
}

}  // namespace talus
