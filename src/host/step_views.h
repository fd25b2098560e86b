// SPDX-License-Identifier: MIT
// All that a step reads and writes, as views: what src/host/simulation.h owns and the stages work on.
#pragma once
#include "broad_columns.h"
#include "columns.h"
#include "contact_columns.h"
#include "counters.h"
#include "edit.h"
#include "event_columns.h"
#include "exec.h"
#include "guard_columns.h"
#include "joint_columns.h"
#include "material.h"
#include "pairs.h"
#include "rigid_columns.h"
#include "shock_columns.h"
#include "sleep_columns.h"
#include "solve_columns.h"
#include "step_params.h"

namespace talus {

/// What moves bodies out of penetration beside velocities, in the rigid solvers.
enum class RigidPush : std::uint8_t { none, split, projection };

/// The same of the rigid solvers: see RigidSettings.
struct RigidShape {
  bool on = false;
  PointSolver point = PointSolver::rows;
  SweepOrder order = SweepOrder::forward;
  bool nncg = false;
  int stagger = 0;
  int sweeps = 0;
  int stagnation = 0;
  bool judged = false;  // the residual is measured after each sweep
  RigidPush push = RigidPush::none;
  int push_sweeps = 0;
  bool keep = false;  // for World::contact_problem
  bool operator==(const RigidShape&) const = default;
};

/// The same of shock propagation, which has rows of the rigid solvers: see ShockSettings.
struct ShockShape {
  bool on = false;
  int sweeps = 0;
  int correction_sweeps = 0;
  bool operator==(const ShockShape&) const = default;
};

/// Facts that shape the sequence of verbs. They change rarely; a captured step is valid while they stay.
struct StepShape {
  Index rows = 0;  // body rows, host's number: equal to counters->rows in a step that happens
  Index plane_count = 0;
  int substeps = 0;
  int iterations = 0;
  int relax_iterations = 0;
  bool jacobi = false;       // all contacts go to the overflow color
  bool restitution = false;  // some body or limit of a joint bounces
  bool carriers = false;     // some body is kinematic
  bool poisson = false;      // and if so by Poisson's law
  bool surfaces = false;     // contacts have rows of SurfaceRows
  bool projection = false;
  bool squeeze = false;  // masses differ much: see kernels/squeeze.h
  bool uneven = false;   // so much that sweeps may make energy: see kernels/gains.h
  bool residual = false;
  bool instance_transforms = false;
  bool joint_readings = false;
  bool breakable = false;       // some joint may break
  bool bounded_joints = false;  // some joint has a limit, a drive or friction
  bool events = false;
  bool sleep = false;  // bodies may sleep: kernels over bodies run on listed blocks
  RigidShape rigid;
  ShockShape shock;
  bool operator==(const StepShape&) const = default;

  /// [1] The mean velocity of a carried place over a sub-step, as a part of what it is over the step: velocities of
  /// points on a body that turns change with time, and the middle of the step has all of row::carry.
  TALUS_HD float carry_at(int substep) const { return carriers ? float(2 * substep + 1) / float(substeps) : 0.0f; }
};

struct StepViews {
  StepShape shape;
  const StepParams* params = nullptr;  // in the backend's memory
  Counters* counters = nullptr;        // in the backend's memory
  BodyModel model;
  BodyState state;
  BodyInputs inputs;
  MaterialTable materials;                    // with StepShape::surfaces
  Column<const std::uint64_t> ignored_pairs;  // (smaller row << 32 | larger row), ascending
  Column<const Index> planes;                 // rows of planes, ascending; may be longer than shape.plane_count
  ContactCache last;                          // read: of the step before
  ContactCache next;                          // written: of this step
  BroadScratch broad;
  SolveScratch solve;
  RigidScratch rigid;
  ShockScratch shock;
  GuardScratch guard;
  JointViews joints;
  SleepViews sleep;
  EventViews events;
  Column<float> instance_transforms;                  // 12 a row, if asked for
  bool operator==(const StepViews&) const = default;  // the same memory and the same shape
};

}  // namespace talus

namespace talus::inline TALUS_ISA {

/// What tasks, and parts of them, keep of the views. A task for a GPU goes there as an argument, with all that it
/// reads; on a CPU a copy for each task was a tenth of a step of two bodies.
#if TALUS_CUDA_COMPILER
using TaskViews = StepViews;
#else
using TaskViews = const StepViews&;
#endif

/// Lanes of bodies and of the null body: of the listed blocks, where bodies may sleep. For kernels made by on_bodies().
TALUS_INLINE LaneRange body_lanes(const StepViews& v) {
  return {&v.counters->first_lane, v.shape.sleep ? &v.counters->active_lanes : &v.counters->row_lanes,
          (v.shape.rows + kLanes) / kLanes * kLanes, &v.counters->row_ends};
}
/// Rows of bodies, the same.
TALUS_INLINE Count body_rows(const StepViews& v) {
  const Index lanes = (v.shape.rows + kLanes) / kLanes * kLanes;
  return v.shape.sleep ? Count{&v.counters->active_lanes, lanes} : Count{&v.counters->rows, v.shape.rows};
}

template <class Kernel>
TALUS_INLINE OnBlocks<Kernel> on_bodies(const StepViews& v, const Kernel& kernel) {
  return {v.shape.sleep ? v.sleep.blocks.active.data : nullptr, v.shape.rows, kernel};
}

}  // namespace talus::inline TALUS_ISA
