// SPDX-License-Identifier: MIT
#include "lcp_form.h"

#include <cmath>
#include <numbers>

#include "boxed_lcp.h"

namespace talus::lab {
namespace {

/// Collects the variables z of one problem: first those that make x, then multipliers (of upper bounds, of friction).
class FormBuilder {
 public:
  explicit FormBuilder(const Problem& problem) : problem_(problem), offset_(Vector::Zero(problem.row_count())) {}

  /// x = lower + z, or upper - z; without any bound it follows from the others.
  void add_bounded_row(Index row) {
    const double lower = problem_.lower[row];
    const double upper = problem_.upper[row];
    if (std::isfinite(lower)) {
      offset_[row] = lower;
      const Index z = add_part(row, 1.0);
      if (std::isfinite(upper)) multipliers_.push_back({{{z, 1.0}}, -1, 0.0, upper - lower});
    } else if (std::isfinite(upper)) {
      offset_[row] = upper;
      add_part(row, -1.0);
    } else {
      free_.push_back(row);
    }
  }

  /// x_t = sum of z_j d_j with sum z_j <= friction * x_n; the multiplier of that is the sliding speed.
  void add_disk(const Disk& disk, int sides) {
    Multiplier slide{{}, disk.normal, disk.friction, 0.0};
    const int directions = disk.count == 1 ? 2 : sides;
    if (disk.count == 2) fans_.push_back({disk.first, part_count_, sides});
    for (int i = 0; i < directions; ++i) {
      const double angle = 2.0 * std::numbers::pi * i / directions;
      const Index z = add_part(disk.first, std::cos(angle));
      if (disk.count == 2) parts_.push_back({disk.first + 1, z, std::sin(angle)});
      slide.parts.emplace_back(z, 1.0);
    }
    multipliers_.push_back(std::move(slide));
  }

  LcpForm build() const {
    LcpForm form;
    form.part_of = Matrix::Zero(problem_.row_count(), part_count_);
    for (const Part& part : parts_) form.part_of(part.row, part.z) += part.factor;
    form.to_x = form.part_of;
    form.offset = offset_;
    form.fans = fans_;
    const Matrix a = delassus(problem_);
    eliminate_free(a, form);
    const Index size = part_count_ + Index(multipliers_.size());
    form.m = Matrix::Zero(size, size);
    form.m.topLeftCorner(part_count_, part_count_) = form.part_of.transpose() * a * form.to_x;
    form.q = Vector::Zero(size);
    form.q.head(part_count_) = form.part_of.transpose() * (a * form.offset + problem_.b);
    for (Index i = part_count_; i < size; ++i) add_multiplier(multipliers_[std::size_t(i - part_count_)], i, form);
    return form;
  }

 private:
  /// w = 0 of the free rows makes their x a linear function of the variables.
  void eliminate_free(const Matrix& a, LcpForm& form) const {
    if (free_.empty()) return;
    Matrix rest(Index(free_.size()), part_count_ + 1);
    rest << a(free_, Eigen::all) * form.part_of, (a * offset_ + problem_.b)(free_);
    const Matrix answer = -solve_semidefinite(a(free_, free_), rest);
    form.to_x(free_, Eigen::all) = answer.leftCols(part_count_);
    form.offset(free_) = answer.col(part_count_);
  }

  struct Part {
    Index row, z;
    double factor;
  };
  /// 0 <= room + friction * x[normal] - sum of parts, complementary to the multiplier.
  struct Multiplier {
    std::vector<std::pair<Index, double>> parts;
    Index normal;
    double friction;
    double room;
  };

  Index add_part(Index row, double factor) {
    parts_.push_back({row, part_count_, factor});
    return part_count_++;
  }

  void add_multiplier(const Multiplier& multiplier, Index row, LcpForm& form) const {
    form.q[row] = multiplier.room;
    if (multiplier.normal >= 0) {
      form.m.row(row).head(part_count_) += multiplier.friction * form.to_x.row(multiplier.normal);
      form.q[row] += multiplier.friction * form.offset[multiplier.normal];
    }
    for (const auto& [z, factor] : multiplier.parts) {
      form.m(z, row) += factor;
      form.m(row, z) -= factor;
    }
  }

  const Problem& problem_;
  Vector offset_;
  std::vector<Part> parts_;
  std::vector<Multiplier> multipliers_;
  std::vector<LcpForm::Fan> fans_;
  std::vector<Index> free_;  // rows without bounds
  Index part_count_ = 0;
};

}  // namespace

LcpForm make_lcp_form(const Problem& problem, const FrictionModel& model) {
  FormBuilder builder(problem);
  for (Index row = 0; row < problem.row_count(); ++row) {
    if (!problem.is_friction(row)) builder.add_bounded_row(row);
  }
  for (const Disk& disk : problem.disks) builder.add_disk(disk, model.sides);
  return builder.build();
}

Vector LcpForm::z(const Vector& x, const Vector& w) const {
  const Eigen::Index part_count = to_x.cols();
  Vector z = Vector::Zero(q.size());
  z.head(part_count) = (part_of.transpose() * (x - offset)).cwiseMax(0.0);  // each row has one part that is positive
  for (const Fan& fan : fans) {  // but these: the two corners between which x points
    const double sector = 2.0 * std::numbers::pi / fan.sides;
    const Eigen::Vector2d tangents = x.segment<2>(fan.row);
    const int corner = int(std::floor(std::atan2(tangents[1], tangents[0]) / sector));
    const auto along = [&](int i) { return Eigen::Vector2d(std::cos(i * sector), std::sin(i * sector)); };
    const auto cross = [](const Eigen::Vector2d& a, const Eigen::Vector2d& b) { return a[0] * b[1] - a[1] * b[0]; };
    z.segment(fan.z, fan.sides).setZero();
    const auto part = [&](int i) -> double& { return z[fan.z + (i + fan.sides) % fan.sides]; };
    part(corner) = std::max(0.0, cross(tangents, along(corner + 1)) / std::sin(sector));
    part(corner + 1) = std::max(0.0, cross(along(corner), tangents) / std::sin(sector));
  }
  const Vector speeds = part_of.transpose() * w;
  for (Eigen::Index i = part_count; i < z.size(); ++i) {
    for (Eigen::Index j = 0; j < part_count; ++j) {
      if (m(j, i) != 0.0) z[i] = std::max(z[i], -speeds[j]);
    }
  }
  return z;
}

bool solve_basis(const LcpForm& form, const std::vector<Index>& basic, Vector& z) {
  z = Vector::Zero(form.q.size());
  if (basic.empty()) return true;
  const Eigen::FullPivLU<Matrix> lu(form.m(basic, basic));
  if (!lu.isInvertible()) return false;
  z(basic) = Vector(lu.solve(Vector(-form.q(basic))));
  return true;
}

double lcp_residual(const LcpForm& form, const Vector& z) {
  return z.size() == 0 ? 0.0 : z.cwiseMin(form.m * z + form.q).lpNorm<Eigen::Infinity>();
}

}  // namespace talus::lab
