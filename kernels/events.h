// SPDX-License-Identifier: MIT
// Events: what two steps' contacts differ in. Each pair keeps whether it touches, so that the next step can tell; what
// happened is counted, scanned and written: in the order of pairs and rows, the same on any machine. There is room for
// all that can happen, so nothing is ever lost.
#pragma once
#include "contact_columns.h"
#include "counters.h"
#include "event_columns.h"
#include "islands.h"
#include "joint_columns.h"
#include "narrow.h"
#include "sleep_columns.h"
#include "solve.h"

namespace talus::inline TALUS_ISA {

struct ClearPairEvents {
  PairEvents pairs;
  TALUS_HD void operator()(Index pair) const {
    pairs.touching[pair] = 0;
    pairs.approach[pair] = pairs.load[pair] = 0.0f;
  }
};

/// Before the solve. One element is one lane; padding has no points.
struct NoteApproach {
  SolveContacts<Sweep::relax, false> contacts;
  PairEvents pairs;  // approach: out

  TALUS_HD void operator()(Index lane) const {
    const SolverRows& rows = contacts.rows;
    const int count = int(rows.number(row::count, lane));
    if (count == 0) return;
    float record_a[8], record_b[8];
    gather_records(&contacts.velocity->linear.x, rows.at(row::body_a, lane), record_a);
    gather_records(&contacts.velocity->linear.x, rows.at(row::body_b, lane), record_b);
    const BodyPair<float> bodies = contacts.pair_of(record_a, record_b);
    float fastest = 0.0f;
    for (int i = 0; i < count; ++i) {
      fastest = max_of(fastest, -bodies.speed(rows.vector(row::normal, lane), contacts.point_levers<float>(i, lane)));
    }
    pairs.approach[Index(rows.word(row::pair, lane))] = fastest;
  }
};

/// After each sub-step: a row holds the impulses of one, and the impacts of all. One element is one lane.
struct SumLoads {
  SolverRows rows;
  PairEvents pairs;  // load: in/out
  bool last;

  TALUS_HD void operator()(Index lane) const {
    const int count = int(rows.number(row::count, lane));
    if (count == 0) return;
    float& load = pairs.load[Index(rows.word(row::pair, lane))];
    for (int i = 0; i < count; ++i) {
      load = load + rows.number(row::at(i, row::impulse), lane);
      if (last) load = load + rows.number(row::at(i, row::impact), lane);
    }
  }
};

TALUS_HD inline bool is_touching(const CachedContact& contact, float load) {
  bool touching = load > 0.0f;
  for (int i = 0; i < int(contact.count); ++i) touching = touching || contact.point[i].separation <= 0.0f;
  return touching;
}

/// One element is one pair.
struct NoteTouching {
  PairList pairs;
  ContactRecords contacts;
  Column<Index> island;  // of each body
  Column<std::uint8_t> motion;
  PairEvents events;  // touching: out

  TALUS_HD void operator()(Index pair) const {
    if (!is_touching(contacts[pair], events.load[pair])) return;
    const Index a = pairs.owner[pair], b = pairs.partner[pair];
    const bool slept = island[a] < 0 || island[b] < 0;
    const bool together =
        island[a] == island[b] || Motion(motion[a]) != Motion::dynamic || Motion(motion[b]) != Motion::dynamic;
    events.touching[pair] = slept && together ? 2 : 1;
  }
};

/// One element: how many elements the two kernels below have.
struct BeginEvents {
  Counters* counters;
  bool sleep, breakable;
  TALUS_HD void operator()(Index) const {
    Counters& c = *counters;
    if (c.must_grow != 0) return;
    c.event_joints = breakable ? c.joints : 0;
    c.event_elements = c.event_joints + c.pairs + c.cached_pairs + (sleep ? c.rows : 0);
    c.event_ends = c.event_elements + 1;
  }
};

/// What one element has to tell. Elements: joints, if some may break, pairs of this step, pairs of the last one, body
/// rows.
struct EventSource {
  BodyModel model;
  BodyState state;
  ContactCache last, next;
  EventViews events;
  Column<std::uint32_t> change;  // SleepRows; empty where bodies do not sleep
  JointState joints;
  const StepParams* params;
  const Counters* counters;

  /// Writes up to two events to `out`, unless it is null. Returns how many there are.
  TALUS_HD Index tell(Index element, EventRecord* out) const {
    if (element < counters->event_joints) return tell_joint(element, out);
    element -= counters->event_joints;
    if (element < counters->pairs) return tell_pair(element, out);
    element -= counters->pairs;
    if (element < counters->cached_pairs) return tell_end(element, out);
    return tell_row(element - counters->cached_pairs, out);
  }

  TALUS_HD Index tell_joint(Index joint, EventRecord* out) const {
    if (joints.broken[joint] != 2) return 0;
    const float impulse = params->dt * length(joints.force[joint]);
    if (out != nullptr) *out = {EventType::joint_broke, joint, -1, 0.0f, impulse, {0.0f, 0.0f, 0.0f}};
    return 1;
  }

  TALUS_HD Index tell_pair(Index pair, EventRecord* out) const {
    const Index a = next.pairs.owner[pair], b = next.pairs.partner[pair];
    const float load = events.next.load[pair], speed = events.next.approach[pair];
    const bool begins = events.next.touching[pair] == 1 && !touched(a, b);
    const bool hits = load > 0.0f && speed > params->hit_speed;
    if (out != nullptr) {
      const Vec3 normal = next.contacts[pair].normal;
      if (begins) *out++ = {EventType::contact_begin, a, b, speed, load, normal};
      if (hits) *out = {EventType::contact_hit, a, b, speed, load, normal};
    }
    return (begins ? 1 : 0) + (hits ? 1 : 0);
  }
  TALUS_HD bool touched(Index a, Index b) const {
    const Index row = find_last_row(last, counters->cached_rows, a, b);
    return row >= 0 && events.last.touching[row] != 0;
  }

  TALUS_HD Index tell_end(Index pair, EventRecord* out) const {
    if (events.last.touching[pair] == 0) return 0;
    const Index a = last.pairs.owner[pair], b = last.pairs.partner[pair];
    const Index row = find_last_row(next, counters->rows, a, b);
    if (row >= 0 && events.next.touching[row] != 0) return 0;
    const bool asleep_a = state.asleep[a] != 0, asleep_b = state.asleep[b] != 0;
    const bool rests_a = asleep_a || Motion(model.motion[a]) != Motion::dynamic;
    const bool rests_b = asleep_b || Motion(model.motion[b]) != Motion::dynamic;
    if (row < 0 && (asleep_a || asleep_b) && rests_a && rests_b) return 0;
    if (out != nullptr) *out = {EventType::contact_end, a, b, 0.0f, 0.0f, {0.0f, 0.0f, 0.0f}};
    return 1;
  }

  TALUS_HD Index tell_row(Index row, EventRecord* out) const {
    const std::uint32_t now = change[row];
    if (now == 0) return 0;
    const bool woke = (now & kWokeUp) != 0, fell = (now & kFellAsleep) != 0;
    const Vec3 none{0.0f, 0.0f, 0.0f};
    if (out != nullptr) {
      if (woke && state.asleep[row] != 0) *out++ = {EventType::woke_up, row, -1, 0.0f, 0.0f, none};
      if (fell) *out++ = {EventType::fell_asleep, row, -1, 0.0f, 0.0f, none};
      if (woke && state.asleep[row] == 0) *out = {EventType::woke_up, row, -1, 0.0f, 0.0f, none};
    }
    return (woke ? 1 : 0) + (fell ? 1 : 0);
  }
};

struct CountEvents {
  EventSource source;
  TALUS_HD void operator()(Index element) const {
    source.events.place[element] = element < source.counters->event_elements ? source.tell(element, nullptr) : 0;
  }
};
/// After the scan.
struct WriteEvents {
  EventSource source;
  Counters* counters;

  TALUS_HD void operator()(Index element) const {
    const Index place = source.events.place[element];
    if (element == source.counters->event_elements) {
      counters->events = place;
      return;
    }
    if (place == source.events.place[element + 1]) return;
    source.tell(element, source.events.records.data + place);
  }
};
/// One element is one row.
struct ForgetChange {
  Column<std::uint32_t> change;
  TALUS_HD void operator()(Index row) const { change[row] = 0; }
};
/// One element.
struct EndEvents {
  Counters* counters;
  TALUS_HD void operator()(Index) const {
    if (counters->must_grow == 0) counters->cached_pairs = counters->pairs;
  }
};

}  // namespace talus::inline TALUS_ISA
