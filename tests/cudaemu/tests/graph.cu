// SPDX-License-Identifier: MIT
// Graph capture and replay, updates, explicit graphs.
#include "check.h"
using std::vector;
__global__ void scale(float* a, float f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] *= f;
}
__global__ void addv(float* a, const float* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] += b[i];
}
static void hostInc(void* p) {
  ++*(int*)p;
}
int main() {
  const int n = 1000;
  vector<float> h(n, 1.f);
  float *a = dev(h), *b = dev(h);
  cudaStream_t s, s2;
  CK(cudaStreamCreate(&s));
  CK(cudaStreamCreate(&s2));
  cudaEvent_t e1, e2;
  CK(cudaEventCreateWithFlags(&e1, cudaEventDisableTiming));
  CK(cudaEventCreateWithFlags(&e2, cudaEventDisableTiming));
  cudaGraph_t g;
  cudaGraphExec_t x;
  int calls = 0;
  CK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  scale<<<4, 256, 0, s>>>(a, 2.f, n);
  CK(cudaEventRecord(e1, s));
  CK(cudaStreamWaitEvent(s2, e1, 0));
  scale<<<4, 256, 0, s2>>>(b, 3.f, n);
  CK(cudaEventRecord(e2, s2));
  CK(cudaStreamWaitEvent(s, e2, 0));
  addv<<<4, 256, 0, s>>>(a, b, n);
  CK(cudaMemsetAsync(b, 0, 4, s));
  CK(cudaMemcpyAsync(b + 1, a, 4, cudaMemcpyDeviceToDevice, s));
  CK(cudaLaunchHostFunc(s, hostInc, &calls));
  CK(cudaStreamEndCapture(s, &g));
  report("capture does not run the work", host(a, 1)[0] == 1.f && calls == 0);
  size_t nn = 0;
  CK(cudaGraphGetNodes(g, nullptr, &nn));
  report("node count", nn == 6);
  CK(cudaGraphInstantiate(&x, g, 0));
  float ra = 1, rb = 1, rb0 = 1, rb1 = 1;
  float ra0 = 1, ra1 = 1;
  for (int k = 0; k < 3; k++) {
    CK(cudaGraphLaunch(x, s));
    ra *= 2;
    rb *= 3;
    ra += rb;
    ra0 *= 2;
    rb0 *= 3;
    ra0 += rb0;
    rb0 = 0;
    ra1 *= 2;
    rb1 *= 3;
    ra1 += rb1;
    rb1 = ra0;
  }
  CK(cudaStreamSynchronize(s));
  {
    auto va = host(a, n);
    auto vb = host(b, n);
    report("graph replay with fork and join",
           va[5] == ra && vb[5] == rb && va[0] == ra0 && vb[0] == 0 && va[1] == ra1 && vb[1] == rb1 && calls == 3);
  }
  // update with new parameters
  CK(cudaMemcpy(a, h.data(), n * 4, cudaMemcpyHostToDevice));
  cudaGraph_t g2;
  CK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  scale<<<4, 256, 0, s>>>(a, 5.f, n);
  CK(cudaStreamEndCapture(s, &g2));
  cudaGraphExec_t x2;
  CK(cudaGraphInstantiate(&x2, g2, 0));
  CK(cudaGraphLaunch(x2, s));
  cudaGraph_t g3;
  CK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  scale<<<4, 256, 0, s>>>(a, 7.f, n);
  CK(cudaStreamEndCapture(s, &g3));
  cudaGraphExecUpdateResultInfo ri;
  CK(cudaGraphExecUpdate(x2, g3, &ri));
  CK(cudaGraphLaunch(x2, s));
  CK(cudaStreamSynchronize(s));
  report("cudaGraphExecUpdate", host(a, n)[7] == 35.f);
  bool ok = cudaGraphExecUpdate(x2, g, &ri) == cudaErrorGraphExecUpdateFailure &&
            ri.result == cudaGraphExecUpdateErrorTopologyChanged;
  cudaGetLastError();
  report("topology change is refused", ok);
  cudaGraphNode_t nodes[1];
  nn = 1;
  CK(cudaGraphGetNodes(g3, nodes, &nn));
  cudaKernelNodeParams kp;
  CK(cudaGraphKernelNodeGetParams(nodes[0], &kp));
  float f = 0.5f;
  int m = n;
  void* args[] = {&a, &f, &m};
  kp.kernelParams = args;
  cudaGraphExec_t x3;
  CK(cudaGraphInstantiate(&x3, g3, 0));
  CK(cudaGraphExecKernelNodeSetParams(x3, nodes[0], &kp));
  CK(cudaGraphLaunch(x3, s));
  CK(cudaStreamSynchronize(s));
  report("cudaGraphExecKernelNodeSetParams", host(a, n)[9] == 17.5f);
  // explicit graph
  cudaGraph_t g4;
  CK(cudaGraphCreate(&g4, 0));
  cudaGraphNode_t n1, n2, n3;
  cudaMemsetParams mp = {};
  mp.dst = a;
  mp.value = 0x3f800000;
  mp.elementSize = 4;
  mp.width = n;
  mp.height = 1;
  CK(cudaGraphAddMemsetNode(&n1, g4, nullptr, 0, &mp));
  cudaKernelNodeParams k2 = {};
  k2.func = (void*)scale;
  k2.gridDim = dim3(4);
  k2.blockDim = dim3(256);
  float q = 9;
  void* ar2[] = {&a, &q, &m};
  k2.kernelParams = ar2;
  CK(cudaGraphAddKernelNode(&n2, g4, &n1, 1, &k2));
  vector<float> out(n);
  CK(cudaGraphAddMemcpyNode1D(&n3, g4, &n2, 1, out.data(), a, n * 4, cudaMemcpyDeviceToHost));
  cudaGraphExec_t x4;
  CK(cudaGraphInstantiate(&x4, g4, 0));
  CK(cudaGraphLaunch(x4, s));
  CK(cudaStreamSynchronize(s));
  ok = true;
  for (auto v : out) ok &= v == 9.f;
  report("explicit graph", ok);
  // errors during capture
  CK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  ok = cudaDeviceSynchronize() == cudaErrorStreamCaptureUnsupported;
  cudaGraph_t bad;
  ok &= cudaStreamEndCapture(s, &bad) == cudaErrorStreamCaptureInvalidated;
  cudaGetLastError();
  report("synchronisation invalidates a capture", ok);
  CK(cudaGraphExecDestroy(x));
  CK(cudaGraphExecDestroy(x2));
  CK(cudaGraphExecDestroy(x3));
  CK(cudaGraphExecDestroy(x4));
  CK(cudaGraphDestroy(g));
  CK(cudaGraphDestroy(g2));
  CK(cudaGraphDestroy(g3));
  CK(cudaGraphDestroy(g4));
  CK(cudaFree(a));
  CK(cudaFree(b));
  CK(cudaStreamDestroy(s));
  CK(cudaStreamDestroy(s2));
  CK(cudaEventDestroy(e1));
  CK(cudaEventDestroy(e2));
  printf(failures ? "%d FAILURES\n" : "all passed\n", failures);
  return failures != 0;
}
