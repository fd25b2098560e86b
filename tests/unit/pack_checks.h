// SPDX-License-Identifier: MIT
// Every operation of a pack against its scalar twin, bit for bit, in the instruction set that the including file has
// chosen before its first include of a kernel header. PackChecks is the name of the suite there.
#pragma once
#include <talus/column.h>

#include "lanes.h"
#include "math/pack.h"

namespace talus::test::inline TALUS_ISA {
namespace {

constexpr int kWidth = LaneCount<NativePack>::value;

/// Ordinary numbers, zeros of both signs, infinities, NaN, denormals, the largest and the smallest.
inline std::vector<float> interesting_numbers() {
  std::vector<float> list{0.0f,    -0.0f,    1.0f,      -1.0f,    0.5f,           3.0f,       -7.25f,
                          1e-38f,  1e-40f,   -1e-42f,   1.4e-45f, 3.4e38f,        -3.4e38f,   1e20f,
                          -1e-20f, INFINITY, -INFINITY, NAN,      0x1.fffffep-1f, 16777217.0f};
  std::mt19937 engine(1);
  for (int i = 0; i < 44; ++i) list.push_back(std::bit_cast<float>(std::uint32_t(engine())));  // any bits at all
  return list;
}

/// NaN equals NaN: which one comes out is not the same in vector and scalar instructions, and no kernel looks.
inline bool same(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) || (a != a && b != b);
}

inline NativePack pack_of(const float* from) {
  return load_lanes(from, NativePack{});
}
inline std::vector<float> lanes_of(NativePack p) {
  std::vector<float> lanes(kWidth);
  store_lanes(lanes.data(), p);
  return lanes;
}

/// operation(x, y, z) for packs and floats over all triples of a cross section of the numbers.
template <class Operation>
void expect_same(const char* name, Operation operation) {
  const std::vector<float> numbers = interesting_numbers();
  const std::size_t n = numbers.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; j += kWidth) {
      float x[kWidth], y[kWidth], z[kWidth];
      for (std::size_t k = 0; k < std::size_t(kWidth); ++k) {
        x[k] = numbers[i];
        y[k] = numbers[(j + k) % n];
        z[k] = numbers[(i * 7 + j * 3 + k * 5) % n];
      }
      const std::vector<float> packed = lanes_of(operation(pack_of(x), pack_of(y), pack_of(z)));
      for (std::size_t k = 0; k < std::size_t(kWidth); ++k) {
        const float expected = operation(x[k], y[k], z[k]);
        ASSERT_TRUE(same(packed[k], expected))
            << name << "(" << x[k] << ", " << y[k] << ", " << z[k] << ") = " << packed[k] << ", not " << expected;
      }
    }
  }
}

TEST(PackChecks, ArithmeticHasTheBitsOfFloats) {
  expect_same("+", [](auto x, auto y, auto) { return x + y; });
  expect_same("-", [](auto x, auto y, auto) { return x - y; });
  expect_same("*", [](auto x, auto y, auto) { return x * y; });
  expect_same("/", [](auto x, auto y, auto) { return x / y; });
  expect_same("negation", [](auto x, auto, auto) { return -x; });
  expect_same("square_root", [](auto, auto y, auto) { return square_root(y); });
  expect_same("x * y + z, not fused", [](auto x, auto y, auto z) { return x * y + z; });
}

TEST(PackChecks, SelectionsTakeTheSameOperand) {
  expect_same("min_of", [](auto x, auto y, auto) { return min_of(x, y); });
  expect_same("max_of", [](auto x, auto y, auto) { return max_of(x, y); });
  expect_same("clamp_to", [](auto x, auto y, auto z) { return clamp_to(x, y, z); });
  expect_same("abs_of", [](auto, auto y, auto) { return abs_of(y); });
}

TEST(PackChecks, ComparisonsAgree) {
  const auto as_number = [](auto mask, auto x) { return select(mask, decltype(x)(1.0f), decltype(x)(0.0f)); };
  expect_same("<", [&](auto x, auto y, auto) { return as_number(x < y, x); });
  expect_same(">", [&](auto x, auto y, auto) { return as_number(x > y, x); });
  expect_same("<=", [&](auto x, auto y, auto) { return as_number(x <= y, x); });
  expect_same("==", [&](auto x, auto y, auto) { return as_number(x == y, x); });
  expect_same("is_finite", [&](auto x, auto y, auto) { return as_number(is_finite(y), x); });
  expect_same("and, or, not", [&](auto x, auto y, auto z) { return as_number((x < y && y < z) || !(x < z), x); });
}

TEST(PackChecks, AnyOfSeesEachLane) {
  float x[kWidth] = {};
  EXPECT_FALSE(any_of(pack_of(x) > NativePack(0.0f)));
  for (int k = 0; k < kWidth; ++k) {
    std::fill(x, x + kWidth, 0.0f);
    x[k] = 1.0f;
    EXPECT_TRUE(any_of(pack_of(x) > NativePack(0.0f))) << "lane " << k;
  }
}

TEST(PackChecks, GatherTransposesRecords) {
  alignas(32) float records[64 * 8];
  for (int i = 0; i < 64 * 8; ++i) records[i] = float(i);
  std::mt19937 engine(2);
  for (int trial = 0; trial < 50; ++trial) {
    std::uint32_t rows[kWidth];
    for (std::uint32_t& r : rows) r = engine() % 64;
    NativePack out[8];
    gather_records(records, rows, out);
    for (int field = 0; field < 8; ++field) {
      const std::vector<float> lanes = lanes_of(out[field]);
      for (std::size_t k = 0; k < std::size_t(kWidth); ++k)
        ASSERT_EQ(lanes[k], float(rows[k] * 8 + std::uint32_t(field)));
    }
  }
}

TEST(PackChecks, ScatterWritesTheWantedRecordsOnly) {
  std::mt19937 engine(3);
  for (int trial = 0; trial < 50; ++trial) {
    alignas(32) float records[64 * 8];
    std::fill(records, records + 64 * 8, -1.0f);
    std::uint32_t rows[kWidth];
    float wanted[kWidth];
    for (int k = 0; k < kWidth; ++k) {
      rows[k] = std::uint32_t(k * 4) + engine() % 4;  // all different
      wanted[k] = float(engine() % 2);
    }
    NativePack in[8];
    for (int field = 0; field < 8; ++field) {
      float lanes[kWidth];
      for (int k = 0; k < kWidth; ++k) lanes[k] = float(k * 8 + field);
      in[field] = pack_of(lanes);
    }
    scatter_records(records, rows, in, pack_of(wanted) > NativePack(0.0f));
    int written = 0;
    for (int k = 0; k < kWidth; ++k) {
      for (int field = 0; field < 8; ++field) {
        const float value = records[rows[k] * 8 + std::uint32_t(field)];
        ASSERT_EQ(value, wanted[k] > 0.0f ? float(k * 8 + field) : -1.0f);
        written += value >= 0.0f ? 1 : 0;
      }
    }
    ASSERT_EQ(std::count_if(records, records + 64 * 8, [](float v) { return v >= 0.0f; }), written);
  }
}

TEST(PackChecks, RecordsOfConsecutiveRowsGoThereAndBack) {
  alignas(32) float records[64 * 8], copy[64 * 8] = {};
  for (int i = 0; i < 64 * 8; ++i) records[i] = float(i) * 0.5f;
  for (Index row = 0; row + kWidth <= 64; row += kWidth) {
    NativePack fields[8];
    load_together(records, row, fields);
    store_together(copy, row, fields);
  }
  EXPECT_EQ(std::memcmp(records, copy, sizeof records), 0);
}

}  // namespace
}  // namespace talus::test::inline TALUS_ISA
