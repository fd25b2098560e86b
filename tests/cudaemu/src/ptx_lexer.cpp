// SPDX-License-Identifier: MIT
// Types, literals, operands and variable declarations of PTX.
#include "ptx_lexer.h"

#include <cstdlib>

namespace emu {
int tySize(Ty t) {
  switch (t) {
    case T_B8:
    case T_U8:
    case T_S8:
    case T_E4M3:
    case T_E5M2:
      return 1;
    case T_B16:
    case T_U16:
    case T_S16:
    case T_F16:
    case T_BF16:
    case T_E4M3X2:
    case T_E5M2X2:
      return 2;
    case T_B32:
    case T_U32:
    case T_S32:
    case T_F32:
    case T_F16X2:
    case T_BF16X2:
    case T_U16X2:
    case T_S16X2:
    case T_PRED:
      return 4;
    case T_B64:
    case T_U64:
    case T_S64:
    case T_F64:
    case T_F32X2:
      return 8;
    case T_B128:
      return 16;
    default:
      return 0;
  }
}
Ty parseTy(std::string_view s) {
  // never destroyed: used at exit too
  static const auto& m = *new std::unordered_map<std::string_view, Ty>{
      {"pred", T_PRED},   {"b8", T_B8},       {"u8", T_U8},     {"s8", T_S8},         {"b16", T_B16},
      {"u16", T_U16},     {"s16", T_S16},     {"f16", T_F16},   {"bf16", T_BF16},     {"b32", T_B32},
      {"u32", T_U32},     {"s32", T_S32},     {"f32", T_F32},   {"f16x2", T_F16X2},   {"bf16x2", T_BF16X2},
      {"u16x2", T_U16X2}, {"s16x2", T_S16X2}, {"b64", T_B64},   {"u64", T_U64},       {"s64", T_S64},
      {"f64", T_F64},     {"f32x2", T_F32X2}, {"b128", T_B128}, {"e4m3x2", T_E4M3X2}, {"e5m2x2", T_E5M2X2}};
  auto it = m.find(s);
  return it == m.end() ? T_NONE : it->second;
}
bool isNum(std::string_view s) {
  return !s.empty() && s[0] >= '0' && s[0] <= '9';
}
// literal -> operand (imm / float)
void literal(std::string_view t, Operand& o, Lexer* lx) {
  o.k = Operand::Imm;
  if (t.size() > 2 && t[0] == '0' && (t[1] == 'f' || t[1] == 'F')) {
    o.fImm = true;
    o.imm = (i64)strtoul(std::string(t.substr(2)).c_str(), nullptr, 16);
    return;
  }
  if (t.size() > 2 && t[0] == '0' && (t[1] == 'd' || t[1] == 'D')) {
    o.dImm = true;
    o.imm = (i64)strtoull(std::string(t.substr(2)).c_str(), nullptr, 16);
    return;
  }
  std::string s(t);
  bool hex = s.size() > 1 && (s[1] == 'x' || s[1] == 'X');
  if (!hex &&
      (s.find('.') != std::string::npos || s.find('e') != std::string::npos || s.find('E') != std::string::npos)) {
    if (lx && (s.back() == 'e' || s.back() == 'E') && (lx->is("-") || lx->is("+"))) {
      s += std::string(lx->take());
      s += std::string(lx->take());
    }
    double d = strtod(s.c_str(), nullptr);
    o.dImm = true;
    memcpy(&o.imm, &d, 8);
    return;
  }
  if (!s.empty() && (s.back() == 'U' || s.back() == 'u')) s.pop_back();
  if (s.size() > 1 && s[0] == '0' && (s[1] == 'b' || s[1] == 'B'))
    o.imm = (i64)strtoull(s.c_str() + 2, nullptr, 2);
  else
    o.imm = (i64)strtoull(s.c_str(), nullptr, 0);
}
i64 constTerm(Lexer& L) {
  if (L.accept("~")) return ~constTerm(L);
  bool neg = false;
  while (L.is("-") || L.is("+")) {
    if (L.is("-")) neg = !neg;
    L.next();
  }
  if (L.accept("(")) {  // (cast) or parenthesised
    if (L.tok.size() && L.tok[0] == '.') {
      L.next();
      L.expect(")");
      return neg ? -constTerm(L) : constTerm(L);
    }
    i64 v = constTerm(L);
    L.expect(")");
    return neg ? -v : v;
  }
  Operand o;
  auto t = L.take();
  literal(t, o, &L);
  if (neg && o.dImm) {
    double d;
    memcpy(&d, &o.imm, 8);
    d = -d;
    memcpy(&o.imm, &d, 8);
    return o.imm;
  }
  return neg ? (i64)(0 - (u64)o.imm) : o.imm;
}
Operand parseMem(Lexer& L) {  // after '['
  Operand o;
  o.k = Operand::Mem;
  if (L.is("-") || isNum(L.tok)) {
    o.imm = constTerm(L);
  } else {
    o.name = L.take();
    o.hasName = true;
    while (L.is("+") || L.is("-")) {
      bool neg = L.is("-");
      L.next();
      i64 v = constTerm(L);
      o.imm += neg ? -v : v;
    }
  }
  if (L.accept(",")) {  // texture style / mbarrier forms: [a, {..}]
    o.vec.push_back(parseOperand(L));
  }
  L.expect("]");
  return o;
}
Operand parseOperand(Lexer& L) {
  Operand o;
  if (L.accept("!")) {
    o = parseOperand(L);
    o.neg = true;
    return o;
  }
  if (L.accept("[")) return parseMem(L);
  if (L.accept("{")) {
    o.k = Operand::Vec;
    while (!L.is("}")) {
      o.vec.push_back(parseOperand(L));
      if (!L.accept(",")) break;
    }
    L.expect("}");
    return o;
  }
  if (L.accept("-")) {
    o = parseOperand(L);
    if (o.k == Operand::Imm) {
      if (o.dImm) {
        double d;
        memcpy(&d, &o.imm, 8);
        d = -d;
        memcpy(&o.imm, &d, 8);
      } else if (o.fImm) {
        o.imm ^= 0x80000000;
      } else
        o.imm = (i64)(0 - (u64)o.imm);
    } else
      o.minus = true;
    return o;
  }
  if (L.accept("+")) return parseOperand(L);
  if (L.is("(")) {
    o.k = Operand::Imm;
    o.imm = constTerm(L);
    return o;
  }
  if (isNum(L.tok)) {
    auto t = L.take();
    literal(t, o, &L);
    return o;
  }
  if (L.is("_")) {
    L.next();
    o.k = Operand::Sink;
    if (L.accept("|")) {
      o.name2 = L.take();
    }
    return o;
  }
  if (L.eof) L.fail("unexpected end of input");
  o.k = Operand::Name;
  o.name = L.take();
  o.hasName = true;
  if (o.name == "generic" && L.accept("(")) {
    o.name = L.take();
    L.expect(")");
  }
  if (L.accept("|")) {
    o.name2 = L.take();
  }
  while (L.is("+") || (L.is("-"))) {
    bool neg = L.is("-");
    L.next();
    i64 v = constTerm(L);
    o.imm += neg ? -v : v;
  }
  return o;
}
// .param/.reg/.shared... declarations; the lexer stands after the state space token
void parseVarTail(Lexer& L, Var& v, bool allowInit) {
  for (;;) {
    if (L.is(".align")) {
      L.next();
      v.align = (u32)constTerm(L);
    } else if (L.is(".ptr")) {
      L.next();
      while (L.is(".global") || L.is(".shared") || L.is(".local") || L.is(".const") || L.is(".param")) L.next();
      if (L.accept(".align")) constTerm(L);
    } else if (L.tok.size() > 1 && L.tok[0] == '.' && (L.tok == ".attribute")) {
      L.next();
      if (L.accept("(")) {
        if (L.tok.substr(0, 8) == ".managed") v.managed = true;
        while (!L.is(")") && !L.eof) L.next();
        L.expect(")");
      }
    } else if (L.is(".v2") || L.is(".v4") || L.is(".volatile") || L.is(".unified")) {
      if (L.is(".v2")) v.count *= 2;
      if (L.is(".v4")) v.count *= 4;
      L.next();
    } else if (L.tok.size() > 1 && L.tok[0] == '.') {
      auto s = L.tok.substr(1);
      Ty t = parseTy(s);
      if (t == T_NONE) {
        if (s == "texref" || s == "samplerref" || s == "surfref")
          t = T_B64;
        else
          L.fail("unknown type in declaration: " + std::string(L.tok));
      }
      v.ty = t;
      L.next();
    } else
      break;
  }
  if (!L.is(";") && !L.is(",") && !L.is(")")) v.name = std::string(L.take());
  while (L.accept("[")) {
    v.isArray = true;
    if (L.is("]")) {
      v.count = 0;
    } else
      v.count *= (u64)constTerm(L);
    L.expect("]");
  }
  v.size = v.count * tySize(v.ty);
  if (v.align < (u32)tySize(v.ty)) v.align = tySize(v.ty);
  if (allowInit && L.accept("=")) {
    if (L.is("{")) {
      int d = 0;
      do {
        if (L.is("{"))
          ++d;
        else if (L.is("}"))
          --d;
        else
          v.init.push_back(L.tok);
        L.next();
      } while (d > 0 && !L.eof);
    } else
      while (!L.is(";") && !L.is(",") && !L.eof) v.init.push_back(L.take());
    if (v.isArray && v.count == 0) { /* size from the initialiser */
      u64 n = 1;
      for (auto t : v.init)
        if (t == ",") ++n;
      v.count = n;
      v.size = n * tySize(v.ty);
    }
  }
}
}  // namespace emu
