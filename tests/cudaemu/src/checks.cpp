// SPDX-License-Identifier: MIT
// Access hooks: profile counters, the model of the L2 cache, race and uninitialised checks.
#include "memory.h"
#include "report.h"

#include <algorithm>
#include <set>

namespace emu {
// model of the L2 cache (CUDAEMU_L2_MB): 128-byte lines, 4 sectors, 16 ways, LRU, write back
struct L2Cache {
  struct Line {
    u64 tag = ~0ull;
    u32 used = 0;
    u8 valid = 0, dirty = 0;
  };
  std::vector<Line> lines;
  u32 sets = 0, clock = 0;
  static constexpr int WAYS = 16;
  void access(u64 sector, bool write, u64& rd, u64& wr) {
    if (lines.empty()) {
      sets = (u32)((u64)cfg.l2MB * 1048576 / 128 / WAYS);
      lines.resize((size_t)sets * WAYS);
    }
    u64 line = sector >> 2;
    u8 bit = (u8)(1u << (sector & 3));
    Line* s = &lines[(size_t)((line * 0x9E3779B97F4A7C15ull >> 20) % sets) * WAYS];
    ++clock;
    Line* l = nullptr;
    Line* old = s;
    for (int k = 0; k < WAYS; k++) {
      if (s[k].tag == line) {
        l = &s[k];
        break;
      }
      if (s[k].used < old->used) old = &s[k];
    }
    if (!l) {
      l = old;
      l->tag = line;
      l->valid = l->dirty = 0;
    }
    l->used = clock;
    if (write) {
      if (!(l->dirty & bit)) ++wr;
      l->dirty |= bit;
      l->valid |= bit;
    } else {
      if (!(l->valid & bit)) ++rd;
      l->valid |= bit;
    }  // a dirty sector is written once
  }
};
static L2Cache l2;
static std::vector<u64> blockFence;
static u64 fenceLaunch = ~0ull;
static void reportRace(Exec& x, const Ins& I, int lane, const char* what, u64 addr, const char* space, u32 other,
                       u32 otherBlock, u32 otherLine) {
  std::lock_guard<std::mutex> g(reportLock);
  static auto& seen = *new std::set<std::tuple<std::string, u32, u32>>;
  if (!seen.insert({x.L->k->name, I.ptxLine, otherLine}).second) return;
  long n = ++raceReports;
  if (n > cfg.maxReports) return;
  fflush(stdout);
  fprintf(stderr, "cudaemu: RACE: %s hazard on %s memory at 0x%llx: thread %u of block %u at PTX line %u, and%s\n",
          what, space, (unsigned long long)addr, other, otherBlock, otherLine, where(x, &I, lane).c_str());
}
static void raceCheck(Exec& x, const Ins& I, RaceCell& c, int lane, u64 addr, u8 bytes, const char* space, int kind,
                      bool strong) {
  if (c.launch != (u32)x.L->id) {
    c = RaceCell();
    c.launch = (u32)x.L->id;
  }
  u32 th = x.w->id * 32 + lane;
  u32 bl = (u32)x.blk->linear;
  u32 ep = x.blk->barEpoch;
  u64 now = x.clock;
  bool wr = kind != AK_LOAD;
  auto ordered = [&](u32 oth, u32 obl, u32 oep, u64 ot, u32 osync, bool write) {
    if (obl == bl) {
      if (oth == th) return true;
      if (oep != ep) return true;
      if (oth / 32 == th / 32) {  // lanes of one warp
        if (osync != x.w->syncEpoch) return true;
        if (ot == now && !write) return true;
        if (ot != now && !cfg.raceStrict) return true;
      }
      return x.blk->lastFence > ot && x.blk->lastAcquire > ot;
    }
    return obl < blockFence.size() && blockFence[obl] > ot && x.blk->lastAcquire > ot;
  };
  if (c.wThread != ~0u && (c.wBytes & bytes) && !(c.wAtomic && strong) &&
      !ordered(c.wThread, c.wBlock, c.wEpoch, c.wTime, c.wSync, wr))
    reportRace(x, I, lane, wr ? "write after write" : "read after write", addr, space, c.wThread, c.wBlock, c.wLine);
  if (wr && c.rThread != ~0u && (c.rBytes & bytes) && !(c.rAtomic && strong) &&
      !ordered(c.rThread, c.rBlock, c.rEpoch, c.rTime, c.rSync, false))
    reportRace(x, I, lane, "write after read", addr, space, c.rThread, c.rBlock, c.rLine);
  if (wr) {
    c.wThread = th;
    c.wBlock = bl;
    c.wEpoch = ep;
    c.wTime = now;
    c.wSync = x.w->syncEpoch;
    c.wLine = I.ptxLine;
    c.wAtomic = strong;
    c.wBytes = bytes;
    c.rThread = ~0u;
  } else if (c.rThread == ~0u || c.rThread == th || c.rEpoch != ep || c.rBlock != bl || !(c.rThread != c.wThread)) {
    c.rThread = th;
    c.rBlock = bl;
    c.rEpoch = ep;
    c.rTime = now;
    c.rSync = x.w->syncEpoch;
    c.rLine = I.ptxLine;
    c.rAtomic = strong;
    c.rBytes = bytes;
  }
}
// host threads may meet here
static void sizeSectors(Alloc& a) {
  if (a.secReady.load(std::memory_order_acquire)) return;
  std::lock_guard<std::mutex> g(reportLock);
  if (a.secReady) return;
  a.secR.assign(a.size / 32 + 2, 0);
  a.secW.assign(a.size / 32 + 2, 0);
  a.secReady.store(true, std::memory_order_release);
}
// allocation of an address; the last one is remembered for the duration of a launch
static Alloc* findCached(Exec& x, u64 addr) {
  Alloc* a = x.lastAlloc;
  if (a && addr - a->base < a->size) return a;
  a = memFind(addr);
  if (a) x.lastAlloc = a;
  return a;
}
static void countGlobal(Exec& x, const Ins& I, const u64* ad, u32 bytes, int kind) {
  if (I.flags & IF_SKIP) return;
  const u32 m = x.mask;
  Counters& c = x.cnt;
  const int act = __builtin_popcount(m);
  u64 s[128];
  int n = 0;
  for (u32 k = m; k; k &= k - 1) {
    u64 a = ad[__builtin_ctz(k)];
    for (u64 q = a >> 5; q <= (a + bytes - 1) >> 5 && n < 128; q++) {
      if (n && s[n - 1] == q) continue;
      s[n++] = q;
    }
  }
  std::sort(s, s + n);
  n = (int)(std::unique(s, s + n) - s);
  u64 a[32];
  int q = 0;
  for (u32 k = m; k; k &= k - 1) a[q++] = ad[__builtin_ctz(k)];
  std::sort(a, a + q);
  u64 distinct = (u64)(std::unique(a, a + q) - a);  // lanes on one address count once
  if (kind == AK_LOAD) {
    c.gld++;
    c.gldSectors += n;
    c.gldBytes += distinct * bytes;
  } else if (kind == AK_STORE) {
    c.gst++;
    c.gstSectors += n;
    c.gstBytes += distinct * bytes;
  } else {
    c.atom++;
    c.atomLanes += act;
    c.atomSectors += n;
    c.atomConflicts += act - distinct;
  }
  // sectors this launch touches for the first time: the traffic below a perfect cache
  u32 tag = (u32)x.L->id;
  Alloc* al = x.lastAlloc;
  for (int k = 0; k < n; k++) {
    u64 a = s[k] << 5;
    u64 lo = a, hi = a + 31;
    if (!al || hi < al->base || lo >= al->base + al->size) {
      al = memFind(a);
      if (!al) al = memFind(hi);
      if (!al) continue;
    }
    sizeSectors(*al);
    auto touch = [&](std::vector<u32>& v, u64& count) {
      u64 ix = s[k] - (al->base >> 5);
      if (ix < v.size()) {
        u32 old = v[ix];
        if (x.multi)
          old = __atomic_exchange_n(&v[ix], tag, __ATOMIC_RELAXED);
        else
          v[ix] = tag;
        if (old != tag) ++count;
      }
    };
    if (kind != AK_STORE) touch(al->secR, c.gldUnique);
    if (kind != AK_LOAD) touch(al->secW, c.gstUnique);
  }
  x.lastAlloc = al;
  if (cfg.l2MB)
    for (int k = 0; k < n; k++) {
      if (kind != AK_STORE) l2.access(s[k], false, c.dramRead, c.dramWrite);
      if (kind != AK_LOAD) l2.access(s[k], true, c.dramRead, c.dramWrite);
    }
  if (cfg.profileLines && !x.fr->fi->sectors.empty()) x.fr->fi->sectors[x.pc] += n;
}
static void countShared(Exec& x, const u64* ad, u32 bytes, int kind) {
  const u32 m = x.mask;
  Counters& c = x.cnt;
  const int act = __builtin_popcount(m);
  if (kind == AK_LOAD)
    c.sld++;
  else if (kind == AK_STORE)
    c.sst++;
  else {
    c.satom++;
    u64 a[32];
    int q = 0;
    for (u32 k = m; k; k &= k - 1) a[q++] = ad[__builtin_ctz(k)];
    std::sort(a, a + q);
    c.satomConflicts += act - (std::unique(a, a + q) - a);
  }
  int per = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
  for (int g = 0; g < 32; g += per) {
    u32 w[64];
    int n = 0;
    for (int i = g; i < g + per; i++)
      if ((m >> i) & 1)
        for (u32 q = (u32)ad[i] >> 2; q <= ((u32)ad[i] + bytes - 1) >> 2 && n < 64; q++) w[n++] = q;
    std::sort(w, w + n);
    n = (int)(std::unique(w, w + n) - w);
    u8 cnt[32] = {0};
    int mx = 0;
    for (int k = 0; k < n; k++) {
      int v = ++cnt[w[k] & 31];
      if (v > mx) mx = v;
    }
    if (mx > 1) c.bankConflicts += mx - 1;
  }
}
static void checkInit(Exec& x, const Ins& I, const u64* ad, u32 bytes, int kind, int space) {
  const u32 m = x.mask;
  for (u32 k = m; k; k &= k - 1) {
    int i = __builtin_ctz(k);
    u8* in = nullptr;
    u64 o = 0;
    if (space == SP_SHARED) {
      in = x.blk->sharedInit.data();
      o = ad[i];
    } else {
      Alloc* a = findCached(x, ad[i]);
      if (!a || (a->kind != MK_DEVICE && a->kind != MK_HEAP)) continue;
      if (a->init.empty()) a->init.assign(a->size, 0);
      in = a->init.data();
      o = ad[i] - a->base;
    }
    if (kind != AK_STORE) {
      bool bad = false;
      for (u32 q = 0; q < bytes; q++)
        if (!in[o + q]) bad = true;
      if (bad) {
        std::lock_guard<std::mutex> g(reportLock);
        static auto& seen = *new std::set<std::pair<std::string, u32>>;
        if (seen.insert({x.L->k->name, I.ptxLine}).second) {
          long n = ++uninitReports;
          if (n <= cfg.maxReports) {
            fflush(stdout);
            fprintf(stderr,
                    "cudaemu: UNINITIALISED: read of %u bytes of %s memory at 0x%llx that was never written%s\n", bytes,
                    space == SP_SHARED ? "shared" : "global", (unsigned long long)ad[i], where(x, &I, i).c_str());
          }
        }
      }
    }
    if (kind != AK_LOAD) memset(in + o, 1, bytes);
  }
}
static void checkRaces(Exec& x, const Ins& I, const u64* ad, u32 bytes, int kind, int space) {
  const u32 m = x.mask;
  if (fenceLaunch != x.L->id) {
    fenceLaunch = x.L->id;
    blockFence.assign(x.L->totalBlocks, 0);
  }
  blockFence[x.blk->linear] = std::max(blockFence[x.blk->linear], x.blk->lastFence);
  bool strong = kind == AK_ATOMIC || (I.flags & IF_STRONG);
  if (I.flags & IF_REL) {
    x.blk->lastFence = x.clock;
    blockFence[x.blk->linear] = x.clock;
  }
  if ((space == SP_GLOBAL || space == SP_SHARED) && !(I.flags & IF_NC))
    for (u32 k = m; k; k &= k - 1) {
      int i = __builtin_ctz(k);
      for (u64 w = ad[i] & ~3ull; w < ad[i] + bytes; w += 4) {
        const u32 lo = w < ad[i] ? (u32)(ad[i] - w) : 0, hi = (u32)std::min<u64>(4, ad[i] + bytes - w);
        const u8 part = (u8)((1u << hi) - (1u << lo));
        if (space == SP_SHARED) {
          raceCheck(x, I, x.blk->sharedRace[w / 4], i, w, part, "shared", kind, strong);
        } else {
          Alloc* a = findCached(x, ad[i]);
          if (!a || a->kind == MK_CONST) break;
          if (a->race.empty()) a->race.resize(a->size / 4 + 2);
          raceCheck(x, I, a->race[(w - (a->base & ~3ull)) / 4], i, w, part, "global", kind, strong);
        }
      }
    }
  if (strong && kind != AK_STORE) x.blk->lastAcquire = x.clock + 1;
}
void memHook(Exec& x, const Ins& I, const u64* ad, u32 bytes, int kind, int space) {
  if (cfg.profile) {
    if (space == SP_GLOBAL)
      countGlobal(x, I, ad, bytes, kind);
    else if (space == SP_SHARED)
      countShared(x, ad, bytes, kind);
    else if (space == SP_LOCAL)
      ++(kind == AK_LOAD ? x.cnt.lld : x.cnt.lst);
  }
  if (cfg.uninit && (space == SP_GLOBAL || (space == SP_SHARED && cfg.uninitShared)))
    checkInit(x, I, ad, bytes, kind, space);
  if (cfg.race) checkRaces(x, I, ad, bytes, kind, space);
}
}  // namespace emu
