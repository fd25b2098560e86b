// SPDX-License-Identifier: MIT
// The CPU against itself, stage by stage: threads and packs against single lanes in random order. And the comparison
// itself: what differs is found in the stage that made it, and named.
#include "agree/rigid_variants.h"
#include "agree/stage_run.h"

#include "exec_cpu.h"
#include "math/pack.h"

namespace talus::test {

std::shared_ptr<RecordingBackend> make_cpu_recorder() {
  return std::make_shared<CpuRecorder<BasicCpuExec<NativePack>, CpuThreads>>(2);
}

namespace {

std::shared_ptr<RecordingBackend> make_shuffle_recorder() {
  return std::make_shared<CpuRecorder<::talus::testing::ShuffleExec<>, std::uint32_t>>(5u);
}

TEST(AgreeStages, PacksAndSingleLanesInRandomOrder) {
  WorldDef def;
  def.instance_transforms = true;
  expect_full_heap(compare_stages(make_cpu_recorder(), make_shuffle_recorder(), def, heap(300), 30), 30);
}

TEST(AgreeStages, SmallBuffersAndOtherSettings) {
  WorldDef def;
  def.reserve_bodies = def.reserve_pairs = def.reserve_contacts = 1;
  for (const SolverSettings& solver :
       {SolverSettings{}, SolverSettings{.solver = Solver::jacobi, .iterations = 2, .report_residual = true},
        SolverSettings{.friction = FrictionModel::box, .integrator = Integrator::moreau},
        SolverSettings{.stabilization = Stabilization::projection, .warm_start = false}}) {
    def.solver = solver;
    const HeapSeen seen = compare_stages(make_cpu_recorder(), make_shuffle_recorder(), def, heap(60), 15);
    ASSERT_TRUE(seen.difference.empty()) << seen.difference;
    EXPECT_GT(seen.contacts, 40);
    EXPECT_TRUE(has(seen.status, StepStatus::pairs_grown));
    EXPECT_TRUE(has(seen.status, StepStatus::contacts_grown));
  }
}

TEST(AgreeStages, RigidSolvers) {
  for (const RigidVariant& variant : rigid_and_shock_variants()) {
    SCOPED_TRACE(variant.name);
    WorldDef def = drowsy();
    def.reserve_bodies = def.reserve_pairs = def.reserve_contacts = 1;
    def.solver = variant.solver;
    const HeapSeen seen = compare_stages(make_cpu_recorder(), make_shuffle_recorder(), def, heap(60), 15);
    ASSERT_TRUE(seen.difference.empty()) << seen.difference;
    EXPECT_GT(seen.contacts, 40);
  }
}

TEST(AgreeStages, BodiesThatSleepAndWake) {
  WorldDef def = drowsy();
  def.instance_transforms = true;
  def.reserve_pairs = 1;
  const HeapSeen seen = compare_stages(make_cpu_recorder(), make_shuffle_recorder(), def, scattered(40), 90);
  ASSERT_TRUE(seen.difference.empty()) << seen.difference;
  EXPECT_GT(seen.asleep, 20);
  EXPECT_GT(seen.woken, 8);
}

template <class T>
void flip_bit(T* at) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, static_cast<void*>(at), sizeof bits);
  bits ^= 1u;
  std::memcpy(static_cast<void*>(at), &bits, sizeof bits);
}
ContactUnit* first_word(const ContactRecords& records) {
  return records.units;
}
template <int Fields>
std::uint32_t* first_word(const LaneBlocks<Fields>& blocks) {
  return blocks.words;
}

/// A change of one bit of a column, made at the end of a stage.
struct Disturbance {
  Stage stage;
  void (*flip)(const StepViews& v);
  const char* expected;  // part of the message
};

const Disturbance kDisturbances[] = {
    {Stage::update_bounds, [](const StepViews& v) { flip_bit(&v.broad.rows.bounds[7].max.y); },
     "stage update_bounds, column broad.rows.bounds, row 7, word 5: "},
    {Stage::find_pairs, [](const StepViews& v) { flip_bit(&v.broad.entries.key[11]); },
     "stage find_pairs, column broad.entries.key, row 11: "},
    {Stage::find_pairs, [](const StepViews& v) { v.broad.candidates.first[2] += 1; },
     "stage find_pairs, column broad.candidates, sorted, row "},
    {Stage::find_pairs, [](const StepViews& v) { flip_bit(&v.next.pairs.partner[3]); },
     "stage find_pairs, column next.pairs.partner, row 3: "},
    {Stage::collide_pairs,
     [](const StepViews& v) {
       const auto& [pairs, contacts, rolling] = v.next;
       flip_bit(first_word(contacts));
     },
     "stage collide_pairs, column next.contacts"},
    {Stage::color_contacts, [](const StepViews& v) { v.counters->color_size[2] -= 1; },
     "stage color_contacts, column counters, row "},
    {Stage::color_contacts, [](const StepViews& v) { flip_bit(&v.solve.contacts.sort_contact[4]); },
     "stage color_contacts, column solve.contacts.sort_contact, row 4: "},
    {Stage::prepare_contacts, [](const StepViews& v) { flip_bit(first_word(v.solve.lanes)); },
     "stage prepare_contacts, column solve.lanes field 0, row 0: "},
    {Stage::solve_contacts, [](const StepViews& v) { flip_bit(&v.solve.rows.velocity[9].linear.x); },
     "stage solve_contacts, column solve.rows.velocity, row 9, word 0: "},
    {Stage::finish_step, [](const StepViews& v) { flip_bit(&v.state.position.z[12]); },
     "stage finish_step, column state.position.z, row 12: "},
};

TEST(AgreeStages, ADisturbedStageIsNamed) {
  const std::vector<BodyDef> bodies = heap(30);
  for (const Disturbance& d : kDisturbances) {
    const std::shared_ptr<RecordingBackend> disturbed = make_cpu_recorder();
    int step = 0;
    disturbed->disturb = [&](Stage stage, const StepViews& views) {
      if (stage == d.stage && ++step == 6) d.flip(views);
    };
    const HeapSeen seen = compare_stages(make_cpu_recorder(), disturbed, {}, bodies, 8);
    EXPECT_NE(seen.difference.find(d.expected), std::string::npos) << d.expected << "\nis not in: " << seen.difference;
  }
}

}  // namespace
}  // namespace talus::test
