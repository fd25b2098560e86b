// SPDX-License-Identifier: MIT
// stack: a tower of 20 cubes stands on a floor. Prints how far it sank and leant, and what the floor carries, read from
// the contacts; returns 1 if the tower moved or the floor does not carry its weight.
#include <talus/talus.h>

#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  constexpr int kCubes = 20;
  constexpr float kStep = 1.0f / 60;
  // Keeps the contacts of each step for reading; a tower that sleeps would have none.
  talus::World world(talus::WorldDef{.sleep = {.enabled = false}, .contact_reports = true});

  const talus::BodyId floor = world.add_body({.shape = talus::plane({0, 1, 0})});
  std::vector<talus::BodyDef> tower(kCubes, {.shape = talus::box({0.5f, 0.5f, 0.5f}), .mass = 10.0f});
  for (int i = 0; i < kCubes; ++i) tower[std::size_t(i)].position = {0, 0.5f + float(i), 0};
  const std::vector<talus::BodyId> cubes = world.add_bodies(tower);

  world.step_n(600, kStep);  // ten seconds
  const talus::Vec3 top = world.position(cubes.back());
  const double sunk = double(tower.back().position.y - top.y), leant = std::hypot(double(top.x), double(top.z));

  double carried = 0;  // [N] normal impulses over the time of a step
  for (const talus::ContactReport& contact : world.read_contacts()) {
    if (contact.a != floor && contact.b != floor) continue;
    for (int point = 0; point < contact.point_count; ++point) {
      carried += double(contact.points[point].normal_impulse) / double(kStep);
    }
  }
  const double weight = kCubes * 10.0 * 9.81;
  std::printf("sunk %.1f mm, leant %.1f mm, the floor carries %.1f N of %.1f N\n", 1e3 * sunk, 1e3 * leant, carried,
              weight);
  return std::abs(sunk) < 0.15 && leant < 0.05 && std::abs(carried - weight) < 0.02 * weight ? 0 : 1;
}
