// SPDX-License-Identifier: MIT
// Towers of bricks that are turned against each other.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "truth/experiment.h"

namespace talus::truth {

namespace {

/// [mm] How far any brick gets from where it was put, sideways, in 30 s.
double drift_of(const Variant& variant, Vec3 half, int bricks, double angle) {
  WorldDef def{.solver = variant.settings};
  def.sleep.enabled = false;
  World world(def);
  world.add_body({.shape = plane({0.0f, 1.0f, 0.0f})});
  const Quat turned{0.0f, float(std::sin(0.5 * angle)), 0.0f, float(std::cos(0.5 * angle))};
  std::vector<BodyId> ids;
  for (int i = 0; i < bricks; ++i) {
    ids.push_back(world.add_body({.shape = box(half),
                                  .position = {0.0f, half.y * float(2 * i + 1), 0.0f},
                                  .orientation = i % 2 == 0 ? kIdentity : turned}));
  }
  double drift = 0.0;
  for (int second = 0; second < 30; ++second) {
    if (!world.step_n(60, 1.0f / 60)) return std::nan("");
    for (const BodyId id : ids)
      drift = std::max(drift, std::hypot(double(world.position(id).x), double(world.position(id).z)));
  }
  return 1e3 * drift;
}

Worst towers(const Variant& variant, int trials, std::uint64_t seed) {
  Random random(seed);
  Worst worst;
  for (int i = 0; i < trials; ++i) {
    const double height = random.between(0.5, 1.0), width = height * random.between(1.0, 2.0);
    const double length = random.between(std::max(2.0 * height, width), 4.0 * height);
    const int bricks = 10 + random.index(21);
    const double angle = random.between(0.0, 180.0);
    char text[128];
    std::snprintf(text, sizeof(text), "%d bricks with half edges %.4f %.4f %.4f m, turned by %.3f degrees", bricks,
                  length, height, width, angle);
    worst.add(drift_of(variant, {float(length), float(height), float(width)}, bricks, angle * 0.017453292519943295),
              text);
  }
  return worst;
}

const Row kRows[] = {
    {"Standing", "TowersOfTurnedBricksStand",
     "In a tower of 10 to 30 bricks of 1 to 2 m height, 2:1:1 to 4:2:1, every second one turned by any angle, no brick "
     "moves sideways by more than 1 mm in 30 s.",
     "mm", 1.0, 100, towers, "projection rigid rigid_block rigid_nncg",
     "With projection, positions are corrected point by point, one after another, while the tower settles (up to 7 "
     "mm). "
     "Fifty sweeps do not solve the rigid contacts of a tower: what is left tilts it."},
};

}  // namespace

std::span<const Row> tower_rows() {
  return kRows;
}

}  // namespace talus::truth
