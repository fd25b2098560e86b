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
    {"free_bodies_200", 120, 0x7d6d48c4ce4df7b8},
    {"mixed_pile_500", 120, 0xa1160ec25ad21020},
    {"pyramid2d_16", 120, 0x36b5c5e5ece5ab6c},
    {"dominoes_100", 120, 0xbdf8e4bb5ae40fa5},
    {"tumbler_150", 120, 0xf357d16b85ec362a},
    {"free_bodies_20", 30, 0x956d91906bed8d79},
    {"mixed_pile_60", 30, 0x91eeae31b94d579b},
    {"pyramid2d_5", 30, 0xfd45285257a16e9d},
    {"dominoes_12", 30, 0x94a1a5902a515231},
    {"tumbler_16", 30, 0x9886f567717f993a},
};
// clang-format on

}  // namespace talus::golden
