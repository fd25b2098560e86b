// SPDX-License-Identifier: MIT
// What a collision test gives: up to four points on one plane of contact.
#pragma once
#include <cstdint>

#include <talus/config.h>
#include <talus/types.h>

namespace talus {

constexpr int kMaxPoints = 4;

/// One place where two surfaces are near. The two surface points differ by separation along the normal.
struct ManifoldPoint {
  Vec3 on_a;              // [m] on the surface of A, relative to the centre of A, world axes
  Vec3 on_b;              // [m] on the surface of B, relative to the centre of B, world axes
  float separation;       // [m] along the normal; negative: penetration
  std::uint32_t feature;  // names the touching features; stable while they touch, distinct within a manifold
};

/// Contact of one pair. The unit normal points from A to B. Empty if the shapes are further apart than asked for.
struct Manifold {
  Vec3 normal;
  int count = 0;
  ManifoldPoint points[kMaxPoints];
  bool fleeting = false;  // another axis may count as soon as the bodies move: it is not recycled then
  bool borne = false;     // not of the nearest features, but of a face that bears
};

constexpr float kAtRims = 0.5f;  // see BoxAxes::face

/// Of two boxes: the face axis and the edge axis along which they are furthest apart. Found for many pairs at once.
struct alignas(16) BoxAxes {
  float face_separation;  // [m]
  float face;             // 0..2 of A, 3..5 of B; plus kAtRims if they may touch along another axis, too
  float edge_separation;  // [m]
  float edge;             // 3 axis of A + axis of B, or -1
  TALUS_HD bool at_rims() const { return face != float(int(face)); }
};

/// A shape in place. `size` is that of ShapeDef, `offset` the position of the body relative to a common origin.
struct PlacedShape {
  Vec3 size;
  Vec3 position;     // [m]
  Quat orientation;  // body to world
};

}  // namespace talus
