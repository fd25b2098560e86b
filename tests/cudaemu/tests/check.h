// SPDX-License-Identifier: MIT
// Helpers of the cudaemu tests: every case prints "PASS name" or "FAIL name".
#pragma once
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
static int failures = 0;
static void report(const char* name, bool ok) {
  printf("%s %s\n", ok ? "PASS" : "FAIL", name);
  fflush(stdout);
  if (!ok) ++failures;
}
#define CK(e)                                                                        \
  do {                                                                               \
    cudaError_t e_ = (e);                                                            \
    if (e_ != cudaSuccess) {                                                         \
      printf("FAIL %s:%d %s: %s\n", __FILE__, __LINE__, #e, cudaGetErrorString(e_)); \
      ++failures;                                                                    \
    }                                                                                \
  } while (0)
template <class T>
T* dev(const std::vector<T>& h) {
  T* d;
  CK(cudaMalloc(&d, h.size() * sizeof(T)));
  CK(cudaMemcpy(d, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice));
  return d;
}
template <class T>
T* devn(size_t n) {
  T* d;
  CK(cudaMalloc(&d, n * sizeof(T)));
  CK(cudaMemset(d, 0, n * sizeof(T)));
  return d;
}
template <class T>
std::vector<T> host(const T* d, size_t n) {
  std::vector<T> h(n);
  CK(cudaMemcpy(h.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost));
  return h;
}
