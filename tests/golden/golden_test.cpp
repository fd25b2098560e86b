// SPDX-License-Identifier: MIT
// One state hash for each scene, whatever the backend, the number of threads, the instruction set and the optimisation.
// `test_golden --update FILE` writes hashes.h anew.
#include <gtest/gtest.h>
#include <talus/talus.h>

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "golden/hashes.h"
#include "scenes/scene.h"

namespace talus::golden {
namespace {

struct Run {
  const char* scene;
  int steps;
};
constexpr Run kLarge[] = {{"free_bodies_200", 120}, {"mixed_pile_500", 120}, {"pyramid2d_16", 120},
                          {"dominoes_100", 120},    {"tumbler_150", 120},    {"ragdolls_12", 120},
                          {"joint_grid_30", 60},    {"bridge_20_10", 120}};
/// Small enough for an emulated device; all but the first have contacts.
constexpr Run kSmall[] = {{"free_bodies_20", 30}, {"mixed_pile_60", 30}, {"pyramid2d_5", 30},
                          {"dominoes_12", 30},    {"tumbler_16", 30},    {"ragdolls_2", 40},
                          {"joint_grid_6", 30},   {"bridge_6_3", 40},    {"vehicle", 30}};

struct Outcome {
  std::uint64_t hash;
  Index contacts;
};
Outcome outcome_of(const Run& run, Backend backend, int threads) {
  WorldDef def;
  def.backend = backend;
  def.threads = threads;
  scenes::RunningScene running(scenes::make_scene(run.scene), def);
  StepReport report;
  for (int step = 0; step < run.steps; ++step) report = running.step();
  return {running.world().state_hash(), report.contact_count};
}

const Hash* find(const Run& run) {
  for (const Hash& h : kHashes) {
    if (std::strcmp(h.scene, run.scene) == 0 && h.steps == run.steps) return &h;
  }
  return nullptr;
}

struct Case {
  Backend backend;
  Run run;
};
std::vector<Case> cases() {
  std::vector<Case> list;
  for (const Run& run : kLarge) list.push_back({Backend::cpu, run});
  for (const Backend backend : available_backends()) {
    for (const Run& run : kSmall) list.push_back({backend, run});
  }
  return list;
}

class Golden : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(, Golden, ::testing::ValuesIn(cases()), [](const auto& c) {
  return std::string(backend_name(c.param.backend)) + "_" + c.param.run.scene;
});

TEST_P(Golden, HashIsTheOneOnRecord) {
  const Case& c = GetParam();
  const Hash* expected = find(c.run);
  ASSERT_NE(expected, nullptr) << c.run.scene << " is not in hashes.h";
  const std::vector<int> thread_counts = c.backend == Backend::cpu ? std::vector<int>{1, 2, 3, 8} : std::vector<int>{0};
  for (const int threads : thread_counts) {
    const Outcome outcome = outcome_of(c.run, c.backend, threads);
    EXPECT_EQ(outcome.hash, expected->hash) << threads << " threads";
    const bool touches = std::strncmp(c.run.scene, "free", 4) != 0 && std::strncmp(c.run.scene, "joint_grid", 10) != 0;
    EXPECT_EQ(outcome.contacts > 0, touches);
  }
}

/// Writes hashes.h, from runs on one thread.
int update(const char* path) {
  std::FILE* file = std::fopen(path, "w");
  if (file == nullptr) {
    std::perror(path);
    return 1;
  }
  std::fputs(
      "// SPDX-License-Identifier: MIT\n"
      "// Written by `test_golden --update tests/golden/hashes.h`. A changed hash is a decision: the commit that "
      "makes\n"
      "// it says which stage changed the bits, and shows that the analytic and property tests still hold.\n"
      "#pragma once\n#include <cstdint>\n\nnamespace talus::golden {\n\n"
      "struct Hash {\n  const char* scene;\n  int steps;\n  std::uint64_t hash;\n};\n\n"
      "// clang-format off\nconstexpr Hash kHashes[] = {\n",
      file);
  std::vector<Run> runs(std::begin(kLarge), std::end(kLarge));
  runs.insert(runs.end(), std::begin(kSmall), std::end(kSmall));
  for (const Run& run : runs) {
    const std::uint64_t hash = outcome_of(run, Backend::cpu, 1).hash;
    std::fprintf(file, "    {\"%s\", %d, 0x%016" PRIx64 "},\n", run.scene, run.steps, hash);
  }
  std::fputs("};\n// clang-format on\n\n}  // namespace talus::golden\n", file);
  return std::fclose(file) == 0 ? 0 : 1;
}

}  // namespace
}  // namespace talus::golden

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--update") == 0) return talus::golden::update(argv[2]);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
