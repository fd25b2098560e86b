// SPDX-License-Identifier: MIT
// Joints that close loops: sweeps solve them, between trees that are solved exactly.
#include <algorithm>
#include <cmath>
#include <vector>

#include "analytic/joint_rig.h"
#include "scenes/joint_scenes.h"

namespace talus::test {
namespace {

class JointLoops : public JointTest {};
TALUS_INSTANTIATE_ON_CPU(JointLoops);

// The smallest grid with a loop, drifting without gravity: sweeps that leave something of the loop undone may not feed
// the trees with it. (Trees before loops did: ten times the energy in 3 s.)
TEST_P(JointLoops, SmallLoopsGainNoEnergy) {
  scenes::Scene scene = scenes::joint_grid(3);
  scene.gravity = {0, 0, 0};
  Random random(3);
  for (BodyDef& body : scene.bodies) {
    if (body.motion != Motion::fixed) body.linear_velocity = random.in_box(1);
  }
  scenes::RunningScene run(scene, def());
  run.step();
  const double start = run.world().mechanics().kinetic_energy;
  double most = 0, error = 0;
  for (int step = 0; step < 1200; ++step) {
    ASSERT_TRUE(run.step());
    most = std::max(most, run.world().mechanics().kinetic_energy);
    error = std::max(error, stretch(run) / double(run.scene().joints.size()));
  }
  note("most", most / start);
  note("end", run.world().mechanics().kinetic_energy / start);
  note("mean", error);
  EXPECT_LT(most, 1.01 * start);
  EXPECT_LT(error, 2e-3);
}

// Every body pushed at random by up to 1 m/s along each axis: it may not gain energy, nor come apart.
TEST_P(JointLoops, DisturbedGridGainsNoEnergy) {
  scenes::Scene scene = scenes::joint_grid(30);
  Random random(3);
  for (BodyDef& body : scene.bodies) {
    if (body.motion != Motion::fixed) body.linear_velocity = random.in_box(1);
  }
  scenes::RunningScene run(scene, def());
  const double rest = run.world().mechanics().potential_energy, start = energy(run.world()) - rest;
  double worst = 0, mean = 0, most = 0;
  for (int step = 0; step < 600; ++step) {
    ASSERT_TRUE(run.step());
    most = std::max(most, energy(run.world()) - rest);
    if (step % 5 != 0) continue;
    const std::vector<BodyMotion> motions = run.motions();
    double sum = 0;
    for (const AssemblyJoint& joint : run.scene().joints) {
      const double error = scenes::joint_error(run.scene(), joint, motions);
      sum += error;
      worst = std::max(worst, error);
    }
    mean = std::max(mean, sum / double(run.scene().joints.size()));
  }
  note("mean", mean);
  note("max", worst);
  note("most", most / start);
  note("end", (energy(run.world()) - rest) / start);
  EXPECT_LT(mean, 2e-3);
  EXPECT_LT(most, 1.01 * start);
}

// One lower corner swings out at 3 m/s, and drags the others along.
TEST_P(JointLoops, GridPulledAtACornerGainsNoEnergy) {
  scenes::Scene scene = scenes::joint_grid(30);
  scene.bodies.back().linear_velocity = {0, 0, 3};
  scene.bodies.back().mass = 5000.0f;
  scenes::RunningScene run(scene, def());
  const double rest = run.world().mechanics().potential_energy, start = energy(run.world()) - rest;
  double mean = 0, most = 0;
  for (int step = 0; step < 300; ++step) {
    ASSERT_TRUE(run.step());
    most = std::max(most, energy(run.world()) - rest);
    mean = std::max(mean, stretch(run) / double(run.scene().joints.size()));
  }
  note("mean", mean);
  note("most", most / start);
  EXPECT_LT(mean, 2e-3);
  EXPECT_LT(most, 1.01 * start);
}

}  // namespace
}  // namespace talus::test
