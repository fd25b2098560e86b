// SPDX-License-Identifier: MIT
// Numbers of a step that kernels read from the backend's memory, so that a captured step serves any of their values.
#pragma once
#include <talus/defs.h>

namespace talus {

/// A soft constraint over one sub-step, from frequency and damping ratio (S1-26/27: the same two numbers as ERP, CFM).
struct Softness {
  float bias_rate;      // [1/s] part of the penetration removed a second
  float mass_scale;     // [1]
  float impulse_scale;  // [1]
};

/// FrictionModel::polyhedral: a regular polygon with a corner on the first tangent.
struct FrictionPolygon {
  std::uint32_t sides;  // 0: another model
  float cosine, sine;   // of pi / sides
};

struct StepParams {
  Vec3 gravity;                 // [m/s^2]
  Vec3 up;                      // against gravity; 0 if there is none
  float fall;                   // [m] that gravity adds to the way of a step
  float dt;                     // [s] of the step
  float h;                      // [s] of a sub-step
  float inv_h;                  // [1/s]
  Softness contact;             // between moving bodies
  Softness ground;              // where one of the two is fixed or kinematic: twice as stiff
  Softness split;               // overflow contacts
  float max_contact_hertz;      // [Hz] stiffest contact, of materials that say how stiff they are
  float contact_damping_ratio;  // [1]
  Softness joint;               // limits, and locked axes that are in no tree
  float max_push_speed;         // [m/s]
  float deep_floor;             // [m] see deep_limit
  float load_time;              // [s] of `contact`, see load_time_of; 0: contacts do not give way
  float standing_drop;          // [s^2] depth of a contact that bears a body, over its acceleration without contacts
  float standing_most;          // [1] times that at most, on few or uneven points
  float thinnest;               // [m] at most the thinnest extent of any body; and at least half of it
  float restitution_threshold;  // [m/s]
  float impact_speed;           // [m/s] stopped in one sub-step: more is an impact, less a load
  float speculative_part;       // [1] of a body's radius, see speculative_of
  float recycle_fraction;       // [1]
  float slip_threshold;         // [m/s]
  std::uint32_t box_friction;   // 1: FrictionModel::box
  FrictionPolygon polygon;
  std::uint32_t moreau;     // 1: Integrator::moreau
  float warm_start;         // [1] part of the impulses of the last step that is used: 0, or how much longer this one is
  std::uint32_t may_sleep;  // 1: SleepSettings::enabled
  float sleep_speed;        // [m/s] SleepSettings
  float sleep_time;         // [s]
  float hit_speed;          // [m/s] EventSettings
  float slop;               // [1] of the smaller body's radius: penetration that contacts which do not yield leave
  float rigid_push_rate;    // [1/s] part of a penetration that becomes velocity
  float rigid_softness;     // [1] of a normal row, in inverse effective masses
  float rigid_mixing;       // [1/kg] of a normal row
  float rigid_split_part;   // [1] part of a penetration that split impulses remove: RigidSettings, ...
  float rigid_relaxation;   // [1]
  float rigid_tolerance;    // [m/s]
  float shock_weight;       // [1] ShockSettings
  float shock_slope;        // [1]
};

}  // namespace talus
