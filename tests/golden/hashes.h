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
    {"mixed_pile_500", 120, 0x97dd8379c856cebf},
    {"pyramid2d_16", 120, 0x19e0e639a302393c},
    {"dominoes_100", 120, 0xa126b523e4d1bf68},
    {"tumbler_150", 120, 0x57cdb0c519c3bb9a},
    {"ragdolls_12", 120, 0x4f7323ca6367680f},
    {"joint_grid_30", 60, 0xd9ccf1881997b93c},
    {"bridge_20_10", 120, 0xb1fe353b8b259313},
    {"free_bodies_20", 30, 0x9187769179f1d72e},
    {"mixed_pile_60", 30, 0x64ea9b507906eda4},
    {"pyramid2d_5", 30, 0x4b7870c1bd6c3ce7},
    {"dominoes_12", 30, 0xc696120fdf0909c7},
    {"tumbler_16", 30, 0x433b074314b33384},
    {"ragdolls_2", 40, 0x7bd648b8ba25021b},
    {"joint_grid_6", 30, 0x2b47fdc7831d3718},
    {"bridge_6_3", 40, 0xd6381f40b8023836},
    {"vehicle", 30, 0xf9850f38f541b89d},
};
// clang-format on

}  // namespace talus::golden
