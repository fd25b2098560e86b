// SPDX-License-Identifier: MIT
// Device memory: arena, allocation table, address translation, checks.
#pragma once
#include "common.h"

namespace emu {
enum MemKind : u8 { MK_DEVICE, MK_MANAGED, MK_PINNED, MK_REGISTERED, MK_SYMBOL, MK_CONST, MK_PARAM, MK_HEAP };
struct Alloc {
  u64 base = 0, size = 0, padded = 0;
  i64 delta = 0;  // add to a device address to get a host pointer
  MemKind kind = MK_DEVICE;
  bool live = true;
  u64 seq = 0;
  std::string name;
  std::vector<u8> init;  // one byte per byte: initialised (uninit check)
  std::vector<struct RaceCell> race;
  std::vector<u32> secR, secW;        // profile: last launch that touched each 32-byte sector
  std::atomic<bool> secReady{false};  // they have their size
};
// Last accesses to one 4-byte word, in one cache line.
struct alignas(64) RaceCell {
  u64 wTime = 0, rTime = 0;
  u32 launch = 0;                    // of these accesses; older ones are forgotten
  u32 wThread = ~0u, rThread = ~0u;  // thread within the block, ~0: none
  u32 wBlock = 0, rBlock = 0;
  u32 wEpoch = 0, rEpoch = 0;  // barrier epoch of the block at the access
  u32 wSync = 0, rSync = 0;    // warp synchronisations before it
  u32 wLine = 0, rLine = 0;
  u8 wBytes = 0, rBytes = 0;  // which of the four bytes
  u8 wAtomic = 0, rAtomic = 0;
};
static_assert(sizeof(RaceCell) == 64);
u64 memAlloc(u64 size, MemKind kind, const char* name = "");  // 0 on failure
int memFree(u64 addr);                                        // 0 ok, 1 invalid, 2 double free
int memFreeKind(u64 addr, MemKind a, MemKind b);
void memRegister(u64 addr, u64 size, MemKind kind);
bool memUnregister(u64 addr);
Alloc* memFind(u64 addr);      // live allocation that contains addr
Alloc* memFindDead(u64 addr);  // freed allocation that contained addr
bool memLookup(u64 addr, Range& r);
char* hostPtr(u64 addr);  // translate a device or host pointer for the host side
bool isDeviceAddr(u64 addr);
void memMarkInit(u64 addr, u64 size);
u64 memUsed();
void memInit();
int memReportLeaks();  // number of leaked allocations
std::string memDescribe(u64 addr);
}  // namespace emu
