// SPDX-License-Identifier: MIT
// Counters of the host API and of the kernels.
#pragma once
#include "common.h"

namespace emu {
extern bool counting;  // false outside of cudaProfilerStart/Stop when CUDAEMU_PROFILE_RANGE is set
struct ApiCount {
  std::atomic<u64> v{0};
  void operator++(int) {
    if (counting) v++;
  }
  void operator+=(u64 n) {
    if (counting) v += n;
  }
  operator u64() const { return v.load(); }
};
struct ApiCounters {
  ApiCount launches, graphLaunches, graphNodes, memcpyH2D, memcpyD2H, memcpyD2D, memcpyH2H, bytesH2D, bytesD2H,
      bytesD2D, memsets, syncs, mallocs, frees, blockingCopies;
  void reset() {
    for (ApiCount* c = &launches; c <= &blockingCopies; c++) c->v = 0;
  }
};
extern ApiCounters api;
KernelStats* statsFor(const std::string& name);
void resetProfile();
u64 totalThreadInstructions();
void writeProfile(const std::string& file);  // a table, or JSON if the name ends in .json
}  // namespace emu
