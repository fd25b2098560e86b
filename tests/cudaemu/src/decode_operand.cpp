// SPDX-License-Identifier: MIT
// Decoder, operands: registers, constants, symbols and addresses.
#include "decoder.h"

namespace emu {
int FuncDecoder::rsz(Ty t) {
  int s = tySize(t);
  return t == T_PRED ? 0 : s < 2 ? 2 : s;
}
i32 FuncDecoder::cst(int size, u64 v) {
  if (size < 8) v &= size == 4 ? 0xffffffffull : size == 0 ? 0xffffffffull : 0xffffull;
  auto key = std::make_pair(size, v);
  auto it = consts.find(key);
  if (it != consts.end()) return (i32)(it->second | 1);
  u32 o = (u32)((pool.size() + 63) & ~63ull);
  if (size == 0) {
    pool.resize(o + 64);
    memcpy(&pool[o], &v, 4);
  } else {
    int w = size < 2 ? 2 : size;
    pool.resize(o + std::max(64, w * WARP));
    for (int i = 0; i < WARP; i++) memcpy(&pool[o + i * w], &v, w);
  }
  consts[key] = o;
  return (i32)(o | 1);
}
FuncDecoder::Sym FuncDecoder::sym(std::string_view n) {
  Sym r;
  u32 ri = 0;
  const Entity* e = B.lookup(f, S->scope, n, ri);
  if (e) {
    switch (e->k) {
      case Entity::Reg:
      case Entity::Family:
        r.k = Sym::Reg;
        r.off = regOff[ri];
        r.size = regSize[ri];
        r.ty = f.regs[ri];
        return r;
      case Entity::LocalVar: {
        Var& v = f.vars[e->index];
        if (v.space == SP_SHARED) {
          r.k = Sym::Shared;
          r.addr = B.sharedOff[&v];
        } else {
          r.k = Sym::Local;
          r.addr = varOff[e->index];
        }
        return r;
      }
      case Entity::Label:
        r.k = Sym::Label;
        r.addr = e->index;
        return r;
      default:
        r.k = Sym::None;
        r.addr = e->index;
        return r;
    }
  }
  for (size_t i = 0; i < f.params.size(); i++)
    if (f.params[i].name == n) {
      if (kernel) {
        r.k = Sym::KParam;
        r.addr = f.params[i].addr;
      } else {
        r.k = Sym::Local;
        r.addr = fi.formals[i].to;
      }
      return r;
    }
  for (size_t i = 0; i < f.rets.size(); i++)
    if (f.rets[i].name == n) {
      r.k = Sym::Local;
      r.addr = fi.formalRets[i].to;
      return r;
    }
  if (n[0] == '%') {
    int c = specialCode(n);
    if (c >= 0) {
      r.k = Sym::Special;
      r.addr = c;
      return r;
    }
    if (n.substr(0, 14) == "%reserved_smem") {
      r.k = Sym::Shared;
      r.addr = n == "%reserved_smem_offset_1"       ? 128
               : n == "%reserved_smem_offset_0"     ? 64
               : n == "%reserved_smem_offset_begin" ? 0
                                                    : 1024;
      return r;
    }
  }
  if (n == "WARP_SZ") {
    r.k = Sym::Global;
    r.addr = 32;
    return r;
  }
  std::string s(n);
  Var* v = findVar(*f.mod, s);
  if (v) {
    if (v->space == SP_SHARED) {
      r.k = Sym::Shared;
      auto it = B.sharedOff.find(v);
      r.addr = it == B.sharedOff.end() ? 0 : it->second;
    } else {
      if (!v->placed) bad("unresolved variable " + s);
      r.k = Sym::Global;
      r.addr = v->addr;
    }
    return r;
  }
  FuncAst* g = findFunc(*f.mod, s);
  if (g) {
    r.k = Sym::Func;
    r.addr = g->addr;
    return r;
  }
  bad("unknown symbol " + s);
}
u64 FuncDecoder::immBits(const Operand& o, Ty t) {
  if (t == T_F32 || t == T_F16X2 || t == T_BF16X2) {
    if (o.dImm) {
      double d;
      memcpy(&d, &o.imm, 8);
      float x = (float)d;
      u32 b;
      memcpy(&b, &x, 4);
      return b;
    }
    if (o.fImm) return (u64)(u32)o.imm;
    if (t == T_F32) {
      float x = (float)o.imm;
      u32 b;
      memcpy(&b, &x, 4);
      return b;
    }
    return (u64)o.imm;
  }
  if (t == T_F64) {
    if (o.fImm) {
      u32 b = (u32)o.imm;
      float x;
      memcpy(&x, &b, 4);
      double d = x;
      u64 r;
      memcpy(&r, &d, 8);
      return r;
    }
    if (o.dImm) return (u64)o.imm;
    double d = (double)o.imm;
    u64 r;
    memcpy(&r, &d, 8);
    return r;
  }
  return (u64)o.imm;
}
i32 FuncDecoder::src(const Operand& o, Ty t, int size) {
  if (size < 0) size = rsz(t);
  if (o.k == Operand::Imm) return cst(size, immBits(o, t));
  if (o.k == Operand::Sink) bad("'_' as a source");
  if (o.minus) bad("negated register");
  if (o.k != Operand::Name) bad("unexpected operand form");
  Sym s = sym(o.name);
  switch (s.k) {
    case Sym::Reg:
      if (s.size != size)
        bad("register " + std::string(o.name) + " has " + std::to_string(s.size) + " bytes, " + std::to_string(size) +
            " expected");
      return s.off;
    case Sym::Shared:
    case Sym::Global:
    case Sym::Func:
      return cst(size, s.addr + (u64)o.imm);
    default:
      bad("operand " + std::string(o.name) + " cannot be used here");
  }
}
i32 FuncDecoder::dst(const Operand& o, int size) {
  if (o.k == Operand::Sink) return -1;
  if (o.k != Operand::Name) bad("bad destination");
  Sym s = sym(o.name);
  if (s.k != Sym::Reg) bad("destination " + std::string(o.name) + " is no register");
  if (s.size != size)
    bad("destination " + std::string(o.name) + " has " + std::to_string(s.size) + " bytes, " + std::to_string(size) +
        " expected");
  return s.off;
}
i32 FuncDecoder::dst2(const Operand& o) {
  if (o.name2.empty() || o.name2 == "_") return -1;
  Operand q;
  q.name = o.name2;
  q.hasName = true;
  return dst(q, 0);
}
i32 FuncDecoder::predSrc(const Operand& o, Ins& I, u16 negFlag) {
  if (o.neg) I.flags |= negFlag;
  if (o.k == Operand::Imm) return cst(0, o.imm ? 0xffffffffu : 0);
  Sym s = sym(o.name);
  if (s.k != Sym::Reg || s.size != 0) bad("predicate expected");
  return s.off;
}
int FuncDecoder::regSizeOf(const Operand& o) {
  if (o.k == Operand::Sink) return -1;
  Sym s = sym(o.name);
  return s.k == Sym::Reg ? s.size : -1;
}
bool FuncDecoder::mem(const Operand& o, Ins& I) {
  I.imm = (u64)o.imm;
  if (!o.hasName) {
    I.a = cst(8, 0);
    return false;
  }
  Sym s = sym(o.name);
  switch (s.k) {
    case Sym::Reg:
      I.a = s.off;
      if (s.size == 4)
        I.flags |= IF_A32;
      else if (s.size != 8)
        bad("address register size");
      return false;
    case Sym::Shared:
      I.a = cst(8, s.addr);
      if (I.space == SP_GENERIC) I.space = SP_SHARED;
      return false;
    case Sym::Global:
    case Sym::Func:
      I.a = cst(8, s.addr);
      return false;
    case Sym::Local:
      I.a = cst(8, 0);
      I.imm += s.addr;
      I.flags |= IF_LOCALSYM;
      I.space = SP_LOCAL;
      return false;
    case Sym::KParam:
      I.imm += s.addr;
      return true;
    default:
      bad("bad address operand " + std::string(o.name));
  }
}
}  // namespace emu
