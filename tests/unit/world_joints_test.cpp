// SPDX-License-Identifier: MIT
// Joints of a world as data: ids, definitions, lists, errors and snapshots. What they do to bodies is tested elsewhere.
#include <gtest/gtest.h>
#include <talus/talus.h>

#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "state_hash.h"
#include "support/backends.h"
#include "support/scene.h"
#include "support/snapshot.h"

namespace talus::test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

void expect_near(Vec3 a, Vec3 b, float tolerance = 1e-5f) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}
Vec3 turned_by(Quat q, Vec3 v) {
  const auto cross = [](Vec3 a, Vec3 b) {
    return Vec3{a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  };
  const Vec3 u{q.x, q.y, q.z}, t = cross(u, v), tt = cross(u, t);
  return {v.x + 2 * (q.w * t.x + tt.x), v.y + 2 * (q.w * t.y + tt.y), v.z + 2 * (q.w * t.z + tt.z)};
}
void expect_equal(const AxisDef& x, const AxisDef& y) {
  EXPECT_EQ(x.mode, y.mode);
  EXPECT_EQ(x.drive, y.drive);
  EXPECT_EQ(x.lower, y.lower);
  EXPECT_EQ(x.upper, y.upper);
  EXPECT_EQ(x.target_position, y.target_position);
  EXPECT_EQ(x.target_velocity, y.target_velocity);
  EXPECT_EQ(x.stiffness, y.stiffness);
  EXPECT_EQ(x.damping, y.damping);
  EXPECT_EQ(x.max_force, y.max_force);
  EXPECT_EQ(x.friction, y.friction);
}

class WorldJointsTest : public OnBackend {
 protected:
  WorldJointsTest() : s(def()) {
    ground = s.ground();
    for (int i = 0; i < 4; ++i) bodies.push_back(s.box({3.0f * float(i), 5, 0}));
    stale = s.sphere({9, 9, 9});
    s.world.remove_body(stale);
  }
  /// The call throws an Error with all these words in it and changes nothing.
  template <class Call>
  void expect_error(const std::vector<std::string>& words, Call&& call) {
    const std::uint64_t before = s.hash();
    const std::vector<JointId> ids = s.world.joints();
    const std::string text = error_of(call);
    for (const std::string& word : words) EXPECT_NE(text.find(word), std::string::npos) << '"' << text << '"';
    EXPECT_NE(text, "");
    EXPECT_EQ(s.hash(), before) << text;
    EXPECT_EQ(s.world.joints(), ids);
  }
  void expect_bad(const std::vector<std::string>& words, const std::function<void(JointDef&)>& spoil) {
    JointDef d = hinge_joint(bodies[0], bodies[1], {1, 5, 0}, {0, 0, 1});
    spoil(d);
    expect_error(words, [&] { s.world.add_joint(d); });
    const std::array<JointDef, 2> defs{hinge_joint(kWorld, bodies[2], {}, {1, 0, 0}), d};
    expect_error({"add_joints: defs[1]"}, [&] { s.world.add_joints(defs); });
  }

  Scene s;
  BodyId ground, stale;
  std::vector<BodyId> bodies;
};
TALUS_INSTANTIATE_ON_BACKENDS(WorldJointsTest);

TEST_P(WorldJointsTest, ComeAndGo) {
  World& w = s.world;
  const JointId a = w.add_joint(ball_joint(kWorld, bodies[0], {0, 6, 0}));
  const std::array<JointDef, 2> more{ball_joint(bodies[0], bodies[1], {1, 5, 0}),
                                     ball_joint(bodies[1], bodies[2], {4, 5, 0})};
  const std::vector<JointId> ids = w.add_joints(more);
  EXPECT_EQ(w.joint_count(), 3);
  EXPECT_EQ(w.joints(), (std::vector<JointId>{a, ids[0], ids[1]}));
  EXPECT_EQ(w.step(kStep).joint_count, 3);
  w.remove_joint(ids[0]);
  EXPECT_FALSE(w.contains(ids[0]));
  EXPECT_TRUE(w.contains(ids[1]));
  const JointId again = w.add_joint(ball_joint(bodies[2], bodies[3], {7, 5, 0}));
  EXPECT_EQ(again.slot, ids[0].slot) << "the lowest free slot";
  EXPECT_NE(again, ids[0]);
  EXPECT_TRUE(w.add_joints({}).empty());
  EXPECT_EQ(w.step(kStep).joint_count, 3);
  for (const JointId id : w.joints()) w.remove_joint(id);
  EXPECT_EQ(w.step(kStep).joint_count, 0);
  EXPECT_FALSE(w.contains(JointId{}));
}

TEST_P(WorldJointsTest, DefinitionComesBackAndGoesInAgain) {
  World& w = s.world;
  JointDef d = slider_joint(bodies[0], bodies[1], {1, 2, 3}, {1, 2, 2});
  d.axis(Axis::x) = {AxisMode::limited, -kInf, 0.5f, Drive::servo, 0.1f, 0.2f, 3.0f, 0.7f, 100.0f, 2.0f};
  d.collide = true;
  d.limit_hertz = 5;
  d.limit_restitution = 0.25f;
  d.break_force = 1000;
  const JointId id = w.add_joint(d);
  const JointDef back = w.definition(id);
  EXPECT_EQ(back.a, d.a);
  EXPECT_EQ(back.b, d.b);
  EXPECT_TRUE(back.frames_in_bodies && back.collide && !back.radial);
  for (int axis = 0; axis < kAxisCount; ++axis) expect_equal(back.axes[std::size_t(axis)], d.axes[std::size_t(axis)]);
  EXPECT_EQ(back.limit_hertz, 5);
  EXPECT_EQ(back.limit_restitution, 0.25f);
  EXPECT_EQ(back.break_force, 1000);
  EXPECT_EQ(back.break_torque, kInf);
  expect_near(back.frame_a.position, {1, -3, 3});
  expect_near(back.frame_b.position, {-2, -3, 3});
  const std::uint64_t before = s.hash();
  w.remove_joint(id);
  const JointId again = w.add_joint(back);
  EXPECT_EQ(again.slot, id.slot);
  EXPECT_NE(s.hash(), before) << "the generation counts";
  const JointDef twice = w.definition(again);
  EXPECT_EQ(twice.frame_a.orientation.x, back.frame_a.orientation.x);
  EXPECT_EQ(twice.frame_b.orientation.w, back.frame_b.orientation.w);
}

TEST_P(WorldJointsTest, FramesFollowThePoseOfTheBodies) {
  World& w = s.world;
  const float half = std::sqrt(0.5f);
  w.set_pose(bodies[0], {{1, 2, 3}, {0, 0, half, half}});  // a quarter turn about z
  const JointDef back = w.definition(w.add_joint(hinge_joint(bodies[0], kWorld, {1, 4, 3}, {0, 5, 0})));
  expect_near(back.frame_a.position, {2, 0, 0});
  expect_near(turned_by(back.frame_a.orientation, {1, 0, 0}), {1, 0, 0});
  EXPECT_EQ(back.b, kWorld);
  expect_near(back.frame_b.position, {1, 4, 3});
  expect_near(turned_by(back.frame_b.orientation, {1, 0, 0}), {0, 1, 0});
}

TEST_P(WorldJointsTest, AxesAndTargetsChange) {
  World& w = s.world;
  const JointId id = w.add_joint(hinge_joint(kWorld, bodies[0], {0, 5, 0}, {0, 0, 1}));
  AxisDef drive{.drive = Drive::servo, .stiffness = 2.0f, .damping = 1.0f, .max_force = 10.0f};
  w.set_axis(id, Axis::twist, drive);
  w.step_async(kStep);
  w.set_targets(id, Axis::twist, 0.5f, -1.0f);
  drive.target_position = 0.5f;
  drive.target_velocity = -1.0f;
  expect_equal(w.definition(id).axis(Axis::twist), drive);
  if (!on_cuda()) {  // plain pointers
    const DeviceView view = w.device_view();
    ASSERT_EQ(view.joint_count, 1);
    EXPECT_EQ(view.joint_alive[0], 1);
    EXPECT_EQ(view.joint_broken[0], 0);
    EXPECT_EQ(view.joint_target_angular[0].x, 0.5f);
    view.joint_target_angular.set(0, {0.75f, 0, 0});
    view.joint_max_torque.x[0] = 1e30f;
    drive.target_position = 0.75f;
    drive.max_force = kInf;
    expect_equal(w.definition(id).axis(Axis::twist), drive);
    w.set_axis(id, Axis::swing_y, AxisDef{});
    expect_equal(w.definition(id).axis(Axis::twist), drive);
  }
}

TEST_P(WorldJointsTest, ReadingsAreZeroBeforeTheFirstStep) {
  World& w = s.world;
  const JointId id = w.add_joint(ball_joint(kWorld, bodies[0], {0, 6, 0}));
  const JointReading r = w.reading(id);
  EXPECT_FALSE(r.broken);
  EXPECT_EQ(r.force.y, 0.0f);
  for (const float x : r.position) EXPECT_EQ(x, 0.0f);
  std::array<JointReading, 1> out;
  w.read_joints(std::array{id}, out);
  EXPECT_EQ(out[0].position, r.position);
  w.read_joints({}, {});
  expect_error({"read_joints: out has 1 elements for 0 joints"}, [&] { w.read_joints({}, out); });
  expect_error({"read_joints: joints[0]", "names no joint"}, [&] { w.read_joints(std::array{JointId{}}, out); });
}

TEST_P(WorldJointsTest, ColumnsOfReadingsAreThereIfAskedFor) {
  if (on_cuda()) GTEST_SKIP() << "plain pointers; tests/agree compares the columns";
  for (const bool asked : {false, true}) {
    WorldDef d = def();
    d.joint_readings = asked;
    Scene scene(d);
    const BodyId upper = scene.box({0, 5, 0}), lower = scene.box({0, 3.5f, 0.2f});
    std::vector<JointDef> defs{hinge_joint(kWorld, upper, {0.4f, 5.8f, 0}, {0, 0, 1}),
                               ball_joint(upper, lower, {0.1f, 4.2f, 0}),
                               distance_joint(kWorld, lower, {2, 3, 0}, {0, 3.5f, 0.2f}, 1.0f, 2.2f)};
    World& w = scene.world;
    const std::vector<JointId> ids = w.add_joints(defs);
    w.step_n(40, kStep);
    const DeviceView view = w.device_view();
    EXPECT_EQ(view.joint_position_linear.x != nullptr, asked);
    EXPECT_EQ(view.joint_velocity_angular.x != nullptr, asked);
    ASSERT_NE(view.joint_force.x, nullptr);
    std::vector<JointReading> readings(ids.size());
    w.read_joints(ids, readings);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const Index row = static_cast<Index>(ids[i].slot);
      EXPECT_EQ(readings[i].force.y, view.joint_force[row].y);
      EXPECT_EQ(readings[i].position, w.reading(ids[i]).position);
      if (!asked) continue;
      const Vec3 p = view.joint_position_linear[row], q = view.joint_position_angular[row];
      const Vec3 v = view.joint_velocity_linear[row], r = view.joint_velocity_angular[row];
      EXPECT_EQ(readings[i].position, (std::array{p.x, p.y, p.z, q.x, q.y, q.z})) << i;
      EXPECT_EQ(readings[i].velocity, (std::array{v.x, v.y, v.z, r.x, r.y, r.z})) << i;
    }
    EXPECT_GT(std::fabs(readings[0].velocity[3]) + std::fabs(readings[1].velocity[4]), 1e-3f) << "something moves";
  }
}

TEST_P(WorldJointsTest, RemovingABodyRemovesItsJoints) {
  World& w = s.world;
  std::vector<JointDef> defs;
  for (int i = 0; i + 1 < 4; ++i) defs.push_back(ball_joint(bodies[i], bodies[i + 1], {1.5f + 3.0f * float(i), 5, 0}));
  defs.push_back(ball_joint(bodies[0], bodies[3], {}));
  const std::vector<JointId> ids = w.add_joints(defs);
  w.remove_body(bodies[1]);
  EXPECT_EQ(w.joints(), (std::vector<JointId>{ids[2], ids[3]}));
  w.step(kStep);
  const BodyId next = s.box({3, 5, 0});
  EXPECT_EQ(next.slot, bodies[1].slot);
  EXPECT_EQ(w.joint_count(), 2) << "a new body in the slot has none";
  w.remove_bodies(std::array{bodies[2], bodies[3]});
  EXPECT_EQ(w.joint_count(), 0);
  w.step(kStep);
}

TEST_P(WorldJointsTest, CoupledBodiesPassThroughEachOther) {
  Scene two(def());
  World& w = two.world;
  w.set_gravity({0, 0, 0});
  const BodyId a = two.sphere({0, 0, 0}), b = two.sphere({0.8f, 0, 0});
  const auto contacts = [&] { return w.step(1e-4f).contact_count; };
  EXPECT_EQ(contacts(), 1);
  const JointId first = w.add_joint(ball_joint(a, b, {0.4f, 0, 0})), second = w.add_joint(ball_joint(b, a, {}));
  EXPECT_EQ(contacts(), 0);
  w.remove_joint(first);
  EXPECT_EQ(contacts(), 0) << "the other one still couples them";
  w.ignore_pair(a, b);
  w.remove_joint(second);
  EXPECT_EQ(contacts(), 0) << "the caller's own wish stands";
  const JointId third = w.add_joint(ball_joint(a, b, {0.4f, 0, 0}));
  w.collide_pair(a, b);
  EXPECT_EQ(contacts(), 0) << "and so does the joint's";
  w.remove_joint(third);
  EXPECT_EQ(contacts(), 1);
  JointDef touching = ball_joint(a, b, {0.4f, 0, 0});
  touching.collide = true;
  w.add_joint(touching);
  EXPECT_EQ(contacts(), 1);
}

TEST_P(WorldJointsTest, BodiesMayGrowAfterJoints) {
  World& w = s.world;
  w.add_joint(ball_joint(kWorld, bodies[0], {0, 6, 0}));
  w.step(kStep);
  w.add_bodies(std::vector<BodyDef>(200, Scene::body(sphere(0.1f), {0, 50, 0}, 1.0f)));
  std::vector<JointDef> defs(150, ball_joint(kWorld, bodies[1], {3, 6, 0}));
  w.add_joints(defs);
  w.step(kStep);
  EXPECT_EQ(w.joint_count(), 151);
  expect_near(w.definition(w.joints().front()).frame_b.position, {0, 1, 0});
}

TEST_P(WorldJointsTest, BuildersChooseAxes) {
  const auto modes = [](const JointDef& d) {
    std::string text;
    for (const AxisDef& axis : d.axes) text += "fml"[int(axis.mode)];
    return text;
  };
  const BodyId a = bodies[0], b = bodies[1];
  EXPECT_EQ(modes(ball_joint(a, b, {})), "lllfff");
  EXPECT_EQ(modes(hinge_joint(a, b, {}, {0, 3, 0})), "lllfll");
  EXPECT_EQ(modes(universal_joint(a, b, {}, {0, 2, 0}, {5, 0, 0})), "lllffl");
  EXPECT_EQ(modes(slider_joint(a, b, {}, {1, 1, 1})), "flllll");
  EXPECT_EQ(modes(cylindrical_joint(a, b, {}, {1, 1, 1})), "fllfll");
  EXPECT_EQ(modes(weld_joint(a, b, {})), "llllll");
  const JointDef rod = distance_joint(a, b, {0, 5, 0}, {3, 5, 0}, 3, 3);
  EXPECT_EQ(modes(rod), "mfffff");
  EXPECT_TRUE(rod.radial);
  EXPECT_EQ(modes(motor_joint(a, b, {}, 5, 10, 20)), "ffffff");
  EXPECT_EQ(motor_joint(a, b, {}, 5, 10, 20).axis(Axis::swing_z).max_force, 20);
  EXPECT_EQ(drag_joint(b, {}, 5, 10).a, kWorld);
  const std::vector<JointDef> all{ball_joint(a, b, {}),
                                  hinge_joint(a, b, {}, {0, 3, 0}),
                                  universal_joint(a, b, {}, {0, 2, 0}, {5, 0, 0}),
                                  slider_joint(a, b, {}, {1, 1, 1}),
                                  cylindrical_joint(a, b, {}, {1, 1, 1}),
                                  weld_joint(a, b, {}),
                                  rod,
                                  motor_joint(a, b, {}, 5, 10, 20),
                                  drag_joint(b, {}, 5, 10)};
  const std::vector<JointId> ids = s.world.add_joints(all);
  const JointDef back = s.world.definition(ids[6]);
  expect_near(back.frame_a.position, {0, 0, 0});
  expect_near(back.frame_b.position, {0, 0, 0});
}

TEST_P(WorldJointsTest, FramesPointAlongTheirAxis) {
  for (const Vec3 axis : {Vec3{1, 0, 0}, Vec3{-1, 0, 0}, Vec3{0, -2, 0}, Vec3{0, 0, 1e-6f}, Vec3{1e20f, 0, 1e20f},
                          Vec3{0.3f, -0.4f, -0.866f}, Vec3{-1, -1, 0.01f}}) {
    const Transform frame = frame_along({1, 2, 3}, axis);
    const double l = std::sqrt(double(axis.x) * axis.x + double(axis.y) * axis.y + double(axis.z) * axis.z);
    expect_near(turned_by(frame.orientation, {1, 0, 0}), {float(axis.x / l), float(axis.y / l), float(axis.z / l)});
    EXPECT_EQ(frame.position.y, 2.0f);
  }
  const JointDef cardan = universal_joint(kWorld, bodies[0], {}, {0, 0, 3}, {0, -1, 0.0005f});
  expect_near(turned_by(cardan.frame.orientation, {1, 0, 0}), {0, -1, 0.0005f});
  expect_near(turned_by(cardan.frame.orientation, {0, 1, 0}), {0, 0, 1}, 1e-3f);
  expect_error({"frame_along: x_axis", "of length 0"}, [] { frame_along({}, {0, 0, 0}); });
  expect_error({"hinge_joint: axis.y = nan"}, [&] { hinge_joint(kWorld, bodies[0], {}, {0, kNan, 0}); });
  expect_error({"universal_joint", "arm_a and arm_b"}, [&] {
    universal_joint(kWorld, bodies[0], {}, {1, 0, 0}, {1, 1, 0});
  });
}

TEST_P(WorldJointsTest, BadJointsAreNamedAndRefused) {
  s.world.add_joint(ball_joint(kWorld, bodies[3], {9, 6, 0}));
  const auto twist = [](JointDef& d) -> AxisDef& { return d.axis(Axis::twist); };
  expect_bad({"def.a = {slot 5", "names no body"}, [&](JointDef& d) { d.a = stale; });
  expect_bad({"def.b", "names no body"}, [&](JointDef& d) { d.b = BodyId{77, 0}; });
  expect_bad({"the same body"}, [&](JointDef& d) { d.a = d.b; });
  expect_bad({"both the world"}, [&](JointDef& d) { d.a = d.b = kWorld; });
  expect_bad({"neither a nor b is dynamic"}, [&](JointDef& d) { d.a = ground, d.b = kWorld; });
  expect_bad({"def.frame.position.y = nan"}, [&](JointDef& d) { d.frame.position.y = kNan; });
  expect_bad({"def.frame.orientation", "length 1"}, [&](JointDef& d) { d.frame.orientation = {1, 1, 0, 0}; });
  expect_bad({"def.frame_b.orientation"}, [&](JointDef& d) {
    d.frames_in_bodies = true;
    d.frame_b.orientation = {0, 0, 0, 0};
  });
  expect_bad({"point_b"}, [&](JointDef& d) {
    d.frames_in_bodies = true;
    d.point_b = Vec3{0, 0, 0};
  });
  expect_bad({"def.axes[twist].target_position = nan"}, [&](JointDef& d) { twist(d).target_position = kNan; });
  expect_bad({"def.axes[twist].target_velocity = inf"}, [&](JointDef& d) { twist(d).target_velocity = kInf; });
  expect_bad({"def.axes[twist].stiffness = -1"}, [&](JointDef& d) { twist(d).stiffness = -1; });
  expect_bad({"def.axes[twist].damping = -1"}, [&](JointDef& d) { twist(d).damping = -1; });
  expect_bad({"def.axes[twist].friction = -1"}, [&](JointDef& d) { twist(d).friction = -1; });
  expect_bad({"def.axes[twist].max_force = nan"}, [&](JointDef& d) { twist(d).max_force = kNan; });
  expect_bad({"def.axes[twist].lower = 2", "upper = 1"},
             [&](JointDef& d) { twist(d) = {.mode = AxisMode::limited, .lower = 2, .upper = 1}; });
  expect_bad({"def.axes[twist].upper = nan"},
             [&](JointDef& d) { twist(d) = {.mode = AxisMode::limited, .lower = 2, .upper = kNan}; });
  expect_bad({"def.axes[twist].stiffness = 0", "servo"}, [&](JointDef& d) { twist(d).drive = Drive::servo; });
  expect_bad({"def.axes[swing_y].drive", "locked"},
             [&](JointDef& d) { d.axis(Axis::swing_y).drive = Drive::velocity; });
  expect_bad({"def.axes[swing_y].friction", "locked"}, [&](JointDef& d) { d.axis(Axis::swing_y).friction = 1; });
  expect_bad({"def.axes[z].mode = 3"}, [&](JointDef& d) { d.axis(Axis::z).mode = AxisMode(3); });
  expect_bad({"def.axes[z].drive = 4"}, [&](JointDef& d) { d.axis(Axis::z).drive = Drive(4); });
  expect_bad({"def.axes[x].mode = locked"}, [&](JointDef& d) { d.radial = true; });
  expect_bad({"def.axes[y].mode", "radial"}, [&](JointDef& d) {
    d.radial = true;
    d.axis(Axis::x) = {};
  });
  expect_bad({"def.axes[x].lower = -1", "distance"}, [&](JointDef& d) {
    d = distance_joint(d.a, d.b, {}, {1, 0, 0}, -1, 1);
  });
  expect_bad({"do nothing"}, [&](JointDef& d) { d.axes = {}; });
  expect_bad({"def.limit_hertz = -1"}, [&](JointDef& d) { d.limit_hertz = -1; });
  expect_bad({"def.limit_damping_ratio = nan"}, [&](JointDef& d) { d.limit_damping_ratio = kNan; });
  expect_bad({"def.limit_restitution = 1.5"}, [&](JointDef& d) { d.limit_restitution = 1.5f; });
  expect_bad({"def.break_force = 0"}, [&](JointDef& d) { d.break_force = 0; });
  expect_bad({"def.break_torque = nan"}, [&](JointDef& d) { d.break_torque = kNan; });
}

TEST_P(WorldJointsTest, BadEditsAreRefused) {
  World& w = s.world;
  const JointId id = w.add_joint(hinge_joint(kWorld, bodies[3], {9, 6, 0}, {1, 0, 0}));
  const JointId servo = w.add_joint(drag_joint(bodies[2], {}, 5, 10));
  const JointId old = w.add_joint(ball_joint(kWorld, bodies[1], {}));
  w.remove_joint(old);
  expect_error({"remove_joint: joint = {slot 2", "names no joint"}, [&] { w.remove_joint(old); });
  expect_error({"definition: joint"}, [&] { w.definition(old); });
  expect_error({"reading: joint"}, [&] { w.reading(old); });
  expect_error({"set_targets: joint"}, [&] { w.set_targets(old, Axis::x, 0, 0); });
  expect_error({"set_targets: axis = 6"}, [&] { w.set_targets(id, Axis(6), 0, 0); });
  expect_error({"set_targets: position = nan"}, [&] { w.set_targets(id, Axis::twist, kNan, 0); });
  expect_error({"set_targets: velocity = inf"}, [&] { w.set_targets(id, Axis::twist, 0, kInf); });
  expect_error({"set_axis: axis = 9"}, [&] { w.set_axis(id, Axis(9), {}); });
  expect_error({"set_axis: def.stiffness = -2"}, [&] { w.set_axis(id, Axis::twist, {.stiffness = -2}); });
  w.set_axis(servo, Axis::x, {});
  w.set_axis(servo, Axis::y, {});
  expect_error({"do nothing"}, [&] { w.set_axis(servo, Axis::z, {}); });
}

TEST_P(WorldJointsTest, SnapshotKeepsThem) {
  World& w = s.world;
  const std::uint64_t without = s.hash();
  JointDef slide = slider_joint(bodies[0], bodies[1], {1, 2, 3}, {1, 2, 2});
  slide.axis(Axis::x) = {AxisMode::limited, -1, 0.5f, Drive::spring, 0.1f, 0.2f, 3.0f, 0.7f, 100.0f, 2.0f};
  const JointId first = w.add_joint(slide), second = w.add_joint(ball_joint(bodies[1], bodies[2], {4, 5, 0}));
  w.remove_joint(first);
  const JointId third = w.add_joint(slide);
  w.step_n(3, kStep);
  EXPECT_NE(s.hash(), without);
  World other(def());
  restore(other, saved(w));
  EXPECT_EQ(other.state_hash(), w.state_hash());
  EXPECT_EQ(other.joints(), (std::vector<JointId>{third, second}));
  expect_equal(other.definition(third).axis(Axis::x), slide.axis(Axis::x));
  for (int i = 0; i < 3; ++i) {
    w.step(kStep);
    other.step(kStep);
    ASSERT_EQ(other.state_hash(), w.state_hash());
  }
  other.remove_body(bodies[1]);
  EXPECT_EQ(other.joint_count(), 0);
  EXPECT_EQ(saved(w), saved(w));
}

// A snapshot whose payload was changed and whose hash was made right again.
std::string forged(const std::string& bytes, std::size_t at, char value) {
  constexpr std::size_t kHeader = 8 + 4 + 8 + 8;
  std::string next = bytes;
  next[at] = value;
  Hash64 hash;
  hash.add(next.data() + kHeader, next.size() - kHeader - 8);
  const std::uint64_t sum = hash.value();
  std::memcpy(next.data() + next.size() - 8, &sum, sizeof(sum));
  return next;
}

TEST_P(WorldJointsTest, BrokenSnapshotsAreRefused) {
  World& w = s.world;
  const std::string none = saved(w);
  w.add_joint(hinge_joint(kWorld, bodies[0], {0, 5, 0}, {0, 0, 1}));
  const std::string bytes = saved(w);
  const std::size_t joints_at = none.size() - 8 - sizeof(Index);  // their number, and then the joint
  const std::size_t collide_at = joints_at + sizeof(Index) + 4, alive_at = collide_at + 1, radial_at = alive_at + 1,
                    axes_at = radial_at + 1, body_a_at = axes_at + 4, body_b_at = body_a_at + 4;
  World other(def());
  const std::uint64_t before = other.state_hash();
  const auto expect_file_refused = [&](const std::string& file, const char* word) {
    const std::string text = error_of([&] { restore(other, file); });
    EXPECT_NE(text.find(word), std::string::npos) << '"' << text << '"';
    EXPECT_EQ(other.state_hash(), before);
  };
  const auto expect_refused = [&](std::size_t at, char value, const char* word) {
    expect_file_refused(forged(bytes, at, value), word);
  };
  expect_refused(joints_at + 3, char(0x80), "number of joints");
  expect_refused(joints_at, 2, "shorter");
  expect_refused(collide_at, 2, "neither collide nor pass");
  expect_refused(alive_at, 2, "neither dead nor alive");
  expect_refused(radial_at, 1, "joints[0]");
  expect_refused(axes_at + 3, 1, "no definition");
  expect_refused(axes_at, 3, "joints[0]");
  expect_refused(body_a_at, 77, "bodies that are not there");
  expect_refused(body_b_at, 0, "do not move");
  const std::size_t end = bytes.size() - 8;  // of the last number
  expect_file_refused(forged(forged(bytes, end - 1, 0x7f), end - 2, char(0x80)), "not finite");
  restore(other, forged(bytes, collide_at, 1));
  EXPECT_TRUE(other.definition(other.joints().front()).collide);
}

}  // namespace
}  // namespace talus::test
