// SPDX-License-Identifier: MIT
// How much the masses of bodies differ.
#pragma once
#include <cmath>
#include <cstdint>
#include <map>

namespace talus {

/// Counts dynamic bodies by the power of two of their mass.
class MassSpread {
 public:
  /// One body more or less; 0: it is not dynamic.
  void add(float inv_mass, int change) {
    if (!(inv_mass > 0.0f)) return;
    int exponent = 0;
    (void)std::frexp(1.0f / inv_mass, &exponent);
    const auto at = counts_.try_emplace(exponent, 0).first;
    at->second += change;
    if (at->second == 0) counts_.erase(at);
  }
  /// [1] The largest mass over the smallest one, at most twice as much as it is, and at least 1.
  float ratio() const {
    return counts_.empty() ? 1.0f : std::ldexp(1.0f, counts_.rbegin()->first - counts_.begin()->first + 1);
  }

 private:
  std::map<int, std::int64_t> counts_;
};

}  // namespace talus
