// SPDX-License-Identifier: MIT
// Materials of a world: names, pairs, errors, and that they survive snapshots and growth.
#include <gtest/gtest.h>
#include <talus/talus.h>

#include <string>
#include <vector>

#include "support/backends.h"
#include "support/scene.h"
#include "support/snapshot.h"
#include "support/surface_heap.h"

namespace talus::test {
namespace {

class WorldMaterialsTest : public OnBackend {};
TALUS_INSTANTIATE_ON_BACKENDS(WorldMaterialsTest);

constexpr float kStep = 1.0f / 60.0f;

WorldDef laws(WorldDef def) {
  def.solver.friction = FrictionModel::polyhedral;
  def.solver.friction_sides = 6;
  def.solver.restitution = RestitutionModel::poisson;
  return def;
}

TEST_P(WorldMaterialsTest, DefinitionsComeBack) {
  World world(def());
  const Material wood{.friction = 0.4f,
                      .restitution = 0.2f,
                      .dynamic_friction = 0.3f,
                      .grain = {0.0f, 0.6f, 0.8f},
                      .friction_along = 0.2f,
                      .friction_across = 0.5f,
                      .torsional_friction = 0.01f,
                      .rolling_friction = 0.02f,
                      .friction_against = 0.6f};
  const MaterialId id = world.add_material(wood);
  const Material cloth{.friction = 0.4f, .grain = {1, 0, 0}, .friction_tensor = FrictionTensor{1.5f, 0.5f, 0.2f}};
  const BodyId sail = world.add_body({.position = {9, 0, 0}, .material = cloth});
  EXPECT_EQ(world.definition(sail).material.friction_tensor->shear, 0.2f);
  EXPECT_EQ(world.material(id).friction_against, 0.6f);
  EXPECT_EQ(world.material(id).friction_across, 0.5f);
  const BodyId named = world.add_body({.material_id = id}),
               own = world.add_body({.position = {5, 0, 0}, .material = wood});
  EXPECT_EQ(world.definition(named).material_id, id);
  EXPECT_EQ(world.definition(named).material.grain.y, 0.6f);
  EXPECT_EQ(world.definition(own).material_id, MaterialId{});
  EXPECT_EQ(world.definition(own).material.dynamic_friction, 0.3f);
  EXPECT_EQ(world.definition(own).material.rolling_friction, 0.02f);
  world.set_material(own, {.friction = 0.9f});
  EXPECT_FALSE(world.definition(own).material.dynamic_friction.has_value());
  world.assign_material(own, id);
  world.set_material(id, {.friction = 0.7f});
  EXPECT_EQ(world.definition(own).material.friction, 0.7f);
  EXPECT_EQ(world.definition(named).material.friction, 0.7f);
  world.set_material_pair(id, id, {.friction = 0.1f, .rolling_friction = 0.5f});
  EXPECT_EQ(world.material_pair(id, id).rolling_friction, 0.5f);
  world.set_material_pair(id, id, {});
  EXPECT_FALSE(world.material_pair(id, id).friction.has_value());
}

TEST_P(WorldMaterialsTest, ContactsReportTheCoefficientOfThePair) {
  WorldDef d = def();
  d.contact_reports = true;
  World world(d);
  const MaterialId a = world.add_material({.friction = 0.4f}), b = world.add_material({.friction = 0.9f});
  world.add_body({.shape = plane({0, 1, 0}), .material_id = a});
  world.add_body({.shape = sphere(0.5f), .position = {0, 0.5f, 0}, .material_id = b});
  world.step(kStep);
  ASSERT_EQ(world.read_contacts().size(), 1u);
  EXPECT_NEAR(world.read_contacts()[0].friction, 0.6f, 1e-6f);
  world.set_material_pair(b, a, {.friction = 0.1f});
  world.step(kStep);
  EXPECT_EQ(world.read_contacts()[0].friction, 0.1f);
}

TEST_P(WorldMaterialsTest, SnapshotsResumeBitForBit) {
  for (const bool with_laws : {false, true}) {
    World world(with_laws ? laws(def()) : def()), other(def());
    add_surface_heap(world, 24);
    world.step_n(25, kStep);
    const std::string bytes = saved(world);
    restore(other, bytes);
    EXPECT_EQ(saved(other), bytes);
    EXPECT_EQ(other.state_hash(), world.state_hash());
    for (World* w : {&world, &other}) {
      w->remove_body(w->bodies()[5]);
      w->add_body({.position = {0, 3, 0}, .material = any_material(2)});
      w->set_material(w->bodies()[6], any_material(8));
      w->step_n(10, kStep);
    }
    EXPECT_EQ(other.state_hash(), world.state_hash());
    EXPECT_EQ(other.def().solver.restitution, world.def().solver.restitution);
  }
}

TEST_P(WorldMaterialsTest, SizesOfBuffersAndThreadsChangeNothing) {
  WorldDef tiny = def(), large = def();
  tiny.reserve_bodies = tiny.reserve_pairs = tiny.reserve_contacts = 1;
  tiny.threads = 1;
  large.reserve_bodies = 1000;
  large.reserve_pairs = large.reserve_contacts = 10000;
  large.threads = 3;
  World a(tiny), b(large);
  add_surface_heap(a, 32);
  add_surface_heap(b, 32);
  for (int i = 0; i < 20; ++i) a.step_async(kStep);
  b.step_n(20, kStep);
  EXPECT_EQ(a.state_hash(), b.state_hash());
}

TEST_P(WorldMaterialsTest, TheLastSpecialMaterialLeavesAPlainWorld) {
  World never(def()), once(def());
  for (World* w : {&never, &once}) {
    w->add_body({.shape = plane({0, 1, 0})});
    w->add_body({.shape = box({0.5f, 0.5f, 0.5f}), .position = {0, 0.6f, 0}, .linear_velocity = {2, 0, 0}});
  }
  const BodyId special = once.add_body({.position = {0, 50, 0}, .material = {.rolling_friction = 0.1f}});
  never.add_body({.position = {0, 50, 0}});
  once.set_material(special, {});
  once.step_n(20, kStep);
  never.step_n(20, kStep);
  EXPECT_EQ(saved(once).size() > 0, true);
  const BodyId body = once.bodies()[1];
  EXPECT_EQ(once.position(body).x, never.position(body).x);
  EXPECT_EQ(once.position(body).y, never.position(body).y);
}

TEST_P(WorldMaterialsTest, ForgedMaterialsAreRefusedOrHarmless) {
  World world(def()), other(def());
  add_surface_heap(world, 6);
  world.step_n(5, kStep);
  const std::string bytes = saved(world);
  for (std::size_t size = bytes.size() - 900; size < bytes.size(); size += 13) {
    EXPECT_THROW(restore(other, bytes.substr(0, size)), Error) << size;
  }
}

}  // namespace
}  // namespace talus::test
