// SPDX-License-Identifier: MIT
// Groups of lanes of a warp, call frames, barriers and warp synchronisation.
#include "interp.h"

namespace emu {
Frame* Runner::newFrame(Warp& w, FuncImage* fi, Frame* parent, u32 ret, u32 mask, const CallInfo* ci, u32 locBase) {
  Frame* f = nullptr;
  for (auto*& p : w.frames)
    if (p->live == 0) {
      f = p;
      break;
    }
  if (!f) {
    f = new Frame;
    w.frames.push_back(f);
  }
  f->fi = fi;
  f->parent = parent;
  f->retPc = ret;
  f->depth = parent->depth + 1;
  f->live = mask;
  f->call = ci;
  f->locBase = locBase;
  size_t need = fi->regBytes + 64;
  if (f->store.size() < need) f->store.assign(need, 0);
  f->regs = (u8*)(((u64)f->store.data() + 63) & ~63ull);
  return f;
}
void Runner::addGroup(Warp& w, u32 pc, u32 mask, Frame* fr) {
  for (int i = 0; i < w.ng; i++) {
    Group& g = w.g[i];
    if (g.pc == pc && g.fr == fr && g.state == G_READY && !g.resume) {
      g.mask |= mask;
      return;
    }
  }
  Group& g = w.g[w.ng++];
  g = Group();
  g.pc = pc;
  g.mask = mask;
  g.fr = fr;
  g.lastRun = x.clock;
}
void Runner::mergeReady(Warp& w) {
  for (int i = 0; i < w.ng; i++)
    for (int j = i + 1; j < w.ng;) {
      Group &a = w.g[i], &b = w.g[j];
      if (a.pc == b.pc && a.fr == b.fr && a.state == G_READY && b.state == G_READY && a.resume == b.resume) {
        a.mask |= b.mask;
        removeGroup(w, j);
      } else
        ++j;
    }
}
void Runner::completeBarrier(int id) {
  Barrier& B = blk->bar[id];
  B.resAnd = B.accAnd;
  B.resOr = B.accOr;
  B.resPop = B.accPop;
  B.arrived = 0;
  B.expected = 0;
  B.accAnd = 1;
  B.accOr = 0;
  B.accPop = 0;
  blk->barEpoch++;
  for (auto& w : blk->warps)
    for (int i = 0; i < w.ng; i++) {
      Group& g = w.g[i];
      if (g.state == G_BAR && g.bar == id) {
        g.state = G_READY;
        g.resume = 1;
      }
    }
}
void Runner::recheckBarriers() {
  for (int i = 0; i < 16; i++) {
    Barrier& B = blk->bar[i];
    if (B.arrived && !B.expected && B.arrived >= blk->liveThreads) completeBarrier(i);
  }
}
void Runner::exitLanes(Warp& w, u32 m, Frame* fr) {
  w.live &= ~m;
  blk->liveThreads -= __builtin_popcount(m);
  for (Frame* f = fr; f && f != &w.root; f = f->parent) f->live &= ~m;
  for (int i = 0; i < w.ng; i++)
    if (w.g[i].state == G_SYNC) w.g[i].state = G_READY;
  if (!w.live) blk->liveWarps--;
  recheckBarriers();
}
u32 Runner::memberMask(const Group& g, const Ins& I, int lane) {
  const u8* b[2] = {g.fr->regs, g.fr->fi->consts};
  return ((const u32*)(b[I.e & 1] + (I.e & ~1)))[lane];
}

// no group of the warp is ready: release groups that wait for each other at different warp-sync instructions
bool Runner::forceSync(Warp& w) {
  u32 all = 0;
  for (int i = 0; i < w.ng; i++)
    if (w.g[i].state == G_SYNC) all |= w.g[i].mask;
  bool any = false;
  for (int i = 0; i < w.ng; i++) {
    Group& g = w.g[i];
    if (g.state != G_SYNC) continue;
    const Ins& I = g.fr->fi->code[g.pc];
    bool ok = true;
    for (u32 m = g.mask; m; m &= m - 1) {
      u32 need = memberMask(g, I, __builtin_ctz(m)) & w.live;
      if ((need & all) != need) {
        ok = false;
        break;
      }
    }
    if (ok) {
      g.state = G_READY;
      g.resume = 2;
      any = true;
    }
  }
  return any;
}
void Runner::deadlock(const char* what) {
  std::string s = std::string("deadlock: ") + what;
  char b[200];
  int shown = 0;
  for (auto& w : blk->warps)
    for (int i = 0; i < w.ng && shown < 6; i++) {
      Group& g = w.g[i];
      const Ins& I = g.fr->fi->code[g.pc];
      snprintf(b, sizeof b, "\n    warp %u lanes 0x%08x wait at %s, PTX line %u%s", w.id, g.mask,
               g.state == G_BAR    ? "a barrier"
               : g.state == G_SYNC ? "a warp synchronisation"
                                   : "?",
               I.ptxLine, I.srcLine ? (", source line " + std::to_string(I.srcLine)).c_str() : "");
      s += b;
      ++shown;
    }
  Warp& w = *[&] {
    for (auto& q : blk->warps)
      if (q.ng) return &q;
    return &blk->warps[0];
  }();
  x.w = &w;
  const Ins* I = w.ng ? &w.g[0].fr->fi->code[w.g[0].pc] : nullptr;
  reportFault(x, I, FK_LAUNCH, w.ng ? __builtin_ctz(w.g[0].mask) : 0, s);
}
}  // namespace emu
