// SPDX-License-Identifier: MIT
// The image of a kernel: which functions it needs, shared and local memory, and the decoded code.
#include "decoder.h"
#include "profile.h"

#include <cxxabi.h>
#include <algorithm>

namespace emu {
std::string demangle(const std::string& s) {
  int st = 0;
  char* d = abi::__cxa_demangle(s.c_str(), nullptr, nullptr, &st);
  std::string r = st == 0 && d ? d : s;
  free(d);
  return r;
}
const Entity* ImageBuilder::lookup(const FuncAst& f, u32 scope, std::string_view n, u32& regIndex) {
  size_t e = n.size();
  while (e > 0 && n[e - 1] >= '0' && n[e - 1] <= '9') --e;
  for (int s = (int)scope; s >= 0; s = f.scopes[s].parent) {
    auto it = f.scopes[s].names.find(n);
    if (it != f.scopes[s].names.end()) {
      regIndex = it->second.index;
      return &it->second;
    }
    if (e < n.size() && n[0] == '%') {
      auto j = f.scopes[s].names.find(n.substr(0, e));
      if (j != f.scopes[s].names.end() && j->second.k == Entity::Family) {
        u32 num = (u32)strtoul(std::string(n.substr(e)).c_str(), nullptr, 10);
        if (num < j->second.count) {
          regIndex = j->second.index + num;
          return &j->second;
        }
      }
    }
  }
  return nullptr;
}
void ImageBuilder::noteName(const FuncAst& f, const Stmt& s, std::string_view n) {
  if (n.empty() || n[0] == '%') return;
  u32 ri;
  if (lookup(f, s.scope, n, ri)) return;
  Var* v = findVar(*f.mod, std::string(n));
  if (v && v->space == SP_SHARED && !sharedOff.count(v)) {
    if (v->size == 0 || v->isExtern) {
      dynAlign = std::max(dynAlign, v->align);
      sharedOff[v] = ~0u;
    } else
      placeShared(*v);
  }
}
void ImageBuilder::placeShared(const Var& v) {
  u32 al = std::max(1u, v.align);
  sharedEnd = (sharedEnd + al - 1) / al * al;
  sharedOff[&v] = sharedEnd;
  sharedEnd += (u32)v.size;
}
void ImageBuilder::noteOp(const FuncAst& f, const Stmt& s, const Operand& o) {
  if (o.hasName) noteName(f, s, o.name);
  for (auto& q : o.vec) noteOp(f, s, q);
}
bool ImageBuilder::recursive() {
  std::vector<int> state(asts.size(), 0);
  bool cyc = false;
  std::function<void(int)> visit = [&](int i) {
    state[i] = 1;
    for (auto& s : asts[i]->code)
      if (s.op[0] == "call") {
        FuncAst* g = findFunc(*asts[i]->mod, std::string(s.ops[0].name));
        auto it = g ? index.find(g) : index.end();
        if (it == index.end()) continue;
        if (state[it->second] == 1)
          cyc = true;
        else if (!state[it->second])
          visit(it->second);
      }
    state[i] = 2;
  };
  visit(0);
  return cyc;
}
void ImageBuilder::addFunc(FuncAst* f) {
  if (index.count(f)) return;
  index[f] = (int)asts.size();
  asts.push_back(f);
}
void ImageBuilder::addCallees(FuncAst& f, const Stmt& s) {
  k.hasCalls = true;
  u32 ri;
  const Entity* e = lookup(f, s.scope, s.ops[0].name, ri);
  if (e && (e->k == Entity::Reg || e->k == Entity::Family)) {  // indirect: any function of the program
    if (k.hasIndirect) return;
    k.hasIndirect = true;
    for (auto* m : allModules)
      if (m->owner == mod.owner)
        for (auto& g : m->funcs)
          if (!g->entry && g->hasBody) addFunc(g.get());
  } else {
    FuncAst* g = findFunc(*f.mod, std::string(s.ops[0].name));
    if (g && g->hasBody) addFunc(g);
  }
}
void ImageBuilder::build(FuncAst* entry) {
  addFunc(entry);
  for (size_t i = 0; i < asts.size(); i++) {
    FuncAst* f = asts[i];
    parseBody(*f);
    for (auto& v : f->vars)
      if (v.space == SP_SHARED) {
        if (v.size == 0 || v.isExtern)
          sharedOff[&v] = ~0u;
        else
          placeShared(v);
      }
    for (auto& s : f->code) {
      for (auto& o : s.ops) noteOp(*f, s, o);
      if (s.op[0] == "call") addCallees(*f, s);
    }
  }
  for (auto* f : asts) placeModule(*f->mod);
  const u32 dynOff = (sharedEnd + dynAlign - 1) / dynAlign * dynAlign;
  for (auto& kv : sharedOff)
    if (kv.second == ~0u) kv.second = dynOff;
  k.staticShared = dynOff;
  u64 tot = 0;
  for (size_t i = 0; i < asts.size(); i++) {
    k.funcs.push_back(std::make_unique<FuncImage>());
    k.byAddr[asts[i]->addr] = (int)i;
  }
  for (size_t i = 0; i < asts.size(); i++) {
    k.funcs[i]->name = asts[i]->name;
    FuncDecoder(*asts[i], *k.funcs[i], *this).decode();
    if (i) tot += (k.funcs[i]->localBytes + 31) & ~15u;
  }
  // stack for called functions: the sum of all frames, or a fixed amount if calls can recurse
  u64 extra = 0;
  if (asts.size() > 1) extra = recursive() || k.hasIndirect ? std::max<u64>(tot, 32768) : tot + 64;
  k.localStride = (u32)((k.funcs[0]->localBytes + extra + 15) & ~15ull);
  if (k.localStride == 0) k.localStride = 16;
  // odd multiple of 16 bytes avoids cache aliasing between the lanes
  if ((k.localStride & 31) == 0) k.localStride += 16;
  k.paramBytes = 0;
  for (auto& p : entry->params) {
    k.params.push_back({(u32)p.addr, (u32)p.size});
    k.paramBytes = std::max<u32>(k.paramBytes, (u32)(p.addr + p.size));
  }
  k.maxntid = entry->maxntid;
}

KernelImage* getImage(Module& m, const std::string& name) {
  auto it = m.images.find(name);
  if (it != m.images.end()) return it->second.get();
  auto img = std::make_unique<KernelImage>();
  img->name = name;
  img->pretty = demangle(name);
  img->mod = &m;
  img->stats = statsFor(name);
  FuncAst* f = nullptr;
  auto j = m.funcByName.find(name);
  if (j != m.funcByName.end()) f = j->second;
  if (!f || !f->hasBody) return nullptr;
  ImageBuilder b(m, *img);
  try {
    b.build(f);
    img->usesParamAddr = b.usesParamAddr;
  } catch (ParseError& e) {
    img->error = "PTX parse error in " + name + ", line " + std::to_string(e.line) + ": " + e.msg;
    img->funcs.clear();
  }
  if (!img->error.empty() && !cfg.quiet && cfg.trace) fprintf(stderr, "cudaemu: %s\n", img->error.c_str());
  KernelImage* r = img.get();
  m.images[name] = std::move(img);
  return r;
}
}  // namespace emu
