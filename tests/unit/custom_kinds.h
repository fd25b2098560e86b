// SPDX-License-Identifier: MIT
// Functors for tests of joints of one's own, for either compiler.
#pragma once
#include <talus/talus.h>

namespace talus::test {

/// The usual six axes of a hinge or a ball, as a caller would write them. Swings are sines.
struct HingeRows {
  TALUS_HD void operator()(const JointPlace& at, CustomRow out[kAxisCount]) const {
    using namespace joint_math;
    const Vec3 x = at.axis_a(0), y = at.axis_a(1), z = at.axis_a(2), x_b = at.axis_b(0);
    for (int i = 0; i < 3; ++i) out[i] = at.push_row(at.axis_a(i));
    out[3] = JointPlace::turn_row(x, angle_about(at.turn(), {1, 0, 0}, at.last[3]));
    // d/dt (-z . x_b) = -(w_a x z) . x_b - z . (w_b x x_b) = (w_b - w_a) . (z x x_b)
    out[4] = JointPlace::turn_row(cross(z, x_b), -dot(z, x_b));
    out[5] = JointPlace::turn_row(cross(x_b, y), dot(y, x_b));
  }
};

/// advance = pitch * angle: parameters are the pitch [m/rad]. Row 0 is what is missing, row 3 the angle.
struct ScrewRows {
  TALUS_HD void operator()(const JointPlace& at, CustomRow out[kAxisCount]) const {
    using namespace joint_math;
    const float pitch = at.parameters[0];
    HingeRows{}(at, out);
    out[0].error = out[0].error - pitch * out[3].error;
    out[0].turn_a = out[0].turn_a - pitch * out[3].turn_a;
    out[0].turn_b = out[0].turn_b - pitch * out[3].turn_b;
  }
};

struct BadRows {
  TALUS_HD void operator()(const JointPlace& at, CustomRow out[kAxisCount]) const {
    HingeRows{}(at, out);
    out[0].error = at.parameters[0] / at.parameters[0];  // NaN for 0
    out[3].direction = {100, 100, 100};                  // a turning row has none
  }
};

}  // namespace talus::test
