// SPDX-License-Identifier: MIT
// Text tables: text to the left, numbers to the right.
#pragma once
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace talus::cli {

/// What the columns after the first one hold; the first one holds text.
enum class Columns { numbers, text };

class Table {
 public:
  explicit Table(std::vector<std::string> header, Columns columns = Columns::numbers)
      : columns_(columns), rows_{std::move(header)} {}

  /// A row of as many cells as the header has.
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  /// Header, a rule, rows.
  void print(std::FILE* file) const;

 private:
  Columns columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// A number with so many digits after the point.
std::string fixed(double value, int digits);
/// A number with so many digits in all, in the shorter of the usual forms.
std::string general(double value, int digits);

}  // namespace talus::cli
