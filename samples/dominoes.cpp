// SPDX-License-Identifier: MIT
// dominoes: the first of 30 dominoes is pushed and the others follow. Prints the speed of the wave; returns 1 unless
// all fall, one after the other, and come to rest.
#include <talus/talus.h>

#include <cstdio>
#include <vector>

namespace {

// The world's height of the tip of the body's y axis: 1 upright, 0 lying.
float uprightness(talus::Quat q) {
  return 1 - 2 * (q.x * q.x + q.z * q.z);
}

}  // namespace

int main() {
  constexpr int kDominoes = 30;
  constexpr float kStep = 1.0f / 60, kSpacing = 0.5f;
  talus::World world;
  world.add_body({.shape = talus::plane({0, 1, 0})});
  std::vector<talus::BodyDef> defs(kDominoes, {.shape = talus::box({0.1f, 0.5f, 0.25f})});
  for (int i = 0; i < kDominoes; ++i) defs[std::size_t(i)].position = {kSpacing * float(i), 0.5f, 0};
  const std::vector<talus::BodyId> dominoes = world.add_bodies(defs);
  const float mass = 1000.0f * 0.2f * 1.0f * 0.5f;  // [kg] density times volume
  world.apply_impulse_at(dominoes[0], {0.8f * mass, 0, 0}, {0, 0.9f, 0});

  std::vector<talus::Transform> poses(dominoes.size());
  std::vector<int> fell_at(dominoes.size(), 0);  // step at which a domino had turned by 45 degrees
  for (int step = 1; step <= 900; ++step) {
    world.step(kStep);
    world.read_poses(dominoes, poses);
    for (std::size_t i = 0; i < poses.size(); ++i) {
      if (fell_at[i] == 0 && uprightness(poses[i].orientation) < 0.707f) fell_at[i] = step;
    }
  }

  bool in_order = fell_at[0] > 0;
  for (std::size_t i = 1; i < fell_at.size(); ++i) in_order = in_order && fell_at[i] >= fell_at[i - 1];
  const double seconds = double(fell_at.back() - fell_at[0]) * double(kStep);
  const double energy = world.mechanics().kinetic_energy / kDominoes;
  std::printf("%s, %.2f m/s; kinetic energy at the end %.2g J each\n", in_order ? "fell in order" : "did not all fall",
              double(kSpacing) * (kDominoes - 1) / seconds, energy);
  return in_order && energy < 0.01 ? 0 : 1;
}
