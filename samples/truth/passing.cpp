// SPDX-License-Identifier: MIT
// Nothing passes through anything: small bodies and thin walls, two at each other, rods at rims, chains, closed boxes.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "truth/experiment.h"

namespace talus::truth {

namespace {

using scenes::to_vec3;

constexpr double kPassed = 100.0;  // an error beyond all bounds

/// A shape at some place, as a rounded box.
struct Solid {
  Vecd core;        // [m] half extents
  double rounding;  // [m]
  Vecd centre;      // [m]
  Vecd axes[3];     // world frame
};
Solid solid(const ShapeDef& shape, const Transform& pose) {
  const Vecd size = scenes::vec<double>(shape.size);
  const bool is_box = shape.type == ShapeType::box;
  return {is_box ? size : Vecd{0.0, shape.type == ShapeType::capsule ? size.y : 0.0, 0.0},
          is_box ? 0.0 : size.x,
          scenes::vec<double>(pose.position),
          {axis_in_world(pose, {1, 0, 0}), axis_in_world(pose, {0, 1, 0}), axis_in_world(pose, {0, 0, 1})}};
}
double half_width(const Solid& s, Vecd n) {
  return s.core.x * std::fabs(dot(n, s.axes[0])) + s.core.y * std::fabs(dot(n, s.axes[1])) +
         s.core.z * std::fabs(dot(n, s.axes[2])) + s.rounding;
}
/// The point of a core that is nearest to another one.
Vecd nearest(const Solid& s, Vecd point) {
  const Vecd from = point - s.centre;
  const double half[3] = {s.core.x, s.core.y, s.core.z};
  Vecd result = s.centre;
  for (int i = 0; i < 3; ++i) result = result + std::clamp(dot(from, s.axes[i]), -half[i], half[i]) * s.axes[i];
  return result;
}
/// [m] How deep two solids are in each other; negative: they are apart. Along faces, pairs of edges and the line
/// between the nearest points of the cores.
double depth_of(const Solid& a, const Solid& b) {
  double least = 1e30;
  const auto try_axis = [&](Vecd n) {
    const double size = length(n);
    if (size < 1e-7) return;
    n = (1.0 / size) * n;
    least = std::min(least, half_width(a, n) + half_width(b, n) - std::fabs(dot(n, b.centre - a.centre)));
  };
  for (const Vecd& on_a : a.axes) {
    try_axis(on_a);
    for (const Vecd& on_b : b.axes) {
      if (const Vecd n = cross(on_a, on_b); length(n) > 1e-4) try_axis(n);
    }
  }
  for (const Vecd& on_b : b.axes) try_axis(on_b);
  if (a.rounding + b.rounding > 0.0) {
    Vecd on_a = a.centre, on_b = b.centre;
    for (int i = 0; i < 100; ++i) {
      on_a = nearest(a, on_b);
      on_b = nearest(b, on_a);
    }
    try_axis(on_b - on_a);
  }
  return least;
}
double thinnest(const ShapeDef& shape) {
  const Vec3 s = shape.size;
  return 2.0 * double(shape.type == ShapeType::box ? std::min({s.x, s.y, s.z}) : s.x);
}
double longest(const ShapeDef& shape) {
  const Vecd s = scenes::vec<double>(shape.size);
  if (shape.type == ShapeType::box) return 2.0 * length(s);
  return 2.0 * (shape.type == ShapeType::capsule ? s.x + s.y : s.x);
}
/// In thinnest extents of the two.
double depth_of(World& world, BodyId a, const ShapeDef& shape_a, BodyId b, const ShapeDef& shape_b) {
  return std::max(depth_of(solid(shape_a, world.pose(a)), solid(shape_b, world.pose(b))), 0.0) /
         std::min(thinnest(shape_a), thinnest(shape_b));
}

ShapeDef any_shape(Random& random, double least, double most, double proportions) {
  const float size = float(random.log_between(least, most));
  const auto thinner = [&] { return size / float(random.log_between(1.0, proportions)); };
  const int kind = random.index(3);
  if (kind == 0) return sphere(size);
  if (kind == 1) return capsule(thinner(), size);
  return box({thinner(), size, random.index(2) == 0 ? size : thinner()});
}
Material any_material(Random& random) {
  Material material;
  material.friction = float(random.between(0.0, 1.0));
  material.restitution = float(random.between(0.0, 1.0));
  return material;
}
/// Within an angle [rad] of the x axis.
Vecd any_heading(Random& random, double most) {
  const double angle = random.between(0.0, most), around = random.between(0.0, 2.0 * kPi);
  return {std::cos(angle), std::sin(angle) * std::cos(around), std::sin(angle) * std::sin(around)};
}
Vec3 any_spin(Random& random, double most) {
  const double rate = random.index(2) == 0 ? 0.0 : random.log_between(1.0, most);
  return to_vec3(rate * scenes::vec<double>(random.direction()));
}
WorldDef any_world(const Variant& variant, Random& random) {
  return bench_def(variant, {0.0f, random.index(2) == 0 ? 0.0f : -9.81f, 0.0f});
}

// ---- walls ---------------------------------------------------------------------------------------------------------

/// A wall x = 0 that bodies belong before, x < 0, and how deep they get.
struct Wall {
  World& world;
  BodyId id;
  ShapeDef shape;

  double depth(BodyId body, const ShapeDef& of) const {
    const Transform pose = world.pose(id);
    const Vecd at = scenes::vec<double>(world.position(body)) - scenes::vec<double>(pose.position);
    const auto along = [&](Vecd own) { return dot(at, axis_in_world(pose, own)); };
    const double margin = double(shape.size.y) - longest(of);
    if (std::fabs(along({0, 1, 0})) > margin || std::fabs(along({0, 0, 1})) > margin) return 0.0;  // beside it
    return along({1, 0, 0}) > 0.0 ? kPassed : depth_of(world, body, of, id, shape);
  }
};

double shoot_small(const Variant& variant, Random& random, std::string& parameters) {
  World world(any_world(variant, random));
  const Material material = any_material(random);
  const double speed = random.log_between(1.0, 1000.0), half = random.log_between(0.0025, 0.05);
  BodyDef shot{.shape = any_shape(random, 0.005, 0.5, 20.0), .material = material};
  const Vecd heading = any_heading(random, 1.2);
  const double way = random.between(0.0, std::min(2.0 * speed / 60.0, 8.0));
  shot.position = to_vec3(-way * heading - Vecd{0.5 * longest(shot.shape) + half + 0.001, 0.0, 0.0});
  shot.orientation = random.orientation();
  const bool pushed = random.index(3) == 0;
  if (!pushed) {
    shot.linear_velocity = to_vec3(speed * heading);
    shot.angular_velocity = any_spin(random, 1000.0);
  }
  const BodyId body = world.add_body(shot);
  const float mass = *world.definition(body).mass;
  if (pushed) world.apply_force(body, to_vec3((60.0 * double(mass) * speed) * heading));
  BodyDef wall{.shape = box({float(half), 20.0f, 20.0f}), .motion = Motion::fixed, .material = material};
  const int kind = random.index(3);
  if (kind == 1) {
    wall.motion = Motion::kinematic;
    wall.linear_velocity.x = -float(random.log_between(0.1, 300.0));
  } else if (kind == 2) {
    wall.motion = Motion::dynamic;
    wall.mass = 1000.0f * mass;
    wall.gravity_scale = 0.0f;
  }
  const Wall before{world, world.add_body(wall), wall.shape};
  char text[160];
  std::snprintf(text, sizeof(text), "shape %d %.4g %.4g %.4g wall %d of %.4g at %.4g speed %.4g%s",
                int(shot.shape.type), shot.shape.size.x, shot.shape.size.y, shot.shape.size.z, kind, 2.0 * half,
                wall.linear_velocity.x, speed, pushed ? " by a force" : "");
  parameters = text;
  double worst = 0.0;
  for (int step = 0; step < 12 && worst < kPassed; ++step) {
    if (!world.step(kStep)) return kPassed;
    worst = std::max(worst, before.depth(body, shot.shape));
  }
  return worst;
}

/// Links with ball joints between them.
double throw_chain(const Variant& variant, Random& random, std::string& parameters) {
  World world(any_world(variant, random));
  const double half_wall = random.index(2) == 0 ? 0.01 : 0.05, speed = random.log_between(1.0, 30.0);
  const double half = random.log_between(0.05, 0.5), thin = half / random.between(2.0, 5.0), pitch = 2.02 * half;
  const int links = 2 + random.index(6);
  const Material material{.friction = float(random.between(0.0, 1.0))};
  const BodyDef wall{.shape = box({float(half_wall), 20.0f, 20.0f}), .motion = Motion::fixed, .material = material};
  const Wall before{world, world.add_body(wall), wall.shape};
  BodyDef link{.shape = random.index(2) == 0 ? box({float(thin), float(half), float(thin)})
                                             : capsule(float(thin), float(half - 0.99 * thin)),
               .material = material};
  const Vecd heading = any_heading(random, 1.0);
  link.linear_velocity = to_vec3(speed * heading);
  const double lean = random.between(0.0, kPi);  // the chain goes away from the wall
  link.orientation = turn({0.0f, 0.0f, 1.0f}, lean);
  const Vecd along = axis_in_world({{}, link.orientation}, {0, 1, 0});
  const Vecd first = -random.between(0.0, speed / 30.0) * heading - Vecd{half + thin + half_wall + 0.01, 0.0, 0.0};
  std::vector<BodyId> bodies;
  for (int i = 0; i < links; ++i) {
    link.position = to_vec3(first + (i * pitch) * along);
    bodies.push_back(world.add_body(link));
    if (i > 0) world.add_joint(ball_joint(bodies[i - 1], bodies[i], to_vec3(first + ((i - 0.5) * pitch) * along)));
  }
  char text[120];
  std::snprintf(text, sizeof(text), "%d links %.4g %.4g shape %d wall %.4g speed %.4g", links, half, thin,
                int(link.shape.type), half_wall, speed);
  parameters = text;
  double worst = 0.0;
  for (int step = 0; step < 40 && worst < kPassed; ++step) {
    if (!world.step(kStep)) return kPassed;
    for (const BodyId body : bodies) worst = std::max(worst, before.depth(body, link.shape));
  }
  return worst;
}

/// Rods that spin, at the rim of a wall that they may pass beside.
double shoot_rod(const Variant& variant, Random& random, std::string& parameters) {
  World world(any_world(variant, random));
  const Material material = any_material(random);
  const double half = random.log_between(0.1, 1.0), thin = half / random.log_between(3.0, 30.0);
  const double speed = random.log_between(1.0, 300.0);
  BodyDef rod{
      .shape = random.index(2) == 0 ? capsule(float(thin), float(half)) : box({float(thin), float(half), float(thin)}),
      .material = material};
  const Vecd heading = any_heading(random, 1.0), aim{0.0, 1.0 + random.between(-half, half), random.between(-0.5, 0.5)};
  const double way = random.between(0.0, std::min(speed / 30.0, 8.0));
  rod.position = to_vec3(aim - way * heading - Vecd{0.5 * longest(rod.shape) + 0.011, 0.0, 0.0});
  rod.orientation = random.orientation();
  rod.linear_velocity = to_vec3(speed * heading);
  rod.angular_velocity = to_vec3(random.log_between(1.0, 300.0) * scenes::vec<double>(random.direction()));
  const ShapeDef shape = box({0.01f, 1.0f, 1.0f});
  const BodyId body = world.add_body(rod);
  const BodyId wall = world.add_body({.shape = shape, .motion = Motion::fixed, .material = material});
  char text[120];
  std::snprintf(text, sizeof(text), "shape %d half %.4g thin %.4g speed %.4g", int(rod.shape.type), half, thin, speed);
  parameters = text;
  double worst = 0.0;
  for (int step = 0; step < 12; ++step) {
    if (!world.step(kStep)) return kPassed;
    worst = std::max(worst, depth_of(world, body, rod.shape, wall, shape));
  }
  return worst;
}

/// Two balls, or two plates face to face, on one line.
double collide_head_on(const Variant& variant, Random& random, std::string& parameters) {
  World world(bench_def(variant, {0.0f, 0.0f, 0.0f}));
  const bool plates = random.index(2) == 0;
  const auto any = [&] {
    if (!plates) return sphere(float(random.log_between(0.01, 0.5)));
    const float width = float(random.log_between(0.2, 1.0));
    return box({width / float(random.log_between(5.0, 50.0)), width, width});
  };
  const Material material = any_material(random);
  BodyDef a{.shape = any(), .material = material}, b{.shape = any(), .material = material};
  a.orientation = b.orientation = random.orientation();
  const Vecd line = axis_in_world({{}, a.orientation}, {1, 0, 0});
  const double speed_a = random.log_between(1.0, 1000.0), speed_b = random.log_between(1.0, 1000.0);
  const double gap = 0.001 + random.between(0.0, (speed_a + speed_b) / 40.0);
  b.position = to_vec3((double(a.shape.size.x) + double(b.shape.size.x) + gap) * line);
  a.linear_velocity = to_vec3(speed_a * line);
  b.linear_velocity = to_vec3(-speed_b * line);
  a.mass = float(random.log_between(0.01, 100.0));
  b.mass = float(random.log_between(0.01, 100.0));
  const BodyId first = world.add_body(a), second = world.add_body(b);
  char text[120];
  std::snprintf(text, sizeof(text), "%s %.4g %.4g speeds %.4g %.4g masses %.3g %.3g", plates ? "plates" : "balls",
                a.shape.size.x, b.shape.size.x, speed_a, speed_b, *a.mass, *b.mass);
  parameters = text;
  double worst = 0.0;
  for (int step = 0; step < 8; ++step) {
    if (!world.step(kStep)) return kPassed;
    const Vecd apart = scenes::vec<double>(world.position(second)) - scenes::vec<double>(world.position(first));
    if (dot(apart, line) < 0.0) return kPassed;
    worst = std::max(worst, depth_of(world, first, a.shape, second, b.shape));
  }
  return worst;
}

// ---- in the air ----------------------------------------------------------------------------------------------------

/// Bodies that nobody holds: where their common centre is, and how fast.
class Swarm {
 public:
  Swarm(const WorldDef& def, const std::vector<BodyDef>& bodies, bool meet) : world_(def) {
    for (BodyDef body : bodies) {
      if (!meet) body.filter.mask = 0;
      ids_.push_back(world_.add_body(body));
      masses_.push_back(double(*body.mass));
    }
  }
  bool step() { return bool(world_.step(kStep)); }
  Vecd centre() {
    return mean([&](BodyId id) { return scenes::vec<double>(world_.position(id)); });
  }
  Vecd velocity() {
    return mean([&](BodyId id) { return scenes::vec<double>(world_.linear_velocity(id)); });
  }

 private:
  template <class Of>
  Vecd mean(Of of) {
    Vecd sum{0, 0, 0};
    double mass = 0.0;
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      sum = sum + masses_[i] * of(ids_[i]);
      mass += masses_[i];
    }
    return (1.0 / mass) * sum;
  }
  World world_;
  std::vector<BodyId> ids_;
  std::vector<double> masses_;
};

/// Two or three bodies that meet in flight, against the same ones that do not see each other.
double meet_in_air(const Variant& variant, Random& random, std::string& parameters) {
  const WorldDef def = any_world(variant, random);
  const Material material = any_material(random);
  const auto any_speed = [&] { return random.index(4) == 0 ? 0.0 : random.log_between(1.0, 100.0); };
  const double common = any_speed(), speed = random.log_between(1.0, 100.0);
  const Vecd along = common * scenes::vec<double>(random.direction());
  std::vector<BodyDef> bodies;
  const int count = 2 + random.index(2);
  double size = 1e30;  // [m] the smallest thickness
  for (int i = 0; i < count; ++i) {
    BodyDef body{.shape = any_shape(random, 0.1, 1.0, 20.0), .material = material};
    body.orientation = random.orientation();
    body.angular_velocity = any_spin(random, 100.0);
    body.mass = float(random.log_between(1.0, 20.0));
    body.linear_velocity = to_vec3(along);
    const auto is_clear = [&] {
      return std::all_of(bodies.begin(), bodies.end(), [&](const BodyDef& other) {
        const Vecd apart = scenes::vec<double>(body.position) - scenes::vec<double>(other.position);
        return length(apart) > 0.51 * (longest(body.shape) + longest(other.shape));
      });
    };
    while (!is_clear()) {  // at the first one from any side
      const Vecd from = scenes::vec<double>(random.direction()), aside = scenes::vec<double>(random.direction());
      const double reach = 0.5 * (longest(bodies[0].shape) + longest(body.shape));
      const double way = 1.4 * reach + random.between(0.0, speed / 30.0);
      body.linear_velocity = to_vec3(along - speed * from);
      body.position = to_vec3(way * from + random.between(0.0, 0.3 * reach) * aside);
    }
    size = std::min(size, longest(body.shape));
    bodies.push_back(body);
  }
  char text[160];
  std::snprintf(text, sizeof(text), "%d bodies, shapes %d %d, common speed %.4g relative %.4g smallest %.4g", count,
                int(bodies[0].shape.type), int(bodies[1].shape.type), common, speed, size);
  parameters = text;
  Swarm met(def, bodies, true), free(def, bodies, false);
  double worst = 0.0;
  for (int step = 1; step <= 30; ++step) {
    if (!met.step() || !free.step()) return kPassed;
    // What touches nothing falls by the mean of its velocities before and after a step, what touches by the latter.
    const double time = step * double(kStep), rounding = 2e-6 * (common + speed + 10.0);
    const double falling = 0.5 * std::fabs(double(def.gravity.y)) * double(kStep) * time;
    const double off = length(met.centre() - free.centre()) - falling - rounding * time;
    const double faster = length(met.velocity() - free.velocity()) - rounding;
    worst = std::max({worst, off / (size * std::max(time, 0.1)), faster / size});
  }
  return worst;
}

// ---- closed boxes --------------------------------------------------------------------------------------------------

/// Up to 20 bodies in a box of six walls for 10 s.
double run_closed_box(const Variant& variant, Random& random, std::string& parameters) {
  World world(any_world(variant, random));
  const Material material = any_material(random);
  const double half = random.between(0.5, 3.0), half_wall = random.log_between(0.005, 0.05);
  const double speed = random.log_between(1.0, 1000.0);
  const Vecd axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int i = 0; i < 6; ++i) {
    const Vecd normal = axes[i / 2], across = Vecd{1, 1, 1} - normal;
    world.add_body({.shape = box(to_vec3((half + 2.0 * half_wall) * across + half_wall * normal)),
                    .motion = Motion::fixed,
                    .position = to_vec3(((i % 2 == 0 ? 1.0 : -1.0) * (half + half_wall)) * normal),
                    .material = material});
  }
  std::vector<BodyDef> bodies;
  std::vector<BodyId> ids;
  const int wanted = 1 + random.index(20);
  for (int i = 0; i < wanted; ++i) {
    BodyDef body{.shape = any_shape(random, 0.01, std::min(0.5, 0.3 * half), 3.0), .material = material};
    const double room = half - 0.5 * longest(body.shape) - 0.01;
    const auto place = [&] { return float(random.between(-room, room)); };
    body.position = {place(), place(), place()};
    body.orientation = random.orientation();
    body.linear_velocity = to_vec3((random.between(0.0, 1.0) * speed) * scenes::vec<double>(random.direction()));
    body.angular_velocity = any_spin(random, 300.0);
    body.density = float(random.log_between(100.0, 1e4));
    const bool is_free = std::none_of(bodies.begin(), bodies.end(), [&](const BodyDef& other) {
      const Vecd apart = scenes::vec<double>(body.position) - scenes::vec<double>(other.position);
      return length(apart) < 0.5 * (longest(body.shape) + longest(other.shape));
    });
    if (!is_free) continue;
    ids.push_back(world.add_body(body));
    bodies.push_back(body);
  }
  char text[120];
  std::snprintf(text, sizeof(text), "half %.4g wall %.4g bodies %d speed %.4g restitution %.3g", half, 2.0 * half_wall,
                int(bodies.size()), speed, double(material.restitution));
  parameters = text;
  double worst = 0.0;
  for (int step = 0; step < 600; ++step) {
    if (!world.step(kStep)) return kPassed;
    for (const BodyId id : ids) {
      const Vec3 at = world.position(id);
      const double out = double(std::max({std::fabs(at.x), std::fabs(at.y), std::fabs(at.z)}));
      worst = std::max(worst, (out - half) / half_wall);
    }
  }
  return worst;
}

/// One body that may spin fast by the impact against one to three thick walls or half spaces at right angles. How far
/// its centre gets behind their surfaces, in thinnest extents.
double hit_thick_walls(const Variant& variant, Random& random, std::string& parameters) {
  const float rates[] = {30.0f, 60.0f, 120.0f, 240.0f};
  const float dt = 1.0f / rates[random.index(4)];
  const int walls = 1 + random.index(3);
  const bool planes = random.index(2) == 0;
  const double half_wall = random.log_between(0.05, 1.0);
  const Material material = any_material(random);
  World world(bench_def(variant, {0.0f, 0.0f, 0.0f}));
  for (int i = 0; i < walls; ++i) {
    const Vec3 n{i == 0 ? 1.0f : 0.0f, i == 1 ? 1.0f : 0.0f, i == 2 ? 1.0f : 0.0f};
    const auto half = [&](int axis) { return axis == i ? float(half_wall) : 300.0f; };
    world.add_body({.shape = planes ? plane(n) : box({half(0), half(1), half(2)}),
                    .motion = Motion::fixed,
                    .position = to_vec3((planes ? 0.0 : -half_wall) * scenes::vec<double>(n)),
                    .material = material});
  }
  const ShapeDef shape = any_shape(random, 0.01, 0.5, 6.0);
  const double speed = random.log_between(5.0, 300.0), far = 0.5 * longest(shape), way = speed * double(dt);
  Vecd heading = scenes::vec<double>(random.direction());
  if (walls > 0) heading.x = -std::fabs(heading.x);
  if (walls > 1) heading.y = -std::fabs(heading.y);
  if (walls > 2) heading.z = -std::fabs(heading.z);
  const auto place = [&] { return float(far + random.between(0.01, 1.0) * way); };
  const Vec3 start{place(), place(), place()};
  const BodyId id = world.add_body({.shape = shape,
                                    .mass = 1.0f,
                                    .position = start,
                                    .orientation = random.orientation(),
                                    .linear_velocity = to_vec3(speed * heading),
                                    .angular_velocity = any_spin(random, 100.0),
                                    .material = material});
  char text[160];
  std::snprintf(text, sizeof(text), "%d %s of %.3g m, %.4g m long, %.4g m thin, %.4g m/s, steps of 1/%g s", walls,
                planes ? "half spaces" : "walls", 2.0 * half_wall, longest(shape), thinnest(shape), speed,
                double(1.0f / dt));
  parameters = text;
  double worst = 0.0;
  for (int step = 0; step < 20; ++step) {
    if (!world.step(dt)) return kPassed;
    const Vec3 at = world.position(id);
    const float behind[] = {-at.x, -at.y, -at.z};
    for (int i = 0; i < walls; ++i) worst = std::max(worst, double(behind[i]) / thinnest(shape));
  }
  return worst;
}

using TrialFunction = double (*)(const Variant&, Random&, std::string&);
template <TrialFunction kTrial>
Worst worst_of(const Variant& variant, int trials, std::uint64_t seed) {
  Worst worst;
  for (int i = 0; i < trials; ++i) {
    Random random(seed * 1000003u + std::uint64_t(i));
    std::string parameters;
    const double error = kTrial(variant, random, parameters);
    worst.add(error, "trial " + std::to_string(i) + ": " + parameters);
  }
  return worst;
}

const Row kRows[] = {
    {.group = "Fast bodies",
     .name = "SmallShotsDoNotPass",
     .statement =
         "Balls, capsules and boxes of 1 cm to 1 m and proportions to 20:1, at up to 1,000 m/s and 1,000 rad/s or "
         "pushed by a force for one step, against walls of 5 mm to 10 cm, fixed, of a thousand times the mass, or "
         "kinematic and towards them at up to 300 m/s: no centre gets behind a wall's middle plane, and none gets "
         "deeper than half the thinnest extent of the two",
     .unit = "thinnest extents",
     .bound = 0.5,
     .trials = 5000,
     .measure = worst_of<shoot_small>},
    {.group = "Fast bodies",
     .name = "ThickWallsAreNotEntered",
     .statement =
         "Balls, capsules and boxes of 1 cm to 50 cm and proportions to 6:1, at 5 to 300 m/s, in steps of 1/30 to "
         "1/240 s, against one to three half spaces or walls of 10 cm to 2 m at right angles to each other: no centre "
         "gets behind a surface, however fast the impact makes the body spin",
     .unit = "thinnest extents",
     .bound = 0.0,
     .trials = 5000,
     .measure = worst_of<hit_thick_walls>,
     .bounds = "jacobi=0.4"},
    {.group = "Fast bodies",
     .name = "HeadOnDoesNotPass",
     .statement =
         "Two balls, or two plates face to face, on one line at up to 1,000 m/s each, with masses of up to 1e4:1: they "
         "do not change places, and get no deeper into each other than half the thinnest extent",
     .unit = "thinnest extents",
     .bound = 0.5,
     .trials = 5000,
     .measure = worst_of<collide_head_on>},
    {.group = "Fast bodies",
     .name = "RodsAtRimsDoNotPass",
     .statement =
         "Rods that spin at up to 300 rad/s, at up to 300 m/s against the rim of a wall of 2 cm, get no deeper into it "
         "than half the thinnest extent",
     .unit = "thinnest extents",
     .bound = 0.5,
     .trials = 5000,
     .measure = worst_of<shoot_rod>},
    {.group = "Fast bodies",
     .name = "ChainsDoNotPass",
     .statement = "Chains of 2 to 7 links with ball joints, thrown at fixed walls of 2 and 10 cm at up to 30 m/s: no "
                  "centre of a link gets behind a wall's middle plane, and no link deeper than half the thinnest "
                  "extent; with soft contacts, which expect links to fly freely, than 0.8 of it",
     .unit = "thinnest extents",
     .bound = 0.5,
     .trials = 2000,
     .measure = worst_of<throw_chain>,
     .bounds = "default=0.8 jacobi=0.8 projection=0.8 shock=0.8"},
    {.group = "Fast bodies",
     .name = "MeetingsKeepTheCentre",
     .statement =
         "Two or three free bodies of 10 cm to 2 m, proportions to 20:1 and masses to 20:1 that meet in the air at up "
         "to 100 m/s, with a common speed of up to 100 m/s and spins of up to 100 rad/s: for half a second their "
         "common centre moves as if they did not see each other, and as fast, to a part of the smallest one's length "
         "a second: what parts bodies deep in each other is cut to SolverSettings::max_push_speed for each one alone",
     .unit = "lengths a second",
     .bound = 0.2,
     .trials = 3000,
     .measure = worst_of<meet_in_air>,
     .bounds = "default=0.5 jacobi=0.6 projection=0.5"},
    {.group = "Fast bodies",
     .name = "ClosedBoxesStayClosed",
     .statement =
         "Up to 20 bodies of 2 cm to 1 m and proportions to 3:1, at up to 1,000 m/s in a closed box with walls of 1 to "
         "10 cm, for 10 s: no centre gets as far into a wall as to its middle",
     .unit = "half walls",
     .bound = 1.0,
     .trials = 200,
     .measure = worst_of<run_closed_box>},
};

}  // namespace

std::span<const Row> passing_rows() {
  return kRows;
}

}  // namespace talus::truth
