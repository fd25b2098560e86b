// SPDX-License-Identifier: MIT
// Graphs: their structure, execution, and the functions that add nodes.
#include "stream.h"

#include <algorithm>

using namespace emu;
namespace emu {
cudaGraphNode_t addNode(cudaGraph_t g, Node&& n, const std::vector<cudaGraphNode_t>& deps) {
  auto* k = new CUgraphNode_st;
  k->n = std::move(n);
  k->graph = g;
  k->deps = deps;
  static unsigned long long nodeId = 0;
  k->id = ++nodeId;
  g->nodes.push_back(k);
  return k;
}
static std::mutex condLock;  // kernels set conditions, and several host threads run blocks
static std::map<u64, u32> condValue;
static std::map<u64, std::pair<u32, u32>> condDefault;
void setConditional(u64 h, u32 v) {
  std::lock_guard<std::mutex> g(condLock);
  condValue[h] = v;
}
u32 getConditional(u64 h) {
  std::lock_guard<std::mutex> g(condLock);
  return condValue[h];
}
std::vector<cudaGraphNode_t> topo(cudaGraph_t g) {
  std::vector<cudaGraphNode_t> out;
  std::set<cudaGraphNode_t> done;
  std::vector<cudaGraphNode_t> rest = g->nodes;
  while (!rest.empty()) {
    std::vector<cudaGraphNode_t> next;
    bool prog = false;
    for (auto* n : rest) {
      bool ok = true;
      for (auto* d : n->deps)
        if (!done.count(d)) {
          ok = false;
          break;
        }
      if (ok) {
        out.push_back(n);
        done.insert(n);
        prog = true;
      } else
        next.push_back(n);
    }
    if (!prog) return {};
    rest.swap(next);
  }
  return out;
}
void assignConditionals(cudaGraph_t g) {
  for (auto& c : g->conds)
    if (condDefault[c.first].second & cudaGraphCondAssignDefault) setConditional(c.first, condDefault[c.first].first);
}
cudaError_t runGraphNodes(cudaGraph_t g) {
  assignConditionals(g);
  for (auto* n : topo(g)) {
    api.graphNodes++;
    cudaError_t e = runNode(n->n);
    if (e) return e;
    if (deviceError) break;
  }
  return cudaSuccess;
}
cudaGraph_t cloneGraph(cudaGraph_t g, std::map<cudaGraphNode_t, cudaGraphNode_t>& m) {
  auto* c = new CUgraph_st;
  c->conds = g->conds;
  for (auto* n : g->nodes) {
    auto* k = new CUgraphNode_st(*n);
    k->graph = c;
    m[n] = k;
    c->nodes.push_back(k);
  }
  for (auto* n : c->nodes) {
    for (auto& d : n->deps) d = m.at(d);
    if (n->n.child) {
      n->n.child = cloneGraph(n->n.child, m);
    }
    for (auto& b : n->n.bodies) b = cloneGraph(b, m);
  }
  return c;
}
void freeGraph(cudaGraph_t g) {
  for (auto* n : g->nodes) {
    if (n->n.child) freeGraph(n->n.child);
    for (auto* b : n->n.bodies) freeGraph(b);
    delete n;
  }
  delete g;
}
cudaError_t kernelNode(Node& n, const cudaKernelNodeParams* p) {
  n.kind = N_KERNEL;
  return prepareCall(n.call, p->func, p->gridDim, p->blockDim, p->kernelParams, p->sharedMemBytes, n.call.coop);
}
Node copyNode(void* d, const void* s, size_t c, cudaMemcpyKind k) {
  Node n;
  n.kind = N_MEMCPY;
  n.copy.dst = (char*)d;
  n.copy.src = (const char*)s;
  n.copy.w = n.copy.dp = n.copy.sp = n.copy.ds = n.copy.ss = c;
  n.copy.kind = k;
  return n;
}
Node memsetNode(const cudaMemsetParams* p) {
  Node k;
  k.kind = N_MEMSET;
  k.msDst = p->dst;
  k.msPitch = p->pitch;
  k.msVal = p->value;
  k.msElem = p->elementSize;
  k.msW = p->width;
  k.msH = p->height;
  return k;
}
}  // namespace emu
API cudaError_t cudaGraphCreate(cudaGraph_t* g, unsigned) {
  LOCK;
  *g = new CUgraph_st;
  return cudaSuccess;
}
API cudaError_t cudaGraphDestroy(cudaGraph_t g) {
  LOCK;
  if (!g) RET(cudaErrorInvalidValue);
  freeGraph(g);
  return cudaSuccess;
}
API cudaError_t cudaGraphClone(cudaGraph_t* o, cudaGraph_t g) {
  LOCK;
  std::map<cudaGraphNode_t, cudaGraphNode_t> m;
  *o = cloneGraph(g, m);
  return cudaSuccess;
}
static cudaError_t add(cudaGraphNode_t* o, cudaGraph_t g, const cudaGraphNode_t* d, size_t n, Node&& k) {
  LOCK;
  if (!g) RET(cudaErrorInvalidValue);
  auto* q = addNode(g, std::move(k), std::vector<cudaGraphNode_t>(d, d + n));
  if (o) *o = q;
  return cudaSuccess;
}
API cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* o, cudaGraph_t g, const cudaGraphNode_t* d, size_t n,
                                       const struct cudaKernelNodeParams* p) {
  LOCK;
  Node k;
  cudaError_t e = kernelNode(k, p);
  if (e) RET(e);
  return add(o, g, d, n, std::move(k));
}
API cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t n, struct cudaKernelNodeParams* p) {
  LOCK;
  if (n->n.kind != N_KERNEL) RET(cudaErrorInvalidValue);
  auto& c = n->n.call;
  p->func = (void*)c.k->host;
  p->gridDim = c.grid;
  p->blockDim = c.block;
  p->sharedMemBytes = (unsigned)c.shared;
  n->n.argPtrs.clear();
  for (auto& q : imageOf(c.k)->params) n->n.argPtrs.push_back(c.params.data() + q.first);
  p->kernelParams = n->n.argPtrs.data();
  p->extra = nullptr;
  return cudaSuccess;
}
API cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t n, const struct cudaKernelNodeParams* p) {
  LOCK;
  if (n->n.kind != N_KERNEL) RET(cudaErrorInvalidValue);
  RET(kernelNode(n->n, p));
}
API cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t, cudaGraphNode_t) {
  return cudaSuccess;
}
API cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t, cudaLaunchAttributeID, cudaLaunchAttributeValue* v) {
  memset(v, 0, sizeof *v);
  return cudaSuccess;
}
API cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t n, cudaLaunchAttributeID a,
                                                const cudaLaunchAttributeValue* v) {
  if (a == cudaLaunchAttributeCooperative) n->n.call.coop = v->cooperative;
  return cudaSuccess;
}
API cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* o, cudaGraph_t g, const cudaGraphNode_t* d, size_t n,
                                       const struct cudaMemcpy3DParms* p) {
  Node k;
  if (!nodeFrom3D(p, k)) RET(cudaErrorNotSupported);
  return add(o, g, d, n, std::move(k));
}
API cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* o, cudaGraph_t g, const cudaGraphNode_t* d, size_t n,
                                         void* dst, const void* src, size_t c, enum cudaMemcpyKind k) {
  return add(o, g, d, n, copyNode(dst, src, c, k));
}
API cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t n, void* dst, const void* src, size_t c,
                                               enum cudaMemcpyKind k) {
  n->n = copyNode(dst, src, c, k);
  return cudaSuccess;
}
API cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t n, const struct cudaMemcpy3DParms* p) {
  Node k;
  if (!nodeFrom3D(p, k)) RET(cudaErrorNotSupported);
  n->n = k;
  return cudaSuccess;
}
API cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* o, cudaGraph_t g, const cudaGraphNode_t* d, size_t n,
                                       const struct cudaMemsetParams* p) {
  return add(o, g, d, n, memsetNode(p));
}
API cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t n, struct cudaMemsetParams* p) {
  p->dst = n->n.msDst;
  p->pitch = n->n.msPitch;
  p->value = n->n.msVal;
  p->elementSize = n->n.msElem;
  p->width = n->n.msW;
  p->height = n->n.msH;
  return cudaSuccess;
}
API cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t n, const struct cudaMemsetParams* p) {
  n->n = memsetNode(p);
  return cudaSuccess;
}
API cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* o, cudaGraph_t g, const cudaGraphNode_t* d, size_t n,
                                     const struct cudaHostNodeParams* p) {
  Node k;
  k.kind = N_HOST;
  k.fn = p->fn;
  k.user = p->userData;
  return add(o, g, d, n, std::move(k));
}
API cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* o, cudaGraph_t g, const cudaGraphNode_t* d, size_t n,
                                           cudaGraph_t c) {
  Node k;
  k.kind = N_CHILD;
  std::map<cudaGraphNode_t, cudaGraphNode_t> m;
  k.child = cloneGraph(c, m);
  return add(o, g, d, n, std::move(k));
}
API cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t n, cudaGraph_t* g) {
  *g = n->n.child;
  return cudaSuccess;
}
API cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* o, cudaGraph_t g, const cudaGraphNode_t* d, size_t n) {
  Node k;
  return add(o, g, d, n, std::move(k));
}
API cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* o, cudaGraph_t g, const cudaGraphNode_t* d, size_t n,
                                            cudaEvent_t e) {
  Node k;
  k.kind = N_EVENT_RECORD;
  k.event = e;
  return add(o, g, d, n, std::move(k));
}
API cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* o, cudaGraph_t g, const cudaGraphNode_t* d, size_t n,
                                          cudaEvent_t e) {
  Node k;
  k.kind = N_EVENT_WAIT;
  k.event = e;
  return add(o, g, d, n, std::move(k));
}
API cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* h, cudaGraph_t g, unsigned def,
                                                 unsigned flags) {
  LOCK;
  static u64 next = 1;
  *h = next++;
  condDefault[*h] = {def, flags};
  condValue[*h] = def;
  g->conds.push_back({*h, def});
  return cudaSuccess;
}
API cudaError_t cudaGraphAddNode(cudaGraphNode_t* o, cudaGraph_t g, const cudaGraphNode_t* d, const cudaGraphEdgeData*,
                                 size_t n, struct cudaGraphNodeParams* p) {
  switch (p->type) {
    case cudaGraphNodeTypeKernel: {
      cudaKernelNodeParams q;
      memset(&q, 0, sizeof q);
      q.func = p->kernel.func;
      q.gridDim = p->kernel.gridDim;
      q.blockDim = p->kernel.blockDim;
      q.sharedMemBytes = p->kernel.sharedMemBytes;
      q.kernelParams = p->kernel.kernelParams;
      return cudaGraphAddKernelNode(o, g, d, n, &q);
    }
    case cudaGraphNodeTypeMemcpy:
      return cudaGraphAddMemcpyNode(o, g, d, n, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
      cudaMemsetParams q;
      q.dst = p->memset.dst;
      q.pitch = p->memset.pitch;
      q.value = p->memset.value;
      q.elementSize = p->memset.elementSize;
      q.width = p->memset.width;
      q.height = p->memset.height;
      return cudaGraphAddMemsetNode(o, g, d, n, &q);
    }
    case cudaGraphNodeTypeHost: {
      Node k;
      k.kind = N_HOST;
      k.fn = p->host.fn;
      k.user = p->host.userData;
      return add(o, g, d, n, std::move(k));
    }
    case cudaGraphNodeTypeEmpty:
      return cudaGraphAddEmptyNode(o, g, d, n);
    case cudaGraphNodeTypeGraph:
      return cudaGraphAddChildGraphNode(o, g, d, n, p->graph.graph);
    case cudaGraphNodeTypeConditional: {
      Node k;
      k.kind = N_COND;
      k.cond = p->conditional.handle;
      k.condType = p->conditional.type;
      for (unsigned i = 0; i < p->conditional.size; i++) k.bodies.push_back(new CUgraph_st);
      cudaGraphNode_t q;
      cudaError_t e = add(&q, g, d, n, std::move(k));
      if (e) return e;
      if (o) *o = q;
      p->conditional.phGraph_out = q->n.bodies.data();
      return cudaSuccess;
    }
    default:
      RET(cudaErrorNotSupported);
  }
}
