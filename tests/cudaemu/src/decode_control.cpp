// SPDX-License-Identifier: MIT
// Decoder, control: branches, calls, barriers and warp-level instructions.
#include "decoder.h"

namespace emu {
void FuncDecoder::brx() {
  const auto& O = S->ops;
  Ins I;
  need(2);
  I.a = src(O[0], T_U32);
  u32 ri;
  const Entity* e = B.lookup(f, S->scope, O[1].name, ri);
  if (!e || e->k != Entity::Targets) bad("branch table");
  std::vector<i32> tab;
  for (auto nm : f.targets[e->index]) {
    Sym q = sym(nm);
    if (q.k != Sym::Label) bad("branch table entry");
    tab.push_back((i32)q.addr);
  }
  I.target = (i32)fi.tables.size();
  fi.tables.push_back(tab);
  I.ctrl = C_BRX;
  return emit(I);
}
void FuncDecoder::call() {
  const auto& O = S->ops;
  Ins I;
  CallInfo c;
  I.ctrl = C_CALL;
  Sym q;
  std::string name(O[0].name);
  bool isReg = false;
  {
    u32 ri;
    const Entity* e = B.lookup(f, S->scope, O[0].name, ri);
    isReg = e && (e->k == Entity::Reg || e->k == Entity::Family);
  }
  auto loc = [&](const Operand& o, u32& size) -> u32 {
    if (o.k != Operand::Name) bad("call argument");
    u32 ri;
    const Entity* e = B.lookup(f, S->scope, o.name, ri);
    if (!e || e->k != Entity::LocalVar) bad("call argument " + std::string(o.name) + " is no .param variable");
    size = (u32)f.vars[e->index].size;
    return varOff[e->index];
  };
  if (isReg)
    c.reg = src(O[0], T_U64);
  else {
    FuncAst* g = findFunc(*f.mod, name);
    c.builtin = builtinId(name);
    if (!c.builtin) {
      if (!g || !g->hasBody) bad("call of the undefined function " + name);
      c.func = B.index.at(g);
    }
  }
  for (auto& a : S->lists[1]) {
    u32 z = 0;
    u32 o = loc(a, z);
    c.args.push_back({o, 0, z});
  }
  for (auto& a : S->lists[0]) {
    u32 z = 0;
    u32 o = loc(a, z);
    c.rets.push_back({0, o, z});
  }
  I.target = (i32)fi.calls.size();
  fi.calls.push_back(c);
  return emit(I);
}
void FuncDecoder::bar() {
  const auto& O = S->ops;
  Ins I;
  if (has("warp")) {
    I.ctrl = C_SYNC;
    need(1);
    I.e = src(O[0], T_B32);
    return emit(I);
  }
  if (has("cluster")) {
    if (has("arrive")) return;
    Ins J;
    J.ctrl = C_BAR;
    J.a = cst(4, 0);
    J.sub = 0;
    return emit(J);
  }
  I.ctrl = C_BAR;
  size_t b = 0;
  if (has("red")) {
    I.sub = 2;
    need(3);
    bool pc = has("popc");
    I.sub2 = pc ? 0 : has("and") ? 1 : 2;
    I.d = pc ? dst(O[0], 4) : dst(O[0], 0);
    b = 1;
  } else if (has("arrive"))
    I.sub = 1;
  I.a = O.size() > b ? src(O[b], T_U32) : cst(4, 0);
  if (I.sub == 2) {
    I.c = predSrc(O.back(), I, IF_NEG_C);
    if (O.size() > b + 2) I.b = src(O[b + 1], T_U32);
  } else if (O.size() > b + 1)
    I.b = src(O[b + 1], T_U32);
  return emit(I);
}
void FuncDecoder::shfl() {
  const auto& O = S->ops;
  Ins I;
  bool sync = has("sync");
  need(sync ? 5 : 4);
  I.sub = has("up") ? 0 : has("down") ? 1 : has("bfly") ? 2 : 3;
  I.d = O[0].k == Operand::Sink ? -1 : dst(O[0], 4);
  I.d2 = dst2(O[0]);
  I.a = src(O[1], T_B32);
  I.b = src(O[2], T_B32);
  I.c = src(O[3], T_B32);
  I.e = sync ? src(O[4], T_B32) : cst(4, 0xffffffff);
  if (I.d < 0) bad("shfl without destination");
  I.ctrl = sync ? C_SYNC : C_MEM;
  setFn(I, warpLookup(op, t), "shfl");
  return emit(I);
}
void FuncDecoder::vote() {
  const auto& O = S->ops;
  Ins I;
  bool sync = has("sync");
  bool bal = has("ballot");
  I.sub = has("all") ? 0 : has("any") ? 1 : has("uni") ? 2 : 3;
  I.d = dst(O[0], bal ? 4 : 0);
  I.a = predSrc(O[1], I, IF_NEG_A);
  I.e = sync ? src(O[2], T_B32) : cst(4, 0xffffffff);
  I.ctrl = sync ? C_SYNC : C_MEM;
  setFn(I, warpLookup(op, t), "vote");
  return emit(I);
}
void FuncDecoder::matchReduxElect() {
  const auto& O = S->ops;
  Ins I;
  I.ctrl = C_SYNC;
  if (op == "match") {
    need(3);
    I.sub = has("all") ? 1 : 0;
    I.d = dst(O[0], 4);
    I.d2 = dst2(O[0]);
    I.a = src(O[1], t);
    I.e = src(O[2], T_B32);
  } else if (op == "redux") {
    need(3);
    I.sub = has("add") ? 0 : has("min") ? 1 : has("max") ? 2 : has("and") ? 3 : has("or") ? 4 : 5;
    I.sub2 = t == T_S32 ? 1 : t == T_F32 ? 2 : 0;
    I.d = dst(O[0], 4);
    I.a = src(O[1], t);
    I.e = src(O[2], T_B32);
  } else {
    need(2);
    I.d = dst(O[0], 4);
    I.d2 = dst2(O[0]);
    I.e = src(O[1], T_B32);
  }
  setFn(I, warpLookup(op, t), std::string(op));
  emit(I);
}
bool FuncDecoder::controlStmt() {
  const auto& O = S->ops;
  Ins I;
  if (op == "bra") {
    need(1);
    Sym q = sym(O[0].name);
    if (q.k != Sym::Label) bad("branch target");
    I.ctrl = C_BRA;
    fix.push_back({(u32)fi.code.size(), (u32)q.addr});
    emit(I);
  } else if (op == "brx")
    brx();
  else if (op == "ret" || op == "exit" || op == "trap" || op == "nanosleep") {
    I.ctrl = op == "ret" ? C_RET : op == "exit" ? C_EXIT : op == "trap" ? C_TRAP : C_YIELD;
    emit(I);
  } else if (op == "call")
    call();
  else if (op == "bar" || op == "barrier")
    bar();
  else if (op == "membar" || op == "fence") {
    I.ctrl = C_FENCE;
    if (has("cta")) I.sub = 1;
    emit(I);
  } else if (op == "shfl")
    shfl();
  else if (op == "vote")
    vote();
  else if (op == "match" || op == "redux" || op == "elect")
    matchReduxElect();
  else if (op == "activemask") {
    need(1);
    I.d = dst(O[0], 4);
    I.ctrl = C_MEM;
    setFn(I, warpLookup(op, t), "activemask");
    emit(I);
  } else
    return op == "brkpt" || op == "pmevent" || op == "setmaxnreg" || op == "griddepcontrol";  // no effect here
  return true;
}
}  // namespace emu
