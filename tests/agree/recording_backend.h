// SPDX-License-Identifier: MIT
// Backends that run the step page as any other, and keep an image of all tables at the end of each stage.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "agree/stage_dump.h"
#include "backend.h"
#include "memory_cpu.h"
#include "pipeline.h"
#include "support/stage_exec.h"

namespace talus::test {

class RecordingBackend : public StepBackend {
 public:
  /// Called after each stage, before its image is taken: for tests that disturb a stage.
  std::function<void(Stage, const StepViews&)> disturb;

  /// The stages since the last call, in the order they ran; those of steps that met a small buffer are among them.
  std::vector<StageDump> take_stages() { return std::exchange(stages_, {}); }

  void apply_edits(const EditViews& edits, const StepViews& views) override { run_edits(edits, views); }
  void enqueue_step(const StepViews& views) override {
    if (waited_) counters_.clear();
    waited_ = false;
    poison_after(Stage::apply_commands, views, memory());
    run_page(views);
    memory().download(&counters_.emplace_back(), views.counters, sizeof(Counters));
  }
  std::span<const Counters> wait() override {
    if (waited_) counters_.clear();
    waited_ = true;
    return counters_;
  }
  std::array<float, kStageCount> stage_ms() const override { return {}; }
  void* stream() const override { return nullptr; }
  void record_event(void*) override {}
  void wait_event(void*) override {}

 protected:
  virtual void run_edits(const EditViews& edits, const StepViews& views) = 0;
  virtual void run_page(const StepViews& views) = 0;
  void record(Stage stage, const StepViews& views) {
    if (disturb) disturb(stage, views);
    stages_.push_back(dump_stage(stage, views, memory()));
    if (stage != Stage::apply_commands) poison_after(stage, views, memory());
  }

 private:
  std::vector<StageDump> stages_;
  std::vector<Counters> counters_;
  bool waited_ = false;
};

/// On an executor of this machine, which is made from `argument`.
template <class Exec, class Argument>
class CpuRecorder final : public RecordingBackend {
 public:
  template <class... Arguments>
  explicit CpuRecorder(Arguments&&... arguments) : argument_(std::forward<Arguments>(arguments)...), exec_(argument_) {}

  Backend kind() const override { return Backend::cpu; }
  Memory& memory() override { return memory_; }

 private:
  void run_edits(const EditViews& edits, const StepViews& views) override {
    run(views, [&] { talus::apply_edits(exec_, edits, views); });
  }
  void run_page(const StepViews& views) override {
    run(views, [&] { run_step(exec_, views); });
  }
  template <class Verbs>
  void run(const StepViews& views, Verbs&& verbs) {
    exec_.on_end = [&](Stage stage) { record(stage, views); };
    verbs();
    exec_.end_stage();
  }

  CpuMemory memory_;
  Argument argument_;
  StageExec<Exec> exec_;
};

/// What World takes on the CPU: threads and packs.
std::shared_ptr<RecordingBackend> make_cpu_recorder();

}  // namespace talus::test
