// SPDX-License-Identifier: MIT
// talus lab: the contact and joint problem of one step of a scene, solved by many methods in double precision, side by
// side.
#include <lab/damping.h>
#include <lab/problem_file.h>
#include <lab/report.h>
#include <talus/talus.h>

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "commands.h"
#include "output.h"
#include "progress.h"

namespace talus::cli {
namespace {

lab::Problem problem_of_scene(const LabOptions& options) {
  WorldDef def = world_def_of(options);
  def.keep_contact_problem = true;
  scenes::RunningScene running(scene_of(options), def);
  std::printf("%s\n", headline(options, running).c_str());
  flush_output();
  Progress progress(options.steps, stderr);
  for (int step = 0; step < options.steps; ++step) progress.update(step + 1, running.step());
  return lab::make_problem(running.world().contact_problem());
}

// "a/b.svg" -> "a/b", the beginning of the pictures' names.
std::filesystem::path plot_names(const std::string& file) {
  std::filesystem::path path = file;
  return path.extension() == ".svg" ? path.replace_extension() : path;
}

// Before anything is simulated or solved.
void require_all_writable(const std::filesystem::path& plots, const std::string& save) {
  if (!plots.empty()) {
    for (const std::filesystem::path& file : lab::picture_files(plots)) require_writable(file);
  }
  if (save.empty()) return;
  lab::make_place(save);
  for (const std::filesystem::path& file : lab::problem_files(save)) require_writable(file);
}

}  // namespace

int lab(const LabOptions& options) {
  const std::filesystem::path plots = plot_names(options.plot);
  require_all_writable(plots, options.save);
  const lab::Problem problem = options.load.empty() ? problem_of_scene(options) : lab::read_problem(options.load);
  if (!options.save.empty()) lab::write_problem(options.save, problem);
  lab::ReportOptions report;
  report.solver.friction.law = options.law;
  report.solver.friction.sides = options.sides;
  report.solver.max_sweeps = options.sweeps;
  report.solver.tolerance = options.tolerance;
  report.by_merit = options.by_merit;
  report.plots = plots;
  lab::report(std::cout, problem, options.solvers, report);
  if (!options.gammas.empty()) {
    lab::report_damping(std::cout, problem, options.gammas, report.solver, report.plots);
  }
  return kDone;
}

}  // namespace talus::cli
