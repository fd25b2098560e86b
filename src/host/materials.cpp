// SPDX-License-Identifier: MIT
#include "materials.h"

#include <algorithm>
#include <bit>
#include <string>

#include <talus/status.h>

#include "reserve.h"

namespace talus {

namespace {

using Values = std::array<std::optional<float>, MaterialPairRecord::kValues>;

// In the order of MaterialPairRecord::Bit.
Values values_of(const MaterialPair& p) {
  return {p.friction,    p.dynamic_friction,   p.friction_along,   p.friction_across,
          p.restitution, p.torsional_friction, p.rolling_friction, p.contact_hertz};
}

SurfaceRecord record_of(const Material& m) {
  return {m.friction,
          m.dynamic_friction.value_or(m.friction),
          m.friction_along.value_or(m.friction),
          m.friction_across.value_or(m.friction),
          m.torsional_friction,
          m.rolling_friction,
          m.restitution,
          packed_rules(m.friction_combine, m.restitution_combine),
          m.grain,
          m.friction_against.value_or(m.friction_along.value_or(m.friction)),
          m.friction_tensor.value_or(FrictionTensor{}),
          m.friction_tensor ? 1u : 0u,
          m.contact_hertz.value_or(0.0f),
          {}};
}

MaterialPairRecord record_of(const Materials::Pair& key, const MaterialPair& pair) {
  MaterialPairRecord record{key.first, key.second, 0, {}};
  const Values values = values_of(pair);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i]) continue;
    record.given |= 1u << i;
    record.values[i] = *values[i];
  }
  return record;
}

}  // namespace

bool needs_surface(const Material& m) {
  const bool grain = !(m.grain.x == 0.0f && m.grain.y == 0.0f && m.grain.z == 0.0f);
  return m.dynamic_friction || grain || m.torsional_friction > 0.0f || m.rolling_friction > 0.0f || m.contact_hertz;
}

Materials::Key Materials::key_of(const Material& m) {
  const auto bits = [](float x) { return std::bit_cast<std::uint32_t>(x); };
  const std::uint32_t given = (m.dynamic_friction ? 1u : 0u) | (m.friction_along ? 2u : 0u) |
                              (m.friction_across ? 4u : 0u) | (m.friction_against ? 8u : 0u) |
                              (m.friction_tensor ? 16u : 0u) | (m.contact_hertz ? 32u : 0u);
  const FrictionTensor tensor = m.friction_tensor.value_or(FrictionTensor{});
  return {bits(m.friction),
          bits(m.restitution),
          packed_rules(m.friction_combine, m.restitution_combine),
          given,
          bits(m.dynamic_friction.value_or(0.0f)),
          bits(m.grain.x),
          bits(m.grain.y),
          bits(m.grain.z),
          bits(m.friction_along.value_or(0.0f)),
          bits(m.friction_across.value_or(0.0f)),
          bits(m.torsional_friction),
          bits(m.rolling_friction),
          bits(m.friction_against.value_or(0.0f)),
          bits(tensor.along),
          bits(tensor.across),
          bits(tensor.shear),
          bits(m.contact_hertz.value_or(0.0f))};
}

std::uint32_t Materials::make_room() {
  while (first_free_ < rows_.size() && rows_[first_free_].alive) ++first_free_;
  if (first_free_ >= kMaxMaterials) {
    throw Error("a world holds at most " + std::to_string(kMaxMaterials) + " materials");
  }
  if (first_free_ == rows_.size()) reserve_for(rows_, rows_.size() + 1);
  return first_free_;
}

void Materials::fill(std::uint32_t number, const Material& material, bool registered) {
  if (number == rows_.size()) rows_.emplace_back();
  rows_[number] = {material, 0, registered, true};
  changed_ = true;
}

MaterialId Materials::add(const Material& material) {
  const std::uint32_t number = make_room();
  fill(number, material, true);
  return {number};
}

bool Materials::contains(MaterialId id) const {
  return id.number > 0 && id.number < rows_.size() && rows_[id.number].registered;
}

void Materials::set(MaterialId id, const Material& material) {
  Row& row = rows_[id.number];
  surfaces_in_use_ += (needs_surface(material) ? row.uses : 0) - (needs_surface(row.material) ? row.uses : 0);
  row.material = material;
  changed_ = true;
}

void Materials::set_pair(MaterialId a, MaterialId b, const MaterialPair& pair) {
  const Pair key = std::minmax(a.number, b.number);
  const Values values = values_of(pair);
  if (std::any_of(values.begin(), values.end(), [](const auto& value) { return value.has_value(); })) {
    pairs_[key] = pair;
  } else {
    pairs_.erase(key);
  }
  changed_ = true;
}

float Materials::pair_friction(const Material& a, const Material& b) {
  return contact_surface(record_of(a), record_of(b), nullptr).friction;
}

MaterialPair Materials::pair(MaterialId a, MaterialId b) const {
  const auto found = pairs_.find(std::minmax(a.number, b.number));
  return found == pairs_.end() ? MaterialPair{} : found->second;
}

void Materials::count_use(std::uint32_t number, Index change) {
  Row& row = rows_[number];
  row.uses += change;
  if (!needs_surface(row.material)) return;
  // The first and the last body decide which kernels run, and with that whether a queue of steps must end.
  changed_ = changed_ || surfaces_in_use_ == 0 || surfaces_in_use_ + change == 0;
  surfaces_in_use_ += change;
}

std::uint32_t Materials::take(const Material& own, MaterialId id) {
  std::uint32_t number = id.number;
  if (number == 0) {
    if (!needs_surface(own)) return 0;
    const Key key = key_of(own);
    const auto found = own_.find(key);
    if (found != own_.end()) {
      number = found->second;
    } else {
      number = make_room();
      own_.emplace(key, number);  // the last thing that may fail
      fill(number, own, false);
    }
  }
  count_use(number, 1);
  return number;
}

void Materials::release(std::uint32_t number) {
  if (number == 0) return;
  count_use(number, -1);
  Row& row = rows_[number];
  if (row.registered || row.uses > 0) return;
  own_.erase(key_of(row.material));
  row = {};
  first_free_ = std::min(first_free_, number);
  while (rows_.size() > 1 && !rows_.back().alive) rows_.pop_back();  // taken and given back: as before
  changed_ = true;
}

bool Materials::pairs_bounce() const {
  return std::any_of(pairs_.begin(), pairs_.end(),
                     [](const auto& p) { return p.second.restitution.value_or(0.0f) > 0.0f; });
}

std::vector<SurfaceRecord> Materials::surfaces() const {
  std::vector<SurfaceRecord> records;
  records.reserve(rows_.size());
  for (const Row& row : rows_) records.push_back(record_of(row.material));
  return records;
}

std::vector<MaterialPairRecord> Materials::pair_records() const {
  std::vector<MaterialPairRecord> records;
  for (const auto& [key, pair] : pairs_) records.push_back(record_of(key, pair));
  return records;
}

ContactSurface Materials::contact(const BodyModelRow& a, const BodyModelRow& b) const {
  const auto surface = [&](const BodyModelRow& model) {
    const std::uint32_t number = model.flags >> kMaterialShift;
    return number != 0 ? record_of(rows_[number].material)
                       : surface_of({}, 0, model.friction, model.restitution, model.combine);
  };
  const Pair key = std::minmax(a.flags >> kMaterialShift, b.flags >> kMaterialShift);
  const auto found = pairs_.find(key);
  if (found == pairs_.end()) return contact_surface(surface(a), surface(b), nullptr);
  const MaterialPairRecord record = record_of(key, found->second);
  return contact_surface(surface(a), surface(b), &record);
}

void Materials::adopt(std::vector<Row> rows, std::map<Pair, MaterialPair> pairs) {
  rows_ = std::move(rows);
  pairs_ = std::move(pairs);
  for (std::uint32_t number = 1; number < rows_.size(); ++number) {
    const Row& row = rows_[number];
    if (row.alive && !row.registered) own_.emplace(key_of(row.material), number);
  }
  changed_ = true;
}

void Materials::take_saved(std::uint32_t number) {
  if (number != 0) count_use(number, 1);
}

}  // namespace talus
