// SPDX-License-Identifier: MIT
// From manifolds and masses to solver rows, against the same formulas in double precision with Eigen.
#include <gtest/gtest.h>

#include <cmath>
#include <Eigen/Geometry>
#include <random>
#include <tuple>

#include "unit/contact_rig.h"

namespace talus::test {
namespace {

Eigen::Vector3d eigen(Vec3 v) {
  return {double(v.x), double(v.y), double(v.z)};
}

/// World-frame turning by a unit of impulse along a direction at a point, from the lever of a dynamic body, which is in
/// scaled axes: R (s o j) = I^-1 (arm x direction).
Eigen::Vector3d turning(const BodyFrame& frame, Vec3 lever) {
  const Quat q = frame.orientation;
  const Eigen::Quaterniond r(double(q.w), double(q.x), double(q.y), double(q.z));
  return r * eigen(frame.scale).cwiseProduct(eigen(lever));
}

/// Inverse mass and world-frame inverse inertia of a box.
struct Mass {
  double inverse = 0;
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();

  explicit Mass(const BodyDef& d) {
    if (d.motion.value_or(Motion::dynamic) != Motion::dynamic) return;
    const Eigen::Vector3d s = eigen(d.shape.size), square = s.cwiseProduct(s);
    const double mass = 8 * double(d.density) * s.prod();
    const Eigen::Vector3d moments = mass / 3 * (Eigen::Vector3d::Constant(square.sum()) - square);
    const Quat q = d.orientation;
    const Eigen::Matrix3d r =
        Eigen::Quaterniond(double(q.w), double(q.x), double(q.y), double(q.z)).normalized().toRotationMatrix();
    inverse = 1 / mass;
    inertia = r * moments.cwiseInverse().asDiagonal() * r.transpose();
  }
  /// What a unit impulse along d at an arm changes of the speed along e there.
  double response(const Eigen::Vector3d& arm, const Eigen::Vector3d& d, const Eigen::Vector3d& e) const {
    return inverse * d.dot(e) + arm.cross(e).dot(inertia * arm.cross(d));
  }
};

struct Case {
  std::vector<BodyDef> bodies;
  RigContact contact;
};
Case random_case(std::mt19937& engine) {
  const auto between = [&](float low, float high) { return low + (high - low) * float(engine() >> 8) * 0x1p-24f; };
  const auto vector = [&](float size) {
    const float x = between(-size, size), y = between(-size, size), z = between(-size, size);
    return Vec3{x, y, z};
  };
  Case c;
  for (int i = 0; i < 2; ++i) {
    BodyDef d{.shape = box({between(0.3f, 1.0f), between(0.3f, 1.0f), between(0.3f, 1.0f)})};
    d.density = between(0.5f, 5.0f);
    d.position = vector(1.0f);
    const Vec3 axis = vector(1.0f);
    d.orientation = normalized(Quat{axis.x, axis.y, axis.z, 1.0f});
    d.linear_velocity = vector(2.0f);
    d.angular_velocity = vector(2.0f);
    d.material.friction = between(0.1f, 1.0f);
    c.bodies.push_back(d);
  }
  if (engine() % 4 == 0) c.bodies[engine() % 2].motion = Motion::kinematic;
  c.contact.normal = normalized_or(vector(1.0f), {0.0f, 1.0f, 0.0f});
  for (std::uint32_t p = engine() % 4 + 1; p > 0; --p) c.contact.points.push_back(vector(1.0f));
  c.contact.separation = between(-0.03f, 0.015f);
  c.contact.impulse = between(0.0f, 3.0f);
  return c;
}

TEST(Prepare, RowsAgreeWithTheFormulasInDouble) {
  std::mt19937 engine(3);
  for (int trial = 0; trial < 200; ++trial) {
    SCOPED_TRACE("trial " + std::to_string(trial));
    const Case c = random_case(engine);
    ContactRig rig(c.bodies, {c.contact}, WorldDef{}, 1.0f / 60.0f);
    const Index lane = rig.lane_of(0);
    ASSERT_GE(lane, 0);
    const SolverRows rows = rig.lanes();
    const BodyDef &a = c.bodies[0], &b = c.bodies[1];
    const Mass mass_a(a), mass_b(b);
    const Eigen::Vector3d n = eigen(c.contact.normal), xa = eigen(a.position), xb = eigen(b.position);
    EXPECT_NEAR(rig.velocity(0).inv_mass, mass_a.inverse, 1e-5 * mass_a.inverse);
    EXPECT_NEAR(rows.number(row::friction, lane), std::sqrt(a.material.friction * b.material.friction), 1e-6);

    const int count = int(c.contact.points.size());
    ASSERT_EQ(rows.number(row::count, lane), float(count));
    const double half = 0.5 * double(c.contact.separation);
    for (int p = 0; p < count; ++p) {
      const Eigen::Vector3d at = eigen(c.contact.points[std::size_t(p)]), arm_a = at - half * n - xa,
                            arm_b = at + half * n - xb;
      const Vec3 lever_a = rows.vector(row::at(p, row::lever_a), lane);
      const Vec3 lever_b = rows.vector(row::at(p, row::lever_b), lane);
      const Eigen::Vector3d turn_a = mass_a.inertia * arm_a.cross(n), turn_b = mass_b.inertia * arm_b.cross(n);
      if (!a.motion) {
        EXPECT_LT((turning(rig.frame(0), lever_a) - turn_a).norm(), 1e-4 * (1 + turn_a.norm()));
      }
      if (!b.motion) {
        EXPECT_LT((turning(rig.frame(1), lever_b) - turn_b).norm(), 1e-4 * (1 + turn_b.norm()));
      }
      const double k = mass_a.response(arm_a, n, n) + mass_b.response(arm_b, n, n);
      EXPECT_NEAR(double(rows.number(row::at(p, row::mass), lane)) * k, 1.0, 1e-4);
      const Eigen::Vector3d relative = eigen(b.linear_velocity) + eigen(b.angular_velocity).cross(arm_b) -
                                       eigen(a.linear_velocity) - eigen(a.angular_velocity).cross(arm_a);
      EXPECT_NEAR(rows.number(row::at(p, row::approach), lane), n.dot(relative), 1e-4);
      EXPECT_EQ(rows.number(row::at(p, row::impulse), lane), c.contact.impulse);
      EXPECT_EQ(rows.number(row::at(p, row::separation), lane), c.contact.separation);
    }
    for (int p = count; p < kMaxPoints; ++p) EXPECT_EQ(rows.number(row::at(p, row::mass), lane), 0.0f);
  }
}

TEST(Prepare, FrictionRowsInvertTheTangentialMatrix) {
  std::mt19937 engine(4);
  for (int trial = 0; trial < 200; ++trial) {
    SCOPED_TRACE("trial " + std::to_string(trial));
    const Case c = random_case(engine);
    ContactRig rig(c.bodies, {c.contact}, WorldDef{}, 1.0f / 60.0f);
    const Index lane = rig.lane_of(0);
    const SolverRows rows = rig.lanes();
    const Mass mass_a(c.bodies[0]), mass_b(c.bodies[1]);
    const Eigen::Vector3d n = eigen(c.contact.normal), t1 = eigen(rows.vector(row::tangent, lane)), t2 = n.cross(t1);
    EXPECT_NEAR(t1.norm(), 1.0, 1e-6);
    EXPECT_NEAR(t1.dot(n), 0.0, 1e-6);

    Eigen::Vector3d middle = Eigen::Vector3d::Zero();  // all points are as deep, so their mean
    for (const Vec3 p : c.contact.points) middle += eigen(p) / double(c.contact.points.size());
    const double half = 0.5 * double(c.contact.separation);
    const Eigen::Vector3d at_a = middle - half * n - eigen(c.bodies[0].position);
    const Eigen::Vector3d at_b = middle + half * n - eigen(c.bodies[1].position);
    for (const auto& [body, field, arm, t] : {std::tuple{0, row::friction_a1, at_a, t1},
                                              {0, row::friction_a2, at_a, t2},
                                              {1, row::friction_b1, at_b, t1},
                                              {1, row::friction_b2, at_b, t2},
                                              {0, row::middle_a, at_a, n},
                                              {1, row::middle_b, at_b, n}}) {
      if (c.bodies[std::size_t(body)].motion) continue;
      const Eigen::Vector3d expected = (body == 0 ? mass_a : mass_b).inertia * arm.cross(t);
      EXPECT_LT((turning(rig.frame(body), rows.vector(field, lane)) - expected).norm(), 1e-4 * (1 + expected.norm()));
    }

    Eigen::Matrix2d k;
    const Eigen::Vector3d t[2] = {t1, t2};
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) k(i, j) = mass_a.response(at_a, t[i], t[j]) + mass_b.response(at_b, t[i], t[j]);
    }
    const Vec3 inverse = rows.vector(row::friction_mass, lane);
    Eigen::Matrix2d m;
    m << double(inverse.x), double(inverse.z), double(inverse.z), double(inverse.y);
    EXPECT_LT((m * k - Eigen::Matrix2d::Identity()).norm(), 1e-3);
    const double twist = n.dot((mass_a.inertia + mass_b.inertia) * n);
    EXPECT_NEAR(double(rows.number(row::twist_mass, lane)) * twist, 1.0, 1e-4);
  }
}

TEST(Prepare, PaddingLanesHoldTheNullBodyAndNoPoints) {
  std::mt19937 engine(5);
  const Case c = random_case(engine);
  ContactRig rig(c.bodies, {c.contact}, WorldDef{}, 1.0f / 60.0f);
  ASSERT_EQ(rig.counters().lanes, kLanes);
  const SolverRows rows = rig.lanes();
  for (Index lane = 1; lane < kLanes; ++lane) {
    EXPECT_EQ(rows.word(row::body_a, lane), std::uint32_t(rig.rows()));
    EXPECT_EQ(rows.word(row::body_b, lane), std::uint32_t(rig.rows()));
    EXPECT_EQ(rows.word(row::pair, lane), 0u);
    EXPECT_EQ(rows.number(row::count, lane), 0.0f);
  }
  EXPECT_EQ(rig.velocity(rig.rows()).inv_mass, 0.0f);
  EXPECT_EQ(rig.velocity(rig.rows()).linear.x, 0.0f);
}

TEST(Prepare, WithoutWarmStartNothingIsCarriedOver) {
  std::mt19937 engine(6);
  const Case c = random_case(engine);
  WorldDef def;
  def.solver.warm_start = false;
  ContactRig rig(c.bodies, {c.contact}, def, 1.0f / 60.0f);
  EXPECT_EQ(rig.impulse(0, 0), 0.0f);
}

TEST(Prepare, SplitContactsGetTheirShareOfTheMass) {
  const BodyDef plate{.shape = box({5.0f, 0.1f, 5.0f})};
  std::vector<BodyDef> bodies{plate};
  std::vector<RigContact> contacts;
  for (int i = 0; i < 20; ++i) {
    bodies.push_back({.shape = box({0.1f, 0.1f, 0.1f}), .position = {0.5f * float(i - 10), 0.2f, 0.0f}});
    contacts.push_back(
        {.a = Index(i + 1), .b = 0, .normal = {0.0f, -1.0f, 0.0f}, .points = {{0.5f * float(i - 10), 0.1f, 0.0f}}});
  }
  WorldDef def;
  def.solver.solver = Solver::jacobi;
  ContactRig rig(bodies, contacts, def, 1.0f / 60.0f);
  ASSERT_EQ(rig.counters().color_size[kOverflowColor], 20);
  const Index lane = rig.lane_of(3);
  // Along the normal through both centres nothing turns but the plate, which gives 20 times as much as by itself.
  const Eigen::Vector3d arm = eigen(contacts[3].points[0]) - eigen(plate.position), n(0, -1, 0);
  const double give = Mass(bodies[4]).inverse + 20 * Mass(plate).response(arm, n, n);
  EXPECT_NEAR(double(rig.lanes().number(row::at(0, row::mass), lane)) * give, 1.0, 1e-4);
}

}  // namespace
}  // namespace talus::test
