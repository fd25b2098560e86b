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
    {"free_bodies_200", 120, 0x440469a5d763acea},
    {"mixed_pile_500", 120, 0x256f27f9c7f86bdc},
    {"pyramid2d_16", 120, 0x01c86797a6e257ac},
    {"dominoes_100", 120, 0x89a6398e74793819},
    {"tumbler_150", 120, 0x7df02b0130e39893},
    {"ragdolls_12", 120, 0x80b6bf086a08372c},
    {"joint_grid_30", 60, 0xd4af6070fffbd209},
    {"bridge_20_10", 120, 0xe983810637aa4b55},
    {"free_bodies_20", 30, 0x954e2af6383c2194},
    {"mixed_pile_60", 30, 0xc6fc61367d72dae9},
    {"pyramid2d_5", 30, 0x841b5ac48fdd77fd},
    {"dominoes_12", 30, 0x8dda8846d5f471de},
    {"tumbler_16", 30, 0x475d2b47b8a255fa},
    {"ragdolls_2", 40, 0x1c14574cb722f2cc},
    {"joint_grid_6", 30, 0xa092688ed40a6da4},
    {"bridge_6_3", 40, 0x6367ff66dc5efdec},
    {"vehicle", 30, 0x351dbc3a91315561},
};
// clang-format on

}  // namespace talus::golden
