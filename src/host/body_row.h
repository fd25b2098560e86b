// SPDX-License-Identifier: MIT
// From a body's definition to its rows in the tables, and back.
#pragma once
#include <talus/defs.h>

#include "columns.h"
#include "validate.h"

namespace talus {

/// What the host keeps of a body: its model row as the backend has it, and what the inverses in it came from.
struct BodyMirror {
  BodyModelRow model;
  float mass;                  // [kg] 0 unless dynamic
  Vec3 inertia;                // [kg m^2] 0 unless dynamic
  std::int32_t ignored_pairs;  // that this body is part of
  Material material;           // whole; the model row has part of it and, from the world, its number
  MaterialId material_id;
};

inline bool is_kinematic(const BodyMirror& m) {
  return m.model.alive != 0 && Motion(m.model.motion) == Motion::kinematic;
}

struct NewBody {
  BodyMirror mirror;
  BodyStateRow state;
};

/// Puts a checked material into the rows of a body, but for its number.
void set_material(BodyMirror& mirror, const Material& material, MaterialId id);

/// Checks a definition and makes its rows. Throws Error. A material_id is taken as it is: `material` goes with it.
NewBody make_body(const Where& where, const BodyDef& def);

/// The definition that make_body() turns into these very rows.
BodyDef definition_of(const BodyMirror& mirror, const BodyStateRow& state);

}  // namespace talus
