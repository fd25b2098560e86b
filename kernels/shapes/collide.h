// SPDX-License-Identifier: MIT
// Which test belongs to which pair of shapes.
#pragma once
#include <talus/defs.h>

#include "shapes/box_box.h"
#include "shapes/box_capsule.h"
#include "shapes/box_plane.h"
#include "shapes/capsule.h"
#include "shapes/manifold.h"
#include "shapes/sphere.h"
#include "shapes/sphere_box.h"

namespace talus::inline TALUS_ISA {

/// Classes of pairs, to batch pairs of one kind: sphere-sphere, sphere-box, sphere-capsule, sphere-plane, box-box,
/// box-capsule, box-plane, capsule-capsule, capsule-plane.
constexpr int kPairSphereSphere = 0;
constexpr int kPairSphereBox = 1;
constexpr int kPairSphereCapsule = 2;
constexpr int kPairSpherePlane = 3;
constexpr int kPairBoxBox = 4;
constexpr int kPairBoxCapsule = 5;
constexpr int kPairBoxPlane = 6;
constexpr int kPairCapsuleCapsule = 7;
constexpr int kPairCapsulePlane = 8;
constexpr int kPairClassCount = 9;

/// Class of a pair in either order; kPairClassCount for two planes, which never touch.
TALUS_HD inline int pair_class(ShapeType a, ShapeType b) {
  const int low = min_of(int(a), int(b)), high = max_of(int(a), int(b));
  return 4 * low - low * (low - 1) / 2 + (high - low);  // rows of 4, 3, 2 and 1 classes
}

/// The same contact seen from the other side.
TALUS_HD inline Manifold swapped(const Manifold& manifold) {
  Manifold result = manifold;
  result.normal = -manifold.normal;
  for (int i = 0; i < kMaxPoints; ++i) {
    result.points[i].on_a = manifold.points[i].on_b;
    result.points[i].on_b = manifold.points[i].on_a;
  }
  return result;
}

/// The points of A and B that are at most `reach` [m] apart, or overlap. Empty if there are none, and for two planes.
/// `box_axes` are best_axes() of two boxes, else not looked at.
TALUS_HD inline Manifold collide(ShapeType type_a, const PlacedShape& a, ShapeType type_b, const PlacedShape& b,
                                 const BoxAxes& box_axes, float reach) {
  const bool swap = type_a > type_b;
  const PlacedShape first = swap ? b : a, second = swap ? a : b;
  Manifold manifold{};
  switch (pair_class(type_a, type_b)) {
    case kPairSphereSphere:
      manifold = collide_sphere_sphere(first, second, reach);
      break;
    case kPairSphereBox:
      manifold = collide_sphere_box(first, second, reach);
      break;
    case kPairSphereCapsule:
      manifold = collide_sphere_capsule(first, second, reach);
      break;
    case kPairSpherePlane:
      manifold = collide_sphere_plane(first, second, reach);
      break;
    case kPairBoxBox:
      manifold = collide_box_box(first, second, box_axes, reach);
      break;
    case kPairBoxCapsule:
      manifold = collide_box_capsule(first, second, reach);
      break;
    case kPairBoxPlane:
      manifold = collide_box_plane(first, second, reach);
      break;
    case kPairCapsuleCapsule:
      manifold = collide_capsule_capsule(first, second, reach);
      break;
    case kPairCapsulePlane:
      manifold = collide_capsule_plane(first, second, reach);
      break;
    default:
      break;
  }
  return swap ? swapped(manifold) : manifold;
}
TALUS_HD inline Manifold collide(ShapeType type_a, const PlacedShape& a, ShapeType type_b, const PlacedShape& b,
                                 float reach) {
  const bool boxes = type_a == ShapeType::box && type_b == ShapeType::box;
  return collide(type_a, a, type_b, b, boxes ? best_axes(a, b) : BoxAxes{}, reach);
}

}  // namespace talus::inline TALUS_ISA
