// SPDX-License-Identifier: MIT
// What happened in a step: contacts that begin, end and hit, bodies that fall asleep and wake, joints that break.
#pragma once
#include <cstdint>

#include <talus/joint.h>
#include <talus/types.h>

namespace talus {

/// Two bodies touch if a point of their contact pushes, or does not stand apart.
enum class EventType : std::uint32_t {
  contact_begin,  ///< a and b touch, and did not in the step before
  contact_end,    ///< they touched in the step before and do not now; not if one of them was removed
  contact_hit,    ///< they came at each other faster than EventSettings::hit_speed, and the contact pushed
  fell_asleep,    ///< a; its contacts do not end by that
  woke_up,        ///< a; its contacts do not begin by that
  joint_broke,    ///< a joint broke at the end of the step
};

/// An event in the backend's memory, with rows for bodies. 32 bytes.
struct EventRecord {
  EventType type;
  Index a, b;     ///< b: -1 if there is none; joint_broke: a is the row of the joint
  float speed;    ///< [m/s] contact_hit: at which the nearest points came at each other when the step began
  float impulse;  ///< [N s] contact_begin, contact_hit: along the normal, of all points, over the step; joint_broke: of
                  ///< its reaction
  Vec3 normal;    ///< contact_begin, contact_hit: from a to b
};

/// An event as it is read.
struct Event {
  EventType type;
  BodyId a, b;    ///< joint_broke: the bodies of the joint, kWorld for the world
  JointId joint;  ///< joint_broke
  float speed;    ///< [m/s]
  float impulse;  ///< [N s]
  Vec3 normal;
};

/// Which events are kept.
struct EventSettings {
  bool enabled = false;
  float hit_speed = 1.0f;  ///< [m/s]
};

}  // namespace talus
