// SPDX-License-Identifier: MIT
// A 64-bit hash over a stream of bytes. How the bytes are cut into calls does not matter.
#pragma once
#include <cstddef>
#include <cstdint>

namespace talus {

class Hash64 {
 public:
  void add(const void* data, std::size_t bytes);
  std::uint64_t value() const;

 private:
  std::uint64_t state_ = 0xcbf29ce484222325u;
  std::uint64_t pending_ = 0;  // bytes that do not make a word yet
  std::uint64_t size_ = 0;     // bytes so far
};

}  // namespace talus
