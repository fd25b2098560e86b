// SPDX-License-Identifier: MIT
// What holds for the collision of any two shapes, in seeded random poses, against the oracles.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "shapes/collide.h"
#include "shapes/distance.h"
#include "support/shape_oracles.h"

namespace talus {
namespace {

using oracle::D3;
using oracle::RandomShapes;
using oracle::Solid;

struct Pair {
  ShapeType a, b;
};
class ShapePairs : public testing::TestWithParam<Pair> {
 protected:
  const ShapeType type_a = GetParam().a, type_b = GetParam().b;
  const bool boxes = type_a == ShapeType::box && type_b == ShapeType::box;
  const bool box_capsule = type_a == ShapeType::box && type_b == ShapeType::capsule;

  double separation(const Solid& a, const Solid& b) const {
    return boxes ? oracle::box_separation(a, b) : oracle::separation(a, b);
  }
};

bool finite(const Manifold& m) {
  bool result = is_finite(m.normal) && m.count >= 0 && m.count <= kMaxPoints;
  for (int i = 0; i < m.count; ++i)
    result = result && is_finite(m.points[i].on_a) && is_finite(m.points[i].on_b) && is_finite(m.points[i].separation);
  return result;
}

TEST_P(ShapePairs, PointsLieOnBothSurfacesAndDifferAlongTheNormal) {
  RandomShapes random(11);
  int touching = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const PlacedShape a = random.shape(type_a), b = random.shape(type_b);
    const float reach = random.uniform(0.0f, 0.2f);
    const Manifold m = collide(type_a, a, type_b, b, reach);
    ASSERT_TRUE(finite(m)) << "trial " << trial;
    const oracle::Faults f = oracle::faults(oracle::solid(type_a, a), oracle::solid(type_b, b), m);
    ASSERT_LT(f.normal, 1e-6) << "trial " << trial;
    ASSERT_LT(f.gap, 2e-6) << "trial " << trial;
    ASSERT_TRUE(f.features_distinct) << "trial " << trial;
    // Clipping lets points be 0.1 mm beside the incident face; a capsule that hangs over a rim of a box is touched
    // inside its surface. Two capsules side by side share a line that is off by 2 % of 2 % of the radii.
    ASSERT_LT(f.outside_a, boxes || box_capsule ? 1.6e-4 : 2e-6) << "trial " << trial;
    ASSERT_LT(f.outside_b, boxes || m.count == 2 ? 5e-4 : 2e-6) << "trial " << trial;
    if (!boxes && !box_capsule) {
      ASSERT_LT(f.off_a, m.count == 2 ? 5e-4 : 2e-6) << "trial " << trial;
      ASSERT_LT(f.off_b, m.count == 2 ? 5e-4 : 2e-6) << "trial " << trial;
    } else if (boxes) {
      ASSERT_LT(f.off_a, 1.6e-4) << "trial " << trial;
      ASSERT_LT(f.off_b, 1.6e-4) << "trial " << trial;
    }
    for (int i = 0; i < m.count; ++i) ASSERT_LE(m.points[i].separation, reach) << "trial " << trial;
    touching += m.count > 0;
  }
  EXPECT_GT(touching, 400);
}

TEST_P(ShapePairs, DeepestPointHasTheSeparationOfTheBestDirection) {
  RandomShapes random(12);
  for (int trial = 0; trial < 400; ++trial) {
    const PlacedShape a = random.shape(type_a), b = random.shape(type_b);
    const float reach = random.uniform(0.0f, 0.05f);
    const Solid solid_a = oracle::solid(type_a, a), solid_b = oracle::solid(type_b, b);
    const Manifold m = collide(type_a, a, type_b, b, reach);
    const double expected = separation(solid_a, solid_b);
    if (expected < 0.9 * double(reach) - 2e-3) {
      ASSERT_GT(m.count, 0) << "trial " << trial << " separation " << expected << " reach " << reach;
    }
    if (m.count == 0) continue;
    ASSERT_LT(expected, double(reach) + 3e-4) << "trial " << trial;
    const double found = double(oracle::deepest(m));
    const double along = oracle::separation_along(solid_a, solid_b, oracle::wide(m.normal));
    if (boxes || box_capsule) {
      // Faces are preferred within 5 mm.
      ASSERT_NEAR(found, expected, 5.1e-3) << "trial " << trial;
    } else {
      ASSERT_NEAR(found, along, 1e-5) << "trial " << trial;    // nothing of B is deeper along the normal
      ASSERT_LT(expected - along, 1e-5) << "trial " << trial;  // and no direction is better
    }
  }
}

TEST_P(ShapePairs, NoPointsBeyondReach) {
  RandomShapes random(13);
  int apart = 0;
  for (int trial = 0; trial < 600; ++trial) {
    const PlacedShape a = random.shape(type_a, 2.0f), b = random.shape(type_b, 2.0f);
    const double distance = separation(oracle::solid(type_a, a), oracle::solid(type_b, b));
    if (distance < 0.02) continue;
    ++apart;
    EXPECT_EQ(collide(type_a, a, type_b, b, float(distance) - 0.01f).count, 0) << "trial " << trial;
  }
  EXPECT_GT(apart, 30);
}

TEST_P(ShapePairs, SwappedOrderGivesTheSameContactFromTheOtherSide) {
  RandomShapes random(14);
  for (int trial = 0; trial < 2000; ++trial) {
    const PlacedShape a = random.shape(type_a), b = random.shape(type_b);
    const Manifold m = collide(type_a, a, type_b, b, 0.05f), w = collide(type_b, b, type_a, a, 0.05f);
    if (type_a != type_b) {
      ASSERT_EQ(m.count, w.count);
      for (int i = 0; i < m.count; ++i) {
        ASSERT_EQ(m.points[i].separation, w.points[i].separation);
        ASSERT_EQ(m.points[i].feature, w.points[i].feature);
        ASSERT_EQ(0, std::memcmp(&m.points[i].on_a, &w.points[i].on_b, sizeof(Vec3)));
      }
      if (m.count > 0) {
        ASSERT_EQ(dot(m.normal, w.normal), -dot(m.normal, m.normal));
      }
    } else if (m.count > 0 && w.count > 0) {
      ASSERT_NEAR(oracle::deepest(m), oracle::deepest(w), boxes ? 5.1e-3f : 1e-5f) << "trial " << trial;
    } else {
      ASSERT_GT(min_of(oracle::deepest(m), oracle::deepest(w)), 0.04f) << "trial " << trial;
    }
  }
}

TEST_P(ShapePairs, DepthDoesNotDependOnWhereTheSceneIs) {
  RandomShapes random(15);
  int compared = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const PlacedShape a = random.shape(type_a), b = random.shape(type_b);
    const Quat turn = random.rotation();
    const Vec3 shift = random.vector(10.0f);
    const auto moved = [&](const PlacedShape& s) {
      return PlacedShape{s.size, rotate(turn, s.position) + shift, turn * s.orientation};
    };
    const Manifold m = collide(type_a, a, type_b, b, 0.02f), w = collide(type_a, moved(a), type_b, moved(b), 0.02f);
    if (m.count == 0 || w.count == 0) continue;
    ++compared;
    // Where two axes tie, round-off may choose the other one: 5 mm for boxes.
    ASSERT_NEAR(oracle::deepest(m), oracle::deepest(w), boxes || box_capsule ? 5.1e-3f : 2e-5f) << "trial " << trial;
  }
  EXPECT_GT(compared, 200);
}

TEST_P(ShapePairs, MovedApartByItsDepthThePairTouches) {
  RandomShapes random(16);
  for (int trial = 0; trial < 2000; ++trial) {
    const PlacedShape a = random.shape(type_a);
    PlacedShape b = random.shape(type_b);
    const Manifold m = collide(type_a, a, type_b, b, 0.0f);
    if (m.count == 0) continue;
    b.position = b.position - oracle::deepest(m) * m.normal;
    const Manifold after = collide(type_a, a, type_b, b, 0.01f);
    // A capsule over a rim is parted along the face normal: what hangs down beyond the rim may still touch its side.
    if (box_capsule && m.points[0].feature != 2u) continue;
    ASSERT_GT(after.count, 0) << "trial " << trial;
    ASSERT_NEAR(oracle::deepest(after), 0.0f, boxes || box_capsule ? 5.1e-3f : 2e-5f) << "trial " << trial;
  }
}

TEST_P(ShapePairs, FurtherApartNeverLies) {
  RandomShapes random(17);
  int rejected = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const PlacedShape a = random.shape(type_a, 1.6f), b = random.shape(type_b, 1.6f);
    const float reach = random.uniform(0.0f, 0.3f);
    const bool apart = further_apart_than(type_a, a, type_b, b, reach);
    ASSERT_EQ(apart, further_apart_than(type_b, b, type_a, a, reach));
    if (!apart) continue;
    ++rejected;
    ASSERT_EQ(collide(type_a, a, type_b, b, reach).count, 0) << "trial " << trial;
    if (trial % 40 == 0) {
      ASSERT_GT(separation(oracle::solid(type_a, a), oracle::solid(type_b, b)), double(reach) - 1e-3);
    }
  }
  EXPECT_GT(rejected, 1000);
}

TEST_P(ShapePairs, EveryResultIsFiniteForDegenerateInput) {
  const Vec3 places[] = {{0, 0, 0},    {1e-30f, 0, 0}, {1e-8f, 1e-8f, 0}, {0.5f, 0, 0},       {0.5f, 0.5f, 0.5f},
                         {0, 1.0f, 0}, {0, 0, -0.5f},  {1e6f, 0, 0},      {1e20f, -1e20f, 0}, {3e38f, 3e38f, -3e38f}};
  const Quat turns[] = {kIdentity, {1, 0, 0, 0}, {0.70710678f, 0, 0, 0.70710678f}, {0, 0, 0.38268343f, 0.92387953f}};
  const auto sizes = [](ShapeType type) -> std::vector<Vec3> {
    switch (type) {
      case ShapeType::sphere:
        return {{0.5f, 0, 0}, {1e-4f, 0, 0}, {1e4f, 0, 0}};
      case ShapeType::box:
        return {{0.5f, 0.5f, 0.5f}, {0.005f, 0.005f, 0.005f}, {100.0f, 0.001f, 1.0f}};
      case ShapeType::capsule:
        return {{0.5f, 0, 0}, {0.5f, 0.5f, 0}, {0.001f, 50.0f, 0}};
      default:
        return {{0, 1, 0}, {1, 0, 0}};
    }
  };
  for (const Vec3 size_a : sizes(type_a))
    for (const Vec3 size_b : sizes(type_b))
      for (const Vec3 place : places)
        for (const Quat turn_a : turns)
          for (const Quat turn_b : turns) {
            const PlacedShape a{size_a, place, turn_a}, b{size_b, {0, 0, 0}, turn_b};
            const Manifold m = collide(type_a, a, type_b, b, 0.02f);
            ASSERT_TRUE(finite(m)) << "at " << place.x << " " << place.y << " " << place.z;
            if (m.count > 0) {
              ASSERT_NEAR(length(m.normal), 1.0f, 1e-5f);
            }
            if (length(place) < 1e-6f) {
              ASSERT_GT(m.count, 0) << "concentric shapes touch";
            }
          }
}

std::string name_of(const testing::TestParamInfo<Pair>& info) {
  const char* names[] = {"Sphere", "Box", "Capsule", "Plane"};
  return std::string(names[int(info.param.a)]) + names[int(info.param.b)];
}
INSTANTIATE_TEST_SUITE_P(
    All, ShapePairs,
    testing::Values(Pair{ShapeType::sphere, ShapeType::sphere}, Pair{ShapeType::sphere, ShapeType::box},
                    Pair{ShapeType::sphere, ShapeType::capsule}, Pair{ShapeType::sphere, ShapeType::plane},
                    Pair{ShapeType::box, ShapeType::box}, Pair{ShapeType::box, ShapeType::capsule},
                    Pair{ShapeType::box, ShapeType::plane}, Pair{ShapeType::capsule, ShapeType::capsule},
                    Pair{ShapeType::capsule, ShapeType::plane}),
    name_of);

TEST(ShapePairsTable, ClassesAreSymmetricAndDistinct) {
  std::vector<int> seen;
  for (const ShapeType a : oracle::kTypes)
    for (const ShapeType b : oracle::kTypes) {
      EXPECT_EQ(pair_class(a, b), pair_class(b, a));
      if (a <= b) seen.push_back(pair_class(a, b));
    }
  const std::vector<int> expected{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(pair_class(ShapeType::capsule, ShapeType::box), kPairBoxCapsule);
  EXPECT_EQ(pair_class(ShapeType::plane, ShapeType::plane), kPairClassCount);
}

TEST(ShapePairsTable, PlanesNeverTouch) {
  const PlacedShape a{{0, 1, 0}, {0, 0, 0}, kIdentity};
  EXPECT_EQ(collide(ShapeType::plane, a, ShapeType::plane, a, 1.0f).count, 0);
  EXPECT_TRUE(further_apart_than(ShapeType::plane, a, ShapeType::plane, a, 1.0f));
}

}  // namespace
}  // namespace talus
