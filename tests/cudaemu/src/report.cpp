// SPDX-License-Identifier: MIT
// Reports of faults and warnings: kernel, block, thread, PTX line and source line.
#include "report.h"
#include "ptx.h"

#include <set>

namespace emu {
std::atomic<int> deviceError{0};
std::atomic<long> raceReports{0}, uninitReports{0}, syncReports{0};
std::mutex reportLock;
std::string where(Exec& x, const Ins* I, int lane) {
  char b[160];
  const Launch& L = *x.L;
  const u32 none[3] = {0, 0, 0};
  const u32* c = x.blk ? x.blk->ctaid : none;
  std::string s = "\n    kernel " + L.k->pretty;
  snprintf(b, sizeof b, "\n    block (%u,%u,%u) thread (%u,%u,%u)", c[0], c[1], c[2], x.w ? x.w->tid[0][lane] : 0,
           x.w ? x.w->tid[1][lane] : 0, x.w ? x.w->tid[2][lane] : 0);
  s += b;
  if (I) {
    s += ", PTX line " + std::to_string(I->ptxLine);
    if (I->srcLine) {
      auto& f = L.k->mod->files;
      s += ", " + (I->srcFile < f.size() ? f[I->srcFile] : std::string("source")) + ":" + std::to_string(I->srcLine);
    }
  }
  return s;
}
void reportFault(Exec& x, const Ins* I, int kind, int lane, const std::string& msg) {
  x.fault = true;
  x.L->failed = 1;
  int none = 0;
  std::lock_guard<std::mutex> g(reportLock);
  bool first = deviceError.compare_exchange_strong(none, kind);
  if (first || cfg.trace) {
    fflush(stdout);
    fprintf(stderr, "cudaemu: ERROR: %s%s\n", msg.c_str(), where(x, I, lane).c_str());
    fflush(stderr);
  }
  if (cfg.abortOnError) {
    fflush(stdout);
    abort();
  }
}
void reportWarning(Exec& x, const Ins* I, int lane, const std::string& msg) {
  std::lock_guard<std::mutex> g(reportLock);
  static auto& seen = *new std::set<std::pair<std::string, u32>>;
  if (!seen.insert({x.L->k->name, I ? I->ptxLine : 0}).second) return;
  if (++syncReports > cfg.maxReports) return;
  fprintf(stderr, "cudaemu: WARNING: %s%s\n", msg.c_str(), where(x, I, lane).c_str());
}
}  // namespace emu
