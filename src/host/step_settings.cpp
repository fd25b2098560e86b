// SPDX-License-Identifier: MIT
#include "step_settings.h"

#include "lengths.h"
#include "math/scalar.h"
#include "softness.h"

namespace talus {

Softness make_softness(float hertz, float damping_ratio, float h) {
  const LaneSoftness<float> soft = softness_of(hertz, damping_ratio, h);
  return {soft.bias_rate, soft.mass_scale, soft.impulse_scale};
}

namespace {

// A row of the rigid solvers is w = J u + rate penetration + softness impulse. The soft constraint above is one with
// the softness impulse_scale / mass_scale in units of the inverse effective mass (S1-27).
void set_rigid_params(const SolverSettings& s, StepParams& p) {
  const bool soft = s.stabilization == Stabilization::soft, baumgarte = s.stabilization == Stabilization::baumgarte;
  p.rigid_push_rate = soft ? p.contact.bias_rate : baumgarte ? s.rigid.error_reduction * p.inv_h : 0.0f;
  p.rigid_softness = soft ? p.contact.impulse_scale / p.contact.mass_scale : 0.0f;
  p.rigid_mixing = baumgarte ? s.rigid.force_mixing : 0.0f;
  p.slop = soft ? 0.0f : 2.0f * s.rigid.slop;
  p.rigid_split_part = s.rigid.error_reduction;
  p.rigid_relaxation = s.rigid.relaxation;
  p.rigid_tolerance = s.rigid.tolerance;
}

// Velocities are solved as if contacts were rigid; penetration goes by projection, all of it.
void set_shock_params(const SolverSettings& s, StepParams& p) {
  p.rigid_push_rate = p.rigid_softness = p.rigid_mixing = p.slop = p.rigid_tolerance = 0.0f;
  p.rigid_relaxation = 1.0f;
  p.shock_weight = s.shock.weight;
  p.shock_slope = s.shock.least_slope;
}

// By half angles: the polynomials end at pi / 4, and every machine gives the same bits.
FrictionPolygon make_polygon(const SolverSettings& s) {
  if (s.friction != FrictionModel::polyhedral) return {};
  FrictionPolygon polygon{static_cast<std::uint32_t>(s.friction_sides), 0.0f, 0.0f};
  float sine = 0.0f, cosine = 1.0f;
  sine_cosine_small(0.5f * kPi / static_cast<float>(s.friction_sides), sine, cosine);
  polygon.cosine = cosine * cosine - sine * sine;
  polygon.sine = 2.0f * sine * cosine;
  return polygon;
}

}  // namespace

StepParams make_step_params(const WorldDef& def, float dt, float last_dt) {
  constexpr float kMaxHertzPerRate = 0.205f;   // [1] of the sub-step rate; at 0.22 a pyramid of 820 starts to jitter
  constexpr float kJointHertzPerRate = 0.25f;  // [1] of the sub-step rate
  constexpr float kJointDampingRatio = 2.0f;   // [1]
  constexpr float kSlowestImpact = 0.17f;      // [1] of max_push_speed: 0.5 m/s, what falls from 1 cm. With 0.1 m/s a
                                               // falling heap of balls takes 12 % more instructions, with 0.5 1.3 %
  constexpr float kFallsOfImpact = 10.0f;  // [1] times the speed of a sub-step of free fall: each sweep of a sub-step,
                                           // at most 7 of them by default, may see as much of a load
  constexpr float kStandingDrop = 0.04f;   // [dt^2] at least: what the stiffest contacts of four sub-steps give way by
  constexpr float kOnCorners = 2.0f;       // [1] times as deep as a ball at most: flat boxes stand on their corners
  constexpr float kSharedBy = 4.0f;        // [1] contacts that have a fourth of a body's mass each; one may bear it all
  constexpr float kLongest = 10.0f;        // [1] times the step before
  constexpr float kDeepTime = 0.003f;      // [s] at the push limit: soft contacts as deep push at a tenth of the limit
  const SolverSettings& s = def.solver;
  StepParams p{};
  p.gravity = def.gravity;
  const float pull = length(def.gravity);
  p.up = (pull > 0.0f ? -1.0f / pull : 0.0f) * def.gravity;
  p.fall = pull * dt * dt;
  p.dt = dt;
  p.h = dt / static_cast<float>(substeps_of(s));
  p.inv_h = 1.0f / p.h;
  p.max_contact_hertz = kMaxHertzPerRate * p.inv_h;
  p.contact_damping_ratio = s.contact_damping_ratio;
  const float hertz = min_of(s.contact_hertz, p.max_contact_hertz);
  p.contact = make_softness(hertz, s.contact_damping_ratio, p.h);
  p.ground = make_softness(2.0f * hertz, s.contact_damping_ratio, p.h);
  p.split = make_softness(hertz, s.contact_damping_ratio, p.h);
  p.joint = make_softness(kJointHertzPerRate * p.inv_h, kJointDampingRatio, p.h);
  const bool soft = s.stabilization != Stabilization::projection;
  if (!soft) p.contact = p.ground = p.split = Softness{0.0f, 1.0f, 0.0f};  // rigid
  p.max_push_speed = s.max_push_speed;
  p.deep_floor = kDeepTime * s.max_push_speed;
  p.load_time = soft ? load_time_of(p.contact) : 0.0f;
  const bool yields = s.stabilization == Stabilization::soft && s.solver != Solver::shock;
  p.standing_drop = max_of(yields ? p.h * p.load_time : 0.0f, kStandingDrop * dt * dt);
  p.standing_most = kOnCorners * (s.solver == Solver::jacobi ? kSharedBy : 1.0f);
  p.restitution_threshold = s.restitution_threshold;
  p.impact_speed = max_of(kSlowestImpact * s.max_push_speed, kFallsOfImpact * p.h * length(def.gravity));
  p.speculative_part = 2.0f * s.speculative_distance;
  p.recycle_fraction = s.recycle_fraction;
  p.slip_threshold = s.slip_threshold;
  p.polygon = make_polygon(s);
  p.box_friction = s.friction == FrictionModel::box ? 1 : 0;
  p.moreau = s.integrator == Integrator::moreau ? 1 : 0;
  // Loads are forces: their impulses go with the length of the step. Those of an impact do not.
  p.warm_start = !s.warm_start ? 0.0f : last_dt > 0.0f ? min_of(dt / last_dt, kLongest) : 1.0f;
  p.may_sleep = def.sleep.enabled ? 1 : 0;
  p.sleep_speed = def.sleep.speed;
  p.sleep_time = def.sleep.time;
  p.hit_speed = def.events.hit_speed;
  // Settings of a solver that is not chosen are in no snapshot, and decide nothing.
  p.slop = s.stabilization == Stabilization::projection ? 2.0f * kProjectSlop : 0.0f;
  if (s.solver == Solver::rigid) set_rigid_params(s, p);
  if (s.solver == Solver::shock) set_shock_params(s, p);
  return p;
}

namespace {

RigidShape make_rigid_shape(const WorldDef& def) {
  const RigidSettings& s = def.solver.rigid;
  RigidShape shape;
  shape.on = true;
  shape.point = s.point;
  shape.order = s.order;
  shape.nncg = s.nncg;
  shape.stagger = s.stagger;
  shape.sweeps = s.sweeps;
  shape.stagnation = s.stagnation;
  shape.judged = s.tolerance > 0.0f || s.stagnation > 0 || s.residual_history;
  const Stabilization by = def.solver.stabilization;
  shape.push = by == Stabilization::split_impulse ? RigidPush::split
               : by == Stabilization::projection  ? RigidPush::projection
                                                  : RigidPush::none;
  shape.push_sweeps = shape.push == RigidPush::none ? 0 : s.push_sweeps;
  shape.keep = def.keep_contact_problem;
  return shape;
}

}  // namespace

StepShape make_step_shape(const WorldDef& def) {
  const SolverSettings& s = def.solver;
  StepShape shape;
  shape.substeps = substeps_of(s);
  shape.iterations = s.iterations;
  shape.relax_iterations = s.relax_iterations;
  shape.jacobi = s.solver == Solver::jacobi || (s.solver == Solver::rigid && s.rigid.order == SweepOrder::jacobi);
  shape.projection = s.stabilization == Stabilization::projection;
  shape.poisson = s.restitution == RestitutionModel::poisson;
  shape.residual = s.report_residual;
  shape.instance_transforms = def.instance_transforms;
  shape.sleep = def.sleep.enabled;
  shape.events = def.events.enabled;
  if (s.solver == Solver::rigid) shape.rigid = make_rigid_shape(def);
  if (s.solver == Solver::shock) {
    shape.rigid.on = true;
    shape.rigid.sweeps = s.shock.sweeps;
    shape.rigid.push = RigidPush::projection;
    shape.rigid.push_sweeps = s.shock.correction_sweeps;
    shape.shock = {true, s.shock.sweeps, s.shock.correction_sweeps};
  }
  shape.surfaces = !shape.rigid.on && (shape.poisson || s.friction != FrictionModel::cone);
  return shape;
}

}  // namespace talus
