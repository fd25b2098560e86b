// SPDX-License-Identifier: MIT
#include "friction_set.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus::lab {

using Eigen::Matrix2d;
using Eigen::Vector2d;
using Eigen::Vector3d;

Projection2 BoxSet::project(const Vector2d& z, double radius) const {
  Projection2 p{z, Matrix2d::Identity(), Vector2d::Zero()};
  for (int i = 0; i < 2; ++i) {
    if (std::abs(z[i]) <= radius) continue;
    p.by_z(i, i) = 0.0;
    p.by_radius[i] = z[i] < 0.0 ? -1.0 : 1.0;
    p.point[i] = p.by_radius[i] * radius;
  }
  return p;
}

Projection2 PolygonSet::project(const Vector2d& z, double radius) const {
  // Rays through corners are axes of symmetry, so the closest point lies in the sector of z: on one edge.
  const double sector = 2.0 * std::numbers::pi / sides;
  const double corner = sector * std::floor(std::atan2(z[1], z[0]) / sector);
  const Vector2d out(std::cos(corner + 0.5 * sector), std::sin(corner + 0.5 * sector));
  const Vector2d along(-out[1], out[0]);
  const double inner = std::cos(0.5 * sector);
  if (out.dot(z) <= inner * radius) return {z, Matrix2d::Identity(), Vector2d::Zero()};

  const double half_edge = std::sin(0.5 * sector);
  const double place = along.dot(z);
  if (std::abs(place) <= half_edge * radius) {
    return {inner * radius * out + place * along, along * along.transpose(), inner * out};
  }
  const Vector2d vertex = inner * out + (place < 0.0 ? -half_edge : half_edge) * along;
  return {radius * vertex, Matrix2d::Zero(), vertex};
}

Projection2 DiskSet::project(const Vector2d& z, double radius) const {
  const double length = z.norm();
  if (length <= radius) return {z, Matrix2d::Identity(), Vector2d::Zero()};
  const Vector2d direction = z / length;
  const Matrix2d across = Matrix2d::Identity() - direction * direction.transpose();
  return {radius * direction, radius / length * across, direction};
}

Projection3 project_cone(const Vector3d& z, double friction) {
  const double length = z.tail<2>().norm();
  if (length <= friction * z[0]) return {z, Eigen::Matrix3d::Identity()};
  if (friction * length <= -z[0]) return {Vector3d::Zero(), Eigen::Matrix3d::Zero()};
  const Vector2d direction = z.tail<2>() / length;
  const Vector3d ray(1.0, friction * direction[0], friction * direction[1]);
  const double height = (z[0] + friction * length) / (1.0 + friction * friction);
  Projection3 p{height * ray, ray * ray.transpose() / (1.0 + friction * friction)};
  const Matrix2d across = Matrix2d::Identity() - direction * direction.transpose();
  p.by_z.bottomRightCorner<2, 2>() += height * friction / length * across;
  return p;
}

Eigen::VectorXd project_ellipsoid(const Eigen::VectorXd& axes, const Eigen::VectorXd& z) {
  if ((z.array() / axes.array()).square().sum() <= 1.0) return z;
  const Eigen::ArrayXd squares = axes.array().square();
  // Outside the ellipsoid it falls from above zero to below zero; Newton's method leaves its flat part (S1-83).
  const auto excess = [&](double t) { return (axes.array() * z.array() / (squares + t)).square().sum() - 1.0; };
  double low = 0.0;
  double high = axes.maxCoeff() * z.norm();
  while (excess(high) > 0.0) high *= 1.5;
  for (;;) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    (excess(middle) > 0.0 ? low : high) = middle;
  }
  return squares * z.array() / (squares + high);
}

}  // namespace talus::lab
