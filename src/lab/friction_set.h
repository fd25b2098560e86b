// SPDX-License-Identifier: MIT
// The sets impulses may lie in, and the closest point of each: what makes one sweep serve all laws of friction
// (S1-78, S1-129). Points of a disk with one row have a second component of zero.
#pragma once
#include <Eigen/Dense>
#include <variant>

namespace talus::lab {

/// Closest point of a set of the given radius to z, and how it moves with both.
struct Projection2 {
  Eigen::Vector2d point;
  Eigen::Matrix2d by_z;
  Eigen::Vector2d by_radius;
};

/// |x_1|, |x_2| <= radius: friction up to sqrt(2) too strong along the diagonal (S1-22).
struct BoxSet {
  static constexpr bool kRowsApart = true;  ///< each row has bounds of its own
  Projection2 project(const Eigen::Vector2d& z, double radius) const;
};

/// Hull of `sides` points on the circle, the first on the axis of row 1: weaker than the disk by cos(pi / sides)
/// between its corners (S1-21). An even number from 4.
struct PolygonSet {
  static constexpr bool kRowsApart = false;
  int sides = 8;
  Projection2 project(const Eigen::Vector2d& z, double radius) const;
};

/// |x| <= radius (S1-18).
struct DiskSet {
  static constexpr bool kRowsApart = false;
  Projection2 project(const Eigen::Vector2d& z, double radius) const;
};

using FrictionSet = std::variant<BoxSet, PolygonSet, DiskSet>;

/// Closest point of the cone |x_t| <= friction * x_n, normal first (S1-24), and how it moves with z.
struct Projection3 {
  Eigen::Vector3d point;
  Eigen::Matrix3d by_z;
};
Projection3 project_cone(const Eigen::Vector3d& z, double friction);

/// Closest point of the ellipsoid sum (x_i / axes_i)^2 <= 1 to z, by bisection (S1-83, with the scaling of E27).
/// Axes are positive; z has as many components, two or three.
Eigen::VectorXd project_ellipsoid(const Eigen::VectorXd& axes, const Eigen::VectorXd& z);

}  // namespace talus::lab
