// SPDX-License-Identifier: MIT
// Functors of one lane that integer and floating-point instructions share.
#pragma once
#include "lanes.h"

namespace emu {
template <class T>
using Un = std::make_unsigned_t<T>;
struct Add {
  template <class T>
  static T f(T a, T b) {
    return (T)(a + b);
  }
};
struct Sub {
  template <class T>
  static T f(T a, T b) {
    return (T)(a - b);
  }
};
struct Mul {
  template <class T>
  static T f(T a, T b) {
    return (T)(a * b);
  }
  static u16 f(u16 a, u16 b) { return (u16)((u32)a * b); }
};
template <class T>
inline T mulhi(T a, T b) {
  if constexpr (sizeof(T) == 8) {
    if constexpr (std::is_signed_v<T>)
      return (T)(((__int128)a * b) >> 64);
    else
      return (T)(((unsigned __int128)a * b) >> 64);
  } else if constexpr (sizeof(T) == 4) {
    if constexpr (std::is_signed_v<T>)
      return (T)(((i64)a * b) >> 32);
    else
      return (T)(((u64)a * b) >> 32);
  } else {
    if constexpr (std::is_signed_v<T>)
      return (T)(((i32)a * b) >> 16);
    else
      return (T)(((u32)a * b) >> 16);
  }
}
struct Div {
  template <class T>
  static T f(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
      return a / b;
    else {
      if (b == 0) return (T) ~(T)0;
      if constexpr (std::is_signed_v<T>) {
        if (b == -1) return (T)(0 - (Un<T>)a);
      }
      return (T)(a / b);
    }
  }
};
struct Abs {
  template <class T>
  static T f(T a) {
    if constexpr (std::is_floating_point_v<T>)
      return std::fabs(a);
    else
      return (T)(a < 0 ? (Un<T>)0 - (Un<T>)a : (Un<T>)a);
  }
};
struct Neg {
  template <class T>
  static T f(T a) {
    if constexpr (std::is_floating_point_v<T>)
      return -a;
    else
      return (T)((Un<T>)0 - (Un<T>)a);
  }
};
inline bool sgn(float a) {
  u32 u;
  memcpy(&u, &a, 4);
  return u >> 31;
}
inline bool sgn(double a) {
  u64 u;
  memcpy(&u, &a, 8);
  return u >> 63;
}
struct Min {
  template <class T>
  static T f(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      T r = a < b ? a : (a == b ? (sgn(a) ? a : b) : b);
      r = (a != a) ? b : r;
      return (b != b) ? a : r;
    } else
      return a < b ? a : b;
  }
};
struct Max {
  template <class T>
  static T f(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      T r = a > b ? a : (a == b ? (sgn(a) ? b : a) : b);
      r = (a != a) ? b : r;
      return (b != b) ? a : r;
    } else
      return a > b ? a : b;
  }
};
// two 16-bit numbers in one 32-bit register
template <class O>
struct X2Bin {
  static u32 f(u32 a, u32 b) { return (u32)O::f((u16)a, (u16)b) | ((u32)O::f((u16)(a >> 16), (u16)(b >> 16)) << 16); }
};
inline bool hasMod(const std::vector<std::string_view>& mods, const char* s) {
  for (auto m : mods)
    if (m == s) return true;
  return false;
}
}  // namespace emu
