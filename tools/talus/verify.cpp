// SPDX-License-Identifier: MIT
// talus verify: every law and experiment of samples/truth with every solver, as a table and as docs/truth.md.
#include <talus/talus.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "commands.h"
#include "table.h"
#include "verify_page.h"

namespace talus::cli {
namespace {

bool chosen(const truth::Row& row, const std::vector<std::string>& only) {
  return only.empty() || std::any_of(only.begin(), only.end(),
                                     [&](const std::string& name) { return name == row.name || name == row.group; });
}

// An unknown name would otherwise verify nothing and succeed.
void check_names(const std::vector<truth::Row>& rows, const std::vector<std::string>& only) {
  for (const std::string& name : only) {
    const bool known =
        std::any_of(rows.begin(), rows.end(), [&](const truth::Row& row) { return chosen(row, {name}); });
    if (known) continue;
    std::string message = "--only: no law, experiment or group is called \"" + name + "\". There are:";
    for (const truth::Row& row : rows) message += "\n  " + std::string(row.group) + ": " + row.name;
    throw UsageError(message);
  }
}

std::vector<Verified> measure(const std::vector<truth::Row>& rows, const VerifyOptions& options) {
  std::vector<Verified> verified;
  for (const truth::Row& row : rows) {
    if (!chosen(row, options.only)) continue;
    std::fprintf(stderr, "%s: %s\n", row.group, row.name);
    Verified result{row, {}};
    for (const truth::Variant& variant : truth::variants()) {
      result.worst.push_back(row.measure(variant, truth::trials_of(row, options.part), options.seed));
    }
    verified.push_back(std::move(result));
  }
  return verified;
}

void print_table(const std::vector<Verified>& verified) {
  std::vector<std::string> header{"law or experiment", "unit", "bound"};
  for (const truth::Variant& variant : truth::variants()) header.emplace_back(variant.name);
  Table table(header);
  for (const Verified& result : verified) {
    std::vector<std::string> line{result.row.name, result.row.unit, short_number(result.row.bound)};
    for (std::size_t i = 0; i < result.worst.size(); ++i) {
      const std::string error = short_number(result.worst[i].error);
      const bool claimed = truth::claims(result.row, truth::variants()[i]);
      line.push_back(claimed ? error + (broken(result, i) ? "!" : "") : "(" + error + ")");
    }
    table.add(line);
  }
  table.print(stdout);
}

int print_broken(const std::vector<Verified>& verified) {
  int count = 0;
  for (const Verified& result : verified) {
    for (std::size_t i = 0; i < result.worst.size(); ++i) {
      if (!broken(result, i)) continue;
      const truth::Variant& variant = truth::variants()[i];
      std::printf("%s%s with %s: %s %s, bound %s\n  %s\n  worst trial: %s\n", count++ == 0 ? "\nBroken:\n" : "",
                  result.row.name, variant.name, short_number(result.worst[i].error).c_str(), result.row.unit,
                  short_number(truth::bound_of(result.row, variant)).c_str(), result.row.statement,
                  result.worst[i].trial.c_str());
    }
  }
  return count;
}

void write_text(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw Error("\"" + path + "\": cannot be written");
}

}  // namespace

int verify(const VerifyOptions& options) {
  const std::vector<truth::Row> rows = truth::rows();
  check_names(rows, options.only);
  if (!options.write.empty()) write_text(options.write, "");  // says before a long run that it cannot be written
  const std::vector<Verified> verified = measure(rows, options);
  print_table(verified);
  const int count = print_broken(verified);
  if (!options.write.empty()) write_text(options.write, truth_page(verified, options.part, options.seed));
  return count == 0 ? kDone : kFailed;
}

}  // namespace talus::cli
