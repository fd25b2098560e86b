// SPDX-License-Identifier: MIT
// CUDA objects with an owner. Destruction ignores errors: after a failed launch every call fails, and the first error
// has been thrown already.
#pragma once
#include <cstddef>
#include <memory>

#include "check.h"

namespace talus {

/// Makes a device current for a scope. Worlds keep to the device on which they were made.
class DeviceScope {
 public:
  explicit DeviceScope(int device) {
    check(cudaGetDevice(&before_), "cudaGetDevice");
    if (device == before_) return;
    check(cudaSetDevice(device), "cudaSetDevice");
    changed_ = true;
  }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;
  ~DeviceScope() {
    if (changed_) (void)cudaSetDevice(before_);
  }

 private:
  int before_ = 0;
  bool changed_ = false;
};

template <auto destroy>
struct DestroyWith {
  template <class T>
  void operator()(T* handle) const {
    (void)destroy(handle);
  }
};
using Stream = std::unique_ptr<CUstream_st, DestroyWith<cudaStreamDestroy>>;
using Graph = std::unique_ptr<CUgraph_st, DestroyWith<cudaGraphDestroy>>;
using GraphExec = std::unique_ptr<CUgraphExec_st, DestroyWith<cudaGraphExecDestroy>>;

/// A stream that does not wait for the legacy default stream.
inline Stream make_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
  return Stream(stream);
}

/// Pinned host memory for elements that a device copies to or from.
template <class T>
using Pinned = std::unique_ptr<T[], DestroyWith<cudaFreeHost>>;
template <class T>
Pinned<T> make_pinned(std::size_t size, const char* what) {
  void* data = nullptr;
  check(cudaMallocHost(&data, size * sizeof(T)), what);
  return Pinned<T>(static_cast<T*>(data));
}

/// Records what is enqueued on a stream from construction to finish(), instead of running it. Leaves the stream usable
/// if finish() is not reached.
class Capture {
 public:
  explicit Capture(cudaStream_t stream) : stream_(stream) {
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "capturing a step");
  }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  ~Capture() {
    if (!finished_) (void)end();
  }
  Graph finish() {
    finished_ = true;
    auto [code, graph] = end();
    check(code, "capturing a step");
    return std::move(graph);
  }

 private:
  struct End {
    cudaError_t code;
    Graph graph;
  };
  End end() {
    cudaGraph_t graph = nullptr;
    const cudaError_t code = cudaStreamEndCapture(stream_, &graph);
    return {code, Graph(graph)};
  }

  cudaStream_t stream_;
  bool finished_ = false;
};

}  // namespace talus
