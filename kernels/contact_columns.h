// SPDX-License-Identifier: MIT
// The contact cache (State: a record for each near pair, with its manifold and impulses, kept for the next step).
// Records, not columns: every kernel reaches contacts in another order than they lie in (by shapes, by color, from the
// pair of the step before), so a field of its own would cost a cache line a field.
#pragma once
#include <talus/column.h>

#include "pairs.h"
#include "shapes/manifold.h"

namespace talus {

constexpr std::uint32_t kNoColor = 0xffu;

/// A point of a contact. 32 bytes.
struct alignas(32) CachedPoint {
  float separation;       // [m] at the start of the step
  Vec3 on_a;              // [m] on the surface of A, from its centre, world frame, when the manifold was made
  Vec3 on_b;              // [m] same of B
  std::uint32_t feature;  // ManifoldPoint::feature
};

/// The contact of a pair: A is its owner. Points beyond `count`, and all but `count` of a contact without points, are
/// left over from earlier steps: they mean nothing and belong to no hash. 224 bytes, of which a pair with a sphere,
/// that never has more than one point, has the first 96: see ContactRecords.
struct alignas(32) CachedContact {
  Vec3 normal;          // from A to B, world frame
  float count;          // points, 0..4; a float, as the solver's lanes compute with it
  Vec3 made_between;    // [m] from A to B, world frame; this and the other made_: of two points or more, when made
  std::uint32_t color;  // of the contact graph, kOverflowColor or kNoColor

  Vec3 friction;              // [N s] on B, world frame: carried as a vector, since the tangents may jump
  float twist;                // [N m s] on B about the normal
  float impulse[kMaxPoints];  // [N s] normal impulse of the last sub-step, >= 0

  CachedPoint point[kMaxPoints];

  Quat made_a, made_b;  // orientations: see RecyclePairs
};
static_assert(sizeof(CachedContact) == 224);

// Where its parts begin, in units of 32 bytes.
constexpr int kHeaderUnit = 0;   // normal, count, made_between, color
constexpr int kImpulseUnit = 1;  // friction, twist, impulse
constexpr int kPointUnit = 2;    // the first point
constexpr int kMadeUnit = 6;     // made_a, made_b
constexpr int kRecordUnits = 7;  // of a whole record
static_assert(sizeof(CachedContact) == 32 * kRecordUnits);

/// Points that a pair may have: a ball touches a convex shape once.
constexpr int max_points(ShapeType a, ShapeType b) {
  return a == ShapeType::sphere || b == ShapeType::sphere ? 1 : kMaxPoints;
}
/// Units of its record.
constexpr Index record_units(ShapeType a, ShapeType b) {
  return max_points(a, b) == 1 ? kPointUnit + 1 : kRecordUnits;
}

struct alignas(32) ContactUnit {
  float word[8];
};

/// Records of contacts, one after another: whole ones, and short ones that end after the first point.
struct ContactRecords {
  ContactUnit* units = nullptr;
  Index size = 0;       // units of all records at most; a whole record more can be read
  Column<Index> place;  // of each pair: the first unit of its record
  bool operator==(const ContactRecords&) const = default;

  TALUS_INLINE CachedContact& operator[](Index pair) const {
    TALUS_ASSERT(place[pair] >= 0 && place[pair] < size);
    return *reinterpret_cast<CachedContact*>(units + place[pair]);
  }
};

/// What a contact resisted rolling with, in worlds with StepShape::surfaces. 16 bytes.
struct alignas(16) RollingImpulse {
  Vec3 impulse;  // [N m s] on B, world frame, of the last sub-step; zero: none
  float unused;
};

/// The pairs of one step with their contacts, row for row.
struct ContactCache {
  PairList pairs;
  ContactRecords contacts;
  Column<RollingImpulse> rolling;  // empty unless used
  bool operator==(const ContactCache&) const = default;
};

}  // namespace talus

namespace talus::inline TALUS_ISA {

/// Row of a pair in the last cache, or -1. An owner has few partners, in ascending order.
TALUS_INLINE Index find_last_row(const ContactCache& last, Index cached_rows, Index a, Index b) {
  if (a >= cached_rows) return -1;
  const Index end = last.pairs.begin[a + 1];
  for (Index row = last.pairs.begin[a]; row < end; ++row) {
    if (last.pairs.partner[row] == b) return row;
  }
  return -1;
}

}  // namespace talus::inline TALUS_ISA
