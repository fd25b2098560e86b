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
    {"free_bodies_200", 120, 0x2cc6fb149b75c130},
    {"mixed_pile_500", 120, 0x0cfc63e99a7bdcaf},
    {"pyramid2d_16", 120, 0xe62676094945b25b},
    {"dominoes_100", 120, 0x18d59ced0e3f4af1},
    {"tumbler_150", 120, 0x1b5405496fa798ee},
    {"ragdolls_12", 120, 0xe624ecff1fada355},
    {"joint_grid_30", 60, 0x1b3b6bcf74791120},
    {"bridge_20_10", 120, 0x4676c7132a71d06a},
    {"free_bodies_20", 30, 0x6d2183b25041bfcf},
    {"mixed_pile_60", 30, 0x5564c31bc5454746},
    {"pyramid2d_5", 30, 0x98c39b7a55df6364},
    {"dominoes_12", 30, 0x7a9a23b694cde1cf},
    {"tumbler_16", 30, 0x3a8c918692b0498f},
    {"ragdolls_2", 40, 0xd6fcd4e148ce9b3b},
    {"joint_grid_6", 30, 0xc9ac73f26ee49715},
    {"bridge_6_3", 40, 0x8d0da8227055dde5},
    {"vehicle", 30, 0x340c12987b051807},
};
// clang-format on

}  // namespace talus::golden
