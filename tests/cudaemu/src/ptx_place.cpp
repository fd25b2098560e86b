// SPDX-License-Identifier: MIT
// Placement of module variables in device memory, with their initial values.
#include "memory.h"
#include "ptx_lexer.h"

namespace emu {
void placeModule(Module& m) {
  if (m.placed) return;
  m.placed = true;
  for (auto& v : m.vars) {
    if (v->space != SP_GLOBAL && v->space != SP_CONST) continue;
    if (v->isExtern || v->placed) continue;
    if (v->visible) {  // -rdc: one copy of a visible or weak variable per fat binary
      Var* first = nullptr;
      for (auto* o : allModules)
        if (o != &m && o->owner == m.owner && o->varByName.count(v->name)) {
          Var* w = o->varByName[v->name];
          if (w->placed && w->visible && w->size == v->size) first = w;
        }
      if (first) {
        v->addr = first->addr;
        v->placed = true;
        v->init.clear();
        continue;
      }
    }
    v->addr = memAlloc(v->size ? v->size : 1,
                       v->managed             ? MK_MANAGED
                       : v->space == SP_CONST ? MK_CONST
                                              : MK_SYMBOL,
                       v->name.c_str());
    v->placed = true;
    memset(hostPtr(v->addr), 0, v->size);
    memMarkInit(v->addr, v->size);
  }
  for (auto& v : m.vars) {
    if (v->init.empty() || !v->placed) continue;
    char* p = hostPtr(v->addr);
    u64 es = tySize(v->ty);
    size_t i = 0, n = v->init.size();
    u64 idx = 0;
    auto symAddr = [&](std::string_view s) -> u64 {
      std::string k(s);
      Var* w = findVar(m, k);
      if (w) {
        if (!w->placed && w->space != SP_SHARED) {
          for (auto* o : allModules)
            if (o->varByName.count(k) && o != &m) placeModule(*o);
        }
        return w->addr;
      }
      FuncAst* f = findFunc(m, k);
      return f ? f->addr : 0;
    };
    while (i < n) {
      if (v->init[i] == ",") {
        ++i;
        continue;
      }
      u64 val = 0;
      bool neg = false;
      u64 bytemask = 0;
      while (i < n && v->init[i] != ",") {
        std::string_view t = v->init[i];
        if (t == "-") {
          neg = !neg;
          ++i;
        } else if (t == "+") {
          ++i;
        } else if (t == "generic") {
          i += 2;
          val += symAddr(v->init[i]);
          i += 2;
        } else if (isNum(t) && i + 1 < n && v->init[i + 1] == "(") {
          Operand o;
          literal(t, o);
          bytemask = (u64)o.imm;
          i += 2;
          if (v->init[i] == "generic") {
            i += 2;
            val += symAddr(v->init[i]);
            i += 2;
          } else {
            val += symAddr(v->init[i]);
            ++i;
          }
          while (i < n && v->init[i] == "+") {
            ++i;
            Operand o2;
            literal(v->init[i], o2);
            val += o2.imm;
            ++i;
          }
          ++i;
        } else if (t == "(" || t == ")") {
          ++i;
        } else if (isNum(t)) {
          Operand o;
          literal(t, o);
          if (o.dImm && v->ty == T_F32) {
            double d;
            memcpy(&d, &o.imm, 8);
            if (neg) {
              d = -d;
              neg = false;
            }
            float f = (float)d;
            u32 b;
            memcpy(&b, &f, 4);
            val += b;
          } else if (o.dImm && neg) {
            val += (u64)o.imm ^ (1ull << 63);
            neg = false;
          } else {
            val += neg ? 0 - (u64)o.imm : (u64)o.imm;
            neg = false;
          }
          ++i;
        } else {
          val += symAddr(t);
          ++i;
        }
      }
      if (bytemask) {
        while (bytemask && !(bytemask & 1)) {
          bytemask >>= 1;
          val >>= 1;
        }
      }
      if ((idx + 1) * es <= v->size) memcpy(p + idx * es, &val, es);
      ++idx;
    }
  }
}
}  // namespace emu
