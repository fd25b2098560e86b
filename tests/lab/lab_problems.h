// SPDX-License-Identifier: MIT
// Problems for tests of the laboratory: random ones, and those of the methods notes whose answers are known.
#pragma once
#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "lab/problem.h"

namespace talus::lab::test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
using Double3 = ContactProblem::Double3;

inline Double3 cross(const Double3& a, const Double3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline Double3 scaled(const Double3& a, double s) {
  return {s * a[0], s * a[1], s * a[2]};
}

/// Row along `direction` between two bodies, arms from their centres; bodies of -1 do not move.
inline ContactProblem::Row contact_row(Index a, const Double3& arm_a, Index b, const Double3& arm_b,
                                       const Double3& direction) {
  ContactProblem::Row row;
  row.body_a = a;
  row.body_b = b;
  row.linear_a = scaled(direction, -1.0);
  row.angular_a = scaled(cross(arm_a, direction), -1.0);
  row.linear_b = direction;
  row.angular_b = cross(arm_b, direction);
  return row;
}

/// Numbers that are the same with every standard library.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double uniform(double low, double high) { return low + (high - low) * double(engine_() >> 11) * 0x1p-53; }
  Index below(Index count) { return Index(engine_() % std::uint64_t(count)); }
  Double3 point(double size) { return {uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }
  Double3 direction() {
    for (;;) {
      const Double3 p = point(1.0);
      const double length = std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
      if (length > 0.1 && length < 1.0) return scaled(p, 1.0 / length);
    }
  }
  /// Normal and two tangents.
  std::array<Double3, 3> frame() {
    const Double3 n = direction();
    const Double3 t = cross(n, std::abs(n[0]) < 0.5 ? Double3{1, 0, 0} : Double3{0, 1, 0});
    const double length = std::sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
    const Double3 unit = scaled(t, 1.0 / length);
    return {n, unit, cross(n, unit)};
  }

 private:
  std::mt19937_64 engine_;
};

inline ContactProblem random_bodies(Random& random, Index count) {
  ContactProblem step;
  step.dt = 1.0 / 60.0;
  for (Index body = 0; body < count; ++body) {
    ContactProblem::Body b;
    b.row = body;
    b.inv_mass = random.uniform(0.5, 2.0);
    b.inv_inertia = {random.uniform(2.0, 6.0), random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5),
                     random.uniform(2.0, 6.0), random.uniform(-0.5, 0.5), random.uniform(2.0, 6.0)};
    for (double& velocity : b.free_velocity) velocity = random.uniform(-1.0, 1.0);
    step.bodies.push_back(b);
  }
  return step;
}

/// Contacts between random places of random bodies, some of them against what does not move.
inline void add_contacts(Random& random, Index count, double most_friction, bool friction, ContactProblem& step) {
  const Index body_count = Index(step.bodies.size());
  for (Index contact = 0; contact < count; ++contact) {
    const Index b = random.below(body_count);
    const Index a = (b + 1 + random.below(body_count)) % (body_count + 1) - 1;
    const Index other = a == b ? -1 : a;
    const auto frame = random.frame();
    const Double3 arm_a = random.point(0.5);
    const Double3 arm_b = random.point(0.5);
    const Index normal = Index(step.rows.size());
    const double mu = random.uniform(0.0, most_friction);
    for (std::size_t axis = 0; axis < (friction ? 3u : 1u); ++axis) {
      ContactProblem::Row row = contact_row(other, arm_a, b, arm_b, frame[axis]);
      if (axis > 0) {
        row.normal = normal;
        row.friction = mu;
      }
      row.bias = axis == 0 ? random.uniform(-1.0, 0.2) : 0.0;  // most of them close
      step.rows.push_back(row);
    }
  }
}

/// Bounds of every kind: none, one side, two sides, no room.
inline void randomize_bounds(Random& random, ContactProblem& step) {
  for (ContactProblem::Row& row : step.rows) {
    const double room = random.uniform(0.02, 0.5);
    const std::array<std::array<double, 2>, 6> kinds{{{-kInfinity, kInfinity},
                                                      {0.0, kInfinity},
                                                      {-kInfinity, 0.0},
                                                      {-room, 2.0 * room},
                                                      {0.1 * room, room},
                                                      {0.0, 0.0}}};
    const auto& kind = kinds[std::size_t(random.below(Index(kinds.size())))];
    row.lower = kind[0];
    row.upper = kind[1];
  }
}

/// Two rows in three yield, by about what bodies do or by a thousandth of it.
inline void add_softness(Random& random, ContactProblem& step) {
  for (ContactProblem::Row& row : step.rows) {
    const Index kind = random.below(3);
    const double softness = random.uniform(0.5, 3.0);
    if (kind > 0) row.softness = kind == 1 ? softness : 1e-3 * softness;
  }
}

/// Rows as joints have them: axes that are held, drives within a force, limits; some of them yield.
inline void add_joint_rows(Random& random, Index count, ContactProblem& step) {
  const Index body_count = Index(step.bodies.size());
  for (Index i = 0; i < count; ++i) {
    const Index b = random.below(body_count);
    ContactProblem::Row row = contact_row(random.below(2) == 0 ? -1 : (b + 1) % body_count, random.point(0.5), b,
                                          random.point(0.5), random.direction());
    const Index kind = random.below(3);
    const double most = random.uniform(0.05, 0.5);
    row.lower = kind == 0 ? -kInfinity : kind == 1 ? -most : 0.0;
    row.upper = kind == 1 ? most : kInfinity;
    row.bias = random.uniform(-0.5, 0.5);
    if (random.below(2) == 0) row.softness = random.uniform(0.01, 1.0);
    step.rows.push_back(row);
  }
}

/// R1 of S1, 4e: `count` masses on each other, 1 kg but the top one; h g = 1.
inline ContactProblem stack_1d(Index count, double top_mass) {
  ContactProblem step;
  for (Index body = 0; body < count; ++body) {
    ContactProblem::Body b;
    b.inv_mass = body + 1 == count ? 1.0 / top_mass : 1.0;
    b.free_velocity = {0.0, -1.0, 0.0, 0.0, 0.0, 0.0};
    step.bodies.push_back(b);
    step.rows.push_back(contact_row(body - 1, {}, body, {}, {0.0, 1.0, 0.0}));
  }
  return step;
}
inline Vector stack_1d_answer(Index count, double top_mass) {
  Vector x(count);
  for (Index i = 0; i < count; ++i) x[i] = double(count - 1 - i) + top_mass;
  return x;
}

/// R2 of S1, 4f, of any height: unit cubes on each other, four points each; h g = 0.1635. With friction 0 there are no
/// tangents.
inline ContactProblem cube_stack(Index height, double friction = 0.0) {
  ContactProblem step;
  for (Index body = 0; body < height; ++body) {
    ContactProblem::Body b;
    b.inv_mass = 1.0;
    b.inv_inertia = {6.0, 0.0, 0.0, 6.0, 0.0, 6.0};
    b.free_velocity = {0.0, -0.1635, 0.0, 0.0, 0.0, 0.0};
    step.bodies.push_back(b);
    constexpr double kCorners[4][2] = {{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}};
    for (const auto& corner : kCorners) {
      const Double3 above{corner[0], 0.5, corner[1]};
      const Double3 below{corner[0], -0.5, corner[1]};
      const Index normal = Index(step.rows.size());
      step.rows.push_back(contact_row(body - 1, above, body, below, {0.0, 1.0, 0.0}));
      if (friction == 0.0) continue;
      for (const Double3& tangent : {Double3{1.0, 0.0, 0.0}, Double3{0.0, 0.0, 1.0}}) {
        ContactProblem::Row row = contact_row(body - 1, above, body, below, tangent);
        row.normal = normal;
        row.friction = friction;
        step.rows.push_back(row);
      }
    }
  }
  return step;
}

/// The column of S2, table 3.2: cubes of 1 m and 1000 kg in steps of 0.01 s.
inline ContactProblem heavy_column(Index height) {
  ContactProblem step = cube_stack(height, 0.5);
  for (ContactProblem::Body& body : step.bodies) {
    body.inv_mass *= 1e-3;
    for (double& entry : body.inv_inertia) entry *= 1e-3;
    body.free_velocity[1] = -0.0981;
  }
  return step;
}

}  // namespace talus::lab::test
