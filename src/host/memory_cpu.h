// SPDX-License-Identifier: MIT
// Plain memory as a backend's memory.
#pragma once
#include <cstring>
#include <new>
#include <string>

#include <talus/status.h>

#include "memory.h"

namespace talus {

class CpuMemory final : public Memory {
 public:
  void* allocate(std::size_t bytes, const char* what) override {
    void* block = ::operator new(bytes, kAlignment, std::nothrow);
    if (block == nullptr) {
      throw Error("out of memory: " + std::to_string(bytes) + " bytes for " + std::string(what));
    }
    return block;
  }
  void release(void* block) noexcept override { ::operator delete(block, kAlignment); }
  void upload(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void download(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void copy(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void fill(void* to, unsigned char byte, std::size_t bytes) override { std::memset(to, byte, bytes); }

 private:
  static constexpr std::align_val_t kAlignment{256};
};

}  // namespace talus
