// SPDX-License-Identifier: MIT
// What the collision test of a pair knows of its motion, from the state of its bodies.
#pragma once
#include "columns.h"
#include "math/vec3.h"
#include "shapes/extent.h"
#include "shapes/motion.h"
#include "shapes/release.h"
#include "step_params.h"

namespace talus::inline TALUS_ISA {

constexpr float kStandingDrop = 0.08f;  // [g dt^2] twice what the softest contacts give under a body's own weight
constexpr float kSlowWay = 1e-5f;       // of the thinner one's thickness, in a step: no motion worth the name
constexpr float kShortWay = 2e-3f;      // of the same thickness, in a step: what moves less does not slide
constexpr float kPlaceError = 1.2e-7f;  // [m/m] of the coordinates, two roundings of positions

constexpr float kTouchDepth = 0.02f;  // of the same thickness
constexpr float kClearance = 0.002f;  // of the same thickness: two that keep further apart than that do not touch

struct FindMotion {
  BodyModel model;
  Vec3Column linear_velocity, angular_velocity;
  BodyInputs inputs;
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
    const float sunk = kStandingDrop * params->dt * params->dt * length(params->gravity) + 1.5f * params->rigid_slop +
                       place_error(shape_a, shape_b);
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

  /// Whether two that have a contact do not touch in this step after all, unless something else touches
  /// them. What cannot get as far along the normal in the step keeps its contact, which does nothing.
  TALUS_HD bool pass_by(Index a, Index b, ShapeType type_a, const PlacedShape& shape_a, ShapeType type_b,
                        const PlacedShape& shape_b, const Manifold& contact) const {
    const float gap = least_gap(contact);
    const float thin =
        2.0f * min_of(min_half_thickness(type_a, shape_a.size), min_half_thickness(type_b, shape_b.size));
    const float clearance = kClearance * thin + place_error(shape_a, shape_b);
    if (!(gap > clearance)) return false;
    PairFlight f;
    f.a = traveller_of(type_a, shape_a, angular_velocity[a]);
    f.b = traveller_of(type_b, shape_b, angular_velocity[b]);
    f.velocity = linear_velocity[b] - linear_velocity[a];
    f.acceleration = acceleration(b) - acceleration(a);
    f.dt = params->dt + params->h;
    f.early = params->moreau != 0 ? 0.0f : params->h;
    const float turning = length(f.a.spin) * length(f.a.core) + length(f.b.spin) * length(f.b.core);
    const float closing =
        turning + f.dt * abs_of(dot(contact.normal, f.acceleration)) - dot(contact.normal, f.velocity);
    if (f.dt * closing <= gap || length_squared(inputs.torque[a]) + length_squared(inputs.torque[b]) > 0.0f)
      return false;
    f.between = shape_b.position - shape_a.position;
    return !surely_touch(f, contact, kTouchDepth * thin) && stays_apart(f, clearance);
  }

 private:
  /// [m/s^2] If nothing touches it.
  TALUS_HD Vec3 acceleration(Index body) const {
    const float inv_mass = model.inv_mass[body];
    if (!(inv_mass > 0.0f)) return {0.0f, 0.0f, 0.0f};
    return model.gravity_scale[body] * params->gravity + inv_mass * inputs.force[body];
  }
  /// [m] Of the coordinates.
  TALUS_HD static float place_error(const PlacedShape& a, const PlacedShape& b) {
    const Vec3 places = abs_of(a.position) + abs_of(b.position);
    return kPlaceError * (places.x + places.y + places.z);
  }
};

}  // namespace talus::inline TALUS_ISA
