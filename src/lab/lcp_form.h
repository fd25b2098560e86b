// SPDX-License-Identifier: MIT
// Any problem with fixed bounds and polyhedral friction as a pure LCP: 0 <= z complementary to m z + q >= 0. Not
// symmetric with friction (S1-21, E2, E3; S0-34 with the blocks of S0's E8). Rows without bounds are eliminated: they
// are the linear equations that are left of S3-41.
#pragma once
#include "residual.h"

namespace talus::lab {

struct LcpForm {
  /// Variables z that are impulses along the corners of a friction polygon of two rows.
  struct Fan {
    Index row, z;  ///< the first of each
    int sides;
  };

  Matrix m;
  Vector q;
  Matrix part_of;  ///< of rows with bounds: what a variable adds to them
  Matrix to_x;     ///< x = to_x z + offset, of all rows
  Vector offset;
  std::vector<Fan> fans;

  /// Variables that make a given x within its bounds, and the smallest multipliers that its w allows.
  Vector z(const Vector& x, const Vector& w) const;
  Vector x(const Vector& z) const { return to_x * z.head(to_x.cols()) + offset; }
};

LcpForm make_lcp_form(const Problem& problem, const FrictionModel& model);

/// The answer whose positive variables are `basic`; false if their equations have none.
bool solve_basis(const LcpForm& form, const std::vector<Index>& basic, Vector& z);
/// Largest |min(z, m z + q)|.
double lcp_residual(const LcpForm& form, const Vector& z);

}  // namespace talus::lab
