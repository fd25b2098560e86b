// SPDX-License-Identifier: MIT
// Joints of the caller's own, and gears, which are made the same way.
#include <gtest/gtest.h>
#include <talus/talus.h>

#include <cmath>
#include <string>

#include "support/backends.h"
#include "support/scene.h"
#include "support/snapshot.h"
#include "unit/custom_kinds.h"

namespace talus::test {

JointKind screw_kind_for_cpu_alone();  // for cuda_custom_joint_test.cu
JointKind screw_kind_for_cpu_alone() {
  return joint_kind(ScrewRows{});
}

namespace {

using joint_math::dot;

constexpr float kPi = 3.14159265f;

WorldDef on_cpu(Vec3 gravity = {0, -9.81f, 0}) {
  WorldDef d;
  d.backend = Backend::cpu;
  d.threads = 2;
  d.sleep.enabled = false;
  d.gravity = gravity;
  return d;
}
float distance(Vec3 a, Vec3 b) {
  return std::hypot(a.x - b.x, a.y - b.y, a.z - b.z);
}
// A bar that hangs on one end; turns by more than a full swing in 2 s.
class Pendulum : public Scene {
 public:
  Pendulum(JointDef joint, bool custom) : Scene(on_cpu()), bar(box({0.5f, 0, 0}, {0.5f, 0.1f, 0.2f}, 2)) {
    joint.b = bar;
    if (custom) joint.kind = world.add_joint_kind(joint_kind(HingeRows{}));
    id = world.add_joint(joint);
  }
  BodyId bar;
  JointId id;
};

TEST(CustomJoint, MovesAsTheUsualBallAndHinge) {
  for (const JointDef& joint : {ball_joint(kWorld, {}, {0, 0, 0}), hinge_joint(kWorld, {}, {0, 0, 0}, {0, 0.3f, 1})}) {
    Pendulum usual(joint, false), own(joint, true);
    float furthest = 0;
    for (int step = 0; step < 240; ++step) {
      usual.run(1, 1.0f / 120);
      own.run(1, 1.0f / 120);
      furthest = std::fmax(furthest, distance(usual.position(usual.bar), own.position(own.bar)));
    }
    EXPECT_LT(furthest, 1e-4f);
    const JointReading a = usual.world.reading(usual.id), b = own.world.reading(own.id);
    EXPECT_NEAR(distance(a.force, b.force), 0.0f, 0.01f) << "of a weight of 20 N";
    EXPECT_NEAR(distance(a.torque, b.torque), 0.0f, 0.01f);
    EXPECT_NEAR(b.position[0], 0.0f, 1e-4f);
  }
}

TEST(CustomJoint, ChainsOfBothKindsHoldTogether) {
  Scene s(on_cpu());
  const int kind = s.world.add_joint_kind(joint_kind(HingeRows{}));
  BodyId last = kWorld;
  std::vector<BodyId> links;
  for (int i = 0; i < 6; ++i) {
    const BodyId link = s.capsule({0.5f + float(i), 0, 0}, 0.1f, 0.3f);
    JointDef joint = ball_joint(last, link, {float(i), 0, 0});
    joint.kind = i % 2 == 0 ? 0 : kind;
    s.world.add_joint(joint);
    links.push_back(last = link);
  }
  s.run(120);
  for (const JointId id : s.world.joints()) {
    const JointReading r = s.world.reading(id);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(r.position[std::size_t(i)], 0.0f, 5e-3f);
  }
}

// Shaft and nut: the nut turns about x, and advances.
class Screw : public Scene {
 public:
  explicit Screw(Vec3 gravity, float pitch) : Scene(on_cpu(gravity)), nut(box({0, 0, 0}, {0.2f, 0.3f, 0.4f}, 3)) {
    JointDef joint = cylindrical_joint(kWorld, nut, {0, 0, 0}, {1, 0, 0});
    joint.axis(Axis::x).mode = AxisMode::locked;
    joint.kind = world.add_joint_kind(joint_kind(ScrewRows{}));
    joint.parameters[0] = pitch;
    id = world.add_joint(joint);
  }
  BodyId nut;
  JointId id;
};

TEST(CustomJoint, AScrewAdvancesByItsPitch) {
  const float pitch = 0.05f;
  Screw s({-9.81f, 0, 0}, pitch);  // the nut falls along the shaft and is made to turn
  for (int step = 0; step < 180; ++step) {
    s.run(1);
    const float angle = s.world.reading(s.id).position[3];
    EXPECT_NEAR(s.position(s.nut).x, pitch * angle, 1e-4f) << step;
  }
  // m g = (m + I / pitch^2) a: box, I = m (b^2 + c^2) / 3.
  const float m = 3, inertia = m * (0.09f + 0.16f) / 3, a = -9.81f * m / (m + inertia / (pitch * pitch));
  EXPECT_NEAR(s.position(s.nut).x, 0.5f * a * 9, std::fabs(0.01f * 0.5f * a * 9));
  EXPECT_GT(std::fabs(s.world.reading(s.id).position[3]), 2 * kPi) << "more than a turn";
  // Force and torque of the thread: m (a - g) along the shaft, and I alpha about it.
  const JointReading r = s.world.reading(s.id);
  EXPECT_NEAR(r.force.x, m * (a + 9.81f), 0.01f * m * 9.81f);
  EXPECT_NEAR(r.torque.x, inertia * a / pitch, 0.01f * std::fabs(inertia * a / pitch));
  EXPECT_NEAR(r.torque.x, -pitch * r.force.x, 1e-3f);
}

TEST(CustomJoint, ReactionsBalance) {
  Scene s(on_cpu({0, 0, 0}));
  const BodyId a = s.box({0, 0, 0}, {0.3f, 0.2f, 0.4f}, 2), b = s.box({1, 0.1f, 0}, {0.2f, 0.3f, 0.4f}, 3);
  s.world.set_velocity(b, {0.5f, 0.1f, 0.2f}, {3, 0.4f, 0.2f});
  JointDef joint = cylindrical_joint(a, b, {0.5f, 0, 0}, {1, 0, 0});
  joint.axis(Axis::x).mode = AxisMode::locked;
  joint.kind = s.world.add_joint_kind(joint_kind(ScrewRows{}));
  joint.parameters[0] = 0.1f;
  s.world.add_joint(joint);
  const Mechanics before = s.world.mechanics();
  s.run(120);
  const Mechanics after = s.world.mechanics();
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(after.momentum[i], before.momentum[i], 1e-4);
    EXPECT_NEAR(after.angular_momentum[i], before.angular_momentum[i], 2e-3);
  }
}

TEST(CustomJoint, APointStaysOnALine) {
  Scene s(on_cpu());
  const BodyId bead = s.sphere({0, 0, 0}, 0.1f);
  JointDef joint;
  joint.b = bead;
  joint.frame = frame_along({0, 0, 0}, {1, -1, 0});
  joint.kind = s.world.add_joint_kind(joint_kind(HingeRows{}));
  joint.axis(Axis::y).mode = joint.axis(Axis::z).mode = AxisMode::locked;
  const JointId id = s.world.add_joint(joint);
  s.run(60);
  const Vec3 p = s.position(bead);
  EXPECT_NEAR(p.x, -p.y, 1e-4f);
  EXPECT_NEAR(p.z, 0.0f, 1e-5f);
  EXPECT_NEAR(p.y, -0.25f * 9.81f, 0.05f) << "half of gravity is along the line";
  EXPECT_NEAR(s.world.reading(id).position[0], std::hypot(p.x, p.y), 1e-3f) << "a free row is read, too";
}

TEST(CustomJoint, RowsHaveLimitsMotorsAndFriction) {
  Scene s(on_cpu({0, 0, 0}));
  const int kind = s.world.add_joint_kind(joint_kind(HingeRows{}));
  const auto wheel = [&](float place) {
    const BodyId body = s.box({place, 0, 0}, {0.2f, 0.3f, 0.3f}, 2);
    JointDef joint = hinge_joint(kWorld, body, {place, 0, 0}, {1, 0, 0});
    joint.kind = kind;
    return std::pair(body, joint);
  };
  auto [driven, motor] = wheel(0);
  motor.axis(Axis::twist).drive = Drive::velocity;
  motor.axis(Axis::twist).target_velocity = 8;
  motor.axis(Axis::twist).max_force = 100;
  auto [stopped, limit] = wheel(2);
  limit.axis(Axis::twist).mode = AxisMode::limited;
  limit.axis(Axis::twist).lower = -1;
  limit.axis(Axis::twist).upper = 0.5f;
  auto [rubbed, friction] = wheel(4);
  friction.axis(Axis::twist).friction = 0.3f;
  const JointId motor_id = s.world.add_joint(motor), limit_id = s.world.add_joint(limit);
  s.world.add_joint(friction);
  s.world.set_velocity(stopped, {0, 0, 0}, {4, 0, 0});
  s.world.set_velocity(rubbed, {0, 0, 0}, {4, 0, 0});
  const float inertia = 2 * (0.09f + 0.09f) / 3;
  s.run(60);
  EXPECT_NEAR(s.spin(rubbed).x, 4 - 0.3f / inertia, 1e-3f);
  s.run(120);
  EXPECT_NEAR(s.spin(driven).x, 8.0f, 1e-3f);
  EXPECT_NEAR(s.world.reading(motor_id).position[3], 24.0f, 0.3f) << "turns are counted";
  EXPECT_NEAR(s.world.reading(limit_id).position[3], 0.5f, 1e-3f);
  EXPECT_NEAR(s.spin(stopped).x, 0.0f, 1e-3f);
}

TEST(CustomJoint, BadRowsDoNothing) {
  Scene s(on_cpu());
  const int kind = s.world.add_joint_kind(joint_kind(BadRows{}));
  const BodyId body = s.box({0, 0, 0}, {0.2f, 0.3f, 0.3f}, 2), other = s.sphere({3, 0, 0});
  JointDef joint = weld_joint(kWorld, body, {0, 0, 0});
  joint.frame = frame_along({0, 0, 0}, {0, 1, 0});  // the row that is NaN is the upright one
  joint.kind = kind;
  const JointId id = s.world.add_joint(joint);
  const StepReport report = s.run(30);
  EXPECT_FALSE(has(report.status, StepStatus::not_finite));
  EXPECT_NEAR(s.position(body).y, s.position(other).y, 1e-4f) << "nothing holds it up";
  EXPECT_NEAR(s.position(body).x, 0.0f, 1e-5f) << "the other rows do";
  EXPECT_NEAR(s.world.reading(id).force.x, 0.0f, 1e-3f) << "no push along a turning row";
}

TEST(CustomJoint, ErrorsAreClear) {
  Scene s(on_cpu());
  const BodyId body = s.sphere({0, 0, 0});
  JointDef joint = ball_joint(kWorld, body, {0, 0, 0});
  joint.kind = 2;
  EXPECT_NE(error_of([&] { s.world.add_joint(joint); }).find("def.kind = 2"), std::string::npos);
  joint.kind = -1;
  EXPECT_NE(error_of([&] { s.world.add_joint(joint); }).find("def.kind = -1"), std::string::npos);
  joint.kind = s.world.add_joint_kind(joint_kind(HingeRows{}));
  joint.parameters[3] = std::nanf("");
  EXPECT_NE(error_of([&] { s.world.add_joint(joint); }).find("def.parameters[3]"), std::string::npos);
  joint.parameters[3] = 1;
  joint.radial = true;
  EXPECT_NE(error_of([&] { s.world.add_joint(joint); }).find("def.radial"), std::string::npos);
  joint.radial = false;
  const JointDef back = s.world.definition(s.world.add_joint(joint));
  EXPECT_EQ(back.kind, joint.kind);
  EXPECT_EQ(back.parameters, joint.parameters);
  EXPECT_NE(error_of([&] { s.world.add_joint_kind(JointKind{}); }), "");
  EXPECT_NE(error_of([&] { gear_joint(body, {0, 0, 0}, body, {1, 0, 0}, 1); }), "");
  EXPECT_NE(error_of([&] { gear_joint(body, {1, 0, 0}, body, {1, 0, 0}, 0); }), "");
  EXPECT_NE(error_of([&] {
              for (int i = 0; i < 100; ++i) s.world.add_joint_kind(joint_kind(HingeRows{}));
            }).find("at most"),
            std::string::npos);
}

TEST(CustomJoint, SnapshotsKeepParametersAndAskForTheKinds) {
  Screw s({-9.81f, 0, 0}, 0.05f);
  s.run(30);
  const std::string bytes = saved(s.world);
  const std::uint64_t hash = s.hash();
  s.run(30);
  const std::uint64_t later = s.hash();
  restore(s.world, bytes);
  EXPECT_EQ(s.hash(), hash);
  s.run(30);
  EXPECT_EQ(s.hash(), later);
  World empty(on_cpu());
  EXPECT_NE(error_of([&] { restore(empty, bytes); }).find("add_joint_kind"), std::string::npos);
  empty.add_joint_kind(joint_kind(ScrewRows{}));
  restore(empty, bytes);
  empty.step_n(30, kStep);
  EXPECT_EQ(empty.state_hash(), later);
  Screw other({-9.81f, 0, 0}, 0.06f);
  Screw same({-9.81f, 0, 0}, 0.05f), again({-9.81f, 0, 0}, 0.05f);
  EXPECT_EQ(same.hash(), again.hash());
  EXPECT_NE(other.hash(), same.hash()) << "a parameter decides the future";
}

TEST(CustomJoint, JointsThatSleepWakeAndHoldAsBefore) {
  WorldDef d = on_cpu();
  d.sleep.enabled = true;
  Scene s(d);
  const int kind = s.world.add_joint_kind(joint_kind(HingeRows{}));
  std::vector<BodyId> bodies;
  for (int i = 0; i < 3; ++i) {
    bodies.push_back(s.sphere({2.0f * float(i), -1, 0}, 0.2f));
    JointDef joint = ball_joint(kWorld, bodies.back(), {2.0f * float(i), 0, 0});
    joint.kind = kind;
    s.world.add_joint(joint);
  }
  s.world.set_velocity(bodies[1], {0, 0, 0}, {0, 5, 0});  // spins on: the others fall asleep beside it
  s.run(180);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(s.world.is_awake(bodies[i]), i == 1) << i;
  s.world.set_velocity(bodies[0], {1, 0, 0}, {0, 0, 0});
  s.run(60);
  EXPECT_TRUE(s.world.is_awake(bodies[0]));
  EXPECT_GT(std::abs(s.position(bodies[0]).x), 0.01f) << "it swings";
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(distance(s.position(bodies[std::size_t(i)]), {2.0f * float(i), 0, 0}), 1.0f, 3e-4f)
        << i;  // measured: 1e-4
  }
}

// ---- gears: compiled into the library, for both backends -----------------------------------------------------------

class Gears : public OnBackend {
 protected:
  Gears() : s(weightless()) {
    small = s.add(wheel({0, 0, 0}, 0.2f, 1));
    large = s.add(wheel({1, 0, 0}, 0.5f, 4));
    s.world.add_joint(hinge_joint(kWorld, small, {0, 0, 0}, {0, 0, 1}));
    s.world.add_joint(hinge_joint(kWorld, large, {1, 0, 0}, {0, 0, 1}));
    gear = s.world.add_joint(gear_joint(small, {0, 0, 1}, large, {0, 0, 1}, 0.4f));
  }
  static BodyDef wheel(Vec3 place, float radius, float mass) {
    return Scene::body(talus::box({radius, radius, 0.1f}), place, mass);
  }
  static float inertia(float radius, float mass) { return mass * 2 * radius * radius / 3; }
  Scene s;
  BodyId small, large;
  JointId gear;
};
TALUS_INSTANTIATE_ON_BACKENDS(Gears);

TEST_P(Gears, KeepTheirRatioOverManyTurns) {
  s.world.set_velocity(small, {0, 0, 0}, {0, 0, 30});
  s.world.set_velocity(large, {0, 0, 0}, {0, 0, -12});
  const int steps = cpu_or_cuda(400, 20);
  for (int i = 0; i < steps; ++i) {
    s.run(1);
    const JointReading r = s.world.reading(gear);
    EXPECT_NEAR(r.position[3], 0.0f, 1e-3f);
    EXPECT_NEAR(r.position[5], -0.4f * r.position[4], 1e-3f);
    EXPECT_NEAR(s.spin(large).z, -0.4f * s.spin(small).z, 1e-3f);
  }
  const float turned = s.world.reading(gear).position[4];
  EXPECT_NEAR(turned, 30 * kStep * float(steps), 0.01f * turned);
  EXPECT_GT(turned, on_cuda() ? 1.0f : 20 * 2 * kPi);
}

TEST_P(Gears, ShareABlow) {
  s.world.set_velocity(small, {0, 0, 0}, {0, 0, 30});
  s.run(20);
  // One impulse J between them: I_s (30 - w) = 0.4 J, I_l 0.4 w = J.
  const float a = inertia(0.2f, 1), b = inertia(0.5f, 4), w = 30 * a / (a + 0.16f * b);
  EXPECT_NEAR(s.spin(small).z, w, 0.01f * w);
  EXPECT_NEAR(s.spin(large).z, -0.4f * w, 0.01f * w);
  EXPECT_NEAR(s.world.reading(gear).position[3], 0.0f, 1e-3f);
}

TEST_P(Gears, PassOnThePower) {
  // Speeds up under a torque: what one wheel loses the other gets, so nothing is lost between them.
  for (int i = 0; i < 30; ++i) {
    s.world.apply_torque(small, {0, 0, 2});
    s.run(1);
  }
  const float a = inertia(0.2f, 1), b = inertia(0.5f, 4), alpha = 2 / (a + 0.16f * b);
  EXPECT_NEAR(s.spin(small).z, 0.5f * alpha, 0.01f * alpha);
  const JointReading r = s.world.reading(gear);
  EXPECT_NEAR(r.torque.z, -0.4f * alpha * b, 0.01f * alpha * b) << "on the large wheel";
  const float work = 2 * r.position[4], energy = float(s.world.mechanics().kinetic_energy);
  EXPECT_NEAR(energy, work, 0.05f * energy);
}

}  // namespace
}  // namespace talus::test
