// SPDX-License-Identifier: MIT
// Atomics, cp.async and mbarrier.
#include "address.h"
#include "lanes.h"
#include "ops.h"

namespace emu {
namespace {
// ---- atomics
struct AAdd {
  template <class T>
  static T f(T a, T b, T) {
    return (T)(a + b);
  }
};
struct AExch {
  template <class T>
  static T f(T, T b, T) {
    return b;
  }
};
struct ACas {
  template <class T>
  static T f(T a, T b, T c) {
    return a == b ? c : a;
  }
};
struct AMin {
  template <class T>
  static T f(T a, T b, T) {
    return b < a ? b : a;
  }
};
struct AMax {
  template <class T>
  static T f(T a, T b, T) {
    return b > a ? b : a;
  }
};
struct AAnd {
  template <class T>
  static T f(T a, T b, T) {
    return a & b;
  }
};
struct AOr {
  template <class T>
  static T f(T a, T b, T) {
    return a | b;
  }
};
struct AXor {
  template <class T>
  static T f(T a, T b, T) {
    return a ^ b;
  }
};
struct AInc {
  template <class T>
  static T f(T a, T b, T) {
    return a >= b ? 0 : a + 1;
  }
};
struct ADec {
  template <class T>
  static T f(T a, T b, T) {
    return a == 0 || a > b ? b : a - 1;
  }
};
struct AAddH {
  static u16 f(u16 a, u16 b, u16) { return f2h(h2f(a) + h2f(b)); }
};
struct AAddB {
  static u16 f(u16 a, u16 b, u16) { return f2bf(bf2f(a) + bf2f(b)); }
};
struct AAddH2 {
  static u32 f(u32 a, u32 b, u32) {
    return AAddH::f((u16)a, (u16)b, 0) | ((u32)AAddH::f((u16)(a >> 16), (u16)(b >> 16), 0) << 16);
  }
};
struct AAddB2 {
  static u32 f(u32 a, u32 b, u32) {
    return AAddB::f((u16)a, (u16)b, 0) | ((u32)AAddB::f((u16)(a >> 16), (u16)(b >> 16), 0) << 16);
  }
};
template <class O, class T>
struct Atom {
  static void full(Exec& x, const Ins& I) {
    alignas(64) char* p[WARP];
    alignas(64) u64 ad[WARP];
    if (!resolve(x, I, sizeof(T) * I.n, p, ad, AK_ATOMIC)) return;
    for (int k = 0; k < I.n; k++) {
      i32 bo = I.n > 1 ? I.v[k] : I.b, od = I.n > 1 ? I.v[4 + k] : I.d;
      const T* b = SRC<T>(x, bo);
      const T* c = I.c >= 0 ? SRC<T>(x, I.c) : b;
      T* d = od >= 0 ? DST<T>(x, od) : nullptr;
      alignas(64) T bb[WARP], cc[WARP];
      memcpy(bb, b, sizeof bb);
      memcpy(cc, c, sizeof cc);
      u32 rot = 0;
      if (cfg.order) {
        x.order = x.order * 1664525u + 1013904223u;
        rot = x.order >> 27;
      }  // CUDAEMU_ORDER: another order of the lanes
      u32 todo = rot ? (x.mask >> rot) | (x.mask << (32 - rot)) : x.mask;
      for (u32 m = todo; m; m &= m - 1) {
        int i = (__builtin_ctz(m) + rot) & 31;
        T* q = (T*)p[i] + k;
        T old;
        if (x.multi) {
          using U = std::conditional_t<sizeof(T) == 8, u64, std::conditional_t<sizeof(T) == 4, u32, u16>>;
          U* u = (U*)q;
          U o = __atomic_load_n(u, __ATOMIC_SEQ_CST), n;
          do {
            T ov;
            memcpy(&ov, &o, sizeof(T));
            T nv = O::f(ov, bb[i], cc[i]);
            memcpy(&n, &nv, sizeof(T));
          } while (!__atomic_compare_exchange_n(u, &o, n, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
          memcpy(&old, &o, sizeof(T));
        } else {
          old = *q;
          *q = O::f(old, bb[i], cc[i]);
        }
        if (d) d[i] = old;
      }
    }
  }
};
// f32 addition flushes subnormal numbers in global memory and keeps them in shared memory (PTX ISA, atom and red)
struct AtomAddF32 {
  static void full(Exec& x, const Ins& I) {
    bool global = I.space == SP_GLOBAL;
    if (I.space == SP_GENERIC) global = (SRC<u64>(x, I.a)[__builtin_ctz(x.mask)] + I.imm) >> 56 == 0;
    const u32 csr = _mm_getcsr();
    if (global) _mm_setcsr(csr | kFlushToZero);
    Atom<AAdd, float>::full(x, I);
    _mm_setcsr(csr);
  }
};
struct CpAsync {
  static void full(Exec& x, const Ins& I) {  // a: destination (shared), b: source, size bytes, c: optional source size
    alignas(64) char *p[WARP], *s[WARP];
    alignas(64) u64 ad[WARP];
    Ins J = I;
    J.space = SP_SHARED;
    if (!resolve(x, J, I.size, p, ad, AK_STORE)) return;
    u32 keep = x.mask;
    u32 m0 = 0;
    const u32* c = I.c >= 0 ? SRC<u32>(x, I.c) : nullptr;
    for (u32 m = keep; m; m &= m - 1) {
      int i = __builtin_ctz(m);
      if (!c || c[i]) m0 |= 1u << i;
    }
    alignas(64) char buf[WARP][16];
    memset(buf, 0, sizeof buf);
    if (m0) {
      x.mask = m0;
      Ins K = I;
      K.a = I.b;
      K.imm = (u64)(i64)I.target;
      K.flags &= ~IF_A32;
      K.space = SP_GLOBAL;
      bool ok = resolve(x, K, I.size, s, ad, AK_LOAD);
      x.mask = keep;
      if (!ok) return;
      for (u32 m = m0; m; m &= m - 1) {
        int i = __builtin_ctz(m);
        memcpy(buf[i], s[i], c ? std::min<u32>(c[i], I.size) : I.size);
      }
    }
    for (u32 m = keep; m; m &= m - 1) {
      int i = __builtin_ctz(m);
      memcpy(p[i], buf[i], I.size);
    }
  }
};
// mbarrier object: bits 0-19 pending arrivals, 20-39 expected arrivals, 40-63 phase
struct MBarrier {
  static void full(Exec& x, const Ins& I) {
    if (I.sub == 6) {
      const u64* s = SRC<u64>(x, I.b);
      alignas(64) u32 t[WARP];
      LANES t[i] = (u32)(s[i] & 0xfffff);
      writeLanes(x, I.d, t);
      return;
    }
    alignas(64) char* p[WARP];
    alignas(64) u64 ad[WARP];
    if (!resolve(x, I, 8, p, ad, AK_ATOMIC)) return;
    x.blk->lastFence = x.blk->lastAcquire = x.clock + 1;
    u32 pr = 0;
    alignas(64) u64 tok[WARP];
    LANES tok[i] = 0;
    for (u32 m = x.mask; m; m &= m - 1) {
      int i = __builtin_ctz(m);
      u64& v = *(u64*)p[i];
      u64 pend = v & 0xfffff, exp = (v >> 20) & 0xfffff, ph = v >> 40;
      u64 n = I.b >= 0 && I.sub < 4 ? SRC<u32>(x, I.b)[i] : 1;
      switch (I.sub) {
        case 0:
          v = n | (n << 20);
          break;
        case 1:
          v = 0;
          break;
        case 2:
        case 3:
          tok[i] = v;
          if (n > pend) {
            reportFault(x, &I, FK_LAUNCH, i, "mbarrier: more arrivals than expected");
            return;
          }
          if (I.sub == 3) exp -= n;
          pend -= n;
          if (pend == 0) {
            ph = (ph + 1) & 0xffffff;
            pend = exp;
          }
          v = pend | (exp << 20) | (ph << 40);
          break;
        case 4:
          pr |= (u32)((SRC<u64>(x, I.b)[i] >> 40) != ph) << i;
          break;
        case 5:
          pr |= (u32)((ph & 1) != (SRC<u32>(x, I.b)[i] & 1)) << i;
          break;
      }
    }
    if (I.sub == 2 || I.sub == 3) {
      if (I.d >= 0) writeLanes(x, I.d, tok);
    } else if (I.sub >= 4)
      writePred(x, I.d, pr);
  }
};
}  // namespace
Fns cpAsyncLookup() {
  return one<CpAsync>();
}
Fns mbarrierLookup() {
  return one<MBarrier>();
}
Fns atomLookup(std::string_view op, Ty t) {
  int s = tySize(t);
  if (op == "add") {
    if (t == T_F32) return one<AtomAddF32>();
    if (t == T_F64) return one<Atom<AAdd, double>>();
    if (t == T_F16) return one<Atom<AAddH, u16>>();
    if (t == T_BF16) return one<Atom<AAddB, u16>>();
    if (t == T_F16X2) return one<Atom<AAddH2, u32>>();
    if (t == T_BF16X2) return one<Atom<AAddB2, u32>>();
    return s == 8 ? one<Atom<AAdd, u64>>() : one<Atom<AAdd, u32>>();
  }
  if (op == "exch")
    return s == 8 ? one<Atom<AExch, u64>>() : s == 2 ? one<Atom<AExch, u16>>() : one<Atom<AExch, u32>>();
  if (op == "cas") return s == 8 ? one<Atom<ACas, u64>>() : s == 2 ? one<Atom<ACas, u16>>() : one<Atom<ACas, u32>>();
  if (op == "min") switch (t) {
      case T_S32:
        return one<Atom<AMin, i32>>();
      case T_U32:
        return one<Atom<AMin, u32>>();
      case T_S64:
        return one<Atom<AMin, i64>>();
      case T_U64:
        return one<Atom<AMin, u64>>();
      default:
        return {};
    }
  if (op == "max") switch (t) {
      case T_S32:
        return one<Atom<AMax, i32>>();
      case T_U32:
        return one<Atom<AMax, u32>>();
      case T_S64:
        return one<Atom<AMax, i64>>();
      case T_U64:
        return one<Atom<AMax, u64>>();
      default:
        return {};
    }
  if (op == "and") return s == 8 ? one<Atom<AAnd, u64>>() : one<Atom<AAnd, u32>>();
  if (op == "or") return s == 8 ? one<Atom<AOr, u64>>() : one<Atom<AOr, u32>>();
  if (op == "xor") return s == 8 ? one<Atom<AXor, u64>>() : one<Atom<AXor, u32>>();
  if (op == "inc") return one<Atom<AInc, u32>>();
  if (op == "dec") return one<Atom<ADec, u32>>();
  return {};
}
}  // namespace emu
