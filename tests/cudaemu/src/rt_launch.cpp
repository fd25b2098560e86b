// SPDX-License-Identifier: MIT
// Kernel launches, attributes of kernels, occupancy.
#include "runtime.h"

#include <algorithm>

using namespace emu;
namespace emu {
static u64 launchNo = 0;
cudaError_t prepareCall(KernelCall& c, const void* func, dim3 g, dim3 b, void** args, size_t sh, bool coop) {
  KernelRef* k = findKernel(func);
  if (!k) return cudaErrorInvalidDeviceFunction;
  KernelImage* im = imageOf(k);
  if (!im) {
    fprintf(stderr, "cudaemu: kernel %s has no PTX in the program\n", demangle(k->name).c_str());
    return cudaErrorNoKernelImageForDevice;
  }
  if (im->funcs.empty()) {
    fprintf(stderr, "cudaemu: %s\n", im->error.c_str());
    return cudaErrorInvalidKernelImage;
  }
  u64 nt = (u64)b.x * b.y * b.z;
  if (!nt || nt > 1024 || b.x > 1024 || b.y > 1024 || b.z > 64 || !g.x || !g.y || !g.z || g.x > 0x7fffffffu ||
      g.y > 65535 || g.z > 65535)
    return cudaErrorInvalidConfiguration;
  if (im->maxntid && nt > im->maxntid) return cudaErrorInvalidValue;
  u64 stat = im->staticShared - SHARED_START;
  if (stat + sh > 49152 && (sh > (size_t)k->maxDynShared)) return cudaErrorInvalidValue;
  if (stat + sh > 166912) return cudaErrorInvalidValue;
  c.k = k;
  c.grid = g;
  c.block = b;
  c.shared = sh;
  c.coop = coop;
  c.params.assign(im->paramBytes + 16, 0);
  for (size_t i = 0; i < im->params.size(); i++) {
    if (!args || !args[i]) return cudaErrorInvalidValue;
    memcpy(c.params.data() + im->params[i].first, args[i], im->params[i].second);
  }
  if (coop) {
    int per = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per, func, (int)nt, sh);
    if ((u64)g.x * g.y * g.z > (u64)per * cfg.sms) return cudaErrorCooperativeLaunchTooLarge;
  }
  return cudaSuccess;
}

void launch(KernelCall& c) {
  Launch L;
  L.k = imageOf(c.k);
  L.grid[0] = c.grid.x;
  L.grid[1] = c.grid.y;
  L.grid[2] = c.grid.z;
  L.block[0] = c.block.x;
  L.block[1] = c.block.y;
  L.block[2] = c.block.z;
  L.dynShared = (u32)c.shared;
  L.sharedTotal = L.k->staticShared + (u32)c.shared;
  L.cooperative = c.coop;
  L.params = c.params;
  L.id = ++launchNo;
  if (cfg.trace)
    fprintf(stderr, "cudaemu: launch %s <<<(%u,%u,%u),(%u,%u,%u),%zu>>>\n", L.k->pretty.c_str(), c.grid.x, c.grid.y,
            c.grid.z, c.block.x, c.block.y, c.block.z, c.shared);
  api.launches++;
  if (c.coop) {
    static u64 ws = 0;
    if (!ws) ws = memAlloc(256, MK_SYMBOL, "grid workspace");
    memset(hostPtr(ws), 0, 256);
    u32 n = 256;
    memcpy(hostPtr(ws), &n, 4);
    memMarkInit(ws, 256);
    L.gridWs = ws;
  }
  bool reg = L.k->usesParamAddr;
  if (reg) memRegister((u64)L.params.data(), L.params.size(), MK_PARAM);
  runLaunch(L);
  if (reg) memUnregister((u64)L.params.data());
}
}  // namespace emu
// ------------------------------------------------------------------ launches
struct CallCfg {
  dim3 g, b;
  size_t sh;
  cudaStream_t s;
};
static thread_local std::vector<CallCfg> callStack;
API unsigned __cudaPushCallConfiguration(dim3 g, dim3 b, size_t sh, cudaStream_t s) {
  callStack.push_back({g, b, sh, s});
  return 0;
}
API cudaError_t __cudaPopCallConfiguration(dim3* g, dim3* b, size_t* sh, void* s) {
  if (callStack.empty()) RET(cudaErrorMissingConfiguration);
  auto c = callStack.back();
  callStack.pop_back();
  *g = c.g;
  *b = c.b;
  *sh = c.sh;
  *(cudaStream_t*)s = c.s;
  return cudaSuccess;
}
static cudaError_t doLaunch(const void* f, dim3 g, dim3 b, void** a, size_t sh, cudaStream_t s, bool coop) {
  LOCK;
  STICKY();
  Node n;
  n.kind = N_KERNEL;
  cudaError_t e = prepareCall(n.call, f, g, b, a, sh, coop);
  if (e) RET(e);
  RET(submit(s, std::move(n)));
}
API cudaError_t cudaLaunchKernel(const void* f, dim3 g, dim3 b, void** a, size_t sh, cudaStream_t s) {
  return doLaunch(f, g, b, a, sh, s, false);
}
API cudaError_t __cudaLaunchKernel(cudaKernel_t k, dim3 g, dim3 b, void** a, size_t sh, cudaStream_t s) {
  return doLaunch((const void*)k, g, b, a, sh, s, false);
}
API cudaError_t cudaLaunchCooperativeKernel(const void* f, dim3 g, dim3 b, void** a, size_t sh, cudaStream_t s) {
  return doLaunch(f, g, b, a, sh, s, true);
}
API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* c, const void* f, void** a) {
  bool coop = false;
  for (unsigned i = 0; i < c->numAttrs; i++) {
    auto& t = c->attrs[i];
    if (t.id == cudaLaunchAttributeCooperative && t.val.cooperative) coop = true;
    if (t.id == cudaLaunchAttributeClusterDimension &&
        (t.val.clusterDim.x > 1 || t.val.clusterDim.y > 1 || t.val.clusterDim.z > 1))
      RET(cudaErrorNotSupported);
  }
  return doLaunch(f, c->gridDim, c->blockDim, a, c->dynamicSmemBytes, c->stream, coop);
}
// ------------------------------------------------------------------ function attributes, occupancy
API cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes* a, const void* f) {
  LOCK;
  STICKY();
  auto* k = findKernel(f);
  if (!k) RET(cudaErrorInvalidDeviceFunction);
  auto* im = imageOf(k);
  if (!im || im->funcs.empty()) RET(cudaErrorInvalidDeviceFunction);
  memset(a, 0, sizeof *a);
  a->sharedSizeBytes = im->staticShared - SHARED_START;
  a->constSizeBytes = 0;
  a->localSizeBytes = im->funcs[0]->localBytes;
  a->maxThreadsPerBlock = im->maxntid ? im->maxntid : 1024;
  a->numRegs = (int)im->numRegs;
  int t = im->mod->target ? im->mod->target : 80;
  a->ptxVersion = t;
  a->binaryVersion = cfg.ccMajor * 10 + cfg.ccMinor;
  a->maxDynamicSharedSizeBytes = k->maxDynShared ? k->maxDynShared : 49152 - (int)a->sharedSizeBytes;
  a->preferredShmemCarveout = k->carveout;
  return cudaSuccess;
}
API cudaError_t cudaFuncSetAttribute(const void* f, enum cudaFuncAttribute at, int v) {
  LOCK;
  STICKY();
  auto* k = findKernel(f);
  if (!k) RET(cudaErrorInvalidDeviceFunction);
  if (at == cudaFuncAttributeMaxDynamicSharedMemorySize) {
    auto* im = imageOf(k);
    u32 st = im ? im->staticShared - SHARED_START : 0;
    if (v < 0 || v + (int)st > 166912) RET(cudaErrorInvalidValue);
    k->maxDynShared = v;
  } else if (at == cudaFuncAttributePreferredSharedMemoryCarveout)
    k->carveout = v;
  return cudaSuccess;
}
API cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t k, enum cudaFuncAttribute a, int v, int) {
  return cudaFuncSetAttribute((const void*)k, a, v);
}
API cudaError_t cudaFuncSetCacheConfig(const void*, enum cudaFuncCache) {
  return cudaSuccess;
}
API cudaError_t cudaFuncSetSharedMemConfig(const void*, enum cudaSharedMemConfig) {
  return cudaSuccess;
}
API cudaError_t cudaFuncGetName(const char** n, const void* f) {
  LOCK;
  auto* k = findKernel(f);
  if (!k) RET(cudaErrorInvalidDeviceFunction);
  *n = k->name.c_str();
  return cudaSuccess;
}
API cudaError_t cudaFuncGetParamInfo(const void* f, size_t i, size_t* o, size_t* s) {
  LOCK;
  auto* k = findKernel(f);
  auto* im = k ? imageOf(k) : nullptr;
  if (!im || i >= im->params.size()) RET(cudaErrorInvalidValue);
  if (o) *o = im->params[i].first;
  if (s) *s = im->params[i].second;
  return cudaSuccess;
}
API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* n, const void* f, int bs, size_t dyn,
                                                                       unsigned) {
  LOCK;
  STICKY();
  auto* k = findKernel(f);
  auto* im = k ? imageOf(k) : nullptr;
  if (!im) RET(cudaErrorInvalidDeviceFunction);
  if (bs <= 0 || bs > 1024) {
    *n = 0;
    RET(cudaErrorInvalidValue);
  }
  int w = (bs + 31) / 32;
  int b = std::min(32, 64 / w);
  size_t sh = (im->staticShared - SHARED_START) + dyn + 1024;
  b = (int)std::min<size_t>(b, 167936 / sh);
  int regs = (int)im->numRegs * w * 32;
  b = std::min(b, 65536 / regs);
  *n = b;
  return cudaSuccess;
}
API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* n, const void* f, int bs, size_t dyn) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(n, f, bs, dyn, 0);
}
API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* d, const void* f, int nb, int) {
  LOCK;
  auto* k = findKernel(f);
  auto* im = k ? imageOf(k) : nullptr;
  if (!im || nb < 1) RET(cudaErrorInvalidValue);
  size_t per = 167936 / nb;
  size_t st = im->staticShared - SHARED_START + 1024;
  *d = per > st ? std::min<size_t>(per - st, 166912) : 0;
  return cudaSuccess;
}
API cudaError_t cudaOccupancyMaxActiveClusters(int* n, const void*, const cudaLaunchConfig_t*) {
  *n = 0;
  RET(cudaErrorNotSupported);
}
