// SPDX-License-Identifier: MIT
// Graphs: queries and edits of nodes and edges.
#include "stream.h"

#include <algorithm>

using namespace emu;
API cudaError_t cudaGraphGetNodes(cudaGraph_t g, cudaGraphNode_t* o, size_t* n) {
  LOCK;
  if (!o) {
    *n = g->nodes.size();
    return cudaSuccess;
  }
  size_t m = std::min(*n, g->nodes.size());
  for (size_t i = 0; i < *n; i++) o[i] = i < m ? g->nodes[i] : nullptr;
  *n = m;
  return cudaSuccess;
}
API cudaError_t cudaGraphGetRootNodes(cudaGraph_t g, cudaGraphNode_t* o, size_t* n) {
  LOCK;
  std::vector<cudaGraphNode_t> r;
  for (auto* k : g->nodes)
    if (k->deps.empty()) r.push_back(k);
  if (o)
    for (size_t i = 0; i < *n && i < r.size(); i++) o[i] = r[i];
  *n = r.size();
  return cudaSuccess;
}
API cudaError_t cudaGraphGetEdges(cudaGraph_t g, cudaGraphNode_t* f, cudaGraphNode_t* t, cudaGraphEdgeData* ed,
                                  size_t* n) {
  LOCK;
  size_t c = 0;
  for (auto* k : g->nodes)
    for (auto* d : k->deps) {
      if (f && c < *n) {
        f[c] = d;
        t[c] = k;
        if (ed) memset(&ed[c], 0, sizeof *ed);
      }
      ++c;
    }
  *n = c;
  return cudaSuccess;
}
API cudaError_t cudaGraphNodeGetType(cudaGraphNode_t n, enum cudaGraphNodeType* t) {
  switch (n->n.kind) {
    case N_KERNEL:
      *t = cudaGraphNodeTypeKernel;
      break;
    case N_MEMCPY:
      *t = cudaGraphNodeTypeMemcpy;
      break;
    case N_MEMSET:
      *t = cudaGraphNodeTypeMemset;
      break;
    case N_HOST:
      *t = cudaGraphNodeTypeHost;
      break;
    case N_CHILD:
      *t = cudaGraphNodeTypeGraph;
      break;
    case N_EVENT_RECORD:
      *t = cudaGraphNodeTypeEventRecord;
      break;
    case N_EVENT_WAIT:
      *t = cudaGraphNodeTypeWaitEvent;
      break;
    case N_ALLOC:
      *t = cudaGraphNodeTypeMemAlloc;
      break;
    case N_FREE:
      *t = cudaGraphNodeTypeMemFree;
      break;
    case N_COND:
      *t = cudaGraphNodeTypeConditional;
      break;
    default:
      *t = cudaGraphNodeTypeEmpty;
  }
  return cudaSuccess;
}
API cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t k, cudaGraphNode_t* o, cudaGraphEdgeData*, size_t* n) {
  if (o)
    for (size_t i = 0; i < *n && i < k->deps.size(); i++) o[i] = k->deps[i];
  *n = k->deps.size();
  return cudaSuccess;
}
API cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t k, cudaGraphNode_t* o, cudaGraphEdgeData*, size_t* n) {
  size_t c = 0;
  for (auto* q : k->graph->nodes)
    for (auto* d : q->deps)
      if (d == k) {
        if (o && c < *n) o[c] = q;
        ++c;
      }
  *n = c;
  return cudaSuccess;
}
API cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t* f, const cudaGraphNode_t* t,
                                         const cudaGraphEdgeData*, size_t n) {
  for (size_t i = 0; i < n; i++) t[i]->deps.push_back(f[i]);
  return cudaSuccess;
}
API cudaError_t cudaGraphRemoveDependencies(cudaGraph_t, const cudaGraphNode_t* f, const cudaGraphNode_t* t,
                                            const cudaGraphEdgeData*, size_t n) {
  for (size_t i = 0; i < n; i++) {
    auto& d = t[i]->deps;
    d.erase(std::remove(d.begin(), d.end(), f[i]), d.end());
  }
  return cudaSuccess;
}
API cudaError_t cudaGraphDestroyNode(cudaGraphNode_t n) {
  LOCK;
  auto* g = n->graph;
  for (auto* k : g->nodes) k->deps.erase(std::remove(k->deps.begin(), k->deps.end(), n), k->deps.end());
  g->nodes.erase(std::remove(g->nodes.begin(), g->nodes.end(), n), g->nodes.end());
  delete n;
  return cudaSuccess;
}
API cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* o, cudaGraphNode_t n, cudaGraph_t c) {
  for (auto* k : c->nodes)
    if (k->id == n->id) {
      *o = k;
      return cudaSuccess;
    }
  RET(cudaErrorInvalidValue);
}
API cudaError_t cudaGraphDebugDotPrint(cudaGraph_t g, const char* path, unsigned) {
  LOCK;
  FILE* f = fopen(path, "w");
  if (!f) RET(cudaErrorInvalidValue);
  fprintf(f, "digraph g {\n");
  for (auto* n : g->nodes) {
    fprintf(f, " n%llu [label=\"%s\"];\n", n->id, n->n.kind == N_KERNEL ? demangle(n->n.call.k->name).c_str() : "node");
    for (auto* d : n->deps) fprintf(f, " n%llu -> n%llu;\n", d->id, n->id);
  }
  fprintf(f, "}\n");
  fclose(f);
  return cudaSuccess;
}
