// SPDX-License-Identifier: MIT
// A step's contact and joint problem as matrices: w = A x + b with A = J M^-1 J^T + diag(softness) and b = J u* + bias
// (S2-03, S2-05, S2-15, S1-11, S1-26).
#pragma once
#include <talus/contact_problem.h>

#include <Eigen/Dense>
#include <Eigen/SparseCore>
#include <vector>

namespace talus::lab {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using SparseMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

constexpr Index kDofs = 6;  ///< columns of a body: linear velocity, then angular velocity

/// Friction rows that share one bound: |x| <= friction * x[normal] over the rows first .. first + count - 1.
struct Disk {
  Index normal = -1;
  Index first = -1;
  Index count = 0;  ///< 1: an interval, 2: a disk
  double friction = 0.0;
};

/// Find x with u = u* + M^-1 J^T x and w = J u + bias + softness x as ContactProblem says. Make one with make_problem.
struct Problem {
  SparseMatrix jacobian;      ///< rows x velocities
  SparseMatrix inv_mass;      ///< velocities x velocities, symmetric, blocks of kDofs
  Vector free_velocity;       ///< u* [m/s, rad/s]
  Vector b;                   ///< w where no impulse acts [m/s, rad/s]
  Vector lower, upper;        ///< [N s, N m s] of rows without a normal; may be infinite
  std::vector<Index> normal;  ///< of each row: the row that bounds it, or -1
  Vector friction;            ///< of each row with a normal [1]
  Vector softness;            ///< of each row, >= 0: what it yields for an impulse [1/kg, 1/(kg m^2)]
  Vector impulse;             ///< what the world found, or zero
  std::vector<Disk> disks;    ///< of the friction rows, in their order; filled in by make_problem

  Index row_count() const { return Index(jacobian.rows()); }
  Index dof_count() const { return Index(jacobian.cols()); }
  bool is_friction(Index row) const { return normal[std::size_t(row)] >= 0; }
};

/// Throws Error if a row names a body or a normal that is not there, or a number is not one.
Problem make_problem(const ContactProblem& step);
/// The same of parts: sizes and values are checked, `disks` is filled in. An empty impulse, softness or u* means
/// zero.
Problem make_problem(Problem parts);
/// A problem whose A is the given positive semi-definite matrix, to the bit: J = 1, M^-1 = A. For cases of books; what
/// asks for bodies takes columns of kDofs for one.
Problem make_problem(const Matrix& a, const Vector& b, const Vector& lower, const Vector& upper);

SparseMatrix delassus(const Problem& problem);                   ///< A
Vector velocity(const Problem& problem, const Vector& x);        ///< u
Vector row_velocity(const Problem& problem, const Vector& x);    ///< w
double kinetic_energy(const Problem& problem, const Vector& u);  ///< [J] of u; what has no mobility counts nothing
/// 1/2 x.A x + x.b, which solvers of symmetric problems without friction never increase (S0-68). [J]
double quadratic_objective(const Problem& problem, const Vector& x);

/// Rows ordered by greedy colors of the contact graph: rows of a disk stay with their normal, and contacts of one color
/// share no body that moves (S1-65).
std::vector<Index> color_order(const Problem& problem);

}  // namespace talus::lab
