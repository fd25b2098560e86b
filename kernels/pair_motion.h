// SPDX-License-Identifier: MIT
// What the bodies of a pair will do in this step, from their state and the forces on them.
#pragma once
#include "columns.h"
#include "math/vec3.h"
#include "shapes/extent.h"
#include "shapes/release.h"
#include "step_params.h"

namespace talus::inline TALUS_ISA {

// How deep two shapes may overlap along an axis that parts them otherwise, in parts of the thinner one's thickness.
// What stands is sunk in by a little, and pieces of a floor differ by as little. Steps lower than that are climbed, not
// hit.
constexpr float kFlatOverlap = 0.01f;    // of two boxes
constexpr float kRoundOverlap = 0.005f;  // of a box and something round, whose edges are felt that much later
constexpr float kMostOverlap = 0.05f;    // of either, with what follows
constexpr float kStandingDrop = 0.08f;   // [g dt^2] soft contacts give an eighth of it under a body's own weight
constexpr float kSlowWay = 1e-5f;        // of the same thickness, in a step: no motion worth the name
constexpr float kClearance = 0.002f;     // of the same thickness: two that keep further apart than that do not touch
constexpr float kSmallDrop = 0.02f;      // of the same thickness: a fall within the step that decides about nothing
constexpr float kPlaceError = 1.2e-7f;   // [m/m] of the coordinates, two roundings of positions

/// How two bodies move if nothing touches them.
struct FindMotion {
  BodyModel model;
  Vec3Column linear_velocity, angular_velocity;
  Vec3Column force;
  const StepParams* params;

  TALUS_HD PairMotion of(Index a, Index b, ShapeType type_a, const PlacedShape& shape_a, ShapeType type_b,
                         const PlacedShape& shape_b) const {
    const float thin =
        2.0f * min_of(min_half_thickness(type_a, shape_a.size), min_half_thickness(type_b, shape_b.size));
    PairMotion m;
    m.a = traveller_of(type_a, shape_a, angular_velocity[a]);
    m.b = traveller_of(type_b, shape_b, angular_velocity[b]);
    m.between = shape_b.position - shape_a.position;
    m.velocity = linear_velocity[b] - linear_velocity[a];
    m.acceleration = acceleration(b) - acceleration(a);
    m.dt = params->dt + params->h;
    m.early = params->moreau != 0 ? 0.0f : params->h;
    const float place_error = place_error_of(shape_a.position, shape_b.position);
    const float slop = params->rigid_slop * min_of(model.radius[a], model.radius[b]);
    const float sunk =
        min_of(kStandingDrop * params->dt * params->dt * length(params->gravity) + 1.5f * slop + place_error,
               kMostOverlap * thin);
    m.flat = kFlatOverlap * thin + sunk;
    m.round = kRoundOverlap * thin + sunk;
    m.slow = kSlowWay * thin / params->dt;
    m.small_drop = kSmallDrop * thin;
    m.clearance = kClearance * thin + place_error;
    m.b_bears = bears(a, b, kClearance * thin);
    return m;
  }

 private:
  TALUS_HD Vec3 acceleration(Index body) const {
    const float inv_mass = model.inv_mass[body];
    if (!(inv_mass > 0.0f)) return {0.0f, 0.0f, 0.0f};
    return model.gravity_scale[body] * params->gravity + inv_mass * force[body];
  }
  /// Whether B stands and A moves over it: what nothing moves stands, else what is slower, else what is heavier.
  TALUS_HD bool bears(Index a, Index b, float short_way) const {
    const float inv_a = model.inv_mass[a], inv_b = model.inv_mass[b];
    const Vec3 v_a = linear_velocity[a], v_b = linear_velocity[b];
    const bool slides = params->dt * length(v_b - v_a) > short_way && inv_a > 0.0f && inv_b > 0.0f;
    return slides ? length_squared(v_b) < length_squared(v_a) : inv_b < inv_a;
  }
  TALUS_HD static float place_error_of(Vec3 a, Vec3 b) {
    const Vec3 size = abs_of(a) + abs_of(b);
    return kPlaceError * (size.x + size.y + size.z);
  }
};

/// [m] Of a manifold with points.
TALUS_INLINE float lowest_point(const Manifold& m) {
  float gap = m.points[0].separation;
  for (int i = 1; i < m.count; ++i) gap = min_of(gap, m.points[i].separation);
  return gap;
}

/// Whether two that have a contact at a distance `gap` [m] do not touch in this step after all. What does not get as
/// far in the step keeps its contact, which does nothing.
TALUS_HD inline bool passes_by(const PairMotion& m, float gap) {
  if (!(gap > m.clearance)) return false;
  const float turning = length(m.a.spin) * length(m.a.core) + length(m.b.spin) * length(m.b.core);
  const float way = m.dt * (length(m.velocity) + turning + m.dt * length(m.acceleration));
  return way > gap && stays_apart(m, m.clearance);
}

}  // namespace talus::inline TALUS_ISA
