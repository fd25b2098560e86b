// SPDX-License-Identifier: MIT
// What rolls without slipping goes on: in grooves, on rails, on turntables.
#include "truth/truth.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

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

const Row kRows[] = {
    {"Rolling", "BallsRollInGrooves",
     "A ball of 1 cm to 1 m that rolls along a groove or on two rails, level or down a slope, at 30 to 240 steps a "
     "second, has after up to 5 s the speed of one that turns about the axis through both contacts",
     "%", 0.5, 100, grooves, "", "", "a = g sin(slope) / (1 + 2/5 (radius / arm)^2)", "jacobi=2.5"},
    {"Rolling", "BallsCircleOnTurntables",
     "A solid ball that rolls on a turntable is back where it was after a circle, about any point, with 2/7 of the "
     "turntable's rate",
     "% of its way from the axis", 0.5, 50, orbits, "", "", "omega = 2/7 Omega"},
};

}  // namespace

std::span<const Row> roller_rows() {
  return kRows;
}

}  // namespace talus::truth
