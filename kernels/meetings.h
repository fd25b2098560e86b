// SPDX-License-Identifier: MIT
// Contacts that others prevent. Each pair is looked at as if there were no other: what falls on one piece of a floor at
// an angle, and would pass through it, meets the side of the next piece, as deep as it gets within the step. So for
// each body that something much heavier turns aside it is found what it meets first, and whether it still comes to the
// others if it then slides along that.
#pragma once
#include <bit>

#include "broad_columns.h"
#include "contact_columns.h"
#include "counters.h"
#include "math/atomic.h"
#include "math/ranked.h"
#include "pair_motion.h"
#include "pairs.h"
#include "shapes/extent.h"
#include "shapes/release.h"

namespace talus::inline TALUS_ISA {

constexpr float kWallPart = 0.05f;      // [1] of a body's mass over that of what turns it aside as a wall would
constexpr float kSameSide = 0.999998f;  // cosine: contacts along one normal, by 2 mrad, bear a body together
constexpr float kOwnNormal = 0.9f;      // cosine: two that are parted along the normal of their contact

/// The body of a pair that the other one turns aside, or -1.
TALUS_INLINE Index turned_aside(const BodyModel& model, Index a, Index b) {
  const float inv_a = model.inv_mass[a], inv_b = model.inv_mass[b];
  if (inv_a > 0.0f && inv_b <= kWallPart * inv_a) return a;
  return inv_b > 0.0f && inv_a <= kWallPart * inv_b ? b : -1;
}

/// No meetings. One element is one body row.
struct BeginMeetings {
  Column<std::uint64_t> first, second;
  TALUS_HD void operator()(Index row) const { first[row] = second[row] = kNobody; }
};

struct Meetings {
  BodyModel model;
  Vec3Column linear_velocity, angular_velocity;
  BodyInputs inputs;
  const StepParams* params;
  MaterialTable materials;
  Column<BodyPose> pose;
  PairList pairs;
  ContactRecords contacts;
  Column<std::uint32_t> when;           // [s] of each pair: bits of a float; of one that turns nobody aside kNever
  Column<std::uint64_t> first, second;  // of each body: when it meets those that turn it aside, and the pair

  static constexpr std::uint32_t kNever = 0xffffffffu;

  TALUS_HD FindMotion motions() const { return {model, linear_velocity, angular_velocity, inputs, params, materials}; }
  TALUS_HD bool is_plane(Index row) const { return ShapeType(model.shape[row]) == ShapeType::plane; }
  TALUS_HD PlacedShape shape(Index row) const {
    return {model.shape_size[row], pose[row].position, pose[row].orientation};
  }
  TALUS_HD PairFlight flight(Index a, Index b) const {
    return motions().flight(a, b, ShapeType(model.shape[a]), shape(a), ShapeType(model.shape[b]), shape(b));
  }
  /// [s] When the two touch, if they move on as they do; more than a step: they do not.
  TALUS_HD float time_of(Index a, Index b, const CachedContact& contact) const {
    const Vec3 n = contact.normal, spin_a = angular_velocity[a], spin_b = angular_velocity[b];
    const float opening = motions().least_opening(a, b, n);
    float time = 1e30f, gap = 1e30f;
    for (int i = 0; i < int(contact.count); ++i) {
      const CachedPoint& point = contact.point[i];
      const float closing = -(opening + dot(n, cross(spin_b, point.on_b) - cross(spin_a, point.on_a)));
      gap = min_of(gap, point.separation);
      if (closing > 0.0f) time = min_of(time, max_of(point.separation, 0.0f) / closing);
    }
    if (!(gap > 0.0f) || time > motions().ahead() || is_plane(a) || is_plane(b)) return time;
    // A contact is a half space, which may be crossed long before the two touch.
    const float thin = 2.0f * min_of(min_half_thickness(ShapeType(model.shape[a]), model.shape_size[a]),
                                     min_half_thickness(ShapeType(model.shape[b]), model.shape_size[b]));
    return meeting_of(flight(a, b), time, gap, thin, 0.0f).time;
  }
};

/// One element is one pair.
struct FindFirstMeetings {
  Meetings of;
  TALUS_HD void operator()(Index pair) const {
    of.when[pair] = Meetings::kNever;
    const CachedContact& contact = of.contacts[pair];
    if (!(contact.count > 0.0f)) return;
    const Index a = of.pairs.owner[pair], b = of.pairs.partner[pair], body = turned_aside(of.model, a, b);
    if (body < 0) return;
    const float time = of.time_of(a, b, contact);
    if (!(time <= of.motions().ahead())) return;
    of.when[pair] = std::bit_cast<std::uint32_t>(time);
    atomic_min(&of.first[body], ranked(time, pair));
  }
};
/// The first of the others. One element is one pair.
struct FindSecondMeetings {
  Meetings of;
  TALUS_HD void operator()(Index pair) const {
    if (of.when[pair] == Meetings::kNever) return;
    const Index body = turned_aside(of.model, of.pairs.owner[pair], of.pairs.partner[pair]);
    if (row_of(of.first[body]) == pair) return;
    atomic_min(&of.second[body], ranked(std::bit_cast<float>(of.when[pair]), pair));
  }
};

/// Leaves out contacts that two do not come to. One element is one pair; it writes the pair's own.
struct LeaveOutPrevented {
  static constexpr float kAtOnce = 1e-3f;  // [1] of a step: so much later it is met at the same time
  Meetings of;
  Column<Index> contact_index;

  TALUS_HD void operator()(Index pair) const {
    if (of.when[pair] == Meetings::kNever) return;
    const Index body = turned_aside(of.model, of.pairs.owner[pair], of.pairs.partner[pair]);
    const std::uint64_t first = of.first[body], second = of.second[body];
    const bool is_first = row_of(first) == pair;
    // Of two that are met at once and would prevent each other the first one stays.
    const bool prevented =
        is_first ? second != kNobody && is_prevented(body, pair, second) && !is_prevented(body, row_of(second), first)
                 : is_prevented(body, pair, first);
    if (!prevented) return;
    of.contacts[pair].count = 0.0f;
    contact_index[pair] = 0;
  }

  /// Whether a body does not come to a pair, since it meets another one before.
  TALUS_HD bool is_prevented(Index body, Index pair, std::uint64_t other) const {
    const Index a = of.pairs.owner[pair], b = of.pairs.partner[pair];
    const float latest = std::bit_cast<float>(of.when[pair]) + kAtOnce * of.params->dt;
    if (of.is_plane(a) || of.is_plane(b) || number_of(other) > latest) return false;
    const CachedContact& met = of.contacts[row_of(other)];
    const bool owns_met = of.pairs.owner[row_of(other)] == body;
    const Vec3 normal = of.contacts[pair].normal;
    const Vec3 up = owns_met ? -met.normal : met.normal;  // from what it meets before
    if (dot(up, body == a ? -normal : normal) > kSameSide) return false;
    const FindMotion motions = of.motions();
    const float overlap =
        motions.of(a, b, ShapeType(of.model.shape[a]), of.shape(a), ShapeType(of.model.shape[b]), of.shape(b)).overlap;
    PairFlight f = of.flight(a, b);
    const float time = number_of(other), side = body == b ? 1.0f : -1.0f;
    f.between = between_at(f, time);
    f.velocity = f.velocity + time * f.acceleration;
    f.a = later(f.a, time);
    f.b = later(f.b, time);
    f.dt = f.dt - time;
    // It goes on along what it has met: what it closes with there is gone, and what pulls it there is held.
    const Index wall = owns_met ? of.pairs.partner[row_of(other)] : of.pairs.owner[row_of(other)];
    const Vec3 arm = owns_met ? met.point[0].on_b : met.point[0].on_a;
    const Vec3 of_wall = of.linear_velocity[wall] + cross(of.angular_velocity[wall], arm);
    const Vec3 pull = motions.acceleration(body), speed = of.linear_velocity[body] + time * pull - of_wall;
    f.velocity = f.velocity - (side * min_of(dot(up, speed), 0.0f)) * up;
    f.acceleration = f.acceleration - (side * min_of(dot(up, pull), 0.0f)) * up;
    if (!(f.dt > 0.0f) || !stays_apart(f, -overlap)) return false;
    // What touches already, and is parted along the contact's own normal, may bear a load.
    const CachedContact& contact = of.contacts[pair];
    float least = contact.point[0].separation;
    for (int i = 1; i < int(contact.count); ++i) least = min_of(least, contact.point[i].separation);
    if (least > 0.0f) return true;
    const AxisGap gap = gap_between(later(f.a, f.dt), later(f.b, f.dt), between_at(f, f.dt));
    return gap.separation > overlap || !(dot(gap.normal, normal) > kOwnNormal);
  }
};

}  // namespace talus::inline TALUS_ISA
