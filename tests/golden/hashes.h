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
    {"free_bodies_200", 120, 0xff7533575bedf74a},
    {"mixed_pile_500", 120, 0x3f591bd8d2b7728e},
    {"pyramid2d_16", 120, 0x18af2a19a5c995ce},
    {"dominoes_100", 120, 0x2b948d467653fb3c},
    {"tumbler_150", 120, 0x7312a28157319400},
    {"free_bodies_20", 30, 0x8cadc2adf1ac7379},
    {"mixed_pile_60", 30, 0xce8386a586f91ae7},
    {"pyramid2d_5", 30, 0xd52e48323c286a07},
    {"dominoes_12", 30, 0xc604bd56b334d378},
    {"tumbler_16", 30, 0x65093eb6e6bd23a6},
};
// clang-format on

}  // namespace talus::golden
