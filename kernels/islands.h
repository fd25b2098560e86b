// SPDX-License-Identifier: MIT
// Islands: connected components of awake dynamic bodies over contacts and joints (S3-76). Fixed and kinematic bodies
// link nothing. Lock-free union-find as in ECL-CC (Jaiganesh, Burtscher, HPDC 2018): the larger of two roots is hooked
// under the smaller, and paths are halved on the way. A parent is never above its child, so whatever the order of
// arrival, the root of an island ends as its lowest row: the label is the same on any machine.
// Cost: one pass over pairs, some 10 ns each; every kIslandPeriod-th step.
#pragma once
#include "columns.h"
#include "contact_columns.h"
#include "counters.h"
#include "joint_columns.h"
#include "math/atomic.h"
#include "sleep_columns.h"
#include "step_params.h"

namespace talus::inline TALUS_ISA {

/// The root of a row, as far as others have got. Halves the path.
TALUS_HD inline Index find_root(Index* parent, Index row) {
  Index next = atomic_load(&parent[row]);
  while (next != row) {
    const Index after = atomic_load(&parent[next]);
    if (after != next) atomic_store(&parent[row], after);  // a row that has a parent is no root any more: none is lost
    row = next;
    next = after;
  }
  return row;
}

/// Makes one island of two.
TALUS_HD inline void link_rows(Index* parent, Index a, Index b) {
  Index high = find_root(parent, a), low = find_root(parent, b);
  while (high != low) {
    if (high < low) {
      const Index other = high;
      high = low;
      low = other;
    }
    const Index seen = atomic_compare_exchange(&parent[high], high, low);
    if (seen == high) return;
    high = find_root(parent, seen);
    low = find_root(parent, low);
  }
}

// SleepRows::change
constexpr std::uint32_t kFellAsleep = 1u;
constexpr std::uint32_t kWokeUp = 2u;

// SleepRows::mood
constexpr std::uint32_t kRestless = 1u;  // not slow for long enough, never sleeps, or touches what moves by itself
constexpr std::uint32_t kHeld = 2u;      // touches something, or has a joint
constexpr std::uint32_t kIslandRestless = 4u;  // of a root: some body of the island does not let it sleep

// SleepRows::wake
constexpr std::uint32_t kExpects = 4u;  // of a body that is awake, for this step: something restless may meet it

/// Whether this step ends with a look at the islands.
TALUS_INLINE bool islands_are_due(const Counters& c) {
  return (c.sleep_clock + 1) % kIslandPeriod == 0;
}

/// What a body is to islands.
struct BodyKind {
  BodyModel model;
  BodyState state;

  TALUS_INLINE bool is_dynamic(Index row) const {
    return model.alive[row] != 0 && Motion(model.motion[row]) == Motion::dynamic && state.frozen[row] == 0;
  }
  TALUS_INLINE bool is_awake(Index row) const { return is_dynamic(row) && state.asleep[row] == 0; }
  /// Kinematic and on its way.
  TALUS_INLINE bool stirs(Index row) const {
    const Vec3 v = state.linear_velocity[row], w = state.angular_velocity[row];
    const bool moves = v.x != 0.0f || v.y != 0.0f || v.z != 0.0f || w.x != 0.0f || w.y != 0.0f || w.z != 0.0f;
    return model.alive[row] != 0 && Motion(model.motion[row]) == Motion::kinematic && moves;
  }
};

/// Every awake body by itself. One element is one row of a listed block.
struct BeginIslands {
  BodyKind bodies;
  SleepRows rows;  // out: parent, mood; wake: the row's own
  const StepParams* params;

  TALUS_HD void operator()(Index row) const {
    const bool expects = (rows.wake[row] & kExpects) != 0;
    const bool ready =
        bodies.state.quiet[row] >= params->sleep_time && !expects && (bodies.model.flags[row] & kNeverSleeps) == 0;
    if (expects) rows.wake[row] &= ~kExpects;
    rows.parent[row] = row;
    rows.mood[row] = ready ? 0u : kRestless;
  }
};

/// Links what holds on to each other, and notes what each body holds on to.
struct LinkBodies {
  BodyKind bodies;
  SleepRows rows;

  TALUS_HD void link(Index a, Index b) const {
    const bool awake_a = bodies.is_awake(a), awake_b = bodies.is_awake(b);
    if (awake_a) hold(a, !awake_b && bodies.stirs(b));
    if (awake_b) hold(b, !awake_a && bodies.stirs(a));
    if (awake_a && awake_b) link_rows(rows.parent.data, a, b);
  }
  /// `stirred`: by a kinematic body, with which it may move without ever being fast.
  TALUS_HD void hold(Index row, bool stirred) const { atomic_or(&rows.mood[row], stirred ? kHeld | kRestless : kHeld); }
};

/// One element is one pair.
struct LinkContacts {
  LinkBodies bodies;
  PairList pairs;
  ContactRecords contacts;

  TALUS_HD void operator()(Index pair) const {
    if (contacts[pair].count > 0.0f) bodies.link(pairs.owner[pair], pairs.partner[pair]);
  }
};

/// One element is one joint.
struct LinkJoints {
  LinkBodies bodies;
  JointModel model;
  JointState state;

  TALUS_HD void operator()(Index joint) const {
    if (model.alive[joint] == 0 || state.broken[joint] != 0) return;
    const Index a = model.body_a[joint], b = model.body_b[joint];
    if (a >= 0 && b >= 0) {
      bodies.link(a, b);
    } else if (a >= 0 || b >= 0) {
      const Index row = a >= 0 ? a : b;
      if (bodies.bodies.is_awake(row)) bodies.hold(row, false);
    }
  }
};

/// Tells each island of its restless bodies. What nothing holds and gravity pulls is on its way, however slow: a throw
/// has an apex. One element is one row of a listed block.
struct GatherMoods {
  BodyKind bodies;
  SleepRows rows;
  const StepParams* params;
  Counters* counters;  // islands

  TALUS_HD void operator()(Index row) const {
    if (!bodies.is_awake(row)) return;
    const Index root = find_root(rows.parent.data, row);
    if (root == row) atomic_add(&counters->islands, 1);
    const std::uint32_t mood = atomic_load(&rows.mood[row]);  // while bodies of its island add kIslandRestless
    const Vec3 g = params->gravity;
    const bool falls =
        (mood & kHeld) == 0 && bodies.model.gravity_scale[row] != 0.0f && (g.x != 0.0f || g.y != 0.0f || g.z != 0.0f);
    if ((mood & kRestless) != 0 || falls) atomic_or(&rows.mood[root], kIslandRestless);
  }
};

/// One element is one row of a listed block.
struct FallAsleep {
  BodyKind bodies;
  SleepRows rows;
  Counters* counters;  // fell_asleep

  TALUS_HD void operator()(Index row) const {
    if (!bodies.is_awake(row)) return;
    const Index root = find_root(rows.parent.data, row);
    if ((rows.mood[root] & kIslandRestless) != 0) return;
    const Vec3 none{0.0f, 0.0f, 0.0f};
    bodies.state.linear_velocity.set(row, none);
    bodies.state.angular_velocity.set(row, none);
    bodies.state.asleep[row] = 1;
    bodies.state.island[row] = root + 1;
    rows.change[row] |= kFellAsleep;
    atomic_add(&counters->fell_asleep, 1);
  }
};

}  // namespace talus::inline TALUS_ISA
