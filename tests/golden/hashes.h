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
    {"mixed_pile_500", 120, 0x877b30c9405592c3},
    {"pyramid2d_16", 120, 0x26d0f69eadc0e3c9},
    {"dominoes_100", 120, 0x086dcea09455ef54},
    {"tumbler_150", 120, 0x42978270519b741c},
    {"free_bodies_20", 30, 0x45a49367d2119416},
    {"mixed_pile_60", 30, 0xa3baac09a7fda31a},
    {"pyramid2d_5", 30, 0x999c9962614c016f},
    {"dominoes_12", 30, 0xd1dc05b41520cc2b},
    {"tumbler_16", 30, 0xe0dfde76826814dd},
};
// clang-format on

}  // namespace talus::golden
