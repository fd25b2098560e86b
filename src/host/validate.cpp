// SPDX-License-Identifier: MIT
#include "validate.h"

#include <charconv>

#include "math/vec3.h"
#include "step_settings.h"

namespace talus {

namespace {

constexpr float kUnitTolerance = 1e-3f;  // [1] how far from unit length an argument may be
constexpr float kUnitExact = 1e-6f;      // [1] of the square: nearer than this is what floats can do
constexpr float kMaxFriction = 1e9f;     // [1] products of two stay finite

std::string range_text(float low, float high) {
  return "must be " + number_text(low) + ".." + number_text(high);
}

// Factor that brings a length to 1.
float unit_factor(const Where& where, const char* field, float length_squared, const char* rule) {
  const float l = square_root(length_squared);
  if (!(abs_of(l - 1.0f) <= kUnitTolerance)) reject(where, field, "of length " + number_text(l), rule);
  return abs_of(length_squared - 1.0f) <= kUnitExact ? 1.0f : 1.0f / l;
}

void require_count(const Where& where, const char* field, int value, int low, int high) {
  if (value >= low && value <= high) return;
  reject(where, field, std::to_string(value), ("must be " + std::to_string(low) + ".." + std::to_string(high)).c_str());
}

template <class Enum>
void require_enum(const Where& where, const char* field, Enum value, Enum last) {
  if (value <= last) return;
  reject(where, field, std::to_string(unsigned(value)), "no such value of the enumeration");
}

}  // namespace

std::string Where::text() const {
  std::string text = std::string(call) + ": " + name;
  if (index >= 0) text += '[' + std::to_string(index) + ']';
  return text;
}

std::string number_text(float value) {
  char text[32];
  const std::to_chars_result end = std::to_chars(text, text + sizeof(text), value);
  return std::string(text, end.ptr);
}

void reject(const Where& where, const char* field, const std::string& value, const char* rule) {
  throw Error(where.text() + field + " = " + value + ", " + rule);
}
void reject(const Where& where, const char* field, float value, const char* rule) {
  reject(where, field, number_text(value), rule);
}

void require_finite(const Where& where, const char* field, float value) {
  if (!is_finite(value)) reject(where, field, value, "must be finite");
}

void require_finite(const Where& where, const char* field, Vec3 value) {
  if (is_finite(value)) return;
  for (int axis = 0; axis < 3; ++axis) {
    const float part = component(value, axis);
    if (!is_finite(part)) reject(where, (std::string(field) + '.' + "xyz"[axis]).c_str(), part, "must be finite");
  }
}

void require_at_least_zero(const Where& where, const char* field, float value) {
  if (!(is_finite(value) && value >= 0.0f)) reject(where, field, value, "must be finite and >= 0");
}

void require_range(const Where& where, const char* field, float value, float low, float high) {
  if (!(value >= low && value <= high)) reject(where, field, value, range_text(low, high).c_str());
}

void require_positive(const Where& where, const char* field, float value, const char* rule) {
  if (!(is_finite(value) && value > 0.0f)) reject(where, field, value, rule);
}

Quat checked_orientation(const Where& where, const char* field, Quat q) {
  if (!(is_finite(q.x) && is_finite(q.y) && is_finite(q.z) && is_finite(q.w))) {
    const float bad = !is_finite(q.x) ? q.x : !is_finite(q.y) ? q.y : !is_finite(q.z) ? q.z : q.w;
    reject(where, field, bad, "must be finite");
  }
  const float s = unit_factor(where, field, q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w,
                              "a quaternion of a rotation must have length 1 within 1e-3");
  return {s * q.x, s * q.y, s * q.z, s * q.w};
}

Vec3 checked_direction(const Where& where, const char* field, Vec3 v) {
  require_finite(where, field, v);
  return unit_factor(where, field, dot(v, v), "a direction must have length 1 within 1e-3") * v;
}

namespace {

void validate_plain_material(const Where& where, const char* field, const Material& material) {
  const std::string prefix(field);
  const auto bad = [&](float value, float high) { return !(value >= 0.0f && value <= high); };
  if (bad(material.friction, kMaxFriction)) {
    require_range(where, (prefix + ".friction").c_str(), material.friction, 0.0f, kMaxFriction);
  }
  if (bad(material.restitution, 1.0f)) {
    require_range(where, (prefix + ".restitution").c_str(), material.restitution, 0.0f, 1.0f);
  }
  if (material.friction_combine > Combine::maximum || material.restitution_combine > Combine::maximum) {
    require_enum(where, (prefix + ".friction_combine").c_str(), material.friction_combine, Combine::maximum);
    require_enum(where, (prefix + ".restitution_combine").c_str(), material.restitution_combine, Combine::maximum);
  }
}

}  // namespace

Material checked_material(const Where& where, const char* field, const Material& material) {
  validate_plain_material(where, field, material);
  const std::string prefix(field);
  Material m = material;
  const auto coefficient = [&](const char* name, const std::optional<float>& value) {
    if (!value || (*value >= 0.0f && *value <= kMaxFriction)) return;  // texts are made only if they are needed
    require_range(where, (prefix + name).c_str(), *value, 0.0f, kMaxFriction);
  };
  coefficient(".dynamic_friction", m.dynamic_friction);
  if (m.dynamic_friction && *m.dynamic_friction > m.friction) {
    reject(where, (prefix + ".dynamic_friction").c_str(), *m.dynamic_friction, "must not be more than .friction");
  }
  coefficient(".friction_along", m.friction_along);
  coefficient(".friction_across", m.friction_across);
  coefficient(".friction_against", m.friction_against);
  const bool has_grain = !(m.grain.x == 0.0f && m.grain.y == 0.0f && m.grain.z == 0.0f);
  if (has_grain) m.grain = checked_direction(where, (prefix + ".grain").c_str(), m.grain);
  if (!has_grain && (m.friction_along || m.friction_across || m.friction_against)) {
    reject(where, (prefix + ".grain").c_str(), 0.0f, "coefficients along, across and against it need a direction");
  }
  if (m.friction_tensor) {
    const FrictionTensor& q = *m.friction_tensor;
    const std::string name = prefix + ".friction_tensor";
    require_range(where, (name + ".along").c_str(), q.along, 0.0f, kMaxFriction);
    require_range(where, (name + ".across").c_str(), q.across, 0.0f, kMaxFriction);
    require_range(where, (name + ".shear").c_str(), q.shear, -kMaxFriction, kMaxFriction);
    if (!has_grain) reject(where, (prefix + ".grain").c_str(), 0.0f, "a friction tensor needs a direction");
    const float determinant = q.along * q.across - q.shear * q.shear;
    if (!(determinant > 1e-6f * q.along * q.across)) {
      reject(where, name.c_str(), determinant, "its determinant says that it is not positive definite");
    }
    if (m.friction_along || m.friction_across || m.friction_against) {
      reject(where, name.c_str(), determinant, "excludes coefficients along, across and against the grain");
    }
  }
  coefficient(".torsional_friction", m.torsional_friction);
  coefficient(".rolling_friction", m.rolling_friction);
  return m;
}

void require_stiffness(const Where& where, const char* field, const std::optional<float>& hertz,
                       const SolverSettings& solver) {
  if (!hertz) return;
  require_positive(where, field, *hertz);
  if (solver.solver == Solver::shock) reject(where, field, *hertz, "contacts of Solver::shock do not yield");
  if (solver.stabilization == Stabilization::soft) return;
  reject(where, field, *hertz, "contacts yield with Stabilization::soft alone");
}

void validate_material_pair(const Where& where, const MaterialPair& pair, float friction) {
  const auto check = [&](const char* name, const std::optional<float>& value, float high) {
    if (value) require_range(where, name, *value, 0.0f, high);
  };
  check(".friction", pair.friction, kMaxFriction);
  check(".dynamic_friction", pair.dynamic_friction, kMaxFriction);
  const float most = pair.friction.value_or(friction);
  if (pair.dynamic_friction && *pair.dynamic_friction > most) {
    const std::string rule = std::string("must not be more than ") +
                             (pair.friction ? ".friction" : "the friction of the two materials") + " = " +
                             number_text(most);
    reject(where, ".dynamic_friction", *pair.dynamic_friction, rule.c_str());
  }
  check(".friction_along", pair.friction_along, kMaxFriction);
  check(".friction_across", pair.friction_across, kMaxFriction);
  check(".restitution", pair.restitution, 1.0f);
  check(".torsional_friction", pair.torsional_friction, kMaxFriction);
  check(".rolling_friction", pair.rolling_friction, kMaxFriction);
}

void validate_shape(const Where& where, const ShapeDef& shape) {
  switch (shape.type) {
    case ShapeType::sphere:
      require_positive(where, ".shape.size.x", shape.size.x, "a radius must be finite and > 0");
      return;
    case ShapeType::box:
      require_positive(where, ".shape.size.x", shape.size.x, "a half extent must be finite and > 0");
      require_positive(where, ".shape.size.y", shape.size.y, "a half extent must be finite and > 0");
      require_positive(where, ".shape.size.z", shape.size.z, "a half extent must be finite and > 0");
      return;
    case ShapeType::capsule:
      require_positive(where, ".shape.size.x", shape.size.x, "a radius must be finite and > 0");
      require_positive(where, ".shape.size.y", shape.size.y, "a half length must be finite and > 0");
      return;
    case ShapeType::plane:
      checked_direction(where, ".shape.size", shape.size);
      return;
  }
  reject(where, ".shape.type", std::to_string(unsigned(shape.type)), "no such shape");
}

namespace {

void validate_rigid(const Where& where, const WorldDef& def) {
  constexpr int kMostSweeps = 10000;
  const RigidSettings& r = def.solver.rigid;
  require_enum(where, ".solver.rigid.point", r.point, PointSolver::prox);
  require_enum(where, ".solver.rigid.order", r.order, SweepOrder::jacobi);
  require_count(where, ".solver.rigid.stagger", r.stagger, 0, kMostSweeps);
  require_count(where, ".solver.rigid.sweeps", r.sweeps, 1, kMostSweeps);
  require_count(where, ".solver.rigid.stagnation", r.stagnation, 0, kMostSweeps);
  require_count(where, ".solver.rigid.push_sweeps", r.push_sweeps, 1, kMostSweeps);
  if (!(r.relaxation > 0.0f && r.relaxation < 2.0f)) {
    reject(where, ".solver.rigid.relaxation", r.relaxation, "must be > 0 and < 2");
  }
  require_at_least_zero(where, ".solver.rigid.tolerance", r.tolerance);
  require_range(where, ".solver.rigid.error_reduction", r.error_reduction, 0.0f, 1.0f);
  require_at_least_zero(where, ".solver.rigid.force_mixing", r.force_mixing);
  require_at_least_zero(where, ".solver.rigid.slop", r.slop);
  const bool rows = def.solver.solver == Solver::rigid || def.solver.solver == Solver::shock;
  if (rows && def.solver.restitution != RestitutionModel::newton) {
    reject(where, ".solver.restitution", "RestitutionModel::poisson",
           "Solver::rigid and Solver::shock have RestitutionModel::newton alone");
  }
  if (def.solver.solver != Solver::rigid) {
    if (def.solver.stabilization > Stabilization::projection) {
      reject(where, ".solver.stabilization",
             def.solver.stabilization == Stabilization::baumgarte ? "Stabilization::baumgarte"
                                                                  : "Stabilization::split_impulse",
             "only Solver::rigid has it");
    }
    if (def.keep_contact_problem) reject(where, ".keep_contact_problem", "true", "only Solver::rigid has one");
    return;
  }
  if (r.point == PointSolver::block && r.stagger > 0) {
    reject(where, ".solver.rigid.stagger", std::to_string(r.stagger), "PointSolver::block has no rows to leave out");
  }
  if (r.point == PointSolver::block && (r.relaxation < 1.0f || r.relaxation > 1.0f)) {
    reject(where, ".solver.rigid.relaxation", r.relaxation, "PointSolver::block solves points exactly, it must be 1");
  }
  if (r.nncg && r.stagger > 0) {
    reject(where, ".solver.rigid.stagger", std::to_string(r.stagger), "normals and friction have no common gradient");
  }
}

void validate_shock(const Where& where, const ShockSettings& s) {
  constexpr int kMostSweeps = 10000;
  require_range(where, ".solver.shock.weight", s.weight, 0.0f, 1.0f);
  require_count(where, ".solver.shock.sweeps", s.sweeps, 1, kMostSweeps);
  require_count(where, ".solver.shock.correction_sweeps", s.correction_sweeps, 1, kMostSweeps);
  require_range(where, ".solver.shock.least_slope", s.least_slope, 0.0f, 1.0f);
}

}  // namespace

void validate_world(const Where& where, const WorldDef& def) {
  constexpr Index kMaxReserve = 1 << 27;  // sums of a few of these are still an Index
  const SolverSettings& s = def.solver;
  require_finite(where, ".gravity", def.gravity);
  require_enum(where, ".backend", def.backend, Backend::cuda);
  require_count(where, ".threads", def.threads, 0, 4096);
  require_count(where, ".reserve_bodies", def.reserve_bodies, 0, kMaxReserve);
  require_count(where, ".reserve_pairs", def.reserve_pairs, 0, kMaxReserve);
  require_count(where, ".reserve_contacts", def.reserve_contacts, 0, kMaxReserve);
  require_enum(where, ".solver.solver", s.solver, Solver::shock);
  require_enum(where, ".solver.friction", s.friction, FrictionModel::polyhedral);
  require_enum(where, ".solver.restitution", s.restitution, RestitutionModel::poisson);
  require_count(where, ".solver.friction_sides", s.friction_sides, 3, 64);
  require_enum(where, ".solver.integrator", s.integrator, Integrator::moreau);
  require_enum(where, ".solver.stabilization", s.stabilization, Stabilization::split_impulse);
  require_count(where, ".solver.substeps", s.substeps, 1, 64);
  require_count(where, ".solver.iterations", s.iterations, 1, 256);
  require_count(where, ".solver.relax_iterations", s.relax_iterations, 0, 256);
  require_positive(where, ".solver.contact_hertz", s.contact_hertz);
  require_at_least_zero(where, ".solver.contact_damping_ratio", s.contact_damping_ratio);
  require_at_least_zero(where, ".solver.max_push_speed", s.max_push_speed);
  require_at_least_zero(where, ".solver.restitution_threshold", s.restitution_threshold);
  require_at_least_zero(where, ".solver.slip_threshold", s.slip_threshold);
  require_at_least_zero(where, ".solver.speculative_distance", s.speculative_distance);
  require_range(where, ".solver.recycle_fraction", s.recycle_fraction, 0.0f, 1.0f);
  require_at_least_zero(where, ".sleep.speed", def.sleep.speed);
  require_at_least_zero(where, ".sleep.time", def.sleep.time);
  require_at_least_zero(where, ".events.hit_speed", def.events.hit_speed);
  validate_rigid(where, def);
  validate_shock(where, s.shock);
}

void validate_dt(const Where& where, const SolverSettings& solver, float dt) {
  require_positive(where, "", dt);
  const float h = dt / static_cast<float>(substeps_of(solver));
  if (!(h > 0.0f && is_finite(1.0f / h))) reject(where, "", dt, "too small to be cut into sub-steps");
}

}  // namespace talus
