// SPDX-License-Identifier: MIT
// How far a run is: a bar that redraws itself on a terminal, else a plain line every 10 %.
#pragma once
#include <talus/status.h>

#include <chrono>
#include <cstdio>

namespace talus::cli {

class Progress {
 public:
  Progress(int step_count, std::FILE* file);

  /// After each step; `done` counts from 1.
  void update(int done, const StepReport& report);

 private:
  using Clock = std::chrono::steady_clock;

  void draw_bar(int done, const StepReport& report, double seconds);
  void print_line(int done, const StepReport& report, double seconds);

  int step_count_;
  std::FILE* file_;
  bool terminal_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_;
};

}  // namespace talus::cli
