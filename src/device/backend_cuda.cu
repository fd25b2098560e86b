// SPDX-License-Identifier: MIT
// The step page on a CUDA stream. The first step with given buffers is captured into a graph; all later ones replay it,
// so that a step is one graph launch and one small copy. The two sides of the contact cache take turns, hence a world
// at rest in its buffers has two graphs.
#define TALUS_ISA device  // keeps the host's copies of kernels, made by nvcc here, apart from those of the CPU backend
#include "backend.h"

#include <string>
#include <vector>

#include "exec_cuda.cuh"
#include "gear.h"
#include "handles.h"
#include "memory_cuda.h"
#include "pipeline.h"
#include "range.h"

namespace talus {
namespace {

// Graphs kept: two sides of the cache, times two for a setting that is switched back and forth.
constexpr std::size_t kKeptSteps = 4;

class CudaBackend final : public StepBackend {
 public:
  explicit CudaBackend(cudaStream_t stream)
      : own_stream_(stream == nullptr ? make_stream() : nullptr),
        stream_(stream == nullptr ? own_stream_.get() : stream),
        capture_stream_(make_stream()),
        memory_(stream_),
        counters_(make_pinned<Counters>(kMaxQueuedSteps, "pinned memory for counters")) {
    check(cudaGetDevice(&device_), "cudaGetDevice");
    check(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device_), "device attributes");
  }

  ~CudaBackend() override {
    (void)cudaStreamSynchronize(stream_);
    steps_.clear();
    retired_.clear();
    storage_ = {};
    (void)cudaStreamSynchronize(stream_);
  }

  Backend kind() const override { return Backend::cuda; }
  Memory& memory() override { return memory_; }
  void* stream() const override { return stream_; }
  std::array<float, kStageCount> stage_ms() const override { return {}; }

  void apply_edits(const EditViews& edits, const StepViews& views) override {
    const DeviceScope scope(device_);
    make_room([&](CudaExec& exec) { talus::apply_edits(exec, edits, views); });
    CudaExec exec(multiprocessors_, stream_, room());
    talus::apply_edits(exec, edits, views);
  }

  void enqueue_step(const StepViews& views) override {
    const Range range("step");
    const DeviceScope scope(device_);
    TALUS_ASSERT(queued_ < kMaxQueuedSteps);
    check(cudaGraphLaunch(captured_step(views), stream_), "launching a step");
    check(cudaMemcpyAsync(&counters_[queued_], views.counters, sizeof(Counters), cudaMemcpyDeviceToHost, stream_),
          "copying counters");
    ++queued_;
  }

  std::span<const Counters> wait() override {
    const Range range("wait");
    const std::size_t done = static_cast<std::size_t>(queued_);
    queued_ = 0;
    const cudaError_t code = cudaStreamSynchronize(stream_);
    if (code != cudaSuccess) check(code, ("waiting for " + std::to_string(done) + " steps").c_str());
    retired_.clear();
    return {counters_.get(), done};
  }

  void record_event(void* cuda_event) override {
    check(cudaEventRecord(static_cast<cudaEvent_t>(cuda_event), stream_), "recording the caller's event");
  }
  void wait_event(void* cuda_event) override {
    check(cudaStreamWaitEvent(stream_, static_cast<cudaEvent_t>(cuda_event), 0), "waiting for the caller's event");
  }

 private:
  struct CapturedStep {
    StepViews views;
    GraphExec graph;
  };

  /// The graph of these views; captured now if there is none. All that is baked into a graph is in its views, except
  /// for the room that CUB works in: see make_room().
  cudaGraphExec_t captured_step(const StepViews& views) {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (!(steps_[i].views == views)) continue;
      std::rotate(steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(i), steps_.begin() + i + 1);
      return steps_.front().graph.get();
    }
    make_room([&](CudaExec& exec) { run_step(exec, views); });
    CudaExec exec(multiprocessors_, capture_stream_.get(), room());
    // An own stream, since the caller's may be the legacy default stream, which cannot be captured.
    Capture capture(capture_stream_.get());
    run_step(exec, views);
    const Graph graph = capture.finish();
    cudaGraphExec_t replay = nullptr;
    check(cudaGraphInstantiate(&replay, graph.get(), 0), "instantiating a step");
    if (steps_.size() == kKeptSteps) {
      retired_.push_back(std::move(steps_.back()));
      steps_.pop_back();
    }
    steps_.insert(steps_.begin(), CapturedStep{views, GraphExec(replay)});
    check(cudaGraphUpload(replay, stream_), "uploading a step");
    return replay;
  }

  /// Makes the room that CUB needs for a sequence of verbs. Graphs made before know the old room: they go.
  template <class Verbs>
  void make_room(Verbs&& verbs) {
    CudaExec measure(multiprocessors_);
    verbs(measure);
    if (measure.storage_bytes() <= storage_.bytes()) return;
    for (CapturedStep& step : steps_) retired_.push_back(std::move(step));
    steps_.clear();
    storage_ = Block(memory_, measure.storage_bytes(), "room to sort and scan in");
  }
  CudaExec::Storage room() const { return {storage_.data(), storage_.bytes()}; }

  int device_ = 0;
  int multiprocessors_ = 0;
  Stream own_stream_;
  cudaStream_t stream_;
  Stream capture_stream_;
  CudaMemory memory_;
  Block storage_;
  Pinned<Counters> counters_;  // of each queued step
  int queued_ = 0;
  std::vector<CapturedStep> steps_;    // last used first
  std::vector<CapturedStep> retired_;  // may still run; destroyed when the host has waited
};

}  // namespace

std::unique_ptr<StepBackend> make_cuda_backend(void* stream) {
  const std::string reason = cuda_unavailable_reason();
  if (!reason.empty()) throw Error("CUDA backend: " + reason);
  return std::make_unique<CudaBackend>(static_cast<cudaStream_t>(stream));
}

JointKind cuda_gear_kind() {
  return joint_kind(GearRow{});
}

bool cuda_built() {
  return true;
}

std::string cuda_unavailable_reason() {
  int device = 0, pools = 0;
  cudaError_t code = cudaGetDevice(&device);
  if (code == cudaSuccess) code = cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, device);
  cudaFuncAttributes attributes;
  if (code == cudaSuccess) code = cudaFuncGetAttributes(&attributes, run<CopySorted>);
  (void)cudaGetLastError();
  if (code != cudaSuccess) return cudaGetErrorString(code);
  return pools != 0 ? "" : "the device has no memory pools";
}

std::string cuda_device_name() {
  int device = 0;
  cudaDeviceProp properties;
  if (!cuda_unavailable_reason().empty()) return "";
  if (cudaGetDevice(&device) != cudaSuccess || cudaGetDeviceProperties(&properties, device) != cudaSuccess) return "";
  return properties.name;
}

}  // namespace talus
