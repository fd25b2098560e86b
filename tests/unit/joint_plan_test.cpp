// SPDX-License-Identifier: MIT
// The plan of the joints: hand-made graphs, and what must hold for any graph.
#include "joint_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <vector>

namespace talus::test {
namespace {

constexpr std::uint32_t axes_of(std::initializer_list<int> locked) {
  std::uint32_t axes = 0;
  for (const int axis : locked) axes |= axis_bits(axis, AxisMode::locked, Drive::none);
  return axes;
}
constexpr std::uint32_t kBall = axes_of({0, 1, 2}), kHinge = axes_of({0, 1, 2, 4, 5});
constexpr std::uint32_t kServo = axis_bits(3, AxisMode::free, Drive::servo);
constexpr std::uint32_t kLimited = axis_bits(0, AxisMode::limited, Drive::none);

PlanJoint joint(Index row, Index a, Index b, std::uint32_t axes = kBall) {
  return {row, a, b, axes, 0, false};
}

bool locks(const PlanJoint& j) {
  for (int axis = 0; axis < kAxisCount; ++axis) {
    if (axis_mode(j.axes, axis) == AxisMode::locked) return true;
  }
  return false;
}
bool sweeps(const PlanJoint& j) {
  bool any = j.rubs;
  for (int axis = 0; axis < kAxisCount; ++axis) {
    any = any || axis_mode(j.axes, axis) == AxisMode::limited || axis_drive(j.axes, axis) != Drive::none;
  }
  return any;
}

bool same(const TreeLane& x, const TreeLane& y) {
  return std::tie(x.joint, x.child, x.parent, x.child_is_a) == std::tie(y.joint, y.child, y.parent, y.child_is_a);
}

// Lanes that hold something.
std::vector<TreeLane> filled(const JointPlanTables& plan) {
  std::vector<TreeLane> lanes;
  std::copy_if(plan.tree_lanes.begin(), plan.tree_lanes.end(), std::back_inserter(lanes),
               [](const TreeLane& lane) { return lane.child >= 0; });
  return lanes;
}

// All that must hold for any list of joints.
void expect_valid(const JointPlanTables& plan, const std::vector<PlanJoint>& joints, const std::vector<float>& mass) {
  const auto moves = [&](Index body) { return body >= 0 && mass[std::size_t(body)] > 0.0f; };
  std::map<Index, const PlanJoint*> by_row;
  for (const PlanJoint& j : joints) by_row[j.row] = &j;

  // Blocks: whole, each in one batch, in order.
  ASSERT_EQ(plan.tree_lanes.size() % kLanes, 0u);
  Index block = 0;
  for (const TreeBatch& batch : plan.batches) {
    EXPECT_EQ(batch.first_block, block);
    EXPECT_GT(batch.last_block, batch.first_block);
    block = batch.last_block;
  }
  EXPECT_EQ(block * kLanes, plan.first_loop_lane);

  // Trees: every body once, children before parents and in the same batch, no parent twice in a block.
  std::map<Index, std::size_t> place_of;  // body -> lane
  std::set<Index> in_tree;
  for (std::size_t b = 0; b < plan.batches.size(); ++b) {
    const TreeBatch& batch = plan.batches[b];
    std::size_t roots = 0, widest = 0;
    std::set<Index> parents_to_come, bodies;
    for (Index k = batch.first_block; k < batch.last_block; ++k) {
      std::set<Index> parents;
      std::size_t used = 0;
      for (std::size_t i = std::size_t(k) * kLanes; i < std::size_t(k + 1) * kLanes; ++i) {
        const TreeLane& lane = plan.tree_lanes[i];
        if (lane.child < 0) {
          EXPECT_TRUE(lane.joint == -1 && lane.parent == -1) << "padding";
          continue;
        }
        EXPECT_EQ(used, i % kLanes) << "padding is at the end of a block";
        ++used;
        if (batch.chains != 0 && k + 1 < batch.last_block) {
          EXPECT_EQ(lane.parent, plan.tree_lanes[i + kLanes].child);
        } else if (batch.chains != 0) {
          EXPECT_EQ(lane.parent, -1);
        }
        EXPECT_TRUE(moves(lane.child));
        EXPECT_TRUE(bodies.insert(lane.child).second);
        EXPECT_TRUE(place_of.insert({lane.child, i}).second) << "body " << lane.child << " is in two lanes";
        parents_to_come.erase(lane.child);
        if (lane.parent >= 0) {
          EXPECT_TRUE(moves(lane.parent));
          EXPECT_TRUE(parents.insert(lane.parent).second) << "two children of " << lane.parent << " in a block";
          EXPECT_EQ(place_of.count(lane.parent), 0u) << "a parent before its child";
          parents_to_come.insert(lane.parent);
        } else {
          ++roots;
        }
        if (lane.joint < 0) {
          EXPECT_EQ(lane.parent, -1);
          continue;
        }
        ASSERT_EQ(by_row.count(lane.joint), 1u);
        const PlanJoint& j = *by_row[lane.joint];
        EXPECT_TRUE(locks(j) && j.kind == 0);
        EXPECT_TRUE(in_tree.insert(lane.joint).second);
        EXPECT_EQ(lane.child_is_a != 0 ? j.body_a : j.body_b, lane.child);
        const Index other = lane.child_is_a != 0 ? j.body_b : j.body_a;
        EXPECT_EQ(moves(other) ? other : -1, lane.parent);
        if (batch.ball_only != 0) {
          EXPECT_EQ(j.axes & axes_of({0, 1, 2, 3, 4, 5}), kBall);
        }
      }
      EXPECT_GT(used, 0u) << "an empty block";
      EXPECT_LE(used, std::size_t(batch.width));
      widest = std::max(widest, used);
      for (const Index parent : parents) EXPECT_EQ(place_of.count(parent), 0u) << "a parent in the block of its child";
    }
    EXPECT_LE(roots, std::size_t(kLanes)) << "trees of a batch";
    EXPECT_EQ(widest, std::size_t(batch.width));
    EXPECT_LE(batch.chains, batch.ball_only);
    EXPECT_TRUE(parents_to_come.empty()) << "a parent in another batch";
  }

  // Loops: their joints are in no tree, a body is in one of them at most, and both bodies are in trees.
  std::set<Index> looped;
  for (std::size_t i = std::size_t(plan.first_loop_lane); i < plan.tree_lanes.size(); ++i) {
    const TreeLane& lane = plan.tree_lanes[i];
    if (lane.child < 0) continue;
    ASSERT_EQ(by_row.count(lane.joint), 1u);
    const PlanJoint& j = *by_row[lane.joint];
    EXPECT_TRUE(locks(j) && j.kind == 0);
    EXPECT_TRUE(in_tree.insert(lane.joint).second);
    EXPECT_EQ(lane.child_is_a != 0 ? j.body_a : j.body_b, lane.child);
    for (const Index body : {lane.child, lane.parent}) {
      if (body < 0) continue;
      EXPECT_TRUE(looped.insert(body).second);
      EXPECT_EQ(place_of.count(body), 1u);
    }
  }

  // Colors.
  ASSERT_FALSE(plan.color_begin.empty());
  EXPECT_EQ(plan.color_begin.front(), 0);
  EXPECT_EQ(std::size_t(plan.color_begin.back()), plan.color_lanes.size());
  std::map<Index, Index> colored;  // joint -> in_tree
  for (std::size_t c = 0; c + 1 < plan.color_begin.size(); ++c) {
    EXPECT_LT(plan.color_begin[c], plan.color_begin[c + 1]);
    EXPECT_EQ(plan.color_begin[c + 1] % kLanes, 0);
    std::set<Index> bodies;
    for (Index i = plan.color_begin[c]; i < plan.color_begin[c + 1]; ++i) {
      const ColorLane& lane = plan.color_lanes[std::size_t(i)];
      if (lane.joint < 0) continue;
      ASSERT_EQ(by_row.count(lane.joint), 1u);
      EXPECT_TRUE(colored.insert({lane.joint, lane.in_tree}).second) << "joint " << lane.joint << " twice";
      for (const Index body : {by_row[lane.joint]->body_a, by_row[lane.joint]->body_b}) {
        if (moves(body)) {
          EXPECT_TRUE(bodies.insert(body).second) << "body " << body << " twice in a color";
        }
      }
    }
  }

  // Every joint where it belongs.
  for (const PlanJoint& j : joints) {
    const bool some = moves(j.body_a) || moves(j.body_b), treed = in_tree.count(j.row) > 0;
    const bool closes_loop = some && locks(j) && !treed;
    EXPECT_EQ(colored.count(j.row) > 0, some && (closes_loop || sweeps(j))) << "joint " << j.row;
    if (colored.count(j.row) > 0) {
      EXPECT_EQ(colored[j.row] != 0, treed) << "joint " << j.row;
    }
    if (!some) {
      EXPECT_FALSE(treed);
    }
    if (some && locks(j) && j.kind == 0) {  // the forest spans: whoever it couples is in it
      if (moves(j.body_a)) {
        EXPECT_EQ(place_of.count(j.body_a), 1u);
      }
      if (moves(j.body_b)) {
        EXPECT_EQ(place_of.count(j.body_b), 1u);
      }
    }
  }
}

TEST(JointPlan, NoJointsNoLanes) {
  const JointPlanTables plan = make_joint_plan({}, std::vector<float>{1.0f});
  EXPECT_TRUE(plan.empty());
  EXPECT_EQ(plan.color_begin, std::vector<Index>{0});
}

TEST(JointPlan, ChainHangsOnTheWorldChildrenFirst) {
  const std::vector<float> mass{1, 1, 1};
  const std::vector<PlanJoint> joints{joint(0, -1, 0), joint(1, 0, 1), joint(2, 2, 1)};
  const JointPlanTables plan = make_joint_plan(joints, mass);
  expect_valid(plan, joints, mass);
  const std::vector<TreeLane> lanes = filled(plan);
  ASSERT_EQ(lanes.size(), 3u);
  EXPECT_TRUE(same(lanes[0], {2, 2, 1, 1})) << "the last joint names its child as a";
  EXPECT_TRUE(same(lanes[1], {1, 1, 0, 0}));
  EXPECT_TRUE(same(lanes[2], {0, 0, -1, 0}));
  EXPECT_EQ(plan.tree_lanes.size(), 3u * kLanes);
  EXPECT_EQ(plan.batches.size(), 1u);
  EXPECT_EQ(plan.batches[0].ball_only, 1);
  EXPECT_TRUE(plan.color_lanes.empty());
}

TEST(JointPlan, WhatHangsOnNothingHangsOnItsHeaviestBody) {
  const std::vector<float> mass{1, 5, 5, 2};
  const std::vector<PlanJoint> joints{joint(4, 0, 1), joint(6, 1, 2), joint(9, 2, 3, kHinge)};
  const JointPlanTables plan = make_joint_plan(joints, mass);
  expect_valid(plan, joints, mass);
  const std::vector<TreeLane> lanes = filled(plan);
  ASSERT_EQ(lanes.size(), 4u);
  EXPECT_TRUE(same(lanes.back(), {-1, 1, -1, 0})) << "of two equal ones the lower row";
  EXPECT_EQ(plan.batches.at(0).ball_only, 0);
}

TEST(JointPlan, LoopsAreColored) {
  const std::vector<float> mass{1, 1, 1};
  const std::vector<PlanJoint> joints{joint(0, -1, 0), joint(1, 0, 1), joint(2, 1, 2), joint(3, 2, 0, kHinge | kServo)};
  const JointPlanTables plan = make_joint_plan(joints, mass);
  expect_valid(plan, joints, mass);
  EXPECT_EQ(filled(plan).size(), 3u);
  ASSERT_EQ(plan.color_begin.size(), 3u);
  EXPECT_EQ(plan.color_lanes[0].joint, 2) << "bodies 1 and 2, both reached from 0";
  EXPECT_EQ(plan.color_lanes[0].in_tree, 0);
  EXPECT_EQ(plan.color_lanes[kLanes].joint, 3);
  EXPECT_EQ(plan.color_lanes[kLanes].in_tree, 1) << "the drive of a joint in the tree";
}

TEST(JointPlan, SiblingsLieInBlocksOfTheirOwn) {
  std::vector<float> mass(5, 1.0f);
  std::vector<PlanJoint> joints{joint(0, -1, 0)};
  for (Index child = 1; child < 5; ++child) joints.push_back(joint(child, 0, child));
  const JointPlanTables plan = make_joint_plan(joints, mass);
  expect_valid(plan, joints, mass);
  EXPECT_EQ(plan.tree_lanes.size(), 5u * kLanes);
}

TEST(JointPlan, EqualTreesShareBlocksAndBallsStayApart) {
  std::vector<float> mass;
  std::vector<PlanJoint> joints;
  for (Index i = 0; i < 80; ++i) {
    mass.insert(mass.end(), {1.0f, 1.0f});
    const std::uint32_t axes = i % 2 == 0 ? kBall : kHinge;
    joints.push_back(joint(2 * i, -1, 2 * i, axes));
    joints.push_back(joint(2 * i + 1, 2 * i, 2 * i + 1, axes));
  }
  const JointPlanTables plan = make_joint_plan(joints, mass);
  expect_valid(plan, joints, mass);
  ASSERT_EQ(plan.batches.size(), 4u) << "32 + 8 trees of each kind";
  EXPECT_EQ(plan.tree_lanes.size(), 4u * 2 * kLanes);
  EXPECT_EQ(plan.batches[1].ball_only, 1);
  EXPECT_EQ(plan.batches[2].ball_only, 0);
}

TEST(JointPlan, ChainsKeepTheirLanesAndStayApartFromWhatBranches) {
  std::vector<float> mass;
  std::vector<PlanJoint> joints;
  const auto add = [&](Index parent) {
    const Index body = static_cast<Index>(mass.size());
    mass.push_back(1.0f);
    joints.push_back(joint(static_cast<Index>(joints.size()), parent, body));
    return body;
  };
  for (int links = 1; links < 40; ++links) {
    Index end = -1;
    for (int i = 0; i < links; ++i) end = add(end);
  }
  const Index fork = add(-1);
  add(fork);
  add(fork);
  const JointPlanTables plan = make_joint_plan(joints, mass);
  expect_valid(plan, joints, mass);
  ASSERT_EQ(plan.batches.size(), 3u) << "39 chains, and a fork";
  EXPECT_EQ(plan.batches[0].chains, 1);
  EXPECT_EQ(plan.batches[0].last_block, 39) << "the longest";
  EXPECT_EQ(plan.batches[0].width, kLanes);
  EXPECT_EQ(plan.batches[1].chains, 1);
  EXPECT_EQ(plan.batches[1].width, 7);
  EXPECT_EQ(plan.batches[2].chains, 0);
  EXPECT_EQ(plan.batches[2].width, 1);
}

TEST(JointPlan, RadialJointsAreInNoTree) {
  PlanJoint rod = joint(0, -1, 0, kLimited), odd = joint(1, 0, 1, kLimited | axes_of({3}));
  rod.kind = odd.kind = kRadial;
  const std::vector<PlanJoint> joints{rod, odd};
  const std::vector<float> mass{1, 1};
  const JointPlanTables plan = make_joint_plan(joints, mass);
  expect_valid(plan, joints, mass);
  EXPECT_TRUE(plan.tree_lanes.empty());
  EXPECT_EQ(plan.color_begin.size(), 3u);
}

TEST(JointPlan, OneBodyMayHaveAnyNumberOfColors) {
  std::vector<float> mass(1, 1.0f);
  std::vector<PlanJoint> joints;
  for (Index i = 0; i < 200; ++i) joints.push_back(joint(i, -1, 0, kServo));
  const JointPlanTables plan = make_joint_plan(joints, mass);
  expect_valid(plan, joints, mass);
  EXPECT_EQ(plan.color_begin.size(), 201u);
}

TEST(JointPlan, HoldsForRandomGraphs) {
  const std::uint32_t kinds[] = {kBall, kHinge, kServo, kLimited, kHinge | kServo, axes_of({3, 4, 5}) | kLimited};
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Index bodies = Index(1 + random() % 120);
    const std::size_t count = random() % 200;
    std::vector<float> mass;
    for (Index i = 0; i < bodies; ++i) mass.push_back(random() % 5 == 0 ? 0.0f : float(1 + random() % 4));
    std::vector<PlanJoint> joints;
    Index row = 0;
    for (std::size_t i = 0; i < count; ++i) {
      row += Index(1 + random() % 3);
      const Index a = Index(random() % std::uint32_t(bodies + 1)) - 1, b = Index(random() % std::uint32_t(bodies));
      if (a == b) continue;
      PlanJoint j = joint(row, a, b, kinds[random() % std::size(kinds)]);
      if (random() % 2 == 0) std::swap(j.body_a, j.body_b);
      j.kind = random() % 8 == 0 ? kRadial : std::uint8_t(0);
      j.rubs = random() % 8 == 0;
      joints.push_back(j);
    }
    const JointPlanTables plan = make_joint_plan(joints, mass), again = make_joint_plan(joints, mass);
    expect_valid(plan, joints, mass);
    EXPECT_TRUE(std::equal(plan.tree_lanes.begin(), plan.tree_lanes.end(), again.tree_lanes.begin(),
                           again.tree_lanes.end(), same));
    EXPECT_EQ(plan.color_begin, again.color_begin);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace talus::test
