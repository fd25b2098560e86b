// SPDX-License-Identifier: MIT
// A Simulation without a World around it, on any step backend: its tables can be looked at, its executor replaced.
#pragma once
#include <talus/talus.h>

#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "body_row.h"
#include "magnitudes.h"
#include "materials.h"
#include "memory_cpu.h"
#include "pipeline.h"
#include "simulation.h"
#include "squeeze.h"
#include "step_settings.h"
#include "support/shuffle_exec.h"
#include "support/stage_exec.h"

namespace talus::test {

/// Runs the step page element by element in random order. Scratch that is not alive is filled with ones between stages:
/// what a step needs from it, it must have written itself.
template <class Real = float, int Width = 1>
class ShuffleBackend final : public StepBackend {
 public:
  explicit ShuffleBackend(std::uint32_t seed) : exec_(seed) {}

  Backend kind() const override { return Backend::cpu; }
  Memory& memory() override { return memory_; }
  void apply_edits(const EditViews& edits, const StepViews& views) override { talus::apply_edits(exec_, edits, views); }
  void enqueue_step(const StepViews& views) override {
    if (waited_) counters_.clear();
    waited_ = false;
    poison_after(Stage::apply_commands, views, memory_);
    exec_.on_end = [&](Stage stage) { poison_after(stage, views, memory_); };
    run_step(exec_, views);
    exec_.end_stage();
    exec_.on_end = {};
    counters_.push_back(*views.counters);
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

 private:
  StageExec<::talus::testing::ShuffleExec<Real, Width>> exec_;
  CpuMemory memory_;
  std::vector<Counters> counters_;
  bool waited_ = false;
};

/// Bodies in a Simulation, body i in row i.
class SimulationRig {
 public:
  SimulationRig(std::shared_ptr<StepBackend> backend, const WorldDef& def, const std::vector<BodyDef>& defs)
      : def_(def), simulation_(std::move(backend), def), body_count_(Index(defs.size())) {
    simulation_.reserve_rows(body_count_);
    simulation_.set_rows(body_count_);
    EditQueue edits;
    std::vector<Index> planes;
    for (Index row = 0; row < body_count_; ++row) {
      NewBody body = make_body(Where{"rig", "defs", row}, defs[std::size_t(row)]);
      body.mirror.model.flags |= materials_.take(body.mirror.material, {}) << kMaterialShift;
      edits.replace(row, body.mirror.model, body.state);
      if (defs[std::size_t(row)].shape.type == ShapeType::plane) planes.push_back(row);
      bounces_ = bounces_ || body.mirror.model.restitution > 0.0f;
      inv_mass_.push_back(body.mirror.model.inv_mass);
      inverse_masses_.add(body.mirror.model.inv_mass, 1);
    }
    simulation_.set_materials(materials_.surfaces(), materials_.pair_records());
    simulation_.set_planes(planes);
    simulation_.apply(edits.take());
  }

  StepReport step(float dt) {
    StepInput input;
    input.params = make_step_params(def_, dt);
    input.shape = make_step_shape(def_);
    input.shape.squeeze = !input.shape.shock.on && inverse_masses_.ratio() > kSqueezedFrom;
    input.shape.restitution = bounces_;
    input.shape.surfaces = input.shape.surfaces || materials_.in_use();
    input.body_count = body_count_;
    simulation_.make_step_room(input.shape, input.edits);
    simulation_.enqueue(std::move(input));
    StepReport report;
    StepSummary all;
    simulation_.confirm(report, all);
    return report;
  }

  Simulation& simulation() { return simulation_; }
  bool moves(Index row) const { return inv_mass_[std::size_t(row)] > 0.0f; }
  /// State and contacts as bytes: equal rigs are equal here.
  std::vector<unsigned char> bytes() {
    std::vector<unsigned char> all = simulation_.state_copy().bytes;
    const ContactImage image = simulation_.contacts();
    const auto append = [&](const auto& values) {
      const unsigned char* from = reinterpret_cast<const unsigned char*>(values.data());
      all.insert(all.end(), from, from + values.size() * sizeof(values[0]));
    };
    append(image.begin);
    append(image.owner);
    append(image.partner);
    append(image.contacts);
    append(image.rolling);
    return all;
  }

 private:
  WorldDef def_;
  Simulation simulation_;
  Materials materials_;
  Index body_count_;
  bool bounces_ = false;
  std::vector<float> inv_mass_;
  Magnitudes inverse_masses_;
};

}  // namespace talus::test
