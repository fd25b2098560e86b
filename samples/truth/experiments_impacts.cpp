// SPDX-License-Identifier: MIT
// Experiments on impacts: bounces, billiards, cradles, see-saws.
#include <algorithm>
#include <vector>

#include "truth/experiment.h"

namespace talus::truth {
namespace {

constexpr const char* kGroup = "Experiments: impacts";

/// A variant that lets slow impacts bounce, too.
Variant bouncy(const Variant& variant) {
  Variant v = variant;
  v.settings.restitution_threshold = 0.02f;  // [m/s]
  return v;
}

// ---- bounces --------------------------------------------------------------------------------------------------------

// Bender et al. 2014, section 7.3: a ball let go at 1 m comes up to e^2 m.
Worst bounce_height(const Variant& variant, int, std::uint64_t) {
  Worst worst;
  for (const double e : {0.3, 0.5, 0.8, 1.0}) {
    Bench bench(variant);
    bench.floor(rough(0.5, e));
    const BodyId ball = bench.add({.shape = sphere(0.1f), .position = {0, 1.1f, 0}, .material = rough(0.5, e)});
    bool up = false;
    double highest = 0;
    for (int i = 0; i < 120; ++i) {
      bench.step();
      const double speed = bench.velocity(ball).y;
      up = up || speed > 0;
      if (up) highest = std::max(highest, bench.position(ball).y - 0.1);
      if (up && speed < 0) break;
    }
    worst.compare(highest, e * e, 1.0, "restitution " + std::to_string(e));
  }
  return worst;
}
// It has bounced for the last time after sqrt(2 h / g) (1 + e) / (1 - e).
Worst bounce_time(const Variant& variant, int, std::uint64_t) {
  const double e = 0.7;
  Bench bench(bouncy(variant));
  bench.floor(rough(0.5, e));
  const BodyId ball = bench.add({.shape = sphere(0.1f), .position = {0, 1.1f, 0}, .material = rough(0.5, e)});
  double last = 0;
  for (int i = 1; i < 600; ++i) {
    bench.step();
    if (std::abs(bench.velocity(ball).y) > 0.05) last = i * bench.dt();
  }
  const double expected = std::sqrt(2 / kGravity) * (1 + e) / (1 - e);
  Worst worst;
  worst.compare(last, expected, expected, "1 m, restitution 0.7");
  return worst;
}
// A spinning ball that hits the ground askew: it grips, or skids (Vondrak 2005, section 6.5.4).
Worst oblique_bounce(const Variant& variant, int, std::uint64_t) {
  Worst worst;
  for (const double along : {1.0, 2.0, 5.0, 10.0}) {
    const double e = 0.5, friction = 0.3, down = 5;
    Bench bench(variant, {0, 0, 0});
    bench.floor(rough(friction, e));
    const BodyId ball = bench.add({.shape = sphere(0.1f),
                                   .position = {0, 0.2f, 0},
                                   .linear_velocity = {float(along), float(-down), 0},
                                   .material = rough(friction, e)});
    bench.run(6);
    const double grips = 5.0 / 7 * along, skids = along - friction * (1 + e) * down;
    worst.compare(bench.velocity(ball).x, std::max(grips, skids), 1.0,
                  "5 m/s down, " + std::to_string(along) + " along");
  }
  return worst;
}
// A rod that hits a smooth floor with one end: v_end leaves with e times its speed; w = (1 + e) v c / (k^2 + c^2).
Worst rod_impact(const Variant& variant, int, std::uint64_t) {
  const double e = 0.5, half = 0.5, radius = 0.05, lean = 30 * kDegree, down = 3;
  const double moment = 1.0 / 12, arm = half * std::cos(lean);  // [kg m^2] of 1 kg; [m] level distance of the end
  Bench bench(variant, {0, 0, 0});
  bench.floor({.friction = 0, .restitution = float(e), .friction_combine = Combine::minimum});
  const BodyId rod = bench.add({.shape = capsule(float(radius), float(half)),
                                .mass = 1.0f,
                                .inertia = Vec3{float(moment), 0.001f, float(moment)},
                                .position = {0, float(half * std::sin(lean) + radius + 0.1), 0},
                                .orientation = turn({0, 0, 1}, lean - kPi / 2),
                                .linear_velocity = {0, float(-down), 0},
                                .material = {.friction = 0, .restitution = float(e)}});
  bench.run(3);
  const double impulse = (1 + e) * down / (1 + arm * arm / moment);
  Worst worst;
  worst.compare(bench.velocity(rod).y, impulse - down, 1.0, "3 m/s, 30 degrees, restitution 0.5");
  return worst;
}

// ---- billiards ------------------------------------------------------------------------------------------------------

struct Shot {
  Vecd cue, object;  // [m/s] velocities after the impact
};
/// A ball hits a resting one with 2 m/s, such that the line of centres is at an angle from its way, after
/// a gap [m]. No table, no gravity.
Shot shoot(const Variant& variant, double angle, double friction, double e, double gap) {
  const double radius = 0.03;
  Bench bench(bouncy(variant), {0, 0, 0});
  const Material material = rough(friction, e);
  const Vecd line{std::cos(angle), std::sin(angle), 0};
  const Vecd start = (-2 * radius) * line - Vecd{gap, 0, 0};
  const BodyId object = bench.add({.shape = sphere(float(radius)), .mass = 0.2f, .material = material});
  const BodyId cue = bench.add({.shape = sphere(float(radius)),
                                .mass = 0.2f,
                                .position = scenes::to_vec3(start),
                                .linear_velocity = {2, 0, 0},
                                .material = material});
  bench.run(6);
  return {bench.velocity(cue), bench.velocity(object)};
}
// Elastic and smooth: the two leave at right angles.
Worst right_angle(const Variant& variant, int, std::uint64_t) {
  Worst worst;
  for (const double angle : {10.0, 30.0, 45.0, 60.0}) {
    const Shot shot = shoot(variant, angle * kDegree, 0, 1, 0.02);
    const double between = std::acos(dot(shot.cue, shot.object) / (length(shot.cue) * length(shot.object))) / kDegree;
    worst.compare(between, 90, 1.0, "line of centres at " + std::to_string(angle) + " degrees");
  }
  return worst;
}
// The object ball leaves along the line of centres.
Worst line_of_centres(const Variant& variant, int, std::uint64_t) {
  Worst worst;
  for (const double angle : {10.0, 30.0, 45.0, 60.0}) {
    const Shot shot = shoot(variant, angle * kDegree, 0, 1, 0.02);
    worst.compare(std::atan2(shot.object.y, shot.object.x) / kDegree, angle, 1.0, "a gap of 2 cm before the impact");
  }
  return worst;
}
// Friction throws the object ball off the line of centres by min(mu, sin a / (7/2 (1 + e) cos a)).
Worst throw_angle(const Variant& variant, int, std::uint64_t) {
  Worst worst;
  for (const double angle : {10.0, 30.0, 45.0, 60.0}) {
    const double friction = 0.06, e = 0.9, a = angle * kDegree;
    const Shot shot = shoot(variant, a, friction, e, 1e-4);
    const double thrown = a - std::atan2(shot.object.y, shot.object.x);
    const double grips = 2 * std::tan(a) / (7 * (1 + e));
    worst.compare(thrown / kDegree, std::atan(std::min(friction, grips)) / kDegree, 1.0,
                  "line of centres at " + std::to_string(angle) + " degrees");
  }
  return worst;
}

// ---- many at once ---------------------------------------------------------------------------------------------------

/// Speeds of five equal balls after the first one hit the four others with 1 m/s; a gap between them.
std::vector<double> cradle(const Variant& variant, double gap) {
  Bench bench(bouncy(variant), {0, 0, 0});
  std::vector<BodyId> balls;
  balls.reserve(5);
  for (int i = 0; i < 5; ++i) {
    balls.push_back(bench.add({.shape = sphere(0.05f),
                               .mass = 1.0f,
                               .position = {float(i * (0.1 + gap) - (i == 0 ? 0.05 : 0.0)), 0, 0},
                               .linear_velocity = {i == 0 ? 1.0f : 0.0f, 0, 0},
                               .material = rough(0, 1)}));
  }
  bench.run(60);
  std::vector<double> speeds;
  speeds.reserve(balls.size());
  for (const BodyId ball : balls) speeds.push_back(bench.velocity(ball).x);
  return speeds;
}
// Touching: all impacts at once, by Newton's law at each contact (-3/5, then 2/5 four times; Bender et al. 2014).
Worst touching_cradle(const Variant& variant, int, std::uint64_t) {
  const std::vector<double> speeds = cradle(variant, 0);
  Worst worst;
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    worst.compare(speeds[i], i == 0 ? -0.6 : 0.4, 1.0, "ball " + std::to_string(i + 1));
  }
  return worst;
}
// A hair apart: one after another, as the toy does it.
Worst parted_cradle(const Variant& variant, int, std::uint64_t) {
  const std::vector<double> speeds = cradle(variant, 0.02);
  Worst worst;
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    worst.compare(speeds[i], i == 4 ? 1.0 : 0.0, 1.0, "ball " + std::to_string(i + 1));
  }
  return worst;
}

// Bender et al. 2014, section 7.3: a weight falls on one end of a see-saw and launches what lies on the other. No
// bounce: plank, weight and load move together, w = M v l / (I + (M + m) l^2).
Worst see_saw(const Variant& variant, int, std::uint64_t) {
  const double weight = 4, load = 1, plank = 2, arm = 1, speed = 3;  // [kg, kg, kg, m, m/s]
  Bench bench(variant, {0, 0, 0});
  const BodyId board = bench.add(
      {.shape = box({1.1f, 0.05f, 0.2f}), .mass = float(plank), .position = {0, 0, 0}, .material = rough(0.5)});
  bench.world().add_joint(hinge_joint(kWorld, board, {0, 0, 0}, {0, 0, 1}));
  bench.add({.shape = box({0.1f, 0.1f, 0.1f}),
             .mass = float(weight),
             .position = {float(-arm), 0.25f, 0},
             .linear_velocity = {0, float(-speed), 0},
             .material = rough(0.0)});
  const BodyId launched = bench.add({.shape = box({0.1f, 0.1f, 0.1f}),
                                     .mass = float(load),
                                     .position = {float(arm), 0.15f, 0},
                                     .material = rough(0.0)});
  bench.run(3);
  const double cube = 0.04 / 6;  // [m^2] the boxes turn with the plank
  const double moment =
      plank * (2.2 * 2.2 + 0.1 * 0.1) / 12 + weight * arm * arm + load * arm * arm + (weight + load) * cube;
  const double spin = weight * speed * arm / moment;
  Worst worst;
  worst.compare(bench.velocity(launched).y, spin * arm, spin * arm, "4 kg with 3 m/s on a see-saw with 1 kg");
  return worst;
}

// Vondrak 2005, simultaneous impacts: a cube that falls flat must not turn.
Worst flat_drop(const Variant& variant, int, std::uint64_t) {
  Bench bench(variant);
  bench.floor(rough(0.5));
  const BodyId low = bench.add({.shape = box({0.5f, 0.5f, 0.5f}), .position = {0, 1.5f, 0}, .material = rough(0.5)});
  const BodyId high = bench.add({.shape = box({0.5f, 0.5f, 0.5f}), .position = {0, 3.0f, 0}, .material = rough(0.5)});
  Worst worst;
  for (int i = 0; i < 120; ++i) {
    bench.step();
    worst.compare(std::max(length(bench.spin(low)), length(bench.spin(high))), 0, 1.0, "step " + std::to_string(i));
  }
  return worst;
}
// Bender et al. 2014, section 7.3: a rack of fifteen balls is broken in the middle; what follows is its own mirror
// image.
Worst break_shot(const Variant& variant, int, std::uint64_t) {
  Bench bench(bouncy(variant), {0, 0, 0});
  std::vector<BodyId> balls;
  std::vector<int> mirror;
  const double radius = 0.03;
  for (int row = 0; row < 5; ++row) {
    for (int i = 0; i <= row; ++i) {
      mirror.push_back(int(balls.size()) - i + (row - i));
      balls.push_back(bench.add({.shape = sphere(float(radius)),
                                 .mass = 0.2f,
                                 .position = {float(row * radius * std::sqrt(3.0)), 0, float((2 * i - row) * radius)},
                                 .material = rough(0.05, 0.95)}));
    }
  }
  bench.add({.shape = sphere(float(radius)),
             .mass = 0.2f,
             .position = {-0.2f, 0, 0},
             .linear_velocity = {5, 0, 0},
             .material = rough(0.05, 0.95)});
  bench.run(30);
  Worst worst;
  for (std::size_t i = 0; i < balls.size(); ++i) {
    const Vecd a = bench.velocity(balls[i]), b = bench.velocity(balls[std::size_t(mirror[i])]);
    worst.compare(length(Vecd{a.x - b.x, a.y - b.y, a.z + b.z}), 0, 5.0, "ball " + std::to_string(i));
  }
  return worst;
}

const Row kRows[] = {
    {.group = kGroup,
     .name = "BounceHeight",
     .statement = "Height to which a ball let go at 1 m bounces, for restitutions 0.3, 0.5, 0.8 and 1 (Bender et al. "
                  "2014, section 7.3).",
     .unit = "m",
     .bound = 0.25,
     .trials = 1,
     .measure = bounce_height,
     .reference = "e^2 h"},
    {.group = kGroup,
     .name = "LastBounce",
     .statement = "Time after which a ball with restitution 0.7 let go at 1 m has done all its infinitely many bounces "
                  "(with bounces down to 0.02 m/s), relative.",
     .unit = "1",
     .bound = 0.6,
     .trials = 1,
     .measure = bounce_time,
     .reference = "sqrt(2 h / g) (1 + e) / (1 - e)"},
    {.group = kGroup,
     .name = "ObliqueBounce",
     .statement = "Speed along the ground after an oblique impact, of balls that grip and that skid (Vondrak 2005, "
                  "impulsive friction).",
     .unit = "m/s",
     .bound = 0.0001,
     .trials = 1,
     .measure = oblique_bounce,
     .reference = "max(5/7 v, v - mu (1 + e) v_n)"},
    {.group = kGroup,
     .name = "RodOnOneEnd",
     .statement = "Speed of a rod that hits a smooth floor with one end at 30 degrees.",
     .unit = "m/s",
     .bound = 0.0001,
     .trials = 1,
     .measure = rod_impact,
     .reference = "J = (1 + e) v / (1/m + arm^2 / I)"},
    {.group = kGroup,
     .name = "BilliardRightAngle",
     .statement = "Angle between two balls after an elastic impact without friction.",
     .unit = "degree",
     .bound = 0.01,
     .trials = 1,
     .measure = right_angle,
     .reference = "90 degrees"},
    {.group = kGroup,
     .name = "BilliardLine",
     .statement = "Direction in which a ball leaves that was hit off its middle, with 2 m/s from 2 cm away.",
     .unit = "degree",
     .bound = 1e-5,
     .trials = 1,
     .measure = line_of_centres,
     .reference = "the line of centres when they touch"},
    {.group = kGroup,
     .name = "BilliardThrow",
     .statement = "Angle by which friction throws the object ball off the line of centres, from 0.1 mm away.",
     .unit = "degree",
     .bound = 0.25,
     .trials = 1,
     .measure = throw_angle,
     .reference = "atan min(mu, 2 tan a / (7 (1 + e)))"},
    {.group = kGroup,
     .name = "CradleTouching",
     .statement = "Five balls that touch, the first one comes with 1 m/s. talus solves all impacts at once; the toy on "
                  "the desk does it one after another.",
     .unit = "m/s",
     .bound = 0.08,
     .trials = 1,
     .measure = touching_cradle,
     .not_for = "jacobi",
     .why_not = "as many sweeps as the default does are too few for it.",
     .reference = "-3/5, 2/5, 2/5, 2/5, 2/5 (Bender et al. 2014: simultaneous impacts by Newton's law)"},
    {.group = kGroup,
     .name = "CradleParted",
     .statement = "Five balls 2 cm apart: one impact after another, as in the toy.",
     .unit = "m/s",
     .bound = 0.01,
     .trials = 1,
     .measure = parted_cradle,
     .reference = "0, 0, 0, 0, 1",
     .bounds = "jacobi=0.012"},
    {.group = kGroup,
     .name = "SeeSaw",
     .statement = "Speed with which a weight that falls on a see-saw launches a load on the other end, relative "
                  "(Bender et al. 2014, section 7.3).",
     .unit = "1",
     .bound = 0.05,
     .trials = 1,
     .measure = see_saw,
     .not_for = "default jacobi projection",
     .why_not = "their few sweeps a sub-step do not carry the impact through the plank at once: the load is thrown "
                "before the weight has slowed.",
     .reference = "w = M v l / (I + (M + m) l^2)"},
    {.group = kGroup,
     .name = "FlatDrop",
     .statement = "Spin of cubes that fall flat on the ground and on each other (Vondrak 2005, simultaneous impacts).",
     .unit = "rad/s",
     .bound = 0.025,
     .trials = 1,
     .measure = flat_drop,
     .reference = "0"},
    {.group = kGroup,
     .name = "BreakShot",
     .statement = "Fifteen balls are broken in the middle: how far velocities are from their own mirror image, "
                  "relative to the cue ball's (Bender et al. 2014, section 7.3).",
     .unit = "1",
     .bound = 0.06,
     .trials = 1,
     .measure = break_shot,
     .reference = "mirror image",
     .bounds = "projection=0.08"},
};

}  // namespace

std::span<const Row> impact_rows() {
  return kRows;
}

}  // namespace talus::truth
