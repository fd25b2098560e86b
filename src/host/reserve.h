// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

namespace talus {

/// Room for `size` elements: growing up to there does not fail. At least doubles what has to grow, so that adding one
/// by one stays cheap.
template <class T>
void reserve_for(std::vector<T>& vector, std::size_t size) {
  if (size > vector.capacity()) vector.reserve(std::max(size, 2 * vector.capacity()));
}

}  // namespace talus
