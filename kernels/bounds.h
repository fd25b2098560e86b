// SPDX-License-Identifier: MIT
// Boxes that hold bodies throughout a step.
#pragma once
#include "broad_columns.h"
#include "math/vec3.h"
#include "shapes/extent.h"
#include "step_params.h"

namespace talus::inline TALUS_ISA {

constexpr float kNowhere = 3e38f;  // [m] minimum of an empty box; its maximum is the negative

/// Pose, box and shape record of each row. The box is that of the shape, extended along the way of the step, and by
/// `rim` on all sides: half the speculative distance plus what turning may add. The reach of the pose is the same in
/// all directions: |way| + rim.
struct UpdateBounds {
  // model
  BodyModel model;
  // state
  BodyState state;
  // inputs
  Vec3Column force;
  // out: one row an element
  Column<BodyPose> pose;
  Column<Bounds> bounds;
  Column<ShapeRecord> shape;
  // parameters
  const StepParams* params;

  TALUS_INLINE void operator()(Index row) const {
    const StepParams& p = *params;
    const ShapeType type = ShapeType(model.shape[row]);
    const Motion motion = Motion(model.motion[row]);
    const bool alive = model.alive[row] != 0, frozen = state.frozen[row] != 0;
    const bool moves = alive && motion == Motion::dynamic && !frozen;
    const bool still = !alive || motion == Motion::fixed || frozen;
    const bool boxed = alive && type != ShapeType::plane;
    const Vec3 zero{0.0f, 0.0f, 0.0f};
    const Vec3 size = model.shape_size[row], position = state.position[row];
    const Quat orientation = alive ? state.orientation[row] : kIdentity;
    const float radius = model.radius[row];
    // The shape as a rounded box, see ShapeRecord.
    const bool is_box = type == ShapeType::box;
    const Vec3 core{is_box ? size.x : 0.0f, is_box || type == ShapeType::capsule ? size.y : 0.0f,
                    is_box ? size.z : 0.0f};
    const float rounding = is_box || type == ShapeType::plane ? 0.0f : size.x;

    // Velocity at the start, and once gravity and force have acted for the whole step.
    const Vec3 before = still ? zero : state.linear_velocity[row];
    const Vec3 gain = p.dt * (model.gravity_scale[row] * p.gravity + model.inv_mass[row] * force[row]);
    const Vec3 after = moves ? before + gain : before;
    const Vec3 way_before = p.dt * before, way_after = p.dt * after;
    const float turn = still ? 0.0f : p.dt * length(state.angular_velocity[row]);
    const float swing = boxed ? swing_of(is_box, core, rounding, radius, turn) : 0.0f;
    const float rim = 0.5f * p.speculative_distance + swing;

    const Mat3 axes = matrix_of(orientation);
    const Mat3 reach_of_axes{abs_of(axes.row0), abs_of(axes.row1), abs_of(axes.row2)};
    const float edge = rounding + rim;
    const Vec3 half = reach_of_axes * core + Vec3{edge, edge, edge};
    const Vec3 low = position - half + min_of(zero, min_of(way_before, way_after));
    const Vec3 high = position + half + max_of(zero, max_of(way_before, way_after));
    const float reach = rim + max_of(length(way_before), length(way_after));
    // Field by field: whole records would be put together in memory first and then be read too early.
    BodyPose& pose_out = pose[row];
    pose_out.position = position;
    pose_out.reach = reach;
    pose_out.orientation = orientation;
    const Vec3 nowhere{kNowhere, kNowhere, kNowhere};
    const std::uint32_t group = model.group[row], mask = alive ? model.mask[row] : 0u;
    Bounds& bounds_out = bounds[row];
    bounds_out.min = boxed ? low : nowhere;
    bounds_out.group = group;
    bounds_out.max = boxed ? high : -nowhere;
    bounds_out.mask = boxed ? mask : 0u;
    ShapeRecord& shape_out = shape[row];
    shape_out.core = core;
    shape_out.rounding = type == ShapeType::plane ? kUnbounded : rounding;
    shape_out.radius = type == ShapeType::plane ? kUnbounded : radius;
    shape_out.group = group;
    shape_out.mask = mask;
    shape_out.moves = moves ? 1u : 0u;
  }

  /// [m] How much further a shape may reach after a turn [rad]. Its outermost point in some direction is at least as
  /// far out as the ball inside and within the ball around it: hence its lever arm, and the limit for any turn.
  TALUS_HD static float swing_of(bool is_box, Vec3 core, float rounding, float radius, float turn) {
    const float thickness = is_box ? min_of(core.x, min_of(core.y, core.z)) : rounding;
    const float limit = max_of(radius - thickness, 0.0f);
    const float arm = is_box ? square_root(limit * (radius + thickness)) : limit;
    return min_of(turn * arm, limit);
  }
};

}  // namespace talus::inline TALUS_ISA
