// SPDX-License-Identifier: MIT
// Poses in double precision, for putting bodies and joints together: rounded once, at the end.
#pragma once
#include <talus/joint.h>
#include <talus/types.h>

#include "math/vec3.h"

namespace talus {

using Vec3d = Vec3Of<double>;
using Quatd = QuatOf<double>;

struct Pose {
  Vec3d position{0.0, 0.0, 0.0};  // [m]
  Quatd orientation{0.0, 0.0, 0.0, 1.0};
};

inline Pose to_pose(const Transform& t) {
  const Vec3 p = t.position;
  const Quat q = t.orientation;
  return {{double(p.x), double(p.y), double(p.z)}, {double(q.x), double(q.y), double(q.z), double(q.w)}};
}
inline Vec3 to_float(Vec3d v) {
  return {float(v.x), float(v.y), float(v.z)};
}
inline Transform to_transform(const Pose& pose) {
  const Quatd q = pose.orientation;
  return {to_float(pose.position), {float(q.x), float(q.y), float(q.z), float(q.w)}};
}

/// First b, then a.
inline Pose operator*(const Pose& a, const Pose& b) {
  return {a.position + rotate(a.orientation, b.position), a.orientation * b.orientation};
}
inline Pose inverse(const Pose& a) {
  return {-rotate_back(a.orientation, a.position), conjugate(a.orientation)};
}

/// Gives a joint its frames in two bodies that stand where they will be added. The origin of frame b is moved by what
/// was lost in rounding the poses, so that the anchors meet.
inline void set_frames(JointDef& def, const Pose& frame_a, const Pose& frame_b, const Transform& body_a,
                       const Transform& body_b) {
  def.frames_in_bodies = true;
  def.frame_a = to_transform(frame_a);
  def.frame_b = to_transform(frame_b);
  const Pose anchor = to_pose(body_a) * to_pose(def.frame_a);
  def.frame_b.position = to_float((inverse(to_pose(body_b)) * anchor).position);
}

}  // namespace talus
