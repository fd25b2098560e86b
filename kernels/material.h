// SPDX-License-Identifier: MIT
// How the values of two surfaces become one contact's.
#pragma once
#include <talus/column.h>
#include <talus/defs.h>

#include "columns.h"
#include "math/scalar.h"
#include "math/vec3.h"

namespace talus {

/// A material that is more than a coefficient of friction and a restitution. 80 bytes.
struct alignas(16) SurfaceRecord {
  float friction, dynamic_friction;       // [1]
  float friction_along, friction_across;  // [1] the grain
  float torsional_friction;               // [m]
  float rolling_friction;                 // [m]
  float restitution;                      // [1]
  std::uint32_t rules;                    // BodyModel::combine
  Vec3 grain;                             // unit, body frame; zero: none
  float friction_against;                 // [1] against the grain
  FrictionTensor tensor;                  // 1 if the material has none
  std::uint32_t has_tensor;
  float contact_hertz;  // [Hz] 0: SolverSettings::contact_hertz
  float unused[3];
};
static_assert(sizeof(SurfaceRecord) == 80);

/// MaterialPair, with numbers of materials.
struct MaterialPairRecord {
  enum Bit : std::uint32_t {
    friction = 1u << 0,
    dynamic_friction = 1u << 1,
    friction_along = 1u << 2,
    friction_across = 1u << 3,
    restitution = 1u << 4,
    torsional_friction = 1u << 5,
    rolling_friction = 1u << 6,
    contact_hertz = 1u << 7,
  };
  static constexpr int kValues = 8;
  std::uint32_t low, high;  // the two materials
  std::uint32_t given;      // which values are
  float values[kValues];    // in the order of bits
};

/// All materials of a world, in the backend's memory. Number 0 stands for what is in the columns of the body itself.
struct MaterialTable {
  Column<const SurfaceRecord> surfaces;
  Column<const MaterialPairRecord> pairs;  // ascending by low, then high
  bool operator==(const MaterialTable&) const = default;
};

// BodyModel::flags, from this bit on: number of the body's material.
constexpr int kMaterialShift = 8;
constexpr std::uint32_t kMaxMaterials = 1u << 24;

}  // namespace talus

namespace talus::inline TALUS_ISA {

/// Of two different rules the later in the list of talus::Combine wins. The order of a and b does not matter.
TALUS_HD inline float combine(Combine rule_a, Combine rule_b, float a, float b) {
  const Combine rule = rule_a < rule_b ? rule_b : rule_a;
  switch (rule) {
    case Combine::average:
      return 0.5f * (a + b);
    case Combine::geometric_mean:
      return square_root(a * b);
    case Combine::minimum:
      return min_of(a, b);
    case Combine::multiply:
      return a * b;
    default:
      return max_of(a, b);
  }
}

/// BodyModel::combine: both rules of a body in one byte.
TALUS_HD inline std::uint8_t packed_rules(Combine friction, Combine restitution) {
  return static_cast<std::uint8_t>(std::uint32_t(friction) | (std::uint32_t(restitution) << 4));
}
TALUS_HD inline Combine friction_rule(std::uint8_t packed) {
  return Combine(packed & 15u);
}
TALUS_HD inline Combine restitution_rule(std::uint8_t packed) {
  return Combine(packed >> 4);
}

/// A body's surface whatever it is made of.
TALUS_HD inline SurfaceRecord surface_of(const MaterialTable& table, std::uint32_t number, float friction,
                                         float restitution, std::uint8_t rules) {
  if (number != 0) return table.surfaces[Index(number)];
  return {friction, friction,           friction, friction, 0.0f, 0.0f, restitution,
          rules,    {0.0f, 0.0f, 0.0f}, friction, {},       0,    0.0f, {}};
}

/// What two surfaces are to each other, but for the directions of their grains.
struct ContactSurface {
  float friction;          // [1]
  float along, across;     // [1] where grains lie the same way; along: for what slides along both
  float against;           // [1] for what slides against both
  float along_a, along_b;  // [1] along the grain of one, against that of the other
  float sliding;           // [1] part of all three that is left where they slip: 0..1
  float restitution;       // [1]
  float torsion, rolling;  // [m]
  float hertz;             // [Hz] 0: SolverSettings::contact_hertz
};

/// The pair's record, or null.
TALUS_HD inline const MaterialPairRecord* find_material_pair(const MaterialTable& table, std::uint32_t a,
                                                             std::uint32_t b) {
  const std::uint32_t low = a < b ? a : b, high = a < b ? b : a;
  Index begin = 0, end = table.pairs.size;
  while (begin < end) {
    const Index middle = begin + (end - begin) / 2;
    const MaterialPairRecord& pair = table.pairs[middle];
    if (pair.low < low || (pair.low == low && pair.high < high)) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  if (begin >= table.pairs.size) return nullptr;
  const MaterialPairRecord* pair = &table.pairs[begin];
  return pair->low == low && pair->high == high ? pair : nullptr;
}

/// The pair table goes before rules (S1-20, S1-124). The order of a and b does not matter.
TALUS_HD inline ContactSurface contact_surface(const SurfaceRecord& a, const SurfaceRecord& b,
                                               const MaterialPairRecord* pair) {
  const Combine rule_a = friction_rule(std::uint8_t(a.rules)), rule_b = friction_rule(std::uint8_t(b.rules));
  ContactSurface c;
  c.friction = combine(rule_a, rule_b, a.friction, b.friction);
  c.along = combine(rule_a, rule_b, a.friction_along, b.friction_along);
  c.across = combine(rule_a, rule_b, a.friction_across, b.friction_across);
  c.against = combine(rule_a, rule_b, a.friction_against, b.friction_against);
  c.along_a = combine(rule_a, rule_b, a.friction_along, b.friction_against);
  c.along_b = combine(rule_a, rule_b, a.friction_against, b.friction_along);
  float dynamic_friction = combine(rule_a, rule_b, a.dynamic_friction, b.dynamic_friction);
  c.sliding = c.friction > 0.0f ? min_of(dynamic_friction / c.friction, 1.0f) : 1.0f;
  c.restitution = combine(restitution_rule(std::uint8_t(a.rules)), restitution_rule(std::uint8_t(b.rules)),
                          a.restitution, b.restitution);
  c.torsion = max_of(a.torsional_friction, b.torsional_friction);
  c.rolling = max_of(a.rolling_friction, b.rolling_friction);
  const bool both = a.contact_hertz > 0.0f && b.contact_hertz > 0.0f;
  c.hertz = both ? min_of(a.contact_hertz, b.contact_hertz) : max_of(a.contact_hertz, b.contact_hertz);
  if (pair == nullptr) return c;
  const std::uint32_t given = pair->given;
  const float* values = pair->values;
  using Bit = MaterialPairRecord::Bit;
  if (given & Bit::friction) c.friction = c.along = c.against = c.along_a = c.along_b = c.across = values[0];
  if (given & Bit::dynamic_friction) c.sliding = c.friction > 0.0f ? min_of(values[1] / c.friction, 1.0f) : 1.0f;
  if (given & Bit::friction_along) c.along = c.against = c.along_a = c.along_b = values[2];
  if (given & Bit::friction_across) c.across = values[3];
  if (given & Bit::restitution) c.restitution = values[4];
  if (given & Bit::torsional_friction) c.torsion = values[5];
  if (given & Bit::rolling_friction) c.rolling = values[6];
  if (given & Bit::contact_hertz) c.hertz = values[7];
  return c;
}

}  // namespace talus::inline TALUS_ISA
