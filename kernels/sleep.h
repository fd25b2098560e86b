// SPDX-License-Identifier: MIT
// Sleep: which blocks of bodies a step works on, which bodies are slow, and what wakes.
//
// A body that sleeps is one that does not move: no inverse mass, no velocity, and no pair without another that moves.
// Kernels over bodies run on the listed blocks of 32 rows only: those with something awake in them, or with something
// that may meet it. What sleeps is woken at the end of a step if in the next one it might be met (WakeNeighbors), so
// that it takes its part in the impact; islands wake as a whole, by the label they fell asleep with.
#pragma once
#include "apply_edit.h"
#include "bounds.h"
#include "broad_columns.h"
#include "growth.h"
#include "islands.h"
#include "lanes.h"
#include "shapes/extent.h"
#include "sweep.h"

namespace talus::inline TALUS_ISA {

// SleepRows::wake
constexpr std::uint32_t kWake = 1u;
constexpr std::uint32_t kWakeFresh = 2u;  // with `quiet` at 0: what held the island may be gone

// SleepBlocks::near
constexpr std::uint32_t kNearAwake = 1u;  // a candidate of the broad phase
constexpr std::uint32_t kTouched = 2u;    // by an edit, or has a joint: for one step

/// An atomic only where it changes something: most find their bits set.
TALUS_INLINE void set_bits(std::uint32_t* target, std::uint32_t bits) {
  if ((atomic_load(target) & bits) != bits) atomic_or(target, bits);
}

// ---- blocks --------------------------------------------------------------------------------------------------------

/// A plane that moves may meet anything: all blocks are listed. One element.
struct LookAtPlanes {
  BodyKind bodies;
  Column<const Index> planes;
  Index plane_count;
  Counters* counters;

  TALUS_HD void operator()(Index) const {
    for (Index i = 0; i < plane_count; ++i) {
      if (bodies.stirs(planes[i])) counters->list_all = 1;
    }
  }
};

/// Lists the blocks of joined bodies, whose records the solver of joints reads unless both are at rest. One element is
/// one joint.
struct TouchJoints {
  BodyKind bodies;
  JointModel model;
  Column<std::uint32_t> near;

  TALUS_HD void operator()(Index joint) const {
    if (model.alive[joint] == 0) return;
    const Index a = model.body_a[joint], b = model.body_b[joint];
    if (!(a >= 0 && bodies.is_awake(a)) && !(b >= 0 && bodies.is_awake(b))) return;
    if (a >= 0) set_bits(&near[a / kLanes], kTouched);
    if (b >= 0) set_bits(&near[b / kLanes], kTouched);
  }
};

/// One element is a run of blocks, so that few atomics meet and neighbors stay neighbors.
struct ListBlocks {
  BodyModel model;
  BodyState state;
  SleepBlocks blocks;  // active, listed: out
  Counters* counters;  // active_lanes, resting_blocks, asleep, movers

  TALUS_HD void operator()(Index run) const {
    const Index end = counters->row_lanes / kLanes;
    Index list[kBlockRun], size = 0, resting = 0, asleep = 0, movers = 0;
    for (Index block = run * kBlockRun; block < (run + 1) * kBlockRun && block < end; ++block) {
      const bool last = block == end - 1;  // with the null body
      const bool stays = look_at(block, asleep, movers) || last;
      const bool in = stays || blocks.near[block] != 0 || counters->list_all != 0;
      resting += stays ? 0 : 1;
      blocks.listed[block] = in ? 1u : 0u;
      if (in) list[size++] = block;
    }
    if (asleep > 0) atomic_add(&counters->asleep, asleep);
    if (movers > 0) atomic_add(&counters->movers, movers);
    if (resting > 0) atomic_add(&counters->resting_blocks, resting);
    if (size == 0) return;
    const Index first = atomic_add(&counters->active_lanes, size * kLanes) / kLanes;
    for (Index i = 0; i < size; ++i) blocks.active[first + i] = list[i];
  }

  /// True if something is awake or may be moved by the caller at any time; and planes, which are near to everything.
  TALUS_INLINE bool look_at(Index block, Index& asleep, Index& movers) const {
    const std::uint8_t *alive = &model.alive[block * kLanes], *motion = &model.motion[block * kLanes],
                       *shape = &model.shape[block * kLanes], *sleeps = &state.asleep[block * kLanes];
    int awake = 0, asleep_here = 0, dynamic = 0, kinematic = 0;
    for (Index i = 0; i < kLanes; ++i) {
      const bool there = (alive[i] != 0) & (sleeps[i] == 0);
      const bool goes = there & (motion[i] != std::uint8_t(Motion::fixed));
      awake += goes | (there & (shape[i] == std::uint8_t(ShapeType::plane))) ? 1 : 0;
      dynamic += there & (motion[i] == std::uint8_t(Motion::dynamic)) ? 1 : 0;
      kinematic += there & (motion[i] == std::uint8_t(Motion::kinematic)) ? 1 : 0;
      asleep_here += sleeps[i];
    }
    asleep += asleep_here;
    movers += dynamic;
    for (Index i = 0; i < kLanes && kinematic > 0; ++i) {
      const Index row = block * kLanes + i;
      if (row < counters->rows && BodyKind{model, state}.stirs(row)) ++movers;
    }
    return awake != 0;
  }
};

/// A kernel over body rows, on the blocks that are not listed.
template <class Kernel>
struct OffBlocks {
  const std::uint32_t* listed;
  Kernel kernel;

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    if (listed[lane / kLanes] == 0) kernel.template solve<Real>(lane);
  }
};

/// Before candidates are found anew. One element is one block.
struct ForgetNear {
  Column<std::uint32_t> near;
  TALUS_HD void operator()(Index block) const { near[block] &= ~kNearAwake; }
};
/// Once they are. One element is one candidate.
struct MarkNear {
  Candidates candidates;
  Column<std::uint32_t> near;

  TALUS_HD void operator()(Index candidate) const {
    set_bits(&near[candidates.first[candidate] / kLanes], kNearAwake);
    set_bits(&near[candidates.second[candidate] / kLanes], kNearAwake);
  }
};
/// Adds the blocks that were not listed before. One element is one block.
struct ListNear {
  SleepBlocks blocks;
  Counters* counters;

  TALUS_HD void operator()(Index block) const {
    if (blocks.near[block] == 0 || blocks.listed[block] != 0) return;
    blocks.listed[block] = 1;
    blocks.active[atomic_add(&counters->active_lanes, kLanes) / kLanes] = block;
  }
};
/// One element is one row of a listed block: the first one of each.
struct ForgetTouched {
  Column<std::uint32_t> near;
  TALUS_HD void operator()(Index row) const {
    if (row % kLanes == 0) near[row / kLanes] &= ~kTouched;
  }
};

// ---- who is slow ---------------------------------------------------------------------------------------------------

/// For how long each body has been slow. What counts is how far its fastest point gets from one look at the islands to
/// the next: a hand that others lie on may tremble, and gets nowhere. In between it must stay within the way that it
/// would go at the same speed in the time before it sleeps. One body a lane.
struct CountQuiet {
  BodyModel model;
  BodyState state;
  const StepParams* params;
  const Counters* counters;

  template <class Real>
  TALUS_INLINE void solve(Index row) const {
    const Real zero(0.0f);
    const Mask<Real> awake = load_bytes<Real>(model.motion, row) == Real(float(Motion::dynamic)) &&
                             load_bytes<Real>(state.asleep, row) == zero;
    const Real radius = load<Real>(model.radius.data, row), before = load<Real>(state.quiet.data, row);
    const Vec3Of<Real> x = load<Real>(state.position, row), last_x = load<Real>(state.last_position, row);
    const QuatOf<Real> q = load<Real>(state.orientation, row), last_q = load<Real>(state.last_orientation, row);
    const Real gone = length(x - last_x) + Real(2.0f) * half_turn(q, last_q) * radius;
    const bool looks = counters->sleep_clock == 0;
    const float between = params->dt * float(kIslandPeriod),
                time = looks ? between : max_of(between, params->sleep_time);
    const Mask<Real> slow = gone < Real(params->sleep_speed * time);
    if (looks) {
      store(state.last_position, row, select<Real>(awake, x, last_x));
      store(state.last_orientation, row, select<Real>(awake, q, last_q));
    }
    store_lanes(state.quiet.data + row, select(awake, select(slow, before + Real(params->dt), zero), before));
    for (int i = 0; i < LaneCount<Real>::value; ++i) {
      if (state.island[row + i] < 0) state.island[row + i] = 0;
    }
  }

 private:
  /// [rad] Half the angle between two orientations, for small ones.
  template <class Real>
  TALUS_INLINE static Real half_turn(const QuatOf<Real>& q, const QuatOf<Real>& r) {
    const Real side = select(q.x * r.x + q.y * r.y + q.z * r.z + q.w * r.w < Real(0.0f), Real(-1.0f), Real(1.0f));
    const Real x = q.x - side * r.x, y = q.y - side * r.y, z = q.z - side * r.z, w = q.w - side * r.w;
    return square_root(x * x + y * y + z * z + w * w);
  }
};

// ---- who wakes -----------------------------------------------------------------------------------------------------

struct WakeMarks {
  BodyState state;
  Column<std::uint32_t> wake;
  Counters* counters;

  TALUS_INLINE void mark(Index row, std::uint32_t how) const {
    set_bits(&wake[state.island[row] - 1], how);
    set_bits(&counters->any_wake, 1u);
  }
};

/// Wakes what something awake may meet in the next step, and keeps it from falling asleep at the end of this one: it
/// would be a wall for what hits it. What is ready to sleep itself keeps nobody awake. One element is one candidate.
struct WakeNeighbors {
  Column<BodyPose> pose;
  Column<Bounds> bounds;
  Column<ShapeRecord> shape;
  Column<const std::uint64_t> ignored;
  Candidates candidates;
  WakeMarks marks;
  const StepParams* params;

  TALUS_HD void operator()(Index candidate) const {
    const Index x = candidates.first[candidate], y = candidates.second[candidate];
    const std::uint32_t moves_x = shape[x].moves, moves_y = shape[y].moves;
    const bool asleep_x = (moves_x & kAsleep) != 0, asleep_y = (moves_y & kAsleep) != 0;
    if ((moves_x & kMoves) != 0 && asleep_y && may_meet(x, y)) marks.mark(y, kWake);
    if ((moves_y & kMoves) != 0 && asleep_x && may_meet(y, x)) marks.mark(x, kWake);
    if (asleep_x || asleep_y || !islands_are_due(*marks.counters)) return;
    const bool drowsy_x = is_drowsy(x), drowsy_y = is_drowsy(y);
    if (drowsy_y && (moves_x & kMoves) != 0 && !drowsy_x && may_meet(x, y)) set_bits(&marks.wake[y], kExpects);
    if (drowsy_x && (moves_y & kMoves) != 0 && !drowsy_y && may_meet(y, x)) set_bits(&marks.wake[x], kExpects);
  }

 private:
  /// Dynamic, and slow for so long that it may fall asleep at the end of this step.
  TALUS_HD bool is_drowsy(Index row) const {
    return (shape[row].moves & kPushed) != 0 && marks.state.quiet[row] + params->dt >= params->sleep_time;
  }
  TALUS_HD bool may_meet(Index mover, Index sleeper) const {
    const ShapeRecord &a = shape[mover], &b = shape[sleeper];
    if ((a.group & b.mask) == 0 || (b.group & a.mask) == 0) return false;
    const float touching = (a.moves & kPushed) != 0 ? speculative_of(a.radius, *params) : 0.0f;
    const float ahead = wake_reach(pose[mover].reach, touching, *params);
    const Bounds &box_a = bounds[mover], &box_b = bounds[sleeper];
    const bool overlap = box_a.min.x - ahead <= box_b.max.x && box_b.min.x <= box_a.max.x + ahead &&
                         box_a.min.y - ahead <= box_b.max.y && box_b.min.y <= box_a.max.y + ahead &&
                         box_a.min.z - ahead <= box_b.max.z && box_b.min.z <= box_a.max.z + ahead;
    if (!overlap) return false;
    float pose_a[8], pose_b[8], shape_a[8], shape_b[8];
    load_record(&pose.data->position.x, std::uint32_t(mover), pose_a);
    load_record(&pose.data->position.x, std::uint32_t(sleeper), pose_b);
    load_record(&shape.data->core.x, std::uint32_t(mover), shape_a);
    load_record(&shape.data->core.x, std::uint32_t(sleeper), shape_b);
    SeenFrom<float> seen = seen_from(pose_a, pose_b);
    seen.reach = seen.reach + ahead;
    if (far_lanes(seen, shape_a, shape_b) != 0) return false;
    return ignored.size == 0 || !is_listed(ignored, mover, sleeper);
  }
};

/// Wakes what is joined to something awake. One element is one joint.
struct WakeJoints {
  BodyKind bodies;
  JointModel model;
  JointState state;
  WakeMarks marks;

  TALUS_HD void operator()(Index joint) const {
    const Index a = model.body_a[joint], b = model.body_b[joint];
    if (model.alive[joint] == 0 || state.broken[joint] != 0 || a < 0 || b < 0) return;
    const bool asleep_a = bodies.state.asleep[a] != 0, asleep_b = bodies.state.asleep[b] != 0;
    if (asleep_a && (bodies.is_awake(b) || bodies.stirs(b))) marks.mark(a, kWake);
    if (asleep_b && (bodies.is_awake(a) || bodies.stirs(a))) marks.mark(b, kWake);
  }
};

/// Bodies whose island is marked. One element is one body row.
struct WakeRows {
  BodyState state;
  SleepRows rows;      // change: out
  Counters* counters;  // woke_up

  TALUS_HD void operator()(Index row) const {
    if (state.asleep[row] == 0) return;
    const std::uint32_t how = counters->wake_all != 0 ? kWakeFresh : rows.wake[state.island[row] - 1];
    if (how == 0) return;
    state.asleep[row] = 0;
    state.island[row] = -state.island[row];
    if ((how & kWakeFresh) != 0) state.quiet[row] = 0.0f;
    rows.change[row] |= kWokeUp;
    atomic_add(&counters->woke_up, 1);
  }
};
struct ClearWakes {
  Column<std::uint32_t> wake;
  TALUS_HD void operator()(Index row) const { wake[row] = 0; }
};
/// One element: how long the two loops above are.
struct BeginWakes {
  Counters* counters;
  Index rows;
  TALUS_HD void operator()(Index) const {
    const bool any = (counters->any_wake | counters->wake_all) != 0;
    counters->wake_rows = counters->must_grow == 0 && any ? rows : 0;
  }
};
/// One element.
struct EndWakes {
  Counters* counters;
  TALUS_HD void operator()(Index) const { counters->any_wake = counters->wake_all = 0; }
};

// ---- edits ---------------------------------------------------------------------------------------------------------

/// A body of a table, or as an edit will make it.
struct MovingBody {
  bool alive;
  ShapeType type;
  Vec3 size, position, velocity, spin;
  Quat orientation;
  float radius;  // [m]

  /// [m/s] At most, of any of its points.
  TALUS_HD float speed() const { return length(velocity) + length(spin) * radius; }
  /// That holds it while it goes on as it does for some time [s].
  TALUS_HD Bounds box(float time) const {
    constexpr float kEverywhere = 1e30f;  // [m]
    if (type == ShapeType::plane) {
      return {{-kEverywhere, -kEverywhere, -kEverywhere}, 0.0f, {kEverywhere, kEverywhere, kEverywhere}, 0.0f};
    }
    const bool is_box = type == ShapeType::box;
    const Vec3 core{is_box ? size.x : 0.0f, type == ShapeType::sphere ? 0.0f : size.y, is_box ? size.z : 0.0f};
    const Mat3 axes = matrix_of(orientation);
    const Mat3 reach{abs_of(axes.row0), abs_of(axes.row1), abs_of(axes.row2)};
    const float edge = (is_box ? 0.0f : size.x) + time * length(spin) * radius;
    const Vec3 half = reach * core + Vec3{edge, edge, edge}, way = time * velocity, none{0.0f, 0.0f, 0.0f};
    return {position - half + min_of(way, none), 0.0f, position + half + max_of(way, none), 0.0f};
  }
};
TALUS_HD inline MovingBody moving_body(const BodyModel& model, const BodyState& state, Index row) {
  return {model.alive[row] != 0,      ShapeType(model.shape[row]), model.shape_size[row],  state.position[row],
          state.linear_velocity[row], state.angular_velocity[row], state.orientation[row], model.radius[row]};
}

/// Marks the islands of edited bodies, and keeps boxes around which things wake, before the edits go in: of fixed and
/// kinematic bodies that are about to leave, and where bodies get that suddenly move, which WakeNeighbors could not
/// foresee. One element is one edit.
struct NoteEdits {
  static constexpr float kAhead = 1.0f / 30.0f;  // [s] a step: how long the next one is is not known yet
  static constexpr float kSudden = 2.0f;         // [1] times the speed of before
  Column<const BodyEdit> edits;
  BodyModel model;
  WakeMarks marks;
  SleepBlocks blocks;
  Column<Bounds> disturbed;

  TALUS_HD void operator()(Index edit) const {
    const BodyEdit& e = edits[edit];
    Counters* counters = marks.counters;
    const Index row = e.row;
    if (counters->must_grow != 0) return;
    set_bits(&blocks.near[row / kLanes], kTouched);
    // The reason for which a block was listed may go with it: MarkNear is due.
    if ((e.bits & (BodyEdit::set_all | BodyEdit::sleep)) != 0) atomic_store(&counters->kept_rows, 0);
    if ((e.bits & BodyEdit::wake_all) != 0) set_bits(&counters->wake_all, 1u);
    if ((e.bits & ~std::uint32_t(BodyEdit::sleep | BodyEdit::wake_all)) == 0) return;
    if (marks.state.asleep[row] != 0) marks.mark(row, kWake | kWakeFresh);
    const MovingBody before = moving_body(model, marks.state, row), after = edited(before, e);
    constexpr std::uint32_t kLeaves = BodyEdit::set_all | BodyEdit::set_pose | BodyEdit::set_model;
    const bool supports = before.alive && Motion(model.motion[row]) != Motion::dynamic;
    if (supports && (e.bits & kLeaves) != 0) disturb(before, 0.0f);
    const bool jumps = (e.bits & (BodyEdit::set_all | BodyEdit::set_pose)) != 0;
    const float speed_before = before.alive && !jumps ? before.speed() : 0.0f, speed = after.speed();
    if (after.alive && speed > kSudden * speed_before) disturb(after, kAhead);
  }

 private:
  TALUS_HD MovingBody edited(MovingBody body, const BodyEdit& e) const {
    const bool is_new = (e.bits & BodyEdit::set_all) != 0;
    if (is_new) {
      body.alive = e.model.alive != 0;
      body.type = ShapeType(e.model.shape);
      body.size = e.model.shape_size;
      body.radius = e.model.radius;
    }
    if (is_new || (e.bits & BodyEdit::set_pose) != 0) {
      body.position = e.state.position;
      body.orientation = e.state.orientation;
    }
    if (is_new || (e.bits & BodyEdit::set_velocity) != 0) {
      body.velocity = e.state.linear_velocity;
      body.spin = e.state.angular_velocity;
    }
    if ((e.bits & BodyEdit::add_impulse) != 0) {
      const float inv_mass = is_new ? e.model.inv_mass : model.inv_mass[e.row];
      const Vec3 inv_inertia = is_new ? e.model.inv_inertia : model.inv_inertia[e.row];
      const VelocityGain gain = gain_of(e, body.position, body.orientation, inv_mass, inv_inertia);
      body.velocity = body.velocity + gain.linear;
      body.spin = body.spin + gain.angular;
    }
    return body;
  }
  /// time: [s] for which it goes on as it does.
  TALUS_HD void disturb(const MovingBody& body, float time) const {
    disturbed[atomic_add(&marks.counters->disturbed, 1)] = body.box(time);
  }
};
/// One element.
struct BeginDisturbed {
  Counters* counters;
  Index rows;
  TALUS_HD void operator()(Index) const { counters->disturbed_rows = counters->disturbed > 0 ? rows : 0; }
};
/// Marks what sleeps near one of the boxes. One element is one body row.
struct WakeDisturbed {
  BodyModel model;
  WakeMarks marks;
  Column<Bounds> disturbed;
  float rim;  // [1] of the radius: twice the distance at which contacts are made: what rests may have drifted since

  TALUS_HD void operator()(Index row) const {
    if (marks.state.asleep[row] == 0) return;
    const Bounds own = moving_body(model, marks.state, row).box(0.0f);
    const float r = rim * model.radius[row];
    for (Index i = 0; i < marks.counters->disturbed; ++i) {
      const Bounds& b = disturbed[i];
      const bool near = b.min.x - r <= own.max.x && own.min.x <= b.max.x + r && b.min.y - r <= own.max.y &&
                        own.min.y <= b.max.y + r && b.min.z - r <= own.max.z && own.min.z <= b.max.z + r;
      if (near) return marks.mark(row, kWake | kWakeFresh);
    }
  }
};
/// One element.
struct EndDisturbed {
  Counters* counters;
  TALUS_HD void operator()(Index) const { counters->disturbed = 0; }
};

}  // namespace talus::inline TALUS_ISA
