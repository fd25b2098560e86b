// SPDX-License-Identifier: MIT
// A ball falls for one second on the CPU.
#include <talus/talus.h>

#include <cstdio>

int main() {
  talus::World world({.backend = talus::Backend::cpu});
  const talus::BodyId ball = world.add_body({.position = {0.0f, 10.0f, 0.0f}});
  world.step_n(60, 1.0f / 60.0f);
  const float y = world.position(ball).y;
  std::printf("y = %.3f m\n", static_cast<double>(y));
  return y > 4.9f && y < 5.2f ? 0 : 1;
}
