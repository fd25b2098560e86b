// SPDX-License-Identifier: MIT
// Written by `test_golden --update tests/golden/hashes.h`. A changed hash is a decision: the commit that makes
// it says which stage changed the bits, and shows that the analytic and property tests still hold.
#pragma once
#include <cstdint>

namespace talus::golden {

struct Hash {
  const char* scene;
  int steps;
  std::uint64_t hash;
};

// clang-format off
constexpr Hash kHashes[] = {
    {"free_bodies_200", 120, 0x5cab16a43501af06},
    {"mixed_pile_500", 120, 0xe0f28a646e561be0},
    {"pyramid2d_16", 120, 0x19e0e639a302393c},
    {"dominoes_100", 120, 0xd2f13029d6442011},
    {"tumbler_150", 120, 0x7a80a6b3648ff14e},
    {"ragdolls_12", 120, 0x8847fccf4245121b},
    {"joint_grid_30", 60, 0xd9ccf1881997b93c},
    {"bridge_20_10", 120, 0xd9ebdf12b537b4ee},
    {"free_bodies_20", 30, 0x9187769179f1d72e},
    {"mixed_pile_60", 30, 0xffa35c2e320711fd},
    {"pyramid2d_5", 30, 0x4b7870c1bd6c3ce7},
    {"dominoes_12", 30, 0x5c07bd93418c02e8},
    {"tumbler_16", 30, 0x26de7ca5f78fbc6e},
    {"ragdolls_2", 40, 0x8880567c88788e58},
    {"joint_grid_6", 30, 0x2b47fdc7831d3718},
    {"bridge_6_3", 40, 0xbdddfcb5a258a2f1},
    {"vehicle", 30, 0xf9850f38f541b89d},
};
// clang-format on

}  // namespace talus::golden
