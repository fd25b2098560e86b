// SPDX-License-Identifier: MIT
#include "truth/truth.h"

namespace talus::truth {

std::span<const Row> overlap_rows() {
  return {};
}

}  // namespace talus::truth
