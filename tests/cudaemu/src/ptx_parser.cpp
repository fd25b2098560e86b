// SPDX-License-Identifier: MIT
// PTX parser, module level: directives, variables and function headers. Bodies are parsed on demand.
#include "ptx_lexer.h"

#include <cstdlib>

namespace emu {
std::vector<Module*> allModules;
namespace {
std::vector<Var> parseParamList(Lexer& L) {  // after '('
  std::vector<Var> r;
  while (!L.is(")")) {
    if (L.is(".param") || L.is(".reg"))
      L.next();
    else
      L.fail("bad parameter list near '" + std::string(L.tok) + "'");
    Var v;
    v.space = SP_PARAM;
    parseVarTail(L, v, false);
    r.push_back(std::move(v));
    if (!L.accept(",")) break;
  }
  L.expect(")");
  return r;
}
void layout(std::vector<Var>& ps) {
  u64 o = 0;
  for (auto& v : ps) {
    o = (o + v.align - 1) / v.align * v.align;
    v.addr = o;
    o += v.size;
  }
}
}  // namespace

bool parseModule(Module& m) {
  static u64 nextFunc = FUNC_WINDOW + 16;
  try {
    Lexer L(m.text.data(), m.text.data() + m.text.size(), 1);
    while (!L.eof) {
      if (L.is(".version")) {
        L.next();
        L.next();
      } else if (L.is(".target")) {
        L.next();
        if (L.tok.substr(0, 3) == "sm_") m.target = atoi(std::string(L.tok.substr(3)).c_str());
        L.next();
        while (L.accept(",")) L.next();
      } else if (L.is(".address_size")) {
        L.next();
        L.next();
      } else if (L.is(".file")) {
        L.next();
        u32 idx = (u32)constTerm(L);
        std::string f(L.take());
        if (f.size() >= 2 && f[0] == '"') f = f.substr(1, f.size() - 2);
        if (m.files.size() <= idx) m.files.resize(idx + 1);
        m.files[idx] = f;
        while (L.accept(",")) L.next();
      } else if (L.is(".section")) {
        while (!L.is("{") && !L.eof) L.next();
        int d = 0;
        do {
          if (L.is("{")) ++d;
          if (L.is("}")) --d;
          L.next();
        } while (d > 0 && !L.eof);
      } else if (L.is(".pragma")) {
        while (!L.is(";") && !L.eof) L.next();
        L.next();
      } else if (L.is(".alias")) {
        L.next();
        std::string a(L.take());
        L.expect(",");
        std::string b(L.take());
        L.expect(";");
        auto it = m.funcByName.find(b);
        if (it != m.funcByName.end()) m.funcByName[a] = it->second;
      } else if (L.accept(";")) {
      } else {
        bool ext = false, vis = false;
        while (L.is(".visible") || L.is(".extern") || L.is(".weak") || L.is(".common")) {
          if (L.is(".extern")) ext = true;
          if (L.is(".visible") || L.is(".weak") || L.is(".common")) vis = true;
          L.next();
        }
        if (L.is(".func") || L.is(".entry")) {
          auto f = std::make_unique<FuncAst>();
          f->entry = L.is(".entry");
          f->mod = &m;
          L.next();
          while (L.is(".noreturn") || L.is(".unique") || L.is(".attribute")) {
            bool at = L.is(".attribute");
            L.next();
            if (at && L.accept("(")) {
              while (!L.is(")")) L.next();
              L.next();
            }
          }
          if (L.accept("(")) f->rets = parseParamList(L);
          f->name = std::string(L.take());
          if (L.accept("(")) f->params = parseParamList(L);
          layout(f->params);
          layout(f->rets);
          while (!L.is("{") && !L.is(";") && !L.eof) {
            if (L.is(".maxntid") || L.is(".reqntid")) {
              L.next();
              u32 n = (u32)constTerm(L);
              while (L.accept(",")) n *= (u32)constTerm(L);
              f->maxntid = n;
            } else
              L.next();
          }
          if (L.is("{")) {
            f->bodyLine = L.line;
            f->bodyB = L.tok.data();
            f->hasBody = true;
            // skip to the matching brace quickly
            const char* p = f->bodyB;
            int d = 0;
            u32 ln = L.line;
            for (; p < L.e; ++p) {
              if (*p == '{')
                ++d;
              else if (*p == '}') {
                if (--d == 0) {
                  ++p;
                  break;
                }
              } else if (*p == '\n')
                ++ln;
              else if (*p == '/' && p + 1 < L.e && p[1] == '/') {
                while (p < L.e && *p != '\n') ++p;
                --p;
              } else if (*p == '"') {
                ++p;
                while (p < L.e && *p != '"') ++p;
              }
            }
            f->bodyE = p;
            L.p = p;
            L.line = ln;
            L.next();
          } else
            L.accept(";");
          auto it = m.funcByName.find(f->name);
          if (it != m.funcByName.end()) {
            FuncAst* old = it->second;  // forward declaration then definition
            if (!old->hasBody && f->hasBody) {
              u64 ad = old->addr;
              *old = std::move(*f);
              old->addr = ad;
            }
          } else {
            f->addr = nextFunc;
            nextFunc += 16;
            m.funcByName[f->name] = f.get();
            m.funcs.push_back(std::move(f));
          }
        } else if (L.is(".global") || L.is(".const") || L.is(".shared") || L.is(".tex") || L.is(".local")) {
          Space sp = L.is(".const") ? SP_CONST : L.is(".shared") ? SP_SHARED : SP_GLOBAL;
          L.next();
          do {
            auto v = std::make_unique<Var>();
            v->space = sp;
            v->isExtern = ext;
            v->visible = vis;
            parseVarTail(L, *v, true);
            m.varByName[v->name] = v.get();
            m.vars.push_back(std::move(v));
          } while (L.accept(","));
          L.expect(";");
        } else
          L.fail("unexpected '" + std::string(L.tok) + "' at module level");
      }
    }
  } catch (ParseError& e) {
    m.error = "PTX parse error, line " + std::to_string(e.line) + ": " + e.msg;
    return false;
  }
  return true;
}

FuncAst* findFunc(Module& m, const std::string& n) {
  auto it = m.funcByName.find(n);
  FuncAst* f = it == m.funcByName.end() ? nullptr : it->second;
  if (f && f->hasBody) return f;
  for (auto* o : allModules) {
    auto j = o->funcByName.find(n);
    if (j != o->funcByName.end() && j->second->hasBody) return j->second;
  }
  return f;
}
Var* findVar(Module& m, const std::string& n) {
  auto it = m.varByName.find(n);
  Var* v = it == m.varByName.end() ? nullptr : it->second;
  if (v && !(v->isExtern && v->space != SP_SHARED)) return v;
  for (auto* o : allModules) {
    if (o == &m) continue;
    auto j = o->varByName.find(n);
    if (j != o->varByName.end() && !j->second->isExtern) return j->second;
  }
  return v;
}
}  // namespace emu
