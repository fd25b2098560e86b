// SPDX-License-Identifier: MIT
// Runs a fuzzer on inputs made from seeds: fuzz_x [--first SEED] [--count N] [--seconds S] [--minimise].
// Inputs run in a child process. If it dies, the seed is named, the next one goes on in a new child, and the exit code
// is 1. --minimise takes words out of the first input that fails, as long as it fails without them.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "fuzz.h"

namespace talus::fuzz {

namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  std::uint64_t first = 1, count = 100;
  double seconds = 1e9;
  bool minimise = false;
};

struct Shared {
  std::uint64_t seed;  // that the child is at
  bool time_is_up;
};

using Words = std::vector<std::uint64_t>;

Words input_of(std::uint64_t seed) {
  Random random(seed);
  Words words(static_cast<std::size_t>(kWordsOfAnInput));
  for (std::uint64_t& word : words) word = random.next();
  return words;
}

void run(const Words& words) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(words.data()), words.size() * sizeof(std::uint64_t));
}

// The status of a child that runs the function.
template <class F>
int in_child(F&& function) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    function();
    std::exit(0);  // with what sanitizers say at the end
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

bool fails(const Words& words) {
  return in_child([&] {
           if (std::freopen("/dev/null", "w", stderr) == nullptr) std::exit(2);
           run(words);
         }) != 0;
}

void minimise(std::uint64_t seed) {
  Words words = input_of(seed);
  for (std::size_t chunk = words.size() / 2; chunk > 0; chunk /= 2) {
    for (std::size_t begin = 1; begin + chunk <= words.size();) {  // the first word says what world it is
      Words fewer = words;
      fewer.erase(fewer.begin() + std::ptrdiff_t(begin), fewer.begin() + std::ptrdiff_t(begin + chunk));
      if (fails(fewer)) {
        words = fewer;
      } else {
        begin += chunk;
      }
    }
  }
  std::printf("%zu words are left of %d:", words.size(), kWordsOfAnInput);
  for (const std::uint64_t word : words) std::printf(" %016llx", static_cast<unsigned long long>(word));
  std::printf("\n");
  in_child([&] {
    ::setenv("TALUS_FUZZ_TRACE", "1", 1);
    run(words);
  });
}

template <class Number>
Number number_of(std::string_view text) {
  Number number{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) {
    std::fprintf(stderr, "\"%s\" is no number\n", std::string(text).c_str());
    std::exit(2);
  }
  return number;
}

Options options_of(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
    if (name == "--minimise") {
      options.minimise = true;
      continue;
    }
    if (name == "--first") {
      options.first = number_of<std::uint64_t>(value);
    } else if (name == "--count") {
      options.count = number_of<std::uint64_t>(value);
    } else if (name == "--seconds") {
      options.seconds = number_of<double>(value);
    } else {
      std::fprintf(stderr, "usage: %s [--first SEED] [--count N] [--seconds S] [--minimise]\n", argv[0]);
      std::exit(2);
    }
    ++i;
  }
  return options;
}

int run_all(const Options& options) {
  const Clock::time_point start = Clock::now();
  void* const memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 2;
  Shared* const at = new (memory) Shared{options.first, false};
  const std::uint64_t end = options.first + options.count;
  int failed = 0;
  while (at->seed < end && !at->time_is_up) {
    const int status = in_child([&] {
      for (; at->seed < end; ++at->seed) {
        at->time_is_up = std::chrono::duration<double>(Clock::now() - start).count() > options.seconds;
        if (at->time_is_up) return;
        run(input_of(at->seed));
      }
    });
    if (status == 0) continue;
    ++failed;
    std::printf("FAILED: seed %llu, status %x; again with --first %llu --count 1 --minimise\n",
                static_cast<unsigned long long>(at->seed), unsigned(status), static_cast<unsigned long long>(at->seed));
    if (options.minimise && at->seed < end) minimise(at->seed);
    if (options.minimise || at->seed >= end) break;
    ++at->seed;
  }
  std::printf("%llu inputs, %d failed, %.0f s\n", static_cast<unsigned long long>(at->seed - options.first), failed,
              std::chrono::duration<double>(Clock::now() - start).count());
  return failed == 0 && at->seed > options.first ? 0 : 1;
}

}  // namespace

}  // namespace talus::fuzz

int main(int argc, char** argv) {
  return talus::fuzz::run_all(talus::fuzz::options_of(argc, argv));
}
