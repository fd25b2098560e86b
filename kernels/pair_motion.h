// SPDX-License-Identifier: MIT
// What the collision test of a pair knows of its motion, from the state of its bodies.
#pragma once
#include "columns.h"
#include "lengths.h"
#include "math/vec3.h"
#include "shapes/extent.h"
#include "shapes/motion.h"
#include "step_params.h"

namespace talus::inline TALUS_ISA {

constexpr float kStandingDrop = 0.08f;  // [g dt^2] twice what the softest contacts give under a body's own weight
constexpr float kSlowWay = 1e-5f;       // of the thinner one's thickness, in a step: no motion worth the name
constexpr float kShortWay = 2e-3f;      // of the same thickness, in a step: what moves less does not slide
constexpr float kPlaceError = 1.2e-7f;  // [m/m] of the coordinates, two roundings of positions

struct FindMotion {
  const BodyModel& model;
  const Vec3Column &linear_velocity, &angular_velocity;
  const StepParams* params;

  TALUS_HD PairMotion of(Index a, Index b, ShapeType type_a, const PlacedShape& shape_a, ShapeType type_b,
                         const PlacedShape& shape_b) const {
    const float thin =
        2.0f * min_of(min_half_thickness(type_a, shape_a.size), min_half_thickness(type_b, shape_b.size));
    const Vec3 v_a = linear_velocity[a], v_b = linear_velocity[b];
    PairMotion m;
    m.velocity = v_b - v_a;
    m.spin_a = angular_velocity[a];
    m.spin_b = angular_velocity[b];
    m.dt = params->dt + params->h;
    const Vec3 places = abs_of(shape_a.position) + abs_of(shape_b.position);
    const float sunk = kStandingDrop * params->dt * params->dt * length(params->gravity) +
                       1.5f * params->rigid_slop * smaller_radius(model.radius[a], model.radius[b]) +
                       kPlaceError * (places.x + places.y + places.z);
    m.sunk = min_of(sunk, kMostSunk * thin);
    m.overlap = kOverlap * thin + m.sunk;
    m.slow = kSlowWay * thin / params->dt;
    // What nothing moves bears; of two that slide along each other the slower one.
    const float inv_a = model.inv_mass[a], inv_b = model.inv_mass[b];
    const bool both_move = inv_a > 0.0f && inv_b > 0.0f;
    m.has_bearer = !both_move || params->dt * length(m.velocity) > kShortWay * thin;
    m.b_bears = both_move ? length_squared(v_b) < length_squared(v_a) : inv_b < inv_a;
    return m;
  }
};

}  // namespace talus::inline TALUS_ISA
