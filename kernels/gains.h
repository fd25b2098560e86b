// SPDX-License-Identifier: MIT
// Energy that contacts made: rows of a step are linear, and a plate or a needle may turn so far in it that impulses
// along them make energy, up to a thousand times what there was. Whoever ends a step with more energy than it should
// have is looked at: slender bodies that have a tenth more, and all bodies in worlds with masses that differ by more
// than kUnevenFrom and with other solvers than the default. If the whole group of such a body has more, see
// group_energy.h, so much of what the step did to the velocities is taken back that the least energy is left, as an
// inelastic impact along these impulses would leave it; with rigid rows, which bounce in the same sweeps, that no more
// is left than there was.
#pragma once
#include "group_energy.h"
#include "lanes.h"
#include "prepare.h"

namespace talus::inline TALUS_ISA {

constexpr float kGain = 1.1f;  // [1] of what a body had: with the default solver, who has more is looked at

/// Bodies that contacts gave energy to.
struct Gains {
  BodyModel model;
  BodyState state;
  SolveRowScratch bodies;
  const StepParams* params;
  bool all;  // not only slender ones: sweeps do not converge for masses that differ much; rigid rows bounce as if
             // nothing held the two bodies, and what is split by mass, or pushed as a whole, is not solved as well
  Counters* counters;

  template <class Real>
  struct Records {
    Real now[8], free[8], axes[8], gone[8];
  };
  /// By all threads of a warp together.
  template <class Real>
  TALUS_INLINE Mask<Real> gained_together(Index row) const {
    Records<Real> of;
    load_together(&bodies.velocity.data->linear.x, row, of.now);
    load_together(&bodies.free_velocity.data->linear.x, row, of.free);
    load_together(&bodies.frame.data->orientation.x, row, of.axes);
    load_together(&bodies.displacement.data->shift.x, row, of.gone);
    return gained<Real>(row, of);
  }
  /// By a thread alone.
  TALUS_HD bool gained_alone(Index row) const {
    Records<float> of;
    const std::uint32_t r = std::uint32_t(row);
    load_record(&bodies.velocity.data->linear.x, r, of.now);
    load_record(&bodies.free_velocity.data->linear.x, r, of.free);
    load_record(&bodies.frame.data->orientation.x, r, of.axes);
    load_record(&bodies.displacement.data->shift.x, r, of.gone);
    return gained<float>(row, of);
  }
  template <class Real>
  TALUS_INLINE Mask<Real> gained(Index row, const Records<Real>& of) const {
    const Real zero(0.0f), half(0.5f);
    const Real *now = of.now, *free = of.free, *axes = of.axes, *gone = of.gone;
    const Vec3Of<Real> per_axis{axes[4], axes[5], axes[6]}, w{now[4], now[5], now[6]}, v{now[0], now[1], now[2]};
    const Real most = max_of(per_axis.x, max_of(per_axis.y, per_axis.z));
    const Real least = min_of(per_axis.x, min_of(per_axis.y, per_axis.z));
    const Mask<Real> touched = free[7] > zero && now[3] > zero;
    const Mask<Real> counts = touched && most * most > Real(all ? 0.0f : kLongRatio) * (least * least);
    if (!any_of(counts)) return counts;
    const Vec3Of<Real> v_start = load<Real>(state.linear_velocity, row);
    const Vec3Of<Real> spin = rotate_back(load<Real>(state.orientation, row), load<Real>(state.angular_velocity, row));
    const Vec3Of<Real> w_start{spin.x / per_axis.x, spin.y / per_axis.y, spin.z / per_axis.z};
    const Vec3Of<Real> gravity{Real(params->gravity.x), Real(params->gravity.y), Real(params->gravity.z)};
    const Vec3Of<Real> g = load<Real>(model.gravity_scale.data, row) * gravity;
    const Real slack = Real(params->dt * params->dt) * length_squared(g);
    const Real had = max_of(half * length_squared(v_start) + dot(g, Vec3Of<Real>{gone[0], gone[1], gone[2]}) +
                                half * now[3] * length_squared(w_start),
                            zero);
    const Real has = half * (length_squared(v) + now[3] * length_squared(w));
    return counts && has > Real(all ? 1.0f : kGain) * had + slack;  // [J/kg]
  }
  TALUS_HD void note() const {
    atomic_store(&counters->gain_rows, counters->row_ends);
    atomic_store(&counters->gain_pairs, counters->pairs);
    atomic_store(&counters->gain_joints, counters->joints);
  }
};

/// One body a lane.
struct FindGains {
  Gains gains;
  template <class Real>
  TALUS_INLINE void solve(Index row) const {
    if (any_of(gains.gained_together<Real>(row))) gains.note();
  }
};

/// One element is one pair.
struct LinkGains {
  BounceGroups groups;
  PairList pairs;
  ContactRecords contacts;
  TALUS_HD void operator()(Index pair) const {
    if (contacts[pair].count > 0.0f) groups.link(pairs.owner[pair], pairs.partner[pair]);
  }
};
/// One element is one pair.
struct MarkDrivenGains {
  BounceGroups groups;
  PairList pairs;
  ContactRecords contacts;
  TALUS_HD void operator()(Index pair) const {
    const Index a = pairs.owner[pair], b = pairs.partner[pair];
    if (contacts[pair].count > 0.0f && (groups.drives(a) || groups.drives(b))) groups.mark(a, b, kDriven);
  }
};
/// One element is one joint.
struct MarkJointedGains {
  BounceGroups groups;
  JointModel joints;
  JointState joint_state;
  TALUS_HD void operator()(Index joint) const {
    if (!is_held(joints, joint_state, joint)) return;
    const Index a = joints.body_a[joint], b = joints.body_b[joint];
    if (a >= 0 && groups.moves(a)) groups.mark(a, a, kDriven);
    if (b >= 0 && groups.moves(b)) groups.mark(b, b, kDriven);
  }
};

/// Groups with a body that gained, and what each body would have without contacts. Its spin as the body sees it: with
/// another orientation, that alone keeps its energy. One element is one body row, or the null body.
struct MarkGains {
  Gains gains;
  BounceGroups groups;
  BodyInputs inputs;
  TALUS_HD void operator()(Index body) const {
    const SolveRowScratch& bodies = groups.bodies;
    if (!(bodies.velocity[body].inv_mass > 0.0f)) return;
    if (gains.gained_alone(body)) groups.mark(body, body, kBounces);
    const Vec3 push = outer_push(groups.model, inputs, *gains.params, body, groups.model.inv_mass[body]);
    const Vec3 torque = rotate_back(groups.state.orientation[body], inputs.torque[body]);
    const Vec3 own = rotate_back(groups.state.orientation[body], groups.state.angular_velocity[body]) +
                     gains.params->dt * scale(groups.model.inv_inertia[body], torque);
    const Vec3 turned = rotate(bodies.displacement[body].turn, own), axes = bodies.frame[body].scale;
    bodies.free_velocity[body].linear = groups.state.linear_velocity[body] + gains.params->dt * push;
    bodies.free_velocity[body].angular = {turned.x / axes.x, turned.y / axes.y, turned.z / axes.z};
  }
};

}  // namespace talus::inline TALUS_ISA
