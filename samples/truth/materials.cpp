// SPDX-License-Identifier: MIT
// Laws of materials: friction that depends on the direction or on the slip, torques against spinning and rolling,
// restitution, and values that hold between two materials alone. Closed forms, and references in double precision.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "truth/truth.h"

namespace talus::truth {

namespace {

constexpr float kStep = 1.0f / 60.0f;  // [s]
constexpr double kPi = 3.14159265358979323846;
constexpr int kSettle = 30;  // steps until the load is what it stays

template <class... Numbers>
std::string text(const char* format, Numbers... numbers) {
  char buffer[256];
  std::snprintf(buffer, sizeof(buffer), format, numbers...);
  return buffer;
}

/// A vector of the plane x, z; the floor's grain goes along x.
struct Plane2 {
  double x, z;
  Plane2 operator+(Plane2 b) const { return {x + b.x, z + b.z}; }
  Plane2 operator-(Plane2 b) const { return {x - b.x, z - b.z}; }
  double length() const { return std::hypot(x, z); }
};
Plane2 operator*(double s, Plane2 v) {
  return {s * v.x, s * v.z};
}

/// A ball that is too heavy to turn slides over a plane, which pulls it down with one g.
struct Slide {
  Material floor;
  Plane2 start;           // [m/s]
  Plane2 pull{0.0, 0.0};  // [m/s^2] along the plane, as on a slope
  int steps;              // of 1/60 s
  double gravity = 9.81;
};

World world_of(const Variant& variant, Vec3 gravity) {
  WorldDef def;
  def.gravity = gravity;
  def.backend = Backend::cpu;
  def.threads = 1;
  def.solver = variant.settings;
  def.sleep.enabled = false;
  return World(def);
}

/// [s]
double substep_of(const Variant& variant) {
  const SolverSettings& s = variant.settings;
  const bool whole = s.solver == Solver::rigid || s.solver == Solver::shock;
  return double(kStep) / (whole ? 1 : s.substeps);
}

Plane2 slide_in(const Variant& variant, const Slide& s) {
  World world = world_of(variant, {float(s.pull.x), float(-s.gravity), float(s.pull.z)});
  world.add_body({.shape = plane({0.0f, 1.0f, 0.0f}), .material = s.floor});
  const BodyId ball = world.add_body({.shape = sphere(0.2f),
                                      .mass = 1.0f,
                                      .inertia = Vec3{1e5f, 1e5f, 1e5f},
                                      .position = {0.0f, 0.2f, 0.0f},
                                      .material = {.friction = 0.0f, .friction_combine = Combine::maximum}});
  for (int i = 0; i < kSettle; ++i) world.step(kStep);
  world.set_velocity(ball, {float(s.start.x), 0.0f, float(s.start.z)}, {0.0f, 0.0f, 0.0f});
  for (int i = 0; i < s.steps; ++i) world.step(kStep);
  const Vec3 v = world.linear_velocity(ball);
  return {double(v.x), double(v.z)};
}

/// The same for a force of friction a unit of load, by the scheme of the solvers: at the end of each sub-step friction
/// is that of the velocity which it leaves.
template <class Friction>
Plane2 slide_of(const Variant& variant, const Slide& s, Friction friction) {
  const double h = substep_of(variant);
  Plane2 v = s.start;
  for (int i = 0; i < int(std::lround(s.steps * double(kStep) / h)); ++i) {
    const Plane2 pulled = v + h * s.pull;
    for (int k = 0; k < 100; ++k) v = 0.5 * v + 0.5 * (pulled + (h * s.gravity) * friction(v));
  }
  return v;
}

/// Fast enough that it still slides at the end, in any direction.
Slide random_slide(Random& random, double strongest) {
  Slide s;
  const double angle = random.between(0.0, 2.0 * kPi), slope = random.between(0.0, 2.0 * kPi);
  s.steps = 10 + random.index(20);
  const double speed = random.between(1.5, 4.0) * strongest * s.gravity * double(s.steps) * double(kStep);
  s.start = {speed * std::cos(angle), speed * std::sin(angle)};
  const double pull = random.between(0.0, 0.3) * strongest * s.gravity;
  s.pull = {pull * std::cos(slope), pull * std::sin(slope)};
  return s;
}

/// [1] Of the speed that friction takes at most.
double slide_error(const Variant& variant, const Slide& s, Plane2 expected, double strongest) {
  return (slide_in(variant, s) - expected).length() / (strongest * s.gravity * s.steps * double(kStep));
}

Worst grain(const Variant& variant, int trials, std::uint64_t seed) {
  Random random(seed);
  Worst worst;
  for (int i = 0; i < trials; ++i) {
    const double along = random.log_between(0.05, 0.8), across = random.log_between(0.05, 0.8);
    const double against = random.index(2) == 0 ? along : random.log_between(0.05, 0.8);
    const double strongest = std::max({along, across, against});
    Slide s = random_slide(random, strongest);
    s.floor = {.friction = 0.3f,
               .friction_combine = Combine::maximum,
               .grain = {1.0f, 0.0f, 0.0f},
               .friction_along = float(along),
               .friction_across = float(across),
               .friction_against = float(against)};
    // The force on the ellipse that brakes most: along x the half axis depends on the way.
    const Plane2 expected = slide_of(variant, s, [&](Plane2 v) {
      const double ax = v.x > 0.0 ? along : against, size = std::hypot(ax * v.x, across * v.z);
      return Plane2{-ax * ax * v.x / size, -across * across * v.z / size};
    });
    worst.add(slide_error(variant, s, expected, strongest),
              text("along %.3f, against %.3f, across %.3f, start (%.2f, %.2f) m/s, pull (%.2f, %.2f) m/s^2, %d steps",
                   along, against, across, s.start.x, s.start.z, s.pull.x, s.pull.z, s.steps));
  }
  return worst;
}

Worst tensor(const Variant& variant, int trials, std::uint64_t seed) {
  Random random(seed);
  Worst worst;
  for (int i = 0; i < trials; ++i) {
    const double friction = random.between(0.1, 0.4), one = random.log_between(0.3, 3.0),
                 other = random.log_between(0.3, 3.0), angle = random.between(0.0, kPi);
    const double c = std::cos(angle), n = std::sin(angle);
    const double along = c * c * one + n * n * other, to_left = n * n * one + c * c * other,
                 shear = c * n * (one - other);
    // The floor's tensor and the ball's, which is one, in the mean. Left of x, as seen from above, is -z.
    const double xx = 0.5 * friction * (along + 1.0), zz = 0.5 * friction * (to_left + 1.0),
                 xz = -0.5 * friction * shear;
    const double strongest = 0.5 * (xx + zz) + std::hypot(0.5 * (xx - zz), xz);
    Slide s = random_slide(random, strongest);
    s.floor = {.friction = float(friction),
               .friction_combine = Combine::maximum,
               .grain = {1.0f, 0.0f, 0.0f},
               .friction_tensor = FrictionTensor{float(along), float(to_left), float(shear)}};
    const Plane2 expected = slide_of(variant, s, [&](Plane2 v) {
      const double size = v.length();
      return Plane2{-(xx * v.x + xz * v.z) / size, -(xz * v.x + zz * v.z) / size};
    });
    worst.add(slide_error(variant, s, expected, strongest),
              text("friction %.3f, tensor %.3f %.3f %.3f, start (%.2f, %.2f) m/s, %d steps", friction, along, to_left,
                   shear, s.start.x, s.start.z, s.steps));
  }
  return worst;
}

Worst sliding(const Variant& variant, int trials, std::uint64_t seed) {
  Random random(seed);
  Worst worst;
  for (int i = 0; i < trials; ++i) {
    const double friction = random.between(0.2, 1.0), dynamic = friction * random.between(0.1, 1.0);
    Slide s;
    s.steps = 10 + random.index(20);
    const double lost = dynamic * s.gravity * s.steps * double(kStep), speed = random.between(1.2, 3.0) * lost + 0.1;
    const double angle = random.between(0.0, 2.0 * kPi);
    s.start = {speed * std::cos(angle), speed * std::sin(angle)};
    s.floor = {.friction = float(friction), .friction_combine = Combine::maximum, .dynamic_friction = float(dynamic)};
    const Plane2 expected = ((speed - lost) / speed) * s.start;
    worst.add(slide_error(variant, s, expected, dynamic),
              text("friction %.3f, dynamic %.3f, speed %.3f m/s, %d steps", friction, dynamic, speed, s.steps));
  }
  return worst;
}

/// A ball on the floor, with everything the laws of turning need.
struct Turning {
  double radius, speed, spin;  // [m], [m/s] along x, [rad/s] about y
  Material material;
  int steps;
};
BodyMotion turn_in(const Variant& variant, const Turning& t) {
  World world = world_of(variant, {0.0f, -9.81f, 0.0f});
  world.add_body({.shape = plane({0.0f, 1.0f, 0.0f}), .material = t.material});
  const float r = float(t.radius);
  const BodyId ball = world.add_body({.shape = sphere(r), .position = {0.0f, r, 0.0f}, .material = t.material});
  for (int i = 0; i < kSettle; ++i) world.step(kStep);
  world.set_velocity(ball, {float(t.speed), 0.0f, 0.0f}, {0.0f, float(t.spin), float(-t.speed / t.radius)});
  for (int i = 0; i < t.steps; ++i) world.step(kStep);
  return world.motion(ball);
}

Worst rolling(const Variant& variant, int trials, std::uint64_t seed) {
  Random random(seed);
  Worst worst;
  for (int i = 0; i < trials; ++i) {
    Turning t;
    t.radius = random.log_between(0.1, 1.0);
    t.spin = 0.0;
    const double arm = t.radius * random.log_between(0.01, 0.2), slowing = 5.0 / 7.0 * arm * 9.81 / t.radius;
    const double time = random.between(0.5, 1.5);  // [s] until it stops
    t.speed = slowing * time;
    t.material = {.friction = 1.0f, .rolling_friction = float(arm)};
    t.steps = int(time / double(kStep)) + 15;  // and stays
    const BodyMotion end = turn_in(variant, t);
    // Positions go on with the velocity that a sub-step ends with.
    const double way = 0.5 * t.speed * (time - substep_of(variant)),
                 error = std::abs(double(end.pose.position.x) - way) / way;
    const double left = std::hypot(double(end.linear_velocity.x), double(end.linear_velocity.z)) / t.speed;
    worst.add(std::max(error, left),
              text("radius %.3f m, arm %.4f m, speed %.3f m/s, way %.3f m", t.radius, arm, t.speed, way));
  }
  return worst;
}

Worst torsion(const Variant& variant, int trials, std::uint64_t seed) {
  Random random(seed);
  Worst worst;
  for (int i = 0; i < trials; ++i) {
    Turning t;
    t.radius = random.log_between(0.1, 1.0);
    t.speed = 0.0;
    const double arm = t.radius * random.log_between(0.01, 0.2),
                 slowing = 2.5 * arm * 9.81 / (t.radius * t.radius);  // [rad/s^2]
    const double time = random.between(0.5, 1.5);
    t.spin = slowing * time;
    t.material = {.friction = 0.0f, .torsional_friction = float(arm)};  // the patch itself does not rub
    t.steps = int(time / double(kStep) * random.between(0.2, 1.2));
    const double expected = std::max(t.spin - slowing * t.steps * double(kStep), 0.0);
    const BodyMotion end = turn_in(variant, t);
    worst.add(std::abs(double(end.angular_velocity.y) - expected) / t.spin,
              text("radius %.3f m, arm %.4f m, spin %.3f rad/s, %d steps", t.radius, arm, t.spin, t.steps));
  }
  return worst;
}

/// [1] Speeds after and before, without gravity.
Worst bounce(const Variant& variant, int trials, std::uint64_t seed) {
  Random random(seed);
  Worst worst;
  for (int i = 0; i < trials; ++i) {
    const double restitution = random.between(0.0, 1.0), speed = random.log_between(1.5, 20.0);
    const bool by_pair = random.index(2) == 0;
    World world = world_of(variant, {0.0f, 0.0f, 0.0f});
    const Material plain{.restitution = by_pair ? 0.7f : float(restitution)};
    const MaterialId ball_material = world.add_material(plain), wall_material = world.add_material(plain);
    if (by_pair) world.set_material_pair(ball_material, wall_material, {.restitution = float(restitution)});
    const float radius = float(random.log_between(0.05, 0.5));
    world.add_body({.shape = plane({0.0f, 1.0f, 0.0f}), .material_id = wall_material});
    const BodyId ball = world.add_body({.shape = sphere(radius),
                                        .position = {0.0f, radius + float(random.between(0.0, 0.3)), 0.0f},
                                        .linear_velocity = {0.0f, float(-speed), 0.0f},
                                        .material_id = ball_material});
    for (int k = 0; k < 30; ++k) world.step(kStep);
    const double after = double(world.linear_velocity(ball).y) / speed;
    worst.add(after - restitution,
              text("restitution %.3f%s, speed %.2f m/s", restitution, by_pair ? " of the pair" : "", speed));
  }
  return worst;
}

/// What a pair of materials has in place of its own coefficients.
Worst pairs(const Variant& variant, int trials, std::uint64_t seed) {
  Random random(seed);
  Worst worst;
  for (int i = 0; i < trials; ++i) {
    const double friction = random.between(0.1, 0.8), dynamic = friction * random.between(0.3, 1.0);
    World world = world_of(variant, {0.0f, -9.81f, 0.0f});
    const MaterialId ice = world.add_material({.friction = 0.0f}), wood = world.add_material({.friction = 0.9f});
    world.set_material_pair(wood, ice, {.friction = float(friction), .dynamic_friction = float(dynamic)});
    world.add_body({.shape = plane({0.0f, 1.0f, 0.0f}), .material_id = ice});
    const double speed = random.between(3.0, 8.0);
    const BodyId sled =
        world.add_body({.shape = box({0.4f, 0.05f, 0.3f}), .position = {0.0f, 0.05f, 0.0f}, .material_id = wood});
    for (int k = 0; k < kSettle; ++k) world.step(kStep);
    world.set_velocity(sled, {float(speed), 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f});
    const int steps = 20;
    for (int k = 0; k < steps; ++k) world.step(kStep);
    const double lost = std::min(dynamic * 9.81 * steps * double(kStep), speed);
    worst.add((speed - double(world.linear_velocity(sled).x) - lost) / lost,
              text("friction %.3f, dynamic %.3f, speed %.3f m/s", friction, dynamic, speed));
  }
  return worst;
}

/// A ball rests on ground, on a spring of its material. Contacts with ground are twice as stiff; not those that share
/// bodies, and not in Solver::rigid. Solvers whose contacts do not yield refuse the material: that is right, too.
Worst stiffness(const Variant& variant, int trials, std::uint64_t seed) {
  Variant soft = variant;
  const Solver solver = variant.settings.solver;
  if (solver == Solver::rigid) soft.settings.stabilization = Stabilization::soft;
  const bool yields = solver != Solver::shock && soft.settings.stabilization == Stabilization::soft;
  const double twice = solver == Solver::gauss_seidel ? 2.0 : 1.0;
  Random random(seed);
  Worst worst;
  for (int i = 0; i < trials; ++i) {
    const double hertz = random.between(4.0, 10.0), other = hertz * random.between(1.0, 3.0);
    const std::string trial = text("%.2f Hz on %.2f Hz", hertz, other);
    World world = world_of(soft, {0.0f, -9.81f, 0.0f});
    try {
      world.add_body({.shape = plane({0.0f, 1.0f, 0.0f}), .material = {.contact_hertz = float(other)}});
    } catch (const Error&) {
      worst.add(yields ? 1.0 : 0.0, trial);
      continue;
    }
    const BodyId ball = world.add_body({.shape = sphere(0.5f),
                                        .mass = float(random.log_between(0.1, 100.0)),
                                        .position = {0.0f, 0.5f, 0.0f},
                                        .material = {.contact_hertz = float(hertz)}});
    for (int k = 0; k < 300; ++k) world.step(kStep);
    const double omega = 2.0 * kPi * twice * hertz, sag = 9.81 / (omega * omega);
    worst.add(yields ? (0.5 - double(world.position(ball).y)) / sag - 1.0 : 1.0, trial);
  }
  return worst;
}

const Row kRows[] = {
    {"Materials", "GrainBrakesMost",
     "A ball that does not turn slides over a floor with grain, coefficients 0.05 to 0.8 along, against and across it, "
     "on any slope, in any direction: its velocity is that of a double-precision reference, in which friction is the "
     "force of the ellipse that brakes most.",
     "of what friction takes", 1.2e-4, 1000, grain},
    {"Materials", "TensorTurnsFriction",
     "The same with a friction tensor: the force is the tensor times the direction of slip, against it.",
     "of what friction takes", 1.2e-4, 1000, tensor},
    {"Materials", "SlidingTakesDynamicFriction",
     "What slides faster than the threshold is slowed by dynamic friction times gravity, in any direction.",
     "of what friction takes", 6e-5, 1000, sliding},
    {"Materials", "RollingFrictionStops",
     "A ball that rolls with friction of rolling rho stops after v^2 7 r / (10 rho g), less v / 2 times "
     "the sub-step, and stays.",
     "1", 0.01, 500, rolling},
    {"Materials", "TorsionStopsSpin",
     "A ball that spins about the normal with torsional friction s loses 5 s g / (2 r^2) a second, and stays at rest.",
     "of the first spin", 1e-4, 500, torsion},
    {"Materials", "RestitutionIsSpeedAfterBefore",
     "A ball leaves a wall with restitution times its speed, of its own material or of the pair's.", "1", 1e-6, 1000,
     bounce},
    {"Materials", "StiffnessSetsSag",
     "A ball on ground sinks by g / (2 pi f)^2, with f the softer of the two stiffnesses, doubled by the default "
     "solver; "
     "solvers whose contacts do not yield throw an Error.",
     "of the depth", 0.01, 200, stiffness},
    {"Materials", "PairsOverride",
     "Between two materials with values of their own for the pair, friction is the pair's.", "of what friction takes",
     1e-3, 500, pairs},
};

}  // namespace

std::span<const Row> material_rows() {
  return kRows;
}

}  // namespace talus::truth
