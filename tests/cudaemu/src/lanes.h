// SPDX-License-Identifier: MIT
// Helpers for code that works on all 32 lanes of a warp at once.
#pragma once
#include "common.h"

#include <immintrin.h>
#include <cmath>
#include <type_traits>

namespace emu {
constexpr u32 kFlushToZero = 0x8040;   // MXCSR: FTZ and DAZ
constexpr u32 kDefaultMxcsr = 0x1f80;  // round to nearest, subnormal numbers, exceptions masked
#define LANES for (int i = 0; i < WARP; i++)
template <class T>
inline const T* SRC(const Exec& x, i32 o) {
  return (const T*)(x.base[o & 1] + (o & ~1));
}
template <class T>
inline T* DST(const Exec& x, i32 o) {
  return (T*)(x.base[0] + o);
}

template <class T>
inline void blend(T* __restrict d, const T* __restrict t, u32 m) {
#if defined(__AVX512F__) && defined(__AVX512BW__)
  if constexpr (sizeof(T) == 4) {
    _mm512_mask_storeu_epi32(d, (__mmask16)m, _mm512_loadu_si512(t));
    _mm512_mask_storeu_epi32(d + 16, (__mmask16)(m >> 16), _mm512_loadu_si512(t + 16));
    return;
  } else if constexpr (sizeof(T) == 8) {
    for (int k = 0; k < 4; k++)
      _mm512_mask_storeu_epi64(d + 8 * k, (__mmask8)(m >> (8 * k)), _mm512_loadu_si512(t + 8 * k));
    return;
  } else if constexpr (sizeof(T) == 2) {
    _mm512_mask_storeu_epi16(d, m, _mm512_loadu_si512(t));
    return;
  }
#endif
  LANES d[i] = (m >> i) & 1 ? t[i] : d[i];
}
inline u32 movemask(const u8* t) {  // 32 bytes, top bit of each
#if defined(__AVX2__)
  return (u32)_mm256_movemask_epi8(_mm256_load_si256((const __m256i*)t));
#else
  return (u32)_mm_movemask_epi8(_mm_load_si128((const __m128i*)t)) |
         ((u32)_mm_movemask_epi8(_mm_load_si128((const __m128i*)(t + 16))) << 16);
#endif
}
template <class T>
inline void writeLanes(Exec& x, i32 o, const T* t) {
  T* d = DST<T>(x, o);
  if (x.mask == ~0u)
    memcpy(d, t, sizeof(T) * WARP);
  else
    blend(d, t, x.mask);
}
inline u32 readPred(const Exec& x, i32 o, bool neg) {
  u32 v = *SRC<u32>(x, o);
  return neg ? ~v : v;
}
inline void writePred(const Exec& x, i32 o, u32 v) {
  u32* d = DST<u32>(x, o);
  *d = (*d & ~x.mask) | (v & x.mask);
}

template <class F, class D, class A>
struct U1 {
  static void full(Exec& x, const Ins& I) {
    const A* a = SRC<A>(x, I.a);
    D* d = DST<D>(x, I.d);
    _Pragma("GCC ivdep") LANES d[i] = F::f(a[i]);
  }
  static void part(Exec& x, const Ins& I) {
    const A* a = SRC<A>(x, I.a);
    D* d = DST<D>(x, I.d);
    alignas(64) D t[WARP];
    LANES t[i] = F::f(a[i]);
    blend(d, t, x.mask);
  }
};
template <class F, class D, class A, class B>
struct U2 {
  static void full(Exec& x, const Ins& I) {
    const A* a = SRC<A>(x, I.a);
    const B* b = SRC<B>(x, I.b);
    D* d = DST<D>(x, I.d);
    _Pragma("GCC ivdep") LANES d[i] = F::f(a[i], b[i]);
  }
  static void part(Exec& x, const Ins& I) {
    const A* a = SRC<A>(x, I.a);
    const B* b = SRC<B>(x, I.b);
    D* d = DST<D>(x, I.d);
    alignas(64) D t[WARP];
    LANES t[i] = F::f(a[i], b[i]);
    blend(d, t, x.mask);
  }
};
template <class F, class D, class A, class B, class C>
struct U3 {
  static void full(Exec& x, const Ins& I) {
    const A* a = SRC<A>(x, I.a);
    const B* b = SRC<B>(x, I.b);
    const C* c = SRC<C>(x, I.c);
    D* d = DST<D>(x, I.d);
    _Pragma("GCC ivdep") LANES d[i] = F::f(a[i], b[i], c[i]);
  }
  static void part(Exec& x, const Ins& I) {
    const A* a = SRC<A>(x, I.a);
    const B* b = SRC<B>(x, I.b);
    const C* c = SRC<C>(x, I.c);
    D* d = DST<D>(x, I.d);
    alignas(64) D t[WARP];
    LANES t[i] = F::f(a[i], b[i], c[i]);
    blend(d, t, x.mask);
  }
};
template <class X>
Fns fns() {
  return {X::full, X::part};
}
template <class X>
Fns one() {  // one handler, for all lanes and for some
  return {X::full, X::full};
}
template <class F, class D, class A>
Fns mk1() {
  return fns<U1<F, D, A>>();
}
template <class F, class D, class A, class B>
Fns mk2() {
  return fns<U2<F, D, A, B>>();
}
template <class F, class D, class A, class B, class C>
Fns mk3() {
  return fns<U3<F, D, A, B, C>>();
}

// half precision kept as 16-bit patterns
struct h16 {
  u16 b;
};
struct bf16 {
  u16 b;
};
inline float h2f(u16 h) {
  return _cvtsh_ss(h);
}
inline u16 f2h(float f) {
  return (u16)_cvtss_sh(f, 0);
}
inline float bf2f(u16 h) {
  u32 u = (u32)h << 16;
  float f;
  memcpy(&f, &u, 4);
  return f;
}
inline u16 f2bf(float f) {
  u32 u;
  memcpy(&u, &f, 4);
  if ((u & 0x7fffffff) > 0x7f800000) return 0x7fff;
  u += 0x7fff + ((u >> 16) & 1);
  return (u16)(u >> 16);
}
inline u16 d2h(double v) {  // round to odd in float first, so that the second rounding is exact
  float f = (float)v;
  if ((double)f != v && std::isfinite(f)) {
    u32 u;
    memcpy(&u, &f, 4);
    if (!(u & 1)) {
      bool up = (double)f < v;
      bool neg = u >> 31;
      u = (up != neg) ? u + 1 : u - 1;
      memcpy(&f, &u, 4);
    }
  }
  return f2h(f);
}
inline u16 d2bf(double v) {
  float f = (float)v;
  if ((double)f != v && std::isfinite(f)) {
    u32 u;
    memcpy(&u, &f, 4);
    if (!(u & 1)) {
      bool up = (double)f < v;
      bool neg = u >> 31;
      u = (up != neg) ? u + 1 : u - 1;
      memcpy(&f, &u, 4);
    }
  }
  return f2bf(f);
}

}  // namespace emu
