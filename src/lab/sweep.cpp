// SPDX-License-Identifier: MIT
#include "sweep.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace talus::lab {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

/// x of a unit that has its own bounds.
double clamp_row(const Problem& problem, Index row, double z) {
  return std::clamp(z, problem.lower[row], problem.upper[row]);
}

/// The projected step z = x - r w (S1-78), with tangents in a set bounded by their normal's impulse.
template <class Set>
struct ProxUpdate {
  static constexpr bool kContacts = false;
  static constexpr bool kRowsApart = Set::kRowsApart;
  const Problem& problem;
  Set set;

  Vector3d operator()(const Unit& unit, double r, const Vector3d& x, const Vector3d& w, const Vector& impulses) const {
    const Vector3d z = x - r * w;
    if (unit.normal < 0) return {clamp_row(problem, unit.rows[0], z[0]), 0.0, 0.0};
    const double radius = unit.friction * std::max(0.0, impulses[unit.normal]);
    const Vector2d point = set.project(z.head<2>(), radius).point;
    return {point[0], point[1], 0.0};
  }
};

/// The same with contacts in the cone: for the convex law (S1-24).
struct ConeUpdate {
  static constexpr bool kContacts = true;
  static constexpr bool kRowsApart = false;
  const Problem& problem;

  Vector3d operator()(const Unit& unit, double r, const Vector3d& x, const Vector3d& w, const Vector&) const {
    const Vector3d z = x - r * w;
    if (unit.contact) return project_cone(z, unit.friction).point;
    return {clamp_row(problem, unit.rows[0], z[0]), 0.0, 0.0};
  }
};

/// Contacts solved exactly with the others held (S1-66; + of S1's E22).
struct LocalUpdate {
  static constexpr bool kContacts = true;
  static constexpr bool kRowsApart = false;
  const Problem& problem;

  Vector3d operator()(const Unit& unit, double r, const Vector3d& x, const Vector3d& w, const Vector&) const {
    if (unit.contact) return solve_local_cone(unit.block, w - unit.block * x, unit.friction);
    return {clamp_row(problem, unit.rows[0], x[0] - r * w[0]), 0.0, 0.0};
  }
};

std::vector<Unit> units_of(const Problem& problem, bool contacts, bool rows_apart, UnitChoice choice) {
  std::vector<Unit> units;
  std::vector<bool> in_contact(std::size_t(problem.row_count()));
  if (contacts) {
    for (const ContactRows& contact : convex_contacts(problem)) {
      units.push_back({.rows = contact.rows, .count = 3, .contact = true, .friction = contact.friction});
      for (Index row : contact.rows) in_contact[std::size_t(row)] = true;
    }
  }
  for (Index row = 0; row < problem.row_count(); ++row) {
    const bool wanted = choice == UnitChoice::all && !problem.is_friction(row) && !in_contact[std::size_t(row)];
    if (wanted) units.push_back({.rows = {row, -1, -1}, .count = 1});
  }
  for (const Disk& disk : problem.disks) {
    if (contacts) break;
    const Index parts = rows_apart ? disk.count : 1;
    const Index size = disk.count / parts;
    for (Index part = 0; part < parts; ++part) {
      const Index first = disk.first + part;
      units.push_back({.rows = {first, size > 1 ? first + 1 : -1, -1},
                       .count = size,
                       .normal = disk.normal,
                       .friction = disk.friction});
    }
  }
  return units;
}

/// Units of a body divide its mass among them where masses are split; else all weights are 1.
Vector body_weights(const Problem& problem, const std::vector<Unit>& units, bool split_mass) {
  const Index body_count = problem.dof_count() / kDofs + 1;
  if (!split_mass) return Vector::Ones(body_count);
  Vector count = Vector::Zero(body_count);
  for (const Unit& unit : units) {
    std::vector<Index> bodies;
    for (Index i = 0; i < unit.count; ++i) {
      for (SparseMatrix::InnerIterator entry(problem.jacobian, unit.rows[std::size_t(i)]); entry; ++entry) {
        bodies.push_back(Index(entry.col()) / kDofs);
      }
    }
    std::sort(bodies.begin(), bodies.end());
    bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
    for (Index body : bodies) count[body] += 1.0;
  }
  return count;
}

void set_steps(const RowTable& table, const Vector& weights, const SweepPlan& plan, std::vector<Unit>& units) {
  for (Unit& unit : units) {
    for (Index i = 0; i < unit.count; ++i) {
      for (Index j = 0; j < unit.count; ++j) {
        unit.block(i, j) = table.coupling(unit.rows[std::size_t(i)], unit.rows[std::size_t(j)], weights);
      }
    }
    const Matrix block = unit.block.topLeftCorner(unit.count, unit.count);
    const double largest =
        unit.count == 1 ? block(0, 0)
                        : Eigen::SelfAdjointEigenSolver<Matrix>(block, Eigen::EigenvaluesOnly).eigenvalues().maxCoeff();
    if (plan.r_factor > 0.0) {
      unit.r = plan.r_factor;
    } else {
      unit.r = largest > 0.0 ? plan.relaxation / largest : 0.0;  // 0: nothing on it can move (S2-08)
    }
  }
}

void sort_units(const std::vector<Index>& row_order, Index row_count, std::vector<Unit>& units) {
  std::vector<Index> place(std::size_t(row_count), 0);
  std::iota(place.begin(), place.end(), 0);
  for (std::size_t i = 0; i < row_order.size(); ++i) place[std::size_t(row_order[i])] = Index(i);
  const auto first = [&](const Unit& unit) {
    Index earliest = place[std::size_t(unit.rows[0])];
    for (Index i = 1; i < unit.count; ++i) earliest = std::min(earliest, place[std::size_t(unit.rows[std::size_t(i)])]);
    return earliest;
  };
  std::sort(units.begin(), units.end(), [&](const Unit& a, const Unit& b) { return first(a) < first(b); });
}

template <class Update>
class SweepOf final : public Sweep {
 public:
  SweepOf(const Problem& problem, const SweepPlan& plan, Update update)
      : table_(problem),
        units_(units_of(problem, Update::kContacts, Update::kRowsApart, plan.units)),
        update_(update),
        jacobi_(plan.jacobi),
        change_(Vector::Zero(problem.dof_count())),
        last_x_(Vector::Zero(problem.row_count())) {
    sort_units(plan.order, problem.row_count(), units_);
    set_steps(table_, body_weights(problem, units_, plan.split_mass), plan, units_);
  }

  void forward(Vector& x) override { run(x, units_.begin(), units_.end()); }
  void backward(Vector& x) override { run(x, units_.rbegin(), units_.rend()); }
  double safe_scale(const Problem& problem) const override {
    const SparseMatrix a = delassus(problem);
    double largest = 0.0;
    for (const Unit& unit : units_) {
      for (Index i = 0; i < unit.count; ++i) {
        largest = std::max(largest, unit.r * a.row(unit.rows[std::size_t(i)]).cwiseAbs().sum());
      }
    }
    return largest > 0.0 ? 0.5 / largest : 1.0;
  }

 private:
  template <class Iterator>
  void run(Vector& x, Iterator first, Iterator last) {
    if (x != last_x_) change_ = table_.velocity_change(x);
    if (jacobi_) {
      const Vector old = x;  // friction sets too are those of the old normals (S1-79)
      for (; first != last; ++first) {
        const Vector3d next = updated(*first, old);
        for (Index i = 0; i < first->count; ++i) x[first->rows[std::size_t(i)]] = next[i];
      }
      change_ = table_.velocity_change(x);
    } else {
      for (; first != last; ++first) {
        const Vector3d next = updated(*first, x);
        for (Index i = 0; i < first->count; ++i) {
          double& impulse = x[first->rows[std::size_t(i)]];
          table_.apply(first->rows[std::size_t(i)], next[i] - impulse, change_);
          impulse = next[i];
        }
      }
    }
    last_x_ = x;
  }

  Vector3d updated(const Unit& unit, const Vector& impulses) const {
    Vector3d x = Vector3d::Zero();
    Vector3d w = Vector3d::Zero();
    for (Index i = 0; i < unit.count; ++i) {
      x[i] = impulses[unit.rows[std::size_t(i)]];
      w[i] = table_.row_velocity(unit.rows[std::size_t(i)], change_, x[i]);
    }
    return update_(unit, r_scale * unit.r, x, w, impulses);
  }

  RowTable table_;
  std::vector<Unit> units_;
  Update update_;
  bool jacobi_;
  Vector change_;  // M^-1 J^T last_x_
  Vector last_x_;
};

}  // namespace

RowTable::RowTable(const Problem& problem)
    : b_(problem.b), softness_(problem.softness), dof_count_(problem.dof_count()) {
  const SparseMatrix mobility = problem.jacobian * problem.inv_mass;  // of rows: M^-1 is symmetric
  begin_.push_back(0);
  for (Index row = 0; row < problem.row_count(); ++row) {
    // The columns of J are among those of J M^-1: mass blocks have their diagonal stored.
    SparseMatrix::InnerIterator j(problem.jacobian, row);
    SparseMatrix::InnerIterator m(mobility, row);
    while (j || m) {
      const Index column = std::min(j ? Index(j.col()) : dof_count_, m ? Index(m.col()) : dof_count_);
      const bool has_j = j && Index(j.col()) == column;
      const bool has_m = m && Index(m.col()) == column;
      entries_.push_back({column, has_j ? j.value() : 0.0, has_m ? m.value() : 0.0});
      if (has_j) ++j;
      if (has_m) ++m;
    }
    begin_.push_back(entries_.size());
  }
}

Vector RowTable::velocity_change(const Vector& x) const {
  Vector change = Vector::Zero(dof_count_);
  for (Index row = 0; row < Index(x.size()); ++row) apply(row, x[row], change);
  return change;
}

double RowTable::coupling(Index row, Index other, const Vector& body_weights) const {
  double sum = row == other ? softness_[row] : 0.0;
  std::size_t i = begin_[std::size_t(row)];
  std::size_t j = begin_[std::size_t(other)];
  while (i < begin_[std::size_t(row) + 1] && j < begin_[std::size_t(other) + 1]) {
    const Entry& a = entries_[i];
    const Entry& b = entries_[j];
    if (a.column == b.column) sum += body_weights[a.column / kDofs] * a.jacobian * b.mobility;
    if (a.column <= b.column) ++i;
    if (b.column <= a.column) ++j;
  }
  return sum;
}

std::unique_ptr<Sweep> make_sweep(const Problem& problem, const SweepPlan& plan) {
  if (plan.local_solve) return std::make_unique<SweepOf<LocalUpdate>>(problem, plan, LocalUpdate{problem});
  if (plan.friction.law == FrictionLaw::convex_cone) {
    return std::make_unique<SweepOf<ConeUpdate>>(problem, plan, ConeUpdate{problem});
  }
  return std::visit(
      [&](const auto& set) -> std::unique_ptr<Sweep> {
        using Update = ProxUpdate<std::decay_t<decltype(set)>>;
        return std::make_unique<SweepOf<Update>>(problem, plan, Update{problem, set});
      },
      friction_set(plan.friction));
}

Vector3d solve_local_cone(const Matrix3d& a, const Vector3d& b, double friction) {
  if (b[0] >= 0.0) return Vector3d::Zero();  // separates
  // Sliding against x_t with resistance s: w_n = 0 and w_t = -s x_t. More resistance, less friction: s = 0 sticks, and
  // as s grows x_t goes to zero and x_n to -b_n / a_nn > 0, so there is an s where |x_t| = friction * x_n.
  const double scale = a(1, 1) + a(2, 2);
  const auto impulse = [&](double t) {  // s = scale t / (1 - t), t in [0, 1)
    Matrix3d slid = a;
    slid.diagonal().tail<2>().array() += scale * t / (1.0 - t);
    return Vector3d(-slid.inverse() * b);
  };
  const auto excess = [&](const Vector3d& x) { return x.tail<2>().norm() - friction * x[0]; };
  Vector3d x = impulse(0.0);
  if (excess(x) <= 0.0) return x;
  double low = 0.0;
  double high = 1.0;
  for (int i = 0; i < 60; ++i) {  // halves to the last bit of t
    const double middle = 0.5 * (low + high);
    x = impulse(middle);
    (excess(x) > 0.0 ? low : high) = middle;
  }
  return x;
}

}  // namespace talus::lab
