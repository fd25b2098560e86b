// SPDX-License-Identifier: MIT
// Device memory.
//
// Device memory lives in a memfd that is mapped twice: once without access rights at the addresses handed to the
// program (so that a host access to a device pointer traps, as it does with a real GPU) and once readable and writable
// for the emulator. "delta" is the distance between both views. Managed and pinned memory has delta 0.
//
// Freed addresses are kept back for a while, so that a use after free is found. If the address space is small (a
// limit of the process) they are reused as soon as there is no fresh address left.
#include "memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <algorithm>
#include <deque>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif
namespace emu {
static std::recursive_mutex mtx;
// never destroyed: static objects of the program may free memory at exit
static auto& live = *new std::map<u64, Alloc*>;                 // by base
static auto& dead = *new std::map<u64, Alloc*>;                 // freed allocations, for messages
static auto& freeLists = *new std::map<u64, std::deque<u64>>;   // padded size -> addresses (FIFO, quarantined)
static auto& hostFreed = *new std::deque<std::pair<u64, u64>>;  // address and size of freed managed and pinned ranges
static u64 devBase = 0, devSize = 0, devNext = 0, devDumped = 0;
static i64 devDelta = 0;
static int memfd = -1;
static u64 used = 0, seqNo = 0;
static constexpr u64 kRedzone = 512;            // [bytes] between two allocations
static constexpr size_t kQuarantine = 64;       // freed blocks of one size before the oldest is used again
static constexpr size_t kHostQuarantine = 256;  // freed managed or pinned ranges before the oldest is unmapped
static constexpr u64 kMaxReserve = 1ull << 38;  // [bytes] of address space, twice
static constexpr u64 kMinReserve = 1ull << 26;
static constexpr u64 kDumpChunk = 1ull << 26;  // [bytes] device memory enters core dumps in steps of this size

static u64 limitOf(decltype(RLIMIT_AS) what) {
  rlimit r;
  return getrlimit(what, &r) == 0 && r.rlim_cur != RLIM_INFINITY ? (u64)r.rlim_cur : ~0ull;
}
static int openBacking() {
  int fd = memfd_create("cudaemu", MFD_CLOEXEC);
  for (const char* dir : {"/dev/shm", "/tmp"})
    if (fd < 0) fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  return fd;
}
static bool reserve(u64 size) {
  if (ftruncate(memfd, (off_t)size) != 0) return false;
  const int prot = cfg.hostAccess ? PROT_READ | PROT_WRITE : PROT_NONE;
  void* const want = (void*)0x300000000000ull;
  void* dev = mmap(want, size, prot, MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, memfd, 0);
  if (dev == MAP_FAILED) dev = mmap(nullptr, size, prot, MAP_SHARED | MAP_NORESERVE, memfd, 0);
  if (dev == MAP_FAILED) return false;
  void* al = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, memfd, 0);
  if (al == MAP_FAILED) {
    munmap(dev, size);
    return false;
  }
  // a core dump must not try to write hundreds of gigabytes: only the part in use, and only once
  madvise(dev, size, MADV_DONTDUMP);
  madvise(al, size, MADV_DONTDUMP);
  devBase = (u64)dev;
  devSize = size;
  devDelta = (i64)al - (i64)dev;
  devNext = devBase + 4096;
  devDumped = devBase;
  return true;
}
void memInit() {
  if (devBase) return;
  std::lock_guard<std::recursive_mutex> g(mtx);
  if (devBase) return;
  // half of a limited address space at most for both views; a file above RLIMIT_FSIZE would raise SIGXFSZ
  u64 size = kMaxReserve;
  const u64 most = std::min(limitOf(RLIMIT_AS) / 4, limitOf(RLIMIT_FSIZE));
  while (size > most) size >>= 1;
  memfd = openBacking();
  while (memfd >= 0 && size >= kMinReserve && !reserve(size)) size >>= 1;
  if (!devBase) {
    fprintf(stderr, "cudaemu: cannot reserve the device address space (limits: ulimit -v, ulimit -f)\n");
    abort();
  }
  cfg.memBytes = std::min(cfg.memBytes, devSize - 4096);
}
bool isDeviceAddr(u64 a) {
  return devBase && a >= devBase && a < devBase + devSize;
}
char* hostPtr(u64 a) {
  return isDeviceAddr(a) ? (char*)(a + devDelta) : (char*)a;
}
u64 memUsed() {
  return used;
}

// merges neighbouring free blocks, for the case that there is no fresh address space left
static void mergeFree() {
  std::vector<std::pair<u64, u64>> blocks;  // address, size
  for (auto& l : freeLists)
    for (u64 a : l.second) blocks.push_back({a, l.first});
  std::sort(blocks.begin(), blocks.end());
  freeLists.clear();
  for (size_t i = 0; i < blocks.size();) {
    u64 base = blocks[i].first, end = base;
    for (; i < blocks.size() && blocks[i].first == end; i++) end += blocks[i].second;
    freeLists[end - base].push_back(base);
  }
}
static void forget(u64 lo, u64 hi) {  // freed allocations whose addresses are used again
  for (auto it = dead.lower_bound(lo); it != dead.end() && it->first < hi;) {
    delete it->second;
    it = dead.erase(it);
  }
}
static u64 takeAddress(u64 pad) {  // 0: none left
  auto it = freeLists.find(pad);
  if (it != freeLists.end() && it->second.size() > kQuarantine) {
    u64 a = it->second.front();
    it->second.pop_front();
    return a;
  }
  if (pad <= devBase + devSize - devNext) {
    u64 a = devNext;
    devNext += pad;
    while (devDumped < devNext) {
      u64 n = std::min(kDumpChunk, devBase + devSize - devDumped);
      madvise((void*)(devDumped + devDelta), n, MADV_DODUMP);
      devDumped += n;
    }
    return a;
  }
  for (int merged = 0; merged < 2; merged++) {
    it = freeLists.lower_bound(pad);
    while (it != freeLists.end() && it->second.empty()) it = freeLists.erase(it);
    if (it != freeLists.end()) {
      u64 a = it->second.front(), rest = it->first - pad;
      it->second.pop_front();
      if (rest) freeLists[rest].push_back(a + pad);
      return a;
    }
    if (!merged) mergeFree();
  }
  return 0;
}
static bool mapHost(Alloc& a) {
  const u64 pad = (a.size + 4095) & ~4095ull;
  char* p = (char*)mmap(nullptr, pad + 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return false;
  if (mprotect(p + 4096, pad, PROT_READ | PROT_WRITE) != 0) {
    munmap(p, pad + 8192);
    return false;
  }
  a.base = (u64)p + 4096;
  a.padded = pad;
  a.delta = 0;
  return true;
}
u64 memAlloc(u64 size, MemKind kind, const char* name) {
  memInit();
  std::lock_guard<std::recursive_mutex> g(mtx);
  auto a = std::make_unique<Alloc>();
  a->size = size ? size : 1;
  a->kind = kind;
  a->name = name;
  if (a->size > kMaxReserve) return 0;
  if (kind == MK_MANAGED || kind == MK_PINNED) {
    if (!mapHost(*a)) return 0;
  } else {
    if (a->size > cfg.memBytes - std::min(used, cfg.memBytes)) return 0;
    a->padded = (a->size + kRedzone + 511) & ~511ull;
    a->base = takeAddress(a->padded);
    if (!a->base) return 0;
    forget(a->base, a->base + a->padded);
    a->delta = devDelta;
    used += a->size;
    if (cfg.fill >= 0 && kind != MK_SYMBOL && kind != MK_CONST) memset((char*)(a->base + a->delta), cfg.fill, a->size);
  }
  a->seq = ++seqNo;
  const u64 base = a->base;
  live[base] = a.release();
  return base;
}
static void release(Alloc* a) {
  a->live = false;
  std::vector<u8>().swap(a->init);
  std::vector<RaceCell>().swap(a->race);
  a->secReady = false;
  std::vector<u32>().swap(a->secR);
  std::vector<u32>().swap(a->secW);
  if (a->kind == MK_MANAGED || a->kind == MK_PINNED) {
    mprotect((void*)a->base, a->padded, PROT_NONE);
    madvise((void*)a->base, a->padded, MADV_DONTNEED);
    hostFreed.push_back({a->base, a->padded});
    if (hostFreed.size() > kHostQuarantine) {
      auto [base, padded] = hostFreed.front();
      hostFreed.pop_front();
      munmap((void*)(base - 4096), padded + 8192);
      forget(base, base + 1);
    }
  } else if (a->kind != MK_REGISTERED) {
    used -= a->size;
    u64 lo = (a->base + 4095) & ~4095ull, hi = (a->base + a->padded) & ~4095ull;
    if (hi > lo && hi - lo >= 65536)
      (void)!fallocate(memfd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)(lo - devBase), (off_t)(hi - lo));
    freeLists[a->padded].push_back(a->base);
  }
  auto& d = dead[a->base];
  delete d;
  d = a;
  while (dead.size() > 20000) {
    delete dead.begin()->second;
    dead.erase(dead.begin());
  }
}
int memFree(u64 addr) {
  std::lock_guard<std::recursive_mutex> g(mtx);
  auto it = live.find(addr);
  if (it == live.end()) return dead.count(addr) ? 2 : 1;
  Alloc* a = it->second;
  live.erase(it);
  release(a);
  return 0;
}
int memFreeKind(u64 addr, MemKind k1, MemKind k2) {
  std::lock_guard<std::recursive_mutex> g(mtx);
  auto it = live.find(addr);
  if (it != live.end() && it->second->kind != k1 && it->second->kind != k2) return 1;
  return memFree(addr);
}
void memRegister(u64 addr, u64 size, MemKind kind) {
  std::lock_guard<std::recursive_mutex> g(mtx);
  Alloc* a = new Alloc;
  a->base = addr;
  a->size = size;
  a->padded = size;
  a->kind = kind;
  a->seq = ++seqNo;
  auto it = live.find(addr);
  if (it != live.end()) {
    delete it->second;
  }
  live[addr] = a;
}
bool memUnregister(u64 addr) {
  std::lock_guard<std::recursive_mutex> g(mtx);
  auto it = live.find(addr);
  if (it == live.end()) return false;
  delete it->second;
  live.erase(it);
  return true;
}
Alloc* memFind(u64 addr) {
  std::lock_guard<std::recursive_mutex> g(mtx);
  auto it = live.upper_bound(addr);
  if (it == live.begin()) return nullptr;
  --it;
  Alloc* a = it->second;
  return addr - a->base < a->size ? a : nullptr;
}
Alloc* memFindDead(u64 addr) {
  std::lock_guard<std::recursive_mutex> g(mtx);
  auto it = dead.upper_bound(addr);
  if (it == dead.begin()) return nullptr;
  --it;
  Alloc* a = it->second;
  return addr - a->base < a->size ? a : nullptr;
}
bool memLookup(u64 addr, Range& r) {
  Alloc* a = memFind(addr);
  if (!a) return false;
  r.lo = a->base;
  r.hi = a->base + a->size;
  r.delta = a->delta;
  return true;
}
void memMarkInit(u64 addr, u64 size) {
  if (!cfg.uninit || !size) return;
  std::lock_guard<std::recursive_mutex> g(mtx);
  Alloc* a = memFind(addr);
  if (!a) return;
  if (a->init.empty()) a->init.assign(a->size, 0);
  u64 o = addr - a->base;
  if (o + size > a->size) size = a->size - o;
  memset(a->init.data() + o, 1, size);
}
static const char* kindName(MemKind k) {
  switch (k) {
    case MK_MANAGED:
      return "managed";
    case MK_PINNED:
      return "pinned host";
    case MK_REGISTERED:
      return "registered host";
    case MK_SYMBOL:
      return "__device__ variable";
    case MK_CONST:
      return "__constant__ variable";
    case MK_PARAM:
      return "kernel parameter";
    case MK_HEAP:
      return "device heap";
    default:
      return "device";
  }
}
std::string memDescribe(u64 addr) {
  std::lock_guard<std::recursive_mutex> g(mtx);
  char b[300];
  if (Alloc* d = memFindDead(addr)) {
    snprintf(b, sizeof b, "inside a freed %s allocation of %llu bytes at 0x%llx (offset %llu): use after free",
             kindName(d->kind), (unsigned long long)d->size, (unsigned long long)d->base,
             (unsigned long long)(addr - d->base));
    return b;
  }
  auto it = live.upper_bound(addr);
  const Alloc* lo = nullptr;
  const Alloc* hi = it == live.end() ? nullptr : it->second;
  if (it != live.begin()) lo = std::prev(it)->second;
  u64 dl = lo ? addr - (lo->base + lo->size) : ~0ull, dh = hi ? hi->base - addr : ~0ull;
  if (lo && addr - lo->base < lo->size) dl = 0;
  if (lo && dl <= dh && dl < (1ull << 32))
    snprintf(b, sizeof b, "%llu bytes after the end of the nearest %s allocation of %llu bytes at 0x%llx%s%s",
             (unsigned long long)dl, kindName(lo->kind), (unsigned long long)lo->size, (unsigned long long)lo->base,
             lo->name.empty() ? "" : " ", lo->name.c_str());
  else if (hi && dh < (1ull << 32))
    snprintf(b, sizeof b, "%llu bytes before the nearest %s allocation of %llu bytes at 0x%llx%s%s",
             (unsigned long long)dh, kindName(hi->kind), (unsigned long long)hi->size, (unsigned long long)hi->base,
             hi->name.empty() ? "" : " ", hi->name.c_str());
  else if (addr < 65536)
    snprintf(b, sizeof b, "null pointer");
  else
    snprintf(b, sizeof b, "no allocation is near (a host pointer?)");
  return b;
}
int memReportLeaks() {
  std::lock_guard<std::recursive_mutex> g(mtx);
  int n = 0;
  u64 bytes = 0;
  for (auto& kv : live) {
    Alloc* a = kv.second;
    if (a->kind != MK_DEVICE && a->kind != MK_MANAGED && a->kind != MK_PINNED && a->kind != MK_HEAP) continue;
    ++n;
    bytes += a->size;
    if (n <= cfg.maxReports)
      fprintf(stderr, "cudaemu: leak: %llu bytes of %s memory at 0x%llx (allocation number %llu)\n",
              (unsigned long long)a->size, kindName(a->kind), (unsigned long long)a->base, (unsigned long long)a->seq);
  }
  if (n)
    fprintf(stderr, "cudaemu: %d allocation%s, %llu bytes in all, not freed at exit\n", n, n == 1 ? "" : "s",
            (unsigned long long)bytes);
  return n;
}
}  // namespace emu
