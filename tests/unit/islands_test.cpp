// SPDX-License-Identifier: MIT
// Islands: components of random graphs against a plain union-find, on any number of threads.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "islands.h"
#include "memory_cpu.h"
#include "sleep.h"
#include "table.h"

namespace talus::test {
namespace {

using Edges = std::vector<std::pair<Index, Index>>;

/// The lowest row of each row's component: labels are lowered along edges until none changes.
std::vector<Index> lowest_rows(Index rows, const Edges& edges) {
  std::vector<Index> label(static_cast<std::size_t>(rows));
  std::iota(label.begin(), label.end(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [a, b] : edges) {
      Index &x = label[std::size_t(a)], &y = label[std::size_t(b)];
      changed = changed || x != y;
      x = y = std::min(x, y);
    }
  }
  return label;
}

std::vector<Index> roots(Index rows, const Edges& edges, int threads) {
  std::vector<Index> parent(static_cast<std::size_t>(rows));
  std::iota(parent.begin(), parent.end(), 0);
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t) {
    workers.emplace_back([&, t] {
      for (std::size_t i = std::size_t(t); i < edges.size(); i += std::size_t(threads)) {
        link_rows(parent.data(), edges[i].first, edges[i].second);
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  std::vector<Index> found;
  for (Index row = 0; row < rows; ++row) found.push_back(find_root(parent.data(), row));
  return found;
}

TEST(Islands, RootsAreTheLowestRowsOfRandomGraphs) {
  for (std::uint32_t seed = 1; seed <= 30; ++seed) {
    std::mt19937 random(seed);
    const Index rows = 1 + Index(random() % 3000);
    Edges edges(random() % std::size_t(2 * rows));  // from dust to a single island
    for (auto& [a, b] : edges) {
      a = Index(random() % std::uint32_t(rows));
      b = seed % 3 == 0 ? std::min(a + 1, rows - 1) : Index(random() % std::uint32_t(rows));  // long chains, too
    }
    const std::vector<Index> expected = lowest_rows(rows, edges);
    for (const int threads : {1, 2, 5}) {
      EXPECT_EQ(roots(rows, edges, threads), expected) << "seed " << seed << ", " << threads << " threads";
    }
  }
}

TEST(Islands, AChainLinkedFromItsEndIsOneIsland) {
  Edges edges;
  for (Index row = 9999; row > 0; --row) edges.emplace_back(row, row - 1);
  EXPECT_EQ(roots(10000, edges, 3), std::vector<Index>(10000, 0));
}

/// Bodies 0..5 dynamic, 6 fixed, 7 kinematic and moving, 8 asleep.
TEST(Islands, JointsLinkWhatMovesAndHoldTheRest) {
  CpuMemory memory;
  Table<BodyModel> model;
  Table<BodyState> state;
  Table<SleepRows> rows;
  Table<JointModel> joints;
  Table<JointState> joint_state;
  model.resize(memory, 32, 0, "model");
  state.resize(memory, 32, 0, "state");
  rows.resize(memory, 32, 0, "rows");
  joints.resize(memory, 8, 0, "joints");
  joint_state.resize(memory, 8, 0, "joints");
  for (Index row = 0; row < 9; ++row) {
    model.view().alive[row] = 1;
    model.view().motion[row] = std::uint8_t(row == 6 ? Motion::fixed : row == 7 ? Motion::kinematic : Motion::dynamic);
    rows.view().parent[row] = row;
  }
  state.view().linear_velocity.set(7, {0.0f, 1e-3f, 0.0f});
  state.view().asleep[8] = 1;
  const std::pair<Index, Index> bodies[] = {{4, 2}, {-1, 3}, {6, 4}, {7, 5}, {0, 1}, {8, 1}, {1, 2}};
  for (Index i = 0; i < 7; ++i) {
    joints.view().alive[i] = 1;
    joints.view().body_a[i] = bodies[i].first;
    joints.view().body_b[i] = bodies[i].second;
  }
  joint_state.view().broken[4] = 1;
  joints.view().alive[6] = 0;
  const LinkJoints link{{{model.view(), state.view()}, rows.view()}, joints.view(), joint_state.view()};
  for (Index joint = 7; joint-- > 0;) link(joint);
  Index* parent = rows.view().parent.data;
  const Index expected[] = {0, 1, 2, 3, 2, 5, 6, 7, 8};
  for (Index row = 0; row < 9; ++row) EXPECT_EQ(find_root(parent, row), expected[row]) << row;
  const std::uint32_t moods[] = {0, kHeld, kHeld, kHeld, kHeld, kHeld | kRestless, 0, 0, 0};
  for (Index row = 0; row < 9; ++row) EXPECT_EQ(rows.view().mood[row], moods[row]) << row;
}

/// Of bodies that move by 5 mm there and back in every other step, on at 0.06 m/s, on at 0.04 m/s, that turn at 0.12
/// rad/s with a radius of 0.5 m, and that tremble by 5 cm.
TEST(Islands, BodiesAreSlowByHowFarTheyGet) {
  constexpr Index kBodies = 5;
  CpuMemory memory;
  Table<BodyModel> model;
  Table<BodyState> state;
  model.resize(memory, 32, 0, "model");
  state.resize(memory, 32, 0, "state");
  StepParams params{};
  params.dt = 1.0f / 60;
  params.sleep_speed = 0.05f;
  params.sleep_time = 0.5f;
  Counters counters{};
  const BodyState s = state.view();
  for (Index row = 0; row < kBodies; ++row) {
    model.view().motion[row] = std::uint8_t(Motion::dynamic);
    model.view().radius[row] = 0.5f;
  }
  for (int step = 0; step < 64; ++step) {
    const float time = float(step) / 60, side = step % 2 == 0 ? 0.0f : 1.0f, turn = 0.06f * time;
    s.position.set(0, {0.005f * side, 0.0f, 0.0f});
    s.linear_velocity.set(0, {0.3f - 0.6f * side, 0.0f, 0.0f});
    s.position.set(1, {0.06f * time, 0.0f, 0.0f});
    s.linear_velocity.set(1, {0.06f, 0.0f, 0.0f});
    s.position.set(2, {0.04f * time, 0.0f, 0.0f});
    s.linear_velocity.set(2, {0.04f, 0.0f, 0.0f});
    s.position.set(4, {0.05f * side, 0.0f, 0.0f});
    s.linear_velocity.set(4, {3.0f - 6.0f * side, 0.0f, 0.0f});
    for (Index row = 0; row < kBodies; ++row) {
      const float half = row == 3 ? turn : 0.0f;
      s.orientation.set(row, {std::sin(half), 0.0f, 0.0f, std::cos(half)});
      s.angular_velocity.set(row, {row == 3 ? 0.12f : 0.0f, 0.0f, 0.0f});
    }
    counters.sleep_clock = (step + 1) % kIslandPeriod;
    for (Index row = 0; row < kBodies; ++row) {
      CountQuiet{model.view(), s, &params, &counters}.solve<float>(row);
    }
  }
  const bool slow[kBodies] = {true, false, true, false, false};
  for (Index row = 0; row < kBodies; ++row) EXPECT_EQ(s.quiet[row] > 0.5f, slow[row]) << row;
}

}  // namespace
}  // namespace talus::test
