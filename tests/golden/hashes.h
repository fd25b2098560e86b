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
    {"mixed_pile_500", 120, 0x2f44dff316b784fe},
    {"pyramid2d_16", 120, 0x7bf9cbd9eea75940},
    {"dominoes_100", 120, 0x1118746edbbb7840},
    {"tumbler_150", 120, 0x39c50e904d50450b},
    {"ragdolls_12", 120, 0x39ce420c4b61cdc3},
    {"joint_grid_30", 60, 0xd9ccf1881997b93c},
    {"bridge_20_10", 120, 0xf46125d71bc49be1},
    {"free_bodies_20", 30, 0x9187769179f1d72e},
    {"mixed_pile_60", 30, 0xabcd0810e7ad4490},
    {"pyramid2d_5", 30, 0xec7626a25cb0ad58},
    {"dominoes_12", 30, 0xf0cfb08166a74dc4},
    {"tumbler_16", 30, 0x8cb6241348b485ae},
    {"ragdolls_2", 40, 0x4e5c0a23441ead6a},
    {"joint_grid_6", 30, 0x2b47fdc7831d3718},
    {"bridge_6_3", 40, 0xedb08c996dff4301},
    {"vehicle", 30, 0xf9850f38f541b89d},
};
// clang-format on

}  // namespace talus::golden
