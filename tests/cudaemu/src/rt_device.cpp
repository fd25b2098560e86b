// SPDX-License-Identifier: MIT
// Runtime API: device queries, errors, limits.
#include "runtime.h"

using namespace emu;
static thread_local cudaError_t lastError = cudaSuccess;
namespace emu {
cudaError_t setErr(cudaError_t e) {
  if (e != cudaSuccess && e != cudaErrorNotReady) lastError = e;
  return e;
}
double nowMs() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
}  // namespace emu
API cudaError_t cudaGetLastError() {
  cudaError_t e = lastError;
  lastError = cudaSuccess;
  return e;
}
API cudaError_t cudaPeekAtLastError() {
  return lastError;
}
namespace {
struct ErrorText {
  cudaError_t code;
  const char *name, *text;
};
// clang-format off
#define E(code, text) {code, #code, text}
const ErrorText kErrors[] = {
  E(cudaSuccess, "no error"),
  E(cudaErrorInvalidValue, "invalid argument"),
  E(cudaErrorMemoryAllocation, "out of memory"),
  E(cudaErrorInitializationError, "initialization error"),
  E(cudaErrorInvalidConfiguration, "invalid configuration argument"),
  E(cudaErrorInvalidPitchValue, "invalid pitch argument"),
  E(cudaErrorInvalidSymbol, "invalid device symbol"),
  E(cudaErrorInvalidDevicePointer, "invalid device pointer"),
  E(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
  E(cudaErrorMissingConfiguration, "__global__ function call is not configured"),
  E(cudaErrorInvalidDeviceFunction, "invalid device function"),
  E(cudaErrorNoDevice, "no CUDA-capable device is detected"),
  E(cudaErrorInvalidDevice, "invalid device ordinal"),
  E(cudaErrorInvalidKernelImage, "device kernel image is invalid"),
  E(cudaErrorNoKernelImageForDevice, "no kernel image is available for execution on the device"),
  E(cudaErrorInvalidPtx, "a PTX JIT compilation failed"),
  E(cudaErrorInvalidResourceHandle, "invalid resource handle"),
  E(cudaErrorIllegalState, "the operation cannot be performed in the present state"),
  E(cudaErrorSymbolNotFound, "named symbol not found"),
  E(cudaErrorNotReady, "device not ready"),
  E(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
  E(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
  E(cudaErrorLaunchTimeout, "the launch timed out and was terminated"),
  E(cudaErrorAssert, "device-side assert triggered"),
  E(cudaErrorHostMemoryAlreadyRegistered, "part or all of the requested memory range is already mapped"),
  E(cudaErrorHostMemoryNotRegistered, "pointer does not correspond to a registered memory region"),
  E(cudaErrorIllegalInstruction, "an illegal instruction was encountered"),
  E(cudaErrorMisalignedAddress, "misaligned address"),
  E(cudaErrorInvalidAddressSpace, "operation not supported on global/shared address space"),
  E(cudaErrorInvalidPc, "invalid program counter"),
  E(cudaErrorLaunchFailure, "unspecified launch failure"),
  E(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
  E(cudaErrorNotPermitted, "operation not permitted"),
  E(cudaErrorNotSupported, "operation not supported"),
  E(cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
  E(cudaErrorStreamCaptureInvalidated, "operation failed due to a previous error during capture"),
  E(cudaErrorStreamCaptureUnmatched, "capture was not initiated in this stream"),
  E(cudaErrorStreamCaptureUnjoined, "capturing stream has unjoined work"),
  E(cudaErrorStreamCaptureIsolation, "dependency created on uncaptured work in another stream"),
  E(cudaErrorStreamCaptureImplicit, "operation would make the legacy stream depend on a capturing blocking stream"),
  E(cudaErrorCapturedEvent, "operation not permitted on an event last recorded in a capturing stream"),
  E(cudaErrorStreamCaptureWrongThread, "attempt to terminate a thread-local capture sequence from another thread"),
  E(cudaErrorGraphExecUpdateFailure, "the graph update was not performed because it included changes which violated "
                                     "constraints specific to instantiated graph update"),
  E(cudaErrorPeerAccessUnsupported, "peer access is not supported between these two devices"),
  E(cudaErrorUnknown, "unknown error"),
};
#undef E
// clang-format on
const ErrorText* errorText(cudaError_t e) {
  for (auto& t : kErrors)
    if (t.code == e) return &t;
  return nullptr;
}
}  // namespace
API const char* cudaGetErrorName(cudaError_t e) {
  const ErrorText* t = errorText(e);
  return t ? t->name : "unrecognized error code";
}
API const char* cudaGetErrorString(cudaError_t e) {
  const ErrorText* t = errorText(e);
  return t ? t->text : "unrecognized error code";
}
API cudaError_t cudaGetDeviceCount(int* n) {
  *n = 1;
  return cudaSuccess;
}
API cudaError_t cudaGetDevice(int* d) {
  *d = 0;
  return cudaSuccess;
}
API cudaError_t cudaSetDevice(int d) {
  if (d != 0) RET(cudaErrorInvalidDevice);
  STICKY();
  return cudaSuccess;
}
API cudaError_t cudaInitDevice(int d, unsigned, unsigned) {
  if (d != 0) RET(cudaErrorInvalidDevice);
  return cudaSuccess;
}
API cudaError_t cudaSetValidDevices(int*, int) {
  return cudaSuccess;
}
API cudaError_t cudaChooseDevice(int* d, const struct cudaDeviceProp*) {
  *d = 0;
  return cudaSuccess;
}
API cudaError_t cudaSetDeviceFlags(unsigned) {
  return cudaSuccess;
}
API cudaError_t cudaGetDeviceFlags(unsigned* f) {
  *f = 0;
  return cudaSuccess;
}
API cudaError_t cudaDriverGetVersion(int* v) {
  *v = 13000;
  return cudaSuccess;
}
API cudaError_t cudaRuntimeGetVersion(int* v) {
  *v = 13000;
  return cudaSuccess;
}
API cudaError_t cudaDeviceReset() {
  LOCK;
  deviceError = 0;
  lastError = cudaSuccess;
  return cudaSuccess;
}
API cudaError_t cudaDeviceGetStreamPriorityRange(int* l, int* g) {
  if (l) *l = 0;
  if (g) *g = -5;
  return cudaSuccess;
}
API cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache* c) {
  *c = cudaFuncCachePreferNone;
  return cudaSuccess;
}
API cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache) {
  return cudaSuccess;
}
API cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig* c) {
  *c = cudaSharedMemBankSizeFourByte;
  return cudaSuccess;
}
API cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig) {
  return cudaSuccess;
}
API cudaError_t cudaDeviceCanAccessPeer(int* c, int, int) {
  *c = 0;
  return cudaSuccess;
}
API cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
  RET(cudaErrorPeerAccessUnsupported);
}
API cudaError_t cudaDeviceDisablePeerAccess(int) {
  return cudaSuccess;
}
API cudaError_t cudaDeviceGetPCIBusId(char* b, int n, int) {
  snprintf(b, n, "0000:00:00.0");
  return cudaSuccess;
}
API cudaError_t cudaDeviceGetByPCIBusId(int* d, const char*) {
  *d = 0;
  return cudaSuccess;
}
API cudaError_t cudaCtxResetPersistingL2Cache() {
  return cudaSuccess;
}
API cudaError_t cudaProfilerStart() {
  LOCK;
  if (cfg.profileRange) counting = true;
  return cudaSuccess;
}
API cudaError_t cudaProfilerStop() {
  LOCK;
  if (cfg.profileRange) counting = false;
  return cudaSuccess;
}
// extra entry points, to be found with dlsym: counters of a part of the program
API void cudaemuProfileReset() {
  LOCK;
  cfg.profile = true;
  resetProfile();
}
API unsigned long long cudaemuThreadInstructions() {
  LOCK;
  return totalThreadInstructions();
}
API void cudaemuProfileWrite(const char* file) {
  LOCK;
  writeProfile(file);
}
static size_t limits[16] = {1024, 1048576, 8388608, 0, 2048, 128, 0};
API cudaError_t cudaDeviceSetLimit(enum cudaLimit l, size_t v) {
  if (l < 16) limits[l] = v;
  return cudaSuccess;
}
API cudaError_t cudaDeviceGetLimit(size_t* v, enum cudaLimit l) {
  *v = l < 16 ? limits[l] : 0;
  return cudaSuccess;
}
API cudaError_t cudaGetDriverEntryPoint(const char*, void** f, unsigned long long,
                                        enum cudaDriverEntryPointQueryResult* r) {
  if (f) *f = nullptr;
  if (r) {
    *r = cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
  }
  RET(cudaErrorSymbolNotFound);
}
API cudaError_t cudaGetDriverEntryPointByVersion(const char*, void** f, unsigned, unsigned long long,
                                                 enum cudaDriverEntryPointQueryResult* r) {
  if (f) *f = nullptr;
  if (r) {
    *r = cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
  }
  RET(cudaErrorSymbolNotFound);
}
API cudaError_t cudaGetExportTable(const void** p, const cudaUUID_t*) {
  if (p) *p = nullptr;
  RET(cudaErrorSymbolNotFound);
}
API cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp* p, int d) {
  if (d != 0) RET(cudaErrorInvalidDevice);
  memset(p, 0, sizeof *p);
  snprintf(p->name, sizeof p->name, "cudaemu (emulated sm_%d%d)", cfg.ccMajor, cfg.ccMinor);
  p->totalGlobalMem = cfg.memBytes;
  p->sharedMemPerBlock = 49152;
  p->regsPerBlock = 65536;
  p->warpSize = 32;
  p->memPitch = 2147483647;
  p->maxThreadsPerBlock = 1024;
  p->maxThreadsDim[0] = 1024;
  p->maxThreadsDim[1] = 1024;
  p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = 2147483647;
  p->maxGridSize[1] = 65535;
  p->maxGridSize[2] = 65535;
  p->totalConstMem = 65536;
  p->major = cfg.ccMajor;
  p->minor = cfg.ccMinor;
  p->textureAlignment = 512;
  p->texturePitchAlignment = 32;
  p->multiProcessorCount = cfg.sms;
  p->canMapHostMemory = 1;
  p->surfaceAlignment = 512;
  p->concurrentKernels = 1;
  p->asyncEngineCount = 2;
  p->unifiedAddressing = 1;
  p->memoryBusWidth = 5120;
  p->l2CacheSize = 41943040;
  p->maxThreadsPerMultiProcessor = 2048;
  p->streamPrioritiesSupported = 1;
  p->globalL1CacheSupported = 1;
  p->localL1CacheSupported = 1;
  p->sharedMemPerMultiprocessor = 167936;
  p->regsPerMultiprocessor = 65536;
  p->managedMemory = 1;
  p->concurrentManagedAccess = 1;
  p->computePreemptionSupported = 1;
  p->canUseHostPointerForRegisteredMem = 1;
  p->cooperativeLaunch = 1;
  p->sharedMemPerBlockOptin = 166912;
  p->maxBlocksPerMultiProcessor = 32;
  p->reservedSharedMemPerBlock = 1024;
  p->hostRegisterSupported = 1;
  p->memoryPoolsSupported = 1;
  p->clusterLaunch = 0;
  return cudaSuccess;
}
API cudaError_t cudaDeviceGetAttribute(int* v, enum cudaDeviceAttr a, int d) {
  if (d != 0) RET(cudaErrorInvalidDevice);
  switch (a) {
    case cudaDevAttrMaxThreadsPerBlock:
      *v = 1024;
      break;
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
      *v = 1024;
      break;
    case cudaDevAttrMaxBlockDimZ:
      *v = 64;
      break;
    case cudaDevAttrMaxGridDimX:
      *v = 2147483647;
      break;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
      *v = 65535;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      *v = 49152;
      break;
    case cudaDevAttrTotalConstantMemory:
      *v = 65536;
      break;
    case cudaDevAttrWarpSize:
      *v = 32;
      break;
    case cudaDevAttrMaxPitch:
      *v = 2147483647;
      break;
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      *v = 65536;
      break;
    case cudaDevAttrClockRate:
      *v = 1410000;
      break;
    case cudaDevAttrTextureAlignment:
      *v = 512;
      break;
    case cudaDevAttrMultiProcessorCount:
      *v = cfg.sms;
      break;
    case cudaDevAttrKernelExecTimeout:
      *v = 0;
      break;
    case cudaDevAttrIntegrated:
      *v = 0;
      break;
    case cudaDevAttrCanMapHostMemory:
      *v = 1;
      break;
    case cudaDevAttrComputeMode:
      *v = 0;
      break;
    case cudaDevAttrConcurrentKernels:
      *v = 1;
      break;
    case cudaDevAttrAsyncEngineCount:
      *v = 2;
      break;
    case cudaDevAttrUnifiedAddressing:
      *v = 1;
      break;
    case cudaDevAttrMemoryClockRate:
      *v = 1215000;
      break;
    case cudaDevAttrGlobalMemoryBusWidth:
      *v = 5120;
      break;
    case cudaDevAttrL2CacheSize:
      *v = 41943040;
      break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      *v = 2048;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *v = cfg.ccMajor;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *v = cfg.ccMinor;
      break;
    case cudaDevAttrStreamPrioritiesSupported:
      *v = 1;
      break;
    case cudaDevAttrGlobalL1CacheSupported:
    case cudaDevAttrLocalL1CacheSupported:
      *v = 1;
      break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *v = 167936;
      break;
    case cudaDevAttrManagedMemory:
      *v = 1;
      break;
    case cudaDevAttrComputePreemptionSupported:
      *v = 1;
      break;
    case cudaDevAttrConcurrentManagedAccess:
      *v = 1;
      break;
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
      *v = 1;
      break;
    case cudaDevAttrCooperativeLaunch:
      *v = 1;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *v = 166912;
      break;
    case cudaDevAttrHostRegisterSupported:
      *v = 1;
      break;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      *v = 32;
      break;
    case cudaDevAttrReservedSharedMemoryPerBlock:
      *v = 1024;
      break;
    case cudaDevAttrMemoryPoolsSupported:
      *v = 1;
      break;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
      *v = 2;
      break;
    default:
      *v = 0;
  }
  return cudaSuccess;
}
