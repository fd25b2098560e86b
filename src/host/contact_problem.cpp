// SPDX-License-Identifier: MIT
// From the rows of the rigid contact solvers to a contact problem in double precision.
#include <talus/contact_problem.h>

#include <algorithm>
#include <vector>

#include "world_impl.h"

namespace talus {

namespace {

using Double3 = ContactProblem::Double3;

Double3 wide(Vec3 v) {
  return {double(v.x), double(v.y), double(v.z)};
}
double dot(const Double3& a, const Double3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Double3 cross(const Double3& a, const Double3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Double3 times(double s, const Double3& v) {
  return {s * v[0], s * v[1], s * v[2]};
}

/// Scaled axes of a body, see solve_columns.h. The columns of `axes` are its own axes in the world.
struct Frame {
  Double3 axes[3], scale;

  explicit Frame(const BodyFrame& from) : scale(wide(from.scale)) {
    const double x = double(from.orientation.x), y = double(from.orientation.y), z = double(from.orientation.z),
                 w = double(from.orientation.w), s = 2.0 / (x * x + y * y + z * z + w * w);
    axes[0] = {1.0 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y)};
    axes[1] = {s * (x * y - w * z), 1.0 - s * (x * x + z * z), s * (y * z + w * x)};
    axes[2] = {s * (x * z + w * y), s * (y * z - w * x), 1.0 - s * (x * x + y * y)};
  }
  Double3 to_world(const Double3& own) const {
    Double3 v{};
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t k = 0; k < 3; ++k) v[k] += own[i] * axes[i][k];
    }
    return v;
  }
  /// w = R (scale o scaled)
  Double3 spin(Vec3 scaled) const {
    const Double3 s = wide(scaled);
    return to_world({scale[0] * s[0], scale[1] * s[1], scale[2] * s[2]});
  }
  /// r x d, of which a lever is scale o R^T (r x d).
  Double3 arm(Vec3 lever) const {
    const Double3 l = wide(lever);
    return to_world({l[0] / scale[0], l[1] / scale[1], l[2] / scale[2]});
  }
  std::array<double, 6> inverse_inertia() const {
    const auto entry = [&](std::size_t r, std::size_t c) {
      double sum = 0.0;
      for (std::size_t i = 0; i < 3; ++i) sum += axes[i][r] * scale[i] * scale[i] * axes[i][c];
      return sum;
    };
    return {entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)};
  }
};

class Problem {
 public:
  explicit Problem(const RigidImage& image) : image_(image), place_(image.free.size(), -1) {
    problem_.dt = double(image.dt);
    problem_.box_friction = image.box_friction;
  }

  ContactProblem make(bool joints) {
    const RigidRows& rows = image_.rows;
    std::vector<Index> lanes;
    std::vector<bool> touches(place_.size());
    for (Index lane = 0; lane < rows.size; ++lane) {
      if (!(rows.number(rigid_row::count, lane) > 0.0f)) continue;
      lanes.push_back(lane);
      touches[rows.word(rigid_row::body_a, lane)] = touches[rows.word(rigid_row::body_b, lane)] = true;
    }
    for (Index row = 0; row < static_cast<Index>(touches.size()); ++row) {  // others may sleep, and have no records
      if (touches[at(row)]) add_body(row);
    }
    std::sort(lanes.begin(), lanes.end(),
              [&](Index a, Index b) { return rows.word(rigid_row::pair, a) < rows.word(rigid_row::pair, b); });
    for (const Index lane : lanes) add_contact(lane);
    if (joints) put_joints_into_free_velocities();
    return std::move(problem_);
  }

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  void add_body(Index row) {
    const BodyFrame& frame = image_.frame[at(row)];
    if (!(frame.inv_mass > 0.0f)) return;
    place_[at(row)] = static_cast<Index>(problem_.bodies.size());
    ContactProblem::Body body;
    body.row = row;
    body.inv_mass = double(frame.inv_mass);
    body.inv_inertia = Frame(frame).inverse_inertia();
    body.free_velocity = velocity_of(row, image_.free[at(row)]);
    problem_.bodies.push_back(body);
  }
  std::array<double, 6> velocity_of(Index row, const BodyVelocity& v) const {
    const Double3 spin = Frame(image_.frame[at(row)]).spin(v.angular);
    return {double(v.linear.x), double(v.linear.y), double(v.linear.z), spin[0], spin[1], spin[2]};
  }

  void add_contact(Index lane) {
    const RigidRows& rows = image_.rows;
    const Double3 normal = wide(rows.vector(rigid_row::normal, lane));
    const Double3 tangent = wide(rows.vector(rigid_row::tangent, lane));
    const Double3 axes[3] = {normal, tangent, cross(normal, tangent)};
    const int count = static_cast<int>(rows.number(rigid_row::count, lane));
    for (int i = 0; i < count; ++i) {
      const Index first = static_cast<Index>(problem_.rows.size());
      for (int r = 0; r < 3; ++r) {
        ContactProblem::Row row = joined(lane, axes[r], rows.vector(rigid_row::at(i, rigid_row::lever_a) + 3 * r, lane),
                                         rows.vector(rigid_row::at(i, rigid_row::lever_b) + 3 * r, lane));
        row.impulse = double(rows.number(rigid_row::at(i, rigid_row::impulse) + r, lane));
        if (r == 0) {
          row.bias += double(rows.number(rigid_row::at(i, rigid_row::bias), lane));
          row.softness = double(rows.number(rigid_row::at(i, rigid_row::softness), lane));
        } else {
          row.normal = first;
          row.friction = double(rows.number(rigid_row::friction, lane));
        }
        problem_.rows.push_back(row);
      }
    }
  }
  /// One direction at a point; the bias is what bodies that are not in the problem do.
  ContactProblem::Row joined(Index lane, const Double3& axis, Vec3 lever_a, Vec3 lever_b) const {
    ContactProblem::Row row;
    const auto side = [&](int field, double sign, Vec3 lever, Index& body, Double3& linear, Double3& angular) {
      const Index at_row = static_cast<Index>(image_.rows.word(field, lane));
      body = place_[at(at_row)];
      linear = times(sign, axis);
      angular = times(sign, Frame(image_.frame[at(at_row)]).arm(lever));
      if (body >= 0) return;
      const std::array<double, 6> v = velocity_of(at_row, image_.free[at(at_row)]);
      row.bias += dot(linear, {v[0], v[1], v[2]}) + dot(angular, {v[3], v[4], v[5]});
    };
    side(rigid_row::body_a, -1.0, lever_a, row.body_a, row.linear_a, row.angular_a);
    side(rigid_row::body_b, 1.0, lever_b, row.body_b, row.linear_b, row.angular_b);
    return row;
  }

  /// u* = u - M^-1 J^T x: what joints did in the sweeps is given.
  void put_joints_into_free_velocities() {
    for (ContactProblem::Body& body : problem_.bodies) {
      body.free_velocity = velocity_of(body.row, image_.solved[at(body.row)]);
    }
    for (const ContactProblem::Row& row : problem_.rows) {
      take(row.body_a, row.linear_a, row.angular_a, row.impulse);
      take(row.body_b, row.linear_b, row.angular_b, row.impulse);
    }
  }
  void take(Index place, const Double3& linear, const Double3& angular, double impulse) {
    if (place < 0) return;
    ContactProblem::Body& body = problem_.bodies[at(place)];
    const std::array<double, 6>& m = body.inv_inertia;
    const Double3 rows[3] = {{m[0], m[1], m[2]}, {m[1], m[3], m[4]}, {m[2], m[4], m[5]}};
    for (std::size_t k = 0; k < 3; ++k) {
      body.free_velocity[k] -= impulse * body.inv_mass * linear[k];
      body.free_velocity[3 + k] -= impulse * dot(rows[k], angular);
    }
  }

  const RigidImage& image_;
  std::vector<Index> place_;  // of each body row in the problem, or -1
  ContactProblem problem_;
};

}  // namespace

ContactProblem World::contact_problem() {
  Impl& w = *impl_;
  if (!w.def.keep_contact_problem) {
    throw Error("contact_problem: the world was made without WorldDef::keep_contact_problem");
  }
  w.settle();
  return Problem(w.sim->rigid_image()).make(w.joint_slots.count() > 0);
}

std::vector<float> World::residual_history() {
  Impl& w = *impl_;
  if (w.def.solver.solver != Solver::rigid || !w.def.solver.rigid.residual_history) {
    throw Error("residual_history: the world was made without RigidSettings::residual_history");
  }
  w.settle();
  return w.sim->residual_history();
}

}  // namespace talus
