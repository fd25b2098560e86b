// SPDX-License-Identifier: MIT
// From manifolds and masses to solver rows, against the same formulas in double precision with Eigen.
#include <gtest/gtest.h>

#include <cmath>
#include <Eigen/Geometry>
#include <random>

#include "unit/contact_rig.h"

namespace talus::test {
namespace {

Eigen::Vector3d eigen(Vec3 v) {
  return {double(v.x), double(v.y), double(v.z)};
}
void expect_near(Vec3 actual, const Eigen::Vector3d& expected, double tolerance) {
  EXPECT_LT((eigen(actual) - expected).norm(), tolerance);
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
    EXPECT_EQ(rows.number(row::ground, lane), a.motion || b.motion ? 1.0f : 0.0f);
    EXPECT_NEAR(rows.number(row::inv_mass_a, lane), mass_a.inverse, 1e-5 * mass_a.inverse);
    EXPECT_NEAR(rows.number(row::friction, lane), std::sqrt(a.material.friction * b.material.friction), 1e-6);

    const int count = int(c.contact.points.size());
    ASSERT_EQ(rows.number(row::count, lane), float(count));
    const double half = 0.5 * double(c.contact.separation);
    for (int p = 0; p < count; ++p) {
      const Eigen::Vector3d at = eigen(c.contact.points[std::size_t(p)]), arm_a = at - half * n - xa,
                            arm_b = at + half * n - xb;
      expect_near(rows.vector(row::at(p, row::arm_a), lane), arm_a, 1e-5);
      expect_near(rows.vector(row::at(p, row::arm_b), lane), arm_b, 1e-5);
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
    expect_near(rows.vector(row::friction_a, lane), at_a, 1e-5);
    expect_near(rows.vector(row::friction_b, lane), at_b, 1e-5);

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

TEST(Prepare, PaddingLanesHoldTheNullBodyAndNothingElse) {
  std::mt19937 engine(5);
  const Case c = random_case(engine);
  ContactRig rig(c.bodies, {c.contact}, WorldDef{}, 1.0f / 60.0f);
  ASSERT_EQ(rig.counters().lanes, kLanes);
  const SolverRows rows = rig.lanes();
  for (Index lane = 1; lane < kLanes; ++lane) {
    EXPECT_EQ(rows.word(row::body_a, lane), std::uint32_t(rig.rows()));
    EXPECT_EQ(rows.word(row::body_b, lane), std::uint32_t(rig.rows()));
    for (int field = row::pair; field < row::kFields; ++field) EXPECT_EQ(rows.word(field, lane), 0u);
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
  const double inverse = Mass(plate).inverse;
  EXPECT_NEAR(rig.lanes().number(row::inv_mass_b, lane), 20 * inverse, 1e-5 * inverse);
  EXPECT_NEAR(rig.lanes().number(row::inv_mass_a, lane), Mass(bodies[4]).inverse, 1e-6);
}

}  // namespace
}  // namespace talus::test
