// SPDX-License-Identifier: MIT
// The tables of a step in plain memory, as one stage left them, and where two such images differ. Columns are found by
// the lists they are declared in (visit_columns), so a new column is compared without a word here; a new table or a new
// member of a view does not compile until it has its line.
#pragma once
#include <talus/status.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "memory.h"
#include "scratch.h"
#include "shapes/collide.h"
#include "step_views.h"
#include "table.h"

namespace talus::test {

/// Rows of one column as bytes.
struct ColumnDump {
  std::string name;
  std::size_t row_bytes = 0;
  enum class Word : std::uint8_t { byte, integer, number, record } word = Word::record;  // how a row is printed
  std::vector<unsigned char> bytes;

  std::size_t rows() const { return row_bytes == 0 ? 0 : bytes.size() / row_bytes; }
  const unsigned char* row(std::size_t i) const { return bytes.data() + i * row_bytes; }
};

/// All tables at the end of a stage.
struct StageDump {
  Stage stage{};
  std::vector<ColumnDump> columns;
};

namespace detail {

template <class T>
constexpr ColumnDump::Word word_of() {
  if constexpr (sizeof(T) == 1) return ColumnDump::Word::byte;
  if constexpr (std::is_same_v<T, float>) return ColumnDump::Word::number;
  if constexpr (std::is_integral_v<T> && sizeof(T) == 4) return ColumnDump::Word::integer;
  return ColumnDump::Word::record;
}

/// Zeros for points that a lane does not have: a pack writes those that another of its lanes has, a single lane does
/// not. Lanes that are not prepared yet have no number of points. The same for all of a lane that is padding: a pack of
/// nothing else is left out.
inline void clear_missing_points(const SolverRows& lanes, Index rows) {
  for (Index lane = 0; lane < rows; ++lane) {
    if (lanes.number(row::count, lane) == 0.0f) {
      for (int field = 0; field < row::kFields; ++field) lanes.set(field, lane, 0u);
    }
    for (int i = 0; i < kMaxPoints; ++i) {
      if (float(i) < lanes.number(row::count, lane)) continue;
      for (int field = 0; field < row::kPointFields; ++field) lanes.set(row::at(i, field), lane, 0u);
    }
  }
}

inline void clear_missing_points(const RigidRows& lanes, Index rows) {
  for (Index lane = 0; lane < rows; ++lane) {
    for (int i = 0; i < kMaxPoints; ++i) {
      if (float(i) < lanes.number(rigid_row::count, lane)) continue;
      for (int field = 0; field < rigid_row::kPointFields; ++field) lanes.set(rigid_row::at(i, field), lane, 0u);
    }
  }
}

/// What backends may leave differently, by right, beside that. Everything else has equal bits.
inline bool is_free(const std::string& name) {
  static constexpr const char* kFree[] = {
      "broad.entries.spare_value",  // room of a sort: anything may be left there (exec.h). spare_key is not on this
                                    // list: find_pairs fills it anew after the sort
      "broad.found.place",          // in which order the pairs of an owner were found
      "broad.found.listed",         // the same; next.pairs.partner has it sorted
      "solve.pairs.spare_key",      // room of a sort
      "solve.pairs.spare_pair",     //
      "solve.color_contacts.spare_key",      //
      "solve.color_contacts.spare_contact",  //
      "solve.rows.group",                    // how far paths were halved on the way to the root
      "sleep.rows.parent",                   // the same
      "sleep.blocks.active",                 // in which order blocks were listed
  };
  return std::any_of(std::begin(kFree), std::end(kFree), [&](const char* free) { return name == free; });
}

class Dumper {
 public:
  explicit Dumper(Memory& memory) : memory_(memory) {}

  template <class T>
  T value(const T* from) {
    T host;
    memory_.download(&host, from, sizeof(T));
    return host;
  }
  template <class T>
  void plane(const std::string& name, T* from, Index rows) {
    using Value = std::remove_const_t<T>;
    if (is_free(name)) return;
    ColumnDump column{name, sizeof(Value), word_of<Value>(), {}};
    column.bytes.resize(sizeof(Value) * static_cast<std::size_t>(rows));
    if (rows > 0) memory_.download(column.bytes.data(), from, column.bytes.size());
    columns.push_back(std::move(column));
  }
  /// The words of a struct, as rows.
  template <class T>
  void words(const std::string& name, const T& host) {
    static_assert(sizeof(T) % sizeof(std::uint32_t) == 0);
    ColumnDump column{name, sizeof(std::uint32_t), ColumnDump::Word::record, {}};
    column.bytes.resize(sizeof(T));
    std::memcpy(column.bytes.data(), &host, sizeof(T));
    columns.push_back(std::move(column));
  }
  /// The first `rows` rows of every column of a table.
  template <class View>
  void table(const std::string& name, View view, Index rows) {
    view.visit_columns([&](const char* column_name, auto& column) {
      const char* axis = "xyzw";
      const bool split = std::is_same_v<decltype(column), Vec3Column&> || std::is_same_v<decltype(column), QuatColumn&>;
      visit_planes(column, [&](auto*& data) {
        plane(name + "." + column_name + (split ? std::string(".") + *axis++ : ""), data, rows);
      });
    });
  }
  template <class View>
  void table(const std::string& name, View view) {
    Index rows = 0;
    view.visit_columns([&](const char*, auto& column) { rows = column.size; });
    table(name, view, rows);
  }
  /// Zeros in the rows of a column for which another one, of words, has not the value: they mean nothing.
  void clear_unless(const std::string& name, const std::string& key_name, std::uint32_t value) {
    const auto find = [&](const std::string& wanted) {
      return std::find_if(columns.begin(), columns.end(), [&](const ColumnDump& c) { return c.name == wanted; });
    };
    const auto column = find(name), key = find(key_name);
    if (column == columns.end() || key == columns.end()) return;
    for (std::size_t row = 0; row < column->rows(); ++row) {
      if (std::memcmp(key->row(row), &value, sizeof value) == 0) continue;
      std::memset(column->bytes.data() + row * column->row_bytes, 0, column->row_bytes);
    }
  }
  /// Zeros in the lanes of a table for which a column is 0.
  void clear_padding(const std::string& table, const std::string& key_name) {
    const auto key = std::find_if(columns.begin(), columns.end(), [&](const auto& c) { return c.name == key_name; });
    if (key == columns.end()) return;
    constexpr std::uint32_t kNone = 0;
    for (ColumnDump& column : columns) {
      if (!column.name.starts_with(table + " field ")) continue;
      for (std::size_t row = 0; row < std::min(column.rows(), key->rows()); ++row) {
        if (std::memcmp(key->row(row), &kNone, sizeof kNone) != 0) continue;
        std::memset(column.bytes.data() + row * column.row_bytes, 0, column.row_bytes);
      }
    }
  }
  /// A table whose rows may come in any order: as a column of whole rows, sorted.
  template <class View>
  void set(const std::string& name, View view, Index rows) {
    const std::size_t first = columns.size();
    table(name, view, rows);
    ColumnDump joined{name + ", sorted", 0, ColumnDump::Word::record, {}};
    std::vector<std::string> sorted(static_cast<std::size_t>(rows));
    for (std::size_t c = first; c < columns.size(); ++c) {
      joined.row_bytes += columns[c].row_bytes;
      for (std::size_t i = 0; i < sorted.size(); ++i) {
        sorted[i].append(reinterpret_cast<const char*>(columns[c].row(i)), columns[c].row_bytes);
      }
    }
    std::sort(sorted.begin(), sorted.end());
    for (const std::string& row : sorted) joined.bytes.insert(joined.bytes.end(), row.begin(), row.end());
    columns.resize(first);
    columns.push_back(std::move(joined));
  }
  /// A column of a table that is not declared as a list.
  template <class T>
  void column(const std::string& name, const Column<T>& column, Index rows) {
    plane(name, column.data, rows);
  }
  /// Lane blocks: a column for each field.
  template <int Fields>
  void column(const std::string& name, const LaneBlocks<Fields>& blocks, Index rows) {
    std::vector<std::uint32_t> host(static_cast<std::size_t>(blocks.size) * Fields);
    if (!host.empty()) memory_.download(host.data(), blocks.words, host.size() * sizeof(std::uint32_t));
    const LaneBlocks<Fields> view{host.data(), blocks.size};
    if constexpr (requires { clear_missing_points(view, rows); }) clear_missing_points(view, rows);
    for (int field = 0; field < Fields; ++field) {
      ColumnDump to{name + " field " + std::to_string(field), sizeof(std::uint32_t), ColumnDump::Word::record, {}};
      to.bytes.resize(sizeof(std::uint32_t) * static_cast<std::size_t>(rows));
      for (Index row = 0; row < rows; ++row) {
        std::memcpy(&to.bytes[sizeof(std::uint32_t) * std::size_t(row)], view.at(field, row), sizeof(std::uint32_t));
      }
      columns.push_back(std::move(to));
    }
  }
  /// Rows beyond the pairs of a step are whatever was there before, the same on all backends.
  void cache(const std::string& name, const ContactCache& view) {
    const auto& [pairs, contacts, rolling] = view;
    const auto& [begin, owner, partner] = pairs;
    const auto& [units, unit_count, place] = contacts;
    column(name + ".pairs.begin", begin, begin.size);
    column(name + ".pairs.owner", owner, owner.size);
    column(name + ".pairs.partner", partner, partner.size);
    column(name + ".contacts.place", place, place.size);
    plane(name + ".contacts", units, unit_count);
    column(name + ".rolling", rolling, rolling.size);
  }

  std::vector<ColumnDump> columns;

 private:
  Memory& memory_;
};

}  // namespace detail

/// All that is alive in the memory of a backend, after what was enqueued so far. Tables with columns that get sorted
/// are taken up to the number of rows in use, since a sort may leave anything behind them; tables of bodies that packs
/// work on up to the null body; all others as a whole.
inline StageDump dump_stage(Stage stage, const StepViews& v, Memory& memory) {
  const auto& [shape, params, counters, model, state, inputs, materials, ignored_pairs, planes, last, next, broad,
               solve, rigid, shock, guard, joints, sleep, events, transforms] = v;
  const auto& [broad_rows, entries, found, kept_bounds, candidates, grid, entry_capacity, pair_capacity,
               candidate_capacity] = broad;
  const auto& [solve_rows, meetings, pairs, contacts, color_rows, color_contacts, lanes, surfaces, contact_capacity] =
      solve;
  const auto& [sleep_rows, sleep_blocks, disturbed] = sleep;
  detail::Dumper to(memory);
  const Counters counts = to.value(counters);
  const Index body_rows = shape.rows + 1;
  GridState grid_now = kGridLife.includes(stage) ? to.value(grid) : GridState{};
  grid_now.sweep_runs = grid_now.candidate_runs = 0;  // executors differ in how much they take at once
  to.words("params", to.value(params));
  to.words("counters", counts);
  to.column("ignored_pairs", ignored_pairs, ignored_pairs.size);
  to.column("planes", planes, planes.size);
  to.table("model", model);
  to.table("state", state);
  to.table("inputs", inputs);
  to.words("broad.grid", grid_now);
  if (kBroadRowsLife.includes(stage)) to.table("broad.rows", broad_rows, body_rows);
  if (kEntriesLife.includes(stage)) to.table("broad.entries", entries, counts.entries);
  to.column("broad.kept_bounds", kept_bounds, body_rows);
  to.set("broad.candidates", candidates, grid_now.candidates);
  if (kFoundLife.includes(stage)) to.set("broad.found", found, counts.pairs);
  if (!kSolveRowsLife.includes(stage)) to.cache("last", last);
  to.cache("next", next);
  if (kPairsLife.includes(stage)) to.table("solve.pairs", pairs, counts.pairs);
  if (kPairsLife.includes(stage)) to.table("solve.meetings", meetings, counts.meeting_rows);
  to.clear_unless("solve.pairs.box_axes", "solve.pairs.batch_key", kPairBoxBox);  // packs write their other lanes too
  if (kContactsLife.includes(stage)) to.table("solve.contacts", contacts, counts.contacts);
  if (kColorRowsLife.includes(stage)) to.table("solve.color_rows", color_rows, body_rows);
  if (kColorContactsLife.includes(stage)) to.table("solve.color_contacts", color_contacts, counts.contacts);
  if (kSolveRowsLife.includes(stage)) to.table("solve.rows", solve_rows, body_rows);
  if (kLanesLife.includes(stage)) to.column("solve.lanes", lanes, shape.rigid.on ? 0 : counts.lanes);
  const auto& [rigid_rows, rigid_surfaces, rigid_bodies, block_sum, run_sum, open, history, rigid_state] = rigid;
  // Not the surfaces: they do not say which of their points are there, and packs write the others, too.
  if (kRigidRowsLife.includes(stage)) to.column("rigid.rows", rigid_rows, shape.rigid.on ? counts.lanes : 0);
  if (kRigidLife.includes(stage) && shape.rigid.on) {
    to.words("rigid.state", to.value(rigid_state));
    to.column("rigid.open", open, open.size);
    if (history.size > 0) to.column("rigid.history", history, counts.sweeps);
  }
  const auto& [shock_bodies, by_height, layers, rest_rows, rest_contacts] = shock;
  if (kShockLife.includes(stage) && shape.shock.on) {
    to.table("shock.bodies", shock_bodies, body_rows);
    to.column("shock.layers.begin", layers.begin, layers.begin.size);
    to.column("shock.layers.end", layers.end, layers.end.size);
    to.column("shock.layers.split_bodies", layers.split_bodies, layers.split_bodies.size);
    to.column("shock.by_height.begin", by_height.begin, by_height.begin.size);
    to.column("shock.by_height.count", by_height.count, by_height.count.size);  // not the lists, which have no order
  }
  if (kLanesLife.includes(stage) && surfaces.size > 0) {
    to.column("solve.surfaces", surfaces, counts.lanes);
    to.clear_padding("solve.surfaces", "solve.lanes field " + std::to_string(int(row::count)));
  }
  to.table("joints.model", joints.model);
  to.table("joints.state", joints.state);  // not the lanes: packs write zeros of another sign where a joint has no row
  to.table("sleep.rows", sleep_rows);
  to.table("sleep.blocks", sleep_blocks);
  const auto& [pair_events_last, pair_events, event_place, event_records] = events;
  if (stage >= Stage::finish_step && shape.events) to.table("events.next", pair_events, counts.pairs);
  if (stage == Stage::report_events) to.column("events.records", event_records, counts.events);
  to.column("instance_transforms", transforms, transforms.size);
  return {stage, std::move(to.columns)};
}

namespace detail {

/// A word of a row: bits, and what they mean.
inline std::string text_of(const ColumnDump& column, std::size_t row, std::size_t word) {
  if (column.word == ColumnDump::Word::byte) return std::to_string(int(*column.row(row)));
  std::uint32_t bits = 0;
  std::memcpy(&bits, column.row(row) + sizeof(bits) * word, sizeof(bits));
  if (column.word == ColumnDump::Word::integer) return std::to_string(static_cast<std::int32_t>(bits));
  char text[64];
  std::snprintf(text, sizeof text, "%.9g (0x%08x)", double(std::bit_cast<float>(bits)), bits);
  return text;
}

/// The first row that differs, and how many do; empty if none.
inline std::string difference_of(const ColumnDump& a, const ColumnDump& b) {
  if (a.name != b.name) return "columns " + a.name + " and " + b.name;
  if (a.bytes == b.bytes) return "";
  if (a.bytes.size() != b.bytes.size()) {
    return "column " + a.name + ": " + std::to_string(a.rows()) + " and " + std::to_string(b.rows()) + " rows";
  }
  std::size_t count = 0, first = 0;
  for (std::size_t row = a.rows(); row-- > 0;) {
    if (std::memcmp(a.row(row), b.row(row), a.row_bytes) == 0) continue;
    first = row;
    ++count;
  }
  std::size_t word = 0;
  while (a.row_bytes > 4 && std::memcmp(a.row(first) + 4 * word, b.row(first) + 4 * word, 4) == 0) ++word;
  return "column " + a.name + ", row " + std::to_string(first) +
         (a.row_bytes > 4 ? ", word " + std::to_string(word) : "") + ": " + text_of(a, first, word) + " and " +
         text_of(b, first, word) + "; " + std::to_string(count) + " of " + std::to_string(a.rows()) + " rows differ";
}

}  // namespace detail

/// Where two images differ, a line for each column (the first few); empty if nowhere.
inline std::string difference(const StageDump& a, const StageDump& b) {
  constexpr int kMaxLines = 8;
  if (a.stage != b.stage) return std::string("stages ") + stage_name(a.stage) + " and " + stage_name(b.stage);
  if (a.columns.size() != b.columns.size()) return "different numbers of columns";
  std::string text;
  int lines = 0;
  for (std::size_t i = 0; i < a.columns.size() && lines < kMaxLines; ++i) {
    const std::string line = detail::difference_of(a.columns[i], b.columns[i]);
    if (line.empty()) continue;
    text += std::string("\n  stage ") + stage_name(a.stage) + ", " + line;
    ++lines;
  }
  return text;
}

}  // namespace talus::test
