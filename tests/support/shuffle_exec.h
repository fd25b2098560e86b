// SPDX-License-Identifier: MIT
// Runs the elements of every loop one by one in random order: what depends on order fails on any machine.
#pragma once
#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include <talus/custom_joint.h>

#include "exec.h"
#include "lane_blocks.h"

namespace talus::testing {

/// Real is what lane kernels compute with. Scans and sorts are those of the standard library.
template <class Real = float, int Width = 1>
class ShuffleExec {
 public:
  explicit ShuffleExec(std::uint32_t seed) : random_(seed) {}

  void begin_stage(Stage) {}
  void end() {}

  template <class Kernel>
  void for_each(const char*, Count n, const Kernel& kernel) {
    for (Index i : shuffled(size_of(n))) kernel(i);
  }

  template <class Kernel>
  void for_each_lane(const char*, LaneRange range, const Kernel& kernel) {
    const Index begin = *range.begin;
    for (Index i : shuffled((*range.end - begin) / Width)) kernel.template solve<Real>(begin + i * Width);
  }

  template <class Kernel>
  void for_each_batch(const char*, Count n, const Kernel& kernel) {
    for (Index i : shuffled(size_of(n))) kernel.template run<Real>(i);
  }

  template <class Body>
  void repeat(const Index* turns, const Body& body) {
    for (Index turn = 0; turn < *turns; ++turn) body(turn);
  }

  template <class Task>
  void together(const char*, const Task& task) {
    task(*this);
  }

  void make_rows(const char*, const JointKind& kind, const JointRowTable& table) {
    for (Index i : shuffled(table.count)) kind.on_cpu(kind.functor, table, i, i + 1);
  }

  void exclusive_scan(const char*, Column<Index> values, Count n) {
    std::exclusive_scan(values.data, values.data + size_of(n), values.data, Index(0));
  }

  void sort_by_key(const char*, SortColumns columns, Count n, int bits) {
    const Index size = size_of(n);
    const std::uint32_t mask = bits == 32 ? 0xffffffffu : (1u << bits) - 1u;
    std::vector<Index> order(static_cast<std::size_t>(size));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return (columns.keys[a] & mask) < (columns.keys[b] & mask); });
    for (Index i = 0; i < size; ++i) {
      columns.spare_keys[i] = columns.keys[order[std::size_t(i)]];
      columns.spare_values[i] = columns.values[order[std::size_t(i)]];
    }
    std::copy_n(columns.spare_keys.data, size, columns.keys.data);
    std::copy_n(columns.spare_values.data, size, columns.values.data);
  }

 private:
  static Index size_of(Count n) { return n.live == nullptr ? n.capacity : *n.live; }
  std::vector<Index> shuffled(Index size) {
    std::vector<Index> order(static_cast<std::size_t>(size));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random_);
    return order;
  }

  std::mt19937 random_;
};

}  // namespace talus::testing
