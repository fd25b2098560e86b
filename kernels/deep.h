// SPDX-License-Identifier: MIT
// Bodies that begin a step deep inside each other. Their contacts know no speeds: what pushes many of them apart by
// velocities adds up over the contacts of a body and leaves as an explosion. Before the step moves anything, bodies get
// displacements d = M^-1 J_n^T x with x >= 0 that part deep contacts and leave all others as they are, cut for each
// body to what max_push_speed allows in a step. Then deep contacts count as touching: velocities are solved as if
// nothing was wrong.
#pragma once
#include <type_traits>

#include "columns.h"
#include "joint_columns.h"
#include "lanes.h"
#include "math/atomic.h"
#include "rigid_columns.h"
#include "shapes/extent.h"
#include "solve.h"
#include "solve_columns.h"
#include "step_params.h"

namespace talus::inline TALUS_ISA {

constexpr float kDeepMost = 0.3f;    // [1] of the thinner body's thickness: what is deeper is deep in any case
constexpr float kDeepRest = 0.1f;    // [1] part of the depth of deep contacts that a push leaves
constexpr float kMergedPart = 0.5f;  // [1] of the thickness: StepStatus::deep_penetration
constexpr float kDeepGive = 0.02f;   // [1] of a contact's give: how soft pushes are. What is wedged between bodies that
                                    // cannot move stays in the middle; with 0.2 rows of 30 part at a fifth of the limit
constexpr int kDeepSweeps = 20;  // a step; with 10 some boxes beside a wall take longer than three times their way
constexpr int kJacobiDeepSweeps = 40;  // the same, if all contacts share their bodies

/// [m] Across the thinnest part; without bound for planes.
TALUS_INLINE float thickness_of(std::uint8_t shape, Vec3 size) {
  return 2.0f * min_half_thickness(ShapeType(shape), size);
}
/// [m] Penetration from which on a contact is deep.
TALUS_INLINE float deep_limit(const StepParams& params, float thickness) {
  return min_of(params.deep_floor, kDeepMost * thickness);
}

/// Where rows have what deep contacts need.
struct SoftRowFields {
  using Rows = SolverRows;
  static constexpr int body_a = row::body_a, body_b = row::body_b, count = row::count, normal = row::normal;
  static constexpr int lever_a = row::lever_a, lever_b = row::lever_b, separation = row::separation;
  static constexpr int push = row::impact;  // zero until bodies move, and after SettleDeep
  static constexpr int at(int point, int field) { return row::at(point, field); }
  /// [m] What the load of the last step presses a point in by.
  template <class Real>
  TALUS_INLINE static Real sag(const SolverRows& rows, int point, Index lane) {
    return load<Real>(rows, row::load_depth, lane) * load<Real>(rows, at(point, row::impulse), lane);
  }
};
struct RigidRowFields {
  using Rows = RigidRows;
  static constexpr int body_a = rigid_row::body_a, body_b = rigid_row::body_b, count = rigid_row::count;
  static constexpr int normal = rigid_row::normal, separation = rigid_row::separation, push = rigid_row::push;
  static constexpr int lever_a = rigid_row::lever_a, lever_b = rigid_row::lever_b;
  static constexpr int at(int point, int field) { return rigid_row::at(point, field); }
  template <class Real>
  TALUS_INLINE static Real sag(const RigidRows& rows, int point, Index lane) {
    const Real rate = load<Real>(rows, rigid_row::push_rate, lane), zero(0.0f);
    const Real speed =
        load<Real>(rows, at(point, rigid_row::softness), lane) * load<Real>(rows, at(point, rigid_row::impulse), lane);
    return select(rate > zero, speed / select(rate > zero, rate, Real(1.0f)), zero);
  }
};

/// Notes contacts that are deep, when their rows are made. Most penetrations are too small to look at any closer. Few
/// members: on a GPU a call copies them.
template <class Fields>
struct NoteDeep {
  typename Fields::Rows rows;
  decltype(BodyModel::shape) shape;
  decltype(BodyModel::shape_size) shape_size;
  const StepParams* params;
  Counters* counters;

  /// Of the contacts of a pack, `deepest`: [m] smallest separation; `count`: of points; a, b: their bodies.
  template <class Real, int kWidth>
  TALUS_INLINE void note(Index lane, Real deepest, Real count, const std::uint32_t (&a)[kWidth],
                         const std::uint32_t (&b)[kWidth]) const {
    // With less than this no contact is deep.
    const float shallow = min_of(params->deep_floor, kDeepMost * params->thinnest);
    if (!any_of(deepest < Real(-shallow))) return;
    float separation[kWidth], points[kWidth];
    store_lanes(separation, deepest);
    store_lanes(points, count);
    for (int i = 0; i < kWidth; ++i) {
      if (separation[i] < -shallow) {
        note_one(*this, lane + i, -separation[i], int(points[i]), Index(a[i]), Index(b[i]));
      }
    }
  }
  TALUS_SELDOM static void note_one(NoteDeep of, Index lane, float depth, int count, Index a, Index b) {
    const float thickness =
        min_of(thickness_of(of.shape[a], of.shape_size[a]), thickness_of(of.shape[b], of.shape_size[b]));
    float sunk = 0.0f;  // [m] without what loads press in by
    for (int i = 0; i < count; ++i) {
      const float sag = Fields::template sag<float>(of.rows, i, lane);
      sunk = max_of(sunk, -(of.rows.number(Fields::at(i, Fields::separation), lane) + sag));
    }
    if (sunk > deep_limit(*of.params, thickness)) atomic_store(&of.counters->deep_turns, 1);
    if (depth > kMergedPart * thickness) atomic_max(&of.counters->merged, 1u);
  }
};

/// Marks the bodies that joints hold: a push of one of them would tear at the others. Theirs is left to velocities, as
/// that of contacts which are not deep. One element is one joint.
struct MarkJointed {
  JointModel model;
  JointState state;
  BodyMove* move;  // jointed: out

  TALUS_HD void operator()(Index joint) const {
    if (model.alive[joint] == 0 || state.broken[joint] != 0) return;
    for (const Index body : {model.body_a[joint], model.body_b[joint]}) {
      if (body >= 0) atomic_store(&move[body].jointed, 1.0f);  // the same by whom ever
    }
  }
};

/// Displacements to begin with. One body a lane.
struct BeginDeepPush {
  BodyMove* move;

  template <class Real>
  TALUS_INLINE void solve(Index row) const {
    Real none[8];
    for (Real& value : none) value = Real(0.0f);
    store_together(&move[0].shift.x, row, none);
  }
};

/// One sweep over the contacts of a color.
template <class Fields>
struct PushDeep {
  static constexpr bool kIsLong = true;  // a call on a GPU
  typename Fields::Rows rows;            // push: in/out, the lane's own
  const BodyVelocity* velocity;          // for the inverse mass
  BodyMove* move;                        // in/out, as in SolveContacts
  decltype(BodyModel::shape) shape;
  decltype(BodyModel::shape_size) shape_size;
  const StepParams* params;

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    const RowIndices<Real> index_a(rows, Fields::body_a, lane), index_b(rows, Fields::body_b, lane);
    Real a[8], b[8];
    BodyPair<Real> bodies = load_moves(index_a, index_b, a, b);
    push_points(lane, index_a, index_b, bodies);
    SolveContacts<Sweep::biased, false>::store_record(bodies.a, a);
    SolveContacts<Sweep::biased, false>::store_record(bodies.b, b);
    scatter_together(&move->shift.x, index_a.data(), a, bodies.inv_mass_a > Real(0.0f));
    scatter_together(&move->shift.x, index_b.data(), b, bodies.inv_mass_b > Real(0.0f));
  }

  /// The two bodies, with displacements for velocities. a, b: their records of moves.
  template <class Real>
  TALUS_INLINE BodyPair<Real> load_moves(const RowIndices<Real>& index_a, const RowIndices<Real>& index_b, Real a[8],
                                         Real b[8]) const {
    gather_together(&velocity->linear.x, index_a.data(), a);
    gather_together(&velocity->linear.x, index_b.data(), b);
    BodyPair<Real> bodies = SolveContacts<Sweep::biased, false>::pair_of(a, b);
    gather_together(&move->shift.x, index_a.data(), a);
    gather_together(&move->shift.x, index_b.data(), b);
    hold(a[3], bodies.inv_mass_a, bodies.turns_a);
    hold(b[3], bodies.inv_mass_b, bodies.turns_b);
    bodies.a = {{a[0], a[1], a[2]}, {a[4], a[5], a[6]}};
    bodies.b = {{b[0], b[1], b[2]}, {b[4], b[5], b[6]}};
    return bodies;
  }

  template <class Real>
  TALUS_INLINE Real sag(int point, Index lane) const {
    return Fields::template sag<Real>(rows, point, lane);
  }
  /// [m] Depth from which on a contact of two bodies is deep, beyond what its load presses it in by.
  TALUS_INLINE float limit_of(Index a, Index b) const {
    const bool there = a < shape.size && b < shape.size;  // else the null body, of padding
    if (!there) return kUnbounded;
    return deep_limit(*params, min_of(thickness_of(shape[a], shape_size[a]), thickness_of(shape[b], shape_size[b])));
  }

  /// A deep contact wants to be parted, at most as far as its bodies may get, and so does any that the push has come
  /// to; others want not to get deeper than they are.
  template <class Real>
  TALUS_INLINE void push_points(Index lane, const RowIndices<Real>& index_a, const RowIndices<Real>& index_b,
                                BodyPair<Real>& bodies) const {
    constexpr int kWidth = LaneCount<Real>::value;
    float limits[kWidth];
    for (int i = 0; i < kWidth; ++i) limits[i] = limit_of(Index(index_a.data()[i]), Index(index_b.data()[i]));
    const Real limit = load_lanes(limits, Real{});
    const Vec3Of<Real> normal = load_vector<Real>(rows, Fields::normal, lane);
    const Real count = load<Real>(rows, Fields::count, lane), zero(0.0f), one(1.0f);
    Real deepest = zero;
    for (int i = 0; i < kMaxPoints && any_of(Real(float(i)) < count); ++i) {
      const Real sunk = load<Real>(rows, Fields::at(i, Fields::separation), lane) + sag<Real>(i, lane);
      deepest = select(Real(float(i)) < count, min_of(deepest, sunk), deepest);
    }
    const Real pushed = dot(bodies.a.linear, bodies.a.linear) + dot(bodies.b.linear, bodies.b.linear);
    const Mask<Real> deep = deepest < select(pushed > zero, zero, -limit);
    const Real rest = Real(kDeepRest) * limit, most(2.0f * params->max_push_speed * params->dt);
    for (int i = 0; i < kMaxPoints && any_of(Real(float(i)) < count); ++i) {
      const Levers<Real> levers{load_vector<Real>(rows, Fields::at(i, Fields::lever_a), lane),
                                load_vector<Real>(rows, Fields::at(i, Fields::lever_b), lane)};
      const Real give = bodies.inv_mass_a + bodies.inv_mass_b + bodies.turns_a * dot(levers.a, levers.a) +
                        bodies.turns_b * dot(levers.b, levers.b);
      const Mask<Real> moves = Real(float(i)) < count && give > zero;
      const Real separation = load<Real>(rows, Fields::at(i, Fields::separation), lane);
      const Real part = clamp_to(-(separation + sag<Real>(i, lane) + rest), zero, most),
                 keep = min_of(-separation, zero);
      const Real wanted = select(deep, part, keep);
      const Real before = load<Real>(rows, Fields::at(i, Fields::push), lane);
      const Real soft = Real(kDeepGive) * give, missing = wanted - bodies.speed(normal, levers) - soft * before;
      const Real aim = before + missing / select(moves, give + soft, one);
      const Real next = select(moves, max_of(aim, zero), before);
      bodies.apply(next - before, normal, levers);
      store(rows, Fields::at(i, Fields::push), lane, next);
    }
  }

 private:
  template <class Real>
  TALUS_INLINE static void hold(Real jointed, Real& inv_mass, Real& turns) {
    inv_mass = select(jointed > Real(0.0f), Real(0.0f), inv_mass);
    turns = select(jointed > Real(0.0f), Real(0.0f), turns);
  }
};

/// The overflow color, as SolveSplit; the sums are added by ApplySplitMoves.
template <class Fields>
struct PushDeepSplit {
  static constexpr bool kIsLong = true;  // a call on a GPU
  PushDeep<Fields> contacts;
  Column<SplitSums> sums;
  Column<Index> split_count;

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    for (int i = 0; i < LaneCount<Real>::value; ++i) solve_lane(lane + i);
  }

  TALUS_HD void solve_lane(Index lane) const {
    const RowIndices<float> index_a(contacts.rows, Fields::body_a, lane), index_b(contacts.rows, Fields::body_b, lane);
    const Index row_a = Index(*index_a.data()), row_b = Index(*index_b.data());
    const SolveSplit<Sweep::biased, false> split{{}, sums, split_count};
    float a[8], b[8];
    BodyPair<float> bodies = contacts.load_moves(index_a, index_b, a, b);
    split.lend(bodies.inv_mass_a, bodies.turns_a, row_a);
    split.lend(bodies.inv_mass_b, bodies.turns_b, row_b);
    contacts.push_points(lane, index_a, index_b, bodies);
    split.add(row_a, bodies.inv_mass_a, a, bodies.a);
    split.add(row_b, bodies.inv_mass_b, b, bodies.b);
  }
};

/// Cuts the displacements of a body so that no point of it gets further than the push limit allows in a step, and moves
/// it. Its spin turns with it, which leaves the energy as it was. What it is lifted by while it goes that way anyhow,
/// as after an impact that ended deep, its velocity pays for. One element is one body.
struct MoveDeep {
  decltype(BodyModel::radius) radius;
  decltype(BodyModel::gravity_scale) gravity_scale;
  const BodyFrame* frame;
  const StepParams* params;
  Column<BodyMove> move;                         // in/out
  Column<BodyVelocity> velocity, free_velocity;  // in/out
  Column<BodyDisplacement> displacement;         // out

  TALUS_HD void operator()(Index body) const {
    BodyMove& m = move[body];
    const float way = length(m.shift) + radius[body] * length(scale(frame[body].scale, m.turn));
    if (!(way > 0.0f)) return;
    const float part = min_of(params->max_push_speed * params->dt / way, 1.0f);
    const Vec3 zero{0.0f, 0.0f, 0.0f};  // never -0, as velocities
    m.shift = part * m.shift + zero;
    m.turn = part * m.turn + zero;
    const Vec3 per_axis = frame[body].scale, half_turn = 0.5f * scale(per_axis, m.turn);
    displacement[body].shift = m.shift;
    free_velocity[body].flag = 1.0f + min_of(way / (params->max_push_speed * params->dt), 1.0f);
    const Quat turn = normalized(Quat{half_turn.x, half_turn.y, half_turn.z, 1.0f});
    displacement[body].turn = turn;
    const Vec3 spin = turned(turn, scale(per_axis, velocity[body].angular));  // what the turn changes of it
    const Vec3 change{spin.x / per_axis.x, spin.y / per_axis.y, spin.z / per_axis.z};
    velocity[body].angular = velocity[body].angular + change + zero;
    free_velocity[body].angular = free_velocity[body].angular + change + zero;
    const Vec3 paid = price_of(m.shift, free_velocity[body].linear, gravity_scale[body] * params->gravity);
    velocity[body].linear = velocity[body].linear - paid + zero;
    free_velocity[body].linear = free_velocity[body].linear - paid + zero;
  }

 private:
  /// [m/s] What a velocity loses along a shift that gravity works against, if it goes that way.
  TALUS_HD static Vec3 price_of(Vec3 shift, Vec3 velocity, Vec3 gravity) {
    const float way = length(shift), work = -dot(gravity, shift);  // work: [J/kg]
    const float along = way > 0.0f ? dot(velocity, shift) / way : 0.0f;
    if (!(along > 0.0f && work > 0.0f)) return {0.0f, 0.0f, 0.0f};
    const float left = square_root(max_of(along * along - 2.0f * work, 0.0f));
    return ((along - left) / way) * shift;
  }
};

/// Separations after the push. Velocities see a deep contact as touching, and where contacts are springs as pressed in
/// by the load of the last step: with springs that bear nothing a heap of 10,000 bodies sinks into itself. Contacts of
/// bodies that joints hold stay as they were. Clears what the push kept in the rows. One lane.
template <class Fields>
struct SettleDeep {
  static constexpr bool kIsLong = true;  // a call on a GPU
  PushDeep<Fields> of;
  RigidSurfaceRows surfaces;  // of rigid rows; or none

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    for (int i = 0; i < LaneCount<Real>::value; ++i) settle(lane + i);
  }

  TALUS_HD void settle(Index lane) const {
    const auto& rows = of.rows;
    const int count = int(rows.number(Fields::count, lane));
    if (count == 0) return;
    const Index a = Index(rows.word(Fields::body_a, lane)), b = Index(rows.word(Fields::body_b, lane));
    const BodyMove &move_a = of.move[a], &move_b = of.move[b];
    const float shift = dot(rows.vector(Fields::normal, lane), move_b.shift - move_a.shift);
    float deepest = 0.0f, sum = 0.0f;
    for (int i = 0; i < count; ++i) {
      deepest = min_of(deepest, rows.number(Fields::at(i, Fields::separation), lane) + of.template sag<float>(i, lane));
    }
    const bool held = move_a.jointed > 0.0f || move_b.jointed > 0.0f;
    const float limit = of.limit_of(a, b);
    const bool deep = !held && (deepest < -limit || is_pushed(move_a) || is_pushed(move_b));
    for (int i = 0; i < count; ++i) {
      const float before = rows.number(Fields::at(i, Fields::separation), lane);
      const float moved = before + (shift + dot(rows.vector(Fields::at(i, Fields::lever_b), lane), move_b.turn) -
                                    dot(rows.vector(Fields::at(i, Fields::lever_a), lane), move_a.turn));
      const float now = deep ? max_of(moved, -of.template sag<float>(i, lane)) : moved;
      rows.set(Fields::at(i, Fields::separation), lane, now + 0.0f);  // never -0
      rows.set(Fields::at(i, Fields::push), lane, 0.0f);
      sum = sum + now;
      if constexpr (std::is_same_v<Fields, RigidRowFields>) set_bias(lane, i, deep, before, now);
    }
    if constexpr (std::is_same_v<Fields, SoftRowFields>) {
      rows.set(row::middle_separation, lane, (1.0f / float(count)) * sum);
    }
  }

 private:
  TALUS_HD static bool is_pushed(const BodyMove& move) {
    return dot(move.shift, move.shift) + dot(move.turn, move.turn) > 0.0f;
  }
  /// Of rows that do not follow separations themselves: what a gap allows, or the push of a penetration.
  TALUS_HD void set_bias(Index lane, int point, bool deep, float before, float now) const {
    const int field = rigid_row::at(point, rigid_row::bias);
    const float inv_h = of.params->inv_h;
    if (!deep && !(before > 0.0f)) return;
    const float slop = of.params->slop * of.rows.number(rigid_row::radius, lane);
    const float depth = min_of(now + slop, 0.0f);
    const float push = max_of(of.rows.number(rigid_row::push_rate, lane) * depth, -of.params->max_push_speed);
    const float resting = now > 0.0f ? inv_h * now : push;
    float bias = resting;
    if (surfaces.size > 0) {
      const float bounce = surfaces.number(rigid_surface::at(point, rigid_surface::bounce), lane);
      surfaces.set(rigid_surface::at(point, rigid_surface::resting), lane, resting);
      bias = bounce < 0.0f ? min_of(bounce, resting) : resting;
    }
    of.rows.set(field, lane, bias);
  }
};

}  // namespace talus::inline TALUS_ISA
