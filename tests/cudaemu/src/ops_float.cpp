// SPDX-License-Identifier: MIT
// Floating-point arithmetic: f32, f64, f16, bf16 and packed forms. Rounding modes: see Csr in ops_mov.cpp.
#include "alu.h"
#include "ops.h"

namespace emu {
namespace {
template <class M>
struct NanProp {
  template <class T>
  static T f(T a, T b) {
    T r = M::f(a, b);
    return (a != a || b != b) ? (T)NAN : r;
  }
};
struct Fma {
  static float f(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
  static double f(double a, double b, double c) { return __builtin_fma(a, b, c); }
};
struct CopySign {
  template <class T>
  static T f(T a, T b) {
    return std::copysign(b, a);
  }
};
// ---- float functions
struct Rcp {
  template <class T>
  static T f(T a) {
    return (T)1 / a;
  }
};
struct Sqrt {
  static float f(float a) { return __builtin_sqrtf(a); }
  static double f(double a) { return __builtin_sqrt(a); }
};
struct Rsqrt {
  static float f(float a) { return (float)(1.0 / __builtin_sqrt((double)a)); }
  static double f(double a) { return 1.0 / __builtin_sqrt(a); }
};
struct Sin {
  static float f(float a) { return std::sin(a); }
};
struct Cos {
  static float f(float a) { return std::cos(a); }
};
struct Ex2 {
  static float f(float a) { return std::exp2(a); }
};
struct Lg2 {
  static float f(float a) { return std::log2(a); }
};
struct Tanh {
  static float f(float a) { return std::tanh(a); }
};
// ---- half precision: computed in float (exact after rounding) or double (fma)
template <class O>
struct HBin {
  static u16 f(u16 a, u16 b) { return f2h(O::f(h2f(a), h2f(b))); }
};
template <class O>
struct BBin {
  static u16 f(u16 a, u16 b) { return f2bf(O::f(bf2f(a), bf2f(b))); }
};
template <class O>
struct HUn {
  static u16 f(u16 a) { return f2h(O::f(h2f(a))); }
};
template <class O>
struct BUn {
  static u16 f(u16 a) { return f2bf(O::f(bf2f(a))); }
};
struct HFma {
  static u16 f(u16 a, u16 b, u16 c) { return d2h((double)h2f(a) * h2f(b) + (double)h2f(c)); }
};
struct BFma {
  static u16 f(u16 a, u16 b, u16 c) { return d2bf((double)bf2f(a) * bf2f(b) + (double)bf2f(c)); }
};
template <class O>
struct X2Un {
  static u32 f(u32 a) { return (u32)O::f((u16)a) | ((u32)O::f((u16)(a >> 16)) << 16); }
};
template <class O>
struct X2Fma {
  static u32 f(u32 a, u32 b, u32 c) {
    return (u32)O::f((u16)a, (u16)b, (u16)c) | ((u32)O::f((u16)(a >> 16), (u16)(b >> 16), (u16)(c >> 16)) << 16);
  }
};
struct HNeg {
  static u16 f(u16 a) { return a ^ 0x8000; }
};
struct HAbs {
  static u16 f(u16 a) { return a & 0x7fff; }
};

template <class O>
Fns half2(Ty t) {
  switch (t) {
    case T_F16:
      return mk2<HBin<O>, u16, u16, u16>();
    case T_BF16:
      return mk2<BBin<O>, u16, u16, u16>();
    case T_F16X2:
      return mk2<X2Bin<HBin<O>>, u32, u32, u32>();
    case T_BF16X2:
      return mk2<X2Bin<BBin<O>>, u32, u32, u32>();
    default:
      return {};
  }
}
template <class O>
Fns half1(Ty t) {
  switch (t) {
    case T_F16:
      return mk1<HUn<O>, u16, u16>();
    case T_BF16:
      return mk1<BUn<O>, u16, u16>();
    case T_F16X2:
      return mk1<X2Un<HUn<O>>, u32, u32>();
    case T_BF16X2:
      return mk1<X2Un<BUn<O>>, u32, u32>();
    default:
      return {};
  }
}
template <class F>  // sign bits only
Fns halfBits(Ty t) {
  return tySize(t) == 2 ? mk1<F, u16, u16>() : mk1<X2Un<F>, u32, u32>();
}
// .ftz where the host's arithmetic would not flush the inputs: bit operations, comparisons, library functions
inline float flushed(float a) {
  return std::fabs(a) < 0x1p-126f ? std::copysign(0.0f, a) : a;
}
template <class F>
struct FlushIn {
  static float f(float a) { return F::f(flushed(a)); }
  static float f(float a, float b) { return F::f(flushed(a), flushed(b)); }
};
template <class F>
Fns ftz1(bool ftz) {
  return ftz ? mk1<FlushIn<F>, float, float>() : mk1<F, float, float>();
}
template <class F>
Fns float2(Ty t) {
  switch (t) {
    case T_F32:
      return mk2<F, float, float, float>();
    case T_F64:
      return mk2<F, double, double, double>();
    default:
      return {};
  }
}
template <class F>
Fns float1(Ty t) {
  switch (t) {
    case T_F32:
      return mk1<F, float, float>();
    case T_F64:
      return mk1<F, double, double>();
    default:
      return {};
  }
}
template <int K>
struct TestpH {
  template <class T>
  static bool t(T a) {
    switch (K) {
      case 0:
        return std::isfinite(a);
      case 1:
        return std::isinf(a);
      case 2:
        return !std::isnan(a);
      case 3:
        return std::isnan(a);
      case 4:
        return std::isnormal(a);
      default:
        return std::fpclassify(a) == FP_SUBNORMAL;
    }
  }
};
template <class T, int K>
struct TestpF {
  static void full(Exec& x, const Ins& I) {
    const T* a = SRC<T>(x, I.a);
    u32 p = 0;
    LANES p |= (u32)TestpH<K>::t(a[i]) << i;
    writePred(x, I.d, p);
  }
  static void part(Exec& x, const Ins& I) { full(x, I); }
};
template <class T>
Fns testp(std::string_view k) {
  if (k == "finite") return fns<TestpF<T, 0>>();
  if (k == "infinite") return fns<TestpF<T, 1>>();
  if (k == "number") return fns<TestpF<T, 2>>();
  if (k == "notanumber") return fns<TestpF<T, 3>>();
  if (k == "normal") return fns<TestpF<T, 4>>();
  return fns<TestpF<T, 5>>();
}
// two packed floats in one 64-bit register (sm_100)
struct F2 {
  static float lo(u64 v) {
    u32 u = (u32)v;
    float f;
    memcpy(&f, &u, 4);
    return f;
  }
  static float hi(u64 v) { return lo(v >> 32); }
  static u64 mk(float a, float b) {
    u32 x, y;
    memcpy(&x, &a, 4);
    memcpy(&y, &b, 4);
    return x | ((u64)y << 32);
  }
};
template <class O>
struct F2Bin {
  static u64 f(u64 a, u64 b) { return F2::mk(O::f(F2::lo(a), F2::lo(b)), O::f(F2::hi(a), F2::hi(b))); }
};
struct F2Fma {
  static u64 f(u64 a, u64 b, u64 c) {
    return F2::mk(Fma::f(F2::lo(a), F2::lo(b), F2::lo(c)), Fma::f(F2::hi(a), F2::hi(b), F2::hi(c)));
  }
};

template <class F>
Fns minMax(Ty t, bool ftz) {
  return t == T_F32 && ftz ? mk2<FlushIn<F>, float, float, float>() : float2<F>(t);
}
}  // namespace
Fns floatLookup(std::string_view op, const std::vector<std::string_view>& mods, Ty t) {
  auto has = [&](const char* s) { return hasMod(mods, s); };
  const bool half = t == T_F16 || t == T_BF16 || t == T_F16X2 || t == T_BF16X2;
  if (op == "add") return t == T_F32X2 ? mk2<F2Bin<Add>, u64, u64, u64>() : half ? half2<Add>(t) : float2<Add>(t);
  if (op == "sub") return t == T_F32X2 ? mk2<F2Bin<Sub>, u64, u64, u64>() : half ? half2<Sub>(t) : float2<Sub>(t);
  if (op == "mul") return t == T_F32X2 ? mk2<F2Bin<Mul>, u64, u64, u64>() : half ? half2<Mul>(t) : float2<Mul>(t);
  if (op == "mad" || op == "fma") switch (t) {
      case T_F32:
        return mk3<Fma, float, float, float, float>();
      case T_F64:
        return mk3<Fma, double, double, double, double>();
      case T_F32X2:
        return mk3<F2Fma, u64, u64, u64, u64>();
      case T_F16:
        return mk3<HFma, u16, u16, u16, u16>();
      case T_BF16:
        return mk3<BFma, u16, u16, u16, u16>();
      case T_F16X2:
        return mk3<X2Fma<HFma>, u32, u32, u32, u32>();
      case T_BF16X2:
        return mk3<X2Fma<BFma>, u32, u32, u32, u32>();
      default:
        return {};
    }
  if (op == "div") return half ? half2<Div>(t) : float2<Div>(t);
  if (op == "abs") return half ? halfBits<HAbs>(t) : t == T_F32 ? ftz1<Abs>(has("ftz")) : float1<Abs>(t);
  if (op == "neg") return half ? halfBits<HNeg>(t) : t == T_F32 ? ftz1<Neg>(has("ftz")) : float1<Neg>(t);
  if (op == "min") {
    if (has("NaN")) return half ? half2<NanProp<Min>>(t) : minMax<NanProp<Min>>(t, has("ftz"));
    return half ? half2<Min>(t) : minMax<Min>(t, has("ftz"));
  }
  if (op == "max") {
    if (has("NaN")) return half ? half2<NanProp<Max>>(t) : minMax<NanProp<Max>>(t, has("ftz"));
    return half ? half2<Max>(t) : minMax<Max>(t, has("ftz"));
  }
  if (op == "copysign") return float2<CopySign>(t);
  if (op == "testp") {
    std::string_view k = mods.empty() ? "" : mods[0];
    return t == T_F64 ? testp<double>(k) : testp<float>(k);
  }
  if (op == "rcp") return float1<Rcp>(t);
  if (op == "sqrt") return half ? half1<Sqrt>(t) : float1<Sqrt>(t);
  if (op == "rsqrt") return float1<Rsqrt>(t);
  if (op == "sin") return ftz1<Sin>(has("ftz"));
  if (op == "cos") return ftz1<Cos>(has("ftz"));
  if (op == "ex2") return half ? half1<Ex2>(t) : ftz1<Ex2>(has("ftz"));
  if (op == "lg2") return ftz1<Lg2>(has("ftz"));
  if (op == "tanh") return half ? half1<Tanh>(t) : mk1<Tanh, float, float>();
  return {};
}
}  // namespace emu
