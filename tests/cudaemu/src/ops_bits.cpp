// SPDX-License-Identifier: MIT
// Bit operations on integers: logic, shifts, fields, counts, permutation.
#include "alu.h"
#include "ops.h"

namespace emu {
namespace {
struct And {
  template <class T>
  static T f(T a, T b) {
    return a & b;
  }
};
struct Or {
  template <class T>
  static T f(T a, T b) {
    return a | b;
  }
};
struct Xor {
  template <class T>
  static T f(T a, T b) {
    return a ^ b;
  }
};
struct Not {
  template <class T>
  static T f(T a) {
    return (T)~a;
  }
};
struct CNot {
  template <class T>
  static T f(T a) {
    return a == 0;
  }
};
struct Shl {
  template <class T>
  static T f(T a, u32 s) {
    return s >= sizeof(T) * 8 ? (T)0 : (T)(a << (s & (sizeof(T) * 8 - 1)));
  }
};
struct Shr {
  template <class T>
  static T f(T a, u32 s) {
    constexpr u32 w = sizeof(T) * 8;
    if constexpr (std::is_signed_v<T>)
      return (T)(a >> (s >= w ? w - 1 : s));
    else
      return s >= w ? (T)0 : (T)(a >> (s & (w - 1)));
  }
};
struct Popc {
  static u32 f(u32 a) { return (u32)__builtin_popcount(a); }
  static u32 f(u64 a) { return (u32)__builtin_popcountll(a); }
};
struct Clz {
  static u32 f(u32 a) { return a ? (u32)__builtin_clz(a) : 32; }
  static u32 f(u64 a) { return a ? (u32)__builtin_clzll(a) : 64; }
};
struct Brev {
  static u32 f(u32 v) {
    v = ((v >> 1) & 0x55555555) | ((v & 0x55555555) << 1);
    v = ((v >> 2) & 0x33333333) | ((v & 0x33333333) << 2);
    v = ((v >> 4) & 0x0f0f0f0f) | ((v & 0x0f0f0f0f) << 4);
    return __builtin_bswap32(v);
  }
  static u64 f(u64 v) { return ((u64)f((u32)v) << 32) | f((u32)(v >> 32)); }
};
struct Bfe {
  template <class T>
  static T f(T a, u32 b, u32 c) {
    constexpr u32 W = sizeof(T) * 8;
    u32 pos = b & 255, len = c & 255;
    if constexpr (std::is_signed_v<T>) {
      using U = Un<T>;
      if (len == 0) return 0;
      u32 msb = W - 1;
      u32 sp = pos + len - 1 < msb ? pos + len - 1 : msb;
      bool s = ((U)a >> sp) & 1;
      U v = pos >= W ? (U)0 : (U)((U)a >> pos);
      u32 valid = pos >= W ? 0 : (len < W - pos ? len : W - pos);
      if (valid < W) {
        U m = valid == 0 ? (U)0 : (U)(((U)1 << valid) - 1);
        v = (v & m) | (s ? (U)~m : (U)0);
      }
      return (T)v;
    } else {
      if (pos >= W || len == 0) return 0;
      T v = a >> pos;
      if (len < W) v &= (T)(((T)1 << len) - 1);
      return v;
    }
  }
};
struct Bfi {
  template <class T>
  static T f(T a, T b, u32 c, u32 d) {
    constexpr u32 W = sizeof(T) * 8;
    u32 pos = c & 255, len = d & 255;
    if (pos >= W || len == 0) return b;
    T m = len >= W ? (T) ~(T)0 : (T)(((T)1 << len) - 1);
    m = (T)(m << pos);
    return (T)((b & ~m) | ((a << pos) & m));
  }
};
template <bool SH>
struct Bfind {
  static u32 f(u32 a) {
    if (!a) return ~0u;
    u32 p = 31 - __builtin_clz(a);
    return SH ? 31 - p : p;
  }
  static u32 f(u64 a) {
    if (!a) return ~0u;
    u32 p = 63 - __builtin_clzll(a);
    return SH ? 63 - p : p;
  }
  static u32 f(i32 a) { return f((u32)(a < 0 ? ~a : a)); }
  static u32 f(i64 a) { return f((u64)(a < 0 ? ~a : a)); }
};
template <int L, bool WRAP>
struct Shf {
  static u32 f(u32 a, u32 b, u32 c) {
    u32 s = WRAP ? (c & 31) : (c > 32 ? 32 : c);
    u64 v = ((u64)b << 32) | a;
    if (L)
      return s == 0 ? b : (u32)((v << s) >> 32) | (s == 32 ? a : 0);
    else
      return s >= 32 ? b : (u32)(v >> s);
  }
};
template <int L>
struct ShfL32 {
  static u32 f(u32 a, u32 b, u32 c) {
    u32 s = c > 32 ? 32 : c;
    u64 v = ((u64)b << 32) | a;
    if (L) return s == 32 ? a : (u32)((v << s) >> 32);
    return s >= 32 ? b : (u32)(v >> s);
  }
};
struct Bmsk {
  static u32 f(u32 a, u32 b) {
    if (a >= 32 || b == 0) return 0;
    u32 l = b > 32 ? 32 : b;
    u64 m = (((u64)1 << l) - 1) << a;
    return (u32)m;
  }
};
struct BmskWrap {
  static u32 f(u32 a, u32 b) { return Bmsk::f(a & 31, b & 31); }
};
struct SzextU {
  static u32 f(u32 a, u32 b) {
    if (b >= 32) return a;
    return b == 0 ? 0 : a & ((1u << b) - 1);
  }
};
struct SzextS {
  static u32 f(u32 a, u32 b) {
    if (b >= 32) return a;
    if (b == 0) return 0;
    return (u32)((i32)(a << (32 - b)) >> (32 - b));
  }
};
struct Prmt {
  static u32 f(u32 a, u32 b, u32 c) {
    u64 v = ((u64)b << 32) | a;
    u32 r = 0;
    for (int k = 0; k < 4; k++) {
      u32 s = (c >> (4 * k)) & 15;
      u32 by = (u32)(v >> (8 * (s & 7))) & 255;
      if (s & 8) by = (by & 128) ? 255 : 0;
      r |= by << (8 * k);
    }
    return r;
  }
};
template <class F>
Fns bits2(Ty t) {
  switch (tySize(t)) {
    case 2:
      return mk2<F, u16, u16, u16>();
    case 4:
      return mk2<F, u32, u32, u32>();
    case 8:
      return mk2<F, u64, u64, u64>();
  }
  return {};
}
// bfi and lop3 have four inputs / an immediate
template <class T>
struct BfiH {
  static void full(Exec& x, const Ins& I) {
    const T *a = SRC<T>(x, I.a), *b = SRC<T>(x, I.b);
    const u32 *c = SRC<u32>(x, I.c), *e = SRC<u32>(x, I.e);
    alignas(64) T t[WARP];
    LANES t[i] = Bfi::f(a[i], b[i], c[i], e[i]);
    writeLanes(x, I.d, t);
  }
  static void part(Exec& x, const Ins& I) { full(x, I); }
};
struct Lop3 {
  static void full(Exec& x, const Ins& I) {
    const u32 *a = SRC<u32>(x, I.a), *b = SRC<u32>(x, I.b), *c = SRC<u32>(x, I.c);
    alignas(64) u32 t[WARP];
    u32 k = (u32)I.imm;
    u32 m[8];
    for (int j = 0; j < 8; j++) m[j] = (k >> j) & 1 ? ~0u : 0;
    LANES {
      u32 A = a[i], B = b[i], C = c[i];
      t[i] = (~A & ~B & ~C & m[0]) | (~A & ~B & C & m[1]) | (~A & B & ~C & m[2]) | (~A & B & C & m[3]) |
             (A & ~B & ~C & m[4]) | (A & ~B & C & m[5]) | (A & B & ~C & m[6]) | (A & B & C & m[7]);
    }
    writeLanes(x, I.d, t);
    if (I.d2 >= 0) {
      u32 p = 0;
      LANES p |= (u32)(t[i] != 0) << i;
      u32 q = readPred(x, I.e, I.flags & IF_NEG_C);
      writePred(x, I.d2, I.sub ? p & q : p | q);
    }
  }
  static void part(Exec& x, const Ins& I) { full(x, I); }
};
struct FindNthSet {
  static u32 f(u32 mask, u32 base, i32 off) {
    u32 pos = ~0u;
    if (off == 0) {
      if ((mask >> (base & 31)) & 1) pos = base;
    } else {
      int inc = off > 0 ? 1 : -1;
      i32 cnt = 0, p = (i32)base;
      i32 n = off > 0 ? off : -off;
      for (; p >= 0 && p < 32; p += inc)
        if ((mask >> p) & 1) {
          if (++cnt == n) {
            pos = (u32)p;
            break;
          }
        }
    }
    return pos;
  }
};
}  // namespace
Fns bitsLookup(std::string_view op, const std::vector<std::string_view>& mods, Ty t) {
  auto has = [&](const char* s) { return hasMod(mods, s); };
  if (op == "and") return bits2<And>(t);
  if (op == "or") return bits2<Or>(t);
  if (op == "xor") return bits2<Xor>(t);
  if (op == "not") {
    switch (tySize(t)) {
      case 2:
        return mk1<Not, u16, u16>();
      case 4:
        return mk1<Not, u32, u32>();
      case 8:
        return mk1<Not, u64, u64>();
    }
  }
  if (op == "cnot") {
    switch (tySize(t)) {
      case 2:
        return mk1<CNot, u16, u16>();
      case 4:
        return mk1<CNot, u32, u32>();
      case 8:
        return mk1<CNot, u64, u64>();
    }
  }
  if (op == "shl") {
    switch (tySize(t)) {
      case 2:
        return mk2<Shl, u16, u16, u32>();
      case 4:
        return mk2<Shl, u32, u32, u32>();
      case 8:
        return mk2<Shl, u64, u64, u32>();
    }
  }
  if (op == "shr") {
    switch (t) {
      case T_S16:
        return mk2<Shr, i16, i16, u32>();
      case T_S32:
        return mk2<Shr, i32, i32, u32>();
      case T_S64:
        return mk2<Shr, i64, i64, u32>();
      default:
        break;
    }
    switch (tySize(t)) {
      case 2:
        return mk2<Shr, u16, u16, u32>();
      case 4:
        return mk2<Shr, u32, u32, u32>();
      case 8:
        return mk2<Shr, u64, u64, u32>();
    }
  }
  if (op == "shf") {
    bool l = has("l");
    if (has("wrap")) return l ? mk3<Shf<1, true>, u32, u32, u32, u32>() : mk3<Shf<0, true>, u32, u32, u32, u32>();
    return l ? mk3<ShfL32<1>, u32, u32, u32, u32>() : mk3<ShfL32<0>, u32, u32, u32, u32>();
  }
  if (op == "popc") return tySize(t) == 8 ? mk1<Popc, u32, u64>() : mk1<Popc, u32, u32>();
  if (op == "clz") return tySize(t) == 8 ? mk1<Clz, u32, u64>() : mk1<Clz, u32, u32>();
  if (op == "brev") return tySize(t) == 8 ? mk1<Brev, u64, u64>() : mk1<Brev, u32, u32>();
  if (op == "bfe") {
    switch (t) {
      case T_U32:
        return mk3<Bfe, u32, u32, u32, u32>();
      case T_S32:
        return mk3<Bfe, i32, i32, u32, u32>();
      case T_U64:
        return mk3<Bfe, u64, u64, u32, u32>();
      case T_S64:
        return mk3<Bfe, i64, i64, u32, u32>();
      default:
        return {};
    }
  }
  if (op == "bfi") return tySize(t) == 8 ? fns<BfiH<u64>>() : fns<BfiH<u32>>();
  if (op == "bfind") {
    bool s = has("shiftamt");
    switch (t) {
      case T_U32:
        return s ? mk1<Bfind<true>, u32, u32>() : mk1<Bfind<false>, u32, u32>();
      case T_S32:
        return s ? mk1<Bfind<true>, u32, i32>() : mk1<Bfind<false>, u32, i32>();
      case T_U64:
        return s ? mk1<Bfind<true>, u32, u64>() : mk1<Bfind<false>, u32, u64>();
      case T_S64:
        return s ? mk1<Bfind<true>, u32, i64>() : mk1<Bfind<false>, u32, i64>();
      default:
        return {};
    }
  }
  if (op == "bmsk") return has("wrap") ? mk2<BmskWrap, u32, u32, u32>() : mk2<Bmsk, u32, u32, u32>();
  if (op == "szext") return t == T_S32 ? mk2<SzextS, u32, u32, u32>() : mk2<SzextU, u32, u32, u32>();
  if (op == "fns") return mk3<FindNthSet, u32, u32, u32, i32>();
  if (op == "prmt") return mk3<Prmt, u32, u32, u32, u32>();
  if (op == "lop3") return fns<Lop3>();
  return {};
}
}  // namespace emu
