// SPDX-License-Identifier: MIT
// Plain memory as a backend's memory. Large blocks come straight from the operating system: zero without being
// touched, so that room which is never used costs nothing, and in huge pages, since a step reaches bodies and contacts
// in an order of its own and would miss the TLB at nearly each of a million.
#pragma once
#include <cstring>

#include "memory.h"

namespace talus {

class CpuMemory final : public Memory {
 public:
  void* allocate(std::size_t bytes, const char* what) override;
  void release(void* block, std::size_t bytes) noexcept override;
  void upload(void* to, const void* from, std::size_t bytes) override { copy(to, from, bytes); }
  void download(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void copy(void* to, const void* from, std::size_t bytes) override {
    note_change();
    std::memcpy(to, from, bytes);
  }
  void fill(void* to, unsigned char byte, std::size_t bytes) override {
    note_change();
    std::memset(to, byte, bytes);
  }
};

}  // namespace talus
