// SPDX-License-Identifier: MIT
#include "magnitudes.h"

#include <gtest/gtest.h>

namespace talus {
namespace {

TEST(Magnitudes, TheSmallestIsKnownWithinAFactorOfTwoAndForgottenWhenItLeaves) {
  Magnitudes numbers;
  EXPECT_EQ(numbers.smallest(), 1e30f);
  numbers.add(0.0f, 1);
  EXPECT_EQ(numbers.smallest(), 1e30f);
  numbers.add(3000.0f, 1);
  numbers.add(3.0f, 2);
  EXPECT_LE(numbers.smallest(), 3.0f);
  EXPECT_GE(numbers.smallest(), 1.5f);
  numbers.add(3.0f, -1);
  EXPECT_LE(numbers.smallest(), 3.0f);
  numbers.add(3.0f, -1);
  EXPECT_LE(numbers.smallest(), 3000.0f);
  EXPECT_GE(numbers.smallest(), 1500.0f);
  for (const float extreme : {1e38f, 1e-38f, 1e-45f}) {
    numbers.add(extreme, 1);
    EXPECT_LE(numbers.smallest(), extreme);
  }
}

TEST(Magnitudes, AreKnownWithinPowersOfTwoAndForgetWhatLeft) {
  Magnitudes numbers;
  EXPECT_EQ(numbers.ratio(), 1.0f);
  EXPECT_EQ(numbers.smallest(), 1e30f);
  numbers.add(0.0f, 1);
  EXPECT_EQ(numbers.ratio(), 1.0f);
  numbers.add(3.0f, 1);
  EXPECT_LE(numbers.ratio(), 2.0f);
  numbers.add(3000.0f, 2);
  EXPECT_GE(numbers.ratio(), 1000.0f);
  EXPECT_LE(numbers.ratio(), 4000.0f);
  EXPECT_LE(numbers.smallest(), 3.0f);
  EXPECT_GE(numbers.smallest(), 1.5f);
  numbers.add(3000.0f, -1);
  EXPECT_GE(numbers.ratio(), 1000.0f);
  numbers.add(3000.0f, -1);
  EXPECT_LE(numbers.ratio(), 2.0f);
  numbers.add(1e-38f, 1);
  numbers.add(1e38f, 1);
  EXPECT_GE(numbers.ratio(), 1e30f);
  EXPECT_LE(numbers.smallest(), 1e-38f);
}

}  // namespace
}  // namespace talus
