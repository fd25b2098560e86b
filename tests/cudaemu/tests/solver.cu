// SPDX-License-Identifier: MIT
// A small particle solver with a hash grid, captured in a graph: a realistic mix, equal to a host copy bit by bit.
// code
#include "check.h"

#include <algorithm>
#include <cub/device/device_radix_sort.cuh>

#define HD __host__ __device__
struct P3 {
  float x, y, z;
};
HD inline int cell(P3 p) {
  int x = (int)floorf(p.x), y = (int)floorf(p.y), z = (int)floorf(p.z);
  x = x < 0 ? 0 : x > 31 ? 31 : x;
  y = y < 0 ? 0 : y > 31 ? 31 : y;
  z = z < 0 ? 0 : z > 31 ? 31 : z;
  return (z * 32 + y) * 32 + x;
}
HD inline void pushOne(int i, const P3* p, const int* start, const int* end, const int* order, P3* out) {
  P3 a = p[i];
  P3 d = {0, 0, 0};
  int c = cell(a);
  int cx = c & 31, cy = c >> 5 & 31, cz = c >> 10;
  for (int dz = -1; dz <= 1; dz++)
    for (int dy = -1; dy <= 1; dy++)
      for (int dx = -1; dx <= 1; dx++) {
        int x = cx + dx, y = cy + dy, z = cz + dz;
        if (x < 0 || y < 0 || z < 0 || x > 31 || y > 31 || z > 31) continue;
        int q = (z * 32 + y) * 32 + x;
        for (int k = start[q]; k < end[q]; k++) {
          int j = order[k];
          if (j == i) continue;
          P3 b = p[j];
          float ex = a.x - b.x, ey = a.y - b.y, ez = a.z - b.z;
          float r2 = ex * ex + ey * ey + ez * ez;
          if (r2 < 1.f && r2 > 1e-12f) {
            float r = sqrtf(r2), s = 0.5f * (1.f - r) / r;
            d.x += ex * s;
            d.y += ey * s;
            d.z += ez * s;
          }
        }
      }
  float g = a.y > 0.5f ? -0.02f : 0.f;
  out[i] = {a.x + d.x, a.y + d.y + g, a.z + d.z};
}
__global__ void keys(const P3* p, int* k, int* v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    k[i] = cell(p[i]);
    v[i] = i;
  }
}
__global__ void ranges(const int* k, int* s, int* e, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int c = k[i];
  if (i == 0 || k[i - 1] != c) s[c] = i;
  if (i == n - 1 || k[i + 1] != c) e[c] = i + 1;
}
__global__ void push(const P3* p, const int* s, const int* e, const int* o, P3* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) pushOne(i, p, s, e, o, out);
}
int main() {
  int n = 8000, C = 32768;
  std::vector<P3> h(n);
  unsigned s = 1;
  auto r = [&] {
    s = s * 1664525u + 1013904223u;
    return (s >> 8) / 16777216.f;
  };
  for (auto& p : h) p = {r() * 18, r() * 18, r() * 18};
  P3 *a = dev(h), *b = devn<P3>(n);
  int *k = devn<int>(n), *v = devn<int>(n), *k2 = devn<int>(n), *v2 = devn<int>(n), *st = devn<int>(C),
      *en = devn<int>(C);
  size_t tb = 0;
  cub::DeviceRadixSort::SortPairs(nullptr, tb, k, k2, v, v2, n, 0, 15);
  void* t;
  CK(cudaMalloc(&t, tb));
  cudaStream_t q;
  CK(cudaStreamCreate(&q));
  cudaGraph_t g;
  cudaGraphExec_t x;
  CK(cudaStreamBeginCapture(q, cudaStreamCaptureModeGlobal));
  int B = (n + 127) / 128;
  keys<<<B, 128, 0, q>>>(a, k, v, n);
  CK(cub::DeviceRadixSort::SortPairs(t, tb, k, k2, v, v2, n, 0, 15, q));
  CK(cudaMemsetAsync(st, 0, C * 4, q));
  CK(cudaMemsetAsync(en, 0, C * 4, q));
  ranges<<<B, 128, 0, q>>>(k2, st, en, n);
  push<<<B, 128, 0, q>>>(a, st, en, v2, b, n);
  CK(cudaMemcpyAsync(a, b, n * sizeof(P3), cudaMemcpyDeviceToDevice, q));
  CK(cudaStreamEndCapture(q, &g));
  CK(cudaGraphInstantiate(&x, g, 0));
  int steps = 10;
  for (int i = 0; i < steps; i++) CK(cudaGraphLaunch(x, q));
  CK(cudaStreamSynchronize(q));
  auto d = host(a, n);
  for (int it = 0; it < steps; it++) {
    std::vector<int> o(n), ss(C, 0), ee(C, 0);
    std::vector<P3> out(n);
    for (int i = 0; i < n; i++) o[i] = i;
    std::stable_sort(o.begin(), o.end(), [&](int x, int y) { return cell(h[x]) < cell(h[y]); });
    for (int i = 0; i < n; i++) {
      int c = cell(h[o[i]]);
      if (i == 0 || cell(h[o[i - 1]]) != c) ss[c] = i;
      if (i == n - 1 || cell(h[o[i + 1]]) != c) ee[c] = i + 1;
    }
    for (int i = 0; i < n; i++) pushOne(i, h.data(), ss.data(), ee.data(), o.data(), out.data());
    h = out;
  }
  report("particle solver: graph, CUB and kernels equal the host bit by bit",
         memcmp(h.data(), d.data(), n * sizeof(P3)) == 0);
  cudaFree(a);
  cudaFree(b);
  cudaFree(k);
  cudaFree(v);
  cudaFree(k2);
  cudaFree(v2);
  cudaFree(st);
  cudaFree(en);
  cudaFree(t);
  cudaGraphExecDestroy(x);
  cudaGraphDestroy(g);
  cudaStreamDestroy(q);
  return failures;
}
