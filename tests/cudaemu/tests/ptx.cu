// SPDX-License-Identifier: MIT
// Semantics that the PTX manual fixes and a plain C++ program does not show.
#include "check.h"

#include <xmmintrin.h>
#include <cstdint>

// cvt of NaN: 0 between types of 32 bits, otherwise the top bit of the destination
__global__ void nan_to_int(float f, double d, unsigned long long* o) {
  o[0] = (unsigned)__float2int_rz(f);
  o[1] = __float2uint_rz(f);
  o[2] = (unsigned long long)__float2ll_rz(f);
  o[3] = __float2ull_rz(f);
  o[4] = (unsigned)__double2int_rz(d);
  o[5] = __double2uint_rz(d);
  o[6] = (unsigned long long)__double2ll_rz(d);
  o[7] = __double2ull_rz(d);
}
static void test_nan_to_int() {
  auto* o = devn<unsigned long long>(8);
  nan_to_int<<<1, 1>>>(nanf(""), nan(""), o);
  auto h = host(o, 8);
  const unsigned long long top = 1ull << 63, want[8] = {0, 0, top, top, 1ull << 31, 1ull << 31, top, top};
  bool ok = true;
  for (int i = 0; i < 8; i++) ok &= h[i] == want[i];
  report("conversion of NaN to integers", ok);
  cudaFree(o);
}
// .ftz flushes inputs also where no arithmetic happens
__global__ void flush(const float* x, float* o) {
  float a = x[0], b = x[1];  // subnormal, of either sign
  asm("abs.ftz.f32 %0, %1;" : "=f"(o[0]) : "f"(b));
  asm("neg.ftz.f32 %0, %1;" : "=f"(o[1]) : "f"(a));
  asm("min.ftz.f32 %0, %1, %2;" : "=f"(o[2]) : "f"(a), "f"(1.0f));
  asm("max.ftz.f32 %0, %1, %2;" : "=f"(o[3]) : "f"(b), "f"(-1.0f));
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(o[4]) : "f"(a));
  asm("add.ftz.f32 %0, %1, %2;" : "=f"(o[5]) : "f"(a), "f"(a));
  asm("abs.f32 %0, %1;" : "=f"(o[6]) : "f"(b));
  asm("min.f32 %0, %1, %2;" : "=f"(o[7]) : "f"(a), "f"(1.0f));
}
static void test_flush() {
  std::vector<float> x = {1e-40f, -1e-40f};
  float *d = dev(x), *o = devn<float>(8);
  flush<<<1, 1>>>(d, o);
  auto h = host(o, 8);
  bool ok = h[0] == 0 && !std::signbit(h[0]) && h[1] == 0 && std::signbit(h[1]) && h[2] == 0 && h[3] == 0 &&
            std::signbit(h[3]) && h[4] == -INFINITY && h[5] == 0 && h[6] == 1e-40f && h[7] == 1e-40f;
  for (int i = 0; i < 8 && !ok; i++) printf("flush %d: %g\n", i, h[i]);
  report(".ftz and subnormal numbers", ok);
  cudaFree(d);
  cudaFree(o);
}
// the host's rounding mode, flush-to-zero mode and traps do not reach the kernel
__global__ void arithmetic(const float* x, float* o) {
  o[0] = x[0] * 0.5f;  // subnormal
  o[1] = 1.0f / x[1];
  o[2] = x[2] / x[3];  // 0 / 0
}
static void test_host_environment() {
  std::vector<float> x = {1e-40f, 3.0f, 0.0f, 0.0f};
  float *d = dev(x), *o = devn<float>(3);
  const unsigned before = _mm_getcsr();
  const unsigned odd = (before & ~(0x8040u | 0x6000u | _MM_MASK_MASK)) | 0x8040u | _MM_ROUND_UP |
                       (_MM_MASK_MASK & ~(_MM_MASK_INVALID | _MM_MASK_DIV_ZERO));
  _mm_setcsr(odd);
  arithmetic<<<1, 1>>>(d, o);
  cudaDeviceSynchronize();
  const unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  auto h = host(o, 3);
  volatile float half = 1e-40f * 0.5f, third = 1.0f / 3.0f;
  report("kernels do not see the host's floating-point environment",
         h[0] == half && h[1] == third && h[2] != h[2] && (after & ~0x3fu) == (odd & ~0x3fu));
  cudaFree(d);
  cudaFree(o);
}
// f32 atomics flush in global memory, not in shared memory
__global__ void atomic_flush(float* g, float* s) {
  __shared__ float sum;
  sum = 0;
  atomicAdd(g, 1e-40f);
  atomicAdd(&sum, 1e-40f);
  *s = sum;
}
static void test_atomic_flush() {
  float* o = devn<float>(2);
  atomic_flush<<<1, 1>>>(o, o + 1);
  auto h = host(o, 2);
  report("subnormal numbers in atomicAdd", h[0] == 0 && h[1] == 1e-40f);
  cudaFree(o);
}
// a vector access is one access, with several host threads too (CUDAEMU_THREADS)
__global__ void writer_reader(int2* p2, longlong2* p4, int n, int* torn) {
  for (int i = 1; i <= n; i++) {
    if (blockIdx.x == 0) {
      asm volatile("st.volatile.global.v2.s32 [%0], {%1, %2};" ::"l"(p2), "r"(i), "r"(~i) : "memory");
      asm volatile("st.volatile.global.v2.s64 [%0], {%1, %2};" ::"l"(p4), "l"((long long)i), "l"(~(long long)i)
                   : "memory");
    } else {
      int a, b;
      long long c, d;
      asm volatile("ld.volatile.global.v2.s32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(p2) : "memory");
      asm volatile("ld.volatile.global.v2.s64 {%0, %1}, [%2];" : "=l"(c), "=l"(d) : "l"(p4) : "memory");
      if (a != ~b || c != ~d) atomicAdd(torn, 1);
    }
  }
}
static void test_vector_access() {
  std::vector<int> start = {0, ~0, 0, 0, 0, 0, ~0, ~0};
  int *p = dev(start), *torn = devn<int>(1);
  writer_reader<<<2, 1>>>((int2*)p, (longlong2*)(p + 4), 100000, torn);
  report("vector accesses are not torn", host(torn, 1)[0] == 0);
  cudaFree(p);
  cudaFree(torn);
}
// forms of constants that nvcc does not write itself
__global__ void constants(const int* x, int* o) {
  asm("{ .reg .u32 t; ld.global.u32 t, [%1 + ~-5]; mov.u32 %0, t; }" : "=r"(o[0]) : "l"(x));
  asm("{ .reg .f32 t; mov.f32 t, 0.25; mov.b32 %0, t; }" : "=r"(o[1]));
  asm("mov.u32 %0, 0b1011;" : "=r"(o[2]));
}
static void test_constants() {
  std::vector<int> x = {7, 8, 9};
  int *d = dev(x), *o = devn<int>(3);
  constants<<<1, 1>>>(d, o);
  auto h = host(o, 3);
  report("constant expressions", h[0] == 8 && h[1] == 0x3e800000 && h[2] == 11);
  cudaFree(d);
  cudaFree(o);
}
int main() {
  test_nan_to_int();
  test_flush();
  test_host_environment();
  test_atomic_flush();
  test_vector_access();
  test_constants();
  printf(failures ? "%d FAILURES\n" : "all passed\n", failures);
  return failures != 0;
}
