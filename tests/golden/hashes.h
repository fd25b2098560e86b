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
    {"free_bodies_200", 120, 0x94477f80b3cfbc98},
    {"mixed_pile_500", 120, 0xf83f0d0091ab3357},
    {"pyramid2d_16", 120, 0xde148c1eb950cf80},
    {"dominoes_100", 120, 0xd9c358df208eda84},
    {"tumbler_150", 120, 0x51dbb70026320109},
    {"ragdolls_12", 120, 0xcb671c08d2a080ab},
    {"joint_grid_30", 60, 0x4ae21f9c3762cd3d},
    {"bridge_20_10", 120, 0x82f22d3d7d05e945},
    {"free_bodies_20", 30, 0xfc12a7a51fd4ff57},
    {"mixed_pile_60", 30, 0x84967dcbf5ce1ba8},
    {"pyramid2d_5", 30, 0x75e4a88eab9a1d61},
    {"dominoes_12", 30, 0x87f7eb40e2c8ec75},
    {"tumbler_16", 30, 0xb1439a9ec3ceb85b},
    {"ragdolls_2", 40, 0x75f80ad77f909db4},
    {"joint_grid_6", 30, 0x473b813b12d433d7},
    {"bridge_6_3", 40, 0xd750b8dfc2f61028},
    {"vehicle", 30, 0xf901d666ba959f8f},
};
// clang-format on

}  // namespace talus::golden
