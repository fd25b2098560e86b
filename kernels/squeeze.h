// SPDX-License-Identifier: MIT
// Light bodies under heavy ones. A soft contact gives way by load / (mass w^2), and the mass is that of the lighter
// body; sweeps over contacts converge by the ratio of the masses. So a body that stands on the ground, or on bodies
// that do, and on which many times its own mass stands, gets more inertia for this step, as bodies under tension do
// (tension.h): as much as stands on it. Its weight stays what it is. All others have a factor of exactly 1.
//
// What stands on a body is found from contacts alone, from the top down: the largest of the masses on it with what
// stands on those. Where less than kSqueezedFrom times its mass stands on a body the search ends, so in piles that need
// none of this it ends where it begins. Only then the ground is asked for, from the bottom up: what falls freely has no
// more inertia than mass, or a stack in the air would come apart.
//
// What friction holds does not move along tangents, whatever its inertia is, and friction converges by it. What slides
// or rolls, or stands on such, has its own mass along tangents: else a load on ice would be twice as heavy as it is.
// That needs normals that are parallel. With others friction, by less inertia, would work against normals with more:
// such bodies have the same inertia in all directions.
//
// More inertia with the same velocity would be momentum from nowhere: 0.6 kg that spin at 170 rad/s under 400 kg would
// throw these up by a metre. So a body keeps of its velocity what agrees with the motion of its load, as if both were
// one rigid body, and of the rest its momentum, which is next to nothing.
#pragma once
#include <bit>

#include "columns.h"
#include "contact_columns.h"
#include "counters.h"
#include "joint_columns.h"
#include "material.h"
#include "math/atomic.h"
#include "math/vec3.h"
#include "solve_columns.h"
#include "step_params.h"

namespace talus::inline TALUS_ISA {

// [1] Times its mass that stands on a body. Without more inertia boxes of 0.1 m are 2 % inside each other at 4, 8 % at
// 10 with ten of them under the heavy one, and 90 % at 1,000.
constexpr float kSqueezedFrom = 4.9f;
constexpr float kUnevenFrom =
    300.0f;                         // [1] largest over least mass of a world from which on sweeps make energy: gains.h
constexpr float kHoldsPart = 0.9f;  // [1] of what friction can give: with more a contact may slip
constexpr float kSlowSlip = 0.5f;   // [1] of what gravity adds to a velocity in a step: what slips slower may stick
constexpr float kParallel = 0.05f;  // [1] by which components of normals differ on a body that is squeezed along one
constexpr float kStandsSlope = 0.5f;   // [1] cosine between up and the normal of a contact by which a body stands
constexpr Index kMostLoadTurns = 256;  // levels under a heavy body that feel it, and levels that stand on the ground

/// Where the search keeps what it knows of a body, until its record is made: in ColorBids, of no more use then. Loads
/// are bits of floats >= 0 [kg], one for even turns and one for odd ones. Grounded, stuck: 0, or the more the nearer to
/// the ground. Jointed: 1. Agrees: see PassMotion. From kUpward on: the largest of the components of upward normals,
/// and of their negatives.
enum SqueezeBid : int {
  kEvenLoad,
  kOddLoad,
  kGrounded,
  kStuckToGround,
  kJointed,
  kAgrees,
  kUpward,
  kSqueezeBids = kUpward + 6
};
static_assert(kSqueezeBids <= kPalette);
constexpr float kUpwardUnit = 1.0f / 1048576.0f;  // [1] of components, which are counted from -1

/// One element is one body.
struct ClearLoads {
  Column<ColorBids> bids;

  TALUS_HD void operator()(Index body) const {
    for (int i = 0; i < kSqueezeBids; ++i) bids[body].bid[i] = 0;
  }
};

/// Marks the bodies of joints, which are left as they are: joints have an inertia of their own for what hangs on them
/// (tension.h). One element is one joint.
struct MarkJointedLoads {
  JointModel model;
  Column<ColorBids> bids;

  TALUS_HD void operator()(Index joint) const {
    if (model.alive[joint] == 0) return;
    for (const Index body : {model.body_a[joint], model.body_b[joint]}) {
      if (body >= 0) atomic_store(&bids[body].bid[kJointed], 1u);  // the same by whom ever
    }
  }
};

TALUS_INLINE bool is_round(ShapeType shape) {
  return shape == ShapeType::sphere || shape == ShapeType::capsule;
}

/// Who stands on whom.
struct StandingContacts {
  BodyModel model;
  BodyState state;
  PairList pairs;
  ContactRecords contacts;
  Column<Index> contact_pair;
  const StepParams* params;
  MaterialTable materials;
  Column<ColorBids> bids;  // in/out

  struct Bodies {
    Index upper, lower;  // -1: nothing stands by this contact
  };
  /// Bodies that touch, or will before the step is over if nothing holds them back.
  TALUS_HD Bodies bodies_of(Index pair, Index a, Index b) const {
    const float rise = dot(contacts[pair].normal, params->up);
    if (!(abs_of(rise) > kStandsSlope) || !bears(pair, a, b)) return {-1, -1};
    return rise > 0.0f ? Bodies{b, a} : Bodies{a, b};
  }
  TALUS_HD bool bears(Index pair, Index a, Index b) const {
    const CachedContact& c = contacts[pair];
    for (int i = 0; i < int(c.count); ++i) {
      const CachedPoint& p = c.point[i];
      const float parting = dot(c.normal, speed_at(p, a, b));
      // Parting ones that touch still stand: they may part for a moment only, and share impulses of the last step.
      if (p.separation + params->dt * min_of(parting, 0.0f) < params->fall) return true;
    }
    return false;
  }
  /// Whether friction of a contact keeps the bodies where they are: nothing rolls, and it is not at its limit with the
  /// bodies under way. Friction of a tall stack is at its limit at times before sweeps have found what it bears.
  TALUS_HD bool sticks(Index pair, Index a, Index b) const {
    if (is_round(ShapeType(model.shape[a])) || is_round(ShapeType(model.shape[b]))) return false;
    const CachedContact& c = contacts[pair];
    const SurfaceRecord on_a = surface_of_body(a), on_b = surface_of_body(b);
    const float friction = combine(friction_rule(std::uint8_t(on_a.rules)), friction_rule(std::uint8_t(on_b.rules)),
                                   on_a.friction, on_b.friction);
    float load = 0.0f;
    for (int i = 0; i < int(c.count); ++i) load = load + c.impulse[i];
    const float limit = kHoldsPart * friction * load;
    if (!(load > 0.0f) || dot(c.friction, c.friction) < limit * limit) return true;
    const Vec3 v = speed_at(c.point[0], a, b), slip = v - dot(v, c.normal) * c.normal;
    const float slow = kSlowSlip * params->fall / params->dt;
    return friction > 0.0f && dot(slip, slip) < slow * slow;
  }
  /// [m/s] Of B against A at a point.
  TALUS_HD Vec3 speed_at(const CachedPoint& p, Index a, Index b) const {
    return (state.linear_velocity[b] + cross(state.angular_velocity[b], p.on_b)) -
           (state.linear_velocity[a] + cross(state.angular_velocity[a], p.on_a));
  }
  TALUS_HD SurfaceRecord surface_of_body(Index body) const {
    return surface_of(materials, model.flags[body] >> kMaterialShift, model.friction[body], 0.0f, model.combine[body]);
  }
  TALUS_HD bool is_squeezed(Index body) const {
    const ColorBids& of = bids[body];
    return moves(body) && of.bid[kGrounded] != 0 && (of.bid[kEvenLoad] | of.bid[kOddLoad]) != 0;
  }
  TALUS_HD bool moves(Index body) const {
    return model.inv_mass[body] > 0.0f && state.asleep[body] == 0 && state.frozen[body] == 0;
  }
  /// [kg] What stands on a body.
  TALUS_HD float load_on(Index body) const { return load_of(bids[body]); }
  TALUS_HD static float load_of(const ColorBids& of) {
    const std::uint32_t even = of.bid[kEvenLoad], odd = of.bid[kOddLoad];
    return std::bit_cast<float>(even > odd ? even : odd);
  }
};

/// Brings loads one level down. One element is one contact.
struct PassLoads {
  StandingContacts of;
  Counters* counters;  // load_turns, ground_turns, held_turns, motion_turns, squeezed
  Index turn;

  TALUS_HD void operator()(Index contact) const {
    const Index pair = of.contact_pair[contact], a = of.pairs.owner[pair], b = of.pairs.partner[pair];
    const float inv_a = of.model.inv_mass[a], inv_b = of.model.inv_mass[b];
    const bool alike = max_of(inv_a, inv_b) < kSqueezedFrom * min_of(inv_a, inv_b);
    if ((alike && turn == 0) || !of.moves(a) || !of.moves(b)) return;  // most of them, most of the time
    const int from = turn % 2 == 0 ? kEvenLoad : kOddLoad, to = kEvenLoad + kOddLoad - from;
    const float load_a = 1.0f / inv_a + std::bit_cast<float>(of.bids[a].bid[from]);
    const float load_b = 1.0f / inv_b + std::bit_cast<float>(of.bids[b].bid[from]);
    if (!(max_of(load_a * inv_b, load_b * inv_a) > kSqueezedFrom)) return;
    const auto [upper, lower] = of.bodies_of(pair, a, b);
    const float load = upper == a ? load_a : load_b, inv_lower = upper == a ? inv_b : inv_a;
    if (upper < 0 || of.bids[lower].bid[kJointed] != 0 || !(load * inv_lower > kSqueezedFrom)) return;
    const auto bits = std::bit_cast<std::uint32_t>(load);
    atomic_max(&of.bids[lower].bid[to], bits);
    if (!(bits > of.bids[lower].bid[from])) return;
    atomic_store(&counters->squeezed, 1);
    atomic_store(&counters->ground_turns, 1);
    atomic_store(&counters->held_turns, 1);
    atomic_store(&counters->motion_turns, 1);
    if (turn + 2 <= kMostLoadTurns) atomic_store(&counters->load_turns, turn + 2);
  }
};

/// Brings the ground one level up: fixed bodies, kinematic ones and those asleep. kStuck: by contacts that stick alone.
/// One element is one contact.
template <bool kStuck>
struct PassGround {
  static constexpr int kBid = kStuck ? kStuckToGround : kGrounded;
  StandingContacts of;
  Index* turns;
  Index turn;

  TALUS_HD void operator()(Index contact) const {
    const Index pair = of.contact_pair[contact], a = of.pairs.owner[pair], b = of.pairs.partner[pair];
    // What is grounded in this turn grounds others in the next one, in any order of contacts.
    const std::uint32_t code = std::uint32_t(kMostLoadTurns - turn);
    const bool holds_a = holds(a, code), holds_b = holds(b, code);
    if (holds_a == holds_b) return;  // most of them
    const auto [upper, lower] = of.bodies_of(pair, a, b);
    if (upper < 0 || lower != (holds_a ? a : b)) return;
    if (kStuck && !of.sticks(pair, a, b)) return;
    atomic_max(&of.bids[upper].bid[kBid], code);
    if (turn + 2 <= kMostLoadTurns) atomic_store(turns, turn + 2);
  }

 private:
  /// Whether a body is ground, or was on it before this turn.
  TALUS_HD bool holds(Index body, std::uint32_t code) const {
    return !of.moves(body) || atomic_load(&of.bids[body].bid[kBid]) > code;
  }
};

/// Notes along which normals bodies are squeezed. One element is one contact.
struct NoteUpward {
  StandingContacts of;

  TALUS_HD void operator()(Index contact) const {
    const Index pair = of.contact_pair[contact], a = of.pairs.owner[pair], b = of.pairs.partner[pair];
    const bool note_a = of.is_squeezed(a), note_b = of.is_squeezed(b);
    if ((!note_a && !note_b) || !of.bears(pair, a, b)) return;
    const Vec3 normal = of.contacts[pair].normal;
    const Vec3 upward = dot(normal, of.params->up) < 0.0f ? -normal : normal;
    if (note_a) note(a, upward);
    if (note_b) note(b, upward);
  }

 private:
  TALUS_HD void note(Index body, Vec3 upward) const {
    const float components[6] = {upward.x, upward.y, upward.z, -upward.x, -upward.y, -upward.z};
    for (int i = 0; i < 6; ++i) {
      const float units = (1.0f + clamp_to(components[i], -1.0f, 1.0f)) * (1.0f / kUpwardUnit);
      atomic_max(&of.bids[body].bid[kUpward + i], std::uint32_t(units));
    }
  }
};

/// Finds how much of its velocity each squeezed body has in common with its load, from the top down: by those that are
/// nearest to a body that is not squeezed. One element is one contact.
struct PassMotion {
  static constexpr int kPartBits = 23;  // of a bid; above them: the more the earlier it was found
  static constexpr std::uint32_t kWhole = (1u << kPartBits) - 1;
  StandingContacts of;
  Counters* counters;  // motion_turns
  Index turn;

  TALUS_HD void operator()(Index contact) const {
    const Index pair = of.contact_pair[contact], a = of.pairs.owner[pair], b = of.pairs.partner[pair];
    if (!of.is_squeezed(a) && !of.is_squeezed(b)) return;
    const auto [upper, lower] = of.bodies_of(pair, a, b);
    if (upper < 0 || !of.moves(upper) || !of.is_squeezed(lower)) return;
    const float load = 1.0f / of.model.inv_mass[upper] + of.load_on(upper);
    const std::uint32_t code = std::uint32_t(kMostLoadTurns - turn);
    if (!(load * of.model.inv_mass[lower] > kSqueezedFrom) || found(lower) > code) return;
    float part = agreement(upper, lower);
    if (of.is_squeezed(upper)) {
      if (!(found(upper) > code)) return;  // not before this turn
      part = part * part_of(of.bids[upper]);
    }
    atomic_max(&of.bids[lower].bid[kAgrees], (code << kPartBits) | std::uint32_t(part * float(kWhole)));
    if (turn + 2 <= kMostLoadTurns) atomic_store(&counters->motion_turns, turn + 2);
  }

  /// [1] Of its velocity.
  TALUS_HD static float part_of(const ColorBids& bids) {
    return float(bids.bid[kAgrees] & kWhole) * (1.0f / float(kWhole));
  }

 private:
  TALUS_HD std::uint32_t found(Index body) const { return atomic_load(&of.bids[body].bid[kAgrees]) >> kPartBits; }

  /// <u, s> / <u, u>, between 0 and 1, in the product of kinetic energy; s: if it was fixed to the body above.
  TALUS_HD float agreement(Index upper, Index lower) const {
    const Vec3 arm = of.state.position[lower] - of.state.position[upper];
    const Vec3 v = of.state.linear_velocity[lower], w = of.state.angular_velocity[lower];
    const Vec3 spin = of.state.angular_velocity[upper];
    const Vec3 carried = of.state.linear_velocity[upper] + cross(spin, arm);
    const Quat q = of.state.orientation[lower];
    const Vec3 inverse = of.model.inv_inertia[lower], own = rotate_back(q, w), with = rotate_back(q, spin);
    const Vec3 momentum{own.x / inverse.x, own.y / inverse.y, own.z / inverse.z};
    const float mass = 1.0f / of.model.inv_mass[lower];
    const float size = mass * dot(v, v) + dot(momentum, own), agreed = mass * dot(v, carried) + dot(momentum, with);
    return agreed > 0.0f ? min_of(agreed / max_of(size, 1e-30f), 1.0f) : 0.0f;
  }
};

/// Bodies with a load that have left the ground: what held the load in the last step, when they had its inertia, would
/// now throw them about. One element is one contact.
struct DropLoads {
  StandingContacts of;

  TALUS_HD void operator()(Index contact) const {
    const Index pair = of.contact_pair[contact], a = of.pairs.owner[pair], b = of.pairs.partner[pair];
    if (!is_loose(a) && !is_loose(b)) return;
    CachedContact& c = of.contacts[pair];
    c.friction = {0.0f, 0.0f, 0.0f};
    c.twist = 0.0f;
    for (float& impulse : c.impulse) impulse = 0.0f;
  }

 private:
  TALUS_HD bool is_loose(Index body) const {
    const ColorBids& bids = of.bids[body];
    return of.moves(body) && bids.bid[kGrounded] == 0 && (bids.bid[kEvenLoad] | bids.bid[kOddLoad]) != 0;
  }
};

/// What becomes of a body.
struct Squeeze {
  float factor;  // [1] its inertia over its mass
  float keeps;   // [1] of its velocity, where it has more inertia
  bool slides;   // the factor holds along the normal alone
  Vec3 normal;   // if it slides
};
/// uniform: inertia has to be the same in all directions. What slides is left as it is then, unless it rolls.
TALUS_INLINE Squeeze squeeze_of(const ColorBids& of, float inv_mass, bool uniform, bool round) {
  const float factor = StandingContacts::load_of(of) * inv_mass;
  Squeeze by{1.0f, 1.0f, false, {0.0f, 0.0f, 0.0f}};
  if (of.bid[kGrounded] == 0 || !(factor > 1.0f)) return by;
  by.factor = factor;
  by.keeps = max_of(PassMotion::part_of(of), 1.0f / factor);
  if (of.bid[kStuckToGround] != 0) return by;
  float middle[3], spread = 0.0f;
  for (int i = 0; i < 3; ++i) {
    const float most = kUpwardUnit * float(of.bid[kUpward + i]) - 1.0f;
    const float least = 1.0f - kUpwardUnit * float(of.bid[kUpward + 3 + i]);
    middle[i] = 0.5f * (most + least);
    spread = max_of(spread, most - least);
  }
  by.slides = spread < kParallel;
  if (by.slides && uniform) {
    by.slides = false;
    if (!round) by.factor = by.keeps = 1.0f;
    return by;
  }
  const Vec3 normal{middle[0], middle[1], middle[2]};
  by.normal = (1.0f / max_of(length(normal), 1e-6f)) * normal;
  return by;
}

}  // namespace talus::inline TALUS_ISA
