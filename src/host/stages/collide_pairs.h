// SPDX-License-Identifier: MIT
// Stage collide_pairs: pairs, poses, last cache -> manifolds with the impulses to start from, and the list of contacts.
#pragma once
#include "exec.h"
#include "growth.h"
#include "meetings.h"
#include "narrow.h"
#include "step_views.h"

namespace talus::inline TALUS_ISA {

/// Contacts that no two come to, since others are met before: these are left out.
struct LeaveOutPreventedTask {
  static constexpr bool kManyRegisters = true;
  TaskViews v;

  template <class Team>
  TALUS_HD void operator()(Team& team) const {
    const Count rows{&v.counters->meeting_rows, v.shape.rows},
        pairs{&v.counters->meeting_pairs, v.next.pairs.owner.size};
    const MeetingRowScratch& bodies = v.solve.meetings;
    const Meetings meetings{v.model,
                            v.state.linear_velocity,
                            v.state.angular_velocity,
                            v.inputs,
                            v.params,
                            v.materials,
                            v.broad.rows.pose,
                            v.next.pairs,
                            v.next.contacts,
                            v.solve.pairs.spare_key,
                            bodies.first,
                            bodies.second};
    team.for_each("BeginMeetings", rows, BeginMeetings{bodies.first, bodies.second});
    team.for_each("FindFirstMeetings", pairs, FindFirstMeetings{meetings});
    team.for_each("FindSecondMeetings", pairs, FindSecondMeetings{meetings});
    team.for_each("LeaveOutPrevented", pairs, LeaveOutPrevented{meetings, v.solve.pairs.contact_index});
  }
};

/// Contacts among the pairs, if there is room for them.
struct ListContactsTask {
  TaskViews v;

  template <class Team>
  TALUS_HD void operator()(Team& team) const {
    const SolvePairScratch& s = v.solve.pairs;
    const Count pairs{&v.counters->pairs, v.next.pairs.owner.size};
    team.for_each("ListContacts", pairs,
                  ListContacts{v.next.contacts, s.contact_index, v.solve.contacts.pair, v.solve.color_contacts.color,
                               v.counters, v.shape.jacobi ? std::uint32_t(kOverflowColor) : kNoColor});
    team.for_each("CountPoints", {nullptr, (pairs.capacity + CountPoints::kRun - 1) / CountPoints::kRun},
                  CountPoints{v.next.contacts, s.batch_key, v.counters});
    team.for_each("CheckContacts", {nullptr, 1},
                  CheckGrowth{v.counters, &v.counters->contacts, &v.counters->contacts, v.solve.contact_capacity,
                              Growth::contacts});
  }
};

template <class Exec>
void collide_pairs(Exec& exec, const StepViews& v) {
  exec.begin_stage(Stage::collide_pairs);
  const SolvePairScratch& s = v.solve.pairs;
  const Count pairs{&v.counters->pairs, v.next.pairs.owner.size};
  const LaneRange pair_lanes{&v.counters->first_lane, &v.counters->pair_lanes, s.box_axes.size, &v.counters->pairs};
  const SizeRecords size_records{v.model.shape, v.next.pairs, v.next.contacts.place};
  exec.for_each("SizeRecords", pairs, size_records);
  exec.exclusive_scan("place records", v.next.contacts.place, pairs);
  exec.for_each("CheckRecords", {nullptr, 1},
                CheckRecords{size_records,
                             {v.counters, &v.counters->record_units, &v.counters->record_units, v.next.contacts.size,
                              Growth::records},
                             v.counters});
  exec.for_each_lane(
      "RecyclePairs", pair_lanes,
      RecyclePairs{v.model, v.broad.rows.pose, v.next.pairs, v.last, v.next.contacts, s.batch_key, s.batch_pair,
                   s.last_row, s.contact_index, v.counters, v.params, v.state.linear_velocity});
  exec.sort_by_key("sort pairs by shapes", {s.batch_key, s.batch_pair, s.spare_key, s.spare_pair}, pairs, 4);
  exec.for_each_lane("FindBoxAxes", pair_lanes,
                     FindBoxAxes{v.broad.rows.pose, v.broad.rows.shape, v.next.pairs, s.batch_key, s.batch_pair,
                                 v.counters, s.box_axes});
  exec.for_each("CollidePairs", pairs,
                CollidePairs{v.model, v.state.linear_velocity, v.state.angular_velocity, v.last, v.broad.rows.pose,
                             v.next.pairs, s.batch_key, s.batch_pair, s.box_axes, s.last_row, v.next.contacts,
                             s.contact_index, v.params, v.inputs, v.materials, v.counters});
  exec.together("LeaveOutPrevented", LeaveOutPreventedTask{v});
  exec.exclusive_scan("number contacts", s.contact_index, pairs);
  exec.together("ListContacts", ListContactsTask{v});
}

}  // namespace talus::inline TALUS_ISA
