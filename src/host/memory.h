// SPDX-License-Identifier: MIT
// Memory of a backend: plain memory on the CPU, stream-ordered device memory on CUDA. Allocation happens when a world
// is made, grows or is edited, never within a step.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

namespace talus {

class Memory {
 public:
  virtual ~Memory() = default;
  /// All bytes zero, aligned to 256 bytes. Throws Error that names `what` and the size.
  virtual void* allocate(std::size_t bytes, const char* what) = 0;
  /// `bytes`: as it was allocated.
  virtual void release(void* block, std::size_t bytes) noexcept = 0;
  /// Host to backend; the source may be changed as soon as the call returns.
  virtual void upload(void* to, const void* from, std::size_t bytes) = 0;
  /// Backend to host; waits for all work queued before.
  virtual void download(void* to, const void* from, std::size_t bytes) = 0;
  /// Within the backend.
  virtual void copy(void* to, const void* from, std::size_t bytes) = 0;
  virtual void fill(void* to, unsigned char byte, std::size_t bytes) = 0;

  /// Counts what the host does to the memory: while the number stays, nothing but steps has written there.
  std::uint64_t changes() const { return changes_; }
  /// The caller may have written through a pointer of its own.
  void note_change() { ++changes_; }

 private:
  std::uint64_t changes_ = 0;
};

/// One block of a backend's memory, owned; all bytes zero at first.
class Block {
 public:
  Block() = default;
  Block(Memory& memory, std::size_t bytes, const char* what)
      : memory_(&memory), data_(bytes == 0 ? nullptr : memory.allocate(bytes, what)), bytes_(bytes) {}
  Block(Block&& other) noexcept { swap(other); }
  Block& operator=(Block&& other) noexcept {
    Block(std::move(other)).swap(*this);
    return *this;
  }
  ~Block() {
    if (data_ != nullptr) memory_->release(data_, bytes_);
  }
  void swap(Block& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
  }
  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  Memory* memory_ = nullptr;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace talus
