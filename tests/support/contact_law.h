// SPDX-License-Identifier: MIT
// An oracle for contact problems: velocities from impulses, and how far both are from the contact law, in double
// precision.
#pragma once
#include <talus/contact_problem.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace talus::test {

using Twist = std::array<double, 6>;  // of a body: linear, angular

/// M^-1 J^T of one row, for one of its bodies.
inline Twist response(const ContactProblem::Body& body, const ContactProblem::Double3& linear,
                      const ContactProblem::Double3& angular) {
  const std::array<double, 6>& m = body.inv_inertia;
  return {body.inv_mass * linear[0],
          body.inv_mass * linear[1],
          body.inv_mass * linear[2],
          m[0] * angular[0] + m[1] * angular[1] + m[2] * angular[2],
          m[1] * angular[0] + m[3] * angular[1] + m[4] * angular[2],
          m[2] * angular[0] + m[4] * angular[1] + m[5] * angular[2]};
}
inline double along(const ContactProblem::Double3& linear, const ContactProblem::Double3& angular, const Twist& u) {
  return linear[0] * u[0] + linear[1] * u[1] + linear[2] * u[2] + angular[0] * u[3] + angular[1] * u[4] +
         angular[2] * u[5];
}

/// u = u* + M^-1 J^T x
inline std::vector<Twist> velocities(const ContactProblem& p, const std::vector<double>& x) {
  std::vector<Twist> u;
  for (const ContactProblem::Body& body : p.bodies) u.push_back(body.free_velocity);
  const auto add = [&](Index body, const auto& linear, const auto& angular, double impulse) {
    if (body < 0) return;
    const Twist r = response(p.bodies[std::size_t(body)], linear, angular);
    for (std::size_t k = 0; k < 6; ++k) u[std::size_t(body)][k] += impulse * r[k];
  };
  for (std::size_t i = 0; i < p.rows.size(); ++i) {
    add(p.rows[i].body_a, p.rows[i].linear_a, p.rows[i].angular_a, x[i]);
    add(p.rows[i].body_b, p.rows[i].linear_b, p.rows[i].angular_b, x[i]);
  }
  return u;
}
inline double speed(const ContactProblem::Row& row, const std::vector<Twist>& u) {
  double w = row.bias;
  if (row.body_a >= 0) w += along(row.linear_a, row.angular_a, u[std::size_t(row.body_a)]);
  if (row.body_b >= 0) w += along(row.linear_b, row.angular_b, u[std::size_t(row.body_b)]);
  return w;
}
/// J M^-1 J^T of one row.
inline double give(const ContactProblem& p, const ContactProblem::Row& row) {
  double k = 0.0;
  if (row.body_a >= 0) {
    k += along(row.linear_a, row.angular_a, response(p.bodies[std::size_t(row.body_a)], row.linear_a, row.angular_a));
  }
  if (row.body_b >= 0) {
    k += along(row.linear_b, row.angular_b, response(p.bodies[std::size_t(row.body_b)], row.linear_b, row.angular_b));
  }
  return k;
}
inline std::vector<double> impulses(const ContactProblem& p) {
  std::vector<double> x;
  for (const ContactProblem::Row& row : p.rows) x.push_back(row.impulse);
  return x;
}

/// Brings a friction impulse to the nearest allowed one.
inline void project(bool box, double limit, double& f1, double& f2) {
  if (box) {
    f1 = std::clamp(f1, -limit, limit);
    f2 = std::clamp(f2, -limit, limit);
    return;
  }
  const double size = std::hypot(f1, f2);
  if (size <= limit) return;
  f1 *= limit / size;
  f2 *= limit / size;
}

struct LawMiss {
  double normal = 0.0, friction = 0.0;  // [m/s]
  double stress = 0.0;                  // [m/s] largest impulse / effective mass
  double worst() const { return std::max(normal, friction); }
};
/// The natural map of each contact point, scaled to speeds, as StepReport::residual. Joints count by what they did.
inline LawMiss law_miss(const ContactProblem& p, const std::vector<double>& x) {
  const std::vector<Twist> u = velocities(p, x);
  LawMiss miss;
  for (std::size_t i = 0; i < p.rows.size() && p.rows[i].kind == ContactProblem::RowKind::contact; i += 3) {
    const double k = give(p, p.rows[i]) + p.rows[i].softness;
    const double w = speed(p.rows[i], u) + p.rows[i].softness * x[i];
    miss.normal = std::max(miss.normal, std::abs(std::min(k * x[i], w)));
    miss.stress = std::max(miss.stress, k * x[i]);
    const double kt = std::max(give(p, p.rows[i + 1]), give(p, p.rows[i + 2]));
    double f1 = x[i + 1] - speed(p.rows[i + 1], u) / kt, f2 = x[i + 2] - speed(p.rows[i + 2], u) / kt;
    project(p.box_friction, p.rows[i + 1].friction * x[i], f1, f2);
    miss.friction = std::max(miss.friction, kt * std::hypot(x[i + 1] - f1, x[i + 2] - f2));
  }
  return miss;
}

/// Projected Gauss-Seidel in the order of the rows, from nothing. Of contacts alone.
inline std::vector<double> solve_by_sweeps(const ContactProblem& p, int sweeps) {
  std::vector<double> x(p.rows.size(), 0.0), k(p.rows.size());
  for (std::size_t i = 0; i < x.size(); ++i) k[i] = give(p, p.rows[i]) + p.rows[i].softness;
  std::vector<Twist> u = velocities(p, x);
  const auto change = [&](std::size_t i, double next) {
    const ContactProblem::Row& row = p.rows[i];
    const auto add = [&](Index body, const auto& linear, const auto& angular) {
      if (body < 0) return;
      const Twist r = response(p.bodies[std::size_t(body)], linear, angular);
      for (std::size_t c = 0; c < 6; ++c) u[std::size_t(body)][c] += (next - x[i]) * r[c];
    };
    add(row.body_a, row.linear_a, row.angular_a);
    add(row.body_b, row.linear_b, row.angular_b);
    x[i] = next;
  };
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (std::size_t i = 0; i < x.size(); i += 3) {
      change(i, std::max(0.0, x[i] - (speed(p.rows[i], u) + p.rows[i].softness * x[i]) / k[i]));
      const double kt = k[i + 1] + k[i + 2];  // one step for both, see friction_step in kernels/rigid_solve.h
      double f1 = x[i + 1] - speed(p.rows[i + 1], u) / kt, f2 = x[i + 2] - speed(p.rows[i + 2], u) / kt;
      project(p.box_friction, p.rows[i + 1].friction * x[i], f1, f2);
      change(i + 1, f1);
      change(i + 2, f2);
    }
  }
  return x;
}

}  // namespace talus::test
