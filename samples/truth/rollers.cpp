// SPDX-License-Identifier: MIT
// What rolls without slipping goes on: in grooves, on rails, on turntables. What friction can hold on a truck stays.
#include "truth/truth.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace talus::truth {

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kGravity = 9.81;  // [m/s^2]
constexpr double kSettling = 0.5;  // [s] before a body is set in motion

WorldDef world_of(const Variant& variant) {
  WorldDef def;
  def.threads = 1;
  def.solver = variant.settings;
  def.sleep.enabled = false;
  return def;
}
/// [s]
double random_step(Random& random) {
  constexpr double kRates[] = {30.0, 60.0, 120.0, 240.0};  // [Hz]
  return 1.0 / kRates[random.index(4)];
}
Vec3 vector(double x, double y, double z) {
  return {float(x), float(y), float(z)};
}

// ---- grooves -------------------------------------------------------------------------------------------------------

/// A ball on two things along x that it touches `contact_angle` above the horizontal, on both sides.
struct Groove {
  double step = 1.0 / 60;      // [s]
  double radius = 0.1;         // [m]
  double contact_angle = 0.7;  // [rad]
  double slope = 0.0;          // [rad] falling along x
  double friction = 0.5;       // [1]
  double speed = 1.0;          // [m/s] at the start
  bool rails = false;          // two fixed capsules, and not two planes
  /// [m] From the axis through both contacts to the centre.
  double arm() const { return radius * std::sin(contact_angle); }
};

Groove random_groove(Random& random) {
  Groove g;
  g.step = random_step(random);
  g.radius = random.log_between(0.01, 1.0);
  g.contact_angle = random.between(20.0, 75.0) * kPi / 180.0;
  g.slope = random.index(2) == 0 ? 0.0 : random.between(1.0, 15.0) * kPi / 180.0;
  g.friction = random.between(0.3, 1.0);
  g.speed = random.between(0.3, 3.0) * std::sqrt(kGravity * g.radius);
  g.rails = random.index(2) == 0;
  return g;
}

/// [%] Of the speed after up to 5 s, against that of a ball that turns about the axis through both contacts.
Worst grooves(const Variant& variant, int trials, std::uint64_t seed) {
  constexpr double kRail = 0.2;  // [1] radius of a rail in those of the ball
  Worst worst;
  Random random(seed);
  for (int i = 0; i < trials; ++i) {
    const Groove g = random_groove(random);
    const double sine = std::sin(g.contact_angle), cosine = std::cos(g.contact_angle);
    WorldDef def = world_of(variant);
    def.gravity = vector(0.0, -kGravity * std::cos(g.slope), 0.0);
    World world(def);
    const double apart = g.rails ? (1.0 + kRail) * g.radius : g.radius;  // of the ball's centre from a rail or plane
    for (const double side : {-1.0, 1.0}) {
      BodyDef guide{.shape = plane(vector(0.0, sine, side * cosine))};
      if (g.rails) {
        const float root = float(std::sqrt(0.5));
        guide.shape = capsule(float(kRail * g.radius), 200.0f);
        guide.motion = Motion::fixed;
        guide.position = vector(0.0, 0.0, -side * apart * cosine);
        guide.orientation = {0.0f, 0.0f, root, root};
      }
      guide.material.friction = float(g.friction);
      world.add_body(guide);
    }
    BodyDef ball{.shape = sphere(float(g.radius))};
    ball.position = vector(0.0, g.rails ? apart * sine : apart / sine, 0.0);
    ball.material.friction = float(g.friction);
    const BodyId body = world.add_body(ball);
    world.step_n(int(kSettling / g.step), float(g.step));
    world.set_velocity(body, vector(g.speed, 0.0, 0.0), vector(0.0, 0.0, -g.speed / g.arm()));
    world.set_gravity(vector(kGravity * std::sin(g.slope), -kGravity * std::cos(g.slope), 0.0));
    const double seconds = std::min(5.0, 20.0 * std::sqrt(g.radius / kGravity) + 1.0);
    const int steps = int(seconds / g.step);
    world.step_n(steps, float(g.step));
    const double gain = kGravity * std::sin(g.slope) / (1.0 + 0.4 * g.radius * g.radius / (g.arm() * g.arm()));
    const double expected = g.speed + gain * steps * g.step;
    char text[200];
    std::snprintf(text, sizeof text,
                  "trial %d: radius %.3g m, contacts at %.3g degrees, %s, slope %.3g degrees, friction %.3g, %.3g m/s, "
                  "1/%.0f s",
                  i, g.radius, g.contact_angle * 180.0 / kPi, g.rails ? "rails" : "planes", g.slope * 180.0 / kPi,
                  g.friction, g.speed, 1.0 / g.step);
    worst.add(100.0 * std::abs(double(world.linear_velocity(body).x) / expected - 1.0), text);
  }
  return worst;
}

// ---- turntables ----------------------------------------------------------------------------------------------------

/// [% of the orbit's radius] How far a solid ball that rolls on a turntable is from its orbit, after one round: a
/// circle about any point, with 2/7 of the turntable's rate.
Worst orbits(const Variant& variant, int trials, std::uint64_t seed) {
  Worst worst;
  Random random(seed);
  for (int i = 0; i < trials; ++i) {
    const double step = random_step(random), radius = random.log_between(0.01, 1.0);
    const double spin = random.between(0.5, 4.0) * (random.index(2) == 0 ? 1.0 : -1.0), rate = 2.0 / 7.0 * spin;
    const double friction = random.between(0.3, 1.0), most = 0.5 * friction * kGravity / (rate * rate);
    const double orbit = std::min(radius * random.between(2.0, 10.0), most), middle = orbit * random.between(0.0, 2.0);
    World world(world_of(variant));
    BodyDef table{.shape = box(vector(100.0, 0.5, 100.0)), .motion = Motion::kinematic};
    table.position = {0.0f, -0.5f, 0.0f};
    table.angular_velocity = vector(0.0, spin, 0.0);
    table.material.friction = float(friction);
    world.add_body(table);
    BodyDef ball{.shape = sphere(float(radius)), .position = vector(middle + orbit, radius, 0.0)};
    ball.material.friction = float(friction);
    // Along -z at x = middle + orbit; the table goes there with -spin x along z, and the ball's lowest point with it.
    ball.linear_velocity = vector(0.0, 0.0, -rate * orbit);
    ball.angular_velocity = vector((spin * (middle + orbit) - rate * orbit) / radius, 0.0, 0.0);
    const BodyId body = world.add_body(ball);
    const int steps = int(std::lround(2.0 * kPi / std::abs(rate) / step));
    world.step_n(steps, float(step));
    const double angle = rate * steps * step;
    const Vec3 at = world.position(body);
    const double x = double(at.x) - middle - orbit * std::cos(angle), z = double(at.z) + orbit * std::sin(angle);
    char text[200];
    std::snprintf(text, sizeof text,
                  "trial %d: radius %.3g m, orbit %.3g m about %.3g m, turntable %.3g rad/s, friction %.3g, 1/%.0f s",
                  i, radius, orbit, middle, spin, friction, 1.0 / step);
    worst.add(100.0 * std::hypot(x, z) / (orbit + middle), text);
  }
  return worst;
}

// ---- rollers -------------------------------------------------------------------------------------------------------

/// [%] Of the speed of a plank on a row of kinematic rollers, against that of their surfaces.
Worst planks(const Variant& variant, int trials, std::uint64_t seed) {
  constexpr int kRollers = 60;
  Worst worst;
  Random random(seed);
  for (int i = 0; i < trials; ++i) {
    const double step = random_step(random), radius = random.log_between(0.02, 0.5);
    const double speed = random.between(0.1, 0.5) / step * radius;  // 0.1 to 0.5 rad a step
    const double friction = random.between(0.2, 1.0), apart = 2.2 * radius;
    World world(world_of(variant));
    const float root = float(std::sqrt(0.5));
    for (int k = 0; k < kRollers; ++k) {
      BodyDef roller{.shape = capsule(float(radius), float(5.0 * radius)), .motion = Motion::kinematic};
      roller.position = vector(k * apart, -radius, 0.0);
      roller.orientation = {root, 0.0f, 0.0f, root};
      roller.angular_velocity = vector(0.0, 0.0, -speed / radius);
      roller.material.friction = float(friction);
      world.add_body(roller);
    }
    const double half = 4.0 * apart, high = 0.2 * radius;
    BodyDef plank{.shape = box(vector(half, high, 3.0 * radius)), .position = vector(half, high, 0.0)};
    plank.linear_velocity = vector(speed, 0.0, 0.0);
    plank.material.friction = float(friction);
    const BodyId body = world.add_body(plank);
    const double way = (kRollers - 1) * apart - 2.0 * half;
    const int steps = int(0.4 * way / speed / step) + 1;
    world.step_n(steps, float(step));
    const Vec3 from = world.position(body);
    world.step_n(steps, float(step));
    const double gone = double(world.position(body).x) - double(from.x), expected = speed * steps * step;
    char text[200];
    std::snprintf(text, sizeof text, "trial %d: radius %.3g m, %.3g m/s, friction %.3g, 1/%.0f s", i, radius, speed,
                  friction, 1.0 / step);
    worst.add(100.0 * std::abs(gone / expected - 1.0), text);
  }
  return worst;
}

// ---- trucks --------------------------------------------------------------------------------------------------------

/// One to three crates on a kinematic truck, which speeds up steadily, as far as `part` of friction allows.
struct Truck {
  double step, friction, part, heading, size;  // [s, 1, 1, rad, m]
  int crates;
  explicit Truck(Random& random, double least, double most)
      : step(random_step(random)),
        friction(random.between(0.2, 0.8)),
        part(random.between(least, most)),
        heading(random.between(0.0, 2.0 * kPi)),
        size(random.log_between(0.1, 1.0)),
        crates(1 + random.index(3)) {}
  std::string text(int trial) const {
    char line[200];
    std::snprintf(line, sizeof line,
                  "trial %d: %d crates of %.3g m, friction %.3g, %.3g of it, heading %.3g rad, 1/%.0f s", trial, crates,
                  size, friction, part, heading, 1.0 / step);
    return line;
  }
};

/// How far each crate is behind the truck after `seconds`, in the order that they stand in; behind[i] for crate i.
std::vector<double> left_behind(const Variant& variant, const Truck& t, double seconds) {
  World world(world_of(variant));
  BodyDef below{.shape = box(vector(300.0, 0.5, 300.0)), .motion = Motion::kinematic, .position = {0.0f, -0.5f, 0.0f}};
  below.material.friction = float(t.friction);
  const BodyId truck = world.add_body(below);
  std::vector<BodyId> crates;
  for (int i = 0; i < t.crates; ++i) {
    BodyDef crate{.shape = box(vector(0.5 * t.size, 0.1 * t.size, 0.5 * t.size))};
    crate.position = vector(0.0, (0.1 + 0.2 * i) * t.size, 0.0);
    crate.material.friction = float(t.friction);
    crates.push_back(world.add_body(crate));
  }
  world.step_n(int(kSettling / t.step), float(t.step));
  const double gain = t.part * t.friction * kGravity, c = std::cos(t.heading), s = std::sin(t.heading);
  std::vector<double> behind;
  std::vector<Vec3> from;
  from.reserve(crates.size());
  for (const BodyId crate : crates) from.push_back(world.position(crate));
  const int steps = int(seconds / t.step);
  for (int k = 1; k <= steps; ++k) {
    const double speed = gain * k * t.step;
    world.set_velocity(truck, vector(speed * c, 0.0, speed * s), {});
    world.step(float(t.step));
  }
  const Vec3 way = world.position(truck);
  for (int i = 0; i < t.crates; ++i) {
    const Vec3 at = world.position(crates[std::size_t(i)]), start = from[std::size_t(i)];
    behind.push_back(
        std::hypot(double(way.x) - double(at.x) + double(start.x), double(way.z) - double(at.z) + double(start.z)));
  }
  return behind;
}

/// [mm] By which a crate slides back in 3 s.
Worst trucks(const Variant& variant, int trials, std::uint64_t seed) {
  Worst worst;
  Random random(seed);
  for (int i = 0; i < trials; ++i) {
    const Truck t(random, 0.1, 0.8);
    for (const double way : left_behind(variant, t, 3.0)) worst.add(1000.0 * way, t.text(i));
  }
  return worst;
}
/// [%] Of the way that a crate is left behind by, where friction does not hold it.
Worst fast_trucks(const Variant& variant, int trials, std::uint64_t seed) {
  const bool whole = variant.settings.solver == Solver::rigid || variant.settings.solver == Solver::shock;
  Worst worst;
  Random random(seed);
  for (int i = 0; i < trials; ++i) {
    Truck t(random, 1.2, 3.0);
    t.crates = 1;
    const double seconds = 1.0, time = t.step * int(seconds / t.step);
    // Velocities change before positions move: the truck's in each step, the crate's in each sub-step.
    const double h = whole ? t.step : t.step / variant.settings.substeps, slower = t.friction * kGravity;
    const double expected = 0.5 * slower * (t.part * time * (time + t.step) - time * (time + h));
    worst.add(100.0 * std::abs(left_behind(variant, t, seconds)[0] / expected - 1.0), t.text(i));
  }
  return worst;
}

const Row kRows[] = {
    {"Rolling", "BallsRollInGrooves",
     "A ball of 1 cm to 1 m that rolls along a groove or on two rails, level or down a slope, at 30 to 240 steps a "
     "second, has after up to 5 s the speed of one that turns about the axis through both contacts",
     "%", 0.5, 100, grooves, "", "", "a = g sin(slope) / (1 + 2/5 (radius / arm)^2)", "jacobi=2.5"},
    {"Rolling", "BallsCircleOnTurntables",
     "A solid ball that rolls on a turntable is back where it was after a circle, about any point, with 2/7 of the "
     "turntable's rate",
     "% of its way from the axis", 0.5, 50, orbits, "", "", "omega = 2/7 Omega"},
    {"Carriers", "RollersCarry",
     "A plank on rollers that turn by 0.1 to 0.5 rad a step has the speed of their surfaces", "%", 0.1, 50, planks},
    {"Carriers", "TrucksCarry",
     "One to three crates on a truck that speeds up by up to 0.8 of what friction allows, at 30 to 240 steps a second, "
     "keep their places on it for 3 s",
     "mm", 3.0, 100, trucks},
    {"Carriers", "TrucksLeaveBehind",
     "A crate on a truck that speeds up by 1.2 to 3 times what friction allows is left behind by the way that "
     "friction does not make up for, in 1 s",
     "%", 0.2, 100, fast_trucks},
};

}  // namespace

std::span<const Row> roller_rows() {
  return kRows;
}

}  // namespace talus::truth
