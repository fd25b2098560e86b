// SPDX-License-Identifier: MIT
// Nothing passes through anything: shots at thin walls.
#include "truth/truth.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace talus::truth {

namespace {

constexpr float kStep = 1.0f / 60.0f;  // [s]
constexpr float kHalfWall = 0.01f;     // [m]
constexpr float kHalfWidth = 40.0f;    // [m] of walls
constexpr double kPassed = 100.0;      // an error beyond all bounds

Vec3 rotated(Quat q, Vec3 v) {
  const Vec3 u{q.x, q.y, q.z};
  const auto cross = [](Vec3 a, Vec3 b) {
    return Vec3{a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  };
  const Vec3 t = cross(u, v), w = cross(u, t);
  return {v.x + 2 * (q.w * t.x + w.x), v.y + 2 * (q.w * t.y + w.y), v.z + 2 * (q.w * t.z + w.z)};
}
Quat inverse(Quat q) {
  return {-q.x, -q.y, -q.z, q.w};
}
double dot(Vec3 a, Vec3 b) {
  return double(a.x) * double(b.x) + double(a.y) * double(b.y) + double(a.z) * double(b.z);
}

/// [m] Half the width of a shape along a direction of its own frame.
double half_width(const ShapeDef& shape, Vec3 along) {
  const Vec3 a{std::fabs(along.x), std::fabs(along.y), std::fabs(along.z)};
  if (shape.type == ShapeType::box) return dot(a, shape.size);
  return double(shape.size.x) + (shape.type == ShapeType::capsule ? double(shape.size.y) * double(a.y) : 0.0);
}
double thinnest(const ShapeDef& shape) {
  const Vec3 s = shape.size;
  return 2.0 * double(shape.type == ShapeType::box ? std::min({s.x, s.y, s.z}) : s.x);
}
double longest(const ShapeDef& shape) {
  const Vec3 s = shape.size;
  if (shape.type == ShapeType::box) return 2.0 * std::sqrt(dot(s, s));
  return 2.0 * double(shape.type == ShapeType::capsule ? s.x + s.y : s.x);
}

/// How far a body is inside a wall, in thinnest extents of the two; kPassed if its centre is behind the middle plane.
/// `side`: of the wall that it belongs to. Beyond the rim: negative.
double depth_in(const ShapeDef& shape, const Transform& body, const Transform& wall, double side) {
  const Vec3 apart{body.position.x - wall.position.x, body.position.y - wall.position.y,
                   body.position.z - wall.position.z};
  const Vec3 at = rotated(inverse(wall.orientation), apart);
  const double margin = double(kHalfWidth) - longest(shape);
  if (std::fabs(double(at.y)) > margin || std::fabs(double(at.z)) > margin) return -1.0;
  if (side * double(at.x) < 0.0) return kPassed;
  const Vec3 normal = rotated(wall.orientation, {1.0f, 0.0f, 0.0f});
  const double reach = half_width(shape, rotated(inverse(body.orientation), normal));
  const double depth = double(kHalfWall) + reach - side * double(at.x);
  return std::max(depth, 0.0) / std::min(thinnest(shape), 2.0 * double(kHalfWall));
}

/// From rest, by a force or by its own gravity, for one step.
Worst pushes(const Variant& variant, int trials, std::uint64_t seed) {
  Worst worst;
  for (int i = 0; i < trials; ++i) {
    Random random(seed * 1000003u + std::uint64_t(i));
    World world({.gravity = {9.81f, 0.0f, 0.0f}, .threads = 1, .solver = variant.settings});
    const BodyId wall = world.add_body({.shape = box({kHalfWall, kHalfWidth, kHalfWidth}), .motion = Motion::fixed});
    const bool by_force = random.index(2) == 0;
    const double speed = random.log_between(1.0, 20.0), size = random.log_between(0.02, 1.0);
    BodyDef shot{.shape = sphere(float(size))};
    shot.gravity_scale = by_force ? 0.0f : float(speed / (9.81 * double(kStep)));
    const double clear = double(shot.shape.size.x) + double(kHalfWall);
    shot.position.x = -float(clear + random.between(0.0, 0.9) * speed * double(kStep));
    const BodyId body = world.add_body(shot);
    if (by_force) world.apply_force(body, {float(double(*world.definition(body).mass) * speed / double(kStep)), 0, 0});
    double depth = 0.0;
    for (int step = 0; step < 2; ++step) {
      world.step(kStep);
      depth = std::max(depth, depth_in(shot.shape, world.pose(body), world.pose(wall), -1.0));
    }
    char text[120];
    std::snprintf(text, sizeof(text), "radius %.4g by %s to %.4g from %.4g", size, by_force ? "force" : "gravity",
                  speed, double(shot.position.x));
    worst.add(depth, text);
  }
  return worst;
}

/// Balls far faster than anything that flies. 160 m a step.
Worst fastest_balls(const Variant& variant, int trials, std::uint64_t seed) {
  Worst worst;
  for (int i = 0; i < trials; ++i) {
    Random random(seed * 1000003u + std::uint64_t(i));
    World world({.gravity = {0.0f, 0.0f, 0.0f}, .threads = 1, .solver = variant.settings});
    const BodyId wall = world.add_body({.shape = box({kHalfWall, kHalfWidth, kHalfWidth}), .motion = Motion::fixed});
    const ShapeDef ball = sphere(float(random.log_between(0.02, 1.0)));
    const float way = float(random.between(2.0, 400.0)), slope = float(random.between(-0.05, 0.05));
    BodyDef shot{.shape = ball};
    shot.position = {-way, -slope * way, 0.0f};
    shot.linear_velocity = {1e4f, slope * 1e4f, 0.0f};
    const BodyId body = world.add_body(shot);
    double depth = 0.0;
    for (int step = 0; step < 6; ++step) {
      world.step(kStep);
      depth = std::max(depth, depth_in(ball, world.pose(body), world.pose(wall), -1.0));
    }
    char text[100];
    std::snprintf(text, sizeof(text), "radius %.4g from %.4g slope %.4g", double(ball.size.x), double(way),
                  double(slope));
    worst.add(depth, text);
  }
  return worst;
}

/// Speed away from a wall against speed towards it times restitution, of that speed.
Worst bounces(const Variant& variant, int trials, std::uint64_t seed) {
  Worst worst;
  for (int i = 0; i < trials; ++i) {
    Random random(seed * 1000003u + std::uint64_t(i));
    World world({.gravity = {0.0f, 0.0f, 0.0f}, .threads = 1, .solver = variant.settings});
    Material material;
    material.restitution = float(random.between(0.0, 1.0));
    material.friction = 0.0f;
    world.add_body({.shape = box({kHalfWall, kHalfWidth, kHalfWidth}), .motion = Motion::fixed, .material = material});
    const double speed = random.log_between(10.0, 1000.0), radius = random.log_between(0.02, 1.0);
    BodyDef shot{.shape = sphere(float(radius)), .material = material};
    shot.position.x = -float(radius + double(kHalfWall) + random.between(0.0, 2.0) * speed * double(kStep));
    shot.linear_velocity.x = float(speed);
    const BodyId body = world.add_body(shot);
    world.step_n(6, kStep);
    char text[100];
    std::snprintf(text, sizeof(text), "radius %.4g speed %.4g from %.4g restitution %.4g", radius, speed,
                  double(shot.position.x), double(material.restitution));
    worst.add(double(world.linear_velocity(body).x) / speed + double(material.restitution), text);
  }
  return worst;
}

/// A plate that slides over a smooth floor for a second: speed and way against the start.
Worst sliders(const Variant& variant, int trials, std::uint64_t seed) {
  Worst worst;
  for (int i = 0; i < trials; ++i) {
    Random random(seed * 1000003u + std::uint64_t(i));
    World world({.threads = 1, .solver = variant.settings});
    Material smooth;
    smooth.friction = 0.0f;
    world.add_body({.shape = box({400.0f, 0.5f, 400.0f}),
                    .motion = Motion::fixed,
                    .position = {0.0f, -0.5f, 0.0f},
                    .material = smooth});
    const float size = float(random.log_between(0.1, 1.0)), thin = size / float(random.log_between(1.0, 50.0));
    const double speed = random.log_between(1.0, 300.0), heading = random.between(0.0, 6.2831853);
    BodyDef plate{.shape = box({size, thin, size * float(random.between(0.5, 1.0))}), .material = smooth};
    plate.position.y = thin;
    plate.linear_velocity = {float(speed * std::cos(heading)), 0.0f, float(speed * std::sin(heading))};
    const BodyId body = world.add_body(plate);
    world.step_n(60, kStep);
    const BodyMotion end = world.motion(body);
    const Vec3 v = end.linear_velocity, x = end.pose.position;
    const double kept = std::hypot(double(v.x), double(v.z)) / speed,
                 way = std::hypot(double(x.x), double(x.z)) / speed;
    char text[100];
    std::snprintf(text, sizeof(text), "half edges %.4g %.4g speed %.4g", double(size), double(thin), speed);
    worst.add(std::max(std::fabs(kept - 1.0), std::fabs(way - 1.0)), text);
  }
  return worst;
}

const Row kRows[] = {
    {.group = "Fast bodies",
     .name = "PushesDoNotPass",
     .statement =
         "A ball at rest before a fixed wall of 2 cm, pushed at it to 1 to 20 m/s within a step by a force or by "
         "BodyDef::gravity_scale, gets no deeper than half its thinnest extent or the wall's",
     .unit = "thinnest extents",
     .bound = 0.5,
     .trials = 2000,
     .measure = pushes},
    {.group = "Fast bodies",
     .name = "FastestBallsDoNotPass",
     .statement = "Balls at 10,000 m/s against a fixed wall of 2 cm, the same",
     .unit = "thinnest extents",
     .bound = 0.5,
     .trials = 2000,
     .measure = fastest_balls},
    {.group = "Fast bodies",
     .name = "FastBallsBounce",
     .statement = "A ball at 10 to 1,000 m/s leaves a wall of 2 cm with its speed times restitution",
     .unit = "speed",
     .bound = 0.01,
     .trials = 1000,
     .measure = bounces},
    {.group = "Fast bodies",
     .name = "FastSlidersSlide",
     .statement =
         "A plate slides over a smooth floor at 1 to 300 m/s for a second: it keeps its speed, and gets as far",
     .unit = "speed",
     .bound = 0.001,
     .trials = 500,
     .measure = sliders},
};

}  // namespace

std::span<const Row> tunnel_rows() {
  return kRows;
}

}  // namespace talus::truth
