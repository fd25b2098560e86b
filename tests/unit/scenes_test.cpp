// SPDX-License-Identifier: MIT
// Scenes: how many bodies, where the first ones are, and what a wrong name says. Positions and jitter are compared with
// numbers written down from the generator that other engines were measured with.
#include "scenes/scene.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "scenes/metrics.h"
#include "scenes/presets.h"

namespace talus::scenes {
namespace {

void expect_vec(Vec3 v, float x, float y, float z) {
  EXPECT_FLOAT_EQ(v.x, x);
  EXPECT_FLOAT_EQ(v.y, y);
  EXPECT_FLOAT_EQ(v.z, z);
}

std::vector<BodyMotion> starting_motions(const Scene& scene) {
  std::vector<BodyMotion> motions;
  for (const BodyDef& def : scene.bodies) {
    motions.push_back({{def.position, def.orientation}, def.linear_velocity, def.angular_velocity});
  }
  return motions;
}

TEST(Jitter, GivesTheNumbersOfTheGenerator) {
  Jitter jitter;
  EXPECT_DOUBLE_EQ(jitter.next(), -0.95919466018676758);
  EXPECT_DOUBLE_EQ(jitter.next(), -0.9669044017791748);
  EXPECT_DOUBLE_EQ(jitter.next(), 0.086311578750610352);
  EXPECT_DOUBLE_EQ(jitter.next(), 0.26980805397033691);
}

TEST(Scenes, MixedPileStandsOnItsGrid) {
  const Scene scene = make_scene("mixed_pile_8000");
  ASSERT_EQ(scene.bodies.size(), 8000u);
  EXPECT_EQ(scene.bodies[0].shape.type, ShapeType::sphere);
  EXPECT_EQ(scene.bodies[1].shape.type, ShapeType::box);
  EXPECT_EQ(scene.bodies[2].shape.type, ShapeType::capsule);
  expect_vec(scene.bodies[0].position, -10.4691839f, 0.580661893f, -10.4482737f);
  expect_vec(scene.bodies[1].position, -9.34460354f, 0.616401196f, -10.4655018f);
  expect_vec(scene.bodies[999].position, 10.4430342f, 2.81490421f, -0.555641472f);
  EXPECT_EQ(scene.statics.size(), 5u);
  EXPECT_EQ(scene.boundaries.size(), 5u);
  EXPECT_FLOAT_EQ(scene.dt, 1.0f / 60);
  EXPECT_FALSE(scene.stack);
}

TEST(Scenes, BoxTumbleTurnsItsBoxes) {
  const Scene scene = make_scene("box_tumble_1000");
  ASSERT_EQ(scene.bodies.size(), 1000u);
  expect_vec(scene.bodies[1].position, -6.28188944f, 0.969747126f, -8.09345245f);
  const Quat first = scene.bodies[0].orientation;
  EXPECT_FLOAT_EQ(first.x, -0.0823878869f);
  EXPECT_FLOAT_EQ(first.y, -0.214792088f);
  EXPECT_FLOAT_EQ(first.z, 0.953485727f);
  EXPECT_FLOAT_EQ(first.w, -0.194785863f);
}

TEST(Scenes, PyramidsAndStacksHaveTheirNumbers) {
  EXPECT_EQ(make_scene("pyramid2d_40").bodies.size(), 820u);
  EXPECT_EQ(make_scene("pyramid3d_20").bodies.size(), 2870u);
  const Scene towers = make_scene("stacks_100x20");
  ASSERT_EQ(towers.bodies.size(), 2000u);
  EXPECT_TRUE(towers.stack);
  expect_vec(towers.bodies[0].position, -13.5f, 0.5f, -13.5f);
  expect_vec(towers.bodies[20].position, -13.5f, 0.5f, -10.5f);
  expect_vec(towers.bodies[1999].position, 13.5f, 19.5f, 13.5f);
  const Scene tower = make_scene("stack_7");
  ASSERT_EQ(tower.bodies.size(), 7u);
  expect_vec(tower.bodies[6].position, 0.0f, 6.5f, 0.0f);
}

TEST(Scenes, CardHouseStartsWithCardsThatTouchAndDoNotOverlap) {
  const Scene scene = make_scene("card_house_4");
  EXPECT_EQ(scene.bodies.size(), 2u * (4 + 3 + 2 + 1) + 3 + 2 + 1);
  const Metrics metrics = measure(scene, starting_motions(scene));
  EXPECT_LT(metrics.pen_max, 1e-5);
  EXPECT_GE(metrics.touching, 8 + 10 + 2 * 6 + 2 * 6);  // feet on the floor, apexes, roofs on cards, feet on roofs
  for (const BodyDef& def : scene.bodies) EXPECT_FLOAT_EQ(def.material.friction, 0.7f);
}

TEST(Scenes, DominoesAreReachedByTheirNeighbourAndOnlyTheFirstMoves) {
  const Scene scene = make_scene("dominoes_100");
  ASSERT_EQ(scene.bodies.size(), 100u);
  EXPECT_GT(std::fabs(scene.bodies[0].linear_velocity.x) + std::fabs(scene.bodies[0].linear_velocity.z), 0.5f);
  for (std::size_t i = 1; i < scene.bodies.size(); ++i) {
    const Vec3 a = scene.bodies[i - 1].position, b = scene.bodies[i].position;
    EXPECT_NEAR(std::hypot(b.x - a.x, b.z - a.z), 0.5f, 0.02f);
    EXPECT_EQ(scene.bodies[i].linear_velocity.x, 0.0f);
  }
  EXPECT_EQ(measure(scene, starting_motions(scene)).pen_max, 0);
}

TEST(Scenes, TumblerHoldsItsBodiesInsideTheDrum) {
  for (const char* name : {"tumbler_1", "tumbler_10", "tumbler_1000"}) {
    const Scene scene = make_scene(name);
    ASSERT_TRUE(scene.before_step);
    const Metrics metrics = measure(scene, starting_motions(scene));
    EXPECT_EQ(metrics.pen_max, 0) << name;
    EXPECT_EQ(metrics.escaped, 0) << name;
  }
  const Scene scene = make_scene("tumbler_1000");
  ASSERT_GT(scene.bodies.size(), 1000u);
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    EXPECT_EQ(scene.bodies[i].motion.value_or(Motion::dynamic), i < 1000 ? Motion::dynamic : Motion::kinematic);
  }
}

TEST(Scenes, StartWithoutOverlap) {
  for (const char* name : {"plate_50", "bullets", "cloud_1000", "free_bodies_100", "sphere_pile_100"}) {
    const Scene scene = make_scene(name);
    const Metrics metrics = measure(scene, starting_motions(scene));
    EXPECT_LT(metrics.pen_max, 1e-6) << name;
    EXPECT_EQ(metrics.escaped, 0) << name;
  }
  EXPECT_EQ(make_scene("free_bodies_100").bodies.size(), 100u);
  EXPECT_EQ(make_scene("plate_50").bodies.size(), 51u);
}

TEST(Scenes, ExperimentsStartAsTheyAreDescribed) {
  for (const char* name : {"box_stack_25", "wall_200", "tower_320", "tower_roof_800", "silo_3000", "incline_1000"}) {
    const Scene scene = make_scene(name);
    EXPECT_FLOAT_EQ(scene.dt, 0.01f) << name;
    const Metrics metrics = measure(scene, starting_motions(scene));
    EXPECT_LT(metrics.pen_max, 1e-5) << name;
    EXPECT_EQ(metrics.escaped, 0) << name;
  }
  const Scene roofed = make_scene("tower_roof_800");
  ASSERT_EQ(roofed.bodies.size(), 802u);
  EXPECT_FLOAT_EQ(*roofed.bodies[800].mass, 50 * 500.0f);
  EXPECT_FLOAT_EQ(roofed.bodies[800].position.y, 21.5f);
  const Scene grid = make_scene("ball_grid_125");
  EXPECT_EQ(grid.bodies.size(), 125u);
  EXPECT_NEAR(measure(grid, starting_motions(grid)).pen_max, 0.2, 1e-6);
}

TEST(Scenes, JointGridIsThatOfTheOtherEngines) {
  const Scene scene = make_scene("joint_grid_100");
  ASSERT_EQ(scene.bodies.size(), 10'000u);
  ASSERT_EQ(scene.joints.size(), 99u * 99 + 99u * 100);
  EXPECT_TRUE(scene.stack);
  EXPECT_FALSE(scene.contacts);
  expect_vec(scene.bodies[0].position, 0.0f, 0.0f, 0.0f);
  expect_vec(scene.bodies[9999].position, 108.9f, -108.9f, 0.0f);
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    EXPECT_EQ(scene.bodies[i].motion.value_or(Motion::dynamic), i < 100 ? Motion::fixed : Motion::dynamic);
  }
  EXPECT_EQ(scene.joints[0].a, 0);
  EXPECT_EQ(scene.joints[0].b, 100);
  expect_vec(scene.joints[0].def.frame.position, 0.0f, -0.55f, 0.0f);
  EXPECT_EQ(scene.joints[100].a, 100);
  EXPECT_EQ(scene.joints[100].b, 101);
  expect_vec(scene.joints[100].def.frame.position, 0.55f, -1.1f, 0.0f);
}

TEST(Scenes, JointsMeetAtTheStart) {
  struct Expected {
    const char* name;
    std::size_t bodies, joints;
  };
  const std::size_t stairs = 12;  // 6 for each of the two rows of figures
  for (const Expected& expected :
       {Expected{"joint_grid_100", 10'000, 19'701}, Expected{"chain_20_100", 21, 21}, Expected{"bridge_30_10", 40, 31},
        Expected{"ragdolls_7", 7 * 18 + stairs, 7 * 17}, Expected{"vehicle", 8 + 4, 7}}) {
    const Scene scene = make_scene(expected.name);
    EXPECT_EQ(scene.bodies.size(), expected.bodies) << expected.name;
    EXPECT_EQ(scene.joints.size(), expected.joints) << expected.name;
    const Metrics metrics = measure(scene, starting_motions(scene));
    EXPECT_LT(metrics.joint_max, 1e-6) << expected.name;
    EXPECT_LT(metrics.pen_max, 1e-6) << expected.name;
    EXPECT_EQ(metrics.escaped, 0) << expected.name;
    for (const AssemblyJoint& joint : scene.joints) {
      ASSERT_GE(joint.a, -1) << expected.name;
      ASSERT_LT(joint.a, static_cast<int>(expected.bodies)) << expected.name;
      ASSERT_GE(joint.b, -1) << expected.name;
      ASSERT_LT(joint.b, static_cast<int>(expected.bodies)) << expected.name;
      ASSERT_NE(joint.a, joint.b) << expected.name;
    }
  }
}

TEST(Scenes, ChainEndsInItsWeight) {
  const Scene scene = make_scene("chain_20_100");
  EXPECT_FLOAT_EQ(*scene.bodies[20].mass, 100 * *scene.bodies[0].mass);
  EXPECT_EQ(scene.joints[0].a, -1);
  EXPECT_EQ(scene.joints[20].b, 20);
}

TEST(Scenes, ManyRagdollsStartApartFromEachOther) {
  const Scene scene = make_scene("ragdolls_100");
  const Metrics metrics = measure(scene, starting_motions(scene));
  EXPECT_EQ(metrics.touching, 0);
  EXPECT_EQ(metrics.escaped, 0);
}

TEST(Scenes, RunWithTheirJoints) {
  RunningScene running(make_scene("bridge_5_2"), WorldDef{.backend = Backend::cpu, .threads = 1});
  EXPECT_EQ(running.world().joint_count(), 6);
  EXPECT_EQ(running.joints().size(), 6u);
  EXPECT_EQ(running.bodies().size(), 7u);
}

TEST(Scenes, EveryListedSceneCanBeMadeAndIsNamed) {
  std::set<std::string> patterns;
  for (const SceneInfo& info : scene_list()) {
    EXPECT_TRUE(patterns.insert(info.pattern).second) << info.pattern;
    EXPECT_GT(std::string(info.text).size(), 10u) << info.pattern;
    const Scene scene = make_scene(info.example);
    EXPECT_EQ(scene.name, info.example);
    EXPECT_FALSE(scene.bodies.empty()) << info.example;
  }
}

std::string error_of(const char* name) {
  try {
    make_scene(name);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Scenes, AWrongNameSaysWhatIsWrong) {
  EXPECT_NE(error_of("box_heap_10").find("\"box_heap_10\" is unknown"), std::string::npos);
  EXPECT_NE(error_of("").find("unknown"), std::string::npos);
  EXPECT_NE(error_of("joint_grid_0").find("size \"0\""), std::string::npos);
  EXPECT_NE(error_of("chain_10").find("N_R"), std::string::npos);
  EXPECT_NE(error_of("bridge_10_x").find("size \"x\""), std::string::npos);
  EXPECT_NE(error_of("box_pile_").find("size \"\""), std::string::npos);
  EXPECT_NE(error_of("box_pile_x").find("size \"x\""), std::string::npos);
  EXPECT_NE(error_of("box_pile_10k").find("size \"10k\""), std::string::npos);
  EXPECT_NE(error_of("box_pile_0").find("size \"0\""), std::string::npos);
  EXPECT_NE(error_of("box_pile_-5").find("size \"-5\""), std::string::npos);
  EXPECT_NE(error_of("pyramid3d_99999999999999").find("1 to"), std::string::npos);
  EXPECT_NE(error_of("stacks_100").find("AxB"), std::string::npos);
  EXPECT_NE(error_of("stacks_3xx").find("size \"x\""), std::string::npos);
}

TEST(Presets, AreFoundByName) {
  ASSERT_NE(find_solver_preset("stiff"), nullptr);
  EXPECT_EQ(find_solver_preset("stiff")->settings.substeps, 8);
  EXPECT_EQ(find_solver_preset("jacobi")->settings.solver, Solver::jacobi);
  EXPECT_EQ(find_solver_preset("projection")->settings.stabilization, Stabilization::projection);
  EXPECT_EQ(find_solver_preset("pgs")->settings.substeps, SolverSettings{}.substeps);
  EXPECT_EQ(find_solver_preset("PGS"), nullptr);
}

}  // namespace
}  // namespace talus::scenes
