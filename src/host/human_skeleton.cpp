// SPDX-License-Identifier: MIT
// A human of 18 segments. Lengths are those of a man of 1.8 m who stands with his arms down, masses follow the usual
// shares of 75 kg (trunk 45 %, legs 2 x 19 %, arms 2 x 5 %, head 7 %), ranges are what a healthy adult reaches.
// Moments of feet, toes and hands are raised: of 16 figures at rest on stairs the worst was 1.06 rad beyond a limit
// with those of their shapes (a toe under another figure), 0.05 rad with these; 4 sub-steps.
#include <talus/figures.h>

#include <string>
#include <utility>

#include "math/vec3.h"
#include "validate.h"

namespace talus {
namespace {

constexpr float kHeight = 1.8f;                 // [m] for which the numbers below are
constexpr float kHalfTurn = 0.70710678118655f;  // sine and cosine of 45 degrees

// Frames of joints by where x, the axis of the twist, points.
constexpr Quat kTwistLeft = kIdentity;                         // y up, z forward
constexpr Quat kTwistRight{0.0f, 1.0f, 0.0f, 0.0f};            // y up, z backward
constexpr Quat kTwistUp{kHalfTurn, kHalfTurn, 0.0f, 0.0f};     // y left, z backward
constexpr Quat kTwistDown{kHalfTurn, -kHalfTurn, 0.0f, 0.0f};  // y right, z backward

AxisRange degrees(float lower, float upper) {
  return {radians(lower), radians(upper)};
}
// The same range seen in a mirror, for axes along which left and right differ.
AxisRange mirrored(AxisRange range, bool right) {
  return right ? range : AxisRange{-range.upper, -range.lower};
}

class Builder {
 public:
  explicit Builder(float scale) : scale_(scale) {}

  // Adds a segment; the joint to the parent is at `joint`. Returns its index.
  int add(Segment segment, Vec3 centre, Vec3 joint, Quat joint_axes) {
    const float cube = scale_ * scale_ * scale_;
    segment.shape.size = scale_ * segment.shape.size;
    segment.mass *= cube;
    segment.strength *= cube * scale_;  // a weight times a length
    segment.pose = {scale_ * centre, kIdentity};
    segment.joint = {scale_ * joint, joint_axes};
    skeleton_.segments.push_back(std::move(segment));
    return static_cast<int>(skeleton_.segments.size()) - 1;
  }
  Skeleton take() { return std::move(skeleton_); }

 private:
  float scale_;
  Skeleton skeleton_;
};

void add_leg(Builder& build, int pelvis, bool right) {
  const std::string side = right ? "_right" : "_left";
  const float x = right ? -0.095f : 0.095f;
  const float out = right ? 1.0f : -1.0f;  // sign of a swing to the outside
  // swing_y lifts the knee forward, from 45 degrees; swing_z moves the leg to the outside, twist turns the foot.
  const int thigh = build.add({.name = "thigh" + side,
                               .parent = pelvis,
                               .shape = capsule(0.075f, 0.145f),
                               .mass = 10.0f,
                               .reference = {0.0f, radians(-45), 0.0f},
                               .twist = degrees(-40, 40),
                               .swing_y = degrees(-65, 65),
                               .swing_z = mirrored(degrees(-20, 40), right),
                               .comfort = {0.0f, radians(-33), out * radians(3)},
                               .strength = 150.0f},
                              {x, 0.70f, 0.0f}, {x, 0.92f, 0.0f}, kTwistDown);
  const int shin = build.add({.name = "shin" + side,
                              .parent = thigh,
                              .shape = capsule(0.05f, 0.155f),
                              .mass = 3.25f,
                              .twist = degrees(0, 140),
                              .comfort = {radians(20), 0.0f, 0.0f},
                              .strength = 120.0f},
                             {x, 0.28f, 0.0f}, {x, 0.48f, 0.0f}, kTwistLeft);
  // The twist lowers the toes; the swings are what an ankle gives sideways.
  const int foot = build.add({.name = "foot" + side,
                              .parent = shin,
                              .shape = box({0.045f, 0.035f, 0.095f}),
                              .mass = 0.85f,
                              .inertia_scale = 5.0f,
                              .twist = degrees(-25, 45),
                              .swing_y = degrees(-15, 15),
                              .swing_z = degrees(-15, 15),
                              .comfort = {radians(-8), 0.0f, 0.0f},
                              .strength = 60.0f},
                             {x, 0.035f, 0.035f}, {x, 0.08f, 0.0f}, kTwistLeft);
  build.add({.name = "toes" + side,
             .parent = foot,
             .shape = box({0.045f, 0.02f, 0.04f}),
             .mass = 0.2f,
             .inertia_scale = 20.0f,
             .twist = degrees(-60, 30),
             .strength = 8.0f},
            {x, 0.02f, 0.17f}, {x, 0.02f, 0.13f}, kTwistLeft);
}

void add_arm(Builder& build, int chest, bool right) {
  const std::string side = right ? "_right" : "_left";
  const float x = right ? -0.215f : 0.215f;
  const float out = right ? 1.0f : -1.0f;
  // Zero is an arm held forward and to the outside: swing_y lifts it forward, swing_z to the outside.
  const int upper_arm = build.add({.name = "upper_arm" + side,
                                   .parent = chest,
                                   .shape = capsule(0.045f, 0.115f),
                                   .mass = 2.0f,
                                   .reference = {0.0f, radians(-30), -out * radians(40)},
                                   .twist = degrees(-70, 70),
                                   .swing_y = degrees(-70, 70),
                                   .swing_z = mirrored(degrees(-45, 65), right),
                                   .comfort = {0.0f, radians(-30), -out * radians(22)},
                                   .strength = 50.0f},
                                  {x, 1.25f, 0.0f}, {x, 1.40f, 0.0f}, kTwistDown);
  const int forearm = build.add({.name = "forearm" + side,
                                 .parent = upper_arm,
                                 .shape = capsule(0.037f, 0.1f),
                                 .mass = 1.2f,
                                 .twist = degrees(0, 140),
                                 .comfort = {radians(25), 0.0f, 0.0f},
                                 .strength = 40.0f},
                                {x, 0.97f, 0.0f}, {x, 1.10f, 0.0f}, kTwistRight);
  // The twist is that of the whole forearm.
  build.add({.name = "hand" + side,
             .parent = forearm,
             .shape = box({0.02f, 0.09f, 0.04f}),
             .mass = 0.45f,
             .inertia_scale = 10.0f,
             .twist = degrees(-80, 80),
             .swing_y = degrees(-20, 30),
             .swing_z = degrees(-70, 70),
             .strength = 8.0f},
            {x, 0.75f, 0.0f}, {x, 0.84f, 0.0f}, kTwistDown);
}

}  // namespace

Skeleton human_skeleton(float height) {
  require_positive({"human_skeleton", "height"}, "", height);
  Builder build(height / kHeight);
  // In the spine and the neck swing_y bends forward, swing_z to the side.
  const int pelvis = build.add({.name = "pelvis", .shape = box({0.15f, 0.08f, 0.09f}), .mass = 8.5f}, {0, 0.97f, 0},
                               {0, 0, 0}, kIdentity);
  const int abdomen = build.add({.name = "abdomen",
                                 .parent = pelvis,
                                 .shape = box({0.13f, 0.07f, 0.085f}),
                                 .mass = 10.5f,
                                 .twist = degrees(-15, 15),
                                 .swing_y = degrees(-15, 30),
                                 .swing_z = degrees(-15, 15),
                                 .strength = 150.0f},
                                {0, 1.12f, 0}, {0, 1.05f, 0}, kTwistUp);
  const int chest = build.add({.name = "chest",
                               .parent = abdomen,
                               .shape = box({0.16f, 0.13f, 0.10f}),
                               .mass = 15.0f,
                               .twist = degrees(-20, 20),
                               .swing_y = degrees(-15, 30),
                               .swing_z = degrees(-15, 15),
                               .strength = 150.0f},
                              {0, 1.32f, 0}, {0, 1.19f, 0}, kTwistUp);
  build.add({.name = "head",
             .parent = chest,
             .shape = capsule(0.09f, 0.04f),
             .mass = 5.1f,
             .twist = degrees(-60, 60),
             .swing_y = degrees(-40, 40),
             .swing_z = degrees(-30, 30),
             .strength = 30.0f},
            {0, 1.67f, 0}, {0, 1.49f, 0}, kTwistUp);
  for (const bool right : {false, true}) {
    add_leg(build, pelvis, right);
    add_arm(build, chest, right);
  }
  return build.take();
}

}  // namespace talus
