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
    {"ragdolls_12", 120, 0x8aa63093b280abf6},
    {"joint_grid_30", 60, 0x4ae21f9c3762cd3d},
    {"bridge_20_10", 120, 0xdadef685e1da507b},
    {"free_bodies_20", 30, 0xfc12a7a51fd4ff57},
    {"mixed_pile_60", 30, 0x84967dcbf5ce1ba8},
    {"pyramid2d_5", 30, 0x75e4a88eab9a1d61},
    {"dominoes_12", 30, 0x87f7eb40e2c8ec75},
    {"tumbler_16", 30, 0xb1439a9ec3ceb85b},
    {"ragdolls_2", 40, 0x8565899b91058acc},
    {"joint_grid_6", 30, 0x473b813b12d433d7},
    {"bridge_6_3", 40, 0x5547864d61c9180b},
    {"vehicle", 30, 0x2aee3cbef2b13b0c},
};
// clang-format on

}  // namespace talus::golden
