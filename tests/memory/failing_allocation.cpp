// SPDX-License-Identifier: MIT
#include "failing_allocation.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> left{-1};  // allocations that succeed; -1: all

bool must_fail() {
  const long now = left.load();
  if (now > 0) left.store(now - 1);
  return now == 0;
}

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (must_fail()) return nullptr;
  void* block = nullptr;
  return ::posix_memalign(&block, alignment, bytes > 0 ? bytes : 1) == 0 ? block : nullptr;
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  void* const block = allocate(bytes, alignment);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

}  // namespace

namespace talus::test {

FailingAllocations::FailingAllocations(long count) {
  left = count;
}
FailingAllocations::~FailingAllocations() {
  left = -1;
}

}  // namespace talus::test

void* operator new(std::size_t bytes) {
  return allocate_or_throw(bytes, alignof(std::max_align_t));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, std::size_t(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocate(bytes, alignof(std::max_align_t));
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(bytes, std::size_t(alignment));
}
void operator delete(void* block) noexcept {
  std::free(block);
}
void operator delete(void* block, std::size_t) noexcept {
  std::free(block);
}
void operator delete(void* block, std::align_val_t) noexcept {
  std::free(block);
}
void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  std::free(block);
}
void operator delete(void* block, const std::nothrow_t&) noexcept {
  std::free(block);
}
void operator delete(void* block, std::align_val_t, const std::nothrow_t&) noexcept {
  std::free(block);
}
