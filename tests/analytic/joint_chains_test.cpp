// SPDX-License-Identifier: MIT
// Many joints at once: chains with heavy ends, what free chains keep, a carousel, and a grid at rest.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "analytic/joint_rig.h"
#include "scenes/joint_scenes.h"

namespace talus::test {
namespace {

class JointChains : public JointTest {
 protected:
  /// A chain that hangs, turned about its upper end to lie along x.
  static scenes::Scene lying(scenes::Scene chain) {
    for (BodyDef& body : chain.bodies) {
      body.position = {-body.position.y, 0, 0};
      body.orientation = turn({0, 0, 1}, kPi / 2);
    }
    for (AssemblyJoint& joint : chain.joints) {
      joint.def.frame.position = {-joint.def.frame.position.y, 0, 0};
    }
    chain.stack = false;
    return chain;
  }
  struct Pull {
    double worst;    // [1] largest stretch of the chain
    double fastest;  // [m/s] of its end, ever
  };
  Pull pull(const scenes::Scene& scene, double length_of_chain, int steps) {
    scenes::RunningScene run(scene, def());
    Pull p{0, 0};
    for (int step = 0; step < steps; ++step) {
      EXPECT_TRUE(run.step());
      p.worst = std::max(p.worst, stretch(run) / length_of_chain);
      const Vec3 v = run.world().linear_velocity(run.bodies().back());
      p.fastest = std::max(p.fastest, length(vec(v)));
    }
    return p;
  }
};
TALUS_INSTANTIATE_ON_CPU(JointChains);

// ---- heavy ends -------------------------------------------------------------------------------------------------

TEST_P(JointChains, ChainBearsAThousandLinks) {
  const Pull p = pull(scenes::chain(32, 1000), 16, 600);
  note("stretch", p.worst);
  note("speed", p.fastest);
  EXPECT_LT(p.worst, 3e-5);    // measured: below 1e-5
  EXPECT_LT(p.fastest, 3e-5);  // the same
}
// Let go from the horizontal the weight falls 16.5 m: v^2 = 2 g r at the lowest point, and no more at any time.
TEST_P(JointChains, ChainSwingsAThousandLinks) {
  const Pull p = pull(lying(scenes::chain(32, 1000)), 16, 600);
  const double swing = std::sqrt(2 * kGravity * 16.5);
  note("stretch", p.worst);
  note("speed", p.fastest / swing);
  EXPECT_LT(p.worst, 1.2e-4);  // measured: 3.8e-5
  EXPECT_NEAR(p.fastest, swing, 0.006 * swing);
}
TEST_P(JointChains, ChainBearsFiftyThousandLinks) {
  const Pull p = pull(scenes::chain(50, 50000), 25, 600);
  note("stretch", p.worst);
  EXPECT_LT(p.worst, 3e-5);
}
TEST_P(JointChains, ChainSwingsFiftyThousandLinks) {
  const Pull p = pull(lying(scenes::chain(50, 50000)), 25, 600);
  note("stretch", p.worst);
  note("speed", p.fastest / std::sqrt(2 * kGravity * 25.5));
  EXPECT_LT(p.worst, 4e-5);  // measured: 1.2e-5
  EXPECT_LT(p.fastest, 1.001 * std::sqrt(2 * kGravity * 25.5));
}

// The uppermost joint bears all, each one below a link less.
// Links lie folded to and fro, the weight falls until they stop it: no joint opens, and no energy comes from it.
TEST_P(JointChains, FoldedChainSnapsTaut) {
  for (const int links : {2, 4, 6, 32}) {
    for (const float weight : {1.0f, 15.0f, 100.0f, 1000.0f}) {
      World world(def());
      std::vector<JointId> joints;
      BodyId last = kWorld;
      for (int i = 0; i <= links; ++i) {
        const Vec3 joint{i % 2 == 0 ? 0.0f : 0.5f, 0, 0.001f * float(i)};
        BodyDef body{.shape = i < links ? capsule(0.05f, 0.2f) : sphere(0.2f), .mass = i < links ? 1.0f : weight};
        body.filter.mask = 0;
        body.orientation = turn({0, 0, 1}, kPi / 2);
        body.position = {i < links ? 0.25f : joint.x, 0, joint.z};
        const BodyId next = world.add_body(body);
        joints.push_back(world.add_joint(ball_joint(last, next, joint)));
        last = next;
      }
      const auto energy = [&] {
        const Mechanics m = world.mechanics();
        return m.kinetic_energy + m.potential_energy;
      };
      const double start = energy(), fall = 0.5 * links * kGravity * double(weight);  // [J] to where it is taut
      double open = 0, gained = 0;
      for (int step = 0; step < 600; ++step) {
        world.step(kStep);
        gained = std::max(gained, (energy() - start) / fall);
        for (const JointId joint : joints) open = std::max(open, lock_error(world, joint));
      }
      SCOPED_TRACE(std::to_string(links) + " links, weight " + std::to_string(weight));
      note("open", open / (0.5 * links));
      EXPECT_LT(open, 0.01 * 0.5 * links);  // measured: 4.7e-3
      EXPECT_LT(gained, 5e-5);
    }
  }
}

TEST_P(JointChains, ReactionsAreTheWeightBelow) {
  scenes::RunningScene run(scenes::chain(32, 1000), def());
  for (int step = 0; step < 120; ++step) run.step();
  double worst = 0;
  for (std::size_t i = 0; i < run.joints().size(); ++i) {
    const double weight = (10000 + 10.0 * (32 - double(i))) * kGravity;
    worst = std::max(worst, std::fabs(run.world().reading(run.joints()[i]).force.y / weight - 1));
  }
  note("worst", worst);
  EXPECT_LT(worst, 3e-5);
}

// ---- what free chains keep --------------------------------------------------------------------------------------

// A hundred links in a row, turning and drifting as one.
TEST_P(JointChains, FreeChainKeepsItsMomenta) {
  World world(weightless());
  std::vector<BodyDef> bodies;
  const double pitch = 0.2, spin = 1, drift = 0.5;
  for (int i = 0; i < 100; ++i) {
    const double x = (i - 49.5) * pitch;
    BodyDef link{.shape = capsule(0.04f, 0.06f), .mass = 1.0f, .position = {float(x), 0, 0}, .filter = {.mask = 0}};
    link.orientation = turn({0, 0, 1}, kPi / 2);
    link.linear_velocity = {0, float(spin * x), float(drift)};
    link.angular_velocity = {0, 0, float(spin)};
    bodies.push_back(link);
  }
  const std::vector<BodyId> ids = world.add_bodies(bodies);
  std::vector<JointDef> joints;
  for (std::size_t i = 1; i < ids.size(); ++i) {
    joints.push_back(ball_joint(ids[i - 1], ids[i], {float((double(i) - 50) * pitch), 0, 0}));
  }
  world.add_joints(joints);
  const Mechanics start = world.mechanics();
  world.step_n(300, kStep);
  const Mechanics end = world.mechanics();
  const auto vector = [](const double v[3]) { return Vecd{v[0], v[1], v[2]}; };
  const Vecd p = vector(start.momentum), l = vector(start.angular_momentum);
  double carried = 0;  // by the links, most of which cancels in the sum
  for (const BodyDef& link : bodies) carried += length(vec(link.linear_velocity));
  const double linear = length(vector(end.momentum) - p) / carried;
  const double angular = length(vector(end.angular_momentum) - l) / length(l);
  note("momentum", linear);
  note("angular_momentum", angular);
  note("energy", end.kinetic_energy / start.kinetic_energy - 1);
  EXPECT_LT(linear, 1e-5);
  EXPECT_LT(angular, 1e-5);
  EXPECT_NEAR(end.kinetic_energy, start.kinetic_energy, 1e-4 * start.kinetic_energy);  // measured: 3e-5
}

// Two rods of 1 m and 1 kg, let go from the horizontal; the scale is m g L.
TEST_P(JointChains, DoublePendulumKeepsItsEnergy) {
  SolverSettings solver;
  solver.integrator = Integrator::moreau;
  World world(def(solver));
  BodyDef rod{.shape = box({0.5f, 0.02f, 0.02f}), .mass = 1.0f, .position = {0.5f, 0, 0}};
  const BodyId first = world.add_body(rod);
  rod.position = {1.5f, 0, 0};
  const BodyId second = world.add_body(rod);
  world.add_joint(hinge_joint(kWorld, first, {0, 0, 0}, {0, 0, 1}));
  const JointId middle = world.add_joint(hinge_joint(first, second, {1, 0, 0}, {0, 0, 1}));
  const double start = energy(world);
  double worst = 0, error = 0;
  for (int step = 0; step < 2400; ++step) {
    world.step(1.0f / 240);
    worst = std::max(worst, std::fabs(energy(world) - start) / kGravity);
    error = std::max(error, gap_of(world, middle));
  }
  note("drift", worst);
  note("error", error);
  EXPECT_LT(worst, 8e-3);  // measured: 3.1e-3
  EXPECT_LT(error, 4e-4);  // 1.3e-4
}

// The carousel of the notes, 4.3: a hub with four chains of three links. Mean error of the links' joints; the notes'
// Euler scheme on the velocity level has 3.2e-4 to 1.4e-3 m at h = 0.01 s.
TEST_P(JointChains, CarouselHoldsTogether) {
  SolverSettings solver;
  solver.substeps = 1;
  WorldDef d = def(solver);
  d.gravity = {0, 0, -9.81f};
  World world(d);
  const Vec3 spin{0, 0, 2};
  const auto add = [&](BodyDef body) {
    const Vecd v = cross(vec(spin), vec(body.position));
    body.linear_velocity = scenes::to_vec3(v);
    body.angular_velocity = spin;
    body.filter.mask = 0;
    return world.add_body(body);
  };
  const BodyId hub = add({.shape = sphere(0.5f), .mass = 10.0f, .inertia = Vec3{2.5f, 2.5f, 5}});
  world.add_joint(hinge_joint(kWorld, hub, {0, 0, 0}, {0, 0, 1}));
  std::vector<JointId> joints;
  for (const Vec3 at : {Vec3{1, 0, 0}, Vec3{-1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, -1, 0}}) {
    BodyId above = hub;
    for (int i = 0; i < 3; ++i) {
      const float top = -0.3f * float(i);
      const BodyId link =
          add({.shape = box({0.03f, 0.03f, 0.15f}), .mass = 0.5f, .position = {at.x, at.y, top - 0.15f}});
      joints.push_back(world.add_joint(ball_joint(above, link, {at.x, at.y, top})));
      above = link;
    }
  }
  const double start = energy(world);
  double sum = 0, early = 0;
  for (int step = 1; step <= 500; ++step) {
    world.step(0.01f);
    double mean = 0;
    for (const JointId joint : joints) mean += gap_of(world, joint) / double(joints.size());
    sum += mean / 500;
    if (step == 10) early = mean;
  }
  note("mean", sum);
  note("at_0.1s", early);
  note("energy", energy(world) - start);
  EXPECT_LT(sum, 4.5e-4);                             // measured: 1.5e-4
  EXPECT_LT(early, 3.3e-4);                           // 1.2e-4
  EXPECT_LT(std::fabs(energy(world) - start), 0.03);  // [J] of 4.5; below 0.01
}

// ---- grids ------------------------------------------------------------------------------------------------------

// 10,000 bodies, 19,701 joints, most of them in loops: nothing should move.
TEST_P(JointChains, GridHangsStill) {
  WorldDef d = def();
  d.threads = 2;
  scenes::RunningScene run(scenes::make_scene("joint_grid_100"), d);
  for (int step = 0; step < 600; ++step) ASSERT_TRUE(run.step());
  const scenes::Metrics m = scenes::measure(run.scene(), run.motions());
  note("mean", m.joint_mean);
  note("max", m.joint_max);
  note("energy", m.ke_per_body);
  EXPECT_LT(m.joint_mean, 0.5e-3);
  EXPECT_LT(m.joint_max, 5e-3);
  EXPECT_LT(m.ke_per_body, 1);
}

}  // namespace
}  // namespace talus::test
