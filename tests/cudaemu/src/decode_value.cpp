// SPDX-License-Identifier: MIT
// Decoder, values: conversion, comparison, selection and arithmetic.
#include "decoder.h"

namespace emu {
void FuncDecoder::cvt() {
  const auto& O = S->ops;
  Ins I;
  need(2);
  Ty d = t2, sT = t;
  if (t2 == T_NONE) bad("cvt types");
  if (has("satfinite") || has("rs") || has("rna")) bad("rounding or saturation of cvt");
  I.sub = has("rni")   ? 5
          : has("rzi") ? 6
          : has("rmi") ? 7
          : has("rpi") ? 8
          : has("rn")  ? 1
          : has("rz")  ? 2
          : has("rm")  ? 3
          : has("rp")  ? 4
                       : 0;
  I.sub2 = (has("sat") ? 1 : 0) | (has("relu") ? 2 : 0);
  I.dw = (u8)regSizeOf(O[0]);
  I.d = dst(O[0], I.dw);
  setFn(I, cvtLookup(d, sT), "cvt");
  if (d == T_F16X2 || d == T_BF16X2) {
    need(3);
    I.a = src(O[1], T_F32);
    I.b = src(O[2], T_F32);
    return emit(I);
  }
  if (O[1].k == Operand::Imm) {
    I.a = src(O[1], sT);
    I.sw = (u8)rsz(sT);
  } else {
    Sym q = sym(O[1].name);
    if (q.k == Sym::Special) {
      Ins J;
      J.d = I.d;
      J.sub = (u8)q.addr;
      J.dw = I.dw;
      setFn(J, specialLookup(), "special");
      return emit(J);
    }
    I.sw = (u8)regSizeOf(O[1]);
    if (tyFloat(sT))
      I.a = src(O[1], sT);
    else
      I.a = src(O[1], sT, I.sw);
  }
  bool ftz = has("ftz");
  int rnd = 0;
  if (tyFloat(d) && d != T_F16 && d != T_BF16) rnd = I.sub == 2 ? 3 : I.sub == 3 ? 1 : I.sub == 4 ? 2 : 0;
  if (tyFloat(d) && tyFloat(sT) && d == sT) rnd = 0;
  csr(I, ftz, rnd);
  return emit(I);
}
void FuncDecoder::setp() {
  const auto& O = S->ops;
  Ins I;
  std::string_view cmp = S->op[1];
  size_t i = 2;
  I.sub = 0;
  if (i < S->op.size()) {
    for (size_t j = 2; j < S->op.size(); j++) {
      if (S->op[j] == "and")
        I.sub = 1;
      else if (S->op[j] == "or")
        I.sub = 2;
      else if (S->op[j] == "xor")
        I.sub = 3;
    }
  }
  I.a = src(O[1], t);
  I.b = src(O[2], t);
  if (I.sub) {
    need(4);
    I.c = predSrc(O[3], I, IF_NEG_C);
  }
  if (op == "setp") {
    I.d = O[0].k == Operand::Sink ? -1 : dst(O[0], 0);
    I.d2 = dst2(O[0]);
    setFn(I, setpLookup(cmp, t), "setp");
  } else {
    if (t2 == T_NONE) bad("set types");
    I.dw = (u8)rsz(t2);
    I.d = dst(O[0], I.dw);
    I.sub2 = t2 == T_F32 ? 1 : t2 == T_F16 ? 2 : t2 == T_BF16 ? 3 : 0;
    setFn(I, setLookup(cmp, t), "set");
  }
  if (has("ftz")) csr(I, true, 0);
  return emit(I);
}
void FuncDecoder::carry() {
  const auto& O = S->ops;
  Ins I;
  const bool cc = has("cc");
  bool m3 = op == "mad" || op == "madc";
  I.sub = op.substr(0, 3) == "add" ? 0 : op.substr(0, 3) == "sub" ? 1 : has("hi") ? 3 : 2;
  I.sub2 = (cc ? 1 : 0) | ((op == "addc" || op == "subc" || op == "madc") ? 2 : 0);
  I.dw = t == T_S32 || t == T_S64;
  I.d = dst(O[0], sz);
  I.a = src(O[1], t);
  I.b = src(O[2], t);
  if (m3) I.c = src(O[3], t);
  setFn(I, carryLookup(sz), "carry");
  return emit(I);
}
// what would otherwise be ignored in silence
void FuncDecoder::refuseModifiers() {
  if (has("relu") || has("xorsign") || has("oob")) bad("modifier of " + std::string(op));
  if (has("sat") && t != T_F32 && t != T_F64 && !(t == T_S32 && (op == "add" || op == "sub"))) bad("saturation");
  if ((op == "min" || op == "max") && S->ops.size() > 3) bad("three inputs");
  if ((op == "mul24" || op == "mad24") && has("hi")) bad("high half of " + std::string(op));
  if (op == "prmt" && S->op.size() > 2) bad("mode of prmt");
}
void FuncDecoder::alu() {
  const auto& O = S->ops;
  Ins I;
  const std::vector<std::string_view> mods(S->op.begin() + 1, S->op.end());
  setFn(I, tyFloat(t) || t == T_F32X2 ? floatLookup(op, mods, t) : intLookup(op, mods, t), "unsupported instruction");
  need(1);
  refuseModifiers();
  if (op == "testp") {
    I.d = dst(O[0], 0);
    I.a = src(O[1], t);
    return emit(I);
  }
  if (op == "lop3") {
    need(5);
    I.d = O[0].k == Operand::Sink ? -1 : dst(O[0], 4);
    if (I.d < 0) bad("lop3 without destination");
    I.d2 = dst2(O[0]);
    I.a = src(O[1], T_B32);
    I.b = src(O[2], T_B32);
    I.c = src(O[3], T_B32);
    I.imm = (u64)O[4].imm;
    I.sub = has("and");
    if (I.d2 >= 0) I.e = predSrc(O[5], I, IF_NEG_C);
    return emit(I);
  }
  if (op == "bfi") {
    need(5);
    I.d = dst(O[0], sz);
    I.a = src(O[1], t);
    I.b = src(O[2], t);
    I.c = src(O[3], T_U32);
    I.e = src(O[4], T_U32);
    return emit(I);
  }
  if (op == "bfe") {
    need(4);
    I.d = dst(O[0], sz);
    I.a = src(O[1], t);
    I.b = src(O[2], T_U32);
    I.c = src(O[3], T_U32);
    return emit(I);
  }
  if (op == "shl" || op == "shr") {
    need(3);
    I.d = dst(O[0], sz);
    I.a = src(O[1], t);
    I.b = src(O[2], T_U32);
    return emit(I);
  }
  if (op == "popc" || op == "clz" || op == "bfind") {
    need(2);
    I.d = dst(O[0], 4);
    I.a = src(O[1], t);
    return emit(I);
  }
  if (op == "dp4a" || op == "dp2a") {
    need(4);
    I.d = dst(O[0], 4);
    I.a = src(O[1], T_B32);
    I.b = src(O[2], T_B32);
    I.c = src(O[3], T_B32);
    return emit(I);
  }
  if (op == "fns") {
    need(4);
    I.d = dst(O[0], 4);
    I.a = src(O[1], T_B32);
    I.b = src(O[2], T_B32);
    I.c = src(O[3], T_S32);
    return emit(I);
  }
  bool wide = has("wide");
  int ds = wide ? sz * 2 : sz;
  Ty wt = wide ? (t == T_U16 ? T_U32 : t == T_S16 ? T_S32 : t == T_U32 ? T_U64 : T_S64) : t;
  I.d = dst(O[0], ds);
  if (O.size() > 1) I.a = src(O[1], t);
  if (O.size() > 2) I.b = src(O[2], t);
  if (O.size() > 3) I.c = src(O[3], wt);
  if (t == T_F32 || t == T_F64) {
    bool ftz = has("ftz");
    int rnd = has("rz") ? 3 : has("rm") ? 1 : has("rp") ? 2 : 0;
    csr(I, ftz, rnd);
    emit(I);
    if (has("sat")) satAfter(I, t);
    return;
  }
  emit(I);
}
void FuncDecoder::valueStmt() {
  const auto& O = S->ops;
  if (op == "cvt") return cvt();
  if (op == "setp" || op == "set") return setp();
  Ins I;
  if (op == "selp") {
    need(4);
    I.d = dst(O[0], sz);
    I.a = src(O[1], t);
    I.b = src(O[2], t);
    I.c = predSrc(O[3], I, IF_NEG_C);
    setFn(I, selpLookup(sz), "selp");
    return emit(I);
  }
  if (t == T_PRED && (op == "and" || op == "or" || op == "xor" || op == "not")) {
    I.d = dst(O[0], 0);
    I.a = predSrc(O[1], I, IF_NEG_A);
    if (op != "not") I.b = predSrc(O[2], I, IF_NEG_B);
    setFn(I, predLogic(op), "predicate logic");
    return emit(I);
  }
  if (op == "slct") {
    need(4);
    Ty dt = t2;
    I.d = dst(O[0], rsz(dt));
    setFn(I, slctLookup(rsz(dt)), "slct");
    I.a = src(O[1], dt);
    I.b = src(O[2], dt);
    I.c = src(O[3], t);
    I.sub = t == T_F32;
    return emit(I);
  }
  if (has("cc") || op == "addc" || op == "subc" || op == "madc") return carry();
  alu();
}
}  // namespace emu
