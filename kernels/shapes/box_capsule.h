// SPDX-License-Identifier: MIT
// Box against capsule: the closest points of segment and box if the segment is outside, separating axes if it runs
// through the box (S1-38; axes as in S1-34, course 2.1.3). A capsule that lies on a face or along an edge gets two
// points.
#pragma once
#include "math/vec3.h"
#include "shapes/append.h"
#include "shapes/manifold.h"
#include "shapes/motion.h"

namespace talus::inline TALUS_ISA {

/// A capsule in the frame of a box at the origin.
struct CapsuleAtBox {
  Vec3 half;     // [m] of the box
  Vec3 centre;   // [m] of the capsule
  Vec3 axis;     // unit
  float length;  // [m] half the segment
  float radius;  // [m]
};

/// Half the slope of the squared distance from the box at parameter t of the segment.
TALUS_INLINE float distance_slope(const CapsuleAtBox& c, float t) {
  const Vec3 p = c.centre + t * c.axis;
  return dot(p - clamp_each(p, c.half), c.axis);
}

/// Narrows low..high to the side of t on which the slope changes sign.
TALUS_INLINE void narrow_at(const CapsuleAtBox& c, float t, float& low, float& slope_low, float& high,
                            float& slope_high) {
  if (!(t > low && t < high)) return;
  const float slope = distance_slope(c, t);
  if (slope <= 0.0f) {
    low = t;
    slope_low = slope;
  } else {
    high = t;
    slope_high = slope;
  }
}

/// Parameter of the segment's point closest to the box. The squared distance is convex and piecewise quadratic in t
/// with bends only where the segment crosses the six face planes, so the root of its slope is found without iterating.
TALUS_INLINE float closest_to_box(const CapsuleAtBox& c) {
  float low = -c.length, high = c.length;
  float slope_low = distance_slope(c, low), slope_high = distance_slope(c, high);
  if (slope_low >= 0.0f) return low;
  if (slope_high <= 0.0f) return high;
  for (int i = 0; i < 3; ++i) {
    const float u = component(c.axis, i);
    const float inverse = abs_of(u) > 1e-9f ? 1.0f / u : 0.0f;  // 0: no bend worth looking at, t is at the centre
    narrow_at(c, (component(c.half, i) - component(c.centre, i)) * inverse, low, slope_low, high, slope_high);
    narrow_at(c, (-component(c.half, i) - component(c.centre, i)) * inverse, low, slope_low, high, slope_high);
  }
  return clamp_to(low - slope_low * ((high - low) / (slope_high - slope_low)), low, high);
}

/// Cuts first..last to where the segment is within the slab of an axis.
TALUS_INLINE void cut_to_slab(const CapsuleAtBox& c, int axis, float slop, float& first, float& last) {
  const float u = component(c.axis, axis), p = component(c.centre, axis), h = component(c.half, axis) + slop;
  if (abs_of(u) > 1e-9f) {
    const float t0 = (-h - p) / u, t1 = (h - p) / u;
    first = max_of(first, min_of(t0, t1));
    last = min_of(last, max_of(t0, t1));
  } else if (!(abs_of(p) <= h)) {
    last = first - 1.0f;
  }
}

/// The axis that separates best, or overlaps least, for a segment that runs through the box.
struct SegmentAxis {
  Vec3 normal;       // from the box to the capsule
  float separation;  // [m] of segment and box
  int face;          // axis of the face, or -1: an edge
  float t;           // with an edge: parameter of the segment's point at the edge
};
TALUS_INLINE SegmentAxis best_segment_axis(const CapsuleAtBox& c) {
  const Vec3 depth = abs_of(c.centre) - c.half - c.length * abs_of(c.axis);
  int face = depth.y > depth.x ? 1 : 0;
  face = depth.z > component(depth, face) ? 2 : face;
  SegmentAxis best{axis_vector(face, sign_of(component(c.centre, face))), component(depth, face), face, 0.0f};
  float to_beat = best.separation + edge_margin(min_of(smallest_of(c.half), c.radius));
  for (int i = 0; i < 3; ++i) {
    const Vec3 edge = axis_vector(i, 1.0f);
    const Vec3 across = cross(edge, c.axis);
    const float sine_squared = length_squared(across);
    if (!(sine_squared > 1e-6f)) continue;  // parallel: the faces say it all
    const Vec3 n = (sign_of(dot(across, c.centre)) / square_root(sine_squared)) * across;
    const float separation = dot(n, c.centre) - dot(abs_of(n), c.half);
    if (!(separation > to_beat)) continue;
    to_beat = separation;
    const Vec3 on_edge = scale({sign_of(n.x), sign_of(n.y), sign_of(n.z)}, c.half) -
                         (sign_of(component(n, i)) * component(c.half, i)) * edge;
    const Vec3 r = c.centre - on_edge;
    const float t = (component(c.axis, i) * component(r, i) - dot(r, c.axis)) / sine_squared;
    best = {n, separation, -1, clamp_to(t, -c.length, c.length)};
  }
  return best;
}

/// Part of the segment that lies along the box.
struct ContactLine {
  Vec3 normal;                              // from the box to the capsule
  float first, last;                        // [m] parameters; first > last: no such line
  float separation_first, separation_last;  // [m] of the capsule
};

/// The part above a face.
TALUS_INLINE ContactLine line_on_face(const CapsuleAtBox& c, int face, float side) {
  ContactLine line{axis_vector(face, side), -c.length, c.length, 0.0f, 0.0f};
  const float slop = clip_slop(smallest_of(c.half));
  for (int i = 0; i < 3; ++i) {
    if (i != face) cut_to_slab(c, i, slop, line.first, line.last);
  }
  const float p = side * component(c.centre, face), rise = side * component(c.axis, face);
  const float top = component(c.half, face) + c.radius;
  line.separation_first = p + line.first * rise - top;
  line.separation_last = p + line.last * rise - top;
  return line;
}

/// The part beside an edge, if the segment's closest point p is beside one and the segment stays along it: within 6
/// degrees, and within 2 % of the radius to either side.
TALUS_INLINE ContactLine line_along_edge(const CapsuleAtBox& c, Vec3 n, Vec3 p, float separation) {
  const bool in_x = abs_of(p.x) <= c.half.x, in_y = abs_of(p.y) <= c.half.y, in_z = abs_of(p.z) <= c.half.z;
  const int edge = in_x ? 0 : in_y ? 1 : 2;
  ContactLine line{n, -c.length, c.length, 0.0f, 0.0f};
  cut_to_slab(c, edge, 0.0f, line.first, line.last);
  const Vec3 along = axis_vector(edge, 1.0f);
  const float sideways = abs_of(dot(c.axis, cross(n, along))) * (line.last - line.first);
  const bool lies =
      int(in_x) + int(in_y) + int(in_z) == 1 && abs_of(component(c.axis, edge)) > 0.995f && sideways < 0.02f * c.radius;
  const float rise = dot(n, c.axis) - component(n, edge) * component(c.axis, edge);
  const float at_p = dot(p - c.centre, c.axis);
  line.separation_first = separation + (line.first - at_p) * rise;
  line.separation_last = separation + (line.last - at_p) * rise;
  line.last = lies ? line.last : line.first - 1.0f;
  return line;
}

/// The point of a contact where the capsule's segment has a parameter.
TALUS_INLINE ManifoldPoint capsule_point(const CapsuleAtBox& c, const Mat3& axes, Vec3 n, float parameter, float gap,
                                         std::uint32_t feature) {
  const Vec3 on_b = parameter * c.axis - c.radius * n;
  return {axes * (c.centre + on_b - gap * n), axes * on_b, gap, feature};
}

/// The two ends of a line, as far as they are within reach. Seen along the normal, ends within 5 % of the radius are
/// one: only the deeper counts.
TALUS_INLINE Manifold line_contact(const CapsuleAtBox& c, const Mat3& axes, const ContactLine& line, float reach) {
  Manifold manifold{};
  const Vec3 n = line.normal;
  manifold.normal = axes * n;
  const float rise = dot(c.axis, n), extent = line.last - line.first;
  const bool apart = extent * extent * (1.0f - rise * rise) > 2.5e-3f * c.radius * c.radius;
  const bool first_deeper = line.separation_first <= line.separation_last;
  const bool keep_first = line.separation_first <= reach && (apart || first_deeper);
  const bool keep_last = line.separation_last <= reach && (apart || !first_deeper);
  if (keep_first) append(manifold, capsule_point(c, axes, n, line.first, line.separation_first, 0u));
  if (keep_last) append(manifold, capsule_point(c, axes, n, line.last, line.separation_last, 1u));
  return manifold;
}

/// Features: 0 and 1 for the ends of a line of contact in the order of the capsule's axis, 2 for a single point. The
/// upper end of an inclined line is on the ball at that end of it, not on the outermost surface.
TALUS_HD inline Manifold collide_box_capsule(const PlacedShape& a, const PlacedShape& b, float reach) {
  const Mat3 axes = matrix_of(a.orientation);
  const CapsuleAtBox c{a.size, transposed_times(axes, b.position - a.position), transposed_times(axes, capsule_axis(b)),
                       b.size.y, b.size.x};
  float t = closest_to_box(c);
  const Vec3 p = c.centre + t * c.axis;
  const Vec3 out = p - clamp_each(p, c.half);
  const float distance = length(out);
  Manifold manifold{};
  if (!(distance - c.radius <= reach)) return manifold;

  Vec3 n{};
  float separation = 0.0f;
  ContactLine line;
  if (distance > 1e-3f * c.radius) {
    n = (1.0f / distance) * out;
    separation = distance - c.radius;
    const Vec3 size = abs_of(n);
    int face = size.y > size.x ? 1 : 0;
    face = size.z > component(size, face) ? 2 : face;
    line = line_on_face(c, face, sign_of(component(n, face)));
    // Within 3.6 degrees of the face normal: a capsule that hangs over the rim lies on the face too. A steep one that
    // only ends beside the face does not: the part of it above the face is too high.
    const float lowest = min_of(line.separation_first, line.separation_last);
    const bool on_face =
        component(size, face) > 0.998f && line.first <= line.last && lowest - separation < edge_margin(c.radius);
    if (!on_face) line = line_along_edge(c, n, p, separation);
  } else {
    const SegmentAxis axis = best_segment_axis(c);
    n = axis.normal;
    separation = axis.separation - c.radius;
    const bool on_face = axis.face >= 0;
    const int face = max_of(axis.face, 0);
    t = on_face ? t : axis.t;
    line = line_on_face(c, face, sign_of(component(n, face)));
    line.last = on_face ? line.last : line.first - 1.0f;
  }

  const bool lying = line.first <= line.last;
  if (lying) return line_contact(c, axes, line, reach);
  manifold.normal = axes * n;
  if (separation <= reach) append(manifold, capsule_point(c, axes, n, t, separation, 2u));
  return manifold;
}

/// While the plane of a face bears the capsule, the rim of the face does not count. See bear_box_on_box.
template <class MotionOf>
TALUS_HD inline Manifold bear_capsule_on_box(const PlacedShape& a, const PlacedShape& b, const Manifold& nearest,
                                             float reach, const MotionOf& motion_of) {
  if (is_face_normal(a.orientation, nearest.normal)) return nearest;
  const Mat3 axes = matrix_of(a.orientation);
  CapsuleAtBox c{a.size, transposed_times(axes, b.position - a.position), transposed_times(axes, capsule_axis(b)),
                 b.size.y, b.size.x};
  const Vec3 gaps = abs_of(c.centre) - c.half - c.length * abs_of(c.axis) - Vec3{c.radius, c.radius, c.radius};
  if (!(max_of(gaps.x, max_of(gaps.y, gaps.z)) >= -4.0f * kMostSunk * c.radius)) return nearest;
  const PairMotion m = motion_of();
  const Vec3 core{0.0f, c.length, 0.0f};
  int face = -1;
  float longest = 0.0f;
  for (int i = 0; i < 3; ++i) {
    if (!(component(gaps, i) <= m.overlap && component(gaps, i) >= -round_depth(m, c.radius))) continue;
    const Vec3 normal = sign_of(component(c.centre, i)) * column_of(axes, i);
    const float time =
        bearing_time(m, gap_rate(m, normal, a.size, a.orientation, core, b.orientation), component(gaps, i));
    if (!(time > longest)) continue;
    longest = time;
    face = i;
  }
  if (face < 0) return nearest;
  const float side = sign_of(component(c.centre, face));
  ContactLine line = line_on_face(c, face, side);
  if (!(line.first <= line.last)) {
    const float rim = rim_width(m, c.radius);
    c.half = c.half + Vec3{face == 0 ? 0.0f : rim, face == 1 ? 0.0f : rim, face == 2 ? 0.0f : rim};
    line = line_on_face(c, face, side);
  }
  const Manifold on_face = line.first <= line.last ? line_contact(c, axes, line, reach) : Manifold{};
  return borne(nearest, on_face);
}

}  // namespace talus::inline TALUS_ISA
