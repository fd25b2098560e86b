// SPDX-License-Identifier: MIT
#include "random_parts.h"

#include <limits>

namespace talus::fuzz {

// ---- numbers -------------------------------------------------------------------------------------------------------

float Values::special() {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInfinite = std::numeric_limits<float>::infinity();
  static const std::vector<float> all{0.0f,     -0.0f, kNan,   kInfinite, -kInfinite, 1e-45f, 1e-38f, 3.4e38f,
                                      -3.4e38f, 1e30f, -1e30f, 1e20f,     -1.0f,      1e-20f, 1e10f,  -1e15f};
  return random.one_of(all);
}

float Values::position() {
  if (specially(0.04)) return special();
  if (extremely(0.15)) return (random.chance(0.5) ? 1.0f : -1.0f) * random.log_range(1e-3f, 1e7f);
  return random.range(-3, 3);
}

float Values::speed() {
  if (specially(0.05)) return special();
  if (extremely(0.2)) return (random.chance(0.5) ? 1.0f : -1.0f) * random.log_range(1e-6f, 1e6f);
  return random.range(-5, 5);
}

float Values::size() {
  if (specially(0.03)) return special();
  if (extremely(0.3)) return random.log_range(1e-6f, 1e6f);
  return random.range(0.1f, 1.0f);
}

float Values::mass() {
  if (specially(0.05)) return special();
  if (extremely(0.4)) return random.log_range(1e-9f, 1e9f);
  return random.range(0.5f, 20.0f);
}

float Values::between(float low, float high) {
  if (specially(0.08)) return special();
  if (extremely(0.2)) return random.log_range(1e-9f, 1e9f);
  return random.range(low, high);
}

Vec3 Values::direction() {
  const float x = random.range(-1, 1), y = random.range(-1, 1), z = random.range(-1, 1);
  const float length = std::sqrt(x * x + y * y + z * z);
  if (length < 0.01f) return {0, 1, 0};
  if (specially(0.05)) return {special(), special(), 1};
  return {x / length, y / length, z / length};
}

Quat Values::orientation() {
  const float x = random.range(-1, 1), y = random.range(-1, 1), z = random.range(-1, 1), w = random.range(-1, 1);
  const float length = std::sqrt(x * x + y * y + z * z + w * w);
  if (length < 0.05f || random.chance(0.3)) return kIdentity;
  if (specially(0.05)) return {special(), y, z, w};
  return {x / length, y / length, z / length, w / length};
}

float Values::time_step() {
  static const std::vector<float> odd{-1.0f, 0.0f, 1e-45f, 1e-38f, 1e38f, 1e-9f, 10.0f, 1e5f};
  if (specially(0.1)) return random.chance(0.2) ? special() : random.one_of(odd);
  if (extremely(0.15)) return random.log_range(1e-9f, 10.0f);
  return random.chance(0.8) ? 1.0f / 60 : random.range(0.001f, 0.05f);
}

// ---- worlds --------------------------------------------------------------------------------------------------------

namespace {

RigidSettings random_rigid(Random& r) {
  RigidSettings q;
  q.point = PointSolver(r.below(3));
  q.order = SweepOrder(r.below(3));
  q.nncg = r.chance(0.3);
  q.stagger = q.nncg || q.point == PointSolver::block || r.chance(0.8) ? 0 : r.below(4);
  q.relaxation = q.point != PointSolver::block && r.chance(0.3) ? r.range(0.1f, 1.9f) : 1.0f;
  q.sweeps = 1 + r.below(30);
  if (r.chance(0.3)) q.tolerance = r.log_range(1e-9f, 1.0f);
  if (r.chance(0.3)) q.stagnation = r.below(10);
  q.error_reduction = r.range(0, 1);
  if (r.chance(0.3)) q.force_mixing = r.log_range(1e-6f, 1e3f);
  if (r.chance(0.3)) q.slop = r.log_range(1e-6f, 1.0f);
  q.push_sweeps = 1 + r.below(12);
  q.residual_history = r.chance(0.5);
  return q;
}

SolverSettings random_solver(Random& r) {
  SolverSettings s;
  const int kind = r.below(8);
  s.solver = kind < 3 ? Solver::gauss_seidel : kind == 3 ? Solver::jacobi : kind < 6 ? Solver::rigid : Solver::shock;
  s.friction = FrictionModel(r.below(3));
  s.integrator = Integrator(r.below(2));
  s.stabilization = Stabilization(r.below(s.solver == Solver::rigid ? 4 : 2));
  if (s.solver < Solver::rigid) s.restitution = RestitutionModel(r.below(2));
  s.substeps = r.chance(0.2) ? 1 + r.below(16) : 4;
  s.iterations = 1 + r.below(3);
  s.relax_iterations = r.below(3);
  s.friction_sides = 3 + r.below(10);
  if (r.chance(0.3)) s.contact_hertz = r.log_range(1e-3f, 1e6f);
  if (r.chance(0.3)) s.contact_damping_ratio = r.range(0, 10);
  if (r.chance(0.2)) s.max_push_speed = r.chance(0.3) ? 0 : r.log_range(0.01f, 1e6f);
  if (r.chance(0.2)) s.restitution_threshold = r.range(0, 2);
  if (r.chance(0.2)) s.speculative_distance = r.chance(0.3) ? 0.0f : r.log_range(1e-4f, 10.0f);
  if (r.chance(0.2)) s.recycle_fraction = r.range(0, 1);
  s.warm_start = !r.chance(0.1);
  s.report_residual = r.chance(0.2);
  s.rigid = random_rigid(r);
  s.shock.weight = r.range(0, 1);
  s.shock.sweeps = 1 + r.below(10);
  s.shock.correction_sweeps = 1 + r.below(6);
  s.shock.least_slope = r.range(0, 1);
  return s;
}

}  // namespace

WorldDef random_world(Values v, int threads) {
  Random& r = v.random;
  WorldDef d;
  d.backend = Backend::cpu;
  d.threads = threads;
  if (r.chance(0.1)) d.gravity = {0, 0, 0};
  if (v.wild != Wildness::sane && r.chance(0.1)) d.gravity = {r.range(-1e4f, 1e4f), r.range(-1e4f, 1e4f), 0};
  d.solver = random_solver(r);
  d.sleep.enabled = r.chance(0.7);
  if (r.chance(0.5)) {
    d.sleep.speed = r.log_range(0.01f, 10);
    d.sleep.time = r.range(0, 0.3f);
  }
  if (r.chance(0.3)) d.reserve_bodies = r.below(300);
  if (r.chance(0.3)) d.reserve_pairs = r.below(50);
  if (r.chance(0.3)) d.reserve_contacts = r.below(50);
  d.events.enabled = r.chance(0.5);
  d.contact_reports = r.chance(0.5);
  d.keep_contact_problem = d.solver.solver == Solver::rigid && r.chance(0.6);
  d.joint_readings = r.chance(0.4);
  d.instance_transforms = r.chance(0.4);
  if (v.wild == Wildness::special && r.chance(0.1)) d.solver.contact_hertz = v.special();
  if (v.wild == Wildness::special && r.chance(0.1)) d.gravity.x = v.special();
  return d;
}

// ---- parts ---------------------------------------------------------------------------------------------------------

Material random_material(Values v) {
  Random& r = v.random;
  Material m;
  m.friction = v.between(0, 1.5f);
  m.restitution = v.wild == Wildness::special && r.chance(0.05) ? v.special() : r.chance(0.5) ? 0 : r.range(0, 1);
  m.friction_combine = Combine(r.below(5));
  m.restitution_combine = Combine(r.below(5));
  if (r.chance(0.2)) m.dynamic_friction = m.friction * r.range(0, 1);
  if (r.chance(0.2)) {
    m.grain = v.direction();
    if (r.chance(0.6)) m.friction_along = v.between(0, 1);
    if (r.chance(0.5)) m.friction_across = v.between(0, 1);
    if (r.chance(0.3)) m.friction_against = v.between(0, 1);
    const bool given = m.friction_along || m.friction_across || m.friction_against;
    if (!given && r.chance(0.5)) {
      m.friction_tensor = FrictionTensor{r.range(0.1f, 2), r.range(0.1f, 2), r.range(-0.5f, 0.5f)};
    }
  }
  if (r.chance(0.2)) m.torsional_friction = v.between(0, 0.2f);
  if (r.chance(0.2)) m.rolling_friction = v.between(0, 0.1f);
  return m;
}

MaterialPair random_material_pair(Values v) {
  Random& r = v.random;
  MaterialPair p;
  if (r.chance(0.5)) p.friction = v.between(0, 1);
  if (r.chance(0.3)) p.restitution = r.range(0, 1);
  if (r.chance(0.3)) p.rolling_friction = v.between(0, 1);
  if (r.chance(0.3)) p.friction_along = v.between(0, 1);
  if (r.chance(0.3)) p.dynamic_friction = p.friction ? *p.friction * r.range(0, 1) : v.between(0, 1);
  if (r.chance(0.3)) p.torsional_friction = v.between(0, 1);
  return p;
}

BodyDef random_body(Values v, const std::vector<MaterialId>& materials) {
  Random& r = v.random;
  BodyDef b;
  const int kind = r.below(12);
  const bool is_plane = kind == 11;
  b.shape = kind < 4    ? sphere(v.size())
            : kind < 8  ? box({v.size(), v.size(), v.size()})
            : !is_plane ? capsule(v.size(), v.size())
                        : plane(r.chance(0.6) ? Vec3{0, 1, 0} : v.direction());
  if (is_plane) {
    b.position = {v.position() * 0.1f, -2.0f, 0};
    if (r.chance(0.2)) b.motion = Motion::kinematic;
  } else {
    b.position = r.chance(0.1) ? Vec3{0, 0, 0} : v.point();
    if (r.chance(0.15)) b.motion = Motion(r.below(3));
  }
  if (r.chance(0.5)) b.mass = v.mass();
  if (v.wild != Wildness::sane && r.chance(0.1)) b.density = v.mass();
  if (r.chance(0.1)) {
    const float moment = v.mass();
    b.inertia = Vec3{moment, moment * r.range(0.6f, 1.2f), moment};
  }
  b.orientation = v.orientation();
  const bool moves = !is_plane && !(b.motion && *b.motion == Motion::fixed);
  if (moves && r.chance(0.6)) {
    b.linear_velocity = v.velocity();
    b.angular_velocity = v.velocity();
  }
  if (r.chance(0.4)) b.material = random_material(v);
  if (!materials.empty() && r.chance(0.2)) b.material_id = r.one_of(materials);
  if (r.chance(0.1)) b.filter = {std::uint32_t(r.next()), std::uint32_t(r.next())};
  if (r.chance(0.1)) b.gravity_scale = v.between(-2, 2);
  if (r.chance(0.1)) {
    b.linear_damping = v.between(0, 2);
    b.angular_damping = v.between(0, 2);
  }
  b.can_sleep = !r.chance(0.05);
  return b;
}

AxisDef random_axis(Values v) {
  Random& r = v.random;
  AxisDef a;
  a.mode = AxisMode(r.below(3));
  if (a.mode == AxisMode::limited) {
    a.lower = -v.between(0, 1);
    a.upper = v.between(0, 1);
    if (r.chance(0.1)) a.lower = a.upper;
    if (r.chance(0.1)) a.lower = -kUnlimited;
    if (r.chance(0.1)) a.upper = kUnlimited;
  }
  if (a.mode == AxisMode::locked) return a;
  if (r.chance(0.4)) {
    a.drive = Drive(r.below(4));
    a.target_position = v.speed() * 0.1f;
    a.target_velocity = v.speed();
    a.stiffness = v.between(0.1f, 100);
    a.damping = v.between(0, 10);
    if (r.chance(0.6)) a.max_force = v.between(0, 1000);
  }
  if (r.chance(0.2)) a.friction = v.between(0, 10);
  return a;
}

namespace {

// One of the usual ones, or a joint of random axes.
JointDef random_joint_of_a_kind(Values v, BodyId a, BodyId b, const std::vector<int>& kinds) {
  Random& r = v.random;
  const Vec3 point = r.chance(0.5) ? v.point() : Vec3{0, 0, 0};
  const Vec3 axis = r.chance(0.05) ? Vec3{0, 0, 0} : v.direction();
  switch (r.below(13)) {
    case 0:
      return ball_joint(a, b, point);
    case 1:
      return hinge_joint(a, b, point, axis);
    case 2:
      return universal_joint(a, b, point, axis, v.direction());
    case 3:
      return slider_joint(a, b, point, axis);
    case 4:
      return cylindrical_joint(a, b, point, axis);
    case 5:
      return weld_joint(a, b, point);
    case 6:
      return distance_joint(a, b, point, v.point(), v.between(0, 1), v.between(0, 3));
    case 7:
      return motor_joint(a, b, point, v.between(0.1f, 10), v.between(0, 1000), v.between(0, 1000));
    case 8:
      return drag_joint(b, point, v.between(0.1f, 10), v.between(0, 1000));
    case 9:
      return gear_joint(a, axis, b, v.direction(), v.between(-3, 3));
    default:
      break;
  }
  JointDef joint;
  joint.a = a;
  joint.b = b;
  joint.frame = {point, v.orientation()};
  for (AxisDef& d : joint.axes) d = random_axis(v);
  if (r.chance(0.2)) joint.point_b = v.point();
  if (r.chance(0.3)) {
    joint.point_b.reset();
    joint.frames_in_bodies = true;
    joint.frame_a = {v.point(), v.orientation()};
    joint.frame_b = {v.point(), v.orientation()};
    joint.radial = r.chance(0.2);
  } else if (r.chance(0.4)) {
    joint.kind = kinds.empty() ? r.below(4) : r.one_of(kinds);
    joint.parameters[0] = v.speed();
  }
  return joint;
}

}  // namespace

JointDef random_joint(Values v, BodyId a, BodyId b, const std::vector<int>& kinds) {
  Random& r = v.random;
  JointDef joint = random_joint_of_a_kind(v, a, b, kinds);
  if (r.chance(0.3)) joint.collide = true;
  if (r.chance(0.2)) {
    joint.limit_hertz = v.between(0, 30);
    joint.limit_damping_ratio = v.between(0, 2);
  }
  if (r.chance(0.1)) joint.limit_restitution = r.range(0, 1);
  if (r.chance(0.2)) joint.break_force = v.between(1, 1000);
  if (r.chance(0.2)) joint.break_torque = v.between(1, 1000);
  return joint;
}

}  // namespace talus::fuzz
