// SPDX-License-Identifier: MIT
// libcu++ atomics, barriers and pipelines, curand, large parameters, conditional graphs, vector access.
#include "check.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <curand_kernel.h>
#include <algorithm>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/complex>
#include <numeric>
namespace cg = cooperative_groups;
using std::vector;
struct Params {
  float m[16];
  int idx[8];
  const float* in;
  float* out;
  int n;
};
__global__ void __launch_bounds__(128) bigParams(const __grid_constant__ Params p) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < p.n) p.out[i] = p.m[i & 15] * p.in[i] + p.idx[(i * 3) & 7];
}
static void t_params() {
  Params p;
  for (int i = 0; i < 16; i++) p.m[i] = i + 0.5f;
  for (int i = 0; i < 8; i++) p.idx[i] = 100 - i;
  p.n = 300;
  vector<float> h(300);
  std::iota(h.begin(), h.end(), 0.f);
  float* d = dev(h);
  p.in = d;
  p.out = devn<float>(300);
  bigParams<<<3, 128>>>(p);
  CK(cudaDeviceSynchronize());
  auto o = host(p.out, 300);
  bool ok = true;
  for (int i = 0; i < 300; i++) ok &= o[i] == p.m[i & 15] * h[i] + p.idx[(i * 3) & 7];
  report("large parameters, dynamically indexed", ok);
  cudaFree(d);
  cudaFree(p.out);
}
template <class F>
__global__ void forEach(int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) f(i);
}
static void t_lambda() {
  int* d = devn<int>(1000);
  int k = 5;
  forEach<<<3, 96>>>(1000, [=] __device__(int i) { d[i] = i * k; });
  auto h = host(d, 1000);
  bool ok = true;
  for (int i = 0; i < 1000; i++) ok &= h[i] == i * 5;
  report("lambda kernels", ok);
  cudaFree(d);
}
__global__ void libcu(int* o, unsigned long long* u, float* f) {
  cuda::atomic_ref<int, cuda::thread_scope_device> a(o[0]);
  a.fetch_add(threadIdx.x, cuda::memory_order_relaxed);
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> b(u[0]);
  b.fetch_max(threadIdx.x * 3ull);
  cuda::atomic_ref<float, cuda::thread_scope_device> c(f[0]);
  c.fetch_add(0.5f);
  int e = a.load();
  while (!a.compare_exchange_weak(e, e + 1)) {
  }
  cuda::std::complex<float> z(threadIdx.x, 1);
  z *= z;
  f[1 + threadIdx.x] = z.real() + z.imag();
}
static void t_libcu() {
  int* o = devn<int>(1);
  auto* u = devn<unsigned long long>(1);
  float* f = devn<float>(65);
  libcu<<<1, 64>>>(o, u, f);
  CK(cudaDeviceSynchronize());
  auto hf = host(f, 65);
  bool ok = host(o, 1)[0] == 63 * 32 + 64 && host(u, 1)[0] == 189 && hf[0] == 32;
  for (int t = 0; t < 64; t++) ok &= hf[1 + t] == (float)t * t - 1 + 2 * t;
  report("cuda::atomic_ref, cuda::std::complex", ok);
  cudaFree(o);
  cudaFree(u);
  cudaFree(f);
}
__global__ void barrierK(int* o) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ int s[128];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  int v = threadIdx.x;
  for (int k = 0; k < 4; k++) {
    s[threadIdx.x] = v;
    bar.arrive_and_wait();
    v = s[(threadIdx.x + 1) % blockDim.x] + k;
    bar.arrive_and_wait();
  }
  o[threadIdx.x] = v;
}
__global__ void pipelineK(const int* in, int* out, int tiles) {
  __shared__ int buf[2][128];
  auto b = cg::this_thread_block();
  cuda::pipeline<cuda::thread_scope_thread> p = cuda::make_pipeline();
  p.producer_acquire();
  cuda::memcpy_async(&buf[0][threadIdx.x], &in[threadIdx.x], sizeof(int), p);
  p.producer_commit();
  for (int t = 0; t < tiles; t++) {
    if (t + 1 < tiles) {
      p.producer_acquire();
      cuda::memcpy_async(&buf[(t + 1) & 1][threadIdx.x], &in[(t + 1) * 128 + threadIdx.x], sizeof(int), p);
      p.producer_commit();
      cuda::pipeline_consumer_wait_prior<1>(p);
    } else
      cuda::pipeline_consumer_wait_prior<0>(p);
    b.sync();
    out[t * 128 + threadIdx.x] = buf[t & 1][127 - threadIdx.x] * 2;
    b.sync();
    p.consumer_release();
  }
}
__global__ void cgCopy(const int* in, int* out) {
  __shared__ alignas(16) int s[256];
  auto b = cg::this_thread_block();
  cg::memcpy_async(b, s, in, sizeof(int) * 256);
  cg::wait(b);
  out[threadIdx.x] = s[255 - threadIdx.x];
  auto w = cg::tiled_partition<32>(b);
  out[256 + threadIdx.x] = cg::inclusive_scan(w, (int)threadIdx.x);
  out[512 + threadIdx.x] = cg::exclusive_scan(w, 2);
}
static void t_async() {
  int* o = devn<int>(1024);
  barrierK<<<1, 128>>>(o);
  CK(cudaDeviceSynchronize());
  auto h = host(o, 128);
  bool ok = true;
  for (int t = 0; t < 128; t++) ok &= h[t] == (t + 4) % 128 + 6;
  report("cuda::barrier (mbarrier)", ok);
  vector<int> in(1024);
  for (int i = 0; i < 1024; i++) in[i] = i * 7;
  int* d = dev(in);
  pipelineK<<<1, 128>>>(d, o, 8);
  CK(cudaDeviceSynchronize());
  h = host(o, 1024);
  ok = true;
  for (int i = 0; i < 1024; i++) ok &= h[i] == in[i / 128 * 128 + 127 - i % 128] * 2;
  report("cuda::pipeline with memcpy_async (cp.async)", ok);
  cgCopy<<<1, 256>>>(d, o);
  CK(cudaDeviceSynchronize());
  h = host(o, 768);
  ok = true;
  for (int i = 0; i < 256; i++) {
    int s = 0;
    for (int j = i / 32 * 32; j <= i; j++) s += j;
    ok &= h[i] == in[255 - i] && h[256 + i] == s && h[512 + i] == i % 32 * 2;
  }
  report("cg::memcpy_async and scans", ok);
  cudaFree(o);
  cudaFree(d);
}
__global__ void rng(float* o, unsigned* u) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  curandStatePhilox4_32_10_t s;
  curand_init(1234, i, 0, &s);
  o[i] = curand_uniform(&s);
  float2 n = curand_normal2(&s);
  u[i] = curand(&s);
  o[i] += n.x * 0;
  curandState x;
  curand_init(7, i, 0, &x);
  u[i] ^= curand(&x) & 0;
}
static void t_rng() {
  int n = 4096;
  float* o = devn<float>(n);
  unsigned* u = devn<unsigned>(n);
  rng<<<n / 128, 128>>>(o, u);
  CK(cudaDeviceSynchronize());
  auto h = host(o, n);
  double m = 0;
  bool ok = true;
  for (auto v : h) {
    m += v;
    ok &= v > 0 && v <= 1;
  }
  ok &= fabs(m / n - 0.5) < 0.02;
  report("curand device generators", ok);
  cudaFree(o);
  cudaFree(u);
}
__global__ void vecs(const float4* a, float4* o, const double2* b, double2* p, const uchar4* c, uchar4* q,
                     const short2* e, short2* r) {
  int i = threadIdx.x;
  float4 v = __ldg(&a[i]);
  v.x += v.w;
  o[i] = v;
  double2 d = b[i];
  d.y = __shfl_xor_sync(~0u, d.y, 1);
  p[i] = d;
  uchar4 w = c[i];
  w.z = w.x + w.y;
  q[i] = w;
  short2 s = e[i];
  s.x = -s.y;
  r[i] = s;
  memcpy(&o[32 + i], &a[i], sizeof(float4));
  __stcs(&o[64 + i], __ldcs(&a[i]));
}
static void t_vecs() {
  vector<float> a(128);
  vector<double> b(64);
  vector<unsigned char> c(128);
  vector<short> e(64);
  for (int i = 0; i < 128; i++) {
    a[i] = i;
    c[i] = i * 3;
  }
  for (int i = 0; i < 64; i++) {
    b[i] = i * 1.5;
    e[i] = i - 30;
  }
  auto* da = dev(a);
  auto* db = dev(b);
  auto* dc = dev(c);
  auto* de = dev(e);
  auto* o = devn<float>(384);
  auto* p = devn<double>(64);
  auto* q = devn<unsigned char>(128);
  auto* r = devn<short>(64);
  vecs<<<1, 32>>>((float4*)da, (float4*)o, (double2*)db, (double2*)p, (uchar4*)dc, (uchar4*)q, (short2*)de, (short2*)r);
  CK(cudaDeviceSynchronize());
  auto ho = host(o, 384);
  auto hp = host(p, 64);
  auto hq = host(q, 128);
  auto hr = host(r, 64);
  bool ok = true;
  for (int i = 0; i < 32; i++) {
    ok &= ho[4 * i] == a[4 * i] + a[4 * i + 3] && ho[4 * i + 1] == a[4 * i + 1] &&
          ho[128 + 4 * i + 2] == a[4 * i + 2] && ho[256 + 4 * i + 3] == a[4 * i + 3];
    ok &= hp[2 * i + 1] == b[2 * (i ^ 1) + 1] && hp[2 * i] == b[2 * i];
    ok &= hq[4 * i + 2] == (unsigned char)(c[4 * i] + c[4 * i + 1]) && hq[4 * i + 3] == c[4 * i + 3];
    ok &= hr[2 * i] == -e[2 * i + 1] && hr[2 * i + 1] == e[2 * i + 1];
  }
  report("vector loads and stores", ok);
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  cudaFree(de);
  cudaFree(o);
  cudaFree(p);
  cudaFree(q);
  cudaFree(r);
}
__global__ void aggregated(int* cnt, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && (i * 2654435761u) >> 30) {
    auto g = cg::coalesced_threads();
    int b;
    if (g.thread_rank() == 0) b = atomicAdd(cnt, g.size());
    out[g.shfl(b, 0) + g.thread_rank()] = i;
  }
}
static void t_aggr() {
  int n = 5000;
  int* c = devn<int>(1);
  int* o = devn<int>(n);
  aggregated<<<(n + 127) / 128, 128>>>(c, o, n);
  int m = host(c, 1)[0];
  auto h = host(o, m);
  std::sort(h.begin(), h.end());
  vector<int> r;
  for (int i = 0; i < n; i++)
    if ((i * 2654435761u) >> 30) r.push_back(i);
  report("warp aggregated atomics", h == r);
  cudaFree(c);
  cudaFree(o);
}
__global__ void timers(long long* o) {
  long long a = clock64();
  unsigned long long g;
  asm volatile("mov.u64 %0,%%globaltimer;" : "=l"(g));
  __nanosleep(100);
  unsigned s;
  asm("mov.u32 %0,%%smid;" : "=r"(s));
  long long b = clock64();
  o[0] = b - a;
  o[1] = (long long)(g >> 1);
  o[2] = s;
}
__managed__ int mvar = 3;
__global__ void useManaged() {
  mvar *= 14;
}
static void t_misc() {
  long long* o = devn<long long>(3);
  timers<<<1, 1>>>(o);
  auto h = host(o, 3);
  bool ok = h[0] > 0 && h[1] > 0 && h[2] >= 0;
  mvar = 4;
  useManaged<<<1, 1>>>();
  CK(cudaDeviceSynchronize());
  ok &= mvar == 56;
  report("timers, __managed__ variable", ok);
  cudaFree(o);
}
__global__ void dec(int* c, int* hits, cudaGraphConditionalHandle h) {
  *hits += 1;
  if (--*c == 0) cudaGraphSetConditional(h, 0);
}
static void t_cond() {
  int* c = devn<int>(2);
  int five = 5;
  CK(cudaMemcpy(c, &five, 4, cudaMemcpyHostToDevice));
  cudaGraph_t g;
  CK(cudaGraphCreate(&g, 0));
  cudaGraphConditionalHandle h;
  CK(cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault));
  cudaGraphNodeParams p = {};
  p.type = cudaGraphNodeTypeConditional;
  p.conditional.handle = h;
  p.conditional.type = cudaGraphCondTypeWhile;
  p.conditional.size = 1;
  cudaGraphNode_t n;
  CK(cudaGraphAddNode(&n, g, nullptr, nullptr, 0, &p));
  cudaGraph_t body = p.conditional.phGraph_out[0];
  cudaStream_t s;
  CK(cudaStreamCreate(&s));
  CK(cudaStreamBeginCaptureToGraph(s, body, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
  dec<<<1, 1, 0, s>>>(c, c + 1, h);
  CK(cudaStreamEndCapture(s, nullptr));
  cudaGraphExec_t x;
  CK(cudaGraphInstantiate(&x, g, 0));
  CK(cudaGraphLaunch(x, s));
  CK(cudaStreamSynchronize(s));
  auto r = host(c, 2);
  report("conditional graph node (while)", r[0] == 0 && r[1] == 5);
  cudaFree(c);
  CK(cudaGraphExecDestroy(x));
  CK(cudaGraphDestroy(g));
  CK(cudaStreamDestroy(s));
}
int main() {
  t_params();
  t_lambda();
  t_libcu();
  t_rng();
  t_vecs();
  t_aggr();
  t_misc();
  t_async();
  t_cond();
  printf(failures ? "%d FAILURES\n" : "all passed\n", failures);
  return failures != 0;
}
