// SPDX-License-Identifier: MIT
#include "mass_spread.h"

#include <gtest/gtest.h>

namespace talus {
namespace {

TEST(MassSpread, TellsTheRatioWithinAFactorOfTwoAndForgetsBodiesThatLeft) {
  MassSpread masses;
  EXPECT_EQ(masses.ratio(), 1.0f);
  masses.add(0.0f, 1);  // not dynamic
  EXPECT_EQ(masses.ratio(), 1.0f);
  masses.add(1.0f / 3.0f, 1);
  EXPECT_LE(masses.ratio(), 2.0f);
  masses.add(1.0f / 3000.0f, 2);
  EXPECT_GE(masses.ratio(), 1000.0f);
  EXPECT_LE(masses.ratio(), 2000.0f);
  masses.add(1.0f / 3000.0f, -1);
  EXPECT_GE(masses.ratio(), 1000.0f);
  masses.add(1.0f / 3000.0f, -1);
  EXPECT_LE(masses.ratio(), 2.0f);
  masses.add(1e-38f, 1);
  masses.add(1e38f, 1);
  EXPECT_GE(masses.ratio(), 1e30f);
}

}  // namespace
}  // namespace talus
