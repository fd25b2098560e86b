// SPDX-License-Identifier: MIT
// The six coordinates of a joint and their rates, from the state of its bodies.
#pragma once
#include "columns.h"
#include "joint_columns.h"
#include "joint_geometry.h"
#include "math/vec3.h"

namespace talus::inline TALUS_ISA {

/// A body between two steps; the world is one at the origin.
struct JointedBody {
  Vec3 position{0.0f, 0.0f, 0.0f};
  Quat orientation = kIdentity;
  Vec3 linear{0.0f, 0.0f, 0.0f}, angular{0.0f, 0.0f, 0.0f};  // [m/s], [rad/s]
};

struct JointCoordinates {
  float position[kAxisCount];  // [m, rad]
  float rate[kAxisCount];      // [m/s, rad/s]
};

/// Of joints with the usual axes. twist: [rad] the last one, from which the turns are counted.
TALUS_INLINE JointCoordinates joint_coordinates(const JointFrames<float>& frames, const JointedBody& a,
                                                const JointedBody& b, bool radial, int lone, float twist) {
  const Vec3 none{0.0f, 0.0f, 0.0f}, unit{1.0f, 1.0f, 1.0f};
  const JointBody<float> body_a{a.orientation, kIdentity, none, unit, 0.0f};
  const JointBody<float> body_b{b.orientation, kIdentity, none, unit, 0.0f};
  JointFrames<float> at = frames;
  at.offset = b.position - a.position;
  const JointArms<float> arms = joint_arms(at, body_a, body_b);
  const LinearAxes<float> l = linear_axes<float>(at, body_a, arms, radial);
  const TurningAxes<float> t = turning_axes(at, body_a, body_b, float(lone), lone != 0);
  const Vec3 apart = b.linear - a.linear, turning = b.angular - a.angular;
  JointCoordinates c;
  for (int i = 0; i < 3; ++i) {
    const Vec3 along = l.direction[i];
    c.position[i] = component(l.position, i);
    c.rate[i] = dot(along, apart) + (dot(cross(arms.b, along), b.angular) - dot(cross(arms.a, along), a.angular));
    c.position[3 + i] = component(t.position, i);
    c.rate[3 + i] = dot(t.turn[i], turning);
  }
  c.position[3] = unwrapped(c.position[3], twist);
  return c;
}

/// Keeps the columns of coordinates and rates up to date, for those who read them where they are. One element is one
/// joint.
struct ReadJoint {
  JointModel model;
  BodyState bodies;
  JointState state;

  TALUS_HD void operator()(Index joint) const {
    if (model.alive[joint] == 0 || is_custom(model.kind[joint])) return;
    const JointFrames<float> frames{
        {}, model.anchor_a[joint], model.anchor_b[joint], model.frame_a[joint], model.frame_b[joint]};
    const JointCoordinates c =
        joint_coordinates(frames, motion(model.body_a[joint]), motion(model.body_b[joint]),
                          model.kind[joint] == kRadial, lone_swing(model.axes[joint]), state.position_angular.x[joint]);
    state.position_linear.set(joint, {c.position[0], c.position[1], c.position[2]});
    state.position_angular.set(joint, {c.position[3], c.position[4], c.position[5]});
    state.velocity_linear.set(joint, {c.rate[0], c.rate[1], c.rate[2]});
    state.velocity_angular.set(joint, {c.rate[3], c.rate[4], c.rate[5]});
  }

 private:
  TALUS_HD JointedBody motion(Index body) const {
    if (body < 0) return {};
    return {bodies.position[body], bodies.orientation[body], bodies.linear_velocity[body],
            bodies.angular_velocity[body]};
  }
};

}  // namespace talus::inline TALUS_ISA
