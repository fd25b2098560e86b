// SPDX-License-Identifier: MIT
// Box against box: fifteen separating axes, then a clipped face or a pair of edges.
// S1-34 to S1-36 (course 2.1.3) with errata E9 to E12; S0-96 (STAR 6.2). Faces win over edges and earlier faces over
// later ones by a margin, so that the reference does not flip (parallel-engine 8.1).
#pragma once
#include "math/vec3.h"
#include "shapes/append.h"
#include "shapes/face_clip.h"
#include "shapes/manifold.h"
#include "shapes/motion.h"

namespace talus::inline TALUS_ISA {

/// Two boxes seen from each other.
template <class Real>
struct BoxPairOf {
  Mat3Of<Real> axes_a, axes_b;  // body to world
  Vec3Of<Real> half_a, half_b;  // [m]
  Vec3Of<Real> d;               // [m] from A to B, world axes
  Vec3Of<Real> d_a, d_b;        // [m] the same in the frames of A and B
  Mat3Of<Real> cosine;          // row i, column j: axis i of A times axis j of B
};
using BoxPair = BoxPairOf<float>;

template <class Real>
TALUS_INLINE BoxPairOf<Real> box_pair(Vec3Of<Real> half_a, QuatOf<Real> orientation_a, Vec3Of<Real> half_b,
                                      QuatOf<Real> orientation_b, Vec3Of<Real> d) {
  BoxPairOf<Real> p;
  p.axes_a = matrix_of(orientation_a);
  p.axes_b = matrix_of(orientation_b);
  p.half_a = half_a;
  p.half_b = half_b;
  p.d = d;
  p.d_a = transposed_times(p.axes_a, d);
  p.d_b = transposed_times(p.axes_b, d);
  p.cosine = {transposed_times(p.axes_b, column_of(p.axes_a, 0)), transposed_times(p.axes_b, column_of(p.axes_a, 1)),
              transposed_times(p.axes_b, column_of(p.axes_a, 2))};
  return p;
}
TALUS_INLINE BoxPair box_pair(const PlacedShape& a, const PlacedShape& b) {
  return box_pair(a.size, a.orientation, b.size, b.orientation, b.position - a.position);
}

/// [m] Along the three face axes of A.
template <class Real>
TALUS_INLINE Vec3Of<Real> face_separations_a(const BoxPairOf<Real>& p) {
  const Mat3Of<Real> c{abs_of(p.cosine.row0), abs_of(p.cosine.row1), abs_of(p.cosine.row2)};
  return abs_of(p.d_a) - (p.half_a + c * p.half_b);
}
/// [m] Along the three face axes of B.
template <class Real>
TALUS_INLINE Vec3Of<Real> face_separations_b(const BoxPairOf<Real>& p) {
  const Mat3Of<Real> c{abs_of(p.cosine.row0), abs_of(p.cosine.row1), abs_of(p.cosine.row2)};
  return abs_of(p.d_b) - (p.half_b + transposed_times(c, p.half_a));
}

/// An axis and how far it parts the boxes.
template <class Real>
struct BestAxisOf {
  Real separation;  // [m]
  Real index;       // faces: 0..2 of A, 3..5 of B; edges: 3 axis of A + axis of B, or -1
};
using BestAxis = BestAxisOf<float>;
template <class Real>
TALUS_INLINE void prefer_clearly(BestAxisOf<Real>& best, Real separation, int index, Real margin) {
  const Mask<Real> take = separation > best.separation + margin;
  best.separation = select(take, separation, best.separation);
  best.index = select(take, Real(float(index)), best.index);
}

/// The face axis along which the boxes are furthest apart.
template <class Real>
TALUS_INLINE BestAxisOf<Real> best_face_axis(const BoxPairOf<Real>& p, Real margin) {
  const Vec3Of<Real> of_a = face_separations_a(p), of_b = face_separations_b(p);
  BestAxisOf<Real> best{of_a.x, Real(0.0f)};
  prefer_clearly(best, of_a.y, 1, margin);
  prefer_clearly(best, of_a.z, 2, margin);
  prefer_clearly(best, of_b.x, 3, margin);
  prefer_clearly(best, of_b.y, 4, margin);
  prefer_clearly(best, of_b.z, 5, margin);
  return best;
}

/// The edge axis along which the boxes are furthest apart. Axes are normalised (E10); pairs of edges within 0.06
/// degrees of parallel are skipped: their faces part them as well.
template <class Real>
TALUS_INLINE BestAxisOf<Real> best_edge_axis(const BoxPairOf<Real>& p, Real margin) {
  const Real none(-1e30f), one(1.0f);
  BestAxisOf<Real> best{none, Real(-1.0f)};
  TALUS_UNROLL
  for (int i = 0; i < 3; ++i) {
    const int i1 = i == 2 ? 0 : i + 1, i2 = i == 0 ? 2 : i - 1;
    const auto row_of = [&](int k) { return k == 0 ? p.cosine.row0 : k == 1 ? p.cosine.row1 : p.cosine.row2; };
    const Vec3Of<Real> row = row_of(i), row1 = row_of(i1), row2 = row_of(i2);
    TALUS_UNROLL
    for (int j = 0; j < 3; ++j) {
      const int j1 = j == 2 ? 0 : j + 1, j2 = j == 0 ? 2 : j - 1;
      const Real c1 = component(row1, j), c2 = component(row2, j);
      const Real sine_squared = c1 * c1 + c2 * c2;
      const Real apart = abs_of(component(p.d_a, i2) * c1 - component(p.d_a, i1) * c2);
      const Real reach_a = component(p.half_a, i1) * abs_of(c2) + component(p.half_a, i2) * abs_of(c1);
      const Real reach_b =
          component(p.half_b, j1) * abs_of(component(row, j2)) + component(p.half_b, j2) * abs_of(component(row, j1));
      const Mask<Real> crossing = sine_squared > Real(1e-6f);
      const Real scale = one / square_root(select(crossing, sine_squared, one));
      prefer_clearly(best, select(crossing, scale * (apart - (reach_a + reach_b)), none), 3 * i + j, margin);
    }
  }
  return best;
}

/// [m] 5 mm for boxes of 1 m: an edge must be better than a face by this much, and an axis better than one before it
/// by a fiftieth.
template <class Real>
struct AxisMargins {
  Real edge, axis;
};
template <class Real>
TALUS_INLINE AxisMargins<Real> axis_margins(Vec3Of<Real> half_a, Vec3Of<Real> half_b) {
  const Real edge = edge_margin(min_of(smallest_of(half_a), smallest_of(half_b)));
  return {edge, Real(0.02f) * edge};
}

TALUS_INLINE BoxAxes best_axes(const PlacedShape& a, const PlacedShape& b) {
  const BoxPair p = box_pair(a, b);
  const float margin = axis_margins(a.size, b.size).axis;
  const BestAxis face = best_face_axis(p, margin), edge = best_edge_axis(p, margin);
  return {face.separation, face.index, edge.separation, edge.index};
}

/// One point between the edges that the axis touches. S1-35. `inside` tells whether the lines of the edges come closest
/// within the edges, as they do if no other axis is better.
TALUS_INLINE Manifold edge_contact(const BoxPair& p, BestAxis axis, bool& inside) {
  const int index = int(axis.index), i = index >= 6 ? 2 : index >= 3 ? 1 : 0, j = index - 3 * i;
  const Vec3 edge_a = column_of(p.axes_a, i), edge_b = column_of(p.axes_b, j);
  const Vec3 across = cross(edge_a, edge_b);
  const float sine_squared = max_of(length_squared(across), 1e-12f);
  const Vec3 normal = (sign_of(dot(across, p.d)) / square_root(sine_squared)) * across;  // E11
  // The edge of A furthest along the normal, that of B furthest against it; along the edge itself the middle.
  const Vec3 n_a = transposed_times(p.axes_a, normal), n_b = transposed_times(p.axes_b, normal);
  const Vec3 sign_a{i == 0 ? 0.0f : sign_of(n_a.x), i == 1 ? 0.0f : sign_of(n_a.y), i == 2 ? 0.0f : sign_of(n_a.z)};
  const Vec3 sign_b{j == 0 ? 0.0f : -sign_of(n_b.x), j == 1 ? 0.0f : -sign_of(n_b.y), j == 2 ? 0.0f : -sign_of(n_b.z)};
  const Vec3 middle_a = p.axes_a * scale(sign_a, p.half_a), middle_b = p.axes_b * scale(sign_b, p.half_b);
  const Vec3 r = p.d + middle_b - middle_a;
  const float cosine = dot(edge_a, edge_b), along_a = dot(r, edge_a), along_b = dot(r, edge_b);
  const float half_a = component(p.half_a, i), half_b = component(p.half_b, j);
  const float on_edge_a = (along_a - cosine * along_b) / sine_squared;
  const float on_edge_b = (cosine * along_a - along_b) / sine_squared;
  inside = abs_of(on_edge_a) <= 1.001f * half_a && abs_of(on_edge_b) <= 1.001f * half_b;

  const auto corner_bits = [](Vec3 sign) {
    return (sign.x > 0.0f ? 1u : 0u) | (sign.y > 0.0f ? 2u : 0u) | (sign.z > 0.0f ? 4u : 0u);
  };
  const std::uint32_t code_a = std::uint32_t(8 * i) | corner_bits(sign_a);
  const std::uint32_t code_b = std::uint32_t(8 * j) | corner_bits(sign_b);
  const Vec3 on_a = middle_a + clamp_to(on_edge_a, -half_a, half_a) * edge_a;
  Manifold manifold = one_point(normal, on_a, (on_a - p.d) + axis.separation * normal, axis.separation);
  manifold.points[0].feature = kKindEdges | (code_a | code_b << 5) << kDetailShift;
  return manifold;
}

/// Up to four points where the face of the axis meets the other box.
TALUS_INLINE Manifold face_contact(const BoxPair& p, int axis, float slop, float reach) {
  const bool of_a = axis < 3;
  const int w = of_a ? axis : axis - 3, u = w == 2 ? 0 : w + 1, v = w == 0 ? 2 : w - 1;
  const Vec3 half = of_a ? p.half_a : p.half_b;
  const Vec3 to_incident = of_a ? p.d_a : -p.d_b;
  const float side = sign_of(component(to_incident, w));
  const Mat3 reference_axes = of_a ? p.axes_a : p.axes_b;
  // The incident axis k, seen along the axes of the reference: column k of the cosines, or row k.
  const auto incident_axis = [&](int k) {
    const Vec3 row = k == 0 ? p.cosine.row0 : k == 1 ? p.cosine.row1 : p.cosine.row2;
    const Vec3 seen = of_a ? column_of(p.cosine, k) : row;
    return Vec3{component(seen, u), component(seen, v), side * component(seen, w)};
  };
  FacePair f;
  f.half_u = component(half, u);
  f.half_v = component(half, v);
  f.height = component(half, w);
  f.centre = {component(to_incident, u), component(to_incident, v), side * component(to_incident, w)};
  f.axis0 = incident_axis(0);
  f.axis1 = incident_axis(1);
  f.axis2 = incident_axis(2);
  f.half = of_a ? p.half_b : p.half_a;
  f.slop = slop;
  const ClipResult clip = clip_face(f, reach);

  const Vec3 outward = side * column_of(reference_axes, w);
  const Vec3 axis_u = column_of(reference_axes, u), axis_v = column_of(reference_axes, v);
  const Vec3 top = f.height * outward;
  const Vec3 d = of_a ? p.d : -p.d;
  const std::uint32_t reference = std::uint32_t(2 * w) | (side > 0.0f ? 1u : 0u) | (of_a ? 0u : 8u);
  const auto world_point = [&](const ClipPoint& point) {
    const Vec3 on_reference = point.u * axis_u + point.v * axis_v + top;
    const Vec3 on_incident = (on_reference - d) + point.separation * outward;
    return ManifoldPoint{of_a ? on_reference : on_incident, of_a ? on_incident : on_reference, point.separation,
                         reference | point.feature};
  };
  Manifold manifold{};
  manifold.normal = of_a ? outward : -outward;  // E11
  manifold.count = clip.count;
  manifold.points[0] = world_point(clip.point0);
  manifold.points[1] = world_point(clip.point1);
  manifold.points[2] = world_point(clip.point2);
  manifold.points[3] = world_point(clip.point3);
  return manifold;
}

/// One point between boxes that are apart without facing each other: corner to corner or edge to edge. The closest
/// points are approached by going to and fro between the boxes with growing momentum, which errs to the far side.
/// `otherwise` is a separating axis.
TALUS_INLINE Manifold apart_contact(const BoxPair& p, Vec3 otherwise, float reach) {
  constexpr int kRounds = 12;
  Vec3 on_a{0.0f, 0.0f, 0.0f}, on_b{0.0f, 0.0f, 0.0f}, ahead = on_b;
  for (int round = 0; round < kRounds; ++round) {
    on_a = p.axes_a * clamp_each(transposed_times(p.axes_a, p.d + ahead), p.half_a);
    const Vec3 before = on_b;
    on_b = p.axes_b * clamp_each(transposed_times(p.axes_b, on_a - p.d), p.half_b);
    ahead = on_b + (float(round) / float(round + 3)) * (on_b - before);
  }
  const Vec3 between = p.d + on_b - on_a;
  const float distance = length(between);
  if (!(distance <= reach)) return Manifold{};
  const Vec3 normal = distance > 1e-5f ? (1.0f / distance) * between : otherwise;
  Manifold manifold = one_point(normal, on_a, on_b, distance);
  manifold.points[0].feature = kFeatureApart;
  return manifold;
}

/// The contact of the nearest features.
TALUS_INLINE Manifold nearest_contact(const BoxPair& p, const BoxAxes& axes, float reach) {
  const BestAxis face{axes.face_separation, axes.face}, edge{axes.edge_separation, axes.edge};
  const float smallest = min_of(smallest_of(p.half_a), smallest_of(p.half_b));
  const float margin = axis_margins(p.half_a, p.half_b).edge;
  const bool use_edge = edge.separation > face.separation + margin;
  const float separation = max_of(face.separation, edge.separation);
  Manifold manifold{};
  if (!use_edge) {
    manifold = face_contact(p, int(face.index), clip_slop(smallest), reach);
    // The first point is the deepest. If it is not the one that the axis found, that one is beyond the rim of the face:
    // boxes apart have their closest points there, and boxes in touch do not come here but by round-off.
    const bool beyond_rim = separation > 0.0f && manifold.points[0].separation > separation + margin;
    if (manifold.count > 0 && !beyond_rim) return manifold;
  }
  bool inside = false;
  const Manifold of_edges = edge_contact(p, edge, inside);
  if (edge.index >= 0.0f && (inside || separation <= 0.0f) && (use_edge || manifold.count == 0)) return of_edges;
  const Manifold of_rims = apart_contact(p, use_edge ? of_edges.normal : manifold.normal, reach);
  const bool nearer = manifold.count == 0 || of_rims.points[0].separation < manifold.points[0].separation;
  return of_rims.count > 0 && nearer ? of_rims : manifold;
}
constexpr float kSameWay = 0.999f;  // cosine between normals of faces that lie on each other

/// Face axis 0..2 of A or 3..5 of B, towards B.
TALUS_INLINE Vec3 face_normal(const BoxPair& p, int index) {
  const int k = index < 3 ? index : index - 3;
  const float side = sign_of(component(index < 3 ? p.d_a : p.d_b, k));
  return side * column_of(index < 3 ? p.axes_a : p.axes_b, k);
}

/// The face of the other box that lies on a face, as an axis of 0..5, or -1.
TALUS_INLINE int face_that_lies_on(const BoxPair& p, int index) {
  const Vec3 row = index == 0 ? p.cosine.row0 : index == 1 ? p.cosine.row1 : p.cosine.row2;
  const Vec3 cosine = abs_of(index < 3 ? row : column_of(p.cosine, index - 3));
  int other = cosine.y > cosine.x ? 1 : 0;
  other = cosine.z > component(cosine, other) ? 2 : other;
  return component(cosine, other) > kSameWay ? other + (index < 3 ? 3 : 0) : -1;
}
/// Of two faces that lie on each other that of the body which bears: along its own face, which leans a little, a body
/// that slides would run into the ground.
TALUS_INLINE int face_of_bearer(const BoxPair& p, int index, bool b_bears) {
  if ((index >= 3) == b_bears) return index;
  const int other = face_that_lies_on(p, index);
  return other >= 0 ? other : index;
}

/// [m] Along face axis 0..2 of A or 3..5 of B.
struct FaceGaps {
  Vec3 of_a, of_b;
  TALUS_INLINE float operator[](int index) const {
    return component(index < 3 ? of_a : of_b, index < 3 ? index : index - 3);
  }
};

/// The face that bears clearly better than the nearest features, or -1.
TALUS_INLINE int bearing_face(const BoxPair& p, const FaceGaps& gaps, const Manifold& nearest, Quat turned_a,
                              Quat turned_b, const PairMotion& m) {
  const auto time_of = [&](Vec3 normal, float gap) {
    return bearing_time(m, gap_rate(m, normal, p.half_a, turned_a, p.half_b, turned_b), gap);
  };
  int best = -1;
  const float of_nearest = time_of(nearest.normal, least_gap(nearest));
  const bool is_upright = !(abs_of(dot(nearest.normal, m.down)) > kLevel);
  float longest = 0.0f;
  for (int i = 0; i < 6; ++i) {
    if (!(abs_of(gaps[i]) <= m.overlap)) continue;
    const Vec3 normal = face_normal(p, i);
    const bool lies = is_upright && abs_of(dot(normal, m.down)) > kLevel && face_that_lies_on(p, i) >= 0;
    const float time = time_of(normal, gaps[i]), needed = (lies ? kLiesBetter : kBearsBetter) * of_nearest;
    if (!(time > 1.01f * max_of(longest, needed))) continue;
    longest = time;
    best = i;
  }
  return best;
}

TALUS_HD inline Manifold collide_box_box(const PlacedShape& a, const PlacedShape& b, const BoxAxes& axes, float reach,
                                         Bearer bearer = Bearer::none) {
  if (!(axes.face_separation <= reach && axes.edge_separation <= reach)) return Manifold{};
  const BoxPair p = box_pair(a, b);
  BoxAxes chosen = axes;
  if (bearer != Bearer::none) chosen.face = float(face_of_bearer(p, int(axes.face), bearer == Bearer::b));
  return nearest_contact(p, chosen, reach);
}
TALUS_HD inline Manifold collide_box_box(const PlacedShape& a, const PlacedShape& b, float reach) {
  return collide_box_box(a, b, best_axes(a, b), reach);
}

/// What slides over a seam stands on the next box before the side of that one can stop it. `nearest`: contact of the
/// nearest features. `motion_of()` gives the PairMotion; most pairs do not need it.
template <class MotionOf>
TALUS_HD inline Manifold bear_box_on_box(const PlacedShape& a, const PlacedShape& b, const Manifold& nearest,
                                         float reach, const MotionOf& motion_of) {
  const BoxPair p = box_pair(a, b);
  const FaceGaps gaps{face_separations_a(p), face_separations_b(p)};
  const float smallest = min_of(smallest_of(a.size), smallest_of(b.size));
  const auto is_another = [&](int i) { return !(abs_of(dot(face_normal(p, i), nearest.normal)) > kSameWay); };
  const auto touches_another = [&](float overlap) {
    bool any = false;
    for (int i = 0; i < 6; ++i) any |= abs_of(gaps[i]) <= overlap && is_another(i);
    return any;
  };
  if (!touches_another(kMostOverlap * 2.0f * smallest)) return nearest;
  const PairMotion m = motion_of();
  if (!touches_another(m.overlap)) return nearest;
  Manifold manifold = nearest;
  manifold.fleeting = true;
  const int bearing = bearing_face(p, gaps, nearest, a.orientation, b.orientation, m);
  if (bearing < 0 || !is_another(bearing)) return manifold;
  const int face = m.has_bearer ? face_of_bearer(p, bearing, m.b_bears) : bearing;
  return borne(nearest, face_contact(p, face, clip_slop(smallest), reach));
}

}  // namespace talus::inline TALUS_ISA
