// SPDX-License-Identifier: MIT
// How many threads take part, on machines that are made up: a region takes a time that depends on how many do.
#include "muster.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace talus {
namespace {

struct Machine {
  double one, two;  // [ms] A region takes with one thread and with two
  double taken;     // part of that which is taken from a thread
};

/// Lets regions run for a time. Gives the mean time of a region.
double run_for(Muster& muster, double duration, const Machine& machine) {
  double time = 0.0;
  int regions = 0;
  for (; time < duration; ++regions) {
    const double region = muster.members() == 2 ? machine.two : machine.one;
    muster.region_ended(region, machine.taken * region);
    time += region;
  }
  return time / regions;
}

constexpr Machine kQuiet{4.0, 2.1, 0.0};

TEST(Muster, AllTakePartOnAQuietMachine) {
  Muster muster(2);
  EXPECT_NEAR(run_for(muster, 1000.0, kQuiet), kQuiet.two, 1e-9);
}

TEST(Muster, ShortTroubleIsShort) {
  Muster muster(2);
  run_for(muster, 500.0, kQuiet);
  muster.region_ended(20.0, 10.0);
  EXPECT_LT(run_for(muster, 500.0, kQuiet), 1.06 * kQuiet.two);
  EXPECT_EQ(muster.members(), 2);
}

TEST(Muster, TakesWhatIsQuickerBesideBusyPrograms) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> ratio(0.5, 5.0), lost(0.15, 0.8);
  for (int trial = 0; trial < 1000; ++trial) {
    const Machine busy{5.0, 5.0 * ratio(random), lost(random)};
    Muster muster(2);
    const double mean = run_for(muster, 5000.0, busy);
    EXPECT_LT(mean, 1.1 * std::min(busy.one, busy.two)) << "two threads take " << busy.two << " ms, one " << busy.one;
  }
}

TEST(Muster, AllComeBackWhenTheMachineIsQuietAgain) {
  Muster muster(2);
  run_for(muster, 20000.0, {5.0, 15.0, 0.5});
  EXPECT_EQ(muster.members(), 1);
  run_for(muster, 3000.0, kQuiet);
  EXPECT_EQ(muster.members(), 2);
}

TEST(Muster, OneThreadStaysOne) {
  Muster muster(1);
  run_for(muster, 1000.0, {5.0, 5.0, 0.9});
  EXPECT_EQ(muster.members(), 1);
}

}  // namespace
}  // namespace talus
