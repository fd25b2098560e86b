// SPDX-License-Identifier: MIT
#include "slots.h"

#include <algorithm>
#include <bit>

#include <talus/config.h>

#include "reserve.h"

namespace talus {

std::int64_t Slots::size_after(std::int64_t count) const {
  return size() + std::max<std::int64_t>(0, count - free_count_);
}

std::vector<Index> Slots::upcoming(std::size_t count) const {
  std::vector<Index> slots;
  slots.reserve(count);
  const std::size_t free = std::min(count, static_cast<std::size_t>(free_count_));
  for (std::size_t word = first_word_; slots.size() < free; ++word) {
    for (std::uint64_t bits = free_[word]; bits != 0 && slots.size() < free; bits &= bits - 1) {
      slots.push_back(static_cast<Index>(word * 64 + std::size_t(std::countr_zero(bits))));
    }
  }
  for (Index slot = size(); slots.size() < count; ++slot) slots.push_back(slot);
  return slots;
}

void Slots::reserve(std::int64_t size) {
  reserve_for(generation_, static_cast<std::size_t>(size));
  reserve_for(free_, (static_cast<std::size_t>(size) + 63) / 64);
}

BodyId Slots::acquire() {
  if (free_count_ == 0) {
    const Index slot = size();
    if (slot % 64 == 0) free_.push_back(0);
    generation_.push_back(0);
    return id(slot);
  }
  while (free_[first_word_] == 0) ++first_word_;
  const int bit = std::countr_zero(free_[first_word_]);
  free_[first_word_] &= free_[first_word_] - 1;
  --free_count_;
  return id(static_cast<Index>(first_word_ * 64 + std::size_t(bit)));
}

void Slots::release(Index slot) {
  TALUS_ASSERT(slot >= 0 && slot < size() && alive(slot));
  const std::size_t word = std::size_t(slot) / 64;
  free_[word] |= std::uint64_t{1} << (slot % 64);
  first_word_ = std::min(first_word_, word);
  ++free_count_;
  ++generation_[static_cast<std::size_t>(slot)];
}

Slots Slots::from(std::span<const std::uint32_t> generations, std::span<const std::uint8_t> alive) {
  Slots slots;
  slots.generation_.assign(generations.begin(), generations.end());
  slots.free_.assign((generations.size() + 63) / 64, 0);
  for (std::size_t slot = 0; slot < generations.size(); ++slot) {
    if (alive[slot] != 0) continue;
    slots.free_[slot / 64] |= std::uint64_t{1} << (slot % 64);
    ++slots.free_count_;
  }
  return slots;
}

}  // namespace talus
