// SPDX-License-Identifier: MIT
// A scene that goes through everything, and two backends that simulate it stage by stage.
#pragma once
#include <gtest/gtest.h>
#include <talus/talus.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "agree/recording_backend.h"
#include "unit/simulation_rig.h"

namespace talus::test {

/// Rows of the heap's first bodies.
enum HeapRow : Index { kGround, kWall, kStep, kPusher, kHeavySphere, kPlate, kFirstOfHeap };

/// Spheres, boxes and capsules of several sizes and materials, falling onto a plane, beside another one, a fixed box
/// and a moving one; among them a heavy sphere, and a plate under many of them: more contacts than there are colors.
inline std::vector<BodyDef> heap(int count) {
  std::vector<BodyDef> bodies(kFirstOfHeap);
  bodies[kGround] = {.shape = plane({0.0f, 1.0f, 0.0f})};
  bodies[kWall] = {.shape = plane({1.0f, 0.0f, 0.0f}), .position = {-0.6f, 0.0f, 0.0f}};
  bodies[kStep] = {.shape = box({0.5f, 0.2f, 0.5f}), .motion = Motion::fixed, .position = {2.0f, 0.1f, 2.0f}};
  bodies[kPusher] = {.shape = box({0.3f, 0.3f, 0.3f}),
                     .motion = Motion::kinematic,
                     .position = {-0.2f, 0.3f, 3.2f},
                     .linear_velocity = {0.5f, 0.0f, -0.5f},
                     .angular_velocity = {0.0f, 1.0f, 0.0f}};
  bodies[kHeavySphere] = {.shape = sphere(0.6f), .mass = 20.0f, .position = {0.9f, 1.15f, 2.3f}};
  bodies[kPlate] = {.shape = box({0.9f, 0.1f, 0.9f}), .mass = 5.0f, .position = {0.7f, 0.15f, 0.7f}};
  const int side = 7;
  for (int i = 0; i < count; ++i) {
    const int layer = i / (side * side), x = i % side, z = i / side % side;
    const float size = 0.13f + 0.015f * static_cast<float>(i % 5);
    BodyDef body;
    body.shape = i % 3 == 0 ? sphere(size) : i % 3 == 1 ? box({size, 0.8f * size, 0.9f * size}) : capsule(size, size);
    body.position = {0.42f * static_cast<float>(x) + 0.01f * static_cast<float>(i % 7),
                     0.45f + 0.5f * static_cast<float>(layer), 0.42f * static_cast<float>(z)};
    if (std::abs(body.position.x - 0.9f) < 0.9f && std::abs(body.position.z - 2.3f) < 0.9f) body.position.y += 1.6f;
    body.angular_velocity = {static_cast<float>(i % 3) - 1.0f, 0.5f, 0.25f * static_cast<float>(i % 5)};
    body.linear_velocity = {0.0f, -3.0f, 0.0f};
    body.material.friction = 0.2f + 0.1f * static_cast<float>(i % 6);
    body.material.restitution = i % 8 == 0 ? 0.6f : 0.0f;
    body.linear_damping = i % 9 == 0 ? 0.1f : 0.0f;
    bodies.push_back(body);
  }
  return bodies;
}

/// Edits of all kinds: a body leaves, one comes to its place, others are pushed and moved.
inline void edit_heap(Simulation& simulation, int step) {
  EditQueue edits;
  if (step == 3) edits.replace(kFirstOfHeap + 4, BodyModelRow{}, BodyStateRow{});
  if (step == 5) {
    const NewBody body =
        make_body(Where{"heap", "defs", 0}, {.shape = capsule(0.2f, 0.3f), .position = {1.0f, 2.5f, 1.0f}});
    edits.replace(kFirstOfHeap + 4, body.mirror.model, body.state);
    edits.add_force(kFirstOfHeap + 5, {0.0f, 40.0f, 5.0f}, {0.1f, 0.2f, 0.3f});
    edits.add_impulse_at(kFirstOfHeap + 6, {0.5f, 0.0f, 0.1f}, {0.4f, 0.5f, 0.4f});
    edits.set_pose(kFirstOfHeap + 7, {1.0f, 2.2f, 0.5f}, kIdentity);
  }
  if (step == 7) simulation.set_ignored_pairs(std::vector<std::uint64_t>{std::uint64_t(kPusher) << 32 | kFirstOfHeap});
  if (!edits.empty()) simulation.apply(edits.take());
}

/// What the steps met: a comparison proves nothing about what did not happen.
struct HeapSeen {
  Index contacts = 0, overflow = 0, recycled = 0;  // largest of any step
  int shape_pairs = 0;                             // kinds of contacts, of the nine there are
  bool pushed = false;                             // by the kinematic body
  bool squeezed = false;                           // a body had the inertia of its load
  Index asleep = 0;                                // largest number
  Index woken = 0;                                 // bodies, sum of all steps
  StepStatus status = StepStatus::ok;              // union
  std::size_t stages = 0;                          // compared
  std::string difference;                          // of the first stage that differs; empty: none does
};

/// Bodies that sleep as soon as they can, and tell of it.
inline WorldDef drowsy() {
  WorldDef def;
  def.events.enabled = true;
  def.sleep = {.enabled = true, .speed = 0.3f, .time = 0.1f};
  return def;
}

/// The first bodies of the heap, and piles of three that stand by themselves, with a ball on its way to every fourth.
inline std::vector<BodyDef> scattered(int piles) {
  std::vector<BodyDef> bodies = heap(8);
  for (int i = 0; i < piles; ++i) {
    const float x = 6.0f + 2.5f * static_cast<float>(i % 8), z = 2.5f * static_cast<float>(i / 8);
    for (int k = 0; k < 3; ++k) {
      BodyDef body;
      const float y = 0.3f + 0.6f * static_cast<float>(k);
      body.shape = k == 2 && i % 2 == 0 ? capsule(0.3f, 0.1f) : box({0.4f, 0.3f, 0.4f});
      body.position = {x, k == 2 && i % 2 == 0 ? y + 0.1f : y, z};
      bodies.push_back(body);
    }
    if (i % 4 != 1) continue;
    bodies.push_back({.shape = sphere(0.25f),
                      .position = {x, 0.9f, z - 6.0f - static_cast<float>(i)},
                      .linear_velocity = {0.0f, 3.0f, 12.0f}});
  }
  return bodies;
}

/// No stage differs, and the scene had everything that it is there for. Of 300 bodies.
inline void expect_full_heap(const HeapSeen& seen, int steps) {
  ASSERT_TRUE(seen.difference.empty()) << seen.difference;
  EXPECT_GT(seen.contacts, 300);
  EXPECT_GT(seen.overflow, 0);
  EXPECT_GT(seen.recycled, 0);
  EXPECT_EQ(seen.shape_pairs, 9);
  EXPECT_TRUE(seen.pushed);
  EXPECT_TRUE(seen.squeezed);
  EXPECT_GE(seen.stages, std::size_t(steps) * (kStageCount - 1));
}

/// Rows of a column of indices.
inline std::vector<Index> indices(const StageDump& dump, const char* name) {
  std::vector<Index> list;
  for (const ColumnDump& column : dump.columns) {
    if (column.name != name) continue;
    list.resize(column.rows());
    std::memcpy(list.data(), column.bytes.data(), column.bytes.size());
  }
  return list;
}

/// Bit 4 * a + b for each two shapes in contact, a <= b; and whether the kinematic body touches one.
inline void note_contacts(const StageDump& dump, const std::vector<BodyDef>& bodies, std::uint32_t& shapes,
                          bool& pushed) {
  const std::vector<Index> owner = indices(dump, "next.pairs.owner"), partner = indices(dump, "next.pairs.partner");
  for (const Index pair : indices(dump, "solve.contacts.pair")) {
    const Index a = owner.at(std::size_t(pair)), b = partner.at(std::size_t(pair));
    const int x = int(bodies.at(std::size_t(a)).shape.type), y = int(bodies.at(std::size_t(b)).shape.type);
    shapes |= 1u << (4 * std::min(x, y) + std::max(x, y));
    pushed = pushed || a == kPusher || b == kPusher;
  }
}

/// Simulates the heap on two backends and compares all tables after each stage; ends at the first difference.
inline HeapSeen compare_stages(const std::shared_ptr<RecordingBackend>& a, const std::shared_ptr<RecordingBackend>& b,
                               const WorldDef& def, const std::vector<BodyDef>& bodies, int steps) {
  SimulationRig rig_a(a, def, bodies), rig_b(b, def, bodies);
  HeapSeen seen;
  std::uint32_t shapes = 0;
  Index asleep_before = 0;
  for (int step = 0; step < steps; ++step) {
    edit_heap(rig_a.simulation(), step);
    edit_heap(rig_b.simulation(), step);
    const StepReport report = rig_a.step(1.0f / 60.0f);
    rig_b.step(1.0f / 60.0f);
    const std::vector<StageDump> stages_a = a->take_stages(), stages_b = b->take_stages();
    for (std::size_t i = 0; i < stages_a.size() && i < stages_b.size(); ++i) {
      const std::string text = difference(stages_a[i], stages_b[i]);
      if (!text.empty()) {
        seen.difference = "step " + std::to_string(step) + ":" + text;
        return seen;
      }
    }
    if (stages_a.size() != stages_b.size()) {
      seen.difference = "step " + std::to_string(step) + ": " + std::to_string(stages_a.size()) + " and " +
                        std::to_string(stages_b.size()) + " stages";
      return seen;
    }
    seen.stages += stages_a.size();
    seen.contacts = std::max(seen.contacts, report.contact_count);
    seen.overflow = std::max(seen.overflow, report.overflow_count);
    seen.recycled = std::max(seen.recycled, report.recycled_count);
    seen.status = seen.status | report.status;
    const Index asleep = report.body_count - report.awake_count;
    seen.woken += std::max(asleep_before - asleep, 0);
    seen.asleep = std::max(seen.asleep, asleep);
    asleep_before = asleep;
    for (const StageDump& stage : stages_a) {
      note_contacts(stage, bodies, shapes, seen.pushed);
      const std::vector<Index> counters = indices(stage, "counters");
      seen.squeezed = seen.squeezed || counters.at(offsetof(Counters, squeezed) / sizeof(Index)) > 0;
    }
    seen.shape_pairs = std::popcount(shapes);
  }
  return seen;
}

}  // namespace talus::test
