// SPDX-License-Identifier: MIT
// CUB device algorithms against the host.
#include "check.h"

#include <algorithm>
#include <cstdint>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <cub/device/device_select.cuh>
#include <numeric>
using std::vector;
template <class F>
void twoPass(F f) {
  size_t b = 0;
  CK(f(nullptr, b));
  void* t;
  CK(cudaMalloc(&t, b ? b : 1));
  CK(f(t, b));
  CK(cudaDeviceSynchronize());
  CK(cudaFree(t));
}
static uint64_t seed = 7;
static uint64_t rnd() {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed;
}
template <class K>
void sortPairs(const char* name, int n, int shift) {
  vector<K> k(n);
  vector<int> v(n);
  for (int i = 0; i < n; i++) {
    k[i] = (K)(rnd() >> shift);
    v[i] = i;
  }
  K *dk = dev(k), *ok = devn<K>(n);
  int *dv = dev(v), *ov = devn<int>(n);
  twoPass([&](void* t, size_t& b) { return cub::DeviceRadixSort::SortPairs(t, b, dk, ok, dv, ov, n); });
  vector<int> idx(n);
  std::iota(idx.begin(), idx.end(), 0);
  std::stable_sort(idx.begin(), idx.end(), [&](int a, int b) { return k[a] < k[b]; });
  auto g = host(ov, n);
  auto gk = host(ok, n);
  bool okk = g == idx;
  for (int i = 0; i < n; i++) okk &= gk[i] == k[idx[i]];
  if constexpr (sizeof(K) == 4) {  // in place and descending; one type is enough
    cub::DoubleBuffer<K> kb(dk, ok);
    cub::DoubleBuffer<int> vb(dv, ov);
    CK(cudaMemcpy(dk, k.data(), n * sizeof(K), cudaMemcpyHostToDevice));
    twoPass([&](void* t, size_t& b) { return cub::DeviceRadixSort::SortPairsDescending(t, b, kb, vb, n); });
    auto gd = host(kb.Current(), n);
    for (int i = 0; i < n; i++) okk &= gd[i] == k[idx[n - 1 - i]];
  }
  report(name, okk);
  cudaFree(dk);
  cudaFree(ok);
  cudaFree(dv);
  cudaFree(ov);
}
struct Big {
  int t;
  __host__ __device__ bool operator()(int v) const { return v > t; }
};
int main() {
  sortPairs<uint32_t>("DeviceRadixSort pairs, 32-bit keys, 3000", 3000, 40);
  sortPairs<uint32_t>("DeviceRadixSort pairs, 32-bit keys, 1e5 (onesweep)", 100000, 32);
  sortPairs<uint64_t>("DeviceRadixSort pairs, 64-bit keys, 1e5 (onesweep)", 100000, 8);
  int n = 100000;
  vector<float> f(n);
  for (auto& v : f) v = (float)(int64_t)rnd() / 1e15f;
  float *df = dev(f), *of = devn<float>(n);
  twoPass([&](void* t, size_t& b) { return cub::DeviceRadixSort::SortKeys(t, b, df, of, n); });
  {
    auto r = f;
    std::sort(r.begin(), r.end());
    report("DeviceRadixSort float keys", host(of, n) == r);
  }
  vector<int> x(n);
  for (auto& v : x) v = (int)(rnd() % 200) - 50;
  int *dx = dev(x), *ox = devn<int>(n), *num = devn<int>(1);
  vector<int> r(n);
  twoPass([&](void* t, size_t& b) { return cub::DeviceScan::ExclusiveSum(t, b, dx, ox, n); });
  {
    r[0] = 0;
    for (int i = 1; i < n; i++) r[i] = r[i - 1] + x[i - 1];
    report("DeviceScan exclusive sum", host(ox, n) == r);
  }
  {
    long long* ol = devn<long long>(n);
    twoPass([&](void* t, size_t& b) {
      return cub::DeviceScan::InclusiveScan(
          t, b, dx, ol, [] __host__ __device__(long long a, long long b) { return a > b ? a : b; }, n);
    });
    auto g = host(ol, n);
    bool ok = true;
    long long m = -1000;
    for (int i = 0; i < n; i++) {
      m = std::max<long long>(m, x[i]);
      ok &= g[i] == m;
    }
    report("DeviceScan inclusive max, 64-bit", ok);
    cudaFree(ol);
  }
  twoPass([&](void* t, size_t& b) { return cub::DeviceSelect::If(t, b, dx, ox, num, n, Big{100}); });
  {
    vector<int> q;
    for (auto v : x)
      if (v > 100) q.push_back(v);
    int m = host(num, 1)[0];
    report("DeviceSelect::If", host(ox, m) == q);
  }
  {
    vector<char> fl(n);
    for (int i = 0; i < n; i++) fl[i] = x[i] % 3 == 0;
    char* dfl = dev(fl);
    twoPass([&](void* t, size_t& b) { return cub::DeviceSelect::Flagged(t, b, dx, dfl, ox, num, n); });
    vector<int> q;
    for (int i = 0; i < n; i++)
      if (fl[i]) q.push_back(x[i]);
    int m = host(num, 1)[0];
    report("DeviceSelect::Flagged", host(ox, m) == q);
    cudaFree(dfl);
  }
  {
    vector<int> y(n);
    for (int i = 0; i < n; i++) y[i] = i * 7 / 100;
    int *dy = dev(y), *cn = devn<int>(n);
    twoPass([&](void* t, size_t& b) { return cub::DeviceRunLengthEncode::Encode(t, b, dy, ox, cn, num, n); });
    vector<int> a, c;
    for (auto v : y) {
      if (a.empty() || a.back() != v) {
        a.push_back(v);
        c.push_back(0);
      }
      c.back()++;
    }
    int m = host(num, 1)[0];
    report("DeviceRunLengthEncode", m == (int)a.size() && host(ox, m) == a && host(cn, m) == c);
    cudaFree(dy);
    cudaFree(cn);
  }
  {
    int* o = devn<int>(2);
    twoPass([&](void* t, size_t& b) { return cub::DeviceReduce::Sum(t, b, dx, o, n); });
    twoPass([&](void* t, size_t& b) { return cub::DeviceReduce::Min(t, b, dx, o + 1, n); });
    auto g = host(o, 2);
    report("DeviceReduce sum and min",
           g[0] == std::accumulate(x.begin(), x.end(), 0) && g[1] == *std::min_element(x.begin(), x.end()));
    cudaFree(o);
  }
  {
    vector<int> off;
    int p = 0;
    while (p < n) {
      off.push_back(p);
      p += rnd() % 700;
    }
    off.push_back(n);
    int s = (int)off.size() - 1;
    int *dof = dev(off), *o = devn<int>(s);
    twoPass([&](void* t, size_t& b) { return cub::DeviceSegmentedReduce::Sum(t, b, dx, o, s, dof, dof + 1); });
    auto g = host(o, s);
    bool ok = true;
    for (int i = 0; i < s; i++) ok &= g[i] == std::accumulate(x.begin() + off[i], x.begin() + off[i + 1], 0);
    report("DeviceSegmentedReduce", ok);
    int* so = devn<int>(n);
    twoPass([&](void* t, size_t& b) { return cub::DeviceSegmentedSort::SortKeys(t, b, dx, so, n, s, dof, dof + 1); });
    auto gs = host(so, n);
    auto q = x;
    for (int i = 0; i < s; i++) std::sort(q.begin() + off[i], q.begin() + off[i + 1]);
    report("DeviceSegmentedSort", gs == q);
    cudaFree(dof);
    cudaFree(o);
    cudaFree(so);
  }
  {
    int* hi = devn<int>(20);
    twoPass([&](void* t, size_t& b) { return cub::DeviceHistogram::HistogramEven(t, b, dx, hi, 21, -50, 150, n); });
    auto g = host(hi, 20);
    vector<int> q(20, 0);
    for (auto v : x) q[(v + 50) / 10]++;
    report("DeviceHistogram", g == q);
    cudaFree(hi);
  }
  {
    vector<int> k(n);
    for (int i = 0; i < n; i++) k[i] = i / 13;
    int *dk = dev(k), *uk = devn<int>(n), *ag = devn<int>(n);
    twoPass([&](void* t, size_t& b) {
      return cub::DeviceReduce::ReduceByKey(t, b, dk, uk, dx, ag, num, ::cuda::std::plus<int>{}, n);
    });
    int m = host(num, 1)[0];
    auto g = host(ag, m);
    bool ok = m == (n + 12) / 13;
    for (int i = 0; i < m; i++) {
      int s = 0;
      for (int j = i * 13; j < std::min(n, i * 13 + 13); j++) s += x[j];
      ok &= g[i] == s;
    }
    report("DeviceReduce::ReduceByKey", ok);
    cudaFree(dk);
    cudaFree(uk);
    cudaFree(ag);
  }
  {
    vector<int> k = x;
    int* dk = dev(k);
    twoPass([&](void* t, size_t& b) {
      return cub::DeviceMergeSort::SortKeys(t, b, dk, n, [] __host__ __device__(int a, int b) { return a > b; });
    });
    auto g = host(dk, n);
    std::sort(k.begin(), k.end(), std::greater<int>());
    report("DeviceMergeSort", g == k);
    cudaFree(dk);
  }
  cudaFree(df);
  cudaFree(of);
  cudaFree(dx);
  cudaFree(ox);
  cudaFree(num);
  printf(failures ? "%d FAILURES\n" : "all passed\n", failures);
  return failures != 0;
}
