// SPDX-License-Identifier: MIT
// Snapshots as strings.
#pragma once
#include <talus/world.h>

#include <sstream>
#include <string>

namespace talus::test {

inline std::string saved(World& world) {
  std::ostringstream out(std::ios::binary);
  world.save(out);
  return out.str();
}
inline void restore(World& world, const std::string& bytes) {
  std::istringstream in(bytes, std::ios::binary);
  world.restore(in);
}

}  // namespace talus::test
