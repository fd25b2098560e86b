// SPDX-License-Identifier: MIT
// Executable graphs: instantiation, launch and update.
#include "stream.h"

using namespace emu;
static cudaError_t instantiate(cudaGraphExec_t* o, cudaGraph_t g, unsigned long long f) {
  LOCK;
  STICKY();
  if (!g) RET(cudaErrorInvalidValue);
  auto* x = new CUgraphExec_st;
  x->flags = f;
  x->g = cloneGraph(g, x->map);
  x->order = topo(x->g);
  if (x->order.size() != x->g->nodes.size()) {
    freeGraph(x->g);
    delete x;
    RET(cudaErrorInvalidValue);
  }
  *o = x;
  return cudaSuccess;
}
API cudaError_t cudaGraphInstantiate(cudaGraphExec_t* o, cudaGraph_t g, unsigned long long f) {
  return instantiate(o, g, f);
}
API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* o, cudaGraph_t g, unsigned long long f) {
  return instantiate(o, g, f);
}
API cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* o, cudaGraph_t g, cudaGraphInstantiateParams* p) {
  p->result_out = cudaGraphInstantiateSuccess;
  return instantiate(o, g, p->flags);
}
API cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t x, unsigned long long* f) {
  *f = x->flags;
  return cudaSuccess;
}
API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t x) {
  LOCK;
  if (!x) RET(cudaErrorInvalidValue);
  freeGraph(x->g);
  delete x;
  return cudaSuccess;
}
API cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) {
  STICKY();
  return cudaSuccess;
}
API cudaError_t cudaGraphLaunch(cudaGraphExec_t x, cudaStream_t st) {
  LOCK;
  STICKY();
  cudaStream_t s = norm(st);
  if (!x || !valid(s)) RET(cudaErrorInvalidResourceHandle);
  if (s->cap) {
    Node k;
    k.kind = N_CHILD;
    std::map<cudaGraphNode_t, cudaGraphNode_t> m;
    k.child = cloneGraph(x->g, m);
    RET(submit(st, std::move(k)));
  }
  api.graphLaunches++;
  if (cfg.async) {  // a snapshot: later updates of the executable graph do not change this launch
    Node k;
    k.kind = N_CHILD;
    std::map<cudaGraphNode_t, cudaGraphNode_t> m;
    cudaGraph_t c = cloneGraph(x->g, m);
    for (auto* n : x->disabled) m.at(n)->n.kind = N_EMPTY;
    k.child = c;
    k.own = std::shared_ptr<void>(c, [](void* q) { freeGraph((cudaGraph_t)q); });
    RET(submit(st, std::move(k)));
  }
  assignConditionals(x->g);
  for (auto* n : x->order) {
    if (x->disabled.count(n)) continue;
    api.graphNodes++;
    cudaError_t e = runNode(n->n);
    if (e) RET(e);
    if (deviceError) break;
  }
  return cudaSuccess;
}
API cudaError_t cudaGraphExecUpdate(cudaGraphExec_t x, cudaGraph_t g, cudaGraphExecUpdateResultInfo* r) {
  LOCK;
  STICKY();
  if (r) memset(r, 0, sizeof *r);
  auto fail = [&](cudaGraphExecUpdateResult c) {
    if (r) r->result = c;
    return setErr(cudaErrorGraphExecUpdateFailure);
  };
  if (g->nodes.size() != x->g->nodes.size()) return fail(cudaGraphExecUpdateErrorTopologyChanged);
  std::map<cudaGraphNode_t, size_t> ia, ib;
  for (size_t i = 0; i < g->nodes.size(); i++) {
    ia[g->nodes[i]] = i;
    ib[x->g->nodes[i]] = i;
  }
  for (size_t i = 0; i < g->nodes.size(); i++) {
    auto *a = g->nodes[i], *b = x->g->nodes[i];
    if (a->n.kind != b->n.kind) return fail(cudaGraphExecUpdateErrorNodeTypeChanged);
    if (a->deps.size() != b->deps.size()) return fail(cudaGraphExecUpdateErrorTopologyChanged);
    for (size_t j = 0; j < a->deps.size(); j++)
      if (ia[a->deps[j]] != ib[b->deps[j]]) return fail(cudaGraphExecUpdateErrorTopologyChanged);
  }
  for (size_t i = 0; i < g->nodes.size(); i++) {
    auto *a = g->nodes[i], *b = x->g->nodes[i];
    auto ch = b->n.child;
    auto bo = b->n.bodies;
    b->n = a->n;
    if (a->n.child) {
      std::map<cudaGraphNode_t, cudaGraphNode_t> m;
      if (ch) freeGraph(ch);
      b->n.child = cloneGraph(a->n.child, m);
    }
    if (!a->n.bodies.empty()) {
      for (auto* q : bo) freeGraph(q);
      std::map<cudaGraphNode_t, cudaGraphNode_t> m;
      for (auto& q : b->n.bodies) q = cloneGraph(q, m);
    }
    x->map[a] = b;
  }
  if (r) r->result = cudaGraphExecUpdateSuccess;
  return cudaSuccess;
}
static Node* execNode(cudaGraphExec_t x, cudaGraphNode_t n) {
  auto it = x->map.find(n);
  return it == x->map.end() ? nullptr : &it->second->n;
}
API cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t x, cudaGraphNode_t n,
                                                 const struct cudaKernelNodeParams* p) {
  LOCK;
  Node* k = execNode(x, n);
  if (!k || k->kind != N_KERNEL) RET(cudaErrorInvalidValue);
  RET(kernelNode(*k, p));
}
API cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t x, cudaGraphNode_t n,
                                                 const struct cudaMemcpy3DParms* p) {
  LOCK;
  Node* k = execNode(x, n);
  Node q;
  if (!k || !nodeFrom3D(p, q)) RET(cudaErrorInvalidValue);
  *k = q;
  return cudaSuccess;
}
API cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t x, cudaGraphNode_t n, void* d, const void* s,
                                                   size_t c, enum cudaMemcpyKind kind) {
  LOCK;
  Node* k = execNode(x, n);
  if (!k) RET(cudaErrorInvalidValue);
  *k = copyNode(d, s, c, kind);
  return cudaSuccess;
}
API cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t x, cudaGraphNode_t n,
                                                 const struct cudaMemsetParams* p) {
  LOCK;
  Node* k = execNode(x, n);
  if (!k) RET(cudaErrorInvalidValue);
  *k = memsetNode(p);
  return cudaSuccess;
}
API cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t x, cudaGraphNode_t n,
                                               const struct cudaHostNodeParams* p) {
  LOCK;
  Node* k = execNode(x, n);
  if (!k) RET(cudaErrorInvalidValue);
  k->fn = p->fn;
  k->user = p->userData;
  return cudaSuccess;
}
API cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t x, cudaGraphNode_t n, cudaGraph_t c) {
  LOCK;
  Node* k = execNode(x, n);
  if (!k) RET(cudaErrorInvalidValue);
  if (k->child) freeGraph(k->child);
  std::map<cudaGraphNode_t, cudaGraphNode_t> m;
  k->child = cloneGraph(c, m);
  return cudaSuccess;
}
API cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t x, cudaGraphNode_t n, unsigned en) {
  LOCK;
  auto it = x->map.find(n);
  if (it == x->map.end()) RET(cudaErrorInvalidValue);
  if (en)
    x->disabled.erase(it->second);
  else
    x->disabled.insert(it->second);
  return cudaSuccess;
}
API cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t x, cudaGraphNode_t n, unsigned* en) {
  LOCK;
  auto it = x->map.find(n);
  if (it == x->map.end()) RET(cudaErrorInvalidValue);
  *en = !x->disabled.count(it->second);
  return cudaSuccess;
}
API cudaError_t cudaDeviceGraphMemTrim(int) {
  return cudaSuccess;
}
