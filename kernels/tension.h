// SPDX-License-Identifier: MIT
// What tension in trees of joints makes of their bodies. A joint that pulls at the end of an arm drives the body back
// when it turns aside, as a string does: the stiffness is K = (arm . force) (1 - the part along the arm). Where that is
// too fast for the sub-step, which is where h^2 K approaches the inertia, as in a light link that carries a heavy body,
// the body gets more inertia for this step: h^2 K is what an implicit integration would add (geometric stiffness;
// Andrews, Teichmann, Kry 2017). All of the step sees the same inertia. With more of it for joints than for contacts a
// bridge of 100 planks under 200 boxes gains energy until it bursts: each of the two then projects in a metric of its
// own.
#pragma once
#include "joint_columns.h"
#include "joint_geometry.h"
#include "step_params.h"
#include "tree_lanes.h"

namespace talus::inline TALUS_ISA {

constexpr float kSnapLoad = 4.0f;  // [1] weights that a chain may carry before it is known to
// A heavy body that falls until light links stop it needs more. With 1.3 m/s here 6 links of 1 kg that have to stop
// 1,000 kg at 7.7 m/s burst.
constexpr float kSnapSpeed = 10.0f;  // [m/s] at which it may fall
constexpr float kHeavy = 8.0f;       // [1] times the mass of a link

/// Adds h^2 K of the joints' forces to their bodies. The force is that of the step before, and at least what may come
/// without notice, where a slack chain snaps taut: some weights of all that hangs there, and what stops a body that is
/// much heavier than the link within a sub-step. One batch, or one lane of a loop.
struct HangTension {
  Column<const TreeBatch> batches;
  SolveRowScratch bodies;
  const StepParams* params;
  TreeRows rows;
  // in/out: of bodies of the batch
  Column<BodyTension> tension;

  template <class Real>
  TALUS_INLINE void run(Index batch) const {
    const TreeBatch b = batches[batch];
    for (Index block = b.first_block; block < b.last_block; ++block) {
      for_lanes_of<Real>(block, b.width, [&](Index lane, int) { solve<Real>(lane); });
    }
  }

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    if (rows.word(tree_row::rests, lane) != 0) return;
    prefetch_fields(rows, tree_row::child, tree_row::locked + 1, lane);
    prefetch_fields(rows, tree_row::offset, 9, lane);
    prefetch_fields(rows, tree_row::force, 5, lane);
    const TreeBodies<Real> pair(bodies, rows, lane);
    const JointArms<Real> arms = pair.arms(load_frames<Real>(rows, tree_row::offset, lane, false));
    const Vec3Of<Real> force = pair.sign * load_vector<Real>(rows, tree_row::force, lane);  // on the child
    const Vec3Of<Real> gravity{Real(params->gravity.x), Real(params->gravity.y), Real(params->gravity.z)};
    const Real held = load<Real>(rows, tree_row::locked, lane);
    const Real weight = Real(kSnapLoad) * held * load<Real>(rows, tree_row::load, lane) * length(gravity);
    const Real heaviest = held * load<Real>(rows, tree_row::heaviest, lane);
    add(pair.child_index, pair.child, pair.arm_of_child(arms), force, weight, heaviest);
    add(pair.parent_index, pair.parent, pair.arm_of_parent(arms), -force, weight, heaviest);
  }

 private:
  /// In the body's own axes. Other entries of K than the diagonal's are replaced by what bounds them there.
  template <class Real>
  TALUS_INLINE void add(const RowIndices<Real>& index, const JointBody<Real>& body, Vec3Of<Real> arm,
                        Vec3Of<Real> force, Real weight, Real heaviest) const {
    const Mask<Real> moves = body.inv_mass > Real(0.0f);
    const Real mass = Real(1.0f) / select(moves, body.inv_mass, Real(1.0f));
    const Real snap = Real(kSnapSpeed * params->inv_h) * (heaviest - Real(kHeavy) * mass);
    const Vec3Of<Real> r = rotate_back(body.start, arm);
    const Vec3Of<Real> size{abs_of(r.x), abs_of(r.y), abs_of(r.z)};
    const Real length2 = dot(r, r), h(params->h), sum = size.x + size.y + size.z;
    const Real moment = max_of(dot(arm, force), square_root(length2) * max_of(weight, snap));
    const Real pull = moment * h * h / max_of(length2, Real(1e-20f));
    const auto about = [&](Real along) { return pull * (length2 - along * along + along * (sum - along)); };
    Real record[8];
    gather_together(&tension.data->inertia.x, index.data(), record);
    record[0] = record[0] + about(size.x);
    record[1] = record[1] + about(size.y);
    record[2] = record[2] + about(size.z);
    scatter_together(&tension.data->inertia.x, index.data(), record, moves);
  }
};

/// Bodies with the inertia that tension adds. Nothing is added while h^2 trace(K) is below the inertia. One lane of the
/// trees, which is one body.
struct StiffenBodies {
  TreeRows rows;
  // in/out: the body's own
  SolveRowScratch bodies;
  Column<BodyTension> tension;  // zero from now on, for the next time

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    if (rows.word(tree_row::rests, lane) != 0) return;
    const RowIndices<Real> index(rows, tree_row::child, lane);
    const Real zero(0.0f), one(1.0f);
    Real more[8], frame[8], velocity[8], free[8], none[8];
    gather_together(&tension.data->inertia.x, index.data(), more);
    gather_together(&bodies.frame.data->orientation.x, index.data(), frame);
    gather_together(&bodies.velocity.data->linear.x, index.data(), velocity);
    gather_together(&bodies.free_velocity.data->linear.x, index.data(), free);
    for (Real& value : none) value = zero;
    // Of unit inertia, in scaled axes.
    Real added[3], trace = zero;
    for (int i = 0; i < 3; ++i) {
      added[i] = frame[4 + i] * frame[4 + i] * more[i];
      trace = trace + added[i];
    }
    const Mask<Real> moves = frame[7] > zero, stiff = trace > one && moves;
    if (any_together(stiff)) {
      const Real part = select(stiff, one - one / select(stiff, trace, one), zero);
      for (int i = 0; i < 3; ++i) {
        const Real root = square_root(one + part * added[i]);
        frame[4 + i] = frame[4 + i] / root;
        velocity[4 + i] = root * velocity[4 + i];
        free[4 + i] = root * free[4 + i];
      }
      scatter_together(&bodies.frame.data->orientation.x, index.data(), frame, stiff);
      scatter_together(&bodies.velocity.data->linear.x, index.data(), velocity, stiff);
      scatter_together(&bodies.free_velocity.data->linear.x, index.data(), free, stiff);
    }
    scatter_together(&tension.data->inertia.x, index.data(), none, moves);
  }
};

}  // namespace talus::inline TALUS_ISA
