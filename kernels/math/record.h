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

/// By one thread, in any branch.
TALUS_INLINE void load_record(const float* base, std::uint32_t row, float out[8]) {
  const HalfRecord* halves = reinterpret_cast<const HalfRecord*>(base) + std::size_t(row) * 2;
  const HalfRecord low = halves[0], high = halves[1];
  for (int i = 0; i < 4; ++i) out[i] = low.v[i];
  for (int i = 0; i < 4; ++i) out[4 + i] = high.v[i];
}
/// The way back, if it is wanted.
TALUS_INLINE void store_record(float* base, std::uint32_t row, const float in[8], bool wanted) {
  if (!wanted) return;
  HalfRecord* halves = reinterpret_cast<HalfRecord*>(base) + std::size_t(row) * 2;
  halves[0] = {{in[0], in[1], in[2], in[3]}};
  halves[1] = {{in[4], in[5], in[6], in[7]}};
}

#if TALUS_ON_DEVICE

constexpr unsigned kWholeWarp = 0xffffffffu;

/// What the threads of a pair do differently is chosen by bits: of a condition the compiler would make a branch, and
/// the two would reach memory one after the other.
struct WarpPair {
  std::uint32_t odd = threadIdx.x & 1u;
  std::uint32_t mask = 0u - (threadIdx.x & 1u);  // all ones in the odd thread

  __device__ __forceinline__ std::uint32_t pick(std::uint32_t of_odd, std::uint32_t of_even) const {
    return (of_odd & mask) | (of_even & ~mask);
  }
  __device__ __forceinline__ HalfRecord pick(const HalfRecord& of_odd, const HalfRecord& of_even) const {
    HalfRecord picked;
    for (int i = 0; i < 4; ++i) {
      picked.v[i] = __uint_as_float(pick(__float_as_uint(of_odd.v[i]), __float_as_uint(of_even.v[i])));
    }
    return picked;
  }
  __device__ __forceinline__ static std::uint32_t exchange(std::uint32_t word) {
    return __shfl_xor_sync(kWholeWarp, word, 1);
  }
  __device__ __forceinline__ static HalfRecord exchange(const HalfRecord& half) {
    HalfRecord other;
    for (int i = 0; i < 4; ++i) other.v[i] = __shfl_xor_sync(kWholeWarp, half.v[i], 1);
    return other;
  }
};

/// The same by all threads of a warp, in no branch that some of them did not take.
__device__ __forceinline__ void load_record_together(const float* base, std::uint32_t row, float out[8]) {
  const HalfRecord* halves = reinterpret_cast<const HalfRecord*>(base);
  const WarpPair pair;
  const std::uint32_t other = WarpPair::exchange(row);
  const HalfRecord first = halves[std::size_t(pair.pick(other, row)) * 2 + pair.odd];   // of the even thread's record
  const HalfRecord second = halves[std::size_t(pair.pick(row, other)) * 2 + pair.odd];  // of the odd thread's
  const HalfRecord received = WarpPair::exchange(pair.pick(first, second));
  const HalfRecord low = pair.pick(received, first), high = pair.pick(second, received);
  for (int i = 0; i < 4; ++i) out[i] = low.v[i];
  for (int i = 0; i < 4; ++i) out[4 + i] = high.v[i];
}
__device__ __forceinline__ void store_record_together(float* base, std::uint32_t row, const float in[8], bool wanted) {
  constexpr std::uint32_t kNone = 0xffffffffu;
  HalfRecord* halves = reinterpret_cast<HalfRecord*>(base);
  const HalfRecord low{{in[0], in[1], in[2], in[3]}}, high{{in[4], in[5], in[6], in[7]}};
  const WarpPair pair;
  const std::uint32_t own = wanted ? row : kNone, other = WarpPair::exchange(own);
  const HalfRecord received = WarpPair::exchange(pair.pick(low, high));
  const std::uint32_t first = pair.pick(other, own), second = pair.pick(own, other);  // even thread's, odd thread's
  if (first != kNone) halves[std::size_t(first) * 2 + pair.odd] = pair.pick(received, low);
  if (second != kNone) halves[std::size_t(second) * 2 + pair.odd] = pair.pick(high, received);
}
/// Whether it holds for any thread of the warp.
__device__ __forceinline__ bool any_together(bool condition) {
  return __any_sync(kWholeWarp, condition) != 0;
}
/// What the threads of a warp stored together is seen by each of them.
__device__ __forceinline__ void see_together() {
  __syncwarp();
}

#else

TALUS_INLINE void load_record_together(const float* base, std::uint32_t row, float out[8]) {
  load_record(base, row, out);
}
TALUS_INLINE void store_record_together(float* base, std::uint32_t row, const float in[8], bool wanted) {
  store_record(base, row, in, wanted);
}
TALUS_INLINE bool any_together(bool condition) {
  return condition;
}
TALUS_INLINE void see_together() {}

#endif

}  // namespace talus::inline TALUS_ISA
