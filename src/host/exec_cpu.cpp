// SPDX-License-Identifier: MIT
#include "exec_cpu.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

#include <atomic>
#include <chrono>
#include <optional>

namespace talus {

struct CpuThreads::Arena {
  explicit Arena(int threads) : arena(threads) {
    // More threads than cores, as tests ask for, need to be allowed.
    if (threads > tbb::info::default_concurrency()) {
      control.emplace(tbb::global_control::max_allowed_parallelism, std::size_t(threads));
    }
  }
  tbb::task_arena arena;
  std::optional<tbb::global_control> control;
};

CpuThreads::CpuThreads(int threads) : count_(threads) {
  if (count_ <= 0) count_ = tbb::info::default_concurrency();
  if (count_ > 1) arena_ = std::make_unique<Arena>(count_);
}

CpuThreads::~CpuThreads() = default;

void CpuThreads::run(int chunks, void (*body)(void*, int), void* context) const {
  if (arena_ == nullptr) {
    for (int c = 0; c < chunks; ++c) body(context, c);
    return;
  }
  // The pool orders memory between caller and workers by itself. These two words do it once more, where a thread
  // sanitizer can see it: it does not look into the library.
  std::atomic<int> start{0}, done{0};
  start.store(1, std::memory_order_release);
  arena_->arena.execute([&] {
    tbb::parallel_for(
        0, chunks,
        [&](int c) {
          (void)start.load(std::memory_order_acquire);
          body(context, c);
          done.fetch_add(1, std::memory_order_release);
        },
        tbb::simple_partitioner());
  });
  (void)done.load(std::memory_order_acquire);
}

void CpuThreads::enter(void (*body)(void*), void* context) const {
  if (arena_ == nullptr) {
    body(context);
    return;
  }
  arena_->arena.execute([=] { body(context); });
}

double CpuThreads::wall_time() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace talus
