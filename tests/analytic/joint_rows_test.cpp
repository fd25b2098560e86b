// SPDX-License-Identifier: MIT
// The rows of joints, as functions: each is the derivative of its coordinate, and pushes two bodies such that nothing
// is left over. In double precision, so that differences over small times are good to 1e-6.
#include <gtest/gtest.h>
#include <talus/custom_joint.h>

#include <algorithm>
#include <cmath>
#include <Eigen/Dense>

#include "analytic/rig.h"
#include "joint_geometry.h"

namespace talus::test {

/// A number of kernels, in double precision.
struct Wide {
  double value = 0;
  Wide() = default;
  explicit Wide(double v) : value(v) {}
};
#define TALUS_WIDE_OPERATOR(op)             \
  inline Wide operator op(Wide a, Wide b) { \
    return Wide(a.value op b.value);        \
  }
#define TALUS_WIDE_COMPARISON(op)           \
  inline bool operator op(Wide a, Wide b) { \
    return a.value op b.value;              \
  }
TALUS_WIDE_OPERATOR(+)
TALUS_WIDE_OPERATOR(-)
TALUS_WIDE_OPERATOR(*)
TALUS_WIDE_OPERATOR(/)
TALUS_WIDE_COMPARISON(<)
TALUS_WIDE_COMPARISON(>)
TALUS_WIDE_COMPARISON(==)
#undef TALUS_WIDE_OPERATOR
#undef TALUS_WIDE_COMPARISON
inline Wide operator-(Wide a) {
  return Wide(-a.value);
}
inline Wide select(bool condition, Wide yes, Wide no) {
  return condition ? yes : no;
}
inline Wide min_of(Wide a, Wide b) {
  return a < b ? a : b;
}
inline Wide max_of(Wide a, Wide b) {
  return a > b ? a : b;
}
inline Wide abs_of(Wide a) {
  return Wide(std::fabs(a.value));
}
inline Wide square_root(Wide a) {
  return Wide(std::sqrt(a.value));
}

}  // namespace talus::test

namespace talus::inline TALUS_ISA {
template <>
struct MaskOf<test::Wide> {
  using type = bool;
};
}  // namespace talus::inline TALUS_ISA

namespace talus::test {
namespace {

using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;

Vec3Of<Wide> wide(const Vector3d& v) {
  return {Wide(v.x()), Wide(v.y()), Wide(v.z())};
}
QuatOf<Wide> wide(const Quaterniond& q) {
  return {Wide(q.x()), Wide(q.y()), Wide(q.z()), Wide(q.w())};
}
Vector3d plain(Vec3Of<Wide> v) {
  return {v.x.value, v.y.value, v.z.value};
}
Vector3d drawn(Random& random, float half) {
  const Vec3 v = random.in_box(half);
  return {v.x, v.y, v.z};
}
Quaterniond drawn_rotation(Random& random) {
  const Quat q = random.rotation();
  return Quaterniond(q.w, q.x, q.y, q.z).normalized();
}

/// Two bodies on their way, and a joint between them.
struct Moving {
  Vector3d x, v, w;  // [m, m/s, rad/s] world frame
  Quaterniond q;
  Vector3d anchor;
  Quaterniond frame;

  explicit Moving(Random& random)
      : x(drawn(random, 2)),
        v(drawn(random, 1)),
        w(drawn(random, 1)),
        q(drawn_rotation(random)),
        anchor(drawn(random, 1)),
        frame(drawn_rotation(random)) {}
  Moving after(double t) const {
    Moving m = *this;
    m.x += t * v;
    const double angle = t * w.norm();
    m.q = Quaterniond(Eigen::AngleAxisd(angle, w.normalized())) * q;
    return m;
  }
};

/// All that the kernels say of a joint. Bodies are given as a turn since the step began, as they are in a step.
struct Rows {
  JointArms<Wide> arms;
  LinearAxes<Wide> linear;
  TurningAxes<Wide> turning;

  Rows(const Moving& a, const Moving& b, bool radial, int lone = 0) {
    const JointFrames<Wide> at{wide(Vector3d(0.75 * (b.x - a.x))), wide(a.anchor), wide(b.anchor), wide(a.frame),
                               wide(b.frame)};
    const auto body = [](const Moving& m, const Vector3d& shift) {
      const Quaterniond start = m.q * Quaterniond(0.8, 0.6, 0, 0);
      return JointBody<Wide>{wide(start), wide(Quaterniond(0.8, -0.6, 0, 0)), wide(shift), {}, Wide(1)};
    };
    const JointBody<Wide> body_a = body(a, -0.125 * (b.x - a.x)), body_b = body(b, 0.125 * (b.x - a.x));
    arms = joint_arms(at, body_a, body_b);
    linear = linear_axes<Wide>(at, body_a, arms, radial);
    turning = turning_axes<Wide>(at, body_a, body_b, Wide(lone), lone != 0);
  }
  double position(int axis) const {
    return axis < 3 ? plain(linear.position)[axis] : plain(turning.position)[axis - 3];
  }
  /// What the row says that the coordinate's rate is.
  double rate(int axis, const Moving& a, const Moving& b) const {
    if (axis >= 3) return plain(turning.turn[axis - 3]).dot(b.w - a.w);
    const Vector3d along = plain(linear.direction[axis]);
    return along.dot(b.v - a.v) + plain(arms.b).cross(along).dot(b.w) - plain(arms.a).cross(along).dot(a.w);
  }
};

// Neither swings nor twist have a derivative where the x axis of frame b points back.
bool regular(const Moving& a, const Moving& b) {
  const Vector3d x = (a.q * a.frame).inverse() * (b.q * b.frame * Vector3d(1, 0, 0));
  return x.x() > -0.8;
}
double wrapped(double angle) {
  return std::remainder(angle, 2 * std::acos(-1.0));
}

// Errors of the differences: t^2 / 6 times third derivatives, which are below 2 (3.5 rad/s / 0.4)^3 where the poses are
// regular, is 6e-5; the arc tangent's 3e-7 over 2 t is 3e-4, and the swings are up to 4.2 times as large as it.
TEST(JointRows, AreDerivativesOfTheirCoordinates) {
  const double t = 5e-4;  // [s]
  double worst[2][6] = {};
  int used = 0;
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    Random random(seed);
    const Moving a(random), b(random);
    if (!regular(a, b)) continue;
    ++used;
    for (const bool radial : {false, true}) {
      const Rows now(a, b, radial), before(a.after(-t), b.after(-t), radial), after(a.after(t), b.after(t), radial);
      for (int axis = 0; axis < 6; ++axis) {
        const double change = after.position(axis) - before.position(axis);
        const double difference = (axis < 3 ? change : wrapped(change)) / (2 * t);
        const double error = std::fabs(difference - now.rate(axis, a, b));
        worst[radial][axis] = std::max(worst[radial][axis], error);
        ASSERT_LT(error, axis < 4 ? 3e-4 : 13e-4) << "axis " << axis << " radial " << radial << " seed " << seed;
      }
    }
  }
  EXPECT_GT(used, 1700);
  for (int axis = 0; axis < 6; ++axis)
    RecordProperty(std::string("axis") + std::to_string(axis), std::to_string(worst[0][axis]));
  RecordProperty("radial", std::to_string(worst[1][0]));
}

// The swings are the shortest turn between the two x axes, as angle times axis.
TEST(JointRows, SwingsAreOneTurn) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const Moving a(random), b(random);
    const Rows rows(a, b, false);
    const Eigen::Vector2d swing(rows.position(int(Axis::swing_y)), rows.position(int(Axis::swing_z)));
    const Eigen::AngleAxisd turn(swing.norm(), Vector3d(0, swing.x(), swing.y()).normalized());
    const Vector3d x = (a.q * a.frame).inverse() * (b.q * b.frame * Vector3d(1, 0, 0));
    EXPECT_LT((turn * Vector3d(1, 0, 0) - x).norm(), 3e-6) << "seed " << seed;
    EXPECT_LE(swing.norm(), 3.1416) << "seed " << seed;
  }
}

// A swing that is locked by itself has a coordinate without a jump: at any pose at all.
TEST(JointRows, LoneSwingsAreDerivativesEverywhere) {
  const double t = 1e-4;
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    Random random(seed);
    const Moving a(random), b(random);
    for (const int lone : {int(Axis::swing_y), int(Axis::swing_z)}) {
      const Rows now(a, b, false, lone), before(a.after(-t), b.after(-t), false, lone);
      const Rows after(a.after(t), b.after(t), false, lone);
      const double difference = (after.position(lone) - before.position(lone)) / (2 * t);
      EXPECT_NEAR(difference, now.rate(lone, a, b), 1e-6) << "axis " << lone << " seed " << seed;
    }
  }
}

// At zero the six rows are the frame itself.
TEST(JointRows, AreTheFrameAtZero) {
  Random random(1);
  Moving a(random), b(random);
  b.q = a.q;
  b.frame = a.frame;
  b.x = a.x + a.q * (a.anchor - b.anchor);
  const Matrix3d axes = (a.q * a.frame).toRotationMatrix();
  for (const int lone : {0, int(Axis::swing_y), int(Axis::swing_z)}) {
    const Rows rows(a, b, false, lone);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(rows.position(i), 0, 1e-12);
      EXPECT_NEAR(rows.position(3 + i), 0, 1e-12);
      EXPECT_LT((plain(rows.linear.direction[i]) - axes.col(i)).norm(), 1e-12);
      EXPECT_LT((plain(rows.turning.turn[i]) - axes.col(i)).norm(), 1e-12);
    }
  }
}

// Impulses p on b and -p on a at one point: their moments about the origin cancel however far apart the frames are.
TEST(JointRows, LeaveNoForceAndNoTorqueOver) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const Moving a(random), b(random);
    for (const bool radial : {false, true}) {
      const Rows rows(a, b, radial);
      for (int axis = 0; axis < 3; ++axis) {
        const Vector3d p = plain(rows.linear.direction[axis]);
        const Vector3d moment = b.x.cross(p) + plain(rows.arms.b).cross(p) - a.x.cross(p) - plain(rows.arms.a).cross(p);
        EXPECT_LT(moment.norm(), 1e-12) << "axis " << axis << " seed " << seed;
        EXPECT_NEAR(p.norm(), 1, 1e-12);
      }
    }
  }
}

TEST(JointRows, TwistGoesOnOverTurns) {
  for (double turns = -20; turns <= 20; turns += 0.37) {
    const double angle = turns * 2 * kPi, last = angle - 0.9 * kPi;
    EXPECT_NEAR(unwrapped(float(wrapped(angle)), float(last)), angle, 2e-5) << turns;
  }
}

TEST(ArcTangent, IsWithinItsBoundInAllOctants) {
  double worst = 0;
  for (int i = 0; i < 200000; ++i) {
    const double angle = -kPi + (i + 0.5) * 2 * kPi / 200000, r = std::exp2(i % 41 - 20);
    const float x = float(r * std::cos(angle)), y = float(r * std::sin(angle));
    worst = std::max(worst, std::fabs(double(arc_tangent(y, x)) - std::atan2(double(y), double(x))));
    ASSERT_EQ(arc_tangent(y, x), joint_math::arc_tangent(y, x)) << "callers' functors have the same";
    const float last = 0.01f * float(i - 100000), wrapped = float(angle);  // up to 160 turns
    ASSERT_NEAR(unwrapped(wrapped, last), joint_math::unwrapped(wrapped, last), 1e-3f);
  }
  EXPECT_LT(worst, 3e-7);
  RecordProperty("worst", std::to_string(worst * 1e7) + "e-7");
}
TEST(ArcTangent, OfAxesAndTheOrigin) {
  EXPECT_EQ(arc_tangent(0.0f, 0.0f), 0.0f);
  EXPECT_EQ(arc_tangent(0.0f, 3.0f), 0.0f);
  EXPECT_NEAR(arc_tangent(0.0f, -3.0f), kPi, 3e-7);
  EXPECT_NEAR(arc_tangent(2.0f, 0.0f), kPi / 2, 3e-7);
  EXPECT_NEAR(arc_tangent(-2.0f, 0.0f), -kPi / 2, 3e-7);
}

// ---- small matrices ---------------------------------------------------------------------------------------------

using Matrix6d = Eigen::Matrix<double, 6, 6>;

/// Positive definite with eigenvalues from 1 / spread to 1.
template <int kSize>
Eigen::Matrix<double, kSize, kSize> drawn_definite(Random& random, double spread) {
  using Matrix = Eigen::Matrix<double, kSize, kSize>;
  Matrix m;
  for (int i = 0; i < kSize * kSize; ++i) m.data()[i] = random.between(-1, 1);
  const Matrix q = Eigen::HouseholderQR<Matrix>(m).householderQ();
  Eigen::Matrix<double, kSize, 1> values;
  for (int i = 0; i < kSize; ++i) values[i] = std::pow(spread, -double(i) / (kSize - 1));
  return q * values.asDiagonal() * q.transpose();
}
template <class Real, class Block>
Sym3Of<Real> half_of(const Block& m) {
  return {Real(m(0, 0)), Real(m(0, 1)), Real(m(0, 2)), Real(m(1, 1)), Real(m(1, 2)), Real(m(2, 2))};
}
double number(float x) {
  return x;
}
double number(Wide x) {
  return x.value;
}
template <class Real>
Matrix3d whole_of(const Sym3Of<Real>& s) {
  Matrix3d m;
  m << number(s.xx), number(s.xy), number(s.xz), number(s.xy), number(s.yy), number(s.yz), number(s.xz), number(s.yz),
      number(s.zz);
  return m;
}
template <class Real>
Sym6Of<Real> sym6_of(const Matrix6d& m) {
  const Matrix3d b = m.topRightCorner<3, 3>();
  const auto row = [&](int i) { return Vec3Of<Real>{Real(b(i, 0)), Real(b(i, 1)), Real(b(i, 2))}; };
  return {half_of<Real>(m.topLeftCorner<3, 3>()), {row(0), row(1), row(2)}, half_of<Real>(m.bottomRightCorner<3, 3>())};
}
template <class Real>
Matrix6d whole_of(const Sym6Of<Real>& s) {
  Matrix6d m;
  Matrix3d b;
  b << number(s.b.row0.x), number(s.b.row0.y), number(s.b.row0.z), number(s.b.row1.x), number(s.b.row1.y),
      number(s.b.row1.z), number(s.b.row2.x), number(s.b.row2.y), number(s.b.row2.z);
  m << whole_of(s.a), b, b.transpose(), whole_of(s.c);
  return m;
}

// In double the formulas are exact; in float the error grows with the condition number, as it must.
TEST(SmallMatrices, InversesEqualThoseOfEigen) {
  double worst = 0;
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    Random random(seed);
    const Matrix3d m3 = drawn_definite<3>(random, 1000);
    const Matrix6d m6 = drawn_definite<6>(random, 1000);
    EXPECT_LT((whole_of(inverse(half_of<Wide>(m3))) * m3 - Matrix3d::Identity()).norm(), 1e-9) << seed;
    EXPECT_LT((whole_of(inverse(sym6_of<Wide>(m6))) * m6 - Matrix6d::Identity()).norm(), 1e-9) << seed;
    const Matrix3d i3 = m3.inverse();
    const Matrix6d i6 = m6.inverse();
    worst = std::max(worst, (whole_of(inverse(half_of<float>(m3))) - i3).norm() / i3.norm());
    worst = std::max(worst, (whole_of(inverse(sym6_of<float>(m6))) - i6).norm() / i6.norm());
  }
  EXPECT_LT(worst, 1e-3);  // 1000 x 6e-8 x the number of terms
  RecordProperty("worst", std::to_string(worst));
}

TEST(SmallMatrices, ProductsEqualThoseOfEigen) {
  Random random(7);
  const Matrix6d m = drawn_definite<6>(random, 10);
  const Vector3d u = drawn(random, 1), v = drawn(random, 1);
  Eigen::Matrix<double, 6, 1> uv;
  uv << u, v;
  const Vec6Of<Wide> product = sym6_of<Wide>(m) * Vec6Of<Wide>{wide(u), wide(v)};
  EXPECT_LT((plain(product.a) - (m * uv).head<3>()).norm(), 1e-12);
  EXPECT_LT((plain(product.b) - (m * uv).tail<3>()).norm(), 1e-12);
}

// A body in the middle of a step: give() is the inverse inertia where the body is now, in axes of where it was.
TEST(JointBody, GivesAsItsInertiaNow) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    const Vector3d root(random.between(0.5f, 2), random.between(0.5f, 2), random.between(0.5f, 2));
    const Quaterniond start = drawn_rotation(random), turn = drawn_rotation(random);
    const JointBody<Wide> body{wide(start), wide(turn), {}, wide(root), Wide(1)};
    const Matrix3d now = (start * turn).toRotationMatrix();
    const Matrix3d inverse_inertia = now * Vector3d(root.cwiseProduct(root)).asDiagonal() * now.transpose();
    const Matrix3d to_scaled = root.cwiseInverse().asDiagonal() * start.toRotationMatrix().transpose();
    EXPECT_LT((whole_of(body.give()) - to_scaled * inverse_inertia * to_scaled.transpose()).norm(), 1e-12);
    EXPECT_LT((whole_of(body.give()) * whole_of(body.inertia()) - Matrix3d::Identity()).norm(), 1e-12);
  }
}

}  // namespace
}  // namespace talus::test
