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
    {"mixed_pile_500", 120, 0x49b0d5def63f1f53},
    {"pyramid2d_16", 120, 0x19e0e639a302393c},
    {"dominoes_100", 120, 0xadeb345a195a2f8c},
    {"tumbler_150", 120, 0x2492e694816af2e0},
    {"ragdolls_12", 120, 0x0d6f58d8e90d311a},
    {"joint_grid_30", 60, 0xd9ccf1881997b93c},
    {"bridge_20_10", 120, 0xd8b1988da1b9fc20},
    {"free_bodies_20", 30, 0xe66938f5700acf74},
    {"mixed_pile_60", 30, 0x1364f49b5f125a37},
    {"pyramid2d_5", 30, 0x4b7870c1bd6c3ce7},
    {"dominoes_12", 30, 0xa957ef3b146c5236},
    {"tumbler_16", 30, 0x2315eb6d0cb644fa},
    {"ragdolls_2", 40, 0xc5be4255d324e9eb},
    {"joint_grid_6", 30, 0x2b47fdc7831d3718},
    {"bridge_6_3", 40, 0x6c1645172d895b87},
    {"vehicle", 30, 0xf9850f38f541b89d},
};
// clang-format on

}  // namespace talus::golden
