// SPDX-License-Identifier: MIT
#include "truth/truth.h"

namespace talus::truth {

std::span<const Row> free_motion_rows() {
  return {};
}

}  // namespace talus::truth
