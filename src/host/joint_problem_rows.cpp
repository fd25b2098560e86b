// SPDX-License-Identifier: MIT
// From the lanes of joints to rows of a contact problem: what the biased sweeps of kernels/tree.h and joint_solve.h
// drive to zero, written as w = J u + bias + softness x with bounds.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "joint_columns.h"
#include "math/scalar.h"
#include "problem_rows.h"

namespace talus {

namespace {

using RowKind = ContactProblem::RowKind;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// [m/s, rad/s] at which an error is removed.
double push_of(double rate, double error) {
  return std::clamp(rate * error, -double(kMostJointPush), double(kMostJointPush));
}

class JointReader {
 public:
  explicit JointReader(const RigidImage& image) : image_(image), tree_(image.tree), rows_(image.joints) {}

  std::vector<ScaledRow> read() {
    for (Index lane = 0; lane < tree_.size; ++lane) {
      if (tree_.word(tree_row::rests, lane) == 0 && tree_.word(tree_row::joint, lane) != ~0u) read_tree_lane(lane);
    }
    for (Index lane = 0; lane < rows_.size; ++lane) {
      if (rows_.word(joint_row::rests, lane) == 0 && rows_.word(joint_row::joint, lane) != ~0u) read_color_lane(lane);
    }
    std::stable_sort(found_.begin(), found_.end(),
                     [](const ScaledRow& x, const ScaledRow& y) { return x.law.joint < y.law.joint; });
    return std::move(found_);
  }

 private:
  double inv_mass(Index body) const { return double(image_.frame[static_cast<std::size_t>(body)].inv_mass); }

  // ---- trees -------------------------------------------------------------------------------------------------------

  /// Whether a row of a joint that closes a loop is solved: FactorLoops leaves out what the trees hold already.
  bool counts(Index lane, int axis) const {
    constexpr int kDiagonal[kAxisCount] = {0, 3, 5, 15, 18, 20};  // of TreeInertia
    return lane < image_.first_loop_lane || tree_.number(tree_row::mass + kDiagonal[axis], lane) != 0.0f;
  }

  void read_tree_lane(Index lane) {
    if (inv_mass(static_cast<Index>(tree_.word(tree_row::child, lane))) == 0.0) return;
    for (int axis = 0; axis < kAxisCount; ++axis) {
      const bool held = tree_.number(tree_row::locked + axis, lane) != 0.0f && counts(lane, axis);
      const float lower = tree_.number(tree_row::lower + axis, lane),
                  upper = tree_.number(tree_row::upper + axis, lane);
      if (lower > -kNoLimit || upper < kNoLimit) {
        read_tree_limit(lane, axis, double(lower), double(upper));
      } else if (held) {
        ScaledRow row = tree_axis_row(lane, axis, RowKind::joint_lock);
        row.law.bias = -double(tree_.number(tree_row::wanted + axis, lane));
        found_.push_back(row);
      }
    }
  }

  ScaledRow tree_axis_row(Index lane, int axis, RowKind kind) const {
    ScaledRow row;
    row.body_a = static_cast<Index>(tree_.word(tree_row::parent, lane));
    row.body_b = static_cast<Index>(tree_.word(tree_row::child, lane));
    if (axis < 3) row.axis = wide(tree_.vector(tree_row::direction + 3 * axis, lane));
    row.lever_a = wide(tree_.vector(tree_row::lever_parent + 3 * axis, lane));
    row.lever_b = wide(tree_.vector(tree_row::lever_child + 3 * axis, lane));
    if (tree_.number(tree_row::sign, lane) < 0.0f) {  // the child is a
      std::swap(row.body_a, row.body_b);
      row.axis = times(-1.0, row.axis);
      const Double3 lever = times(-1.0, row.lever_a);
      row.lever_a = times(-1.0, row.lever_b);
      row.lever_b = lever;
    }
    describe(row, kind, tree_.word(tree_row::joint, lane), axis);
    row.law.impulse = double(tree_.number(tree_row::impulse + axis, lane));
    return row;
  }

  /// At the one that is held, else at the nearer; see PressLimits.
  void read_tree_limit(Index lane, int axis, double lower, double upper) {
    const double position = double(tree_.number(tree_row::position + axis, lane));
    const double pressed = double(tree_.number(tree_row::pressed + axis, lane));
    const bool rigid = upper <= lower;
    const bool at_lower = pressed != 0.0 ? pressed > 0.0 : rigid || position - lower < upper - position;
    const double gap = at_lower ? position - lower : upper - position;
    ScaledRow row = turned(tree_axis_row(lane, axis, RowKind::joint_limit), at_lower ? 1.0 : -1.0);
    if (!rigid) row.law.lower = 0.0;
    const double inv_h = double(image_.params.inv_h);
    row.law.bias = gap > 0.0 ? inv_h * gap : std::max(double(kErrorPart) * inv_h * gap, -double(kMostJointPush));
    found_.push_back(row);
  }
  /// The row of an upper limit, which pushes the other way.
  static ScaledRow turned(ScaledRow row, double side) {
    row.axis = times(side, row.axis);
    row.lever_a = times(side, row.lever_a);
    row.lever_b = times(side, row.lever_b);
    row.law.impulse *= side;
    return row;
  }

  // ---- colored joints ----------------------------------------------------------------------------------------------

  void read_color_lane(Index lane) {
    const std::uint32_t uses = rows_.word(joint_row::uses, lane);
    std::vector<ScaledRow> locks;
    for (int axis = 0; axis < kAxisCount; ++axis) {
      if ((uses & joint_uses::lock(axis)) == 0 || rows_.number(joint_row::locked + axis, lane) == 0.0f) continue;
      const ScaledRow row = lock_row(lane, axis);
      if (coupling(row, row) > 0.0) locks.push_back(row);  // else nothing moves along it
    }
    soften(locks, rows_.number(joint_row::kind, lane) == kCustomLane ? double(kCustomGive) : 1.0);
    found_.insert(found_.end(), locks.begin(), locks.end());
    for (int axis = 0; axis < kAxisCount; ++axis) {
      if ((uses & joint_uses::drive(axis)) != 0) read_drive(lane, axis);
      if ((uses & joint_uses::friction(axis)) != 0) read_friction(lane, axis);
      if ((uses & joint_uses::limit(axis)) != 0) read_limit(lane, axis);
    }
  }

  double number(int field, int axis, Index lane) const { return double(rows_.number(field + axis, lane)); }

  ScaledRow axis_row(Index lane, int axis, RowKind kind) const {
    ScaledRow row;
    row.body_a = static_cast<Index>(rows_.word(joint_row::body_a, lane));
    row.body_b = static_cast<Index>(rows_.word(joint_row::body_b, lane));
    if (axis < 3) row.axis = wide(rows_.vector(joint_row::direction + 3 * axis, lane));
    row.lever_a = wide(rows_.vector(joint_row::lever_a + 3 * axis, lane));
    row.lever_b = wide(rows_.vector(joint_row::lever_b + 3 * axis, lane));
    describe(row, kind, rows_.word(joint_row::joint, lane), axis);
    return row;
  }
  static void describe(ScaledRow& row, RowKind kind, std::uint32_t joint, int axis) {
    row.law.kind = kind;
    row.law.joint = static_cast<Index>(joint);
    row.law.axis = Axis(axis);
    row.law.lower = -kInfinity;
  }

  ScaledRow lock_row(Index lane, int axis) const {
    ScaledRow row = axis_row(lane, axis, RowKind::joint_lock);
    row.law.impulse = number(joint_row::lock_impulse, axis, lane);
    if ((rows_.word(joint_row::uses, lane) & joint_uses::kBallsOnly) != 0) {
      row.axis = {};
      row.axis[static_cast<std::size_t>(axis)] = 1.0;
      row.law.impulse = number(joint_row::direction, axis, lane);
    }
    row.law.bias = push_of(double(image_.params.joint.bias_rate), number(joint_row::position, axis, lane));
    return row;
  }

  /// J M^-1 J^T of two rows between the same bodies.
  double coupling(const ScaledRow& x, const ScaledRow& y) const {
    const double mass_a = inv_mass(x.body_a), mass_b = inv_mass(x.body_b);
    double sum = (mass_a + mass_b) * dot(x.axis, y.axis);
    if (mass_a > 0.0) sum += dot(x.lever_a, y.lever_a);
    if (mass_b > 0.0) sum += dot(x.lever_b, y.lever_b);
    return sum;
  }

  /// Locked axes of a joint are solved together and leak impulse: they come to rest where, with K = J M^-1 J^T,
  ///   K^-1 (J u + bias) mass_scale + impulse_scale x = 0, so J u + bias + s K x = 0 with s = impulse_scale /
  ///   mass_scale.
  /// With K = L D L^T, the rows L^-1 J and the impulses L^T x have the diagonal s D. L has ones on its diagonal, so
  /// that each row keeps its unit. `more`: by which the diagonal of K is larger.
  void soften(std::vector<ScaledRow>& locks, double more) const {
    const double part = double(image_.params.joint.impulse_scale) / double(image_.params.joint.mass_scale);
    const std::vector<ScaledRow> plain = locks;
    double lower[kAxisCount][kAxisCount] = {}, diagonal[kAxisCount] = {};
    for (std::size_t i = 0; i < locks.size(); ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double left = coupling(plain[i], plain[j]) * (i == j ? more : 1.0);
        for (std::size_t k = 0; k < j; ++k) left -= lower[i][k] * diagonal[k] * lower[j][k];
        if (i == j) {
          diagonal[i] = left;
        } else {
          lower[i][j] = left / diagonal[j];
        }
      }
      for (std::size_t j = 0; j < i; ++j) {
        const auto take = [&](Double3& from, const Double3& part_of) {
          for (std::size_t k = 0; k < 3; ++k) from[k] -= lower[i][j] * part_of[k];
        };
        take(locks[i].axis, locks[j].axis);
        take(locks[i].lever_a, locks[j].lever_a);
        take(locks[i].lever_b, locks[j].lever_b);
        locks[i].law.bias -= lower[i][j] * locks[j].law.bias;
        locks[j].law.impulse += lower[i][j] * plain[i].law.impulse;
      }
      locks[i].law.softness = part * diagonal[i];
    }
  }

  void read_drive(Index lane, int axis) {
    if (rows_.number(joint_row::driven + axis, lane) == 0.0f) return;
    ScaledRow row = axis_row(lane, axis, RowKind::joint_drive);
    row.law.bias = number(joint_row::drive_rate, axis, lane) *
                       (number(joint_row::position, axis, lane) - number(joint_row::target, axis, lane)) -
                   number(joint_row::target_speed, axis, lane);
    row.law.softness = number(joint_row::drive_softness, axis, lane);
    row.law.impulse = number(joint_row::drive_impulse, axis, lane);
    bound(row, number(joint_row::drive_most, axis, lane));
    keep(lane, axis, row);
  }
  void read_friction(Index lane, int axis) {
    const double most = number(joint_row::friction_most, axis, lane);
    if (most == 0.0) return;
    ScaledRow row = axis_row(lane, axis, RowKind::joint_friction);
    row.law.impulse = number(joint_row::friction_impulse, axis, lane);
    bound(row, most);
    keep(lane, axis, row);
  }
  /// A force of kNoLimit is none.
  void bound(ScaledRow& row, double most) const {
    if (most >= 0.5 * double(kNoLimit) * double(image_.params.h)) return;
    row.law.lower = -most;
    row.law.upper = most;
  }
  /// Unless nothing moves along it.
  void keep(Index lane, int axis, const ScaledRow& row) {
    if (rows_.number(joint_row::axis_mass + axis, lane) > 0.0f) found_.push_back(row);
  }

  /// At the nearer of the two; see SolveJoints::limited.
  void read_limit(Index lane, int axis) {
    const double lower = number(joint_row::lower, axis, lane), upper = number(joint_row::upper, axis, lane);
    const double position = number(joint_row::position, axis, lane);
    const double give = 1.0 / number(joint_row::axis_mass, axis, lane);
    if (lower <= -double(kNoLimit) && upper >= double(kNoLimit)) return;
    const bool rigid = upper <= lower, at_lower = rigid || position - lower < upper - position;
    const double gap = at_lower ? position - lower : upper - position;
    ScaledRow row = axis_row(lane, axis, RowKind::joint_limit);
    row.law.impulse = number(joint_row::limit_impulse, axis, lane);
    row = turned(row, at_lower ? 1.0 : -1.0);
    if (!rigid) row.law.lower = 0.0;
    if (gap > 0.0 && !rigid) {
      row.law.bias = double(image_.params.inv_h) * gap;
      keep(lane, axis, row);
      return;
    }
    const double hertz = number(joint_row::limit_hertz, 0, lane);
    double rate = double(image_.params.joint.bias_rate);
    double leak = double(image_.params.joint.impulse_scale) / double(image_.params.joint.mass_scale);
    if (hertz > 0.0) {
      const double omega = 2.0 * double(kPi) * hertz, h = double(image_.params.h);
      const double a = 2.0 * number(joint_row::limit_damping_ratio, 0, lane) + h * omega;
      rate = omega / a;
      leak = 1.0 / (h * omega * a);
    }
    row.law.bias = std::max(rate * gap, -double(kMostJointPush));
    row.law.softness = leak * give;
    keep(lane, axis, row);
  }

  const RigidImage& image_;
  const TreeRows& tree_;
  const JointRows& rows_;
  std::vector<ScaledRow> found_;
};

}  // namespace

std::vector<ScaledRow> scaled_joint_rows(const RigidImage& image) {
  return JointReader(image).read();
}

}  // namespace talus
