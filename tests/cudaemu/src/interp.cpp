// SPDX-License-Identifier: MIT
// Launches: blocks, their memory, and the host threads that run them.
#include "interp.h"
#include "lanes.h"
#include "memory.h"
#include "profile.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace emu {
Block::~Block() {
  for (auto& w : warps)
    for (auto* f : w.frames) delete f;
  free(shared);
  free(regStore);
  free(localStore);
}
// CUDAEMU_ORDER: a permutation of the block indices within windows of 32 blocks
static u64 shuffled(u64 i, u64 total, u64 launch) {
  if (!cfg.order) return i;
  u64 w = i / 32 * 32, n = std::min<u64>(32, total - w);
  u32 s = cfg.order * 2654435761u + (u32)(w / 32) * 40503u + (u32)launch * 69069u + 1;
  u8 p[32];
  for (u32 k = 0; k < n; k++) p[k] = (u8)k;
  for (u32 k = (u32)n - 1; k > 0; k--) {
    s = s * 1664525u + 1013904223u;
    std::swap(p[k], p[(s >> 8) % (k + 1)]);
  }
  return w + p[i - w];
}
u32 Runner::nextRandom() {
  u32& s = x.order;
  s ^= s << 13;
  s ^= s >> 17;
  s ^= s << 5;
  return s;
}
void Runner::startBlock(Block& b, u64 linear) {
  Launch& L = *x.L;
  KernelImage& k = *L.k;
  FuncImage* fi = k.funcs[0].get();
  linear = shuffled(linear, L.totalBlocks, L.id);
  b.linear = linear;
  b.ctaid[0] = (u32)(linear % L.grid[0]);
  b.ctaid[1] = (u32)(linear / L.grid[0] % L.grid[1]);
  b.ctaid[2] = (u32)(linear / L.grid[0] / L.grid[1]);
  if (b.L != &L) {
    b.L = &L;
    b.nthreads = L.block[0] * L.block[1] * L.block[2];
    b.nwarps = (b.nthreads + 31) / 32;
    if (b.warps.size() < b.nwarps || b.warps.size() > b.nwarps) {
      for (auto& w : b.warps)
        for (auto* f : w.frames) delete f;
      b.warps = std::vector<Warp>(b.nwarps);
    } else
      for (auto& w : b.warps) {
        for (auto* f : w.frames) delete f;
        w.frames.clear();
      }
    size_t rb = ((size_t)fi->regBytes + 127) & ~63ull;
    if (b.regStoreSize < rb * b.nwarps) {
      free(b.regStore);
      b.regStoreSize = rb * b.nwarps;
      b.regStore = (u8*)aligned_alloc(64, b.regStoreSize);
      memset(b.regStore, 0, b.regStoreSize);
    }
    size_t ls = (size_t)k.localStride * 32;
    if (b.localStoreSize < ls * b.nwarps) {
      free(b.localStore);
      b.localStoreSize = ((ls * b.nwarps) + 63) & ~63ull;
      b.localStore = (u8*)aligned_alloc(64, b.localStoreSize);
      if (!k.hasCalls) memset(b.localStore, 0, b.localStoreSize);
    }
    if (b.sharedSize < L.sharedTotal || !b.shared) {
      free(b.shared);
      b.shared = (u8*)aligned_alloc(64, ((size_t)L.sharedTotal + 127) & ~63ull);
      memset(b.shared, cfg.fill >= 0 ? cfg.fill : 0, L.sharedTotal);
    }
    b.sharedSize = L.sharedTotal;
    for (u32 i = 0; i < b.nwarps; i++) {
      Warp& w = b.warps[i];
      w.blk = &b;
      w.id = i;
      w.root = Frame();
      w.root.fi = fi;
      w.root.regs = b.regStore + rb * i;
      w.local = b.localStore + ls * i;
      w.exists = 0;
      for (int l = 0; l < WARP; l++) {
        u32 t = i * 32 + l;
        if (t < b.nthreads) w.exists |= 1u << l;
        w.tid[0][l] = t % L.block[0];
        w.tid[1][l] = t / L.block[0] % L.block[1];
        w.tid[2][l] = t / L.block[0] / L.block[1];
      }
    }
  }
  if (cfg.fill >= 0) memset(b.shared, cfg.fill, b.sharedSize);
  memset(b.shared, 0, SHARED_START);  // the reserved part, used by cooperative groups
  b.liveThreads = b.nthreads;
  b.liveWarps = b.nwarps;
  b.barEpoch = 0;
  b.rounds = 0;
  b.nextWarp = 0;
  b.lastFence = b.lastAcquire = 0;
  for (auto& B : b.bar) B = Barrier();
  for (auto& w : b.warps) {
    w.live = w.exists;
    w.ng = 1;
    w.g[0] = Group();
    w.g[0].mask = w.exists;
    w.g[0].fr = &w.root;
    w.root.live = w.exists;
    w.fairness = 0;
    for (auto* f : w.frames) f->live = 0;
  }
  if (cfg.race) b.sharedRace.assign(b.sharedSize / 4 + 1, RaceCell());
  if (cfg.uninitShared) b.sharedInit.assign(b.sharedSize, 0);
}
bool Runner::runBlock(Block& b, i64 budget, u64 rounds) {
  blk = &b;
  x.blk = &b;
  x.sh = b.shared;
  x.shSize = b.sharedSize;
  x.locStride = x.L->k->localStride;
  for (u64 r = 0; r < rounds; r++) {
    bool any = false;
    u32 rot = cfg.order ? nextRandom() % b.nwarps : 0;
    for (u32 i0 = 0; i0 < b.nwarps; i0++) {
      u32 i = i0 + rot;
      if (i >= b.nwarps) i -= b.nwarps;
      Warp& w = b.warps[i];
      if (!w.live) continue;
      bool pr = false;
      WarpResult res = runWarp(w, budget, pr);
      any |= pr;
      if (res == WR_FAULT || x.L->failed.load(std::memory_order_relaxed)) return true;
    }
    if (!b.liveWarps) return true;
    if (!any) {
      deadlock("no thread of the block can advance");
      return true;
    }
    if (cfg.maxInstr && x.cnt.warpInstr > cfg.maxInstr) {
      x.w = &b.warps[0];
      for (auto& w : b.warps)
        if (w.ng && w.live) x.w = &w;
      reportFault(x, x.w->ng ? &x.w->g[0].fr->fi->code[x.w->g[0].pc] : nullptr, FK_TIMEOUT,
                  x.w->ng ? __builtin_ctz(x.w->g[0].mask) : 0,
                  "the launch exceeds CUDAEMU_MAX_INSTR warp instructions (endless loop?)");
      return true;
    }
  }
  return false;
}
namespace {
// kernels do not see the rounding mode, flush-to-zero mode and exception masks of the host program
struct KernelFpEnv {
  const u32 host = _mm_getcsr();
  KernelFpEnv() { _mm_setcsr(kDefaultMxcsr); }
  ~KernelFpEnv() { _mm_setcsr(host); }
};
// Resident blocks are added one after the other as soon as one does not finish, up to this number and this memory (PTX
// registers are not allocated, so a block may hold megabytes). Beyond that one is added when all have had their turn.
constexpr size_t kEagerBlocks = 32, kEagerBytes = 64 << 20;

void workerRun(Launch& L, Exec& x, std::vector<std::unique_ptr<Block>>& pool) {
  KernelFpEnv env;
  x.L = &L;
  x.params = L.params.data();
  x.fault = false;
  x.multi = L.multi;
  x.hooks = cfg.profile || cfg.race || cfg.uninit;
  x.cnt = Counters();
  x.clock = 0;
  for (auto& r : x.rc) r = Range();
  Runner R(x);
  std::vector<Block*> active, idle;
  for (auto& b : pool) {
    b->L = nullptr;
    idle.push_back(b.get());
  }
  auto take = [&]() -> Block* {
    if (idle.empty()) {
      pool.push_back(std::make_unique<Block>());
      return pool.back().get();
    }
    Block* b = idle.back();
    idle.pop_back();
    return b;
  };
  // blocks that fit on the emulated device at once
  u64 nt = (u64)L.block[0] * L.block[1] * L.block[2];
  u64 perSm =
      std::max<u64>(1, std::min<u64>(32, std::min<u64>(2048 / ((nt + 31) / 32 * 32), 167936 / (L.sharedTotal))));
  size_t maxResident = std::min<u64>(L.totalBlocks, perSm * (u64)cfg.sms);
  x.order = cfg.order * 747796405u + (u32)L.id * 2891336453u + 1;
  x.lastAlloc = nullptr;
  i64 budget = L.cooperative ? 64 : cfg.order ? 500 : 4000;
  u64 rounds = L.cooperative ? 1 : cfg.order ? 4 : 64;
  if (L.cooperative) {
    for (;;) {
      u64 n = L.nextBlock.fetch_add(1);
      if (n >= L.totalBlocks) break;
      Block* b = take();
      R.startBlock(*b, n);
      active.push_back(b);
    }
  }
  const size_t blockBytes = (nt + 31) / 32 * (L.k->funcs[0]->regBytes + 32 * (size_t)L.k->localStride) + L.sharedTotal;
  const size_t eager = std::clamp<size_t>(kEagerBytes / blockBytes, 2, kEagerBlocks);
  size_t cur = 0, turns = 0;  // turns: since a block was added
  for (;;) {
    if (L.failed.load(std::memory_order_relaxed)) break;
    if (active.empty()) {
      u64 n = L.nextBlock.fetch_add(1);
      if (n >= L.totalBlocks) break;
      Block* b = take();
      R.startBlock(*b, n);
      active.push_back(b);
      cur = 0;
    }
    if (cur >= active.size()) cur = 0;
    Block* b = active[cur];
    ++turns;
    if (R.runBlock(*b, budget, rounds)) {
      idle.push_back(b);
      active.erase(active.begin() + cur);
      continue;
    }
    // not finished: it may spin on a later block, so make another block resident
    const bool due = active.size() < eager || turns >= active.size();
    if (!L.cooperative && due && active.size() < maxResident && L.nextBlock.load() < L.totalBlocks) {
      u64 n = L.nextBlock.fetch_add(1);
      if (n < L.totalBlocks) {
        Block* nb = take();
        R.startBlock(*nb, n);
        active.push_back(nb);
        cur = active.size() - 1;
        turns = 0;
        continue;
      }
    }
    ++cur;
  }
  if (pool.size() > 64) pool.resize(64);
}
struct Worker {
  Exec x;
  std::vector<std::unique_ptr<Block>> pool;
};
std::vector<std::unique_ptr<Worker>> workers;
}  // namespace

void runLaunch(Launch& L) {
  auto t0 = std::chrono::steady_clock::now();
  int n = cfg.threads;
  L.totalBlocks = (u64)L.grid[0] * L.grid[1] * L.grid[2];
  if ((u64)n > L.totalBlocks) n = (int)L.totalBlocks;
  if (n < 1) n = 1;
  if (cfg.race || cfg.uninit || cfg.profileLines || cfg.l2MB) n = 1;
  if (cfg.profileLines && counting)
    for (auto& f : L.k->funcs) {
      f->hits.resize(f->code.size());
      f->sectors.resize(f->code.size());
    }
  L.multi = n > 1;
  while ((int)workers.size() < n) {
    workers.push_back(std::make_unique<Worker>());
    workers.back()->x.threadId = (int)workers.size() - 1;
  }
  if (n == 1)
    workerRun(L, workers[0]->x, workers[0]->pool);
  else {
    std::vector<std::thread> th;
    for (int i = 1; i < n; i++) th.emplace_back([&, i] { workerRun(L, workers[i]->x, workers[i]->pool); });
    workerRun(L, workers[0]->x, workers[0]->pool);
    for (auto& t : th) t.join();
  }
  KernelStats& s = *L.k->stats;
  if (!counting) return;
  s.launches++;
  s.blocks += L.totalBlocks;
  s.threads += L.totalBlocks * L.block[0] * L.block[1] * L.block[2];
  s.maxShared = std::max(s.maxShared, L.sharedTotal - SHARED_START);
  for (int i = 0; i < n; i++) s.c.add(workers[i]->x.cnt);
  s.hostSeconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count();
}
}  // namespace emu
