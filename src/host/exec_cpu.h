// SPDX-License-Identifier: MIT
// The verbs of exec.h on the threads and SIMD lanes of this machine. No part of a result depends on the number of
// threads or on where a loop is cut: elements are independent, scans and sorts are over integers.
// This header is compiled once for each instruction set, so it uses no function of the standard library that would be
// emitted here and shared.
#pragma once
#include <array>
#include <chrono>
#include <memory>
#include <vector>

#include <talus/config.h>
#include <talus/custom_joint.h>

#include "exec.h"
#include "lane_blocks.h"
#include "lanes.h"
#include "math/atomic.h"
#include "radix_sort.h"
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

/// Promises gcc that the iterations of the next loop are independent, so that it may vectorise (under `omp simd` it
/// does not vectorise our kernels). clang finds out by itself, and warns about each loop that it cannot do so for.
#if defined(__GNUC__) && !defined(__clang__)
#define TALUS_INDEPENDENT _Pragma("GCC ivdep")
#else
#define TALUS_INDEPENDENT
#endif

namespace talus {

/// Worker threads, shared by all verbs of a world. With one thread everything runs on the caller.
///
/// A region is a stretch of work in which the workers that came stay and wait, awake: a step has hundreds of loops of a
/// few microseconds. The caller goes through the region by itself. It hands out the chunks of a loop (run), or has the
/// workers that are there go through a task side by side with it (together). It waits for chunks that a worker has
/// taken and for workers that take part, never for a worker to come. Where other programs take the cores from threads,
/// fewer take part in tasks for a while.
class CpuThreads {
  struct Region;

 public:
  /// One of the threads that go through a task.
  class Member {
   public:
    int index() const { return index_; }
    int count() const { return count_; }
    /// Until all have come here.
    void wait() {
      if (count_ > 1) wait_for_others();
    }

   private:
    friend struct Region;
    friend class CpuThreads;
    Member(Region* region, int index, int count) : region_(region), index_(index), count_(count) {}
    void wait_for_others();
    Region* region_;
    int index_, count_;
  };

  /// 0 takes one thread a core. Of more threads than there are cores only as many work, unless `beyond_cores`.
  explicit CpuThreads(int threads, bool beyond_cores = false);
  ~CpuThreads();
  CpuThreads(const CpuThreads&) = delete;
  CpuThreads& operator=(const CpuThreads&) = delete;
  int count() const { return count_; }
  /// body(context, chunk) for each chunk of [0, chunks), in any order; returns when all are done. A region of its own
  /// unless it is called within one.
  void run(int chunks, void (*body)(void* context, int chunk), void* context) const;
  /// body(context) as a region. Its first run() or together() calls the workers; within a region it is a plain call.
  void enter(void (*body)(void* context), void* context) const;
  /// The same by the caller alone, for what is too little to share.
  void enter_alone(void (*body)(void* context), void* context) const;
  /// body(context, member) by the caller and every worker that is there; returns when all are done.
  void together(void (*body)(void* context, Member& member), void* context) const;
  /// [ms] Since some fixed moment.
  static double wall_time();

 private:
  int count_ = 1;
  std::unique_ptr<Region> region_;
  mutable bool alone_ = false;  // within enter_alone()
};

}  // namespace talus

namespace talus::inline TALUS_ISA {

/// Denormals on and round to nearest while in scope, whatever the calling program has set; then as it was.
class FloatEnvironment {
 public:
#if defined(__x86_64__)
  FloatEnvironment() : saved_(_mm_getcsr()) {
    if ((saved_ & ~kSticky) != kDefault) _mm_setcsr(kDefault);
  }
  ~FloatEnvironment() {
    if ((saved_ & ~kSticky) != kDefault) _mm_setcsr(saved_);
  }

 private:
  static constexpr unsigned kDefault = 0x1f80;  // all exceptions masked, round to nearest, no flush to zero
  static constexpr unsigned kSticky = 0x3f;     // exceptions that happened
  unsigned saved_;
#elif defined(__aarch64__)
  FloatEnvironment() {
    __asm__ volatile("mrs %0, fpcr" : "=r"(saved_));
    if (saved_ != 0) __asm__ volatile("msr fpcr, %0" : : "r"(0ull));
  }
  ~FloatEnvironment() {
    if (saved_ != 0) __asm__ volatile("msr fpcr, %0" : : "r"(saved_));
  }

 private:
  unsigned long long saved_;
#endif
 public:
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;
};

/// Lanes that one call of a lane kernel works on.
template <class Real>
constexpr Index lane_count() {
  return LaneCount<Real>::value;
}

/// Lanes of a range that there is something to do for.
inline Index lanes_of_range(const LaneRange& range) {
  const Index lanes = *range.end - *range.begin;
  return range.live != nullptr && *range.live < lanes ? *range.live : lanes;
}

/// What a task sees: each member has its part of every loop, and waits for the others after it.
template <class Real>
class CpuTeam {
 public:
  using Lane = Real;
  static constexpr Index kRun = 64;  // elements that are best taken together where they meet at a shared counter

  explicit CpuTeam(CpuThreads::Member& member) : member_(&member) {}

  template <class Kernel>
  void for_each(const char*, Count n, const Kernel& kernel) {
    const Index size = n.live == nullptr ? n.capacity : *n.live;
    if (size <= 0) return;
    const Part part = part_of(size, kGrain);
    const Kernel local = kernel;  // a copy that nothing else can reach: its members stay in registers
    TALUS_INDEPENDENT
    for (Index i = part.first; i < part.last; ++i) local(i);
    member_->wait();
  }

  /// Of a dozen colors few have lanes in a small world: a loop over none is no call.
  template <class Kernel>
  TALUS_INLINE void for_each_lane(const char*, LaneRange range, const Kernel& kernel) {
    if (*range.end > *range.begin) run_lanes(range, kernel);
  }

  template <class Kernel>
  void run_lanes(LaneRange range, const Kernel& kernel) {
    const Index begin = *range.begin, lanes = lanes_of_range(range);
    if (lanes <= 0) return;
    const Part part = part_of((lanes + kLine - 1) / kLine, 1);
    const Index end = begin + (part.last * kLine < lanes ? part.last * kLine : lanes);
    const Kernel local = kernel;
    if (serves_one<Kernel>() && lanes == 1) {
      if (part.first < part.last) run_one(kernel, begin);
    } else {
      for (Index lane = begin + part.first * kLine; lane < end; lane += lane_count<Real>()) {
        local.template solve<Real>(lane);
      }
    }
    member_->wait();
  }

  template <class Kernel>
  void for_each_batch(const char*, Count n, const Kernel& kernel) {
    const Index size = n.live == nullptr ? n.capacity : *n.live;
    if (size <= 0) return;
    const Part part = part_of(size, 1);
    const Kernel local = kernel;
    for (Index batch = part.first; batch < part.last; ++batch) local.template run<Real>(batch);
    member_->wait();
  }

  template <class Body>
  void repeat(const Index* turns, const Body& body) {
    for (Index turn = 0; turn < atomic_load(turns); ++turn) body(turn);
  }

 private:
  struct Part {
    Index first, last;
  };
  /// Whether a kernel has a way for a single lane, which needs no pack of its own.
  template <class Kernel>
  static constexpr bool serves_one() {
    return requires {
      Kernel::kServesOne;
    };
  }
  template <class Kernel>
  TALUS_SELDOM static void run_one(const Kernel& kernel, Index lane) {
    const Kernel local = kernel;
    if constexpr (serves_one<Kernel>()) local.template solve<float>(lane);
  }
  static constexpr Index kGrain = 64;         // elements below which there is nothing to share
  static constexpr Index kLine = kLanes / 2;  // lanes of a field that fill a line of the cache

  Part part_of(Index size, Index grain) const {
    if (member_->count() == 1) return {0, size};
    const Index even = (size + member_->count() - 1) / member_->count(), chunk = even < grain ? grain : even;
    const Index first = member_->index() * chunk, last = first + chunk;
    return {first < size ? first : size, last < size ? last : size};
  }

  CpuThreads::Member* member_;
};

/// Real is what lane kernels compute with: float or a pack.
template <class Real>
class BasicCpuExec {
 public:
  explicit BasicCpuExec(const CpuThreads& threads)
      : threads_(&threads), scan_sums_(new Index[max_chunks()]), sort_counts_(new Index[max_chunks() * kRadix]) {}
  ~BasicCpuExec() {
    delete[] scan_sums_;
    delete[] sort_counts_;
  }
  BasicCpuExec(const BasicCpuExec&) = delete;
  BasicCpuExec& operator=(const BasicCpuExec&) = delete;

  /// Also closes the stage before.
  void begin_stage(Stage stage) {
    stage_start_ = end();
    stage_ = int(stage);
  }
  /// Gives the time.
  double end() {
    const double now = CpuThreads::wall_time();
    if (stage_ >= 0) stage_ms_[stage_] += float(now - stage_start_);
    stage_ = -1;
    return now;
  }
  /// [ms] wall time of each stage since reset_times(): kStageCount numbers.
  const float* stage_ms() const { return stage_ms_; }
  void reset_times() {
    for (float& ms : stage_ms_) ms = 0.0f;
  }

  template <class Kernel>
  void for_each(const char*, Count n, const Kernel& kernel) {
    split(size_of(n), kElementGrain, [kernel](Index first, Index last) {
      const Kernel local = kernel;  // a copy that nothing else can reach: its members stay in registers
      TALUS_INDEPENDENT
      for (Index i = first; i < last; ++i) local(i);
    });
  }

  template <class Kernel>
  void for_each_lane(const char*, LaneRange range, const Kernel& kernel) {
    const Index begin = *range.begin, lanes = lanes_of_range(range);
    split((lanes + kLanes - 1) / kLanes, kBlockGrain, [kernel, begin, lanes](Index first, Index last) {
      const Kernel local = kernel;
      const Index end = begin + (last * kLanes < lanes ? last * kLanes : lanes);
      for (Index lane = begin + first * kLanes; lane < end; lane += lane_count<Real>()) {
        local.template solve<Real>(lane);
      }
    });
  }

  template <class Task>
  void together(const char*, const Task& task) {
    threads_->together(
        [](void* context, CpuThreads::Member& member) {
          const FloatEnvironment environment;
          CpuTeam<Real> team(member);
          (*static_cast<const Task*>(context))(team);
        },
        const_cast<Task*>(&task));
  }

  void make_rows(const char*, const JointKind& kind, const JointRowTable& table) {
    split(table.count, kElementGrain, [&](Index first, Index last) { kind.on_cpu(kind.functor, table, first, last); });
  }

  void exclusive_scan(const char*, Column<Index> values, Count n) {
    const Index size = size_of(n);
    const Index chunk = chunk_size(size, kScanGrain);
    const int chunks = chunk_count(size, chunk);
    if (chunks <= 1) {
      scan_chunk(values.data, 0, size, 0);
      return;
    }
    parallel(chunks, [&](int c) {
      Index sum = 0;
      for (Index i = c * chunk; i < last_of(c, chunk, size); ++i) sum += values.data[i];
      scan_sums_[c] = sum;
    });
    scan_chunk(scan_sums_, 0, chunks, 0);
    parallel(chunks, [&](int c) { scan_chunk(values.data, c * chunk, last_of(c, chunk, size), scan_sums_[c]); });
  }

  void sort_by_key(const char*, SortColumns columns, Count n, int bits) {
    const Index size = size_of(n);
    const Index chunk = chunk_size(size, kSortGrain);
    const RadixBuffers buffers{columns.keys.data, columns.values.data, columns.spare_keys.data,
                               columns.spare_values.data};
    radix_sort(buffers, size, bits, chunk, sort_counts_,
               [exec = this](int chunks, auto&& body) { exec->parallel(chunks, body); });
  }

 private:
  static constexpr Index kElementGrain = 192;  // below twice this a loop is not worth sharing
  static constexpr Index kBlockGrain = 1;
  static constexpr Index kScanGrain = 8192;
  static constexpr Index kSortGrain = 4096;
  static constexpr int kChunksPerThread = 4;  // some slack, for uneven chunks and for threads that come late

  static Index size_of(Count n) { return n.live == nullptr ? n.capacity : *n.live; }
  int max_chunks() const { return threads_->count() * kChunksPerThread; }
  static Index last_of(int c, Index chunk, Index size) { return size - c * chunk < chunk ? size : (c + 1) * chunk; }
  static int chunk_count(Index size, Index chunk) { return int((size + chunk - 1) / chunk); }
  /// Elements a chunk, so that there are at most max_chunks() chunks of at least `grain` elements; all in one if
  /// serial.
  Index chunk_size(Index size, Index grain) const {
    if (threads_->count() == 1 || size < 2 * grain) return size > 0 ? size : 1;
    const Index even = Index((std::int64_t(size) + max_chunks() - 1) / max_chunks());
    return even < grain ? grain : even;
  }
  static void scan_chunk(Index* values, Index first, Index last, Index sum) {
    for (Index i = first; i < last; ++i) {
      const Index value = values[i];
      values[i] = sum;
      sum += value;
    }
  }

  template <class Body>
  void parallel(int chunks, Body&& body) const {
    if (chunks == 1) {
      body(0);
      return;
    }
    using Plain = std::remove_reference_t<Body>;
    threads_->run(
        chunks, [](void* context, int chunk) { (*static_cast<Plain*>(context))(chunk); },
        const_cast<void*>(static_cast<const void*>(&body)));
  }
  /// body(first, last) over ranges that make up [0, size).
  template <class Body>
  void split(Index size, Index grain, const Body& body) const {
    if (size <= 0) return;
    const Index chunk = chunk_size(size, grain);
    parallel(chunk_count(size, chunk), [&](int c) {
      const FloatEnvironment environment;
      body(c * chunk, last_of(c, chunk, size));
    });
  }

  const CpuThreads* threads_;
  Index* scan_sums_;    // one a chunk
  Index* sort_counts_;  // kRadix a chunk
  float stage_ms_[kStageCount] = {};
  double stage_start_ = 0.0;
  int stage_ = -1;
};

}  // namespace talus::inline TALUS_ISA
