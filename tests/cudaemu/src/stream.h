// SPDX-License-Identifier: MIT
// What streams, events, capture and graphs share.
#pragma once
#include "runtime.h"

namespace emu {
extern CUstream_st legacyStream, perThreadStream;
extern std::set<cudaStream_t> streams;
unsigned long long nextStreamId();
cudaStream_t norm(cudaStream_t s);  // the object behind a handle
bool valid(cudaStream_t s);

// CUDAEMU_ASYNC: streams with queues
void drain(cudaStream_t s, cudaEvent_t until = nullptr, u64 ver = 0);
void orderLegacy(cudaStream_t s);
void deferEvent(cudaStream_t s, Pending::What w, cudaEvent_t e);

// graphs
cudaGraphNode_t addNode(cudaGraph_t g, Node&& n, const std::vector<cudaGraphNode_t>& deps);
std::vector<cudaGraphNode_t> topo(cudaGraph_t g);  // in an order of execution; empty if there is a cycle
cudaGraph_t cloneGraph(cudaGraph_t g, std::map<cudaGraphNode_t, cudaGraphNode_t>& m);
void freeGraph(cudaGraph_t g);
void assignConditionals(cudaGraph_t g);  // the default values, at the start of a launch
cudaError_t kernelNode(Node& n, const cudaKernelNodeParams* p);
bool nodeFrom3D(const cudaMemcpy3DParms* p, Node& n);
Node copyNode(void* d, const void* s, size_t bytes, cudaMemcpyKind k);
Node memsetNode(const cudaMemsetParams* p);
}  // namespace emu
