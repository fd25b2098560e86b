// SPDX-License-Identifier: MIT
// Divergence, warp and block synchronisation, atomics, cooperative groups, spinning threads.
#include "check.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
using std::vector;

__global__ void shuffles(int* out) {
  int l = threadIdx.x & 31;
  int v = l * 3 + 1;
  int* o = out + threadIdx.x * 8;
  o[0] = __shfl_sync(~0u, v, (l + 5) & 31);
  o[1] = __shfl_up_sync(~0u, v, 3);
  o[2] = __shfl_down_sync(~0u, v, 2, 8);
  o[3] = __shfl_xor_sync(~0u, v, 7);
  o[4] = __ballot_sync(~0u, l % 3 == 0);
  o[5] = __all_sync(~0u, l < 32) * 2 + __any_sync(~0u, l == 31);
  o[6] = __popc(__match_any_sync(~0u, l / 5));
  o[7] = __reduce_add_sync(~0u, (unsigned)v);
}
static void t_shfl() {
  int* d = devn<int>(64 * 8);
  shuffles<<<1, 64>>>(d);
  auto h = host(d, 64 * 8);
  bool ok = true;
  for (int t = 0; t < 64; t++) {
    int l = t & 31;
    auto V = [](int q) { return q * 3 + 1; };
    int* o = &h[t * 8];
    ok &= o[0] == V((l + 5) & 31);
    ok &= o[1] == (l >= 3 ? V(l - 3) : V(l));
    ok &= o[2] == ((l % 8) + 2 < 8 ? V(l + 2) : V(l));
    ok &= o[3] == V(l ^ 7);
    unsigned b = 0;
    int m = 0;
    for (int q = 0; q < 32; q++) {
      if (q % 3 == 0) b |= 1u << q;
      m += q / 5 == l / 5;
    }
    ok &= (unsigned)o[4] == b && o[5] == 3 && o[6] == m && o[7] == 31 * 32 / 2 * 3 + 32;
  }
  report("warp shuffles, votes, match, redux", ok);
  cudaFree(d);
}
__global__ void collatz(int* steps, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long v = i + 1;
  int s = 0;
  while (v != 1) {
    if (v & 1)
      v = 3 * v + 1;
    else
      v >>= 1;
    ++s;
    if (s > 100000) break;
  }
  steps[i] = s;
}
static void t_diverge() {
  int n = 5000;
  int* d = devn<int>(n);
  collatz<<<(n + 127) / 128, 128>>>(d, n);
  auto h = host(d, n);
  bool ok = true;
  for (int i = 0; i < n; i++) {
    unsigned long long v = i + 1;
    int s = 0;
    while (v != 1) {
      v = v & 1 ? 3 * v + 1 : v / 2;
      ++s;
    }
    ok &= s == h[i];
  }
  report("divergent loops", ok);
  cudaFree(d);
}
__global__ void divergedSync(int* out) {  // shuffles in divergent branches with member masks
  int l = threadIdx.x & 31;
  int r;
  if (l < 10) {
    r = __shfl_sync(0x3ff, l * 2, 9 - l);
    for (int i = 0; i < l; i++) r += 1;
  } else if (l & 1) {
    unsigned m = 0xaaaaaaaau & ~0x3ffu;
    r = __reduce_max_sync(m, (unsigned)l);
  } else {
    unsigned m = 0x55555555u & ~0x3ffu;
    r = __ballot_sync(m, l > 20) != 0 ? __popc(__ballot_sync(m, l > 20)) : -1;
  }
  __syncwarp();
  out[threadIdx.x] = r + __shfl_xor_sync(~0u, r, 1);
}
static void t_divsync() {
  int* d = devn<int>(32);
  divergedSync<<<1, 32>>>(d);
  auto h = host(d, 32);
  int r[32];
  for (int l = 0; l < 32; l++) r[l] = l < 10 ? (9 - l) * 2 + l : (l & 1) ? 31 : 5;
  bool ok = true;
  for (int l = 0; l < 32; l++) ok &= h[l] == r[l] + r[l ^ 1];
  report("member masks in divergent code", ok);
  cudaFree(d);
}
__global__ void atomics(int* i, float* f, double* d, unsigned long long* u, unsigned* w, int* cas) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int s;
  __shared__ float sf;
  if (threadIdx.x == 0) {
    s = 0;
    sf = 0;
  }
  __syncthreads();
  atomicAdd(&s, 1);
  atomicAdd(&sf, 0.5f);
  atomicAdd(&i[0], t);
  atomicMin(&i[1], t - 50);
  atomicMax(&i[2], t);
  atomicSub(&i[3], 2);
  atomicAdd(f, 1.f);
  atomicAdd(d, 0.25);
  atomicAdd(&u[0], 1ull << 33);
  atomicMax(&u[1], (unsigned long long)t << 32);
  atomicMin((long long*)&u[2], -(long long)t);
  atomicOr(&w[0], 1u << (t & 31));
  atomicAnd(&w[1], ~(1u << (t & 15)));
  atomicXor(&w[2], t);
  atomicInc(&w[3], 6);
  atomicDec(&w[4], 10);
  atomicExch(&w[5], 77u);
  int old = *(volatile int*)cas, assumed;
  do {
    assumed = old;
    old = atomicCAS(cas, assumed, assumed + 3);
  } while (old != assumed);
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(&i[4], s);
    atomicAdd(f + 1, sf);
  }
}
static void t_atomics() {
  vector<int> hi(8, 0);
  int* i = dev(hi);
  float* f = devn<float>(2);
  double* d = devn<double>(1);
  unsigned long long* u = devn<unsigned long long>(3);
  vector<unsigned> hw(8, 0);
  hw[1] = ~0u;
  hw[4] = 3;
  unsigned* w = dev(hw);
  int* cas = devn<int>(1);
  atomics<<<10, 100>>>(i, f, d, u, w, cas);
  CK(cudaDeviceSynchronize());
  auto ri = host(i, 8);
  auto rf = host(f, 2);
  auto rd = host(d, 1);
  auto ru = host(u, 3);
  auto rw = host(w, 8);
  auto rc = host(cas, 1);
  bool ok = ri[0] == 999 * 500 && ri[1] == -50 && ri[2] == 999 && ri[3] == -2000 && ri[4] == 1000 && rf[0] == 1000 &&
            rf[1] == 500 && rd[0] == 250 && ru[0] == 1000ull << 33 && ru[1] == 999ull << 32 &&
            (long long)ru[2] == -999 && rw[0] == ~0u && rw[1] == 0xffff0000u && rw[5] == 77 && rc[0] == 3000;
  unsigned x = 0, inc = 0, dec = 3;
  for (int t = 0; t < 1000; t++) {
    x ^= t;
    inc = inc >= 6 ? 0 : inc + 1;
    dec = dec == 0 || dec > 10 ? 10 : dec - 1;
  }
  ok &= rw[2] == x && rw[3] == inc && rw[4] == dec;
  report("atomics", ok);
  cudaFree(i);
  cudaFree(f);
  cudaFree(d);
  cudaFree(u);
  cudaFree(w);
  cudaFree(cas);
}
__global__ void tiles(int* o) {
  auto b = cg::this_thread_block();
  auto t16 = cg::tiled_partition<16>(b);
  auto t4 = cg::tiled_partition<4>(t16);
  auto w = cg::tiled_partition<32>(b);
  int v = b.thread_rank();
  int s16 = cg::reduce(t16, v, cg::plus<int>());
  int m4 = cg::reduce(t4, v, cg::greater<int>());
  int sc = 0;
  for (int i = 1; i < 4; i <<= 1) sc += t4.shfl_up(v, i);
  int co = 0;
  if (v % 3 == 0) {
    auto g = cg::coalesced_threads();
    co = g.size() * 100 + g.thread_rank();
  }
  unsigned bl = t16.ballot(v & 1);
  o[v * 5] = s16;
  o[v * 5 + 1] = m4;
  o[v * 5 + 2] = sc;
  o[v * 5 + 3] = co;
  o[v * 5 + 4] = bl + w.meta_group_rank() * 65536;
}
static void t_tiles() {
  int n = 96;
  int* o = devn<int>(n * 5);
  tiles<<<1, n>>>(o);
  CK(cudaDeviceSynchronize());
  auto h = host(o, n * 5);
  bool ok = true;
  for (int v = 0; v < n; v++) {
    int b = v / 16 * 16, s = 0;
    for (int i = b; i < b + 16; i++) s += i;
    int q = v / 4 * 4;
    int sc = (v % 4 >= 1 ? v - 1 : v) + (v % 4 >= 2 ? v - 2 : v);
    int wb = v / 32 * 32, cnt = 0, rk = 0;
    for (int i = wb; i < wb + 32; i++)
      if (i % 3 == 0) {
        if (i < v) ++rk;
        ++cnt;
      }
    int co = v % 3 == 0 ? cnt * 100 + rk : 0;
    ok &= h[v * 5] == s && h[v * 5 + 1] == q + 3 && h[v * 5 + 2] == sc && h[v * 5 + 3] == co &&
          h[v * 5 + 4] == 0xaaaa + v / 32 * 65536;
  }
  report("cooperative groups tiles", ok);
  cudaFree(o);
}
__global__ void gridSync(int* data, int n, int iters) {
  auto g = cg::this_grid();
  for (int k = 0; k < iters; k++) {
    for (int i = g.thread_rank(); i < n; i += g.size()) data[(k + 1) * n + i] = data[k * n + (i + 1) % n] + 1;
    g.sync();
  }
}
static void t_grid() {
  int n = 3000, it = 6;
  vector<int> h((it + 1) * n, 0);
  for (int i = 0; i < n; i++) h[i] = i * 3;
  int* d = dev(h);
  void* args[] = {&d, &n, &it};
  CK(cudaLaunchCooperativeKernel((void*)gridSync, dim3(20), dim3(64), args, 0, 0));
  CK(cudaDeviceSynchronize());
  auto r = host(d, h.size());
  bool ok = true;
  for (int i = 0; i < n; i++) ok &= r[it * n + i] == ((i + it) % n) * 3 + it;
  report("cooperative launch with grid sync", ok);
  cudaFree(d);
}
__global__ void handBarrier(int* flag, int* out) {
  if (threadIdx.x == 0) {
    atomicAdd(flag, 1);
    while (atomicAdd(flag, 0) < gridDim.x) {
    }
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = *(volatile int*)flag;
}
static void t_hand() {
  int* f = devn<int>(1);
  int* o = devn<int>(8 * 64);
  handBarrier<<<8, 64>>>(f, o);
  CK(cudaDeviceSynchronize());
  auto h = host(o, 8 * 64);
  bool ok = true;
  for (auto v : h) ok &= v == 8;
  report("hand made grid barrier", ok);
  cudaFree(f);
  cudaFree(o);
}
__global__ void spinLock(int* lock, int* cnt) {
  for (int k = 0; k < 3; k++) {
    bool done = false;
    while (!done) {
      if (atomicCAS(lock, 0, 1) == 0) {
        int v = *(volatile int*)cnt;
        *(volatile int*)cnt = v + 1;
        __threadfence();
        atomicExch(lock, 0);
        done = true;
      }
    }
  }
}
__global__ void spinLock2(int* lock, int* cnt) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  int v = *(volatile int*)cnt;
  *(volatile int*)cnt = v + 1;
  __threadfence();
  atomicExch(lock, 0);
}
static void t_lock() {
  int* l = devn<int>(1);
  int* c = devn<int>(1);
  spinLock<<<3, 64>>>(l, c);
  spinLock2<<<2, 64>>>(l, c);
  CK(cudaDeviceSynchronize());
  report("spin locks inside a warp", host(c, 1)[0] == 3 * 64 * 3 + 128);
  cudaFree(l);
  cudaFree(c);
}
__global__ void producer(int* o) {
  __shared__ volatile int flag;
  __shared__ int data[32];
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x >= 32) {
    data[threadIdx.x - 32] = threadIdx.x * 2;
    __threadfence_block();
    __syncwarp();
    if (threadIdx.x == 32) flag = 1;
  } else {
    while (!flag) {
    }
    __threadfence_block();
    o[threadIdx.x] = data[threadIdx.x];
  }
}
__global__ void named(int* o) {
  __shared__ int s[64];
  int w = threadIdx.x / 32;
  if (w < 2) {
    s[threadIdx.x] = threadIdx.x + 1;
    asm volatile("bar.sync 1, 64;" ::: "memory");
    o[threadIdx.x] = s[63 - threadIdx.x];
  } else {
    o[threadIdx.x] = __syncthreads_count(0) * 0 + 7;
    return;
  }
  __syncthreads_count(1);
  o[threadIdx.x] += 0;
}
__global__ void syncRed(int* o) {
  int t = threadIdx.x;
  o[t * 3] = __syncthreads_count(t % 3 == 0);
  o[t * 3 + 1] = __syncthreads_and(t < 1000) * 2 + __syncthreads_and(t != 5);
  o[t * 3 + 2] = __syncthreads_or(t == 77) * 2 + __syncthreads_or(t > 5000);
}
static void t_bars() {
  int* o = devn<int>(600);
  producer<<<1, 64>>>(o);
  auto h = host(o, 32);
  bool ok = true;
  for (int i = 0; i < 32; i++) ok &= h[i] == (i + 32) * 2;
  report("spin between warps of a block", ok);
  syncRed<<<1, 200>>>(o);
  h = host(o, 600);
  ok = true;
  for (int t = 0; t < 200; t++) ok &= h[t * 3] == 67 && h[t * 3 + 1] == 2 && h[t * 3 + 2] == 2;
  report("barrier reductions", ok);
  named<<<1, 96>>>(o);
  CK(cudaDeviceSynchronize());
  h = host(o, 96);
  ok = true;
  for (int t = 0; t < 64; t++) ok &= h[t] == 64 - t;
  report("named barriers", ok);
  cudaFree(o);
}
int main() {
  t_shfl();
  t_diverge();
  t_divsync();
  t_atomics();
  t_tiles();
  t_grid();
  t_hand();
  t_lock();
  t_bars();
  printf(failures ? "%d FAILURES\n" : "all passed\n", failures);
  return failures != 0;
}
