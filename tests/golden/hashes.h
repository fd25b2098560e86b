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
    {"mixed_pile_500", 120, 0xf20a7820c1ac9116},
    {"pyramid2d_16", 120, 0x2b9872fee500a6dc},
    {"dominoes_100", 120, 0x2acdd9a56b17a578},
    {"tumbler_150", 120, 0xe2219a9a176594f3},
    {"free_bodies_20", 30, 0x45a49367d2119416},
    {"mixed_pile_60", 30, 0x6f052f36f0478f46},
    {"pyramid2d_5", 30, 0xfabf0c38ce598ec2},
    {"dominoes_12", 30, 0x7727130943d9ddec},
    {"tumbler_16", 30, 0xcda1b9a07c833069},
};
// clang-format on

}  // namespace talus::golden
