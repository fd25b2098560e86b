// SPDX-License-Identifier: MIT
// Numbers as text, for tables.
#pragma once
#include <array>
#include <cstdio>
#include <ostream>
#include <string>

namespace talus::lab {

/// As printf does; what is longer than 255 characters is cut.
template <class... Values>
std::string formatted(const char* format, Values... values) {
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}
template <class... Values>
void print(std::ostream& out, const char* format, Values... values) {
  out << formatted(format, values...);
}

}  // namespace talus::lab
