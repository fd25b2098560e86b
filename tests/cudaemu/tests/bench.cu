// SPDX-License-Identifier: MIT
// Speed of the emulator in lane instructions per second. Not a test: see the README.
#include "check.h"

#include <dlfcn.h>
#include <chrono>
#include <ctime>

__global__ void fmaLoop(float* o, int n) {
  float a = threadIdx.x, b = 1.0001f, c = 0.5f, d = a + 1;
  for (int i = 0; i < n; i++) {
    a = a * b + c;
    d = d * b - a;
    c = c * 0.999f + 0.1f;
    b = b * 0.99999f + 1e-6f;
  }
  o[blockIdx.x * blockDim.x + threadIdx.x] = a + d + c + b;
}
__global__ void intLoop(unsigned* o, int n) {
  unsigned a = threadIdx.x, b = 12345, c = 7;
  for (int i = 0; i < n; i++) {
    a = a * 1664525u + 1013904223u;
    b ^= a >> 7;
    c += b << 3;
    a ^= c;
  }
  o[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c;
}
__global__ void dLoop(double* o, int n) {
  double a = threadIdx.x, b = 1.0001, c = 0.5;
  for (int i = 0; i < n; i++) {
    a = a * b + c;
    c = c * 0.999 + a * 1e-3;
    b = b * 0.99999 + 1e-6;
  }
  o[blockIdx.x * blockDim.x + threadIdx.x] = a + c + b;
}
__global__ void stream(const float* a, const float* b, float* c, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) c[i] = a[i] * 2.f + b[i];
}
__global__ void gather(const int* idx, const float* a, float* c, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) c[i] = a[idx[i]];
}
__global__ void shm(float* o, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  float v = 0;
  for (int i = 0; i < n; i++) {
    v += s[(t + i) & 255];
  }
  o[blockIdx.x * 256 + t] = v;
}
__global__ void diverge(int* o, int n) {
  int t = threadIdx.x;
  int v = t;
  for (int i = 0; i < n; i++) {
    if ((v ^ i) & 1)
      v = v * 3 + 1;
    else
      v = v / 2 + i;
  }
  o[blockIdx.x * blockDim.x + t] = v;
}
static unsigned long long lanes() {
  static auto f = (unsigned long long (*)())dlsym(RTLD_DEFAULT, "cudaemuThreadInstructions");
  return f ? f() : 0;
}
template <class F>
void run(const char* name, F f) {
  f();
  CK(cudaDeviceSynchronize());
  auto n0 = lanes();
  auto c0 = clock();
  auto t0 = std::chrono::steady_clock::now();
  for (int k = 0; k < 5; k++) f();
  CK(cudaDeviceSynchronize());
  double s = std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count(),
         c = double(clock() - c0) / CLOCKS_PER_SEC;
  printf("%-12s %.3f s wall, %.3f s cpu, %.2f billion lane instructions per cpu second\n", name, s, c,
         (lanes() - n0) / c * 1e-9);
}
int main() {
  float* f = devn<float>(1 << 20);
  float* g = devn<float>(1 << 20);
  float* h = devn<float>(1 << 20);
  double* d = devn<double>(1 << 16);
  std::vector<int> ix(1 << 20);
  for (size_t i = 0; i < ix.size(); i++) ix[i] = (int)((i * 2654435761u) >> 12) & 0xfffff;
  int* di = dev(ix);
  run("fma", [&] { fmaLoop<<<64, 256>>>(f, 2000); });
  run("int", [&] { intLoop<<<64, 256>>>((unsigned*)f, 2000); });
  run("double", [&] { dLoop<<<64, 256>>>(d, 2000); });
  run("stream", [&] {
    for (int k = 0; k < 8; k++) stream<<<256, 256>>>(f, g, h, 1 << 20);
  });
  run("gather", [&] {
    for (int k = 0; k < 8; k++) gather<<<256, 256>>>(di, g, h, 1 << 20);
  });
  run("shared", [&] { shm<<<64, 256>>>(f, 1000); });
  run("diverge", [&] { diverge<<<64, 256>>>(di, 300); });
  return failures;
}
