// SPDX-License-Identifier: MIT
// The first part of stage prepare_contacts, in worlds of bodies whose masses differ much: what stands on whom
// (kernels/squeeze.h).
#pragma once
#include "exec.h"
#include "squeeze.h"
#include "step_views.h"

namespace talus::inline TALUS_ISA {

struct FindLoadsTask {
  TaskViews v;

  template <class Team>
  TALUS_HD void operator()(Team& team) const {
    const Column<ColorBids>& bids = v.solve.color_rows.bids;
    const Count contacts{&v.counters->contacts, v.solve.contact_capacity};
    const StandingContacts standing{v.model,  v.state,     v.next.pairs, v.next.contacts, v.solve.contacts.pair,
                                    v.params, v.materials, bids};
    team.for_each("ClearLoads", body_rows(v), on_bodies(v, ClearLoads{bids}));
    team.for_each("MarkJointedLoads", {&v.counters->joints, v.joints.count}, MarkJointedLoads{v.joints.model, bids});
    team.repeat(&v.counters->load_turns, [&](Index turn) {
      team.for_each("PassLoads", contacts, PassLoads{standing, v.counters, turn});
    });
    team.repeat(&v.counters->ground_turns, [&](Index turn) {
      team.for_each("PassGround", contacts, PassGround<false>{standing, &v.counters->ground_turns, turn});
    });
    team.repeat(&v.counters->held_turns, [&](Index turn) {
      team.for_each("PassHeld", contacts, PassGround<true>{standing, &v.counters->held_turns, turn});
    });
    team.repeat(&v.counters->motion_turns, [&](Index turn) {
      team.for_each("PassMotion", contacts, PassMotion{standing, v.counters, turn});
    });
    team.repeat(&v.counters->squeezed, [&](Index) {
      team.for_each("DropLoads", contacts, DropLoads{standing});
      team.for_each("NoteUpward", contacts, NoteUpward{standing});
    });
  }
};

template <class Exec>
void find_loads(Exec& exec, const StepViews& v) {
  if (v.shape.squeeze) exec.together("find_loads", FindLoadsTask{v});
}

}  // namespace talus::inline TALUS_ISA
