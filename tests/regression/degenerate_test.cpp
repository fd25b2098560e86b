// SPDX-License-Identifier: MIT
// Small scenes at the edge of what a contact solver likes: coincident centres, extreme ratios, far from the origin.
#include <vector>

#include "analytic/rig.h"

namespace talus::test {
namespace {

class Degenerate : public BackendTest {};
TALUS_INSTANTIATE_ON_BACKENDS(Degenerate);

bool is_finite(const BodyMotion& m) {
  const float sum = m.pose.position.x + m.pose.position.y + m.pose.position.z + m.pose.orientation.w +
                    m.linear_velocity.x + m.linear_velocity.y + m.linear_velocity.z + m.angular_velocity.x +
                    m.angular_velocity.y + m.angular_velocity.z;
  return std::isfinite(sum);
}

TEST_P(Degenerate, BodiesInTheSamePlaceComeApart) {
  const ShapeDef shapes[] = {sphere(0.5f), box({0.5f, 0.5f, 0.5f}), capsule(0.3f, 0.3f)};
  for (const ShapeDef& a : shapes) {
    for (const ShapeDef& b : shapes) {
      World world(weightless());
      const BodyId ids[] = {world.add_body({.shape = a}), world.add_body({.shape = b})};
      const StepReport report = world.step_n(60, kStep);
      EXPECT_TRUE(report) << report.message();
      for (const BodyId id : ids) ASSERT_TRUE(is_finite(world.motion(id)));
      EXPECT_GT(length(vec(world.position(ids[0])) - vec(world.position(ids[1]))), 0.3)
          << "shapes " << int(a.type) << " and " << int(b.type);
      EXPECT_LT(length(vec(world.linear_velocity(ids[0]))), 0.2);  // pushed, not shot
    }
  }
}

/// Chains of ball joints that share a batch with longer ones: what was before their first joint was not cleared.
TEST_P(Degenerate, BallJointsOfChainsOfAnyLengthsHold) {
  for (const int chains : {2, 9, 17, 33}) {
    World world(weightless());
    std::vector<BodyId> bodies;
    for (int chain = 0; chain < chains; ++chain) {
      for (int link = 0; link <= 1 + chain % 3; ++link) {
        const Vec3 at{2.0f * float(chain), float(link), 0.0f};
        bodies.push_back(world.add_body({.shape = sphere(0.2f), .mass = 1.0f, .position = at}));
        if (link == 0) continue;
        world.add_joint(ball_joint(bodies[bodies.size() - 2], bodies.back(), {at.x, at.y - 0.5f, 0.0f}));
      }
    }
    const StepReport report = world.step_n(3, kStep);
    EXPECT_TRUE(report) << chains << " chains: " << report.message();
    for (const BodyId body : bodies) EXPECT_EQ(length(vec(world.linear_velocity(body))), 0.0) << chains << " chains";
  }
}

/// What slides on a large floor is not stopped there: an axis along which it is just not too deep hid the one that
/// tells.
TEST_P(Degenerate, AThinPlateThatLeansAHairSlidesOn) {
  World world(def());
  world.add_body({.shape = box({250.0f, 1.0f, 250.0f}),
                  .motion = Motion::fixed,
                  .position = {0.0f, -1.0f, 0.0f},
                  .material = {.friction = 0.0f}});
  BodyDef plate{.shape = box({0.06249f, 0.01394f, 0.1136f}), .mass = 5.0f, .position = {0.0f, 0.0139f, 0.0f}};
  plate.linear_velocity = {-2.2f, 0.0f, 7.4f};
  plate.material.friction = 0.0f;
  for (const float lean : {-9e-6f, -5e-6f, 2e-6f, 7e-6f, 9e-6f, 1.1e-5f, 1.3e-5f, 2e-5f}) {
    plate.orientation = {lean, 0.0f, -0.5f * lean, 1.0f};
    const BodyId body = world.add_body(plate);
    world.step(kStep);
    EXPECT_NEAR(world.position(body).z, 7.4 / 60.0, 1e-4) << "leaning by " << 2.0f * lean << " rad";
    world.remove_body(body);
  }
}

TEST_P(Degenerate, AHeavyBoxOnALightOneStaysUp) {
  World world(def());
  world.add_body({.shape = plane({0.0f, 1.0f, 0.0f})});
  const BodyId light =
      world.add_body({.shape = box({0.5f, 0.5f, 0.5f}), .mass = 10.0f, .position = {0.0f, 0.5f, 0.0f}});
  const BodyId heavy =
      world.add_body({.shape = box({0.5f, 0.5f, 0.5f}), .mass = 500.0f, .position = {0.0f, 1.5f, 0.0f}});
  world.step_n(cpu_or_cuda(300, 30), kStep);
  EXPECT_NEAR(world.position(light).y, 0.5, 0.001);
  EXPECT_NEAR(world.position(heavy).y, 1.5, 0.001);
}

TEST_P(Degenerate, BodiesFarInsideEachOtherAreToldOf) {
  const auto status_of = [&](Vec3 at) {
    World world(weightless());
    world.add_body({.shape = box({1.0f, 0.1f, 1.0f}), .motion = Motion::fixed});
    world.add_body({.shape = sphere(0.3f), .position = at});
    return world.step(kStep).status;
  };
  EXPECT_FALSE(has(status_of({0.0f, 0.31f, 0.0f}), StepStatus::deep_penetration));  // 0.09 m of 0.2 m
  EXPECT_TRUE(has(status_of({0.0f, 0.29f, 0.0f}), StepStatus::deep_penetration));   // 0.11 m
}

// A stack in the air has nothing to press on: it falls as one body does.
TEST_P(Degenerate, AHeavyBoxOnLightOnesFallsFreely) {
  World world(def());
  std::vector<BodyId> ids;
  for (int i = 0; i < 4; ++i) {
    ids.push_back(world.add_body(
        {.shape = box({0.5f, 0.5f, 0.5f}), .mass = i == 3 ? 1e4f : 10.0f, .position = {0.0f, float(i), 0.0f}}));
  }
  world.step_n(30, kStep);
  for (const BodyId id : ids) EXPECT_NEAR(world.linear_velocity(id).y, -0.5 * 9.81, 1e-4);
}

// Bodies of many times the mass change no bit of what they do not stand on.
TEST_P(Degenerate, HeavyBodiesElsewhereChangeNoBit) {
  const auto tower = [&](bool beside_heavy) {
    World world(def());
    world.add_body({.shape = plane({0.0f, 1.0f, 0.0f})});
    std::vector<BodyId> ids;
    for (int i = 0; i < 5; ++i) {
      ids.push_back(world.add_body({.shape = box({0.5f, 0.5f, 0.5f}),
                                    .mass = 10.0f,
                                    .position = {0.01f * float(i % 2), 0.6f + float(i), 0.0f}}));
    }
    if (beside_heavy) {
      world.add_body({.shape = box({0.5f, 0.5f, 0.5f}), .mass = 10.0f, .position = {50.0f, 0.5f, 0.0f}});
      world.add_body({.shape = box({0.5f, 0.5f, 0.5f}), .mass = 1e5f, .position = {50.0f, 1.5f, 0.0f}});
    }
    world.step_n(60, kStep);
    std::vector<float> heights;
    for (const BodyId id : ids) heights.push_back(world.position(id).y);
    return heights;
  };
  EXPECT_EQ(tower(false), tower(true));
}

TEST_P(Degenerate, AStackFarFromTheOriginStands) {
  World world(def());
  const Vec3 far{4000.0f, 0.0f, -3000.0f};
  world.add_body({.shape = plane({0.0f, 1.0f, 0.0f})});
  std::vector<BodyId> ids;
  for (int i = 0; i < 5; ++i) {
    ids.push_back(world.add_body({.shape = box({0.5f, 0.5f, 0.5f}), .position = {far.x, 0.5f + float(i), far.z}}));
  }
  world.step_n(cpu_or_cuda(300, 30), kStep);
  for (int i = 0; i < 5; ++i) {
    const Vec3 p = world.position(ids[std::size_t(i)]);
    EXPECT_NEAR(p.y, 0.5 + i, 0.01);
    EXPECT_NEAR(p.x, far.x, 0.01);
    EXPECT_NEAR(p.z, far.z, 0.01);
  }
}

TEST_P(Degenerate, SmallAndLargeBodiesRest) {
  for (const float size : {0.02f, 20.0f}) {
    World world(def());
    world.add_body({.shape = plane({0.0f, 1.0f, 0.0f})});
    const BodyId cube = world.add_body({.shape = box({size, size, size}), .position = {0.0f, 1.05f * size, 0.0f}});
    const BodyId ball = world.add_body({.shape = sphere(size), .position = {3.0f * size, 1.05f * size, 0.0f}});
    world.step_n(cpu_or_cuda(180, 40), kStep);
    EXPECT_NEAR(world.position(cube).y / size, 1.0, 0.02);
    EXPECT_NEAR(world.position(ball).y / size, 1.0, 0.02);
    EXPECT_LT(length(vec(world.linear_velocity(cube))), 0.01);
  }
}

TEST_P(Degenerate, ASphereStandsOnAnEdgeAndACapsuleOnItsEnd) {
  World world(def());
  world.add_body({.shape = box({1.0f, 0.5f, 1.0f}), .motion = Motion::fixed, .position = {-1.0f, -0.5f, 0.0f}});
  world.add_body({.shape = plane({0.0f, 1.0f, 0.0f}), .position = {0.0f, -20.0f, 0.0f}});
  const BodyId ball = world.add_body({.shape = sphere(0.5f), .position = {0.0f, 0.5f, 0.0f}});
  const BodyId capsule_id = world.add_body({.shape = capsule(0.3f, 0.5f), .position = {-1.0f, 0.8f, 0.0f}});
  world.step_n(20, kStep);
  EXPECT_NEAR(world.position(ball).y, 0.5, 0.01);
  EXPECT_NEAR(world.position(capsule_id).y, 0.8, 0.01);
}

TEST_P(Degenerate, ABodyLostToInfinityDoesNotHurtTheOthers) {
  World world(def());
  world.add_body({.shape = plane({0.0f, 1.0f, 0.0f})});
  const BodyId good = world.add_body({.shape = box({0.5f, 0.5f, 0.5f}), .position = {0.0f, 0.5f, 0.0f}});
  const BodyId lost = world.add_body({.shape = sphere(0.5f), .position = {5.0f, 0.5f, 0.0f}});
  world.step(kStep);
  world.apply_force(lost, {3e38f, 3e38f, 0.0f});
  const StepReport report = world.step(kStep);
  EXPECT_TRUE(has(report.status, StepStatus::not_finite));
  EXPECT_EQ(report.first_bad_body, lost);
  EXPECT_TRUE(is_finite(world.motion(lost)));
  world.step_n(30, kStep);
  EXPECT_NEAR(world.position(good).y, 0.5, 0.01);
  EXPECT_TRUE(is_finite(world.motion(good)));
}

TEST_P(Degenerate, LongAndShortStepsStaySane) {
  for (const float dt : {1e-4f, 0.1f}) {
    World world(def());
    world.add_body({.shape = plane({0.0f, 1.0f, 0.0f})});
    const BodyId cube = world.add_body({.shape = box({0.5f, 0.5f, 0.5f}), .position = {0.0f, 0.5f, 0.0f}});
    world.step_n(60, dt);
    EXPECT_NEAR(world.position(cube).y, 0.5, 0.02) << "dt " << dt;
  }
}

TEST_P(Degenerate, AnEmptyWorldSteps) {
  World world(def());
  const StepReport report = world.step_n(3, kStep);
  EXPECT_TRUE(report);
  EXPECT_EQ(report.step, 3u);
  EXPECT_EQ(report.body_count, 0);
}

}  // namespace
}  // namespace talus::test
