// SPDX-License-Identifier: MIT
// What must be true of any solver, and how far each one is from it. A row is a law or an experiment: a statement, a
// bound, and a function that tries it on random parameters or compares it with a closed form. tests/truth checks every
// row, `talus verify` writes them as docs/truth.md.
#pragma once
#include <talus/talus.h>

#include <cstdint>
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
  void add(double error_of_trial, const std::string& parameters);
};

/// One law or experiment.
struct Row {
  const char* group;      ///< heading in docs/truth.md: "Friction"
  const char* name;       ///< "BoxesSlideStraight", a test name
  const char* statement;  ///< what holds, with units and, where there is one, the source
  const char* unit;       ///< of error and bound
  double bound;           ///< largest error
  int trials;             ///< the full count, by tools/long-tests; tests take a fiftieth, at least one
  Worst (*measure)(const Variant& variant, int trials, std::uint64_t seed);
  /// Variants that the row does not hold for, separated by spaces, and why. Those are measured and shown, not checked.
  const char* not_for = "";
  const char* why_not = "";
};

/// Every row, in the order of docs/truth.md. Each source file of this folder defines a list of its own.
std::vector<Row> rows();

std::span<const Row> friction_rows();
std::span<const Row> material_rows();
std::span<const Row> seam_rows();
std::span<const Row> tunnel_rows();
std::span<const Row> overlap_rows();
std::span<const Row> free_motion_rows();
std::span<const Row> experiment_rows();

}  // namespace talus::truth
