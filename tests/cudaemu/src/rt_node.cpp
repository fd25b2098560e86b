// SPDX-License-Identifier: MIT
// One operation (copy, memset, launch, host function, part of a graph): validation and execution.
#include "runtime.h"

namespace emu {
static void copy3(const Copy& c) {
  bool dd = isDeviceAddr((u64)c.dst), sd = isDeviceAddr((u64)c.src);
  char* d = hostPtr((u64)c.dst);
  const char* s = hostPtr((u64)c.src);
  for (size_t z = 0; z < c.d; z++)
    for (size_t y = 0; y < c.h; y++) {
      memmove(d + z * c.ds + y * c.dp, s + z * c.ss + y * c.sp, c.w);
      if (cfg.uninit && dd) {
        u64 da = (u64)c.dst + z * c.ds + y * c.dp;
        if (sd) {
          Alloc *a = memFind((u64)c.src + z * c.ss + y * c.sp), *b = memFind(da);
          if (a && b && a->kind == MK_DEVICE) {
            if (b->init.empty()) b->init.assign(b->size, 0);
            u64 so = (u64)c.src + z * c.ss + y * c.sp - a->base, o = da - b->base;
            for (size_t i = 0; i < c.w && o + i < b->size; i++) b->init[o + i] = a->init.empty() ? 0 : a->init[so + i];
            continue;
          }
        }
        memMarkInit(da, c.w);
      }
    }
  u64 n = (u64)c.w * c.h * c.d;
  if (dd && sd) {
    api.memcpyD2D++;
    api.bytesD2D += n;
  } else if (dd) {
    api.memcpyH2D++;
    api.bytesH2D += n;
  } else if (sd) {
    api.memcpyD2H++;
    api.bytesD2H += n;
  } else
    api.memcpyH2H++;
}
static cudaError_t checkRange(const void* p, size_t n, const char* what, cudaMemcpyKind kind, bool dst) {
  bool mustDev = dst ? (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice)
                     : (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice);
  bool dev = isDeviceAddr((u64)p);
  if (!n) return cudaSuccess;
  if (dev || mustDev) {
    Alloc* a = memFind((u64)p);
    if (!a || (u64)p + n > a->base + a->size) {
      if (!a && !dev && !mustDev) return cudaSuccess;
      fflush(stdout);
      fprintf(stderr, "cudaemu: ERROR: %s of %zu bytes at %p is not inside a live allocation: %s\n", what, n, p,
              memDescribe(a ? a->base + a->size : (u64)p).c_str());
      return cudaErrorInvalidValue;
    }
  }
  if (dev && ((dst && kind == cudaMemcpyDeviceToHost) || (!dst && kind == cudaMemcpyHostToDevice) ||
              kind == cudaMemcpyHostToHost)) {
    fflush(stdout);
    fprintf(stderr, "cudaemu: ERROR: %s: device pointer %p where the copy kind says host\n", what, p);
    return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}
static size_t extentOf(const Copy& c, bool dst) {
  size_t p = dst ? c.dp : c.sp, s = dst ? c.ds : c.ss;
  if (!c.w || !c.h || !c.d) return 0;
  return (c.d - 1) * s + (c.h - 1) * p + c.w;
}
cudaError_t validateNode(Node& n) {
  if (n.kind == N_MEMCPY) {
    cudaError_t e = checkRange(n.copy.dst, extentOf(n.copy, true), "memcpy destination", n.copy.kind, true);
    if (e) return e;
    return checkRange(n.copy.src, extentOf(n.copy, false), "memcpy source", n.copy.kind, false);
  }
  if (n.kind == N_MEMSET) {
    size_t ext = n.msW > 0 && n.msH > 0 ? (n.msH - 1) * n.msPitch + n.msW * n.msElem : 0;
    return checkRange(n.msDst, ext, "memset", cudaMemcpyHostToDevice, true);
  }
  return cudaSuccess;
}
cudaError_t runNode(Node& n) {
  cudaError_t e = validateNode(n);
  if (e) return e;
  switch (n.kind) {
    case N_KERNEL:
      launch(n.call);
      break;
    case N_MEMCPY:
      copy3(n.copy);
      break;
    case N_MEMSET: {
      api.memsets++;
      char* d = hostPtr((u64)n.msDst);
      for (size_t y = 0; y < n.msH; y++) {
        char* r = d + y * n.msPitch;
        if (n.msElem == 1)
          memset(r, (int)n.msVal, n.msW);
        else if (n.msElem == 2)
          for (size_t i = 0; i < n.msW; i++) ((u16*)r)[i] = (u16)n.msVal;
        else
          for (size_t i = 0; i < n.msW; i++) ((u32*)r)[i] = n.msVal;
        memMarkInit((u64)n.msDst + y * n.msPitch, n.msW * n.msElem);
      }
      break;
    }
    case N_FREE:
      if (n.bytes == 1) return freeMemory((void*)n.ptr, MK_DEVICE, MK_MANAGED, "cudaFreeAsync");
      break;
    case N_HOST:
      if (n.fn)
        n.fn(n.user);
      else if (n.cb)
        n.cb(n.cbStream, (cudaError_t)deviceError.load(), n.user);
      break;
    case N_EVENT_RECORD:
      n.event->t = nowMs();
      n.event->recorded = true;
      break;
    case N_CHILD:
      return runGraphNodes(n.child);
    case N_COND:
      if (n.condType == cudaGraphCondTypeIf) {
        u32 v = getConditional(n.cond);
        if (v)
          return runGraphNodes(n.bodies[0]);
        else if (n.bodies.size() > 1)
          return runGraphNodes(n.bodies[1]);
      } else if (n.condType == cudaGraphCondTypeWhile) {
        u64 guard = 0;
        while (getConditional(n.cond) && !deviceError) {
          cudaError_t q = runGraphNodes(n.bodies[0]);
          if (q) return q;
          if (++guard > 100000000ull) break;
        }
      } else {
        u32 v = getConditional(n.cond);
        if (v < n.bodies.size()) return runGraphNodes(n.bodies[v]);
      }
      break;
    default:
      break;
  }
  return cudaSuccess;
}
}  // namespace emu
