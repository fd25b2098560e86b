// SPDX-License-Identifier: MIT
// Every row of samples/truth holds for every solver that it claims to hold for. A fiftieth of the trials here, all of
// them with TALUS_LONG_TESTS=1 (tools/long-tests).
#include "truth/truth.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <tuple>

namespace talus::truth {
namespace {

/// Of the rows and of the variants.
using Case = std::tuple<int, int>;
std::vector<Case> cases() {
  std::vector<Case> all;
  const std::vector<Row> list = rows();
  for (int row = 0; row < int(list.size()); ++row) {
    for (int variant = 0; variant < int(variants().size()); ++variant) {
      if (claims(list[std::size_t(row)], variants()[std::size_t(variant)])) all.emplace_back(row, variant);
    }
  }
  return all;
}

class Truth : public testing::TestWithParam<Case> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Truth);

TEST_P(Truth, Holds) {
  const Row row = rows()[std::size_t(std::get<0>(GetParam()))];
  const Variant& variant = variants()[std::size_t(std::get<1>(GetParam()))];
  const bool all = std::getenv("TALUS_LONG_TESTS") != nullptr;
  const int trials = trials_of(row, all ? 1.0 : kShortPart);
  const Worst worst = row.measure(variant, trials, 1);
  RecordProperty("error", std::to_string(worst.error));
  EXPECT_LE(worst.error, bound_of(row, variant))
      << row.unit << ": " << row.statement << "\nworst of " << trials << " trials: " << worst.trial;
}

INSTANTIATE_TEST_SUITE_P(Rows, Truth, testing::ValuesIn(cases()), [](const auto& row_and_variant) {
  return std::string(rows()[std::size_t(std::get<0>(row_and_variant.param))].name) + "_" +
         variants()[std::size_t(std::get<1>(row_and_variant.param))].name;
});

}  // namespace
}  // namespace talus::truth
