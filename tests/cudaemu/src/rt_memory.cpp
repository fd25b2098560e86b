// SPDX-License-Identifier: MIT
// Runtime API: allocation, copies, memset, pointer attributes, memory pools.
#include "runtime.h"

using namespace emu;
static CUmemPoolHandle_st defaultPool;
#define UNSAFE()                      \
  do {                                \
    cudaError_t e_ = captureUnsafe(); \
    if (e_) RET(e_);                  \
  } while (0)
static cudaError_t alloc(void** p, size_t n, MemKind k) {
  if (!p) return cudaErrorInvalidValue;
  if (n == 0) {
    *p = nullptr;
    return cudaSuccess;
  }
  u64 a = memAlloc(n, k);
  if (!a) {
    *p = nullptr;
    return cudaErrorMemoryAllocation;
  }
  api.mallocs++;
  *p = (void*)a;
  return cudaSuccess;
}
cudaError_t emu::freeMemory(void* p, MemKind a, MemKind b, const char* what) {
  if (!p) return cudaSuccess;
  int r = memFreeKind((u64)p, a, b);
  if (r) {
    fflush(stdout);
    fprintf(stderr, "cudaemu: ERROR: %s of %p: %s\n", what, p,
            r == 2 ? "already freed (double free)" : "not the start of a live allocation of this kind");
    return cudaErrorInvalidValue;
  }
  api.frees++;
  return cudaSuccess;
}
API cudaError_t cudaMalloc(void** p, size_t n) {
  LOCK;
  STICKY();
  UNSAFE();
  RET(alloc(p, n, MK_DEVICE));
}
API cudaError_t cudaMallocManaged(void** p, size_t n, unsigned) {
  LOCK;
  STICKY();
  UNSAFE();
  if (!n) RET(cudaErrorInvalidValue);
  RET(alloc(p, n, MK_MANAGED));
}
API cudaError_t cudaMallocHost(void** p, size_t n) {
  LOCK;
  STICKY();
  UNSAFE();
  RET(alloc(p, n, MK_PINNED));
}
API cudaError_t cudaHostAlloc(void** p, size_t n, unsigned) {
  LOCK;
  STICKY();
  UNSAFE();
  RET(alloc(p, n, MK_PINNED));
}
API cudaError_t cudaFree(void* p) {
  LOCK;
  STICKY();
  if (p) UNSAFE();
  drainAll();
  RET(freeMemory(p, MK_DEVICE, MK_MANAGED, "cudaFree"));
}
API cudaError_t cudaFreeHost(void* p) {
  LOCK;
  STICKY();
  drainAll();
  RET(freeMemory(p, MK_PINNED, MK_PINNED, "cudaFreeHost"));
}
API cudaError_t cudaMallocAsync(void** p, size_t n, cudaStream_t s) {
  LOCK;
  STICKY();
  cudaError_t e = alloc(p, n, MK_DEVICE);
  if (e) RET(e);
  Node k;
  k.kind = N_ALLOC;
  k.ptr = (u64)*p;
  k.bytes = n;
  cudaStreamCaptureStatus st;
  cudaStreamIsCapturing(s, &st);
  if (st == cudaStreamCaptureStatusActive) {
    u64 a = k.ptr;
    k.own = std::shared_ptr<void>(*p, [a](void*) { memFree(a); });
    RET(submit(s, std::move(k)));
  }
  return cudaSuccess;
}
API cudaError_t cudaFreeAsync(void* p, cudaStream_t s) {
  LOCK;
  STICKY();
  cudaStreamCaptureStatus st;
  cudaStreamIsCapturing(s, &st);
  if (st == cudaStreamCaptureStatusActive) {
    Node k;
    k.kind = N_FREE;
    k.ptr = (u64)p;
    RET(submit(s, std::move(k)));
  }
  if (cfg.async && p) {
    Node k;
    k.kind = N_FREE;
    k.ptr = (u64)p;
    k.bytes = 1;  // really free it
    RET(submit(s, std::move(k)));
  }
  RET(freeMemory(p, MK_DEVICE, MK_MANAGED, "cudaFreeAsync"));
}
API cudaError_t cudaMallocFromPoolAsync(void** p, size_t n, cudaMemPool_t, cudaStream_t s) {
  return cudaMallocAsync(p, n, s);
}
API cudaError_t cudaMallocPitch(void** p, size_t* pitch, size_t w, size_t h) {
  LOCK;
  STICKY();
  UNSAFE();
  *pitch = (w + 511) & ~(size_t)511;
  RET(alloc(p, *pitch * h, MK_DEVICE));
}
API cudaError_t cudaMalloc3D(struct cudaPitchedPtr* p, struct cudaExtent e) {
  LOCK;
  STICKY();
  UNSAFE();
  size_t pitch = (e.width + 511) & ~(size_t)511;
  void* q = nullptr;
  cudaError_t r = alloc(&q, pitch * e.height * e.depth, MK_DEVICE);
  p->ptr = q;
  p->pitch = pitch;
  p->xsize = e.width;
  p->ysize = e.height;
  RET(r);
}
API cudaError_t cudaHostRegister(void* p, size_t n, unsigned) {
  LOCK;
  STICKY();
  if (!p || !n) RET(cudaErrorInvalidValue);
  if (memFind((u64)p)) RET(cudaErrorHostMemoryAlreadyRegistered);
  memRegister((u64)p, n, MK_REGISTERED);
  return cudaSuccess;
}
API cudaError_t cudaHostUnregister(void* p) {
  LOCK;
  STICKY();
  drainAll();
  Alloc* a = memFind((u64)p);
  if (!a || a->kind != MK_REGISTERED || a->base != (u64)p) RET(cudaErrorHostMemoryNotRegistered);
  memUnregister((u64)p);
  return cudaSuccess;
}
API cudaError_t cudaHostGetDevicePointer(void** d, void* h, unsigned) {
  LOCK;
  Alloc* a = memFind((u64)h);
  if (!a) RET(cudaErrorInvalidValue);
  *d = h;
  return cudaSuccess;
}
API cudaError_t cudaHostGetFlags(unsigned* f, void* h) {
  LOCK;
  Alloc* a = memFind((u64)h);
  if (!a) RET(cudaErrorInvalidValue);
  *f = cudaHostAllocMapped;
  return cudaSuccess;
}
API cudaError_t cudaMemGetInfo(size_t* f, size_t* t) {
  LOCK;
  STICKY();
  *t = cfg.memBytes;
  *f = cfg.memBytes - memUsed();
  return cudaSuccess;
}
API cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes* a, const void* p) {
  LOCK;
  memset(a, 0, sizeof *a);
  Alloc* m = memFind((u64)p);
  a->device = 0;
  if (!m) {
    a->type = cudaMemoryTypeUnregistered;
    a->device = -2;
    a->hostPointer = (void*)p;
    return cudaSuccess;
  }
  if (m->kind == MK_MANAGED) {
    a->type = cudaMemoryTypeManaged;
    a->devicePointer = a->hostPointer = (void*)p;
  } else if (m->kind == MK_PINNED || m->kind == MK_REGISTERED) {
    a->type = cudaMemoryTypeHost;
    a->devicePointer = a->hostPointer = (void*)p;
  } else {
    a->type = cudaMemoryTypeDevice;
    a->devicePointer = (void*)p;
  }
  return cudaSuccess;
}
// ---- copies
static Node mk(void* d, const void* s, size_t w, cudaMemcpyKind k) {
  Node n;
  n.kind = N_MEMCPY;
  n.copy.dst = (char*)d;
  n.copy.src = (const char*)s;
  n.copy.w = w;
  n.copy.kind = k;
  n.copy.dp = n.copy.sp = w;
  n.copy.ds = n.copy.ss = w;
  return n;
}
static Node mk2(void* d, size_t dp, const void* s, size_t sp, size_t w, size_t h, cudaMemcpyKind k) {
  Node n = mk(d, s, w, k);
  n.copy.dp = dp;
  n.copy.sp = sp;
  n.copy.h = h;
  n.copy.ds = dp * h;
  n.copy.ss = sp * h;
  return n;
}
static bool mk3(const cudaMemcpy3DParms* p, Node& n) {
  if (p->srcArray || p->dstArray) return false;
  n.kind = N_MEMCPY;
  auto& c = n.copy;
  c.w = p->extent.width;
  c.h = p->extent.height;
  c.d = p->extent.depth;
  c.dp = p->dstPtr.pitch;
  c.sp = p->srcPtr.pitch;
  c.ds = p->dstPtr.pitch * p->dstPtr.ysize;
  c.ss = p->srcPtr.pitch * p->srcPtr.ysize;
  if (!c.ds) c.ds = c.dp * c.h;
  if (!c.ss) c.ss = c.sp * c.h;
  c.dst = (char*)p->dstPtr.ptr + p->dstPos.x + p->dstPos.y * c.dp + p->dstPos.z * c.ds;
  c.src = (const char*)p->srcPtr.ptr + p->srcPos.x + p->srcPos.y * c.sp + p->srcPos.z * c.ss;
  c.kind = p->kind;
  return true;
}
namespace emu {
bool nodeFrom3D(const cudaMemcpy3DParms* p, Node& n) {
  return mk3(p, n);
}
}  // namespace emu
static cudaError_t blocking(Node&& n) {
  UNSAFE();
  api.blockingCopies++;
  drainLegacy();
  cudaError_t e = runNode(n);
  if (e) return setErr(e);
  STICKY();
  return cudaSuccess;
}
API cudaError_t cudaMemcpy(void* d, const void* s, size_t n, enum cudaMemcpyKind k) {
  LOCK;
  STICKY();
  if (!n) return cudaSuccess;
  return blocking(mk(d, s, n, k));
}
API cudaError_t cudaMemcpyAsync(void* d, const void* s, size_t n, enum cudaMemcpyKind k, cudaStream_t st) {
  LOCK;
  STICKY();
  if (!n) return cudaSuccess;
  RET(submit(st, mk(d, s, n, k)));
}
API cudaError_t cudaMemcpyPeer(void* d, int, const void* s, int, size_t n) {
  return cudaMemcpy(d, s, n, cudaMemcpyDefault);
}
API cudaError_t cudaMemcpyPeerAsync(void* d, int, const void* s, int, size_t n, cudaStream_t st) {
  return cudaMemcpyAsync(d, s, n, cudaMemcpyDefault, st);
}
API cudaError_t cudaMemcpy2D(void* d, size_t dp, const void* s, size_t sp, size_t w, size_t h, enum cudaMemcpyKind k) {
  LOCK;
  STICKY();
  if (w > dp || w > sp) RET(cudaErrorInvalidPitchValue);
  if (!w || !h) return cudaSuccess;
  return blocking(mk2(d, dp, s, sp, w, h, k));
}
API cudaError_t cudaMemcpy2DAsync(void* d, size_t dp, const void* s, size_t sp, size_t w, size_t h,
                                  enum cudaMemcpyKind k, cudaStream_t st) {
  LOCK;
  STICKY();
  if (w > dp || w > sp) RET(cudaErrorInvalidPitchValue);
  if (!w || !h) return cudaSuccess;
  RET(submit(st, mk2(d, dp, s, sp, w, h, k)));
}
API cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms* p) {
  LOCK;
  STICKY();
  Node n;
  if (!mk3(p, n)) RET(cudaErrorNotSupported);
  return blocking(std::move(n));
}
API cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms* p, cudaStream_t s) {
  LOCK;
  STICKY();
  Node n;
  if (!mk3(p, n)) RET(cudaErrorNotSupported);
  RET(submit(s, std::move(n)));
}
static cudaError_t symCopy(const void* sym, size_t off, size_t n, u64& a) {
  size_t z;
  cudaError_t e = symbolAddr(sym, a, z);
  if (e) return e;
  if (off + n > z) return cudaErrorInvalidValue;
  a += off;
  return cudaSuccess;
}
API cudaError_t cudaMemcpyToSymbol(const void* sym, const void* s, size_t n, size_t off, enum cudaMemcpyKind k) {
  LOCK;
  STICKY();
  u64 a;
  cudaError_t e = symCopy(sym, off, n, a);
  if (e) RET(e);
  return blocking(mk((void*)a, s, n, k));
}
API cudaError_t cudaMemcpyFromSymbol(void* d, const void* sym, size_t n, size_t off, enum cudaMemcpyKind k) {
  LOCK;
  STICKY();
  u64 a;
  cudaError_t e = symCopy(sym, off, n, a);
  if (e) RET(e);
  return blocking(mk(d, (void*)a, n, k));
}
API cudaError_t cudaMemcpyToSymbolAsync(const void* sym, const void* s, size_t n, size_t off, enum cudaMemcpyKind k,
                                        cudaStream_t st) {
  LOCK;
  STICKY();
  u64 a;
  cudaError_t e = symCopy(sym, off, n, a);
  if (e) RET(e);
  RET(submit(st, mk((void*)a, s, n, k)));
}
API cudaError_t cudaMemcpyFromSymbolAsync(void* d, const void* sym, size_t n, size_t off, enum cudaMemcpyKind k,
                                          cudaStream_t st) {
  LOCK;
  STICKY();
  u64 a;
  cudaError_t e = symCopy(sym, off, n, a);
  if (e) RET(e);
  RET(submit(st, mk(d, (void*)a, n, k)));
}
API cudaError_t cudaMemcpyBatchAsync(void* const* d, const void* const* s, const size_t* z, size_t c,
                                     struct cudaMemcpyAttributes*, size_t*, size_t, cudaStream_t st) {
  for (size_t i = 0; i < c; i++) {
    cudaError_t e = cudaMemcpyAsync(d[i], s[i], z[i], cudaMemcpyDefault, st);
    if (e) return e;
  }
  return cudaSuccess;
}
// ---- memset
static Node ms(void* d, size_t pitch, int v, size_t w, size_t h) {
  Node n;
  n.kind = N_MEMSET;
  n.msDst = d;
  n.msPitch = pitch;
  n.msW = w;
  n.msH = h;
  n.msVal = (unsigned)(v & 255);
  return n;
}
API cudaError_t cudaMemset(void* d, int v, size_t n) {
  LOCK;
  STICKY();
  UNSAFE();
  if (!n) return cudaSuccess;
  drainLegacy();
  Node k = ms(d, n, v, n, 1);
  RET(runNode(k));
}
API cudaError_t cudaMemsetAsync(void* d, int v, size_t n, cudaStream_t s) {
  LOCK;
  STICKY();
  if (!n) return cudaSuccess;
  RET(submit(s, ms(d, n, v, n, 1)));
}
API cudaError_t cudaMemset2D(void* d, size_t p, int v, size_t w, size_t h) {
  LOCK;
  STICKY();
  UNSAFE();
  drainLegacy();
  Node k = ms(d, p, v, w, h);
  RET(runNode(k));
}
API cudaError_t cudaMemset2DAsync(void* d, size_t p, int v, size_t w, size_t h, cudaStream_t s) {
  LOCK;
  STICKY();
  RET(submit(s, ms(d, p, v, w, h)));
}
API cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int v, struct cudaExtent e) {
  LOCK;
  STICKY();
  UNSAFE();
  drainLegacy();
  for (size_t z = 0; z < e.depth; z++) {
    Node k = ms((char*)p.ptr + z * p.pitch * p.ysize, p.pitch, v, e.width, e.height);
    cudaError_t r = runNode(k);
    if (r) RET(r);
  }
  return cudaSuccess;
}
API cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr p, int v, struct cudaExtent e, cudaStream_t s) {
  LOCK;
  STICKY();
  for (size_t z = 0; z < e.depth; z++) {
    cudaError_t r = submit(s, ms((char*)p.ptr + z * p.pitch * p.ysize, p.pitch, v, e.width, e.height));
    if (r) RET(r);
  }
  return cudaSuccess;
}
// ---- hints and pools
API cudaError_t cudaMemPrefetchAsync(const void*, size_t, struct cudaMemLocation, unsigned, cudaStream_t) {
  STICKY();
  return cudaSuccess;
}
API cudaError_t cudaMemAdvise(const void*, size_t, enum cudaMemoryAdvise, struct cudaMemLocation) {
  STICKY();
  return cudaSuccess;
}
API cudaError_t cudaMemPoolCreate(cudaMemPool_t* p, const struct cudaMemPoolProps*) {
  *p = new CUmemPoolHandle_st;
  return cudaSuccess;
}
API cudaError_t cudaMemPoolDestroy(cudaMemPool_t p) {
  if (p != &defaultPool) delete p;
  return cudaSuccess;
}
API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) {
  return cudaSuccess;
}
API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t p, enum cudaMemPoolAttr a, void* v) {
  if (a == cudaMemPoolAttrReleaseThreshold) p->threshold = *(unsigned long long*)v;
  return cudaSuccess;
}
API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t p, enum cudaMemPoolAttr a, void* v) {
  switch (a) {
    case cudaMemPoolAttrReleaseThreshold:
      *(unsigned long long*)v = p->threshold;
      break;
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemCurrent:
    case cudaMemPoolAttrUsedMemHigh:
      *(unsigned long long*)v = memUsed();
      break;
    default:
      *(int*)v = 1;
  }
  return cudaSuccess;
}
API cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const struct cudaMemAccessDesc*, size_t) {
  return cudaSuccess;
}
API cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags* f, cudaMemPool_t, struct cudaMemLocation*) {
  *f = cudaMemAccessFlagsProtReadWrite;
  return cudaSuccess;
}
API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* p, int) {
  *p = &defaultPool;
  return cudaSuccess;
}
API cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* p, int) {
  *p = &defaultPool;
  return cudaSuccess;
}
API cudaError_t cudaDeviceSetMemPool(int, cudaMemPool_t) {
  return cudaSuccess;
}
API cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t* p, struct cudaMemLocation*, enum cudaMemAllocationType) {
  *p = &defaultPool;
  return cudaSuccess;
}
API cudaError_t cudaMemGetMemPool(cudaMemPool_t* p, struct cudaMemLocation*, enum cudaMemAllocationType) {
  *p = &defaultPool;
  return cudaSuccess;
}
API cudaError_t cudaMemSetMemPool(struct cudaMemLocation*, enum cudaMemAllocationType, cudaMemPool_t) {
  return cudaSuccess;
}
