// SPDX-License-Identifier: MIT
// Thrust algorithms on 1e5 elements against the host.
#include "check.h"

#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>
#include <algorithm>
#include <numeric>
using std::vector;
struct Even {
  __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};
struct Sq {
  __host__ __device__ float operator()(int x) const { return (float)x * x * 0.5f; }
};
int main() {
  const int n = 100000;
  vector<int> h(n);
  unsigned s = 12345;
  for (auto& v : h) {
    s = s * 1664525u + 1013904223u;
    v = (int)(s >> 8) % 50000 - 25000;
  }
  thrust::device_vector<int> d(h.begin(), h.end());
  {
    auto v = d;
    thrust::sort(v.begin(), v.end());
    auto r = h;
    std::sort(r.begin(), r.end());
    vector<int> g(n);
    thrust::copy(v.begin(), v.end(), g.begin());
    report("thrust::sort", g == r);
    auto e = thrust::unique(v.begin(), v.end());
    r.erase(std::unique(r.begin(), r.end()), r.end());
    g.resize(e - v.begin());
    thrust::copy(v.begin(), e, g.begin());
    report("thrust::unique", g == r);
    thrust::device_vector<int> pos(n);
    thrust::lower_bound(v.begin(), e, d.begin(), d.end(), pos.begin());
    vector<int> gp(n);
    thrust::copy(pos.begin(), pos.end(), gp.begin());
    bool ok = true;
    for (int i = 0; i < n; i++) ok &= r[gp[i]] == h[i];
    report("thrust::lower_bound", ok);
  }
  {
    long long r = 0;
    for (auto v : h) r += v;
    report("thrust::reduce", thrust::reduce(d.begin(), d.end(), 0ll) == r);
    double t = thrust::transform_reduce(d.begin(), d.end(), Sq(), 0.0, thrust::plus<double>());
    double q = 0;
    for (auto v : h) q += Sq()(v);
    report("thrust::transform_reduce", fabs(t - q) < 1e-9 * q);
  }
  {
    thrust::device_vector<int> o(n);
    thrust::inclusive_scan(d.begin(), d.end(), o.begin());
    vector<int> r(n), g(n);
    std::partial_sum(h.begin(), h.end(), r.begin());
    thrust::copy(o.begin(), o.end(), g.begin());
    report("thrust::inclusive_scan", g == r);
    thrust::exclusive_scan(d.begin(), d.end(), o.begin(), 7);
    thrust::copy(o.begin(), o.end(), g.begin());
    bool ok = g[0] == 7;
    for (int i = 1; i < n; i++) ok &= g[i] == r[i - 1] + 7;
    report("thrust::exclusive_scan", ok);
  }
  {
    auto k = d;
    thrust::device_vector<int> v(n);
    thrust::sequence(v.begin(), v.end());
    thrust::stable_sort_by_key(k.begin(), k.end(), v.begin());
    vector<int> idx(n), g(n);
    std::iota(idx.begin(), idx.end(), 0);
    std::stable_sort(idx.begin(), idx.end(), [&](int a, int b) { return h[a] < h[b]; });
    thrust::copy(v.begin(), v.end(), g.begin());
    report("thrust::sort_by_key", g == idx);
    thrust::device_vector<int> ok(n), oc(n);
    auto e = thrust::reduce_by_key(k.begin(), k.end(), thrust::make_constant_iterator(1), ok.begin(), oc.begin());
    int m = e.first - ok.begin();
    auto r = h;
    std::sort(r.begin(), r.end());
    vector<int> rk, rc;
    for (auto q : r) {
      if (rk.empty() || rk.back() != q) {
        rk.push_back(q);
        rc.push_back(0);
      }
      rc.back()++;
    }
    vector<int> gk(m), gc(m);
    thrust::copy(ok.begin(), ok.begin() + m, gk.begin());
    thrust::copy(oc.begin(), oc.begin() + m, gc.begin());
    report("thrust::reduce_by_key", gk == rk && gc == rc);
  }
  {
    thrust::device_vector<float> f(n);
    thrust::transform(d.begin(), d.end(), f.begin(), Sq());
    vector<float> g(n);
    thrust::copy(f.begin(), f.end(), g.begin());
    bool ok = true;
    for (int i = 0; i < n; i++) ok &= g[i] == Sq()(h[i]);
    report("thrust::transform", ok);
  }
  {
    thrust::device_vector<int> o(n);
    auto e = thrust::copy_if(d.begin(), d.end(), o.begin(), Even());
    vector<int> r, g(e - o.begin());
    std::copy_if(h.begin(), h.end(), std::back_inserter(r), Even());
    thrust::copy(o.begin(), e, g.begin());
    report("thrust::copy_if", g == r);
  }
  printf(failures ? "%d FAILURES\n" : "all passed\n", failures);
  return failures != 0;
}
