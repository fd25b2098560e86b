// SPDX-License-Identifier: MIT
// talus: the command line. Finds the command and turns errors into exit codes; the commands are in run.cpp,
// bench.cpp, lab.cpp and verify.cpp.
#include <talus/talus.h>

#include <cstdio>
#include <exception>
#include <span>
#include <string>

#include "commands.h"
#include "options.h"
#include "output.h"
#include "scenes/scene.h"
#include "table.h"

namespace talus::cli {
namespace {

int print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  return kDone;
}

int list_scenes() {
  Table table({"scene", "example", "what happens"}, Columns::text);
  for (const scenes::SceneInfo& info : scenes::scene_list()) table.add({info.pattern, info.example, info.text});
  table.print(stdout);
  return kDone;
}

int show_info() {
  const SystemInfo info = system_info();
  std::string backends;
  for (const Backend backend : available_backends()) {
    backends += (backends.empty() ? "" : ", ") + std::string(backend_name(backend));
  }
  Table table({"talus", info.version}, Columns::text);
  table.add({"build", info.build});
  table.add({"backends", backends});
  table.add({"simd", info.simd + ", " + std::to_string(info.simd_lanes) + " lanes"});
  table.add({"hardware threads", std::to_string(info.hardware_threads)});
  table.add({"cuda built", info.cuda_built ? "yes" : "no"});
  table.add({"cuda device", info.cuda_device});
  table.print(stdout);
  return kDone;
}

// Commands without options of their own.
int plain_command(const std::string& name, std::span<const char* const> arguments, int (*command)(),
                  const std::string& text) {
  if (arguments.empty()) return command();
  const std::string argument = arguments[0];
  if (argument == "--help" || argument == "-h") return print("Usage: talus " + name + "\n\n" + text + "\n");
  throw UsageError("unexpected argument \"" + argument + "\" after " + name);
}

int dispatch(std::span<const char* const> arguments) {
  if (arguments.empty()) throw UsageError("a command is missing");
  const std::string command = arguments[0];
  const std::span<const char* const> rest = arguments.subspan(1);
  if (command == "--help" || command == "-h" || command == "help") return print(help());
  if (command == "--version") return print(system_info().version + "\n");
  if (command == "run") {
    const std::optional<RunOptions> options = parse_run(rest);
    return options ? run(*options) : print(run_help());
  }
  if (command == "bench") {
    const std::optional<BenchOptions> options = parse_bench(rest);
    return options ? bench(*options) : print(bench_help());
  }
  if (command == "lab") {
    const std::optional<LabOptions> options = parse_lab(rest);
    return options ? lab(*options) : print(lab_help());
  }
  if (command == "verify") {
    const std::optional<VerifyOptions> options = parse_verify(rest);
    return options ? verify(*options) : print(verify_help());
  }
  if (command == "scenes") {
    return plain_command("scenes", rest, list_scenes, "Lists the scenes; replace N, A, B and R by numbers.");
  }
  if (command == "info") {
    return plain_command("info", rest, show_info, "Shows version, build, instruction set and devices.");
  }
  throw UsageError("unknown command \"" + command + "\"");
}

int guarded_main(std::span<const char* const> arguments) {
  try {
    guard_standard_streams();
    const int code = dispatch(arguments);
    flush_output();
    return code;
  } catch (const UsageError& error) {
    std::fprintf(stderr, "talus: %s\nTry `talus --help`.\n", error.what());
    return kWrongUsage;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "talus: %s\n", error.what());
    return kFailed;
  }
}

}  // namespace
}  // namespace talus::cli

int main(int argc, char** argv) {
  const std::span<const char* const> arguments(argv, static_cast<std::size_t>(argc));
  return talus::cli::guarded_main(arguments.subspan(argc > 0 ? 1 : 0));
}
