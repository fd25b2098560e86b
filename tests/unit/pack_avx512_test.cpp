// SPDX-License-Identifier: MIT
// Packs of 16 lanes. The library does not use this copy of the kernels: its namespace keeps it apart.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

// gcc only: clang has no such pragma. Standard headers come before it, so that what they define stays plain.
#if defined(__x86_64__) && !defined(__clang__)
#include <immintrin.h>
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl")
#define TALUS_ISA pack_avx512

namespace {

class PackAvx512 : public ::testing::Test {
 protected:
  void SetUp() override {
    const bool there = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                       __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    if (!there) GTEST_SKIP() << "this machine has no AVX-512";
  }
};

}  // namespace

#undef TEST
#define TEST(suite, name) TEST_F(suite, name)
#define PackChecks PackAvx512
#include "unit/pack_checks.h"
#endif
