// SPDX-License-Identifier: MIT
// Vectors, quaternions and 3x3 matrices, for float and for packs of lanes. Sums are written in one order: x, y, z.
#pragma once
#include <talus/types.h>

#include "math/scalar.h"

namespace talus::inline TALUS_ISA {

template <class Real>
TALUS_INLINE Vec3Of<Real> operator+(Vec3Of<Real> a, Vec3Of<Real> b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class Real>
TALUS_INLINE Vec3Of<Real> operator-(Vec3Of<Real> a, Vec3Of<Real> b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class Real>
TALUS_INLINE Vec3Of<Real> operator-(Vec3Of<Real> a) {
  return {-a.x, -a.y, -a.z};
}
template <class Real>
TALUS_INLINE Vec3Of<Real> operator*(Real s, Vec3Of<Real> v) {
  return {s * v.x, s * v.y, s * v.z};
}
template <class Real>
TALUS_INLINE Real dot(Vec3Of<Real> a, Vec3Of<Real> b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class Real>
TALUS_INLINE Vec3Of<Real> cross(Vec3Of<Real> a, Vec3Of<Real> b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
/// Component by component.
template <class Real>
TALUS_INLINE Vec3Of<Real> scale(Vec3Of<Real> a, Vec3Of<Real> b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}
template <class Real>
TALUS_INLINE Real length_squared(Vec3Of<Real> v) {
  return dot(v, v);
}
template <class Real>
TALUS_INLINE Real length(Vec3Of<Real> v) {
  return square_root(dot(v, v));
}
template <class Real>
TALUS_INLINE Vec3Of<Real> select(Mask<Real> condition, Vec3Of<Real> yes, Vec3Of<Real> no) {
  return {select(condition, yes.x, no.x), select(condition, yes.y, no.y), select(condition, yes.z, no.z)};
}
template <class Real>
TALUS_INLINE QuatOf<Real> select(Mask<Real> condition, QuatOf<Real> yes, QuatOf<Real> no) {
  return {select(condition, yes.x, no.x), select(condition, yes.y, no.y), select(condition, yes.z, no.z),
          select(condition, yes.w, no.w)};
}
template <class Real>
TALUS_INLINE Vec3Of<Real> abs_of(Vec3Of<Real> v) {
  return {abs_of(v.x), abs_of(v.y), abs_of(v.z)};
}
template <class Real>
TALUS_INLINE Vec3Of<Real> min_of(Vec3Of<Real> a, Vec3Of<Real> b) {
  return {min_of(a.x, b.x), min_of(a.y, b.y), min_of(a.z, b.z)};
}
template <class Real>
TALUS_INLINE Vec3Of<Real> max_of(Vec3Of<Real> a, Vec3Of<Real> b) {
  return {max_of(a.x, b.x), max_of(a.y, b.y), max_of(a.z, b.z)};
}
TALUS_INLINE bool is_finite(Vec3 v) {
  return is_finite(v.x) && is_finite(v.y) && is_finite(v.z);
}
/// Component by number 0, 1, 2.
template <class Real>
TALUS_INLINE Real component(Vec3Of<Real> v, int axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}
/// v / |v|, or `otherwise` if v is shorter than 1e-12.
TALUS_INLINE Vec3 normalized_or(Vec3 v, Vec3 otherwise) {
  const float l = length(v);
  return l > 1e-12f ? (1.0f / l) * v : otherwise;
}
/// A unit vector across a unit normal: cross(n, x), or cross(n, y) where n is close to x (the switch is at 0.577).
template <class Real>
TALUS_INLINE Vec3Of<Real> tangent_of(Vec3Of<Real> n) {
  const Mask<Real> use_x = abs_of(n.x) < Real(0.57735f);
  const Vec3Of<Real> t = select<Real>(use_x, Vec3Of<Real>{Real(0.0f), n.z, -n.y}, Vec3Of<Real>{-n.z, Real(0.0f), n.x});
  return (Real(1.0f) / length(t)) * t;
}

// ---- rotations -----------------------------------------------------------------------------------------------------

template <class Real>
TALUS_INLINE QuatOf<Real> conjugate(QuatOf<Real> q) {
  return {-q.x, -q.y, -q.z, q.w};
}
template <class Real>
TALUS_INLINE QuatOf<Real> operator*(QuatOf<Real> a, QuatOf<Real> b) {
  return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
          a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
template <class Real>
TALUS_INLINE QuatOf<Real> normalized(QuatOf<Real> q) {
  const Real s = Real(1.0f) / square_root(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return {s * q.x, s * q.y, s * q.z, s * q.w};
}
/// From body to world.
template <class Real>
TALUS_INLINE Vec3Of<Real> rotate(QuatOf<Real> q, Vec3Of<Real> v) {
  const Vec3Of<Real> u{q.x, q.y, q.z};
  const Vec3Of<Real> t = Real(2.0f) * cross(u, v);
  return v + q.w * t + cross(u, t);
}
/// How far a rotation moves a vector: rotate(q, v) - v, without the cancellation.
template <class Real>
TALUS_INLINE Vec3Of<Real> turned(QuatOf<Real> q, Vec3Of<Real> v) {
  const Vec3Of<Real> u{q.x, q.y, q.z};
  const Vec3Of<Real> t = Real(2.0f) * cross(u, v);
  return q.w * t + cross(u, t);
}
/// From world to body.
template <class Real>
TALUS_INLINE Vec3Of<Real> rotate_back(QuatOf<Real> q, Vec3Of<Real> v) {
  return rotate(conjugate(q), v);
}

/// Three rows.
template <class Real>
struct Mat3Of {
  Vec3Of<Real> row0, row1, row2;
};
using Mat3 = Mat3Of<float>;

template <class Real>
TALUS_INLINE Vec3Of<Real> operator*(const Mat3Of<Real>& m, Vec3Of<Real> v) {
  return {dot(m.row0, v), dot(m.row1, v), dot(m.row2, v)};
}
/// m^T v
template <class Real>
TALUS_INLINE Vec3Of<Real> transposed_times(const Mat3Of<Real>& m, Vec3Of<Real> v) {
  return v.x * m.row0 + v.y * m.row1 + v.z * m.row2;
}
/// Rotation matrix from body to world; its columns are the body's axes.
template <class Real>
TALUS_INLINE Mat3Of<Real> matrix_of(QuatOf<Real> q) {
  const Real xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
  const Real wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z, two = Real(2.0f), one = Real(1.0f);
  return {{one - two * (yy + zz), two * (xy - wz), two * (xz + wy)},
          {two * (xy + wz), one - two * (xx + zz), two * (yz - wx)},
          {two * (xz - wy), two * (yz + wx), one - two * (xx + yy)}};
}
/// Column by number 0, 1, 2.
template <class Real>
TALUS_INLINE Vec3Of<Real> column_of(const Mat3Of<Real>& m, int axis) {
  return {component(m.row0, axis), component(m.row1, axis), component(m.row2, axis)};
}

}  // namespace talus::inline TALUS_ISA
