// SPDX-License-Identifier: MIT
// Scalar functions with one result on every machine: selects in a fixed operand order (so that NaN and signed zero fall
// the same way everywhere), IEEE division and square root, no library function whose last bit is a matter of taste.
// The same names exist for packs of lanes (math/pack.h): a kernel template reads alike for float and for packs.
#pragma once
#include <cmath>
#include <cstdint>

#include <talus/config.h>

namespace talus::inline TALUS_ISA {

/// What a comparison of Reals gives: bool for float, a lane mask for packs.
template <class Real>
struct MaskOf;
template <>
struct MaskOf<float> {
  using type = bool;
};
template <class Real>
using Mask = typename MaskOf<Real>::type;

TALUS_INLINE float select(bool condition, float yes, float no) {
  return condition ? yes : no;
}
TALUS_INLINE int select(bool condition, int yes, int no) {
  return condition ? yes : no;
}
/// The smaller one; b if either is NaN or both are zero.
TALUS_INLINE float min_of(float a, float b) {
  return a < b ? a : b;
}
/// The larger one; b if either is NaN or both are zero.
TALUS_INLINE float max_of(float a, float b) {
  return a > b ? a : b;
}
TALUS_INLINE int min_of(int a, int b) {
  return a < b ? a : b;
}
TALUS_INLINE int max_of(int a, int b) {
  return a > b ? a : b;
}
TALUS_INLINE float clamp_to(float x, float low, float high) {
  return max_of(low, min_of(x, high));
}
TALUS_INLINE float abs_of(float x) {
  return x < 0.0f ? -x : x;
}
TALUS_INLINE float square_root(float x) {
  return sqrtf(x);
}
TALUS_INLINE double square_root(double x) {
  return sqrt(x);
}
TALUS_INLINE float sign_of(float x) {
  return x < 0.0f ? -1.0f : 1.0f;
}
/// False for NaN and infinities.
TALUS_INLINE bool is_finite(float x) {
  return x - x == 0.0f;
}
/// True if any lane is; a plain bool for float.
TALUS_INLINE bool any_of(bool condition) {
  return condition;
}

constexpr float kPi = 3.14159265358979f;

/// sin(x) and cos(x) for |x| <= pi / 4 by Taylor polynomials of degree 9 and 10, error below 4e-7 there.
template <class Real>
TALUS_INLINE void sine_cosine_small(Real x, Real& sine, Real& cosine) {
  const Real u = x * x;
  sine = x * (1.0f + u * (-1.6666667e-1f + u * (8.3333333e-3f + u * (-1.9841270e-4f + u * 2.7557319e-6f))));
  cosine = 1.0f + u * (-0.5f + u * (4.1666667e-2f + u * (-1.3888889e-3f + u * (2.4801587e-5f - u * 2.7557319e-7f))));
}

}  // namespace talus::inline TALUS_ISA
