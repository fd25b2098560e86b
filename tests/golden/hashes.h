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
    {"mixed_pile_500", 120, 0xf8551d3a7c7c7d10},
    {"pyramid2d_16", 120, 0xfb1d321b2d1a4fdb},
    {"dominoes_100", 120, 0x8dc22f470c868016},
    {"tumbler_150", 120, 0x65174ba21f583cc2},
    {"ragdolls_12", 120, 0xe88b2996eac1d34e},
    {"joint_grid_30", 60, 0xd9ccf1881997b93c},
    {"bridge_20_10", 120, 0x17365b889b8e6609},
    {"free_bodies_20", 30, 0x9187769179f1d72e},
    {"mixed_pile_60", 30, 0xba69d8a96f40fd6b},
    {"pyramid2d_5", 30, 0xde86ba15c210ebea},
    {"dominoes_12", 30, 0xfa26195d0c0f0355},
    {"tumbler_16", 30, 0xcf0cb346cdf5e947},
    {"ragdolls_2", 40, 0xec3607859aa15067},
    {"joint_grid_6", 30, 0x2b47fdc7831d3718},
    {"bridge_6_3", 40, 0x4861c773ddcb46bf},
    {"vehicle", 30, 0x1903e31a2d09a6e4},
};
// clang-format on

}  // namespace talus::golden
