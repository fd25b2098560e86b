// SPDX-License-Identifier: MIT
// Prints the CUDA device; returns 1 if CUDA tests would have none to run on.
#include <talus/talus.h>

#include <algorithm>
#include <cstdio>

int main() {
  const auto backends = talus::available_backends();
  const bool found = std::find(backends.begin(), backends.end(), talus::Backend::cuda) != backends.end();
  std::printf("%s\n", talus::system_info().cuda_device.c_str());
  return found ? 0 : 1;
}
