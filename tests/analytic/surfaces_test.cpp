// SPDX-License-Identifier: MIT
// Materials that are more than one coefficient, and models of friction and restitution: closed forms of sliding,
// spinning, rolling and bouncing bodies.
#include <algorithm>
#include <vector>

#include "analytic/rig.h"

namespace talus::test {
namespace {

class Surfaces : public BackendTest {};
TALUS_INSTANTIATE_ON_CPU(Surfaces);  // thousands of steps; tests of agreement compare the backends

/// A flat box on a plane, both of the same material.
struct Slider {
  World world;
  BodyId ground, box_id;

  Slider(const WorldDef& def, const Material& material, Vecd velocity, Vec3 spin = {})
      : world(def),
        ground(world.add_body({.shape = plane({0.0f, 1.0f, 0.0f}), .material = {.friction = material.friction}})),
        box_id(world.add_body({.shape = box({0.5f, 0.1f, 0.5f}),
                               .position = {0.0f, 0.1f, 0.0f},
                               .linear_velocity = scenes::to_vec3(velocity),
                               .angular_velocity = spin,
                               .material = material})) {}
  Vecd position() { return vec(world.position(box_id)); }
  Vecd velocity() { return vec(world.linear_velocity(box_id)); }
  double spin() { return double(world.angular_velocity(box_id).y); }
};

Vecd heading(double angle) {
  return {std::cos(angle), 0, std::sin(angle)};
}

double stop_distance(const WorldDef& def, double angle) {
  Slider slider(def, {.friction = 0.5f}, 3.0 * heading(angle));
  slider.world.step_n(80, kStep);
  EXPECT_LT(length(slider.velocity()), 2e-3);
  return length(slider.position() - Vecd{0, 0.1, 0});
}

// ---- models of friction --------------------------------------------------------------------------------------------

TEST_P(Surfaces, ConeStopsAtTheSameDistanceInAllDirectionsAndBoxDoesNot) {
  const double along = stop_distance(def(), 0.0);
  for (const double angle : {17.0, 45.0, 71.0, 200.0}) {
    EXPECT_NEAR(stop_distance(def(), angle * kDegree), along, 0.005 * along) << angle << " degrees";
  }
  const WorldDef box_model = def({.friction = FrictionModel::box});
  EXPECT_NEAR(stop_distance(box_model, 0.0) / stop_distance(box_model, 45 * kDegree), std::sqrt(2.0), 0.01);
}

// S1-21: between two corners the polygon is nearer by cos(pi / k), and a body on its way there goes further.
TEST_P(Surfaces, PolygonIsWeakerBetweenItsCorners) {
  const double along = stop_distance(def(), 0.0);
  for (const int sides : {4, 8, 12}) {
    SCOPED_TRACE(std::to_string(sides) + " sides");
    const WorldDef polygon = def({.friction = FrictionModel::polyhedral, .friction_sides = sides});
    EXPECT_NEAR(stop_distance(polygon, 0.0), along, 0.01 * along);
    EXPECT_NEAR(stop_distance(polygon, kPi / sides) * std::cos(kPi / sides), along, 0.01 * along);
  }
}

// ---- grain ---------------------------------------------------------------------------------------------------------

/// [m/s^2] What brakes a body that slides fast enough that a tenth of a second hardly turns.
Vecd braking(Slider& slider) {
  slider.world.step_n(2, kStep);
  const Vecd before = slider.velocity();
  slider.world.step_n(6, kStep);
  return (1 / (6 * double(kStep))) * (slider.velocity() - before);
}

// Most dissipation over an ellipse with half axes a and b (S1-115): for slip (c, s) it is (a^2 c, b^2 s) / |(a c, b
// s)|.
TEST_P(Surfaces, GrainTurnsFrictionOffTheDirectionOfSliding) {
  const double a = 0.2, b = 0.8;
  for (const double angle : {0.0, 20.0, 45.0, 75.0, 90.0}) {
    SCOPED_TRACE(std::to_string(angle) + " degrees");
    Slider slider(def(),
                  {.friction = 0.5f, .grain = {1.0f, 0.0f, 0.0f}, .friction_along = 0.2f, .friction_across = 0.8f},
                  150.0 * heading(angle * kDegree));
    slider.world.set_material(slider.ground, {.friction = 1.0f, .friction_combine = Combine::multiply});
    const Vecd acceleration = braking(slider);
    const double c = std::cos(angle * kDegree), s = std::sin(angle * kDegree), size = std::hypot(a * c, b * s);
    const double expected = std::atan2(b * b * s, a * a * c), strength = std::hypot(a * a * c, b * b * s) / size;
    EXPECT_NEAR(std::atan2(-acceleration.z, -acceleration.x), expected, std::max(0.01 * expected, 0.004));
    EXPECT_NEAR(std::hypot(acceleration.x, acceleration.z), strength * kGravity, 0.01 * strength * kGravity);
  }
}

// S1-117: mu = 0.6 and (0.2, 1) become (0.4, 0.8) where grains cross at 45 degrees, along the line that halves it.
TEST_P(Surfaces, CrossedGrainsFollowTheMatchstickModel) {
  struct Case {
    double turned, along, across;
  };
  for (const Case& c : {Case{0, 0.2, 1.0}, Case{45, 0.4, 0.8}, Case{90, 0.6, 0.6}, Case{135, 0.4, 0.8}}) {
    for (const bool is_across : {false, true}) {
      SCOPED_TRACE(std::to_string(c.turned) + " degrees" + (is_across ? ", across" : ""));
      const double half = (c.turned > 90 ? 0.5 * (c.turned + 180) : 0.5 * c.turned) * kDegree;
      Material material{.friction = 0.6f, .grain = {1.0f, 0.0f, 0.0f}, .friction_along = 0.2f, .friction_across = 1.0f};
      Slider slider(def(), material, 40.0 * heading(half + (is_across ? 0.5 * kPi : 0.0)));
      material.grain = scenes::to_vec3(heading(c.turned * kDegree));
      slider.world.set_material(slider.ground, material);
      const double expected = (is_across ? c.across : c.along) * kGravity;
      EXPECT_NEAR(length(braking(slider)), expected, 0.01 * expected);
    }
  }
}

TEST_P(Surfaces, GrainTurnsWithItsBody) {
  const Material skate{.friction = 1.0f, .grain = {1.0f, 0.0f, 0.0f}, .friction_along = 0.01f, .friction_across = 1.0f};
  World world(def());
  world.add_body(
      {.shape = plane({0.0f, 1.0f, 0.0f}), .material = {.friction = 1.0f, .friction_combine = Combine::multiply}});
  const BodyId id = world.add_body({.shape = box({0.5f, 0.1f, 0.2f}),
                                    .position = {0.0f, 0.1f, 0.0f},
                                    .orientation = turn({0.0f, 1.0f, 0.0f}, -0.5 * kPi),  // x to z
                                    .linear_velocity = {0.0f, 0.0f, 3.0f},
                                    .material = skate});
  world.step_n(60, kStep);
  EXPECT_GT(world.linear_velocity(id).z, 3.0f - 0.3f);
  world.set_velocity(id, {3.0f, 0.0f, 0.0f}, {});
  world.step_n(30, kStep);
  EXPECT_LT(length(vec(world.linear_velocity(id))), 1e-2);
}

// S1-121: friction is (mu / 2) (Q_A + R Q_B R^T) times the direction of slip, and not where it dissipates most. The
// plane is A, its grain along x; the box is B, seen from below: its shear turns the other way.
TEST_P(Surfaces, FrictionTensorsTurnFrictionByTheirLaw) {
  const double mu = 0.5, turned = 30 * kDegree;
  struct Case {
    FrictionTensor ground, box;
  };
  for (const Case& c : {Case{{1.0f, 1.0f, 0.0f}, {1.0f, 1.0f, 0.0f}}, Case{{1.6f, 0.4f, 0.0f}, {1.0f, 1.0f, 0.0f}},
                        Case{{1.2f, 0.8f, 0.5f}, {0.5f, 1.5f, -0.3f}}}) {
    for (const double angle : {0.0, 35.0, 80.0, 140.0}) {
      SCOPED_TRACE(std::to_string(c.ground.along) + ", " + std::to_string(angle) + " degrees");
      const Material ground{.friction = float(mu), .grain = {1, 0, 0}, .friction_tensor = c.ground};
      const Material box{.friction = float(mu), .grain = scenes::to_vec3(heading(turned)), .friction_tensor = c.box};
      Slider slider(def(), box, 150.0 * heading(angle * kDegree));
      slider.world.set_material(slider.ground, ground);
      const Vecd acceleration = braking(slider);
      // Along x and z: z is across the plane's grain to the right, as seen from above.
      const double q[2][2] = {{double(c.ground.along), -double(c.ground.shear)},
                              {-double(c.ground.shear), double(c.ground.across)}};
      const double p[2][2] = {{double(c.box.along), double(c.box.shear)}, {double(c.box.shear), double(c.box.across)}};
      const double r[2][2] = {{std::cos(turned), -std::sin(turned)}, {std::sin(turned), std::cos(turned)}};
      const double v[2] = {std::cos(angle * kDegree), std::sin(angle * kDegree)};
      double f[2] = {0, 0};
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
          double sum = q[i][j];
          for (int k = 0; k < 2; ++k) {
            for (int l = 0; l < 2; ++l) sum += r[i][k] * p[k][l] * r[j][l];
          }
          f[i] -= 0.5 * mu * sum * v[j] * kGravity;
        }
      }
      const double size = std::hypot(f[0], f[1]);
      EXPECT_NEAR(acceleration.x, f[0], 0.01 * size);
      EXPECT_NEAR(acceleration.z, f[1], 0.01 * size);
    }
  }
}

// S1-123: saw teeth. The box slides down along the grain with its coefficient, and holds on the same slope against it.
TEST_P(Surfaces, SawTeethLetThingsSlideOneWay) {
  const double angle = 25 * kDegree;
  const Vecd normal{std::sin(angle), std::cos(angle), 0}, downhill{std::cos(angle), -std::sin(angle), 0};
  for (const bool on_box : {false, true}) {
    for (const bool down : {true, false}) {
      SCOPED_TRACE(std::string(on_box ? "of the box, " : "of the ground, ") + (down ? "down" : "up"));
      // The grain of the box is what the ground slides over, which goes uphill.
      const Vecd grain = (down != on_box ? 1.0 : -1.0) * downhill;
      Material teeth{.friction = 1.0f,
                     .friction_combine = Combine::multiply,
                     .grain = scenes::to_vec3(on_box ? Vecd{down ? -1.0 : 1.0, 0, 0} : grain),
                     .friction_along = 0.2f,
                     .friction_across = 1.0f,
                     .friction_against = 0.8f};
      const Material smooth{.friction = 1.0f, .friction_combine = Combine::multiply};
      World world(def());
      world.add_body({.shape = plane(scenes::to_vec3(normal)), .material = on_box ? smooth : teeth});
      const BodyId id = world.add_body({.shape = box({0.5f, 0.1f, 0.5f}),
                                        .position = scenes::to_vec3(0.1 * normal),
                                        .orientation = turn({0.0f, 0.0f, 1.0f}, -angle),
                                        .material = on_box ? teeth : smooth});
      world.step_n(60, kStep);
      const double speed = dot(vec(world.linear_velocity(id)), downhill);
      if (down) {
        const double expected = kGravity * (std::sin(angle) - 0.2 * std::cos(angle));
        EXPECT_NEAR(speed, expected, 0.01 * expected);
      } else {
        EXPECT_LT(std::fabs(speed), 1e-3);
      }
    }
  }
}

// ---- sticking and sliding ------------------------------------------------------------------------------------------

TEST_P(Surfaces, BoxSticksBelowTheStaticAngleAndOnceMovingSlidesByTheDynamicCoefficient) {
  const double angle = std::atan(0.45);
  const Material material{.friction = 0.5f, .dynamic_friction = 0.4f};
  const Vecd normal{std::sin(angle), std::cos(angle), 0}, downhill{std::cos(angle), -std::sin(angle), 0};
  World world(def());
  world.add_body({.shape = plane(scenes::to_vec3(normal)), .material = material});
  const BodyId id = world.add_body({.shape = box({0.5f, 0.1f, 0.5f}),
                                    .position = scenes::to_vec3(0.1 * normal),
                                    .orientation = turn({0.0f, 0.0f, 1.0f}, -angle),
                                    .material = material});
  const Vecd start = vec(world.position(id));
  world.step_n(cpu_or_cuda(120, 20), kStep);
  EXPECT_LT(length(vec(world.position(id)) - start), 1e-3);
  world.set_velocity(id, scenes::to_vec3(0.1 * downhill), {});
  world.step_n(1, kStep);
  const double before = dot(vec(world.linear_velocity(id)), downhill);
  world.step_n(60, kStep);
  const double expected = kGravity * (std::sin(angle) - 0.4 * std::cos(angle));
  EXPECT_NEAR(dot(vec(world.linear_velocity(id)), downhill) - before, expected, 0.01 * expected);
}

TEST_P(Surfaces, SlidingBoxStopsByTheDynamicCoefficientAndStays) {
  Slider slider(def(), {.friction = 0.5f, .dynamic_friction = 0.3f}, {3, 0, 0});
  slider.world.set_material(slider.ground, {.friction = 0.5f, .dynamic_friction = 0.3f});
  slider.world.step_n(90, kStep);
  const double expected = 9 / (2 * 0.3 * kGravity), stopped = slider.position().x;
  EXPECT_NEAR(stopped, expected, 0.02 * expected);
  slider.world.step_n(30, kStep);
  EXPECT_NEAR(slider.position().x, stopped, 1e-4);
}

// ---- torsional and rolling friction --------------------------------------------------------------------------------

// Torque n (mu arm + torsion) against I = m w^2 / 6, with the corners at arm = w / sqrt(2).
TEST_P(Surfaces, SpinningBoxStopsWhenItsCornersAndTorsionSay) {
  struct Case {
    float friction, torsion;
    double spin;
  };
  for (const Case& c : {Case{0.5f, 0.1f, 20}, Case{0.0f, 0.1f, 4}, Case{0.5f, 0.0f, 15}}) {
    SCOPED_TRACE("friction " + std::to_string(c.friction) + ", torsion " + std::to_string(c.torsion));
    Slider slider(def(), {.friction = c.friction, .torsional_friction = c.torsion}, {}, {0.0f, float(c.spin), 0.0f});
    const double slower = kGravity * (double(c.friction) * std::sqrt(0.5) + double(c.torsion)) * 6;  // [rad/s^2]
    const double time = c.spin / slower;
    const int half = int(0.5 * time / double(kStep));
    slider.world.step_n(half, kStep);
    EXPECT_NEAR(slider.spin(), c.spin - slower * half * double(kStep), 0.02 * c.spin);
    int steps = half;
    while (slider.spin() > 1e-3 * c.spin && steps < 200) {
      slider.world.step(kStep);
      ++steps;
    }
    EXPECT_NEAR(steps * double(kStep), time, std::max(0.02 * time, double(kStep)));
  }
}

TEST_P(Surfaces, TorsionSlowsASpinningBallWithoutFriction) {  // S1-16
  World world(def());
  world.add_body({.shape = plane({0.0f, 1.0f, 0.0f}), .material = {.friction = 0.0f}});
  const BodyId ball = world.add_body({.shape = sphere(0.5f),
                                      .mass = 1.0f,
                                      .position = {0.0f, 0.5f, 0.0f},
                                      .angular_velocity = {0.0f, 2.0f, 0.0f},
                                      .material = {.friction = 0.0f, .torsional_friction = 0.01f}});
  world.step_n(60, kStep);
  EXPECT_NEAR(double(world.angular_velocity(ball).y), 2 - 0.981, 0.02 * 0.981);
}

// (I + m R^2) alpha = mu_r m g.
TEST_P(Surfaces, RollingBallStopsWhereRollingFrictionSays) {
  WorldDef d = def();
  d.sleep.enabled = false;
  World world(d);
  world.add_body({.shape = plane({0.0f, 1.0f, 0.0f})});
  const BodyId ball = world.add_body({.shape = sphere(0.5f),
                                      .position = {0.0f, 0.5f, 0.0f},
                                      .linear_velocity = {1.0f, 0.0f, 0.0f},
                                      .angular_velocity = {0.0f, 0.0f, -2.0f},
                                      .material = {.rolling_friction = 0.05f}});
  const double slower = 5.0 / 7 * kGravity * 0.05 / 0.5, time = 1 / slower;
  world.step_n(int(time / double(kStep)) + 30, kStep);
  const double expected = 1 / (2 * slower), stopped = double(world.position(ball).x);
  EXPECT_NEAR(stopped, expected, 0.02 * expected);
  world.step_n(20, kStep);
  EXPECT_NEAR(double(world.position(ball).x), stopped, 1e-4);
}

TEST_P(Surfaces, BallRollsOnASlopeThatIsSteeperThanItsRollingFriction) {
  for (const double slope : {0.08, 0.14}) {  // the ball holds up to mu_r / R = 0.1
    SCOPED_TRACE(std::to_string(slope));
    const double angle = std::atan(slope);
    WorldDef d = def();
    d.sleep.enabled = false;
    World world(d);
    const Vecd normal{std::sin(angle), std::cos(angle), 0};
    world.add_body({.shape = plane(scenes::to_vec3(normal))});
    const BodyId ball = world.add_body(
        {.shape = sphere(0.5f), .position = scenes::to_vec3(0.5 * normal), .material = {.rolling_friction = 0.05f}});
    const Vecd start = vec(world.position(ball));
    world.step_n(60, kStep);
    const double moved = length(vec(world.position(ball)) - start);
    const double a = 5.0 / 7 * kGravity * (std::sin(angle) - 0.1 * std::cos(angle));
    if (slope < 0.1) {
      EXPECT_LT(moved, 2e-3);
    } else {
      EXPECT_NEAR(moved, distance_of_scheme(a, 60, 4), 0.03 * moved);
    }
  }
}

// ---- pairs of materials --------------------------------------------------------------------------------------------

TEST_P(Surfaces, PairsOfMaterialsGoBeforeTheirRules) {
  World world(def());
  const MaterialId ice = world.add_material({.friction = 0.1f}), rubber = world.add_material({.friction = 1.0f});
  world.set_material_pair(rubber, ice, {.friction = 0.3f, .restitution = 0.5f});
  world.add_body({.shape = plane({0.0f, 1.0f, 0.0f}), .material_id = ice});
  BodyId ids[2];
  for (int i = 0; i < 2; ++i) {
    ids[i] = world.add_body({.shape = box({0.5f, 0.1f, 0.5f}),
                             .position = {0.0f, 0.1f, 3.0f * float(i)},
                             .linear_velocity = {5.0f, 0.0f, 0.0f},
                             .material_id = i == 0 ? rubber : ice});
  }
  const BodyId ball = world.add_body({.shape = sphere(0.25f), .position = {0.0f, 0.75f, 9.0f}, .material_id = rubber});
  double fastest = 0;
  for (int step = 0; step < 30; ++step) {
    world.step(kStep);
    fastest = std::max(fastest, double(world.linear_velocity(ball).y));
  }
  EXPECT_NEAR(double(world.linear_velocity(ids[0]).x), 5 - 0.5 * 0.3 * kGravity, 0.03);
  EXPECT_NEAR(double(world.linear_velocity(ids[1]).x), 5 - 0.5 * 0.1 * kGravity, 0.03);
  EXPECT_NEAR(fastest, 0.5 * std::sqrt(2 * kGravity * 0.5), 0.1);
  world.set_material(ice, {.friction = 0.0f});  // of the box and the plane
  world.set_material_pair(ice, rubber, {});
  const double before = double(world.linear_velocity(ids[0]).x);
  world.step_n(10, kStep);
  EXPECT_NEAR(double(world.linear_velocity(ids[0]).x), before, 1e-3);
}

// ---- restitution ---------------------------------------------------------------------------------------------------

SolverSettings by_law(RestitutionModel law) {
  return {.restitution = law};
}
constexpr RestitutionModel kLaws[] = {RestitutionModel::newton, RestitutionModel::poisson};

TEST_P(Surfaces, BothLawsGiveTheSameBounceWithoutFriction) {
  for (const float e : {0.0f, 0.5f, 1.0f}) {
    Vecd velocity[2];
    for (const RestitutionModel law : kLaws) {
      World world(def(by_law(law)));
      world.add_body({.shape = plane({0.0f, 1.0f, 0.0f}), .material = {.friction = 0.0f}});
      const BodyId ball = world.add_body(
          {.shape = sphere(0.25f), .position = {0.0f, 1.25f, 0.0f}, .material = {.friction = 0.0f, .restitution = e}});
      world.step_n(29, kStep);  // it lands after 0.45 s
      velocity[int(law)] = vec(world.linear_velocity(ball));
    }
    EXPECT_NEAR(velocity[1].y, velocity[0].y, 0.01 * 4.43) << "restitution " << e;
    EXPECT_GE(velocity[0].y, 0.4 * double(e) * 4.43 - 0.2);
  }
}

TEST_P(Surfaces, PoissonsCradleOfThreeIsNewtons) {
  World world(weightless(by_law(RestitutionModel::poisson)));
  BodyId balls[3];
  for (int i = 0; i < 3; ++i) {
    balls[i] = world.add_body({.shape = sphere(0.5f),
                               .position = {float(i), 0.0f, 0.0f},
                               .linear_velocity = {i == 0 ? 3.0f : 0.0f, 0.0f, 0.0f},
                               .material = {.friction = 0.0f, .restitution = 1.0f}});
  }
  world.step_n(5, kStep);
  EXPECT_NEAR(world.linear_velocity(balls[0]).x, -1, 5e-3);
  EXPECT_NEAR(world.linear_velocity(balls[1]).x, 2, 5e-3);
  EXPECT_NEAR(world.linear_velocity(balls[2]).x, 2, 5e-3);
}

// Friction acts while bodies are stopped and while they part: a ball that skids through the impact loses mu (1 + e) of
// its speed downwards. In whichever sweep of a step the impact comes: start heights cover the way of one. Of an impact
// that takes two sub-steps a part of less than 0.5 m/s (StepParams::impact_speed) may come in the last sweep, unrubbed.
TEST_P(Surfaces, SkiddingImpactRubsInBothPhasesWheneverItComes) {
  constexpr float mu = 0.1f, fall = 4.0f;
  constexpr int phases = 40;
  for (const RestitutionModel law : kLaws) {
    for (const float e : {0.0f, 0.5f, 1.0f}) {
      SCOPED_TRACE(std::string(law == RestitutionModel::newton ? "newton" : "poisson") + ", restitution " +
                   std::to_string(e));
      World world(weightless(by_law(law)));
      world.add_body({.shape = plane({0.0f, 1.0f, 0.0f}), .material = {.friction = mu}});
      std::vector<BodyId> balls;
      for (int i = 0; i < phases; ++i) {
        const float gap = 0.1f + fall * kStep * float(i) / float(phases);
        balls.push_back(world.add_body({.shape = sphere(0.5f),
                                        .position = {0.0f, 0.5f + gap, 2.0f * float(i)},
                                        .linear_velocity = {6.0f, -fall, 0.0f},
                                        .material = {.friction = mu, .restitution = e}}));
      }
      world.step_n(10, kStep);
      const double lost = double(mu) * (1 + double(e)) * double(fall);
      for (int i = 0; i < phases; ++i) {
        const Vecd v = vec(world.linear_velocity(balls[std::size_t(i)]));
        const Vecd w = vec(world.angular_velocity(balls[std::size_t(i)]));
        EXPECT_NEAR(v.y, double(e * fall), 0.01) << "ball " << i;
        const double unrubbed = double(mu) * 0.5;
        EXPECT_NEAR(v.x, 6 - lost + 0.5 * unrubbed, 0.5 * unrubbed + 0.005) << "ball " << i;
        EXPECT_NEAR(w.z, -(6 - v.x) * 0.5 / (0.4 * 0.25), 0.01) << "ball " << i;
      }
    }
  }
}

// A rod whose end hits the ground at an angle (S0-22). It skids while it is stopped and sticks while it parts: by
// Newton's law the end leaves with e times its speed, by Poisson's with what e times the stopping impulse gives.
TEST_P(Surfaces, TheTwoLawsDifferWhereARodStopsSkidding) {
  const double angle = 60 * kDegree, half = 0.9, radius = 0.1, e = 0.8, mu = 0.6, fall = 4;
  struct Case {
    RestitutionModel law;
    double gap;  // [m]
    int steps;
    double tolerance;  // [1] from a gap a rest is stopped without friction
  };
  const RestitutionModel newton = RestitutionModel::newton, poisson = RestitutionModel::poisson;
  for (const auto& [law, gap, steps, tolerance] : {Case{newton, 0, 1, 0.05}, Case{newton, 0.01, 3, 0.05},
                                                   Case{poisson, 0, 1, 0.05}, Case{poisson, 0.01, 3, 0.16}}) {
    SCOPED_TRACE(std::to_string(gap) + " m");
    World world(weightless(by_law(law)));
    world.add_body({.shape = plane({0.0f, 1.0f, 0.0f}), .material = {.friction = float(mu)}});
    const BodyId rod = world.add_body({.shape = capsule(float(radius), float(half)),
                                       .position = {0.0f, float(radius + half * std::sin(angle) + gap), 0.0f},
                                       .orientation = turn({0.0f, 0.0f, 1.0f}, angle - 0.5 * kPi),
                                       .material = {.friction = float(mu), .restitution = float(e)}});
    const BodyDef d = world.definition(rod);
    const double m = double(*d.mass), i = double(d.inertia->z);
    const Vecd arm{-half * std::cos(angle), -half * std::sin(angle) - radius, 0};
    // What an impulse along the normal n and the tangent t adds to the velocity of the end.
    const double nn = 1 / m + arm.x * arm.x / i, tt = 1 / m + arm.y * arm.y / i, nt = -arm.x * arm.y / i;
    const double stop = fall / (nn - mu * nt), slip = 0.2, skid = slip - stop * (nt - mu * tt);
    const double grip = -(slip + nt * e * stop) / tt;  // what friction has to give while it parts
    ASSERT_LT(std::fabs(grip), mu * e * stop);
    const double expected = law == RestitutionModel::newton ? e * fall : nn * e * stop + nt * grip;
    world.set_velocity(rod, {float(skid), float(-fall), 0.0f}, {});
    world.step_n(steps, 1.0f / 240);
    const Vecd end = vec(world.linear_velocity(rod)) + cross(vec(world.angular_velocity(rod)), arm);
    EXPECT_NEAR(end.y, expected, tolerance * expected) << (law == RestitutionModel::newton ? "newton" : "poisson");
    if (law == RestitutionModel::poisson) {
      EXPECT_GT(std::fabs(expected / (e * fall) - 1), 0.1);
    }
  }
}

/// [J] Of one body.
double kinetic_energy(World& world, BodyId id) {
  const BodyDef d = world.definition(id);
  const Vecd v = vec(d.linear_velocity),
             own = scenes::rotate_back(scenes::rotation<double>(d.orientation), vec(d.angular_velocity));
  const Vecd i = vec(*d.inertia);
  return 0.5 * (double(*d.mass) * dot(v, v) + i.x * own.x * own.x + i.y * own.y * own.y + i.z * own.z * own.z);
}

// Of any two shapes, one a ball; boxes against each other and the ground are in property/impact_energy_test.cpp.
TEST_P(Surfaces, NoCollisionGainsEnergy) {
  for (const RestitutionModel law : kLaws) {
    for (const bool on_ground : {false, true}) {
      SCOPED_TRACE(std::string(law == RestitutionModel::newton ? "newton" : "poisson") + (on_ground ? ", ground" : ""));
      Random random(on_ground ? 7u : 5u);
      WorldDef d = weightless(by_law(law));
      d.sleep.enabled = false;
      World world(d);
      if (on_ground) {
        world.add_body({.shape = plane({0.0f, 1.0f, 0.0f}),
                        .material = {.friction = 1.0f, .friction_combine = Combine::multiply}});
      }
      const int count = cpu_or_cuda(300, 20);
      std::vector<BodyId> a, b;
      std::vector<double> before;
      for (int i = 0; i < count; ++i) {
        const auto any_shape = [&] {
          const int kind = random.below(3);
          const float x = random.between(0.2f, 0.5f), y = random.between(0.2f, 0.6f), z = random.between(0.1f, 0.6f);
          return kind == 0 ? sphere(x) : kind == 1 ? box({x, y, z}) : capsule(0.6f * x, y);
        };
        const float bounce[] = {0.0f, 0.5f, 0.9f, 1.0f};
        const Material material{.friction = random.between(0.0f, 1.5f), .restitution = bounce[random.below(4)]};
        const float place = 60.0f * float(i);
        const auto body = [&](float side) {
          return BodyDef{.shape = side > 0 ? sphere(random.between(0.2f, 0.6f)) : any_shape(),
                         .position = {place, 1.2f + 1.2f * side, 0.3f * side},
                         .orientation = turn(random.direction(), double(random.between(0.0f, 3.0f))),
                         .linear_velocity = {random.between(-2.0f, 2.0f), -side * random.between(2.0f, 8.0f),
                                             random.between(-2.0f, 2.0f)},
                         .angular_velocity = random.in_box(6.0f),
                         .material = material};
        };
        a.push_back(world.add_body(body(1.0f)));
        if (!on_ground) b.push_back(world.add_body(body(-1.0f)));
        before.push_back(kinetic_energy(world, a.back()) + (on_ground ? 0 : kinetic_energy(world, b.back())));
      }
      std::vector<Vec3> start;
      for (const BodyId id : a) start.push_back(world.linear_velocity(id));
      world.step_n(60, kStep);
      int hits = 0;
      double worst = 0;
      for (std::size_t i = 0; i < a.size(); ++i) {
        const double after = kinetic_energy(world, a[i]) + (on_ground ? 0 : kinetic_energy(world, b[i]));
        hits += length(vec(world.linear_velocity(a[i])) - vec(start[i])) > 0.1 ? 1 : 0;
        EXPECT_LE(after, before[i] * (1 + 1e-3)) << "collision " << i;
        worst = std::max(worst, after / before[i]);
      }
      EXPECT_GT(hits, count / 2);
      RecordProperty("worst", std::to_string(worst));
    }
  }
}

}  // namespace
}  // namespace talus::test
