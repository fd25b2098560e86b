// SPDX-License-Identifier: MIT
// How the values of two surfaces become one contact's.
#pragma once
#include <talus/defs.h>

#include "math/scalar.h"

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

}  // namespace talus::inline TALUS_ISA
