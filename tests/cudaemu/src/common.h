// SPDX-License-Identifier: MIT
// Shared types of the emulator: decoded instructions, warps, blocks, launches.
#pragma once
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace emu {
using u8 = uint8_t;
using i8 = int8_t;
using u16 = uint16_t;
using i16 = int16_t;
using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;

constexpr int WARP = 32;

// Generic address windows.  Global addresses are below 2^56; the windows can never
// collide with a host pointer.
constexpr u64 SHARED_WINDOW = 0x0100000000000000ull;
constexpr u64 LOCAL_WINDOW = 0x0200000000000000ull;
constexpr u64 FUNC_WINDOW = 0x0300000000000000ull;  // fake addresses of device functions
constexpr u32 SHARED_START = 1024;                  // first usable shared offset (as sm_80: 1 KB is reserved)

constexpr u32 SHARED_NULL = 32;  // shared offsets below are treated as null pointers

// PTX fundamental types
enum Ty : u8 {
  T_NONE,
  T_PRED,
  T_B8,
  T_U8,
  T_S8,
  T_B16,
  T_U16,
  T_S16,
  T_F16,
  T_BF16,
  T_B32,
  T_U32,
  T_S32,
  T_F32,
  T_F16X2,
  T_BF16X2,
  T_U16X2,
  T_S16X2,
  T_B64,
  T_U64,
  T_S64,
  T_F64,
  T_F32X2,
  T_B128,
  T_E4M3,
  T_E5M2,
  T_E4M3X2,
  T_E5M2X2
};
int tySize(Ty t);
Ty parseTy(std::string_view s);
inline bool tyFloat(Ty t) {
  return t == T_F16 || t == T_BF16 || t == T_F32 || t == T_F64 || t == T_F16X2 || t == T_BF16X2;
}
inline bool tySigned(Ty t) {
  return t == T_S8 || t == T_S16 || t == T_S32 || t == T_S64;
}

enum Space : u8 { SP_GENERIC, SP_GLOBAL, SP_SHARED, SP_LOCAL, SP_CONST, SP_PARAM };

struct Exec;
struct Ins;
using Fn = void (*)(Exec&, const Ins&);
struct Fns {
  Fn full = nullptr, part = nullptr;
  explicit operator bool() const { return full; }
};

// How the scheduler treats an instruction.
enum Ctrl : u8 { C_NONE, C_MEM, C_BRA, C_BRX, C_RET, C_EXIT, C_CALL, C_BAR, C_SYNC, C_YIELD, C_TRAP, C_FENCE };

// Flags of an instruction
enum : u16 {
  IF_A32 = 1,       // 32-bit address register
  IF_LOCALSYM = 2,  // address relative to the frame of the function
  IF_STRONG = 4,    // volatile, relaxed, acquire, release or atomic
  IF_REL = 8,
  IF_NC = 16,  // ld.global.nc
  IF_CLOCK = 32,
  IF_NEG_A = 64,  // the predicate operand is negated
  IF_NEG_B = 128,
  IF_NEG_C = 256,
  IF_SKIP = 512  // of a source file that the profile leaves out
};

struct alignas(16) Ins {
  Fn full = nullptr, part = nullptr;
  i32 d = -1, a = -1, b = -1, c = -1, e = -1;   // operand offsets (bit 0 set: constant pool)
  i32 pred = -1;                                // guard predicate, -1 = none
  i32 d2 = -1;                                  // second destination (predicate of setp / shfl)
  i32 target = -1;                              // branch target / call info / barrier kind
  i32 v[8] = {-1, -1, -1, -1, -1, -1, -1, -1};  // vector registers
  u64 imm = 0;
  u16 flags = 0;
  u8 ctrl = C_NONE, pneg = 0;
  u8 n = 1;     // vector length
  u8 size = 0;  // element size of a memory access
  u8 space = 0;
  u8 sub = 0, sub2 = 0, dw = 0, sw = 0;
  u32 ptxLine = 0, srcLine = 0;
  u16 srcFile = 0;
};

// ---------------------------------------------------------------- program
struct CallArg {
  u32 from, to, size;
};
struct FuncImage;
struct CallInfo {
  int func = -1;  // index in KernelImage::funcs, -1: indirect or builtin
  int builtin = 0;
  i32 reg = -1;               // register with the function address
  std::vector<CallArg> args;  // caller local offset -> callee parameter index (for indirect) or offset
  std::vector<CallArg> rets;
};
struct FuncImage {
  std::string name;
  std::vector<Ins> code;
  std::vector<CallInfo> calls;
  std::vector<std::vector<i32>> tables;  // brx.idx targets
  u32 regBytes = 0;
  u8* consts = nullptr;
  u32 constBytes = 0;
  u32 localBytes = 0;
  std::vector<u64> hits, sectors;            // line profile: warp instructions and sectors of each instruction
  std::vector<CallArg> formals, formalRets;  // local offset (to) and size
  ~FuncImage() { free(consts); }
};
struct KernelStats;
struct Module;
struct KernelImage {
  std::string name;  // mangled
  std::string pretty;
  Module* mod = nullptr;
  std::vector<std::unique_ptr<FuncImage>> funcs;  // 0 = entry
  std::unordered_map<u64, int> byAddr;            // function address -> index
  u32 paramBytes = 0;
  std::vector<std::pair<u32, u32>> params;  // offset,size
  u32 staticShared = 0;                     // end of the static shared variables (includes SHARED_START)
  u32 localStride = 0;
  bool hasCalls = false, hasIndirect = false;
  bool usesParamAddr = false;
  u32 maxntid = 0;
  u32 numRegs = 32;
  std::string error;  // non-empty: cannot be run
  KernelStats* stats = nullptr;
};

// ---------------------------------------------------------------- execution state
struct Frame {
  FuncImage* fi = nullptr;
  Frame* parent = nullptr;
  u32 retPc = 0;
  u32 depth = 0;
  u32 live = 0;  // lanes that are still in this frame
  u32 locBase = 0;
  const CallInfo* call = nullptr;
  u8* regs = nullptr;
  std::vector<u8> store;
  u64 id = 0;
};
enum GState : u8 { G_READY, G_BAR, G_SYNC };
struct Group {
  u32 pc = 0, mask = 0;
  Frame* fr = nullptr;
  u8 state = G_READY, resume = 0, bar = 0;
  u64 lastRun = 0;
};
struct Block;
struct Warp {
  Block* blk = nullptr;
  u32 id = 0;
  u32 exists = 0;  // lanes that exist
  u32 live = 0;    // lanes that have not exited
  int ng = 0;
  Group g[WARP];
  Frame root;
  std::vector<Frame*> frames;  // call frames in use
  u8* local = nullptr;
  u32 fairness = 0;
  u32 syncEpoch = 0;
  alignas(64) u32 tid[3][WARP];
};
struct Barrier {
  u32 arrived = 0, expected = 0;
  u32 accAnd = 1, accOr = 0, accPop = 0;
  u32 resAnd = 0, resOr = 0, resPop = 0;
};
struct Launch;
struct Block {
  Launch* L = nullptr;
  u32 ctaid[3] = {0, 0, 0};
  u64 linear = 0;
  u32 nthreads = 0, nwarps = 0, liveThreads = 0, liveWarps = 0;
  std::vector<Warp> warps;
  Barrier bar[16];
  u8* shared = nullptr;
  u32 sharedSize = 0;
  u8* regStore = nullptr;
  size_t regStoreSize = 0;
  u8* localStore = nullptr;
  size_t localStoreSize = 0;
  u32 barEpoch = 0;
  u64 lastFence = 0, lastAcquire = 0;
  u64 rounds = 0;
  u32 nextWarp = 0;
  std::vector<struct RaceCell> sharedRace;
  std::vector<u8> sharedInit;
  ~Block();
};

struct Counters {  // per launch, per host thread
  u64 warpInstr = 0, threadInstr = 0;
  u64 gld = 0, gst = 0, gldSectors = 0, gstSectors = 0, gldBytes = 0, gstBytes = 0, gldUnique = 0, gstUnique = 0,
      dramRead = 0, dramWrite = 0;
  u64 sld = 0, sst = 0, bankConflicts = 0;
  u64 lld = 0, lst = 0;
  u64 atom = 0, atomLanes = 0, atomSectors = 0, atomConflicts = 0, satom = 0, satomConflicts = 0;
  u64 barriers = 0, warpSyncs = 0, branches = 0, divergent = 0;
  void add(const Counters& o) {
    const u64* s = (const u64*)&o;
    u64* d = (u64*)this;
    for (size_t i = 0; i < sizeof(*this) / 8; i++) d[i] += s[i];
  }
};
struct KernelStats {
  std::string name;
  u64 launches = 0, blocks = 0, threads = 0;
  double hostSeconds = 0;
  Counters c;
  u32 maxShared = 0;
};

struct Launch {
  KernelImage* k = nullptr;
  u32 grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  u32 dynShared = 0;
  u32 sharedTotal = 0;
  bool cooperative = false;
  std::vector<u8> params;
  u64 id = 0;
  std::atomic<u64> nextBlock{0};
  u64 totalBlocks = 0;
  std::atomic<int> failed{0};
  bool multi = false;
  u64 gridWs = 0;  // grid workspace of cooperative groups (envreg 1/2)
};

struct Range {
  u64 lo = 1, hi = 0;
  i64 delta = 0;
};  // hi exclusive

struct Exec {
  u8* base[2] = {nullptr, nullptr};
  u32 mask = 0;
  u32 live = 0;
  u32 pc = 0;
  Launch* L = nullptr;
  Block* blk = nullptr;
  Warp* w = nullptr;
  Frame* fr = nullptr;
  u8* sh = nullptr;
  u32 shSize = 0;
  u8* loc = nullptr;
  u32 locStride = 0;
  const u8* params = nullptr;
  bool fault = false;
  bool hooks = false;  // profile, race or uninitialised checks are on
  bool multi = false;  // several host threads: real atomics
  int threadId = 0;
  u64 clock = 0;
  Counters cnt;
  struct Alloc* lastAlloc = nullptr;  // cache of the profiler, valid during one launch
  u64 lastAllocSeq = 0;
  u32 order = 0;  // state of the order shuffling
  Range rc[256];
};

// ---------------------------------------------------------------- configuration
struct Config {
  int threads = 1;
  bool race = false, raceStrict = false, uninit = false, uninitShared = false, leak = true, leakFail = false,
       sync = false;
  bool profile = false;
  std::string profileFile;
  bool abortOnError = false;
  bool trace = false, quiet = false;
  u64 memBytes = 16ull << 30;
  int fill = -1;
  int sms = 108, ccMajor = 8, ccMinor = 0;
  u64 maxInstr = 0;
  bool hostAccess = false, decodeAll = false;
  int maxReports = 10;
  u32 order = 0;              // != 0: shuffle the order of blocks, warps and atomics with this seed
  int async = 0;              // 1: defer asynchronous work until it is waited for, 2: and run streams in reverse order
  bool profileLines = false;  // count per source line
  std::string profileSkip;    // source files whose name contains this are not counted
  int l2MB = 0;               // > 0: model an L2 cache of this size in the profile
  bool profileRange = false;  // count only between cudaProfilerStart and cudaProfilerStop
};
extern Config cfg;
void loadConfig();

// ---------------------------------------------------------------- faults
enum FaultKind {
  FK_OOB = 700,
  FK_MISALIGNED = 716,
  FK_ASSERT = 710,
  FK_LAUNCH = 719,
  FK_ILLEGAL_INSTR = 715,
  FK_TIMEOUT = 702,
  FK_RACE = -1,
  FK_UNINIT = -2
};
void reportFault(Exec& x, const Ins* I, int kind, int lane, const std::string& msg);  // sets the device error
void reportWarning(Exec& x, const Ins* I, int lane, const std::string& msg);
extern std::atomic<int> deviceError;  // sticky device error (cudaError_t)
extern std::atomic<long> raceReports, uninitReports;

std::string demangle(const std::string& s);

// interpreter entry
void runLaunch(Launch& L);
// access hooks (profile / race / uninitialised)
enum AccKind { AK_LOAD, AK_STORE, AK_ATOMIC };
void memHook(Exec& x, const Ins& I, const u64* addr, u32 bytes, int kind, int space);
// resolve a generic address of one lane; nullptr on failure (fault reported)
char* xlate(Exec& x, const Ins* I, u64 addr, u32 bytes, int lane, bool report = true);
char* xlateString(Exec& x, u64 addr, int lane);
// builtin device functions
int builtinId(std::string_view name);
void callBuiltin(Exec& x, const Ins& I, const CallInfo& ci, u32 mask);
}  // namespace emu
