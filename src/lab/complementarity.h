// SPDX-License-Identifier: MIT
// Functions whose roots are complementary pairs, with one element of their generalised slopes (S1-73, S1-74).
#pragma once
#include <Eigen/Dense>

namespace talus::lab {

/// psi(a, b) = a + b - sqrt(a^2 + b^2). At (0, 0) the slopes are 0 and 1 (S1-74).
struct FischerBurmeister {
  double value, by_a, by_b;
};
FischerBurmeister fischer_burmeister(double a, double b);

/// Zero exactly where x in [lower, upper] and w obey their law; slopes by all four.
struct BoundedValue {
  double value = 0.0;
  double by_x = 0.0, by_w = 0.0;
  double by_lower = 0.0, by_upper = 0.0;
};
BoundedValue bounded_min_map(double x, double w, double lower, double upper);
/// psi within psi: min(x - lower, max(x - upper, w)) with smooth corners.
BoundedValue bounded_fischer_burmeister(double x, double w, double lower, double upper);

/// Fischer-Burmeister of the cone |(x_2, x_3)| <= x_1, which is its own dual: squares and root are those of its Jordan
/// algebra. Zero exactly where x and w lie in the cone and are orthogonal.
struct ConeValue {
  Eigen::Vector3d value;
  Eigen::Matrix3d by_x, by_w;
};
ConeValue cone_fischer_burmeister(const Eigen::Vector3d& x, const Eigen::Vector3d& w);

}  // namespace talus::lab
