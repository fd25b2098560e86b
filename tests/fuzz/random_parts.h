// SPDX-License-Identifier: MIT
// Random definitions: sane ones, extreme ones, and such with numbers that no world takes.
#pragma once
#include <talus/talus.h>

#include <vector>

#include "fuzz.h"

namespace talus::fuzz {

enum class Wildness { sane, extreme, special };

/// Random values of one call.
struct Values {
  Random& random;
  Wildness wild;

  float special();  ///< NaN, infinite, zero, denormal, huge
  float position();
  float speed();
  float size();
  float mass();
  float between(float low, float high);
  Vec3 point() { return {position(), position(), position()}; }
  Vec3 velocity() { return {speed(), speed(), speed()}; }
  Vec3 direction();
  Quat orientation();
  float time_step();

 private:
  bool extremely(double p) { return wild != Wildness::sane && random.chance(p); }
  bool specially(double p) { return wild == Wildness::special && random.chance(p); }
};

WorldDef random_world(Values v, int threads);
Material random_material(Values v);
MaterialPair random_material_pair(Values v);
BodyDef random_body(Values v, const std::vector<MaterialId>& materials);
AxisDef random_axis(Values v);
/// `kinds`: that add_joint_kind() gave.
JointDef random_joint(Values v, BodyId a, BodyId b, const std::vector<int>& kinds);

/// A kind of joint whose rows are now and then infinite or without a direction.
struct WildJoint {
  TALUS_HD void operator()(const JointPlace& at, CustomRow rows[6]) const {
    for (int i = 0; i < 3; ++i) rows[i] = at.push_row(at.axis_a(i));
    const float p = at.parameters[0];
    rows[3] = JointPlace::turn_row(at.axis_a(0), joint_math::angle_about(at.turn(), {1, 0, 0}, at.last[3]));
    if (p > 1e3f) rows[1].error = p * 1e38f * 10.0f;
    if (p < -1e3f) rows[2].direction = {0, 0, 0};
  }
};

}  // namespace talus::fuzz
