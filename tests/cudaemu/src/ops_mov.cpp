// SPDX-License-Identifier: MIT
// Moves, packing, predicate logic, carry chains, and handlers under another rounding mode.
#include "alu.h"
#include "ops.h"

namespace emu {
namespace {
template <class T>
struct Mov {
  static void full(Exec& x, const Ins& I) { memcpy(DST<T>(x, I.d), SRC<T>(x, I.a), sizeof(T) * WARP); }
  static void part(Exec& x, const Ins& I) { blend(DST<T>(x, I.d), SRC<T>(x, I.a), x.mask); }
};
struct MovPred {
  static void full(Exec& x, const Ins& I) { writePred(x, I.d, readPred(x, I.a, I.flags & IF_NEG_A)); }
  static void part(Exec& x, const Ins& I) { full(x, I); }
};
template <int K>
struct PredOp {
  static void full(Exec& x, const Ins& I) {
    u32 a = readPred(x, I.a, I.flags & IF_NEG_A);
    u32 r;
    if constexpr (K == 3)
      r = ~a;
    else {
      u32 b = readPred(x, I.b, I.flags & IF_NEG_B);
      r = K == 0 ? a & b : K == 1 ? a | b : a ^ b;
    }
    writePred(x, I.d, r);
  }
  static void part(Exec& x, const Ins& I) { full(x, I); }
};
// mov with packing: v[] elements of size sw, total size dw
struct Pack {
  static void full(Exec& x, const Ins& I) {
    alignas(64) u64 t[WARP];
    LANES t[i] = 0;
    for (int k = 0; k < I.n; k++) {
      if (I.v[k] < 0) continue;
      int sh = k * I.sw * 8;
      switch (I.sw) {
        case 1: {
          const u16* s = SRC<u16>(x, I.v[k]);
          LANES t[i] |= (u64)(u8)s[i] << sh;
          break;
        }
        case 2: {
          const u16* s = SRC<u16>(x, I.v[k]);
          LANES t[i] |= (u64)s[i] << sh;
          break;
        }
        case 4: {
          const u32* s = SRC<u32>(x, I.v[k]);
          LANES t[i] |= (u64)s[i] << sh;
          break;
        }
        case 8: {
          const u64* s = SRC<u64>(x, I.v[k]);
          if (I.dw == 16) {
            alignas(64) u64 q[WARP];
            memcpy(q, s, sizeof q);
            blend(DST<u64>(x, I.d) + k * WARP, q, x.mask);
          } else
            LANES t[i] |= s[i];
          break;
        }
      }
    }
    switch (I.dw) {
      case 2: {
        alignas(64) u16 r[WARP];
        LANES r[i] = (u16)t[i];
        writeLanes(x, I.d, r);
        break;
      }
      case 4: {
        alignas(64) u32 r[WARP];
        LANES r[i] = (u32)t[i];
        writeLanes(x, I.d, r);
        break;
      }
      case 8:
        writeLanes(x, I.d, t);
        break;
    }
  }
  static void part(Exec& x, const Ins& I) { full(x, I); }
};
struct Unpack {
  static void full(Exec& x, const Ins& I) {
    alignas(64) u64 t[WARP];
    if (I.dw == 16) {
      const u64* s = SRC<u64>(x, I.a);
      for (int k = 0; k < 2; k++)
        if (I.v[k] >= 0) {
          alignas(64) u64 q[WARP];
          memcpy(q, s + k * WARP, sizeof q);
          writeLanes(x, I.v[k], q);
        }
      return;
    }
    switch (I.dw) {
      case 2: {
        const u16* s = SRC<u16>(x, I.a);
        LANES t[i] = s[i];
        break;
      }
      case 4: {
        const u32* s = SRC<u32>(x, I.a);
        LANES t[i] = s[i];
        break;
      }
      default: {
        const u64* s = SRC<u64>(x, I.a);
        LANES t[i] = s[i];
      }
    }
    for (int k = 0; k < I.n; k++) {
      if (I.v[k] < 0) continue;
      int sh = k * I.sw * 8;
      if (I.sw == 4) {
        alignas(64) u32 r[WARP];
        LANES r[i] = (u32)(t[i] >> sh);
        writeLanes(x, I.v[k], r);
      } else if (I.sw == 8) {
        writeLanes(x, I.v[k], t);
      } else {
        u32 m = I.sw == 1 ? 0xff : 0xffff;
        alignas(64) u16 r[WARP];
        LANES r[i] = (u16)((t[i] >> sh) & m);
        writeLanes(x, I.v[k], r);
      }
    }
  }
  static void part(Exec& x, const Ins& I) { full(x, I); }
};
// carry chains; the carry flag is the predicate slot at offset 0.  sub: 0 add 1 sub 2 mad.lo 3 mad.hi; flags sub2 bit0:
// set cc, bit1: use cc
template <class T>
struct Carry {
  static void full(Exec& x, const Ins& I) {
    const T *a = SRC<T>(x, I.a), *b = SRC<T>(x, I.b), *c = I.c >= 0 ? SRC<T>(x, I.c) : nullptr;
    u32* cc = DST<u32>(x, 0);
    u32 cin = I.sub2 & 2 ? *cc : 0, cout = 0;
    alignas(64) T t[WARP];
    LANES {
      T ci = (cin >> i) & 1;
      unsigned __int128 r;
      if (I.sub == 0)
        r = (unsigned __int128)a[i] + b[i] + ci;
      else if (I.sub == 1)
        r = (unsigned __int128)a[i] - b[i] - ci;
      else {
        T p;
        if (I.sub == 2)
          p = (T)(a[i] * b[i]);
        else if (I.dw)
          p = (T)mulhi((std::make_signed_t<T>)a[i], (std::make_signed_t<T>)b[i]);
        else
          p = mulhi(a[i], b[i]);
        r = (unsigned __int128)p + c[i] + ci;
      }
      t[i] = (T)r;
      cout |= (u32)((r >> (sizeof(T) * 8)) & 1) << i;
    }
    writeLanes(x, I.d, t);
    if (I.sub2 & 1) *cc = (*cc & ~x.mask) | (cout & x.mask);
  }
  static void part(Exec& x, const Ins& I) { full(x, I); }
};
// run a handler with another MXCSR (rounding mode, flush to zero)
struct Csr {
  static void full(Exec& x, const Ins& I) {
    u32 o = _mm_getcsr();
    _mm_setcsr((o & ~0x6000u) | (u32)I.target);
    ((Fn)I.imm)(x, I);
    _mm_setcsr(o);
  }
  static void part(Exec& x, const Ins& I) {
    Fn f;
    memcpy(&f, &I.v[6], 8);
    u32 o = _mm_getcsr();
    _mm_setcsr((o & ~0x6000u) | (u32)I.target);
    f(x, I);
    _mm_setcsr(o);
  }
};
}  // namespace
Fns csrWrap() {
  return fns<Csr>();
}
Fns packLookup() {
  return fns<Pack>();
}
Fns unpackLookup() {
  return fns<Unpack>();
}
Fns carryLookup(int s) {
  return s == 8 ? fns<Carry<u64>>() : fns<Carry<u32>>();
}
Fns movLookup(int s) {
  return s == 0 ? fns<MovPred>() : s == 2 || s == 1 ? fns<Mov<u16>>() : s == 4 ? fns<Mov<u32>>() : fns<Mov<u64>>();
}
Fns predLogic(std::string_view o) {
  if (o == "and") return fns<PredOp<0>>();
  if (o == "or") return fns<PredOp<1>>();
  if (o == "xor") return fns<PredOp<2>>();
  if (o == "not") return fns<PredOp<3>>();
  return {};
}
}  // namespace emu
