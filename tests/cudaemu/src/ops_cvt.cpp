// SPDX-License-Identifier: MIT
// cvt in all its forms.
// Ins::sub rounding (0 none, 1 rn, 2 rz, 3 rm, 4 rp, 5 rni, 6 rzi, 7 rmi, 8 rpi), sub2 bit 0: .sat, bit 1: .relu;
// dw/sw: register sizes
#include "lanes.h"
#include "ops.h"

#include <limits>

namespace emu {
namespace {
template <class S>
struct Rep {
  using type = S;
};
template <>
struct Rep<h16> {
  using type = float;
};
template <>
struct Rep<bf16> {
  using type = float;
};
template <class S>
inline void load(const Exec& x, const Ins& I, typename Rep<S>::type* s) {
  if constexpr (std::is_same_v<S, h16>) {
    const u16* a = SRC<u16>(x, I.a);
    LANES s[i] = h2f(a[i]);
  } else if constexpr (std::is_same_v<S, bf16>) {
    const u16* a = SRC<u16>(x, I.a);
    LANES s[i] = bf2f(a[i]);
  } else if constexpr (std::is_floating_point_v<S>)
    memcpy(s, SRC<S>(x, I.a), sizeof(S) * WARP);
  else
    switch (I.sw) {
      case 2: {
        const u16* a = SRC<u16>(x, I.a);
        LANES s[i] = (S)a[i];
        break;
      }
      case 4: {
        const u32* a = SRC<u32>(x, I.a);
        LANES s[i] = (S)a[i];
        break;
      }
      default: {
        const u64* a = SRC<u64>(x, I.a);
        LANES s[i] = (S)a[i];
      }
    }
}
template <class D>
inline void store(Exec& x, const Ins& I, const D* d) {
  if constexpr (std::is_floating_point_v<D>)
    writeLanes(x, I.d, d);
  else {
    using E = std::conditional_t<std::is_signed_v<D>, i64, u64>;
    switch (I.dw) {
      case 2: {
        alignas(64) u16 t[WARP];
        LANES t[i] = (u16)(E)d[i];
        writeLanes(x, I.d, t);
        break;
      }
      case 4: {
        alignas(64) u32 t[WARP];
        LANES t[i] = (u32)(E)d[i];
        writeLanes(x, I.d, t);
        break;
      }
      default: {
        alignas(64) u64 t[WARP];
        LANES t[i] = (u64)(E)d[i];
        writeLanes(x, I.d, t);
      }
    }
  }
}
template <class T>
inline void roundI(T* s, int mode) {
  switch (mode) {
    case 5:
    case 1:
      LANES s[i] = std::nearbyint(s[i]);
      break;
    case 6:
    case 2:
      LANES s[i] = std::trunc(s[i]);
      break;
    case 7:
    case 3:
      LANES s[i] = std::floor(s[i]);
      break;
    case 8:
    case 4:
      LANES s[i] = std::ceil(s[i]);
      break;
    default:
      LANES s[i] = std::trunc(s[i]);
  }
}
// NaN becomes 0 if both types have 32 bits at most, otherwise the top bit of D (PTX ISA, cvt)
template <class D, class F>
inline D clampTo(F v, D nan) {
  constexpr F hi = (F)((std::numeric_limits<D>::max() / 2 + 1)) * (F)2;
  constexpr F lo = (F)std::numeric_limits<D>::min();
  return v != v ? nan : v >= hi ? std::numeric_limits<D>::max() : v <= lo ? std::numeric_limits<D>::min() : (D)v;
}
inline u16 f2hMode(float f, int m) {
  switch (m) {
    case 2:
      return (u16)_cvtss_sh(f, 3);
    case 3:
      return (u16)_cvtss_sh(f, 1);
    case 4:
      return (u16)_cvtss_sh(f, 2);
    default:
      return f2h(f);
  }
}
inline u16 f2bfMode(float f, int m) {
  if (m == 2) {
    u32 u;
    memcpy(&u, &f, 4);
    if ((u & 0x7fffffff) > 0x7f800000) return 0x7fff;
    return (u16)(u >> 16);
  }
  return f2bf(f);
}
template <class D, class S>
struct Cvt {
  static void full(Exec& x, const Ins& I) {
    using SR = typename Rep<S>::type;
    alignas(64) SR s[WARP];
    load<S>(x, I, s);
    constexpr bool sf = std::is_floating_point_v<SR>;
    constexpr bool dh = std::is_same_v<D, h16>, db = std::is_same_v<D, bf16>;
    constexpr bool df = std::is_floating_point_v<D> || dh || db;
    if constexpr (!sf && !df) {
      alignas(64) D d[WARP];
      if (I.sub2 & 1) {
        LANES {
          __int128 v = s[i];
          __int128 lo = std::numeric_limits<D>::min(), hi = std::numeric_limits<D>::max();
          d[i] = (D)(v < lo ? lo : v > hi ? hi : v);
        }
      } else
        LANES d[i] = (D)s[i];
      store<D>(x, I, d);
    } else if constexpr (sf && !df) {
      alignas(64) D d[WARP];
      roundI(s, I.sub);
      constexpr D nan = sizeof(D) == 8 || std::is_same_v<S, double> ? (D)((u64)1 << (sizeof(D) * 8 - 1)) : (D)0;
      LANES d[i] = clampTo<D>(s[i], nan);
      store<D>(x, I, d);
    } else {
      if constexpr (sf) {
        if (I.sub >= 5) roundI(s, I.sub);
        if (I.sub2 & 1) {
          LANES s[i] = s[i] > (SR)0 ? (s[i] < (SR)1 ? s[i] : (SR)1) : (SR)0;
        }
        if (I.sub2 & 2) {
          LANES s[i] = s[i] > (SR)0 || s[i] != s[i] ? s[i] : (SR)0;
        }
      }
      if constexpr (dh || db) {
        alignas(64) u16 t[WARP];
        LANES {
          if constexpr (sf && sizeof(SR) == 4)
            t[i] = dh ? f2hMode(s[i], I.sub) : f2bfMode(s[i], I.sub);
          else
            t[i] = dh ? d2h((double)s[i]) : d2bf((double)s[i]);
        }
        writeLanes(x, I.d, t);
      } else {
        alignas(64) D d[WARP];
        LANES d[i] = (D)s[i];
        store<D>(x, I, d);
      }
    }
  }
  static void part(Exec& x, const Ins& I) { full(x, I); }
};
// two floats -> packed halves: a is the high half, b the low half.  sub2: 0 f16, 4 bf16 (bit 2)
template <bool BF>
struct CvtPack {
  static void full(Exec& x, const Ins& I) {
    const float *a = SRC<float>(x, I.a), *b = SRC<float>(x, I.b);
    alignas(64) u32 t[WARP];
    LANES {
      float p = a[i], q = b[i];
      if (I.sub2 & 2) {
        p = p > 0 || p != p ? p : 0;
        q = q > 0 || q != q ? q : 0;
      }
      u16 h = BF ? f2bfMode(p, I.sub) : f2hMode(p, I.sub), l = BF ? f2bfMode(q, I.sub) : f2hMode(q, I.sub);
      t[i] = ((u32)h << 16) | l;
    }
    writeLanes(x, I.d, t);
  }
  static void part(Exec& x, const Ins& I) { full(x, I); }
};
template <class D>
Fns from(Ty s) {
  switch (s) {
    case T_U8:
    case T_B8:
      return fns<Cvt<D, u8>>();
    case T_S8:
      return fns<Cvt<D, i8>>();
    case T_U16:
    case T_B16:
      return fns<Cvt<D, u16>>();
    case T_S16:
      return fns<Cvt<D, i16>>();
    case T_U32:
    case T_B32:
      return fns<Cvt<D, u32>>();
    case T_S32:
      return fns<Cvt<D, i32>>();
    case T_U64:
    case T_B64:
      return fns<Cvt<D, u64>>();
    case T_S64:
      return fns<Cvt<D, i64>>();
    case T_F32:
      return fns<Cvt<D, float>>();
    case T_F64:
      return fns<Cvt<D, double>>();
    case T_F16:
      return fns<Cvt<D, h16>>();
    case T_BF16:
      return fns<Cvt<D, bf16>>();
    default:
      return {};
  }
}
}  // namespace
Fns cvtLookup(Ty d, Ty s) {
  switch (d) {
    case T_U8:
    case T_B8:
      return from<u8>(s);
    case T_S8:
      return from<i8>(s);
    case T_U16:
    case T_B16:
      return from<u16>(s);
    case T_S16:
      return from<i16>(s);
    case T_U32:
    case T_B32:
      return from<u32>(s);
    case T_S32:
      return from<i32>(s);
    case T_U64:
    case T_B64:
      return from<u64>(s);
    case T_S64:
      return from<i64>(s);
    case T_F32:
      return from<float>(s);
    case T_F64:
      return from<double>(s);
    case T_F16:
      return from<h16>(s);
    case T_BF16:
      return from<bf16>(s);
    case T_F16X2:
      return s == T_F32 ? fns<CvtPack<false>>() : Fns{};
    case T_BF16X2:
      return s == T_F32 ? fns<CvtPack<true>>() : Fns{};
    default:
      return {};
  }
}
}  // namespace emu
