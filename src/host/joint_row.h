// SPDX-License-Identifier: MIT
// From a joint's definition to its row in the table, and back.
#pragma once
#include <talus/joint.h>

#include "joint_columns.h"
#include "validate.h"

namespace talus {

/// What the host keeps of a joint: its model row as the backend has it, and what is not in there.
struct JointMirror {
  JointModelRow model;
  std::uint8_t collide;        // 1: the two bodies collide with each other
  JointParameters parameters;  // of custom kinds, else zeros
};

/// The two bodies of a joint: row and pose. The world has row -1 and stands at the origin.
struct JointSide {
  Index row = -1;
  Transform pose{};
};

/// Checks a definition and makes its row. That the bodies are there and one of them moves is for the caller to check.
/// Throws Error.
/// `kinds`: how many there are.
JointMirror make_joint(const Where& where, const JointDef& def, const JointSide& a, const JointSide& b,
                       int kinds = kMaxJointKinds);

/// Checks an axis and puts it into a row; the row is as it was if that throws Error. `field`: how the axis is called
/// after where, e.g. ".axes[twist]".
void put_axis(const Where& where, const std::string& field, JointModelRow& model, Axis axis, const AxisDef& def);
void set_targets_of(JointModelRow& model, Axis axis, float position, float velocity);
/// Throws Error if a joint of these axes would do nothing.
void require_some_axis(const Where& where, const char* field, const JointModelRow& model);
void require_axis(const Where& where, Axis axis);

/// The definition that make_joint() turns into this very row, with the frames in the bodies.
JointDef definition_of(const JointMirror& mirror, BodyId a, BodyId b);

/// Bit for bit.
bool same_rows(const JointModelRow& a, const JointModelRow& b);

}  // namespace talus
