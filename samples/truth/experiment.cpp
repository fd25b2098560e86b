// SPDX-License-Identifier: MIT
#include "truth/experiment.h"

#include "scenes/metrics.h"

namespace talus::truth {

Quat turn(Vec3 axis, double angle) {
  const double s = std::sin(angle / 2);
  return {float(s * axis.x), float(s * axis.y), float(s * axis.z), float(std::cos(angle / 2))};
}

Quat operator*(Quat a, Quat b) {
  return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
          a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

Vecd axis_in_world(const Transform& pose, Vecd axis_in_body) {
  return scenes::rotate(scenes::rotation<double>(pose.orientation), axis_in_body);
}

WorldDef bench_def(const Variant& variant, Vec3 gravity) {
  WorldDef def;
  def.gravity = gravity;
  def.backend = Backend::cpu;
  def.threads = 1;
  def.solver = variant.settings;
  def.sleep.enabled = false;
  return def;
}

Bench::Bench(const Variant& variant, Vec3 gravity, float dt)
    : dt_(dt),
      substeps_(variant.settings.solver == Solver::rigid || variant.settings.solver == Solver::shock
                    ? 1
                    : variant.settings.substeps),
      world_(bench_def(variant, gravity)) {}

BodyId Bench::floor(const Material& material) {
  return add({.shape = plane({0.0f, 1.0f, 0.0f}), .material = material});
}

double Bench::energy() {
  const Mechanics m = world_.mechanics();
  return m.kinetic_energy + m.potential_energy;
}

Material slippery() {
  return {.friction = 0.0f, .friction_combine = Combine::minimum};
}

Material rough(double friction, double restitution) {
  return {.friction = float(friction), .restitution = float(restitution), .friction_combine = Combine::maximum};
}

double Unwrap::operator()(double angle) {
  if (!first_) sum_ += std::remainder(angle - last_, 2 * kPi);
  first_ = false;
  last_ = angle;
  return sum_;
}

void Crossings::add(double time, double value) {
  if (started_ && value_ * value < 0) {
    last_ = time_ + (time - time_) * value_ / (value_ - value);
    if (count_++ == 0) first_ = last_;
  }
  started_ = true;
  time_ = time;
  value_ = value;
}

}  // namespace talus::truth
