// SPDX-License-Identifier: MIT
// Which friction impulses a contact allows in its tangent plane, and the nearest of them to one that is wanted: the
// model of friction, apart from the method that solves with it (S1-116). Templates over Real, for any solver.
//
// Every projection leaves what is allowed as it is, bit for bit. The nearest point, and not the one on the ray from the
// origin, is what makes friction dissipate most (S1-19): where f = nearest(f - r s) for a slip s, no allowed impulse
// brakes s more than f does.
#pragma once
#include "math/scalar.h"
#include "step_params.h"

namespace talus::inline TALUS_ISA {

/// Of a symmetric 2x2 matrix.
template <class Real>
TALUS_INLINE Real larger_eigenvalue(Real k11, Real k22, Real k12) {
  const Real half(0.5f), difference = half * (k11 - k22);
  return half * (k11 + k22) + square_root(difference * difference + k12 * k12);
}

/// Nearest point of the disk of a radius (S1-18).
template <class Real>
TALUS_INLINE void project_on_circle(Real radius, Real& f1, Real& f2) {
  const Real size = square_root(f1 * f1 + f2 * f2);
  const Real shrink = select(size > radius, radius / size, Real(1.0f));
  f1 = shrink * f1;
  f2 = shrink * f2;
}

/// Nearest point of the rectangle given by half its sides (S1-22).
template <class Real>
TALUS_INLINE void project_on_box(Real half1, Real half2, Real& f1, Real& f2) {
  f1 = clamp_to(f1, -half1, half1);
  f2 = clamp_to(f2, -half2, half2);
}

/// Nearest point of the regular polygon with a corner on the first axis, in a circle of a radius (S0-15, S1-21). A
/// point between the rays to two neighbouring corners is nearest to the side between them: the mirror image of any
/// point beyond such a ray is nearer than the point itself.
template <class Real>
TALUS_INLINE void project_on_polygon(const FrictionPolygon& polygon, Real radius, Real& f1, Real& f2) {
  const Real cosine(polygon.cosine), sine(polygon.sine);  // of half the angle of a side
  const Real turn_x = cosine * cosine - sine * sine, turn_y = Real(2.0f) * sine * cosine;
  Real x = cosine, y = sine;  // normal of the side
  Real best_x = x, best_y = y, best = f1 * x + f2 * y;
  for (std::uint32_t side = 1; side < polygon.sides; ++side) {
    const Real next_x = turn_x * x - turn_y * y;
    y = turn_y * x + turn_x * y;
    x = next_x;
    const Real out = f1 * x + f2 * y;
    const Mask<Real> further = out > best;
    best = select(further, out, best);
    best_x = select(further, x, best_x);
    best_y = select(further, y, best_y);
  }
  const Real distance = radius * cosine, half = radius * sine;
  const Real along = clamp_to(f2 * best_x - f1 * best_y, -half, half);
  const Mask<Real> outside = best > distance;
  f1 = select(outside, distance * best_x - along * best_y, f1);
  f2 = select(outside, distance * best_y + along * best_x, f2);
}

/// Nearest point of the ellipse with half axes a1 and a2 (S1-115, S0-17). It is a_i^2 z_i / (t + a_i^2) for the t >= 0
/// that puts it on the rim. With q(t) the length of (a_i z_i / (t + a_i^2)), Newton's method is applied to 1 - 1 / q,
/// which is nearly straight and concave: from below it rises to the root and does not pass it.
template <class Real>
TALUS_INLINE void project_on_ellipse(Real a1, Real a2, Real& f1, Real& f2) {
  constexpr int kIterations = 5;      // half axes 1:100: within 3e-6 of the longer one; 4 leave 1e-3
  constexpr float kThinnest = 1e-4f;  // [1] of the longer half axis: thinner ones have no digits left
  const Real zero(0.0f), one(1.0f), tiny(1e-30f);
  const Real longest = max_of(a1, a2), unit = one / max_of(longest, tiny);
  const Real u1 = max_of(a1 * unit, Real(kThinnest)), u2 = max_of(a2 * unit, Real(kThinnest));
  const Real z1 = f1 * unit, z2 = f2 * unit, p1 = u1 * abs_of(z1), p2 = u2 * abs_of(z2);
  const Real e1 = u1 * u1, e2 = u2 * u2, out1 = z1 / u1, out2 = z2 / u2;
  const Mask<Real> outside = out1 * out1 + out2 * out2 > one;
  Real t = max_of(max_of(p1 - e1, p2 - e2), zero);
  for (int i = 0; i < kIterations; ++i) {
    const Real i1 = one / (t + e1), i2 = one / (t + e2), q1 = p1 * i1, q2 = p2 * i2;
    const Real squared = q1 * q1 + q2 * q2, slope = q1 * q1 * i1 + q2 * q2 * i2;
    const Real step = squared * (square_root(squared) - one) / max_of(slope, tiny);
    t = t + max_of(step, zero);
  }
  const Real n1 = e1 * z1 / (t + e1), n2 = e2 * z2 / (t + e2), over1 = n1 / u1, over2 = n2 / u2;
  // What is left of the error goes along the ray.
  const Real size = longest / max_of(square_root(over1 * over1 + over2 * over2), one);
  const Mask<Real> some = longest > tiny;
  f1 = select(some, select(outside, size * n1, f1), zero);
  f2 = select(some, select(outside, size * n2, f2), zero);
}

/// The model of a world, the same in every direction: a disk, or the square along the two tangents.
template <class Real>
TALUS_INLINE void limit_friction(bool box, Real limit, Real& f1, Real& f2) {
  if (box) {
    project_on_box(limit, limit, f1, f2);
  } else {
    project_on_circle(limit, f1, f2);
  }
}

/// Any model of a world, with a limit for each tangent. A polygon is stretched along the tangents: its nearest point is
/// that of the stretched plane.
template <class Real>
TALUS_INLINE void project_friction(const StepParams& params, Real limit1, Real limit2, Real& f1, Real& f2) {
  if (params.box_friction != 0) {
    project_on_box(limit1, limit2, f1, f2);
  } else if (params.polygon.sides != 0) {
    const Real tiny(1e-30f), zero(0.0f), one(1.0f), before1 = f1, before2 = f2;
    Real u1 = f1 / max_of(limit1, tiny), u2 = f2 / max_of(limit2, tiny);
    const Real from1 = u1, from2 = u2;
    project_on_polygon(params.polygon, one, u1, u2);
    const Mask<Real> inside = u1 == from1 && u2 == from2;
    f1 = select(limit1 > tiny, select(inside, before1, limit1 * u1), zero);
    f2 = select(limit2 > tiny, select(inside, before2, limit2 * u2), zero);
  } else {
    project_on_ellipse(limit1, limit2, f1, f2);
  }
}

/// The same, with a limit for each way along the first tangent (S1-123). The two halves of what is allowed meet at
/// right angles to the line between them: the nearest point is in the half that the impulse is in.
template <class Real>
TALUS_INLINE void project_friction(const StepParams& params, Real negative1, Real positive1, Real limit2, Real& f1,
                                   Real& f2) {
  project_friction(params, select(f1 > Real(0.0f), positive1, negative1), limit2, f1, f2);
}

/// Friction tensors (S1-121), in their principal axes: friction is L times what would be friction of unit coefficients
/// in all directions. Impulses are taken back by L and projected there, on a disk whose radius is the load, so that
/// friction ends where it is -load L v / |v| for the slip v.
template <class Real>
TALUS_INLINE void project_by_tensor(Real load, Real tensor1, Real tensor2, Real step1, Real step2, Real& f1, Real& f2) {
  const Real tiny(1e-30f);
  Real u1 = f1 / max_of(tensor1, tiny) - step1, u2 = f2 / max_of(tensor2, tiny) - step2;
  project_on_circle(load, u1, u2);
  f1 = tensor1 * u1;
  f2 = tensor2 * u2;
}

}  // namespace talus::inline TALUS_ISA
