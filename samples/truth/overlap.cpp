// SPDX-License-Identifier: MIT
// Bodies that start inside each other, and bodies that heavier ones press together.
#include <algorithm>
#include <cmath>
#include <string>

#include "truth/experiment.h"

namespace talus::truth {

namespace {

constexpr float kDt = 1.0f / 60.0f;

Vec3 operator+(Vec3 a, Vec3 b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
Vec3 operator-(Vec3 a, Vec3 b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
Vec3 operator*(double s, Vec3 v) {
  return {float(s * v.x), float(s * v.y), float(s * v.z)};
}
double size_of(Vec3 v) {
  return std::sqrt(double(v.x) * v.x + double(v.y) * v.y + double(v.z) * v.z);
}

// ---- deep overlap --------------------------------------------------------------------------------------------------

enum class Arrangement { one_place, row, grid, wall, plane };
constexpr const char* kArrangements[] = {"at one place", "in a row", "in a grid", "beside a wall", "in a plane"};

struct Overlap {
  WorldDef def;
  std::vector<BodyDef> bodies;  // that move
  std::vector<BodyDef> walls;
  std::string parameters;
};

/// A shape of about the size given.
ShapeDef some_shape(Random& random, int kind, double half) {
  if (kind == 0) return sphere(float(half));
  if (kind == 1) {
    return box({float(half), float(half * random.between(0.8, 1.25)), float(half * random.between(0.8, 1.25))});
  }
  return capsule(float(0.6 * half), float(0.4 * half));
}

Overlap some_overlap(const Variant& variant, int trial, Random& random) {
  Overlap o;
  o.def.solver = variant.settings;
  o.def.sleep.enabled = false;
  o.def.threads = 1;
  o.def.contact_reports = true;
  o.def.solver.max_push_speed = float(random.log_between(1.5, 6.0));
  o.def.gravity = {0.0f, random.index(2) == 0 ? 0.0f : -9.81f, 0.0f};
  const Arrangement arrangement = Arrangement(trial % 5);
  const double half = random.log_between(0.2, 1.0), inside = random.between(0.3, 0.7),
               heaviest = random.log_between(1.0, 30.0);
  const int shapes = random.index(4);  // 3: mixed
  const bool turned = random.index(2) == 0;
  int count = int(random.log_between(2.0, 60.0)), side = 1;
  if (arrangement == Arrangement::row) count = int(random.log_between(2.0, 40.0));
  if (arrangement == Arrangement::grid) {
    side = 2 + random.index(3);
    count = side * side * side;
  }
  const Vec3 middle = random.log_between(1.0, 100.0) * random.direction();
  const double pitch = 2.0 * half * (1.0 - inside);
  for (int i = 0; i < count; ++i) {
    BodyDef body;
    body.shape = some_shape(random, shapes == 3 ? random.index(3) : shapes, half);
    body.mass = float(100.0 * random.log_between(1.0, heaviest));
    body.material.friction = float(random.between(0.0, 1.0));
    if (turned) body.orientation = random.orientation();
    Vec3 at{0.0f, 0.0f, 0.0f};
    if (arrangement == Arrangement::row) at = {float(pitch * (i - 0.5 * (count - 1))), 0.0f, 0.0f};
    if (arrangement == Arrangement::grid) {
      at = pitch * Vec3{float(i % side) - 0.5f * float(side - 1), float(i / side % side) - 0.5f * float(side - 1),
                        float(i / side / side) - 0.5f * float(side - 1)};
    }
    if (arrangement == Arrangement::wall || arrangement == Arrangement::plane) {
      at = {float(random.between(-3.0, 3.0) * half), float(random.between(-1.0, 1.0) * half),
            float(random.between(-3.0, 3.0) * half)};
    }
    body.position = middle + at;
    o.bodies.push_back(body);
  }
  BodyDef wall;
  wall.motion = Motion::fixed;
  wall.position = middle;
  if (arrangement == Arrangement::wall) {
    wall.shape = box({float(6.0 * half), float(half * random.between(0.2, 1.0)), float(6.0 * half)});
    o.walls.push_back(wall);
  }
  if (arrangement == Arrangement::plane) {
    wall.shape = plane({0.0f, 1.0f, 0.0f});
    o.walls.push_back(wall);
  }
  if (arrangement == Arrangement::wall) o.def.gravity = {0.0f, 0.0f, 0.0f};
  o.parameters = std::to_string(count) + " bodies " + kArrangements[int(arrangement)] + ", half size " +
                 std::to_string(half) + " m, shapes " + std::to_string(shapes) + ", inside by " +
                 std::to_string(inside) + ", masses to 1:" + std::to_string(heaviest) + ", gravity " +
                 std::to_string(o.def.gravity.y) + ", push limit " + std::to_string(o.def.solver.max_push_speed) +
                 " m/s, trial " + std::to_string(trial);
  return o;
}

/// What became of bodies that started inside each other.
struct Parting {
  double velocity = 0.0;
  double fastest = 0.0;  // [1] of the push limit: against the centre of the group, or against the wall
  double time = 0.0;     // [s] until no contact is deeper than kGone of the thinner body
  double way = 0.0;      // [m] the largest of a body until then
  double limit = 0.0;    // [m/s]
};
constexpr double kGone = 0.02;  // [1]

double thickness(const ShapeDef& shape) {
  if (shape.type == ShapeType::plane) return 1e30;
  return 2.0 * (shape.type == ShapeType::box ? std::min({shape.size.x, shape.size.y, shape.size.z}) : shape.size.x);
}

Parting part(const Overlap& o) {
  World world(o.def);
  std::vector<BodyId> ids = world.add_bodies(o.bodies);
  world.add_bodies(o.walls);
  Parting result;
  const double limit = o.def.solver.max_push_speed;
  result.limit = limit;
  std::vector<BodyMotion> before(ids.size()), now(ids.size());
  world.read_motions(ids, before);
  const std::vector<BodyMotion> start = before;
  double mass = 0.0;
  for (const BodyDef& body : o.bodies) mass += *body.mass;
  const auto mean = [&](const std::vector<BodyMotion>& of, bool velocity) {
    double x = 0.0, y = 0.0, z = 0.0;
    for (std::size_t i = 0; i < of.size(); ++i) {
      const Vec3 v = velocity ? of[i].linear_velocity : of[i].pose.position;
      const double part = *o.bodies[i].mass / mass;
      x += part * v.x, y += part * v.y, z += part * v.z;
    }
    return (o.walls.empty() ? 1.0 : 0.0) * Vec3{float(x), float(y), float(z)};
  };
  for (int step = 1; step <= 900; ++step) {
    world.step(kDt);
    double deepest = 0.0;  // [1]
    for (const ContactReport& contact : world.read_contacts()) {
      const double size =
          std::min(thickness(world.definition(contact.a).shape), thickness(world.definition(contact.b).shape));
      for (int i = 0; i < contact.point_count; ++i) deepest = std::max(deepest, -contact.points[i].separation / size);
    }
    if (deepest < kGone) break;
    world.read_motions(ids, now);
    const Vec3 velocity = mean(now, true), to = mean(now, false);
    const double fall = o.walls.empty() ? 0.0 : 9.81 * kDt * step * (o.def.gravity.y < 0.0f ? 1.0 : 0.0);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const double speed = size_of(now[i].linear_velocity - velocity);
      const Vec3 pushed = now[i].pose.position - before[i].pose.position - double(kDt) * now[i].linear_velocity;
      const double moved = size_of(pushed) / kDt;
      result.velocity = std::max(result.velocity, (speed - fall) / limit);
      result.fastest = std::max({result.fastest, (speed - fall) / limit, moved / limit});
      result.way =
          std::max(result.way, size_of((now[i].pose.position - to) - (start[i].pose.position - mean(start, false))));
    }
    result.time = step * double(kDt);
    before = now;
  }
  return result;
}

Worst push_stays_slow(const Variant& variant, int trials, std::uint64_t seed) {
  Worst worst;
  for (int trial = 0; trial < trials; ++trial) {
    Random random(seed * 1000003 + std::uint64_t(trial));
    const Overlap o = some_overlap(variant, trial, random);
    const Parting p = part(o);
    worst.add(p.fastest, o.parameters + " velocity " + std::to_string(p.velocity));
  }
  return worst;
}

Worst overlap_ends(const Variant& variant, int trials, std::uint64_t seed) {
  Worst worst;
  for (int trial = 0; trial < trials; ++trial) {
    Random random(seed * 1000003 + std::uint64_t(trial));
    const Overlap o = some_overlap(variant, trial, random);
    const Parting p = part(o);
    worst.add(p.time / (p.way / p.limit + 2.0 * kDt), o.parameters);
  }
  return worst;
}

// ---- heavy on light ------------------------------------------------------------------------------------------------

/// How deep bodies got into each other, as a part of their size.
struct Sunk {
  double ever = 0.0, later = 0.0;  // later: after the first second
};

/// A box that is `ratio` times as heavy as each of those that it stands on.
Sunk press(const Variant& variant, double ratio, int count, double seconds, double half, Random& random) {
  WorldDef def;
  def.solver = variant.settings;
  def.sleep.enabled = false;
  def.threads = 1;
  def.contact_reports = true;
  World world(def);
  BodyDef floor;
  floor.shape = plane({0.0f, 1.0f, 0.0f});
  world.add_body(floor);
  const double mass = random.log_between(0.1, 10.0);
  const double turn = random.between(0.0, 3.14159265358979);
  for (int i = 0; i <= count; ++i) {
    BodyDef body;
    body.shape = box({float(half), float(half), float(half)});
    body.mass = float(i == count ? ratio * mass : mass);
    body.position = {float(0.1 * half * random.between(-1.0, 1.0)), float(half * (1 + 2 * i)),
                     float(0.1 * half * random.between(-1.0, 1.0))};
    if (i == count) body.orientation = {0.0f, float(std::sin(0.5 * turn)), 0.0f, float(std::cos(0.5 * turn))};
    world.add_body(body);
  }
  Sunk sunk;
  const int steps = int(seconds * 60.0);
  for (int step = 1; step <= steps; ++step) {
    world.step(kDt);
    double deepest = 0.0;
    for (const ContactReport& contact : world.read_contacts()) {
      for (int i = 0; i < contact.point_count; ++i) {
        deepest = std::max(deepest, -contact.points[i].separation / (2.0 * half));
      }
    }
    sunk.ever = std::max(sunk.ever, deepest);
    if (step > 60) sunk.later = std::max(sunk.later, deepest);
  }
  // Bodies that left the stack are in nobody's way.
  const std::vector<BodyId> ids = world.bodies();
  for (std::size_t i = 1; i < ids.size(); ++i) {
    const double lost = 1.0 - double(world.position(ids[i]).y) / (half * double(2 * i - 1));
    sunk.later = std::max(sunk.later, lost);
  }
  return sunk;
}

Worst heavy_rests_on_light(const Variant& variant, int trials, std::uint64_t seed) {
  Worst worst;
  for (int trial = 0; trial < trials; ++trial) {
    Random random(seed * 1000003 + std::uint64_t(trial));
    const int count = trial % 2 == 0 ? 10 : 1;
    const double half = random.log_between(0.1, 1.0);
    const double seconds = std::string(variant.name) == "default" ? 60.0 : 10.0;  // others take their time
    const Sunk sunk = press(variant, 1e3, count, seconds, half, random);
    worst.add(100.0 * std::max(sunk.later, 0.5 * sunk.ever),
              std::to_string(count) + " boxes of half size " + std::to_string(half) + " m, " +
                  std::to_string(100.0 * sunk.ever) + " % at any time, trial " + std::to_string(trial));
  }
  return worst;
}

Worst no_centre_enters(const Variant& variant, int trials, std::uint64_t seed) {
  Worst worst;
  for (int trial = 0; trial < trials; ++trial) {
    Random random(seed * 1000003 + std::uint64_t(trial));
    const int count = 1 + random.index(3);
    const double half = random.log_between(0.2, 1.0), ratio = random.log_between(1e3, 1e6);
    const Sunk sunk = press(variant, ratio, count, 10.0, half, random);
    worst.add(100.0 * sunk.ever, "1:" + std::to_string(ratio) + ", " + std::to_string(count) + " boxes of half size " +
                                     std::to_string(half) + " m, trial " + std::to_string(trial));
  }
  return worst;
}

const Row kRows[] = {
    {"Deep overlap", "PushStaysSlow",
     "Bodies that start inside each other, at one place, in rows and grids, in walls, move no faster than "
     "max_push_speed against their common centre, or against the wall, plus what gravity gives them.",
     "of the limit", 1.1, 500, push_stays_slow},
    {"Deep overlap", "OverlapEnds",
     "Until they are inside each other by no more than 2 % of the thinner body, it takes no longer than three times "
     "the "
     "way of the outermost body at max_push_speed, and 6 steps.",
     "of the way at the limit", 3.0, 500, overlap_ends},
    {"Heavy on light", "HeavyRestsOnLight",
     "A box of 1,000 times the mass of the one, or of each of ten, that it stands on sinks in by no more than 1 % of "
     "its "
     "size after the first second, and by 2 % at any time, over 60 s with the default solver and 10 s with others.",
     "% of the size; half of that in the first second", 1.0, 100, heavy_rests_on_light},
    {"Heavy on light", "NoCentreEnters",
     "Under a box that is up to a million times as heavy no centre of a body gets into another one in 10 s: that would "
     "be "
     "50 %.",
     "% of the size", 5.0, 200, no_centre_enters},
};

}  // namespace

std::span<const Row> overlap_rows() {
  return kRows;
}

}  // namespace talus::truth
