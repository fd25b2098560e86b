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
    {"free_bodies_200", 120, 0x0db0c5cea83909e0},
    {"mixed_pile_500", 120, 0x62dce4eeec15f2c5},
    {"pyramid2d_16", 120, 0x387d976bddc4d1b5},
    {"dominoes_100", 120, 0x0bac2ea0654957cc},
    {"tumbler_150", 120, 0x31f8ba4f85990e9d},
    {"free_bodies_20", 30, 0x45a49367d2119416},
    {"mixed_pile_60", 30, 0x48fd07a7fff01744},
    {"pyramid2d_5", 30, 0x47e56d6dece0bf2e},
    {"dominoes_12", 30, 0x44c607eec2af7b42},
    {"tumbler_16", 30, 0xcb77f74f92a9fd19},
};
// clang-format on

}  // namespace talus::golden
