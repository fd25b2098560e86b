// SPDX-License-Identifier: MIT
// Different ways of solving the same problem come to the same rest.
#include <vector>

#include "analytic/rig.h"

namespace talus::test {
namespace {

class Solvers : public BackendTest {};
TALUS_INSTANTIATE_ON_BACKENDS(Solvers);

/// Four boxes that fall from `gap` above each other.
std::vector<Vecd> resting_positions(const WorldDef& def, int steps, float gap = 0.02f) {
  World world(def);
  world.add_body({.shape = plane({0.0f, 1.0f, 0.0f})});
  std::vector<BodyId> ids;
  for (int i = 0; i < 4; ++i) {
    ids.push_back(world.add_body({.shape = box({0.5f, 0.5f, 0.5f}),
                                  .position = {0.02f * float(i % 2), 0.5f + gap + (1.0f + gap) * float(i), 0.0f}}));
  }
  world.step_n(steps, kStep);
  std::vector<Vecd> positions;
  for (const BodyId id : ids) positions.push_back(vec(world.position(id)));
  return positions;
}

TEST_P(Solvers, AgreeOnARestingStack) {
  const int steps = cpu_or_cuda(300, 30);
  const std::vector<Vecd> expected = resting_positions(def(), steps);
  struct Variant {
    const char* name;
    SolverSettings settings;
  };
  const Variant variants[] = {
      {"jacobi", {.solver = Solver::jacobi, .iterations = 2, .relax_iterations = 2}},
      {"projection", {.stabilization = Stabilization::projection}},
      {"box friction", {.friction = FrictionModel::box}},
      {"more sub-steps", {.substeps = 8}},
      {"more sweeps", {.iterations = 4, .relax_iterations = 4}},
      {"no recycling", {.recycle_fraction = 0.0f}},
  };
  for (const Variant& variant : variants) {
    SCOPED_TRACE(variant.name);
    const std::vector<Vecd> actual = resting_positions(def(variant.settings), steps);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_LT(length(actual[i] - expected[i]), 5e-3)  // measured: 1.9e-3, of jacobi
          << "box " << i << ", y " << actual[i].y << " and " << expected[i].y;
    }
  }
}

// Contacts hide the integrator: the boxes fall for a while, in which it shows, and then rest alike.
TEST_P(Solvers, MoreauFallsInAParabolaAndRestsAlike) {
  constexpr float kGap = 0.3f;
  const WorldDef usual = def(), moreau = def({.integrator = Integrator::moreau});
  constexpr int kFalling = 9;
  const std::vector<Vecd> fallen = resting_positions(moreau, kFalling, kGap);
  const double t = kFalling * double(kStep), h = double(kStep) / 4, fall = 0.5 * 9.81 * t * t;
  for (std::size_t i = 0; i < fallen.size(); ++i) {
    EXPECT_NEAR(fallen[i].y, 0.5 + double(kGap) + (1 + double(kGap)) * double(i) - fall, 1e-5);
  }
  const std::vector<Vecd> euler = resting_positions(usual, kFalling, kGap);
  EXPECT_NEAR(fallen[0].y - euler[0].y, 0.5 * 9.81 * h * t, 1e-5) << "sub-steps of symplectic Euler fall by more";
  if (on_cuda()) return;  // a rest takes long on the emulator
  const std::vector<Vecd> actual = resting_positions(moreau, 400, kGap), expected = resting_positions(usual, 400, kGap);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_LT(length(actual[i] - expected[i]), 0.025) << i;  // measured: 8.8 mm, sideways
  }
}

TEST_P(Solvers, SettingsThatLookStrangeAreStillSane) {
  const SolverSettings variants[] = {{.substeps = 1, .iterations = 8, .relax_iterations = 0},
                                     {.substeps = 16, .warm_start = false},
                                     {.contact_hertz = 5.0f},
                                     {.contact_damping_ratio = 0.5f},
                                     {.max_push_speed = 0.1f},
                                     {.speculative_distance = 0.2f}};
  for (const SolverSettings& settings : variants) {
    const std::vector<Vecd> positions = resting_positions(def(settings), cpu_or_cuda(120, 20));
    for (std::size_t i = 0; i < positions.size(); ++i) {
      EXPECT_NEAR(positions[i].y, 0.5 + double(i), 0.15) << "variant " << (&settings - variants);
    }
  }
}

}  // namespace
}  // namespace talus::test
