// SPDX-License-Identifier: MIT
// Joints that close loops: one for two trees is solved with them, others by sweeps in between.
#include <algorithm>
#include <cmath>
#include <vector>

#include "analytic/joint_rig.h"
#include "scenes/joint_scenes.h"
#include "scenes/scene_parts.h"

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

// A link from one point of the plane to another.
BodyDef link(Vec3 from, Vec3 to) {
  const float x = to.x - from.x, y = to.y - from.y;
  return {.shape = box({0.5f * std::hypot(x, y), 0.02f, 0.02f}),
          .mass = 1.0f,
          .position = {0.5f * (from.x + to.x), 0.5f * (from.y + to.y), 0},
          .orientation = scenes::turn_about({0, 0, 1}, std::atan2(y, x))};
}

// Crank, coupler and rocker between two fixed pivots swing under gravity. Four hinges are 20 rows for 18 coordinates,
// and yet it moves: three rows say what others do (S3: rank 17).
TEST_P(JointLoops, FourBarLinkageSwingsOnAndStaysClosed) {
  World world(def());
  const Vec3 left{0, 0, 0}, right{0.9f, 0, 0}, crank{0, 0.3f, 0};  // lengths: 0.3, 0.8, 0.6, and 0.9 of the ground
  const Vec3 rocker{0.74912958f, 0.58072206f, 0};
  const BodyId a = world.add_body(link(left, crank)), b = world.add_body(link(crank, rocker)),
               c = world.add_body(link(rocker, right));
  const Vec3 axis{0, 0, 1};
  const JointId joints[] = {
      world.add_joint(hinge_joint(kWorld, a, left, axis)), world.add_joint(hinge_joint(a, b, crank, axis)),
      world.add_joint(hinge_joint(b, c, rocker, axis)), world.add_joint(hinge_joint(c, kWorld, right, axis))};
  const double start = energy(world);
  double error = 0, drift = 0, speed = 0;
  for (int step = 0; step < 600; ++step) {
    world.step(1.0f / 60);
    for (const JointId joint : joints) {
      const JointReading r = world.reading(joint);
      error = std::max(error, std::sqrt(double(r.position[0] * r.position[0] + r.position[1] * r.position[1])));
    }
    speed = std::max(speed, std::fabs(double(world.motion(a).angular_velocity.z)));
    drift = std::max(drift, std::fabs(energy(world) - start));
  }
  const double swings = 9.81 * 0.6;  // [J] 1 kg up and down by a rocker's length
  note("error", error);
  note("drift", drift / swings);
  note("speed", speed);
  EXPECT_GT(speed, 2.0) << "it does swing";
  EXPECT_LT(error, 1e-3);
  EXPECT_LT(drift, 0.05 * swings);
}

}  // namespace
}  // namespace talus::test
