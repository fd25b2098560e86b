// SPDX-License-Identifier: MIT
// Small matrices of the joint solver: 3x3, symmetric 3x3 and symmetric 6x6, for float and for packs of lanes.
#pragma once
#include "math/vec3.h"

namespace talus::inline TALUS_ISA {

template <class Real>
struct Sym3Of {
  Real xx, xy, xz, yy, yz, zz;
};

/// [[a, b], [b^T, c]]
template <class Real>
struct Sym6Of {
  Sym3Of<Real> a;
  Mat3Of<Real> b;
  Sym3Of<Real> c;
};

template <class Real>
struct Vec6Of {
  Vec3Of<Real> a, b;
};

template <class Real>
TALUS_INLINE Vec3Of<Real> operator*(const Sym3Of<Real>& s, Vec3Of<Real> v) {
  return {s.xx * v.x + s.xy * v.y + s.xz * v.z, s.xy * v.x + s.yy * v.y + s.yz * v.z,
          s.xz * v.x + s.yz * v.y + s.zz * v.z};
}
template <class Real>
TALUS_INLINE Vec6Of<Real> operator*(const Sym6Of<Real>& s, const Vec6Of<Real>& v) {
  return {s.a * v.a + s.b * v.b, transposed_times(s.b, v.a) + s.c * v.b};
}
template <class Real>
TALUS_INLINE Vec6Of<Real> operator+(const Vec6Of<Real>& u, const Vec6Of<Real>& v) {
  return {u.a + v.a, u.b + v.b};
}
template <class Real>
TALUS_INLINE Vec6Of<Real> operator-(const Vec6Of<Real>& u, const Vec6Of<Real>& v) {
  return {u.a - v.a, u.b - v.b};
}
template <class Real>
TALUS_INLINE Vec6Of<Real> operator-(const Vec6Of<Real>& v) {
  return {-v.a, -v.b};
}
template <class Real>
TALUS_INLINE Sym3Of<Real> operator+(const Sym3Of<Real>& s, const Sym3Of<Real>& t) {
  return {s.xx + t.xx, s.xy + t.xy, s.xz + t.xz, s.yy + t.yy, s.yz + t.yz, s.zz + t.zz};
}
template <class Real>
TALUS_INLINE Mat3Of<Real> operator+(const Mat3Of<Real>& m, const Mat3Of<Real>& n) {
  return {m.row0 + n.row0, m.row1 + n.row1, m.row2 + n.row2};
}
template <class Real>
TALUS_INLINE Mat3Of<Real> operator*(const Mat3Of<Real>& m, const Mat3Of<Real>& n) {
  return {transposed_times(n, m.row0), transposed_times(n, m.row1), transposed_times(n, m.row2)};
}
template <class Real>
TALUS_INLINE Mat3Of<Real> operator*(const Mat3Of<Real>& m, const Sym3Of<Real>& s) {
  return {s * m.row0, s * m.row1, s * m.row2};
}
template <class Real>
TALUS_INLINE Mat3Of<Real> operator*(const Sym3Of<Real>& s, const Mat3Of<Real>& m) {
  return {s.xx * m.row0 + s.xy * m.row1 + s.xz * m.row2, s.xy * m.row0 + s.yy * m.row1 + s.yz * m.row2,
          s.xz * m.row0 + s.yz * m.row1 + s.zz * m.row2};
}
template <class Real>
TALUS_INLINE Mat3Of<Real> transposed(const Mat3Of<Real>& m) {
  return {column_of(m, 0), column_of(m, 1), column_of(m, 2)};
}
/// m n^T
template <class Real>
TALUS_INLINE Mat3Of<Real> times_transposed(const Mat3Of<Real>& m, const Mat3Of<Real>& n) {
  return {n * m.row0, n * m.row1, n * m.row2};
}
/// m^T n
template <class Real>
TALUS_INLINE Mat3Of<Real> transposed_times(const Mat3Of<Real>& m, const Mat3Of<Real>& n) {
  return transposed(m) * n;
}
/// The upper half of a matrix that is symmetric but for rounding.
template <class Real>
TALUS_INLINE Sym3Of<Real> upper_half(const Mat3Of<Real>& m) {
  return {m.row0.x, m.row0.y, m.row0.z, m.row1.y, m.row1.z, m.row2.z};
}
template <class Real>
TALUS_INLINE Mat3Of<Real> whole(const Sym3Of<Real>& s) {
  return {{s.xx, s.xy, s.xz}, {s.xy, s.yy, s.yz}, {s.xz, s.yz, s.zz}};
}
template <class Real>
TALUS_INLINE Mat3Of<Real> select(Mask<Real> condition, const Mat3Of<Real>& yes, const Mat3Of<Real>& no) {
  return {select<Real>(condition, yes.row0, no.row0), select<Real>(condition, yes.row1, no.row1),
          select<Real>(condition, yes.row2, no.row2)};
}

/// Inverse of a positive definite matrix by L D L^T. Pivots that rounding took away stay above a small part of the
/// diagonal, so that the result is positive definite in any case.
template <class Real>
TALUS_INLINE Sym3Of<Real> inverse(const Sym3Of<Real>& s) {
  const Real one(1.0f), least(1e-6f);
  const Real i1 = one / s.xx, l21 = i1 * s.xy, l31 = i1 * s.xz;
  const Real i2 = one / max_of(s.yy - l21 * s.xy, least * s.yy), m = s.yz - l21 * s.xz, l32 = i2 * m;
  const Real i3 = one / max_of(s.zz - l31 * s.xz - l32 * m, least * s.zz);
  const Real m31 = l21 * l32 - l31;  // of the inverse of L
  const Real xz = i3 * m31, yz = -i3 * l32;
  return {i1 + i2 * l21 * l21 + xz * m31, -i2 * l21 + yz * m31, xz, i2 - yz * l32, yz, i3};
}

/// The same by blocks.
template <class Real>
TALUS_INLINE Sym6Of<Real> inverse(const Sym6Of<Real>& s) {
  const Real least(1e-6f);
  const Sym3Of<Real> c = inverse(s.c);
  const Mat3Of<Real> bc = s.b * c;
  const Sym3Of<Real> taken = upper_half(times_transposed(bc, s.b));
  const Sym3Of<Real> left{
      max_of(s.a.xx - taken.xx, least * s.a.xx), s.a.xy - taken.xy, s.a.xz - taken.xz,
      max_of(s.a.yy - taken.yy, least * s.a.yy), s.a.yz - taken.yz, max_of(s.a.zz - taken.zz, least * s.a.zz)};
  const Sym3Of<Real> a = inverse(left);
  const Mat3Of<Real> coupling = a * bc;
  return {a, {-coupling.row0, -coupling.row1, -coupling.row2}, c + upper_half(transposed_times(bc, coupling))};
}

}  // namespace talus::inline TALUS_ISA
