// SPDX-License-Identifier: MIT
#include "options.h"

#include <lab/solver.h>
#include <talus/status.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string_view>
#include <system_error>
#include <vector>

#include "scenes/presets.h"

namespace talus::cli {
namespace {

struct Option {
  std::string name;   // "--threads"
  std::string value;  // name of its value in the help; empty: a switch
  std::string text;
  std::function<void(const std::string&)> set;
};

[[noreturn]] void refuse(const std::string& option, const std::string& value, const std::string& wanted) {
  throw UsageError(option + ": \"" + value + "\" is not " + wanted);
}

template <class Number>
Number parse_number(const std::string& option, const std::string& value, Number least, Number most,
                    const std::string& wanted) {
  Number number{};
  const char* end = value.data() + value.size();
  const auto [stop, problem] = std::from_chars(value.data(), end, number);
  if (problem != std::errc() || stop != end || !(number >= least && number <= most)) refuse(option, value, wanted);
  return number;
}
int parse_int(const std::string& option, const std::string& value, int least, int most) {
  return parse_number<int>(option, value, least, most,
                           "a number from " + std::to_string(least) + " to " + std::to_string(most));
}

Backend parse_backend(const std::string& value) {
  if (value == "auto") return Backend::automatic;
  if (value == "cpu") return Backend::cpu;
  if (value == "cuda") return Backend::cuda;
  refuse("--backend", value, "one of auto, cpu, cuda");
}

// The laboratory takes the problems of Solver::rigid.
enum class Presets { all, rigid };
bool offered(const scenes::SolverPreset& preset, Presets which) {
  return which == Presets::all || preset.settings.solver == Solver::rigid;
}
std::string solver_names(Presets which = Presets::all) {
  std::string names;
  for (const scenes::SolverPreset& preset : scenes::solver_presets()) {
    if (offered(preset, which)) names += (names.empty() ? "" : ", ") + std::string(preset.name);
  }
  return names;
}

// ---- the options ---------------------------------------------------------------------------------------------------

std::vector<Option> simulation_options(SimulationOptions& o) {
  return {
      {"--backend", "B", "auto, cpu or cuda [auto]", [&o](const std::string& v) { o.backend = parse_backend(v); }},
      {"--threads", "N", "worker threads of the CPU backend, 0 for all cores [0]",
       [&o](const std::string& v) { o.threads = parse_int("--threads", v, 0, 4096); }},
      {"--steps", "N", "steps to take [300]",
       [&o](const std::string& v) { o.steps = parse_int("--steps", v, 1, 100'000'000); }},
      {"--dt", "S", "length of a step in seconds [the scene's, 1/60]",
       [&o](const std::string& v) { o.dt = parse_number("--dt", v, 1e-6f, 1.0f, "a time from 1e-6 to 1 s"); }},
      {"--solver", "NAME", solver_names() + " [pgs]",
       [&o](const std::string& v) {
         if (scenes::find_solver_preset(v) == nullptr) refuse("--solver", v, "one of " + solver_names());
         o.solver = v;
       }},
      {"--substeps", "N", "sub-steps a step is cut into [the solver's, 4]",
       [&o](const std::string& v) { o.substeps = parse_int("--substeps", v, 1, 64); }},
      {"--sleep", "", "let bodies sleep", [&o](const std::string&) { o.sleep = true; }},
  };
}

std::vector<Option> run_options(RunOptions& o) {
  std::vector<Option> options = simulation_options(o);
  options.push_back(
      {"--hash", "", "print state_hash=<16 hex digits> as the last line", [&o](const std::string&) { o.hash = true; }});
  options.push_back({"--out", "FILE", "write the bodies' final poses and velocities as CSV",
                     [&o](const std::string& v) { o.out = v; }});
  options.push_back(
      {"--image", "FILE", "write a picture of the final state as PNG", [&o](const std::string& v) { o.image = v; }});
  return options;
}

std::vector<Option> bench_options(BenchOptions& o) {
  std::vector<Option> options = simulation_options(o);
  options.insert(options.begin(), {"--scene", "NAME", "the scene; `talus scenes` lists them",
                                   [&o](const std::string& v) { o.scene = v; }});
  options.push_back({"--repeat", "R", "runs, of which the fastest counts [1]",
                     [&o](const std::string& v) { o.repeat = parse_int("--repeat", v, 1, 1000); }});
  options.push_back(
      {"--csv", "", "print one line of CSV instead of tables", [&o](const std::string&) { o.csv = true; }});
  options.push_back({"--csv-header", "", "print the names of the CSV columns first",
                     [&o](const std::string&) { o.csv_header = true; }});
  return options;
}

lab::FrictionLaw parse_law(const std::string& value) {
  if (value == "cone") return lab::FrictionLaw::cone;
  if (value == "convex-cone") return lab::FrictionLaw::convex_cone;
  if (value == "polygon") return lab::FrictionLaw::polyhedral;
  if (value == "box") return lab::FrictionLaw::box;
  refuse("--friction", value, "one of cone, convex-cone, polygon, box");
}

// What is between commas.
std::vector<std::string> parse_list(const std::string& value) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= value.size();) {
    const std::size_t comma = std::min(value.find(',', begin), value.size());
    parts.push_back(value.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return parts;
}

std::vector<std::string> parse_names(const std::string& value) {
  std::vector<std::string> names;
  if (value == "all") return names;
  for (const std::string& name : parse_list(value)) {
    try {
      names.emplace_back(lab::find_solver(name).name);
    } catch (const Error& error) {
      throw UsageError(std::string("--solvers: ") + error.what());
    }
  }
  return names;
}

std::vector<double> parse_gammas(const std::string& value) {
  std::vector<double> gammas;
  for (const std::string& gamma : parse_list(value)) {
    gammas.push_back(parse_number("--gamma", gamma, 0.0, 1e300, "numbers from 0 on, with commas in between"));
  }
  return gammas;
}

std::vector<Option> lab_options(LabOptions& o) {
  std::vector<Option> options = simulation_options(o);
  std::erase_if(options, [](const Option& option) {
    return option.name == "--steps" || option.name == "--sleep" || option.name == "--substeps" ||
           option.name == "--solver";
  });
  options.push_back({"--solver", "NAME", "that simulates the scene: " + solver_names(Presets::rigid) + " [rigid]",
                     [&o](const std::string& v) {
                       const scenes::SolverPreset* preset = scenes::find_solver_preset(v);
                       if (preset == nullptr || !offered(*preset, Presets::rigid)) {
                         refuse("--solver", v, "one of " + solver_names(Presets::rigid));
                       }
                       o.solver = v;
                     }});
  options.push_back({"--step", "N", "whose problem is solved [100]",
                     [&o](const std::string& v) { o.steps = parse_int("--step", v, 1, 100'000'000); }});
  options.push_back({"--solvers", "LIST",
                     "methods: names with commas in between, or all that are for such a problem [all]",
                     [&o](const std::string& v) { o.solvers = parse_names(v); }});
  options.push_back({"--friction", "LAW", "cone, convex-cone, polygon or box [cone]",
                     [&o](const std::string& v) { o.law = parse_law(v); }});
  options.push_back({"--sides", "N", "of the polygon, an even number [8]",
                     [&o](const std::string& v) { o.sides = parse_int("--sides", v, 4, 1024); }});
  options.push_back({"--sweeps", "N", "of each method at most [10000]",
                     [&o](const std::string& v) { o.sweeps = parse_int("--sweeps", v, 1, 100'000'000); }});
  options.push_back({"--measure", "M", "residual or merit: what tolerance and pictures are of [residual]",
                     [&o](const std::string& v) {
                       if (v != "residual" && v != "merit") refuse("--measure", v, "one of residual, merit");
                       o.by_merit = v == "merit";
                     }});
  options.push_back(
      {"--tolerance", "R", "residual in m/s, or merit, at which methods end [1e-4]", [&o](const std::string& v) {
         o.tolerance = parse_number("--tolerance", v, 1e-300, 1e300, "a number above zero");
       }});
  options.push_back({"--gamma", "LIST", "1/kg: what these on the diagonal do to sweeps, too",
                     [&o](const std::string& v) { o.gammas = parse_gammas(v); }});
  options.push_back({"--plot", "FILE.svg", "pictures FILE_sweeps.svg, FILE_time.svg; of small problems eigenvalues",
                     [&o](const std::string& v) { o.plot = v; }});
  options.push_back({"--save", "PLACE", "write the problem as Matrix Market files: PLACE_J.mtx, or in a folder PLACE/",
                     [&o](const std::string& v) { o.save = v; }});
  options.push_back(
      {"--load", "PLACE", "read such files instead of simulating a scene", [&o](const std::string& v) { o.load = v; }});
  return options;
}

std::vector<Option> verify_options(VerifyOptions& o) {
  return {
      {"--only", "LIST", "names of laws, experiments or groups, with commas in between [all]",
       [&o](const std::string& v) { o.only = parse_list(v); }},
      {"--trials", "PART", "of each law's random trials, above 0 and up to 1 [0.02]",
       [&o](const std::string& v) { o.part = parse_number("--trials", v, 1e-9, 1.0, "a number above 0 and up to 1"); }},
      {"--long", "", "all trials, as --trials 1", [&o](const std::string&) { o.part = 1.0; }},
      {"--seed", "N", "of the random trials [1]",
       [&o](const std::string& v) {
         o.seed = parse_number<std::uint64_t>("--seed", v, 0, UINT64_MAX, "a whole number from 0 on");
       }},
      {"--write", "FILE", "write the page that docs/truth.md is", [&o](const std::string& v) { o.write = v; }},
  };
}

// ---- parsing -------------------------------------------------------------------------------------------------------

bool asks_for_help(std::string_view argument) {
  return argument == "--help" || argument == "-h";
}

// Sets options and returns the other arguments. `--name value` and `--name=value` mean the same.
std::vector<std::string> parse(std::span<const char* const> arguments, const std::vector<Option>& options) {
  std::vector<std::string> others;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string argument = arguments[i];
    if (!argument.starts_with("-")) {
      others.push_back(argument);
      continue;
    }
    const std::size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const auto option =
        std::find_if(options.begin(), options.end(), [&](const Option& candidate) { return candidate.name == name; });
    if (option == options.end()) throw UsageError("unknown option \"" + name + "\"");
    const bool is_switch = option->value.empty();
    if (equals != std::string::npos) {
      if (is_switch) throw UsageError(name + " takes no value");
      option->set(argument.substr(equals + 1));
    } else if (is_switch) {
      option->set({});
    } else if (i + 1 < arguments.size()) {
      option->set(arguments[++i]);
    } else {
      throw UsageError(name + " needs a value");
    }
  }
  return others;
}

void apply_solver(SimulationOptions& o) {
  o.settings = scenes::find_solver_preset(o.solver)->settings;
  o.config = o.solver;
  if (o.substeps) {
    o.settings.substeps = *o.substeps;
    o.config += "-s" + std::to_string(*o.substeps);
  }
}

std::string option_list(const std::vector<Option>& options) {
  std::string text = "\nOptions:\n";
  for (const Option& option : options) {
    std::string left = "  " + option.name + (option.value.empty() ? "" : " " + option.value);
    left.resize(std::max<std::size_t>(left.size() + 1, 20), ' ');
    text += left + option.text + "\n";
  }
  return text + "  --help            this text\n";
}

std::string option_help(const std::vector<Option>& options, Presets which = Presets::all) {
  std::string text = option_list(options) + "\nSolvers:\n";
  for (const scenes::SolverPreset& preset : scenes::solver_presets()) {
    if (!offered(preset, which)) continue;
    std::string left = "  " + std::string(preset.name);
    left.resize(20, ' ');
    text += left + preset.text + "\n";
  }
  return text;
}

}  // namespace

std::optional<RunOptions> parse_run(std::span<const char* const> arguments) {
  if (std::any_of(arguments.begin(), arguments.end(), asks_for_help)) return std::nullopt;
  RunOptions options;
  const std::vector<std::string> others = parse(arguments, run_options(options));
  if (others.empty()) throw UsageError("run needs a scene, e.g. `talus run box_pile_1000`");
  if (others.size() > 1) throw UsageError("unexpected argument \"" + others[1] + "\" after the scene");
  options.scene = others[0];
  apply_solver(options);
  return options;
}

std::optional<BenchOptions> parse_bench(std::span<const char* const> arguments) {
  if (std::any_of(arguments.begin(), arguments.end(), asks_for_help)) return std::nullopt;
  BenchOptions options;
  const std::vector<std::string> others = parse(arguments, bench_options(options));
  if (!others.empty()) throw UsageError("unexpected argument \"" + others[0] + "\"; the scene follows --scene");
  if (options.scene.empty() && !options.csv_header) {
    throw UsageError("bench needs a scene, e.g. `talus bench --scene box_pile_1000`");
  }
  apply_solver(options);
  return options;
}

std::optional<LabOptions> parse_lab(std::span<const char* const> arguments) {
  if (std::any_of(arguments.begin(), arguments.end(), asks_for_help)) return std::nullopt;
  LabOptions options;
  options.steps = 100;
  options.solver = "rigid";
  const std::vector<std::string> others = parse(arguments, lab_options(options));
  if (others.empty() == options.load.empty()) {
    throw UsageError("lab needs a scene, e.g. `talus lab stacks_1x10`, or --load, and not both");
  }
  if (others.size() > 1) throw UsageError("unexpected argument \"" + others[1] + "\" after the scene");
  if (!others.empty()) options.scene = others[0];
  apply_solver(options);
  return options;
}

std::optional<VerifyOptions> parse_verify(std::span<const char* const> arguments) {
  if (std::any_of(arguments.begin(), arguments.end(), asks_for_help)) return std::nullopt;
  VerifyOptions options;
  const std::vector<std::string> others = parse(arguments, verify_options(options));
  if (!others.empty()) throw UsageError("unexpected argument \"" + others[0] + "\" after verify");
  return options;
}

std::string help() {
  return "talus: rigid bodies on GPU and CPU, with the same bits on both\n"
         "\n"
         "Usage: talus COMMAND [OPTIONS]\n"
         "\n"
         "Commands:\n"
         "  run SCENE         simulate a scene and sum up what happened\n"
         "  bench             measure time and quality of a scene\n"
         "  lab SCENE         solve the contact and joint problem of one step by many methods\n"
         "  verify            measure every solver against laws and experiments with known answers\n"
         "  scenes            list the scenes\n"
         "  info              show version, instruction set and devices\n"
         "\n"
         "`talus COMMAND --help` explains a command. Exit code: 0 done, 1 failed, 2 wrong usage.\n";
}

std::string run_help() {
  RunOptions options;
  return "Usage: talus run SCENE [OPTIONS]\n\nSimulates a scene and sums up time, contacts and penetration.\n" +
         option_help(run_options(options));
}

std::string bench_help() {
  BenchOptions options;
  return "Usage: talus bench --scene NAME [OPTIONS]\n\n"
         "Measures the mean time of the late steps (200 to 299 of 300, else the last third), a stage at a time, and "
         "the\n"
         "quality of the result. With --csv one line in the columns that bench/compare reads.\n" +
         option_help(bench_options(options));
}

std::string lab_help() {
  LabOptions options;
  std::string text =
      "Usage: talus lab SCENE [OPTIONS]\n       talus lab --load PLACE [OPTIONS]\n\n"
      "Takes the contact and joint problem of one step of a scene and solves it by many methods, in double precision: "
      "a\n"
      "line for each, with residual and merit, then condition and null space, and pictures of how they converge.\n" +
      option_help(lab_options(options), Presets::rigid) + "\nMethods of --solvers:\n";
  for (const lab::SolverInfo& solver : lab::solvers()) {
    std::string left = "  " + std::string(solver.name);
    left.resize(20, ' ');
    text += left + solver.summary + "\n";
  }
  return text;
}

std::string verify_help() {
  VerifyOptions options;
  return "Usage: talus verify [OPTIONS]\n\n"
         "Tries the laws and experiments of docs/truth.md with every solver and prints the largest error of each. An "
         "error\n"
         "in brackets is of a solver that the law is not claimed for; ! marks a broken bound, and the exit code is "
         "then 1.\n" +
         option_list(verify_options(options));
}

}  // namespace talus::cli
