// SPDX-License-Identifier: MIT
// Friction opposes slip: what slides goes straight, stops where the scheme says, and rolls on where it can roll.
#include "truth/truth.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

namespace talus::truth {

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr float kStep = 1.0f / 60;  // [s]
constexpr double kGravity = 9.81;   // [m/s^2]
constexpr int kSettling = 30;       // steps before a body is set in motion

double length_of(Vec3 v) {
  return std::sqrt(double(v.x) * v.x + double(v.y) * v.y + double(v.z) * v.z);
}

WorldDef world_of(const Variant& variant) {
  WorldDef def;
  def.threads = 1;
  def.solver = variant.settings;
  def.sleep.enabled = false;
  return def;
}

/// Something that slides over level ground.
struct Slide {
  Vec3 half{};            // [m] of the box
  Vec3 inertia{};         // [kg m^2]
  double mass = 1.0;      // [kg]
  double friction = 0.5;  // [1]
  double speed = 1.0;     // [m/s] at the start
  double heading = 0.0;   // [rad]
  double turned = 0.0;    // [rad] about the vertical
  Vec3 place{};           // [m] of the ground below it
  bool on_box = false;    // the ground is a fixed box and not a plane
  std::string text() const {
    char line[400];
    std::snprintf(line, sizeof line,
                  "half %.4g x %.4g x %.4g m, inertia %.4g %.4g %.4g kg m^2, mass %.4g kg, friction %.4g, %.4g m/s, "
                  "heading %.4g rad, turned %.4g rad, at %.5g %.5g %.5g m, on a %s",
                  double(half.x), double(half.y), double(half.z), double(inertia.x), double(inertia.y),
                  double(inertia.z), mass, friction, speed, heading, turned, double(place.x), double(place.y),
                  double(place.z), on_box ? "box" : "plane");
    return line;
  }
};

/// Edges of ratios to 50:1; any moments that mass within the box can have; friction that does not tip it: the load
/// moves forward by friction times half the height, at most 0.8 of the way to the edge.
Slide random_slide(Random& random) {
  Slide s;
  const double longest = random.log_between(0.2, 10.0), ratio = random.log_between(1.0, 50.0);
  double half[3] = {0.5 * longest, 0.5 * longest / ratio, 0.5 * longest / random.log_between(1.0, ratio)};
  for (int i = 2; i > 0; --i) std::swap(half[i], half[random.index(i + 1)]);
  s.half = {float(half[0]), float(half[1]), float(half[2])};
  s.mass = 8000.0 * half[0] * half[1] * half[2] * random.log_between(0.1, 10.0);
  double spread[3];  // [m^2] mean square of each coordinate of the mass
  for (int i = 0; i < 3; ++i) spread[i] = half[i] * half[i] * random.between(0.05, 1.0);
  s.inertia = {float(s.mass * (spread[1] + spread[2])), float(s.mass * (spread[2] + spread[0])),
               float(s.mass * (spread[0] + spread[1]))};
  s.turned = random.between(0.0, 2.0 * kPi);
  s.heading = random.between(0.0, 2.0 * kPi);
  const double c = std::abs(std::cos(s.heading - s.turned)), sine = std::abs(std::sin(s.heading - s.turned));
  const double to_edge = std::min(half[0] / std::max(c, 1e-9), half[2] / std::max(sine, 1e-9));
  const double most = std::min(1.0, 0.8 * to_edge / half[1]);
  s.friction = most * random.between(0.2, 1.0);
  // Not longer than 10 s.
  s.speed = std::clamp(random.log_between(1.0, 20.0), 1.0, std::max(1.0, 10.0 * s.friction * kGravity));
  s.place = {float(random.between(-1000.0, 1000.0)), float(random.between(-1000.0, 1000.0)),
             float(random.between(-1000.0, 1000.0))};
  const double away = length_of(s.place), near = away > 1000.0 ? 1000.0 / away : 1.0;  // up to 1 km
  s.place = {float(near * double(s.place.x)), float(near * double(s.place.y)), float(near * double(s.place.z))};
  if (random.index(2) == 0) s.place = {};
  s.on_box = random.index(2) == 0;
  return s;
}

BodyDef ground(const Slide& s) {
  BodyDef def{.shape = plane({0, 1, 0}), .position = s.place, .material = {.friction = float(s.friction)}};
  if (s.on_box) {
    def.shape = box({250.0f, 1.0f, 250.0f});
    def.motion = Motion::fixed;
    def.position.y -= 1.0f;
  }
  return def;
}

struct Course {
  double direction = 0.0;  // [degrees] largest angle to the heading while 5 % of the speed is left
  double spin = 0.0;       // [rad/s] largest, about the vertical
  double distance = 0.0;   // [m]
  double expected = 0.0;   // [m]
};

/// [m] Closed form: the speed falls by friction * g * h in each sub-step, before positions move. The first of the
/// sub-steps knows of no friction before they have moved; Solver::rigid and Solver::shock, whose sub-step is the whole
/// step, do.
double stop_distance(const Variant& variant, const Slide& s) {
  const bool whole = variant.settings.solver == Solver::rigid || variant.settings.solver == Solver::shock;
  const double h = double(kStep) / (whole ? 1 : variant.settings.substeps), loss = s.friction * kGravity * h;
  double way = whole ? 0.0 : h * loss;
  for (double v = s.speed - loss; v > 0.0; v -= loss) way += h * v;
  return way;
}

Course slide(const Variant& variant, const Slide& s) {
  World world(world_of(variant));
  world.add_body(ground(s));
  BodyDef def{.shape = box(s.half), .mass = float(s.mass), .inertia = s.inertia, .position = s.place};
  def.position.y += s.half.y;
  def.orientation = {0.0f, float(std::sin(-0.5 * s.turned)), 0.0f, float(std::cos(-0.5 * s.turned))};
  def.material.friction = float(s.friction);
  const BodyId body = world.add_body(def);
  world.step_n(kSettling, kStep);
  const Vec3 from = world.position(body);
  const double cosine = std::cos(s.heading), sine = std::sin(s.heading);
  world.set_velocity(body, {float(s.speed * cosine), 0.0f, float(s.speed * sine)}, {});
  Course course;
  course.expected = stop_distance(variant, s);
  const int steps = int(s.speed / (s.friction * kGravity) / double(kStep)) + 30;
  for (int i = 0; i < steps; ++i) {
    world.step(kStep);
    const BodyMotion m = world.motion(body);
    course.spin = std::max(course.spin, std::abs(double(m.angular_velocity.y)));
    const double along = cosine * double(m.linear_velocity.x) + sine * double(m.linear_velocity.z);
    const double aside = cosine * double(m.linear_velocity.z) - sine * double(m.linear_velocity.x);
    if (std::hypot(along, aside) < 0.05 * s.speed) continue;
    course.direction = std::max(course.direction, std::abs(std::atan2(aside, along)) * 180.0 / kPi);
  }
  const Vec3 to = world.position(body);
  course.distance = std::hypot(double(to.x) - double(from.x), double(to.z) - double(from.z));
  return course;
}

template <class Error>
Worst over_slides(const Variant& variant, int trials, std::uint64_t seed, Error error) {
  Worst worst;
  Random random(seed);
  for (int i = 0; i < trials; ++i) {
    const Slide s = random_slide(random);
    worst.add(error(slide(variant, s), s), s.text());
  }
  return worst;
}

/// What rounding a position does grows with the distance from the origin: at 1 km half of the angle counts.
Worst direction(const Variant& variant, int trials, std::uint64_t seed) {
  return over_slides(variant, trials, seed,
                     [](const Course& c, const Slide& s) { return c.direction / (1.0 + 0.001 * length_of(s.place)); });
}
/// Less a fifth of what rounding a position, each step, turns the shortest edge by: far from the origin that is more
/// than anything else.
Worst spin(const Variant& variant, int trials, std::uint64_t seed) {
  return over_slides(variant, trials, seed, [](const Course& c, const Slide& s) {
    const double shortest = std::min({double(s.half.x), double(s.half.y), double(s.half.z)});
    return std::max(c.spin - 0.2 * 6e-8 * length_of(s.place) / (shortest * double(kStep)), 0.0);
  });
}
/// Less what the scheme and single precision make uncertain: a tenth of a sub-step's friction when it sets in, and what
/// rounding a position does to the height, as a part of the way that gravity goes in a step.
Worst distance(const Variant& variant, int trials, std::uint64_t seed) {
  return over_slides(variant, trials, seed, [&](const Course& c, const Slide& s) {
    const double h = double(kStep) / variant.settings.substeps;
    const double sets_in = 0.1 * s.friction * kGravity * h / s.speed * 2.0;
    const double rounding = 6e-8 * length_of(s.place) / (kGravity * double(kStep) * double(kStep));
    const double off = std::abs(c.distance - c.expected) - 1e-6 * length_of(s.place);
    return 100.0 * std::max(off / c.expected - sets_in - rounding, 0.0);
  });
}

/// Boxes on each other, equal or not, slide as one: between them there is more friction than on the ground.
Worst stacks(const Variant& variant, int trials, std::uint64_t seed) {
  constexpr float kBetween = 0.8f;
  Worst worst;
  Random random(seed);
  for (int i = 0; i < trials; ++i) {
    const int count = 2 + random.index(5);
    const bool equal = random.index(2) == 0;
    std::vector<Vec3> halves;
    double high = 0.0, narrow = 1e30;
    for (int k = 0; k < count; ++k) {
      const auto edge = [&](double low, double most) { return float(random.between(low, most)); };
      halves.push_back(equal && k > 0 ? halves[0] : Vec3{edge(0.3, 0.5), edge(0.02, 0.1), edge(0.3, 0.5)});
      high += 2.0 * double(halves.back().y);
      narrow = std::min({narrow, double(halves.back().x), double(halves.back().z)});
    }
    Slide s;
    s.friction =
        std::min(random.between(0.1, 0.5), 0.8 * narrow / high);  // the load moves by 0.4 of the way to the edge
    s.speed = random.log_between(1.0, 10.0);
    s.heading = random.between(0.0, 2.0 * kPi);
    World world(world_of(variant));
    world.add_body({.shape = plane({0, 1, 0}), .material = {.friction = float(s.friction * s.friction) / kBetween}});
    std::vector<BodyId> bodies;
    float top = 0.0f;
    for (const Vec3& half : halves) {
      const Vec3 at{0.0f, top + half.y, 0.0f};
      bodies.push_back(world.add_body({.shape = box(half), .position = at, .material = {.friction = kBetween}}));
      top += 2.0f * half.y;
    }
    world.step_n(2 * kSettling, kStep);
    const Vec3 along{float(s.speed * std::cos(s.heading)), 0.0f, float(s.speed * std::sin(s.heading))};
    std::vector<Vec3> from;
    for (const BodyId body : bodies) {
      from.push_back(world.position(body));
      world.set_velocity(body, along, {});
    }
    world.step_n(int(s.speed / (s.friction * kGravity) / double(kStep)) + 30, kStep);
    const double expected = stop_distance(variant, s);
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      const Vec3 to = world.position(bodies[k]);
      const double way = std::hypot(double(to.x) - double(from[k].x), double(to.z) - double(from[k].z));
      char text[200];
      std::snprintf(text, sizeof text, "trial %d: %d %s boxes, %.3g m high, friction %.3g, %.3g m/s", i, count,
                    equal ? "equal" : "mixed", high, s.friction, s.speed);
      worst.compare(way, expected, 0.01 * expected, text);
    }
  }
  return worst;
}

/// A ball that slides until it rolls.
Worst balls(const Variant& variant, int trials, std::uint64_t seed) {
  Worst worst;
  Random random(seed);
  for (int i = 0; i < trials; ++i) {
    Slide s = random_slide(random);
    const double radius = random.log_between(0.05, 5.0);
    s.half = {float(radius), float(radius), float(radius)};
    s.friction = random.log_between(0.05, 1.0);
    s.speed = std::min(s.speed, 30.0 * s.friction * kGravity);  // rolls after 9 s at most
    World world(world_of(variant));
    world.add_body(ground(s));
    BodyDef def{.shape = sphere(float(radius)), .mass = float(s.mass), .position = s.place};
    def.position.y += float(radius);
    def.material.friction = float(s.friction);
    const BodyId body = world.add_body(def);
    world.step_n(kSettling, kStep);
    const double cosine = std::cos(s.heading), sine = std::sin(s.heading);
    world.set_velocity(body, {float(s.speed * cosine), 0.0f, float(s.speed * sine)}, {});
    world.step_n(int(2.0 / 7.0 * s.speed / (s.friction * kGravity) / double(kStep)) + 30, kStep);
    const Vec3 v = world.linear_velocity(body);
    const double x = double(v.x) - 5.0 / 7.0 * s.speed * cosine, z = double(v.z) - 5.0 / 7.0 * s.speed * sine;
    worst.add(100.0 * std::hypot(x, z) / s.speed, s.text());
  }
  return worst;
}

// ---- capsules against a reference ----------------------------------------------------------------------------------

/// A capsule that lies on level ground and slides and rolls: two points with Coulomb friction each, in double
/// precision. The axis stays level: what would lift an end shifts the load.
struct CapsuleReference {
  double radius, half_length, mass, about_axis, across;  // [m, kg, kg m^2]
  double friction;
  double vx, vz;               // [m/s]
  double yaw, yaw_rate = 0.0;  // [rad] of the axis in the plane: (cos, sin); turning from x to z
  double roll_rate = 0.0;      // [rad/s] about the axis
  double load_shift = 0.0;     // [N] load of the end ahead on the axis less that of the other

  void step(double h) {
    const double ux = std::cos(yaw), uz = std::sin(yaw), ex = -uz, ez = ux;  // along the axis and across it
    double along = 0.0, push_x = 0.0, push_z = 0.0, turn = 0.0, roll = 0.0;
    for (const double side : {1.0, -1.0}) {
      const double load = std::max(0.5 * (mass * kGravity + side * load_shift), 0.0);
      // Rolling forward along e moves the lowest point backward.
      const double sx = vx + (side * half_length * yaw_rate - radius * roll_rate) * ex;
      const double sz = vz + (side * half_length * yaw_rate - radius * roll_rate) * ez;
      const double part = -friction * load / std::max(std::hypot(sx, sz), 1e-3);
      const double fx = part * sx, fz = part * sz, across_axis = fx * ex + fz * ez;
      push_x += fx;
      push_z += fz;
      along += fx * ux + fz * uz;
      turn += side * half_length * across_axis;
      roll -= radius * across_axis;
    }
    vx += h * push_x / mass;
    vz += h * push_z / mass;
    yaw_rate += h * turn / across;
    roll_rate += h * roll / about_axis;
    yaw += h * yaw_rate;
    // About the level axis across: friction below the centre, and the spin that turns with the axis.
    load_shift = (about_axis * roll_rate * yaw_rate - along * radius) / half_length;
  }
};

struct CapsuleError {
  double velocity = 0.0;  // [1] of the speed at the start
  double yaw = 0.0;       // [rad]
};

CapsuleError capsule_error(const Variant& variant, Random& random, std::string& text) {
  Slide s = random_slide(random);
  const double radius = random.log_between(0.05, 1.0), half_length = radius * random.log_between(0.5, 10.0);
  s.friction = random.between(0.2, 0.8) * std::min(1.0, half_length / radius);
  s.speed = std::min(s.speed, 5.0 * s.friction * kGravity);
  s.half = {float(radius), float(half_length), float(radius)};
  s.place = {};
  World world(world_of(variant));
  world.add_body(ground(s));
  BodyDef def{.shape = capsule(float(radius), float(half_length)), .position = {0.0f, float(radius), 0.0f}};
  // The body's y axis to (cos, 0, sin) of `turned`.
  const double root = std::sqrt(0.5);
  def.orientation = {float(root * std::sin(s.turned)), 0.0f, float(-root * std::cos(s.turned)), float(root)};
  def.material.friction = float(s.friction);
  const BodyId body = world.add_body(def);
  const BodyDef made = world.definition(body);
  world.step_n(kSettling, kStep);
  const double cosine = std::cos(s.heading), sine = std::sin(s.heading);
  world.set_velocity(body, {float(s.speed * cosine), 0.0f, float(s.speed * sine)}, {});
  CapsuleReference reference{radius,
                             half_length,
                             double(*made.mass),
                             double(made.inertia->y),
                             double(made.inertia->x),
                             s.friction,
                             s.speed * cosine,
                             s.speed * sine,
                             s.turned};
  const int steps = std::min(int(0.8 * s.speed / (s.friction * kGravity) / double(kStep)), 240);
  constexpr int kFine = 2000;  // steps of the reference in one of the world
  CapsuleError error;
  for (int i = 0; i < steps; ++i) {
    world.step(kStep);
    for (int k = 0; k < kFine; ++k) reference.step(double(kStep) / kFine);
    const BodyMotion m = world.motion(body);
    const double x = double(m.linear_velocity.x) - reference.vx, z = double(m.linear_velocity.z) - reference.vz;
    error.velocity = std::max(error.velocity, std::hypot(x, z) / s.speed);
    const Quat q = m.pose.orientation;  // its y axis
    const double ux = 2.0 * (double(q.x) * double(q.y) - double(q.w) * double(q.z));
    const double uz = 2.0 * (double(q.y) * double(q.z) + double(q.w) * double(q.x));
    const double turned = std::atan2(uz * std::cos(reference.yaw) - ux * std::sin(reference.yaw),
                                     ux * std::cos(reference.yaw) + uz * std::sin(reference.yaw));
    error.yaw = std::max(error.yaw, std::abs(turned));
  }
  char shape[100];
  std::snprintf(shape, sizeof shape, "capsule of radius %.4g m, half length %.4g m, ", radius, half_length);
  text = shape + s.text();
  return error;
}

template <class Error>
Worst over_capsules(const Variant& variant, int trials, std::uint64_t seed, Error error) {
  Worst worst;
  Random random(seed);
  for (int i = 0; i < trials; ++i) {
    std::string text;
    const CapsuleError e = capsule_error(variant, random, text);
    worst.add(error(e), text);
  }
  return worst;
}
Worst capsule_velocity(const Variant& variant, int trials, std::uint64_t seed) {
  return over_capsules(variant, trials, seed, [](const CapsuleError& e) { return 100.0 * e.velocity; });
}
Worst capsule_yaw(const Variant& variant, int trials, std::uint64_t seed) {
  return over_capsules(variant, trials, seed, [](const CapsuleError& e) { return 180.0 / kPi * e.yaw; });
}

// ---- one special material ------------------------------------------------------------------------------------------

/// Bodies that differ between two worlds, which differ in the material of one body a kilometre away.
Worst special_material(const Variant& variant, int trials, std::uint64_t seed) {
  Worst worst;
  Random random(seed);
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<BodyDef> defs{{.shape = plane({0, 1, 0})}};
    for (int i = 0; i < 40; ++i) {
      const float size = float(random.between(0.2, 0.6));
      BodyDef def{.shape = i % 3 == 0   ? sphere(size)
                           : i % 3 == 1 ? capsule(0.5f * size, size)
                                        : box({size, 0.5f * size, 0.3f})};
      def.position = {float(random.between(-2.0, 2.0)), float(random.between(0.5, 6.0)),
                      float(random.between(-2.0, 2.0))};
      def.orientation = random.orientation();
      def.linear_velocity = random.direction();
      def.angular_velocity = random.direction();
      def.material.friction = float(random.between(0.1, 1.0));
      defs.push_back(def);
    }
    defs.push_back({.shape = box({0.5f, 0.5f, 0.5f}), .position = {1000.0f, 0.5f, 0.0f}});
    std::vector<BodyMotion> motions[2];
    for (const int special : {0, 1}) {
      World world(world_of(variant));
      Material& far_away = defs.back().material;
      far_away = {};
      if (special == 1) {
        far_away.grain = {1.0f, 0.0f, 0.0f};
        far_away.friction_along = 0.1f;
        far_away.rolling_friction = 0.01f;
        far_away.torsional_friction = 0.02f;
        far_away.dynamic_friction = 0.3f;
        far_away.restitution = 0.7f;
      }
      const std::vector<BodyId> bodies = world.add_bodies(defs);
      world.step_n(90, kStep);
      motions[special].resize(bodies.size() - 1);
      world.read_motions({bodies.data(), bodies.size() - 1}, motions[special]);
    }
    int differ = 0;
    for (std::size_t i = 0; i < motions[0].size(); ++i) {
      // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): bits are compared, and the struct has no gaps
      differ += std::memcmp(&motions[0][i], &motions[1][i], sizeof(BodyMotion)) != 0 ? 1 : 0;
    }
    worst.add(differ, "seed " + std::to_string(seed) + ", trial " + std::to_string(trial));
  }
  return worst;
}

// ---- carriers ------------------------------------------------------------------------------------------------------

/// A box on a kinematic one, which moves as `velocity` says.
struct Carried {
  World world;
  BodyId carrier, body;
  Carried(const Variant& variant, double friction, Vec3 at, Vec3 half) : world(world_of(variant)) {
    BodyDef below{.shape = box({100.0f, 0.5f, 100.0f}), .motion = Motion::kinematic, .position = {0.0f, -0.5f, 0.0f}};
    below.material.friction = float(friction);
    carrier = world.add_body(below);
    BodyDef def{.shape = box(half), .position = {at.x, half.y, at.z}};
    def.material.friction = float(friction);
    body = world.add_body(def);
    world.step_n(kSettling, kStep);
  }
  /// [m/s] Of the body against the surface below its centre.
  double slip() {
    const BodyMotion a = world.motion(carrier), b = world.motion(body);
    const double x = double(b.pose.position.x) - double(a.pose.position.x);
    const double z = double(b.pose.position.z) - double(a.pose.position.z), spin = double(a.angular_velocity.y);
    const double vx = double(b.linear_velocity.x) - double(a.linear_velocity.x) - spin * z;
    const double vz = double(b.linear_velocity.z) - double(a.linear_velocity.z) + spin * x;
    return std::hypot(vx, vz);
  }
  /// [m] Where the body is on the carrier, in its own axes.
  Vec3 place() {
    const BodyMotion a = world.motion(carrier), b = world.motion(body);
    const Quat q = a.pose.orientation;
    const double angle = 2.0 * std::atan2(double(q.y), double(q.w)), c = std::cos(angle), s = std::sin(angle);
    const double x = double(b.pose.position.x) - double(a.pose.position.x);
    const double z = double(b.pose.position.z) - double(a.pose.position.z);
    return {float(c * x - s * z), b.pose.position.y - a.pose.position.y, float(s * x + c * z)};
  }
};
double distance_between(Vec3 a, Vec3 b) {
  return length_of({a.x - b.x, a.y - b.y, a.z - b.z});
}
Vec3 random_half(Random& random) {
  return {float(random.between(0.1, 0.5)), float(random.between(0.05, 0.1)), float(random.between(0.1, 0.5))};
}

/// A belt that starts with a jerk: the box slips until it has the speed of the belt, and never again.
Worst conveyor(const Variant& variant, int trials, std::uint64_t seed) {
  Worst worst;
  Random random(seed);
  for (int i = 0; i < trials; ++i) {
    const double friction = random.between(0.2, 0.8), speed = random.between(0.1, 5.0),
                 heading = random.between(0.0, 2.0 * kPi);
    Carried carried(variant, friction, {}, random_half(random));
    carried.world.set_velocity(carried.carrier,
                               {float(speed * std::cos(heading)), 0.0f, float(speed * std::sin(heading))}, {});
    carried.world.step_n(int(speed / (friction * kGravity) / double(kStep)) + 30, kStep);
    const Vec3 from = carried.place();
    carried.world.step_n(180, kStep);
    worst.add(1000.0 * distance_between(carried.place(), from), "friction " + std::to_string(friction) + ", " +
                                                                    std::to_string(speed) + " m/s, heading " +
                                                                    std::to_string(heading));
  }
  return worst;
}
/// A lift that accelerates and brakes by up to half of gravity.
Worst lift(const Variant& variant, int trials, std::uint64_t seed) {
  Worst worst;
  Random random(seed);
  for (int i = 0; i < trials; ++i) {
    const double friction = random.between(0.2, 0.8), most = random.between(0.5, 4.9),
                 period = random.between(1.0, 4.0);
    Carried carried(variant, friction, {}, random_half(random));
    const Vec3 from = carried.place();
    double off = 0.0;
    for (int k = 1; k <= 180; ++k) {
      const double omega = 2.0 * kPi / period;
      const double v = most / omega * (1.0 - std::cos(omega * k * double(kStep)));
      carried.world.set_velocity(carried.carrier, {0.0f, float(v), 0.0f}, {});
      carried.world.step(kStep);
      off = std::max(off, distance_between(carried.place(), from));
    }
    worst.add(1000.0 * off, "up to " + std::to_string(most) + " m/s^2, period " + std::to_string(period) + " s");
  }
  return worst;
}
/// A turntable that needs up to 0.8 of the friction to hold what is on it.
Worst turntable(const Variant& variant, int trials, std::uint64_t seed) {
  Worst worst;
  Random random(seed);
  for (int i = 0; i < trials; ++i) {
    const double friction = random.between(0.2, 0.8), radius = random.between(0.2, 5.0),
                 part = random.between(0.1, 0.8);
    const double most = std::sqrt(part * friction * kGravity / radius);
    Carried carried(variant, friction, {float(radius), 0.0f, 0.0f}, random_half(random));
    const Vec3 from = carried.place();
    for (int k = 1; k <= 300; ++k) {
      const double spin = most * std::min(1.0, k / 180.0);
      carried.world.set_velocity(carried.carrier, {}, {0.0f, float(spin), 0.0f});
      carried.world.step(kStep);
    }
    worst.add(1000.0 * distance_between(carried.place(), from), "friction " + std::to_string(friction) + ", radius " +
                                                                    std::to_string(radius) + " m, " +
                                                                    std::to_string(most) + " rad/s");
  }
  return worst;
}

const Row kRows[] = {
    {"Friction", "BoxesSlideStraight",
     "A box of any proportions to 50:1 and any principal moments slides over level ground along the line it started "
     "on, up to 1 km from the origin, where half as much counts, and until 5 % of its speed is left: friction opposes "
     "slip",
     "degrees", 0.2, 400, direction},
    {"Friction", "SlidingBoxesDoNotSpin", "Such a box does not turn", "rad/s", 0.01, 400, spin},
    {"Friction", "SlidingBoxesStop", "Such a box stops where the sum of the scheme says: v falls by mu g h", "%", 1.0,
     400, distance},
    {"Friction", "SlidingStacksStop",
     "Two to six flat boxes on each other, of equal or mixed size, that slide together at 1 to 10 m/s stop where the "
     "sum of the scheme says",
     "%", 2.0, 200, stacks, "shock",
     "what a layer does to the bodies below it is undone, for these are held: friction slows the lowest body, and "
     "those "
     "above by more or less than their share"},
    {"Friction", "BallsEndRolling", "A solid ball that slides ends rolling at 5/7 of its speed, on its line", "% of v0",
     0.5, 200, balls},
    {"Friction", "CapsulesSlideAndRoll",
     "A capsule that lies on level ground, at any angle to its way, has the velocity of two points with Coulomb "
     "friction, in double precision, until it has nearly stopped or rolls",
     "% of v0", 2.0, 50, capsule_velocity},
    {"Friction", "CapsulesTurn", "Such a capsule points where the reference says", "degrees", 2.0, 50, capsule_yaw},
    {"Friction", "SpecialMaterialElsewhere",
     "One body, the last, that lies a kilometre away, with restitution, grain, rolling, torsional and dynamic "
     "friction, changes no bit of the others",
     "bodies that differ", 0.0, 50, special_material, "rigid_nncg",
     "conjugate directions are found for all contacts together: whatever happens in a world changes all of them"},
    {"Carriers", "ConveyorCarries",
     "A box on a belt takes its speed by friction and then keeps its place on it, for 3 s", "mm", 1.0, 100, conveyor},
    {"Carriers", "LiftCarries", "A box on a lift that accelerates by up to g / 2 keeps its place on it", "mm", 1.0, 100,
     lift},
    {"Carriers", "TurntableCarries",
     "A box on a turntable that needs up to 0.8 of the friction keeps its place on it, for 5 s", "mm", 2.5, 100,
     turntable},
};

}  // namespace

std::span<const Row> friction_rows() {
  return kRows;
}

}  // namespace talus::truth
