// SPDX-License-Identifier: MIT
// Random sequences of calls. Nothing crashes, what is refused changes nothing, a snapshot goes on as the world does,
// and the bits are the same for 1, 2 and 5 threads and for a world that is looked at around every call.
#include "sequence.h"

namespace talus::fuzz {

const int kWordsOfAnInput = 61;  // a world and 60 calls

namespace {

struct Result {
  std::vector<std::uint64_t> hashes;
  bool depends_on_looks = false;
};

Result run(std::span<const std::uint64_t> words, const Sequence::Options& options) {
  Sequence sequence(words, options);
  const std::string how =
      std::to_string(options.threads) + " threads" + (options.watch ? ", looked at around every call" : "");
  try {
    sequence.run();
  } catch (const Broken& broken) {
    throw Broken{broken.what + " [" + how + ", " + sequence.last_call() + "]"};
  } catch (const std::exception& error) {
    throw Broken{std::string("an exception that is no talus::Error: ") + error.what() + " [" + how + ", " +
                 sequence.last_call() + "]"};
  }
  return {sequence.hashes(), sequence.world().def().sleep.enabled || sequence.pushed_twice()};
}

void compare(std::span<const std::uint64_t> words) {
  const Result first = run(words, {.threads = 1});
  for (const Sequence::Options& options :
       {Sequence::Options{.threads = 1, .watch = true}, Sequence::Options{.threads = 2},
        Sequence::Options{.threads = 5, .watch = !words.empty() && (words[0] & 1) != 0}}) {
    const Result other = run(words, options);
    // Left out: worlds that sleep, in which it matters yet when an edit reaches the simulation, and pushes of one step,
    // which are summed up and then given to the body, or one by one if somebody looks in between.
    if (options.watch && first.depends_on_looks) continue;
    require(other.hashes == first.hashes, "other bits with " + std::to_string(options.threads) + " threads" +
                                              (options.watch ? ", looked at around every call" : ""));
  }
}

}  // namespace

}  // namespace talus::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::uint64_t> words = talus::fuzz::words_of({data, size});
  try {
    talus::fuzz::compare(words);
  } catch (const talus::fuzz::Broken& broken) {
    talus::fuzz::report_broken(broken.what);
  }
  return 0;
}
