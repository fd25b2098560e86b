// SPDX-License-Identifier: MIT
// Laws of single impacts: what Newton's law of restitution and Coulomb's of friction leave of two velocities, however
// far apart bodies were when the step began.
#include <algorithm>
#include <cstdio>
#include <span>
#include <vector>

#include "truth/experiment.h"

namespace talus::truth {
namespace {

constexpr const char* kGroup = "Impacts";

using Matrix = std::array<Vecd, 3>;  // rows

Vecd times(const Matrix& m, Vecd v) {
  return {dot(m[0], v), dot(m[1], v), dot(m[2], v)};
}
Vecd across(Vecd v) {  // the y axis is the normal
  return {v.x, 0, v.z};
}

/// One body, when it touches.
struct Hit {
  double mass = 0;          // [kg] 0: it is not pushed
  Vecd arm{};               // [m] from its centre to the point
  Matrix inverse{};         // [1/(kg m^2)] of its moments of inertia, in the world
  Vecd velocity{}, spin{};  // [m/s, rad/s]
  Vecd speed_at_point() const { return velocity + cross(spin, arm); }
  void push(Vecd impulse) {
    if (mass == 0) return;
    velocity = velocity + (1 / mass) * impulse;
    spin = spin + times(inverse, cross(arm, impulse));
  }
};

/// An impact along y, of B against A, below it. The impulse [N s] on B: such that B leaves with `leaves` [m/s], and
/// friction opposes the slip that is left, if any.
Vecd impulse_of(Hit a, Hit b, double leaves, double friction) {
  Matrix gives{};  // [1/kg] change of the speeds by a unit impulse along each axis
  const Vecd axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (const Vecd& axis : axes) {
    Hit a1 = a, b1 = b;
    a1.push(-axis);
    b1.push(axis);
    const Vecd change = (b1.speed_at_point() - a1.speed_at_point()) - (b.speed_at_point() - a.speed_at_point());
    (axis.x > 0 ? gives[0] : axis.y > 0 ? gives[1] : gives[2]) = change;  // it is symmetric
  }
  const Vecd start = b.speed_at_point() - a.speed_at_point();
  const double rate = 0.9 / (gives[0].x + gives[2].z);
  Vecd impulse{};
  for (int i = 0; i < 20000; ++i) {
    const Vecd before = impulse;
    Vecd now = start + times(gives, impulse);
    impulse.y = std::max(impulse.y - (now.y - leaves) / gives[1].y, 0.0);
    now = start + times(gives, impulse);
    impulse.x -= rate * now.x;
    impulse.z -= rate * now.z;
    const double size = length(across(impulse)), most = friction * impulse.y;
    if (size > most) impulse = {impulse.x * most / size, impulse.y, impulse.z * most / size};
    if (length(impulse - before) <= 1e-14 * length(impulse)) break;
  }
  return impulse;
}

/// After the impact, by Newton's law: restitution is a part of the speed before. False if it is another one where what
/// stops bodies and what parts them rub each by themselves, as with Poisson's law: both are right.
bool collide(Hit& a, Hit& b, double restitution, double friction) {
  const double approach = (b.speed_at_point() - a.speed_at_point()).y;
  const Vecd whole = impulse_of(a, b, -restitution * approach, friction);
  Hit a2 = a, b2 = b;
  const Vecd stops = impulse_of(a, b, 0, friction);
  a2.push(-stops);
  b2.push(stops);
  const Vecd parts = impulse_of(a2, b2, -restitution * approach, friction);
  a.push(-whole);
  b.push(whole);
  return length(stops + parts - whole) < 1e-3 * length(whole);
}

float random_step(Random& random) {
  const float steps[] = {1.0f / 30, 1.0f / 60, 1.0f / 120, 1.0f / 240};
  return steps[random.index(4)];
}

Matrix round_inverse(double mass, double radius) {
  const double i = 2.5 / (mass * radius * radius);
  return {Vecd{i, 0, 0}, Vecd{0, i, 0}, Vecd{0, 0, i}};
}

/// A ball and what it hits: ground, a belt, or another ball that comes along the line of centres. Either may spin.
Worst balls(const Variant& variant, int trials, std::uint64_t seed) {
  Worst worst;
  for (int trial = 0; trial < trials; ++trial) {
    Random random(seed * 1000003 + std::uint64_t(trial));
    const float dt = random_step(random);
    const int other = random.index(3);
    const double radius = random.log_between(0.01, 1), down = random.log_between(2, 50),
                 friction = random.between(0, 1), e = other < 2 && random.index(3) == 0 ? 0.0 : random.between(0.1, 1),
                 gap = random.between(0.01, 2) * down * dt, most = random.log_between(0.1, 3) * down;
    const auto some = [&] { return random.between(0, most) * scenes::vec<double>(random.direction()); };
    Bench bench(variant, {0, 0, 0}, dt);
    const Material material = rough(friction, e);
    Hit b{.mass = random.log_between(0.1, 10), .arm = {0, -radius, 0}, .spin = (1 / radius) * some()};
    b.inverse = round_inverse(b.mass, radius);
    Hit a{};
    double a_radius = 0;
    Vecd base{};  // [m/s] of both balls
    if (other == 2) {
      a_radius = radius * random.log_between(0.3, 3);
      base = some();
      a = {.mass = b.mass * random.log_between(0.1, 10), .arm = {0, a_radius, 0}, .spin = (1 / a_radius) * some()};
      a.inverse = round_inverse(a.mass, a_radius);
      a.velocity = base;
      b.velocity = base + Vecd{0, -down, 0};
    } else {
      if (other == 1) a.velocity = across(some());
      b.velocity = across(some()) + Vecd{0, -down, 0};
    }
    const Vec3 at_b{0, float(a_radius + radius + gap), 0};
    BodyDef under{.shape = sphere(float(a_radius)),
                  .mass = float(a.mass),
                  .linear_velocity = scenes::to_vec3(a.velocity),
                  .angular_velocity = scenes::to_vec3(a.spin),
                  .material = material};
    if (other == 0) under = {.shape = plane({0, 1, 0}), .material = material};
    if (other == 1) {
      under = {.shape = box({1000, float(radius), 1000}),
               .motion = Motion::kinematic,
               .position = {0, float(-radius), 0},
               .linear_velocity = scenes::to_vec3(a.velocity),
               .material = material};
    }
    const BodyId id_a = bench.add(under);
    const BodyId id_b = bench.add({.shape = sphere(float(radius)),
                                   .mass = float(b.mass),
                                   .position = at_b,
                                   .linear_velocity = scenes::to_vec3(b.velocity),
                                   .angular_velocity = scenes::to_vec3(b.spin),
                                   .material = material});
    const double fastest = down + length(a.velocity - b.velocity) + length(a.spin) * a_radius + length(b.spin) * radius;
    collide(a, b, e, friction);
    bench.run(5);
    double error = length(bench.velocity(id_b) - b.velocity) + radius * length(bench.spin(id_b) - b.spin);
    if (other == 2) error += length(bench.velocity(id_a) - a.velocity) + a_radius * length(bench.spin(id_a) - a.spin);
    char line[400];
    std::snprintf(
        line, sizeof line,
        "trial %d: on %s, radius %.4g m, %.4g m/s down, friction %.3g, restitution %.3g, gap %.3g of a step's "
        "way of %.4g m, 1/%.0f s",
        trial,
        other == 0   ? "a plane"
        : other == 1 ? "a belt"
                     : "a ball",
        radius, down, friction, e, gap / (down * dt), down * dt, 1 / dt);
    worst.add(100 * error / fastest, line);
  }
  return worst;
}

/// The corners of a box, or the middles of the round ends of a capsule, against the centre.
std::vector<Vecd> tips_of(const ShapeDef& shape, Quat orientation) {
  std::vector<Vecd> tips;
  const auto add = [&](double x, double y, double z) {
    tips.push_back(scenes::rotate(scenes::rotation<double>(orientation), Vecd{x, y, z}));
  };
  if (shape.type == ShapeType::capsule) {
    add(0, shape.size.y, 0);
    add(0, -shape.size.y, 0);
  } else {
    for (int i = 0; i < 8; ++i) {
      add(i & 1 ? shape.size.x : -shape.size.x, i & 2 ? shape.size.y : -shape.size.y,
          i & 4 ? shape.size.z : -shape.size.z);
    }
  }
  std::sort(tips.begin(), tips.end(), [](Vecd a, Vecd b) { return a.y < b.y; });
  return tips;
}

Matrix inverse_inertia(Vecd moments, Quat orientation) {
  Matrix m{};
  const Vecd axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (std::size_t i = 0; i < 3; ++i) {
    const Vecd own = scenes::rotate_back(scenes::rotation<double>(orientation), axes[i]);
    m[i] = scenes::rotate(scenes::rotation<double>(orientation),
                          Vecd{own.x / moments.x, own.y / moments.y, own.z / moments.z});
  }
  return m;
}

Vecd momentum(Vecd moments, Quat orientation, Vecd spin) {
  const Vecd own = scenes::rotate_back(scenes::rotation<double>(orientation), spin);
  return scenes::rotate(scenes::rotation<double>(orientation),
                        Vecd{moments.x * own.x, moments.y * own.y, moments.z * own.z});
}

/// A box or a capsule that comes down on one corner or end, without turning.
Worst corners(const Variant& variant, int trials, std::uint64_t seed, double most_friction) {
  Worst worst;
  for (int trial = 0, number = 0; trial < trials; ++number) {
    Random random(seed * 1000003 + std::uint64_t(number));
    const float dt = random_step(random);
    const double size = random.log_between(0.02, 2), down = random.log_between(2, 50);
    const auto part = [&] { return float(size * random.log_between(0.2, 1)); };
    const float x = part(), y = part(), z = part();
    const bool is_box = random.index(2) == 0, belt = random.index(2) == 0;
    const ShapeDef shape = is_box ? box({x, y, z}) : capsule(0.5f * x, y);
    const double radius = is_box ? 0.0 : 0.5 * double(x), mass = random.log_between(0.1, 10);
    const Vecd half = is_box ? Vecd{x, y, z} : Vecd{radius, y + radius, radius};
    const Vecd moments = (mass / 3) * Vecd{half.y * half.y + half.z * half.z, half.z * half.z + half.x * half.x,
                                           half.x * half.x + half.y * half.y};
    const Quat pose = random.orientation();
    const double e = random.between(0.2, 0.9), friction = random.between(0, most_friction);
    const double gap = random.between(0.01, 0.95) * down * dt;
    const Vecd along = random.between(0, 2) * down * across(scenes::vec<double>(random.direction()));
    const std::vector<Vecd> tips = tips_of(shape, pose);
    Hit a{.velocity = belt ? across(random.between(0, 1) * down * scenes::vec<double>(random.direction())) : Vecd{}};
    Hit b{.mass = mass, .arm = tips[0] - Vecd{0, radius, 0}, .inverse = inverse_inertia(moments, pose)};
    b.velocity = along + Vecd{0, -down, 0};
    const double fastest = length(b.velocity - a.velocity);
    const auto energy = [&] {  // [J] of B, as A sees it
      return mass * dot(b.velocity - a.velocity, b.velocity - a.velocity) +
             dot(b.spin, momentum(moments, pose, b.spin));
    };
    const double energy_before = energy();
    bool alone = collide(a, b, e, friction);
    alone = alone && energy() < energy_before;  // of Newton's law with friction this is not always so
    // Nothing else comes down within a step, and what it turns by within one is little.
    const double turned = length(b.spin) * dt;
    alone = alone && turned < 0.1;
    for (std::size_t i = 1; i < tips.size(); ++i) {
      const double height = tips[i].y - tips[0].y;
      const double speed = std::min((b.velocity + cross(b.spin, tips[i])).y, -down);
      alone = alone && height + 2 * speed * dt > 0;
    }
    if (!alone) continue;
    ++trial;
    Bench bench(variant, {0, 0, 0}, dt);
    const Material material = rough(friction, e);
    BodyDef under{.shape = plane({0, 1, 0}), .material = material};
    if (belt) {
      under = {.shape = box({1000, float(size), 1000}),
               .motion = Motion::kinematic,
               .position = {0, float(-size), 0},
               .linear_velocity = scenes::to_vec3(a.velocity),
               .material = material};
    }
    bench.add(under);
    const BodyId body = bench.add({.shape = shape,
                                   .mass = float(mass),
                                   .inertia = scenes::to_vec3(moments),
                                   .position = {0, float(radius - tips[0].y + gap), 0},
                                   .orientation = pose,
                                   .linear_velocity = scenes::to_vec3(along + Vecd{0, -down, 0}),
                                   .material = material});
    bench.run(1);
    // Momenta, and not the spin: that of a free body changes as it turns.
    const Vecd turned_by = momentum(moments, bench.world().pose(body).orientation, bench.spin(body)),
               turning = momentum(moments, pose, b.spin);
    const double error = length(bench.velocity(body) - b.velocity) + length(turned_by - turning) / (mass * size);
    char line[400];
    std::snprintf(
        line, sizeof line,
        "trial %d: %s of %.3g x %.3g x %.3g m on %s, (%.4g, %.4g, %.4g) m/s, friction %.3g, restitution %.3g, "
        "gap %.3g of a step's way of %.4g m, 1/%.0f s, turns by %.3g rad a step, velocity %.4g %.4g %.4g and "
        "not %.4g %.4g %.4g m/s",
        number, is_box ? "box" : "capsule", half.x, half.y, half.z, belt ? "a belt" : "a plane", along.x, -down,
        along.z, friction, e, gap / (down * dt), down * dt, 1 / dt, turned, bench.velocity(body).x,
        bench.velocity(body).y, bench.velocity(body).z, b.velocity.x, b.velocity.y, b.velocity.z);
    worst.add(100 * error / fastest, line);
  }
  return worst;
}

Worst smooth_corners(const Variant& variant, int trials, std::uint64_t seed) {
  return corners(variant, trials, seed, 0);
}
Worst rough_corners(const Variant& variant, int trials, std::uint64_t seed) {
  return corners(variant, trials, seed, 1);
}

/// A ball without restitution that flies into the middle of a box's side. The box may stand on ice, and have others
/// just above it that never touch it: of the contacts of a body all but twelve share its mass, with `jacobi` all do.
Worst stopped(const Variant& variant, int trials, std::uint64_t seed) {
  Worst worst;
  for (int trial = 0; trial < trials; ++trial) {
    Random random(seed * 1000003 + std::uint64_t(trial));
    const float dt = random_step(random);
    const double half = random.log_between(0.05, 1), radius = random.between(0.05, 0.5) * half;
    const double mass = random.log_between(0.1, 10), ratio = random.log_between(0.001, 10);
    const double speed = random.log_between(20, 500), gap = random.between(0.01, 2) * speed * dt;
    const bool stands = random.index(3) > 0;
    const int idle = random.index(2) == 0 ? 0 : 4 * (1 + random.index(4));
    Bench bench(variant, {0, stands ? -9.81f : 0.0f, 0}, dt);
    if (stands) bench.floor(slippery());
    const BodyId struck = bench.add({.shape = box({float(half), float(half), float(half)}),
                                     .mass = float(mass),
                                     .position = {0, float(half), 0},
                                     .material = slippery()});
    for (int i = 0; i < idle; ++i) {
      const int column = i % 4, line = i / 4;
      bench.add(
          {.shape = sphere(float(0.1 * half)),
           .position = {float(half * (0.4 * column - 0.6)), float(2.105 * half), float(half * (0.4 * line - 0.6))},
           .material = slippery(),
           .gravity_scale = 0.0f});
    }
    const BodyId ball = bench.add({.shape = sphere(float(radius)),
                                   .mass = float(ratio * mass),
                                   .position = {float(-half - radius - gap), float(half), 0},
                                   .linear_velocity = {float(speed), 0, 0},
                                   .material = slippery(),
                                   .gravity_scale = 0.0f});
    double apart = 0;  // [m/s] fastest
    for (int i = 0; i < 6; ++i) {
      bench.step();
      apart = std::max(apart, bench.velocity(struck).x - bench.velocity(ball).x);
    }
    char line[300];
    std::snprintf(
        line, sizeof line,
        "trial %d: %.4g m/s, box of %.3g m that %s, %d bodies above it, masses %.3g:1, gap %.3g of a step's way "
        "of %.4g m, 1/%.0f s, apart with %.4g m/s",
        trial, speed, 2 * half, stands ? "stands" : "floats", idle, ratio, gap / (speed * dt), speed * dt, 1 / dt,
        apart);
    worst.add(100 * apart / speed, line);
  }
  return worst;
}

/// What a ball or a capsule flies at: a ball, a capsule or a box. Half extents of its core, and a radius around it.
struct Target {
  Vecd core;
  double radius;
  Quat pose;
  /// From the nearest point of the core to a point, both seen from the middle.
  Vecd from_core(Vecd point) const {
    const Vecd own = scenes::rotate_back(scenes::rotation<double>(pose), point);
    const auto beyond = [](double x, double half) { return x - std::clamp(x, -half, half); };
    return scenes::rotate(scenes::rotation<double>(pose),
                          Vecd{beyond(own.x, core.x), beyond(own.y, core.y), beyond(own.z, core.z)});
  }
};
/// From the target's core to the nearest point of a segment: the distance is convex along it.
Vecd from_core(const Target& target, Vecd middle, Vecd half) {
  double low = -1, high = 1;
  const double part = 0.6180339887498949;
  for (int i = 0; i < 80; ++i) {
    const double first = high - part * (high - low), second = low + part * (high - low);
    const bool is_lower =
        length(target.from_core(middle + first * half)) < length(target.from_core(middle + second * half));
    (is_lower ? high : low) = is_lower ? second : first;
  }
  return target.from_core(middle + (0.5 * (low + high)) * half);
}

/// A ball or a capsule that hits one side of something, without friction, and does not turn before: what it gets is
/// along the normal of where they touch.
Worst glancing(const Variant& variant, int trials, std::uint64_t seed) {
  Worst worst;
  for (int trial = 0, number = 0; trial < trials; ++number) {
    Random random(seed * 1000003 + std::uint64_t(number));
    const float dt = random_step(random);
    const double size = random.log_between(0.05, 1), speed = random.log_between(1, 50), e = random.between(0, 0.9);
    const auto part = [&] { return size * random.log_between(0.3, 1); };
    const int kind = random.index(3), held = random.index(3);  // free, fixed, kinematic
    const Target target{kind == 2   ? Vecd{part(), part(), part()}
                        : kind == 1 ? Vecd{0, part(), 0}
                                    : Vecd{},
                        kind == 2 ? 0.0 : part(), random.orientation()};
    const double radius = part(), half = random.index(2) == 0 ? 0.0 : part();
    const Quat pose = random.orientation();
    const Vecd along = scenes::rotate(scenes::rotation<double>(pose), Vecd{0, half, 0});
    const Vecd way = scenes::vec<double>(random.direction());
    const double reach = length(target.core) + target.radius + radius + half;
    const auto gap = [&](Vecd at) { return length(from_core(target, at, along)) - target.radius - radius; };
    Vecd at = random.between(0, 0.7) * reach * scenes::vec<double>(random.direction()) - (2 * reach) * way;
    Vecd normal{};  // at the place of the impact, if there is one
    double cosine = 0;
    for (int i = 0; i < 200 && gap(at) > 1e-12; ++i) {
      const Vecd out = from_core(target, at, along);
      normal = (1 / length(out)) * out;
      cosine = -dot(normal, way);
      at = at + (gap(at) / std::max(cosine, 1e-3)) * way;
    }
    if (gap(at) > 1e-9 || cosine < 0.25) continue;
    // A capsule that is that near to lying on a face lies on it: it has two points, and the face's normal.
    const Vecd own = scenes::rotate_back(scenes::rotation<double>(target.pose), normal);
    if (kind == 2 && half > 0 && std::max({std::abs(own.x), std::abs(own.y), std::abs(own.z)}) > 0.9975) continue;
    const Vecd start = at - random.between(0.02, 1.5) * speed * double(dt) * way;
    if (gap(start) < 1e-3 * size) continue;
    ++trial;
    const Vecd base = held == 1 ? Vecd{} : random.between(0, 1) * speed * scenes::vec<double>(random.direction());
    Bench bench(variant, {0, 0, 0}, dt);
    const Material material = rough(0, e);
    const Vec3 core{float(target.core.x), float(target.core.y), float(target.core.z)};
    bench.add({.shape = kind == 2   ? box(core)
                        : kind == 1 ? capsule(float(target.radius), core.y)
                                    : sphere(float(target.radius)),
               .motion = held == 0   ? Motion::dynamic
                         : held == 1 ? Motion::fixed
                                     : Motion::kinematic,
               .mass = float(random.log_between(0.1, 10)),
               .orientation = target.pose,
               .linear_velocity = scenes::to_vec3(base),
               .material = material});
    const Vecd flies = base + speed * way;
    const BodyId body = bench.add({.shape = half > 0 ? capsule(float(radius), float(half)) : sphere(float(radius)),
                                   .mass = 1.0f,
                                   .position = scenes::to_vec3(start),
                                   .orientation = pose,
                                   .linear_velocity = scenes::to_vec3(flies),
                                   .material = material});
    Vecd change{};
    for (int i = 0; i < 6 && length(change) < 0.02 * speed; ++i) {
      bench.step();
      change = bench.velocity(body) - flies;
    }
    const double off =
        length(change) > 0.02 * speed ? std::atan2(length(cross(change, normal)), dot(change, normal)) / kDegree : 180;
    char line[300];
    std::snprintf(line, sizeof line,
                  "trial %d: %s of %.3g m at a %s %s of %.3g m, %.3g m/s, %.3g degrees off the normal, gap %.3g m, "
                  "restitution %.3g, 1/%.0f s",
                  number, half > 0 ? "capsule" : "ball", radius,
                  held == 0   ? "free"
                  : held == 1 ? "fixed"
                              : "kinematic",
                  kind == 2   ? "box"
                  : kind == 1 ? "capsule"
                              : "ball",
                  size, speed, std::acos(cosine) / kDegree, gap(start), e, 1 / dt);
    worst.add(off, line);
  }
  return worst;
}

const Row kRows[] = {
    {.group = kGroup,
     .name = "BallsRubAsTheyBounce",
     .statement = "A ball that hits the ground or a belt, or bounces off another ball that comes straight at it, with "
                  "any spins, speeds and gap when the step began, leaves as Newton's and Coulomb's laws say: it grips "
                  "or slips",
     .unit = "% of the speeds",
     .bound = 0.001,
     .trials = 1000,
     .measure = balls},
    {.group = kGroup,
     .name = "CornersBounce",
     .statement =
         "A box or a capsule that comes down without friction on one corner or end leaves as Newton's law says "
         "of a rigid body with that one point, within the step",
     .unit = "% of the speed",
     .bound = 0.01,
     .trials = 1000,
     .measure = smooth_corners,
     .bounds = "default=1 jacobi=1 projection=1"},
    {.group = kGroup,
     .name = "CornersRubAsTheyBounce",
     .statement = "The same with friction to 1, which grips or slips, and does not add to the energy",
     .unit = "% of the speed",
     .bound = 0.01,
     .trials = 1000,
     .measure = rough_corners,
     .not_for = "default jacobi projection",
     .why_not = "the load of a corner follows its friction, and a sub-step has two sweeps in which they could agree: "
                "one impact in a hundred is more than 3 % off, one in a thousand 10 %.",
     .bounds = "shock=2"},
    {.group = kGroup,
     .name = "HitsPushAlongTheNormal",
     .statement =
         "A ball or a capsule that hits a ball, a capsule or a box, free, fixed or kinematic, with restitution, "
         "without friction, up to 75 degrees off the normal and from up to one and a half steps away, is pushed along "
         "the normal of where they touch; not capsules within 4 degrees of lying on a face, which lie on it",
     .unit = "degrees",
     .bound = 1.0,
     .trials = 2000,
     .measure = glancing},
    {.group = kGroup,
     .name = "StoppedBodiesStayTogether",
     .statement =
         "A ball without restitution that flies at 20 to 500 m/s into the middle of a box, which floats or "
         "stands on ice and has up to 16 idle bodies beside it, does not leave it: speed apart in the steps "
         "after. With mass splitting a part of the push that removes penetration stays, less than max_push_speed, "
         "3 m/s",
     .unit = "% of the speed",
     .bound = 1.0,
     .trials = 1000,
     .measure = stopped,
     .bounds = "default=3 jacobi=15 projection=3"},
};

}  // namespace

std::span<const Row> impact_law_rows() {
  return kRows;
}

}  // namespace talus::truth
