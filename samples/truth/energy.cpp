// SPDX-License-Identifier: MIT
// Nothing gains energy from contacts, and what rolls goes on rolling.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "truth/experiment.h"

namespace talus::truth {

namespace {

constexpr double kLift = 0.005;  // [m] by which soft contacts may lift what sank

/// What a scene may have at the most, as a part of what it may gain: 1 % of what it started with, counted from the
/// ground, and the energy of 5 mm of height for each body.
double gain_of(World& world, double mass, int steps) {
  const Mechanics start = world.mechanics();
  const double energy = start.kinetic_energy + start.potential_energy,
               allowed = 0.01 * energy + mass * kGravity * kLift;
  double most = 0.0;
  for (int step = 0; step < steps; ++step) {
    if (has(world.step(kStep).status, StepStatus::not_finite)) return std::nan("");
    const Mechanics now = world.mechanics();
    most = std::max(most, now.kinetic_energy + now.potential_energy - energy);
  }
  return most / allowed;
}

/// Boxes and capsules of up to 30:1, and spheres.
ShapeDef random_shape(Random& random) {
  const double size = random.log_between(0.1, 1.0);
  const auto edge = [&] { return float(size / random.log_between(1.0, 30.0)); };
  const int kind = random.index(3);
  if (kind == 0) return sphere(float(size));
  const float a = edge(), b = edge();
  if (kind == 1) return capsule(a, float(size));
  return box({a, float(size), b});
}

Worst drops(const Variant& variant, int trials, std::uint64_t seed) {
  Random random(seed);
  Worst worst;
  for (int i = 0; i < trials; ++i) {
    WorldDef def{.solver = variant.settings};
    def.sleep.enabled = false;
    World world(def);
    world.add_body({.shape = plane({0.0f, 1.0f, 0.0f}), .material = {.friction = 1.0f, .restitution = 1.0f}});
    const int bodies = 1 + random.index(6);
    const double restitution = random.between(0.0, 1.0), friction = random.between(0.0, 1.0);
    double mass = 0.0;
    for (int body = 0; body < bodies; ++body) {
      const double kg = random.log_between(0.1, 10.0);
      const Vec3 v = random.direction(), w = random.direction();
      const double speed = random.between(0.0, 5.0), spin = random.between(0.0, 10.0);
      const auto times = [](double s, Vec3 d) { return Vec3{float(s * d.x), float(s * d.y), float(s * d.z)}; };
      world.add_body({.shape = random_shape(random),
                      .mass = float(kg),
                      .position = {float(random.between(-0.5, 0.5)), 1.8f + 3.2f * float(body), 0.0f},
                      .orientation = random.orientation(),
                      .linear_velocity = times(speed, v),
                      .angular_velocity = times(spin, w),
                      .material = {.friction = float(friction), .restitution = float(restitution)}});
      mass += kg;
    }
    char text[128];
    std::snprintf(text, sizeof(text), "trial %d: %d bodies, friction %.3f, restitution %.3f", i, bodies, friction,
                  restitution);
    worst.add(gain_of(world, mass, 300), text);
  }
  return worst;
}

Worst needles(const Variant& variant, int trials, std::uint64_t seed) {
  Random random(seed);
  Worst worst;
  for (int i = 0; i < trials; ++i) {
    WorldDef def{.solver = variant.settings};
    def.sleep.enabled = false;
    World world(def);
    world.add_body({.shape = plane({0.0f, 1.0f, 0.0f})});
    const bool round = random.index(2) == 0;
    const double spin = random.log_between(0.01, 30.0);
    const Vec3 axis = random.direction();
    world.add_body({.shape = round ? capsule(0.5e-3f, 5.0f) : box({0.5e-3f, 5.0f, 0.5e-3f}),
                    .position = {0.0f, float(random.between(5.1, 8.0)), 0.0f},
                    .orientation = random.orientation(),
                    .angular_velocity = {float(spin * axis.x), float(spin * axis.y), float(spin * axis.z)}});
    char text[128];
    std::snprintf(text, sizeof(text), "trial %d: %s, %.3f rad/s", i, round ? "capsule" : "box", spin);
    worst.add(gain_of(world, 1000.0 * (round ? 3.14159 * 0.25e-6 * 10 : 1e-5), 300), text);
  }
  return worst;
}

Worst rolling(const Variant& variant, int trials, std::uint64_t seed) {
  Random random(seed);
  Worst worst;
  for (int i = 0; i < trials; ++i) {
    WorldDef def{.solver = variant.settings};
    def.sleep.enabled = false;
    World world(def);
    world.add_body({.shape = plane({0.0f, 1.0f, 0.0f})});
    const double radius = random.log_between(0.05, 1.0), length = radius * random.between(0.2, 5.0);
    const double speed = random.log_between(0.1, 10.0), heading = random.between(0.0, 6.283);
    const double c = std::cos(heading), s = std::sin(heading), w = speed / radius;
    // Its own y axis lies along (-s, 0, c), across the way.
    const double half = std::sqrt(0.5);
    const BodyId id = world.add_body({.shape = capsule(float(radius), float(length)),
                                      .position = {0.0f, float(radius), 0.0f},
                                      .orientation = {float(half * c), 0.0f, float(half * s), float(half)},
                                      .linear_velocity = {float(speed * c), 0.0f, float(speed * s)},
                                      .angular_velocity = {float(w * s), 0.0f, float(-w * c)}});
    char text[160];
    std::snprintf(text, sizeof(text), "capsule of radius %.4f m, half length %.4f m, %.3f m/s towards %.4f rad", radius,
                  length, speed, heading);
    const bool fine = bool(world.step_n(600, kStep));
    const Vec3 v = world.linear_velocity(id);
    worst.add(fine ? std::hypot(v.x - speed * c, double(v.y), v.z - speed * s) / speed : std::nan(""), text);
  }
  return worst;
}

const Row kRows[] = {
    {"Energy", "DropsGainNoEnergy",
     "Up to six spheres, boxes and capsules of up to 30:1 that fall on the ground and on each other, with any friction "
     "and restitution, never have more kinetic and potential energy than at the start, but for 1 % and 5 mm of height.",
     "of what is allowed", 0.3, 500, drops, "rigid rigid_block rigid_nncg shock",
     "Rigid contacts and shock propagation: by Newton's law of restitution with friction an impact may ask for more "
     "energy than there was, and they have no budget for it."},
    {"Energy", "NeedlesGainNoEnergy",
     "A needle, 1 mm thick and 10 m long, that is dropped tumbling stays finite and gains no energy, but for 1 % and 5 "
     "mm of height.",
     "of what is allowed", 0.3, 500, needles, "shock",
     "Shock propagation: a step starts from the impulses of the one before, and after an impact its few sweeps do not "
     "take them back where one corner of a needle turns it about its axis and another one across."},
    {"Energy", "CapsulesRollOn",
     "A capsule that rolls on the ground without slip, in any direction, has its velocity after 10 s.", "1", 5e-4, 200,
     rolling},
};

}  // namespace

std::span<const Row> energy_rows() {
  return kRows;
}

}  // namespace talus::truth
