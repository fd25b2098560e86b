// SPDX-License-Identifier: MIT
// Allocations that fail on demand. The operators new of this executable are replaced (failing_allocation.cpp), so that
// the n-th allocation from now on, and all after it, find no memory. One thread at a time.
#pragma once

namespace talus::test {

/// While it lives, the first `count` allocations succeed and the others fail.
class FailingAllocations {
 public:
  explicit FailingAllocations(long count);
  ~FailingAllocations();
  FailingAllocations(const FailingAllocations&) = delete;
  FailingAllocations& operator=(const FailingAllocations&) = delete;
};

}  // namespace talus::test
