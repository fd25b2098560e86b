// SPDX-License-Identifier: MIT
// Scratch of the rigid contact solvers: rows of contact points, what sweeps remember of bodies, and how far they got.
#pragma once
#include "columns.h"
#include "counters.h"
#include "lane_blocks.h"
#include "shapes/manifold.h"
#include "solve_columns.h"

namespace talus {

/// Field numbers of the rows: one lane a contact, as in `row`. For row r of a point, in the direction d,
///   w_r = d . (v_b - v_a) + lever_b . w_b - lever_a . w_a + bias_r + softness_r impulse_r
/// with levers and angular velocities in scaled axes (solve_columns.h). No mass is in a row: whoever sweeps decides
/// with which masses (solve_contact in rigid_solve.h).
namespace rigid_row {
enum Field : int {
  body_a,
  body_b,
  pair,                  // row in the cache
  count,                 // points, as a float
  normal,                // world frame, from A to B
  tangent = normal + 3,  // world frame; the second one is cross(normal, tangent)
  friction = tangent + 3,
  radius,             // [m] of the ball around the smaller body
  push_rate,          // [1/s] part of a penetration that becomes velocity
  special,            // 1: coefficients of RigidSurfaceRows count; -1: rows against turning alone; 0: neither
  slim,               // 1: has a tilt that is slow, see solve_tilts
  update,             // [J] of the last sweep: sum of impulse change^2 / effective mass, or what is left of it
  residual_normal,    // [m/s] largest of the points, see MeasureRigid, ...
  residual_friction,  //
  residual_approach,  //
  stress,             // [m/s] largest impulse / effective mass: what rounding errors are a part of
  point,              // kMaxPoints times the fields below
};
enum PointField : int {
  lever_a,                // of A along the normal, the tangent and the second tangent
  lever_b = lever_a + 9,  // of B
  bias = lever_b + 9,     // [m/s] of the normal row, as the last sweep had it
  softness,               // [1/kg] of the normal row
  separation,             // [m] at the start of the step
  offset,                 // [m] from the middle of the points, along both tangents
  impulse = offset + 2,   // [N s] along the normal, >= 0, and both tangents
  start = impulse + 3,    // the same before the last sweep
  direction = start + 3,  // [N s] that nonlinear conjugate gradients go along
  push = direction + 3,   // [N s s] that moves penetrating bodies apart: split impulses and projection
  kPointFields = push + 1,
};
constexpr int kFields = point + kMaxPoints * kPointFields;
constexpr int at(int index, int field) {
  return point + index * kPointFields + field;
}
}  // namespace rigid_row

using RigidRows = LaneBlocks<rigid_row::kFields>;

/// More of the same lanes, for worlds with materials that need it, or with restitution: see StepShape::surfaces. Where
/// there are none, this takes no memory. Rows against turning, about the normal and both tangents, have no bias:
///   w_r = turn_b . w_b - turn_a . w_a
namespace rigid_surface {
enum Field : int {
  forward,   // [1] coefficient for slip of B along the tangent
  backward,  // [1] the other way
  across,    // [1] along the second tangent
  tensor,    // 1: friction of a slip (c, s) is (forward c, across s), else where it brakes most
  torsion,   // [m] torque about the normal a unit of load
  rolling,   // [m] torque against rolling a unit of load
  turn_a,    // the normal, the tangent and the second tangent in scaled axes of A
  turn_b = turn_a + 9,
  turn_impulse = turn_b + 9,        // [N m s] about these
  turn_start = turn_impulse + 3,    // the same before the last sweep
  turn_direction = turn_start + 3,  // [N m s] that nonlinear conjugate gradients go along
  push = turn_direction + 3,        // [m/s^2] of B against A by outer forces; this and the rest: with restitution
  spin_a = push + 3,                // [J] twice the energy of turning when the step began
  spin_b,
  point,  // kMaxPoints times the fields below
};
enum PointField : int {
  bounce,      // [m/s] bias that restitution asks for, < 0; 0: the point does not bounce
  resting,     // [m/s] bias without it
  way_square,  // [m^2/s^2] speed of B against A when the step began, squared
  kPointFields,
};
constexpr int kFields = point + kMaxPoints * kPointFields;
constexpr int at(int index, int field) {
  return point + index * kPointFields + field;
}
}  // namespace rigid_surface

using RigidSurfaceRows = LaneBlocks<rigid_surface::kFields>;

/// What sweeps remember and decide from one to the next. In the backend's memory.
struct RigidState {
  // Loop bounds while sweeps go on; all are zero once they have ended.
  Index sweep_begin[kColorCount + 1];       // as Counters::color_begin
  Index lanes, blocks, runs;                // lanes of contacts; the same in blocks, and in runs of kSumRun blocks
  Index body_lanes, split_rows;             //
  Index advance_lanes, advance_body_lanes;  // after a sweep that is gone on from, or taken back; else zero

  // Largest of all contacts, as bits of floats >= 0: integer maximum is float maximum.
  std::uint32_t residual_normal, residual_friction, residual_approach, stress;
  float best;              // [m/s] residual
  Index best_sweep;        // after which that was
  float factor;            // [1] times the local step: relaxation, or the r-factor of proximal points (S1-82)
  float energy;            // [J] update of the last sweep that was kept
  float beta;              // [1] part of the direction that is added
  std::uint32_t kept;      // 0: the sweep is taken back
  std::uint32_t restarts;  // 1: the direction begins anew, with nothing
};
constexpr Index kSumRun = 64;  // blocks whose sums one element adds up

}  // namespace talus

//  type              name          unit     meaning
#define TALUS_RIGID_BODY_SCRATCH(X)                                                               \
  X(BodyVelocity, start, "", "before the last sweep")                                             \
  X(BodyVelocity, direction, "", "velocities that rigid_row::direction gives")                    \
  X(BodyVelocity, push, "m, rad", "displacements by rigid_row::push; inv_mass as in velocity")    \
  X(BodyVelocity, free, "", "for contact problems: with all forces, without contacts and joints") \
  X(BodyVelocity, solved, "", "for contact problems: when sweeps had ended")                      \
  X(BodyFrame, frame, "", "for contact problems: at the start of the step")

namespace talus {

TALUS_DEFINE_VIEW(RigidBodyScratch, TALUS_RIGID_BODY_SCRATCH)

struct RigidScratch {
  RigidRows rows;             // as SolveScratch::lanes, which is empty where this is not
  RigidSurfaceRows surfaces;  // the same, or none
  RigidBodyScratch bodies;    // capacity: body rows + 1
  Column<float> block_sum;    // of each block of lanes
  Column<float> run_sum;      // of each kSumRun blocks
  Column<Index> open;         // 1 for each sweep that is judged; sweeps + 1
  Column<float> history;      // [m/s] residual after each sweep that is judged
  RigidState* state = nullptr;
  bool operator==(const RigidScratch&) const = default;
};

}  // namespace talus
