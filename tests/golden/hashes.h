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
    {"free_bodies_200", 120, 0xb0cc1a4d4e3915e0},
    {"mixed_pile_500", 120, 0x371e2f7cf1334724},
    {"pyramid2d_16", 120, 0xd06e3d2770b06331},
    {"dominoes_100", 120, 0xbdee4b2a2140cc6c},
    {"tumbler_150", 120, 0xe1b8562d2d476337},
    {"free_bodies_20", 30, 0xf4d832119ae6f821},
    {"mixed_pile_60", 30, 0x5006414044cd9d59},
    {"pyramid2d_5", 30, 0xe503866cafea3a1d},
    {"dominoes_12", 30, 0x1e0d20db75680c5b},
    {"tumbler_16", 30, 0xe3470492081c12ac},
};
// clang-format on

}  // namespace talus::golden
