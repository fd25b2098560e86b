// SPDX-License-Identifier: MIT
// Scratch of the narrow phase, the coloring and the solver: derived in each step, worth nothing after it.
#pragma once
#include "columns.h"
#include "contact_columns.h"
#include "counters.h"
#include "lane_blocks.h"

namespace talus {

// The solver turns bodies in scaled axes: the body's principal axes at the start of the step, each divided by the root
// of the inverse inertia about it. A point's lever then is one vector j for both ways: j . w is the speed that turning
// gives to the point along a direction, and an impulse p along it changes w by p j. No inertia is left in a sweep.

/// A body as the solver moves it. 32 bytes.
struct alignas(32) BodyVelocity {
  Vec3 linear;     // [m/s] world frame
  float inv_mass;  // [1/kg] 0: never written by contacts
  Vec3 angular;    // [sqrt(J)] scaled axes; of bodies that are not dynamic [rad/s] in their own axes
  float flag;      // velocity: 1 if it left the finite range in this step, else one less its inertia along normals
               // over that along tangents (squeeze.h); free velocity: 1 if the body has contacts, and up to 1 more for
               // what deep ones have used up of max_push_speed (deep.h)
};

constexpr float kLongRatio = 8.0f;  // [1] of moments of inertia: beyond it scaled axes follow a body within a step

/// Scaled axes: world = orientation * (scale o scaled). 32 bytes.
struct alignas(32) BodyFrame {
  Quat orientation;  // at the start of the step
  Vec3 scale;        // [1/sqrt(kg m^2)] root of the inverse inertia; 1 if not dynamic
  float inv_mass;    // [1/kg] as in BodyVelocity
};

/// How far a body got since the step began. 32 bytes.
struct alignas(32) BodyDisplacement {
  Vec3 shift;     // [m] of the centre of mass
  float to_turn;  // [s] left to TurnFar, see IntegratePositions
  Quat turn;      // own frame: orientation now = orientation at the start * turn
};

/// How far a body got in this sub-step, as contacts see it: to first order. 32 bytes.
struct alignas(32) BodyMove {
  Vec3 shift;     // [m]
  float jointed;  // deep.h: 1 if a joint holds the body
  Vec3 turn;      // scaled axes, as BodyVelocity::angular times a time
  float unused;
};

/// Largest bid for each color, in a round of the coloring.
struct ColorBids {
  std::uint32_t bid[kPalette];
};

/// Sums of velocity changes of split contacts in units of kSplitUnit: integers, so that any order gives the same sum.
struct alignas(16) SplitSums {
  std::int64_t change[6];
};

}  // namespace talus

//  type              name          unit     meaning
#define TALUS_SOLVE_ROW_SCRATCH(X)                                                       \
  X(BodyVelocity, velocity, "", "now, within the sub-step")                              \
  X(BodyVelocity, free_velocity, "", "of this sub-step before any contact impulse")      \
  X(BodyFrame, frame, "", "at the start of the step")                                    \
  X(BodyDisplacement, displacement, "", "since the step began")                          \
  X(BodyMove, move, "", "in this sub-step")                                              \
  X(std::uint32_t, color_mask, "1", "bit c: a contact of this dynamic body has color c") \
  X(Index, split_count, "1", "contacts of this body in the overflow color")              \
  X(SplitSums, split_sums, "", "all zero between sweeps")                                \
  X(Index, group, "1", "union-find of what hangs together, see bounce.h")                \
  X(std::uint32_t, group_bounces, "1", "see bounce.h; of a root, kHasJoints of any")     \
  X(std::uint32_t, group_energy, "J", "bits of a float, see group_energy.h; of a root")

#define TALUS_COLOR_ROW_SCRATCH(X) X(ColorBids, bids, "", "of open contacts of this body")

#define TALUS_MEETING_ROW_SCRATCH(X)                                               \
  X(std::uint64_t, first, "", "meeting that turns the body aside, see meetings.h") \
  X(std::uint64_t, second, "", "the same")

#define TALUS_SOLVE_PAIR_SCRATCH(X)                                                     \
  X(std::uint32_t, batch_key, "1", "shape class of a pair, to collide like with like")  \
  X(std::uint32_t, batch_pair, "1", "pairs in the order of batch_key")                  \
  X(std::uint32_t, spare_key, "1", "")                                                  \
  X(std::uint32_t, spare_pair, "1", "")                                                 \
  X(Index, last_row, "1", "the pair's row in the last cache, or -1")                    \
  X(BoxAxes, box_axes, "", "of pairs of boxes that collide, in the order of batch_key") \
  X(Index, contact_index, "1", "1 if the pair has points; after the scan: contacts before it")

#define TALUS_SOLVE_CONTACT_SCRATCH(X)                   \
  X(Index, pair, "1", "row of the contact in the cache") \
  X(std::uint32_t, sort_contact, "1", "contacts in the order of keys")

#define TALUS_COLOR_CONTACT_SCRATCH(X)                          \
  X(std::uint32_t, color, "1", "")                              \
  X(std::uint32_t, sort_key, "1", "color, then points, sorted") \
  X(std::uint32_t, spare_key, "1", "")                          \
  X(std::uint32_t, spare_contact, "1", "")

namespace talus {

TALUS_DEFINE_VIEW(SolveRowScratch, TALUS_SOLVE_ROW_SCRATCH)
TALUS_DEFINE_VIEW(ColorRowScratch, TALUS_COLOR_ROW_SCRATCH)
TALUS_DEFINE_VIEW(MeetingRowScratch, TALUS_MEETING_ROW_SCRATCH)
TALUS_DEFINE_VIEW(SolvePairScratch, TALUS_SOLVE_PAIR_SCRATCH)
TALUS_DEFINE_VIEW(SolveContactScratch, TALUS_SOLVE_CONTACT_SCRATCH)
TALUS_DEFINE_VIEW(ColorContactScratch, TALUS_COLOR_CONTACT_SCRATCH)

/// Field numbers of the solver's rows: one lane a contact. Padding lanes have two times the null body and zeros.
/// Levers are in scaled axes of their body, see above.
namespace row {
enum Field : int {
  body_a,
  body_b,
  pair,                              // row in the cache
  count,                             // points, as a float
  normal,                            // world frame, from A to B
  middle_a = normal + 3,             // mean of the points' levers of A
  middle_b = middle_a + 3,           // of B
  middle_separation = middle_b + 3,  // [m] now: mean of the points'
  middle_give,                       // [1/kg] inverse effective mass along the normal, of the mean levers
  points_give,                       // [1/kg] mean of the points' inverse effective masses
  load_depth,                        // [m/(N s)] that a point at rest is pressed in by for what it bears in a sub-step
  size,                              // [m] of the smaller body, see smaller_size
  slim,                              // 1: tilts of the bodies against each other need solve_tilts
  line,                              // 1: two points that rub each by its own load, see line_friction.h
  friction,                          // Coulomb coefficient
  tangent,                           // world frame; the second one is cross(normal, tangent)
  friction_a1 = tangent + 3,         // lever of A along the tangent, at the friction point
  friction_b1 = friction_a1 + 3,
  friction_a2 = friction_b1 + 3,  // the same along the second tangent
  friction_b2 = friction_a2 + 3,
  twist_a = friction_b2 + 3,  // the normal in scaled axes of A
  twist_b = twist_a + 3,
  friction_mass = twist_b + 3,        // inverse of the 2x2 tangential matrix: 11, 22, 12
  friction_rate = friction_mass + 3,  // [kg] one over the larger eigenvalue of the tangential matrix
  twist_mass,
  twist_arm,                     // [m] mean distance of the points from the friction point
  friction_impulse,              // [N s] along both tangents, of this sub-step
  carry = friction_impulse + 2,  // [m/s] along both tangents, see chord_change; if the world has kinematic bodies
  twist_impulse = carry + 2,
  load,  // [N s] sum of the normal impulses that the sub-step starts with; at the end, before bouncing
  restitution,
  energy,  // [J] of the two bodies, which bouncing may not exceed; at the end < 0: it takes no part; with restitution
  point,   // kMaxPoints times the fields below
};
enum PointField : int {
  lever_a,  // along the normal
  lever_b = lever_a + 3,
  separation = lever_b + 3,  // [m] now
  mass,                      // [kg] effective mass along the normal; 0 marks a point that is not there
  impulse,                   // [N s] accumulated in this sub-step, >= 0
  impact,                    // [N s] of impacts in this step, which are not in `impulse` any more
  approach,                  // [m/s] normal velocity at the start of the step, negative when closing; with restitution
  peak,                      // [N s] largest impulse of the step: > 0 if the point ever pushed; with restitution
  kPointFields,
};
constexpr int kFields = point + kMaxPoints * kPointFields;
constexpr int at(int index, int field) {
  return point + index * kPointFields + field;
}
}  // namespace row

using SolverRows = LaneBlocks<row::kFields>;

/// More of the same lanes, for worlds with materials that need it, friction other than a cone or Poisson's restitution:
/// see StepShape::surfaces. Where there are none, this takes no memory.
namespace surface {
enum Field : int {
  forward,   // [1] coefficient for slip of B along the tangent
  backward,  // [1] the other way
  across,    // [1] along the second tangent
  tensor,    // 1: friction of a slip (c, s) is (forward c, across s), else where it brakes most
  torsion,   // [m] torque about the normal a unit of load, more than the patch gives
  rolling,   // [m] torque against rolling a unit of load
  roll_a1,   // the tangent in scaled axes of A
  roll_b1 = roll_a1 + 3,
  roll_a2 = roll_b1 + 3,  // the second one
  roll_b2 = roll_a2 + 3,
  roll_mass = roll_b2 + 3,      // inverse of the 2x2 matrix of rolling: 11, 22, 12
  roll_rate = roll_mass + 3,    // [kg m^2] one over the larger eigenvalue of the matrix of rolling
  roll_impulse,                 // [N m s] about both tangents, of this sub-step
  softness = roll_impulse + 2,  // LaneSoftness of a contact that has its own; first 0: as the world's
  compression = softness + 3,   // [N s] of each point: over the sub-steps so far, then what parts it at least; Poisson
  kFields = compression + kMaxPoints,
};
}  // namespace surface

using SurfaceRows = LaneBlocks<surface::kFields>;

struct SolveScratch {
  SolveRowScratch rows;  // capacity: body rows + 1; the row after the last is the null body
  MeetingRowScratch meetings;
  SolvePairScratch pairs;
  SolveContactScratch contacts;
  ColorRowScratch color_rows;
  ColorContactScratch color_contacts;
  SolverRows lanes;      // capacity: contacts + a block for each color
  SurfaceRows surfaces;  // the same, or none
  Index contact_capacity = 0;
  bool operator==(const SolveScratch&) const = default;
};

}  // namespace talus
