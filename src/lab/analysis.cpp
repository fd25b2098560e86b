// SPDX-License-Identifier: MIT
#include "analysis.h"

#include <talus/status.h>

#include <algorithm>
#include <Eigen/Eigenvalues>
#include <limits>
#include <string>

namespace talus::lab {
namespace {

/// Eigenvalues of T this near to one are ones: they come with the error of an eigenvalue that is not simple.
constexpr double kUnit = 1e-7;

bool is_one(const std::complex<double>& value) {
  return std::abs(value - 1.0) < kUnit;
}

/// A without rows that nothing can move: they have no diagonal to divide by.
Matrix movable_part(const Problem& problem) {
  const Matrix a = delassus(problem);
  std::vector<Index> rows;
  for (Index row = 0; row < problem.row_count(); ++row) {
    if (a(row, row) > 0.0) rows.push_back(row);
  }
  return a(rows, rows);
}

}  // namespace

Index Spectrum::gs_unit_count() const {
  return Index(std::count_if(gs.begin(), gs.end(), is_one));
}

Spectrum spectrum(const Problem& problem) {
  if (problem.row_count() > kSpectrumRows) {
    throw Error("lab spectrum: " + std::to_string(problem.row_count()) + " rows, " + std::to_string(kSpectrumRows) +
                " at most");
  }
  Spectrum s;
  const Matrix a = movable_part(problem);
  if (a.size() == 0) return s;
  s.eigenvalues = Eigen::SelfAdjointEigenSolver<Matrix>(a, Eigen::EigenvaluesOnly).eigenvalues();
  const double largest = s.eigenvalues[s.eigenvalues.size() - 1];
  const double zero = 1e-12 * double(a.rows()) * largest;
  const Index size = Index(s.eigenvalues.size());
  while (s.null_space < size && !(s.eigenvalues[s.null_space] > zero)) ++s.null_space;
  s.condition = s.null_space < size ? largest / s.eigenvalues[s.null_space] : std::numeric_limits<double>::infinity();

  const Matrix upper = a.triangularView<Eigen::StrictlyUpper>();
  const Matrix iteration = -a.triangularView<Eigen::Lower>().solve(upper);
  const Eigen::VectorXcd gs = Eigen::EigenSolver<Matrix>(iteration, false).eigenvalues();
  s.gs.assign(gs.begin(), gs.end());
  for (const std::complex<double>& value : s.gs) {
    if (!is_one(value)) s.gs_rate = std::max(s.gs_rate, std::abs(value));
  }
  const Vector scale = a.diagonal().cwiseSqrt().cwiseInverse();
  const Matrix scaled = scale.asDiagonal() * a * scale.asDiagonal();
  s.jacobi_limit = 2.0 / Eigen::SelfAdjointEigenSolver<Matrix>(scaled, Eigen::EigenvaluesOnly).eigenvalues().maxCoeff();
  return s;
}

}  // namespace talus::lab
