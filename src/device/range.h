// SPDX-License-Identifier: MIT
// A named stretch of host time, seen by profilers. What it encloses is enqueued there; a captured step runs later.
#pragma once
#include <nvtx3/nvtx3.hpp>

namespace talus {

class Range {
 public:
  explicit Range(const char* name) : range_(name) {}

 private:
  struct Domain {
    static constexpr const char* name = "talus";
  };
  nvtx3::scoped_range_in<Domain> range_;
};

}  // namespace talus
