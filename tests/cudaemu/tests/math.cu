// SPDX-License-Identifier: MIT
// Arithmetic, conversions, bit operations and math functions against the host.
#include "check.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cfenv>
#include <climits>
using std::vector;
static unsigned long long seed = 88172645463325252ull;
static unsigned long long rnd() {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed;
}
constexpr int NI = 40;
__global__ void intOps(const unsigned* A, const unsigned* B, const unsigned long long* U, const unsigned long long* V,
                       unsigned long long* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned a = A[i], b = B[i];
  unsigned long long u = U[i], v = V[i];
  int sa = a, sb = b;
  long long su = u, sv = v;
  unsigned long long* p = o + (size_t)i * NI;
  int k = 0;
  p[k++] = __brev(a);
  p[k++] = __clz(a);
  p[k++] = __popc(a);
  p[k++] = __ffs(a);
  p[k++] = __byte_perm(a, b, 0x3715);
  p[k++] = __funnelshift_l(a, b, b & 63);
  p[k++] = __funnelshift_r(a, b, b & 31);
  p[k++] = __umulhi(a, b);
  p[k++] = (unsigned)__mulhi(sa, sb);
  p[k++] = __umul64hi(u, v);
  p[k++] = __mul64hi(su, sv);
  p[k++] = __clzll(u);
  p[k++] = __popcll(u);
  p[k++] = __brevll(u);
  p[k++] = __ffsll(u);
  p[k++] = b ? a / b : 0;
  p[k++] = b ? a % b : 0;
  p[k++] = (sb && sb != -1) ? (unsigned)(sa / sb) : 0;
  p[k++] = (sb && sb != -1) ? (unsigned)(sa % sb) : 0;
  p[k++] = v ? u / v : 0;
  p[k++] = v ? u % v : 0;
  p[k++] = (sv && sv != -1) ? su / sv : 0;
  p[k++] = (sv && sv != -1) ? su % sv : 0;
  p[k++] = __usad(a, b, 5);
  p[k++] = (unsigned)__sad(sa, sb, 5u);
  p[k++] = __dp4a(sa, sb, 3);
  p[k++] = __dp4a(a, b, 3u);
  p[k++] = (unsigned)abs(sa);
  p[k++] = min(sa, sb);
  p[k++] = max(u, v);
  p[k++] = (unsigned)(sa >> (b & 31));
  p[k++] = su >> (v & 63);
  p[k++] = u << (v & 63);
  p[k++] = (unsigned char)a + (signed char)b;
  p[k++] = (unsigned short)(a * b);
  p[k++] = (long long)(short)a * (short)b;
  p[k++] = u * v;
  p[k++] = (unsigned long long)a * b;
  {
    unsigned r;
    asm("bfe.u32 %0,%1,%2,%3;" : "=r"(r) : "r"(a), "r"(b & 31), "r"((b >> 8) & 31));
    p[k++] = r;
    asm("bfi.b32 %0,%1,%2,%3,%4;" : "=r"(r) : "r"(a), "r"(b), "r"(b & 15), "r"((a >> 8) & 15));
    p[k++] = r;
  }
}
static void t_int() {
  int n = 4096;
  vector<unsigned> a(n), b(n);
  vector<unsigned long long> u(n), v(n);
  for (int i = 0; i < n; i++) {
    a[i] = (unsigned)rnd() >> (i % 32);
    b[i] = (unsigned)rnd() >> ((i * 7) % 32);
    u[i] = rnd() >> (i % 64);
    v[i] = rnd() >> ((i * 5) % 64);
    if (i % 17 == 0) a[i] = 0;
    if (i % 19 == 0) u[i] = 0;
  }
  auto *da = dev(a), *db = dev(b);
  auto *du = dev(u), *dv = dev(v);
  auto* o = devn<unsigned long long>((size_t)n * NI);
  intOps<<<n / 128, 128>>>(da, db, du, dv, o, n);
  CK(cudaDeviceSynchronize());
  auto h = host(o, (size_t)n * NI);
  int bad = -1;
  for (int i = 0; i < n; i++) {
    unsigned long long r[NI];
    int k = 0;
    unsigned A = a[i], B = b[i];
    unsigned long long U = u[i], V = v[i];
    int sa = A, sb = B;
    long long su = U, sv = V;
    auto rev32 = [](unsigned x) {
      unsigned q = 0;
      for (int j = 0; j < 32; j++)
        if (x >> j & 1) q |= 1u << (31 - j);
      return q;
    };
    r[k++] = rev32(A);
    r[k++] = A ? __builtin_clz(A) : 32;
    r[k++] = __builtin_popcount(A);
    r[k++] = __builtin_ffs(A);
    {
      unsigned long long w = (unsigned long long)B << 32 | A;
      unsigned q = 0;
      int s[4] = {5, 1, 7, 3};
      for (int j = 0; j < 4; j++) q |= (unsigned)((w >> (8 * s[j])) & 255) << (8 * j);
      r[k++] = q;
    }
    {
      unsigned s = B & 31;
      r[k++] = s ? B << s | A >> (32 - s) : B;
      r[k++] = s ? A >> s | B << (32 - s) : A;
    }
    r[k++] = ((unsigned long long)A * B) >> 32;
    r[k++] = (unsigned)(((long long)sa * sb) >> 32);
    r[k++] = ((unsigned __int128)U * V) >> 64;
    r[k++] = (unsigned long long)(((__int128)su * sv) >> 64);
    r[k++] = U ? __builtin_clzll(U) : 64;
    r[k++] = __builtin_popcountll(U);
    r[k++] = (unsigned long long)rev32((unsigned)U) << 32 | rev32((unsigned)(U >> 32));
    r[k++] = __builtin_ffsll(U);
    r[k++] = B ? A / B : 0;
    r[k++] = B ? A % B : 0;
    r[k++] = (sb && sb != -1) ? (unsigned)(sa / sb) : 0;
    r[k++] = (sb && sb != -1) ? (unsigned)(sa % sb) : 0;
    r[k++] = V ? U / V : 0;
    r[k++] = V ? U % V : 0;
    r[k++] = (sv && sv != -1) ? su / sv : 0;
    r[k++] = (sv && sv != -1) ? su % sv : 0;
    r[k++] = (A > B ? A - B : B - A) + 5;
    r[k++] = (unsigned)(sa > sb ? (unsigned)sa - sb : (unsigned)sb - sa) + 5;
    {
      int s = 3;
      unsigned q = 3;
      for (int j = 0; j < 4; j++) {
        s += (int)(signed char)(A >> 8 * j) * (signed char)(B >> 8 * j);
        q += (A >> 8 * j & 255) * (B >> 8 * j & 255);
      }
      r[k++] = (unsigned long long)(long long)s;
      r[k++] = q;
    }
    r[k++] = sa < 0 ? 0u - A : A;
    r[k++] = (unsigned long long)(long long)(sa < sb ? sa : sb);
    r[k++] = U > V ? U : V;
    r[k++] = (unsigned)(sa >> (B & 31));
    r[k++] = su >> (V & 63);
    r[k++] = U << (V & 63);
    r[k++] = (unsigned long long)(long long)((unsigned char)A + (signed char)B);
    r[k++] = (unsigned short)(A * B);
    r[k++] = (long long)(short)A * (short)B;
    r[k++] = U * V;
    r[k++] = (unsigned long long)A * B;
    {
      unsigned pos = B & 31, len = (B >> 8) & 31;
      r[k++] = len ? (A >> pos) & ((1u << len) - 1) : 0;
      unsigned p2 = B & 15, l2 = (A >> 8) & 15, m = ((1u << l2) - 1) << p2;
      r[k++] = (B & ~m) | ((A << p2) & m);
    }
    for (int j = 0; j < k; j++)
      if (r[j] != h[(size_t)i * NI + j] && bad < 0) {
        bad = j;
        printf("int op %d: a=%x b=%x u=%llx v=%llx got %llx want %llx\n", j, A, B, U, V, h[(size_t)i * NI + j], r[j]);
      }
  }
  report("integer and bit operations", bad < 0);
  cudaFree(da);
  cudaFree(db);
  cudaFree(du);
  cudaFree(dv);
  cudaFree(o);
}
constexpr int NR = 24;
__global__ void rounding(const float* A, const float* B, const double* D, const double* E, double* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a = A[i], b = B[i];
  double d = D[i], e = E[i];
  double* p = o + (size_t)i * NR;
  int k = 0;
  p[k++] = __fadd_rn(a, b);
  p[k++] = __fadd_rz(a, b);
  p[k++] = __fadd_rd(a, b);
  p[k++] = __fadd_ru(a, b);
  p[k++] = __fmul_rz(a, b);
  p[k++] = __fmul_ru(a, b);
  p[k++] = __fdiv_rd(a, b);
  p[k++] = __fsqrt_ru(fabsf(a));
  p[k++] = __fmaf_rz(a, b, a);
  p[k++] = __dadd_rz(d, e);
  p[k++] = __dmul_ru(d, e);
  p[k++] = __ddiv_rd(d, e);
  p[k++] = __dsqrt_rz(fabs(d));
  p[k++] = __fma_ru(d, e, d);
  p[k++] = __double2float_rz(d);
  p[k++] = __double2float_ru(d);
  p[k++] = __float2int_rn(a);
  p[k++] = __float2int_rd(a);
  p[k++] = __double2ll_ru(d);
  p[k++] = (double)__float2uint_rz(a);
  p[k++] = __int2float_rz((int)(d * 1e3));
  p[k++] = floorf(a) + ceilf(b) + rintf(a) + truncf(b) + roundf(a);
  p[k++] = fminf(a, b) + fmaxf(a, b);
  p[k++] = __frcp_rn(a);
}
static void t_round() {
  int n = 2048;
  vector<float> a(n), b(n);
  vector<double> d(n), e(n);
  for (int i = 0; i < n; i++) {
    a[i] = (float)((double)(long long)rnd() / 9e18 * pow(2, i % 40 - 10));
    b[i] = (float)((double)(long long)rnd() / 9e18 * pow(2, (i * 7) % 30 - 10));
    d[i] = (double)(long long)rnd() / 9e18 * pow(2, i % 30);
    e[i] = (double)(long long)rnd() / 9e18;
  }
  auto *da = dev(a), *db = dev(b);
  auto *dd = dev(d), *de = dev(e);
  auto* o = devn<double>((size_t)n * NR);
  rounding<<<n / 128, 128>>>(da, db, dd, de, o, n);
  CK(cudaDeviceSynchronize());
  auto h = host(o, (size_t)n * NR);
  int bad = -1;
  for (int i = 0; i < n; i++) {
    volatile float A = a[i], B = b[i];
    volatile double D = d[i], E = e[i];
    volatile float f;
    double r[NR];
    int k = 0;
    auto R = [&](int m) { fesetround(m); };
#define F(m, x)      \
  do {               \
    R(m);            \
    f = x;           \
    r[k++] = f;      \
    R(FE_TONEAREST); \
  } while (0)
#define G(m, x)            \
  do {                     \
    R(m);                  \
    volatile double q = x; \
    r[k++] = q;            \
    R(FE_TONEAREST);       \
  } while (0)
    F(FE_TONEAREST, A + B);
    F(FE_TOWARDZERO, A + B);
    F(FE_DOWNWARD, A + B);
    F(FE_UPWARD, A + B);
    F(FE_TOWARDZERO, A * B);
    F(FE_UPWARD, A * B);
    F(FE_DOWNWARD, A / B);
    F(FE_UPWARD, sqrtf(fabsf(A)));
    F(FE_TOWARDZERO, fmaf(A, B, A));
    G(FE_TOWARDZERO, D + E);
    G(FE_UPWARD, D * E);
    G(FE_DOWNWARD, D / E);
    G(FE_TOWARDZERO, sqrt(fabs(D)));
    G(FE_UPWARD, fma(D, E, D));
    F(FE_TOWARDZERO, (float)D);
    F(FE_UPWARD, (float)D);
    double q = nearbyint((double)A);
    r[k++] = q > INT_MAX ? INT_MAX : q < INT_MIN ? INT_MIN : q;
    q = floor((double)A);
    r[k++] = q > INT_MAX ? INT_MAX : q < INT_MIN ? INT_MIN : q;
    r[k++] = (double)(long long)ceil(D);
    q = trunc((double)A);
    r[k++] = q < 0 ? 0 : q > 4294967295.0 ? 4294967295.0 : q;
    const double z = D * 1e3;
    volatile int iv = z >= 2147483647.0 ? INT_MAX : z <= -2147483648.0 ? INT_MIN : (int)z;
    F(FE_TOWARDZERO, (float)iv);
    r[k++] = floorf(A) + ceilf(B) + rintf(A) + truncf(B) + roundf(A);
    r[k++] = fminf(A, B) + fmaxf(A, B);
    r[k++] = 1.0f / A;
    for (int j = 0; j < k; j++)
      if (r[j] != h[(size_t)i * NR + j] && !(r[j] != r[j] && h[(size_t)i * NR + j] != h[(size_t)i * NR + j]) &&
          bad < 0) {
        bad = j;
        printf("rounding op %d: a=%g b=%g d=%.17g e=%.17g got %.17g want %.17g\n", j, a[i], b[i], d[i], e[i],
               h[(size_t)i * NR + j], r[j]);
      }
  }
  report("rounding modes and conversions", bad < 0);
  cudaFree(da);
  cudaFree(db);
  cudaFree(dd);
  cudaFree(de);
  cudaFree(o);
}
constexpr int NM = 34;
__global__ void mathf(const float* A, double* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = A[i], y = fabsf(x) + 0.01f;
  double d = x, e = y;
  double* p = o + (size_t)i * NM;
  int k = 0;
  p[k++] = sinf(x);
  p[k++] = cosf(x * 100);
  p[k++] = tanf(x);
  p[k++] = expf(x);
  p[k++] = logf(y);
  p[k++] = exp2f(x);
  p[k++] = log2f(y);
  p[k++] = log10f(y);
  p[k++] = powf(y, x);
  p[k++] = sqrtf(y);
  p[k++] = rsqrtf(y);
  p[k++] = cbrtf(x);
  p[k++] = atan2f(x, y);
  p[k++] = asinf(x / 12);
  p[k++] = sinhf(x);
  p[k++] = tanhf(x);
  p[k++] = erff(x);
  p[k++] = hypotf(x, y);
  p[k++] = fmodf(x * 10, y);
  p[k++] = x / y;
  p[k++] = sin(d);
  p[k++] = cos(d * 1000);
  p[k++] = exp(d);
  p[k++] = log(e);
  p[k++] = pow(e, d);
  p[k++] = sqrt(e);
  p[k++] = rsqrt(e);
  p[k++] = atan2(d, e);
  p[k++] = tanh(d);
  p[k++] = erf(d);
  p[k++] = lgamma(e);
  p[k++] = cbrt(d);
  p[k++] = d / e;
  p[k++] = fmod(d * 10, e);
}
static void t_math() {
  int n = 3072;
  vector<float> a(n);
  for (int i = 0; i < n; i++) a[i] = (float)((double)(long long)rnd() / 9.3e18 * 10);
  auto* da = dev(a);
  auto* o = devn<double>((size_t)n * NM);
  mathf<<<n / 128, 128>>>(da, o, n);
  CK(cudaDeviceSynchronize());
  auto h = host(o, (size_t)n * NM);
  double worst[NM] = {0};
  for (int i = 0; i < n; i++) {
    float x = a[i], y = fabsf(x) + 0.01f;
    double d = x, e = y, X = x, Y = y;
    double r[NM] = {sin(X),
                    cos((double)(x * 100)),
                    tan(X),
                    exp(X),
                    log(Y),
                    exp2(X),
                    log2(Y),
                    log10(Y),
                    pow(Y, X),
                    sqrt(Y),
                    1 / sqrt(Y),
                    cbrt(X),
                    atan2(X, Y),
                    asin((double)(x / 12)),
                    sinh(X),
                    tanh(X),
                    erf(X),
                    hypot(X, Y),
                    fmod((double)(x * 10), Y),
                    X / Y,
                    sin(d),
                    cos(d * 1000),
                    exp(d),
                    log(e),
                    pow(e, d),
                    sqrt(e),
                    1 / sqrt(e),
                    atan2(d, e),
                    tanh(d),
                    erf(d),
                    lgamma(e),
                    cbrt(d),
                    d / e,
                    fmod(d * 10, e)};
    for (int j = 0; j < NM; j++) {
      double err = fabs(h[(size_t)i * NM + j] - r[j]) / fmax(fabs(r[j]), 1e-3);
      if (!(err <= worst[j])) worst[j] = err;
    }
  }
  bool ok = true;
  for (int j = 0; j < NM; j++) {
    double tol = j < 20 ? 2e-6 : 4e-15;
    if (j == 0 || j == 1 || j == 2 || j == 8) tol = 2e-5;
    if (j == 21 || j == 30) tol = 1e-12;
    if (!(worst[j] <= tol)) {
      ok = false;
      printf("math function %d: error %g\n", j, worst[j]);
    }
  }
  report("math functions f32 and f64", ok);
  cudaFree(da);
  cudaFree(o);
}
__global__ void fastMath(const float* A, float* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = A[i];
  o[i * 6] = __sinf(x);
  o[i * 6 + 1] = __expf(x);
  o[i * 6 + 2] = __logf(fabsf(x) + 0.1f);
  o[i * 6 + 3] = __fdividef(x, 3.f);
  o[i * 6 + 4] = __saturatef(x);
  o[i * 6 + 5] = __powf(fabsf(x), 0.5f);
}
static void t_fast() {
  int n = 512;
  vector<float> a(n);
  for (int i = 0; i < n; i++) a[i] = (i - 256) * 0.02f;
  auto* d = dev(a);
  auto* o = devn<float>(n * 6);
  fastMath<<<4, 128>>>(d, o, n);
  auto h = host(o, n * 6);
  bool ok = true;
  for (int i = 0; i < n; i++) {
    float x = a[i];
    float r[6] = {sinf(x), expf(x), logf(fabsf(x) + 0.1f), x / 3.f, x < 0 ? 0 : x > 1 ? 1 : x, sqrtf(fabsf(x))};
    for (int j = 0; j < 6; j++) ok &= fabsf(h[i * 6 + j] - r[j]) <= 1e-5f * (1 + fabsf(r[j]));
  }
  report("fast math intrinsics", ok);
  cudaFree(d);
  cudaFree(o);
}
__global__ void halfs(const float* A, float* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __half x = __float2half(A[i]), y = __float2half(1.5f);
  __half2 v = __halves2half2(x, y);
  v = __hfma2(v, v, v);
  __nv_bfloat16 b = __float2bfloat16(A[i]);
  b = __hadd(b, b);
  o[i * 4] = __half2float(__hadd(x, y));
  o[i * 4 + 1] = __low2float(v);
  o[i * 4 + 2] = __bfloat162float(b);
  o[i * 4 + 3] = __hlt(x, y) ? __half2float(__hmul(x, y)) : (float)__half2int_rn(x);
}
static float toHalf(float f) {
  return __half2float(__float2half(f));
}
static void t_half() {
  int n = 256;
  vector<float> a(n);
  for (int i = 0; i < n; i++) a[i] = (i - 128) * 0.037f;
  auto* d = dev(a);
  auto* o = devn<float>(n * 4);
  halfs<<<2, 128>>>(d, o, n);
  CK(cudaDeviceSynchronize());
  auto h = host(o, n * 4);
  bool ok = true;
  for (int i = 0; i < n; i++) {
    float x = toHalf(a[i]);
    ok &= h[i * 4] == toHalf(x + 1.5f);
    ok &= h[i * 4 + 1] == toHalf(x * x + x);
    float b = __bfloat162float(__float2bfloat16(a[i]));
    ok &= h[i * 4 + 2] == b + b;
    ok &= h[i * 4 + 3] == (x < 1.5f ? toHalf(x * 1.5f) : nearbyintf(x));
  }
  report("half and bfloat16", ok);
  cudaFree(d);
  cudaFree(o);
}
__global__ void specials(float* o) {
  float inf = __int_as_float(0x7f800000), nan = __int_as_float(0x7fc00000), mz = -0.f;
  float z = o[0];
  o[0] = fminf(nan, 3.f);
  o[1] = fmaxf(nan, nan);
  o[2] = isnan(inf - inf + z);
  o[3] = __float_as_int(fminf(z, mz)) == (int)0x80000000;
  o[4] = __float2int_rz(nan);
  o[5] = __float2int_rz(inf) == 2147483647;
  o[6] = (nan < 1.f) + (nan >= 1.f) + (nan != nan) * 4;
  o[7] = 1e-40f * (z + 1.f) > 0.f;
  o[8] = sqrtf(-1.f + z) != sqrtf(-1.f + z);
  o[9] = copysignf(2.f, mz);
  o[10] = (unsigned)__double2uint_rn(-3.0);
}
static void t_special() {
  float* o = devn<float>(16);
  specials<<<1, 1>>>(o);
  auto h = host(o, 16);
  bool ok = h[0] == 3 && h[1] != h[1] && h[2] == 1 && h[3] == 1 && h[4] == 0 && h[5] == 1 && h[6] == 4 && h[7] == 1 &&
            h[8] == 1 && h[9] == -2 && h[10] == 0;
  for (int i = 0; i < 11 && !ok; i++) printf("special %d %g\n", i, h[i]);
  report("NaN, infinity, signed zero, denormals", ok);
  cudaFree(o);
}
__global__ void wide128(const unsigned long long* a, unsigned long long* o) {
  int i = threadIdx.x;
  unsigned __int128 x = ((unsigned __int128)a[i] << 64) | a[i + 1], y = ((unsigned __int128)a[i + 2] << 20) | a[i + 3];
  unsigned __int128 s = x + y, m = x * y, d = x - y;
  o[i * 6] = (unsigned long long)s;
  o[i * 6 + 1] = (unsigned long long)(s >> 64);
  o[i * 6 + 2] = (unsigned long long)m;
  o[i * 6 + 3] = (unsigned long long)(m >> 64);
  o[i * 6 + 4] = (unsigned long long)d;
  o[i * 6 + 5] = (unsigned long long)(d >> 64);
}
static void t_wide() {
  vector<unsigned long long> a(40);
  for (auto& v : a) v = rnd();
  auto* d = dev(a);
  auto* o = devn<unsigned long long>(32 * 6);
  wide128<<<1, 32>>>(d, o);
  CK(cudaDeviceSynchronize());
  auto h = host(o, 32 * 6);
  bool ok = true;
  for (int i = 0; i < 32; i++) {
    unsigned __int128 x = ((unsigned __int128)a[i] << 64) | a[i + 1],
                      y = ((unsigned __int128)a[i + 2] << 20) | a[i + 3], r[3] = {x + y, x * y, x - y};
    for (int j = 0; j < 3; j++)
      ok &= h[i * 6 + 2 * j] == (unsigned long long)r[j] && h[i * 6 + 2 * j + 1] == (unsigned long long)(r[j] >> 64);
  }
  report("128-bit arithmetic (carry chains)", ok);
  cudaFree(d);
  cudaFree(o);
}
int main() {
  t_int();
  t_round();
  t_math();
  t_fast();
  t_half();
  t_special();
  t_wide();
  printf(failures ? "%d FAILURES\n" : "all passed\n", failures);
  return failures != 0;
}
