// SPDX-License-Identifier: MIT
// The broad phase against all pairs, in ordinary and degenerate layouts; its order; its growth.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "../support/broad_scene.h"
#include "../support/pair_oracle.h"
#include "../support/shape_oracles.h"
#include "../support/shuffle_exec.h"
#include "exec_cpu.h"
#include "math/pack.h"

namespace talus::testing {
namespace {

class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  float between(float low, float high) { return std::uniform_real_distribution<float>(low, high)(engine_); }
  Vec3 in_box(Vec3 half) {
    const float x = between(-half.x, half.x), y = between(-half.y, half.y), z = between(-half.z, half.z);
    return {x, y, z};
  }
  Quat rotation() {
    std::normal_distribution<float> normal;
    const float x = normal(engine_), y = normal(engine_), z = normal(engine_), w = normal(engine_);
    return normalized(Quat{x, y, z, w});
  }
  ShapeDef shape(float size) {
    switch (engine_() % 3) {
      case 0:
        return sphere(0.5f * size);
      case 1:
        return box({size * between(0.3f, 0.6f), size * between(0.3f, 0.6f), size * between(0.3f, 0.6f)});
      default:
        return capsule(0.3f * size, 0.4f * size);
    }
  }
  Motion motion() {
    const unsigned roll = engine_() % 8;
    return roll == 0 ? Motion::fixed : roll == 1 ? Motion::kinematic : Motion::dynamic;
  }

 private:
  std::mt19937 engine_;
};

/// Bodies of all shapes and motions; `place(i)` says where and `size(i)` how large.
template <class Place, class Size>
std::vector<SceneBody> bodies(Index count, std::uint32_t seed, Place place, Size size) {
  Random random(seed);
  std::vector<SceneBody> list;
  for (Index i = 0; i < count; ++i) {
    SceneBody body;
    body.shape = random.shape(size(random, i));
    body.position = place(random, i);
    body.orientation = random.rotation();
    body.motion = random.motion();
    body.linear_velocity = random.in_box({5.0f, 5.0f, 5.0f});
    body.angular_velocity = random.in_box({9.0f, 9.0f, 9.0f});
    list.push_back(body);
  }
  return list;
}
float unit_size(Random&, Index) {
  return 1.0f;
}
/// A cloud with about five near pairs a body.
std::vector<SceneBody> cloud(Index count, std::uint32_t seed) {
  const float half = 0.5f * std::cbrt(float(count));
  return bodies(
      count, seed,
      [half](Random& r, Index) {
        return r.in_box({half, half, half});
      },
      unit_size);
}

void expect_all_pairs(const std::vector<SceneBody>& list, const std::string& what,
                      std::vector<std::uint64_t> ignored = {}) {
  const CpuThreads threads(1);
  BasicCpuExec<NativePack> exec(threads);
  BroadScene scene(list, std::move(ignored));
  scene.run(exec);
  const std::vector<RowPair> found = scene.pairs();
  EXPECT_EQ(found, all_near_pairs(scene)) << what << ", " << found.size() << " pairs";
  EXPECT_LE(scene.counters().entries, kEntriesPerBody * scene.rows()) << what;
}

TEST(Sweep, FindsAllPairsOfClouds) {
  for (Index count : {0, 1, 2, 33, 1000, 5000}) {
    for (std::uint32_t seed : {1u, 2u, 3u}) {
      expect_all_pairs(cloud(count, seed), std::to_string(count) + " bodies, seed " + std::to_string(seed));
      if (count == 5000) break;
    }
  }
}

TEST(Sweep, FindsAllPairsWhereAllOverlap) {
  expect_all_pairs(bodies(
                       300, 4,
                       [](Random& r, Index) {
                         return r.in_box({0.1f, 0.1f, 0.1f});
                       },
                       unit_size),
                   "heap");
  expect_all_pairs(bodies(
                       300, 5,
                       [](Random&, Index) {
                         return Vec3{7.0f, -3.0f, 2.0f};
                       },
                       unit_size),
                   "one place");
}

TEST(Sweep, FindsAllPairsOnLinesAndPlanes) {
  const auto line = [](Vec3 way) {
    return [way](Random& r, Index i) { return (0.6f * float(i)) * way + r.in_box({0.01f, 0.01f, 0.01f}); };
  };
  expect_all_pairs(bodies(2000, 6, line({1, 0, 0}), unit_size), "line along x");
  expect_all_pairs(bodies(2000, 7, line({0, 1, 0}), unit_size), "line along y");
  expect_all_pairs(bodies(2000, 8, line({0, 0, 1}), unit_size), "line along z");
  expect_all_pairs(bodies(2000, 9, line({1, 1, 1}), unit_size), "diagonal");
  expect_all_pairs(bodies(2000, 10, line({1, 0.5f, -2}), unit_size), "another diagonal");
  const auto layer = [](Vec3 half) { return [half](Random& r, Index) { return r.in_box(half); }; };
  expect_all_pairs(bodies(2000, 11, layer({20, 20, 0}), unit_size), "layer across z");
  expect_all_pairs(bodies(2000, 12, layer({20, 0, 20}), unit_size), "layer across y");
  expect_all_pairs(bodies(2000, 13, layer({0, 20, 20}), unit_size), "layer across x");
}

TEST(Sweep, FindsAllPairsOfUnequalBodies) {
  const auto within = [](float half) { return [half](Random& r, Index) { return r.in_box({half, half, half}); }; };
  expect_all_pairs(bodies(2000, 14, within(6.0f), [](Random&, Index i) { return i == 700 ? 3000.0f : 1.0f; }),
                   "one enormous body");
  expect_all_pairs(
      bodies(2000, 15, within(12.0f), [](Random& r, Index) { return std::pow(100.0f, r.between(-0.5f, 0.5f)); }),
      "sizes 1:100");
  expect_all_pairs(
      bodies(2000, 16, within(200.0f), [](Random& r, Index) { return std::pow(1e6f, r.between(-0.5f, 0.4f)); }),
      "sizes 1:1,000,000");
  expect_all_pairs(bodies(1000, 17, within(10.0f), [](Random&, Index i) { return i % 2 == 0 ? 1.0f : 20.0f; }),
                   "every other one large");
}

TEST(Sweep, FindsAllPairsFarFromTheOriginAndWithStrays) {
  const auto far = [](Vec3 centre) { return [centre](Random& r, Index) { return centre + r.in_box({5, 5, 5}); }; };
  expect_all_pairs(bodies(1000, 18, far({1e5f, -2e5f, 3e5f}), unit_size), "far away");
  expect_all_pairs(bodies(1000, 19, far({1e8f, 0, 0}), unit_size), "where floats are coarser than bodies");
  for (float distance : {1e4f, 1e7f, 1e12f, 1e20f, 1e30f}) {
    const auto stray = [distance](Random& r, Index i) {
      return i % 100 == 0 ? distance * r.in_box({1, 1, 1}) : r.in_box({5, 5, 5});
    };
    expect_all_pairs(bodies(1000, 20, stray, unit_size), "strays at " + std::to_string(distance));
  }
}

TEST(Sweep, FindsPairsOfFastBodies) {
  std::vector<SceneBody> list = cloud(500, 21);
  Random random(22);
  for (SceneBody& body : list) body.linear_velocity = random.in_box({300.0f, 300.0f, 300.0f});
  expect_all_pairs(list, "fast");
  list[17].linear_velocity = {3e25f, 1.0f, 0.0f};
  expect_all_pairs(list, "one absurdly fast");
}

TEST(Sweep, FindsPairsWithPlanes) {
  std::vector<SceneBody> list = cloud(700, 23);
  list[0].shape = plane({0.0f, 1.0f, 0.0f});
  list[0].motion = Motion::fixed;
  list[400].shape = plane({0.6f, 0.8f, 0.0f});
  list[400].motion = Motion::kinematic;
  expect_all_pairs(list, "two planes");
  list[401].shape = plane({0.0f, 0.0f, -1.0f});
  list[401].filter = {2u, 0u};
  expect_all_pairs(list, "a plane that meets nothing");
}

TEST(Sweep, ObeysFiltersIgnoredPairsFrozenAndDeadRows) {
  std::vector<SceneBody> list = cloud(1000, 24);
  for (Index i = 0; i < 1000; ++i) {
    SceneBody& body = list[std::size_t(i)];
    body.filter.group = 1u << (i % 3);
    body.filter.mask = i % 5 == 0 ? 0u : i % 7 == 0 ? 0xffffffffu : ~(1u << (i % 3));
    body.frozen = i % 11 == 0;
    body.alive = i % 13 != 0;
  }
  expect_all_pairs(list, "filters");
  std::vector<std::uint64_t> ignored;
  {
    const CpuThreads threads(1);
    BasicCpuExec<float> exec(threads);
    BroadScene scene(list);
    scene.run(exec);
    for (const RowPair& pair : scene.pairs()) {
      const auto [low, high] = std::minmax(pair.first, pair.second);
      if ((low + high) % 2 == 0) ignored.push_back(std::uint64_t(low) << 32 | std::uint64_t(high));
    }
    ASSERT_FALSE(ignored.empty());
  }
  expect_all_pairs(list, "ignored", ignored);
}

/// Bodies drift, one flies through, some change: the pairs are those of a search in every step.
TEST(Sweep, KeptCandidatesGiveThePairsOfASearch) {
  std::vector<SceneBody> list = cloud(400, 31);
  for (SceneBody& body : list) {
    body.linear_velocity = 0.05f * body.linear_velocity;
    body.angular_velocity = 0.05f * body.angular_velocity;
  }
  SceneBody floor;
  floor.shape = plane({0.0f, 1.0f, 0.0f});
  floor.position = {0.0f, -3.0f, 0.0f};
  list.push_back(floor);
  const CpuThreads threads(1);
  BasicCpuExec<NativePack> exec(threads);
  BroadScene scene(list);
  int searches = 0;
  for (int step = 0; step < 120; ++step) {
    const StepViews v = scene.views();
    for (Index row = 0; row < 400; ++row) {
      if (v.model.motion[row] == std::uint8_t(Motion::fixed)) continue;
      const Vec3 x = v.state.position[row], velocity = v.state.linear_velocity[row];
      v.state.position.set(row, x + scene.params().dt * velocity);
    }
    if (step == 20) v.model.motion[3] = std::uint8_t(Motion::fixed);
    if (step == 25) v.model.motion[3] = std::uint8_t(Motion::dynamic);
    if (step == 30) v.model.mask[5] = 0;
    if (step == 35) v.model.mask[5] = 0x80000000u | v.model.group[6];
    if (step == 40) v.state.frozen[7] = 1;
    if (step == 45) v.state.frozen[7] = 0;
    if (step == 50) v.model.alive[9] = 0;
    if (step == 55) v.model.alive[9] = 1;
    if (step == 60) v.state.linear_velocity.set(11, {40.0f, 0.0f, 0.0f});
    scene.run(exec);
    ASSERT_EQ(scene.pairs(), all_near_pairs(scene)) << "step " << step;
    searches += scene.counters().search_rows > 0 ? 1 : 0;
  }
  EXPECT_GT(searches, 10);
  EXPECT_LT(searches, 80);
}

TEST(Sweep, NeverPairsBodiesThatNeitherMoves) {
  std::vector<SceneBody> list = cloud(300, 25);
  for (std::size_t i = 0; i < list.size(); ++i) list[i].motion = i % 2 == 0 ? Motion::fixed : Motion::kinematic;
  const CpuThreads threads(1);
  BasicCpuExec<float> exec(threads);
  BroadScene scene(list);
  scene.run(exec);
  EXPECT_EQ(scene.counters().pairs, 0);
}

TEST(Sweep, ListsPairsByOwnerWithBegins) {
  const CpuThreads threads(1);
  BasicCpuExec<float> exec(threads);
  BroadScene scene(cloud(1000, 26));
  scene.run(exec);
  const std::vector<RowPair> found = scene.pairs();
  const Column<Index> begin = scene.views().next.pairs.begin;
  ASSERT_GT(found.size(), 1000u);
  EXPECT_EQ(begin[0], 0);
  EXPECT_EQ(begin[scene.rows()], Index(found.size()));
  for (Index row = 0; row < scene.rows(); ++row) {
    for (Index i = begin[row]; i < begin[row + 1]; ++i) EXPECT_EQ(found[std::size_t(i)].first, row);
  }
}

TEST(Sweep, OrderOfElementsThreadsAndPacksDoNotMatter) {
  std::vector<SceneBody> list = cloud(3000, 27);
  list[5].shape = plane({0.0f, 1.0f, 0.0f});
  list[5].motion = Motion::fixed;
  list[6].shape = box({8.0f, 0.5f, 8.0f});
  const CpuThreads one(1);
  BasicCpuExec<float> exec(one);
  BroadScene scene(list);
  scene.run(exec);
  const std::vector<RowPair> expected = scene.pairs();
  for (std::uint32_t seed : {1u, 2u, 3u}) {
    ShuffleExec<> shuffle(seed);
    BroadScene again(list);
    again.run(shuffle);
    EXPECT_EQ(again.pairs(), expected) << "seed " << seed;
  }
  for (int count : {2, 3, 8}) {
    const CpuThreads threads(count);
    BasicCpuExec<float> parallel(threads);
    BasicCpuExec<NativePack> packs(threads);
    BroadScene again(list);
    for (int i = 0; i < 3; ++i) again.run(parallel);
    EXPECT_EQ(again.pairs(), expected) << count << " threads";
    for (int i = 0; i < 3; ++i) again.run(packs);
    EXPECT_EQ(again.pairs(), expected) << count << " threads, in packs";
  }
}

TEST(Sweep, GrowsFromCapacityOneToExactNeed) {
  const std::vector<SceneBody> list = cloud(1000, 28);
  const CpuThreads threads(2);
  BasicCpuExec<float> exec(threads);
  BroadScene large(list);
  EXPECT_EQ(large.run(exec), 1);
  const Counters& expected = large.counters();

  BroadScene small(list);
  small.resize(1, 1, 1);
  small.run_once(exec);
  Counters& counters = small.counters();
  EXPECT_EQ(counters.must_grow, 1u << int(Growth::entries));
  EXPECT_EQ(counters.need[int(Growth::entries)], expected.entries);
  EXPECT_EQ(counters.rows + counters.entries + counters.pairs, 0);
  small.run_once(exec);  // queued behind it: does nothing either
  EXPECT_EQ(counters.need[int(Growth::entries)], expected.entries);
  EXPECT_EQ(counters.rows + counters.entries + counters.pairs, 0);

  counters.must_grow = 0;
  small.resize(expected.entries, 1, 1);
  small.run_once(exec);
  const Index near_boxes = large.grid().candidates;
  EXPECT_EQ(counters.must_grow, 1u << int(Growth::candidates));
  EXPECT_EQ(counters.need[int(Growth::candidates)], near_boxes);
  EXPECT_EQ(counters.rows + counters.entries + counters.pairs, 0);

  counters.must_grow = 0;
  small.resize(expected.entries, near_boxes, 1);
  small.run_once(exec);
  EXPECT_EQ(counters.must_grow, 1u << int(Growth::pairs));
  EXPECT_EQ(counters.need[int(Growth::pairs)], expected.pairs);
  EXPECT_EQ(counters.rows + counters.entries + counters.pairs, 0);

  counters.must_grow = 0;
  small.resize(expected.entries, near_boxes, expected.pairs);
  small.run_once(exec);
  EXPECT_EQ(counters.must_grow, 0u);
  EXPECT_EQ(small.pairs(), large.pairs());
}

TEST(Sweep, AStepThatWaitsForRoomLeavesTheListsAlone) {
  const CpuThreads threads(1);
  BasicCpuExec<float> exec(threads);
  BroadScene scene(cloud(200, 30));
  scene.run(exec);
  const std::vector<RowPair> before = scene.pairs();
  const Index count = scene.counters().pairs;
  const Column<Index> begin = scene.views().next.pairs.begin;
  const std::vector<Index> begins(begin.data, begin.data + begin.size);
  scene.counters().must_grow = 1u << int(Growth::contacts);
  scene.run_once(exec);
  EXPECT_EQ(scene.counters().rows + scene.counters().entries + scene.counters().pairs, 0);
  EXPECT_EQ(std::vector<Index>(begin.data, begin.data + begin.size), begins);
  scene.counters().pairs = count;
  EXPECT_EQ(scene.pairs(), before);
}

TEST(Sweep, TestsStayFewInDegenerateScenes) {
  // A stray body must not take the grid's resolution from the others: keys of neighbours in the row still differ.
  std::vector<SceneBody> list(4000);
  for (std::size_t i = 0; i < list.size(); ++i) list[i].position = {2.0f * float(i), 0.0f, 0.0f};
  list[0].position = {0.0f, -1e6f, 0.0f};
  const CpuThreads threads(1);
  BasicCpuExec<float> exec(threads);
  BroadScene scene(list);
  scene.run(exec);
  const BroadEntries entries = scene.views().broad.entries;
  const GridState& grid = scene.grid();
  Index longest = 0;
  for (Index i = 0; i < scene.counters().entries; ++i) {
    const std::uint32_t end = entries.key[i] >> grid.code_bits << grid.code_bits | sweep_code(grid, entries.max_s[i]);
    Index j = i + 1;
    while (j < scene.counters().entries && entries.key[j] <= end) ++j;
    longest = std::max(longest, j - i);
  }
  EXPECT_LT(longest, 16);
}

TEST(Sweep, TestOfShapesNeverLosesANearPair) {
  oracle::RandomShapes random(31);
  int near = 0, kept = 0, all = 0;
  for (int i = 0; i < 4000; ++i) {
    SceneBody bodies[2];
    std::vector<oracle::Solid> solids;
    for (SceneBody& body : bodies) {
      const ShapeType type = oracle::kTypes[random.random() % 3];
      const PlacedShape placed = random.shape(type, 1.5f);
      body.shape = {type, placed.size};
      body.position = placed.position;
      body.orientation = placed.orientation;
      solids.push_back(oracle::solid(type, placed));
    }
    const CpuThreads threads(1);
    BasicCpuExec<float> exec(threads);
    BroadScene scene({bodies[0], bodies[1]});
    scene.run(exec);
    const BroadRows rows = scene.views().broad.rows;
    const double reach = double(rows.pose[0].reach) + double(rows.pose[1].reach);
    const bool is_near = oracle::separation(solids[0], solids[1]) <= reach;
    const bool is_kept = shapes_near(rows.pose[0], rows.shape[0], rows.pose[1], rows.shape[1]);
    EXPECT_TRUE(is_kept || !is_near) << "pair " << i;
    near += is_near ? 1 : 0;
    kept += is_kept ? 1 : 0;
    ++all;
  }
  EXPECT_GT(near, 100);
  EXPECT_LT(kept - near, (all - near) / 4);  // and spares most of the others
}

TEST(Bounds, HoldTheBodyThroughoutAFreeStep) {
  const std::vector<SceneBody> list = cloud(2000, 29);
  const CpuThreads threads(1);
  BasicCpuExec<float> exec(threads);
  BroadScene scene(list);
  scene.run(exec);
  const StepViews v = scene.views();
  const float dt = v.params->dt;
  for (Index row = 0; row < scene.rows(); ++row) {
    const SceneBody& body = list[std::size_t(row)];
    const bool dynamic = body.motion == Motion::dynamic;
    const Bounds bounds = v.broad.rows.bounds[row];
    for (float t : {0.0f, 0.3f * dt, dt}) {
      Vec3 velocity = body.motion == Motion::fixed ? Vec3{0.0f, 0.0f, 0.0f} : body.linear_velocity;
      if (dynamic) velocity = velocity + t * v.params->gravity;  // what semi-implicit Euler uses at most
      const Vec3 position = body.position + t * velocity;
      const Vec3 spin = body.motion == Motion::fixed ? Vec3{0.0f, 0.0f, 0.0f} : (0.5f * t) * body.angular_velocity;
      const Quat turned = normalized(Quat{spin.x, spin.y, spin.z, 1.0f} * body.orientation);
      const Vec3 half = aabb_half_extent(body.shape.type, body.shape.size, turned);
      const float slack = 1e-4f;
      EXPECT_LE(bounds.min.x - slack, position.x - half.x);
      EXPECT_LE(bounds.min.y - slack, position.y - half.y);
      EXPECT_LE(bounds.min.z - slack, position.z - half.z);
      EXPECT_GE(bounds.max.x + slack, position.x + half.x);
      EXPECT_GE(bounds.max.y + slack, position.y + half.y);
      EXPECT_GE(bounds.max.z + slack, position.z + half.z);
    }
  }
}

TEST(Bounds, OfFixedAndFrozenBodiesIgnoreTheirVelocity) {
  std::vector<SceneBody> list(3);
  for (SceneBody& body : list) body.linear_velocity = {60.0f, 0.0f, 0.0f};
  list[0].motion = Motion::fixed;
  list[1].frozen = true;
  list[2].motion = Motion::kinematic;
  const CpuThreads threads(1);
  BasicCpuExec<float> exec(threads);
  BroadScene scene(list);
  scene.run(exec);
  const StepViews v = scene.views();
  EXPECT_FLOAT_EQ(v.broad.rows.bounds[0].max.x, 0.5f);
  EXPECT_FLOAT_EQ(v.broad.rows.bounds[1].max.x, 0.52f);
  EXPECT_FLOAT_EQ(v.broad.rows.bounds[1].min.y, -0.52f);
  EXPECT_FLOAT_EQ(v.broad.rows.bounds[2].max.x, 1.5f);
  EXPECT_FLOAT_EQ(v.broad.rows.bounds[2].min.x, -0.5f);
  EXPECT_FLOAT_EQ(v.broad.rows.pose[2].reach, 1.0f);
}

}  // namespace
}  // namespace talus::testing
