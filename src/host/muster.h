// SPDX-License-Identifier: MIT
// How many threads take part in a region of CpuThreads.
//
// Where other programs hold the cores, threads that go through a region side by side wait for one that does not run:
// two threads beside two busy programs may take longer than one. What helps depends on the machine and on its load, so
// it is tried: one thread less when much time is taken from a thread, one more after a while with fewer than there
// could be. What took less time stays. A trial that did not help is made again after twice the time.
#pragma once
#include <algorithm>

namespace talus {

class Muster {
 public:
  explicit Muster(int count) : count_(count), members_(count) {}

  /// Threads that may take part in the next region.
  int members() const { return members_; }

  /// A region is over. time: [ms] that it took; taken: [ms] in which the thread that lost most did not run.
  void region_ended(double time, double taken) {
    time_ += time;
    taken_ += taken;
    ++regions_;
    if (time_ < kPeriod) return;
    const double mean = time_ / regions_;
    const bool stalled = taken_ > kMuchTaken * time_;
    time_ = taken_ = 0.0;
    regions_ = 0;
    if (on_trial_) {
      end_trial(mean);
    } else if (++periods_ >= patience_ && stalled && members_ > 1) {
      begin_trial(members_ - 1, mean);
    } else if (periods_ >= patience_ && members_ < count_) {
      begin_trial(members_ + 1, mean);
    } else if (!stalled && members_ == count_) {
      patience_ = std::max(patience_ / 2, kLeastPatience);
    }
  }

 private:
  static constexpr double kPeriod = 20.0;                        // [ms] of regions that are judged together
  static constexpr double kMuchTaken = 0.1;                      // part of it
  static constexpr double kBetter = 0.95;                        // part of the time before that a trial must not exceed
  static constexpr int kLeastPatience = 8, kMostPatience = 128;  // periods between trials

  void begin_trial(int members, double mean) {
    before_ = members_;
    mean_before_ = mean;
    members_ = members;
    on_trial_ = true;
  }
  void end_trial(double mean) {
    const bool helped = mean < kBetter * mean_before_;
    patience_ = helped ? kLeastPatience : std::min(2 * patience_, kMostPatience);
    if (!helped) members_ = before_;
    on_trial_ = false;
    periods_ = 0;
  }

  int count_, members_;
  double time_ = 0.0, taken_ = 0.0;  // [ms] of this period
  int regions_ = 0;                  // of this period
  int patience_ = kLeastPatience, periods_ = kLeastPatience;
  bool on_trial_ = false;  // one thread more or less takes part than `before_`
  int before_ = 0;
  double mean_before_ = 0.0;  // [ms] a region
};

}  // namespace talus
