// SPDX-License-Identifier: MIT
// The CPU against itself: threads, instruction sets, sizes of buffers and the order of elements change no bit.
#include <gtest/gtest.h>
#include <talus/talus.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agree/joint_soup.h"
#include "agree/rigid_variants.h"
#include "math/pack.h"
#include "scenes/scene.h"
#include "support/surface_heap.h"
#include "unit/simulation_rig.h"

namespace talus::test {
namespace {

const char* const kScenes[] = {"mixed_pile_1500", "plate_64",    "pyramid2d_16",  "tumbler_100",
                               "ragdolls_12",     "bridge_12_6", "joint_grid_12", "vehicle"};

/// State hashes after every 20th of 60 steps.
std::vector<std::uint64_t> hashes(const char* scene, WorldDef def) {
  def.backend = Backend::cpu;
  scenes::RunningScene running(scenes::make_scene(scene), def);
  std::vector<std::uint64_t> list;
  for (int step = 1; step <= 60; ++step) {
    running.step();
    if (step % 20 == 0) list.push_back(running.world().state_hash());
  }
  return list;
}

WorldDef with_threads(int threads) {
  WorldDef def;
  def.threads = threads;
  return def;
}

TEST(AgreeCpu, NumbersOfThreadsGiveTheSameBits) {
  for (const char* scene : kScenes) {
    SCOPED_TRACE(scene);
    const std::vector<std::uint64_t> expected = hashes(scene, with_threads(1));
    for (const int threads : {2, 3, 8}) EXPECT_EQ(hashes(scene, with_threads(threads)), expected) << threads;
  }
}

/// Every kind of joint, with all that may be on its axes; some of them break.
TEST(AgreeCpu, JointsOfAllKindsGiveTheSameBits) {
  std::vector<std::vector<std::uint64_t>> all;
  Index broken = 0;
  for (const int threads : {1, 2, 3, 8}) {
    WorldDef def = with_threads(threads);
    def.backend = Backend::cpu;
    if (threads == 3) def.reserve_bodies = def.reserve_pairs = def.reserve_contacts = 1;
    World world(def);
    add_joint_soup(world);
    std::vector<std::uint64_t>& list = all.emplace_back();
    for (int step = 0; step < 120; ++step) {
      const StepReport report = world.step(1.0f / 60);
      ASSERT_TRUE(report) << report.message();
      broken += report.broken_count;
      if (step % 20 == 0) list.push_back(world.state_hash());
    }
  }
  EXPECT_GT(broken, 0);
  for (const std::vector<std::uint64_t>& list : all) EXPECT_EQ(list, all[0]);
}

/// What sleeps and wakes, and when, does not depend on threads or on the sizes of buffers.
TEST(AgreeCpu, SleepGivesTheSameBits) {
  std::vector<std::vector<std::uint64_t>> all;
  Index least_awake = 1 << 30, most_awake = 0;
  for (const int threads : {1, 2, 3, 8}) {
    WorldDef def = with_threads(threads);
    def.backend = Backend::cpu;
    def.sleep.speed = 0.2f;
    def.sleep.time = 0.1f;
    if (threads == 3) def.reserve_pairs = def.reserve_contacts = 1;
    scenes::RunningScene running(scenes::make_scene("stacks_100x6"), def, true);
    std::vector<std::uint64_t>& list = all.emplace_back();
    for (int step = 1; step <= 200; ++step) {
      least_awake = std::min(least_awake, running.step().awake_count);
      if (step == 40) {  // rolls along a row of towers
        running.world().add_body(
            {.shape = sphere(0.6f), .mass = 9e3f, .position = {-30, 0.6f, 1.5f}, .linear_velocity = {20, 0, 0}});
      }
      if (step > 41) most_awake = std::max(most_awake, running.world().last_report().awake_count);
      if (step % 40 == 0) list.push_back(running.world().state_hash());
    }
  }
  EXPECT_LT(least_awake, 10);
  EXPECT_GT(most_awake, 12);
  for (const std::vector<std::uint64_t>& list : all) EXPECT_EQ(list, all[0]);
}

/// TALUS_SIMD while in scope, then what it was.
class SimdVariable {
 public:
  explicit SimdVariable(const char* value) {
    if (const char* old = std::getenv("TALUS_SIMD")) old_ = old;
    ::setenv("TALUS_SIMD", value, 1);
  }
  ~SimdVariable() {
    if (old_) {
      ::setenv("TALUS_SIMD", old_->c_str(), 1);
    } else {
      ::unsetenv("TALUS_SIMD");
    }
  }
  SimdVariable(const SimdVariable&) = delete;
  SimdVariable& operator=(const SimdVariable&) = delete;

 private:
  std::optional<std::string> old_;
};

/// Instruction sets of this build and machine.
std::vector<const char*> instruction_sets() {
  std::vector<const char*> all;
  for (const char* isa : {"scalar", "baseline", "avx2", "avx512"}) {
    const SimdVariable variable(isa);
    try {
      World probe(WorldDef{.backend = Backend::cpu});
      all.push_back(isa);
    } catch (const Error&) {  // not built, or not on this machine
    }
  }
  return all;
}

/// State hashes of a heap of all materials, by both laws of restitution and in every rigid solver.
std::vector<std::uint64_t> surface_hashes() {
  std::vector<SolverSettings> solvers(2);
  solvers[1].restitution = RestitutionModel::poisson;
  for (const RigidVariant& variant : rigid_and_shock_variants()) solvers.push_back(variant.solver);
  std::vector<std::uint64_t> list;
  for (const SolverSettings& solver : solvers) {
    WorldDef def = with_threads(2);
    def.backend = Backend::cpu;
    def.solver = solver;
    World world(def);
    add_surface_heap(world, 60);
    for (int i = 0; i < 3; ++i) {
      world.step_n(20, 1.0f / 60);
      list.push_back(world.state_hash());
    }
  }
  return list;
}

TEST(AgreeCpu, InstructionSetsGiveTheSameBits) {
  const std::vector<std::uint64_t> expected = hashes("mixed_pile_1500", with_threads(2));
  const std::vector<std::uint64_t> expected_heap = surface_hashes();
  const std::vector<std::uint64_t> expected_plate = hashes("plate_64", with_threads(2));
  std::string compared;
  for (const char* isa : instruction_sets()) {
    const SimdVariable variable(isa);
    compared += std::string(compared.empty() ? "" : ", ") + isa;
    EXPECT_EQ(hashes("mixed_pile_1500", with_threads(2)), expected) << isa;
    EXPECT_EQ(hashes("plate_64", with_threads(2)), expected_plate) << isa;
    EXPECT_EQ(surface_hashes(), expected_heap) << isa;
  }
  RecordProperty("compared", compared);
  EXPECT_FALSE(compared.empty());
}

/// Every rigid solver on a pile of 200, with 1 and 2 threads and every instruction set of this machine.
TEST(AgreeCpu, RigidSolversGiveTheSameBits) {
  for (const RigidVariant& variant : rigid_and_shock_variants()) {
    SCOPED_TRACE(variant.name);
    WorldDef def = with_threads(1);
    def.solver = variant.solver;
    const std::vector<std::uint64_t> expected = hashes("mixed_pile_200", def);
    def.threads = 2;
    EXPECT_EQ(hashes("mixed_pile_200", def), expected);
    for (const char* isa : instruction_sets()) {
      const SimdVariable variable(isa);
      EXPECT_EQ(hashes("mixed_pile_200", def), expected) << isa;
    }
  }
}

TEST(AgreeCpu, AnUnknownInstructionSetIsRefused) {
  const SimdVariable variable("abacus");
  EXPECT_THROW(World(WorldDef{.backend = Backend::cpu}), Error);
}

TEST(AgreeCpu, SizesOfBuffersGiveTheSameBits) {
  for (const char* scene : kScenes) {
    SCOPED_TRACE(scene);
    WorldDef tiny = with_threads(2), large = with_threads(2);
    tiny.reserve_bodies = tiny.reserve_pairs = tiny.reserve_contacts = 1;
    large.reserve_bodies = 10000;
    large.reserve_pairs = large.reserve_contacts = 100000;
    EXPECT_EQ(hashes(scene, tiny), hashes(scene, large));
  }
}

std::vector<BodyDef> all_bodies(const scenes::Scene& scene) {
  std::vector<BodyDef> defs = scene.bodies;
  defs.insert(defs.end(), scene.statics.begin(), scene.statics.end());
  for (std::size_t i = 0; i < defs.size(); i += 7) defs[i].material.restitution = 0.5f;
  return defs;
}

void expect_same_as_shuffled(const scenes::Scene& scene, const std::vector<BodyDef>& defs,
                             const SolverSettings& solver) {
  WorldDef def;
  def.gravity = scene.gravity;
  def.solver = solver;
  SimulationRig plain(make_cpu_backend(2), def, defs), shuffled(std::make_shared<ShuffleBackend<>>(11u), def, defs),
      packed(std::make_shared<ShuffleBackend<NativePack, LaneCount<NativePack>::value>>(12u), def, defs);
  Index contacts = 0;
  for (int step = 0; step < 30; ++step) {
    contacts = std::max(contacts, plain.step(scene.dt).contact_count);
    shuffled.step(scene.dt);
    packed.step(scene.dt);
    const std::vector<unsigned char> expected = plain.bytes();
    ASSERT_TRUE(shuffled.bytes() == expected) << "step " << step;
    ASSERT_TRUE(packed.bytes() == expected) << "packs, "
                                            << "step " << step;
  }
  EXPECT_GT(contacts, 10);
}

void expect_same_as_shuffled(const char* name, const char* settings, const SolverSettings& solver) {
  SCOPED_TRACE(std::string(name) + ", " + settings);
  const scenes::Scene scene = scenes::make_scene(name);
  expect_same_as_shuffled(scene, all_bodies(scene), solver);
}

TEST(AgreeCpu, TheOrderOfElementsChangesNothingWithMaterials) {
  scenes::Scene scene;
  const std::vector<BodyDef> heap = surface_heap(40);
  expect_same_as_shuffled(scene, heap, {});
  expect_same_as_shuffled(scene, heap, {.solver = Solver::jacobi, .iterations = 2});
  expect_same_as_shuffled(
      scene, heap,
      {.friction = FrictionModel::polyhedral, .restitution = RestitutionModel::poisson, .friction_sides = 7});
  expect_same_as_shuffled(scene, heap, {.friction = FrictionModel::box});
  for (const RigidVariant& variant : rigid_and_shock_variants()) {
    SCOPED_TRACE(variant.name);
    expect_same_as_shuffled(scene, heap, variant.solver);
  }
}

TEST(AgreeCpu, TheOrderOfElementsAndOldScratchChangeNothing) {
  for (const char* name : {"mixed_pile_100", "plate_36", "tumbler_30"}) expect_same_as_shuffled(name, "defaults", {});
}

TEST(AgreeCpu, TheOrderOfElementsChangesNothingWithOtherSettings) {
  expect_same_as_shuffled("mixed_pile_60", "jacobi",
                          {.solver = Solver::jacobi, .iterations = 2, .report_residual = true});
  expect_same_as_shuffled("mixed_pile_60", "box, moreau",
                          {.friction = FrictionModel::box, .integrator = Integrator::moreau});
  expect_same_as_shuffled("mixed_pile_60", "projection",
                          {.stabilization = Stabilization::projection, .warm_start = false});
}

TEST(AgreeCpu, TheOrderOfElementsChangesNothingWithRigidSolvers) {
  for (const RigidVariant& variant : rigid_and_shock_variants()) {
    expect_same_as_shuffled("mixed_pile_60", variant.name, variant.solver);
  }
  expect_same_as_shuffled("plate_36", "more contacts than colors", rigid_variants()[0].solver);
  expect_same_as_shuffled("plate_36", "more contacts than colors, in layers", {.solver = Solver::shock});
}

/// With joints of all kinds.
TEST(AgreeCpu, RigidSolversAndJointsGiveTheSameBits) {
  for (const RigidVariant& variant : rigid_and_shock_variants()) {
    SCOPED_TRACE(variant.name);
    std::vector<std::uint64_t> all;
    for (const int threads : {1, 3}) {
      WorldDef def = with_threads(threads);
      def.backend = Backend::cpu;
      def.solver = variant.solver;
      World world(def);
      add_joint_soup(world);
      for (int step = 0; step < 40; ++step) ASSERT_TRUE(world.step(1.0f / 60));
      all.push_back(world.state_hash());
    }
    EXPECT_EQ(all[0], all[1]);
  }
}

}  // namespace
}  // namespace talus::test
