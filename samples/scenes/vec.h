// SPDX-License-Identifier: MIT
// The vectors of the scenes library: float for rays, double for measurements. A type of its own, so that what is
// measured and drawn shares no arithmetic with what is simulated.
#pragma once
#include <talus/config.h>
#include <talus/types.h>

#include <cmath>

namespace talus::scenes {

template <class Real>
struct Vec {
  Real x, y, z;
};
using Vecf = Vec<float>;
using Vecd = Vec<double>;

template <class Real>
TALUS_HD inline Vec<Real> operator+(Vec<Real> a, Vec<Real> b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class Real>
TALUS_HD inline Vec<Real> operator-(Vec<Real> a, Vec<Real> b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class Real>
TALUS_HD inline Vec<Real> operator-(Vec<Real> a) {
  return {-a.x, -a.y, -a.z};
}
template <class Real>
TALUS_HD inline Vec<Real> operator*(Real s, Vec<Real> v) {
  return {s * v.x, s * v.y, s * v.z};
}
template <class Real>
TALUS_HD inline Real dot(Vec<Real> a, Vec<Real> b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class Real>
TALUS_HD inline Vec<Real> cross(Vec<Real> a, Vec<Real> b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class Real>
TALUS_HD inline Real length(Vec<Real> v) {
  return std::sqrt(dot(v, v));
}
template <class Real>
TALUS_HD inline Vec<Real> normalized(Vec<Real> v) {
  return (Real(1) / length(v)) * v;
}

/// Rotation from body to world, as a unit quaternion.
template <class Real>
struct Rotation {
  Real x, y, z, w;
};

/// From body to world.
template <class Real>
TALUS_HD inline Vec<Real> rotate(Rotation<Real> q, Vec<Real> v) {
  const Vec<Real> u{q.x, q.y, q.z};
  const Vec<Real> t = Real(2) * cross(u, v);
  return v + q.w * t + cross(u, t);
}
/// From world to body.
template <class Real>
TALUS_HD inline Vec<Real> rotate_back(Rotation<Real> q, Vec<Real> v) {
  return rotate(Rotation<Real>{-q.x, -q.y, -q.z, q.w}, v);
}

/// The library's values in the precision asked for.
template <class Real>
TALUS_HD inline Vec<Real> vec(Vec3 v) {
  return {Real(v.x), Real(v.y), Real(v.z)};
}
template <class Real>
TALUS_HD inline Rotation<Real> rotation(Quat q) {
  return {Real(q.x), Real(q.y), Real(q.z), Real(q.w)};
}
inline Vec3 to_vec3(Vecd v) {
  return {float(v.x), float(v.y), float(v.z)};
}

}  // namespace talus::scenes
