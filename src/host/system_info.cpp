// SPDX-License-Identifier: MIT
#include <algorithm>
#include <thread>

#include <talus/config.h>
#include <talus/world.h>

#include "backend.h"

namespace talus {

std::vector<Backend> available_backends() {
  std::vector<Backend> backends{Backend::cpu};
  if (cuda_unavailable_reason().empty()) backends.push_back(Backend::cuda);
  return backends;
}

const char* backend_name(Backend backend) {
  switch (backend) {
    case Backend::automatic:
      return "automatic";
    case Backend::cpu:
      return "cpu";
    case Backend::cuda:
      return "cuda";
  }
  return "unknown";
}

SystemInfo system_info() {
  SystemInfo info;
  info.version = std::to_string(TALUS_VERSION_MAJOR) + '.' + std::to_string(TALUS_VERSION_MINOR) + '.' +
                 std::to_string(TALUS_VERSION_PATCH);
#if defined(__clang__)
  info.build = "clang " __clang_version__;
#elif defined(__GNUC__)
  info.build = "gcc " __VERSION__;
#else
  info.build = "unknown compiler";
#endif
#if defined(NDEBUG)
  info.build += ", release";
#else
  info.build += ", with assertions";
#endif
  const CpuSimd simd = cpu_simd();
  info.simd = simd.name;
  info.simd_lanes = simd.lanes;
  info.hardware_threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  info.cuda_built = cuda_built();
  const std::string reason = cuda_unavailable_reason();
  info.cuda_device = reason.empty() ? cuda_device_name() : reason;
  return info;
}

}  // namespace talus
