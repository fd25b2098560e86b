// SPDX-License-Identifier: MIT
// The interpreter of one host thread: warps as groups of lanes, barriers, blocks.
#pragma once
#include "common.h"

namespace emu {
enum WarpResult { WR_DONE, WR_BLOCKED, WR_YIELD, WR_FAULT };

struct Runner {
  Exec& x;
  Block* blk = nullptr;
  explicit Runner(Exec& e) : x(e) {}

  // groups of lanes and call frames
  Frame* newFrame(Warp& w, FuncImage* fi, Frame* parent, u32 ret, u32 mask, const CallInfo* ci, u32 locBase);
  void addGroup(Warp& w, u32 pc, u32 mask, Frame* fr);
  void removeGroup(Warp& w, int i) { w.g[i] = w.g[--w.ng]; }
  void mergeReady(Warp& w);
  void exitLanes(Warp& w, u32 m, Frame* fr);

  // barriers and warp synchronisation
  void completeBarrier(int id);
  void recheckBarriers();
  u32 memberMask(const Group& g, const Ins& I, int lane);
  bool forceSync(Warp& w);
  void deadlock(const char* what);

  // runs a warp until it has ended, waits, or has used up its budget of back branches
  WarpResult runWarp(Warp& w, i64 budget, bool& progressed);

  u32 nextRandom();
  void startBlock(Block& b, u64 linear);
  bool runBlock(Block& b, i64 budget, u64 rounds);  // true when it has finished
};
}  // namespace emu
