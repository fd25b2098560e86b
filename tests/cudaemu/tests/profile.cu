// SPDX-License-Identifier: MIT
// Kernels with known counts; run.sh compares the JSON profile with the expected numbers.
#include "check.h"

#include <cuda_profiler_api.h>

__global__ void coalesced(const float* a, float* b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = a[i];
}
__global__ void strided(const float* a, float* b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = a[i * 8];
}
__global__ void broadcast(const float* a, float* b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = a[blockIdx.x];
}
__global__ void vec4(const float4* a, float4* b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = a[i];
}
template <int S>
__global__ void banks(float* o) {
  __shared__ float s[32 * 33];
  volatile float* v = s;
  v[threadIdx.x * S] = 1.f;
  o[threadIdx.x] = threadIdx.x;
}
__global__ void atomicsSame(int* p) {
  atomicAdd(p, 1);
}
__global__ void atomicsOwn(int* p) {
  atomicAdd(p + threadIdx.x, 1);
}
__global__ void half(int* p) {
  if (threadIdx.x & 1) p[threadIdx.x] = 1;
}
__global__ void bars(int* p) {
  __syncthreads();
  __syncthreads();
  p[threadIdx.x] = 1;
}
int main() {
  float* a = devn<float>(1 << 16);
  float* b = devn<float>(1 << 16);
  cudaProfilerStart();
  coalesced<<<4, 256>>>(a, b);
  coalesced<<<4, 256>>>(a, b);
  strided<<<4, 256>>>(a, b);
  broadcast<<<4, 256>>>(a, b);
  vec4<<<1, 256>>>((float4*)a, (float4*)b);
  banks<1><<<1, 32>>>(b);
  banks<2><<<1, 32>>>(b);
  banks<32><<<1, 32>>>(b);
  banks<33><<<1, 32>>>(b);
  atomicsSame<<<1, 64>>>((int*)b);
  atomicsOwn<<<1, 64>>>((int*)b);
  half<<<1, 64>>>((int*)b);
  bars<<<2, 128>>>((int*)b);
  CK(cudaDeviceSynchronize());
  auto h = host(b, 16);
  cudaProfilerStop();
  coalesced<<<4, 256>>>(a, b);
  CK(cudaDeviceSynchronize());
  cudaFree(a);
  cudaFree(b);
  return failures;
}
