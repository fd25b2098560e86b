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
    {"free_bodies_200", 120, 0x8285332100cbe5e3},
    {"mixed_pile_500", 120, 0x61d84561e20791f7},
    {"pyramid2d_16", 120, 0x910406f1f8808ce4},
    {"dominoes_100", 120, 0xd32479b7b1dcb724},
    {"tumbler_150", 120, 0x43a86f5ab28d2d87},
    {"ragdolls_12", 120, 0x8b0d7d6206f3547a},
    {"joint_grid_30", 60, 0x94b5c4af0577b4c5},
    {"bridge_20_10", 120, 0xb4dfd8560a8b51d2},
    {"free_bodies_20", 30, 0x861ac9c4e5badb40},
    {"mixed_pile_60", 30, 0x4578a7a16f67b619},
    {"pyramid2d_5", 30, 0x762cf30801d36a78},
    {"dominoes_12", 30, 0x61d2ac31617f9eb0},
    {"tumbler_16", 30, 0x25860379d52b84f8},
    {"ragdolls_2", 40, 0x1583cc0983041801},
    {"joint_grid_6", 30, 0x0047f52871746d17},
    {"bridge_6_3", 40, 0xb484b7dee4037043},
    {"vehicle", 30, 0x36026ce06e7f49fb},
};
// clang-format on

}  // namespace talus::golden
