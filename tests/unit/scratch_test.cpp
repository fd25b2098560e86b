// SPDX-License-Identifier: MIT
// Memory of a world: tables that share a block, and blocks that are zero.
#include "scratch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "memory_cpu.h"

namespace talus::test {
namespace {

struct Area {
  std::size_t begin, end;
  Lifetime life;
};

void expect_apart(const std::vector<Area>& areas) {
  for (std::size_t i = 0; i < areas.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Area &a = areas[i], &b = areas[j];
      EXPECT_FALSE(a.life.meets(b.life) && a.begin < b.end && b.begin < a.end) << "tables " << i << " and " << j;
    }
  }
}

TEST(SharedLayout, TablesAliveTogetherLieApart) {
  std::mt19937 random(5);
  for (int round = 0; round < 100; ++round) {
    SharedLayout layout;
    std::vector<Area> areas;
    std::size_t sum = 0;
    for (int i = 0; i < 12; ++i) {
      const int a = int(random() % kStageCount), b = int(random() % kStageCount);
      const Lifetime life{Stage(std::min(a, b)), Stage(std::max(a, b))};
      const std::size_t bytes = random() % 1000, at = layout.place(bytes, life);
      areas.push_back({at, at + bytes, life});
      sum += bytes;
      EXPECT_LE(at + bytes, layout.bytes());
    }
    expect_apart(areas);
    EXPECT_LE(layout.bytes(), sum);
  }
}

TEST(SharedLayout, TablesThatNeverMeetShareTheirPlace) {
  SharedLayout layout;
  EXPECT_EQ(layout.place(1000, {Stage::find_pairs, Stage::find_pairs}), 0u);
  EXPECT_EQ(layout.place(800, {Stage::collide_pairs, Stage::finish_step}), 0u);
  EXPECT_EQ(layout.place(300, {Stage::update_bounds, Stage::collide_pairs}), 1000u);
  EXPECT_EQ(layout.place(100, {Stage::prepare_contacts, Stage::solve_contacts}), 800u) << "in the gap";
  EXPECT_EQ(layout.bytes(), 1300u);
}

/// From the first byte of the first column to the last of the last one.
template <class View>
Area area_of(View view, Lifetime life) {
  std::size_t begin = SIZE_MAX, end = 0;
  view.visit_columns([&](const char*, auto& column) {
    visit_planes(column, [&](auto*& plane) {
      const std::size_t at = reinterpret_cast<std::uintptr_t>(plane);
      begin = std::min(begin, at);
      end = std::max(end, at + sizeof(*plane) * static_cast<std::size_t>(column.size));
    });
  });
  return {begin, end, life};
}

TEST(Scratch, TablesAliveTogetherLieApartWhateverIsLargest) {
  CpuMemory memory;
  const ScratchRoom rooms[] = {{.rows = 32},
                               {.rows = 3200, .entries = 1, .pairs = 1, .contacts = 1},
                               {.rows = 64, .entries = 5000, .pairs = 10, .contacts = 10},
                               {.rows = 64, .entries = 100, .pairs = 5000, .contacts = 7},
                               {.rows = 64, .entries = 100, .pairs = 900, .contacts = 1001}};
  for (const ScratchRoom& room : rooms) {
    Scratch scratch;
    scratch.resize(memory, room);
    const BroadScratch& broad = scratch.broad();
    const SolveScratch& solve = scratch.solve();
    const std::size_t lanes = reinterpret_cast<std::uintptr_t>(solve.lanes.words);
    const std::size_t grid = reinterpret_cast<std::uintptr_t>(broad.grid);
    EXPECT_GE(solve.lanes.size, room.contacts + (kColorCount - 1) * kLanes);
    expect_apart({area_of(broad.rows, kBroadRowsLife), area_of(broad.entries, kEntriesLife),
                  area_of(broad.found, kFoundLife), area_of(solve.color_rows, kColorRowsLife),
                  area_of(solve.color_contacts, kColorContactsLife), area_of(solve.pairs, kPairsLife),
                  area_of(solve.contacts, kContactsLife),
                  Area{lanes, lanes + sizeof(std::uint32_t) * row::kFields * std::size_t(solve.lanes.size), kLanesLife},
                  Area{grid, grid + sizeof(GridState), kGridLife}});
  }
}

TEST(Scratch, TablesOfTheRigidSolversLieApart) {
  CpuMemory memory;
  for (const ScratchRoom& room : {ScratchRoom{.rows = 64, .entries = 100, .pairs = 900, .contacts = 1001, .sweeps = 30},
                                  ScratchRoom{.rows = 3200, .contacts = 1, .sweeps = 10000, .history = true}}) {
    Scratch scratch;
    scratch.resize(memory, room);
    const RigidScratch& rigid = scratch.rigid();
    const SolveScratch& solve = scratch.solve();
    const auto area = [](const auto* data, std::size_t count, Lifetime life) {
      const std::size_t at = reinterpret_cast<std::uintptr_t>(data);
      return Area{at, at + sizeof(*data) * count, life};
    };
    EXPECT_EQ(solve.lanes.size, 0);
    EXPECT_GE(rigid.rows.size, room.contacts + (kColorCount - 1) * kLanes);
    EXPECT_GE(rigid.run_sum.size * kSumRun, rigid.block_sum.size);
    EXPECT_EQ(rigid.open.size, room.sweeps + 1);
    EXPECT_EQ(rigid.history.size, room.history ? room.sweeps : 0);
    expect_apart({area(rigid.rows.words, std::size_t(rigid.rows.size) * rigid_row::kFields, kRigidRowsLife),
                  area_of(rigid.bodies, kRigidLife), area(rigid.open.data, std::size_t(rigid.open.size), kRigidLife),
                  area(rigid.block_sum.data, std::size_t(rigid.block_sum.size), kRigidLife),
                  area(rigid.run_sum.data, std::size_t(rigid.run_sum.size), kRigidLife),
                  area(rigid.history.data, std::size_t(rigid.history.size), kRigidLife),
                  area(rigid.state, 1, kRigidLife), area_of(solve.contacts, kContactsLife),
                  area_of(solve.pairs, kPairsLife)});
  }
}

TEST(CpuMemory, EveryBlockIsZeroAndAligned) {
  CpuMemory memory;
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{300}, std::size_t{1} << 20, (std::size_t{1} << 21) - 1,
                                  std::size_t{1} << 21, (std::size_t{5} << 20) + 77}) {
    for (int round = 0; round < 3; ++round) {  // the second time there may be an old block to give out again
      auto* block = static_cast<unsigned char*>(memory.allocate(bytes, "a test"));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 256, 0u);
      EXPECT_TRUE(std::all_of(block, block + bytes, [](unsigned char byte) { return byte == 0; })) << bytes;
      memory.fill(block, 0xff, bytes);
      memory.release(block, bytes);
    }
  }
}

}  // namespace
}  // namespace talus::test
