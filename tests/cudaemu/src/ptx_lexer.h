// SPDX-License-Identifier: MIT
// Tokens, literals and operands of PTX; shared by the parsers of modules and of function bodies.
#pragma once
#include "ptx.h"

#include <string>

namespace emu {
struct Lexer {
  const char *p, *e;
  u32 line = 1;
  std::string_view tok;
  bool eof = false;
  Lexer(const char* b, const char* en, u32 l) : p(b), e(en), line(l) { next(); }
  static bool idc(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           c == '%' || c == '.';
  }
  void skip() {
    for (;;) {
      while (p < e && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n')) {
        if (*p == '\n') ++line;
        ++p;
      }
      if (p + 1 < e && p[0] == '/' && p[1] == '/') {
        while (p < e && *p != '\n') ++p;
        continue;
      }
      if (p + 1 < e && p[0] == '/' && p[1] == '*') {
        p += 2;
        while (p + 1 < e && !(p[0] == '*' && p[1] == '/')) {
          if (*p == '\n') ++line;
          ++p;
        }
        p += 2;
        continue;
      }
      break;
    }
  }
  void next() {
    skip();
    if (p >= e || !*p) {
      eof = true;
      tok = {};
      return;
    }
    const char* s = p;
    if (idc(*p)) {
      while (p < e && idc(*p)) ++p;
    } else if (*p == '"') {
      ++p;
      while (p < e && *p != '"') ++p;
      if (p < e) ++p;
    } else
      ++p;
    tok = std::string_view(s, p - s);
  }
  bool is(const char* t) const { return !eof && tok == t; }
  bool accept(const char* t) {
    if (is(t)) {
      next();
      return true;
    }
    return false;
  }
  [[noreturn]] void fail(const std::string& m) { throw ParseError{m, line}; }
  void expect(const char* t) {
    if (!accept(t)) fail(std::string("expected '") + t + "' but found '" + std::string(tok) + "'");
  }
  std::string_view take() {
    auto t = tok;
    next();
    return t;
  }
};
bool isNum(std::string_view s);
void literal(std::string_view t, Operand& o, Lexer* lx = nullptr);  // literal -> operand (integer or float)
i64 constTerm(Lexer& L);
Operand parseOperand(Lexer& L);
void parseVarTail(Lexer& L, Var& v, bool allowInit);  // a declaration, after the state space token
}  // namespace emu
