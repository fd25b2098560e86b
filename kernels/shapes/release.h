// SPDX-License-Identifier: MIT
// Which pairs cannot touch within a step, however near they are: two convex shapes keep apart as long as any one axis
// parts them (Flickinger et al. 2013, see shapes/motion.h). All that is asked of a shape is its extent along a
// direction and an axis that parts it from another one. And where those touch that do.
#pragma once
#include <talus/defs.h>

#include "math/vec3.h"
#include "shapes/append.h"
#include "shapes/box_box.h"
#include "shapes/box_capsule.h"
#include "shapes/capsule.h"
#include "shapes/collide.h"
#include "shapes/manifold.h"
#include "shapes/motion.h"

namespace talus::inline TALUS_ISA {

/// A shape that turns. A ball is a capsule without length.
struct Traveller {
  bool is_box;
  Vec3 core;         // [m] half extents of a box; {0, half length, 0} of a capsule
  float rounding;    // [m] radius of a capsule
  Quat orientation;  // body to world, at the start
  Vec3 spin;         // [rad/s] world axes
};
TALUS_INLINE Traveller traveller_of(ShapeType type, const PlacedShape& shape, Vec3 spin) {
  const bool is_box = type == ShapeType::box;
  const Vec3 core{is_box ? shape.size.x : 0.0f, type == ShapeType::sphere ? 0.0f : shape.size.y,
                  is_box ? shape.size.z : 0.0f};
  return {is_box, core, is_box ? 0.0f : shape.size.x, shape.orientation, spin};
}

/// B against A, world axes, if nothing touches them.
struct PairFlight {
  Traveller a, b;
  Vec3 between;       // [m] from A to B at the start
  Vec3 velocity;      // [m/s]
  Vec3 acceleration;  // [m/s^2]
  float dt;           // [s] as far ahead as solvers look: the step, and a sub-step more
  float early;        // [s] length of sub-steps that add what a whole one gains of speed before they move
};
/// [m] From A to B at a time.
TALUS_INLINE Vec3 between_at(const PairFlight& f, float time) {
  return f.between + time * (f.velocity + (0.5f * (time + f.early)) * f.acceleration);
}

/// World frame: the turn after a time, at a constant spin.
TALUS_INLINE Quat turn_after(Vec3 spin, float time) {
  const float rate = length(spin);
  float half = 0.5f * rate * time;
  int doublings = 0;
  while (half > 0.7f && doublings < 8) {
    half = 0.5f * half;
    ++doublings;
  }
  float sine = 0.0f, cosine = 1.0f;
  sine_cosine_small(min_of(half, 0.7f), sine, cosine);
  const Vec3 axis = (sine / max_of(rate, 1e-20f)) * spin;
  Quat turn{axis.x, axis.y, axis.z, cosine};
  for (int i = 0; i < doublings; ++i) turn = turn * turn;
  return turn;
}
TALUS_INLINE Traveller later(const Traveller& t, float time) {
  Traveller result = t;
  result.orientation = turn_after(t.spin, time) * t.orientation;
  return result;
}
/// [m] Half the width along a unit direction.
TALUS_INLINE float extent_along(const Traveller& t, Vec3 direction) {
  return t.rounding + dot(abs_of(rotate_back(t.orientation, direction)), t.core);
}
TALUS_INLINE PlacedShape placed(const Traveller& t, Vec3 position) {
  return {t.is_box ? t.core : Vec3{t.rounding, t.core.y, 0.0f}, position, t.orientation};
}

/// An axis that parts two shapes, and by how much.
struct AxisGap {
  Vec3 normal;       // unit, from A to B
  float separation;  // [m] negative or zero: they overlap, or it is not known
};

TALUS_INLINE AxisGap gap_of_boxes(const Traveller& a, const Traveller& b, Vec3 d) {
  const BoxPair p = box_pair(placed(a, {0.0f, 0.0f, 0.0f}), placed(b, d));
  const BestAxis face = best_face_axis(p, 0.0f), edge = best_edge_axis(p, 0.0f);
  const bool use_edge = edge.separation > face.separation;
  const int index = int(use_edge ? edge.index : face.index);
  Vec3 axis;
  if (use_edge) {
    const int i = index >= 6 ? 2 : index >= 3 ? 1 : 0;
    axis = normalized_or(cross(column_of(p.axes_a, i), column_of(p.axes_b, index - 3 * i)), {0.0f, 1.0f, 0.0f});
  } else {
    axis = index < 3 ? column_of(p.axes_a, index) : column_of(p.axes_b, index - 3);
  }
  return {sign_of(dot(axis, d)) * axis, max_of(face.separation, edge.separation)};
}
/// A: the box.
TALUS_INLINE AxisGap gap_of_box_and_segment(const Traveller& a, const Traveller& b, Vec3 d) {
  const Mat3 axes = matrix_of(a.orientation);
  const Vec3 along = rotate(b.orientation, Vec3{0.0f, 1.0f, 0.0f});
  const CapsuleAtBox c{a.core, transposed_times(axes, d), transposed_times(axes, along), b.core.y, b.rounding};
  const Vec3 p = c.centre + closest_to_box(c) * c.axis;
  const Vec3 out = p - clamp_each(p, c.half);
  const float distance = length(out);
  return {axes * ((1.0f / max_of(distance, 1e-20f)) * out), distance - b.rounding};
}
TALUS_INLINE AxisGap gap_of_segments(const Traveller& a, const Traveller& b, Vec3 d) {
  const Vec3 y{0.0f, 1.0f, 0.0f}, along_a = rotate(a.orientation, y), along_b = rotate(b.orientation, y);
  const SegmentPair closest = closest_on_segments(d, along_a, a.core.y, along_b, b.core.y);
  const Vec3 between = d + closest.on_b * along_b - closest.on_a * along_a;
  const float distance = length(between);
  return {(1.0f / max_of(distance, 1e-20f)) * between, distance - (a.rounding + b.rounding)};
}
/// d: from A to B.
TALUS_INLINE AxisGap gap_between(const Traveller& a, const Traveller& b, Vec3 d) {
  if (a.is_box && b.is_box) return gap_of_boxes(a, b, d);
  if (a.is_box) return gap_of_box_and_segment(a, b, d);
  if (!b.is_box) return gap_of_segments(a, b, d);
  const AxisGap seen_from_b = gap_of_box_and_segment(b, a, -d);
  return {-seen_from_b.normal, seen_from_b.separation};
}

/// [m] How far from the axis of its spin a shape reaches, of what a turn about that axis moves.
TALUS_INLINE float spin_arm(const Traveller& t) {
  if (t.is_box) return length(t.core);
  const Vec3 along = rotate(t.orientation, Vec3{0.0f, 1.0f, 0.0f});
  return t.core.y * (length(cross(along, t.spin)) / max_of(length(t.spin), 1e-20f));
}

/// Whether a point is inside a shape. World axes, from its centre.
TALUS_INLINE bool is_inside(const Traveller& t, Vec3 point) {
  const Vec3 own = rotate_back(t.orientation, point);
  return length_squared(own - clamp_each(own, t.core)) <= t.rounding * t.rounding;
}

/// True only if the two touch on their way: a point of their contact gets into the other one. Most that come near do
/// touch, and this tells it soon. `depth`: [m] how deep along the normal is looked.
TALUS_INLINE bool surely_touch(const PairFlight& f, const Manifold& contact, float depth) {
  const float closing = -dot(contact.normal, f.velocity);
  if (!(closing > 0.0f)) return false;
  const float time = min_of(f.dt, (least_gap(contact) + depth) / closing);
  const Quat turn_a = turn_after(f.a.spin, time), turn_b = turn_after(f.b.spin, time);
  Traveller a = f.a, b = f.b;
  a.orientation = turn_a * a.orientation;
  b.orientation = turn_b * b.orientation;
  const Vec3 d = between_at(f, time);
  for (int i = 0; i < contact.count; ++i) {
    const ManifoldPoint& point = contact.points[i];
    if (is_inside(a, d + rotate(turn_b, point.on_b)) || is_inside(b, rotate(turn_a, point.on_a) - d)) return true;
  }
  return false;
}

constexpr int kMostLooks = 24;  // at the two on their way; what is not clear by then counts as touching

/// True only if the two keep further apart than `margin` [m] throughout the step. From a time on, the axis that parts
/// them then is followed for as long as it surely does: each corner's gap along it is smooth with a second derivative
/// of at most `bend`, so that between two times it is no further below the lesser of the two gaps than
/// bend (t1 - t0)^2 / 8.
TALUS_HD inline bool stays_apart(const PairFlight& m, float margin) {
  const float rate_a = length(m.a.spin), rate_b = length(m.b.spin), arm_a = spin_arm(m.a), arm_b = spin_arm(m.b);
  float t = 0.0f;
  for (int look = 0; look < kMostLooks; ++look) {
    const AxisGap gap = gap_between(later(m.a, t), later(m.b, t), between_at(m, t));
    const float open = gap.separation - margin;
    if (!(open > (look > 0 ? 0.1f * margin : 0.0f))) return false;
    const Vec3 n = gap.normal;
    const float swing_a = length(cross(n, m.a.spin)) * arm_a, swing_b = length(cross(n, m.b.spin)) * arm_b;
    const float bend = abs_of(dot(n, m.acceleration)) + rate_a * swing_a + rate_b * swing_b;
    float span = m.dt - t;
    bool followed = false;
    for (int trial = 0; trial < 3 && !followed; ++trial) {
      const float end = t + span;
      const float then =
          dot(n, between_at(m, end)) - extent_along(later(m.a, end), n) - extent_along(later(m.b, end), n);
      const float least = min_of(then, gap.separation) - (0.125f * span * span) * bend;
      followed = least > margin;
      if (!followed) span = span * clamp_to(0.98f * open / (gap.separation - least), 0.02f, 0.98f);
    }
    if (!followed) {
      const float gain = length(m.acceleration) * (m.dt + m.early);
      span = 0.98f * open / max_of(swing_a + swing_b + gain - dot(n, m.velocity), 1e-20f);
    }
    t = t + span;
    if (t >= m.dt) return true;
  }
  return false;
}

constexpr int kMostApproaches = 8;         // enough for 1e-4 of the thickness, but where the two only graze each other
constexpr float kMet = 1e-4f;              // of the thickness: a gap that is none
constexpr float kMetReach = 0.02f;         // of the thickness: what else of the two is as near as that when they meet
constexpr float kSameNormal = 0.9999995f;  // cosine: 0.06 degrees
constexpr float kSameShift = 0.05f;        // of the thickness: a way along a face that leaves the points where they are

/// How a contact closes, as rows count it.
struct Closing {
  float speed;  // [m/s] of its fastest point; 0: none closes
  float time;   // [s] when the first point has closed its gap
};
TALUS_INLINE Closing closing_of(const PairFlight& m, const Manifold& contact) {
  const Vec3 n = contact.normal;
  const float opening = dot(n, m.velocity) + min_of(m.dt * dot(n, m.acceleration), 0.0f);
  Closing closing{0.0f, m.dt};
  for (int i = 0; i < contact.count; ++i) {
    const ManifoldPoint& point = contact.points[i];
    const float speed = -(opening + dot(n, cross(m.b.spin, point.on_b) - cross(m.a.spin, point.on_a)));
    closing.speed = max_of(closing.speed, speed);
    if (speed > 0.0f) closing.time = min_of(closing.time, max_of(point.separation, 0.0f) / speed);
  }
  return closing;
}

/// Two on their way when they meet, or at the end of the step if they do not.
struct Meeting {
  float time;  // [s]
  Traveller a, b;
  AxisGap gap;
};
/// guess: [s] a time near that; gap_at_start: [m]; thin: [m] thickness of the thinner one; deeper: [s] by which each
/// look is later than they touch. Boxes are at least as deep in each other as they touch, others touch.
TALUS_HD inline Meeting meeting_of(const PairFlight& m, float guess, float gap_at_start, float thin, float deeper) {
  const float arm_a = spin_arm(m.a), arm_b = spin_arm(m.b);
  const bool boxes = m.a.is_box && m.b.is_box;
  float before = 0.0f, gap_before = gap_at_start;  // [s], [m] the last time seen at which they are apart
  Meeting met{min_of(guess, m.dt), m.a, m.b, {}};
  for (int i = 0; i < kMostApproaches; ++i) {
    const float t = met.time;
    met.a = later(m.a, t);
    met.b = later(m.b, t);
    met.gap = gap_between(met.a, met.b, between_at(m, t));
    const float gap = met.gap.separation;
    if (boxes ? gap <= 0.0f : abs_of(gap) <= kMet * thin) break;
    if (gap < 0.0f) {  // too late: what turns swings back from a straight line
      met.time = before + (t - before) * (gap_before / (gap_before - gap));
      continue;
    }
    before = t;
    gap_before = gap;
    // By Newton's method, which comes from one side, or slower if they turn.
    const Vec3 n = met.gap.normal, velocity = m.velocity + (t + 0.5f * m.early) * m.acceleration;
    const float closing = length(cross(n, m.a.spin)) * arm_a + length(cross(n, m.b.spin)) * arm_b - dot(n, velocity);
    if (!(closing > 0.0f && t < m.dt)) break;
    met.time = min_of(t + gap / closing + deeper, m.dt);
  }
  return met;
}

/// The contact of two that are apart, as it is when they meet, seen from the start of the step. What is nearest at the
/// start is something else: a ball that is hit off its middle would leave along the line of centres of the start, 40
/// degrees off at 10 m/s, one that lands beside the edge of a box would bounce off the edge, and a box that lands on a
/// floor of tiles would stand on those that it came from. Two boxes are looked at when they are in each other by
/// `overlap` [m], as far as an axis still parts them: a box that slides to the foot of a slope meets its edge, and is
/// lifted by its face. `thin`: [m] thickness of the thinner one.
TALUS_HD inline Manifold where_they_meet(PairFlight m, ShapeType type_a, ShapeType type_b, const Manifold& at_start,
                                         float thin, float overlap) {
  const bool boxes = m.a.is_box && m.b.is_box;
  const float gap_at_start = least_gap(at_start);
  if (!boxes && !(gap_at_start > 0.0f)) return at_start;  // they have met
  // What slides on a floor does not fall, and would seem to meet the side of the next box of the floor.
  if (boxes) m.acceleration = {0.0f, 0.0f, 0.0f};
  const Closing closes = closing_of(m, at_start);
  const float deeper = boxes ? overlap / max_of(closes.speed, 1e-20f) : 0.0f;  // [s]
  if (!(deeper < m.dt)) return at_start;
  const Meeting meeting = meeting_of(m, closes.time + deeper, gap_at_start, thin, deeper);
  const float t = meeting.time;
  const Vec3 d = between_at(m, t), way = d - m.between, n = meeting.gap.normal;
  // Points of a ball do not depend on where it is.
  const bool is_ball = type_a == ShapeType::sphere || type_b == ShapeType::sphere;
  const bool same_place = is_ball || length(cross(n, way)) < kSameShift * thin;
  if (same_place && dot(n, at_start.normal) > kSameNormal) return at_start;
  const float reach = max_of(meeting.gap.separation, 0.0f) + kMetReach * thin;
  Manifold met = collide(type_a, placed(meeting.a, {0.0f, 0.0f, 0.0f}), type_b, placed(meeting.b, d), reach);
  met.fleeting = true;
  // As far apart as rows, which know of turning by the speed of their points, take them to touch at that time.
  for (int i = 0; i < met.count; ++i) {
    ManifoldPoint& point = met.points[i];
    const Vec3 by_turning = cross(m.b.spin, point.on_b) - cross(m.a.spin, point.on_a);
    point.separation -= dot(met.normal, way + t * by_turning);
  }
  if (met.count == 0) return at_start;
  const bool nears = dot(met.normal, way) < 0.0f || length_squared(m.a.spin) + length_squared(m.b.spin) > 0.0f;
  return least_gap(met) > (boxes && nears ? -overlap : 0.0f) ? met : at_start;
}

}  // namespace talus::inline TALUS_ISA
