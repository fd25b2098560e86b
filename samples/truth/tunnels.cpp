// SPDX-License-Identifier: MIT
// Nothing passes through anything: shots at thin walls.
#include "truth/truth.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

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
Vec3 times(double s, Vec3 v) {
  return {float(s * double(v.x)), float(s * double(v.y)), float(s * double(v.z))};
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

/// Half as long as 10 cm to 1 m, with proportions to 50:1.
ShapeDef any_shape(Random& random) {
  const float size = float(random.log_between(0.1, 1.0));
  const auto thinner = [&] { return size / float(random.log_between(1.0, 50.0)); };
  switch (random.index(3)) {
    case 0:
      return sphere(size);
    case 1:
      return capsule(thinner(), size);
    default:
      return box({thinner(), size, random.index(2) == 0 ? size : thinner()});
  }
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

struct Shot {
  ShapeDef shape;
  Vec3 position, velocity, spin;
  Quat orientation;
  std::string text;
};

enum class Wall : int { fixed, kinematic, heavy, light };
enum class Way : int { flies, pushed, between_walls, struck };

/// One random shot at a wall x = 0, from x < 0.
class Trial {
 public:
  Trial(const Variant& variant, std::uint64_t seed, double most_speed) : random_(seed) {
    WorldDef def;
    def.threads = 1;
    def.solver = variant.settings;
    if (random_.index(2) == 0) def.gravity = {0.0f, 0.0f, 0.0f};
    world_ = std::make_unique<World>(def);
    wall_kind_ = Wall(random_.index(4));
    way_ = Way(random_.index(4));
    make_shot(most_speed);
    material_.restitution = random_.index(2) == 0 ? 0.0f : float(random_.between(0.0, 1.0));
    material_.friction = float(random_.between(0.0, 1.0));
    add_shot();
    add_wall();
    char text[200];
    std::snprintf(text, sizeof(text), "seed %llu wall %d way %d shape %d size %.4g %.4g %.4g speed %.4g spin %.4g",
                  static_cast<unsigned long long>(seed), int(wall_kind_), int(way_), int(shot_.shape.type),
                  double(shot_.shape.size.x), double(shot_.shape.size.y), double(shot_.shape.size.z), speed_,
                  std::sqrt(dot(shot_.spin, shot_.spin)));
    text_ = text;
  }

  /// The deepest that it gets.
  double run(int steps) {
    double worst = 0.0;
    for (int step = 0; step < steps; ++step) {
      if (!world_->step(kStep)) return kPassed;  // a body that left the finite range stops for good
      const double depth = depth_in(shot_.shape, world_->pose(body_), world_->pose(wall_), -1.0);
      if (depth < 0.0) break;
      worst = std::max(worst, depth);
      if (way_ == Way::between_walls) {
        const double back = depth_in(shot_.shape, world_->pose(body_), world_->pose(back_), 1.0);
        worst = std::max(worst, back);
      }
      if (worst >= kPassed) break;
    }
    return worst;
  }
  const std::string& text() const { return text_; }

 private:
  void make_shot(double most_speed) {
    shot_.shape = any_shape(random_);
    speed_ = random_.log_between(1.0, most_speed);
    const double angle = random_.between(0.0, 1.05), around = random_.between(0.0, 6.2831853);
    const Vec3 direction{float(std::cos(angle)), float(std::sin(angle) * std::cos(around)),
                         float(std::sin(angle) * std::sin(around))};
    shot_.velocity = times(speed_, direction);
    shot_.spin = times(random_.index(2) == 0 ? 0.0 : random_.log_between(1.0, 1000.0), random_.direction());
    shot_.orientation = random_.orientation();
    const double clear = 0.5 * longest(shot_.shape) + double(kHalfWall) + 0.001;
    const double way = random_.between(0.0, std::min(2.0 * speed_ * double(kStep), 30.0));
    shot_.position = times(-way, direction);
    shot_.position.x -= float(clear);
  }

  void add_wall() {
    BodyDef wall{.shape = box({kHalfWall, kHalfWidth, kHalfWidth}), .motion = Motion::fixed, .material = material_};
    if (wall_kind_ == Wall::kinematic) {
      wall.motion = Motion::kinematic;
      wall.linear_velocity = {float(random_.between(-0.1, 0.1) * speed_), 0.0f, 0.0f};
      if (random_.index(4) == 0) wall.linear_velocity.x = -float(speed_);
    } else if (wall_kind_ == Wall::heavy) {
      wall.motion = Motion::dynamic;
      wall.density = 1e5f;
      wall.gravity_scale = 0.0f;
    } else if (wall_kind_ == Wall::light) {
      wall.motion = Motion::dynamic;
      wall.mass = float(random_.log_between(0.3, 30.0)) * *world_->definition(body_).mass;
      wall.gravity_scale = 0.0f;
    }
    wall_ = world_->add_body(wall);
    if (way_ != Way::between_walls) return;
    wall.motion = Motion::fixed;
    wall.linear_velocity = {0.0f, 0.0f, 0.0f};
    wall.position.x = shot_.position.x - float(0.5 * longest(shot_.shape) + 0.011 + random_.between(0.0, 0.1));
    if (wall_kind_ == Wall::kinematic) world_->set_velocity(wall_, {0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f});
    back_ = world_->add_body(wall);
  }

  void add_shot() {
    BodyDef body{.shape = shot_.shape, .material = material_};
    body.position = shot_.position;
    body.orientation = shot_.orientation;
    if (way_ == Way::flies || way_ == Way::between_walls) {
      body.linear_velocity = shot_.velocity;
      body.angular_velocity = shot_.spin;
    }
    body_ = world_->add_body(body);
    if (way_ == Way::pushed) push();
    if (way_ == Way::struck) strike();
  }

  /// From rest to speed and spin in one step.
  void push() {
    const BodyDef made = world_->definition(body_);
    world_->apply_force(body_, times(double(*made.mass) / double(kStep), shot_.velocity));
    const Vec3 own = rotated(inverse(shot_.orientation), shot_.spin);
    const Vec3 torque{made.inertia->x * own.x / kStep, made.inertia->y * own.y / kStep,
                      made.inertia->z * own.z / kStep};
    world_->apply_torque(body_, rotated(shot_.orientation, torque));
  }

  /// From rest, by a ball of a hundred times its mass from behind, which touches it within the first step.
  void strike() {
    const BodyDef made = world_->definition(body_);
    const double length = std::sqrt(dot(shot_.velocity, shot_.velocity)), radius = 0.5;
    const Vec3 direction = times(1.0 / length, shot_.velocity);
    const double back = radius + 0.5 * longest(shot_.shape) + random_.between(0.0, 0.5) * speed_ * double(kStep);
    BodyDef ball{.shape = sphere(float(radius)), .mass = 100.0f * *made.mass, .material = material_};
    ball.position = {shot_.position.x - float(back) * direction.x, shot_.position.y - float(back) * direction.y,
                     shot_.position.z - float(back) * direction.z};
    ball.linear_velocity = shot_.velocity;
    world_->add_body(ball);
  }

  Random random_;
  std::unique_ptr<World> world_;
  Wall wall_kind_{};
  Way way_{};
  Shot shot_;
  double speed_ = 0.0;
  Material material_;
  BodyId wall_, back_, body_;
  std::string text_;
};

Worst shots(const Variant& variant, int trials, std::uint64_t seed) {
  Worst worst;
  for (int i = 0; i < trials; ++i) {
    Trial trial(variant, seed * 1000003u + std::uint64_t(i), 1000.0);
    const double depth = trial.run(12);
    worst.add(depth, trial.text());
  }
  return worst;
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
     .name = "ShotsDoNotPass",
     .statement =
         "Balls, capsules and boxes of proportions to 50:1, at up to 1,000 m/s and 1,000 rad/s, in flight, "
         "pushed by a force for one step, struck by another body or caught between two walls, against walls of "
         "2 cm, fixed, kinematic or dynamic, from a third of their mass on: no centre gets behind a wall's middle "
         "plane, and none gets deeper than half the thinnest extent of the two",
     .unit = "thinnest extents",
     .bound = 0.5,
     .trials = 10000,
     .measure = shots},
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
