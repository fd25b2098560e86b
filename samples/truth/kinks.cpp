// SPDX-License-Identifier: MIT
// What meets in a step is seldom what is nearest when it begins: the foot of a slope, lower and buried pieces of a
// floor, edges beside which something lands, bats that turn.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "truth/experiment.h"

namespace talus::truth {
namespace {

constexpr const char* kGroup = "Kinks and ledges";

float random_step(Random& random) {
  const float steps[] = {1.0f / 30, 1.0f / 60, 1.0f / 120, 1.0f / 240};
  return steps[random.index(4)];
}

/// A slope that begins where level ground ends, both fixed boxes, without friction. A ball loses what it has along the
/// normal of the slope. A box is turned by what lifts its front, and loses that and, when its back follows, little
/// more.
Worst kinks(const Variant& variant, int trials, std::uint64_t seed) {
  Worst worst;
  for (int trial = 0; trial < trials; ++trial) {
    Random random(seed * 1000003 + std::uint64_t(trial));
    const int kind = random.index(3);
    const double size = random.log_between(0.03, 0.5), rise = random.between(0.5, kind == 2 ? 5.0 : 20.0) * kDegree;
    const float dt = random_step(random);
    // What goes further than its size in a step is stopped on its way.
    const double speed = std::min(random.log_between(0.3, 10), 0.5 * size / double(dt));
    const double half = kind == 2 ? size * random.between(0.7, 1) : size, high = kind == 2 ? 0.5 * size : size;
    Bench bench(variant, {0, 0, 0}, dt);
    const float long_half = float(40 * size), thick = float(size), turned = float(rise);
    bench.add({.shape = box({long_half, thick, long_half}),
               .motion = Motion::fixed,
               .position = {-long_half, -thick, 0},
               .material = slippery()});
    const Vecd along{std::cos(rise), std::sin(rise), 0}, up{-std::sin(rise), std::cos(rise), 0};
    bench.add({.shape = box({long_half, thick, long_half}),
               .motion = Motion::fixed,
               .position = scenes::to_vec3(double(long_half) * along - double(thick) * up),
               .orientation = turn({0, 0, 1}, double(turned)),
               .material = slippery()});
    const BodyId body = bench.add({.shape = kind == 2   ? box({float(half), float(high), float(half)})
                                            : kind == 1 ? capsule(float(size), float(size))
                                                        : sphere(float(size)),
                                   .mass = 1.0f,
                                   .position = {float(-half - random.between(1, 2) * size), float(high), 0},
                                   .orientation = kind == 1 ? turn({1, 0, 0}, 0.5 * kPi) : Quat{0, 0, 0, 1},
                                   .linear_velocity = {float(speed), 0, 0},
                                   .material = slippery()});
    const int steps = int((3 * half + 3 * size) / (speed * double(dt))) + 4;
    bench.run(steps);
    const double after = length(bench.velocity(body));
    // A box may leave the slope, and turn back onto it: what it has lost by then counts.
    const double energy = bench.energy(), start = 0.5 * speed * speed;
    const double error = kind == 2
                             ? std::max({std::cos(rise) * std::cos(rise) - energy / start, energy / start - 1, 0.0})
                             : std::abs(after / (speed * std::cos(rise)) - 1);
    char line[200];
    std::snprintf(line, sizeof line,
                  "trial %d: %s of %.3g m at %.3g m/s, slope of %.3g degrees, 1/%.0f s, after %.4g m/s", trial,
                  kind == 2   ? "box"
                  : kind == 1 ? "capsule"
                              : "ball",
                  size, speed, rise / kDegree, 1 / dt, after);
    worst.add(100 * error, line);
  }
  return worst;
}

/// A box slides over level ground; beneath it is another fixed box, wholly buried, or it comes to a piece of the floor
/// that is lower. It does not feel the sides of these.
Worst steps_down(const Variant& variant, int trials, std::uint64_t seed) {
  Worst worst;
  for (int trial = 0; trial < trials; ++trial) {
    Random random(seed * 1000003 + std::uint64_t(trial));
    const bool buried = random.index(2) == 0;
    const double size = random.log_between(0.05, 0.5), depth = size * random.log_between(0.005, 0.3);
    const float dt = random_step(random);
    const double speed = std::min(random.log_between(0.5, 10), 0.5 * size / double(dt));
    Bench bench(variant, {0, -9.81f, 0}, dt);
    const float long_half = float(40 * size), thick = float(size);
    const BodyDef floor{.shape = box({long_half, thick, long_half}), .motion = Motion::fixed, .material = slippery()};
    BodyDef first = floor, second = floor;
    first.position = {buried ? 0.0f : -long_half, -thick, 0};
    second.position = {long_half, -thick - float(depth), 0};
    bench.add(first);
    bench.add(second);
    const BodyId body = bench.add({.shape = box({float(size), float(0.5 * size), float(size)}),
                                   .mass = 1.0f,
                                   .position = {float(-random.between(1.5, 3) * size), float(0.5 * size), 0},
                                   .linear_velocity = {float(speed), 0, 0},
                                   .material = slippery()});
    const int steps = int(8 * size / (speed * double(dt))) + 4;
    double slowest = speed;
    for (int i = 0; i < steps; ++i) {
      bench.step();
      slowest = std::min(slowest, bench.velocity(body).x);
    }
    char line[200];
    std::snprintf(line, sizeof line, "trial %d: box of %.3g m at %.3g m/s, %s by %.3g m, 1/%.0f s", trial, size, speed,
                  buried ? "one is buried" : "the floor is lower", depth, 1 / dt);
    worst.add(100 * (1 - slowest / speed), line);
  }
  return worst;
}

/// A kinematic plate that turns about its middle strikes a ball that floats.
Worst bats(const Variant& variant, int trials, std::uint64_t seed) {
  Worst worst;
  for (int trial = 0; trial < trials; ++trial) {
    Random random(seed * 1000003 + std::uint64_t(trial));
    const float dt = random_step(random);
    const double turns = random.between(0.02, 0.4), arm = random.between(0.4, 0.9);
    const double rate = std::max(turns / double(dt), 3.0 / arm);  // fast enough to bounce
    const double radius = random.between(0.03, 0.1), e = random.between(0.1, 0.9), thick = 0.02;
    const double angle = random.between(1.0, 2.5) * turns;  // until they touch
    Bench bench(variant, {0, 0, 0}, dt);
    const Material material = rough(0, e);
    bench.add({.shape = box({1.0f, float(thick), 0.5f}),
               .motion = Motion::kinematic,
               .angular_velocity = {0, 0, float(rate)},
               .material = material});
    // They touch when the ball is `arm` from the axis along the plate.
    const Vecd along{std::cos(angle), std::sin(angle), 0}, normal{-std::sin(angle), std::cos(angle), 0};
    const BodyId ball = bench.add({.shape = sphere(float(radius)),
                                   .mass = 1.0f,
                                   .position = scenes::to_vec3(arm * along + (thick + radius) * normal),
                                   .material = material});
    for (int i = 0; i < 6 && length(bench.velocity(ball)) == 0; ++i) bench.step();
    const Vecd wanted = (1 + e) * rate * arm * normal;
    char line[200];
    std::snprintf(line, sizeof line,
                  "trial %d: %.3g rad a step, arm %.3g m, ball of %.3g m, restitution %.3g, 1/%.0f s", trial, turns,
                  arm, radius, e, 1 / dt);
    worst.add(100 * length(bench.velocity(ball) - wanted) / length(wanted), line);
  }
  return worst;
}

/// A body that rests with its front at a seam, or next to it, is drawn along, over tiles or over a plane.
double speed_from_rest(const Variant& variant, const BodyDef& body, double tile, bool tiles, double front, Vec3 force,
                       float dt, int steps, const Material& floor) {
  Bench bench(variant, {0, -9.81f, 0}, dt);
  const float half = float(0.5 * tile);
  if (!tiles) bench.add({.shape = plane({0, 1, 0}), .material = floor});
  for (int x = -4; tiles && x <= 8; ++x) {
    for (int z = -2; z <= 1; ++z) {
      bench.add({.shape = box({half, half, half}),
                 .motion = Motion::fixed,
                 .position = {float(front + (x + 0.5) * tile), -half, float((z + 0.5) * tile)},
                 .material = floor});
    }
  }
  const BodyId id = bench.add(body);
  bench.run(30);
  for (int i = 0; i < steps; ++i) {
    bench.world().apply_force(id, force);
    bench.step();
  }
  const Vecd v = bench.velocity(id);
  return v.x - std::abs(v.y) - std::abs(v.z);
}

Worst starts(const Variant& variant, int trials, std::uint64_t seed) {
  Worst worst;
  for (int trial = 0; trial < trials; ++trial) {
    Random random(seed * 1000003 + std::uint64_t(trial));
    const float dt = random_step(random);
    const double size = random.log_between(0.05, 1), mu = random.between(0, 0.4), drive = random.log_between(0.05, 1);
    const auto part = [&] { return float(0.5 * size * random.between(0.6, 1)); };
    const Vec3 half{part(), part(), part()};
    const double gaps[] = {0, random.log_between(1e-5, 0.1) * size, -random.log_between(1e-5, 0.1) * size};
    const double gap = gaps[random.index(3)], tile = random.between(1.2, 3) * size;
    const bool by_the_rim = random.index(2) == 0;
    const Material floor{.friction = 1.0f, .friction_combine = Combine::multiply};
    const Material material{.friction = float(mu), .friction_combine = Combine::multiply};
    const BodyDef body{.shape = box(half),
                       .mass = 1.0f,
                       .position = {0, half.y, by_the_rim ? -half.z : float(-0.5 * tile)},
                       .material = material};
    const Vec3 force{float((mu + drive) * 9.81), 0, 0};
    const double front = double(half.x) + gap;
    const int steps = int(0.3 / double(dt));
    const auto speed = [&](bool tiles) {
      return speed_from_rest(variant, body, tile, tiles, front, force, dt, steps, floor);
    };
    const double whole = speed(false), over_seams = speed(true);
    char line[200];
    std::snprintf(line, sizeof line,
                  "trial %d: box of %.3g m, %.3g m before a seam, friction %.3g, drawn by %.3g g, 1/%.0f s: %.4g m/s, "
                  "%.4g on a plane",
                  trial, size, gap, mu, mu + drive, 1 / dt, over_seams, whole);
    worst.add(100 * std::abs(over_seams - whole) / ((mu + drive) * 9.81 * 0.3), line);
  }
  return worst;
}

/// What lands on tiles at an angle has the velocity that it has on a slab.
Worst landings(const Variant& variant, int trials, std::uint64_t seed) {
  Worst worst;
  for (int trial = 0; trial < trials; ++trial) {
    Random random(seed * 1000003 + std::uint64_t(trial));
    const float dt = random_step(random);
    const double size = random.log_between(0.05, 1), e = random.index(2) == 0 ? 0.0 : random.between(0.1, 0.9);
    const int kind = random.index(3);
    const auto part = [&] { return float(0.5 * size * random.between(0.4, 1)); };
    const float radius = part();
    const ShapeDef shape = kind == 0   ? box({part(), part(), part()})
                           : kind == 1 ? capsule(radius, part())
                                       : sphere(radius);
    const double high = double(kind == 0 ? shape.size.y : radius), heading = random.between(0, 2 * kPi);
    const double across = random.log_between(0.1, 20), down = random.log_between(0.3, 10);
    const double time = random.between(0.05, 2.5) * double(dt);  // until it lands
    const double fall = down * time;
    const Quat yaw = turn({0, 1, 0}, random.between(0, 2 * kPi));
    const double tile = random.between(0.8, 3) * size, x = random.between(0, tile), z = random.between(0, tile);
    const bool heavy_tiles = random.index(3) == 0;
    const Vecd along{std::cos(heading), 0, std::sin(heading)};
    const auto lands = [&](bool tiles) {
      Bench bench(variant, {0, 0, 0}, dt);
      const Material material = rough(0, e);
      const float half = float(0.5 * tile);
      const int reach = tiles ? 2 + int((across * 6 * double(dt) + size) / tile) : 0;
      if (!tiles) {
        bench.add({.shape = plane({0, 1, 0}), .material = material});
      } else {
        for (int i = -reach; i <= reach; ++i) {
          for (int j = -reach; j <= reach; ++j) {
            if (std::abs(i * along.z - j * along.x) > 3 + size / tile) continue;  // not on its way
            bench.add({.shape = box({half, half, half}),
                       .motion = heavy_tiles ? Motion::dynamic : Motion::fixed,
                       .mass = 1e5f,
                       .position = {float(x + i * tile), -half, float(z + j * tile)},
                       .material = material});
          }
        }
      }
      const BodyId body = bench.add({.shape = shape,
                                     .mass = 1.0f,
                                     .position = {0, float(high + fall), 0},
                                     .orientation = kind == 1 ? yaw * turn({1, 0, 0}, 0.5 * kPi) : yaw,
                                     .linear_velocity = scenes::to_vec3(across * along - Vecd{0, down, 0}),
                                     .material = material});
      bench.run(5);
      return std::array<Vecd, 2>{bench.velocity(body), bench.spin(body)};
    };
    const auto [on_slab, slab_spin] = lands(false);
    const auto [on_tiles, spin] = lands(true);
    const double error = length(on_tiles - on_slab) + 0.5 * size * length(spin - slab_spin);
    char line[240];
    std::snprintf(line, sizeof line,
                  "trial %d: %s of %.3g m, %.3g m/s across and %.3g down, %s tiles of %.3g m, restitution %.3g, "
                  "1/%.0f s, lands in %.3g steps: %.4g %.4g %.4g",
                  trial,
                  kind == 0   ? "box"
                  : kind == 1 ? "capsule"
                              : "ball",
                  size, across, down, heavy_tiles ? "heavy" : "fixed", tile, e, 1 / dt, time / double(dt), on_tiles.x,
                  on_tiles.y, on_tiles.z);
    worst.add(100 * error / std::hypot(across, down), line);
  }
  return worst;
}

const Row kRows[] = {
    {.group = kGroup,
     .name = "SlopesLiftWhatComes",
     .statement =
         "A ball, a lying capsule or a box of 3 to 50 cm comes without friction at up to 10 m/s to where level "
         "ground ends and a slope of 0.5 to 20 degrees (boxes: 5) begins, both fixed boxes: what is round has "
         "cos(slope) of its speed after it, a box at least cos^2(slope) of its energy, and no more than before",
     .unit = "%",
     .bound = 1.0,
     .trials = 1000,
     .measure = kinks},
    {.group = kGroup,
     .name = "StepsDownAreNotFelt",
     .statement = "A box of 5 to 50 cm slides without friction at up to 10 m/s over a fixed box that is buried in the "
                  "floor, by 0.5 to 30 % of its size, or onto a piece of floor that is lower by that: it is not slowed",
     .unit = "% of the speed",
     .bound = 1.0,
     .trials = 1000,
     .measure = steps_down},
    {.group = kGroup,
     .name = "StartsAtSeams",
     .statement =
         "A box of 5 cm to 1 m that rests on a floor of fixed tiles, its front on a seam or near one, maybe with "
         "one side flush with another seam, and is drawn along by a force, has the speed that it has on a "
         "plane",
     .unit = "% of the speed without friction",
     .bound = 2.0,
     .trials = 1000,
     .measure = starts,
     .not_for = "jacobi",
     .why_not = "where four tiles meet loads come to rest too slowly: one start in fifty is off, by up to 8 %.",
     .bounds = "rigid=5 rigid_block=5 rigid_nncg=10 shock=5"},
    {.group = kGroup,
     .name = "LandingsDoNotFeelSeams",
     .statement = "A ball, a lying capsule or a flat box of 5 cm to 1 m that comes down at an angle, with up to 20 m/s "
                  "across and 10 m/s down, on fixed or heavy tiles, without friction, with any restitution, leaves as "
                  "from one plane",
     .unit = "% of the speed",
     .bound = 0.05,
     .trials = 1000,
     .measure = landings,
     .not_for = "default jacobi projection",
     .why_not = "in few sweeps what lands on several tiles gets spins of up to a tenth of its speed, and three small "
                "fast boxes of a thousand (jacobi: 24) then catch the next tile."},
    {.group = kGroup,
     .name = "BatsStrikeAlongTheirFace",
     .statement = "A ball struck by a plate that turns by up to 0.4 rad a step leaves along the plate's normal of when "
                  "they touch, with 1 + e times the speed of the place",
     .unit = "%",
     .bound = 0.25,
     .trials = 1000,
     .measure = bats},
};

}  // namespace

std::span<const Row> kink_rows() {
  return kRows;
}

}  // namespace talus::truth
