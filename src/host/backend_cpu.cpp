// SPDX-License-Identifier: MIT
// The CPU backend: the step page on the threads of this machine, in the widest instruction set that it has. Everything
// happens within the call that asks for it, so there is nothing to wait for.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <talus/status.h>

#include "backend.h"
#include "cpu_step.h"
#include "memory_cpu.h"

namespace talus {

namespace {

struct Choice {
  const CpuStep& (*step)();
  const char* name;
  bool supported;
};

// From narrow to wide; the build says which ones there are.
std::vector<Choice> choices() {
  std::vector<Choice> all;
#if defined(TALUS_HAS_SCALAR)
  all.push_back({cpu_step_scalar, "scalar", true});
#endif
#if defined(TALUS_HAS_BASELINE)
  all.push_back({cpu_step_baseline, "baseline", true});
#endif
#if defined(TALUS_HAS_AVX2)
  all.push_back({cpu_step_avx2, "avx2", __builtin_cpu_supports("avx2") != 0});
#endif
#if defined(TALUS_HAS_AVX512)
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  all.push_back({cpu_step_avx512, "avx512", avx512});
#endif
  return all;
}

const CpuStep& chosen_step() {
  const char* wanted = std::getenv("TALUS_SIMD");
  const CpuStep& (*widest)() = nullptr;
  std::string names;
  for (const Choice& choice : choices()) {
    if (choice.supported) {
      widest = choice.step;
      names += names.empty() ? "" : ", ";
      names += choice.name;
    }
    if (wanted == nullptr || std::strcmp(wanted, choice.name) != 0) continue;
    if (choice.supported) return choice.step();
    throw Error(std::string("TALUS_SIMD=") + wanted + ": this machine does not have these instructions");
  }
  if (wanted != nullptr && *wanted != '\0') {
    throw Error(std::string("TALUS_SIMD=") + wanted + ": unknown; here there are " + names);
  }
  if (widest == nullptr) throw Error("CPU backend: this build has no instruction set of this machine");
  return widest();
}

class CpuBackend final : public StepBackend {
 public:
  explicit CpuBackend(int threads)
      : step_(chosen_step()), threads_(threads), exec_(step_.create(threads_), step_.destroy) {
    counters_.reserve(kMaxQueuedSteps);  // a step that was taken is never lost for want of memory
  }

  Backend kind() const override { return Backend::cpu; }
  Memory& memory() override { return memory_; }

  void apply_edits(const EditViews& edits, const StepViews& views) override {
    enter([&] { step_.apply_edits(exec_.get(), edits, views, edit_ms_.data()); });
  }
  void enqueue_step(const StepViews& views) override {
    if (waited_) counters_.clear();
    waited_ = false;
    TALUS_ASSERT(counters_.size() < static_cast<std::size_t>(kMaxQueuedSteps));
    stage_ms_ = std::exchange(edit_ms_, {});
    if (at_rest(views)) {
      pass_step(*views.counters);
    } else {
      const auto step = [&] { step_.run(exec_.get(), views, stage_ms_.data()); };
      is_small(views) ? enter_alone(step) : enter(step);
      look_back(views);
    }
    counters_.push_back(*views.counters);
  }
  std::span<const Counters> wait() override {
    if (waited_) counters_.clear();
    waited_ = true;
    return counters_;
  }
  std::array<float, kStageCount> stage_ms() const override { return stage_ms_; }

  void* stream() const override { return nullptr; }
  void record_event(void*) override { throw Error("record_event: the CPU backend has no stream and no events"); }
  void wait_event(void*) override { throw Error("wait_event: the CPU backend has no stream and no events"); }

 private:
  // On one of the threads, so that the verbs need not enter the pool one by one.
  template <class Body>
  void enter(const Body& body) {
    threads_.enter([](void* context) { (*static_cast<const Body*>(context))(); }, const_cast<Body*>(&body));
  }
  template <class Body>
  void enter_alone(const Body& body) {
    threads_.enter_alone([](void* context) { (*static_cast<const Body*>(context))(); }, const_cast<Body*>(&body));
  }

  /// By what the step before found: calling other threads would take longer than the step.
  static bool is_small(const StepViews& views) {
    constexpr Index kSmallRows = 512, kSmallContacts = 128;
    return views.shape.rows < kSmallRows && views.counters->contacts < kSmallContacts &&
           views.joints.count < kSmallContacts;
  }

  /// In a step in which nothing moves, and nothing did in the two before, there is nothing to do: what it would write
  /// is there already, on both sides of the contact cache.
  static constexpr int kStillSteps = 2;
  bool at_rest(const StepViews& views) const {
    return still_steps_ >= kStillSteps && memory_.changes() == changes_ && views.shape == shape_;
  }
  static void pass_step(Counters& counters) { counters.sleep_clock = (counters.sleep_clock + 1) % kIslandPeriod; }
  void look_back(const StepViews& views) {
    const Counters& c = *views.counters;
    const bool still = c.movers == 0 && c.pairs == 0 && c.woke_up == 0 && c.fell_asleep == 0 && c.must_grow == 0 &&
                       (!views.shape.events || c.events == 0);
    const bool unchanged = memory_.changes() == changes_;
    still_steps_ = still ? (unchanged ? still_steps_ + 1 : 1) : 0;
    changes_ = memory_.changes();
    shape_ = views.shape;
  }

  const CpuStep& step_;
  CpuThreads threads_;
  CpuMemory memory_;
  std::unique_ptr<void, void (*)(void*)> exec_;
  std::vector<Counters> counters_;  // after each step since the last wait()
  bool waited_ = false;
  int still_steps_ = 0;                        // in a row, up to the last one
  std::uint64_t changes_ = 0;                  // Memory::changes() at its end
  StepShape shape_;                            // of it
  std::array<float, kStageCount> edit_ms_{};   // of edits since the last step
  std::array<float, kStageCount> stage_ms_{};  // of the last step
};

}  // namespace

std::unique_ptr<StepBackend> make_cpu_backend(int threads) {
  return std::make_unique<CpuBackend>(threads);
}

CpuSimd cpu_simd() {
  const CpuStep& step = chosen_step();
  return {step.name, step.lanes};
}

}  // namespace talus
