// SPDX-License-Identifier: MIT
// Contacts that others prevent. Each pair is looked at as if there were no other: what falls on one piece of a floor at
// an angle, and would pass through it, meets the side of the next piece, as deep as it gets within the step. So for
// each body that something much heavier turns aside it is found what it meets first, and whether it still comes to the
// others if it then slides along that.
#pragma once
#include "contact_columns.h"
#include "counters.h"
#include "math/atomic.h"
#include "math/ranked.h"
#include "pair_motion.h"
#include "pairs.h"
#include "shapes/release.h"

namespace talus::inline TALUS_ISA {

constexpr float kWallPart = 0.05f;    // [1] of a body's mass over that of what turns it aside as a wall would
constexpr float kSameSide = 0.9999f;  // cosine: contacts along one normal, by 0.8 degrees, bear a body together

/// The body of a pair that the other one turns aside, or -1.
TALUS_INLINE Index turned_aside(const BodyModel& model, Index a, Index b) {
  const float inv_a = model.inv_mass[a], inv_b = model.inv_mass[b];
  if (inv_a > 0.0f && inv_b <= kWallPart * inv_a) return a;
  return inv_b > 0.0f && inv_a <= kWallPart * inv_b ? b : -1;
}

/// No meetings. One element is one body row.
struct BeginMeetings {
  Column<std::uint64_t> first;
  TALUS_HD void operator()(Index row) const { first[row] = kNobody; }
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
  Column<std::uint64_t> first;  // of each body: when it meets the first of those that turn it aside, and the pair

  TALUS_HD FindMotion motions() const { return {model, linear_velocity, angular_velocity, inputs, params, materials}; }
  /// [s] When the first point of a contact closes its gap, if the two move on as they do; none: more than a step.
  TALUS_HD float time_of(Index a, Index b, const CachedContact& contact) const {
    const Vec3 n = contact.normal, spin_a = angular_velocity[a], spin_b = angular_velocity[b];
    const float opening = motions().least_opening(a, b, n);
    float time = 1e30f;
    for (int i = 0; i < int(contact.count); ++i) {
      const CachedPoint& point = contact.point[i];
      const float closing = -(opening + dot(n, cross(spin_b, point.on_b) - cross(spin_a, point.on_a)));
      if (closing > 0.0f) time = min_of(time, max_of(point.separation, 0.0f) / closing);
    }
    return time;
  }
};

/// One element is one pair.
struct FindFirstMeetings {
  Meetings of;
  TALUS_HD void operator()(Index pair) const {
    const CachedContact& contact = of.contacts[pair];
    if (!(contact.count > 0.0f)) return;
    const Index a = of.pairs.owner[pair], b = of.pairs.partner[pair], body = turned_aside(of.model, a, b);
    if (body < 0) return;
    const float time = of.time_of(a, b, contact);
    if (time <= of.motions().ahead()) atomic_min(&of.first[body], ranked(time, pair));
  }
};

/// Leaves out contacts that two do not come to. One element is one pair; it writes the pair's own.
struct LeaveOutPrevented {
  Meetings of;
  Column<Index> contact_index;

  TALUS_HD void operator()(Index pair) const {
    CachedContact& contact = of.contacts[pair];
    if (!(contact.count > 0.0f)) return;
    const Index a = of.pairs.owner[pair], b = of.pairs.partner[pair], body = turned_aside(of.model, a, b);
    if (body < 0 || ShapeType(of.model.shape[a]) == ShapeType::plane ||
        ShapeType(of.model.shape[b]) == ShapeType::plane) {
      return;
    }
    const std::uint64_t meeting = of.first[body];
    if (meeting == kNobody || row_of(meeting) == pair || !is_prevented(a, b, body, contact, meeting)) return;
    contact.count = 0.0f;
    contact_index[pair] = 0;
  }

  TALUS_HD bool is_prevented(Index a, Index b, Index body, const CachedContact& contact, std::uint64_t meeting) const {
    const CachedContact& met = of.contacts[row_of(meeting)];
    const bool owns_met = of.pairs.owner[row_of(meeting)] == body;
    const Vec3 up = owns_met ? -met.normal : met.normal;  // from what it meets first
    const Vec3 away = body == a ? -contact.normal : contact.normal;
    if (dot(up, away) > kSameSide) return false;
    const BodyPose pa = of.pose[a], pb = of.pose[b];
    const ShapeType type_a = ShapeType(of.model.shape[a]), type_b = ShapeType(of.model.shape[b]);
    const PlacedShape shape_a{of.model.shape_size[a], pa.position, pa.orientation};
    const PlacedShape shape_b{of.model.shape_size[b], pb.position, pb.orientation};
    const FindMotion motions = of.motions();
    const float overlap = motions.of(a, b, type_a, shape_a, type_b, shape_b).overlap;
    PairFlight f = motions.flight(a, b, type_a, shape_a, type_b, shape_b);
    const float time = number_of(meeting), side = body == b ? 1.0f : -1.0f;
    f.between = between_at(f, time);
    f.velocity = f.velocity + time * f.acceleration;
    f.a = later(f.a, time);
    f.b = later(f.b, time);
    f.dt = f.dt - time;
    // It goes on along what it has met: what it closes with there is gone, and what pulls it there is held.
    const Index wall = owns_met ? of.pairs.partner[row_of(meeting)] : of.pairs.owner[row_of(meeting)];
    const Vec3 arm = owns_met ? met.point[0].on_b : met.point[0].on_a;
    const Vec3 of_wall = of.linear_velocity[wall] + cross(of.angular_velocity[wall], arm);
    const Vec3 pull = motions.acceleration(body), speed = of.linear_velocity[body] + time * pull - of_wall;
    f.velocity = f.velocity - (side * min_of(dot(up, speed), 0.0f)) * up;
    f.acceleration = f.acceleration - (side * min_of(dot(up, pull), 0.0f)) * up;
    return f.dt > 0.0f && stays_apart(f, -overlap);
  }
};

}  // namespace talus::inline TALUS_ISA
