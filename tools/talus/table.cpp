// SPDX-License-Identifier: MIT
#include "table.h"

#include <algorithm>

namespace talus::cli {
namespace {

std::string padded(const std::string& cell, std::size_t width, bool left) {
  const std::string space(width - std::min(width, cell.size()), ' ');
  return left ? cell + space : space + cell;
}

}  // namespace

void Table::print(std::FILE* file) const {
  std::vector<std::size_t> widths(rows_[0].size(), 0);
  for (const std::vector<std::string>& row : rows_) {
    for (std::size_t column = 0; column < widths.size(); ++column) {
      widths[column] = std::max(widths[column], row[column].size());
    }
  }
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    std::string line;
    for (std::size_t column = 0; column < widths.size(); ++column) {
      const bool left = column == 0 || columns_ == Columns::text;
      line += (column == 0 ? "" : "  ") + padded(rows_[row][column], widths[column], left);
    }
    const std::size_t width = line.size();
    line.erase(line.find_last_not_of(' ') + 1);
    std::fprintf(file, "%s\n", line.c_str());
    if (row == 0) std::fprintf(file, "%s\n", std::string(width, '-').c_str());
  }
}

std::string fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string general(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

}  // namespace talus::cli
