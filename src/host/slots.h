// SPDX-License-Identifier: MIT
// Slots: which rows of the body tables hold a body, and how ids name them. The lowest free slot is used first, whatever
// the order of removals, so that equal sets of bodies lead to equal rows. Joints have slots of their own, of this kind.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include <talus/types.h>

namespace talus {

class Slots {
 public:
  /// Slots ever used: one more than the highest.
  Index size() const { return static_cast<Index>(generation_.size()); }
  /// Slots that hold a body.
  Index count() const { return size() - free_count_; }
  bool alive(Index slot) const { return !is_free(slot); }
  bool contains(BodyId id) const {
    return id.slot < generation_.size() && generation_[id.slot] == id.generation && alive(static_cast<Index>(id.slot));
  }
  /// The id of the body in a slot; of the one to come, if it is free.
  BodyId id(Index slot) const { return {std::uint32_t(slot), generation_[static_cast<std::size_t>(slot)]}; }
  /// What size() will be after `count` more are acquired.
  std::int64_t size_after(std::int64_t count) const;

  /// The slots that the next `count` calls of acquire() will give, in their order.
  std::vector<Index> upcoming(std::size_t count) const;
  /// Makes room for `size` slots: acquire() does not fail up to there.
  void reserve(std::int64_t size);

  BodyId acquire();
  void release(Index slot);

  std::span<const std::uint32_t> generations() const { return generation_; }
  /// Slots as saved: generations of all, and which ones are alive.
  static Slots from(std::span<const std::uint32_t> generations, std::span<const std::uint8_t> alive);

 private:
  bool is_free(Index slot) const { return (free_[std::size_t(slot) / 64] >> (slot % 64)) & 1; }

  std::vector<std::uint32_t> generation_;  // counts the bodies that left the slot
  std::vector<std::uint64_t> free_;        // bit of each slot
  std::size_t first_word_ = 0;             // no free bit in the words before
  Index free_count_ = 0;
};

}  // namespace talus
