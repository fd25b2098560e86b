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
    {"mixed_pile_500", 120, 0xc1ec9f6b45b5125d},
    {"pyramid2d_16", 120, 0x733ecb04957eec71},
    {"dominoes_100", 120, 0x1118746edbbb7840},
    {"tumbler_150", 120, 0x5bcedc43b83273b3},
    {"ragdolls_12", 120, 0xd0c650798fc2bc4f},
    {"joint_grid_30", 60, 0xd9ccf1881997b93c},
    {"bridge_20_10", 120, 0xa47342790f1fcff0},
    {"free_bodies_20", 30, 0x9187769179f1d72e},
    {"mixed_pile_60", 30, 0x06196102152e121d},
    {"pyramid2d_5", 30, 0x7b7665d6ac2cfea7},
    {"dominoes_12", 30, 0xf0cfb08166a74dc4},
    {"tumbler_16", 30, 0x5b461aa2575cb83a},
    {"ragdolls_2", 40, 0xd44b09ef5b19b85e},
    {"joint_grid_6", 30, 0x2b47fdc7831d3718},
    {"bridge_6_3", 40, 0x3f914c4dc645c04f},
    {"vehicle", 30, 0xf9850f38f541b89d},
};
// clang-format on

}  // namespace talus::golden
