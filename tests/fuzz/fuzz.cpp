// SPDX-License-Identifier: MIT
#include "fuzz.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace talus::fuzz {

std::vector<std::uint64_t> words_of(std::span<const std::uint8_t> bytes) {
  std::vector<std::uint64_t> words(bytes.size() / sizeof(std::uint64_t));
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), words.size() * sizeof(std::uint64_t));
  return words;
}

void report_broken(const std::string& what) {
  std::fprintf(stderr, "BROKEN: %s\n", what.c_str());
  std::fflush(nullptr);
  std::abort();
}

}  // namespace talus::fuzz
