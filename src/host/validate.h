// SPDX-License-Identifier: MIT
// Checks of arguments. A bad one throws Error, e.g. "add_bodies: defs[17].shape.size.y = -0.5, a half extent must be >
// 0".
#pragma once
#include <cstddef>
#include <string>

#include <talus/defs.h>
#include <talus/status.h>

namespace talus {

/// Where an argument came in: "call: name" or "call: name[index]". The text is made only if it is needed.
struct Where {
  const char* call;
  const char* name;
  std::ptrdiff_t index = -1;
  std::string text() const;
};

/// Throws "<where><field> = <value>, <rule>".
[[noreturn]] void reject(const Where& where, const char* field, float value, const char* rule);
[[noreturn]] void reject(const Where& where, const char* field, const std::string& value, const char* rule);
/// A float as short as it can be written without losing a bit.
std::string number_text(float value);

void require_finite(const Where& where, const char* field, float value);
void require_finite(const Where& where, const char* field, Vec3 value);
void require_at_least_zero(const Where& where, const char* field, float value);
void require_range(const Where& where, const char* field, float value, float low, float high);
void require_positive(const Where& where, const char* field, float value, const char* rule = "must be finite and > 0");

/// The quaternion at unit length. It must have it within 1e-3; within 1e-6 it is taken as it is, bit for bit.
Quat checked_orientation(const Where& where, const char* field, Quat q);
/// The same for a direction.
Vec3 checked_direction(const Where& where, const char* field, Vec3 v);

/// The material with its grain at unit length.
Material checked_material(const Where& where, const char* field, const Material& material);
/// friction: [1] what the two materials have without the pair.
void validate_material_pair(const Where& where, const MaterialPair& pair, float friction);
/// A stiffness is > 0, and for solvers whose contacts yield.
void require_stiffness(const Where& where, const char* field, const std::optional<float>& hertz,
                       const SolverSettings& solver);
void validate_shape(const Where& where, const ShapeDef& shape);
void validate_world(const Where& where, const WorldDef& def);
/// dt must be finite and > 0, and so must the inverse of a sub-step.
void validate_dt(const Where& where, const SolverSettings& solver, float dt);

}  // namespace talus
