// SPDX-License-Identifier: MIT
// Stands in for src/device/backend_cuda.cu in a build without CUDA.
#include <talus/status.h>

#include "backend.h"

namespace talus {

std::unique_ptr<StepBackend> make_cuda_backend(void*) {
  throw Error("CUDA backend: " + cuda_unavailable_reason());
}

JointKind cuda_gear_kind() {
  throw Error("CUDA backend: " + cuda_unavailable_reason());
}

bool cuda_built() {
  return false;
}

std::string cuda_unavailable_reason() {
  return "this build of talus has no CUDA (configure with TALUS_CUDA=ON)";
}

std::string cuda_device_name() {
  return {};
}

}  // namespace talus
