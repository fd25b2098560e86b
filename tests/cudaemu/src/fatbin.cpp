// SPDX-License-Identifier: MIT
// Fat binaries: finds, decompresses and parses the PTX for the emulated device.
#include "runtime.h"

#include <dlfcn.h>

namespace emu {
static bool lz4(const u8* s, size_t n, std::string& out, size_t outSize) {
  const u8* e = s + n;
  out.clear();
  out.reserve(outSize);
  while (s < e) {
    u8 t = *s++;
    size_t l = t >> 4;
    if (l == 15) {
      u8 b;
      do {
        if (s >= e) return false;
        b = *s++;
        l += b;
      } while (b == 255);
    }
    if (s + l > e) return false;
    out.append((const char*)s, l);
    s += l;
    if (s >= e) break;
    if (s + 2 > e) return false;
    size_t off = s[0] | (s[1] << 8);
    s += 2;
    size_t m = t & 15;
    if (m == 15) {
      u8 b;
      do {
        if (s >= e) return false;
        b = *s++;
        m += b;
      } while (b == 255);
    }
    m += 4;
    if (off == 0 || off > out.size()) return false;
    for (size_t i = 0; i < m; i++) out += out[out.size() - off];
  }
  return true;
}
static bool zstd(const u8* s, size_t n, std::string& out, size_t outSize) {
  static void* h = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!h) return false;
  static auto f = (size_t(*)(void*, size_t, const void*, size_t))dlsym(h, "ZSTD_decompress");
  static auto isErr = (unsigned (*)(size_t))dlsym(h, "ZSTD_isError");
  if (!f || !isErr) return false;
  out.resize(outSize);
  size_t r = f(&out[0], outSize, s, n);
  if (isErr(r)) return false;
  out.resize(r);
  return true;
}
// collect the PTX texts of a fat binary: the best architecture for the emulated device
static void readFatbin(const u8* p, std::vector<std::pair<int, std::string>>& out, bool& hadSass) {
  u32 magic;
  memcpy(&magic, p, 4);
  if (magic != 0xBA55ED50) return;
  u16 hs;
  memcpy(&hs, p + 6, 2);
  u64 size;
  memcpy(&size, p + 8, 8);
  const u8* q = p + hs;
  const u8* e = q + size;
  while (q + 64 <= e) {
    u16 kind;
    memcpy(&kind, q, 2);
    u32 h;
    memcpy(&h, q + 4, 4);
    u64 sz;
    memcpy(&sz, q + 8, 8);
    u32 csz;
    memcpy(&csz, q + 16, 4);
    u32 arch;
    memcpy(&arch, q + 28, 4);
    u64 flags;
    memcpy(&flags, q + 40, 8);
    u64 usz = 0;
    if (h >= 64) memcpy(&usz, q + 56, 8);
    if (kind == 1) {
      std::string t;
      const u8* d = q + h;
      bool ok = true;
      if (flags & 0x8000)
        ok = zstd(d, csz, t, usz);
      else if (flags & 0x2000)
        ok = lz4(d, csz, t, usz);
      else {
        t.assign((const char*)d, sz);
      }
      if (!ok)
        fprintf(stderr, "cudaemu: cannot decompress the embedded PTX; compile with --compress-mode=none\n");
      else {
        while (!t.empty() && t.back() == 0) t.pop_back();
        size_t z = t.find('\0');
        if (z != std::string::npos) t.resize(z);
        out.push_back({(int)arch, t});
      }
    } else if (kind == 2)
      hadSass = true;
    if (h + sz == 0) break;
    q += h + sz;
  }
}
void loadFatbin(FatBinary& fb) {
  if (fb.loaded) return;
  fb.loaded = true;
  struct W {
    int magic, version;
    const u8* data;
    void* fb;
  };
  const W* w = (const W*)fb.wrapper;
  if (w->magic != 0x466243b1) {
    fprintf(stderr, "cudaemu: unknown fat binary format\n");
    return;
  }
  std::vector<const u8*> parts;
  if (w->version == 2 && w->fb) {
    void** a = (void**)w->fb;
    while (*a) {
      parts.push_back((const u8*)*a);
      ++a;
    }
  }
  if (parts.empty() || w->version != 2) parts.push_back(w->data);
  bool sass = false;
  int want = cfg.ccMajor * 10 + cfg.ccMinor;
  for (auto* p : parts) {
    std::vector<std::pair<int, std::string>> t;
    readFatbin(p, t, sass);
    int best = -1;
    for (size_t i = 0; i < t.size(); i++) {
      if (best < 0) {
        best = (int)i;
        continue;
      }
      int a = t[i].first, b = t[best].first;
      bool af = a <= want, bf = b <= want;
      if ((af && !bf) || (af && bf && a > b) || (!af && !bf && a < b)) best = (int)i;
    }
    if (best >= 0) {
      int arch = t[best].first;
      for (auto& q : t)
        if (q.first == arch) {
          auto m = std::make_unique<Module>();
          m->text = std::move(q.second);
          m->owner = &fb;
          if (!parseModule(*m)) fprintf(stderr, "cudaemu: %s\n", m->error.c_str());
          allModules.push_back(m.get());
          fb.modules.push_back(std::move(m));
        }
    }
  }
  if (fb.modules.empty() && sass && !cfg.quiet)
    fprintf(stderr, "cudaemu: a fat binary holds no PTX; compile with -gencode arch=compute_80,code=compute_80\n");
  for (auto& mv : fb.managed)
    for (auto& m : fb.modules) {
      auto it = m->varByName.find(mv.second);
      if (it != m->varByName.end() && !it->second->isExtern) {
        it->second->managed = true;
        placeModule(*m);
        *mv.first = (void*)it->second->addr;
      }
    }
}
}  // namespace emu
