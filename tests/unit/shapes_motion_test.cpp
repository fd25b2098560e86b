// SPDX-License-Identifier: MIT
// Contacts of what slides over a floor of boxes: the floor bears it, and its seams do not stop it.
#include "pair_motion.h"

#include <gtest/gtest.h>

#include <cmath>

#include "shapes/collide.h"
#include "support/shape_oracles.h"

namespace talus {
namespace {

using oracle::RandomShapes;

constexpr float kDt = 1.0f / 60;
constexpr float kReach = 0.6f;  // [m]
const Quat kUpright{0.0f, 0.0f, 0.0f, 1.0f};

/// A body on the plane y = 0 beside a box whose top is at a height.
struct Slide {
  ShapeType type;
  PlacedShape body, tile;
  PairMotion motion;
};
Slide random_slide(RandomShapes& shapes, ShapeType type, float top) {
  Slide s;
  s.type = type;
  const float turn = shapes.uniform(0.0f, 3.0f);
  s.body = shapes.shape(type, 0.0f);
  s.body.orientation = type == ShapeType::capsule ? Quat{std::sqrt(0.5f), 0.0f, 0.0f, std::sqrt(0.5f)}
                                                  : Quat{0.0f, std::sin(turn), 0.0f, std::cos(turn)};
  const float height = type == ShapeType::box ? s.body.size.y : s.body.size.x, ahead = length(s.body.size);
  s.tile = {{1.0f, 0.5f, 4.0f}, {0.0f, top - 0.5f, 0.0f}, kUpright};
  const float sunk = shapes.uniform(0.0f, 1e-4f);
  s.body.position = {-1.0f - shapes.uniform(-0.2f, 1.0f) * ahead, height - sunk, shapes.uniform(-0.5f, 0.5f)};
  PairMotion& m = s.motion;
  m = {};
  m.velocity = {-shapes.uniform(0.01f, 30.0f), 0.0f, shapes.uniform(-1.0f, 1.0f)};  // of the tile against the body
  m.dt = 1.25f * kDt;
  m.sunk = 2e-4f;
  m.overlap = 0.01f * 2.0f * std::min(min_half_thickness(type, s.body.size), 0.5f) + m.sunk;
  m.slow = 1e-4f;
  m.has_bearer = m.b_bears = true;
  return s;
}
Manifold contact_of(const Slide& s) {
  const BoxAxes axes = s.type == ShapeType::box ? best_axes(s.body, s.tile) : BoxAxes{};
  const Manifold nearest = collide(s.type, s.body, ShapeType::box, s.tile, axes, kReach);
  if (nearest.count == 0) return nearest;
  return bear(s.type, s.body, ShapeType::box, s.tile, nearest, kReach, [&] { return s.motion; });
}

class Seams : public testing::TestWithParam<ShapeType> {};

TEST_P(Seams, TheNextTileBearsOrDoesNothing) {
  RandomShapes shapes(1);
  int borne = 0;
  for (int i = 0; i < 1000; ++i) {
    const Manifold m = contact_of(random_slide(shapes, GetParam(), 0.0f));
    borne += m.count > 0 ? 1 : 0;
    EXPECT_TRUE(m.count == 0 || m.normal.y < -0.9999f) << "slide " << i;
  }
  EXPECT_GT(borne, 50);
  EXPECT_LT(borne, 950);
}

TEST_P(Seams, AStepStopsWhatRunsIntoIt) {
  RandomShapes shapes(2);
  for (int i = 0; i < 1000; ++i) {
    Slide s = random_slide(shapes, GetParam(), 0.0f);
    s.tile.position.y += s.motion.overlap + 0.02f;
    s.body.position.x = std::min(s.body.position.x, -1.0f - length(s.body.size));
    s.motion.velocity.x -= 5.0f;
    s.motion.has_bearer = false;
    const Manifold with_motion = contact_of(s);
    const BoxAxes axes = s.type == ShapeType::box ? best_axes(s.body, s.tile) : BoxAxes{};
    const Manifold without = collide(s.type, s.body, ShapeType::box, s.tile, axes, kReach);
    ASSERT_EQ(with_motion.count, without.count) << "slide " << i;
    EXPECT_EQ(with_motion.normal.x, without.normal.x) << "slide " << i;
  }
}

TEST_P(Seams, TheOrderOfThePairDoesNotMatter) {
  RandomShapes shapes(3);
  for (int i = 0; i < 1000; ++i) {
    const Slide s = random_slide(shapes, GetParam(), 0.0f);
    const Manifold m = contact_of(s);
    const BoxAxes axes = s.type == ShapeType::box ? best_axes(s.tile, s.body) : BoxAxes{};
    Manifold other = collide(ShapeType::box, s.tile, s.type, s.body, axes, kReach);
    if (other.count > 0) {
      other = bear(ShapeType::box, s.tile, s.type, s.body, other, kReach, [&] { return swapped(s.motion); });
    }
    ASSERT_EQ(m.count, other.count) << "slide " << i;
    EXPECT_TRUE(m.count == 0 || std::abs(m.normal.y + other.normal.y) < 1e-6f) << "slide " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Seams, testing::Values(ShapeType::sphere, ShapeType::box, ShapeType::capsule),
                         [](const auto& shape) {
                           return shape.param == ShapeType::sphere ? "sphere"
                                  : shape.param == ShapeType::box  ? "box"
                                                                   : "capsule";
                         });

/// Something round between two boxes stands on their edges, however little it moves.
TEST(Grooves, HoldWhatIsRound) {
  const float radius = 0.5f;
  for (const float half_gap : {0.03f, 0.1f, 0.2f}) {
    const float height = std::sqrt(radius * radius - half_gap * half_gap);
    for (const float off : {-1e-6f, 0.0f, 1e-6f}) {
      const PlacedShape ball{{radius, 0.0f, 0.0f}, {0.0f, height + off, 0.0f}, kUpright};
      const PlacedShape tile{{1.0f, 0.5f, 1.0f}, {-1.0f - half_gap, -0.5f, 0.0f}, kUpright};
      PairMotion m{};
      m.dt = kDt;
      m.sunk = 2e-4f;
      m.overlap = 0.01f + m.sunk;
      m.slow = 1e-4f;
      const Manifold nearest = collide_sphere_box(ball, tile, 0.02f);
      const Manifold contact = bear_sphere_on_box(ball, tile, nearest, 0.02f, [&] { return m; });
      ASSERT_EQ(contact.count, 1);
      EXPECT_NEAR(contact.normal.x, -half_gap / radius, 1e-4f);
    }
  }
}

}  // namespace
}  // namespace talus
