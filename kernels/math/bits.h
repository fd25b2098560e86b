// SPDX-License-Identifier: MIT
// Bits of words.
#pragma once
#include <cstdint>

#include <talus/config.h>

namespace talus::inline TALUS_ISA {

/// Number of the lowest bit that is set; the word must not be zero.
TALUS_INLINE int lowest_bit(std::uint32_t word) {
#if TALUS_ON_DEVICE
  return __ffs(int(word)) - 1;
#else
  return __builtin_ctz(word);
#endif
}

TALUS_INLINE int bit_count(std::uint32_t word) {
#if TALUS_ON_DEVICE
  return __popc(word);
#else
  return __builtin_popcount(word);
#endif
}

}  // namespace talus::inline TALUS_ISA
