// SPDX-License-Identifier: MIT
// PTX parser, function bodies: registers, local variables, labels and statements.
#include "ptx_lexer.h"

namespace emu {
void parseBody(FuncAst& f) {
  if (f.parsed) return;
  f.parsed = true;
  f.scopes.clear();
  f.scopes.emplace_back();
  Lexer L(f.bodyB, f.bodyE, f.bodyLine);
  L.expect("{");
  int cur = 0, depth = 1;
  u32 srcLine = 0;
  u16 srcFile = 0;
  while (!L.eof && depth > 0) {
    if (L.is("{")) {
      L.next();
      ++depth;
      f.scopes.emplace_back();
      f.scopes.back().parent = cur;
      cur = (int)f.scopes.size() - 1;
      continue;
    }
    if (L.is("}")) {
      L.next();
      --depth;
      cur = f.scopes[cur].parent;
      continue;
    }
    if (L.accept(";")) continue;
    std::string_view t = L.tok;
    if (t[0] == '.') {
      if (t == ".reg") {
        L.next();
        while (L.is(".v2") || L.is(".v4")) L.next();
        Ty ty = parseTy(L.tok.substr(1));
        if (ty == T_NONE) L.fail("unknown register type " + std::string(L.tok));
        L.next();
        do {
          auto nm = L.take();
          Entity en;
          en.ty = ty;
          en.index = (u32)f.regs.size();
          if (L.accept("<")) {
            u32 n = (u32)constTerm(L);
            L.expect(">");
            en.k = Entity::Family;
            en.count = n;
            f.regs.insert(f.regs.end(), n, ty);
          } else {
            en.k = Entity::Reg;
            f.regs.push_back(ty);
          }
          f.scopes[cur].names[nm] = en;
        } while (L.accept(","));
        L.expect(";");
      } else if (t == ".param" || t == ".local" || t == ".shared" || t == ".const" || t == ".global") {
        Space sp = t == ".param"    ? SP_PARAM
                   : t == ".local"  ? SP_LOCAL
                   : t == ".shared" ? SP_SHARED
                   : t == ".const"  ? SP_CONST
                                    : SP_GLOBAL;
        L.next();
        do {
          Var v;
          v.space = sp;
          // find the name token as a view into the source: parse, then look back
          const char* b = L.tok.data();
          parseVarTail(L, v, true);
          size_t pos = std::string_view(b, L.p - b).find(v.name);
          std::string_view nm(b + pos, v.name.size());
          Entity en;
          en.k = Entity::LocalVar;
          en.index = (u32)f.vars.size();
          f.vars.push_back(v);
          f.scopes[cur].names[nm] = en;
        } while (L.accept(","));
        L.expect(";");
      } else if (t == ".loc") {
        L.next();
        srcFile = (u16)constTerm(L);
        srcLine = (u32)constTerm(L);
        constTerm(L);
        while (L.is(",")) {
          L.next();
          auto w = L.take();
          if (w == "function_name") {
            L.next();
            while (L.accept("+")) L.next();
          } else if (w == "inlined_at") {
            L.next();
            L.next();
            L.next();
          }
        }
      } else if (t == ".pragma") {
        while (!L.is(";") && !L.eof) L.next();
        L.expect(";");
      } else if (t == ".branchtargets" || t == ".callprototype" || t == ".calltargets") {
        while (!L.is(";") && !L.eof) L.next();
        L.expect(";");
      } else
        L.fail("unexpected directive " + std::string(t));
      continue;
    }
    Stmt s;
    s.scope = cur;
    s.line = L.line;
    s.srcLine = srcLine;
    s.srcFile = srcFile;
    if (L.is("@")) {
      L.next();
      if (L.accept("!")) s.gneg = true;
      s.guard = L.take();
      t = L.tok;
    } else {
      // label?
      const char* q = L.p;
      while (q < L.e && (*q == ' ' || *q == '\t')) ++q;
      if (q < L.e && *q == ':' && !(q + 1 < L.e && q[1] == ':')) {
        auto nm = L.take();
        L.expect(":");
        if (L.is(".branchtargets")) {
          L.next();
          std::vector<std::string_view> v;
          do v.push_back(L.take());
          while (L.accept(","));
          L.expect(";");
          Entity en;
          en.k = Entity::Targets;
          en.index = (u32)f.targets.size();
          f.targets.push_back(v);
          f.scopes[cur].names[nm] = en;
        } else if (L.is(".callprototype") || L.is(".calltargets")) {
          Entity en;
          en.k = Entity::Proto;
          f.scopes[cur].names[nm] = en;
          while (!L.is(";") && !L.eof) L.next();
          L.expect(";");
        } else {
          Entity en;
          en.k = Entity::Label;
          en.index = (u32)f.code.size();
          f.scopes[cur].names[nm] = en;
        }
        continue;
      }
    }
    // mnemonic
    {
      std::string_view m = L.take();
      size_t i = 0;
      while (i <= m.size()) {
        size_t j = m.find('.', i);
        if (j == std::string_view::npos) j = m.size();
        if (j > i) s.op.push_back(m.substr(i, j - i));
        i = j + 1;
      }
      // "::" qualifiers, e.g. ld.global.L2::128B or .shared::cta
      while (L.is(":")) {
        L.next();
        L.expect(":");
        std::string_view q = L.take();
        size_t i2 = q.find('.');
        std::string_view rest;
        if (i2 != std::string_view::npos) {
          rest = q.substr(i2 + 1);
          q = q.substr(0, i2);
        }
        // merge into the previous part as "a::b"
        const char* b = s.op.back().data();
        s.op.back() = std::string_view(b, (q.data() + q.size()) - b);
        size_t k = 0;
        while (k < rest.size()) {
          size_t j = rest.find('.', k);
          if (j == std::string_view::npos) j = rest.size();
          if (j > k) s.op.push_back(rest.substr(k, j - k));
          k = j + 1;
        }
      }
    }
    if (s.op[0] == "call") {
      // call [(ret),] func [, (args)] [, proto];
      std::vector<Operand> rets, args;
      if (L.accept("(")) {
        while (!L.is(")")) {
          rets.push_back(parseOperand(L));
          if (!L.accept(",")) break;
        }
        L.expect(")");
        L.expect(",");
      }
      s.ops.push_back(parseOperand(L));
      if (L.accept(",")) {
        if (L.accept("(")) {
          while (!L.is(")")) {
            args.push_back(parseOperand(L));
            if (!L.accept(",")) break;
          }
          L.expect(")");
          if (L.accept(",")) s.ops.push_back(parseOperand(L));
        } else
          s.ops.push_back(parseOperand(L));
      }
      s.lists.push_back(std::move(rets));
      s.lists.push_back(std::move(args));
    } else {
      while (!L.is(";") && !L.eof) {
        s.ops.push_back(parseOperand(L));
        if (!L.accept(",")) break;
      }
    }
    L.expect(";");
    f.code.push_back(std::move(s));
  }
}
}  // namespace emu
