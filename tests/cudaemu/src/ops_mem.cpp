// SPDX-License-Identifier: MIT
// Loads, stores, kernel parameters and address conversion.
#include "address.h"
#include "lanes.h"
#include "ops.h"

namespace emu {
namespace {
// a vector of 2, 4, 8 or 16 bytes, aligned, without tearing (16 bytes: true of every CPU with AVX)
inline void copyWhole(char* d, const char* s, u32 bytes) {
  switch (bytes) {
    case 2:
      *(volatile u16*)d = *(const volatile u16*)s;
      break;
    case 4:
      *(volatile u32*)d = *(const volatile u32*)s;
      break;
    case 8:
      *(volatile u64*)d = *(const volatile u64*)s;
      break;
    default:
      _mm_store_si128((__m128i*)d, _mm_load_si128((const __m128i*)s));
  }
}
template <class M, class R>
struct Ld {
  static void full(Exec& x, const Ins& I) {
    alignas(64) char* p[WARP];
    alignas(64) u64 ad[WARP];
    const u32 bytes = I.n * sizeof(M);
    if (!resolve(x, I, bytes, p, ad, AK_LOAD)) return;
    if (x.multi && I.n > 1 && bytes <= 16) {  // one access per lane, as on a GPU: CUB's look-back relies on it
      alignas(64) char v[WARP][16];
      LANES copyWhole(v[i], p[i], bytes);
      for (int k = 0; k < I.n; k++) {
        if (I.v[k] < 0) continue;
        alignas(64) R r[WARP];
        LANES {
          M m;
          memcpy(&m, v[i] + k * sizeof(M), sizeof(M));
          r[i] = (R)m;
        }
        writeLanes(x, I.v[k], r);
      }
      return;
    }
    if (I.n == 1) {
      if (x.mask == ~0u) {
        R* d = DST<R>(x, I.v[0]);
        if (I.v[0] < 0) return;
        LANES d[i] = (R) * (const volatile M*)p[i];
      } else {
        alignas(64) R r[WARP];
        LANES r[i] = (R) * (const M*)p[i];
        if (I.v[0] >= 0) blend(DST<R>(x, I.v[0]), r, x.mask);
      }
      return;
    }
    for (int k = 0; k < I.n; k++) {
      if (I.v[k] < 0) continue;
      alignas(64) R r[WARP];
      LANES r[i] = (R) * (const M*)(p[i] + k * sizeof(M));
      writeLanes(x, I.v[k], r);
    }
  }
};
template <class M, class R>
struct St {
  static void full(Exec& x, const Ins& I) {
    alignas(64) char* p[WARP];
    alignas(64) u64 ad[WARP];
    const u32 bytes = I.n * sizeof(M);
    if (!resolve(x, I, bytes, p, ad, AK_STORE)) return;
    if (x.multi && I.n > 1 && bytes <= 16) {
      for (u32 m = x.mask; m; m &= m - 1) {
        int i = __builtin_ctz(m);
        alignas(16) char v[64];
        for (int k = 0; k < I.n; k++) {
          M e = (M)SRC<R>(x, I.v[k])[i];
          memcpy(v + k * sizeof(M), &e, sizeof(M));
        }
        copyWhole(p[i], v, bytes);
      }
      return;
    }
    for (int k = 0; k < I.n; k++) {
      const R* s = SRC<R>(x, I.v[k]);
      if (x.mask == ~0u) {
        LANES*(volatile M*)(p[i] + k * sizeof(M)) = (M)s[i];
      } else
        for (u32 m = x.mask; m; m &= m - 1) {
          int i = __builtin_ctz(m);
          *(M*)(p[i] + k * sizeof(M)) = (M)s[i];
        }
    }
  }
};
// uniform load of a kernel parameter; dw: register size, size: element size, sub: signed
struct LdParam {
  static void full(Exec& x, const Ins& I) {
    for (int k = 0; k < I.n; k++) {
      if (I.v[k] < 0) continue;
      u64 v = 0;
      memcpy(&v, x.params + I.imm + k * I.size, I.size);
      if (I.sub) {
        if (I.size == 1)
          v = (u64)(i64)(i8)v;
        else if (I.size == 2)
          v = (u64)(i64)(i16)v;
        else if (I.size == 4)
          v = (u64)(i64)(i32)v;
      }
      switch (I.dw) {
        case 2: {
          alignas(64) u16 t[WARP];
          LANES t[i] = (u16)v;
          writeLanes(x, I.v[k], t);
          break;
        }
        case 4: {
          alignas(64) u32 t[WARP];
          LANES t[i] = (u32)v;
          writeLanes(x, I.v[k], t);
          break;
        }
        default: {
          alignas(64) u64 t[WARP];
          LANES t[i] = v;
          writeLanes(x, I.v[k], t);
        }
      }
    }
  }
};
// cvta: imm = window base, sub 0: to generic, 1: from generic
struct Cvta {
  static void full(Exec& x, const Ins& I) {
    const u64* a = SRC<u64>(x, I.a);
    alignas(64) u64 t[WARP];
    u64 w = I.imm;
    if (I.sub) {
      LANES t[i] = a[i] - w;
    } else {
      LANES t[i] = a[i] + w;
    }
    writeLanes(x, I.d, t);
  }
};
struct IsSpace {
  static void full(Exec& x, const Ins& I) {
    const u64* a = SRC<u64>(x, I.a);
    u32 r = 0;
    LANES {
      u64 t = a[i] >> 56;
      bool in = I.space == SP_SHARED ? t == 1 : I.space == SP_LOCAL ? t == 2 : I.space == SP_GLOBAL ? t == 0 : false;
      r |= (u32)in << i;
    }
    writePred(x, I.d, r);
  }
};
struct MovLocal {
  static void full(Exec& x, const Ins& I) {
    alignas(64) u64 t[WARP];
    u64 v = x.fr->locBase + I.imm;
    LANES t[i] = v;
    if (I.dw == 4) {
      alignas(64) u32 q[WARP];
      LANES q[i] = (u32)v;
      writeLanes(x, I.d, q);
    } else
      writeLanes(x, I.d, t);
  }
};
struct MovParam {
  static void full(Exec& x, const Ins& I) {
    alignas(64) u64 t[WARP];
    u64 v = (u64)x.params + I.imm;
    LANES t[i] = v;
    writeLanes(x, I.d, t);
  }
};
template <class M>
Fns ldR(int r) {
  switch (r) {
    case 2:
      if constexpr (sizeof(M) <= 2) return one<Ld<M, std::conditional_t<std::is_signed_v<M>, i16, u16>>>();
      break;
    case 4:
      if constexpr (sizeof(M) <= 4) return one<Ld<M, std::conditional_t<std::is_signed_v<M>, i32, u32>>>();
      break;
    case 8:
      return one<Ld<M, std::conditional_t<std::is_signed_v<M>, i64, u64>>>();
  }
  return {};
}
template <class M>
Fns stR(int r) {
  switch (r) {
    case 2:
      if constexpr (sizeof(M) <= 2) return one<St<M, u16>>();
      break;
    case 4:
      if constexpr (sizeof(M) <= 4) return one<St<M, u32>>();
      break;
    case 8:
      return one<St<M, u64>>();
  }
  return {};
}
}  // namespace
Fns ldLookup(Ty t, int r) {
  switch (t) {
    case T_S8:
      return ldR<i8>(r);
    case T_S16:
      return ldR<i16>(r);
    case T_S32:
      return ldR<i32>(r);
    default:
      break;
  }
  switch (tySize(t)) {
    case 1:
      return ldR<u8>(r);
    case 2:
      return ldR<u16>(r);
    case 4:
      return ldR<u32>(r);
    case 8:
      return ldR<u64>(r);
  }
  return {};
}
Fns stLookup(int m, int r) {
  switch (m) {
    case 1:
      return stR<u8>(r);
    case 2:
      return stR<u16>(r);
    case 4:
      return stR<u32>(r);
    case 8:
      return stR<u64>(r);
  }
  return {};
}
Fns ldParamLookup() {
  return one<LdParam>();
}
Fns cvtaLookup() {
  return one<Cvta>();
}
Fns isspacepLookup() {
  return one<IsSpace>();
}
Fns movLocalLookup() {
  return one<MovLocal>();
}
Fns movParamLookup() {
  return one<MovParam>();
}
}  // namespace emu
