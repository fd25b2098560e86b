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
    {"mixed_pile_500", 120, 0x2050dc2cd0f90ead},
    {"pyramid2d_16", 120, 0x56a3389c97ff7dbf},
    {"dominoes_100", 120, 0x2130a0396f008cb4},
    {"tumbler_150", 120, 0x7f5155990003a4fd},
    {"free_bodies_20", 30, 0x45a49367d2119416},
    {"mixed_pile_60", 30, 0x033499a963a76bc1},
    {"pyramid2d_5", 30, 0x74ef16597262d043},
    {"dominoes_12", 30, 0x40bc3c1d671a3a45},
    {"tumbler_16", 30, 0x4d5a3ea610f692a9},
};
// clang-format on

}  // namespace talus::golden
