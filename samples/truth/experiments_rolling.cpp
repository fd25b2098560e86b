// SPDX-License-Identifier: MIT
// Experiments with one body that slides or rolls: slopes, spin, curved ground.
#include <algorithm>

#include "truth/experiment.h"

namespace talus::truth {
namespace {

constexpr const char* kGroup = "Experiments: sliding and rolling";

/// Gravity that makes the floor a slope down along +x.
Vec3 slope(double angle) {
  return {float(kGravity * std::sin(angle)), float(-kGravity * std::cos(angle)), 0};
}
/// Way of the scheme under a constant acceleration from rest. [m]
double way(double acceleration, const Bench& bench, int steps) {
  const double h = bench.dt() / bench.substeps(), n = double(steps) * bench.substeps();
  return acceleration * h * h * n * (n + 1) / 2;
}

// ---- slopes ---------------------------------------------------------------------------------------------------------

constexpr int kSlideSteps = 60;
double slid(const Variant& variant, double angle, double friction, int steps, int* substeps) {
  Bench bench(variant, slope(angle));
  bench.floor(rough(friction));
  const BodyId block =
      bench.add({.shape = box({0.3f, 0.1f, 0.2f}), .position = {0, 0.1f, 0}, .material = rough(friction)});
  bench.run(steps);
  *substeps = bench.substeps();
  return bench.position(block).x;
}

// Andrews, Erleben, Ferguson 2022, section 1.5.1: a box on a slope of 30 degrees with friction 0.5.
Worst sliding_block(const Variant& variant, int, std::uint64_t) {
  int substeps = 1;
  const double x = slid(variant, 30 * kDegree, 0.5, kSlideSteps, &substeps);
  const Bench bench(variant);
  const double expected = way(kGravity * (std::sin(30 * kDegree) - 0.5 * std::cos(30 * kDegree)), bench, kSlideSteps);
  Worst worst;
  worst.compare(x, expected, expected, "30 degrees, friction 0.5, first second");
  return worst;
}
// Bender et al. 2014, section 7.3: 26 degrees hold at friction 0.5, 27 slide; the angle of friction is 26.565 degrees.
Worst holding_block(const Variant& variant, int, std::uint64_t) {
  int substeps = 1;
  Worst worst;
  worst.compare(1e3 * slid(variant, 26 * kDegree, 0.5, 600, &substeps), 0, 1.0, "26 degrees, 10 s");
  return worst;
}
Worst friction_angle(const Variant& variant, int, std::uint64_t) {
  double holds = 20, slides = 35;  // [degree]
  for (int i = 0; i < 10; ++i) {
    const double angle = (holds + slides) / 2;
    int substeps = 1;
    const bool held = slid(variant, angle * kDegree, 0.5, 300, &substeps) < 0.01;
    (held ? holds : slides) = angle;
  }
  Worst worst;
  worst.compare((holds + slides) / 2, std::atan(0.5) / kDegree, 1.0, "friction 0.5, 5 s, 1 cm");
  return worst;
}

/// Acceleration of a ball with moment `part` m r^2 that rolls down a slope, from its speed after a second.
Worst roll_down(const Variant& variant, double angle, double friction, double part, double expected) {
  Bench bench(variant, slope(angle));
  bench.floor(rough(friction));
  const float moment = float(part * 0.25);
  const BodyId ball = bench.add({.shape = sphere(0.5f),
                                 .mass = 1.0f,
                                 .inertia = Vec3{moment, moment, moment},
                                 .position = {0, 0.5f, 0},
                                 .material = rough(friction)});
  bench.run(60);
  Worst worst;
  worst.compare(bench.velocity(ball).x, expected, expected, "slope of " + std::to_string(angle / kDegree) + " degrees");
  return worst;
}
Worst rolling_ball(const Variant& variant, int, std::uint64_t) {
  return roll_down(variant, 20 * kDegree, 0.5, 0.4, 5.0 / 7 * kGravity * std::sin(20 * kDegree));
}
Worst hollow_ball(const Variant& variant, int, std::uint64_t) {
  return roll_down(variant, 20 * kDegree, 0.5, 2.0 / 3, 0.6 * kGravity * std::sin(20 * kDegree));
}
// A ball slips where tan > 7/2 of the coefficient: 45 degrees with friction 0.2.
Worst slipping_ball(const Variant& variant, int, std::uint64_t) {
  const double angle = 45 * kDegree;
  return roll_down(variant, angle, 0.2, 0.4, kGravity * (std::sin(angle) - 0.2 * std::cos(angle)));
}

// ---- sliding into rolling -------------------------------------------------------------------------------------------

// v0 = 7 m/s, friction 0.3: rolls with 5 m/s.
Worst bowling_ball(const Variant& variant, int, std::uint64_t) {
  Bench bench(variant);
  bench.floor(rough(0.3));
  const BodyId ball = bench.add(
      {.shape = sphere(0.1f), .position = {0, 0.1f, 0}, .linear_velocity = {7, 0, 0}, .material = rough(0.3)});
  bench.run(120);
  Worst worst;
  worst.compare(bench.velocity(ball).x, 5.0, 5.0, "7 m/s, friction 0.3");
  return worst;
}
// With back spin the ball comes back: v = 5/7 v0 - 2/7 r w0.
Worst back_spin(const Variant& variant, int, std::uint64_t) {
  const double radius = 0.1, speed = 2, spin = 100;
  Bench bench(variant);
  bench.floor(rough(0.3));
  const BodyId ball = bench.add({.shape = sphere(float(radius)),
                                 .position = {0, float(radius), 0},
                                 .linear_velocity = {float(speed), 0, 0},
                                 .angular_velocity = {0, 0, float(spin)},
                                 .material = rough(0.3)});
  bench.run(180);
  Worst worst;
  const double expected = 5.0 / 7 * speed - 2.0 / 7 * radius * spin;
  worst.compare(bench.velocity(ball).x, expected, std::abs(expected), "2 m/s forward, spin 100 rad/s backward");
  return worst;
}
// A billiard ball with side spin about an axis that leans: its path is a parabola until it rolls (Coriolis 1835).
Worst masse(const Variant& variant, int, std::uint64_t) {
  const double radius = 0.03, friction = 0.2;
  const Vecd v{1.0, 0, 0}, w{60.0, 0, 0};  // slip: v + w x (0, -r, 0) = (1, 0, -1.8) m/s
  Bench bench(variant);
  bench.floor(rough(friction));
  const BodyId ball = bench.add({.shape = sphere(float(radius)),
                                 .position = {0, float(radius), 0},
                                 .linear_velocity = scenes::to_vec3(v),
                                 .angular_velocity = scenes::to_vec3(w),
                                 .material = rough(friction)});
  bench.run(180);
  const Vecd slip = v + cross(w, Vecd{0, -radius, 0});
  const Vecd expected = v - (2.0 / 7) * slip;
  Worst worst;
  worst.add(length(bench.velocity(ball) - expected) / length(expected), "slip starts askew to the path");
  return worst;
}

// ---- curved ground --------------------------------------------------------------------------------------------------

constexpr double kApart = 0.003;                             // [m] from which on the balls count as parted
constexpr double kLarge = 1.0, kSmall = 0.1, kStart = 0.05;  // [m, m, rad]

/// Angle from the top, in degrees, at which a small ball is kApart from a fixed one of 1 m that it fell off.
double parting_angle(const Variant& variant, double friction) {
  Bench bench(variant);
  bench.add({.shape = sphere(float(kLarge)), .motion = Motion::fixed, .material = rough(friction)});
  const double d = kLarge + kSmall;
  const BodyId ball = bench.add({.shape = sphere(float(kSmall)),
                                 .position = {float(d * std::sin(kStart)), float(d * std::cos(kStart)), 0},
                                 .material = rough(friction)});
  double before = 0, angle = 0;
  for (int i = 0; i < 600; ++i) {
    bench.step();
    const Vecd x = bench.position(ball);
    const double gap = length(x) - d, now = std::atan2(x.x, x.y);
    if (gap > kApart) {
      angle += (now - angle) * (kApart - before) / (gap - before);
      break;
    }
    before = gap;
    angle = now;
  }
  return angle / kDegree;
}
/// The same by energy, up to where the ground can no longer push, and a parabola from there. The ball moves with
/// v^2 = 2 g d (cos start - cos angle) / (1 + part), part = 2/5 if it rolls, and leaves where v^2 = g d cos angle.
double true_parting_angle(double part) {
  const double d = kLarge + kSmall, cosine = 2 * std::cos(kStart) / (3 + part), leaves = std::acos(cosine);
  const double speed = std::sqrt(kGravity * d * cosine);
  for (double t = 0;; t += 1e-5) {
    const double x = d * std::sin(leaves) + speed * cosine * t;
    const double y = d * cosine - speed * std::sin(leaves) * t - kGravity * t * t / 2;
    if (std::hypot(x, y) > d + kApart) return std::atan2(x, y) / kDegree;
  }
}
Worst leaves_slippery_ball(const Variant& variant, int, std::uint64_t) {
  Worst worst;
  worst.compare(parting_angle(variant, 0), true_parting_angle(0), 1.0, "no friction");
  return worst;
}
Worst leaves_rough_ball(const Variant& variant, int, std::uint64_t) {
  Worst worst;
  worst.compare(parting_angle(variant, 5), true_parting_angle(0.4), 1.0, "friction 5: it rolls");
  return worst;
}

// ---- carried --------------------------------------------------------------------------------------------------------

// A block is put on a belt that runs with 2 m/s: way that it is behind once it runs with it, v^2 / (2 mu g).
Worst conveyor(const Variant& variant, int, std::uint64_t) {
  const double speed = 2, friction = 0.4;
  Bench bench(variant);
  bench.add({.shape = box({20, 0.5f, 1}),
             .motion = Motion::kinematic,
             .position = {0, -0.5f, 0},
             .linear_velocity = {float(speed), 0, 0},
             .material = rough(friction)});
  const BodyId block =
      bench.add({.shape = box({0.2f, 0.1f, 0.2f}), .position = {0, 0.1f, 0}, .material = rough(friction)});
  bench.run(120);
  Worst worst;
  const double expected = speed * speed / (2 * friction * kGravity);
  worst.compare(speed * 120 * bench.dt() - bench.position(block).x, expected, expected, "2 m/s, friction 0.4");
  return worst;
}

const Row kRows[] = {
    {.group = kGroup,
     .name = "SlidingBlock",
     .statement = "Way of a block in its first second on a slope of 30 degrees with friction 0.5, relative (Andrews, "
                  "Erleben, Ferguson 2022).",
     .unit = "1",
     .bound = 0.02,
     .trials = 1,
     .measure = sliding_block,
     .reference = "a = g (sin - mu cos), way of the scheme",
     .bounds = "jacobi=0.1"},
    {.group = kGroup,
     .name = "HoldingBlock",
     .statement = "Way of a block in 10 s on a slope of 26 degrees with friction 0.5; it holds up to 26.565 (Bender et "
                  "al. 2014, section 7.3).",
     .unit = "mm",
     .bound = 0.3,
     .trials = 1,
     .measure = holding_block,
     .reference = "0",
     .bounds = "jacobi=1"},
    {.group = kGroup,
     .name = "FrictionAngle",
     .statement = "Angle from which on a block slides 1 cm within 5 s, by bisection.",
     .unit = "degree",
     .bound = 0.1,
     .trials = 1,
     .measure = friction_angle,
     .reference = "atan 0.5"},
    {.group = kGroup,
     .name = "RollingBall",
     .statement = "Speed of a solid ball after 1 s on a slope of 20 degrees, relative.",
     .unit = "1",
     .bound = 2e-05,
     .trials = 1,
     .measure = rolling_ball,
     .reference = "5/7 g sin t"},
    {.group = kGroup,
     .name = "HollowBall",
     .statement = "The same for a hollow ball, which loses Galileo's race.",
     .unit = "1",
     .bound = 2e-05,
     .trials = 1,
     .measure = hollow_ball,
     .reference = "3/5 g sin t"},
    {.group = kGroup,
     .name = "SlippingBall",
     .statement =
         "Speed of a solid ball after 1 s on a slope of 45 degrees with friction 0.2, where it slips, relative.",
     .unit = "1",
     .bound = 0.00025,
     .trials = 1,
     .measure = slipping_ball,
     .reference = "g (sin - mu cos) t",
     .bounds = "jacobi=0.0012"},
    {.group = kGroup,
     .name = "BowlingBall",
     .statement =
         "A ball that starts sliding ends rolling with 5/7 of its speed, relative (Andrews, Erleben, Ferguson 2022).",
     .unit = "1",
     .bound = 2e-05,
     .trials = 1,
     .measure = bowling_ball,
     .reference = "5/7 v0"},
    {.group = kGroup,
     .name = "BackSpin",
     .statement = "A ball with back spin comes back: its last speed, relative.",
     .unit = "1",
     .bound = 2e-05,
     .trials = 1,
     .measure = back_spin,
     .reference = "5/7 v0 - 2/7 r w0",
     .bounds = "projection=2.5e-05"},
    {.group = kGroup,
     .name = "Masse",
     .statement = "A billiard ball whose spin is askew to its path: its last velocity, relative.",
     .unit = "1",
     .bound = 2e-05,
     .trials = 1,
     .measure = masse,
     .reference = "v0 - 2/7 of the first slip, Coriolis 1835"},
    {.group = kGroup,
     .name = "LeavesSlipperyBall",
     .statement = "Angle at which a small ball that slides off a large one is 3 mm away from it (curved ground, Bender "
                  "et al. 2014, section 7.3).",
     .unit = "degree",
     .bound = 25,
     .trials = 1,
     .measure = leaves_slippery_ball,
     .reference = "leaves where cos = 2/3 of the start's, then a parabola"},
    {.group = kGroup,
     .name = "LeavesRoughBall",
     .statement = "The same for a ball that rolls.",
     .unit = "degree",
     .bound = 15,
     .trials = 1,
     .measure = leaves_rough_ball,
     .reference = "leaves where cos = 10/17 of the start's, then a parabola"},
    {.group = kGroup,
     .name = "Conveyor",
     .statement = "How far a block that is put on a moving belt stays behind, relative.",
     .unit = "1",
     .bound = 0.015,
     .trials = 1,
     .measure = conveyor,
     .reference = "v^2 / (2 mu g)",
     .bounds = "projection=0.025 rigid=0.08 rigid_block=0.08 rigid_nncg=0.08 shock=0.08"},
};

}  // namespace

std::span<const Row> rolling_rows() {
  return kRows;
}

}  // namespace talus::truth
