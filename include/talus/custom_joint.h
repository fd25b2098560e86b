// SPDX-License-Identifier: MIT
// Joints of one's own: a functor says what the coordinates of a joint are and how the motion of its two bodies changes
// them; the solver does the rest. Each coordinate is a row, and JointDef::axes says of each, as for any other joint,
// whether it is free, limited, locked, driven or rubs.
//
//   struct PointOnLine {                                        // frame b's origin stays on frame a's x axis
//     TALUS_HD void operator()(const talus::JointPlace& at, talus::CustomRow rows[6]) const {
//       for (int i = 1; i < 3; ++i) rows[i] = at.push_row(at.axis_a(i));
//     }
//   };
//   const int kind = world.add_joint_kind(talus::joint_kind(PointOnLine{}));
//
// In a file compiled by nvcc the same line makes the kind for CUDA, too. Functors are copied as bytes to wherever they
// run: no pointers to memory of the host, no state, no exceptions. Where the compiler is told not to contract products
// and sums (gcc: -ffp-contract=off, nvcc: --fmad=false) and the functor calls no function of the standard library, a
// world has the same bits on every backend.
//
// When rows are made: twice, before a step is solved, for the bodies where they are and for where their velocities
// would take them. Sub-steps go from the one to the other in a straight line, and follow the coordinate by the way that
// the bodies have gone. So a functor costs the same with any number of sub-steps, and what is neglected is of third
// order in the way that a body goes in a step.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include <talus/column.h>
#include <talus/joint.h>

namespace talus {

// ---- words for functors --------------------------------------------------------------------------------------------

namespace joint_math {

TALUS_HD inline Vec3 operator+(Vec3 a, Vec3 b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
TALUS_HD inline Vec3 operator-(Vec3 a, Vec3 b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
TALUS_HD inline Vec3 operator*(float s, Vec3 v) {
  return {s * v.x, s * v.y, s * v.z};
}
TALUS_HD inline float dot(Vec3 a, Vec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
TALUS_HD inline Vec3 cross(Vec3 a, Vec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
TALUS_HD inline Quat product(Quat a, Quat b) {
  return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
          a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
TALUS_HD inline Quat conjugate(Quat q) {
  return {-q.x, -q.y, -q.z, q.w};
}
TALUS_HD inline Vec3 rotate(Quat q, Vec3 v) {
  const Vec3 u{q.x, q.y, q.z}, t = cross(u, v), tt = cross(u, t);
  return {v.x + 2.0f * (q.w * t.x + tt.x), v.y + 2.0f * (q.w * t.y + tt.y), v.z + 2.0f * (q.w * t.z + tt.z)};
}
/// [rad] An angle that is known but for whole turns, as near to the last one as it can be.
TALUS_HD inline float unwrapped(float angle, float last) {
  const float turn = 6.28318530718f, turns = (last - angle) / turn;
  const float shift = 12582912.0f;  // 1.5 * 2^23: what is added to it is rounded to a whole number
  return angle + turn * ((turns + shift) - shift);
}
/// [rad] Angle of the point (x, y) from the x axis, -pi..pi, within 3e-7; the same bits on every machine.
TALUS_HD inline float arc_tangent(float y, float x) {
  const float ax = x < 0.0f ? -x : x, ay = y < 0.0f ? -y : y;
  const float small = ax < ay ? ax : ay, large = ax < ay ? ay : ax;
  const float t = large > 0.0f ? small / large : 0.0f;
  const bool beyond = t > 0.41421356f;
  const float u = beyond ? (t - 1.0f) / (t + 1.0f) : t, z = u * u;
  const float part =
      (((8.05374449538e-2f * z - 1.38776856032e-1f) * z + 1.99777106478e-1f) * z - 3.33329491539e-1f) * z * u + u;
  float angle = (beyond ? 0.785398163f : 0.0f) + part;
  angle = ay > ax ? 1.570796327f - angle : angle;
  angle = x < 0.0f ? 3.141592654f - angle : angle;
  return y < 0.0f ? -angle : angle;
}
/// [rad] How far a rotation turns about a unit axis, as near to the last angle as it can be.
TALUS_HD inline float angle_about(Quat turn, Vec3 axis, float last) {
  return unwrapped(2.0f * arc_tangent(turn.x * axis.x + turn.y * axis.y + turn.z * axis.z, turn.w), last);
}

}  // namespace joint_math

// ---- what a functor reads and writes -------------------------------------------------------------------------------

/// One coordinate of a joint, in the world's axes: it is `error` now, and its rate is
///   direction . (v_b - v_a) + turn_b . w_b - turn_a . w_a,
/// v of the centres of mass. The force along the row follows: `direction` times its strength on b, the opposite on a,
/// and a torque of `turn_b` times it on b, of -`turn_a` times it on a. Rows 0..2 may push and turn; rows 3..5 only
/// turn, and their direction is ignored. A row that is not written, or has a number that is not finite, does nothing.
struct CustomRow {
  Vec3 direction{0.0f, 0.0f, 0.0f};  ///< [1] for a coordinate in m, [m] for one in rad
  Vec3 turn_a{0.0f, 0.0f, 0.0f};     ///< [m/rad, 1]
  Vec3 turn_b{0.0f, 0.0f, 0.0f};     ///< [m/rad, 1]
  float error = 0.0f;                ///< [m, rad]
};

/// Where a joint is. World frame, unless said otherwise.
struct JointPlace {
  Transform body_a, body_b;            ///< centre of mass and orientation; the world is at the origin
  Transform frame_in_a, frame_in_b;    ///< the joint's frames, in the bodies
  float parameters[kJointParameters];  ///< JointDef::parameters
  float last[kAxisCount];              ///< [m, rad] coordinates when the last step ended, to count turns; 0 at first

  /// The joint's frames in the world.
  TALUS_HD Transform frame_a() const { return placed(body_a, frame_in_a); }
  TALUS_HD Transform frame_b() const { return placed(body_b, frame_in_b); }
  /// Their axes: 0..2.
  TALUS_HD Vec3 axis_a(int i) const { return joint_math::rotate(frame_a().orientation, unit(i)); }
  TALUS_HD Vec3 axis_b(int i) const { return joint_math::rotate(frame_b().orientation, unit(i)); }
  /// [m] From the origin of frame a to that of frame b.
  TALUS_HD Vec3 apart() const { return joint_math::operator-(frame_b().position, frame_a().position); }
  /// From frame a to frame b, along the axes of frame a.
  TALUS_HD Quat turn() const {
    return joint_math::product(joint_math::conjugate(frame_a().orientation), frame_b().orientation);
  }
  /// How far b's origin is from a's along a unit axis that turns with a.
  TALUS_HD CustomRow push_row(Vec3 axis) const {
    using namespace joint_math;
    const Vec3 point = frame_b().position;
    return {axis, cross(point - body_a.position, axis), cross(point - body_b.position, axis), dot(axis, apart())};
  }
  /// Turns about an axis, b against a; `angle` [rad] as it is now.
  TALUS_HD static CustomRow turn_row(Vec3 axis, float angle) { return {{0.0f, 0.0f, 0.0f}, axis, axis, angle}; }

 private:
  TALUS_HD static Vec3 unit(int i) { return {i == 0 ? 1.0f : 0.0f, i == 1 ? 1.0f : 0.0f, i == 2 ? 1.0f : 0.0f}; }
  TALUS_HD static Transform placed(const Transform& body, const Transform& frame) {
    using namespace joint_math;
    return {body.position + rotate(body.orientation, frame.position), product(body.orientation, frame.orientation)};
  }
};

// ---- between functors and the solver -------------------------------------------------------------------------------

struct JointParameters {
  float value[kJointParameters];
};

/// What rows are made from and where they go, in the memory of a backend. Written for the functions below.
struct JointRowTable {
  Index count = 0;        // rows of joints
  std::uint8_t kind = 0;  // those with this kind are ours
  Column<const std::uint8_t> kinds;
  Column<const Index> body_a, body_b;  // rows, or -1: the world
  Vec3Column anchor_a, anchor_b;       // [m]
  QuatColumn frame_a, frame_b;
  Vec3Column last_linear, last_angular;
  Column<const JointParameters> parameters;
  Vec3Column position, linear_velocity, angular_velocity;  // of bodies
  QuatColumn orientation;
  const float* dt = nullptr;  // [s]
  Column<CustomRow> rows;     // 12 a joint: six for now, six for the end of the step
};

/// A functor without its type, made by joint_kind().
struct JointKind {
  static constexpr std::size_t kMaxSize =
      64;  ///< [bytes] of a functor; what differs from joint to joint is in parameters
  alignas(16) unsigned char functor[kMaxSize] = {};
  /// Joints first..last of the table, on the calling thread.
  void (*on_cpu)(const void* functor, const JointRowTable& table, Index first, Index last) = nullptr;
  /// All joints of the table, on a cudaStream_t; `launch` false: gets the kernel ready, no more. Gives a cudaError_t.
  /// Null where joint_kind() was compiled without nvcc.
  int (*on_cuda)(const void* functor, const JointRowTable& table, void* stream, bool launch) = nullptr;
};

// The two compilers make different functions of the same name here: the linker must not take one for the other.
#if TALUS_CUDA_COMPILER
inline namespace made_by_nvcc {
#else
inline namespace made_by_host {
#endif

namespace detail {

TALUS_HD inline bool finite(Vec3 v) {
  return v.x - v.x == 0.0f && v.y - v.y == 0.0f && v.z - v.z == 0.0f;
}

/// Where a velocity takes a body.
TALUS_HD inline Transform ahead(const Transform& now, Vec3 v, Vec3 w, float dt) {
  using namespace joint_math;
  const Vec3 half = (0.5f * dt) * w;
  const float square = dot(half, half), angle = sqrtf(square);
  // sin(x) / x and cos(x), good to 1e-6 up to 1 rad; beyond that a turn within a step is beyond this method, too.
  const float sine = 1.0f - square / 6.0f * (1.0f - square / 20.0f * (1.0f - square / 42.0f));
  const float cosine = 1.0f - square / 2.0f * (1.0f - square / 12.0f * (1.0f - square / 30.0f));
  const bool near = angle < 1.0f;
  const Quat turn = near ? Quat{sine * half.x, sine * half.y, sine * half.z, cosine} : kIdentity;
  const Quat q = product(turn, now.orientation);
  const float inverse = 1.0f / sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return {now.position + dt * v, {inverse * q.x, inverse * q.y, inverse * q.z, inverse * q.w}};
}

template <class Functor>
TALUS_HD void make_joint_rows(const Functor& functor, const JointRowTable& t, Index joint) {
  if (t.kinds[joint] != t.kind) return;
  const Index a = t.body_a[joint], b = t.body_b[joint];
  const auto pose = [&](Index body) {
    return body < 0 ? Transform{} : Transform{t.position[body], t.orientation[body]};
  };
  JointPlace at{pose(a), pose(b), {t.anchor_a[joint], t.frame_a[joint]}, {t.anchor_b[joint], t.frame_b[joint]}, {}, {}};
  for (int i = 0; i < kJointParameters; ++i) at.parameters[i] = t.parameters[joint].value[i];
  const Vec3 linear = t.last_linear[joint], angular = t.last_angular[joint];
  const float last[kAxisCount] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
  for (int i = 0; i < kAxisCount; ++i) at.last[i] = last[i];
  for (int time = 0; time < 2; ++time) {
    if (time == 1) {
      if (a >= 0) at.body_a = ahead(at.body_a, t.linear_velocity[a], t.angular_velocity[a], *t.dt);
      if (b >= 0) at.body_b = ahead(at.body_b, t.linear_velocity[b], t.angular_velocity[b], *t.dt);
    }
    CustomRow made[kAxisCount];
    functor(at, made);
    for (int i = 0; i < kAxisCount; ++i) {
      CustomRow row = made[i];
      if (i >= 3) row.direction = {0.0f, 0.0f, 0.0f};
      if (!(finite(row.direction) && finite(row.turn_a) && finite(row.turn_b) && row.error - row.error == 0.0f)) {
        row = CustomRow{};
        row.error = last[i];
      }
      t.rows[2 * kAxisCount * joint + kAxisCount * time + i] = row;
    }
  }
}

template <class Functor>
void make_joint_rows_on_cpu(const void* bytes, const JointRowTable& table, Index first, Index last) {
  const Functor& functor = *static_cast<const Functor*>(bytes);
  for (Index joint = first; joint < last; ++joint) make_joint_rows(functor, table, joint);
}

#if TALUS_CUDA_COMPILER
template <class Functor>
__global__ void make_joint_rows_kernel(Functor functor, JointRowTable table) {
  const Index joint = static_cast<Index>(blockIdx.x * blockDim.x + threadIdx.x);
  if (joint < table.count) make_joint_rows(functor, table, joint);
}

template <class Functor>
int make_joint_rows_on_cuda(const void* bytes, const JointRowTable& table, void* stream, bool launch) {
  if (!launch) {
    cudaFuncAttributes attributes;
    return static_cast<int>(cudaFuncGetAttributes(&attributes, make_joint_rows_kernel<Functor>));
  }
  const unsigned threads = 128, blocks = (static_cast<unsigned>(table.count) + threads - 1) / threads;
  make_joint_rows_kernel<Functor>
      <<<blocks, threads, 0, static_cast<cudaStream_t>(stream)>>>(*static_cast<const Functor*>(bytes), table);
  return static_cast<int>(cudaGetLastError());
}
#endif

}  // namespace detail

/// The kind of joint whose rows a functor makes: TALUS_HD void operator()(const JointPlace&, CustomRow rows[6]) const.
/// All rows are zero when it is called.
template <class Functor>
JointKind joint_kind(const Functor& functor) {
  static_assert(std::is_trivially_copyable_v<Functor>, "functors are copied as bytes, to a GPU among others");
  static_assert(sizeof(Functor) <= JointKind::kMaxSize);
  static_assert(alignof(Functor) <= 16);
  JointKind kind;
  std::memcpy(kind.functor, &functor, sizeof(Functor));
  kind.on_cpu = detail::make_joint_rows_on_cpu<Functor>;
#if TALUS_CUDA_COMPILER
  kind.on_cuda = detail::make_joint_rows_on_cuda<Functor>;
#endif
  return kind;
}

}  // inline namespace

}  // namespace talus
