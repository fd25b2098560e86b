// SPDX-License-Identifier: MIT
#include "exec_cpu.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#if defined(__linux__)
#include <sched.h>
#include <time.h>
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "muster.h"

namespace talus {

namespace {

// How often a thread looks for what it waits for before others may have its core. Who gives a core away beside a busy
// program gets it back after a whole slice of time, some milliseconds: with barriers 10 us apart a step took 340 ms
// where one thread took 6. So only where more threads than cores work this is soon.
constexpr int kSpins = 100000, kSpinsBeyondCores = 200;  // some ms; about 5 us
constexpr int kJoinSpins = 1000;  // about 25 us, once a region: workers that sleep need some 10 us to come

/// Between two looks.
void pause() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

#if defined(__linux__)

/// [ms] That this thread has run.
double processor_time() {
  timespec time{};
  (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e3 * double(time.tv_sec) + 1e-6 * double(time.tv_nsec);
}

// Threads that wait awake look busy: the system leaves two of them on one core beside an idle one for seconds. A worker
// that finds the core it runs on taken by another thread of its region moves to a free one, once; its mask stays as it
// was. `taken`: bit of each core below 64.
void take_core(std::atomic<std::uint64_t>& taken) {
  const auto bit_of = [](int core) { return core >= 0 && core < 64 ? std::uint64_t{1} << core : 0; };
  const std::uint64_t here = bit_of(sched_getcpu());
  const std::uint64_t others = taken.fetch_or(here, std::memory_order_relaxed);
  cpu_set_t allowed;
  if ((others & here) == 0 || sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return;
  cpu_set_t free = allowed;
  for (int core = 0; core < 64; ++core) {
    if ((others & bit_of(core)) != 0) CPU_CLR(core, &free);
  }
  if (CPU_COUNT(&free) == 0 || sched_setaffinity(0, sizeof(free), &free) != 0) return;
  taken.fetch_or(bit_of(sched_getcpu()), std::memory_order_relaxed);
  (void)sched_setaffinity(0, sizeof(allowed), &allowed);
}

#else

void take_core(std::atomic<std::uint64_t>&) {}
double processor_time() {
  return CpuThreads::wall_time();
}

#endif

/// What was taken from this thread since the clock was made.
class TakenClock {
 public:
  /// [ms] Of wall time in which the thread did not run.
  double so_far() const { return CpuThreads::wall_time() - wall_ - (processor_time() - processor_); }

 private:
  double wall_ = CpuThreads::wall_time(), processor_ = processor_time();
};

}  // namespace

/// Loops are published one at a time, in one word: whoever takes a chunk knows that the loop it read about still runs,
/// and the caller does not go on before every chunk taken is done. Tasks are published by their number; who takes part
/// is settled before, by the order in which workers came, and said in the same word: a worker that came later reads no
/// more.
struct CpuThreads::Region {
  /// More threads than cores stand in each other's way: unless `beyond_cores`, as many as there are cores take part.
  Region(int threads, bool beyond_cores)
      : count(beyond_cores ? threads : std::min(threads, tbb::info::default_concurrency())),
        arena(count),
        muster(count) {
    if (count > tbb::info::default_concurrency()) {
      spins = kSpinsBeyondCores;
      control.emplace(tbb::global_control::max_allowed_parallelism, std::size_t(count));
    }
  }

  /// Between two looks, of which there were `waits`.
  void wait_a_little(int& waits) const {
    if (++waits > spins) {
      std::this_thread::yield();
    } else {
      pause();
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
    int mine = 0;
    for (int chunk = take(); chunk >= 0; chunk = take()) {
      body(context, chunk);
      ++mine;
    }
    if (mine > 0) done.fetch_add(mine, std::memory_order_release);
    return mine > 0;
  }
  void work() {
    take_core(cores);
    const TakenClock clock;
    // In this order: a caller that counts this worker in publishes a task that the worker has not seen.
    std::uint64_t seen = task.load(std::memory_order_acquire);
    const int place = joined.fetch_add(1, std::memory_order_acq_rel);
    for (int waits = 0; open.load(std::memory_order_acquire);) {
      const std::uint64_t now = task.load(std::memory_order_acquire);
      if (now != seen) {
        seen = now;
        const int members = int(now & kMembersMask);
        if (place + 1 < members) {
          Member member(this, place + 1, members);
          task_body(task_context, member);
          member.wait();
          waits = 0;
        }
      } else if (help()) {
        waits = 0;
      } else {
        wait_a_little(waits);
      }
    }
    note_taken(clock.so_far());
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

  void call_workers() {
    if (called) return;
    called = true;
    for (int i = 1; i < muster.members(); ++i) workers->run(Entrance(this));
  }

  /// [ms] Taken from one thread in this region; the most counts.
  void note_taken(double time) {
    const std::int64_t us = std::int64_t(1e3 * time);
    std::int64_t most = taken_us.load(std::memory_order_relaxed);
    while (most < us && !taken_us.compare_exchange_weak(most, us, std::memory_order_relaxed)) {
    }
  }
  void run(int loop_chunks, void (*loop_body)(void*, int), void* loop_context) {
    call_workers();
    body = loop_body;
    context = loop_context;
    chunks = loop_chunks;
    done.store(0, std::memory_order_relaxed);
    to_take.store(++loops << 32 | std::uint64_t(loop_chunks), std::memory_order_release);
    help();
    for (int waits = 0; done.load(std::memory_order_acquire) != loop_chunks;) wait_a_little(waits);
  }

  void together(void (*body_of_task)(void*, Member&), void* context_of_task) {
    const bool first = !called;
    call_workers();
    for (int i = 0; first && joined.load(std::memory_order_acquire) < muster.members() - 1 && i < kJoinSpins; ++i)
      pause();
    task_body = body_of_task;
    task_context = context_of_task;
    const int members = 1 + joined.load(std::memory_order_acquire);
    task.store(++tasks << kMembersBits | std::uint64_t(members), std::memory_order_release);
    Member member(this, 0, members);
    task_body(task_context, member);
    member.wait();
  }

  /// Workers that have not come by the end find the region closed, on whatever thread.
  void enter(void (*region_body)(void*), void* region_context) {
    struct Closing {
      Region& region;
      const double start = wall_time();
      const TakenClock clock;
      tbb::task_group workers;
      explicit Closing(Region& r) : region(r) {
        region.workers = &workers;
        region.called = false;
        region.joined.store(0, std::memory_order_relaxed);
        region.cores.store(0, std::memory_order_relaxed);
        take_core(region.cores);
        region.open.store(true, std::memory_order_release);
      }
      ~Closing() {
        region.open.store(false, std::memory_order_release);
        region.note_taken(clock.so_far());
        workers.wait();
        (void)region.left.load(std::memory_order_acquire);
        const double taken = 1e-3 * double(region.taken_us.exchange(0, std::memory_order_relaxed));
        region.muster.region_ended(wall_time() - start, taken);
      }
    };
    arena.execute([&] {
      const Closing closing(*this);
      region_body(region_context);
    });
  }

  const int count;
  int spins = kSpins;
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
  // The task. Written by the caller while no worker is in one, read by those who take part.
  static constexpr int kMembersBits = 16;
  static constexpr std::uint64_t kMembersMask = (1u << kMembersBits) - 1u;
  void (*task_body)(void*, Member&) = nullptr;
  void* task_context = nullptr;
  std::uint64_t tasks = 0;                             // published so far
  Muster muster;                                       // how many may take part in a region
  alignas(64) std::atomic<std::uint64_t> task{0};      // its number << kMembersBits | how many take part
  std::atomic<int> joined{0};                          // workers that came to this region
  std::atomic<std::uint64_t> cores{0};                 // see take_core
  std::atomic<std::int64_t> taken_us{0};               // [us] from the thread that lost most, in this region
  alignas(64) std::atomic<int> arrived{0};             // members at the barrier
  alignas(64) std::atomic<std::uint64_t> barriers{0};  // that all have reached, since ever
  alignas(64) std::atomic<bool> open{false};
  std::atomic<int> left{0};  // workers that did, since ever
};

void CpuThreads::Member::wait_for_others() {
  const std::uint64_t before = region_->barriers.load(std::memory_order_acquire);
  if (region_->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == count_) {
    region_->arrived.store(0, std::memory_order_relaxed);
    region_->barriers.store(before + 1, std::memory_order_release);
  } else {
    int waits = 0;
    while (region_->barriers.load(std::memory_order_acquire) == before) region_->wait_a_little(waits);
  }
}

CpuThreads::CpuThreads(int threads, bool beyond_cores) : count_(threads) {
  if (count_ <= 0) count_ = tbb::info::default_concurrency();
  if (count_ > 1) region_ = std::make_unique<Region>(count_, beyond_cores);
}

CpuThreads::~CpuThreads() = default;

void CpuThreads::run(int chunks, void (*body)(void*, int), void* context) const {
  if (region_ == nullptr || alone_) {
    for (int c = 0; c < chunks; ++c) body(context, c);
  } else if (region_->open.load(std::memory_order_relaxed)) {
    region_->run(chunks, body, context);
  } else {
    const auto loop = [&] { region_->run(chunks, body, context); };
    region_->enter([](void* call) { (*static_cast<decltype(&loop)>(call))(); },
                   const_cast<void*>(static_cast<const void*>(&loop)));
  }
}

void CpuThreads::enter_alone(void (*body)(void*), void* context) const {
  struct Alone {
    bool& flag;
    ~Alone() { flag = false; }
  };
  const Alone alone{alone_};
  alone_ = true;
  body(context);
}

void CpuThreads::enter(void (*body)(void*), void* context) const {
  if (region_ == nullptr || region_->open.load(std::memory_order_relaxed)) {
    body(context);
  } else {
    region_->enter(body, context);
  }
}

void CpuThreads::together(void (*body)(void*, Member&), void* context) const {
  if (region_ == nullptr || alone_) {
    Member member(nullptr, 0, 1);
    body(context, member);
  } else if (region_->open.load(std::memory_order_relaxed)) {
    region_->together(body, context);
  } else {
    const auto task = [&] { region_->together(body, context); };
    region_->enter([](void* call) { (*static_cast<decltype(&task)>(call))(); },
                   const_cast<void*>(static_cast<const void*>(&task)));
  }
}

double CpuThreads::wall_time() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace talus
