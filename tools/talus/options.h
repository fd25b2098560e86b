// SPDX-License-Identifier: MIT
// The command line as values. Every option stands once, in a table of options.cpp; parsing and --help follow from it.
#pragma once
#include <lab/residual.h>
#include <talus/defs.h>

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace talus::cli {

/// Wrong usage; the message names the argument.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What commands that simulate have in common.
struct SimulationOptions {
  std::string scene;
  Backend backend = Backend::automatic;
  int threads = 0;  ///< 0: all cores
  int steps = 300;
  std::optional<float> dt;      ///< [s] empty: the scene's
  std::string solver = "pgs";   ///< name of a preset
  std::optional<int> substeps;  ///< empty: the preset's
  SolverSettings settings;      ///< of solver and substeps together
  bool sleep = false;           ///< bodies may sleep
  std::string config;           ///< names the settings in tables: "pgs", "pgs-s8"
};

struct RunOptions : SimulationOptions {
  bool hash = false;
  std::string out;    ///< CSV file for the poses; empty: none
  std::string image;  ///< PNG file; empty: none
};

struct BenchOptions : SimulationOptions {
  int repeat = 1;
  bool csv = false;
  bool csv_header = false;
};

struct LabOptions : SimulationOptions {
  std::vector<std::string> solvers;  ///< methods; empty: all that fit
  lab::FrictionLaw law = lab::FrictionLaw::cone;
  int sides = 8;               ///< of lab::FrictionLaw::polyhedral
  int sweeps = 10000;          ///< of each method at most
  bool by_merit = false;       ///< tolerance and pictures are of lab::box_merit
  double tolerance = 1e-4;     ///< [m/s] residual, or merit, at which methods end
  std::vector<double> gammas;  ///< [1/kg] that are tried on the diagonal; empty: none
  std::string plot;            ///< SVG file, whose name without its end begins those of the pictures; empty: none
  std::string save, load;      ///< where Matrix Market files go to, or come from instead of a scene; empty: nowhere
};

struct VerifyOptions {
  std::vector<std::string> only;  ///< names of rows or their groups; empty: all
  double part = 0.02;             ///< of each row's trials
  std::uint64_t seed = 1;
  std::string write;  ///< Markdown file; empty: none
};

/// Options of a command from the arguments after its name. Empty if the arguments ask for help. Throws UsageError.
std::optional<RunOptions> parse_run(std::span<const char* const> arguments);
std::optional<BenchOptions> parse_bench(std::span<const char* const> arguments);
std::optional<LabOptions> parse_lab(std::span<const char* const> arguments);
std::optional<VerifyOptions> parse_verify(std::span<const char* const> arguments);

std::string help();
std::string run_help();
std::string bench_help();
std::string lab_help();
std::string verify_help();

}  // namespace talus::cli
