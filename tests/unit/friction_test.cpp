// SPDX-License-Identifier: MIT
// Projections on what friction allows, against a search over their rims; combined materials.
#include "friction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "material.h"
#include "math/pack.h"
#include "prepare.h"
#include "step_settings.h"

namespace talus {
namespace {

struct Point {
  double x, y;
};
double distance(Point a, Point b) {
  return std::hypot(a.x - b.x, a.y - b.y);
}

StepParams params_of(FrictionModel model, int sides = 8) {
  WorldDef def;
  def.solver.friction = model;
  def.solver.friction_sides = sides;
  return make_step_params(def, 1.0f / 60.0f);
}

/// The nearest of many points on the rim.
Point nearest(Point z, const std::function<Point(double)>& rim) {
  constexpr int kPoints = 20000;
  Point best = rim(0);
  for (int i = 1; i < kPoints; ++i) {
    const Point p = rim(2 * 3.14159265358979 * i / kPoints);
    if (distance(p, z) < distance(best, z)) best = p;
  }
  return best;
}

Point on_polygon(int sides, double angle) {
  const double side = 2 * 3.14159265358979 / sides, at = angle - side * std::floor(angle / side);
  const double radius = std::cos(side / 2) / std::cos(at - side / 2);
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

TEST(FrictionModels, EllipseGivesTheNearestPoint) {
  float x = 3.0f, y = 2.0f;
  project_on_ellipse(2.0f, 1.0f, x, y);  // S1-115
  EXPECT_NEAR(x, 1.725411f, 1e-6f);
  EXPECT_NEAR(y, 0.505706f, 1e-6f);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> any(-1, 1);
  for (int i = 0; i < 40; ++i) {
    const double a = 1, b = std::pow(10.0, any(random) - 1), far = std::pow(10.0, 2 * any(random));
    const Point z{far * any(random), far * any(random)};
    float u = float(z.x), v = float(z.y);
    project_on_ellipse(float(a), float(b), u, v);
    if (std::hypot(z.x / a, z.y / b) <= 1) {
      EXPECT_TRUE(u == float(z.x) && v == float(z.y));
      continue;
    }
    const Point expected = nearest(z, [&](double t) { return Point{a * std::cos(t), b * std::sin(t)}; });
    EXPECT_NEAR(distance({double(u), double(v)}, z), distance(expected, z), 1e-5 * (1 + far)) << a << ' ' << b;
    EXPECT_NEAR(std::hypot(double(u) / a, double(v) / b), 1, 1e-4);
  }
  x = 5.0f;
  y = 5.0f;
  project_on_ellipse(0.0f, 0.0f, x, y);
  EXPECT_TRUE(x == 0.0f && y == 0.0f);
  x = 5.0f;
  y = -0.5f;
  project_on_ellipse(0.0f, 1.0f, x, y);
  EXPECT_NEAR(x, 0.0f, 2e-4f);
  EXPECT_NEAR(y, -0.5f, 2e-3f);
}

TEST(FrictionModels, PolygonGivesTheNearestPoint) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> any(-2, 2);
  for (const int sides : {3, 4, 5, 8, 64}) {
    const StepParams params = params_of(FrictionModel::polyhedral, sides);
    EXPECT_NEAR(params.polygon.cosine, std::cos(3.14159265358979 / sides), 1e-6);
    for (int i = 0; i < 40; ++i) {
      const Point z{any(random), any(random)};
      float u = float(z.x), v = float(z.y);
      project_friction(params, 1.0f, 1.0f, u, v);
      const Point rim = on_polygon(sides, std::atan2(z.y, z.x) + 2 * 3.14159265358979);
      if (std::hypot(z.x, z.y) < std::hypot(rim.x, rim.y) - 1e-5) {
        EXPECT_TRUE(u == float(z.x) && v == float(z.y)) << sides;
        continue;
      }
      const Point expected = nearest(z, [&](double t) { return on_polygon(sides, t); });
      EXPECT_LT(distance({double(u), double(v)}, expected), 1e-3) << sides << " sides, " << z.x << ' ' << z.y;
    }
  }
}

// S0-15: a point mass of which friction takes 0.08175 m/s a step slides at 30 degrees.
TEST(FrictionModels, PolygonsTakeFrictionAtTheirCorners) {
  struct Case {
    int sides;
    float x, y;
  };
  for (const Case& c : {Case{4, -0.08175f, 0.0f}, Case{8, -0.057806f, -0.057806f}}) {
    float x = -0.8660254f, y = -0.5f;
    project_friction(params_of(FrictionModel::polyhedral, c.sides), 0.08175f, 0.08175f, x, y);
    EXPECT_NEAR(x, c.x, 1e-6f);
    EXPECT_NEAR(y, c.y, 1e-6f);
  }
}

TEST(FrictionModels, PacksHaveTheBitsOfFloats) {
  constexpr int kWidth = LaneCount<NativePack>::value;
  std::mt19937 random(5);
  std::uniform_real_distribution<float> any(-3, 3);
  for (const StepParams& params :
       {params_of(FrictionModel::cone), params_of(FrictionModel::box), params_of(FrictionModel::polyhedral, 5)}) {
    float x[kWidth], y[kWidth], a[kWidth], b[kWidth];
    for (int i = 0; i < kWidth; ++i) {
      x[i] = any(random);
      y[i] = any(random);
      a[i] = std::fabs(any(random));
      b[i] = i % 4 == 0 ? a[i] : std::fabs(any(random));
    }
    NativePack u = load_lanes(x, NativePack{}), v = load_lanes(y, NativePack{});
    project_friction(params, load_lanes(a, NativePack{}), load_lanes(b, NativePack{}), u, v);
    float pack_x[kWidth], pack_y[kWidth];
    store_lanes(pack_x, u);
    store_lanes(pack_y, v);
    for (int i = 0; i < kWidth; ++i) {
      project_friction(params, a[i], b[i], x[i], y[i]);
      EXPECT_EQ(x[i], pack_x[i]);
      EXPECT_EQ(y[i], pack_y[i]);
    }
  }
}

TEST(FrictionModels, MatchsticksTurnFromTheGrainToTheCircle) {  // S1-117
  const Vec3 normal{0.0f, 1.0f, 0.0f}, grain{1.0f, 0.0f, 0.0f}, none{0.0f, 0.0f, 0.0f}, other{0.0f, 0.0f, 1.0f};
  const float half = std::sqrt(0.5f);
  const auto frame = [&](Vec3 b) { return matchstick_frame(normal, grain, b, other); };
  const auto along = [&](Vec3 b) { return frame(b).between(0.2f, 0.6f); };
  const auto across = [&](Vec3 b) { return frame(b).between(1.0f, 0.6f); };
  EXPECT_NEAR(along(grain), 0.2f, 1e-6f);
  EXPECT_NEAR(across({-1.0f, 0.0f, 0.0f}), 1.0f, 1e-6f);
  EXPECT_NEAR(along({half, 0.0f, half}), 0.4f, 1e-6f);
  EXPECT_NEAR(across({-half, 0.0f, -half}), 0.8f, 1e-6f);
  EXPECT_NEAR(along(other), 0.6f, 1e-6f);
  EXPECT_NEAR(along(none), 0.2f, 1e-6f);
  EXPECT_NEAR(across(normal), 1.0f, 1e-6f);  // the end of a fibre has no direction
  EXPECT_FALSE(frame(grain).opposed);
  EXPECT_TRUE(frame({-1.0f, 0.0f, 0.0f}).opposed);
  const GrainFrame<float> plain = matchstick_frame(normal, none, none, other);
  EXPECT_TRUE(plain.tangent.z == 1.0f && plain.part == 0.0f);
}

TEST(FrictionModels, PairsOfMaterialsReplaceWhatTheyGive) {
  const MaterialPairRecord pairs[] = {
      {1, 1, MaterialPairRecord::friction, {0.9f}},
      {1, 3, MaterialPairRecord::friction | MaterialPairRecord::rolling_friction, {0.2f, 0, 0, 0, 0, 0, 0.05f}},
      {2, 3, MaterialPairRecord::restitution, {0, 0, 0, 0, 0.7f}}};
  const MaterialTable table{{}, {pairs, 3}};
  EXPECT_EQ(find_material_pair(table, 3, 1), &pairs[1]);
  EXPECT_EQ(find_material_pair(table, 1, 1), &pairs[0]);
  EXPECT_EQ(find_material_pair(table, 1, 2), nullptr);
  EXPECT_EQ(find_material_pair(table, 9, 9), nullptr);
  SurfaceRecord a = surface_of({}, 0, 0.8f, 0.1f, packed_rules(Combine::geometric_mean, Combine::maximum)), b = a;
  b.friction = 0.2f;
  b.dynamic_friction = 0.1f;
  a.torsional_friction = 0.3f;
  const ContactSurface plain = contact_surface(a, b, nullptr), pair = contact_surface(b, a, &pairs[1]);
  EXPECT_NEAR(plain.friction, 0.4f, 1e-6f);
  EXPECT_NEAR(plain.sliding, std::sqrt(0.5f), 1e-6f);
  EXPECT_EQ(plain.torsion, 0.3f);
  EXPECT_EQ(pair.friction, 0.2f);
  EXPECT_EQ(pair.along, 0.2f);
  EXPECT_EQ(pair.sliding, plain.sliding);
  EXPECT_EQ(pair.rolling, 0.05f);
  EXPECT_EQ(contact_surface(a, b, &pairs[2]).restitution, 0.7f);
}

}  // namespace
}  // namespace talus
