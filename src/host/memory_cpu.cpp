// SPDX-License-Identifier: MIT
#include "memory_cpu.h"

#include <sys/mman.h>

#include <cstdint>
#include <new>
#include <string>

#include <talus/status.h>

namespace talus {

namespace {

constexpr std::align_val_t kAlignment{256};
constexpr std::size_t kHugePage = std::size_t{1} << 21;  // of x86-64 and of most ARM systems; elsewhere only a number

// What a large block takes.
std::size_t whole_pages(std::size_t bytes) {
  return (bytes + kHugePage - 1) / kHugePage * kHugePage;
}

// From a multiple of kHugePage on, or null.
void* map_pages(std::size_t bytes) {
  const std::size_t used = whole_pages(bytes);
  void* start = ::mmap(nullptr, used + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return nullptr;
  const std::size_t before = kHugePage - reinterpret_cast<std::uintptr_t>(start) % kHugePage;
  unsigned char* const block = static_cast<unsigned char*>(start) + before;
  ::munmap(start, before);
  if (before < kHugePage) ::munmap(block + used, kHugePage - before);
#if defined(MADV_HUGEPAGE)
  (void)::madvise(block, used, MADV_HUGEPAGE);  // a wish: small pages serve as well, only slower
#endif
  return block;
}

}  // namespace

void* CpuMemory::allocate(std::size_t bytes, const char* what) {
  note_change();
  const bool large = bytes >= kHugePage;
  void* block = large ? map_pages(bytes) : ::operator new(bytes, kAlignment, std::nothrow);
  if (block == nullptr) {
    throw Error("out of memory: " + std::to_string(bytes) + " bytes for " + std::string(what));
  }
  return large ? block : std::memset(block, 0, bytes);
}

void CpuMemory::release(void* block, std::size_t bytes) noexcept {
  if (bytes >= kHugePage) {
    ::munmap(block, whole_pages(bytes));
  } else {
    ::operator delete(block, kAlignment);
  }
}

}  // namespace talus
