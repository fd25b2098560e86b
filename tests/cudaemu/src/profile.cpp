// SPDX-License-Identifier: MIT
// Counters per kernel, written at exit as a table or as JSON.
#include "profile.h"
#include "ptx.h"

#include <algorithm>

namespace emu {
ApiCounters api;
static std::map<std::string, std::unique_ptr<KernelStats>> all;
static std::mutex m;
KernelStats* statsFor(const std::string& name) {
  std::lock_guard<std::mutex> g(m);
  auto& p = all[name];
  if (!p) {
    p = std::make_unique<KernelStats>();
    p->name = name;
  }
  return p.get();
}
static std::string esc(const std::string& s) {
  std::string r;
  for (char c : s) {
    if (c == '"' || c == '\\') r += '\\';
    r += c;
  }
  return r;
}
struct LineRow {
  std::string kernel, file;
  u32 line;
  u64 hits, sectors;
};
static std::vector<LineRow> lineTable() {  // instructions summed per source line (PTX line without -lineinfo)
  std::map<std::tuple<std::string, std::string, u32>, std::pair<u64, u64>> t;
  for (auto* m : allModules)
    for (auto& im : m->images)
      for (auto& fi : im.second->funcs)
        for (size_t i = 0; i < fi->hits.size(); i++)
          if (fi->hits[i]) {
            const Ins& I = fi->code[i];
            bool src = I.srcLine && I.srcFile < m->files.size();
            auto& r = t[{im.second->pretty, src ? m->files[I.srcFile] : "PTX", src ? I.srcLine : I.ptxLine}];
            r.first += fi->hits[i];
            r.second += fi->sectors[i];
          }
  std::vector<LineRow> v;
  for (auto& kv : t)
    v.push_back(
        {std::get<0>(kv.first), std::get<1>(kv.first), std::get<2>(kv.first), kv.second.first, kv.second.second});
  std::sort(v.begin(), v.end(), [](const LineRow& a, const LineRow& b) { return a.hits > b.hits; });
  return v;
}
bool counting = true;
u64 totalThreadInstructions() {
  std::lock_guard<std::mutex> g(m);
  u64 n = 0;
  for (auto& kv : all) n += kv.second->c.threadInstr;
  return n;
}
void resetProfile() {
  std::lock_guard<std::mutex> g(m);
  for (auto& kv : all) {
    auto& s = *kv.second;
    s.launches = s.blocks = s.threads = 0;
    s.hostSeconds = 0;
    s.c = Counters();
    s.maxShared = 0;
  }
  api.reset();
}
void writeProfile(const std::string& file) {
  FILE* f = file == "-" || file == "1" ? stderr : fopen(file.c_str(), "w");
  if (!f) {
    fprintf(stderr, "cudaemu: cannot write %s\n", file.c_str());
    return;
  }
  std::vector<KernelStats*> v;
  Counters tot;
  u64 launches = 0;
  for (auto& kv : all)
    if (kv.second->launches) {
      v.push_back(kv.second.get());
      tot.add(kv.second->c);
      launches += kv.second->launches;
    }
  std::sort(v.begin(), v.end(), [](auto* a, auto* b) { return a->c.warpInstr > b->c.warpInstr; });
  bool json = file.size() > 5 && file.substr(file.size() - 5) == ".json";
  auto eff = [](u64 bytes, u64 sectors) { return sectors ? 100.0 * bytes / (sectors * 32.0) : 0.0; };
  typedef unsigned long long ull;
  if (json) {
    fprintf(f,
            "{\n \"api\": {\"kernel_launches\": %llu, \"graph_launches\": %llu, \"graph_nodes_run\": %llu, "
            "\"memcpy_h2d\": %llu, \"memcpy_d2h\": %llu, \"memcpy_d2d\": %llu, \"bytes_h2d\": %llu, \"bytes_d2h\": "
            "%llu, \"bytes_d2d\": %llu, \"memsets\": %llu, \"host_syncs\": %llu, \"blocking_copies\": %llu, "
            "\"allocations\": %llu, \"frees\": %llu},\n \"kernels\": [\n",
            (ull)launches, (ull)api.graphLaunches, (ull)api.graphNodes, (ull)api.memcpyH2D, (ull)api.memcpyD2H,
            (ull)api.memcpyD2D, (ull)api.bytesH2D, (ull)api.bytesD2H, (ull)api.bytesD2D, (ull)api.memsets,
            (ull)api.syncs, (ull)api.blockingCopies, (ull)api.mallocs, (ull)api.frees);
    for (size_t i = 0; i < v.size(); i++) {
      auto& s = *v[i];
      auto& c = s.c;
      fprintf(f,
              "  {\"name\": \"%s\", \"mangled\": \"%s\", \"launches\": %llu, \"blocks\": %llu, \"threads\": %llu, "
              "\"warp_instructions\": %llu, \"thread_instructions\": %llu, \"avg_active_lanes\": %.3f, \"branches\": "
              "%llu, \"divergent_branches\": %llu,"
              " \"global_load_requests\": %llu, \"global_store_requests\": %llu, \"global_load_sectors\": %llu, "
              "\"global_store_sectors\": %llu, \"global_load_unique_sectors\": %llu, \"global_store_unique_sectors\": "
              "%llu, \"dram_read_sectors\": %llu, \"dram_write_sectors\": %llu, \"global_load_bytes\": %llu, "
              "\"global_store_bytes\": %llu, \"global_load_efficiency\": %.2f, \"global_store_efficiency\": %.2f,"
              " \"shared_load_requests\": %llu, \"shared_store_requests\": %llu, \"shared_bank_conflicts\": %llu, "
              "\"local_load_requests\": %llu, \"local_store_requests\": %llu, \"global_atomic_requests\": %llu, "
              "\"global_atomic_lanes\": %llu, \"global_atomic_sectors\": %llu, \"global_atomic_conflicts\": %llu, "
              "\"shared_atomic_requests\": %llu, \"shared_atomic_conflicts\": %llu, \"barriers\": %llu, "
              "\"warp_syncs\": %llu, \"max_shared_bytes\": %u, \"emulator_seconds\": %.6f}%s\n",
              esc(demangle(s.name)).c_str(), s.name.c_str(), (ull)s.launches, (ull)s.blocks, (ull)s.threads,
              (ull)c.warpInstr, (ull)c.threadInstr, c.warpInstr ? (double)c.threadInstr / c.warpInstr : 0,
              (ull)c.branches, (ull)c.divergent, (ull)c.gld, (ull)c.gst, (ull)c.gldSectors, (ull)c.gstSectors,
              (ull)c.gldUnique, (ull)c.gstUnique, (ull)c.dramRead, (ull)c.dramWrite, (ull)c.gldBytes, (ull)c.gstBytes,
              eff(c.gldBytes, c.gldSectors), eff(c.gstBytes, c.gstSectors), (ull)c.sld, (ull)c.sst,
              (ull)c.bankConflicts, (ull)c.lld, (ull)c.lst, (ull)c.atom, (ull)c.atomLanes, (ull)c.atomSectors,
              (ull)c.atomConflicts, (ull)c.satom, (ull)c.satomConflicts, (ull)c.barriers, (ull)c.warpSyncs, s.maxShared,
              s.hostSeconds, i + 1 < v.size() ? "," : "");
    }
    fprintf(f, " ]");
    if (cfg.profileLines) {
      fprintf(f, ",\n \"lines\": [\n");
      auto ls = lineTable();
      for (size_t i = 0; i < ls.size(); i++) {
        auto& l = ls[i];
        fprintf(f,
                "  {\"kernel\": \"%s\", \"file\": \"%s\", \"line\": %u, \"warp_instructions\": %llu, "
                "\"global_sectors\": %llu}%s\n",
                esc(l.kernel).c_str(), esc(l.file).c_str(), l.line, (ull)l.hits, (ull)l.sectors,
                i + 1 < ls.size() ? "," : "");
      }
      fprintf(f, " ]");
    }
    fprintf(f, "\n}\n");
  } else {
    fprintf(f,
            "cudaemu profile (work counted, not GPU time)\nkernel launches %llu, graph launches %llu (%llu nodes), "
            "memcpy H2D %llu (%llu B) D2H %llu (%llu B) D2D %llu (%llu B), memsets %llu, host synchronisations %llu, "
            "blocking copies %llu, allocations %llu, frees %llu\n",
            (ull)launches, (ull)api.graphLaunches, (ull)api.graphNodes, (ull)api.memcpyH2D, (ull)api.bytesH2D,
            (ull)api.memcpyD2H, (ull)api.bytesD2H, (ull)api.memcpyD2D, (ull)api.bytesD2D, (ull)api.memsets,
            (ull)api.syncs, (ull)api.blockingCopies, (ull)api.mallocs, (ull)api.frees);
    fprintf(f, "%8s %10s %14s %16s %6s %6s %12s %12s %14s %14s %12s %12s %6s %6s %12s %10s %12s %10s %10s %9s  %s\n",
            "launches", "blocks", "warp instr", "thread instr", "lanes", "div%", "gld req", "gst req", "ld sectors",
            "st sectors", "ld unique", "st unique", "ld%", "st%", "shared req", "bankconf", "atomics", "atomconf",
            "barriers", "emu s", "kernel");
    auto row = [&](const char* n, u64 la, u64 bl, const Counters& c, double sec) {
      fprintf(f,
              "%8llu %10llu %14llu %16llu %6.2f %6.2f %12llu %12llu %14llu %14llu %12llu %12llu %6.1f %6.1f %12llu "
              "%10llu %12llu %10llu %10llu %9.3f  %s\n",
              (ull)la, (ull)bl, (ull)c.warpInstr, (ull)c.threadInstr,
              c.warpInstr ? (double)c.threadInstr / c.warpInstr : 0, c.branches ? 100.0 * c.divergent / c.branches : 0,
              (ull)c.gld, (ull)c.gst, (ull)c.gldSectors, (ull)c.gstSectors, (ull)c.gldUnique, (ull)c.gstUnique,
              eff(c.gldBytes, c.gldSectors), eff(c.gstBytes, c.gstSectors), (ull)(c.sld + c.sst), (ull)c.bankConflicts,
              (ull)(c.atom + c.satom), (ull)(c.atomConflicts + c.satomConflicts), (ull)c.barriers, sec, n);
    };
    double ts = 0;
    u64 tb = 0;
    for (auto* s : v) {
      row(demangle(s->name).c_str(), s->launches, s->blocks, s->c, s->hostSeconds);
      ts += s->hostSeconds;
      tb += s->blocks;
    }
    row("(total)", launches, tb, tot, ts);
    if (cfg.l2MB) {
      fprintf(f,
              "\nmodel of a %d MB L2 cache: sectors read from and written to memory (blocks run one after another, so "
              "locality differs from a GPU)\n",
              cfg.l2MB);
      for (auto* s : v)
        fprintf(f, "%14llu %14llu  %s\n", (ull)s->c.dramRead, (ull)s->c.dramWrite, demangle(s->name).c_str());
      fprintf(f, "%14llu %14llu  (total)\n", (ull)tot.dramRead, (ull)tot.dramWrite);
    }
    if (cfg.profileLines) {
      fprintf(f, "\n%14s %14s  source line\n", "warp instr", "sectors");
      auto ls = lineTable();
      for (size_t i = 0; i < ls.size() && i < 60; i++)
        fprintf(f, "%14llu %14llu  %s:%u  %.80s\n", (ull)ls[i].hits, (ull)ls[i].sectors, ls[i].file.c_str(), ls[i].line,
                ls[i].kernel.c_str());
    }
  }
  if (f != stderr) fclose(f);
}
}  // namespace emu
