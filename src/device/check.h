// SPDX-License-Identifier: MIT
// CUDA errors become talus::Error: what was being done, the error's name and its meaning.
#pragma once
#include <string>

#include <cuda_runtime_api.h>

#include <talus/status.h>

namespace talus {

inline std::string describe(const std::string& what, cudaError_t code) {
  return what + ": " + cudaGetErrorName(code) + ", " + cudaGetErrorString(code);
}

/// Throws Error unless `code` is success. Errors that do not stick to the device are cleared, so that the next check
/// tells about its own call.
inline void check(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return;
  (void)cudaGetLastError();
  throw Error(describe(what, code));
}

}  // namespace talus
