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
    {"mixed_pile_500", 120, 0xcffa535ce283c644},
    {"pyramid2d_16", 120, 0x28458559da67b157},
    {"dominoes_100", 120, 0x4a41813a21ea23c4},
    {"tumbler_150", 120, 0xad1c1bc7bb9cead2},
    {"ragdolls_12", 120, 0x69e3a2c4f436593c},
    {"joint_grid_30", 60, 0x1b3b6bcf74791120},
    {"bridge_20_10", 120, 0x6d6bab3c759c12ef},
    {"free_bodies_20", 30, 0x6d2183b25041bfcf},
    {"mixed_pile_60", 30, 0xa1d6f976f6e69adb},
    {"pyramid2d_5", 30, 0xe2aa3752276ab743},
    {"dominoes_12", 30, 0x15f0045cc602a2cf},
    {"tumbler_16", 30, 0x694dd282e55ee69a},
    {"ragdolls_2", 40, 0x1c7f7f7aaaf80415},
    {"joint_grid_6", 30, 0xc9ac73f26ee49715},
    {"bridge_6_3", 40, 0x0cdbc1d596f650f4},
    {"vehicle", 30, 0xa2815f449e531356},
};
// clang-format on

}  // namespace talus::golden
