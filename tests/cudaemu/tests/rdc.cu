// SPDX-License-Identifier: MIT
// Separate compilation (-rdc=true): functions, function pointers, virtual functions and variables of another file.
#include "check.h"
#include "rdc.h"

__global__ void across(int* o) {
  const int t = threadIdx.x;
  Shape* s = make_square(t);
  o[t] = s->area() + ops[t & 1](t);
  atomicAdd(&calls, 1);
}
int main() {
  int* d = devn<int>(64);
  across<<<1, 64>>>(d);
  CK(cudaDeviceSynchronize());
  auto h = host(d, 64);
  int n = 0;
  CK(cudaMemcpyFromSymbol(&n, calls, sizeof n));
  bool ok = n == 104;
  for (int t = 0; t < 64; t++) ok &= h[t] == t * t + (t & 1 ? t + 1 : 2 * t);
  report("calls, virtual functions and variables across translation units", ok);
  cudaFree(d);
  printf(failures ? "%d FAILURES\n" : "all passed\n", failures);
  return failures != 0;
}
