// SPDX-License-Identifier: MIT
// Start and end of the process: configuration, reports and the exit code.
// Must be the last source of the library: its static object is constructed after and destroyed before all others.
#include "runtime.h"

#include <unistd.h>
#include <csignal>
#include <cstdlib>

namespace emu {
std::recursive_mutex apiLock;
static std::atomic<bool> inited{false};
static pid_t mainPid = 0;
static void atEnd() {
  if (getpid() != mainPid) return;
  fflush(stdout);
  if (cfg.profile) writeProfile(cfg.profileFile);
  int leaks = cfg.leak ? memReportLeaks() : 0, undecoded = 0;
  if (cfg.decodeAll) {  // decode every kernel of the program, used or not
    int n = 0;
    for (auto* fb : fatbins) {
      loadFatbin(*fb);
      for (auto& m : fb->modules)
        for (auto& f : m->funcs)
          if (f->entry && f->hasBody) {
            KernelImage* im = getImage(*m, f->name);
            ++n;
            if (!im || !im->error.empty()) {
              ++undecoded;
              fprintf(stderr, "cudaemu: %s\n", im ? im->error.c_str() : f->name.c_str());
            }
          }
    }
    fprintf(stderr, "cudaemu: %d kernels decoded, %d with unsupported instructions\n", n, undecoded);
  }
  if (pendingOps) fprintf(stderr, "cudaemu: %ld operations were never waited for and did not run\n", pendingOps.load());
  if (raceReports)
    fprintf(stderr, "cudaemu: %ld data race%s reported\n", raceReports.load(), raceReports == 1 ? "" : "s");
  if (uninitReports)
    fprintf(stderr, "cudaemu: %ld uninitialised read%s reported\n", uninitReports.load(),
            uninitReports == 1 ? "" : "s");
  if (int e = deviceError.load())
    fprintf(stderr, "cudaemu: the device failed with %s\n", cudaGetErrorName((cudaError_t)e));
  const char* x = getenv("CUDAEMU_ERROR_EXITCODE");
  int code = x ? atoi(x) : 86;
  if (code && (raceReports || uninitReports || (cfg.leakFail && leaks) || undecoded || (x && deviceError))) {
    fflush(nullptr);
    _exit(code);
  }
}
// a host access to device memory traps (the program's view has no access rights): say so
static struct sigaction oldSegv;
static void onSegv(int sig, siginfo_t* si, void* ctx) {
  if (isDeviceAddr((u64)si->si_addr)) {
    char b[200];
    int n = snprintf(b, sizeof b, "cudaemu: ERROR: host code accesses device memory at %p\n", si->si_addr);
    (void)!write(2, b, (size_t)n);
  }
  sigaction(SIGSEGV, &oldSegv, nullptr);
  if ((oldSegv.sa_flags & SA_SIGINFO) && oldSegv.sa_sigaction)
    oldSegv.sa_sigaction(sig, si, ctx);  // otherwise the access repeats and kills the process
}
void initRuntime() {
  if (inited.exchange(true)) return;
  mainPid = getpid();
  loadConfig();
  memInit();
  if (cfg.profileRange) counting = false;
  struct sigaction sa;
  memset(&sa, 0, sizeof sa);
  sa.sa_sigaction = onSegv;
  sa.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &sa, &oldSegv);
}
struct Life {
  Life() { initRuntime(); }
  ~Life() { atEnd(); }
};
static Life life;
}  // namespace emu
