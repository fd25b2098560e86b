// SPDX-License-Identifier: MIT
// Files of the laboratory with changed text: what is refused is refused by an Error, and what is accepted can be
// solved, or not solved, by any method.
#include <lab/problem_file.h>
#include <lab/report.h>
#include <talus/talus.h>

#include <map>
#include <memory>
#include <sstream>

#include "fuzz.h"

namespace talus::fuzz {

const int kWordsOfAnInput = 1;

namespace {

using Texts = std::map<std::string, std::string>;  // by the name of a file

Texts texts_of(World& world) {
  world.step_n(3, 1.0f / 60);
  Texts texts;
  lab::write_problem("p", lab::make_problem(world.contact_problem()),
                     [&](const std::filesystem::path& file, const std::string& text) { texts[file.string()] = text; });
  return texts;
}

// A few contacts, with joints and without.
std::vector<Texts> make_bases() {
  std::vector<Texts> bases;
  for (const int boxes : {1, 2}) {
    for (const bool jointed : {false, true}) {
      WorldDef def{.backend = Backend::cpu, .threads = 1};
      def.solver.solver = Solver::rigid;
      def.keep_contact_problem = true;
      World world(def);
      world.add_body({.shape = plane({0, 1, 0})});
      BodyId last = kWorld;
      for (int i = 0; i < boxes; ++i) {
        const BodyId box_id = world.add_body({.shape = box({0.5f, 0.5f, 0.5f}), .position = {0, 0.5f + float(i), 0}});
        if (jointed) world.add_joint(hinge_joint(last, box_id, {0, float(i), 0}, {0, 0, 1}));
        last = box_id;
      }
      bases.push_back(texts_of(world));
    }
  }
  return bases;
}

// Replaces the word around a place.
void replace_word(std::string& text, std::size_t at, const std::string& with) {
  std::size_t begin = text.find_last_of(" \n", at);
  begin = begin == std::string::npos ? 0 : begin + 1;
  const std::size_t end = std::min(text.find_first_of(" \n", at + 1), text.size());
  if (end > begin) text.replace(begin, end - begin, with);
}

void repeat_line(std::string& text, std::size_t at) {
  const std::size_t begin = text.find('\n', at);
  if (begin == std::string::npos) return;
  const std::size_t end = std::min(text.find('\n', begin + 1), text.size() - 1);
  text.insert(begin + 1, text.substr(begin + 1, end - begin));
}

void change_sizes(std::string& text, Random& r) {
  std::size_t begin = text.find('\n');
  begin = begin == std::string::npos ? 0 : begin + 1;
  const std::size_t end = std::min(text.find('\n', begin), text.size());
  std::string sizes = std::to_string(r.below(40)) + " " + std::to_string(r.below(40));
  if (r.chance(0.5)) {
    sizes += ' ';
    sizes += std::to_string(r.below(100));
  }
  text.replace(begin, end - begin, sizes);
}

void mutate(std::string& text, Random& r) {
  static const std::vector<std::string> words{"nan",        "inf",
                                              "-inf",       "1e308",
                                              "-1e308",     "0",
                                              "-1",         "2147483647",
                                              "2147483648", "536870911",
                                              "1e-320",     "0x10",
                                              "",           "%",
                                              "\n",         " ",
                                              "1e999",      "-0",
                                              "9999999999", "1 1 1\n",
                                              "3.5",        "1e39",
                                              "-1e39",      "1e20",
                                              "1e-30",      "10000000 10000000 1\n"};
  if (text.empty()) return;
  const std::size_t at = r.index(text.size());
  switch (r.below(8)) {
    case 0:
      text[at] = static_cast<char>(text[at] ^ (1 << r.below(8)));
      return;
    case 1:
      text.insert(at, r.one_of(words));
      return;
    case 2:
      return replace_word(text, at, r.one_of(words));
    case 3:
      text.erase(at, 1 + r.index(20));
      return;
    case 4:
      text.resize(at);
      return;
    case 5:
      return repeat_line(text, at);
    case 6:
      return change_sizes(text, r);
    default:
      text[at] = static_cast<char>('0' + r.below(10));
  }
}

void solve(const lab::Problem& problem, Random& r) {
  lab::ReportOptions options;
  options.solver.max_sweeps = 20;
  options.solver.friction.law = lab::FrictionLaw(r.below(4));
  const auto all = lab::solvers();
  const std::vector<std::string> names{std::string(all[r.index(all.size())].name)};
  std::ostringstream out;
  try {
    lab::report(out, problem, names, options);
  } catch (const Error&) {  // a method, or the analysis, that cannot
  }
}

void run_one(std::uint64_t seed) {
  static const std::vector<Texts> bases = make_bases();
  Random r(seed);
  Texts texts = r.one_of(bases);
  const int files = r.chance(0.75) ? 1 : 1 + r.below(3);
  for (int i = 0; i < files; ++i) {
    auto file = texts.begin();
    std::advance(file, r.below(static_cast<int>(texts.size())));
    const int changes = 1 + r.below(3);
    for (int change = 0; change < changes; ++change) mutate(file->second, r);
  }
  lab::Problem problem;
  try {
    problem = lab::read_problem("p", [&](const std::filesystem::path& file) -> std::unique_ptr<std::istream> {
      return std::make_unique<std::istringstream>(texts[file.string()]);
    });
  } catch (const lab::ProblemFileError&) {
    return;
  }
  if (problem.row_count() <= 100 && problem.dof_count() <= 100) solve(problem, r);  // larger ones take too long
}

}  // namespace

}  // namespace talus::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const std::uint64_t word : talus::fuzz::words_of({data, size})) {
    try {
      talus::fuzz::run_one(word);
    } catch (const talus::fuzz::Broken& broken) {
      talus::fuzz::report_broken(broken.what);
    } catch (const std::exception& error) {
      talus::fuzz::report_broken(std::string("an exception that nobody expects: ") + error.what());
    }
  }
  return 0;
}
