// SPDX-License-Identifier: MIT
// Stable least-significant-digit radix sort of 32-bit keys with 32-bit values, 8 bits a pass. Each pass counts digits
// chunk by chunk, turns the counts into first places (digit by digit, within a digit chunk by chunk, which is what
// makes it stable wherever the chunks are cut), and moves. Passes in which all keys have one digit are skipped.
#pragma once
#include <cstdint>
#include <cstring>

#include <talus/config.h>
#include <talus/types.h>

namespace talus::inline TALUS_ISA {

constexpr int kRadixBits = 8;
constexpr int kRadix = 1 << kRadixBits;

/// The result is in keys and values; the spares are of the same size.
struct RadixBuffers {
  std::uint32_t* keys;
  std::uint32_t* values;
  std::uint32_t* spare_keys;
  std::uint32_t* spare_values;
};

constexpr Index kShortSort = 32;  // elements up to which inserting one after another is faster: counts take longer

/// Stable, by the bits of a mask.
inline void insertion_sort(std::uint32_t* keys, std::uint32_t* values, Index size, std::uint32_t mask) {
  for (Index i = 1; i < size; ++i) {
    const std::uint32_t key = keys[i], value = values[i];
    Index to = i;
    for (; to > 0 && (keys[to - 1] & mask) > (key & mask); --to) {
      keys[to] = keys[to - 1];
      values[to] = values[to - 1];
    }
    keys[to] = key;
    values[to] = value;
  }
}

/// Sorts `size` elements by the low `bits` bits of their keys. `parallel(n, f)` calls f(c) for c in [0, n), in any
/// order and at the same time; `chunk` is how many elements one call works on. `counts` has room for kRadix numbers a
/// chunk.
template <class Parallel>
void radix_sort(const RadixBuffers& buffers, Index size, int bits, Index chunk, Index* counts,
                const Parallel& parallel) {
  if (size <= kShortSort) {
    insertion_sort(buffers.keys, buffers.values, size, bits < 32 ? (1u << bits) - 1u : 0xffffffffu);
    return;
  }
  const int chunks = int((size + chunk - 1) / chunk);
  const auto last_of = [=](int c) { return size - c * chunk < chunk ? size : (c + 1) * chunk; };
  // Bits in which some keys differ.
  parallel(chunks, [&](int c) {
    std::uint32_t differ = 0;
    const std::uint32_t* keys = buffers.keys;
    for (Index i = c * chunk; i < last_of(c); ++i) differ |= keys[i] ^ keys[0];
    counts[c] = Index(differ);
  });
  std::uint32_t differ = 0;
  for (int c = 0; c < chunks; ++c) differ |= std::uint32_t(counts[c]);
  RadixBuffers b = buffers;
  for (int shift = 0; shift < bits; shift += kRadixBits) {
    const int width = bits - shift < kRadixBits ? bits - shift : kRadixBits;
    const std::uint32_t mask = (1u << width) - 1u;
    if (((differ >> shift) & mask) == 0) continue;
    parallel(chunks, [&](int c) {
      Index* count = counts + std::ptrdiff_t(c) * kRadix;
      std::memset(count, 0, sizeof(Index) * (mask + 1u));
      const std::uint32_t* keys = b.keys;
      for (Index i = c * chunk; i < last_of(c); ++i) ++count[(keys[i] >> shift) & mask];
    });
    Index place = 0;
    for (int digit = 0; digit <= int(mask); ++digit) {
      for (int c = 0; c < chunks; ++c) {
        Index& count = counts[std::ptrdiff_t(c) * kRadix + digit];
        const Index here = count;
        count = place;
        place += here;
      }
    }
    parallel(chunks, [&](int c) {
      Index* next = counts + std::ptrdiff_t(c) * kRadix;
      const RadixBuffers local = b;
      for (Index i = c * chunk; i < last_of(c); ++i) {
        const std::uint32_t key = local.keys[i];
        const Index to = next[(key >> shift) & mask]++;
        local.spare_keys[to] = key;
        local.spare_values[to] = local.values[i];
      }
    });
    b = {b.spare_keys, b.spare_values, b.keys, b.values};
  }
  if (b.keys == buffers.keys) return;
  parallel(chunks, [&](int c) {
    const std::size_t bytes = sizeof(std::uint32_t) * std::size_t(last_of(c) - c * chunk);
    std::memcpy(buffers.keys + c * chunk, b.keys + c * chunk, bytes);
    std::memcpy(buffers.values + c * chunk, b.values + c * chunk, bytes);
  });
}

}  // namespace talus::inline TALUS_ISA
