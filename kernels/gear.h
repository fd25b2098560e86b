// SPDX-License-Identifier: MIT
// gear_joint() as a kind of joint like those of callers.
#pragma once
#include <talus/custom_joint.h>

namespace talus::inline TALUS_ISA {

/// Parameters: ratio, axis of a, axis of b, in the world. The joint's frames were the world's axes when it was made, so
/// they are the rotations of the bodies since. Rows 4 and 5 hold nothing: they count the turns of each body.
struct GearRow {
  TALUS_HD void operator()(const JointPlace& at, CustomRow out[kAxisCount]) const {
    const float* p = at.parameters;
    const Vec3 axis_a{p[1], p[2], p[3]}, axis_b{p[4], p[5], p[6]}, none{0.0f, 0.0f, 0.0f};
    const float angle_a = joint_math::angle_about(at.frame_a().orientation, axis_a, at.last[4]);
    const float angle_b = joint_math::angle_about(at.frame_b().orientation, axis_b, at.last[5]);
    out[3] = {none, joint_math::operator*(-p[0], axis_a), axis_b, angle_b + p[0] * angle_a};
    out[4] = {none, joint_math::operator*(-1.0f, axis_a), none, angle_a};
    out[5] = {none, none, axis_b, angle_b};
  }
};

}  // namespace talus::inline TALUS_ISA
