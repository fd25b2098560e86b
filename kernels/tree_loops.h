// SPDX-License-Identifier: MIT
// Joints that close the only loop of their trees, solved with the mobility that the trees leave to their bodies.
#pragma once
#include "tree.h"

namespace talus::inline TALUS_ISA {

constexpr float kImmobile = 1e-3f;  // [1] of what a free body gives way, below which a row of a loop is redundant

/// From the root down: how each body answers to an impulse, with all joints of its tree. One batch.
struct MeasureMobility {
  Column<const TreeBatch> batches;
  SolveRowScratch bodies;
  TreeRows rows;
  JointBodyScratch hanging;  // mobility: out, of the batch's own

  template <class Real>
  TALUS_INLINE void run(Index batch) const {
    const TreeBatch b = batches[batch];
    if (b.looped == 0) return;
    for (Index block = b.last_block - 1; block >= b.first_block; --block) {
      if (rests(rows, block)) continue;
      for_lanes_of<Real>(block, b.width, [&](Index lane, int) { measure<Real>(lane, b.ball_only != 0); });
    }
  }

 private:
  /// The answers to a unit impulse along each of the six directions in turn.
  template <class Real>
  TALUS_INLINE void measure(Index lane, bool ball_only) const {
    const Real zero(0.0f);
    const RowIndices<Real> child(rows, tree_row::child, lane), parent(rows, tree_row::parent, lane);
    Real frame_child[8], frame_parent[8], v[24];
    gather_together(&bodies.frame.data->orientation.x, child.data(), frame_child);
    gather_together(&bodies.frame.data->orientation.x, parent.data(), frame_parent);
    gather_inertia(hanging.mobility.data, parent.data(), v);
    for (Real& value : v) value = select(frame_parent[7] > zero, value, zero);
    const Sym6Of<Real> of_parent = inertia_of(v);
    for (Real& value : v) value = zero;
    TALUS_UNROLL
    for (int k = 0; k < 6; ++k) {
      const auto unit = [&](int i) { return Real(i == k ? 1.0f : 0.0f); };
      const Vec6Of<Real> answer =
          answer_to<Real>(lane, ball_only, of_parent, {{unit(0), unit(1), unit(2)}, {unit(3), unit(4), unit(5)}});
      const Real column[6] = {answer.a.x, answer.a.y, answer.a.z, answer.b.x, answer.b.y, answer.b.z};
      // As TreeInertia is laid out: xx xy xz yy yz zz, then the coupling row by row, then the turning part.
      TALUS_UNROLL
      for (int i = 0; i < 6; ++i) {
        if (k < 3 && i < 3 && i <= k) v[i == 0 ? k : i == 1 ? k + 2 : 5] = column[i];
        if (k >= 3 && i < 3) v[6 + 3 * i + (k - 3)] = column[i];
        if (k >= 3 && i >= 3 && i <= k) v[15 + (i == 3 ? k - 3 : i == 4 ? k - 1 : 5)] = column[i];
      }
    }
    scatter_inertia(hanging.mobility.data, child.data(), v, frame_child[7] > zero);
  }

  template <class Real>
  TALUS_INLINE Vec6Of<Real> answer_to(Index lane, bool ball_only, const Sym6Of<Real>& of_parent,
                                      const Vec6Of<Real>& push) const {
    const Sym6Of<Real> response = load_sym6<Real>(rows, tree_row::response, lane);
    const Mat3Of<Real> direction = load_matrix<Real>(rows, tree_row::direction, lane);
    const JointLevers<Real> c{load_matrix<Real>(rows, tree_row::lever_child, lane),
                              load_matrix<Real>(rows, tree_row::lever_child + 9, lane)};
    const JointLevers<Real> p{load_matrix<Real>(rows, tree_row::lever_parent, lane),
                              load_matrix<Real>(rows, tree_row::lever_parent + 9, lane)};
    const auto impulse_for = [&](const Vec6Of<Real>& speed) {
      if (ball_only) return Vec6Of<Real>{load_sym3<Real>(rows, tree_row::mass, lane) * speed.a, {}};
      return load_sym6<Real>(rows, tree_row::mass, lane) * speed;
    };
    const Vec6Of<Real> follows = response * push, turn = c * follows.b;
    const Vec6Of<Real> speed{direction * follows.a + turn.a, turn.b}, held = impulse_for(speed);
    const Vec6Of<Real> moved = of_parent * Vec6Of<Real>{transposed_times(direction, held.a), transposed_times(p, held)};
    const Vec6Of<Real> turn_p = p * moved.b;
    const Vec6Of<Real> impulse = impulse_for({(direction * moved.a + turn_p.a) - speed.a, turn_p.b - speed.b});
    const Vec6Of<Real> more =
        response * Vec6Of<Real>{transposed_times(direction, impulse.a), transposed_times(c, impulse)};
    return {follows.a + more.a, follows.b + more.b};
  }
};

/// The inverse of the rows' matrix of a joint that closes a loop, with its bodies as mobile as their trees leave them.
/// Rows along which they are not, since the trees hold them already, get no impulse. One lane.
struct FactorLoops {
  SolveRowScratch bodies;
  const TreeInertia* mobility;
  // in/out: the lane's own
  TreeRows rows;

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    if (rows.word(tree_row::rests, lane) != 0) return;
    const RowIndices<Real> child(rows, tree_row::child, lane), parent(rows, tree_row::parent, lane);
    const Vec3Of<Real> held = load_vector<Real>(rows, tree_row::locked, lane);
    const Mat3Of<Real> direction = of_held(load_matrix<Real>(rows, tree_row::direction, lane), held);
    Real k[kAxisCount][kAxisCount], bare[kAxisCount];
    for (int i = 0; i < kAxisCount; ++i) {
      bare[i] = Real(0.0f);
      for (int j = 0; j < kAxisCount; ++j) k[i][j] = Real(0.0f);
    }
    add(child.data(), tree_row::lever_child, lane, direction, k, bare);
    add(parent.data(), tree_row::lever_parent, lane, direction, k, bare);
    invert(k, bare);
    const auto sym3 = [&](int i) {
      return Sym3Of<Real>{k[i][i], k[i][i + 1], k[i][i + 2], k[i + 1][i + 1], k[i + 1][i + 2], k[i + 2][i + 2]};
    };
    store(
        rows, tree_row::mass, lane,
        Sym6Of<Real>{
            sym3(0), {{k[0][3], k[0][4], k[0][5]}, {k[1][3], k[1][4], k[1][5]}, {k[2][3], k[2][4], k[2][5]}}, sym3(3)});
  }

 private:
  /// What one body gives way. bare: the same on the diagonal, if nothing held the body.
  template <class Real>
  TALUS_INLINE void add(const std::uint32_t* body, int field, Index lane, const Mat3Of<Real>& direction,
                        Real k[kAxisCount][kAxisCount], Real bare[kAxisCount]) const {
    const Real zero(0.0f);
    Real frame[8], v[24];
    gather_together(&bodies.frame.data->orientation.x, body, frame);
    gather_inertia(mobility, body, v);
    for (Real& value : v) value = select(frame[7] > zero, value, zero);
    const JointLevers<Real> levers{
        of_held(load_matrix<Real>(rows, field, lane), load_vector<Real>(rows, tree_row::locked, lane)),
        of_held(load_matrix<Real>(rows, field + 9, lane), load_vector<Real>(rows, tree_row::locked + 3, lane))};
    const Sym6Of<Real> give = give_along(direction, levers, inertia_of(v));
    const Vec3Of<Real> a[3] = {
        {give.a.xx, give.a.xy, give.a.xz}, {give.a.xy, give.a.yy, give.a.yz}, {give.a.xz, give.a.yz, give.a.zz}};
    const Vec3Of<Real> c[3] = {
        {give.c.xx, give.c.xy, give.c.xz}, {give.c.xy, give.c.yy, give.c.yz}, {give.c.xz, give.c.yz, give.c.zz}};
    const Vec3Of<Real> b[3] = {give.b.row0, give.b.row1, give.b.row2};
    const Vec3Of<Real> along[3] = {direction.row0, direction.row1, direction.row2};
    const Vec3Of<Real> push[3] = {levers.push.row0, levers.push.row1, levers.push.row2};
    const Vec3Of<Real> turn[3] = {levers.turn.row0, levers.turn.row1, levers.turn.row2};
    const Real turns = select(frame[7] > zero, Real(1.0f), zero);
    TALUS_UNROLL
    for (int i = 0; i < 3; ++i) {
      bare[i] = bare[i] + frame[7] * dot(along[i], along[i]) + turns * dot(push[i], push[i]);
      bare[3 + i] = bare[3 + i] + turns * dot(turn[i], turn[i]);
      TALUS_UNROLL
      for (int j = 0; j < 3; ++j) {
        k[i][j] = k[i][j] + component(a[i], j);
        k[i][3 + j] = k[i][3 + j] + component(b[i], j);
        k[3 + j][i] = k[3 + j][i] + component(b[i], j);
        k[3 + i][3 + j] = k[3 + i][3 + j] + component(c[i], j);
      }
    }
  }

  template <class Real>
  TALUS_INLINE static Mat3Of<Real> of_held(const Mat3Of<Real>& rows, Vec3Of<Real> held) {
    return {held.x * rows.row0, held.y * rows.row1, held.z * rows.row2};
  }

  /// Gauss-Jordan in place. Rows whose pivot is next to nothing become zero, in the inverse too.
  template <class Real>
  TALUS_INLINE static void invert(Real k[kAxisCount][kAxisCount], const Real bare[kAxisCount]) {
    const Real zero(0.0f), one(1.0f);
    TALUS_UNROLL
    for (int pivot = 0; pivot < kAxisCount; ++pivot) {
      const Mask<Real> keep = k[pivot][pivot] > Real(kImmobile) * bare[pivot];
      const Real inverse = select(keep, one / select(keep, k[pivot][pivot], one), zero);
      k[pivot][pivot] = one;
      TALUS_UNROLL
      for (int j = 0; j < kAxisCount; ++j) k[pivot][j] = inverse * k[pivot][j];
      TALUS_UNROLL
      for (int i = 0; i < kAxisCount; ++i) {
        if (i == pivot) continue;
        const Real factor = select(keep, k[i][pivot], zero);
        k[i][pivot] = zero;
        TALUS_UNROLL
        for (int j = 0; j < kAxisCount; ++j) k[i][j] = k[i][j] - factor * k[pivot][j];
      }
    }
  }
};

/// Between two solves of the trees: the impulse of a joint that closes a loop, such that the second solve closes it.
/// One lane; a tree is in one loop at most.
template <bool kBiased>
struct CloseLoops {
  SolveTrees<kBiased> trees;

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    if (trees.rows.word(tree_row::rests, lane) == 0) trees.template close<Real>(lane);
  }
};

}  // namespace talus::inline TALUS_ISA
