// SPDX-License-Identifier: MIT
// Impacts: Newton's restitution, his cradle, momentum of two bodies, energy in a closed box.
#include <algorithm>
#include <vector>

#include "analytic/rig.h"

namespace talus::test {
namespace {

class Impact : public BackendTest {};
TALUS_INSTANTIATE_ON_BACKENDS(Impact);

Material bouncing(float restitution, float friction = 0.0f) {
  return {.friction = friction, .restitution = restitution};
}

TEST_P(Impact, BounceReachesTheSquareOfRestitutionTimesTheHeight) {
  constexpr float radius = 0.25f, dt = 1.0f / 240.0f;
  for (const float e : {0.0f, 0.5f, 1.0f}) {
    SCOPED_TRACE("restitution " + std::to_string(e));
    World world(def());
    world.add_body({.shape = plane({0.0f, 1.0f, 0.0f})});
    const BodyId ball =
        world.add_body({.shape = sphere(radius), .position = {0.0f, 1.0f + radius, 0.0f}, .material = bouncing(e)});
    double apex = 0;
    for (int step = 0; step < 240; ++step) {
      world.step(dt);
      // It lands after 0.45 s; the apex of a full bounce comes at 0.9 s.
      if (step >= 115) apex = std::max(apex, double(world.position(ball).y - radius));
    }
    EXPECT_NEAR(apex, double(e) * double(e), 0.03);
  }
}

TEST_P(Impact, SlowApproachDoesNotBounce) {
  World world(weightless());
  world.add_body({.shape = plane({0.0f, 1.0f, 0.0f})});
  const BodyId ball = world.add_body({.shape = sphere(0.5f),
                                      .position = {0.0f, 0.51f, 0.0f},
                                      .linear_velocity = {0.0f, -0.9f, 0.0f},
                                      .material = bouncing(1.0f)});
  world.step_n(10, kStep);
  EXPECT_NEAR(world.linear_velocity(ball).y, 0.0, 1e-4);
}

TEST_P(Impact, CradleOfThreeFollowsNewtonsLaw) {
  World world(weightless());
  BodyId balls[3];
  for (int i = 0; i < 3; ++i) {
    balls[i] = world.add_body({.shape = sphere(0.5f),
                               .position = {float(i), 0.0f, 0.0f},
                               .linear_velocity = {i == 0 ? 3.0f : 0.0f, 0.0f, 0.0f},
                               .material = bouncing(1.0f)});
  }
  world.step_n(5, kStep);
  EXPECT_NEAR(world.linear_velocity(balls[0]).x / 3.0f, -1.0 / 3, 1e-3);
  EXPECT_NEAR(world.linear_velocity(balls[1]).x / 3.0f, 2.0 / 3, 1e-3);
  EXPECT_NEAR(world.linear_velocity(balls[2]).x / 3.0f, 2.0 / 3, 1e-3);
}

TEST_P(Impact, EqualSpheresExchangeTheirVelocities) {
  World world(weightless());
  const BodyId a =
      world.add_body({.shape = sphere(0.5f), .linear_velocity = {4.0f, 0.0f, 0.0f}, .material = bouncing(1.0f)});
  const BodyId b = world.add_body({.shape = sphere(0.5f), .position = {2.0f, 0.0f, 0.0f}, .material = bouncing(1.0f)});
  world.step_n(30, kStep);
  EXPECT_NEAR(world.linear_velocity(a).x, 0.0, 1e-3);
  EXPECT_NEAR(world.linear_velocity(b).x, 4.0, 1e-3);
}

struct Collision {
  const char* name;
  ShapeDef a, b;
};

TEST_P(Impact, TwoFreeBodiesKeepTheirMomentum) {
  const Collision collisions[] = {{"spheres", sphere(0.5f), sphere(0.3f)},
                                  {"boxes", box({0.5f, 0.4f, 0.3f}), box({0.3f, 0.3f, 0.6f})},
                                  {"capsule and box", capsule(0.2f, 0.5f), box({0.3f, 0.3f, 0.6f})},
                                  {"sphere and box", sphere(0.4f), box({0.5f, 0.5f, 0.5f})}};
  for (const Collision& c : collisions) {
    for (const float e : {0.0f, 0.5f, 1.0f}) {
      for (const float offset : {0.0f, 0.15f, 0.3f}) {
        SCOPED_TRACE(std::string(c.name) + ", restitution " + std::to_string(e) + ", offset " + std::to_string(offset));
        const BodyDef a{.shape = c.a,
                        .position = {-1.5f, 0.0f, 0.0f},
                        .linear_velocity = {6.0f, 0.0f, 0.0f},
                        .angular_velocity = {0.0f, 1.0f, 0.5f},
                        .material = bouncing(e, 0.4f)};
        const BodyDef b{.shape = c.b,
                        .position = {1.5f, offset, 0.1f},
                        .orientation = turn({0.0f, 0.6f, 0.8f}, 0.7),
                        .linear_velocity = {-2.0f, 0.0f, 0.0f},
                        .material = bouncing(e, 0.4f)};
        World world(weightless());
        const BodyId ids[2] = {world.add_body(a), world.add_body(b)};
        const Mechanics before = world.mechanics();
        double impulse = 0;
        for (int step = 0; step < 40; ++step) {
          world.step(kStep);
          impulse = std::max(impulse, std::fabs(double(world.linear_velocity(ids[0]).x) - 6.0));
        }
        ASSERT_GT(impulse, 0.1) << "they did not meet";
        const Mechanics after = world.mechanics();
        const double scale = scenes::mass(a) * 6.0 + scenes::mass(b) * 2.0;
        for (int axis = 0; axis < 3; ++axis) {
          EXPECT_NEAR(after.momentum[axis], before.momentum[axis], 1e-5 * scale);
          // Within a step the arms of an impulse stay while the bodies move on: a part of a step's way, not more.
          EXPECT_NEAR(after.angular_momentum[axis], before.angular_momentum[axis], 0.05 * scale);
        }
        EXPECT_LE(after.kinetic_energy, before.kinetic_energy * 1.0005);
      }
    }
  }
}

TEST_P(Impact, BallInAClosedBoxKeepsItsEnergy) {
  World world(weightless());
  const Vec3 half{5.0f, 4.0f, 3.0f};
  const Vec3 normals[] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  for (const Vec3 n : normals) {
    world.add_body({.shape = plane(n), .position = {-n.x * half.x, -n.y * half.y, -n.z * half.z}});
  }
  const BodyDef ball{.shape = sphere(0.5f),
                     .position = {0.3f, -0.2f, 0.1f},
                     .linear_velocity = {5.0f, -4.0f, 3.0f},
                     .material = bouncing(1.0f)};
  const BodyId id = world.add_body(ball);
  const double start = dot(vec(ball.linear_velocity), vec(ball.linear_velocity));
  double worst = 0;
  for (int step = 0; step < cpu_or_cuda(6000, 120); ++step) {
    world.step(kStep);
    const Vecd v = vec(world.linear_velocity(id));
    worst = std::max(worst, std::fabs(dot(v, v) / start - 1));
  }
  EXPECT_LT(worst, 1e-3);
  const Vec3 p = world.position(id);
  EXPECT_LT(std::fabs(p.x), half.x - 0.5f + 0.01f);
  EXPECT_LT(std::fabs(p.y), half.y - 0.5f + 0.01f);
  EXPECT_LT(std::fabs(p.z), half.z - 0.5f + 0.01f);
}

}  // namespace
}  // namespace talus::test
