// SPDX-License-Identifier: MIT
// Bodies that start inside each other.
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

/// A shape of about the size given; the longest extent is up to `slender` times the shortest.
ShapeDef some_shape(Random& random, int kind, double half, double slender) {
  if (kind == 0) return sphere(float(half));
  const double longer = random.between(1.0, slender), long_too = random.between(1.0, slender);
  if (kind == 1) return box({float(half), float(half * longer), float(half * long_too)});
  return capsule(float(half), float(half * (longer - 1.0) + 0.1 * half));
}

Overlap some_overlap(const Variant& variant, int trial, Random& random) {
  Overlap o;
  o.def.solver = variant.settings;
  o.def.sleep.enabled = random.index(2) == 0;
  o.def.threads = 1;
  o.def.contact_reports = true;
  o.def.solver.max_push_speed = float(random.log_between(1.5, 6.0));
  o.def.gravity = {0.0f, random.index(2) == 0 ? 0.0f : -9.81f, 0.0f};
  const Arrangement arrangement = Arrangement(trial % 5);
  const double half = random.log_between(0.2, 1.0), inside = random.log_between(0.002, 0.7),
               heaviest = random.log_between(1.0, 30.0), slender = random.log_between(1.0, 5.0),
               largest = random.log_between(1.0, 4.0);
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
    body.shape =
        some_shape(random, shapes == 3 ? random.index(3) : shapes, half * random.log_between(1.0, largest), slender);
    body.mass = float(100.0 * random.log_between(1.0, heaviest));
    body.material.friction = float(random.between(0.0, 1.0));
    if (turned) body.orientation = random.orientation();
    Vec3 at{0.0f, 0.0f, 0.0f};
    if (arrangement == Arrangement::row) at = {float(pitch * (i - 0.5 * (count - 1))), 0.0f, 0.0f};
    if (arrangement == Arrangement::grid) {
      const int layer = i / (side * side), line = i / side % side, place = i % side;
      const float half_side = 0.5f * float(side - 1);
      at = pitch * Vec3{float(place) - half_side, float(line) - half_side, float(layer) - half_side};
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
                 std::to_string(half) + " m to " + std::to_string(largest) + " times, shapes " +
                 std::to_string(shapes) + ", slender " + std::to_string(slender) + ", inside by " +
                 std::to_string(inside) + ", masses to 1:" + std::to_string(heaviest) + ", gravity " +
                 std::to_string(o.def.gravity.y) + ", push limit " + std::to_string(o.def.solver.max_push_speed) +
                 " m/s, trial " + std::to_string(trial);
  return o;
}

/// What became of bodies that started inside each other.
struct Parting {
  double fastest = 0.0;  // [1] of the push limit: of velocities against the centre's, or the wall's, and of ways
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
  int after = 0;  // steps without overlap
  for (int step = 1; step <= 900 && after < 10; ++step) {
    world.step(kDt);
    double deepest = 0.0;  // [1]
    for (const ContactReport& contact : world.read_contacts()) {
      const double size =
          std::min(thickness(world.definition(contact.a).shape), thickness(world.definition(contact.b).shape));
      for (int i = 0; i < contact.point_count; ++i) deepest = std::max(deepest, -contact.points[i].separation / size);
    }
    after = deepest < kGone ? after + 1 : 0;
    world.read_motions(ids, now);
    const Vec3 velocity = mean(now, true), to = mean(now, false);
    const double fall = o.walls.empty() ? 0.0 : 9.81 * kDt * step * (o.def.gravity.y < 0.0f ? 1.0 : 0.0);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const double speed = size_of(now[i].linear_velocity - velocity);
      const double moved = size_of((now[i].pose.position - before[i].pose.position) - double(kDt) * velocity) / kDt;
      result.fastest = std::max({result.fastest, (speed - fall) / limit, (moved - fall) / limit});
      const double way = size_of((now[i].pose.position - to) - (start[i].pose.position - mean(start, false)));
      if (after == 0) result.way = std::max(result.way, way);
    }
    if (after == 0) result.time = step * double(kDt);
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
    worst.add(p.fastest, o.parameters);
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

const Row kRows[] = {
    {"Deep overlap", "PushStaysSlow",
     "Bodies that start inside each other, at one place, in rows and grids, in walls, are no faster than "
     "max_push_speed against the velocity of their common centre, or against the wall, plus what gravity gives them.",
     "of the limit", 1.1, 500, push_stays_slow},
    {"Deep overlap", "OverlapEnds",
     "They are inside each other by no more than 2 % of the thinner body after three times what the longest way of a "
     "body takes at max_push_speed, and 6 steps.",
     "of the way at the limit", 3.0, 500, overlap_ends},
};

}  // namespace

std::span<const Row> overlap_rows() {
  return kRows;
}

}  // namespace talus::truth
