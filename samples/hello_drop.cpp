// SPDX-License-Identifier: MIT
// hello_drop: a sphere falls on a plane and comes to rest. Prints its height once a second; returns 1 if it did not
// rest.
#include <talus/talus.h>

#include <cstdio>

int main() {
  talus::World world(talus::WorldDef{.gravity = {0, -9.81f, 0}});  // SI units; the GPU if there is one, else the CPU
  world.add_body({.shape = talus::plane({0, 1, 0})});
  const talus::BodyId ball = world.add_body({.shape = talus::sphere(0.5f), .mass = 1.0f, .position = {0, 3, 0}});
  for (int step = 1; step <= 300; ++step) {
    const talus::StepReport report = world.step(1.0f / 60);
    if (!report) {
      std::puts(report.message().c_str());
      return 1;
    }
    if (step % 60 == 0) std::printf("%d s  y = %.3f m\n", step / 60, double(world.position(ball).y));
  }
  const float y = world.position(ball).y;
  return y > 0.49f && y < 0.51f ? 0 : 1;
}
