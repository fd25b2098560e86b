// SPDX-License-Identifier: MIT
// Shock propagation: the experiments of Erleben 2007 with ten sweeps and five of correction, and what its rule for
// bodies that are held has to allow: lifts, bounces, see-saws and things that get through.
// Displacements at rest are bounded by 0.1 mm: ten times what was measured, a tenth of what ten sweeps without a past
// leave.
#include <cstdio>

#include "analytic/rig.h"
#include "scenes/experiment_scenes.h"
#include "scenes/scene_parts.h"

namespace talus::test {
namespace {

using scenes::body_at;
using scenes::make_scene;
using scenes::RunningScene;

SolverSettings shock() {
  return {.solver = Solver::shock};
}
/// As many sweeps over all contacts, as many of correction, and nothing from the step before.
SolverSettings plain(int sweeps) {
  SolverSettings s{.solver = Solver::rigid, .stabilization = Stabilization::projection, .warm_start = false};
  s.rigid.sweeps = sweeps;
  s.rigid.push_sweeps = sweeps / 2;
  s.rigid.slop = 0.0f;
  return s;
}
WorldDef on_cpu(const SolverSettings& solver) {
  return {.backend = Backend::cpu, .threads = 2, .solver = solver};
}

/// [m] How far the first `count` bodies are from where they began; the largest.
double displacement(RunningScene& running, std::size_t count) {
  const std::vector<BodyMotion> motions = running.motions();
  double most = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double way = length(vec(motions[i].pose.position) - vec(running.scene().bodies[i].position));
    most = way <= most ? most : way;  // NaN stays
  }
  return most;
}
double displacement_after(scenes::Scene scene, const SolverSettings& solver, int steps) {
  RunningScene running(std::move(scene), on_cpu(solver));
  for (int step = 0; step < steps; ++step) EXPECT_TRUE(running.step());
  return displacement(running, running.scene().bodies.size());
}
double penetration(RunningScene& running) {
  return scenes::measure(running.scene(), running.motions()).pen_max;
}

TEST(Shock, AColumnOf25StandsAndFallsWithSweepsOverAllContactsAlone) {
  EXPECT_GT(displacement_after(make_scene("box_stack_25"), plain(10), 400), 1.0);
  EXPECT_GT(displacement_after(make_scene("box_stack_25"), plain(100), 400), 1.0);
  EXPECT_LT(displacement_after(make_scene("box_stack_25"), shock(), 400), 1e-4);
}

TEST(Shock, AWallAndATowerStand) {
  EXPECT_GT(displacement_after(make_scene("wall_200"), plain(10), 400), 1.0);
  EXPECT_LT(displacement_after(make_scene("wall_200"), shock(), 400), 1e-4);
  EXPECT_GT(displacement_after(make_scene("tower_320"), plain(10), 400), 1.0);
  EXPECT_LT(displacement_after(make_scene("tower_320"), shock(), 400), 1e-4);
}

TEST(Shock, AHeavyBoxStandsOnLightOnes) {
  scenes::Scene scene = make_scene("box_stack_25");
  scene.bodies.back().mass = 100'000.0f;
  EXPECT_LT(displacement_after(scene, shock(), 400), 1e-4);
}

// 160 rings: what one of them leaves unsolved must not grow on its way up. If each follows the one below in all it
// does, they move by 0.05 mm in this time, and by 3 mm in twice of it.
TEST(Shock, ATowerOf160RingsStands) {
  const double way = displacement_after(make_scene("tower_3200"), shock(), 100);
  std::printf("tower_3200: moved by %.5f mm\n", 1e3 * way);
  EXPECT_LT(way, 1e-5);
}

/// Largest penetration and largest way of a body, in a minute at 60 steps a second.
struct Minute {
  double deepest = 0, way = 0;  // [m]
};
Minute stand_a_minute(scenes::Scene scene) {
  scene.dt = 1.0f / 60;
  RunningScene running(std::move(scene), on_cpu(shock()));
  Minute minute;
  for (int step = 0; step < 3600; ++step) {
    EXPECT_TRUE(running.step());
    if (step % 60 == 59) minute.deepest = std::max(minute.deepest, penetration(running));
  }
  minute.way = displacement(running, running.scene().bodies.size());
  return minute;
}

// A thousand times heavier: the default solver lets both fall.
TEST(Shock, ABoxOfAThousandMassesStandsOnOneAndOnFortyNine) {
  for (const int count : {2, 50}) {
    scenes::Scene scene = make_scene("box_stack_" + std::to_string(count));
    scene.bodies.back().mass = 1e6f;
    const Minute minute = stand_a_minute(scene);
    std::printf("%d boxes: %.4f mm deep, moved by %.4f mm\n", count, 1e3 * minute.deepest, 1e3 * minute.way);
    EXPECT_LT(minute.deepest, 1e-5) << count;
    EXPECT_LT(minute.way, 1e-4) << count;
  }
}

// Turned and shifted, boxes bear at points that are no mirror images of each other: what sweeps leave unsolved would go
// one way, step after step.
TEST(Shock, AHeavyBoxDoesNotDriftOnBoxesThatLieAskew) {
  scenes::Scene scene = make_scene("box_stack_50");
  scene.bodies.back().mass = 1e6f;
  Random random(7);
  for (BodyDef& body : scene.bodies) {
    body.position.x = random.between(-0.01f, 0.01f);
    body.position.z = random.between(-0.01f, 0.01f);
    body.orientation = scenes::turn_about({0, 1, 0}, random.between(-0.1f, 0.1f));
  }
  const Minute minute = stand_a_minute(scene);
  std::printf("askew: %.4f mm deep, moved by %.4f mm\n", 1e3 * minute.deepest, 1e3 * minute.way);
  EXPECT_LT(minute.deepest, 1e-5);
  EXPECT_LT(minute.way, 1e-3);
}

TEST(Shock, ARoofBouncesOffATowerThatStaysAndABallGetsThroughIt) {
  RunningScene running(make_scene("tower_roof_800"), on_cpu(shock()));
  const std::size_t roof = 800, ball = 801;
  double arrives = 0, leaves = 0;
  for (int step = 0; step < 240; ++step) {
    ASSERT_TRUE(running.step());
    const double speed = running.world().linear_velocity(running.bodies()[roof]).y;
    arrives = std::min(arrives, speed);
    leaves = std::max(leaves, speed);
  }
  EXPECT_LT(arrives, -4.3);
  EXPECT_GT(leaves, 0.7);
  EXPECT_LT(leaves, 0.2 * -arrives + 0.02);
  EXPECT_LT(displacement(running, 800), 1e-4);
  EXPECT_LT(penetration(running), 1e-4);
  double fastest = 0;
  for (int step = 240; step < 330; ++step) {
    ASSERT_TRUE(running.step());
    for (const BodyMotion& motion : running.motions()) {
      fastest = std::max(fastest, length(vec(motion.linear_velocity)));
    }
  }
  EXPECT_LT(fastest, 61.0);  // nothing is faster than the ball was
  EXPECT_GT(running.world().linear_velocity(running.bodies()[ball]).x, 15.0f);
  EXPECT_GT(displacement(running, 800), 5.0);  // of what it hit
  EXPECT_EQ(scenes::measure(running.scene(), running.motions()).escaped, 0);
}

TEST(Shock, ASiloIsFilledWithLittlePenetration) {
  RunningScene running(make_scene("silo_3000"), on_cpu(shock()));
  for (int step = 0; step < 400; ++step) ASSERT_TRUE(running.step());
  const scenes::Metrics m = scenes::measure(running.scene(), running.motions());
  std::printf("silo_3000: penetration %.2f mm mean, %.1f mm largest, fastest %.2f m/s\n", 1e3 * m.pen_mean,
              1e3 * m.pen_max, m.vmax);
  EXPECT_EQ(m.escaped, 0);
  EXPECT_LT(m.pen_max, 0.012);  // measured: 4.1 mm
  EXPECT_LT(m.pen_mean, 2e-4);  // 0.058 mm
}

// ---- small ones, on every backend ----------------------------------------------------------------------------------

class ShockPropagation : public BackendTest {};

TEST_P(ShockPropagation, BallsThatOverlapDeeplyComeApartWithinSixSteps) {
  WorldDef layered = def(shock()), at_once = def(plain(10));
  layered.solver.max_push_speed = at_once.solver.max_push_speed = 100.0f;  // else they come apart at that speed
  RunningScene with(make_scene("ball_grid_125"), layered), without(make_scene("ball_grid_125"), at_once);
  for (int step = 0; step < 6; ++step) {
    ASSERT_TRUE(with.step());
    ASSERT_TRUE(without.step());
  }
  EXPECT_LT(penetration(with), 1e-3);
  EXPECT_GT(penetration(without), 0.02);
  for (const BodyMotion& motion : with.motions()) EXPECT_EQ(length(vec(motion.linear_velocity)), 0);
}

scenes::Scene boxes_on(const BodyDef& base, int count) {
  scenes::Scene scene;
  scene.dt = 0.01f;
  scene.statics.push_back(base);
  for (int i = 0; i < count; ++i) scene.bodies.push_back(body_at(box({0.5f, 0.5f, 0.5f}), {0, 0.5 + i, 0}));
  return scene;
}

TEST_P(ShockPropagation, BoxesRideOnAFloorThatRises) {
  BodyDef floor = scenes::static_box({0, -1, 0}, {10, 1, 10});
  floor.motion = Motion::kinematic;
  floor.linear_velocity = {0.0f, 1.0f, 0.0f};
  RunningScene running(boxes_on(floor, 5), def(shock()));
  for (int step = 0; step < 100; ++step) {
    ASSERT_TRUE(running.step());
    if (step < 50) continue;
    // Two roundings of a position, at 4 m and more, in a step of 0.01 s.
    for (const BodyMotion& motion : running.motions()) EXPECT_NEAR(motion.linear_velocity.y, 1.0f, 1e-4f) << step;
  }
  EXPECT_LT(penetration(running), 1e-5);
  EXPECT_NEAR(running.motions()[0].pose.position.y - 1.0f, 0.5f, 1e-4f);
}

TEST_P(ShockPropagation, BoxesTurnWithATableThatTurns) {
  BodyDef table = scenes::static_box({0, -1, 0}, {10, 1, 10});
  table.motion = Motion::kinematic;
  table.angular_velocity = {0.0f, 1.0f, 0.0f};
  scenes::Scene scene = boxes_on(table, 4);
  RunningScene running(scene, def(shock()));
  for (int step = 0; step < 100; ++step) ASSERT_TRUE(running.step());
  for (const BodyMotion& motion : running.motions()) EXPECT_NEAR(motion.angular_velocity.y, 1.0f, 1e-3f);
}

constexpr double kSeeSawArm = 1.5, kSeeSawRise = 0.5;  // [m] from the edge to the middle of a weight
constexpr double kLight = 216, kHeavy = 1080;          // [kg]
constexpr double kPlank = 800, kPlankRise = 0.1;       // [kg, m]

/// [m] How far the heavier weight sinks in 30 steps of 0.01 s, if all turns about the edge as one body.
double see_saw_sinks() {
  const double inertia = kPlank * ((4 * 4 + 0.2 * 0.2) / 12 + kPlankRise * kPlankRise) +
                         (kLight + kHeavy) * (kSeeSawArm * kSeeSawArm + kSeeSawRise * kSeeSawRise + 0.6 * 0.6 / 6);
  double angle = 0, speed = 0;
  for (int step = 0; step < 30; ++step) {
    const double torque = kGravity * ((kHeavy - kLight) * kSeeSawArm * std::cos(angle) +
                                      ((kHeavy + kLight) * kSeeSawRise + kPlank * kPlankRise) * std::sin(angle));
    speed += 0.01 * torque / inertia;
    angle += 0.01 * speed;
  }
  return kSeeSawArm * std::sin(angle) + kSeeSawRise * (1 - std::cos(angle));
}

/// The plank feels the weights on it through the part of the forces that acts on all contacts.
TEST_P(ShockPropagation, ASeeSawTipsAsFastAsBodiesFeelWhatRestsOnThem) {
  const auto sinks = [&](float weight, int steps) {
    scenes::Scene scene;
    scene.dt = 0.01f;
    scene.statics.push_back(scenes::static_box({0, -1, 0}, {10, 1, 10}));
    BodyDef edge = scenes::static_box({0, 0, 0}, {0.35355339, 0.35355339, 0.5});
    edge.orientation = scenes::turn_about({0, 0, 1}, kPi / 4);
    scene.statics.push_back(edge);
    scene.bodies.push_back(body_at(box({2.0f, 0.1f, 0.5f}), {0, 0.5 + kPlankRise, 0}));
    for (const double x : {-kSeeSawArm, kSeeSawArm}) {
      scene.bodies.push_back(body_at(box({0.3f, 0.3f, 0.3f}), {x, 0.5 + kSeeSawRise, 0}));
    }
    scene.bodies.back().mass = float(kHeavy);
    SolverSettings solver = shock();
    solver.shock.weight = weight;
    RunningScene running(scene, def(solver));
    for (int step = 0; step < steps; ++step) EXPECT_TRUE(running.step());
    return 0.5 + kSeeSawRise - running.motions()[2].pose.position.y;
  };
  EXPECT_LT(sinks(0.0f, 100), 1e-3);
  EXPECT_GT(sinks(0.01f, 100), 0.015);
  EXPECT_GT(sinks(0.1f, 100), 0.15);
  // A layer does not follow the last hundredth of what gravity gives, and the sharp edge slips a little.
  EXPECT_NEAR(sinks(shock().shock.weight, 30), see_saw_sinks(), 0.04 * see_saw_sinks());
}

/// Popcorn (Erleben 2007, section 6.1): a body that rests is pushed a little too much, leaves the reach of its contact,
/// falls and is pushed again. Its potential energy is a saw-tooth, as high as gravity gets in a step. There is none:
/// the height of a body that has come to rest stays the same but for rounding, with long steps and short ones.
TEST_P(ShockPropagation, ABodyAtRestDoesNotPop) {
  constexpr double kRounding = 1.2e-7;  // [m] two units in the last place of its height
  BodyDef brick = body_at(box({0.5f, 0.3f, 0.4f}), {0.1, 0.6, 0.2});
  brick.orientation = scenes::turn_about({0, 1, 0}, 0.3);
  for (const BodyDef& body : {brick, body_at(sphere(0.5f), {0, 0.8, 0})}) {
    for (const SolverSettings& solver : {shock(), SolverSettings{}}) {
      for (const double dt : {0.01, 0.001}) {
        scenes::Scene scene;
        scene.dt = float(dt);
        scene.statics.push_back(scenes::static_box({0, -1, 0}, {10, 1, 10}));
        scene.bodies.push_back(body);
        RunningScene running(scene, def(solver));
        double lowest = 1e9, highest = -1e9;
        for (int step = 0; step < std::lround(4 / dt); ++step) {
          ASSERT_TRUE(running.step());
          if (step < std::lround(2 / dt)) continue;  // it falls by 0.3 m and comes to rest
          const double height = running.world().position(running.bodies()[0]).y;
          lowest = std::min(lowest, height);
          highest = std::max(highest, height);
        }
        EXPECT_LE(highest - lowest, kRounding) << "saw-tooth of steps of " << dt << " s: " << kGravity * dt * dt;
      }
    }
  }
}

TEST_P(ShockPropagation, BodiesThatRestOnNothingCollideAsTheyWould) {
  WorldDef d = weightless(shock());
  World world(d);
  BodyDef ball{.shape = sphere(0.5f), .mass = 1.0f, .position = {-1.0f, 0.0f, 0.0f}, .linear_velocity = {3, 0, 0}};
  ball.material = {.friction = 0.0f, .restitution = 0.5f};
  const BodyId a = world.add_body(ball);
  ball.position.x = 1.0f;
  ball.linear_velocity.x = -1.0f;
  ball.mass = 3.0f;
  const BodyId b = world.add_body(ball);
  world.step_n(60, 0.01f);
  // Momentum 0, and they part with half the speed they met with.
  EXPECT_NEAR(world.linear_velocity(a).x, -1.5f, 1e-5f);
  EXPECT_NEAR(world.linear_velocity(b).x, 0.5f, 1e-5f);
}

/// Three beams, each of which rests on the next: there is no bottom-up.
TEST_P(ShockPropagation, BodiesThatRestOnEachOtherInACircleStay) {
  scenes::Scene scene;
  scene.dt = 0.01f;
  scene.stack = true;
  scenes::add_ground(scene);
  const double rise = 0.1;
  for (int i = 0; i < 3; ++i) {
    const double angle = 2 * kPi * i / 3;
    BodyDef beam = body_at(box({1.0f, 0.05f, 0.1f}), {0.45 * std::sin(angle), 1.0, 0.45 * std::cos(angle)});
    beam.position.y = 1.05f;
    const Quat turn = scenes::turn_about({0, 1, 0}, angle), lean = scenes::turn_about({0, 0, 1}, rise);
    beam.orientation = {turn.w * lean.x + turn.x * lean.w + turn.y * lean.z - turn.z * lean.y,
                        turn.w * lean.y - turn.x * lean.z + turn.y * lean.w + turn.z * lean.x,
                        turn.w * lean.z + turn.x * lean.y - turn.y * lean.x + turn.z * lean.w,
                        turn.w * lean.w - turn.x * lean.x - turn.y * lean.y - turn.z * lean.z};
    scene.bodies.push_back(beam);
    const double x = -0.9;  // the low end rests on a post
    const Vecd foot{0.45 * std::sin(angle) + x * std::cos(angle), 0.45, 0.45 * std::cos(angle) - x * std::sin(angle)};
    scene.statics.push_back(scenes::static_box(foot, {0.15, 0.45, 0.15}));
  }
  RunningScene running(scene, def(shock()));
  Index contacts = 0;
  for (int step = 0; step < cpu_or_cuda(300, 60); ++step) {
    const StepReport report = running.step();
    ASSERT_TRUE(report);
    contacts = report.contact_count;
  }
  EXPECT_EQ(contacts, 6);  // three posts, three beams
  const scenes::Metrics m = scenes::measure(running.scene(), running.motions());
  EXPECT_LT(m.pen_max, 1e-3);
  EXPECT_LT(m.vmax, 0.02);
  for (const BodyMotion& motion : running.motions()) EXPECT_GT(motion.pose.position.y, 0.9f);
}

TALUS_INSTANTIATE_ON_CPU(ShockPropagation);  // hundreds of steps; tests of agreement compare the backends

}  // namespace
}  // namespace talus::test
