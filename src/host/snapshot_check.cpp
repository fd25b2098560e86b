// SPDX-License-Identifier: MIT
// Values of a snapshot that no world has. The checksum says that a file is as it was written, not by whom: whatever
// passes here can be stepped, edited and saved again.
#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>

#include "joint_row.h"
#include "math/vec3.h"
#include "snapshot.h"
#include "validate.h"

namespace talus {

namespace {

constexpr const char* kRestore = "restore";

// "restore: body 12 sleeps and moves". `what`: a text, or a function that makes it if it is needed.
template <class What>
void check(bool good, const char* kind, std::int64_t index, const What& what) {
  if (good) return;
  std::string text = std::string(kRestore) + ": " + kind + ' ' + std::to_string(index) + ' ';
  if constexpr (std::is_invocable_v<What>) {
    text += what();
  } else {
    text += what;
  }
  throw Error(text);
}

// The first row of a table that has a number which is not finite, or -1.
template <class View>
Index first_not_finite(View view, Index rows) {
  Index first = rows;
  visit_all_planes(view, [&](const char*, auto*& plane) {
    if constexpr (std::is_same_v<decltype(plane), float*&>) {
      first = static_cast<Index>(std::find_if(plane, plane + first, [](float x) { return !is_finite(x); }) - plane);
    }
  });
  return first < rows ? first : -1;
}

// Whether all bytes of a row of a table are zero.
template <class View>
bool is_empty(View view, Index row) {
  bool empty = true;
  visit_all_planes(view, [&](const char*, auto*& plane) { empty = empty && plane[row] == 0; });
  return empty;
}

bool is_zero(Vec3 v) {
  return v.x == 0.0f && v.y == 0.0f && v.z == 0.0f;
}

// ---- materials -----------------------------------------------------------------------------------------------------

void check_materials(const Snapshot& s) {
  check(!s.materials.empty() && s.materials.size() <= kMaxMaterials, "the number of materials",
        std::int64_t(s.materials.size()), "is out of range");
  check(!s.materials[0].alive, "material", 0, "is in use; it stands for materials that bodies hold themselves");
  for (std::size_t number = 0; number < s.materials.size(); ++number) {
    const std::int64_t index = std::int64_t(number);
    const Materials::Row& row = s.materials[number];
    const Where where{kRestore, "materials", index};
    const Material again = checked_material(where, "", row.material);
    require_stiffness(where, ".contact_hertz", again.contact_hertz, s.def.solver);
    const bool same_grain = again.grain.x == row.material.grain.x && again.grain.y == row.material.grain.y &&
                            again.grain.z == row.material.grain.z;
    check(same_grain, "material", index, "has a grain that is not of unit length");
    check(row.alive || !row.registered, "material", index, "was added and is not in use");
    check(!row.alive || row.registered || needs_surface(row.material), "material", index,
          "is one that bodies hold themselves");
  }
  const auto known = [&](std::uint32_t number) {
    return number < s.materials.size() && s.materials[number].registered;
  };
  std::int64_t index = 0;
  for (const auto& entry : s.material_pairs) {  // no binding: clang 14 has none in lambdas
    const auto& key = entry.first;
    const auto& pair = entry.second;
    check(key.first <= key.second && known(key.first) && known(key.second), "material pair", index, [&] {
      return "names materials that are not there, " + std::to_string(key.first) + " and " + std::to_string(key.second);
    });
    const Where where{kRestore, "material_pairs", index};
    validate_material_pair(where, pair,
                           Materials::pair_friction(s.materials[key.first].material, s.materials[key.second].material));
    require_stiffness(where, ".contact_hertz", pair.contact_hertz, s.def.solver);
    ++index;
  }
}

// ---- bodies --------------------------------------------------------------------------------------------------------

void check_sleep(const Snapshot& s, Index row) {
  const BodyState& state = s.state.view;
  const Index label = state.island[row] - 1;
  check(state.asleep[row] <= 1, "body", row, "neither sleeps nor is awake");
  check(state.quiet[row] >= 0.0f, "body", row, "was quiet for less than no time");
  if (state.asleep[row] == 0) {
    check(state.island[row] <= 0, "body", row, "is awake in a sleeping island");
    return;
  }
  check(s.def.sleep.enabled, "body", row, "sleeps in a world without sleep");
  check(s.model.view.motion[row] == std::uint8_t(Motion::dynamic), "body", row, "sleeps and is not dynamic");
  check(is_zero(state.linear_velocity[row]) && is_zero(state.angular_velocity[row]), "body", row, "sleeps and moves");
  check(label >= 0 && label <= row && state.asleep[label] == 1 && state.island[label] == label + 1, "body", row,
        "sleeps in no island");
}

BodyMirror mirror_of(const Snapshot& s, Index row) {
  BodyMirror mirror{};
  mirror.mass = s.mass[static_cast<std::size_t>(row)];
  mirror.inertia = s.inertia[static_cast<std::size_t>(row)];
  BodyModelRow& values = mirror.model;
#define TALUS_READ_COLUMN(type_, name, unit, meaning) values.name = s.model.view.name[row];
  TALUS_BODY_MODEL(TALUS_READ_COLUMN)
#undef TALUS_READ_COLUMN
  return mirror;
}

void check_body(const Snapshot& s, Index row) {
  BodyStateRow state;
#define TALUS_READ_COLUMN(type_, name, unit, meaning) state.name = s.state.view.name[row];
  TALUS_BODY_STATE(TALUS_READ_COLUMN)
#undef TALUS_READ_COLUMN
  BodyMirror mirror = mirror_of(s, row);
  const std::uint32_t material = mirror.model.flags >> kMaterialShift;
  check(material == 0 || (material < s.materials.size() && s.materials[material].alive), "body", row,
        [&] { return "is of material " + std::to_string(material) + ", which is not there"; });
  restore_material(s, mirror);
  // The definition of the body goes through the same door as a new one, and must come out as it went in.
  NewBody again = make_body(Where{kRestore, "bodies", row}, definition_of(mirror, state));
  again.mirror.model.flags |= material << kMaterialShift;
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): bits are compared, and the struct has no gaps
  check(std::memcmp(&again.mirror.model, &mirror.model, sizeof(BodyModelRow)) == 0, "body", row,
        "has constants that no definition gives");
  check(state.frozen <= 1, "body", row, "is neither frozen nor free");
}

void check_bodies(const Snapshot& s) {
  const BodyModel& m = s.model.view;
  const Index bad_state = first_not_finite(s.state.view, s.rows), bad_input = first_not_finite(s.inputs.view, s.rows);
  check(bad_state < 0, "body", bad_state, "has a pose, a velocity or another number of its state that is not finite");
  check(bad_input < 0, "body", bad_input, "has a force that is not finite");
  std::vector<bool> used(s.materials.size());
  for (Index row = 0; row < s.rows; ++row) {
    const std::size_t i = static_cast<std::size_t>(row);
    check(m.alive[row] <= 1, "body", row, "is neither dead nor alive");
    check_sleep(s, row);
    if (m.alive[row] != 0) {
      check_body(s, row);
      used[m.flags[row] >> kMaterialShift] = true;
    } else {
      check(is_empty(m, row) && s.mass[i] == 0.0f && is_zero(s.inertia[i]), "body", row,
            "is not there and has constants");
    }
  }
  for (std::size_t number = 1; number < used.size(); ++number) {
    const Materials::Row& row = s.materials[number];
    check(used[number] || !row.alive || row.registered, "material", std::int64_t(number), "is of no body");
  }
}

// ---- pairs ---------------------------------------------------------------------------------------------------------

bool is_finite_contact(const CachedContact& c) {
  const auto finite = [](Quat q) { return is_finite(q.x) && is_finite(q.y) && is_finite(q.z) && is_finite(q.w); };
  bool good = is_finite(c.normal) && is_finite(c.friction) && is_finite(c.twist) && is_finite(c.made_between) &&
              finite(c.made_a) && finite(c.made_b);
  for (int i = 0; i < kMaxPoints; ++i) {
    const CachedPoint& p = c.point[i];
    good = good && is_finite(c.impulse[i]) && is_finite(p.on_a) && is_finite(p.on_b) && is_finite(p.separation);
  }
  return good;
}

void check_contact(const Snapshot& s, Index pair, ShapeType a, ShapeType b) {
  const CachedContact& contact = s.contacts.contacts[static_cast<std::size_t>(pair)];
  const float count = contact.count;
  const int most = max_points(a, b);
  check(count >= 0.0f && count <= float(most) && float(int(count)) == count, "contact", pair,
        [&] { return "has " + number_text(count) + " points; expected 0 to " + std::to_string(most); });
  check(contact.color <= std::uint32_t(kOverflowColor) || contact.color == kNoColor, "contact", pair,
        [&] { return "has color " + std::to_string(contact.color) + ", which there is not"; });
  check(is_finite_contact(contact), "contact", pair, "has a number that is not finite");
  for (int i = 0; i < int(count); ++i) check(contact.impulse[i] >= 0.0f, "contact", pair, "pulls");
  CachedContact meant = contact;
  clear_leftovers(meant);
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): bits are compared, and the struct has no gaps
  check(std::memcmp(&meant, &contact, sizeof(CachedContact)) == 0, "contact", pair, "has values that mean nothing");
}

void check_contacts(const Snapshot& s) {
  const ContactImage& c = s.contacts;
  check(c.begin.front() == 0 && c.begin.back() == c.pair_count && std::is_sorted(c.begin.begin(), c.begin.end()),
        "the list of", c.pair_count, "pairs does not add up");
  for (Index row = 0; row < s.rows; ++row) {
    const Index first = c.begin[std::size_t(row)], end = c.begin[std::size_t(row) + 1];
    for (Index pair = first; pair < end; ++pair) {
      const std::size_t i = static_cast<std::size_t>(pair);
      const Index partner = c.partner[i];
      check(c.owner[i] == row, "pair", pair, "is in the list of another body");
      check(partner >= 0 && partner < s.rows && partner != row, "pair", pair, "is of a body that is not there");
      check(pair == first || c.partner[i - 1] < partner, "pair", pair, "is out of order");
      check_contact(s, pair, ShapeType(s.model.view.shape[row]), ShapeType(s.model.view.shape[partner]));
    }
  }
  check(c.rolling.empty() || c.rolling.size() == c.contacts.size(), "the list of", std::int64_t(c.rolling.size()),
        "impulses against rolling is not one for each pair");
  for (std::size_t i = 0; i < c.rolling.size(); ++i) {
    check(is_finite(c.rolling[i].impulse), "pair", std::int64_t(i),
          "has an impulse against rolling that is not finite");
  }
}

void check_ignored(const Snapshot& s) {
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < s.ignored_pairs.size(); ++i) {
    const std::uint64_t pair = s.ignored_pairs[i], a = pair >> 32, b = pair & 0xffffffffu;
    const std::int64_t index = std::int64_t(i);
    check(pair > before && a < b, "ignored pair", index, "is out of order");
    check(b < std::uint64_t(s.rows) && s.model.view.alive[Index(a)] != 0 && s.model.view.alive[Index(b)] != 0,
          "ignored pair", index, "is of a body that is not there");
    before = pair;
  }
}

// ---- joints --------------------------------------------------------------------------------------------------------

void check_joint(const Snapshot& s, Index row, const JointMirror& mirror) {
  const JointModelRow& m = mirror.model;
  check(m.kind <= custom_kind(kMaxJointKinds - 1) && (!is_custom(m.kind) || m.kind < custom_kind(s.joints.kinds)),
        "joint", row, [&] { return "is of kind " + std::to_string(m.kind) + ", which there is not"; });
  check(mirror.collide <= 1, "joint", row, "has bodies that neither collide nor pass");
  check(s.joints.state.view.broken[row] <= 2, "joint", row, "is neither broken nor whole");
  const auto is_body = [&](Index body) {
    return body == -1 || (body >= 0 && body < s.rows && s.model.view.alive[body] != 0);
  };
  check(is_body(m.body_a) && is_body(m.body_b) && m.body_a != m.body_b, "joint", row, [&] {
    return "names bodies that are not there, " + std::to_string(m.body_a) + " and " + std::to_string(m.body_b);
  });
  const auto moves = [&](Index body) {
    return body >= 0 && s.model.view.motion[body] == std::uint8_t(Motion::dynamic);
  };
  check(moves(m.body_a) || moves(m.body_b), "joint", row, "is of bodies that do not move");
  // As for bodies: through the door of new ones.
  const JointMirror again =
      make_joint(Where{kRestore, "joints", row}, definition_of(mirror, {}, {}), {m.body_a, {}}, {m.body_b, {}});
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): bits are compared, and the struct has no gaps
  check(same_rows(again.model, m) && std::memcmp(&again.parameters, &mirror.parameters, sizeof(JointParameters)) == 0,
        "joint", row, "has constants that no definition gives");
}

void check_joints(const Snapshot& s) {
  const JointImage& j = s.joints;
  const Index bad = first_not_finite(j.state.view, j.rows);
  check(bad < 0, "joint", bad, "has a state that is not finite");
  for (Index row = 0; row < j.rows; ++row) {
    const std::size_t i = static_cast<std::size_t>(row);
    const JointMirror mirror{joint_model_row(j.model.view, row), j.collide[i],
                             j.parameters.empty() ? JointParameters{} : j.parameters[i]};
    check(mirror.model.alive <= 1, "joint", row, "is neither dead nor alive");
    if (mirror.model.alive != 0) {
      check_joint(s, row, mirror);
    } else {
      check(is_empty(j.model.view, row) && is_empty(j.state.view, row) && mirror.collide == 0, "joint", row,
            "is not there and has values");
    }
  }
}

}  // namespace

void check_snapshot(const Snapshot& s) {
  validate_world(Where{kRestore, "def"}, s.def);
  if (!(s.last_dt >= 0.0f && is_finite(s.last_dt))) throw Error("restore: the length of the last step is no time");
  check_materials(s);
  check_bodies(s);
  check_contacts(s);
  check_ignored(s);
  check_joints(s);
}

}  // namespace talus
