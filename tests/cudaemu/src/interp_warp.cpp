// SPDX-License-Identifier: MIT
// The inner loop of the interpreter: one warp.
//
// A warp is a set of groups of lanes with one program counter each. The group with the deepest call frame and, within
// it, the lowest pc runs first; groups that meet at the same pc merge. As nvcc lays out code in topological order this
// reconverges at post-dominators. A group that spins while others wait is preempted after some back branches
// (independent thread scheduling).
#include "interp.h"
#include "lanes.h"
#include "profile.h"

#include <algorithm>

namespace emu {
namespace {
// back branches of one group while others wait before they get a turn; strong accesses count 16, as spin loops have
// them
constexpr u32 FAIR_TRIGGER = 64000, FAIR_TURN = 300, FAIR_STRONG = 16;
}  // namespace
WarpResult Runner::runWarp(Warp& w, i64 budget, bool& progressed) {
  Exec& x = this->x;  // a local reference stays in a register across the calls of the handlers
  if (!w.live) return WR_DONE;
  x.w = &w;
  x.loc = w.local;
  x.live = w.live;
  bool fair = false;
  i64 fairLeft = 0;
resched:
  if (!w.live) return WR_DONE;
  if (w.ng > 1)
    mergeReady(w);
  else
    w.fairness = 0;
  int ci = -1;
  if (fair) {
    u64 old = ~0ull;
    for (int i = 0; i < w.ng; i++)
      if (w.g[i].state == G_READY && w.g[i].lastRun < old) {
        old = w.g[i].lastRun;
        ci = i;
      }
    fairLeft = FAIR_TURN;
  } else {
    u32 bd = 0, bp = 0;
    for (int i = 0; i < w.ng; i++) {
      Group& g = w.g[i];
      if (g.state != G_READY) continue;
      if (ci < 0 || g.fr->depth > bd || (g.fr->depth == bd && g.pc < bp)) {
        ci = i;
        bd = g.fr->depth;
        bp = g.pc;
      }
    }
  }
  if (ci < 0) {
    if (forceSync(w)) goto resched;
    return WR_BLOCKED;
  }
  {
    Group* cur = &w.g[ci];
    u32 pc = cur->pc, gm = cur->mask;
    Frame* fr = cur->fr;
    u8 resume = cur->resume;
    cur->resume = 0;
    cur->lastRun = x.clock;
    u32 limit = ~0u;
    int readyOthers = 0;
    for (int i = 0; i < w.ng; i++)
      if (i != ci) {
        Group& g = w.g[i];
        if (g.state == G_READY) {
          ++readyOthers;
          if (g.fr == fr && g.pc > pc && g.pc < limit) limit = g.pc;
        }
      }
    const Ins* code = fr->fi->code.data();
    u8* R = fr->regs;
    u64* hits = cfg.profileLines && counting ? fr->fi->hits.data() : nullptr;
    x.fr = fr;
    x.base[0] = R;
    x.base[1] = fr->fi->consts;
    x.live = w.live;
    u64 nI = 0, nT = 0, skipped = 0, skippedT = 0;
    progressed = true;
#define SAVE()                          \
  do {                                  \
    cur->pc = pc;                       \
    cur->mask = gm;                     \
    x.cnt.warpInstr += nI - skipped;    \
    x.cnt.threadInstr += nT - skippedT; \
    x.clock += nI;                      \
    nI = nT = skipped = skippedT = 0;   \
  } while (0)
    for (;;) {
      if (pc >= limit) {
        SAVE();
        goto resched;
      }
      const Ins& I = code[pc];
      u32 m = gm;
      if (I.pred >= 0) {
        u32 p = *(const u32*)(R + I.pred);
        m &= I.pneg ? ~p : p;
      }
      ++nI;
      if (__builtin_expect(hits != nullptr, 0)) ++hits[pc];
      if (__builtin_expect(I.flags & IF_SKIP, 0)) {
        ++skipped;
        skippedT += __builtin_popcount(m);
      }
      if (I.ctrl == C_NONE) {
        if (m) {
          nT += __builtin_popcount(m);
          x.mask = m;
          (m == x.live ? I.full : I.part)(x, I);
        }
        ++pc;
        continue;
      }
      nT += __builtin_popcount(m);
      switch (I.ctrl) {
        case C_MEM:
          if (m) {
            x.mask = m;
            x.pc = pc;
            if (x.hooks || (I.flags & IF_CLOCK)) {
              x.clock += nI;
              x.cnt.warpInstr += nI - skipped;
              nI = skipped = 0;
            }
            I.full(x, I);
            if (x.fault) {
              SAVE();
              return WR_FAULT;
            }
            if (readyOthers && (I.flags & IF_STRONG)) w.fairness += FAIR_STRONG;
          }
          ++pc;
          continue;
        case C_BRA: {
          x.cnt.branches++;
          u32 tgt = (u32)I.target;
          if (m == gm) {
            if (tgt <= pc) {
              if (--budget <= 0) {
                pc = tgt;
                SAVE();
                return WR_YIELD;
              }
              if (readyOthers && !fair && ++w.fairness > FAIR_TRIGGER) {
                w.fairness = 0;
                fair = true;
                pc = tgt;
                SAVE();
                goto resched;
              }
              if (fair && --fairLeft <= 0) {
                fair = false;
                pc = tgt;
                SAVE();
                goto resched;
              }
            }
            pc = tgt;
            continue;
          }
          if (!m) {
            ++pc;
            continue;
          }
          x.cnt.divergent++;
          {
            u32 nt = gm & ~m;
            u32 lo, hi, lom, him;
            if (tgt <= pc) {
              lo = tgt;
              lom = m;
              hi = pc + 1;
              him = nt;
              --budget;
            } else {
              lo = pc + 1;
              lom = nt;
              hi = tgt;
              him = m;
            }
            pc = lo;
            gm = lom;
            cur->pc = lo;
            cur->mask = lom;
            addGroup(w, hi, him, fr);
            cur = &w.g[ci];
            readyOthers = 1;
            if (hi < limit) limit = hi;
            if (tgt < pc + 1 && !fair && ++w.fairness > FAIR_TRIGGER) {
              w.fairness = 0;
              fair = true;
              SAVE();
              goto resched;
            }
            if (budget <= 0) {
              SAVE();
              return WR_YIELD;
            }
          }
          continue;
        }
        case C_BRX: {  // indirect branch through a table
          if (!m) {
            ++pc;
            continue;
          }
          const auto& tab = fr->fi->tables[I.target];
          const u32* ix = SRC<u32>(x, I.a);
          u32 rest = m;
          u32 nt = gm & ~m;
          SAVE();
          removeGroup(w, ci);
          if (nt) addGroup(w, pc + 1, nt, fr);
          while (rest) {
            int l = __builtin_ctz(rest);
            u32 v = ix[l], same = 0;
            for (u32 k = rest; k; k &= k - 1) {
              int j = __builtin_ctz(k);
              if (ix[j] == v) same |= 1u << j;
            }
            if (v >= tab.size()) {
              reportFault(x, &I, FK_ILLEGAL_INSTR, l, "brx.idx index out of range");
              return WR_FAULT;
            }
            addGroup(w, (u32)tab[v], same, fr);
            rest &= ~same;
          }
          if (--budget <= 0) return WR_YIELD;
          goto resched;
        }
        case C_EXIT:
        case C_RET: {
          if (!m) {
            ++pc;
            continue;
          }
          u32 nt = gm & ~m;
          if (I.ctrl == C_EXIT || fr == &w.root) {
            gm = nt;
            ++pc;
            SAVE();
            if (!nt) removeGroup(w, ci);
            exitLanes(w, m, fr);
            x.live = w.live;
            goto resched;
          }
          // return from a function
          for (size_t k = 0; k < fr->call->rets.size() && k < fr->fi->formalRets.size(); k++) {
            auto& r = fr->call->rets[k];
            auto& f = fr->fi->formalRets[k];
            u32 sz = std::min(r.size, f.size);
            for (u32 q = m; q; q &= q - 1) {
              int l = __builtin_ctz(q);
              u8* L = x.loc + (size_t)l * x.locStride;
              memcpy(L + fr->parent->locBase + r.to, L + fr->locBase + f.to, sz);
            }
          }
          SAVE();
          Frame* par = fr->parent;
          u32 rp = fr->retPc;
          fr->live &= ~m;
          if (nt) {
            cur->pc = pc + 1;
            cur->mask = nt;
            addGroup(w, rp, m, par);
          } else {
            removeGroup(w, ci);
            addGroup(w, rp, m, par);
          }
          goto resched;
        }
        case C_CALL: {
          if (!m) {
            ++pc;
            continue;
          }
          const CallInfo& c = fr->fi->calls[I.target];
          if (c.builtin) {
            x.mask = m;
            x.pc = pc;
            SAVE();
            callBuiltin(x, I, c, m);
            if (x.fault) return WR_FAULT;
            ++pc;
            continue;
          }
          u32 nt = gm & ~m;
          FuncImage* fi;
          u32 take = m;
          if (c.func >= 0)
            fi = x.L->k->funcs[c.func].get();
          else {
            const u64* ad = SRC<u64>(x, c.reg);
            u64 t = ad[__builtin_ctz(m)];
            take = 0;
            for (u32 k = m; k; k &= k - 1) {
              int j = __builtin_ctz(k);
              if (ad[j] == t) take |= 1u << j;
            }
            auto it = x.L->k->byAddr.find(t);
            if (it == x.L->k->byAddr.end()) {
              SAVE();
              reportFault(x, &I, FK_ILLEGAL_INSTR, __builtin_ctz(m),
                          "indirect call to an address that is no device function");
              return WR_FAULT;
            }
            fi = x.L->k->funcs[it->second].get();
          }
          u32 lb = (fr->locBase + fr->fi->localBytes + 15) & ~15u;
          if (lb + fi->localBytes > x.locStride || fr->depth > 4000) {
            SAVE();
            reportFault(x, &I, FK_LAUNCH, __builtin_ctz(m), "device stack overflow in a call of " + demangle(fi->name));
            return WR_FAULT;
          }
          for (size_t k = 0; k < c.args.size() && k < fi->formals.size(); k++) {
            auto& a = c.args[k];
            auto& f = fi->formals[k];
            u32 sz = std::min(a.size, f.size);
            for (u32 q = take; q; q &= q - 1) {
              int l = __builtin_ctz(q);
              u8* L = x.loc + (size_t)l * x.locStride;
              memcpy(L + lb + f.to, L + fr->locBase + a.from, sz);
            }
          }
          Frame* nf = newFrame(w, fi, fr, pc + 1, take, &c, lb);
          SAVE();
          removeGroup(w, ci);
          if (nt) addGroup(w, pc + 1, nt, fr);
          if (m & ~take) addGroup(w, pc, m & ~take, fr);
          addGroup(w, 0, take, nf);
          goto resched;
        }
        case C_BAR: {
          if (!m) {
            ++pc;
            continue;
          }
          if (m != gm) {  // lanes whose guard is false go on
            u32 nt = gm & ~m;
            gm = m;
            SAVE();
            addGroup(w, pc + 1, nt, fr);
            goto resched;
          }
          u32 id = SRC<u32>(x, I.a)[__builtin_ctz(m)] & 15;
          if (resume == 1) {
            resume = 0;
            Barrier& B = blk->bar[id];
            --nI;
            nT -= __builtin_popcount(m);
            x.mask = m;
            if (I.sub == 2) {
              if (I.sub2 == 0) {
                alignas(64) u32 t[WARP];
                LANES t[i] = B.resPop;
                writeLanes(x, I.d, t);
              } else
                writePred(x, I.d, (I.sub2 == 1 ? B.resAnd : B.resOr) ? ~0u : 0);
            }
            ++pc;
            continue;
          }
          x.cnt.barriers++;
          Barrier& B = blk->bar[id];
          u32 cnt = I.b >= 0 ? SRC<u32>(x, I.b)[__builtin_ctz(m)] : 0;
          if (cfg.sync && !cnt && m != w.live)
            reportWarning(x, &I, __builtin_ctz(m),
                          "bar.sync reached by a diverged warp (lanes " + std::to_string(__builtin_popcount(m)) +
                              " of " + std::to_string(__builtin_popcount(w.live)) + ")");
          if (cnt) {
            B.expected = cnt;
            B.arrived += (m == w.live) ? 32 : __builtin_popcount(m);
          } else
            B.arrived += __builtin_popcount(m);
          if (I.sub == 2) {
            u32 p = readPred(x, I.c, I.flags & IF_NEG_C) & m;
            B.accPop += __builtin_popcount(p);
            if (p != m) B.accAnd = 0;
            if (p) B.accOr = 1;
          }
          if (I.sub == 1) {
            ++pc;
            SAVE();
            if (B.arrived >= (B.expected ? B.expected : blk->liveThreads)) completeBarrier(id);
            goto resched;
          }
          SAVE();
          cur->state = G_BAR;
          cur->bar = (u8)id;
          if (B.arrived >= (B.expected ? B.expected : blk->liveThreads)) completeBarrier(id);
          goto resched;
        }
        case C_SYNC: {
          if (!m) {
            ++pc;
            continue;
          }
          if (m != gm) {
            u32 nt = gm & ~m;
            gm = m;
            SAVE();
            addGroup(w, pc + 1, nt, fr);
            goto resched;
          }
          x.cnt.warpSyncs++;
          const u32* mm = SRC<u32>(x, I.e);
          if (resume == 2) {
            resume = 0;
          } else {
            for (int i = 0; i < w.ng;) {
              Group& g = w.g[i];
              if (i != ci && g.state == G_SYNC && g.pc == pc && g.fr == fr) {
                gm |= g.mask;
                int lastIdx = w.ng - 1;
                removeGroup(w, i);
                if (ci == lastIdx) {
                  ci = i;
                  cur = &w.g[ci];
                }
              } else
                ++i;
            }
            u32 ok = 0, rest = gm;
            while (rest) {
              int l = __builtin_ctz(rest);
              u32 v = mm[l], same = 0;
              for (u32 k = rest; k; k &= k - 1) {
                int j = __builtin_ctz(k);
                if (mm[j] == v) same |= 1u << j;
              }
              u32 need = v & w.live;
              if ((need & gm) == need) ok |= same;
              rest &= ~same;
              if (rest == 0) break;
            }
            m = gm;
            if (ok != gm) {
              if (!ok) {
                --nI;
                nT -= __builtin_popcount(gm);
                x.cnt.warpSyncs--;
                SAVE();
                cur->state = G_SYNC;
                goto resched;
              }
              u32 bad = gm & ~ok;
              gm = ok;
              m = ok;
              SAVE();
              Group& g = w.g[w.ng++];
              g = Group();
              g.pc = pc;
              g.mask = bad;
              g.fr = fr;
              g.state = G_SYNC;
              cur = &w.g[ci];
            }
          }
          x.mask = m;
          w.syncEpoch++;
          if (I.full) I.full(x, I);
          ++pc;
          continue;
        }
        case C_YIELD:
          ++pc;
          if (readyOthers && !fair) {
            w.fairness += FAIR_STRONG * 16;
            if (w.fairness > FAIR_TRIGGER) {
              w.fairness = 0;
              fair = true;
              SAVE();
              goto resched;
            }
          }
          if ((budget -= 16) <= 0) {
            SAVE();
            return WR_YIELD;
          }
          continue;
        case C_FENCE:
          if (x.multi) std::atomic_thread_fence(std::memory_order_seq_cst);
          if (x.hooks) {
            blk->lastFence = x.clock + nI;
            blk->lastAcquire = x.clock + nI;
          }
          ++pc;
          continue;
        case C_TRAP:
          if (!m) {
            ++pc;
            continue;
          }
          SAVE();
          if (I.sub == 1)
            reportFault(x, &I, FK_ILLEGAL_INSTR, __builtin_ctz(m),
                        "an instruction the emulator does not support was reached:\n    " + x.L->k->error);
          else
            reportFault(x, &I, FK_LAUNCH, __builtin_ctz(m), "trap instruction executed");
          return WR_FAULT;
      }
    }
  }
}
}  // namespace emu
