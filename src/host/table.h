// SPDX-License-Identifier: MIT
// Owning tables: one block of memory a table, with the columns of its view laid out one after another.
#pragma once
#include <array>
#include <cstring>
#include <type_traits>
#include <vector>

#include <talus/column.h>

#include "lane_blocks.h"
#include "memory.h"

namespace talus {

// A column as planes of plain elements: one for scalars, three for vectors, four for quaternions.
template <class T, class F>
void visit_planes(Column<T>& column, F&& visit) {
  visit(column.data);
}
template <class F>
void visit_planes(Vec3Column& column, F&& visit) {
  visit(column.x);
  visit(column.y);
  visit(column.z);
}
template <class F>
void visit_planes(QuatColumn& column, F&& visit) {
  visit(column.x);
  visit(column.y);
  visit(column.z);
  visit(column.w);
}

/// Calls visit(name, pointer of the plane) for every plane of a view, in the order of the table.
template <class View, class F>
void visit_all_planes(View& view, F&& visit) {
  view.visit_columns(
      [&](const char* name, auto& column) { visit_planes(column, [&](auto*& plane) { visit(name, plane); }); });
}

/// Calls visit(plane of a, plane of b) for every plane of two views of one table. Takes no memory.
template <class View, class F>
void visit_both(View a, View b, F&& visit) {
  std::array<void*, 160> planes;
  std::size_t count = 0;
  visit_all_planes(b, [&](const char*, auto*& plane) {
    TALUS_ASSERT(count < planes.size());
    planes[count++] = plane;
  });
  std::size_t i = 0;
  visit_all_planes(a, [&](const char*, auto*& plane) {
    visit(plane, static_cast<std::remove_reference_t<decltype(plane)>>(planes[i++]));
  });
}

/// Lays the columns of a view out from `base` on, each aligned to 256 bytes, and returns the bytes that they take. With
/// null it only counts.
template <class View>
std::size_t lay_out(View& view, Index rows, void* base) {
  std::size_t bytes = 0;
  view.visit_columns([&](const char*, auto& column) {
    column.size = rows;
    visit_planes(column, [&](auto*& plane) {
      using T = std::remove_reference_t<decltype(*plane)>;
      plane = base == nullptr ? nullptr : reinterpret_cast<T*>(static_cast<unsigned char*>(base) + bytes);
      bytes += (sizeof(T) * static_cast<std::size_t>(rows) + 255) / 256 * 256;
    });
  });
  return bytes;
}
template <class View>
std::size_t bytes_of_table(Index rows) {
  View view{};
  return lay_out(view, rows, nullptr);
}

/// A table of columns in a backend's memory.
template <class View>
class Table {
 public:
  const View& view() const { return view_; }
  Index capacity() const { return capacity_; }
  std::size_t bytes() const { return block_.bytes(); }

  /// Makes room for `rows`, keeps the first `keep` ones, and zeroes all others.
  void resize(Memory& memory, Index rows, Index keep, const char* what) {
    Block block(memory, bytes_of_table<View>(rows), what);
    View next{};
    lay_out(next, rows, block.data());
    if (keep > 0) {
      visit_both(next, view_,
                 [&](auto* to, auto* from) { memory.copy(to, from, sizeof(*to) * static_cast<std::size_t>(keep)); });
    }
    view_ = next;
    block_ = std::move(block);
    capacity_ = rows;
  }

  /// Rows in plain memory, zero or as downloaded, reached through `view`. To be moved, not copied.
  struct HostCopy {
    View view;
    std::vector<unsigned char> bytes;
  };
  static HostCopy host_copy(Index rows) {
    HostCopy host{};
    host.bytes.resize(bytes_of_table<View>(rows));
    lay_out(host.view, rows, host.bytes.data());
    return host;
  }
  HostCopy download(Memory& memory, Index rows, Index first = 0) const {
    HostCopy host = host_copy(rows);
    if (rows > 0) {
      visit_both(host.view, view_, [&](auto* to, auto* from) {
        memory.download(to, from + first, sizeof(*to) * static_cast<std::size_t>(rows));
      });
    }
    return host;
  }
  /// Rows `begin`.. of the copy become rows `first`.. of the table. Takes no memory.
  void upload(Memory& memory, const HostCopy& host, Index rows, Index first = 0, Index begin = 0) {
    if (rows == 0) return;
    visit_both(view_, host.view, [&](auto* to, auto* from) {
      memory.upload(to + first, from + begin, sizeof(*to) * static_cast<std::size_t>(rows));
    });
  }

 private:
  View view_{};
  Block block_;
  Index capacity_ = 0;
};

/// A scalar array in a backend's memory.
template <class T>
class Array {
 public:
  Column<T> column() const { return {static_cast<T*>(block_.data()), size_}; }
  Index size() const { return size_; }
  std::size_t bytes() const { return block_.bytes(); }
  /// Makes room for `size` elements, all bytes zero. Old content is lost.
  void reset(Memory& memory, Index size, const char* what) {
    block_ = Block(memory, sizeof(T) * static_cast<std::size_t>(size), what);
    size_ = size;
  }

 private:
  Block block_;
  Index size_ = 0;
};

}  // namespace talus
