// SPDX-License-Identifier: MIT
// Tests of a scene take a backend: Suite.Test/cpu always, Suite.Test/cuda where there is a device (or its emulator).
#pragma once
#include <gtest/gtest.h>
#include <talus/talus.h>

#include <string>

namespace talus::test {

/// Base of such a suite.
class OnBackend : public ::testing::TestWithParam<Backend> {
 protected:
  static bool on_cuda() { return GetParam() == Backend::cuda; }
  /// The second, smaller number on CUDA, where the device may be an emulated one.
  static int cpu_or_cuda(int cpu, int cuda) { return on_cuda() ? cuda : cpu; }
  static WorldDef def() {
    WorldDef d;
    d.backend = GetParam();
    d.threads = 2;
    d.sleep.enabled = false;
    return d;
  }
  static WorldDef weightless() {
    WorldDef d = def();
    d.gravity = {0.0f, 0.0f, 0.0f};
    return d;
  }
};

inline std::string backend_of(const ::testing::TestParamInfo<Backend>& info) {
  return backend_name(info.param);
}

}  // namespace talus::test

#define TALUS_INSTANTIATE_ON_BACKENDS(Suite) \
  INSTANTIATE_TEST_SUITE_P(, Suite, ::testing::ValuesIn(::talus::available_backends()), ::talus::test::backend_of)
