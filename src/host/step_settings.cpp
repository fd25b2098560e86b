// SPDX-License-Identifier: MIT
#include "step_settings.h"

#include "math/scalar.h"

namespace talus {

// Implicit integration of a damped spring, written as a rigid constraint with a rate, a mass factor and a leak of the
// accumulated impulse: with w = 2 pi hertz and a = 2 zeta + h w these are w / a, h w a / (1 + h w a), 1 / (1 + h w a).
Softness make_softness(float hertz, float damping_ratio, float h) {
  const float omega = 2.0f * kPi * hertz;
  const float a = 2.0f * damping_ratio + h * omega;
  const float b = h * omega * a;
  const float c = 1.0f / (1.0f + b);
  return {omega / a, b * c, c};
}

namespace {

// By half angles: the polynomials end at pi / 4, and every machine gives the same bits.
FrictionPolygon make_polygon(const SolverSettings& s) {
  if (s.friction != FrictionModel::polyhedral) return {};
  FrictionPolygon polygon{static_cast<std::uint32_t>(s.friction_sides), 0.0f, 0.0f};
  float sine, cosine;
  sine_cosine_small(0.5f * kPi / static_cast<float>(s.friction_sides), sine, cosine);
  polygon.cosine = cosine * cosine - sine * sine;
  polygon.sine = 2.0f * sine * cosine;
  return polygon;
}

}  // namespace

StepParams make_step_params(const WorldDef& def, float dt) {
  constexpr float kMaxHertzPerRate = 0.205f;   // [1] of the sub-step rate; at 0.22 a pyramid of 820 starts to jitter
  constexpr float kJointHertzPerRate = 0.25f;  // [1] of the sub-step rate
  constexpr float kJointDampingRatio = 2.0f;   // [1]
  const SolverSettings& s = def.solver;
  StepParams p{};
  p.gravity = def.gravity;
  p.dt = dt;
  p.h = dt / static_cast<float>(s.substeps);
  p.inv_h = 1.0f / p.h;
  const float hertz = min_of(s.contact_hertz, kMaxHertzPerRate * p.inv_h);
  p.contact = make_softness(hertz, s.contact_damping_ratio, p.h);
  p.ground = make_softness(2.0f * hertz, s.contact_damping_ratio, p.h);
  p.split = make_softness(hertz, s.contact_damping_ratio, p.h);
  p.joint = make_softness(kJointHertzPerRate * p.inv_h, kJointDampingRatio, p.h);
  if (s.stabilization == Stabilization::projection) p.contact = p.ground = Softness{0.0f, 1.0f, 0.0f};  // rigid
  p.max_push_speed = s.max_push_speed;
  p.restitution_threshold = s.restitution_threshold;
  p.speculative_distance = s.speculative_distance;
  p.recycle_fraction = s.recycle_fraction;
  p.slip_threshold = s.slip_threshold;
  p.polygon = make_polygon(s);
  p.box_friction = s.friction == FrictionModel::box ? 1 : 0;
  p.moreau = s.integrator == Integrator::moreau ? 1 : 0;
  p.warm_start = s.warm_start ? 1 : 0;
  p.may_sleep = def.sleep.enabled ? 1 : 0;
  p.sleep_speed = def.sleep.speed;
  p.sleep_time = def.sleep.time;
  p.hit_speed = def.events.hit_speed;
  return p;
}

StepShape make_step_shape(const WorldDef& def) {
  const SolverSettings& s = def.solver;
  StepShape shape;
  shape.substeps = s.substeps;
  shape.iterations = s.iterations;
  shape.relax_iterations = s.relax_iterations;
  shape.jacobi = s.solver == Solver::jacobi;
  shape.projection = s.stabilization == Stabilization::projection;
  shape.poisson = s.restitution == RestitutionModel::poisson;
  shape.surfaces = shape.poisson || s.friction == FrictionModel::polyhedral;
  shape.residual = s.report_residual;
  shape.instance_transforms = def.instance_transforms;
  shape.sleep = def.sleep.enabled;
  shape.events = def.events.enabled;
  return shape;
}

}  // namespace talus
