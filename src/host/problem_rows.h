// SPDX-License-Identifier: MIT
// Rows of contact problems before their bodies have places in the problem: between two bodies of the world, in scaled
// axes (kernels/solve_columns.h), where the inverse inertia of a body is 1.
#pragma once
#include <vector>

#include <talus/contact_problem.h>

#include "simulation.h"

namespace talus {

using Double3 = ContactProblem::Double3;

inline Double3 wide(Vec3 v) {
  return {double(v.x), double(v.y), double(v.z)};
}
inline double dot(const Double3& a, const Double3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline Double3 cross(const Double3& a, const Double3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline Double3 times(double s, const Double3& v) {
  return {s * v[0], s * v[1], s * v[2]};
}

/// w = axis . (v_b - v_a) + lever_b . w_b - lever_a . w_a + bias + softness x
struct ScaledRow {
  Index body_a = -1, body_b = -1;  // rows of the world's bodies, the null body among them
  Double3 axis{}, lever_a{}, lever_b{};
  ContactProblem::Row law;  // all but the bodies and their vectors
};

/// In the order of the joints' rows.
std::vector<ScaledRow> scaled_joint_rows(const RigidImage& image);

}  // namespace talus
