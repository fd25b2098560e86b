// SPDX-License-Identifier: MIT
// The tables of columns, each declared once. Views, owning tables, upload and download, snapshot, state hash and test
// comparison are all generated from these lists (src/host/table.h): a new column is a one-line change.
//
//   Model    constant during a step: mass, shape, material
//   State    all that a snapshot must keep to resume bit for bit: bodies here, the contact cache in contact_columns.h
//   Inputs   forces of this step
//   Scratch  derived anew in each step; may be thrown away between steps
#pragma once
#include <cstdint>

#include <talus/column.h>
#include <talus/defs.h>

//  type           name              unit       meaning, frame, invariant
#define TALUS_BODY_MODEL(X)                                                                     \
  X(std::uint8_t, alive, "1", "1: the row holds a body; all other columns of a dead row are 0") \
  X(std::uint8_t, motion, "1", "talus::Motion")                                                 \
  X(std::uint8_t, shape, "1", "talus::ShapeType")                                               \
  X(std::uint8_t, combine, "1", "friction rule | restitution rule << 4, talus::Combine")        \
  X(float, inv_mass, "1/kg", "0 unless dynamic")                                                \
  X(Vec3, inv_inertia, "1/kg/m2", "about the body's principal axes; 0 unless dynamic")          \
  X(Vec3, shape_size, "m", "ShapeDef::size")                                                    \
  X(float, radius, "m", "of the sphere about the centre that bounds the shape; planes: 0")      \
  X(float, friction, "1", "Coulomb coefficient")                                                \
  X(float, restitution, "1", "Newton's coefficient")                                            \
  X(std::uint32_t, group, "1", "bits of Filter::group")                                         \
  X(std::uint32_t, mask, "1", "bits of Filter::mask")                                           \
  X(float, gravity_scale, "1", "")                                                              \
  X(float, linear_damping, "1/s", "")                                                           \
  X(float, angular_damping, "1/s", "")                                                          \
  X(std::uint32_t, flags, "1", "kNeverSleeps | number of the material << kMaterialShift (material.h)")

#define TALUS_BODY_STATE(X)                                                                                    \
  X(Vec3, position, "m", "centre of mass, world frame")                                                        \
  X(Quat, orientation, "1", "body to world; |q| = 1 within 1e-6 after a step")                                 \
  X(Vec3, linear_velocity, "m/s", "of the centre of mass, world frame")                                        \
  X(Vec3, angular_velocity, "rad/s", "world frame")                                                            \
  X(Vec3, last_position, "m", "at the last look at islands while it was awake; 0 unless bodies sleep")         \
  X(Quat, last_orientation, "1", "the same")                                                                   \
  X(float, quiet, "s", "for how long the body has been slow; 0 unless bodies sleep")                           \
  X(Index, island, "1",                                                                                        \
    "asleep: 1 + lowest row of those it fell asleep with; < 0: woken after the last step, minus that; else 0") \
  X(std::uint8_t, frozen, "1", "1: left the finite range; stands still at its last finite pose")               \
  X(std::uint8_t, asleep, "1", "1: does not move until it is woken; its velocities are 0")

#define TALUS_BODY_INPUTS(X)                                                                               \
  X(Vec3, force, "N", "at the centre of mass, world frame; cleared by each step")                          \
  X(Vec3, torque, "N m", "world frame; cleared by each step")                                              \
  X(Vec3, linear_change, "m/s", "by edits since the last step, of kinematic bodies; cleared by each step") \
  X(Vec3, angular_change, "rad/s", "the same, world frame")

namespace talus {

constexpr std::uint32_t kNeverSleeps = 1u << 0;  // BodyModel::flags: BodyDef::can_sleep is false

/// Maps the type named in a table to the column that stores it.
template <class T>
struct ColumnFor {
  using type = Column<T>;
};
template <>
struct ColumnFor<Vec3> {
  using type = Vec3Column;
};
template <>
struct ColumnFor<Quat> {
  using type = QuatColumn;
};

#define TALUS_DECLARE_COLUMN(type_, name, unit, meaning) typename ColumnFor<type_>::type name;
#define TALUS_VISIT_COLUMN(type_, name, unit, meaning) visit(#name, name);

/// Columns of one table, passed by value to kernels. visit_columns calls visit(name, column) for each.
#define TALUS_DEFINE_VIEW(View, TABLE)            \
  struct View {                                   \
    TABLE(TALUS_DECLARE_COLUMN)                   \
    bool operator==(const View&) const = default; \
    template <class Visitor>                      \
    void visit_columns(Visitor&& visit) {         \
      TABLE(TALUS_VISIT_COLUMN)                   \
    }                                             \
  };

TALUS_DEFINE_VIEW(BodyModel, TALUS_BODY_MODEL)
TALUS_DEFINE_VIEW(BodyState, TALUS_BODY_STATE)
TALUS_DEFINE_VIEW(BodyInputs, TALUS_BODY_INPUTS)

/// One body as a row of values, as it crosses from host to device.
#define TALUS_DECLARE_VALUE(type_, name, unit, meaning) type_ name;
struct BodyModelRow {
  TALUS_BODY_MODEL(TALUS_DECLARE_VALUE)
};
struct BodyStateRow {
  TALUS_BODY_STATE(TALUS_DECLARE_VALUE)
};

}  // namespace talus
