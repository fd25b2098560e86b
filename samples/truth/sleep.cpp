// SPDX-License-Identifier: MIT
// What sleeps is no wall: a world in which bodies may sleep goes on like one in which they may not.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "truth/experiment.h"

namespace talus::truth {

namespace {

/// The same scene twice: with sleep, and without.
struct Twins {
  Twins(const Variant& variant, Vec3 gravity)
      : sleepy(bench_def(variant, gravity), true), wakeful(bench_def(variant, gravity), false) {}
  struct Twin {
    Twin(WorldDef def, bool sleep) : world((def.sleep.enabled = sleep, def)) {}
    World world;
  };
  template <class Function>
  void both(Function&& function) {
    function(sleepy.world);
    function(wakeful.world);
  }
  BodyId add(const BodyDef& def) {
    wakeful.world.add_body(def);
    return sleepy.world.add_body(def);
  }
  /// [m/s] How much faster or slower a body is for sleep.
  double difference(BodyId body) {
    return length(scenes::vec<double>(sleepy.world.linear_velocity(body)) -
                  scenes::vec<double>(wakeful.world.linear_velocity(body)));
  }
  Twin sleepy, wakeful;
};

/// A body that rests, in free space or on ice, is struck by a ball: one that has been on its way for long, that starts
/// nearby when the other one sleeps, or is pushed then.
Worst strikes(const Variant& variant, int trials, std::uint64_t seed) {
  Worst worst;
  for (int i = 0; i < trials; ++i) {
    Random random(seed * 1000003u + std::uint64_t(i));
    const bool on_ice = random.index(2) == 0;
    const int way = random.index(4);
    const float rates[] = {30.0f, 60.0f, 120.0f, 240.0f};
    const float dt = 1.0f / rates[random.index(4)];
    const double speed = random.log_between(0.5, 30.0), radius = random.log_between(0.03, 0.3);
    const double size = random.log_between(0.1, 0.5), time = random.between(0.7, 1.5);
    Material material = slippery();
    material.restitution = float(random.index(2) * random.between(0.0, 0.9));
    Twins twins(variant, {0.0f, on_ice ? -9.81f : 0.0f, 0.0f});
    if (on_ice) twins.add({.shape = plane({0.0f, 1.0f, 0.0f}), .material = slippery()});
    const BodyId rests = twins.add({.shape = box({float(size), float(size), float(size)}),
                                    .mass = 1.0f,
                                    .position = {0.0f, float(size), 0.0f},
                                    .material = material});
    // Two in a row, or alone.
    const bool in_row = random.index(2) == 0;
    BodyDef second{.shape = sphere(float(size)),
                   .mass = 1.0f,
                   .position = {2.001f * float(size), float(size), 0.0f},
                   .material = material};
    const BodyId behind = in_row ? twins.add(second) : rests;
    const int asleep_for = int(time / double(dt));
    const double gap = way == 0 ? speed * time : random.between(0.1, 3.0) * speed * double(dt) + 0.01 * radius;
    BodyDef ball{.shape = sphere(float(radius)),
                 .mass = float(random.log_between(0.2, 5.0)),
                 .position = {float(-size - radius - gap), float(size), 0.0f},
                 .linear_velocity = {way >= 2 ? 0.0f : float(speed), 0.0f, 0.0f},
                 .material = material,
                 .gravity_scale = 0.0f};
    BodyId thrown{};
    if (way != 1) thrown = twins.add(ball);
    twins.both([&](World& world) { world.step_n(way == 0 ? 1 : asleep_for, dt); });
    if (way == 1) thrown = twins.add(ball);
    if (way == 2) {
      twins.both([&](World& world) { world.set_velocity(thrown, {float(speed), 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}); });
    }
    if (way == 3) {
      twins.both([&](World& world) {
        world.apply_impulse(thrown, {ball.mass.value_or(1.0f) * float(speed), 0.0f, 0.0f});
      });
    }
    twins.both([&](World& world) { world.step_n(int((gap / speed) / double(dt)) + 4, dt); });
    char text[160];
    std::snprintf(text, sizeof(text), "trial %d: %s, %s, ball of %.3g m at %.3g m/s, cube of %.3g m, steps of 1/%g s",
                  i, on_ice ? "on ice" : "free",
                  way == 0   ? "from afar"
                  : way == 1 ? "added"
                  : way == 2 ? "set in motion"
                             : "pushed",
                  radius, speed, 2.0 * size, double(1.0f / dt));
    worst.add(std::max({twins.difference(rests), twins.difference(behind), twins.difference(thrown)}) / speed, text);
  }
  return worst;
}

/// A kinematic plate under or beside a body that sleeps is set in motion.
Worst starts(const Variant& variant, int trials, std::uint64_t seed) {
  Worst worst;
  for (int i = 0; i < trials; ++i) {
    Random random(seed * 1000003u + std::uint64_t(i));
    const bool lifts = random.index(2) == 0;
    const double size = random.log_between(0.03, 0.3), speed = random.log_between(0.1, 10.0);
    const double thick = random.log_between(0.01, 0.2), gap = lifts ? 0.0 : random.between(0.0, 0.1);
    Twins twins(variant, {0.0f, -9.81f, 0.0f});
    twins.add({.shape = plane({0.0f, 1.0f, 0.0f}), .material = slippery()});
    const float half = float(0.5 * thick), low = lifts ? 2.0f * half : 0.0f;
    const BodyId rests =
        twins.add({.shape = random.index(2) == 0 ? sphere(float(size)) : box({float(size), float(size), float(size)}),
                   .mass = 1.0f,
                   .position = {0.0f, low + float(size), 0.0f},
                   .material = slippery()});
    const BodyId plate = twins.add({.shape = lifts ? box({1.0f, half, 1.0f}) : box({half, 1.0f, 1.0f}),
                                    .motion = Motion::kinematic,
                                    .position = {lifts ? 0.0f : float(-size - gap) - half, lifts ? half : 1.0f, 0.0f},
                                    .material = slippery()});
    const Vec3 v{lifts ? 0.0f : float(speed), lifts ? float(speed) : 0.0f, 0.0f};
    twins.both([&](World& world) {
      world.step_n(90, kStep);
      world.set_velocity(plate, v, {0.0f, 0.0f, 0.0f});
      world.step_n(int(gap / speed * 60.0) + 3, kStep);
    });
    char text[160];
    std::snprintf(text, sizeof(text), "trial %d: %s of %.3g m at %.3g m/s, body of %.3g m, %.3g m away", i,
                  lifts ? "lift" : "pusher", thick, speed, 2.0 * size, gap);
    worst.add(twins.difference(rests) / speed, text);
  }
  return worst;
}

const Row kRows[] = {
    {.group = "Sleep",
     .name = "SleepersAreNoWalls",
     .statement = "A cube that sleeps, alone or before a ball, free or on ice, is struck at 0.5 to 30 m/s by a ball "
                  "that has been "
                  "on its way for long, is added nearby, or pushed nearby, with restitution to 0.9, in steps of 1/30 "
                  "to 1/240 s: "
                  "all have the velocities that they have in a world without sleep, but for what a contact takes in "
                  "that began anew",
     .unit = "of the ball's speed",
     .bound = 0.002,
     .trials = 2000,
     .measure = strikes,
     .bounds = "default=0.25 jacobi=0.05 projection=0.3"},
    {.group = "Sleep",
     .name = "StartsWakeSleepers",
     .statement = "A kinematic plate of 1 to 20 cm that starts to move at 0.1 to 10 m/s under or beside a ball or cube "
                  "that sleeps moves it as in a world without sleep",
     .unit = "of the plate's speed",
     .bound = 0.002,
     .trials = 1000,
     .measure = starts,
     .bounds = "default=0.05 jacobi=0.02"},
};

}  // namespace

std::span<const Row> sleep_rows() {
  return kRows;
}

}  // namespace talus::truth
