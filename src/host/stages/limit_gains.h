// SPDX-License-Identifier: MIT
// End of stage solve_contacts: energy that contacts made is taken back, see kernels/gains.h.
#pragma once
#include "exec.h"
#include "gains.h"
#include "step_views.h"

namespace talus::inline TALUS_ISA {

/// Groups whose impulses changed the free velocities.
template <class Team>
TALUS_INLINE void limit_group_energy(Team& team, const StepViews& v, const Count& bodies, bool slack, bool inelastic) {
  const GroupEnergy energy{{v.solve.rows, v.model, v.state}, v.inputs, v.params, slack, inelastic};
  team.for_each("FindEnergyUnits", bodies, FindEnergyUnits{energy});
  team.for_each("SumGroupEnergy", bodies, SumGroupEnergy{energy});
  team.for_each("LimitGroupEnergy", bodies, LimitGroupEnergy{energy});
}

/// Of bounce sweeps, then of the whole step.
template <class Team>
TALUS_INLINE void limit_gains(Team& team, const StepViews& v) {
  Counters& c = *v.counters;
  const bool rigid = v.shape.rigid.on || v.shape.shock.on,
             all = rigid || v.shape.jacobi || v.shape.projection || v.shape.uneven;
  const Gains gains{v.model, v.state, v.solve.rows, v.params, all, v.counters};
  const BounceGroups groups{v.solve.rows, v.model, v.state};
  const Count bodies{&c.gain_rows, v.shape.rows + 1}, pairs{&c.gain_pairs, v.next.pairs.owner.size};
  limit_group_energy(team, v, {&c.bounce_rows, v.shape.rows + 1}, false, false);
  team.for_each_lane("FindGains", body_lanes(v), on_bodies(v, FindGains{gains}));
  team.for_each("BeginBounceGroups", bodies, BeginBounceGroups{v.solve.rows});
  team.for_each("LinkGains", pairs, LinkGains{groups, v.next.pairs, v.next.contacts});
  team.for_each("MarkDrivenGains", pairs, MarkDrivenGains{groups, v.next.pairs, v.next.contacts});
  team.for_each("MarkJointedGains", {&c.gain_joints, v.joints.count},
                MarkJointedGains{groups, v.joints.model, v.joints.state});
  team.for_each("MarkGains", bodies, MarkGains{gains, groups, v.inputs});
  limit_group_energy(team, v, bodies, true, !rigid);
}

/// After solvers that bounce in their own sweeps.
struct LimitGainsTask {
  TaskViews v;
  template <class Team>
  TALUS_HD void operator()(Team& team) const {
    limit_gains(team, v);
  }
};

}  // namespace talus::inline TALUS_ISA
