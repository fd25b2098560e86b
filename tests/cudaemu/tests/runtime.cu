// SPDX-License-Identifier: MIT
// The runtime API where programs rarely go: exhausted memory, capture and threads, callbacks, order of blocking calls.
#include "check.h"

#include <cstdint>
#include <thread>

__global__ void fill(int* p, int v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = v;
}
static void test_huge_allocations() {
  bool ok = true;
  for (size_t n : {SIZE_MAX, SIZE_MAX - 511, (size_t)1 << 63, (size_t)1 << 45}) {
    void* p = &p;
    ok &= cudaMalloc(&p, n) == cudaErrorMemoryAllocation && !p;
    ok &= cudaMallocHost(&p, n) == cudaErrorMemoryAllocation && !p;
    ok &= cudaMallocManaged(&p, n) == cudaErrorMemoryAllocation && !p;
  }
  ok &= cudaGetLastError() == cudaErrorMemoryAllocation;
  int* d = devn<int>(32);
  fill<<<1, 32>>>(d, 5, 32);
  report("allocations that cannot succeed", ok && host(d, 32)[31] == 5);
  cudaFree(d);
}
// more allocations, in address space and in number, than are kept back after a free
static void test_many_allocations() {
  size_t free_bytes = 0, total = 0;
  CK(cudaMemGetInfo(&free_bytes, &total));
  bool ok = true;
  std::vector<void*> held;
  for (int i = 0; i < 3000 && ok; i++) {
    void* p = nullptr;
    ok &= cudaMalloc(&p, (1 << 20) + (size_t)i * 4096) == cudaSuccess;
    held.push_back(p);
    if (held.size() > 7) {
      ok &= cudaFree(held[i % 7]) == cudaSuccess;
      held[i % 7] = held.back();
      held.pop_back();
    }
  }
  for (void* p : held) ok &= cudaFree(p) == cudaSuccess;
  for (int i = 0; i < 2000 && ok; i++) {
    int* p = nullptr;
    ok &= cudaMallocHost(&p, 1 << 20) == cudaSuccess;
    if (p) p[0] = i;
    ok &= cudaFreeHost(p) == cudaSuccess;
  }
  size_t free_after = 0;
  CK(cudaMemGetInfo(&free_after, &total));
  report("many allocations", ok && free_after == free_bytes && free_bytes <= total);
}
static void test_capture_and_threads() {
  cudaStream_t s;
  CK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  int* d = devn<int>(32);
  bool ok = true;
  for (auto mode : {cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeGlobal, cudaStreamCaptureModeRelaxed}) {
    cudaGraph_t g = nullptr;
    CK(cudaStreamBeginCapture(s, mode));
    fill<<<1, 32, 0, s>>>(d, 3, 32);
    cudaError_t e = cudaSuccess;
    std::thread([&] {  // only a capture in global mode is in the way of another thread
      void* p = nullptr;
      e = cudaMalloc(&p, 64);
      if (e == cudaSuccess) cudaFree(p);
    })
        .join();
    const bool refused = mode == cudaStreamCaptureModeGlobal;
    ok &= e == (refused ? cudaErrorStreamCaptureUnsupported : cudaSuccess);
    ok &= cudaStreamEndCapture(s, &g) == (refused ? cudaErrorStreamCaptureInvalidated : cudaSuccess);
    if (g) CK(cudaGraphDestroy(g));
  }
  cudaGetLastError();
  report("capture modes and other threads", ok);
  CK(cudaStreamDestroy(s));
  cudaFree(d);
}
struct Seen {
  int* pinned;
  int value = -1;
  cudaStream_t stream = nullptr;
};
static void on_done(cudaStream_t s, cudaError_t, void* u) {
  auto* seen = (Seen*)u;
  seen->value = seen->pinned[0];
  seen->stream = s;
}
static void test_callback() {
  cudaStream_t s;
  CK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  int *d = devn<int>(32), *h;
  CK(cudaMallocHost(&h, 128));
  h[0] = 0;
  Seen seen{h};
  fill<<<1, 32, 0, s>>>(d, 9, 32);
  CK(cudaMemcpyAsync(h, d, 128, cudaMemcpyDeviceToHost, s));
  CK(cudaStreamAddCallback(s, on_done, &seen, 0));
  CK(cudaStreamSynchronize(s));
  report("a callback runs after the work before it", seen.value == 9 && seen.stream == s);
  CK(cudaStreamDestroy(s));
  CK(cudaFreeHost(h));
  cudaFree(d);
}
static void test_blocking_memset() {
  cudaStream_t s;
  CK(cudaStreamCreate(&s));
  int* d = devn<int>(64);
  fill<<<1, 64, 0, s>>>(d, 1, 64);
  CK(cudaMemset2D(d, 128, 0, 128, 1));
  cudaPitchedPtr p = make_cudaPitchedPtr(d + 32, 128, 128, 1);
  CK(cudaMemset3D(p, 0, make_cudaExtent(64, 1, 1)));
  auto h = host(d, 64);
  report("blocking memsets come after earlier work", h[0] == 0 && h[31] == 0 && h[32] == 0 && h[47] == 0 && h[48] == 1);
  CK(cudaStreamDestroy(s));
  cudaFree(d);
}
static void test_free_async() {
  cudaStream_t s;
  CK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  size_t before = 0, after = 0, total = 0;
  CK(cudaMemGetInfo(&before, &total));
  int *p, *h;
  CK(cudaMallocHost(&h, 128));
  CK(cudaMallocAsync(&p, 4096, s));
  fill<<<1, 32, 0, s>>>(p, 4, 32);
  CK(cudaMemcpyAsync(h, p, 128, cudaMemcpyDeviceToHost, s));
  CK(cudaFreeAsync(p, s));
  CK(cudaStreamSynchronize(s));
  CK(cudaMemGetInfo(&after, &total));
  report("stream-ordered allocation", h[31] == 4 && before == after);
  CK(cudaFreeHost(h));
  CK(cudaStreamDestroy(s));
}
int main() {
  test_huge_allocations();
  test_many_allocations();
  test_capture_and_threads();
  test_callback();
  test_blocking_memset();
  test_free_async();
  printf(failures ? "%d FAILURES\n" : "all passed\n", failures);
  return failures != 0;
}
