// SPDX-License-Identifier: MIT
// Non-smooth Newton with line search on the root form of the problem (S1-73..77), in impulses alone: the velocities are
// eliminated, so the momentum row of S1-76 is w = A x + b. Friction on a disk has no slack (S1-75): the projection of
// the tangents, or the second-order cone, takes its place, and is regular where contacts separate. Fischer-Burmeister
// of friction polygons is that of their LCP, with its multipliers as unknowns.
#include <algorithm>
#include <cmath>

#include "complementarity.h"
#include "iterate.h"
#include "lcp_form.h"
#include "methods.h"
#include "sweep.h"

namespace talus::lab {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// F(x, w) with its slopes: dF = by_x dx + by_w dw.
struct Linearization {
  Vector value;
  std::vector<Eigen::Triplet<double>> by_x, by_w;

  explicit Linearization(Index size) : value(Vector::Zero(size)) {}
  void add_x(Index row, Index column, double slope) { by_x.emplace_back(row, column, slope); }
  void add_w(Index row, Index column, double slope) { by_w.emplace_back(row, column, slope); }
  void add_block(const std::array<Index, 3>& rows, const Vector3d& f, const Matrix3d& f_by_x, const Matrix3d& f_by_w) {
    value(rows) = f;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        add_x(rows[i], rows[j], f_by_x(Index(i), Index(j)));
        add_w(rows[i], rows[j], f_by_w(Index(i), Index(j)));
      }
    }
  }
  Matrix slope(const Matrix& a) const {
    Eigen::SparseMatrix<double> dx(value.size(), value.size());
    Eigen::SparseMatrix<double> dw(value.size(), value.size());
    dx.setFromTriplets(by_x.begin(), by_x.end());
    dw.setFromTriplets(by_w.begin(), by_w.end());
    return dw * a + Matrix(dx);
  }
};

using BoundedFunction = BoundedValue (*)(double x, double w, double lower, double upper);

/// F of the impulses.
class RootForm {
 public:
  /// `cones`: contacts are taken whole, else normals and tangents by themselves.
  RootForm(const Problem& problem, const FrictionModel& model, BoundedFunction function, bool cones)
      : problem_(problem),
        model_(model),
        a_(delassus(problem)),
        function_(function),
        in_cone_(std::size_t(problem.row_count())) {
    // psi(x, r w) has the same roots for any r > 0; 1 / A_ii makes both slopes alike (S1-77).
    r_ = Vector::Ones(problem.row_count());
    for (Index row = 0; row < problem.row_count(); ++row) {
      if (a_(row, row) > 0.0) r_[row] = 1.0 / a_(row, row);
    }
    for (const Disk& disk : problem.disks) {  // one r for both tangents, else sliding is not against friction
      auto tangents = r_.segment(disk.first, disk.count);
      tangents.setConstant(tangents.minCoeff());
    }
    if (cones) contacts_ = convex_contacts(problem);
    for (const ContactRows& contact : contacts_) in_cone_[std::size_t(contact.rows[0])] = true;
  }
  virtual ~RootForm() = default;

  Vector unknowns(const Vector& x) const { return x; }
  Vector impulses(const Vector& unknowns) const { return unknowns; }
  Matrix slope(const Linearization& f) const { return f.slope(a_); }
  Linearization linearize(const Vector& x) const {
    const Vector w = a_ * x + problem_.b;
    Linearization f(problem_.row_count());
    for (Index row = 0; row < problem_.row_count(); ++row) {
      if (!problem_.is_friction(row) && !in_cone_[std::size_t(row)]) add_bounded(row, x, w, f);
    }
    for (const ContactRows& contact : contacts_) add_cone(contact, x, w, f);
    if (contacts_.empty()) {
      for (const Disk& disk : problem_.disks) add_disk(disk, x, w, f);
    }
    return f;
  }

 protected:
  void add_bounded(Index row, const Vector& x, const Vector& w, Linearization& f) const {
    const BoundedValue v = function_(x[row], r_[row] * w[row], problem_.lower[row], problem_.upper[row]);
    f.value[row] = v.value;
    f.add_x(row, row, v.by_x);
    f.add_w(row, row, r_[row] * v.by_w);
  }
  virtual void add_cone(const ContactRows& contact, const Vector& x, const Vector& w, Linearization& f) const = 0;
  virtual void add_disk(const Disk& disk, const Vector& x, const Vector& w, Linearization& f) const = 0;

  const Problem& problem_;
  FrictionModel model_;
  Matrix a_;
  BoundedFunction function_;
  Vector r_;
  std::vector<ContactRows> contacts_;
  std::vector<bool> in_cone_;  // normals that are part of a cone
};

/// x - P(x - r w): the min map of bounds (S1-73), and what it becomes with a set of friction.
class MinMap final : public RootForm {
 public:
  MinMap(const Problem& problem, const FrictionModel& model)
      : RootForm(problem, model, bounded_min_map, model.law == FrictionLaw::convex_cone),
        set_(model.law == FrictionLaw::convex_cone ? FrictionSet{} : friction_set(model)) {}

 private:
  void add_cone(const ContactRows& contact, const Vector& x, const Vector& w, Linearization& f) const override {
    const double r = r_(contact.rows).minCoeff();
    const Vector3d part = x(contact.rows);
    const Projection3 p = project_cone(part - r * w(contact.rows), contact.friction);
    f.add_block(contact.rows, part - p.point, Matrix3d::Identity() - p.by_z, r * p.by_z);
  }

  void add_disk(const Disk& disk, const Vector& x, const Vector& w, Linearization& f) const override {
    // The radius is that of the projected normal impulse: it is right at a root and steadier on the way.
    const double z_normal = x[disk.normal] - r_[disk.normal] * w[disk.normal];
    const double normal = std::clamp(z_normal, problem_.lower[disk.normal], problem_.upper[disk.normal]);
    const bool moves = normal == z_normal && normal > 0.0;
    const double r = r_[disk.first];
    Eigen::Vector2d z = Eigen::Vector2d::Zero();
    z.head(disk.count) = (x - r * w).segment(disk.first, disk.count);
    const double radius = disk.friction * std::max(0.0, normal);
    const Projection2 p = std::visit([&](const auto& set) { return set.project(z, radius); }, set_);
    for (Index i = 0; i < disk.count; ++i) {
      const Index row = disk.first + i;
      f.value[row] = x[row] - p.point[i];
      f.add_x(row, row, 1.0);
      for (Index j = 0; j < disk.count; ++j) {
        f.add_x(row, disk.first + j, -p.by_z(i, j));
        f.add_w(row, disk.first + j, r * p.by_z(i, j));
      }
      if (!moves) continue;
      const double slope = disk.friction * p.by_radius[i];
      f.add_x(row, disk.normal, -slope);
      f.add_w(row, disk.normal, slope * r_[disk.normal]);
    }
  }

  FrictionSet set_;
};

/// Fischer-Burmeister (S1-74): of bounds, of friction bounds mu x_n, and of cones.
class FischerForm final : public RootForm {
 public:
  FischerForm(const Problem& problem, const FrictionModel& model)
      : RootForm(problem, model, bounded_fischer_burmeister, model.law != FrictionLaw::box) {}

 private:
  /// Scaled so that the cone is its own dual: (x_n, x_t / mu) against (w_n, mu w_t), with mu |w_t| added to w_n for
  /// Coulomb's law as in solve_cone_fixed_point.
  void add_cone(const ContactRows& contact, const Vector& x, const Vector& w, Linearization& f) const override {
    const double mu = contact.friction;
    if (mu == 0.0) {
      add_bounded(contact.rows[0], x, w, f);
      for (Index row : {contact.rows[1], contact.rows[2]}) {
        f.value[row] = x[row];
        f.add_x(row, row, 1.0);
      }
      return;
    }
    const Vector3d scale_x(1.0, 1.0 / mu, 1.0 / mu);
    Matrix3d scale_w = Vector3d(1.0, mu, mu).asDiagonal();
    const Vector3d velocity = w(contact.rows);
    const double slide = velocity.tail<2>().norm();
    if (model_.law == FrictionLaw::cone && slide > 0.0) {
      scale_w.block<1, 2>(0, 1) = mu / slide * velocity.tail<2>().transpose();  // times w_t it is mu |w_t|
    }
    scale_w *= r_[contact.rows[0]];
    const ConeValue v = cone_fischer_burmeister(scale_x.cwiseProduct(x(contact.rows)), scale_w * velocity);
    f.add_block(contact.rows, v.value, v.by_x * scale_x.asDiagonal(), v.by_w * scale_w);
  }

  void add_disk(const Disk& disk, const Vector& x, const Vector& w, Linearization& f) const override {
    const double bound = disk.friction * std::max(0.0, x[disk.normal]);
    for (Index row = disk.first; row < disk.first + disk.count; ++row) {
      const BoundedValue v = bounded_fischer_burmeister(x[row], r_[row] * w[row], -bound, bound);
      f.value[row] = v.value;
      f.add_x(row, row, v.by_x);
      f.add_w(row, row, r_[row] * v.by_w);
      if (x[disk.normal] > 0.0) f.add_x(row, disk.normal, disk.friction * (v.by_upper - v.by_lower));
    }
  }
};

/// Fischer-Burmeister of the pure LCP that friction polygons make: F of its variables and multipliers.
class FischerLcp {
 public:
  FischerLcp(const Problem& problem, const FrictionModel& model)
      : problem_(problem), form_(make_lcp_form(problem, model)), r_(Vector::Ones(form_.q.size())) {
    // As of RootForm. A multiplier is a speed and its partner an impulse: 1 / r of what it holds makes it one.
    const Eigen::Index parts = form_.to_x.cols();
    for (Eigen::Index i = 0; i < r_.size(); ++i) {
      double give = i < parts ? form_.m(i, i) : 0.0;
      for (Eigen::Index part = 0; i >= parts && part < parts; ++part) {
        if (form_.m(part, i) != 0.0) give = std::max(give, form_.m(part, part));
      }
      if (give > 0.0) r_[i] = i < parts ? 1.0 / give : give;
    }
  }

  Vector unknowns(const Vector& x) const { return form_.z(x, row_velocity(problem_, x)); }
  Vector impulses(const Vector& z) const { return form_.x(z); }
  Matrix slope(const Linearization& f) const { return f.slope(form_.m); }
  Linearization linearize(const Vector& z) const {
    const Vector w = form_.m * z + form_.q;
    Linearization f(Index(z.size()));
    for (Index i = 0; i < Index(z.size()); ++i) {
      const FischerBurmeister v = fischer_burmeister(z[i], r_[i] * w[i]);
      f.value[i] = v.value;
      f.add_x(i, i, v.by_a);
      f.add_w(i, i, r_[i] * v.by_b);
    }
    return f;
  }

 private:
  const Problem& problem_;
  LcpForm form_;
  Vector r_;
};

/// Newton's steps, shortened until the merit 1/2 |F|^2 falls (S0-75, E16). Where it does not fall, sweeps carry on for
/// a while: far from a root they are the better guide.
template <class Form>
class NewtonSteps {
 public:
  NewtonSteps(const Problem& problem, const SolverOptions& options)
      : form_(problem, options.friction),
        sweep_(make_sweep(problem, {.friction = options.friction, .order = options.order})) {}

  StepResult operator()(Vector& x) {
    if (unknowns_.size() == 0) unknowns_ = form_.unknowns(x);
    const Linearization f = form_.linearize(unknowns_);
    const double merit = f.value.squaredNorm();
    // Of least norm among the best: redundant contacts make the slope singular.
    const Vector direction = -form_.slope(f).completeOrthogonalDecomposition().solve(f.value);
    constexpr double kShortest = 1e-6;
    for (double length = 1.0; direction.allFinite() && length > kShortest; length *= 0.5) {
      const Vector trial = unknowns_ + length * direction;
      constexpr double kDescent = 1e-4;  // part of the promised fall that is asked for
      if (form_.linearize(trial).value.squaredNorm() <= (1.0 - 2.0 * kDescent * length) * merit) {
        unknowns_ = trial;
        x = form_.impulses(unknowns_);
        return StepResult::moved;
      }
    }
    constexpr Index kRescues = 30;
    if (++rescues_ > kRescues) return StepResult::stuck;
    for (Index i = 0; i < 20 * rescues_; ++i) sweep_->forward(x);  // longer each time: the last ones were in vain
    unknowns_ = form_.unknowns(x);
    return StepResult::moved;
  }

 private:
  Form form_;
  std::unique_ptr<Sweep> sweep_;
  Vector unknowns_;
  Index rescues_ = 0;
};

template <class Form>
Solution solve_newton(const Problem& problem, const SolverOptions& options) {
  NewtonSteps<Form> steps(problem, options);
  return iterate(problem, options, std::ref(steps));
}

}  // namespace

Solution solve_newton_min(const Problem& problem, const SolverOptions& options) {
  return solve_newton<MinMap>(problem, options);
}
Solution solve_newton_fb(const Problem& problem, const SolverOptions& options) {
  const bool polygons = classify(problem, options.friction) == ProblemClass::polyhedral;
  return polygons ? solve_newton<FischerLcp>(problem, options) : solve_newton<FischerForm>(problem, options);
}

}  // namespace talus::lab
