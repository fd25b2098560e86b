// SPDX-License-Identifier: MIT
// Floors of many pieces are as smooth as floors of one, and what misses an obstacle is not turned aside by it.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <set>
#include <utility>

#include "truth/truth.h"

namespace talus::truth {

namespace {

constexpr double kPi = 3.14159265358979323846;

Vec3 operator+(Vec3 a, Vec3 b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
Vec3 operator-(Vec3 a, Vec3 b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
Vec3 operator*(double s, Vec3 v) {
  return {float(s * double(v.x)), float(s * double(v.y)), float(s * double(v.z))};
}
double dot(Vec3 a, Vec3 b) {
  return double(a.x) * double(b.x) + double(a.y) * double(b.y) + double(a.z) * double(b.z);
}
Vec3 cross(Vec3 a, Vec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
double length(Vec3 v) {
  return std::sqrt(dot(v, v));
}
Quat operator*(Quat a, Quat b) {
  return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
          a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
Quat turn_about(Vec3 axis, double angle) {
  const double s = std::sin(0.5 * angle);
  return {float(s * double(axis.x)), float(s * double(axis.y)), float(s * double(axis.z)),
          float(std::cos(0.5 * angle))};
}
Vec3 rotate_back(Quat q, Vec3 v) {
  const Vec3 u{-q.x, -q.y, -q.z};
  const Vec3 t = 2.0 * cross(u, v);
  return v + double(q.w) * t + cross(u, t);
}

const char* name_of(const ShapeDef& shape) {
  return shape.type == ShapeType::box ? "box" : shape.type == ShapeType::capsule ? "capsule" : "sphere";
}
/// [m] Half the width along a unit direction.
double half_width(const ShapeDef& shape, Quat orientation, Vec3 direction) {
  const Vec3 own = rotate_back(orientation, direction);
  const double x = std::abs(double(own.x)), y = std::abs(double(own.y)), z = std::abs(double(own.z));
  if (shape.type == ShapeType::box)
    return x * double(shape.size.x) + y * double(shape.size.y) + z * double(shape.size.z);
  return double(shape.size.x) + (shape.type == ShapeType::capsule ? y * double(shape.size.y) : 0.0);
}
/// [m] The longest way through the shape.
double size_of(const ShapeDef& shape) {
  if (shape.type == ShapeType::box) return 2.0 * length(shape.size);
  return 2.0 * double(shape.size.x) + (shape.type == ShapeType::capsule ? 2.0 * double(shape.size.y) : 0.0);
}
/// A sphere, box or capsule whose extents are between low and high [m].
ShapeDef any_shape(Random& random, double low, double high) {
  const auto extent = [&] { return float(0.5 * random.log_between(low, high)); };
  switch (random.index(3)) {
    case 0:
      return sphere(extent());
    case 1:
      return box({extent(), extent(), extent()});
    default:
      return capsule(extent(), extent());
  }
}

// ---- seams ---------------------------------------------------------------------------------------------------------

struct Slide {
  ShapeDef shape;
  Quat lying;       // how the body lies on the floor
  double speed;     // [m/s]
  double friction;  // [1]
  double heading;   // [rad] of the way against the rows of tiles
  double tile;      // [m] edge of a tile
  bool standing;    // tiles are dynamic and stand on a plane
  Vec3 origin;      // [m]
  int steps;
  float dt;                      // [s]
  double gives;                  // [m] by how much contacts give way under a body's weight
  std::optional<float> hertz{};  // [Hz] contacts of the body, in place of the solver's
  double narrow;                 // [m] the least half width along the floor
  double height() const { return half_width(shape, lying, {0.0f, 1.0f, 0.0f}); }
};

constexpr float kSlideStep = 1.0f / 60;
constexpr int kSeams = 100;

/// What slides, and over what.
struct SlideKind {
  bool standing;             // tiles
  bool rough = false;        // friction
  bool any_setting = false;  // of steps, contacts and stabilization
  bool shapes[3] = {};       // sphere, box, capsule
};

/// [m] By how much a contact with the ground gives way under a body's own weight.
double give_of(const SolverSettings& s, double dt) {
  const bool rigid = s.solver == Solver::rigid;
  if (s.solver == Solver::shock || s.stabilization != Stabilization::soft) return 0.0;
  const double limited = std::min(double(s.contact_hertz), 0.205 / dt * (rigid ? 1 : s.substeps));
  const double omega = 2.0 * kPi * limited * (s.solver == Solver::gauss_seidel ? 2.0 : 1.0);
  // Where tiles meet, each of four has a fourth of the mass, and one may bear nearly all of it.
  return (s.solver == Solver::jacobi ? 4.0 : 1.0) * 9.81 / (omega * omega);
}

/// The settings of a variant, with other numbers and, of Solver::rigid, any stabilization.
SolverSettings any_setting(Random& random, const Variant& variant, float& dt) {
  SolverSettings s = variant.settings;
  const float steps_a_second[] = {30, 60, 120, 240};
  dt = 1.0f / steps_a_second[random.index(4)];
  s.substeps = 1 + random.index(8);
  s.iterations = s.relax_iterations = (s.substeps + 3) / s.substeps;  // at least four sweeps a step
  s.contact_hertz = float(random.log_between(5.0, 60.0));
  const int by = random.index(4);
  if (s.solver == Solver::rigid) s.stabilization = Stabilization(by);
  return s;
}
/// [m] The shortest way through the shape.
double thickness_of(const ShapeDef& shape) {
  const Vec3 size = shape.size;
  return 2.0 * double(shape.type == ShapeType::box ? std::min({size.x, size.y, size.z}) : size.x);
}

Slide any_slide(Random& random, const SlideKind& kind, const SolverSettings& settings, float dt) {
  Slide s;
  s.dt = dt;
  s.gives = kind.any_setting ? give_of(settings, double(dt)) : 0.0;
  if (kind.any_setting && s.gives > 0.0 && random.index(2) == 0) s.hertz = settings.contact_hertz;
  const bool far = random.index(4) == 0;  // where positions are rounded to 0.1 mm
  do {
    s.shape = any_shape(random, far ? 0.5 : 0.05, 2.0);
  } while (!kind.shapes[s.shape.type == ShapeType::box ? 1 : s.shape.type == ShapeType::capsule ? 2 : 0]);
  const bool standing = kind.standing;
  s.standing = standing;
  s.speed = random.log_between(0.01, 30.0);
  s.heading = random.between(0.0, 2.0 * kPi);
  const double size = size_of(s.shape);
  const int quarter = random.index(3);  // which face a box lies on
  const Quat face = turn_about(quarter == 0 ? Vec3{1, 0, 0} : Vec3{0, 0, 1}, quarter == 2 ? 0.0 : 0.5 * kPi);
  const Quat side = s.shape.type == ShapeType::capsule ? turn_about({1, 0, 0}, 0.5 * kPi) : face;
  s.lying = turn_about({0, 1, 0}, random.between(0.0, 2.0 * kPi)) * side;
  // Friction that does not tip it.
  s.narrow = 1e30;
  for (double angle = 0.0; angle < kPi; angle += 0.05) {
    s.narrow = std::min(s.narrow, half_width(s.shape, s.lying, {float(std::cos(angle)), 0.0f, float(std::sin(angle))}));
  }
  const bool round = s.shape.type != ShapeType::box;
  const double steady = round ? 0.5 : std::min(0.5, 0.4 * s.narrow / s.height());
  s.friction = kind.rough ? random.between(0.02, 1.0) * steady : 0.0;
  // A capsule that rolls by more than half a radian in a step wobbles on any floor.
  if (s.friction > 0.0 && s.shape.type == ShapeType::capsule) {
    s.speed = std::min(s.speed, 0.5 * double(s.shape.size.x / s.dt));
  }
  // As many seams as it passes in the steps that there is time for, up to 100; at least a few.
  const double way = s.speed * double(s.dt);
  s.tile = std::max(random.between(0.4, 2.0) * size, standing ? 0.5 * size : 0.0);
  const double stops_after = s.friction > 0.0 ? s.speed / (s.friction * 9.81 * double(s.dt)) : 1e9;
  s.steps = int(std::min({kSeams * s.tile / way, standing ? 80.0 : 300.0, stops_after + 10.0})) + 20;
  s.origin = far ? 1000.0 * random.direction() : Vec3{0, 0, 0};
  return s;
}

/// [m] All that float positions may be wrong by at a place.
double grain_of(Vec3 place) {
  return 6e-8 * (std::abs(double(place.x)) + std::abs(double(place.y)) + std::abs(double(place.z)));
}

struct SlideRun {
  std::vector<BodyMotion> motions;  // after each step
  double tiles_moved = 0.0;         // [m] at most, in any direction
};

/// Tiles under and around a way.
std::vector<BodyDef> tiles_along(const Slide& s, const std::vector<BodyMotion>& way, const Material& floor) {
  const double thick = s.standing ? 0.5 * s.tile : 0.25 * s.tile, reach = 0.5 * size_of(s.shape) + 0.6 * s.tile;
  std::set<std::pair<int, int>> places;
  for (std::size_t i = 0; i + 1 < way.size(); ++i) {
    const Vec3 from = way[i].pose.position - s.origin, step = way[i + 1].pose.position - way[i].pose.position;
    const int parts = 1 + int(length(step) / s.tile);
    for (int part = 0; part <= parts; ++part) {
      const Vec3 at = from + (double(part) / parts) * step;
      for (int x = int(std::floor((double(at.x) - reach) / s.tile)); x * s.tile <= double(at.x) + reach; ++x) {
        for (int z = int(std::floor((double(at.z) - reach) / s.tile)); z * s.tile <= double(at.z) + reach; ++z) {
          places.insert({x, z});
        }
      }
    }
  }
  std::vector<BodyDef> tiles;
  tiles.reserve(places.size());
  for (const auto& [x, z] : places) {
    tiles.push_back({.shape = box({float(0.5 * s.tile), float(thick), float(0.5 * s.tile)}),
                     .motion = s.standing ? Motion::dynamic : Motion::fixed,
                     .mass = 1000.0f,
                     .position = s.origin + Vec3{float((x + 0.37) * s.tile), float(-thick), float((z + 0.21) * s.tile)},
                     .material = floor});
  }
  return tiles;
}

/// On tiles along a way, or on one plane if there is none.
SlideRun run_slide(const Slide& s, SolverSettings settings, const std::vector<BodyMotion>& way) {
  if (s.hertz) settings.contact_hertz = 60.0f;
  World world({.backend = Backend::cpu, .threads = 1, .solver = settings, .sleep = {.enabled = false}});
  const Material floor{.friction = 1.0f, .friction_combine = Combine::multiply};
  const Material ice{.friction = float(s.friction), .friction_combine = Combine::multiply, .contact_hertz = s.hertz};
  const bool tiled = !way.empty();
  const Vec3 start = s.origin + Vec3{0.0f, float(s.height()), 0.0f};
  const Vec3 along{float(std::cos(s.heading)), 0.0f, float(std::sin(s.heading))};
  const Vec3 ground = s.origin - Vec3{0.0f, tiled ? float(s.tile) : 0.0f, 0.0f};
  std::vector<BodyId> pieces;
  if (!tiled || s.standing) world.add_body({.shape = plane({0, 1, 0}), .position = ground, .material = floor});
  if (tiled) pieces = world.add_bodies(tiles_along(s, way, floor));
  const BodyId body =
      world.add_body({.shape = s.shape, .mass = 100.0f, .position = start, .orientation = s.lying, .material = ice});
  // What stands settles first, under a body that does not move yet.
  world.step_n(30, s.dt);
  world.set_pose(body, {world.position(body), s.lying});
  world.set_velocity(body, s.speed * along, {0, 0, 0});
  SlideRun run;
  run.motions.push_back(world.motion(body));
  std::vector<Transform> before(pieces.size()), after(pieces.size());
  world.read_poses(pieces, before);
  for (int i = 0; i < s.steps; ++i) {
    world.step(s.dt);
    run.motions.push_back(world.motion(body));
  }
  world.read_poses(pieces, after);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    run.tiles_moved = std::max(run.tiles_moved, length(after[i].position - before[i].position));
  }
  return run;
}

/// How far a slide over tiles is from one over a plane, in parts of what is allowed.
double slide_error(const Slide& s, const SolverSettings& settings) {
  const SlideRun whole = run_slide(s, settings, {}), seams = run_slide(s, settings, whole.motions);
  const double size = size_of(s.shape);
  const double height = std::max({1e-3, 2e-3 * size, 4.0 * grain_of(s.origin)}) + s.gives;
  // Tiles that stand lean by some 1e-5 rad under a load near their rims, and what slides over them feels it. With
  // friction, a twentieth of what it takes in a step.
  const double braked = s.friction * 9.81 * double(s.dt);
  const double least_speed = std::max(s.standing || s.friction > 0.0 ? 1e-3 : 2e-4, 0.05 * braked);
  // Where positions are coarser than contacts are deep, loads are wrong by a part, and so is friction.
  const double part = s.friction > 0.0 ? 0.01 + 100.0 * grain_of(s.origin) : 0.01;
  const double support = s.shape.type == ShapeType::capsule ? double(s.shape.size.y) : s.narrow;
  // Some solvers let a short capsule rock on the plane, too.
  double rocking = 0.0;
  for (const BodyMotion& m : whole.motions) {
    if (s.friction == 0.0) rocking = std::max(rocking, length(m.angular_velocity));
  }
  const double tilting = 0.5 * s.gives / support / double(s.dt);  // [rad/s] an end sinks in within two steps
  const double rounding = 8.0 * grain_of(s.origin) / double(s.dt) / support;  // [rad/s]
  double error = seams.tiles_moved / 1e-3;
  for (std::size_t i = 0; i < whole.motions.size(); ++i) {
    const BodyMotion &a = seams.motions[i], &b = whole.motions[i];
    // It stops, and rocks for a step or two.
    if (dot(b.linear_velocity, whole.motions[0].linear_velocity) < 0.05 * s.speed * s.speed) break;
    const Vec3 slip = a.linear_velocity - b.linear_velocity;
    const double speed = std::max(part * s.speed, least_speed);
    const double spin =
        std::max(0.02, 5e-3 / support) + 0.01 * length(b.angular_velocity) + 2.0 * rocking + rounding + tilting;
    error = std::max({error, std::hypot(double(slip.x), double(slip.z)) / speed,
                      std::abs(double(a.pose.position.y - b.pose.position.y)) / height,
                      length(a.angular_velocity - b.angular_velocity) / spin});
  }
  return error;
}

Worst slides(const Variant& variant, int trials, std::uint64_t seed, const SlideKind& kind) {
  Worst worst;
  for (int i = 0; i < trials; ++i) {
    Random random(seed + std::uint64_t(i));
    float dt = kSlideStep;
    SolverSettings settings = variant.settings;
    if (kind.any_setting) settings = any_setting(random, variant, dt);
    Slide s = any_slide(random, kind, settings, dt);
    // What sinks in deeper than a fiftieth of its thickness is no body on a floor.
    while (kind.any_setting && s.gives > 0.02 * std::min(thickness_of(s.shape), 0.5 * s.tile)) {
      settings = any_setting(random, variant, dt);
      s = any_slide(random, kind, settings, dt);
    }
    char text[200];
    std::snprintf(text, sizeof text, "trial %d: %s %.3g %.3g %.3g, %.3g m/s, friction %.2g, tiles %.3g m, %d steps", i,
                  name_of(s.shape), double(s.shape.size.x), double(s.shape.size.y), double(s.shape.size.z), s.speed,
                  s.friction, s.tile, s.steps);
    worst.add(slide_error(s, settings), text);
  }
  return worst;
}
Worst slides_on_fixed(const Variant& variant, int trials, std::uint64_t seed) {
  return slides(variant, trials, seed, {.standing = false, .shapes = {true, true, true}});
}
Worst rubs_on_fixed(const Variant& variant, int trials, std::uint64_t seed) {
  return slides(variant, trials, seed, {.standing = false, .rough = true, .shapes = {true, true, false}});
}
Worst capsules_rub(const Variant& variant, int trials, std::uint64_t seed) {
  return slides(variant, trials, seed, {.standing = false, .rough = true, .shapes = {false, false, true}});
}
Worst slides_in_any_setting(const Variant& variant, int trials, std::uint64_t seed) {
  return slides(variant, trials, seed, {.standing = false, .any_setting = true, .shapes = {true, true, true}});
}
Worst rubs_in_any_setting(const Variant& variant, int trials, std::uint64_t seed) {
  return slides(variant, trials, seed,
                {.standing = false, .rough = true, .any_setting = true, .shapes = {true, true, false}});
}
Worst slides_on_standing(const Variant& variant, int trials, std::uint64_t seed) {
  return slides(variant, trials, seed, {.standing = true, .shapes = {true, true, true}});
}
Worst rubs_on_standing(const Variant& variant, int trials, std::uint64_t seed) {
  return slides(variant, trials, seed, {.standing = true, .rough = true, .shapes = {true, true, false}});
}

// ---- near misses ---------------------------------------------------------------------------------------------------

struct Flight {
  ShapeDef body, obstacle;
  Quat body_turned, obstacle_turned;
  Vec3 velocity, spin, gravity;
  Vec3 start, origin;  // [m] of the body from the obstacle; of the obstacle
  bool fixed;          // the obstacle; else dynamic, without weight
  float dt;
  int steps;
  double clearance;  // [m]
};

/// Passes the obstacle, apart along one direction by a little more than a hundredth of its size all the time.
Flight any_flight(Random& random) {
  Flight f;
  const bool far = random.index(4) == 0;
  f.body = any_shape(random, far ? 0.2 : 0.02, 2.0);
  f.obstacle = any_shape(random, 0.05, 4.0);
  f.body_turned = random.orientation();
  f.obstacle_turned = random.index(2) == 0 ? kIdentity : random.orientation();
  const double speed = random.log_between(0.1, 500.0);
  f.velocity = speed * random.direction();
  f.spin = random.index(2) == 0 ? Vec3{0, 0, 0} : random.log_between(0.01, 30.0) * random.direction();
  f.gravity = random.index(2) == 0 ? Vec3{0, 0, 0} : Vec3{0, -9.81f, 0};
  f.origin = far ? 1000.0 * random.direction() : Vec3{0, 0, 0};
  f.fixed = random.index(2) == 0;
  const float steps_a_second[] = {30, 60, 120, 240};
  f.dt = 1.0f / steps_a_second[random.index(4)];
  f.clearance = random.log_between(0.0101, 0.2) * size_of(f.body);
  // The two pass at this time; the start is where the body must have been.
  const double passes = random.between(2.0, 12.0) * double(f.dt);
  f.steps = 16;
  const Vec3 across = cross(f.velocity, random.direction());
  const Vec3 aside = (1.0 / length(across)) * across;
  const double near = 0.5 * (size_of(f.body) + size_of(f.obstacle)) + f.clearance;
  const double rate = length(f.spin);
  const Vec3 axis = rate > 0.0 ? (1.0 / rate) * f.spin : Vec3{0, 1, 0};
  double least = 1e30;  // of the way aside less the half width, while they are near each other
  const int samples = 4000;
  for (int i = 0; i <= samples; ++i) {
    const double t = (f.steps * double(f.dt)) * i / samples, before = t - passes;
    // How far it has fallen depends on the solver's sub-steps; all of it is between these.
    for (const double early : {0.0, double(f.dt)}) {
      const Vec3 way = before * f.velocity + (0.5 * t * (t + early) - 0.5 * passes * passes) * f.gravity;
      const Vec3 beside = way - dot(way, aside) * aside;
      if (length(beside) > 1.1 * near + length(f.velocity) * double(f.dt) * f.steps / samples) continue;
      const Quat turned = turn_about(axis, rate * t) * f.body_turned;
      least = std::min(least, dot(way, aside) - half_width(f.body, turned, aside));
    }
  }
  const double offset = half_width(f.obstacle, f.obstacle_turned, aside) + f.clearance - least;
  f.start = offset * aside - passes * f.velocity - (0.5 * passes * passes) * f.gravity;
  return f;
}

BodyMotion fly(const Flight& f, const Variant& variant, bool obstacle) {
  World world({.gravity = f.gravity,
               .backend = Backend::cpu,
               .threads = 1,
               .solver = variant.settings,
               .sleep = {.enabled = false}});
  if (obstacle) {
    world.add_body({.shape = f.obstacle,
                    .motion = f.fixed ? Motion::fixed : Motion::dynamic,
                    .position = f.origin,
                    .orientation = f.obstacle_turned,
                    .gravity_scale = 0.0f});
  }
  const BodyId body = world.add_body({.shape = f.body,
                                      .mass = 1.0f,
                                      .inertia = Vec3{1.0f, 1.0f, 1.0f},
                                      .position = f.origin + f.start,
                                      .orientation = f.body_turned,
                                      .linear_velocity = f.velocity,
                                      .angular_velocity = f.spin});
  world.step_n(f.steps, f.dt);
  return world.motion(body);
}

Worst near_misses(const Variant& variant, int trials, std::uint64_t seed) {
  Worst worst;
  for (int i = 0; i < trials; ++i) {
    Random random(seed + std::uint64_t(i));
    const Flight f = any_flight(random);
    const BodyMotion a = fly(f, variant, true), b = fly(f, variant, false);
    const double speed = std::max(length(b.linear_velocity), length(f.velocity));
    const double way = speed * f.steps * double(f.dt) + length(f.origin + f.start);
    const double error = std::max({length(a.linear_velocity - b.linear_velocity) / speed,
                                   length(a.pose.position - b.pose.position) / way,
                                   length(a.angular_velocity - b.angular_velocity) / (1.0 + length(f.spin))});
    char text[240];
    std::snprintf(text, sizeof text,
                  "trial %d: %s %.3g %.3g %.3g past %s %.3g %.3g %.3g, %.3g m/s, %.3g rad/s, clear by %.2g m, %.0f Hz",
                  i, name_of(f.body), double(f.body.size.x), double(f.body.size.y), double(f.body.size.z),
                  name_of(f.obstacle), double(f.obstacle.size.x), double(f.obstacle.size.y), double(f.obstacle.size.z),
                  length(f.velocity), length(f.spin), f.clearance, 1.0 / double(f.dt));
    worst.add(error, text);
  }
  return worst;
}

constexpr const char* kOnStanding = "jacobi projection";
constexpr const char* kWhyNotOnStanding = "contacts between tiles and plane give so much that small tiles lean";

const Row kRows[] = {
    {.group = "Seams and corners",
     .name = "SlidesOverFixedTiles",
     .statement =
         "A box, capsule or sphere of 5 cm to 2 m slides at 0.01 to 30 m/s in any direction over up to 100 "
         "seams of fixed boxes as over one plane, up to 1 km from the origin: velocity within 1 % or 0.2 mm/s, "
         "height within 1 mm or 0.2 % of its size, spin within 0.02 rad/s or 5 mm/s at its ends",
     .unit = "of the bound",
     .bound = 1.0,
     .trials = 400,
     .measure = slides_on_fixed,
     .bounds = "jacobi=4"},
    {.group = "Seams and corners",
     .name = "SlidesInAnySetting",
     .statement =
         "The same in steps of 1/30 to 1/240 s, with 1 to 8 sub-steps and at least 4 sweeps, contacts of 5 to 60 Hz by "
         "solver or material, which give way by up to 2 % of what is thinner, and any stabilization; height and spin "
         "also within what contacts give way by, in two steps",
     .unit = "of the bound",
     .bound = 1.0,
     .trials = 400,
     .measure = slides_in_any_setting},
    {.group = "Seams and corners",
     .name = "RubsInAnySetting",
     .statement = "The same with friction",
     .unit = "%",
     .bound = 2.0,
     .trials = 400,
     .measure = rubs_in_any_setting},
    {.group = "Seams and corners",
     .name = "RubsOverFixedTiles",
     .statement =
         "The same of boxes and spheres with friction that slows or rolls them, until 5 % of the speed is left: "
         "velocity in per cent of the speed at the start (half as much counts at 1 km), or in twentieths of "
         "what friction takes in a step",
     .unit = "%",
     .bound = 2.0,
     .trials = 400,
     .measure = rubs_on_fixed},
    {.group = "Seams and corners",
     .name = "CapsulesRubOverFixedTiles",
     .statement = "The same of capsules",
     .unit = "%",
     .bound = 2.0,
     .trials = 400,
     .measure = capsules_rub,
     .not_for = "default jacobi projection rigid rigid_block rigid_nncg shock",
     .why_not = "how a load lies along a line is nothing that rigid bodies tell, and it decides how friction turns a "
                "capsule: on a plane it bears in two points, on tiles in two points of each"},
    {.group = "Seams and corners",
     .name = "SlidesOverStandingTiles",
     .statement =
         "As over fixed boxes, over boxes that stand on a plane and move less than 1 mm: velocity within 1 % or "
         "1 mm/s",
     .unit = "of the bound",
     .bound = 1.0,
     .trials = 60,
     .measure = slides_on_standing,
     .not_for = kOnStanding,
     .why_not = kWhyNotOnStanding},
    {.group = "Seams and corners",
     .name = "RubsOverStandingTiles",
     .statement = "The same of boxes and spheres with friction, as over fixed boxes",
     .unit = "%",
     .bound = 2.0,
     .trials = 60,
     .measure = rubs_on_standing,
     .not_for = kOnStanding,
     .why_not = kWhyNotOnStanding},
    {.group = "Seams and corners",
     .name = "NearMissesAreFreeFlight",
     .statement = "A box, capsule or sphere that passes a fixed or floating one at 0.1 to 500 m/s, turning at up to "
                  "30 rad/s, and clears it by more than 1 % of its size keeps velocity, spin and place as without it",
     .unit = "relative",
     .bound = 1e-6,
     .trials = 5000,
     .measure = near_misses},
};

}  // namespace

std::span<const Row> seam_rows() {
  return kRows;
}

}  // namespace talus::truth
