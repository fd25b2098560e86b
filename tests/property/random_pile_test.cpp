// SPDX-License-Identifier: MIT
// What must hold in every pile, whatever its bodies: contacts push and do not pull, friction stays in its cone, nothing
// sinks or leaves the finite range.
#include <algorithm>
#include <ostream>
#include <vector>

#include "analytic/rig.h"

namespace talus::test {
namespace {

class RandomPile : public BackendTest {};
TALUS_INSTANTIATE_ON_BACKENDS(RandomPile);

/// Bodies of three shapes and many sizes, thrown onto a plane from a grid in which they do not overlap.
std::vector<BodyDef> random_bodies(Random& random, int count) {
  std::vector<BodyDef> defs{{.shape = plane({0.0f, 1.0f, 0.0f}), .material = {.friction = random.between(0.1f, 1.0f)}}};
  for (int i = 0; i < count; ++i) {
    BodyDef d;
    d.shape = random.shape(random.between(0.15f, 0.5f));
    d.position = {float(i % 3) * 1.1f, 0.6f + float(i / 9) * 1.1f, float(i / 3 % 3) * 1.1f};
    const Vec3 shift = random.in_box(0.04f);
    d.position = {d.position.x + shift.x, d.position.y + shift.y, d.position.z + shift.z};
    d.orientation = random.rotation();
    d.linear_velocity = random.in_box(3.0f);
    d.angular_velocity = random.in_box(4.0f);
    d.material = {.friction = random.between(0.0f, 1.2f),
                  .restitution = random.below(4) == 0 ? random.between(0.0f, 1.0f) : 0.0f};
    defs.push_back(d);
  }
  return defs;
}

bool is_finite(Vec3 v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

/// The largest value of something, and where it was.
struct Worst {
  double value = 0;
  std::uint32_t seed = 0;
  int step = 0;

  void see(double v, std::uint32_t at_seed, int at_step) {
    if (v > value) *this = {v, at_seed, at_step};
  }
};
std::ostream& operator<<(std::ostream& out, const Worst& w) {
  return out << "step " << w.step << ", seed " << w.seed;
}

void check_contacts(World& world, std::uint32_t seed, int step, Worst& friction_ratio) {
  for (const ContactReport& c : world.read_contacts()) {
    ASSERT_GE(c.point_count, 1);
    ASSERT_LE(c.point_count, 4);
    ASSERT_NEAR(length(vec(c.normal)), 1.0, 1e-5);
    double normal_sum = 0;
    for (int i = 0; i < c.point_count; ++i) {
      ASSERT_GE(c.points[i].normal_impulse, 0.0f);
      ASSERT_TRUE(is_finite(c.points[i].position));
      normal_sum += double(c.points[i].normal_impulse);
    }
    const double friction = length(vec(c.friction_impulse)), limit = double(c.friction) * normal_sum;
    const double ratio = friction / (limit + 1e-3);  // [N s] less than a gram's weight over a second
    friction_ratio.see(ratio, seed, step);
    ASSERT_LT(std::fabs(dot(vec(c.friction_impulse), vec(c.normal))), 1e-4 * friction + 1e-6);
    ASSERT_TRUE(std::isfinite(c.twist_impulse));
  }
}

TEST_P(RandomPile, ContactsPushFrictionStaysInItsConeAndNothingSinks) {
  Worst friction_ratio, depth;  // [1] of the limit, [m] below the floor
  double deep = 0, all = 0;     // bodies, counted at each step: a centimetre or more below the floor, and all
  for (std::uint32_t seed = 1; seed <= std::uint32_t(cpu_or_cuda(200, 2)); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    WorldDef d = def();
    d.contact_reports = true;
    World world(d);
    const std::vector<BodyDef> defs = random_bodies(random, cpu_or_cuda(30, 12));
    const std::vector<BodyId> ids = world.add_bodies(defs);
    std::vector<BodyMotion> motions(ids.size());
    for (int step = 0; step < cpu_or_cuda(60, 20); ++step) {
      const StepReport report = world.step(kStep);
      ASSERT_TRUE(report) << report.message();
      check_contacts(world, seed, step, friction_ratio);
      if (HasFatalFailure()) FAIL() << "step " << step << ", seed " << seed;
      world.read_motions(ids, motions);
      for (std::size_t i = 1; i < ids.size(); ++i) {
        const BodyMotion& m = motions[i];
        ASSERT_TRUE(is_finite(m.pose.position) && is_finite(m.linear_velocity) && is_finite(m.angular_velocity));
        const double below = -scenes::boundary_gap(scenes::solid(defs[i].shape, m.pose), {{0, 1, 0}, 0});
        depth.see(below, seed, step);
        deep += below > 0.01 ? 1 : 0;
        ++all;
      }
    }
  }
  EXPECT_LE(friction_ratio.value, 1.001) << friction_ratio;
  EXPECT_LT(depth.value, 0.10) << depth;
  EXPECT_LT(deep / all, 2e-3);  // 5e-4
}

TEST_P(RandomPile, ResidualIsFiniteAlwaysAndSmallAtRest) {
  World world(def({.report_residual = true}));
  world.add_body({.shape = plane({0.0f, 1.0f, 0.0f})});
  for (int i = 0; i < 3; ++i) {
    world.add_body({.shape = box({0.5f, 0.5f, 0.5f}), .position = {0.0f, 0.6f + 1.05f * float(i), 0.0f}});
  }
  StepReport report;
  for (int step = 0; step < 120; ++step) {
    report = world.step(kStep);
    ASSERT_TRUE(std::isfinite(report.residual.complementarity) && std::isfinite(report.residual.approach));
    ASSERT_GE(report.residual.complementarity, 0.0f);
    ASSERT_GE(report.residual.approach, 0.0f);
  }
  EXPECT_LT(report.residual.complementarity, 2e-3f);
  EXPECT_LT(report.residual.approach, 2e-3f);
}

TEST_P(RandomPile, EnergyWithoutRestitutionDoesNotGrowAfterItSettled) {
  for (std::uint32_t seed = 1; seed <= std::uint32_t(cpu_or_cuda(5, 1)); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    std::vector<BodyDef> defs = random_bodies(random, cpu_or_cuda(30, 8));
    for (BodyDef& d : defs) d.material.restitution = 0.0f;
    World world(def());
    world.add_bodies(defs);
    Mechanics m = world.mechanics();
    const double start = m.kinetic_energy + m.potential_energy;  // the floor is at zero
    double least = start;
    for (int step = 0; step < cpu_or_cuda(300, 30); ++step) {
      world.step(kStep);
      m = world.mechanics();
      const double energy = m.kinetic_energy + m.potential_energy;
      // A heavy ball that squeezes a light one against the floor is pushed out with a part of what the contacts took.
      const double slack = step < 120 ? 0.05 * start : 1e-3 * start;  // of 60 piles one gains 8e-4, half of them 3e-6
      ASSERT_LT(energy, least + slack) << "step " << step;
      least = std::min(least, energy);
    }
  }
}

}  // namespace
}  // namespace talus::test
