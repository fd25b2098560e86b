// SPDX-License-Identifier: MIT
// Warp level instructions (shfl, vote, match, redux, activemask) and special registers.
#include "lanes.h"
#include "ops.h"

#include <ctime>

namespace emu {
namespace {
// shfl: sub 0 up, 1 down, 2 bfly, 3 idx;  a value, b lane, c clamp/segment mask
struct Shfl {
  static void full(Exec& x, const Ins& I) {
    const u32 *a = SRC<u32>(x, I.a), *b = SRC<u32>(x, I.b), *c = SRC<u32>(x, I.c);
    alignas(64) u32 t[WARP];
    u32 pr = 0;
    for (int i = 0; i < WARP; i++) {
      int bv = b[i] & 31, cv = c[i] & 31, seg = (c[i] >> 8) & 31;
      int maxL = (i & seg) | (cv & ~seg), minL = i & seg, j;
      bool pv;
      switch (I.sub) {
        case 0:
          j = i - bv;
          pv = j >= maxL;
          break;
        case 1:
          j = i + bv;
          pv = j <= maxL;
          break;
        case 2:
          j = i ^ bv;
          pv = j <= maxL;
          break;
        default:
          j = minL | (bv & ~seg);
          pv = j <= maxL;
      }
      if (!pv) j = i;
      if (cfg.sync && ((x.mask >> i) & 1) && !((x.mask >> j) & 1))
        reportWarning(x, &I, i, "shfl reads lane " + std::to_string(j) + " which does not take part");
      t[i] = a[j & 31];
      pr |= (u32)pv << i;
    }
    writeLanes(x, I.d, t);
    if (I.d2 >= 0) writePred(x, I.d2, pr);
  }
};
// vote: sub 0 all, 1 any, 2 uni, 3 ballot.  With tiles of a warp every lane uses its own member mask (operand e).
struct Vote {
  static void full(Exec& x, const Ins& I) {
    u32 p = readPred(x, I.a, I.flags & IF_NEG_A) & x.mask;
    const u32* mm = I.e >= 0 ? SRC<u32>(x, I.e) : nullptr;
    alignas(64) u32 t[WARP];
    u32 r = 0;
    LANES {
      u32 m = (mm ? mm[i] : ~0u) & x.mask;
      u32 b = p & m;
      bool v = I.sub == 0 ? b == m : I.sub == 1 ? b != 0 : (b == 0 || b == m);
      t[i] = b;
      r |= (u32)v << i;
    }
    if (I.sub == 3)
      writeLanes(x, I.d, t);
    else
      writePred(x, I.d, r);
  }
};
template <class T>
struct Match {
  static void full(Exec& x, const Ins& I) {
    const T* a = SRC<T>(x, I.a);
    const u32* mm = SRC<u32>(x, I.e);
    alignas(64) u32 t[WARP];
    u32 pr = 0;
    LANES t[i] = 0;
    for (u32 m = x.mask; m; m &= m - 1) {
      int i = __builtin_ctz(m);
      u32 mem = mm[i] & x.mask, r = 0;
      for (u32 k = mem; k; k &= k - 1) {
        int j = __builtin_ctz(k);
        if (a[j] == a[i]) r |= 1u << j;
      }
      if (I.sub == 0)
        t[i] = r;
      else {
        bool all = r == mem;
        t[i] = all ? mem : 0;
        pr |= (u32)all << i;
      }
    }
    writeLanes(x, I.d, t);
    if (I.d2 >= 0) writePred(x, I.d2, pr);
  }
};
// redux: sub 0 add 1 min 2 max 3 and 4 or 5 xor, sub2: signed / 2 float
struct Redux {
  static void full(Exec& x, const Ins& I) {
    const u32* a = SRC<u32>(x, I.a);
    const u32* mm = SRC<u32>(x, I.e);
    alignas(64) u32 t[WARP];
    LANES t[i] = 0;
    for (u32 m = x.mask; m; m &= m - 1) {
      int i = __builtin_ctz(m);
      u32 mem = mm[i] & x.mask;
      bool first = true;
      u32 r = 0;
      for (u32 k = mem; k; k &= k - 1) {
        u32 v = a[__builtin_ctz(k)];
        if (first) {
          r = v;
          first = false;
          continue;
        }
        switch (I.sub) {
          case 0:
            r += v;
            break;
          case 3:
            r &= v;
            break;
          case 4:
            r |= v;
            break;
          case 5:
            r ^= v;
            break;
          case 1:
            if (I.sub2 == 2) {
              float p, q;
              memcpy(&p, &r, 4);
              memcpy(&q, &v, 4);
              p = std::fmin(p, q);
              memcpy(&r, &p, 4);
            } else
              r = I.sub2 ? ((i32)v < (i32)r ? v : r) : (v < r ? v : r);
            break;
          default:
            if (I.sub2 == 2) {
              float p, q;
              memcpy(&p, &r, 4);
              memcpy(&q, &v, 4);
              p = std::fmax(p, q);
              memcpy(&r, &p, 4);
            } else
              r = I.sub2 ? ((i32)v > (i32)r ? v : r) : (v > r ? v : r);
        }
      }
      t[i] = r;
    }
    writeLanes(x, I.d, t);
  }
};
struct ActiveMask {
  static void full(Exec& x, const Ins& I) {
    alignas(64) u32 t[WARP];
    u32 m = x.mask;
    LANES t[i] = m;
    writeLanes(x, I.d, t);
  }
};
struct Elect {
  static void full(Exec& x, const Ins& I) {
    alignas(64) u32 t[WARP];
    u32 l = __builtin_ctz(x.mask);
    LANES t[i] = l;
    if (I.d >= 0) writeLanes(x, I.d, t);
    if (I.d2 >= 0) writePred(x, I.d2, 1u << l);
  }
};
enum SR {
  R_TIDX,
  R_TIDY,
  R_TIDZ,
  R_NTIDX,
  R_NTIDY,
  R_NTIDZ,
  R_CTAX,
  R_CTAY,
  R_CTAZ,
  R_NCTAX,
  R_NCTAY,
  R_NCTAZ,
  R_LANE,
  R_WARP,
  R_NWARP,
  R_SM,
  R_NSM,
  R_GRID,
  R_LMEQ,
  R_LMLE,
  R_LMLT,
  R_LMGE,
  R_LMGT,
  R_CLK,
  R_CLKHI,
  R_CLK64,
  R_GT,
  R_GTLO,
  R_GTHI,
  R_ENV1,
  R_ENV2,
  R_DSM,
  R_TSM,
  R_ZERO,
  R_ONE
};
struct Special {
  static void full(Exec& x, const Ins& I) {
    alignas(64) u64 t[WARP];
    u64 u = 0;
    bool uni = true;
    const Block& b = *x.blk;
    const Launch& L = *x.L;
    switch (I.sub) {
      case R_TIDX:
      case R_TIDY:
      case R_TIDZ:
        if (I.dw == 4) {
          const u32* s = x.w->tid[I.sub];
          if (x.mask == x.live)
            memcpy(DST<u32>(x, I.d), s, 128);
          else
            blend(DST<u32>(x, I.d), s, x.mask);
          return;
        }
        uni = false;
        LANES t[i] = x.w->tid[I.sub][i];
        break;
      case R_NTIDX:
      case R_NTIDY:
      case R_NTIDZ:
        u = L.block[I.sub - R_NTIDX];
        break;
      case R_CTAX:
      case R_CTAY:
      case R_CTAZ:
        u = b.ctaid[I.sub - R_CTAX];
        break;
      case R_NCTAX:
      case R_NCTAY:
      case R_NCTAZ:
        u = L.grid[I.sub - R_NCTAX];
        break;
      case R_LANE:
        uni = false;
        LANES t[i] = i;
        break;
      case R_WARP:
        u = x.w->id;
        break;
      case R_NWARP:
        u = b.nwarps;
        break;
      case R_SM:
        u = b.linear % cfg.sms;
        break;
      case R_NSM:
        u = cfg.sms;
        break;
      case R_GRID:
        u = L.id;
        break;
      case R_LMEQ:
        uni = false;
        LANES t[i] = 1u << i;
        break;
      case R_LMLE:
        uni = false;
        LANES t[i] = (2ull << i) - 1;
        break;
      case R_LMLT:
        uni = false;
        LANES t[i] = (1ull << i) - 1;
        break;
      case R_LMGE:
        uni = false;
        LANES t[i] = (u32)(~0u << i);
        break;
      case R_LMGT:
        uni = false;
        LANES t[i] = (u32) ~((2ull << i) - 1);
        break;
      case R_CLK:
        u = (u32)(x.clock * 4);
        break;
      case R_CLKHI:
        u = (x.clock * 4) >> 32;
        break;
      case R_CLK64:
        u = x.clock * 4;
        break;
      case R_GT:
      case R_GTLO:
      case R_GTHI: {
        timespec ts;
        clock_gettime(CLOCK_REALTIME, &ts);
        u = (u64)ts.tv_sec * 1000000000ull + ts.tv_nsec;
        if (I.sub == R_GTLO) u = (u32)u;
        if (I.sub == R_GTHI) u >>= 32;
        break;
      }
      case R_ENV1:
        u = L.gridWs >> 32;
        break;
      case R_ENV2:
        u = (u32)L.gridWs;
        break;
      case R_DSM:
        u = L.dynShared;
        break;
      case R_TSM:
        u = L.sharedTotal - SHARED_START;
        break;
      case R_ZERO:
        u = 0;
        break;
      case R_ONE:
        u = 1;
        break;
    }
    if (uni) LANES t[i] = u;
    if (I.dw == 8)
      writeLanes(x, I.d, t);
    else if (I.dw == 4) {
      alignas(64) u32 q[WARP];
      LANES q[i] = (u32)t[i];
      writeLanes(x, I.d, q);
    } else {
      alignas(64) u16 q[WARP];
      LANES q[i] = (u16)t[i];
      writeLanes(x, I.d, q);
    }
  }
};
}  // namespace
Fns specialLookup() {
  return one<Special>();
}
int specialCode(std::string_view s) {
  // never destroyed: used at exit too
  static const auto& m = *new std::unordered_map<std::string_view, int>{{"%tid.x", R_TIDX},
                                                                        {"%tid.y", R_TIDY},
                                                                        {"%tid.z", R_TIDZ},
                                                                        {"%ntid.x", R_NTIDX},
                                                                        {"%ntid.y", R_NTIDY},
                                                                        {"%ntid.z", R_NTIDZ},
                                                                        {"%ctaid.x", R_CTAX},
                                                                        {"%ctaid.y", R_CTAY},
                                                                        {"%ctaid.z", R_CTAZ},
                                                                        {"%nctaid.x", R_NCTAX},
                                                                        {"%nctaid.y", R_NCTAY},
                                                                        {"%nctaid.z", R_NCTAZ},
                                                                        {"%laneid", R_LANE},
                                                                        {"%warpid", R_WARP},
                                                                        {"%nwarpid", R_NWARP},
                                                                        {"%smid", R_SM},
                                                                        {"%nsmid", R_NSM},
                                                                        {"%gridid", R_GRID},
                                                                        {"%lanemask_eq", R_LMEQ},
                                                                        {"%lanemask_le", R_LMLE},
                                                                        {"%lanemask_lt", R_LMLT},
                                                                        {"%lanemask_ge", R_LMGE},
                                                                        {"%lanemask_gt", R_LMGT},
                                                                        {"%clock", R_CLK},
                                                                        {"%clock_hi", R_CLKHI},
                                                                        {"%clock64", R_CLK64},
                                                                        {"%globaltimer", R_GT},
                                                                        {"%globaltimer_lo", R_GTLO},
                                                                        {"%globaltimer_hi", R_GTHI},
                                                                        {"%envreg1", R_ENV1},
                                                                        {"%envreg2", R_ENV2},
                                                                        {"%dynamic_smem_size", R_DSM},
                                                                        {"%total_smem_size", R_TSM},
                                                                        {"%aggr_smem_size", R_TSM},
                                                                        {"%clusterid.x", R_CTAX},
                                                                        {"%clusterid.y", R_CTAY},
                                                                        {"%clusterid.z", R_CTAZ},
                                                                        {"%nclusterid.x", R_NCTAX},
                                                                        {"%nclusterid.y", R_NCTAY},
                                                                        {"%nclusterid.z", R_NCTAZ},
                                                                        {"%cluster_ctaid.x", R_ZERO},
                                                                        {"%cluster_ctaid.y", R_ZERO},
                                                                        {"%cluster_ctaid.z", R_ZERO},
                                                                        {"%cluster_nctaid.x", R_ONE},
                                                                        {"%cluster_nctaid.y", R_ONE},
                                                                        {"%cluster_nctaid.z", R_ONE},
                                                                        {"%cluster_ctarank", R_ZERO},
                                                                        {"%cluster_nctarank", R_ONE}};
  auto it = m.find(s);
  if (it != m.end()) return it->second;
  if (s.substr(0, 7) == "%envreg" || s.substr(0, 3) == "%pm") return R_ZERO;
  return -1;
}
Fns warpLookup(std::string_view op, Ty t) {
  if (op == "shfl") return one<Shfl>();
  if (op == "vote") return one<Vote>();
  if (op == "match") return tySize(t) == 8 ? one<Match<u64>>() : one<Match<u32>>();
  if (op == "redux") return one<Redux>();
  if (op == "activemask") return one<ActiveMask>();
  if (op == "elect") return one<Elect>();
  return {};
}
}  // namespace emu
