// SPDX-License-Identifier: MIT
// What follows any solver: no body gets further than its pairs were found for, and none passes through another one.
//
// A body that would is left on its way, short of where it would be; its velocity stays as it is, and the next step
// solves the impact. That the way in between was straight and evenly turned is an assumption, but a harmless one:
// whatever the body did, it ends where it could have come without passing through anything.
#pragma once
#include <bit>

#include "counters.h"
#include "guard_columns.h"
#include "joint_columns.h"
#include "math/atomic.h"
#include "math/bits.h"
#include "pairs.h"
#include "reach.h"
#include "shapes/advance.h"
#include "solve_columns.h"
#include "sweep.h"
#include "tumble.h"

namespace talus::inline TALUS_ISA {

// Lengths in thinnest extents of a pair: of A or B, whatever is smaller.
constexpr float kFastPart = 0.25f;     // a pair that closes by more in a step is looked after
constexpr float kStoppedPart = 0.02f;  // the same, if one of them has stopped: no solver knew of that

// GuardRows::pardon, see also kJointed
constexpr std::uint32_t kPushedOut = 2u;  // it overlaps another deeply and gets out of it
constexpr std::uint32_t kMet = 4u;        // there may be somebody on its way who is not in its pairs
constexpr Index kMostSearched = 64;       // bodies that went too far, for which others are looked for one by one

// Parts of the step, 0..1, as bits: these are ordered as the floats are, so an integer minimum serves.
constexpr Index kNoStop = 0x3f800000;  // 1
constexpr std::uint64_t kNotCarried = ~std::uint64_t(0);
TALUS_INLINE float part_of_stop(Index stop) {
  return std::bit_cast<float>(stop);
}
TALUS_INLINE Index stop_at(float part) {
  return std::bit_cast<Index>(part);
}

/// Lists the bodies that went further than they may, and finds out whether any is fast enough to pass through the
/// thinnest shape of the world. One body a lane.
struct MeasureMotion {
  BodyModel model;
  BodyState state;
  BodyInputs inputs;
  BodyMotions motions;
  Column<BodyVelocity> free_velocity;
  const StepParams* params;
  GuardRows rows;      // beyond, gained: out
  Counters* counters;  // bounds of the loops of this stage: out

  template <class Real>
  TALUS_INLINE void solve(Index row) const {
    const StepReach<Real> r = step_reach<Real>(model, state, inputs, *params, row);
    Real gone[8];
    load_together(&motions.displacement.data->shift.x, row, gone);
    const Real one(1.0f);
    const Vec3Of<Real> shift{gone[0], gone[1], gone[2]};
    const Real sine_squared = gone[4] * gone[4] + gone[5] * gone[5] + gone[6] * gone[6];  // of half the turn
    // asin(x) <= x + (pi / 2 - 1) x^3
    const Real angle = Real(2.0f) * square_root(sine_squared) * (one + Real(0.5708f) * sine_squared);
    const Real far = length(shift), swing = min_of(angle * r.arm, r.most_swing);
    const Real room = r.rim + Real(kRoundOff) * r.way - swing;
    const Vec3Of<Real> low = r.low - shift, high = shift - r.high;
    const Real out = max_of(max_of(max_of(low.x, low.y), low.z), max_of(max_of(high.x, high.y), high.z));
    const Mask<Real> too_far = r.moves && !(out <= room + r.side && far <= room + r.way);
    const Mask<Real> fast = !r.still && far + angle * r.radius > Real(0.5f * kFastPart * params->thinnest);
    if (any_of(too_far)) list(row, lane_bits(too_far));
    if (any_of(fast)) look_for_fast_pairs();
    const Real tumble(BodyEnergies::kTumbleAngle * BodyEnergies::kTumbleAngle), dt(params->dt);
    const Mask<Real> tumbles =
        r.moves && !(Real(4.0f) * sine_squared <= tumble && dt * dt * length_squared(r.spin) <= tumble);
    if (any_of(tumbles)) weigh(row, lane_bits(tumbles));
  }
  static constexpr float kRoundOff = 1e-4f;  // [way] what sub-steps add up to less exactly than the step's way

  TALUS_HD void list(Index row, unsigned lanes_of_rows) const {
    for (; lanes_of_rows != 0; lanes_of_rows &= lanes_of_rows - 1u) {
      rows.beyond[atomic_add(&counters->beyond, 1)] = row + lowest_bit(lanes_of_rows);
    }
    atomic_store(&counters->beyond_pairs, counters->pairs);
    atomic_store(&counters->beyond_joints, counters->joints);
    atomic_store(&counters->beyond_rows, counters->rows);
  }
  /// Lists those that have gained energy and touch something. Round ones turn as rows say.
  TALUS_HD void weigh(Index row, unsigned lanes_of_rows) const {
    const BodyEnergies energies{model, state, inputs, motions, params};
    for (; lanes_of_rows != 0; lanes_of_rows &= lanes_of_rows - 1u) {
      const Index body = row + lowest_bit(lanes_of_rows);
      const Vec3 inverse = model.inv_inertia[body];
      const bool round = inverse.x == inverse.y && inverse.y == inverse.z;
      if (round || !(free_velocity[body].flag > 0.0f)) continue;
      if (!(energies.at_end(body) > kWeighed * energies.most(body, 0.0f))) continue;
      rows.gained[atomic_add(&counters->gained, 1)] = body;
      atomic_store(&counters->gained_pairs, counters->pairs);
      atomic_store(&counters->gained_joints, counters->joints);
    }
  }
  static constexpr float kWeighed = 1.0001f;  // what is less is rounding

  TALUS_HD void look_for_fast_pairs() const {
    if (atomic_load(&counters->fast_rows) != 0) return;
    atomic_store(&counters->fast_rows, counters->active_lanes > 0 ? counters->active_lanes : counters->rows);
    atomic_store(&counters->fast_search, counters->pairs);
  }
};

/// One element is one of those that went too far.
struct BeginPardon {
  GuardRows rows;
  TALUS_HD void operator()(Index i) const { rows.pardon[rows.beyond[i]] = 0; }
};

/// Who overlaps another is pushed out of it, at up to the push speed. One element is one pair.
struct PardonPushedOut {
  PairList pairs;
  ContactRecords contacts;
  Column<float> radius;
  Column<std::uint32_t> pardon;  // what is written for those who did not go too far is not read

  TALUS_HD void operator()(Index pair) const {
    const CachedContact& contact = contacts[pair];
    const float smaller = min_of(radius[pairs.owner[pair]], radius[pairs.partner[pair]]);
    float least = 0.0f;
    for (int i = 0; i < int(contact.count); ++i) least = min_of(least, contact.point[i].separation);
    if (!(least < -kDeepPart * smaller)) return;
    atomic_or(&pardon[pairs.owner[pair]], kPushedOut);
    atomic_or(&pardon[pairs.partner[pair]], kPushedOut);
  }
  static constexpr float kDeepPart = 0.01f;  // [1] of the smaller body's radius
};

/// One element is one joint.
struct PardonJointed {
  JointModel joints;
  Column<std::uint32_t> pardon;

  TALUS_HD void operator()(Index joint) const {
    if (joints.alive[joint] == 0) return;
    const Index a = joints.body_a[joint], b = joints.body_b[joint];
    if (a >= 0) atomic_or(&pardon[a], kJointed);
    if (b >= 0) atomic_or(&pardon[b], kJointed);
  }
};

/// Looks for bodies that somebody who went too far may have met, and that are not in its pairs. One element is a body
/// row.
struct SeekMet {
  BodyModel model;
  BodyState state;
  Column<BodyDisplacement> displacement;
  PairList pairs;
  Column<const std::uint64_t> ignored;
  GuardRows rows;
  const Counters* counters;

  TALUS_HD void operator()(Index row) const {
    if (counters->beyond > kMostSearched || model.alive[row] == 0) return;
    const bool is_plane = model.shape[row] == std::uint8_t(ShapeType::plane);
    const Vec3 way = shift_of(row), half = half_of(row);
    const Vec3 low = state.position[row] - half + min_of(way, {0.0f, 0.0f, 0.0f});
    const Vec3 high = state.position[row] + half + max_of(way, {0.0f, 0.0f, 0.0f});
    for (Index i = 0; i < counters->beyond; ++i) {
      const Index body = rows.beyond[i];
      const float radius = model.radius[body];
      const Vec3 from = state.position[body], shift = displacement[body].shift;
      const Vec3 ball{radius, radius, radius};
      const Vec3 apart = max_of(low - (from + ball + max_of(shift, {0.0f, 0.0f, 0.0f})),
                                (from - ball + min_of(shift, {0.0f, 0.0f, 0.0f})) - high);
      if (!is_plane && max_of(apart.x, max_of(apart.y, apart.z)) > 0.0f) continue;
      if (body != row && collide(body, row) && !is_pair(body, row)) atomic_or(&rows.pardon[body], kMet);
    }
  }

  TALUS_HD bool is_still(Index row) const {
    return model.motion[row] == std::uint8_t(Motion::fixed) || state.asleep[row] != 0 || state.frozen[row] != 0;
  }
  TALUS_HD Vec3 shift_of(Index row) const { return is_still(row) ? Vec3{0.0f, 0.0f, 0.0f} : displacement[row].shift; }
  TALUS_HD Vec3 half_of(Index row) const {
    const float radius = model.radius[row];
    if (!is_still(row)) return {radius, radius, radius};
    return aabb_half_extent(ShapeType(model.shape[row]), model.shape_size[row], state.orientation[row]);
  }
  TALUS_HD bool collide(Index x, Index y) const {
    if ((model.group[x] & model.mask[y]) == 0 || (model.group[y] & model.mask[x]) == 0) return false;
    return ignored.size == 0 || !is_listed(ignored, x, y);
  }
  TALUS_HD bool is_pair(Index x, Index y) const {
    const bool x_owns = owns_pair(model, x, y);
    const Index owner = x_owns ? x : y, partner = x_owns ? y : x;
    for (Index pair = pairs.begin[owner]; pair < pairs.begin[owner + 1]; ++pair) {
      if (pairs.partner[pair] == partner) return true;
    }
    return false;
  }
};

/// Holds a body to what its pairs were found for. One element is one of those that went too far.
struct LimitMotion {
  BodyModel model;
  BodyState state;
  BodyInputs inputs;
  GuardRows rows;
  BodyMotions motions;  // in/out: the body's own
  const StepParams* params;
  Counters* counters;  // cut_bodies

  TALUS_HD void operator()(Index i) const {
    const Index row = rows.beyond[i];
    const std::uint32_t pardon = rows.pardon[row];
    const bool searched = counters->beyond <= kMostSearched;
    if (searched ? (pardon & kMet) == 0 : (pardon & kJointed) != 0) return;
    const BodyDisplacement& gone = motions.displacement[row];
    const StepReach<float> r = step_reach<float>(model, state, inputs, *params, row);
    const float push = !searched && (pardon & kPushedOut) != 0 ? params->dt * params->max_push_speed : 0.0f;
    const Turn turn = turn_of(gone.turn);
    const float rim = r.rim + push, whole_swing = turn.angle * r.arm;
    const float part =
        max_of(part_within(r, gone.shift, rim - r.most_swing, 0.0f), part_within(r, gone.shift, rim, whole_swing));
    if (!(part < 1.0f)) return;
    motions.shorten(row, part);
    atomic_add(&counters->cut_bodies, 1);
  }

  /// Of a shift that may leave the box of ways by `rim` less part of `swing`.
  TALUS_HD static float part_within(const StepReach<float>& r, Vec3 shift, float rim, float swing) {
    if (rim < 0.0f) return 0.0f;
    const Vec3 room{shift.x < 0.0f ? -r.low.x : r.high.x, shift.y < 0.0f ? -r.low.y : r.high.y,
                    shift.z < 0.0f ? -r.low.z : r.high.z};
    const Vec3 way = abs_of(shift);
    float part = part_of_way(r.way + rim, length(shift) + swing);
    part = min_of(part, part_of_way(room.x + r.side + rim, way.x + swing));
    part = min_of(part, part_of_way(room.y + r.side + rim, way.y + swing));
    return min_of(part, part_of_way(room.z + r.side + rim, way.z + swing));
  }
  TALUS_HD static float part_of_way(float room, float way) { return way > room ? room / way : 1.0f; }
};

/// One element is a body row.
struct BeginStops {
  GuardRows rows;
  TALUS_HD void operator()(Index row) const {
    rows.stop[row] = rows.next_stop[row] = kNoStop;
    rows.carry[row] = kNotCarried;
  }
};

/// Ways of bodies through the step.
struct BodyPaths {
  BodyModel model;
  BodyState state;
  Column<BodyFrame> frame;
  Column<BodyDisplacement> displacement;

  TALUS_HD ShapePath path(Index row) const {
    const BodyDisplacement& gone = displacement[row];
    return shape_path(ShapeType(model.shape[row]), model.shape_size[row], frame[row].orientation, gone.shift,
                      gone.turn);
  }
  /// [m] The thinnest extent of a pair.
  TALUS_HD float thinnest(Index a, Index b) const {
    return 2.0f * min_of(min_half_thickness(ShapeType(model.shape[a]), model.shape_size[a]),
                         min_half_thickness(ShapeType(model.shape[b]), model.shape_size[b]));
  }
  TALUS_HD bool is_kinematic(Index row) const { return model.motion[row] == std::uint8_t(Motion::kinematic); }
  TALUS_HD bool is_pushed(Index row) const { return frame[row].inv_mass > 0.0f; }
};

/// Lists the pairs that get further than a part of their thinnest extent, if only together: one of them may stop. One
/// element is one pair.
struct FindFastPairs {
  BodyPaths bodies;
  PairList pairs;
  Column<Index> fast;  // out
  Counters* counters;  // fast_pairs

  TALUS_HD void operator()(Index pair) const {
    const Index a = pairs.owner[pair], b = pairs.partner[pair];
    if (!(travel(a) + travel(b) > kFastPart * bodies.thinnest(a, b))) return;
    fast[atomic_add(&counters->fast_pairs, 1)] = pair;
  }
  /// [m] At least the way of any of its points: an angle is at most pi times the sine of its half.
  TALUS_HD float travel(Index row) const {
    const BodyDisplacement& gone = bodies.displacement[row];
    return length(gone.shift) + kPi * bodies.model.radius[row] * length(Vec3{gone.turn.x, gone.turn.y, gone.turn.z});
  }
};

/// Two bodies on the ways that the rounds before left them.
struct PairPaths {
  ShapePath a, b;
  float thin;  // [m]
  float stop;  // part of the step
};
/// [m] No point of one gets further than this against the other.
TALUS_HD inline float closing_of(const ShapePath& a, const ShapePath& b) {
  const float first = min_of(a.part, b.part);  // one of them stops then, and the other one goes on
  return max_of(first * length(b.shift - a.shift), length(b.part * b.shift - a.part * a.shift)) + swing_of(a) +
         swing_of(b);
}
TALUS_HD inline PairPaths pair_paths(const BodyPaths& bodies, const GuardRows& rows, Index a, Index b) {
  PairPaths pair{bodies.path(a), bodies.path(b), bodies.thinnest(a, b), 1.0f};
  pair.a.part = part_of_stop(rows.stop[a]);
  pair.b.part = part_of_stop(rows.stop[b]);
  const bool both_go_on = pair.a.part == 1.0f && pair.b.part == 1.0f;
  if (closing_of(pair.a, pair.b) > (both_go_on ? kFastPart : kStoppedPart) * pair.thin) {
    pair.stop = first_stop(pair.a, pair.b, bodies.state.position[b] - bodies.state.position[a], pair.thin);
  }
  return pair;
}

/// Finds where the bodies of a pair must stop. One element is one of the fast pairs.
struct StopPairs {
  BodyPaths bodies;
  PairList pairs;
  Column<Index> fast;
  GuardRows rows;      // next_stop: a minimum
  Counters* counters;  // stop_pairs, stop_rows of this round
  int round;

  TALUS_HD void operator()(Index i) const {
    const Index pair = fast[i], a = pairs.owner[pair], b = pairs.partner[pair];
    const PairPaths paths = pair_paths(bodies, rows, a, b);
    if (!(paths.stop < 1.0f)) return;
    if (stops(a, paths.a, b, paths.thin)) put(a, stop_at(paths.stop));
    if (stops(b, paths.b, a, paths.thin)) put(b, stop_at(paths.stop));
  }

  /// What is slow goes on, unless it meets one that does not stop for anybody.
  TALUS_HD bool stops(Index row, const ShapePath& path, Index partner, float thin) const {
    if (!bodies.is_pushed(row)) return false;
    return bodies.is_kinematic(partner) || length(path.shift) + swing_of(path) > 0.5f * kFastPart * thin;
  }
  TALUS_HD void put(Index row, Index stop) const {
    if (!(stop < rows.stop[row])) return;
    atomic_min(&rows.next_stop[row], stop);
    atomic_store(&counters->stop_pairs[round + 1], counters->fast_pairs);
    atomic_store(&counters->stop_rows[round], counters->fast_rows);
  }
};

/// One element is a body row.
struct EndRound {
  GuardRows rows;
  TALUS_HD void operator()(Index row) const { rows.stop[row] = rows.next_stop[row]; }
};

/// Kinematic bodies stop for nobody: who has stopped is carried on by the first one that comes along. One element is
/// one of the fast pairs.
struct FindCarriers {
  BodyPaths bodies;
  PairList pairs;
  Column<Index> fast;
  GuardRows rows;  // carry: a minimum

  TALUS_HD void operator()(Index i) const {
    const Index pair = fast[i], a = pairs.owner[pair], b = pairs.partner[pair];
    const bool carries_a = bodies.is_kinematic(b), carries_b = bodies.is_kinematic(a);
    if (!carries_a && !carries_b) return;
    const float from = pair_paths(bodies, rows, a, b).stop;
    if (!(from < 1.0f)) return;
    const Index carried = carries_a ? a : b, by = carries_a ? b : a;
    atomic_min(&rows.carry[carried], (std::uint64_t(std::uint32_t(stop_at(from))) << 32) | std::uint32_t(by));
  }
};

/// Shortens the ways of those that stop. Who is carried is as if it was glued to its carrier. One element is a body
/// row.
struct CutMotion {
  BodyPaths bodies;
  GuardRows rows;
  BodyMotions motions;  // in/out: the body's own, if it is dynamic
  Counters* counters;   // cut_bodies

  TALUS_HD void operator()(Index row) const {
    const Index stop = rows.stop[row];
    const std::uint64_t carry_from = rows.carry[row];
    if ((stop == kNoStop && carry_from == kNotCarried) || !bodies.is_pushed(row)) return;
    if (stop != kNoStop) motions.shorten(row, part_of_stop(stop));
    if (carry_from != kNotCarried) {
      carry(row, motions.displacement[row], Index(std::uint32_t(carry_from)), part_of_stop(Index(carry_from >> 32)));
    }
    atomic_add(&counters->cut_bodies, 1);
  }

  TALUS_HD void carry(Index row, BodyDisplacement& gone, Index by, float part) const {
    const BodyDisplacement& carrier = motions.displacement[by];
    const Turn whole = turn_of(carrier.turn);
    const Quat from = bodies.frame[by].orientation * part_of(whole, part);
    const Quat to = bodies.frame[by].orientation * carrier.turn;
    const Quat turn = to * conjugate(from);  // world frame
    const Vec3 apart = (bodies.state.position[row] - bodies.state.position[by]) + gone.shift - part * carrier.shift;
    gone.shift = gone.shift + (1.0f - part) * carrier.shift + turned(turn, apart);
    const Quat start = bodies.frame[row].orientation;
    gone.turn = normalized(conjugate(start) * (turn * (start * gone.turn)));
  }
};

}  // namespace talus::inline TALUS_ISA
