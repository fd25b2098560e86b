// SPDX-License-Identifier: MIT
// Experiments on what stands, leans, rocks, jams and falls over.
#include <algorithm>
#include <vector>

#include "truth/experiment.h"

namespace talus::truth {
namespace {

constexpr const char* kGroup = "Experiments: balance and jams";

// ---- toppling and rocking -------------------------------------------------------------------------------------------

// A block twice as high as wide on a slope with much friction: it tips over beyond atan(1/2).
Worst toppling(const Variant& variant, int, std::uint64_t) {
  double stands = 20, falls = 35;  // [degree]
  for (int i = 0; i < 8; ++i) {
    const double angle = (stands + falls) / 2 * kDegree;
    Bench bench(variant, {float(kGravity * std::sin(angle)), float(-kGravity * std::cos(angle)), 0});
    bench.floor(rough(2.0));
    const BodyId block =
        bench.add({.shape = box({0.25f, 0.5f, 0.25f}), .position = {0, 0.5f, 0}, .material = rough(2.0)});
    bench.run(300);
    const bool standing = axis_in_world(bench.world().pose(block), {0, 1, 0}).y > 0.9;
    (standing ? stands : falls) = angle / kDegree;
  }
  Worst worst;
  worst.compare((stands + falls) / 2, std::atan(0.5) / kDegree, 1.0, "1 m high, 0.5 m wide, 5 s");
  return worst;
}

// Housner (1963): a slender block let go on one of its edges swings through upright; there it meets its other edge and
// keeps (1 - 3/2 sin^2 a)^2 of its energy, tan a = width over height.
struct Rocking {
  double quarter;  // [s] until the block is upright
  double next;     // [rad] lean of the next turning point, on the other edge
};
constexpr double kHalfWidth = 0.2, kHalfHeight = 0.8, kTilt = 8 * kDegree;  // falls over from 14 degrees on
Rocking rock(const Variant& variant) {
  Bench bench(variant);
  bench.floor(rough(2.0));
  // Stands on its lower right edge, which is at the origin, leaning to the right by kTilt.
  const double radius = std::hypot(kHalfWidth, kHalfHeight), place = std::atan2(kHalfWidth, kHalfHeight) - kTilt;
  const BodyId block = bench.add({.shape = box({float(kHalfWidth), float(kHalfHeight), 0.3f}),
                                  .position = {float(-radius * std::sin(place)), float(radius * std::cos(place)), 0},
                                  .orientation = turn({0, 0, 1}, -kTilt),
                                  .material = rough(2.0)});
  Rocking found{0, 0};
  double before = kTilt;
  for (int i = 1; i < 180; ++i) {
    bench.step();
    const double lean = std::asin(axis_in_world(bench.world().pose(block), {0, 1, 0}).x);
    if (found.quarter == 0 && lean <= 0) found.quarter = bench.dt() * (i - lean / (lean - before));
    if (found.quarter > 0 && bench.spin(block).z < 0) break;  // turned back
    found.next = std::max(found.next, -lean);
    before = lean;
  }
  return found;
}
/// [rad/s] Spin of a block that fell from a lean to upright: (2/3) R w^2 = g (cos(alpha - lean) - cos alpha).
double upright_spin(double lean) {
  const double radius = std::hypot(kHalfWidth, kHalfHeight), alpha = std::atan2(kHalfWidth, kHalfHeight);
  return std::sqrt(1.5 * kGravity / radius * (std::cos(alpha - lean) - std::cos(alpha)));
}
Worst rocking_time(const Variant& variant, int, std::uint64_t) {
  // (4/3) R^2 a'' = g R sin(alpha - a) for the lean a.
  const double radius = std::hypot(kHalfWidth, kHalfHeight), alpha = std::atan2(kHalfWidth, kHalfHeight);
  std::array<double, 2> y{kTilt, 0};
  double time = 0;
  for (; y[0] > 0; time += 1e-5) {
    runge_kutta(y, 1e-5, [&](const std::array<double, 2>& s) {
      return std::array<double, 2>{s[1], -0.75 * kGravity / radius * std::sin(alpha - s[0])};
    });
  }
  Worst worst;
  worst.compare(rock(variant).quarter, time, time, "0.4 x 1.6 m, let go at 8 degrees");
  return worst;
}
Worst rocking_impact(const Variant& variant, int, std::uint64_t) {
  const double s = std::sin(std::atan2(kHalfWidth, kHalfHeight));
  Worst worst;
  worst.compare(upright_spin(rock(variant).next) / upright_spin(kTilt), 1 - 1.5 * s * s, 1.0,
                "0.4 x 1.6 m, let go at 8 degrees");
  return worst;
}

// ---- ladders --------------------------------------------------------------------------------------------------------

constexpr double kLadder = 4.0, kThick = 0.05;  // [m] between the centres of its ends, and their radius
/// A thin ladder against a wall at x = 0, at an angle from the floor.
BodyId add_ladder(Bench& bench, double angle, const Material& material) {
  const double moment = kLadder * kLadder / 12 * 10;
  return bench.add(
      {.shape = capsule(float(kThick), float(kLadder / 2)),
       .mass = 10.0f,
       .inertia = Vec3{float(moment), 0.02f, float(moment)},
       .position = {float(kThick + kLadder / 2 * std::cos(angle)), float(kThick + kLadder / 2 * std::sin(angle)), 0},
       .orientation = turn({0, 0, 1}, kPi / 2 - angle),
       .material = material});
}
double top_of_ladder(Bench& bench, BodyId ladder, double* x) {
  const Transform pose = bench.world().pose(ladder);
  const Vecd top = scenes::vec<double>(pose.position) + (kLadder / 2) * axis_in_world(pose, {0, 1, 0});
  *x = top.x;
  return top.y;
}

// Without friction its upper end leaves the wall at 2/3 of the height that it started from.
Worst sliding_ladder(const Variant& variant, int, std::uint64_t) {
  const double start = 75 * kDegree;
  Bench bench(variant);
  bench.floor(slippery());
  bench.add({.shape = plane({1, 0, 0}), .material = slippery()});
  const BodyId ladder = add_ladder(bench, start, slippery());
  double x = 0, height = 0;
  // The horizontal speed grows while the wall pushes and is constant from where it leaves.
  double fastest = 0, at = 0;
  for (int i = 0; i < 240; ++i) {
    bench.step();
    height = top_of_ladder(bench, ladder, &x) - kThick;
    if (height < 0.3 * kLadder) break;
    if (bench.velocity(ladder).x > fastest * (1 + 1e-4)) {
      fastest = bench.velocity(ladder).x;
      at = height;
    }
  }
  Worst worst;
  worst.compare(at / (kLadder * std::sin(start)), 2.0 / 3, 1.0, "4 m, let go at 75 degrees");
  return worst;
}
// A ladder on a rough floor against a smooth wall stands if tan of its angle is at least 1 / (2 mu).
Worst standing_ladder(const Variant& variant, int, std::uint64_t) {
  double slides = 30, stands = 70;  // [degree]
  for (int i = 0; i < 9; ++i) {
    const double angle = (slides + stands) / 2 * kDegree;
    Bench bench(variant);
    bench.floor(rough(0.5));
    bench.add({.shape = plane({1, 0, 0}), .material = slippery()});
    Material feet = rough(0.5);
    feet.friction_combine = Combine::minimum;  // so that the wall stays smooth
    const BodyId ladder = add_ladder(bench, angle, feet);
    const double before = bench.position(ladder).x;
    bench.run(180);
    (bench.position(ladder).x - before < 0.02 ? stands : slides) = angle / kDegree;
  }
  Worst worst;
  worst.compare((slides + stands) / 2, 45.0, 1.0, "friction 0.5 on the floor, none at the wall, 3 s");
  return worst;
}

// ---- jams and arches ------------------------------------------------------------------------------------------------

// A nutcracker: a roller between the floor and a heavy lid that is hinged to it. The roller is squeezed out if half the
// angle between the two is above the angle of friction, else it jams.
Worst nutcracker(const Variant& variant, int, std::uint64_t) {
  const double friction = 0.3, radius = 0.1, lid = 2.0, thick = 0.05;  // [1, m, m, m]
  double jams = 5, slips = 35;                                         // [degree] half the angle
  for (int i = 0; i < 9; ++i) {
    const double half = (jams + slips) / 2 * kDegree;
    Bench bench(variant);
    bench.floor(rough(friction));
    const Vecd along{std::cos(2 * half), std::sin(2 * half), 0}, up{-std::sin(2 * half), std::cos(2 * half), 0};
    const BodyId cover = bench.add({.shape = box({float(lid / 2), float(thick), 0.5f}),
                                    .mass = 5.0f,
                                    .position = scenes::to_vec3((lid / 2) * along + thick * up),
                                    .orientation = turn({0, 0, 1}, 2 * half),
                                    .material = rough(friction)});
    bench.world().add_joint(hinge_joint(kWorld, cover, {0, 0, 0}, {0, 0, 1}));
    const double start = radius / std::tan(half);
    const BodyId roller = bench.add({.shape = capsule(float(radius), 0.3f),
                                     .mass = 5.0f,
                                     .position = {float(start), float(radius), 0},
                                     .orientation = turn({1, 0, 0}, kPi / 2),
                                     .material = rough(friction),
                                     .gravity_scale = 0.0f});
    for (const BodyId fixed : bench.world().bodies()) {
      if (fixed != cover && fixed != roller) bench.world().ignore_pair(fixed, cover);
    }
    bench.run(60);
    (bench.position(roller).x - start < 0.05 ? jams : slips) = half / kDegree;
  }
  Worst worst;
  worst.compare((jams + slips) / 2, std::atan(friction) / kDegree, 1.0, "friction 0.3, 1 s, 5 cm");
  return worst;
}

// A third log on two that touch each other stays there if the logs' coefficient is above tan 15 degrees, on any floor
// that has a third of it.
Worst log_pile(const Variant& variant, int, std::uint64_t) {
  double rolls = 0.1, holds = 0.6;
  for (int i = 0; i < 8; ++i) {
    const double friction = (rolls + holds) / 2;
    Bench bench(variant);
    bench.floor(rough(1.0));
    const double radius = 0.2;
    const auto log = [&](double x, double y) {
      return bench.add({.shape = capsule(float(radius), 1.0f),
                        .position = {float(x), float(y), 0},
                        .orientation = turn({1, 0, 0}, kPi / 2),
                        .material = rough(friction)});
    };
    log(-radius, radius);
    log(radius, radius);
    const BodyId top = log(0, radius * (1 + std::sqrt(3.0)));
    bench.run(180);
    (bench.position(top).y > 2.5 * radius ? holds : rolls) = friction;
  }
  Worst worst;
  worst.compare((rolls + holds) / 2, std::tan(15 * kDegree), std::tan(15 * kDegree), "logs of 0.2 m, 3 s");
  return worst;
}

// Books on the edge of a table, each beyond the one below by 1/(2 n) of its length: four reach 1.0417 half lengths out.
Worst overhang(const Variant& variant, int, std::uint64_t) {
  double stands = 0.8, falls = 1.2;  // of the harmonic overhang
  for (int i = 0; i < 7; ++i) {
    const double part = (stands + falls) / 2;
    Bench bench(variant);
    bench.add(
        {.shape = box({1, 0.5f, 1}), .motion = Motion::fixed, .position = {-1, -0.5f, 0}, .material = rough(0.5)});
    double x = -0.5;
    std::vector<BodyId> books;
    for (int book = 0; book < 4; ++book) {
      x += part * 0.5 / (4 - book);
      books.push_back(bench.add({.shape = box({0.5f, 0.05f, 0.3f}),
                                 .position = {float(x), float(0.05 + 0.1 * book), 0},
                                 .material = rough(0.5)}));
    }
    bench.run(300);
    (bench.position(books[3]).y > 0.3 ? stands : falls) = part;
  }
  Worst worst;
  worst.compare((stands + falls) / 2, 1.0, 1.0, "four books of 1 m, 5 s");
  return worst;
}

// A row of five books is pressed between a wall and a piston: it holds, like a flat arch, if 2 mu P is above its
// weight.
Worst row_of_books(const Variant& variant, int, std::uint64_t) {
  const double friction = 0.5, weight = 5 * kGravity;  // [1, N] books of 1 kg
  double falls = 0.5 * weight, holds = 2 * weight;     // [N]
  for (int i = 0; i < 8; ++i) {
    const double press = (falls + holds) / 2;
    Bench bench(variant);
    bench.add(
        {.shape = box({0.5f, 1, 1}), .motion = Motion::fixed, .position = {-0.5f, 0, 0}, .material = rough(friction)});
    std::vector<BodyId> books;
    books.reserve(5);
    for (int book = 0; book < 5; ++book) {
      books.push_back(bench.add({.shape = box({0.1f, 0.3f, 0.2f}),
                                 .mass = 1.0f,
                                 .position = {float(0.1 + 0.2 * book), 0, 0},
                                 .material = rough(friction)}));
    }
    const BodyId piston = bench.add(
        {.shape = box({0.1f, 0.3f, 0.2f}), .mass = 1.0f, .position = {1.1f, 0, 0}, .material = rough(friction)});
    bench.world().add_joint(slider_joint(kWorld, piston, {1.1f, 0, 0}, {1, 0, 0}));
    for (int step = 0; step < 120; ++step) {
      bench.world().apply_force(piston, {float(-press), 0, 0});
      bench.step();
    }
    (bench.position(books[2]).y > -0.1 ? holds : falls) = press;
  }
  Worst worst;
  worst.compare((falls + holds) / 2, weight / (2 * friction), weight / (2 * friction), "five books of 1 kg, 2 s");
  return worst;
}

const Row kRows[] = {
    {.group = kGroup,
     .name = "Toppling",
     .statement = "Slope on which a block of 0.5 x 1 m falls over within 5 s, by bisection.",
     .unit = "degree",
     .bound = 0.15,
     .trials = 1,
     .measure = toppling,
     .reference = "atan(width / height)"},
    {.group = kGroup,
     .name = "RockingTime",
     .statement = "Time in which a slender block that rocks falls from 8 degrees to upright, relative.",
     .unit = "1",
     .bound = 0.04,
     .trials = 1,
     .measure = rocking_time,
     .reference = "4/3 R^2 a'' = -g R sin(alpha - a), Housner 1963"},
    {.group = kGroup,
     .name = "RockingImpact",
     .statement =
         "Part of its spin that a rocking block keeps when it meets its other edge, from the height of its next swing.",
     .unit = "1",
     .bound = 0.2,
     .trials = 1,
     .measure = rocking_impact,
     .reference = "1 - 3/2 sin^2 alpha, Housner 1963",
     .bounds = "rigid=0.4 rigid_block=0.4 rigid_nncg=0.4 shock=0.4"},
    {.group = kGroup,
     .name = "SlidingLadder",
     .statement = "Height, as part of the first one, at which a ladder that slides without friction leaves the wall.",
     .unit = "1",
     .bound = 0.08,
     .trials = 1,
     .measure = sliding_ladder,
     .reference = "2/3"},
    {.group = kGroup,
     .name = "StandingLadder",
     .statement = "Least angle at which a ladder stands on a rough floor against a smooth wall, by bisection.",
     .unit = "degree",
     .bound = 1.2,
     .trials = 1,
     .measure = standing_ladder,
     .reference = "atan(1 / (2 mu))",
     .bounds = "rigid=1.5 rigid_block=1.5 rigid_nncg=1.5 shock=1.5"},
    {.group = kGroup,
     .name = "Nutcracker",
     .statement = "Half the opening of a nutcracker up to which a roller jams in it, by bisection.",
     .unit = "degree",
     .bound = 4,
     .trials = 1,
     .measure = nutcracker,
     .reference = "atan mu"},
    {.group = kGroup,
     .name = "LogPile",
     .statement = "Friction that a log needs to lie on two others, the smallest arch, by bisection, relative.",
     .unit = "1",
     .bound = 0.03,
     .trials = 1,
     .measure = log_pile,
     .reference = "tan 15 degrees"},
    {.group = kGroup,
     .name = "Overhang",
     .statement =
         "Overhang at which four stacked books fall off a table within 5 s, as part of the harmonic one, by bisection.",
     .unit = "1",
     .bound = 0.04,
     .trials = 1,
     .measure = overhang,
     .reference = "1/2 + 1/4 + 1/6 + 1/8 of a length",
     .bounds = "jacobi=0.1"},
    {.group = kGroup,
     .name = "RowOfBooks",
     .statement = "Force between which five books hold like a flat arch, by bisection, relative.",
     .unit = "1",
     .bound = 0.03,
     .trials = 1,
     .measure = row_of_books,
     .not_for = "shock",
     .why_not = "books that are held by friction alone are no layers that stand on each other.",
     .reference = "P = weight / (2 mu)",
     .bounds = "jacobi=0.04 rigid=0.15 rigid_block=0.2 rigid_nncg=0.2"},
};

}  // namespace

std::span<const Row> balance_rows() {
  return kRows;
}

}  // namespace talus::truth
