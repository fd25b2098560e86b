// SPDX-License-Identifier: MIT
// Events.
#include "stream.h"

#include <algorithm>

using namespace emu;
API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* e, unsigned f) {
  LOCK;
  STICKY();
  *e = new CUevent_st;
  (*e)->flags = f;
  return cudaSuccess;
}
API cudaError_t cudaEventCreate(cudaEvent_t* e) {
  return cudaEventCreateWithFlags(e, 0);
}
API cudaError_t cudaEventDestroy(cudaEvent_t e) {
  LOCK;
  if (!e) RET(cudaErrorInvalidResourceHandle);
  drainAll();
  delete e;
  return cudaSuccess;
}
API cudaError_t cudaEventRecordWithFlags(cudaEvent_t e, cudaStream_t st, unsigned f) {
  LOCK;
  STICKY();
  cudaStream_t s = norm(st);
  if (!e || !valid(s)) RET(cudaErrorInvalidResourceHandle);
  if (s->cap) {
    if (s->capInvalid) RET(cudaErrorStreamCaptureInvalidated);
    if (f & cudaEventRecordExternal) {
      Node n;
      n.kind = N_EVENT_RECORD;
      n.event = e;
      RET(submit(st, std::move(n)));
    }
    e->cap = s->cap;
    e->last = s->last;
    return cudaSuccess;
  }
  if (s == &legacyStream)
    for (auto* o : streams)
      if (o->cap && !(o->flags & cudaStreamNonBlocking)) {
        o->capInvalid = true;
        RET(cudaErrorStreamCaptureImplicit);
      }
  e->cap = nullptr;
  e->t = nowMs();
  e->recorded = true;
  e->ver++;
  if (cfg.async) {
    orderLegacy(s);
    e->stream = s;
    deferEvent(s, Pending::Record, e);
  } else
    e->done = e->ver;
  return cudaSuccess;
}
API cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s) {
  return cudaEventRecordWithFlags(e, s, 0);
}
API cudaError_t cudaEventSynchronize(cudaEvent_t e) {
  LOCK;
  if (!e) RET(cudaErrorInvalidResourceHandle);
  if (e->cap) RET(cudaErrorCapturedEvent);
  api.syncs++;
  if (e->done < e->ver) drain(e->stream, e, e->ver);
  fflush(stdout);
  STICKY();
  return cudaSuccess;
}
API cudaError_t cudaEventQuery(cudaEvent_t e) {
  LOCK;
  if (!e) RET(cudaErrorInvalidResourceHandle);
  if (e->cap) RET(cudaErrorCapturedEvent);
  STICKY();
  if (e->done < e->ver) {  // not ready once, then the work has run
    drain(e->stream, e, e->ver);
    return cudaErrorNotReady;
  }
  return cudaSuccess;
}
API cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t a, cudaEvent_t b) {
  LOCK;
  STICKY();
  if (!a || !b || !a->recorded || !b->recorded || (a->flags & cudaEventDisableTiming) ||
      (b->flags & cudaEventDisableTiming))
    RET(cudaErrorInvalidResourceHandle);
  if (a->done < a->ver || b->done < b->ver) RET(cudaErrorNotReady);
  *ms = (float)(b->t - a->t);
  return cudaSuccess;
}
API cudaError_t cudaStreamWaitEvent(cudaStream_t st, cudaEvent_t e, unsigned f) {
  LOCK;
  STICKY();
  cudaStream_t s = norm(st);
  if (!e || !valid(s)) RET(cudaErrorInvalidResourceHandle);
  if (e->cap) {
    if (s->cap && s->cap != e->cap) {
      s->capInvalid = true;
      RET(cudaErrorStreamCaptureIsolation);
    }
    if (!s->cap) {
      if (s == &legacyStream) RET(cudaErrorStreamCaptureImplicit);
      s->cap = e->cap;
      s->capOrigin = false;
      s->capInvalid = false;
      s->last.clear();
      for (auto* o : streams)
        if (o->cap == e->cap && o->capOrigin) {
          s->mode = o->mode;
          s->capThread = o->capThread;
          s->capId = o->capId;
        }
    }
    for (auto* n : e->last)
      if (std::find(s->last.begin(), s->last.end(), n) == s->last.end()) s->last.push_back(n);
  } else if (s->cap) {
    if (f & cudaEventWaitExternal) {
      Node n;
      n.kind = N_EVENT_WAIT;
      n.event = e;
      RET(submit(st, std::move(n)));
    }
    if (e->recorded) {
      s->capInvalid = true;
      RET(cudaErrorStreamCaptureIsolation);
    }
  } else if (e->done < e->ver)
    deferEvent(s, Pending::Wait, e);
  return cudaSuccess;
}
