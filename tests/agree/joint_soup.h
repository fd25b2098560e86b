// SPDX-License-Identifier: MIT
// A scene with every kind of joint: for comparisons between machines, not for looks.
#pragma once
#include <talus/talus.h>

#include <vector>

namespace talus::test {

/// Pairs of bodies with all axes in all modes, chains and loops, over a floor and beside a turning kinematic body.
inline void add_joint_soup(World& world) {
  world.add_body({.shape = plane({0, 1, 0})});
  const BodyId arm = world.add_body({.shape = box({1, 0.1f, 0.1f}),
                                     .motion = Motion::kinematic,
                                     .position = {-1, 2, 0},
                                     .angular_velocity = {0, 0.5f, 0.2f}});
  std::vector<JointDef> joints;
  std::vector<BodyId> hanging;
  const auto add = [&](int i, Vec3 at) {
    const float size = 0.2f + 0.02f * static_cast<float>(i % 5);
    BodyDef body;
    body.shape = i % 3 == 0   ? sphere(size)
                 : i % 3 == 1 ? box({size, 1.2f * size, 0.7f * size})
                              : capsule(0.5f * size, size);
    body.position = at;
    body.linear_velocity = {0.3f * static_cast<float>(i % 3), 0.2f, -0.4f};
    body.angular_velocity = {static_cast<float>(i % 4), 1.0f - static_cast<float>(i % 3), 2.0f};
    return world.add_body(body);
  };
  for (int i = 0; i < 40; ++i) {
    const Vec3 at{0.9f * static_cast<float>(i % 8), 0.6f + 0.9f * static_cast<float>(i / 8), 0};
    const BodyId body = add(i, at);
    const bool anchored = i % 8 == 0;
    const BodyId other = anchored ? (i % 16 == 0 ? kWorld : arm) : hanging.back();
    const Vec3 middle{at.x - 0.45f, at.y, at.z}, axis{0.2f, 1, 0.3f * static_cast<float>(i % 3)};
    JointDef joint;
    switch (i % 8) {
      case 0:
        joint = ball_joint(other, body, middle);
        break;
      case 1:
        joint = hinge_joint(body, other, middle, axis);
        break;
      case 2:
        joint = universal_joint(other, body, middle, {0, 1, 0}, {1, 0, 0});
        break;
      case 3:
        joint = slider_joint(other, body, middle, axis);
        break;
      case 4:
        joint = cylindrical_joint(body, other, middle, axis);
        break;
      case 5:
        joint = weld_joint(other, body, middle);
        break;
      case 6:
        joint = distance_joint(other, body, {at.x - 0.9f, at.y, at.z}, at, 0.5f, i < 20 ? 1.0f : 0.5f);
        break;
      default:
        joint = motor_joint(other, body, middle, 5, 50, 10);
        break;
    }
    for (int k = 0; k < kAxisCount; ++k) {  // something more on the free axes
      AxisDef& a = joint.axes[static_cast<std::size_t>(k)];
      if (a.mode != AxisMode::free || joint.radial) continue;
      if ((i + k) % 3 == 0)
        a = {.mode = AxisMode::limited,
             .lower = -0.1f,
             .upper = 0.2f,
             .drive = a.drive,
             .stiffness = a.stiffness,
             .damping = a.damping,
             .max_force = a.max_force};
      if ((i + k) % 4 == 1 && a.drive == Drive::none) {
        a.drive = Drive::velocity;
        a.target_velocity = 1.5f;
        a.max_force = 20;
      }
      if ((i + k) % 5 == 2 && a.drive == Drive::none) {
        a.drive = Drive::spring;
        a.stiffness = 30;
        a.damping = 2;
      }
      if ((i + k) % 4 == 3) a.friction = 3;
    }
    if (i % 7 == 3) joint.limit_restitution = 0.5f;
    if (i % 7 == 5) joint.limit_hertz = 8;
    if (i % 9 == 4) joint.break_force = 400;
    joints.push_back(joint);
    hanging.push_back(body);
  }
  for (std::size_t i = 0; i + 2 < hanging.size(); i += 5) {  // loops, within a row
    if (i % 8 > 5) continue;
    joints.push_back(ball_joint(hanging[i], hanging[i + 2], world.position(hanging[i + 2])));
    joints.back().collide = true;
  }
  world.add_joints(joints);
}

}  // namespace talus::test
