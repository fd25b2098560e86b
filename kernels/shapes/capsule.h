// SPDX-License-Identifier: MIT
// Capsule against plane and capsule against capsule (S1-38). Two points where the segments lie along the other surface,
// so that a lying capsule rests; one point else.
#pragma once
#include "math/vec3.h"
#include "shapes/append.h"
#include "shapes/manifold.h"

namespace talus::inline TALUS_ISA {

/// Feature: the end, 0 for -y and 1 for +y. The upper end of an inclined capsule touches with the ball at that end.
TALUS_HD inline Manifold collide_capsule_plane(const PlacedShape& a, const PlacedShape& b, float reach) {
  const Vec3 d = b.position - a.position;
  const Vec3 arm = a.size.y * capsule_axis(a);
  Manifold manifold{};
  manifold.normal = -plane_normal(b);
  const float height = dot(d, manifold.normal) - a.size.x;  // of the centre, less the radius
  const float rise = dot(arm, manifold.normal);
  const Vec3 foot = a.size.x * manifold.normal;
  const float low = height + rise, high = height - rise;
  const ManifoldPoint first{foot - arm, (foot - arm - d) + low * manifold.normal, low, 0u};
  const ManifoldPoint second{foot + arm, (foot + arm - d) + high * manifold.normal, high, 1u};
  if (low <= reach) append(manifold, first);
  // A capsule without length is a ball: one point. So is one that stands: its upper end adds nothing.
  const bool apart = length_squared(arm) - rise * rise > 1e-4f * a.size.x * a.size.x;
  if (high <= reach && apart) append(manifold, second);
  if (!apart && high < low && high <= reach) {
    manifold.count = 1;
    manifold.points[0] = second;
  }
  return manifold;
}

/// Where two segments come closest: parameters along their unit axes from their centres.
struct SegmentPair {
  float on_a, on_b;  // [m]
};

/// Parallel segments give the middle of their overlap. Course 5.3.1 (S1-109) asks for this distance; solved here by one
/// elimination and two clamps, which is exact for two segments.
TALUS_INLINE SegmentPair closest_on_segments(Vec3 d, Vec3 axis_a, float half_a, Vec3 axis_b, float half_b) {
  const float along_a = dot(d, axis_a), along_b = dot(d, axis_b), cosine = dot(axis_a, axis_b);
  const float sine_squared = length_squared(cross(axis_a, axis_b));
  const float shadow = half_b * abs_of(cosine);  // of B on the axis of A
  const float overlap = 0.5f * (max_of(-half_a, along_a - shadow) + min_of(half_a, along_a + shadow));
  // Below 0.06 degrees the crossing of the axes is mostly round-off.
  const float crossing = sine_squared > 1e-6f ? (along_a - cosine * along_b) / sine_squared : overlap;
  const float on_a = clamp_to(crossing, -half_a, half_a);
  const float on_b = clamp_to(cosine * on_a - along_b, -half_b, half_b);
  return {clamp_to(cosine * on_b + along_a, -half_a, half_a), on_b};
}

/// Features: 0 and 1 for the ends of a line of contact in the order of the axis of A, 2 for a single point.
TALUS_HD inline Manifold collide_capsule_capsule(const PlacedShape& a, const PlacedShape& b, float reach) {
  const Vec3 d = b.position - a.position;
  const Vec3 axis_a = capsule_axis(a), axis_b = capsule_axis(b);
  const float half_a = a.size.y, half_b = b.size.y, radius = a.size.x + b.size.x;
  const SegmentPair closest = closest_on_segments(d, axis_a, half_a, axis_b, half_b);
  const Vec3 between = d + closest.on_b * axis_b - closest.on_a * axis_a;
  const float distance = length(between);
  Manifold manifold{};
  if (!(distance - radius <= reach)) return manifold;

  // Segments that meet part across both, along the way from centre to centre; parallel ones across the axis.
  const Vec3 across = cross(axis_a, axis_b);
  const Vec3 parting = normalized_or(sign_of(dot(d, across)) * across, tangent_of(axis_a));
  const bool meeting = !(distance > 1e-4f * radius);
  const Vec3 n = meeting ? parting : (1.0f / distance) * between;
  manifold.normal = n;

  // A line of contact: the part of A that B covers, if B stays above it within 2 % of the radii and 6 degrees.
  const float cosine = dot(axis_a, axis_b), along = dot(d, axis_a), shadow = half_b * abs_of(cosine);
  const float first = max_of(-half_a, along - shadow), last = min_of(half_a, along + shadow);
  const float sideways = abs_of(dot(axis_b, cross(n, axis_a))) * (last - first);
  if (cosine * cosine > 0.99f && last - first > 0.05f * radius && sideways < 0.02f * radius &&
      abs_of(dot(n, axis_a)) < 0.1f) {
    for (int end = 0; end < 2; ++end) {
      const float on_a = end == 0 ? first : last;
      const float on_b = clamp_to((on_a - along) / cosine, -half_b, half_b);
      const Vec3 gap = d + on_b * axis_b - on_a * axis_a;
      const float separation = dot(n, gap) - radius;
      const Vec3 point_a = on_a * axis_a + a.size.x * n;
      const ManifoldPoint point{point_a, (point_a - d) + separation * n, separation, std::uint32_t(end)};
      if (separation <= reach) append(manifold, point);
    }
    if (manifold.count > 0) return manifold;
  }
  // Meeting segments may be off by a hair along n: what is reported is the way along n.
  const float separation = dot(n, between) - radius;
  const Vec3 on_a = closest.on_a * axis_a + a.size.x * n;
  append(manifold, {on_a, (on_a - d) + separation * n, separation, 2u});
  return manifold;
}

}  // namespace talus::inline TALUS_ISA
