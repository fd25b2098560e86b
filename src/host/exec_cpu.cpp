// SPDX-License-Identifier: MIT
#include "exec_cpu.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

namespace talus {

namespace {

constexpr int kSpins = 200;  // about 5 us; then other threads may have the core

void wait_a_little(int& waits) {
  if (++waits > kSpins) {
    std::this_thread::yield();
  } else {
#if defined(__x86_64__)
    _mm_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
  }
}

}  // namespace

/// Loops are published one at a time, in one word: whoever takes a chunk knows that the loop it read about still runs,
/// and the caller does not go on before every chunk taken is done.
struct CpuThreads::Region {
  explicit Region(int threads) : count(threads), arena(threads) {
    // More threads than cores, as tests ask for, need to be allowed.
    if (threads > tbb::info::default_concurrency()) {
      control.emplace(tbb::global_control::max_allowed_parallelism, std::size_t(threads));
    }
  }

  /// Takes a chunk of the loop that is published, or -1.
  int take() {
    std::uint64_t seen = to_take.load(std::memory_order_acquire);
    while (std::uint32_t(seen) != 0) {
      if (to_take.compare_exchange_weak(seen, seen - 1, std::memory_order_acquire)) return chunks - int(seen);
    }
    return -1;
  }
  /// Works on the loop that is published until no chunk is left; false if there was none.
  bool help() {
    int taken = 0;
    for (int chunk = take(); chunk >= 0; chunk = take()) {
      body(context, chunk);
      ++taken;
    }
    if (taken > 0) done.fetch_add(taken, std::memory_order_release);
    return taken > 0;
  }
  void work() {
    for (int waits = 0; open.load(std::memory_order_acquire);) {
      if (help()) {
        waits = 0;
      } else {
        wait_a_little(waits);
      }
    }
    left.fetch_add(1, std::memory_order_release);
  }

  /// What the pool runs on a worker. The pool orders memory by itself, but a thread sanitizer does not look into the
  /// library: it sees the pointer handed over here, and that work() has ended in `left`.
  struct Entrance {
    explicit Entrance(Region* r) { region.store(r, std::memory_order_release); }
    Entrance(const Entrance& other) : Entrance(other.region.load(std::memory_order_acquire)) {}
    void operator()() const { region.load(std::memory_order_acquire)->work(); }
    std::atomic<Region*> region{nullptr};
  };

  void run(int loop_chunks, void (*loop_body)(void*, int), void* loop_context) {
    if (!called) {
      called = true;
      for (int i = 1; i < count; ++i) workers->run(Entrance(this));
    }
    body = loop_body;
    context = loop_context;
    chunks = loop_chunks;
    done.store(0, std::memory_order_relaxed);
    to_take.store(++loops << 32 | std::uint64_t(loop_chunks), std::memory_order_release);
    help();
    for (int waits = 0; done.load(std::memory_order_acquire) != loop_chunks;) wait_a_little(waits);
  }

  /// Workers that have not come by the end find the region closed, on whatever thread.
  void enter(void (*region_body)(void*), void* region_context) {
    struct Closing {
      Region& region;
      tbb::task_group workers;
      explicit Closing(Region& r) : region(r) {
        region.workers = &workers;
        region.called = false;
        region.open.store(true, std::memory_order_release);
      }
      ~Closing() {
        region.open.store(false, std::memory_order_release);
        workers.wait();
        (void)region.left.load(std::memory_order_acquire);
      }
    };
    arena.execute([&] {
      const Closing closing(*this);
      region_body(region_context);
    });
  }

  const int count;
  tbb::task_arena arena;
  std::optional<tbb::global_control> control;
  tbb::task_group* workers = nullptr;  // of the region that is open
  bool called = false;                 // they were
  std::uint64_t loops = 0;             // published so far
  // The loop. Written by the caller while none is published, read by those who have taken a chunk of it.
  void (*body)(void*, int) = nullptr;
  void* context = nullptr;
  int chunks = 0;
  alignas(64) std::atomic<std::uint64_t> to_take{0};  // number of the loop << 32 | its chunks that nobody has taken
  alignas(64) std::atomic<int> done{0};               // its chunks that are done
  alignas(64) std::atomic<bool> open{false};
  std::atomic<int> left{0};  // workers that did, since ever
};

CpuThreads::CpuThreads(int threads) : count_(threads) {
  if (count_ <= 0) count_ = tbb::info::default_concurrency();
  if (count_ > 1) region_ = std::make_unique<Region>(count_);
}

CpuThreads::~CpuThreads() = default;

void CpuThreads::run(int chunks, void (*body)(void*, int), void* context) const {
  if (region_ == nullptr) {
    for (int c = 0; c < chunks; ++c) body(context, c);
  } else if (region_->open.load(std::memory_order_relaxed)) {
    region_->run(chunks, body, context);
  } else {
    const auto loop = [&] { region_->run(chunks, body, context); };
    region_->enter([](void* call) { (*static_cast<decltype(&loop)>(call))(); },
                   const_cast<void*>(static_cast<const void*>(&loop)));
  }
}

void CpuThreads::enter(void (*body)(void*), void* context) const {
  if (region_ == nullptr || region_->open.load(std::memory_order_relaxed)) {
    body(context);
  } else {
    region_->enter(body, context);
  }
}

double CpuThreads::wall_time() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace talus
