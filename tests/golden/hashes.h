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
    {"mixed_pile_500", 120, 0x844c3f78c0e2f0a3},
    {"pyramid2d_16", 120, 0x8e8dd8ce73b035ba},
    {"dominoes_100", 120, 0x251effe2a66cc2ee},
    {"tumbler_150", 120, 0xa1edb8912e5cc3d7},
    {"ragdolls_12", 120, 0x623e4ab8c9abeef4},
    {"joint_grid_30", 60, 0x1b3b6bcf74791120},
    {"bridge_20_10", 120, 0x432da363bd08a444},
    {"free_bodies_20", 30, 0x6d2183b25041bfcf},
    {"mixed_pile_60", 30, 0xcfd1ab5b97c19afd},
    {"pyramid2d_5", 30, 0x266eb1e2b603afa7},
    {"dominoes_12", 30, 0x09a92ff2927f6e9c},
    {"tumbler_16", 30, 0x07e71f8a543a26b9},
    {"ragdolls_2", 40, 0xe1c784163e5c0bab},
    {"joint_grid_6", 30, 0xc9ac73f26ee49715},
    {"bridge_6_3", 40, 0xd6739abf1a142922},
    {"vehicle", 30, 0xeba6ee8d36e0e78c},
};
// clang-format on

}  // namespace talus::golden
