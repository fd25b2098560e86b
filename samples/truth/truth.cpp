// SPDX-License-Identifier: MIT
#include "truth/truth.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace talus::truth {

namespace {

SolverSettings rigid(PointSolver point, bool nncg, int sweeps) {
  SolverSettings s{.solver = Solver::rigid, .stabilization = Stabilization::projection};
  s.rigid = {.point = point, .nncg = nncg, .sweeps = sweeps};
  return s;
}

const Variant kVariants[] = {
    {"default", {}},
    {"jacobi", {.solver = Solver::jacobi}},
    {"projection", {.stabilization = Stabilization::projection}},
    {"rigid", rigid(PointSolver::rows, false, 50)},
    {"rigid_block", rigid(PointSolver::block, false, 50)},
    {"rigid_nncg", rigid(PointSolver::rows, true, 50)},
    {"shock", {.solver = Solver::shock}},
};

}  // namespace

std::span<const Variant> variants() {
  return kVariants;
}

double Random::log_between(double low, double high) {
  return low * std::exp(between(0.0, std::log(high / low)));
}

Vec3 Random::direction() {
  const double z = between(-1.0, 1.0), angle = between(0.0, 2.0 * 3.14159265358979323846), r = std::sqrt(1.0 - z * z);
  return {float(r * std::cos(angle)), float(r * std::sin(angle)), float(z)};
}

Quat Random::orientation() {
  const double u = unit(), a = between(0.0, 2.0 * 3.14159265358979323846),
               b = between(0.0, 2.0 * 3.14159265358979323846);
  const double r = std::sqrt(1.0 - u), s = std::sqrt(u);
  return {float(r * std::sin(a)), float(r * std::cos(a)), float(s * std::sin(b)), float(s * std::cos(b))};
}

void Worst::add(double error_of_trial, const std::string& parameters) {
  const double size = std::isnan(error_of_trial) ? std::numeric_limits<double>::infinity() : std::abs(error_of_trial);
  if (!trial.empty() && size <= error) return;
  error = size;
  trial = parameters;
}

void Worst::compare(double found, double wanted, double scale, const std::string& parameters) {
  const double before = error;
  const bool first = trial.empty();
  add((found - wanted) / scale, parameters);
  if (!first && error == before) return;
  measured = found;
  expected = wanted;
}

bool claims(const Row& row, const Variant& variant) {
  std::istringstream names(row.not_for);
  for (std::string name; names >> name;) {
    if (name == variant.name) return false;
  }
  return true;
}

double bound_of(const Row& row, const Variant& variant) {
  std::istringstream bounds(row.bounds);
  const std::string wanted = std::string(variant.name) + "=";
  for (std::string bound; bounds >> bound;) {
    if (bound.starts_with(wanted)) return std::stod(bound.substr(wanted.size()));
  }
  return row.bound;
}

int trials_of(const Row& row, double part) {
  return std::max(int(row.trials * part), 1);
}

}  // namespace talus::truth
