// SPDX-License-Identifier: MIT
// Experiments with one or two joints: pendulums, tops, gyroscopes.
#include <algorithm>

#include "truth/experiment.h"

namespace talus::truth {
namespace {

constexpr const char* kGroup = "Experiments: pendulums and tops";

// ---- pendulums ------------------------------------------------------------------------------------------------------

constexpr double kLength = 1.0;  // [m] of rods

/// A thin rod of 1 kg that hangs from a hinge about z at the origin, turned by an angle from hanging straight down.
BodyDef rod(double angle) {
  const double moment = kLength * kLength / 12;
  return {.shape = capsule(0.02f, float(kLength / 2 - 0.02)),
          .mass = 1.0f,
          .inertia = Vec3{float(moment), 1e-3f, float(moment)},
          .position = {float(kLength / 2 * std::sin(angle)), float(-kLength / 2 * std::cos(angle)), 0},
          .orientation = turn({0, 0, 1}, angle)};
}
double angle_of(const Transform& pose) {
  const Vecd down = axis_in_world(pose, {0, -1, 0});
  return std::atan2(down.x, -down.y);
}

/// Period of a rod that swings with an amplitude, from its zero crossings over eight half swings.
Worst period(const Variant& variant, double amplitude) {
  Bench bench(variant);
  const BodyId body = bench.add(rod(amplitude));
  bench.world().add_joint(hinge_joint(kWorld, body, {0, 0, 0}, {0, 0, 1}));
  Crossings crossings;
  for (int i = 1; crossings.count() < 9 && i < 2000; ++i) {
    bench.step();
    crossings.add(i * bench.dt(), angle_of(bench.world().pose(body)));
  }
  // Arithmetic-geometric mean: T = 2 pi / (w agm(1, cos(a / 2))), w^2 = 3 g / (2 l).
  double a = 1, b = std::cos(amplitude / 2);
  for (int i = 0; i < 20; ++i) {
    const double mean = (a + b) / 2;
    b = std::sqrt(a * b);
    a = mean;
  }
  const double expected = 2 * kPi / (std::sqrt(1.5 * kGravity / kLength) * a);
  Worst worst;
  worst.compare((crossings.last() - crossings.first()) / 4, expected, expected,
                "amplitude " + std::to_string(amplitude / kDegree) + " degrees");
  return worst;
}
Worst small_swing(const Variant& variant, int, std::uint64_t) {
  return period(variant, 5 * kDegree);
}
Worst large_swing(const Variant& variant, int, std::uint64_t) {
  return period(variant, 150 * kDegree);
}

// Two rods, the second on the end of the first, let go from the horizontal: where its end is after 1 s.
Worst double_pendulum(const Variant& variant, int, std::uint64_t) {
  const double l = kLength, c = l / 2, moment = l * l / 12;
  using State = std::array<double, 4>;  // angles from straight down, rates; masses 1 kg
  const auto rate = [&](const State& y) {
    const double d = y[0] - y[1], a = moment + c * c + l * l, b = l * c * std::cos(d), e = moment + c * c;
    const double p = -l * c * std::sin(d) * y[3] * y[3] - kGravity * (c + l) * std::sin(y[0]);
    const double q = l * c * std::sin(d) * y[2] * y[2] - kGravity * c * std::sin(y[1]);
    const double det = a * e - b * b;
    return State{y[2], y[3], (p * e - b * q) / det, (a * q - b * p) / det};
  };
  State truth{kPi / 2, kPi / 2, 0, 0};
  for (int i = 0; i < 1000; ++i) runge_kutta(truth, 1e-3, rate);

  Bench bench(variant);
  BodyDef upper = rod(kPi / 2), lower = upper;
  lower.position.x += float(l);
  const BodyId a = bench.add(upper), b = bench.add(lower);
  bench.world().add_joint(hinge_joint(kWorld, a, {0, 0, 0}, {0, 0, 1}));
  bench.world().add_joint(hinge_joint(a, b, {float(l), 0, 0}, {0, 0, 1}));
  bench.run(60);
  const Transform pose = bench.world().pose(b);
  const Vecd end = scenes::vec<double>(pose.position) + c * axis_in_world(pose, {0, -1, 0});
  const Vecd expected{l * std::sin(truth[0]) + l * std::sin(truth[1]), -l * std::cos(truth[0]) - l * std::cos(truth[1]),
                      0};
  Worst worst;
  worst.add(length(end - expected), "end at " + std::to_string(end.x) + ", " + std::to_string(end.y));
  return worst;
}

// ---- tops -----------------------------------------------------------------------------------------------------------

/// A disk on a stick of length l whose other end is held in the origin: axis along body y.
struct Top {
  double mass = 1, arm = 0.2;                // [kg, m]
  double along = 0.01, across = 0.006;       // [kg m^2] about the centre of mass
  double lean = 20 * kDegree, spin = 100.0;  // [rad, rad/s]
  double precession = 0.0;                   // [rad/s] at the start
};

struct TopMotion {
  double azimuth;                // [rad] that the axis has gone round
  double least_lean, most_lean;  // [rad]
};

/// Axis, momentum about the support: L' = r x m g; w from L.
TopMotion true_top(const Top& top, double seconds) {
  const double across = top.across + top.mass * top.arm * top.arm;
  using State = std::array<double, 6>;  // axis, angular momentum across and along, in the world
  const auto rate = [&](const State& y) {
    const Vecd u{y[0], y[1], y[2]}, l{y[3], y[4], y[5]};
    const double part = dot(l, u);
    const Vecd w = (part / top.along) * u + (1 / across) * (l - part * u);
    const Vecd du = cross(w, u), dl = cross(top.arm * u, Vecd{0, -top.mass * kGravity, 0});
    return State{du.x, du.y, du.z, dl.x, dl.y, dl.z};
  };
  const Vecd axis{std::sin(top.lean), std::cos(top.lean), 0};
  const Vecd turning{0, top.precession, 0};
  const Vecd w = turning + (top.spin - dot(turning, axis)) * axis;
  const double part = dot(w, axis);
  const Vecd l = (top.along * part) * axis + across * (w - part * axis);
  State y{axis.x, axis.y, axis.z, l.x, l.y, l.z};
  Unwrap azimuth;
  TopMotion motion{0, top.lean, top.lean};
  const int steps = int(seconds * 10000);
  for (int i = 0; i <= steps; ++i) {
    if (i > 0) runge_kutta(y, 1e-4, rate);
    motion.azimuth = azimuth(std::atan2(-y[2], y[0]));
    const double lean = std::acos(std::min(1.0, y[1]));
    motion.least_lean = std::min(motion.least_lean, lean);
    motion.most_lean = std::max(motion.most_lean, lean);
  }
  return motion;
}

TopMotion talus_top(const Variant& variant, const Top& top, double seconds) {
  Bench bench(variant);
  const Vecd axis{std::sin(top.lean), std::cos(top.lean), 0};
  const Vecd turning{0, top.precession, 0};
  const Vecd w = turning + (top.spin - dot(turning, axis)) * axis;
  const BodyId body = bench.add({.shape = box({0.1f, 0.02f, 0.1f}),
                                 .mass = float(top.mass),
                                 .inertia = Vec3{float(top.across), float(top.along), float(top.across)},
                                 .position = scenes::to_vec3(top.arm * axis),
                                 .orientation = turn({0, 0, 1}, -top.lean),
                                 .linear_velocity = scenes::to_vec3(cross(w, top.arm * axis)),
                                 .angular_velocity = scenes::to_vec3(w)});
  bench.world().add_joint(ball_joint(kWorld, body, {0, 0, 0}));
  Unwrap azimuth;
  TopMotion motion{0, top.lean, top.lean};
  const int steps = int(std::lround(seconds / bench.dt()));
  for (int i = 0; i <= steps; ++i) {
    if (i > 0) bench.step();
    const Vecd u = axis_in_world(bench.world().pose(body), {0, 1, 0});
    motion.azimuth = azimuth(std::atan2(-u.z, u.x));
    const double lean = std::acos(std::min(1.0, u.y));
    motion.least_lean = std::min(motion.least_lean, lean);
    motion.most_lean = std::max(motion.most_lean, lean);
  }
  return motion;
}

Worst top_precession(const Variant& variant, int, std::uint64_t) {
  const Top top;
  Worst worst;
  const double truth = true_top(top, 5).azimuth;
  worst.compare(talus_top(variant, top, 5).azimuth, truth, std::abs(truth), "100 rad/s, lean 20 degrees, 5 s");
  return worst;
}
Worst top_nutation(const Variant& variant, int, std::uint64_t) {
  const Top top{.spin = 40};
  const TopMotion truth = true_top(top, 1), found = talus_top(variant, top, 1);
  Worst worst;
  worst.compare((found.most_lean - found.least_lean) / kDegree, (truth.most_lean - truth.least_lean) / kDegree, 1.0,
                "40 rad/s let go at 20 degrees, 1 s");
  return worst;
}
// A gyroscope whose axis is level and that was set to its steady rate, m g l / (I w).
Worst gyroscope(const Variant& variant, int, std::uint64_t) {
  Top top{.lean = 90 * kDegree, .spin = 200};
  const double rate = top.mass * kGravity * top.arm / (top.along * top.spin);
  top.precession = rate;
  Worst worst;
  worst.compare(talus_top(variant, top, 5).azimuth / 5, rate, rate, "200 rad/s, axis level, 5 s");
  return worst;
}
// A top that spins faster than 2 sqrt(m g l I1) / I3 stays upright though it is pushed by 1 degree, a slow one falls.
Worst sleeping_top(const Variant& variant, int, std::uint64_t) {
  Worst worst;
  for (const double spin : {100.0, 50.0}) {
    const Top top{.lean = 1 * kDegree, .spin = spin};
    const double truth = true_top(top, 2).most_lean, found = talus_top(variant, top, 2).most_lean;
    worst.compare(found / kDegree, truth / kDegree, 1.0, "spin " + std::to_string(spin) + " rad/s");
  }
  return worst;
}

const Row kRows[] = {
    {.group = kGroup,
     .name = "PendulumSmall",
     .statement = "Period of a rod that swings by 5 degrees, relative.",
     .unit = "1",
     .bound = 0.0001,
     .trials = 1,
     .measure = small_swing,
     .reference = "T = 2 pi sqrt(2 l / 3 g), with the correction for the amplitude",
     .bounds = "rigid=0.0004 rigid_block=0.0004 rigid_nncg=0.0004 shock=0.0004"},
    {.group = kGroup,
     .name = "PendulumLarge",
     .statement = "Period of a rod that swings by 150 degrees, relative.",
     .unit = "1",
     .bound = 0.004,
     .trials = 1,
     .measure = large_swing,
     .reference = "T = 4 K(sin(a / 2)) sqrt(2 l / 3 g), K the complete elliptic integral",
     .bounds = "rigid=0.2 rigid_block=0.2 rigid_nncg=0.2 shock=0.2"},
    {.group = kGroup,
     .name = "DoublePendulum",
     .statement = "End of two rods of 1 m let go from the horizontal, after 1 s.",
     .unit = "m",
     .bound = 0.02,
     .trials = 1,
     .measure = double_pendulum,
     .reference = "equations of motion by Runge-Kutta, double precision, steps of 1 ms",
     .bounds = "rigid=0.06 rigid_block=0.06 rigid_nncg=0.06 shock=0.06"},
    {.group = kGroup,
     .name = "TopPrecession",
     .statement =
         "How far the axis of a top goes round in 5 s (spin 100 rad/s, lean 20 degrees, on a ball joint), relative.",
     .unit = "1",
     .bound = 0.03,
     .trials = 1,
     .measure = top_precession,
     .reference = "equations of motion by Runge-Kutta, double precision, steps of 0.1 ms"},
    {.group = kGroup,
     .name = "TopNutation",
     .statement = "How far the axis of a top that was let go nods (spin 40 rad/s, first second).",
     .unit = "degree",
     .bound = 0.2,
     .trials = 1,
     .measure = top_nutation,
     .reference = "equations of motion by Runge-Kutta, double precision, steps of 0.1 ms",
     .bounds = "rigid=1.5 rigid_block=1.5 rigid_nncg=1.5 shock=1.5"},
    {.group = kGroup,
     .name = "Gyroscope",
     .statement = "Rate of precession of a gyroscope with a level axis (spin 200 rad/s), relative.",
     .unit = "1",
     .bound = 0.0012,
     .trials = 1,
     .measure = gyroscope,
     .not_for = "rigid rigid_block rigid_nncg shock",
     .why_not = "these have one sub-step, in which the wheel turns by 3.3 rad.",
     .reference = "m g l / (I w)"},
    {.group = kGroup,
     .name = "SleepingTop",
     .statement = "Largest lean within 2 s of tops that start 1 degree from upright: one of 100 rad/s stays there, one "
                  "of 50 rad/s falls; the limit is 60 rad/s.",
     .unit = "degree",
     .bound = 1,
     .trials = 1,
     .measure = sleeping_top,
     .not_for = "rigid rigid_block rigid_nncg shock",
     .why_not = "as for Gyroscope.",
     .reference = "equations of motion; limit 2 sqrt(m g l I1) / I3"},
};

}  // namespace

std::span<const Row> joint_rows() {
  return kRows;
}

}  // namespace talus::truth
