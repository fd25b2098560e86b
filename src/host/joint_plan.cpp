// SPDX-License-Identifier: MIT
#include "joint_plan.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <tuple>

#include "solve_columns.h"

namespace talus {

namespace {

constexpr TreeLane kNoTreeLane{-1, -1, -1, 0, 0.0f, 0.0f};
constexpr ColorLane kNoColorLane{-1, 0, 0};

template <class F>
bool any_axis(int first, int last, F&& test) {
  for (int axis = first; axis < last; ++axis) {
    if (test(axis)) return true;
  }
  return false;
}
bool locks(std::uint32_t axes, int first = 0, int last = kAxisCount) {
  return any_axis(first, last, [&](int axis) { return axis_mode(axes, axis) == AxisMode::locked; });
}
bool locks_all(std::uint32_t axes, int first, int last) {
  return !any_axis(first, last, [&](int axis) { return axis_mode(axes, axis) != AxisMode::locked; });
}
bool turns_freely(std::uint32_t axes) {
  return !any_axis(3, kAxisCount, [&](int axis) { return axis_mode(axes, axis) != AxisMode::free; });
}
// Whether it holds a point and never anything else: limits that are pressed on are locked for a while.
bool is_ball(std::uint32_t axes) {
  return locks_all(axes, 0, 3) && turns_freely(axes);
}
// Whether it has more than locked axes.
bool sweeps(const PlanJoint& joint) {
  return joint.rubs || any_axis(0, kAxisCount, [&](int axis) {
           return axis_mode(joint.axes, axis) == AxisMode::limited || axis_drive(joint.axes, axis) != Drive::none;
         });
}

// A body of the forest.
struct Node {
  TreeLane lane;
  Index joint;  // place in the list of joints, or -1
  Index depth;
  Index rank;  // among the children of its parent
  Index tree;
};
struct Tree {
  Index depth = 0, size = 0, lowest_joint = INT32_MAX;
  bool ball_only = true, looped = false, branches = false;
  bool chains() const { return ball_only && !looped && !branches; }
};

class Forest {
 public:
  Forest(std::span<const PlanJoint> joints, std::span<const float> mass) : joints_(joints), mass_(mass) {
    node_of_.assign(mass.size(), -1);
    in_tree_.assign(joints.size(), false);
    list_neighbours();
    for (Index joint = 0; joint < size(); ++joint) {
      const PlanJoint& j = joints_[std::size_t(joint)];
      if (!spans(j) || moves(j.body_a) == moves(j.body_b)) continue;
      const Index body = moves(j.body_a) ? j.body_a : j.body_b;
      if (!reached(body)) add_node(joint, body, -1, new_tree());
    }
    grow(0);
    for (Index joint = 0; joint < size(); ++joint) {
      const PlanJoint& j = joints_[std::size_t(joint)];
      if (!spans(j) || !moves(j.body_a) || !moves(j.body_b) || reached(j.body_a)) continue;
      const std::size_t first = nodes_.size();
      add_node(-1, heaviest_near(j.body_a), -1, new_tree());
      grow(first);
    }
    find_lone_loops();
    add_up_loads();
  }

  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Tree>& trees() const { return trees_; }
  const std::vector<TreeLane>& loops() const { return loops_; }
  // Or a loop's
  bool in_tree(Index joint) const { return in_tree_[std::size_t(joint)]; }

 private:
  Index size() const { return static_cast<Index>(joints_.size()); }
  bool moves(Index body) const { return body >= 0 && mass_[std::size_t(body)] > 0.0f; }
  bool reached(Index body) const { return node_of_[std::size_t(body)] >= 0; }
  static bool spans(const PlanJoint& joint) { return joint.kind == 0 && locks(joint.axes); }
  std::span<const Index> joints_at(Index body) const {
    const std::size_t first = std::size_t(begin_[std::size_t(body)]), last = std::size_t(begin_[std::size_t(body) + 1]);
    return std::span(at_).subspan(first, last - first);
  }
  Index other_body(Index joint, Index body) const {
    const PlanJoint& j = joints_[std::size_t(joint)];
    return j.body_a == body ? j.body_b : j.body_a;
  }

  // The joints that couple each body with another one that moves, in order.
  void list_neighbours() {
    begin_.assign(mass_.size() + 1, 0);
    const auto couples = [&](const PlanJoint& j) { return spans(j) && moves(j.body_a) && moves(j.body_b); };
    for (const PlanJoint& j : joints_) {
      if (!couples(j)) continue;
      ++begin_[std::size_t(j.body_a) + 1];
      ++begin_[std::size_t(j.body_b) + 1];
    }
    for (std::size_t body = 0; body < mass_.size(); ++body) begin_[body + 1] += begin_[body];
    at_.resize(std::size_t(begin_.back()));
    std::vector<Index> next = begin_;
    for (Index joint = 0; joint < size(); ++joint) {
      const PlanJoint& j = joints_[std::size_t(joint)];
      if (!couples(j)) continue;
      at_[std::size_t(next[std::size_t(j.body_a)]++)] = joint;
      at_[std::size_t(next[std::size_t(j.body_b)]++)] = joint;
    }
  }

  Index new_tree() {
    trees_.emplace_back();
    return static_cast<Index>(trees_.size() - 1);
  }

  void add_node(Index joint, Index body, Index parent_node, Index tree_index, Index rank = 0) {
    Node node{kNoTreeLane, joint, 0, rank, tree_index};
    node.lane.child = body;
    Tree& tree = trees_[std::size_t(tree_index)];
    if (parent_node >= 0) {
      node.lane.parent = nodes_[std::size_t(parent_node)].lane.child;
      node.depth = nodes_[std::size_t(parent_node)].depth + 1;
    }
    if (joint >= 0) {
      const PlanJoint& j = joints_[std::size_t(joint)];
      node.lane.joint = j.row;
      node.lane.child_is_a = j.body_a == body ? 1 : 0;
      in_tree_[std::size_t(joint)] = true;
      tree.lowest_joint = std::min(tree.lowest_joint, j.row);
      tree.ball_only = tree.ball_only && is_ball(j.axes);
    }
    tree.branches = tree.branches || rank > 0;
    tree.depth = std::max(tree.depth, node.depth);
    ++tree.size;
    node_of_[std::size_t(body)] = static_cast<Index>(nodes_.size());
    nodes_.push_back(node);
  }

  // Breadth first: nodes from `first` on are the queue.
  void grow(std::size_t first) {
    for (std::size_t i = first; i < nodes_.size(); ++i) {
      const Index body = nodes_[i].lane.child, tree = nodes_[i].tree;
      Index rank = 0;
      for (const Index joint : joints_at(body)) {
        const Index other = other_body(joint, body);
        if (!reached(other)) add_node(joint, other, static_cast<Index>(i), tree, rank++);
      }
    }
  }

  // Joints that close the only loop of their trees: of two, or of one with what does not move.
  void find_lone_loops() {
    std::vector<Index> root(trees_.size()), closings(trees_.size());
    for (std::size_t i = 0; i < root.size(); ++i) root[i] = static_cast<Index>(i);
    const auto find = [&](Index tree) {
      while (root[std::size_t(tree)] != tree)
        tree = root[std::size_t(tree)] = root[std::size_t(root[std::size_t(tree)])];
      return tree;
    };
    const auto tree_at = [&](Index body) { return nodes_[std::size_t(node_of_[std::size_t(body)])].tree; };
    const auto tree_of = [&](const PlanJoint& j) { return tree_at(moves(j.body_a) ? j.body_a : j.body_b); };
    std::vector<Index> open;  // locked joints that are in no tree
    for (Index joint = 0; joint < size(); ++joint) {
      const PlanJoint& j = joints_[std::size_t(joint)];
      if (in_tree(joint) || !spans(j) || (!moves(j.body_a) && !moves(j.body_b))) continue;
      open.push_back(joint);
      if (moves(j.body_a) && moves(j.body_b)) root[std::size_t(find(tree_at(j.body_a)))] = find(tree_at(j.body_b));
    }
    for (const Index joint : open) ++closings[std::size_t(find(tree_of(joints_[std::size_t(joint)])))];
    for (const Index joint : open) {
      const PlanJoint& j = joints_[std::size_t(joint)];
      const bool both = moves(j.body_a) && moves(j.body_b);
      if ((both && tree_at(j.body_a) == tree_at(j.body_b)) || closings[std::size_t(find(tree_of(j)))] != 1) continue;
      const Index child = moves(j.body_a) ? j.body_a : j.body_b;
      loops_.push_back({j.row, child, both ? j.body_b : -1, child == j.body_a ? 1 : 0, 0.0f, 0.0f});
      in_tree_[std::size_t(joint)] = true;
      for (const Index body : {j.body_a, j.body_b}) {
        if (moves(body)) trees_[std::size_t(tree_at(body))].looped = true;
      }
    }
  }

  // Children stand behind their parents.
  void add_up_loads() {
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      TreeLane& lane = nodes_[i].lane;
      const float mass = mass_[std::size_t(lane.child)];
      lane.load += mass;
      lane.heaviest = std::max(lane.heaviest, mass);
      if (lane.parent < 0) continue;
      TreeLane& parent = nodes_[std::size_t(node_of_[std::size_t(lane.parent)])].lane;
      parent.load += lane.load;
      parent.heaviest = std::max(parent.heaviest, lane.heaviest);
    }
  }

  // Of the bodies that joints connect with this one; of equal ones the one of the lowest row.
  Index heaviest_near(Index body) {
    std::vector<Index> found{body};
    node_of_[std::size_t(body)] = 0;  // a mark, taken back below
    Index best = body;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const Index now = found[i];
      const float m = mass_[std::size_t(now)], most = mass_[std::size_t(best)];
      if (m > most || (m == most && now < best)) best = now;
      for (const Index joint : joints_at(now)) {
        const Index other = other_body(joint, now);
        if (reached(other)) continue;
        node_of_[std::size_t(other)] = 0;
        found.push_back(other);
      }
    }
    for (const Index each : found) node_of_[std::size_t(each)] = -1;
    return best;
  }

  std::span<const PlanJoint> joints_;
  std::span<const float> mass_;
  std::vector<Index> begin_, at_;  // joints of each body
  std::vector<Index> node_of_;     // of each body, or -1
  std::vector<bool> in_tree_;      // each joint
  std::vector<Node> nodes_;
  std::vector<Tree> trees_;
  std::vector<TreeLane> loops_;
};

template <class Lane>
void fill_block(std::vector<Lane>& lanes, const Lane& padding) {
  while (lanes.size() % kLanes != 0) lanes.push_back(padding);
}

// Trees that are alike work side by side: a batch is as deep as its deepest one. The deepest come first, so that of
// chains each keeps its lane from block to block.
void lay_out_trees(const Forest& forest, JointPlanTables& plan) {
  const std::vector<Tree>& trees = forest.trees();
  std::vector<Index> order(trees.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    const Tree &x = trees[std::size_t(a)], &y = trees[std::size_t(b)];
    return std::tuple(!x.ball_only, x.looped, !x.chains(), y.depth, y.size, x.lowest_joint) <
           std::tuple(!y.ball_only, y.looped, !y.chains(), x.depth, x.size, y.lowest_joint);
  });
  std::vector<Index> batch_of(trees.size()), place_of(trees.size());
  std::vector<TreeBatch>& batches = plan.batches;
  Index in_batch = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Tree& tree = trees[std::size_t(order[i])];
    const TreeBatch its{0, 0, tree.ball_only ? 1 : 0, tree.looped ? 1 : 0, tree.chains() ? 1 : 0, 0};
    const auto kind = [](const TreeBatch& b) { return std::tuple(b.ball_only, b.looped, b.chains); };
    if (in_batch == kLanes || batches.empty() || kind(batches.back()) != kind(its)) {
      batches.push_back(its);
      in_batch = 0;
    }
    ++in_batch;
    batch_of[std::size_t(order[i])] = static_cast<Index>(batches.size() - 1);
    place_of[std::size_t(order[i])] = static_cast<Index>(i);
  }

  std::vector<Node> nodes = forest.nodes();
  const auto group = [&](const Node& n) { return std::tuple(batch_of[std::size_t(n.tree)], -n.depth, n.rank); };
  std::stable_sort(nodes.begin(), nodes.end(), [&](const Node& a, const Node& b) {
    return std::tuple_cat(group(a), std::tuple(place_of[std::size_t(a.tree)])) <
           std::tuple_cat(group(b), std::tuple(place_of[std::size_t(b.tree)]));
  });
  std::vector<TreeLane>& lanes = plan.tree_lanes;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i > 0 && group(nodes[i]) != group(nodes[i - 1])) fill_block(lanes, kNoTreeLane);
    const std::size_t batch = std::size_t(batch_of[std::size_t(nodes[i].tree)]);
    const Index block = static_cast<Index>(lanes.size() / kLanes);
    if (i == 0 || batch != std::size_t(batch_of[std::size_t(nodes[i - 1].tree)])) batches[batch].first_block = block;
    batches[batch].last_block = block + 1;
    batches[batch].width = std::max(batches[batch].width, static_cast<Index>(lanes.size()) % kLanes + 1);
    lanes.push_back(nodes[i].lane);
  }
  fill_block(lanes, kNoTreeLane);
  plan.first_loop_lane = static_cast<Index>(lanes.size());
  lanes.insert(lanes.end(), forest.loops().begin(), forest.loops().end());
  fill_block(lanes, kNoTreeLane);
}

// Colors that joints of a body have, a bit each.
class ColorSet {
 public:
  void add(Index color) {
    const std::size_t word = std::size_t(color) / 64;
    if (word >= words_.size()) words_.resize(word + 1);
    words_[word] |= std::uint64_t{1} << (color % 64);
  }
  std::uint64_t word(std::size_t i) const { return i < words_.size() ? words_[i] : 0; }

 private:
  std::vector<std::uint64_t> words_;
};

Index lowest_free(const ColorSet& a, const ColorSet& b) {
  for (std::size_t i = 0;; ++i) {
    const std::uint64_t taken = a.word(i) | b.word(i);
    if (~taken != 0) return static_cast<Index>(64 * i) + std::countr_one(taken);
  }
}

// Bodies that hang together by joints, and whether some of these have more than locked axes.
void flag_bodies(std::span<const PlanJoint> joints, std::span<const float> mass, JointPlanTables& plan) {
  std::vector<Index> root(mass.size());
  for (std::size_t body = 0; body < root.size(); ++body) root[body] = static_cast<Index>(body);
  const auto root_of = [&](Index body) {
    while (root[std::size_t(body)] != body) {
      body = root[std::size_t(body)] = root[std::size_t(root[std::size_t(body)])];
    }
    return std::size_t(body);
  };
  const auto moves = [&](Index body) { return body >= 0 && mass[std::size_t(body)] > 0.0f; };
  for (const PlanJoint& j : joints) {
    if (moves(j.body_a) && moves(j.body_b)) root[root_of(j.body_a)] = static_cast<Index>(root_of(j.body_b));
  }
  std::vector<bool> bounded(mass.size(), false);
  plan.body_flags.assign(mass.size(), body_flag::kNone);
  for (const PlanJoint& j : joints) {
    for (const Index body : {j.body_a, j.body_b}) {
      if (!moves(body)) continue;
      plan.body_flags[std::size_t(body)] = body_flag::kReached;
      if (sweeps(j)) bounded[root_of(body)] = true;
    }
  }
  for (std::size_t body = 0; body < mass.size(); ++body) {
    if (bounded[root_of(static_cast<Index>(body))]) plan.body_flags[body] += body_flag::kBounded;
  }
}

void lay_out_colors(std::span<const PlanJoint> joints, std::span<const float> mass, const Forest& forest,
                    JointPlanTables& plan) {
  struct Colored {
    Index color, joint, in_tree;
  };
  std::vector<Colored> colored;
  std::vector<ColorSet> taken(mass.size());
  const ColorSet none;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const PlanJoint& j = joints[i];
    const bool moves_a = j.body_a >= 0 && mass[std::size_t(j.body_a)] > 0.0f;
    const bool moves_b = j.body_b >= 0 && mass[std::size_t(j.body_b)] > 0.0f;
    const bool in_tree = forest.in_tree(static_cast<Index>(i));
    if ((!moves_a && !moves_b) || !((locks(j.axes) && !in_tree) || sweeps(j))) continue;
    plan.bounded = plan.bounded || sweeps(j);
    if (is_custom(j.kind)) plan.kinds |= std::uint64_t{1} << (j.kind - kRadial);
    const Index color =
        lowest_free(moves_a ? taken[std::size_t(j.body_a)] : none, moves_b ? taken[std::size_t(j.body_b)] : none);
    if (moves_a) taken[std::size_t(j.body_a)].add(color);
    if (moves_b) taken[std::size_t(j.body_b)].add(color);
    colored.push_back({color, static_cast<Index>(i), in_tree ? 1 : 0});
  }
  std::sort(colored.begin(), colored.end(), [&](const Colored& x, const Colored& y) {
    const PlanJoint &a = joints[std::size_t(x.joint)], &b = joints[std::size_t(y.joint)];
    return std::tuple(x.color, x.in_tree, a.axes, a.kind, a.row) <
           std::tuple(y.color, y.in_tree, b.axes, b.kind, b.row);
  });
  std::vector<ColorLane>& lanes = plan.color_lanes;
  for (std::size_t i = 0; i < colored.size(); ++i) {
    if (i > 0 && colored[i].color != colored[i - 1].color) {
      fill_block(lanes, kNoColorLane);
      plan.color_begin.push_back(static_cast<Index>(lanes.size()));
    }
    const PlanJoint& j = joints[std::size_t(colored[i].joint)];
    const Index turns = colored[i].in_tree != 0 && !turns_freely(j.axes) ? 1 : 0;
    lanes.push_back({j.row, colored[i].in_tree, turns});
  }
  fill_block(lanes, kNoColorLane);
  if (!lanes.empty()) plan.color_begin.push_back(static_cast<Index>(lanes.size()));
}

}  // namespace

PlanJoint plan_joint(Index row, const JointModelRow& model) {
  const Vec3 f = model.friction_force, t = model.friction_torque;
  const bool rubs = f.x > 0.0f || f.y > 0.0f || f.z > 0.0f || t.x > 0.0f || t.y > 0.0f || t.z > 0.0f;
  return {row, model.body_a, model.body_b, model.axes, model.kind, rubs};
}

JointPlanTables make_joint_plan(std::span<const PlanJoint> joints, std::span<const float> mass) {
  JointPlanTables plan;
  if (joints.empty()) return plan;
  const Forest forest(joints, mass);
  lay_out_trees(forest, plan);
  lay_out_colors(joints, mass, forest, plan);
  if (!plan.empty()) flag_bodies(joints, mass, plan);
  return plan;
}

}  // namespace talus
