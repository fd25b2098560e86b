// SPDX-License-Identifier: MIT
// Nothing gains energy from contacts, and what rolls goes on rolling.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "truth/experiment.h"

namespace talus::truth {

namespace {

constexpr double kLift = 0.005;     // [m] by which soft contacts may lift what sank
constexpr double kNeedle = 0.5e-3;  // [m] half the thickness of a needle of 10 m

Vec3 times(double s, Vec3 v) {
  return {float(s * double(v.x)), float(s * double(v.y)), float(s * double(v.z))};
}

/// What a scene gains, as parts of what it may gain: 1 % of what it started with, counted from the ground, and the
/// energy of 5 mm of height for each body.
struct Gain {
  double above_start = 0.0;  // the most that it ever has more than at the start
  double above_least = 0.0;  // the most that it ever has more than at any time before
};
Gain gain_of(World& world, double mass, int steps) {
  const Mechanics start = world.mechanics();
  const double energy = start.kinetic_energy + start.potential_energy,
               allowed = 0.01 * energy + mass * kGravity * kLift;
  double most = 0.0, climb = 0.0, least = energy;
  for (int step = 0; step < steps; ++step) {
    if (has(world.step(kStep).status, StepStatus::not_finite)) return {std::nan(""), std::nan("")};
    const Mechanics now = world.mechanics();
    const double has_now = now.kinetic_energy + now.potential_energy;
    most = std::max(most, has_now - energy);
    climb = std::max(climb, has_now - least);
    least = std::min(least, has_now);
  }
  return {most / allowed, climb / allowed};
}

/// Spheres, boxes and capsules of up to 30:1, plates, needles of up to 10,000:1, some of them flat.
ShapeDef random_shape(Random& random) {
  const double size = random.log_between(0.1, 1.0);
  const int kind = random.index(5);
  const auto edge = [&] {
    return float(size / (kind == 4 ? random.log_between(30.0, 1e4) : random.log_between(1.0, 30.0)));
  };
  const float a = edge(), b = edge();
  if (kind == 0) return sphere(float(size));
  if (kind == 1) return capsule(a, float(size));
  if (kind == 2) return box({float(size), a, float(size)});
  return box({a, float(size), b});
}

Worst drops(const Variant& variant, int trials, std::uint64_t seed) {
  Random random(seed);
  Worst worst;
  for (int i = 0; i < trials; ++i) {
    const int bodies = 1 + random.index(6);
    const Material material = rough(random.between(0.0, 2.0), random.between(0.0, 1.0));
    const double fastest = random.log_between(1.0, 100.0);  // [rad/s]
    Bench bench(variant);
    bench.floor(material);
    double mass = 0.0;
    for (int body = 0; body < bodies; ++body) {
      const double kg = random.log_between(0.1, 10.0);
      const ShapeDef shape = random_shape(random);
      const Vec3 v = random.direction(), w = random.direction();
      bench.add({.shape = shape,
                 .mass = float(kg),
                 .position = {float(random.between(-0.5, 0.5)), 1.8f + 3.2f * float(body), 0.0f},
                 .orientation = random.orientation(),
                 .linear_velocity = times(random.between(0.0, 5.0), v),
                 .angular_velocity = times(random.between(0.0, fastest), w),
                 .material = material});
      mass += kg;
    }
    char text[160];
    std::snprintf(text, sizeof(text), "trial %d: %d bodies, friction %.3f, restitution %.3f, up to %.1f rad/s", i,
                  bodies, double(material.friction), double(material.restitution), fastest);
    worst.add(gain_of(bench.world(), mass, 300).above_start, text);
  }
  return worst;
}

/// Boxes that lie on each other, and one that falls on them.
Worst piles(const Variant& variant, int trials, std::uint64_t seed) {
  Random random(seed);
  Worst worst;
  for (int i = 0; i < trials; ++i) {
    const int lying = 1 + random.index(5);
    const Material material =
        rough(random.between(0.0, 2.0), random.index(2) == 0 ? random.between(0.9, 1.0) : random.between(0.0, 1.0));
    Bench bench(variant);
    bench.floor(material);
    double mass = 0.0, top = 0.0;
    for (int body = 0; body <= lying; ++body) {
      const double kg = random.log_between(0.1, 10.0), half = random.between(0.05, 0.3),
                   gap = random.index(2) * random.between(0.0, 0.01);
      const ShapeDef shape = box({float(random.between(0.2, 0.5)), float(half), float(random.between(0.2, 0.5))});
      const bool falls = body == lying;
      const double height = random.log_between(0.1, 3.0), spin = random.log_between(0.1, 100.0);
      const Vec3 w = random.direction();
      const Quat q = random.orientation();
      bench.add(
          {.shape = shape,
           .mass = float(kg),
           .position = {float(random.between(-0.15, 0.15)), float(falls ? top + 0.8 + height : top + gap + half), 0.0f},
           .orientation = falls ? q : turn({0.0f, 1.0f, 0.0f}, random.between(0.0, kPi)),
           .angular_velocity = times(falls ? spin : 0.0, w),
           .material = material});
      top += gap + 2 * half;
      mass += kg;
    }
    char text[160];
    std::snprintf(text, sizeof(text), "trial %d: %d bodies, friction %.3f, restitution %.3f", i, lying + 1,
                  double(material.friction), double(material.restitution));
    worst.add(gain_of(bench.world(), mass, 300).above_start, text);
  }
  return worst;
}

Worst needles(const Variant& variant, int trials, std::uint64_t seed) {
  Random random(seed);
  Worst worst;
  for (int i = 0; i < trials; ++i) {
    const Material material = rough(random.between(0.0, 2.0), random.index(2) * random.between(0.0, 1.0));
    Bench bench(variant);
    bench.floor(material);
    const bool round = random.index(2) == 0;
    const double spin = random.log_between(0.01, 30.0);
    const Vec3 axis = random.direction();
    const ShapeDef needle = round ? capsule(float(kNeedle), 5.0f) : box({float(kNeedle), 5.0f, float(kNeedle)});
    bench.add({.shape = needle,
               .mass = 0.01f,
               .position = {0.0f, float(random.between(5.1, 8.0)), 0.0f},
               .orientation = random.orientation(),
               .angular_velocity = times(spin, axis),
               .material = material});
    char text[160];
    std::snprintf(text, sizeof(text), "trial %d: %s, %.3f rad/s, friction %.3f, restitution %.3f", i,
                  round ? "capsule" : "box", spin, double(material.friction), double(material.restitution));
    worst.add(gain_of(bench.world(), 0.01, 300).above_start, text);
  }
  return worst;
}

/// Spheres, boxes and capsules of up to 5:1.
ShapeDef random_piece(Random& random) {
  const double size = random.between(0.1, 0.3), a = size / random.between(1.0, 5.0),
               b = size / random.between(1.0, 5.0);
  const int kind = random.index(3);
  if (kind == 0) return sphere(float(size));
  if (kind == 1) return capsule(float(a), float(1.05 * size - a));
  return box({float(a), float(size), float(b)});
}
/// [m^3]
double volume_of(const ShapeDef& shape) {
  const double x = double(shape.size.x), y = double(shape.size.y), z = double(shape.size.z);
  if (shape.type == ShapeType::sphere) return 4.0 / 3 * kPi * x * x * x;
  if (shape.type == ShapeType::capsule) return kPi * x * x * (4.0 / 3 * x + 2.0 * y);
  return 8.0 * x * y * z;
}

/// [m] Of a sphere around it.
double reach_of(const ShapeDef& shape) {
  const double x = double(shape.size.x), y = double(shape.size.y), z = double(shape.size.z);
  if (shape.type == ShapeType::sphere) return x;
  return shape.type == ShapeType::capsule ? x + y : std::sqrt(x * x + y * y + z * z);
}

/// Bodies of densities up to 80:1, in nine columns that fall down, on a plane or between walls.
Worst random_piles(const Variant& variant, int trials, std::uint64_t seed, double Gain::*which) {
  constexpr double kPitch = 1.15, kHigh = 0.1;  // [m] more than two bodies are long; half the thickness of a wall
  Random random(seed);
  Worst worst;
  for (int i = 0; i < trials; ++i) {
    const int bodies = 5 + random.index(36);
    const bool walls = random.index(2) == 0;
    const Material material = rough(random.between(0.0, 1.0), random.index(2) * random.between(0.0, 0.5));
    Bench bench(variant);
    bench.floor(material);
    const float inside = float(1.5 * kPitch), tall = 6.0f;
    for (int wall = 0; walls && wall < 4; ++wall) {
      const float away = (wall % 2 == 0 ? -1.0f : 1.0f) * (inside + float(kHigh));
      const bool along = wall < 2;
      bench.add({.shape = box({along ? float(kHigh) : inside, tall, along ? inside : float(kHigh)}),
                 .motion = Motion::fixed,
                 .position = {along ? away : 0.0f, tall, along ? 0.0f : away},
                 .material = material});
    }
    double mass = 0.0, top[9] = {};
    for (int body = 0; body < bodies; ++body) {
      const ShapeDef shape = random_piece(random);
      const double kg = volume_of(shape) * random.log_between(100.0, 8000.0);
      const int column = body % 9, line = column / 3;
      const double reach = reach_of(shape), height = top[column] + random.between(0.0, 0.3) + reach;
      top[column] = height + reach;
      const Vec3 at{float(kPitch * (column % 3 - 1)), float(height), float(kPitch * (line - 1))};
      bench.add({.shape = shape,
                 .mass = float(kg),
                 .position = at,
                 .orientation = random.orientation(),
                 .material = material});
      mass += kg;
    }
    char text[160];
    std::snprintf(text, sizeof(text), "trial %d: %d bodies %s, friction %.3f, restitution %.3f", i, bodies,
                  walls ? "between walls" : "on a plane", double(material.friction), double(material.restitution));
    worst.add(gain_of(bench.world(), mass, 300).*which, text);
  }
  return worst;
}
Worst random_piles_gain(const Variant& variant, int trials, std::uint64_t seed) {
  return random_piles(variant, trials, seed, &Gain::above_start);
}
Worst random_piles_rise(const Variant& variant, int trials, std::uint64_t seed) {
  return random_piles(variant, trials, seed, &Gain::above_least);
}

Worst rolling(const Variant& variant, int trials, std::uint64_t seed) {
  Random random(seed);
  Worst worst;
  for (int i = 0; i < trials; ++i) {
    Bench bench(variant);
    bench.floor({});
    const double radius = random.log_between(0.05, 1.0), length = radius * random.between(0.2, 5.0);
    const double speed = random.log_between(0.01, 10.0), heading = random.between(0.0, 2.0 * kPi);
    const double c = std::cos(heading), s = std::sin(heading), w = speed / radius;
    // Its own y axis lies along (-s, 0, c), across the way.
    const double half = std::sqrt(0.5);
    const BodyId id = bench.add({.shape = capsule(float(radius), float(length)),
                                 .position = {0.0f, float(radius), 0.0f},
                                 .orientation = {float(half * c), 0.0f, float(half * s), float(half)},
                                 .linear_velocity = {float(speed * c), 0.0f, float(speed * s)},
                                 .angular_velocity = {float(w * s), 0.0f, float(-w * c)}});
    char text[160];
    std::snprintf(text, sizeof(text), "capsule of radius %.4f m, half length %.4f m, %.3f m/s towards %.4f rad", radius,
                  length, speed, heading);
    const bool fine = bool(bench.world().step_n(600, kStep));
    const Vecd v = bench.velocity(id);
    worst.add(fine ? std::hypot(v.x - speed * c, v.y, v.z - speed * s) / speed : std::nan(""), text);
  }
  return worst;
}

constexpr const char* kLifted =
    "One of 500 piles is lifted in a step by more than its velocities lose; why is not known.";

const Row kRows[] = {
    {"Energy", "DropsGainNoEnergy",
     "Up to six spheres, plates, boxes and capsules of up to 30:1 and needles of up to 10,000:1 that fall on the "
     "ground "
     "and on each other, with any restitution, friction to 2 and spins of up to 100 rad/s, never have more kinetic and "
     "potential energy than at the start, but for 1 % and 5 mm of height each.",
     "of what is allowed", 0.1, 500, drops},
    {"Energy", "PilesGainNoEnergy", "The same for one to five boxes that lie on each other and one that falls on them.",
     "of what is allowed", 0.1, 500, piles, "shock", kLifted, "", "rigid=0.3 rigid_block=0.3 rigid_nncg=0.3"},
    {"Energy", "NeedlesGainNoEnergy",
     "A needle, 1 mm thick and 10 m long, that is dropped tumbling, with any friction to 2 and restitution, stays "
     "finite and gains no energy, but for 1 % and 5 mm of height.",
     "of what is allowed", 0.1, 500, needles},
    {"Energy", "RandomPilesGainNoEnergy",
     "5 to 40 spheres, capsules and boxes of up to 5:1 and densities of 100 to 8,000 kg/m^3 that fall on each other, "
     "on "
     "a plane or between walls, with friction to 1 and, in half of the trials, restitution to 0.5, never have more "
     "energy than at the start, but for 1 % and 5 mm of height each.",
     "of what is allowed", 0.1, 200, random_piles_gain},
    {"Energy", "RandomPilesNeverRise",
     "The energy of the same piles never rises again by more than ten times that, from whatever it has fallen to.",
     "of what is allowed", 10.0, 200, random_piles_rise},
    {"Energy", "CapsulesRollOn",
     "A capsule that rolls on the ground without slip, in any direction, has its velocity after 10 s.", "1", 1e-3, 200,
     rolling},
};

}  // namespace

std::span<const Row> energy_rows() {
  return kRows;
}

}  // namespace talus::truth
