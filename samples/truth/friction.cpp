// SPDX-License-Identifier: MIT
// Friction opposes slip: what slides goes straight, stops where the scheme says, and rolls on where it can roll.
#include "truth/truth.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

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

Worst direction(const Variant& variant, int trials, std::uint64_t seed) {
  return over_slides(variant, trials, seed, [](const Course& c, const Slide&) { return c.direction; });
}
Worst spin(const Variant& variant, int trials, std::uint64_t seed) {
  return over_slides(variant, trials, seed, [](const Course& c, const Slide&) { return c.spin; });
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

const Row kRows[] = {
    {"Friction", "BoxesSlideStraight",
     "A box of any proportions to 50:1 and any principal moments slides over level ground along the line it started "
     "on, until 5 % of its speed is left: friction opposes slip",
     "degrees", 0.2, 400, direction},
    {"Friction", "SlidingBoxesDoNotSpin", "Such a box does not turn", "rad/s", 0.01, 400, spin, "shock",
     "layer after layer is solved by sweeps over single points, which leave a part of the load on the wrong side"},
    {"Friction", "SlidingBoxesStop", "Such a box stops where the sum of the scheme says: v falls by mu g h", "%", 1.0,
     400, distance},
};

}  // namespace

std::span<const Row> friction_rows() {
  return kRows;
}

}  // namespace talus::truth
