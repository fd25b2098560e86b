// SPDX-License-Identifier: MIT
// Buffers that are too small are enlarged and the step done again: with the bits of a world that was large from the
// start.
#include <gtest/gtest.h>
#include <talus/talus.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend.h"
#include "simulation_rig.h"
#include "support/backends.h"
#include "support/scene.h"

namespace talus::test {
namespace {

class WorldGrowthTest : public OnBackend {
 protected:
  static WorldDef tiny() {
    WorldDef d = def();
    d.reserve_bodies = d.reserve_pairs = d.reserve_contacts = 1;
    return d;
  }
  static WorldDef large() {
    WorldDef d = def();
    d.reserve_bodies = 1000;
    d.reserve_pairs = 20'000;
    d.reserve_contacts = 20'000;
    return d;
  }
  int bodies() const { return cpu_or_cuda(200, 27); }
  int steps() const { return cpu_or_cuda(60, 15); }
};
TALUS_INSTANTIATE_ON_BACKENDS(WorldGrowthTest);

TEST_P(WorldGrowthTest, EveryStepHasTheBitsOfALargeWorld) {
  World small(tiny()), big(large());
  small.add_bodies(pile(bodies()));
  big.add_bodies(pile(bodies()));
  StepStatus grown = StepStatus::ok;
  for (int i = 0; i < steps(); ++i) {
    const StepReport a = small.step(kStep), b = big.step(kStep);
    grown = grown | a.status;
    EXPECT_FALSE(has(b.status, StepStatus::pairs_grown) || has(b.status, StepStatus::contacts_grown));
    EXPECT_EQ(a.pair_count, b.pair_count);
    EXPECT_EQ(a.contact_count, b.contact_count);
    EXPECT_EQ(a.recycled_count, b.recycled_count);
    ASSERT_EQ(small.state_hash(), big.state_hash()) << "step " << i + 1;
  }
  EXPECT_TRUE(has(grown, StepStatus::pairs_grown));
  EXPECT_TRUE(has(grown, StepStatus::contacts_grown));
}

TEST_P(WorldGrowthTest, QueuedStepsAreRedoneInOrder) {
  World small(tiny()), big(large());
  small.add_bodies(pile(bodies()));
  big.add_bodies(pile(bodies()));
  for (int i = 0; i < steps(); ++i) small.step_async(kStep);
  big.step_n(steps(), kStep);
  EXPECT_EQ(small.last_report().step, std::uint64_t(steps()));
  EXPECT_EQ(small.state_hash(), big.state_hash());
}

TEST_P(WorldGrowthTest, EditsBetweenQueuedStepsAreNeitherLostNorDoubled) {
  World small(tiny()), big(large());
  const std::vector<BodyId> ids = small.add_bodies(pile(bodies()));
  big.add_bodies(pile(bodies()));
  const auto edit = [&](World& w, int i) {
    const BodyId body = ids[1 + std::size_t(i * 7) % std::size_t(bodies())];
    w.apply_force(body, {5, 30, 0});
    w.apply_impulse_at(body, {0.5f, 0, 0.25f}, {1, 2, 3});
    if (i % 4 == 1) w.set_pose(body, {{2, 9.0f + float(i), 2}, kIdentity});
    if (i % 5 == 2) w.set_material(body, Material{0.1f, 0.4f});
    if (i % 6 == 3) w.set_gravity({0, -9.0f - 0.1f * float(i), 0});
  };
  for (int i = 0; i < steps(); ++i) {
    edit(small, i);
    small.step_async(i % 3 == 0 ? kStep : 0.5f * kStep);
    edit(big, i);
    big.step(i % 3 == 0 ? kStep : 0.5f * kStep);
  }
  EXPECT_EQ(small.state_hash(), big.state_hash());
}

TEST_P(WorldGrowthTest, StepNReportsTheGrowthOfAnyStep) {
  World small(tiny());
  small.add_bodies(pile(bodies()));
  const StepReport first = small.step_n(steps(), kStep);
  EXPECT_TRUE(has(first.status, StepStatus::pairs_grown));
  EXPECT_TRUE(has(first.status, StepStatus::contacts_grown));
  EXPECT_TRUE(first) << "growth is no failure: " << first.message();
  EXPECT_FALSE(has(small.step(kStep).status, StepStatus::pairs_grown) &&
               has(small.step(kStep).status, StepStatus::pairs_grown))
      << "there is slack";
}

TEST_P(WorldGrowthTest, BodiesAddedOneByOneEqualBodiesAddedAtOnce) {
  const std::vector<BodyDef> defs = pile(cpu_or_cuda(300, 70));
  World one_by_one(tiny()), at_once(large());
  for (const BodyDef& d : defs) one_by_one.add_body(d);
  at_once.add_bodies(defs);
  EXPECT_EQ(one_by_one.state_hash(), at_once.state_hash());
  one_by_one.step_n(cpu_or_cuda(10, 2), kStep);
  at_once.step_n(cpu_or_cuda(10, 2), kStep);
  EXPECT_EQ(one_by_one.state_hash(), at_once.state_hash());
}

TEST_P(WorldGrowthTest, RowsGrownBetweenStepsKeepTheContacts) {
  // The tables of bodies move while contacts are warm.
  World small(tiny()), big(large());
  std::vector<BodyDef> more = pile(150);
  more.erase(more.begin());
  for (BodyDef& d : more) d.position.x += 40.0f;
  for (World* w : {&small, &big}) {
    w->add_bodies(pile(30));
    w->step_n(20, kStep);
    w->add_bodies(more);
    w->step_n(cpu_or_cuda(20, 4), kStep);
  }
  EXPECT_EQ(small.state_hash(), big.state_hash());
}

// ---- no memory to grow into ----------------------------------------------------------------------------------------

/// Gives out a number of blocks, then no more.
class ScarceMemory final : public Memory {
 public:
  explicit ScarceMemory(Memory& memory) : memory_(memory) {}
  int left = 1'000'000;

  void* allocate(std::size_t bytes, const char* what) override {
    if (left == 0) throw Error(std::string("out of memory for ") + what);
    --left;
    return memory_.allocate(bytes, what);
  }
  void release(void* block, std::size_t bytes) noexcept override { memory_.release(block, bytes); }
  void upload(void* to, const void* from, std::size_t bytes) override { memory_.upload(to, from, bytes); }
  void download(void* to, const void* from, std::size_t bytes) override { memory_.download(to, from, bytes); }
  void copy(void* to, const void* from, std::size_t bytes) override { memory_.copy(to, from, bytes); }
  void fill(void* to, unsigned char byte, std::size_t bytes) override { memory_.fill(to, byte, bytes); }

 private:
  Memory& memory_;
};

class ScarceBackend final : public StepBackend {
 public:
  Backend kind() const override { return cpu_->kind(); }
  ScarceMemory& memory() override { return memory_; }
  void apply_edits(const EditViews& edits, const StepViews& views) override { cpu_->apply_edits(edits, views); }
  void enqueue_step(const StepViews& views) override { cpu_->enqueue_step(views); }
  std::span<const Counters> wait() override { return cpu_->wait(); }
  std::array<float, kStageCount> stage_ms() const override { return cpu_->stage_ms(); }
  void* stream() const override { return nullptr; }
  void record_event(void*) override {}
  void wait_event(void*) override {}

 private:
  std::unique_ptr<StepBackend> cpu_ = make_cpu_backend(1);
  ScarceMemory memory_{cpu_->memory()};
};

TEST(Growth, WithoutMemoryTheStepIsMissingAndNothingElse) {
  // However far the growth gets before memory runs out: the world stands before the step, and can go on when there is
  // some.
  WorldDef d;
  d.reserve_bodies = d.reserve_pairs = d.reserve_contacts = 1;
  const std::vector<BodyDef> defs = pile(40);
  SimulationRig reference(std::make_shared<ScarceBackend>(), WorldDef{}, defs);
  reference.step(kStep);
  int failures = 0;
  for (int blocks = 0; failures == blocks; ++blocks) {
    const std::shared_ptr<ScarceBackend> backend = std::make_shared<ScarceBackend>();
    SimulationRig rig(backend, d, defs);
    const std::vector<unsigned char> before = rig.bytes();
    backend->memory().left = blocks;
    const std::string text = error_of([&] { rig.step(kStep); });
    backend->memory().left = 1'000'000;
    if (!text.empty()) {
      ++failures;
      EXPECT_NE(text.find("out of memory"), std::string::npos) << text;
      EXPECT_EQ(rig.simulation().step_number(), 0u);
      EXPECT_TRUE(rig.bytes() == before) << blocks;
      rig.step(kStep);
    }
    EXPECT_TRUE(rig.bytes() == reference.bytes()) << blocks;
    EXPECT_EQ(rig.simulation().step_number(), 1u);
  }
  EXPECT_GT(failures, 5) << "blocks that a growth takes";
}

}  // namespace
}  // namespace talus::test
