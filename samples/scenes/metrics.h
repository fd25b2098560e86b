// SPDX-License-Identifier: MIT
// How good a result is: penetration, drift, energy, escapes and errors of joints, computed in double precision from
// shapes and poses alone. Knows nothing of the engine's contacts, so it judges every engine alike (the numbers of
// peers_csv.h).
#pragma once
#include <talus/talus.h>

#include <span>

#include "scene.h"
#include "vec.h"

namespace talus::scenes {

/// A shape in place, in double precision.
struct Solid {
  ShapeType type = ShapeType::sphere;
  Vecd size{};  ///< as ShapeDef::size
  Vecd position{};
  Rotation<double> orientation{0, 0, 0, 1};
};
Solid solid(const ShapeDef& shape, const Transform& pose);

/// [m] Radius of the ball about the body's position that holds the shape. Not for planes.
double bounding_radius(const Solid& solid);
/// [m] Gap between two spheres, boxes or capsules; negative: depth of the overlap. For two boxes it is the largest
/// separation over the 15 axes of the separating axis test: never more than their distance, less between two corners.
double gap(const Solid& a, const Solid& b);
/// [m] Gap to a boundary; negative: how far the shape reaches through it.
double boundary_gap(const Solid& solid, const Boundary& boundary);
/// [kg] and [kg m^2] of a body: as given by its definition, else of its shape and density.
double mass(const BodyDef& def);
Vecd inertia(const BodyDef& def);

/// [m] How far a joint is from what it allows along its linear axes, in the order of the scene's bodies: the distance
/// of the two anchors where all three are locked. Broken joints count like others.
double joint_error(const Scene& scene, const AssemblyJoint& joint, std::span<const BodyMotion> motions);

/// A pair or a body and a boundary count as touching below this gap. [m]
constexpr double kTouching = 0.01;

struct Metrics {
  long touching = 0;       ///< pairs, boundaries included, with a gap below kTouching
  long escaped = 0;        ///< bodies with their centre beyond a boundary
  long not_finite = 0;     ///< bodies lost to NaN, infinity, or more than 1000 km away
  double pen_max = 0;      ///< [m] largest penetration
  double pen_mean = 0;     ///< [m] mean over touching pairs, zero where there is a gap
  double pen_p99 = 0;      ///< [m] 99 % of touching pairs have less
  double ke_per_body = 0;  ///< [J] kinetic energy of a dynamic body, mean
  double vmax = 0;         ///< [m/s] largest speed of a centre of mass
  double drift_max = 0;    ///< [m] horizontal way from the start; stacks only, else 0
  double drift_mean = 0;   ///< [m]
  double sag_max = 0;      ///< [m] vertical way from the start; stacks only, else 0
  double joint_max = 0;    ///< [m] largest joint_error()
  double joint_mean = 0;   ///< [m] mean over the joints
  double height = 0;       ///< [m] of the highest centre of mass
};

/// Measures dynamic bodies, against each other, kinematic ones, and the scene's boundaries. `motions` are those of
/// scene.bodies, in their order. Bodies whose joint keeps them from colliding are no pair.
Metrics measure(const Scene& scene, std::span<const BodyMotion> motions);

}  // namespace talus::scenes
