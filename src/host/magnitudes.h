// SPDX-License-Identifier: MIT
// How large the numbers of many bodies are, as bodies come and go.
#pragma once
#include <talus/types.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace talus {

/// Counts positive numbers, 32 kinds to each power of two.
class Magnitudes {
 public:
  /// So many more, or less, of a number; what is not positive does not count.
  void add(float number, Index change) {
    if (!(number > 0.0f)) return;
    counts_[std::bit_cast<std::uint32_t>(number) >> kShift] += change;
    known_ = false;
  }
  /// The largest number over the smallest one, or up to 1.07 times as much, and at least 1. Without bound if the
  /// smallest is below what normal floats reach.
  float ratio() {
    find();
    return first_ == kSize ? 1.0f : lower_end(last_ + 1) / lower_end(first_);
  }
  /// The largest power of two that is not above the smallest number; 1e30 if there is none.
  float smallest() {
    find();
    return first_ == kSize ? 1e30f : lower_end(first_ & ~std::size_t{31});
  }

 private:
  void find() {
    if (known_) return;
    for (first_ = 0; first_ < kSize && counts_[first_] == 0;) ++first_;
    for (last_ = kSize - 1; last_ > first_ && counts_[last_] == 0;) --last_;
    known_ = true;
  }
  static float lower_end(std::size_t kind) { return std::bit_cast<float>(static_cast<std::uint32_t>(kind) << kShift); }

  static constexpr int kShift = 18;  // leaves the exponent of a float and five bits
  static constexpr std::size_t kSize = 0x7f800000u >> kShift;
  std::array<Index, kSize> counts_{};
  std::size_t first_ = kSize, last_ = kSize - 1;  // of those that are not zero, if known_
  bool known_ = true;
};

}  // namespace talus
