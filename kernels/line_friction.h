// SPDX-License-Identifier: MIT
// Friction of contacts with two points: capsules that lie, edges of boxes. Each point rubs by its own load against its
// own slip. One circle for the push in the middle and one limit for the twist would allow both in full at once: a
// capsule that slides across its axis and turns would stop turning long before it stops sliding.
#pragma once
#include "math/scalar.h"

namespace talus::inline TALUS_ISA {

/// [N s] What two points give together: along their line, across it, and about the normal by their arm, the distance
/// [m] of each from the middle. The first one is at -arm.
template <class Real>
struct LineImpulse {
  Real along, across, twist;
};

/// [N s] Friction of each of the two points.
template <class Real>
struct LinePoints {
  Real along[2], across[2];

  TALUS_INLINE LineImpulse<Real> together(Real arm) const {
    return {along[0] + along[1], across[0] + across[1], arm * (across[1] - across[0])};
  }
};

/// [N s] What points with these limits can still give along the line.
template <class Real>
TALUS_INLINE Real rest_along(Real limit, Real across) {
  return square_root(max_of(limit * limit - across * across, Real(0.0f)));
}

/// Only their sum is known of what they give along the line. Points that slip give all they can, so each has a part as
/// large as what it can give.
template <class Real>
TALUS_INLINE LinePoints<Real> points_of_line(const LineImpulse<Real>& f, Real arm, const Real limit[2]) {
  const Real half(0.5f), zero(0.0f), turning = f.twist / arm;
  LinePoints<Real> p;
  p.across[0] = half * (f.across - turning);
  p.across[1] = half * (f.across + turning);
  const Real first = rest_along(limit[0], p.across[0]), both = first + rest_along(limit[1], p.across[1]);
  p.along[0] = select(both > zero, first / select(both > zero, both, Real(1.0f)), half) * f.along;
  p.along[1] = f.along - p.along[0];
  return p;
}

/// Whether the two points can give an impulse.
template <class Real>
TALUS_INLINE Mask<Real> line_holds(const LineImpulse<Real>& f, Real arm, const Real limit[2]) {
  const LinePoints<Real> p = points_of_line(f, arm, limit);
  const Real both = rest_along(limit[0], p.across[0]) + rest_along(limit[1], p.across[1]);
  return abs_of(p.across[0]) <= limit[0] && abs_of(p.across[1]) <= limit[1] && abs_of(f.along) <= both;
}

}  // namespace talus::inline TALUS_ISA
