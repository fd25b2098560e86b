// SPDX-License-Identifier: MIT
// Sweeps over rows or contacts: the iterative family is one loop with a choice of what is done to a unit of rows (and
// so of the law of friction), of the step size, of the order, and of old or new values (S1-58, S1-129). Velocities are
// kept along, so a row costs what it touches (S1-81, S2-09).
#pragma once
#include "residual.h"

#include <memory>

namespace talus::lab {

/// Rows of J beside those of (M^-1 J^T)^T.
class RowTable {
 public:
  explicit RowTable(const Problem& problem);

  /// w of a row for the velocities' change and its own impulse.
  double row_velocity(Index row, const Vector& change, double impulse) const {
    double w = b_[row] + softness_[row] * impulse;
    for (std::size_t i = begin_[std::size_t(row)]; i < begin_[std::size_t(row) + 1]; ++i) {
      w += entries_[i].jacobian * change[entries_[i].column];
    }
    return w;
  }
  void apply(Index row, double impulse, Vector& change) const {
    for (std::size_t i = begin_[std::size_t(row)]; i < begin_[std::size_t(row) + 1]; ++i) {
      change[entries_[i].column] += entries_[i].mobility * impulse;
    }
  }
  /// M^-1 J^T x
  Vector velocity_change(const Vector& x) const;
  /// A of two rows, each body's share multiplied by its weight; the softness is the row's own.
  double coupling(Index row, Index other, const Vector& body_weights) const;

 private:
  struct Entry {
    Index column;
    double jacobian, mobility;
  };
  Vector b_, softness_;
  Index dof_count_;
  std::vector<Entry> entries_;
  std::vector<std::size_t> begin_;
};

/// Rows that change together: one row, the tangents of a disk, or a contact with its normal first.
struct Unit {
  std::array<Index, 3> rows{-1, -1, -1};
  Index count = 0;
  Index normal = -1;  ///< whose impulse bounds the rows of this unit
  bool contact = false;
  double friction = 0.0;
  double r = 0.0;                                       ///< step: impulse per velocity [kg]
  Eigen::Matrix3d block = Eigen::Matrix3d::Identity();  ///< A of its rows
};

enum class UnitChoice : std::uint8_t { all, friction_only };

struct SweepPlan {
  FrictionModel friction;
  bool jacobi = false;       ///< all units from the old values, else each from the newest
  bool split_mass = false;   ///< bodies are shared out among their units, which makes jacobi converge (S0, 2.9)
  bool local_solve = false;  ///< contacts are solved exactly one by one (S1-66); for the cone
  double relaxation = 1.0;
  double r_factor = 0.0;  ///< one r for all units; 0: 1 / the largest eigenvalue of each unit's block of A
  UnitChoice units = UnitChoice::all;
  std::vector<Index> order;  ///< of rows; units follow their first
};

class Sweep {
 public:
  virtual ~Sweep() = default;
  virtual void forward(Vector& x) = 0;
  virtual void backward(Vector& x) = 0;
  /// r_scale with which a sweep without friction is sure to be a contraction: half of 1 / |r A|, in the largest row
  /// sum.
  virtual double safe_scale(const Problem& problem) const = 0;

  double r_scale = 1.0;  ///< what adaptive methods multiply all steps with
};

std::unique_ptr<Sweep> make_sweep(const Problem& problem, const SweepPlan& plan);

/// Exact answer of one contact with the cone, normal first: w = a x + b (S1-66).
Eigen::Vector3d solve_local_cone(const Eigen::Matrix3d& a, const Eigen::Vector3d& b, double friction);

}  // namespace talus::lab
