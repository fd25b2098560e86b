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
};

struct NewBody {
  BodyMirror mirror;
  BodyStateRow state;
};

/// Checks a definition and makes its rows. Throws Error.
NewBody make_body(const Where& where, const BodyDef& def);

/// The definition that make_body() turns into these very rows.
BodyDef definition_of(const BodyMirror& mirror, const BodyStateRow& state);

}  // namespace talus
