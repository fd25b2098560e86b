// SPDX-License-Identifier: MIT
// docs/truth.md as text: what `talus verify` measured, with what it means.
#pragma once
#include <string>
#include <vector>

#include "truth/truth.h"

namespace talus::cli {

/// A row and the worst trial of each variant, in the order of truth::variants().
struct Verified {
  truth::Row row;
  std::vector<truth::Worst> worst;
};

/// True if the row is claimed for the variant and its bound is broken.
bool broken(const Verified& verified, std::size_t variant);
/// An error with two digits: "0.012", "4.5e-06".
std::string short_number(double value);
/// The page, without dates and times: the same numbers on every machine.
std::string truth_page(const std::vector<Verified>& rows, double part, std::uint64_t seed);

}  // namespace talus::cli
