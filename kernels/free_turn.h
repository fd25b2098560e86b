// SPDX-License-Identifier: MIT
// The turn of a free body that turns far in a sub-step, one body at a time in double precision. Slow bodies have a
// cheaper rule of their own (integrate.h).
#pragma once
#include "math/vec3.h"
#include "solve_columns.h"

namespace talus::inline TALUS_ISA {

using Vec3d = Vec3Of<double>;
using Quatd = QuatOf<double>;

// Euler's equations are integrated by Runge and Kutta's rule of order four in turns of at most this. It leaves some
// 1e-6 rad of error for each radian with the first number. Beyond kFollowed nobody sees where the body points, and the
// second will do: energy and momentum are put back where they were after each turn.
constexpr double kFineTurn = 0.1;     // [rad]
constexpr double kCoarseTurn = 0.33;  // [rad]
constexpr double kFollowed = 4.0;     // [rad] in a sub-step
constexpr int kMostTurns = 1024;      // what turns faster turns by 340 rad in a sub-step, with all its energy

TALUS_INLINE Vec3d doubles(Vec3 v) {
  return {double(v.x), double(v.y), double(v.z)};
}
TALUS_INLINE Quatd doubles(Quat q) {
  return {double(q.x), double(q.y), double(q.z), double(q.w)};
}

/// a / b, component by component.
template <class Real>
TALUS_INLINE Vec3Of<Real> over(Vec3Of<Real> a, Vec3Of<Real> b) {
  return {a.x / b.x, a.y / b.y, a.z / b.z};
}
TALUS_INLINE Quat floats(Quatd q) {
  return {float(q.x), float(q.y), float(q.z), float(q.w)};
}
/// A body without torque. Momentum is a unit vector here, and time is counted in turns.
struct FreeTurn {
  Vec3d momentum;  // own axes, length 1
  Vec3d rate;      // [rad] per turn about each axis for a momentum of 1 along it
  Quatd turned;    // own axes at the start -> own axes now; not of length 1

  struct Rate {
    Vec3d momentum;
    Quatd turned;
  };
  TALUS_INLINE Rate rate_of(Vec3d m, Quatd q) const {
    const Vec3d w = scale(rate, m);
    return {cross(m, w), q * Quatd{0.5 * w.x, 0.5 * w.y, 0.5 * w.z, 0.0}};
  }
  TALUS_INLINE static Quatd ahead(Quatd q, double s, Quatd d) {
    return {q.x + s * d.x, q.y + s * d.y, q.z + s * d.z, q.w + s * d.w};
  }

  TALUS_INLINE void advance() {
    const Rate a = rate_of(momentum, turned);
    const Rate b = rate_of(momentum + 0.5 * a.momentum, ahead(turned, 0.5, a.turned));
    const Rate c = rate_of(momentum + 0.5 * b.momentum, ahead(turned, 0.5, b.turned));
    const Rate d = rate_of(momentum + c.momentum, ahead(turned, 1.0, c.turned));
    momentum = momentum + (1.0 / 6) * (a.momentum + 2.0 * (b.momentum + c.momentum) + d.momentum);
    turned = ahead(ahead(turned, 1.0 / 6, a.turned), 1.0 / 3, b.turned);
    turned = ahead(ahead(turned, 1.0 / 3, c.turned), 1.0 / 6, d.turned);
  }

  /// Back to length 1, and along the sphere to where the energy is what it was.
  TALUS_INLINE void restore(double energy) {
    momentum = (1.5 - 0.5 * dot(momentum, momentum)) * momentum;
    const Vec3d w = scale(rate, momentum);
    const double now = dot(w, momentum);
    const Vec3d uphill = w - now * momentum;
    const double steep = 2.0 * dot(uphill, uphill);
    // About a principal axis energy is flat, and rounding is all that there is to put back.
    if (steep > 1e-14 * now * now) momentum = momentum - ((now - energy) / steep) * uphill;
  }

  /// The rotation found, and the least one that makes it agree with the momentum at the end: in world axes that is
  /// what it was.
  TALUS_INLINE Quatd result(Vec3d start) const {
    const Quatd q = normalized(turned);
    const Vec3d seen = rotate_back(q, start), axis = cross(momentum, seen);
    return normalized(q * Quatd{axis.x, axis.y, axis.z, 1.0 + dot(momentum, seen)});
  }
};

/// Turns a body by h. `turn`: own axes at the start of the step -> own axes now, in and out. `spin`: angular velocity
/// in scaled axes (solve_columns.h), in and out. `inverse`: inverse moments of inertia, none of them 0.
TALUS_SELDOM inline void turn_free_body(float h, Vec3 inverse, Vec3 per_axis, Quat& turn, Vec3& spin) {
  const Vec3d i = doubles(inverse), axes = doubles(per_axis);
  const Quatd from = normalized(doubles(turn));
  const Vec3d w = rotate_back(from, scale(axes, doubles(spin)));  // own axes
  const Vec3d m = over(w, i);
  const double size = length(m);
  if (!(size > 0.0)) return;
  const double low = i.x < i.y ? (i.x < i.z ? i.x : i.z) : (i.y < i.z ? i.y : i.z);
  const double high = i.x > i.y ? (i.x > i.z ? i.x : i.z) : (i.y > i.z ? i.y : i.z);
  // Of all velocities with this energy and momentum none is larger: i^2 <= (low + high) i - low high.
  const double fastest = square_root((low + high) * dot(w, m) - low * high * size * size);
  const double way = double(h) * fastest;
  const double wanted = 1.0 + (way < kFollowed ? way / kFineTurn : way / kCoarseTurn);
  const int turns = wanted < double(kMostTurns) ? int(wanted) : kMostTurns;
  const double time = wanted < double(kMostTurns) ? double(h) / double(turns) : kCoarseTurn / fastest;

  FreeTurn body{(1.0 / size) * m, (time * size) * i, {0.0, 0.0, 0.0, 1.0}};
  const Vec3d start = body.momentum;
  const double energy = dot(scale(body.rate, start), start);
  for (int n = 0; n < turns; ++n) {
    body.advance();
    body.restore(energy);
  }
  turn = floats(from * body.result(start));
  // About the orientation as it is stored: its rounding turns the momentum with it, and does not change the motion.
  const Vec3d own = size * scale(i, body.momentum), after = over(rotate(normalized(doubles(turn)), own), axes);
  // Never -0, as all velocities of the solver.
  spin = {float(after.x) + 0.0f, float(after.y) + 0.0f, float(after.z) + 0.0f};
}

/// At the end of a step: from the solver's axes to world axes. `begin`: orientation at the start of the step; `before`:
/// velocity at the start in scaled axes, as the solver was given it, rounded. `spin` [rad/s] in world axes: at the
/// start, and at the end. Writes `orientation`.
TALUS_SELDOM inline void finish_free_turn(const BodyFrame& frame, Quat begin, Vec3 before, Quat turn, Vec3 now,
                                          Quat& orientation, Vec3& spin) {
  const Quatd start = normalized(doubles(frame.orientation)), turned = normalized(doubles(turn));
  const Vec3d axes = doubles(frame.scale);
  // What rounding took at the start is given back in own axes. As momentum it would go astray: where a slender body has
  // turned to, a little momentum across its axis at the start is a large velocity about its axis.
  const Vec3d rounded_off = rotate_back(normalized(doubles(begin)), doubles(spin)) - scale(axes, doubles(before));
  const Vec3d own = rotate_back(turned, scale(axes, doubles(now))) + rounded_off;
  orientation = floats(normalized(start * turned));
  const Vec3d after = rotate(normalized(doubles(orientation)), own);
  spin = {float(after.x) + 0.0f, float(after.y) + 0.0f, float(after.z) + 0.0f};
}

}  // namespace talus::inline TALUS_ISA
