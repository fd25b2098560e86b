// SPDX-License-Identifier: MIT
// Configuration from environment variables.
#include "common.h"

#include <algorithm>
#include <cstdlib>

namespace emu {
Config cfg;
static bool flag(const char* n, bool d) {
  const char* v = getenv(n);
  return v ? *v && strcmp(v, "0") != 0 : d;
}
static long num(const char* n, long d) {
  const char* v = getenv(n);
  return v && *v ? strtol(v, nullptr, 0) : d;
}
void loadConfig() {
  static bool done = false;
  if (done) return;
  done = true;
  cfg.threads = (int)std::clamp(num("CUDAEMU_THREADS", 1), 1l, 256l);
  const char* r = getenv("CUDAEMU_RACE");
  cfg.race = r && *r && strcmp(r, "0");
  cfg.raceStrict = r && strcmp(r, "lockstep");
  const char* un = getenv("CUDAEMU_UNINIT");
  cfg.uninit = un && *un && strcmp(un, "0");
  cfg.uninitShared = un && (!strcmp(un, "shared") || !strcmp(un, "2"));
  cfg.sync = flag("CUDAEMU_SYNCCHECK", false);
  const char* l = getenv("CUDAEMU_LEAK");
  cfg.leak = l && *l && strcmp(l, "0");
  cfg.leakFail = l && !strcmp(l, "fail");
  const char* p = getenv("CUDAEMU_PROFILE");
  if (p && *p) {
    cfg.profile = true;
    cfg.profileFile = p;
  }
  cfg.profileRange = flag("CUDAEMU_PROFILE_RANGE", false);
  cfg.profileLines = cfg.profile && flag("CUDAEMU_PROFILE_LINES", false);
  if (const char* skip = getenv("CUDAEMU_PROFILE_SKIP"); skip && cfg.profile) cfg.profileSkip = skip;
  cfg.l2MB = cfg.profile ? (int)std::clamp(num("CUDAEMU_L2_MB", 0), 0l, 65536l) : 0;
  cfg.order = (u32)num("CUDAEMU_ORDER", 0);
  if (const char* as = getenv("CUDAEMU_ASYNC")) cfg.async = !strcmp(as, "reverse") ? 2 : flag("CUDAEMU_ASYNC", false);
  cfg.abortOnError = flag("CUDAEMU_ABORT", false);
  cfg.trace = flag("CUDAEMU_TRACE", false);
  cfg.quiet = flag("CUDAEMU_QUIET", false);
  cfg.memBytes = (u64)std::clamp(num("CUDAEMU_MEM_MB", 16384), 1l, 1l << 24) << 20;
  cfg.fill = (int)num("CUDAEMU_FILL", -1);
  if (cfg.fill >= 0) cfg.fill &= 255;
  cfg.sms = (int)std::clamp(num("CUDAEMU_SMS", 108), 1l, 100000l);
  cfg.maxInstr = (u64)num("CUDAEMU_MAX_INSTR", 0);
  cfg.decodeAll = flag("CUDAEMU_DECODE_ALL", false);
  cfg.hostAccess = flag("CUDAEMU_HOST_ACCESS", false);
  cfg.maxReports = (int)num("CUDAEMU_MAX_REPORTS", 10);
  if (const char* a = getenv("CUDAEMU_ARCH")) {
    int v = atoi(a);
    if (v >= 50) {
      cfg.ccMajor = v / 10;
      cfg.ccMinor = v % 10;
    }
  }
}
}  // namespace emu
