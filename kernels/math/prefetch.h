// SPDX-License-Identifier: MIT
// Memory that will be needed soon.
#pragma once
#include <talus/config.h>

namespace talus::inline TALUS_ISA {

/// Begins to load what is at an address, which need not be valid. A GPU has other threads to run while it waits.
TALUS_INLINE void prefetch([[maybe_unused]] const void* address) {
#if !TALUS_ON_DEVICE
  __builtin_prefetch(address);
#endif
}

}  // namespace talus::inline TALUS_ISA
