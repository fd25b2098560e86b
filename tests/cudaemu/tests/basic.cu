// SPDX-License-Identifier: MIT
// Memory, symbols, calls, copies, streams and launch errors, each checked against the host.
#include "check.h"
using std::vector;

__global__ void vadd(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
static void t_vadd() {
  int n = 100003;
  vector<float> a(n), b(n);
  for (int i = 0; i < n; i++) {
    a[i] = i * 0.5f;
    b[i] = 3.f - i;
  }
  float *da = dev(a), *db = dev(b), *dc = devn<float>(n);
  vadd<<<(n + 255) / 256, 256>>>(da, db, dc, n);
  CK(cudaGetLastError());
  CK(cudaDeviceSynchronize());
  auto c = host(dc, n);
  bool ok = true;
  for (int i = 0; i < n; i++) ok &= c[i] == a[i] + b[i];
  report("vector add", ok);
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
}
template <int B>
__global__ void reduceShared(const int* x, int n, long long* out) {
  __shared__ long long s[B];
  long long v = 0;
  for (int i = blockIdx.x * B + threadIdx.x; i < n; i += gridDim.x * B) v += x[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int o = B / 2; o; o >>= 1) {
    if (threadIdx.x < o) s[threadIdx.x] += s[threadIdx.x + o];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
static void t_reduce() {
  int n = 77777;
  vector<int> x(n);
  for (int i = 0; i < n; i++) x[i] = (i * 7919) % 1000 - 400;
  int* d = dev(x);
  long long* o = devn<long long>(20);
  reduceShared<128><<<20, 128>>>(d, n, o);
  auto h = host(o, 20);
  long long s = 0, r = 0;
  for (auto v : h) s += v;
  for (auto v : x) r += v;
  report("reduction with shared memory", s == r);
  cudaFree(d);
  cudaFree(o);
}
__global__ void dynShared(int* out) {
  extern __shared__ int sm[];
  int t = threadIdx.x;
  sm[t] = t * t;
  __syncthreads();
  out[t] = sm[blockDim.x - 1 - t];
}
static void t_dyn() {
  int* d = devn<int>(512);
  dynShared<<<1, 512, 512 * 4>>>(d);
  auto h = host(d, 512);
  bool ok = true;
  for (int i = 0; i < 512; i++) ok &= h[i] == (511 - i) * (511 - i);
  CK(cudaFuncSetAttribute(dynShared, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
  dynShared<<<1, 512, 100000>>>(d);
  ok &= cudaDeviceSynchronize() == cudaSuccess && cudaGetLastError() == cudaSuccess;
  report("dynamic shared memory", ok);
  cudaFree(d);
}
__constant__ float coef[5];
__constant__ int ctab[3] = {10, 20, 30};
__device__ int counter = 5;
__device__ float table[4] = {1.5f, 2.5f, 3.5f, 4.5f};
__device__ const float* tptr = table + 1;
struct alignas(8) Pair {
  int a;
  double b;
};
__device__ Pair pairs[2] = {{1, 2.0}, {3, 4.0}};
__global__ void symbols(float* o) {
  int t = threadIdx.x;
  o[t] = coef[t % 5] * ctab[t % 3] + tptr[t % 3] + pairs[t & 1].a + (float)pairs[t & 1].b;
  if (t == 0) counter += 37;
}
static void t_symbols() {
  float c[5] = {1, 2, 3, 4, 5};
  CK(cudaMemcpyToSymbol(coef, c, sizeof c));
  float* d = devn<float>(64);
  symbols<<<1, 64>>>(d);
  auto h = host(d, 64);
  int cnt = 0;
  CK(cudaMemcpyFromSymbol(&cnt, counter, 4));
  float tab[4] = {1.5f, 2.5f, 3.5f, 4.5f};
  int ct[3] = {10, 20, 30};
  bool ok = cnt == 42;
  for (int t = 0; t < 64; t++) ok &= h[t] == c[t % 5] * ct[t % 3] + tab[1 + t % 3] + (t & 1 ? 7.f : 3.f);
  void* a;
  size_t n;
  CK(cudaGetSymbolAddress(&a, counter));
  CK(cudaGetSymbolSize(&n, table));
  int z = 9;
  CK(cudaMemcpy(a, &z, 4, cudaMemcpyHostToDevice));
  CK(cudaMemcpyFromSymbol(&cnt, counter, 4));
  ok &= cnt == 9 && n == 16;
  report("constant memory and __device__ variables", ok);
  cudaFree(d);
}
__global__ void prints(int n) {
  if (threadIdx.x < n)
    printf("device printf %d %5.2f %s %c %lld %x%%\n", (int)threadIdx.x, threadIdx.x * 1.25, "str", 'A' + threadIdx.x,
           1ll << 40, 255);
}
static void t_printf() {
  prints<<<1, 32>>>(2);
  report("printf (see the two lines above)", cudaDeviceSynchronize() == cudaSuccess);
}
__device__ __noinline__ int fib(int n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
__device__ __noinline__ float3 cross3(float3 a, float3 b) {
  return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Sq : Shape {
  float s;
  __device__ Sq(float q) : s(q) {}
  __device__ float area() const override { return s * s; }
};
struct Ci : Shape {
  float r;
  __device__ Ci(float q) : r(q) {}
  __device__ float area() const override { return 3.f * r * r; }
};
typedef int (*Op)(int, int);
__device__ int opAdd(int a, int b) {
  return a + b;
}
__device__ int opMul(int a, int b) {
  return a * b;
}
__device__ Op ops[2] = {opAdd, opMul};
__global__ void calls(int* o, float* f) {
  int t = threadIdx.x;
  o[t] = fib(t % 12) + ops[t & 1](t, 3);
  float3 c = cross3(make_float3(t, 1, 2), make_float3(3, t, 5));
  Shape* s;
  if (t % 3)
    s = new Sq(t);
  else
    s = new Ci(t);
  f[t] = c.x + c.y + c.z + s->area();
  delete s;
}
static void t_calls() {
  int* o = devn<int>(64);
  float* f = devn<float>(64);
  calls<<<1, 64>>>(o, f);
  CK(cudaDeviceSynchronize());
  auto h = host(o, 64);
  auto g = host(f, 64);
  bool ok = true;
  int fb[12] = {0, 1};
  for (int i = 2; i < 12; i++) fb[i] = fb[i - 1] + fb[i - 2];
  for (int t = 0; t < 64; t++) {
    ok &= h[t] == fb[t % 12] + (t & 1 ? t * 3 : t + 3);
    float cx = 1 * 5.f - 2.f * t, cy = 2 * 3.f - t * 5.f, cz = (float)t * t - 3;
    ok &= g[t] == cx + cy + cz + (t % 3 ? (float)t * t : 3.f * t * t);
  }
  report("calls, recursion, virtual functions, device malloc", ok);
  cudaFree(o);
  cudaFree(f);
}
__global__ void localArr(int* o, int n) {
  int a[40];
  for (int i = 0; i < 40; i++) a[i] = i * threadIdx.x;
  int s = 0;
  for (int i = 0; i < n; i++) {
    int j = (i * 7 + threadIdx.x) % 40;
    s += a[j];
    a[j] ^= s;
  }
  switch (threadIdx.x % 9) {
    case 0:
      s += 1;
      break;
    case 1:
      s ^= 5;
      break;
    case 2:
      s *= 3;
      break;
    case 3:
      s -= 9;
      break;
    case 4:
      s <<= 1;
      break;
    case 5:
      s |= 64;
      break;
    case 6:
      s = -s;
      break;
    case 7:
      s &= 0xffff;
      break;
    default:
      s = s % 1001;
  }
  o[threadIdx.x] = s;
}
static void t_local() {
  int* o = devn<int>(96);
  localArr<<<1, 96>>>(o, 100);
  auto h = host(o, 96);
  bool ok = true;
  for (int t = 0; t < 96; t++) {
    int a[40];
    for (int i = 0; i < 40; i++) a[i] = i * t;
    int s = 0;
    for (int i = 0; i < 100; i++) {
      int j = (i * 7 + t) % 40;
      s += a[j];
      a[j] ^= s;
    }
    switch (t % 9) {
      case 0:
        s += 1;
        break;
      case 1:
        s ^= 5;
        break;
      case 2:
        s *= 3;
        break;
      case 3:
        s -= 9;
        break;
      case 4:
        s = (int)((unsigned)s << 1);
        break;
      case 5:
        s |= 64;
        break;
      case 6:
        s = -s;
        break;
      case 7:
        s &= 0xffff;
        break;
      default:
        s = s % 1001;
    }
    ok &= s == h[t];
  }
  report("local arrays and switch", ok);
  cudaFree(o);
}
static void t_copies() {
  int w = 37, hgt = 11;
  size_t pitch;
  char* d;
  CK(cudaMallocPitch(&d, &pitch, w, hgt));
  vector<char> a(w * hgt), b(w * hgt, 0);
  for (size_t i = 0; i < a.size(); i++) a[i] = (char)(i * 5);
  CK(cudaMemcpy2D(d, pitch, a.data(), w, w, hgt, cudaMemcpyHostToDevice));
  CK(cudaMemset2D(d + 3 * pitch, pitch, 9, 5, 2));
  CK(cudaMemcpy2D(b.data(), w, d, pitch, w, hgt, cudaMemcpyDeviceToHost));
  bool ok = true;
  for (int y = 0; y < hgt; y++)
    for (int x = 0; x < w; x++) ok &= b[y * w + x] == ((y == 3 || y == 4) && x < 5 ? 9 : a[y * w + x]);
  CK(cudaFree(d));
  int* m;
  CK(cudaMallocManaged(&m, 400));
  for (int i = 0; i < 100; i++) m[i] = i;
  float* pin;
  CK(cudaMallocHost(&pin, 400));
  for (int i = 0; i < 100; i++) pin[i] = i;
  vadd<<<1, 128>>>(pin, pin, pin, 100);
  CK(cudaDeviceSynchronize());
  for (int i = 0; i < 100; i++) ok &= pin[i] == 2 * i && m[i] == i;
  cudaPointerAttributes at;
  CK(cudaPointerGetAttributes(&at, m));
  ok &= at.type == cudaMemoryTypeManaged;
  CK(cudaFreeHost(pin));
  CK(cudaFree(m));
  report("2D copies, managed and pinned memory", ok);
}
static void cb(void* p) {
  ++*(int*)p;
}
static void t_streams() {
  cudaStream_t s1, s2;
  cudaEvent_t e1, e2;
  CK(cudaStreamCreate(&s1));
  CK(cudaStreamCreateWithFlags(&s2, cudaStreamNonBlocking));
  CK(cudaEventCreate(&e1));
  CK(cudaEventCreate(&e2));
  int n = 1000;
  float* a;
  CK(cudaMallocAsync(&a, n * 4, s1));
  CK(cudaMemsetAsync(a, 0, n * 4, s1));
  CK(cudaEventRecord(e1, s1));
  vadd<<<4, 256, 0, s1>>>(a, a, a, n);
  CK(cudaEventRecord(e2, s1));
  CK(cudaStreamWaitEvent(s2, e2, 0));
  vector<float> h(n, 1);
  CK(cudaMemcpyAsync(h.data(), a, n * 4, cudaMemcpyDeviceToHost, s2));
  int called = 0;
  CK(cudaLaunchHostFunc(s2, cb, &called));
  CK(cudaStreamSynchronize(s2));
  float ms = -1;
  CK(cudaEventElapsedTime(&ms, e1, e2));
  bool ok = ms >= 0 && called == 1 && cudaStreamQuery(s1) == cudaSuccess;
  for (auto v : h) ok &= v == 0;
  CK(cudaFreeAsync(a, s1));
  CK(cudaEventDestroy(e1));
  CK(cudaEventDestroy(e2));
  CK(cudaStreamDestroy(s1));
  CK(cudaStreamDestroy(s2));
  report("streams and events", ok);
}
static void t_config() {
  bool ok = true;
  vadd<<<1, 2000>>>(nullptr, nullptr, nullptr, 0);
  ok &= cudaGetLastError() == cudaErrorInvalidConfiguration;
  vadd<<<0, 20>>>(nullptr, nullptr, nullptr, 0);
  ok &= cudaGetLastError() == cudaErrorInvalidConfiguration;
  vadd<<<1, 20, 60000>>>(nullptr, nullptr, nullptr, 0);
  ok &= cudaGetLastError() == cudaErrorInvalidValue && cudaGetLastError() == cudaSuccess;
  cudaDeviceProp p;
  CK(cudaGetDeviceProperties(&p, 0));
  ok &= p.warpSize == 32 && p.major >= 7;
  cudaFuncAttributes fa;
  CK(cudaFuncGetAttributes(&fa, reduceShared<128>));
  ok &= fa.sharedSizeBytes == 1024;
  int nb;
  CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&nb, vadd, 256, 0));
  ok &= nb == 8;
  int g, b;
  CK(cudaOccupancyMaxPotentialBlockSize(&g, &b, vadd));
  ok &= b > 0;
  report("launch errors, properties, occupancy", ok);
}
int main() {
  t_vadd();
  t_reduce();
  t_dyn();
  t_symbols();
  t_printf();
  t_calls();
  t_local();
  t_copies();
  t_streams();
  t_config();
  printf(failures ? "%d FAILURES\n" : "all passed\n", failures);
  return failures != 0;
}
