// SPDX-License-Identifier: MIT
// Torque-free rotation: what Euler's equations keep, and the flip they are known for.
#include <algorithm>
#include <vector>

#include "analytic/rig.h"

namespace talus::test {
namespace {

class FreeRotation : public BackendTest {};
TALUS_INSTANTIATE_ON_BACKENDS(FreeRotation);

struct Spin {
  double energy;  // [J]
  Vecd momentum;  // [kg m^2/s] world frame
};
Spin spin_of(const BodyDef& def, const BodyMotion& motion) {
  scenes::Rotation<double> q = scenes::rotation<double>(motion.pose.orientation);
  const double n = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  q = {q.x / n, q.y / n, q.z / n, q.w / n};
  const Vecd i = scenes::inertia(def), w = scenes::rotate_back(q, vec(motion.angular_velocity));
  const Vecd m{i.x * w.x, i.y * w.y, i.z * w.z};
  return {0.5 * dot(w, m), scenes::rotate(q, m)};
}
double norm(Quat q) {
  const double x = q.x, y = q.y, z = q.z, w = q.w;
  return std::sqrt(x * x + y * y + z * z + w * w);
}
double relative_drift(Vecd now, Vecd then) {
  return length(now - then) / length(then);
}

TEST_P(FreeRotation, MiddleAxisFlipsAndInvariantsStay) {
  World world(weightless());
  const BodyDef body{.shape = box({0.1f, 0.2f, 0.4f}), .angular_velocity = {0.01f, 5.0f, 0.01f}};
  const BodyId id = world.add_body(body);
  const Spin start = spin_of(body, world.motion(id));
  int flips = 0;
  double side = 1, energy = 0, momentum = 0;
  for (int step = 0; step < cpu_or_cuda(1200, 400); ++step) {
    world.step(kStep);
    const BodyMotion m = world.motion(id);
    const double up = up_axis(m.pose).y;
    if (up * side < -0.9) {
      ++flips;
      side = -side;
    }
    const Spin now = spin_of(body, m);
    energy = std::max(energy, std::fabs(now.energy / start.energy - 1));
    momentum = std::max(momentum, relative_drift(now.momentum, start.momentum));
    ASSERT_NEAR(norm(m.pose.orientation), 1.0, 1e-6);
  }
  EXPECT_GE(flips, cpu_or_cuda(3, 1));
  EXPECT_LT(energy, 1e-3);
  EXPECT_LT(momentum, 1e-4);
}

TEST_P(FreeRotation, SlenderRodKeepsItsAngularMomentum) {
  World world(weightless());
  const Vecd axis = scenes::normalized(Vecd{1.0, 1.0, 0.3});
  const BodyDef rod{.shape = box({0.02f, 0.03f, 1.0f}), .angular_velocity = scenes::to_vec3(30.0 * axis)};
  const BodyId id = world.add_body(rod);
  const Spin start = spin_of(rod, world.motion(id));
  double drift = 0;
  for (int step = 0; step < cpu_or_cuda(300, 30); ++step) {
    world.step(kStep);
    drift = std::max(drift, relative_drift(spin_of(rod, world.motion(id)).momentum, start.momentum));
  }
  EXPECT_LT(drift, 1e-4);
}

TEST_P(FreeRotation, EnergyOfRandomBoxesChangesByRoundingOnly) {
  constexpr std::uint32_t seed = 1;
  Random random(seed);
  const int count = cpu_or_cuda(1000, 64);
  std::vector<BodyDef> defs;
  for (int i = 0; i < count; ++i) {
    const float x = random.between(0.1f, 1.0f), y = random.between(0.1f, 1.0f), z = random.between(0.1f, 1.0f);
    defs.push_back({.shape = box({x, y, z}),
                    .position = {5.0f * float(i % 10), 5.0f * float(i / 10 % 10), 5.0f * float(i / 100)},
                    .orientation = random.rotation(),
                    .angular_velocity = random.in_box(10.0f)});
  }
  World world(weightless());
  const std::vector<BodyId> ids = world.add_bodies(defs);
  std::vector<BodyMotion> before(ids.size()), after(ids.size());
  world.read_motions(ids, before);
  const StepReport report = world.step_n(cpu_or_cuda(200, 20), kStep);
  EXPECT_EQ(report.contact_count, 0);
  world.read_motions(ids, after);
  double energy = 0, momentum = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Spin a = spin_of(defs[i], before[i]), b = spin_of(defs[i], after[i]);
    energy = std::max(energy, std::fabs(b.energy / a.energy - 1));
    momentum = std::max(momentum, relative_drift(b.momentum, a.momentum));
    EXPECT_NEAR(norm(after[i].pose.orientation), 1.0, 1e-6) << "box " << i << ", seed " << seed;
  }
  EXPECT_LT(energy, 6e-5);
  EXPECT_LT(momentum, 1e-4);
}

TEST_P(FreeRotation, SpinAboutAPrincipalAxisTurnsByRateTimesTime) {
  const ShapeDef shapes[] = {sphere(0.5f), box({0.1f, 0.2f, 0.4f}), capsule(0.2f, 0.6f)};
  const Vec3 axes[] = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}};
  for (const ShapeDef& shape : shapes) {
    for (const Vec3 axis : axes) {
      World world(weightless());
      const BodyId id = world.add_body({.shape = shape, .angular_velocity = scenes::to_vec3(10.0 * vec(axis))});
      world.step_n(60, kStep);
      const Quat q = world.pose(id).orientation;
      const Vecd along = vec(axis), imaginary = vec({q.x, q.y, q.z});
      const double angle = 2 * std::atan2(dot(along, imaginary), double(q.w));
      EXPECT_NEAR(std::remainder(angle - 10.0, 2 * kPi), 0.0, 1e-4);
      EXPECT_LT(length(imaginary - dot(along, imaginary) * along), 1e-5);
      EXPECT_NEAR(length(vec(world.angular_velocity(id))), 10.0, 1e-4);
    }
  }
}

TEST_P(FreeRotation, MechanicsAgreesWithTheDefinition) {
  World world(weightless());
  const BodyDef body{.shape = box({0.1f, 0.2f, 0.4f}),
                     .mass = 2.0f,
                     .position = {1.0f, 2.0f, 3.0f},
                     .orientation = turn({0.6f, 0.0f, 0.8f}, 1.0),
                     .linear_velocity = {0.5f, -1.0f, 2.0f},
                     .angular_velocity = {1.0f, 2.0f, -3.0f}};
  const BodyId id = world.add_body(body);
  const Spin spin = spin_of(body, world.motion(id));
  const Mechanics m = world.mechanics();
  const Vecd v = vec(body.linear_velocity), orbital = cross(vec(body.position), 2.0 * v);
  EXPECT_NEAR(m.kinetic_energy, 0.5 * 2.0 * dot(v, v) + spin.energy, 1e-5);
  EXPECT_NEAR(m.momentum[2], 4.0, 1e-6);
  EXPECT_NEAR(m.angular_momentum[0], orbital.x + spin.momentum.x, 1e-5);
  EXPECT_NEAR(m.angular_momentum[1], orbital.y + spin.momentum.y, 1e-5);
  EXPECT_NEAR(m.angular_momentum[2], orbital.z + spin.momentum.z, 1e-5);
}

}  // namespace
}  // namespace talus::test
