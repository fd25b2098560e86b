// SPDX-License-Identifier: MIT
// What experiments share: a small world of a variant, numbers in double precision, and an integrator for references.
#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <string>

#include "scenes/vec.h"
#include "truth/truth.h"

namespace talus::truth {

using scenes::cross;
using scenes::dot;
using scenes::length;
using scenes::Vecd;

constexpr float kStep = 1.0f / 60.0f;           // [s]
constexpr double kGravity = 9.81;               // [m/s^2]
constexpr double kPi = 3.14159265358979323846;  // [rad]
constexpr double kDegree = kPi / 180;           // [rad]

/// A turn by an angle [rad] about a unit axis.
Quat turn(Vec3 axis, double angle);
/// The turn b, then a.
Quat operator*(Quat a, Quat b);
/// A body's axis in the world.
Vecd axis_in_world(const Transform& pose, Vecd axis_in_body);

/// A world with one thread in which nothing sleeps: what is measured is the solver.
class Bench {
 public:
  explicit Bench(const Variant& variant, Vec3 gravity = {0.0f, -9.81f, 0.0f}, float dt = kStep);

  World& world() { return world_; }
  BodyId add(const BodyDef& def) { return world_.add_body(def); }
  /// A floor through the origin.
  BodyId floor(const Material& material);
  void step() { world_.step(dt_); }
  void run(int steps) {
    for (int i = 0; i < steps; ++i) step();
  }
  double dt() const { return double(dt_); }
  /// Sub-steps of a step that this variant takes.
  int substeps() const { return substeps_; }

  Vecd position(BodyId body) { return scenes::vec<double>(world_.position(body)); }
  Vecd velocity(BodyId body) { return scenes::vec<double>(world_.linear_velocity(body)); }
  Vecd spin(BodyId body) { return scenes::vec<double>(world_.angular_velocity(body)); }
  /// [J] kinetic and potential
  double energy();

 private:
  float dt_;
  int substeps_;
  World world_;
};

/// WorldDef of a bench, for what the constructor does not set.
WorldDef bench_def(const Variant& variant, Vec3 gravity);

/// Friction of all pairs of such bodies, whatever the other one has.
Material slippery();
/// Friction and restitution of a body; coefficients of two such bodies are those of the larger one.
Material rough(double friction, double restitution = 0.0);

/// One step of the classical Runge-Kutta method for y' = f(y).
template <std::size_t N, class Rate>
void runge_kutta(std::array<double, N>& y, double h, Rate rate) {
  const auto moved = [&](const std::array<double, N>& k, double part) {
    std::array<double, N> z = y;
    for (std::size_t i = 0; i < N; ++i) z[i] += part * k[i];
    return z;
  };
  const auto a = rate(y), b = rate(moved(a, h / 2)), c = rate(moved(b, h / 2)), d = rate(moved(c, h));
  for (std::size_t i = 0; i < N; ++i) y[i] += h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
}

/// Counts turns of an angle that is given within -pi..pi.
class Unwrap {
 public:
  double operator()(double angle);

 private:
  double last_ = 0.0, sum_ = 0.0;
  bool first_ = true;
};

/// Times at which a value changes its sign, between samples by a straight line.
class Crossings {
 public:
  void add(double time, double value);
  int count() const { return count_; }
  double last() const { return last_; }    ///< [s]
  double first() const { return first_; }  ///< [s]

 private:
  int count_ = 0;
  double time_ = 0.0, value_ = 0.0, first_ = 0.0, last_ = 0.0;
  bool started_ = false;
};

std::span<const Row> overlap_rows();
std::span<const Row> sleep_rows();
std::span<const Row> kink_rows();
std::span<const Row> free_motion_rows();
std::span<const Row> energy_rows();
std::span<const Row> tower_rows();
std::span<const Row> heavy_rows();
std::span<const Row> motion_rows();
std::span<const Row> joint_rows();
std::span<const Row> top_rows();
std::span<const Row> mechanism_rows();
std::span<const Row> rolling_rows();
std::span<const Row> balance_rows();
std::span<const Row> impact_law_rows();
std::span<const Row> impact_rows();
std::span<const Row> stack_rows();
std::span<const Row> grain_rows();

}  // namespace talus::truth
