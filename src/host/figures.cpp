// SPDX-License-Identifier: MIT
#include <talus/figures.h>
#include <talus/world.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "pose.h"
#include "shapes/mass.h"
#include "validate.h"

namespace talus {

namespace {

constexpr std::array kTurns{Axis::twist, Axis::swing_y, Axis::swing_z};
constexpr std::array kTurnNames{".twist", ".swing_y", ".swing_z"};

AxisRange range_of(const Segment& segment, Axis turn) {
  return turn == Axis::twist ? segment.twist : turn == Axis::swing_y ? segment.swing_y : segment.swing_z;
}
float angle_of(Vec3 angles, Axis turn) {
  return turn == Axis::twist ? angles.x : turn == Axis::swing_y ? angles.y : angles.z;
}

[[noreturn]] void refuse(const Segment& segment, const std::string& what) {
  throw Error("skeleton: segment \"" + segment.name + "\": " + what);
}

void check_angles(const Segment& segment, const char* what, Vec3 angles) {
  for (std::size_t turn = 0; turn < kTurns.size(); ++turn) {
    const AxisRange range = range_of(segment, kTurns[turn]);
    const float angle = angle_of(angles, kTurns[turn]);
    if (angle >= range.lower && angle <= range.upper) continue;
    refuse(segment, std::string(what) + kTurnNames[turn] + " = " + number_text(angle) + ", must be " +
                        number_text(range.lower) + ".." + number_text(range.upper));
  }
}

// Swings up to a right angle tell where an axis points.
void require_turn(const Where& where, const char* field, Vec3 angles) {
  constexpr float kRightAngle = 1.57f;  // [rad], a little less
  require_finite(where, field, angles);
  for (const float swing : {angles.y, angles.z}) require_range(where, field, swing, -kRightAngle, kRightAngle);
}

void check_segment(const Skeleton& skeleton, std::size_t index) {
  const Segment& segment = skeleton.segments[index];
  if (segment.name.empty()) throw Error("skeleton: segments[" + std::to_string(index) + "] has no name");
  const auto namesake = std::find_if(skeleton.segments.begin(), skeleton.segments.end(),
                                     [&](const Segment& other) { return other.name == segment.name; });
  if (namesake != skeleton.segments.begin() + static_cast<std::ptrdiff_t>(index)) refuse(segment, "comes twice");
  const std::string name = "segment \"" + segment.name + "\"";
  const Where where{"skeleton", name.c_str()};
  const int parent = segment.parent;
  if (index == 0 && parent != -1) reject(where, ".parent", std::to_string(parent), "the first segment is the root: -1");
  if (index > 0 && (parent < 0 || parent >= static_cast<int>(index))) {
    reject(where, ".parent", std::to_string(parent), "must be the index of an earlier segment");
  }
  validate_shape(where, segment.shape);
  if (segment.shape.type == ShapeType::plane) refuse(segment, "a plane cannot move");
  require_at_least_zero(where, ".mass", segment.mass);
  require_positive(where, ".density", segment.density);
  require_positive(where, ".inertia_scale", segment.inertia_scale);
  require_at_least_zero(where, ".strength", segment.strength);
  require_finite(where, ".pose.position", segment.pose.position);
  require_finite(where, ".joint.position", segment.joint.position);
  checked_orientation(where, ".pose.orientation", segment.pose.orientation);
  checked_orientation(where, ".joint.orientation", segment.joint.orientation);
  for (std::size_t turn = 0; turn < kTurns.size(); ++turn) {
    const AxisRange range = range_of(segment, kTurns[turn]);
    if (!(range.lower <= range.upper)) {
      refuse(segment, std::string(kTurnNames[turn] + 1) + ".lower = " + number_text(range.lower) +
                          ", must be <= upper = " + number_text(range.upper));
    }
    if (range.lower == range.upper && range.lower != 0.0f) {
      refuse(segment, std::string(kTurnNames[turn] + 1) + " = " + number_text(range.lower) +
                          ", an axis that does not turn must be held at 0: turn the joint's frame instead");
    }
  }
  require_turn(where, ".reference", segment.reference);
  require_turn(where, ".comfort", segment.comfort);
  check_angles(segment, "comfort", segment.comfort);
}

void check_skeleton(const Skeleton& skeleton) {
  const Where where{"skeleton", ""};
  if (skeleton.segments.empty()) throw Error("skeleton: has no segments");
  for (std::size_t i = 0; i < skeleton.segments.size(); ++i) check_segment(skeleton, i);
  require_positive(where, "full_angle", skeleton.full_angle);
  require_at_least_zero(where, "damping_time", skeleton.damping_time);
  require_at_least_zero(where, "friction_share", skeleton.friction_share);
}

BodyDef body_of(const Segment& segment) {
  BodyDef body;
  body.shape = segment.shape;
  const ShapeType type = segment.shape.type;
  const Vec3 size = segment.shape.size;
  const float mass = segment.mass > 0.0f ? segment.mass : segment.density * shape_volume(type, size);
  body.mass = mass;
  body.inertia = segment.inertia_scale * shape_inertia(type, size, mass);
  return body;
}

// One turning axis of a segment's joint, held at an angle.
AxisDef turning_axis(const Skeleton& skeleton, const Segment& segment, Axis turn, float strength) {
  const AxisRange range = range_of(segment, turn);
  AxisDef axis;
  if (range.lower == range.upper) {
    axis.mode = AxisMode::locked;
    return axis;
  }
  if (range.lower > -kUnlimited || range.upper < kUnlimited) axis.mode = AxisMode::limited;
  axis.lower = range.lower;
  axis.upper = range.upper;
  axis.friction = skeleton.friction_share * segment.strength;
  if (strength > 0.0f && segment.strength > 0.0f) {
    axis.drive = Drive::spring;  // a servo would be as stiff as its two bodies are heavy, but a joint moves all behind
    axis.target_position = angle_of(segment.comfort, turn);
    axis.max_force = strength * segment.strength;
    axis.stiffness = axis.max_force / skeleton.full_angle;
    axis.damping = axis.stiffness * skeleton.damping_time;
  }
  return axis;
}

// Frame b against frame a for angles as Axis defines them: the twist comes first, then one turn by both swings.
Pose turned_by(Vec3 angles) {
  const double y = double(angles.y), z = double(angles.z), size = std::sqrt(y * y + z * z);
  const double s = size > 0.0 ? std::sin(size / 2) / size : 0.5;
  const Quatd swing{0.0, s * y, s * z, std::cos(size / 2)};
  const double twist = double(angles.x) / 2;
  return {{0.0, 0.0, 0.0}, swing * Quatd{std::sin(twist), 0.0, 0.0, std::cos(twist)}};
}

}  // namespace

Assembly figure_assembly(const Skeleton& skeleton, const Transform& place, float strength) {
  check_skeleton(skeleton);
  const Where where{"figure", ""};
  require_finite(where, "place.position", place.position);
  require_at_least_zero(where, "strength", strength);
  const Pose origin = to_pose({place.position, checked_orientation(where, "place.orientation", place.orientation)});

  Assembly figure;
  std::vector<Pose> poses;  // of the segments in the world, not rounded
  for (const Segment& segment : skeleton.segments) {
    BodyDef body = body_of(segment);
    body.material = skeleton.material;
    const bool root = segment.parent < 0;
    Pose frame_a, frame_b;
    if (root) {
      poses.push_back(origin * to_pose(segment.pose));
    } else {
      const auto parent = static_cast<std::size_t>(segment.parent);
      frame_a = inverse(to_pose(skeleton.segments[parent].pose)) * to_pose(segment.joint) *
                inverse(turned_by(segment.reference));
      frame_b = inverse(to_pose(segment.pose)) * to_pose(segment.joint);
      poses.push_back(poses[parent] * frame_a * turned_by(segment.comfort) * inverse(frame_b));
    }
    const Transform pose = to_transform(poses.back());
    body.position = pose.position;
    body.orientation = pose.orientation;
    figure.bodies.push_back(body);
    if (root) continue;

    AssemblyJoint joint;
    joint.a = segment.parent;
    joint.b = static_cast<int>(figure.bodies.size()) - 1;
    const BodyDef& parent_body = figure.bodies[static_cast<std::size_t>(segment.parent)];
    set_frames(joint.def, frame_a, frame_b, {parent_body.position, parent_body.orientation}, pose);
    for (const Axis axis : {Axis::x, Axis::y, Axis::z}) joint.def.axis(axis).mode = AxisMode::locked;
    for (const Axis turn : kTurns) joint.def.axis(turn) = turning_axis(skeleton, segment, turn, strength);
    figure.joints.push_back(joint);
  }
  return figure;
}

Figure add_figure(World& world, const Skeleton& skeleton, const Transform& place, float strength) {
  Figure figure{skeleton, {}, {JointId{}}};
  figure.joints.reserve(skeleton.segments.size());  // before anything is in the world: nothing may fail after
  AssemblyIds ids = add_assembly(world, figure_assembly(skeleton, place, strength));
  figure.bodies = std::move(ids.bodies);
  figure.joints.insert(figure.joints.end(), ids.joints.begin(), ids.joints.end());
  return figure;
}

std::size_t Figure::segment(std::string_view name) const {
  const auto found = std::find_if(skeleton.segments.begin(), skeleton.segments.end(),
                                  [&](const Segment& candidate) { return candidate.name == name; });
  if (found == skeleton.segments.end()) throw Error("figure: no segment \"" + std::string(name) + "\"");
  return static_cast<std::size_t>(found - skeleton.segments.begin());
}

void Figure::set_strength(World& world, float strength) const {
  require_at_least_zero({"set_strength", "strength"}, "", strength);
  for (std::size_t i = 1; i < joints.size(); ++i) {
    for (const Axis turn : kTurns) {
      world.set_axis(joints[i], turn, turning_axis(skeleton, skeleton.segments[i], turn, strength));
    }
  }
}

void Figure::set_angles(World& world, std::string_view name, Vec3 angles) const {
  const std::size_t index = segment(name);
  if (index == 0) throw Error("set_angles: segment \"" + std::string(name) + "\" is the root: it has no joint");
  const Segment& turned = skeleton.segments[index];
  check_angles(turned, "set_angles", angles);
  for (const Axis turn : kTurns) {
    const AxisRange range = range_of(turned, turn);
    if (range.lower < range.upper) world.set_targets(joints[index], turn, angle_of(angles, turn), 0.0f);
  }
}

}  // namespace talus
