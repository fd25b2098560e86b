// SPDX-License-Identifier: MIT
// What must be true of any solver, and how far each one is from it. A row is a law or an experiment: a statement, a
// bound, and a function that tries it on random parameters or compares it with a closed form. tests/truth checks every
// row, `talus verify` writes them as docs/truth.md.
#pragma once
#include <talus/talus.h>

#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace talus::truth {

/// A solver as users set it: a column of the table.
struct Variant {
  const char* name;
  SolverSettings settings;
};
/// default, jacobi, projection, rigid, rigid_block, rigid_nncg, shock.
std::span<const Variant> variants();

/// Numbers for one trial, the same on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double between(double low, double high) { return low + (high - low) * unit(); }
  /// As often between 1 and 10 as between 10 and 100.
  double log_between(double low, double high);
  int index(int count) { return int(unit() * count); }
  Vec3 direction();    ///< uniform on the sphere
  Quat orientation();  ///< uniform

 private:
  double unit() { return double(engine_() >> 11) * 0x1p-53; }
  std::mt19937_64 engine_;
};

/// The worst trial.
struct Worst {
  double error = 0.0;  // in the row's unit; NaN counts as infinite
  std::string trial;   // its parameters, so that it can be repeated
  /// What was found and what should have been found, of experiments that compare one number; else NaN.
  double measured = std::numeric_limits<double>::quiet_NaN();
  double expected = std::numeric_limits<double>::quiet_NaN();
  void add(double error_of_trial, const std::string& parameters);
  /// Adds the trial whose error is |found - wanted| / scale.
  void compare(double found, double wanted, double scale, const std::string& parameters);
};

/// One law or experiment.
struct Row {
  const char* group;      ///< heading in docs/truth.md: "Friction"
  const char* name;       ///< "BoxesSlideStraight", a test name
  const char* statement;  ///< what holds, with units and, where there is one, the source
  const char* unit;       ///< of error and bound
  double bound;           ///< largest error, unless `bounds` names another
  int trials;             ///< the full count, by tools/long-tests; tests take a fiftieth, at least one
  Worst (*measure)(const Variant& variant, int trials, std::uint64_t seed);
  /// Variants that the row does not hold for, separated by spaces, and why. Those are measured and shown, not checked.
  const char* not_for = "";
  const char* why_not = "";
  const char* reference = "";  ///< the closed form or the source: "T = 4 K(sin(a/2)) sqrt(l/g)"
  const char* bounds = "";     ///< of single variants, in place of `bound`: "rigid=0.02 shock=0.1"
};

/// False if the row is not for this variant.
bool claims(const Row& row, const Variant& variant);
/// The largest error of this variant.
double bound_of(const Row& row, const Variant& variant);
/// `part` of the row's trials, at least one.
int trials_of(const Row& row, double part);
constexpr double kShortPart = 1.0 / 50;  ///< of the trials, in tests

/// Laws of friction.
std::span<const Row> friction_rows();
/// Laws of what rolls and of what is carried.
std::span<const Row> roller_rows();
/// Laws of materials.
std::span<const Row> material_rows();
/// Laws of fast bodies.
std::span<const Row> tunnel_rows();
/// The same of other encounters than shots at walls.
std::span<const Row> passing_rows();
/// Laws of floors of many pieces.
std::span<const Row> seam_rows();

/// Every row, in the order of docs/truth.md. Each source file of this folder defines a list of its own.
std::vector<Row> rows();

}  // namespace talus::truth
