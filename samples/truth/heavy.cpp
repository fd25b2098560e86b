// SPDX-License-Identifier: MIT
// Heavy bodies on light ones.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "scenes/metrics.h"
#include "truth/experiment.h"

namespace talus::truth {

namespace {

Quat about_up(double angle) {
  return turn({0.0f, 1.0f, 0.0f}, angle);
}

/// A world of one heavy body above light ones, and how deep bodies are inside each other.
class Load {
 public:
  explicit Load(const Variant& variant) : bench_(variant) { bench_.floor(rough(0.6)); }

  void add(const ShapeDef& shape, double mass, Vecd at, Quat orientation = kIdentity) {
    const Vec3 position{float(at.x), float(at.y), float(at.z)};
    ids_.push_back(bench_.add({.shape = shape,
                               .mass = float(mass),
                               .position = position,
                               .orientation = orientation,
                               .material = rough(0.6)}));
    shapes_.push_back(shape);
    const bool is_box = shape.type == ShapeType::box;
    thickness_.push_back(2.0 * double(is_box ? std::min({shape.size.x, shape.size.y, shape.size.z}) : shape.size.x));
  }

  /// Largest penetrations, as parts of the thickness of the thinner body.
  struct Depth {
    double ever = 0.0, later = 0.0;  // later: a second after the start, or after the first `settle` seconds
  };
  Depth run(double seconds, double settle = 1.0) {
    Depth depth;
    for (int step = 1; step <= int(60.0 * seconds); ++step) {
      bench_.step();
      if (step > 120 && step % 10 != 0) continue;  // at rest
      const double now = deepest();
      depth.ever = std::max(depth.ever, now);
      if (step > int(60.0 * settle)) depth.later = std::max(depth.later, now);
    }
    return depth;
  }

 private:
  double deepest() {
    std::vector<scenes::Solid> solids;
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      solids.push_back(scenes::solid(shapes_[i], bench_.world().pose(ids_[i])));
    }
    double most = 0.0;
    for (std::size_t i = 0; i < solids.size(); ++i) {
      most = std::max(most, -scenes::boundary_gap(solids[i], {{0, 1, 0}, 0}) / thickness_[i]);
      for (std::size_t j = 0; j < i; ++j) {
        most = std::max(most, -scenes::gap(solids[i], solids[j]) / std::min(thickness_[i], thickness_[j]));
      }
    }
    return most;
  }

  Bench bench_;
  std::vector<BodyId> ids_;
  std::vector<ShapeDef> shapes_;
  std::vector<double> thickness_;
};

/// What lies under the heavy body.
enum class Under { pile, bed_of_boxes, bed_of_spheres, bed_of_capsules, plate };
constexpr const char* kUnderNames[] = {"boxes under it", "boxes side by side", "spheres side by side",
                                       "capsules side by side", "heavy boxes on a light plate"};

struct Trial {
  Under under;
  int count;           // light bodies; of a bed: along each side of a square
  double ratio, mass;  // [1], [kg] of a light one
  double size;         // [m] half the height of a light one
  double drop = 0.0;   // [m] from which the heavy one falls
  double lift = 0.0;   // [m] above the ground of all of them
};

Load build(const Variant& variant, const Trial& t, Random& random) {
  Load load(variant);
  const double s = t.size;
  const auto jitter = [&](double most) { return random.between(-most, most); };
  if (t.under == Under::pile) {
    // Not thinner than a half of their width, so that they stand wherever the next one is put.
    double top = t.lift;
    for (int i = 0; i < t.count; ++i) {
      const double x = s * random.between(0.8, 1.6), y = s * random.between(0.5, 1.0), z = s * random.between(0.8, 1.6);
      load.add(box({float(x), float(y), float(z)}), t.mass * random.between(0.7, 1.4),
               {jitter(0.1 * s), top + y, jitter(0.1 * s)}, about_up(jitter(kPi)));
      top += 2.0 * y;
    }
    const double x = s * random.between(0.8, 1.6), y = s * random.between(0.5, 1.0), z = s * random.between(0.8, 1.6);
    load.add(box({float(x), float(y), float(z)}), t.ratio * t.mass,
             {jitter(0.1 * s), top + y + t.drop, jitter(0.1 * s)}, about_up(jitter(kPi)));
    return load;
  }
  const int across = t.count;
  const double pitch = 3.0 * s;
  if (t.under == Under::plate) {
    const double half = 0.5 * pitch * across, thick = s * random.between(0.5, 1.0);
    load.add(box({float(half), float(thick), float(half)}), t.mass, {0.0, thick + t.lift, 0.0});
    for (int i = 0; i < across * across; ++i) {
      const int column = i % across, row = i / across;
      const Vecd at{pitch * (column - 0.5 * (across - 1)) + jitter(0.3 * s), 2.0 * thick + t.lift + t.drop + s,
                    pitch * (row - 0.5 * (across - 1)) + jitter(0.3 * s)};
      load.add(box({float(s), float(s), float(s)}), t.ratio * t.mass, at, about_up(jitter(kPi)));
    }
    return load;
  }
  for (int i = 0; i < across; ++i) {
    for (int k = 0; k < across; ++k) {
      const Vecd at{pitch * (i - 0.5 * (across - 1)), s + t.lift, pitch * (k - 0.5 * (across - 1))};
      const double mass = t.mass * random.between(0.7, 1.4);
      if (t.under == Under::bed_of_boxes) {
        load.add(box({float(s), float(s), float(s)}), mass, at, about_up(jitter(kPi)));
      } else if (t.under == Under::bed_of_spheres) {
        load.add(sphere(float(s)), mass, at);
      } else {
        // Lying, along different directions: what rolls is held by the others.
        load.add(capsule(float(s), float(0.4 * s)), mass, at,
                 about_up((i + k) % 2 == 0 ? 0.0 : 0.5 * kPi) * turn({0.0f, 0.0f, 1.0f}, 0.5 * kPi));
      }
    }
  }
  const double half = 0.5 * pitch * (across - 1) + 1.2 * s;
  const double thick = s * random.between(0.6, 1.5);
  load.add(box({float(half), float(thick), float(half)}), t.ratio * t.mass,
           {0.0, 2.0 * s + t.lift + t.drop + thick, 0.0});
  return load;
}

Trial random_trial(Random& random, int index, double ratio) {
  Trial t{};
  t.under = index % 2 == 0 ? Under::pile : Under(1 + random.index(3));
  t.count = t.under != Under::pile ? 2 + random.index(2) : index % 4 == 0 ? 10 : 1 + random.index(10);
  t.ratio = ratio;
  t.mass = random.log_between(0.01, 100.0);
  t.size = random.log_between(0.05, 1.0);
  return t;
}

void add(Worst& worst, double percent, int index, const Trial& t, const Load::Depth& depth) {
  const int light = t.under == Under::pile ? t.count : t.count * t.count;
  char text[200];
  std::snprintf(text, sizeof(text), "trial %d: %d %s, %.3f m high, %.3g times %.3g kg; %.2f %% deep, at rest %.3f %%",
                index, light, kUnderNames[int(t.under)], 2.0 * t.size, t.ratio, t.mass, 100.0 * depth.ever,
                100.0 * depth.later);
  worst.add(percent, text);
}

bool is_default(const Variant& variant) {
  return std::strcmp(variant.name, "default") == 0;
}

Worst heavy_rests_on_light(const Variant& variant, int trials, std::uint64_t seed) {
  Random random(seed);
  Worst worst;
  for (int i = 0; i < trials; ++i) {
    const Trial t = random_trial(random, i, random.log_between(5.0, 1e3));
    const Load::Depth depth = build(variant, t, random).run(is_default(variant) ? 60.0 : 10.0);
    add(worst, 100.0 * std::max(depth.later, 0.5 * depth.ever), i, t, depth);
  }
  return worst;
}

Worst heavy_ones_rest_on_plate(const Variant& variant, int trials, std::uint64_t seed) {
  Random random(seed);
  Worst worst;
  for (int i = 0; i < trials; ++i) {
    Trial t = random_trial(random, 1, random.log_between(5.0, 1e3));
    t.under = Under::plate;
    const Load::Depth depth = build(variant, t, random).run(10.0);
    add(worst, 100.0 * std::max(depth.later, 0.5 * depth.ever), i, t, depth);
  }
  return worst;
}

Worst heavy_falls_on_light(const Variant& variant, int trials, std::uint64_t seed) {
  Random random(seed);
  Worst worst;
  for (int i = 0; i < trials; ++i) {
    Trial t = random_trial(random, i, random.log_between(5.0, 1e3));
    t.size = random.log_between(0.25, 1.0);
    if (t.under == Under::pile) t.count = 1 + random.index(3);
    (i % 3 == 0 ? t.lift : t.drop) = random.between(0.1, 1.0);
    const Load::Depth depth = build(variant, t, random).run(5.0, 3.0);
    add(worst, 100.0 * std::max(depth.later, 0.2 * depth.ever), i, t, depth);
  }
  return worst;
}

Worst no_centre_enters(const Variant& variant, int trials, std::uint64_t seed) {
  Random random(seed);
  Worst worst;
  for (int i = 0; i < trials; ++i) {
    const Trial t = random_trial(random, i, random.log_between(1e3, 1e6));
    const Load::Depth depth = build(variant, t, random).run(10.0);
    add(worst, 100.0 * depth.ever, i, t, depth);
  }
  return worst;
}

/// [m/s^2] Of a box on a lighter one that slides down a slope; error in %.
double slide_error(const Variant& variant, double ratio, Random& random, char* text, std::size_t size) {
  const double angle = random.between(0.2, 0.6), friction = random.between(0.0, 0.7) * std::tan(angle);
  const double s = random.log_between(0.1, 1.0), mass = random.log_between(0.01, 100.0), g = 9.81;
  Bench bench(variant, {float(g * std::sin(angle)), float(-g * std::cos(angle)), 0.0f});
  bench.floor(rough(friction));
  const double low = s * random.between(0.15, 0.3), high = s * random.between(0.15, 0.3);
  bench.add({.shape = box({float(s), float(low), float(s)}),
             .mass = float(mass),
             .position = {0.0f, float(low), 0.0f},
             .material = rough(friction)});
  const BodyId heavy = bench.add({.shape = box({float(0.9 * s), float(high), float(0.9 * s)}),
                                  .mass = float(ratio * mass),
                                  .position = {0.0f, float(2.0 * low + high), 0.0f},
                                  .material = rough(0.9)});
  bench.run(60);
  const double before = bench.velocity(heavy).x;
  bench.run(60);
  const double gained = bench.velocity(heavy).x - before;
  const double wanted = g * (std::sin(angle) - friction * std::cos(angle));
  std::snprintf(text, size, "%.3g times the mass on a slope of %.2f rad, friction %.2f: %.3f m/s^2, not %.3f", ratio,
                angle, friction, gained, wanted);
  return 100.0 * std::abs(gained / wanted - 1.0);
}

/// The same of a plate on light rollers, balls or capsules, that a force sets going.
double roll_error(const Variant& variant, double ratio, Random& random, char* text, std::size_t size) {
  const bool balls = random.index(2) == 0;
  const double r = random.log_between(0.05, 0.5), half = r * random.between(0.5, 2.0);
  const double mass = random.log_between(0.01, 100.0), push = random.between(0.5, 2.0) * r;
  const double round = balls ? 0.0 : 2.0 * half, ends = 4.0 / 3.0 * r;  // [m] volumes over pi r^2
  const double turning = (0.5 * round + 0.4 * ends) / (round + ends);
  Bench bench(variant);
  bench.floor(rough(0.6));
  const Quat lying = turn({1.0f, 0.0f, 0.0f}, 0.5 * kPi);
  for (int i = 0; i < 6; ++i) {
    const int column = i / 2 - 1;
    bench.add({.shape = balls ? sphere(float(r)) : capsule(float(r), float(half)),
               .mass = float(mass),
               .position = {float(4.0 * r * column), float(r), float(8.0 * r * (i % 2 - 0.5))},
               .orientation = balls ? kIdentity : lying,
               .material = rough(0.6)});
  }
  const double heavy_mass = ratio * mass, all = heavy_mass + 6.0 * 0.25 * (1.0 + turning) * mass;
  const BodyId plate = bench.add({.shape = box({float(8.0 * r), float(0.5 * r), float(8.0 * r)}),
                                  .mass = float(heavy_mass),
                                  .position = {0.0f, float(2.5 * r), 0.0f},
                                  .material = rough(0.6)});
  bench.run(20);
  for (int i = 0; i < 60; ++i) {
    bench.world().apply_force(plate, {float(push * all), 0.0f, 0.0f});
    bench.step();
  }
  const double gained = bench.velocity(plate).x, wanted = push;
  std::snprintf(text, size, "%.3g times the mass on %s of %.2f m: %.4f m/s^2, not %.4f", ratio,
                balls ? "balls" : "capsules", r, gained, wanted);
  return 100.0 * std::abs(gained / wanted - 1.0);
}

Worst heavy_moves_on_light(const Variant& variant, int trials, std::uint64_t seed) {
  Random random(seed);
  Worst worst;
  for (int i = 0; i < trials; ++i) {
    const double ratio = random.log_between(5.0, 1e3);
    char text[200];
    const double error = i % 2 == 0 ? slide_error(variant, ratio, random, text, sizeof(text))
                                    : roll_error(variant, ratio, random, text, sizeof(text));
    worst.add(error, "trial " + std::to_string(i) + ": " + text);
  }
  return worst;
}

const Row kRows[] = {
    {"Heavy on light", "HeavyRestsOnLight",
     "A box of 5 to 1,000 times the mass of what it stands on, 1 to 10 boxes one on the other or 4 to 9 boxes, spheres "
     "or lying capsules side by side, 0.1 to 2 m high: after the first second "
     "no body is inside another or the ground by more than 1 % of the thickness of the thinner one, and by 2 % at any "
     "time, in 60 s with the default solver and 10 s with others.",
     "% of the thickness; half of that in the first second", 1.0, 200, heavy_rests_on_light, "", "", "", "jacobi=3"},
    {"Heavy on light", "HeavyOnesRestOnAPlate", "4 to 9 such boxes on one light plate: the same in 10 s.",
     "% of the thickness; half of that in the first second", 3.0, 100, heavy_ones_rest_on_plate, "jacobi shock",
     "Thin plates were pressed into the ground by a quarter of their thickness with jacobi, by half with shock."},
    {"Heavy on light", "HeavyFallsOnLight",
     "The same when it falls on them from up to 1 m, or all of them fall: after 3 s.",
     "% of the thickness; a fifth of that in the first 3 s", 1.0, 200, heavy_falls_on_light, "", "", "", "jacobi=10"},
    {"Heavy on light", "NoCentreEnters",
     "The same with up to 1,000,000 times the mass: no centre of a body gets into another one in 10 s, which would be "
     "50 %.",
     "% of the thickness", 5.0, 200, no_centre_enters},
    {"Heavy on light", "HeavyMovesOnLight",
     "A box of 5 to 1,000 times the mass on a light one that slides down a slope, or a plate on six light balls or "
     "capsules that a force sets going: the acceleration is that of the masses as they are.",
     "%", 15.0, 200, heavy_moves_on_light, "jacobi rigid rigid_block rigid_nncg shock",
     "Friction of hundreds of times the mass does not converge by Jacobi's sweeps. Rigid rows have one inertia for all "
     "directions: rollers under a load are as heavy as it. Layers of shock propagation leave friction behind.",
     "g (sin a - mu cos a); F / (M + sum of (m + I / r^2) / 4)"},
};

}  // namespace

std::span<const Row> heavy_rows() {
  return kRows;
}

}  // namespace talus::truth
