// SPDX-License-Identifier: MIT
// Motion of bodies over one sub-step, called as plain functions: forces, damping, carried impulses; the free rotation
// against invariants and against a fine integration in double precision; packs against floats.
#include "integrate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <Eigen/Geometry>
#include <random>

#include "math/pack.h"
#include "memory_cpu.h"
#include "prepare.h"
#include "table.h"

namespace talus::test {
namespace {

/// 32 bodies, all with mass 2 and the moments 1, 2 and 2.5, unless changed.
class MotionRig {
 public:
  explicit MotionRig(float h = 1.0f / 240.0f) {
    model.resize(memory_, kLanes, 0, "model");
    state.resize(memory_, kLanes, 0, "state");
    inputs.resize(memory_, kLanes, 0, "inputs");
    solve.resize(memory_, kLanes, 0, "solve");
    params.h = h;
    params.inv_h = 1.0f / h;
    for (Index i = 0; i < kLanes; ++i) {
      model.view().gravity_scale[i] = 1.0f;
      set_inertia(i, {1.0f, 2.0f, 2.5f});
      set(i, kIdentity, {0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f});
    }
  }
  void set_inertia(Index i, Vec3 moments) {
    model.view().inv_inertia.set(i, {1.0f / moments.x, 1.0f / moments.y, 1.0f / moments.z});
  }
  /// Velocity and free velocity alike: no contact impulse so far.
  void set(Index i, Quat q, Vec3 linear, Vec3 angular, float inv_mass = 0.5f) {
    const SolveRowScratch rows = solve.view();
    state.view().orientation.set(i, q);
    model.view().inv_mass[i] = inv_mass;
    const Vec3 inverse = inv_mass > 0.0f ? model.view().inv_inertia[i] : Vec3{1.0f, 1.0f, 1.0f};
    rows.frame[i] = {q, {std::sqrt(inverse.x), std::sqrt(inverse.y), std::sqrt(inverse.z)}, inv_mass};
    rows.velocity[i] = rows.free_velocity[i] = {linear, inv_mass, scaled_spin(q, rows.frame[i].scale, angular), 0.0f};
    rows.displacement[i] = {{0.0f, 0.0f, 0.0f}, 0.0f, kIdentity};
  }
  Index contact_lanes = kLanes;
  IntegrateVelocities velocities() {
    const SolveRowScratch r = solve.view();
    return {model.view(), inputs.view(), r.velocity.data, r.free_velocity.data, r.frame.data, &params, &contact_lanes};
  }
  /// With kFarNow scaled axes stay, else they follow the body.
  template <bool kFarNow = true>
  IntegratePositions<kFarNow> positions() {
    const SolveRowScratch r = solve.view();
    return {model.view(),         inputs.view(), r.velocity.data,
            r.free_velocity.data, r.frame.data,  r.displacement.data,
            r.move.data,          &params,       false};
  }
  BodyFrame& frame(Index i) { return solve.view().frame[i]; }
  BodyVelocity& velocity(Index i) { return solve.view().velocity[i]; }
  BodyVelocity& free_velocity(Index i) { return solve.view().free_velocity[i]; }
  BodyDisplacement& displacement(Index i) { return solve.view().displacement[i]; }
  /// Orientation now.
  Quat orientation(Index i) { return frame(i).orientation * displacement(i).turn; }
  /// [rad/s] World frame.
  Vec3 spin(Index i, const BodyVelocity& v) {
    const BodyFrame frame = solve.view().frame[i];
    return rotate(frame.orientation, scale(frame.scale, v.angular));
  }
  Vec3 spin(Index i) { return spin(i, velocity(i)); }

 private:
  CpuMemory memory_;

 public:
  Table<BodyModel> model;
  Table<BodyState> state;
  Table<BodyInputs> inputs;
  Table<SolveRowScratch> solve;
  StepParams params{};
};

Eigen::Vector3d eigen(Vec3 v) {
  return {double(v.x), double(v.y), double(v.z)};
}
Eigen::Quaterniond eigen(Quat q) {
  return Eigen::Quaterniond(double(q.w), double(q.x), double(q.y), double(q.z)).normalized();
}
/// [kg m^2/s] In the world frame.
Eigen::Vector3d momentum(Vec3 moments, Quat q, Vec3 w) {
  const Eigen::Quaterniond r = eigen(q);
  return r * Eigen::Vector3d(eigen(moments).cwiseProduct(r.conjugate() * eigen(w)));
}
double energy(Vec3 moments, Quat q, Vec3 w) {
  return 0.5 * momentum(moments, q, w).dot(eigen(w));
}

// ---- velocities ----------------------------------------------------------------------------------------------------

TEST(IntegrateVelocities, AddsGravityForceAndTorqueAndDamps) {
  MotionRig rig(0.01f);
  rig.params.gravity = {0.0f, -10.0f, 0.0f};
  rig.model.view().gravity_scale[0] = 0.5f;
  rig.model.view().linear_damping[0] = 2.0f;
  rig.model.view().angular_damping[0] = 4.0f;
  rig.inputs.view().force.set(0, {8.0f, 0.0f, 0.0f});
  rig.inputs.view().torque.set(0, {0.0f, 6.0f, 0.0f});
  rig.set(0, kIdentity, {1.0f, 1.0f, 1.0f}, {0.0f, 0.0f, 3.0f});
  rig.velocities().solve<float>(0);
  const BodyVelocity v = rig.velocity(0);
  EXPECT_FLOAT_EQ(v.linear.x, (1.0f + 0.01f * 4.0f) / 1.02f);
  EXPECT_FLOAT_EQ(v.linear.y, (1.0f - 0.01f * 5.0f) / 1.02f);
  EXPECT_FLOAT_EQ(v.linear.z, 1.0f / 1.02f);
  EXPECT_FLOAT_EQ(rig.spin(0).y, 0.01f * 3.0f / 1.04f);
  EXPECT_FLOAT_EQ(rig.spin(0).z, 3.0f / 1.04f);
  EXPECT_EQ(std::memcmp(&v.linear, &rig.free_velocity(0).linear, sizeof(Vec3)), 0);
}

TEST(IntegrateVelocities, RepeatsTheImpulsesOfTheSubstepBefore) {
  MotionRig rig(0.01f);
  rig.params.gravity = {0.0f, -10.0f, 0.0f};
  rig.set(0, kIdentity, {0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f});
  rig.velocity(0).linear = {0.0f, 0.1f, 0.0f};   // contacts gave it 0.1 m/s and 0.3 rad/s
  rig.velocity(0).angular = {0.3f, 0.0f, 0.0f};  // the moment about x is 1
  rig.velocities().solve<float>(0);
  EXPECT_NEAR(rig.velocity(0).linear.y, 0.1f - 0.1f + 0.1f, 1e-6f);
  EXPECT_NEAR(rig.velocity(0).angular.x, 0.6f, 1e-6f);
  EXPECT_NEAR(rig.free_velocity(0).linear.y, 0.0f, 1e-6f);
  EXPECT_NEAR(rig.free_velocity(0).angular.x, 0.3f, 1e-6f);
}

// Joints do not take the free velocity along then.
TEST(IntegrateVelocities, RepeatsNothingWithoutContacts) {
  MotionRig rig(0.01f);
  rig.contact_lanes = 0;
  rig.set(0, kIdentity, {0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f});
  rig.velocity(0).linear = {0.0f, 0.1f, 0.0f};
  rig.velocity(0).angular = {0.3f, 0.0f, 0.0f};
  rig.velocities().solve<float>(0);
  EXPECT_EQ(rig.velocity(0).linear.y, 0.1f);
  EXPECT_EQ(rig.velocity(0).angular.x, 0.3f);
  EXPECT_EQ(rig.free_velocity(0).linear.y, 0.1f);
}

TEST(IntegrateVelocities, LeavesBodiesWithoutMassAlone) {
  MotionRig rig;
  rig.params.gravity = {0.0f, -10.0f, 0.0f};
  rig.model.view().linear_damping[0] = 5.0f;
  rig.inputs.view().force.set(0, {8.0f, 0.0f, 0.0f});
  rig.set(0, kIdentity, {1.0f, 2.0f, 3.0f}, {4.0f, 5.0f, 6.0f}, 0.0f);
  rig.velocities().solve<float>(0);
  EXPECT_EQ(rig.velocity(0).linear.y, 2.0f);
  EXPECT_EQ(rig.velocity(0).linear.x, 1.0f);
  EXPECT_EQ(rig.velocity(0).angular.z, 6.0f);
}

TEST(IntegrateVelocities, FlagsWhatLeavesTheFiniteRange) {
  MotionRig rig;
  rig.set(0, kIdentity, {2e6f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f});
  rig.set(1, kIdentity, {std::nanf(""), 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f});
  rig.set(2, kIdentity, {1e5f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f});
  for (Index i = 0; i < 3; ++i) rig.velocities().solve<float>(i);
  EXPECT_EQ(rig.velocity(0).flag, 1.0f);
  EXPECT_EQ(rig.velocity(1).flag, 1.0f);
  EXPECT_EQ(rig.velocity(1).linear.x, 0.0f);
  EXPECT_EQ(rig.velocity(2).flag, 0.0f);
}

// ---- positions and rotations ---------------------------------------------------------------------------------------

TEST(IntegratePositions, RoundTurnIsSineAndCosine) {
  for (double x = 0; x < 0.785; x += 0.005) {
    const Quat turn = IntegratePositions<true>::round_turn(2.0f, 2.0f * float(x), Vec3{0.0f, float(x), 0.0f});
    EXPECT_NEAR(turn.y, std::sin(x), 3e-7 * x);
    EXPECT_NEAR(turn.w, std::cos(x), 4e-7);
  }
}

TEST(IntegratePositions, MidPointCorrectsFreeBodiesOnly) {
  MotionRig rig(0.1f);
  rig.params.gravity = {0.0f, -10.0f, 0.0f};
  rig.params.moreau = 1;
  for (Index i = 0; i < 3; ++i) rig.set(i, kIdentity, {0.0f, -1.0f, 0.0f}, {0.0f, 0.0f, 0.0f}, i == 1 ? 0.0f : 0.5f);
  rig.free_velocity(2).flag = 1.0f;  // has contacts
  for (Index i = 0; i < 3; ++i) rig.positions().solve<float>(i);
  EXPECT_NEAR(rig.displacement(0).shift.y, -0.05f, 1e-6f);
  EXPECT_NEAR(rig.displacement(1).shift.y, -0.1f, 1e-6f);
  EXPECT_NEAR(rig.displacement(2).shift.y, -0.1f, 1e-6f);
}

TEST(IntegratePositions, SpinAboutAPrincipalAxisIsExact) {
  MotionRig rig(0.1f);
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3 w{axis == 0 ? 4.0f : 0.0f, axis == 1 ? 4.0f : 0.0f, axis == 2 ? 4.0f : 0.0f};
    rig.set(axis, kIdentity, {0.0f, 0.0f, 0.0f}, w);
    rig.positions().solve<float>(axis);
    EXPECT_NEAR(rig.displacement(axis).turn.w, std::cos(0.2f), 1e-6f);
    EXPECT_NEAR(length(rig.spin(axis) - w), 0.0f, 1e-6f);
  }
}

struct Random {
  std::mt19937 engine;
  float between(float low, float high) { return low + (high - low) * float(engine() >> 8) * 0x1p-24f; }
  Vec3 vector(float size) {
    const float x = between(-size, size), y = between(-size, size), z = between(-size, size);
    return {x, y, z};
  }
  Quat rotation() {
    const Vec3 v = vector(1.0f);
    return normalized(Quat{v.x, v.y, v.z, 0.5f});
  }
  /// Of a box with edges of at least 0.3 m.
  Vec3 moments() {
    const float x = between(0.3f, 2.0f), y = between(0.3f, 2.0f), z = between(0.3f, 2.0f);
    return {y * y + z * z, x * x + z * z, x * x + y * y};
  }
};

TEST(IntegratePositions, ASubstepKeepsEnergyAndMomentum) {
  Random random{std::mt19937(5)};
  for (int trial = 0; trial < 1000; ++trial) {
    MotionRig rig;
    const Vec3 moments = random.moments(), w = random.vector(20.0f);
    const Quat q = random.rotation();
    rig.set_inertia(0, moments);
    rig.set(0, q, {0.0f, 0.0f, 0.0f}, w);
    rig.positions().solve<float>(0);
    const Vec3 w1 = rig.spin(0);
    const Quat q1 = rig.orientation(0);
    const Eigen::Vector3d before = momentum(moments, q, w), after = momentum(moments, q1, w1);
    ASSERT_LT((after - before).norm(), 2e-6 * before.norm()) << "trial " << trial;
    ASSERT_NEAR(energy(moments, q1, w1) / energy(moments, q, w), 1.0, 4e-6) << "trial " << trial;
  }
}

/// Euler's equations by Runge-Kutta in 1000 small steps.
Eigen::Quaterniond fine_rotation(Vec3 moments, Quat q, Vec3 w, double time) {
  const Eigen::Vector3d i = eigen(moments), world = momentum(moments, q, w);
  const auto rate = [&](const Eigen::Vector4d& x) -> Eigen::Vector4d {
    const Eigen::Quaterniond r = Eigen::Quaterniond(x).normalized();
    const Eigen::Vector3d spin = (r.conjugate() * world).cwiseQuotient(i);  // body frame
    return 0.5 * (r * Eigen::Quaterniond(0, spin.x(), spin.y(), spin.z())).coeffs();
  };
  Eigen::Vector4d x = eigen(q).coeffs();
  const double h = time / 1000;
  for (int step = 0; step < 1000; ++step) {
    const Eigen::Vector4d a = rate(x), b = rate(x + h / 2 * a), c = rate(x + h / 2 * b), d = rate(x + h * c);
    x += h / 6 * (a + 2 * b + 2 * c + d);
  }
  return Eigen::Quaterniond(x).normalized();
}

// In sub-steps with turns of 0.05 to 2.7 rad, by the rule for slow bodies and by the one for fast ones.
TEST(IntegratePositions, FollowsEulersEquations) {
  const Vec3 moments{1.0f, 2.0f, 2.5f}, w{3.0f, 4.0f, -2.0f};
  const Quat q = normalized(Quat{0.1f, 0.2f, 0.3f, 0.9f});
  const Eigen::Quaterniond exact = fine_rotation(moments, q, w, 0.5);
  for (const int steps : {1, 2, 5, 10, 20, 22, 25, 50}) {
    MotionRig rig(0.5f / float(steps));
    rig.set(0, q, {0.0f, 0.0f, 0.0f}, w);
    for (int step = 0; step < steps; ++step) rig.positions().solve<float>(0);
    EXPECT_LT(exact.angularDistance(eigen(rig.orientation(0))), 2e-5) << steps;
    EXPECT_LT((momentum(moments, rig.orientation(0), rig.spin(0)) - momentum(moments, q, w)).norm(), 1e-5) << steps;
  }
}

TEST(IntegratePositions, ASphereTurnsByAnyAngle) {
  for (const float w : {1.0f, 3.0f, 30.0f, 1000.0f}) {
    MotionRig rig(0.1f);
    rig.set_inertia(0, {2.0f, 2.0f, 2.0f});
    rig.set(0, kIdentity, {0.0f, 0.0f, 0.0f}, {0.0f, w, 0.0f});
    rig.positions().solve<float>(0);
    const double angle = 2 * std::atan2(double(rig.displacement(0).turn.y), double(rig.displacement(0).turn.w));
    EXPECT_NEAR(std::remainder(angle - double(0.1f * w), 2 * 3.14159265358979), 0.0, 1e-5 * double(w)) << w;
    EXPECT_FLOAT_EQ(rig.spin(0).y, w);
  }
}

// What turns across and spins about its axis: the same motion in axes that follow it, where half the squared length of
// the velocity is its energy. A needle's spin about its axis is left to the end of the step.
TEST(IntegratePositions, ScaledAxesFollowALongBody) {
  for (const float least : {1e-2f, 1e-4f, 1e-8f}) {
    const float about = 1.0f / std::sqrt(least);
    const Vec3 moments{1.0f, least, 1.0f}, w{3.0f, about, 1.0f};
    MotionRig stays(1.0f / 960), follows(1.0f / 960);
    for (MotionRig* rig : {&stays, &follows}) {
      rig->set_inertia(0, moments);
      rig->set(0, kIdentity, {0.0f, 0.0f, 0.0f}, w);
      rig->free_velocity(0).flag = 1.0f;  // has contacts
    }
    for (int step = 0; step < 160; ++step) {
      stays.positions().solve<float>(0);
      follows.positions<false>().solve<float>(0);
    }
    const Vec3 up{0.0f, 1.0f, 0.0f}, along = rotate(follows.orientation(0), up);
    EXPECT_NEAR(length(cross(along, rotate(stays.orientation(0), up))), 0.0f, 2e-4f) << least;
    EXPECT_NEAR(length(cross(along, rotate(follows.frame(0).orientation, up))), 0.0f, 0.11f * std::sqrt(least));
    const double energy = 0.5 * (9.0 + 1.0 + 1.0);
    EXPECT_NEAR(0.5 * double(length_squared(follows.velocity(0).angular)), energy, 0.02 * energy) << least;
    EXPECT_GT(0.5 * double(length_squared(stays.velocity(0).angular)), 1.5 * energy) << least;
  }
}

// What position correction turns keeps its energy: the velocity goes with it.
TEST(IntegratePositions, APushTurnsTheVelocity) {
  MotionRig rig(1.0f / 60);
  rig.set_inertia(0, {1.0f, 1e-4f, 1.0f});
  rig.set(0, kIdentity, {0.0f, 0.0f, 0.0f}, {0.0f, 10.0f, 0.0f});
  rig.free_velocity(0).flag = 1.0f;  // has contacts
  IntegratePositions positions = rig.positions();
  positions.projected = true;
  const float h = rig.params.h, push = 0.2f;  // [rad] about x, where the scale is 1
  const Vec3 w = rig.velocity(0).angular;
  rig.solve.view().move[0] = {{0.0f, 0.0f, 0.0f}, 0.0f, {push, h * w.y, 0.0f}, 0.0f};
  positions.solve<float>(0);
  const Vec3 along = rotate(rig.orientation(0), Vec3{0.0f, 1.0f, 0.0f});
  EXPECT_NEAR(along.z, std::sin(0.2), 1e-3);  // 2 atan(push / 2)
  EXPECT_NEAR(length(rig.spin(0) - 10.0f * along), 0.0f, 1e-4f);
}

template <bool kFarNow>
void expect_packs_give_the_bits_of_floats() {
  Random random{std::mt19937(6)};
  for (const std::uint32_t moreau : {0u, 1u}) {
    MotionRig floats, packs;
    for (MotionRig* rig : {&floats, &packs}) {
      rig->params.gravity = {1.0f, -9.81f, 0.5f};
      rig->params.moreau = moreau;
    }
    for (Index i = 0; i < kLanes; ++i) {
      const Vec3 moments = i % 3 == 0   ? Vec3{1.0f, 1.0f, 1.0f}
                           : i % 8 == 1 ? Vec3{1.0f, 1e-6f, 1.0f}
                           : i % 8 == 5 ? Vec3{1.0f, 0.01f, 1.0f}
                                        : random.moments(),
                 v = random.vector(5.0f),
                 w = random.vector(i == 5       ? 1e5f
                                   : i % 5 == 4 ? 300.0f
                                                : 20.0f),
                 force = random.vector(100.0f);
      const Quat q = random.rotation();
      const float damping = random.between(0.0f, 1.0f), inv_mass = i % 7 == 6 ? 0.0f : random.between(0.1f, 2.0f);
      for (MotionRig* rig : {&floats, &packs}) {
        rig->set_inertia(i, moments);
        rig->set(i, q, v, w, inv_mass);
        rig->free_velocity(i).flag = i % 2 == 0 ? 1.0f : 0.0f;  // has contacts
        rig->model.view().angular_damping[i] = damping;
        rig->inputs.view().force.set(i, force);
        rig->inputs.view().torque.set(i, v);
      }
    }
    for (int substep = 0; substep < 8; ++substep) {
      for (Index i = 0; i < kLanes; ++i) floats.velocities().solve<float>(i);
      for (Index i = 0; i < kLanes; ++i) floats.positions<kFarNow>().template solve<float>(i);
      for (Index i = 0; i < kLanes; i += LaneCount<NativePack>::value) packs.velocities().solve<NativePack>(i);
      for (Index i = 0; i < kLanes; i += LaneCount<NativePack>::value)
        packs.positions<kFarNow>().template solve<NativePack>(i);
    }
    for (Index i = 0; i < kLanes; ++i) {
      EXPECT_EQ(std::memcmp(&floats.frame(i), &packs.frame(i), sizeof(BodyFrame)), 0) << i;
      EXPECT_EQ(std::memcmp(&floats.velocity(i), &packs.velocity(i), sizeof(BodyVelocity)), 0) << i;
      EXPECT_EQ(std::memcmp(&floats.displacement(i), &packs.displacement(i), sizeof(BodyDisplacement)), 0) << i;
    }
  }
}
TEST(Integrate, PacksGiveTheBitsOfFloats) {
  expect_packs_give_the_bits_of_floats<true>();
  expect_packs_give_the_bits_of_floats<false>();
}

}  // namespace
}  // namespace talus::test
