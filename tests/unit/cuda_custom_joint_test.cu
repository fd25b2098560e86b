// SPDX-License-Identifier: MIT
// Kinds of joints that nvcc compiles: a kernel of the caller's in the middle of the step's graph.
#include <gtest/gtest.h>
#include <talus/talus.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "unit/custom_kinds.h"

namespace talus::test {

// Defined in custom_joint_test.cpp: the same functor, compiled by the other compiler.
JointKind screw_kind_for_cpu_alone();

namespace {

// A screw that falls, and a chain of a custom hinge and a usual one.
std::uint64_t hash_after(Backend backend, int steps) {
  WorldDef def;
  def.backend = backend;
  def.threads = 1;
  World world(def);
  const int screw = world.add_joint_kind(joint_kind(ScrewRows{})),
            hinge = world.add_joint_kind(joint_kind(HingeRows{}));
  const auto add_box = [&](Vec3 place) {
    return world.add_body({.shape = box({0.3f, 0.2f, 0.1f}), .position = place});
  };
  const BodyId nut = add_box({0, 0, 0}), upper = add_box({3, 0, 0}), lower = add_box({4, 0, 0});
  JointDef joint = cylindrical_joint(kWorld, nut, {0, 0, 0}, {0, 1, 0});
  joint.axis(Axis::x).mode = AxisMode::locked;
  joint.kind = screw;
  joint.parameters[0] = 0.05f;
  world.add_joint(joint);
  joint = hinge_joint(kWorld, upper, {2.5f, 0, 0}, {0, 0, 1});
  joint.kind = hinge;
  world.add_joint(joint);
  world.add_joint(hinge_joint(upper, lower, {3.5f, 0, 0}, {0, 0, 1}));
  world.add_joint(gear_joint(upper, {0, 0, 1}, lower, {0, 0, 1}, 0.5f));
  world.step_n(steps, 1.0f / 60);
  return world.state_hash();
}

class CudaCustomJoint : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::vector<Backend> backends = available_backends();
    if (std::find(backends.begin(), backends.end(), Backend::cuda) == backends.end()) GTEST_SKIP() << "no CUDA device";
  }
};

TEST_F(CudaCustomJoint, HasTheBitsOfTheCpu) {
  EXPECT_EQ(hash_after(Backend::cuda, 10), hash_after(Backend::cpu, 10));
}

TEST_F(CudaCustomJoint, AKindOfTheHostCompilerIsRefused) {
  WorldDef def;
  def.backend = Backend::cuda;
  World world(def);
  EXPECT_THROW(world.add_joint_kind(screw_kind_for_cpu_alone()), Error);
  EXPECT_NO_THROW(world.add_joint_kind(joint_kind(ScrewRows{})));
}

}  // namespace
}  // namespace talus::test
