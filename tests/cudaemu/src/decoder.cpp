// SPDX-License-Identifier: MIT
// Decoder, one function: layout of registers and local variables, the sequence of statements.
#include "decoder.h"
#include "lanes.h"

#include <algorithm>

namespace emu {
void FuncDecoder::emit(Ins I) {
  I.ptxLine = S->line;
  I.srcLine = S->srcLine;
  I.srcFile = S->srcFile;
  if (!cfg.profileSkip.empty() && I.srcLine && I.srcFile < B.mod.files.size() &&
      B.mod.files[I.srcFile].find(cfg.profileSkip) != std::string::npos)
    I.flags |= IF_SKIP;
  if (!S->guard.empty()) {
    Sym s = sym(S->guard);
    if (s.k != Sym::Reg || s.size != 0) bad("guard is no predicate");
    I.pred = s.off;
    I.pneg = S->gneg;
  }
  fi.code.push_back(I);
}
void FuncDecoder::setFn(Ins& I, Fns h, const std::string& what) {
  if (!h) bad(what);
  I.full = h.full;
  I.part = h.part;
}
std::string FuncDecoder::mn() {
  std::string r;
  for (auto p : S->op) {
    if (!r.empty()) r += '.';
    r += std::string(p);
  }
  return r;
}
bool FuncDecoder::has(const char* m) {
  for (size_t i = 1; i < S->op.size(); i++)
    if (S->op[i] == m) return true;
  return false;
}
// rounding / ftz: run the handler under another MXCSR
void FuncDecoder::csr(Ins& I, bool ftz, int rnd) {  // rnd 0 nearest, 1 down, 2 up, 3 zero
  if (!ftz && !rnd) return;
  I.target = (i32)((rnd << 13) | (ftz ? kFlushToZero : 0));
  I.imm = (u64)I.full;
  memcpy(&I.v[6], &I.part, 8);
  Fns w = csrWrap();
  I.full = w.full;
  I.part = w.part;
}
void FuncDecoder::satAfter(const Ins& I, Ty t) {
  Ins J;
  setFn(J, cvtLookup(t, t), "sat");
  J.d = I.d;
  J.a = I.d;
  J.dw = J.sw = (u8)rsz(t);
  J.sub2 = 1;
  emit(J);
}
void FuncDecoder::need(size_t n) {
  if (S->ops.size() < n) bad("too few operands");
}
Space FuncDecoder::spaceOf() {
  for (size_t i = 1; i < S->op.size(); i++) {
    auto m = S->op[i];
    if (m == "global") return SP_GLOBAL;
    if (m.substr(0, 6) == "shared") return SP_SHARED;
    if (m == "local") return SP_LOCAL;
    if (m == "const") return SP_CONST;
    if (m.substr(0, 5) == "param") return SP_PARAM;
  }
  return SP_GENERIC;
}
int FuncDecoder::vlen() {
  return has("v8") ? 8 : has("v4") ? 4 : has("v2") ? 2 : 1;
}
void FuncDecoder::stmt() {
  op = S->op[0];
  t = t2 = T_NONE;
  for (size_t i = 1; i < S->op.size(); i++) {
    Ty y = parseTy(S->op[i]);
    if (y != T_NONE) {
      t2 = t;
      t = y;
    }
  }
  sz = rsz(t);
  if (!dataStmt() && !controlStmt()) valueStmt();
}
void FuncDecoder::layoutRegisters() {
  u32 off = 4;
  regOff.resize(f.regs.size());
  regSize.resize(f.regs.size());
  for (size_t i = 0; i < f.regs.size(); i++)
    if (f.regs[i] == T_PRED) {
      regOff[i] = (i32)off;
      regSize[i] = 0;
      off += 4;
    }
  off = (off + 63) & ~63u;
  for (int sz : {2, 4, 8, 16})
    for (size_t i = 0; i < f.regs.size(); i++)
      if (f.regs[i] != T_PRED && rsz(f.regs[i]) == sz) {
        regOff[i] = (i32)off;
        regSize[i] = (u8)sz;
        off += sz * WARP;
      }
  fi.regBytes = off;
}
void FuncDecoder::layoutLocals() {
  // local variables: formals first, then scope by scope
  u32 lo = 0;
  auto place = [&](const Var& v, u32& o) {
    u32 al = std::max<u32>(8, v.align);
    o = (o + al - 1) / al * al;
    u32 r = o;
    o += (u32)v.size;
    return r;
  };
  if (!kernel) {
    for (auto& p : f.params) {
      u32 o = place(p, lo);
      fi.formals.push_back({0, o, (u32)p.size});
    }
    for (auto& p : f.rets) {
      u32 o = place(p, lo);
      fi.formalRets.push_back({0, o, (u32)p.size});
    }
  }
  varOff.assign(f.vars.size(), 0);
  std::vector<u32> end(f.scopes.size(), 0);
  u32 mx = lo;
  for (size_t s = 0; s < f.scopes.size(); s++) {
    u32 o = s == 0 ? lo : end[f.scopes[s].parent];
    std::vector<u32> ids;
    for (auto& kv : f.scopes[s].names)
      if (kv.second.k == Entity::LocalVar) ids.push_back(kv.second.index);
    std::sort(ids.begin(), ids.end());
    for (u32 id : ids)
      if (f.vars[id].space != SP_SHARED) varOff[id] = place(f.vars[id], o);
    end[s] = o;
    mx = std::max(mx, o);
  }
  fi.localBytes = (mx + 15) & ~15u;
}
// executable code around an unsupported statement may still run: trap only when it is reached
void FuncDecoder::trapInstead(const Unsupported& u) {
  Ins I;
  I.ctrl = C_TRAP;
  I.full = nullptr;
  I.sub = 1;
  I.ptxLine = S->line;
  I.srcLine = S->srcLine;
  I.srcFile = S->srcFile;
  std::string m =
      demangle(f.name) + ": cannot decode '" + mn() + "' (PTX line " + std::to_string(S->line) + "): " + u.msg;
  if (B.k.error.size() < 2000) B.k.error += (B.k.error.empty() ? "" : "\n") + m;
  if (!S->guard.empty()) {
    try {
      Sym s = sym(S->guard);
      I.pred = s.off;
      I.pneg = S->gneg;
    } catch (Unsupported&) {
    }
  }
  fi.code.push_back(I);
}
void FuncDecoder::decode() {
  layoutRegisters();
  layoutLocals();
  cst(4, 0);
  cst(8, 0);
  stmtPc.resize(f.code.size() + 1);
  for (size_t i = 0; i < f.code.size(); i++) {
    stmtPc[i] = (u32)fi.code.size();
    S = &f.code[i];
    size_t mark = fi.code.size();
    try {
      stmt();
    } catch (Unsupported& u) {
      fi.code.resize(mark);
      trapInstead(u);
    }
  }
  stmtPc[f.code.size()] = (u32)fi.code.size();
  {
    Ins I;
    I.ctrl = C_RET;
    fi.code.push_back(I);
  }
  for (auto& p : fix) fi.code[p.first].target = (i32)stmtPc[p.second];
  for (auto& t : fi.tables)
    for (auto& x : t) x = (i32)stmtPc[x];
  fi.constBytes = (u32)((pool.size() + 64 + 63) & ~63ull);
  fi.consts = (u8*)aligned_alloc(64, fi.constBytes);
  memset(fi.consts, 0, fi.constBytes);
  memcpy(fi.consts, pool.data(), pool.size());
}
}  // namespace emu
