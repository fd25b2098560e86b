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
    {"free_bodies_200", 120, 0x5cab16a43501af06},
    {"mixed_pile_500", 120, 0x97738b3fb4ab05c0},
    {"pyramid2d_16", 120, 0x19e0e639a302393c},
    {"dominoes_100", 120, 0xe74b5a9401220981},
    {"tumbler_150", 120, 0xfbc039a2b4ed413a},
    {"ragdolls_12", 120, 0xb605298e20b75cee},
    {"joint_grid_30", 60, 0xd9ccf1881997b93c},
    {"bridge_20_10", 120, 0x47788fa581ea16ae},
    {"free_bodies_20", 30, 0x9187769179f1d72e},
    {"mixed_pile_60", 30, 0x61dd2d151ea90645},
    {"pyramid2d_5", 30, 0x4b7870c1bd6c3ce7},
    {"dominoes_12", 30, 0xc696120fdf0909c7},
    {"tumbler_16", 30, 0xa61cf375bbca5c34},
    {"ragdolls_2", 40, 0x1a8f3b6a34679f2f},
    {"joint_grid_6", 30, 0x2b47fdc7831d3718},
    {"bridge_6_3", 40, 0x91bb688469c211fd},
    {"vehicle", 30, 0xf9850f38f541b89d},
};
// clang-format on

}  // namespace talus::golden
