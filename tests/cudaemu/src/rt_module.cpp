// SPDX-License-Identifier: MIT
// Registration of fat binaries, kernels and variables, and finding them again.
#include "runtime.h"

using namespace emu;
namespace emu {
std::vector<FatBinary*> fatbins;
static std::unordered_map<const void*, KernelRef*> kernelsByHost;
static std::set<const void*> kernelSet;
static std::unordered_map<const void*, VarRef> varsByHost;
static std::unordered_map<KernelRef*, FatBinary*> fbOf;
static std::unordered_map<const void*, FatBinary*> fbOfVar;
KernelRef* findKernel(const void* f) {
  auto it = kernelsByHost.find(f);
  if (it != kernelsByHost.end()) return it->second;
  if (kernelSet.count(f)) return (KernelRef*)f;
  return nullptr;
}
KernelImage* imageOf(KernelRef* k) {
  if (k->img) return k->img;
  FatBinary* fb = fbOf[k];
  if (!fb) return nullptr;
  loadFatbin(*fb);
  for (auto& m : fb->modules)
    if (m->funcByName.count(k->name) && m->funcByName[k->name]->hasBody) {
      k->mod = m.get();
      return k->img = getImage(*m, k->name);
    }
  for (auto* o : fatbins) {
    loadFatbin(*o);
    for (auto& m : o->modules)
      if (m->funcByName.count(k->name) && m->funcByName[k->name]->hasBody) {
        k->mod = m.get();
        return k->img = getImage(*m, k->name);
      }
  }
  return nullptr;
}
cudaError_t symbolAddr(const void* s, u64& a, size_t& sz) {
  auto it = varsByHost.find(s);
  if (it == varsByHost.end()) return cudaErrorInvalidSymbol;
  FatBinary* fb = fbOfVar[s];
  loadFatbin(*fb);
  auto tryMod = [&](Module& m) {
    auto j = m.varByName.find(it->second.name);
    if (j == m.varByName.end() || j->second->isExtern) return false;
    placeModule(m);
    a = j->second->addr;
    sz = j->second->size;
    return true;
  };
  for (auto& m : fb->modules)
    if (tryMod(*m)) return cudaSuccess;
  for (auto* o : fatbins) {
    loadFatbin(*o);
    for (auto& m : o->modules)
      if (tryMod(*m)) return cudaSuccess;
  }
  return cudaErrorInvalidSymbol;
}
}  // namespace emu
// ------------------------------------------------------------------ registration
API void** __cudaRegisterFatBinary(void* w) {
  LOCK;
  initRuntime();
  auto* f = new FatBinary;
  f->wrapper = w;
  fatbins.push_back(f);
  return (void**)f;
}
API void __cudaRegisterFatBinaryEnd(void**) {}
API void __cudaUnregisterFatBinary(void**) {}
API void __cudaRegisterFunction(void** h, const char* host, char*, const char* name, int, void*, void*, void*, void*,
                                int*) {
  LOCK;
  auto* k = new KernelRef;
  k->name = name;
  k->host = host;
  kernelsByHost[host] = k;
  kernelSet.insert(k);
  fbOf[k] = (FatBinary*)h;
  ((FatBinary*)h)->kernels.push_back(k);
}
API void __cudaRegisterVar(void** h, char* host, char*, const char* name, int, size_t size, int, int) {
  LOCK;
  VarRef v;
  v.name = name;
  v.size = size;
  varsByHost[host] = v;
  fbOfVar[host] = (FatBinary*)h;
}
API void __cudaRegisterManagedVar(void** h, void** hostPtrAddr, char*, const char* name, int, size_t size, int, int) {
  LOCK;
  VarRef v;
  v.name = name;
  v.size = size;
  varsByHost[hostPtrAddr] = v;
  fbOfVar[hostPtrAddr] = (FatBinary*)h;
  ((FatBinary*)h)->managed.push_back({hostPtrAddr, name});
}
API void __cudaRegisterHostVar(void**, const char*, char*, size_t) {}
API void __cudaRegisterUnifiedTable(void**, void*) {}
API char __cudaInitModule(void** h) {
  LOCK;
  loadFatbin(*(FatBinary*)h);
  return 1;
}
API cudaError_t __cudaGetKernel(cudaKernel_t* k, const void* f) {
  LOCK;
  auto* r = findKernel(f);
  if (!r) RET(cudaErrorInvalidDeviceFunction);
  *k = (cudaKernel_t)r;
  return cudaSuccess;
}
API cudaError_t cudaGetKernel(cudaKernel_t* k, const void* f) {
  return __cudaGetKernel(k, f);
}
API cudaError_t cudaGetFuncBySymbol(cudaFunction_t* fp, const void* f) {
  LOCK;
  auto* r = findKernel(f);
  if (!r) RET(cudaErrorInvalidDeviceFunction);
  *fp = (cudaFunction_t)r;
  return cudaSuccess;
}
// ------------------------------------------------------------------ symbols
API cudaError_t cudaGetSymbolAddress(void** p, const void* s) {
  LOCK;
  STICKY();
  u64 a;
  size_t z;
  cudaError_t e = symbolAddr(s, a, z);
  if (e) RET(e);
  *p = (void*)a;
  return cudaSuccess;
}
API cudaError_t cudaGetSymbolSize(size_t* n, const void* s) {
  LOCK;
  STICKY();
  u64 a;
  cudaError_t e = symbolAddr(s, a, *n);
  RET(e);
}
