// SPDX-License-Identifier: MIT
// Streams. Work runs at once when it is submitted, or is queued (CUDAEMU_ASYNC); a capturing stream records it.
#include "stream.h"

#include <algorithm>

using namespace emu;
namespace emu {
CUstream_st legacyStream, perThreadStream;
std::set<cudaStream_t> streams;
unsigned long long nextStreamId() {
  static unsigned long long next = 10;
  return next++;
}
cudaStream_t norm(cudaStream_t s) {
  if (s == nullptr || s == cudaStreamLegacy) return &legacyStream;
  if (s == cudaStreamPerThread) return &perThreadStream;
  return s;
}
bool valid(cudaStream_t s) {
  return s == &legacyStream || s == &perThreadStream || streams.count(s);
}
// ---- CUDAEMU_ASYNC: streams with queues.  Nothing runs before somebody waits for it, so that a missing
// synchronisation shows.
std::atomic<long> pendingOps{0};
void drain(cudaStream_t s, cudaEvent_t until, u64 ver) {
  while (!s->queue.empty()) {
    if (until && until->done >= ver) return;
    Pending p = std::move(s->queue.front());
    s->queue.pop_front();
    --pendingOps;
    if (p.what == Pending::Wait) {
      if (p.e->done < p.ver && p.e->stream && p.e->stream != s) drain(p.e->stream, p.e, p.ver);
    } else if (p.what == Pending::Record) {
      p.e->t = nowMs();
      p.e->done = p.ver;
    } else if (!deviceError) {
      cudaError_t err = runNode(p.n);
      int none = 0;
      if (err) deviceError.compare_exchange_strong(none, (int)err);
    }
  }
}
static std::vector<cudaStream_t> byId() {
  std::vector<cudaStream_t> v(streams.begin(), streams.end());
  std::sort(v.begin(), v.end(),
            [](cudaStream_t a, cudaStream_t b) { return cfg.async == 2 ? a->id > b->id : a->id < b->id; });
  return v;
}
void drainLegacy() {
  if (!cfg.async) return;
  for (auto* o : byId())
    if (!(o->flags & cudaStreamNonBlocking)) drain(o);
  drain(&perThreadStream);
  drain(&legacyStream);
}
void drainAll() {
  if (!cfg.async) return;
  for (auto* o : byId()) drain(o);
  drainLegacy();
}
static void drainStream(cudaStream_t s) {
  if (!cfg.async) return;
  if (s == &legacyStream) return drainLegacy();
  if (!(s->flags & cudaStreamNonBlocking)) drain(&legacyStream);
  drain(s);
}
// order with respect to the legacy stream, before something is added to s
void orderLegacy(cudaStream_t s) {
  if (s == &legacyStream) {
    for (auto* o : byId())
      if (!(o->flags & cudaStreamNonBlocking)) drain(o);
    drain(&perThreadStream);
  } else if (!(s->flags & cudaStreamNonBlocking))
    drain(&legacyStream);
}
static bool pageable(const void* p) {
  return !isDeviceAddr((u64)p) && !memFind((u64)p);
}
static cudaError_t defer(cudaStream_t s, Node&& n) {
  cudaError_t e = validateNode(n);
  if (e) return e;
  orderLegacy(s);
  if (n.kind == N_MEMCPY) {
    Copy& c = n.copy;
    if (pageable(c.dst) || (pageable(c.src) && (c.h > 1 || c.d > 1))) {  // not asynchronous on a GPU either
      drain(s);
      return runNode(n);
    }
    if (pageable(c.src)) {  // staged: the source is read now
      auto copy = std::make_shared<std::vector<char>>(c.src, c.src + c.w);
      c.src = copy->data();
      n.own = copy;
    }
  }
  Pending p;
  p.n = std::move(n);
  s->queue.push_back(std::move(p));
  ++pendingOps;
  return cudaSuccess;
}
void deferEvent(cudaStream_t s, Pending::What w, cudaEvent_t e) {
  Pending p;
  p.what = w;
  p.e = e;
  p.ver = e->ver;
  s->queue.push_back(std::move(p));
  ++pendingOps;
}
cudaError_t submit(cudaStream_t st, Node&& n) {
  cudaStream_t s = norm(st);
  if (!valid(s)) return cudaErrorInvalidResourceHandle;
  if (s->cap) {
    if (s->capInvalid) return cudaErrorStreamCaptureInvalidated;
    auto* k = addNode(s->cap, std::move(n), s->last);
    s->last = {k};
    return cudaSuccess;
  }
  if (s == &legacyStream)
    for (auto* o : streams)
      if (o->cap && !(o->flags & cudaStreamNonBlocking)) {
        o->capInvalid = true;
        return cudaErrorStreamCaptureImplicit;
      }
  return cfg.async ? defer(s, std::move(n)) : runNode(n);
}
}  // namespace emu
API cudaError_t cudaStreamCreateWithPriority(cudaStream_t* s, unsigned f, int p) {
  LOCK;
  STICKY();
  auto* n = new CUstream_st;
  n->flags = f;
  n->prio = p;
  n->id = nextStreamId();
  streams.insert(n);
  *s = n;
  return cudaSuccess;
}
API cudaError_t cudaStreamCreate(cudaStream_t* s) {
  return cudaStreamCreateWithPriority(s, 0, 0);
}
API cudaError_t cudaStreamCreateWithFlags(cudaStream_t* s, unsigned f) {
  return cudaStreamCreateWithPriority(s, f, 0);
}
API cudaError_t cudaStreamDestroy(cudaStream_t s) {
  LOCK;
  if (!streams.count(s)) RET(cudaErrorInvalidResourceHandle);
  drain(s);
  streams.erase(s);
  delete s;
  return cudaSuccess;
}
API cudaError_t cudaStreamSynchronize(cudaStream_t st) {
  LOCK;
  cudaStream_t s = norm(st);
  if (!valid(s)) RET(cudaErrorInvalidResourceHandle);
  if (s->cap) {
    s->capInvalid = true;
    RET(cudaErrorStreamCaptureUnsupported);
  }
  api.syncs++;
  drainStream(s);
  fflush(stdout);
  STICKY();
  return cudaSuccess;
}
API cudaError_t cudaDeviceSynchronize() {
  LOCK;
  cudaError_t e = captureUnsafe();
  if (e) RET(e);
  api.syncs++;
  drainAll();
  fflush(stdout);
  STICKY();
  return cudaSuccess;
}
API cudaError_t cudaStreamQuery(cudaStream_t st) {
  LOCK;
  cudaStream_t s = norm(st);
  if (!valid(s)) RET(cudaErrorInvalidResourceHandle);
  if (s->cap) {
    s->capInvalid = true;
    RET(cudaErrorStreamCaptureUnsupported);
  }
  STICKY();
  if (!s->queue.empty()) {  // not ready once, then the work has run
    drainStream(s);
    return cudaErrorNotReady;
  }
  return cudaSuccess;
}
API cudaError_t cudaStreamGetFlags(cudaStream_t s, unsigned* f) {
  *f = norm(s)->flags;
  return cudaSuccess;
}
API cudaError_t cudaStreamGetPriority(cudaStream_t s, int* p) {
  *p = norm(s)->prio;
  return cudaSuccess;
}
API cudaError_t cudaStreamGetId(cudaStream_t s, unsigned long long* id) {
  *id = norm(s)->id;
  return cudaSuccess;
}
API cudaError_t cudaStreamGetDevice(cudaStream_t, int* d) {
  *d = 0;
  return cudaSuccess;
}
API cudaError_t cudaStreamCopyAttributes(cudaStream_t, cudaStream_t) {
  return cudaSuccess;
}
API cudaError_t cudaStreamGetAttribute(cudaStream_t, cudaStreamAttrID, cudaStreamAttrValue* v) {
  memset(v, 0, sizeof *v);
  return cudaSuccess;
}
API cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaStreamAttrID, const cudaStreamAttrValue*) {
  return cudaSuccess;
}
API cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, size_t, unsigned) {
  return cudaSuccess;
}
API cudaError_t cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t f, void* u) {
  LOCK;
  STICKY();
  Node n;
  n.kind = N_HOST;
  n.fn = f;
  n.user = u;
  RET(submit(s, std::move(n)));
}
API cudaError_t cudaStreamAddCallback(cudaStream_t s, cudaStreamCallback_t f, void* u, unsigned) {
  LOCK;
  STICKY();
  if (norm(s)->cap) RET(cudaErrorStreamCaptureUnsupported);
  Node n;
  n.kind = N_HOST;
  n.cb = f;
  n.cbStream = s;
  n.user = u;
  RET(submit(s, std::move(n)));
}
