// SPDX-License-Identifier: MIT
// screw_joint: a joint that talus does not have, written in a few lines. A nut on an upright shaft falls, and its
// thread makes it turn, once for each 10 cm, until the shaft ends. Returns 1 if the nut leaves its thread by more than
// 1 mm: it does by 0.07 mm under its weight and by 0.6 mm when it hits the end.
#include <talus/talus.h>

#include <cmath>
#include <cstdio>

// Six rows between frame a, in the shaft, and frame b, in the nut; x is along the shaft. JointDef::axes says below
// which of them are held. In a .cu file the same code serves worlds on CUDA.
struct Screw {
  TALUS_HD void operator()(const talus::JointPlace& at, talus::CustomRow rows[6]) const {
    using namespace talus::joint_math;
    const talus::Vec3 x = at.axis_a(0), y = at.axis_a(1), z = at.axis_a(2), nut = at.axis_b(0);
    // Across the shaft: how far the origins are apart along y and z.
    rows[1] = at.push_row(y);
    rows[2] = at.push_row(z);
    // The turn about the shaft. `last` counts turns.
    rows[3] = at.turn_row(x, angle_about(at.turn(), {1, 0, 0}, at.last[3]));
    // How far the nut's axis leans over; the rate of y . nut is (nut x y) . (w_b - w_a).
    rows[4] = at.turn_row(cross(z, nut), -dot(z, nut));
    rows[5] = at.turn_row(cross(nut, y), dot(y, nut));
    // The thread: advance - pitch * angle. Rows are linear in the velocities, so they add up like their coordinates.
    const float pitch = at.parameters[0];  // [m/rad]
    rows[0] = at.push_row(x);
    rows[0].error -= pitch * rows[3].error;
    rows[0].turn_a = rows[0].turn_a - pitch * rows[3].turn_a;
    rows[0].turn_b = rows[0].turn_b - pitch * rows[3].turn_b;
  }
};

int main() {
  talus::World world(talus::WorldDef{.backend = talus::Backend::cpu});
  const talus::BodyId nut =
      world.add_body({.shape = talus::box({0.1f, 0.05f, 0.1f}), .mass = 1, .position = {0, 5, 0}});

  talus::JointDef joint = talus::cylindrical_joint(talus::kWorld, nut, {0, 5, 0}, {0, 1, 0});  // locks rows 1, 2, 4, 5
  joint.kind = world.add_joint_kind(talus::joint_kind(Screw{}));
  joint.parameters[0] = 0.1f / (2 * 3.14159265f);
  joint.axis(talus::Axis::x).mode = talus::AxisMode::locked;       // row 0: the nut stays on its thread
  joint.axis(talus::Axis::twist).mode = talus::AxisMode::limited;  // row 3: the shaft ends after 20 turns
  joint.axis(talus::Axis::twist).lower = -20 * 2 * 3.14159265f;
  joint.axis(talus::Axis::twist).upper = talus::kUnlimited;
  const talus::JointId screw = world.add_joint(joint);

  float worst = 0;
  for (int step = 0; step < 600; ++step) {
    world.step(1.0f / 60);
    const float height = world.position(nut).y - 5, angle = world.reading(screw).position[3];
    worst = std::fmax(worst, std::fabs(height - joint.parameters[0] * angle));
  }
  std::printf("fell %.3f m in %.2f turns; off the thread by at most %.3g m\n", double(5 - world.position(nut).y),
              double(-world.reading(screw).position[3] / (2 * 3.14159265f)), double(worst));
  return worst < 1e-3f ? 0 : 1;
}
