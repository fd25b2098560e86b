// SPDX-License-Identifier: MIT
// Decoder: PTX statements to arrays of Ins, one image per kernel with the functions it calls.
#pragma once
#include "ops.h"
#include "ptx.h"

#include <map>

namespace emu {
struct Unsupported {  // thrown for a statement that cannot be decoded
  std::string msg;
};
// Collects the functions of a kernel and lays out its shared memory.
struct ImageBuilder {
  Module& mod;
  KernelImage& k;
  std::vector<FuncAst*> asts;
  std::unordered_map<FuncAst*, int> index;
  std::unordered_map<const Var*, u32> sharedOff;  // ~0: dynamic, until the static part is complete
  u32 sharedEnd = SHARED_START;
  u32 dynAlign = 16;
  bool usesParamAddr = false;
  ImageBuilder(Module& m, KernelImage& ki) : mod(m), k(ki) {}
  const Entity* lookup(const FuncAst& f, u32 scope, std::string_view n, u32& regIndex);
  void noteName(const FuncAst& f, const Stmt& s, std::string_view n);
  void noteOp(const FuncAst& f, const Stmt& s, const Operand& o);
  void placeShared(const Var& v);
  void addFunc(FuncAst* f);
  void addCallees(FuncAst& f, const Stmt& s);
  bool recursive();
  void build(FuncAst* entry);
};
// Decodes one function.
struct FuncDecoder {
  FuncAst& f;
  FuncImage& fi;
  ImageBuilder& B;
  bool kernel;
  std::vector<i32> regOff;
  std::vector<u8> regSize;
  std::vector<u32> varOff;
  std::vector<u8> pool;
  std::map<std::pair<int, u64>, u32> consts;
  std::vector<u32> stmtPc;
  std::vector<std::pair<u32, u32>> fix;  // ins index -> statement index
  // the statement that is being decoded, its first part, the last two types of the mnemonic, the size of a register of
  // t
  const Stmt* S = nullptr;
  std::string_view op;
  Ty t = T_NONE, t2 = T_NONE;
  int sz = 0;

  FuncDecoder(FuncAst& a, FuncImage& b, ImageBuilder& c) : f(a), fi(b), B(c), kernel(a.entry) {}
  void decode();

  // operands
  struct Sym {
    enum K { None, Reg, Local, KParam, Shared, Global, Func, Special, Label } k = None;
    i32 off = 0;
    int size = 0;
    u64 addr = 0;
    Ty ty = T_NONE;
  };
  static int rsz(Ty t);  // size of a register of this type, 0 for a predicate
  i32 cst(int size, u64 v);
  Sym sym(std::string_view n);
  u64 immBits(const Operand& o, Ty t);
  i32 src(const Operand& o, Ty t, int size = -1);
  i32 dst(const Operand& o, int size);
  i32 dst2(const Operand& o);  // the second predicate of p|q, -1 if there is none
  i32 predSrc(const Operand& o, Ins& I, u16 negFlag);
  int regSizeOf(const Operand& o);
  bool mem(const Operand& o, Ins& I);  // address; true if it is a kernel parameter addressed by name

  // statements
  [[noreturn]] void bad(const std::string& m) { throw Unsupported{m}; }
  bool has(const char* modifier);
  void need(size_t operands);
  Space spaceOf();
  int vlen();
  std::string mn();  // mnemonic
  void setFn(Ins& I, Fns h, const std::string& what);
  void csr(Ins& I, bool ftz, int rnd);
  void satAfter(const Ins& I, Ty t);
  void emit(Ins I);
  void layoutRegisters();
  void layoutLocals();
  void trapInstead(const Unsupported& u);
  void stmt();
  bool dataStmt();     // moves and memory
  bool controlStmt();  // branches, calls, barriers, warp level
  void valueStmt();    // conversion, comparison, arithmetic
  void mov();
  void ld();
  void st();
  void atom();
  void cpAsync();
  void mbarrier();
  void cvta();
  void brx();
  void call();
  void bar();
  void shfl();
  void vote();
  void matchReduxElect();
  void cvt();
  void setp();
  void carry();
  void refuseModifiers();
  void alu();
};
}  // namespace emu
