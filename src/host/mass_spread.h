// SPDX-License-Identifier: MIT
// How much the masses of bodies differ.
#pragma once
#include <talus/types.h>

#include <array>
#include <cmath>
#include <cstddef>

namespace talus {

/// Counts dynamic bodies by the power of two of their mass.
class MassSpread {
 public:
  /// Bodies more or less; 0: not dynamic.
  void add(float inv_mass, Index change) {
    if (!(inv_mass > 0.0f)) return;
    int exponent = 0;
    (void)std::frexp(inv_mass, &exponent);
    counts_[static_cast<std::size_t>(exponent + kLeast)] += change;
    known_ = false;
  }
  /// [1] The largest mass over the smallest one, or up to twice as much, and at least 1.
  float ratio() {
    if (known_) return ratio_;
    int first = kSize, last = -1;
    for (int i = 0; i < kSize; ++i) {
      if (counts_[static_cast<std::size_t>(i)] == 0) continue;
      first = first < i ? first : i;
      last = i;
    }
    ratio_ = last < 0 ? 1.0f : static_cast<float>(std::ldexp(1.0, last - first + 1));
    known_ = true;
    return ratio_;
  }

 private:
  static constexpr int kLeast = 149, kSize = kLeast + 129;  // exponents of floats, small ones among them
  std::array<Index, kSize> counts_{};
  float ratio_ = 1.0f;  // if known_
  bool known_ = true;
};

}  // namespace talus
