// SPDX-License-Identifier: MIT
// What follows any solver: nothing passes through another body.
//
// A body that would is left on its way, short of where it would be; its velocity stays as it is, and the next step
// solves the impact. Two that nobody holds are left short of each other alone: they go on as their common centre does.
// That the way in between was straight and evenly turned is an assumption, but a harmless one: whatever the body did,
// it ends where it could have come without passing through anything.
#pragma once
#include <bit>

#include "contact_columns.h"
#include "counters.h"
#include "guard_columns.h"
#include "integrate.h"
#include "islands.h"
#include "joint_columns.h"
#include "math/atomic.h"
#include "math/bits.h"
#include "math/ranked.h"
#include "pairs.h"
#include "reach.h"
#include "shapes/advance.h"
#include "solve_columns.h"
#include "sweep.h"

namespace talus::inline TALUS_ISA {

// Lengths in thinnest extents of a pair: of A or B, whatever is smaller.
constexpr float kFastPart = 0.25f;       // a pair that closes by more in a step is looked after
constexpr float kStoppedPart = 0.02f;    // the same, if one of them has stopped: no solver knew of that; or is a wall
constexpr float kJointedPart = 1.0f;     // the first, if one of them has joints: these take them to and fro in any case
constexpr float kSqueezedDepth = 0.35f;  // how deep in each other a crowd is: steps alone take nobody as deep

constexpr float kPushedPart = 3.0f;  // [max_push_speed] what is slower may have been pushed out of others

// Parts of the step, 0..1, as bits: these are ordered as the floats are, so an integer minimum serves.
constexpr Index kNoStop = 0x3f800000;  // 1
TALUS_INLINE float part_of_stop(Index stop) {
  return std::bit_cast<float>(stop);
}
TALUS_INLINE Index stop_at(float part) {
  return std::bit_cast<Index>(part);
}

/// Lists the bodies that are fast enough to pass through the thinnest shape of the world, or turn far: in most worlds
/// none, and then this is all that the stage does. One body a lane.
struct FindFastBodies {
  BodyModel model;
  Vec3Column angular_velocity;  // at the start
  QuatColumn orientation;       // the same
  Column<BodyFrame> frame;
  Column<BodyDisplacement> displacement;
  const StepParams* params;
  Column<Index> fast;  // out
  Counters* counters;  // fast_bodies, and what follows has to do

  template <class Real>
  TALUS_INLINE void solve(Index row) const {
    Real gone[8], axes[8];
    load_together(&displacement.data->shift.x, row, gone);
    load_together(&frame.data->orientation.x, row, axes);
    const Mask<Real> followed =
        !is_same<Real>({axes[0], axes[1], axes[2], axes[3]}, load<Real>(orientation, row));  // IntegratePositions
    const Real half_sine = length(Vec3Of<Real>{gone[4], gone[5], gone[6]});
    const Real spin = Real(params->dt) * length(load<Real>(angular_velocity, row));  // a turn may have come around
    const Real angle = max_of(Real(kPi) * half_sine, spin);
    const Real travel = length(Vec3Of<Real>{gone[0], gone[1], gone[2]}) + angle * load<Real>(model.radius.data, row);
    const Mask<Real> is_fast = travel > Real(0.5f * kFastPart * params->thinnest) || gone[3] > Real(0.0f) || followed;
    if (any_of(is_fast)) list(row, lane_bits(is_fast));
  }

  TALUS_HD void list(Index row, unsigned lanes_of_rows) const {
    for (; lanes_of_rows != 0; lanes_of_rows &= lanes_of_rows - 1u) {
      const Index body = row + lowest_bit(lanes_of_rows);
      if (body >= counters->rows) continue;  // the null body, or padding
      fast[atomic_add(&counters->fast_bodies, 1)] = body;
      atomic_store(&counters->guard_rows, counters->rows);
      atomic_store(&counters->guard_pairs, counters->pairs);
      atomic_store(&counters->guard_joints, counters->joints);
    }
  }
};

/// Turns those that turn far, which IntegratePositions has left to this stage: it has registers for it on a GPU. One
/// element is one of the fast bodies.
struct TurnFar {
  BodyModel model;
  QuatColumn orientation;  // at the start
  Column<Index> fast;
  Column<BodyFrame> frame;
  // in/out: the body's own
  Column<BodyVelocity> velocity;
  Column<BodyDisplacement> displacement;

  TALUS_HD void operator()(Index i) const {
    const Index row = fast[i];
    BodyDisplacement& gone = displacement[row];
    if (!(gone.to_turn > 0.0f)) return;
    const Vec3 inverse = model.inv_inertia[row];
    const bool round = inverse.x == inverse.y && inverse.y == inverse.z;
    const bool swung = has_swung(inverse, orientation[row], frame[row]);
    Quat turn = gone.turn;
    Vec3 spin = swung ? spin_of_rod(inverse, velocity[row].angular) : velocity[row].angular;
    turn_free_body(gone.to_turn, round || swung ? Vec3{1.0f, 1.0f, 1.0f} : inverse, frame[row].scale, turn, spin);
    gone.turn = turn;
    if (!round && !swung) velocity[row].angular = spin;
  }

  /// Of those that turn far. What swung in sub-steps has to turn about its axis alone: see IntegratePositions.
  TALUS_HD static bool has_swung(Vec3 inverse, Quat start, const BodyFrame& axes) {
    const bool is_rod = largest(inverse) > kSlenderRatio * least(inverse) || has_round_section<float>(inverse);
    return is_rod && !is_same<float>(axes.orientation, start);
  }
  /// The part of a vector along the axis of a rod.
  TALUS_HD static Vec3 along_rod(Vec3 inverse, Vec3 v) {
    const float most = largest(inverse);
    return {inverse.x == most ? v.x : 0.0f, inverse.y == most ? v.y : 0.0f, inverse.z == most ? v.z : 0.0f};
  }

 private:
  /// Of its velocity, what is not a part of the swing about its momentum.
  TALUS_HD static Vec3 spin_of_rod(Vec3 inverse, Vec3 spin) {
    return (1.0f - least(inverse) / largest(inverse)) * along_rod(inverse, spin);
  }
  TALUS_HD static float least(Vec3 v) { return min_of(v.x, min_of(v.y, v.z)); }
  TALUS_HD static float largest(Vec3 v) { return max_of(v.x, max_of(v.y, v.z)); }
};

/// One element is a body row.
struct BeginStops {
  GuardRows rows;
  TALUS_HD void operator()(Index row) const {
    rows.stop[row] = rows.next_stop[row] = kNoStop;
    rows.carry[row] = rows.slide[row] = rows.meets[row] = kNobody;
    rows.is_fast[row] = rows.squeezed[row] = rows.jointed[row] = 0;
    rows.parent[row] = rows.lead[row] = row;
    rows.company[row].part = 1.0f;
  }
};

/// Bodies and how they move in the step.
struct BodyPaths {
  BodyModel model;
  BodyState state;  // at the start
  BodyInputs inputs;
  Column<BodyVelocity> velocity;
  Column<BodyFrame> frame;
  Column<BodyDisplacement> displacement;
  const StepParams* params;

  TALUS_HD bool is_still(Index row) const {
    return model.motion[row] == std::uint8_t(Motion::fixed) || state.asleep[row] != 0 || state.frozen[row] != 0;
  }
  TALUS_HD bool is_kinematic(Index row) const { return model.motion[row] == std::uint8_t(Motion::kinematic); }
  TALUS_HD bool is_pushed(Index row) const { return !is_still(row) && !is_kinematic(row); }
  /// Those that sleep, and their blocks, have none.
  TALUS_HD BodyDisplacement gone(Index row) const {
    return is_still(row) ? BodyDisplacement{{0.0f, 0.0f, 0.0f}, 0.0f, {0.0f, 0.0f, 0.0f, 1.0f}} : displacement[row];
  }
  /// Of a body that moves: own axes at the start -> the solver's, which may have followed the body.
  TALUS_HD Quat followed(Index row) const {
    const Quat start = state.orientation[row], axes = frame[row].orientation;
    return is_same<float>(start, axes) ? Quat{0.0f, 0.0f, 0.0f, 1.0f} : normalized(conjugate(start) * axes);
  }
  TALUS_HD bool has_swung(Index row) const {
    return displacement[row].to_turn > 0.0f &&
           TurnFar::has_swung(model.inv_inertia[row], state.orientation[row], frame[row]);
  }
  /// A rotation of the body. Of one that swung, how its axis turned: it may have spun about that more than once.
  TALUS_HD Quat without_spin(Index row, Quat turn) const {
    if (!has_swung(row)) return turn;
    const Vec3 along = TurnFar::along_rod(model.inv_inertia[row], {turn.x, turn.y, turn.z});
    const Quat about{along.x, along.y, along.z, turn.w};
    const float size = square_root(length_squared(along) + turn.w * turn.w);
    return size > 1e-6f ? normalized(turn * conjugate(normalized(about)))
                        : turn;  // turned over: any half turn would do
  }
  /// What swung has its spin apart.
  TALUS_HD Turns turns_of(Index row) const {
    const Quat before = followed(row), whole = before * displacement[row].turn;
    if (has_swung(row)) {
      const Quat swing = without_spin(row, whole);
      const Vec3 none{0.0f, 0.0f, 0.0f};
      return {turn_of(swing, none), turn_of(conjugate(swing) * whole, none)};
    }
    return {turn_of(whole, params->dt * rotate(before, scale(frame[row].scale, velocity[row].angular))), kNoTurn};
  }
  TALUS_HD ShapePath path(Index row) const {
    const ShapeType type = ShapeType(model.shape[row]);
    const Vec3 size = model.shape_size[row];
    const Quat start = state.orientation[row];
    if (is_still(row)) return shape_path(type, size, start, {0.0f, 0.0f, 0.0f}, {kNoTurn, kNoTurn});
    const Turns turns = type == ShapeType::sphere ? Turns{kNoTurn, kNoTurn} : turns_of(row);
    return shape_path(type, size, start, displacement[row].shift, turns);
  }
  /// [m] At least the way of any of its points: an angle is at most pi times the sine of its half.
  TALUS_HD float travel(Index row) const {
    if (is_still(row)) return 0.0f;
    const Quat turn = without_spin(row, followed(row) * displacement[row].turn);
    return length(displacement[row].shift) + kPi * model.radius[row] * length(Vec3{turn.x, turn.y, turn.z});
  }
  /// It is so slow that others that it is in must have pushed it where it is.
  TALUS_HD bool may_be_pushed(Index row) const {
    if (is_still(row)) return true;
    const float turning = model.radius[row] * length(scale(frame[row].scale, velocity[row].angular));
    return length(velocity[row].linear) + turning <= kPushedPart * params->max_push_speed;
  }
  TALUS_HD float half_thickness(Index row) const {
    return min_half_thickness(ShapeType(model.shape[row]), model.shape_size[row]);
  }
  /// [m] The thinnest extent of a pair.
  TALUS_HD float thinnest(Index a, Index b) const { return 2.0f * min_of(half_thickness(a), half_thickness(b)); }
  /// [m] The thinnest extent of the thicker one.
  TALUS_HD float thickest(Index a, Index b) const { return 2.0f * max_of(half_thickness(a), half_thickness(b)); }
  /// They may pass through each other: they get further than a part of their thinnest extent, if only together.
  TALUS_HD bool is_fast_pair(Index a, Index b) const { return travel(a) + travel(b) > kFastPart * thinnest(a, b); }
  /// One of them stands, whatever the other one does.
  TALUS_HD bool has_wall(Index a, Index b) const {
    const float inv_a = is_pushed(a) ? model.inv_mass[a] : 0.0f, inv_b = is_pushed(b) ? model.inv_mass[b] : 0.0f;
    return min_of(inv_a, inv_b) * kWallMass < max_of(inv_a, inv_b);
  }
  static constexpr float kWallMass = 20.0f;  // times the mass of the other one
  /// [m] How thick that one is; 0: there is none.
  TALUS_HD float wall_thickness(Index a, Index b) const {
    if (!has_wall(a, b)) return 0.0f;
    const bool is_a = !is_pushed(a) || (is_pushed(b) && model.inv_mass[a] < model.inv_mass[b]);
    return 2.0f * half_thickness(is_a ? a : b);
  }

  /// [m/s] What forces give it in the step.
  TALUS_HD Vec3 gain(Index row) const {
    return params->dt * (model.gravity_scale[row] * params->gravity + model.inv_mass[row] * inputs.force[row]);
  }

  /// Leaves a body where it is after a part of the step, or lets it go on with its company until that is held. Its
  /// velocity stays, but for what forces would have given it on the way that is left: one that is stopped step after
  /// step gains nothing. Its angular velocity stays as the body itself sees it, and with it energy and size of the
  /// angular momentum, which no other velocity would keep.
  TALUS_HD void shorten(Index row, const Company& with, float hold) const {
    const float part = min_of(with.part, hold);
    BodyDisplacement& way = displacement[row];
    const Turns turns = turns_of(row);
    const Quat turn = conjugate(followed(row)) * part_of(turns.turn, part);
    const Vec3 inverse = model.inv_inertia[row], axes = frame[row].scale;
    if (!(inverse.x == inverse.y && inverse.y == inverse.z)) {
      const Vec3 now = scale(axes, velocity[row].angular);
      const Vec3 spin = rotate(turn, rotate_back(without_spin(row, way.turn), now));
      velocity[row].angular = {spin.x / axes.x, spin.y / axes.y, spin.z / axes.z};
    }
    way.shift = part < hold ? part * way.shift + (hold - part) * with.way : part * way.shift;
    way.turn = turn * part_of(turns.spin, part);
    const Vec3 own = gain(row), others = part < hold ? with.gain : own;
    const Vec3 lost = (1.0f - part) * (own - others) + (1.0f - hold) * others;
    const float size = length(lost);
    if (!(size > 0.0f)) return;
    const Vec3 along = (1.0f / size) * lost;
    const float before = dot(along, state.linear_velocity[row]), now = dot(along, velocity[row].linear);
    const float after = max_of(now - size, min_of(now, max_of(before, 0.0f)));
    velocity[row].linear = velocity[row].linear + (after - now) * along;
  }
};

/// Bodies with joints between them stop together, or those would open. One element is one joint.
struct FindJointed {
  BodyPaths bodies;
  JointModel joints;
  GuardRows rows;  // jointed: out, the same by whom ever; parent

  TALUS_HD void operator()(Index joint) const {
    if (joints.alive[joint] == 0) return;
    const Index a = joints.body_a[joint], b = joints.body_b[joint];
    if (a >= 0) atomic_or(&rows.jointed[a], 1u);
    if (b >= 0) atomic_or(&rows.jointed[b], 1u);
    if (a >= 0 && b >= 0 && bodies.is_pushed(a) && bodies.is_pushed(b)) link_rows(rows.parent.data, a, b);
  }
};
/// The row that has the stop of a body.
TALUS_HD inline Index stop_row(const GuardRows& rows, Index row) {
  if (rows.jointed[row] != 0) return find_root(rows.parent.data, row);
  while (rows.lead[row] != row) row = rows.lead[row];
  return row;
}
/// A body's way, as the rounds before left it.
TALUS_HD inline ShapePath path_left(const BodyPaths& bodies, const GuardRows& rows, Index row) {
  ShapePath path = bodies.path(row);
  const Index stop = stop_row(rows, row);
  path.hold = part_of_stop(rows.stop[stop]);
  path.part = min_of(rows.company[stop].part, path.hold);
  path.along_with = path.part < path.hold ? rows.company[stop].way : Vec3{0.0f, 0.0f, 0.0f};
  return path;
}

/// Of those that are fast: lists the ones that went further than their pairs were found for, since something hit them.
/// One element is one of the fast bodies.
struct FindBeyond {
  BodyPaths bodies;
  Column<BodyVelocity> free_velocity;  // flag: 0 if the body has no contacts, so that nothing hit it,
                                       // unless joints pulled it
  GuardRows rows;                      // is_fast of the body's row, beyond: out
  Counters* counters;                  // beyond, beyond_rows, any_beyond

  TALUS_HD void operator()(Index i) const {
    const Index row = rows.fast[i];
    rows.is_fast[row] = 1;
    if ((!(free_velocity[row].flag > 0.0f) && rows.jointed[row] == 0) || !bodies.is_pushed(row)) return;
    const StepReach<float> r = step_reach<float>(bodies.model, bodies.state, bodies.inputs, *bodies.params, row);
    const Turns turns = bodies.turns_of(row);
    float swing = swing_of(r, turns.turn.angle + turns.spin.angle);
    // What joints take too far by less gets into others, but its centre does not.
    if (rows.jointed[row] != 0) swing = swing - kJointedSlack * bodies.half_thickness(row);
    if (!(part_within(r, bodies.displacement[row], swing) < 1.0f)) return;
    rows.beyond[atomic_add(&counters->beyond, 1)] = row;
    atomic_store(&counters->beyond_rows, counters->rows);
    atomic_store(&counters->any_beyond, 1);
  }

  /// Of the way, that keeps a body in the box that its pairs were found for. swing: [m] what turning adds.
  TALUS_HD static float part_within(const StepReach<float>& r, const BodyDisplacement& way, float swing) {
    const float rim = r.rim + kRoundOff * r.way;
    const Vec3 room{way.shift.x < 0.0f ? -r.low.x : r.high.x, way.shift.y < 0.0f ? -r.low.y : r.high.y,
                    way.shift.z < 0.0f ? -r.low.z : r.high.z};
    const Vec3 gone = abs_of(way.shift);
    float part = part_of_way(r.way + rim, length(way.shift) + swing);
    part = min_of(part, part_of_way(room.x + rim, gone.x + swing));
    part = min_of(part, part_of_way(room.y + rim, gone.y + swing));
    return min_of(part, part_of_way(room.z + rim, gone.z + swing));
  }
  TALUS_HD static float part_of_way(float room, float way) { return way > room ? room / way : 1.0f; }
  static constexpr float kJointedSlack = 0.5f;  // [half the thickness]
  static constexpr float kRoundOff = 1e-4f;     // [way] what sub-steps add up to less exactly than the step's way
};

/// Looks for bodies that somebody who went too far may have met, and that are not in its pairs: they are pairs, too.
/// The same for those that go along with others, in whatever pairs they are. One element is a body row.
template <bool kInCompany>
struct SeekMet {
  BodyPaths bodies;
  PairList pairs;
  Column<const std::uint64_t> ignored;
  GuardRows rows;      // beyond: of whom
  GuardPairs fast;     // out: the first ones; the last ones
  Counters* counters;  // met; company_met

  TALUS_HD void operator()(Index row) const {
    if (are_too_many(*counters) || bodies.model.alive[row] == 0) return;
    const bool is_plane = bodies.model.shape[row] == std::uint8_t(ShapeType::plane);
    const Box box = box_of(row);
    for (Index i = 0; i < count(*counters); ++i) {
      const Index body = rows.beyond[i];
      if (!is_plane && are_apart(box, box_of(body))) continue;
      if (body == row || !may_pass(body, row) || !collide(body, row)) continue;
      const bool body_owns = owns_pair(bodies.model, body, row);
      const Index a = body_owns ? body : row, b = body_owns ? row : body;
      if (kInCompany || !is_pair(a, b)) list(a, b);
    }
  }
  TALUS_HD static Index count(const Counters& c) { return kInCompany ? c.in_company : c.beyond; }
  TALUS_HD static bool are_too_many(const Counters& c) { return count(c) > kMostTests / (c.rows + 1); }
  static constexpr Index kMostTests = 1 << 20;  // some 2 ms

 private:
  struct Box {
    Vec3 low, high;  // [m] world frame
  };
  TALUS_HD static bool are_apart(const Box& a, const Box& b) {
    const Vec3 apart = max_of(a.low - b.high, b.low - a.high);
    return max_of(apart.x, max_of(apart.y, apart.z)) > 0.0f;
  }
  /// Holds a body all the way.
  TALUS_HD Box box_of(Index row) const {
    const Vec3 from = bodies.state.position[row], none{0.0f, 0.0f, 0.0f}, whole = bodies.gone(row).shift;
    Vec3 way = whole, half_way = none;
    if (kInCompany && !bodies.is_still(row)) {
      const Index stop = stop_row(rows, row);
      const float hold = part_of_stop(rows.stop[stop]), part = min_of(rows.company[stop].part, hold);
      half_way = part * whole;
      if (part < hold) way = half_way + (hold - part) * rows.company[stop].way;
    }
    const float radius = bodies.model.radius[row];
    Vec3 half{radius, radius, radius};
    if (bodies.is_still(row)) {
      half = aabb_half_extent(ShapeType(bodies.model.shape[row]), bodies.model.shape_size[row],
                              bodies.state.orientation[row]);
    }
    return {from - half + min_of(min_of(way, half_way), none), from + half + max_of(max_of(way, half_way), none)};
  }
  TALUS_HD bool may_pass(Index body, Index row) const {
    return kInCompany ? stop_row(rows, body) != stop_row(rows, row) : bodies.is_fast_pair(body, row);
  }
  TALUS_HD bool collide(Index x, Index y) const {
    const BodyModel& model = bodies.model;
    if ((model.group[x] & model.mask[y]) == 0 || (model.group[y] & model.mask[x]) == 0) return false;
    return ignored.size == 0 || !is_listed(ignored, x, y);
  }
  TALUS_HD bool is_pair(Index owner, Index partner) const {
    for (Index pair = pairs.begin[owner]; pair < pairs.begin[owner + 1]; ++pair) {
      if (pairs.partner[pair] == partner) return true;
    }
    return false;
  }
  TALUS_HD void list(Index a, Index b) const {
    const Index place = atomic_add(kInCompany ? &counters->company_met : &counters->met, 1);
    if (place >= kMostMet) return;
    const Index first = kInCompany ? counters->fast_pairs - counters->with_company : 0;
    fast.a[first + place] = a;
    fast.b[first + place] = b;
  }
};

/// One element: what SeekMet found are pairs; or it found too much, and who went too far is held to its reach.
struct EndSeek {
  Counters* counters;
  TALUS_HD void operator()(Index) const {
    if (SeekMet<false>::are_too_many(*counters) || counters->met > kMostMet) {
      counters->limited = counters->beyond;
    } else {
      counters->fast_pairs = counters->met;
    }
  }
};

/// Holds a body to what its pairs were found for, unless it is so slow that others that it is in may have pushed it:
/// such pushes have no velocity, and the reach of the next step would be no longer; or has joints, which would open.
/// One element is one of those that went too far.
struct LimitMotion {
  BodyPaths bodies;  // displacement, velocity: in/out, the body's own
  GuardRows rows;
  Counters* counters;  // cut_bodies

  TALUS_HD void operator()(Index i) const {
    const Index row = rows.beyond[i];
    if (bodies.may_be_pushed(row) || rows.jointed[row] != 0) return;
    const StepReach<float> r = step_reach<float>(bodies.model, bodies.state, bodies.inputs, *bodies.params, row);
    const Turns turns = bodies.turns_of(row);  // a part of a turn has as much of the swing
    const float swing = bodies.model.radius[row] * (turns.turn.angle + turns.spin.angle);
    bodies.shorten(row, rows.company[row], FindBeyond::part_within(r, bodies.displacement[row], swing));
    atomic_add(&counters->cut_bodies, 1);
  }
};

/// Lists the pairs to look after, and finds who is in a crowd. One element is one pair.
struct FindFastPairs {
  BodyPaths bodies;
  PairList pairs;
  ContactRecords contacts;
  GuardRows rows;      // squeezed: out, the same by whom ever
  GuardPairs fast;     // out
  Counters* counters;  // fast_pairs

  TALUS_HD void operator()(Index pair) const {
    const Index a = pairs.owner[pair], b = pairs.partner[pair];
    if ((rows.is_fast[a] | rows.is_fast[b]) == 0) return;
    const float thin = bodies.thinnest(a, b);
    const bool has_wall = bodies.has_wall(a, b);
    if (!has_wall && is_deep(contacts[pair], kSqueezedDepth * thin)) {
      atomic_or(&rows.squeezed[a], 1u);
      atomic_or(&rows.squeezed[b], 1u);
    }
    if (!may_stop(a, has_wall) && !may_stop(b, has_wall)) return;
    if (are_jointed(a, b)) return;
    const bool jointed = has_wall && (rows.jointed[a] | rows.jointed[b]) != 0;
    const bool sunk = has_wall && !jointed && is_deep(contacts[pair], kSunkDepth * thin);
    const float fast_part = jointed ? kJointedPart : sunk ? kStoppedPart : kFastPart;
    const float travel = bodies.travel(a) + bodies.travel(b);
    if (!(travel > fast_part * thin) || are_far(a, b, travel)) return;
    const Index place = atomic_add(&counters->fast_pairs, 1);
    fast.a[place] = a;
    fast.b[place] = b;
  }
  /// Bodies with joints stop for walls alone.
  TALUS_HD bool may_stop(Index row, bool has_wall) const {
    return bodies.is_pushed(row) && (has_wall || rows.jointed[row] == 0);
  }
  /// They would stop together, and never part.
  TALUS_HD bool are_jointed(Index a, Index b) const {
    return (rows.jointed[a] & rows.jointed[b]) != 0 && stop_row(rows, a) == stop_row(rows, b);
  }
  /// From each other, for all that they move. travel: [m] of both.
  TALUS_HD bool are_far(Index a, Index b, float travel) const {
    if (bodies.model.shape[b] == std::uint8_t(ShapeType::plane)) return false;
    const float near = bodies.model.radius[a] + bodies.model.radius[b] + travel;
    return length_squared(bodies.state.position[b] - bodies.state.position[a]) > near * near;
  }
  TALUS_HD static bool is_deep(const CachedContact& contact, float depth) {
    const Index count = Index(contact.count);
    for (Index i = 0; i < count; ++i) {
      if (contact.point[i].separation < -depth) return true;
    }
    return false;
  }
};

/// Two bodies on the ways that the rounds before left them.
struct PairPaths {
  ShapePath a, b;
  float thin;  // [m]
  float stop;  // part of the step
};
TALUS_HD inline PairPaths pair_paths(const BodyPaths& bodies, const GuardRows& rows, Index a, Index b) {
  PairPaths pair{path_left(bodies, rows, a), path_left(bodies, rows, b), bodies.thinnest(a, b), 1.0f};
  const bool both_go_on = pair.a.part == 1.0f && pair.b.part == 1.0f;
  const float closing = closing_of(pair.a, pair.b);
  const bool has_wall = bodies.has_wall(a, b);
  const bool in_crowd =
      !has_wall && (rows.squeezed[a] | rows.squeezed[b]) != 0 && bodies.may_be_pushed(a) && bodies.may_be_pushed(b);
  if (!in_crowd && closing > (both_go_on && !has_wall ? kFastPart : kStoppedPart) * pair.thin) {
    const Vec3 between = bodies.state.position[b] - bodies.state.position[a];
    const float thick = has_wall ? bodies.wall_thickness(a, b) : bodies.thickest(a, b);
    pair.stop = first_stop(pair.a, pair.b, between, pair.thin, thick, has_wall);
  }
  return pair;
}

/// What touches a wall from the start slides along it rather than stop: it would hang where it is for as long as the
/// solver, or others that push it, let it come nearer.
struct WallSlide {
  BodyPaths bodies;

  /// Of a body at a wall.
  TALUS_HD Slide slide(Index body, Index wall) const {
    const bool body_owns = owns_pair(bodies.model, body, wall);
    const Index a = body_owns ? body : wall, b = body_owns ? wall : body;
    const Slide slide = slide_of(bodies.path(a), bodies.path(b), bodies.state.position[b] - bodies.state.position[a],
                                 bodies.thinnest(a, b));
    return {body_owns ? -slide.normal : slide.normal, slide.way};
  }
};

/// Finds for each body the wall along which it must slide by most. One element is one of the fast pairs.
struct FindSlides {
  static constexpr bool kIsLong = true;  // a call on a GPU
  WallSlide walls;
  GuardPairs fast;
  GuardRows rows;  // slide: a minimum

  TALUS_HD void operator()(Index i) const {
    const Index a = fast.a[i], b = fast.b[i];
    const bool a_slides = walls.bodies.is_pushed(a);
    if (a_slides == walls.bodies.is_pushed(b)) return;  // what slides is no wall
    const Index body = a_slides ? a : b, wall = a_slides ? b : a;
    const float way = walls.slide(body, wall).way;
    if (!(way > 0.0f)) return;
    atomic_min(&rows.slide[body], ~ranked(way, wall));
  }
};

/// One element is one of the fast bodies.
struct SlideBodies {
  WallSlide walls;  // displacement: in/out, the body's own
  GuardRows rows;
  Counters* counters;  // cut_bodies

  TALUS_HD void operator()(Index i) const {
    const Index row = rows.fast[i];
    if (rows.slide[row] == kNobody) return;
    const Slide slide = walls.slide(row, row_of(~rows.slide[row]));
    BodyDisplacement& way = walls.bodies.displacement[row];
    way.shift = way.shift + slide.way * slide.normal;
    atomic_add(&counters->cut_bodies, 1);
  }
};

/// GuardRows::meets: of a later round, whatever came before.
TALUS_INLINE std::uint64_t meeting(int round, float part, Index row) {
  return std::uint64_t(kMeetRounds - 1 - round) << 62 | ranked(part, row);
}
static_assert(kMeetRounds <= 3);

/// Finds where the bodies of a pair must stop. One element is one of the fast pairs.
struct StopPairs {
  static constexpr bool kIsLong = true;  // a call on a GPU
  BodyPaths bodies;
  GuardPairs fast;
  GuardRows rows;      // next_stop, meets: minima
  Counters* counters;  // stop_pairs, stop_rows of this round
  int round;

  TALUS_HD void operator()(Index i) const {
    const Index a = fast.a[i], b = fast.b[i];
    if (stop_row(rows, a) == stop_row(rows, b)) return;
    const PairPaths paths = pair_paths(bodies, rows, a, b);
    if (!(paths.stop < 1.0f)) return;
    if (round < kMeetRounds && is_free(a) && is_free(b) && paths.stop < min_of(paths.a.hold, paths.b.hold)) {
      meet(stop_row(rows, a), stop_row(rows, b), paths.stop);
      return;
    }
    if (stops(a, paths.a, b, paths.thin)) put(a, stop_at(paths.stop));
    if (stops(b, paths.b, a, paths.thin)) put(b, stop_at(paths.stop));
  }

 private:
  /// Whether it goes along with others that it meets.
  TALUS_HD bool is_free(Index row) const {
    return bodies.is_pushed(row) && rows.jointed[row] == 0 && bodies.model.inv_mass[row] > 0.0f;
  }
  TALUS_HD void meet(Index lead_a, Index lead_b, float part) const {
    atomic_min(&rows.meets[lead_a], meeting(round, part, lead_b));
    atomic_min(&rows.meets[lead_b], meeting(round, part, lead_a));
    go_on();
  }
  /// What is slow goes on, unless it meets one that does not stop for anybody.
  TALUS_HD bool stops(Index row, const ShapePath& path, Index partner, float thin) const {
    if (!bodies.is_pushed(row) || (rows.jointed[row] != 0 && !bodies.has_wall(row, partner))) return false;
    const float way = max_of(length(path.shift), length(path.along_with)) + swing_of(path);
    return bodies.is_kinematic(partner) || way > 0.5f * kFastPart * thin;
  }
  TALUS_HD void put(Index body, Index stop) const {
    const Index row = stop_row(rows, body);
    if (!(stop < rows.stop[row])) return;
    atomic_min(&rows.next_stop[row], stop);
    go_on();
  }
  /// To the next round.
  TALUS_HD void go_on() const {
    atomic_store(&counters->stop_pairs[round + 1], counters->fast_pairs);
    atomic_store(&counters->stop_rows[round], counters->rows);
  }
};

/// Two companies that meet each other before anybody else, and before something holds them, go on as one: none of
/// them moves against the others from the first meeting on, and their common centre moves as if there was none. One
/// element is a body row.
struct EndRound {
  BodyPaths bodies;
  GuardRows rows;      // stop, next_stop, lead, company of the row
  Counters* counters;  // company_rows
  int round;

  TALUS_HD void operator()(Index row) const {
    Index stop = atomic_load(&rows.next_stop[row]);
    const Index met = round < kMeetRounds ? met_by(row) : -1;
    if (met >= 0) {
      const float part = meeting_part(row);
      if (met < row) {
        rows.lead[row] = met;
      } else {
        rows.company[row] = joined(company_of(row), company_of(met), part);
        stop = min_of(stop, atomic_load(&rows.next_stop[met]));
        atomic_store(&rows.next_stop[row], stop);  // still after the meeting: whoever reads it decides the same
        atomic_store(&counters->company_rows, counters->rows);
        atomic_store(&counters->any_company, 1);
      }
    }
    rows.stop[row] = stop;
  }

 private:
  TALUS_HD float meeting_part(Index row) const { return number_of(rows.meets[row] & ~(std::uint64_t(3) << 62)); }
  /// The row whose company it joins; -1: none.
  TALUS_HD Index met_by(Index row) const {
    const std::uint64_t meets = rows.meets[row];
    if (meets == kNobody || int(meets >> 62) != kMeetRounds - 1 - round) return -1;
    const Index other = row_of(meets);
    const float part = meeting_part(row);
    if (rows.meets[other] != meeting(round, part, row)) return -1;
    const Index held = min_of(atomic_load(&rows.next_stop[row]), atomic_load(&rows.next_stop[other]));
    return part < part_of_stop(held) ? other : -1;
  }
  TALUS_HD Company company_of(Index row) const {
    if (rows.company[row].part < 1.0f) return rows.company[row];
    return {bodies.displacement[row].shift, 1.0f, bodies.gain(row), 1.0f / bodies.model.inv_mass[row]};
  }
  TALUS_HD static Company joined(const Company& a, const Company& b, float part) {
    const float mass = a.mass + b.mass, of_b = b.mass / mass;
    return {a.way + of_b * (b.way - a.way), min_of(part, min_of(a.part, b.part)), a.gain + of_b * (b.gain - a.gain),
            mass};
  }
};

/// Lists those that go along with others: they may meet what is in none of the pairs so far. One element is a body row.
struct ListCompany {
  BodyPaths bodies;
  GuardRows rows;      // beyond: out
  Counters* counters;  // in_company

  TALUS_HD void operator()(Index row) const {
    if (!bodies.is_pushed(row) || rows.jointed[row] != 0) return;
    if (!(rows.company[stop_row(rows, row)].part < 1.0f)) return;
    rows.beyond[atomic_add(&counters->in_company, 1)] = row;
  }
};

/// One element: what SeekMet found for them are pairs, in place of what it found the round before. Or there are too
/// many: then all part, and the rounds that follow those of meetings stop them where they meet.
struct EndCompany {
  Counters* counters;
  int round;
  TALUS_HD void operator()(Index) const {
    Counters& c = *counters;
    const bool too_many = SeekMet<true>::are_too_many(c) || c.company_met > kMostMet;
    const Index met = too_many ? 0 : c.company_met;
    c.parted_rows = too_many ? c.rows : 0;
    c.fast_pairs += met - c.with_company;
    c.with_company = met;
    c.in_company = c.company_met = 0;
    c.stop_pairs[1] = c.stop_pairs[round + 1] = c.fast_pairs;
  }
};

/// One element is a body row.
struct PartCompany {
  GuardRows rows;  // lead, company of the row
  TALUS_HD void operator()(Index row) const {
    rows.lead[row] = row;
    rows.company[row].part = 1.0f;
  }
};

/// Kinematic bodies stop for nobody: who has stopped is carried on by the first one that comes along. One element is
/// one of the fast pairs.
struct FindCarriers {
  static constexpr bool kIsLong = true;  // a call on a GPU
  BodyPaths bodies;
  GuardPairs fast;
  GuardRows rows;  // carry: a minimum

  TALUS_HD void operator()(Index i) const {
    const Index a = fast.a[i], b = fast.b[i];
    const bool carries_a = bodies.is_kinematic(b), carries_b = bodies.is_kinematic(a);
    if (!carries_a && !carries_b) return;
    const Index carried = carries_a ? a : b, by = carries_a ? b : a;
    const float from = pair_paths(bodies, rows, a, b).stop;
    if (!(from < 1.0f)) return;
    atomic_min(&rows.carry[carried], ranked(from, by));
  }
};

/// Shortens the ways of those that stop. Who is carried is as if it was glued to its carrier. One element is a body
/// row.
struct CutMotion {
  BodyPaths bodies;  // displacement, velocity: in/out, the body's own, if it is dynamic
  GuardRows rows;
  Counters* counters;  // cut_bodies

  TALUS_HD void operator()(Index row) const {
    const Index lead = stop_row(rows, row), stop = rows.stop[lead];
    const std::uint64_t carry_from = rows.carry[row];
    const bool stops = stop != kNoStop || rows.company[lead].part < 1.0f;
    if ((!stops && carry_from == kNobody) || !bodies.is_pushed(row)) return;
    if (stops) bodies.shorten(row, rows.company[lead], part_of_stop(stop));
    if (carry_from != kNobody) {
      carry(row, bodies.displacement[row], row_of(carry_from), number_of(carry_from));
    }
    if (rows.slide[row] == kNobody) atomic_add(&counters->cut_bodies, 1);
  }

  TALUS_HD void carry(Index row, BodyDisplacement& gone, Index by, float part) const {
    const BodyDisplacement& carrier = bodies.displacement[by];
    const Quat from = bodies.state.orientation[by] * part_of(bodies.turns_of(by), part);
    const Quat to = bodies.state.orientation[by] * carrier.turn;
    const Quat turn = to * conjugate(from);  // world frame
    const Vec3 apart = (bodies.state.position[row] - bodies.state.position[by]) + gone.shift - part * carrier.shift;
    gone.shift = gone.shift + (1.0f - part) * carrier.shift + turned(turn, apart);
    const Quat axes = bodies.frame[row].orientation;
    gone.turn = normalized(conjugate(axes) * (turn * (axes * gone.turn)));
  }
};

}  // namespace talus::inline TALUS_ISA
