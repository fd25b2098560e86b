// SPDX-License-Identifier: MIT
// Records of eight floats, aligned to 32 bytes: a sector of a GPU's memory. A thread moves 16 bytes at a time, so by
// itself it asks for each sector twice. Where the whole warp is at it, the two threads of a pair move the record of the
// one and then that of the other, half by half, and exchange what is not their own: every access is to whole sectors.
#pragma once
#include <cstddef>
#include <cstdint>

#include <talus/config.h>

namespace talus::inline TALUS_ISA {

struct [[gnu::may_alias]] alignas(16) HalfRecord {
  float v[4];
};

#if TALUS_ON_DEVICE
constexpr unsigned kWholeWarp = 0xffffffffu;

__device__ __forceinline__ HalfRecord exchange(const HalfRecord& half) {
  HalfRecord other;
  for (int i = 0; i < 4; ++i) other.v[i] = __shfl_xor_sync(kWholeWarp, half.v[i], 1);
  return other;
}
#endif

TALUS_INLINE void load_record(const float* base, std::uint32_t row, float out[8]) {
  const HalfRecord* halves = reinterpret_cast<const HalfRecord*>(base);
  HalfRecord low, high;
#if TALUS_ON_DEVICE
  if (__activemask() == kWholeWarp) {
    const bool odd = (threadIdx.x & 1u) != 0;
    const std::uint32_t other = __shfl_xor_sync(kWholeWarp, row, 1);
    const HalfRecord first = halves[std::size_t(odd ? other : row) * 2 + odd];   // of the even thread's record
    const HalfRecord second = halves[std::size_t(odd ? row : other) * 2 + odd];  // of the odd thread's
    const HalfRecord received = exchange(odd ? first : second);
    low = odd ? received : first;
    high = odd ? second : received;
  } else
#endif
  {
    low = halves[std::size_t(row) * 2];
    high = halves[std::size_t(row) * 2 + 1];
  }
  for (int i = 0; i < 4; ++i) out[i] = low.v[i];
  for (int i = 0; i < 4; ++i) out[4 + i] = high.v[i];
}

/// Stores the record if it is wanted.
TALUS_INLINE void store_record(float* base, std::uint32_t row, const float in[8], bool wanted) {
  HalfRecord* halves = reinterpret_cast<HalfRecord*>(base);
  const HalfRecord low{{in[0], in[1], in[2], in[3]}}, high{{in[4], in[5], in[6], in[7]}};
#if TALUS_ON_DEVICE
  if (__activemask() == kWholeWarp) {
    constexpr std::uint32_t kNone = 0xffffffffu;
    const bool odd = (threadIdx.x & 1u) != 0;
    const std::uint32_t own = wanted ? row : kNone, other = __shfl_xor_sync(kWholeWarp, own, 1);
    const HalfRecord received = exchange(odd ? low : high);
    const std::uint32_t first = odd ? other : own, second = odd ? own : other;  // of the even and the odd thread
    if (first != kNone) halves[std::size_t(first) * 2 + odd] = odd ? received : low;
    if (second != kNone) halves[std::size_t(second) * 2 + odd] = odd ? high : received;
    return;
  }
#endif
  if (!wanted) return;
  halves[std::size_t(row) * 2] = low;
  halves[std::size_t(row) * 2 + 1] = high;
}

}  // namespace talus::inline TALUS_ISA
