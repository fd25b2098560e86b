// SPDX-License-Identifier: MIT
// The radix sort against std::stable_sort, wherever the chunks are cut and in whichever order they run.
#include "radix_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace talus {
namespace {

struct Case {
  std::vector<std::uint32_t> keys, values;
};

Case random_case(Index size, std::uint32_t mask, std::uint32_t seed) {
  std::mt19937 random(seed);
  Case c;
  for (Index i = 0; i < size; ++i) {
    c.keys.push_back(std::uint32_t(random()) & mask);
    c.values.push_back(std::uint32_t(i));
  }
  return c;
}

/// By the low bits of the key, ties in the order they came in.
Case sorted(const Case& c, int bits) {
  const std::uint32_t mask = bits == 32 ? 0xffffffffu : (1u << bits) - 1u;
  std::vector<std::size_t> order(c.keys.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return (c.keys[a] & mask) < (c.keys[b] & mask); });
  Case out;
  for (std::size_t i : order) {
    out.keys.push_back(c.keys[i]);
    out.values.push_back(c.values[i]);
  }
  return out;
}

void expect_sorts(const Case& c, int bits, Index chunk) {
  const std::size_t size = c.keys.size();
  constexpr std::uint32_t kSentinel = 0xabcdef01u;
  Case work = c;
  work.keys.push_back(kSentinel);
  work.values.push_back(kSentinel);
  std::vector<std::uint32_t> spare_keys(size + 1, kSentinel), spare_values(size + 1, kSentinel);
  const std::size_t chunks = (size + std::size_t(chunk) - 1) / std::size_t(chunk);
  std::vector<Index> counts(chunks * kRadix + 1, -7);
  const RadixBuffers buffers{work.keys.data(), work.values.data(), spare_keys.data(), spare_values.data()};
  radix_sort(buffers, Index(size), bits, chunk, counts.data(), [](int n, auto&& body) {
    for (int i = n; i-- > 0;) body(i);  // backwards: no chunk may need one before it
  });
  EXPECT_EQ(work.keys.back(), kSentinel);
  EXPECT_EQ(work.values.back(), kSentinel);
  EXPECT_EQ(spare_keys.back(), kSentinel);
  EXPECT_EQ(spare_values.back(), kSentinel);
  EXPECT_EQ(counts.back(), -7);
  work.keys.pop_back();
  work.values.pop_back();
  const Case expected = sorted(c, bits);
  EXPECT_EQ(work.keys, expected.keys) << size << " keys, " << bits << " bits, chunks of " << chunk;
  EXPECT_EQ(work.values, expected.values) << size << " keys, " << bits << " bits, chunks of " << chunk;
}

TEST(RadixSort, SortsStablyForAnySizeAndChunk) {
  for (Index size : {0, 1, 2, 31, 32, 33, 255, 256, 257, 1000, 20000}) {
    for (Index chunk : {1000000, 7, 64, 4096}) {
      if (size / chunk > 1000) continue;
      expect_sorts(random_case(size, 0xffffffffu, 1), 32, chunk);
      expect_sorts(random_case(size, 0xfu, 2), 32, chunk);
    }
  }
}

TEST(RadixSort, LooksAtTheLowBitsOnly) {
  for (int bits : {1, 4, 7, 8, 9, 15, 16, 17, 24, 31, 32}) expect_sorts(random_case(3000, 0xffffffffu, 3), bits, 500);
  const Case c = random_case(100, 0xffffffffu, 4);
  expect_sorts(c, 0, 10);
}

TEST(RadixSort, SkippedDigitsMayLeaveAnOddNumberOfPasses) {
  for (std::uint32_t mask : {0x000000ffu, 0x00ff0000u, 0xff0000ffu, 0x00ffff00u, 0xffff00ffu, 0u}) {
    expect_sorts(random_case(5000, mask, 5), 32, 700);
  }
}

TEST(RadixSort, SortsSortedReversedAndEqualKeys) {
  Case c = random_case(5000, 0u, 6);
  expect_sorts(c, 32, 600);
  for (std::size_t i = 0; i < c.keys.size(); ++i) c.keys[i] = std::uint32_t(i);
  expect_sorts(c, 32, 600);
  for (std::size_t i = 0; i < c.keys.size(); ++i) c.keys[i] = 0xffffffffu - std::uint32_t(i);
  expect_sorts(c, 32, 600);
}

}  // namespace
}  // namespace talus
