// SPDX-License-Identifier: MIT
// Boxes that hold bodies throughout a step.
#pragma once
#include <bit>

#include "broad_columns.h"
#include "counters.h"
#include "lanes.h"
#include "lengths.h"
#include "math/atomic.h"
#include "math/vec3.h"
#include "reach.h"
#include "shapes/extent.h"
#include "step_params.h"

namespace talus::inline TALUS_ISA {

constexpr float kNowhere = 3e38f;  // [m] minimum of an empty box; its maximum is the negative

/// [m] How much further a body may get in the next step than it does in this one, of the reach in its pose: what sleeps
/// is woken one step ahead, so candidates must be found that far ahead. touching: [m] part of the reach at which
/// contacts are made.
template <class Real>
TALUS_INLINE Real wake_reach(Real reach, Real touching, const StepParams& p) {
  return p.may_sleep != 0 ? reach - touching : Real(0.0f);
}

/// Pose, box and shape record of each row. The box is that of the shape, extended along the way of the step, and by the
/// rim of StepReach on all sides. The reach of the pose is the same in all directions: |way| + rim.
struct UpdateBounds {
  // model
  BodyModel model;
  // state
  BodyState state;
  // inputs
  BodyInputs inputs;
  // out: one row a lane; those after the last body are empty
  Column<BodyPose> pose;
  Column<Bounds> bounds;
  Column<ShapeRecord> shape;
  // scratch in, of an earlier step
  Column<Bounds> kept_bounds;
  // parameters
  const StepParams* params;
  Counters* counters;  // left_bounds is written

  template <class Real>
  TALUS_INLINE void solve(Index row) const {
    const StepParams& p = *params;
    const Real zero(0.0f), one(1.0f);
    const StepReach<Real> r = step_reach<Real>(model, state, inputs, p, row);
    const Mask<Real> alive = r.alive, moves = r.moves, is_plane = r.is_plane, boxed = r.boxed;
    const Vec3Of<Real> position = load<Real>(state.position, row), core = r.core, before = r.before, spin = r.spin;
    const Real rounding = r.rounding, radius = r.radius;
    const Real any_speed =
        abs_of(before.x) + abs_of(before.y) + abs_of(before.z) + abs_of(spin.x) + abs_of(spin.y) + abs_of(spin.z);
    const Mask<Real> stirs = !r.still && !moves && any_speed > Real(p.may_sleep != 0 ? 0.0f : kNowhere);

    const QuatOf<Real> orientation = r.orientation;
    const Mat3Of<Real> axes = matrix_of(orientation);
    const Mat3Of<Real> reach_of_axes{abs_of(axes.row0), abs_of(axes.row1), abs_of(axes.row2)};
    const Real edge = rounding + r.rim;
    const Vec3Of<Real> half = reach_of_axes * core + Vec3Of<Real>{edge, edge, edge};
    const Vec3Of<Real> low = position - half + r.low, high = position + half + r.high;
    const Real reach = r.rim + r.way;
    const Real pose_out[8] = {position.x,    position.y,    position.z,    reach,
                              orientation.x, orientation.y, orientation.z, orientation.w};
    store_together(&pose.data->position.x, row, pose_out);

    const Vec3Of<Real> nowhere{Real(kNowhere), Real(kNowhere), Real(kNowhere)};
    const Vec3Of<Real> no_min = select<Real>(alive, -nowhere, nowhere);  // planes are everywhere
    const Vec3Of<Real> min = select<Real>(boxed, low, no_min), max = select<Real>(boxed, high, -no_min);
    const Real group = load_bits<Real>(model.group, row), mask = select(alive, load_bits<Real>(model.mask, row), zero);
    const Real listed = select(boxed, load_any_bit<Real>(model.mask, row), zero),
               moving = select(moves || stirs, one, zero);
    const Real bounds_out[8] = {min.x, min.y, min.z, moving, max.x, max.y, max.z, listed};
    store_together(&bounds.data->min.x, row, bounds_out);
    const Real ahead = wake_reach(reach, r.touching, p);
    const Vec3Of<Real> around{ahead, ahead, ahead};
    watch_bounds(row, min - around, max + around, moving, listed);

    const Real pushed_bits(std::bit_cast<float>(kPushed)), stirs_bits(std::bit_cast<float>(kStirs));
    const Real asleep_bits(std::bit_cast<float>(kAsleep));
    const Real shape_out[8] = {
        core.x,
        core.y,
        core.z,
        select(is_plane, Real(kUnbounded), rounding),
        select(is_plane, Real(kUnbounded), radius),
        group,
        mask,
        select(moves, pushed_bits, select(stirs, stirs_bits, select(r.asleep, asleep_bits, zero)))};
    store_together(&shape.data->core.x, row, shape_out);
  }

  /// A body outside its kept box, or one that takes part or moves and did not then, may meet others than it was found
  /// to: the search is due.
  template <class Real>
  TALUS_INLINE void watch_bounds(Index row, Vec3Of<Real> min, Vec3Of<Real> max, Real moving, Real listed) const {
    Real kept[8];
    load_together(&kept_bounds.data->min.x, row, kept);
    const Mask<Real> within = kept[0] <= min.x && kept[1] <= min.y && kept[2] <= min.z && max.x <= kept[4] &&
                              max.y <= kept[5] && max.z <= kept[6] && moving <= kept[3] && listed <= kept[7];
    if (any_of(!within)) atomic_or(&counters->left_bounds, 1u);
  }
};

constexpr float kKeptMargin = 0.1f;  // [radius] how much larger kept boxes are
constexpr float kKeptSteps = 4.0f;   // steps of the way that they cover beyond this one's, up to a radius
// The same while most bodies sleep: a search is over all, and the few that move would ask for one every other step. A
// ball among 10,000 sleepers: 0.60 ms a step with the numbers above, 0.07 with these.
constexpr float kCalmSteps = 32.0f;
constexpr float kCalmWay = 8.0f;  // [radius]

/// Boxes that bodies stay in for some steps, so that candidates found for these serve as long. One body a lane.
struct KeepBounds {
  BodyModel model;
  Vec3Column linear_velocity;
  Column<Bounds> bounds;
  Column<BodyPose> pose;
  Column<Bounds> kept_bounds;  // out
  const StepParams* params;
  const Counters* counters;

  template <class Real>
  TALUS_INLINE void solve(Index row) const {
    Real box[8], where[8];
    load_together(&bounds.data->min.x, row, box);
    load_together(&pose.data->position.x, row, where);
    const Real motion = load_bytes<Real>(model.motion, row), zero(0.0f);
    const Real radius = select(motion == Real(float(Motion::fixed)), zero, load<Real>(model.radius.data, row));
    const Real touching = select(motion == Real(float(Motion::dynamic)), speculative_of(radius, *params), zero);
    const bool calm = counters->asleep > counters->rows / 2;
    const Real ahead((calm ? kCalmSteps : kKeptSteps) * params->dt), most = Real(calm ? kCalmWay : 1.0f) * radius;
    const Real margin = Real(kKeptMargin) * radius + wake_reach(where[3], touching, *params);
    const Vec3Of<Real> v = load<Real>(linear_velocity, row);
    const Vec3Of<Real> way{clamp_to(ahead * v.x, -most, most), clamp_to(ahead * v.y, -most, most),
                           clamp_to(ahead * v.z, -most, most)};
    const Real kept[8] = {box[0] - margin + min_of(way.x, zero), box[1] - margin + min_of(way.y, zero),
                          box[2] - margin + min_of(way.z, zero), box[3],
                          box[4] + margin + max_of(way.x, zero), box[5] + margin + max_of(way.y, zero),
                          box[6] + margin + max_of(way.z, zero), box[7]};
    store_together(&kept_bounds.data->min.x, row, kept);
  }
};

}  // namespace talus::inline TALUS_ISA
