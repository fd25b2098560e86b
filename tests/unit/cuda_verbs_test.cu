// SPDX-License-Identifier: MIT
// The verbs on CUDA against the standard library: sizes around a warp and a block, counts below the capacity, and tails
// that must not be touched.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "exec_cuda.cuh"
#include "handles.h"
#include "memory_cuda.h"
#include "table.h"

namespace talus {
namespace {

constexpr Index kSentinel = -77;
const std::vector<Index> kSizes = {0, 1, 31, 32, 33, 127, 129, 1000, 100000};

/// Marks each element once; a second visit shows as a 2.
struct MarkElement {
  Column<Index> marks;
  __device__ void operator()(Index i) const { marks[i] += 1; }
};
/// The same for lanes.
struct MarkLane {
  Column<Index> marks;
  template <class Real>
  __device__ void solve(Index lane) const {
    marks[lane] += 1;
  }
};

/// One element: how many elements the loops after it have.
struct SetCount {
  Index* count;
  Index value;
  __device__ void operator()(Index) const { *count = value; }
};
/// Reads what a far element wrote in the loop before.
struct Rotate {
  Column<Index> from, to;
  __device__ void operator()(Index i) const { to[i] = from[(i + from.size / 2 + 1) % from.size] + 1; }
};
/// Loops that need all of the one before, counts that change on the way, and loops without elements.
struct RotateManyTimes {
  Column<Index> a, b, marks;
  Index* live;
  const Index* bounds;  // of lanes
  template <class Team>
  TALUS_HD void operator()(Team& team) const {
    for (int round = 0; round < 3; ++round) {
      team.for_each("clear", Count{nullptr, 1}, SetCount{live, 0});
      team.for_each("set", Count{nullptr, 1}, SetCount{live, a.size});
      team.for_each("there", Count{live, a.size}, Rotate{a, b});
      team.for_each_lane("mark", {bounds, bounds + 1, marks.size}, MarkLane{marks});
      team.for_each_lane("none", {bounds, bounds, marks.size}, MarkLane{marks});
      team.for_each("back", Count{live, a.size}, Rotate{b, a});
    }
  }
};

class CudaVerbs : public testing::TestWithParam<Index> {
 protected:
  void SetUp() override {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) GTEST_SKIP() << "no CUDA device";
    stream_ = make_stream();
    memory_.emplace(stream_.get());
    check(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, 0), "multiprocessors");
  }
  void TearDown() override {
    if (stream_ != nullptr) EXPECT_EQ(cudaStreamSynchronize(stream_.get()), cudaSuccess);
  }

  template <class T>
  Column<T> upload(Block& block, const std::vector<T>& values) {
    block = Block(*memory_, std::max<std::size_t>(1, values.size()) * sizeof(T), "test data");
    memory_->upload(block.data(), values.data(), values.size() * sizeof(T));
    return {static_cast<T*>(block.data()), static_cast<Index>(values.size())};
  }
  template <class T>
  std::vector<T> download(Column<T> column) {
    std::vector<T> values(static_cast<std::size_t>(column.size));
    memory_->download(values.data(), column.data, values.size() * sizeof(T));
    return values;
  }

  /// Measures, makes room and runs, as the backend does.
  template <class Verbs>
  void run_verbs(Verbs&& verbs) {
    CudaExec measure(multiprocessors_);
    verbs(measure);
    Block room(*memory_, measure.storage_bytes(), "room to sort in");
    CudaExec exec(multiprocessors_, stream_.get(), {room.data(), room.bytes()});
    verbs(exec);
    EXPECT_EQ(exec.storage_bytes(), measure.storage_bytes());
  }

  /// Counts below, at and between the parameter and a capacity beyond it.
  struct Sized {
    Index live, capacity;
    bool counted;  // the count is in device memory
  };
  static std::vector<Sized> cases() {
    const Index n = GetParam();
    return {{n, n, false}, {n, n, true}, {n, n + 700, true}, {n / 2, n, true}, {0, n, true}};
  }
  static std::string describe(const Sized& s) {
    return "live " + std::to_string(s.live) + " of " + std::to_string(s.capacity) + (s.counted ? "" : ", host count");
  }
  Count count(Block& block, const Sized& s) {
    if (!s.counted) return {nullptr, s.capacity};
    return {upload(block, std::vector<Index>{s.live}).data, s.capacity};
  }

  Stream stream_;
  std::optional<CudaMemory> memory_;
  int multiprocessors_ = 0;
};

TEST_P(CudaVerbs, ForEachVisitsEachElementOnce) {
  for (const Sized& s : cases()) {
    SCOPED_TRACE(describe(s));
    Block live, data;
    const Count n = count(live, s);
    const Column<Index> marks = upload(data, std::vector<Index>(static_cast<std::size_t>(s.capacity), kSentinel));
    run_verbs([&](CudaExec& exec) { exec.for_each("mark", n, MarkElement{marks}); });
    std::vector<Index> expected(static_cast<std::size_t>(s.capacity), kSentinel);
    std::fill_n(expected.begin(), s.live, kSentinel + 1);
    EXPECT_EQ(download(marks), expected);
  }
}

TEST_P(CudaVerbs, ForEachLaneVisitsTheRangeOnce) {
  const Index size = (GetParam() + kLanes - 1) / kLanes * kLanes;
  const Index begin = size / 3 / kLanes * kLanes, end = size;
  Block bounds, data;
  const Column<Index> ends = upload(bounds, std::vector<Index>{begin, end});
  const Column<Index> marks = upload(data, std::vector<Index>(static_cast<std::size_t>(size) + 64, 0));
  run_verbs([&](CudaExec& exec) {
    exec.for_each_lane("mark", {ends.data, ends.data + 1, size}, MarkLane{marks});
    exec.for_each_lane("none", {ends.data, ends.data, size}, MarkLane{marks});
  });
  std::vector<Index> expected(static_cast<std::size_t>(size) + 64, 0);
  std::fill(expected.begin() + begin, expected.begin() + end, 1);
  EXPECT_EQ(download(marks), expected);
}

TEST_P(CudaVerbs, ScanEqualsStandardScanAndKeepsTheTail) {
  for (const Sized& s : cases()) {
    SCOPED_TRACE(describe(s));
    std::mt19937 random(7);
    std::vector<Index> values(static_cast<std::size_t>(s.capacity), kSentinel);
    for (Index i = 0; i < s.live; ++i) values[static_cast<std::size_t>(i)] = static_cast<Index>(random() % 9);
    Block live, data;
    const Count n = count(live, s);
    const Column<Index> column = upload(data, values);
    run_verbs([&](CudaExec& exec) { exec.exclusive_scan("scan", column, n); });
    std::exclusive_scan(values.begin(), values.begin() + s.live, values.begin(), 0);
    EXPECT_EQ(download(column), values);
  }
}

TEST_P(CudaVerbs, SortEqualsStandardStableSort) {
  for (const Sized& s : cases()) {
    for (const int bits : {1, 4, 8, 19, 32}) {
      SCOPED_TRACE(describe(s) + ", bits " + std::to_string(bits));
      std::mt19937 random(static_cast<unsigned>(bits));
      const auto size = static_cast<std::size_t>(s.capacity), count_live = static_cast<std::size_t>(s.live);
      const std::uint32_t mask = bits == 32 ? 0xffffffffu : (1u << bits) - 1;
      std::vector<std::uint32_t> keys(size), values(size);
      for (std::size_t i = 0; i < size; ++i) {
        // Few different keys, so that stability shows; some are the largest there is, as the padding is. Bits above
        // `bits` must not matter.
        keys[i] = random() % 4 == 0 ? 0xffffffffu : (random() % 50 * 0x01234567u & mask) | (random() & ~mask);
        values[i] = static_cast<std::uint32_t>(i);
      }
      Block live, key_block, value_block, spare_keys, spare_values;
      const Count n = count(live, s);
      const Column<std::uint32_t> key_column = upload(key_block, keys), value_column = upload(value_block, values);
      const std::vector<std::uint32_t> empty(size, 0xabababab);
      const SortColumns columns{key_column, value_column, upload(spare_keys, empty), upload(spare_values, empty)};
      run_verbs([&](CudaExec& exec) { exec.sort_by_key("sort", columns, n, bits); });

      std::vector<std::uint32_t> order(count_live);
      std::iota(order.begin(), order.end(), 0u);
      std::stable_sort(order.begin(), order.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return (keys[a] & mask) < (keys[b] & mask); });
      std::vector<std::uint32_t> sorted_keys(count_live);
      for (std::size_t i = 0; i < count_live; ++i) sorted_keys[i] = keys[order[i]];
      std::vector<std::uint32_t> got_keys = download(key_column), got_values = download(value_column);
      got_keys.resize(count_live);
      got_values.resize(count_live);
      EXPECT_EQ(got_keys, sorted_keys);
      EXPECT_EQ(got_values, order);
    }
  }
}

TEST_P(CudaVerbs, LoopsOfATaskSeeAllOfTheLoopsBefore) {
  const Index size = std::max<Index>(GetParam(), 1);
  const Index lanes = (size + kLanes - 1) / kLanes * kLanes;
  std::vector<Index> expected(static_cast<std::size_t>(size)), next(static_cast<std::size_t>(size));
  std::iota(expected.begin(), expected.end(), 0);
  Block a_block, b_block, live_block, bounds_block, mark_block;
  const Column<Index> a = upload(a_block, expected), b = upload(b_block, next);
  const Column<Index> live = upload(live_block, std::vector<Index>{-1});
  const Column<Index> bounds = upload(bounds_block, std::vector<Index>{0, lanes});
  const Column<Index> marks = upload(mark_block, std::vector<Index>(static_cast<std::size_t>(lanes), 0));
  run_verbs([&](CudaExec& exec) { exec.together("rotate", RotateManyTimes{a, b, marks, live.data, bounds.data}); });
  for (int round = 0; round < 6; ++round) {
    for (Index i = 0; i < size; ++i) {
      next[static_cast<std::size_t>(i)] = expected[static_cast<std::size_t>((i + size / 2 + 1) % size)] + 1;
    }
    std::swap(expected, next);
  }
  EXPECT_EQ(download(a), expected);
  EXPECT_EQ(download(marks), std::vector<Index>(static_cast<std::size_t>(lanes), 3));
}

TEST_P(CudaVerbs, CapturedVerbsReplayWithOtherCounts) {
  const Index size = std::max<Index>(GetParam(), 1);
  Block live_block, data_block, room_block;
  const Column<Index> live = upload(live_block, std::vector<Index>{size});
  const Column<Index> values = upload(data_block, std::vector<Index>(static_cast<std::size_t>(size), 1));
  const auto verbs = [&](CudaExec& exec) { exec.exclusive_scan("scan", values, {live.data, size}); };
  CudaExec measure(multiprocessors_);
  verbs(measure);
  Block room(*memory_, measure.storage_bytes(), "room to scan in");
  CudaExec exec(multiprocessors_, stream_.get(), {room.data(), room.bytes()});
  Capture capture(stream_.get());
  verbs(exec);
  const Graph graph = capture.finish();
  cudaGraphExec_t replay = nullptr;
  check(cudaGraphInstantiate(&replay, graph.get(), 0), "instantiate");
  const GraphExec owner(replay);
  for (const Index count : {size, size / 2, 0}) {
    std::vector<Index> expected(static_cast<std::size_t>(size), 3);
    memory_->upload(values.data, expected.data(), expected.size() * sizeof(Index));
    memory_->upload(live.data, &count, sizeof count);
    check(cudaGraphLaunch(replay, stream_.get()), "launch");
    std::exclusive_scan(expected.begin(), expected.begin() + count, expected.begin(), 0);
    EXPECT_EQ(download(values), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, CudaVerbs, testing::ValuesIn(kSizes));

TEST(CudaMemory, ErrorNamesPurposeSizeAndCause) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) GTEST_SKIP() << "no CUDA device";
  const Stream stream = make_stream();
  CudaMemory memory(stream.get());
  try {
    memory.allocate(std::size_t(1) << 50, "contacts");
    FAIL() << "a petabyte was found";
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("contacts"), std::string::npos) << message;
    EXPECT_NE(message.find("1125.9 TB"), std::string::npos) << message;
    EXPECT_NE(message.find("cudaErrorMemoryAllocation"), std::string::npos) << message;
  }
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST(CudaMemory, UploadedSourceMayChangeAtOnce) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) GTEST_SKIP() << "no CUDA device";
  const Stream stream = make_stream();
  CudaMemory memory(stream.get());
  const Block a(memory, 4000, "a"), b(memory, 4000, "b");
  std::vector<int> values(1000, 5), back(1000, 0);
  memory.upload(a.data(), values.data(), 4000);
  std::fill(values.begin(), values.end(), 6);
  memory.copy(b.data(), a.data(), 4000);
  memory.fill(a.data(), 0xff, 2000);
  memory.download(back.data(), b.data(), 4000);
  EXPECT_EQ(back, std::vector<int>(1000, 5));
  memory.download(back.data(), a.data(), 4000);
  EXPECT_EQ(back[499], -1);
  EXPECT_EQ(back[500], 5);
}

}  // namespace
}  // namespace talus
