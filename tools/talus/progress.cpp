// SPDX-License-Identifier: MIT
#include "progress.h"

#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <string>

namespace talus::cli {
namespace {

constexpr auto kRedraw = std::chrono::milliseconds(100);  // often enough to look alive, seldom enough to cost nothing
constexpr int kBarWidth = 30;

int percent(int done, int of) {
  return static_cast<int>(std::int64_t{100} * done / of);
}

std::string duration(double seconds) {
  const long whole = std::lround(seconds);
  char text[32];
  if (whole < 60) {
    std::snprintf(text, sizeof text, "%ld s", whole);
  } else {
    std::snprintf(text, sizeof text, "%ld:%02ld min", whole / 60, whole % 60);
  }
  return text;
}

}  // namespace

Progress::Progress(int step_count, std::FILE* file)
    : step_count_(step_count), file_(file), terminal_(isatty(fileno(file)) != 0) {}

void Progress::update(int done, const StepReport& report) {
  const Clock::time_point now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - start_).count();
  if (terminal_) {
    if (now - drawn_ < kRedraw && done < step_count_) return;
    drawn_ = now;
    draw_bar(done, report, seconds);
  } else if (percent(done, step_count_) / 10 > percent(done - 1, step_count_) / 10) {
    print_line(done, report, seconds);
  }
}

void Progress::draw_bar(int done, const StepReport& report, double seconds) {
  const auto filled = static_cast<std::size_t>(std::int64_t{kBarWidth} * done / step_count_);
  const std::string bar = std::string(filled, '#') + std::string(kBarWidth - filled, '.');
  const double left = seconds / done * (step_count_ - done);
  std::fprintf(file_, "\r[%s] %3d %%  %.1f steps/s  %d contacts  %s left\x1b[K", bar.c_str(),
               percent(done, step_count_), done / seconds, report.contact_count, duration(left).c_str());
  if (done == step_count_) std::fputc('\n', file_);
  std::fflush(file_);
}

void Progress::print_line(int done, const StepReport& report, double seconds) {
  std::fprintf(file_, "%3d %%  step %d of %d  %.1f steps/s  %d contacts\n", percent(done, step_count_), done,
               step_count_, done / seconds, report.contact_count);
  std::fflush(file_);
}

}  // namespace talus::cli
