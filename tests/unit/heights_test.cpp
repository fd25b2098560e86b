// SPDX-License-Identifier: MIT
// Stack heights and layers: of random graphs against a plain breadth-first search, in any order of execution; of graphs
// made for it.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "exec_cpu.h"
#include "memory_cpu.h"
#include "scratch.h"
#include "stages/color_contacts.h"
#include "support/shuffle_exec.h"

namespace talus::test {
namespace {

/// `lower` bears `upper`; sideways contacts bear neither.
struct Rest {
  Index lower, upper;
  bool sideways = false;
};

/// A graph whose first `fixed` bodies do not move.
struct Graph {
  Index bodies, fixed;
  std::vector<Rest> contacts;
};

Graph random_graph(std::uint32_t seed) {
  std::mt19937 random(seed);
  Graph graph;
  graph.bodies = 2 + Index(random() % 600);
  graph.fixed = Index(random() % 4);  // 0: all float
  std::set<std::pair<Index, Index>> seen;
  const std::size_t count = random() % std::size_t(3 * graph.bodies);
  const bool chains = seed % 3 == 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Index a = Index(random() % std::uint32_t(graph.bodies));
    const Index b = chains ? std::min(a + 1, graph.bodies - 1) : Index(random() % std::uint32_t(graph.bodies));
    if (a == b || (a < graph.fixed && b < graph.fixed)) continue;
    if (!seen.emplace(std::min(a, b), std::max(a, b)).second) continue;
    graph.contacts.push_back({a, b, random() % 5 == 0});
  }
  return graph;
}

struct Heights {
  std::vector<Index> height, ground;
  Index layers = 1;
  bool operator==(const Heights&) const = default;
};

/// Body after body, from a queue.
Heights searched(const Graph& graph) {
  const std::size_t n = std::size_t(graph.bodies);
  std::vector<std::vector<Index>> above(n);
  for (const Rest& rest : graph.contacts) {
    if (!rest.sideways) above[std::size_t(rest.lower)].push_back(rest.upper);
  }
  Heights found{std::vector<Index>(n, kNoHeight), std::vector<Index>(n, graph.bodies)};
  std::deque<Index> open;
  for (Index body = 0; body < graph.fixed; ++body) {
    found.height[std::size_t(body)] = 0;
    found.ground[std::size_t(body)] = body;
    open.push_back(body);
  }
  for (; !open.empty(); open.pop_front()) {
    const std::size_t lower = std::size_t(open.front());
    for (const Index next : above[lower]) {
      const std::size_t upper = std::size_t(next);
      if (found.height[upper] == kNoHeight) {
        found.height[upper] = found.height[lower] + 1;
        found.layers = std::max(found.layers, found.height[upper]);
        open.push_back(next);
      }
      if (found.height[upper] == found.height[lower] + 1) {
        found.ground[upper] = std::min(found.ground[upper], found.ground[lower]);
      }
    }
  }
  for (Index body = 0; body < graph.bodies; ++body) {
    if (found.height[std::size_t(body)] != kNoHeight) continue;
    found.height[std::size_t(body)] = found.layers;
    found.ground[std::size_t(body)] = body;
  }
  return found;
}

/// The tables that color_contacts works on; contact i is pair i.
class HeightsRig {
 public:
  explicit HeightsRig(const Graph& graph) {
    const Index contacts = Index(graph.contacts.size()), padded = (graph.bodies + kLanes) / kLanes * kLanes;
    model_.resize(memory_, padded, 0, "model");
    state_.resize(memory_, padded, 0, "state");
    bodies_.resize(memory_, padded, 0, "bodies");
    scratch_.resize(memory_, {.rows = padded, .pairs = contacts, .contacts = contacts, .shock = true});
    owner_.reset(memory_, contacts, "owner");
    partner_.reset(memory_, contacts, "partner");
    place_.reset(memory_, contacts, "places");
    units_.reset(memory_, (contacts + 1) * kRecordUnits, "cache");
    for (Index body = 0; body < graph.bodies; ++body) {
      const bool moves = body >= graph.fixed;
      model_.view().inv_mass[body] = moves ? 1.0f : 0.0f;
      model_.view().radius[body] = 0.5f;
      model_.view().motion[body] = std::uint8_t(moves ? Motion::dynamic : Motion::fixed);
    }
    for (Index i = 0; i < contacts; ++i) {
      const Rest& rest = graph.contacts[std::size_t(i)];
      place_.column()[i] = i * kRecordUnits;
      CachedContact& c = records()[i];
      c.count = float(1 + i % kMaxPoints);
      const bool swap = rest.lower > rest.upper;
      c.normal = rest.sideways ? Vec3{1.0f, 0.0f, 0.0f} : Vec3{0.0f, swap ? -1.0f : 1.0f, 0.0f};
      owner_.column()[i] = std::min(rest.lower, rest.upper);
      partner_.column()[i] = std::max(rest.lower, rest.upper);
      scratch_.solve().contacts.pair[i] = i;
      scratch_.solve().color_contacts.color[i] = kNoColor;
    }
    params_.gravity = {0.0f, -9.81f, 0.0f};
    params_.shock_slope = 0.3f;
    counters_.rows = graph.bodies;
    counters_.contacts = contacts;
  }

  template <class Exec>
  Heights run(Exec& exec) {
    StepViews v;
    v.shape.rows = counters_.rows;
    v.shape.shock.on = true;
    v.counters = &counters_;
    v.params = &params_;
    v.model = model_.view();
    v.state = state_.view();
    v.next.pairs = {{}, owner_.column(), partner_.column()};
    v.next.contacts = records();
    v.solve = scratch_.solve();
    v.solve.rows = bodies_.view();
    v.shock = scratch_.shock();
    for (int c = 0; c < kColorCount; ++c) counters_.color_begin[c] = counters_.color_size[c] = 0;
    color_contacts(exec, v);
    const auto list = [&](const Column<Index>& column) {
      return std::vector<Index>(column.data, column.data + counters_.rows);
    };
    return {list(v.shock.bodies.height), list(v.shock.bodies.ground), counters_.layers};
  }

  /// The lists have every body that moves once, and with those of its height.
  void expect_lists(const Heights& heights) const {
    const BodiesByHeight& list = scratch_.shock().by_height;
    std::set<Index> listed;
    for (Index height = 1; height <= counters_.layers; ++height) {
      for (Index i = 0; i < list.count[height]; ++i) {
        const Index body = list.row[list.begin[height] + i];
        EXPECT_EQ(heights.height[std::size_t(body)], height);
        EXPECT_TRUE(listed.insert(body).second);
      }
    }
    EXPECT_EQ(Index(listed.size()), Index(std::count_if(heights.height.begin(), heights.height.end(),
                                                        [](Index height) { return height > 0; })));
  }

  /// Every contact lies once among the lanes of its color, and there among those of its layer.
  void expect_lanes(const Heights& heights) const {
    const LayerLanes& layers = scratch_.shock().layers;
    std::set<std::uint32_t> listed;
    Index i = 0;
    for (int color = 0; color < kColorCount; ++color) {
      for (Index k = 0; k < counters_.color_size[color]; ++k, ++i) {
        const std::uint32_t contact = scratch_.solve().contacts.sort_contact[i];
        EXPECT_TRUE(listed.insert(contact).second);
        EXPECT_EQ(records()[Index(contact)].color, std::uint32_t(color));
        const Index a = owner_.column()[Index(contact)], b = partner_.column()[Index(contact)];
        const Index layer = std::max(layer_of(heights.height[std::size_t(a)], heights.height[std::size_t(b)]), 0);
        ASSERT_LT(layer, counters_.layers);
        const Index lane = counters_.color_begin[color] + k;
        EXPECT_LE(layers.begin[layers.at(color, layer)], lane);
        EXPECT_GT(layers.end[layers.at(color, layer)], lane);
      }
      for (Index layer = 0; layer < counters_.layers; ++layer) {
        const Index begin = layers.begin[layers.at(color, layer)], end = layers.end[layers.at(color, layer)];
        EXPECT_EQ(begin % kLanes + end % kLanes, 0);
        if (begin == end) continue;
        EXPECT_GE(begin, counters_.color_begin[color]);
        EXPECT_LE(end, counters_.color_begin[color + 1]);
      }
    }
    EXPECT_EQ(i, counters_.contacts);
  }

 private:
  ContactRecords records() const { return {units_.column().data, units_.size(), place_.column()}; }

  CpuMemory memory_;
  Table<BodyModel> model_;
  Table<BodyState> state_;
  Table<SolveRowScratch> bodies_;
  Scratch scratch_;
  Array<Index> owner_, partner_, place_;
  Array<ContactUnit> units_;
  Counters counters_{};
  StepParams params_{};
};

Heights heights_of(const Graph& graph, int threads = 1) {
  const CpuThreads pool(threads, true);
  BasicCpuExec<float> exec(pool);
  HeightsRig rig(graph);
  Heights heights = rig.run(exec);
  rig.expect_lanes(heights);
  rig.expect_lists(heights);
  return heights;
}

/// Counts the elements of all loops.
class CountingExec : public ::talus::testing::ShuffleExec<> {
 public:
  CountingExec() : ShuffleExec(1) {}
  template <class Kernel>
  void for_each(const char* name, Count n, const Kernel& kernel) {
    ShuffleExec::for_each(name, n, [&](Index i) {
      ++elements;
      kernel(i);
    });
  }
  template <class Task>
  void together(const char*, const Task& task) {
    task(*this);
  }
  Index elements = 0;
};

TEST(Heights, OfRandomGraphsAreThoseOfABreadthFirstSearch) {
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Graph graph = random_graph(seed);
    const Heights expected = searched(graph);
    for (const int threads : {1, 3}) EXPECT_EQ(heights_of(graph, threads), expected) << threads << " threads";
    ::talus::testing::ShuffleExec<> shuffle(seed);
    HeightsRig shuffled(graph);
    EXPECT_EQ(shuffled.run(shuffle), expected);
    shuffled.expect_lists(expected);
  }
}

TEST(Heights, OfAColumnCountFromTheGround) {
  Graph graph{1001, 1, {}};
  for (Index body = 0; body < 1000; ++body) graph.contacts.push_back({body, body + 1});
  const Heights heights = heights_of(graph, 2);
  for (Index body = 0; body <= 1000; ++body) ASSERT_EQ(heights.height[std::size_t(body)], body);
  EXPECT_EQ(heights.layers, 1000);
  EXPECT_EQ(heights.ground, std::vector<Index>(1001, 0));
}

/// Ten times as high, ten times the work: no round goes over all bodies or contacts.
TEST(Heights, OfAColumnTakeTimeInProportionToItsHeight) {
  const auto elements = [](Index boxes) {
    Graph graph{boxes + 1, 1, {}};
    for (Index body = 0; body < boxes; ++body) graph.contacts.push_back({body, body + 1});
    CountingExec exec;
    HeightsRig(graph).run(exec);
    return exec.elements;
  };
  EXPECT_LE(elements(1000), 10 * elements(100));
}

TEST(Heights, OfABridgeCountFromTheNearerPier) {
  Graph graph{9, 2, {}};  // piers 0 and 1, stones 2..8 from one to the other
  for (Index stone = 2; stone < 8; ++stone) {
    graph.contacts.push_back({stone, stone + 1});
    graph.contacts.push_back({stone + 1, stone});  // an arch bears both ways
  }
  graph.contacts.push_back({0, 2});
  graph.contacts.push_back({1, 8});
  const Heights heights = heights_of(graph);
  EXPECT_EQ(heights.height, (std::vector<Index>{0, 0, 1, 2, 3, 4, 3, 2, 1}));
  EXPECT_EQ(heights.ground, (std::vector<Index>{0, 1, 0, 0, 0, 0, 1, 1, 1}));
}

TEST(Heights, WithoutContactsAllBodiesAreInOneLayer) {
  const Heights heights = heights_of({3, 1, {}});
  EXPECT_EQ(heights.height, (std::vector<Index>{0, 1, 1}));
  EXPECT_EQ(heights.layers, 1);
}

TEST(Heights, ContactsBelongToTheLayerInWhichTheHigherBodyMoves) {
  EXPECT_EQ(layer_of(0, 0), -1);
  EXPECT_EQ(layer_of(0, 1), 0);
  EXPECT_EQ(layer_of(1, 1), 0);
  EXPECT_EQ(layer_of(4, 3), 3);
  EXPECT_EQ(layer_of(4, 4), 3);
  EXPECT_EQ(layer_of(0, 4), 3);  // beside a wall
}

}  // namespace
}  // namespace talus::test
