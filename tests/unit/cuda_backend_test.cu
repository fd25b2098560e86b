// SPDX-License-Identifier: MIT
// What a CUDA step costs the host (nothing but a graph launch and a small copy), and how it gets along with streams,
// events and other worlds of the caller's. That it computes the same bits as the CPU is shown in tests/agree.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <regex>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <talus/talus.h>

#include "counters.h"
#include "handles.h"

// Stands before the runtime's function of that name, counts and calls it.
static int instantiated_graphs = 0;
extern "C" cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags) {
  ++instantiated_graphs;
  using Function = cudaError_t (*)(cudaGraphExec_t*, cudaGraph_t, unsigned long long);
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, "cudaGraphInstantiate"))(exec, graph, flags);
}

namespace talus {
namespace {

/// What was asked of the CUDA runtime since reset(). Only the emulator (tests/cudaemu) counts.
class ApiCounters {
 public:
  bool available() const { return reset_ != nullptr && write_ != nullptr; }
  void reset() { reset_(); }
  void read() {
    const std::string file = testing::TempDir() + "talus_api_counters.json";
    write_(file.c_str());
    std::ifstream in(file);
    text_.assign(std::istreambuf_iterator<char>(in), {});
    std::remove(file.c_str());
  }
  /// As it was when read.
  long operator[](const std::string& name) const {
    std::smatch match;
    if (!std::regex_search(text_, match, std::regex("\"" + name + "\": (\\d+)"))) return -1;
    return std::stol(match[1]);
  }

 private:
  void (*reset_)() = reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, "cudaemuProfileReset"));
  void (*write_)(const char*) = reinterpret_cast<void (*)(const char*)>(dlsym(RTLD_DEFAULT, "cudaemuProfileWrite"));
  std::string text_;
};

WorldDef cuda_def(void* stream = nullptr) {
  WorldDef def;
  def.backend = Backend::cuda;
  def.cuda_stream = stream;
  return def;
}

/// Layers of spheres, boxes and capsules over a plane, close enough to touch within a few steps.
std::vector<BodyDef> pile(int layers) {
  std::vector<BodyDef> bodies{{.shape = plane({0.0f, 1.0f, 0.0f})}};
  for (int i = 0; i < 9 * layers; ++i) {
    BodyDef body;
    body.shape = i % 3 == 0 ? sphere(0.3f) : i % 3 == 1 ? box({0.3f, 0.2f, 0.25f}) : capsule(0.2f, 0.2f);
    body.position = {0.62f * float(i % 3) + 0.01f * float(i % 5), 0.4f + 0.65f * float(i / 9),
                     0.62f * float(i / 3 % 3)};
    bodies.push_back(body);
  }
  return bodies;
}

class CudaBackend : public testing::Test {
 protected:
  void SetUp() override {
    const std::vector<Backend> backends = available_backends();
    if (std::find(backends.begin(), backends.end(), Backend::cuda) == backends.end()) {
      GTEST_SKIP() << "no CUDA device: " << system_info().cuda_device;
    }
  }

  static std::uint64_t hash_after(WorldDef def, int steps, int layers = 3) {
    World world(def);
    world.add_bodies(pile(layers));
    for (int i = 0; i < steps; ++i) world.step_async(1.0f / 60.0f);
    return world.state_hash();
  }
};

TEST_F(CudaBackend, ReplayedStepIsOneLaunchAndOneSmallCopy) {
  ApiCounters counters;
  if (!counters.available()) GTEST_SKIP() << "this CUDA runtime does not count its calls; the emulator does";
  World world(cuda_def());
  world.add_bodies(pile(3));
  for (int i = 0; i < 60; ++i) world.step(1.0f / 60.0f);  // until the pile has its contacts and buffers their sizes
  const int graphs = instantiated_graphs;
  for (int repeat = 0; repeat < 2; ++repeat) {
    SCOPED_TRACE(repeat);
    world.last_report();
    counters.reset();
    for (int i = 0; i < 50; ++i) world.step_async(1.0f / 60.0f);
    counters.read();
    EXPECT_EQ(counters["graph_launches"], 50);
    EXPECT_EQ(counters["host_syncs"], 0);
    EXPECT_EQ(counters["blocking_copies"], 0);
    EXPECT_EQ(counters["allocations"], 0);
    EXPECT_EQ(counters["frees"], 0);
    EXPECT_EQ(counters["memcpy_h2d"], 0);
    EXPECT_EQ(counters["memcpy_d2d"], 0);
    world.last_report();
    counters.read();
    EXPECT_EQ(counters["memcpy_d2h"], 50);
    EXPECT_EQ(counters["bytes_d2h"], 50 * int(sizeof(Counters)));
    EXPECT_EQ(counters["host_syncs"], 1);
  }
  EXPECT_EQ(instantiated_graphs, graphs);
}

TEST_F(CudaBackend, StepIsCapturedOnceForEachSideOfTheCache) {
  WorldDef def = cuda_def();
  def.reserve_pairs = 4000;
  def.reserve_contacts = 2000;
  World world(def);
  world.add_bodies(pile(3));
  const int before = instantiated_graphs;
  for (int i = 0; i < 40; ++i) world.step_async(1.0f / 60.0f);
  const StepReport report = world.last_report();
  EXPECT_EQ(report.status, StepStatus::ok) << report.message();
  EXPECT_GT(report.contact_count, 20);
  EXPECT_EQ(instantiated_graphs - before, 2);
}

TEST_F(CudaBackend, AnyStreamGivesTheSameResult) {
  const std::uint64_t expected = hash_after(cuda_def(), 20);
  const Stream stream = make_stream();
  for (cudaStream_t given : {stream.get(), cudaStreamLegacy, cudaStreamPerThread}) {
    EXPECT_EQ(World(cuda_def(given)).stream(), given);
    EXPECT_EQ(hash_after(cuda_def(given), 20), expected) << given;
  }
}

TEST_F(CudaBackend, WorldsDoNotDisturbEachOther) {
  const std::uint64_t small = hash_after(cuda_def(), 20, 2), large = hash_after(cuda_def(), 20, 4);
  const Stream shared = make_stream();
  for (void* stream : {static_cast<void*>(nullptr), static_cast<void*>(shared.get())}) {
    World a(cuda_def(stream)), b(cuda_def(stream));
    a.add_bodies(pile(2));
    b.add_bodies(pile(4));
    for (int i = 0; i < 20; ++i) {
      a.step_async(1.0f / 60.0f);
      b.step_async(1.0f / 60.0f);
    }
    EXPECT_EQ(a.state_hash(), small);
    EXPECT_EQ(b.state_hash(), large);
  }
}

TEST_F(CudaBackend, SmallBuffersGrowToTheSameResult) {
  WorldDef large = cuda_def();
  large.reserve_bodies = 200;
  large.reserve_pairs = 4000;
  large.reserve_contacts = 2000;
  EXPECT_EQ(hash_after(cuda_def(), 30), hash_after(large, 30));
}

class Event {
 public:
  Event() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "making an event"); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { (void)cudaEventDestroy(event_); }
  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

TEST_F(CudaBackend, RecordedEventOrdersReadersAfterTheStep) {
  World world(cuda_def());
  const BodyId ball = world.add_body({.position = {1.0f, 2.0f, 3.0f}, .linear_velocity = {60.0f, 0.0f, 0.0f}});
  world.step(1.0f / 60.0f);
  const Stream reader = make_stream();
  const Event stepped;
  const Pinned<float> x = make_pinned<float>(1, "one float");
  for (int i = 0; i < 5; ++i) world.step_async(1.0f / 60.0f);
  world.record_event(stepped.get());
  const DeviceView view = world.device_view();
  check(cudaStreamWaitEvent(reader.get(), stepped.get(), 0), "wait");
  check(cudaMemcpyAsync(x.get(), view.position.x + ball.slot, sizeof(float), cudaMemcpyDeviceToHost, reader.get()),
        "copy");
  check(cudaStreamSynchronize(reader.get()), "synchronize");
  EXPECT_EQ(x[0], world.position(ball).x);
  EXPECT_NEAR(x[0], 7.0f, 1e-4f);
}

__global__ void set_all(Column<float> values, float value) {
  const Index i = static_cast<Index>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < values.size) values[i] = value;
}

TEST_F(CudaBackend, AwaitedEventOrdersTheStepAfterWriters) {
  World world(cuda_def());
  const BodyId ball = world.add_body({.position = {1.0f, 2.0f, 3.0f}});
  world.step(1.0f / 60.0f);
  const Stream writer = make_stream();
  const Event written;
  const DeviceView view = world.device_view();
  set_all<<<1, 128, 0, writer.get()>>>({view.linear_velocity.x, view.row_count}, 60.0f);
  check(cudaEventRecord(written.get(), writer.get()), "record");
  world.wait_event(written.get());
  world.step(1.0f / 60.0f);
  EXPECT_NEAR(world.position(ball).x, 2.0f, 1e-5f);
}

TEST_F(CudaBackend, ErrorsSayWhatFailed) {
  World world(cuda_def());
  try {
    world.wait_event(nullptr);
    FAIL() << "waited for no event";
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("event"), std::string::npos) << message;
  }
  world.add_bodies(pile(1));
  EXPECT_TRUE(bool(world.step(1.0f / 60.0f)));  // and the world lives on
}

__global__ void write_to(float* address) {
  *address = 1.0f;
}

// In a process of its own, since a device that failed stays so.
TEST(CudaBackendDeathTest, FailedWorkIsReportedByTheNextWait) {
  const std::vector<Backend> backends = available_backends();
  if (std::find(backends.begin(), backends.end(), Backend::cuda) == backends.end()) GTEST_SKIP() << "no CUDA device";
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto fail = [] {
    World world(cuda_def());
    world.add_bodies(pile(1));
    world.step(1.0f / 60.0f);
    write_to<<<1, 1, 0, static_cast<cudaStream_t>(world.stream())>>>(reinterpret_cast<float*>(16));
    try {
      world.step_async(1.0f / 60.0f);
      world.last_report();
    } catch (const Error& error) {
      std::fprintf(stderr, "caught: %s\n", error.what());
      std::_Exit(7);
    }
    std::_Exit(0);
  };
  EXPECT_EXIT(fail(), testing::ExitedWithCode(7), "caught: .*(step|update_bounds).*cudaErrorIllegalAddress");
}

}  // namespace
}  // namespace talus
