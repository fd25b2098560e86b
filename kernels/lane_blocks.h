// SPDX-License-Identifier: MIT
// Lane blocks: how contact tables lie in memory. 32 rows make a block; within it each field is 32 consecutive words.
// A warp reads a field in one 128-byte access; the CPU reads packs of 4, 8 or 16 lanes; all fields of a row are near
// each other. Against plain columns 1.4-1.8x faster beyond the L2 (methods: parallel engine, section 5.1).
#pragma once
#include <bit>
#include <cstdint>

#include <talus/config.h>
#include <talus/types.h>

namespace talus {

constexpr Index kLanes = 32;  // rows in a block: a warp, two packs of 16 or four of 8

/// Table of `Fields` 32-bit words a row, in blocks. Does not own. `Fields` is the enum's count of fields.
template <int Fields>
struct LaneBlocks {
  std::uint32_t* words = nullptr;
  Index size = 0;  // rows, a multiple of kLanes

  static constexpr int kFields = Fields;
  bool operator==(const LaneBlocks&) const = default;  // the same memory, not the same content

  TALUS_INLINE std::uint32_t* at(int field, Index row) const {
    TALUS_ASSERT(row >= 0 && row < size && field < Fields);
    // One address for all fields of a row, and a constant for each.
    const std::uint32_t r = std::uint32_t(row), width = std::uint32_t(kLanes);
    return words + (std::size_t(r / width) * (Fields * kLanes) + r % width) + field * kLanes;
  }
  TALUS_INLINE float number(int field, Index row) const { return std::bit_cast<float>(*at(field, row)); }
  TALUS_INLINE std::uint32_t word(int field, Index row) const { return *at(field, row); }
  TALUS_INLINE Vec3 vector(int field, Index row) const {
    return {number(field, row), number(field + 1, row), number(field + 2, row)};
  }
  TALUS_INLINE void set(int field, Index row, float value) const {
    *at(field, row) = std::bit_cast<std::uint32_t>(value);
  }
  TALUS_INLINE void set(int field, Index row, std::uint32_t value) const { *at(field, row) = value; }
  TALUS_INLINE void set(int field, Index row, Vec3 value) const {
    set(field, row, value.x);
    set(field + 1, row, value.y);
    set(field + 2, row, value.z);
  }
};

}  // namespace talus
