// SPDX-License-Identifier: MIT
// A row with a number >= 0 in one word, for minima: of the least number, then of the lowest row.
#pragma once
#include <bit>
#include <cstdint>

#include <talus/types.h>

#include "math/scalar.h"

namespace talus::inline TALUS_ISA {

constexpr std::uint64_t kNobody = ~std::uint64_t(0);
TALUS_INLINE std::uint64_t ranked(float number, Index row) {
  return std::uint64_t(std::bit_cast<std::uint32_t>(number)) << 32 | std::uint32_t(row);
}
TALUS_INLINE float number_of(std::uint64_t ranked_row) {
  return std::bit_cast<float>(std::uint32_t(ranked_row >> 32));
}
TALUS_INLINE Index row_of(std::uint64_t ranked_row) {
  return Index(std::uint32_t(ranked_row));
}

}  // namespace talus::inline TALUS_ISA
