// SPDX-License-Identifier: MIT
// Who takes part in the bounce sweeps after the last sub-step: contacts that bounce, and all that hang together with
// them by contacts and joints, since an impact is passed on. A ball that bounces elsewhere gives a heap no more sweeps.
// Where nothing bounces there is none, unless joints have limits that may.
#pragma once
#include "counters.h"
#include "islands.h"
#include "joint_columns.h"
#include "math/atomic.h"
#include "math/vec3.h"
#include "solve_columns.h"
#include "step_params.h"

namespace talus::inline TALUS_ISA {

constexpr Index kBounceSweeps = 8;  // Newton's cradle of three converges by 4 a sweep: 1.5e-5 of the answer

// SolveRowScratch::group_bounces, of a root
constexpr std::uint32_t kBounces = 1u;  // something of the group bounces
constexpr std::uint32_t kDriven = 2u;   // its energy is not its own: joints, or a kinematic body that moves, drive it
// The same, of a body itself: joints hold it. What it has is no bound for how it bounces: what hangs on it takes part.
constexpr std::uint32_t kHasJoints = 4u;
constexpr float kNoEnergyBound = 1e30f;  // [J]

/// Whether a joint is there, and whole.
TALUS_HD inline bool is_held(const JointModel& joints, const JointState& joint_state, Index joint) {
  return joints.alive[joint] != 0 && joint_state.broken[joint] == 0;
}

/// What bounces in this step.
struct Bounces {
  SolverRows rows;
  const StepParams* params;
  JointModel joints;
  JointState joint_state;
  Counters* counters;

  /// A point that closed fast enough and has pushed.
  TALUS_HD bool is_contact(Index lane) const {
    const int count = int(rows.number(row::count, lane));
    if (count == 0 || !(rows.number(row::restitution, lane) > 0.0f)) return false;
    bool bounces = false;
    for (int i = 0; i < count; ++i) {
      bounces = bounces || (rows.number(row::at(i, row::approach), lane) < -params->restitution_threshold &&
                            rows.number(row::at(i, row::peak), lane) > 0.0f);
    }
    return bounces;
  }
  /// A joint whose limits may: when they do is found out in the sweeps.
  TALUS_HD bool is_joint(Index joint) const {
    return is_held(joints, joint_state, joint) && joints.limit_restitution[joint] > 0.0f;
  }

  /// Whoever notes it writes the same.
  TALUS_HD void note() const {
    atomic_store(&counters->bounce_turns, kBounceSweeps);
    atomic_store(&counters->bounce_rows, counters->row_ends);
    atomic_store(&counters->bounce_lanes, counters->lanes);
    atomic_store(&counters->bounce_joints, counters->joints);
  }
};

/// One element is one lane.
struct FindBounces {
  Bounces bounces;
  TALUS_HD void operator()(Index lane) const {
    if (bounces.is_contact(lane)) bounces.note();
  }
};
/// One element is one joint.
struct FindBouncingLimits {
  Bounces bounces;
  TALUS_HD void operator()(Index joint) const {
    if (bounces.is_joint(joint)) bounces.note();
  }
};

/// Groups of bodies that hang together, see islands.h. The group's lowest row tells of it.
struct BounceGroups {
  SolveRowScratch bodies;  // group, group_bounces, group_energy
  BodyModel model;
  BodyState state;

  TALUS_HD bool moves(Index body) const {
    return model.inv_mass[body] > 0.0f && state.asleep[body] == 0 && state.frozen[body] == 0;
  }
  TALUS_HD void link(Index a, Index b) const {
    if (moves(a) && moves(b)) link_rows(bodies.group.data, a, b);
  }
  /// Of two bodies, one of which moves.
  TALUS_HD Index root(Index a, Index b) const { return find_root(bodies.group.data, moves(a) ? a : b); }
  TALUS_HD void mark(Index a, Index b, std::uint32_t with) const { atomic_or(&bodies.group_bounces[root(a, b)], with); }
  /// Kinematic, and moves.
  TALUS_HD bool drives(Index body) const {
    const BodyVelocity& v = bodies.velocity[body];
    return !moves(body) && length_squared(v.linear) + length_squared(v.angular) > 0.0f;
  }
};

/// Each by itself. One element is one body row, or the null body.
struct BeginBounceGroups {
  SolveRowScratch bodies;
  TALUS_HD void operator()(Index body) const {
    bodies.group[body] = body;
    bodies.group_bounces[body] = 0;
    bodies.group_energy[body] = 0;
    for (std::int64_t& sum : bodies.split_sums[body].change) sum = 0;
  }
};

/// One element is one lane.
struct LinkBounces {
  BounceGroups groups;
  SolverRows rows;
  TALUS_HD void operator()(Index lane) const {
    if (rows.number(row::count, lane) == 0.0f) return;  // padding
    groups.link(Index(rows.word(row::body_a, lane)), Index(rows.word(row::body_b, lane)));
  }
};
/// One element is one joint.
struct LinkBouncingJoints {
  BounceGroups groups;
  Bounces bounces;
  TALUS_HD void operator()(Index joint) const {
    const Index a = bounces.joints.body_a[joint], b = bounces.joints.body_b[joint];
    if (is_held(bounces.joints, bounces.joint_state, joint) && a >= 0 && b >= 0) groups.link(a, b);
  }
};

/// One element is one joint.
struct MarkJointedBodies {
  SolveRowScratch bodies;  // group_bounces: out
  JointModel joints;
  JointState joint_state;
  TALUS_HD void operator()(Index joint) const {
    if (!is_held(joints, joint_state, joint)) return;
    for (const Index body : {joints.body_a[joint], joints.body_b[joint]}) {
      if (body >= 0) atomic_or(&bodies.group_bounces[body], kHasJoints);
    }
  }
};

/// One element is one lane.
struct MarkBounces {
  BounceGroups groups;
  Bounces bounces;
  TALUS_HD void operator()(Index lane) const {
    const Index a = Index(bounces.rows.word(row::body_a, lane)), b = Index(bounces.rows.word(row::body_b, lane));
    if (bounces.is_contact(lane)) groups.mark(a, b, kBounces);
    if (bounces.rows.number(row::count, lane) > 0.0f && (groups.drives(a) || groups.drives(b))) {
      groups.mark(a, b, kDriven);
    }
  }
};
/// One element is one joint.
struct MarkBouncingJoints {
  BounceGroups groups;
  Bounces bounces;
  TALUS_HD void operator()(Index joint) const {
    if (!is_held(bounces.joints, bounces.joint_state, joint)) return;
    const std::uint32_t with = bounces.is_joint(joint) ? kBounces | kDriven : kDriven;
    const Index a = bounces.joints.body_a[joint], b = bounces.joints.body_b[joint];
    if (a >= 0 && groups.moves(a)) groups.mark(a, a, with);
    if (b >= 0 && groups.moves(b)) groups.mark(b, b, with);
  }
};

/// Leaves out the contacts of all other groups: row::energy < 0. One element is one lane.
struct LeaveOutOfBounces {
  BounceGroups groups;
  SolverRows rows;
  const Counters* counters;
  TALUS_HD void operator()(Index lane) const {
    if (!takes_part(lane)) rows.set(row::energy, lane, -1.0f);
  }
  TALUS_HD bool takes_part(Index lane) const {
    if (counters->bounce_turns == 0 || rows.number(row::count, lane) == 0.0f) return false;
    const Index a = Index(rows.word(row::body_a, lane)), b = Index(rows.word(row::body_b, lane));
    return (groups.bodies.group_bounces[groups.root(a, b)] & kBounces) != 0;
  }
};

}  // namespace talus::inline TALUS_ISA
