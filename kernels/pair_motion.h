// SPDX-License-Identifier: MIT
// What the collision test of a pair knows of its motion, from the state of its bodies.
#pragma once
#include "columns.h"
#include "lengths.h"
#include "material.h"
#include "math/vec3.h"
#include "shapes/extent.h"
#include "shapes/motion.h"
#include "shapes/release.h"
#include "softness.h"
#include "step_params.h"

namespace talus::inline TALUS_ISA {

constexpr float kSlowWay = 1e-5f;       // of the thinner one's thickness, in a step: no motion worth the name
constexpr float kShortWay = 2e-3f;      // of the same thickness, in a step: what moves less does not slide
constexpr float kPlaceError = 1.2e-7f;  // [m/m] of the coordinates, two roundings of positions

constexpr float kTouchDepth = 0.02f;  // of the same thickness: how deep a touch is looked for
constexpr float kClearance = 0.002f;  // of the same thickness: two that keep further apart than that do not touch
constexpr float kAsideWay = 0.001f;   // of the same thickness, in a step: what moves less meets what is nearest now

struct FindMotion {
  const BodyModel& model;
  const Vec3Column &linear_velocity, &angular_velocity;
  const BodyInputs& inputs;
  const StepParams* params;
  const MaterialTable& materials;

  TALUS_HD PairMotion of(Index a, Index b, ShapeType type_a, const PlacedShape& shape_a, ShapeType type_b,
                         const PlacedShape& shape_b) const {
    const float thin =
        2.0f * min_of(min_half_thickness(type_a, shape_a.size), min_half_thickness(type_b, shape_b.size));
    const Vec3 v_a = linear_velocity[a], v_b = linear_velocity[b];
    PairMotion m;
    m.velocity = v_b - v_a;
    m.spin_a = angular_velocity[a];
    m.spin_b = angular_velocity[b];
    m.dt = ahead();
    const float pull = max_of(length(acceleration(a)), length(acceleration(b)));
    const float sunk = pull * standing_drop(a, b) +
                       1.5f * params->slop * smaller_radius(model.radius[a], model.radius[b]) +
                       place_error(shape_a.position, shape_b.position);
    m.sunk = min_of(sunk, kMostSunk * thin);
    m.overlap = kOverlap * thin + m.sunk;
    m.slow = kSlowWay * thin / params->dt;
    m.down = normalized_or(params->gravity, {0.0f, 0.0f, 0.0f});
    // What nothing moves bears; of two that slide along each other the slower one.
    const float inv_a = model.inv_mass[a], inv_b = model.inv_mass[b];
    const bool both_move = inv_a > 0.0f && inv_b > 0.0f;
    m.has_bearer = !both_move || params->dt * length(m.velocity) > kShortWay * thin;
    m.b_bears = both_move ? length_squared(v_b) < length_squared(v_a) : inv_b < inv_a;
    return m;
  }

  /// [s^2] Of a contact that bears one of the two, at most, over the acceleration that it has without it.
  TALUS_HD float standing_drop(Index a, Index b) const {
    const std::uint32_t number_a = model.flags[a] >> kMaterialShift, number_b = model.flags[b] >> kMaterialShift;
    float drop = params->standing_drop;
    if (number_a != 0 || number_b != 0) {
      const SurfaceRecord of_a = surface_of(materials, number_a, 0.0f, 0.0f, 0),
                          of_b = surface_of(materials, number_b, 0.0f, 0.0f, 0);
      const float hertz = contact_surface(of_a, of_b, find_material_pair(materials, number_a, number_b)).hertz;
      if (hertz > 0.0f) drop = max_of(drop, params->h * load_time_of(contact_softness(*params, hertz, false)));
    }
    drop = params->standing_most * drop;
    if (params->rigid_mixing > 0.0f) {
      const float inv_a = model.inv_mass[a], inv_b = model.inv_mass[b];
      const float of_heavier = inv_a > 0.0f && inv_b > 0.0f ? min_of(inv_a, inv_b) : max_of(inv_a, inv_b);
      drop += params->dt * params->rigid_mixing / max_of(of_heavier * params->rigid_push_rate, 1e-20f);
    }
    return drop;
  }

  /// Whether a contact of two that are apart would turn them aside in this step: one of its points would close its gap
  /// if they moved on as they do. Others keep it, whatever else may push the two together.
  TALUS_INLINE bool turns_aside(Index a, Index b, const Manifold& contact) const {
    if (!(least_gap(contact) > 0.0f)) return false;
    const Vec3 n = contact.normal, spin_a = angular_velocity[a], spin_b = angular_velocity[b];
    const float opening = least_opening(a, b, n);
    bool any = false;
    for (int i = 0; i < kMaxPoints; ++i) {
      const ManifoldPoint& point = contact.points[i];
      const float by_turning = dot(n, cross(spin_b, point.on_b) - cross(spin_a, point.on_a));
      any |= i < contact.count && point.separation + ahead() * (opening + by_turning) < 0.0f;
    }
    return any;
  }
  /// The same of two spheres, which turn on the spot. normal: unit, from A to B; gap: [m] along it.
  TALUS_INLINE bool turns_aside(Index a, Index b, Vec3 normal, float gap) const {
    return gap > 0.0f && gap + ahead() * least_opening(a, b, normal) < 0.0f;
  }

  /// The contact that two which are apart make in this step, unless something else touches them: none if they pass by
  /// each other, since a contact made ahead is a half space, and would turn aside what flies past a corner; else that
  /// of the features which meet, and not of those which are nearest now.
  TALUS_HD Manifold look_ahead(Index a, Index b, ShapeType type_a, const PlacedShape& shape_a, ShapeType type_b,
                               const PlacedShape& shape_b, const Manifold& contact) const {
    const float thin =
        2.0f * min_of(min_half_thickness(type_a, shape_a.size), min_half_thickness(type_b, shape_b.size));
    const float clearance = kClearance * thin + place_error(shape_a.position, shape_b.position);
    const PairFlight f = flight(a, b, type_a, shape_a, type_b, shape_b);
    const bool is_turned = length_squared(inputs.torque[a]) + length_squared(inputs.torque[b]) > 0.0f;
    const bool is_clear = least_gap(contact) > clearance && !is_turned;
    if (is_clear && !surely_touch(f, contact, kTouchDepth * thin) && stays_apart(f, clearance)) return {};
    const bool goes_far = f.dt * (length(f.velocity) + spin_of(a) + spin_of(b)) > kAsideWay * thin;
    if (contact.borne || !goes_far) return contact;
    const float sunk = max_of(length(acceleration(a)), length(acceleration(b))) * standing_drop(a, b);
    return where_they_meet(f, type_a, type_b, contact, thin, kOverlap * thin + min_of(sunk, kMostSunk * thin));
  }
  TALUS_HD PairFlight flight(Index a, Index b, ShapeType type_a, const PlacedShape& shape_a, ShapeType type_b,
                             const PlacedShape& shape_b) const {
    PairFlight f;
    f.a = traveller_of(type_a, shape_a, angular_velocity[a]);
    f.b = traveller_of(type_b, shape_b, angular_velocity[b]);
    f.between = shape_b.position - shape_a.position;
    f.velocity = linear_velocity[b] - linear_velocity[a];
    f.acceleration = acceleration(b) - acceleration(a);
    f.dt = ahead();
    f.early = params->moreau != 0 ? 0.0f : params->h;
    return f;
  }
  /// The same for spheres that fall alike, which move in straight lines against each other.
  TALUS_INLINE bool spheres_pass_by(Index a, Index b, Vec3 position_a, Vec3 position_b, float radius_a,
                                    float radius_b) const {
    const Vec3 between = position_b - position_a, velocity = linear_velocity[b] - linear_velocity[a];
    const float time = -dot(between, velocity) / max_of(length_squared(velocity), 1e-30f);
    const Vec3 nearest = between + clamp_to(time, 0.0f, ahead()) * velocity;
    const float apart =
        radius_a + radius_b + 2.0f * kClearance * min_of(radius_a, radius_b) + place_error(position_a, position_b);
    return length_squared(nearest) > apart * apart;
  }
  /// Unit, from A to B: the line of centres of two spheres when they touch, or are nearest to each other.
  TALUS_INLINE Vec3 line_of_impact(Index a, Index b, Vec3 between, float radii) const {
    const Vec3 fall = acceleration(b) - acceleration(a);
    const Vec3 velocity = linear_velocity[b] - linear_velocity[a] + (0.5f * ahead()) * fall;
    const float speed_squared = max_of(length_squared(velocity), 1e-30f), closing = -dot(between, velocity);
    const float room = length_squared(between) - radii * radii;
    const float root = square_root(max_of(closing * closing - speed_squared * room, 0.0f));
    const float touching = room / max_of(closing + root, 1e-30f), nearest = closing / speed_squared;
    return normalized_or(between + clamp_to(min_of(touching, nearest), 0.0f, ahead()) * velocity, {0.0f, 1.0f, 0.0f});
  }
  /// [m/s] The least speed of the centre of B against that of A along a direction, at any time of the step.
  TALUS_INLINE float least_opening(Index a, Index b, Vec3 direction) const {
    const float gain = ahead() * dot(direction, acceleration(b) - acceleration(a));
    return dot(direction, linear_velocity[b] - linear_velocity[a]) + min_of(gain, 0.0f);
  }
  /// [s] As far ahead as solvers look: the step, and a sub-step more.
  TALUS_INLINE float ahead() const { return params->dt + params->h; }
  /// [m/s^2] If nothing touches it.
  TALUS_INLINE Vec3 acceleration(Index body) const {
    const float inv_mass = model.inv_mass[body];
    if (!(inv_mass > 0.0f)) return {0.0f, 0.0f, 0.0f};
    return model.gravity_scale[body] * params->gravity + inv_mass * inputs.force[body];
  }

 private:
  /// [m/s] Of the outermost point, by turning.
  TALUS_INLINE float spin_of(Index body) const { return length(angular_velocity[body]) * model.radius[body]; }
  /// [m] Of the coordinates.
  TALUS_INLINE static float place_error(Vec3 a, Vec3 b) {
    const Vec3 places = abs_of(a) + abs_of(b);
    return kPlaceError * (places.x + places.y + places.z);
  }
};

}  // namespace talus::inline TALUS_ISA
