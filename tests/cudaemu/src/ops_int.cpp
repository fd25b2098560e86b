// SPDX-License-Identifier: MIT
// Integer arithmetic.
#include "alu.h"
#include "ops.h"

namespace emu {
namespace {
struct MulHi {
  template <class T>
  static T f(T a, T b) {
    return mulhi(a, b);
  }
};
struct MulWide {
  static u32 f(u16 a, u16 b) { return (u32)a * b; }
  static i32 f(i16 a, i16 b) { return (i32)a * b; }
  static u64 f(u32 a, u32 b) { return (u64)a * b; }
  static i64 f(i32 a, i32 b) { return (i64)a * b; }
};
struct MadLo {
  template <class T>
  static T f(T a, T b, T c) {
    return (T)(a * b + c);
  }
  static u16 f(u16 a, u16 b, u16 c) { return (u16)((u32)a * b + c); }
};
struct MadHi {
  template <class T>
  static T f(T a, T b, T c) {
    return (T)((Un<T>)mulhi(a, b) + (Un<T>)c);
  }
};
struct MadWide {
  static u32 f(u16 a, u16 b, u32 c) { return (u32)a * b + c; }
  static i32 f(i16 a, i16 b, i32 c) { return (i32)((u32)((i32)a * b) + (u32)c); }
  static u64 f(u32 a, u32 b, u64 c) { return (u64)a * b + c; }
  static i64 f(i32 a, i32 b, i64 c) { return (i64)((u64)((i64)a * b) + (u64)c); }
};
struct Mul24 {
  static u32 f(u32 a, u32 b) { return (a & 0xffffff) * (b & 0xffffff); }
  static i32 f(i32 a, i32 b) {
    i32 x = (i32)((u32)a << 8) >> 8, y = (i32)((u32)b << 8) >> 8;
    return (i32)((u32)x * (u32)y);
  }
};
struct Mad24 {
  template <class T>
  static T f(T a, T b, T c) {
    return (T)((u32)Mul24::f(a, b) + (u32)c);
  }
};
struct Rem {
  template <class T>
  static T f(T a, T b) {
    if (b == 0) return a;
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return 0;
    }
    return (T)(a % b);
  }
};
struct AddSat {
  static i32 f(i32 a, i32 b) {
    i64 r = (i64)a + b;
    return r > INT32_MAX ? INT32_MAX : r < INT32_MIN ? INT32_MIN : (i32)r;
  }
};
struct SubSat {
  static i32 f(i32 a, i32 b) {
    i64 r = (i64)a - b;
    return r > INT32_MAX ? INT32_MAX : r < INT32_MIN ? INT32_MIN : (i32)r;
  }
};
struct Sad {
  template <class T>
  static T f(T a, T b, T c) {
    return (T)((Un<T>)c + (a < b ? (Un<T>)b - (Un<T>)a : (Un<T>)a - (Un<T>)b));
  }
};
template <bool SA, bool SB>
struct Dp4a {
  static u32 f(u32 a, u32 b, u32 c) {
    for (int k = 0; k < 4; k++) {
      i32 x = SA ? (i32)(i8)(a >> (8 * k)) : (i32)(u8)(a >> (8 * k));
      i32 y = SB ? (i32)(i8)(b >> (8 * k)) : (i32)(u8)(b >> (8 * k));
      c += (u32)(x * y);
    }
    return c;
  }
};
template <bool SA, bool SB, bool HI>
struct Dp2a {
  static u32 f(u32 a, u32 b, u32 c) {
    for (int k = 0; k < 2; k++) {
      i32 x = SA ? (i32)(i16)(a >> (16 * k)) : (i32)(u16)(a >> (16 * k));
      int sb = 8 * (k + (HI ? 2 : 0));
      i32 y = SB ? (i32)(i8)(b >> sb) : (i32)(u8)(b >> sb);
      c += (u32)(x * y);
    }
    return c;
  }
};
struct S16Min {
  static u16 f(u16 a, u16 b) { return (i16)a < (i16)b ? a : b; }
};
struct S16Max {
  static u16 f(u16 a, u16 b) { return (i16)a > (i16)b ? a : b; }
};
template <class F>
Fns wrapInt2(Ty t) {
  switch (t) {
    case T_U16:
    case T_S16:
    case T_B16:
      return mk2<F, u16, u16, u16>();
    case T_U32:
    case T_S32:
    case T_B32:
      return mk2<F, u32, u32, u32>();
    case T_U64:
    case T_S64:
    case T_B64:
      return mk2<F, u64, u64, u64>();
    default:
      return {};
  }
}
template <class F>
Fns signed2(Ty t) {
  switch (t) {
    case T_U16:
      return mk2<F, u16, u16, u16>();
    case T_S16:
      return mk2<F, i16, i16, i16>();
    case T_U32:
      return mk2<F, u32, u32, u32>();
    case T_S32:
      return mk2<F, i32, i32, i32>();
    case T_U64:
      return mk2<F, u64, u64, u64>();
    case T_S64:
      return mk2<F, i64, i64, i64>();
    default:
      return {};
  }
}
}  // namespace
Fns intLookup(std::string_view op, const std::vector<std::string_view>& mods, Ty t) {
  auto has = [&](const char* s) { return hasMod(mods, s); };
  if (op == "add") {
    if (t == T_S32 && has("sat")) return mk2<AddSat, i32, i32, i32>();
    if (t == T_U16X2 || t == T_S16X2) return mk2<X2Bin<Add>, u32, u32, u32>();
    return wrapInt2<Add>(t);
  }
  if (op == "sub") {
    if (t == T_S32 && has("sat")) return mk2<SubSat, i32, i32, i32>();
    return wrapInt2<Sub>(t);
  }
  if (op == "mul") {
    if (has("wide")) switch (t) {
        case T_U16:
          return mk2<MulWide, u32, u16, u16>();
        case T_S16:
          return mk2<MulWide, i32, i16, i16>();
        case T_U32:
          return mk2<MulWide, u64, u32, u32>();
        case T_S32:
          return mk2<MulWide, i64, i32, i32>();
        default:
          return {};
      }
    if (has("hi")) return signed2<MulHi>(t);
    return wrapInt2<Mul>(t);
  }
  if (op == "mad" || op == "fma") {
    if (has("wide")) switch (t) {
        case T_U16:
          return mk3<MadWide, u32, u16, u16, u32>();
        case T_S16:
          return mk3<MadWide, i32, i16, i16, i32>();
        case T_U32:
          return mk3<MadWide, u64, u32, u32, u64>();
        case T_S32:
          return mk3<MadWide, i64, i32, i32, i64>();
        default:
          return {};
      }
    if (has("hi")) switch (t) {
        case T_U16:
          return mk3<MadHi, u16, u16, u16, u16>();
        case T_S16:
          return mk3<MadHi, i16, i16, i16, i16>();
        case T_U32:
          return mk3<MadHi, u32, u32, u32, u32>();
        case T_S32:
          return mk3<MadHi, i32, i32, i32, i32>();
        case T_U64:
          return mk3<MadHi, u64, u64, u64, u64>();
        case T_S64:
          return mk3<MadHi, i64, i64, i64, i64>();
        default:
          return {};
      }
    switch (tySize(t)) {
      case 2:
        return mk3<MadLo, u16, u16, u16, u16>();
      case 4:
        return mk3<MadLo, u32, u32, u32, u32>();
      case 8:
        return mk3<MadLo, u64, u64, u64, u64>();
    }
    return {};
  }
  if (op == "mul24") return t == T_S32 ? mk2<Mul24, i32, i32, i32>() : mk2<Mul24, u32, u32, u32>();
  if (op == "mad24") return t == T_S32 ? mk3<Mad24, i32, i32, i32, i32>() : mk3<Mad24, u32, u32, u32, u32>();
  if (op == "div") return signed2<Div>(t);
  if (op == "rem") return signed2<Rem>(t);
  if (op == "abs") {
    switch (t) {
      case T_S16:
        return mk1<Abs, i16, i16>();
      case T_S32:
        return mk1<Abs, i32, i32>();
      case T_S64:
        return mk1<Abs, i64, i64>();
      default:
        return {};
    }
  }
  if (op == "neg") {
    switch (t) {
      case T_S16:
        return mk1<Neg, i16, i16>();
      case T_S32:
        return mk1<Neg, i32, i32>();
      case T_S64:
        return mk1<Neg, i64, i64>();
      default:
        return {};
    }
  }
  if (op == "min") {
    if (t == T_U16X2) return mk2<X2Bin<Min>, u32, u32, u32>();
    if (t == T_S16X2) return mk2<X2Bin<S16Min>, u32, u32, u32>();
    return signed2<Min>(t);
  }
  if (op == "max") {
    if (t == T_U16X2) return mk2<X2Bin<Max>, u32, u32, u32>();
    if (t == T_S16X2) return mk2<X2Bin<S16Max>, u32, u32, u32>();
    return signed2<Max>(t);
  }
  if (op == "sad") {
    switch (t) {
      case T_U16:
        return mk3<Sad, u16, u16, u16, u16>();
      case T_S16:
        return mk3<Sad, i16, i16, i16, i16>();
      case T_U32:
        return mk3<Sad, u32, u32, u32, u32>();
      case T_S32:
        return mk3<Sad, i32, i32, i32, i32>();
      case T_U64:
        return mk3<Sad, u64, u64, u64, u64>();
      case T_S64:
        return mk3<Sad, i64, i64, i64, i64>();
      default:
        return {};
    }
  }
  if (op == "dp4a") {
    bool sa = false, sb = false;
    std::vector<std::string_view> ts;
    for (auto m : mods)
      if (m == "u32" || m == "s32") ts.push_back(m);
    if (ts.size() >= 2) {
      sa = ts[0] == "s32";
      sb = ts[1] == "s32";
    }
    return sa ? (sb ? mk3<Dp4a<true, true>, u32, u32, u32, u32>() : mk3<Dp4a<true, false>, u32, u32, u32, u32>())
              : (sb ? mk3<Dp4a<false, true>, u32, u32, u32, u32>() : mk3<Dp4a<false, false>, u32, u32, u32, u32>());
  }
  if (op == "dp2a") {
    bool sa = false, sb = false, hi = has("hi");
    std::vector<std::string_view> ts;
    for (auto m : mods)
      if (m == "u32" || m == "s32") ts.push_back(m);
    if (ts.size() >= 2) {
      sa = ts[0] == "s32";
      sb = ts[1] == "s32";
    }
    if (hi)
      return sa ? (sb ? mk3<Dp2a<true, true, true>, u32, u32, u32, u32>()
                      : mk3<Dp2a<true, false, true>, u32, u32, u32, u32>())
                : (sb ? mk3<Dp2a<false, true, true>, u32, u32, u32, u32>()
                      : mk3<Dp2a<false, false, true>, u32, u32, u32, u32>());
    return sa ? (sb ? mk3<Dp2a<true, true, false>, u32, u32, u32, u32>()
                    : mk3<Dp2a<true, false, false>, u32, u32, u32, u32>())
              : (sb ? mk3<Dp2a<false, true, false>, u32, u32, u32, u32>()
                    : mk3<Dp2a<false, false, false>, u32, u32, u32, u32>());
  }
  return bitsLookup(op, mods, t);
}
}  // namespace emu
