// SPDX-License-Identifier: MIT
// Limits of joints in trees: locked while they are pressed on, so that the tree's exact solve holds them.
#pragma once
#include "joint_columns.h"
#include "step_params.h"
#include "tree_lanes.h"

namespace talus::inline TALUS_ISA {

constexpr float kLeaves = 0.5f;    // [m/s, rad/s] at which an axis leaves a limit that it was pressed to
constexpr float kAtLimit = 1e-3f;  // [m, rad] from its limit an axis is at it

/// When PressLimits looks at limits.
enum class PressTime : std::uint8_t {
  substep_begins,  // bodies have moved; what happened before is done
  biased,          // velocities have changed, by contacts or by a solve
  relaxing,        // the same, after bodies moved: they do so again in the next sub-step only
};

/// Which limits of the trees hold as if they were locked: an active set, changed by what the last solve and the
/// contacts left. An axis that would pass its limit within the sub-step is held there, such that it arrives when the
/// sub-step ends; one that its limit had to pull is let go, and gets its impulse back in the next solve. One lane of
/// the trees.
struct PressLimits {
  static constexpr bool kIsLong = true;  // a call on a GPU
  const BodyVelocity* velocity;
  const StepParams* params;
  PressTime time;
  // in/out: the lane's own
  TreeRows rows;

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    if (rows.word(tree_row::rests, lane) != 0) return;
    const Real zero(0.0f), one(1.0f);
    if (!any_together(load<Real>(rows, tree_row::limits, lane) > zero)) {
      if (time != PressTime::substep_begins) store(rows, tree_row::turned, lane, zero);
      return;
    }
    const RowIndices<Real> child_index(rows, tree_row::child, lane), parent_index(rows, tree_row::parent, lane);
    Real child[8], parent[8];
    gather_together(&velocity->linear.x, child_index.data(), child);
    gather_together(&velocity->linear.x, parent_index.data(), parent);
    const Vec3Of<Real> apart{child[0] - parent[0], child[1] - parent[1], child[2] - parent[2]};
    const Vec3Of<Real> w_c{child[4], child[5], child[6]}, w_p{parent[4], parent[5], parent[6]};
    Real changed = zero;
    for (int i = 0; i < kAxisCount; ++i) {
      const Real lower = load<Real>(rows, tree_row::lower + i, lane);
      const Real upper = load<Real>(rows, tree_row::upper + i, lane);
      const Mask<Real> limited = lower > Real(-kNoLimit) || upper < Real(kNoLimit);
      if (!any_of(limited)) continue;
      Real rate = dot(load_vector<Real>(rows, tree_row::lever_child + 3 * i, lane), w_c) -
                  dot(load_vector<Real>(rows, tree_row::lever_parent + 3 * i, lane), w_p);
      if (i < 3) rate = rate + dot(load_vector<Real>(rows, tree_row::direction + 3 * i, lane), apart);
      const Real position = load<Real>(rows, tree_row::position + i, lane);
      const Real was = load<Real>(rows, tree_row::pressed + i, lane);
      const Real side = press(lane, i, rate, was, position - lower, upper - position);
      const Real is = select(child[3] > zero && limited, side, zero);
      changed = select(is == was, changed, one);
      store(rows, tree_row::pressed + i, lane, is);
      const Real locked = load<Real>(rows, tree_row::locked + i, lane);
      store(rows, tree_row::locked + i, lane, select(limited, abs_of(is), locked));
      const Real wanted = load<Real>(rows, tree_row::wanted + i, lane);
      store(rows, tree_row::wanted + i, lane,
            select(limited, arrival(is, select(is > zero, position - lower, upper - position)), wanted));
    }
    if (time == PressTime::substep_begins) changed = max_of(changed, load<Real>(rows, tree_row::turned, lane));
    store(rows, tree_row::turned, lane, changed);
  }

 private:
  /// Where the axis is held from now on: 1 at its lower limit, -1 at its upper, 0 not at all.
  template <class Real>
  TALUS_INLINE Real press(Index lane, int axis, Real rate, Real was, Real above, Real below) const {
    const Real zero(0.0f), one(1.0f), impulse = load<Real>(rows, tree_row::impulse + axis, lane);
    const Real since = impulse - load<Real>(rows, tree_row::before + axis, lane);
    const bool begins = time == PressTime::substep_begins;
    const Mask<Real> rigid = above + below <= zero;
    const Mask<Real> pulls = was * since < zero && !rigid, leaves = was * rate > Real(kLeaves) && !rigid;
    const Mask<Real> goes = begins ? pulls || leaves : pulls;
    if (begins) {
      store(rows, tree_row::before + axis, lane, impulse);
    } else {
      store(rows, tree_row::back + axis, lane, select(goes, -since, zero));
    }
    const Real ahead = Real(params->h) * rate, near(time == PressTime::relaxing ? kAtLimit : kNoLimit);
    const Mask<Real> meets_lower = above + ahead < zero && above < near;
    const Mask<Real> meets_upper = below - ahead < zero && below < near;
    const Real met = select(meets_lower || rigid, one, select(meets_upper, -one, zero));
    return select(was == zero, met, select(goes, zero, was));
  }
  /// [m/s, rad/s] at which an axis reaches its limit when the sub-step ends, or comes back from beyond it.
  template <class Real>
  TALUS_INLINE Real arrival(Real side, Real gap) const {
    const Real zero(0.0f), back = min_of(Real(-kErrorPart * params->inv_h) * gap, Real(kMostJointPush));
    return side * select(gap > zero, Real(-params->inv_h) * gap, back);
  }
};

}  // namespace talus::inline TALUS_ISA
