// SPDX-License-Identifier: MIT
// The CUDA backend against the CPU backend: equal bits in every column, after every step.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <talus/talus.h>

#include "agree/joint_soup.h"
#include "agree/rigid_variants.h"
#include "support/surface_heap.h"

namespace talus {
namespace {

/// Equal as bits: NaN equals itself, and zeros of different sign differ.
bool same_bits(const auto& a, const auto& b) {
  static_assert(sizeof a == sizeof b);
  return std::memcmp(&a, &b, sizeof a) == 0;
}

/// Spheres, boxes and capsules of several sizes and materials, falling onto a plane, a fixed box and a moving one.
std::vector<BodyDef> mixed_pile() {
  std::vector<BodyDef> bodies{{.shape = plane({0.0f, 1.0f, 0.0f})}};
  bodies.push_back({.shape = box({0.5f, 0.2f, 0.5f}), .motion = Motion::fixed, .position = {0.5f, 0.2f, 0.5f}});
  bodies.push_back({.shape = box({0.3f, 0.3f, 0.3f}),
                    .motion = Motion::kinematic,
                    .position = {-0.8f, 0.3f, 0.5f},
                    .linear_velocity = {0.5f, 0.0f, 0.0f},
                    .angular_velocity = {0.0f, 1.0f, 0.0f}});
  for (int i = 0; i < 48; ++i) {
    const float size = 0.15f + 0.02f * float(i % 5);
    BodyDef body;
    body.shape = i % 3 == 0 ? sphere(size) : i % 3 == 1 ? box({size, 0.8f * size, 0.9f * size}) : capsule(size, size);
    body.position = {0.45f * float(i % 4) + 0.01f * float(i % 7), 0.8f + 0.5f * float(i / 16),
                     0.45f * float(i / 4 % 4)};
    body.angular_velocity = {float(i % 3) - 1.0f, 0.5f, 0.25f * float(i % 5)};
    body.linear_velocity = {0.0f, -3.0f, 0.0f};
    body.material.friction = 0.2f + 0.1f * float(i % 6);
    body.material.restitution = i % 8 == 0 ? 0.6f : 0.0f;
    body.linear_damping = i % 9 == 0 ? 0.1f : 0.0f;
    bodies.push_back(body);
  }
  return bodies;
}

using Variant = test::RigidVariant;

class CudaAgrees : public testing::TestWithParam<Variant> {
 protected:
  void SetUp() override {
    const std::vector<Backend> backends = available_backends();
    if (std::find(backends.begin(), backends.end(), Backend::cuda) == backends.end()) {
      GTEST_SKIP() << "no CUDA device: " << system_info().cuda_device;
    }
  }
  static World world(Backend backend) {
    WorldDef def;
    def.backend = backend;
    def.solver = GetParam().solver;
    def.contact_reports = true;
    def.joint_readings = true;
    return World(def);
  }
};

TEST_P(CudaAgrees, EveryColumnAfterEveryStep) {
  World cpu = world(Backend::cpu), cuda = world(Backend::cuda);
  const std::vector<BodyId> ids = cpu.add_bodies(mixed_pile());
  ASSERT_EQ(cuda.add_bodies(mixed_pile()), ids);
  Index contacts = 0;
  for (int step = 0; step < 30; ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    if (step == 12) {  // edits of all kinds
      for (World* w : {&cpu, &cuda}) {
        w->remove_body(ids[20]);
        w->add_body({.shape = sphere(0.2f), .position = {0.3f, 2.5f, 0.3f}});
        w->apply_impulse_at(ids[10], {5.0f, 0.0f, 1.0f}, {0.4f, 0.5f, 0.4f});
        w->apply_force(ids[11], {0.0f, 100.0f, 0.0f});
        w->set_pose(ids[12], {{1.0f, 2.0f, 1.0f}, kIdentity});
        w->ignore_pair(ids[1], ids[13]);
      }
    }
    const StepReport a = cpu.step(1.0f / 60.0f), b = cuda.step(1.0f / 60.0f);
    EXPECT_EQ(a.status, b.status);
    EXPECT_EQ(a.pair_count, b.pair_count);
    EXPECT_EQ(a.contact_count, b.contact_count);
    EXPECT_EQ(a.point_count, b.point_count);
    EXPECT_EQ(a.recycled_count, b.recycled_count);
    EXPECT_EQ(a.color_count, b.color_count);
    EXPECT_EQ(a.overflow_count, b.overflow_count);
    EXPECT_TRUE(same_bits(a.residual, b.residual));
    EXPECT_EQ(a.sweep_count, b.sweep_count);
    EXPECT_EQ(a.sweep_end, b.sweep_end);

    const std::vector<BodyId> bodies = cpu.bodies();
    ASSERT_EQ(cuda.bodies(), bodies);
    std::vector<BodyMotion> motion_a(bodies.size()), motion_b(bodies.size());
    cpu.read_motions(bodies, motion_a);
    cuda.read_motions(bodies, motion_b);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      ASSERT_TRUE(same_bits(motion_a[i], motion_b[i]))
          << "body " << bodies[i].slot << ": y " << motion_a[i].pose.position.y << " and "
          << motion_b[i].pose.position.y;
    }
    const std::vector<ContactReport> contacts_a = cpu.read_contacts(), contacts_b = cuda.read_contacts();
    ASSERT_EQ(contacts_a.size(), contacts_b.size());
    for (std::size_t i = 0; i < contacts_a.size(); ++i) {
      const ContactReport &p = contacts_a[i], &q = contacts_b[i];
      ASSERT_TRUE(p.a == q.a && p.b == q.b && p.point_count == q.point_count);
      ASSERT_TRUE(same_bits(p.normal, q.normal) && same_bits(p.friction_impulse, q.friction_impulse) &&
                  same_bits(p.twist_impulse, q.twist_impulse) && same_bits(p.friction, q.friction));
      for (int k = 0; k < p.point_count; ++k) ASSERT_TRUE(same_bits(p.points[k], q.points[k]));
    }
    ASSERT_EQ(cpu.state_hash(), cuda.state_hash());
    contacts = std::max(contacts, a.contact_count);
  }
  EXPECT_GT(contacts, 40);  // else nothing was shown
}

/// Every kind of joint, with all that may be on its axes.
TEST_P(CudaAgrees, JointsOfAllKinds) {
  World cpu = world(Backend::cpu), cuda = world(Backend::cuda);
  test::add_joint_soup(cpu);
  test::add_joint_soup(cuda);
  Index broken = 0;
  for (int step = 0; step < 30; ++step) {
    const StepReport a = cpu.step(1.0f / 60.0f), b = cuda.step(1.0f / 60.0f);
    EXPECT_EQ(a.broken_count, b.broken_count);
    ASSERT_EQ(cpu.state_hash(), cuda.state_hash()) << "step " << step;
    broken += a.broken_count;
  }
  EXPECT_GT(broken, 0);
}

TEST_P(CudaAgrees, MaterialsOfAllKinds) {
  World cpu = world(Backend::cpu), cuda = world(Backend::cuda);
  test::add_surface_heap(cpu, 32);
  test::add_surface_heap(cuda, 32);
  for (int step = 0; step < 20; ++step) {
    cpu.step(1.0f / 60.0f);
    cuda.step(1.0f / 60.0f);
    ASSERT_EQ(cpu.state_hash(), cuda.state_hash()) << "step " << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, CudaAgrees,
                         testing::Values(Variant{"defaults", {}},  //
                                         Variant{"jacobi", {.solver = Solver::jacobi, .iterations = 2}},
                                         Variant{"box_friction",
                                                 {.friction = FrictionModel::box, .report_residual = true}},
                                         Variant{"polygon_poisson",
                                                 {.friction = FrictionModel::polyhedral,
                                                  .restitution = RestitutionModel::poisson,
                                                  .friction_sides = 5}},
                                         Variant{"moreau", {.integrator = Integrator::moreau}},
                                         Variant{"projection", {.stabilization = Stabilization::projection}},
                                         Variant{"cold", {.relax_iterations = 2, .warm_start = false}}),
                         [](const auto& variant) { return std::string(variant.param.name); });
INSTANTIATE_TEST_SUITE_P(RigidSolvers, CudaAgrees, testing::ValuesIn(test::rigid_and_shock_variants()),
                         [](const auto& variant) { return std::string(variant.param.name); });

}  // namespace
}  // namespace talus
