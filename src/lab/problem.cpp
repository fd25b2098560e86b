// SPDX-License-Identifier: MIT
#include "problem.h"

#include <talus/status.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

namespace talus::lab {
namespace {

using Triplet = Eigen::Triplet<double, Index>;

[[noreturn]] void fail(const std::string& what, Index row) {
  throw Error("lab problem: " + what + " (row " + std::to_string(row) + ")");
}

void add_side(Index row, Index body, const ContactProblem::Double3& linear, const ContactProblem::Double3& angular,
              std::vector<Triplet>& entries) {
  if (body < 0) return;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (linear[axis] != 0.0) entries.emplace_back(row, kDofs * body + Index(axis), linear[axis]);
    if (angular[axis] != 0.0) entries.emplace_back(row, kDofs * body + 3 + Index(axis), angular[axis]);
  }
}

SparseMatrix jacobian_of(const ContactProblem& step) {
  const Index body_count = Index(step.bodies.size());
  std::vector<Triplet> entries;
  for (Index row = 0; row < Index(step.rows.size()); ++row) {
    const ContactProblem::Row& r = step.rows[std::size_t(row)];
    if (r.body_a >= body_count || r.body_b >= body_count) fail("a body that is not there", row);
    add_side(row, r.body_a, r.linear_a, r.angular_a, entries);
    add_side(row, r.body_b, r.linear_b, r.angular_b, entries);
  }
  SparseMatrix jacobian(Index(step.rows.size()), kDofs * body_count);
  jacobian.setFromTriplets(entries.begin(), entries.end());
  return jacobian;
}

SparseMatrix inv_mass_of(const ContactProblem& step) {
  constexpr Index kPlace[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};  // in xx xy xz yy yz zz
  std::vector<Triplet> entries;
  for (Index body = 0; body < Index(step.bodies.size()); ++body) {
    const ContactProblem::Body& mass = step.bodies[std::size_t(body)];
    for (Index i = 0; i < 3; ++i) {
      entries.emplace_back(kDofs * body + i, kDofs * body + i, mass.inv_mass);
      for (Index j = 0; j < 3; ++j) {
        const double value = mass.inv_inertia[std::size_t(kPlace[i][j])];
        if (value != 0.0 || i == j) entries.emplace_back(kDofs * body + 3 + i, kDofs * body + 3 + j, value);
      }
    }
  }
  const Index size = kDofs * Index(step.bodies.size());
  SparseMatrix inv_mass(size, size);
  inv_mass.setFromTriplets(entries.begin(), entries.end());
  return inv_mass;
}

void check_sizes(const Problem& p) {
  const Eigen::Index rows = p.jacobian.rows();
  const Eigen::Index dofs = p.jacobian.cols();
  const bool rows_fit = p.b.size() == rows && p.lower.size() == rows && p.upper.size() == rows &&
                        p.friction.size() == rows && p.softness.size() == rows && p.impulse.size() == rows &&
                        p.normal.size() == std::size_t(rows);
  const bool dofs_fit = p.inv_mass.rows() == dofs && p.inv_mass.cols() == dofs && p.free_velocity.size() == dofs;
  if (!rows_fit || !dofs_fit) {
    throw Error("lab problem: parts are not of one size, " + std::to_string(rows) + " rows, " + std::to_string(dofs) +
                " velocities");
  }
}

/// Numbers of worlds are single precision; what is far beyond would leave double precision in products of a few.
constexpr double kMostNumber = 1e40;
bool in_range(double value) {
  return std::abs(value) <= kMostNumber;  // and not NaN
}

void check_row(const Problem& p, Index row) {
  if (!in_range(p.b[row]) || !in_range(p.impulse[row])) fail("b or impulse is not finite, or beyond 1e40", row);
  if (!(p.softness[row] >= 0.0) || !in_range(p.softness[row])) fail("softness is negative or beyond 1e40", row);
  if (!p.is_friction(row)) {
    if (!(p.lower[row] <= p.upper[row])) fail("lower bound above upper bound", row);
    const auto is_bound = [](double bound) { return std::isinf(bound) || in_range(bound); };
    if (!is_bound(p.lower[row]) || !is_bound(p.upper[row])) fail("a bound is beyond 1e40 and not infinite", row);
    if (p.lower[row] > kMostNumber || p.upper[row] < -kMostNumber) fail("an impulse that has to be infinite", row);
    return;
  }
  const Index normal = p.normal[std::size_t(row)];
  if (normal >= p.row_count() || p.is_friction(normal)) fail("friction without a normal row", row);
  if (!(p.friction[row] >= 0.0) || !in_range(p.friction[row])) fail("friction is not a coefficient", row);
}

/// Two friction rows of one normal that follow each other share a disk.
std::vector<Disk> find_disks(const Problem& p) {
  std::vector<Disk> disks;
  for (Index row = 0; row < p.row_count(); ++row) {
    if (!p.is_friction(row)) continue;
    const Index normal = p.normal[std::size_t(row)];
    Disk* last = disks.empty() ? nullptr : &disks.back();
    if (last != nullptr && last->count == 1 && last->normal == normal && last->first + 1 == row) {
      if (last->friction != p.friction[row]) fail("two coefficients in one friction disk", row);
      ++last->count;
    } else {
      disks.push_back({normal, row, 1, p.friction[row]});
    }
  }
  return disks;
}

bool all_in_range(const SparseMatrix& m) {
  return std::all_of(m.valuePtr(), m.valuePtr() + m.nonZeros(), in_range);
}

}  // namespace

Problem make_problem(const ContactProblem& step) {
  Problem p;
  p.jacobian = jacobian_of(step);
  p.inv_mass = inv_mass_of(step);
  p.free_velocity.resize(p.jacobian.cols());
  for (std::size_t body = 0; body < step.bodies.size(); ++body) {
    p.free_velocity.segment<kDofs>(kDofs * Index(body)) =
        Eigen::Map<const Eigen::Matrix<double, kDofs, 1>>(step.bodies[body].free_velocity.data());
  }
  p.b = p.jacobian * p.free_velocity;
  for (Vector* column : {&p.lower, &p.upper, &p.friction, &p.softness, &p.impulse}) column->resize(p.b.size());
  p.normal.resize(step.rows.size());
  for (Index row = 0; row < p.row_count(); ++row) {
    const ContactProblem::Row& r = step.rows[std::size_t(row)];
    p.b[row] += r.bias;
    p.lower[row] = r.lower;
    p.upper[row] = r.upper;
    p.friction[row] = r.friction;
    p.softness[row] = r.softness;
    p.impulse[row] = r.impulse;
    p.normal[std::size_t(row)] = r.normal;
  }
  return make_problem(std::move(p));
}

Problem make_problem(Problem parts) {
  Problem p = std::move(parts);
  if (p.softness.size() == 0) p.softness = Vector::Zero(p.jacobian.rows());
  if (p.impulse.size() == 0) p.impulse = Vector::Zero(p.jacobian.rows());
  if (p.free_velocity.size() == 0) p.free_velocity = Vector::Zero(p.jacobian.cols());
  check_sizes(p);
  p.jacobian.makeCompressed();
  p.inv_mass.makeCompressed();
  if (!all_in_range(p.jacobian) || !all_in_range(p.inv_mass) ||
      !std::all_of(p.free_velocity.begin(), p.free_velocity.end(), in_range)) {
    throw Error("lab problem: J, inverse mass or free velocity is not finite, or beyond 1e40");
  }
  for (Index row = 0; row < p.row_count(); ++row) check_row(p, row);
  p.disks = find_disks(p);
  return p;
}

Problem make_problem(const Matrix& a, const Vector& b, const Vector& lower, const Vector& upper) {
  Problem p;
  p.jacobian.resize(a.rows(), a.cols());
  p.jacobian.setIdentity();
  p.inv_mass = a.sparseView();
  p.b = b;
  p.lower = lower;
  p.upper = upper;
  p.normal.assign(std::size_t(b.size()), -1);
  p.friction = Vector::Zero(b.size());
  return make_problem(std::move(p));
}

SparseMatrix delassus(const Problem& problem) {
  const SparseMatrix mobility = problem.inv_mass * SparseMatrix(problem.jacobian.transpose());
  SparseMatrix a = problem.jacobian * mobility;
  for (Index row = 0; row < problem.row_count(); ++row) {
    if (problem.softness[row] > 0.0) a.coeffRef(row, row) += problem.softness[row];
  }
  a.makeCompressed();
  return a;
}

Vector velocity(const Problem& problem, const Vector& x) {
  const Vector momentum = problem.jacobian.transpose() * x;
  return problem.free_velocity + problem.inv_mass * momentum;
}

Vector row_velocity(const Problem& problem, const Vector& x) {
  const Vector momentum = problem.jacobian.transpose() * x;
  const Vector change = problem.inv_mass * momentum;
  return problem.jacobian * change + problem.softness.cwiseProduct(x) + problem.b;
}

double kinetic_energy(const Problem& problem, const Vector& u) {
  double twice = 0.0;
  for (Index first = 0; first < problem.dof_count(); first += kDofs) {
    const Index size = std::min(kDofs, problem.dof_count() - first);
    const Matrix block = problem.inv_mass.block(first, first, size, size);
    const Vector part = u.segment(first, size);
    twice += part.dot(block.completeOrthogonalDecomposition().solve(part));
  }
  return 0.5 * twice;
}

double quadratic_objective(const Problem& problem, const Vector& x) {
  return 0.5 * x.dot(row_velocity(problem, x) + problem.b);
}

std::vector<Index> color_order(const Problem& problem) {
  // used[body][color]: the bodies of a row are those its columns belong to
  std::vector<std::vector<bool>> used(std::size_t(problem.dof_count() / kDofs + 1));
  std::vector<Index> color(std::size_t(problem.row_count()), 0);
  for (Index row = 0; row < problem.row_count(); ++row) {
    if (problem.is_friction(row)) continue;
    std::vector<std::size_t> bodies;
    for (SparseMatrix::InnerIterator entry(problem.jacobian, row); entry; ++entry) {
      bodies.push_back(std::size_t(entry.col() / kDofs));
    }
    const auto taken = [&](std::size_t c) {
      return std::any_of(bodies.begin(), bodies.end(),
                         [&](std::size_t body) { return c < used[body].size() && used[body][c]; });
    };
    std::size_t c = 0;
    while (taken(c)) ++c;
    for (std::size_t body : bodies) {
      used[body].resize(std::max(used[body].size(), c + 1));
      used[body][c] = true;
    }
    color[std::size_t(row)] = Index(c);
  }
  for (Index row = 0; row < problem.row_count(); ++row) {
    if (problem.is_friction(row)) color[std::size_t(row)] = color[std::size_t(problem.normal[std::size_t(row)])];
  }
  std::vector<Index> order(std::size_t(problem.row_count()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return color[std::size_t(a)] < color[std::size_t(b)]; });
  return order;
}

}  // namespace talus::lab
