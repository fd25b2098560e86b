// SPDX-License-Identifier: MIT
// Device functions that the emulator provides: printf, malloc, free, assert, graph conditions.
#include "memory.h"

#include <algorithm>

namespace emu {
// ------------------------------------------------------------------ builtins
enum { BI_NONE, BI_VPRINTF, BI_MALLOC, BI_FREE, BI_ASSERT, BI_SETCOND, BI_NOP };
void setConditional(u64 handle, u32 value);
int builtinId(std::string_view n) {
  if (n == "vprintf") return BI_VPRINTF;
  if (n == "malloc") return BI_MALLOC;
  if (n == "free") return BI_FREE;
  if (n == "__assertfail") return BI_ASSERT;
  if (n == "cudaGraphSetConditional") return BI_SETCOND;
  return BI_NONE;
}
static std::string formatPrintf(Exec& x, u64 fmtA, u64 argA, int lane) {
  char* fmt = xlateString(x, fmtA, lane);
  if (!fmt) return "(bad printf format)";
  std::string out;
  u64 off = 0;
  auto arg = [&](u32 sz) -> u64 {
    off = (off + sz - 1) / sz * sz;
    u64 v = 0;
    char* p = xlate(x, nullptr, argA + off, sz, lane, false);
    if (p) memcpy(&v, p, sz);
    off += sz;
    return v;
  };
  for (char* p = fmt; *p;) {
    if (*p != '%') {
      out += *p++;
      continue;
    }
    if (p[1] == '%') {
      out += '%';
      p += 2;
      continue;
    }
    std::string spec = "%";
    ++p;
    int ll = 0;
    while (*p && strchr("-+ #0123456789.*", *p)) {
      if (*p == '*') {
        spec += std::to_string((int)arg(4));
      } else
        spec += *p;
      ++p;
    }
    while (*p == 'l' || *p == 'h' || *p == 'z' || *p == 'j' || *p == 't') {
      if (*p == 'l' || *p == 'z' || *p == 'j' || *p == 't') ++ll;
      ++p;
    }
    char c = *p ? *p++ : 0;
    char b[512];
    switch (c) {
      case 'd':
      case 'i':
        if (ll) {
          snprintf(b, sizeof b, (spec + "lld").c_str(), (long long)arg(8));
        } else
          snprintf(b, sizeof b, (spec + "d").c_str(), (int)arg(4));
        out += b;
        break;
      case 'u':
      case 'x':
      case 'X':
      case 'o':
        if (ll)
          snprintf(b, sizeof b, (spec + "ll" + c).c_str(), (unsigned long long)arg(8));
        else
          snprintf(b, sizeof b, (spec + c).c_str(), (unsigned)arg(4));
        out += b;
        break;
      case 'c':
        snprintf(b, sizeof b, (spec + "c").c_str(), (int)arg(4));
        out += b;
        break;
      case 'f':
      case 'F':
      case 'e':
      case 'E':
      case 'g':
      case 'G':
      case 'a':
      case 'A': {
        u64 v = arg(8);
        double d;
        memcpy(&d, &v, 8);
        snprintf(b, sizeof b, (spec + c).c_str(), d);
        out += b;
        break;
      }
      case 'p':
        snprintf(b, sizeof b, (spec + "p").c_str(), (void*)arg(8));
        out += b;
        break;
      case 's': {
        char* q = xlateString(x, arg(8), lane);
        std::string t(1024, 0);
        int n = snprintf(&t[0], t.size(), (spec + "s").c_str(), q ? q : "(null)");
        t.resize(std::min(n, 1023));
        out += t;
        break;
      }
      default:
        out += spec;
        if (c) out += c;
    }
  }
  return out;
}
void callBuiltin(Exec& x, const Ins& I, const CallInfo& c, u32 mask) {
  auto arg = [&](int k, int lane) -> u64 {
    u64 v = 0;
    auto& a = c.args[k];
    memcpy(&v, x.loc + (size_t)lane * x.locStride + x.fr->locBase + a.from, std::min(a.size, 8u));
    return v;
  };
  auto ret = [&](int lane, u64 v) {
    if (c.rets.empty()) return;
    auto& r = c.rets[0];
    memcpy(x.loc + (size_t)lane * x.locStride + x.fr->locBase + r.to, &v, std::min(r.size, 8u));
  };
  for (u32 m = mask; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    switch (c.builtin) {
      case BI_VPRINTF: {
        std::string s = formatPrintf(x, arg(0, l), arg(1, l), l);
        fwrite(s.data(), 1, s.size(), stdout);
        ret(l, 1);
        break;
      }
      case BI_MALLOC:
        ret(l, memAlloc(arg(0, l), MK_HEAP, ""));
        break;
      case BI_FREE: {
        u64 p = arg(0, l);
        if (p) {
          if (memFreeKind(p, MK_HEAP, MK_HEAP)) {
            reportFault(x, &I, FK_OOB, l, "free() of an invalid device pointer");
            return;
          }
          x.lastAlloc = nullptr;
          for (auto& r : x.rc) r = Range();
        }
        break;
      }
      case BI_ASSERT: {
        char* msg = xlateString(x, arg(0, l), l);
        char* file = xlateString(x, arg(1, l), l);
        u32 line = (u32)arg(2, l);
        char* fn = xlateString(x, arg(3, l), l);
        reportFault(x, &I, FK_ASSERT, l,
                    std::string(file ? file : "?") + ":" + std::to_string(line) + ": " + (fn ? fn : "?") +
                        ": assertion `" + (msg ? msg : "?") + "' failed");
        return;
      }
      case BI_SETCOND:
        setConditional(arg(0, l), (u32)arg(1, l));
        break;
    }
  }
}
}  // namespace emu
