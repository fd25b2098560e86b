// SPDX-License-Identifier: MIT
// Packs of 8 lanes. The library does not use this copy of the kernels: its namespace keeps it apart.
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
#pragma GCC target("avx2")
#define TALUS_ISA pack_avx2

namespace {

class PackAvx2 : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "this machine has no AVX2";
  }
};

}  // namespace

#undef TEST
#define TEST(suite, name) TEST_F(suite, name)
#define PackChecks PackAvx2
#include "unit/pack_checks.h"
#endif
