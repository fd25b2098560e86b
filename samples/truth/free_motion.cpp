// SPDX-License-Identifier: MIT
// Bodies that nothing touches: Euler's equations.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "scenes/vec.h"
#include "truth/experiment.h"

namespace talus::truth {

namespace {

using scenes::dot;
using scenes::length;
using scenes::Vecd;
using Turn = scenes::Rotation<double>;

constexpr int kSteps = 600;         // 10 s
constexpr double kPart = 0.01;      // [rad] a step of the reference
constexpr double kSmallest = 1e-7;  // [1] change of the start

Turn normalized(Turn q) {
  const double s = 1.0 / std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return {s * q.x, s * q.y, s * q.z, s * q.w};
}
Turn product(Turn a, Turn b) {
  return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
          a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
Vecd times(Vecd a, Vecd b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}
/// [rad]
double angle_between(Turn a, Turn b) {
  const Turn d = product({-a.x, -a.y, -a.z, a.w}, b);
  return 2.0 * std::atan2(std::sqrt(d.x * d.x + d.y * d.y + d.z * d.z), std::abs(d.w));
}

/// A rigid body in double precision.
struct Spinner {
  Vecd inertia;  // [kg m^2]
  Turn pose;
  Vecd spin;  // [rad/s] world frame
};
Vecd momentum_of(const Spinner& s) {
  return scenes::rotate(s.pose, times(s.inertia, scenes::rotate_back(s.pose, s.spin)));
}
double energy_of(const Spinner& s) {
  return 0.5 * dot(s.spin, momentum_of(s));
}

/// Where it points after a time: Runge-Kutta for the quaternion with the momentum held.
Turn reference(const Spinner& start, double time) {
  const Vecd momentum = momentum_of(start);
  const Vecd inverse{1.0 / start.inertia.x, 1.0 / start.inertia.y, 1.0 / start.inertia.z};
  const double least = std::min({start.inertia.x, start.inertia.y, start.inertia.z});
  const double fastest = std::sqrt(2.0 * energy_of(start) / least);
  const int parts = int(time * fastest / kPart) + 100;
  const double h = time / parts;
  const auto rate = [&](Turn q) {
    const Vecd w = times(inverse, scenes::rotate_back(normalized(q), momentum));
    return product(q, Turn{0.5 * w.x, 0.5 * w.y, 0.5 * w.z, 0.0});
  };
  const auto ahead = [](Turn q, double s, Turn d) {
    return Turn{q.x + s * d.x, q.y + s * d.y, q.z + s * d.z, q.w + s * d.w};
  };
  Turn q = start.pose;
  for (int i = 0; i < parts; ++i) {
    const Turn a = rate(q), b = rate(ahead(q, h / 2, a)), c = rate(ahead(q, h / 2, b)), d = rate(ahead(q, h, c));
    q = normalized(ahead(ahead(ahead(ahead(q, h / 6, a), h / 3, b), h / 3, c), h / 6, d));
  }
  return q;
}

/// [rad] How far a relative change of 1e-7 in the start takes the end, the largest of six.
double sensitivity(const Spinner& start, Turn end, double time) {
  double most = 0.0;
  for (int axis = 0; axis < 3; ++axis) {
    const Vecd e{axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0};
    Spinner faster = start, turned = start;
    faster.spin = start.spin + (kSmallest * length(start.spin)) * e;
    const double half = 0.5 * kSmallest;
    turned.pose = normalized(product(start.pose, {half * e.x, half * e.y, half * e.z, 1.0}));
    most = std::max({most, angle_between(end, reference(faster, time)), angle_between(end, reference(turned, time))});
  }
  return most;
}

struct SpinLimits {
  double ratio;    // of the largest moment to the least
  double fastest;  // [rad/s]
};
/// Any principal moments that a body can have: none larger than the sum of the others.
Vecd random_inertia(Random& random, double ratio) {
  const double most = random.log_between(1e-3, 10.0), least = most / random.log_between(1.0, ratio);
  const double middle = random.between(std::max(least, most - least), most);
  std::array<double, 3> moments{most, middle, least};
  std::swap(moments[2], moments[std::size_t(random.index(3))]);
  std::swap(moments[1], moments[std::size_t(random.index(2))]);
  return {moments[0], moments[1], moments[2]};
}

Spinner spinner_of(const BodyDef& def, const BodyMotion& motion) {
  return {scenes::vec<double>(*def.inertia), normalized(scenes::rotation<double>(motion.pose.orientation)),
          scenes::vec<double>(motion.angular_velocity)};
}
std::string text_of(const BodyDef& def) {
  char text[256];
  std::snprintf(text, sizeof(text), "moments %.6g %.6g %.6g kg m^2, spin %.6g %.6g %.6g rad/s", double(def.inertia->x),
                double(def.inertia->y), double(def.inertia->z), double(def.angular_velocity.x),
                double(def.angular_velocity.y), double(def.angular_velocity.z));
  return text;
}

/// Bodies that meet nobody, 10 s long. error(start, end).
template <class Error>
Worst spin_bodies(const Variant& variant, int trials, std::uint64_t seed, SpinLimits limits, Error&& error) {
  Random random(seed);
  WorldDef world_def{.gravity = {0.0f, 0.0f, 0.0f}, .solver = variant.settings};
  World world(world_def);
  std::vector<BodyDef> defs;
  for (int i = 0; i < trials; ++i) {
    BodyDef def{.shape = sphere(0.5f), .mass = 1.0f, .orientation = random.orientation(), .can_sleep = false};
    def.inertia = scenes::to_vec3(random_inertia(random, limits.ratio));
    const Vec3 axis = random.direction();
    def.angular_velocity = scenes::to_vec3(random.log_between(0.1, limits.fastest) * scenes::vec<double>(axis));
    const int x = i % 10, y = i / 10 % 10, z = i / 100;
    def.position = {3.0f * float(x), 3.0f * float(y), 3.0f * float(z)};
    defs.push_back(def);
  }
  const std::vector<BodyId> ids = world.add_bodies(defs);
  std::vector<BodyMotion> before(ids.size()), after(ids.size());
  world.read_motions(ids, before);
  const bool fine = bool(world.step_n(kSteps, kStep));
  world.read_motions(ids, after);
  Worst worst;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const double e = error(spinner_of(defs[i], before[i]), spinner_of(defs[i], after[i]));
    worst.add(fine ? e : std::nan(""), text_of(defs[i]));
  }
  return worst;
}

double energy_error(const Spinner& start, const Spinner& end) {
  return energy_of(end) / energy_of(start) - 1.0;
}
double momentum_error(const Spinner& start, const Spinner& end) {
  return length(momentum_of(end) - momentum_of(start)) / length(momentum_of(start));
}
/// In units of what is allowed.
double orientation_error(const Spinner& start, const Spinner& end) {
  const double time = double(kStep) * kSteps;
  const Turn right = reference(start, time);
  const double error = angle_between(right, end.pose);
  return error <= 0.01 ? error / 0.01 : error / std::max(0.01, 10.0 * sensitivity(start, right, time));
}

Worst spin_energy(const Variant& variant, int trials, std::uint64_t seed) {
  return spin_bodies(variant, trials, seed, {100.0, 1e4}, energy_error);
}
Worst spin_momentum(const Variant& variant, int trials, std::uint64_t seed) {
  return spin_bodies(variant, trials, seed, {10.0, 1e4}, momentum_error);
}
Worst slender_spin_momentum(const Variant& variant, int trials, std::uint64_t seed) {
  return spin_bodies(variant, trials, seed, {100.0, 1e4}, momentum_error);
}
Worst spin_orientation(const Variant& variant, int trials, std::uint64_t seed) {
  return spin_bodies(variant, trials, seed, {100.0, 100.0}, orientation_error);
}

const Row kRows[] = {
    {"Free motion", "FreeSpinKeepsItsEnergy",
     "A free body with moments of inertia up to 100:1 that turns at up to 1e4 rad/s has its kinetic energy after 10 s.",
     "1", 1e-4, 1000, spin_energy},
    {"Free motion", "FreeSpinKeepsItsMomentum",
     "A free body with moments of inertia up to 10:1 that turns at up to 1e4 rad/s has its angular momentum after 10 "
     "s.",
     "1", 1e-4, 1000, spin_momentum},
    {"Free motion", "SlenderFreeSpinKeepsItsMomentum",
     "A free body with moments of inertia up to 100:1 that turns at up to 1e4 rad/s has its angular momentum after 10 "
     "s.",
     "1", 1e-4, 1000, slender_spin_momentum},
    {"Free motion", "FreeSpinTurnsAsEulerSays",
     "A free body with moments of inertia up to 100:1 that turns at up to 100 rad/s points after 10 s where Euler's "
     "equations in double precision say, within 0.01 rad or ten times what a change of 1e-7 in the start does to them.",
     "of what is allowed", 1.0, 1000, spin_orientation},
};

}  // namespace

std::span<const Row> free_motion_rows() {
  return kRows;
}

}  // namespace talus::truth
