// SPDX-License-Identifier: MIT
// Light bodies under heavy ones. A soft contact gives way by load / (mass w^2), and the mass is that of the lighter
// body; sweeps over contacts converge by the ratio of the masses. So a body that stands, and on which many times its
// own mass stands, gets more inertia for this step, as bodies under tension do (tension.h): half of what stands on it.
// Its weight stays what it is. All others have a factor of exactly 1.
//
// What stands on a body is found from contacts alone, from the top down: the largest of the masses on it with what
// stands on those. Where less than kSqueezedFrom times its mass stands on a body the search ends, so in piles that need
// none of this it ends where it begins.
#pragma once
#include <bit>

#include "columns.h"
#include "contact_columns.h"
#include "counters.h"
#include "math/atomic.h"
#include "math/vec3.h"
#include "solve_columns.h"
#include "step_params.h"

namespace talus::inline TALUS_ISA {

constexpr float kSqueezedFrom = 30.0f;  // [1] times its mass that stands on a body
constexpr float kSqueezedPart = 0.5f;   // [1] of that: the inertia it gets
constexpr float kStandsSlope = 0.5f;    // [1] cosine between up and the normal of a contact by which a body stands
constexpr Index kMostLoadTurns = 64;    // levels under a heavy body that feel it

/// Where the search keeps what it knows of a body, until its record is made: in ColorBids, of no more use then. Loads
/// are bits of floats >= 0 [kg], one for even turns and one for odd ones.
enum SqueezeBid : int { kEvenLoad, kOddLoad, kStands };

/// One element is one body.
struct ClearLoads {
  Column<ColorBids> bids;

  TALUS_HD void operator()(Index body) const {
    for (const int i : {kEvenLoad, kOddLoad, kStands}) bids[body].bid[i] = 0;
  }
};

/// Who stands on whom.
struct StandingContacts {
  BodyModel model;
  PairList pairs;
  ContactRecords contacts;
  Column<Index> contact_pair;
  const StepParams* params;
  Column<ColorBids> bids;  // in/out

  struct Bodies {
    Index upper, lower;  // -1: nothing stands by this contact
  };
  TALUS_HD Bodies bodies_of(Index contact) const {
    const Index pair = contact_pair[contact];
    const CachedContact& c = contacts[pair];
    const float rise = dot(c.normal, params->up);
    float nearest = c.point[0].separation;
    for (int i = 1; i < int(c.count); ++i) nearest = min_of(nearest, c.point[i].separation);
    if (!(abs_of(rise) > kStandsSlope && nearest < params->stands_within)) return {-1, -1};
    const Index a = pairs.owner[pair], b = pairs.partner[pair];
    return rise > 0.0f ? Bodies{b, a} : Bodies{a, b};
  }
};

/// One element is one contact.
struct FindStanding {
  StandingContacts of;

  TALUS_HD void operator()(Index contact) const {
    const Index upper = of.bodies_of(contact).upper;
    if (upper >= 0) atomic_max(&of.bids[upper].bid[kStands], 1u);
  }
};

/// Brings loads one level down. One element is one contact.
struct PassLoads {
  StandingContacts of;
  Counters* counters;  // load_turns
  Index turn;

  TALUS_HD void operator()(Index contact) const {
    const auto [upper, lower] = of.bodies_of(contact);
    if (upper < 0) return;
    const float inv_upper = of.model.inv_mass[upper], inv_lower = of.model.inv_mass[lower];
    if (!(inv_upper > 0.0f && inv_lower > 0.0f) || of.bids[lower].bid[kStands] == 0) return;
    const int from = turn % 2 == 0 ? kEvenLoad : kOddLoad, to = kEvenLoad + kOddLoad - from;
    const float load = 1.0f / inv_upper + std::bit_cast<float>(of.bids[upper].bid[from]);
    if (!(load * inv_lower > kSqueezedFrom)) return;
    const auto bits = std::bit_cast<std::uint32_t>(load);
    atomic_max(&of.bids[lower].bid[to], bits);
    const bool more = bits > of.bids[lower].bid[from];
    if (more && turn + 2 <= kMostLoadTurns) atomic_store(&counters->load_turns, turn + 2);
  }
};

/// [1] Times the mass of a body that its inertia is to be.
TALUS_INLINE float squeeze_factor(const ColorBids& bids, float inv_mass) {
  const std::uint32_t even = bids.bid[kEvenLoad], odd = bids.bid[kOddLoad];
  const float load = std::bit_cast<float>(even > odd ? even : odd);
  return max_of(kSqueezedPart * load * inv_mass, 1.0f);
}

}  // namespace talus::inline TALUS_ISA
