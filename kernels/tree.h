// SPDX-License-Identifier: MIT
// Trees of joints, solved exactly in linear time (S3-78; method notes 3.17): children are folded into their parents
// from the leaves up, and impulses are found from the root down. Long chains and large mass ratios, over which sweeps
// would need thousands of rounds, cost no more than others. A batch of trees is worked on by one warp or thread, block
// after block; see TreeLane.
//
// With J_c, J_p the rows' parts of child and parent, D_c the inertia of the child with all that hangs on it:
//   up:    E = (J_c D_c^-1 J_c^T)^-1,  D_p += J_p^T E J_p,  x_p += J_p^T E (k - J_c (v_c + D_c^-1 x_c) - J_p v_p)
//   down:  impulse = E (k - J_c (v_c + D_c^-1 x_c) - J_p v_p'),  v_c' = v_c + D_c^-1 (x_c + J_c^T impulse)
// The signs are those of the notes, not of the printed text (errata E6).
#pragma once
#include "joint_columns.h"
#include "tree_lanes.h"

namespace talus::inline TALUS_ISA {

/// From the leaves up: D_c^-1 and E of every lane. One batch.
struct FactorTrees {
  Column<const TreeBatch> batches;
  SolveRowScratch bodies;
  // in/out: the batch's own
  TreeRows rows;
  JointBodyScratch hanging;
  bool first;  // of the step

  template <class Real>
  TALUS_INLINE void run(Index batch) const {
    const TreeBatch b = batches[batch];
    if (!first && !any_turned<Real>(rows, b)) return;
    if (b.ball_only != 0) {
      factor_blocks<Real, true>(b);
    } else {
      factor_blocks<Real, false>(b);
    }
  }

 private:
  template <class Real, bool kBallOnly>
  TALUS_INLINE void factor_blocks(const TreeBatch& b) const {
    const bool chains = kBallOnly && b.chains != 0;
    Sym6Of<Real> hung[packs_of_block<Real>()];  // of chains: what the lane before hangs on this one
    for (Sym6Of<Real>& each : hung) each = no_inertia<Real>();
    for (Index block = b.first_block; block < b.last_block; ++block) {
      if (rests(rows, block)) continue;
      for_lanes_of<Real>(block, b.width,
                         [&](Index lane, int pack) { factor<Real, kBallOnly>(lane, chains, hung[pack]); });
    }
  }

  template <class Real, bool kBallOnly>
  TALUS_INLINE void factor(Index lane, bool chains, Sym6Of<Real>& hung) const {
    const Real zero(0.0f), one(1.0f);
    prefetch_fields(rows, tree_row::lever_child, 9, lane);
    prefetch_fields(rows, tree_row::lever_parent, 9, lane);
    prefetch_fields(rows, tree_row::own_mass, 7, lane);
    prefetch_fields(rows, tree_row::response, 27, lane);
    const RowIndices<Real> child(rows, tree_row::child, lane), parent(rows, tree_row::parent, lane);
    const Real own_mass = load<Real>(rows, tree_row::own_mass, lane);
    const Mask<Real> moves = own_mass > zero;
    Sym6Of<Real> inertia = chains ? hung : take<Real>(child.data(), moves);
    const Real mass = select(moves, own_mass, one);
    inertia.a = {inertia.a.xx + mass, inertia.a.xy, inertia.a.xz,
                 inertia.a.yy + mass, inertia.a.yz, inertia.a.zz + mass};
    inertia.c = inertia.c + load_sym3<Real>(rows, tree_row::own_inertia, lane);
    Sym6Of<Real> response = inverse(inertia);
    const Real part = select(moves, one, zero);
    response = {scaled(part, response.a), scaled(part, response.b), scaled(part, response.c)};
    store(rows, tree_row::response, lane, response);

    const Mat3Of<Real> push_child = load_matrix<Real>(rows, tree_row::lever_child, lane);
    const Mat3Of<Real> push_parent = load_matrix<Real>(rows, tree_row::lever_parent, lane);
    if constexpr (kBallOnly) {
      const Mat3Of<Real> along = response.b + push_child * response.c;  // J D^-1, angular part
      const Mat3Of<Real> give =
          whole(response.a) + times_transposed(push_child, response.b) + times_transposed(along, push_child);
      const Real held = load<Real>(rows, tree_row::locked, lane) * part;
      const Sym3Of<Real> mass_of_rows =
          scaled(held, inverse(of_rows(upper_half(give), Vec3Of<Real>{held, held, held})));
      store(rows, tree_row::mass, lane, mass_of_rows);
      const Mat3Of<Real> coupling = mass_of_rows * push_parent;
      hung = {mass_of_rows, coupling, upper_half(transposed_times(push_parent, coupling))};
      if (!chains) add<Real>(parent.data(), hung);
    } else {
      const Mat3Of<Real> turn_child = load_matrix<Real>(rows, tree_row::lever_child + 9, lane);
      const Mat3Of<Real> turn_parent = load_matrix<Real>(rows, tree_row::lever_parent + 9, lane);
      const Mat3Of<Real> direction = load_matrix<Real>(rows, tree_row::direction, lane);
      const auto held_at = [&](int axis) { return part * load_vector<Real>(rows, tree_row::locked + axis, lane); };
      const Sym6Of<Real> give = give_along(direction, {push_child, turn_child}, response);
      const auto held_rows = [&] {
        const Vec3Of<Real> held = held_at(0), held_turns = held_at(3);
        return Sym6Of<Real>{of_rows(give.a, held),
                            {held.x * scale(held_turns, give.b.row0), held.y * scale(held_turns, give.b.row1),
                             held.z * scale(held_turns, give.b.row2)},
                            of_rows(give.c, held_turns)};
      };
      Sym6Of<Real> m = inverse(held_rows());
      const Vec3Of<Real> held = held_at(0), held_turns = held_at(3);  // again: registers are short in between
      m.a = {held.x * m.a.xx, m.a.xy, m.a.xz, held.y * m.a.yy, m.a.yz, held.z * m.a.zz};
      m.c = {held_turns.x * m.c.xx, m.c.xy, m.c.xz, held_turns.y * m.c.yy, m.c.yz, held_turns.z * m.c.zz};
      store(rows, tree_row::mass, lane, m);
      const Mat3Of<Real> pushed = m.a * push_parent + m.b * turn_parent;
      const Mat3Of<Real> turned = transposed_times(m.b, push_parent) + m.c * turn_parent;
      add<Real>(parent.data(),
                {upper_half(transposed_times(direction, m.a * direction)), transposed_times(direction, pushed),
                 upper_half(transposed_times(push_parent, pushed) + transposed_times(turn_parent, turned))});
    }
  }

  /// Of the rows that are held; the others have 1 on the diagonal and 0 beside it.
  template <class Real>
  TALUS_INLINE static Sym3Of<Real> of_rows(const Sym3Of<Real>& s, Vec3Of<Real> held) {
    const Real zero(0.0f), one(1.0f);
    return {select(held.x > zero, s.xx, one), held.x * held.y * s.xy, held.x * held.z * s.xz,
            select(held.y > zero, s.yy, one), held.y * held.z * s.yz, select(held.z > zero, s.zz, one)};
  }
  template <class Real>
  TALUS_INLINE static Sym3Of<Real> scaled(Real f, const Sym3Of<Real>& s) {
    return {f * s.xx, f * s.xy, f * s.xz, f * s.yy, f * s.yz, f * s.zz};
  }
  template <class Real>
  TALUS_INLINE static Mat3Of<Real> scaled(Real f, const Mat3Of<Real>& m) {
    return {f * m.row0, f * m.row1, f * m.row2};
  }

  /// What hangs on the child; zero from now on, for the next time.
  template <class Real>
  TALUS_INLINE Sym6Of<Real> take(const std::uint32_t* body, Mask<Real> wanted) const {
    Real v[24], none[24];
    gather_inertia(hanging.inertia.data, body, v);
    for (Real& value : none) value = Real(0.0f);
    scatter_inertia(hanging.inertia.data, body, none, wanted);
    return inertia_of(v);
  }
  /// Hangs more on the parent, if it moves. No other lane of the block has the same.
  template <class Real>
  TALUS_INLINE void add(const std::uint32_t* body, const Sym6Of<Real>& s) const {
    Real frame[8], v[24];
    gather_together(&bodies.frame.data->orientation.x, body, frame);
    gather_inertia(hanging.inertia.data, body, v);
    const Real more[21] = {s.a.xx,     s.a.xy,     s.a.xz,     s.a.yy,     s.a.yz,     s.a.zz,     s.b.row0.x,
                           s.b.row0.y, s.b.row0.z, s.b.row1.x, s.b.row1.y, s.b.row1.z, s.b.row2.x, s.b.row2.y,
                           s.b.row2.z, s.c.xx,     s.c.xy,     s.c.xz,     s.c.yy,     s.c.yz,     s.c.zz};
    for (int i = 0; i < 21; ++i) v[i] = v[i] + more[i];
    scatter_inertia(hanging.inertia.data, body, v, frame[7] > Real(0.0f));
  }
};

/// One exact solve of all rows of the trees, for the velocities as they are. kBiased: such that errors are gone when
/// the sub-step has passed; else such that nothing moves along the rows. Together the two are the constrained mid-point
/// rule RATTLE, which neither gains nor loses energy. One batch.
template <bool kBiased>
struct SolveTrees {
  Column<const TreeBatch> batches;
  TreeRows rows;
  BodyVelocity* velocity;
  BodyVelocity* free_velocity;  // follows, if there are contacts: what joints push is not their doing, see
                                // IntegrateVelocities
  const Index* contact_lanes;
  JointBodyScratch hanging;
  bool again;  // where limits have changed, and take back what they pulled; else everywhere

  template <class Real>
  TALUS_INLINE void run(Index batch) const {
    const TreeBatch b = batches[batch];
    if (again && !any_turned<Real>(rows, b)) return;
    if (b.ball_only != 0) {
      solve<Real, true>(b);
    } else {
      solve<Real, false>(b);
    }
  }

  /// A joint of a loop pushes at its two bodies, each of which hangs in a tree.
  template <class Real>
  TALUS_INLINE void close(Index lane) const {
    const RowIndices<Real> child_index(rows, tree_row::child, lane), parent_index(rows, tree_row::parent, lane);
    const Body<Real> child = body_of<Real>(&velocity->linear.x, child_index.data());
    const Body<Real> parent = body_of<Real>(&velocity->linear.x, parent_index.data());
    const JointLevers<Real> levers_c = levers<Real, false>(tree_row::lever_child, lane);
    const JointLevers<Real> levers_p = levers<Real, false>(tree_row::lever_parent, lane);
    const Vec6Of<Real> missing = wanted<Real, false>(lane) - speeds<Real, false>(lane, levers_c, child.motion);
    const Vec6Of<Real> impulse =
        impulse_for<Real, false>(lane, missing + speeds<Real, false>(lane, levers_p, parent.motion));
    hang(child_index, child, push_of<Real, false>(lane, levers_c, impulse));
    hang(parent_index, parent, -push_of<Real, false>(lane, levers_p, impulse));
    add_up<Real, false>(lane, impulse);
  }

 private:
  /// A record of BodyVelocity or TreePush.
  template <class Real>
  struct Body {
    Vec6Of<Real> motion;  // [m/s], or what pushes it
    Real inv_mass, flag;
  };
  /// What a lane of a chain hands on to the next one, which is its parent's or, on the way down, its child's.
  template <class Real>
  struct Handed {
    Body<Real> body;    // up: the next lane's child; down: its parent
    Vec6Of<Real> push;  // up: on the next lane's child
  };

  template <class Real, bool kBallOnly>
  TALUS_INLINE void solve(const TreeBatch& b) const {
    const bool chains = kBallOnly && b.chains != 0;
    Handed<Real> handed[packs_of_block<Real>()];
    bool on = false;  // some block was before this one
    for (Index block = b.first_block; block < b.last_block; ++block) {
      if (rests(rows, block)) continue;
      const bool root = block + 1 == b.last_block;
      for_lanes_of<Real>(block, b.width, [&](Index lane, int pack) {
        if (chains) {
          up_chain<Real>(lane, on, root, handed[pack]);
        } else {
          up<Real, kBallOnly>(lane);
        }
      });
      on = true;
    }
    for (Index block = b.last_block - 1; block >= b.first_block; --block) {
      if (rests(rows, block)) continue;
      const bool root = block + 1 == b.last_block;
      for_lanes_of<Real>(block, b.width, [&](Index lane, int pack) {
        const RowIndices<Real> parent(rows, tree_row::parent, lane);
        Handed<Real>& above = handed[pack];
        if (!chains || root) above.body = body_of<Real>(&velocity->linear.x, parent.data());
        above.body = down<Real, kBallOnly>(lane, above.body);
      });
    }
  }

  template <class Real, bool kBallOnly>
  TALUS_INLINE void up(Index lane) const {
    const RowIndices<Real> child(rows, tree_row::child, lane), parent(rows, tree_row::parent, lane);
    const Body<Real> body = body_of<Real>(&velocity->linear.x, child.data());
    const Body<Real> hung = body_of<Real>(&hanging.push.data->linear.x, child.data());
    const Real zero(0.0f);
    put(&hanging.push.data->linear.x, child.data(), Body<Real>{zero_motion<Real>(), zero, zero}, body.inv_mass > zero);
    const Body<Real> above = body_of<Real>(&velocity->linear.x, parent.data());
    hang(parent, above, push_on_parent<Real, kBallOnly>(lane, body.motion, hung.motion, above.motion));
  }
  /// The parent is the child of the same lane in the next block. on: it was said before; root: there is no next block.
  template <class Real>
  TALUS_INLINE void up_chain(Index lane, bool on, bool root, Handed<Real>& handed) const {
    if (!on) {
      const RowIndices<Real> child(rows, tree_row::child, lane);
      handed = {body_of<Real>(&velocity->linear.x, child.data()), zero_motion<Real>()};
    }
    const RowIndices<Real> parent(rows, root ? tree_row::parent : tree_row::child, root ? lane : lane + kLanes);
    prefetch_fields(rows, tree_row::lever_child, 9, lane);
    prefetch_fields(rows, tree_row::lever_parent, 9, lane);
    prefetch_fields(rows, tree_row::response, 27, lane);
    prefetch_fields(rows, tree_row::hung, 9, lane);
    if (kBiased) prefetch_fields(rows, tree_row::wanted, 3, lane);
    const Body<Real> above = body_of<Real>(&velocity->linear.x, parent.data());
    handed = {above, push_on_parent<Real, true>(lane, handed.body.motion, handed.push, above.motion)};
  }

  /// What a lane hangs on its parent. Keeps for the way down what it found.
  template <class Real, bool kBallOnly>
  TALUS_INLINE Vec6Of<Real> push_on_parent(Index lane, const Vec6Of<Real>& child, Vec6Of<Real> hung,
                                           const Vec6Of<Real>& parent) const {
    const JointLevers<Real> levers_c = levers<Real, kBallOnly>(tree_row::lever_child, lane);
    if (!kBallOnly && again) hung = hung + push_of<Real, kBallOnly>(lane, levers_c, taken_back<Real>(lane));
    store(rows, tree_row::hung, lane, hung.a);
    store(rows, tree_row::hung + 3, lane, hung.b);
    const Vec6Of<Real> follows = load_sym6<Real>(rows, tree_row::response, lane) * hung;
    const Vec6Of<Real> missing =
        wanted<Real, kBallOnly>(lane) - speeds<Real, kBallOnly>(lane, levers_c, child + follows);
    store(rows, tree_row::missing, lane, missing.a);
    if constexpr (!kBallOnly) store(rows, tree_row::missing + 3, lane, missing.b);
    const JointLevers<Real> levers_p = levers<Real, kBallOnly>(tree_row::lever_parent, lane);
    const Vec6Of<Real> impulse =
        impulse_for<Real, kBallOnly>(lane, missing + speeds<Real, kBallOnly>(lane, levers_p, parent));
    return -push_of<Real, kBallOnly>(lane, levers_p, with_taken_back<Real, kBallOnly>(lane, impulse));
  }

  /// The child, with its new velocity.
  template <class Real, bool kBallOnly>
  TALUS_INLINE Body<Real> down(Index lane, const Body<Real>& parent) const {
    const RowIndices<Real> child(rows, tree_row::child, lane);
    Vec6Of<Real> missing{load_vector<Real>(rows, tree_row::missing, lane), {}};
    if constexpr (!kBallOnly) missing.b = load_vector<Real>(rows, tree_row::missing + 3, lane);
    const JointLevers<Real> levers_p = levers<Real, kBallOnly>(tree_row::lever_parent, lane);
    const Vec6Of<Real> impulse =
        impulse_for<Real, kBallOnly>(lane, missing + speeds<Real, kBallOnly>(lane, levers_p, parent.motion));
    const JointLevers<Real> levers_c = levers<Real, kBallOnly>(tree_row::lever_child, lane);
    const Vec6Of<Real> hung{load_vector<Real>(rows, tree_row::hung, lane),
                            load_vector<Real>(rows, tree_row::hung + 3, lane)};
    const Vec6Of<Real> change =
        load_sym6<Real>(rows, tree_row::response, lane) * (hung + push_of<Real, kBallOnly>(lane, levers_c, impulse));
    const auto changed = [&](BodyVelocity* records) {
      Body<Real> body = body_of<Real>(&records->linear.x, child.data());
      body.motion = body.motion + change;
      put(&records->linear.x, child.data(), body, body.inv_mass > Real(0.0f));
      return body;
    };
    if (*contact_lanes > 0) changed(free_velocity);
    add_up<Real, kBallOnly>(lane, with_taken_back<Real, kBallOnly>(lane, impulse));
    return changed(velocity);
  }

  template <class Real>
  TALUS_INLINE static Vec6Of<Real> zero_motion() {
    const Vec3Of<Real> none{Real(0.0f), Real(0.0f), Real(0.0f)};
    return {none, none};
  }
  template <class Real>
  TALUS_INLINE static Body<Real> body_of(const float* base, const std::uint32_t* index) {
    Real r[8];
    gather_together(base, index, r);
    return {{{r[0], r[1], r[2]}, {r[4], r[5], r[6]}}, r[3], r[7]};
  }
  template <class Real>
  TALUS_INLINE static void put(float* base, const std::uint32_t* index, const Body<Real>& body, Mask<Real> wanted) {
    const Vec3Of<Real>&v = body.motion.a, &w = body.motion.b;
    const Real r[8] = {v.x, v.y, v.z, body.inv_mass, w.x, w.y, w.z, body.flag};
    scatter_together(base, index, r, wanted);
  }
  /// Hangs a push more on a body, if it moves.
  template <class Real>
  TALUS_INLINE void hang(const RowIndices<Real>& index, const Body<Real>& body, const Vec6Of<Real>& push) const {
    Body<Real> carried = body_of<Real>(&hanging.push.data->linear.x, index.data());
    carried.motion = carried.motion + push;
    put(&hanging.push.data->linear.x, index.data(), carried, body.inv_mass > Real(0.0f));
  }

  template <class Real, bool kBallOnly>
  TALUS_INLINE JointLevers<Real> levers(int field, Index lane) const {
    JointLevers<Real> l;
    l.push = load_matrix<Real>(rows, field, lane);
    if constexpr (!kBallOnly) l.turn = load_matrix<Real>(rows, field + 9, lane);
    return l;
  }
  /// Along the rows, of one of the bodies.
  template <class Real, bool kBallOnly>
  TALUS_INLINE Vec6Of<Real> speeds(Index lane, const JointLevers<Real>& l, const Vec6Of<Real>& motion) const {
    if constexpr (kBallOnly) {
      return {motion.a + l.push * motion.b, {}};
    } else {
      const Vec6Of<Real> turning = l * motion.b;
      return {load_matrix<Real>(rows, tree_row::direction, lane) * motion.a + turning.a, turning.b};
    }
  }
  /// The other way: impulses along the rows, as a push at one of the bodies.
  template <class Real, bool kBallOnly>
  TALUS_INLINE Vec6Of<Real> push_of(Index lane, const JointLevers<Real>& l, const Vec6Of<Real>& impulse) const {
    if constexpr (kBallOnly) {
      return {impulse.a, transposed_times(l.push, impulse.a)};
    } else {
      return {transposed_times(load_matrix<Real>(rows, tree_row::direction, lane), impulse.a),
              transposed_times(l, impulse)};
    }
  }
  /// [m/s, rad/s] along the rows.
  template <class Real, bool kBallOnly>
  TALUS_INLINE Vec6Of<Real> wanted(Index lane) const {
    if constexpr (!kBiased) return zero_motion<Real>();
    Vec6Of<Real> speed{load_vector<Real>(rows, tree_row::wanted, lane), {}};
    if constexpr (!kBallOnly) speed.b = load_vector<Real>(rows, tree_row::wanted + 3, lane);
    return speed;
  }
  /// Along the rows, for what their speeds are short of, if the child answers as D_c^-1.
  template <class Real, bool kBallOnly>
  TALUS_INLINE Vec6Of<Real> impulse_for(Index lane, const Vec6Of<Real>& missing) const {
    if constexpr (kBallOnly) {
      return {load_sym3<Real>(rows, tree_row::mass, lane) * missing.a, {}};
    } else {
      return load_sym6<Real>(rows, tree_row::mass, lane) * missing;
    }
  }
  /// What limits take back.
  template <class Real>
  TALUS_INLINE Vec6Of<Real> taken_back(Index lane) const {
    return {load_vector<Real>(rows, tree_row::back, lane), load_vector<Real>(rows, tree_row::back + 3, lane)};
  }
  /// With what limits take back. Read again, not kept: registers are short.
  template <class Real, bool kBallOnly>
  TALUS_INLINE Vec6Of<Real> with_taken_back(Index lane, const Vec6Of<Real>& impulse) const {
    return kBallOnly || !again ? impulse : impulse + taken_back<Real>(lane);
  }
  template <class Real, bool kBallOnly>
  TALUS_INLINE void add_up(Index lane, const Vec6Of<Real>& impulse) const {
    const auto add = [&](int field, Vec3Of<Real> more) {
      store(rows, field, lane, load_vector<Real>(rows, field, lane) + more);
    };
    add(tree_row::impulse, impulse.a);
    if constexpr (!kBallOnly) add(tree_row::impulse + 3, impulse.b);
  }
};

}  // namespace talus::inline TALUS_ISA
