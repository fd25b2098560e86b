// SPDX-License-Identifier: MIT
// PTX syntax tree.
#pragma once
#include "common.h"

namespace emu {
struct Operand {
  enum K : u8 { Name, Imm, Mem, Vec, Sink } k = Name;
  bool neg = false;                 // !p
  bool minus = false;               // -reg
  bool fImm = false, dImm = false;  // 0f / 0d literal (bits in imm) or decimal float (dImm)
  std::string_view name, name2;     // register, symbol or label; name2: second predicate p|q
  i64 imm = 0;                      // immediate, or offset added to the symbol / register
  bool hasName = false;             // for Mem: has a base name
  std::vector<Operand> vec;         // Vec elements
};
struct Stmt {
  std::string_view guard;
  bool gneg = false;
  std::vector<std::string_view> op;  // mnemonic split at '.'
  std::vector<Operand> ops;
  std::vector<std::vector<Operand>> lists;  // call: (ret) , (args)
  u32 scope = 0, line = 0, srcLine = 0;
  u16 srcFile = 0;
};
struct Var {  // variable declaration in any state space
  std::string name;
  Space space = SP_GLOBAL;
  Ty ty = T_B8;
  u32 align = 1;
  u64 count = 1, size = 0;
  bool isExtern = false, isArray = false, managed = false, visible = false;
  std::vector<std::string_view> init;  // tokens of the initialiser
  u64 addr = 0;                        // device address (global/const) or offset
  bool placed = false;
};
struct Entity {
  enum K : u8 { Reg, Family, LocalVar, Label, Targets, Proto } k;
  u32 index = 0, count = 0;
  Ty ty = T_NONE;
};
struct Scope {
  int parent = -1;
  std::unordered_map<std::string_view, Entity> names;
};
struct FuncAst {
  std::string name;
  bool entry = false, hasBody = false, parsed = false;
  std::vector<Var> params, rets;
  const char *bodyB = nullptr, *bodyE = nullptr;
  u32 bodyLine = 0;
  u32 maxntid = 0;
  u64 addr = 0;
  Module* mod = nullptr;
  // parsed body
  std::vector<Scope> scopes;
  std::vector<Ty> regs;
  std::vector<Var> vars;
  std::vector<Stmt> code;
  std::vector<std::vector<std::string_view>> targets;  // .branchtargets
};
struct Module {
  std::string text;
  std::string error;
  int target = 0;  // sm version of .target
  std::vector<std::unique_ptr<Var>> vars;
  std::unordered_map<std::string, Var*> varByName;
  std::vector<std::unique_ptr<FuncAst>> funcs;
  std::unordered_map<std::string, FuncAst*> funcByName;
  std::vector<std::string> files;  // .file index -> name
  std::unordered_map<std::string, std::unique_ptr<KernelImage>> images;
  bool placed = false;
  const void* owner = nullptr;  // fat binary; modules of one (-rdc) share visible variables
};
bool parseModule(Module& m);  // top level only; bodies are parsed on demand
void parseBody(FuncAst& f);
void placeModule(Module& m);                                  // allocate and initialise module variables
KernelImage* getImage(Module& m, const std::string& kernel);  // decode on demand
FuncAst* findFunc(Module& m, const std::string& name);
Var* findVar(Module& m, const std::string& name);
struct ParseError {
  std::string msg;
  u32 line;
};
extern std::vector<Module*> allModules;
}  // namespace emu
