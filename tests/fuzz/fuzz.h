// SPDX-License-Identifier: MIT
// What the fuzzers share. Each of them is one function of an input of bytes, LLVMFuzzerTestOneInput, which aborts if
// something that must hold does not. With clang libFuzzer makes the inputs; the driver (driver.cpp) makes them from
// seeds with any compiler.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace talus::fuzz {

/// Thrown where something that must hold does not.
struct Broken {
  std::string what;
};
inline void require(bool good, const std::string& what) {
  if (!good) throw Broken{what};
}

/// Random numbers of a seed: SplitMix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) { next(); }
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  /// From 0 to n - 1.
  int below(int n) { return n <= 0 ? 0 : static_cast<int>(next() % std::uint64_t(n)); }
  std::size_t index(std::size_t size) { return static_cast<std::size_t>(next() % (size > 0 ? size : 1)); }
  double unit() { return double(next() >> 11) / 9007199254740992.0; }
  bool chance(double p) { return unit() < p; }
  float range(float low, float high) { return float(double(low) + (double(high) - double(low)) * unit()); }
  /// Uniform in the logarithm.
  float log_range(float low, float high) {
    return float(std::exp(std::log(double(low)) + (std::log(double(high)) - std::log(double(low))) * unit()));
  }
  template <class T>
  const T& one_of(const std::vector<T>& list) {
    return list[index(list.size())];
  }

 private:
  std::uint64_t state_;
};

/// An input as words of 8 bytes; what is left over is no word.
std::vector<std::uint64_t> words_of(std::span<const std::uint8_t> bytes);

/// Prints what broke and aborts: how a fuzzer tells.
[[noreturn]] void report_broken(const std::string& what);

/// Words of an input that the driver makes from a seed; each fuzzer says how many it likes.
extern const int kWordsOfAnInput;

}  // namespace talus::fuzz
