// SPDX-License-Identifier: MIT
// Tables that share one block of memory. Each is alive from one stage of the step to another; what is not alive in the
// same stage may lie in the same place.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include <talus/status.h>

namespace talus {

/// The stages, both included, in which a table holds something. It is written first in the first of them.
struct Lifetime {
  Stage first, last;
  constexpr bool includes(Stage stage) const { return first <= stage && stage <= last; }
  constexpr bool meets(Lifetime other) const { return first <= other.last && other.first <= last; }
};

/// Finds places such that no two tables share a byte that are alive in the same stage.
class SharedLayout {
 public:
  /// Takes the lowest place with room for `bytes`. Large tables come first: small ones fill what they leave.
  std::size_t place(std::size_t bytes, Lifetime life) {
    std::size_t at = 0;
    const auto in_the_way = [&](const Taken& other) {
      return life.meets(other.life) && at < other.end && other.begin < at + bytes;
    };
    for (auto other = taken_.begin(); other != taken_.end();) {
      other = std::find_if(taken_.begin(), taken_.end(), in_the_way);
      if (other != taken_.end()) at = other->end;
    }
    taken_.push_back({at, at + bytes, life});
    bytes_ = std::max(bytes_, at + bytes);
    return at;
  }
  /// Of the block that holds them all.
  std::size_t bytes() const { return bytes_; }

 private:
  struct Taken {
    std::size_t begin, end;
    Lifetime life;
  };
  std::vector<Taken> taken_;
  std::size_t bytes_ = 0;
};

}  // namespace talus
