// SPDX-License-Identifier: MIT
// Problems in files: what is read is what was written, and what is broken is named by file and line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "lab/problem_file.h"
#include "lab_problems.h"

namespace talus::lab {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Files : public testing::Test {
 protected:
  Files() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Files() override { fs::remove_all(folder_); }

  static Problem problem() {
    test::Random random(3);
    ContactProblem step = test::random_bodies(random, 4);
    test::add_contacts(random, 5, 0.6, true, step);
    step.rows[0].upper = 1.0 / 3.0;
    step.rows[3].lower = -test::kInfinity;
    for (ContactProblem::Row& row : step.rows) row.impulse = random.uniform(-1e-3, 1e3);
    for (std::size_t row = 0; row < step.rows.size(); row += 4) step.rows[row].softness = random.uniform(0.0, 1.0);
    return make_problem(step);
  }

  std::string text(const std::string& name) const {
    std::ifstream in(folder_ / name);
    std::ostringstream content;
    content << in.rdbuf();
    return content.str();
  }
  void replace(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
  }
  /// With line `number` from 1 replaced by another, or removed if that is empty.
  void replace_line(const std::string& name, int number, const std::string& line) const {
    std::istringstream in(text(name));
    std::string all;
    std::string one;
    for (int i = 1; std::getline(in, one); ++i) {
      if (i != number) all += one + "\n";
      if (i == number && !line.empty()) all += line + "\n";
    }
    replace(name, all);
  }

  void expect_broken(const std::string& name, Index line, const std::string& words) const {
    try {
      read_problem(folder_ / "");
      ADD_FAILURE() << name << " was read";
    } catch (const ProblemFileError& error) {
      EXPECT_EQ(error.file().filename(), name) << error.what();
      EXPECT_EQ(error.line(), line) << error.what();
      EXPECT_THAT(error.what(), HasSubstr(words));
      EXPECT_THAT(error.what(), HasSubstr(name + ":" + std::to_string(line) + ": "));
    }
  }

  fs::path folder_ = fs::path(testing::TempDir()) /
                     (std::string("talus_lab_") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

void expect_same(const Problem& a, const Problem& b) {
  EXPECT_EQ(Matrix(a.jacobian), Matrix(b.jacobian));
  EXPECT_EQ(a.jacobian.nonZeros(), b.jacobian.nonZeros());
  EXPECT_EQ(Matrix(a.inv_mass), Matrix(b.inv_mass));
  EXPECT_EQ(a.b, b.b);
  EXPECT_EQ(a.free_velocity, b.free_velocity);
  EXPECT_EQ(a.lower, b.lower);
  EXPECT_EQ(a.upper, b.upper);
  EXPECT_EQ(a.normal, b.normal);
  EXPECT_EQ(a.friction, b.friction);
  EXPECT_EQ(a.softness, b.softness);
  EXPECT_EQ(a.impulse, b.impulse);
  EXPECT_EQ(a.disks.size(), b.disks.size());
}

TEST_F(Files, GoThereAndBackExactly) {
  const Problem written = problem();
  write_problem(folder_ / "new" / "", written);
  expect_same(read_problem(folder_ / "new"), written);
  write_problem(folder_ / "step_12", written);
  EXPECT_TRUE(fs::exists(folder_ / "step_12_M_inverse.mtx"));
  expect_same(read_problem(folder_ / "step_12"), written);
}

TEST_F(Files, HoldNothingToo) {
  const Problem empty = make_problem(ContactProblem{});
  write_problem(folder_ / "", empty);
  expect_same(read_problem(folder_), empty);
}

TEST_F(Files, AreMatrixMarketWithComments) {
  write_problem(folder_ / "", problem());
  EXPECT_THAT(text("J.mtx"), testing::StartsWith("%%MatrixMarket matrix coordinate real general\n15 24 "));
  EXPECT_THAT(text("bounds.mtx"), HasSubstr("inf\n"));
  replace_line("b.mtx", 2, "% from a tool\n\n  15   1");
  expect_same(read_problem(folder_), problem());
}

struct Breakage {
  const char* file;
  int line;
  const char* text;
  Index reported;
  const char* words;
};

TEST_F(Files, BrokenOnesAreNamedWithLine) {
  const Breakage cases[] = {
      {"J.mtx", 1, "%%MatrixMarket matrix array real general", 1, "begins with"},
      {"J.mtx", 1, "rubbish", 1, "not \"%%MatrixMarket matrix coordinate real general\""},
      {"J.mtx", 2, "15 24", 2, "2 words where 3"},
      {"J.mtx", 2, "99999999999999 24 3", 2, "no whole number"},
      {"J.mtx", 2, "15 24 2147483647", 0, "ends too early"},
      {"J.mtx", 3, "0 1 0.5", 3, "no whole number from 1 to 15"},
      {"J.mtx", 3, "1 25 0.5", 3, "no whole number from 1 to 24"},
      {"J.mtx", 3, "1 1 nan", 3, "no finite number"},
      {"J.mtx", 3, "1 1 0.5x", 3, "no finite number"},
      {"J.mtx", 4, "", 0, "ends too early"},
      {"M_inverse.mtx", 2, "18 18 0", 2, "is 18 x 18, not 24 x 24"},
      {"b.mtx", 2, "14 1", 2, "is 14 x 1, not 15 x 1"},
      {"b.mtx", 5, "inf", 5, "no finite number"},
      {"b.mtx", 17, "1\n2", 18, "goes on after its last entry"},
      {"bounds.mtx", 7, "nan", 7, "no number"},
      {"friction.mtx", 19, "1.5", 19, "no normal row"},
      {"friction.mtx", 19, "-3", 19, "no normal row"},
      {"friction.mtx", 19, "16", 19, "no normal row"},
  };
  for (const Breakage& c : cases) {
    SCOPED_TRACE(std::string(c.file) + " <- " + c.text);
    write_problem(folder_ / "", problem());
    replace_line(c.file, c.line, c.text);
    const auto lines = [&] {
      const std::string all = text(c.file);
      return Index(std::count(all.begin(), all.end(), '\n'));
    };
    expect_broken(c.file, c.reported > 0 ? c.reported : lines() + 1, c.words);
  }
}

TEST_F(Files, MissingOnesAreNamed) {
  write_problem(folder_ / "", problem());
  fs::remove(folder_ / "impulses.mtx");
  expect_broken("impulses.mtx", 0, "cannot be opened");
  EXPECT_THROW(write_problem(folder_ / "no_such" / "prefix", problem()), ProblemFileError);
}

TEST_F(Files, NumbersThatContradictEachOtherAreRefused) {
  write_problem(folder_ / "", problem());
  replace_line("friction.mtx", 19, "2");  // row 2's normal would be row 2, a friction row
  EXPECT_THROW(read_problem(folder_), ProblemFileError);
  write_problem(folder_ / "", problem());
  replace_line("bounds.mtx", 3, "7");  // above its upper bound of 1/3
  EXPECT_THROW(read_problem(folder_), ProblemFileError);
}

TEST(ProblemChecks, RefuseWhatIsNoProblem) {
  ContactProblem step = test::cube_stack(1, 0.5);
  ContactProblem broken = step;
  broken.rows[0].body_b = 1;
  EXPECT_THROW(make_problem(broken), Error);
  broken = step;
  broken.rows[1].normal = 2;
  EXPECT_THROW(make_problem(broken), Error);
  broken = step;
  broken.rows[2].friction = 0.7;  // of the same disk as row 1
  EXPECT_THROW(make_problem(broken), Error);
  broken = step;
  broken.rows[3].bias = std::nan("");
  EXPECT_THROW(make_problem(broken), Error);
  broken = step;
  broken.rows[3].softness = -1e-3;
  EXPECT_THROW(make_problem(broken), Error);
  broken = step;
  broken.rows[3].lower = 2.0;
  broken.rows[3].upper = 1.0;
  EXPECT_THROW(make_problem(broken), Error);
}

}  // namespace
}  // namespace talus::lab
