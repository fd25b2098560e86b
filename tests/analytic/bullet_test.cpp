// SPDX-License-Identifier: MIT
// Fast bodies do not pass through thin walls: contacts are made as far ahead as a body gets in a step.
#include <vector>

#include "analytic/rig.h"

namespace talus::test {
namespace {

class Bullet : public BackendTest {};
TALUS_INSTANTIATE_ON_BACKENDS(Bullet);

constexpr float kHalfWall = 0.025f;  // [m]
constexpr float kWidth = 20.0f;      // [m] half of the wall's

/// Bodies fly towards the wall x = 0 from -x, at random angles, each alone: they do not meet each other.
std::vector<BodyDef> shots(int count, float speed, std::uint32_t seed, bool spheres) {
  Random random(seed);
  std::vector<BodyDef> defs;
  for (int i = 0; i < count; ++i) {
    BodyDef d;
    d.shape = spheres ? sphere(0.1f) : i % 2 == 0 ? capsule(0.1f, 0.2f) : box({0.1f, 0.15f, 0.2f});
    const float angle = random.between(0.0f, 60.0f) * float(kDegree), around = random.between(0.0f, 6.28f);
    const Vec3 direction{std::cos(angle), std::sin(angle) * std::cos(around), std::sin(angle) * std::sin(around)};
    const float distance = random.between(0.6f, 9.0f);
    d.position = {-distance * direction.x, -distance * direction.y + random.between(-5.0f, 5.0f),
                  -distance * direction.z + random.between(-5.0f, 5.0f)};
    d.position.x -= 0.4f;
    d.linear_velocity = {speed * direction.x, speed * direction.y, speed * direction.z};
    if (!spheres) {
      d.orientation = random.rotation();
      d.angular_velocity = random.in_box(5.0f);
    }
    d.filter = {.group = 2, .mask = 1};
    defs.push_back(d);
  }
  return defs;
}

/// Steps until all have met the wall; counts those that crossed x = 0 within its area.
int passed(World& world, const std::vector<BodyId>& ids, int steps) {
  std::vector<BodyMotion> before(ids.size()), after(ids.size());
  int count = 0;
  for (int step = 0; step < steps; ++step) {
    world.read_motions(ids, before);
    world.step(kStep);
    world.read_motions(ids, after);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const Vecd a = vec(before[i].pose.position), b = vec(after[i].pose.position);
      if (!(a.x < 0 && b.x >= 0)) continue;
      const Vecd at = a + (-a.x / (b.x - a.x)) * (b - a);
      const bool inside = std::fabs(at.y) < double(kWidth) && std::fabs(at.z) < double(kWidth);
      if (inside) {
        ++count;
        ADD_FAILURE() << "body " << i << " passed at (" << at.y << ", " << at.z << ") in step " << step;
      }
    }
  }
  return count;
}

class Range {
 public:
  Range(const WorldDef& def, bool wall, const std::vector<BodyDef>& defs) : world_(def) {
    if (wall) {
      world_.add_body({.shape = box({kHalfWall, kWidth, kWidth}), .motion = Motion::fixed});
    } else {
      world_.add_body({.shape = plane({-1.0f, 0.0f, 0.0f})});
    }
    ids_ = world_.add_bodies(defs);
  }
  int passed(int steps) { return test::passed(world_, ids_, steps); }

 private:
  World world_;
  std::vector<BodyId> ids_;
};

TEST_P(Bullet, SpheresAt300MetresPerSecondDoNotPassAThinWall) {
  constexpr std::uint32_t seed = 7;
  const std::vector<BodyDef> bullets = shots(cpu_or_cuda(200, 20), 300.0f, seed, true);
  EXPECT_EQ(Range(weightless(), true, bullets).passed(20), 0) << "seed " << seed;
}

TEST_P(Bullet, SpheresAt300MetresPerSecondDoNotPassAPlane) {
  constexpr std::uint32_t seed = 8;
  const std::vector<BodyDef> bullets = shots(cpu_or_cuda(200, 20), 300.0f, seed, true);
  EXPECT_EQ(Range(weightless(), false, bullets).passed(20), 0) << "seed " << seed;
}

TEST_P(Bullet, CapsulesAndBoxesAt30MetresPerSecondDoNotPass) {
  constexpr std::uint32_t seed = 9;
  const std::vector<BodyDef> bullets = shots(cpu_or_cuda(200, 20), 30.0f, seed, false);
  EXPECT_EQ(Range(weightless(), true, bullets).passed(cpu_or_cuda(60, 30)), 0) << "seed " << seed;
  EXPECT_EQ(Range(weightless(), false, bullets).passed(cpu_or_cuda(60, 30)), 0) << "seed " << seed;
}

TEST_P(Bullet, MissesAreNotStopped) {
  World world(weightless());
  world.add_body({.shape = box({kHalfWall, 1.0f, 1.0f}), .motion = Motion::fixed});
  const BodyId id =
      world.add_body({.shape = sphere(0.1f), .position = {-2.5f, 1.5f, 0.0f}, .linear_velocity = {300.0f, 0.0f, 0.0f}});
  world.step_n(3, kStep);
  EXPECT_NEAR(world.position(id).x, 12.5, 1e-2);
}

}  // namespace
}  // namespace talus::test
