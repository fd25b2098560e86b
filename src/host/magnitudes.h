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
    counts_[static_cast<std::size_t>(exponent + kLeast)] += change;
    known_ = false;
  }
  /// The largest number over the smallest one, or up to four times as much, and at least 1.
  float ratio() {
    find();
    return last_ < 0 ? 1.0f : static_cast<float>(std::ldexp(1.0, last_ - first_ + 1));
  }
  /// The smallest number, or down to half of it; 1e30 if there is none.
  float smallest() {
    find();
    return last_ < 0 ? 1e30f : static_cast<float>(std::ldexp(1.0, first_ - kLeast - 1));
  }

 private:
  void find() {
    if (known_) return;
    first_ = kSize;
    last_ = -1;
    for (int i = 0; i < kSize; ++i) {
      if (counts_[static_cast<std::size_t>(i)] == 0) continue;
      first_ = first_ < i ? first_ : i;
      last_ = i;
    }
    known_ = true;
  }

  static constexpr int kLeast = 149, kSize = kLeast + 129;  // exponents of floats, small ones among them
  std::array<Index, kSize> counts_{};
  int first_ = kSize, last_ = -1;  // of those that are not zero, if known_
  bool known_ = true;
};

}  // namespace talus
