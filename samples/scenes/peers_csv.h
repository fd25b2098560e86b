// SPDX-License-Identifier: MIT
// One line of CSV a run, in the columns that other engines were measured with, so that files can be joined.
// bench/compare reads them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "metrics.h"
#include "scene.h"

namespace talus::scenes {

/// Times of a run's steps.
struct StepTimes {
  std::vector<double> wall_ms;  ///< [ms] of each step
  std::vector<double> cpu_ms;   ///< [ms] processor time of the process in each step, all threads together
};

/// The first step that counts as late: 200 of 300 or more steps, else the last third.
std::size_t first_late_step(std::size_t step_count);

/// Names of the columns, without end of line.
std::string_view csv_header();
/// One line, without end of line. `config` names the solver's settings, `contacts` the points of the last step.
std::string csv_line(std::string_view config, const Scene& scene, int threads, const StepTimes& times, long contacts,
                     const Metrics& metrics);

}  // namespace talus::scenes
