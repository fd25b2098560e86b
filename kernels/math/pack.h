// SPDX-License-Identifier: MIT
// Packs: as many floats as a SIMD register holds, with the operations that kernels use, each with the bits of its
// scalar twin in math/scalar.h. CPU only. Written over the compiler's vector types: std::experimental::simd has a
// scalar fma, another max, and gave wrong results with clang 14 (methods: parallel engine, section 5.2).
#pragma once
#include <cstdint>

#include "math/scalar.h"

#if !defined(TALUS_SCALAR) && (defined(__AVX2__) || defined(__SSE2__))
#include <immintrin.h>
#endif

namespace talus::inline TALUS_ISA {

#if defined(TALUS_SCALAR) || !(defined(__AVX512F__) || defined(__AVX2__) || defined(__SSE2__))

using NativePack = float;

#else

#if defined(__AVX512F__)
constexpr int kPackWidth = 16;
#elif defined(__AVX2__)
constexpr int kPackWidth = 8;
#else
constexpr int kPackWidth = 4;
#endif

using FloatLanes = float __attribute__((vector_size(kPackWidth * sizeof(float))));
using IntLanes = std::int32_t __attribute__((vector_size(kPackWidth * sizeof(float))));

/// Lanes that are all ones or all zeros.
struct PackMask {
  IntLanes lanes;
};

struct Pack {
  static constexpr int kWidth = kPackWidth;
  FloatLanes lanes;

  Pack() = default;
  TALUS_INLINE Pack(float value) : lanes(value - FloatLanes{}) {}  // NOLINT: scalars mix with packs by design
  TALUS_INLINE explicit Pack(FloatLanes value) : lanes(value) {}
};
using NativePack = Pack;

template <>
struct MaskOf<Pack> {
  using type = PackMask;
};

TALUS_INLINE Pack operator+(Pack a, Pack b) {
  return Pack(a.lanes + b.lanes);
}
TALUS_INLINE Pack operator-(Pack a, Pack b) {
  return Pack(a.lanes - b.lanes);
}
TALUS_INLINE Pack operator*(Pack a, Pack b) {
  return Pack(a.lanes * b.lanes);
}
TALUS_INLINE Pack operator/(Pack a, Pack b) {
  return Pack(a.lanes / b.lanes);
}
TALUS_INLINE Pack operator-(Pack a) {
  return Pack(-a.lanes);
}
TALUS_INLINE PackMask operator<(Pack a, Pack b) {
  return {a.lanes < b.lanes};
}
TALUS_INLINE PackMask operator>(Pack a, Pack b) {
  return {a.lanes > b.lanes};
}
TALUS_INLINE PackMask operator<=(Pack a, Pack b) {
  return {a.lanes <= b.lanes};
}
TALUS_INLINE PackMask operator==(Pack a, Pack b) {
  return {a.lanes == b.lanes};
}
TALUS_INLINE PackMask operator&&(PackMask a, PackMask b) {
  return {a.lanes & b.lanes};
}
TALUS_INLINE PackMask operator||(PackMask a, PackMask b) {
  return {a.lanes | b.lanes};
}
TALUS_INLINE PackMask operator!(PackMask a) {
  return {~a.lanes};
}
TALUS_INLINE Pack select(PackMask condition, Pack yes, Pack no) {
  return Pack(condition.lanes ? yes.lanes : no.lanes);
}
// The instructions do what the scalar twins spell out: b if either is NaN or both are zero.
TALUS_INLINE Pack min_of(Pack a, Pack b) {
#if defined(__AVX512F__)
  return Pack(FloatLanes(_mm512_min_ps(__m512(a.lanes), __m512(b.lanes))));
#elif defined(__AVX2__)
  return Pack(FloatLanes(_mm256_min_ps(__m256(a.lanes), __m256(b.lanes))));
#else
  return Pack(FloatLanes(_mm_min_ps(__m128(a.lanes), __m128(b.lanes))));
#endif
}
TALUS_INLINE Pack max_of(Pack a, Pack b) {
#if defined(__AVX512F__)
  return Pack(FloatLanes(_mm512_max_ps(__m512(a.lanes), __m512(b.lanes))));
#elif defined(__AVX2__)
  return Pack(FloatLanes(_mm256_max_ps(__m256(a.lanes), __m256(b.lanes))));
#else
  return Pack(FloatLanes(_mm_max_ps(__m128(a.lanes), __m128(b.lanes))));
#endif
}
TALUS_INLINE Pack clamp_to(Pack x, Pack low, Pack high) {
  return max_of(low, min_of(x, high));
}
TALUS_INLINE Pack abs_of(Pack x) {
  return select(x < Pack(0.0f), -x, x);
}
TALUS_INLINE PackMask is_finite(Pack x) {
  return x - x == Pack(0.0f);
}

TALUS_INLINE float first_lane(Pack x) {
  return x.lanes[0];
}
TALUS_INLINE PackMask every_lane(Pack) {
  return {~IntLanes{}};
}
TALUS_INLINE Pack load_lanes(const float* from, Pack) {
  Pack p;
  __builtin_memcpy(&p.lanes, from, sizeof(p.lanes));
  return p;
}
TALUS_INLINE void store_lanes(float* to, Pack p) {
  __builtin_memcpy(to, &p.lanes, sizeof(p.lanes));
}

#if defined(__AVX512F__)

TALUS_INLINE Pack square_root(Pack x) {
  return Pack(FloatLanes(_mm512_sqrt_ps(__m512(x.lanes))));
}
TALUS_INLINE unsigned lane_bits(PackMask m) {
  return _mm512_movepi32_mask(__m512i(m.lanes));
}

#elif defined(__AVX2__)

TALUS_INLINE Pack square_root(Pack x) {
  return Pack(FloatLanes(_mm256_sqrt_ps(__m256(x.lanes))));
}
TALUS_INLINE unsigned lane_bits(PackMask m) {
  return unsigned(_mm256_movemask_ps(__m256(m.lanes)));
}

#else

TALUS_INLINE Pack square_root(Pack x) {
  return Pack(FloatLanes(_mm_sqrt_ps(__m128(x.lanes))));
}
TALUS_INLINE unsigned lane_bits(PackMask m) {
  return unsigned(_mm_movemask_ps(__m128(m.lanes)));
}

#endif

TALUS_INLINE bool any_of(PackMask m) {
  return lane_bits(m) != 0;
}
TALUS_INLINE bool any_together(PackMask m) {
  return any_of(m);
}

// ---- records: eight consecutive floats a row, transposed to eight packs and back -----------------------------------

#if defined(__AVX2__)

/// Rows of eight floats to columns of eight and, the same operation, back.
TALUS_INLINE void transpose_8x8(__m256 r[8]) {
  __m256 t[8];
  for (int i = 0; i < 8; i += 2) {
    t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
    t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
  }
  __m256 u[8];
  for (int i = 0; i < 8; i += 4) {
    u[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
    u[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xee);
    u[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
    u[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xee);
  }
  for (int i = 0; i < 4; ++i) {
    r[i] = _mm256_permute2f128_ps(u[i], u[i + 4], 0x20);
    r[i + 4] = _mm256_permute2f128_ps(u[i], u[i + 4], 0x31);
  }
}
/// The same from eight rows in memory. Halves of rows are put together as they are loaded, which leaves 16 of 24
/// shuffles: these go through one port of many processors.
TALUS_INLINE void load_transposed(const float* const row[8], __m256 r[8]) {
  for (int half = 0; half < 2; ++half) {
    __m256 h[4];
    for (int i = 0; i < 4; ++i) {
      h[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(row[i] + 4 * half)),
                                  _mm_load_ps(row[i + 4] + 4 * half), 1);
    }
    const __m256 t0 = _mm256_unpacklo_ps(h[0], h[1]), t1 = _mm256_unpackhi_ps(h[0], h[1]);
    const __m256 t2 = _mm256_unpacklo_ps(h[2], h[3]), t3 = _mm256_unpackhi_ps(h[2], h[3]);
    r[4 * half] = _mm256_shuffle_ps(t0, t2, 0x44);
    r[4 * half + 1] = _mm256_shuffle_ps(t0, t2, 0xee);
    r[4 * half + 2] = _mm256_shuffle_ps(t1, t3, 0x44);
    r[4 * half + 3] = _mm256_shuffle_ps(t1, t3, 0xee);
  }
}

#endif

#if defined(__AVX512F__)

TALUS_INLINE void load_rows(const float* const row[kPackWidth], Pack out[8]) {
  __m256 low[8], high[8];
  load_transposed(row, low);
  load_transposed(row + 8, high);
  for (int i = 0; i < 8; ++i) {
    out[i].lanes = FloatLanes(_mm512_insertf32x8(_mm512_castps256_ps512(low[i]), high[i], 1));
  }
}
TALUS_INLINE void store_rows(float* const row[kPackWidth], const Pack in[8], unsigned wanted) {
  __m256 low[8], high[8];
  for (int i = 0; i < 8; ++i) {
    low[i] = _mm512_castps512_ps256(__m512(in[i].lanes));
    high[i] = _mm512_extractf32x8_ps(__m512(in[i].lanes), 1);
  }
  transpose_8x8(low);
  transpose_8x8(high);
  for (int i = 0; i < 8; ++i) {
    if ((wanted >> i) & 1u) _mm256_store_ps(row[i], low[i]);
    if ((wanted >> (i + 8)) & 1u) _mm256_store_ps(row[i + 8], high[i]);
  }
}

#elif defined(__AVX2__)

TALUS_INLINE void load_rows(const float* const row[kPackWidth], Pack out[8]) {
  __m256 r[8];
  load_transposed(row, r);
  for (int i = 0; i < 8; ++i) out[i].lanes = FloatLanes(r[i]);
}
TALUS_INLINE void store_rows(float* const row[kPackWidth], const Pack in[8], unsigned wanted) {
  __m256 r[8];
  for (int i = 0; i < 8; ++i) r[i] = __m256(in[i].lanes);
  transpose_8x8(r);
  for (int i = 0; i < 8; ++i) {
    if ((wanted >> i) & 1u) _mm256_store_ps(row[i], r[i]);
  }
}

#else

TALUS_INLINE void load_rows(const float* const row[kPackWidth], Pack out[8]) {
  for (int half = 0; half < 2; ++half) {
    __m128 r[4];
    for (int i = 0; i < 4; ++i) r[i] = _mm_load_ps(row[i] + half * 4);
    _MM_TRANSPOSE4_PS(r[0], r[1], r[2], r[3]);
    for (int i = 0; i < 4; ++i) out[half * 4 + i].lanes = FloatLanes(r[i]);
  }
}
TALUS_INLINE void store_rows(float* const row[kPackWidth], const Pack in[8], unsigned wanted) {
  for (int half = 0; half < 2; ++half) {
    __m128 r[4];
    for (int i = 0; i < 4; ++i) r[i] = __m128(in[half * 4 + i].lanes);
    _MM_TRANSPOSE4_PS(r[0], r[1], r[2], r[3]);
    for (int i = 0; i < 4; ++i) {
      if ((wanted >> i) & 1u) _mm_store_ps(row[i] + half * 4, r[i]);
    }
  }
}

#endif

TALUS_INLINE void gather_records(const float* base, const std::uint32_t* rows, Pack out[8]) {
  const float* row[kPackWidth];
  for (int i = 0; i < kPackWidth; ++i) row[i] = base + std::size_t(rows[i]) * 8;
  load_rows(row, out);
}
TALUS_INLINE void scatter_records(float* base, const std::uint32_t* rows, const Pack in[8], PackMask wanted) {
  float* row[kPackWidth];
  for (int i = 0; i < kPackWidth; ++i) row[i] = base + std::size_t(rows[i]) * 8;
  store_rows(row, in, lane_bits(wanted));
}
// Of consecutive rows: addresses are one and constants.
TALUS_INLINE void load_records(const float* first, Pack out[8]) {
  const float* row[kPackWidth];
  for (int i = 0; i < kPackWidth; ++i) row[i] = first + i * 8;
  load_rows(row, out);
}
TALUS_INLINE void store_records(float* first, const Pack in[8]) {
  float* row[kPackWidth];
  for (int i = 0; i < kPackWidth; ++i) row[i] = first + i * 8;
  store_rows(row, in, ~0u);
}

// ---- small numbers and flags, one conversion a pack ----------------------------------------------------------------

TALUS_INLINE Pack load_byte_lanes(const std::uint8_t* from, Pack) {
#if defined(__AVX512F__)
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  return Pack(FloatLanes(_mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(bytes))));
#elif defined(__AVX2__)
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
  return Pack(FloatLanes(_mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes))));
#else
  std::int32_t word;
  __builtin_memcpy(&word, from, sizeof(word));
  const __m128i none = _mm_setzero_si128();
  const __m128i halves = _mm_unpacklo_epi8(_mm_cvtsi32_si128(word), none);
  return Pack(FloatLanes(_mm_cvtepi32_ps(_mm_unpacklo_epi16(halves, none))));
#endif
}

#if defined(__AVX2__) && !defined(__AVX512F__)

/// For each set of lanes of eight: their numbers, one after another.
struct FrontLanes {
  std::uint8_t lane[256][8] = {};
  constexpr FrontLanes() {
    for (int bits = 0; bits < 256; ++bits) {
      for (int i = 0, size = 0; i < 8; ++i) {
        if ((bits >> i) & 1) lane[bits][size++] = std::uint8_t(i);
      }
    }
  }
};
inline constexpr FrontLanes kFrontLanes;

#endif

TALUS_INLINE void move_to_front(const std::uint32_t* from, std::uint32_t* to, unsigned bits, Pack) {
#if defined(__AVX512F__)
  const __m512i words = _mm512_loadu_si512(from);
  _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(__mmask16(bits), words));
#elif defined(__AVX2__)
  const __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  const __m128i lanes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kFrontLanes.lane[bits]));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_permutevar8x32_epi32(words, _mm256_cvtepu8_epi32(lanes)));
#else
  std::uint32_t words[kPackWidth];
  __builtin_memcpy(words, from, sizeof(words));
  for (int i = 0, size = 0; i < kPackWidth; ++i) {
    to[size] = words[i];
    size += int((bits >> i) & 1u);
  }
#endif
}
TALUS_INLINE PackMask any_bits(const std::uint32_t* from, Pack) {
  IntLanes words;
  __builtin_memcpy(&words, from, sizeof(words));
  return {words != 0};
}

#endif

}  // namespace talus::inline TALUS_ISA
