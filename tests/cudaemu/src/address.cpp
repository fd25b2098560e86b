// SPDX-License-Identifier: MIT
// Address translation of the 32 lanes of a warp, with the checks of every access.
#include "address.h"
#include "lanes.h"
#include "memory.h"

namespace emu {
namespace {
std::string hex(u64 v) {
  char b[32];
  snprintf(b, sizeof b, "0x%llx", (unsigned long long)v);
  return b;
}
const char* kindStr(int k) {
  return k == AK_LOAD ? "read" : k == AK_STORE ? "write" : "atomic";
}

bool oob(Exec& x, const Ins& I, int lane, u64 a, u32 bytes, int kind, const char* space, const std::string& more) {
  reportFault(x, &I, FK_OOB, lane,
              std::string("invalid ") + space + " " + kindStr(kind) + " of size " + std::to_string(bytes) +
                  " at address " + hex(a) + ": " + more);
  return false;
}
bool misaligned(Exec& x, const Ins& I, const u64* ad, u32 m, u32 al, int kind, u32 bytes) {
  for (int i = 0; i < WARP; i++)
    if (((m >> i) & 1) && (ad[i] & (al - 1))) {
      reportFault(x, &I, FK_MISALIGNED, i,
                  std::string("misaligned ") + kindStr(kind) + " of size " + std::to_string(bytes) + " at address " +
                      hex(ad[i]));
      return false;
    }
  return true;
}
// lane addresses; inactive lanes get the address of the first active lane
inline void laneAddr(Exec& x, const Ins& I, u64* ad) {
  const u32 m = x.mask;
  const int f = __builtin_ctz(m);
  u64 off = I.imm;
  if (I.flags & IF_LOCALSYM) off += x.fr->locBase;
  if (I.flags & IF_A32) {
    const u32* A = SRC<u32>(x, I.a);
    if (m == ~0u) {
      LANES ad[i] = (u32)(A[i] + off);
    } else {
      u64 first = (u32)(A[f] + off);
      LANES ad[i] = (m >> i) & 1 ? (u64)(u32)(A[i] + off) : first;
    }
  } else {
    const u64* A = SRC<u64>(x, I.a);
    if (m == ~0u) {
      LANES ad[i] = A[i] + off;
    } else {
      u64 first = A[f] + off;
      LANES ad[i] = (m >> i) & 1 ? A[i] + off : first;
    }
  }
}
bool globalPtrs(Exec& x, const Ins& I, const u64* ad, u32 bytes, char** p, int kind) {
  u64 mn = ~0ull, mx = 0, orr = 0;
  LANES {
    mn = ad[i] < mn ? ad[i] : mn;
    mx = ad[i] > mx ? ad[i] : mx;
    orr |= ad[i];
  }
  u32 al = bytes > 16 ? 16 : bytes;
  if (bytes & (bytes - 1)) al = I.size;
  if (orr & (al - 1)) return misaligned(x, I, ad, x.mask, al, kind, bytes);
  Range& rc = x.rc[x.pc & 255];
  if (mn < rc.lo || mx + bytes > rc.hi) {
    Range r;
    if (memLookup(mn, r) && mx + bytes <= r.hi)
      rc = r;
    else {  // lanes in several allocations, or an error
      for (int i = 0; i < WARP; i++) {
        if (!((x.mask >> i) & 1)) {
          p[i] = nullptr;
          continue;
        }
        Range q;
        if (!memLookup(ad[i], q) || ad[i] + bytes > q.hi)
          return oob(x, I, i, ad[i], bytes, kind, I.space == SP_CONST ? "constant" : "global", memDescribe(ad[i]));
        p[i] = (char*)(ad[i] + q.delta);
      }
      char* f = p[__builtin_ctz(x.mask)];
      LANES if (!((x.mask >> i) & 1)) p[i] = f;
      return true;
    }
  }
  const i64 dl = rc.delta;
  u64* q = (u64*)p;
  LANES q[i] = ad[i] + dl;
  return true;
}
bool sharedPtrs(Exec& x, const Ins& I, const u64* ad, u32 bytes, char** p, int kind) {
  u64 mn = ~0ull, mx = 0, orr = 0;
  LANES {
    mn = ad[i] < mn ? ad[i] : mn;
    mx = ad[i] > mx ? ad[i] : mx;
    orr |= ad[i];
  }
  u32 al = bytes > 16 ? 16 : bytes;
  if (bytes & (bytes - 1)) al = I.size;
  if (orr & (al - 1)) return misaligned(x, I, ad, x.mask, al, kind, bytes);
  if (mn < SHARED_NULL || mx + bytes > x.shSize) {
    for (int i = 0; i < WARP; i++)
      if (((x.mask >> i) & 1) && (ad[i] < SHARED_NULL || ad[i] + bytes > x.shSize))
        return oob(x, I, i, ad[i], bytes, kind, "shared",
                   "the block has " + std::to_string(x.shSize - SHARED_START) +
                       " bytes of shared memory, the access is at offset " +
                       std::to_string((i64)ad[i] - (i64)SHARED_START));
  }
  u64 b = (u64)x.sh;
  u64* q = (u64*)p;
  LANES q[i] = b + ad[i];
  return true;
}
bool localPtrs(Exec& x, const Ins& I, const u64* ad, u32 bytes, char** p, int kind) {
  u64 mx = 0, orr = 0;
  LANES {
    mx = ad[i] > mx ? ad[i] : mx;
    orr |= ad[i];
  }
  u32 al = bytes > 16 ? 16 : bytes;
  if (bytes & (bytes - 1)) al = I.size;
  if (orr & (al - 1)) return misaligned(x, I, ad, x.mask, al, kind, bytes);
  if (mx + bytes > x.locStride) {
    for (int i = 0; i < WARP; i++)
      if (((x.mask >> i) & 1) && ad[i] + bytes > x.locStride)
        return oob(x, I, i, ad[i], bytes, kind, "local",
                   "the thread has " + std::to_string(x.locStride) + " bytes of local memory");
  }
  u64 b = (u64)x.loc, s = x.locStride;
  u64* q = (u64*)p;
  LANES q[i] = b + (u64)i * s + ad[i];
  if (x.mask != ~0u) {
    char* f = p[__builtin_ctz(x.mask)];
    LANES if (!((x.mask >> i) & 1)) p[i] = f;
  }
  return true;
}
}  // namespace
bool resolve(Exec& x, const Ins& I, u32 bytes, char** p, u64* ad, int kind) {
  laneAddr(x, I, ad);
  int sp = I.space;
  bool ok;
  if (sp == SP_GENERIC) {
    u64 o = 0, n = ~0ull;
    LANES {
      o |= ad[i];
      n &= ad[i];
    }
    o >>= 56;
    n >>= 56;
    if (o == 0)
      sp = SP_GLOBAL;
    else if (o == 1 && n == 1) {
      sp = SP_SHARED;
      LANES ad[i] -= SHARED_WINDOW;
    } else if (o == 2 && n == 2) {
      sp = SP_LOCAL;
      LANES ad[i] -= LOCAL_WINDOW;
    } else {  // mixed
      for (int i = 0; i < WARP; i++)
        if ((x.mask >> i) & 1) {
          if (ad[i] & ((bytes & (bytes - 1) ? I.size : bytes > 16 ? 16 : bytes) - 1))
            return misaligned(x, I, ad, x.mask, I.size, kind, bytes);
          p[i] = xlate(x, &I, ad[i], bytes, i);
          if (!p[i]) return false;
        }
      char* f = p[__builtin_ctz(x.mask)];
      LANES if (!((x.mask >> i) & 1)) p[i] = f;
      return true;
    }
  }
  switch (sp) {
    case SP_SHARED:
      ok = sharedPtrs(x, I, ad, bytes, p, kind);
      break;
    case SP_LOCAL:
      ok = localPtrs(x, I, ad, bytes, p, kind);
      break;
    default:
      ok = globalPtrs(x, I, ad, bytes, p, kind);
      if (sp != SP_CONST && sp != SP_PARAM) sp = SP_GLOBAL;
  }
  if (ok && x.hooks) memHook(x, I, ad, bytes, kind, sp);
  return ok;
}
char* xlate(Exec& x, const Ins* I, u64 a, u32 bytes, int lane, bool report) {
  u64 t = a >> 56;
  if (t == 1) {
    u64 o = a - SHARED_WINDOW;
    if (o >= SHARED_NULL && o + bytes <= x.shSize) return (char*)x.sh + o;
  } else if (t == 2) {
    u64 o = a - LOCAL_WINDOW;
    if (o + bytes <= x.locStride) return (char*)x.loc + (u64)lane * x.locStride + o;
  } else {
    Range r;
    if (memLookup(a, r) && a + bytes <= r.hi) return (char*)(a + r.delta);
  }
  if (report)
    reportFault(
        x, I, FK_OOB, lane,
        "invalid access of size " + std::to_string(bytes) + " at generic address " + hex(a) + ": " + memDescribe(a));
  return nullptr;
}
char* xlateString(Exec& x, u64 a, int lane) {
  return xlate(x, nullptr, a, 1, lane, false);
}
}  // namespace emu
