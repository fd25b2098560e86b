// SPDX-License-Identifier: MIT
// CUDA against the CPU, stage by stage: the same step page on both, and equal bits in every column of every table after
// each stage. cuda_agree_test.cpp has the same for whole steps, as worlds take them.
#define TALUS_ISA device_stages  // keeps the kernels of this file apart from those of the library and of other tests
#include "agree/rigid_variants.h"
#include "agree/stage_run.h"

#include "exec_cuda.cuh"
#include "handles.h"
#include "memory_cuda.h"

namespace talus::test {
namespace {

class CudaRecorder final : public RecordingBackend {
 public:
  CudaRecorder() : stream_(make_stream()), memory_(stream_.get()) {
    int device = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device), "device attributes");
  }

  Backend kind() const override { return Backend::cuda; }
  Memory& memory() override { return memory_; }

 private:
  void run_edits(const EditViews& edits, const StepViews& views) override {
    run(views, [&](auto& exec) { talus::apply_edits(exec, edits, views); });
  }
  void run_page(const StepViews& views) override {
    run(views, [&](auto& exec) { run_step(exec, views); });
  }
  /// Measures, makes room and runs, as the backend does.
  template <class Verbs>
  void run(const StepViews& views, Verbs&& verbs) {
    StageExec<CudaExec> measure(multiprocessors_);
    verbs(measure);
    if (measure.storage_bytes() > room_.bytes()) room_ = Block(memory_, measure.storage_bytes(), "room to sort in");
    StageExec<CudaExec> exec(multiprocessors_, stream_.get(), CudaExec::Storage{room_.data(), room_.bytes()});
    exec.on_end = [&](Stage stage) { record(stage, views); };
    verbs(exec);
    exec.end_stage();
  }

  Stream stream_;
  CudaMemory memory_;
  Block room_;
  int multiprocessors_ = 0;
};

class CudaStages : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!cuda_unavailable_reason().empty()) GTEST_SKIP() << "no CUDA device: " << cuda_unavailable_reason();
  }
  static HeapSeen compare(const WorldDef& def, int bodies, int steps) {
    return compare_stages(make_cpu_recorder(), std::make_shared<CudaRecorder>(), def, heap(bodies), steps);
  }
};

TEST_F(CudaStages, HeapWithAnOverflowColor) {
  WorldDef def;
  def.instance_transforms = true;
  expect_full_heap(compare(def, 300, 40), 40);
}

TEST_F(CudaStages, SmallBuffersThatGrow) {
  WorldDef def;
  def.reserve_bodies = def.reserve_pairs = def.reserve_contacts = 1;
  const HeapSeen seen = compare(def, 100, 20);
  ASSERT_TRUE(seen.difference.empty()) << seen.difference;
  EXPECT_GT(seen.contacts, 40);
  EXPECT_TRUE(has(seen.status, StepStatus::pairs_grown));
  EXPECT_TRUE(has(seen.status, StepStatus::contacts_grown));
}

TEST_F(CudaStages, BodiesThatSleepAndWake) {
  const HeapSeen seen =
      compare_stages(make_cpu_recorder(), std::make_shared<CudaRecorder>(), drowsy(), scattered(16), 50);
  ASSERT_TRUE(seen.difference.empty()) << seen.difference;
  EXPECT_GT(seen.asleep, 5);
  EXPECT_GT(seen.woken, 2);
}

TEST_F(CudaStages, JacobiSolver) {
  WorldDef def;
  def.solver = {.solver = Solver::jacobi, .iterations = 2, .report_residual = true};
  const HeapSeen seen = compare(def, 100, 20);
  ASSERT_TRUE(seen.difference.empty()) << seen.difference;
  EXPECT_EQ(seen.overflow, seen.contacts);
  EXPECT_GT(seen.contacts, 40);
}

TEST_F(CudaStages, BoxFrictionAndMidPoint) {
  WorldDef def;
  def.solver = {.friction = FrictionModel::box, .integrator = Integrator::moreau};
  const HeapSeen seen = compare(def, 100, 20);
  ASSERT_TRUE(seen.difference.empty()) << seen.difference;
  EXPECT_GT(seen.contacts, 40);
}

TEST_F(CudaStages, ProjectionFromAColdStart) {
  WorldDef def;
  def.solver = {.stabilization = Stabilization::projection, .warm_start = false};
  const HeapSeen seen = compare(def, 100, 20);
  ASSERT_TRUE(seen.difference.empty()) << seen.difference;
  EXPECT_GT(seen.contacts, 40);
}

/// 200 bodies in a heap with an overflow color.
TEST_F(CudaStages, RigidSolvers) {
  for (const RigidVariant& variant : rigid_and_shock_variants()) {
    SCOPED_TRACE(variant.name);
    WorldDef def;
    def.reserve_pairs = def.reserve_contacts = 4000;  // a step that is cut short leaves old scratch behind
    def.solver = variant.solver;
    const HeapSeen seen = compare(def, 200, 6);
    ASSERT_TRUE(seen.difference.empty()) << seen.difference;
    EXPECT_GT(seen.contacts, 100);
  }
}

}  // namespace
}  // namespace talus::test
