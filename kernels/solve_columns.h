// SPDX-License-Identifier: MIT
// Scratch of the narrow phase, the coloring and the solver: derived in each step, worth nothing after it.
#pragma once
#include "columns.h"
#include "contact_columns.h"
#include "counters.h"

namespace talus {

/// A body as the solver moves it. 32 bytes.
struct alignas(32) BodyVelocity {
  Vec3 linear;     // [m/s]
  float inv_mass;  // [1/kg] 0: never written by contacts
  Vec3 angular;    // [rad/s]
  float flag;      // velocity: 1 if it left the finite range in this step; free velocity: 1 if the body has contacts
};

/// How far a body got since the step began. 32 bytes.
struct alignas(32) BodyDisplacement {
  Vec3 shift;  // [m] of the centre of mass
  float unused;
  Quat rotation;  // world frame: orientation now = rotation * orientation at the start
};

/// World-frame inverse inertia, symmetric: xx, yy, zz, xy, xz, yz [1/kg/m^2]. 32 bytes.
struct alignas(32) BodyInertia {
  float m[6];
  float unused[2];
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
  X(BodyDisplacement, displacement, "", "since the step began")                          \
  X(BodyInertia, inertia, "", "at the start of the step")                                \
  X(std::uint32_t, color_mask, "1", "bit c: a contact of this dynamic body has color c") \
  X(ColorBids, bids, "", "")                                                             \
  X(Index, split_count, "1", "contacts of this body in the overflow color")              \
  X(SplitSums, split_sums, "", "all zero between sweeps")

#define TALUS_SOLVE_PAIR_SCRATCH(X)                                                    \
  X(std::uint32_t, batch_key, "1", "shape class of a pair, to collide like with like") \
  X(std::uint32_t, batch_pair, "1", "pairs in the order of batch_key")                 \
  X(std::uint32_t, spare_key, "1", "")                                                 \
  X(std::uint32_t, spare_pair, "1", "")                                                \
  X(Index, last_row, "1", "the pair's row in the last cache, or -1")                   \
  X(Index, contact_index, "1", "1 if the pair has points; after the scan: contacts before it")

#define TALUS_SOLVE_CONTACT_SCRATCH(X)                                   \
  X(Index, pair, "1", "row of the contact in the cache")                 \
  X(std::uint32_t, color, "1", "")                                       \
  X(std::uint32_t, sort_key, "1", "color, sorted")                       \
  X(std::uint32_t, sort_contact, "1", "contacts in the order of colors") \
  X(std::uint32_t, spare_key, "1", "")                                   \
  X(std::uint32_t, spare_contact, "1", "")

namespace talus {

TALUS_DEFINE_VIEW(SolveRowScratch, TALUS_SOLVE_ROW_SCRATCH)
TALUS_DEFINE_VIEW(SolvePairScratch, TALUS_SOLVE_PAIR_SCRATCH)
TALUS_DEFINE_VIEW(SolveContactScratch, TALUS_SOLVE_CONTACT_SCRATCH)

/// Field numbers of the solver's rows: one lane a contact. Padding lanes have two times the null body and zeros.
namespace row {
enum Field : int {
  body_a,
  body_b,
  pair,    // row in the cache
  count,   // points, as a float
  ground,  // 1.0: A or B is not dynamic
  normal,  // world frame, from A to B
  inv_mass_a = normal + 3,
  inv_mass_b,
  inertia_a,  // as BodyInertia::m
  inertia_b = inertia_a + 6,
  friction = inertia_b + 6,  // Coulomb coefficient
  restitution,
  tangent,                   // world frame; the second one is cross(normal, tangent)
  friction_a = tangent + 3,  // [m] point where friction acts, from the centre of A
  friction_b = friction_a + 3,
  friction_mass = friction_b + 3,  // inverse of the 2x2 tangential matrix: 11, 22, 12
  twist_mass = friction_mass + 3,
  twist_arm,         // [m] mean distance of the points from the friction point
  friction_impulse,  // [N s] along both tangents, of this sub-step
  twist_impulse = friction_impulse + 2,
  round_a,  // [m] how far the surface of A is from what turns it: radius of spheres and capsules, else 0
  round_b,
  middle_separation,  // [m] mean of the points' separations, weighted as the friction point is
  middle_give,        // [1/kg] inverse effective mass along the normal at the friction point
  points_give,        // [1/kg] mean of the points' inverse effective masses
  point,              // kMaxPoints times the fields below
};
enum PointField : int {
  arm_a,  // [m] from the centre of A, world axes at the start of the step
  arm_b = arm_a + 3,
  separation = arm_b + 3,  // [m] at the start of the step
  mass,                    // [kg] effective mass along the normal; 0 marks a point that is not there
  impulse,                 // [N s] accumulated in this sub-step, >= 0
  approach,                // [m/s] normal velocity at the start of the step, negative when closing
  peak,                    // [N s] largest impulse of the step: > 0 if the point ever pushed
  kPointFields,
};
constexpr int kFields = point + kMaxPoints * kPointFields;
constexpr int at(int index, int field) {
  return point + index * kPointFields + field;
}
}  // namespace row

using SolverRows = LaneBlocks<row::kFields>;

struct SolveScratch {
  SolveRowScratch rows;  // capacity: body rows + 1; the row after the last is the null body
  SolvePairScratch pairs;
  SolveContactScratch contacts;
  SolverRows lanes;  // capacity: contacts + a block for each color
  Index contact_capacity = 0;
  bool operator==(const SolveScratch&) const = default;
};

}  // namespace talus
