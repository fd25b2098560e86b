// SPDX-License-Identifier: MIT
// Decoder, data movement: moves, loads, stores, atomics, asynchronous copies, address conversion.
#include "decoder.h"

namespace emu {
void FuncDecoder::mov() {
  const auto& O = S->ops;
  Ins I;
  need(2);
  if (t == T_PRED) {
    I.d = dst(O[0], 0);
    I.a = predSrc(O[1], I, IF_NEG_A);
    setFn(I, movLookup(0), "mov.pred");
    return emit(I);
  }
  if (O[0].k == Operand::Vec) {
    I.n = (u8)O[0].vec.size();
    I.dw = (u8)sz;
    I.sw = (u8)(tySize(t) / I.n);
    for (int k = 0; k < I.n; k++) {
      auto& q = O[0].vec[k];
      if (q.k != Operand::Sink) I.v[k] = dst(q, I.sw < 2 ? 2 : I.sw);
    }
    I.a = src(O[1], t, sz);
    setFn(I, unpackLookup(), "unpack");
    return emit(I);
  }
  if (O[1].k == Operand::Vec) {
    I.n = (u8)O[1].vec.size();
    I.dw = (u8)sz;
    I.sw = (u8)(tySize(t) / I.n);
    for (int k = 0; k < I.n; k++) {
      Ty et = I.sw == 4 ? T_B32 : I.sw == 8 ? T_B64 : T_B16;
      if (t == T_F64 || t == T_F32) et = I.sw == 4 ? T_F32 : et;
      I.v[k] = src(O[1].vec[k], et, I.sw < 2 ? 2 : I.sw);
    }
    I.d = dst(O[0], sz);
    setFn(I, packLookup(), "pack");
    return emit(I);
  }
  I.d = dst(O[0], sz);
  if (O[1].k == Operand::Name) {
    Sym q = sym(O[1].name);
    if (q.k == Sym::Special) {
      I.sub = (u8)q.addr;
      I.dw = (u8)sz;
      setFn(I, specialLookup(), "special register");
      if (O[1].name.substr(0, 6) == "%clock") {
        I.ctrl = C_MEM;
        I.flags |= IF_CLOCK;
      }
      return emit(I);
    }
    if (q.k == Sym::Local) {
      I.imm = q.addr + O[1].imm;
      I.dw = (u8)sz;
      setFn(I, movLocalLookup(), "local address");
      return emit(I);
    }
    if (q.k == Sym::KParam) {
      B.usesParamAddr = true;
      I.imm = q.addr + O[1].imm;
      setFn(I, movParamLookup(), "param address");
      return emit(I);
    }
  }
  if (t == T_B128) {
    Ins J;
    J.n = 2;
    J.dw = 16;
    J.sw = 8;
    Sym q = sym(O[1].name);
    J.d = I.d;
    J.v[0] = q.off;
    J.v[1] = q.off + 256;
    setFn(J, packLookup(), "mov.b128");
    return emit(J);
  }
  I.a = src(O[1], t);
  setFn(I, movLookup(sz), "mov");
  return emit(I);
}
void FuncDecoder::ld() {
  const auto& O = S->ops;
  Ins I;
  need(2);
  Space sp = spaceOf();
  I.space = sp;
  int n = vlen();
  I.n = (u8)n;
  I.size = (u8)tySize(t);
  if (t == T_B128) bad("128-bit loads");
  int rs = -1;
  if (n == 1) {
    if (O[0].k == Operand::Vec) {
      rs = regSizeOf(O[0].vec[0]);
      I.v[0] = dst(O[0].vec[0], rs);
    } else {
      rs = regSizeOf(O[0]);
      if (rs >= 0) I.v[0] = dst(O[0], rs);
    }
  } else {
    if (O[0].k != Operand::Vec || (int)O[0].vec.size() != n) bad("vector operand");
    for (int k = 0; k < n; k++) {
      if (O[0].vec[k].k == Operand::Sink) continue;
      int r = regSizeOf(O[0].vec[k]);
      if (rs < 0)
        rs = r;
      else if (rs != r)
        bad("mixed register sizes");
      I.v[k] = dst(O[0].vec[k], r);
    }
  }
  if (rs < 0) rs = sz;
  bool kp = mem(O[1], I);
  if (sp == SP_PARAM && !kp && I.space == SP_PARAM) I.space = kernel ? SP_GLOBAL : SP_LOCAL;
  if (has("volatile") || has("relaxed") || has("acquire")) I.flags |= IF_STRONG;
  if (has("nc")) I.flags |= IF_NC;
  if (kp) {
    I.dw = (u8)rs;
    I.sub = tySigned(t);
    setFn(I, ldParamLookup(), "ld.param");
    return emit(I);
  }
  I.ctrl = C_MEM;
  setFn(I, ldLookup(t, rs), "ld");
  return emit(I);
}
void FuncDecoder::st() {
  const auto& O = S->ops;
  Ins I;
  need(2);
  Space sp = spaceOf();
  I.space = sp;
  int n = vlen();
  I.n = (u8)n;
  I.size = (u8)tySize(t);
  bool kp = mem(O[0], I);
  if (kp) bad("store to a kernel parameter");
  if (sp == SP_PARAM && I.space == SP_PARAM) I.space = SP_LOCAL;
  int rs = -1;
  auto one = [&](const Operand& o, int k) {
    if (o.k == Operand::Imm) {
      if (rs < 0) rs = sz;
      I.v[k] = cst(rs, immBits(o, t));
      return;
    }
    int r = regSizeOf(o);
    if (r < 0) {
      r = 8;
    }
    if (rs < 0) rs = r;
    if (r != rs) bad("mixed register sizes");
    I.v[k] = src(o, t, r);
  };
  if (n == 1)
    one(O[1].k == Operand::Vec ? O[1].vec[0] : O[1], 0);
  else {
    if (O[1].k != Operand::Vec) bad("vector operand");
    for (int k = 0; k < n; k++) {
      if (O[1].vec[k].k != Operand::Imm && rs < 0) {
        int r = regSizeOf(O[1].vec[k]);
        if (r > 0) rs = r;
      }
    }
    for (int k = 0; k < n; k++) one(O[1].vec[k], k);
  }
  if (has("volatile") || has("relaxed") || has("release")) I.flags |= IF_STRONG;
  if (has("release")) I.flags |= IF_REL;
  I.ctrl = C_MEM;
  setFn(I, stLookup(tySize(t), rs), "st");
  return emit(I);
}
void FuncDecoder::atom() {
  const auto& O = S->ops;
  Ins I;
  I.space = spaceOf();
  bool atom = op == "atom";
  std::string_view o;
  for (size_t i = 1; i < S->op.size(); i++) {
    auto m = S->op[i];
    if (m == "add" || m == "exch" || m == "cas" || m == "min" || m == "max" || m == "and" || m == "or" || m == "xor" ||
        m == "inc" || m == "dec")
      o = m;
  }
  if (t == T_B128) bad("128-bit atomics");
  if (has("async")) bad("red.async");
  size_t b = atom ? 1 : 0;
  need(b + 2);
  I.size = (u8)tySize(t);
  int n = vlen();
  I.n = (u8)n;
  I.flags |= IF_STRONG;
  if (has("release") || has("acq_rel")) I.flags |= IF_REL;
  if (n == 1) {
    if (atom) I.d = dst(O[0], sz);
    if (mem(O[b], I)) bad("atomic on parameter");
    I.b = src(O[b + 1], t);
    if (o == "cas") {
      need(b + 3);
      I.c = src(O[b + 2], t);
    }
  } else {
    if (mem(O[b], I)) bad("atomic on parameter");
    for (int k = 0; k < n; k++) {
      if (k >= 4) bad("v8 atomics");
      I.v[k] = src(O[b + 1].vec[k], t);
      if (atom) I.v[4 + k] = dst(O[0].vec[k], sz);
    }
  }
  I.ctrl = C_MEM;
  setFn(I, atomLookup(o, t), "atomic operation");
  return emit(I);
}
void FuncDecoder::cpAsync() {
  const auto& O = S->ops;
  Ins I;
  if (has("commit_group") || has("wait_group") || has("wait_all")) return;
  if (has("bulk")) bad("bulk copies");
  if (has("mbarrier")) {  // cp.async.mbarrier.arrive[.noinc]: the copies are complete already, so this is an arrival
                          // (noinc) or nothing
    if (!has("noinc")) return;
    I.space = spaceOf();
    I.size = 8;
    I.ctrl = C_MEM;
    I.flags |= IF_STRONG;
    if (mem(O[0], I)) bad("mbarrier address");
    I.sub = 2;
    setFn(I, mbarrierLookup(), "mbarrier");
    return emit(I);
  }
  need(3);
  I.space = SP_SHARED;
  mem(O[0], I);
  Ins J;
  mem(O[1], J);
  if (J.flags) bad("cp.async source form");
  I.b = J.a;
  I.target = (i32)J.imm;
  I.size = (u8)O[2].imm;
  if (O.size() > 3 && O[3].k == Operand::Name) {
    Sym q = sym(O[3].name);
    if (q.k == Sym::Reg && q.size == 4) I.c = q.off;
  } else if (O.size() > 3 && O[3].k == Operand::Imm)
    I.c = cst(4, (u64)O[3].imm);
  I.ctrl = C_MEM;
  setFn(I, cpAsyncLookup(), "cp.async");
  return emit(I);
}
// sub: 0 init 1 inval 2 arrive 3 arrive_drop 4 test_wait/try_wait (token) 5 test_wait.parity 6 pending_count
void FuncDecoder::mbarrier() {
  const auto& O = S->ops;
  Ins I;
  std::string_view k = S->op[1];
  I.space = spaceOf();
  I.size = 8;
  I.ctrl = C_MEM;
  I.flags |= IF_STRONG;
  if (k == "pending_count") {
    I.sub = 6;
    I.d = dst(O[0], 4);
    I.b = src(O[1], T_B64);
    setFn(I, mbarrierLookup(), "mbarrier");
    return emit(I);
  }
  size_t m = 0;
  if (k == "arrive" || k == "arrive_drop" || k == "test_wait" || k == "try_wait") {
    if (O[0].k != Operand::Mem) m = 1;
  }
  if (mem(O[m], I)) bad("mbarrier address");
  if (k == "init") {
    I.sub = 0;
    I.b = src(O[1], T_U32);
  } else if (k == "inval")
    I.sub = 1;
  else if (k == "arrive" || k == "arrive_drop") {
    I.sub = k == "arrive" ? 2 : 3;
    if (has("expect_tx")) bad("mbarrier transactions");
    if (m && O[0].k != Operand::Sink) I.d = dst(O[0], 8);
    if (O.size() > m + 1) I.b = src(O[m + 1], T_U32);
  } else if (k == "test_wait" || k == "try_wait") {
    I.d = dst(O[0], 0);
    if (has("parity")) {
      I.sub = 5;
      I.b = src(O[2], T_U32);
    } else {
      I.sub = 4;
      I.b = src(O[2], T_B64);
    }
  } else
    bad("mbarrier form");
  setFn(I, mbarrierLookup(), "mbarrier");
  emit(I);
  if (k == "try_wait") {
    Ins Y;
    Y.ctrl = C_YIELD;
    emit(Y);
  }
  return;
}
void FuncDecoder::cvta() {
  const auto& O = S->ops;
  Ins I;
  need(2);
  bool to = has("to");
  Space sp = spaceOf();
  I.d = dst(O[0], 8);
  I.sub = to;
  I.imm = sp == SP_SHARED               ? SHARED_WINDOW
          : sp == SP_LOCAL              ? LOCAL_WINDOW
          : (sp == SP_PARAM && !kernel) ? LOCAL_WINDOW
                                        : 0;
  if (O[1].k == Operand::Name) {
    Sym q = sym(O[1].name);
    if (q.k == Sym::Local) {
      Ins J;
      J.d = I.d;
      J.imm = q.addr + O[1].imm;
      J.dw = 8;
      setFn(J, movLocalLookup(), "local address");
      emit(J);
      I.a = I.d;
    } else if (q.k == Sym::KParam) {
      B.usesParamAddr = true;
      I.imm = q.addr + O[1].imm;
      setFn(I, movParamLookup(), "param");
      return emit(I);
    }
  }
  if (I.a < 0) I.a = src(O[1], T_U64);
  setFn(I, I.imm ? cvtaLookup() : movLookup(8), "cvta");
  return emit(I);
}
bool FuncDecoder::dataStmt() {
  if (op == "mov")
    mov();
  else if (op == "ld" || op == "ldu")
    ld();
  else if (op == "st")
    st();
  else if (op == "atom" || op == "red")
    atom();
  else if (op == "cp" && has("async"))
    cpAsync();
  else if (op == "mbarrier")
    mbarrier();
  else if (op == "cvta")
    cvta();
  else if (op == "isspacep") {
    need(2);
    Ins I;
    I.space = spaceOf();
    I.d = dst(S->ops[0], 0);
    I.a = src(S->ops[1], T_U64);
    setFn(I, isspacepLookup(), "isspacep");
    emit(I);
  } else if (op == "createpolicy") {
    need(1);
    Ins I;
    I.d = dst(S->ops[0], 8);
    I.a = cst(8, 0);
    setFn(I, movLookup(8), "createpolicy");
    emit(I);
  } else
    return op == "prefetch" || op == "prefetchu" || op == "discard" || op == "applypriority";  // hints
  return true;
}
}  // namespace emu
