// SPDX-License-Identifier: MIT
// How large the numbers of many bodies are, as bodies come and go.
#pragma once
#include <talus/types.h>

#include <array>
#include <cmath>
#include <cstddef>

namespace talus {

/// Counts positive numbers by powers of two.
class Magnitudes {
 public:
  /// So many more, or less, of a number; what is not positive does not count.
  void add(float number, Index change) {
    if (!(number > 0.0f)) return;
    int exponent = 0;
    (void)std::frexp(number, &exponent);
    const int place = exponent + kLeast;
    counts_[static_cast<std::size_t>(place)] += change;
    known_ = false;
  }
  /// The smallest number, or down to half of it; 1e30 if there is none.
  float smallest() {
    if (!known_) find();
    return first_ == kSize ? 1e30f : static_cast<float>(std::ldexp(1.0, first_ - kLeast - 1));
  }

 private:
  void find() {
    for (first_ = 0; first_ < kSize && counts_[static_cast<std::size_t>(first_)] == 0;) ++first_;
    known_ = true;
  }

  static constexpr int kLeast = 149, kSize = kLeast + 129;  // exponents of floats, small ones among them
  std::array<Index, kSize> counts_{};
  int first_ = kSize;  // that is not zero, if known_
  bool known_ = true;
};

}  // namespace talus
