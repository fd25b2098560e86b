// SPDX-License-Identifier: MIT
// Face of one box clipped by a face of another, and the outcome reduced to four points.
// S1-36 (course 2.1.3): keep what of the incident face is within the side planes of the reference face and below it
// (E12). S0-103 and S0-104 (STAR 6.3). Departs from Sutherland-Hodgman in form: instead of a growing polygon, the
// twelve places where a corner of the outcome can be are computed each for itself, so that nothing is indexed by a
// number that the compiler does not know and all of it stays in registers.
#pragma once
#include "math/vec3.h"
#include "shapes/append.h"
#include "shapes/manifold.h"

namespace talus::inline TALUS_ISA {

/// Two boxes seen from the reference face: coordinates u, v across it from its centre, z along its outward normal from
/// the centre of the reference box. Stored as Vec3 {u, v, z}.
struct FacePair {
  float half_u, half_v;      // [m] of the reference face
  float height;              // [m] of the reference face
  Vec3 centre;               // [m] of the incident box
  Vec3 axis0, axis1, axis2;  // of the incident box
  Vec3 half;                 // [m] of the incident box
  float slop;                // [m] see clip_slop()
};

/// One corner of the clipped face.
struct ClipPoint {
  float u, v;             // [m] on the reference face
  float separation;       // [m] of the incident face there
  std::uint32_t feature;  // which corner: kind and detail, see below
};
struct ClipResult {
  int count;
  ClipPoint point0, point1, point2, point3;
};

// Feature ids of box-box, 16 bits (parallel-engine 8.1, with corners and edges of the whole incident box, so that an id
// does not depend on which of two equally inclined faces is the incident one). From the low end: reference face 3 bits
// (2 axis + sign), its owner 1 bit, kind 2 bits, then by kind:
constexpr std::uint32_t kKindCorner = 0u << 4;  // corner of the incident box: 3 bits, bit i set on the + side of axis i
constexpr std::uint32_t kKindCrossing =
    1u << 4;  // incident edge 5 bits (8 axis + corner bits of the others), side plane 2
constexpr std::uint32_t kKindCovered = 2u << 4;           // corner of the reference face under the incident one: 2 bits
constexpr std::uint32_t kKindEdges = 3u << 4;             // edge of A 5 bits, edge of B 5 bits; the low 4 bits are zero
constexpr std::uint32_t kFeatureApart = kKindEdges | 1u;  // the closest points of boxes that face each other nowhere
constexpr int kDetailShift = 6;

constexpr int kClipPoints = 12;        // per incident edge: its start or entry, its exit; then four reference corners
constexpr float kNoPoint = 3e38f;      // separation of a place where there is no point
constexpr float kClearlyMore = 1.01f;  // [1] a later point must be this much better, so that equal ones fall by order
constexpr float kAsGood = 1.05f;       // [1] the opposite of a point is taken unless another one is this much better

TALUS_INLINE float cross2(float u0, float v0, float u1, float v1) {
  return u0 * v1 - v0 * u1;
}

/// Where the line u + t du is within -half..half.
struct Interval {
  float first, last;
};
TALUS_INLINE Interval within_slab(float u, float du, float half) {
  const bool moving = abs_of(du) > 1e-9f;
  const float inverse = 1.0f / (moving ? du : 1.0f);
  const float t0 = (-half - u) * inverse, t1 = (half - u) * inverse;
  const bool inside = abs_of(u) <= half;
  return {moving ? min_of(t0, t1) : (inside ? -1e30f : 1e30f), moving ? max_of(t0, t1) : (inside ? 1e30f : -1e30f)};
}

/// Middle of the smallest rectangle that holds all points: points that are there twice do not move it.
TALUS_INLINE ClipPoint middle_of(const ClipPoint (&points)[kClipPoints]) {
  float low_u = kNoPoint, high_u = -kNoPoint, low_v = kNoPoint, high_v = -kNoPoint;
  for (int i = 0; i < kClipPoints; ++i) {
    const bool exists = points[i].separation < kNoPoint;
    low_u = min_of(exists ? points[i].u : kNoPoint, low_u);
    high_u = max_of(exists ? points[i].u : -kNoPoint, high_u);
    low_v = min_of(exists ? points[i].v : kNoPoint, low_v);
    high_v = max_of(exists ? points[i].v : -kNoPoint, high_v);
  }
  return {0.5f * (low_u + high_u), 0.5f * (low_v + high_v), 0.0f, 0u};
}

TALUS_INLINE ClipPoint nearest_to(const ClipPoint (&points)[kClipPoints], float u, float v) {
  ClipPoint found = points[0];
  float least = kNoPoint;
  for (int i = 0; i < kClipPoints; ++i) {
    const float du = points[i].u - u, dv = points[i].v - v, distance = du * du + dv * dv;
    const bool take = points[i].separation < kNoPoint && distance < least;
    least = take ? distance : least;
    if (take) found = points[i];
  }
  return found;
}

/// Reduces up to twelve points to four: of the deepest the one farthest out, the one farthest from it, the one that
/// spans the largest triangle with them, the one that adds most area to the triangle. Four points in convex position
/// are all kept. Of points that differ by round-off the earlier one is taken. What two equal faces with one middle have
/// in common is point-symmetric, and so are the four: the second and the fourth are the opposites of the first and the
/// third where there are such. A load on the middle would otherwise tilt soft contacts, and a tower of 20 bricks, each
/// turned by 45 degrees against the one below, would lean by centimetres.
TALUS_INLINE ClipResult reduce_points(const ClipPoint (&points)[kClipPoints], float slop) {
  ClipResult result{};
  float deepest = kNoPoint;
  for (int i = 0; i < kClipPoints; ++i) deepest = min_of(points[i].separation, deepest);
  if (!(deepest < kNoPoint)) return result;
  const float near = 4.0f * slop;        // [m] points this close are one
  const float same_depth = 2.0f * slop;  // [m] 0 lets the choice jump as a resting box rocks by 0.01 degrees
  const ClipPoint middle = middle_of(points);
  ClipPoint a = points[0], b{}, c{}, d{};
  float best = -1.0f;
  for (int i = 0; i < kClipPoints; ++i) {
    const float du = points[i].u - middle.u, dv = points[i].v - middle.v, distance = du * du + dv * dv;
    const bool take = points[i].separation <= deepest + same_depth && distance > best;
    best = take ? kClearlyMore * distance : best;
    if (take) a = points[i];
  }
  best = near * near;
  bool has_b = false;
  for (int i = 0; i < kClipPoints; ++i) {
    const float du = points[i].u - a.u, dv = points[i].v - a.v, distance = du * du + dv * dv;
    const bool take = points[i].separation < kNoPoint && distance > best;
    best = take ? kClearlyMore * distance : best;
    if (take) b = points[i];
    has_b = has_b || take;
  }
  const ClipPoint across = nearest_to(points, 2.0f * middle.u - a.u, 2.0f * middle.v - a.v);
  const float across_u = across.u - a.u, across_v = across.v - a.v;
  if (kAsGood * (across_u * across_u + across_v * across_v) > best) b = across;
  const float bu = b.u - a.u, bv = b.v - a.v;
  const float thin = near * square_root(bu * bu + bv * bv);  // [m^2] twice the area of a triangle that is a line
  best = thin;
  float side = 1.0f;
  bool has_c = false;
  for (int i = 0; i < kClipPoints; ++i) {
    const float area = cross2(bu, bv, points[i].u - a.u, points[i].v - a.v);
    const bool take = has_b && points[i].separation < kNoPoint && abs_of(area) > best;
    best = take ? kClearlyMore * abs_of(area) : best;
    side = take ? sign_of(area) : side;
    if (take) c = points[i];
    has_c = has_c || take;
  }
  const auto area_with = [&](const ClipPoint& p) {
    const float beyond_ab = -side * cross2(bu, bv, p.u - a.u, p.v - a.v);
    const float beyond_bc = -side * cross2(c.u - b.u, c.v - b.v, p.u - b.u, p.v - b.v);
    const float beyond_ca = -side * cross2(a.u - c.u, a.v - c.v, p.u - c.u, p.v - c.v);
    return max_of(beyond_ab, max_of(beyond_bc, beyond_ca));
  };
  best = thin;
  bool has_d = false;
  for (int i = 0; i < kClipPoints; ++i) {
    const float area = area_with(points[i]);
    const bool take = has_c && points[i].separation < kNoPoint && area > best;
    best = take ? kClearlyMore * area : best;
    if (take) d = points[i];
    has_d = has_d || take;
  }
  const ClipPoint fourth = nearest_to(points, a.u + b.u - c.u, a.v + b.v - c.v);
  if (kAsGood * area_with(fourth) > best) d = fourth;
  return {1 + int(has_b) + int(has_c) + int(has_d), a, b, c, d};
}

/// The face of the incident box that looks most towards the reference face, clipped by its side planes. Points further
/// above the reference face than `reach` are dropped.
TALUS_INLINE ClipResult clip_face(const FacePair& f, float reach) {
  const Vec3 steep = abs_of(Vec3{f.axis0.z, f.axis1.z, f.axis2.z});
  int face = steep.y > steep.x ? 1 : 0;
  face = steep.z > component(steep, face) ? 2 : face;
  const int next = face == 2 ? 0 : face + 1, last = face == 0 ? 2 : face - 1;
  const auto axis_of = [&](int i) { return i == 0 ? f.axis0 : i == 1 ? f.axis1 : f.axis2; };
  const Vec3 normal = axis_of(face);
  const float face_sign = normal.z > 0.0f ? -1.0f : 1.0f;
  const Vec3 centre = f.centre + (face_sign * component(f.half, face)) * normal;
  const Vec3 e1 = component(f.half, next) * axis_of(next), e2 = component(f.half, last) * axis_of(last);
  // The incident face as a height over u and v. The face chosen is inclined by less than 55 degrees.
  const float slope_u = -normal.x / normal.z, slope_v = -normal.y / normal.z;
  const float half_u = f.half_u + f.slop, half_v = f.half_v + f.slop;

  ClipPoint points[kClipPoints];
  const auto put = [&](ClipPoint& point, bool exists, float u, float v, std::uint32_t feature) {
    point.u = clamp_to(u, -f.half_u, f.half_u);
    point.v = clamp_to(v, -f.half_v, f.half_v);
    const float z = centre.z + slope_u * (point.u - centre.x) + slope_v * (point.v - centre.y);
    const float separation = z - f.height;
    point.separation = exists && separation <= reach ? separation : kNoPoint;
    point.feature = feature;
  };

  const std::uint32_t face_bit = face_sign > 0.0f ? 1u << face : 0u;
  for (int k = 0; k < 4; ++k) {
    // Corners of the incident face go round: (-,-), (+,-), (+,+), (-,+) along e1 and e2; edge k starts at corner k.
    const float s1 = k == 1 || k == 2 ? 1.0f : -1.0f, s2 = k >= 2 ? 1.0f : -1.0f;
    const float turn = k >= 2 ? -1.0f : 1.0f;
    const bool along_e1 = (k & 1) == 0;
    const float u = centre.x + s1 * e1.x + s2 * e2.x, v = centre.y + s1 * e1.y + s2 * e2.y;
    const float du = (2.0f * turn) * (along_e1 ? e1.x : e2.x), dv = (2.0f * turn) * (along_e1 ? e1.y : e2.y);
    const bool starts_inside = abs_of(u) <= half_u && abs_of(v) <= half_v;
    const bool ends_inside = abs_of(u + du) <= half_u && abs_of(v + dv) <= half_v;
    const Interval in_u = within_slab(u, du, half_u), in_v = within_slab(v, dv, half_v);
    const float enter = max_of(in_u.first, in_v.first), leave = min_of(in_u.last, in_v.last);
    const bool crosses = starts_inside || ends_inside || (enter < leave && enter > 0.0f && leave < 1.0f);
    // Side planes: 0 at -u, 1 at +u, 2 at -v, 3 at +v.
    const std::uint32_t enter_side = in_u.first >= in_v.first ? (du > 0.0f ? 0u : 1u) : (dv > 0.0f ? 2u : 3u);
    const std::uint32_t leave_side = in_u.last <= in_v.last ? (du > 0.0f ? 1u : 0u) : (dv > 0.0f ? 3u : 2u);
    const std::uint32_t corner = face_bit | (s1 > 0.0f ? 1u << next : 0u) | (s2 > 0.0f ? 1u << last : 0u);
    const int edge_axis = along_e1 ? next : last;
    const std::uint32_t edge = std::uint32_t(8 * edge_axis) | (corner & ~(1u << edge_axis));
    const float t0 = starts_inside ? 0.0f : clamp_to(enter, 0.0f, 1.0f), t1 = clamp_to(leave, 0.0f, 1.0f);
    const std::uint32_t enter_feature = kKindCrossing | (edge | enter_side << 5) << kDetailShift;
    const std::uint32_t leave_feature = kKindCrossing | (edge | leave_side << 5) << kDetailShift;
    put(points[2 * k], crosses, u + t0 * du, v + t0 * dv,
        starts_inside ? kKindCorner | corner << kDetailShift : enter_feature);
    put(points[2 * k + 1], crosses && !ends_inside, u + t1 * du, v + t1 * dv, leave_feature);
  }
  // Corners of the reference face under the incident one. A hair too many does no harm: the reduction merges them.
  const float area = 1.000001f * abs_of(cross2(e1.x, e1.y, e2.x, e2.y));
  for (int k = 0; k < 4; ++k) {
    const float u = (k & 1) != 0 ? half_u : -half_u, v = (k & 2) != 0 ? half_v : -half_v;
    const float ru = u - centre.x, rv = v - centre.y;
    const bool covered = abs_of(cross2(ru, rv, e2.x, e2.y)) <= area && abs_of(cross2(e1.x, e1.y, ru, rv)) <= area;
    put(points[8 + k], covered, u, v, kKindCovered | std::uint32_t(k) << kDetailShift);
  }
  return reduce_points(points, f.slop);
}

}  // namespace talus::inline TALUS_ISA
