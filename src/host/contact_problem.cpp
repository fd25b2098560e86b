// SPDX-License-Identifier: MIT
// From what the rigid solvers leave of a step to a contact problem in double precision.
#include <talus/contact_problem.h>

#include <algorithm>
#include <string>
#include <vector>

#include "problem_rows.h"
#include "world_impl.h"

namespace talus {

namespace {

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
  Double3 arm(const Double3& lever) const {
    return to_world({lever[0] / scale[0], lever[1] / scale[1], lever[2] / scale[2]});
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

/// Three rows for each point, contacts by their pairs.
std::vector<ScaledRow> scaled_contact_rows(const RigidRows& rows) {
  std::vector<Index> lanes;
  for (Index lane = 0; lane < rows.size; ++lane) {
    if (rows.number(rigid_row::count, lane) > 0.0f) lanes.push_back(lane);
  }
  std::sort(lanes.begin(), lanes.end(),
            [&](Index a, Index b) { return rows.word(rigid_row::pair, a) < rows.word(rigid_row::pair, b); });
  std::vector<ScaledRow> found;
  for (const Index lane : lanes) {
    if (rows.number(rigid_row::special, lane) != 0.0f) {
      throw Error("contact_problem: the contact of the bodies in slots " +
                  std::to_string(rows.word(rigid_row::body_a, lane)) + " and " +
                  std::to_string(rows.word(rigid_row::body_b, lane)) +
                  " has friction that depends on the direction, or against spinning or rolling: a problem has no rows "
                  "for it");
    }
    const Double3 normal = wide(rows.vector(rigid_row::normal, lane));
    const Double3 tangent = wide(rows.vector(rigid_row::tangent, lane));
    const Double3 axes[3] = {normal, tangent, cross(normal, tangent)};
    const int count = static_cast<int>(rows.number(rigid_row::count, lane));
    for (int i = 0; i < count; ++i) {
      const Index first = static_cast<Index>(found.size());
      for (int r = 0; r < 3; ++r) {
        ScaledRow row;
        row.body_a = static_cast<Index>(rows.word(rigid_row::body_a, lane));
        row.body_b = static_cast<Index>(rows.word(rigid_row::body_b, lane));
        row.axis = axes[r];
        row.lever_a = wide(rows.vector(rigid_row::at(i, rigid_row::lever_a) + 3 * r, lane));
        row.lever_b = wide(rows.vector(rigid_row::at(i, rigid_row::lever_b) + 3 * r, lane));
        row.law.impulse = double(rows.number(rigid_row::at(i, rigid_row::impulse) + r, lane));
        if (r == 0) {
          row.law.bias = double(rows.number(rigid_row::at(i, rigid_row::bias), lane));
          row.law.softness = double(rows.number(rigid_row::at(i, rigid_row::softness), lane));
        } else {
          row.law.normal = first;
          row.law.friction = double(rows.number(rigid_row::friction, lane));
        }
        found.push_back(row);
      }
    }
  }
  return found;
}

class Problem {
 public:
  explicit Problem(const RigidImage& image) : image_(image), place_(image.frame.size(), -1) {
    problem_.dt = double(image.params.dt);
    problem_.box_friction = image.params.box_friction != 0;
    problem_.friction_sides = static_cast<int>(image.params.polygon.sides);
  }

  ContactProblem make() {
    std::vector<ScaledRow> rows = scaled_contact_rows(image_.rows);
    const std::vector<ScaledRow> of_joints = scaled_joint_rows(image_);
    rows.insert(rows.end(), of_joints.begin(), of_joints.end());
    std::vector<bool> touched(place_.size());
    for (const ScaledRow& row : rows) touched[at(row.body_a)] = touched[at(row.body_b)] = true;
    for (Index row = 0; row < image_.null_body(); ++row) {  // others may sleep, and have no records
      if (touched[at(row)]) add_body(row);
    }
    for (const ScaledRow& row : rows) add_row(row);
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
    body.velocity = velocity_of(row, image_.solved[at(row)]);
    problem_.bodies.push_back(body);
  }
  std::array<double, 6> velocity_of(Index row, const BodyVelocity& v) const {
    const Double3 spin = Frame(image_.frame[at(row)]).spin(v.angular);
    return {double(v.linear.x), double(v.linear.y), double(v.linear.z), spin[0], spin[1], spin[2]};
  }

  /// The bias gets what bodies do that are not in the problem.
  void add_row(const ScaledRow& from) {
    ContactProblem::Row row = from.law;
    const auto side = [&](Index world_row, double sign, const Double3& lever, Index& body, Double3& linear,
                          Double3& angular) {
      if (world_row == image_.null_body()) return;
      body = place_[at(world_row)];
      linear = times(sign, from.axis);
      angular = times(sign, Frame(image_.frame[at(world_row)]).arm(lever));
      if (body >= 0) return;
      const std::array<double, 6> v = velocity_of(world_row, image_.free[at(world_row)]);
      row.bias += dot(linear, {v[0], v[1], v[2]}) + dot(angular, {v[3], v[4], v[5]});
    };
    side(from.body_a, -1.0, from.lever_a, row.body_a, row.linear_a, row.angular_a);
    side(from.body_b, 1.0, from.lever_b, row.body_b, row.linear_b, row.angular_b);
    problem_.rows.push_back(row);
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
  const RigidImage image = w.sim->rigid_image();
  return image.frame.empty() ? ContactProblem{} : Problem(image).make();
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
