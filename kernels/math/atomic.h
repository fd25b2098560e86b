// SPDX-License-Identifier: MIT
// Integer atomics. Only operations whose result does not depend on the order of arrival may decide anything: sums,
// minima, maxima and unions. The values that atomic_add and atomic_exchange return do depend on it, so what they place
// must be sorted afterwards, or be a set.
#pragma once
#include <cstdint>

#include <talus/config.h>
#include <talus/types.h>

namespace talus::inline TALUS_ISA {

/// Adds and returns the value before.
TALUS_INLINE Index atomic_add(Index* target, Index value) {
#if TALUS_ON_DEVICE
  return atomicAdd(target, value);
#else
  return __atomic_fetch_add(target, value, __ATOMIC_RELAXED);
#endif
}
TALUS_INLINE void atomic_add(std::int64_t* target, std::int64_t value) {
#if TALUS_ON_DEVICE
  atomicAdd(reinterpret_cast<unsigned long long*>(target), static_cast<unsigned long long>(value));
#else
  __atomic_fetch_add(target, value, __ATOMIC_RELAXED);
#endif
}
/// What is there now, while others write. T: a word.
template <class T>
TALUS_INLINE T atomic_load(const T* from) {
#if TALUS_ON_DEVICE
  return *const_cast<const volatile T*>(from);
#else
  return __atomic_load_n(from, __ATOMIC_RELAXED);
#endif
}
template <class T>
TALUS_INLINE void atomic_store(T* to, T value) {
#if TALUS_ON_DEVICE
  *const_cast<volatile T*>(to) = value;
#else
  __atomic_store(to, &value, __ATOMIC_RELAXED);
#endif
}
/// Puts `value` there and returns what was there.
TALUS_INLINE Index atomic_exchange(Index* target, Index value) {
#if TALUS_ON_DEVICE
  return atomicExch(target, value);
#else
  return __atomic_exchange_n(target, value, __ATOMIC_RELAXED);
#endif
}
/// Replaces `expected` by `value`, unless another value is there. Returns what was there.
TALUS_INLINE Index atomic_compare_exchange(Index* target, Index expected, Index value) {
#if TALUS_ON_DEVICE
  return atomicCAS(target, expected, value);
#else
  __atomic_compare_exchange_n(target, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
#endif
}
TALUS_INLINE void atomic_or(std::uint32_t* target, std::uint32_t bits) {
#if TALUS_ON_DEVICE
  atomicOr(target, bits);
#else
  __atomic_fetch_or(target, bits, __ATOMIC_RELAXED);
#endif
}
TALUS_INLINE void atomic_max(std::uint32_t* target, std::uint32_t value) {
#if TALUS_ON_DEVICE
  atomicMax(target, value);
#else
  std::uint32_t seen = __atomic_load_n(target, __ATOMIC_RELAXED);
  while (seen < value && !__atomic_compare_exchange_n(target, &seen, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
#endif
}
TALUS_INLINE void atomic_min(Index* target, Index value) {
#if TALUS_ON_DEVICE
  atomicMin(target, value);
#else
  Index seen = __atomic_load_n(target, __ATOMIC_RELAXED);
  while (seen > value && !__atomic_compare_exchange_n(target, &seen, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
#endif
}
TALUS_INLINE void atomic_min(std::uint64_t* target, std::uint64_t value) {
#if TALUS_ON_DEVICE
  atomicMin(reinterpret_cast<unsigned long long*>(target), static_cast<unsigned long long>(value));
#else
  std::uint64_t seen = __atomic_load_n(target, __ATOMIC_RELAXED);
  while (seen > value && !__atomic_compare_exchange_n(target, &seen, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
#endif
}

}  // namespace talus::inline TALUS_ISA
