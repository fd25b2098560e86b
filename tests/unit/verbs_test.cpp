// SPDX-License-Identifier: MIT
// The verbs of the CPU executor against the standard library, for sizes around the borders of chunks and blocks, on
// 1, 2, 3 and 8 threads, with sentinels behind what they may write.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include <oneapi/tbb/task_arena.h>

#include "exec_cpu.h"
#include "math/atomic.h"
#include "math/pack.h"
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace talus {
namespace {

constexpr Index kSizes[] = {0, 1, 31, 32, 33, 1000, 1024, 100000};
constexpr int kThreads[] = {1, 2, 3, 8};
constexpr Index kSentinel = -77777;

struct Square {
  Column<Index> out;
  Column<Index> visits;
  void operator()(Index i) const {
    out[i] = i * 3 + 1;
    atomic_add(&visits[i], 1);
  }
};

TEST(Verbs, ForEachVisitsEveryElementOnce) {
  for (int count : kThreads) {
    const CpuThreads threads(count, true);
    EXPECT_EQ(threads.count(), count);
    BasicCpuExec<float> exec(threads);
    for (Index size : kSizes) {
      std::vector<Index> out(std::size_t(size) + 1, kSentinel), visits(std::size_t(size) + 1, 0);
      exec.for_each("square", Count{nullptr, size}, Square{{out.data(), size}, {visits.data(), size}});
      for (Index i = 0; i < size; ++i) {
        ASSERT_EQ(out[std::size_t(i)], i * 3 + 1);
        ASSERT_EQ(visits[std::size_t(i)], 1);
      }
      EXPECT_EQ(out.back(), kSentinel);
      EXPECT_EQ(visits.back(), 0);
    }
  }
}

TEST(Verbs, ForEachReadsLiveCounts) {
  const CpuThreads threads(2, true);
  BasicCpuExec<float> exec(threads);
  std::vector<Index> out(5000, kSentinel), visits(5000, 0);
  const Index live = 3210;
  exec.for_each("square", Count{&live, 5000}, Square{{out.data(), 5000}, {visits.data(), 5000}});
  EXPECT_EQ(std::accumulate(visits.begin(), visits.end(), 0), live);
  EXPECT_EQ(out[3209], 3209 * 3 + 1);
  EXPECT_EQ(out[3210], kSentinel);
}

struct MarkLanes {
  std::atomic<int>* marks;
  template <class Real>
  void solve(Index lane) const {
    for (Index i = 0; i < lane_count<Real>(); ++i) marks[lane + i]++;
  }
};

template <class Real>
void expect_all_lanes() {
  for (int count : kThreads) {
    const CpuThreads threads(count, true);
    BasicCpuExec<Real> exec(threads);
    for (Index blocks : {0, 1, 2, 7, 8, 9, 400}) {
      const Index begin = 3 * kLanes, end = begin + blocks * kLanes;
      std::vector<std::atomic<int>> marks(std::size_t(end + kLanes));
      exec.for_each_lane("mark", LaneRange{&begin, &end, blocks * kLanes}, MarkLanes{marks.data()});
      for (Index lane = 0; lane < end + kLanes; ++lane) {
        ASSERT_EQ(marks[std::size_t(lane)].load(), lane >= begin && lane < end ? 1 : 0) << "lane " << lane;
      }
    }
  }
}

TEST(Verbs, ForEachLaneVisitsWholeBlocksOfTheRange) {
  expect_all_lanes<float>();
  expect_all_lanes<NativePack>();
}

TEST(Verbs, ExclusiveScanEqualsTheStandardOne) {
  std::mt19937 random(1);
  for (int count : kThreads) {
    const CpuThreads threads(count, true);
    BasicCpuExec<float> exec(threads);
    for (Index size : kSizes) {
      std::vector<Index> values;
      for (Index i = 0; i < size; ++i) values.push_back(Index(random() % 9) - 2);
      std::vector<Index> expected(values.size());
      std::exclusive_scan(values.begin(), values.end(), expected.begin(), 0);
      values.push_back(kSentinel);
      exec.exclusive_scan("scan", {values.data(), size}, Count{&size, size});
      EXPECT_EQ(values.back(), kSentinel);
      values.pop_back();
      ASSERT_EQ(values, expected) << size << " values on " << count << " threads";
    }
  }
}

TEST(Verbs, SortByKeyIsStableOnAnyNumberOfThreads) {
  std::mt19937 random(2);
  for (int count : kThreads) {
    const CpuThreads threads(count, true);
    BasicCpuExec<float> exec(threads);
    for (Index size : kSizes) {
      for (std::uint32_t mask : {0xffffffffu, 0xffffu, 0xfu}) {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> expected;
        for (Index i = 0; i < size; ++i) expected.emplace_back(std::uint32_t(random()) & mask, std::uint32_t(i));
        std::vector<std::uint32_t> keys, values, spare_keys(std::size_t(size) + 1), spare_values(std::size_t(size) + 1);
        for (const auto& [key, value] : expected) {
          keys.push_back(key);
          values.push_back(value);
        }
        keys.push_back(7u);
        values.push_back(8u);
        exec.sort_by_key(
            "sort",
            SortColumns{
                {keys.data(), size}, {values.data(), size}, {spare_keys.data(), size}, {spare_values.data(), size}},
            Count{nullptr, size}, 32);
        std::stable_sort(expected.begin(), expected.end(), [](auto a, auto b) { return a.first < b.first; });
        for (Index i = 0; i < size; ++i) {
          ASSERT_EQ(keys[std::size_t(i)], expected[std::size_t(i)].first);
          ASSERT_EQ(values[std::size_t(i)], expected[std::size_t(i)].second);
        }
        EXPECT_EQ(keys.back(), 7u);
        EXPECT_EQ(values.back(), 8u);
      }
    }
  }
}

/// One element: how many elements the loops after it have.
struct SetCount {
  Index* count;
  Index value;
  void operator()(Index) const { *count = value; }
};
/// Reads what another element wrote in the loop before, anywhere in the column.
struct Rotate {
  Column<Index> from, to;
  void operator()(Index i) const { to[i] = from[(i + from.size / 2 + 1) % from.size] + 1; }
};
/// Many loops, each of which needs all of the one before; counts that change on the way; and loops without elements.
struct RotateManyTimes {
  Column<Index> a, b;
  int rounds;
  Index* live;
  const Index* zero;
  std::atomic<int>* marks;  // of lanes
  Index blocks[2];          // lanes to mark: [first, last)
  template <class Team>
  void operator()(Team& team) const {
    for (int round = 0; round < rounds; ++round) {
      team.for_each("clear", Count{nullptr, 1}, SetCount{live, 0});
      team.for_each("none", Count{live, a.size}, Rotate{a, a});
      team.for_each_lane("mark", LaneRange{&blocks[0], &blocks[1], blocks[1]}, MarkLanes{marks});
      team.for_each("set", Count{nullptr, 1}, SetCount{live, a.size});
      team.for_each("there", Count{live, a.size}, Rotate{a, b});
      team.for_each_lane("none", LaneRange{zero, zero, blocks[1]}, MarkLanes{marks});
      team.for_each("back", Count{live, a.size}, Rotate{b, a});
    }
  }
};

void expect_rotations(const CpuThreads& threads, Index size, int rounds) {
  std::vector<Index> a(std::size_t(size), 0), b(std::size_t(size), 0);
  std::iota(a.begin(), a.end(), 0);
  std::vector<Index> expected = a, next = a;
  for (int round = 0; round < 2 * rounds; ++round) {
    for (Index i = 0; i < size; ++i) next[std::size_t(i)] = expected[std::size_t((i + size / 2 + 1) % size)] + 1;
    std::swap(expected, next);
  }
  constexpr Index kBlocks = 40;
  std::vector<std::atomic<int>> marks(std::size_t(kBlocks * kLanes));
  Index live = -1;
  const Index zero = 0;
  BasicCpuExec<NativePack> exec(threads);
  exec.together(
      "rotate",
      RotateManyTimes{
          {a.data(), size}, {b.data(), size}, rounds, &live, &zero, marks.data(), {kLanes, kBlocks * kLanes}});
  ASSERT_EQ(a, expected) << size << " elements on " << threads.count() << " threads";
  for (Index lane = 0; lane < kBlocks * kLanes; ++lane) {
    ASSERT_EQ(marks[std::size_t(lane)].load(), lane >= kLanes ? rounds : 0);
  }
}

TEST(Verbs, LoopsOfATaskSeeAllOfTheLoopsBefore) {
  for (int count : {1, 2, 3, 8}) {
    const CpuThreads threads(count, true);
    for (Index size : {1, 33, 1500, 20000}) expect_rotations(threads, size, 40);
    expect_rotations(threads, 3000, 1000);
  }
}

TEST(Verbs, TasksRunOnSeveralThreadsOfTheUserAndWithinAnArenaOfTheUser) {
  std::vector<std::thread> users;
  for (int user = 0; user < 4; ++user) {
    users.emplace_back([user] {
      const CpuThreads threads(2 + user, true);
      for (int i = 0; i < 5; ++i) expect_rotations(threads, 5000, 20);
    });
  }
  for (std::thread& user : users) user.join();
  tbb::task_arena arena(3);
  for (int count : {1, 2, 4}) {
    arena.execute([count] {
      const CpuThreads threads(count, true);
      expect_rotations(threads, 5000, 20);
    });
  }
}

struct ScanAndSort {
  BasicCpuExec<float>* exec;
  Column<Index> values;
  SortColumns columns;
};

TEST(Verbs, ScansAndSortsWithinARegionEqualThoseOutside) {
  constexpr Index kSize = 50000;
  std::mt19937 random(3);
  std::vector<Index> values;
  std::vector<std::uint32_t> keys, ids(kSize), spare_keys(kSize), spare_values(kSize);
  for (Index i = 0; i < kSize; ++i) {
    values.push_back(Index(random() % 9));
    keys.push_back(std::uint32_t(random()));
  }
  std::iota(ids.begin(), ids.end(), 0u);
  std::vector<Index> scanned(values.size());
  std::exclusive_scan(values.begin(), values.end(), scanned.begin(), 0);
  std::vector<std::uint32_t> sorted = keys;
  std::stable_sort(sorted.begin(), sorted.end());
  const CpuThreads threads(3, true);
  BasicCpuExec<float> exec(threads);
  ScanAndSort both{
      &exec,
      {values.data(), kSize},
      {{keys.data(), kSize}, {ids.data(), kSize}, {spare_keys.data(), kSize}, {spare_values.data(), kSize}}};
  threads.enter(
      [](void* context) {
        const ScanAndSort& in = *static_cast<ScanAndSort*>(context);
        in.exec->exclusive_scan("scan", in.values, Count{nullptr, in.values.size});
        in.exec->sort_by_key("sort", in.columns, Count{nullptr, in.columns.keys.size}, 32);
      },
      &both);
  EXPECT_EQ(values, scanned);
  EXPECT_EQ(keys, sorted);
}

TEST(Verbs, ARegionThatThrowsEndsAndTheNextOneWorks) {
  const CpuThreads threads(4, true);
  const auto body = [](void* context) {
    const CpuThreads& used = *static_cast<const CpuThreads*>(context);
    std::atomic<int> sum{0};
    used.run(
        100, [](void* s, int chunk) { static_cast<std::atomic<int>*>(s)->fetch_add(chunk); }, &sum);
    EXPECT_EQ(sum.load(), 4950);
    throw Error("on purpose");
  };
  EXPECT_THROW(threads.enter(body, const_cast<CpuThreads*>(&threads)), Error);
  expect_rotations(threads, 5000, 20);
}

struct Halve {
  Column<float> values;
  void operator()(Index i) const { values[i] = values[i] * 0.5f; }
};

TEST(Verbs, KernelsKeepDenormalsWhateverTheCallerHasSet) {
#if defined(__x86_64__)
  for (int count : {1, 3}) {
    const CpuThreads threads(count, true);
    BasicCpuExec<float> exec(threads);
    std::vector<float> values(20000, std::numeric_limits<float>::min());
    const unsigned before = _mm_getcsr();
    const unsigned flushing = (before & ~0x3fu) | 0x8040u | 0x6000u;  // flush to zero, denormals are zero, truncate
    _mm_setcsr(flushing);
    exec.for_each("halve", Count{nullptr, Index(values.size())}, Halve{{values.data(), Index(values.size())}});
    const unsigned after = _mm_getcsr();
    _mm_setcsr(before);
    EXPECT_EQ(after & ~0x3fu, flushing & ~0x3fu) << "the caller's setting comes back";
    for (float value : values) ASSERT_EQ(value, 0.5f * std::numeric_limits<float>::min());
  }
#else
  GTEST_SKIP() << "sets the control word of x86";
#endif
}

TEST(Verbs, StagesAreTimed) {
  const CpuThreads threads(1);
  BasicCpuExec<float> exec(threads);
  std::vector<Index> out(100000), visits(100000);
  const Square kernel{{out.data(), 100000}, {visits.data(), 100000}};
  exec.begin_stage(Stage::find_pairs);
  exec.for_each("square", Count{nullptr, 100000}, kernel);
  exec.begin_stage(Stage::collide_pairs);
  exec.end();
  const float once = exec.stage_ms()[int(Stage::find_pairs)];
  EXPECT_GT(once, 0.0f);
  EXPECT_GE(exec.stage_ms()[int(Stage::collide_pairs)], 0.0f);
  EXPECT_EQ(exec.stage_ms()[int(Stage::solve_contacts)], 0.0f);
  exec.begin_stage(Stage::find_pairs);
  exec.for_each("square", Count{nullptr, 100000}, kernel);
  exec.end();
  EXPECT_GT(exec.stage_ms()[int(Stage::find_pairs)], once);
  exec.reset_times();
  EXPECT_EQ(exec.stage_ms()[int(Stage::find_pairs)], 0.0f);
}

}  // namespace
}  // namespace talus
