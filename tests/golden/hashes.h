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
    {"free_bodies_200", 120, 0x78557304ac51d346},
    {"mixed_pile_500", 120, 0xad1c9ad007a6262e},
    {"pyramid2d_16", 120, 0x733ecb04957eec71},
    {"dominoes_100", 120, 0x6221425422e67374},
    {"tumbler_150", 120, 0x928f2ec3cabaab3a},
    {"ragdolls_12", 120, 0x4dec8f4d98fefa0b},
    {"joint_grid_30", 60, 0xd9ccf1881997b93c},
    {"bridge_20_10", 120, 0x4cf5b0a8a35c4142},
    {"free_bodies_20", 30, 0xe66938f5700acf74},
    {"mixed_pile_60", 30, 0xeea5aa958ce612fb},
    {"pyramid2d_5", 30, 0x7b7665d6ac2cfea7},
    {"dominoes_12", 30, 0x6bb962212703a47f},
    {"tumbler_16", 30, 0xdfa3fdf20ba731d9},
    {"ragdolls_2", 40, 0x28b805d2c961b887},
    {"joint_grid_6", 30, 0x2b47fdc7831d3718},
    {"bridge_6_3", 40, 0x42d8d51871414e9e},
    {"vehicle", 30, 0xf9850f38f541b89d},
};
// clang-format on

}  // namespace talus::golden
