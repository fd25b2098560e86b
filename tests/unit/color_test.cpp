// SPDX-License-Identifier: MIT
// Coloring of the contact graph: valid, complete, the same in any order of execution; on graphs made for it and in
// scenes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <vector>

#include "backend.h"
#include "exec_cpu.h"
#include "scenes/scene.h"
#include "scratch.h"
#include "stages/color_contacts.h"
#include "unit/simulation_rig.h"

namespace talus::test {
namespace {

struct Edge {
  Index a, b;
};

/// The tables that color_contacts works on; contact i is pair i.
class ColorRig {
 public:
  ColorRig(Index bodies, const std::vector<Edge>& edges, const std::vector<Index>& immovable = {}) {
    model_.resize(memory_, bodies, 0, "model");
    const Index padded = (bodies + kLanes) / kLanes * kLanes;
    bodies_.resize(memory_, padded, 0, "bodies");
    scratch_.resize(memory_, {.rows = padded, .pairs = Index(edges.size()), .contacts = Index(edges.size())});
    owner_.reset(memory_, Index(edges.size()), "owner");
    partner_.reset(memory_, Index(edges.size()), "partner");
    place_.reset(memory_, Index(edges.size()), "places");
    units_.reset(memory_, Index(edges.size() + 1) * kRecordUnits, "cache");
    for (Index body = 0; body < bodies; ++body) model_.view().inv_mass[body] = 1.0f;
    for (const Index body : immovable) model_.view().inv_mass[body] = 0.0f;
    for (Index i = 0; i < Index(edges.size()); ++i) {
      place_.column()[i] = i * kRecordUnits;
      records()[i].count = float(1 + i % kMaxPoints);
      owner_.column()[i] = edges[std::size_t(i)].a;
      partner_.column()[i] = edges[std::size_t(i)].b;
      scratch_.solve().contacts.pair[i] = i;
      scratch_.solve().color_contacts.color[i] = kNoColor;
    }
    counters_.rows = bodies;
    counters_.contacts = Index(edges.size());
    contact_count_ = counters_.contacts;
  }

  template <class Exec>
  void run(Exec& exec) {
    StepViews v;
    v.shape.rows = counters_.rows;
    v.counters = &counters_;
    v.model = model_.view();
    v.next.pairs = {{}, owner_.column(), partner_.column()};
    v.next.contacts = records();
    v.solve = scratch_.solve();
    v.solve.rows = bodies_.view();
    for (int c = 0; c < kColorCount; ++c) counters_.color_begin[c] = counters_.color_size[c] = 0;
    color_contacts(exec, v);
  }

  std::uint32_t color(Index contact) const { return records()[contact].color; }
  std::vector<std::uint32_t> colors() const {
    std::vector<std::uint32_t> list;
    for (Index i = 0; i < contact_count_; ++i) list.push_back(color(i));
    return list;
  }
  const Counters& counters() const { return counters_; }
  Index split_count(Index body) const { return bodies_.view().split_count[body]; }

  /// No dynamic body twice in a color; sizes and lanes fit; every contact is listed once, by color.
  void expect_valid() const {
    std::set<std::pair<Index, std::uint32_t>> used;
    Index sizes[kColorCount] = {};
    for (Index i = 0; i < contact_count_; ++i) {
      const std::uint32_t c = color(i);
      ASSERT_LE(c, std::uint32_t(kOverflowColor));
      ++sizes[c];
      if (c == std::uint32_t(kOverflowColor)) continue;
      for (const Index body : {owner_.column()[i], partner_.column()[i]}) {
        if (model_.view().inv_mass[body] == 0.0f) continue;
        ASSERT_TRUE(used.emplace(body, c).second) << "body " << body << " twice in color " << c;
      }
    }
    Index lane = 0;
    for (int c = 0; c < kColorCount; ++c) {
      EXPECT_EQ(counters_.color_size[c], sizes[c]);
      EXPECT_EQ(counters_.color_begin[c], lane);
      lane += (sizes[c] + kLanes - 1) / kLanes * kLanes;
    }
    EXPECT_EQ(counters_.lanes, lane);
    std::set<std::uint32_t> listed;
    for (Index i = 0; i < contact_count_; ++i) {
      const std::uint32_t contact = scratch_.solve().contacts.sort_contact[i];
      ASSERT_TRUE(listed.insert(contact).second);
      const std::uint32_t key = scratch_.solve().color_contacts.sort_key[i];
      ASSERT_EQ(color(Index(contact)), key >> kCountBits);
      ASSERT_EQ(int(records()[Index(contact)].count), kMaxPoints - int(key & ((1u << kCountBits) - 1u)));
      ASSERT_LE(scratch_.solve().color_contacts.sort_key[std::max(i - 1, 0)],
                scratch_.solve().color_contacts.sort_key[i]);
    }
  }

 private:
  ContactRecords records() const { return {units_.column().data, units_.size(), place_.column()}; }

  CpuMemory memory_;
  Table<BodyModel> model_;
  Table<SolveRowScratch> bodies_;
  Scratch scratch_;
  Array<Index> owner_, partner_, place_;
  Array<ContactUnit> units_;
  Counters counters_{};
  Index contact_count_ = 0;
};

std::vector<Edge> random_graph(Index bodies, Index edges, std::uint32_t seed) {
  std::mt19937 engine(seed);
  std::set<std::pair<Index, Index>> seen;
  std::vector<Edge> list;
  while (Index(list.size()) < edges) {
    const Index a = Index(engine() % std::uint32_t(bodies)), b = Index(engine() % std::uint32_t(bodies));
    if (a != b && seen.emplace(std::min(a, b), std::max(a, b)).second) list.push_back({a, b});
  }
  return list;
}
std::vector<Edge> star(Index rays) {
  std::vector<Edge> list;
  for (Index i = 1; i <= rays; ++i) list.push_back({i, 0});
  return list;
}

using PlainExec = BasicCpuExec<float>;

TEST(Color, RandomGraphsAreColoredValidlyAndAlikeInAnyOrder) {
  const CpuThreads threads(2, true);
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Index bodies = Index(50 * seed), edges = bodies * 2;
    const std::vector<Edge> graph = random_graph(bodies, edges, seed);
    ColorRig plain(bodies, graph), shuffled(bodies, graph);
    PlainExec exec(threads);
    plain.run(exec);
    plain.expect_valid();
    ::talus::testing::ShuffleExec<> shuffle(seed);
    shuffled.run(shuffle);
    EXPECT_EQ(plain.colors(), shuffled.colors());
  }
}

TEST(Color, AGraphOfManyContactsIsColoredAlmostCompletely) {
  const CpuThreads threads(2, true);
  const std::vector<Edge> graph = random_graph(20000, 40000, 3);  // 4 contacts a body
  ColorRig rig(20000, graph);
  PlainExec exec(threads);
  rig.run(exec);
  rig.expect_valid();
  EXPECT_LT(rig.counters().color_size[kOverflowColor], 80);  // a few bodies have more contacts than there are colors
}

TEST(Color, OneBodyWithManyContactsFillsThePaletteAndOverflows) {
  const CpuThreads threads(1);
  ColorRig rig(41, star(40));
  PlainExec exec(threads);
  rig.run(exec);
  rig.expect_valid();
  const Index overflow = rig.counters().color_size[kOverflowColor];
  EXPECT_GE(overflow, 40 - kPalette);
  EXPECT_LE(overflow, 40 - kPalette + 2);
  EXPECT_EQ(rig.split_count(0), overflow);
  Index split = 0;
  for (Index body = 1; body <= 40; ++body) split += rig.split_count(body);
  EXPECT_EQ(split, overflow);
}

TEST(Color, ImmovableBodiesDoNotConflict) {
  const CpuThreads threads(1);
  ColorRig rig(201, star(200), {0});
  PlainExec exec(threads);
  rig.run(exec);
  rig.expect_valid();
  EXPECT_EQ(rig.counters().color_size[kOverflowColor], 0);
  EXPECT_EQ(rig.split_count(0), 0);
}

TEST(Color, ColorsOfTheLastStepAreKept) {
  const CpuThreads threads(1);
  ColorRig rig(100, random_graph(100, 200, 4));
  PlainExec exec(threads);
  rig.run(exec);
  const std::vector<std::uint32_t> first = rig.colors();
  rig.run(exec);  // what it wrote is what it starts from
  rig.expect_valid();
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] >= std::uint32_t(kPalette)) continue;
    EXPECT_EQ(rig.color(Index(i)), first[i]);
  }
}

TEST(Color, BidsAreDistinct) {
  std::vector<std::uint32_t> mixed;
  for (std::uint32_t i = 0; i < 1u << 20; ++i) mixed.push_back(mix_28(i));
  std::sort(mixed.begin(), mixed.end());
  EXPECT_EQ(std::adjacent_find(mixed.begin(), mixed.end()), mixed.end());
  EXPECT_LT(mixed.back(), 1u << 28);
}

TEST(Color, BitsAreCountedAndFound) {
  EXPECT_EQ(bit_count(0b101101u), 4u);
  EXPECT_EQ(nth_bit(0b101101u, 0), 0u);
  EXPECT_EQ(nth_bit(0b101101u, 2), 3u);
  EXPECT_EQ(nth_bit(0b101101u, 3), 5u);
}

/// In scenes: the colors of the contact cache after each step.
TEST(Color, NoDynamicBodyIsTwiceInAColorOfAScene) {
  for (const char* name : {"mixed_pile_200", "pyramid2d_12", "plate_64", "tumbler_60"}) {
    SCOPED_TRACE(name);
    const scenes::Scene scene = scenes::make_scene(name);
    std::vector<BodyDef> defs = scene.bodies;
    defs.insert(defs.end(), scene.statics.begin(), scene.statics.end());
    WorldDef def;
    def.gravity = scene.gravity;
    SimulationRig rig(make_cpu_backend(2), def, defs);
    Index contacts = 0;
    for (int step = 0; step < 60; ++step) {
      const StepReport report = rig.step(scene.dt);
      contacts = std::max(contacts, report.contact_count);
      const ContactImage image = rig.simulation().contacts();
      std::set<std::pair<Index, std::uint32_t>> used;
      for (Index pair = 0; pair < image.pair_count; ++pair) {
        if (image.contacts[std::size_t(pair)].count == 0.0f) continue;
        const std::uint32_t c = image.contacts[std::size_t(pair)].color;
        ASSERT_LE(c, std::uint32_t(kOverflowColor));
        if (c == std::uint32_t(kOverflowColor)) continue;
        for (const Index body : {image.owner[std::size_t(pair)], image.partner[std::size_t(pair)]}) {
          if (!rig.moves(body)) continue;
          ASSERT_TRUE(used.emplace(body, c).second) << "body " << body << ", step " << step;
        }
      }
    }
    EXPECT_GT(contacts, 20);
  }
}

TEST(Color, APlateWithFortyBoxesOverflowsAndHolds) {
  WorldDef def;
  def.sleep.enabled = false;
  def.backend = Backend::cpu;
  World world(def);
  world.add_body({.shape = plane({0.0f, 1.0f, 0.0f})});
  const BodyId plate = world.add_body({.shape = box({4.0f, 0.25f, 2.5f}), .position = {0.0f, 0.25f, 0.0f}});
  std::vector<BodyId> boxes;
  for (int i = 0; i < 40; ++i) {
    boxes.push_back(world.add_body(
        {.shape = box({0.3f, 0.3f, 0.3f}), .position = {-3.5f + float(i % 8), 0.8f, -2.0f + float(i / 8)}}));
  }
  StepReport report;
  for (int step = 0; step < 300; ++step) report = world.step(1.0f / 60.0f);
  EXPECT_TRUE(has(report.status, StepStatus::colors_full));
  EXPECT_GE(report.overflow_count, 40 + 1 - kPalette);
  EXPECT_NEAR(world.position(plate).y, 0.25, 0.00015);  // [m] as all limits here: 1.5 to 2 times what is measured
  double sunk = 0, drift = 0;
  for (int i = 0; i < 40; ++i) {
    const Vec3 p = world.position(boxes[std::size_t(i)]);
    sunk = std::max(sunk, std::fabs(double(p.y) - 0.8));
    drift = std::max(drift, std::hypot(double(p.x) + 3.5 - i % 8, double(p.z) + 2.0 - i / 8));
  }
  EXPECT_LT(sunk, 0.00035);
  EXPECT_LT(drift, 0.000025);
}

}  // namespace
}  // namespace talus::test
