// SPDX-License-Identifier: MIT
// Stream capture.
#include "stream.h"

using namespace emu;
namespace emu {
static thread_local cudaStreamCaptureMode threadMode = cudaStreamCaptureModeGlobal;
// A potentially unsafe call (cudaMalloc, device synchronisation) is refused, and invalidates the captures in its way:
// those of this thread that are not relaxed, and those of other threads in global mode unless this thread is in
// another mode.
cudaError_t captureUnsafe() {
  if (threadMode == cudaStreamCaptureModeRelaxed) return cudaSuccess;
  std::vector<cudaStream_t> all(streams.begin(), streams.end());
  all.push_back(&perThreadStream);
  bool bad = false;
  for (auto* s : all) {
    if (!s->cap || s->mode == cudaStreamCaptureModeRelaxed) continue;
    const bool own = s->capThread == std::this_thread::get_id();
    if (!own && (s->mode != cudaStreamCaptureModeGlobal || threadMode != cudaStreamCaptureModeGlobal)) continue;
    s->capInvalid = bad = true;
  }
  return bad ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}
}  // namespace emu
static cudaError_t beginCapture(cudaStream_t st, cudaGraph_t g, const cudaGraphNode_t* d, size_t n,
                                cudaStreamCaptureMode mode) {
  LOCK;
  STICKY();
  cudaStream_t s = norm(st);
  if (!valid(s)) RET(cudaErrorInvalidResourceHandle);
  if (s == &legacyStream) RET(cudaErrorStreamCaptureUnsupported);
  if (s->cap) RET(cudaErrorIllegalState);
  s->capExternal = g != nullptr;
  s->cap = g ? g : new CUgraph_st;
  s->capOrigin = true;
  s->capInvalid = false;
  s->mode = mode;
  s->capThread = std::this_thread::get_id();
  s->capId = nextStreamId();
  s->last.assign(d, d + n);
  return cudaSuccess;
}
API cudaError_t cudaStreamBeginCapture(cudaStream_t s, enum cudaStreamCaptureMode m) {
  return beginCapture(s, nullptr, nullptr, 0, m);
}
API cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t s, cudaGraph_t g, const cudaGraphNode_t* d,
                                              const cudaGraphEdgeData*, size_t n, enum cudaStreamCaptureMode m) {
  return beginCapture(s, g, d, n, m);
}
API cudaError_t cudaStreamEndCapture(cudaStream_t st, cudaGraph_t* out) {
  LOCK;
  cudaStream_t s = norm(st);
  if (!valid(s)) RET(cudaErrorInvalidResourceHandle);
  if (!s->cap) RET(cudaErrorIllegalState);
  if (!s->capOrigin) {
    RET(cudaErrorStreamCaptureUnmatched);
  }
  cudaGraph_t g = s->cap;
  bool inv = s->capInvalid, unjoined = false;
  std::set<cudaGraphNode_t> reach;
  std::vector<cudaGraphNode_t> stack(s->last);
  while (!stack.empty()) {
    auto* n = stack.back();
    stack.pop_back();
    if (!reach.insert(n).second) continue;
    for (auto* d : n->deps) stack.push_back(d);
  }
  for (auto* o : streams)
    if (o->cap == g) {
      if (o != s) {
        inv = inv || o->capInvalid;
        for (auto* n : o->last)
          if (!reach.count(n)) unjoined = true;
      }
    }
  for (auto* o : streams)
    if (o->cap == g && o != s) {
      o->cap = nullptr;
      o->last.clear();
    }
  s->cap = nullptr;
  s->last.clear();
  bool ext = s->capExternal;
  if (inv || unjoined) {
    if (!ext) freeGraph(g);
    if (out) *out = nullptr;
    RET(unjoined && !inv ? cudaErrorStreamCaptureUnjoined : cudaErrorStreamCaptureInvalidated);
  }
  if (out) *out = g;
  return cudaSuccess;
}
API cudaError_t cudaStreamIsCapturing(cudaStream_t st, enum cudaStreamCaptureStatus* p) {
  LOCK;
  cudaStream_t s = norm(st);
  if (!valid(s)) RET(cudaErrorInvalidResourceHandle);
  *p = !s->cap         ? cudaStreamCaptureStatusNone
       : s->capInvalid ? cudaStreamCaptureStatusInvalidated
                       : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}
API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t st, enum cudaStreamCaptureStatus* p, unsigned long long* id,
                                         cudaGraph_t* g, const cudaGraphNode_t** d, const cudaGraphEdgeData** ed,
                                         size_t* n) {
  LOCK;
  cudaStream_t s = norm(st);
  if (!valid(s)) RET(cudaErrorInvalidResourceHandle);
  *p = !s->cap         ? cudaStreamCaptureStatusNone
       : s->capInvalid ? cudaStreamCaptureStatusInvalidated
                       : cudaStreamCaptureStatusActive;
  if (s->cap) {
    if (id) *id = s->capId;
    if (g) *g = s->cap;
    if (d) *d = s->last.data();
    if (ed) *ed = nullptr;
    if (n) *n = s->last.size();
  }
  return cudaSuccess;
}
API cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t st, cudaGraphNode_t* d, const cudaGraphEdgeData*,
                                                    size_t n, unsigned f) {
  LOCK;
  cudaStream_t s = norm(st);
  if (!s->cap) RET(cudaErrorIllegalState);
  if (f == cudaStreamSetCaptureDependencies) s->last.clear();
  s->last.insert(s->last.end(), d, d + n);
  return cudaSuccess;
}
API cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode* m) {
  std::swap(*m, threadMode);
  return cudaSuccess;
}
