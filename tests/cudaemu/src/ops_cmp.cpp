// SPDX-License-Identifier: MIT
// Comparison and selection: setp, set, selp, slct.
#include "lanes.h"
#include "ops.h"

namespace emu {
namespace {
struct CEq {
  template <class T>
  static bool f(T a, T b) {
    return a == b;
  }
};
struct CNe {
  template <class T>
  static bool f(T a, T b) {
    return a != b;
  }
};
struct CLt {
  template <class T>
  static bool f(T a, T b) {
    return a < b;
  }
};
struct CLe {
  template <class T>
  static bool f(T a, T b) {
    return a <= b;
  }
};
struct CGt {
  template <class T>
  static bool f(T a, T b) {
    return a > b;
  }
};
struct CGe {
  template <class T>
  static bool f(T a, T b) {
    return a >= b;
  }
};
struct CNum {
  template <class T>
  static bool f(T a, T b) {
    return a == a && b == b;
  }
};
struct CNan {
  template <class T>
  static bool f(T a, T b) {
    return a != a || b != b;
  }
};
struct CFNe {
  template <class T>
  static bool f(T a, T b) {
    return a < b || a > b;
  }
};  // ordered ne
struct CEqu {
  template <class T>
  static bool f(T a, T b) {
    return !(a < b || a > b);
  }
};
struct CLtu {
  template <class T>
  static bool f(T a, T b) {
    return !(a >= b);
  }
};
struct CLeu {
  template <class T>
  static bool f(T a, T b) {
    return !(a > b);
  }
};
struct CGtu {
  template <class T>
  static bool f(T a, T b) {
    return !(a <= b);
  }
};
struct CGeu {
  template <class T>
  static bool f(T a, T b) {
    return !(a < b);
  }
};
#if defined(__AVX512F__)
template <class C>
constexpr int cmpCode() {  // _MM_CMPINT_* / _CMP_* codes
  if (std::is_same_v<C, CEq>) return 0;
  if (std::is_same_v<C, CLt>) return 1;
  if (std::is_same_v<C, CLe>) return 2;
  if (std::is_same_v<C, CNe>) return 4;
  if (std::is_same_v<C, CGe>) return 5;
  if (std::is_same_v<C, CGt>) return 6;
  return -1;
}
template <class C>
constexpr int fcmpCode() {
  if (std::is_same_v<C, CEq>) return _CMP_EQ_OQ;
  if (std::is_same_v<C, CLt>) return _CMP_LT_OQ;
  if (std::is_same_v<C, CLe>) return _CMP_LE_OQ;
  if (std::is_same_v<C, CNe>) return _CMP_NEQ_UQ;
  if (std::is_same_v<C, CGe>) return _CMP_GE_OQ;
  if (std::is_same_v<C, CGt>) return _CMP_GT_OQ;
  if (std::is_same_v<C, CNum>) return _CMP_ORD_Q;
  if (std::is_same_v<C, CNan>) return _CMP_UNORD_Q;
  if (std::is_same_v<C, CFNe>) return _CMP_NEQ_OQ;
  if (std::is_same_v<C, CEqu>) return _CMP_EQ_UQ;
  if (std::is_same_v<C, CLtu>) return _CMP_NGE_UQ;
  if (std::is_same_v<C, CLeu>) return _CMP_NGT_UQ;
  if (std::is_same_v<C, CGtu>) return _CMP_NLE_UQ;
  if (std::is_same_v<C, CGeu>) return _CMP_NLT_UQ;
  return -1;
}
#endif
template <class C, class T>
inline u32 cmpMask(const T* a, const T* b) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<T, float>) {
    constexpr int k = fcmpCode<C>();
    return (u32)_mm512_cmp_ps_mask(_mm512_load_ps(a), _mm512_load_ps(b), k) |
           ((u32)_mm512_cmp_ps_mask(_mm512_load_ps(a + 16), _mm512_load_ps(b + 16), k) << 16);
  } else if constexpr (std::is_same_v<T, double>) {
    constexpr int k = fcmpCode<C>();
    u32 r = 0;
    for (int j = 0; j < 4; j++)
      r |= (u32)_mm512_cmp_pd_mask(_mm512_load_pd(a + 8 * j), _mm512_load_pd(b + 8 * j), k) << (8 * j);
    return r;
  } else if constexpr (sizeof(T) == 4) {
    constexpr int k = cmpCode<C>();
    __m512i a0 = _mm512_load_si512(a), a1 = _mm512_load_si512(a + 16), b0 = _mm512_load_si512(b),
            b1 = _mm512_load_si512(b + 16);
    if constexpr (std::is_signed_v<T>)
      return (u32)_mm512_cmp_epi32_mask(a0, b0, k) | ((u32)_mm512_cmp_epi32_mask(a1, b1, k) << 16);
    else
      return (u32)_mm512_cmp_epu32_mask(a0, b0, k) | ((u32)_mm512_cmp_epu32_mask(a1, b1, k) << 16);
  } else if constexpr (sizeof(T) == 8) {
    constexpr int k = cmpCode<C>();
    u32 r = 0;
    for (int j = 0; j < 4; j++) {
      __m512i p = _mm512_load_si512(a + 8 * j), q = _mm512_load_si512(b + 8 * j);
      if constexpr (std::is_signed_v<T>)
        r |= (u32)_mm512_cmp_epi64_mask(p, q, k) << (8 * j);
      else
        r |= (u32)_mm512_cmp_epu64_mask(p, q, k) << (8 * j);
    }
    return r;
  } else
#endif
  {
    alignas(32) u8 t[WARP];
    LANES t[i] = C::f(a[i], b[i]) ? 0xff : 0;
    return movemask(t);
  }
}
template <class C>
struct HCmp {
  static bool f(u16 a, u16 b) { return C::f(h2f(a), h2f(b)); }
};
template <class C>
struct BCmp {
  static bool f(u16 a, u16 b) { return C::f(bf2f(a), bf2f(b)); }
};
// sub: 0 none, 1 and, 2 or, 3 xor.  c: combining predicate
template <class C, class T>
struct Setp {
  static void full(Exec& x, const Ins& I) {
    u32 r = cmpMask<C, T>(SRC<T>(x, I.a), SRC<T>(x, I.b));
    u32 q = ~r;
    if (I.sub) {
      u32 c = readPred(x, I.c, I.flags & IF_NEG_C);
      if (I.sub == 1) {
        r &= c;
        q &= c;
      } else if (I.sub == 2) {
        r |= c;
        q |= c;
      } else {
        r ^= c;
        q ^= c;
      }
    }
    if (I.d >= 0) writePred(x, I.d, r);
    if (I.d2 >= 0) writePred(x, I.d2, q);
  }
  static void part(Exec& x, const Ins& I) { full(x, I); }
};
template <class C, class T>
struct SetH {
  static void full(Exec& x, const Ins& I) {  // set: dw 4 / 2, sub2 1: float result
    u32 r = cmpMask<C, T>(SRC<T>(x, I.a), SRC<T>(x, I.b));
    if (I.sub) {
      u32 c = readPred(x, I.c, I.flags & IF_NEG_C);
      if (I.sub == 1)
        r &= c;
      else if (I.sub == 2)
        r |= c;
      else
        r ^= c;
    }
    u32 one = I.sub2 == 1 ? 0x3f800000u : I.sub2 == 2 ? 0x3c00u : I.sub2 == 3 ? 0x3f80u : ~0u;
    if (I.dw == 2) {
      alignas(64) u16 t[WARP];
      LANES t[i] = (r >> i) & 1 ? (u16)one : 0;
      writeLanes(x, I.d, t);
    } else {
      alignas(64) u32 t[WARP];
      LANES t[i] = (r >> i) & 1 ? one : 0;
      writeLanes(x, I.d, t);
    }
  }
  static void part(Exec& x, const Ins& I) { full(x, I); }
};
template <template <class, class> class H, class C>
Fns cmpT(Ty t) {
  switch (t) {
    case T_S16:
      return fns<H<C, i16>>();
    case T_U16:
    case T_B16:
      return fns<H<C, u16>>();
    case T_S32:
      return fns<H<C, i32>>();
    case T_U32:
    case T_B32:
      return fns<H<C, u32>>();
    case T_S64:
      return fns<H<C, i64>>();
    case T_U64:
    case T_B64:
      return fns<H<C, u64>>();
    case T_F32:
      return fns<H<C, float>>();
    case T_F64:
      return fns<H<C, double>>();
    case T_F16:
      return fns<H<HCmp<C>, u16>>();
    case T_BF16:
      return fns<H<BCmp<C>, u16>>();
    default:
      return {};
  }
}
template <template <class, class> class H, class C>
Fns cmpF(Ty t) {
  switch (t) {
    case T_F32:
      return fns<H<C, float>>();
    case T_F64:
      return fns<H<C, double>>();
    case T_F16:
      return fns<H<HCmp<C>, u16>>();
    case T_BF16:
      return fns<H<BCmp<C>, u16>>();
    default:
      return {};
  }
}
template <template <class, class> class H>
Fns cmpLookup(std::string_view c, Ty t) {
  bool fl = tyFloat(t);
  if (c == "eq") return cmpT<H, CEq>(t);
  if (c == "ne") return fl ? cmpF<H, CFNe>(t) : cmpT<H, CNe>(t);
  if (c == "lt" || c == "lo") return cmpT<H, CLt>(t);
  if (c == "le" || c == "ls") return cmpT<H, CLe>(t);
  if (c == "gt" || c == "hi") return cmpT<H, CGt>(t);
  if (c == "ge" || c == "hs") return cmpT<H, CGe>(t);
  if (!fl) return {};
  if (c == "equ") return cmpF<H, CEqu>(t);
  if (c == "neu") return cmpF<H, CNe>(t);
  if (c == "ltu") return cmpF<H, CLtu>(t);
  if (c == "leu") return cmpF<H, CLeu>(t);
  if (c == "gtu") return cmpF<H, CGtu>(t);
  if (c == "geu") return cmpF<H, CGeu>(t);
  if (c == "num") return cmpF<H, CNum>(t);
  if (c == "nan") return cmpF<H, CNan>(t);
  return {};
}
template <class T>
struct Selp {
  static void full(Exec& x, const Ins& I) {
    const T *a = SRC<T>(x, I.a), *b = SRC<T>(x, I.b);
    u32 p = readPred(x, I.c, I.flags & IF_NEG_C);
    alignas(64) T t[WARP];
    memcpy(t, b, sizeof t);
    blend(t, a, p);
    memcpy(DST<T>(x, I.d), t, sizeof t);
  }
  static void part(Exec& x, const Ins& I) {
    const T *a = SRC<T>(x, I.a), *b = SRC<T>(x, I.b);
    u32 p = readPred(x, I.c, I.flags & IF_NEG_C);
    alignas(64) T t[WARP];
    memcpy(t, b, sizeof t);
    blend(t, a, p);
    blend(DST<T>(x, I.d), t, x.mask);
  }
};
template <class T>
struct Slct {
  static void full(Exec& x, const Ins& I) {
    const T *a = SRC<T>(x, I.a), *b = SRC<T>(x, I.b);
    alignas(64) T t[WARP];
    if (I.sub) {
      const float* c = SRC<float>(x, I.c);
      LANES t[i] = c[i] >= 0 ? a[i] : b[i];
    } else {
      const i32* c = SRC<i32>(x, I.c);
      LANES t[i] = c[i] >= 0 ? a[i] : b[i];
    }
    writeLanes(x, I.d, t);
  }
  static void part(Exec& x, const Ins& I) { full(x, I); }
};
}  // namespace
Fns setpLookup(std::string_view c, Ty t) {
  return cmpLookup<Setp>(c, t);
}
Fns setLookup(std::string_view c, Ty t) {
  return cmpLookup<SetH>(c, t);
}
Fns selpLookup(int s) {
  return s == 2 ? fns<Selp<u16>>() : s == 4 ? fns<Selp<u32>>() : fns<Selp<u64>>();
}
Fns slctLookup(int s) {
  return s == 2 ? fns<Slct<u16>>() : s == 4 ? fns<Slct<u32>>() : fns<Slct<u64>>();
}
}  // namespace emu
