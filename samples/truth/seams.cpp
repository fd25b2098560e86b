// SPDX-License-Identifier: MIT
#include "truth/truth.h"

namespace talus::truth {

std::span<const Row> seam_rows() {
  return {};
}

}  // namespace talus::truth
