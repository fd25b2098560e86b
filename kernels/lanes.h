// SPDX-License-Identifier: MIT
// How a kernel template reads and writes: one lane for float (a CUDA thread, or the scalar build), a pack of lanes for
// packs, whose overloads are in math/pack.h.
#pragma once
#include <talus/column.h>

#include "lane_blocks.h"
#include "math/prefetch.h"
#include "math/record.h"
#include "math/vec3.h"

namespace talus::inline TALUS_ISA {

TALUS_INLINE float load_lanes(const float* from, float) {
  return *from;
}
TALUS_INLINE void store_lanes(float* to, float value) {
  *to = value;
}
TALUS_INLINE float load_byte_lanes(const std::uint8_t* from, float) {
  return float(*from);
}
/// Whether words have any bit.
TALUS_INLINE bool any_bits(const std::uint32_t* from, float) {
  return *from != 0;
}
/// Words of the lanes whose bit is set, one after another; writes as many words as a pack has, the others of any value.
TALUS_INLINE void move_to_front(const std::uint32_t* from, std::uint32_t* to, unsigned, float) {
  *to = *from;
}
/// Bit i: lane i of a mask.
TALUS_INLINE unsigned lane_bits(bool condition) {
  return condition ? 1u : 0u;
}
TALUS_INLINE float first_lane(float value) {
  return value;
}
TALUS_INLINE bool every_lane(float) {
  return true;
}
/// Eight consecutive floats of a record whose row is given; for packs, of as many records as the pack has lanes.
TALUS_INLINE void gather_records(const float* base, const std::uint32_t* rows, float out[8]) {
  load_record(base, *rows, out);
}
/// The way back, for the lanes that are wanted.
TALUS_INLINE void scatter_records(float* base, const std::uint32_t* rows, const float in[8], bool wanted) {
  store_record(base, *rows, in, wanted);
}

/// Lanes that a Real holds.
template <class Real>
struct LaneCount {
  static constexpr int value = Real::kWidth;
};
template <>
struct LaneCount<float> {
  static constexpr int value = 1;
};

// "Together": for kernels over lanes, where all lanes of a warp are at it. Not in a branch that some of them do not
// take: ask any_together instead of any_of there.

template <class Real>
TALUS_INLINE void gather_together(const float* base, const std::uint32_t* rows, Real out[8]) {
  if constexpr (LaneCount<Real>::value == 1) {
    load_record_together(base, *rows, out);
  } else {
    gather_records(base, rows, out);
  }
}
/// The way back, for the lanes that are wanted.
template <class Real>
TALUS_INLINE void scatter_together(float* base, const std::uint32_t* rows, const Real in[8], Mask<Real> wanted) {
  if constexpr (LaneCount<Real>::value == 1) {
    store_record_together(base, *rows, in, wanted);
  } else {
    scatter_records(base, rows, in, wanted);
  }
}
/// Records of consecutive rows, from `row` on.
template <class Real>
TALUS_INLINE void load_together(const float* base, Index row, Real out[8]) {
  if constexpr (LaneCount<Real>::value == 1) {
    load_record_together(base, std::uint32_t(row), out);
  } else {
    load_records(base + std::size_t(row) * 8, out);
  }
}
template <class Real>
TALUS_INLINE void store_together(float* base, Index row, const Real in[8]) {
  if constexpr (LaneCount<Real>::value == 1) {
    store_record_together(base, std::uint32_t(row), in, true);
  } else {
    store_records(base + std::size_t(row) * 8, in);
  }
}

/// The first `width` lanes of a block, in whole packs, for kernels in which one warp or thread works on blocks one
/// after another: what a block wrote is seen by the next. body(lane, pack): pack counts from 0 in each block, and is 0
/// in a warp.
template <class Real, class Body>
TALUS_INLINE void for_lanes_of(Index block, Index width, Body&& body) {
#if TALUS_ON_DEVICE
  body(block * kLanes + Index(threadIdx.x % 32), 0);
  __syncwarp();
#else
  int pack = 0;
  for (Index lane = 0; lane < width; lane += LaneCount<Real>::value) body(block * kLanes + lane, pack++);
#endif
}
/// Packs of a block, as for_lanes_of counts them.
template <class Real>
TALUS_INLINE constexpr int packs_of_block() {
#if TALUS_ON_DEVICE
  return 1;
#else
  return kLanes / LaneCount<Real>::value;
#endif
}

/// Of larger records, in units of eight words from `place[row]` on.
template <class Real, class Records>
TALUS_INLINE void gather_unit_together(const Records& records, const std::uint32_t* rows, int unit, Real out[8]) {
  std::uint32_t at[LaneCount<Real>::value];
  for (int i = 0; i < LaneCount<Real>::value; ++i) at[i] = std::uint32_t(records.place[Index(rows[i])] + unit);
  gather_together(reinterpret_cast<const float*>(records.units), at, out);
}
template <class Real, class Records>
TALUS_INLINE void scatter_unit_together(const Records& records, const std::uint32_t* rows, int unit, const Real in[8],
                                        Mask<Real> wanted) {
  std::uint32_t at[LaneCount<Real>::value];
  for (int i = 0; i < LaneCount<Real>::value; ++i) at[i] = std::uint32_t(records.place[Index(rows[i])] + unit);
  scatter_together(reinterpret_cast<float*>(records.units), at, in, wanted);
}

/// Consecutive rows of a plain column, from `row` on.
template <class Real>
TALUS_INLINE Real load(const float* column, Index row) {
  return load_lanes(column + row, Real{});
}
template <class Real>
TALUS_INLINE Vec3Of<Real> load(const Vec3Column& column, Index row) {
  return {load<Real>(column.x, row), load<Real>(column.y, row), load<Real>(column.z, row)};
}
template <class Real>
TALUS_INLINE QuatOf<Real> load(const QuatColumn& column, Index row) {
  return {load<Real>(column.x, row), load<Real>(column.y, row), load<Real>(column.z, row), load<Real>(column.w, row)};
}

/// Small numbers, as Reals.
template <class Real>
TALUS_INLINE Real load_bytes(const Column<std::uint8_t>& column, Index row) {
  return load_byte_lanes(column.data + row, Real{});
}
/// 1 where a word has a bit, else 0.
template <class Real>
TALUS_INLINE Real load_any_bit(const Column<std::uint32_t>& column, Index row) {
  return select(any_bits(column.data + row, Real{}), Real(1.0f), Real(0.0f));
}
/// Bits that are only moved and selected, never computed with.
template <class Real>
TALUS_INLINE Real load_bits(const Column<std::uint32_t>& column, Index row) {
  return load_lanes(reinterpret_cast<const float*>(column.data) + row, Real{});
}
template <class Real>
TALUS_INLINE void store(const Vec3Column& column, Index row, Vec3Of<Real> value) {
  store_lanes(column.x + row, value.x);
  store_lanes(column.y + row, value.y);
  store_lanes(column.z + row, value.z);
}
template <class Real>
TALUS_INLINE void store(const QuatColumn& column, Index row, QuatOf<Real> value) {
  store_lanes(column.x + row, value.x);
  store_lanes(column.y + row, value.y);
  store_lanes(column.z + row, value.z);
  store_lanes(column.w + row, value.w);
}

/// A field of lane blocks, from `row` on.
template <class Real, int Fields>
TALUS_INLINE Real load(const LaneBlocks<Fields>& blocks, int field, Index row) {
  return load_lanes(reinterpret_cast<const float*>(blocks.at(field, row)), Real{});
}
template <class Real, int Fields>
TALUS_INLINE Vec3Of<Real> load_vector(const LaneBlocks<Fields>& blocks, int field, Index row) {
  return {load<Real>(blocks, field, row), load<Real>(blocks, field + 1, row), load<Real>(blocks, field + 2, row)};
}
template <class Real, int Fields>
TALUS_INLINE void store(const LaneBlocks<Fields>& blocks, int field, Index row, Real value) {
  store_lanes(reinterpret_cast<float*>(blocks.at(field, row)), value);
}

/// Asks for fields of the same lanes of the next block, before they are needed: they lie pages apart, where no
/// processor looks ahead. Once for each line of a cache.
template <int Fields>
TALUS_INLINE void prefetch_fields(const LaneBlocks<Fields>& rows, int field, int count, Index lane) {
  constexpr Index kLine = 16;  // words
  if (lane % kLine != 0) return;
  const std::uint32_t* words = rows.at(field, lane) + Fields * kLanes;
  for (int i = 0; i < count; ++i) prefetch(words + i * kLanes);
}

/// Words of lane blocks that say where else to look. A thread keeps its word, as what it stores might change it for all
/// that the compiler knows; a pack finds its words where they are.
template <class Real>
class RowIndices {
 public:
  template <int Fields>
  TALUS_INLINE RowIndices(const LaneBlocks<Fields>& blocks, int field, Index row) : words_(blocks.at(field, row)) {}
  TALUS_INLINE const std::uint32_t* data() const { return words_; }

 private:
  const std::uint32_t* words_;
};
template <>
class RowIndices<float> {
 public:
  template <int Fields>
  TALUS_INLINE RowIndices(const LaneBlocks<Fields>& blocks, int field, Index row) : word_(blocks.word(field, row)) {}
  TALUS_INLINE const std::uint32_t* data() const { return &word_; }

 private:
  std::uint32_t word_;
};

}  // namespace talus::inline TALUS_ISA
