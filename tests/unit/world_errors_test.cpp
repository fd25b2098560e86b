// SPDX-License-Identifier: MIT
// Bad arguments of every kind: the error names argument and value, and the world stays as it was, bit for bit.
#include <gtest/gtest.h>
#include <talus/talus.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "support/backends.h"
#include "support/scene.h"

namespace talus::test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

class WorldErrorsTest : public OnBackend {
 protected:
  WorldErrorsTest() : s(def()) {
    s.ground();
    good = s.box({0, 0.5f, 0});
    other = s.sphere({0, 1.6f, 0});
    stale = s.sphere({9, 9, 9});
    s.world.remove_body(stale);
    s.run(3);
  }
  /// The call throws an Error with all these words in it and changes nothing.
  template <class Call>
  void expect_error(const std::vector<std::string>& words, Call&& call) {
    const std::uint64_t before = s.hash();
    const std::uint64_t step = s.world.step_number();
    const std::string text = error_of(call);
    for (const std::string& word : words) EXPECT_NE(text.find(word), std::string::npos) << '"' << text << '"';
    EXPECT_NE(text, "");
    EXPECT_EQ(s.hash(), before) << text;
    EXPECT_EQ(s.world.step_number(), step);
    EXPECT_EQ(s.world.body_count(), 3);
  }
  void expect_bad_body(const std::vector<std::string>& words, const std::function<void(BodyDef&)>& spoil) {
    BodyDef d;
    d.position = {20, 20, 20};
    spoil(d);
    expect_error(words, [&] { s.world.add_body(d); });
    const std::array<BodyDef, 3> defs{BodyDef{}, d, BodyDef{}};
    expect_error({"add_bodies: defs[1]"}, [&] { s.world.add_bodies(defs); });
  }

  Scene s;
  BodyId good, other, stale;
};
TALUS_INSTANTIATE_ON_BACKENDS(WorldErrorsTest);

TEST_P(WorldErrorsTest, TheMessageNamesArgumentAndValue) {
  std::vector<BodyDef> defs(20);
  defs[17].shape = box({0.5f, -0.5f, 0.5f});
  EXPECT_EQ(error_of([&] { s.world.add_bodies(defs); }),
            "add_bodies: defs[17].shape.size.y = -0.5, a half extent must be finite and > 0");
  EXPECT_EQ(error_of([&] { s.world.step(-1.0f); }), "step: dt = -1, must be finite and > 0");
  EXPECT_EQ(error_of([&] {
              s.world.set_pose({7, 3}, {});
            }),
            "set_pose: body = {slot 7, generation 3} names no body of this world");
}

TEST_P(WorldErrorsTest, BadBodies) {
  const auto size = [](ShapeDef shape) { return [shape](BodyDef& d) { d.shape = shape; }; };
  expect_bad_body({"def.shape.size.x = 0", "radius"}, size(sphere(0)));
  expect_bad_body({"radius"}, size(sphere(-1)));
  expect_bad_body({"nan"}, size(sphere(kNan)));
  expect_bad_body({"inf"}, size(sphere(kInf)));
  expect_bad_body({"density", "mass"}, size(sphere(1e20f)));
  expect_bad_body({"shape.size.x"}, size(box({0, 1, 1})));
  expect_bad_body({"shape.size.y"}, size(box({1, 0, 1})));
  expect_bad_body({"shape.size.z"}, size(box({1, 1, -2})));
  expect_bad_body({"shape.size.z", "inf"}, size(box({1, 1, kInf})));
  expect_bad_body({"shape.size.x"}, size(capsule(0, 1)));
  expect_bad_body({"shape.size.y"}, size(capsule(1, 0)));
  expect_bad_body({"shape.size", "length 1.5"}, size(plane({1.5f, 0, 0})));
  expect_bad_body({"shape.size", "length 0"}, size(plane({0, 0, 0})));
  expect_bad_body({"shape.size.y", "nan"}, size(plane({0, kNan, 0})));
  expect_bad_body({"shape.type = 9"}, [](BodyDef& d) { d.shape.type = ShapeType(9); });
  expect_bad_body({"dynamic", "plane"}, [](BodyDef& d) {
    d.shape = plane({0, 1, 0});
    d.motion = Motion::dynamic;
  });
  expect_bad_body({"motion = 7"}, [](BodyDef& d) { d.motion = Motion(7); });
  expect_bad_body({"fixed", "velocity"}, [](BodyDef& d) {
    d.motion = Motion::fixed;
    d.linear_velocity.x = 1;
  });
  for (const float bad : {0.0f, -2.0f, kNan, kInf}) {
    expect_bad_body({"def.mass"}, [=](BodyDef& d) { d.mass = bad; });
    expect_bad_body({"def.density"}, [=](BodyDef& d) { d.density = bad; });
    expect_bad_body({"def.inertia.y"}, [=](BodyDef& d) { d.inertia = Vec3{1, bad, 1}; });
  }
  expect_bad_body({"mass", "1e-40"}, [](BodyDef& d) { d.mass = 1e-40f; });
  expect_bad_body({"inertia.z = 3", "more than the other two"}, [](BodyDef& d) { d.inertia = Vec3{1, 1, 3}; });
  for (const float bad : {kNan, kInf, -kInf}) {
    expect_bad_body({"position.x"}, [=](BodyDef& d) { d.position.x = bad; });
    expect_bad_body({"orientation"}, [=](BodyDef& d) { d.orientation.w = bad; });
    expect_bad_body({"linear_velocity.y"}, [=](BodyDef& d) { d.linear_velocity.y = bad; });
    expect_bad_body({"angular_velocity.z"}, [=](BodyDef& d) { d.angular_velocity.z = bad; });
    expect_bad_body({"gravity_scale"}, [=](BodyDef& d) { d.gravity_scale = bad; });
  }
  expect_bad_body({"orientation", "length 1.1"}, [](BodyDef& d) { d.orientation = {0, 0, 0, 1.1f}; });
  expect_bad_body({"orientation", "length 0"}, [](BodyDef& d) { d.orientation = {0, 0, 0, 0}; });
  for (const float bad : {-0.1f, kNan, kInf}) {
    expect_bad_body({"friction"}, [=](BodyDef& d) { d.material.friction = bad; });
    expect_bad_body({"restitution"}, [=](BodyDef& d) { d.material.restitution = bad; });
    expect_bad_body({"material.dynamic_friction"}, [=](BodyDef& d) { d.material.dynamic_friction = bad; });
    expect_bad_body({"material.torsional_friction"}, [=](BodyDef& d) { d.material.torsional_friction = bad; });
    expect_bad_body({"material.rolling_friction"}, [=](BodyDef& d) { d.material.rolling_friction = bad; });
    expect_bad_body({"material.friction_along"}, [=](BodyDef& d) {
      d.material.grain = {1, 0, 0};
      d.material.friction_along = bad;
    });
    expect_bad_body({"linear_damping"}, [=](BodyDef& d) { d.linear_damping = bad; });
    expect_bad_body({"angular_damping"}, [=](BodyDef& d) { d.angular_damping = bad; });
  }
  expect_bad_body({"restitution = 1.5"}, [](BodyDef& d) { d.material.restitution = 1.5f; });
  expect_bad_body({"material.dynamic_friction = 0.6", "not be more"},
                  [](BodyDef& d) { d.material.dynamic_friction = 0.6f; });
  expect_bad_body({"material.grain.y"}, [](BodyDef& d) { d.material.grain = {1, kNan, 0}; });
  expect_bad_body({"material.grain", "length 2"}, [](BodyDef& d) { d.material.grain = {2, 0, 0}; });
  expect_bad_body({"material.grain", "needs a direction"}, [](BodyDef& d) { d.material.friction_tensor.emplace(); });
  for (const FrictionTensor bad : {FrictionTensor{1, 1, 1}, FrictionTensor{0, 1, 0}, FrictionTensor{1, 4, -2}}) {
    expect_bad_body({"material.friction_tensor", "not positive definite"}, [=](BodyDef& d) {
      d.material.grain = {1, 0, 0};
      d.material.friction_tensor = bad;
    });
  }
  expect_bad_body({"material.friction_tensor.shear"}, [](BodyDef& d) {
    d.material.grain = {1, 0, 0};
    d.material.friction_tensor = {1, 1, kNan};
  });
  expect_bad_body({"material.friction_tensor", "excludes"}, [](BodyDef& d) {
    d.material.grain = {1, 0, 0};
    d.material.friction_against = 0.5f;
    d.material.friction_tensor.emplace();
  });
  expect_bad_body({"material.friction_against = -1"}, [](BodyDef& d) {
    d.material.grain = {1, 0, 0};
    d.material.friction_against = -1.0f;
  });
  expect_bad_body({"material.grain", "need a direction"}, [](BodyDef& d) { d.material.friction_across = 0.1f; });
  expect_bad_body({"material_id", "number 7", "no material"}, [](BodyDef& d) { d.material_id = {7}; });
  expect_bad_body({"friction_combine"}, [](BodyDef& d) { d.material.friction_combine = Combine(11); });
  expect_bad_body({"restitution_combine"}, [](BodyDef& d) { d.material.restitution_combine = Combine(11); });
}

TEST_P(WorldErrorsTest, StaleAndForeignIds) {
  World& w = s.world;
  const Vec3 v{0, 0, 0};
  std::array<Transform, 2> poses;
  std::array<BodyMotion, 2> motions;
  for (const BodyId bad : {stale, BodyId{}, BodyId{1000, 0}, BodyId{good.slot, good.generation + 1}}) {
    const std::vector<std::string> slot{"slot " + std::to_string(bad.slot), "names no body"};
    EXPECT_FALSE(w.contains(bad));
    expect_error(slot, [&] { w.remove_body(bad); });
    expect_error(slot, [&] { w.remove_bodies(std::array{good, bad}); });
    expect_error(slot, [&] { w.set_pose(bad, {}); });
    expect_error(slot, [&] { w.set_velocity(bad, v, v); });
    expect_error(slot, [&] { w.set_material(bad, {}); });
    expect_error(slot, [&] { w.set_filter(bad, {}); });
    expect_error(slot, [&] { w.set_gravity_scale(bad, 1); });
    expect_error(slot, [&] { w.set_damping(bad, 1, 1); });
    expect_error(slot, [&] { w.apply_force(bad, v); });
    expect_error(slot, [&] { w.apply_force_at(bad, v, v); });
    expect_error(slot, [&] { w.apply_torque(bad, v); });
    expect_error(slot, [&] { w.apply_impulse(bad, v); });
    expect_error(slot, [&] { w.apply_impulse_at(bad, v, v); });
    expect_error(slot, [&] { w.apply_angular_impulse(bad, v); });
    expect_error(slot, [&] { w.ignore_pair(good, bad); });
    expect_error(slot, [&] { w.ignore_pair(bad, good); });
    expect_error(slot, [&] { w.collide_pair(good, bad); });
    expect_error(slot, [&] { w.motion(bad); });
    expect_error(slot, [&] { w.definition(bad); });
    expect_error({"bodies[1]"}, [&] { w.read_poses(std::array{good, bad}, poses); });
    expect_error({"bodies[1]"}, [&] { w.read_motions(std::array{good, bad}, motions); });
  }
  expect_error({"bodies[2]", "second time"}, [&] { w.remove_bodies(std::array{good, other, good}); });
  expect_error({"same body"}, [&] { w.ignore_pair(good, good); });
  expect_error({"same body"}, [&] { w.collide_pair(good, good); });
  expect_error({"2 elements for 1"}, [&] { w.read_poses(std::array{good}, poses); });
  expect_error({"2 elements for 1"}, [&] { w.read_motions(std::array{good}, motions); });
}

TEST_P(WorldErrorsTest, BadEdits) {
  World& w = s.world;
  const Vec3 zero{0, 0, 0};
  for (const float bad : {kNan, kInf, -kInf}) {
    const Vec3 x{bad, 0, 0}, y{0, bad, 0}, z{0, 0, bad};
    expect_error({"pose.position.x"}, [&] { w.set_pose(good, {x, kIdentity}); });
    expect_error({"pose.orientation"}, [&] { w.set_pose(good, {zero, {0, bad, 0, 1}}); });
    expect_error({"linear.y"}, [&] { w.set_velocity(good, y, zero); });
    expect_error({"angular.z"}, [&] { w.set_velocity(good, zero, z); });
    expect_error({"scale"}, [&] { w.set_gravity_scale(good, bad); });
    expect_error({"damping: linear"}, [&] { w.set_damping(good, bad, 0); });
    expect_error({"damping: angular"}, [&] { w.set_damping(good, 0, bad); });
    expect_error({"force.x"}, [&] { w.apply_force(good, x); });
    expect_error({"force.y"}, [&] { w.apply_force_at(good, y, zero); });
    expect_error({"point.z"}, [&] { w.apply_force_at(good, zero, z); });
    expect_error({"torque.x"}, [&] { w.apply_torque(good, x); });
    expect_error({"impulse.y"}, [&] { w.apply_impulse(good, y); });
    expect_error({"impulse.z"}, [&] { w.apply_impulse_at(good, z, zero); });
    expect_error({"point.x"}, [&] { w.apply_impulse_at(good, zero, x); });
    expect_error({"impulse.y"}, [&] { w.apply_angular_impulse(good, y); });
    expect_error({"gravity.z"}, [&] { w.set_gravity(z); });
    expect_error({"friction"}, [&] { w.set_material(good, Material{bad}); });
    expect_error({"restitution"}, [&] { w.set_material(good, Material{0, bad}); });
    expect_error({"dt"}, [&] { w.step(bad); });
    expect_error({"dt"}, [&] { w.step_async(bad); });
    expect_error({"dt"}, [&] { w.step_n(3, bad); });
  }
  expect_error({"pose.orientation", "length 2"}, [&] { w.set_pose(good, {zero, {0, 0, 2, 0}}); });
  expect_error({"linear = -1"}, [&] { w.set_damping(good, -1, 0); });
  expect_error({"material.friction = -1"}, [&] { w.set_material(good, Material{-1}); });
  expect_error({"material.restitution = 2"}, [&] { w.set_material(good, Material{0, 2}); });
  expect_error({"add_material", "friction = -1"}, [&] { w.add_material({.friction = -1}); });
  expect_error({"number 3", "no material"}, [&] { w.assign_material(good, {3}); });
  expect_error({"number 0", "no material"}, [&] { w.set_material(MaterialId{}, Material{}); });
  const MaterialId known = w.add_material({});
  expect_error({"set_material_pair: b", "no material"}, [&] { w.set_material_pair(known, {9}, {}); });
  expect_error({"pair.rolling_friction = nan"}, [&] { w.set_material_pair(known, known, {.rolling_friction = kNan}); });
  expect_error({"pair.restitution = 2"}, [&] { w.set_material_pair(known, known, {.restitution = 2.0f}); });
  expect_error({"pair.dynamic_friction = 0.4", "not be more than .friction = 0.3"},
               [&] { w.set_material_pair(known, known, {.friction = 0.3f, .dynamic_friction = 0.4f}); });
  expect_error({"pair.dynamic_friction = 0.6", "friction of the two materials = 0.5"},
               [&] { w.set_material_pair(known, known, {.dynamic_friction = 0.6f}); });
  w.set_material_pair(known, known, {.dynamic_friction = 0.4f});
  expect_error({"set_material: pair of material", "dynamic_friction = 0.4", "= 0.25"},
               [&] { w.set_material(known, {.friction = 0.25f}); });
  expect_error({"material.contact_hertz = 0"}, [&] { w.add_material({.contact_hertz = 0.0f}); });
  expect_error({"fixed"}, [&] { w.set_velocity(w.bodies()[0], {1, 0, 0}, zero); });
  expect_error({"dt = 0"}, [&] { w.step(0); });
  expect_error({"dt = 1e-45"}, [&] { w.step(1e-45f); });
  expect_error({"n = -1"}, [&] { w.step_n(-1, kStep); });
  expect_error({"contact_reports"}, [&] { w.read_contacts(); });
}

void expect_bad_world(WorldDef d, const std::string& word, const std::function<void(WorldDef&)>& spoil) {
  spoil(d);
  const std::string text = error_of([&] { World world(d); });
  EXPECT_NE(text.find(word), std::string::npos) << '"' << text << "\" without " << word;
}

TEST_P(WorldErrorsTest, BadWorlds) {
  expect_bad_world(def(), "World: def.gravity.y = nan", [](WorldDef& d) { d.gravity.y = kNan; });
  expect_bad_world(def(), "threads = -1", [](WorldDef& d) { d.threads = -1; });
  expect_bad_world(def(), "reserve_bodies", [](WorldDef& d) { d.reserve_bodies = -5; });
  expect_bad_world(def(), "reserve_pairs", [](WorldDef& d) { d.reserve_pairs = -5; });
  expect_bad_world(def(), "reserve_contacts", [](WorldDef& d) { d.reserve_contacts = -5; });
  expect_bad_world(def(), "backend = 9", [](WorldDef& d) { d.backend = Backend(9); });
  expect_bad_world(def(), "substeps = 0, must be 1..64", [](WorldDef& d) { d.solver.substeps = 0; });
  expect_bad_world(def(), "substeps = 65", [](WorldDef& d) { d.solver.substeps = 65; });
  expect_bad_world(def(), "iterations = 0", [](WorldDef& d) { d.solver.iterations = 0; });
  expect_bad_world(def(), "relax_iterations = 257", [](WorldDef& d) { d.solver.relax_iterations = 257; });
  expect_bad_world(def(), "contact_hertz = 0", [](WorldDef& d) { d.solver.contact_hertz = 0; });
  expect_bad_world(def(), "contact_damping_ratio", [](WorldDef& d) { d.solver.contact_damping_ratio = -1; });
  expect_bad_world(def(), "max_push_speed", [](WorldDef& d) { d.solver.max_push_speed = kInf; });
  expect_bad_world(def(), "restitution_threshold", [](WorldDef& d) { d.solver.restitution_threshold = -1; });
  expect_bad_world(def(), "speculative_distance", [](WorldDef& d) { d.solver.speculative_distance = kNan; });
  expect_bad_world(def(), "sleep.speed = -1", [](WorldDef& d) { d.sleep.speed = -1; });
  expect_bad_world(def(), "sleep.time = nan", [](WorldDef& d) { d.sleep.time = kNan; });
  expect_bad_world(def(), "events.hit_speed", [](WorldDef& d) { d.events.hit_speed = kInf; });
  expect_bad_world(def(), "recycle_fraction = 2", [](WorldDef& d) { d.solver.recycle_fraction = 2; });
  expect_bad_world(def(), "solver.solver", [](WorldDef& d) { d.solver.solver = Solver(5); });
  expect_bad_world(def(), "solver.friction", [](WorldDef& d) { d.solver.friction = FrictionModel(5); });
  expect_bad_world(def(), "solver.restitution", [](WorldDef& d) { d.solver.restitution = RestitutionModel(5); });
  expect_bad_world(def(), "friction_sides = 2", [](WorldDef& d) { d.solver.friction_sides = 2; });
  expect_bad_world(def(), "slip_threshold = nan", [](WorldDef& d) { d.solver.slip_threshold = kNan; });
  expect_bad_world(def(), "solver.integrator", [](WorldDef& d) { d.solver.integrator = Integrator(5); });
  expect_bad_world(def(), "solver.stabilization", [](WorldDef& d) { d.solver.stabilization = Stabilization(5); });
}

TEST_P(WorldErrorsTest, RigidSettings) {
  const auto expect_bad = [](const char* text, auto&& spoil) {
    expect_bad_world(def(), text, [&](WorldDef& d) {
      d.solver.solver = Solver::rigid;
      spoil(d, d.solver.rigid);
    });
  };
  expect_bad("rigid.point", [](WorldDef&, RigidSettings& r) { r.point = PointSolver(7); });
  expect_bad("rigid.order", [](WorldDef&, RigidSettings& r) { r.order = SweepOrder(7); });
  expect_bad("rigid.sweeps = 0, must be 1..10000", [](WorldDef&, RigidSettings& r) { r.sweeps = 0; });
  expect_bad("rigid.push_sweeps = 0", [](WorldDef&, RigidSettings& r) { r.push_sweeps = 0; });
  expect_bad("rigid.stagger = -1", [](WorldDef&, RigidSettings& r) { r.stagger = -1; });
  expect_bad("rigid.stagnation = -1", [](WorldDef&, RigidSettings& r) { r.stagnation = -1; });
  expect_bad("rigid.relaxation = 2, must be > 0 and < 2", [](WorldDef&, RigidSettings& r) { r.relaxation = 2; });
  expect_bad("rigid.relaxation = nan", [](WorldDef&, RigidSettings& r) { r.relaxation = kNan; });
  expect_bad("rigid.tolerance = -1", [](WorldDef&, RigidSettings& r) { r.tolerance = -1; });
  expect_bad("rigid.error_reduction = 1.5", [](WorldDef&, RigidSettings& r) { r.error_reduction = 1.5f; });
  expect_bad("rigid.force_mixing", [](WorldDef&, RigidSettings& r) { r.force_mixing = kInf; });
  expect_bad("rigid.slop", [](WorldDef&, RigidSettings& r) { r.slop = -1; });
  expect_bad("rigid.stagger = 2, PointSolver::block has no rows to leave out", [](WorldDef&, RigidSettings& r) {
    r.point = PointSolver::block;
    r.stagger = 2;
  });
  expect_bad("rigid.relaxation = 1.5, PointSolver::block", [](WorldDef&, RigidSettings& r) {
    r.point = PointSolver::block;
    r.relaxation = 1.5f;
  });
  expect_bad("rigid.stagger = 2, normals and friction have no common gradient", [](WorldDef&, RigidSettings& r) {
    r.nncg = true;
    r.stagger = 2;
  });
  expect_bad_world(def(), "stabilization = Stabilization::baumgarte, only Solver::rigid has it",
                   [](WorldDef& d) { d.solver.stabilization = Stabilization::baumgarte; });
  expect_bad_world(def(), "keep_contact_problem = true", [](WorldDef& d) { d.keep_contact_problem = true; });
}

TEST_P(WorldErrorsTest, BadSettingsOfShockPropagation) {
  const auto expect_bad = [](const char* text, void (*spoil)(ShockSettings&)) {
    expect_bad_world(def(), text, [=](WorldDef& d) { spoil(d.solver.shock); });
  };
  expect_bad("shock.weight = 1.5", [](ShockSettings& shock) { shock.weight = 1.5f; });
  expect_bad("shock.weight = nan", [](ShockSettings& shock) { shock.weight = kNan; });
  expect_bad("shock.sweeps = 0", [](ShockSettings& shock) { shock.sweeps = 0; });
  expect_bad("shock.correction_sweeps = 0", [](ShockSettings& shock) { shock.correction_sweeps = 0; });
  expect_bad("shock.least_slope = -1", [](ShockSettings& shock) { shock.least_slope = -1.0f; });
}

TEST_P(WorldErrorsTest, WhatASolverDoesNotHaveIsNamed) {
  for (const Solver solver : {Solver::rigid, Solver::shock}) {
    expect_bad_world(def(), "restitution = RestitutionModel::poisson", [=](WorldDef& d) {
      d.solver.solver = solver;
      d.solver.restitution = RestitutionModel::poisson;
    });
  }
  WorldDef d = def();
  d.solver.solver = Solver::shock;
  World shock(d);
  const Material rubber{.contact_hertz = 5.0f};
  for (const std::string& text :
       {error_of([&] { shock.add_material(rubber); }), error_of([&] { shock.add_body({.material = rubber}); })}) {
    EXPECT_NE(text.find("contact_hertz = 5, contacts of Solver::shock do not yield"), std::string::npos) << text;
  }
  d.solver.solver = Solver::rigid;
  d.solver.friction = FrictionModel::polyhedral;
  d.keep_contact_problem = true;
  World rigid(d);
  rigid.add_body({.shape = plane({0, 1, 0})});
  const BodyId ball = rigid.add_body({.position = {0, 0.5f, 0}});
  rigid.step(kStep);
  EXPECT_EQ(rigid.contact_problem().friction_sides, 8);
  rigid.set_material(ball, {.rolling_friction = 0.1f});
  rigid.step(kStep);
  const std::string text = error_of([&] { rigid.contact_problem(); });
  EXPECT_NE(text.find("slots 1 and 0"), std::string::npos) << text;
}

TEST(WorldBackends, WhatWasNotKeptCannotBeRead) {
  World world(WorldDef{.backend = Backend::cpu});
  EXPECT_NE(error_of([&] { world.contact_problem(); }).find("keep_contact_problem"), std::string::npos);
  EXPECT_NE(error_of([&] { world.residual_history(); }).find("residual_history"), std::string::npos);
}

TEST(WorldBackends, UnavailableOneSaysWhy) {
  WorldDef d;
  d.backend = Backend::cuda;
  if (available_backends().size() > 1) GTEST_SKIP() << "CUDA is available here";
  EXPECT_NE(error_of([&] { World world(d); }).find("CUDA"), std::string::npos);
  d.backend = Backend::automatic;
  EXPECT_EQ(World(d).backend(), Backend::cpu);
}

TEST(WorldBackends, UnknownInstructionSetIsNamed) {
  const char* old = std::getenv("TALUS_SIMD");
  const std::string before = old == nullptr ? "" : old;
  ::setenv("TALUS_SIMD", "abacus", 1);
  WorldDef d;
  d.backend = Backend::cpu;
  const std::string text = error_of([&] { World world(d); });
  before.empty() ? ::unsetenv("TALUS_SIMD") : ::setenv("TALUS_SIMD", before.c_str(), 1);
  EXPECT_NE(text.find("TALUS_SIMD=abacus"), std::string::npos) << text;
  EXPECT_EQ(World(d).backend(), Backend::cpu);
}

TEST_P(WorldErrorsTest, NearlyUnitArgumentsAreNormalised) {
  const BodyId id = s.world.add_body([] {
    BodyDef d;
    d.orientation = {0, 0.0005f, 0, 1.0005f};
    d.position = {50, 0, 0};
    return d;
  }());
  const Quat q = s.world.pose(id).orientation;
  EXPECT_NEAR(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w, 1.0f, 1e-6f);
  s.world.set_pose(id, {{0, 50, 0}, {0.9995f, 0, 0, 0}});
  EXPECT_EQ(s.world.pose(id).orientation.x, 1.0f);
}

}  // namespace
}  // namespace talus::test
