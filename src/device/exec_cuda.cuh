// SPDX-License-Identifier: MIT
// The verbs of a step (src/host/exec.h) on a CUDA stream. Launch shapes follow from capacities alone and counts are
// read on the device, so a sequence of verbs can be captured once and replayed while the capacities last. Nothing is
// allocated, copied by the host or waited for here: what CUB needs to work in is measured by a first pass over the same
// sequence, which launches nothing.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>

#include <cooperative_groups.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include <talus/custom_joint.h>

#include "check.h"
#include "exec.h"
#include "lane_blocks.h"
#include "math/atomic.h"
#include "range.h"

namespace talus {

constexpr int kBlockThreads = 128;
// Blocks that must fit on a multiprocessor: a ceiling of 168 registers. Left open, ptxas aims at 80 by itself and
// spills; with one block more, so does CollidePairs (154 registers).
constexpr int kResidentBlocks = 3;
// Loops that share a launch: large blocks, since each of them arrives at each barrier, and a ceiling of 128 registers.
// The solve needs 96 to 102: a sweep by itself needs 64 to 84, and what sweeps share stays in registers between them.
// With 320 threads, and so a ceiling of 96, it spills 44 bytes.
constexpr int kTeamThreads = 256;
constexpr int kResidentTeamBlocks = 2;

// ---- the two loops, for all kernels --------------------------------------------------------------------------------
// Index arithmetic is unsigned: a count is below 2^31 and a grid far smaller, so a stride beyond the end cannot wrap.
// Both say whether there was an element: the same for all threads, who read the same count.

/// The first element of this thread. Warps are dealt out to blocks in turn, so that a short loop has as many
/// multiprocessors as it has warps; the elements of a warp are neighbors.
__device__ __forceinline__ unsigned first_element() {
  return (threadIdx.x / 32 * gridDim.x + blockIdx.x) * 32 + threadIdx.x % 32;
}

template <class Kernel>
__device__ __forceinline__ bool loop_over(Count n, const Kernel& kernel) {
  const unsigned count = static_cast<unsigned>(n.live == nullptr ? n.capacity : *n.live);
  TALUS_ASSERT(count <= static_cast<unsigned>(n.capacity));
  const unsigned stride = gridDim.x * blockDim.x;
  for (unsigned i = first_element(); i < count; i += stride) kernel(static_cast<Index>(i));
  return count != 0;
}

template <class Kernel>
__device__ __forceinline__ bool loop_over(LaneRange range, const Kernel& kernel) {
  const unsigned end = static_cast<unsigned>(*range.end);
  const unsigned begin = static_cast<unsigned>(*range.begin);
  TALUS_ASSERT(begin <= end && end - begin <= static_cast<unsigned>(range.capacity));
  const unsigned stride = gridDim.x * blockDim.x;
  for (unsigned i = begin + first_element(); i < end; i += stride) {
    kernel.template solve<float>(static_cast<Index>(i));
  }
  return begin != end;
}

/// A warp takes a batch.
template <class Kernel>
__device__ __forceinline__ bool loop_over_batches(Count n, const Kernel& kernel) {
  const unsigned count = static_cast<unsigned>(n.live == nullptr ? n.capacity : *n.live);
  TALUS_ASSERT(count <= static_cast<unsigned>(n.capacity));
  const unsigned stride = gridDim.x * blockDim.x / 32;
  for (unsigned i = first_element() / 32; i < count; i += stride) kernel.template run<float>(static_cast<Index>(i));
  return count != 0;
}

/// Kernels that need more registers than several resident blocks leave them say so.
template <class Kernel>
constexpr int resident_blocks() {
  if constexpr (requires { Kernel::kManyRegisters; }) return Kernel::kManyRegisters ? 1 : kResidentBlocks;
  return kResidentBlocks;
}

template <class Kernel>
__global__ void __launch_bounds__(kBlockThreads, resident_blocks<Kernel>())
    run(Count n, const __grid_constant__ Kernel kernel) {
  loop_over(n, kernel);
}

template <class Kernel>
__global__ void __launch_bounds__(kBlockThreads, kResidentBlocks)
    run_lanes(LaneRange range, const __grid_constant__ Kernel kernel) {
  loop_over(range, kernel);
}

// ---- many loops in one launch --------------------------------------------------------------------------------------

/// All threads of a cooperative launch: its blocks are resident together, so each may wait for all others. The barrier
/// of cooperative groups makes what was written before it visible to every thread behind it.
class CudaTeam {
 public:
  template <class Kernel>
  TALUS_HD void for_each(const char*, Count n, const Kernel& kernel) {
    if constexpr (requires { Kernel::kIsLong; }) {
      call_for_each(n, kernel);
    } else {
      sweep(n, kernel);
    }
  }
  template <class Kernel>
  TALUS_HD void for_each_lane(const char*, LaneRange range, const Kernel& kernel) {
    if constexpr (requires { Kernel::kIsLong; }) {
      call_for_each_lane(range, kernel);
    } else {
      sweep_lanes(range, kernel);
    }
  }
  /// A call: what is done to a batch is long, and needs the registers for itself.
  template <class Kernel>
  TALUS_SELDOM void for_each_batch(const char*, Count n, const Kernel& kernel) {
#if TALUS_ON_DEVICE
    if (loop_over_batches(n, kernel)) cooperative_groups::this_grid().sync();
#endif
  }
  template <class Body>
  TALUS_HD void repeat(const Index* turns, const Body& body) {
#if TALUS_ON_DEVICE
    for (Index turn = 0; turn < atomic_load(turns); ++turn) body(turn);
#endif
  }

 private:
  template <class Kernel>
  TALUS_HD void sweep([[maybe_unused]] const Count& n, [[maybe_unused]] const Kernel& kernel) {
#if TALUS_ON_DEVICE
    if (loop_over(n, kernel)) cooperative_groups::this_grid().sync();
#endif
  }
  template <class Kernel>
  TALUS_HD void sweep_lanes([[maybe_unused]] const LaneRange& range, [[maybe_unused]] const Kernel& kernel) {
#if TALUS_ON_DEVICE
    if (loop_over(range, kernel)) cooperative_groups::this_grid().sync();
#endif
  }
  /// For kernels that are long, and not at work most of the time: registers of their own.
  template <class Kernel>
  TALUS_SELDOM void call_for_each(Count n, const Kernel& kernel) {
    sweep(n, kernel);
  }
  template <class Kernel>
  TALUS_SELDOM void call_for_each_lane(LaneRange range, const Kernel& kernel) {
    sweep_lanes(range, kernel);
  }
};

/// Goes through a task on the host and finds out for how many elements it has work at a time.
class MeasuringTeam {
 public:
  template <class Kernel>
  void for_each(const char*, Count n, const Kernel&) {
    capacity = std::max(capacity, n.capacity);
  }
  template <class Kernel>
  void for_each_lane(const char*, LaneRange range, const Kernel&) {
    capacity = std::max(capacity, range.capacity);
  }
  template <class Kernel>
  void for_each_batch(const char*, Count n, const Kernel&) {
    capacity = std::max(capacity, 32 * n.capacity);
  }
  template <class Body>
  void repeat(const Index*, const Body& body) {
    body(0);
  }
  Index capacity = 0;
};

/// Tasks that need more registers than two resident blocks leave them say so.
template <class Task>
constexpr int resident_team_blocks() {
  if constexpr (requires { Task::kManyRegisters; }) return Task::kManyRegisters ? 1 : kResidentTeamBlocks;
  return kResidentTeamBlocks;
}

template <class Task>
__global__ void __launch_bounds__(kTeamThreads, resident_team_blocks<Task>())
    run_together(const __grid_constant__ Task task) {
  CudaTeam team;
  task(team);
}

// ---- what CUB lacks: it takes sizes from the host ------------------------------------------------------------------

/// Reads zeros beyond the live count.
struct ReadLive {
  const Index* values;
  Count n;
  __device__ Index operator()(Index i) const { return n.live == nullptr || i < *n.live ? values[i] : 0; }
};
/// Writes nothing beyond the live count.
struct WriteLive {
  Index* values;
  Count n;
  __device__ void operator()(Index i, Index value) const {
    if (n.live == nullptr || i < *n.live) values[i] = value;
  }
};
/// Fills the tail with the largest key of any number of bits: a stable sort leaves it behind all others.
struct PadKeys {
  SortColumns columns;
  const Index* live;
  __device__ void operator()(Index i) const {
    if (i < *live) return;
    columns.keys[i] = 0xffffffffu;
    columns.values[i] = 0;
  }
};
/// The same in the spare columns, together with all keys and values.
struct CopyPadded {
  SortColumns columns;
  const Index* live;
  __device__ void operator()(Index i) const {
    const bool there = i < *live;
    columns.spare_keys[i] = there ? columns.keys[i] : 0xffffffffu;
    columns.spare_values[i] = there ? columns.values[i] : 0u;
  }
};
/// Brings sorted keys and values home.
struct CopySorted {
  SortColumns columns;
  __device__ void operator()(Index i) const {
    columns.keys[i] = columns.spare_keys[i];
    columns.values[i] = columns.spare_values[i];
  }
};

// ---- the verbs -----------------------------------------------------------------------------------------------------

class CudaExec {
 public:
  /// What CUB works in, in device memory.
  struct Storage {
    void* data = nullptr;
    std::size_t bytes = 0;
  };

  /// An executor that launches nothing and finds out what storage_bytes() the sequence of verbs takes. It also makes
  /// the runtime load our kernels, before a capture begins.
  explicit CudaExec(int multiprocessors) : measuring_(true), multiprocessors_(multiprocessors) {}
  /// One that launches on a stream.
  CudaExec(int multiprocessors, cudaStream_t stream, Storage storage)
      : measuring_(false), multiprocessors_(multiprocessors), stream_(stream), storage_(storage) {}

  std::size_t storage_bytes() const { return storage_bytes_; }

  void begin_stage(Stage stage) { range_.emplace(stage_name(stage)); }

  template <class Kernel>
  void for_each(const char* name, Count n, const Kernel& kernel) {
    launch(name, run<Kernel>, n.capacity, n, kernel);
  }

  template <class Kernel>
  void for_each_lane(const char* name, LaneRange range, const Kernel& kernel) {
    launch(name, run_lanes<Kernel>, range.capacity, range, kernel);
  }

  template <class Task>
  void together(const char* name, const Task& task) {
    MeasuringTeam measure;
    task(measure);
    if (measure.capacity == 0) return;
    const int blocks = grid_blocks(name, run_together<Task>, kTeamThreads, measure.capacity);
    if (measuring_) return;
    cudaLaunchAttribute cooperative{};
    cooperative.id = cudaLaunchAttributeCooperative;
    cooperative.val.cooperative = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(kTeamThreads);
    config.stream = stream_;
    config.attrs = &cooperative;
    config.numAttrs = 1;
    check(cudaLaunchKernelEx(&config, run_together<Task>, task), name);
  }

  void make_rows(const char* name, const JointKind& kind, const JointRowTable& table) {
    if (table.count == 0) return;
    check(static_cast<cudaError_t>(kind.on_cuda(kind.functor, table, stream_, !measuring_)), name);
  }

  /// Nothing is written beyond n.
  void exclusive_scan(const char* name, Column<Index> values, Count n) {
    if (n.capacity == 0) return;
    // In place: CUB reads all of a tile before it writes any of it, and no tile reads another's values.
    const auto in = thrust::make_transform_iterator(thrust::counting_iterator<Index>(0), ReadLive{values.data, n});
    const auto out = thrust::make_tabulate_output_iterator(WriteLive{values.data, n});
    with_storage(name, [&](void* data, std::size_t& bytes) {
      return cub::DeviceScan::ExclusiveSum(data, bytes, in, out, n.capacity, stream_);
    });
  }

  /// Beyond n, and in the spare columns, anything may be left.
  void sort_by_key(const char* name, SortColumns columns, Count n, int bits) {
    if (n.capacity == 0 || bits == 0) return;
    // CUB sorts by 8 bits in a pass, from one pair of columns to the other. A single pass starts in the spare ones.
    const bool from_spare = n.live != nullptr && bits <= 8;
    if (from_spare) {
      for_each(name, {nullptr, n.capacity}, CopyPadded{columns, n.live});
    } else if (n.live != nullptr) {
      for_each(name, {nullptr, n.capacity}, PadKeys{columns, n.live});
    }
    cub::DoubleBuffer<std::uint32_t> keys(columns.keys.data, columns.spare_keys.data);
    cub::DoubleBuffer<std::uint32_t> values(columns.values.data, columns.spare_values.data);
    keys.selector = values.selector = from_spare ? 1 : 0;
    with_storage(name, [&](void* data, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(data, bytes, keys, values, n.capacity, 0, bits, stream_);
    });
    if (measuring_ || keys.selector != 0) for_each(name, n, CopySorted{columns});
  }

 private:
  template <class Elements, class Kernel>
  void launch(const char* name, void (*loop)(Elements, Kernel), Index capacity, const Elements& elements,
              const Kernel& kernel) {
    if (capacity == 0) return;
    const int blocks = grid_blocks(name, loop, kBlockThreads, capacity);
    if (measuring_) return;
    loop<<<blocks, kBlockThreads, 0, stream_>>>(elements, kernel);
    check(cudaGetLastError(), name);
  }

  /// Blocks for a loop over `capacity` elements: as many as are resident at the same time, and no more than it needs.
  template <class Global>
  int grid_blocks(const char* name, Global* global, int threads, Index capacity) const {
    int resident = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, global, threads, 0), name);
    const int blocks = capacity / threads + (capacity % threads != 0);
    return std::min(blocks, std::max(1, resident * multiprocessors_));
  }

  template <class Algorithm>
  void with_storage(const char* name, Algorithm&& algorithm) {
    std::size_t bytes = 0;
    check(algorithm(nullptr, bytes), name);
    storage_bytes_ = std::max(storage_bytes_, bytes);
    if (measuring_) return;
    TALUS_ASSERT(bytes <= storage_.bytes);
    check(algorithm(storage_.data, bytes), name);
  }

  bool measuring_;
  int multiprocessors_;
  cudaStream_t stream_ = nullptr;
  Storage storage_;
  std::size_t storage_bytes_ = 0;
  std::optional<Range> range_;
};

}  // namespace talus
