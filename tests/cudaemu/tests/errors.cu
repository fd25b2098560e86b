// SPDX-License-Identifier: MIT
// Programs with a mistake; run.sh checks what the emulator says. usage: errors <case>
#include "check.h"

#include <cassert>
#include <string>

__global__ void write(int* p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) p[i] = i;
}
__global__ void readOne(const int* p, int* o, int k) {
  o[threadIdx.x] = p[threadIdx.x * k];
}
__global__ void mis(char* p) {
  *(int*)(p + 1 + threadIdx.x * 4) = 3;
}
__global__ void raceShared(int* o) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = t; /* missing __syncthreads() */
  o[t] = s[255 - t];
}
__global__ void noRaceShared(int* o) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  o[t] = s[255 - t];
}
__global__ void raceGlobal(int* o) {
  o[0] += threadIdx.x + blockIdx.x;
}
__global__ void raceWarp(int* o) {
  if (threadIdx.x & 1)
    o[0] = 1;
  else
    o[0] = 2;
}
__global__ void setTo(int* o, int v) {
  o[threadIdx.x] = v;
}
__global__ void copyTo(int* o, const int* p) {
  o[threadIdx.x] = p[threadIdx.x];
}
__global__ void raceBlocks(int* o) {
  if (threadIdx.x == 0) o[0] = blockIdx.x;
}
__device__ int flag;
__device__ int data;
__global__ void okFlag(int* o) {
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) {
      data = 42;
      __threadfence();
      atomicExch(&flag, 1);
    }
  } else if (threadIdx.x == 0) {
    while (atomicAdd(&flag, 0) == 0) {
    }
    __threadfence();
    o[0] = data;
  }
}
__global__ void deadlock(int* o) {
  __shared__ int x;
  if (threadIdx.x < 32) {
    asm volatile("bar.sync 1, 64;" ::: "memory");
  }
  x = 1;
  __syncthreads();
  o[0] = x;
}
__global__ void assertK(int n) {
  assert((int)threadIdx.x < n);
}
__global__ void trapK() {
  asm volatile("trap;");
}
__global__ void sharedOob(int* o) {
  __shared__ int s[32];
  s[threadIdx.x + 10] = 1;
  __syncthreads();
  o[threadIdx.x] = s[threadIdx.x & 31];
}
__global__ void endless(int* p) {
  while (*(volatile int*)p == 0) {
  }
}
__global__ void localOob(int* o, int k) {
  int a[8];
  for (int i = 0; i < 8; i++) a[i] = i;
  o[threadIdx.x] = a[k + threadIdx.x];
}
__global__ void bytes(unsigned char* o, int stride) {  // neighbours in one word: no race; the same byte: a race
  o[threadIdx.x * stride] = (unsigned char)threadIdx.x;
}
__global__ void unsupported(float* o) {
  asm("min.xorsign.abs.f32 %0, %1, %2;" : "=f"(o[0]) : "f"(1.0f), "f"(o[1]));
}
template <class T>
struct WrapperWithAVeryLongNameSoThatTheNameOfTheKernelBecomesLong {};
template <class T>
using Wrap = WrapperWithAVeryLongNameSoThatTheNameOfTheKernelBecomesLong<T>;
template <class T>
__global__ void longName(int* p) {
  p[threadIdx.x] = 1;
}
int main(int c, char** v) {
  std::string k = c > 1 ? v[1] : "";
  int* d;
  cudaMalloc(&d, 1000 * 4);
  int* e;
  cudaMalloc(&e, 1024 * 4);
  if (k == "oob")
    write<<<8, 128>>>(d, 1000);
  else if (k == "uaf") {
    int* f;
    cudaMalloc(&f, 400);
    cudaFree(f);
    write<<<1, 32>>>(f, 10);
  } else if (k == "null")
    write<<<1, 32>>>(nullptr, 10);
  else if (k == "hostptr") {
    static int hostmem[64];
    write<<<1, 32>>>(hostmem, 10);
  } else if (k == "misaligned")
    mis<<<1, 32>>>((char*)d);
  else if (k == "race-shared")
    raceShared<<<1, 256>>>(e);
  else if (k == "norace-shared")
    noRaceShared<<<1, 256>>>(e);
  else if (k == "race-global") {
    cudaMemset(e, 0, 4);
    raceGlobal<<<1, 64>>>(e);
  } else if (k == "race-warp")
    raceWarp<<<1, 32>>>(e);
  else if (k == "race-blocks")
    raceBlocks<<<4, 32>>>(e);
  else if (k == "norace-flag")
    okFlag<<<2, 32>>>(e);
  else if (k == "uninit")
    readOne<<<1, 32>>>(d, e, 2);
  else if (k == "init") {
    cudaMemset(d, 0, 4000);
    readOne<<<1, 32>>>(d, e, 2);
  } else if (k == "deadlock")
    deadlock<<<1, 64>>>(e);
  else if (k == "bytes")
    bytes<<<1, 64>>>((unsigned char*)e, 1);
  else if (k == "race-bytes")
    bytes<<<1, 64>>>((unsigned char*)e, 0);
  else if (k == "unsupported")
    unsupported<<<1, 32>>>((float*)e);
  else if (k == "long-name")
    longName<Wrap<Wrap<Wrap<Wrap<Wrap<Wrap<Wrap<Wrap<int>>>>>>>>><<<1, 32>>>(nullptr);
  else if (k == "assert")
    assertK<<<1, 32>>>(20);
  else if (k == "trap")
    trapK<<<1, 32>>>();
  else if (k == "shared-oob")
    sharedOob<<<1, 32>>>(e);
  else if (k == "local-oob")
    localOob<<<1, 32>>>(e, 100000);
  else if (k == "endless") {
    cudaMemset(e, 0, 4);
    endless<<<1, 32>>>(e);
  } else if (k == "double-free") {
    int* f;
    cudaMalloc(&f, 400);
    cudaFree(f);
    printf("second free: %s\n", cudaGetErrorName(cudaFree(f)));
  } else if (k == "memcpy-oob") {
    int h[2000];
    printf("copy: %s\n", cudaGetErrorName(cudaMemcpy(h, d, 4001, cudaMemcpyDeviceToHost)));
  } else if (k == "host-deref") {
    printf("host reads device memory: %d\n", d[0]);
  } else if (k == "leak") {
    return 0;
  } else if (k == "missing-sync" || k == "with-sync") {  // host reads pinned memory before the copy has been waited for
    int* h;
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaMallocHost(&h, 128);
    h[0] = -1;
    setTo<<<1, 32, 0, s>>>(d, 7);
    cudaMemcpyAsync(h, d, 128, cudaMemcpyDeviceToHost, s);
    if (k == "with-sync") cudaStreamSynchronize(s);
    printf("host sees %d\n", h[0]);
    cudaStreamSynchronize(s);
    cudaFreeHost(h);
    cudaStreamDestroy(s);
  } else if (k == "missing-wait" || k == "with-wait") {  // the second stream does not wait for the first
    int h[32];
    cudaStream_t s, t;
    cudaEvent_t ev;
    cudaEventCreate(&ev);
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaMemset(d, 0, 128);
    setTo<<<1, 32, 0, s>>>(d, 7);
    cudaEventRecord(ev, s);
    if (k == "with-wait") cudaStreamWaitEvent(t, ev, 0);
    copyTo<<<1, 32, 0, t>>>(e, d);
    cudaDeviceSynchronize();
    cudaMemcpy(h, e, 128, cudaMemcpyDeviceToHost);
    printf("second stream sees %d\n", h[0]);
    cudaStreamDestroy(s);
    cudaStreamDestroy(t);
    cudaEventDestroy(ev);
  } else if (k == "ok") {
    write<<<8, 128>>>(d, 999);
  } else {
    printf("unknown case\n");
    return 2;
  }
  cudaError_t r = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorName(r));
  if (r != cudaSuccess) return 3;
  cudaFree(d);
  cudaFree(e);
  return 0;
}
