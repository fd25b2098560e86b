// SPDX-License-Identifier: MIT
// The materials of a world, as the host keeps them: those it was told of, those that bodies brought along and that do
// not fit into the columns of a body, and what holds between two of the former.
#pragma once
#include <array>
#include <map>
#include <utility>
#include <vector>

#include <talus/defs.h>

#include "material.h"

namespace talus {

/// More than columns of a body hold.
bool needs_surface(const Material& material);

class Materials {
 public:
  struct Row {
    Material material;
    Index uses = 0;  // bodies
    bool registered = false;
    bool alive = false;
  };
  using Pair = std::pair<std::uint32_t, std::uint32_t>;  // the smaller number first

  /// Row 0 stands for materials that fit into a body's columns.
  Materials() : rows_(1) {}

  /// Throws Error if there are too many.
  MaterialId add(const Material& material);
  bool contains(MaterialId id) const;
  const Material& material(MaterialId id) const { return rows_[id.number].material; }
  void set(MaterialId id, const Material& material);
  /// Without any value: takes the pair out.
  void set_pair(MaterialId a, MaterialId b, const MaterialPair& pair);
  MaterialPair pair(MaterialId a, MaterialId b) const;
  /// [1] What two materials combine to without values of their own for the pair.
  static float pair_friction(const Material& a, const Material& b);

  /// The number of a body's material: of the one named by id, or of its own. Counts a body. Without memory nothing
  /// changes; nothing else here but add() and set_pair() takes any.
  std::uint32_t take(const Material& own, MaterialId id);
  /// The way back.
  void release(std::uint32_t number);

  /// Some contact may need more than columns of bodies hold.
  bool in_use() const { return surfaces_in_use_ > 0 || !pairs_.empty(); }
  /// Some pair bounces whatever its bodies do.
  bool pairs_bounce() const;
  /// Since it was cleared.
  bool changed() const { return changed_; }
  void clear_changed() { changed_ = false; }

  std::vector<SurfaceRecord> surfaces() const;
  std::vector<MaterialPairRecord> pair_records() const;
  /// What surfaces() and pair_records() hold, in plain memory.
  ContactSurface contact(const BodyModelRow& a, const BodyModelRow& b) const;

  const std::vector<Row>& rows() const { return rows_; }
  const std::map<Pair, MaterialPair>& pairs() const { return pairs_; }
  /// Takes over saved ones; uses are counted by take_saved().
  void adopt(std::vector<Row> rows, std::map<Pair, MaterialPair> pairs);
  void take_saved(std::uint32_t number);

 private:
  static constexpr int kWords = 17;
  using Key = std::array<std::uint32_t, kWords>;
  static Key key_of(const Material& material);
  /// The number that the next material gets, the lowest that is free, so that a restored world gives the same ones.
  /// There is room for it then. Throws Error if there are too many.
  std::uint32_t make_room();
  void fill(std::uint32_t number, const Material& material, bool registered);
  void count_use(std::uint32_t number, Index change);

  std::vector<Row> rows_;
  std::map<Key, std::uint32_t> own_;  // of bodies, by value
  std::uint32_t first_free_ = 1;      // no free number before
  std::map<Pair, MaterialPair> pairs_;
  Index surfaces_in_use_ = 0;  // bodies whose material needs_surface()
  bool changed_ = false;
};

}  // namespace talus
