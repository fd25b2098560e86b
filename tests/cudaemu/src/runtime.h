// SPDX-License-Identifier: MIT
// Internals of the runtime API implementation.
#pragma once
#define __CUDA_API_VERSION_INTERNAL
#include "common.h"
#include "memory.h"
#include "profile.h"
#include "ptx.h"

#include <cuda_runtime_api.h>
#include <chrono>
#include <deque>
#include <set>
#include <thread>

namespace emu {
struct KernelRef {
  Module* mod = nullptr;
  std::string name;
  const void* host = nullptr;
  int maxDynShared = 0;
  int carveout = -1;
  KernelImage* img = nullptr;
};
struct VarRef {
  Module* mod = nullptr;
  std::string name;
  size_t size = 0;
};
struct FatBinary {
  std::vector<std::unique_ptr<Module>> modules;
  bool loaded = false;
  const void* wrapper = nullptr;
  std::vector<std::pair<void**, std::string>> managed;
  std::vector<KernelRef*> kernels;
};

extern std::recursive_mutex apiLock;
extern std::vector<FatBinary*> fatbins;
void loadFatbin(FatBinary& fb);     // parses its PTX, once
cudaError_t setErr(cudaError_t e);  // remembers the error for cudaGetLastError
KernelRef* findKernel(const void* f);
KernelImage* imageOf(KernelRef* k);
cudaError_t symbolAddr(const void* sym, u64& addr, size_t& size);
void initRuntime();

enum NodeKind {
  N_KERNEL,
  N_MEMCPY,
  N_MEMSET,
  N_HOST,
  N_EMPTY,
  N_CHILD,
  N_EVENT_RECORD,
  N_EVENT_WAIT,
  N_ALLOC,
  N_FREE,
  N_COND
};
struct Copy {
  char* dst = nullptr;
  const char* src = nullptr;
  size_t w = 0, h = 1, d = 1, dp = 0, sp = 0, ds = 0, ss = 0;
  cudaMemcpyKind kind = cudaMemcpyDefault;
};
struct KernelCall {
  KernelRef* k = nullptr;
  dim3 grid, block;
  size_t shared = 0;
  bool coop = false;
  std::vector<u8> params;
};
struct Node {
  NodeKind kind = N_EMPTY;
  KernelCall call;
  Copy copy;
  void* msDst = nullptr;
  size_t msPitch = 0, msW = 0, msH = 1;
  unsigned msVal = 0, msElem = 1;
  cudaHostFn_t fn = nullptr;
  void* user = nullptr;
  cudaStreamCallback_t cb = nullptr;
  cudaStream_t cbStream = nullptr;
  cudaGraph_t child = nullptr;
  cudaEvent_t event = nullptr;
  u64 ptr = 0;
  size_t bytes = 0;
  u64 cond = 0;
  int condType = 0;
  std::vector<cudaGraph_t> bodies;
  std::shared_ptr<void> own;   // memory of an allocation node, freed with the last graph that uses it
  std::vector<void*> argPtrs;  // for cudaGraphKernelNodeGetParams
};
cudaError_t runNode(Node& n);
cudaError_t runGraphNodes(cudaGraph_t g);
void launch(KernelCall& c);
void setConditional(u64 handle, u32 value);  // of a conditional node
u32 getConditional(u64 handle);
cudaError_t validateNode(Node& n);
// CUDAEMU_ASYNC: work that was submitted and not yet run
struct Pending {
  enum What { Op, Record, Wait } what = Op;
  Node n;
  cudaEvent_t e = nullptr;
  u64 ver = 0;
};
void drainAll();     // run everything
void drainLegacy();  // run what the legacy stream waits for, and the legacy stream itself
extern std::atomic<long> pendingOps;
cudaError_t submit(cudaStream_t s, Node&& n);
cudaError_t captureUnsafe();  // error if a capture that forbids this call is active
cudaError_t prepareCall(KernelCall& c, const void* func, dim3 g, dim3 b, void** args, size_t sh, bool coop);
double nowMs();
cudaError_t freeMemory(void* p, MemKind a, MemKind b, const char* what);
}  // namespace emu
struct CUstream_st {
  unsigned flags = 0;
  int prio = 0;
  unsigned long long id = 0;
  cudaGraph_t cap = nullptr;
  bool capOrigin = false, capInvalid = false, capExternal = false;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id capThread;  // that began the capture
  std::vector<cudaGraphNode_t> last;
  unsigned long long capId = 0;
  std::deque<emu::Pending> queue;
};
struct CUevent_st {
  unsigned long long ver = 0, done = 0;  // records submitted and completed
  cudaStream_t stream = nullptr;         // stream of the last record
  unsigned flags = 0;
  double t = -1;
  bool recorded = false;
  cudaGraph_t cap = nullptr;
  std::vector<cudaGraphNode_t> last;
};
struct CUgraphNode_st {
  emu::Node n;
  cudaGraph_t graph = nullptr;
  std::vector<cudaGraphNode_t> deps;
  unsigned long long id = 0;
};
struct CUgraph_st {
  std::vector<cudaGraphNode_t> nodes;
  std::vector<std::pair<unsigned long long, unsigned>> conds;
};
struct CUgraphExec_st {
  cudaGraph_t g = nullptr;
  std::map<cudaGraphNode_t, cudaGraphNode_t> map;
  std::vector<cudaGraphNode_t> order;
  std::set<cudaGraphNode_t> disabled;
  unsigned long long flags = 0;
};
struct CUmemPoolHandle_st {
  unsigned long long threshold = 0;
};

#define API extern "C" __attribute__((visibility("default")))
#define LOCK std::lock_guard<std::recursive_mutex> lock_(emu::apiLock)
#define STICKY()                                 \
  do {                                           \
    int e_ = emu::deviceError.load();            \
    if (e_) return emu::setErr((cudaError_t)e_); \
  } while (0)
#define RET(e) return emu::setErr(e)
