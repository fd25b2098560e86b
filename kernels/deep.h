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

constexpr float kDeepPart = 0.02f;  // [1] of the thinner body's thickness: a contact deeper than this is deep
constexpr float kDeepMost =
    0.3f;  // [1] the same at most, of bodies so thin that the push is slow anyway: StepParams::deep_floor
constexpr float kDeepRest = 0.2f;      // [1] part of that depth that a push leaves
constexpr float kMergedPart = 0.5f;    // [1] of the thickness: StepStatus::deep_penetration
constexpr int kDeepSweeps = 10;        // a step
constexpr int kJacobiDeepSweeps = 40;  // the same, if all contacts share their bodies: with 10 the last of the overlap
                                       // of a grid of 64 bodies takes three times too long

/// [m] Across the thinnest part; without bound for planes.
TALUS_INLINE float thickness_of(const BodyModel& model, Index body) {
  return 2.0f * min_half_thickness(ShapeType(model.shape[body]), model.shape_size[body]);
}
/// [m] Penetration from which on a contact is deep.
TALUS_INLINE float deep_limit(const StepParams& params, float thickness) {
  return clamp_to(params.deep_floor, kDeepPart * thickness, kDeepMost * thickness);
}

/// Notes contacts that are deep, when rows are made. Most penetrations are too small to look at any closer.
struct NoteDeep {
  BodyModel model;
  const StepParams* params;
  Counters* counters;

  /// Of the contacts of a pack, `deepest`: [m] smallest separation; `sunk`: [m] the same without what loads press them
  /// in by; a, b: their bodies.
  template <class Real, int kWidth>
  TALUS_INLINE void note(Real deepest, Real sunk, const std::uint32_t (&a)[kWidth],
                         const std::uint32_t (&b)[kWidth]) const {
    // With less than this no contact is deep.
    const float shallow = min_of(params->deep_floor, kDeepMost * params->thinnest);
    if (!any_of(deepest < Real(-shallow))) return;
    float separation[kWidth], without_load[kWidth];
    store_lanes(separation, deepest);
    store_lanes(without_load, sunk);
    for (int i = 0; i < kWidth; ++i) note_one(*this, -separation[i], -without_load[i], Index(a[i]), Index(b[i]));
  }
  TALUS_SELDOM static void note_one(NoteDeep kernel, float depth, float sunk, Index a, Index b) {
    const float thickness = min_of(thickness_of(kernel.model, a), thickness_of(kernel.model, b));
    if (sunk > deep_limit(*kernel.params, thickness)) atomic_store(&kernel.counters->deep_turns, 1);
    if (depth > kMergedPart * thickness) atomic_max(&kernel.counters->merged, 1u);
  }
};

/// Where rows have what deep contacts need.
struct SoftRowFields {
  using Rows = SolverRows;
  static constexpr int body_a = row::body_a, body_b = row::body_b, count = row::count, normal = row::normal;
  static constexpr int lever_a = row::lever_a, lever_b = row::lever_b, separation = row::separation;
  static constexpr int push = row::impact;  // zero until bodies move, and after SettleDeep
  static constexpr int at(int point, int field) { return row::at(point, field); }
  /// [m] What the load of the last step presses a point in by.
  template <class Real>
  TALUS_INLINE static Real sag(const SolverRows& rows, const StepParams& params, int point, Index lane) {
    const Real mass = load<Real>(rows, at(point, row::mass), lane);
    return Real(params.load_time) * load<Real>(rows, at(point, row::impulse), lane) / max_of(mass, Real(1e-30f));
  }
  TALUS_INLINE static bool springs(const StepParams& params) { return params.contact.bias_rate > 0.0f; }
};
struct RigidRowFields {
  using Rows = RigidRows;
  static constexpr int body_a = rigid_row::body_a, body_b = rigid_row::body_b, count = rigid_row::count;
  static constexpr int normal = rigid_row::normal, separation = rigid_row::separation, push = rigid_row::push;
  static constexpr int lever_a = rigid_row::lever_a, lever_b = rigid_row::lever_b;
  static constexpr int at(int point, int field) { return rigid_row::at(point, field); }
  template <class Real>
  TALUS_INLINE static Real sag(const RigidRows&, const StepParams&, int, Index) {
    return Real(0.0f);
  }
  TALUS_INLINE static bool springs(const StepParams& params) { return params.rigid_push_rate > 0.0f; }
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
      if (body >= 0) move[body].jointed = 1.0f;  // whoever writes, it is the same
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

/// One sweep over the contacts of a color. kSplit: of the overflow color, where a body in n contacts lends each 1/n of
/// its mass and changes are summed as integers.
template <class Fields, bool kSplit>
struct PushDeep {
  static constexpr bool kIsLong = true;  // a call on a GPU
  typename Fields::Rows rows;            // push: in/out, the lane's own
  const BodyVelocity* velocity;          // for the inverse mass
  BodyMove* move;                        // in/out, as in SolveContacts; kSplit: in
  BodyModel model;
  const StepParams* params;
  Column<SplitSums> sums;  // kSplit: in/out
  Column<Index> split_count;

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    constexpr int kWidth = LaneCount<Real>::value;
    const RowIndices<Real> index_a(rows, Fields::body_a, lane), index_b(rows, Fields::body_b, lane);
    Real a[8], b[8];
    gather_together(&velocity->linear.x, index_a.data(), a);
    gather_together(&velocity->linear.x, index_b.data(), b);
    BodyPair<Real> bodies = SolveContacts<Sweep::biased, false>::pair_of(a, b);
    gather_together(&move->shift.x, index_a.data(), a);
    gather_together(&move->shift.x, index_b.data(), b);
    hold(a[3], bodies.inv_mass_a, bodies.turns_a);
    hold(b[3], bodies.inv_mass_b, bodies.turns_b);
    bodies.a = {{a[0], a[1], a[2]}, {a[4], a[5], a[6]}};
    bodies.b = {{b[0], b[1], b[2]}, {b[4], b[5], b[6]}};
    if constexpr (kSplit) {
      lend(index_a.data(), bodies.inv_mass_a, bodies.turns_a);
      lend(index_b.data(), bodies.inv_mass_b, bodies.turns_b);
    }
    float limits[kWidth];
    for (int i = 0; i < kWidth; ++i) limits[i] = limit_of(Index(index_a.data()[i]), Index(index_b.data()[i]));
    push_points(lane, bodies, load_lanes(limits, Real{}));
    if constexpr (kSplit) {
      add(index_a.data(), a, bodies.a, bodies.inv_mass_a);
      add(index_b.data(), b, bodies.b, bodies.inv_mass_b);
    } else {
      SolveContacts<Sweep::biased, false>::store_record(bodies.a, a);
      SolveContacts<Sweep::biased, false>::store_record(bodies.b, b);
      scatter_together(&move->shift.x, index_a.data(), a, bodies.inv_mass_a > Real(0.0f));
      scatter_together(&move->shift.x, index_b.data(), b, bodies.inv_mass_b > Real(0.0f));
    }
  }

  template <class Real>
  TALUS_INLINE Real sag(int point, Index lane) const {
    return Fields::template sag<Real>(rows, *params, point, lane);
  }
  /// [m] Depth from which on a contact of two bodies is deep, beyond what its load presses it in by.
  TALUS_INLINE float limit_of(Index a, Index b) const {
    const bool there = a < model.shape.size && b < model.shape.size;  // else the null body, of padding
    return there ? deep_limit(*params, min_of(thickness_of(model, a), thickness_of(model, b))) : kUnbounded;
  }

 private:
  /// A deep contact wants to be parted, at most as far as its bodies may get, and so does any that the push has come
  /// to; others want not to get deeper than they are.
  template <class Real>
  TALUS_INLINE void push_points(Index lane, BodyPair<Real>& bodies, Real limit) const {
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
      const Real aim = before + (wanted - bodies.speed(normal, levers)) / select(moves, give, one);
      const Real next = select(moves, max_of(aim, zero), before);
      bodies.apply(next - before, normal, levers);
      store(rows, Fields::at(i, Fields::push), lane, next);
    }
  }

  template <class Real>
  TALUS_INLINE static void hold(Real jointed, Real& inv_mass, Real& turns) {
    inv_mass = select(jointed > Real(0.0f), Real(0.0f), inv_mass);
    turns = select(jointed > Real(0.0f), Real(0.0f), turns);
  }
  template <class Real>
  TALUS_INLINE void lend(const std::uint32_t* body, Real& inv_mass, Real& turns) const {
    float shares[LaneCount<Real>::value];
    for (int i = 0; i < LaneCount<Real>::value; ++i) shares[i] = float(split_count[Index(body[i])]);
    const Real n = load_lanes(shares, Real{});
    inv_mass = n * inv_mass;
    turns = n * turns;
  }
  template <class Real>
  TALUS_INLINE void add(const std::uint32_t* body, const Real before[8], const Velocity<Real>& after,
                        Real inv_mass) const {
    constexpr int kWidth = LaneCount<Real>::value;
    const Real change[6] = {after.linear.x - before[0],  after.linear.y - before[1],  after.linear.z - before[2],
                            after.angular.x - before[4], after.angular.y - before[5], after.angular.z - before[6]};
    float changes[6][kWidth], moves[kWidth];
    for (int i = 0; i < 6; ++i) store_lanes(changes[i], change[i]);
    store_lanes(moves, inv_mass);
    for (int k = 0; k < kWidth; ++k) {
      if (!(moves[k] > 0.0f)) continue;
      const float share = 1.0f / float(split_count[Index(body[k])]);
      for (int i = 0; i < 6; ++i) {
        const float units = clamp_to(share * changes[i][k], -1e9f, 1e9f) * (1.0f / kSplitUnit);
        atomic_add(&sums[Index(body[k])].change[i], std::int64_t(units));
      }
    }
  }
};

/// Adds the sums of the overflow color to the displacements. One element is one body.
struct ApplySplitPush {
  Column<BodyMove> move;
  Column<SplitSums> sums;
  Column<Index> split_count;

  TALUS_HD void operator()(Index body) const {
    if (split_count[body] == 0) return;
    float change[6];
    for (int i = 0; i < 6; ++i) {
      change[i] = float(sums[body].change[i]) * kSplitUnit;
      sums[body].change[i] = 0;
    }
    move[body].shift = move[body].shift + Vec3{change[0], change[1], change[2]};
    move[body].turn = move[body].turn + Vec3{change[3], change[4], change[5]};
  }
};

/// Cuts the displacements of a body so that no point of it gets further than the push limit allows in a step, and moves
/// it. Its spin turns with it, which leaves the energy as it was. One element is one body.
struct MoveDeep {
  BodyModel model;
  const BodyFrame* frame;
  const StepParams* params;
  Column<BodyMove> move;                         // in/out
  Column<BodyVelocity> velocity, free_velocity;  // in/out
  Column<BodyDisplacement> displacement;         // out

  TALUS_HD void operator()(Index body) const {
    BodyMove& m = move[body];
    const float way = length(m.shift) + model.radius[body] * length(scale(frame[body].scale, m.turn));
    if (!(way > 0.0f)) return;
    const float part = min_of(params->max_push_speed * params->dt / way, 1.0f);
    m.shift = part * m.shift;
    m.turn = part * m.turn;
    const Vec3 per_axis = frame[body].scale, half_turn = 0.5f * scale(per_axis, m.turn);
    displacement[body].shift = m.shift;
    displacement[body].pushed = min_of(way / (params->max_push_speed * params->dt), 1.0f);
    const Quat turn = normalized(Quat{half_turn.x, half_turn.y, half_turn.z, 1.0f});
    displacement[body].turn = turn;
    const Vec3 spin = turned(turn, scale(per_axis, velocity[body].angular));  // what the turn changes of it
    const Vec3 change{spin.x / per_axis.x, spin.y / per_axis.y, spin.z / per_axis.z}, zero{0.0f, 0.0f, 0.0f};
    velocity[body].angular = velocity[body].angular + change + zero;
    free_velocity[body].angular = free_velocity[body].angular + change + zero;
  }
};

/// Separations after the push. Velocities see a deep contact as touching, where contacts are springs as pressed in by
/// its load and a little more, as long as the push has not used up what the bodies may move: with springs that bear
/// nothing a heap of 10,000 bodies sinks into itself. Contacts of bodies that joints hold stay as they were. Clears
/// what the push kept in the rows. One lane.
template <class Fields>
struct SettleDeep {
  static constexpr bool kIsLong = true;  // a call on a GPU
  PushDeep<Fields, false> of;
  const BodyDisplacement* displacement;

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
    const float left = 1.0f - max_of(displacement[a].pushed, displacement[b].pushed);
    const float most = Fields::springs(*of.params) ? left * min_of(limit, of.params->deep_floor) : 0.0f;
    for (int i = 0; i < count; ++i) {
      const float before = rows.number(Fields::at(i, Fields::separation), lane);
      const float moved = before + (shift + dot(rows.vector(Fields::at(i, Fields::lever_b), lane), move_b.turn) -
                                    dot(rows.vector(Fields::at(i, Fields::lever_a), lane), move_a.turn));
      const float now = deep ? max_of(moved, -(most + of.template sag<float>(i, lane))) : moved;
      rows.set(Fields::at(i, Fields::separation), lane, now);
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
    const float inv_h = of.params->inv_h, bias = of.rows.number(field, lane);
    const bool of_gap = before > 0.0f && bias == inv_h * before;
    const float slop = of.params->rigid_slop * of.rows.number(rigid_row::radius, lane);
    const float depth = min_of(now + slop, 0.0f);
    const float push = max_of(of.params->rigid_push_rate * depth, -of.params->max_push_speed);
    if (deep || of_gap) of.rows.set(field, lane, now > 0.0f ? inv_h * now : push);
  }
};

}  // namespace talus::inline TALUS_ISA
