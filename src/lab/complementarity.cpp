// SPDX-License-Identifier: MIT
#include "complementarity.h"

#include <algorithm>
#include <cmath>

namespace talus::lab {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// Matrix of the Jordan product with z.
Matrix3d arrow(const Vector3d& z) {
  Matrix3d m = z[0] * Matrix3d::Identity();
  m.block<1, 2>(0, 1) = z.tail<2>().transpose();
  m.block<2, 1>(1, 0) = z.tail<2>();
  return m;
}

/// Root in the Jordan algebra, of the spectral values z_1 -+ |z_t|.
Vector3d jordan_root(const Vector3d& z) {
  const double length = z.tail<2>().norm();
  const double small = std::sqrt(std::max(0.0, z[0] - length));
  const double large = std::sqrt(std::max(0.0, z[0] + length));
  Vector3d root(0.5 * (small + large), 0.0, 0.0);
  if (length > 0.0) root.tail<2>() = 0.5 * (large - small) / length * z.tail<2>();
  return root;
}

}  // namespace

FischerBurmeister fischer_burmeister(double a, double b) {
  const double length = std::hypot(a, b);
  if (length == 0.0) return {0.0, 0.0, 1.0};
  // a + b - length cancels where one is much larger: 2ab / (a + b + length) does not
  const double value = a + b > 0.0 ? 2.0 * a * b / (a + b + length) : a + b - length;
  return {value, 1.0 - a / length, 1.0 - b / length};
}

BoundedValue bounded_min_map(double x, double w, double lower, double upper) {
  if (x - w < lower) return {.value = x - lower, .by_x = 1.0, .by_lower = -1.0};
  if (x - w > upper) return {.value = x - upper, .by_x = 1.0, .by_upper = -1.0};
  return {.value = w, .by_w = 1.0};
}

BoundedValue bounded_fischer_burmeister(double x, double w, double lower, double upper) {
  BoundedValue v{.value = w, .by_w = 1.0};
  if (std::isfinite(upper)) {
    const FischerBurmeister psi = fischer_burmeister(upper - x, -w);
    v = {.value = -psi.value, .by_x = psi.by_a, .by_w = psi.by_b, .by_upper = -psi.by_a};
  }
  if (std::isfinite(lower)) {
    const FischerBurmeister psi = fischer_burmeister(x - lower, v.value);
    v = {.value = psi.value,
         .by_x = psi.by_a + psi.by_b * v.by_x,
         .by_w = psi.by_b * v.by_w,
         .by_lower = -psi.by_a,
         .by_upper = psi.by_b * v.by_upper};
  }
  return v;
}

ConeValue cone_fischer_burmeister(const Vector3d& x, const Vector3d& w) {
  const Vector3d root = jordan_root(arrow(x) * x + arrow(w) * w);
  ConeValue v{x + w - root, Matrix3d::Identity(), Matrix3d::Identity()};
  // The root is not smooth on the border of the cone; a little inside it is, and there slopes near its own are found.
  Vector3d inside = root;
  inside[0] += 1e-14 * (1.0 + root[0]);
  const Matrix3d inverse = arrow(inside).inverse();
  v.by_x -= inverse * arrow(x);
  v.by_w -= inverse * arrow(w);
  return v;
}

}  // namespace talus::lab
